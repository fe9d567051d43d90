//! Instructions of x86 in words, with the figures of a processor whose vectors are as wide as any.

use super::{InstructionCost, InstructionRow, Processor, by_width, figures, longest, of, once, times};
use crate::asm::groups::VectorType;

pub(super) const FIGURES_OF: Processor = Processor {
    name: "Intel Skylake-SP",
    row,
    cost,
    units: &["p0", "p1", "p2", "p3", "p4", "p5", "p6", "p7"],
    load_units: P23,
    store_units: &[P4, P237],
    loads_vector: 6,
    loads_one: 5,
    begins: 4,
};

// Sets of units, by the numbers of the ports that lead to them.
const P0: u16 = 1;
const P1: u16 = 2;
const P4: u16 = 16;
const P5: u16 = 32;
const P6: u16 = 64;
const P01: u16 = P0 | P1;
const P05: u16 = P0 | P5;
const P06: u16 = P0 | P6;
const P15: u16 = P1 | P5;
const P015: u16 = P01 | P5;
const P0156: u16 = P015 | P6;
const P23: u16 = 4 | 8;
const P237: u16 = P23 | 128;

/// Arithmetic and moves in vectors, by names without the `v` in front.
const VECTORS: &[InstructionRow] = &[
    of(&["addp", "adds"], "adds", "result after 4 cycles, 2 begin each cycle, on p0 p1", figures(4, 1, &[once(P01)])),
    of(
        &["subp", "subs"],
        "subtracts",
        "result after 4 cycles, 2 begin each cycle, on p0 p1",
        figures(4, 1, &[once(P01)]),
    ),
    of(
        &["mulp", "muls"],
        "multiplies",
        "result after 4 cycles, 2 begin each cycle, on p0 p1",
        figures(4, 1, &[once(P01)]),
    ),
    of(
        &["fmadd"],
        "multiplies and adds with one rounding",
        "result after 4 cycles, 2 begin each cycle, on p0 p1",
        figures(4, 1, &[once(P01)]),
    ),
    of(
        &["fmsub"],
        "multiplies and subtracts with one rounding",
        "result after 4 cycles, 2 begin each cycle, on p0 p1",
        figures(4, 1, &[once(P01)]),
    ),
    of(
        &["fnmadd", "fnmsub"],
        "multiplies, negates and adds with one rounding",
        "result after 4 cycles, 2 begin each cycle, on p0 p1",
        figures(4, 1, &[once(P01)]),
    ),
    of(
        &["divps", "divss"],
        "divides",
        "result after 11 cycles, one begins every 3 to 10 by the width, on p0",
        figures(11, 1, &[by_width(P0, [3, 5, 10])]),
    ),
    of(
        &["divpd", "divsd"],
        "divides",
        "result after 14 cycles, one begins every 4 to 16 by the width, on p0",
        figures(14, 1, &[by_width(P0, [4, 8, 16])]),
    ),
    of(
        &["sqrtps", "sqrtss"],
        "takes square roots",
        "result after 12 cycles, one begins every 3 to 12 by the width, on p0",
        figures(12, 1, &[by_width(P0, [3, 6, 12])]),
    ),
    of(
        &["sqrtpd", "sqrtsd"],
        "takes square roots",
        "result after 18 cycles, one begins every 6 to 24 by the width, on p0",
        figures(18, 1, &[by_width(P0, [6, 12, 24])]),
    ),
    of(
        &["rcp"],
        "approximates reciprocals",
        "result after 4 cycles, one begins each cycle, on p0",
        figures(4, 1, &[once(P0)]),
    ),
    of(
        &["rsqrt"],
        "approximates reciprocals of square roots",
        "result after 4 cycles, one begins each cycle, on p0",
        figures(4, 1, &[once(P0)]),
    ),
    of(
        &["minp", "mins"],
        "takes the smaller ones",
        "result after 4 cycles, 2 begin each cycle, on p0 p1",
        figures(4, 1, &[once(P01)]),
    ),
    of(
        &["maxp", "maxs"],
        "takes the larger ones",
        "result after 4 cycles, 2 begin each cycle, on p0 p1",
        figures(4, 1, &[once(P01)]),
    ),
    of(
        &["cmp"],
        "compares, into a mask",
        "result after 4 cycles, 2 begin each cycle, on p0 p1",
        figures(4, 1, &[once(P01)]),
    ),
    of(
        &["round", "rndscale"],
        "rounds to whole numbers",
        "result after 8 cycles, one begins each cycle, on p0 p1",
        figures(8, 2, &[times(2, P01)]),
    ),
    of(
        &["and", "pand"],
        "joins bits by and",
        "result after 1 cycle, 3 begin each cycle, on p0 p1 p5",
        figures(1, 1, &[once(P015)]),
    ),
    of(
        &["or", "por"],
        "joins bits by or",
        "result after 1 cycle, 3 begin each cycle, on p0 p1 p5",
        figures(1, 1, &[once(P015)]),
    ),
    of(
        &["xor", "pxor"],
        "joins bits by exclusive or; with itself it makes zeros, which takes no unit",
        "result after 1 cycle, 3 begin each cycle, on p0 p1 p5",
        figures(1, 1, &[once(P015)]),
    ),
    of(
        &["pternlog"],
        "joins bits of three vectors by a table",
        "result after 1 cycle, 2 begin each cycle, on p0 p5",
        figures(1, 1, &[once(P05)]),
    ),
    of(
        &["paddb", "paddw", "paddd", "paddq"],
        "adds",
        "result after 1 cycle, 3 begin each cycle, on p0 p1 p5",
        figures(1, 1, &[once(P015)]),
    ),
    of(
        &["padds", "paddus"],
        "adds, held at the ends of the type",
        "result after 1 cycle, 2 begin each cycle, on p0 p1",
        figures(1, 1, &[once(P01)]),
    ),
    of(&["psub"], "subtracts", "result after 1 cycle, 3 begin each cycle, on p0 p1 p5", figures(1, 1, &[once(P015)])),
    of(
        &["pmulld"],
        "multiplies, the low halves",
        "result after 10 cycles, one begins each cycle, twice on p0 p1",
        figures(10, 2, &[times(2, P01)]),
    ),
    of(
        &["pmullq"],
        "multiplies, the low halves",
        "result after 15 cycles, one begins every 1.5 cycles, on p0 p1",
        figures(15, 3, &[times(3, P01)]),
    ),
    of(
        &["pmullw", "pmulh"],
        "multiplies",
        "result after 5 cycles, 2 begin each cycle, on p0 p1",
        figures(5, 1, &[once(P01)]),
    ),
    of(
        &["pmulud", "pmuldq"],
        "multiplies to elements twice as wide",
        "result after 5 cycles, 2 begin each cycle, on p0 p1",
        figures(5, 1, &[once(P01)]),
    ),
    of(
        &["pmadd"],
        "multiplies, and adds neighbours",
        "result after 5 cycles, 2 begin each cycle, on p0 p1",
        figures(5, 1, &[once(P01)]),
    ),
    of(
        &["psadbw"],
        "adds up distances of bytes, eight at a time",
        "result after 3 cycles, one begins each cycle, on p5",
        figures(3, 1, &[once(P5)]),
    ),
    of(
        &["pmin"],
        "takes the smaller ones",
        "result after 1 cycle, 2 begin each cycle, on p0 p1",
        figures(1, 1, &[once(P01)]),
    ),
    of(
        &["pmax"],
        "takes the larger ones",
        "result after 1 cycle, 2 begin each cycle, on p0 p1",
        figures(1, 1, &[once(P01)]),
    ),
    of(
        &["pabs"],
        "takes absolute values",
        "result after 1 cycle, 2 begin each cycle, on p0 p1",
        figures(1, 1, &[once(P01)]),
    ),
    of(
        &["pavg"],
        "takes means, rounded up",
        "result after 1 cycle, 2 begin each cycle, on p0 p1",
        figures(1, 1, &[once(P01)]),
    ),
    of(
        &["pslldq", "psrldq"],
        "moves bytes inside of each 16",
        "result after 1 cycle, one begins each cycle, on p5",
        figures(1, 1, &[once(P5)]),
    ),
    of(
        &["psll"],
        "shifts bits left",
        "result after 1 cycle, 2 begin each cycle, on p0 p1",
        figures(1, 1, &[once(P01)]),
    ),
    of(
        &["psrl"],
        "shifts bits right",
        "result after 1 cycle, 2 begin each cycle, on p0 p1",
        figures(1, 1, &[once(P01)]),
    ),
    of(
        &["psra"],
        "shifts bits right, with the sign",
        "result after 1 cycle, 2 begin each cycle, on p0 p1",
        figures(1, 1, &[once(P01)]),
    ),
    of(
        &["pcmpeq"],
        "compares for equality, into a mask",
        "result after 1 cycle, 2 begin each cycle, on p0 p1",
        figures(1, 1, &[once(P01)]),
    ),
    of(
        &["pcmpgt"],
        "compares, greater ones into a mask",
        "result after 1 cycle, 2 begin each cycle, on p0 p1",
        figures(1, 1, &[once(P01)]),
    ),
    of(
        &["pcmpd", "pcmpu", "pcmpq", "pcmpb", "pcmpw"],
        "compares, into a mask",
        "result after 3 cycles, one begins each cycle, on p5",
        figures(3, 1, &[once(P5)]),
    ),
    of(
        &["blendv", "pblendv"],
        "chooses by a mask",
        "result after 2 cycles, one begins each cycle, twice on p0 p1 p5",
        figures(2, 2, &[times(2, P015)]),
    ),
    of(
        &["blend", "pblend"],
        "chooses lanes",
        "result after 1 cycle, 2 or 3 begin each cycle, on p0 p1 p5",
        figures(1, 1, &[once(P015)]),
    ),
    of(
        &["shuf", "permil", "unpck", "punpck", "pshuf", "palignr", "movddup", "movshdup", "movsldup", "movhl", "movlh"],
        "moves elements inside of each 16 bytes",
        "result after 1 cycle, one begins each cycle, on p5",
        figures(1, 1, &[once(P5)]),
    ),
    of(
        &["perm", "perm2", "insert", "extract", "align", "shuff", "shufi"],
        "moves elements across the whole vector",
        "result after 3 cycles, one begins each cycle, on p5",
        figures(3, 1, &[once(P5)]),
    ),
    of(
        &["pinsr"],
        "puts one element in",
        "result after 2 cycles, one begins every 2 cycles, twice on p5",
        figures(2, 2, &[times(2, P5)]),
    ),
    of(
        &["pextr", "extractps"],
        "takes one element out",
        "result after 3 cycles, one begins each cycle, on p0 p5",
        figures(3, 2, &[once(P0), once(P5)]),
    ),
    of(
        &["pack"],
        "makes elements narrower, held at the ends of the type",
        "result after 1 cycle, one begins each cycle, on p5",
        figures(1, 1, &[once(P5)]),
    ),
    of(
        &["pmovz", "pmovs"],
        "makes elements wider",
        "result after 3 cycles, one begins each cycle, on p5",
        figures(3, 1, &[once(P5)]),
    ),
    of(
        &["pmovd", "pmovq", "pmovw", "pmovus"],
        "makes elements narrower",
        "result after 4 cycles, one begins every 2 cycles, twice on p5",
        figures(4, 2, &[times(2, P5)]),
    ),
    of(
        &["movmsk", "pmovmsk"],
        "takes the sign of each lane into a register",
        "result after 3 cycles, one begins each cycle, on p0",
        figures(3, 1, &[once(P0)]),
    ),
    of(
        &["broadcast", "pbroadcast"],
        "puts one value into all lanes",
        "from a register after 3 cycles on p5; from memory it is a load alone",
        figures(3, 1, &[once(P5)]),
    ),
    of(
        &["compress", "pcompress"],
        "moves the lanes of a mask together",
        "result after 6 cycles, one begins every 2 cycles, twice on p5",
        figures(6, 2, &[times(2, P5)]),
    ),
    of(
        &["expand", "pexpand"],
        "moves elements apart, to the lanes of a mask",
        "result after 6 cycles, one begins every 2 cycles, twice on p5",
        figures(6, 2, &[times(2, P5)]),
    ),
    of(
        &["cvtdq2p", "cvttp", "cvtps2dq", "cvtudq"],
        "converts",
        "result after 4 cycles, 2 begin each cycle, on p0 p1",
        figures(4, 1, &[once(P01)]),
    ),
    of(
        &["cvt"],
        "converts",
        "result after 5 to 7 cycles, one begins each cycle, on p0 p1 p5",
        figures(5, 2, &[once(P01), once(P5)]),
    ),
    of(
        &["gather", "pgather"],
        "loads an element from an address of its own for each lane",
        "result after 20 cycles or more, one load of p2 p3 for each lane: 8 lanes begin every 5 cycles",
        figures(20, 4, &[by_width(P23, [4, 8, 16]), once(P0), once(P5)]),
    ),
    of(
        &["scatter", "pscatter"],
        "stores an element to an address of its own for each lane",
        "one store of p4 for each lane: 16 lanes take 17 cycles or more",
        figures(0, 8, &[by_width(P4, [4, 8, 16]), by_width(P237, [4, 8, 16])]),
    ),
    of(
        &["maskmov", "pmaskmov"],
        "loads or stores the lanes of a mask",
        "a load takes 8 cycles on p2 p3; a store one cycle or more on p4",
        figures(8, 2, &[once(P23), once(P015)]),
    ),
    of(
        &["ptest", "test"],
        "tests bits, for a branch",
        "result after 3 cycles, one begins each cycle, on p0 p5",
        figures(3, 2, &[once(P0), once(P5)]),
    ),
    of(
        &["ucomi", "comi"],
        "compares two floats, for a branch",
        "result after 3 cycles, one begins each cycle, on p0",
        figures(3, 1, &[once(P0)]),
    ),
    of(
        &["hadd", "phadd"],
        "adds neighbours",
        "result after 6 cycles, one begins every 2 cycles, on p0 p1 p5",
        figures(6, 3, &[once(P01), times(2, P5)]),
    ),
    of(
        &["zeroupper"],
        "clears the upper halves of vectors, before code of the old kind",
        "takes no unit",
        figures(0, 1, &[]),
    ),
    of(
        &["movd", "movq"],
        "moves between a register and a vector",
        "result after 2 cycles, one begins each cycle, on p0 or p5",
        figures(2, 1, &[once(P05)]),
    ),
];

