//! Integers: what an op computes, as a form and as a range.

use super::Finder;
use crate::access;
use crate::form::Form;
use crate::range::ValueRange;
use ir::entities::{Op, Value};
use ir::ops::Code;
use ir::types::Elem;

/// Powers of 2 above this one are not looked at.
const MAX_BITS: u32 = 62;

/// A mask with more runs of bits than this is no pattern.
const MAX_RUNS: usize = 3;

impl Finder<'_> {
    /// The form that an integer op computes, and whether it is exact or in its low bits only.
    pub(super) fn integer(&self, op: Op, value: Value) -> Option<(Form, bool)> {
        let data = &self.kernel.ops[op];
        let elem = self.elem(value).filter(|elem| elem.is_integer())?;
        if data.code == Code::Size {
            return Some((access::declared_size(self.kernel, data.operands[0], access::dim_of(&data.attr))?, true));
        }
        let exactly = |form: Form| (form, true);
        if !data.operands.iter().all(|&operand| self.is_integer(operand)) {
            // A choice is of integers, by a bool.
            return (data.code == Code::Select).then(|| self.selected(op).map(exactly)).flatten();
        }
        let at = |n: usize| data.operands[n];
        let low = |n: usize| self.fact(at(n)).form.as_ref().map(|form| (form, self.fact(at(n)).exact));
        let fits =
            || self.mathematical(op).is_some_and(|range| ValueRange::of(elem).is_some_and(|all| range.is_in(all)));
        // A sum may wrap unless its range shows that it does not, or overflow would be the program's error.
        let arithmetic = |join: fn(&Form, &Form) -> Option<Form>, may_fail: bool| {
            let ((a, a_exact), (b, b_exact)) = (low(0)?, low(1)?);
            Some((join(a, b)?, a_exact && b_exact && ((may_fail && elem.is_signed()) || fits())))
        };
        match data.code {
            Code::Add => arithmetic(Form::add, true),
            // An index does not wrap in any type.
            Code::Advance => {
                let ((a, a_exact), (b, b_exact)) = (low(0)?, low(1)?);
                Some((a.add(b)?, a_exact && b_exact))
            }
            Code::Sub => arithmetic(Form::sub, true),
            Code::Mul => arithmetic(Form::mul, true),
            Code::WrappingAdd => arithmetic(Form::add, false),
            Code::WrappingSub => arithmetic(Form::sub, false),
            Code::WrappingMul => arithmetic(Form::mul, false),
            // All bits inverted is what is left up to the number with all bits set.
            Code::Not => {
                let (form, exact) = low(0)?;
                let all = if elem.is_signed() { -1 } else { ValueRange::of(elem)?.hi };
                Some((Form::constant(all).sub(form)?, exact))
            }
            Code::Neg if elem.is_signed() => low(0).and_then(|(a, exact)| Some((a.scale(-1)?, exact))),
            Code::Abs => self.magnitude(at(0)).map(exactly),
            Code::Min | Code::Max => self.the_lesser(at(0), at(1), data.code == Code::Max).map(exactly),
            Code::Div | Code::FloorDiv | Code::Rem => self.divided(data.code, at(0), at(1)).map(exactly),
            Code::Shr => self.power(at(1)).and_then(|power| self.form(at(0))?.floor(power)).map(exactly),
            Code::Shl => {
                let (form, exact) = low(0)?;
                Some((form.scale(self.power(at(1))?)?, exact && fits()))
            }
            Code::And => self.and_form(at(0), at(1), elem).map(exactly),
            Code::Or => self.or_form(at(0), at(1), elem, 1).map(exactly),
            // A bit that both have becomes 0, so their common part is subtracted twice.
            Code::Xor => self.or_form(at(0), at(1), elem, 2).map(exactly),
            Code::Splat => low(0).map(|(form, exact)| (form.clone(), exact)),
            Code::Cast | Code::Index => {
                let (form, exact) = low(0)?;
                let fits =
                    self.lies(at(0)).is_some_and(|range| ValueRange::of(elem).is_some_and(|all| range.is_in(all)));
                let narrows = data.code == Code::Cast && elem.bytes() <= self.elem(at(0))?.bytes();
                ((exact && fits) || narrows).then(|| (form.clone(), exact && fits))
            }
            _ => None,
        }
    }

    /// A choice between integers that are equal, or whose condition is known.
    fn selected(&self, op: Op) -> Option<Form> {
        let [condition, a, b] = self.kernel.ops[op].operands.as_slice() else { return None };
        match self.known(*condition) {
            Some(0) => self.form(*b).cloned(),
            Some(_) => self.form(*a).cloned(),
            None => self.form(*a).filter(|form| Some(*form) == self.form(*b)).cloned(),
        }
    }

    /// The magnitude of an integer whose sign is known.
    fn magnitude(&self, value: Value) -> Option<Form> {
        let (form, range) = (self.form(value)?, self.lies(value)?);
        match () {
            _ if range.is_natural() => Some(form.clone()),
            _ if range.hi <= 0 => form.scale(-1),
            _ => None,
        }
    }

    /// The lesser (or greater) of two integers, if it is known which one that is.
    fn the_lesser(&self, a: Value, b: Value, greater: bool) -> Option<Form> {
        let above = self.difference(a, b).and_then(|above| self.bounds(&above));
        let (a_range, b_range) = (self.lies(a)?, self.lies(b)?);
        let a_is_less = match above {
            Some(above) if above.hi <= 0 => true,
            Some(above) if above.lo >= 0 => false,
            _ if a_range.hi <= b_range.lo => true,
            _ if b_range.hi <= a_range.lo => false,
            _ => return None,
        };
        let which = if a_is_less == greater { b } else { a };
        self.form(which).cloned()
    }

    /// A quotient, or what it leaves, where it can be said by rounding down.
    fn divided(&self, code: Code, a: Value, b: Value) -> Option<Form> {
        let form = self.form(a)?;
        if Some(form) == self.form(b) {
            return Some(Form::constant(i128::from(code != Code::Rem)));
        }
        let by = self.known(b).filter(|by| *by != 0)?;
        let (sign, by) = (by.signum(), by.abs());
        if code == Code::FloorDiv {
            return form.scale(sign)?.floor(by);
        }
        // The quotient is rounded towards 0, and which way that is depends on the sign of what is divided.
        let range = self.lies(a)?;
        let quotient = match () {
            _ if range.is_natural() => form.floor(by)?,
            _ if range.hi <= 0 => form.scale(-1)?.floor(by)?.scale(-1)?,
            _ => form.divide_exactly(by)?,
        };
        if code == Code::Rem { form.sub(&quotient.scale(by)?) } else { quotient.scale(sign) }
    }

    /// The power of 2 by which a shift by this value divides or multiplies.
    fn power(&self, by: Value) -> Option<i128> {
        let bits = self.known(by).filter(|by| (0..=i128::from(MAX_BITS)).contains(by))?;
        Some(1 << bits)
    }

    /// `x & mask`: the bits that the mask has, run by run. A run from bit `lo` to below bit `hi` is what the number leaves
    /// when it is rounded down to a multiple of `2^lo`, without what it leaves for `2^hi`.
    fn and_form(&self, a: Value, b: Value, elem: Elem) -> Option<Form> {
        if let Some(form) = self.form(a).filter(|form| Some(*form) == self.form(b)) {
            return Some(form.clone());
        }
        let (x, mask) = self.with_known(a, b)?;
        let fact = self.fact(x);
        let form = fact.form.as_ref()?;
        let multiple = |bits: u32| form.floor(1 << bits)?.scale(1 << bits);
        let mut masked = Form::default();
        for (lo, hi) in runs(mask, 8 * elem.bytes() as u32)? {
            masked = masked.add(&multiple(lo)?)?;
            match hi {
                Some(hi) => masked = masked.sub(&multiple(hi)?)?,
                // The low bits of the number are those of its form, even where it wrapped; not so all the others.
                None if !fact.exact => return None,
                None => {}
            }
        }
        Some(masked)
    }

    /// `x | y`, and `x ^ y`: the sum, without what both have, taken once or twice.
    fn or_form(&self, a: Value, b: Value, elem: Elem, times: i128) -> Option<Form> {
        let (x, y) = (self.form(a)?, self.form(b)?);
        let both =
            if self.are_apart(a, b) || self.are_apart(b, a) { Form::default() } else { self.and_form(a, b, elem)? };
        x.add(y)?.sub(&both.scale(times)?)
    }

    /// Says whether one integer has only bits below the lowest that the other one may have.
    fn are_apart(&self, high: Value, low: Value) -> bool {
        let bits = self.lies(low).filter(|range| range.is_natural()).map(|range| 128 - range.hi.leading_zeros());
        let multiple = |bits| self.form(high).and_then(|form| form.divide_exactly(1i128 << bits));
        bits.is_some_and(|bits| bits <= MAX_BITS && multiple(bits).is_some())
    }

    /// The range of what an op computes, before it wraps.
    fn mathematical(&self, op: Op) -> Option<ValueRange> {
        let operands = &self.kernel.ops[op].operands;
        ValueRange::apply(self.kernel.ops[op].code, self.range(*operands.first()?)?, self.range(*operands.get(1)?)?)
    }

    /// The range of an op's result.
    pub(super) fn range_of(&self, op: Op, value: Value) -> Option<ValueRange> {
        let elem = self.elem(value).filter(|elem| elem.is_integer())?;
        let all = ValueRange::of(elem)?;
        let data = &self.kernel.ops[op];
        let of = |n: usize| data.operands.get(n).and_then(|&value| self.range(value));
        let range = match data.code {
            Code::Select => of(1)?.join(of(2)?),
            Code::Cast | Code::Index | Code::Splat => of(0)?,
            Code::Abs => of(0)?.magnitude(),
            Code::Popcount | Code::Clz | Code::Ctz => ValueRange { lo: 0, hi: 64 },
            Code::Size => ValueRange { lo: 0, hi: all.hi },
            Code::Neg => of(0)?.negated(),
            Code::LaneId => ValueRange { lo: 0, hi: i128::from(u16::MAX) },
            // A remainder has the sign of the dividend, whose bounds may be tighter than its range.
            Code::Rem if self.lies(data.operands[0]).is_some_and(ValueRange::is_natural) => {
                ValueRange { lo: 0, hi: self.mathematical(op).unwrap_or(all).hi.max(0) }
            }
            Code::Add => {
                let range = self.mathematical(op).unwrap_or(all);
                self.weighted(op).map_or(range, |weighted| weighted.meet(range))
            }
            _ => self.mathematical(op).unwrap_or(all),
        };
        // A result outside of the type wraps, or is a run-time error, behind which nothing is computed.
        let may_fail =
            matches!(data.code, Code::Add | Code::Sub | Code::Mul | Code::Neg | Code::Div | Code::FloorDiv | Code::Abs);
        Some(match () {
            _ if range.is_in(all) => range,
            _ if may_fail && elem.is_signed() => range.meet(all),
            _ => all,
        })
    }

    /// The range of a sum of two products with weights that add up to a constant, of which none is negative: `x * w + y * (255 - w)` lies between
    /// 255 times the lesser and 255 times the greater of `x` and `y`.
    fn weighted(&self, op: Op) -> Option<ValueRange> {
        let factors = |n: usize| {
            let product = self.kernel.def_op(self.kernel.ops[op].operands[n])?;
            let data = &self.kernel.ops[product];
            (data.code == Code::Mul).then(|| [data.operands[0], data.operands[1]])
        };
        let (a, b) = (factors(0)?, factors(1)?);
        let is_weight = |value: Value| self.range(value).is_some_and(ValueRange::is_natural);
        let all_ways = [(a, b), ([a[1], a[0]], b), (a, [b[1], b[0]]), ([a[1], a[0]], [b[1], b[0]])];
        all_ways.into_iter().find_map(|([x, w], [y, v])| {
            let whole = self.form(w)?.add(self.form(v)?)?.as_constant()?;
            let both = self.range(x)?.join(self.range(y)?);
            let most = ValueRange { lo: whole, hi: whole };
            (is_weight(w) && is_weight(v)).then(|| ValueRange::apply(Code::Mul, both, most)).flatten()
        })
    }

    /// The difference of two integers.
    pub(super) fn difference(&self, a: Value, b: Value) -> Option<Form> {
        self.form(a)?.sub(self.form(b)?)
    }

    /// An integer that is known, whether it is written so or computed from what is; 1 and 0 stand for true and false.
    pub(super) fn known(&self, value: Value) -> Option<i128> {
        self.form(value).and_then(Form::as_constant)
    }

    /// Returns the unknown one of two integers, and the number that the other is.
    pub(super) fn with_known(&self, a: Value, b: Value) -> Option<(Value, i128)> {
        self.known(b).map(|known| (a, known)).or_else(|| Some((b, self.known(a)?)))
    }
}

/// The runs of bits that a mask has, each with its lowest bit and the first bit above it; none is above what goes on to the
/// highest bit there is.
fn runs(mask: i128, width: u32) -> Option<Vec<(u32, Option<u32>)>> {
    let mut runs = Vec::new();
    let mut at = 0;
    while at < width {
        let rest = mask >> at;
        if rest & 1 == 0 {
            at = if rest == 0 { width } else { at + rest.trailing_zeros() };
            continue;
        }
        let end = at + rest.trailing_ones();
        let top = (end < width).then_some(end);
        if runs.len() == MAX_RUNS || at > MAX_BITS || top.is_some_and(|top| top > MAX_BITS) {
            return None;
        }
        runs.push((at, top));
        at = end;
    }
    Some(runs)
}
