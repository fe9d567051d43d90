//! Forms: what an integer is, as a polynomial whose unknowns are the lane loop's iteration and values that are the same
//! in all lanes.
//!
//! A form is exact: as a mathematical integer, the value *is* the polynomial. Quotients are unknowns too, as
//! `floor(form / constant)`, and are kept in one shape, so that `i - 4 * (i / 4)` and `i % 4` are equal forms and the
//! address of `a[i / 8, i % 8]` in rows of eight is plainly `i`.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::sync::Arc;

use smallvec::SmallVec;

use ir::entities::Value;
use ir::program::{DimSize, Kernel, SizeOperator};

/// A form with more terms than this is not worth having.
const MAX_TERMS: usize = 24;

/// The limit on the number of unknowns that are multiplied in one term.
const MAX_DEGREE: usize = 4;

/// The limit on the nesting of quotients.
const MAX_NESTING: usize = 4;

/// An unknown of a form.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FormAtom {
    /// The number of the lane loop's iteration, from 0: what differs from lane to lane.
    Iteration,
    /// The uniform part of an integer that the analysis does not look into. Its varying part, if any, is in other
    /// terms.
    Value(Value),
    /// The value in each lane of a varying integer that the analysis does not look into.
    Varying(Value),
    /// The size of a dimension of an array that says nothing about it.
    Size(Value, u8),
    /// The number of the group of lanes in a vectorised loop, which is named by its first lane's index.
    Group(Value),
    /// A quotient, rounded down.
    Floor(Arc<Floor>),
}

/// `floor(of / by)`, with `by` greater than 1.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Floor {
    /// The dividend, a form.
    pub of: Form,
    /// The divisor, a constant greater than 1.
    pub by: i128,
}

/// Unknowns that are multiplied, in order; none for the constant term.
type Monomial = SmallVec<[FormAtom; 2]>;

/// A polynomial over unknowns, with integer coefficients none of which is 0.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Form {
    /// The terms, in the order of their unknowns, each of which has one.
    terms: Vec<(Monomial, i128)>,
}

impl Form {
    /// The form that is a constant.
    pub fn constant(constant: i128) -> Form {
        Form::term(Monomial::new(), constant)
    }

    /// The form that is one unknown.
    pub fn atom(atom: FormAtom) -> Form {
        Form::term(std::iter::once(atom).collect(), 1)
    }

    /// The form of a uniform value that the analysis does not look into.
    pub fn value(value: Value) -> Form {
        Form::atom(FormAtom::Value(value))
    }

    /// The number of the lane loop's iteration.
    pub fn iteration() -> Form {
        Form::atom(FormAtom::Iteration)
    }

    fn term(monomial: Monomial, coefficient: i128) -> Form {
        Form { terms: if coefficient == 0 { Vec::new() } else { vec![(monomial, coefficient)] } }
    }

    /// The size of a dimension of an array parameter.
    pub fn size(array: Value, dim: u8, size: &DimSize) -> Option<Form> {
        Some(match size {
            DimSize::Own => Form::atom(FormAtom::Size(array, dim)),
            DimSize::Constant(size) => Form::constant((*size).into()),
            DimSize::Param(value) => Form::value(*value),
            DimSize::Arithmetic(operator, a, b) => {
                let (a, b) = (Form::size(array, dim, a)?, Form::size(array, dim, b)?);
                match operator {
                    SizeOperator::Add => a.add(&b)?,
                    SizeOperator::Sub => a.sub(&b)?,
                    SizeOperator::Mul => a.mul(&b)?,
                    SizeOperator::FloorDiv if b.as_constant().is_some_and(|by| by > 0) => a.floor(b.as_constant()?)?,
                    SizeOperator::Div | SizeOperator::FloorDiv | SizeOperator::Rem => {
                        Form::atom(FormAtom::Size(array, dim))
                    }
                }
            }
        })
    }

