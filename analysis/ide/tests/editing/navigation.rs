//! What holds for every place of any text: hover, definition, references, highlights, rename and signature help answer
//! without fail, in ranges that are there; and a renaming that is allowed changes names and nothing else.

use crate::common;

use std::sync::Arc;

use ide::definition::{definition, type_definition};
use ide::highlights::highlights;
use ide::hover::{Beside, hover};
use ide::links::{LinkTarget, links};
use ide::references::{ReferenceKind, references};
use ide::rename::{RenameError, prepare_rename};
use ide::signature_help::signature_help;
use queries::db::{Database, File};
use queries::{check, db};
use syntax::{TextEdit, TextRange, TextSize, apply_edits};

const PROGRAM: &str = "\
const N = 4

## A point, ünicode and all.
struct P:
    x: f32
    y: f32

## Blends, as [last] does not, and [`lerp`].
fn lerp(a, b, t):
    return a + (b - a) * t

fn last(a: f32[k]):
    return a[k - 1]

fn ends(p: P, t):
    let a, b = p.x * t, P(p.y, 1)
    a, b.x = b.y, a
    return a + b.x

@alias(p, q)
kernel step(p: P[n], q: P[n], out: f32[n], n: i32):
    let total: f32 = 0
    @lanes(N)
    for i in range(0, n, 1):
        old = p[i].x  # ü
        if old > 1:
            continue
        total += lerp(old, q[i].y, 0.5)
        q[i].x = min(old, f32(i))
    foreach i in range(n):
        compress_store(out, 0, p[i].x)
    while total > 9:
        total = ends(p[0], total) / 2
        break
    out[1:] = map(\\x y -> x + y * total, out[1:], out[1:])
    out[0] = last(out) + reduce(+, 0, out)
";

fn open(text: &str) -> (Database, File) {
    let db = Database::default();
    let file = File::new(&db, Arc::from(text));
    (db, file)
}

/// Asks everything about every place of a text.
fn ask_everywhere(text: &str) {
    let (db, file) = open(text);
    let inside =
        |range: TextRange| assert!(text.get(std::ops::Range::<usize>::from(range)).is_some(), "{range:?}\n{text}");
    for offset in (0..=text.len()).filter(|&offset| text.is_char_boundary(offset)) {
        let offset = TextSize::new(offset as u32);
        if let Some(hover) = hover(&db, file, offset, Beside::Notes) {
            inside(hover.range);
            assert!(!hover.text.is_empty());
        }
        for target in definition(&db, file, offset).iter().chain(&type_definition(&db, file, offset)) {
            let text = target.file.text(&db);
            assert!(text.get(std::ops::Range::<usize>::from(target.range)).is_some());
            assert!(target.range.contains_range(target.focus));
        }
        let places: Vec<_> = references(&db, file, offset).iter().map(|found| found.range).collect();
        let marks: Vec<_> = highlights(&db, file, offset).iter().map(|found| found.range).collect();
        for ranges in [&places, &marks] {
            ranges.iter().copied().for_each(inside);
            assert!(ranges.is_sorted_by(|a, b| a.end() <= b.start()), "{ranges:?}\n{text}");
        }
        if let Ok((range, name)) = prepare_rename(&db, file, offset) {
            assert_eq!(&text[range], name);
            let line = &text[text[..range.start().into()].rfind('\n').map_or(0, |at| at + 1)..];
            assert!(places.contains(&range) || line.starts_with("##"), "{range:?}\n{text}");
        }
        if let Some(help) = signature_help(&db, file, offset) {
            assert!(help.active.is_none_or(|active| active < help.parameters.len()));
            help.parameters.iter().for_each(|&range| assert!(!help.label[range].is_empty()));
        }
    }
}

/// The edits of a renaming in a database of one file.
fn rename(db: &Database, file: File, offset: TextSize, name: &str) -> Result<Vec<TextEdit>, RenameError> {
    let edits = ide::rename::rename(db, &[file], file, offset, name)?;
    Ok(edits.into_iter().flat_map(|(_, edits)| edits).collect())
}

