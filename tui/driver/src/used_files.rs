//! Reading the files that a document uses.

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
    let mut tried = Vec::new();
    loop {
        let wanted = uses::wanted(db, file).into_iter().find(|name| !tried.contains(name));
        let Some(name) = wanted else { return };
        if let Some(text) = text_of(&name) {
            let _ = db.add_file(&name, text);
        }
        tried.push(name);
    }
}

/// Reads the files that a file of a host uses as they are now; those that are gone are forgotten.
pub fn read_used_of(host: &mut Host, path: &str) {
    let mut read = vec![path.to_owned()];
    loop {
        let snapshot = host.snapshot();
        let Some(file) = snapshot.file(path) else { return };
        let names = snapshot.catch(|db| {
            let known = uses::all_used(db, file).iter().filter(|used| !uses::is_library(db, **used));
            let known: Vec<String> = known.map(|used| used.name(db).to_string()).collect();
            uses::wanted(db, file).into_iter().chain(known).find(|name| !read.contains(name))
        });
        drop(snapshot);
        let Some(name) = names.ok().flatten() else { return };
        match text_of(&name) {
            Some(text) => drop(host.share_text(&name, text)),
            None => host.remove(&name),
        }
        read.push(name);
    }
}

fn text_of(name: &str) -> Option<Arc<str>> {
    let is_small = fs::metadata(name).is_ok_and(|data| data.is_file() && data.len() <= LARGEST);
    is_small.then(|| fs::read_to_string(name).ok()).flatten().map(Arc::from)
}
