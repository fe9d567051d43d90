//! The pages of notes in `docs/ispc-reasons.md`: one for each code, with a source that has it and one that has not.

use ispc_types::unit::declarations;

use super::read;

const PAGES: &str = include_str!("../../../../docs/ispc-reasons.md");

fn codes(text: &str) -> Vec<&'static str> {
    let unit = read(text);
    assert!(unit.problems.is_empty(), "{text}\n{:?}", unit.problems);
    let problems = ispc_types::whole::check(&unit);
    assert!(problems.is_empty(), "{text}\n{problems:?}");
    let notes = ispc_facts::whole::notes_of(&unit, &declarations(&unit, None), false);
    notes.into_iter().map(|note| note.code).collect()
}

#[test]
fn every_note_has_a_page_whose_sources_are_as_it_says() {
    let mut seen = Vec::new();
    for page in PAGES.split("\n## ").skip(1) {
        let code = page.lines().next().unwrap_or_default();
        let sources: Vec<&str> = page.split("```ispc\n").skip(1).filter_map(|part| part.split("```").next()).collect();
        let [has, lifted] = sources[..] else { panic!("`{code}` has {} sources", sources.len()) };
        if !ispc_facts::notes::CODES.contains(&code) {
            continue;
        }
        seen.push(code);
        assert!(codes(has).contains(&code), "`{code}`: {:?}", codes(has));
        let others: Vec<_> = codes(has).into_iter().filter(|other| *other != code).collect();
        // A variable that makes something cost lanes may be uniform by itself.
        assert!(others.iter().all(|other| *other == "ispc-perf-uniform"), "`{code}`: {others:?}");
        assert!(codes(lifted).is_empty(), "`{code}` is not lifted: {:?}", codes(lifted));
    }
    assert_eq!(seen, ispc_facts::notes::CODES, "the pages, sorted");
}
