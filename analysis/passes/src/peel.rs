//! Peeling: the first iterations stand before a loop if only they have another index than the one of the iteration before.
//!
//! A number that the loop carries, and that each iteration replaces by its index, is the index less one in all iterations but the
//! first. Where cells are subscripted by it, lanes would gather them, though all but one lie side by side.
//!
//! ```text
//! for i in range(0, n) with last = n - 1:         if 0 < n:
//!     a[i] = b[i] + b[last]               =>          a[0] = b[0] + b[n - 1]
//!     yield i                                     for i in range(1, n):
//!                                                     a[i] = b[i] + b[i - 1]
//! ```
//!
//! It is so with all that is linear in the index, and with a number that grows or falls by a constant from iteration to iteration in its
//! place. Where a second number is what the first was in the iteration before, two iterations stand before the loop.
//!
//! The loop goes on to carry those numbers, for what is behind it, and no iteration uses them. What an iteration computes in their
//! place is what one before it has computed, so no sum overflows that did not there.

use rustc_hash::{FxHashMap, FxHashSet};

use super::trial::{self, Change, Trial};
use super::{Context, Replacements};
use crate::decision::{Decision, Said};
use facts::dependence::Amount;
use facts::loops::{Carried, CarriedRole, LaneForm, Loop, Loops};
use ir::builder::Builder;
use ir::codes::ReasonCode;
use ir::entities::{EntityVec, Op, Region, Value};
use ir::forest::LoopForest;
use ir::ops::Code;
use ir::program::{Attr, Def, Kernel};
use ir::scalar::Scalar;
use ir::types::Elem;
use ir::uses::{Use, Uses};

/// The most ops of a loop of which iterations are written down by themselves.
const MOST_OPS: usize = 120;

/// The most iterations that stand before a loop.
const MOST_PEELED: usize = 2;

/// The limit on the depth of an expression of the index.
const MAX_DEPTH: usize = 6;

/// Peels the first iterations of loops that use the index of the iteration before; says whether there are any.
pub fn peel(kernel: &mut Kernel, context: &mut Context) -> bool {
    if kernel.lanes.is_some() || !context.options.target.has_lanes() {
        return false;
    }
    let (loops, uses) = (context.loops(kernel), context.uses(kernel));
    let found: Vec<Peeling> = loops.list.iter().filter_map(|known| Peeling::of(kernel, &loops, &uses, known)).collect();
    let mut decisions = Vec::new();
    let kept = trial::keep_better(kernel, &found, context, |trial, peeling, _| {
        let decision = peeling.judge(trial);
        let is_kept = decision.is_some();
        decisions.extend(decision);
        is_kept
    });
    decisions.into_iter().for_each(|decision| context.decide(decision));
    kept.contains(&true)
}

/// A loop, and the numbers that it carries of which all but the first iterations know what they are.
struct Peeling {
    op: Op,
    home: Region,
    /// The loops around it.
    around: Vec<Op>,
    /// The number of iterations that stand before it.
    iterations: usize,
    /// The numbers of the carried values.
    wrapped: Vec<usize>,
    /// The step of each carried value that changes by a constant.
    steps: FxHashMap<Value, i128>,
}

