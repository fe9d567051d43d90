//! Fuzz target: the tree of any text is lossless, and the ranges of errors and fixes lie inside the text.

#![no_main]

use libfuzzer_sys::fuzz_target;
use syntax::{SourceFile, apply_edits};

fuzz_target!(|text: &str| {
    let file = SourceFile::parse(text);
    assert_eq!(file.syntax().text(), text);
    for error in file.errors() {
        assert!(text.get(std::ops::Range::<usize>::from(error.range)).is_some());
        for fix in &error.fixes {
            SourceFile::parse(&apply_edits(text, &fix.edits));
        }
    }
});
