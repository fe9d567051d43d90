//! The targets that kernels can be made for, one row each.
//!
//! Decisions, costs and emission all read the same row, so that what is promised and what is made cannot differ. A
//! row says what the *instructions* of a target can do; what a kernel asks for beyond that is made of several.
//!
//! `native` is no row: which one this machine is (and its processor's own name) is found out where machine code is
//! made, and comes here as a [`Target`] like any other. Processors that take other times than those that most users of an instruction
//! set have are rows behind the table's, in `processors`.

use std::borrow::Cow;

pub mod picks;
mod processors;

use picks::Picks;
pub use processors::PROCESSORS;

/// A target: an instruction set and a processor, with their costs.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Target {
    /// The name in options and reports.
    pub name: &'static str,
    /// The name of the row of the table whose instructions these are: its own, but for a [processor](PROCESSORS).
    pub set: &'static str,
    /// A description in a few words.
    pub meaning: &'static str,
    /// The family of instruction sets.
    pub family: Family,
    /// The triple: architecture, vendor, system.
    pub triple: Cow<'static, str>,
    /// The processor that code is made and scheduled for.
    pub cpu: Cow<'static, str>,
    /// Features switched on besides what the processor has, each with a `+`, joined by commas.
    pub features: Cow<'static, str>,
    /// Bytes in a vector register; 0 where there are none to be used.
    pub register_bytes: u16,
    /// The number of vector registers.
    pub registers: u16,
    /// The form of a mask.
    pub masks: Masks,
    /// Element sizes that one instruction gathers.
    pub gather: Sizes,
    /// Element sizes that one instruction scatters.
    pub scatter: Sizes,
    /// Element sizes that are loaded and stored under a mask by one instruction.
    pub masked_memory: Sizes,
    /// Element sizes whose active lanes one instruction packs together.
    pub compress: Sizes,
    /// The instructions that pick elements by number.
    pub picks: Picks,
    /// The largest distance of lanes' cells, in cells, at which a strided load takes all cells from the first lane's to the last
    /// one's, and lanes are picked out of them. Beyond it each lane's cell has an address of its own.
    pub widest_stride: u16,
    /// True if `a * b + c` rounded once is an instruction.
    pub fma: bool,
    /// True if instructions convert `f16` to `f32` and back. Arithmetic on it may be instructions, too: the bits are the same.
    pub halves: bool,
    /// Says whether the distance of two integers is best left a choice between two differences: the back end finds what the target
    /// has for it.
    pub distances: bool,
    /// Says whether one instruction multiplies 16-bit integers and adds the products of each two neighbours.
    pub adds_products: bool,
    /// Says whether an instruction gives the upper half of a product of 64-bit integers; a product of 128 bits would be a call of a library.
    pub wide_products: bool,
    /// Says whether one instruction adds the differences of each eight neighbouring bytes of two registers.
    pub adds_differences: bool,
    /// The stores of whole vectors that go past the cache; `None` where there are none.
    pub streams: Option<Streams>,
    /// The costs of ops and accesses.
    pub costs: Costs,
}

/// The stores that go past the cache, by their order among the other stores of a thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Streams {
    /// They are seen in any order, so a fence follows the last one.
    Fenced,
    /// They are seen like other stores.
    Plain,
}

/// A family of instruction sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Family {
    X86,
    Arm,
    RiscV,
    Wasm,
}

impl Family {
    /// True if shared libraries take objects of this family, so that code must run at any address. Modules of WebAssembly are linked whole.
    pub fn is_position_independent(self) -> bool {
        self != Family::Wasm
    }
}

/// The form of a mask.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Masks {
    /// All ones or zeros in each lane of an ordinary vector register, as wide as the data.
    Lanes,
    /// One bit a lane, in a register made for it.
    Bits,
}

/// A set of element sizes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Sizes(u8);

impl Sizes {
    /// The set without any size.
    pub const NONE: Sizes = Sizes(0);
    /// Elements of 4 and of 8 bytes.
    pub const WORDS: Sizes = Sizes(4 | 8);
    /// Elements of 1, 2, 4 and 8 bytes.
    pub const ALL: Sizes = Sizes(1 | 2 | 4 | 8);

    /// Says whether elements of that many bytes are among them.
    pub fn has(self, bytes: usize) -> bool {
        bytes <= 8 && self.0 & bytes as u8 != 0
    }
}