/// Loads and stores of vectors.
const LOAD: InstructionRow = of(
    &[],
    "loads a vector, or a part",
    "result after 6 to 7 cycles, 2 begin each cycle, on p2 p3",
    figures(6, 1, &[once(P23)]),
);
const STORE: InstructionRow = of(
    &[],
    "stores a vector, or a part",
    "one begins each cycle, on p4 with an address from p2 p3 p7",
    figures(0, 1, &[once(P4), once(P237)]),
);
const COPY: InstructionRow = of(&[], "copies a vector", "most often takes no unit", figures(0, 1, &[]));

/// Instructions on one integer, masks, and jumps.
const SCALARS: &[InstructionRow] = &[
    of(
        &["add", "inc", "adc", "xadd"],
        "adds",
        "result after 1 cycle, 4 begin each cycle, on p0 p1 p5 p6",
        figures(1, 1, &[once(P0156)]),
    ),
    of(
        &["sub", "dec", "neg", "sbb"],
        "subtracts",
        "result after 1 cycle, 4 begin each cycle, on p0 p1 p5 p6",
        figures(1, 1, &[once(P0156)]),
    ),
    of(
        &["and", "or", "xor", "not", "andn"],
        "joins bits",
        "result after 1 cycle, 4 begin each cycle, on p0 p1 p5 p6",
        figures(1, 1, &[once(P0156)]),
    ),
    of(
        &["cmp", "test"],
        "compares, for the jump behind it, with which it is one",
        "result after 1 cycle, 4 begin each cycle, on p0 p1 p5 p6",
        figures(1, 1, &[once(P0156)]),
    ),
    of(
        &["lea"],
        "computes an address, or a sum",
        "result after 1 cycle, 2 begin each cycle, on p1 p5; three parts take 3 cycles on p1",
        figures(1, 1, &[once(P15)]),
    ),
    of(
        &["imul", "mul"],
        "multiplies",
        "result after 3 cycles, one begins each cycle, on p1",
        figures(3, 1, &[once(P1)]),
    ),
    of(&["idivl", "divl"], "divides", "result after 26 cycles, one begins every 6", figures(26, 10, &[times(6, P0)])),
    of(
        &["idivq", "divq"],
        "divides",
        "result after 42 to 95 cycles, one begins every 24 or more",
        figures(42, 36, &[times(24, P0)]),
    ),
    of(
        &["shl", "shr", "sar", "sal", "rol", "ror", "shlx", "shrx", "sarx", "rorx"],
        "shifts bits",
        "result after 1 cycle, 2 begin each cycle, on p0 p6",
        figures(1, 1, &[once(P06)]),
    ),
    of(
        &["popcnt", "lzcnt", "tzcnt", "bsf", "bsr", "pext", "pdep"],
        "counts or picks bits",
        "result after 3 cycles, one begins each cycle, on p1",
        figures(3, 1, &[once(P1)]),
    ),
    of(
        &["cmov"],
        "copies if a comparison says so",
        "result after 1 cycle, 2 begin each cycle, on p0 p6",
        figures(1, 1, &[once(P06)]),
    ),
    of(
        &["set"],
        "writes the outcome of a comparison",
        "result after 1 cycle, 2 begin each cycle, on p0 p6",
        figures(1, 1, &[once(P06)]),
    ),
    of(
        &["j"],
        "goes on at a label if a comparison says so",
        "2 begin each cycle, on p0 p6, one of them taken; a wrong guess costs 15 to 20 cycles",
        figures(0, 1, &[once(P06)]),
    ),
    of(&["jmp"], "goes on at a label", "one begins each cycle, on p6", figures(0, 1, &[once(P6)])),
    of(&["call"], "calls a function", "", figures(0, 2, &[once(P6)])),
    of(&["ret"], "goes back to the caller", "", figures(0, 2, &[once(P6)])),
    of(
        &["push", "pop"],
        "saves a register on the stack, or gives it back",
        "one begins each cycle",
        figures(5, 1, &[once(P237), once(P4)]),
    ),
    of(
        &["prefetch"],
        "asks for a line of memory before it is needed",
        "2 begin each cycle, on p2 p3",
        figures(0, 1, &[once(P23)]),
    ),
    of(
        &["kmov"],
        "moves a mask",
        "result after 1 to 3 cycles, one begins each cycle, on p0 or p5",
        figures(1, 1, &[once(P05)]),
    ),
    of(
        &["kortest", "ktest"],
        "tests a mask, for a branch",
        "result after 1 cycle, one begins each cycle, on p0",
        figures(1, 1, &[once(P0)]),
    ),
    of(
        &["kshift", "kunpck", "kadd"],
        "moves or adds masks",
        "result after 4 cycles, one begins each cycle, on p5",
        figures(4, 1, &[once(P5)]),
    ),
    of(&["k"], "joins masks", "result after 1 cycle, one begins each cycle, on p0", figures(1, 1, &[once(P0)])),
    of(
        &["mov"],
        "copies a register or a number",
        "most often takes no unit; 4 begin each cycle, on p0 p1 p5 p6",
        figures(0, 1, &[once(P0156)]),
    ),
    of(
        &["movabs"],
        "puts a number into a register",
        "4 begin each cycle, on p0 p1 p5 p6",
        figures(0, 1, &[once(P0156)]),
    ),
    of(
        &["movs", "movz", "cltq", "cqto", "cltd"],
        "makes an integer wider",
        "result after 1 cycle, 4 begin each cycle, on p0 p1 p5 p6",
        figures(1, 1, &[once(P0156)]),
    ),
    of(&["sfence", "mfence", "lfence"], "orders accesses to memory", "", figures(0, 1, &[])),
    of(&["nop"], "does nothing, so that a loop starts at a round address", "takes no unit", figures(0, 1, &[])),
];

