//! Rows: lanes that each go along a row of their own, cell after cell in a loop inside, load 16 bytes of every row at once and
//! exchange them.
//!
//! ```text
//! let i = (base + lane_id)                            let i = (base + lane_id)
//! for k in range(0, n) with s = 0.0:                  let end = n -% n % 4
//!     yield s + gather(m, i, k)                       let s_1 = for k in range(0, end, 4) with s = 0.0:
//!                                                         … four cells of each row, from `k` on: a vector of each of their columns
//!                                                         yield (((s + x_0) + x_1) + x_2) + x_3
//!                                                     for k in range(end, n) with s = s_1:
//!                                                         yield s + gather(m, i, k)
//! ```
//!
//! A gather takes a load for each lane and each cell. Here a load has as many cells as fit into 16 bytes, registers are put together of such
//! parts, and two shuffles or fewer for each column exchange what stands in each part: that works alike in registers of all sizes.
//! The loop goes on iteration by iteration with the rest, as does a group of lanes under a mask, whose rows need not all be there.

#[cfg(test)]
mod tests;

use super::Context;
use crate::decision::{Decision, Said};
use crate::outcome::{self, AccessForm};
use crate::rounds::{self, Round};
use ir::builder::Builder;
use ir::codes::ReasonCode;
use ir::entities::{EntityVec, Op, Region, Value};
use ir::forest::LoopForest;
use ir::ops::Code;
use ir::program::{Attr, Def, Kernel, Values};
use ir::scalar::Scalar;
use ir::target::Target;
use ir::target::picks::cost_of_gather;
use ir::types::{CellType, Type};

/// The bytes of a part of a register within which cells are exchanged.
pub(crate) const PART: usize = 16;

/// The most lanes: each has the address of a row in a register of its own, or in memory.
const MOST_LANES: usize = 32;

/// The most ops of all iterations of a round.
const MOST_COPIES: usize = 256;

/// Loads rows by parts where lanes go along them; says whether there are any.
pub fn rows(kernel: &mut Kernel, context: &mut Context) -> bool {
    let target = context.options.target;
    if !target.joins_parts() {
        return false;
    }
    let forest = context.forest(kernel);
    let inner = forest.loops().iter().filter(|&&op| kernel.ops[op].code == Code::For);
    let mut plans: Vec<Plan> = inner.filter_map(|&op| Plan::of(kernel, &forest, target, op)).collect();
    // Of loops inside each other the inner one is what most of the time goes to.
    let ops: Vec<Op> = plans.iter().map(|plan| plan.op).collect();
    plans.retain(|plan| !ops.iter().any(|&inner| forest.encloses(plan.op, inner)));
    let changed = !plans.is_empty();
    let mut replaced: Vec<(Value, Value)> = Vec::new();
    for plan in plans {
        for row in &plan.rows {
            let because = vec![
                Said::from("each lane goes along a row of its own, so"),
                (PART as i128).into(),
                Said::from("bytes of all rows are loaded at once and exchanged in registers"),
            ];
            context.decide(Decision::taken(kernel.ops[row.gather].origin, ReasonCode::RowsInParts, because));
        }
        let n_before = kernel.ops.len();
        let made = plan.write(kernel, &mut replaced);
        // The loop itself goes on with the rest: its accesses are those of the rounds no more.
        kernel.walk_inside(plan.op, &mut |inner| context.outcomes.was_dropped(kernel, inner));
        plan.rows.iter().for_each(|row| context.outcomes.took_form(kernel, row.gather, AccessForm::Shuffled));
        context.outcomes.were_copied(kernel, n_before, &made);
        if made.contains(&plan.op) {
            kernel.mark_as_rest(&[plan.op]);
            kernel.walk_inside(plan.op, &mut |inner| {
                let form = outcome::plain_form(kernel.ops[inner].code);
                form.into_iter().for_each(|form| context.outcomes.took_form(kernel, inner, form));
            });
        }
        let ops = &mut kernel.regions[plan.home].ops;
        let place = ops.iter().position(|&other| other == plan.op).expect("the block lists the loop");
        ops.splice(place..=place, made);
    }
    let mut new = EntityVec::filled(kernel.values.len(), None);
    replaced.into_iter().for_each(|(old, value)| new[old] = Some(value));
    kernel.replace_uses(&new);
    changed
}

/// A loop inside of lanes that loads rows.
struct Plan {
    op: Op,
    /// The block that it stands in.
    home: Region,
    /// The iterations of a round: the cells of a part.
    times: usize,
    rows: Vec<Row>,
}

