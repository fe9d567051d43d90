//! The decision: how many groups of a loop are interleaved, and in which order.

use std::collections::HashMap;

use crate::decision::Said;
use crate::reduce_late::codes;
use crate::specialise::ends_whole_groups;
use ir::entities::{Op, Region, Value};
use ir::ops::{Code, EffectRule};
use ir::program::{Attr, Kernel, OpData};
use ir::scalar::{Fold, Scalar};
use ir::target::Target;
use ir::types::{CellType, Elem, Type};
use ir::uses::Uses;

/// The way in which groups of a loop are interleaved.
pub(super) struct Plan {
    /// The number of groups in a round.
    pub(super) groups: u16,
    /// The distance of the index from group to group.
    pub(super) by: i128,
    /// True if each op is done for all groups before the next; else group follows group.
    pub(super) by_op: bool,
    /// True if `@unroll` says the number.
    is_asked_for: bool,
    /// The body of a whole group.
    pub(super) steps: Vec<Step>,
    /// The operator that joins the partial results of each carried value; `None` if groups carry the value one after
    /// the other.
    pub(super) parts: Vec<Option<Fold>>,
    /// By how much each carried value that is an induction changes from group to group.
    pub(super) inductions: Vec<Option<Induction>>,
    /// The loads that move on, and by how many cells.
    pub(super) moved: HashMap<Op, u16>,
    /// The comparisons of lanes with the bound, which hold in all lanes of a whole group.
    pub(super) all_on: Vec<Op>,
    /// True if an op uses the index.
    pub(super) uses_index: bool,
}

/// A carried number to which each group adds the same, or takes it away.
#[derive(Debug, Clone, Copy)]
pub(super) struct Induction {
    /// The op that does so.
    pub(super) code: Code,
    pub(super) by: i128,
}

/// A step of the body of a whole group.
#[derive(Debug, Clone, Copy)]
pub(super) enum Step {
    /// An op of the loop's body.
    Op(Op),
    /// A value is another one: what a branch gives on the side that whole groups take.
    Is(Value, Value),
}

/// The most groups whose partial results are kept in registers.
const MOST_PARTIALS: usize = 16;

/// The most groups that are interleaved for the sake of order alone.
const MOST_GROUPS: usize = 4;

/// The most ops of all groups of a round, where a number of them is asked for.
const MOST_COPIES: usize = 4096;

/// The most ops over which a subscript is followed back to the index.
const DEPTH: u32 = 8;

/// The size of the largest body that is written several times, in ops.
const LARGEST_BODY: usize = 64;

impl Plan {
    /// Decides how groups of a loop are interleaved; nothing where group by group is as good.
    pub(super) fn of(kernel: &Kernel, target: &Target, uses: &Uses, op: Op) -> Option<Plan> {
        Shape::of(kernel, target, uses, op)?.plan()
    }

    /// The reason, as parts of a sentence.
    pub(super) fn because(&self) -> Vec<Said> {
        let mut because = vec![i128::from(self.groups).into(), Said::from("groups of lanes are done in each round,")];
        let is_joined = self.parts.iter().any(Option::is_some);
        because.push(Said::from(match (self.by_op, self.is_asked_for) {
            (true, false) => {
                "each operation for all of them before the next, since no group touches a cell that another one writes"
            }
            (true, true) => {
                "as `@unroll` asks for, each operation for all of them before the next, since no group touches a cell that another one writes"
            }
            // A number that is asked for may be of groups that wait for each other.
            (false, true) if !is_joined => "as `@unroll` asks for, one after the other",
            (false, true) => "as `@unroll` asks for, one after the other, with partial results that stay in registers",
            (false, false) => "one after the other, with partial results that stay in registers",
        }));
        because
    }
}

/// A loop that may be interleaved.
struct Shape<'k> {
    kernel: &'k Kernel,
    target: &'k Target,
    /// The users of each value.
    uses: &'k Uses,
    data: &'k OpData,
    region: Region,
    index: Value,
    width: u16,
    by: i128,
}

