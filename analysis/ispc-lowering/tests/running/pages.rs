//! The pages of runs in `docs/ispc-reasons.md`: one for each code, with a source that has it and one that has not.

use super::outcome;

const PAGES: &str = include_str!("../../../../docs/ispc-reasons.md");

#[test]
fn every_code_has_a_page_whose_sources_are_as_it_says() {
    let mut seen = Vec::new();
    for page in PAGES.split("\n## ").skip(1) {
        let code = page.lines().next().unwrap_or_default();
        if !ispc_lowering::CODES.contains(&code) {
            continue;
        }
        seen.push(code);
        let sources: Vec<&str> = page.split("```ispc\n").skip(1).filter_map(|part| part.split("```").next()).collect();
        let [has, lifted] = sources[..] else { panic!("`{code}` has {} sources", sources.len()) };
        let start = if code == ispc_lowering::RUN_FAULT { "stopped: " } else { "not run: " };
        assert!(outcome(has, 8).starts_with(start), "`{code}`: {}", outcome(has, 8));
        assert_eq!(outcome(lifted, 8), "", "`{code}` is not lifted");
    }
    assert_eq!(seen, ispc_lowering::CODES, "the pages, sorted");
}
