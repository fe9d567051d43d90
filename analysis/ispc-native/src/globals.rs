//! Globals, with the first values that the program gives them.
//!
//! Those values are found by running what gives them, at the time of compiling, if no address is among them. Else, and if that run stops,
//! it is done when the program starts.

use std::fmt::Write;

use ispc_ir::machine::{GangMachine, MachineLimits};
use ispc_ir::module::{CallTarget, GangModule, MemorySharing};
use ispc_ir::op::GangOp;
use ispc_ir::types::NumberType;
use ispc_ir::walk::each_inst;

use crate::parts::global_symbol;

/// The most ops that run to find first values.
const FUEL: u64 = 20_000_000;

/// The text of all globals; false if their first values are found when the program starts.
pub(crate) fn globals(program: &GangModule, is_run: bool) -> (String, bool) {
    let known = first_values(program);
    let mut text = String::new();
    for (nth, global) in program.globals.iter().enumerate() {
        // Of those that share a name outside, one stands for all.
        let is_it = |other: &usize| {
            let other = &program.globals[*other];
            other.sharing != MemorySharing::Own && global.sharing != MemorySharing::Own && other.name == global.name
        };
        let rank = |other: &usize| {
            let has_value = known.as_ref().is_some_and(|known| known[*other].iter().any(|byte| *byte != 0));
            let other = &program.globals[*other];
            (other.sharing == MemorySharing::Given, has_value, other.bytes)
        };
        if (0..program.globals.len()).filter(is_it).max_by_key(rank).is_some_and(|chosen| chosen != nth) {
            continue;
        }
        let bytes = known.as_ref().and_then(|known| known.get(nth)).filter(|bytes| bytes.iter().any(|byte| *byte != 0));
        let value = match bytes {
            Some(bytes) => {
                let escaped: String = bytes.iter().map(|byte| format!("\\{byte:02X}")).collect();
                format!("c\"{escaped}\"")
            }
            None => "zeroinitializer".to_owned(),
        };
        let (name, n_bytes) = (global_symbol(program, nth), global.bytes);
        let _ = match global.sharing {
            MemorySharing::Own => writeln!(text, "{name} = internal global [{n_bytes} x i8] {value}, align 64"),
            // A run has no other programs.
            MemorySharing::Taken if is_run => {
                writeln!(text, "{name} = global [{n_bytes} x i8] zeroinitializer, align 64")
            }
            // Where several objects have it, they share it.
            MemorySharing::Given => writeln!(text, "{name} = weak global [{n_bytes} x i8] {value}, align 64"),
            // What another program has is aligned as that one likes.
            MemorySharing::Taken => writeln!(text, "{name} = external global [{n_bytes} x i8], align 1"),
        };
    }
    (text, known.is_some() || program.start.is_none())
}

fn first_values(program: &GangModule) -> Option<Vec<Vec<u8>>> {
    let start = program.start?;
    if holds_addresses(program, start, &mut vec![false; program.functions.len()]) {
        return None;
    }
    let machine = GangMachine::new(program, MachineLimits { fuel: FUEL }).ok()?;
    if !machine.printed.is_empty() {
        return None;
    }
    let read = |(nth, global): (usize, &ispc_ir::module::NamedMemory)| {
        let address = machine.global_address(nth);
        let byte = |at: u64| machine.memory.read(address + at, NumberType::U8).ok().map(|bits| bits as u8);
        (0..global.bytes).map(byte).collect::<Option<Vec<u8>>>()
    };
    program.globals.iter().enumerate().map(read).collect()
}

/// Returns true if a function, or one that it calls, may store an address.
fn holds_addresses(program: &GangModule, index: usize, seen: &mut [bool]) -> bool {
    if std::mem::replace(&mut seen[index], true) {
        return false;
    }
    let function = &program.functions[index];
    let mut found = false;
    let mut called = Vec::new();
    each_inst(&function.body, &mut |inst| match &inst.op {
        GangOp::Store { value, .. } => found |= function.regs[value.0 as usize].number == NumberType::Pointer,
        GangOp::Call(CallTarget::Known(index), _) => called.push(*index),
        GangOp::Call(..) | GangOp::Launch { .. } | GangOp::CopyBytes { .. } | GangOp::Allocate(_) => found = true,
        _ => {}
    });
    found || called.into_iter().any(|index| holds_addresses(program, index, seen))
}
