//! Code of 64-bit Arm that has scalable vectors, with the figures of Arm's Neoverse V1: the one of Arm's processors for servers whose
//! scalable registers are wider than those of NEON, at 256 bits.
//!
//! All instructions of such code have this processor's figures, those on NEON's registers and on integers among them. For a
//! target whose registers are wider or narrower they are those of 256 bits. They are the ones of Arm's guide to optimizing for it and
//! of LLVM's scheduling model, with one difference: there a gather or scatter keeps a load unit busy once or twice, though it
//! accesses an element at a time; here it does so once for each element of 256 bits.
//!
//! An instruction is found by its name with the size of its largest elements behind it (`fdiv.s`, `fdiv.d`), and behind that an `x` where
//! it takes an integer to vectors (`mov.sx`), or an `o` where it gives one out (`lastb.so`), since these differ.

mod plain;
mod predicates;
mod scalable;

use super::{InstructionCost, InstructionRow, Processor, longest};
use crate::asm::decode::split;
use crate::asm::groups::VectorType;

pub(super) const FIGURES_OF: Processor = Processor {
    name: "Arm Neoverse V1",
    row,
    cost,
    units: &["V0", "V1", "V2", "V3", "S0", "S1", "M0", "M1", "B0", "B1", "L0", "L1", "L2"],
    load_units: L,
    store_units: &[L01],
    loads_vector: 6,
    loads_one: 4,
    begins: 8,
};

// Sets of units: of vectors, of which scalable ones take two at a time, of integers, of one that multiplies and of those of predicates, of
// branches, and of loads and stores.
const V0: u16 = 1;
const V1: u16 = 2;
const V01: u16 = V0 | V1;
const V02: u16 = V0 | 4;
const V13: u16 = V1 | 8;
const V: u16 = V01 | 4 | 8;
const S: u16 = 16 | 32;
const M0: u16 = 64;
const M: u16 = M0 | 128;
const I: u16 = S | M;
const B: u16 = 256 | 512;
const L01: u16 = 1024 | 2048;
const L: u16 = L01 | 4096;

/// The kinds of registers that an instruction names.
#[derive(Debug, Clone, Copy, Default)]
struct NamedRegisters {
    scalable: bool,
    predicates: bool,
    /// Those of NEON, and of floats.
    plain: bool,
    integers: bool,
}

impl NamedRegisters {
    fn of(code: &str) -> NamedRegisters {
        let mut named = NamedRegisters::default();
        let words = code.split([' ', '\t', ',', '{', '}', '[', ']', '/']).skip(1).filter(|word| !word.is_empty());
        for word in words {
            let mut chars = word.chars();
            let (first, second) = (chars.next(), chars.next());
            let is_numbered = second.is_some_and(|second| second.is_ascii_digit());
            match first {
                Some('z') if is_numbered => named.scalable = true,
                Some('p') if is_numbered => named.predicates = true,
                Some('v' | 'q' | 'd' | 's' | 'h' | 'b') if is_numbered => named.plain = true,
                Some('x' | 'w') if is_numbered || matches!(word, "xzr" | "wzr") => named.integers = true,
                _ => {}
            }
        }
        named
    }
}

/// True for an instruction that only processors with scalable vectors have.
pub(super) fn is_scalable(line: &str) -> bool {
    let code = line.trim();
    let name = code.split([' ', '\t']).next().unwrap_or_default();
    let named = NamedRegisters::of(code);
    named.scalable || named.predicates || counts_lanes(name)
}

/// True for an instruction that puts the size of vectors into an integer, or adds it: `cntw`, `incd`, `addvl`.
fn counts_lanes(name: &str) -> bool {
    let of_elements = ["cnt", "inc", "dec"].iter().filter_map(|start| name.strip_prefix(start));
    of_elements.clone().any(|rest| matches!(rest, "b" | "h" | "w" | "d"))
        || matches!(name, "rdvl" | "addvl" | "addpl" | "rdsvl")
}

