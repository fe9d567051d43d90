//! Instructions of RISC-V in words, with the figures of SiFive's P670.
//!
//! It is a core with vectors for which LLVM has figures of each size of groups, many of them measured, and one that does not keep to the order
//! of instructions, so that turns of a loop overlap as estimates take it. (SpacemiT's X60, which more people own, does keep to it: there each
//! result that is waited for holds up all that stands behind, which neither a chain nor units tell.) Its registers have 128 bits. For a
//! target with wider ones the figures are those of as many registers.
//!
//! A group of registers keeps a unit busy for a cycle with each register. A few instructions take longer with groups, in ways of their own:
//! `of_groups` has these. As LLVM has it, accesses with strides and indices take as long as others; here they keep their unit busy once for each
//! element, since each is an access of its own. Moves of segments do so there as well.

mod rows;

use super::{InstructionCost, InstructionRow, Processor, longest};
use crate::asm::groups::{VectorType, registers};
use crate::asm::registers::riscv::{element_bits, fields, sizes, whole};

pub(super) const FIGURES_OF: Processor = Processor {
    name: "SiFive P670",
    row,
    cost,
    units: &[
        "IEXQ0", "IEXQ1", "IEXQ2", "IEXQ3", "FEXQ0", "FEXQ1", "LDST0", "LDST1", "DIV", "FDIV", "VEXQ0", "VEXQ1", "VLD",
        "VST", "VDIV", "VFDIV",
    ],
    load_units: LS,
    store_units: &[LS],
    loads_vector: 8,
    loads_one: 4,
    begins: 4,
};

// Sets of units: of integers, of floats, of loads and stores of one, of divisions, and of vectors, of which the first works on masks
// and the second moves and joins lanes.
const X0: u16 = 1;
const X1: u16 = 2;
const X: u16 = X0 | X1 | X23;
const X23: u16 = 4 | 8;
const F0: u16 = 16;
const F1: u16 = 32;
const F: u16 = F0 | F1;
const LS: u16 = 64 | 128;
const DIV: u16 = 256;
const FDIV: u16 = 512;
const V0: u16 = 1024;
const V1: u16 = 2048;
const V: u16 = V0 | V1;
const VLD: u16 = 4096;
const VST: u16 = 8192;
const VDIV: u16 = 16384;
const VFDIV: u16 = 32768;

/// The bits of a register.
const REGISTER_BITS: u32 = 128;

fn row(name: &str, _: &str) -> Option<&'static InstructionRow> {
    match whole(name) {
        Some(_) if name.starts_with("vmv") => Some(&rows::WHOLE_MOVE),
        Some(_) if name.starts_with("vl") => Some(&rows::LOAD),
        Some(_) => Some(&rows::STORE),
        None if name.starts_with('v') => longest(rows::VECTORS, name),
        None => longest(rows::SCALARS, name),
    }
}

/// All rows of the tables.
#[cfg(test)]
pub(super) fn rows() -> impl Iterator<Item = &'static InstructionRow> {
    rows::VECTORS.iter().chain(rows::SCALARS).chain([&rows::LOAD, &rows::STORE, &rows::WHOLE_MOVE])
}

fn cost(name: &str, code: &str, vectors: VectorType) -> Option<InstructionCost> {
    let row = row(name, code)?;
    let in_vectors = name.starts_with('v') && !name.starts_with("vset");
    let n_registers = if in_vectors { working_registers(name, vectors) } else { 1 };
    let width = n_registers.ilog2().min(2) as usize;
    // Of groups of eight there are no figures; they are twice those of four.
    let more = f64::from(n_registers) / f64::from(1_u32 << width);
    let busy = row.figures.busy.iter().map(|busy| match busy.cycles {
        [first, .., last] if first == last => (busy.units, f64::from(first)),
        cycles => (busy.units, f64::from(cycles[width]) * more),
    });
    let mut cost = InstructionCost {
        latency: row.figures.latency,
        slots: f64::from(row.figures.slots),
        busy: busy.collect(),
        in_vectors,
        forwards: None,
        is_masked: false,
        has_accesses: true,
        is_branch: row.figures.busy.first().is_some_and(|busy| busy.units == X23),
        joins_branch: false,
    };
    if in_vectors {
        of_groups(name, code, vectors, n_registers, &mut cost);
    }
    Some(cost)
}

