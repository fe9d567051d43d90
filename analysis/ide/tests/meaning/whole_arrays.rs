//! A loop over cells written as whole arrays, and an assignment written as a loop, leave what was there before.

use std::sync::Arc;

use ide::whole_arrays::rewrites;
use queries::db::{Database, File};
use report::{TextSize, apply_edits};

use crate::evaluate::fixture::run;

const ARGS: &str = "a = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]; b = [5, 3, 8, 1, 9, 2, 7, 4, 6, 0, 11, 10]; c = [2, 7, 1, 8, 2, 8, 1, 8, 2, 8, 4, 5]; n = 9";

/// The program with the statement at a place written in the other way, if one is offered.
fn rewritten(text: &str, at: usize) -> Option<String> {
    let db = Database::default();
    let file = File::new(&db, Arc::from(text));
    let found = rewrites(&db, file, TextSize::new(u32::try_from(at).expect("a short text")));
    found.first().map(|rewrite| apply_edits(text, &rewrite.edits))
}

/// A loop of up to three statements on cells near its index.
fn random_loop(random: &mut fastrand::Rng) -> String {
    let cell = |random: &mut fastrand::Rng| {
        let array = ["a", "b", "c"][random.usize(..3)];
        match random.i32(-2..=2) {
            0 => format!("{array}[i]"),
            ahead if ahead > 0 => format!("{array}[i + {ahead}]"),
            behind => format!("{array}[i - {}]", -behind),
        }
    };
    let mut text = "kernel k(a: i32[12], b: i32[12], c: i32[12], n: i32):\n    for i in range(2, n):\n".to_owned();
    for _ in 0..random.u32(1..=3) {
        let (to, x, y) = (cell(random), cell(random), cell(random));
        let value = match random.u32(..4) {
            0 => x,
            1 => format!("{x} + {y}"),
            2 => format!("({x} - {y}) & 15"),
            _ => format!("{y} * 2 - n"),
        };
        text += &format!("        {to} {} {value}\n", ["=", "=", "=", "+="][random.usize(..4)]);
    }
    text
}

#[test]
fn a_loop_and_its_whole_arrays_leave_the_same() {
    let (mut n_whole, mut n_loops) = (0, 0);
    for seed in 0..400 {
        let text = random_loop(&mut fastrand::Rng::with_seed(seed));
        let Some(whole) = rewritten(&text, text.find("for").expect("a loop")) else { continue };
        n_whole += 1;
        let before = run(&text, ARGS);
        assert_eq!(before, run(&whole, ARGS), "seed {seed}\n{text}\n{whole}");
        let mut again = whole.clone();
        // From the last statement up, so that the places of those above it stay.
        for line in (1..whole.lines().count()).rev() {
            let start: usize = whole.lines().take(line).map(|line| line.len() + 1).sum();
            if let Some(as_loop) = rewritten(&again, start + whole[start..].find('=').expect("an assignment")) {
                n_loops += 1;
                again = as_loop;
            }
        }
        assert_eq!(before, run(&again, ARGS), "seed {seed}\n{whole}\n{again}");
    }
    assert!(n_whole > 100 && n_loops > 100, "{n_whole} loops, {n_loops} assignments");
}
