//! Dependences against enumeration: random nests, every iteration run, every pair of accesses to one cell found.
//!
//! `LANESCOPE_CASES` says how many nests each test takes.

mod nests;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use facts::dependence::{Dependence, DependenceLimits, Doubt, WitnessSymbol, dependences};
use facts::loops::loops;
use fastrand::Rng;
use ir::interp::{Inputs, Machine, MachineStatus, Stop};
use ir::{CancelToken, Code, Kernel, Op, Scalar, read};
use nests::{At, Event, Nest};
use passes::pipeline::Options;
use passes::{Context, INTERCHANGE, REORDER, SPLIT, VECTOR, total_cost};

fn n_cases(usual: u64) -> u64 {
    number("LANESCOPE_CASES").unwrap_or(usual)
}

/// So many seeds, from that of `LANESCOPE_SEED` on.
fn seeds(n_cases: u64) -> std::ops::Range<u64> {
    let first = number("LANESCOPE_SEED").unwrap_or(0);
    first..first + n_cases
}

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

/// More than usual, so that few questions are given up.
const LIMITS: DependenceLimits<'static> = DependenceLimits {
    work: 20_000_000,
    work_an_access: 0,
    work_each: 300_000,
    pairs: 60_000,
    cancel: CancelToken::NONE,
    answers: None,
};

/// Source, sink, and the position of the level that carries it.
type Key = (usize, usize, Option<usize>);

/// All distances between two accesses that meet: for each level around both, how many iterations the sink is later.
type Meetings = BTreeMap<Key, BTreeSet<Vec<i64>>>;

/// All meetings of a run.
fn enumerate(events: &[Event], meetings: &mut Meetings) {
    let mut cells: HashMap<(usize, &[i64]), Vec<&Event>> = HashMap::new();
    for event in events {
        cells.entry((event.array, &event.cell)).or_default().push(event);
    }
    for same in cells.values() {
        for (position, first) in same.iter().enumerate() {
            for second in same[position + 1..].iter().filter(|second| first.is_store || second.is_store) {
                let common = first.at.iter().zip(&second.at).take_while(|(a, b)| a.0 == b.0);
                let apart: Vec<i64> = common.map(|(a, b)| b.1 - a.1).collect();
                // Where no loop is around both, no one asks.
                if apart.is_empty() {
                    continue;
                }
                let carried = apart.iter().position(|&distance| distance != 0);
                meetings.entry((first.access, second.access, carried)).or_default().insert(apart);
            }
        }
    }
}

/// The numbers of the accesses, by op: they stand in the order of the text.
fn numbers_of(kernel: &Kernel, nest: &Nest) -> HashMap<Op, usize> {
    let mut ops = Vec::new();
    kernel.walk(kernel.body, &mut |_, op| {
        if matches!(kernel.ops[op].code, Code::Load | Code::Store) {
            ops.push(op);
        }
    });
    let mut numbers = Vec::new();
    nests::for_each_access(&nest.body, &mut |access| numbers.push(access.number));
    assert_eq!(ops.len(), numbers.len());
    ops.into_iter().zip(numbers).collect()
}

/// What is wrong with a dependence, of those that really exist.
fn wrong(dependence: &Dependence, distances: &BTreeSet<Vec<i64>>) -> Option<String> {
    let meeting = &dependence.meeting;
    for (level, direction) in meeting.directions.iter().enumerate() {
        let at = |test: fn(&i64) -> bool| distances.iter().any(|vector| test(&vector[level]));
        let real = [at(|d| *d > 0), at(|d| *d == 0), at(|d| *d < 0)];
        if real != [direction.later, direction.same, direction.earlier] {
            return Some(format!("direction {level} is {real:?}"));
        }
        let all: BTreeSet<i64> = distances.iter().map(|vector| vector[level]).collect();
        let only = all.first().filter(|_| all.len() == 1).map(|&distance| i128::from(distance));
        if meeting.distances[level] != only {
            return Some(format!("distance {level} is {all:?}"));
        }
    }
    let level = meeting.carried?;
    let least = |which: &dyn Fn(&[i64]) -> bool| {
        distances.iter().filter(|vector| which(&vector[level + 1..])).map(|vector| i128::from(vector[level])).min()
    };
    let first_other = |inner: &[i64]| inner.iter().copied().find(|&distance| distance != 0);
    let real = (
        least(&|_| true).unwrap_or(0),
        least(&|inner| first_other(inner).is_none()),
        least(&|inner| first_other(inner).is_some_and(|distance| distance < 0)),
    );
    let said = (meeting.least, meeting.least_level, meeting.least_ahead);
    (real != said).then(|| format!("least distances are {real:?}"))
}

