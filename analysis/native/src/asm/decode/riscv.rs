//! Instructions of RISC-V, with its vectors.

use super::{Decoded, Flow, Frame, LARGE, Slot, is_numbered, number};
use crate::asm::counts::Kind;

pub(super) const FRAME: Frame = Frame {
    stack_pointer: "sp",
    frame_pointer: "s0",
    callers_from: 0,
    is_saved: |register| {
        register == "ra"
            || is_numbered(register, "s")
            || register.strip_prefix('f').is_some_and(|rest| is_numbered(rest, "s"))
    },
};

const LOADS: &[&str] = &["lb", "lh", "lw", "ld", "lbu", "lhu", "lwu", "flh", "flw", "fld"];
const STORES: &[&str] = &["sb", "sh", "sw", "sd", "fsh", "fsw", "fsd"];

/// Starts of the names of instructions that move elements between lanes.
const SHUFFLES: &[&str] = &["vrgather", "vslide", "vfslide", "vcompress"];

/// Instructions that move the first element between a vector and a scalar register, and those that set the length.
const SINGLE: &[&str] = &["vmv.x.s", "vmv.s.x", "vfmv.f.s", "vfmv.s.f", "vsetvli", "vsetivli", "vsetvl"];

pub(super) fn decode<'t>(name: &str, operands: &[&'t str]) -> Decoded<'t> {
    let last = operands.last().copied().unwrap_or_default();
    let of = |work| Decoded { work: Some(work), ..Decoded::default() };
    let branches = name.starts_with('b') && last.starts_with('.');
    match name {
        "call" | "jalr" => return of(Kind::Call),
        "ret" | "jr" | "tail" => return Decoded { flow: Flow::Out, ..of(Kind::Scalar) },
        "j" => return Decoded { flow: Flow::Jump(last), ..of(Kind::Scalar) },
        _ if branches => return Decoded { flow: Flow::Branch(last), ..of(Kind::Scalar) },
        _ => {}
    }
    let memory = operands.iter().find(|operand| operand.ends_with(')')).copied();
    let starts = |starts: &[&str]| starts.iter().any(|start| name.starts_with(start));
    let (loads, stores) = match memory {
        Some(_) if starts(&["vlux", "vlox"]) => return of(Kind::Gather),
        Some(_) if starts(&["vsux", "vsox"]) => return of(Kind::Scatter),
        Some(_) if LOADS.contains(&name) || name.starts_with("vl") => (registers(name), 0),
        Some(_) if STORES.contains(&name) || name.starts_with("vs") => (0, registers(name)),
        _ => {
            let work = match name {
                _ if !name.starts_with('v') || SINGLE.contains(&name) => Kind::Scalar,
                _ if starts(SHUFFLES) => Kind::Shuffle,
                "vmv.v.x" | "vfmv.v.f" => Kind::Broadcast,
                _ => Kind::Vector,
            };
            let (grows, sets_frame_pointer) =
                (growth(name, operands), name == "addi" && operands.starts_with(&["s0", "sp"]));
            return Decoded { grows, sets_frame_pointer, ..of(work) };
        }
    };
    // Whole registers are moved where LLVM brings them to the stack or back, whatever register the address is in.
    let slot = match is_whole(name) {
        true => Some(Slot { base: FRAME.stack_pointer, offset: 0 }),
        false => memory.and_then(slot),
    };
    Decoded { loads, stores, slot, moved: operands[..1].to_vec(), ..Decoded::default() }
}

/// The number of registers that are moved: those of a segment's fields in `vlseg3e8.v`, whole ones in `vs2r.v`.
fn registers(name: &str) -> u32 {
    let behind = match name.split_once("seg") {
        Some((_, behind)) => Some(behind),
        None => is_whole(name).then(|| &name[2..]),
    };
    behind.and_then(|behind| behind.chars().next()?.to_digit(10)).unwrap_or(1)
}

/// True for moves of whole registers: `vl1r.v`, `vs2r.v`, `vl4re8.v`.
fn is_whole(name: &str) -> bool {
    let rest = name.strip_prefix("vl").or_else(|| name.strip_prefix("vs"));
    rest.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()) && rest[1..].starts_with('r'))
}

/// The bytes that the stack grows by: `addi sp, sp, -96`.
fn growth(name: &str, operands: &[&str]) -> i64 {
    match (name, operands) {
        ("addi", ["sp", "sp", by]) => -number(by).unwrap_or(0),
        ("sub", ["sp", "sp", _]) => LARGE,
        _ => 0,
    }
}

/// Memory at a fixed distance from a register: `16(sp)`.
fn slot(operand: &str) -> Option<Slot<'_>> {
    let (offset, rest) = operand.split_once('(')?;
    let offset = if offset.is_empty() { 0 } else { number(offset)? };
    Some(Slot { base: rest.strip_suffix(')')?, offset })
}
