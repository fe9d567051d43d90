//! Large and deep texts: none overflows the stack, in the parser or in code that walks the tree, and the size of the tree stays
//! proportional to the text.
//!
//! A unit test of the parser (`src/parser/work.rs`) checks that the work grows no faster than the text, since it needs the
//! parser's counters; `benches/parse.rs` prints the times.

mod hostile;

use syntax::{SourceFile, SyntaxNode};

/// Rust's default stack size of a test thread, set explicitly so that no environment variable changes it.
const STACK: usize = 2 << 20;

#[test]
fn no_text_overflows_the_stack() {
    for (name, text) in hostile::texts(100_000) {
        // A stack overflow ends the process; the last name printed tells which text caused it.
        println!("{name}");
        let walk = move || {
            let file = SourceFile::parse(&text);
            let root = file.syntax();
            assert_eq!(root.text().len(), syntax::TextSize::of(text.as_str()), "{name}");
            let nodes = count_recursively(&root);
            assert!(nodes <= 4 * text.len() + 4, "{name}: {nodes} nodes");
            // Dropping the trees recurses too.
        };
        let thread = std::thread::Builder::new().stack_size(STACK).spawn(walk).expect("a thread");
        thread.join().unwrap_or_else(|_| panic!("{name}"));
    }
}

/// Counts the node and all below it, by plain recursion.
fn count_recursively(node: &SyntaxNode) -> usize {
    1 + node.children().map(|child| count_recursively(&child)).sum::<usize>()
}
