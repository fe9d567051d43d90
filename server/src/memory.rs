//! What is remembered of earlier answers, because a later one builds on it. Nothing here is a fact: an answer is right
//! without it, only longer, or less kind.

use std::collections::{HashMap, HashSet};
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use analysis::check::Report;
use analysis::item_cache::ItemCache;
use analysis::{TextRange, prelude};
use tower_lsp::gen_lsp_types::{SemanticToken, Uri};

use crate::documents::{Document, Key};
use crate::features::semantic_tokens::ItemTokens;
use crate::uris;

/// The scheme of the prelude's address.
pub(crate) const PRELUDE_SCHEME: &str = "lanescope-prelude";

/// What is remembered.
#[derive(Default)]
pub(crate) struct Memory {
    next: AtomicU64,
    kept: Mutex<Remembered>,
    /// Views as files, for clients that open nothing else.
    files: Mutex<Files>,
    /// The prelude, as the client can open it.
    prelude: OnceLock<Arc<Document>>,
}

/// Where views are written; it goes with the server.
#[derive(Default)]
struct Files {
    folder: Option<Folder>,
    ended: bool,
}

#[derive(Default)]
struct Remembered {
    tokens: HashMap<Key, SentTokens>,
    /// What was found of each document when its tokens were last asked for, and its findings.
    item_tokens: HashMap<Key, ItemCache<ItemTokens>>,
    reports: HashMap<Key, ItemCache<Report>>,
    views: HashMap<ViewKey, Arc<KeptView>>,
    /// The addresses of views of a document that the client has the present text of.
    served: HashMap<Key, HashSet<Uri>>,
    /// The addresses of views of a document that the client has as files.
    files: HashMap<Key, HashSet<Uri>>,
}

/// The tokens of a document, as they were sent.
#[derive(Clone)]
pub(crate) struct SentTokens {
    pub(crate) id: String,
    pub(crate) tokens: Arc<Vec<SemanticToken>>,
}

/// Which view.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct ViewKey {
    pub(crate) document: Key,
    pub(crate) name: String,
    pub(crate) stage: String,
    pub(crate) target: String,
}

/// A view as it was when its source was right.
#[derive(Debug, Clone)]
pub(crate) struct KeptView {
    pub(crate) text: String,
    /// The version of the source.
    pub(crate) version: Option<i32>,
    /// The source of each line, in that version.
    pub(crate) lines: Vec<Option<TextRange>>,
    pub(crate) note: Option<String>,
}

impl Memory {
    /// Remembers tokens under a new name.
    pub(crate) fn sent(&self, key: &Key, tokens: Vec<SemanticToken>) -> SentTokens {
        let id = self.next.fetch_add(1, Ordering::Relaxed).to_string();
        let sent = SentTokens { id, tokens: Arc::new(tokens) };
        self.lock().tokens.insert(key.clone(), sent.clone());
        sent
    }

    /// The tokens that were sent under a name, if they were the last.
    pub(crate) fn tokens_of(&self, key: &Key, id: &str) -> Option<SentTokens> {
        self.lock().tokens.get(key).filter(|sent| sent.id == id).cloned()
    }

    /// Lets something be asked of what is kept of a document's tokens. Of two who ask at once one starts anew, which takes
    /// longer and comes to the same.
    pub(crate) fn with_tokens<R>(&self, key: &Key, ask: impl FnOnce(&mut ItemCache<ItemTokens>) -> R) -> R {
        ask(&mut Lent::new(self, key, |remembered| &mut remembered.item_tokens).kept)
    }

    /// The same of its findings.
    pub(crate) fn with_reports<R>(&self, key: &Key, ask: impl FnOnce(&mut ItemCache<Report>) -> R) -> R {
        ask(&mut Lent::new(self, key, |remembered| &mut remembered.reports).kept)
    }

    /// Keeps a view until there is a newer one. Of two that are made at the same time, the newer stays.
    pub(crate) fn keep(&self, key: &ViewKey, view: KeptView) -> Arc<KeptView> {
        let view = Arc::new(view);
        let mut kept = self.lock();
        if kept.views.get(key).is_none_or(|before| before.version <= view.version) {
            kept.views.insert(key.clone(), view.clone());
        }
        view
    }

    /// The last good view.
    pub(crate) fn kept(&self, key: &ViewKey) -> Option<Arc<KeptView>> {
        self.lock().views.get(key).cloned()
    }

    /// Remembers that a client has a view as a document.
    pub(crate) fn serves(&self, source: &Key, view: &Uri) {
        self.lock().served.entry(source.clone()).or_default().insert(view.clone());
    }

