//! A moment: one version of every document, and all that is known of them. Every answer is about one moment.

use std::cell::Cell;
use std::sync::Arc;

use analysis::stages::{Options, target};
use analysis::text::{ColumnUnit, LineColumn};
use analysis::{CancellationToken, Cancelled, Database, File, Snapshot, TextEdit, TextRange, TextSize, prelude};
use serde::Serialize;
use tower_lsp::gen_lsp_types::{self as lsp, Position, Range, Uri};
use tower_lsp::jsonrpc::{Error, Result};

use crate::client::{Outbox, Profile};
use crate::config::{self, Config};
use crate::documents::{self, Document, Documents};
use crate::door::NativeViews;
use crate::memory::Memory;
use crate::progress::Progress;
use crate::uris;

/// What goes with the facts: the documents that they are about, and what the client is and wants.
#[derive(Clone)]
pub(crate) struct World {
    pub(crate) documents: Documents,
    pub(crate) profile: Arc<Profile>,
    pub(crate) config: Arc<Config>,
    pub(crate) memory: Arc<Memory>,
    pub(crate) native: Arc<dyn NativeViews>,
    pub(crate) outbox: Outbox,
}

impl World {
    /// What things are made for, for the target of a name.
    pub(crate) fn made_for(&self, name: &str) -> Option<Options> {
        let target = match name {
            config::NATIVE => Some(self.native.machine()),
            name => target::find(name),
        };
        target.map(|target| Options { target, ..Options::default() })
    }
}

#[cfg(test)]
impl World {
    /// One without documents, and a client that can do nothing.
    pub(crate) fn for_tests() -> World {
        World {
            documents: Documents::default(),
            profile: Arc::new(Profile::new(&Default::default())),
            config: Arc::default(),
            memory: Arc::default(),
            native: Arc::new(crate::door::NoNativeViews),
            outbox: Outbox::new(crate::transport::Writer::new().0).0,
        }
    }
}

/// The facts of one moment.
pub(crate) struct Moment<'a> {
    snapshot: Snapshot,
    world: &'a World,
    progress: Arc<Progress>,
}

impl<'a> Moment<'a> {
    /// The facts and what goes with them.
    pub(crate) fn new(snapshot: Snapshot, world: &'a World) -> Moment<'a> {
        Moment { snapshot, world, progress: Arc::default() }
    }

    /// The same, for a question that tells how far it has come.
    pub(crate) fn followed(self, progress: Arc<Progress>) -> Moment<'a> {
        Moment { progress, ..self }
    }

    /// Says that `done` of `all` steps to the answer are done, if the client wants to know.
    pub(crate) fn report(&self, title: &str, done: usize, all: usize) {
        self.progress.report(&self.world.outbox, title, done, all);
    }

    /// Tells a part of the answer; `false` if the client wants it whole.
    pub(crate) fn tell_part(&self, part: &impl Serialize) -> bool {
        self.progress.tell_part(&self.world.outbox, part)
    }

    /// The database, for questions.
    pub(crate) fn db(&self) -> &Database {
        self.snapshot.db()
    }

    /// The documents, the client, its wishes.
    pub(crate) fn world(&self) -> &'a World {
        self.world
    }

    /// The file that the database has under a name.
    #[cfg(test)]
    pub(crate) fn file(&self, name: &str) -> Option<File> {
        self.snapshot.file(name)
    }

    /// What the client can do.
    pub(crate) fn profile(&self) -> &'a Profile {
        &self.world.profile
    }

    /// What the user wants.
    pub(crate) fn config(&self) -> &'a Config {
        &self.world.config
    }

    /// What things are made for: the target of that name, else the one that the user has set. `Err` names those there are.
    pub(crate) fn made_for(&self, target: Option<&str>) -> Result<Options> {
        self.world.made_for(target.unwrap_or(&self.config().target)).ok_or_else(|| {
            let names = target::names().join(", ");
            Error::invalid_params(format!("no such target; there are {}, {names}", config::NATIVE))
        })
    }

    /// Stops what is asked of this moment.
    pub(crate) fn cancellation_token(&self) -> CancellationToken {
        self.snapshot.cancellation_token()
    }

    /// Asks something; `Err` when an edit, or the token, stopped it.
    pub(crate) fn catch<T>(&self, ask: impl FnOnce() -> T) -> std::result::Result<T, Cancelled> {
        let ask = std::panic::AssertUnwindSafe(ask);
        self.snapshot.catch(move |_| {
            let ask = ask;
            (ask.0)()
        })
    }

    /// The document of an address.
    pub(crate) fn document(&self, uri: &Uri) -> Result<Place<'_>> {
        let unknown = || Error::invalid_params(format!("no such document: {}", uri.0));
        if let Some(prelude) = self.world.memory.known_prelude(&uris::key(uri)) {
            return Ok(self.of_prelude(prelude));
        }
        let document = self.world.documents.get(uri).ok_or_else(unknown)?;
        self.place(document).ok_or_else(unknown)
    }

    /// The prelude, as a document that nobody edits.
    pub(crate) fn prelude(&self) -> Option<Place<'_>> {
        let document = self.world.memory.prelude(self.world.profile.text_document_content)?;
        Some(self.of_prelude(document))
    }

    fn of_prelude(&self, document: &'a Arc<Document>) -> Place<'_> {
        Place::new(prelude::file(self.db()), document, self.world.profile.unit)
    }

    /// All documents, sorted.
    pub(crate) fn documents(&self) -> Vec<Place<'_>> {
        self.world.documents.sorted().into_iter().filter_map(|document| self.place(document)).collect()
    }

    fn place(&self, document: &'a Arc<Document>) -> Option<Place<'_>> {
        let file = self.snapshot.file(&document.key)?;
        Some(Place::new(file, document, self.world.profile.unit))
    }
}