/// The name of an instruction as tables have it.
fn key(name: &str, code: &str, named: NamedRegisters) -> String {
    let operands = split(code[name.len()..].trim());
    let address = operands.iter().find(|operand| operand.starts_with('['));
    // Predicates have sizes as well, but those of the vectors beside them decide.
    let words = operands.iter().flat_map(|operand| operand.split([' ', ',', '{', '}', '[', ']']));
    let is_plain = !named.scalable && !named.predicates;
    let size = |word: &str| {
        let letter = word.chars().next()?;
        let counts = match () {
            () if named.scalable => letter == 'z',
            () if is_plain => "vqdshb".contains(letter) && word[1..].starts_with(|c: char| c.is_ascii_digit()),
            () => letter == 'p',
        };
        let shape = word.split_once('.').map(|(_, shape)| shape.trim_start_matches(|c: char| c.is_ascii_digit()));
        let size = match shape {
            Some(shape) => shape.chars().next(),
            None => Some(letter),
        };
        size.filter(|size| counts && "bhsdq".contains(*size))
    };
    let largest = words.filter_map(size).max_by_key(|size| "bhsdq".find(*size));
    let by_vector = address.is_some_and(|address| NamedRegisters::of(&format!(" {address}")).scalable);
    let crosses = named.integers && address.is_none() && (named.scalable || named.plain);
    let mut key = match (name, by_vector) {
        (name, true) if name.starts_with("ld") => "gather".to_owned(),
        (name, true) if name.starts_with("st") => "scatter".to_owned(),
        _ => name.to_owned(),
    };
    key.extend(largest.iter().flat_map(|size| ['.', *size]));
    if matches!(name, "sdiv" | "udiv") && is_plain && !named.plain {
        key.push_str(if operands.first().is_some_and(|first| first.starts_with('x')) { ".x" } else { ".w" });
    }
    let gives_out = operands.first().is_some_and(|first| first.starts_with(['w', 'x']));
    // A predicate that chooses the lanes to move to makes that a longer way.
    key.push_str(match () {
        () if !crosses => "",
        () if gives_out => "o",
        () if named.predicates && name == "mov" => "px",
        () => "x",
    });
    key
}

fn row(name: &str, code: &str) -> Option<&'static InstructionRow> {
    let named = NamedRegisters::of(code);
    let table = match () {
        () if named.scalable => scalable::VECTORS,
        () if named.predicates => predicates::PREDICATES,
        () if named.plain => plain::VECTORS,
        () => plain::SCALARS,
    };
    longest(table, &key(name, code, named))
}

/// All rows of the tables.
#[cfg(test)]
pub(super) fn rows() -> impl Iterator<Item = &'static InstructionRow> {
    [scalable::VECTORS, predicates::PREDICATES, plain::VECTORS, plain::SCALARS].into_iter().flatten()
}

