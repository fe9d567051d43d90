//! A document: a text with its items, findings and line index.

use std::sync::Arc;

use queries::check;
use queries::db::{Database, File};
use queries::db::{Item, file_items, parse, promised_for};
use queries::stages::Options;
use queries::templates;
use queries::uses::Surroundings;
use report::{Diagnostic, ItemKind, SourcePosition, TextRange, TextSize};
use syntax::SyntaxNode;
use syntax::text::LineIndex;

use crate::spelling::did_you_mean;
use crate::used_files::{place_of, read_used};

/// A text that was read, and its analysis.
pub struct Document {
    /// Name in outputs: the path as it was given, or `<stdin>`.
    pub name: String,
    /// Source text, as it was read.
    pub text: String,
    db: Database,
    file: File,
    lines: LineIndex,
    columns: Columns,
}

impl Document {
    /// Creates a document and its analysis database. The files that it uses are read from where it stands, as its name tells.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Document {
        let name = name.into();
        let place = place_of(&name);
        let mut document = Document::at(name, text, &place);
        read_used(&mut document.db, document.file);
        document
    }

    /// Creates a document among files that were read before.
    pub fn among(name: impl Into<String>, text: impl Into<String>, around: &Surroundings) -> Document {
        let mut document = Document::at(name, text, &around.name);
        for (name, text) in &around.used {
            let _ = document.db.add_file(name, text.clone());
        }
        document
    }

    /// Returns the place of the document and the files that it uses.
    pub fn around(&self) -> Surroundings {
        Surroundings::of(&self.db, self.file)
    }

    fn at(name: impl Into<String>, text: impl Into<String>, place: &str) -> Document {
        let text = text.into();
        let mut db = Database::default();
        let file = db.add_file(place, Arc::from(text.as_str()));
        let (lines, columns) = (LineIndex::new(&text), Columns::new(&text));
        Document { name: name.into(), db, file, lines, columns, text }
    }

    /// Sets the targets of the document: facts are those of the first, and promises are judged for all.
    pub fn made_for(mut self, all: &[Options]) -> Document {
        self.db.set_made_for(all);
        self
    }

    /// Returns the targets that promises are judged for.
    pub fn promised_for(&self) -> Arc<[Options]> {
        promised_for(&self.db)
    }

    /// Returns the database of the analysis.
    pub fn db(&self) -> &Database {
        &self.db
    }

    /// Returns the file, as the key for queries about the whole text.
    pub fn file(&self) -> File {
        self.file
    }

    /// Returns the items of the file, in order.
    pub fn items(&self) -> &[Item<'_>] {
        file_items(&self.db, self.file)
    }

    /// Returns the kernel of a name, or the only one. `way_out` says how to name one: "say which with `--kernel`".
    pub fn kernel(&self, name: Option<&str>, way_out: &str) -> Result<Item<'_>, String> {
        let kernels = self.kernels();
        let names: Vec<&str> = kernels.iter().map(|item| -> &str { item.name(&self.db) }).collect();
        match (name, &kernels[..]) {
            (Some(name), _) => match names.iter().position(|other| *other == name) {
                Some(n) => Ok(kernels[n]),
                None => self.kernel_named(name),
            },
            (None, [only]) => Ok(*only),
            (None, []) => Err(self.no_kernel()),
            (None, _) => Err(format!("{}: {way_out}: {}", self.name, names.join(", "))),
        }
    }

    const ONLY_TEMPLATES: &str = "no instance of a kernel is named in this file; `kernel blur3 = blur[3]` names one";

    /// The kernels that can be built: instances that the file names among them.
    pub fn kernels(&self) -> Vec<Item<'_>> {
        queries::kernels(&self.db, self.file)
    }

    /// The file has kernels with constant or type parameters that need arguments.
    fn has_templates(&self) -> bool {
        let is_one = |item: &Item<'_>| item.kind(&self.db) == ItemKind::Kernel && !templates::is_whole(&self.db, *item);
        self.items().iter().any(is_one)
    }

    /// Returns the kernel of a name, which may give arguments in brackets: `blur[R=3]`.
    pub fn kernel_named(&self, name: &str) -> Result<Item<'_>, String> {
        templates::kernel_named(&self.db, self.file, name).map_err(|why| {
            let kernels = self.kernels();
            let names: Vec<&str> = kernels.iter().map(|item| -> &str { item.name(&self.db) }).collect();
            let meant = did_you_mean(name, &names);
            let why = why.unwrap_or_else(|| format!("there is no kernel `{name}` in this file{meant}"));
            format!("{}: {why}", self.name)
        })
    }

    /// The sentence about a file without a kernel to build.
    pub fn no_kernel(&self) -> String {
        match self.has_templates() {
            true => format!("{}: {}", self.name, Document::ONLY_TEMPLATES),
            false => format!("{}: there is no kernel in this file", self.name),
        }
    }

    /// Returns the tree of an item, whose ranges are relative to the start of the item.
    pub fn tree(&self, item: Item<'_>) -> SyntaxNode {
        SyntaxNode::new_root(parse(&self.db, item).green.clone())
    }

    /// Returns the tree of the whole text.
    pub fn syntax(&self) -> SyntaxNode {
        syntax::join(self.items().iter().map(|&item| parse(&self.db, item).green.clone()))
    }

    /// Returns the offset of an item.
    pub fn start(&self, item: Item<'_>) -> TextSize {
        check::start_of(&self.db, item).unwrap_or_default()
    }

    /// Returns all findings, sorted by position.
    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        check::diagnostics(&self.db, self.file)
    }

    /// Returns the findings about some items, sorted by position.
    pub fn diagnostics_of(&self, items: &[Item<'_>]) -> Vec<Diagnostic> {
        let of_item = |&item: &Item<'_>| check::item_diagnostics(&self.db, item, self.start(item));
        let mut diagnostics: Vec<_> = items.iter().flat_map(of_item).collect();
        diagnostics.sort_by_key(|diagnostic| (diagnostic.range.start(), diagnostic.range.end()));
        // Several instances of one function may have one mistake.
        diagnostics.dedup();
        diagnostics
    }

    /// Returns the findings about kernels that are left out of what is built, since no instance of them is named.
    pub fn without_instance(&self) -> Vec<Diagnostic> {
        let open: Vec<_> = self.items().iter().copied().filter(|item| templates::is_open(&self.db, *item)).collect();
        let mut found = self.diagnostics_of(&open);
        found.retain(|diagnostic| diagnostic.code == report::ReportCode::from(hir::errors::CheckCode::NoInstance));
        found
    }

    /// Returns the index of line starts.
    pub fn lines(&self) -> &LineIndex {
        &self.lines
    }

    /// Converts an offset to line and column.
    pub fn place(&self, offset: TextSize) -> SourcePosition {
        let line = self.lines.line(offset);
        let start = self.lines.line_range(line).start();
        let column = self.columns.n_before(&self.text, offset) - self.columns.n_before(&self.text, start);
        // Editors do not show a byte order mark, so it is no column.
        let mark = line == 0 && column > 0 && self.text.starts_with('\u{feff}');
        SourcePosition { line: line + 1, column: column + 1 - u32::from(mark) }
    }

    /// Converts the start and end of a range.
    pub fn places(&self, range: TextRange) -> (SourcePosition, SourcePosition) {
        (self.place(range.start()), self.place(range.end()))
    }
}

