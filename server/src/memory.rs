//! Earlier answers that later ones build on. Nothing here is a fact: an answer without it is correct too, but larger or less
//! helpful.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;
use std::io::{self, Write};
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use queries::item_cache::ItemCache;
use queries::prelude;
use queries::surface::libraries::LIBRARIES;
use report::{ItemKey, TextRange};
use tower_lsp::gen_lsp_types::{SemanticToken, Uri};

use crate::documents::{Document, Key, Language};
use crate::features::diagnostics::FileFindings;
use crate::features::faster::KeptTrial;
use crate::features::kept_hints::GoodHints;
use crate::features::kept_lists::KeptList;
use crate::features::saved_costs::SavedCosts;
use crate::features::semantic_tokens::ItemTokens;
use crate::uris;

/// URI scheme of the prelude.
pub(crate) const PRELUDE_SCHEME: &str = "lanescope-prelude";

/// State kept between requests, shared by all readers.
#[derive(Default)]
pub(crate) struct Memory {
    next: AtomicU64,
    kept: Mutex<Remembered>,
    /// The kernel that is being measured.
    trying: Mutex<Option<String>>,
    /// Views written as files, for clients that can open nothing else.
    files: Mutex<Files>,
    /// The prelude and the libraries as documents that the client can open.
    own_files: OnceLock<Vec<Arc<Document>>>,
}

/// The temporary folder of view files, removed when the server ends.
#[derive(Default)]
struct Files {
    folder: Option<Folder>,
    ended: bool,
}

#[derive(Default)]
struct Remembered {
    tokens: HashMap<Key, SentTokens>,
    /// Tokens of each document from the last request, per item; and its findings likewise.
    item_tokens: HashMap<Key, ItemCache<ItemTokens>>,
    findings: HashMap<Key, FileFindings>,
    /// The lists about each document, by method.
    lists: HashMap<(Key, &'static str), KeptList>,
    /// The paths on which what is said of each ISPC document depends.
    depends_on: HashMap<Key, Arc<HashSet<Key>>>,
    /// The lines of each document that were asked about last.
    looked_at: HashMap<Key, RangeInclusive<u32>>,
    views: HashMap<ViewKey, Arc<KeptView>>,
    /// The version of each document whose facts about lanes were sought last, and whether they are known.
    facts: HashMap<Key, (i32, bool)>,
    /// Hints of the items of each document, from when they were last without errors.
    hints: HashMap<Key, HashMap<ItemKey, GoodHints>>,
    /// Addresses of views, by source, of which the client has the present text.
    served: HashMap<Key, HashSet<Uri>>,
    /// Addresses of views, by source, that the client has as files.
    files: HashMap<Key, HashSet<Uri>>,
    /// The costs of loops in the saved text of each open document.
    saved: HashMap<Key, SavedCosts>,
    /// The last trial of each kernel, by document.
    trials: HashMap<Key, Vec<Arc<KeptTrial>>>,
}

/// The turn of a kernel to be measured, which ends when this is dropped.
pub(crate) struct TrialTurn(Arc<Memory>);

impl Drop for TrialTurn {
    fn drop(&mut self) {
        *self.0.trying.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// The state of the facts about the lanes of a version of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FactsOf {
    /// Nobody has asked for them.
    Unknown,
    /// A task is finding them.
    Sought,
    /// They are found, so an answer that needs them takes no time.
    Known,
}

/// The tokens of a document, as they were sent.
#[derive(Clone)]
pub(crate) struct SentTokens {
    pub(crate) id: String,
    pub(crate) tokens: Arc<Vec<SemanticToken>>,
}

/// Key of a kept view: kernel, stage and target.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct ViewKey {
    pub(crate) document: Key,
    pub(crate) name: String,
    pub(crate) stage: String,
    pub(crate) target: String,
}

/// A view with the map of its lines to source, as it was made last from a source without errors.
#[derive(Debug, Clone, Default)]
pub(crate) struct KeptView {
    pub(crate) text: String,
    /// Version of the source document.
    pub(crate) version: Option<i32>,
    /// Source range of each line, in that version.
    pub(crate) lines: Vec<Option<TextRange>>,
    pub(crate) note: Option<String>,
    /// Set if it is shown for a later version of the source.
    pub(crate) outdated: bool,
}

impl Memory {
    /// Stores tokens under a new result id.
    pub(crate) fn sent(&self, key: &Key, tokens: Vec<SemanticToken>) -> SentTokens {
        let id = self.next.fetch_add(1, Ordering::Relaxed).to_string();
        let sent = SentTokens { id, tokens: Arc::new(tokens) };
        self.lock().tokens.insert(key.clone(), sent.clone());
        sent
    }

