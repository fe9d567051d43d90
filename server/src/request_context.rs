//! The request context: one version of every document, with the facts about them. Every answer is computed from one context.

use std::cell::Cell;
use std::path::PathBuf;
use std::sync::Arc;

use lane::tree::text::{ColumnUnit, LineColumn};
use queries::db::{Database, File};
use queries::host::Snapshot;
use queries::stages::{Options, target};
use queries::{CancellationToken, Cancelled, prelude};
use report::{TextEdit, TextRange, TextSize};
use serde::Serialize;
use tower_lsp::gen_lsp_types::{self as lsp, Position, Range, Uri};
use tower_lsp::jsonrpc::{Error, Result};

use crate::client::{Outbox, Profile};
use crate::config::{self, Config};
use crate::documents::{self, Document, Documents, Key, Language};
use crate::machine_views::NativeViews;
use crate::memory::Memory;
use crate::progress::Progress;
use crate::question::Question;
use crate::uris;

/// State that goes with the facts: the documents, the client's capabilities and the settings.
#[derive(Clone)]
pub(crate) struct ServerState {
    pub(crate) documents: Documents,
    pub(crate) profile: Arc<Profile>,
    pub(crate) config: Arc<Config>,
    pub(crate) memory: Arc<Memory>,
    pub(crate) native: Arc<dyn NativeViews>,
    pub(crate) outbox: Outbox,
    /// Hands the core work of the server's own.
    pub(crate) ask: Arc<dyn Fn(Box<dyn Question>) + Send + Sync>,
    /// The folders of the workspace.
    pub(crate) folders: Arc<Vec<PathBuf>>,
    /// Has files read that the unit of an ISPC document looks for.
    pub(crate) fetch: Arc<dyn Fn(Key, Vec<String>) + Send + Sync>,
    /// Shows the template of a name as the instance of another one.
    pub(crate) choose: Arc<dyn Fn(String, String) + Send + Sync>,
}

impl ServerState {
    /// Options for the target of a name; `None` if there is no such target.
    pub(crate) fn made_for(&self, name: &str) -> Option<Options> {
        let target = match name {
            config::NATIVE => Some(self.native.machine()),
            name => target::find(name),
        };
        target.map(|target| Options { target, ..Options::default() })
    }
}

#[cfg(test)]
impl ServerState {
    /// A state without documents, for a client without capabilities.
    pub(crate) fn for_tests() -> ServerState {
        ServerState {
            documents: Documents::default(),
            profile: Arc::new(Profile::new(&Default::default())),
            config: Arc::default(),
            memory: Arc::default(),
            native: Arc::new(crate::machine_views::NoNativeViews),
            outbox: Outbox::new(crate::transport::Writer::new(|| {}).0).0,
            ask: Arc::new(|_| {}),
            folders: Arc::default(),
            fetch: Arc::new(|_, _| {}),
            choose: Arc::new(|_, _| {}),
        }
    }
}

/// A snapshot of the facts, with the state that goes with it.
pub(crate) struct RequestContext<'a> {
    snapshot: Snapshot,
    state: &'a ServerState,
    progress: Arc<Progress>,
}

impl<'a> RequestContext<'a> {
    /// Creates a context from a snapshot and the state.
    pub(crate) fn new(snapshot: Snapshot, state: &'a ServerState) -> RequestContext<'a> {
        RequestContext { snapshot, state, progress: Arc::default() }
    }

    /// Returns another handle to this context, for one more thread.
    pub(crate) fn another(&self) -> RequestContext<'a> {
        RequestContext { snapshot: self.snapshot.clone(), state: self.state, progress: self.progress.clone() }
    }

