//! Random well-typed programs, with arguments to run them on.
//!
//! [`program`] makes one from a seed, always the same one. It has one kernel, `k`, and what that calls; most runs of it end well, and a
//! share of them has one of the language's errors. When a program shows a mistake, [`shrink`] makes it small.
//!
//! A program is made, kept and shrunk as a [`tree`], and printed as text. Its arguments are known while it is made, so subscripts can be
//! chosen that lie within their arrays.

// Each test crate that includes this module uses a part of it.
#![allow(dead_code)]

mod data;
mod expressions;
pub(crate) mod inputs;
mod items;
mod scope;
mod shrink;
mod statements;
pub(crate) mod tree;
mod variants;

use analysis::eval::Arg;
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
    pub(crate) args: Vec<Arg>,
    /// What it was printed from.
    pub(crate) tree: Tree,
}

/// The program of a seed.
pub(crate) fn program(seed: u64) -> Generated {
    print(items::tree(seed))
}

/// A tree as text, with its arguments.
pub(crate) fn print(tree: Tree) -> Generated {
    let args = tree.kernel.params.iter().filter_map(|param| param.arg.clone()).collect();
    Generated { text: tree.to_string(), kernel: tree.kernel.name.clone(), args, tree }
}

/// How many random cases a test tries: `LANESCOPE_CASES`, or else `usual`.
pub(crate) fn cases(usual: u64) -> u64 {
    std::env::var("LANESCOPE_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(usual)
}
