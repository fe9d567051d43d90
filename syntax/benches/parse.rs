//! Benchmark of the parser: a whole file, the cut into items, and a reparse after an edit, each next to a simple scan of the same
//! text.
//!
//! `cargo bench -p syntax --bench parse`

mod kernels;

use kernels::{file, least_time, row};
use syntax::SourceFile;

#[path = "../tests/hostile/mod.rs"]
mod hostile;

fn main() {
    // `cargo test --benches` runs this too, on a short file, as a smoke test.
    let n_lines = if std::env::args().any(|argument| argument == "--bench") { 50_000 } else { 500 };
    let text = file(n_lines);
    let n_bytes = text.len();
    println!("a file of {} lines, {n_bytes} bytes, {} items\n", text.lines().count(), syntax::cut(&text).len());

    let lines = least_time(|| text.lines().count());
    let words = least_time(|| text.split_whitespace().count());
    row("find the lines", lines, n_bytes, lines);
    row("split at white space", words, n_bytes, lines);
    row("cut into items", least_time(|| syntax::cut(&text)), n_bytes, lines);
    println!();

    let scratch = least_time(|| SourceFile::parse(&text));
    row("parse from scratch (ratio to words)", scratch, n_bytes, words);
    let parsed = SourceFile::parse(&text);
    row("the whole file's tree (ratio to scratch)", least_time(|| parsed.syntax()), n_bytes, scratch);
    let edited = typed_in_the_middle(&text);
    let edit = least_time(|| parsed.with_text(&edited));
    row("after a key typed in one kernel (to scratch)", edit, n_bytes, scratch);
    println!("{:<44} {:>10.0} times less work\n", "", scratch.as_secs_f64() / edit.as_secs_f64());

    growth();
}

/// Inserts a letter into a kernel in the middle of the file.
fn typed_in_the_middle(text: &str) -> String {
    let half = text.len() / 2;
    let place = half + text[half..].find("volume").expect("the file has it many times");
    format!("{}x{}", &text[..place], &text[place..])
}

/// Prints how the parse time of hostile texts grows when their size doubles, for the five slowest.
fn growth() {
    const SIZE: usize = 100_000;
    let texts = hostile::texts(SIZE).into_iter().zip(hostile::texts(2 * SIZE));
    let mut rows: Vec<_> = texts
        .map(|((name, text), (_, twice))| {
            let times = [&text, &twice].map(|text| (0..5).map(|_| once(text)).min().unwrap_or_default().as_secs_f64());
            (times[1] / times[0], times[1], name)
        })
        .collect();
    println!("hostile texts of {SIZE} bytes and twice as many: time of twice / time of once");
    rows.sort_by(|a, b| b.0.total_cmp(&a.0));
    for (ratio, time, name) in rows.iter().take(5) {
        println!("  {name:<42} {:>10.3} ms {ratio:>26.2} x", time * 1e3);
    }
    rows.sort_by(|a, b| b.1.total_cmp(&a.1));
    println!("the slowest of them, in all");
    for (ratio, time, name) in rows.iter().take(5) {
        println!("  {name:<42} {:>10.3} ms {ratio:>26.2} x", time * 1e3);
    }
}

fn once(text: &str) -> std::time::Duration {
    let start = std::time::Instant::now();
    drop(SourceFile::parse(text));
    start.elapsed()
}
