//! Whatever is said of values and accesses holds when random programs run. `LANESCOPE_CASES` says how many each test takes.

use ispc::tree::NodeKind;
use ispc_facts::access::CellOrder;
use ispc_facts::shape::{LaneShape, LaneStep};
use ispc_types::source::Source;

use super::program::{Programs, Stmt, text};
use super::run::{LANES, Observed, run};
use super::{Analysed, functions, shape};

/// The watched expressions of a function, by their numbers.
fn watched(function: &Analysed) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    for node in 0..function.piece.n_nodes() {
        let data = function.piece.node(node);
        if data.kind == NodeKind::Call && function.piece.text(data.first) == "watch" {
            let args = function.piece.children(function.piece.children(node)[1]);
            let number = function.piece.written(args[0]).parse().expect("a number");
            found.push((number, args[1]));
        }
    }
    found
}

fn running(mask: u8) -> Vec<usize> {
    (0..LANES).filter(|lane| mask & (1 << lane) != 0).collect()
}

/// Returns true if lanes are in a row, as a shape says.
fn holds(shape: LaneShape, values: &[i32; LANES], mask: u8) -> bool {
    let lanes = running(mask);
    let pairs = || lanes.iter().zip(lanes.iter().skip(1));
    let step = |a: usize, b: usize| values[b].wrapping_sub(values[a]);
    match shape {
        LaneShape::Uniform => pairs().all(|(a, b)| step(*a, *b) == 0),
        LaneShape::Linear(LaneStep::By(by)) => {
            pairs().all(|(a, b)| step(*a, *b) == (by as i32).wrapping_mul((b - a) as i32))
        }
        LaneShape::Linear(LaneStep::Some) => pairs().zip(pairs().skip(1)).all(|((a, b), (_, c))| {
            step(*a, *b).wrapping_mul((c - b) as i32) == step(*b, *c).wrapping_mul((b - a) as i32)
        }),
        LaneShape::Varying | LaneShape::Unknown => true,
    }
}

fn order_holds(order: CellOrder, index: &[i32; LANES], mask: u8) -> bool {
    let shape = match order {
        CellOrder::Broadcast => LaneShape::Uniform,
        CellOrder::Vector => LaneShape::Linear(LaneStep::By(1)),
        CellOrder::Strided(Some(bytes)) => LaneShape::Linear(LaneStep::By(bytes / 4)),
        CellOrder::Strided(None) => LaneShape::Linear(LaneStep::Some),
        CellOrder::Groups(_) | CellOrder::Gather => LaneShape::Varying,
    };
    holds(shape, index, mask)
}

fn check_observed(function: &Analysed, places: &[(usize, usize)], seen: &Observed, program: &str) {
    let node = places.iter().find(|(nth, _)| *nth == seen.nth).expect("it is in the text").1;
    let value = function.facts.value(node).unwrap_or_else(|| panic!("no lane comes to {}: {program}", seen.nth));
    let told = || format!("watch {} is {}: {seen:?}\n{program}", seen.nth, shape(value.shape));
    assert!(holds(value.shape, &seen.values, seen.mask), "{}", told());
    for lane in running(seen.mask) {
        assert!(value.value.is_none_or(|number| number == seen.values[lane].into()), "{value:?} {}", told());
        assert!(!value.is_nonneg || seen.values[lane] >= 0, "{value:?} {}", told());
    }
    if let (Some(index), Some(access)) = (&seen.index, function.facts.access(node as u32)) {
        assert!(order_holds(access.order, index, seen.mask), "{:?} {}", access.order, told());
    }
}

struct Counts {
    uniform: usize,
    linear: usize,
    varying: usize,
}

fn check_program(seed: u64, counts: &mut Counts) {
    let mut programs = Programs::new(seed);
    let program: Vec<Stmt> = programs.program();
    let text = text(&program, &[]);
    let function = functions(&text).pop().expect("its facts are known");
    let places = watched(&function);
    for (_, node) in &places {
        match function.facts.value(*node).map(|value| value.shape) {
            Some(LaneShape::Uniform) => counts.uniform += 1,
            Some(LaneShape::Linear(_)) => counts.linear += 1,
            _ => counts.varying += 1,
        }
    }
    for data in 0..12 {
        let machine = run(&program, programs.n_variables, &[], seed * 100 + data);
        for seen in &machine.observed {
            check_observed(&function, &places, seen, &text);
        }
    }
}

#[test]
fn what_is_said_of_values_holds_in_every_run() {
    let n_programs = std::env::var("LANESCOPE_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(800);
    let mut counts = Counts { uniform: 0, linear: 0, varying: 0 };
    for seed in 0..n_programs {
        check_program(seed, &mut counts);
    }
    // The programs are such that something is said of many values.
    assert!(counts.uniform * 8 > counts.varying, "{} of {}", counts.uniform, counts.varying);
    assert!(counts.linear * 40 > counts.varying, "{} of {}", counts.linear, counts.varying);
}

/// The variables of a program that could be uniform, each made so in a run of its own.
fn check_uniforms(seed: u64) -> usize {
    let mut programs = Programs::new(seed);
    let program: Vec<Stmt> = programs.program();
    let shown = text(&program, &[]);
    let function = functions(&shown).pop().expect("its facts are known");
    let mut n_told = 0;
    for told in &function.facts.uniforms {
        let name = function.piece.text(told.token);
        let mut variables: Vec<usize> = vec![name[1..].parse().expect("a number")];
        for other in &told.needs {
            let name = &function.types.layer.entity(*other).name;
            variables.push(name[1..].parse().expect("a number"));
        }
        // Their text has no mistake, either.
        functions(&text(&program, &variables));
        n_told += 1;
        for data in 0..8 {
            let seed = seed * 100 + data;
            let (before, after) =
                (run(&program, programs.n_variables, &[], seed), run(&program, programs.n_variables, &variables, seed));
            let seen = |observed: &[Observed]| -> Vec<(usize, Vec<i32>)> {
                let running = |it: &Observed| running(it.mask).into_iter().map(|lane| it.values[lane]).collect();
                observed.iter().map(|it| (it.nth, running(it))).collect()
            };
            assert_eq!(seen(&before.observed), seen(&after.observed), "`{name}` is not uniform:\n{shown}");
        }
    }
    n_told
}

#[test]
fn a_variable_that_could_be_uniform_gives_the_same_results_when_it_is() {
    let n_programs = std::env::var("LANESCOPE_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(300);
    let n_told: usize = (0..n_programs).map(check_uniforms).sum();
    assert!(n_told as u64 * 4 > n_programs, "{n_told} variables in {n_programs} programs");
}
