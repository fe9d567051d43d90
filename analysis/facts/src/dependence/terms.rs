//! The constraints that each op stands for, in whole numbers.

use super::induction::Amount;
use super::nest::Level;
use super::scene::{Atom, Scene, Side, Term, range_of};
use crate::integers::{Formula, Linear, TooHard};
use ir::entities::{Op, Value};
use ir::ops::Code;
use ir::program::{Attr, Def};
use ir::scalar::Scalar;
use ir::types::Elem;

/// The limits on the depth of a condition, on the number of its parts, and on the comparisons in the formula that they make, in which a
/// part may stand several times; beyond them it may be true or false.
const MAX_CONDITION: usize = 40;
const MAX_TRUTHS: usize = 400;
const MAX_COMPARISONS: usize = 400;

impl Scene<'_, '_> {
    pub(super) fn translate(&mut self, value: Value, side: Side) -> Result<Term, TooHard> {
        let kernel = self.nest.kernel;
        let Some(elem) = kernel.ty(value).data_elem() else { return Ok(self.atom(value, side)) };
        if elem.is_float() {
            return Ok(self.atom(value, side));
        }
        match kernel.values[value].def {
            Def::Const(Scalar::Bool(known)) => Ok(Term::constant(known.into())),
            Def::Const(scalar) => Ok(Term::constant(scalar.wide().unwrap_or(0))),
            Def::Param(_) => Ok(self.atom(value, side)),
            Def::Arg(..) => self.argument(value, side),
            Def::Result(..) if elem == Elem::Bool => self.bool_as_int(value, side),
            Def::Result(op, number) => self.result(value, op, number as usize, elem, side),
        }
    }

    /// A bool as 0 or 1.
    fn bool_as_int(&mut self, value: Value, side: Side) -> Result<Term, TooHard> {
        let holds = self.truth(value, side)?;
        let fails = holds.negated()?;
        let mentioned: Vec<&Linear> = forms_of(&holds);
        let var = self.derived(&mentioned);
        let is = |number: i128| Ok(Formula::Zero(Linear::of(var, 1).add(-number)?));
        self.system.require(holds.and(is(1)?).or(fails.and(is(0)?)));
        Ok(Term { form: Linear::of(var, 1), low: Some(0), high: Some(1) })
    }

