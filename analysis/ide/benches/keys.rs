//! The parts of what a key costs that is typed into one kernel of 1,000 lines: each query on the way from its text to its hints, in the
//! order in which it is answered.
//!
//! `cargo bench -p ide --bench keys`. Figures are medians of one run; `perf record` on it shows where a part spends its time, and a word
//! behind `--` chooses the kernels whose description has it.

mod long_kernels;

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ide::hints::{HintOptions, type_hints};
use long_kernels::{BEHIND_A_DIGIT, LONG_KERNELS, kernel_of_lines};
use mimalloc::MiMalloc;
use queries::check;
use queries::db::{Database, File, Item};
use queries::lanes;
use queries::stage_cache;
use salsa::Setter;
use syntax::{TextRange, TextSize};

const N_KEYS: usize = 60;

/// A query, or several, by name, with the number of things it found.
type Part = (&'static str, fn(&dyn salsa::Database, File, Item<'_>) -> usize);

/// The way from a text to its hints.
const PARTS: [Part; 11] = [
    ("cut and parse", |db, _, item| queries::db::parse(db, item).errors.len()),
    ("to HIR", |db, _, item| queries::lowered(db, item).findings.len()),
    ("types", |db, _, item| queries::infer(db, item).findings.len()),
    ("findings of types", |db, _, item| check::findings(db, item).len()),
    ("to Lane IR", |db, _, item| queries::sequential(db, item).findings.len()),
    ("verdicts", |db, _, item| queries::verdicts(db, item).list.len()),
    ("passes", |db, _, item| Arc::strong_count(&stage_cache::outcomes(db, item, queries::db::made_for(db)))),
    ("facts of lanes", |db, _, item| lanes::of_item(db, item).accesses.len()),
    ("notes", |db, _, item| lanes::notes::notes(db, item).len()),
    ("the other diagnostics", |db, file, _| check::diagnostics(db, file).len()),
    ("hints of 60 lines", |db, file, item| {
        let middle = TextSize::from(item.text(db).len() as u32 / 2);
        let range = TextRange::at(middle, TextSize::from(2_400));
        type_hints(db, file, range, &HintOptions::default()).len()
    }),
];

/// The command's allocator.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    for (what, line) in LONG_KERNELS {
        if words.is_empty() || words.iter().any(|word| what.contains(word.as_str())) {
            measure(what, &kernel_of_lines(line));
        }
    }
}

fn measure(what: &str, text: &str) {
    let at = text.find(BEHIND_A_DIGIT).expect("the line") + BEHIND_A_DIGIT.len();
    let mut db = Database::default();
    let file = File::new(&db, Arc::from(text));
    let mut times = vec![Vec::new(); PARTS.len() + 1];
    for key in 0..N_KEYS {
        let (head, tail) = text.split_at(at);
        let start = Instant::now();
        file.set_text(&mut db).to(Arc::from(format!("{head}{}{tail}", key % 2)));
        let item = queries::db::file_items(&db, file)[0];
        times[0].push(start.elapsed());
        for (n, (_, part)) in PARTS.iter().enumerate() {
            let start = Instant::now();
            black_box(part(&db, file, item));
            times[n + 1].push(start.elapsed());
        }
    }
    let median = |times: &[Duration]| {
        let mut times = times[times.len() / 4..].to_vec();
        times.sort();
        times[times.len() / 2].as_secs_f64() * 1e3
    };
    let medians: Vec<f64> = times.iter().map(|times| median(times)).collect();
    println!("\none kernel of 1,000 lines: {what}; a key takes {:.1} ms", medians.iter().sum::<f64>());
    let names = ["the edit"].into_iter().chain(PARTS.iter().map(|(name, _)| *name));
    names.zip(&medians).for_each(|(name, time)| println!("  {name:24}{time:8.2} ms"));
}
