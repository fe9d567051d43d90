//! The literate suite of stages: for each example a page that a person reads from top to bottom, `suites/stages/*.md`. It has
//! the source of each kernel, what its lanes do, and the program at every stage that differs from the one before.
//!
//! `UPDATE_EXPECT=1 cargo test -p ide --test lanes stages` writes the pages; then they are read and judged as a user would.

use crate::common;

use std::fmt::Write;
use std::sync::Arc;

use expect_test::expect_file;
use ide::explain::{Explained, explain_item};
use insight::Stride;
use queries::db::{Database, File};
use queries::db::{Item, cut_file};
use queries::stages::{Options, STAGES, Stage};
use syntax::text::LineIndex;
use syntax::{ItemKind, TextSize};

#[test]
fn each_example_goes_through_its_stages() {
    for (path, text) in common::files("examples", "lane") {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        expect_file![page_of(&name)].assert_eq(&page(&name, &text));
    }
}

/// An example that is gone has no page.
#[test]
fn each_page_is_of_an_example() {
    let examples: Vec<_> = common::files("examples", "lane").into_iter().map(|(path, _)| path).collect();
    for (page, _) in common::files("analysis/ide/tests/suites/stages", "md") {
        let is_its = |example: &&std::path::PathBuf| example.file_stem() == page.file_stem();
        assert!(examples.iter().find(is_its).is_some(), "{}", page.display());
    }
}

fn page_of(name: &str) -> String {
    format!("{}/tests/suites/stages/{name}.md", env!("CARGO_MANIFEST_DIR"))
}

fn page(name: &str, text: &str) -> String {
    let db = Database::default();
    let file = File::new(&db, Arc::from(text));
    let options = Options::default();
    let target = options.target.name;
    let mut out =
        format!("# {name}\n\nThe kernels of `examples/{name}.lane` on their way to vector code for `{target}`.\n");
    let cut = cut_file(&db, file);
    let ends = cut.starts.iter().skip(1).map(|&end| usize::from(end)).chain([text.len()]);
    for ((&item, &start), end) in cut.items.iter().zip(&cut.starts).zip(ends) {
        // A kernel with parameters in brackets is shown as the first of its instances.
        let is_instance = queries::templates::is_named_instance(&db, item);
        let is_kernel = item.kind(&db) == ItemKind::Kernel && !is_instance;
        let Some(explained) = explain_item(&db, item).filter(|_| is_kernel) else {
            continue;
        };
        let source = text[start.into()..end].trim_end();
        let _ = write!(out, "\n## {}\n\n```lane\n{source}\n```\n", explained.name);
        lanes(&mut out, &explained, text, start);
        stages(&mut out, &db, item, options);
    }
    out
}

/// Along which loops lanes run, and how the cells of each access lie.
fn lanes(out: &mut String, explained: &Explained, text: &str, start: TextSize) {
    let lines = LineIndex::new(text);
    let line = |at| lines.line(at) - lines.line(start) + 1;
    let mut said: Vec<(u32, String)> = Vec::new();
    for lane_loop in &explained.loops {
        let codes = lane_loop.verdict.reasons.iter().map(|reason| format!(" `{}`", reason.code)).collect::<String>();
        said.push((line(lane_loop.range.start()), format!("{}{codes}", lane_loop.headline())));
    }
    for access in explained.accesses.iter().filter(|access| access.lane_loop.is_some()) {
        let does = if access.stores { "stored" } else { "loaded" };
        let stride = match &access.stride {
            Some(Stride::Cells(cells)) if !(-1..=1).contains(cells) => format!(", {cells} cells apart"),
            Some(Stride::Formula(formula)) => format!(", {formula} cells apart"),
            _ => String::new(),
        };
        said.push((line(access.range.start()), format!("`{}` is {does}: {}{stride}", access.text, access.class)));
    }
    said.sort_by_key(|(line, _)| *line);
    said.dedup();
    let _ = writeln!(out, "\n### lanes\n");
    for (line, what) in said {
        let _ = writeln!(out, "- line {line}: {what}");
    }
}

/// Each stage of Lane IR that differs from the one before.
fn stages(out: &mut String, db: &Database, item: Item<'_>, options: Options) {
    let mut waiting = None;
    for stage in STAGES.iter().filter(|stage| stage.runs()) {
        let mut shown = stage.of(db, item, options);
        // Without whole arrays the first stage is the second one, and is shown as that.
        if stage.name == "arrays" && shown.findings.is_empty() {
            waiting = Some(shown);
            continue;
        }
        if let Some(arrays) = waiting.take() {
            match shown.changed {
                true => told(out, "arrays", &arrays.text()),
                false => shown.changed = true,
            }
        }
        if let [first, ..] = &shown.findings[..] {
            let _ = write!(out, "\n### {}\n\nNot lowered: {}.\n", stage.name, first.message);
            break;
        }
        let did: Vec<_> = shown.passes.iter().filter(|pass| pass.changed).map(|pass| pass.name).collect();
        if !shown.changed {
            let _ = write!(out, "\n### {}\n\nNo change.\n", stage.name);
            continue;
        }
        let by = if did.is_empty() { String::new() } else { format!("By {}.\n\n", joined(&did)) };
        told(out, &format!("{}\n\n{by}", stage.name), &shown.text());
    }
}

/// The text of a stage, below its heading.
fn told(out: &mut String, heading: &str, text: &str) {
    let lines: Vec<_> = text.trim_end().lines().collect();
    // Programs that nobody reads to their end, such as those full of math functions, are told by their beginning.
    let told = if lines.len() > MOST_LINES { &lines[..TOLD_LINES] } else { &lines[..] };
    let _ = write!(out, "\n### {}\n\n```text\n{}\n```\n", heading.trim_end(), told.join("\n"));
    if told.len() < lines.len() {
        let _ = writeln!(out, "\nAnd so on, in {} lines.", lines.len());
    }
}

/// The most lines of a stage that a page has all of, and the number of lines that it has of a longer one.
const MOST_LINES: usize = 160;
const TOLD_LINES: usize = 40;

fn joined(names: &[&str]) -> String {
    let mut names = names.to_vec();
    names.dedup();
    match names.split_last() {
        Some((last, [])) => format!("`{last}`"),
        Some((last, first)) => format!("`{}` and `{last}`", first.join("`, `")),
        None => String::new(),
    }
}

/// The stages stand in one list, from `arrays` to `final`.
#[test]
fn the_stages_that_run_are_those_of_the_pages() {
    let names: Vec<_> = STAGES.iter().filter(|stage| Stage::runs(stage)).map(|stage| stage.name).collect();
    assert_eq!((names.first(), names.last()), (Some(&"arrays"), Some(&"final")));
}