impl Peeling {
    fn of(kernel: &Kernel, loops: &Loops, uses: &Uses, known: &Loop) -> Option<Peeling> {
        let (op, forest) = (known.op, &*loops.forest);
        let data = &kernel.ops[op];
        let may_be = |value: &Carried| {
            value.role == CarriedRole::Previous && kernel.ty(value.arg).data_elem().is_some_and(Elem::is_integer)
        };
        if data.code != Code::For || !known.carried.iter().any(may_be) || !forest.loops_inside(op).is_empty() {
            return None;
        }
        let control = kernel.for_loop(op)?;
        let step = kernel.as_const(data.operands[2]).and_then(Scalar::wide)?;
        // Where one iteration is followed by the next, the sum of index and step fits.
        let is_plain = step.abs() == 1 && control.reductions.is_empty() && control.marks.unroll.is_none();
        if !is_plain || kernel.count_inside(op) > MOST_OPS || runs_by_blocks(kernel, op) {
            return None;
        }
        let steps = known.carried.iter().filter_map(|value| match value.form? {
            LaneForm::Closed { step, falls, wraps: false } => {
                let by = match step {
                    Amount::Number(by) => by,
                    Amount::Value(by) => kernel.as_const(by)?.wide()?,
                };
                // The sum of the steps of all iterations that stand before the loop fits.
                let most = MOST_PEELED as i128 * by.abs();
                let elem = kernel.ty(value.arg).data_elem()?;
                let fits = Scalar::wrap(elem, most).wide() == Some(most);
                fits.then_some((value.arg, if falls { -by } else { by }))
            }
            _ => None,
        });
        let body = &kernel.regions[data.regions[0]];
        let steps = steps.chain([(body.args[0], step)]).collect();
        let (home, around) = (forest.region_of(op), forest.around(op).collect());
        let mut peeling = Peeling { op, home, around, iterations: 0, wrapped: Vec::new(), steps };
        for (number, value) in known.carried.iter().enumerate().filter(|(_, value)| may_be(value)) {
            let from = peeling.iterations_before(kernel, forest, body.yields[number], MAX_DEPTH);
            let Some(from) = from.map(|from| from + 1).filter(|&from| from <= MOST_PEELED) else { continue };
            if is_subscript(kernel, uses, value.arg) {
                peeling.wrapped.push(number);
                peeling.iterations = peeling.iterations.max(from);
            }
        }
        (!peeling.wrapped.is_empty()).then_some(peeling)
    }

    /// The first iteration from which on a value of the body is an expression of the index alone, if there is one: it is computed in each
    /// iteration, from the index and what no iteration changes.
    fn iterations_before(&self, kernel: &Kernel, forest: &LoopForest, value: Value, depth: usize) -> Option<usize> {
        if depth == 0 {
            return None;
        }
        let body = kernel.ops[self.op].regions[0];
        match kernel.values[value].def {
            Def::Arg(region, _) if region == body && self.steps.contains_key(&value) => Some(0),
            Def::Arg(region, number) if region == body => {
                let next = kernel.regions[body].yields[number as usize - 1];
                Some(1 + self.iterations_before(kernel, forest, next, depth - 1)?)
            }
            Def::Result(made, _) if forest.region_of(made) == body => {
                let data = &kernel.ops[made];
                let is_linear = match data.code {
                    Code::Add | Code::Sub | Code::WrappingAdd | Code::WrappingSub => true,
                    Code::Mul | Code::WrappingMul => {
                        data.operands.iter().any(|&operand| self.is_outside(kernel, forest, operand))
                    }
                    Code::Cast => kernel.ty(data.results[0]).data_elem().is_some_and(Elem::is_integer),
                    _ => false,
                };
                let operands = data.operands.iter();
                let mut before = operands.map(|&operand| self.iterations_before(kernel, forest, operand, depth - 1));
                let known = is_linear && kernel.ty(data.results[0]).data_elem().is_some_and(Elem::is_integer);
                before.try_fold(0, |most, one| Some(most.max(one?))).filter(|_| known)
            }
            _ => self.is_outside(kernel, forest, value).then_some(0),
        }
    }

    fn is_outside(&self, kernel: &Kernel, forest: &LoopForest, value: Value) -> bool {
        let is_around = |region: Region| {
            forest.owner(region).is_none_or(|owner| owner != self.op && !forest.encloses(self.op, owner))
        };
        match kernel.values[value].def {
            Def::Const(_) | Def::Param(_) => true,
            Def::Arg(region, _) => is_around(region),
            Def::Result(made, _) => is_around(forest.region_of(made)),
        }
    }

    /// The decision to peel the loop, if the rest of it has lanes that cost less.
    fn judge(&self, trial: &Trial<'_>) -> Option<Decision> {
        let (before, after) = (&trial.before, &trial.after);
        // Lanes along a loop around it need the loop as it is.
        if self.around.iter().any(|&around| before.choice().takes(around)) || !after.choice().takes(self.op) {
            return None;
        }
        let in_order = before.in_order(self.op);
        let whole = before.in_lanes(self.op).map_or(in_order, |lanes| lanes.min(in_order));
        let percent = trial::share(after.in_lanes(self.op)?, whole);
        let kernel = before.kernel;
        let args = &kernel.regions[kernel.ops[self.op].regions[0]].args;
        let first = Said::value(kernel, args[1 + self.wrapped[0]]);
        let words = match self.iterations {
            1 => {
                "is known from the index in all iterations but the first, which stands before the loop: the others cost"
            }
            _ => {
                "is known from the index in all iterations but the first two, which stand before the loop: the others cost"
            }
        };
        let because = vec![first, words.into(), percent.into(), "% of what the loop did".into()];
        let decision = Decision::taken(kernel.ops[self.op].origin, ReasonCode::IndexSetSplit, because);
        (percent <= trial.costs().split_share.into()).then_some(decision)
    }
}

