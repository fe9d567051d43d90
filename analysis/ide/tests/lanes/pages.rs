//! The reasons catalogue: each code of the analysis has a page, whose programs are what the page says; and fixes lift what
//! they are offered for.

use crate::common;

use std::sync::Arc;

use hir::errors::{CheckCode, RuleCode};
use ide::explain::explain;
use ide::fixes::TrialText;
use insight::codes_of_loops;
use queries::db;
use queries::db::{Database, File};
use queries::run;
use queries::run::Engine;
use queries::stages;
use queries::stages::{Options, decision_codes};
use report::ReportCode;
use syntax::errors::SyntaxCode;
use syntax::{Diagnostic, Severity};

/// A page of the catalogue.
struct Page {
    code: String,
    has_it: String,
    /// What it is run with, as `run` takes it on the command line.
    run_with: Option<String>,
    lifted: String,
    /// The file that stands beside it, with its name.
    beside: Option<(String, String)>,
    /// Its programs are Lane IR.
    is_ir: bool,
}

/// The pages of all codes, those of syntax errors among them.
fn all_pages() -> Vec<Page> {
    common::read("docs/reasons.md").split("\n## ").skip(1).map(page).collect()
}

/// The names of a list of codes.
fn names<C: Copy + Into<ReportCode>>(codes: &[C]) -> impl Iterator<Item = &'static str> + use<'_, C> {
    codes.iter().map(|&code| code.into().name())
}

/// The pages of the analysis' own codes, but for those of verdicts.
fn pages() -> Vec<Page> {
    let own = |page: &Page| {
        names(CheckCode::ALL).chain(names(RuleCode::ALL)).chain(names(run::CODES)).any(|name| name == page.code)
    };
    all_pages().into_iter().filter(own).collect()
}

fn page(text: &str) -> Page {
    let code = text.lines().next().unwrap_or_default().to_owned();
    let program = |label: &str| {
        let (_, rest) = text.split_once(label).unwrap_or_else(|| panic!("{code}: no `{label}`"));
        let (_, rest) = rest.split_once("\n```lane").unwrap_or_else(|| panic!("{code}: no program at `{label}`"));
        let program = rest.split("```").next().unwrap_or_default();
        program.split_once('\n').map(|(_, program)| program.to_owned()).unwrap_or_default()
    };
    let run_with = text.split_once("\nRun with `").and_then(|(_, rest)| rest.split_once('`'));
    let run_with = run_with.map(|(args, _)| args.to_owned());
    let is_ir = text.contains("\n```lane-ir\n");
    let mut has_it = program("\nHas it:\n");
    if let Some((_, times)) = text.split_once("\nIts last line stands there ") {
        let times = times.split_once(" times.").and_then(|(times, _)| times.parse().ok()).expect("a number");
        let last = has_it.lines().last().unwrap_or_default().to_owned() + "\n";
        has_it += &last.repeat(times);
    }
    let beside = text.split_once("\nBeside it stands `").map(|(_, rest)| {
        let (name, _) = rest.split_once('`').expect("the name of a file");
        (name.to_owned(), program("\nBeside it stands `"))
    });
    Page { has_it, run_with, lifted: program("\nLifted:\n"), beside, is_ir, code }
}

impl Page {
    /// The findings about a program of the page.
    fn diagnostics(&self, program: &str) -> Vec<Diagnostic> {
        let Some((name, text)) = &self.beside else { return common::diagnostics(program) };
        let mut db = Database::default();
        let _ = db.add_file(name, Arc::from(text.as_str()));
        let file = db.add_file("main.lane", Arc::from(program));
        queries::check::diagnostics(&db, file)
    }
}

#[test]
fn every_code_has_a_page_in_order() {
    let pages: Vec<_> = all_pages().into_iter().map(|page| page.code).collect();
    assert!(pages.is_sorted());
    let own = names(SyntaxCode::ALL).chain(names(CheckCode::ALL)).chain(names(RuleCode::ALL)).chain(names(run::CODES));
    for code in own.chain(decision_codes()).chain(codes_of_loops()) {
        assert!(pages.iter().any(|page| page == code), "`{code}` has no page");
    }
}