    /// The form of a varying integer that the analysis does not look into.
    pub fn varying(value: Value) -> Form {
        Form::atom(FormAtom::Varying(value))
    }

    /// The constant that it is.
    pub fn as_constant(&self) -> Option<i128> {
        match self.terms.as_slice() {
            [] => Some(0),
            [(monomial, constant)] if monomial.is_empty() => Some(*constant),
            _ => None,
        }
    }

    /// Says whether it is 0.
    pub fn is_zero(&self) -> bool {
        self.terms.is_empty()
    }

    fn bounded(self) -> Option<Form> {
        (self.terms.len() <= MAX_TERMS).then_some(self)
    }

    /// The sum; `None` where it would be too large to be worth having, as with all that follows.
    pub fn add(&self, other: &Form) -> Option<Form> {
        self.add_times(other, 1)
    }

    /// Returns the difference of two forms; `None` if it grows too large.
    pub fn sub(&self, other: &Form) -> Option<Form> {
        self.add_times(other, -1)
    }

    /// The sum of a form and so many times another one.
    pub(super) fn add_times(&self, other: &Form, times: i128) -> Option<Form> {
        let mut terms = Vec::with_capacity(self.terms.len() + other.terms.len());
        let (mut own, mut others) = (self.terms.iter().peekable(), other.terms.iter().peekable());
        while let Some((monomial, by)) = others.peek() {
            let order = own.peek().map_or(Ordering::Greater, |(own, _)| own.cmp(monomial));
            if order == Ordering::Less {
                terms.extend(own.next().cloned());
                continue;
            }
            let known = if order == Ordering::Equal { own.next() } else { None };
            let joined = known.map_or(0, |(_, known)| *known).checked_add(by.checked_mul(times)?)?;
            if joined != 0 {
                terms.push((monomial.clone(), joined));
            }
            others.next();
        }
        terms.extend(own.cloned());
        Form { terms }.bounded()
    }

    /// The form times a constant.
    pub fn scale(&self, by: i128) -> Option<Form> {
        if by == 0 {
            return Some(Form::default());
        }
        let scaled = self.terms.iter().map(|(monomial, c)| Some((monomial.clone(), c.checked_mul(by)?)));
        Some(Form { terms: scaled.collect::<Option<_>>()? })
    }

    /// Returns the product of two forms; `None` if it grows too large.
    pub fn mul(&self, other: &Form) -> Option<Form> {
        if let [(monomial, times)] = self.terms.as_slice()
            && monomial.is_empty()
        {
            return other.scale(*times);
        }
        if let [(monomial, times)] = other.terms.as_slice()
            && monomial.is_empty()
        {
            return self.scale(*times);
        }
        let mut product = Form::default();
        for (a, a_times) in &self.terms {
            for (b, b_times) in &other.terms {
                let mut monomial: Monomial = a.iter().chain(b).cloned().collect();
                if monomial.len() > MAX_DEGREE {
                    return None;
                }
                monomial.sort();
                product = product.add(&Form::term(monomial, a_times.checked_mul(*b_times)?))?;
            }
        }
        Some(product)
    }

    /// The quotient by a positive constant, if it leaves nothing.
    pub fn divide_exactly(&self, by: i128) -> Option<Form> {
        let divided = self.terms.iter().map(|(monomial, c)| (c % by == 0).then(|| (monomial.clone(), c / by)));
        Some(Form { terms: divided.collect::<Option<_>>()? })
    }

