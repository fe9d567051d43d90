//! The one thread that may change anything: it owns the host, takes messages in their order, makes edits, and gives
//! questions to readers.
//!
//! - [`order`]: messages by their numbers
//! - [`readers`]: the threads that answer
//! - [`disk`]: files of the workspace that are not open
//!
//! A turn of it takes in everything that has arrived, then makes the edits in one write, then hands out questions. So a burst
//! of edits costs one write, and a question is never answered from half of it. Only a reader that is free gets a
//! snapshot, so no write waits for a question that nobody works on.

pub(crate) mod disk;
mod order;
pub(crate) mod readers;

use std::collections::{HashMap, HashSet, VecDeque};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender};
use std::time::Instant;

use analysis::Host;
use analysis::stages::Options;
use serde_json::Value;
use tokio::sync::{Notify, oneshot};
use tower_lsp::gen_lsp_types::{
    self as lsp, ConfigurationItem, ConfigurationParams, ConfigurationRequest, FileChangeType, FileEvent,
    InitializeResult, MessageType, ProgressToken, PublishDiagnosticsNotification, PublishDiagnosticsParams,
    Registration, RegistrationParams, RegistrationRequest, TraceValue, Uri, WorkspaceFolder,
};
use tower_lsp::jsonrpc::Result;

use crate::client::{Outbox, Profile};
use crate::config::Config;
use crate::documents::{Buffer, Change, Document, Key};
use crate::door::NativeViews;
use crate::features::diagnostics::Publish;
use crate::features::view_files::Follow;
use crate::memory::Memory;
use crate::moment::World;
use crate::progress::Progress;
use crate::question::{Interrupted, Question, Stop};
use crate::{capabilities, editor, uris};

use disk::{Disk, Found};
use order::InOrder;
use readers::{Job, Readers};

/// What the core hears of.
pub(crate) enum Event {
    /// A message of the client, with its number.
    Message(u64, Task),
    /// A reader is done with a question.
    Done(usize, Box<dyn Question>, std::result::Result<(), Interrupted>),
    /// What a file of the workspace says; a file that went away says nothing.
    Found(Vec<Found>),
    /// The client's answer to what its settings are.
    Settings(Value),
    /// The conversation is over.
    Quit,
}

/// What a message of the client asks for.
pub(crate) enum Task {
    Nothing,
    /// What the client says of itself.
    Initialize(Value, oneshot::Sender<InitializeResult>),
    Initialized,
    Shutdown,
    Ask(Box<dyn Question>),
    Open {
        uri: Uri,
        version: i32,
        text: String,
    },
    Change {
        uri: Uri,
        version: i32,
        changes: Vec<Change>,
    },
    Close(Uri),
    Settings(Value),
    Files(Vec<FileEvent>),
    Folders {
        added: Vec<WorkspaceFolder>,
        removed: Vec<WorkspaceFolder>,
    },
    Trace(TraceValue),
    CancelProgress(ProgressToken),
}

/// What changes a document.
enum Write {
    Closed(Document),
    Gone,
    /// An open document, as its buffer is when the write is made.
    Buffer,
}

/// A question that a reader works on.
struct Running {
    reader: usize,
    about: Option<Key>,
    stop: Arc<Stop>,
    token: Option<ProgressToken>,
    since: Instant,
}

/// The state of the server.
pub(crate) struct Core {
    events: Receiver<Event>,
    sender: Sender<Event>,
    order: InOrder<Task>,
    host: Host,
    world: Arc<World>,
    buffers: HashMap<Key, Buffer>,
    folders: Vec<PathBuf>,
    /// What changes with the next write.
    writes: HashMap<Key, Write>,
    waiting: VecDeque<Box<dyn Question>>,
    running: Vec<Running>,
    readers: Readers,
    /// Open documents whose diagnostics the client is to be told.
    unpublished: HashSet<Key>,
    /// Documents with views as files, which are to follow.
    outdated_files: HashSet<Key>,
    /// Told when the editor's process has ended.
    editor_ended: Arc<Notify>,
    disk: Disk,
    outbox: Outbox,
    trace: TraceValue,
    ended: bool,
}

