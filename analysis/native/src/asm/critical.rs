//! How long a turn of a hot loop takes, as an estimate: the chain of instructions that bounds it, against the units of the processor.
//!
//! An instruction waits for the registers that it takes ([`registers`](super::registers)), and gives its own so many cycles later; the
//! figures are those of [`explain`](super::explain), of one well-known processor of a family. Two chains matter:
//!
//! - the *carried* one: from the registers that a turn begins with to those that it ends with. The next turn waits for these, so that
//!   no turn can take less, however many units there are. It may lead through several turns before it closes, and of all that close
//!   the one counts that takes the most cycles for a turn;
//! - the *way through a turn*: the longest chain from its start to anything that it gives or stores. Turns overlap, so that it bounds
//!   nothing while there are enough of them; a loop of few turns takes about as long.
//!
//! Beside them stands the time that the units need: of any set of units, the work that only these can do, shared out evenly. And a
//! processor begins so many instructions in a cycle and no more, whatever they do.
//!
//! ```text
//! .LBB0_2:
//!   vaddps (%rdi,%rax,4), %ymm0, %ymm0     4 cycles, for itself in the turn before: the carried chain
//!   addq   $8, %rax                        1 cycle: a chain as well, and a shorter one
//!   cmpq   %rcx, %rax
//!   jb     .LBB0_2
//! ```
//!
//! A product that is added to the last one of its kind waits less for it on some processors, which take that only at their end.
//!
//! All instructions of a turn are taken to run, in the order of their lines, and to find their data in the first cache. That a load
//! waits for a store to the same cell is known of the stack frame alone.

use std::collections::{BTreeSet, HashMap};

use ir::Family;

use super::Line;
use super::counts::Kind;
use super::decode::{Decoded, decode};
use super::explain::{InstructionCost, Processor, cost, processor};
use super::groups::vector_types;
use super::registers::{Register, TouchedRegisters, touched};

/// The estimate of a turn of a loop.
#[derive(Debug, Clone, PartialEq)]
pub struct LoopEstimate {
    /// The processor that the figures are of.
    pub processor: &'static str,
    /// The longest chain that turns hand on.
    pub carried: LatencyChain,
    /// The longest way through one turn.
    pub through: LatencyChain,
    /// The cycles that the units need for a turn which are busy longest, and their names.
    pub units: (f64, String),
    /// The cycles in which so many instructions begin.
    pub front: f64,
}

/// Instructions that wait for each other.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LatencyChain {
    /// The cycles of a turn.
    pub cycles: f64,
    /// The number of turns that it leads through before it closes.
    pub turns: usize,
    /// The instructions: the number of the line in the function, and the cycles that it adds.
    pub steps: Vec<(usize, u32)>,
}

/// The reason why a turn takes as long as it does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoopBound {
    /// The chain that turns hand on.
    Latency,
    /// Units that are busy.
    Units,
    /// The number of instructions that begin in a cycle.
    FrontEnd,
}

impl LoopBound {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            LoopBound::Latency => "latency",
            LoopBound::Units => "units",
            LoopBound::FrontEnd => "front-end",
        }
    }
}

impl LoopEstimate {
    /// The cycles that a turn takes.
    pub fn cycles(&self) -> f64 {
        self.carried.cycles.max(self.units.0).max(self.front)
    }

    /// The reason for that. A chain that takes no longer than the units is none.
    pub fn bound(&self) -> LoopBound {
        match () {
            () if self.carried.cycles > self.units.0.max(self.front) => LoopBound::Latency,
            () if self.units.0 >= self.front => LoopBound::Units,
            () => LoopBound::FrontEnd,
        }
    }

    /// The chain among whose instructions a line of the function is: the carried one before the way through a turn.
    pub fn mark(&self, line: usize) -> Option<ChainMark> {
        let is_in = |chain: &LatencyChain| chain.steps.iter().any(|(at, _)| *at == line);
        match () {
            () if is_in(&self.carried) => Some(ChainMark::Carried),
            () if is_in(&self.through) => Some(ChainMark::Through),
            () => None,
        }
    }
}

/// The chain that an instruction is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChainMark {
    /// That which turns hand on.
    Carried,
    /// The longest way through a turn.
    Through,
}

impl ChainMark {
    /// The mark in front of an instruction.
    pub fn sign(self) -> char {
        match self {
            ChainMark::Carried => '*',
            ChainMark::Through => 'o',
        }
    }
}