    /// The views of a document that the client has and that have changed with it. Each is named once: a client that
    /// still shows it asks for its text, and is told again then.
    pub(crate) fn outdated_views(&self, source: &Key) -> Vec<Uri> {
        sorted(self.lock().served.remove(source).into_iter().flatten())
    }

    /// Remembers that a client has a view as a file.
    pub(crate) fn shows_as_file(&self, source: &Key, view: &Uri) {
        self.lock().files.entry(source.clone()).or_default().insert(view.clone());
    }

    /// The views of a document that the client has as files.
    pub(crate) fn views_as_files(&self, source: &Key) -> Vec<Uri> {
        sorted(self.lock().files.get(source).into_iter().flatten().cloned())
    }

    /// The prelude as a document: one of ours, or else a file. `None` when no file can be written.
    pub(crate) fn prelude(&self, as_document: bool) -> Option<&Arc<Document>> {
        if let Some(known) = self.prelude.get() {
            return Some(known);
        }
        let uri = match as_document {
            true => Uri(format!("{PRELUDE_SCHEME}:/{}", prelude::NAME)),
            false => uris::from_path(&self.view_file(prelude::NAME, prelude::TEXT).ok()?),
        };
        let document = Document::closed(uris::key(&uri), uri, Arc::from(prelude::TEXT));
        Some(self.prelude.get_or_init(|| Arc::new(document)))
    }

    /// The prelude, if the client has heard of it.
    pub(crate) fn known_prelude(&self, key: &str) -> Option<&Arc<Document>> {
        self.prelude.get().filter(|prelude| &*prelude.key == key)
    }

    /// Forgets a document.
    pub(crate) fn forget(&self, key: &Key) {
        let mut kept = self.lock();
        kept.tokens.remove(key);
        kept.item_tokens.remove(key);
        kept.reports.remove(key);
        kept.views.retain(|view, _| view.document != *key);
        kept.served.remove(key);
        kept.files.remove(key);
    }

    /// Writes a view to a file that nobody is meant to edit.
    pub(crate) fn view_file(&self, name: &str, text: &str) -> io::Result<PathBuf> {
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        if files.ended {
            return Err(io::Error::other("the server has ended"));
        }
        let folder = match files.folder.take() {
            Some(folder) => folder,
            None => Folder::new()?,
        };
        files.folder.insert(folder).write(name, text)
    }

    /// Removes the files, and keeps others from being made. Work that is still being stopped may hold on to all else.
    pub(crate) fn end(&self) {
        *self.files.lock().unwrap_or_else(PoisonError::into_inner) = Files { folder: None, ended: true };
    }

    fn lock(&self) -> MutexGuard<'_, Remembered> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Where something of every document is kept.
type KeptOfAll<T> = fn(&mut Remembered) -> &mut HashMap<Key, ItemCache<T>>;

/// Something that is kept, while somebody uses it. It comes back also when an edit stops the use.
struct Lent<'m, T> {
    memory: &'m Memory,
    key: &'m Key,
    of_all: KeptOfAll<T>,
    kept: ItemCache<T>,
}

impl<'m, T> Lent<'m, T> {
    fn new(memory: &'m Memory, key: &'m Key, of_all: KeptOfAll<T>) -> Lent<'m, T> {
        let kept = of_all(&mut memory.lock()).remove(key).unwrap_or_default();
        Lent { memory, key, of_all, kept }
    }
}

impl<T> Drop for Lent<'_, T> {
    fn drop(&mut self) {
        let kept = std::mem::take(&mut self.kept);
        (self.of_all)(&mut self.memory.lock()).insert(self.key.clone(), kept);
    }
}

fn sorted(uris: impl Iterator<Item = Uri>) -> Vec<Uri> {
    let mut uris: Vec<_> = uris.collect();
    uris.sort_by(|a, b| a.0.cmp(&b.0));
    uris
}

/// A folder of our own among the system's temporary ones.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> io::Result<Folder> {
        tempfile::Builder::new().prefix("lanescope-views-").tempdir().map(Folder)
    }

    fn write(&self, name: &str, text: &str) -> io::Result<PathBuf> {
        let path = self.0.path().join(name.replace(['/', '\\'], "_"));
        // In place of the file there was, which cannot be written to.
        let mut file = tempfile::NamedTempFile::new_in(self.0.path())?;
        file.write_all(text.as_bytes())?;
        let mut permissions = file.as_file().metadata()?.permissions();
        permissions.set_readonly(true);
        file.as_file().set_permissions(permissions)?;
        file.persist(&path).map_err(|error| error.error)?;
        Ok(path)
    }
}
