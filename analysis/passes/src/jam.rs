//! Jam: several iterations of an outer loop go through the inner one together, where all of them change the same cells.
//!
//! ```text
//! for p in range(0, k):               for p in range(0, (k - (k % 4)), 4):
//!     for j in range(0, m):               for j in range(0, m):
//!         c[j] = c[j] + b[p, j]               c[j] = (((c[j] + b[p, j]) + b[p + 1, j]) + b[p + 2, j]) + b[p + 3, j]
//!                                     for p in range((k - (k % 4)), k):
//!                                         …
//! ```
//!
//! The cells that one iteration stores are loaded by the next one, so they are kept in registers in between, and stored
//! once. Each cell still gets the same values in the same order: nothing else touches the array, and no two inner
//! iterations touch the same cell. This is done if the inner loop takes the lanes, whose loads and stores it saves.

use super::Context;
use crate::decision::Decision;
use ir::builder::Builder;
use ir::codes::ReasonCode;
use ir::copy;
use ir::entities::{Op, Region, Value};
use ir::ops::{Code, Effect};
use ir::program::{Control, Def, Kernel, OpData};
use ir::scalar::Scalar;
use ir::target::Costs;

/// Takes iterations of loops together; says whether there are any.
pub fn jam(kernel: &mut Kernel, context: &mut Context) -> bool {
    if kernel.lanes.is_some() {
        return false;
    }
    let choice = context.choice(kernel);
    let found = context.loops(kernel);
    let costs = &context.options.target.costs;
    let mut plans = Vec::new();
    kernel.walk(kernel.body, &mut |_, op| {
        let plan = Plan::of(kernel, op, costs).filter(|plan| {
            choice.takes(plan.inner) && found.of(plan.inner).is_some_and(|known| known.verdict.is_vector)
        });
        plans.extend(plan);
    });
    for plan in &plans {
        let because = vec![plan.iterations.into(), "iterations load and store each cell once".into()];
        context.decide(Decision::taken(kernel.ops[plan.outer].origin, ReasonCode::KeptInRegisters, because));
        plan.apply(kernel, found.forest.region_of(plan.outer));
    }
    !plans.is_empty()
}

/// A loop of which several iterations go together.
struct Plan {
    outer: Op,
    inner: Op,
    /// The only load of the cells that are changed, and the only store.
    load: Op,
    store: Op,
    /// The iterations that go together.
    iterations: i128,
}

impl Plan {
    fn of(kernel: &Kernel, outer: Op, costs: &Costs) -> Option<Plan> {
        let data = &kernel.ops[outer];
        let number = |value: Value| kernel.as_const(value).and_then(Scalar::wide);
        if !is_plain_loop(kernel, outer) || number(data.operands[0]) != Some(0) {
            return None;
        }
        let body = data.regions[0];
        let (&inner, before) = kernel.regions[body].ops.split_last()?;
        let is_plain = |&op: &Op| !kernel.ops[op].code.is_control() && kernel.effect(op) < Effect::Writes;
        let bounds = &kernel.ops[inner].operands;
        if number(data.operands[2]) != Some(1) || !before.iter().all(is_plain) || !is_plain_loop(kernel, inner) {
            return None;
        }
        let inside = kernel.ops[inner].regions[0];
        let ops = &kernel.regions[inside].ops;
        let stores: Vec<Op> = ops.iter().copied().filter(|op| !is_plain(op)).collect();
        let [store] = stores[..] else { return None };
        let fixed = bounds.iter().all(|&bound| is_from_around(kernel, &[body], bound));
        if !fixed || ops.len() > costs.jammed_ops.into() || kernel.ops[store].code != Code::Store {
            return None;
        }
        let cell = cell(kernel, store);
        let array = kernel.root(cell[0]);
        let touches = |op: &Op| {
            let data = &kernel.ops[*op];
            data.operands
                .iter()
                .any(|&value| kernel.ty(value).is_view() && kernel.may_overlap(kernel.root(value), array))
        };
        let mut touching = before.iter().chain(ops).copied().filter(touches);
        let load = touching.next().filter(|&load| kernel.ops[load].code == Code::Load && ops.contains(&load))?;
        let alone = touching.next() == Some(store) && touching.next().is_none();
        let (&last, others) = cell.split_last()?;
        let own = last == kernel.regions[inside].args[0] && kernel.ops[load].operands[..] == *cell;
        let same = others.iter().all(|&value| is_from_around(kernel, &[body, inside], value));
        (alone && own && same).then_some(Plan { outer, inner, load, store, iterations: costs.jammed_iterations.into() })
    }

