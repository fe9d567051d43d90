//! The host owns the one handle that writes; everyone else reads through snapshots.
//!
//! A write waits until every snapshot is dropped, and tells running queries to stop: they unwind with
//! [`Cancelled`], which [`Snapshot::catch`] turns into a value. So a snapshot is taken for one question and dropped with its
//! answer; one kept idle would hold back the next edit.

use std::sync::Arc;

use passes::pipeline::Options;
use salsa::{Cancelled, Setter};

use super::db::{Database, File, Files, Known};
use super::ispc::{Paths, Settings};
use super::names::forget;

/// The texts of all files, and all that is derived from them.
#[derive(Default)]
pub struct Host {
    db: Database,
    /// The files by their paths; snapshots have them, too.
    files: Arc<Files>,
    /// Set when files came or went that others may find by their names, until the next snapshot.
    has_other_files: bool,
    /// The paths of ISPC's files that are known, with their files.
    paths: Arc<Paths>,
    /// Set when that has changed, until the next snapshot.
    has_other_paths: bool,
    /// Files that were removed. Salsa keeps each input for as long as the database lives, so they become the next new ones.
    unused: Vec<File>,
}

/// A snapshot of the host's files, for a reader in another thread. A clone shows the same moment to one more thread.
#[derive(Clone)]
pub struct Snapshot {
    db: Database,
    files: Arc<Files>,
    paths: Arc<Paths>,
}

impl Host {
    /// A host whose database tells `listener` what it does.
    pub fn with_listener(listener: Box<dyn Fn(salsa::Event) + Send + Sync>) -> Host {
        Host {
            db: Database::with_listener(listener),
            files: Arc::default(),
            has_other_files: false,
            paths: Arc::default(),
            has_other_paths: false,
            unused: Vec::new(),
        }
    }

    /// Sets a file's text. Setting the text it has already changes nothing.
    pub fn set_text(&mut self, path: &str, text: &str) -> File {
        self.share_text(path, Arc::from(text))
    }

    /// Sets a file's text to one that others hold too.
    pub fn share_text(&mut self, path: &str, text: Arc<str>) -> File {
        let known = self.files.get(path).copied().or_else(|| {
            let file = self.unused.pop()?;
            file.set_name(&mut self.db).to(Arc::from(path));
            self.add(path, file);
            Some(file)
        });
        match known {
            Some(file) => {
                if *file.text(&self.db) != text {
                    file.set_text(&mut self.db).to(text);
                }
                file
            }
            None => {
                let file = File::builder(text).name(Arc::from(path)).new(&self.db);
                self.add(path, file);
                file
            }
        }
    }

    fn add(&mut self, path: &str, file: File) {
        self.has_other_files = true;
        Arc::make_mut(&mut self.files).insert(Arc::from(path), file);
    }

    /// Forgets a file, and all that was derived from it.
    pub fn remove(&mut self, path: &str) {
        if !self.files.contains_key(path) {
            return;
        }
        let Some(file) = Arc::make_mut(&mut self.files).remove(path) else { return };
        self.has_other_files = true;
        file.set_text(&mut self.db).to(Arc::from(""));
        // Results that hang on an item are dropped when the query that made the item runs again and makes it no more. Nobody asks about a
        // file that is gone, so it is asked here.
        forget(&self.db, file);
        self.unused.push(file);
    }

    /// Sets the text of an ISPC file, a header, or a list of commands; without a text, there is no file at that path.
    pub fn share_ispc_text(&mut self, path: &str, text: Option<Arc<str>>) {
        let before = self.paths.get(path).copied();
        let Some(text) = text else {
            if before != Some(None) {
                self.set_path(path, Some(None));
            }
            return;
        };
        match before {
            Some(Some(file)) if *file.text(&self.db) == text => {}
            Some(Some(file)) => _ = file.set_text(&mut self.db).to(text),
            _ => {
                let file = match self.unused.pop() {
                    Some(file) => {
                        file.set_name(&mut self.db).to(Arc::from(path));
                        file.set_text(&mut self.db).to(text);
                        file
                    }
                    None => File::builder(text).name(Arc::from(path)).new(&self.db),
                };
                self.set_path(path, Some(Some(file)));
            }
        }
    }

    /// Forgets what is known of the path of an ISPC file: whoever needs it reads it again.
    pub fn forget_ispc(&mut self, path: &str) {
        if self.paths.contains_key(path) {
            self.set_path(path, None);
        }
    }

    fn set_path(&mut self, path: &str, known: Option<Option<File>>) {
        self.has_other_paths = true;
        let paths = Arc::make_mut(&mut self.paths);
        let before = match known {
            Some(known) => paths.insert(Arc::from(path), known),
            None => paths.remove(path),
        };
        if let Some(Some(file)) = before {
            file.set_text(&mut self.db).to(Arc::from(""));
            self.unused.push(file);
        }
    }