/// A document, with the way from its offsets to the client's positions and back.
pub(crate) struct Place<'a> {
    /// The same in the database.
    pub(crate) file: File,
    pub(crate) document: &'a Arc<Document>,
    unit: ColumnUnit,
    /// The position that was asked for last. Offsets mostly come in order, and a line may be a megabyte long.
    last: Cell<(TextSize, LineColumn)>,
}

impl<'a> Place<'a> {
    /// A document, in a database and in the units of a client.
    pub(crate) fn new(file: File, document: &'a Arc<Document>, unit: ColumnUnit) -> Place<'a> {
        let start = (TextSize::new(0), LineColumn { line: 0, column: 0 });
        Place { file, document, unit, last: Cell::new(start) }
    }
}

impl Place<'_> {
    /// Its text.
    pub(crate) fn text(&self) -> &str {
        &self.document.text
    }

    /// Its address.
    pub(crate) fn uri(&self) -> Uri {
        self.document.uri.clone()
    }

    /// The offset of a position; one that is not there is the nearest that is.
    pub(crate) fn offset(&self, at: Position) -> TextSize {
        documents::offset(self.text(), self.document.lines(), at, self.unit)
    }

    /// The range between two positions.
    pub(crate) fn text_range(&self, range: Range) -> TextRange {
        let (start, end) = (self.offset(range.start), self.offset(range.end));
        TextRange::new(start.min(end), start.max(end))
    }

    /// The position of an offset.
    pub(crate) fn position(&self, offset: TextSize) -> Position {
        let (from, known) = self.last.get();
        let line = self.document.lines().line(offset);
        let at = if line == known.line && offset >= from {
            let between = &self.text()[TextRange::new(from, offset)];
            LineColumn { line, column: known.column + self.width(between) }
        } else {
            let before = TextRange::new(self.document.lines().line_range(line).start(), offset);
            LineColumn { line, column: self.width(&self.text()[before]) }
        };
        self.last.set((offset, at));
        Position { line: at.line, character: at.column }
    }

    /// How many columns a text is wide.
    pub(crate) fn width(&self, text: &str) -> u32 {
        let width = match self.unit {
            ColumnUnit::Utf8 => text.len(),
            ColumnUnit::Utf16 => text.chars().map(char::len_utf16).sum(),
            ColumnUnit::Utf32 => text.chars().count(),
        };
        width as u32
    }

    /// The positions of a range's ends.
    pub(crate) fn range(&self, range: TextRange) -> Range {
        Range { start: self.position(range.start()), end: self.position(range.end()) }
    }

    /// A range of this document, with its address.
    pub(crate) fn location(&self, range: TextRange) -> lsp::Location {
        lsp::Location { uri: self.uri(), range: self.range(range) }
    }

    /// An edit, for the client.
    pub(crate) fn edit(&self, edit: &TextEdit) -> lsp::TextEdit {
        lsp::TextEdit { range: self.range(edit.range), new_text: edit.text.clone() }
    }

    /// Edits, for the client.
    pub(crate) fn edits(&self, edits: &[TextEdit]) -> Vec<lsp::TextEdit> {
        edits.iter().map(|edit| self.edit(edit)).collect()
    }
}
