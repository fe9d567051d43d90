//! All that is to be seen where a run stands, as data: the op at hand, the lanes and their values, the cells it touches, and how many
//! lanes were active so far.

use std::borrow::Cow;
use std::collections::BTreeMap;

use queries::run::ResultArray;
use queries::stepping::{ActiveCount, Op};
use report::TextRange;

use super::grid::{LaneGrid, grid};
use super::strips::{Strip, strips};
use super::{BranchFlow, Stepper};
use crate::failure;

/// The sight of a run from where it stands.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LanesView {
    /// The number of steps that led there.
    pub n_steps: u64,
    /// The op at hand: the one that comes next, or that failed.
    pub op: Option<OpPlace>,
    /// The index of each loop around it, outermost first.
    pub iteration: Vec<i128>,
    /// The index of the last lane of the group, if the innermost loop is in lanes.
    pub last_lane: Option<i128>,
    /// All that was printed so far.
    pub printed: String,
    /// The end of the run, if it has come there.
    pub end: Option<RunEnd>,
    /// The error that the op at hand ends the run with.
    pub warning: Option<String>,
    /// The values of the lanes.
    pub grid: LaneGrid,
    /// The cells that the op at hand touches.
    pub strips: Vec<Strip>,
    /// The lanes that were active.
    pub activity: ActivityReport,
    /// The branches of the source that lanes came to.
    pub branches: Vec<BranchFlow>,
}

/// The place of an op.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpPlace {
    /// The name of the op: `gather`.
    pub op: Cow<'static, str>,
    /// The line of the stage's text that it is written on, without its indentation.
    pub text: String,
    /// The number of that line, from 0.
    pub text_line: Option<usize>,
    /// The place in the source; of a function that nobody has stepped into, the call.
    pub range: Option<TextRange>,
    /// The function that it stands in, if that is not the kernel.
    pub function: Option<String>,
}

/// The end of a run.
#[derive(Debug, Clone, PartialEq)]
pub enum RunEnd {
    /// It has ended well, with this result and these arrays.
    Done(Option<String>, Vec<ResultArray>),
    /// An error of the program ended it.
    Failed(String),
}

/// The lanes that were active on average, as far as a run ever came.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ActivityReport {
    /// The number of steps that are counted.
    pub n_steps: u64,
    /// True if that is the whole run.
    pub is_whole: bool,
    /// Active lanes, and all lanes, of all ops and branches that say which lanes are active.
    pub overall: Option<(f64, f64)>,
    /// The lines of which some lane was not active, in order.
    pub lines: Vec<LineActivity>,
}

/// The lanes that were active on average in a line.
#[derive(Debug, Clone, PartialEq)]
pub struct LineActivity {
    /// The line of the source, from 0.
    pub line: u32,
    /// The place of its first op.
    pub range: TextRange,
    /// Active lanes, and all lanes.
    pub average: (f64, f64),
}

impl Stepper {
    /// Looks at the run where it stands.
    pub fn look(&mut self) -> LanesView {
        let peek = self.stepping.peek();
        let stepping = &self.stepping;
        let failed = stepping.failed_at();
        let (iteration, last_lane) = stepping.iterations();
        let sentence = |failure: &queries::run::RunFailure| {
            let told = failure::diagnostic(failure);
            told.message + &told.help.map_or_else(String::new, |help| format!(" ({help})"))
        };
        let end = match stepping.failure() {
            Some(failure) => Some(RunEnd::Failed(sentence(&failure))),
            None if stepping.is_over() => {
                let result = stepping.result().map(|result| result.to_string());
                Some(RunEnd::Done(result, stepping.written()))
            }
            None => None,
        };
        let op = stepping.next_op().or(failed.map(|(op, _)| op));
        LanesView {
            n_steps: stepping.n_steps(),
            op: op.map(|op| self.op_place(op)),
            iteration,
            last_lane,
            printed: String::new(),
            end,
            warning: peek.as_ref().and_then(|peek| peek.failure.as_ref()).map(sentence),
            grid: grid(stepping, peek.as_ref(), &self.source_names),
            strips: peek.as_ref().map(|peek| strips(stepping, peek)).unwrap_or_default(),
            activity: self.activity(),
            branches: self.branches.flows(stepping.n_steps()),
        }
    }

    fn op_place(&self, op: Op) -> OpPlace {
        let text_line = self.places.line_in_text(op);
        let text = text_line.and_then(|line| self.places.text.get(line)).map(|line| line.trim().to_owned());
        let calls = self.places.calls(op);
        let n_hidden = self.n_hidden.min(calls.len().saturating_sub(1));
        let seen = calls.get(n_hidden);
        OpPlace {
            op: self.stepping.kernel().ops[op].code.row().name.into(),
            text: text.unwrap_or_default(),
            text_line,
            range: seen.map(|call| call.range),
            function: seen.filter(|_| n_hidden + 1 < calls.len()).map(|call| call.item.clone()),
        }
    }

    fn activity(&self) -> ActivityReport {
        let activity = self.stepping.activity();
        let counts = || activity.of_ops().chain(self.branches.counts());
        let mut lines: BTreeMap<u32, (TextRange, ActiveCount)> = BTreeMap::new();
        for (op, count) in counts() {
            if let Some(call) = self.places.calls(op).first() {
                let (range, of_line) = lines.entry(call.at.line).or_insert((call.range, ActiveCount::default()));
                *range = if call.range.start() < range.start() { call.range } else { *range };
                *of_line = of_line.and(count);
            }
        }
        let overall = counts().fold(ActiveCount::default(), |all, (_, count)| all.and(count));
        let is_masked = |count: &ActiveCount| count.n_active < count.n_lanes;
        let lines = lines.into_iter().filter(|(_, (_, count))| is_masked(count));
        ActivityReport {
            n_steps: activity.n_steps(),
            is_whole: self.was_over,
            overall: overall.average(),
            lines: lines
                .filter_map(|(line, (range, count))| Some(LineActivity { line, range, average: count.average()? }))
                .collect(),
        }
    }
}