/// A gather along rows, one for each lane.
struct Row {
    gather: Op,
    view: Value,
    /// The subscripts but the last; what is a vector says which row is a lane's.
    leading: Values,
    /// What the loop's index is added to in the last subscript, if anything.
    start: Option<Value>,
    /// The mask, of a group that ends before its last lane.
    ends: Option<Ends>,
    lanes: usize,
}

/// A mask of the lanes below a bound, of which there is one at least.
#[derive(Clone, Copy)]
struct Ends {
    mask: Value,
    base: Value,
    bound: Value,
}

impl Plan {
    fn of(kernel: &Kernel, forest: &LoopForest, target: &Target, op: Op) -> Option<Plan> {
        let data = &kernel.ops[op];
        let control = kernel.control(op)?;
        let is_in_lanes = forest.around(op).any(|around| kernel.ops[around].code == Code::VectorFor);
        let step = kernel.as_const(data.operands[2]).and_then(Scalar::wide);
        let is_plain = control.reductions.is_empty() && control.marks.unroll.is_none() && kernel.n_ranges(op) == 1;
        if !is_in_lanes || !is_plain || step != Some(1) {
            return None;
        }
        let body = data.regions[0];
        let stored = ir::effects::written(kernel, body);
        // What an iteration may end with must not come behind the loads of those after it.
        let mut ends = false;
        kernel.walk(body, &mut |_, inner| ends |= matches!(kernel.ops[inner].code, Code::Assert | Code::While));
        let bound = |number: usize| kernel.as_const(data.operands[number]).and_then(Scalar::wide);
        if ends {
            return None;
        }
        let is_read_only = |root: Value| !stored.iter().any(|&stored| kernel.may_overlap(stored, root));
        let gathers = kernel.regions[body].ops.iter().filter(|&&op| kernel.ops[op].code == Code::Gather);
        let rows: Vec<Row> = gathers
            .filter_map(|&gather| Row::of(kernel, forest, op, gather))
            .filter(|row| is_read_only(row.view))
            .collect();
        // One size of elements decides how many iterations a round has.
        let bytes = rows.iter().map(|row| row.bytes(kernel)).min()?;
        let rows: Vec<Row> = rows.into_iter().filter(|row| row.bytes(kernel) == bytes).collect();
        let times = PART / bytes;
        if bound(0).zip(bound(1)).is_some_and(|(lo, hi)| hi - lo < times as i128) {
            return None;
        }
        let by_parts: u32 = rows.iter().filter_map(|row| cost_of_round(target, bytes, row.lanes)).sum();
        let gathered: u32 = rows.iter().map(|row| cost_of_gather(target, bytes, row.lanes as u16)).sum();
        let pays = by_parts < gathered * times as u32 && kernel.count_inside(op) * times <= MOST_COPIES;
        pays.then(|| Plan { op, home: forest.region_of(op), times, rows })
    }

    /// Writes the loop over rounds; gives the ops that stand for the loop, which itself goes on with the rest, if there may be any. Adds
    /// what stands for its results otherwise.
    fn write(&self, kernel: &mut Kernel, replaced: &mut Vec<(Value, Value)>) -> Vec<Op> {
        let round = Round { times: self.times as u16, step: 1 };
        let starts = |b: &mut Builder| -> Vec<Vec<Values>> { self.rows.iter().map(|row| row.starts(b)).collect() };
        let (mut made, results) = rounds::write(kernel, self.op, round, starts, |b, starts, index| {
            let columns = |(row, starts): (&Row, &Vec<Values>)| (row.gather, row.columns(b, starts, index, self.times));
            self.rows.iter().zip(&starts).map(columns).collect()
        });
        // The rest begins where the rounds end.
        let data = &kernel.ops[self.op];
        if kernel.as_const(data.operands[0]).is_some_and(|end| kernel.as_const(data.operands[1]) == Some(end)) {
            replaced.extend(data.results.iter().copied().zip(results));
            made.retain(|&op| op != self.op);
        }
        made
    }
}

