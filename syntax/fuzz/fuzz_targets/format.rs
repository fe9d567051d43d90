//! Fuzz target: formatting is idempotent, and keeps all significant tokens in order.

#![no_main]

use libfuzzer_sys::fuzz_target;
use syntax::SourceFile;
use syntax::format::format;

fuzz_target!(|text: &str| {
    let formatted = format(text);
    assert_eq!(format(&formatted), formatted);
    assert_eq!(tokens(&formatted), tokens(text));
});

/// The significant tokens. Commas are left out, since a trailing comma is added and removed with the line breaks.
fn tokens(text: &str) -> Vec<String> {
    let root = SourceFile::parse(text).syntax();
    let tokens = root.descendants_with_tokens().filter_map(|element| element.into_token());
    let kept = tokens.filter(|token| !token.kind().is_between() && token.text() != ",");
    kept.map(|token| token.text().to_owned()).collect()
}
