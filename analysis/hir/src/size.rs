//! Sizes of arrays, as polynomials over things that do not change while a kernel runs.
//!
//! `2 * n` and `n + n` have one normal form, so whether two sizes are equal is a comparison of what is left when one
//! is taken from the other: nothing means *equal*, a constant means *different for every value of the symbols*, and
//! anything else means that it depends on them. Quotients and remainders are atoms, equal when their parts are.

use std::sync::Arc;

use smallvec::{SmallVec, smallvec};

use crate::LocalId;

/// An unknown of a size: a part that sizes are compared by.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Atom {
    /// The value of an integer parameter or of a variable that is never updated.
    Local(LocalId),
    /// The size that an untyped array has in a dimension.
    Own(LocalId, u32),
    /// A size that nothing is known about.
    Unknown(u32),
    /// A size that inference has yet to find.
    Var(u32),
    /// The value of a parameter of a signature, by number.
    Param(u32),
    /// A size of a signature that each call chooses for itself.
    Generic(u32),
    /// A size of the caller, by its number among those that a call gives the function's types.
    Given(u32),
    /// A quotient or remainder of two sizes.
    Op(SizeOp, Box<Size>, Box<Size>),
}

/// An operation that makes an atom, since polynomials have none like it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SizeOp {
    /// The division `/`, which truncates.
    Div,
    /// The division `//`, which rounds down.
    FloorDiv,
    /// The remainder `%`.
    Rem,
}

/// A polynomial with integer coefficients: products of atoms, each with its factor, sorted by their atoms. No factor is zero.
/// Shared, since every expression of an array type has its sizes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Size(Arc<[Term]>);

/// A product of sorted atoms, and how often it counts.
type Term = (Atoms, i64);

/// Nearly all products are one atom, or none.
type Atoms = SmallVec<[Atom; 1]>;

/// The limits on the number of products in a sum and of atoms in a product. No program sizes its arrays by more, and without them
/// a chain of squares would grow beyond all bounds.
const MAX_TERMS: usize = 32;
const MAX_ATOMS: usize = 8;

impl Size {
    /// Returns the size that is a number.
    pub fn constant(value: i64) -> Size {
        Size::term(Atoms::new(), value)
    }

    /// Returns the size that is one atom.
    pub fn atom(atom: Atom) -> Size {
        Size::term(smallvec![atom], 1)
    }

    fn term(atoms: Atoms, factor: i64) -> Size {
        if factor == 0 { Size::default() } else { Size(Arc::new([(atoms, factor)])) }
    }

    /// The number it is, if it is one.
    pub fn as_constant(&self) -> Option<i64> {
        match &*self.0 {
            [] => Some(0),
            [(atoms, factor)] if atoms.is_empty() => Some(*factor),
            _ => None,
        }
    }

    /// The local it is the value of, if it is nothing else.
    pub fn as_local(&self) -> Option<LocalId> {
        match self.0.iter().next() {
            Some((atoms, 1)) if self.0.len() == 1 => match atoms[..] {
                [Atom::Local(local)] => Some(local),
                _ => None,
            },
            _ => None,
        }
    }

    /// The products that are summed up: atoms, and a factor.
    pub fn terms(&self) -> impl Iterator<Item = (&[Atom], i64)> {
        self.0.iter().map(|(atoms, factor)| (&atoms[..], *factor))
    }

    /// The sum; `None` when a factor would leave 64 bits, or the sum is too long.
    pub fn plus(&self, other: &Size) -> Option<Size> {
        match (self.0.is_empty(), other.0.is_empty()) {
            (true, _) => Some(other.clone()),
            (_, true) => Some(self.clone()),
            _ => self.plus_scaled(other, 1),
        }
    }

    /// Returns the difference of two sizes; `None` if it overflows.
    pub fn minus(&self, other: &Size) -> Option<Size> {
        match (self.0.is_empty(), other.0.is_empty()) {
            (true, _) => other.scaled(-1),
            (_, true) => Some(self.clone()),
            _ => self.plus_scaled(other, -1),
        }
    }

    /// The sum with a number of times another size.
    fn plus_scaled(&self, other: &Size, by: i64) -> Option<Size> {
        let mut sum: SmallVec<[Term; 4]> = self.0.iter().cloned().collect();
        for (atoms, factor) in other.0.iter() {
            let factor = factor.checked_mul(by)?;
            match sum.binary_search_by(|(other, _)| other.cmp(atoms)) {
                Ok(n) => sum[n].1 = sum[n].1.checked_add(factor)?,
                Err(n) => sum.insert(n, (atoms.clone(), factor)),
            }
        }
        sum.retain(|(_, factor)| *factor != 0);
        (sum.len() <= MAX_TERMS).then(|| Size(sum.into_iter().collect()))
    }