impl Row {
    /// The rows that a gather in a loop goes along; nothing if it does otherwise.
    fn of(kernel: &Kernel, forest: &LoopForest, op: Op, gather: Op) -> Option<Row> {
        let data = &kernel.ops[gather];
        let (&view, subscripts) = data.operands.split_first()?;
        let Type::View { item: CellType::Elem(elem), rank, lanes: None } = kernel.ty(view) else { return None };
        let (subscripts, masks) = subscripts.split_at(usize::from(rank));
        let ends = match masks.first() {
            Some(&mask) => Some(Ends::of(kernel, forest, op, mask)?),
            None => None,
        };
        let lanes = usize::from(kernel.ty(data.results[0]).lanes()?);
        let fits = fits(elem.bytes(), lanes);
        // The cells of a part of another array need not lie side by side.
        if kernel.root(view) != view || !fits {
            return None;
        }
        let body = kernel.ops[op].regions[0];
        let is_fixed = |value: Value| match kernel.values[value].def {
            Def::Result(made, _) => !forest.encloses(op, made),
            Def::Arg(region, _) => region != body,
            _ => true,
        };
        let (&last, leading) = subscripts.split_last()?;
        let index = kernel.regions[body].args[0];
        let start = if last == index { None } else { Some(added_to(kernel, last, index)?) };
        let is_fixed = is_fixed(view) && leading.iter().chain(&start).all(|&value| is_fixed(value));
        is_fixed.then(|| Row { gather, view, leading: leading.into(), start, ends, lanes })
    }

    fn bytes(&self, kernel: &Kernel) -> usize {
        kernel.ty(kernel.ops[self.gather].results[0]).data_elem().expect("a load gives data").bytes()
    }

    /// The subscripts of each lane's row: all but the last one, then what the index is added to, if anything is.
    fn starts(&self, b: &mut Builder) -> Vec<Values> {
        let values: Values = self.leading.iter().copied().chain(self.start).collect();
        // Lanes that are off go along the last row that there is.
        let last = self.ends.map(|Ends { base, bound, .. }| {
            let one = b.constant(Scalar::one(b.kernel().ty(base).data_elem().expect("an index is data")));
            let count = b.op(Code::WrappingSub, &[bound, base]);
            b.op(Code::WrappingSub, &[count, one])
        });
        (0..self.lanes)
            .map(|lane| {
                let lane = match last {
                    Some(last) if lane > 0 => {
                        let elem = b.kernel().ty(last).data_elem().expect("an index is data");
                        let lane = b.constant(Scalar::wrap(elem, lane as i128));
                        Lane::At(b.op(Code::Min, &[lane, last]))
                    }
                    _ => Lane::Number(lane),
                };
                values.iter().map(|&value| of_lane(b, value, lane)).collect()
            })
            .collect()
    }

    /// A vector of each of the next columns: of the cells of all rows with one index.
    fn columns(&self, b: &mut Builder, starts: &[Values], index: Value, times: usize) -> Vec<Value> {
        let origin = b.kernel().ops[self.gather].origin;
        let before = b.set_origin(origin);
        let parts: Vec<Value> = starts
            .iter()
            .map(|start| {
                let (leading, first) = start.split_at(self.leading.len());
                let at = first.first().map_or(index, |&first| further(b, first, index));
                let operands: Values = [self.view].iter().chain(leading).copied().chain([at]).collect();
                b.op_with(Code::VectorLoad, Attr::Lanes(times as u16), &operands)
            })
            .collect();
        // Parts of rows that lie as far apart as a part has cells stand in one register, so that exchanges within parts are enough.
        let mut registers: Vec<Value> = (0..times)
            .map(|first| match parts.len() / times {
                1 => parts[first],
                _ => {
                    let own: Vec<Value> = parts.iter().skip(first).step_by(times).copied().collect();
                    permute(b, &own, (0..self.lanes as u16).collect())
                }
            })
            .collect();
        // Neighbouring registers give and take cells, then neighbouring pairs of them give and take pairs of cells.
        let mut size = 1;
        while size < times {
            let mut next = Vec::with_capacity(times);
            for group in registers.chunks(2 * size) {
                for at in 0..size {
                    for half in 0..2 {
                        let pattern = exchanged(self.lanes, times, size, half);
                        next.push(permute(b, &[group[at], group[size + at]], pattern));
                    }
                }
            }
            registers = next;
            size *= 2;
        }
        if let Some(Ends { mask, .. }) = self.ends {
            let elem = b.kernel().ty(registers[0]).data_elem().expect("what is loaded is data");
            let none = b.constant(Scalar::zero(elem));
            registers.iter_mut().for_each(|register| *register = b.op(Code::Select, &[mask, *register, none]));
        }
        b.set_origin(before);
        registers
    }
}

/// Says whether so many lanes of cells of some size fill parts of registers.
fn fits(bytes: usize, lanes: usize) -> bool {
    matches!(bytes, 4 | 8) && lanes.is_multiple_of(PART / bytes) && lanes <= MOST_LANES
}

