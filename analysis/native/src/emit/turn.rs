//! How many whole groups of a loop in lanes are done at a turn, and in which order.

use std::collections::HashMap;

use ir::ops::EffectRule;
use ir::{Code, Fold, Op, OpData, Region, Value};

use super::abi::{What, passed};
use super::control::Start;
use super::function::Function;
use super::whole::Entry;

/// How several groups are done at a turn.
pub(super) struct Turn {
    /// How many.
    pub(super) groups: u16,
    /// Each op for all groups before the next; else group after group.
    pub(super) by_op: bool,
    /// For each carried value what its parts are joined by; nothing if groups hand it on.
    pub(super) parts: Vec<Option<Fold>>,
}

/// The most groups whose partial results are kept in registers.
const MOST_PARTIALS: u16 = 16;

/// The most groups that are done at a turn for the sake of order alone.
const MOST_GROUPS: u16 = 4;

/// How large a body may be that is written several times, in ops.
const LARGEST_BODY: usize = 64;

impl Function<'_> {
    /// How several groups of a loop are done at a turn; nothing if one after the other is as good.
    pub(super) fn turn(&self, entry: &Entry<'_>, width: u16) -> Option<Turn> {
        let kernel = self.kernel;
        let region = kernel.ops[entry.op].regions[0];
        let data = &kernel.regions[region];
        let straight = |&op: &Op| !kernel.ops[op].code.is_control() && kernel.ops[op].code != Code::Temp;
        if width < 2 || data.ops.len() > LARGEST_BODY || !data.ops.iter().all(straight) {
            return None;
        }
        let parts: Vec<Option<Fold>> = (0..entry.carried.len()).map(|number| self.parts_of(region, number)).collect();
        let in_order = |start: &Start| matches!(start, Start::Val(start) if start.ty.lanes.is_none());
        let hands_on = parts.contains(&None) || entry.joined.iter().any(in_order);
        let by_op = !hands_on && self.groups_never_meet(region);
        let partials = entry.joined.iter().filter_map(|start| match start {
            Start::Stack(_, count) => Some(count / width),
            Start::Val(_) => None,
        });
        let groups = match partials.max() {
            Some(groups) if groups <= MOST_PARTIALS => groups,
            Some(_) => return None,
            None if by_op => self.groups_that_fit(region, width)?,
            None => return None,
        };
        Some(Turn { groups, by_op, parts })
    }

    /// What a carried value is joined by, if that is all that becomes of it, and in any order the same.
    fn parts_of(&self, region: Region, number: usize) -> Option<Fold> {
        let kernel = self.kernel;
        let data = &kernel.regions[region];
        let (arg, yielded) = (data.args[1 + number], data.yields[number]);
        let op = kernel.def_op(yielded).filter(|op| data.ops.contains(op))?;
        let elem = kernel.ty(arg).data_elem().filter(|elem| !elem.is_float())?;
        let fold = match kernel.ops[op].code {
            Code::WrappingAdd => Fold::Add,
            Code::WrappingMul => Fold::Mul,
            Code::Min if elem.is_integer() => Fold::Min,
            Code::Max if elem.is_integer() => Fold::Max,
            Code::And => Fold::And,
            Code::Or => Fold::Or,
            Code::Xor => Fold::Xor,
            _ => return None,
        };
        let operands = data.ops.iter().flat_map(|&op| &kernel.ops[op].operands).chain(&data.yields);
        let n_uses = |value: Value| operands.clone().filter(|&&operand| operand == value).count();
        let joins = kernel.ops[op].operands.contains(&arg) && n_uses(arg) == 1 && n_uses(yielded) == 1;
        (joins && kernel.ty(arg).lanes().is_some() && kernel.ty(arg) == kernel.ty(yielded)).then_some(fold)
    }

    /// Whether no access of one group touches a cell that another group writes: arrays that are written are touched by one
    /// op only, whose groups keep their order, or each lane touches the cell of its own index alone.
    fn groups_never_meet(&self, region: Region) -> bool {
        let kernel = self.kernel;
        let data = &kernel.regions[region];
        let index = data.args[0];
        let accesses = data.ops.iter().map(|&op| &kernel.ops[op]);
        let accesses = accesses.filter(|op| matches!(op.code.row().effect, EffectRule::Reads | EffectRule::Writes));
        let mut of_array: HashMap<Value, Vec<&OpData>> = HashMap::new();
        for access in accesses {
            of_array.entry(kernel.root(access.operands[0])).or_default().push(access);
        }
        let overlap = passed(kernel).iter().any(|passed| {
            let is_shared = matches!(passed.what, What::Array { alone: false, .. });
            is_shared && of_array.contains_key(&passed.param)
        });
        let writes = |access: &&OpData| access.code.row().effect == EffectRule::Writes;
        let own_cells = |access: &&OpData| {
            let in_a_row =
                matches!(access.code, Code::VectorLoad | Code::VectorStore | Code::MaskedLoad | Code::MaskedStore);
            in_a_row && self.subscripts(access).last().is_some_and(|&last| self.is_own_index(last, index))
        };
        !overlap
            && of_array.values().all(|accesses| {
                let same = |access: &&OpData| {
                    access.operands[0] == accesses[0].operands[0]
                        && self.subscripts(access) == self.subscripts(accesses[0])
                };
                accesses.len() == 1
                    || !accesses.iter().any(&writes)
                    || accesses.iter().all(|access| own_cells(access) && same(access))
            })
    }

    /// The subscripts of an access.
    fn subscripts<'o>(&self, access: &'o OpData) -> &'o [Value] {
        let rank = usize::from(self.kernel.ty(access.operands[0]).rank());
        &access.operands[1..1 + rank]
    }

    /// Whether lanes have the loop's own indices, one after the other.
    fn is_own_index(&self, value: Value, index: Value) -> bool {
        let kernel = self.kernel;
        let of_lanes = kernel.def_op(value).map(|op| &kernel.ops[op]).filter(|data| data.code == Code::LaneIndex);
        of_lanes.is_some_and(|data| {
            let step = kernel.as_const(data.operands[1]).and_then(ir::Scalar::wide);
            data.operands[0] == index && step == Some(1)
        })
    }

    /// So many groups that what they compute finds room in registers.
    fn groups_that_fit(&self, region: Region, width: u16) -> Option<u16> {
        let kernel = self.kernel;
        let register = usize::from(self.target.register_bytes.max(1));
        let mut n_registers = 0;
        for &op in &kernel.regions[region].ops {
            let data = &kernel.ops[op];
            // What addresses are made of is no vector in the end.
            let stored = data.operands.iter().rev().find_map(|&value| kernel.ty(value).data_elem());
            let elem = match data.results.first() {
                _ if matches!(data.code, Code::LaneIndex | Code::LaneId) => None,
                Some(&result) if kernel.ty(result).lanes().is_some() => kernel.ty(result).data_elem(),
                Some(_) => None,
                None => stored,
            };
            n_registers += elem.map_or(0, |elem| (elem.bytes() * usize::from(width)).div_ceil(register));
        }
        let room = 2 * usize::from(self.target.registers);
        let groups = (room / n_registers.max(1)).min(MOST_GROUPS.into()) as u16;
        (groups > 1).then(|| 1 << groups.ilog2())
    }
}
