//! Benchmark of the formatter, next to the parser on the same text: a file in canonical form, one far from it, and formatting of
//! a single kernel in a large file.
//!
//! `cargo bench -p syntax --bench format`

mod kernels;

use kernels::{file, least_time, row};
use syntax::format::{format, format_edits, format_range};
use syntax::{SourceFile, TextRange, TextSize};

fn main() {
    // `cargo test --benches` runs this too, on a short file, as a smoke test.
    let n_lines = if std::env::args().any(|argument| argument == "--bench") { 50_000 } else { 500 };
    let tidy = format(&file(n_lines));
    assert!(format_edits(&tidy).is_empty(), "what is formatted stays as it is");
    measure("a file in canonical form", &tidy);
    measure("the same with every space doubled", &tidy.replace(' ', "  "));
}

fn measure(what: &str, text: &str) {
    let n_bytes = text.len();
    println!("{what}: {} lines, {n_bytes} bytes, {} edits", text.lines().count(), format_edits(text).len());
    let parse = least_time(|| SourceFile::parse(text));
    row("parse from scratch", parse, n_bytes, parse);
    row("find the edits (ratio to parse)", least_time(|| format_edits(text)), n_bytes, parse);
    row("the formatted text (ratio to parse)", least_time(|| format(text)), n_bytes, parse);

    let one = kernel_in_the_middle(text);
    let row_name = "the range of one kernel (MB/s of the file)";
    row(row_name, least_time(|| format_range(text, one)), n_bytes, parse);
    println!();
}

/// Range of the item in the middle of the file.
fn kernel_in_the_middle(text: &str) -> TextRange {
    let cuts = syntax::cut(text);
    let cut = &cuts[cuts.len() / 2];
    TextRange::at(TextSize::new(cut.start as u32), TextSize::of(cut.text))
}
