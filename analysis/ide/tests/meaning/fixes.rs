//! Every fix makes the program that its author meant: it is applied, what is left is fixed too, and the program is run.
//!
//! A row is a program, the fix of one finding in it, arguments, and what comes out of the program that was meant, computed by hand. The
//! evaluator and the interpreter, before and behind all passes, have to agree on it. Each function that builds a fix has a row for each
//! of its titles and codes: they are read from its source.

mod enums;
mod foreign_names;
mod lanes;
mod names;
mod syntax;
mod types;
mod uses;

use ::syntax::errors::SyntaxCode;
use ::syntax::{Diagnostic, Severity, apply_edits};
use hir::errors::CheckCode;
use ide::fixes::TrialText;

use crate::common;
use crate::evaluate::fixture::run;
use crate::messages::newcomers::interpreted;

/// A program, one of its fixes, and the result that was meant.
struct Row {
    code: &'static str,
    title: &'static str,
    program: &'static str,
    args: &'static str,
    meant: &'static str,
}

const fn row(
    code: &'static str,
    title: &'static str,
    program: &'static str,
    args: &'static str,
    meant: &'static str,
) -> Row {
    Row { code, title, program, args, meant }
}

fn rows() -> impl Iterator<Item = &'static Row> {
    [syntax::ROWS, names::ROWS, types::ROWS, lanes::ROWS, enums::ROWS, uses::ROWS].into_iter().flatten()
}

/// The findings of a program with the fixes that are offered: those of notes are tried before.
fn offered(text: &str) -> Vec<Diagnostic> {
    TrialText::new(text).tried(common::diagnostics(text))
}

/// The program after one fix, and after the first fix of each error that is left then.
fn fixed(row: &Row) -> Result<String, String> {
    let found = offered(row.program);
    let of_row = |found: &&Diagnostic| found.code.name() == row.code;
    let fix = found.iter().filter(of_row).flat_map(|found| &found.fixes).find(|fix| fix.title == row.title);
    let Some(fix) = fix else { return Err(format!("is not offered:\n{}", common::render(row.program, &found))) };
    let mut text = apply_edits(row.program, &fix.edits);
    for _ in 0..8 {
        let found = common::diagnostics(&text);
        let Some(error) = found.iter().find(|found| found.severity == Severity::Error) else { return Ok(text) };
        let next = common::fixed(&text, error);
        text = next.ok_or_else(|| format!("leads nowhere:\n{}\n{text}", common::render(&text, &found)))?;
    }
    Err(format!("the errors do not end:\n{text}"))
}

/// The reason why a row does not hold.
fn wrong(row: &Row) -> Option<String> {
    let text = match fixed(row) {
        Ok(text) => text,
        Err(why) => return Some(why),
    };
    let found = run(&text, row.args);
    if found.trim_end() != row.meant {
        return Some(format!("gives {found}in place of {}\n{text}", row.meant));
    }
    ["sequential", "final"].into_iter().find_map(|stage| {
        let lines = interpreted(&text, row.args, stage);
        let missing = row.meant.lines().find(|line| !lines.iter().any(|found| found == line))?;
        Some(format!("at `{stage}` gives {lines:?} in place of {missing}\n{text}"))
    })
}

#[test]
fn a_fix_makes_what_was_meant() {
    let wrong: Vec<_> = rows()
        .filter_map(|row| Some(format!("--- {}: {}\n{}\n{}", row.code, row.title, row.program, wrong(row)?)))
        .collect();
    assert!(wrong.is_empty(), "{} rows\n{}", wrong.len(), wrong.join("\n"));
}

/// A function that builds fixes, as its source has it.
struct Builder {
    name: String,
    /// The codes that it names; none for one that adds a fix to the finding of another.
    codes: Vec<&'static str>,
    /// The titles, in which `{}` stands for any words.
    titles: Vec<String>,
}

/// The files whose functions build fixes.
const FILES: [&str; 21] = [
    "analysis/hir/src/errors.rs",
    "analysis/hir/src/errors/domains.rs",
    "analysis/hir/src/errors/ends.rs",
    "analysis/hir/src/errors/enums.rs",
    "analysis/hir/src/errors/generics.rs",
    "analysis/hir/src/errors/habits.rs",
    "analysis/hir/src/errors/lanes.rs",
    "analysis/hir/src/errors/methods.rs",
    "analysis/hir/src/errors/types.rs",
    "analysis/hir/src/errors/uses.rs",
    "analysis/hir/src/errors/values.rs",
    "analysis/lane/src/lower/habits.rs",
    "analysis/lane/src/rewrites.rs",
    "syntax/src/errors.rs",
    "syntax/src/errors/statements.rs",
    "syntax/src/errors/tokens.rs",
    "syntax/src/parser/expressions.rs",
    "syntax/src/parser/forms.rs",
    "syntax/src/parser/habits.rs",
    "syntax/src/parser/headers.rs",
    "syntax/src/parser/references.rs",
];

/// The files that define what a fix is, and put those of others in other terms; those of ISPC's notes have tests of their own.
const OF_ALL_FIXES: [&str; 5] = [
    "analysis/hir/src/finding.rs",
    "analysis/ide/src/fixes.rs",
    "analysis/ide/src/ispc/notes.rs",
    "analysis/lane/src/render.rs",
    "analysis/report/src/diagnostic.rs",
];

/// The codes of findings without a fix that a function builds beside others.
const WITHOUT: [&str; 1] = ["non-ascii-name"];