/// The costs, in quarters of a cycle of throughput, for one full register where not said otherwise.
///
/// The numbers rank alternatives against each other. Those of one processor tell times as well; others foretell none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Costs {
    /// An addition, a multiplication, a comparison, a choice.
    pub arithmetic: u16,
    /// True if these are times of one processor, measured on it: then a loop may be left in order by them.
    pub measured: bool,
    /// An op on single floats.
    pub one_float: u16,
    /// An op on single integers, of which processors do more at once.
    pub one_integer: u16,
    /// The time from the operands of an addition of floats to its result, for what has to wait for it.
    pub latency: u16,
    /// A division or square root of one float.
    pub divide_one: u16,
    /// A division or square root of a register of 4-byte floats.
    pub divide: u16,
    /// A load of neighbouring cells.
    pub load: u16,
    /// A store to neighbouring cells.
    pub store: u16,
    /// The surcharge of a mask on a load.
    pub masked: u16,
    /// The surcharge of a mask on a store.
    pub masked_store: u16,
    /// A shuffle: elements move between lanes.
    pub shuffle: u16,
    /// A gather, for each lane.
    pub gather_lane: u16,
    /// A scatter, for each lane.
    pub scatter_lane: u16,
    /// A branch that is foreseen, with its test.
    pub branch: u16,
    /// A branch that is not foreseen.
    pub missed_branch: u16,
    /// A line of memory that is not in the cache.
    pub line: u16,
    /// The share of its cost, in per cent, that a loop that is split may have left: a second way through the same arrays costs
    /// more than is counted, and what waits for the iteration before leaves time for the rest.
    pub split_share: u16,
    /// The share of its cost, in per cent, that a loop whose lanes take turns may have left: below that, measured loops gain.
    pub turns_share: u16,
    /// The most iterations of an inner loop that is unrolled without being asked.
    pub unrolled_iterations: u16,
    /// The most ops that such a loop becomes.
    pub unrolled_ops: u16,
    /// The iterations of an outer loop that are jammed into the inner one.
    pub jammed_iterations: u16,
    /// The most ops of an inner loop that is jammed.
    pub jammed_ops: u16,
}

impl Target {
    /// Returns the number of elements of a size that a register holds: the lanes a loop gets over its widest elements.
    pub fn lanes_for(&self, widest_bytes: usize) -> u16 {
        (self.register_bytes / widest_bytes.clamp(1, 8) as u16).max(1)
    }

    /// Says whether registers are put together of parts of 16 bytes that are loaded from anywhere, and elements move within those parts
    /// at little cost. Registers of a length that only the machine knows have no such parts.
    pub fn joins_parts(&self) -> bool {
        let is_scalable =
            matches!(self.family, Family::RiscV) || (self.family == Family::Arm && self.masks == Masks::Bits);
        self.has_lanes() && !is_scalable
    }

    /// Says whether it has vector registers.
    pub fn has_lanes(&self) -> bool {
        self.register_bytes > 0
    }
}

/// Names that stand for one of several forms.
const SHORT: &[(&str, &str)] = &[("sve", "sve256"), ("rvv", "rvv256")];

/// The target of a name; `sve` and `rvv` stand for their 256-bit forms.
pub fn find(name: &str) -> Option<&'static Target> {
    let name = SHORT.iter().find(|(short, _)| *short == name).map_or(name, |(_, name)| name);
    rows().find(|target| target.name == name)
}

/// Every row: those of the instruction sets, and behind them those of processors.
pub fn rows() -> impl Iterator<Item = &'static Target> {
    TARGETS.iter().chain(PROCESSORS)
}

/// Every name that [`find`] knows, a short one before what it stands for.
pub fn names() -> Vec<&'static str> {
    let short = |name| SHORT.iter().filter(move |(_, it)| *it == name).map(|(short, _)| *short);
    rows().flat_map(|target| short(target.name).chain([target.name])).collect()
}

/// The target that is counted on where a choice has to be the same for all of them.
pub fn reference() -> &'static Target {
    find("avx2").expect("a row of the table")
}

const X86_COSTS: Costs = Costs {
    arithmetic: 2,
    measured: false,
    one_float: 2,
    one_integer: 1,
    latency: 16,
    divide_one: 12,
    divide: 12,
    load: 2,
    store: 4,
    masked: 2,
    masked_store: 2,
    shuffle: 4,
    // Extract the index, load, insert.
    gather_lane: 8,
    scatter_lane: 8,
    branch: 4,
    missed_branch: 60,
    line: 16,
    split_share: 80,
    turns_share: 70,
    unrolled_iterations: 8,
    unrolled_ops: 96,
    jammed_iterations: 4,
    jammed_ops: 16,
};

