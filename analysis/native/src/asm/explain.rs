//! Instructions in words: what each does, when its result is there, and which units of the processor it keeps busy.
//!
//! InstructionFigures are those of one well-known processor of a family, which the words name: another one differs in some of them. They are for
//! instructions on registers; an operand in memory adds a load. An instruction that no row is about is told by its kind alone. Code of
//! 64-bit Arm has the figures of a processor with scalable vectors where it names one of their registers, and else of one without.
//!
//! ```text
//! vfmadd231ps %ymm0, %ymm1, %ymm2    multiply and add: result after 4 cycles, 2 a cycle, on p0 p1
//! ```

mod arm;
mod riscv;
mod v1;
mod x86;

use ir::Family;

use super::counts::Kind;
use super::decode::decode;
use super::groups::VectorType;

/// A row of a table of instructions.
struct InstructionRow {
    /// The starts of names, without what tells the size of elements.
    names: &'static [&'static str],
    /// The meaning, as a phrase.
    does: &'static str,
    /// The cycles from operands to result, how often it begins, and where, as words; empty where that says nothing.
    takes: &'static str,
    /// These as numbers.
    figures: InstructionFigures,
}

/// The figures of an instruction on registers.
#[derive(Debug, Clone, Copy)]
struct InstructionFigures {
    /// The cycles from operands to result; of several the least.
    latency: u32,
    /// The number of operations that it begins as.
    slots: u32,
    /// The units that it keeps busy.
    busy: &'static [BusyUnits],
    /// The cycles that it waits less for what it adds to, where one of its kind has given that.
    waits_less: u32,
}

impl InstructionFigures {
    const fn waiting_less(self, waits_less: u32) -> InstructionFigures {
        InstructionFigures { waits_less, ..self }
    }
}

/// A set of units, of which any does the work, and the cycles that one of them is busy with vectors of 16, 32 and 64 bytes. A group of
/// registers is such a vector.
#[derive(Debug, Clone, Copy)]
struct BusyUnits {
    units: u16,
    cycles: [u32; 3],
}

const fn of(
    names: &'static [&'static str],
    does: &'static str,
    takes: &'static str,
    figures: InstructionFigures,
) -> InstructionRow {
    InstructionRow { names, does, takes, figures }
}

const fn figures(latency: u32, slots: u32, busy: &'static [BusyUnits]) -> InstructionFigures {
    InstructionFigures { latency, slots, busy, waits_less: 0 }
}

const fn once(units: u16) -> BusyUnits {
    times(1, units)
}

const fn times(n: u32, units: u16) -> BusyUnits {
    by_width(units, [n; 3])
}

const fn by_width(units: u16, cycles: [u32; 3]) -> BusyUnits {
    BusyUnits { units, cycles }
}

/// A processor that there are figures of.
pub(super) struct Processor {
    pub(super) name: &'static str,
    /// The row of an instruction, by its name and all of its code.
    row: fn(&str, &str) -> Option<&'static InstructionRow>,
    /// The figures of an instruction, by these and the vectors that it works on.
    cost: fn(&str, &str, VectorType) -> Option<InstructionCost>,
    /// The names of its units, by the bits that stand for them.
    pub(super) units: &'static [&'static str],
    pub(super) load_units: u16,
    /// A store keeps one unit of each of these sets busy.
    pub(super) store_units: &'static [u16],
    /// The cycles from an address to a vector, and to an integer.
    pub(super) loads_vector: u32,
    pub(super) loads_one: u32,
    /// The number of operations that it begins in a cycle.
    pub(super) begins: u32,
}

/// The figures of an instruction as it stands in a line.
pub(super) struct InstructionCost {
    pub(super) latency: u32,
    pub(super) slots: f64,
    /// Sets of units, each with the cycles that one of them is busy.
    pub(super) busy: Vec<(u16, f64)>,
    pub(super) in_vectors: bool,
    /// Of an instruction that waits less for what it adds to, if one of its kind has given that: the kind, and the cycles.
    pub(super) forwards: Option<(&'static str, u32)>,
    /// True for accesses of the lanes of a mask, which take longer than others.
    pub(super) is_masked: bool,
    /// True if the latency and the units are those of its loads and stores too.
    pub(super) has_accesses: bool,
    pub(super) is_branch: bool,
    /// True for a comparison that is one operation with the branch behind it.
    pub(super) joins_branch: bool,
}

/// The processor whose figures there are for the instructions of a family, as these stand in lines that belong together.
pub(super) fn processor<'t>(family: Family, lines: impl IntoIterator<Item = &'t str>) -> Option<&'static Processor> {
    match family {
        Family::X86 => Some(&x86::FIGURES_OF),
        Family::Arm if lines.into_iter().any(v1::is_scalable) => Some(&v1::FIGURES_OF),
        Family::Arm => Some(&arm::FIGURES_OF),
        Family::RiscV => Some(&riscv::FIGURES_OF),
        Family::Wasm => None,
    }
}

