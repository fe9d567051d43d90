//! The core: the one thread that may change state. It owns the host, takes messages in their order, applies edits, and hands
//! requests to readers.
//!
//! - [`order`]: messages by their numbers
//! - [`readers`]: the threads that answer requests
//! - [`disk`]: files of the workspace that are not open
//! - [`includes`]: headers of ISPC files
//!
//! Each turn of its loop takes in every message that has arrived, then applies the edits in one write, then hands out requests.
//! So a burst of edits costs one write, and no request is answered between two edits of a burst. Only an idle reader gets a
//! snapshot, so no write waits for a request that no thread is working on.

pub(crate) mod disk;
mod includes;
mod order;
pub(crate) mod readers;
mod uses;

use std::collections::{HashMap, HashSet, VecDeque};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender};
use std::time::Instant;

use queries::host::Host;
use queries::stages::Options;
use serde_json::Value;
use tokio::sync::{Notify, oneshot};
use tower_lsp::gen_lsp_types::{
    self as lsp, ConfigurationItem, ConfigurationParams, ConfigurationRequest, FileChangeType, FileEvent,
    InitializeResult, MessageType, ProgressToken, Registration, RegistrationParams, RegistrationRequest, TraceValue,
    Uri, WorkspaceFolder,
};
use tower_lsp::jsonrpc::Result;

use crate::client::{Outbox, Profile, Published};
use crate::config::Config;
use crate::documents::{Buffer, Change, Document, Key, Language};
use crate::features::diagnostics::Publish;
use crate::features::view_files::Follow;
use crate::machine_views::NativeViews;
use crate::memory::Memory;
use crate::placed_json::JsonList;
use crate::progress::Progress;
use crate::question::{Interrupted, Question, Stop};
use crate::request_context::ServerState;
use crate::{capabilities, editor, uris};

use disk::{Disk, Found};
use order::InOrder;
use readers::{Job, Readers};

/// Events that the core receives.
pub(crate) enum Event {
    /// A message of the client, with its sequence number.
    Message(u64, Task),
    /// Completion of a request by the reader with this index.
    Done(usize, Box<dyn Question>, std::result::Result<(), Interrupted>),
    /// Work of the server's own.
    Ask(Box<dyn Question>),
    /// Paths that the unit of an ISPC document looks for and of which nobody knows yet if there is a file.
    Fetch(Key, Vec<String>),
    /// The instance that a template is shown as from here on.
    Choose(String, String),
    /// Contents of workspace files; a deleted file has none.
    Found(Vec<Found>),
    /// Contents of the file of a document that was closed.
    FoundClosed(Found),
    /// Contents of the file of a document that was opened.
    FoundOpened(Found),
    /// The client's answer to a request for its settings.
    Settings(Value),
    /// The client has read messages after a time in which it did not.
    Room,
    /// End of the conversation.
    Quit,
}

/// A message of the client, as work for the core.
pub(crate) enum Task {
    Nothing,
    /// The client's `initialize` parameters, and where to send the result.
    Initialize(Value, oneshot::Sender<InitializeResult>),
    Initialized,
    Shutdown,
    Ask(Box<dyn Question>),
    Open {
        uri: Uri,
        language: String,
        version: i32,
        text: String,
    },
    Change {
        uri: Uri,
        version: i32,
        changes: Vec<Change>,
    },
    Close(Uri),
    /// The client has written a document to its file.
    Saved(Uri),
    Settings(Value),
    Files(Vec<FileEvent>),
    Folders {
        added: Vec<WorkspaceFolder>,
        removed: Vec<WorkspaceFolder>,
    },
    Trace(TraceValue),
    CancelProgress(ProgressToken),
}

/// A pending change of a document, applied with the next write.
enum Write {
    Closed(Document),
    /// No document any more; its file may be there.
    Gone,
    /// There is no such file.
    Absent,
    /// An open document; its buffer is read when the write is applied.
    Buffer,
}

/// A request that a reader is working on.
struct Running {
    reader: usize,
    about: Option<Key>,
    stop: Arc<Stop>,
    token: Option<ProgressToken>,
    since: Instant,
}

