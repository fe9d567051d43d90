//! The decision which arrays are stored, and which are computed where they are used.

use rustc_hash::{FxHashMap, FxHashSet};

use ir::entities::{Op, Region, Value};
use ir::ops::{Code, Effect};
use ir::program::{Def, Kernel};
use ir::shapes::{self, Shapes};
use ir::uses::{Use, Uses};

use super::Refuted;
use super::groups::Groups;
use super::points::{MUCH, Point, Points};

/// The work of an element, in additions, up to which it is always computed where it is used.
pub(super) const CHEAP: u64 = 2;

/// The work of an element, in additions, up to which it is computed again for all uses but one: what it takes to store it, and to load it for
/// each of them.
const AS_MUCH_AS_KEEPING: u64 = 4;

/// The representation that is planned for the arrays of an op.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    /// Its elements are computed where they are used.
    Delayed,
    /// The array is stored.
    Stored(Why),
}

/// The reason why an array is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Why {
    /// Its cells are assigned to.
    Written,
    /// A branch or loop gives it, or carries it.
    Chosen,
    /// Its elements would be computed several times.
    Reused,
    /// Its operands are changed before it is used.
    Overtaken,
    /// Each of its elements is made from the one before, or all at once.
    Whole,
}

/// The fates of the ops that make arrays.
pub(super) struct Plan {
    pub(super) fates: FxHashMap<Op, Fate>,
    pub(super) uses: Uses,
    /// The loops that cannot compute what they carry in the place of what it was before.
    pub(super) not_in_place: FxHashSet<Op>,
    /// The assignments that one loop does together.
    pub(super) groups: Groups,
    /// The sizes of arrays, as formulas.
    pub(super) shapes: Shapes,
    /// The places at which elements of what an op makes are wanted.
    pub(super) wanted: FxHashMap<Op, Points>,
    /// The work of one element of what each op makes.
    costs: FxHashMap<Op, u64>,
    /// The block that each op stands in, and its position there.
    pub(super) places: FxHashMap<Op, (Region, usize)>,
    /// The op that each block is of.
    pub(super) owners: FxHashMap<Region, Op>,
}

/// Says whether an op makes a new array, or several.
pub(super) fn makes_arrays(kernel: &Kernel, op: Op) -> bool {
    let data = &kernel.ops[op];
    match data.code {
        Code::Map | Code::Scan | Code::Iota | Code::Replicate | Code::Elements => true,
        code => code.is_elementwise() && data.operands.iter().any(|&value| kernel.ty(value).is_view()),
    }
}

impl Plan {
    /// The plan that assumes nothing that is refuted; what it refutes itself is added.
    pub(super) fn of(kernel: &Kernel, refuted: &mut Refuted) -> Plan {
        loop {
            let plan = Plan::with(kernel, refuted);
            let not_together = plan.not_together(kernel);
            if not_together.is_empty() {
                return plan;
            }
            refuted.together.extend(not_together);
        }
    }

    fn with(kernel: &Kernel, refuted: &Refuted) -> Plan {
        let mut plan = Plan {
            not_in_place: refuted.in_place.clone(),
            fates: FxHashMap::default(),
            groups: Groups::default(),
            uses: Uses::of(kernel),
            shapes: shapes::of(kernel),
            wanted: FxHashMap::default(),
            costs: FxHashMap::default(),
            places: FxHashMap::default(),
            owners: FxHashMap::default(),
        };
        plan.enter(kernel, kernel.body);
        let mut ops = Vec::new();
        kernel.walk(kernel.body, &mut |_, op| ops.push(op));
        for &op in ops.iter().filter(|&&op| makes_arrays(kernel, op)) {
            let cost = plan.cost(kernel, op);
            plan.costs.insert(op, cost);
        }
        plan.groups = plan.groups(kernel, &refuted.together);
        // Users come behind what they use, so their fates are known first.
        for &op in ops.iter().rev() {
            if makes_arrays(kernel, op) {
                let mut wanted = Points::default();
                let fate = plan.fate(kernel, op, &mut wanted);
                plan.fates.insert(op, fate);
                plan.wanted.insert(op, wanted);
            }
        }
        plan
    }