    /// Attaches the progress reports of a request.
    pub(crate) fn followed(self, progress: Arc<Progress>) -> RequestContext<'a> {
        RequestContext { progress, ..self }
    }

    /// Reports `done` of `all` steps of the answer, if the client requested progress.
    pub(crate) fn report(&self, title: &str, done: usize, all: usize) {
        self.progress.report(&self.state.outbox, title, done, all);
    }

    /// The progress reports of the request, for work that goes on without this context.
    pub(crate) fn progress(&self) -> Arc<Progress> {
        self.progress.clone()
    }

    /// Sends a partial result; returns `false` if the client requested none.
    pub(crate) fn tell_part(&self, part: &impl Serialize) -> bool {
        self.progress.tell_part(&self.state.outbox, part)
    }

    /// The database, for queries.
    pub(crate) fn db(&self) -> &Database {
        self.snapshot.db()
    }

    /// Documents, client and settings.
    pub(crate) fn state(&self) -> &'a ServerState {
        self.state
    }

    /// Looks a file of the database up by name.
    #[cfg(test)]
    pub(crate) fn file(&self, name: &str) -> Option<File> {
        self.snapshot.file(name)
    }

    /// Capabilities of the client.
    pub(crate) fn profile(&self) -> &'a Profile {
        &self.state.profile
    }

    /// The user's settings.
    pub(crate) fn config(&self) -> &'a Config {
        &self.state.config
    }

    /// Options for a target: the named one, or else the one in the user's settings. `Err` lists the known targets.
    pub(crate) fn made_for(&self, target: Option<&str>) -> Result<Options> {
        self.state.made_for(target.unwrap_or(&self.config().target)).ok_or_else(|| {
            let names = target::names().join(", ");
            Error::invalid_params(format!("no such target; there are {}, {names}", config::NATIVE))
        })
    }

    /// A token that cancels the queries of this context.
    pub(crate) fn cancellation_token(&self) -> CancellationToken {
        self.snapshot.cancellation_token()
    }

    /// Unwinds to [`Self::catch`] if an edit, or the token, has cancelled it.
    pub(crate) fn unwind_if_cancelled(&self) {
        self.snapshot.unwind_if_cancelled();
    }

    /// Runs a query; `Err` when an edit, or the token, cancelled it.
    pub(crate) fn catch<T>(&self, ask: impl FnOnce() -> T) -> std::result::Result<T, Cancelled> {
        let ask = std::panic::AssertUnwindSafe(ask);
        self.snapshot.catch(move |_| {
            let ask = ask;
            (ask.0)()
        })
    }

    /// Looks a document up by its address.
    pub(crate) fn document(&self, uri: &Uri) -> Result<ClientDocument<'_>> {
        let unknown = || no_such_document(uri);
        if let Some((number, file)) = self.state.memory.known_own_file(&uris::key(uri)) {
            return self.own_file(number, file).ok_or_else(unknown);
        }
        let document = self.state.documents.get(uri).ok_or_else(unknown)?;
        self.place(document).ok_or_else(unknown)
    }

    /// Looks an ISPC document up by its address.
    pub(crate) fn ispc_document(&self, uri: &Uri) -> Result<ClientDocument<'_>> {
        let document = self.state.documents.get(uri).and_then(|document| self.ispc_place(document));
        document.ok_or_else(|| no_such_document(uri))
    }

    /// The ISPC document of a key, if it is one.
    pub(crate) fn ispc_document_by_key(&self, key: &Key) -> Option<ClientDocument<'_>> {
        self.ispc_place(self.state.documents.by_key(key)?)
    }

    /// The document of an ISPC file of the database.
    pub(crate) fn ispc_document_of(&self, file: File) -> Option<ClientDocument<'_>> {
        self.ispc_document_by_key(&uris::key_of_ispc_path(file.name(self.db())))
    }

    /// All ISPC documents, headers among them.
    pub(crate) fn all_ispc_documents(&self) -> Vec<ClientDocument<'_>> {
        let all = self.state.documents.sorted().into_iter();
        all.filter_map(|document| self.ispc_place(document)).collect()
    }

    /// The ISPC documents that are units of their own: open ones, and files that are no headers.
    pub(crate) fn ispc_documents(&self) -> Vec<ClientDocument<'_>> {
        let all = self.state.documents.sorted().into_iter();
        let all = all.filter(|document| document.version.is_some() || document.key.ends_with(".ispc"));
        all.filter_map(|document| self.ispc_place(document)).collect()
    }

    fn ispc_place(&self, document: &'a Arc<Document>) -> Option<ClientDocument<'_>> {
        let file = self.snapshot.ispc_file(uris::ispc_path(&document.key))?;
        (document.language == Language::Ispc).then(|| ClientDocument::new(file, document, self.state.profile.unit))
    }

    /// Has the files read that an ISPC document's unit still looks for; returns true if there are some.
    pub(crate) fn fetches(&self, document: &ClientDocument<'_>) -> bool {
        let (db, key) = (self.db(), &document.document.key);
        let unread = queries::ispc::unread(db, document.file);
        if !unread.is_empty() {
            (self.state.fetch)(key.clone(), unread);
            return true;
        }
        let others = queries::ispc::depends_on(db, document.file);
        let others = others.iter().map(|path| uris::key_of_ispc_path(path)).collect();
        self.state.memory.set_depends_on(key, others);
        false
    }

    /// Returns true if the user can change a document: it is open, or in a folder of the workspace.
    pub(crate) fn may_change(&self, document: &ClientDocument<'_>) -> bool {
        let path = uris::to_path(&document.document.uri);
        let is_inside = || path.is_some_and(|path| self.state.folders.iter().any(|folder| path.starts_with(folder)));
        document.document.version.is_some() || is_inside()
    }

    /// The document of a file of the database: of a library or the prelude a read-only one.
    pub(crate) fn document_of(&self, file: File) -> Option<ClientDocument<'_>> {
        if let Some(document) = self.state.documents.by_key(file.name(self.db())) {
            return self.place(document).filter(|place| place.file == file);
        }
        let own = self.state.memory.own_files(self.state.profile.text_document_content).iter().enumerate();
        own.filter_map(|(number, document)| self.own_file(number, document)).find(|place| place.file == file)
    }

    /// The prelude or a library, by its number in [`Memory::own_files`].
    fn own_file(&self, number: usize, document: &'a Arc<Document>) -> Option<ClientDocument<'_>> {
        let file = match number.checked_sub(1) {
            None => prelude::file(self.db()),
            Some(number) => queries::uses::library_files(self.db()).nth(number)?,
        };
        Some(ClientDocument::new(file, document, self.state.profile.unit))
    }

    /// The files of all documents.
    pub(crate) fn files(&self) -> Vec<File> {
        self.documents().iter().map(|place| place.file).collect()
    }

    /// All documents, sorted by key.
    pub(crate) fn documents(&self) -> Vec<ClientDocument<'_>> {
        self.state.documents.sorted().into_iter().filter_map(|document| self.place(document)).collect()
    }

    fn place(&self, document: &'a Arc<Document>) -> Option<ClientDocument<'_>> {
        let file = self.snapshot.file(&document.key)?;
        Some(ClientDocument::new(file, document, self.state.profile.unit))
    }
}