/// An index from offsets to numbers of scalar values. Counting from the start of the line would be quadratic: a line
/// may have a megabyte, and a finding at every word.
struct Columns {
    /// The number of scalar values before each multiple of `BLOCK` bytes.
    before_block: Vec<u32>,
}

impl Columns {
    const BLOCK: usize = 1024;

    fn new(text: &str) -> Columns {
        let mut n_before = 0;
        let mut before_block = vec![0];
        for block in text.as_bytes().chunks(Columns::BLOCK) {
            n_before += n_scalars(block);
            before_block.push(n_before);
        }
        Columns { before_block }
    }

    fn n_before(&self, text: &str, offset: TextSize) -> u32 {
        let offset = usize::from(offset).min(text.len());
        let block = offset / Columns::BLOCK;
        self.before_block[block] + n_scalars(&text.as_bytes()[block * Columns::BLOCK..offset])
    }
}

/// Counts scalar values: each has exactly one byte that is not a continuation byte.
fn n_scalars(bytes: &[u8]) -> u32 {
    bytes.iter().filter(|&&byte| byte & 0xc0 != 0x80).count() as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use syntax::text::ColumnUnit;

    #[test]
    fn a_byte_order_mark_is_no_column() {
        let document = Document::new("a.lane", "\u{feff}const N = 4\nconst M = 1\n".to_owned());
        let place = |offset: u32| {
            let place = document.place(TextSize::new(offset));
            (place.line, place.column)
        };
        assert_eq!([place(0), place(3), place(4), place(15)], [(1, 1), (1, 1), (1, 2), (2, 1)]);
    }

    #[test]
    fn places_are_those_of_the_line_index() {
        let text = "é😀 = 1\r\n\tx\ry\n".repeat(200) + &"é".repeat(3000);
        let document = Document::new("a.lane", text.clone());
        for (offset, _) in text.char_indices().chain([(text.len(), ' ')]) {
            let offset = TextSize::new(offset as u32);
            let expected = document.lines().line_column(&text, offset, ColumnUnit::Utf32);
            let place = document.place(offset);
            assert_eq!((place.line, place.column), (expected.line + 1, expected.column + 1), "{offset:?}");
        }
    }
}