/// Says whether a loop joins something by blocks of iterations, which begin with its first one.
fn runs_by_blocks(kernel: &Kernel, op: Op) -> bool {
    let mut any = false;
    kernel.walk_inside(op, &mut |inner| any |= kernel.ops[inner].code.as_running().is_some());
    any
}

/// Says whether an integer is a subscript of a cell, or part of the expression of one.
fn is_subscript(kernel: &Kernel, uses: &Uses, value: Value) -> bool {
    let mut seen = FxHashSet::default();
    let mut open = vec![value];
    while let Some(value) = open.pop().filter(|&value| seen.insert(value)) {
        for user in uses.users(value) {
            let Use::Operand(op, number) = *user else { continue };
            let data = &kernel.ops[op];
            match data.code {
                Code::Load | Code::Store => {
                    let rank = usize::from(kernel.ty(data.operands[0]).rank());
                    if (1..=rank).contains(&number) {
                        return true;
                    }
                }
                Code::Index => open.extend(&data.results),
                code if code.is_elementwise() => open.extend(&data.results),
                _ => {}
            }
        }
    }
    false
}

impl Change for Peeling {
    fn apply(&self, kernel: &mut Kernel) -> Vec<Op> {
        self.write_first(kernel);
        let body = kernel.ops[self.op].regions[0];
        let mut made = Vec::new();
        let mut new: Replacements = EntityVec::filled(kernel.values.len(), None);
        for &number in &self.wrapped {
            let arg = kernel.regions[body].args[1 + number];
            let next = kernel.regions[body].yields[number];
            new[arg] = Some(self.earlier(kernel, next, 1, &mut made));
        }
        kernel.regions[body].ops.splice(0..0, made);
        kernel.replace_uses(&new);
        vec![self.op]
    }
}

impl Peeling {
    /// Writes the first iterations before the loop, each behind a test that there is one, and lets the loop begin behind them.
    fn write_first(&self, kernel: &mut Kernel) {
        let data = kernel.ops[self.op].clone();
        let body = data.regions[0];
        let args = kernel.regions[body].args.clone();
        let mut b = Builder::detached(std::mem::replace(kernel, Kernel::new("")));
        b.set_origin(data.origin);
        let (mut at, hi, step) = (data.operands[0], data.operands[1], self.steps[&args[0]]);
        let mut carried = data.operands[3..].to_vec();
        let mut made = Vec::new();
        for _ in 0..self.iterations {
            let elem = b.kernel().ty(at).data_elem().expect("an index is a number");
            let after = b.kernel().as_const(at).and_then(Scalar::wide).map(|at| at + step);
            let after = after.filter(|&after| Scalar::wrap(elem, after).wide() == Some(after));
            let after = after.map(|after| b.constant(Scalar::wrap(elem, after)));
            let runs = b.op(if step > 0 { Code::Lt } else { Code::Gt }, &[at, hi]);
            b.open_if(runs);
            let mut copied = args.iter().copied().zip([at].into_iter().chain(carried.iter().copied())).collect();
            let mut yields = b.copy_block(body, &mut copied).to_vec();
            let mut others = carried.clone();
            if after.is_none() {
                yields.push(b.op(Code::Add, &[at, data.operands[2]]));
                others.push(at);
            }
            b.next_block(&yields);
            carried = b.close(&others).to_vec();
            at = after.or_else(|| carried.pop()).expect("an index is handed on");
            let block = b.block();
            made.extend(b.kernel().regions[block].ops.last().copied());
        }
        let (rewritten, region) = b.detach();
        *kernel = rewritten;
        kernel.ops[self.op].operands[0] = at;
        kernel.ops[self.op].operands[3..].copy_from_slice(&carried);
        let before = std::mem::take(&mut kernel.regions[region].ops);
        let ops = &mut kernel.regions[self.home].ops;
        let place = ops.iter().position(|&op| op == self.op).expect("the block lists the loop");
        ops.splice(place..place, before);
        kernel.mark_as_rest(&made);
    }