const LOAD_ONE: InstructionRow =
    of(&[], "loads an integer", "result after 5 cycles, 2 begin each cycle, on p2 p3", figures(5, 1, &[once(P23)]));
const STORE_ONE: InstructionRow = of(
    &[],
    "stores an integer",
    "one begins each cycle, on p4 with an address from p2 p3 p7",
    figures(0, 1, &[once(P4), once(P237)]),
);

/// The row of an instruction, by its name and all of its code.
fn row(name: &str, code: &str) -> Option<&'static InstructionRow> {
    let in_vectors = ["%xmm", "%ymm", "%zmm"].iter().any(|register| code.contains(register));
    let in_memory = code.rfind(')').map(|end| code[end..].contains(','));
    if !in_vectors && !name.starts_with("vzero") {
        let moves = name.starts_with("mov") && !name.starts_with("movabs");
        return match in_memory.filter(|_| moves) {
            Some(true) => Some(&LOAD_ONE),
            Some(false) => Some(&STORE_ONE),
            None => longest(SCALARS, name),
        };
    }
    let base = name.strip_prefix('v').unwrap_or(name);
    let moves = ["movup", "movap", "movdq", "movss", "movsd", "movnt", "lddqu", "movlp", "movhp"];
    if moves.iter().any(|start| base.starts_with(start)) || matches!(base, "movd" | "movq") && in_memory.is_some() {
        return match in_memory {
            Some(true) => Some(&LOAD),
            Some(false) => Some(&STORE),
            None => Some(&COPY),
        };
    }
    longest(VECTORS, base)
}