/// An instruction of a turn.
struct TurnInstruction {
    /// The number of its line in the function.
    line: usize,
    touched: TouchedRegisters,
    /// The cycles from an address to what is loaded; 0 where nothing is.
    load: u32,
    /// The cycles from operands to result.
    latency: u32,
    busy: Vec<(u16, f64)>,
    slots: f64,
    /// The kind of an instruction that waits less for what one of its kind has given, and the cycles.
    forwards: Option<(&'static str, u32)>,
    /// The register that it waits so many cycles less for.
    waits_less: Option<(Register, u32)>,
}

/// Estimates the turns of a loop, whose lines are given by their numbers in the function. An error is a reason, as the end of a
/// sentence.
pub(super) fn estimate(lines: &[Line], numbers: &[usize], family: Family) -> Result<LoopEstimate, String> {
    let code = numbers.iter().map(|&line| lines[line].text.as_str());
    let processor = processor(family, code)
        .ok_or("what runs WebAssembly compiles it once more, for a processor that is not known here")?;
    let mut instructions: Vec<TurnInstruction> = Vec::new();
    let mut compares = false;
    let vectors = numbers.iter().copied().zip(vector_types(lines, numbers));
    for (line, vectors) in vectors.filter(|(line, _)| lines[*line].kind.is_some()) {
        let text = lines[line].text.as_str();
        if lines[line].counts.of(Kind::Call) > 0 {
            return Err("it calls functions".to_owned());
        }
        let decoded = decode(text, family);
        let (Some(cost), Some(touched)) = (cost(text, processor, vectors), touched(text, family, vectors)) else {
            return Err(format!("there are no figures of `{}`", text.split_whitespace().next().unwrap_or_default()));
        };
        let mut instruction = instruction(line, &decoded, &cost, touched, processor);
        // A comparison is one with the jump behind it.
        if compares
            && cost.is_branch
            && let Some(compared) = instructions.last_mut()
        {
            (compared.slots, compared.busy) = (0.0, Vec::new());
        }
        compares = cost.joins_branch && decoded.loads + decoded.stores == 0;
        instruction.latency = if cost.is_branch { 0 } else { instruction.latency };
        instructions.push(instruction);
    }
    find_forwarded(&mut instructions);
    Ok(LoopEstimate {
        processor: processor.name,
        carried: carried(&instructions),
        through: through(&instructions),
        units: units(&instructions, processor),
        front: instructions.iter().map(|it| it.slots).sum::<f64>() / f64::from(processor.begins),
    })
}

fn instruction(
    line: usize,
    decoded: &Decoded<'_>,
    cost: &InstructionCost,
    touched: TouchedRegisters,
    processor: &Processor,
) -> TurnInstruction {
    let loads = touched.loads_by.is_some();
    // What only moves between memory and a register takes the time of that, unless it has a time of its own, as under a mask.
    let moves = decoded.work.is_none() && decoded.loads + decoded.stores > 0;
    let load = match (loads, cost.in_vectors) {
        (false, _) => 0,
        (true, true) => processor.loads_vector,
        (true, false) => processor.loads_one,
    };
    let has_accesses = cost.has_accesses || matches!(decoded.work, Some(Kind::Gather | Kind::Scatter));
    let mut busy: Vec<(u16, f64)> = match moves && !has_accesses {
        true => Vec::new(),
        false => cost.busy.clone(),
    };
    // A spill is decoded as the load or store that it is.
    let n = |number: u32| f64::from(number);
    if !has_accesses && decoded.loads > 0 {
        busy.push((processor.load_units, n(decoded.loads)));
    }
    if !has_accesses && decoded.stores > 0 {
        busy.extend(processor.store_units.iter().map(|units| (*units, n(decoded.stores))));
    }
    let own_time = cost.latency.saturating_sub(if loads { load } else { 0 });
    let latency = match (has_accesses, moves) {
        (true, _) => own_time,
        (_, true) => own_time * u32::from(cost.is_masked && loads),
        _ => cost.latency,
    };
    TurnInstruction { line, touched, load, latency, busy, slots: cost.slots, forwards: cost.forwards, waits_less: None }
}

/// Finds what adds to the result of one of its kind, in its turn or in the one before.
fn find_forwarded(instructions: &mut [TurnInstruction]) {
    let n = instructions.len();
    for at in 0..n {
        let it = &instructions[at];
        let Some((kind, cycles)) = it.forwards else { continue };
        let sum = it.touched.writes.first().copied().filter(|sum| it.touched.reads.contains(sum));
        let giver = sum.and_then(|sum| {
            let earlier = (1..=n).map(|back| &instructions[(at + n - back) % n]);
            earlier.into_iter().find(|other| other.touched.writes.contains(&sum))
        });
        let same = giver.and_then(|giver| giver.forwards).is_some_and(|(other, _)| other == kind);
        instructions[at].waits_less = sum.filter(|_| same).map(|sum| (sum, cycles));
    }
}

/// The times at which registers are there, in cycles from the start of a turn, each with what gave it.
type Times = HashMap<Register, (i32, Option<usize>)>;

/// A result of an instruction: its line, the cycles that it added, and the result that it waited for.
struct Given {
    line: usize,
    cycles: u32,
    at: i32,
    before: Option<usize>,
}

/// Goes through a turn from registers whose times are known. Registers that no time is known of count as there from the start if
/// `from_all`, and else what takes only such registers is in no chain.
fn turn(instructions: &[TurnInstruction], times: &mut Times, from_all: bool) -> Vec<Given> {
    let mut all = Vec::new();
    for it in instructions {
        let time = |times: &Times, register: &Register| match times.get(register) {
            None if from_all => Some((0, None)),
            known => known.copied(),
        };
        // When all of some registers have waited long enough for it, the time of the last of these, and what gave it.
        let latest = |times: &Times, registers: &[Register]| {
            let known = registers.iter().filter_map(|register| {
                let (at, before) = time(times, register)?;
                let less = it.waits_less.filter(|(sum, _)| sum == register).map_or(0, |(_, cycles)| cycles as i32);
                Some((at - less, at, before))
            });
            known.max_by_key(|(ready, _, _)| *ready).or(from_all.then_some((0, 0, None)))
        };
        let loaded = it.touched.loads_by.as_ref().and_then(|by| latest(times, by));
        let loaded = loaded.map(|(ready, at, before)| (ready + it.load as i32, at, before));
        let worked = latest(times, &it.touched.reads);
        // Where both are as late, what was computed is more of a chain than an address.
        let waits = [loaded, worked].into_iter().flatten().max_by_key(|(ready, _, before)| (*ready, before.is_some()));
        let moved: Vec<_> = it.touched.moves_on.iter().filter_map(|by| Some((*by, time(times, by)?))).collect();
        match waits {
            None => times.retain(|register, _| !it.touched.writes.contains(register)),
            Some((ready, begun, before)) => {
                let at = ready + it.latency as i32;
                all.push(Given { line: it.line, cycles: (at - begun).max(0) as u32, at, before });
                let given = Some(all.len() - 1);
                times.extend(it.touched.writes.iter().map(|register| (*register, (at, given))));
            }
        }
        for (register, (begun, before)) in moved {
            all.push(Given { line: it.line, cycles: 1, at: begun + 1, before });
            times.insert(register, (begun + 1, Some(all.len() - 1)));
        }
    }
    all
}

/// The instructions on the way to a result, in their order.
fn steps(given: &[Given], last: Option<usize>) -> Vec<(usize, u32)> {
    let way = std::iter::successors(last, |&at| given[at].before);
    let mut steps: Vec<_> = way.map(|at| (given[at].line, given[at].cycles)).collect();
    steps.reverse();
    steps
}

/// The longest way through a turn.
fn through(instructions: &[TurnInstruction]) -> LatencyChain {
    let given = turn(instructions, &mut Times::new(), true);
    // Of those that take as long the first counts.
    let last = (0..given.len()).rev().max_by_key(|&at| given[at].at);
    LatencyChain {
        cycles: last.map_or(0.0, |at| f64::from(given[at].at)),
        turns: 1,
        steps: steps(&given, last).into_iter().filter(|(_, cycles)| *cycles > 0).collect(),
    }
}

/// The chain of turns that takes the most cycles for each.
fn carried(instructions: &[TurnInstruction]) -> LatencyChain {
    let written: BTreeSet<Register> =
        instructions.iter().flat_map(|it| it.touched.writes.iter().chain(&it.touched.moves_on)).copied().collect();
    let registers: Vec<Register> = written.into_iter().collect();
    let number = |register: &Register| registers.binary_search(register).ok();
    // The ways from what a turn begins with to what it ends with.
    let mut ways: Vec<Way> = Vec::new();
    for (from, register) in registers.iter().enumerate() {
        let mut times = Times::from([(*register, (0, None))]);
        let given = turn(instructions, &mut times, false);
        for (to, (at, last)) in times.iter().filter_map(|(register, time)| Some((number(register)?, time))) {
            if last.is_some() {
                ways.push(Way { from, to, cycles: (*at).max(0) as u32, steps: steps(&given, *last) });
            }
        }
    }
    ways.sort_by_key(|way| (way.from, way.to));
    let Some(circle) = longest_circle(registers.len(), &ways) else { return LatencyChain::default() };
    let cycles: u32 = circle.iter().map(|&way| ways[way].cycles).sum();
    LatencyChain {
        cycles: f64::from(cycles) / circle.len() as f64,
        turns: circle.len(),
        steps: circle
            .iter()
            .flat_map(|&way| ways[way].steps.iter().copied())
            .filter(|(_, cycles)| *cycles > 0)
            .collect(),
    }
}

/// A way through a turn from one register to another.
struct Way {
    from: usize,
    to: usize,
    cycles: u32,
    steps: Vec<(usize, u32)>,
}

/// The circle of ways with the most cycles for each way (Karp's algorithm: of the longest walks of `n` ways, one that is the longest for
/// its length goes around that circle).
fn longest_circle(n: usize, ways: &[Way]) -> Option<Vec<usize>> {
    // For each length, the longest walk to each register: its cycles and its last way.
    let mut longest: Vec<Vec<Option<(u32, usize)>>> = vec![vec![Some((0, usize::MAX)); n]];
    for length in 1..=n {
        let mut walks = vec![None; n];
        for (number, way) in ways.iter().enumerate() {
            let Some((cycles, _)) = longest[length - 1][way.from] else { continue };
            let cycles = cycles + way.cycles;
            if walks[way.to].is_none_or(|(known, _)| known < cycles) {
                walks[way.to] = Some((cycles, number));
            }
        }
        longest.push(walks);
    }
    let mean = |end: usize| {
        let (whole, _) = longest[n][end]?;
        let means = (0..n).filter_map(|length| {
            let (part, _) = longest[length][end]?;
            Some((f64::from(whole) - f64::from(part)) / (n - length) as f64)
        });
        means.min_by(f64::total_cmp)
    };
    let end =
        (0..n).filter_map(|end| Some((mean(end)?, end))).max_by(|(a, x), (b, y)| a.total_cmp(b).then(y.cmp(x)))?.1;
    let mut walk = Vec::new();
    let mut at = end;
    for length in (1..=n).rev() {
        let (_, way) = longest[length][at]?;
        walk.push(way);
        at = ways[way].from;
    }
    walk.reverse();
    let mean = |circle: &[usize]| {
        let cycles: u32 = circle.iter().map(|&way| ways[way].cycles).sum();
        f64::from(cycles) / circle.len() as f64
    };
    circles(&walk, ways).into_iter().max_by(|a, b| mean(a).total_cmp(&mean(b)))
}

/// The circles that a walk goes around.
fn circles(walk: &[usize], ways: &[Way]) -> Vec<Vec<usize>> {
    let (mut open, mut found): (Vec<usize>, Vec<Vec<usize>>) = (Vec::new(), Vec::new());
    for &way in walk {
        open.push(way);
        if let Some(start) = open.iter().position(|&earlier| ways[earlier].from == ways[way].to) {
            found.push(open.split_off(start));
        }
    }
    found
}

/// The cycles of the units that are busy longest, and their names.
fn units(instructions: &[TurnInstruction], processor: &Processor) -> (f64, String) {
    let mut work: HashMap<u16, f64> = HashMap::new();
    for (units, cycles) in instructions.iter().flat_map(|it| &it.busy) {
        *work.entry(*units).or_default() += cycles;
    }
    let load = |set: u16| {
        let own = work.iter().filter(|(units, _)| *units & !set == 0).map(|(_, cycles)| cycles);
        own.sum::<f64>() / f64::from(set.count_ones())
    };
    // No set is busy longer than one that is made of those that do the same work.
    let mut sets = BTreeSet::new();
    for &units in work.keys() {
        sets.extend(sets.iter().map(|set| set | units).chain([units]).collect::<Vec<u16>>());
    }
    // Of sets that are busy as long, the smallest says most.
    let rounded = |cycles: f64| (cycles * 1e6) as u64;
    let busiest = sets.into_iter().max_by_key(|&set| (rounded(load(set)), std::cmp::Reverse(set.count_ones())));
    let Some(set) = busiest else { return (0.0, String::new()) };
    let names = processor.units.iter().enumerate().filter(|(number, _)| set & (1 << number) != 0);
    (load(set), names.map(|(_, name)| *name).collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests;
