//! Programs for each feature of the preprocessor and the grammar; what random and broken text becomes.

#[path = "reading/declared.rs"]
mod declared;
#[path = "reading/format.rs"]
mod format;
#[path = "reading/grammar.rs"]
mod grammar;
#[path = "reading/names.rs"]
mod names;
#[path = "reading/prefix.rs"]
mod prefix;
#[path = "reading/preprocessor.rs"]
mod preprocessor;
#[path = "reading/robust.rs"]
mod robust;

use std::collections::HashMap;
use std::sync::Arc;

use ispc::config::Config;
use ispc::file::{FileText, Files};
use ispc::unit::{FileId, SourcePlace, Unit};

/// Headers in memory.
#[derive(Default)]
struct Headers(HashMap<String, Arc<FileText>>);

impl Files for Headers {
    fn file(&self, path: &str) -> Option<Arc<FileText>> {
        self.0.get(path).cloned()
    }
}

/// Reads a text in which `//- PATH` lines start headers: what is in front of the first is the unit's file.
fn read(text: &str) -> Unit {
    let mut parts = text.split("//- ");
    let main = parts.next().unwrap_or_default();
    let mut headers = Headers::default();
    for part in parts {
        let (path, text) = part.split_once('\n').expect("a path and a text");
        headers.0.insert(path.trim().to_owned(), Arc::new(FileText::new(path.trim(), text)));
    }
    let mut config = Config::default();
    config.include_folders.push("include".to_owned());
    config.define("FROM_OUTSIDE=7");
    ispc::read(Arc::new(FileText::new("main.ispc", main)), &config, &headers)
}

/// The expanded tokens of the unit's file and of what it includes, with a line's end where the source had one.
fn expanded(unit: &Unit) -> String {
    let mut text = String::new();
    for token in &unit.tokens {
        if unit.place(token).file == FileId::PREDEFINED {
            continue;
        }
        if token.is(ispc::unit::Token::LINE) && !text.is_empty() {
            text.push('\n');
        } else if token.is(ispc::unit::Token::SPACE) {
            text.push(' ');
        }
        text += &unit.token_text(token);
    }
    text.trim_end().to_owned() + "\n"
}

fn shown(unit: &Unit, place: SourcePlace) -> String {
    let text = unit.text(place.file);
    let before = text.get(..place.start as usize).unwrap_or_default();
    let line = before.matches('\n').count() + 1;
    let written = text.get(place.range()).unwrap_or_default().replace('\n', "\\n");
    format!("{}:{line} `{written}`", unit.path(place.file))
}

/// All problems, with their places.
fn problems(unit: &Unit) -> String {
    let mut text = String::new();
    for problem in &unit.problems {
        let word = if problem.is_warning { "warning" } else { "error" };
        text += &format!("{word}[{}] {}: {}\n", problem.code, shown(unit, problem.place), problem.message);
        for (place, note) in &problem.related {
            text += &format!("  {}: {note}\n", shown(unit, *place));
        }
    }
    text
}
