//! Small programs, run: what they print, or why they stop.

#[path = "running/control.rs"]
mod control;
#[path = "running/defined.rs"]
mod defined;
#[path = "running/faults.rs"]
mod faults;
#[path = "running/library.rs"]
mod library;
#[path = "running/memory.rs"]
mod memory;
#[path = "running/pages.rs"]
mod pages;
// The programs and their own interpreter are those that facts are tried with.
#[path = "../../ispc-facts/tests/facts/program.rs"]
mod program;
#[path = "running/random.rs"]
mod random;
#[path = "running/robust.rs"]
mod robust;
#[path = "../../ispc-facts/tests/facts/run.rs"]
mod run;
#[path = "running/text.rs"]
mod text;

use std::sync::Arc;

use expect_test::Expect;
use ispc::config::{Config, Target};
use ispc::file::{FileText, NoFiles};
use ispc_ir::machine::{GangMachine, MachineLimits};
use ispc_lowering::LoweredUnit;
use ispc_types::unit::declarations;

/// Lowers all functions of a text that has no mistake.
fn lowered(text: &str, lanes: u32) -> LoweredUnit {
    let target = Target::named(&format!("avx2-i32x{lanes}")).expect("a target");
    let config = Config { target, ..Config::default() };
    let unit = ispc::read(Arc::new(FileText::new("main.ispc", text)), &config, &NoFiles);
    assert!(unit.problems.is_empty(), "{text}\n{:?}", unit.problems);
    let found = ispc_types::whole::check(&unit);
    assert!(found.is_empty(), "{text}\n{found:?}");
    let lowered = ispc_lowering::lower(&unit, &declarations(&unit, None), lanes, &[]);
    let errors = ispc_ir::verify::verify(&lowered.module);
    assert!(errors.is_empty(), "{text}\n{errors:?}");
    lowered
}

/// Runs `f` of a text: what it prints and gives, and why it stops if it does.
fn outcome(text: &str, lanes: u32) -> String {
    let lowered = lowered(text, lanes);
    let at = |place: ispc_ir::module::TextPlace| text.get(place.start as usize..place.end as usize).unwrap_or_default();
    if let Some(problem) = lowered.problems.first() {
        return format!("not run: `{}`: {}: {}\n", problem.function, at(problem.place), problem.message);
    }
    let function = lowered.module.function("f").expect("a function `f`");
    let mut machine = match GangMachine::new(&lowered.module, MachineLimits { fuel: 200_000 }) {
        Ok(machine) => machine,
        Err(fault) => return format!("stopped: {}\n", fault.message),
    };
    let ran = machine.run(function, &[]);
    let mut told = std::mem::take(&mut machine.printed);
    for met in &machine.collisions {
        told += &format!("{} meet: {}\n", met.lanes_in_words(), at(met.place));
    }
    match ran {
        Ok(_) => {}
        Err(fault) => {
            let lanes = fault.lanes_in_words();
            told += &format!("stopped: `{}` {} {lanes}: {}\n", fault.function, fault.message, at(fault.place));
        }
    }
    told
}

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&outcome(text, 4));
}

/// A program that prints the same for any number of lanes.
fn check_all_widths(text: &str, expected: Expect) {
    let four = outcome(text, 4);
    for lanes in [8, 16] {
        assert_eq!(outcome(text, lanes), four, "{lanes} lanes");
    }
    expected.assert_eq(&four);
}