const SSE4: Target = Target {
    name: "sse4",
    set: "sse4",
    meaning: "x86 with SSE4.2, 128 bits",
    family: Family::X86,
    triple: Cow::Borrowed("x86_64-unknown-linux-gnu"),
    cpu: Cow::Borrowed("x86-64-v2"),
    features: Cow::Borrowed(""),
    register_bytes: 16,
    registers: 16,
    masks: Masks::Lanes,
    gather: Sizes::NONE,
    scatter: Sizes::NONE,
    masked_memory: Sizes::NONE,
    compress: Sizes::NONE,
    picks: Picks::within_16(16),
    widest_stride: 4,
    fma: false,
    halves: false,
    distances: false,
    adds_products: true,
    wide_products: true,
    adds_differences: true,
    streams: Some(Streams::Fenced),
    // A masked access is a branch a lane.
    costs: Costs { masked: 32, masked_store: 32, ..X86_COSTS },
};

const NEON: Target = Target {
    name: "neon",
    set: "neon",
    meaning: "64-bit Arm with NEON, 128 bits",
    family: Family::Arm,
    triple: Cow::Borrowed("aarch64-unknown-linux-gnu"),
    cpu: Cow::Borrowed("generic"),
    features: Cow::Borrowed("+neon"),
    register_bytes: 16,
    registers: 32,
    masks: Masks::Lanes,
    gather: Sizes::NONE,
    scatter: Sizes::NONE,
    masked_memory: Sizes::NONE,
    compress: Sizes::NONE,
    picks: Picks::neon(),
    widest_stride: 4,
    fma: true,
    halves: true,
    distances: true,
    adds_products: false,
    wide_products: true,
    adds_differences: false,
    streams: Some(Streams::Plain),
    costs: Costs { masked: 32, masked_store: 32, shuffle: 2, gather_lane: 6, scatter_lane: 6, ..X86_COSTS },
};

/// Arm's SVE at a register length that is known: code for one length must not run at another.
const fn sve(name: &'static str, meaning: &'static str, register_bytes: u16) -> Target {
    Target {
        name,
        set: name,
        meaning,
        features: Cow::Borrowed("+sve"),
        register_bytes,
        masks: Masks::Bits,
        gather: Sizes::WORDS,
        scatter: Sizes::WORDS,
        masked_memory: Sizes::ALL,
        compress: Sizes::WORDS,
        picks: Picks::sve(register_bytes),
        costs: Costs { masked: 0, masked_store: 0, shuffle: 4, gather_lane: 4, scatter_lane: 4, ..X86_COSTS },
        ..NEON
    }
}

/// RISC-V's vectors, with registers of at least this length.
const fn rvv(name: &'static str, meaning: &'static str, features: &'static str, register_bytes: u16) -> Target {
    Target {
        name,
        set: name,
        meaning,
        family: Family::RiscV,
        triple: Cow::Borrowed("riscv64-unknown-linux-gnu"),
        cpu: Cow::Borrowed("generic-rv64"),
        features: Cow::Borrowed(features),
        register_bytes,
        registers: 32,
        masks: Masks::Bits,
        gather: Sizes::ALL,
        scatter: Sizes::ALL,
        masked_memory: Sizes::ALL,
        compress: Sizes::ALL,
        picks: Picks::rvv(register_bytes),
        widest_stride: 4,
        fma: true,
        halves: false,
        distances: true,
        adds_products: false,
        wide_products: true,
        adds_differences: false,
        streams: None,
        costs: Costs {
            arithmetic: 4,
            load: 4,
            masked: 1,
            masked_store: 1,
            shuffle: 8,
            gather_lane: 4,
            scatter_lane: 4,
            ..X86_COSTS
        },
    }
}

/// WebAssembly, which engines compile for the machine that they run on. What is counted on is what its instructions become on x86.
const WASM: Target = Target {
    name: "wasm",
    set: "wasm",
    meaning: "WebAssembly with SIMD, 128 bits",
    family: Family::Wasm,
    triple: Cow::Borrowed("wasm32-unknown-unknown"),
    cpu: Cow::Borrowed("mvp"),
    // All of these are in the standard's second edition, and in engines since 2023.
    features: Cow::Borrowed("+simd128,+bulk-memory,+nontrapping-fptoint,+sign-ext,+mutable-globals"),
    picks: Picks::wasm(),
    adds_products: false,
    wide_products: false,
    adds_differences: false,
    streams: None,
    ..SSE4
};

