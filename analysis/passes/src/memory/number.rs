//! Forms as scalars: the ops that compute what all lanes share.
//!
//! They compute in 64 bits and wrap, so they never add an error. Sums and products come out right wherever the whole
//! fits, whatever lies between; what is divided has to fit itself, which is asked before.

use std::cell::RefCell;
use std::rc::Rc;

use facts::form::{Form, FormAtom, gcd};
use facts::{Facts, Spread, ValueRange};
use ir::builder::Builder;
use ir::entities::{EntityVec, Value};
use ir::ops::Code;
use ir::program::{Attr, Kernel};
use ir::scalar::Scalar;
use ir::types::Elem;
use rustc_hash::FxHashMap;

const I64: ValueRange = ValueRange { lo: i64::MIN as i128, hi: i64::MAX as i128 };

/// The spreads of forms over numbers of lanes.
type Spreads = FxHashMap<(Form, u16), Option<Rc<Spread>>>;

/// What forms are in other terms, each worked out once: many accesses of a kernel lie at equal addresses.
pub(super) struct Forms<'f> {
    pub(super) facts: &'f Facts,
    spreads: RefCell<Spreads>,
    without_groups: RefCell<FxHashMap<Form, Option<Rc<Form>>>>,
    shared: RefCell<FxHashMap<Form, Rc<Form>>>,
}

