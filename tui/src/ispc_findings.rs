//! Errors of ISPC files, drawn on their source or as JSON. One that stands in a header or a macro names that place and the one that brought
//! it in.

use std::io::{self, Write};
use std::path::PathBuf;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use driver::ispc_files::{Command, PlacedNote, ReadFile, read};
use ispc::problems::Problem;
use ispc::unit::{FileId, SourcePlace, Unit};

use crate::console::{Console, Look, Outcome};
use crate::json;

/// The most errors that are told of one file: what follows a missing header is seldom of use.
const MOST: usize = 50;

/// The result of checking ISPC files.
pub(crate) struct Checked {
    pub(crate) outcome: Outcome,
    pub(crate) n_files: usize,
    pub(crate) n_errors: usize,
    pub(crate) n_warnings: usize,
    pub(crate) n_notes: usize,
}

/// Reads ISPC files and tells what is wrong in them.
pub(crate) fn check(
    files: &[PathBuf],
    command: &Command<'_>,
    as_json: bool,
    diagnostics: &mut Vec<json::Diagnostic>,
    console: &mut Console,
) -> io::Result<Checked> {
    let mut checked = Checked { outcome: Outcome::Done, n_files: 0, n_errors: 0, n_warnings: 0, n_notes: 0 };
    for (n, path) in files.iter().enumerate() {
        console.progress("checking", n, files.len(), &path.display().to_string())?;
        let ReadFile { unit, notes } = match read(path, command) {
            Ok(read) => read,
            Err(message) => {
                console.trouble(&message)?;
                checked.outcome = Outcome::Trouble;
                continue;
            }
        };
        checked.n_files += 1;
        for problem in unit.problems.iter().take(MOST) {
            checked.n_errors += usize::from(!problem.is_warning);
            checked.n_warnings += usize::from(problem.is_warning);
            if as_json {
                diagnostics.push(of_problem(&unit, problem));
            } else {
                let level = if problem.is_warning { Level::WARNING } else { Level::ERROR };
                write!(console, "{}", drawn(&unit, problem, level, None, console.look()))?;
            }
        }
        for note in notes.iter().take(MOST) {
            checked.n_notes += 1;
            let problem = as_problem(note);
            if as_json {
                let fixes = note.fixes.iter().map(|fix| of_fix(&unit, fix)).collect();
                let (severity, help) = ("note", note.help.clone());
                diagnostics.push(json::Diagnostic { severity, help, fixes, ..of_problem(&unit, &problem) });
            } else {
                write!(console, "{}", drawn(&unit, &problem, Level::NOTE, note.help.as_deref(), console.look()))?;
            }
        }
        if unit.problems.iter().any(|problem| !problem.is_warning) {
            checked.outcome = checked.outcome.max(Outcome::Refused);
        }
    }
    Ok(checked)
}

/// Draws all that is wrong with a file, and the notes on what costs lanes.
pub(crate) fn draw_all(unit: &Unit, notes: &[PlacedNote], console: &mut Console) -> io::Result<()> {
    for problem in unit.problems.iter().take(MOST) {
        let level = if problem.is_warning { Level::WARNING } else { Level::ERROR };
        write!(console, "{}", drawn(unit, problem, level, None, console.look()))?;
    }
    for note in notes.iter().take(MOST) {
        write!(console, "{}", drawn(unit, &as_problem(note), Level::NOTE, note.help.as_deref(), console.look()))?;
    }
    Ok(())
}

/// The place of a problem, then the others: those that it names, and the `#include`s that brought its file.
fn places(unit: &Unit, problem: &Problem) -> Vec<(SourcePlace, String)> {
    let mut places = problem.related.clone();
    let mut file = problem.place.file;
    while let Some(from) = unit.files.get(usize::from(file.0)).and_then(|file| file.from) {
        places.push((from, "included here".to_owned()));
        file = from.file;
    }
    places.retain(|(place, _)| !matches!(place.file, FileId::MADE));
    places
}