/// Whether the two iterations of a witness do what it says, in a run.
fn check_witness(dependence: &Dependence, numbers: &HashMap<Op, usize>, events: &[Event]) -> Option<String> {
    let Some(witness) = &dependence.meeting.witness else { return Some("no witness".to_owned()) };
    let find = |op: Op, iteration: &[i128]| {
        events.iter().position(|event| {
            let same = event.at.iter().map(|at| i128::from(at.2)).eq(iteration.iter().copied());
            let cell = event.cell.iter().map(|&at| i128::from(at)).eq(witness.cell.iter().copied());
            event.access == numbers[&op] && same && cell
        })
    };
    match (find(dependence.source, &witness.source), find(dependence.sink, &witness.sink)) {
        (Some(source), Some(sink)) if source < sink => None,
        found => Some(format!("the witness is found as {found:?}")),
    }
}

/// A kernel as its text has it, or after passes that keep its ops.
fn kernel_of(text: &str, seed: u64) -> Kernel {
    let mut kernel = read(text, None).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}")).remove(0);
    if seed.is_multiple_of(3) {
        passes::hoist(&mut kernel);
        passes::cse(&mut kernel);
    }
    kernel
}

#[test]
fn nests_with_known_bounds_have_exactly_the_dependences_that_enumeration_finds() {
    let (mut n_nests, mut n_dependences, mut n_too_hard) = (0, 0, 0);
    for seed in seeds(n_cases(400)) {
        let nest = nests::generate(&mut Rng::with_seed(seed), false);
        let text = nest.text();
        let kernel = kernel_of(&text, seed);
        let numbers = numbers_of(&kernel, &nest);
        let events = nest.run([0; 2]).expect("steps are constant");
        let mut real = Meetings::new();
        enumerate(&events, &mut real);
        let found = dependences(&kernel, &LIMITS);
        assert!(found.unseen.is_empty());
        for dependence in &found.list {
            let key = (numbers[&dependence.source], numbers[&dependence.sink], dependence.meeting.carried);
            let distances = real.remove(&key);
            n_dependences += 1;
            if dependence.meeting.doubts.as_slice() == [Doubt::TooHard] {
                n_too_hard += 1;
                continue;
            }
            let problem = match distances {
                _ if !dependence.is_certain() => Some("it is not certain".to_owned()),
                None => Some("there is none".to_owned()),
                Some(distances) => {
                    wrong(dependence, &distances).or_else(|| check_witness(dependence, &numbers, &events))
                }
            };
            assert_eq!(problem, None, "seed {seed}: {dependence:?}\n{text}");
        }
        assert!(real.is_empty(), "seed {seed}: not found: {real:?}\n{text}");
        n_nests += 1;
    }
    assert!(1000 * n_too_hard < n_dependences, "{n_too_hard} of {n_dependences} are too hard");
    assert!(n_dependences >= n_nests, "{n_dependences} dependences in {n_nests} nests");
}

