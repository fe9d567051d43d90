//! Random programs give, in each lane at each place, what another interpreter of four lanes gives. `LANESCOPE_CASES` says how many.

use fastrand::Rng;
use ispc_ir::machine::{GangMachine, MachineLimits};
use ispc_ir::types::NumberType;

use super::lowered;
use super::program::{Expr, N_PARAMS, Programs, Stmt, text};
use super::run::{LANES, Observed, run};

/// The cells of the table that programs read.
const N_CELLS: i32 = 16;

/// The program with subscripts that are in range, and with a first value for each variable.
fn defined(block: &mut [Stmt]) {
    for stmt in block {
        match stmt {
            Stmt::Declare(_, value) => without_loads(value.get_or_insert(Expr::Number(3))),
            Stmt::Assign(_, _, value) | Stmt::Watch(_, value) => in_range(value),
            Stmt::If(condition, yes, no) => {
                in_range(condition);
                defined(yes);
                defined(no);
            }
            Stmt::While(condition, body) | Stmt::Do(body, condition) => {
                in_range(condition);
                defined(body);
            }
            Stmt::For(_, from, to, body) => {
                without_loads(from);
                in_range(to);
                defined(body);
            }
            Stmt::Foreach(_, from, to, body) => {
                in_range(from);
                in_range(to);
                defined(body);
            }
            Stmt::Switch(over, cases) => {
                in_range(over);
                cases.iter_mut().for_each(|(_, body)| defined(body));
            }
            Stmt::Unmasked(body) | Stmt::Active(body) | Stmt::Block(body) => defined(body),
            Stmt::Step(_) | Stmt::Break | Stmt::Continue | Stmt::Return => {}
        }
    }
}

/// A first value is that of all lanes, and those that are off load nothing.
fn without_loads(expr: &mut Expr) {
    match expr {
        Expr::Number(_) | Expr::ProgramIndex | Expr::Variable(_) => {}
        Expr::Binary(_, left, right) => [left, right].into_iter().for_each(|it| without_loads(it)),
        Expr::Choose(condition, yes, no) => [condition, yes, no].into_iter().for_each(|it| without_loads(it)),
        Expr::Load(index) => {
            without_loads(index);
            *expr = std::mem::replace(&mut **index, Expr::Number(0));
        }
    }
}

fn in_range(expr: &mut Expr) {
    match expr {
        Expr::Number(_) | Expr::ProgramIndex | Expr::Variable(_) => {}
        Expr::Binary(_, left, right) => [left, right].into_iter().for_each(|it| in_range(it)),
        Expr::Choose(condition, yes, no) => [condition, yes, no].into_iter().for_each(|it| in_range(it)),
        Expr::Load(index) => {
            in_range(index);
            let inner = std::mem::replace(&mut **index, Expr::Number(0));
            **index = Expr::Binary("&", Box::new(inner), Box::new(Expr::Number(N_CELLS - 1)));
        }
    }
}

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
            for cell in 0..N_CELLS {
                let value = (cell.wrapping_mul(0x9E37_79B1_u32 as i32) >> 27).wrapping_add(4);
                let at = table + 4 * cell as u64;
                machine.memory.write(at, NumberType::I32, u64::from(value as u32)).expect("memory");
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
