//! Instructions of RISC-V: the first operand is what they give, unless they store or branch.
//!
//! An operand that is a vector stands for a group of registers: `v8` in groups of two is `v8` and `v9`. Besides those that it names, an
//! instruction on vectors takes the length and type that `vsetvli` gave, and what it gives itself, if some of its elements keep their values.

use super::{Register, TouchedRegisters};
use crate::asm::groups::{VectorType, registers as registers_of};

/// Starts of the names of instructions on vectors that add to what they give, or leave a part of it.
const MERGERS: &[&str] = &[
    "vmacc", "vmadd", "vnmsac", "vnmsub", "vwmacc", "vfmacc", "vfmadd", "vfmsac", "vfmsub", "vfnmacc", "vfnmadd",
    "vfnmsac", "vfnmsub", "vfwmacc", "vfwmsac", "vfwnmacc", "vfwnmsac", "vslideup",
];

/// Starts of the names of instructions that compare vectors into a mask.
const COMPARISONS: &[&str] = &[
    "vmseq", "vmsne", "vmslt", "vmsle", "vmsgt", "vmsge", "vmfeq", "vmfne", "vmflt", "vmfle", "vmfgt", "vmfge",
    "vmadc", "vmsbc",
];

/// Starts of the names of instructions that join the lanes of a vector.
const REDUCTIONS: &[&str] = &["vred", "vwred", "vfred", "vfwred"];

/// Stores of integers and floats.
const STORES: &[&str] = &["sb", "sh", "sw", "sd", "fsh", "fsw", "fsd"];

pub(super) fn touched(name: &str, operands: &[&str], vectors: VectorType) -> TouchedRegisters {
    let mut touched = TouchedRegisters::default();
    match name {
        "j" | "jr" | "jal" | "jalr" | "ret" | "call" | "tail" | "nop" | "fence" | "ecall" => {}
        _ if name.starts_with("vset") => {
            let (first, rest) = operands.split_first().unwrap_or((&"", &[]));
            touched.writes = register(first).into_iter().chain([Register::Length]).collect();
            // With `zero` twice the length stays what it was.
            let keeps = *first == "zero" && rest.first() == Some(&"zero");
            touched.reads = rest.iter().filter_map(|operand| register(operand)).collect();
            touched.reads.extend(keeps.then_some(Register::Length));
        }
        _ if is_vector(name, operands) => of_vectors(name, operands, vectors, &mut touched),
        _ => of_scalars(name, operands, &mut touched),
    }
    touched
}

fn is_vector(name: &str, operands: &[&str]) -> bool {
    name.starts_with('v') && operands.iter().any(|operand| vector(operand).is_some())
}

fn of_scalars(name: &str, operands: &[&str], touched: &mut TouchedRegisters) {
    let branches = name.starts_with('b') && operands.last().is_some_and(|last| last.starts_with('.'));
    let memory = operands.iter().position(|operand| operand.ends_with(')'));
    let (first, rest) = operands.split_first().unwrap_or((&"", &[]));
    let named = |operands: &[&str]| operands.iter().filter_map(|operand| register(operand)).collect::<Vec<_>>();
    match memory {
        _ if branches => touched.reads = named(operands),
        Some(at) if STORES.contains(&name) => {
            touched.reads = named(&operands[..at]);
            touched.stores_by = address(operands[at]).into_iter().collect();
        }
        // `amoadd.w a0, a1, (a2)` takes `a1`; a load takes nothing but its address.
        Some(at) => {
            touched.reads = named(&operands[1.min(at)..at]);
            touched.writes = register(first).into_iter().collect();
            touched.loads_by = Some(address(operands[at]).into_iter().collect());
        }
        None => {
            touched.reads = named(rest);
            touched.writes = register(first).into_iter().collect();
        }
    }
}

fn of_vectors(name: &str, operands: &[&str], vectors: VectorType, touched: &mut TouchedRegisters) {
    let starts = |with: &[&str]| with.iter().any(|start| name.starts_with(start));
    let is_memory = operands.iter().any(|operand| operand.ends_with(')'));
    let stores = is_memory && name.starts_with("vs");
    let sizes = sizes(name, vectors);
    let mut given = Vec::new();
    let mut by = Vec::new();
    let mut n_sources = 0;
    for (at, operand) in operands.iter().enumerate() {
        if operand.ends_with(')') {
            by.extend(address(operand));
        } else if let Some(first) = vector(operand) {
            // A mask is one register, whatever the groups are.
            let is_mask = operand.ends_with(".t")
                || *operand == "v0" && at > 0 && starts_choice(name) && at + 1 == operands.len();
            let eighths = match at {
                _ if is_mask => 8,
                0 => sizes.given,
                _ => sizes.sources[n_sources.min(1)],
            };
            n_sources += usize::from(at > 0);
            let group = (first..).take(registers_of(eighths) as usize).map(Register::Vector);
            match at {
                0 if !stores => given.extend(group),
                _ if is_memory && at > 0 => by.extend(group),
                _ => touched.reads.extend(group),
            }
        } else if is_memory {
            by.extend(register(operand));
        } else if at == 0 {
            // `vmv.x.s a0, v8` gives an integer.
            given.extend(register(operand));
        } else {
            touched.reads.extend(register(operand));
        }
    }
    let is_masked = operands.last().is_some_and(|last| last.ends_with(".t"));
    let keeps = vectors.keeps_tail || is_masked && vectors.keeps_masked || starts(MERGERS);
    if keeps && matches!(given.first(), Some(Register::Vector(_))) && !is_whole(name) {
        touched
            .reads
            .extend(given.iter().filter(|register| !touched.reads.contains(register)).copied().collect::<Vec<_>>());
    }
    if !is_whole(name) {
        match is_memory && !stores {
            true => by.push(Register::Length),
            false => touched.reads.push(Register::Length),
        }
    }
    match (is_memory, stores) {
        (true, true) => touched.stores_by = by,
        (true, false) => touched.loads_by = Some(by),
        _ => {}
    }
    touched.writes = given;
}

