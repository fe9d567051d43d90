//! Fixes of `use` lines, and of names that libraries have.

use super::{Row, row};

pub(super) const ROWS: &[Row] = &[
    row(
        "text-literal",
        "write `sorting`",
        "use \"sorting.lane\"\n\nkernel k(n: i32) -> i32:\n    return median3(n, 1, 5)\n",
        "n = 7",
        "result 5",
    ),
    row(
        "unknown-file",
        "write `sorting`",
        "use sortng\n\nkernel k(n: i32) -> i32:\n    return median3(n, 1, 5)\n",
        "n = 7",
        "result 5",
    ),
    row(
        "unknown-name",
        "write `median3`",
        "use sorting: medain3\n\nkernel k(n: i32) -> i32:\n    return median3(n, 1, 5)\n",
        "n = 7",
        "result 5",
    ),
    row(
        "duplicate-name",
        "remove the line",
        "use sorting\nuse sorting\n\nkernel k(n: i32) -> i32:\n    return median3(n, 1, 5)\n",
        "n = 7",
        "result 5",
    ),
    row(
        "unknown-name",
        "write `use sorting: median3`",
        "kernel k(n: i32) -> i32:\n    return median3(n, 1, 5)\n",
        "n = 7",
        "result 5",
    ),
    row(
        "unknown-type",
        "write `use complex: Complex`",
        "fn f(z: Complex) -> f32:\n    return z.re\n\nkernel k(x: f32) -> f32:\n    return x\n",
        "x = 7",
        "result 7.0",
    ),
    row(
        "foreign-syntax",
        "write `use sorting`",
        "import sorting\n\nkernel k(n: i32) -> i32:\n    return median3(n, 1, 5)\n",
        "n = 7",
        "result 5",
    ),
    row(
        "foreign-syntax",
        "write `use sorting: median3`",
        "from sorting import median3\n\nkernel k(n: i32) -> i32:\n    return median3(n, 1, 5)\n",
        "n = 7",
        "result 5",
    ),
];