/// Deletes or doubles a few stretches of a text.
fn mutated(text: &str, rng: &mut fastrand::Rng) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    for _ in 0..rng.usize(1..4) {
        let start = rng.usize(0..chars.len());
        let end = (start + rng.usize(1..12)).min(chars.len());
        match rng.u8(0..3) {
            0 => drop(chars.drain(start..end)),
            1 => {
                let stretch = chars[start..end].to_vec();
                let at = rng.usize(0..=chars.len());
                chars.splice(at..at, stretch);
            }
            _ => chars.insert(start, *rng.choice(&['(', ')', '[', ',', '.', '\n', ' ', 'x', '@', '=']).expect("some")),
        }
    }
    chars.into_iter().collect()
}

#[test]
fn every_place_of_any_text_has_answers() {
    ask_everywhere(PROGRAM);
    common::files("examples", "lane").iter().for_each(|(_, text)| ask_everywhere(text));
    let mut rng = fastrand::Rng::with_seed(3);
    for _ in 0..25 {
        ask_everywhere(&mutated(PROGRAM, &mut rng));
    }
}

/// The typed stage of a file, and the codes of what is wrong with it.
fn meaning(text: &str) -> (Vec<String>, Vec<&'static str>) {
    let (db, file) = open(text);
    let lines =
        db::file_items(&db, file).iter().flat_map(|&item| queries::typed(&db, item)).map(|line| line.text.clone());
    (lines.collect(), check::diagnostics(&db, file).iter().map(|found| found.code.name()).collect())
}

#[test]
fn a_renaming_there_and_back_changes_nothing() {
    let (db, file) = open(PROGRAM);
    let (lines, codes) = meaning(PROGRAM);
    let mut n_renamed = 0;
    for offset in (0..PROGRAM.len()).filter(|&offset| PROGRAM.is_char_boundary(offset)) {
        let offset = TextSize::new(offset as u32);
        let found = references(&db, file, offset);
        let Some(definition) = found.iter().find(|found| found.kind == ReferenceKind::Definition) else { continue };
        if definition.range.start() != offset {
            continue;
        }
        let old = &PROGRAM[definition.range];
        let edits = rename(&db, file, offset, "renamed").expect("nothing is called so");
        let n_links = links(&db, file).iter().filter(|it| it.target == LinkTarget::Item(definition.range)).count();
        assert_eq!(edits.len(), found.len() + n_links);
        let changed = apply_edits(PROGRAM, &edits);
        let (changed_lines, changed_codes) = meaning(&changed);
        assert_eq!(codes, changed_codes, "{changed}");
        assert_eq!(lines.len(), changed_lines.len());
        let (db, file) = open(&changed);
        let n_before = edits.iter().take_while(|edit| edit.range.start() < offset).count();
        let moved = TextSize::of(&*apply_edits(&PROGRAM[..offset.into()], &edits[..n_before]));
        let back = rename(&db, file, moved, old).expect("the old name is free again");
        assert_eq!(apply_edits(&changed, &back), PROGRAM);
        n_renamed += 1;
    }
    // Every name that the program defines.
    assert_eq!(n_renamed, 27);
}

/// Giving one thing the name of another is either refused or keeps what every line means.
#[test]
fn no_renaming_that_is_allowed_changes_types_or_findings() {
    let (db, file) = open(PROGRAM);
    let (_, codes) = meaning(PROGRAM);
    let names = ["N", "P", "x", "lerp", "last", "a", "k", "p", "i", "old", "total", "out", "min", "reduce", "n"];
    let (mut n_allowed, mut n_refused) = (0, 0);
    for offset in (0..PROGRAM.len()).filter(|&offset| PROGRAM.is_char_boundary(offset)) {
        let offset = TextSize::new(offset as u32);
        let at_definition = references(&db, file, offset)
            .iter()
            .any(|found| found.kind == ReferenceKind::Definition && found.range.start() == offset);
        for name in names.into_iter().filter(|_| at_definition) {
            match rename(&db, file, offset, name) {
                Ok(edits) => {
                    assert_eq!(meaning(&apply_edits(PROGRAM, &edits)).1, codes, "{offset:?} to {name}");
                    n_allowed += 1;
                }
                Err(error) => {
                    assert!(!error.to_string().is_empty());
                    n_refused += 1;
                }
            }
        }
    }
    assert!(n_allowed > 50 && n_refused > 50, "{n_allowed} allowed, {n_refused} refused");
}
