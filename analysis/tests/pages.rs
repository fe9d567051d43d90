//! The reasons catalogue: each code of the analysis has a page, whose programs are what the page says; and fixes lift what
//! they are offered for.

mod common;

use analysis::errors::{CODES, LOWERING_CODES};
use syntax::{Diagnostic, Severity};

/// A page of the catalogue.
struct Page {
    code: String,
    has_it: String,
    lifted: String,
}

/// The pages of all codes, those of syntax errors among them.
fn all_pages() -> Vec<Page> {
    common::read("docs/reasons.md").split("\n## ").skip(1).map(page).collect()
}

/// The pages of the analysis' own codes.
fn pages() -> Vec<Page> {
    let own = |page: &Page| !syntax::errors::CODES.contains(&&*page.code);
    all_pages().into_iter().filter(own).collect()
}

fn page(text: &str) -> Page {
    let code = text.lines().next().unwrap_or_default().to_owned();
    let program = |label: &str| {
        let (_, rest) = text.split_once(label).unwrap_or_else(|| panic!("{code}: no `{label}`"));
        let (_, rest) = rest.split_once("```lane\n").unwrap_or_else(|| panic!("{code}: no program at `{label}`"));
        rest.split("```").next().unwrap_or_default().to_owned()
    };
    Page { has_it: program("\nHas it:\n"), lifted: program("\nLifted:\n"), code }
}

#[test]
fn every_code_has_a_page_in_order() {
    let pages: Vec<_> = all_pages().into_iter().map(|page| page.code).collect();
    let mut codes = [syntax::errors::CODES, CODES, LOWERING_CODES].concat();
    codes.sort_unstable();
    assert_eq!(pages, codes);
}

#[test]
fn programs_are_what_their_pages_say() {
    for page in pages() {
        let find = if LOWERING_CODES.contains(&&*page.code) { common::lowered } else { common::diagnostics };
        let found: Vec<_> = find(&page.has_it).into_iter().map(|finding| finding.code).collect();
        assert_eq!(found, [&*page.code], "{}", page.has_it);
        let left = find(&page.lifted);
        assert!(left.is_empty(), "{}:\n{}\n{}", page.code, page.lifted, common::render(&page.lifted, &left));
    }
}

/// The first fix of each finding, applied by itself, lifts it and makes no new syntax error.
#[test]
fn fixes_lift_what_they_are_offered_for() {
    let suites = common::files("analysis/tests/suites", "lane").into_iter().map(|(_, text)| text);
    let mut n_fixes = 0;
    for text in suites.chain(pages().into_iter().map(|page| page.has_it)) {
        let before = common::diagnostics(&text);
        for finding in before.iter().filter(|finding| CODES.contains(&finding.code)) {
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
    let syntax = |finding: &&Diagnostic| finding.severity == Severity::Error && !CODES.contains(&finding.code);
    findings.iter().filter(syntax).count()
}
