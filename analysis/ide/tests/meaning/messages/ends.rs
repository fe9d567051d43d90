//! Indices that leave their array each time, loops that never end, and numbers that break something under a name.

use expect_test::expect;

use crate::common;
use crate::messages::check;

#[test]
fn an_index_that_is_the_size() {
    check(
        r"
kernel k(a: f32[n], m: f32[n, 2 * n], s: f32[16], n: i32):
    a[n] = 1.0
    m[0, 2 * n + 1] = 2.0
    s[16] = a[length(a)]
    a[n - 1] = s[15]
",
        expect![[r#"
            warning[index-out-of-range]: the index `n` is outside of this dimension, which has `n` elements
              2 |    a[n] = 1.0
                |      ^
              = indices start at 0, so the last one is `n - 1`
              fix: write `n - 1`
                |    a[n - 1] = 1.0
            warning[index-out-of-range]: the index `2 * n + 1` is outside of this dimension, which has `2 * n` elements
              3 |    m[0, 2 * n + 1] = 2.0
                |         ^^^^^^^^^
              = indices start at 0, so the last one is `2 * n - 1`
              fix: write `2 * n - 1`
                |    m[0, 2 * n - 1] = 2.0
            error[index-out-of-range]: the index 16 is outside of this dimension, which has 16 elements
              4 |    s[16] = a[length(a)]
                |      ^^
            warning[index-out-of-range]: the index `n` is outside of this dimension, which has `n` elements
              4 |    s[16] = a[length(a)]
                |              ^^^^^^^^^
              = indices start at 0, so the last one is `n - 1`
              fix: write `n - 1`
                |    s[16] = a[n - 1]
        "#]],
    );
}

#[test]
fn loops_past_the_ends_of_their_arrays() {
    check(
        r"
kernel k(a: f32[n], out: f32[n], s: f32[16], m: f32[n, n], n: i32):
    for i in range(n):
        out[i] = a[i + 1] - a[i]
    for i in range(n):
        out[i] = a[i - 1]
    for i in range(17):
        s[i] = 0.0
    foreach i in range(n + 1):
        out[i] = 0.0
    for i in range(n - 1, -1, -1):
        out[i] = a[i + 1]
    for i in range(n):
        for j in range(n):
            m[i, j] = m[i, j - 1] + m[n - i, j]
    for i in range(8):
        s[2 * i + 2] = s[15 - 2 * i]
",
        expect![[r#"
            warning[iteration-out-of-range]: in the last iteration the index is `n`, and this dimension has `n` elements, so the program stops there
              3 |        out[i] = a[i + 1] - a[i]
                |                   ^^^^^
              2 |    for i in range(n):
                |        ^ the range of `i`
              = shorten the range, or do what is outside under an `if`
              fix: let the loop end at `n - 1`
                |    for i in range(n - 1):
            warning[iteration-out-of-range]: in the first iteration the index is `-1`, before the first element, so the program stops there
              5 |        out[i] = a[i - 1]
                |                   ^^^^^
              4 |    for i in range(n):
                |        ^ the range of `i`
              = shorten the range, or do what is outside under an `if`
              fix: let the loop start later
                |    for i in range(1, n):
            warning[iteration-out-of-range]: in the last iteration the index is `16`, and this dimension has `16` elements, so the program stops there
              7 |        s[i] = 0.0
                |          ^
              6 |    for i in range(17):
                |        ^ the range of `i`
              = shorten the range, or do what is outside under an `if`
              fix: let the loop end at `16`
                |    for i in range(16):
            warning[iteration-out-of-range]: in the last iteration the index is `n`, and this dimension has `n` elements, so the program stops there
              9 |        out[i] = 0.0
                |            ^
              8 |    foreach i in range(n + 1):
                |            ^ the range of `i`
              = shorten the range, or do what is outside under an `if`
              fix: let the loop end at `n`
                |    foreach i in range(n):
            warning[iteration-out-of-range]: in the first iteration the index is `n`, and this dimension has `n` elements, so the program stops there
             11 |        out[i] = a[i + 1]
                |                   ^^^^^
             10 |    for i in range(n - 1, -1, -1):
                |        ^ the range of `i`
              = shorten the range, or do what is outside under an `if`
            note[loop-carried-flow]: this loop runs in order: an iteration reads what an earlier one has written; as a lane it would read too early: iteration i = 0, j = 0 writes `m[0, 0]`, iteration i = 0, j = 1 reads `m[0, 0]`
             13 |        for j in range(n):
                |        ^^^^^^^^^^^^^^^^^
             14 |            m[i, j] = m[i, j - 1] + m[n - i, j]
                |            ^^^^^^^ iteration i = 0, j = 0 writes `m[0, 0]`
             14 |            m[i, j] = m[i, j - 1] + m[n - i, j]
                |                      ^^^^^^^^^^^ iteration i = 0, j = 1 reads `m[0, 0]`
            warning[iteration-out-of-range]: in the first iteration the index is `-1`, before the first element, so the program stops there
             14 |            m[i, j] = m[i, j - 1] + m[n - i, j]
                |                           ^^^^^
             13 |        for j in range(n):
                |            ^ the range of `j`
              = shorten the range, or do what is outside under an `if`
              fix: let the loop start later
                |        for j in range(1, n):
            warning[iteration-out-of-range]: in the first iteration the index is `n`, and this dimension has `n` elements, so the program stops there
             14 |            m[i, j] = m[i, j - 1] + m[n - i, j]
                |                                      ^^^^^
             12 |    for i in range(n):
                |        ^ the range of `i`
              = shorten the range, or do what is outside under an `if`
            note[strided-store]: this store to `s` is strided: the cells of neighbouring lanes lie 2 cells apart
             16 |        s[2 * i + 2] = s[15 - 2 * i]
                |        ^^^^^^^^^^^^
             16 |        s[2 * i + 2] = s[15 - 2 * i]
                |          ^^^^^^^^^ the subscript, which varies
             15 |    for i in range(8):
                |        ^ lanes run along `i`
              = split the array into 2, one for each remainder of the subscript by 2: then this is contiguous
            warning[iteration-out-of-range]: in the last iteration the index is `16`, and this dimension has `16` elements, so the program stops there
             16 |        s[2 * i + 2] = s[15 - 2 * i]
                |          ^^^^^^^^^
             15 |    for i in range(8):
                |        ^ the range of `i`
              = shorten the range, or do what is outside under an `if`
            note[strided-load]: this load of `s` is strided: the cells of neighbouring lanes lie 2 cells apart
             16 |        s[2 * i + 2] = s[15 - 2 * i]
                |                       ^^^^^^^^^^^^^
             16 |        s[2 * i + 2] = s[15 - 2 * i]
                |                         ^^^^^^^^^^ the subscript, which varies
             15 |    for i in range(8):
                |        ^ lanes run along `i`
              = split the array into 2, one for each remainder of the subscript by 2: then this is contiguous
        "#]],
    );
}

/// Nothing is said of what some iterations leave out, of loops that may have no last iteration, and of ranges that fit.
#[test]
fn accesses_that_may_be_inside() {
    let program = r"
kernel k(a: f32[n], out: f32[n], s: f32[16], m: f32[n, n], n: i32, k: i32, limit: f32) -> i32:
    for i in range(n):
        if i > 0:
            out[i] = a[i - 1]
        out[i] += a[i + 1] if i + 1 < n else 0.0
        if i < n - 1 and a[i + 1] > 0.0:
            out[i] += 1.0
    for i in range(n):
        if i == n - 1:
            continue
        out[i] = a[i + 1]
    for i in range(k):
        out[i] = a[i + 1]
    for i in range(1, n - 1):
        out[i] = a[i - 1] + a[i + 1]
    for i in range(0, 16, 3):
        s[i] = s[15 - i]
    for i in range(n - 1):
        for j in range(1, n):
            m[i, j] = m[i + 1, j - 1] + m[n - 1 - i, n - j]
    for i in range(0):
        s[i + 16] = 0.0
    let at = n
    while at > 0:
        at -= 1
        out[at] = 0.0
    for i in range(n):
        if a[i] > limit:
            return i
        out[i] = a[i + 1]
    return n
";
    let found = common::diagnostics(program);
    let said: Vec<_> = found.iter().filter(|it| it.code.name().ends_with("out-of-range")).collect();
    assert!(said.is_empty(), "{}", common::render(program, &found));
}

#[test]
fn loops_that_nothing_ends() {
    check(
        r"
fn next(x):
    return x - 1

kernel k(a: f32[n], out: f32[n], n: i32, limit: f32):
    let i = 0
    while i < n:
        a[i] = 0.0
    let x = a[0]
    while x > limit and i < n:
        let y = x * 0.5
        out[0] = y
    while true:
        out[0] += 1.0
    while a[i] > 0.0:
        let z = a[i]
    let down = n
    foreach j in range(n):
        while down >= 0:
            out[j] += 1.0
",
        expect![[r#"
            warning[endless-loop]: nothing in this loop changes its condition, so it never ends once it is entered
              6 |    while i < n:
                |    ^^^^^^^^^^^
              6 |    while i < n:
                |          ^^^^^ the condition
              = change `i` in the loop, or leave it by `break`
              fix: write `i += 1` at its end
                |        i += 1
            warning[endless-loop]: nothing in this loop changes its condition, so it never ends once it is entered
              9 |    while x > limit and i < n:
                |    ^^^^^^^^^^^^^^^^^^^^^^^^^
              9 |    while x > limit and i < n:
                |          ^^^^^^^^^^^^^^^^^^^ the condition
              = change `x` or `i` in the loop, or leave it by `break`
            warning[endless-loop]: nothing in this loop leaves it, so it never ends
             12 |    while true:
                |    ^^^^^^^^^^
              = leave it by `break` or `return`
            warning[endless-loop]: nothing in this loop changes its condition, so it never ends once it is entered
             14 |    while a[i] > 0.0:
                |    ^^^^^^^^^^^^^^^^
             14 |    while a[i] > 0.0:
                |          ^^^^^^^^^^ the condition
              = change `a` or `i` in the loop, or leave it by `break`
            warning[dead-code]: this is never reached
             14 |    while a[i] > 0.0:
                |    ^^^^^^^^^^^^^^^^^...
             12 |    while true:
                |    ^^^^^^^^^^^... the block ends here
              = move it in front of that, or remove it
            warning[unused-name]: the variable `z` is never read
             15 |        let z = a[i]
                |            ^
              fix: write `_z` to say that this is meant
                |        let _z = a[i]
            warning[endless-loop]: nothing in this loop changes its condition, so it never ends once it is entered
             18 |        while down >= 0:
                |        ^^^^^^^^^^^^^^^
             18 |        while down >= 0:
                |              ^^^^^^^^^ the condition
              = change `down` in the loop, or leave it by `break`
              fix: write `down -= 1` at its end
                |            down -= 1
        "#]],
    );
}

#[test]
fn loops_that_something_ends() {
    let program = r"
fn next(a: f32[n], n: i32) -> f32:
    a[0] -= 1.0
    return a[0]

kernel k(a: f32[n], out: f32[n], n: i32, limit: f32) -> i32:
    let i = 0
    while i < n:
        i += 1
    while true:
        if a[0] > limit:
            break
        a[0] += 1.0
    while a[0] > limit:
        out[0] -= 1.0
    while next(a, n) > limit:
        pass
    while out[i] > limit:
        if i > 3:
            return i
    let p, q = 0, 1
    while p < n:
        p, q = q, p + q
    while i > 2:
        for j in range(n):
            if a[j] > 0.0:
                i -= 1
                break
    return i
";
    let found = common::diagnostics(program);
    let said: Vec<_> = found.iter().filter(|it| it.code.name() == "endless-loop").collect();
    assert!(said.is_empty(), "{}", common::render(program, &found));
}

/// Findings about values that a run may have, of which a correct program has none.
const ABOUT_VALUES: [&str; 10] = [
    "cast-too-late",
    "compared-with-nan",
    "constant-overflow",
    "division-by-zero",
    "endless-loop",
    "index-out-of-range",
    "integer-average",
    "iteration-out-of-range",
    "shift-out-of-range",
    "zero-step",
];

#[test]
fn no_program_of_the_repository_is_warned_of_its_values() {
    let folders = ["examples", "examples/kernels", "examples/programs", "tui/benches/loops", "analysis/lane/prelude"];
    for (path, text) in folders.iter().flat_map(|folder| common::files(folder, "lane")) {
        let found = common::diagnostics(&text);
        let said: Vec<_> = found.into_iter().filter(|it| ABOUT_VALUES.contains(&it.code.name())).collect();
        assert!(said.is_empty(), "{}\n{}", path.display(), common::render(&text, &said));
    }
}

#[test]
fn numbers_under_names() {
    check(
        r"
kernel k(a: f32[8], w: i32[n], b: u8[n], n: i32):
    let parts = 0
    w[0] = n / parts
    let far = 4 * 2
    b[0] = b[1] >> u8(far)
    a[far] = a[far - 9]
    let largest_number = 2147483647
    w[1] = largest_number + 1
    for i in range(n):
        let next = i + 1
        w[next] = 0
    let sum = b[0] + b[1]
    w[2] = i32(sum) / 2
",
        expect![[r#"
            warning[division-by-zero]: this divides an integer by zero
              3 |    w[0] = n / parts
                |           ^^^^^^^^^
              2 |    let parts = 0
                |        ^^^^^ `parts` is 0
              = a run would end here; of floats the result is infinite
            warning[shift-out-of-range]: a shift of `u8` is by 0 to 7, and this is 8
              5 |    b[0] = b[1] >> u8(far)
                |                   ^^^^^^^
              4 |    let far = 4 * 2
                |        ^^^ `far` is 8
            warning[index-out-of-range]: the index 8 is outside of this dimension, which has 8 elements
              6 |    a[far] = a[far - 9]
                |      ^^^
              4 |    let far = 4 * 2
                |        ^^^ `far` is 8
            warning[index-out-of-range]: an index of -1 is before the first element
              6 |    a[far] = a[far - 9]
                |               ^^^^^^^
              4 |    let far = 4 * 2
                |        ^^^ `far` is 8
              = indices do not count from the end; write `length(a) - 1`, or `n - 1`, with the array's size
            warning[constant-overflow]: the result, 2147483648, does not fit `i32`
              8 |    w[1] = largest_number + 1
                |           ^^^^^^^^^^^^^^^^^^
              7 |    let largest_number = 2147483647
                |        ^^^^^^^^^^^^^^ `largest_number` is 2147483647
              = a run would end here: compute in a wider type, or in an unsigned one, which wraps
            warning[iteration-out-of-range]: in the last iteration the index is `n`, and this dimension has `n` elements, so the program stops there
             11 |        w[next] = 0
                |          ^^^^
              9 |    for i in range(n):
                |        ^ the range of `i`
              = shorten the range, or do what is outside under an `if`
              fix: let the loop end at `n - 1`
                |    for i in range(n - 1):
            warning[cast-too-late]: this arithmetic is done in `u8`, so a result that does not fit it wraps before it is converted
             13 |    w[2] = i32(sum) / 2
                |           ^^^^^^^^
             12 |    let sum = b[0] + b[1]
                |              ^^^^^^^^^^^ the arithmetic
              = operators keep the type of their operands: convert these to `i32`; where the low 8 bits are meant, write `& 0xff` before the cast
              fix: convert the operands to `i32`
                |    let sum = i32(b[0]) + i32(b[1])
        "#]],
    );
}