/// All rows of the tables.
#[cfg(test)]
pub(super) fn rows() -> impl Iterator<Item = &'static InstructionRow> {
    VECTORS.iter().chain(SCALARS)
}

/// The figures of an instruction.
fn cost(name: &str, code: &str, _: VectorType) -> Option<InstructionCost> {
    let row = row(name, code)?;
    let is_in = |register: &str| code.contains(register);
    let width = if is_in("%zmm") { 2 } else { usize::from(is_in("%ymm")) };
    let base = name.strip_prefix('v').unwrap_or(name);
    let in_vectors = is_in("%xmm") || width > 0;
    // A gather of elements or by indices of 8 bytes has half as many.
    let indexed = base.contains("gather") || base.contains("scatter");
    let halves = indexed && !base.ends_with("dps") && !base.ends_with("dd");
    let busy = row.figures.busy.iter().map(|busy| {
        // Vectors of 64 bytes take the units of `p0` and `p1` together, as those of `p0`.
        let units = match busy.units {
            P01 if width == 2 => P05,
            units if width == 2 && units & P01 == P01 => units & !P1,
            units => units,
        };
        let cycles = f64::from(busy.cycles[width]);
        (units, if halves && busy.cycles[0] != busy.cycles[2] { cycles / 2.0 } else { cycles })
    });
    let mut cost = InstructionCost {
        latency: row.figures.latency,
        slots: f64::from(row.figures.slots),
        busy: busy.collect(),
        in_vectors,
        forwards: None,
        is_masked: base.contains("maskmov"),
        has_accesses: false,
        is_branch: name.starts_with('j'),
        joins_branch: ["cmp", "test", "add", "sub", "inc", "dec", "and"].iter().any(|it| name.starts_with(it))
            && !in_vectors,
    };
    let operands = code[name.len()..].trim();
    if name.starts_with("lea") && has_three_parts(operands) {
        (cost.latency, cost.busy) = (3, vec![(P1, 1.0)]);
    }
    let mut parts = operands.split(", ");
    let same = parts.next().is_some_and(|first| first.starts_with('%') && parts.next() == Some(first));
    if same && ["xor", "pxor"].iter().any(|it| base.starts_with(it)) {
        (cost.latency, cost.busy) = (0, Vec::new());
    }
    // A copy between registers most often takes no unit.
    if row.takes.starts_with("most often") {
        (cost.latency, cost.busy) = (0, Vec::new());
    }
    Some(cost)
}

