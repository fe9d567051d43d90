//! What keeps a loop in order: values that it carries, or a cell that an iteration stores to and the next one loads, which can be a
//! carried value, too.
//!
//! ```text
//! for i in range(1, n):                    let first = if 1 < n: a[0] else: 0.0
//!     a[i] = a[i - 1] * 0.5 + b[i]         for i in range(1, n) with before = first:
//!                                              let next = before * 0.5 + b[i]
//!                                              a[i] = next
//!                                              yield next
//! ```
//!
//! Nothing else in the loop may store to the array, or to one that may overlap it, and each iteration does both. The cell that the
//! first iteration loads is loaded before the loop, if there is an iteration.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::choice::LaneChoice;
use facts::Facts;
use facts::access::address;
use facts::dependence::Kind;
use facts::loops::{Loop, Loops, Stores, is_early};
use ir::builder::Builder;
use ir::copy;
use ir::entities::{Op, Region, Value};
use ir::ops::{Code, Effect};
use ir::program::{Def, Kernel};
use ir::scalar::Scalar;
use ir::types::Type;

/// The way in which a loop hands on what keeps its iterations in order.
pub(crate) enum InOrderBy {
    /// By values that it carries, and nothing else.
    Values,
    /// By one cell, and perhaps by values.
    Cell(Cell),
    /// By more than that: several cells, or cells that cannot be carried as a value.
    More,
}

impl InOrderBy {
    /// The way of a loop whose iterations stay in order; `facts` are relative to it.
    pub(crate) fn of(kernel: &Kernel, found: &Loops, known: &Loop, facts: Option<&Facts>) -> InOrderBy {
        let mut way = InOrderBy::Values;
        let blocking = known.verdict.reasons.iter().filter(|reason| reason.blocks);
        for number in blocking.filter_map(|reason| reason.dependence) {
            let met = &found.dependences.list[number];
            way = match way {
                InOrderBy::Cell(cell) if cell.load == met.sink => InOrderBy::Cell(cell),
                InOrderBy::Values => {
                    let cell = facts.and_then(|facts| Cell::of(kernel, facts, known.op, met.source, met.sink));
                    cell.map_or(InOrderBy::More, InOrderBy::Cell)
                }
                _ => return InOrderBy::More,
            };
        }
        way
    }
}

/// The innermost loops that stay in order and that no loop around runs in lanes.
pub(crate) fn open_loops<'f>(
    kernel: &'f Kernel,
    found: &'f Loops,
    choice: &'f LaneChoice,
) -> impl Iterator<Item = &'f Loop> + 'f {
    let has_lanes = |op: Op| choice.takes(op) && found.of(op).is_some_and(|known| known.verdict.is_vector);
    found.list.iter().filter(move |known| {
        !known.verdict.is_vector
            && found.forest.loops_inside(known.op).is_empty()
            && kernel.ops[known.op].code == Code::For
            && !found.forest.around(known.op).any(has_lanes)
    })
}

/// The cells that each iteration of a loop stores to, whose lanes nothing keeps in order, and that the next one loads, if nothing else
/// does; `facts` are relative to it.
pub(crate) fn cells_handed_on(kernel: &Kernel, found: &Loops, known: &Loop, facts: Option<&Facts>) -> Vec<Cell> {
    let Some(facts) = facts else { return Vec::new() };
    let own = found
        .dependences
        .list
        .iter()
        .filter(|met| met.kind == Kind::Flow && met.carrier().is_some_and(|level| level.op == known.op));
    let mut cells: Vec<Cell> = own.filter_map(|met| Cell::of(kernel, facts, known.op, met.source, met.sink)).collect();
    cells.sort_by_key(|cell| cell.load);
    cells.dedup_by_key(|cell| cell.load);
    cells
}

/// A load of the cell that the iteration before stores to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cell {
    pub(crate) load: Op,
    store: Op,
}

