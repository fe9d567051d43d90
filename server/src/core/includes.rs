//! The files that ISPC's units include: read from the disk when a reader misses them, round by round, until none is missing.
//!
//! Which files a unit includes is known only to who has read it, so readers say which paths they lack. A question about a document that
//! lacks some waits until all of them were looked for; what is found may include others in turn.

use std::collections::HashSet;
use std::path::Path;

use queries::ispc::Settings;

use super::Core;
use crate::documents::{Key, Language};
use crate::uris;

impl Core {
    /// Reads the files that the unit of a document looks for.
    pub(super) fn fetch(&mut self, about: Key, paths: Vec<String>) {
        let mut missing = HashSet::new();
        let mut to_read = Vec::new();
        for path in paths {
            let key = uris::key_of_ispc_path(&path);
            if self.host.knows_ispc(&path) {
                continue;
            }
            let is_being_read = self.missing.values().any(|missing| missing.contains(&key));
            if !is_being_read && (!key.starts_with("file:") || !self.asked_for_ispc.insert(key.clone())) {
                // No file can be at such an address; or it was read and is another language's here.
                self.host.share_ispc_text(&path, None);
                continue;
            }
            if !is_being_read {
                to_read.push(uris::from_path(Path::new(uris::ispc_path(&key))));
            }
            missing.insert(key);
        }
        if !missing.is_empty() {
            self.missing.entry(about).or_default().extend(missing);
            self.disk.read(to_read);
        }
    }

    /// Notes that a file was looked for. When that was the last one that a document lacked, questions about it go on.
    pub(super) fn looked_for(&mut self, key: &Key) {
        let n_before = self.missing.len();
        self.missing.retain(|_, missing| {
            missing.remove(key);
            !missing.is_empty()
        });
        self.has_fetched |= self.missing.len() < n_before;
    }

    /// Lets a client that pulls findings of all files do so again when files arrived that some of those lacked.
    pub(super) fn end_of_fetching(&mut self) {
        if self.missing.is_empty() && std::mem::take(&mut self.has_fetched) && !self.folders.is_empty() {
            self.refresh(false, true);
        }
    }

    /// Returns true if a question is about a document whose unit lacks files that are being read.
    pub(super) fn lacks_files(&self, about: Option<&Key>) -> bool {
        about.is_some_and(|key| self.missing.contains_key(key))
    }

    /// Lets all that was said of open documents be said anew where it depends on one of those that changed.
    pub(super) fn follow_includes(&mut self, changed: &[(Key, bool)]) {
        let keys: Vec<Key> = changed.iter().map(|(key, _)| key.clone()).collect();
        let mut dependents = self.state.memory.dependents(&keys);
        dependents.retain(|key| self.buffers.contains_key(key) && !keys.contains(key));
        if dependents.is_empty() {
            return;
        }
        if !self.state.profile.pull_diagnostics {
            self.unpublished.extend(dependents);
        }
        self.refresh(true, true);
    }

    /// Says how ISPC's files are compiled, as the user's settings have it; returns true if that was another way before.
    pub(super) fn set_ispc_settings(&mut self) -> bool {
        let config = &self.state.config;
        let folder = self.folders.first().map(|folder| folder.to_string_lossy().replace('\\', "/"));
        let folder = folder.unwrap_or_default();
        let of_row = |row: &queries::stages::target::Target| {
            queries::ispc::configuration::Target::closest(&row.triple, row.register_bytes, None)
        };
        let settings = Settings {
            usual_target: self.targets.first().map(|options| of_row(options.target)),
            target: queries::ispc::configuration::Target::named(&config.ispc_target),
            include_folders: config.ispc_include.iter().map(|it| queries::ispc::file::join(&folder, it)).collect(),
            defines: config.ispc_define.clone(),
        };
        self.host.set_ispc_settings(settings)
    }

    /// The language of a file that was read: what a unit has looked for is ISPC's, whatever its name is.
    pub(super) fn language_of(&self, key: &Key) -> Language {
        let path = uris::ispc_path(key);
        match Language::of_path(path) {
            Language::Lane if self.host.knows_ispc(path) || self.asked_for_ispc.contains(key) => Language::Ispc,
            language => language,
        }
    }
}
