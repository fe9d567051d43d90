//! The lines of ISPC's files, as debug information and listings of machine code name them.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;

use ispc::tree::{NodeData, NodeKind};
use ispc::unit::{FileId, Unit};
use ispc_ir::module::TextPlace;
use ispc_native::debug::{DebugLine, DebugLines};
use native::asm::Function;
use native::asm::hot::{Hot, MarkedLoop, marked_hot_loops};
use report::TextSize;
use syntax::text::LineIndex;

/// The files of a unit, with their lines.
pub struct FileLines {
    files: Vec<Option<(String, LineIndex)>>,
}

impl FileLines {
    /// The lines of a unit's files.
    pub fn of(unit: &Unit) -> FileLines {
        let files = unit.files.iter().enumerate().map(|(number, file)| {
            let is_text = !matches!(FileId(number as u16), FileId::PREDEFINED | FileId::MADE);
            is_text.then(|| (file.file.path.to_string(), LineIndex::new(&file.file.text)))
        });
        FileLines { files: files.collect() }
    }
}

impl DebugLines for FileLines {
    fn line(&self, place: TextPlace) -> Option<DebugLine> {
        let (file, lines) = self.files.get(usize::from(place.file))?.as_ref()?;
        let offset = TextSize::new(place.start);
        let line = lines.line(offset);
        let column = u32::from(offset - lines.line_range(line).start()) + 1;
        Some(DebugLine {
            file: file.clone(),
            line: line + 1,
            column: u16::try_from(column).unwrap_or(0),
            loop_number: None,
        })
    }
}

/// A line of a file of a unit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ListedLine {
    /// The number of the file in its unit.
    pub file: u16,
    /// The file's path.
    pub path: String,
    /// The line, from 1.
    pub line: u32,
}

/// The lines that a listing names. LLVM's assembly has one number for each instruction, and instructions come from several files: so
/// the number is that of a file's line in a list.
pub struct ListedLines {
    lines: FileLines,
    loops: Vec<SourceLoop>,
    listed: RefCell<LineNumbers>,
}

/// A loop in the text of a unit's own file. Its number is its index among all of them, in the order of their ends.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SourceLoop {
    /// The text of the statement.
    pub range: Range<u32>,
    /// The line that it begins on, from 1.
    pub line: u32,
    /// True if each lane has iterations of its own.
    pub is_of_lanes: bool,
}

/// The loops in the text of a unit's own file.
pub fn source_loops(unit: &Unit) -> Vec<SourceLoop> {
    let lines = LineIndex::new(unit.text(FileId::MAIN));
    let of_node = |node: &NodeData| {
        let is_of_lanes = match node.kind {
            NodeKind::Foreach | NodeKind::ForeachTiled => true,
            NodeKind::For | NodeKind::Cfor | NodeKind::While | NodeKind::Cwhile | NodeKind::Do | NodeKind::Cdo => false,
            NodeKind::ForeachActive | NodeKind::ForeachUnique => false,
            _ => return None,
        };
        let place = unit.place_of(node.first..node.end).filter(|place| place.file == FileId::MAIN)?;
        let line = lines.line(TextSize::new(place.start)) + 1;
        Some(SourceLoop { range: place.start..place.end, line, is_of_lanes })
    };
    unit.tree.nodes.iter().filter_map(of_node).collect()
}

/// The hot loops of a function of machine code that was made with [`ListedLines`]. A turn of a `foreach` does an iteration in each lane,
/// and one of another loop is an iteration of all lanes.
pub fn hot_loops(function: &Function, loops: &[SourceLoop], lanes: u32) -> Vec<Hot> {
    let marked =
        loops.iter().map(|it| MarkedLoop { line: it.line, iterations: if it.is_of_lanes { lanes.into() } else { 1 } });
    marked_hot_loops(function, &marked.collect::<Vec<_>>())
}

/// The lines in the order of their numbers, and the number of each, by file and line.
#[derive(Default)]
struct LineNumbers {
    all: Vec<ListedLine>,
    numbers: HashMap<(u16, u32), u32>,
}

impl ListedLines {
    /// The lines of a unit's files.
    pub fn of(unit: &Unit) -> ListedLines {
        ListedLines { lines: FileLines::of(unit), loops: source_loops(unit), listed: RefCell::default() }
    }

    /// The lines that were named, by their numbers less one.
    pub fn listed(&self) -> Vec<ListedLine> {
        self.listed.borrow().all.clone()
    }
}

impl DebugLines for ListedLines {
    fn line(&self, place: TextPlace) -> Option<DebugLine> {
        let DebugLine { file: path, line, .. } = self.lines.line(place)?;
        let mut listed = self.listed.borrow_mut();
        let LineNumbers { all, numbers } = &mut *listed;
        let number = *numbers.entry((place.file, line)).or_insert_with(|| {
            all.push(ListedLine { file: place.file, path, line });
            all.len() as u32
        });
        let around = |it: &&SourceLoop| place.file == FileId::MAIN.0 && it.range.contains(&place.start);
        // An inner loop ends in front of those around it.
        let loop_number = self.loops.iter().position(|it| around(&it)).map(|number| number as u32);
        Some(DebugLine { file: "listing".to_owned(), line: number, column: 0, loop_number })
    }

    fn marks_loops(&self) -> bool {
        true
    }
}
