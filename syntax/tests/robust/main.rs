//! Properties that hold for every text, tested on random ones.
//!
//! - [`invariants`]: the tree is lossless, errors lie inside the text, a fix removes its error
//! - [`edits`]: an incremental reparse equals a parse from scratch
//! - [`neighbours`]: a malformed line has no effect on the errors and statements of other lines
//!
//! Each property is tested on a few hundred or thousand texts; `LANESCOPE_CASES=100000` sets the number. Every case is generated
//! from its own number, which a failure prints: `LANESCOPE_CASE=<number>` runs that one alone.

mod edits;
mod invariants;
mod neighbours;
mod texts;

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use fastrand::Rng;

/// Runs a property on `default` random cases, or on as many as the environment sets.
fn for_each_case(default: u64, property: impl Fn(&mut Rng)) {
    let number = |name| std::env::var(name).ok().map(|text| text.parse::<u64>().expect("a number of cases"));
    let cases = match number("LANESCOPE_CASE") {
        Some(case) => case..case + 1,
        None => 0..number("LANESCOPE_CASES").unwrap_or(default),
    };
    for case in cases {
        let run = AssertUnwindSafe(|| property(&mut Rng::with_seed(case)));
        if let Err(panic) = catch_unwind(run) {
            eprintln!("this was case {case}: LANESCOPE_CASE={case} runs it alone");
            resume_unwind(panic);
        }
    }
}
