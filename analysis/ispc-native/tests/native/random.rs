//! Random programs of branches, loops, jumps, `switch`, `foreach`, `unmasked` and loads give bit for bit what the machine of `ispc-ir`
//! gives, at several numbers of lanes. `LANESCOPE_CASES` says how many.

use fastrand::Rng;
use ispc_ir::machine::{GangMachine, MachineLimits};
use ispc_ir::types::NumberType;
use ispc_native::run::{GangRun, RunArgument, RunMemory};
use native::client::Client;

use crate::program::{N_PARAMS, Programs, text};
use crate::{lowered, natively, shown};

#[path = "../../../ispc-lowering/tests/running/defined.rs"]
mod defined;

use defined::{N_CELLS, cell, defined};

/// The most ops of a run that is compared.
const FUEL: u64 = 300_000;

pub(crate) fn agree(client: &Client) {
    let n_programs: u64 = std::env::var("LANESCOPE_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(30);
    let mut n_compared = 0;
    for seed in 0..n_programs {
        for lanes in [4, 8, 16] {
            n_compared += check_program(client, seed, lanes);
        }
    }
    assert!(n_compared as u64 >= n_programs, "{n_compared} runs were compared");
}

/// The number of runs that came to an end, and were compared.
fn check_program(client: &Client, seed: u64, lanes: u32) -> usize {
    let mut programs = Programs::new(seed);
    let mut program = programs.program();
    defined(&mut program);
    let text = text(&program, &[]).replacen(
        "void watch(uniform int nth, int value);",
        "void watch(uniform int nth, int value) { print(\"% %\\n\", nth, value); }",
        1,
    );
    let lowered = lowered(&text, lanes);
    let function = lowered.module.function("f").expect("a function");
    let mut n_compared = 0;
    for data in 0..3 {
        let mut rng = Rng::with_seed(seed * 100 + data);
        let number = |value: i32| u64::from(value as u32);
        let table: Vec<i32> = (0..N_CELLS).map(cell).collect();
        let uniforms = [(); N_PARAMS].map(|()| number(rng.i32(-2..6)));
        let varying: Vec<Vec<u64>> =
            (0..N_PARAMS).map(|_| (0..lanes).map(|_| number(rng.i32(-3..8))).collect()).collect();
        let mask = rng.u64(1..1 << lanes);
        let mut machine = GangMachine::new(&lowered.module, MachineLimits { fuel: FUEL }).expect("a start");
        let address = machine.memory.allocate("the table", 4 * N_CELLS as u64).expect("memory");
        for (nth, value) in table.iter().enumerate() {
            machine.memory.write(address + 4 * nth as u64, NumberType::I32, number(*value)).expect("memory");
        }
        let mut args = vec![vec![address]];
        args.extend(uniforms.map(|value| vec![value]));
        args.extend(varying.clone());
        if machine.run_in(function, &args, mask).is_err() {
            // A run without an end.
            continue;
        }
        let bytes = table.iter().flat_map(|value| value.to_le_bytes()).collect();
        let mut args = vec![RunArgument::Address { piece: 0, byte: 0 }];
        args.extend(uniforms.map(RunArgument::Bits));
        args.extend(varying.into_iter().map(RunArgument::Lanes));
        let memory = vec![RunMemory { name: "the table".to_owned(), bytes }];
        let ran = natively(client, &lowered, &GangRun { function, args, memory, lanes: mask });
        assert_eq!(shown(&ran.printed), shown(&machine.printed), "seed {seed}, data {data}, {lanes} lanes:\n{text}");
        n_compared += 1;
    }
    n_compared
}
