//! An incremental reparse after an edit equals a parse from scratch.

use fastrand::Rng;
use syntax::{FileItem, SourceFile};

use crate::for_each_case;
use crate::texts::{self, KERNELS, line_start, next_places, place};

#[test]
fn a_file_after_an_edit_is_the_file_parsed_afresh() {
    for_each_case(1_000, |rng| {
        let mut text = if rng.bool() { texts::part_of_kernels(rng) } else { texts::any(rng) };
        let mut file = SourceFile::parse(&text);
        for _ in 0..2 {
            let before = text.clone();
            edit(rng, &mut text, |text| {
                file = file.with_text(text);
                check(&file, text, &before);
            });
        }
    });
}

#[test]
fn items_that_an_edit_leaves_alone_are_not_parsed_again() {
    let file = SourceFile::parse(KERNELS);
    let edited = file.with_text(&KERNELS.replace("samples[i] * volume", "samples[i] * volume * 2.0"));
    let n_shared = file.items().iter().zip(edited.items()).filter(|(old, new)| shares(old, new)).count();
    assert_eq!(n_shared, file.items().len() - 1);

    let with_more_above = file.with_text(&format!("const FIRST = 1\n{KERNELS}"));
    let n_shared =
        file.items()[1..].iter().zip(&with_more_above.items()[1..]).filter(|(old, new)| shares(old, new)).count();
    assert_eq!(n_shared, file.items().len() - 1);
}

fn shares(old: &FileItem, new: &FileItem) -> bool {
    std::sync::Arc::ptr_eq(&old.parse, &new.parse)
}

fn check(file: &SourceFile, text: &str, before: &str) {
    let fresh = SourceFile::parse(text);
    assert_eq!(file.items().len(), fresh.items().len(), "{before:?}\nbecame {text:?}");
    for (after_edit, fresh) in file.items().iter().zip(fresh.items()) {
        assert_eq!(after_edit.kind, fresh.kind, "{before:?}\nbecame {text:?}");
        assert_eq!(after_edit.start, fresh.start, "{before:?}\nbecame {text:?}");
        assert_eq!(after_edit.parse, fresh.parse, "{before:?}\nbecame {text:?}");
    }
}

/// Makes one edit of the kinds that people make; `seen` is called with every text that the editor would send.
fn edit(rng: &mut Rng, text: &mut String, mut seen: impl FnMut(&str)) {
    let mut at = place(rng, text);
    match rng.u8(0..8) {
        // Types text, key by key.
        0 => {
            let typed = typed(rng);
            for key in typed.chars() {
                text.insert(at, key);
                at += key.len_utf8();
                seen(text);
            }
        }
        // Holds the backspace key down.
        1 => {
            for _ in 0..rng.usize(1..20) {
                if let Some(key) = text[..at].chars().next_back() {
                    at -= key.len_utf8();
                    text.remove(at);
                    seen(text);
                }
            }
        }
        // Cuts, and pastes elsewhere.
        2 => {
            let end = next_places(text, at, rng.usize(0..120));
            let cut: String = text.drain(at..end).collect();
            seen(text);
            let to = place(rng, text);
            text.insert_str(to, &cut);
        }
        // Pastes from another text.
        3 => {
            let pasted = texts::part_of_kernels(rng);
            text.insert_str(at, &pasted);
        }
        // Indents, comments out, or unindents some lines.
        4 => prefix_lines(rng, text, at),
        // Joins two lines.
        5 => {
            if let Some(newline) = text[at..].find('\n') {
                let start = at + newline;
                let end = start + 1 + (text[start + 1..].len() - text[start + 1..].trim_start_matches(' ').len());
                text.replace_range(start..end, " ");
            }
        }
        // Moves a line up.
        6 => {
            let start = line_start(text, at);
            let end = text[start..].find('\n').map_or(text.len(), |newline| start + newline + 1);
            let above = line_start(text, start.saturating_sub(1));
            let line: String = text.drain(start..end).collect();
            text.insert_str(above, &line);
        }
        _ => texts::mutate(rng, text),
    }
    seen(text);
}

fn typed(rng: &mut Rng) -> String {
    let start = place(rng, KERNELS);
    let line = &KERNELS[line_start(KERNELS, start)..];
    match rng.u8(0..3) {
        0 => format!("\n{}", line.lines().next().unwrap_or_default()),
        1 => line.lines().take(3).collect::<Vec<_>>().join("\n"),
        _ => texts::soup(rng, 6),
    }
}

fn prefix_lines(rng: &mut Rng, text: &mut String, at: usize) {
    let prefix = texts::pick(rng, &["    ", "# ", "\t", ""]);
    let mut start = line_start(text, at);
    for _ in 0..rng.usize(1..5) {
        if prefix.is_empty() && text[start..].starts_with("    ") {
            text.replace_range(start..start + 4, "");
        } else {
            text.insert_str(start, prefix);
        }
        let Some(newline) = text[start..].find('\n') else { return };
        start += newline + 1;
    }
}
