//! Machine code as lines of a page: instructions coloured by their kind, frames around inner loops, counts on top, and
//! for each line the source line that it comes from.
//!
//! A *listing* is the output of LLVM without the parts that only the assembler needs (see `native::asm`).

pub(crate) mod beside;

use std::ops::Range;

use driver::program::{MachineProgram, ProgramIr};
use driver::words::{estimate_of, hot_loop, of_an_iteration};
use native::asm::critical::{ChainMark, LoopBound};
use native::asm::hot::Hot;
use native::asm::{self, Counts, Function, Kind, Listing};
use queries::stages::target::Family;
use report::{TextRange, TextSize};
use syntax::text::LineIndex;

use crate::colouring::program_spans;
use crate::page::{Fold, Frame, Line, Page, Role};

/// A program and the LLVM IR that was made of it, which numbers the lines of its source.
#[derive(Clone, Copy)]
pub(crate) struct ListedProgram<'p> {
    pub program: &'p dyn MachineProgram,
    pub module: &'p ProgramIr,
}

/// Renders assembly. If it is given in two notations, the second is shown, while the kinds of instructions come from
/// the first, which is AT&T's.
pub(crate) fn assembly(text: &str, shown: Option<&str>, family: Family, of: ListedProgram<'_>) -> Listed {
    let mut listing = asm::listing(text, family);
    let lines = listing.functions.iter_mut().flat_map(|function| &mut function.lines);
    lines.for_each(|line| line.source_line = line.source_line.and_then(|number| of.module.line(number)));
    // Estimates read the instructions, too, and know one way of writing them.
    let hot_loops: Vec<Vec<Hot>> = listing.functions.iter().map(|function| of.program.hot_loops(function)).collect();
    if let Some(other) = shown.map(|text| asm::listing(text, family)) {
        rewrite(&mut listing, other);
    }
    let places = Places::new(of.program.text());
    let mut listed = Listed::default();
    for (n, (function, hot)) in listing.functions.iter().zip(&hot_loops).enumerate() {
        if n > 0 {
            listed.page.lines.push(Line::default());
        }
        listed.page.lines.extend(counts(function, hot));
        listed.add(function, hot, &places);
    }
    let lines = &mut listed.page.lines;
    if !listing.constants.is_empty() {
        lines.push(Line::default());
    }
    let start = lines.len();
    lines.extend(listing.constants.iter().map(|line| Line::of(Role::Faint, untabbed(&line.text))));
    let constants = Fold { lines: start..lines.len(), title: "constants" };
    if !listed.page.folds.is_empty() && constants.lines.len() >= LEAST_FOLDED {
        listed.page.folds.push(constants);
    }
    listed
}

/// The fewest lines that are worth a fold.
const LEAST_FOLDED: usize = 3;

/// Machine code as a page, and the loops that it is compared by.
#[derive(Debug, Clone, Default)]
pub(crate) struct Listed {
    /// The page, which opens on the first hot loop. What is around the hot loops is folded.
    pub page: Page,
    /// The inner loops, in order.
    pub loops: Vec<InnerLoop>,
}

/// An inner loop of machine code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct InnerLoop {
    /// Line of the source that the loop is from.
    pub source_line: Option<u32>,
    /// Number of instructions.
    pub n_instructions: usize,
    /// The counts of what they do, by kind; an instruction may do several things.
    pub counts: Counts,
    /// True if the loop does the most at once of those that one loop of the source became; the others peel and finish.
    pub is_hot: bool,
    /// The number of iterations of the source's loop that a turn does, where it is known.
    pub iterations: Option<u64>,
}

impl InnerLoop {
    fn of(lines: &[asm::Line], places: &Places) -> InnerLoop {
        let mut counts = Counts::default();
        lines.iter().for_each(|line| counts += line.counts);
        let n_instructions = lines.iter().filter(|line| line.kind.is_some()).count();
        // The jump back at the end is mostly from the header of the loop, but may be merged with what is from its body.
        let from = || lines.iter().rev().filter_map(|line| line.source_line);
        let source_line = from().find_map(|line| places.loop_around(line)).or(from().next());
        InnerLoop { source_line, n_instructions, counts, is_hot: false, iterations: None }
    }

    fn n_vector(&self) -> usize {
        [Kind::Vector, Kind::Shuffle, Kind::Gather, Kind::Scatter].map(|kind| self.counts.of(kind)).into_iter().sum()
    }
}

