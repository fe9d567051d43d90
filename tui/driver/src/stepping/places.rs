//! The lines of the source and of the stage's text that ops came from.

use std::collections::HashMap;

use crate::document::Document;
use queries::db::Item;
use queries::stepping::{self, Kernel, Op, Origin};
use queries::surface::ColumnUnit;
use report::TextRange;

/// A range of the source by lines and columns, both from 0, columns in UTF-16 code units.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lines {
    /// First line.
    pub line: u32,
    /// First column, in the first line.
    pub column: u32,
    /// Last line.
    pub end_line: u32,
    /// Column behind the range, in the last line.
    pub end_column: u32,
}

/// A place in a kernel, or in a function that is called there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// The name of the kernel or function.
    pub item: String,
    /// The place in it.
    pub at: Lines,
    /// The same place as a range of the text.
    pub range: TextRange,
    /// The call by which it was entered; `None` for the kernel.
    pub call: Option<Origin>,
}

/// The places of a kernel's ops.
pub struct Places {
    /// For each op that the kernel has: its place, and the calls that led there, innermost first.
    calls: HashMap<Op, Vec<Call>>,
    /// The text of the stage, line by line.
    pub text: Vec<String>,
    /// For each line of that text, the ops that are written on it.
    ops: Vec<Vec<Op>>,
    /// For each op, the number of its line in that text, from 0.
    lines: HashMap<Op, usize>,
    /// The lines of the source that ops came from, sorted.
    reached: Vec<u32>,
}

impl Places {
    /// Finds the places of all ops of a kernel.
    pub fn of(document: &Document, item: Item<'_>, kernel: &Kernel) -> Places {
        let printed = stepping::print(kernel);
        let mut places = Places {
            calls: HashMap::new(),
            text: printed.text.lines().map(str::to_owned).collect(),
            ops: printed.lines,
            lines: HashMap::new(),
            reached: Vec::new(),
        };
        let mut known: HashMap<Origin, Vec<Call>> = HashMap::new();
        for (line, ops) in places.ops.iter().enumerate() {
            for &op in ops {
                places.lines.insert(op, line);
                let origin = kernel.ops[op].origin;
                // What belongs to the kernel as a whole is no line of it.
                if origin == kernel.whole() {
                    continue;
                }
                let calls = known.entry(origin).or_insert_with(|| calls(document, item, kernel, origin));
                places.calls.insert(op, calls.clone());
            }
        }
        places.reached = places.calls.values().flatten().map(|call| call.at.line).collect();
        places.reached.sort_unstable();
        places.reached.dedup();
        places
    }

    /// The place of an op and the calls that led there, innermost first; empty if it came from no line.
    pub fn calls(&self, op: Op) -> &[Call] {
        self.calls.get(&op).map_or(&[], Vec::as_slice)
    }

    /// The line of the source that an op came from.
    pub fn line(&self, op: Op) -> Option<u32> {
        self.calls(op).first().map(|call| call.at.line)
    }

    /// The line of the stage's text that an op is written on, from 0.
    pub fn line_in_text(&self, op: Op) -> Option<usize> {
        self.lines.get(&op).copied()
    }

    /// The ops on a line of the stage's text.
    pub fn ops_of_line(&self, line: usize) -> &[Op] {
        self.ops.get(line).map_or(&[], Vec::as_slice)
    }

    /// The line of the stage's text that an op is the first of to run.
    pub fn starts_text_line(&self, op: Op) -> Option<usize> {
        // Operands stand behind the op that they are written in, and are computed before it.
        self.line_in_text(op).filter(|line| self.ops_of_line(*line).last() == Some(&op))
    }

    /// The first line from this one on that an op came from.
    pub fn next_reached(&self, line: u32) -> Option<u32> {
        let n = self.reached.partition_point(|&reached| reached < line);
        self.reached.get(n).copied()
    }

    /// The last line that an op came from.
    pub fn last_reached(&self) -> Option<u32> {
        self.reached.last().copied()
    }

    /// The lines that ops came from, within these bounds.
    pub fn reached(&self, from: u32, to: u32) -> impl Iterator<Item = u32> {
        self.reached.iter().copied().filter(move |line| (from..=to).contains(line))
    }
}

fn calls(document: &Document, item: Item<'_>, kernel: &Kernel, origin: Origin) -> Vec<Call> {
    let places = stepping::calls(document.db(), item, kernel, origin);
    places
        .into_iter()
        .map(|place| Call { item: place.item, at: lines(document, place.range), range: place.range, call: place.call })
        .collect()
}

fn lines(document: &Document, range: TextRange) -> Lines {
    let place = |offset| document.lines().line_column(&document.text, offset, ColumnUnit::Utf16);
    let (start, end) = (place(range.start()), place(range.end()));
    Lines { line: start.line, column: start.column, end_line: end.line, end_column: end.column }
}
