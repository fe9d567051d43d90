//! The lanes that were on at each line of the source, and those that took its branches, as far as a run ever came.

use std::collections::{BTreeMap, HashMap, VecDeque};

use ispc_ir::module::{GangFunction, GangInst, GangModule, GangReg};
use ispc_ir::op::GangOp;
use ispc_ir::walk::each_inst;
use queries::stepping::ActiveCount;
use report::TextRange;

use super::history::RunState;
use super::places::{RunPlaces, own_range};
use crate::stepping::BranchFlow;
use crate::stepping::looking::{ActivityReport, LineActivity};

/// Limit on the groups that are remembered of a branch.
const REMEMBERED: usize = 10_000;

/// A branch with what is needed to count it.
struct CountedBranch {
    flow: BranchFlow,
    /// The groups that came to it: the step at which each did, and the lanes that its condition held in, and did not, as bits.
    groups: VecDeque<(u64, u64, u64)>,
}

/// A condition that is about to be made.
struct PendingBranch {
    branch: usize,
    reg: GangReg,
    /// The lanes that come to it.
    came: u64,
    n_calls: usize,
}

/// The lanes that were on so far.
pub(super) struct LaneCounts<'l> {
    places: HashMap<*const GangInst, (u32, TextRange)>,
    lines: BTreeMap<u32, (TextRange, ActiveCount)>,
    branches: Vec<CountedBranch>,
    /// The ops that make conditions: the number of the branch, and the register.
    made_by: HashMap<*const GangInst, (usize, GangReg)>,
    pending: Option<PendingBranch>,
    /// The number of steps up to which all is counted.
    until: u64,
    module: std::marker::PhantomData<&'l GangModule>,
}

impl<'l> LaneCounts<'l> {
    /// Finds the ops and the conditions of a program.
    pub(super) fn of(module: &'l GangModule, places: &RunPlaces<'l>) -> LaneCounts<'l> {
        let mut counts = LaneCounts {
            places: HashMap::new(),
            lines: BTreeMap::new(),
            branches: Vec::new(),
            made_by: HashMap::new(),
            pending: None,
            until: 0,
            module: std::marker::PhantomData,
        };
        for function in &module.functions {
            each_inst(&function.body, &mut |inst| {
                let at = places.line(inst).zip(own_range(places.place(inst)));
                counts.places.extend(at.map(|at| (std::ptr::from_ref(inst), at)));
            });
            counts.find_branches(function, places);
        }
        counts
    }

    fn find_branches(&mut self, function: &GangFunction, places: &RunPlaces<'l>) {
        let mut makers: HashMap<GangReg, &GangInst> = HashMap::new();
        let mut conditions = Vec::new();
        each_inst(&function.body, &mut |inst| {
            makers.extend(inst.results.iter().map(|reg| (*reg, inst)));
            match &inst.op {
                GangOp::If(condition, ..) => conditions.push(*condition),
                GangOp::Loop { test, again, .. } => {
                    conditions.extend(test.iter().map(|(_, holds)| *holds).chain(*again));
                }
                _ => {}
            }
        });
        for reg in conditions.into_iter().filter(|reg| function.regs[reg.0 as usize].is_varying) {
            let Some((maker, range)) = makers.get(&reg).and_then(|maker| Some((*maker, own_range(maker.place)?)))
            else {
                continue;
            };
            let (line, source) = (places.index.line(range.start()), places.source);
            let start = usize::from(places.index.line_range(line).start());
            let indent = source[start..].bytes().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
            let text = source[range].lines().next().unwrap_or_default().trim_end_matches(['{', ' ']).to_owned();
            let flow = BranchFlow { range, line, indent, text, n_came: 0, n_held: 0, last: None };
            self.made_by.insert(std::ptr::from_ref(maker), (self.branches.len(), reg));
            self.branches.push(CountedBranch { flow, groups: VecDeque::new() });
        }
    }

    /// Counts the lanes of the place to which a run has come, unless it was there before.
    pub(super) fn observe(&mut self, now: &RunState<'l>) {
        if now.n_steps < self.until {
            return;
        }
        self.until = now.n_steps + 1;
        self.count_branch(now);
        let (Some(frame), Some(op)) = (now.frame(), now.next_op()) else { return };
        let on = frame.lanes_on();
        if let Some((line, range)) = self.places.get(&std::ptr::from_ref(op)) {
            let n_lanes = now.all_lanes().count_ones().into();
            let count = ActiveCount { n_runs: 1, n_active: on.count_ones().into(), n_lanes };
            let (first, of_line) = self.lines.entry(*line).or_insert((*range, ActiveCount::default()));
            *first = if range.start() < first.start() { *range } else { *first };
            *of_line = of_line.and(count);
        }
        if let Some((branch, reg)) = self.made_by.get(&std::ptr::from_ref(op)).copied() {
            self.pending = Some(PendingBranch { branch, reg, came: on, n_calls: now.machine.calls().len() });
        }
    }

    fn count_branch(&mut self, now: &RunState<'l>) {
        let Some(PendingBranch { branch, reg, came, n_calls }) = self.pending.take() else { return };
        let Some(frame) = now.machine.calls().get(n_calls - 1) else { return };
        let holds = frame.numbers(reg).iter().enumerate();
        let holds = holds.fold(0, |bits, (lane, number)| bits | u64::from(*number != 0) << lane);
        let counted = &mut self.branches[branch];
        counted.flow.n_came += u64::from(came.count_ones());
        counted.flow.n_held += u64::from((came & holds).count_ones());
        if counted.groups.len() == REMEMBERED {
            counted.groups.pop_front();
        }
        counted.groups.push_back((now.n_steps, came & holds, came & !holds));
    }

    /// The branches that lanes came to; of each the lanes of the last group, where the run stands.
    pub(super) fn flows(&self, n_steps: u64) -> Vec<BranchFlow> {
        let lanes = |bits: u64| (0..64u16).filter(|lane| bits >> lane & 1 == 1).collect();
        let reached = self.branches.iter().filter(|it| it.flow.n_came > 0);
        let of = |it: &CountedBranch| {
            let last = it.groups.iter().rfind(|(step, ..)| *step <= n_steps);
            BranchFlow { last: last.map(|(_, held, past)| (lanes(*held), lanes(*past))), ..it.flow.clone() }
        };
        let mut flows: Vec<BranchFlow> = reached.map(of).collect();
        flows.sort_by_key(|flow| flow.range.start());
        flows
    }

    pub(super) fn activity(&self, is_whole: bool) -> ActivityReport {
        let overall = self.lines.values().fold(ActiveCount::default(), |all, (_, count)| all.and(*count));
        let is_masked = |count: &ActiveCount| count.n_active < count.n_lanes;
        let lines = self.lines.iter().filter(|(_, (_, count))| is_masked(count));
        ActivityReport {
            n_steps: self.until.saturating_sub(1),
            is_whole,
            overall: overall.average(),
            lines: lines
                .filter_map(|(line, (range, count))| {
                    Some(LineActivity { line: *line, range: *range, average: count.average()? })
                })
                .collect(),
        }
    }
}
