//! Machine code as lines of a page: instructions coloured by their kind, frames around inner loops, counts on top, and
//! for each line the source line that it comes from.
//!
//! A *listing* is the output of LLVM without the parts that only the assembler needs (see `native::asm`).

use std::ops::Range;

use driver::words::{hot_loop, of_an_iteration};
use native::asm::hot::{Hot, hot_loops};
use native::asm::{self, Counts, Function, Kind, Listing};
use native::emit::Source;
use queries::stages::Kernel;
use queries::stages::target::Family;
use syntax::text::LineIndex;
use syntax::{TextRange, TextSize};

use crate::colouring::program_spans;
use crate::page::{Frame, Line, Role};

/// Renders assembly. If it is given in two notations, the second is shown, while the kinds of instructions come from
/// the first, which is AT&T's.
pub(crate) fn assembly(text: &str, shown: Option<&str>, family: Family, kernel: &Kernel, source: &Source) -> Vec<Line> {
    let mut listing = asm::listing(text, family);
    if let Some(other) = shown.map(|text| asm::listing(text, family)) {
        rewrite(&mut listing, other);
    }
    let places = Places::new(&source.text);
    let mut lines = Vec::new();
    for (n, function) in listing.functions.iter().enumerate() {
        if n > 0 {
            lines.push(Line::default());
        }
        let hot = if function.is_of(&kernel.name) { hot_loops(function, kernel, source) } else { Vec::new() };
        lines.extend(counts(function, &hot));
        lines.extend(function_lines(function, &places));
    }
    if !listing.constants.is_empty() {
        lines.push(Line::default());
    }
    lines.extend(listing.constants.iter().map(|line| Line::of(Role::Faint, untabbed(&line.text))));
    lines
}

/// Replaces the texts of a listing by those of another notation.
fn rewrite(listing: &mut Listing, other: Listing) {
    let texts = other.functions.into_iter().flat_map(|function| function.lines).chain(other.constants);
    let lines = listing.functions.iter_mut().flat_map(|function| &mut function.lines).chain(&mut listing.constants);
    lines.zip(texts).for_each(|(line, other)| line.text = other.text);
}

/// Counts what is done in all, and in a turn and an iteration of each hot loop.
fn counts(function: &Function, hot: &[Hot]) -> Vec<Line> {
    let row = |what: &str, counts: &Counts| {
        let head = Line::of(Role::Faint, format!("# {what}:"));
        let line = counts.counted().fold(head, |line, (kind, n)| {
            let role = if is_dear(kind) { Role::Warning } else { Role::Faint };
            line.and(Role::Faint, " ").and(role, format!("{n} {}", kind.name()))
        });
        Line { is_sentence: true, ..line }
    };
    let n_instructions = function.lines.iter().filter(|line| line.kind.is_some()).count();
    let mut all = Counts::default();
    function.lines.iter().for_each(|line| all += line.counts);
    let mut lines = vec![row(&format!("instructions {n_instructions}"), &all)];
    for hot in hot {
        lines.push(row(&hot_loop(hot), &hot.counts));
        if hot.iterations > 1 {
            let each = Line::of(Role::Faint, format!("#   an iteration: {}", of_an_iteration(hot)));
            lines.push(Line { is_sentence: true, ..each });
        }
    }
    lines
}

/// Returns true for the kinds of instructions that often make code slow.
fn is_dear(kind: Kind) -> bool {
    matches!(kind, Kind::Gather | Kind::Scatter | Kind::Call | Kind::Spill)
}

fn function_lines(function: &Function, places: &Places) -> Vec<Line> {
    let mut lines: Vec<Line> = function.lines.iter().map(|line| instruction(line, places)).collect();
    for Range { start, end } in inner_loops(function) {
        for (n, line) in lines[start..end].iter_mut().enumerate() {
            line.frame = match n {
                0 => Frame::Top,
                n if n + 1 == end - start => Frame::Bottom,
                _ => Frame::Side,
            };
        }
    }
    lines
}

/// Finds the inner loops of a function. Adjacent loops are told apart by the labels that they jump back to.
fn inner_loops(function: &Function) -> Vec<Range<usize>> {
    let lines = &function.lines;
    let mut loops = Vec::new();
    let mut at = 0;
    while let Some(start) = (at..lines.len()).find(|&n| lines[n].in_inner_loop) {
        let run_end = (start..lines.len()).find(|&n| !lines[n].in_inner_loop).unwrap_or(lines.len());
        let label = lines[start].text.trim_end_matches(':');
        let jumps_back = |n: &usize| words(&lines[*n].text).any(|word| word == label);
        let end = (start + 1..run_end).rev().find(jumps_back).map_or(run_end, |n| n + 1);
        loops.push(start..end);
        at = end;
    }
    loops
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !is_word(c))
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '.' | '_' | '$')
}

/// Renders an instruction, with its mnemonic in the colour of its kind, or a label.
fn instruction(line: &asm::Line, places: &Places) -> Line {
    let source = line.source_line.and_then(|n| places.line(n));
    let Some(kind) = line.kind else { return Line::of(Role::Item, untabbed(&line.text)).from_source(source) };
    let (name, operands) = line.text.trim().split_once(' ').unwrap_or((line.text.trim(), ""));
    let role = match kind {
        _ if is_dear(kind) => Role::Warning,
        Kind::Vector => Role::Keyword,
        Kind::Shuffle => Role::Number,
        Kind::Load | Kind::Store => Role::Call,
        _ => Role::Text,
    };
    let mut shown = Line::new("  ").and(role, name);
    if !operands.is_empty() {
        shown = shown.and(Role::Text, format!(" {operands}"));
    }
    if kind == Kind::Spill {
        shown = shown.and(Role::Warning, "  # spill");
    }
    shown.from_source(source)
}

