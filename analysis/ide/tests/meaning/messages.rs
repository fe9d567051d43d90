//! Every message, as a person reads it: where, what, why, and what to do.
//!
//! These are read one by one. A message says what was found, in the words of the kernel; a mismatch shows where both sides
//! come from; help says what to write; and a fix is offered where one is certain.

use crate::common;
mod arrays;
mod ends;
mod enums;
mod lanes;
mod names;
pub(crate) mod newcomers;
mod several;
mod statements;
mod templates;
mod types;
mod uses;

use expect_test::Expect;

fn check(program: &str, expected: Expect) {
    // The program starts on the line below its opening quote.
    let program = program.trim_start_matches('\n');
    expected.assert_eq(&common::render(program, &common::diagnostics(program)));
}

/// Every code has a message that was read.
#[test]
fn no_message_is_unread() {
    let files = common::files("analysis/ide/tests/meaning/messages", "rs");
    let here: String = files.into_iter().map(|(_, text)| text).collect();
    let unread: Vec<_> =
        hir::errors::CheckCode::ALL.iter().filter(|code| !here.contains(&format!("[{code}]"))).collect();
    assert!(unread.is_empty(), "{unread:?}");
}
