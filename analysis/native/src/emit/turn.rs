//! How many whole groups of a loop in lanes are done at a turn, and in which order.

use std::collections::HashMap;

use ir::ops::EffectRule;
use ir::{Attr, Code, Elem, Family, Fold, Op, OpData, Region, Scalar, Value, passes};

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
    /// What is done for a whole group.
    pub(super) steps: Vec<Step>,
    /// For each carried value what its parts are joined by; nothing if groups hand it on.
    pub(super) parts: Vec<Option<Fold>>,
    /// Those sums among them that add up products of short integers.
    pub(super) sums_of_pairs: Vec<Op>,
    /// Loads that are done some cells further on while an iteration is left.
    pub(super) moved: HashMap<Op, u16>,
}

/// Something to be done for a whole group.
pub(super) enum Step {
    /// An op.
    Op(Op),
    /// A value is what another is, since that is the way whole groups go.
    Is(Value, Value),
}

/// The most groups whose partial results are kept in registers.
const MOST_PARTIALS: u16 = 16;

/// The most groups that are done at a turn for the sake of order alone.
const MOST_GROUPS: u16 = 4;

/// How far back a subscript is followed to the index.
const DEPTH: u32 = 8;

/// How large a body may be that is written several times, in ops.
const LARGEST_BODY: usize = 64;