    /// The tokens sent under a result id, if they were the last ones.
    pub(crate) fn tokens_of(&self, key: &Key, id: &str) -> Option<SentTokens> {
        self.lock().tokens.get(key).filter(|sent| sent.id == id).cloned()
    }

    /// Gives `ask` access to the kept tokens of a document. Of two concurrent calls one starts with an empty cache, which takes
    /// longer and gives an equal result.
    pub(crate) fn with_tokens<R>(&self, key: &Key, ask: impl FnOnce(&mut ItemCache<ItemTokens>) -> R) -> R {
        ask(&mut Lent::new(self, key.clone(), |remembered| &mut remembered.item_tokens).kept)
    }

    /// Gives `ask` access to the kept list of a method about a document, like [`Self::with_tokens`].
    pub(crate) fn with_list<R>(&self, key: &Key, method: &'static str, ask: impl FnOnce(&mut KeptList) -> R) -> R {
        ask(&mut Lent::new(self, (key.clone(), method), |remembered| &mut remembered.lists).kept)
    }

    /// Gives `ask` access to the kept findings of a document, like [`Self::with_tokens`].
    pub(crate) fn with_findings<R>(&self, key: &Key, ask: impl FnOnce(&mut FileFindings) -> R) -> R {
        ask(&mut Lent::new(self, key.clone(), |remembered| &mut remembered.findings).kept)
    }

    /// Records the documents on which what is said of an ISPC document depends.
    pub(crate) fn set_depends_on(&self, key: &Key, others: HashSet<Key>) {
        self.lock().depends_on.insert(key.clone(), Arc::new(others));
    }

    /// The ISPC documents of which something was said that depends on one of some documents.
    pub(crate) fn dependents(&self, changed: &[Key]) -> Vec<Key> {
        let kept = self.lock();
        let depends = |others: &HashSet<Key>| changed.iter().any(|key| others.contains(key));
        kept.depends_on.iter().filter(|(_, others)| depends(others)).map(|(key, _)| key.clone()).collect()
    }

    /// Records that the client has asked about lines of a document: most likely those that it shows.
    pub(crate) fn looks_at(&self, key: &Key, lines: RangeInclusive<u32>) {
        self.lock().looked_at.insert(key.clone(), lines);
    }

    /// The lines of a document that the client has asked about last.
    pub(crate) fn looked_at(&self, key: &Key) -> Option<RangeInclusive<u32>> {
        self.lock().looked_at.get(key).cloned()
    }

    /// The state of the facts about the lanes of a document's version. Where nobody seeks them, the caller is to.
    pub(crate) fn facts_of(&self, key: &Key, version: i32) -> FactsOf {
        let mut kept = self.lock();
        match kept.facts.get(key) {
            Some(&(known, is_known)) if known == version => match is_known {
                true => FactsOf::Known,
                false => FactsOf::Sought,
            },
            _ => {
                kept.facts.insert(key.clone(), (version, false));
                FactsOf::Unknown
            }
        }
    }

    /// Records that the facts about the lanes of a document's version are known.
    pub(crate) fn knows_facts(&self, key: &Key, version: i32) {
        self.lock().facts.insert(key.clone(), (version, true));
    }