impl Core {
    /// A core that hears of `events`, which `sender` sends.
    pub(crate) fn new(
        events: Receiver<Event>,
        sender: Sender<Event>,
        outbox: Outbox,
        native: Arc<dyn NativeViews>,
        editor_ended: Arc<Notify>,
    ) -> Core {
        let world = World {
            documents: Default::default(),
            profile: Arc::new(Profile::new(&Value::Null)),
            config: Arc::new(Config::default()),
            memory: Arc::new(Memory::default()),
            native,
            outbox: outbox.clone(),
        };
        Core {
            events,
            readers: Readers::new(&sender),
            disk: Disk::new(sender.clone(), outbox.clone()),
            sender,
            order: InOrder::default(),
            host: Host::default(),
            world: Arc::new(world),
            buffers: HashMap::new(),
            folders: Vec::new(),
            writes: HashMap::new(),
            waiting: VecDeque::new(),
            running: Vec::new(),
            unpublished: HashSet::new(),
            outdated_files: HashSet::new(),
            editor_ended,
            outbox,
            trace: TraceValue::Off,
            ended: false,
        }
    }

    /// Works until the conversation is over.
    pub(crate) fn run(mut self) {
        while let Ok(first) = self.events.recv() {
            let mut next = Some(first);
            while let Some(event) = next {
                if matches!(event, Event::Quit) {
                    self.running.iter().for_each(|running| running.stop.stop());
                    return self.world.memory.end();
                }
                self.hear(event);
                next = self.events.try_recv().ok();
            }
            self.write();
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
            Event::Done(reader, question, outcome) => self.done(reader, question, outcome),
            Event::Found(found) => found.into_iter().for_each(|found| self.found(found)),
            Event::Settings(settings) => self.configure(&settings),
            Event::Quit => {}
        }
    }

    /// Takes the next message.
    fn take(&mut self, task: Task) {
        match task {
            Task::Nothing => {}
            Task::Initialize(params, reply) => _ = reply.send(self.initialize(&params)),
            Task::Initialized => self.initialized(),
            Task::Shutdown => self.shutdown(),
            Task::Ask(question) => self.waiting.push_back(question),
            Task::Open { uri, version, text } => self.open(uri, version, text),
            Task::Change { uri, version, changes } => self.change(&uri, version, changes),
            Task::Close(uri) => self.close(&uri),
            Task::Settings(settings) => self.told_settings(&settings),
            Task::Files(events) => self.files_changed(events),
            Task::Folders { added, removed } => self.change_folders(&added, &removed),
            Task::Trace(trace) => self.trace = trace,
            Task::CancelProgress(token) => self.cancel_progress(&token),
        }
    }

    /// Calls off the work that a person sees going on under this name.
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

    // The life of the conversation.

    fn initialize(&mut self, introduction: &Value) -> InitializeResult {
        let profile = Profile::new(&introduction["capabilities"]);
        let result = capabilities::initialize_result(&profile, self.world.native.as_ref());
        self.trace = serde_json::from_value(introduction["trace"].clone()).unwrap_or(TraceValue::Off);
        self.folders = folders_of(introduction);
        if let Some(id) = introduction["processId"].as_i64().and_then(|id| i32::try_from(id).ok()) {
            editor::watch(id, self.editor_ended.clone());
        }
        self.world_mut().profile = Arc::new(profile);
        let options = &introduction["initializationOptions"];
        if options.is_object() {
            self.configure(options);
        }
        self.aim();
        result
    }