/// True for an address of a distance, a register and an index.
fn has_three_parts(operands: &str) -> bool {
    let inside = operands.split_once('(').map(|(distance, rest)| (distance, rest.split(')').next().unwrap_or(rest)));
    inside.is_some_and(|(distance, inside)| {
        let registers = inside.split(',').filter(|part| part.trim().starts_with('%')).count();
        !distance.is_empty() && registers == 2
    })
}

/// The elements of an instruction on vectors, as its name ends.
pub(super) fn elements(name: &str) -> Option<&'static str> {
    let base = name.strip_prefix('v').unwrap_or(name);
    let is_integer = base.starts_with('p') && !base.starts_with("permp") && !base.starts_with("permilp");
    let is_float = ["add", "sub", "mul", "div", "sqrt", "min", "max", "fm", "fnm", "cmp", "round", "rcp", "rsqrt"];
    match base {
        _ if is_float.iter().any(|start| base.starts_with(start)) => match () {
            () if base.ends_with("ps") => Some("4-byte floats in all lanes"),
            () if base.ends_with("pd") => Some("8-byte floats in all lanes"),
            () if base.ends_with("ss") => Some("one 4-byte float"),
            () if base.ends_with("sd") => Some("one 8-byte float"),
            () => None,
        },
        _ if is_integer
            && ["padd", "psub", "pmull", "pmin", "pmax", "pabs", "pcmpeq", "pcmpgt"]
                .iter()
                .any(|it| base.starts_with(it)) =>
        {
            match base.chars().last() {
                Some('b') => Some("bytes in all lanes"),
                Some('w') => Some("2-byte integers in all lanes"),
                Some('d') => Some("4-byte integers in all lanes"),
                Some('q') => Some("8-byte integers in all lanes"),
                _ => None,
            }
        }
        _ => None,
    }
}
