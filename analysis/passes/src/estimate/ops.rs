//! Ops behind all passes: the resource that each keeps busy, for how long, and what it counts as.

use ir::entities::{Op, Value};
use ir::ops::Code;
use ir::program::{Attr, Kernel};
use ir::scalar::Scalar;
use ir::target::Target;
use ir::target::picks::Picked;
use ir::types::Elem;
use report::lanes::{OpCounts, Resource};

use crate::cost::{AccessCosts, running_part};
use crate::pack::operations;

/// Receives the resource, the kind of work as a noun, and quarters of a cycle.
type Busy<'b> = &'b mut dyn FnMut(Resource, &'static str, f64);

/// Tells what an op keeps busy.
pub(super) fn busy(kernel: &Kernel, target: &Target, op: Op, to: Busy<'_>) {
    let data = &kernel.ops[op];
    let costs = &target.costs;
    let shuffle = f64::from(costs.shuffle);
    let lanes = lanes_of(kernel, op);
    let registers = f64::from(operations::registers(target, lanes, bytes_of(kernel, op)));
    if let Some(access) = Accessed::of(kernel, op) {
        return access.busy(target, data.code, to);
    }
    match data.code {
        code if is_free(code) => {}
        code if code.as_atomic().is_some() => {
            to(Resource::Stores, "atomic update", lanes as f64 * 4.0 * f64::from(costs.scatter_lane));
        }
        Code::Div | Code::FloorDiv | Code::Rem | Code::Sqrt | Code::Rsqrt | Code::Rcp => {
            division(kernel, target, op, to)
        }
        Code::Assert | Code::AssertSize | Code::AssertSome => to(Resource::Branches, "check", f64::from(costs.branch)),
        Code::Fma if !target.fma => {
            to(Resource::Arithmetic, noun(data.code), 24.0 * registers * f64::from(costs.arithmetic))
        }
        Code::Permute if is_of_whole_registers(kernel, target, op) => {}
        Code::Splat if kernel.as_const(data.operands[0]).is_some() => {}
        Code::Pack | Code::Permute | Code::Rotate | Code::Reverse | Code::Regroup | Code::Extract => {
            let n = match data.code {
                Code::Extract | Code::Rotate => 1,
                _ => data.operands.len().max(2) - 1,
            };
            to(Resource::Shuffles, noun(data.code), n as f64 * registers * shuffle);
        }
        Code::Shuffle | Code::Lookup => {
            let picked = Picked::of(kernel, target, op);
            let cost = picked.map(|picked| match picked.by_instruction(target) {
                Some(pick) if data.attr != Attr::InMemory => pick.cost(target),
                _ => picked.cost_in_memory(target),
            });
            to(Resource::Shuffles, noun(data.code), cost.map_or(registers * shuffle, f64::from));
        }
        Code::Splat => to(Resource::Shuffles, "broadcast", shuffle),
        Code::FoldAdd | Code::FoldMul | Code::FoldMin | Code::FoldMax => {
            // Each lane is taken out, and joined.
            to(Resource::Shuffles, "fold", lanes as f64 * shuffle);
            to(Resource::Arithmetic, "fold", lanes as f64 * f64::from(costs.arithmetic));
        }
        code if let Some(kind) = code.as_running() => {
            let each = running_part(kind) as f64 * f64::from(costs.arithmetic);
            to(Resource::Arithmetic, noun(code), registers * each);
        }
        code if code.asks_lanes() && lanes > 1 => {
            match data.results.first().and_then(|it| kernel.ty(*it).data_elem()) {
                // A mask is moved to a scalar register.
                Some(Elem::Bool) | None => to(Resource::Shuffles, "test of lanes", shuffle),
                _ => {
                    let rounds = f64::from(lanes.next_power_of_two().trailing_zeros());
                    to(Resource::Shuffles, "reduction", rounds * shuffle);
                    to(Resource::Arithmetic, "reduction", rounds * f64::from(costs.arithmetic));
                }
            }
        }
        code if code.is_elementwise() && lanes > 1 => {
            let cost = match steps_of_mask_or_bytes(kernel, op) {
                Some(steps) => steps * registers * f64::from(costs.arithmetic),
                None => f64::from(operations::vector_cost(kernel, op, lanes, target)),
            };
            match cost < f64::from(u16::MAX) {
                true => to(Resource::Arithmetic, noun(code), cost),
                // Lanes are done one by one.
                false => {
                    to(Resource::Arithmetic, noun(code), lanes as f64 * f64::from(costs.arithmetic));
                    to(Resource::Shuffles, noun(code), lanes as f64 * shuffle);
                }
            }
        }
        code if code.is_elementwise() => {
            // Arithmetic on indices is part of addresses.
            let scalar = operations::scalar_cost(kernel, op, target);
            to(Resource::Arithmetic, noun(code), f64::from(scalar));
        }
        Code::LaneIndex | Code::ActiveLanes | Code::Sad => {
            to(Resource::Arithmetic, noun(data.code), registers * f64::from(costs.arithmetic));
        }
        _ => {}
    }
}

/// Says whether a permutation leaves lanes where they are: whole registers are put behind each other, or are the first ones.
fn is_of_whole_registers(kernel: &Kernel, target: &Target, op: Op) -> bool {
    let data = &kernel.ops[op];
    let Attr::Pattern(pattern) = &data.attr else { return false };
    let fills_registers = |&value: &Value| {
        let ty = kernel.ty(value);
        let bytes = ty.data_elem().filter(|elem| *elem != Elem::Bool).map_or(0, Elem::bytes);
        let bytes = bytes * usize::from(ty.lanes().unwrap_or(0));
        bytes > 0 && bytes.is_multiple_of(usize::from(target.register_bytes.max(1)))
    };
    pattern.iter().enumerate().all(|(at, &from)| at == usize::from(from)) && data.operands.iter().all(fills_registers)
}

/// The number of plain vector ops that an op on masks or bytes takes for a register where `vector_cost` knows of none, since statements in a row
/// are not packed for these.
fn steps_of_mask_or_bytes(kernel: &Kernel, op: Op) -> Option<f64> {
    let data = &kernel.ops[op];
    let from = kernel.ty(*data.operands.first()?).data_elem()?;
    match data.code {
        // The ones of a mask are cut down to one.
        Code::Cast if from == Elem::Bool => Some(1.0),
        // Two bytes are shifted together, and what came from the other one is cut off.
        Code::Shl | Code::Shr if from == Elem::U8 && kernel.as_const(data.operands[1]).is_some() => Some(2.0),
        _ => None,
    }
}

/// Says whether an op takes no time of its own in a turn.
fn is_free(code: Code) -> bool {
    matches!(
        code,
        Code::Row
            | Code::Slice
            | Code::Field
            | Code::Flat
            | Code::Size
            | Code::Index
            | Code::Advance
            | Code::LaneId
            | Code::Bitcast
    ) || code.is_prefetch()
}

/// The ops that a division of integers by a constant takes.
const BY_CONSTANT: f64 = 6.0;

/// The ops that one by a power of two takes, which has to round the quotients of negative numbers.
const BY_POWER_OF_TWO: f64 = 2.0;

fn division(kernel: &Kernel, target: &Target, op: Op, to: Busy<'_>) {
    let data = &kernel.ops[op];
    let costs = &target.costs;
    let lanes = lanes_of(kernel, op);
    let registers = f64::from(operations::registers(target, lanes, bytes_of(kernel, op)));
    let is_integer = data.results.first().and_then(|&it| kernel.ty(it).data_elem()).is_some_and(Elem::is_integer);
    let divisor = data.operands.get(1).and_then(|&by| kernel.as_const(by)).and_then(Scalar::wide);
    let steps = divisor.map(|by| if by.unsigned_abs().is_power_of_two() { BY_POWER_OF_TWO } else { BY_CONSTANT });
    match (is_integer, steps) {
        (true, Some(steps)) => to(Resource::Arithmetic, "division", steps * registers * f64::from(costs.arithmetic)),
        // No target of the table divides vectors of integers.
        (true, None) => to(Resource::Divisions, "division", lanes as f64 * f64::from(costs.divide)),
        (false, _) => {
            let each = if lanes > 1 { costs.divide } else { costs.divide_one };
            to(Resource::Divisions, noun(data.code), registers * f64::from(each));
        }
    }
}

/// An access to memory behind all passes.
struct Accessed {
    stores: bool,
    /// The cells of one result.
    cells: usize,
    bytes: usize,
    /// The results, or the values that are stored, of a group.
    members: usize,
    masked: bool,
}

impl Accessed {
    fn of(kernel: &Kernel, op: Op) -> Option<Accessed> {
        let data = &kernel.ops[op];
        let stores = match data.code.row().effect {
            ir::ops::EffectRule::Reads => false,
            ir::ops::EffectRule::Writes => true,
            _ => return None,
        };
        if data.code.as_atomic().is_some() || data.code.is_prefetch() || !kernel.ty(*data.operands.first()?).is_view() {
            return None;
        }
        let rank = usize::from(kernel.ty(data.operands[0]).rank());
        let values = if stores { &data.operands[(1 + rank).min(data.operands.len())..] } else { &data.results[..] };
        let is_data = |value: &&Value| kernel.ty(**value).data_elem().is_some();
        let first = values.iter().find(is_data)?;
        let elem = kernel.ty(*first).data_elem()?;
        let cells =
            data.operands.iter().chain(&data.results).filter_map(|&it| kernel.ty(it).lanes()).max().unwrap_or(1);
        let is_mask = |value: &Value| kernel.ty(*value) == ir::types::Type::lanes_of(Elem::Bool, cells);
        let masked = cells > 1 && elem != Elem::Bool && data.operands.last().is_some_and(is_mask);
        let members = match data.code {
            Code::InterleavedLoad => data.results.len(),
            Code::InterleavedStore => values.len() - usize::from(masked),
            _ => 1,
        };
        Some(Accessed { stores, cells: usize::from(cells), bytes: elem.bytes(), members: members.max(1), masked })
    }

    fn busy(&self, target: &Target, code: Code, to: Busy<'_>) {
        let costs = AccessCosts { target, bytes: self.bytes, stores: self.stores };
        let resource = if self.stores { Resource::Stores } else { Resource::Loads };
        let plain = if self.stores { "store" } else { "load" };
        let access = f64::from(costs.access(self.cells * self.members, self.masked));
        let shuffles = |sources: usize| f64::from(costs.shuffles(sources, self.cells));
        match code {
            Code::Gather => to(resource, "gather", f64::from(costs.scattered(self.cells, self.masked))),
            Code::Scatter => to(resource, "scatter", f64::from(costs.scattered(self.cells, self.masked))),
            Code::StridedLoad | Code::StridedStore => {
                to(
                    resource,
                    if self.stores { "scatter" } else { "gather" },
                    f64::from(costs.scattered(self.cells, self.masked)),
                );
            }
            Code::InterleavedLoad | Code::InterleavedStore => {
                to(resource, plain, access);
                to(Resource::Shuffles, plain, self.members as f64 * shuffles(self.members));
            }
            Code::ReversedLoad | Code::RepeatedLoad | Code::PeriodicLoad | Code::ReversedStore => {
                to(resource, plain, access);
                to(Resource::Shuffles, plain, shuffles(1));
            }
            Code::ExpandLoad | Code::CompressStore => {
                to(resource, plain, f64::from(costs.access(self.cells, false)));
                let by_instruction = target.compress.has(self.bytes);
                let times = if by_instruction { 2.0 } else { self.cells as f64 };
                to(Resource::Shuffles, "packing", times * f64::from(target.costs.shuffle));
            }
            _ => to(resource, plain, access),
        }
    }
}

/// The bytes of an access whose cells are neighbours, and true for a store; `None` for any other op.
pub(super) fn neighbours(kernel: &Kernel, op: Op) -> Option<(bool, u64)> {
    let access = Accessed::of(kernel, op)?;
    let code = kernel.ops[op].code;
    let is_scattered = matches!(code, Code::Gather | Code::Scatter | Code::StridedLoad | Code::StridedStore);
    (!is_scattered).then_some((access.stores, (access.cells * access.members * access.bytes) as u64))
}

/// Counts an op.
pub(super) fn count(kernel: &Kernel, op: Op, counts: &mut OpCounts) {
    let code = kernel.ops[op].code;
    if is_free(code) {
        return;
    }
    counts.ops += 1;
    if let Some(access) = Accessed::of(kernel, op) {
        let count = match (code, access.stores) {
            (Code::Gather | Code::StridedLoad, _) => &mut counts.gathers,
            (Code::Scatter | Code::StridedStore, _) => &mut counts.scatters,
            (_, false) => &mut counts.loads,
            (_, true) => &mut counts.stores,
        };
        *count += 1;
        counts.masked += u32::from(access.masked);
    }
    match code {
        Code::Pack => counts.packs += 1,
        Code::Shuffle | Code::Permute | Code::Rotate | Code::Reverse | Code::Lookup | Code::Regroup => {
            counts.shuffles += 1
        }
        _ => {}
    }
}

/// The lanes of an op: the most of its operands and results.
fn lanes_of(kernel: &Kernel, op: Op) -> usize {
    let data = &kernel.ops[op];
    let lanes = data.operands.iter().chain(&data.results).filter_map(|&value| kernel.ty(value).lanes());
    usize::from(lanes.max().unwrap_or(1))
}

/// The bytes of the widest elements of an op, apart from masks.
fn bytes_of(kernel: &Kernel, op: Op) -> usize {
    let data = &kernel.ops[op];
    let elems = data.operands.iter().chain(&data.results).filter_map(|&value| kernel.ty(value).data_elem());
    elems.filter(|elem| *elem != Elem::Bool).map(Elem::bytes).max().unwrap_or(1)
}

/// The noun for what an op does.
pub(super) fn noun(code: Code) -> &'static str {
    match code {
        Code::Add | Code::WrappingAdd | Code::AddSat => "sum",
        Code::Sub | Code::WrappingSub | Code::SubSat | Code::Neg => "difference",
        Code::Mul | Code::WrappingMul | Code::MulHigh => "product",
        Code::MulAdd | Code::Fma => "product and sum",
        Code::Div | Code::FloorDiv | Code::Rem | Code::Rcp => "division",
        Code::Sqrt | Code::Rsqrt => "root",
        Code::Select => "choice",
        Code::Cast => "conversion",
        Code::Min | Code::Max => "min or max",
        code if code.work() == Some(ir::ops::WorkKind::Mask) => "test",
        code if code.work() == Some(ir::ops::WorkKind::Shuffle) => "shuffle",
        Code::Load | Code::VectorLoad | Code::MaskedLoad => "load",
        Code::Gather => "gather",
        _ => "operation",
    }
}