impl Cell {
    /// The load and the store of a loop, given which may meet; `facts` are relative to the loop.
    pub(crate) fn of(kernel: &Kernel, facts: &Facts, op: Op, store: Op, load: Op) -> Option<Cell> {
        let data = &kernel.ops[op];
        let body = &kernel.regions[data.regions[0]];
        let is_plain = data.code == Code::For
            && kernel.for_loop(op).is_some_and(|control| control.reductions.is_empty())
            && kernel.ops[store].code == Code::Store
            && kernel.ops[load].code == Code::Load
            && [store, load].iter().all(|own| body.ops.contains(own));
        if !is_plain {
            return None;
        }
        kernel.as_const(data.operands[2])?;
        let by_iteration = facts.access(store)?.stride_in_bytes()?;
        let apart = address(kernel, facts, store)?.sub(&address(kernel, facts, load)?)?.as_constant()?;
        let root = kernel.root(kernel.ops[store].operands[0]);
        let same = root == kernel.root(kernel.ops[load].operands[0])
            && kernel.ty(kernel.ops[load].results[0]) == kernel.ty(*kernel.ops[store].operands.last()?);
        // Facts count iterations in the direction of the step.
        let is_before = by_iteration != 0 && apart == by_iteration;
        let mut n_stores = 0;
        kernel.walk_inside(op, &mut |inner| {
            let touches = |&value: &Value| kernel.ty(value).is_view() && kernel.may_overlap(kernel.root(value), root);
            let writes = kernel.effect(inner) == Effect::Writes && !kernel.ops[inner].code.is_control();
            n_stores += usize::from(writes && kernel.ops[inner].operands.iter().any(touches));
        });
        let cell = Cell { load, store };
        (same && is_before && n_stores == 1 && cell.address_ops(kernel, op).is_some()).then_some(cell)
    }

    /// The ops of the body that make the address of the load, in order; `None` if they cannot be done before the loop.
    fn address_ops(&self, kernel: &Kernel, op: Op) -> Option<Vec<Op>> {
        let body = &kernel.regions[kernel.ops[op].regions[0]];
        let own: FxHashSet<Op> = body.ops.iter().copied().collect();
        let stores = Stores::of(kernel, op);
        let mut wanted: FxHashSet<Op> = FxHashSet::default();
        let mut open: Vec<Value> = kernel.ops[self.load].operands.to_vec();
        while let Some(value) = open.pop() {
            match kernel.values[value].def {
                Def::Arg(region, number) if region == kernel.ops[op].regions[0] && number > 0 => return None,
                Def::Result(maker, _) if own.contains(&maker) && wanted.insert(maker) => {
                    if !is_early(kernel, &stores, maker) {
                        return None;
                    }
                    open.extend(kernel.inputs(maker));
                }
                _ => {}
            }
        }
        Some(body.ops.iter().copied().filter(|op| wanted.contains(op)).collect())
    }

    /// Lets the loop carry the value of the cell.
    pub(crate) fn apply(&self, kernel: &mut Kernel, op: Op, home: Region) {
        let Some(ops) = self.address_ops(kernel, op) else { return };
        let data = kernel.ops[op].clone();
        let body = data.regions[0];
        let loaded = kernel.ops[self.load].results[0];
        let ty = kernel.ty(loaded);
        let name = kernel.values[loaded].name.clone().or(Some("before".into()));
        let mut b = Builder::detached(std::mem::replace(kernel, Kernel::new("")));
        b.set_origin(b.kernel().ops[self.load].origin);
        let (lo, hi, step) = (data.operands[0], data.operands[1], data.operands[2]);
        let upwards = b.kernel().as_const(step).and_then(Scalar::wide).is_none_or(|step| step > 0);
        let runs = b.op(if upwards { Code::Lt } else { Code::Gt }, &[lo, hi]);
        b.open_if(runs);
        let index = b.kernel().regions[body].args[0];
        let mut copied: copy::Copied = FxHashMap::from_iter([(index, lo)]);
        let mut first = lo;
        for inner in ops.into_iter().chain([self.load]) {
            let inner = b.copy(inner, &mut copied);
            first = b.kernel().ops[inner].results[0];
        }
        b.next_block(&[first]);
        let nothing = b.constant(zero(ty));
        let start = b.close(&[nothing])[0];
        let (made, before) = b.detach();
        *kernel = made;
        let before = std::mem::take(&mut kernel.regions[before].ops);
        let ops = &mut kernel.regions[home].ops;
        let place = ops.iter().position(|&other| other == op).expect("the block lists the loop");
        ops.splice(place..place, before);
        // The loop carries one value more.
        let number = kernel.ops[op].results.len();
        let arg = kernel.add_arg(body, ty, name);
        let stored = *kernel.ops[self.store].operands.last().expect("a store has a value");
        let result = kernel.add_value(ty, Def::Result(op, number as u32), None);
        kernel.regions[body].ops.retain(|&inner| inner != self.load);
        let next = if stored == loaded { arg } else { stored };
        kernel.regions[body].yields.push(next);
        kernel.ops[op].operands.push(start);
        kernel.ops[op].results.push(result);
        let mut new: crate::Replacements = ir::entities::EntityVec::filled(kernel.values.len(), None);
        new[loaded] = Some(arg);
        kernel.replace_uses(&new);
    }
}

fn zero(ty: Type) -> Scalar {
    Scalar::zero(ty.data_elem().expect("a cell holds a number"))
}
