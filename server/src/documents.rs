//! The known documents: those the client has open, with the client's text, and the rest of the workspace, as it is on disk.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use lane::tree::text::{ColumnUnit, LineColumn, LineIndex};
use lane::words::used_paths;
use queries::uses::file_named;
use report::{TextRange, TextSize};
use serde::Deserialize;
use tower_lsp::gen_lsp_types as lsp;
use tower_lsp::gen_lsp_types::{Position, Uri};

use crate::uris;

/// Normalised address of a document: equal for all spellings of one URI.
pub(crate) type Key = Arc<str>;

/// The language of a document, which says who answers about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    Lane,
    /// A source or header of ISPC's.
    Ispc,
    /// A list of commands, by which ISPC's files are compiled: nobody asks about it.
    Commands,
}

impl Language {
    /// The language of a file, by its name.
    pub(crate) fn of_path(path: &str) -> Language {
        match path {
            _ if queries::ispc::is_ispc(path) => Language::Ispc,
            _ if path.ends_with("/compile_commands.json") => Language::Commands,
            _ => Language::Lane,
        }
    }

    /// The language of a document that a client opens.
    pub(crate) fn of_opened(id: &str, path: &str) -> Language {
        if id == "ispc" { Language::Ispc } else { Language::of_path(path) }
    }
}

/// A version of a document, with its text.
#[derive(Debug)]
pub(crate) struct Document {
    pub(crate) key: Key,
    pub(crate) language: Language,
    /// Address of the document, as the client spells it.
    pub(crate) uri: Uri,
    /// The client's version number of this text; `None` for a document that is not open.
    pub(crate) version: Option<i32>,
    pub(crate) text: Arc<str>,
    lines: OnceLock<Arc<LineIndex>>,
    /// False if no line is known to start with `use`.
    may_use: bool,
    /// The documents that it uses.
    used: OnceLock<Box<[Key]>>,
}

impl Document {
    /// Creates a document from a file that is not open.
    pub(crate) fn closed(key: Key, uri: Uri, text: Arc<str>, language: Language) -> Document {
        let (lines, used) = Default::default();
        Document { key, language, uri, version: None, text, lines, may_use: true, used }
    }

    /// The line index of the text, computed on first use.
    pub(crate) fn lines(&self) -> &Arc<LineIndex> {
        self.lines.get_or_init(|| Arc::new(LineIndex::new(&self.text)))
    }

    /// The keys of the documents that its lines with `use` name, known or not, found without a parse on first use.
    pub(crate) fn used(&self) -> &[Key] {
        self.used.get_or_init(|| {
            if self.language != Language::Lane || !self.may_use || !has_use(&self.text) {
                return Box::default();
            }
            used_paths(&self.text).filter_map(|path| file_named(&self.key, path)).map(Key::from).collect()
        })
    }
}

/// Says whether a line of a text starts with `use`.
fn has_use(text: &str) -> bool {
    text.starts_with(USE) || text.contains(USE_LINE)
}

/// Says whether a line with `use` starts in a range of a text, or at its end. That is asked of what was typed, since to look through
/// a long text takes longer than all else that is done with a key before it is answered.
fn has_use_near(text: &str, range: Range<usize>) -> bool {
    let near = range.start.saturating_sub(USE_LINE.len())..(range.end + USE_LINE.len()).min(text.len());
    text.starts_with(USE) || text.as_bytes()[near].windows(USE_LINE.len()).any(|piece| piece == USE_LINE.as_bytes())
}

const USE: &str = "use ";
const USE_LINE: &str = "\nuse ";

/// An open document, which the client edits.
pub(crate) struct Buffer {
    pub(crate) uri: Uri,
    pub(crate) language: Language,
    pub(crate) version: i32,
    text: String,
    lines: LineIndex,
    /// False if no line starts with `use`.
    may_use: bool,
}

/// Part of an edit; without a range it replaces the whole text.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Change {
    pub(crate) range: Option<lsp::Range>,
    pub(crate) text: String,
}

impl Buffer {
    /// Creates the buffer of a document that the client opens.
    pub(crate) fn new(uri: Uri, language: Language, version: i32, text: String) -> Buffer {
        let lines = LineIndex::new(&text);
        let may_use = has_use(&text);
        Buffer { uri, language, version, text, lines, may_use }
    }

    /// Applies an edit: each part refers to the text that the parts before it produced.
    pub(crate) fn change(&mut self, version: i32, changes: Vec<Change>, unit: ColumnUnit) {
        self.version = version;
        for change in changes {
            match change.range {
                None => *self = Buffer::new(self.uri.clone(), self.language, version, change.text),
                Some(range) => {
                    let range = self.range(range, unit);
                    let bytes = Range::<usize>::from(range);
                    self.text.replace_range(bytes.clone(), &change.text);
                    self.lines.edit(range, TextSize::of(&*change.text), &self.text);
                    self.may_use |= has_use_near(&self.text, bytes.start..bytes.start + change.text.len());
                }
            }
        }
    }