/// The core: documents, pending writes, and waiting and running requests.
pub(crate) struct Core {
    events: Receiver<Event>,
    sender: Sender<Event>,
    order: InOrder<Task>,
    host: Host,
    /// The targets that facts and findings are for.
    targets: Vec<Options>,
    state: Arc<ServerState>,
    buffers: HashMap<Key, Buffer>,
    folders: Vec<PathBuf>,
    /// Documents that were closed, and how often, whose files are being read. Until then no request about one is handed out.
    closing: HashMap<Key, usize>,
    /// Documents to change in the next write.
    writes: HashMap<Key, Write>,
    waiting: VecDeque<Box<dyn Question>>,
    running: Vec<Running>,
    readers: Readers,
    /// Open documents whose diagnostics are to be published.
    unpublished: HashSet<Key>,
    /// Files that open documents use and that were asked of the disk.
    asked_of_disk: HashSet<Key>,
    /// Files that ISPC's units looked for and that were asked of the disk.
    asked_for_ispc: HashSet<Key>,
    /// Files that are being read, by the ISPC documents whose units lack them.
    missing: HashMap<Key, HashSet<Key>>,
    /// Set when a document has all its files, until the client was told.
    has_fetched: bool,
    /// Documents with views written as files, which must be written again.
    outdated_files: HashSet<Key>,
    /// Notified when the editor's process has ended.
    editor_ended: Arc<Notify>,
    disk: Disk,
    outbox: Outbox,
    trace: TraceValue,
    ended: bool,
}

impl Core {
    /// Creates a core that receives `events`, which `sender` sends.
    pub(crate) fn new(
        events: Receiver<Event>,
        sender: Sender<Event>,
        outbox: Outbox,
        native: Arc<dyn NativeViews>,
        editor_ended: Arc<Notify>,
    ) -> Core {
        let state = ServerState {
            documents: Default::default(),
            profile: Arc::new(Profile::new(&Value::Null)),
            config: Arc::new(Config::default()),
            memory: Arc::new(Memory::default()),
            native,
            outbox: outbox.clone(),
            ask: {
                let sender = sender.clone();
                Arc::new(move |question| _ = sender.send(Event::Ask(question)))
            },
            folders: Arc::default(),
            fetch: {
                let sender = sender.clone();
                Arc::new(move |key, paths| _ = sender.send(Event::Fetch(key, paths)))
            },
            choose: {
                let sender = sender.clone();
                Arc::new(move |template, instance| _ = sender.send(Event::Choose(template, instance)))
            },
        };
        Core {
            events,
            readers: Readers::new(&sender),
            disk: Disk::new(sender.clone(), outbox.clone()),
            sender,
            order: InOrder::default(),
            host: Host::default(),
            targets: Vec::new(),
            state: Arc::new(state),
            buffers: HashMap::new(),
            folders: Vec::new(),
            closing: HashMap::new(),
            writes: HashMap::new(),
            waiting: VecDeque::new(),
            running: Vec::new(),
            unpublished: HashSet::new(),
            asked_of_disk: HashSet::new(),
            asked_for_ispc: HashSet::new(),
            missing: HashMap::new(),
            has_fetched: false,
            outdated_files: HashSet::new(),
            editor_ended,
            outbox,
            trace: TraceValue::Off,
            ended: false,
        }
    }

    /// Processes events until the conversation ends.
    pub(crate) fn run(mut self) {
        while let Ok(first) = self.events.recv() {
            let mut next = Some(first);
            while let Some(event) = next {
                if matches!(event, Event::Quit) {
                    self.running.iter().for_each(|running| running.stop.stop());
                    return self.state.memory.end();
                }
                self.hear(event);
                next = self.events.try_recv().ok();
            }
            self.write();
            self.end_of_fetching();
            self.hand_out();
        }
    }

    fn hear(&mut self, event: Event) {
        match event {
            Event::Message(number, task) => {
                self.order.push(number, task);
                while let Some(task) = self.order.pop() {
                    self.take(task);
                }
            }
            Event::Ask(question) => self.waiting.push_back(question),
            Event::Fetch(key, paths) => self.fetch(key, paths),
            Event::Choose(template, instance) => self.choose(&template, &instance),
            Event::Done(reader, question, outcome) => self.done(reader, question, outcome),
            Event::Found(found) => found.into_iter().for_each(|found| self.found(found)),
            Event::FoundClosed(found) => self.found_closed(found),
            Event::FoundOpened(found) => self.found_opened(found),
            Event::Settings(settings) => self.configure(&settings),
            // Requests that wait are handed out at the end of each turn.
            Event::Room | Event::Quit => {}
        }
    }