    /// Returns true if something is known of the path of an ISPC file: its text, or that there is none.
    pub fn knows_ispc(&self, path: &str) -> bool {
        self.paths.contains_key(path)
    }

    /// Sets what settings say of the way in which ISPC's files are compiled; returns true if that was something else before.
    pub fn set_ispc_settings(&mut self, settings: Settings) -> bool {
        self.db.set_ispc_settings(settings)
    }

    /// Sets the targets that questions are about: see [`Database::set_made_for`].
    pub fn set_made_for(&mut self, all: &[Options]) {
        self.db.set_made_for(all);
    }

    /// Shows a template as one of its instances: see [`Database::choose_instance`].
    pub fn choose_instance(&mut self, template: &str, instance: &str) {
        self.db.choose_instance(template, instance);
    }

    /// A view of the files as they are now.
    pub fn snapshot(&mut self) -> Snapshot {
        // A file that was closed and opened again is the same.
        if std::mem::take(&mut self.has_other_files) && *Known::get(&self.db).files(&self.db) != self.files {
            self.db.set_files(self.files.clone());
        }
        if std::mem::take(&mut self.has_other_paths) {
            self.db.set_paths(self.paths.clone());
        }
        Snapshot { db: self.db.clone(), files: self.files.clone(), paths: self.paths.clone() }
    }
}

impl Snapshot {
    /// Returns the database, for queries on the snapshot.
    pub fn db(&self) -> &Database {
        &self.db
    }

    /// The file of a path.
    pub fn file(&self, path: &str) -> Option<File> {
        self.files.get(path).copied()
    }

    /// The ISPC file of a path.
    pub fn ispc_file(&self, path: &str) -> Option<File> {
        self.paths.get(path).copied().flatten()
    }

    /// The paths of all files, sorted.
    pub fn paths(&self) -> Vec<&str> {
        let mut paths: Vec<_> = self.files.keys().map(|path| &**path).collect();
        paths.sort_unstable();
        paths
    }

    /// A token that cancels what this snapshot is being asked.
    pub fn cancellation_token(&self) -> salsa::CancellationToken {
        salsa::Database::cancellation_token(&self.db)
    }

    /// Asks a question; `Err` when a write, or the token, stopped it.
    pub fn catch<T>(&self, question: impl FnOnce(&Database) -> T + std::panic::UnwindSafe) -> Result<T, Cancelled> {
        // Without `attach` around the whole question, each query inside would reset the token when it starts.
        let db = std::panic::AssertUnwindSafe(&self.db);
        let answer = Cancelled::catch(move || {
            let db = db;
            salsa::Database::attach(*db, |db| question(db))
        });
        // Who waits for a query that a write stops in another thread is told that the other one failed.
        match answer {
            Err(Cancelled::PropagatedPanic) if self.is_outdated() => Err(Cancelled::PendingWrite),
            answer => answer,
        }
    }

    /// Unwinds to [`Self::catch`] if a write, or the token, stops what this snapshot is being asked.
    pub fn unwind_if_cancelled(&self) {
        salsa::Database::unwind_if_revision_cancelled(&self.db);
    }

    /// A write waits for this snapshot to be dropped.
    fn is_outdated(&self) -> bool {
        let db = std::panic::AssertUnwindSafe(&self.db);
        let looked = Cancelled::catch(move || {
            let db = db;
            salsa::Database::unwind_if_revision_cancelled(*db);
        });
        matches!(looked, Err(Cancelled::PendingWrite))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::diagnostics;

    #[test]
    fn a_snapshot_sees_its_moment_and_a_write_waits_for_it() {
        let mut host = Host::default();
        let file = host.set_text("a.lane", "kernel k(:\n");
        let snapshot = host.snapshot();
        let n_errors = snapshot.catch(|db| diagnostics(db, file).len()).expect("nothing cancels this");
        assert_eq!(n_errors, 1);
        drop(snapshot);
        host.set_text("a.lane", "kernel k():\n    pass\n");
        let snapshot = host.snapshot();
        assert_eq!(snapshot.paths(), ["a.lane"]);
        let file = snapshot.file("a.lane").expect("the file is there");
        assert_eq!(snapshot.catch(|db| diagnostics(db, file).len()).expect("nothing cancels this"), 0);
    }

    #[test]
    fn a_cancelled_question_stops() {
        let mut host = Host::default();
        let file = host.set_text("a.lane", "kernel k():\n    pass\n");
        let snapshot = host.snapshot();
        let token = snapshot.cancellation_token();
        let answer = snapshot.catch(|db| {
            token.cancel();
            diagnostics(db, file).len()
        });
        assert!(matches!(answer, Err(Cancelled::Local)));
    }
}
