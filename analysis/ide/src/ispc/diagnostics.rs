//! The problems of a unit, at the places of the file that it is about.
//!
//! A mistake in a header is told at the `#include` by which that came in, with the place in the header beside it: an editor shows a file's
//! findings in that file alone.

use queries::db::File;
use queries::ispc::problems::Problem;
use queries::ispc::units::{FileId, SourcePlace, Unit};
use queries::ispc::{typing, unit};
use report::TextRange;

use super::{FileRange, file_name, range_of, site};

/// The most findings that are told of one file: what follows a missing header is seldom of use.
const MOST: usize = 50;

/// Something wrong, at a place of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The place.
    pub range: TextRange,
    /// ispc would go on.
    pub is_warning: bool,
    /// A stable word for it.
    pub code: &'static str,
    /// The message.
    pub message: String,
    /// Other places that it needs, each with a note.
    pub related: Vec<(FileRange, String)>,
}

/// All that is wrong with a file and what it includes.
pub fn diagnostics(db: &dyn salsa::Database, file: File) -> Vec<Found> {
    let unit = unit(db, file);
    let of_types = typing::problems(db, file);
    unit.problems.iter().chain(&of_types).take(MOST).map(|problem| found(db, unit, problem)).collect()
}

fn found(db: &dyn salsa::Database, unit: &Unit, problem: &Problem) -> Found {
    let chain = includes(unit, problem.place);
    let own = chain.last().copied().unwrap_or(problem.place);
    let mut related: Vec<(SourcePlace, String)> = Vec::new();
    if own != problem.place {
        related.push((problem.place, format!("the place in `{}`", file_name(unit.path(problem.place.file)))));
    }
    related.extend(problem.related.iter().cloned());
    let between = chain.split_last().map_or(&[][..], |(_, between)| between);
    related.extend(between.iter().map(|include| (*include, "included here".to_owned())));
    Found {
        range: if own.file == FileId::MAIN { range_of(own) } else { TextRange::default() },
        is_warning: problem.is_warning,
        code: problem.code,
        message: problem.message.clone(),
        related: related.into_iter().filter_map(|(place, note)| Some((site(db, unit, place)?, note))).collect(),
    }
}

/// The `#include`s that brought the file of a place, the innermost first.
fn includes(unit: &Unit, place: SourcePlace) -> Vec<SourcePlace> {
    let mut chain = Vec::new();
    let mut file = place.file;
    while let Some(from) = unit.files.get(usize::from(file.0)).and_then(|file| file.from) {
        chain.push(from);
        file = from.file;
    }
    chain
}