    fn enter(&mut self, kernel: &Kernel, region: Region) {
        for (position, &op) in kernel.regions[region].ops.iter().enumerate() {
            self.places.insert(op, (region, position));
            for &inner in &kernel.ops[op].regions {
                self.owners.insert(inner, op);
                self.enter(kernel, inner);
            }
        }
    }

    fn fate(&self, kernel: &Kernel, op: Op, wanted: &mut Points) -> Fate {
        let data = &kernel.ops[op];
        if matches!(data.code, Code::Scan | Code::Elements) {
            return Fate::Stored(Why::Whole);
        }
        if data.regions.iter().any(|&region| writes_inside(kernel, region)) {
            return Fate::Stored(Why::Whole);
        }
        for &result in &data.results {
            if let Err(why) = self.points(kernel, op, result, &mut Vec::new(), wanted) {
                return Fate::Stored(why);
            }
        }
        let n_uses = wanted.n_times.values().fold(0, |sum: u64, &times| sum.saturating_add(times));
        // One element alone, such as the first one, which a maximum starts with.
        let home = self.places[&op].0;
        let is_alone = |point: &&Point| {
            let op = point.op.filter(|&op| kernel.ops[op].code == Code::Load);
            op.is_some_and(|op| self.places[&op].0 == home)
        };
        let n_alone = wanted.n_times.keys().filter(is_alone).count();
        let n_uses = if n_alone == 1 { n_uses - 1 } else { n_uses };
        let cost = self.costs[&op];
        if n_uses > 1 && cost.saturating_mul(n_uses - 1) > AS_MUCH_AS_KEEPING {
            return Fate::Stored(Why::Reused);
        }
        let mut reads = FxHashSet::default();
        self.reads(kernel, op, &mut reads);
        match wanted.n_times.keys().any(|point| self.is_overtaken(kernel, op, point.op, &reads)) {
            true => Fate::Stored(Why::Overtaken),
            false => Fate::Delayed,
        }
    }

    /// The work of one element of what an op makes.
    pub(super) fn cost_of(&self, maker: Op) -> u64 {
        self.costs.get(&maker).copied().unwrap_or(0)
    }

    /// The work of one element, with that of the arrays that it is computed from.
    fn cost(&self, kernel: &Kernel, op: Op) -> u64 {
        let data = &kernel.ops[op];
        let mut cost = match data.code {
            Code::Iota => return 0,
            Code::Replicate => 0,
            Code::Map => region_cost(kernel, data.regions[0]),
            code => cost_of(code),
        };
        for (number, &operand) in data.operands.iter().enumerate() {
            let maker = kernel.def_op(kernel.root(operand)).filter(|_| !data.operands[..number].contains(&operand));
            cost += maker.and_then(|maker| self.costs.get(&maker)).copied().unwrap_or(0);
        }
        cost.min(MUCH)
    }

    /// The arrays that an op reads, and that what it reads is computed from.
    pub(super) fn reads(&self, kernel: &Kernel, op: Op, reads: &mut FxHashSet<Value>) {
        let data = &kernel.ops[op];
        let mut values: Vec<Value> = data.operands.to_vec();
        data.regions.iter().for_each(|&region| {
            values.extend(&kernel.regions[region].yields);
            kernel.walk(region, &mut |_, inner| {
                let data = &kernel.ops[inner];
                values.extend(&data.operands);
                data.regions.iter().for_each(|&region| values.extend(&kernel.regions[region].yields));
            });
        });
        for value in values.into_iter().filter(|&value| kernel.ty(value).is_view()) {
            let mut arrays = FxHashSet::default();
            self.arrays_of(kernel, value, &mut arrays);
            for array in arrays {
                if reads.insert(array)
                    && let Some(maker) = kernel.def_op(array)
                    && makes_arrays(kernel, maker)
                {
                    self.reads(kernel, maker, reads);
                }
            }
        }
    }