/// A note in the form of a problem, so that it is drawn like one.
fn as_problem(note: &PlacedNote) -> Problem {
    let PlacedNote { code, place, message, related, .. } = note.clone();
    Problem { code, is_warning: true, message, place, related }
}

pub(crate) fn drawn(unit: &Unit, problem: &Problem, level: Level<'static>, help: Option<&str>, look: Look) -> String {
    let others = places(unit, problem);
    let excerpts: Vec<_> = others.iter().map(|(place, note)| (Excerpt::of(unit, *place), note)).collect();
    let own = Excerpt::of(unit, problem.place);
    let mut first =
        level.primary_title(&problem.message).id(problem.code).element(own.snippet(AnnotationKind::Primary));
    if let Some(help) = help {
        first = first.element(Level::HELP.message(help));
    }
    let rest = excerpts.iter().map(|(excerpt, note)| -> Group<'_> {
        Level::NOTE.secondary_title(note.as_str()).element(excerpt.snippet(AnnotationKind::Primary))
    });
    let report: Vec<_> = std::iter::once(first).chain(rest).collect();
    let renderer = if look.colour { Renderer::styled() } else { Renderer::plain() };
    renderer.term_width(look.width).render(&report) + "\n\n"
}

/// The line of a place.
struct Excerpt {
    path: String,
    text: String,
    line: usize,
    span: std::ops::Range<usize>,
}

impl Excerpt {
    fn of(unit: &Unit, place: SourcePlace) -> Excerpt {
        let text = unit.text(place.file);
        let start = text[..place.start as usize].rfind('\n').map_or(0, |at| at + 1);
        let end = text[place.start as usize..].find('\n').map_or(text.len(), |length| place.start as usize + length);
        let span = place.start as usize - start..(place.end as usize).min(end).max(place.start as usize) - start;
        let line = text[..start].matches('\n').count() + 1;
        let text = text[start..end].trim_end_matches('\r').replace('\r', " ");
        Excerpt { path: unit.path(place.file).to_owned(), text, line, span }
    }

    fn snippet(&self, kind: AnnotationKind) -> Snippet<'_, annotate_snippets::Annotation<'_>> {
        Snippet::source(&self.text).path(&self.path).line_start(self.line).annotation(kind.span(self.span.clone()))
    }
}

pub(crate) fn of_problem(unit: &Unit, problem: &Problem) -> json::Diagnostic {
    let own = problem.place.file;
    // A place in JSON has no file of its own: those of others are told in words.
    let related = |(place, note): &(SourcePlace, String)| {
        let range = range(unit, if place.file == own { *place } else { problem.place });
        let message = match place.file == own {
            true => note.clone(),
            false => format!("{note}: {}:{}", unit.path(place.file), self::range(unit, *place).line),
        };
        json::Related { range, message }
    };
    json::Diagnostic {
        file: unit.path(own).to_owned(),
        range: range(unit, problem.place),
        severity: if problem.is_warning { "warning" } else { "error" },
        code: problem.code,
        message: problem.message.clone(),
        help: None,
        related: places(unit, problem).iter().map(related).collect(),
        fixes: Vec::new(),
        targets: Vec::new(),
    }
}

fn of_fix(unit: &Unit, (title, edits): &(String, Vec<(SourcePlace, String)>)) -> json::Fix {
    let edit = |(place, text): &(SourcePlace, String)| json::Edit { range: range(unit, *place), text: text.clone() };
    json::Fix { title: title.clone(), edits: edits.iter().map(edit).collect() }
}

fn range(unit: &Unit, place: SourcePlace) -> json::Range {
    let text = unit.text(place.file);
    let position = |offset: u32| {
        let before = &text[..offset as usize];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        (before.matches('\n').count() as u32 + 1, before[line_start..].chars().count() as u32 + 1)
    };
    let ((line, column), (end_line, end_column)) = (position(place.start), position(place.end));
    json::Range { line, column, end_line, end_column }
}
