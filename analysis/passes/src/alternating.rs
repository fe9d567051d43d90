//! Alternating values: what each iteration changes to its opposite, and the next one back, is known from the index.
//!
//! ```text
//! for i in range(0, n) with s = 1.0:              for i in range(0, n):
//!     out[i] = (s * a[i])                             let s = select(((i & 1) != 0), -1.0, 1.0)
//!     yield (-s)                                      out[i] = (s * a[i])
//! ```
//!
//! The sign of a series, a flag that is set in every second iteration, the number of one of two buffers are such values. Carried from
//! iteration to iteration they would keep the loop in order, so the change is made where that gives lanes. The bits are the same: an
//! opposite of an opposite is the number itself.

use super::Context;
use super::trial::{Change, Trial, keep_better};
use crate::Replacements;
use crate::decision::{Decision, Said};
use facts::loops::{Loop, Loops};
use ir::builder::Builder;
use ir::codes::ReasonCode;
use ir::entities::{EntityVec, Op, Region, Value};
use ir::ops::Code;
use ir::program::{Def, Kernel};
use ir::scalar::Scalar;
use ir::types::Elem;
use ir::uses::Uses;

/// Computes alternating values from the index, where that gives lanes; says whether there are any.
pub fn alternating(kernel: &mut Kernel, context: &mut Context) -> bool {
    if kernel.lanes.is_some() || !context.options.target.has_lanes() || !may_alternate(kernel) {
        return false;
    }
    let loops = context.loops(kernel);
    let uses = Uses::of(kernel);
    let found: Vec<Alternating> =
        loops.list.iter().filter_map(|known| Alternating::of(kernel, &loops, &uses, known)).collect();
    let mut decisions = Vec::new();
    let kept = keep_better(kernel, &found, context, |trial, change, _| {
        let has_lanes = change.has_lanes(trial);
        if has_lanes {
            decisions.push(change.decision(trial.before.kernel));
        }
        has_lanes
    });
    decisions.into_iter().for_each(|decision| context.decide(decision));
    kept.contains(&true)
}

/// Says whether a loop of the kernel carries anything that it changes to its opposite: most have none, and need no facts.
fn may_alternate(kernel: &Kernel) -> bool {
    let mut any = false;
    kernel.walk(kernel.body, &mut |_, op| {
        any |= kernel.ops[op].code == Code::For
            && (0..kernel.ops[op].results.len()).any(|number| change_of(kernel, op, number).is_some());
    });
    any
}

/// The op that makes the opposite of a carried value for the next iteration, by its number.
fn change_of(kernel: &Kernel, op: Op, number: usize) -> Option<Op> {
    let body = kernel.ops[op].regions[0];
    let data = &kernel.regions[body];
    let arg = *data.args.get(1 + number)?;
    let made = kernel.def_op(*data.yields.get(number)?).filter(|made| data.ops.contains(made))?;
    let (code, operands) = (kernel.ops[made].code, &kernel.ops[made].operands);
    let elem = kernel.ty(arg).data_elem()?;
    let is_opposite = match code {
        // The opposite of the least integer is an error.
        Code::Neg => elem.is_float(),
        Code::Not => true,
        Code::Xor => operands[0] != operands[1] && is_outside(kernel, body, operands[usize::from(operands[0] == arg)]),
        // A difference that overflows would be an error, also where no iteration computes it.
        Code::Sub | Code::WrappingSub => {
            return (elem.is_integer() && operands[1] == arg && is_small(kernel, op, number, operands[0]))
                .then_some(made);
        }
        _ => false,
    };
    (is_opposite && operands.contains(&arg)).then_some(made)
}

/// Says whether no difference of a number and what a loop begins with is an error: both are small.
fn is_small(kernel: &Kernel, op: Op, number: usize, from: Value) -> bool {
    let start = kernel.ops[op].operands[3 + number];
    let small =
        |value: Value| kernel.as_const(value).and_then(Scalar::wide).is_some_and(|number| (0..64).contains(&number));
    small(from)
        && small(start)
        && kernel.as_const(from).and_then(Scalar::wide) >= kernel.as_const(start).and_then(Scalar::wide)
}

/// Says whether a value is made outside of a block, and of those inside of it.
fn is_outside(kernel: &Kernel, body: Region, value: Value) -> bool {
    match kernel.values[value].def {
        Def::Const(_) | Def::Param(_) => true,
        Def::Arg(region, _) => region != body,
        Def::Result(made, _) => !kernel.regions[body].ops.contains(&made),
    }
}