/// The registers of the groups that an instruction goes through one by one: those that it gives, or if its operands say so those that it takes.
fn working_registers(name: &str, vectors: VectorType) -> u32 {
    let sizes = sizes(name, vectors);
    let is_access = element_bits(name).is_some() || whole(name).is_some();
    let of_vector_type = name.starts_with("vw") || name.starts_with("vfw");
    registers(match () {
        () if is_access => sizes.given,
        // What makes elements wider works through the narrow ones.
        () if of_vector_type => vectors.eighths,
        () => sizes.given.max(sizes.sources[0].min(vectors.eighths)),
    })
}

/// The cycles to a result, and the units with the cycles that they are busy.
type GroupFigures = (u32, Vec<(u16, f64)>);

fn on(latency: u32, units: u16, cycles: u32) -> Option<GroupFigures> {
    Some((latency, vec![(units, f64::from(cycles))]))
}

/// Puts in what does not grow by a cycle with each register of a group.
fn of_groups(name: &str, code: &str, vectors: VectorType, n_registers: u32, cost: &mut InstructionCost) {
    let own = accesses(name, code, vectors)
        .or_else(|| divisions(name, vectors, n_registers))
        .or_else(|| reductions(name, vectors, n_registers))
        .or_else(|| moves(name, n_registers));
    match own {
        Some((latency, busy)) => (cost.latency, cost.busy) = (latency, busy),
        // Groups of eight take twice as long where the result is there after two cycles.
        None if n_registers > 4 && cost.latency == 2 => cost.latency = 4,
        None => {}
    }
}

/// Accesses that go element by element.
fn accesses(name: &str, code: &str, vectors: VectorType) -> Option<GroupFigures> {
    let starts = |with: &[&str]| with.iter().any(|start| name.starts_with(start));
    let elements = |eighths: u32, bits: u32| (eighths * REGISTER_BITS / 8 / bits.max(1)).max(1);
    let n_elements = elements(vectors.eighths, vectors.bits);
    if fields(name) > 1 {
        let bits = element_bits(name).unwrap_or(vectors.bits);
        let cycles = 12 + elements(vectors.eighths_of(bits), bits) * fields(name);
        return if name.starts_with("vl") { on(cycles, VLD, cycles) } else { on(0, VST, cycles) };
    }
    match () {
        // A stride of zero is one cell for all lanes.
        () if starts(&["vlse"]) && code.ends_with(", zero") => None,
        () if starts(&["vlse", "vlux", "vlox"]) => on(12, VLD, n_elements),
        () if starts(&["vsse", "vsux", "vsox"]) => on(0, VST, n_elements),
        () => None,
    }
}

fn divisions(name: &str, vectors: VectorType, n_registers: u32) -> Option<GroupFigures> {
    let starts = |with: &[&str]| with.iter().any(|start| name.starts_with(start));
    let (of_floats, of_integers) = match vectors.bits {
        8 => (29, 51),
        16 => (29, 45),
        32 => (25, 42),
        _ => (37, 72),
    };
    let (units, of_a_register) = match () {
        () if starts(&["vfdiv", "vfrdiv", "vfsqrt"]) => (VFDIV, of_floats),
        () if starts(&["vdiv", "vrem"]) => (VDIV, of_integers),
        () => return None,
    };
    let cycles = of_a_register * n_registers;
    Some((cycles, vec![(V1, f64::from(n_registers)), (units, f64::from(cycles))]))
}

/// What joins the lanes of a vector.
fn reductions(name: &str, vectors: VectorType, n_registers: u32) -> Option<GroupFigures> {
    let starts = |with: &[&str]| with.iter().any(|start| name.starts_with(start));
    let size = n_registers.ilog2().min(3) as usize;
    let is_wide = vectors.bits == 64;
    let narrow = u32::from(!is_wide);
    match () {
        () if starts(&["vfredosum", "vfwredosum"]) => {
            let cycles = n_registers * if is_wide { 6 } else { 10 };
            on(cycles, V1, cycles)
        }
        () if starts(&["vfredmin", "vfredmax"]) => {
            on([4, 6, 8, 10][size] + 2 * narrow, V1, [3, 4, 5, 6][size] + narrow)
        }
        () if starts(&["vfwred"]) => on([10, 18, 24, 30][size], V1, 6),
        () if starts(&["vfred"]) && is_wide => on([6, 12, 18, 24][size], V1, 6),
        () if starts(&["vfred"]) => on([10, 16, 22, 28][size], V1, [10, 10, 11, 11][size]),
        () if starts(&["vredmin", "vredmax"]) => {
            // Each halving of the elements is a step, as each doubling of the registers.
            let halvings = (64 / vectors.bits.clamp(8, 64)).ilog2();
            let cycles = [[3, 4, 6, 8], [4, 5, 8, 9], [5, 6, 10, 11], [7, 8, 9, 11]];
            on(4 + 2 * (size as u32 + halvings), V1, cycles[size][halvings as usize])
        }
        () if starts(&["vred", "vwred"]) => on([2, 4, 8, 16][size], V1, n_registers),
        () => None,
    }
}