#[test]
fn programs_are_what_their_pages_say() {
    for page in pages().into_iter().filter(|page| page.run_with.is_none()) {
        // That a loop runs in order has pages of its own, and so have rules that kernels break.
        let elsewhere = |code: &str| {
            codes_of_loops().contains(&code) || code != page.code && names(RuleCode::ALL).any(|name| name == code)
        };
        let find = |program: &str| -> Vec<_> {
            page.diagnostics(program).into_iter().filter(|it| !elsewhere(it.code.name())).collect()
        };
        let found: Vec<_> = find(&page.has_it).into_iter().map(|finding| finding.code.name()).collect();
        assert_eq!(found, [&*page.code], "{}", page.has_it);
        let left = find(&page.lifted);
        assert!(left.is_empty(), "{}:\n{}\n{}", page.code, page.lifted, common::render(&page.lifted, &left));
    }
}

/// The codes of all that verdicts say of a program.
fn verdicts(program: &str, is_ir: bool) -> Vec<&'static str> {
    if is_ir {
        let kernel = ir::read(program, None).unwrap_or_else(|error| panic!("{error}\n{program}")).remove(0);
        let loops = facts::loops::loops(&kernel, &facts::dependence::DependenceLimits::default());
        let facts = facts::facts(&kernel, &facts::lane_loops(&kernel, &loops.forest, &[], None));
        let refused = facts.loops.iter().filter_map(|&op| passes::refusal(&kernel, &facts, &loops, op));
        let reasons = loops.list.iter().flat_map(|known| &known.verdict.reasons).map(|reason| reason.code);
        return reasons.chain(refused.map(|refusal| refusal.code)).map(ir::ReasonCode::name).collect();
    }
    let db = Database::default();
    let file = File::new(&db, Arc::from(program));
    let loops = explain(&db, file).into_iter().flat_map(|item| item.loops);
    loops.flat_map(|it| it.verdict.reasons).map(|reason| reason.code.name()).collect()
}