    /// The size times a number.
    fn scaled(&self, by: i64) -> Option<Size> {
        match by {
            0 => return Some(Size::default()),
            1 => return Some(self.clone()),
            _ => {}
        }
        let terms = self.0.iter().map(|(atoms, factor)| Some((atoms.clone(), factor.checked_mul(by)?)));
        terms.collect::<Option<_>>().map(Size)
    }

    /// Returns the product of two sizes; `None` if it overflows or is too long.
    pub fn times(&self, other: &Size) -> Option<Size> {
        match (self.as_constant(), other.as_constant()) {
            (Some(factor), _) => return other.scaled(factor),
            (_, Some(factor)) => return self.scaled(factor),
            _ => {}
        }
        let mut product = Size::default();
        for (a, x) in self.0.iter() {
            for (b, y) in other.0.iter() {
                if a.len() + b.len() > MAX_ATOMS {
                    return None;
                }
                let mut atoms: Atoms = a.iter().chain(b).cloned().collect();
                atoms.sort();
                product = product.plus(&Size::term(atoms, x.checked_mul(*y)?))?;
            }
        }
        Some(product)
    }

    /// A quotient or remainder: a number when both sides are numbers, else an atom.
    pub fn quotient(op: SizeOp, a: &Size, b: &Size) -> Option<Size> {
        let whole = match (a.as_constant(), b.as_constant()) {
            (Some(_), Some(0)) => return None,
            (Some(x), Some(y)) => match op {
                SizeOp::Div => x.checked_div(y)?,
                SizeOp::FloorDiv => x.checked_div_euclid(y)? - i64::from(y < 0 && x.rem_euclid(y) != 0),
                SizeOp::Rem => x.checked_rem(y)?,
            },
            (None, Some(divisor)) if divisor != 0 && a.0.iter().all(|(_, factor)| factor % divisor == 0) => {
                return a.divided(op, divisor);
            }
            _ => return Some(Size::atom(Atom::Op(op, Box::new(a.clone()), Box::new(b.clone())))),
        };
        Some(Size::constant(whole))
    }

    /// The quotient or remainder by a number that divides every factor, so that nothing is rounded.
    fn divided(&self, op: SizeOp, divisor: i64) -> Option<Size> {
        if op == SizeOp::Rem {
            return Some(Size::default());
        }
        let factors = self.0.iter().map(|(atoms, factor)| Some((atoms.clone(), factor.checked_div(divisor)?)));
        factors.collect::<Option<_>>().map(Size)
    }

    /// Replaces atoms; `None` when a replacement is `None` or a factor would leave 64 bits.
    pub fn replace(&self, with: &mut impl FnMut(&Atom) -> Option<Size>) -> Option<Size> {
        let mut out = Size::default();
        for (atoms, factor) in self.0.iter() {
            let mut product = Size::constant(*factor);
            for atom in atoms {
                let replaced = match atom {
                    Atom::Op(op, a, b) => Size::quotient(*op, &a.replace(with)?, &b.replace(with)?)?,
                    atom => with(atom)?,
                };
                product = product.times(&replaced)?;
            }
            out = out.plus(&product)?;
        }
        Some(out)
    }

    /// Returns an inference variable and a value for it, if the polynomial is zero exactly when the variable has that
    /// value.
    pub fn solve(&self) -> Option<(u32, Size)> {
        for (atoms, factor) in self.0.iter() {
            let [Atom::Var(var)] = atoms[..] else { continue };
            let rest = self.minus(&Size::term(atoms.clone(), *factor))?;
            if rest.mentions(var) || rest.0.iter().any(|(_, other)| other % factor != 0) {
                continue;
            }
            return Some((var, rest.times(&Size::constant(-1))?.divided(SizeOp::Div, *factor)?));
        }
        None
    }

    /// The only variable among those that are open which is in it, if that stands in one product with a number: the variable, the number, and
    /// all other terms.
    pub fn solved(&self, is_open: &dyn Fn(LocalId) -> bool) -> Option<(LocalId, i64, Size)> {
        let (atoms, factor) =
            self.0.iter().find(|(atoms, _)| matches!(atoms[..], [Atom::Local(local)] if is_open(local)))?;
        let [Atom::Local(local)] = atoms[..] else { return None };
        let rest = self.minus(&Size::term(atoms.clone(), *factor))?;
        (!rest.any(&|atom| matches!(atom, Atom::Local(other) if is_open(*other)))).then_some((local, *factor, rest))
    }

    /// Finds out whether an inference variable is in it.
    pub fn mentions(&self, var: u32) -> bool {
        self.0.iter().flat_map(|(atoms, _)| atoms).any(|atom| match atom {
            Atom::Var(other) => *other == var,
            Atom::Op(_, a, b) => a.mentions(var) || b.mentions(var),
            _ => false,
        })
    }

    /// Looks for an atom that `wanted` accepts.
    pub fn any(&self, wanted: &impl Fn(&Atom) -> bool) -> bool {
        self.0.iter().flat_map(|(atoms, _)| atoms).any(|atom| match atom {
            Atom::Op(_, a, b) => a.any(wanted) || b.any(wanted),
            atom => wanted(atom),
        })
    }