    fn result(&mut self, value: Value, op: Op, number: usize, elem: Elem, side: Side) -> Result<Term, TooHard> {
        let kernel = self.nest.kernel;
        let data = &kernel.ops[op];
        let wraps = !elem.is_signed();
        let operands = data.operands.clone();
        match data.code {
            Code::Add | Code::WrappingAdd => {
                let (a, b) = (self.int(operands[0], side)?, self.int(operands[1], side)?);
                self.fit(sum(&a, &b)?, elem, wraps || data.code == Code::WrappingAdd)
            }
            Code::Sub | Code::WrappingSub => {
                let (a, b) = (self.int(operands[0], side)?, self.int(operands[1], side)?);
                self.fit(sum(&a, &scaled(&b, -1)?)?, elem, wraps || data.code == Code::WrappingSub)
            }
            Code::Neg => {
                let a = self.int(operands[0], side)?;
                self.fit(scaled(&a, -1)?, elem, wraps)
            }
            Code::Mul | Code::WrappingMul => {
                let (a, b) = (self.int(operands[0], side)?, self.int(operands[1], side)?);
                let product = match (a.form.as_constant(), b.form.as_constant()) {
                    (Some(factor), _) => scaled(&b, factor)?,
                    (_, Some(factor)) => scaled(&a, factor)?,
                    _ => Term { form: self.product(&a.form, &b.form)?, low: None, high: None },
                };
                self.fit(product, elem, wraps || data.code == Code::WrappingMul)
            }
            Code::Shl => {
                let (a, by) = (self.int(operands[0], side)?, self.int(operands[1], side)?);
                match by.form.as_constant() {
                    Some(by @ 0..64) => self.fit(scaled(&a, 1 << by)?, elem, true),
                    _ => Ok(self.atom(value, side)),
                }
            }
            Code::Shr | Code::Div | Code::FloorDiv | Code::Rem | Code::And => {
                let (a, b) = (self.int(operands[0], side)?, self.int(operands[1], side)?);
                self.divided(value, data.code, &a, &b, elem, side)
            }
            Code::Not => {
                // -1 - a, among signed numbers; the greatest number less a, among unsigned ones.
                let a = self.int(operands[0], side)?;
                let all = if elem.is_signed() { -1 } else { elem.integer_range().map_or(0, |range| range.1) };
                sum(&Term::constant(all), &scaled(&a, -1)?)
            }
            Code::Index => self.int(operands[0], side),
            Code::Cast if kernel.ty(operands[0]).data_elem().is_some_and(|from| !from.is_float()) => {
                let a = self.int(operands[0], side)?;
                self.fit(a, elem, true)
            }
            Code::Min | Code::Max | Code::Abs => {
                let a = self.int(operands[0], side)?;
                let b = if data.code == Code::Abs { scaled(&a, -1)? } else { self.int(operands[1], side)? };
                let least = data.code == Code::Min;
                let first =
                    if least { Formula::at_most(&a.form, &b.form)? } else { Formula::at_most(&b.form, &a.form)? };
                let term = self.either(first, &a, &b)?;
                // The smaller of two is at most each of them, so that one bound is enough to know that it fits a type.
                Ok(match least {
                    true => Term { high: [a.high, b.high].into_iter().flatten().min(), ..term },
                    false => Term { low: [a.low, b.low].into_iter().flatten().max(), ..term },
                })
            }
            Code::Select => {
                let condition = self.truth(operands[0], side)?;
                let (a, b) = (self.int(operands[1], side)?, self.int(operands[2], side)?);
                self.either(condition, &a, &b)
            }
            Code::If => {
                let yields = |region: usize| kernel.regions[data.regions[region]].yields[number];
                let condition = self.truth(operands[0], side)?;
                let (a, b) = (self.int(yields(0), side)?, self.int(yields(1), side)?);
                self.either(condition, &a, &b)
            }
            Code::Size => self.size_of(value, op, side),
            _ => Ok(self.atom(value, side)),
        }
    }

    /// The result of an op whose exact value is known: the low bits of it where it wraps, itself where that would be an
    /// error of the program.
    fn fit(&mut self, exact: Term, elem: Elem, wraps: bool) -> Result<Term, TooHard> {
        let Some((low, high)) = range_of(elem) else { return Ok(exact) };
        if !wraps || exact.is_within(low, high) {
            return Ok(exact.within((low, high)));
        }
        let times = self.derived(&[&exact.form]);
        let form = exact.form.plus(&Linear::of(times, low - high - 1))?;
        self.system.require(Formula::NotNegative(form.add(-low)?));
        self.system.require(Formula::NotNegative(form.negative()?.add(high)?));
        Ok(Term { form, low: Some(low), high: Some(high) })
    }

    /// `a` if the condition holds, else `b`.
    fn either(&mut self, condition: Formula, a: &Term, b: &Term) -> Result<Term, TooHard> {
        if a.form == b.form {
            return Ok(a.clone());
        }
        let mut mentioned = forms_of(&condition);
        mentioned.extend([&a.form, &b.form]);
        let var = self.derived(&mentioned);
        let form = Linear::of(var, 1);
        let first = condition.clone().and(Formula::equal(&form, &a.form)?);
        let second = condition.negated()?.and(Formula::equal(&form, &b.form)?);
        self.system.require(first.or(second));
        let join = |a: Option<i128>, b: Option<i128>, least: bool| Some(if least { a?.min(b?) } else { a?.max(b?) });
        Ok(Term { form, low: join(a.low, b.low, true), high: join(a.high, b.high, false) })
    }

