//! Variants of a kernel side by side: the table over targets, lanes and attributes that command, explorer and editors show.
//!
//! The rows are the analysis' own. What machine code adds, if it is asked for, is counted in the assembly of the hot loops: instructions
//! of an element, the vector registers that occur, and what is spilled.

use std::collections::BTreeSet;

use ide::variants::{VariantLoop, VariantRow, WantedVariants, rows, untried_attributes};
use native::asm::hot::{Hot, hot_loops};
use native::asm::{Function, Kind, listing};
use native::emit;
use native::protocol::CompiledForm;
use queries::db::Item;
use queries::stages::Options;
use report::apply_edits;
use report::lanes::costs::shown;
use syntax::text::LineIndex;

use crate::document::Document;
use crate::machine_code;

/// A kernel's variants.
#[derive(Debug, Clone)]
pub struct Compared {
    /// The kernel's name.
    pub kernel: String,
    /// The line of each innermost loop.
    pub lines: Vec<u32>,
    /// The rows: the kernel as it is first.
    pub rows: Vec<ComparedRow>,
    /// True if machine code was asked for.
    pub with_machine_code: bool,
}

/// A row, with what machine code says.
#[derive(Debug, Clone)]
pub struct ComparedRow {
    /// The row of the analysis.
    pub row: VariantRow,
    /// For each loop of the row what its hot loop does, where there is one.
    pub machine: Vec<Option<HotFigures>>,
    /// Why there is no machine code.
    pub trouble: Option<String>,
}

/// Figures of the machine code of a loop.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HotFigures {
    /// Instructions of an element.
    pub instructions: f64,
    /// Vector registers that occur in the loop.
    pub registers: usize,
    /// Spills of a turn.
    pub spills: usize,
}

impl Compared {
    /// The table of rows of a kernel in a text, without machine code.
    pub fn of(kernel: &str, text: &str, rows: Vec<VariantRow>) -> Compared {
        let index = LineIndex::new(text);
        let first = rows.first().into_iter().flat_map(|row| &row.loops);
        let lines = first.map(|it| index.line(it.header.start()) + 1).collect();
        let rows = rows.into_iter().map(|row| ComparedRow { machine: vec![None; row.loops.len()], row, trouble: None });
        Compared { kernel: kernel.to_owned(), lines, rows: rows.collect(), with_machine_code: false }
    }
}

/// Compares the variants of a kernel, for the target that the document is made for.
pub fn compare(document: &Document, kernel: Item<'_>, wanted: &WantedVariants, with_machine_code: bool) -> Compared {
    let db = document.db();
    let mut found = rows(db, kernel, wanted);
    if wanted.attributes {
        let tried = untried_attributes(db, kernel).rows(&found[0]);
        found.extend(tried);
    }
    let mut compared = Compared::of(kernel.name(db), &document.text, found);
    compared.with_machine_code = with_machine_code;
    for row in compared.rows.iter_mut().filter(|_| with_machine_code) {
        match figures(document, kernel, &row.row) {
            Ok(machine) => row.machine = machine,
            Err(trouble) => row.trouble = Some(trouble),
        }
    }
    compared
}

/// The work of a variant's hot loops.
fn figures(document: &Document, kernel: Item<'_>, row: &VariantRow) -> Result<Vec<Option<HotFigures>>, String> {
    let options = row.variant.options;
    let Some(change) = &row.variant.change else { return figures_of(document, kernel, options, row, 0) };
    let text = apply_edits(&document.text, &change.edits);
    let shift = text.matches('\n').count() as i64 - document.text.matches('\n').count() as i64;
    let changed = Document::among(document.name.clone(), text, &document.around()).made_for(&[options]);
    let kernel = changed.kernel_named(kernel.name(document.db()))?;
    // The headers are those of the text as it is.
    figures_of_lines(&changed, kernel, options, &lines_of(document, row, shift))
}

fn lines_of(document: &Document, row: &VariantRow, shift: i64) -> Vec<u32> {
    let line = |it: &VariantLoop| i64::from(document.place(it.header.start()).line) + shift;
    row.loops.iter().map(|it| u32::try_from(line(it)).unwrap_or(0)).collect()
}

fn figures_of(
    document: &Document,
    kernel: Item<'_>,
    options: Options,
    row: &VariantRow,
    shift: i64,
) -> Result<Vec<Option<HotFigures>>, String> {
    figures_of_lines(document, kernel, options, &lines_of(document, row, shift))
}