/// A value that a loop carries, and changes to its opposite.
struct Alternating {
    op: Op,
    home: Region,
    number: usize,
    /// The step of the loop, a power of two, down or up.
    step: i128,
    /// The value behind the loop is used.
    is_used: bool,
}

impl Alternating {
    fn of(kernel: &Kernel, loops: &Loops, uses: &Uses, known: &Loop) -> Option<Alternating> {
        let op = known.op;
        let data = &kernel.ops[op];
        let control = kernel.for_loop(op).filter(|control| control.reductions.is_empty())?;
        let step = kernel.as_const(data.operands[2]).and_then(Scalar::wide)?;
        if control.marks.unroll.is_some() || step.unsigned_abs().count_ones() != 1 {
            return None;
        }
        let number = (0..data.results.len()).find(|&number| change_of(kernel, op, number).is_some())?;
        let is_used = !uses.users(data.results[number]).is_empty();
        // How many iterations there were is plain where one follows the other.
        let is_counted = !is_used || step.abs() == 1;
        is_counted.then(|| Alternating { op, home: loops.forest.region_of(op), number, step, is_used })
    }

    fn has_lanes(&self, trial: &Trial<'_>) -> bool {
        let (loops, choice) = (trial.after.loops(), trial.after.choice());
        let is_in_lanes = loops.of(self.op).is_some_and(|known| known.verdict.is_vector && !known.verdict.is_tested);
        is_in_lanes && choice.takes(self.op)
    }

    fn decision(&self, kernel: &Kernel) -> Decision {
        let arg = kernel.regions[kernel.ops[self.op].regions[0]].args[1 + self.number];
        let because = vec![
            Said::value(kernel, arg),
            "goes back and forth between two values, and is known from the index: so the loop has lanes".into(),
        ];
        Decision::taken(kernel.ops[self.op].origin, ReasonCode::Alternating, because)
    }
}

impl Change for Alternating {
    fn apply(&self, kernel: &mut Kernel) -> Vec<Op> {
        let Some(change) = change_of(kernel, self.op, self.number) else { return Vec::new() };
        let data = kernel.ops[self.op].clone();
        let body = data.regions[0];
        let (lo, hi, start) = (data.operands[0], data.operands[1], data.operands[3 + self.number]);
        let [index, arg] = [kernel.regions[body].args[0], kernel.regions[body].args[1 + self.number]];
        let name = kernel.values[arg].name.clone();
        let (code, operands) = (kernel.ops[change].code, kernel.ops[change].operands.clone());

        // Before the loop: the two values, and the one that is left behind it.
        let mut b = Builder::detached(std::mem::replace(kernel, Kernel::new("")));
        b.set_origin(data.origin);
        let with_start: Vec<Value> =
            operands.iter().map(|&operand| if operand == arg { start } else { operand }).collect();
        let other = b.op(code, &with_start);
        let left = self.is_used.then(|| {
            let runs = b.op(if self.step > 0 { Code::Lt } else { Code::Gt }, &[lo, hi]);
            let is_odd = is_odd(&mut b, (lo, hi), 1);
            let is_other = b.op(Code::And, &[runs, is_odd]);
            b.op(Code::Select, &[is_other, other, start])
        });
        let (made, before) = b.detach();
        *kernel = made;
        let before = std::mem::take(&mut kernel.regions[before].ops);
        let ops = &mut kernel.regions[self.home].ops;
        let place = ops.iter().position(|&op| op == self.op).expect("the block lists the loop");
        ops.splice(place..place, before);

        // In the loop: which of them it is.
        let mut b = Builder::detached(std::mem::replace(kernel, Kernel::new("")));
        b.set_origin(data.origin);
        let is_odd = is_odd(&mut b, (lo, index), self.step.abs());
        let value = b.op(Code::Select, &[is_odd, other, start]);
        let (made, inside) = b.detach();
        *kernel = made;
        let inside = std::mem::take(&mut kernel.regions[inside].ops);
        kernel.regions[body].ops.splice(0..0, inside);
        kernel.values[value].name = name;

        // The loop hands on what it began with, and nobody asks for it.
        let mut new: Replacements = EntityVec::filled(kernel.values.len(), None);
        new[arg] = Some(value);
        new[data.results[self.number]] = left;
        kernel.replace_uses(&new);
        kernel.regions[body].yields[self.number] = arg;
        vec![self.op]
    }
}

