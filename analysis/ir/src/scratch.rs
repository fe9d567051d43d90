//! Scratch memory: the bytes that a kernel needs besides its arrays, as a formula of its parameters.
//!
//! A kernel allocates nothing. New arrays that are small and of known size lie on the stack; all others have a place in
//! memory that the caller passes, of at least as many bytes as the formula says. Whoever calls evaluates it first: the
//! interpreter and the worker by [`SizeFormula::evaluate`], programs in C by a function that says the same.
//!
//! A formula works on `i64`. Where a number of it does not fit, it has no value, and the kernel cannot be called.

use std::fmt::Write;

use crate::program::Kernel;
use crate::types::Elem;

/// The alignment of scratch memory, and of each array in it, in bytes: the longest register, and a cache line.
pub const ALIGN: i64 = 64;

/// A number of bytes, or of cells, in terms of a kernel's parameters.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum SizeFormula {
    /// A number that is known.
    Constant(i64),
    /// The scalar parameter with this number, an integer.
    Param(usize),
    /// The size of a dimension of the array parameter with this number.
    Size(usize, usize),
    /// Two numbers joined.
    Join(Join, Box<SizeFormula>, Box<SizeFormula>),
    /// A number wrapped around to the range of a type, as arithmetic on unsigned integers does.
    Wrapped(Elem, Box<SizeFormula>),
    /// A number rounded up to a multiple of [`ALIGN`].
    Aligned(Box<SizeFormula>),
    /// The bytes of an array: those of an element, and the sizes of its dimensions. A negative size counts as 0.
    Array(i64, Vec<SizeFormula>),
}

/// The operator that joins two numbers of a formula.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Join {
    Add,
    Sub,
    Mul,
    /// Truncated; only by a constant that is neither 0 nor -1, like the two after it.
    Div,
    FloorDiv,
    Rem,
    Min,
    Max,
}

/// A parameter, or the size of one, in a formula.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParamAtom {
    /// The scalar parameter with this number.
    Param(usize),
    /// The size of a dimension of the array parameter with this number.
    Size(usize, usize),
}

impl Join {
    /// All operators.
    pub const ALL: [Join; 8] =
        [Join::Add, Join::Sub, Join::Mul, Join::Div, Join::FloorDiv, Join::Rem, Join::Min, Join::Max];

    /// Returns the symbol, or the name of a function.
    pub fn symbol(self) -> &'static str {
        match self {
            Join::Add => "+",
            Join::Sub => "-",
            Join::Mul => "*",
            Join::Div => "/",
            Join::FloorDiv => "//",
            Join::Rem => "%",
            Join::Min => "min",
            Join::Max => "max",
        }
    }

    /// Says whether it is written before its operands, like a function.
    pub fn is_function(self) -> bool {
        matches!(self, Join::Min | Join::Max)
    }

    fn evaluate(self, a: i64, b: i64) -> Option<i64> {
        match self {
            Join::Add => a.checked_add(b),
            Join::Sub => a.checked_sub(b),
            Join::Mul => a.checked_mul(b),
            Join::Div => a.checked_div(b),
            Join::FloorDiv => Some(a.checked_div(b)? - i64::from(a.checked_rem(b)? != 0 && (a < 0) != (b < 0))),
            Join::Rem => a.checked_rem(b),
            Join::Min => Some(a.min(b)),
            Join::Max => Some(a.max(b)),
        }
    }

    /// The strength with which it binds its operands.
    fn strength(self) -> u8 {
        match self {
            Join::Add | Join::Sub => 1,
            Join::Mul | Join::Div | Join::FloorDiv | Join::Rem => 2,
            Join::Min | Join::Max => 3,
        }
    }
}

impl SizeFormula {
    /// Joins two numbers, and folds what is known already.
    pub fn join(join: Join, a: SizeFormula, b: SizeFormula) -> SizeFormula {
        use SizeFormula::Constant;
        match (join, &a, &b) {
            (_, Constant(x), Constant(y)) if let Some(joined) = join.evaluate(*x, *y) => Constant(joined),
            (Join::Add | Join::Sub, _, Constant(0)) | (Join::Mul, _, Constant(1)) => a,
            (Join::Add, Constant(0), _) | (Join::Mul, Constant(1), _) => b,
            (Join::Min | Join::Max, _, _) if a == b => a,
            // (x - 1) + 1, as the bounds of loops are.
            (Join::Add, SizeFormula::Join(Join::Sub, x, y), Constant(_)) if **y == b => (**x).clone(),
            (Join::Sub, SizeFormula::Join(Join::Add, x, y), _) if **y == b => (**x).clone(),
            _ => SizeFormula::Join(join, Box::new(a), Box::new(b)),
        }
    }

    /// The number rounded up to a multiple of [`ALIGN`].
    pub fn aligned(self) -> SizeFormula {
        match self {
            SizeFormula::Constant(bytes) if let Some(sum) = bytes.checked_add(ALIGN - 1) => {
                SizeFormula::Constant(sum & -ALIGN)
            }
            SizeFormula::Aligned(_) => self,
            other => SizeFormula::Aligned(Box::new(other)),
        }
    }

