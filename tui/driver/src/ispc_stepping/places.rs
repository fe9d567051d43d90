//! The lines of the source and of the text that ops came from, and the places of a run as a step by lines tells them apart.

use std::collections::{BTreeSet, HashMap};

use ispc::unit::FileId;
use ispc_ir::module::{GangInst, GangModule, TextPlace};
use ispc_ir::op::GangOp;
use ispc_ir::print::{OpLines, print_lines};
use ispc_ir::walk::each_inst;
use report::{TextRange, TextSize};
use syntax::text::LineIndex;

/// The places of a program's ops.
pub(super) struct RunPlaces<'l> {
    /// The text of the file itself.
    pub(super) source: &'l str,
    pub(super) index: LineIndex,
    /// The program as text, line by line.
    pub(super) text: Vec<String>,
    /// The line of that text that each op begins on.
    ops: OpLines<'l>,
    /// The line of the source that each place is in.
    lines: HashMap<TextPlace, u32>,
    reached: BTreeSet<u32>,
    /// The places of ops at the entry of functions: those of the first ops behind.
    entries: HashMap<*const GangInst, TextPlace>,
}

impl<'l> RunPlaces<'l> {
    /// Finds the places of all ops of a program.
    pub(super) fn of(module: &'l GangModule, source: &'l str) -> RunPlaces<'l> {
        let index = LineIndex::new(source);
        let (mut lines, mut entries) = (HashMap::new(), HashMap::new());
        for function in &module.functions {
            // Addresses of variables are taken at the entry, whatever line declares them.
            let is_entry = |inst: &&GangInst| matches!(inst.op, GangOp::Slot(_));
            if let Some(first) = function.body.iter().find(|inst| !is_entry(inst)) {
                let before = function.body.iter().take_while(is_entry);
                entries.extend(before.map(|inst| (std::ptr::from_ref(inst), first.place)));
            }
            each_inst(&function.body, &mut |inst| {
                if let Some(range) = own_range(inst.place).filter(|_| !is_entry(&inst)) {
                    lines.insert(inst.place, index.line(range.start()));
                }
            });
        }
        RunPlaces {
            source,
            index,
            text: print_lines(module).into_iter().map(|(line, _)| line).collect(),
            ops: OpLines::of(module),
            reached: lines.values().copied().collect(),
            lines,
            entries,
        }
    }

    /// The place of an op.
    pub(super) fn place(&self, op: &GangInst) -> TextPlace {
        self.entries.get(&std::ptr::from_ref(op)).copied().unwrap_or(op.place)
    }

    /// The line of the source that an op came from, if that is the file's own.
    pub(super) fn line(&self, op: &GangInst) -> Option<u32> {
        self.lines.get(&self.place(op)).copied()
    }

    /// The line of the program's text that an op begins on.
    pub(super) fn text_line(&self, op: &'l GangInst) -> Option<usize> {
        self.ops.line(op)
    }

    /// The first line, from this one on, from which something came.
    pub(super) fn next_reached(&self, line: u32) -> Option<u32> {
        self.reached.range(line..).next().copied()
    }
}

/// The range of a place in the file itself.
pub(super) fn own_range(place: TextPlace) -> Option<TextRange> {
    let is_own = place.file == FileId::MAIN.0 && place.start < place.end;
    is_own.then(|| TextRange::new(TextSize::new(place.start), TextSize::new(place.end)))
}

/// A place of a run as far as a step by lines tells places apart.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct RunPosition {
    /// The number of calls in each other.
    pub(super) n_calls: usize,
    pub(super) line: u32,
    /// The rounds of the loops around.
    pub(super) rounds: Vec<u64>,
}

impl RunPosition {
    /// Returns true if a step by lines that began at another place ends here: in the same function or a caller, and on another line or
    /// in another round.
    pub(super) fn follows(&self, from: Option<&RunPosition>) -> bool {
        from.is_none_or(|from| self.n_calls <= from.n_calls && self != from)
    }
}