#[test]
fn nests_with_symbols_miss_no_dependence_and_every_witness_holds() {
    let (mut n_checked, mut n_unchecked, mut n_too_hard, mut n_open) = (0, 0, 0, 0);
    for seed in seeds(n_cases(120)) {
        let nest = nests::generate(&mut Rng::with_seed(seed), true);
        let text = nest.text();
        let kernel = kernel_of(&text, seed);
        let numbers = numbers_of(&kernel, &nest);
        let mut real = Meetings::new();
        for n in 0..6 {
            for k in -2..3 {
                if let Some(events) = nest.run([n, k]) {
                    enumerate(&events, &mut real);
                }
            }
        }
        let found = dependences(&kernel, &LIMITS);
        for dependence in &found.list {
            let key = (numbers[&dependence.source], numbers[&dependence.sink], dependence.meeting.carried);
            let seen = real.remove(&key);
            match dependence.meeting.doubts[..] {
                [Doubt::TooHard] => n_too_hard += 1,
                [Doubt::Product] => n_open += 1,
                _ => {}
            }
            if matches!(dependence.meeting.doubts[..], [Doubt::TooHard | Doubt::Product]) {
                continue;
            }
            assert!(dependence.is_certain(), "seed {seed}: {dependence:?}\n{text}");
            if let (Some(level), Some(seen)) = (dependence.meeting.carried, seen) {
                let least = seen.iter().map(|vector| i128::from(vector[level])).min();
                assert!(least >= Some(dependence.meeting.least), "seed {seed}: {dependence:?}\n{text}");
            }
            // A symbol that the witness leaves open may be an error for a loop beside it.
            match symbols(dependence, &kernel).and_then(|values| nest.run(values)) {
                Some(events) => {
                    let problem = check_witness(dependence, &numbers, &events);
                    assert_eq!(problem, None, "seed {seed}: {dependence:?}\n{text}");
                    n_checked += 1;
                }
                None => n_unchecked += 1,
            }
        }
        assert!(real.is_empty(), "seed {seed}: not found: {real:?}\n{text}");
    }
    assert!(20 * n_too_hard < n_checked, "{n_too_hard} are too hard, {n_checked} are not");
    assert!(5 * n_open < n_checked, "{n_open} leave products open, {n_checked} do not");
    assert!(n_checked > 5 * n_unchecked, "{n_checked} witnesses checked, {n_unchecked} not");
}

/// The values of `n` and `k` in a witness, unless they make a run too long.
fn symbols(dependence: &Dependence, kernel: &Kernel) -> Option<[i64; 2]> {
    let mut values = [0; 2];
    for (symbol, number) in &dependence.meeting.witness.as_ref()?.symbols {
        let WitnessSymbol::Value(value) = symbol else { continue };
        let slot = kernel.params.iter().position(|param| param.value == *value)?;
        values[slot.checked_sub(3)?] = i64::try_from(*number).ok()?;
    }
    (values[0] < 60).then_some(values)
}

/// What the loads of a run see and its stores leave, in the order of `events`.
fn simulate(nest: &Nest, events: &[&Event]) -> BTreeMap<(usize, Vec<i64>), u64> {
    let statements = nest.statements();
    let mut memory: BTreeMap<(usize, Vec<i64>), u64> = BTreeMap::new();
    let mut seen: HashMap<(usize, &At), u64> = HashMap::new();
    for event in events {
        let instance = seen.entry((statements[event.access], &event.at)).or_insert(17);
        let cell = (event.array, event.cell.clone());
        if event.is_store {
            let indices = event.at.iter().fold(event.access as u64, |sum, at| sum.wrapping_mul(31) + at.1 as u64);
            memory.insert(cell, instance.wrapping_mul(1_000_003) ^ indices);
        } else {
            let value = memory.get(&cell).copied().unwrap_or(event.array as u64);
            *instance = instance.wrapping_mul(8_191).wrapping_add(value);
        }
    }
    memory
}

/// The order of two events where a loop, the one at this depth around both, runs `lanes` of its iterations together.
fn in_lanes(depth: usize, lanes: i64, a: &Event, b: &Event) -> std::cmp::Ordering {
    let group = |event: &Event| event.at[depth].1 / lanes;
    let groups = group(a).cmp(&group(b));
    let inner = a.at[depth + 1..].iter().zip(&b.at[depth + 1..]).take_while(|(a, b)| a.0 == b.0);
    let inside = inner.map(|(a, b)| a.1.cmp(&b.1)).find(|order| order.is_ne());
    groups.then(inside.unwrap_or(a.access.cmp(&b.access))).then(a.at[depth].1.cmp(&b.at[depth].1))
}

/// The events with those of one loop in the order of lanes.
fn run_in_lanes(events: &[Event], number: usize, lanes: i64) -> Vec<&Event> {
    let mut order: Vec<&Event> = events.iter().collect();
    let depth_of = |event: &Event| event.at.iter().position(|at| at.0 == number);
    let same_run =
        |a: &Event, b: &Event| depth_of(a).is_some_and(|depth| depth_of(b).is_some() && a.at[..depth] == b.at[..depth]);
    for run in order.chunk_by_mut(|a, b| same_run(a, b)) {
        if let Some(depth) = depth_of(run[0]) {
            run.sort_by(|a, b| in_lanes(depth, lanes, a, b));
        }
    }
    order
}

