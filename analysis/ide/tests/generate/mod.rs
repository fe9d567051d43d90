//! Random well-typed programs, with arguments to run them on.
//!
//! [`program`] makes one from a seed, always the same one. It has one kernel, `k`, and what that calls; most runs of it end well, and a
//! share of them has one of the language's errors. When a program shows a mistake, [`shrink`] makes it small.
//!
//! A program is made, kept and shrunk as a [`tree`], and printed as text. Its arguments are known while it is made, so subscripts can be
//! chosen that lie within their arrays.

// Each test crate that includes this module uses a part of it.
#![allow(dead_code)]

mod array_statements;
mod arrays;
mod atomics;
mod carried;
mod cells;
mod counters;
mod data;
mod exits;
mod expressions;
pub(crate) mod host;
pub(crate) mod inputs;
mod items;
mod matching;
mod neighbours;
mod nests;
mod parts;
mod places;
mod products;
mod records;
mod rows;
mod scope;
mod shrink;
mod sides;
mod statements;
mod statics;
mod together;
mod totals;
pub(crate) mod tree;
mod turns;
mod variants;

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use hir::eval::ArgValue;
use tree::Tree;

pub(crate) use shrink::shrink;

/// A program and what its kernel is given.
#[derive(Debug, Clone)]
pub(crate) struct Generated {
    /// The text.
    pub(crate) text: String,
    /// The name of its kernel.
    pub(crate) kernel: String,
    /// An argument for each parameter of the kernel.
    pub(crate) args: Vec<ArgValue>,
    /// What it was printed from.
    pub(crate) tree: Tree,
}

/// The program of a seed.
pub(crate) fn program(seed: u64) -> Generated {
    print(items::tree(seed, 0))
}

/// The program of a seed that is mostly about whole arrays, or in part.
pub(crate) fn array_program(seed: u64) -> Generated {
    print(items::tree(seed, if seed.is_multiple_of(3) { 25 } else { 70 }))
}

/// The program of a seed that has statements in a row on neighbouring cells.
pub(crate) fn program_of_rows(seed: u64) -> Generated {
    print(rows::tree(seed))
}

/// The program of a seed that hands values on from iteration to iteration beside other work.
pub(crate) fn program_of_turns(seed: u64) -> Generated {
    print(turns::tree(seed))
}

/// The program of a seed that hands subscripts on from iteration to iteration.
pub(crate) fn program_of_counters(seed: u64) -> Generated {
    print(counters::tree(seed))
}

/// The program of a seed whose iterations store and load neighbouring cells.
pub(crate) fn program_of_neighbours(seed: u64) -> Generated {
    print(neighbours::tree(seed))
}

/// The program of a seed whose branches access the same cells on both sides.
pub(crate) fn program_of_sides(seed: u64) -> Generated {
    print(sides::tree(seed))
}

/// The program of a seed about cells that iterations share, interleaved cells, and steps.
pub(crate) fn program_of_places(seed: u64) -> Generated {
    print(places::tree(seed))
}

/// The program of a seed in which lanes go along rows.
pub(crate) fn program_of_nests(seed: u64) -> Generated {
    print(nests::tree(seed))
}

/// The program of a seed in which iterations of an outer loop load the same rows.
pub(crate) fn program_of_products(seed: u64) -> Generated {
    print(products::tree(seed))
}

/// The program of a seed about what the lanes of a group have in common.
pub(crate) fn program_of_lanes_together(seed: u64) -> Generated {
    print(together::tree(seed))
}

/// The program of a seed that joins the cells of matrices to variables, row by row.
pub(crate) fn program_of_totals(seed: u64) -> Generated {
    print(totals::tree(seed))
}

/// The program of a seed whose loops may be left early.
pub(crate) fn program_of_exits(seed: u64) -> Generated {
    print(exits::tree(seed))
}

/// A tree as text, with its arguments.
pub(crate) fn print(tree: Tree) -> Generated {
    let args = tree.kernel.params.iter().filter_map(|param| param.arg.clone()).collect();
    Generated { text: tree.to_string(), kernel: tree.kernel.name.clone(), args, tree }
}

/// Does something for each seed, on every core. After a panic no further seed is begun.
pub(crate) fn for_each(seeds: Range<u64>, work: impl Fn(u64) + Sync) {
    let next = AtomicU64::new(seeds.start);
    let n_threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..n_threads {
            // Programs are nested as deeply as their generator likes.
            let thread = std::thread::Builder::new().stack_size(16 << 20);
            let run = || {
                let _no_more = NoMore { next: &next, end: seeds.end };
                while let seed = next.fetch_add(1, Relaxed)
                    && seed < seeds.end
                {
                    work(seed);
                }
            };
            thread.spawn_scoped(scope, run).expect("a thread");
        }
    });
}

/// Looks for a program in which something is wrong, `wrong` being what to look for, and panics with the first one, made small. With
/// `LANESCOPE_ALL`, all of them are shown.
pub(crate) fn look_for(
    seeds: Range<u64>,
    program: fn(u64) -> Generated,
    wrong: impl Fn(&Generated) -> Option<String> + Sync,
) {
    let all = std::env::var_os("LANESCOPE_ALL").is_some();
    let n_wrong = AtomicU64::new(0);
    for_each(seeds, |seed| {
        let generated = program(seed);
        if wrong(&generated).is_none() {
            return;
        }
        let first = generated.text.clone();
        let small = shrink(generated, &mut |it| wrong(it).is_some());
        let how = wrong(&small).expect("shrinking keeps what it looks for");
        let shown = format!("seed {seed}\n{}\n{:?}\n{how}\nbefore it was made small:\n{first}", small.text, small.args);
        if !all {
            panic!("{shown}");
        }
        eprintln!("{shown}");
        n_wrong.fetch_add(1, Relaxed);
    });
    assert_eq!(n_wrong.into_inner(), 0, "programs in which something is wrong");
}

/// Leaves no seed to the other threads once this one is done, which it is when none is left or when it panics.
struct NoMore<'n> {
    next: &'n AtomicU64,
    end: u64,
}

impl Drop for NoMore<'_> {
    fn drop(&mut self) {
        self.next.fetch_max(self.end, Relaxed);
    }
}

/// The seeds of a test that tries that many programs, from `LANESCOPE_SEED` on, or else from 0.
pub(crate) fn seeds(cases: u64) -> Range<u64> {
    let first = std::env::var("LANESCOPE_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(0);
    first..first + cases
}

/// How many random cases a test tries: `LANESCOPE_CASES`, or else `usual`.
pub(crate) fn cases(usual: u64) -> u64 {
    std::env::var("LANESCOPE_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(usual)
}