impl<'f> Forms<'f> {
    pub(super) fn new(facts: &'f Facts) -> Forms<'f> {
        Forms { facts, spreads: RefCell::default(), without_groups: RefCell::default(), shared: RefCell::default() }
    }

    /// The spread of a form over so many lanes; `None` where what lanes add is not known as numbers.
    pub(super) fn spread(&self, form: Form, lanes: u16) -> Option<Rc<Spread>> {
        let mut known = self.spreads.borrow_mut();
        let spread = known.entry((form, lanes));
        spread.or_insert_with_key(|(form, lanes)| Spread::of(form, *lanes).map(Rc::new)).clone()
    }

    /// The one copy of a form that all who have an equal one share, so that these are compared at a glance.
    pub(super) fn shared(&self, form: Form) -> Rc<Form> {
        self.shared.borrow_mut().entry(form).or_insert_with_key(|form| Rc::new(form.clone())).clone()
    }

    /// Says whether a form that is the same in all lanes can be computed where these values are visible.
    pub(super) fn can_be_made(&self, kernel: &Kernel, visible: &EntityVec<Value, bool>, form: &Form) -> bool {
        self.without_groups(form).is_some_and(|form| is_made_of(kernel, self.facts, visible, &form))
    }

    /// A form as a scalar: the value itself where it is one.
    pub(super) fn make(&self, b: &mut Builder, form: &Form) -> Value {
        write(b, &self.without_groups(form).expect("a form that can be made"))
    }

    fn without_groups(&self, form: &Form) -> Option<Rc<Form>> {
        if let Some(known) = self.without_groups.borrow().get(form) {
            return known.clone();
        }
        let found = without_groups(self.facts, form).map(Rc::new);
        self.without_groups.borrow_mut().insert(form.clone(), found.clone());
        found
    }
}

/// Says whether a form that is the same in all lanes can be computed where these values are visible, for who asks once.
pub(crate) fn can_be_made(kernel: &Kernel, facts: &Facts, visible: &EntityVec<Value, bool>, form: &Form) -> bool {
    without_groups(facts, form).is_some_and(|form| is_made_of(kernel, facts, visible, &form))
}

fn is_made_of(kernel: &Kernel, facts: &Facts, visible: &EntityVec<Value, bool>, form: &Form) -> bool {
    let can_use = |value: Value| visible[value] && kernel.ty(value).lanes().is_none();
    let usable = |value: Value| {
        let is_wide = kernel.ty(value).data_elem() == Some(Elem::U64);
        can_use(value) && (!is_wide || facts.ranges[value].is_some_and(|range| range.is_in(I64)))
    };
    is_computable(facts, form, &usable, &can_use)
}

fn is_computable(
    facts: &Facts,
    form: &Form,
    usable: &impl Fn(Value) -> bool,
    can_use: &impl Fn(Value) -> bool,
) -> bool {
    form.terms().all(|(atoms, coefficient)| {
        i64::try_from(coefficient).is_ok()
            && atoms.iter().all(|atom| match atom {
                FormAtom::Value(value) => usable(*value),
                FormAtom::Size(array, _) => can_use(*array),
                FormAtom::Floor(floor) => {
                    let fits = range_of(facts, &floor.of).is_some_and(|range| range.is_in(I64));
                    fits && i64::try_from(floor.by).is_ok() && is_computable(facts, &floor.of, usable, can_use)
                }
                FormAtom::Iteration | FormAtom::Varying(_) | FormAtom::Group(_) => false,
            })
    })
}

/// The range of a form without groups.
pub(super) fn range_of(facts: &Facts, form: &Form) -> Option<ValueRange> {
    form.terms().try_fold(ValueRange { lo: 0, hi: 0 }, |sum, (atoms, coefficient)| {
        let times = ValueRange { lo: coefficient, hi: coefficient };
        let term = atoms.iter().try_fold(times, |product, atom| {
            let range = match atom {
                FormAtom::Value(value) => facts.ranges[*value]?,
                FormAtom::Size(..) => ValueRange { lo: 0, hi: I64.hi },
                FormAtom::Floor(floor) => {
                    let of = range_of(facts, &floor.of)?;
                    ValueRange { lo: of.lo.div_euclid(floor.by), hi: of.hi.div_euclid(floor.by) }
                }
                FormAtom::Iteration | FormAtom::Varying(_) | FormAtom::Group(_) => return None,
            };
            ValueRange::apply(Code::Mul, product, range)
        })?;
        ValueRange::apply(Code::Add, sum, term)
    })
}

/// The form with the number of the group computed from the first lane's index.
fn without_groups(facts: &Facts, form: &Form) -> Option<Form> {
    let mut result = Form::default();
    for (atoms, coefficient) in form.terms() {
        let mut product = Form::constant(1);
        let mut coefficient = coefficient;
        for atom in atoms {
            let factor = match atom {
                FormAtom::Group(base) => {
                    let (groups, left) = group_times(facts, *base, coefficient)?;
                    coefficient = left;
                    groups
                }
                FormAtom::Floor(floor) => without_groups(facts, &floor.of)?.floor(floor.by)?,
                other => Form::atom(other.clone()),
            };
            product = product.mul(&factor)?;
        }
        result = result.add(&product.scale(coefficient)?)?;
    }
    Some(result)
}

/// The number of the group times a constant, as a form and what is left to multiply that with.
///
/// The first lane's index is `first + by * group`, so the distance from `first` is `by` for each group.
fn group_times(facts: &Facts, base: Value, times: i128) -> Option<(Form, i128)> {
    let of_base = facts.values[base].exact_form()?;
    let is_group = |(atoms, _): &(&[FormAtom], i128)| *atoms == [FormAtom::Group(base)];
    let (_, by) = of_base.terms().find(is_group)?;
    let first = of_base.sub(&Form::atom(FormAtom::Group(base)).scale(by)?)?;
    let distance = Form::value(base).sub(&first)?.scale(by.signum())?;
    let common = gcd(by.abs(), times);
    Some((distance.floor(by.abs() / common)?, times / common))
}

/// A form as a scalar, for who asks once.
pub(crate) fn make(b: &mut Builder, facts: &Facts, form: &Form) -> Value {
    write(b, &without_groups(facts, form).expect("a form that can be made"))
}

fn write(b: &mut Builder, form: &Form) -> Value {
    let mut terms = form.terms();
    match (terms.next(), terms.next()) {
        (Some(([FormAtom::Value(value)], 1)), None) => *value,
        // A constant may be of any type; `i32` needs no suffix in the text.
        (None, None) => b.constant(Scalar::I32(0)),
        (Some(([], known)), None) if i32::try_from(known).is_ok() => b.constant(Scalar::wrap(Elem::I32, known)),
        _ => sum(b, form),
    }
}

fn sum(b: &mut Builder, form: &Form) -> Value {
    let (varied, constant) = form.split_constant();
    // Subtracted terms come behind those that they are subtracted from.
    let mut terms: Vec<(&[FormAtom], i128)> = varied.terms().collect();
    terms.sort_by_key(|(_, coefficient)| *coefficient < 0);
    let mut total = None;
    for (atoms, coefficient) in terms {
        let is_first = total.is_none();
        let mut term = product(b, atoms);
        let times = if is_first { coefficient } else { coefficient.abs() };
        if times != 1 {
            let times = number(b, times);
            term = b.op(Code::WrappingMul, &[term, times]);
        }
        total = Some(match total {
            None => term,
            Some(total) if coefficient < 0 => b.op(Code::WrappingSub, &[total, term]),
            Some(total) => b.op(Code::WrappingAdd, &[total, term]),
        });
    }
    match total {
        None => number(b, constant),
        Some(total) if constant == 0 => total,
        Some(total) => {
            let by = number(b, constant.abs());
            b.op(if constant < 0 { Code::WrappingSub } else { Code::WrappingAdd }, &[total, by])
        }
    }
}

fn number(b: &mut Builder, number: i128) -> Value {
    b.constant(Scalar::wrap(Elem::I64, number))
}

fn product(b: &mut Builder, atoms: &[FormAtom]) -> Value {
    let factors: Vec<Value> = atoms.iter().map(|atom| factor(b, atom)).collect();
    factors.into_iter().reduce(|a, c| b.op(Code::WrappingMul, &[a, c])).expect("a term with unknowns")
}

fn factor(b: &mut Builder, atom: &FormAtom) -> Value {
    match atom {
        FormAtom::Value(value) if b.kernel().ty(*value).data_elem() == Some(Elem::I64) => *value,
        FormAtom::Value(value) => b.op(Code::Index, &[*value]),
        FormAtom::Size(array, dim) => b.op_with(Code::Size, Attr::Number((*dim).into()), &[*array]),
        FormAtom::Floor(floor) => {
            let of = sum(b, &floor.of);
            let is_power = floor.by & (floor.by - 1) == 0;
            let by = number(b, if is_power { floor.by.trailing_zeros().into() } else { floor.by });
            b.op(if is_power { Code::Shr } else { Code::FloorDiv }, &[of, by])
        }
        other => panic!("{other:?} differs from lane to lane"),
    }
}
