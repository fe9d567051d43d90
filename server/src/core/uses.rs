//! What follows from a change of a document for those that use it.
//!
//! Texts alone tell what documents use: no question is asked of the database here.

use std::collections::{HashMap, HashSet};
use std::path::Path;

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
        let (users_of, all) = self.used_by_open();
        let unknown = all.iter().filter(|key| self.state.documents.by_key(key).is_none());
        let wanted: Vec<Key> = unknown.filter(|key| !self.asked_of_disk.contains(*key)).cloned().collect();
        // Those that use what has changed, directly or by way of others.
        let mut affected: HashSet<&Key> = HashSet::new();
        let mut waiting: Vec<&Key> = changed.iter().map(|(key, _)| key).collect();
        while let Some(key) = waiting.pop() {
            waiting.extend(users_of.get(key).into_iter().flatten().filter(|user| affected.insert(user)));
        }
        let is_own = |user: &Key| changed.iter().any(|(key, _)| key == user);
        let outdated = affected.into_iter().filter(|user| self.buffers.contains_key(*user) && !is_own(user));
        let outdated: Vec<Key> = outdated.cloned().collect();
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

    /// The documents that open ones use, directly or by way of others, known or not; and those that use each of them.
    fn used_by_open(&self) -> (HashMap<Key, Vec<Key>>, HashSet<Key>) {
        let mut users_of: HashMap<Key, Vec<Key>> = HashMap::new();
        let mut all: HashSet<Key> = HashSet::new();
        let mut seen: HashSet<Key> = self.buffers.keys().cloned().collect();
        let mut waiting: Vec<Key> = seen.iter().cloned().collect();
        while let Some(key) = waiting.pop() {
            let Some(document) = self.state.documents.by_key(&key) else { continue };
            for used in document.used() {
                users_of.entry(used.clone()).or_default().push(key.clone());
                all.insert(used.clone());
                if seen.insert(used.clone()) {
                    waiting.push(used.clone());
                }
            }
        }
        (users_of, all)
    }
}