/// Mark of the error about a document that is neither open nor known from the disk.
const NO_DOCUMENT: &str = "lanescope.noDocument";

/// Error about a document that is neither open nor known from the disk. It never reaches the client, since the answer of a request
/// about such a document is an empty one.
fn no_such_document(uri: &Uri) -> Error {
    let mut error = Error::invalid_params(format!("no such document: {}", uri.0));
    error.data = Some(NO_DOCUMENT.into());
    error
}

/// Returns true if an error is about a document that is neither open nor known from the disk.
pub(crate) fn is_about_nothing(error: &Error) -> bool {
    error.data.as_ref().is_some_and(|data| data == NO_DOCUMENT)
}

/// A document, with the conversions between its offsets and the client's positions.
pub(crate) struct ClientDocument<'a> {
    /// The document's file in the database.
    pub(crate) file: File,
    pub(crate) document: &'a Arc<Document>,
    unit: ColumnUnit,
    /// The last position that was converted. Offsets mostly come in order, and a line may be a megabyte long.
    last: Cell<(TextSize, LineColumn)>,
}

impl<'a> ClientDocument<'a> {
    /// Creates a place from a file, its document and the client's unit of columns.
    pub(crate) fn new(file: File, document: &'a Arc<Document>, unit: ColumnUnit) -> ClientDocument<'a> {
        let start = (TextSize::new(0), LineColumn { line: 0, column: 0 });
        ClientDocument { file, document, unit, last: Cell::new(start) }
    }
}

impl ClientDocument<'_> {
    /// Text of the document.
    pub(crate) fn text(&self) -> &str {
        &self.document.text
    }

    /// Address of the document.
    pub(crate) fn uri(&self) -> Uri {
        self.document.uri.clone()
    }

    /// Converts a position to an offset; a position outside the text is moved to the nearest one inside.
    pub(crate) fn offset(&self, at: Position) -> TextSize {
        documents::offset(self.text(), self.document.lines(), at, self.unit)
    }

    /// Converts a range of positions to a range of offsets.
    pub(crate) fn text_range(&self, range: Range) -> TextRange {
        let (start, end) = (self.offset(range.start), self.offset(range.end));
        TextRange::new(start.min(end), start.max(end))
    }

    /// Converts an offset to a position.
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

    /// Width of a text in columns.
    pub(crate) fn width(&self, text: &str) -> u32 {
        let width = match self.unit {
            ColumnUnit::Utf8 => text.len(),
            ColumnUnit::Utf16 => text.chars().map(char::len_utf16).sum(),
            ColumnUnit::Utf32 => text.chars().count(),
        };
        width as u32
    }

    /// Converts a range of offsets to a range of positions.
    pub(crate) fn range(&self, range: TextRange) -> Range {
        Range { start: self.position(range.start()), end: self.position(range.end()) }
    }

    /// Converts a range of this document to a location.
    pub(crate) fn location(&self, range: TextRange) -> lsp::Location {
        lsp::Location { uri: self.uri(), range: self.range(range) }
    }

    /// Converts an edit to the protocol's type.
    pub(crate) fn edit(&self, edit: &TextEdit) -> lsp::TextEdit {
        lsp::TextEdit { range: self.range(edit.range), new_text: edit.text.clone() }
    }

    /// Converts edits to the protocol's type.
    pub(crate) fn edits(&self, edits: &[TextEdit]) -> Vec<lsp::TextEdit> {
        edits.iter().map(|edit| self.edit(edit)).collect()
    }
}