/// The words by which a function that builds a fix is known.
const BUILDS: [&str; 8] =
    [".with_fix(", "fixes.push(", "with_edits(", "Intent {", "Fix {", "did_you_mean(", "cast_fix(", "compare_fix("];

fn builders() -> Vec<Builder> {
    let texts = FILES.map(common::read);
    let sources = texts.iter().map(|text| text.split("#[cfg(test)]").next().unwrap_or_default());
    let functions = sources.flat_map(|text| {
        let starts = text.match_indices("fn ").map(|(at, _)| at).filter(|&at| {
            let line = text[..at].rfind('\n').map_or(0, |end| end + 1);
            let before = text[line..at].trim();
            before.is_empty() || before.starts_with("pub")
        });
        let starts: Vec<_> = starts.collect();
        let ends: Vec<_> = starts.iter().skip(1).copied().chain([text.len()]).collect();
        starts.into_iter().zip(ends).map(|(start, end)| &text[start..end]).collect::<Vec<_>>()
    });
    functions.filter(|text| BUILDS.iter().any(|word| text.contains(word))).filter_map(builder).collect()
}

fn builder(text: &str) -> Option<Builder> {
    let name = text["fn ".len()..].split(['(', '<']).next()?.to_owned();
    // What only puts the edits of others together has no title of its own.
    if matches!(&*name, "with_edits" | "apart" | "indent" | "surround") {
        return None;
    }
    let is_named = |list: &str, variant: String| {
        let path = format!("{list}::{variant}");
        let is_end = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric());
        text.match_indices(&path).any(|(at, _)| is_end(&text[at + path.len()..]))
    };
    let of_checks =
        CheckCode::ALL.iter().filter(|code| is_named("CheckCode", format!("{code:?}"))).map(|code| code.name());
    let of_syntax =
        SyntaxCode::ALL.iter().filter(|code| is_named("SyntaxCode", format!("{code:?}"))).map(|code| code.name());
    Some(Builder { name, codes: of_checks.chain(of_syntax).collect(), titles: titles(text) })
}

/// The titles in a function: the texts that stand where a fix has its title.
fn titles(text: &str) -> Vec<String> {
    let places =
        ["with_fix(", "title:", "let title =", "indent(", "surround(", "with_edits(error,", "with_edits(finding,"];
    let mut titles = Vec::new();
    for place in places {
        for (at, _) in text.match_indices(place) {
            let rest = text[at + place.len()..].trim_start();
            let rest = rest.strip_prefix("format!(").unwrap_or(rest).trim_start();
            let Some(rest) = rest.strip_prefix('"') else { continue };
            let end = rest.match_indices('"').map(|(end, _)| end).find(|&end| !rest[..end].ends_with('\\'));
            let title = &rest[..end.unwrap_or(rest.len())];
            titles.push(title.replace("\\\\", "\\"));
        }
    }
    titles
}

/// Tells if a title is one that a text with `{...}` for words makes.
fn is_made_by(title: &str, template: &str) -> bool {
    let mut parts = template.split('{').enumerate().map(|(n, part)| match n {
        0 => part,
        _ => part.split_once('}').map_or(part, |(_, behind)| behind),
    });
    let Some(mut rest) = title.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let parts: Vec<_> = parts.collect();
    let Some((last, between)) = parts.split_last() else { return rest.is_empty() };
    for part in between {
        let Some((_, behind)) = rest.split_once(part) else { return false };
        rest = behind;
    }
    rest.ends_with(last)
}

#[test]
fn no_other_file_builds_fixes() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut left = vec![root.join("analysis"), root.join("syntax/src")];
    let mut found = Vec::new();
    while let Some(path) = left.pop() {
        if path.is_dir() && !["tests", "benches", "target"].iter().any(|name| path.ends_with(name)) {
            left.extend(std::fs::read_dir(&path).expect("a folder").map(|entry| entry.expect("an entry").path()));
        }
        if path.extension().is_some_and(|extension| extension == "rs") && !path.ends_with("tests.rs") {
            let text = std::fs::read_to_string(&path).expect("a source");
            let own = text.split("#[cfg(test)]\nmod").next().unwrap_or_default();
            if BUILDS.iter().any(|word| own.contains(word)) {
                found.push(path.strip_prefix(&root).expect("a path of the project").display().to_string());
            }
        }
    }
    found.sort_unstable();
    let mut known = [&FILES[..], &OF_ALL_FIXES[..]].concat();
    known.sort_unstable();
    assert_eq!(found, known);
}

#[test]
fn each_fix_has_a_row() {
    let builders = builders();
    assert!(builders.len() > 60, "{} functions that build fixes are found", builders.len());
    let mut missing = Vec::new();
    for Builder { name, codes, titles } in &builders {
        let has = |code: Option<&str>, title: Option<&str>| {
            rows().any(|row| {
                // What is left behind a fix of a note stands behind its title.
                let own = row.title.split(" (then ").next().unwrap_or_default();
                code.is_none_or(|code| row.code == code) && title.is_none_or(|title| is_made_by(own, title))
            })
        };
        let of_codes = codes.iter().filter(|code| !WITHOUT.contains(code) && !has(Some(code), None));
        missing.extend(of_codes.map(|code| format!("{name}: {code}")));
        for title in titles {
            let is_there = match &codes[..] {
                [] => has(None, Some(title)),
                codes => codes.iter().any(|code| has(Some(code), Some(title))),
            };
            missing.extend((!is_there).then(|| format!("{name}: {title}")));
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
}
