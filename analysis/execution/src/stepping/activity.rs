//! How many lanes were active in the ops of a run.
//!
//! A step that is taken back and done again counts once: what is counted is the run as far as it ever came.

use ir::Op;
use ir::interp::Event;
use rustc_hash::FxHashMap;

/// The lanes that were active, for each op that says which are.
#[derive(Debug, Clone, Default)]
pub struct Activity {
    /// The number of the last step that was counted.
    until: u64,
    of_ops: FxHashMap<Op, ActiveCount>,
}

/// The lanes of an op over all its runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ActiveCount {
    /// The number of times that the op ran.
    pub n_runs: u64,
    /// The number of lanes that were active, all runs together.
    pub n_active: u64,
    /// The number of lanes that there were, all runs together.
    pub n_lanes: u64,
}

impl ActiveCount {
    /// Returns both counts together.
    pub fn and(self, other: ActiveCount) -> ActiveCount {
        ActiveCount {
            n_runs: self.n_runs + other.n_runs,
            n_active: self.n_active + other.n_active,
            n_lanes: self.n_lanes + other.n_lanes,
        }
    }

    /// Returns the number of active lanes of a run on average, and that of all lanes; `None` if the op never ran.
    pub fn average(self) -> Option<(f64, f64)> {
        let of_run = |n: u64| n as f64 / self.n_runs as f64;
        (self.n_runs > 0).then(|| (of_run(self.n_active), of_run(self.n_lanes)))
    }
}

impl Activity {
    /// Counts a step, unless it was counted before.
    pub(super) fn count(&mut self, step: u64, events: &[Event]) {
        if step <= self.until {
            return;
        }
        self.until = step;
        for event in events {
            if let Event::Active { op, lanes } = event {
                let n_active = lanes.iter().filter(|on| **on).count() as u64;
                let of_op = self.of_ops.entry(*op).or_default();
                *of_op = of_op.and(ActiveCount { n_runs: 1, n_active, n_lanes: lanes.len() as u64 });
            }
        }
    }

    /// Returns the number of steps that are counted.
    pub fn n_steps(&self) -> u64 {
        self.until
    }

    /// Returns the ops whose lanes were counted, in no order.
    pub fn of_ops(&self) -> impl Iterator<Item = (Op, ActiveCount)> {
        self.of_ops.iter().map(|(&op, &count)| (op, count))
    }
}