impl Function<'_> {
    /// How several groups of a loop, whose index grows by `by` in each, are done at a turn; nothing if one after the other is as
    /// good.
    pub(super) fn turn(&self, entry: &Entry<'_>, width: u16, by: i128) -> Option<Turn> {
        let kernel = self.kernel;
        let region = kernel.ops[entry.op].regions[0];
        let steps = self.steps(entry.op, region, width);
        let ops: Vec<Op> = steps.iter().filter_map(Step::op).collect();
        let straight = |&op: &Op| !kernel.ops[op].code.is_control() && kernel.ops[op].code != Code::Temp;
        if width < 2 || ops.len() > LARGEST_BODY || !ops.iter().all(straight) {
            return None;
        }
        let parts: Vec<Option<Fold>> = (0..entry.carried.len()).map(|number| self.parts_of(region, number)).collect();
        let in_order = |start: &Start| matches!(start, Start::Val(start) if start.ty.lanes.is_none());
        let hands_on = parts.contains(&None) || entry.joined.iter().any(in_order);
        let by_op = !hands_on && self.groups_never_meet(kernel.regions[region].args[0], &ops);
        let partials = entry.joined.iter().filter_map(|start| match start {
            Start::Stack(_, count) => Some(count / width),
            Start::Val(_) => None,
        });
        let groups = match partials.max() {
            Some(groups) if groups <= MOST_PARTIALS => groups,
            Some(_) => return None,
            None if by_op => self.groups_that_fit(&ops, width)?,
            None => return None,
        };
        let sums = parts.iter().enumerate().filter(|(_, fold)| **fold == Some(Fold::Add));
        let sums = sums.filter_map(|(number, _)| self.sum_of_pairs(region, number)).collect();
        let moved = ops.iter().filter_map(|&op| self.moved_load(region, by, op)).collect();
        Some(Turn { groups, by_op, steps, parts, sums_of_pairs: sums, moved })
    }

    /// What is done for a whole group: where those go one way and what is left of the range goes another, theirs.
    fn steps(&self, op: Op, region: Region, width: u16) -> Vec<Step> {
        let kernel = self.kernel;
        let mut steps = Vec::new();
        for &inner in &kernel.regions[region].ops {
            let data = &kernel.ops[inner];
            if !self.asks_for_whole_groups(op, inner, width) {
                steps.push(Step::Op(inner));
                continue;
            }
            let way = &kernel.regions[data.regions[0]];
            steps.extend(way.ops.iter().map(|&op| Step::Op(op)));
            steps.extend(data.results.iter().zip(&way.yields).map(|(&result, &value)| Step::Is(result, value)));
        }
        steps
    }

    /// Whether an op in a loop is the branch that only whole groups take.
    fn asks_for_whole_groups(&self, op: Op, inner: Op, width: u16) -> bool {
        let kernel = self.kernel;
        let (around, data) = (&kernel.ops[op], &kernel.ops[inner]);
        if data.code != Code::If {
            return false;
        }
        let base = kernel.regions[around.regions[0]].args[0];
        let test = kernel.def_op(data.operands[0]).map(|op| &kernel.ops[op]).filter(|test| test.code == Code::Lt);
        test.is_some_and(|test| {
            let (lo, hi) = (Some(around.operands[0]), around.operands[1]);
            test.operands[0] == base && passes::ends_whole_groups(kernel, test.operands[1], lo, hi, width)
        })
    }

    /// What a carried value is joined by, perhaps only where a condition holds, if that is all that becomes of it, and in
    /// any order the same.
    fn parts_of(&self, region: Region, number: usize) -> Option<Fold> {
        let kernel = self.kernel;
        let data = &kernel.regions[region];
        let (arg, yielded) = (data.args[1 + number], data.yields[number]);
        let made = |value: Value| kernel.def_op(value).filter(|op| data.ops.contains(op)).map(|op| &kernel.ops[op]);
        let choice = made(yielded).filter(|choice| choice.code == Code::Select);
        let (joined, n_asked) = match choice.map(|choice| &choice.operands[..]) {
            Some(&[_, joined, other]) if other == arg => (joined, 2),
            Some(&[_, other, joined]) if other == arg => (joined, 2),
            Some(_) => return None,
            None => (yielded, 1),
        };
        let join = made(joined)?;
        let elem = kernel.ty(arg).data_elem().filter(|elem| !elem.is_float())?;
        let fold = match join.code {
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
        let once = join.operands.iter().filter(|&&operand| operand == arg).count() == 1;
        let joins = once && n_uses(arg) == n_asked && n_uses(joined) == 1 && n_uses(yielded) == 1;
        (joins && kernel.ty(arg).lanes().is_some() && kernel.ty(arg) == kernel.ty(yielded)).then_some(fold)
    }

    /// The op that adds to a carried value, if it adds products of 16-bit integers: x86 multiplies those and adds each two
    /// neighbours at once.
    fn sum_of_pairs(&self, region: Region, number: usize) -> Option<Op> {
        let kernel = self.kernel;
        let data = &kernel.regions[region];
        let op = kernel.def_op(data.yields[number])?;
        let arg = data.args[1 + number];
        let product = *kernel.ops[op].operands.iter().find(|&&value| value != arg)?;
        let product = &kernel.ops[kernel.def_op(product)?];
        let is_short = |&value: &Value| {
            let cast = kernel.def_op(value).map(|op| &kernel.ops[op]).filter(|cast| cast.code == Code::Cast);
            let from = cast.and_then(|cast| kernel.ty(cast.operands[0]).data_elem());
            from.is_some_and(|from| matches!(from, Elem::I8 | Elem::U8 | Elem::I16))
        };
        let fits = self.target.family == Family::X86
            && kernel.ty(arg).data_elem().is_some_and(|elem| elem.is_integer() && elem.bytes() == 4)
            && kernel.ty(arg).lanes().is_some_and(|lanes| lanes % 2 == 0)
            && matches!(product.code, Code::Mul | Code::WrappingMul);
        (fits && product.operands.iter().all(is_short)).then_some(op)
    }

    /// Whether no access of one group touches a cell that another group writes: arrays that are written are touched by one
    /// op only, whose groups keep their order, or each lane touches the cell of its own index alone.
    fn groups_never_meet(&self, index: Value, ops: &[Op]) -> bool {
        let kernel = self.kernel;
        let accesses = ops.iter().map(|&op| &kernel.ops[op]);
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

    /// The last of some loads side by side, of which lanes take every second cell or the like, and how far it can move on: to
    /// where the next group's first cell follows it. It does not reach back then to what is loaded before it.
    fn moved_load(&self, region: Region, by: i128, op: Op) -> Option<(Op, u16)> {
        let kernel = self.kernel;
        let data = &kernel.ops[op];
        let (Code::Permute, Attr::Pattern(pattern)) = (data.code, &data.attr) else { return None };
        let (&first, &last) = (data.operands.first()?, data.operands.last().filter(|_| data.operands.len() > 1)?);
        let [first, load] = [first, last].map(|value| kernel.def_op(value));
        let (first, load) = (first?, load?);
        let body = &kernel.regions[region].ops;
        let loads = [first, load].map(|op| &kernel.ops[op]);
        let [before, moved] = loads.map(|data| self.subscripts_of_row(data));
        let ((start, leading), (moved_start, moved_leading)) = (before?.split_last()?, moved?.split_last()?);
        let view = loads[0].operands[0];
        let same =
            view == loads[1].operands[0] && leading == moved_leading && body.contains(&first) && body.contains(&load);
        if !same
            || self.users(last).len() != 1
            || !leading.iter().chain([&view]).all(|&value| self.is_around(region, value))
        {
            return None;
        }
        let lanes = kernel.ty(last).lanes()?;
        let sum = &kernel.ops[kernel.def_op(*moved_start)?];
        let distance = match (sum.code, &sum.operands[..]) {
            (Code::Add | Code::WrappingAdd, &[from, by]) if from == *start => kernel.as_const(by)?.wide()?,
            _ => return None,
        };
        // The next group's first lane takes the first cell, as this one's does.
        let to_next = self.growth(region, *start, DEPTH)? * by;
        let further = u16::try_from(to_next - distance - i128::from(lanes)).ok().filter(|&further| further > 0)?;
        let offset = lanes * (data.operands.len() as u16 - 1);
        let is_used = |&place: &u16| place < offset || place - offset >= further;
        let view = self.view(view);
        let bytes = kernel.ty(last).data_elem()?.bytes() as i128;
        let is_dense = view.is_single() && view.dims.last()?.stride.number() == Some(bytes);
        (is_dense && pattern.first() == Some(&0) && pattern.iter().all(is_used)).then_some((load, further))
    }

    /// The subscripts of a load of neighbouring cells without a mask.
    fn subscripts_of_row<'o>(&self, data: &'o OpData) -> Option<&'o [Value]> {
        (data.code == Code::VectorLoad).then(|| self.subscripts(data))
    }

    /// Whether a value is the same in all iterations of a loop.
    fn is_around(&self, region: Region, value: Value) -> bool {
        let data = &self.kernel.regions[region];
        let is_made = self.kernel.def_op(value).is_some_and(|op| data.ops.contains(&op));
        !is_made && !data.args.contains(&value)
    }

    /// How much a number grows where the index grows by one.
    fn growth(&self, region: Region, value: Value, depth: u32) -> Option<i128> {
        let kernel = self.kernel;
        if value == kernel.regions[region].args[0] {
            return Some(1);
        }
        if self.is_around(region, value) {
            return Some(0);
        }
        let data = &kernel.ops[kernel.def_op(value).filter(|_| depth > 0)?];
        let operand = |number: usize| self.growth(region, data.operands[number], depth - 1);
        // In 64 bits nothing that an address is made of wraps.
        let is_wide = kernel.ty(value).data_elem() == Some(Elem::I64);
        match data.code {
            Code::Index => operand(0),
            Code::Add | Code::WrappingAdd if is_wide => Some(operand(0)? + operand(1)?),
            Code::Sub | Code::WrappingSub if is_wide => Some(operand(0)? - operand(1)?),
            Code::Mul | Code::WrappingMul if is_wide => {
                Some(operand(0)? * kernel.as_const(data.operands[1]).and_then(Scalar::wide)?)
            }
            _ => None,
        }
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
            let step = kernel.as_const(data.operands[1]).and_then(Scalar::wide);
            data.operands[0] == index && step == Some(1)
        })
    }

    /// So many groups that what they compute finds room in registers.
    fn groups_that_fit(&self, ops: &[Op], width: u16) -> Option<u16> {
        let kernel = self.kernel;
        let register = usize::from(self.target.register_bytes.max(1));
        let mut n_registers = 0;
        for &op in ops {
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

impl Step {
    /// The op, if it is one.
    fn op(&self) -> Option<Op> {
        match *self {
            Step::Op(op) => Some(op),
            Step::Is(..) => None,
        }
    }
}