    /// The quotient by a positive constant, rounded down.
    pub fn floor(&self, by: i128) -> Option<Form> {
        if by <= 0 || self.nesting() >= MAX_NESTING {
            return None;
        }
        // Terms that `by` divides are taken out of the quotient.
        let mut whole = Form::default();
        let mut rest = Form::default();
        for (monomial, coefficient) in self.terms.iter().map(|(monomial, c)| (monomial, *c)) {
            let is_constant = monomial.is_empty();
            let (out, left) = match is_constant || coefficient % by == 0 {
                true => (coefficient.div_euclid(by), coefficient.rem_euclid(by)),
                false => (0, coefficient),
            };
            // Each term goes into one of the two, in its order, but for the constant.
            if out != 0 {
                whole.terms.push((monomial.clone(), out));
            }
            if left != 0 {
                rest.terms.push((monomial.clone(), left));
            }
        }
        let (rest, by) = rest.reduced(by)?;
        if by == 1 || rest.as_constant().is_some_and(|rest| (0..by).contains(&rest)) {
            return match by {
                1 => whole.add(&rest),
                _ => Some(whole),
            };
        }
        // A quotient of a quotient is one quotient.
        if let Some((inner, constant)) = rest.as_one_floor() {
            let joined = inner.of.add(&Form::constant(constant.checked_mul(inner.by)?))?;
            return whole.add(&joined.floor(inner.by.checked_mul(by)?)?);
        }
        whole.add(&Form::atom(FormAtom::Floor(Arc::new(Floor { of: rest, by }))))
    }

    /// The quotient in lowest terms: `floor((2 * i + 1) / 4)` is `floor(i / 2)`.
    fn reduced(self, by: i128) -> Option<(Form, i128)> {
        let varying = self.terms.iter().filter(|(monomial, _)| !monomial.is_empty());
        let common = varying.fold(by, |common, (_, c)| gcd(common, *c));
        let terms = self.terms.into_iter().map(|(monomial, c)| (monomial, c.div_euclid(common)));
        Some((Form { terms: terms.filter(|(_, c)| *c != 0).collect() }, by / common))
    }

    /// A quotient plus a constant.
    fn as_one_floor(&self) -> Option<(&Floor, i128)> {
        let constant = self.coefficient(&[]);
        let mut others = self.terms.iter().filter(|(monomial, _)| !monomial.is_empty());
        match (others.next(), others.next()) {
            (Some(&(ref monomial, 1)), None) => match monomial.as_slice() {
                [FormAtom::Floor(floor)] => Some((floor, constant)),
                _ => None,
            },
            _ => None,
        }
    }

    fn nesting(&self) -> usize {
        let inner = self.atoms().filter_map(|atom| match atom {
            FormAtom::Floor(floor) => Some(1 + floor.of.nesting()),
            _ => None,
        });
        inner.max().unwrap_or(0)
    }

    /// Returns the terms: the unknowns that are multiplied, none for the constant, and the coefficient of the product.
    pub fn terms(&self) -> impl Iterator<Item = (&[FormAtom], i128)> {
        self.terms.iter().map(|(monomial, coefficient)| (monomial.as_slice(), *coefficient))
    }

    fn atoms(&self) -> impl Iterator<Item = &FormAtom> {
        self.terms.iter().flat_map(|(monomial, _)| monomial)
    }

    /// Returns the coefficient of a product of unknowns, 0 if there is none.
    pub(super) fn coefficient(&self, atoms: &[FormAtom]) -> i128 {
        self.terms.iter().find(|(monomial, _)| monomial.as_slice() == atoms).map_or(0, |(_, coefficient)| *coefficient)
    }

    /// Calls `visit` for each value it is made of, those in quotients too.
    pub fn visit_values(&self, visit: &mut impl FnMut(Value)) {
        for atom in self.atoms() {
            match atom {
                FormAtom::Value(value)
                | FormAtom::Varying(value)
                | FormAtom::Size(value, _)
                | FormAtom::Group(value) => visit(*value),
                FormAtom::Floor(floor) => floor.of.visit_values(visit),
                FormAtom::Iteration => {}
            }
        }
    }

    /// The form without its constant term, and that.
    pub fn split_constant(&self) -> (Form, i128) {
        match self.terms.split_first() {
            // The term without unknowns comes first.
            Some(((monomial, constant), rest)) if monomial.is_empty() => (Form { terms: rest.to_vec() }, *constant),
            _ => (self.clone(), 0),
        }
    }