    /// The value that one of the body had so many iterations ago.
    fn earlier(&self, kernel: &mut Kernel, value: Value, ago: i128, made: &mut Vec<Op>) -> Value {
        let body = kernel.ops[self.op].regions[0];
        let origin = kernel.ops[self.op].origin;
        let op = match kernel.values[value].def {
            Def::Arg(region, number) if region == body => {
                let Some(&step) = self.steps.get(&value) else {
                    let next = kernel.regions[body].yields[number as usize - 1];
                    return self.earlier(kernel, next, ago + 1, made);
                };
                let ty = kernel.ty(value);
                let elem = ty.data_elem().expect("it is a number");
                let change = step * ago;
                let (code, by) = if change < 0 { (Code::Add, -change) } else { (Code::Sub, change) };
                let by = kernel.constant(Scalar::wrap(elem, by));
                kernel.add_op(code, Attr::None, [value, by].into_iter().collect(), &[ty], origin)
            }
            Def::Result(op, _) if kernel.regions[body].ops.contains(&op) => {
                let data = kernel.ops[op].clone();
                let operands = data.operands.iter().map(|&operand| self.earlier(kernel, operand, ago, made)).collect();
                kernel.add_op(data.code, data.attr, operands, &[kernel.ty(value)], data.origin)
            }
            _ => return value,
        };
        made.push(op);
        kernel.ops[op].results[0]
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::peel;
    use crate::Context;
    use crate::pipeline::Options;
    use ir::target;

    /// Checks a kernel after the pass, with its decisions.
    #[expect(clippy::needless_pass_by_value, reason = "an expectation is written where it is checked")]
    fn check(text: &str, expected: Expect) {
        let mut kernel = ir::read(text, None).unwrap_or_else(|error| panic!("{error}")).remove(0);
        let options = Options { target: target::find("avx2").expect("a target"), ..Options::default() };
        let mut context = Context::new(&options);
        let before = ir::canonical(&kernel);
        let changed = peel(&mut kernel, &mut context);
        assert_eq!(ir::verify(&kernel), Ok(()));
        assert_eq!(changed, ir::canonical(&kernel) != before, "whether it changed anything");
        let mut shown = ir::print(&kernel).text;
        for decision in context.take_decisions() {
            let because: Vec<String> = decision.because.iter().map(ToString::to_string).collect();
            shown += &format!("# {}: {}\n", decision.code, because.join(" "));
        }
        // Once is enough.
        assert!(!peel(&mut kernel, &mut Context::new(&options)), "{shown}");
        expected.assert_eq(&shown);
    }

    #[test]
    fn the_index_of_the_iteration_before() {
        check(
            "\
kernel k(a: f32[n], b: f32[n], n) -> i32:
    let last = for i in range(0, n) with last = (n - 1):
        a[i] = (b[i] + b[last])
        yield i
    return last
",
            expect![[r#"
                kernel k(a: f32[n], b: f32[n], n) -> i32:
                    let _0 = (n - 1)
                    let _1 = if (0 < n):
                        a[0] = (b[0] + b[_0])
                        yield 0
                    else:
                        yield _0
                    let last = for i in range(1, n) with last_1 = _1:
                        let _2 = (i - 1)
                        a[i] = (b[i] + b[_2])
                        yield i
                    return last
                # index-set-split: `last` is known from the index in all iterations but the first, which stands before the loop: the others cost 20 % of what the loop did
            "#]],
        );
    }

    #[test]
    fn the_index_of_two_iterations_before() {
        check(
            "\
kernel k(a: f32[n], b: f32[n], n):
    let last, second = for i in range(0, n) with last = (n - 1), second = (n - 2):
        a[i] = ((b[i] + b[last]) + b[second])
        yield i, last
",
            expect![[r#"
                kernel k(a: f32[n], b: f32[n], n):
                    let _0 = (n - 1)
                    let _1 = (n - 2)
                    let _2, _3 = if (0 < n):
                        a[0] = ((b[0] + b[_0]) + b[_1])
                        yield 0, _0
                    else:
                        yield _0, _1
                    let _4, _5 = if (1 < n):
                        a[1] = ((b[1] + b[_2]) + b[_3])
                        yield 1, _2
                    else:
                        yield _2, _3
                    let last, second = for i in range(2, n) with last_1 = _4, second_1 = _5:
                        let _6 = (i - 1)
                        let _7 = (i - 2)
                        a[i] = ((b[i] + b[_6]) + b[_7])
                        yield i, _6
                # index-set-split: `last` is known from the index in all iterations but the first two, which stand before the loop: the others cost 14 % of what the loop did
            "#]],
        );
    }

    #[test]
    fn where_the_range_begins_is_not_known() {
        check(
            "\
kernel k(a: f32[n], b: f32[m], n, m, first):
    let last, at = for i in range(n, first, -1) with last = 0, at = m:
        a[i] = (b[at] + b[last])
        yield ((2 * at) + m), (at - 3)
",
            expect![[r#"
                kernel k(a: f32[n], b: f32[m], n, m, first):
                    let _0, _1, _2 = if (n > first):
                        a[n] = (b[m] + b[0])
                        yield ((2 * m) + m), (m - 3), (n + -1)
                    else:
                        yield 0, m, n
                    let last, at = for i in range(_2, first, -1) with last_1 = _0, at_1 = _1:
                        let _3 = ((2 * (at_1 + 3)) + m)
                        a[i] = (b[at_1] + b[_3])
                        yield ((2 * at_1) + m), (at_1 - 3)
                # index-set-split: `last` is known from the index in all iterations but the first, which stands before the loop: the others cost 71 % of what the loop did
            "#]],
        );
    }

    #[test]
    fn cells_that_are_stored() {
        check(
            "\
kernel k(a: f32[n], b: f32[n], n):
    let last = for i in range(0, n) with last = (n - 1):
        a[last] = b[i]
        yield i
",
            expect![[r#"
                kernel k(a: f32[n], b: f32[n], n):
                    let _0 = (n - 1)
                    let _1 = if (0 < n):
                        a[_0] = b[0]
                        yield 0
                    else:
                        yield _0
                    let last = for i in range(1, n) with last_1 = _1:
                        a[(i - 1)] = b[i]
                        yield i
                # index-set-split: `last` is known from the index in all iterations but the first, which stands before the loop: the others cost 13 % of what the loop did
            "#]],
        );
    }

    #[test]
    fn loops_that_gain_nothing_stay_whole() {
        check(
            "\
kernel k(a: f32[n], b: f32[n], at: i32[n], n, x: i32):
    let last = for i in range(0, n) with last = (n - 1):
        a[i] = f32(last)
        yield i
    let found = for i_1 in range(0, n) with found = 0:
        a[i_1] = b[found]
        yield at[i_1]
    let held = for i_2 in range(0, n) with held = 0:
        a[i_2] = b[held]
        let next = if (b[i_2] > 0.0):
            yield i_2
        else:
            yield held
        yield next
    let p, q = for i_3 in range(0, n) with p = 0, q = 1:
        a[i_3] = (b[p] + b[q])
        yield q, p
    let third, second, last_2 = for i_4 in range(0, n) with third = 0, second = 0, last_2 = 0:
        a[i_4] = b[third]
        yield second, last_2, i_4
    let step, sum = for i_5 in range(0, n, 2) with step = 0, sum = 0.0:
        let s = (sum + b[step])
        a[i_5] = s
        yield i_5, s
",
            expect![[r#"
                kernel k(a: f32[n], b: f32[n], at: i32[n], n, x: i32):
                    let last = for i in range(0, n) with last_1 = (n - 1):
                        a[i] = f32(last_1)
                        yield i
                    let found = for i_1 in range(0, n) with found_1 = 0:
                        a[i_1] = b[found_1]
                        yield at[i_1]
                    let held = for i_2 in range(0, n) with held_1 = 0:
                        a[i_2] = b[held_1]
                        let next = if (b[i_2] > 0.0):
                            yield i_2
                        else:
                            yield held_1
                        yield next
                    let p, q = for i_3 in range(0, n) with p_1 = 0, q_1 = 1:
                        a[i_3] = (b[p_1] + b[q_1])
                        yield q_1, p_1
                    let third, second, last_2 = for i_4 in range(0, n) with third_1 = 0, second_1 = 0, last_2_1 = 0:
                        a[i_4] = b[third_1]
                        yield second_1, last_2_1, i_4
                    let step, sum = for i_5 in range(0, n, 2) with step_1 = 0, sum_1 = 0.0:
                        let s = (sum_1 + b[step_1])
                        a[i_5] = s
                        yield i_5, s
            "#]],
        );
    }
}
