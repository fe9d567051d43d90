//! What follows from a change of a document for those that use it.
//!
//! Only documents that have a line with `use` are looked at, by their texts: no question is asked of the database here.

use std::collections::HashSet;
use std::path::Path;

use lane::words::used_paths;
use queries::uses::file_named;

use super::Core;
use crate::documents::Key;
use crate::uris;

impl Core {
    /// Reads the files that open documents use and that nobody knows yet, and lets all that was said of an open document that uses one of those that
    /// changed be said anew. Of each of these is told whether its text came from the disk.
    pub(super) fn follow_uses(&mut self, changed: &[(Key, bool)]) {
        changed.iter().filter(|(_, from_disk)| *from_disk).for_each(|(key, _)| {
            self.asked_of_disk.remove(key);
        });
        let users: Vec<Key> =
            self.buffers.iter().filter(|(_, it)| has_uses(it.text())).map(|(key, _)| key.clone()).collect();
        if users.is_empty() {
            return;
        }
        let mut wanted = Vec::new();
        let mut outdated = Vec::new();
        for user in users {
            let used = self.all_used(&user);
            let unknown = used.iter().filter(|key| self.state.documents.by_key(key).is_none());
            wanted.extend(unknown.filter(|key| !self.asked_of_disk.contains(*key)).cloned());
            let is_own = changed.iter().any(|(key, _)| *key == user);
            if !is_own && changed.iter().any(|(key, _)| used.contains(key)) {
                outdated.push(user);
            }
        }
        if !wanted.is_empty() {
            let paths = wanted.iter().filter_map(|key| key.strip_prefix("file:"));
            self.disk.read(paths.map(|path| uris::from_path(Path::new(path))).collect());
            self.asked_of_disk.extend(wanted);
        }
        if outdated.is_empty() {
            return;
        }
        for user in outdated {
            self.outdate_views(&user);
            if !self.state.profile.pull_diagnostics {
                self.unpublished.insert(user);
            }
        }
        self.refresh(true, true);
    }

    /// The files that a document uses, directly or by way of others, known or not.
    fn all_used(&self, document: &Key) -> HashSet<Key> {
        let mut all = HashSet::new();
        let mut waiting = vec![document.clone()];
        while let Some(key) = waiting.pop() {
            let Some(document) = self.state.documents.by_key(&key).filter(|it| has_uses(&it.text)) else { continue };
            for name in used_paths(&document.text).filter_map(|path| file_named(&key, path)) {
                let used: Key = name.into();
                if all.insert(used.clone()) {
                    waiting.push(used);
                }
            }
        }
        all
    }
}

/// Says whether a text has a line with `use`.
fn has_uses(text: &str) -> bool {
    text.starts_with("use ") || text.contains("\nuse ")
}