    /// Says whether it differs from lane to lane.
    pub fn varies(&self) -> bool {
        self.atoms().any(FormAtom::varies)
    }

    /// The terms that differ from lane to lane.
    pub fn varying_part(&self) -> Form {
        let varying = self.terms.iter().filter(|(monomial, _)| monomial.iter().any(FormAtom::varies));
        Form { terms: varying.map(|(monomial, c)| (monomial.clone(), *c)).collect() }
    }

    /// The terms that are the same in all lanes.
    pub fn uniform_part(&self) -> Form {
        let uniform = self.terms.iter().filter(|(monomial, _)| !monomial.iter().any(FormAtom::varies));
        Form { terms: uniform.map(|(monomial, c)| (monomial.clone(), *c)).collect() }
    }

    /// The form as a function of the iteration, if it is a sum of multiples of it and of quotients of it.
    pub fn steps(&self) -> Option<Steps> {
        let mut steps = Steps::default();
        for (monomial, coefficient) in self.terms.iter().map(|(monomial, c)| (monomial, *c)) {
            let mut varying = monomial.iter().filter(|atom| atom.varies());
            let Some(varies) = varying.next() else { continue };
            if varying.next().is_some() {
                return None;
            }
            let times = Form::term(monomial.iter().filter(|atom| !atom.varies()).cloned().collect(), coefficient);
            match varies {
                FormAtom::Iteration => steps.each = steps.each.add(&times)?,
                FormAtom::Floor(floor) => {
                    let of = floor.of.steps().filter(|of| of.floors.is_empty())?;
                    let stride = of.each.as_constant()?;
                    match steps.floors.iter_mut().find(|(known, _, _)| known == floor) {
                        Some((_, _, sum)) => *sum = sum.add(&times)?,
                        None => steps.floors.push((floor.clone(), stride, times)),
                    }
                }
                _ => return None,
            }
        }
        Some(steps)
    }

    /// Says whether it never falls from lane to lane, or else never grows, as far as its signs tell; for that, which unknowns are
    /// not negative.
    pub(super) fn grows(&self, is_natural: &impl Fn(&FormAtom) -> bool) -> Option<bool> {
        let mut grows = None;
        for (monomial, times) in self.terms.iter().map(|(monomial, c)| (monomial, *c)) {
            let varying: Vec<&FormAtom> = monomial.iter().filter(|atom| atom.varies()).collect();
            let upwards = match varying.as_slice() {
                [] => continue,
                [atom] => atom.grows(is_natural)?,
                // A product grows with all of its factors.
                atoms => {
                    atoms.iter().all(|atom| is_natural(atom) && atom.grows(is_natural) == Some(true)).then_some(true)?
                }
            };
            if !monomial.iter().all(|atom| atom.varies() || is_natural(atom)) {
                return None;
            }
            let term = upwards == (times > 0);
            if *grows.get_or_insert(term) != term {
                return None;
            }
        }
        grows
    }

    /// The form as text, with the values' names.
    pub fn display(&self, kernel: &Kernel) -> String {
        let mut text = String::new();
        let constant_last = self.terms.iter().filter(|(m, _)| !m.is_empty());
        for (monomial, coefficient) in constant_last.chain(self.terms.iter().filter(|(m, _)| m.is_empty())) {
            let coefficient = *coefficient;
            let sign = match (text.is_empty(), coefficient < 0) {
                (true, true) => "-",
                (true, false) => "",
                (false, true) => " - ",
                (false, false) => " + ",
            };
            text.push_str(sign);
            let mut factors: Vec<String> = monomial.iter().map(|atom| atom.display(kernel)).collect();
            if coefficient.abs() != 1 || factors.is_empty() {
                factors.insert(0, coefficient.abs().to_string());
            }
            text.push_str(&factors.join(" * "));
        }
        if text.is_empty() { "0".to_owned() } else { text }
    }

