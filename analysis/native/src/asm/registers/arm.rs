//! Instructions of 64-bit Arm: the first operand is what they give.
//!
//! Under a predicate that merges (`p0/m`) the other lanes keep what was there, so that it is taken as well. A load waits for its
//! predicate as for its address.

use super::{Register, TouchedRegisters};

/// Starts of the names of instructions that add to what they give, or change a part of it.
const MERGERS: &[&str] = &[
    "fmla", "fmls", "mla", "mls", "smlal", "umlal", "smlsl", "umlsl", "bsl", "bit", "bif", "sdot", "udot", "usdot",
    "saba", "uaba", "sabal", "uabal", "sadalp", "uadalp", "sri", "sli", "usra", "ssra", "ursra", "srsra", "ins", "tbx",
    "movk", "bfi", "bfxil", "sqdmlal", "sqdmlsl", "fcmla", "inc", "dec", "sqinc", "uqinc", "sqdec", "uqdec",
];

/// Starts of the names of instructions that narrow to the upper half of what they give, when they end with a 2.
const NARROWERS: &[&str] = &["xtn", "sqxtn", "uqxtn", "sqxtun", "shrn", "rshrn", "fcvtn", "addhn", "subhn"];

/// Starts of the names of instructions that give a predicate, and set the flags whatever else they are named.
const PREDICATE_FLAGGERS: &[&str] = &["while", "cmp", "pfirst", "pnext"];

/// Starts of the names of instructions that choose by flags.
const CHOOSERS: &[&str] = &["csel", "cset", "csinc", "cinc", "csinv", "csneg", "cneg", "fcsel", "adc", "sbc"];

/// Starts of the names of instructions that set the flags alone.
const COMPARISONS: &[&str] = &["cmp", "cmn", "tst", "ccmp", "ccmn", "fcmp", "fccmp"];

pub(super) fn touched(name: &str, operands: &[&str]) -> TouchedRegisters {
    let starts = |with: &[&str]| with.iter().any(|start| name.starts_with(start));
    let gives_predicate = operands.first().is_some_and(|first| is_predicate(first));
    let mut touched = TouchedRegisters::default();
    match name {
        _ if name.starts_with("b.") => touched.reads.push(Register::Flags),
        "cbz" | "cbnz" | "tbz" | "tbnz" => touched.reads.extend(registers(operands.first().unwrap_or(&""))),
        "b" | "bl" | "blr" | "br" | "ret" | "nop" => {}
        _ if name.starts_with("st") => {
            let (address, values) = parted(operands);
            touched.reads.extend(values.iter().flat_map(|value| registers(value)));
            touched.stores_by = address.map(registers).unwrap_or_default();
            touched.moves_on = moved_on(operands);
        }
        _ if name.starts_with("ld") => {
            let (address, values) = parted(operands);
            let (chosen_by, values): (Vec<&str>, Vec<&str>) =
                values.iter().copied().partition(|value| value.contains('/'));
            touched.writes.extend(values.iter().flat_map(|value| registers(value)));
            touched.loads_by = Some(address.into_iter().chain(chosen_by).flat_map(registers).collect());
            touched.moves_on = moved_on(operands);
            // A load of one lane leaves the others.
            if values.iter().any(|value| value.contains("}[")) {
                touched.reads = touched.writes.clone();
            }
        }
        _ if name.starts_with("prf") => touched.loads_by = Some(parted(operands).0.map(registers).unwrap_or_default()),
        _ if name == "ptest" || name.starts_with("cterm") || !gives_predicate && starts(COMPARISONS) => {
            touched.reads.extend(operands.iter().flat_map(|operand| registers(operand)));
            touched.reads.extend(starts(&["ccmp", "ccmn", "fccmp"]).then_some(Register::Flags));
            touched.writes.push(Register::Flags);
        }
        _ => {
            let Some((first, rest)) = operands.split_first() else { return touched };
            let given = registers(first);
            touched.reads.extend(rest.iter().flat_map(|operand| registers(operand)));
            let one_lane = first.ends_with(']');
            let upper_half = name.ends_with('2') && starts(NARROWERS);
            let merges = rest.iter().any(|operand| operand.ends_with("/m"));
            if (starts(MERGERS) || one_lane || upper_half || merges)
                && !given.iter().all(|register| touched.reads.contains(register))
            {
                touched.reads.extend(given.iter().copied());
            }
            touched.reads.extend(starts(CHOOSERS).then_some(Register::Flags));
            touched.writes = given;
            // Of predicates all that end so set the flags: `ands`, `ptrues`, `brkas`.
            let sets_flags = match gives_predicate {
                true => name.ends_with('s') || starts(PREDICATE_FLAGGERS),
                false => matches!(name, "adds" | "subs" | "ands" | "bics" | "negs" | "adcs" | "sbcs"),
            };
            touched.writes.extend(sets_flags.then_some(Register::Flags));
        }
    }
    touched
}

/// The address among operands, and the values in front of it.
fn parted<'o>(operands: &'o [&'o str]) -> (Option<&'o str>, &'o [&'o str]) {
    match operands.iter().position(|operand| operand.starts_with('[')) {
        Some(at) => (Some(operands[at]), &operands[..at]),
        None => (None, operands),
    }
}

/// The register of an address that an access moves on, before it or behind it.
fn moved_on(operands: &[&str]) -> Vec<Register> {
    let at = operands.iter().position(|operand| operand.starts_with('['));
    let moves = at.is_some_and(|at| operands[at].ends_with('!') || at + 1 < operands.len());
    at.filter(|_| moves).map(|at| registers(operands[at])).unwrap_or_default().into_iter().take(1).collect()
}

/// True for a predicate: `p1.b`.
fn is_predicate(operand: &str) -> bool {
    operand.starts_with('p') && matches!(registers(operand)[..], [Register::Mask(_)])
}

/// The registers that an operand names; the register of zeros is none.
fn registers(operand: &str) -> Vec<Register> {
    let words = operand.split(['[', ']', '{', '}', ' ', ',', '!', '#', '/']).filter(|word| !word.is_empty());
    words.filter_map(register).collect()
}

fn register(word: &str) -> Option<Register> {
    let name = word.split('.').next().unwrap_or(word);
    if name == "sp" || name == "wsp" {
        return Some(Register::Integer(31));
    }
    let number: u8 = name.get(1..)?.parse().ok()?;
    match name.as_bytes()[0] {
        b'x' | b'w' => Some(Register::Integer(number)),
        b'z' | b'v' | b'q' | b'd' | b's' | b'h' | b'b' => Some(Register::Vector(number)),
        b'p' => Some(Register::Mask(number)),
        _ => None,
    }
}
