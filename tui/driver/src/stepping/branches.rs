//! How many lanes take a branch, or stay in a loop: the lanes that its condition holds in, which an `any` joins.
//!
//! Behind the passes only loads, stores and ops that ask lanes have masks. In a loop that goes around until its last lane has left it
//! there may be none of those, and still lanes wait: its condition tells how many.

use std::collections::{HashMap, VecDeque};

use queries::run::Scalar;
use queries::stepping::{ActiveCount, Cell, Code, Elem, Kernel, Op, Reg, Stepping, Value};
use report::TextRange;

use super::places::Places;

/// A branch of the source inside of lanes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BranchFlow {
    /// The place of its condition.
    pub range: TextRange,
    /// The line of that, from 0.
    pub line: u32,
    /// The column of the line's first character, by which branches stand in each other.
    pub indent: usize,
    /// The condition as it is written.
    pub text: String,
    /// The number of lanes that came to it, and of those that it held in, so far.
    pub n_came: u64,
    /// The number of those that it held in.
    pub n_held: u64,
    /// The lanes of the last group that it held in, and those that it did not.
    pub last: Option<(Vec<u16>, Vec<u16>)>,
}

/// Limit on the groups that are remembered of a branch.
const REMEMBERED: usize = 10_000;

/// A branch with what is needed to count it.
#[derive(Debug, Clone)]
struct CountedFlow {
    flow: BranchFlow,
    /// The groups that came to it, each with the step at which it did, the lanes that it held in, and those that it did not.
    groups: VecDeque<(u64, Vec<u16>, Vec<u16>)>,
}

/// The conditions of branches and loops in lanes, and the lanes they held in so far.
#[derive(Default)]
pub(super) struct BranchCounts {
    conditions: HashMap<Op, Value>,
    /// The number of steps up to which all is counted.
    until: u64,
    counts: HashMap<Op, ActiveCount>,
    /// The branches of the source, in order.
    flows: Vec<CountedFlow>,
    /// The ops that make their conditions: the number of the branch, and the value.
    made_by: HashMap<Op, (usize, Value)>,
    /// The condition that the op at hand is about to make, and the lanes that come to it.
    pending: Option<(usize, Value, Vec<bool>)>,
}

impl BranchCounts {
    /// Finds the conditions of a kernel.
    pub(super) fn of(kernel: &Kernel) -> BranchCounts {
        let mut conditions = HashMap::new();
        kernel.walk(kernel.body, &mut |_, op| {
            conditions.extend(joined(kernel, op).map(|condition| (op, condition)));
        });
        BranchCounts { conditions, ..BranchCounts::default() }
    }

    /// Watches the conditions of branches of the source: where each is, and its text.
    pub(super) fn watch(&mut self, kernel: &Kernel, places: &Places, branches: Vec<BranchFlow>) {
        let of_range: HashMap<TextRange, usize> =
            branches.iter().enumerate().map(|(n, branch)| (branch.range, n)).collect();
        kernel.walk(kernel.body, &mut |_, op| {
            let branch_of = |op: Op| places.calls(op).first().and_then(|call| of_range.get(&call.range));
            let is_condition = |value: &Value| {
                let ty = kernel.ty(*value);
                ty.lanes().is_some() && ty.data_elem() == Some(Elem::Bool)
            };
            // Passes join a condition with masks, under its place; the first op there is the condition itself.
            let mut operands = kernel.ops[op].operands.iter().filter_map(|value| kernel.def_op(*value));
            let is_first = operands.all(|made_by| branch_of(made_by).is_none());
            let made = kernel.ops[op].results.first().copied().filter(is_condition);
            if let (Some(&branch), Some(value), true) = (branch_of(op), made, is_first) {
                self.made_by.insert(op, (branch, value));
            }
        });
        self.flows = branches.into_iter().map(|flow| CountedFlow { flow, groups: VecDeque::new() }).collect();
    }

