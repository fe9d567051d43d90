//! The programs of `docs/language.md`, as the tools take them.

use report::{Diagnostic, Severity};

use crate::common;

/// The programs of the page, those that show free spacing too.
fn programs() -> Vec<String> {
    let page = common::read("docs/language.md");
    let mut programs = Vec::new();
    let mut rest = page.as_str();
    while let Some((_, behind)) = rest.split_once("\n```lane") {
        let (_, behind) = behind.split_once('\n').expect("the line of the fence ends");
        let (program, behind) = behind.split_once("\n```").expect("a closing fence");
        programs.push(format!("{program}\n"));
        rest = behind;
    }
    assert!(programs.len() > 8, "{}", programs.len());
    programs
}

#[test]
fn every_program_of_the_page_keeps_its_promises() {
    for program in programs() {
        let found = common::diagnostics(&program);
        // The page is ahead of the tool.
        let counts = |found: &&Diagnostic| found.severity == Severity::Error;
        let errors: Vec<_> = found.iter().filter(counts).cloned().collect();
        assert!(errors.is_empty(), "{}\n{program}", common::render(&program, &errors));
    }
}
