//! Assignments that one loop does together.
//!
//! An array that several assignments need would be stored, so that its elements are not computed for each of them. Where these stand in
//! one block, one loop can do them all: an iteration computes the elements that each of them wants, every one once, and stores them then.
//!
//! ```text
//! let d = sqrt(x)                 for i in range(0, n):
//! out[:] = a + d                      let d = sqrt(x[i])
//! rest[:] = a - d                     out[i] = (a[i] + d)
//!                                     rest[i] = (a[i] - d)
//! ```
//!
//! The nest stands at the last assignment, so nothing may stand between the first and the last that would see the others undone, or
//! change what they read. What they read themselves is asked of the dependences of the loop: whether each load still comes before the
//! stores that stand behind it in the program, and behind those that stand before it.

use rustc_hash::{FxHashMap, FxHashSet};

use ir::entities::{Op, Region, Value};
use ir::ops::{Code, Effect};
use ir::program::Kernel;

use super::plan::{CHEAP, Fate, Plan, makes_arrays, writes_inside};

/// The largest number of assignments that one loop does.
const MOST_MEMBERS: usize = 16;

/// The assignments of a kernel that are done together.
#[derive(Default)]
pub(super) struct Groups {
    /// The last assignment of the group that one is in.
    leaders: FxHashMap<Op, Op>,
    /// The assignments of a group, in order, by the last of them.
    members: FxHashMap<Op, Vec<Op>>,
}

impl Groups {
    /// The op at which an assignment is done.
    pub(super) fn leader(&self, assign: Op) -> Op {
        self.leaders.get(&assign).copied().unwrap_or(assign)
    }

    /// The assignments of a group, by the last of them; none for what is done alone.
    pub(super) fn members(&self, leader: Op) -> &[Op] {
        self.members.get(&leader).map_or(&[], Vec::as_slice)
    }
}

/// An assignment that may be done with others.
struct Candidate {
    op: Op,
    /// The ops that its elements are computed by, and that cost something.
    makers: FxHashSet<Op>,
}

impl Plan {
    /// The assignments that are done together; those that are `apart` do not join one before them.
    pub(super) fn groups(&self, kernel: &Kernel, apart: &FxHashSet<Op>) -> Groups {
        let mut groups = Groups::default();
        let mut regions = vec![kernel.body];
        kernel.walk(kernel.body, &mut |_, op| regions.extend(&kernel.ops[op].regions));
        for region in regions {
            self.groups_of(kernel, region, apart, &mut groups);
        }
        groups
    }

    fn groups_of(&self, kernel: &Kernel, region: Region, apart: &FxHashSet<Op>, groups: &mut Groups) {
        let mut run: Vec<Candidate> = Vec::new();
        for &op in &kernel.regions[region].ops {
            let candidate = self.candidate(kernel, region, op);
            let fits = match &candidate {
                Some(_) => !apart.contains(&op) && self.have_one_rank(kernel, &run, op),
                None => run.is_empty() || !self.disturbs(kernel, op, &run),
            };
            if !fits {
                join(std::mem::take(&mut run), groups);
            }
            run.extend(candidate);
        }
        join(run, groups);
    }

    /// An assignment of an array whose elements are computed one by one.
    fn candidate(&self, kernel: &Kernel, region: Region, op: Op) -> Option<Candidate> {
        let data = &kernel.ops[op];
        if data.code != Code::Assign || !kernel.ty(data.operands[1]).is_view() {
            return None;
        }
        let mut makers = FxHashSet::default();
        let mut waiting = vec![data.operands[1]];
        while let Some(value) = waiting.pop() {
            let Some(maker) = kernel.def_op(value).filter(|&maker| self.place(maker).0 == region) else { continue };
            let made = &kernel.ops[maker];
            match made.code {
                Code::Row | Code::Slice => waiting.push(made.operands[0]),
                // Rows are made in their places, one assignment after the other.
                Code::Map if kernel.ty(value).rank() > 1 => return None,
                Code::Scan | Code::Elements | Code::Iota | Code::Replicate => {}
                _ if makes_arrays(kernel, maker) => {
                    if !makers.insert(maker) {
                        continue;
                    }
                    let n_arrays =
                        if made.code.is_over_elements() { kernel.n_arrays(maker) } else { made.operands.len() };
                    waiting.extend(made.operands[..n_arrays].iter().filter(|&&operand| kernel.ty(operand).is_view()));
                }
                _ => {}
            }
        }
        makers.retain(|&maker| self.cost_of(maker) > CHEAP);
        Some(Candidate { op, makers })
    }

