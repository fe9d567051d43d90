//! Kernels that are equal but for their names.
//!
//! A kernel that was copied, or made from a template once more, has another name, and so may its structs; one in which a variable is
//! being renamed differs in that name alone. Verdicts and outcomes do not depend on these names, so what is found out about one of such
//! kernels holds for all. The names of parameters are compared, since formulas of sizes say them, and so is whether a value has a name at
//! all, which passes ask.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;

use crate::program::{Def, Kernel, StructDecl, ValueData};

impl Kernel {
    /// Says whether two kernels are equal but for their names, those of their structs and those of values that are no parameters.
    pub fn is_equal_but_for_names(&self, other: &Kernel) -> bool {
        // Named one by one, so that a new part is not forgotten here. The constants are among the values.
        let Kernel { name: _, marks, params, result, body, lanes, structs, values, ops, regions, origins, .. } = self;
        let same_fields = |a: &StructDecl, b: &StructDecl| a.fields == b.fields;
        let same_value = |a: &ValueData, b: &ValueData| {
            let ValueData { ty, def, name: _ } = a;
            (ty, def) == (&b.ty, &b.def) && a.name_that_counts() == b.name_that_counts()
        };
        (marks, params, result, body, lanes) == (&other.marks, &other.params, &other.result, &other.body, &other.lanes)
            && structs.len() == other.structs.len()
            && structs.iter().zip(other.structs.iter()).all(|((_, a), (_, b))| same_fields(a, b))
            && values.len() == other.values.len()
            && values.iter().zip(other.values.iter()).all(|((_, a), (_, b))| same_value(a, b))
            && (ops, regions, origins) == (&other.ops, &other.regions, &other.origins)
    }

    /// A number that kernels have in common which are equal but for their names, and others hardly ever.
    pub fn fingerprint(&self) -> u64 {
        let mut hasher = FxHasher::default();
        for (_, op) in self.ops.iter() {
            (op.code, &op.attr, op.origin).hash(&mut hasher);
            op.operands.hash(&mut hasher);
        }
        (self.ops.len(), self.values.len(), self.origins.len()).hash(&mut hasher);
        // Kernels of a file often differ in their numbers alone.
        for (_, value) in self.values.iter() {
            value.name_that_counts().hash(&mut hasher);
            if let Def::Const(number) = value.def {
                number.hash(&mut hasher);
            }
        }
        for (_, origin) in self.origins.iter() {
            origin.place.hash(&mut hasher);
        }
        hasher.finish()
    }
}

impl ValueData {
    /// The name of a parameter, and of another value an empty one if it has any.
    fn name_that_counts(&self) -> Option<&str> {
        let name = self.name.as_deref()?;
        Some(if matches!(self.def, Def::Param(_)) { name } else { "" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_kernels_and_variables_make_no_difference_and_all_else_does() {
        let read = |text: &str| crate::read(text, None).expect("a kernel").remove(0);
        let kernel = |name: &str, text: &str| {
            read(&format!("kernel {name}(a: f32[n], n: i32):\n    for i in range(0, n):\n        {text}\n"))
        };
        let first = kernel("k", "a[i] = (a[i] * 2.0)");
        let alike = |other: &Kernel| {
            let is_equal = first.is_equal_but_for_names(other);
            assert_eq!(is_equal, first.fingerprint() == other.fingerprint());
            is_equal
        };
        assert!(alike(&kernel("other", "a[i] = (a[i] * 2.0)")));
        assert!(!alike(&kernel("k", "a[i] = (a[i] + 2.0)")));
        assert!(!alike(&kernel("k", "let x = (a[i] * 2.0)\n        a[i] = x")));
        assert!(!alike(&kernel("k", "a[i] = (a[i] * 3.0)")));
        assert!(alike(&read("kernel k(a: f32[n], n: i32):\n    for j in range(0, n):\n        a[j] = (a[j] * 2.0)\n")));
        assert!(!alike(&read(
            "kernel k(b: f32[n], n: i32):\n    for i in range(0, n):\n        b[i] = (b[i] * 2.0)\n"
        )));
    }
}
