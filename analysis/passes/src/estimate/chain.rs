//! The longest carried chain of a loop: the ops on the way from what an iteration is handed to what it hands on, which no iteration
//! can start before the one before has done them.

use ir::entities::{Op, Region, Value};
use ir::forest::is_loop;
use ir::ops::Code;
use ir::program::Kernel;
use ir::target::Target;
use rustc_hash::FxHashMap;

use super::ops::noun;
use crate::cost::{latency_of, unit};

/// Of values that a loop carries, so many are followed.
const MOST_CARRIED: usize = 64;

/// The ops of the longest chain of a loop, each with what it is, and the time until its result is there in quarters of a cycle;
/// `None` for a loop that carries nothing but what it counts by.
pub(super) fn longest(kernel: &Kernel, target: &Target, op: Op) -> Option<Vec<(Op, &'static str, f64)>> {
    let data = &kernel.ops[op];
    let (first, last) = (*data.regions.first()?, *data.regions.last()?);
    let n_before = if data.code == Code::While { 0 } else { kernel.n_head_args(op) };
    let carried = kernel.regions[first].args[n_before.min(kernel.regions[first].args.len())..].iter();
    let chains = carried.zip(&kernel.regions[last].yields).take(MOST_CARRIED).map(|(&from, &to)| {
        let mut search = Search { kernel, target, place: place(kernel, op), known: FxHashMap::default() };
        search.known.insert(from, (0.0, None));
        data.regions.iter().for_each(|&region| search.block(region));
        let time = search.known.get(&to)?.0;
        let mut path = Vec::new();
        search.path(to, &mut path);
        (time > 0.0).then_some((time, path))
    });
    let (_, path) = chains.flatten().max_by(|(a, _), (b, _)| a.total_cmp(b))?;
    Some(path)
}

struct Search<'k> {
    kernel: &'k Kernel,
    target: &'k Target,
    /// The place of the loop.
    place: u32,
    /// The time from the start to each value that depends on it, and the value that it waits for.
    known: FxHashMap<Value, (f64, Option<Value>)>,
}

impl Search<'_> {
    /// Finds the times of the values of a block, in order.
    fn block(&mut self, region: Region) {
        for &op in &self.kernel.regions[region].ops {
            let data = &self.kernel.ops[op];
            // A loop of the same place inside is for a rare case.
            if is_loop(data.code) && place(self.kernel, op) == self.place {
                continue;
            }
            data.regions.iter().for_each(|&inner| self.block(inner));
            for (number, &result) in data.results.iter().enumerate() {
                if let Some((time, before)) = self.latest(op, number) {
                    self.known.insert(result, (time + latency(self.kernel, self.target, op), Some(before)));
                }
            }
        }
    }

    /// The value that a result of an op waits for longest.
    fn latest(&self, op: Op, number: usize) -> Option<(f64, Value)> {
        let data = &self.kernel.ops[op];
        let waits: Vec<Value> = match data.code {
            // What is chosen by a branch does not wait for the test, which is foreseen.
            Code::If => {
                let yielded = |&side: &Region| self.kernel.regions[side].yields.get(number).copied();
                data.regions.iter().filter_map(yielded).collect()
            }
            _ if !data.regions.is_empty() => self.kernel.inputs(op),
            _ => data.operands.to_vec(),
        };
        let times = waits.into_iter().filter_map(|value| Some((self.known.get(&value)?.0, value)));
        times.max_by(|(a, _), (b, _)| a.total_cmp(b))
    }

    /// Adds the ops on the way to a value, the last one first.
    fn path(&self, value: Value, path: &mut Vec<(Op, &'static str, f64)>) {
        let mut at = value;
        while let Some((_, Some(before))) = self.known.get(&at) {
            if let Some(op) = self.kernel.def_op(at) {
                path.push((op, noun(self.kernel.ops[op].code), latency(self.kernel, self.target, op)));
            }
            at = *before;
        }
    }
}

fn place(kernel: &Kernel, op: Op) -> u32 {
    kernel.origins[kernel.ops[op].origin].place
}

/// The time from the operands of an op to its result, in quarters of a cycle.
fn latency(kernel: &Kernel, target: &Target, op: Op) -> f64 {
    let data = &kernel.ops[op];
    let costs = &target.costs;
    let lanes = data.operands.iter().filter_map(|&value| kernel.ty(value).lanes()).max().unwrap_or(1);
    let each = latency_of(kernel, op, costs) as f64 / unit(1) as f64;
    match data.code {
        Code::If | Code::Index => 0.0,
        Code::FoldAdd | Code::FoldMul | Code::FoldMin | Code::FoldMax => each * f64::from(lanes),
        Code::Gather => f64::from(costs.latency) + f64::from(costs.gather_lane) * f64::from(lanes),
        Code::Select | Code::Bitcast => each,
        code if code.asks_lanes() && lanes > 1 => {
            f64::from(lanes.next_power_of_two().trailing_zeros()) * (each + f64::from(costs.shuffle))
        }
        _ => each,
    }
}
