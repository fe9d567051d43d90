//! The pages of `docs/ispc-reasons.md`: one for each code, with a source that has it and one that has not. Those of notes,
//! of runs and of machine code are tried by the packages that find them.

use crate::{problems, read};

const PAGES: &str = include_str!("../../../../docs/ispc-reasons.md");

#[test]
fn every_code_has_a_page_whose_sources_are_as_it_says() {
    let mut seen = Vec::new();
    for page in PAGES.split("\n## ").skip(1) {
        let code = page.lines().next().unwrap_or_default();
        let elsewhere = ["ispc-perf-", "ispc-run-", "ispc-build-"];
        if elsewhere.iter().any(|kind| code.starts_with(kind)) || code == "ispc-same-cell" {
            continue;
        }
        seen.push(code);
        let sources: Vec<&str> = page.split("```ispc\n").skip(1).filter_map(|part| part.split("```").next()).collect();
        let [has, lifted] = sources[..] else { panic!("`{code}` has {} sources", sources.len()) };
        let found = problems(&read(has));
        assert!(!found.is_empty(), "`{code}` finds nothing");
        assert!(found.iter().all(|problem| problem.code == code), "`{code}`: {found:?}");
        let found = problems(&read(lifted));
        assert!(found.is_empty(), "`{code}` is not lifted: {found:?}");
    }
    let mut codes = [ispc::problems::CODES, ispc_types::findings::CODES].concat();
    codes.sort_unstable();
    assert_eq!(seen, codes, "the pages, sorted");
}
