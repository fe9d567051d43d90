//! Reading the files that a document uses.

use std::collections::HashSet;
use std::fs;
use std::sync::Arc;

use queries::db::{Database, File};
use queries::host::Host;
use queries::uses;

/// The largest file that is read because another one uses it.
const LARGEST: u64 = 8 << 20;

/// The name that files are found by, of one that is called `name` in outputs. What has no file stands where the program runs.
pub fn place_of(name: &str) -> String {
    let place = std::path::absolute(name).map_or_else(|_| name.to_owned(), |place| place.display().to_string());
    place.replace('\\', "/")
}

/// Reads the files that a file uses, directly or by way of others.
pub(crate) fn read_used(db: &mut Database, file: File) {
    let mut tried = HashSet::new();
    loop {
        // All that is known to be wanted is read before the next look, since each look goes through all files.
        let wanted: Vec<_> = uses::wanted(db, file).into_iter().filter(|name| tried.insert(name.clone())).collect();
        if wanted.is_empty() {
            return;
        }
        for name in wanted {
            if let Some(text) = text_of(&name) {
                let _ = db.add_file(&name, text);
            }
        }
    }
}

/// Reads the files that a file of a host uses as they are now; those that are gone are forgotten.
pub fn read_used_of(host: &mut Host, path: &str) {
    let mut read = HashSet::from([path.to_owned()]);
    loop {
        let snapshot = host.snapshot();
        let Some(file) = snapshot.file(path) else { return };
        let names = snapshot.catch(|db| {
            let known = uses::all_used(db, file).iter().filter(|used| !uses::is_library(db, **used));
            let known = known.map(|used| used.name(db).to_string());
            uses::wanted(db, file).into_iter().chain(known).collect::<Vec<_>>()
        });
        drop(snapshot);
        let names = names.unwrap_or_default().into_iter();
        let names: Vec<_> = names.filter(|name| read.insert(name.clone())).collect();
        if names.is_empty() {
            return;
        }
        for name in names {
            match text_of(&name) {
                Some(text) => drop(host.share_text(&name, text)),
                None => host.remove(&name),
            }
        }
    }
}

fn text_of(name: &str) -> Option<Arc<str>> {
    let is_small = fs::metadata(name).is_ok_and(|data| data.is_file() && data.len() <= LARGEST);
    is_small.then(|| fs::read_to_string(name).ok()).flatten().map(Arc::from)
}
