//! Assembly as people read it: without what is only for the assembler, each line with the source line it came from, its
//! instruction decoded, and inner loops found.
//!
//! A *listing* has the functions of a module in order. What an instruction does is read from its operands: `vmulps (%rdi),
//! %zmm0, %zmm1` is a load and a multiplication, `incl (%rdi)` a load and a store. So an instruction may count more than
//! once, and one that moves two registers counts twice.
//!
//! - [`mark`]: the loop of the kernel that an instruction is in
//! - `text`: the lines that a reader looks at
//! - `decode`: instructions as what they do, with a table for each family
//! - `frame`: which accesses of the stack are spills
//! - `loops`: the loops of a function
//! - `groups`: the vectors that instructions of RISC-V work on
//! - [`explain`]: instructions in words, with what they take
//! - `registers`: what instructions take and give
//! - [`critical`]: what a turn of a loop is estimated to take, and along which instructions
//! - [`hot`]: the loops that matter, and how many iterations of the source's they do

mod counts;
pub mod critical;
mod decode;
pub mod explain;
mod frame;
mod groups;
#[cfg(test)]
mod hand;
pub mod hot;
mod loops;
mod mark;
mod registers;
mod text;

use ir::Family;

pub use counts::{Counts, Kind};
pub use mark::Mark;
use text::{is_local, label_of, sections, shown, used_labels};

/// A line of a listing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// The text of the line: a label in column 0, or an instruction behind a tab.
    pub text: String,
    /// The source line that it came from.
    pub source_line: Option<u32>,
    /// The kind that the instruction is shown as; nothing for labels and data.
    pub kind: Option<Kind>,
    /// All that the instruction does.
    pub counts: Counts,
    /// The loop of the kernel that the instruction is in.
    pub mark: Option<Mark>,
    /// True if the line lies in a loop that has no loop inside.
    pub in_inner_loop: bool,
}

impl Line {
    /// True if the instruction divides one integer by another, without vectors.
    pub fn divides_one(&self) -> bool {
        const DIVISIONS: &[&str] = &[
            "idivb", "idivw", "idivl", "idivq", "divb", "divw", "divl", "divq", "sdiv", "udiv", "div", "divu", "divuw",
            "rem", "remu", "remw", "remuw",
        ];
        let name = self.text.split_whitespace().next().unwrap_or_default();
        self.kind == Some(Kind::Scalar) && DIVISIONS.contains(&name)
    }
}

/// The machine code of a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Function {
    /// The symbol of the function.
    pub name: String,
    /// The family of processors that it is for.
    pub family: Family,
    /// The lines of the function; the first is its label.
    pub lines: Vec<Line>,
    /// The loops that have no loop inside, in the order of their lines.
    pub inner_loops: Vec<InnerLoop>,
    /// The loops that have some inside.
    pub outer_loops: Vec<OuterLoop>,
}

/// A loop that has no loop inside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InnerLoop {
    /// The numbers of its lines in the function, from 0, which need not lie side by side.
    pub lines: Vec<usize>,
    /// The numbers of the lines that lead back to its start.
    pub ends: Vec<usize>,
}

/// A loop that has others inside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OuterLoop {
    /// The lines that are in none of the loops inside.
    pub own: InnerLoop,
    /// The numbers of the innermost loops inside.
    pub inside: Vec<usize>,
}

impl Function {
    /// True if the function is a kernel's own code, rather than an entry or helper that surrounds it.
    pub fn is_of(&self, kernel: &str) -> bool {
        match self.name.strip_prefix(kernel) {
            Some(suffix) => matches!(suffix, "" | ".sized"),
            None => false,
        }
    }

    /// Returns how often something of a kind is done; in inner loops only, if asked.
    pub fn count(&self, kind: Kind, in_inner_loops: bool) -> usize {
        let lines = self.lines.iter().filter(|line| line.in_inner_loop || !in_inner_loops);
        lines.map(|line| line.counts.of(kind)).sum()
    }
}

/// The assembly of a module.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Listing {
    /// Constants that instructions name, each label with what is there.
    pub constants: Vec<Line>,
    /// The functions, in the order of the text.
    pub functions: Vec<Function>,
}

/// Reads the assembly that LLVM writes.
pub fn listing(text: &str, family: Family) -> Listing {
    let lines = sections(text);
    let used = used_labels(&lines);
    let mut functions: Vec<Function> = Vec::new();
    let mut constants = Vec::new();
    // Constants lie under labels, and only those that code names are of interest.
    let mut of_interest = false;
    for raw in &lines {
        let label = label_of(raw.text);
        let used = label.is_none_or(|name| used.contains(&name));
        if label.is_some() && !raw.code {
            of_interest = used;
        }
        let source_line = raw.source_line.filter(|_| label.is_none());
        let mark = raw.mark.filter(|_| label.is_none());
        let text = shown(raw.text);
        let line = Line { text, source_line, kind: None, counts: Counts::default(), mark, in_inner_loop: false };
        match label {
            Some(name) if raw.code && !is_local(name) => {
                functions.push(Function {
                    name: name.to_owned(),
                    family,
                    lines: vec![line],
                    inner_loops: Vec::new(),
                    outer_loops: Vec::new(),
                });
            }
            _ if raw.code && used => {
                functions.last_mut().into_iter().for_each(|function| function.lines.push(line.clone()))
            }
            _ if !raw.code && of_interest => constants.push(line),
            _ => {}
        }
    }
    functions.iter_mut().for_each(|function| read(function, family));
    Listing { constants, functions }
}

/// Reads the instructions of a function: what they do, and which are in inner loops.
fn read(function: &mut Function, family: Family) {
    let (mut labels, mut code) = (Vec::new(), Vec::new());
    for line in &function.lines {
        let label = label_of(&line.text);
        labels.push(label);
        code.push(label.is_none().then(|| decode::decode(&line.text, family)));
    }
    let names: Vec<String> = (0..function.lines.len()).map(|number| format!("line {number}")).collect();
    let lines: Vec<&str> = function.lines.iter().map(|line| line.text.as_str()).collect();
    decode::find_flow(family, &lines, &names, &mut labels, &mut code);
    let counted = frame::counted(&code, decode::frame(family));
    let (inner_loops, outer_loops) = loops::loops(&labels, &code);
    for (line, (kind, counts)) in function.lines.iter_mut().zip(counted) {
        (line.kind, line.counts) = (kind, counts);
    }
    for at in inner_loops.iter().flat_map(|inner| &inner.lines) {
        function.lines[*at].in_inner_loop = true;
    }
    (function.inner_loops, function.outer_loops) = (inner_loops, outer_loops);
}

#[cfg(test)]
mod tests;