    fn range(&self, range: lsp::Range, unit: ColumnUnit) -> TextRange {
        let offset = |at: Position| offset(&self.text, &self.lines, at, unit);
        let (start, end) = (offset(range.start), offset(range.end));
        TextRange::new(start.min(end), start.max(end))
    }

    /// The present version of the document.
    pub(crate) fn document(&self, key: Key, text: Arc<str>) -> Document {
        let lines = OnceLock::from(Arc::new(self.lines.clone()));
        let (uri, version, language) = (self.uri.clone(), Some(self.version), self.language);
        Document { key, language, uri, version, text, lines, may_use: self.may_use, used: OnceLock::new() }
    }

    /// Present text of the buffer.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }
}

/// Converts a position to an offset. A position outside the text is moved to the nearest one inside.
pub(crate) fn offset(text: &str, lines: &LineIndex, at: Position, unit: ColumnUnit) -> TextSize {
    lines.offset(text, LineColumn { line: at.line, column: at.character }, unit)
}

/// A snapshot of all known documents, in one version each.
#[derive(Debug, Clone, Default)]
pub(crate) struct Documents {
    by_key: HashMap<Key, Arc<Document>>,
}

impl Documents {
    /// Looks a document up by its address.
    pub(crate) fn get(&self, uri: &Uri) -> Option<&Arc<Document>> {
        self.by_key.get(&*uris::key(uri))
    }

    /// Looks a document up by its key.
    pub(crate) fn by_key(&self, key: &str) -> Option<&Arc<Document>> {
        self.by_key.get(key)
    }

    /// Inserts a document, replacing the one with the same key.
    pub(crate) fn set(&mut self, document: Document) {
        self.by_key.insert(document.key.clone(), Arc::new(document));
    }

    /// Removes a document.
    pub(crate) fn remove(&mut self, key: &str) {
        self.by_key.remove(key);
    }

    /// All documents, sorted by key.
    pub(crate) fn sorted(&self) -> Vec<&Arc<Document>> {
        let mut all: Vec<_> = self.by_key.values().collect();
        all.sort_by(|a, b| a.key.cmp(&b.key));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_an_edit_build_on_each_other_in_every_unit() {
        for (unit, smile) in [(ColumnUnit::Utf8, 4), (ColumnUnit::Utf16, 2), (ColumnUnit::Utf32, 1)] {
            let mut buffer = Buffer::new(Uri::from("file:///a.lane"), Language::Lane, 1, "a😀b\r\nc".to_owned());
            let at = |line, character| Position { line, character };
            let part =
                |start, end, text: &str| Change { range: Some(lsp::Range { start, end }), text: text.to_owned() };
            // Positions behind the end of the text, behind the end of a line, and a range whose ends are swapped.
            let changes = vec![
                part(at(0, 1 + smile), at(0, 2 + smile), "x\n"),
                part(at(9, 9), at(9, 9), "!"),
                part(at(0, 99), at(0, 1), "?"),
            ];
            buffer.change(2, changes, unit);
            assert_eq!(buffer.text(), "a?\n\r\nc!", "{unit:?}");
            assert_eq!(buffer.lines, LineIndex::new(buffer.text()));
            assert!(!buffer.may_use);
            buffer.change(3, vec![Change { range: None, text: "new".to_owned() }], unit);
            assert_eq!((buffer.text(), buffer.version), ("new", 3));
        }
    }

    #[test]
    fn a_line_with_use_is_found_wherever_it_is_completed() {
        let used_after = |text: &str, (line, character): (u32, u32), typed: &str| {
            let mut buffer = Buffer::new(Uri::from("file:///a.lane"), Language::Lane, 1, text.to_owned());
            let at = Position { line, character };
            let change = Change { range: Some(lsp::Range { start: at, end: at }), text: typed.to_owned() };
            buffer.change(2, vec![change], ColumnUnit::Utf8);
            let text = Arc::from(buffer.text());
            buffer.document("file:///a.lane".into(), text).used().iter().map(|key| key.to_string()).collect::<Vec<_>>()
        };
        let b = ["file:///b.lane"];
        assert_eq!(used_after("\n\nus b\n", (2, 2), "e"), b);
        assert_eq!(used_after("\n\nuseb\n", (2, 3), " "), b);
        assert_eq!(used_after("\n\nse b\n", (2, 0), "u"), b);
        assert_eq!(used_after("#use b\n", (0, 1), "\n"), b);
        assert_eq!(used_after("us b", (0, 2), "e"), b);
        assert_eq!(used_after("use b", (0, 5), "c"), ["file:///bc.lane"]);
        assert!(used_after("#use b\n", (0, 0), "\n").is_empty());
    }
}
