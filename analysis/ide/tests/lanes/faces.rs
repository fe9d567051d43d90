//! All faces say the same of a loop: hovers, hints, `check` and the explanation that text and JSON are made of.

use crate::common;

use std::sync::Arc;

use ide::explain::{Explained, Loop, explain, explain_item};
use ide::hints::{HintKind, HintOptions, type_hints};
use ide::hover::{Beside, hover};
use insight::{LANES_ELSEWHERE, codes_of_loops};
use ir::ReasonCode;
use queries::check;
use queries::db::file_items;
use queries::db::{Database, File};
use queries::stages::{Options, STAGES, target};
use report::ReportCode;
use syntax::{Diagnostic, Severity, TextRange, TextSize};

/// The examples, and the programs of the reasons catalogue.
fn programs() -> Vec<(String, String)> {
    let examples = common::files("examples", "lane").into_iter();
    let examples = examples.map(|(path, text)| (path.display().to_string(), text));
    let pages = common::read("docs/reasons.md");
    let of_pages = pages.split("```lane\n").skip(1).map(|rest| rest.split("```").next().unwrap_or_default().to_owned());
    examples.chain(of_pages.enumerate().map(|(n, text)| (format!("program {n} of the catalogue"), text))).collect()
}

#[test]
fn every_face_says_the_same_of_a_loop() {
    let (mut n_vector, mut n_in_order) = (0, 0);
    for (name, text) in programs() {
        let db = Database::default();
        let file = File::new(&db, Arc::from(&*text));
        let whole = TextRange::up_to(TextSize::of(&*text));
        let hints = type_hints(&db, file, whole, &HintOptions { costs: false, ..HintOptions::ALL });
        let found = check::diagnostics(&db, file);
        // The loops of instances stand in their template, which an editor shows as the first of them.
        let mut headers = std::collections::HashSet::new();
        let explained = explain(&db, file).into_iter().filter(|item: &Explained| headers.insert(item.range));
        for it in &explained.flat_map(|item| item.loops).collect::<Vec<_>>() {
            let shown = &text[it.range];
            let says = |what: &str| format!("{name}: `{shown}` is {}, and {what}", it.headline());

            let hover =
                hover(&db, file, it.range.start(), Beside::Notes).unwrap_or_else(|| panic!("{}", says("has no hover")));
            for code in it.verdict.reasons.iter().map(|reason| reason.code.name()) {
                assert!(hover.text.contains(code), "{}", says(&format!("its hover has no {code}:\n{}", hover.text)));
            }
            let lanes = it.n_lanes().map(|lanes| format!("{lanes} lane")).unwrap_or_default();
            assert!(hover.text.contains(&lanes), "{}", says(&hover.text));

            let line_end =
                text[usize::from(it.range.end())..].find(['\n', '\r']).map(|n| n + usize::from(it.range.end()));
            let line = it.range.start()..TextSize::new(line_end.unwrap_or(text.len()) as u32);
            let own = |hint: &&ide::hints::Hint| {
                hint.kind == HintKind::Loop && line.start < hint.offset && hint.offset <= line.end
            };
            match hints.iter().find(own) {
                Some(hint) => assert_eq!(hint.text.trim(), it.headline(), "{}", says("its hint is another")),
                None => assert!(!it.verdict.is_vector, "{}", says("it has no hint")),
            }

            match note_of(&found, it) {
                Some(note) => {
                    assert!(it.verdict.code() == Some(note.code) || it.verdict.is_vector, "{}", says(&note.message))
                }
                None if !has_errors(&found) => assert!(is_unnoted(it), "{}", says("`check` does not say so")),
                None => {}
            }
            assert_eq!(it.verdict.is_vector, it.verdict.code().is_none(), "{}", says("its code is another"));
            *(if it.verdict.is_vector { &mut n_vector } else { &mut n_in_order }) += 1;
        }
    }
    assert!(n_vector > 40 && n_in_order > 40, "{n_vector} loops in lanes, {n_in_order} in order");
}

fn note_of<'f>(found: &'f [Diagnostic], it: &Loop) -> Option<&'f Diagnostic> {
    found.iter().find(|found| found.range == it.range && codes_of_loops().contains(&found.code.name()))
}

fn has_errors(found: &[Diagnostic]) -> bool {
    found.iter().any(|found| found.severity == Severity::Error)
}

/// Whether `check` has nothing to say of a loop: it runs as lanes, is a `while`, or stands in a nest whose lanes are elsewhere.
fn is_unnoted(it: &Loop) -> bool {
    let code = it.verdict.code().and_then(ReasonCode::of);
    let is_error = matches!(code, Some(ReasonCode::IterationsCollide | ReasonCode::NotUnderstood));
    it.verdict.is_vector || it.index.is_empty() || !it.is_lane_loop || is_error
}

/// Lanes, costs and what became of accesses depend on the target; the proofs that verdicts rest on do not.
#[test]
fn a_proof_does_not_depend_on_the_target() {
    let of_target =
        |code: ReportCode| code == LANES_ELSEWHERE || ReasonCode::of(code).is_some_and(|code| code.depends_on_target());
    for (name, text) in programs() {
        let proofs = |target: &str| {
            let target = target::find(target).expect("a row of the table");
            let mut db = Database::default();
            db.set_made_for(&[Options { lanes: None, target }]);
            let file = File::new(&db, Arc::from(&*text));
            let items = file_items(&db, file).iter().filter_map(|&item| explain_item(&db, item));
            let proof = |it: Loop| {
                let reasons = it.verdict.reasons.into_iter().filter(|reason| !of_target(reason.code));
                let reasons: Vec<_> = reasons.map(|reason| (reason.code, reason.message)).collect();
                (it.range, reasons, it.dependences)
            };
            items.flat_map(|item| item.loops.into_iter().map(proof)).collect::<Vec<_>>()
        };
        let usual = proofs("avx2");
        for target in ["sse4", "avx512", "neon", "rvv512", "wasm", "scalar"] {
            assert_eq!(proofs(target), usual, "{name}: {target}");
        }
    }
}

/// What is asked for changes what is shown, and no verdict: hints of all kinds or of none, stages looked at or not.
#[test]
fn more_information_changes_no_verdict() {
    for (name, text) in programs() {
        let fresh = |ask: &dyn Fn(&Database, File)| {
            let db = Database::default();
            let file = File::new(&db, Arc::from(&*text));
            ask(&db, file);
            (explain(&db, file), check::diagnostics(&db, file))
        };
        let whole = TextRange::up_to(TextSize::of(&*text));
        let alone = fresh(&|_, _| {});
        let after_all = fresh(&|db, file| {
            type_hints(db, file, whole, &HintOptions::ALL);
            let is_sound = !has_errors(&check::diagnostics(db, file));
            for &item in file_items(db, file).iter().filter(|_| is_sound) {
                STAGES.iter().for_each(|stage| drop(stage.of(db, item, Options::default())));
            }
            (0..text.len()).step_by(7).filter(|&at| text.is_char_boundary(at)).for_each(|at| {
                hover(db, file, TextSize::new(at as u32), Beside::Notes);
            });
        });
        assert_eq!(alone, after_all, "{name}");
    }
}
