//! Reads the files of the workspace that are not open, on a thread of its own, so that a slow disk blocks nothing else.

use std::collections::{HashMap, VecDeque};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::json;
use tower_lsp::gen_lsp_types::{
    MessageType, ProgressNotification, ProgressParams, ProgressToken, Uri, WorkDoneProgressCreateParams,
    WorkDoneProgressCreateRequest,
};

use super::Event;
use crate::client::Outbox;
use crate::documents::Key;
use crate::uris;

/// Size limit in bytes of files read from the workspace; larger ones are read only when opened.
const LARGEST: u64 = 8 << 20;
/// Limit on the number of files read; a folder with more is no project of kernels.
const MOST: usize = 20_000;
/// Number of files reported to the core in one event.
const BATCH: usize = 64;

/// A file that was read, with its contents.
pub(crate) struct Found {
    pub(crate) key: Key,
    pub(crate) uri: Uri,
    /// Contents of the file, or `None` when it does not exist.
    pub(crate) text: Option<Arc<str>>,
}

enum Command {
    Scan(Vec<PathBuf>, Progress),
    Read(Vec<Uri>),
    /// Reads the file of a document that was closed.
    ReadClosed(Uri),
    /// Reads the file of a document that was opened.
    ReadOpened(Uri),
}

/// Handle of the thread that reads.
pub(crate) struct Disk {
    commands: Sender<Command>,
    outbox: Outbox,
    scans: Mutex<HashMap<ProgressToken, Arc<AtomicBool>>>,
}

impl Disk {
    /// Starts the thread, which sends the files it finds to `core`.
    pub(crate) fn new(core: Sender<Event>, outbox: Outbox) -> Disk {
        let (commands, to_do) = channel();
        let reader = Reader { core, outbox: outbox.clone() };
        std::thread::spawn(move || reader.work(&to_do));
        Disk { commands, outbox, scans: Mutex::default() }
    }

    /// Reads all kernel files in some folders; progress is shown if `show` is set and the client supports it.
    pub(crate) fn scan(&self, folders: Vec<PathBuf>, show: bool) {
        let mut scans = self.scans.lock().unwrap_or_else(PoisonError::into_inner);
        let progress = Progress::new(scans.len(), self.outbox.clone());
        if show {
            scans.insert(progress.token.clone(), progress.cancelled.clone());
            progress.create();
        }
        let _ = self.commands.send(Command::Scan(folders, progress));
    }

    /// Reads some files again.
    pub(crate) fn read(&self, files: Vec<Uri>) {
        let _ = self.commands.send(Command::Read(files));
    }

    /// Reads the file of a document that was closed; the core waits for this one.
    pub(crate) fn read_closed(&self, file: Uri) {
        let _ = self.commands.send(Command::ReadClosed(file));
    }

    /// Reads the file of a document that was opened, whose text may be another one.
    pub(crate) fn read_opened(&self, file: Uri) {
        let _ = self.commands.send(Command::ReadOpened(file));
    }

    /// Cancels the scan that the user sees under this progress token.
    pub(crate) fn cancel(&self, token: &ProgressToken) {
        if let Some(cancelled) = self.scans.lock().unwrap_or_else(PoisonError::into_inner).get(token) {
            cancelled.store(true, Ordering::Relaxed);
        }
    }
}

/// Progress of a scan, as shown to the user.
struct Progress {
    token: ProgressToken,
    outbox: Outbox,
    cancelled: Arc<AtomicBool>,
    /// Set once the client has agreed to show it.
    shown: Arc<AtomicBool>,
}

impl Progress {
    fn new(n: usize, outbox: Outbox) -> Progress {
        let token = ProgressToken::String(format!("lanescope/scan/{n}"));
        Progress { token, outbox, cancelled: Arc::default(), shown: Arc::default() }
    }

    /// Asks the client to show progress. Until it has agreed nothing is sent, and the scan does not wait for that.
    fn create(&self) {
        let (shown, token, outbox) = (self.shown.clone(), self.token.clone(), self.outbox.clone());
        let params = WorkDoneProgressCreateParams { token: token.clone() };
        self.outbox.request::<WorkDoneProgressCreateRequest>(params, move |answer| {
            if answer.is_ok() {
                let begin = json!({ "kind": "begin", "title": "Reading kernels", "cancellable": true });
                outbox.notify::<ProgressNotification>(ProgressParams { token: token.clone(), value: begin });
                // If the scan has finished by now, its progress ends here, otherwise at the end of the scan.
                if shown.swap(true, Ordering::SeqCst) {
                    outbox.notify::<ProgressNotification>(ProgressParams { token, value: json!({ "kind": "end" }) });
                }
            }
        });
    }