fn figures_of_lines(
    document: &Document,
    kernel: Item<'_>,
    options: Options,
    lines: &[u32],
) -> Result<Vec<Option<HotFigures>>, String> {
    let machine = options.target;
    let told = |no: machine_code::NoCode| match no {
        machine_code::NoCode::Errors(_) => "the kernel has errors".to_owned(),
        machine_code::NoCode::Trouble(words) | machine_code::NoCode::Stopped(words) => words,
    };
    let ir = machine_code::llvm_ir(document, &[kernel], options, machine, emit::ModuleOptions::default());
    let text = machine_code::text(ir.map_err(told)?, machine, CompiledForm::Assembly).map_err(told)?;
    let listing = listing(&text, machine.family);
    let last = machine_code::finished(document, kernel, options).ok_or("nothing becomes of the kernel")?;
    let source = machine_code::source(document, kernel);
    let name = kernel.name(document.db());
    let Some(function) = listing.functions.iter().find(|function| function.is_of(name)) else { return Ok(Vec::new()) };
    let hot = hot_loops(function, &last, &source);
    let of_line = |line: &u32| hot.iter().find(|hot| hot.source_line == Some(*line)).map(|hot| of_hot(function, hot));
    Ok(lines.iter().map(of_line).collect())
}

fn of_hot(function: &Function, hot: &Hot) -> HotFigures {
    let mut registers = BTreeSet::new();
    for &line in &hot.lines {
        registers.extend(vector_registers(&function.lines[line].text));
    }
    let spills = hot.counts.counted().find(|(kind, _)| *kind == Kind::Spill).map_or(0, |(_, number)| number);
    HotFigures { instructions: hot.per_iteration(hot.instructions), registers: registers.len(), spills }
}

/// The numbers of the vector registers in an instruction: `%ymm3`, `z7.s`, `v3.4s`, `q0`.
fn vector_registers(text: &str) -> Vec<u16> {
    let operands = text.trim_start().split_once(['\t', ' ']).map_or("", |(_, operands)| operands);
    let words = operands.split(|c: char| !c.is_ascii_alphanumeric() && c != '.');
    let number = |word: &str| {
        let word = word.split('.').next()?;
        let digits = ["xmm", "ymm", "zmm", "v", "z", "q", "s", "d"].iter().find_map(|name| word.strip_prefix(name))?;
        digits.parse().ok()
    };
    words.filter_map(number).collect()
}

/// A line of the table: its text, and the row that it is of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableLine {
    /// The text.
    pub text: String,
    /// The row, by its number; `None` for titles and heads.
    pub row: Option<usize>,
    /// True if the row is a gain.
    pub gains: bool,
}

/// The names of the columns behind that of the variant.
const COLUMNS: [&str; 11] =
    ["lanes", "cycles", "bound by", "memory", "ops", "loads", "stores", "gathers", "scatters", "shuffles", "packs"];

/// The names of the columns that machine code adds.
const MACHINE_COLUMNS: [&str; 3] = ["instr.", "registers", "spills"];

/// The detail of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TableWidth {
    /// All columns.
    Wide,
    /// Lanes, cycles, what they are bound by, and gathers.
    Narrow,
}

/// The columns of a narrow table.
const NARROW: [usize; 4] = [0, 1, 2, 7];

/// The table as lines of text, aligned in columns.
pub fn table(compared: &Compared, width: TableWidth) -> Vec<TableLine> {
    let plain = |text: String| TableLine { text, row: None, gains: false };
    let present = &compared.rows[0].row;
    if present.loops.is_empty() {
        let why = "no loop is left of it, or it has errors, so there is nothing to estimate";
        return vec![plain(format!("{}: {why}", compared.kernel))];
    }
    let mut head: Vec<&str> = vec![""];
    head.extend(COLUMNS);
    let is_kept = |column: usize| width == TableWidth::Wide || column == 0 || NARROW.contains(&(column - 1));
    let kept = |cells: Vec<String>| -> Vec<String> {
        cells.into_iter().enumerate().filter(|(column, _)| is_kept(*column)).map(|(_, cell)| cell).collect()
    };
    head.extend(MACHINE_COLUMNS.iter().filter(|_| compared.with_machine_code));
    let mut lines = Vec::new();
    for (number, line) in compared.lines.iter().enumerate() {
        let mut cells: Vec<(Vec<String>, Option<usize>, String, bool)> =
            vec![(kept(head.iter().map(|&it| it.to_owned()).collect()), None, "changes".to_owned(), false)];
        for (n, row) in compared.rows.iter().enumerate() {
            let of_loop =
                row.row.loops.iter().position(|it| Some(it.header) == present.loops.get(number).map(|it| it.header));
            let Some(of_loop) = of_loop else { continue };
            let gains = n > 0 && ide::variants::gains(present, &row.row);
            let it = &row.row.loops[of_loop];
            let words = match n {
                // The reason why there are no lanes.
                0 if it.cost.lanes == 1 => it.headline.clone(),
                _ => it.differs.clone(),
            };
            cells.push((kept(cells_of(row, of_loop, compared.with_machine_code)), Some(n), words, gains));
        }
        let title = format!("{}, loop in line {line}: estimated cycles of an element", compared.kernel);
        if number > 0 {
            lines.push(plain(String::new()));
        }
        lines.push(plain(title));
        lines.extend(aligned(cells));
    }
    let troubles: BTreeSet<&str> = compared.rows.iter().filter_map(|row| row.trouble.as_deref()).collect();
    lines.extend(troubles.into_iter().map(|trouble| plain(format!("no machine code: {trouble}"))));
    lines
}