/// The figures of the instruction of a line, without those of an operand in memory.
pub(super) fn cost(line: &str, processor: &Processor, vectors: VectorType) -> Option<InstructionCost> {
    let code = line.trim();
    (processor.cost)(code.split([' ', '\t']).next()?, code, vectors)
}

/// An instruction in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExplainedInstruction {
    /// The name, as it is written.
    pub name: String,
    /// The meaning.
    pub does: String,
    /// The time that it takes, and the units that it keeps busy, with the processor that this is so on.
    pub takes: Option<String>,
}

/// Explains the instruction of a line of assembly; `None` for labels, comments and directives.
pub fn explain(line: &str, family: Family) -> Option<ExplainedInstruction> {
    // On Arm numbers begin with `#`.
    let comment = if family == Family::Arm { "//" } else { "#" };
    let code = line.split(comment).next().unwrap_or(line).trim();
    let name = code.split([' ', '\t']).next().filter(|name| !name.is_empty())?;
    if name.ends_with(':') || name.starts_with('.') || name.contains('"') {
        return None;
    }
    let processor = processor(family, [code]);
    let row = processor.and_then(|processor| (processor.row)(name, code));
    let processor = processor.map_or("", |processor| processor.name);
    let elements = if family == Family::X86 { x86::elements(name) } else { None };
    let own = |row: &InstructionRow| match elements {
        Some(elements) => format!("{}, of {elements}", row.does),
        None => row.does.to_owned(),
    };
    let does = row.map_or_else(|| by_kind(code, family), |row| Some(own(row)))?;
    let takes = row.filter(|row| !row.takes.is_empty()).map(|row| format!("{} ({processor})", row.takes));
    let takes = match (takes, reads_memory(code, family)) {
        (Some(takes), true) => Some(format!("{takes}; its operand in memory is a load besides")),
        (takes, _) => takes,
    };
    Some(ExplainedInstruction { name: name.to_owned(), does, takes })
}

/// Returns true if an instruction of registers takes one operand from memory.
fn reads_memory(code: &str, family: Family) -> bool {
    let decoded = decode(code, family);
    family == Family::X86 && decoded.loads > 0 && decoded.work.is_some()
}

/// What an instruction does as far as its kind tells.
fn by_kind(code: &str, family: Family) -> Option<String> {
    let decoded = decode(code, family);
    let words = match decoded.work {
        Some(Kind::Vector) => "arithmetic on all elements of a vector",
        Some(Kind::Shuffle) => "moves elements of a vector to other places",
        Some(Kind::Broadcast) => "puts one value into all elements of a vector",
        Some(Kind::Gather) => "loads an element from an address of its own for each lane",
        Some(Kind::Scatter) => "stores an element to an address of its own for each lane",
        Some(Kind::Call) => "calls a function",
        Some(Kind::Save) => "saves a register of the caller, or gives it back",
        Some(_) => "works on one value",
        None if decoded.stores > 0 => "stores to memory",
        None if decoded.loads > 0 => "loads from memory",
        None => "moves a register",
    };
    Some(words.to_owned())
}