    /// Division, remainder, and the shifts and masks that are such.
    fn divided(
        &mut self,
        value: Value,
        code: Code,
        a: &Term,
        b: &Term,
        elem: Elem,
        side: Side,
    ) -> Result<Term, TooHard> {
        let atom = |scene: &mut Self| Ok(scene.atom(value, side));
        let Some(by) = b.form.as_constant() else {
            // A mask may be the first operand.
            return match a.form.as_constant() {
                Some(_) if code == Code::And => self.divided(value, code, b, a, elem, side),
                _ => atom(self),
            };
        };
        match code {
            Code::Shr if (0..64).contains(&by) => self.quotient(a, 1 << by, false),
            Code::FloorDiv if by > 0 => self.quotient(a, by, false),
            Code::Div | Code::Rem if by != 0 => {
                let quotient = self.quotient(a, by.abs(), true)?;
                match code {
                    Code::Div => self.fit(scaled(&quotient, by.signum())?, elem, false),
                    _ => {
                        let rest = a.form.combine(1, &quotient.form, -by.abs())?;
                        let most = by.abs() - 1;
                        let low = if a.low.is_some_and(|low| low >= 0) { 0 } else { -most };
                        Ok(Term { form: rest, low: Some(low), high: Some(most) })
                    }
                }
            }
            // `& 7` keeps the rest of a division by 8; `& ~7` takes it away.
            Code::And if by >= 0 && (by + 1).count_ones() == 1 => {
                let quotient = self.quotient(a, by + 1, false)?;
                Ok(Term { form: a.form.combine(1, &quotient.form, -(by + 1))?, low: Some(0), high: Some(by) })
            }
            Code::And => match cleared_bits(by, elem) {
                Some(step) => scaled(&self.quotient(a, step, false)?, step),
                None => atom(self),
            },
            _ => atom(self),
        }
    }

    /// `a` divided by a positive number, rounded down or towards 0.
    fn quotient(&mut self, a: &Term, by: i128, truncates: bool) -> Result<Term, TooHard> {
        if by == 1 {
            return Ok(a.clone());
        }
        if let Some(number) = a.form.as_constant() {
            return Ok(Term::constant(if truncates { number / by } else { number.div_euclid(by) }));
        }
        let var = self.derived(&[&a.form]);
        let form = Linear::of(var, 1);
        let rest = a.form.combine(1, &form, -by)?;
        let above = rest.clone();
        let below = rest.negative()?.add(by - 1)?;
        let floor = Formula::NotNegative(above).and(Formula::NotNegative(below));
        if !truncates || a.low.is_some_and(|low| low >= 0) {
            self.system.require(floor);
        } else {
            let ceiling = Formula::NotNegative(rest.negative()?).and(Formula::NotNegative(rest.add(by - 1)?));
            let negative = Formula::less(&a.form, &Linear::default())?;
            self.system.require(Formula::NotNegative(a.form.clone()).and(floor).or(negative.and(ceiling)));
        }
        let bound = |bound: Option<i128>| bound.map(|bound| if truncates { bound / by } else { bound.div_euclid(by) });
        Ok(Term { form, low: bound(a.low), high: bound(a.high) })
    }

    /// The size of a dimension of a view.
    fn size_of(&mut self, value: Value, op: Op, side: Side) -> Result<Term, TooHard> {
        let kernel = self.nest.kernel;
        let Attr::Number(dim) = kernel.ops[op].attr else { return Ok(self.atom(value, side)) };
        let mut dim = dim as usize;
        let mut view = kernel.ops[op].operands[0];
        while let Some(made) = kernel.def_op(view) {
            let data = &kernel.ops[made];
            let own = if let Attr::Number(own) = data.attr { own as usize } else { 0 };
            match data.code {
                Code::Row => dim += usize::from(own <= dim),
                Code::Slice if own == dim => return Ok(self.atom(value, side)),
                Code::Field
                    if let Some(&size) = kernel
                        .sizes_of_field(made)
                        .get(dim.wrapping_sub(kernel.ty(data.operands[0]).rank().into())) =>
                {
                    let form = Linear::constant(size.into());
                    return Ok(Term { form, low: Some(size.into()), high: Some(size.into()) });
                }
                Code::Slice | Code::Field => {}
                _ => break,
            }
            view = data.operands[0];
        }
        let form = self.size(view, dim, side)?;
        Ok(Term { form, low: Some(0), high: Some(i64::MAX.into()) })
    }

