//! Random programs give, in each lane at each place, what another interpreter of four lanes gives. `LANESCOPE_CASES` says how many.

use fastrand::Rng;
use ispc_ir::machine::{GangMachine, MachineLimits};
use ispc_ir::types::NumberType;

use super::defined::{N_CELLS, cell, defined};
use super::lowered;
use super::program::{N_PARAMS, Programs, text};
use super::run::{LANES, Observed, run};

/// A line that `watch` has printed: the number, the lanes that ran, and their values.
fn read(line: &str) -> (usize, u8, [i32; LANES]) {
    let (nth, values) = line.split_once(' ').expect("two parts");
    let mut found = (nth.parse().expect("a number"), 0, [0; LANES]);
    for (lane, text) in values.trim_matches(['[', ']']).split(',').enumerate() {
        if !text.starts_with("((") {
            found.1 |= 1 << lane;
            found.2[lane] = text.parse().expect("a number");
        }
    }
    found
}

fn check_program(seed: u64) -> usize {
    let mut programs = Programs::new(seed);
    let mut program = programs.program();
    defined(&mut program);
    let text = text(&program, &[]).replacen(
        "void watch(uniform int nth, int value);",
        "void watch(uniform int nth, int value) { print(\"% %\\n\", nth, value); }",
        1,
    );
    let lowered = lowered(&text, LANES as u32);
    assert!(lowered.problems.is_empty(), "{text}\n{:?}", lowered.problems);
    let function = lowered.module.function("f").expect("a function");
    let mut n_seen = 0;
    for data in 0..4 {
        let seed = seed * 100 + data;
        let expected = run(&program, programs.n_variables, &[], seed);
        // The same data as there.
        let mut rng = Rng::with_seed(seed);
        let lanes: Vec<[i32; LANES]> =
            (0..programs.n_variables).map(|_| [(); LANES].map(|()| rng.i32(-3..8))).collect();
        let uniforms = [(); N_PARAMS].map(|()| rng.i32(-2..6));
        let mask = rng.u8(1..1 << LANES);
        // A run without end is compared up to where the other one stopped, which takes few steps mostly.
        let mut seen = Vec::new();
        for fuel in [30_000, 400_000] {
            let mut machine = GangMachine::new(&lowered.module, MachineLimits { fuel }).expect("a start");
            let table = machine.memory.allocate("the table", 4 * N_CELLS as u64).expect("memory");
            for nth in 0..N_CELLS {
                let at = table + 4 * nth as u64;
                machine.memory.write(at, NumberType::I32, u64::from(cell(nth) as u32)).expect("memory");
            }
            let number = |value: i32| u64::from(value as u32);
            let mut args = vec![vec![table]];
            args.extend(uniforms.map(|value| vec![number(value)]));
            args.extend(lanes[..N_PARAMS].iter().map(|values| values.map(number).to_vec()));
            let _ = machine.run_in(function, &args, mask.into());
            seen = machine.printed.lines().map(read).collect();
            if seen.len() >= expected.observed.len() {
                break;
            }
        }
        assert!(seen.len() >= expected.observed.len(), "{} of {}: {text}", seen.len(), expected.observed.len());
        for (Observed { nth, mask, values, .. }, seen) in expected.observed.iter().zip(&seen) {
            let running = std::array::from_fn(|lane| if mask >> lane & 1 == 1 { values[lane] } else { 0 });
            assert_eq!((*nth, *mask, running), *seen, "seed {seed}:\n{text}");
        }
        n_seen += expected.observed.len();
    }
    n_seen
}

#[test]
fn random_programs_give_what_another_interpreter_gives() {
    let n_programs = std::env::var("LANESCOPE_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(40);
    let n_seen: usize = (0..n_programs).map(check_program).sum();
    assert!(n_seen as u64 > 12 * n_programs, "{n_seen} values seen");
}