impl Listed {
    /// Appends a function, with what is around its hot loops folded.
    fn add(&mut self, function: &Function, known: &[Hot], places: &Places) {
        let start = self.page.lines.len();
        let ranges = with_loops_around(inner_loops(function), function, known);
        let loop_at = |range: &Range<usize>| {
            let known = known.iter().find(|hot| hot.lines.iter().all(|at| range.contains(at)));
            InnerLoop {
                iterations: known.map(|hot| hot.iterations),
                ..InnerLoop::of(&function.lines[range.clone()], places)
            }
        };
        let mut loops: Vec<_> = ranges.iter().map(loop_at).collect();
        self.page.lines.extend(function_lines(function, &ranges, known, places));
        for n in 0..loops.len() {
            let alike = loops.iter().enumerate().filter(|(_, other)| other.source_line == loops[n].source_line);
            let hot = alike.max_by_key(|(n, other)| (other.n_vector(), std::cmp::Reverse(*n))).map(|(n, _)| n);
            loops[n].is_hot = hot == Some(n);
        }
        let hot: Vec<_> = (0..loops.len()).filter(|n| loops[*n].is_hot).map(|n| ranges[n].clone()).collect();
        // The page opens on the innermost of them, which runs most often; the source's indentation tells which that is.
        let rank = |n: &usize| {
            let depth = loops[*n].source_line.map_or(0, |line| places.indent(line));
            (depth, loops[*n].n_vector(), std::cmp::Reverse(*n))
        };
        if let Some(first) = (0..loops.len()).filter(|n| loops[*n].is_hot).max_by_key(rank) {
            self.page.start = self.page.start.or(Some(start + ranges[first].start));
            // The label of the function stays.
            let mut from = 1;
            for (n, range) in hot.iter().enumerate() {
                self.fold(start + from..start + range.start, if n == 0 { "prologue" } else { "between the loops" });
                from = range.end;
            }
            self.fold(start + from..start + function.lines.len(), "remainder and end");
        }
        self.loops.extend(loops);
    }

    fn fold(&mut self, lines: Range<usize>, title: &'static str) {
        if lines.len() >= LEAST_FOLDED {
            self.page.folds.push(Fold { lines, title });
        }
    }

    /// Puts lines in front of all others.
    pub(crate) fn put_in_front(&mut self, lines: Vec<Line>) {
        let n = lines.len();
        self.page.lines.splice(0..0, lines);
        self.page.start = self.page.start.map(|start| start + n);
        for fold in &mut self.page.folds {
            fold.lines = fold.lines.start + n..fold.lines.end + n;
        }
    }
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
            let role = if is_dear(kind) { Role::Warning } else { role_of(kind) };
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
        for (number, words) in estimate_of(hot).into_iter().enumerate() {
            let is_latency = hot.estimate.as_ref().is_ok_and(|it| it.bound() == LoopBound::Latency);
            let role = if number == 0 && is_latency { Role::Warning } else { Role::Faint };
            lines.push(Line { is_sentence: true, ..Line::of(Role::Faint, "#   ").and(role, words) });
        }
    }
    lines
}

/// Returns true for the kinds of instructions that often make code slow.
fn is_dear(kind: Kind) -> bool {
    matches!(kind, Kind::Gather | Kind::Scatter | Kind::Call | Kind::Spill)
}

fn function_lines(function: &Function, loops: &[Range<usize>], known: &[Hot], places: &Places) -> Vec<Line> {
    let mark = |at: usize| {
        let mut around = known.iter().filter(|hot| hot.lines.contains(&at));
        around.find_map(|hot| hot.estimate.as_ref().ok()?.mark(at))
    };
    let shown = function.lines.iter().enumerate().map(|(at, line)| instruction(line, mark(at), places));
    let mut lines: Vec<Line> = shown.collect();
    for &Range { start, end } in loops {
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

/// Adds the hot loops in which a rare case has a loop of its own, in place of that.
fn with_loops_around(mut loops: Vec<Range<usize>>, function: &Function, known: &[Hot]) -> Vec<Range<usize>> {
    let is_around = |hot: &&Hot| hot.lines.iter().any(|&at| !function.lines[at].in_inner_loop);
    for hot in known.iter().filter(is_around) {
        let (Some(&start), Some(&last)) = (hot.lines.iter().min(), hot.lines.iter().max()) else { continue };
        loops.retain(|inner| inner.end <= start || last < inner.start);
        loops.push(start..last + 1);
    }
    loops.sort_by_key(|range| range.start);
    loops
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !is_word(c))
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '.' | '_' | '$')
}