    /// Puts the loop over several iterations before the one that does the rest.
    fn apply(&self, kernel: &mut Kernel, home: Region) {
        let data = kernel.ops[self.outer].clone();
        let mut writer = Writer { b: Builder::detached(std::mem::replace(kernel, Kernel::new(""))), plan: self };
        writer.b.set_origin(data.origin);
        let [lo, hi] = [data.operands[0], data.operands[1]];
        let elem = writer.b.kernel().ty(hi).data_elem().expect("a bound is a number");
        let count = writer.b.constant(Scalar::wrap(elem, self.iterations));
        let rest = writer.b.op(Code::Rem, &[hi, count]);
        let end = writer.b.op(Code::Sub, &[hi, rest]);
        writer.together(&data, [lo, end, count]);
        let (rewritten, region) = writer.b.detach();
        *kernel = rewritten;
        kernel.ops[self.outer].operands[0] = end;
        let made = std::mem::take(&mut kernel.regions[region].ops);
        let ops = &mut kernel.regions[home].ops;
        let place = ops.iter().position(|&op| op == self.outer).expect("the block lists the loop");
        ops.splice(place..place, made);
        kernel.mark_as_rest(&[self.outer]);
    }
}

/// Says whether an op is a loop over a range that hands nothing on.
fn is_plain_loop(kernel: &Kernel, op: Op) -> bool {
    kernel.for_loop(op).is_some_and(|control| kernel.ops[op].results.is_empty() && control.reductions.is_empty())
}

/// Says whether a value is made outside of some blocks.
fn is_from_around(kernel: &Kernel, blocks: &[Region], value: Value) -> bool {
    blocks.iter().all(|&block| match kernel.values[value].def {
        Def::Arg(region, _) => region != block,
        Def::Result(op, _) => !kernel.regions[block].ops.contains(&op),
        _ => true,
    })
}

/// The view and the subscripts of a store.
fn cell(kernel: &Kernel, store: Op) -> &[Value] {
    let operands = &kernel.ops[store].operands;
    &operands[..operands.len() - 1]
}

struct Writer<'p> {
    b: Builder,
    plan: &'p Plan,
}

impl Writer<'_> {
    fn kernel(&self) -> &Kernel {
        self.b.kernel()
    }

    /// Opens a loop like another one, which it comes from; gives its index.
    fn open_like(&mut self, data: &OpData, range: [Value; 3]) -> Value {
        let index = self.kernel().regions[data.regions[0]].args[0];
        let name = self.kernel().values[index].name.as_deref().unwrap_or("i").to_owned();
        let outside = self.b.set_origin(data.origin);
        let index = self.b.open_for(&name, range, &[])[0];
        self.b.set_origin(outside);
        if let (Some(control), Some(old)) = (self.b.control_mut(), data.attr.as_control()) {
            *control = Control { ..old.clone() };
        }
        index
    }

    /// The loop over several iterations at a time.
    fn together(&mut self, data: &OpData, range: [Value; 3]) {
        let index = self.open_like(data, range);
        let body = self.kernel().regions[data.regions[0]].clone();
        let elem = self.kernel().ty(index).data_elem().expect("an index is a number");
        let mut iterations = Vec::new();
        for number in 0..self.plan.iterations {
            let number = self.b.constant(Scalar::wrap(elem, number));
            let own = if iterations.is_empty() { index } else { self.b.op(Code::Add, &[index, number]) };
            let mut copied = copy::Copied::from_iter([(body.args[0], own)]);
            body.ops.iter().filter(|&&op| op != self.plan.inner).for_each(|&op| {
                self.b.copy(op, &mut copied);
            });
            iterations.push(copied);
        }
        let inner = self.kernel().ops[self.plan.inner].clone();
        let inside = self.kernel().regions[inner.regions[0]].clone();
        let index = self.open_like(&inner, [inner.operands[0], inner.operands[1], inner.operands[2]]);
        let (load, store) = (self.plan.load, self.plan.store);
        let mut kept = None;
        let last = iterations.len() - 1;
        for (number, copied) in iterations.iter_mut().enumerate() {
            copied.insert(inside.args[0], index);
            for &op in &inside.ops {
                match kept {
                    Some(kept) if op == load => {
                        copied.insert(self.kernel().ops[load].results[0], kept);
                    }
                    _ if op == store && number < last => {}
                    _ => {
                        self.b.copy(op, copied);
                    }
                }
            }
            let stored = self.kernel().ops[store].operands.last().copied();
            kept = stored.map(|stored| copied.get(&stored).copied().unwrap_or(stored));
        }
        self.b.close(&[]);
        self.b.close(&[]);
    }
}