    /// Dispatches the next message.
    fn take(&mut self, task: Task) {
        match task {
            Task::Nothing => {}
            Task::Initialize(params, reply) => _ = reply.send(self.initialize(&params)),
            Task::Initialized => self.initialized(),
            Task::Shutdown => self.shutdown(),
            Task::Ask(question) => self.waiting.push_back(question),
            Task::Open { uri, language, version, text } => self.open(uri, &language, version, text),
            Task::Change { uri, version, changes } => self.change(&uri, version, changes),
            Task::Close(uri) => self.close(&uri),
            Task::Saved(uri) => self.saved(&uri),
            Task::Settings(settings) => self.told_settings(&settings),
            Task::Files(events) => self.files_changed(events),
            Task::Folders { added, removed } => self.change_folders(&added, &removed),
            Task::Trace(trace) => self.trace = trace,
            Task::CancelProgress(token) => self.cancel_progress(&token),
        }
    }

    /// Cancels the work that a user sees under this progress token.
    fn cancel_progress(&mut self, token: &ProgressToken) {
        self.disk.cancel(token);
        self.running.iter().filter(|it| it.token.as_ref() == Some(token)).for_each(|it| it.stop.call_off());
        self.waiting.retain_mut(|question| {
            let called_off = question.progress().and_then(Progress::token) == Some(token);
            if called_off {
                question.stop().call_off();
                question.refuse();
            }
            !called_off
        });
    }

    // Lifecycle of the conversation.

    fn initialize(&mut self, introduction: &Value) -> InitializeResult {
        let profile = Profile::new(&introduction["capabilities"]);
        let result = capabilities::initialize_result(&profile, self.state.native.as_ref());
        self.trace = serde_json::from_value(introduction["trace"].clone()).unwrap_or(TraceValue::Off);
        self.set_folders(folders_of(introduction));
        if let Some(id) = introduction["processId"].as_i64().and_then(|id| i32::try_from(id).ok()) {
            editor::watch(id, self.editor_ended.clone());
        }
        self.state_mut().profile = Arc::new(profile);
        let options = &introduction["initializationOptions"];
        if options.is_object() {
            self.configure(options);
        }
        self.select_targets();
        result
    }

    fn initialized(&mut self) {
        let profile = self.state.profile.clone();
        if profile.watches_files {
            // For a deleted folder some clients report only the folder, so the pattern must match folders too. Kind 4 is
            // deletions.
            let sources = ["**/*.lane", "**/*.{ispc,isph,ih}", "**/compile_commands.json"];
            let watchers = sources.map(|pattern| serde_json::json!({ "globPattern": pattern })).into_iter();
            let watchers: Vec<_> = watchers.chain([serde_json::json!({ "globPattern": "**/*", "kind": 4 })]).collect();
            self.register("workspace/didChangeWatchedFiles", serde_json::json!({ "watchers": watchers }));
        }
        if profile.told_configuration {
            self.register("workspace/didChangeConfiguration", serde_json::json!({ "section": "lanescope" }));
        }
        if profile.answers_configuration {
            self.ask_settings();
        }
        self.scan(self.folders.clone());
    }

    fn register(&self, method: &str, options: Value) {
        let registration =
            Registration { id: method.to_owned(), method: method.to_owned(), register_options: Some(options) };
        let outbox = self.outbox.clone();
        let then = move |answer: Result<()>| {
            if let Err(error) = answer {
                outbox.log(MessageType::Warning, format!("the client refused a registration: {error}"));
            }
        };
        self.outbox.request::<RegistrationRequest>(RegistrationParams { registrations: vec![registration] }, then);
    }

    fn shutdown(&mut self) {
        self.ended = true;
        self.waiting.iter_mut().for_each(|question| question.refuse());
        self.waiting.clear();
        self.running.iter().for_each(|running| running.stop.stop());
    }

    // Settings and folders.

    fn ask_settings(&self) {
        let section = Some("lanescope".to_owned());
        let params = ConfigurationParams { items: vec![ConfigurationItem { scope_uri: None, section }] };
        let sender = self.sender.clone();
        self.outbox.request::<ConfigurationRequest>(params, move |answer| {
            // A client without this section answers null; its settings from `initialize` stay in force.
            let settings = answer.ok().and_then(|answers| answers.into_iter().next()).filter(|found| !found.is_null());
            if let Some(settings) = settings {
                let _ = sender.send(Event::Settings(settings));
            }
        });
    }