/// Renders an instruction, with its mnemonic in the colour of its kind behind the mark of the chain that it is in, or a label.
fn instruction(line: &asm::Line, mark: Option<ChainMark>, places: &Places) -> Line {
    let source = line.source_line.and_then(|n| places.line(n));
    let Some(kind) = line.kind else { return Line::of(Role::Item, untabbed(&line.text)).from_source(source) };
    let (name, operands) = line.text.trim().split_once(' ').unwrap_or((line.text.trim(), ""));
    let role = match kind {
        Kind::Vector if is_mask(name) => Role::Mask,
        kind => role_of(kind),
    };
    let indent = match mark {
        Some(ChainMark::Carried) => Line::of(Role::Warning, ChainMark::Carried.sign()).and(Role::Text, " "),
        Some(ChainMark::Through) => Line::of(Role::Hint, ChainMark::Through.sign()).and(Role::Text, " "),
        None => Line::new("  "),
    };
    let mut shown = indent.and(role, name);
    if is_dear(kind) {
        shown.spans.push((2..shown.text.len(), Role::Dear));
    }
    if !operands.is_empty() {
        shown = shown.and(Role::Text, format!(" {operands}"));
    }
    if kind == Kind::Spill {
        shown = shown.and(Role::Warning, "  # spill");
    }
    shown.from_source(source)
}

/// Returns the role of the instructions of a kind.
fn role_of(kind: Kind) -> Role {
    match kind {
        Kind::Load | Kind::Gather => Role::Load,
        Kind::Store | Kind::Scatter => Role::Store,
        Kind::Shuffle | Kind::Broadcast => Role::Shuffle,
        Kind::Vector => Role::Arithmetic,
        Kind::Call | Kind::Spill => Role::Warning,
        Kind::Scalar | Kind::Save => Role::Text,
    }
}

/// Returns true for instructions on vectors that compare, or that work on masks.
fn is_mask(name: &str) -> bool {
    const X86: &[&str] =
        &["vcmp", "vpcmp", "pcmp", "cmpps", "cmppd", "cmplt", "cmple", "cmpeq", "cmpneq", "cmpunord", "vptest"];
    const MORE_X86: &[&str] =
        &["ptest", "vtest", "kmov", "kand", "kor", "knot", "kxor", "kshift", "ktest", "vblendv", "vpblendm"];
    const ARM: &[&str] =
        &["fcm", "cmeq", "cmge", "cmgt", "cmhi", "cmhs", "cmtst", "cmp", "ptrue", "pfalse", "while", "brk"];
    const RISCV: &[&str] = &["vms", "vmf", "vmand", "vmor", "vmxor", "vmnand", "vmnor", "vcpop", "vfirst", "viota"];
    [X86, MORE_X86, ARM, RISCV].iter().any(|starts| starts.iter().any(|start| name.starts_with(start)))
}

fn untabbed(text: &str) -> String {
    text.strip_prefix('\t').map_or_else(|| text.to_owned(), |text| format!("  {text}"))
}

/// Renders LLVM IR, each line with the source line that it comes from.
pub(crate) fn llvm_ir(text: &str, of: ListedProgram<'_>) -> Vec<Line> {
    let places = Places::new(of.program.text());
    let lines = driver::llvm_ir::lines(text).into_iter().map(|line| {
        let source = line.source.and_then(|(n, _)| places.line(of.module.line(n)?));
        let spans = program_spans(&line.text);
        Line { spans, ..Line::new(line.text).from_source(source) }
    });
    lines.collect()
}

/// The words that loops begin with, in all languages.
const LOOPS: &[&str] =
    &["for", "foreach", "while", "do", "cfor", "cwhile", "cdo", "foreach_tiled", "foreach_active", "foreach_unique"];

/// The ranges of the lines of a source, without the white space around them.
struct Places<'s> {
    source: &'s str,
    index: LineIndex,
}

