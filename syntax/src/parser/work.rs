//! Tests that the work of parsing grows no faster than the text. Work is counted in inspections, events and the sizes of errors,
//! never in time.

use super::*;
use crate::items::cut;

#[path = "../../tests/hostile/mod.rs"]
mod hostile;

#[test]
fn twice_the_text_takes_twice_the_work() {
    const SIZE: usize = 20_000;
    for ((name, text), (_, twice)) in hostile::texts(SIZE).into_iter().zip(hostile::texts(2 * SIZE)) {
        let (work, work_of_twice) = (work(&text), work(&twice));
        assert!(work_of_twice <= 2 * work + work / 5 + 1_000, "{name}: {work}, then {work_of_twice}");
        assert!(work <= 60 * SIZE as u64, "{name}: {work} for {SIZE} bytes");
    }
}

/// Work of parsing all items of a text.
fn work(text: &str) -> u64 {
    cut(text).iter().map(|cut| work_of_item(cut.kind, cut.text)).sum()
}

fn work_of_item(kind: ItemKind, text: &str) -> u64 {
    let lexed = lex(text, Lexed::default());
    let layout = layout(text, &lexed, Layout::default());
    let mut p = Parser::new(text, &lexed, &layout, Vec::new());
    items::item(&mut p, kind);
    let errors: u64 = odd_tokens(kind, text, &lexed).iter().chain(&layout.errors).chain(&p.errors).map(size).sum();
    p.looks.get() + (p.events.len() + lexed.len() + layout.kinds.len()) as u64 + errors
}

fn size(error: &Diagnostic) -> u64 {
    let edits = error.fixes.iter().flat_map(|fix| &fix.edits);
    (error.message.len() + error.help.as_ref().map_or(0, String::len)) as u64
        + edits.map(|edit| 1 + edit.text.len() as u64).sum::<u64>()
}
