//! The longest carried chain of a loop: the ops on the way from what an iteration is handed to what it hands on, which no iteration
//! can start before the one before has done them. Values are handed on by the loop, or in cells that a later turn loads.

use ir::entities::{Op, Region, Value};
use ir::forest::is_loop;
use ir::ops::Code;
use ir::program::Kernel;
use ir::scalar::Scalar;
use ir::target::Target;
use rustc_hash::FxHashMap;

use super::is_for_nan;
use super::ops::noun;
use crate::cost::{latency_of, unit};

/// Of values that a loop carries, and of cells that it loads again, so many are followed.
const MOST_CARRIED: usize = 64;

/// The ops of a chain, each with what it is, and the time until its result is there in quarters of a cycle.
type Path = Vec<(Op, &'static str, f64)>;

/// The longest chain of a loop; `None` for a loop that carries nothing but what it counts by.
pub(super) fn longest(kernel: &Kernel, target: &Target, op: Op) -> Option<Path> {
    let data = &kernel.ops[op];
    let (first, last) = (*data.regions.first()?, *data.regions.last()?);
    let n_before = if data.code == Code::While { 0 } else { kernel.n_head_args(op) };
    let carried = kernel.regions[first].args[n_before.min(kernel.regions[first].args.len())..].iter();
    let carried = carried.zip(&kernel.regions[last].yields).map(|(&from, &to)| (from, to, 1));
    let mut links: Vec<(Value, Value, u64)> = carried.take(MOST_CARRIED).collect();
    links.extend(through_memory(kernel, op).into_iter().take(MOST_CARRIED));
    let chains = links.into_iter().map(|(from, to, turns)| {
        let mut search = Search { kernel, target, place: place(kernel, op), known: FxHashMap::default() };
        search.known.insert(from, (0.0, None));
        data.regions.iter().for_each(|&region| search.block(region));
        let time = search.known.get(&to)?.0 / turns as f64;
        let mut path = Vec::new();
        search.path(to, &mut path);
        path.iter_mut().for_each(|(_, _, latency)| *latency /= turns as f64);
        (time > 0.0).then_some((time, path))
    });
    let (_, path) = chains.flatten().max_by(|(a, _), (b, _)| a.total_cmp(b))?;
    Some(path)
}

/// The values that a loop without lanes hands on in cells: what is loaded, what an earlier turn has stored there, and the turns between.
///
/// `a[i] = a[i - 2] * x` loads what the turn before the last one has stored.
fn through_memory(kernel: &Kernel, op: Op) -> Vec<(Value, Value, u64)> {
    let data = &kernel.ops[op];
    let step = data.operands.get(2).and_then(|&step| kernel.as_const(step)).and_then(Scalar::wide);
    let Some(step) = step.filter(|step| *step != 0 && data.code == Code::For) else { return Vec::new() };
    let index = kernel.regions[data.regions[0]].args[0];
    let (mut loads, mut stores) = (Vec::new(), Vec::new());
    cells(kernel, data.regions[0], &mut loads, &mut stores);
    let link = |load: Op, store: Op| {
        let (load, store) = (&kernel.ops[load], &kernel.ops[store]);
        let (to, at) = store.operands.split_last()?;
        let mut between = None;
        for (&read, &written) in load.operands.iter().zip(at) {
            if read == written {
                continue;
            }
            let apart = shift(kernel, written, index)? - shift(kernel, read, index)?;
            if between.is_some_and(|known| known != apart) {
                return None;
            }
            between = Some(apart);
        }
        let between = between.filter(|between| between % step == 0)? / step;
        Some((load.results[0], *to, u64::try_from(between).ok().filter(|&turns| turns > 0)?))
    };
    let of_store = |&store: &Op| loads.iter().filter_map(move |&load| link(load, store)).min_by_key(|link| link.2);
    stores.iter().take(MOST_CARRIED).filter_map(of_store).collect()
}

/// Finds the loads and stores of single cells in a block, but those in loops inside.
fn cells(kernel: &Kernel, region: Region, loads: &mut Vec<Op>, stores: &mut Vec<Op>) {
    for &op in &kernel.regions[region].ops {
        let data = &kernel.ops[op];
        match data.code {
            Code::Load if loads.len() < MOST_CARRIED => loads.push(op),
            Code::Store => stores.push(op),
            code if !is_loop(code) => data.regions.iter().for_each(|&inner| cells(kernel, inner, loads, stores)),
            _ => {}
        }
    }
}

/// The constant that a subscript is more than the index of a loop.
fn shift(kernel: &Kernel, value: Value, index: Value) -> Option<i128> {
    if value == index {
        return Some(0);
    }
    let data = &kernel.ops[kernel.def_op(value)?];
    let constant = |number: usize| kernel.as_const(*data.operands.get(number)?).and_then(Scalar::wide);
    let rest = |number: usize| shift(kernel, data.operands[number], index);
    match data.code {
        Code::Index | Code::Cast => rest(0),
        Code::Add | Code::WrappingAdd | Code::Advance => match constant(1) {
            Some(by) => Some(rest(0)? + by),
            None => Some(rest(1)? + constant(0)?),
        },
        Code::Sub | Code::WrappingSub => Some(rest(0)? - constant(1)?),
        _ => None,
    }
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
                let rare = usize::from(is_for_nan(self.kernel, op));
                data.regions.iter().skip(rare).filter_map(yielded).collect()
            }
            _ if !data.regions.is_empty() => self.kernel.inputs(op),
            _ => data.operands.to_vec(),
        };
        let times = waits.into_iter().filter_map(|value| Some((self.known.get(&value)?.0, value)));
        times.max_by(|(a, _), (b, _)| a.total_cmp(b))
    }

    /// Adds the ops on the way to a value, the last one first.
    fn path(&self, value: Value, path: &mut Path) {
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