/// Says whether the number of steps, which are a power of two, from one number to another one is odd.
fn is_odd(b: &mut Builder, (from, to): (Value, Value), step: i128) -> Value {
    let elem: Elem = b.kernel().ty(from).data_elem().expect("an index is an integer");
    let (bit, zero) = (b.constant(Scalar::wrap(elem, step)), b.constant(Scalar::zero(elem)));
    let is_zero = b.kernel().as_const(from).and_then(Scalar::wide) == Some(0);
    let apart = if is_zero { to } else { b.op(Code::WrappingSub, &[to, from]) };
    let bits = b.op(Code::And, &[apart, bit]);
    b.op(Code::Ne, &[bits, zero])
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::alternating;
    use crate::Context;
    use crate::pipeline::Options;

    fn check(text: &str, expect: Expect) {
        let mut kernel = ir::read(text, None).unwrap_or_else(|error| panic!("{error}")).remove(0);
        let options = Options::default();
        let mut context = Context::new(&options);
        let before = ir::canonical(&kernel);
        let changed = alternating(&mut kernel, &mut context);
        assert_eq!(ir::verify(&kernel), Ok(()));
        assert_eq!(changed, ir::canonical(&kernel) != before, "whether it changed anything");
        expect.assert_eq(&if changed { ir::print(&kernel).text } else { "unchanged\n".to_owned() });
    }

    #[test]
    fn a_sign_is_known_from_the_index() {
        let text = "\
kernel k(a: f32[n], o: f32[n], n, m):
    let s = for i in range(m, n) with s = 1.0:
        o[i] = (s * a[i])
        yield (-s)
";
        check(
            text,
            expect![[r#"
            kernel k(a: f32[n], o: f32[n], n, m):
                let _0 = neg(1.0)
                let s = for i in range(m, n) with s_1 = 1.0:
                    let s_2 = select((((i -% m) & 1) != 0), _0, 1.0)
                    o[i] = (s_2 * a[i])
                    let _1 = (-s_2)
                    yield s_1
        "#]],
        );
    }

    #[test]
    fn what_is_left_behind_the_loop_is_known_from_its_range() {
        let text = "\
kernel k(a: i32[n], o: i32[n], n) -> i32:
    let s, e = for i in range(0, n) with s = 1, e = true:
        o[i] = (a[i] + s)
        yield (3 - s), e
    return s
";
        check(
            text,
            expect![[r#"
                kernel k(a: i32[n], o: i32[n], n) -> i32:
                    let _0 = (3 - 1)
                    let s, e = for i in range(0, n) with s_1 = 1, e_1 = true:
                        let s_2 = select(((i & 1) != 0), _0, 1)
                        o[i] = (a[i] + s_2)
                        let _1 = (3 - s_2)
                        yield s_1, e_1
                    return select(((0 < n) & ((n & 1) != 0)), _0, 1)
            "#]],
        );
    }

    #[test]
    fn steps_of_powers_of_two_are_counted_by_their_bit() {
        let text = "\
kernel k(a: f32[n], o: f32[n], n):
    let s = for i in range((n - 1), 0, -4) with e = true:
        o[i] = select(e, a[i], 0.0)
        yield (~e)
";
        check(
            text,
            expect![[r#"
            kernel k(a: f32[n], o: f32[n], n):
                let _0 = (n - 1)
                let _1 = not(true)
                let s = for i in range(_0, 0, -4) with e = true:
                    let e_1 = select((((i -% _0) & 4) != 0), _1, true)
                    o[i] = select(e_1, a[i], 0.0)
                    let _2 = (~e_1)
                    yield e
        "#]],
        );
    }

    #[test]
    fn what_does_not_alternate_or_gives_no_lanes_stays() {
        for text in [
            // A step of three, a difference that may not fit, and a sum of floats in order.
            "\
kernel k(a: f32[n], o: f32[n], n):
    let s = for i in range(0, n, 3) with s = 1.0:
        o[i] = (s * a[i])
        yield (-s)
",
            "\
kernel k(a: i32[n], o: i32[n], n, x):
    let s = for i in range(0, n) with s = x:
        o[i] = (s + a[i])
        yield (1 - s)
",
            "\
kernel k(a: f32[n], n) -> f32:
    let t, s = for i in range(0, n) with t = 0.0, s = 1.0:
        yield (t + (s * a[i])), (-s)
    return t
",
        ] {
            check(text, expect!["unchanged\n"]);
        }
    }
}