    /// The arrays that a view may be of: parameters, and those that ops make.
    pub(super) fn arrays_of(&self, kernel: &Kernel, view: Value, found: &mut FxHashSet<Value>) {
        let mut seen = FxHashSet::default();
        let mut waiting = vec![view];
        while let Some(view) = waiting.pop() {
            let root = kernel.root(view);
            if !seen.insert(root) {
                continue;
            }
            let from = waiting.len();
            match kernel.values[root].def {
                Def::Arg(region, number) => {
                    let Some(owner) = self.owner(region) else { continue };
                    let (data, number) = (&kernel.ops[owner], number as usize);
                    let is_element = number < kernel.n_arrays(owner);
                    // An index is no view, so what is left is carried.
                    let init = number + 2 * kernel.n_ranges(owner);
                    waiting.extend(data.operands.get(if is_element { number } else { init }));
                    if !is_element {
                        data.regions.iter().for_each(|&region| waiting.extend(&kernel.regions[region].yields));
                    }
                }
                Def::Result(op, _) if kernel.ops[op].code.is_control() && !makes_arrays(kernel, op) => {
                    waiting.extend(&kernel.ops[op].operands);
                    let regions = kernel.ops[op].regions.iter();
                    regions.for_each(|&region| waiting.extend(&kernel.regions[region].yields));
                }
                _ => _ = found.insert(root),
            }
            let views: Vec<Value> = waiting.drain(from..).filter(|&other| kernel.ty(other).is_view()).collect();
            waiting.extend(views);
        }
    }

    /// Says whether something that is read may be written between an op and a use of what it makes.
    fn is_overtaken(&self, kernel: &Kernel, op: Op, point: Option<Op>, reads: &FxHashSet<Value>) -> bool {
        let (home, start) = self.places[&op];
        let mut at = point;
        while let Some(inner) = at.filter(|inner| self.places[inner].0 != home) {
            let Some(&owner) = self.owners.get(&self.places[&inner].0) else { return true };
            at = Some(owner);
        }
        let end = at.map_or(kernel.regions[home].ops.len(), |at| self.places[&at].1);
        // The order of assignments that one loop makes together is asked of its dependences.
        let together = point.filter(|point| self.places[point].0 == home);
        let together = together.map_or(&[][..], |point| self.groups.members(point));
        let writes = |inner: Op| {
            let data = &kernel.ops[inner];
            if !data.regions.is_empty() || kernel.effect(inner) != Effect::Writes || together.contains(&inner) {
                return false;
            }
            let mut written = FxHashSet::default();
            self.arrays_of(kernel, data.operands[0], &mut written);
            written.iter().any(|&written| reads.iter().any(|&read| kernel.may_overlap(read, written)))
        };
        let between = &kernel.regions[home].ops[start + 1..end];
        let mut found = false;
        for &other in between {
            found |= writes(other);
            kernel.walk_inside(other, &mut |inner| found |= writes(inner));
        }
        // An op around the use, or one that is run for each element, may write before it is done.
        if let Some(at) = at {
            kernel.walk_inside(at, &mut |inner| found |= writes(inner));
        }
        found
    }

    /// The first stored array of which a delayed op takes each element for its own element, and that nothing uses after that: its memory
    /// can be that of the result.
    pub(super) fn aligned(&self, kernel: &Kernel, op: Op) -> Option<Value> {
        let data = &kernel.ops[op];
        if data.results.len() != 1 || matches!(data.code, Code::Iota | Code::Replicate) {
            return None;
        }
        let result = kernel.ty(data.results[0]);
        if data.code == Code::Map && result.rank() != 1 {
            return None;
        }
        data.operands.iter().copied().find(|&operand| {
            let maker = kernel.def_op(operand).filter(|maker| self.fates.contains_key(maker));
            let fits =
                kernel.ty(operand) == result && maker.is_some_and(|maker| self.places[&maker].0 == self.places[&op].0);
            // If an operand is used twice here, one use may be out of step.
            let once = data.operands.iter().filter(|&&other| other == operand).count() == 1;
            fits && once && self.ends_with(kernel, operand, op) && !self.is_used_inside(kernel, op, operand)
        })
    }

