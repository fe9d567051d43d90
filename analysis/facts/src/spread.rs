//! Spreads: a form, lane by lane, where the number of lanes is known.
//!
//! The form of a subscript is split into what all lanes share, still a form, and what each lane adds, a plain number.
//! `2 * i + k` in four lanes shares `2 * base + k` and adds `[0, 2, 4, 6]`; `i / 2` shares `base / 2` and adds
//! `[0, 0, 1, 1]`, if it is known that `base` is even. Every way in which lanes may lie is then one case: numbers.

use super::form::{Floor, Form, FormAtom, gcd};

/// A form, lane by lane.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spread {
    /// The part that all lanes share.
    pub shared: Form,
    /// The part that each lane adds.
    pub each: Vec<i128>,
}

impl Spread {
    /// The spread of a form over so many lanes; `None` where what lanes add is not known as numbers.
    pub fn of(form: &Form, lanes: u16) -> Option<Spread> {
        let mut spread = Spread { shared: Form::default(), each: vec![0; lanes.into()] };
        for (atoms, coefficient) in form.terms() {
            let (varying, uniform): (Vec<&FormAtom>, Vec<&FormAtom>) = atoms.iter().partition(|atom| atom.varies());
            let times = uniform
                .iter()
                .try_fold(Form::constant(coefficient), |product, atom| product.mul(&Form::atom((*atom).clone())))?;
            let part = match varying.as_slice() {
                [] => Spread { shared: Form::constant(1), each: vec![0; lanes.into()] },
                [FormAtom::Iteration] => Spread { shared: Form::default(), each: (0..lanes).map(i128::from).collect() },
                [FormAtom::Floor(floor)] => Spread::of_quotient(floor, lanes)?,
                _ => return None,
            };
            spread = spread.plus(&part.times(&times)?)?;
        }
        Some(spread)
    }

    /// A quotient: what lanes share may be carried into what they add only as far as its rest is known.
    fn of_quotient(floor: &Floor, lanes: u16) -> Option<Spread> {
        let of = Spread::of(&floor.of, lanes)?;
        // The shared part is a multiple of `known`, plus `rest`.
        let (varied, constant) = of.shared.split_constant();
        let known = varied.terms().fold(floor.by, |known, (_, coefficient)| gcd(known, coefficient));
        let rest = constant.rem_euclid(known);
        let whole = of.shared.sub(&Form::constant(rest))?;
        let carries: Vec<i128> = of.each.iter().map(|each| (rest + each).div_euclid(known)).collect();
        let first = *carries.first()?;
        if carries.iter().all(|carry| *carry == first) {
            let shared = whole.add(&Form::constant(first.checked_mul(known)?))?.floor(floor.by)?;
            return Some(Spread { shared, each: vec![0; lanes.into()] });
        }
        (known == floor.by).then(|| Some(Spread { shared: whole.floor(floor.by)?, each: carries }))?
    }

    fn times(&self, by: &Form) -> Option<Spread> {
        let shared = self.shared.mul(by)?;
        if self.each.iter().all(|each| *each == 0) {
            return Some(Spread { shared, each: self.each.clone() });
        }
        let by = by.as_constant()?;
        Some(Spread { shared, each: self.each.iter().map(|each| each.checked_mul(by)).collect::<Option<_>>()? })
    }

    fn plus(&self, other: &Spread) -> Option<Spread> {
        let each = self.each.iter().zip(&other.each).map(|(a, b)| a.checked_add(*b));
        Some(Spread { shared: self.shared.add(&other.shared)?, each: each.collect::<Option<_>>()? })
    }

    /// The distance that each lane of this one has from the same shared part as the other's, if that is a number.
    pub fn distance_to(&self, other: &Spread) -> Option<i128> {
        other.shared.sub(&self.shared)?.as_constant()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ir::entities::{Entity, Value};

    fn spread(form: Option<Form>) -> Option<(Option<i128>, Vec<i128>)> {
        Spread::of(&form?, 4).map(|spread| (spread.shared.as_constant(), spread.each))
    }

    /// `4 * group + lane`: the index of a loop in groups of four.
    fn index() -> Form {
        Form::value(Value::new(0)).scale(4).unwrap().add(&Form::iteration()).unwrap()
    }

    #[test]
    fn what_lanes_add_is_numbers() {
        assert_eq!(spread(index().scale(-2)), Some((None, vec![0, -2, -4, -6])));
        assert_eq!(spread(index().floor(2)), Some((None, vec![0, 0, 1, 1])));
        let odd = index().add(&Form::constant(1)).unwrap();
        assert_eq!(spread(odd.floor(2)), Some((None, vec![0, 1, 1, 2])));
        let rest = |by: i128| index().sub(&index().floor(by)?.scale(by)?);
        assert_eq!(spread(rest(4)), Some((Some(0), vec![0, 1, 2, 3])));
        assert_eq!(spread(rest(2)), Some((Some(0), vec![0, 1, 0, 1])));
        // Four lanes lie in one half of eight, whichever that is.
        assert_eq!(spread(rest(8)), Some((None, vec![0, 1, 2, 3])));
    }

    #[test]
    fn what_depends_on_an_unknown_rest_is_not_known() {
        let k = Form::value(Value::new(1));
        assert_eq!(spread(index().add(&k).unwrap().floor(2)), None);
        assert_eq!(spread(index().floor(3)), None);
        assert_eq!(spread(Form::iteration().mul(&k)), None);
        let by_eights = index().floor(8).unwrap().mul(&k);
        assert_eq!(spread(by_eights), Some((None, vec![0, 0, 0, 0])));
    }
}