#[test]
fn verdicts_are_what_their_pages_say() {
    let mut wrong = String::new();
    // A page that is run is about the run.
    let pages = all_pages().into_iter().filter(|page| page.run_with.is_none());
    for page in pages.filter(|page| codes_of_loops().contains(&&*page.code)) {
        let (has, left) = (verdicts(&page.has_it, page.is_ir), verdicts(&page.lifted, page.is_ir));
        if !has.contains(&&*page.code) || left.contains(&&*page.code) {
            wrong += &format!("{}: has {has:?}, then {left:?}\n", page.code);
        }
        for program in [&page.has_it, &page.lifted].into_iter().filter(|_| !page.is_ir) {
            let found = common::diagnostics(program);
            let is_error = |found: &&Diagnostic| found.severity == Severity::Error && page.code != "not-understood";
            let errors: Vec<_> = found.iter().filter(is_error).cloned().collect();
            if !errors.is_empty() {
                wrong += &format!("{}:\n{}", page.code, common::render(program, &errors));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// The codes of all that passes choose for a program.
fn decisions(program: &str) -> Vec<&'static str> {
    let db = Database::default();
    let file = File::new(&db, Arc::from(program));
    let items = db::file_items(&db, file).iter();
    let choices = items.flat_map(|&item| stages::choices_of(&db, item, Options::default()));
    choices.map(|choice| choice.code.name()).collect()
}

#[test]
fn decisions_are_what_their_pages_say() {
    let mut n_pages = 0;
    for page in all_pages().into_iter().filter(|page| decision_codes().contains(&&*page.code)) {
        let (has, left) = (decisions(&page.has_it), decisions(&page.lifted));
        assert!(has.contains(&&*page.code), "{}: {has:?}\n{}", page.code, page.has_it);
        assert!(!left.contains(&&*page.code), "{}: {left:?}\n{}", page.code, page.lifted);
        for program in [&page.has_it, &page.lifted] {
            let errors: Vec<_> =
                common::diagnostics(program).into_iter().filter(|found| found.severity == Severity::Error).collect();
            assert!(errors.is_empty(), "{}:\n{}", page.code, common::render(program, &errors));
        }
        n_pages += 1;
    }
    assert_eq!(n_pages, decision_codes().len());
}

#[test]
fn runs_end_as_their_pages_say() {
    for page in pages() {
        assert_eq!(page.run_with.is_some(), names(run::CODES).any(|name| name == page.code), "{}", page.code);
        let Some(args) = &page.run_with else { continue };
        for program in [&page.has_it, &page.lifted] {
            let mut found = common::diagnostics(program);
            found.retain(|finding| {
                !codes_of_loops().contains(&finding.code.name()) && finding.severity == Severity::Error
            });
            found.retain(|finding| RuleCode::of(finding.code).is_none());
            assert!(found.is_empty(), "{}:\n{}", page.code, common::render(program, &found));
        }
        assert_eq!(ends(&page.has_it, args), [Some(&*page.code)], "{}", page.has_it);
        assert_eq!(ends(&page.lifted, args), [None], "{}", page.lifted);
    }
}

/// The codes of the errors with which a kernel ends in each engine that can run it, each code once.
fn ends(program: &str, args: &str) -> Vec<Option<&'static str>> {
    let db = Database::default();
    let file = File::new(&db, Arc::from(program));
    let kernel = queries::named(&db, file, "k".into()).expect("the kernel");
    let args: Vec<_> = args.split("--arg ").skip(1).map(common::argument).collect();
    let mut ends = Vec::new();
    for engine in [Engine::Scalar, Engine::Interp(stages::in_order(), Options::default())] {
        // What breaks a rule that shows where kernels are lowered, one of them can run.
        if matches!(engine, Engine::Interp(..)) && !queries::sequential(&db, kernel).findings.is_empty() {
            continue;
        }
        let ran = run::run(&db, kernel, engine, &args, 10_000, &mut || false).expect("arguments that fit");
        let code = ran.failure.map(|failure| failure.code.name());
        if !ends.contains(&code) {
            ends.push(code);
        }
    }
    ends
}

/// The first fix of each finding, applied by itself, lifts it and makes no new syntax error. Those of notes are offered after
/// they were tried, and so they are here.
#[test]
fn fixes_lift_what_they_are_offered_for() {
    let suites = common::files("analysis/ide/tests/suites", "lane").into_iter().map(|(_, text)| text);
    let mut n_fixes = 0;
    for text in suites.chain(pages().into_iter().map(|page| page.has_it)) {
        let before = common::diagnostics(&text);
        let mut scratch = TrialText::new(&text);
        for finding in before.iter().filter(|finding| CheckCode::of(finding.code).is_some()) {
            let is_note = finding.severity == Severity::Note;
            let tried = if is_note { scratch.tried(vec![finding.clone()]).remove(0) } else { finding.clone() };
            let finding = &tried;
            let Some(after_text) = common::fixed(&text, finding) else { continue };
            n_fixes += 1;
            let after = common::diagnostics(&after_text);
            let shown = || {
                format!(
                    "{}\nbecomes\n{}",
                    common::render(&text, std::slice::from_ref(finding)),
                    common::render(&after_text, &after)
                )
            };
            assert!(count(&after, finding) < count(&before, finding), "{}", shown());
            assert!(n_syntax_errors(&after) <= n_syntax_errors(&before), "{}", shown());
        }
    }
    assert!(n_fixes > 80, "{n_fixes}");
}

fn count(findings: &[Diagnostic], like: &Diagnostic) -> usize {
    findings.iter().filter(|finding| finding.code == like.code && finding.message == like.message).count()
}

fn n_syntax_errors(findings: &[Diagnostic]) -> usize {
    let syntax = |finding: &&Diagnostic| SyntaxCode::of(finding.code).is_some();
    findings.iter().filter(syntax).count()
}