    /// Applies changed settings. Some clients send the new values, others only a notice that something changed.
    fn told_settings(&mut self, settings: &Value) {
        if self.state.profile.answers_configuration {
            self.ask_settings();
        } else if settings.is_object() {
            self.configure(settings);
        }
    }

    fn configure(&mut self, settings: &Value) {
        let (config, wrong) = Config::read(settings);
        wrong.into_iter().for_each(|message| self.outbox.log(MessageType::Warning, message));
        if *self.state.config != config {
            let are_other_notes = self.state.config.notes != config.notes;
            self.state_mut().config = Arc::new(config);
            let are_others = self.select_targets();
            if are_other_notes {
                self.find_again();
            }
            self.refresh(are_others, are_others || are_other_notes);
            let documents: Vec<_> = self.state.documents.sorted().into_iter().map(|it| it.key.clone()).collect();
            documents.iter().for_each(|key| self.outdate_views(key));
        }
    }

    /// Selects the targets in the user's settings for all facts and findings; returns true if others were selected before.
    fn select_targets(&mut self) -> bool {
        let config = &self.state.config;
        let named = std::iter::once(&config.target).chain(&config.targets);
        let mut all: Vec<Options> = Vec::new();
        for options in named.filter_map(|name| self.state.made_for(name)) {
            if !all.contains(&options) {
                all.push(options);
            }
        }
        let are_others = self.targets != all;
        if are_others {
            self.host.set_made_for(&all);
            self.targets = all;
        }
        let is_changed = self.set_ispc_settings() || are_others;
        if is_changed {
            self.find_again();
        }
        is_changed
    }

    /// Shows a template as one of its instances, and lets the client ask anew for all that this changes.
    fn choose(&mut self, template: &str, instance: &str) {
        self.host.choose_instance(template, instance);
        self.find_again();
        self.refresh(true, true);
        let documents: Vec<_> = self.state.documents.sorted().into_iter().map(|it| it.key.clone()).collect();
        documents.iter().for_each(|key| self.outdate_views(key));
    }

    /// Publishes the findings of all open documents anew, to a client that does not pull them.
    fn find_again(&mut self) {
        if !self.state.profile.pull_diagnostics {
            self.unpublished.extend(self.buffers.keys().cloned());
        }
    }

    /// Asks the client to request again every answer that depends on settings; what depends on the targets alone only if
    /// those are others, and findings only if those are.
    fn refresh(&self, are_other_targets: bool, are_other_findings: bool) {
        let refreshes = self.state.profile.refreshes;
        if refreshes.inlay_hints {
            self.outbox.request::<lsp::InlayHintRefreshRequest>((), |_| {});
        }
        if refreshes.code_lenses {
            self.outbox.request::<lsp::CodeLensRefreshRequest>((), |_| {});
        }
        if refreshes.semantic_tokens && are_other_targets {
            self.outbox.request::<lsp::SemanticTokensRefreshRequest>((), |_| {});
        }
        if refreshes.diagnostics && are_other_findings {
            self.outbox.request::<lsp::DiagnosticRefreshRequest>((), |_| {});
        }
    }

    fn change_folders(&mut self, added: &[WorkspaceFolder], removed: &[WorkspaceFolder]) {
        let removed: Vec<_> = removed.iter().filter_map(|folder| uris::to_path(&folder.uri)).collect();
        let mut folders = self.folders.clone();
        folders.retain(|folder| !removed.contains(folder));
        let gone: Vec<_> = self.known_in(&removed).map(|document| document.key.clone()).collect();
        for key in gone.into_iter().filter(|key| !self.buffers.contains_key(key)) {
            self.writes.insert(key, Write::Gone);
        }
        let added: Vec<_> = added.iter().filter_map(|folder| uris::to_path(&folder.uri)).collect();
        folders.extend(added.iter().cloned());
        self.set_folders(folders);
        self.scan(added);
    }

    fn set_folders(&mut self, folders: Vec<PathBuf>) {
        self.state_mut().folders = Arc::new(folders.clone());
        self.folders = folders;
    }

    /// The known documents inside some folders.
    fn known_in(&self, folders: &[PathBuf]) -> impl Iterator<Item = &Arc<Document>> {
        self.state.documents.sorted().into_iter().filter(|document| {
            let path = uris::to_path(&document.uri);
            path.is_some_and(|path| folders.iter().any(|folder| path.starts_with(folder)))
        })
    }