fn untabbed(text: &str) -> String {
    text.strip_prefix('\t').map_or_else(|| text.to_owned(), |text| format!("  {text}"))
}

/// Renders LLVM IR, each line with the source line that it comes from.
pub(crate) fn llvm_ir(text: &str, source: &str) -> Vec<Line> {
    let places = Places::new(source);
    let lines = driver::llvm_ir::lines(text).into_iter().map(|line| {
        let source = line.source.and_then(|(n, _)| places.line(n));
        let spans = program_spans(&line.text);
        Line { spans, ..Line::new(line.text).from_source(source) }
    });
    lines.collect()
}

/// The ranges of the lines of a source, without the white space around them.
struct Places<'s> {
    source: &'s str,
    index: LineIndex,
}

impl Places<'_> {
    fn new(source: &str) -> Places<'_> {
        Places { source, index: LineIndex::new(source) }
    }

    /// Returns the text range of a line by its number, counted from 1.
    fn line(&self, number: u32) -> Option<TextRange> {
        let number = number.checked_sub(1).filter(|&n| n < self.index.n_lines())?;
        let range = self.index.line_range(number);
        let text = &self.source[range];
        let indent = TextSize::of(text) - TextSize::of(text.trim_start());
        let len = TextSize::of(text.trim());
        (len > 0.into()).then(|| TextRange::at(range.start() + indent, len))
    }
}

/// Replaces the label names of a line by a placeholder, for comparisons: a change anywhere above a label renumbers it.
pub(crate) fn without_label_names(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(c) = rest.chars().next() {
        let len = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
        let word = &rest[..len.max(c.len_utf8())];
        let is_label = [".LBB", ".LCPI", "LBB", "LCPI", ".Ltmp"].iter().any(|start| word.starts_with(start));
        out.push_str(if is_label { ".L" } else { word });
        rest = &rest[word.len()..];
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    const ATT: &str = "k:\n\t.loc\t1 2 5\n\ttestl\t%edi, %edi\n\tjle\t.LBB0_3\n.LBB0_1:\n\t.loc\t1 3 9\n\
                       \tvaddps\t(%rsi,%rax,4), %ymm0, %ymm1\n\tvmovups\t%ymm1, 32(%rsp)\n\t.loc\t1 2 5\n\tjl\t.LBB0_1\n\
                       .LBB0_2:\n\tdecq\t%rax\n\tjne\t.LBB0_2\n.LBB0_3:\n\tretq\n";
    const SOURCE: &str = "kernel k(a):\n  for i in range(n):\n    a[i] = 1.0\n";

    fn source() -> Source {
        Source { text: SOURCE.to_owned(), ..Source::default() }
    }

    fn shown(lines: &[Line]) -> String {
        let mark = |frame| match frame {
            Frame::None => ' ',
            Frame::Top => '┌',
            Frame::Side => '│',
            Frame::Bottom => '└',
        };
        let source = |line: &Line| line.source.map_or("", |range| &SOURCE[range]);
        let rows = lines.iter().map(|line| format!("{} {:40} {}", mark(line.frame), line.text, source(line)));
        rows.map(|row| row.trim_end().to_owned() + "\n").collect()
    }

    #[test]
    fn inner_loops_are_framed_one_by_one_and_instructions_counted() {
        expect![[r#"
              # instructions 8: 1 vector 6 scalar 1 load 1 spill
              k:
                testl %edi, %edi                       for i in range(n):
                jle .LBB0_3                            for i in range(n):
            ┌ .LBB0_1:
            │   vaddps (%rsi,%rax,4), %ymm0, %ymm1     a[i] = 1.0
            │   vmovups %ymm1, 32(%rsp)  # spill       a[i] = 1.0
            └   jl .LBB0_1                             for i in range(n):
            ┌ .LBB0_2:
            │   decq %rax                              for i in range(n):
            └   jne .LBB0_2                            for i in range(n):
              .LBB0_3:
                retq                                   for i in range(n):
        "#]]
        .assert_eq(&shown(&assembly(ATT, None, Family::X86, &Kernel::new("k"), &source())));
    }

    #[test]
    fn another_writing_keeps_what_the_first_says_of_its_instructions() {
        let intel = ATT.replace("32(%rsp)", "ymmword ptr [rsp + 32]");
        let lines = assembly(ATT, Some(&intel), Family::X86, &Kernel::new("k"), &source());
        assert!(lines.iter().any(|line| line.text == "  vmovups %ymm1, ymmword ptr [rsp + 32]  # spill"));
    }

    #[test]
    fn llvm_ir_leads_to_the_source_too() {
        let ir = "; ModuleID = 'k'\nsource_filename = \"k\"\n\ndefine void @k() !dbg !2 {\n  %a = add i32 1, 2, !dbg !7\n  ret void\n}\n\n\
                  !2 = distinct !DISubprogram(name: \"k\")\n!7 = !DILocation(line: 3, column: 5, scope: !2)\n";
        expect![[r#"
            LLVM IR
              ; ModuleID = 'k'

              define void @k() {
                %a = add i32 1, 2                      a[i] = 1.0
                ret void
              }
        "#]]
        .assert_eq(&format!("LLVM IR\n{}", shown(&llvm_ir(ir, SOURCE))));
    }

    #[test]
    fn labels_are_compared_without_their_names() {
        assert_eq!(without_label_names("\tjle .LBB0_3"), without_label_names("\tjle .LBB7_12"));
        assert_eq!(without_label_names(".LBB0_3:"), ".L:");
        assert_eq!(without_label_names("  vaddps é"), "  vaddps é");
    }
}
