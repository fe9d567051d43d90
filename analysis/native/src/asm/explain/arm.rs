//! Instructions of 64-bit Arm in words, with the figures of one of its processors for servers.

use super::{InstructionCost, InstructionRow, Processor, figures, longest, of, once, times};
use crate::asm::groups::VectorType;

pub(super) const FIGURES_OF: Processor = Processor {
    name: "Arm Neoverse N1",
    row,
    cost,
    units: &["V0", "V1", "S0", "S1", "M", "B", "L0", "L1"],
    load_units: LS,
    store_units: &[LS],
    loads_vector: 5,
    loads_one: 4,
    begins: 4,
};

// Sets of units: of vectors, of integers, of one that multiplies and divides them, of branches, and of loads and stores.
const V0: u16 = 1;
const V1: u16 = 2;
const V01: u16 = V0 | V1;
const M: u16 = 16;
const SM: u16 = 4 | 8 | M;
const B: u16 = 32;
const LS: u16 = 64 | 128;

/// Instructions on vectors and floats, which of those with the same names are on registers of these.
const VECTORS: &[InstructionRow] = &[
    of(
        &["fadd", "fsub"],
        "adds or subtracts floats",
        "result after 2 cycles, 2 begin each cycle, on V0 V1",
        figures(2, 1, &[once(V01)]),
    ),
    of(
        &["fmul", "fnmul"],
        "multiplies floats",
        "result after 3 cycles, 2 begin each cycle, on V0 V1",
        figures(3, 1, &[once(V01)]),
    ),
    of(
        &["fmla", "fmls", "fmadd", "fmsub", "fnmadd", "fnmsub"],
        "multiplies and adds with one rounding",
        "result after 4 cycles, 2 begin each cycle, on V0 V1",
        figures(4, 1, &[once(V01)]),
    ),
    of(&["fdiv"], "divides floats", "result after 7 to 15 cycles, on V0", figures(7, 1, &[times(7, V0)])),
    of(&["fsqrt"], "takes square roots", "result after 7 to 17 cycles, on V0", figures(7, 1, &[times(7, V0)])),
    of(
        &["frecp", "frsqrt"],
        "approximates reciprocals",
        "result after 3 cycles or more, on V0",
        figures(3, 1, &[once(V0)]),
    ),
    of(
        &["fmin", "fmax", "fabs", "fneg", "fabd"],
        "takes the smaller or larger ones, or changes signs",
        "result after 2 cycles, 2 begin each cycle, on V0 V1",
        figures(2, 1, &[once(V01)]),
    ),
    of(
        &["fcm", "fac", "fcmp", "fccmp"],
        "compares floats",
        "result after 2 cycles, on V0 V1",
        figures(2, 1, &[once(V01)]),
    ),
    of(
        &["fcsel"],
        "chooses by a comparison",
        "result after 2 cycles, 2 begin each cycle, on V0 V1",
        figures(2, 1, &[once(V01)]),
    ),
    of(&["fcvt", "scvtf", "ucvtf"], "converts", "result after 3 cycles, on V0", figures(3, 1, &[once(V0)])),
    of(&["frint"], "rounds to whole numbers", "result after 3 cycles, on V0", figures(3, 1, &[once(V0)])),
    of(
        &[
            "add", "sub", "abs", "neg", "cm", "smin", "smax", "umin", "umax", "uabd", "sabd", "saddw", "usub", "ssub",
            "raddhn", "rsubhn", "cnt", "clz", "cls",
        ],
        "works on integers in all lanes",
        "result after 2 cycles, 2 begin each cycle, on V0 V1",
        figures(2, 1, &[once(V01)]),
    ),
    of(
        &["mul", "mla", "mls", "smull", "umull", "smlal", "umlal"],
        "multiplies integers in all lanes",
        "result after 4 cycles, on V0",
        figures(4, 1, &[once(V0)]),
    ),
    of(
        &["and", "orr", "eor", "bic", "orn", "rbit", "bsl", "bit", "bif", "mvn", "not"],
        "joins bits, or chooses by a mask",
        "result after 2 cycles, 2 begin each cycle, on V0 V1",
        figures(2, 1, &[once(V01)]),
    ),
    of(
        &["shl", "ushl", "sshl", "ushr", "sshr", "usra", "ssra", "sri", "sli"],
        "shifts bits",
        "result after 2 cycles, on V1",
        figures(2, 1, &[once(V1)]),
    ),
    of(
        &["dup", "movi", "fmov", "mov", "ins", "umov", "smov"],
        "puts values into lanes, or takes one out",
        "result after 2 cycles, or 3 from an integer's register",
        figures(2, 1, &[once(V01)]),
    ),
    of(
        &["zip", "uzp", "trn", "ext", "rev", "tbl", "tbx"],
        "moves elements to other lanes",
        "result after 2 cycles, 2 begin each cycle, on V0 V1",
        figures(2, 1, &[once(V01)]),
    ),
    of(
        &["addv", "faddp", "addp", "fmaxv", "fminv", "umaxv", "uminv"],
        "joins lanes of one vector",
        "result after 3 cycles or more, on V1",
        figures(3, 1, &[once(V1)]),
    ),
    of(
        &["xtn", "sxtl", "uxtl", "sshll", "ushll", "shrn", "uaddl", "saddl", "uaddw"],
        "makes elements wider or narrower",
        "result after 2 cycles, on V1",
        figures(2, 1, &[once(V1)]),
    ),
    of(
        &["sdot", "udot"],
        "multiplies bytes, and adds four at a time",
        "result after 2 cycles, 2 begin each cycle, on V0 V1",
        figures(2, 1, &[once(V01)]),
    ),
    of(
        &["ldr", "ldur", "ldp", "ld1", "ldnp"],
        "loads a vector, or two",
        "result after 5 cycles, 2 begin each cycle, on the load units",
        figures(5, 1, &[once(LS)]),
    ),
    of(
        &["ld2", "ld3", "ld4"],
        "loads vectors of elements that lie in turns",
        "result after 7 cycles or more, on the load units and V0 V1",
        figures(7, 2, &[times(2, LS), times(2, V01)]),
    ),
    of(
        &["str", "stur", "stp", "st1", "stnp"],
        "stores a vector, or two",
        "2 begin each cycle, on the store units and V0 V1",
        figures(0, 1, &[once(LS), once(V01)]),
    ),
    of(
        &["st2", "st3", "st4"],
        "stores vectors with their elements in turns",
        "4 cycles or more, on the store units and V0 V1",
        figures(0, 2, &[times(2, LS), times(4, V01)]),
    ),
];

