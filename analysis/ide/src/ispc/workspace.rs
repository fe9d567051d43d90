//! The search for names in all ISPC files. Each file is looked at by itself, without its headers: see [`queries::ispc::declared`].

use queries::db::File;
use queries::ispc::declared::declared_names;
use report::{TextRange, TextSize};

use super::outline::{EntryKind, kind_of};
use crate::symbols::score;

/// A name that a search found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundName {
    /// The file.
    pub file: File,
    /// The name.
    pub name: String,
    /// The kind.
    pub kind: EntryKind,
    /// The name's range.
    pub focus: TextRange,
}

/// The names of files that a query matches, each with its score, best first. A query matches a name that has its letters in this order,
/// in any case; an empty one matches all.
pub fn search(db: &dyn salsa::Database, files: impl IntoIterator<Item = File>, query: &str) -> Vec<(i32, FoundName)> {
    let mut found = Vec::new();
    for file in files {
        db.unwind_if_revision_cancelled();
        let text = file.text(db);
        for declared in declared_names(db, file).iter() {
            let Some(name) = text.get(declared.start as usize..declared.end as usize) else { continue };
            let Some(score) = score(query, name) else { continue };
            let kind = declared.kind.map_or(Some(EntryKind::Macro), kind_of);
            let Some(kind) = kind else { continue };
            let focus = TextRange::new(TextSize::new(declared.start), TextSize::new(declared.end));
            found.push((score, FoundName { file, name: name.to_owned(), kind, focus }));
        }
    }
    found.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    found
}
