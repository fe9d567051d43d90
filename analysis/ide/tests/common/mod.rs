//! What the tests share: programs checked from scratch, and findings printed as plain text.

#![allow(dead_code, reason = "each test uses some of it")]

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use passes::Context;
use passes::pipeline::{Options, pipeline};

use queries::check;
use queries::db::{Database, File};
use queries::run::{Argument, DataSource};
use syntax::text::LineIndex;
use syntax::{Diagnostic, TextRange, apply_edits};

/// All findings of a program, in a database of its own.
pub(crate) fn diagnostics(text: &str) -> Vec<Diagnostic> {
    let db = Database::default();
    let file = File::new(&db, Arc::from(text));
    let found = check::diagnostics(&db, file);
    for related in found.iter().flat_map(|found| &found.related) {
        // A place of another text would cut through words of this one.
        let (before, own, behind) = (
            &text[..usize::from(related.range.start())],
            &text[related.range],
            &text[usize::from(related.range.end())..],
        );
        let is_word = |end: Option<char>| end.is_some_and(|c| c.is_alphanumeric() || c == '_');
        let cuts = |front: &str, back: &str| is_word(front.chars().next_back()) && is_word(back.chars().next());
        assert!(!cuts(before, own) && !cuts(own, behind), "{}: `{own}` in\n{text}", related.message);
    }
    found
}

/// A program after the first fix of a finding.
pub(crate) fn fixed(text: &str, diagnostic: &Diagnostic) -> Option<String> {
    let fix = diagnostic.fixes.first()?;
    Some(apply_edits(text, &fix.edits))
}

/// Findings as plain text: the line with carets, the sentence, other places, help, and the lines that fixes change.
pub(crate) fn render(text: &str, diagnostics: &[Diagnostic]) -> String {
    let lines = LineIndex::new(text);
    let mut out = String::new();
    for diagnostic in diagnostics {
        let _ = writeln!(out, "{}[{}]: {}", diagnostic.severity.name(), diagnostic.code, diagnostic.message);
        mark(&mut out, text, &lines, diagnostic.range, "");
        for related in &diagnostic.related {
            mark(&mut out, text, &lines, related.range, &related.message);
        }
        if let Some(help) = &diagnostic.help {
            let _ = writeln!(out, "  = {help}");
        }
        for fix in &diagnostic.fixes {
            let _ = writeln!(out, "  fix: {}", fix.title);
            let after = apply_edits(text, &fix.edits);
            let before: Vec<_> = text.lines().collect();
            let after: Vec<_> = after.lines().collect();
            let same_front = before.iter().zip(&after).take_while(|(a, b)| a == b).count();
            let n_rest = before.len().min(after.len()) - same_front;
            let same_back =
                before.iter().rev().zip(after.iter().rev()).take(n_rest).take_while(|(a, b)| a == b).count();
            let changed = &after[same_front..after.len() - same_back];
            for line in changed {
                let _ = writeln!(out, "    |{line}");
            }
            if changed.is_empty() {
                let _ = writeln!(out, "    (the line is gone)");
            }
        }
    }
    out
}

/// A line with its number, and under it what a range of it covers.
fn mark(out: &mut String, text: &str, lines: &LineIndex, range: TextRange, message: &str) {
    let n = lines.line(range.start());
    let line_range = lines.line_range(n);
    let line = text[line_range].trim_end();
    let start = usize::from(range.start() - line_range.start());
    let end = usize::from(range.end() - line_range.start()).min(line.len());
    let columns = |bytes: usize| line.get(..bytes.min(line.len())).map_or(bytes, |part| part.chars().count());
    let width = columns(end).saturating_sub(columns(start)).max(1);
    let more = if range.end() > line_range.end() { "..." } else { "" };
    let number = (n + 1).to_string();
    let _ = writeln!(out, "{number:>3} |{line}");
    let gap = if message.is_empty() { "" } else { " " };
    let _ = writeln!(out, "    |{}{}{more}{gap}{message}", " ".repeat(columns(start)), "^".repeat(width));
}

/// `'a=[1, 2]'` and `n=2`.
pub(crate) fn argument(text: &str) -> Argument {
    let (name, value) = text.trim().trim_matches('\'').split_once('=').expect("a name and a value");
    let source = match value.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        Some(list) => DataSource::List(list.split(", ").map(str::to_owned).collect()),
        None => DataSource::Number(value.to_owned()),
    };
    Argument { name: name.to_owned(), source }
}

/// A file of the workspace.
pub(crate) fn read(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The files of a folder of the workspace with an ending, sorted, with their texts.
pub(crate) fn files(folder: &str, ending: &str) -> Vec<(PathBuf, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder);
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry of the folder").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == ending));
    paths.sort();
    assert!(!paths.is_empty(), "{} has no .{ending}", folder.display());
    let text = |path: &PathBuf| std::fs::read_to_string(path).expect("a file's text");
    paths.into_iter().map(|path| (path.clone(), text(&path))).collect()
}

/// The passes that finish groups of lanes: behind them the ops of one group stand there several times.
const OF_GROUPS: [&str; 6] = ["merge-stores", "distances", "tail", "interleave", "last-lane", "products"];

/// A kernel behind all passes but those that finish groups of lanes, so that what one group takes can be counted.
pub(crate) fn with_single_groups(mut kernel: ir::Kernel, options: &Options) -> ir::Kernel {
    let mut context = Context::new(options);
    for stage in pipeline(options.target) {
        for pass in stage.passes.iter().filter(|pass| !OF_GROUPS.contains(&pass.name)) {
            pass.apply(&mut kernel, &mut context);
        }
        kernel = ir::compact(kernel);
        context.forget();
    }
    ir::verify(&kernel).expect("passes keep what holds");
    kernel
}
