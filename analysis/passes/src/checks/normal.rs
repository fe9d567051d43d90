//! Formulas in a normal form, in which those that are equal for all parameters mostly are one.
//!
//! A sum is a number and multiples of what else is added up, in an order of their own: `(w - 1) - 1` is `w - 2`. That holds for numbers
//! that wrap around as well. What an array has as its size is not negative, so the greater one of that and 0 is the size.

use ir::program::{DimSize, Kernel};
use ir::scratch::{Join, SizeFormula};

use crate::bounds::declared;

/// The context in which formulas of a kernel are brought into their normal form.
pub(super) struct Normal {
    /// The sizes that parameters declare.
    sizes: Vec<SizeFormula>,
}

impl Normal {
    pub(super) fn of(kernel: &Kernel) -> Normal {
        let mut normal = Normal { sizes: Vec::new() };
        let sizes = kernel.params.iter().flat_map(|param| &param.sizes).filter(|size| **size != DimSize::Own);
        let sizes: Vec<SizeFormula> = sizes.filter_map(|size| Some(normal.form(&declared(kernel, size)?))).collect();
        normal.sizes = sizes;
        normal
    }

    /// The normal form of a formula.
    pub(super) fn form(&self, formula: &SizeFormula) -> SizeFormula {
        let mut sum = Sum::default();
        self.add(formula, 1, &mut sum);
        sum.formula()
    }

    /// Adds a multiple of a formula to a sum.
    fn add(&self, formula: &SizeFormula, by: i64, sum: &mut Sum) {
        match formula {
            SizeFormula::Constant(number) => sum.number = sum.number.wrapping_add(number.wrapping_mul(by)),
            SizeFormula::Join(join @ (Join::Add | Join::Sub), a, b) => {
                self.add(a, by, sum);
                self.add(b, if *join == Join::Sub { by.wrapping_neg() } else { by }, sum);
            }
            SizeFormula::Join(Join::Mul, a, b) => match (self.form(a), self.form(b)) {
                (SizeFormula::Constant(number), other) | (other, SizeFormula::Constant(number)) => {
                    self.add(&other, by.wrapping_mul(number), sum);
                }
                (a, b) => sum.add(SizeFormula::join(Join::Mul, a, b), by),
            },
            SizeFormula::Join(join, a, b) => {
                let (a, b) = (self.form(a), self.form(b));
                match (join, a.as_constant(), b.as_constant()) {
                    (Join::Max, _, Some(0)) if self.is_size(&a) => self.add(&a, by, sum),
                    (Join::Max, Some(0), _) if self.is_size(&b) => self.add(&b, by, sum),
                    _ => match SizeFormula::join(*join, a, b) {
                        SizeFormula::Constant(number) => self.add(&SizeFormula::Constant(number), by, sum),
                        other => sum.add(other, by),
                    },
                }
            }
            SizeFormula::Wrapped(elem, inner) => sum.add(SizeFormula::Wrapped(*elem, Box::new(self.form(inner))), by),
            other => sum.add(other.clone(), by),
        }
    }

    /// Says whether some array has this as its size.
    fn is_size(&self, formula: &SizeFormula) -> bool {
        matches!(formula, SizeFormula::Size(..)) || self.sizes.contains(formula)
    }
}

/// A number, and formulas with the numbers that they are multiplied by.
#[derive(Default)]
struct Sum {
    number: i64,
    terms: Vec<(SizeFormula, i64)>,
}

impl Sum {
    fn add(&mut self, formula: SizeFormula, by: i64) {
        match self.terms.iter_mut().find(|(own, _)| *own == formula) {
            Some((_, own)) => *own = own.wrapping_add(by),
            None => self.terms.push((formula, by)),
        }
    }

    fn formula(mut self) -> SizeFormula {
        self.terms.retain(|(_, by)| *by != 0);
        self.terms.sort_by_key(|(formula, _)| formula.written(&|number| number.to_string()));
        let terms = self
            .terms
            .into_iter()
            .map(|(formula, by)| SizeFormula::join(Join::Mul, formula, SizeFormula::Constant(by)));
        let sum = terms.reduce(|a, b| SizeFormula::Join(Join::Add, Box::new(a), Box::new(b)));
        match sum {
            Some(sum) if self.number == 0 => sum,
            Some(sum) => SizeFormula::Join(Join::Add, Box::new(sum), Box::new(SizeFormula::Constant(self.number))),
            None => SizeFormula::Constant(self.number),
        }
    }
}