    /// The bytes of an array.
    pub fn array(elem: Elem, sizes: Vec<SizeFormula>) -> SizeFormula {
        let array = SizeFormula::Array(elem.bytes() as i64, sizes);
        array.evaluate(&|_| None).map_or(array, SizeFormula::Constant)
    }

    /// Returns the number, if it is known.
    pub fn as_constant(&self) -> Option<i64> {
        match self {
            SizeFormula::Constant(number) => Some(*number),
            _ => None,
        }
    }

    /// The number, by the values of parameters and sizes; `None` where one of them, or of what is computed, does not fit `i64`.
    pub fn evaluate(&self, of: &impl Fn(ParamAtom) -> Option<i128>) -> Option<i64> {
        match self {
            SizeFormula::Constant(number) => Some(*number),
            SizeFormula::Param(number) => of(ParamAtom::Param(*number))?.try_into().ok(),
            SizeFormula::Size(number, dim) => of(ParamAtom::Size(*number, *dim))?.try_into().ok(),
            SizeFormula::Join(join, a, b) => join.evaluate(a.evaluate(of)?, b.evaluate(of)?),
            SizeFormula::Wrapped(elem, inner) => {
                crate::scalar::Scalar::wrap(*elem, inner.evaluate(of)?.into()).wide()?.try_into().ok()
            }
            SizeFormula::Aligned(inner) => Some(inner.evaluate(of)?.checked_add(ALIGN - 1)? & -ALIGN),
            SizeFormula::Array(bytes, sizes) => {
                sizes.iter().try_fold(*bytes, |bytes, size| bytes.checked_mul(size.evaluate(of)?.max(0)))
            }
        }
    }

    /// Calls `visit` for each parameter and size in it.
    pub fn atoms(&self, visit: &mut impl FnMut(ParamAtom)) {
        match self {
            SizeFormula::Constant(_) => {}
            SizeFormula::Param(number) => visit(ParamAtom::Param(*number)),
            SizeFormula::Size(number, dim) => visit(ParamAtom::Size(*number, *dim)),
            SizeFormula::Join(_, a, b) => {
                a.atoms(visit);
                b.atoms(visit);
            }
            SizeFormula::Wrapped(_, inner) | SizeFormula::Aligned(inner) => inner.atoms(visit),
            SizeFormula::Array(_, sizes) => sizes.iter().for_each(|size| size.atoms(visit)),
        }
    }

    /// The formula as people read it: `aligned(4 * n) + 4 * n * m`.
    pub fn shown(&self, name: &impl Fn(ParamAtom) -> String) -> String {
        let mut text = String::new();
        self.show(name, 0, &mut text);
        text
    }

    fn show(&self, name: &impl Fn(ParamAtom) -> String, around: u8, text: &mut String) {
        let call = |word: &str, inner: &SizeFormula, rest: &str, text: &mut String| {
            let _ = write!(text, "{word}(");
            inner.show(name, 0, text);
            let _ = write!(text, "{rest})");
        };
        match self {
            SizeFormula::Constant(number) => drop(write!(text, "{number}")),
            SizeFormula::Param(number) => text.push_str(&name(ParamAtom::Param(*number))),
            SizeFormula::Size(number, dim) => text.push_str(&name(ParamAtom::Size(*number, *dim))),
            SizeFormula::Join(join, a, b) if join.is_function() => {
                let _ = write!(text, "{}(", join.symbol());
                a.show(name, 0, text);
                text.push_str(", ");
                b.show(name, 0, text);
                text.push(')');
            }
            SizeFormula::Join(join, a, b) => {
                let strength = join.strength();
                let open = strength < around;
                text.push_str(if open { "(" } else { "" });
                a.show(name, strength, text);
                let _ = write!(text, " {} ", join.symbol());
                // Operators that are equally strong associate to the left.
                let is_sum = *join == Join::Add;
                b.show(name, if is_sum { strength } else { strength + 1 }, text);
                text.push_str(if open { ")" } else { "" });
            }
            SizeFormula::Wrapped(elem, inner) => call("wrapped", inner, &format!(", {elem}"), text),
            SizeFormula::Aligned(inner) => call("aligned", inner, "", text),
            SizeFormula::Array(bytes, sizes) => {
                let open = sizes.len() + usize::from(*bytes != 1) > 1 && around > 2;
                text.push_str(if open { "(" } else { "" });
                let factors =
                    std::iter::once(SizeFormula::Constant(*bytes)).filter(|_| *bytes != 1 || sizes.is_empty());
                for (number, factor) in factors.chain(sizes.iter().cloned()).enumerate() {
                    text.push_str(if number > 0 { " * " } else { "" });
                    factor.show(name, if number > 0 { 3 } else { 2 }, text);
                }
                text.push_str(if open { ")" } else { "" });
            }
        }
    }