    fn report(&self, n_files: usize) {
        if self.shown.load(Ordering::SeqCst) {
            let value = json!({ "kind": "report", "message": format!("{n_files} files") });
            self.outbox.notify::<ProgressNotification>(ProgressParams { token: self.token.clone(), value });
        }
    }

    fn end(&self) {
        if self.shown.swap(true, Ordering::SeqCst) {
            let value = json!({ "kind": "end" });
            self.outbox.notify::<ProgressNotification>(ProgressParams { token: self.token.clone(), value });
        }
    }
}

struct Reader {
    core: Sender<Event>,
    outbox: Outbox,
}

impl Reader {
    fn work(&self, commands: &Receiver<Command>) {
        let mut scans = VecDeque::new();
        loop {
            let next = scans.pop_front().map_or_else(|| commands.recv().ok(), Some);
            match next {
                Some(Command::Scan(folders, progress)) => scans.extend(self.scan(folders, &progress, commands)),
                Some(command) => self.read_now(command),
                None => return,
            }
        }
    }

    /// Reads the files of a command.
    fn read_now(&self, command: Command) {
        let event = match command {
            Command::Read(files) => Event::Found(files.into_iter().filter_map(|uri| self.read(uri)).collect()),
            Command::ReadClosed(file) => match self.read(file) {
                Some(found) => Event::FoundClosed(found),
                None => return,
            },
            // Why it cannot be read is of no matter, since the client has its text.
            Command::ReadOpened(uri) => match uris::to_path(&uri).and_then(|path| read(&path).ok()) {
                Some(text) => Event::FoundOpened(Found { key: uris::key(&uri), uri, text: Some(Arc::from(text)) }),
                None => return,
            },
            Command::Scan(..) => return,
        };
        let _ = self.core.send(event);
    }

    /// Scans folders. Single files are read in between, since somebody waits for those; the scans that were asked for meanwhile are
    /// returned.
    fn scan(&self, folders: Vec<PathBuf>, progress: &Progress, commands: &Receiver<Command>) -> Vec<Command> {
        let mut later = Vec::new();
        let mut batch = Vec::new();
        let mut n_files = 0;
        let mut waiting = folders;
        while let Some(folder) = waiting.pop() {
            if progress.cancelled.load(Ordering::Relaxed) || n_files >= MOST {
                break;
            }
            let (folders, files) = entries(&folder);
            waiting.extend(folders);
            for file in files {
                for command in commands.try_iter() {
                    match command {
                        Command::Scan(..) => later.push(command),
                        // Files that were found before must not arrive behind those that are read now.
                        command => {
                            let _ = self.core.send(Event::Found(std::mem::take(&mut batch)));
                            self.read_now(command);
                        }
                    }
                }
                n_files += 1;
                batch.extend(self.read(uris::from_path(&file)));
                if batch.len() >= BATCH {
                    let _ = self.core.send(Event::Found(std::mem::take(&mut batch)));
                    progress.report(n_files);
                }
            }
        }
        let _ = self.core.send(Event::Found(batch));
        if n_files >= MOST {
            self.outbox.log(MessageType::Warning, format!("only the first {MOST} files of the workspace were read"));
        }
        progress.end();
        later
    }

    /// Reads a file. An unreadable file is treated as deleted, and the log gives the reason.
    fn read(&self, uri: Uri) -> Option<Found> {
        let path = uris::to_path(&uri)?;
        let key = uris::key(&uri);
        let text = match read(&path) {
            Ok(text) => Some(Arc::from(text)),
            Err(error) => {
                if error.kind() != io::ErrorKind::NotFound {
                    self.outbox.log(MessageType::Warning, format!("{}: {error}", path.display()));
                }
                None
            }
        };
        Some(Found { key, uri, text })
    }
}

fn read(path: &Path) -> io::Result<String> {
    if fs::metadata(path)?.len() > LARGEST {
        return Err(io::Error::other("the file is too large to be read unasked"));
    }
    fs::read_to_string(path)
}

/// Lists the folders, and the files with kernels, in a folder, sorted. Hidden entries, build output, and links to folders, which may be
/// cyclic, are left out.
fn entries(folder: &Path) -> (Vec<PathBuf>, Vec<PathBuf>) {
    let (mut folders, mut files) = (Vec::new(), Vec::new());
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let Ok(kind) = entry.file_type() else { continue };
        if kind.is_dir() && !name.starts_with('.') && !matches!(&*name, "target" | "node_modules") {
            folders.push(entry.path());
        } else if !kind.is_dir() && (name.ends_with(".lane") || queries::ispc::is_ispc(&name)) {
            files.push(entry.path());
        }
    }
    folders.sort_unstable();
    files.sort_unstable();
    (folders, files)
}
