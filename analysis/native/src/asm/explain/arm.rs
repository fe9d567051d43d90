//! Instructions of 64-bit Arm in words, with the figures of one of its processors for servers.

use super::{InstructionRow, longest};

pub(super) const PROCESSOR: &str = "Arm Neoverse N1";

const fn of(names: &'static [&'static str], does: &'static str, takes: &'static str) -> InstructionRow {
    InstructionRow { names, does, takes }
}

/// Instructions on vectors and floats, which of those with the same names are on registers of these.
const VECTORS: &[InstructionRow] = &[
    of(&["fadd", "fsub"], "adds or subtracts floats", "result after 2 cycles, 2 begin each cycle, on V0 V1"),
    of(&["fmul", "fnmul"], "multiplies floats", "result after 3 cycles, 2 begin each cycle, on V0 V1"),
    of(
        &["fmla", "fmls", "fmadd", "fmsub", "fnmadd", "fnmsub"],
        "multiplies and adds with one rounding",
        "result after 4 cycles, 2 begin each cycle, on V0 V1",
    ),
    of(&["fdiv"], "divides floats", "result after 7 to 15 cycles, on V0"),
    of(&["fsqrt"], "takes square roots", "result after 7 to 17 cycles, on V0"),
    of(&["frecp", "frsqrt"], "approximates reciprocals", "result after 3 cycles or more, on V0"),
    of(
        &["fmin", "fmax", "fabs", "fneg", "fabd"],
        "takes the smaller or larger ones, or changes signs",
        "result after 2 cycles, 2 begin each cycle, on V0 V1",
    ),
    of(&["fcm", "fac", "fcmp"], "compares floats", "result after 2 cycles, on V0 V1"),
    of(&["fcvt", "scvtf", "ucvtf"], "converts", "result after 3 cycles, on V0"),
    of(&["frint"], "rounds to whole numbers", "result after 3 cycles, on V0"),
    of(
        &["add", "sub", "abs", "neg", "cm", "smin", "smax", "umin", "umax", "uabd", "sabd"],
        "works on integers in all lanes",
        "result after 2 cycles, 2 begin each cycle, on V0 V1",
    ),
    of(
        &["mul", "mla", "mls", "smull", "umull", "smlal", "umlal"],
        "multiplies integers in all lanes",
        "result after 4 cycles, on V0",
    ),
    of(
        &["and", "orr", "eor", "bic", "bsl", "bit", "bif", "mvn", "not"],
        "joins bits, or chooses by a mask",
        "result after 2 cycles, 2 begin each cycle, on V0 V1",
    ),
    of(&["shl", "ushl", "sshl", "ushr", "sshr", "usra", "ssra"], "shifts bits", "result after 2 cycles, on V1"),
    of(
        &["dup", "movi", "fmov", "mov", "ins", "umov", "smov"],
        "puts values into lanes, or takes one out",
        "result after 2 cycles, or 3 from an integer's register",
    ),
    of(
        &["zip", "uzp", "trn", "ext", "rev", "tbl", "tbx"],
        "moves elements to other lanes",
        "result after 2 cycles, 2 begin each cycle, on V0 V1",
    ),
    of(
        &["addv", "faddp", "addp", "fmaxv", "fminv", "umaxv", "uminv"],
        "joins lanes of one vector",
        "result after 3 cycles or more, on V1",
    ),
    of(
        &["xtn", "sxtl", "uxtl", "sshll", "ushll", "shrn", "uaddl", "saddl", "uaddw"],
        "makes elements wider or narrower",
        "result after 2 cycles, on V1",
    ),
    of(
        &["sdot", "udot"],
        "multiplies bytes, and adds four at a time",
        "result after 2 cycles, 2 begin each cycle, on V0 V1",
    ),
    of(
        &["ldr", "ldur", "ldp", "ld1", "ldnp"],
        "loads a vector, or two",
        "result after 5 cycles, 2 begin each cycle, on the load units",
    ),
    of(
        &["ld2", "ld3", "ld4"],
        "loads vectors of elements that lie in turns",
        "result after 7 cycles or more, on the load units and V0 V1",
    ),
    of(
        &["str", "stur", "stp", "st1", "stnp"],
        "stores a vector, or two",
        "2 begin each cycle, on the store units and V0 V1",
    ),
    of(
        &["st2", "st3", "st4"],
        "stores vectors with their elements in turns",
        "4 cycles or more, on the store units and V0 V1",
    ),
];

/// Instructions on one integer, and branches.
const SCALARS: &[InstructionRow] = &[
    of(&["add", "sub", "adds", "subs", "neg"], "adds or subtracts", "result after 1 cycle, 3 begin each cycle"),
    of(&["and", "orr", "eor", "bic", "mvn"], "joins bits", "result after 1 cycle, 3 begin each cycle"),
    of(
        &["mov", "movz", "movk", "movn", "adr"],
        "puts a number or an address into a register",
        "result after 1 cycle, 3 begin each cycle",
    ),
    of(
        &["lsl", "lsr", "asr", "ror", "ubfx", "sbfx", "ubfiz", "sbfiz", "sxt", "uxt"],
        "shifts bits, or makes an integer wider",
        "result after 1 cycle, 3 begin each cycle",
    ),
    of(&["mul", "madd", "msub", "smull", "umull"], "multiplies", "result after 2 to 4 cycles"),
    of(&["sdiv", "udiv"], "divides", "result after 5 to 20 cycles"),
    of(
        &["cmp", "cmn", "tst", "ccmp"],
        "compares, for the branch behind it",
        "result after 1 cycle, 3 begin each cycle",
    ),
    of(
        &["csel", "cset", "csinc", "cinc", "csneg"],
        "chooses by a comparison",
        "result after 1 cycle, 3 begin each cycle",
    ),
    of(
        &["b", "cb", "tb"],
        "goes on at a label, if there is a condition only where it holds",
        "one begins each cycle; a wrong guess costs 11 cycles or more",
    ),
    of(&["bl", "blr"], "calls a function", ""),
    of(&["ret"], "goes back to the caller", ""),
    of(
        &["ldr", "ldur", "ldp"],
        "loads an integer, or two",
        "result after 4 cycles, 2 begin each cycle, on the load units",
    ),
    of(&["str", "stur", "stp"], "stores an integer, or two", "2 begin each cycle, on the store units"),
    of(&["prfm"], "asks for a line of memory before it is needed", "2 begin each cycle, on the load units"),
];

/// The row of an instruction, by its name and all of its code. Scalable vectors have words and no figures, since this processor has none.
pub(super) fn row(name: &str, code: &str) -> Option<&'static InstructionRow> {
    let is_of = |letters: &[char]| {
        let words = code.split([' ', '\t', ',', '{', '}', '[', ']']).skip(1);
        words.filter(|word| !word.is_empty()).any(|word| {
            let mut chars = word.chars();
            chars.next().is_some_and(|first| letters.contains(&first))
                && chars.next().is_some_and(|second| second.is_ascii_digit())
        })
    };
    if is_of(&['z', 'p']) {
        return None;
    }
    longest(if is_of(&['v', 'q', 'd', 's', 'h', 'b']) { VECTORS } else { SCALARS }, name)
}
