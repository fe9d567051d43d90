//! Instructions of 64-bit Arm, with NEON and SVE.

use super::{Decoded, Flow, Frame, LARGE, Slot, is_numbered, number, words};
use crate::asm::counts::Kind;

pub(super) const FRAME: Frame = Frame {
    stack_pointer: "sp",
    frame_pointer: "x29",
    callers_from: 1,
    is_saved: |register| {
        let of = |letter: char| register.strip_prefix(letter).and_then(|number| number.parse::<u32>().ok());
        of('x').is_some_and(|number| (19..=30).contains(&number))
            || of('d').is_some_and(|number| (8..=15).contains(&number))
    },
};

/// Instructions that move elements between lanes.
const SHUFFLES: &[&str] = &[
    "tbl", "tbx", "ext", "rev", "rev64", "rev32", "rev16", "zip1", "zip2", "uzp1", "uzp2", "trn1", "trn2", "ins",
    "umov", "smov", "splice", "compact", "lasta", "lastb", "clasta", "clastb", "insr", "punpklo", "punpkhi",
];

pub(super) fn decode<'t>(name: &str, operands: &[&'t str]) -> Decoded<'t> {
    let last = operands.last().copied().unwrap_or_default();
    let of = |work| Decoded { work: Some(work), ..Decoded::default() };
    match name {
        "bl" | "blr" => return of(Kind::Call),
        "ret" | "br" | "brk" => return Decoded { flow: Flow::Out, ..of(Kind::Scalar) },
        "b" => return Decoded { flow: Flow::Jump(last), ..of(Kind::Scalar) },
        "cbz" | "cbnz" | "tbz" | "tbnz" => return Decoded { flow: Flow::Branch(last), ..of(Kind::Scalar) },
        _ if name.starts_with("b.") => return Decoded { flow: Flow::Branch(last), ..of(Kind::Scalar) },
        _ => {}
    }
    let address = operands.iter().position(|operand| operand.starts_with('['));
    let (loads, stores) = (name.starts_with("ld"), name.starts_with("st"));
    let Some(at) = address.filter(|_| loads || stores) else {
        let (grows, sets_frame_pointer) = (growth(name, operands), sets_frame_pointer(name, operands));
        return Decoded { grows, sets_frame_pointer, ..of(work(name, operands)) };
    };
    let by_vector = words(&operands[at..=at]).any(|word| is_numbered(word, "z"));
    if by_vector {
        return of(if loads { Kind::Gather } else { Kind::Scatter });
    }
    let registers = moved(&operands[..at]);
    let count = registers.len() as u32;
    // `str x25, [sp, #-64]!` makes room first; `ldr x25, [sp], #64` gives it back.
    let is_on_stack = operands[at].starts_with("[sp");
    let given_back = operands.get(at + 1).and_then(|amount| number(amount)).filter(|_| is_on_stack);
    let slot = slot(operands[at]);
    let made = slot.filter(|slot| operands[at].ends_with('!') && slot.base == "sp").map_or(0, |slot| -slot.offset);
    Decoded {
        loads: if loads { count } else { 0 },
        stores: if stores { count } else { 0 },
        slot,
        moved: registers,
        grows: made - given_back.unwrap_or(0),
        ..Decoded::default()
    }
}

/// The registers that are loaded or stored: one or two by themselves, or those of a list. A predicate that says which lanes
/// is none of them.
fn moved<'t>(operands: &[&'t str]) -> Vec<&'t str> {
    let list = operands.iter().find_map(|operand| operand.strip_prefix('{'));
    match list {
        Some(list) => list.split('}').next().unwrap_or_default().split(',').map(str::trim).collect(),
        None => operands.to_vec(),
    }
}

/// The work on registers.
fn work(name: &str, operands: &[&str]) -> Kind {
    let in_vectors = words(operands).any(|word| is_numbered(word, "zvp"));
    let to_vector = operands.first().is_some_and(|first| words(&[first]).any(|word| is_numbered(word, "zv")));
    let has_element = operands.iter().any(|operand| operand.ends_with(']'));
    let from_scalar =
        || operands.get(1).is_some_and(|from| is_numbered(from, "wxbhsd") || matches!(*from, "wzr" | "xzr" | "wsp"));
    match name {
        _ if !in_vectors || name.starts_with("prf") || name.starts_with("cnt") => Kind::Scalar,
        _ if SHUFFLES.contains(&name) => Kind::Shuffle,
        "dup" => Kind::Broadcast,
        "mov" if has_element => Kind::Shuffle,
        "mov" if to_vector && from_scalar() => Kind::Broadcast,
        _ => Kind::Vector,
    }
}

/// The bytes that the stack grows by: `sub sp, sp, #96`. Where it is aligned further than usual, that is `sub x9, sp, #96` and
/// `and sp, x9, #0xffffffffffffffc0`.
fn growth(name: &str, operands: &[&str]) -> i64 {
    let amount = |text: &str, shift: Option<&&str>| {
        let shift = shift.and_then(|shift| number(shift.strip_prefix("lsl ")?)).unwrap_or(0);
        number(text).map_or(LARGE, |amount| amount << shift)
    };
    match (name, operands) {
        ("sub", [_, "sp", by, shift @ ..]) => amount(by, shift.first()),
        ("add", ["sp", "sp", by, shift @ ..]) => -amount(by, shift.first()),
        _ => 0,
    }
}

fn sets_frame_pointer(name: &str, operands: &[&str]) -> bool {
    matches!((name, operands), ("mov" | "add", ["x29", "sp", ..]))
}

/// Memory at a fixed distance from one register: `[sp, #16]`, `[sp, #1, mul vl]`.
fn slot(operand: &str) -> Option<Slot<'_>> {
    let inside = operand.strip_prefix('[')?.split(']').next()?;
    let mut parts = inside.split(',').map(str::trim);
    let base = parts.next()?;
    let offset = parts.next().map_or(Some(0), |offset| offset.starts_with('#').then(|| number(offset)).flatten())?;
    Some(Slot { base, offset })
}
