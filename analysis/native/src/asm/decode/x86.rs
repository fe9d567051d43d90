//! Instructions of x86, in AT&T's order: what is written stands last.

use super::{Decoded, Flow, Frame, Slot, number};
use crate::asm::counts::Kind;

pub(super) const FRAME: Frame = Frame {
    stack_pointer: "%rsp",
    frame_pointer: "%rbp",
    callers_from: 1,
    is_saved: |register| matches!(register, "%rbx" | "%rbp" | "%r12" | "%r13" | "%r14" | "%r15"),
};

/// Parts of the names of instructions that move elements between lanes.
const SHUFFLES: &[&str] = &[
    "perm", "shuf", "unpck", "insert", "pinsr", "extract", "pextr", "align", "pack", "expand", "compress", "movhl",
    "movlh", "movddup", "movshdup", "movsldup", "pslldq", "psrldq",
];

/// Starts of the names of instructions that only read their last operand.
const READERS: &[&str] = &[
    "cmp", "test", "ucomi", "comi", "vucomi", "vcomi", "ptest", "vptest", "vtest", "btl", "btq", "push", "mul", "div",
    "idiv",
];

/// Starts of the names of instructions that write their last operand without reading it.
const WRITERS: &[&str] = &[
    "mov",
    "vmov",
    "vmaskmov",
    "vpmaskmov",
    "kmov",
    "extract",
    "vextract",
    "pextr",
    "vpextr",
    "vpmov",
    "vcvtps2ph",
    "vcompress",
    "vpcompress",
    "set",
    "pop",
    "vstmxcsr",
    "stmxcsr",
];

pub(super) fn decode<'t>(name: &str, operands: &[&'t str]) -> Decoded<'t> {
    match name {
        _ if name.starts_with("call") => return Decoded { work: Some(Kind::Call), ..Decoded::default() },
        "jmp" => return jump(Flow::Jump, operands),
        _ if name.starts_with('j') => return jump(Flow::Branch, operands),
        "ret" | "retq" | "retl" | "ud2" => return Decoded { flow: Flow::Out, ..scalar() },
        "pushq" | "popq" => {
            let grows = if name == "pushq" { 8 } else { -8 };
            let is_register = operands.first().is_some_and(|operand| operand.starts_with('%'));
            return Decoded {
                work: Some(if is_register { Kind::Save } else { Kind::Store }),
                grows,
                ..Decoded::default()
            };
        }
        _ => {}
    }
    let memory = operands.iter().position(|operand| operand.contains('('));
    let memory = memory.filter(|_| !["lea", "nop", "prefetch"].iter().any(|start| name.starts_with(start)));
    let mut decoded = Decoded {
        work: work(name, operands, memory.is_some()),
        grows: growth(name, operands),
        sets_frame_pointer: name == "movq" && operands == ["%rsp", "%rbp"],
        ..Decoded::default()
    };
    if let Some(at) = memory.filter(|_| !matches!(decoded.work, Some(Kind::Gather | Kind::Scatter))) {
        let is_last = at + 1 == operands.len();
        let starts = |starts: &[&str]| starts.iter().any(|start| name.starts_with(start));
        // `imul` of one operand reads it, and of more writes a register.
        let reads_only = !is_last || starts(READERS) || name.starts_with("imul");
        let writes_only = is_last && starts(WRITERS);
        decoded.loads = u32::from(!writes_only);
        decoded.stores = u32::from(!reads_only);
        decoded.slot = slot(operands[at]);
        let others = operands.iter().enumerate().filter(|&(other, _)| other != at);
        decoded.moved = others.map(|(_, operand)| *operand).filter(|operand| operand.starts_with('%')).collect();
    }
    decoded
}

fn scalar<'t>() -> Decoded<'t> {
    Decoded { work: Some(Kind::Scalar), ..Decoded::default() }
}

fn jump<'t>(flow: fn(&'t str) -> Flow<'t>, operands: &[&'t str]) -> Decoded<'t> {
    let target = operands.first().copied().unwrap_or_default();
    let flow = if target.starts_with('*') { Flow::Out } else { flow(target) };
    Decoded { flow, ..scalar() }
}

/// The work on registers.
fn work(name: &str, operands: &[&str], has_memory: bool) -> Option<Kind> {
    let is_in = |register: &str| operands.iter().any(|operand| operand.contains(register));
    let in_vectors = ["%xmm", "%ymm", "%zmm"].into_iter().any(is_in);
    let shuffles = SHUFFLES.iter().any(|shuffle| name.contains(shuffle));
    match name {
        _ if name.contains("gather") => Some(Kind::Gather),
        _ if name.contains("scatter") => Some(Kind::Scatter),
        // One cell for all lanes is the load's own work.
        _ if name.contains("broadcast") => (!has_memory).then_some(Kind::Broadcast),
        _ if shuffles && (in_vectors || is_in("%k")) => Some(Kind::Shuffle),
        _ if has_memory && is_move(name) => None,
        _ if name.starts_with("kmov") && ["%e", "%r"].into_iter().any(is_in) => Some(Kind::Scalar),
        _ if !in_vectors && !is_in("%k") => Some(Kind::Scalar),
        _ if is_single(name) => Some(Kind::Scalar),
        _ => Some(Kind::Vector),
    }
}

/// True for instructions that change nothing of what they move. Those that make elements wider or narrower do, in vectors.
fn is_move(name: &str) -> bool {
    let changes = ["cmov", "vpmovz", "vpmovs", "pmovz", "pmovs", "vpmovu", "vpmovw", "vpmovd", "vpmovq", "movmsk"];
    name.contains("mov") && !changes.iter().any(|change| name.starts_with(change))
}

/// True if an x86 instruction in a vector register works on its first element alone. (`pabsd` is named for its double words:
/// packed instructions begin with a `p`.)
fn is_single(name: &str) -> bool {
    let is_packed = name.trim_start_matches('v').starts_with('p');
    (name.ends_with("ss") || name.ends_with("sd")) && !is_packed
        || ["si2s", "ss2", "sd2"].iter().any(|conversion| name.contains(conversion))
        || matches!(name, "vmovd" | "vmovq" | "movd" | "movq")
}

/// The bytes that the stack grows by.
fn growth(name: &str, operands: &[&str]) -> i64 {
    match (name, operands) {
        ("subq", [amount, "%rsp"]) => number(amount).unwrap_or(0),
        ("addq", [amount, "%rsp"]) => -number(amount).unwrap_or(0),
        _ => 0,
    }
}

/// Memory at a fixed distance from one register: `32(%rsp)`.
fn slot(operand: &str) -> Option<Slot<'_>> {
    let (offset, rest) = operand.split_once('(')?;
    let (base, _) = rest.split_once(')')?;
    let offset = if offset.is_empty() { 0 } else { number(offset)? };
    (!base.contains(',')).then_some(Slot { base, offset })
}