/// Moves of elements to other lanes.
fn moves(name: &str, n_registers: u32) -> Option<GroupFigures> {
    let starts = |with: &[&str]| with.iter().any(|start| name.starts_with(start));
    let size = n_registers.ilog2().min(3) as usize;
    let is_large = n_registers > 1;
    match () {
        () if starts(&["vslide1", "vfslide1"]) => on([2, 3, 4, 8][size], V0, n_registers),
        () if starts(&["vslide"]) && name.ends_with(".vi") => on([2, 4, 6, 8][size], V0, n_registers),
        () if starts(&["vslideup"]) && is_large => on([2, 11, 14, 20][size], V1, [1, 10, 12, 16][size]),
        () if starts(&["vslide"]) && is_large => on([2, 11, 14, 20][size], V1, [1, 11, 14, 20][size]),
        () if starts(&["vcompress"]) && is_large => on(6, V1, [1, 13, 17, 25][size]),
        () if starts(&["vrgather"]) && !name.ends_with(".vi") && is_large => on(6, V1, [1, 12, 16, 24][size]),
        () => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(code: &str, vectors: VectorType) -> String {
        let name = code.split(' ').next().expect("a name");
        let cost = cost(name, code, vectors).unwrap_or_else(|| panic!("no row for {code}"));
        let busy = cost.busy.iter().map(|(units, cycles)| {
            let names = FIGURES_OF.units.iter().enumerate().filter(|(at, _)| units & (1 << at) != 0);
            format!(" {cycles}@{}", names.map(|(_, name)| *name).collect::<Vec<_>>().join("+"))
        });
        format!("{}{}", cost.latency, busy.collect::<String>())
    }

    #[test]
    fn instructions_have_the_figures_of_their_units() {
        for (code, expected) in [
            ("addi a0, a0, 1", "1 1@IEXQ0+IEXQ1+IEXQ2+IEXQ3"),
            ("sh2add a0, a1, a2", "1 1@IEXQ0+IEXQ1+IEXQ2+IEXQ3"),
            ("sh a0, 2(a1)", "0 1@LDST0+LDST1"),
            ("mul a0, a1, a2", "2 1@IEXQ1"),
            ("divw a0, a1, a2", "20 1@IEXQ1 19@DIV"),
            ("remu a0, a1, a2", "35 1@IEXQ1 34@DIV"),
            ("bnez a0, .LBB0_2", "0 1@IEXQ2+IEXQ3"),
            ("bext a0, a1, a2", "1 1@IEXQ0+IEXQ1+IEXQ2+IEXQ3"),
            ("ld a0, 8(a1)", "4 1@LDST0+LDST1"),
            ("flw fa0, 0(a1)", "5 1@LDST0+LDST1"),
            ("fadd.s fa0, fa0, fa1", "2 1@FEXQ0+FEXQ1"),
            ("fmadd.d fa0, fa0, fa1, fa2", "4 1@FEXQ0+FEXQ1"),
            ("fdiv.s fa0, fa0, fa1", "6 1@FEXQ1 6@FDIV"),
            ("fcvt.w.s a0, fa0, rtz", "2 1@FEXQ0"),
            ("fcvt.s.w fa0, a0", "2 1@IEXQ1"),
            ("fcvt.d.s fa0, fa1", "2 1@FEXQ0+FEXQ1"),
            ("flt.s a0, fa0, fa1", "2 1@FEXQ0"),
            ("csrr a0, vlenb", "1 1@IEXQ0"),
            ("vsetvli zero, a0, e32, m1, ta, ma", "1 1@IEXQ0"),
            ("vle32.v v8, (a0)", "8 1@VLD"),
            ("vse32.v v8, (a0)", "0 1@VST"),
            ("vlse32.v v8, (a0), a1", "12 4@VLD"),
            ("vlse32.v v8, (a0), zero", "12 1@VLD"),
            ("vluxei64.v v8, (a0), v10", "12 4@VLD"),
            ("vsuxei32.v v8, (a0), v10", "0 4@VST"),
            ("vlseg2e32.v v8, (a0)", "20 20@VLD"),
            ("vsseg2e32.v v8, (a0)", "0 20@VST"),
            ("vadd.vv v8, v9, v10", "2 1@VEXQ0+VEXQ1"),
            ("vmul.vv v8, v9, v10", "6 1@VEXQ0+VEXQ1"),
            ("vmseq.vv v0, v9, v10", "2 1@VEXQ0"),
            ("vmand.mm v0, v1, v2", "2 1@VEXQ0"),
            ("vmv.v.v v8, v9", "2 1@VEXQ0+VEXQ1"),
            ("vmv.x.s a0, v8", "2 2@VEXQ0+VEXQ1"),
            ("vfadd.vv v8, v9, v10", "6 1@VEXQ0+VEXQ1"),
            ("vfmacc.vf v8, fa0, v10", "6 1@VEXQ0+VEXQ1"),
            ("vfmin.vv v8, v9, v10", "2 1@VEXQ0+VEXQ1"),
            ("vfcvt.x.f.v v8, v9", "3 2@VEXQ0+VEXQ1"),
            ("vfdiv.vv v8, v9, v10", "25 1@VEXQ1 25@VFDIV"),
            ("vdiv.vv v8, v9, v10", "42 1@VEXQ1 42@VDIV"),
            ("vredsum.vs v8, v9, v10", "2 1@VEXQ1"),
            ("vredmax.vs v8, v9, v10", "6 4@VEXQ1"),
            ("vfredusum.vs v8, v9, v10", "10 10@VEXQ1"),
            ("vfredosum.vs v8, v9, v10", "10 10@VEXQ1"),
            ("vrgather.vv v8, v9, v10", "3 1@VEXQ1"),
            ("vslidedown.vi v8, v9, 2", "2 1@VEXQ0"),
        ] {
            assert_eq!(told(code, VectorType::default()), expected, "{code}");
        }
    }

    #[test]
    fn groups_keep_units_busy_as_often_as_they_have_registers() {
        let of = |bits, eighths| VectorType { bits, eighths, ..VectorType::default() };
        for (code, vectors, expected) in [
            ("vfadd.vv v8, v16, v24", of(32, 16), "6 2@VEXQ0+VEXQ1"),
            ("vfadd.vv v8, v16, v24", of(32, 64), "6 8@VEXQ0+VEXQ1"),
            ("vfadd.vv v8, v16, v24", of(32, 4), "6 1@VEXQ0+VEXQ1"),
            ("vadd.vv v8, v16, v24", of(32, 64), "4 8@VEXQ0+VEXQ1"),
            ("vle32.v v8, (a0)", of(32, 32), "8 4@VLD"),
            ("vle16.v v8, (a0)", of(32, 32), "8 2@VLD"),
            ("vluxei32.v v8, (a0), v16", of(32, 16), "12 8@VLD"),
            ("vmflt.vv v0, v8, v16", of(32, 32), "2 4@VEXQ0"),
            ("vmand.mm v0, v8, v16", of(32, 32), "2 1@VEXQ0"),
            ("vfcvt.x.f.v v8, v16", of(32, 32), "3 4@VEXQ0+VEXQ1"),
            ("vfwcvt.f.f.v v8, v16", of(32, 16), "6 2@VEXQ0+VEXQ1"),
            ("vfdiv.vv v8, v16, v24", of(64, 16), "74 2@VEXQ1 74@VFDIV"),
            ("vfredusum.vs v8, v16, v24", of(32, 32), "22 11@VEXQ1"),
            ("vredsum.vs v8, v16, v24", of(32, 32), "8 4@VEXQ1"),
            ("vfredosum.vs v8, v16, v24", of(64, 32), "24 24@VEXQ1"),
            ("vrgather.vv v8, v16, v24", of(32, 16), "6 12@VEXQ1"),
            ("vslidedown.vx v8, v16, a0", of(32, 32), "14 14@VEXQ1"),
            ("vslide1down.vx v8, v16, a0", of(32, 32), "4 4@VEXQ0"),
            ("vmv4r.v v8, v16", of(32, 8), "2 4@VEXQ0+VEXQ1"),
            ("vl2r.v v8, (a0)", of(32, 8), "8 2@VLD"),
            ("vlseg3e8.v v8, (a0)", of(8, 8), "60 60@VLD"),
        ] {
            assert_eq!(told(code, vectors), expected, "{code} {vectors:?}");
        }
    }
}
