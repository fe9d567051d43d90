//! Products of two atoms: what linear forms cannot say of them, said as far as that goes.
//!
//! A product is a variable of its own. Laws that hold for whole numbers are stated before a question is asked: two
//! products `x*y` and `x*z` differ by at least `x` where `y` and `z` differ, and so on. That decides most of what
//! programs ask (`a[i * n + j]` with `j < n`). A model need not respect the product, though. Then one factor after the
//! other is made a small number, with which the product is linear; a model of that is one of the program.

use super::scene::Scene;
use crate::integers::{Budget, Formula, Linear, Model, System, TooHard, Var};

/// A variable that is the product of two others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Product {
    pub(super) factors: (Var, Var),
    pub(super) result: Var,
}

/// Products that laws are stated for, and numbers that are tried for a factor.
const MAX_PRODUCTS: usize = 12;
const TRIED: [i128; 7] = [1, 2, 0, 3, -1, 4, 5];

/// Terms of forms that are multiplied out.
const MAX_TERMS: usize = 4;

impl Scene<'_, '_> {
    /// Returns the form of `a * b`.
    pub(super) fn product(&mut self, a: &Linear, b: &Linear) -> Result<Linear, TooHard> {
        match (a.as_constant(), b.as_constant()) {
            (Some(factor), _) => return b.times(factor),
            (_, Some(factor)) => return a.times(factor),
            _ if a.terms().len() > MAX_TERMS || b.terms().len() > MAX_TERMS => return Err(TooHard),
            _ => {}
        }
        let rest = a.rest().checked_mul(b.rest()).ok_or(TooHard)?;
        let mut sum = Linear::constant(rest);
        for &(x, p) in a.terms() {
            sum = sum.plus(&Linear::of(x, p.checked_mul(b.rest()).ok_or(TooHard)?))?;
            for &(y, q) in b.terms() {
                let result = self.product_of(x.min(y), x.max(y));
                sum = sum.plus(&Linear::of(result, p.checked_mul(q).ok_or(TooHard)?))?;
            }
        }
        for &(y, q) in b.terms() {
            sum = sum.plus(&Linear::of(y, q.checked_mul(a.rest()).ok_or(TooHard)?))?;
        }
        Ok(sum)
    }

    fn product_of(&mut self, x: Var, y: Var) -> Var {
        let factors = (x, y);
        if let Some(known) = self.products.iter().find(|product| product.factors == factors) {
            return known.result;
        }
        let result = self.derived(&[&Linear::of(x, 1), &Linear::of(y, 1)]);
        self.products.push(Product { factors, result });
        result
    }
}

/// States the laws of products, of the first few.
pub(super) fn state_laws(system: &mut System, products: &[Product]) -> Result<(), TooHard> {
    let products = &products[..products.len().min(MAX_PRODUCTS)];
    for (number, product) in products.iter().enumerate() {
        let (x, y) = product.factors;
        let result = Linear::of(product.result, 1);
        system.require(multiple(&Linear::of(x, 1), &Linear::of(y, 1), &result)?);
        for other in &products[..number] {
            if let Some((shared, a, b)) = shared_factor(product, other) {
                let apart = Linear::of(a, 1).minus(&Linear::of(b, 1))?;
                let difference = result.minus(&Linear::of(other.result, 1))?;
                system.require(multiple(&Linear::of(shared, 1), &apart, &difference)?);
            }
        }
    }
    Ok(())
}

/// The factor that two products share, and what they multiply it with.
fn shared_factor(a: &Product, b: &Product) -> Option<(Var, Var, Var)> {
    let ((a0, a1), (b0, b1)) = (a.factors, b.factors);
    match () {
        () if a0 == b0 => Some((a0, a1, b1)),
        () if a1 == b1 => Some((a1, a0, b0)),
        () if a0 == b1 => Some((a0, a1, b0)),
        () if a1 == b0 => Some((a1, a0, b1)),
        () => None,
    }
}

/// The laws of `p = x * d`: one of them is 0, or `p` is at least as large as either.
fn multiple(x: &Linear, d: &Linear, p: &Linear) -> Result<Formula, TooHard> {
    let zero = Linear::default();
    let one = Linear::constant(1);
    let mut cases = vec![
        Formula::Zero(d.clone()).and(Formula::Zero(p.clone())),
        Formula::Zero(x.clone()).and(Formula::Zero(p.clone())),
    ];
    for (x_sign, d_sign) in [(1, 1), (1, -1), (-1, 1), (-1, -1)] {
        // With both at least 1, (x - 1) * (d - 1) is not negative.
        let (x, d, p) = (x.times(x_sign)?, d.times(d_sign)?, p.times(x_sign * d_sign)?);
        let large = Formula::at_most(&x.plus(&d)?.minus(&one)?, &p)?;
        cases.push(Formula::All(vec![Formula::less(&zero, &x)?, Formula::less(&zero, &d)?, large]));
    }
    Ok(Formula::Any(cases))
}

/// The answer about models that respect products.
pub(super) enum Found {
    /// There is no model, of products or not.
    Nothing,
    /// A model that respects the products, and the system that it solves: factors may have become numbers in it.
    Exact(Model, System),
    /// Models exist, but none that respects the products was found.
    Inexact,
}

/// Looks for a model that respects the products.
pub(super) fn solve(system: &System, products: &[Product], budget: &mut Budget) -> Result<Found, TooHard> {
    let Some(model) = system.solve(budget)? else { return Ok(Found::Nothing) };
    match broken(&model, products)? {
        None => Ok(Found::Exact(model, system.clone())),
        Some(product) => Ok(instantiate(system, products, product, 3, budget)?
            .map_or(Found::Inexact, |(model, system)| Found::Exact(model, system))),
    }
}

/// A product that a model does not respect.
pub(super) fn broken(model: &Model, products: &[Product]) -> Result<Option<Product>, TooHard> {
    for product in products {
        let (x, y) = product.factors;
        let exact = model.number(x).checked_mul(model.number(y)).ok_or(TooHard)?;
        if exact != model.number(product.result) {
            return Ok(Some(*product));
        }
    }
    Ok(None)
}

/// Makes a factor of the product a small number, and of others until all are respected.
fn instantiate(
    system: &System,
    products: &[Product],
    product: Product,
    depth: usize,
    budget: &mut Budget,
) -> Result<Option<(Model, System)>, TooHard> {
    if depth == 0 {
        return Ok(None);
    }
    let (x, y) = product.factors;
    for factor in [x, y] {
        for number in TRIED {
            let mut fixed = system.clone();
            fixed.require(Formula::Zero(Linear::of(factor, 1).add(-number)?));
            for other in products.iter().filter(|other| other.factors.0 == factor || other.factors.1 == factor) {
                let with = if other.factors.0 == factor { other.factors.1 } else { other.factors.0 };
                let multiple = Linear::of(with, number);
                fixed.require(Formula::equal(&Linear::of(other.result, 1), &multiple)?);
            }
            let Some(model) = fixed.solve(budget)? else { continue };
            match broken(&model, products)? {
                None => return Ok(Some((model, fixed))),
                Some(next) => {
                    if let Some(found) = instantiate(&fixed, products, next, depth - 1, budget)? {
                        return Ok(Some(found));
                    }
                }
            }
        }
    }
    Ok(None)
}