    // Loops.

    /// The argument of a loop: an index, what counts along with it, or what is not known.
    fn argument(&mut self, value: Value, side: Side) -> Result<Term, TooHard> {
        let kernel = self.nest.kernel;
        let Def::Arg(region, number) = kernel.values[value].def else { return Ok(self.atom(value, side)) };
        let Some(op) = self.nest.forest.owner(region) else { return Ok(self.atom(value, side)) };
        let n_ranges = kernel.n_ranges(op);
        let number = number as usize;
        if number < n_ranges {
            return self.index(Level { op, index: number }, side);
        }
        let Some(induction) = super::induction::of(self.nest, op, number - n_ranges) else {
            return self.carried(value, op, number - n_ranges, side);
        };
        let elem = kernel.ty(value).data_elem().unwrap_or(Elem::I32);
        let counter = Linear::of(self.counter(Level { op, index: 0 }, side), 1);
        let counter = if induction.falls { counter.negative()? } else { counter };
        let form = match induction.step {
            Amount::Value(step) => self.progression(induction.start, step, &counter, side)?,
            Amount::Number(by) => self.int(induction.start, side)?.form.plus(&counter.times(by)?)?,
        };
        let exact = Term { form, low: None, high: None };
        let wraps = !elem.is_signed() || induction.wraps;
        self.fit(exact, elem, wraps && !induction.is_guarded)
    }

    /// A value that a loop carries and changes in no known way: in the first iteration it is what it starts as, and a count of some
    /// iterations is no greater than the number of all.
    fn carried(&mut self, value: Value, op: Op, number: usize, side: Side) -> Result<Term, TooHard> {
        let kernel = self.nest.kernel;
        let term = self.atom(value, side);
        let start = kernel.ops[op].operands.get(3 * kernel.n_ranges(op) + number).copied();
        let is_cheap =
            |&start: &Value| kernel.as_const(start).is_some() || super::induction::is_arithmetic(self.nest, start);
        let start = start.filter(is_cheap);
        if let Some(start) = start {
            let counter = Linear::of(self.counter(Level { op, index: 0 }, side), 1);
            let start = self.int(start, side)?;
            let is_first = Formula::equal(&term.form, &start.form)?;
            self.system.require(is_first.or(Formula::NotNegative(counter.add(-1)?)));
            if let Some((least, most)) = super::induction::growth(kernel, op, number) {
                let changed = term.form.minus(&start.form)?;
                self.system.require(Formula::at_most(&counter.times(least)?, &changed)?);
                self.system.require(Formula::at_most(&changed, &counter.times(most)?)?);
            }
        }
        Ok(term)
    }

    /// Constraints in each iteration of a `while` whose test was computed by the iteration before.
    pub(super) fn while_facts(&mut self, level: Level, side: Side) -> Result<(), TooHard> {
        for (code, value, bound) in super::induction::guards(self.nest, level.op) {
            let (a, b) = (self.int(value, side)?, self.int(bound, side)?);
            let holds = compared(code, &a.form, &b.form)?;
            self.system.require(holds);
        }
        Ok(())
    }

    // Conditions.

    /// Returns the formula that holds where a bool is true.
    pub(super) fn truth(&mut self, value: Value, side: Side) -> Result<Formula, TooHard> {
        self.step()?;
        self.depth += 1;
        self.n_truths += 1;
        let truth = self.truth_inside(value, side);
        self.depth -= 1;
        match truth {
            Ok(truth) if truth.n_comparisons() > MAX_COMPARISONS => self.free_truth(value, side),
            truth => truth,
        }
    }