    /// Reads changed files again. A client may report more files than it was asked to.
    fn files_changed(&mut self, events: Vec<FileEvent>) {
        let is_read = |event: &FileEvent| {
            uris::is_source(&event.uri) || self.host.knows_ispc(uris::ispc_path(&uris::key(&event.uri)))
        };
        let (kernels, others): (Vec<_>, Vec<_>) = events.into_iter().partition(is_read);
        let gone = others.iter().filter(|event| event.kind == FileChangeType::Deleted);
        let gone: Vec<_> = gone.filter_map(|event| uris::to_path(&event.uri)).collect();
        let mut files: Vec<_> = kernels.into_iter().map(|event| event.uri).collect();
        // Most events are about one saved file; scanning all documents is needed only after deletions.
        if !gone.is_empty() {
            files.extend(self.known_in(&gone).map(|document| document.uri.clone()));
        }
        if !files.is_empty() {
            self.disk.read(files);
        }
    }

    fn scan(&self, folders: Vec<PathBuf>) {
        if self.state.config.workspace && !folders.is_empty() {
            self.disk.scan(folders, self.state.profile.work_done_progress);
        }
    }

    // Documents.

    fn open(&mut self, uri: Uri, language: &str, version: i32, text: String) {
        let key = uris::key(&uri);
        let language = Language::of_opened(language, uris::ispc_path(&key));
        // The prelude is read-only and already known.
        if self.state.memory.known_own_file(&key).is_some() {
            return;
        }
        if uris::to_path(&uri).is_some() {
            // Most likely the text of the file; an editor may also open what it had not saved, which the disk tells.
            self.state.memory.save(&key, Arc::from(&*text));
            self.disk.read_opened(uri.clone());
        }
        self.buffers.insert(key.clone(), Buffer::new(uri, language, version, text));
        self.changed(key);
    }

    /// From here on, costs are told beside those of this text.
    fn saved(&mut self, uri: &Uri) {
        let key = uris::key(uri);
        if let Some(buffer) = self.buffers.get(&key) {
            self.state.memory.save(&key, Arc::from(buffer.text()));
            if self.state.config.hints.costs && self.state.profile.refreshes.inlay_hints {
                self.outbox.request::<lsp::InlayHintRefreshRequest>((), |_| {});
            }
        }
    }

    fn change(&mut self, uri: &Uri, version: i32, changes: Vec<Change>) {
        let key = uris::key(uri);
        let unit = self.state.profile.unit;
        match self.buffers.get_mut(&key) {
            Some(buffer) => {
                buffer.change(version, changes, unit);
                self.changed(key);
            }
            None => self.outbox.log(MessageType::Error, format!("an edit of {}, which is not open", uri.0)),
        }
    }

    fn close(&mut self, uri: &Uri) {
        let key = uris::key(uri);
        let Some(buffer) = self.buffers.remove(&key) else { return };
        self.outdate(&key);
        if self.unpublished.remove(&key) || !self.state.profile.pull_diagnostics {
            let (uri, diagnostics) = (buffer.uri.clone(), JsonList::default());
            self.outbox.publish(Published { uri, version: None, diagnostics });
        }
        // From now on the file's contents on disk are the workspace's version of this document.
        let path = uris::to_path(uri);
        let write = match path.is_some_and(|path| self.folders.iter().any(|folder| path.starts_with(folder))) {
            true => {
                *self.closing.entry(key.clone()).or_default() += 1;
                self.disk.read_closed(uri.clone());
                // Until the file was read its text is most likely that of the editor.
                Write::Closed(Document::closed(key.clone(), uri.clone(), Arc::from(buffer.text()), buffer.language))
            }
            false => Write::Gone,
        };
        self.writes.insert(key, write);
    }

    /// The saved text of a document is that of its file, whatever the editor has opened.
    fn found_opened(&self, found: Found) {
        if let Some(text) = found.text.filter(|_| self.buffers.contains_key(&found.key)) {
            self.state.memory.save(&found.key, text);
        }
    }

    fn found_closed(&mut self, found: Found) {
        if let Some(n) = self.closing.get_mut(&found.key) {
            *n -= 1;
            if *n == 0 {
                self.closing.remove(&found.key);
            }
        }
        // No request about it was handed out meanwhile, and those that wait are about this text.
        if !self.buffers.contains_key(&found.key) {
            self.take_over(found);
        }
    }

