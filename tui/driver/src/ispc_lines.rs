//! The lines of ISPC's files, as debug information and listings of machine code name them.

use std::cell::RefCell;
use std::collections::HashMap;

use ispc::unit::{FileId, Unit};
use ispc_ir::module::TextPlace;
use ispc_native::debug::{DebugLine, DebugLines};
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
        Some(DebugLine { file: file.clone(), line: line + 1, column: u16::try_from(column).unwrap_or(0) })
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
    listed: RefCell<LineNumbers>,
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
        ListedLines { lines: FileLines::of(unit), listed: RefCell::default() }
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
        Some(DebugLine { file: "listing".to_owned(), line: number, column: 0 })
    }
}