/// Instructions on one integer, and branches.
const SCALARS: &[InstructionRow] = &[
    of(
        &["add", "sub", "adds", "subs", "neg"],
        "adds or subtracts",
        "result after 1 cycle, 3 begin each cycle",
        figures(1, 1, &[once(SM)]),
    ),
    of(
        &["and", "orr", "eor", "bic", "mvn", "orn", "eon", "rbit", "rev", "clz", "cls"],
        "joins bits, counts or turns them",
        "result after 1 cycle, 3 begin each cycle",
        figures(1, 1, &[once(SM)]),
    ),
    of(
        &["mov", "movz", "movk", "movn", "adr"],
        "puts a number or an address into a register",
        "result after 1 cycle, 3 begin each cycle",
        figures(1, 1, &[once(SM)]),
    ),
    of(
        &["lsl", "lsr", "asr", "ror", "ubfx", "sbfx", "ubfiz", "sbfiz", "sxt", "uxt"],
        "shifts bits, or makes an integer wider",
        "result after 1 cycle, 3 begin each cycle",
        figures(1, 1, &[once(SM)]),
    ),
    of(
        &["mul", "madd", "msub", "mneg", "smull", "umull", "smaddl", "umaddl", "smsubl", "umsubl"],
        "multiplies",
        "result after 2 to 4 cycles",
        figures(2, 1, &[once(M)]),
    ),
    of(
        &["smulh", "umulh"],
        "multiplies, for the upper half",
        "result after 5 cycles, one begins every 3 cycles, on M",
        figures(5, 1, &[times(3, M)]),
    ),
    of(
        &["bfi", "bfxil", "bfc"],
        "puts bits into a part of an integer",
        "result after 2 cycles, one begins each cycle, on M",
        figures(2, 1, &[once(M)]),
    ),
    of(&["sdiv", "udiv"], "divides", "result after 5 to 20 cycles", figures(5, 1, &[times(5, M)])),
    of(
        &["cmp", "cmn", "tst", "ccmp"],
        "compares, for the branch behind it",
        "result after 1 cycle, 3 begin each cycle",
        figures(1, 1, &[once(SM)]),
    ),
    of(
        &["csel", "cset", "csinc", "cinc", "csinv", "cinv", "csneg", "cneg"],
        "chooses by a comparison",
        "result after 1 cycle, 3 begin each cycle",
        figures(1, 1, &[once(SM)]),
    ),
    of(
        &["b", "cb", "tb"],
        "goes on at a label, if there is a condition only where it holds",
        "one begins each cycle; a wrong guess costs 11 cycles or more",
        figures(0, 1, &[once(B)]),
    ),
    of(&["bl", "blr"], "calls a function", "", figures(0, 1, &[once(B)])),
    of(&["ret"], "goes back to the caller", "", figures(0, 1, &[once(B)])),
    of(
        &["ldr", "ldur", "ldp"],
        "loads an integer, or two",
        "result after 4 cycles, 2 begin each cycle, on the load units",
        figures(4, 1, &[once(LS)]),
    ),
    of(
        &["str", "stur", "stp"],
        "stores an integer, or two",
        "2 begin each cycle, on the store units",
        figures(0, 1, &[once(LS)]),
    ),
    of(
        &["prfm"],
        "asks for a line of memory before it is needed",
        "2 begin each cycle, on the load units",
        figures(0, 1, &[once(LS)]),
    ),
];