    /// Stores a view. Of two that are made at the same time, the one of the newer source stays.
    pub(crate) fn keep(&self, key: &ViewKey, view: KeptView) -> Arc<KeptView> {
        let view = Arc::new(view);
        let mut kept = self.lock();
        if kept.views.get(key).is_none_or(|before| before.version <= view.version) {
            kept.views.insert(key.clone(), view.clone());
        }
        view
    }

    /// The last good view of a key.
    pub(crate) fn kept(&self, key: &ViewKey) -> Option<Arc<KeptView>> {
        self.lock().views.get(key).cloned()
    }

    /// Stores the hints of an item without errors. A document with `n_items` items has no more of them, so that names which were
    /// there while another was typed leave nothing.
    pub(crate) fn keep_hints(&self, document: &Key, item: ItemKey, hints: GoodHints, n_items: usize) {
        let mut kept = self.lock();
        let of_document = kept.hints.entry(document.clone()).or_default();
        if of_document.len() >= n_items && !of_document.contains_key(&item) {
            of_document.clear();
        }
        of_document.insert(item, hints);
    }

    /// The hints of an item from when it was last without errors.
    pub(crate) fn good_hints(&self, document: &Key, item: &ItemKey) -> Option<GoodHints> {
        self.lock().hints.get(document)?.get(item).cloned()
    }

    /// Records the text of a document that is on the disk.
    pub(crate) fn save(&self, key: &Key, text: Arc<str>) {
        self.lock().saved.entry(key.clone()).or_default().save(text);
    }

    /// Gives `ask` access to the costs in the saved text of a document, if it is saved anywhere. It must be quick.
    pub(crate) fn with_saved<R>(&self, key: &Key, ask: impl FnOnce(&mut SavedCosts) -> R) -> Option<R> {
        self.lock().saved.get_mut(key).map(ask)
    }

    /// Gives a kernel its turn to be measured; `Err` is the name of the one whose turn it is.
    pub(crate) fn begin_trial(self: &Arc<Memory>, kernel: &str) -> Result<TrialTurn, String> {
        let mut trying = self.trying.lock().unwrap_or_else(PoisonError::into_inner);
        match &*trying {
            Some(other) => Err(other.clone()),
            None => {
                *trying = Some(kernel.to_owned());
                Ok(TrialTurn(self.clone()))
            }
        }
    }

    /// Stores the trial of a kernel, in place of an earlier one. It is made of a number that no other has.
    pub(crate) fn keep_trial(&self, key: &Key, trial: impl FnOnce(u64) -> KeptTrial) -> Arc<KeptTrial> {
        let trial = Arc::new(trial(self.next.fetch_add(1, Ordering::Relaxed)));
        let mut kept = self.lock();
        let of_document = kept.trials.entry(key.clone()).or_default();
        of_document.retain(|other| other.kernel() != trial.kernel());
        of_document.push(trial.clone());
        trial
    }

    /// The last trial of a kernel.
    pub(crate) fn trial(&self, key: &Key, kernel: &str) -> Option<Arc<KeptTrial>> {
        self.lock().trials.get(key)?.iter().find(|trial| trial.kernel() == kernel).cloned()
    }

    /// Returns true if the client has the present text of a view as a document.
    pub(crate) fn is_served(&self, source: &Key, view: &Uri) -> bool {
        self.lock().served.get(source).is_some_and(|views| views.contains(view))
    }

    /// Records that the client has a view as a document.
    pub(crate) fn serves(&self, source: &Key, view: &Uri) {
        self.lock().served.entry(source.clone()).or_default().insert(view.clone());
    }

    /// The views of a document that the client has and that an edit has outdated. Each is returned once: a client that still
    /// shows it requests its text, which registers it again.
    pub(crate) fn outdated_views(&self, source: &Key) -> Vec<Uri> {
        sorted(self.lock().served.remove(source).into_iter().flatten())
    }

    /// Records that the client has a view as a file.
    pub(crate) fn shows_as_file(&self, source: &Key, view: &Uri) {
        self.lock().files.entry(source.clone()).or_default().insert(view.clone());
    }

    /// The views of a document that the client has as files.
    pub(crate) fn views_as_files(&self, source: &Key) -> Vec<Uri> {
        sorted(self.lock().files.get(source).into_iter().flatten().cloned())
    }

