//! Fuzz target: an incremental reparse after an edit must equal a parse from scratch.

#![no_main]

use libfuzzer_sys::fuzz_target;
use syntax::SourceFile;

fuzz_target!(|texts: (&str, &str)| {
    let (before, after) = texts;
    let edited = SourceFile::parse(before).with_text(after);
    let fresh = SourceFile::parse(after);
    assert_eq!(edited.items().len(), fresh.items().len());
    for (edited, fresh) in edited.items().iter().zip(fresh.items()) {
        assert_eq!((edited.kind, edited.start), (fresh.kind, fresh.start));
        assert_eq!(edited.parse, fresh.parse);
    }
});