/// The row of an instruction, by its name and all of its code.
fn row(name: &str, code: &str) -> Option<&'static InstructionRow> {
    let is_of = |letters: &[char]| {
        let words = code.split([' ', '\t', ',', '{', '}', '[', ']']).skip(1);
        words.filter(|word| !word.is_empty()).any(|word| {
            let mut chars = word.chars();
            chars.next().is_some_and(|first| letters.contains(&first))
                && chars.next().is_some_and(|second| second.is_ascii_digit())
        })
    };
    longest(if is_of(&['v', 'q', 'd', 's', 'h', 'b']) { VECTORS } else { SCALARS }, name)
}

/// All rows of the tables.
#[cfg(test)]
pub(super) fn rows() -> impl Iterator<Item = &'static InstructionRow> {
    VECTORS.iter().chain(SCALARS)
}

/// The figures of an instruction.
fn cost(name: &str, code: &str, _: VectorType) -> Option<InstructionCost> {
    let row = row(name, code)?;
    let is_vector = VECTORS.iter().any(|other| std::ptr::eq(other, row));
    let branches = ["b", "cb", "tb"].iter().any(|start| name.starts_with(start)) && row.figures.busy[0].units == B;
    Some(InstructionCost {
        latency: row.figures.latency,
        slots: f64::from(row.figures.slots),
        busy: row.figures.busy.iter().map(|busy| (busy.units, f64::from(busy.cycles[0]))).collect(),
        in_vectors: is_vector,
        forwards: None,
        is_masked: false,
        has_accesses: false,
        is_branch: branches,
        joins_branch: false,
    })
}
