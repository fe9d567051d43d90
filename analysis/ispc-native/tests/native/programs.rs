//! Small programs give what the machine of `ispc-ir` gives.

use ispc_ir::machine::{GangMachine, MachineLimits};
use ispc_native::run::GangRun;
use native::client::Client;

use crate::{lowered, natively};

/// Runs `f` of a text at several numbers of lanes: what it prints is the same.
fn check(client: &Client, text: &str) {
    for lanes in [4, 8, 16] {
        let lowered = lowered(text, lanes);
        let function = lowered.module.function("f").expect("a function `f`");
        let mut machine = GangMachine::new(&lowered.module, MachineLimits { fuel: 10_000_000 }).expect("a start");
        machine.run(function, &[]).unwrap_or_else(|fault| panic!("{fault:?}\n{text}"));
        let all = u64::MAX >> (64 - lanes);
        let run = GangRun { function, args: Vec::new(), memory: Vec::new(), lanes: all };
        let ran = natively(client, &lowered, &run);
        assert_eq!(ran.printed, machine.printed, "{lanes} lanes:\n{text}");
    }
}

pub(crate) fn numbers(client: &Client) {
    check(client, "void f() { int x = programIndex * 3 - 5; print(\"% % % %\\n\", x / 2, x % 3, x >> 1, x << 29); }");
}