    /// Returns true if a request is about a document that was closed, and whose file was not read yet.
    fn awaits_file(&self, question: &dyn Question) -> bool {
        let is_closed = |key: &Key| self.closing.contains_key(key) && !self.buffers.contains_key(key);
        question.about().is_some_and(is_closed) || self.lacks_files(question.about())
    }

    fn found(&mut self, found: Found) {
        self.looked_for(&found.key);
        self.found_opened(Found { key: found.key.clone(), uri: found.uri.clone(), text: found.text.clone() });
        // For an open document the client's text takes precedence over the disk, and that of a closed one is being read anew.
        if self.buffers.contains_key(&found.key) || self.closing.contains_key(&found.key) {
            return;
        }
        // Editors tell of a file that they have just saved and closed; requests about it go on.
        let known = match self.writes.get(&found.key) {
            Some(Write::Closed(document)) => Some(document),
            Some(_) => None,
            None => self.state.documents.by_key(&found.key).map(Arc::as_ref),
        };
        let text = known.filter(|known| known.version.is_none()).map(|known| &known.text);
        let is_absent_again = found.text.is_none() && matches!(self.writes.get(&found.key), Some(Write::Absent));
        if !is_absent_again && (text.is_none() || text != found.text.as_ref()) {
            self.outdate(&found.key);
            self.take_over(found);
        }
    }

    fn take_over(&mut self, found: Found) {
        let language = self.language_of(&found.key);
        let write = match found.text {
            Some(text) => Write::Closed(Document::closed(found.key.clone(), found.uri, text, language)),
            None => Write::Absent,
        };
        self.writes.insert(found.key, write);
    }

    fn changed(&mut self, key: Key) {
        self.outdate(&key);
        if !self.state.profile.pull_diagnostics {
            self.unpublished.insert(key.clone());
        }
        self.writes.insert(key, Write::Buffer);
    }

    /// Refuses all requests about a document, since the text that their positions refer to is gone.
    fn outdate(&mut self, key: &Key) {
        self.running.iter().filter(|running| running.about.as_ref() == Some(key)).for_each(|it| it.stop.stop());
        self.waiting.retain_mut(|question| {
            let outdated = question.about() == Some(key);
            if outdated {
                question.refuse();
            }
            !outdated
        });
    }

    /// Applies all pending edits in one write.
    fn write(&mut self) {
        let writes = std::mem::take(&mut self.writes);
        if writes.is_empty() {
            return;
        }
        // That a file is still not there changes nothing.
        let is_news = |(key, write): &(&Key, &Write)| {
            !matches!(write, Write::Gone | Write::Absent) || self.state.documents.by_key(key).is_some()
        };
        let changed = writes.iter().filter(is_news).map(|(key, write)| (key.clone(), !matches!(write, Write::Buffer)));
        let changed: Vec<(Key, bool)> = changed.collect();
        for (key, write) in writes {
            self.outdate_views(&key);
            let is_absent = matches!(write, Write::Absent);
            let document = match write {
                Write::Closed(document) => Some(document),
                Write::Gone | Write::Absent => None,
                Write::Buffer => self.buffers.get(&key).map(|it| it.document(key.clone(), Arc::from(it.text()))),
            };
            match document {
                Some(document) => {
                    let before = self.state.documents.by_key(&key);
                    let is_closed = document.version.is_none() && before.is_some_and(|before| before.version.is_some());
                    let is_other = before.is_some_and(|before| before.language != document.language);
                    if is_closed || is_other {
                        // All that was found out about it while it was looked at goes, as for a document that is no file.
                        let language = before.map_or(document.language, |before| before.language);
                        self.remove(&key, language);
                    }
                    match document.language {
                        Language::Lane => _ = self.host.share_text(&key, document.text.clone()),
                        _ => self.host.share_ispc_text(uris::ispc_path(&key), Some(document.text.clone())),
                    }
                    self.state_mut().documents.set(document);
                }
                None => {
                    let known = self.state.documents.by_key(&key).map(|known| known.language);
                    let language = known.unwrap_or_else(|| self.language_of(&key));
                    self.remove(&key, language);
                    if is_absent && language != Language::Lane {
                        self.host.share_ispc_text(uris::ispc_path(&key), None);
                    }
                    self.outdated_files.remove(&key);
                    self.state_mut().documents.remove(&key);
                }
            }
        }
        self.follow_uses(&changed);
        self.follow_includes(&changed);
    }