    /// Returns the branches that lanes came to, as far as the run ever came; the lanes of the last group where it stands.
    pub(super) fn flows(&self, n_steps: u64) -> Vec<BranchFlow> {
        let reached = self.flows.iter().filter(|it| it.flow.n_came > 0);
        let of = |it: &CountedFlow| {
            let last = it.groups.iter().rfind(|(step, ..)| *step <= n_steps);
            let last = last.map(|(_, held, past)| (held.clone(), past.clone()));
            BranchFlow { last, ..it.flow.clone() }
        };
        reached.map(of).collect()
    }

    /// Counts the lanes of a condition that was just made.
    fn count_flow(&mut self, stepping: &Stepping) {
        let Some((number, value, came)) = self.pending.take() else { return };
        let Some(held) = lanes_of(stepping, value) else { return };
        let lanes = |holds: bool| -> Vec<u16> {
            let lanes = held.iter().zip(&came).enumerate();
            lanes.filter(|(_, (held, came))| **came && **held == holds).map(|(lane, _)| lane as u16).collect()
        };
        let counted = &mut self.flows[number];
        let (within, past) = (lanes(true), lanes(false));
        counted.flow.n_held += within.len() as u64;
        counted.flow.n_came += (within.len() + past.len()) as u64;
        if counted.groups.len() == REMEMBERED {
            counted.groups.pop_front();
        }
        counted.groups.push_back((stepping.n_steps(), within, past));
    }

    /// Counts the condition that the next op of a run joins, unless it was counted before.
    pub(super) fn count(&mut self, stepping: &Stepping) {
        if stepping.n_steps() < self.until {
            return;
        }
        self.until = stepping.n_steps() + 1;
        self.count_flow(stepping);
        let Some(op) = stepping.next_op() else { return };
        if let Some(&(number, value)) = self.made_by.get(&op) {
            let came = stepping.lanes_here().map(|here| here.on);
            self.pending = came.map(|came| (number, value, came));
        }
        if let Some(on) = self.conditions.get(&op).and_then(|&condition| lanes_of(stepping, condition)) {
            let n_active = on.iter().filter(|on| **on).count() as u64;
            let of_op = self.counts.entry(op).or_default();
            *of_op = of_op.and(ActiveCount { n_runs: 1, n_active, n_lanes: on.len() as u64 });
        }
    }

    /// Returns the ops that join conditions, with the lanes those held in.
    pub(super) fn counts(&self) -> impl Iterator<Item = (Op, ActiveCount)> {
        self.counts.iter().map(|(&op, &count)| (op, count))
    }
}

/// The condition in lanes that an op joins to whether it holds in any.
fn joined(kernel: &Kernel, op: Op) -> Option<Value> {
    let data = &kernel.ops[op];
    let condition = *data.operands.first().filter(|_| data.code == Code::Any)?;
    kernel.ty(condition).lanes().map(|_| condition)
}

/// The lanes that stay in the innermost loop that goes around until its last lane has left it, where a run stands in its block.
pub(super) fn loop_mask(stepping: &Stepping) -> Option<(Option<String>, Vec<bool>)> {
    let kernel = stepping.kernel();
    let next = stepping.next_op()?;
    let open = stepping.loop_position(usize::MAX);
    let code = |op: &Op| kernel.ops[*op].code.row().name;
    let around =
        open.iter().rev().filter_map(|(op, _)| *op).find(|op| code(op) != "if").filter(|op| code(op) == "while")?;
    let test = *kernel.ops[around].regions.first()?;
    // While the condition is computed, it is that of the round before.
    let mut is_test = false;
    kernel.walk(test, &mut |_, op| is_test |= op == next);
    let join = kernel.def_op(*kernel.regions[test].yields.first()?).filter(|_| !is_test)?;
    let condition = joined(kernel, join)?;
    let name = kernel.values[condition].name.as_deref().filter(|name| !name.is_empty());
    Some((name.map(str::to_owned), lanes_of(stepping, condition)?))
}

fn lanes_of(stepping: &Stepping, condition: Value) -> Option<Vec<bool>> {
    let is_on = |cell: &Cell| matches!(cell, Cell::Data(Scalar::Bool(true)));
    match stepping.reg(condition) {
        Reg::Lanes(cells) => Some(cells.iter().map(is_on).collect()),
        Reg::Empty | Reg::One(_) => None,
    }
}