/// The eighths of a register that an instruction's groups are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::asm) struct GroupSizes {
    /// Of what it gives, or stores.
    pub(in crate::asm) given: u32,
    /// Of the first vector that it takes, and of the others.
    pub(in crate::asm) sources: [u32; 2],
}

/// The sizes of the groups of an instruction, by its name and the vectors in force.
pub(in crate::asm) fn sizes(name: &str, vectors: VectorType) -> GroupSizes {
    let starts = |with: &[&str]| with.iter().any(|start| name.starts_with(start));
    let own = vectors.eighths;
    let of = |given, first, second| GroupSizes { given, sources: [first, second] };
    if let Some(n) = whole(name) {
        return of(8 * n, 8 * n, 8 * n);
    }
    if let Some(bits) = element_bits(name) {
        let indexed = name.contains("ux") || name.contains("ox");
        let own = if indexed { own } else { vectors.eighths_of(bits) };
        let given = match fields(name) {
            1 => own,
            fields => fields * registers_of(own) * 8,
        };
        return of(given, vectors.eighths_of(bits), own);
    }
    let widens = starts(&["vw", "vfw"]) && !starts(REDUCTIONS);
    let takes_wide = name.contains(".w");
    match () {
        () if starts(COMPARISONS) => of(8, own, own),
        () if starts(REDUCTIONS) => of(8, own, 8),
        () if starts(&["vmv.x", "vmv.s", "vfmv.f", "vfmv.s", "vlm", "vsm"]) => of(8, 8, 8),
        () if name.ends_with(".m") || name.ends_with(".mm") => {
            of(if name.starts_with("viota") { own } else { 8 }, 8, 8)
        }
        () if widens => of(2 * own, if takes_wide { 2 * own } else { own }, own),
        () if takes_wide => of(own, 2 * own, own),
        () if starts(&["vzext", "vsext"]) => {
            let part = name.rsplit("vf").next().and_then(|part| part.parse().ok()).unwrap_or(1);
            of(own, own / part, own)
        }
        () if name.starts_with("vrgatherei16") => of(own, own, vectors.eighths_of(16)),
        () => of(own, own, own),
    }
}

/// The number of registers that an instruction on whole ones moves: `vmv2r.v`, `vl1r.v`, `vl2re8.v`, `vs4r.v`.
pub(in crate::asm) fn whole(name: &str) -> Option<u32> {
    let rest = ["vmv", "vl", "vs"].iter().find_map(|start| name.strip_prefix(start))?;
    let number = rest.chars().next()?.to_digit(10)?;
    rest[1..].starts_with('r').then_some(number)
}

fn is_whole(name: &str) -> bool {
    whole(name).is_some()
}

/// The bits of the elements that a load or store has in its name, of indices where it takes these: `vle32.v`, `vsseg2e8.v`, `vluxei64.v`.
pub(in crate::asm) fn element_bits(name: &str) -> Option<u32> {
    let is_access =
        ["vle", "vse", "vls", "vss", "vlu", "vlo", "vsu", "vso"].iter().any(|start| name.starts_with(start));
    let before = name.split('.').next().filter(|_| is_access)?;
    before.trim_end_matches("ff").rsplit(['e', 'i']).next()?.parse().ok()
}

/// The number of fields of a load or store of segments, else 1.
pub(in crate::asm) fn fields(name: &str) -> u32 {
    name.split_once("seg").and_then(|(_, rest)| rest.chars().next()?.to_digit(10)).unwrap_or(1)
}

/// True for an instruction whose last operand is a mask that it chooses or carries by: `vmerge.vvm v8, v9, v10, v0`.
fn starts_choice(name: &str) -> bool {
    name.ends_with("m")
        && ["vmerge", "vfmerge", "vadc", "vsbc", "vmadc", "vmsbc"].iter().any(|start| name.starts_with(start))
}

/// The register of an address: `16(sp)`.
fn address(operand: &str) -> Option<Register> {
    register(operand.split_once('(')?.1.strip_suffix(')')?)
}

/// The number of a vector: of `v8`, `v0.t`.
fn vector(operand: &str) -> Option<u8> {
    operand.strip_prefix('v')?.trim_end_matches(".t").parse().ok()
}

/// A register of integers or floats by its name; the register of zeros is none.
fn register(name: &str) -> Option<Register> {
    let number = |start: &str| name.strip_prefix(start).and_then(|rest| rest.parse::<u8>().ok());
    // The registers that a start of names has, in the order of their numbers.
    let of = |start, numbers: &[u8]| numbers.get(usize::from(number(start)?)).copied();
    const SAVED: [u8; 12] = [8, 9, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27];
    const ARGUMENTS: [u8; 8] = [10, 11, 12, 13, 14, 15, 16, 17];
    let integer = match name {
        "ra" => Some(1),
        "sp" => Some(2),
        "gp" => Some(3),
        "tp" => Some(4),
        _ => of("t", &[5, 6, 7, 28, 29, 30, 31])
            .or_else(|| of("s", &SAVED))
            .or_else(|| of("a", &ARGUMENTS))
            .or_else(|| number("x").filter(|number| *number > 0)),
    };
    let float = || {
        let temporary = of("ft", &[0, 1, 2, 3, 4, 5, 6, 7, 28, 29, 30, 31]);
        temporary.or_else(|| of("fs", &SAVED)).or_else(|| of("fa", &ARGUMENTS)).or_else(|| number("f"))
    };
    integer.map(Register::Integer).or_else(|| float().map(Register::Float))
}