    fn initialized(&mut self) {
        let profile = self.world.profile.clone();
        if profile.watches_files {
            // Of a folder that is deleted some clients name the folder alone, so that its files are heard of by its name. 4
            // stands for deletions.
            let watchers = serde_json::json!([{ "globPattern": "**/*.lane" }, { "globPattern": "**/*", "kind": 4 }]);
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
            // A client that has no such section says null, and keeps what it said at the start.
            let settings = answer.ok().and_then(|answers| answers.into_iter().next()).filter(|found| !found.is_null());
            if let Some(settings) = settings {
                let _ = sender.send(Event::Settings(settings));
            }
        });
    }

    /// Some clients send what has changed, others only that something has.
    fn told_settings(&mut self, settings: &Value) {
        if self.world.profile.answers_configuration {
            self.ask_settings();
        } else if settings.is_object() {
            self.configure(settings);
        }
    }

    fn configure(&mut self, settings: &Value) {
        let (config, wrong) = Config::read(settings);
        wrong.into_iter().for_each(|message| self.outbox.log(MessageType::Warning, message));
        if *self.world.config != config {
            self.world_mut().config = Arc::new(config);
            self.aim();
            self.refresh();
            let documents: Vec<_> = self.world.documents.sorted().into_iter().map(|it| it.key.clone()).collect();
            documents.iter().for_each(|key| self.outdate_views(key));
        }
    }

    /// Lets facts be those of the targets that the user has set.
    fn aim(&mut self) {
        let config = &self.world.config;
        let named = std::iter::once(&config.target).chain(&config.targets);
        let mut all: Vec<Options> = Vec::new();
        for options in named.filter_map(|name| self.world.made_for(name)) {
            if !all.contains(&options) {
                all.push(options);
            }
        }
        self.host.set_made_for(&all);
        if !self.world.profile.pull_diagnostics {
            self.unpublished.extend(self.buffers.keys().cloned());
        }
    }

    /// Tells the client to ask again for what depends on settings.
    fn refresh(&self) {
        let refreshes = self.world.profile.refreshes;
        if refreshes.inlay_hints {
            self.outbox.request::<lsp::InlayHintRefreshRequest>((), |_| {});
        }
        if refreshes.code_lenses {
            self.outbox.request::<lsp::CodeLensRefreshRequest>((), |_| {});
        }
        if refreshes.semantic_tokens {
            self.outbox.request::<lsp::SemanticTokensRefreshRequest>((), |_| {});
        }
        if refreshes.diagnostics {
            self.outbox.request::<lsp::DiagnosticRefreshRequest>((), |_| {});
        }
    }

    fn change_folders(&mut self, added: &[WorkspaceFolder], removed: &[WorkspaceFolder]) {
        let removed: Vec<_> = removed.iter().filter_map(|folder| uris::to_path(&folder.uri)).collect();
        self.folders.retain(|folder| !removed.contains(folder));
        let gone: Vec<_> = self.known_in(&removed).map(|document| document.key.clone()).collect();
        for key in gone.into_iter().filter(|key| !self.buffers.contains_key(key)) {
            self.writes.insert(key, Write::Gone);
        }
        let added: Vec<_> = added.iter().filter_map(|folder| uris::to_path(&folder.uri)).collect();
        self.folders.extend(added.iter().cloned());
        self.scan(added);
    }

    /// The documents that lie in some folders.
    fn known_in(&self, folders: &[PathBuf]) -> impl Iterator<Item = &Arc<Document>> {
        self.world.documents.sorted().into_iter().filter(|document| {
            let path = uris::to_path(&document.uri);
            path.is_some_and(|path| folders.iter().any(|folder| path.starts_with(folder)))
        })
    }

    /// Reads again what has changed on disk. A client may tell of more than it was asked to.
    fn files_changed(&mut self, events: Vec<FileEvent>) {
        let (kernels, others): (Vec<_>, Vec<_>) = events.into_iter().partition(|event| uris::is_kernel(&event.uri));
        let gone = others.iter().filter(|event| event.kind == FileChangeType::Deleted);
        let gone: Vec<_> = gone.filter_map(|event| uris::to_path(&event.uri)).collect();
        let mut files: Vec<_> = kernels.into_iter().map(|event| event.uri).collect();
        // Most news are of a file that was saved, and nobody looks through all documents for that.
        if !gone.is_empty() {
            files.extend(self.known_in(&gone).map(|document| document.uri.clone()));
        }
        if !files.is_empty() {
            self.disk.read(files);
        }
    }

    fn scan(&self, folders: Vec<PathBuf>) {
        if self.world.config.workspace && !folders.is_empty() {
            self.disk.scan(folders, self.world.profile.work_done_progress);
        }
    }

    // Documents.

    fn open(&mut self, uri: Uri, version: i32, text: String) {
        let key = uris::key(&uri);
        // Nobody edits the prelude, and it is known already.
        if self.world.memory.known_prelude(&key).is_some() {
            return;
        }
        self.buffers.insert(key.clone(), Buffer::new(uri, version, text));
        self.changed(key);
    }

    fn change(&mut self, uri: &Uri, version: i32, changes: Vec<Change>) {
        let key = uris::key(uri);
        let unit = self.world.profile.unit;
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
        self.writes.insert(key.clone(), Write::Gone);
        if self.unpublished.remove(&key) || !self.world.profile.pull_diagnostics {
            let none = PublishDiagnosticsParams { uri: buffer.uri, version: None, diagnostics: Vec::new() };
            self.outbox.notify::<PublishDiagnosticsNotification>(none);
        }
        // What the workspace has under this name is now what is on disk.
        let path = uris::to_path(uri);
        if path.is_some_and(|path| self.folders.iter().any(|folder| path.starts_with(folder))) {
            self.disk.read(vec![uri.clone()]);
        }
    }

    fn found(&mut self, found: Found) {
        // What is open is what the client says it is.
        if self.buffers.contains_key(&found.key) {
            return;
        }
        self.outdate(&found.key);
        let write = match found.text {
            Some(text) => Write::Closed(Document::closed(found.key.clone(), found.uri, text)),
            None => Write::Gone,
        };
        self.writes.insert(found.key, write);
    }

    fn changed(&mut self, key: Key) {
        self.outdate(&key);
        if !self.world.profile.pull_diagnostics {
            self.unpublished.insert(key.clone());
        }
        self.writes.insert(key, Write::Buffer);
    }

    /// Refuses all questions about a document: the text they are about is gone.
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

    /// Makes all edits that have arrived.
    fn write(&mut self) {
        for (key, write) in std::mem::take(&mut self.writes) {
            self.outdate_views(&key);
            let document = match write {
                Write::Closed(document) => Some(document),
                Write::Gone => None,
                Write::Buffer => self.buffers.get(&key).map(|it| it.document(key.clone(), Arc::from(it.text()))),
            };
            match document {
                Some(document) => {
                    self.host.share_text(&key, document.text.clone());
                    self.world_mut().documents.set(document);
                }
                None => {
                    self.host.remove(&key);
                    self.outdated_files.remove(&key);
                    let world = self.world_mut();
                    world.documents.remove(&key);
                    world.memory.forget(&key);
                }
            }
        }
    }

    /// Views of a document show what was: the client asks for those that it has as documents, and files are written again.
    fn outdate_views(&mut self, source: &Key) {
        for uri in self.world.memory.outdated_views(source) {
            let params = lsp::TextDocumentContentRefreshParams { uri };
            self.outbox.request::<lsp::TextDocumentContentRefreshRequest>(params, |_| {});
        }
        if !self.world.memory.views_as_files(source).is_empty() {
            self.outdated_files.insert(source.clone());
        }
    }

    fn world_mut(&mut self) -> &mut World {
        Arc::make_mut(&mut self.world)
    }

    // Questions.

    /// Gives what waits to the readers that are free; diagnostics nobody waits for come last.
    fn hand_out(&mut self) {
        self.waiting.retain(|question| !question.stop().is_stopped());
        while self.readers.n_free() > 0 {
            // What is slow never takes the last reader, so that a hover behind it need not wait.
            let next = self.waiting.iter().position(|it| !it.is_slow() || self.readers.may_be_slow());
            let question = match next.and_then(|n| self.waiting.remove(n)) {
                Some(question) => question,
                None if self.waiting.is_empty() && self.readers.may_be_slow() => match self.next_of_ours() {
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
            let job = Job { question, snapshot: self.host.snapshot(), world: self.world.clone() };
            let reader = self.readers.start(job);
            self.running.push(Running { reader, ..running });
        }
    }

    /// What is to be told or written, though nobody has asked.
    fn next_of_ours(&mut self) -> Option<Box<dyn Question>> {
        if let Some(key) = self.unpublished.iter().next().cloned() {
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
            // A document whose text has changed is published for its new text, which is waiting already.
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

/// The folders that a client opens, in the newest of the three ways to say so that it uses.
fn folders_of(introduction: &Value) -> Vec<PathBuf> {
    let path = |uri: &Value| uris::to_path(&Uri(uri.as_str()?.to_owned()));
    if let Some(folders) = introduction["workspaceFolders"].as_array() {
        return folders.iter().filter_map(|folder| path(&folder["uri"])).collect();
    }
    let root = path(&introduction["rootUri"]);
    root.or_else(|| introduction["rootPath"].as_str().map(PathBuf::from)).into_iter().collect()
}