fn cells_of(row: &ComparedRow, of_loop: usize, with_machine_code: bool) -> Vec<String> {
    let it = &row.row.loops[of_loop];
    let cost = &it.cost;
    let mark = if row.row.is_present { "* " } else { "  " };
    let count = |count: u32| if count == 0 { "-".to_owned() } else { count.to_string() };
    let lanes = match (cost.lanes, cost.groups()) {
        (lanes, 0 | 1) => lanes.to_string(),
        (lanes, groups) => format!("{lanes} x {groups}"),
    };
    let counts = cost.counts;
    let mut cells = vec![
        format!("{mark}{}", row.row.name()),
        lanes,
        shown(cost.cycles()),
        cost.bound.name().to_owned(),
        shown(cost.cycles_from_memory()),
    ];
    let counts =
        [counts.ops, counts.loads, counts.stores, counts.gathers, counts.scatters, counts.shuffles, counts.packs];
    cells.extend(counts.map(count));
    if with_machine_code {
        cells.extend(match row.machine.get(of_loop).copied().flatten() {
            Some(figures) => [shown(figures.instructions), figures.registers.to_string(), count(figures.spills as u32)],
            None => ["?", "?", "?"].map(str::to_owned),
        });
    }
    cells
}

/// Aligns cells in columns: names and words at the left, numbers at the right.
fn aligned(cells: Vec<(Vec<String>, Option<usize>, String, bool)>) -> Vec<TableLine> {
    let n_columns = cells.iter().map(|(cells, ..)| cells.len()).max().unwrap_or(0);
    let width = |column: usize| cells.iter().filter_map(|(it, ..)| it.get(column)).map(|it| it.chars().count()).max();
    let widths: Vec<usize> = (0..n_columns).map(|column| width(column).unwrap_or(0)).collect();
    let line = |(own, row, words, gains): &(Vec<String>, Option<usize>, String, bool)| {
        let columns = own.iter().zip(&widths).enumerate().map(|(column, (cell, &width))| {
            // The variant, and what it is bound by.
            if column == 0 || column == 3 { format!("{cell:width$}") } else { format!("{cell:>width$}") }
        });
        let text = columns.collect::<Vec<_>>().join("  ");
        let words = if words.is_empty() { String::new() } else { format!("  {words}") };
        TableLine { text: (text + &words).trim_end().to_owned(), row: *row, gains: *gains }
    };
    cells.iter().map(line).collect()
}

/// The meanings of the columns, for the foot of the table.
pub const LEGEND: [&str; 3] = [
    "* as it is; cycles: estimated from the target's table, for arrays in the cache; memory: the same if no line is in a cache",
    "lanes 8 x 4: four groups of 8 lanes in a turn of the loop, and the counts of ops are of a turn",
    "An estimate ranks, it foretells no time: `lanescope bench` measures",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vector_registers_are_read_off_instructions() {
        let found = [
            "\tvaddps %ymm1, %ymm2, %ymm13",
            "\tfmla v0.4s, v1.4s, v17.4s",
            "\tld1w { z3.s }, p0/z, [x0]",
            "\tldp q0, q5, [x0]",
            "\taddq $32, %rax",
        ];
        let found: Vec<_> = found.iter().map(|text| vector_registers(text)).collect();
        assert_eq!(found, [vec![1, 2, 13], vec![0, 1, 17], vec![3], vec![0, 5], vec![]]);
    }
}