    /// Removes all that was found out about a document.
    fn remove(&mut self, key: &Key, language: Language) {
        match language {
            Language::Lane => self.host.remove(key),
            _ => {
                self.host.forget_ispc(uris::ispc_path(key));
                self.asked_for_ispc.remove(key);
            }
        }
        self.state_mut().memory.forget(key);
    }

    /// Marks views of a document as outdated: the client requests those it has as documents again, and files are written again.
    fn outdate_views(&mut self, source: &Key) {
        for uri in self.state.memory.outdated_views(source) {
            let params = lsp::TextDocumentContentRefreshParams { uri };
            self.outbox.request::<lsp::TextDocumentContentRefreshRequest>(params, |_| {});
        }
        if !self.state.memory.views_as_files(source).is_empty() {
            self.outdated_files.insert(source.clone());
        }
    }

    fn state_mut(&mut self) -> &mut ServerState {
        Arc::make_mut(&mut self.state)
    }

    // Requests.

    /// Hands waiting requests to idle readers; diagnostics to be published without a request come last.
    fn hand_out(&mut self) {
        self.waiting.retain(|question| !question.stop().is_stopped());
        while self.readers.n_free() > 0 && !self.outbox.is_busy() {
            // A slow request never takes the last idle reader, so a hover behind it need not wait.
            let may_run = |it: &dyn Question| !it.is_slow() || self.readers.may_be_slow();
            let next = self.waiting.iter().position(|it| may_run(it.as_ref()) && !self.awaits_file(it.as_ref()));
            let question = match next.and_then(|n| self.waiting.remove(n)) {
                Some(question) => question,
                // The other questions in the queue wait for files that are being read.
                None if self.readers.may_be_slow() => match self.next_of_ours() {
                    Some(question) => question,
                    None => return,
                },
                None => return,
            };
            let running = Running {
                reader: 0,
                about: question.about().cloned(),
                stop: question.stop().clone(),
                token: question.progress().and_then(Progress::token).cloned(),
                since: Instant::now(),
            };
            let job = Job { question, snapshot: self.host.snapshot(), state: self.state.clone() };
            let reader = self.readers.start(job);
            self.running.push(Running { reader, ..running });
        }
    }

    /// The next task of the server's own: diagnostics to publish or view files to write.
    fn next_of_ours(&mut self) -> Option<Box<dyn Question>> {
        if let Some(key) = self.unpublished.iter().find(|key| !self.lacks_files(Some(key))).cloned() {
            self.unpublished.remove(&key);
            return Some(Box::new(Publish::new(key)));
        }
        let key = self.outdated_files.iter().next().cloned()?;
        self.outdated_files.remove(&key);
        Some(Box::new(Follow::new(key)))
    }

    fn done(&mut self, reader: usize, mut question: Box<dyn Question>, outcome: std::result::Result<(), Interrupted>) {
        self.readers.free(reader);
        let n = self.running.iter().position(|running| running.reader == reader);
        let running = n.map(|n| self.running.swap_remove(n));
        let Some(running) = running else { return };
        match outcome {
            Ok(()) => self.trace_answer(question.as_ref(), running.since),
            // A document whose text has changed is published by the task for its new text, which is queued already.
            Err(Interrupted) if question.stop().is_stopped() || self.ended => question.refuse(),
            Err(Interrupted) => self.waiting.push_front(question),
        }
    }

    fn trace_answer(&self, question: &dyn Question, since: Instant) {
        if matches!(self.trace, TraceValue::Messages | TraceValue::Verbose) {
            let verbose = (self.trace == TraceValue::Verbose)
                .then(|| question.about().map_or("about no document".to_owned(), |key| format!("about {key}")));
            let millis = since.elapsed().as_secs_f64() * 1e3;
            self.outbox.trace(format!("{} took {millis:.1} ms", question.name()), verbose);
        }
    }
}

/// Workspace folders of a client, from the newest of the protocol's three fields for them that it uses.
fn folders_of(introduction: &Value) -> Vec<PathBuf> {
    let path = |uri: &Value| uris::to_path(&Uri(uri.as_str()?.to_owned()));
    if let Some(folders) = introduction["workspaceFolders"].as_array() {
        return folders.iter().filter_map(|folder| path(&folder["uri"])).collect();
    }
    let root = path(&introduction["rootUri"]);
    root.or_else(|| introduction["rootPath"].as_str().map(PathBuf::from)).into_iter().collect()
}
