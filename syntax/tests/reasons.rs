//! `docs/reasons.md` has a page for every syntax error, and its programs show what it says.
//!
//! Later rooms have codes of their own; their pages stand there too, and their own tests look after them.

use syntax::SourceFile;
use syntax::errors::SyntaxCode;
use syntax::format::format;

const REASONS: &str = include_str!("../../docs/reasons.md");

/// One code's page.
struct Page {
    code: &'static str,
    /// The smallest program that has the code.
    has_it: String,
    /// The same with the smallest change that lifts it.
    lifted: String,
}

#[test]
fn every_code_has_a_page() {
    let pages = pages();
    for code in SyntaxCode::ALL {
        assert!(pages.iter().any(|page| page.code == code.name()), "`{code}` has no page in docs/reasons.md");
    }
    assert!(pages.is_sorted_by(|one, next| one.code < next.code), "the pages are not in alphabetical order");
}

#[test]
fn each_first_program_has_its_code_and_no_other() {
    for page in syntax_pages() {
        assert_eq!(codes(&page.has_it), [page.code], "{}", page.has_it);
    }
}

#[test]
fn each_second_program_has_no_error() {
    for page in syntax_pages() {
        assert_eq!(codes(&page.lifted), [""; 0], "{}: {}", page.code, page.lifted);
    }
}

/// What a page says to write is written as the formatter would, whatever room the code belongs to.
#[test]
fn each_second_program_is_in_canonical_form() {
    for page in pages() {
        assert_eq!(format(&page.lifted), page.lifted, "{}", page.code);
    }
}

fn codes(program: &str) -> Vec<&'static str> {
    SourceFile::parse(program).errors().map(|error| error.code.name()).collect()
}

fn syntax_pages() -> Vec<Page> {
    pages().into_iter().filter(|page| SyntaxCode::ALL.iter().any(|code| code.name() == page.code)).collect()
}

/// The pages with programs in Lane: a few codes are about what only Lane IR can say so far.
fn pages() -> Vec<Page> {
    REASONS.split("\n## ").skip(1).filter(|text| !text.contains("```lane-ir")).map(page).collect()
}

fn page(text: &'static str) -> Page {
    let (code, rest) = text.split_once('\n').expect("a code has a line of its own");
    let program = |mark: &str| {
        let program = rest.split_once(mark).and_then(|(_, rest)| rest.split_once("```lane\n"));
        let program = program.and_then(|(_, rest)| rest.split_once("```"));
        program.unwrap_or_else(|| panic!("`{code}` has no program behind `{mark}`")).0.replace("<tab>", "\t")
    };
    Page { code, has_it: program("\nHas it:\n"), lifted: program("\nLifted:\n") }
}
