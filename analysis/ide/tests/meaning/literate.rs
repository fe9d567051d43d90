//! The literate suites: `suites/*.lane`, programs whose comments say what the analysis finds.
//!
//! At the end of a line, `# error: code` (or `warning:`, `note:`) expects a finding that starts on this line; several are
//! separated by commas. `# type: x: f32[n], y: i32` expects the types of names that are defined on this line. What is
//! not expected must not be found.

use crate::common;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;

use hir::infer;
use queries::db::{Database, File, cut_file};
use queries::{check, db};
use syntax::text::LineIndex;

#[test]
fn suites_find_what_they_say() {
    let mut failures = String::new();
    for (path, text) in common::files("analysis/ide/tests/suites", "lane") {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        compare(&name, &text, &mut failures);
    }
    assert!(failures.is_empty(), "\n{failures}");
}

/// The suites are the language's rules: none is without a program that breaks it.
#[test]
fn suites_have_every_code() {
    let suites: String = common::files("analysis/ide/tests/suites", "lane").into_iter().map(|(_, text)| text).collect();
    let expected: std::collections::BTreeSet<_> = suites
        .lines()
        .flat_map(|line| expectations(line).0)
        .filter_map(|e| Some(e.split_once(": ")?.1.to_owned()))
        .collect();
    let missing: Vec<_> = hir::errors::CheckCode::ALL.iter().filter(|code| !expected.contains(code.name())).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

fn compare(name: &str, text: &str, failures: &mut String) {
    let mut database = Database::default();
    // The suites stand beside each other, so one may use another.
    for (path, text) in common::files("analysis/ide/tests/suites", "lane") {
        let other = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if other != name {
            let _ = database.add_file(&other, Arc::from(text));
        }
    }
    let file = database.add_file(name, Arc::from(text));
    let lines = LineIndex::new(text);
    let mut found: BTreeMap<u32, Vec<String>> = BTreeMap::new();
    let mut messages: BTreeMap<u32, Vec<String>> = BTreeMap::new();
    // Each note at its own place: a list of them has one for several places with one cause.
    let cut = cut_file(&database, file);
    let of_item = |(&item, &start)| check::item_diagnostics(&database, item, start);
    for diagnostic in cut.items.iter().zip(&cut.starts).flat_map(of_item) {
        let line = lines.line(diagnostic.range.start());
        found.entry(line).or_default().push(format!("{}: {}", diagnostic.severity.name(), diagnostic.code));
        messages.entry(line).or_default().push(diagnostic.message);
    }
    let types = types(&database, file, &lines);
    for (n, line) in text.lines().enumerate() {
        let n = n as u32;
        let (findings, wanted_types) = expectations(line);
        let mut actual = found.remove(&n).unwrap_or_default();
        actual.sort();
        if actual != findings {
            let _ = writeln!(
                failures,
                "{name}:{}: {line}\n  expected {findings:?}\n  found    {actual:?} {:?}",
                n + 1,
                messages.get(&n)
            );
        }
        for (name_of, wanted) in wanted_types {
            let actual = types.get(&(n, name_of.clone()));
            if actual != Some(&wanted) {
                let _ = writeln!(
                    failures,
                    "{name}:{}: {line}\n  expected {name_of}: {wanted}\n  found    {actual:?}",
                    n + 1
                );
            }
        }
    }
}

/// The findings (sorted) and the types that a line's comment expects.
fn expectations(line: &str) -> (Vec<String>, Vec<(String, String)>) {
    let (mut findings, mut types) = (Vec::new(), Vec::new());
    for part in line.split("# ").skip(1) {
        let part = part.trim();
        for severity in ["error", "warning", "note"] {
            if let Some(codes) = part.strip_prefix(severity).and_then(|rest| rest.strip_prefix(": ")) {
                findings.extend(codes.split(", ").map(|code| format!("{severity}: {code}")));
            }
        }
        if let Some(list) = part.strip_prefix("type: ") {
            types.extend(split_types(list));
        }
    }
    findings.sort();
    (findings, types)
}

/// `x: f32[n, m], y: i32`: the commas outside of brackets separate.
fn split_types(list: &str) -> Vec<(String, String)> {
    let mut depth = 0;
    let parts = list.split(|c: char| {
        depth += i32::from(matches!(c, '[' | '(')) - i32::from(matches!(c, ']' | ')'));
        c == ',' && depth == 0
    });
    let pair = |part: &str| part.trim().split_once(": ").map(|(name, ty)| (name.to_owned(), ty.to_owned()));
    parts.map(|part| pair(part).unwrap_or_else(|| panic!("`{part}` is no `name: type`"))).collect()
}

/// The types of all locals, fields, constants and results, by line and name; a result's name is `->`.
fn types(database: &Database, file: File, lines: &LineIndex) -> BTreeMap<(u32, String), String> {
    let mut types = BTreeMap::new();
    let cut = db::cut_file(database, file);
    for (&item, &start) in cut.items.iter().zip(&cut.starts) {
        let lowered = queries::lowered(database, item);
        let inference = queries::infer(database, item);
        let dense = db::dense_map(database, item);
        let line = |range| lines.line(dense.to_text(range).start() + start);
        let show = |ty: &hir::ty::Ty| ty.display(&|atom| infer::atom_name(&lowered.body, atom));
        for (id, local) in lowered.body.locals.iter() {
            if let Some(ty) = inference.locals.get(id) {
                types.insert((line(lowered.map.locals[id]), local.name.to_string()), show(ty));
            }
        }
        if let (Some(name), Some(result)) = (lowered.map.name, &inference.signature.result) {
            types.insert((line(name), "->".to_owned()), show(result));
        }
    }
    types
}
