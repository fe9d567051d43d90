//! The mistakes that people make, and what they are told: `mistakes/*.md`, to be read as documentation.
//!
//! Each section there is one program with one mistake, and the message that is drawn for it. `UPDATE_EXPECT=1`
//! writes the messages anew.

mod show;

use std::path::PathBuf;

use expect_test::expect_file;
use syntax::SourceFile;

#[test]
fn messages_are_as_the_pages_show_them() {
    for page in pages() {
        let text = std::fs::read_to_string(&page).expect("a page");
        expect_file![page].assert_eq(&with_messages(&text));
    }
}

#[test]
fn one_mistake_gives_one_error() {
    let mut others = String::new();
    for page in pages() {
        let text = std::fs::read_to_string(&page).expect("a page");
        for section in sections(&text) {
            if SourceFile::parse(&section.program).errors().count() != 1 {
                let drawn = show::errors(&section.program);
                others.push_str(&format!("{}: {}\n{}\n{drawn}\n", page.display(), section.heading, section.program));
            }
        }
    }
    assert!(others.is_empty(), "{others}");
}

#[test]
fn every_code_is_met_on_some_page() {
    let programs = pages().into_iter().flat_map(|page| {
        let text = std::fs::read_to_string(&page).expect("a page");
        sections(&text).into_iter().map(|section| section.program).collect::<Vec<_>>()
    });
    let met: Vec<_> = programs.flat_map(|program| SourceFile::parse(&program).errors().collect::<Vec<_>>()).collect();
    for code in syntax::errors::SyntaxCode::ALL {
        assert!(met.iter().any(|error| error.code == *code), "no page shows `{code}`");
    }
}

fn pages() -> Vec<PathBuf> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/mistakes");
    let files = std::fs::read_dir(folder).expect("the folder of pages");
    let mut pages: Vec<_> = files.map(|file| file.expect("a page").path()).collect();
    pages.sort();
    pages
}

/// A heading, and a program with the mistake that the heading tells of.
struct Section {
    heading: String,
    program: String,
}

/// A page's sections. `<name>` stands in a program for a character that would not show on a page.
fn sections(page: &str) -> Vec<Section> {
    page.split("\n### ")
        .skip(1)
        .map(|section| {
            let (heading, rest) = section.split_once('\n').expect("a heading has a line of its own");
            let program = rest.split("```lane\n").nth(1).and_then(|rest| rest.split("```").next());
            let program = program.unwrap_or_else(|| panic!("no program under `{heading}`"));
            let mut program = program.to_owned();
            for (name, character) in INVISIBLE {
                program = program.replace(name, character);
            }
            Section { heading: heading.to_owned(), program }
        })
        .collect()
}

const INVISIBLE: &[(&str, &str)] = &[
    ("<tab>", "\t"),
    ("<no-break space>", "\u{a0}"),
    ("<zero-width space>", "\u{200b}"),
    ("<byte order mark>", "\u{feff}"),
    ("<NUL>", "\0"),
    ("<carriage return>", "\r"),
];

/// The page with each section's message drawn anew.
fn with_messages(page: &str) -> String {
    let (intro, _) = page.split_once("\n### ").expect("a page has sections");
    let mut out = intro.to_owned();
    for (section, text) in sections(page).iter().zip(page.split("\n### ").skip(1)) {
        let source = text.split("```lane\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap_or_default();
        let message = show::errors(&section.program);
        out.push_str(&format!("\n### {}\n\n```lane\n{source}```\n\n```text\n{message}```\n", section.heading));
    }
    out
}