#[test]
fn loops_that_may_run_as_lanes_keep_what_they_compute() {
    let (mut n_vector, mut n_limited, mut n_broken_beyond) = (0, 0, 0);
    for seed in seeds(n_cases(400)) {
        let nest = nests::generate(&mut Rng::with_seed(seed), false);
        let text = nest.text();
        let kernel = kernel_of(&text, seed);
        let events = nest.run([0; 2]).expect("steps are constant");
        let expected = simulate(&nest, &events.iter().collect::<Vec<_>>());
        for (number, known) in loops(&kernel, &LIMITS).list.iter().enumerate() {
            let verdict = &known.verdict;
            let keeps = |lanes: i64| simulate(&nest, &run_in_lanes(&events, number, lanes)) == expected;
            if verdict.is_reordered || !verdict.is_vector {
                continue;
            }
            n_vector += 1;
            let most = verdict.max_lanes.map_or(8, |most| i64::try_from(most).expect("a small distance"));
            for lanes in 2..=most.min(8) {
                assert!(keeps(lanes), "seed {seed}: loop {number} in {lanes} lanes\n{text}");
            }
            if verdict.max_lanes.is_some() {
                n_limited += 1;
                n_broken_beyond += u32::from(!keeps(most + 1));
            }
        }
    }
    assert!(n_vector > 100 && n_limited > 3, "{n_vector} loops run as lanes, {n_limited} with a limit");
    // A limit is one of meetings, and what meets may be overwritten before anyone looks; mostly it is not.
    assert!(2 * n_broken_beyond > n_limited, "{n_broken_beyond} of {n_limited} limits are needed");
}

/// What a nest's arrays hold after a run, or how the run ended instead.
fn memory_after(kernel: &Kernel, nest: &Nest) -> Result<Vec<Vec<u8>>, String> {
    let mut inputs = Inputs::new();
    for (array, sizes) in nest.sizes.iter().enumerate() {
        let sizes = if array == 2 { &sizes[..] } else { &sizes[..1] };
        let cells: Vec<Scalar> = (0..sizes.iter().product::<i64>()).map(|at| Scalar::I32(at as i32 * 7)).collect();
        inputs = inputs.array(&cells, sizes);
    }
    let inputs = inputs.scalar(Scalar::I32(0)).scalar(Scalar::I32(0));
    let mut machine = Machine::new(Arc::new(kernel.clone()), inputs).expect("inputs that fit");
    assert_eq!(machine.run_for(1_000_000), Stop::Over);
    match machine.status() {
        MachineStatus::Done(_) => Ok(machine.memory().to_vec()),
        status => Err(format!("{status:?}")),
    }
}

#[test]
fn reordering_interchange_splitting_and_lanes_keep_what_nests_compute() {
    let passes = [INTERCHANGE, SPLIT, REORDER, VECTOR];
    let mut n_changed = [0; 4];
    let n_nests = n_cases(300);
    for seed in seeds(n_nests) {
        let nest = nests::generate(&mut Rng::with_seed(seed), false);
        let text = nest.text();
        let mut kernel = kernel_of(&text, seed);
        let expected = memory_after(&kernel, &nest);
        assert!(expected.is_ok(), "seed {seed}: {expected:?}\n{text}");
        for (number, pass) in passes.iter().enumerate() {
            let before = if number < 2 { total_cost(&kernel, ir::target::reference()) } else { 0 };
            if !pass.apply(&mut kernel, &mut Context::new(&Options { lanes: Some(4), ..Options::default() })) {
                continue;
            }
            n_changed[number] += 1;
            if number < 2 {
                assert!(
                    total_cost(&kernel, ir::target::reference()) < before,
                    "seed {seed}: {} is no less work\n{text}",
                    pass.name
                );
            }
            let after = ir::print(&kernel).text;
            ir::verify(&kernel).unwrap_or_else(|violations| panic!("seed {seed}: {violations:?}\n{after}"));
            let found = memory_after(&kernel, &nest);
            let end = found.as_ref().err();
            assert!(found == expected, "seed {seed}: {} {end:?}\n{text}\n{after}", pass.name);
        }
    }
    let [interchanged, split, reordered, in_lanes] = n_changed.map(|n: u64| 100 * n / n_nests);
    assert!(interchanged >= 3 && split >= 5 && reordered >= 3 && in_lanes >= 30, "{n_changed:?} of {n_nests}");
}
