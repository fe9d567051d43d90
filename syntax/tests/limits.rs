//! Texts that are large, deep or both: none of them overflows a stack, in the parser or in who walks the tree, and
//! none makes more of a tree than there is text.
//!
//! That the work grows no faster than the text is a test of the parser's own (`src/parser/work.rs`), since it counts
//! steps; `benches/parse.rs` prints the times.

mod hostile;

use syntax::{SourceFile, SyntaxNode};

/// What a test thread has by default; said here, so that no environment changes it.
const STACK: usize = 2 << 20;

#[test]
fn no_text_overflows_the_stack() {
    for (name, text) in hostile::texts(100_000) {
        // An overflow ends the process, and this is the last that is seen of it.
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

/// The node and all below it, counted the way that a simple tree walk would.
fn count_recursively(node: &SyntaxNode) -> usize {
    1 + node.children().map(|child| count_recursively(&child)).sum::<usize>()
}