/// x86 with AVX-512. The costs are those that were measured on a processor of Intel.
const AVX512: Target = Target {
    name: "avx512",
    set: "avx512",
    meaning: "x86 with AVX-512 (F, BW, CD, DQ, VL), 512 bits",
    cpu: Cow::Borrowed("x86-64-v4"),
    // Without this, what is 512 bits wide would be cut in two.
    features: Cow::Borrowed("-prefer-256-bit,-prefer-no-gather"),
    register_bytes: 64,
    registers: 32,
    masks: Masks::Bits,
    gather: Sizes::WORDS,
    scatter: Sizes::WORDS,
    masked_memory: Sizes::ALL,
    compress: Sizes::WORDS,
    picks: Picks::avx512(),
    fma: true,
    halves: true,
    // Beside vectors of 512 bits, additions of scalars share one port with the shuffles that bring them.
    costs: Costs {
        arithmetic: 3,
        latency: 24,
        divide: 40,
        masked: 0,
        masked_store: 0,
        gather_lane: 4,
        scatter_lane: 5,
        ..X86_COSTS
    },
    ..SSE4
};

/// All instruction sets, one row each.
pub static TARGETS: &[Target] = &[
    SSE4,
    Target {
        name: "avx2",
        set: "avx2",
        meaning: "x86 with AVX2 and FMA, 256 bits",
        cpu: Cow::Borrowed("x86-64-v3"),
        // This makes gathers instructions: without it, LLVM makes a load and an insertion of each lane.
        features: Cow::Borrowed("+fast-gather,-prefer-no-gather"),
        register_bytes: 32,
        gather: Sizes::WORDS,
        masked_memory: Sizes::WORDS,
        picks: Picks::avx2(),
        fma: true,
        halves: true,
        // Processors of AMD take a dozen cycles for a store under a mask, those of Intel one.
        costs: Costs { gather_lane: 5, masked_store: 44, ..X86_COSTS },
        ..SSE4
    },
    AVX512,
    NEON,
    sve("sve128", "64-bit Arm with SVE registers of 128 bits", 16),
    sve("sve256", "64-bit Arm with SVE registers of 256 bits", 32),
    sve("sve512", "64-bit Arm with SVE registers of 512 bits", 64),
    rvv("rvv128", "64-bit RISC-V with vector registers of 128 bits", "+m,+a,+f,+d,+c,+v,+zvl128b", 16),
    rvv("rvv256", "64-bit RISC-V with vector registers of 256 bits", "+m,+a,+f,+d,+c,+v,+zvl256b", 32),
    rvv("rvv512", "64-bit RISC-V with vector registers of 512 bits", "+m,+a,+f,+d,+c,+v,+zvl512b", 64),
    WASM,
    Target {
        name: "scalar",
        set: "scalar",
        meaning: "x86 without vectors: one lane",
        register_bytes: 0,
        streams: None,
        ..SSE4
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_target_is_found_by_its_name() {
        for target in rows() {
            assert_eq!(find(target.name), Some(target));
            let set = find(target.set).expect("a row of the table");
            assert!(set.set == set.name && set.register_bytes == target.register_bytes, "{}", target.name);
        }
        assert!(TARGETS.iter().all(|target| target.set == target.name));
        assert_eq!(find("sve").map(|target| target.name), Some("sve256"));
        assert_eq!(find("rvv").map(|target| target.name), Some("rvv256"));
        assert_eq!(find("native"), None);
    }

    #[test]
    fn lanes_fill_a_register() {
        let lanes = |name: &str, bytes| find(name).map(|target| target.lanes_for(bytes));
        assert_eq!(lanes("avx2", 4), Some(8));
        assert_eq!(lanes("avx512", 8), Some(8));
        assert_eq!(lanes("neon", 1), Some(16));
        assert_eq!(lanes("scalar", 4), Some(1));
        for target in TARGETS.iter().filter(|target| target.has_lanes()) {
            assert!(target.lanes_for(8) > 1 && target.lanes_for(1) <= 64, "{}", target.name);
        }
    }

    #[test]
    fn sizes_are_told_apart() {
        assert!(Sizes::WORDS.has(4) && Sizes::WORDS.has(8) && !Sizes::WORDS.has(2) && !Sizes::WORDS.has(16));
        assert!(Sizes::ALL.has(1) && !Sizes::NONE.has(4));
    }
}