    fn have_one_rank(&self, kernel: &Kernel, run: &[Candidate], op: Op) -> bool {
        let rank = |assign: Op| kernel.ty(kernel.ops[assign].operands[1]).rank();
        run.first().is_none_or(|first| rank(first.op) == rank(op))
    }

    /// Says whether an op between assignments would see that those before it are not done yet.
    fn disturbs(&self, kernel: &Kernel, op: Op, run: &[Candidate]) -> bool {
        let data = &kernel.ops[op];
        if matches!(data.code, Code::Row | Code::Slice | Code::Field | Code::Size) {
            return false;
        }
        let writes = match data.regions.is_empty() {
            true => kernel.effect(op) == Effect::Writes,
            false => data.regions.iter().any(|&region| writes_inside(kernel, region)),
        };
        if writes {
            return true;
        }
        if makes_arrays(kernel, op) {
            return false;
        }
        let gives_arrays = data.code.is_control() && data.results.iter().any(|&result| kernel.ty(result).is_view());
        gives_arrays || self.reads_targets(kernel, op, run.iter().map(|candidate| candidate.op))
    }

    /// Says whether an op reads what assignments store to.
    fn reads_targets(&self, kernel: &Kernel, op: Op, mut assigns: impl Iterator<Item = Op>) -> bool {
        let mut reads = FxHashSet::default();
        self.reads(kernel, op, &mut reads);
        assigns.any(|assign| self.meet(kernel, &reads, kernel.ops[assign].operands[0]))
    }

    /// Says whether one of some arrays may have cells in common with a view.
    fn meet(&self, kernel: &Kernel, arrays: &FxHashSet<Value>, view: Value) -> bool {
        let mut targets = FxHashSet::default();
        self.arrays_of(kernel, view, &mut targets);
        arrays.iter().any(|&array| targets.iter().any(|&target| kernel.may_overlap(array, target)))
    }

    /// The assignments that cannot be done with those before them after all, because an array is stored in between that is computed from
    /// what they store to, or in what they read.
    pub(super) fn not_together(&self, kernel: &Kernel) -> Vec<Op> {
        let mut found = Vec::new();
        for members in self.groups.members.values() {
            let (home, start) = self.place(members[0]);
            let end = self.place(members[members.len() - 1]).1;
            let spoils = |(position, &op): (usize, &Op)| {
                if !matches!(self.fates.get(&op), Some(Fate::Stored(_))) {
                    return false;
                }
                let before = members.iter().copied().filter(|&member| self.place(member).1 < position);
                let is_taken = kernel.ops[op].results.iter().any(|&result| self.taken_by(kernel, op, result).is_some());
                is_taken || self.reads_targets(kernel, op, before)
            };
            if kernel.regions[home].ops.iter().enumerate().take(end).skip(start).any(spoils) {
                found.extend(&members[1..]);
            }
        }
        found
    }
}

/// Makes groups of assignments that nothing stands between: those that need one array, and what is between them.
fn join(run: Vec<Candidate>, groups: &mut Groups) {
    let mut at = 0;
    while at < run.len() {
        let most = run.len().min(at + MOST_MEMBERS);
        let (mut end, mut next) = (at, at);
        while next <= end {
            let last = (next + 1..most).rev().find(|&other| !run[next].makers.is_disjoint(&run[other].makers));
            end = end.max(last.unwrap_or(0));
            next += 1;
        }
        if end > at {
            let members: Vec<Op> = run[at..=end].iter().map(|candidate| candidate.op).collect();
            let leader = run[end].op;
            groups.leaders.extend(members.iter().map(|&member| (member, leader)));
            groups.members.insert(leader, members);
        }
        at = end + 1;
    }
}