impl<'k> Shape<'k> {
    /// A loop whose index goes up in a type that addresses are wider than.
    fn of(kernel: &'k Kernel, target: &'k Target, uses: &'k Uses, op: Op) -> Option<Shape<'k>> {
        let data = &kernel.ops[op];
        let control = kernel.control(op)?;
        let width = control.width.filter(|&width| width > 1 || control.marks.unroll.is_some())?;
        let region = data.regions[0];
        let index = kernel.regions[region].args[0];
        let step = kernel.as_const(data.operands[2]).and_then(Scalar::wide).filter(|step| *step > 0)?;
        let is_narrow = kernel.ty(index).data_elem().is_some_and(|elem| elem.bytes() < 8);
        is_narrow.then_some(Shape { kernel, target, uses, data, region, index, width, by: step * i128::from(width) })
    }

    fn plan(self) -> Option<Plan> {
        let kernel = self.kernel;
        let control = self.data.attr.as_control()?;
        let steps = self.steps();
        let ops: Vec<Op> = steps.iter().filter_map(|step| step.op()).collect();
        let straight = |&op: &Op| !kernel.ops[op].code.is_control() && kernel.ops[op].code != Code::Temp;
        // Lanes wait for each other at an atomic op, and more of them would wait longer.
        let straight = |op: &Op| straight(op) && kernel.ops[*op].code.as_atomic().is_none();
        let is_asked_for = control.marks.unroll.is_some();
        if (ops.len() > LARGEST_BODY && !is_asked_for) || !ops.iter().all(straight) {
            return None;
        }
        let first = self.data.results.len() - control.reductions.len();
        let parts: Vec<Option<Fold>> = (0..first).map(|number| self.partial(number)).collect();
        let elems = self.data.results[first..].iter().filter_map(|&result| kernel.ty(result).data_elem());
        let elems: Vec<Elem> = elems.collect();
        let orders: Vec<Option<usize>> =
            control.reductions.iter().zip(&elems).map(|(fold, &elem)| fold.partials(elem)).collect();
        let width = usize::from(self.width);
        if !elems.iter().all(|elem| elem.is_float()) || orders.iter().flatten().any(|count| count % width != 0) {
            return None;
        }
        let inductions: Vec<Option<Induction>> = (0..first).map(|number| self.induction(number)).collect();
        let is_handed_on = |(part, known): (&Option<Fold>, &Option<Induction>)| part.is_none() && known.is_none();
        let hands_on = parts.iter().zip(&inductions).any(is_handed_on) || orders.contains(&None);
        let by_op = !hands_on && self.groups_never_meet(&ops);
        // The number of partial results is the language's.
        let asked = control.marks.unroll.map(usize::from).filter(|_| orders.is_empty());
        let groups = match orders.iter().flatten().map(|count| count / width).max() {
            Some(groups) if groups <= MOST_PARTIALS => groups,
            Some(_) => return None,
            None if asked.is_some() => asked.filter(|&groups| groups > 1 && groups * ops.len() <= MOST_COPIES)?,
            None if by_op => self.groups_that_fit(&ops)?,
            None => return None,
        };
        let (_, last) = kernel.ty(self.index).data_elem()?.integer_range()?;
        if self.by * groups as i128 > last || self.is_too_short(self.by * groups as i128) {
            return None;
        }
        let moved = ops.iter().filter_map(|&op| self.moved_load(op)).collect();
        let all_on = ops.iter().copied().filter(|&op| self.is_on_in_whole_groups(op)).collect();
        let uses_index = !self.uses.users(self.index).is_empty();
        let is_asked_for = asked.is_some();
        let groups = groups as u16;
        Some(Plan { groups, by: self.by, by_op, is_asked_for, steps, parts, inductions, moved, all_on, uses_index })
    }

    /// The body of a whole group: of a branch that tells those from the rest of the range, their side.
    fn steps(&self) -> Vec<Step> {
        let kernel = self.kernel;
        let mut steps = Vec::new();
        for &inner in &kernel.regions[self.region].ops {
            let data = &kernel.ops[inner];
            if !self.is_for_whole_groups(data) {
                steps.push(Step::Op(inner));
                continue;
            }
            let side = &kernel.regions[data.regions[0]];
            steps.extend(side.ops.iter().map(|&op| Step::Op(op)));
            steps.extend(data.results.iter().zip(&side.yields).map(|(&result, &value)| Step::Is(result, value)));
        }
        steps
    }

    /// Says whether an op is the branch whose first side whole groups take, and no others.
    fn is_for_whole_groups(&self, data: &OpData) -> bool {
        let kernel = self.kernel;
        if data.code != Code::If {
            return false;
        }
        let test = kernel.def_op(data.operands[0]).map(|op| &kernel.ops[op]).filter(|test| test.code == Code::Lt);
        test.is_some_and(|test| {
            let (lo, hi) = (Some(self.data.operands[0]), self.data.operands[1]);
            test.operands[0] == self.index && ends_whole_groups(kernel, test.operands[1], lo, hi, self.by)
        })
    }

    /// Says whether the range is known to have no round.
    fn is_too_short(&self, by: i128) -> bool {
        let [lo, hi] = [0, 1].map(|number| self.kernel.as_const(self.data.operands[number]).and_then(Scalar::wide));
        lo.zip(hi).is_some_and(|(lo, hi)| hi - lo < by)
    }

    /// Says whether an op compares the loop's own lanes with its bound.
    fn is_on_in_whole_groups(&self, op: Op) -> bool {
        let kernel = self.kernel;
        let data = &kernel.ops[op];
        let (index, bound) = match (data.code, &data.operands[..]) {
            (Code::Lt, &[index, bound]) | (Code::Gt, &[bound, index]) => (index, bound),
            _ => return false,
        };
        let lanes = kernel.def_op(index).map(|op| &kernel.ops[op]).filter(|data| data.code == Code::LaneIndex);
        bound == self.data.operands[1]
            && lanes.is_some_and(|lanes| {
                let step = kernel.as_const(lanes.operands[1]).and_then(Scalar::wide);
                lanes.operands[0] == self.index && step == kernel.as_const(self.data.operands[2]).and_then(Scalar::wide)
            })
    }

    /// The operator of a carried value's reduction, perhaps only where a condition holds, if that is all that becomes of the value
    /// and every order gives the same.
    fn partial(&self, number: usize) -> Option<Fold> {
        let kernel = self.kernel;
        let data = &kernel.regions[self.region];
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
        let is_exact = |fold: &Fold| elem.is_integer() || !matches!(fold, Fold::Min | Fold::Max);
        let fold = Fold::ALL.into_iter().find(|&fold| codes(fold).1 == join.code).filter(is_exact)?;
        let once = join.operands.iter().filter(|&&operand| operand == arg).count() == 1;
        let is_used_once = |value: Value| self.uses.only_user(value).is_some();
        let joins = once && self.uses.users(arg).len() == n_asked && is_used_once(joined) && is_used_once(yielded);
        (joins && kernel.ty(arg).lanes().is_some() && kernel.ty(arg) == kernel.ty(yielded)).then_some(fold)
    }

    /// The induction that a carried value is.
    fn induction(&self, number: usize) -> Option<Induction> {
        let kernel = self.kernel;
        let data = &kernel.regions[self.region];
        let (arg, yielded) = (data.args[1 + number], data.yields[number]);
        let elem = kernel.ty(arg).data_elem().filter(|_| kernel.ty(arg).lanes().is_none())?;
        let step = kernel.def_op(yielded).filter(|op| data.ops.contains(op)).map(|op| &kernel.ops[op])?;
        let is_sum = matches!(step.code, Code::Add | Code::Sub | Code::WrappingAdd | Code::WrappingSub);
        let by = kernel.as_const(*step.operands.get(1).filter(|_| is_sum && step.operands[0] == arg)?)?.wide()?;
        let (least, most) = elem.integer_range()?;
        let is_small = (least..=most).contains(&(by * MOST_PARTIALS as i128));
        is_small.then_some(Induction { code: step.code, by })
    }

    /// Says whether no access of one group touches a cell that another group writes: an array that is written is touched by one
    /// op only, whose groups keep their order, or each lane touches the cell of its own index alone.
    fn groups_never_meet(&self, ops: &[Op]) -> bool {
        let kernel = self.kernel;
        let accesses = ops.iter().map(|&op| &kernel.ops[op]);
        let accesses = accesses.filter(|op| matches!(op.code.row().effect, EffectRule::Reads | EffectRule::Writes));
        let mut of_array: HashMap<Value, Vec<&OpData>> = HashMap::new();
        for access in accesses {
            of_array.entry(kernel.root(access.operands[0])).or_default().push(access);
        }
        let overlap = kernel.marks.alias.iter().any(|(a, b)| of_array.contains_key(a) || of_array.contains_key(b));
        let writes = |access: &&OpData| access.code.row().effect == EffectRule::Writes;
        let own_cells = |access: &&OpData| {
            let in_a_row =
                matches!(access.code, Code::VectorLoad | Code::VectorStore | Code::MaskedLoad | Code::MaskedStore);
            in_a_row && self.subscripts(access).last().is_some_and(|&last| self.is_own_index(last))
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
    fn moved_load(&self, op: Op) -> Option<(Op, u16)> {
        let kernel = self.kernel;
        let data = &kernel.ops[op];
        let (Code::Permute, Attr::Pattern(pattern)) = (data.code, &data.attr) else { return None };
        let (&first, &last) = (data.operands.first()?, data.operands.last().filter(|_| data.operands.len() > 1)?);
        let [first, load] = [first, last].map(|value| kernel.def_op(value));
        let (first, load) = (first?, load?);
        let body = &kernel.regions[self.region].ops;
        let loads = [first, load].map(|op| &kernel.ops[op]);
        if loads.iter().any(|load| load.code != Code::VectorLoad) || !body.contains(&first) || !body.contains(&load) {
            return None;
        }
        let [(start, leading), (moved_start, moved_leading)] =
            [self.subscripts(loads[0]).split_last()?, self.subscripts(loads[1]).split_last()?];
        let view = loads[0].operands[0];
        let same = view == loads[1].operands[0] && leading == moved_leading && self.uses.only_user(last).is_some();
        if !same || !leading.iter().chain([&view]).all(|&value| self.is_around(value)) || !is_dense(kernel, view) {
            return None;
        }
        let lanes = kernel.ty(last).lanes()?;
        let distance = self.distance(*start, *moved_start)?;
        // The next group's first lane takes the first cell, as this one's does.
        let to_next = self.growth(*start, DEPTH)? * self.by;
        let further = u16::try_from(to_next - distance - i128::from(lanes)).ok().filter(|&further| further > 0)?;
        let offset = lanes * (data.operands.len() as u16 - 1);
        let is_used = |&place: &u16| place < offset || place - offset >= further;
        (pattern.first() == Some(&0) && pattern.iter().all(is_used)).then_some((load, further))
    }

    /// The distance of a subscript from the one that it is computed from.
    fn distance(&self, start: Value, later: Value) -> Option<i128> {
        let sum = &self.kernel.ops[self.kernel.def_op(later)?];
        match (sum.code, &sum.operands[..]) {
            (Code::Add | Code::WrappingAdd, &[from, by]) if from == start => self.kernel.as_const(by)?.wide(),
            _ => None,
        }
    }

    /// Says whether a value is a loop invariant.
    fn is_around(&self, value: Value) -> bool {
        let data = &self.kernel.regions[self.region];
        let is_made = self.kernel.def_op(value).is_some_and(|op| data.ops.contains(&op));
        !is_made && !data.args.contains(&value)
    }

    /// The growth of a number where the index grows by one.
    fn growth(&self, value: Value, depth: u32) -> Option<i128> {
        let kernel = self.kernel;
        if value == self.index {
            return Some(1);
        }
        if self.is_around(value) {
            return Some(0);
        }
        let data = &kernel.ops[kernel.def_op(value).filter(|_| depth > 0)?];
        let operand = |number: usize| self.growth(data.operands[number], depth - 1);
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

    /// Says whether lanes have the loop's own indices, one after the other.
    fn is_own_index(&self, value: Value) -> bool {
        let kernel = self.kernel;
        let of_lanes = kernel.def_op(value).map(|op| &kernel.ops[op]).filter(|data| data.code == Code::LaneIndex);
        of_lanes.is_some_and(|data| {
            let step = kernel.as_const(data.operands[1]).and_then(Scalar::wide);
            data.operands[0] == self.index && step == Some(1)
        })
    }

    /// The number of groups whose values find room in registers; nothing for one alone.
    fn groups_that_fit(&self, ops: &[Op]) -> Option<usize> {
        let kernel = self.kernel;
        let register = usize::from(self.target.register_bytes.max(1));
        let mut n_registers = 0;
        for &op in ops {
            let data = &kernel.ops[op];
            // Values that only form addresses occupy no vector register in the end.
            let stored = data.operands.iter().rev().find_map(|&value| kernel.ty(value).data_elem());
            let elem = match data.results.first() {
                _ if matches!(data.code, Code::LaneIndex | Code::LaneId) => None,
                Some(&result) if kernel.ty(result).lanes().is_some() => kernel.ty(result).data_elem(),
                Some(_) => None,
                None => stored,
            };
            n_registers += elem.map_or(0, |elem| (elem.bytes() * usize::from(self.width)).div_ceil(register));
        }
        // Groups of nothing but numbers gain nothing.
        let room = 2 * usize::from(self.target.registers);
        let groups = room.checked_div(n_registers)?.min(MOST_GROUPS);
        (groups > 1).then(|| 1 << groups.ilog2())
    }
}

/// Says whether neighbouring subscripts of a view are neighbours in memory, in all lanes.
fn is_dense(kernel: &Kernel, view: Value) -> bool {
    let Type::View { item, rank, lanes: None } = kernel.ty(view) else { return false };
    let Some(op) = kernel.def_op(view) else { return matches!(item, CellType::Elem(_)) };
    let data = &kernel.ops[op];
    let dim = match data.attr {
        Attr::Number(dim) => dim,
        _ => 0,
    };
    match data.code {
        Code::Temp | Code::Table | Code::Flat => true,
        // A row keeps the last dimension of its array, unless that is the one that was subscripted.
        Code::Row => dim < i64::from(rank) && is_dense(kernel, data.operands[0]),
        Code::Slice => {
            let is_one = kernel.as_const(data.operands[3]).and_then(Scalar::wide) == Some(1);
            (is_one || dim + 1 < i64::from(rank)) && is_dense(kernel, data.operands[0])
        }
        _ => false,
    }
}

impl Step {
    /// The op, if this is one.
    fn op(self) -> Option<Op> {
        match self {
            Step::Op(op) => Some(op),
            Step::Is(..) => None,
        }
    }
}