    /// The values that stand in it, outside of quotients and in them.
    pub fn values(&self) -> BTreeSet<Value> {
        let mut values = BTreeSet::new();
        self.visit_values(&mut |value| {
            values.insert(value);
        });
        values
    }
}

/// A form as a function of the iteration.
#[derive(Debug, Default)]
pub struct Steps {
    /// The step of each iteration, besides the quotients.
    pub each: Form,
    /// Quotients, what each iteration adds to what is divided, and how often each quotient is taken.
    pub floors: Vec<(Arc<Floor>, i128, Form)>,
}

impl FormAtom {
    /// Says whether it differs from lane to lane.
    pub fn varies(&self) -> bool {
        match self {
            FormAtom::Iteration | FormAtom::Varying(_) => true,
            FormAtom::Value(_) | FormAtom::Size(..) | FormAtom::Group(_) => false,
            FormAtom::Floor(floor) => floor.of.varies(),
        }
    }

    fn grows(&self, is_natural: &impl Fn(&FormAtom) -> bool) -> Option<bool> {
        match self {
            FormAtom::Iteration => Some(true),
            FormAtom::Floor(floor) => floor.of.grows(is_natural),
            FormAtom::Value(_) | FormAtom::Varying(_) | FormAtom::Size(..) | FormAtom::Group(_) => None,
        }
    }

    fn display(&self, kernel: &Kernel) -> String {
        match self {
            FormAtom::Iteration => "iteration".to_owned(),
            FormAtom::Value(value) | FormAtom::Varying(value) => display_value(kernel, *value),
            FormAtom::Size(value, dim) => format!("size({}, {dim})", display_value(kernel, *value)),
            FormAtom::Group(value) => format!("group({})", display_value(kernel, *value)),
            FormAtom::Floor(floor) => format!("({}) // {}", floor.of.display(kernel), floor.by),
        }
    }
}

/// The name of a value in messages.
fn display_value(kernel: &Kernel, value: Value) -> String {
    kernel.values[value].name.as_deref().map_or_else(|| value.to_string(), str::to_owned)
}

/// The greatest common divisor, positive unless both are 0.
pub fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a.abs() } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ir::entities::Entity;

    fn i() -> Form {
        Form::iteration()
    }

    fn n(constant: i128) -> Form {
        Form::constant(constant)
    }

    #[test]
    fn a_remainder_and_its_quotient_make_the_whole() {
        let quotient = i().floor(8).unwrap();
        let rest = i().sub(&quotient.scale(8).unwrap()).unwrap();
        assert_eq!(quotient.scale(8).unwrap().add(&rest).unwrap(), i());
    }

    #[test]
    fn quotients_have_one_shape() {
        let k = Form::value(Value::new(3));
        let four_k = k.scale(4).unwrap();
        assert_eq!(four_k.add(&n(7)).unwrap().floor(4).unwrap(), k.add(&n(1)).unwrap());
        let odd = i().scale(2).unwrap().add(&n(1)).unwrap();
        assert_eq!(odd.floor(4).unwrap(), i().floor(2).unwrap());
        let twice = i().floor(2).unwrap().add(&n(3)).unwrap().floor(3).unwrap();
        assert_eq!(twice, i().add(&n(6)).unwrap().floor(6).unwrap());
        assert_eq!(n(-7).floor(2).unwrap(), n(-4));
        assert_eq!(odd.floor(1).unwrap(), odd);
    }

    #[test]
    fn what_grows_too_large_is_given_up() {
        let mut sum = Form::default();
        for number in 0..MAX_TERMS {
            sum = sum.add(&Form::value(Value::new(number))).unwrap();
        }
        assert_eq!(sum.add(&Form::value(Value::new(MAX_TERMS))), None);
        assert_eq!(n(i128::MAX).add(&n(1)), None);
        let square = Form::value(Value::new(0)).mul(&Form::value(Value::new(1))).unwrap();
        assert_eq!(square.mul(&square).unwrap().mul(&i()), None);
    }
}
