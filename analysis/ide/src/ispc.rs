//! Answers about ISPC's files, from the units that they make (see [`queries::ispc`]).
//!
//! A unit has the meaning of each token, and the way back to the text as written. So what a name stands for is found by where it is
//! *spelled*: a name in a macro's body has the meaning that it has where the macro was expanded first, and text that a condition leaves
//! out has none. Types tell whose a member is and which overload is called; where they do not, a member is any of its name.
//!
//! - [`diagnostics`](mod@diagnostics): what is wrong, at the places of one file
//! - [`symbol`]: the thing that a name stands for; `typed`: what types say of it; [`variability`]: uniform or varying, as declared
//! - [`definition`](mod@definition), [`references`](mod@references), [`rename`](mod@rename)
//! - [`hover`](mod@hover), [`completion`](mod@completion), [`signature_help`](mod@signature_help)
//! - [`hints`](mod@hints), [`notes`](mod@notes): what lanes do, and what costs them
//! - [`explain`](mod@explain): all of that about a function
//! - [`calls`](mod@calls): callers and callees; [`workspace`](mod@workspace): names in all files; [`views`](mod@views)
//! - [`outline`](mod@outline), [`folding`](mod@folding), [`formatting`](mod@formatting), [`semantic_tokens`](mod@semantic_tokens)

pub mod calls;
pub mod completion;
pub mod definition;
pub mod diagnostics;
pub mod explain;
mod facts;
pub mod folding;
pub mod formatting;
pub mod hints;
pub mod hover;
pub mod notes;
pub mod outline;
pub mod references;
pub mod rename;
pub mod semantic_tokens;
pub mod signature_help;
pub mod symbol;
mod typed;
pub mod variability;
pub mod views;
pub mod workspace;

use queries::db::File;
use queries::ispc::units::{FileId, SourcePlace, Unit};
use queries::ispc::{PathState, known};
use report::{TextRange, TextSize};

/// A range of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FileRange {
    /// The file.
    pub file: File,
    /// The range in its text.
    pub range: TextRange,
}

/// The range of a place in its file's text.
fn range_of(place: SourcePlace) -> TextRange {
    TextRange::new(TextSize::new(place.start), TextSize::new(place.end.max(place.start)))
}

/// The place in a file that somebody can open; what the preprocessor made itself is in none.
fn site(db: &dyn salsa::Database, unit: &Unit, place: SourcePlace) -> Option<FileRange> {
    let file = file_of(db, unit, place.file)?;
    let range = range_of(place);
    (usize::from(range.end()) <= file.text(db).len()).then_some(FileRange { file, range })
}

/// The file of the database that a file of a unit is.
fn file_of(db: &dyn salsa::Database, unit: &Unit, id: FileId) -> Option<File> {
    if matches!(id, FileId::PREDEFINED | FileId::MADE) {
        return None;
    }
    match known(db, unit.path(id)) {
        PathState::File(file) => Some(file),
        _ => None,
    }
}

/// The name of a file without its folders.
fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}
