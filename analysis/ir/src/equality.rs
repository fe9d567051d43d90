//! Kernels that are equal but for their names.
//!
//! A kernel that was copied, or made from a template once more, has another name, and so may its structs. No fact and no pass depends on
//! these, so what is found out about one of such kernels holds for all. Names of values are compared: they are said.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;

use crate::program::{Def, Kernel, StructDecl};

impl Kernel {
    /// Says whether two kernels are equal but for their names and those of their structs.
    pub fn is_equal_but_for_its_name(&self, other: &Kernel) -> bool {
        // Named one by one, so that a new part is not forgotten here. The constants are among the values.
        let Kernel { name: _, marks, params, result, body, lanes, structs, values, ops, regions, origins, .. } = self;
        let same_fields = |a: &StructDecl, b: &StructDecl| a.fields == b.fields;
        (marks, params, result, body, lanes) == (&other.marks, &other.params, &other.result, &other.body, &other.lanes)
            && structs.len() == other.structs.len()
            && structs.iter().zip(other.structs.iter()).all(|((_, a), (_, b))| same_fields(a, b))
            && (values, ops, regions, origins) == (&other.values, &other.ops, &other.regions, &other.origins)
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
            value.name.hash(&mut hasher);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_kernels_make_no_difference_and_all_else_does() {
        let kernel = |name: &str, text: &str| {
            let text = format!("kernel {name}(a: f32[n], n: i32):\n    for i in range(0, n):\n        {text}\n");
            crate::read(&text, None).expect("a kernel").remove(0)
        };
        let first = kernel("k", "a[i] = (a[i] * 2.0)");
        let alike = |other: &Kernel| {
            let is_equal = first.is_equal_but_for_its_name(other);
            assert_eq!(is_equal, first.fingerprint() == other.fingerprint());
            is_equal
        };
        assert!(alike(&kernel("other", "a[i] = (a[i] * 2.0)")));
        assert!(!alike(&kernel("k", "a[i] = (a[i] + 2.0)")));
        assert!(!alike(&kernel("k", "let x = (a[i] * 2.0)\n        a[i] = x")));
        assert!(!alike(&kernel("k", "a[i] = (a[i] * 3.0)")));
    }
}