    /// Returns the size as a person would write it.
    pub fn display(&self, name: &impl Fn(&Atom) -> String) -> String {
        let mut out = String::new();
        // The constant comes last: `2 * n + 1`.
        let (constant, products): (Vec<_>, Vec<_>) = self.0.iter().partition(|(atoms, _)| atoms.is_empty());
        for &(ref atoms, factor) in products.into_iter().chain(constant) {
            let magnitude = factor.unsigned_abs();
            // `2 * (n / 2)` and `-(n // 2)` are something else without their parentheses.
            let alone = atoms.len() == 1 && magnitude == 1 && !(out.is_empty() && factor < 0);
            let names: Vec<_> = atoms
                .iter()
                .map(|atom| match atom {
                    Atom::Op(..) if !alone => format!("({})", display_atom(atom, name)),
                    atom => display_atom(atom, name),
                })
                .collect();
            let product = match (names.is_empty(), magnitude) {
                (true, _) => magnitude.to_string(),
                (false, 1) => names.join(" * "),
                (false, _) => format!("{magnitude} * {}", names.join(" * ")),
            };
            match (out.is_empty(), factor < 0) {
                (true, true) => out.push('-'),
                (true, false) => {}
                (false, true) => out.push_str(" - "),
                (false, false) => out.push_str(" + "),
            }
            out.push_str(&product);
        }
        if out.is_empty() { "0".to_owned() } else { out }
    }
}

fn display_atom(atom: &Atom, name: &impl Fn(&Atom) -> String) -> String {
    let Atom::Op(op, a, b) = atom else { return name(atom) };
    let side = |size: &Size| {
        let text = size.display(name);
        if text.contains(' ') { format!("({text})") } else { text }
    };
    let op = match op {
        SizeOp::Div => "/",
        SizeOp::FloorDiv => "//",
        SizeOp::Rem => "%",
    };
    format!("{} {op} {}", side(a), side(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn n() -> Size {
        Size::atom(Atom::Param(0))
    }

    fn show(size: &Size) -> String {
        size.display(&|atom| match atom {
            Atom::Param(0) => "n".to_owned(),
            Atom::Param(_) => "m".to_owned(),
            _ => "?".to_owned(),
        })
    }

    #[test]
    fn arithmetic_is_decided() {
        let two_n = n().times(&Size::constant(2)).unwrap();
        assert_eq!(n().plus(&n()).unwrap(), two_n);
        assert_eq!(two_n.minus(&n()).unwrap(), n());
        let square = n().plus(&Size::constant(1)).unwrap();
        let square = square.times(&square).unwrap();
        assert_eq!(show(&square), "2 * n + n * n + 1");
        assert_eq!(two_n.plus(&Size::constant(1)).unwrap().minus(&two_n).unwrap().as_constant(), Some(1));
        let half = Size::quotient(SizeOp::Div, &n(), &Size::constant(2)).unwrap();
        assert_eq!(half, Size::quotient(SizeOp::Div, &n(), &Size::constant(2)).unwrap());
        assert_eq!(show(&half), "n / 2");
        assert_eq!(show(&n().minus(&half).unwrap()), "n - n / 2");
        assert_eq!(show(&half.times(&two_n).unwrap()), "2 * n * (n / 2)");
        assert_eq!(show(&Size::constant(1).minus(&half).unwrap()), "-(n / 2) + 1");
        assert_eq!(Size::quotient(SizeOp::Div, &two_n, &Size::constant(2)), Some(n()));
        assert_eq!(Size::quotient(SizeOp::Rem, &two_n, &Size::constant(-2)), Some(Size::constant(0)));
        assert_eq!(Size::quotient(SizeOp::FloorDiv, &Size::constant(-7), &Size::constant(2)), Some(Size::constant(-4)));
        assert_eq!(Size::quotient(SizeOp::FloorDiv, &Size::constant(7), &Size::constant(-2)), Some(Size::constant(-4)));
    }

    #[test]
    fn a_variable_is_solved_where_its_factor_divides_the_rest() {
        let var = Size::atom(Atom::Var(7));
        let difference = var.minus(&n().times(&Size::constant(2)).unwrap()).unwrap();
        assert_eq!(difference.solve(), Some((7, n().times(&Size::constant(2)).unwrap())));
        let twice = var.times(&Size::constant(2)).unwrap().minus(&n()).unwrap();
        assert_eq!(twice.solve(), None);
        let even = var.minus(&n()).unwrap().times(&Size::constant(-2)).unwrap();
        assert_eq!(even.solve(), Some((7, n())));
    }

    #[test]
    fn factors_that_leave_64_bits_are_refused() {
        let big = Size::constant(i64::MAX);
        assert_eq!(big.plus(&Size::constant(1)), None);
        assert_eq!(big.times(&Size::constant(2)), None);
    }
}