    fn is_used_inside(&self, kernel: &Kernel, op: Op, array: Value) -> bool {
        let mut found = false;
        kernel.walk_inside(op, &mut |inner| {
            found |= kernel.ops[inner].operands.iter().any(|&operand| kernel.root(operand) == array);
        });
        found
    }

    /// Says whether all uses of an array stand before an op, or are that op; what is computed from it only where that is used stands there.
    pub(super) fn ends_with(&self, kernel: &Kernel, array: Value, last: Op) -> bool {
        let (home, end) = self.places[&last];
        self.uses.users(array).iter().all(|user| match *user {
            Use::Yield(_) => false,
            Use::Operand(op, _) => {
                let is_delayed = |op: Op| op != last && self.fates.get(&op) == Some(&Fate::Delayed);
                let follows =
                    |op: Op| kernel.ops[op].results.iter().all(|&result| self.ends_with(kernel, result, last));
                let mut at = op;
                while self.places[&at].0 != home {
                    match self.owners.get(&self.places[&at].0) {
                        // The block around it is run where the elements of the array are used that it is of.
                        Some(&owner) if is_delayed(owner) && !follows(owner) => return false,
                        Some(&owner) => at = owner,
                        None => return false,
                    }
                }
                let is_before = if op == last { true } else { self.places[&at].1 < end };
                let is_part = matches!(kernel.ops[op].code, Code::Row | Code::Slice | Code::Field);
                is_before && (!(op != last && is_part || is_delayed(op)) || follows(op))
            }
        })
    }

    /// Says whether an op stands in a block, or in one inside of it.
    pub(super) fn is_inside(&self, op: Op, region: Region) -> bool {
        let mut at = self.places.get(&op).map(|place| place.0);
        while let Some(inner) = at {
            if inner == region {
                return true;
            }
            at = self.owners.get(&inner).map(|owner| self.places[owner].0);
        }
        false
    }

    /// The op around a block.
    pub(super) fn owner(&self, region: Region) -> Option<Op> {
        self.owners.get(&region).copied()
    }

    /// The place of an op in its block.
    pub(super) fn place(&self, op: Op) -> (Region, usize) {
        self.places[&op]
    }
}

pub(super) fn writes_inside(kernel: &Kernel, region: Region) -> bool {
    let mut found = false;
    kernel.walk(region, &mut |_, op| {
        let data = &kernel.ops[op];
        let own =
            |value: Value| kernel.def_op(kernel.root(value)).is_some_and(|maker| is_inside(kernel, region, maker));
        found |= data.regions.is_empty() && kernel.effect(op) == Effect::Writes && !own(data.operands[0]);
    });
    found
}

fn is_inside(kernel: &Kernel, region: Region, wanted: Op) -> bool {
    let mut found = false;
    kernel.walk(region, &mut |_, op| found |= op == wanted);
    found
}

fn region_cost(kernel: &Kernel, region: Region) -> u64 {
    let ops = kernel.regions[region].ops.iter();
    ops.map(|&op| match kernel.ops[op].regions.is_empty() {
        true => cost_of(kernel.ops[op].code),
        false => MUCH,
    })
    .sum()
}

/// The work of a row of an array of rows: that of the block that makes it, without what is done for each of its elements.
pub(super) fn row_cost(kernel: &Kernel, maker: Op) -> u64 {
    let data = &kernel.ops[maker];
    if data.code != Code::Map || data.results.iter().all(|&result| kernel.ty(result).rank() < 2) {
        return 0;
    }
    let ops = kernel.regions[data.regions[0]].ops.iter();
    ops.map(|&op| match kernel.ops[op].code {
        Code::Map => row_cost(kernel, op),
        code if kernel.ops[op].regions.is_empty() => cost_of(code),
        _ => MUCH,
    })
    .sum()
}

fn cost_of(code: Code) -> u64 {
    match code {
        Code::Div | Code::FloorDiv | Code::Rem | Code::Sqrt | Code::Rsqrt | Code::Rcp => 8,
        Code::Row | Code::Slice | Code::Field | Code::Size | Code::Index => 0,
        _ => 1,
    }
}
