//! Processors: rows for those that have the instructions of a row of the table, and take other times for them.
//!
//! A row is written where times were measured, and says what they are of. Every other processor is counted on as its instruction set's row
//! says.

use std::borrow::Cow;

use super::{AVX512, Costs, Sizes, Target};

/// The processors with rows of their own.
pub static PROCESSORS: &[Target] = &[Target {
    name: "zen4",
    meaning: "AMD Zen 4, 512 bits",
    cpu: Cow::Borrowed("znver4"),
    // Instructions pack bytes and 16-bit cells, too.
    compress: Sizes::ALL,
    costs: Costs {
        measured: true,
        // Two units add floats, and two others multiply.
        one_float: 1,
        // A gather out of the first cache takes 1.3 cycles a lane, whatever its width, and a scatter 1.5.
        gather_lane: 5,
        scatter_lane: 6,
        ..AVX512.costs
    },
    ..AVX512
}];