/// The row of a table with the longest start of a name.
fn longest(table: &'static [InstructionRow], name: &str) -> Option<&'static InstructionRow> {
    let start = |row: &InstructionRow| {
        let fitting = row.names.iter().filter(|start| name.starts_with(**start));
        fitting.map(|start| start.len()).max()
    };
    table.iter().filter_map(|row| Some((start(row)?, row))).max_by_key(|(length, _)| *length).map(|(_, row)| row)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str, family: Family) -> String {
        explain(line, family).map_or_else(String::new, |it| format!("{}; {}", it.does, it.takes.unwrap_or_default()))
    }

    #[test]
    fn an_instruction_is_told_with_its_elements_and_times() {
        let told = |line| words(line, Family::X86);
        assert_eq!(
            told("\tvfmadd231ps %ymm0, %ymm1, %ymm2"),
            "multiplies and adds with one rounding, of 4-byte floats in all lanes; result after 4 cycles, 2 begin each cycle, on p0 p1 (Intel Skylake-SP)"
        );
        assert!(told("\tvaddpd (%rdi), %ymm0, %ymm1").ends_with("; its operand in memory is a load besides"));
        assert!(told("\tvdivss %xmm0, %xmm1, %xmm1").starts_with("divides, of one 4-byte float; "));
        assert!(told("\tvpaddd %ymm0, %ymm1, %ymm1").starts_with("adds, of 4-byte integers in all lanes; "));
        assert!(told("\tvmovups %ymm1, 32(%rsp)  # spill").starts_with("stores a vector"));
        assert!(told("\tvmovups 32(%rsi), %ymm1").starts_with("loads a vector"));
        assert!(told("\taddq $32, %rax").starts_with("adds; "));
        assert!(told("\tjne .LBB0_2").starts_with("goes on at a label"));
        assert!(
            told("\tvgatherdps %ymm5, (%rsi,%ymm0,4), %ymm4")
                .starts_with("loads an element from an address of its own")
        );
    }

    #[test]
    fn words_and_numbers_of_a_row_are_the_same() {
        let rows = x86::rows().chain(arm::rows()).chain(v1::rows()).chain(riscv::rows());
        let rows = rows.filter(|row| row.takes.starts_with("result after "));
        let mut n_rows = 0;
        for row in rows {
            let words = row.takes["result after ".len()..].split(' ').next().expect("a number");
            assert_eq!(words, row.figures.latency.to_string(), "{}", row.takes);
            let cycles: u32 = row.figures.busy.iter().map(|busy| busy.cycles[0]).sum();
            let twice = row.takes.contains("twice") || row.takes.contains("every 2 cycles");
            assert!(!twice || cycles >= 2, "{}", row.takes);
            let forwarded = row.figures.latency - row.figures.waits_less;
            let is_told = row.takes.contains(&format!(", or {forwarded} where it adds to another's,"));
            assert_eq!(is_told, row.figures.waits_less > 0, "{}", row.takes);
            let number = |before: &str, behind: &str| -> Option<u32> {
                let (front, _) = row.takes.split_once(behind)?;
                front.rsplit_once(before)?.1.parse().ok()
            };
            let beginning =
                number(", ", " begin each cycle").or_else(|| number(", ", " registers of a group begin each"));
            if let Some(n) = beginning {
                let are_done = |busy: &BusyUnits| busy.units.count_ones() >= n * busy.cycles[0];
                assert!(row.figures.busy.iter().all(are_done), "{}", row.takes);
            }
            if let Some(n) = number("one begins every ", " cycles, on") {
                let are_busy = |busy: &BusyUnits| busy.cycles[0] == n * busy.units.count_ones();
                assert!(row.figures.busy.iter().any(are_busy), "{}", row.takes);
            }
            n_rows += 1;
        }
        assert!(n_rows > 200, "{n_rows}");
    }

    #[test]
    fn other_families_have_words_and_what_is_no_instruction_has_none() {
        assert!(words("\tfmla v0.4s, v1.4s, v2.4s", Family::Arm).starts_with("multiplies and adds"));
        assert!(words("\tldr q1, [x0, #16]", Family::Arm).starts_with("loads"));
        assert_eq!(
            words("\tfmla z0.s, p0/m, z1.s, z2.s", Family::Arm),
            "multiplies and adds with one rounding; result after 4 cycles, or 2 where it adds to another's, 2 begin each cycle, on V0 V1 (Arm Neoverse V1)"
        );
        assert_eq!(
            words("\tvfmacc.vv v8, v9, v10", Family::RiscV),
            "multiplies and adds with one rounding; result after 6 cycles, 2 registers of a group begin each cycle, on VEXQ0 VEXQ1 (SiFive P670)"
        );
        assert_eq!(words("\tf32x4.add", Family::Wasm), "arithmetic on all elements of a vector; ");
        for line in [".LBB0_2:", "scale:", "\t.p2align 4", "", "# gather", "\t# comment"] {
            assert_eq!(explain(line, Family::X86), None, "{line}");
        }
    }
}