/// The cost of the columns of a round, of as many iterations as a part has cells: a load of each part, what puts registers together, and the
/// exchanges. Nothing where the target has no such parts, or lanes do not fill them.
pub(crate) fn cost_of_round(target: &Target, bytes: usize, lanes: usize) -> Option<u32> {
    if !target.joins_parts() || !fits(bytes, lanes) {
        return None;
    }
    let (costs, cells) = (&target.costs, PART / bytes);
    let registers = (lanes * bytes).div_ceil(usize::from(target.register_bytes)) as u32;
    let (lanes, steps, cells) = (lanes as u32, cells.ilog2(), cells as u32);
    let joined = (lanes - lanes.min(cells * registers)) * u32::from(costs.arithmetic);
    Some(lanes * u32::from(costs.load) + joined + cells * steps * registers * u32::from(costs.shuffle))
}

/// The lanes of the first or second half of each part of two registers, units of `size` cells of one beside those of the other.
fn exchanged(lanes: usize, cells: usize, size: usize, half: usize) -> Box<[u16]> {
    let lane = |at: usize| {
        let (part, within) = (at / cells, at % cells);
        let (unit, of_second) = (within / (2 * size), within / size % 2);
        part * cells + half * cells / 2 + unit * size + within % size + of_second * lanes
    };
    (0..lanes).map(|at| lane(at) as u16).collect()
}

fn permute(b: &mut Builder, operands: &[Value], pattern: Box<[u16]>) -> Value {
    b.op_with(Code::Permute, Attr::Pattern(pattern), operands)
}

/// What a loop's index is added to in a sum.
fn added_to(kernel: &Kernel, sum: Value, index: Value) -> Option<Value> {
    let data = &kernel.ops[kernel.def_op(sum)?];
    match (data.code, &data.operands[..]) {
        (Code::Add | Code::WrappingAdd | Code::Advance, &[a, b]) if b == index => Some(a),
        (Code::Add | Code::WrappingAdd, &[a, b]) if a == index => Some(b),
        _ => None,
    }
}

impl Ends {
    /// The lanes that a mask is of, around a loop in lanes: those whose index is below the end of the range.
    fn of(kernel: &Kernel, forest: &LoopForest, op: Op, mask: Value) -> Option<Ends> {
        let test = &kernel.ops[kernel.def_op(mask)?];
        let &[index, bound] = &test.operands[..] else { return None };
        let made = &kernel.ops[kernel.def_op(index)?];
        let around = forest.around(op).find(|&around| kernel.ops[around].code == Code::VectorFor)?;
        let (base, of_lanes) = (kernel.regions[kernel.ops[around].regions[0]].args[0], &kernel.ops[around].operands);
        let step = |value: Value| kernel.as_const(value).and_then(Scalar::wide);
        let is_of_range = test.code == Code::Lt
            && made.code == Code::LaneIndex
            && made.operands[0] == base
            && step(made.operands[1]) == Some(1)
            && step(of_lanes[2]) == Some(1)
            && bound == of_lanes[1];
        is_of_range.then_some(Ends { mask, base, bound })
    }
}

/// The number of a lane.
#[derive(Clone, Copy)]
enum Lane {
    Number(usize),
    At(Value),
}

/// A lane's own of a value, which may be all lanes'.
fn of_lane(b: &mut Builder, value: Value, lane: Lane) -> Value {
    let kernel = b.kernel();
    let ty = kernel.ty(value);
    if ty.lanes().is_none() {
        return value;
    }
    let made = kernel.def_op(value).map(|op| &kernel.ops[op]).filter(|data| data.code == Code::LaneIndex);
    let steps = made.and_then(|data| Some((data.operands[0], kernel.as_const(data.operands[1])?.wide()?)));
    let elem = ty.data_elem().expect("a subscript is data");
    match (steps, lane) {
        (Some((base, _)), Lane::Number(0)) => base,
        (Some((base, step)), Lane::Number(lane)) => {
            let distance = b.constant(Scalar::wrap(elem, step * lane as i128));
            further(b, base, distance)
        }
        (Some((base, 1)), Lane::At(lane)) if b.kernel().ty(lane) == b.kernel().ty(base) => further(b, base, lane),
        (_, Lane::Number(lane)) => {
            let lane = b.constant(Scalar::I32(lane as i32));
            b.op(Code::Extract, &[value, lane])
        }
        (_, Lane::At(lane)) => b.op(Code::Extract, &[value, lane]),
    }
}

/// The cell so many further on.
fn further(b: &mut Builder, start: Value, by: Value) -> Value {
    b.op(Code::Advance, &[start, by])
}