    fn truth_inside(&mut self, value: Value, side: Side) -> Result<Formula, TooHard> {
        let kernel = self.nest.kernel;
        let (op, number) = match kernel.values[value].def {
            Def::Const(Scalar::Bool(true)) => return Ok(Formula::TRUE),
            Def::Const(_) => return Ok(Formula::FALSE),
            Def::Result(op, number) if self.depth < MAX_CONDITION && self.n_truths < MAX_TRUTHS => {
                (op, number as usize)
            }
            _ => return self.free_truth(value, side),
        };
        let data = &kernel.ops[op];
        let operands = data.operands.clone();
        let elem = operands.first().and_then(|&operand| kernel.ty(operand).data_elem());
        match data.code {
            Code::Lt | Code::Le | Code::Gt | Code::Ge | Code::Eq | Code::Ne
                if elem.is_some_and(|elem| !elem.is_float()) =>
            {
                let (a, b) = (self.int(operands[0], side)?, self.int(operands[1], side)?);
                compared(data.code, &a.form, &b.form)
            }
            Code::And => Ok(self.truth(operands[0], side)?.and(self.truth(operands[1], side)?)),
            Code::Or => Ok(self.truth(operands[0], side)?.or(self.truth(operands[1], side)?)),
            Code::Xor => {
                let (a, b) = (self.truth(operands[0], side)?, self.truth(operands[1], side)?);
                Ok(a.clone().and(b.negated()?).or(a.negated()?.and(b)))
            }
            Code::Not => self.truth(operands[0], side)?.negated(),
            Code::Select => self.chosen(operands[0], operands[1], operands[2], side),
            Code::If => {
                let yields = |region: usize| kernel.regions[data.regions[region]].yields[number];
                self.chosen(operands[0], yields(0), yields(1), side)
            }
            Code::Cast if elem.is_some_and(|elem| !elem.is_float()) => {
                let a = self.int(operands[0], side)?;
                Formula::different(&a.form, &Linear::default())
            }
            _ => self.free_truth(value, side),
        }
    }

    fn chosen(&mut self, condition: Value, a: Value, b: Value, side: Side) -> Result<Formula, TooHard> {
        let condition = self.truth(condition, side)?;
        let (a, b) = (self.truth(a, side)?, self.truth(b, side)?);
        Ok(condition.clone().and(a).or(condition.negated()?.and(b)))
    }

    /// A bool that may be true or false.
    fn free_truth(&mut self, value: Value, side: Side) -> Result<Formula, TooHard> {
        let side = self.side_of(value, side);
        let var = self.var(Atom::Value(value, side));
        Ok(Formula::NotNegative(Linear::of(var, 1).add(-1)?))
    }
}

/// Returns the formula of a comparison of `a` and `b`.
fn compared(code: Code, a: &Linear, b: &Linear) -> Result<Formula, TooHard> {
    match code {
        Code::Lt => Formula::less(a, b),
        Code::Le => Formula::at_most(a, b),
        Code::Gt => Formula::less(b, a),
        Code::Ge => Formula::at_most(b, a),
        Code::Eq => Formula::equal(a, b),
        _ => Formula::different(a, b),
    }
}

fn sum(a: &Term, b: &Term) -> Result<Term, TooHard> {
    let bound = |a: Option<i128>, b: Option<i128>| a?.checked_add(b?);
    Ok(Term { form: a.form.plus(&b.form)?, low: bound(a.low, b.low), high: bound(a.high, b.high) })
}

fn scaled(a: &Term, factor: i128) -> Result<Term, TooHard> {
    let bound = |bound: Option<i128>| bound?.checked_mul(factor);
    let (low, high) = if factor < 0 { (bound(a.high), bound(a.low)) } else { (bound(a.low), bound(a.high)) };
    Ok(Term { form: a.form.times(factor)?, low, high })
}

/// Returns the power of two that divides what a mask leaves, if it clears the low bits alone.
fn cleared_bits(mask: i128, elem: Elem) -> Option<i128> {
    let (_, high) = elem.integer_range()?;
    // Among unsigned numbers the mask is written from above.
    let cleared = if mask < 0 {
        -1 - mask
    } else if elem.is_signed() {
        return None;
    } else {
        high - mask
    };
    ((cleared + 1).count_ones() == 1).then_some(cleared + 1)
}

/// The forms that a formula is about.
fn forms_of(formula: &Formula) -> Vec<&Linear> {
    match formula {
        Formula::Zero(form) | Formula::NotNegative(form) => vec![form],
        Formula::All(parts) | Formula::Any(parts) => parts.iter().flat_map(forms_of).collect(),
    }
}