    /// The prelude and behind it the libraries as documents, virtual if `as_documents` is set, otherwise files. Empty when no file can be
    /// written.
    pub(crate) fn own_files(&self, as_documents: bool) -> &[Arc<Document>] {
        if let Some(known) = self.own_files.get() {
            return known;
        }
        let libraries = LIBRARIES.iter().map(|library| (library.file_name(), library.text));
        let files = std::iter::once((prelude::NAME.to_owned(), prelude::TEXT)).chain(libraries);
        let document = |(name, text): (String, &str)| {
            let uri = match as_documents {
                true => Uri(format!("{PRELUDE_SCHEME}:/{name}")),
                false => uris::from_path(&self.view_file(&name, text).ok()?),
            };
            Some(Arc::new(Document::closed(uris::key(&uri), uri, Arc::from(text), Language::Lane)))
        };
        match files.map(document).collect::<Option<Vec<_>>>() {
            Some(files) => self.own_files.get_or_init(|| files),
            None => &[],
        }
    }

    /// The number, in the list of [`Self::own_files`], of a document whose address was sent to the client before.
    pub(crate) fn known_own_file(&self, key: &str) -> Option<(usize, &Arc<Document>)> {
        self.own_files.get()?.iter().enumerate().find(|(_, file)| &*file.key == key)
    }

    /// Removes everything kept about a document.
    pub(crate) fn forget(&self, key: &Key) {
        let mut kept = self.lock();
        kept.tokens.remove(key);
        kept.item_tokens.remove(key);
        kept.findings.remove(key);
        kept.lists.retain(|(document, _), _| document != key);
        kept.depends_on.remove(key);
        kept.looked_at.remove(key);
        kept.facts.remove(key);
        kept.hints.remove(key);
        kept.views.retain(|view, _| view.document != *key);
        kept.served.remove(key);
        kept.files.remove(key);
        kept.trials.remove(key);
        kept.saved.remove(key);
    }

    /// Writes a view to a read-only file.
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

    /// Removes the files, and prevents new ones. Work that is still stopping may keep the other fields alive.
    pub(crate) fn end(&self) {
        *self.files.lock().unwrap_or_else(PoisonError::into_inner) = Files { folder: None, ended: true };
    }

    fn lock(&self) -> MutexGuard<'_, Remembered> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Projection to one of the caches that hold an entry for every document.
type KeptOfAll<K, T> = fn(&mut Remembered) -> &mut HashMap<K, T>;

/// A cache entry taken out for use. It is put back on drop, also when an edit cancels the use.
struct Lent<'m, K: Clone + Eq + Hash, T: Default> {
    memory: &'m Memory,
    key: K,
    of_all: KeptOfAll<K, T>,
    kept: T,
}

impl<'m, K: Clone + Eq + Hash, T: Default> Lent<'m, K, T> {
    fn new(memory: &'m Memory, key: K, of_all: KeptOfAll<K, T>) -> Lent<'m, K, T> {
        let kept = of_all(&mut memory.lock()).remove(&key).unwrap_or_default();
        Lent { memory, key, of_all, kept }
    }
}

impl<K: Clone + Eq + Hash, T: Default> Drop for Lent<'_, K, T> {
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

/// A private folder among the system's temporary ones.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> io::Result<Folder> {
        tempfile::Builder::new().prefix("lanescope-views-").tempdir().map(Folder)
    }

    fn write(&self, name: &str, text: &str) -> io::Result<PathBuf> {
        let path = self.0.path().join(name.replace(['/', '\\'], "_"));
        // The file is replaced as a whole, since the old one is read-only.
        let mut file = tempfile::NamedTempFile::new_in(self.0.path())?;
        file.write_all(text.as_bytes())?;
        let mut permissions = file.as_file().metadata()?.permissions();
        permissions.set_readonly(true);
        file.as_file().set_permissions(permissions)?;
        file.persist(&path).map_err(|error| error.error)?;
        Ok(path)
    }
}