impl Places<'_> {
    fn new(source: &str) -> Places<'_> {
        Places { source, index: LineIndex::new(source) }
    }

    /// Returns the line with the header of the loop that a line is in, or is the header of; lines are counted from 1.
    fn loop_around(&self, number: u32) -> Option<u32> {
        let mut inner = usize::MAX;
        for n in (1..=number).rev() {
            let text = n
                .checked_sub(1)
                .filter(|&n| n < self.index.n_lines())
                .map(|n| &self.source[self.index.line_range(n)])?;
            let words = text.trim_start();
            let indent = text.len() - words.len();
            // A brace alone on its line stands as far to the left as the header of its block.
            if words.trim_end().is_empty() || words.starts_with(['#', '{', '}']) || indent >= inner {
                continue;
            }
            let first = words.split(|c: char| c != '_' && !c.is_alphanumeric()).next();
            if first.is_some_and(|word| LOOPS.contains(&word)) {
                return Some(n);
            }
            inner = indent;
        }
        None
    }

    /// Returns the indentation of a line by its number, counted from 1.
    fn indent(&self, number: u32) -> usize {
        let text =
            number.checked_sub(1).filter(|&n| n < self.index.n_lines()).map(|n| &self.source[self.index.line_range(n)]);
        text.map_or(0, |text| text.len() - text.trim_start().len())
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

#[cfg(test)]
mod tests {
    use super::*;
    use driver::program::KernelProgram;
    use expect_test::expect;
    use native::emit::Source;
    use queries::stages::Kernel;
    use std::sync::Arc;

    const ATT: &str = "k:\n\t.loc\t1 2 5\n\ttestl\t%edi, %edi\n\tjle\t.LBB0_3\n.LBB0_1:\n\t.loc\t1 3 9\n\
                       \tvaddps\t(%rsi,%rax,4), %ymm0, %ymm1\n\tvmovups\t%ymm1, 32(%rsp)\n\t.loc\t1 2 5\n\tjl\t.LBB0_1\n\
                       .LBB0_2:\n\tdecq\t%rax\n\tjne\t.LBB0_2\n.LBB0_3:\n\tretq\n";
    const SOURCE: &str = "kernel k(a):\n  for i in range(n):\n    a[i] = 1.0\n";

    fn program() -> KernelProgram {
        let source = Source { text: SOURCE.to_owned(), ..Source::default() };
        KernelProgram { kernel: Arc::new(Kernel::new("k")), source }
    }

    /// Renders assembly of a kernel `k` that has no loop which LLVM IR would mark.
    fn listed(text: &str, shown: Option<&str>) -> Listed {
        let program = program();
        let module = ProgramIr::of_lines(String::new());
        assembly(text, shown, Family::X86, ListedProgram { program: &program, module: &module })
    }

    fn of_llvm(text: &str) -> Vec<Line> {
        let program = program();
        let module = ProgramIr::of_lines(String::new());
        llvm_ir(text, ListedProgram { program: &program, module: &module })
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
        .assert_eq(&shown(&listed(ATT, None).page.lines));
    }

    #[test]
    fn another_writing_keeps_what_the_first_says_of_its_instructions() {
        let intel = ATT.replace("32(%rsp)", "ymmword ptr [rsp + 32]");
        let lines = listed(ATT, Some(&intel)).page.lines;
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
        .assert_eq(&format!("LLVM IR\n{}", shown(&of_llvm(ir))));
    }

    #[test]
    fn an_instruction_has_the_hue_of_what_it_does() {
        let more = "\tvpshufd\t$1, %xmm1, %xmm1\n\tvcmpltps\t%ymm1, %ymm2, %ymm3\n\tvgatherdps\t%ymm4, (%rsi,%ymm0,4), %ymm5\n";
        let text = ATT.replace("\tdecq", &format!("{more}\tdecq"));
        let lines = listed(&text, None).page.lines;
        let of = |name: &str| {
            let line = lines.iter().find(|line| line.text.trim_start().starts_with(name)).expect("it is there");
            line.spans.iter().map(|(_, role)| *role).collect::<Vec<_>>()
        };
        assert_eq!(of("vaddps"), [Role::Arithmetic]);
        assert_eq!(of("vpshufd"), [Role::Shuffle]);
        assert_eq!(of("vcmpltps"), [Role::Mask]);
        assert_eq!(of("vgatherdps"), [Role::Load, Role::Dear]);
        assert_eq!(of("vmovups"), [Role::Warning, Role::Dear, Role::Warning]);
    }

    #[test]
    fn what_is_around_the_hot_loop_is_folded() {
        let Listed { page, loops } = listed(ATT, None);
        let titles: Vec<_> =
            page.folds.iter().map(|fold| (fold.title, &page.lines[fold.lines.start].text[..])).collect();
        assert_eq!(titles, [("remainder and end", ".LBB0_2:")], "the scalar loop finishes what the vector loop leaves");
        assert_eq!(page.lines[page.start.expect("a loop")].text, ".LBB0_1:");
        assert_eq!(
            loops.iter().map(|it| (it.source_line, it.n_vector())).collect::<Vec<_>>(),
            [(Some(2), 1), (Some(2), 0)]
        );
    }

    #[test]
    fn a_line_is_in_the_loop_whose_header_is_above_it() {
        let of_c = Places::new("void f() {\n  int x;\n  for (;;)\n  {\n    x;\n  }\n  x;\n}\n");
        assert_eq!(
            (1..=8).map(|n| of_c.loop_around(n)).collect::<Vec<_>>()[3..],
            [Some(3), Some(3), Some(3), None, None]
        );
        let places = Places::new(
            "fn f(x):\n    return x\nkernel k(a):\n  for i in range(n):\n\n    # of two\n    a[i] = 1.0\n    while x:\n      b\n  c\n",
        );
        let around: Vec<_> = (1..=11).map(|n| places.loop_around(n)).collect();
        let (outer, inner) = (Some(4), Some(8));
        assert_eq!(around, [None, None, None, outer, outer, outer, outer, inner, inner, None, None]);
    }
}
