//! Properties that hold for every text whatsoever, tried on random ones.
//!
//! - [`invariants`]: the tree is the text, errors point into it, a fix lifts what it is offered for
//! - [`edits`]: parsing after an edit gives what parsing afresh gives
//! - [`neighbours`]: a broken line keeps its errors to itself and takes no other statement along
//!
//! Each property is tried on a few hundred or thousand texts; `LANESCOPE_CASES=100000` says how many. Every case
//! grows from its own number, which a failure prints: `LANESCOPE_CASE=<number>` runs that one alone.

mod edits;
mod invariants;
mod neighbours;
mod texts;

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use fastrand::Rng;

/// Runs a property on `default` random cases, or on as many as the environment asks for.
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
