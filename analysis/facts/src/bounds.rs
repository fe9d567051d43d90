//! Bounds of forms, from the ranges of their unknowns and from facts that hold where they are computed.
//!
//! Facts are forms that are not negative: in `for i in range(n)`, `n - 1 - i` is one, and below `assert m > n`,
//! `m - n - 1` is. A form that is one of those plus something lies at least as high as that something, so ranges, which
//! know nothing of how two values relate, have to say less:
//!
//! ```text
//! n - i  =  (n - 1 - i) + 1  >=  1
//! ```

use super::form::{Form, FormAtom};
use super::range::ValueRange;

/// The number of facts that are tried, the latest first; those further away rarely help.
const MOST: usize = 8;

/// The number of facts that are combined for one bound.
const TOGETHER: usize = 2;

/// The facts at a place.
pub(super) struct Known<'k> {
    /// Forms that are not negative, the latest last.
    pub(super) not_negative: &'k [Form],
    /// The range of an unknown that is no quotient.
    pub(super) range: &'k dyn Fn(&FormAtom) -> Option<ValueRange>,
}

impl Known<'_> {
    /// Returns the bounds of a form; `None` where one of them is too large to be represented.
    pub(super) fn bounds(&self, form: &Form) -> Option<ValueRange> {
        let plain = self.interval(form)?;
        // Nothing that is known has a part in common with a constant.
        if form.as_constant().is_some() {
            return Some(plain);
        }
        let lo = self.improved(form, plain.lo, TOGETHER);
        let hi = form.scale(-1).map_or(plain.hi, |negated| -self.improved(&negated, -plain.hi, TOGETHER));
        ValueRange::new(lo, hi)
    }

    /// A lower bound of a form, if it is at least `lo` by ranges alone.
    fn improved(&self, form: &Form, lo: i128, together: usize) -> i128 {
        if together == 0 {
            return lo;
        }
        let rests = self.not_negative.iter().rev().take(MOST).filter_map(|known| without(form, known));
        let bounds = rests.filter_map(|rest| Some(self.improved(&rest, self.interval(&rest)?.lo, together - 1)));
        bounds.fold(lo, i128::max)
    }

    /// Returns the bounds of a form by the ranges of its unknowns alone.
    fn interval(&self, form: &Form) -> Option<ValueRange> {
        form.terms().try_fold(ValueRange { lo: 0, hi: 0 }, |sum, (atoms, times)| {
            let term = atoms.iter().try_fold(ValueRange { lo: times, hi: times }, |product, atom| {
                product.multiplied(self.range_of(atom)?)
            })?;
            sum.added(term)
        })
    }

    fn range_of(&self, atom: &FormAtom) -> Option<ValueRange> {
        match atom {
            FormAtom::Floor(floor) => {
                let of = self.interval(&floor.of)?;
                ValueRange::new(of.lo.div_euclid(floor.by), of.hi.div_euclid(floor.by))
            }
            atom => (self.range)(atom),
        }
    }
}

/// A form without as much of another one as takes one of its terms away.
fn without(form: &Form, other: &Form) -> Option<Form> {
    let share = |(atoms, times): (&[FormAtom], i128)| {
        let own = form.coefficient(atoms);
        (!atoms.is_empty() && own % times == 0 && own / times > 0).then(|| own / times)
    };
    form.add_times(other, -other.terms().find_map(share)?)
}