    /// The formula as the text form of a kernel has it: `array(4, n, (m + 1))`.
    pub fn written(&self, name: &impl Fn(usize) -> String) -> String {
        let list = |parts: &[SizeFormula]| {
            let parts: Vec<String> = parts.iter().map(|part| part.written(name)).collect();
            parts.join(", ")
        };
        match self {
            SizeFormula::Constant(number) => number.to_string(),
            SizeFormula::Param(number) => name(*number),
            SizeFormula::Size(number, dim) => format!("size({}, {dim})", name(*number)),
            SizeFormula::Join(join, a, b) => match join.is_function() {
                true => format!("{}({}, {})", join.symbol(), a.written(name), b.written(name)),
                false => format!("({} {} {})", a.written(name), join.symbol(), b.written(name)),
            },
            SizeFormula::Wrapped(elem, inner) => format!("wrapped({}, {elem})", inner.written(name)),
            SizeFormula::Aligned(inner) => format!("aligned({})", inner.written(name)),
            SizeFormula::Array(bytes, sizes) if sizes.is_empty() => format!("array({bytes})"),
            SizeFormula::Array(bytes, sizes) => format!("array({bytes}, {})", list(sizes)),
        }
    }
}

impl Kernel {
    /// A parameter, or the size of one, as the language writes it.
    pub fn atom_name(&self, atom: ParamAtom) -> String {
        let (ParamAtom::Param(number) | ParamAtom::Size(number, _)) = atom;
        let name = self.params.get(number).and_then(|param| self.values[param.value].name.as_deref()).unwrap_or("_");
        match atom {
            ParamAtom::Param(_) => name.to_owned(),
            ParamAtom::Size(_, 0) => format!("length({name})"),
            ParamAtom::Size(_, dim) => format!("length({name}, {dim})"),
        }
    }

    /// The bytes of scratch memory that the caller passes, as people read them; `None` where the kernel needs none.
    pub fn scratch_text(&self) -> Option<String> {
        self.marks.scratch.as_ref().map(|bytes| bytes.shown(&|atom| self.atom_name(atom)))
    }
}

/// The most of several formulas, each a sum that may have parts in common with others.
pub fn most(formulas: Vec<SizeFormula>) -> SizeFormula {
    let mut all: Vec<SizeFormula> = Vec::new();
    for formula in formulas {
        if !all.contains(&formula) {
            all.push(formula);
        }
    }
    all.into_iter().reduce(|a, b| SizeFormula::join(Join::Max, a, b)).unwrap_or(SizeFormula::Constant(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(atom: ParamAtom) -> String {
        match atom {
            ParamAtom::Param(number) => ["n", "m"][number].to_owned(),
            ParamAtom::Size(number, dim) => format!("length(a{number}, {dim})"),
        }
    }

    #[test]
    fn formulas_are_shown_with_as_few_brackets_as_they_need() {
        let [n, m] = [0, 1].map(SizeFormula::Param);
        let one = || SizeFormula::Constant(1);
        let rows = SizeFormula::join(Join::Add, n.clone(), one());
        let a = SizeFormula::array(Elem::F32, vec![rows.clone(), m.clone()]);
        let b = SizeFormula::array(Elem::U8, vec![n.clone()]);
        let both = SizeFormula::join(Join::Add, a.clone().aligned(), b);
        assert_eq!(both.shown(&name), "aligned(4 * (n + 1) * m) + n");
        assert_eq!(
            both.written(&|number| ["n", "m"][number].to_owned()),
            "(aligned(array(4, (n + 1), m)) + array(1, n))"
        );
        let most = most(vec![a.clone(), both.clone(), a]);
        assert_eq!(most.shown(&name), "max(4 * (n + 1) * m, aligned(4 * (n + 1) * m) + n)");
        let difference = SizeFormula::join(Join::Sub, n, SizeFormula::join(Join::Sub, m, one()));
        assert_eq!(difference.shown(&name), "n - (m - 1)");
        assert_eq!(SizeFormula::array(Elem::F64, vec![SizeFormula::Constant(3)]), SizeFormula::Constant(24));
    }

    #[test]
    fn what_does_not_fit_has_no_value() {
        let n = SizeFormula::Param(0);
        let bytes = |n: i128| {
            SizeFormula::array(Elem::F64, vec![SizeFormula::Param(0), SizeFormula::Param(0)]).evaluate(&|_| Some(n))
        };
        assert_eq!(bytes(10), Some(800));
        assert_eq!(bytes(-1), Some(0));
        assert_eq!(bytes(1 << 31), None);
        assert_eq!(n.evaluate(&|_| Some(1 << 63)), None);
        let last = SizeFormula::join(Join::Sub, n, SizeFormula::Constant(1));
        let wrapped = SizeFormula::Wrapped(Elem::U32, Box::new(last));
        assert_eq!(wrapped.evaluate(&|_| Some(0)), Some(u32::MAX.into()));
        assert_eq!(SizeFormula::Constant(i64::MAX - 3).aligned().evaluate(&|_| None), None);
        let half = SizeFormula::join(Join::FloorDiv, SizeFormula::Param(0), SizeFormula::Constant(2));
        assert_eq!(half.evaluate(&|_| Some(-3)), Some(-2));
    }
}