fn cost(name: &str, code: &str, _: VectorType) -> Option<InstructionCost> {
    let row = row(name, code)?;
    let named = NamedRegisters::of(code);
    // Two registers of 16 bytes, or of 8, are two loads.
    let is_pair = matches!(name, "ldp" | "ldnp") && code[name.len()..].trim().starts_with(['q', 'x']);
    let twice = if is_pair { 2.0 } else { 1.0 };
    let is_branch = row.figures.busy.first().is_some_and(|busy| busy.units == B) && !name.starts_with("bl");
    Some(InstructionCost {
        latency: row.figures.latency,
        slots: f64::from(row.figures.slots),
        busy: row.figures.busy.iter().map(|busy| (busy.units, twice * f64::from(busy.cycles[0]))).collect(),
        in_vectors: named.scalable || named.plain,
        forwards: (row.figures.waits_less > 0).then(|| (row.names[0], row.figures.waits_less)),
        is_masked: false,
        has_accesses: true,
        is_branch: is_branch && name != "ret",
        joins_branch: false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_have_the_figures_of_their_elements_and_registers() {
        let told = |code: &str| {
            let name = code.split(' ').next().expect("a name");
            let cost = cost(name, code, VectorType::default()).unwrap_or_else(|| panic!("no row for {code}"));
            let busy = cost.busy.iter().map(|(units, cycles)| {
                let names = FIGURES_OF.units.iter().enumerate().filter(|(at, _)| units & (1 << at) != 0);
                format!(" {cycles}@{}", names.map(|(_, name)| *name).collect::<String>())
            });
            format!("{}{}", cost.latency, busy.collect::<String>())
        };
        for (code, expected) in [
            ("fadd z0.s, p0/m, z0.s, z1.s", "2 1@V0V1"),
            ("fmla z0.d, p0/m, z1.d, z2.d", "4 1@V0V1"),
            ("fdiv z0.s, p0/m, z0.s, z1.s", "10 7@V0"),
            ("fdivr z0.d, p0/m, z0.d, z1.d", "15 7@V0"),
            ("fsqrt z0.d, p0/m, z1.d", "16 7@V0"),
            ("fdiv s0, s1, s2", "10 7@V0V2"),
            ("fdiv d0, d1, d2", "15 7@V0V2"),
            ("fcvtzs z0.s, p0/m, z1.s", "4 2@V0"),
            ("fcvt z0.d, p0/m, z1.s", "3 1@V0"),
            ("fcvtzs w0, s1", "3 1@V0"),
            ("scvtf s0, w1", "3 1@M0"),
            ("mov z0.s, w1", "3 1@M0"),
            ("mov z0.s, p1/m, w1", "5 1@M0 1@V0V1"),
            ("mov z0.s, s1", "2 1@V0V1"),
            ("mov z0.d, z1.d", "2 1@V0V1"),
            ("mov p0.b, p1.b", "1 1@M0"),
            ("and p0.b, p1/z, p2.b, p3.b", "1 1@M0"),
            ("and z0.d, z1.d, z2.d", "2 1@V0V1"),
            ("ands p0.b, p1/z, p2.b, p3.b", "2 2@M0"),
            ("ptrue p0.s", "2 1@M0"),
            ("ptest p0, p1.b", "2 1@M0"),
            ("whilelo p0.s, x1, x2", "3 2@M0"),
            ("whilelo p0.s, xzr, x2", "3 2@M0"),
            ("cmpne p0.s, p1/z, z0.s, #0", "4 1@M0 1@V0"),
            ("fcmgt p0.s, p1/z, z0.s, z1.s", "2 1@V0"),
            ("sel z0.s, p0, z1.s, z2.s", "2 1@V0V1"),
            ("cntw x8", "2 1@M0"),
            ("incd x8", "2 1@M0"),
            ("cnt z0.s, p0/m, z1.s", "2 1@V0V1"),
            ("cntp x0, p0, p1.s", "2 1@M0"),
            ("ld1w { z0.s }, p0/z, [x0, x1, lsl #2]", "6 1@L0L1"),
            ("ldr z0, [x0, #1, mul vl]", "6 1@L0L1"),
            ("str z0, [x0]", "0 1@L0L1 1@V0V1V2V3"),
            ("st1w { z0.s }, p0, [x0]", "0 1@L0L1 1@V0V1V2V3"),
            ("ld1w { z0.s }, p0/z, [x0, z1.s, sxtw #2]", "11 8@L0L1 2@V0V1V2V3"),
            ("ld1d { z0.d }, p0/z, [x0, z1.d, lsl #3]", "9 4@L0L1 2@V0V1V2V3"),
            ("st1w { z0.s }, p0, [x0, z1.s, sxtw #2]", "0 8@L0L1 2@V0V1V2V3"),
            ("ldp q0, q1, [x0]", "6 2@L0L1L2"),
            ("ldp s0, s1, [x0]", "6 1@L0L1L2"),
            ("faddv s0, p0, z1.s", "11 1@V0V1V2V3 5@V0V1"),
            ("fadda s0, p0, s0, z1.s", "11 10@V0"),
            ("uaddv d0, p0, z1.s", "10 1@V0V1V2V3 1@V0V1 2@V1"),
            ("lastb w0, p0, z1.s", "6 1@M0 1@V1"),
            ("lastb s0, p0, z1.s", "3 1@V1"),
            ("clasta w0, p0, w0, z1.s", "9 1@M0 1@V1"),
            ("index z0.s, #0, #1", "4 1@V0"),
            ("index z0.d, x0, x1", "8 2@M0 2@V0"),
            ("mul z0.d, p0/m, z0.d, z1.d", "5 2@V0"),
            ("mul z0.s, z0.s, #5", "4 1@V0"),
            ("lsl z0.s, z1.s, #2", "2 1@V1"),
            ("uunpklo z0.s, z1.h", "2 1@V0V1"),
            ("add x0, x1, x2", "1 1@S0S1M0M1"),
            ("udiv w0, w1, w2", "12 5@M0"),
            ("udiv x0, x1, x2", "20 5@M0"),
            ("b.first .LBB0_2", "0 1@B0B1"),
            ("bic w0, w1, w2", "1 1@S0S1M0M1"),
            ("umaxv s0, v0.4s", "2 1@V1V3"),
            ("umov w0, v0.s[1]", "2 1@V0V1V2V3"),
            ("fmov w0, s1", "2 1@V1"),
            ("fmov s1, w0", "3 1@M0"),
            ("fmov z0.s, #1.00000000", "2 1@V0V1"),
        ] {
            assert_eq!(told(code), expected, "{code}");
        }
    }

    #[test]
    fn registers_and_counts_of_lanes_tell_scalable_code() {
        for code in ["fadd z0.s, z1.s, z2.s", "ptrue p0.b", "whilelo p1.s, x8, x9", "cntw x8", "addvl sp, sp, #-2"] {
            assert!(is_scalable(code), "{code}");
        }
        for code in ["fadd v0.4s, v1.4s, v2.4s", "cnt v0.16b, v1.16b", "prfm pldl1keep, [x0]", "b.pl .LBB0_2"] {
            assert!(!is_scalable(code), "{code}");
        }
    }
}
