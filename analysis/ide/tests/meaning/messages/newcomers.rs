//! Kernels as people write them who come from NumPy, and the way from there to kernels that run.
//!
//! The way is that of the messages alone: of the first error the first fix is applied, and where there is none, one edit that its help
//! says. At the end nothing is found, and the result is NumPy's.

use std::fmt::Write;
use std::sync::Arc;

use expect_test::{Expect, expect};
use queries::db::{Database, File, file_items};
use queries::run::{Argument, DataSource, Engine};
use queries::stages::{self, Options};
use syntax::Severity;

use crate::common;
use crate::evaluate::fixture::run;

/// Follows the messages about a kernel `k`. `by_hand`: what stands there, and what the help says to write instead, in order. `runs`:
/// arguments, and what comes out.
#[track_caller]
fn follow(program: &str, by_hand: &[(&str, &str)], runs: &[(&str, &str)], expected: Expect) {
    let mut text = program.trim_start_matches('\n').to_owned();
    let mut by_hand = by_hand.iter();
    let mut way = String::new();
    for _ in 0..16 {
        let found = common::diagnostics(&text);
        let is = |severity| move |found: &&syntax::Diagnostic| found.severity == severity;
        let next = found.iter().find(is(Severity::Error)).or(found.iter().find(is(Severity::Warning)));
        let Some(next) = next else { break };
        let _ = write!(way, "{}", common::render(&text, std::slice::from_ref(next)));
        text = common::fixed(&text, next).unwrap_or_else(|| {
            let (there, instead) = by_hand.next().unwrap_or_else(|| panic!("{way}\nleads nowhere:\n{text}"));
            assert!(text.contains(there), "{way}\n`{there}` is not in\n{text}");
            let _ = writeln!(way, "  by hand: {instead}");
            text.replacen(there, instead, 1)
        });
    }
    let _ = write!(way, "---\n{text}");
    let left: Vec<_> =
        common::diagnostics(&text).into_iter().filter(|found| found.severity != Severity::Note).collect();
    assert!(left.is_empty(), "{way}\n{left:#?}");
    assert_eq!(by_hand.next(), None, "is not needed:\n{way}");
    expected.assert_eq(&way);
    for (arguments, wanted) in runs {
        assert_eq!(run(&text, arguments), format!("{wanted}\n"), "{way}");
        for stage in ["sequential", "final"] {
            let found = interpreted(&text, arguments, stage);
            assert!(
                wanted.lines().all(|line| found.iter().any(|found| found == line)),
                "{way}\nat `{stage}`: {found:?}"
            );
        }
    }
}

/// What the interpreter makes of the kernel at a stage, in lines as those of [`run`].
pub(crate) fn interpreted(text: &str, arguments: &str, stage: &str) -> Vec<String> {
    let db = Database::default();
    let file = File::new(&db, Arc::from(text));
    let kernel = *file_items(&db, file).last().expect("a kernel");
    let numbers = |list: &str| {
        list.split([',', '[', ']', '(', ')', ' ']).filter(|word| !word.is_empty()).map(str::to_owned).collect()
    };
    let given = arguments.split("; ").map(|argument| {
        let (name, value) = argument.split_once(" = ").expect("a name and a value");
        let source = if value.starts_with('[') {
            DataSource::List(numbers(value))
        } else {
            DataSource::Number(value.to_owned())
        };
        Argument { name: name.to_owned(), source }
    });
    let engine = Engine::Interp(stages::stage(stage).expect("a stage"), Options::default());
    let ran = queries::run::run(&db, kernel, engine, &given.collect::<Vec<_>>(), 10_000, &mut || false);
    let outcome = ran.unwrap_or_else(|why| panic!("{text}\n{why:?}"));
    assert_eq!(outcome.failure, None, "{text}");
    let arrays = outcome.arrays.iter().map(|array| {
        let elements: Vec<_> = array.elements.iter().map(ToString::to_string).collect();
        format!("{} = [{}]", array.name, elements.join(", "))
    });
    outcome.result.map(|result| format!("result {result}")).into_iter().chain(arrays).collect()
}

#[test]
fn a_sum_of_a_module_and_of_a_method() {
    follow(
        r#"
kernel k(a: f32[n], n: i32) -> f32:
    return np.sum(a) * a.max()
"#,
        &[],
        &[("a = [1.0, 2.0, 4.0]; n = 3", "result 28.0")],
        expect![[r#"
            error[unknown-name]: nothing here is called `np`; what is built in stands without a module
              2 |    return np.sum(a) * a.max()
                |           ^^^^^^
              fix: write `sum`
                |    return sum(a) * a.max()
            error[not-a-struct]: arrays have no methods such as `max`: a function stands before what it is of
              2 |    return sum(a) * a.max()
                |                      ^^^
              fix: write `maximum(...)`
                |    return sum(a) * maximum(a)
            ---
            kernel k(a: f32[n], n: i32) -> f32:
                return sum(a) * maximum(a)
        "#]],
    );
}

#[test]
fn a_loop_over_the_indices_of_an_array() {
    follow(
        r#"
import numpy as np

def k(a: f32[n], out: f32[n], n: i32):
    m = np.sum(a) / a.shape[0]
    for i in range(len(a)):
        out[i] = a[i] - m
"#,
        &[],
        &[("a = [1.0, 2.0, 6.0]; out = [0.0, 0.0, 0.0]; n = 3", "out = [-2.0, -1.0, 3.0]")],
        expect![[r#"
            error[foreign-syntax]: other files are named by `use`
              1 |import numpy as np
                |^^^^^^
              = `use filters` in column 0 takes what `filters.lane` has; the built-in functions are always there
              fix: remove the line
                (the line is gone)
            error[expected-item]: expected `kernel`, `fn`, `struct`, `enum`, `const` or `use`, found `def`
              2 |def k(a: f32[n], out: f32[n], n: i32):
                |^^^
              = a `kernel` is called from outside, a `fn` by kernels
              fix: write `kernel`
                |kernel k(a: f32[n], out: f32[n], n: i32):
              fix: write `fn`
                |fn k(a: f32[n], out: f32[n], n: i32):
            error[unknown-name]: nothing here is called `np`; what is built in stands without a module
              3 |    m = np.sum(a) / a.shape[0]
                |        ^^^^^^
              fix: write `sum`
                |    m = sum(a) / a.shape[0]
            error[type-mismatch]: the two sides of `/` have different types: `f32` and an integer
              3 |    m = sum(a) / a.shape[0]
                |        ^^^^^^^^^^^^^^^^^^^
              3 |    m = sum(a) / a.shape[0]
                |        ^^^^^^ this is `f32`
              2 |kernel k(a: f32[n], out: f32[n], n: i32):
                |            ^^^^^^ `a` is `f32[n]`
              = no conversion is implicit; a cast such as `f32(x)` says it
              fix: convert it to `f32`
                |    m = sum(a) / f32(a.shape[0])
            error[not-a-struct]: an array has no fields
              3 |    m = sum(a) / f32(a.shape[0])
                |                     ^^^^^^^^^^
              = the size of an array is `length(a)`
              fix: write `length(...)`
                |    m = sum(a) / f32(length(a))
            error[unknown-name]: nothing here is called `len`
              4 |    for i in range(len(a)):
                |                   ^^^
              = did you mean `length`?
              fix: write `length`
                |    for i in range(length(a)):
            ---

            kernel k(a: f32[n], out: f32[n], n: i32):
                m = sum(a) / f32(length(a))
                for i in range(length(a)):
                    out[i] = a[i] - m
        "#]],
    );
}

#[test]
fn an_array_from_behind() {
    follow(
        r#"
kernel k(a, out):
    out = a[::-1] / a[-1]
"#,
        &[],
        &[("a = [1.0, 3.0, 2.0]; out = [0.0, 0.0, 0.0]", "out = [1.0, 1.5, 0.5]")],
        expect![[r#"
            error[assign-to-fixed]: `out` is a parameter; it cannot be given a new value
              2 |    out = a[::-1] / a[-1]
                |    ^^^
              1 |kernel k(a, out):
                |            ^^^ `out` is defined here
              = copy it first: `let out_ = out`; an array's elements can be assigned: `out[:] = ...`, `out[i] = ...`
              fix: assign to its elements
                |    out[:] = a[::-1] / a[-1]
            error[index-out-of-range]: an index of -1 is before the first element
              2 |    out[:] = a[::-1] / a[-1]
                |                         ^^
              = indices do not count from the end; write `length(a) - 1`, or `n - 1`, with the array's size
              fix: write `length(a) - 1`
                |    out[:] = a[::-1] / a[length(a) - 1]
            ---
            kernel k(a, out):
                out[:] = a[::-1] / a[length(a) - 1]
        "#]],
    );
}

#[test]
fn masks_that_choose_and_store() {
    follow(
        r#"
kernel k(a: f32[n], n: i32) -> f32:
    a[a < 0] = 0
    return np.sum(a[(a > 1) & (a < 5)])
"#,
        &[],
        &[("a = [-1.0, 3.0, 7.0, 4.0]; n = 4", "result 7.0\na = [0.0, 3.0, 7.0, 4.0]")],
        expect![[r#"
            error[not-an-integer]: an index is an integer, and this is a comparison
              2 |    a[a < 0] = 0
                |      ^^^^^
              = `filter` gives the elements for which a function holds: `filter(\x -> x > 0, a)`; `select(c, x, a)` chooses element by element, and `a[:] = select(c, x, a)` stores where `c` holds
              fix: write a `select`
                |    a[:] = select(a < 0, 0, a)
            error[unknown-name]: nothing here is called `np`; what is built in stands without a module
              3 |    return np.sum(a[(a > 1) & (a < 5)])
                |           ^^^^^^
              fix: write `sum`
                |    return sum(a[(a > 1) & (a < 5)])
            error[not-an-integer]: an index is an integer, and this is a comparison
              3 |    return sum(a[(a > 1) & (a < 5)])
                |                 ^^^^^^^^^^^^^^^^^
              = `filter` gives the elements for which a function holds: `filter(\x -> x > 0, a)`; `select(c, x, a)` chooses element by element, and `a[:] = select(c, x, a)` stores where `c` holds
              fix: write a `filter`
                |    return sum(filter(\x -> (x > 1) & (x < 5), a))
            ---
            kernel k(a: f32[n], n: i32) -> f32:
                a[:] = select(a < 0, 0, a)
                return sum(filter(\x -> (x > 1) & (x < 5), a))
        "#]],
    );
}

#[test]
fn a_loop_over_pairs() {
    follow(
        r#"
kernel k(a: f32[n], b: f32[n], n: i32) -> f32:
    s = 0
    for x, y in zip(a, b):
        s += x * y
    for i, x in enumerate(a):
        a[i] = x + i
    return s
"#,
        &[],
        &[("a = [1.0, 2.0]; b = [3.0, 4.0]; n = 2", "result 11.0\na = [1.0, 3.0]")],
        expect![[r#"
            error[type-mismatch]: the two sides of `+` have different types: `f32` and an integer
              6 |        a[i] = x + i
                |               ^^^^^
              5 |    for i, x in enumerate(a):
                |           ^ `x` is `f32`
              5 |    for i, x in enumerate(a):
                |        ^ `i` is an integer
              = no conversion is implicit; a cast such as `f32(x)` says it
              fix: convert it to `f32`
                |        a[i] = x + f32(i)
            ---
            kernel k(a: f32[n], b: f32[n], n: i32) -> f32:
                s = 0
                for x, y in zip(a, b):
                    s += x * y
                for i, x in enumerate(a):
                    a[i] = x + f32(i)
                return s
        "#]],
    );
}

#[test]
fn loops_that_go_backwards() {
    follow(
        r#"
kernel k(a: f32[n], b: f32[n], n: i32) -> f32:
    s = 0.0
    for i in reversed(range(n)):
        s = s * 0.5 + a[i]
    for i in range(1, n | 2)[::-1]:
        s -= b[i]
    for x in reversed(b):
        s = s * 2 + x
    return s
"#,
        &[],
        &[("a = [1.0, 2.0]; b = [3.0, 4.0]; n = 2", "result 3.0")],
        expect![[r#"
            error[foreign-syntax]: a range has no elements to choose from
              5 |    for i in range(1, n | 2)[::-1]:
                |             ^^^^^^^^^^^^^^^^^^^^^
              = a loop goes backwards over `reversed(range(n))`
              fix: write `reversed(range(1, n | 2))`
                |    for i in reversed(range(1, n | 2)):
            ---
            kernel k(a: f32[n], b: f32[n], n: i32) -> f32:
                s = 0.0
                for i in reversed(range(n)):
                    s = s * 0.5 + a[i]
                for i in reversed(range(1, n | 2)):
                    s -= b[i]
                for x in reversed(b):
                    s = s * 2 + x
                return s
        "#]],
    );
}

#[test]
fn a_row_and_a_column_for_each_element_of_a_matrix() {
    follow(
        r#"
kernel k(m: f32[n, w], r: f32[w], c: f32[n], out: f32[n, w], n: i32, w: i32):
    out = m + r
    out *= c[:, None]
"#,
        &[],
        &[(
            "m = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]; r = [10.0, 20.0]; c = [1.0, 2.0, 3.0]; out = [[0.0, 0.0], [0.0, 0.0], [0.0, 0.0]]; n = 3; w = 2",
            "out = [11.0, 22.0, 26.0, 48.0, 45.0, 78.0]",
        )],
        expect![[r#"
            error[assign-to-fixed]: `out` is a parameter; it cannot be given a new value
              2 |    out = m + r
                |    ^^^
              1 |kernel k(m: f32[n, w], r: f32[w], c: f32[n], out: f32[n, w], n: i32, w: i32):
                |                                             ^^^ `out` is defined here
              = copy it first: `let out_ = out`; an array's elements can be assigned: `out[:] = ...`, `out[i] = ...`
              fix: assign to its elements
                |    out[:] = m + r
            error[size-mismatch]: the two sides of `+` have 2 dimensions and 1 dimension
              2 |    out[:] = m + r
                |             ^^^^^
              1 |kernel k(m: f32[n, w], r: f32[w], c: f32[n], out: f32[n, w], n: i32, w: i32):
                |            ^^^^^^^^^ `m` is `f32[n, w]`
              1 |kernel k(m: f32[n, w], r: f32[w], c: f32[n], out: f32[n, w], n: i32, w: i32):
                |                          ^^^^^^ `r` is `f32[w]`
              = no array is stretched to the size of another; for each row of a matrix, write `map(\row -> row + v, m)`
              fix: write a `map`
                |    out[:] = map(\row -> row + r, m)
            error[assign-to-fixed]: `out` is a parameter; it cannot be given a new value
              3 |    out *= c[:, None]
                |    ^^^
              1 |kernel k(m: f32[n, w], r: f32[w], c: f32[n], out: f32[n, w], n: i32, w: i32):
                |                                             ^^^ `out` is defined here
              = copy it first: `let out_ = out`; an array's elements can be assigned: `out[:] = ...`, `out[i] = ...`
              fix: assign to its elements
                |    out[:] *= c[:, None]
            error[index-count]: an array is given no dimension by an index, and none is stretched to the size of another
              3 |    out[:] *= c[:, None]
                |              ^^^^^^^^^^
              = go over the rows of the matrix and the elements of the array: `map(\row x -> row + x, m, c)`
              fix: write a `map`
                |    out[:] = map(\row x -> row * x, out, c)
            ---
            kernel k(m: f32[n, w], r: f32[w], c: f32[n], out: f32[n, w], n: i32, w: i32):
                out[:] = map(\row -> row + r, m)
                out[:] = map(\row x -> row * x, out, c)
        "#]],
    );
}

#[test]
fn powers_of_an_array_that_is_given_back() {
    follow(
        r#"
kernel k(a: f32[n], n: i32) -> f32[n]:
    x = np.zeros(n)
    x = a ** 2 + np.ones(n)
    return x
"#,
        &[],
        &[("a = [1.0, 2.0, 3.0]; n = 3; out = [0.0, 0.0, 0.0]", "out = [2.0, 5.0, 10.0]")],
        expect![[r#"
            error[not-scalar]: a kernel's result is a scalar or a struct, and this is `f32[n]`
              1 |kernel k(a: f32[n], n: i32) -> f32[n]:
                |                               ^^^^^^
              = arrays go out through parameters: add `out`, with a type such as `f32[n]`, and store to it: `out[:] = ...`
              fix: store to a parameter `out`
                |kernel k(a: f32[n], n: i32, out: f32[n]):
                |    x = np.zeros(n)
                |    x = a ** 2 + np.ones(n)
                |    out[:] = x
            error[unknown-name]: nothing here is called `np`; what is built in stands without a module
              2 |    x = np.zeros(n)
                |        ^^^^^^^^
              fix: write `replicate`
                |    x = replicate(n, 0.0)
            error[unknown-name]: nothing here is called `np`; what is built in stands without a module
              3 |    x = a ** 2 + np.ones(n)
                |                 ^^^^^^^
              fix: write `replicate`
                |    x = a ** 2 + replicate(n, 1.0)
            ---
            kernel k(a: f32[n], n: i32, out: f32[n]):
                x = replicate(n, 0.0)
                x = a ** 2 + replicate(n, 1.0)
                out[:] = x
        "#]],
    );
}

#[test]
fn products_of_matrices() {
    follow(
        r#"
kernel k(a: f32[n, m], b: f32[m, n], n: i32, m: i32):
    return a @ b + b.T @ a.T
"#,
        &[],
        &[(
            "a = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]; b = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]; n = 2; m = 3; out = [[0.0, 0.0], [0.0, 0.0]]",
            "out = [8.0, 15.0, 15.0, 22.0]",
        )],
        expect![[r#"
            error[foreign-syntax]: there is no `@` between values
              2 |    return a @ b + b.T @ a.T
                |             ^
              = a matrix product is a call: `matmul(a, b)`; of a matrix and a vector it is `map(\row -> dot(row, v), m)`, of two vectors `dot(a, b)`
              fix: write `matmul`
                |    return matmul(a, b) + b.T @ a.T
            error[foreign-syntax]: there is no `@` between values
              2 |    return matmul(a, b) + b.T @ a.T
                |                              ^
              = a matrix product is a call: `matmul(a, b)`; of a matrix and a vector it is `map(\row -> dot(row, v), m)`, of two vectors `dot(a, b)`
              fix: write `matmul`
                |    return matmul(a, b) + matmul(b.T, a.T)
            error[not-scalar]: a kernel's result is a scalar or a struct, and this is `f32[n, n]`
              2 |    return matmul(a, b) + matmul(b.T, a.T)
                |           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
              = arrays go out through parameters: add `out`, with a type such as `f32[n]`, and store to it: `out[:] = ...`
              fix: store to a parameter `out`
                |kernel k(a: f32[n, m], b: f32[m, n], n: i32, m: i32, out: f32[n, n]):
                |    out[:] = matmul(a, b) + matmul(b.T, a.T)
            error[not-a-struct]: an array has no fields
              2 |    out[:] = matmul(a, b) + matmul(b.T, a.T)
                |                                   ^^^
              = the columns of a matrix as rows are `transpose(m)`
              fix: write `transpose(...)`
                |    out[:] = matmul(a, b) + matmul(transpose(b), a.T)
            error[not-a-struct]: an array has no fields
              2 |    out[:] = matmul(a, b) + matmul(transpose(b), a.T)
                |                                                 ^^^
              = the columns of a matrix as rows are `transpose(m)`
              fix: write `transpose(...)`
                |    out[:] = matmul(a, b) + matmul(transpose(b), transpose(a))
            ---
            kernel k(a: f32[n, m], b: f32[m, n], n: i32, m: i32, out: f32[n, n]):
                out[:] = matmul(a, b) + matmul(transpose(b), transpose(a))
        "#]],
    );
}

#[test]
fn comprehensions() {
    super::check(
        r#"
kernel k(a: f32[n], b: f32[n], n: i32) -> f32:
    let c = [x * y for x in a for y in b]
    let d = [x for x, y in zip(a, b) if y > 0]
    let e = max(x for x in a, 1.0)
    return c[0] + d[0] + e + sum(i * x for x, i, y in enumerate(a))
"#,
        expect![[r#"
            error[not-a-value]: a condition chooses among the elements of one array here, and there are several
              3 |    let d = [x for x, y in zip(a, b) if y > 0]
                |                                        ^^^^^
              = `sum`, `product`, `any`, `all` and `count` leave out values of several arrays; else a loop does
            error[not-a-value]: values with a `for` behind them stand alone in their brackets
              4 |    let e = max(x for x in a, 1.0)
                |                ^^^^^^^^^^^^
              = `[x * 2 for x in a]` is an array, which may stand anywhere
            error[tuple-count]: 3 names are given here, and there are 2 values in each iteration
              5 |    return c[0] + d[0] + e + sum(i * x for x, i, y in enumerate(a))
                |                                           ^^^^^^^
              5 |    return c[0] + d[0] + e + sum(i * x for x, i, y in enumerate(a))
                |                                                      ^^^^^^^^^^^^ this has 2 values at a time
              = `i, x` for `enumerate(a)`, `x, y` for `zip(a, b)`, and `i, (x, y)` for `enumerate(zip(a, b))`
        "#]],
    );
}

#[test]
fn loops_over_what_has_other_values() {
    super::check(
        r#"
kernel k(a: f32[n], b: f32[n], n: i32) -> f32:
    let s = 0.0
    for i, x in enumerate(a, 1):
        s += x
    for x, y, z in zip(a, b):
        s += x
    for x, x in zip(a, b):
        s += x
    foreach i, j in range(n):
        a[i] = 1
    for i in reversed(enumerate(a)):
        s += 1
    for i in reversed(range(0, n, 2)):
        s += a[i]
    for i, x in enumerate(n):
        s += 1
    for x, y in zip(a, a[1:]):
        s += x
    return s
"#,
        expect![[r#"
            error[tuple-count]: 3 names are given here, and there are 2 values in each iteration
              5 |    for x, y, z in zip(a, b):
                |        ^^^^^^^
              5 |    for x, y, z in zip(a, b):
                |                   ^^^^^^^^^ this has 2 values at a time
              = `i, x` for `enumerate(a)`, `x, y` for `zip(a, b)`, and `i, (x, y)` for `enumerate(zip(a, b))`
            error[duplicate-name]: there is a name of the loop `x` already
              7 |    for x, x in zip(a, b):
                |           ^
              7 |    for x, x in zip(a, b):
                |        ^ `x` is defined here first
              = give one of the two another name
            error[tuple-count]: 2 names are given here, and a range has one number in each iteration
              9 |    foreach i, j in range(n):
                |            ^^^^
              = each index has its range: `foreach i in range(n), j in range(m):`
            error[not-a-value]: `reversed` turns a range or an array around, and `enumerate(...)` is neither
             11 |    for i in reversed(enumerate(a)):
                |             ^^^^^^^^^^^^^^^^^^^^^^
              = `for i in reversed(range(length(a))):` goes over the indices, and takes `x = a[i]` inside; `enumerate(reversed(a))` numbers the elements from the last one on
            error[not-an-array]: a loop goes over a range or the elements of an array, and this is `i32`
             15 |    for i, x in enumerate(n):
                |                          ^
              fix: write `range(...)`
                |    for i, x in enumerate(range(n)):
            error[size-mismatch]: these arrays have different sizes: `n` and `n - 1`
             17 |    for x, y in zip(a, a[1:]):
                |                       ^^^^^
             17 |    for x, y in zip(a, a[1:]):
                |                    ^ this is `f32[n]`
        "#]],
    );
}

#[test]
fn a_choice_element_by_element() {
    follow(
        r#"
kernel k(a: f32[n], b: f32[n], out: f32[n], n: i32):
    out = np.where(a > 0 and b > 0, np.maximum(a, b), np.abs(a))
    if out > 5:
        out[0] = 5
"#,
        &[("if out > 5", "if any(out > 5)")],
        &[("a = [1.0, -2.0, 7.0]; b = [3.0, 4.0, 5.0]; out = [0.0, 0.0, 0.0]; n = 3", "out = [5.0, 2.0, 7.0]")],
        expect![[r#"
            error[assign-to-fixed]: `out` is a parameter; it cannot be given a new value
              2 |    out = np.where(a > 0 and b > 0, np.maximum(a, b), np.abs(a))
                |    ^^^
              1 |kernel k(a: f32[n], b: f32[n], out: f32[n], n: i32):
                |                               ^^^ `out` is defined here
              = copy it first: `let out_ = out`; an array's elements can be assigned: `out[:] = ...`, `out[i] = ...`
              fix: assign to its elements
                |    out[:] = np.where(a > 0 and b > 0, np.maximum(a, b), np.abs(a))
            error[unknown-name]: nothing here is called `np`; what is built in stands without a module
              2 |    out[:] = np.where(a > 0 and b > 0, np.maximum(a, b), np.abs(a))
                |             ^^^^^^^^
              fix: write `select`
                |    out[:] = select(a > 0 and b > 0, np.maximum(a, b), np.abs(a))
            error[operand-type]: `and` takes two bools, and an operand here is an array of them
              2 |    out[:] = select(a > 0 and b > 0, np.maximum(a, b), np.abs(a))
                |                          ^^^
              = `&` works element by element; it binds tighter than a comparison, which needs parentheses: `(a > 0) & (b > 0)`
              fix: write `&`
                |    out[:] = select((a > 0) & (b > 0), np.maximum(a, b), np.abs(a))
            error[unknown-name]: nothing here is called `np`; what is built in stands without a module
              2 |    out[:] = select((a > 0) & (b > 0), np.maximum(a, b), np.abs(a))
                |                                       ^^^^^^^^^^
              fix: write `max`
                |    out[:] = select((a > 0) & (b > 0), max(a, b), np.abs(a))
            error[unknown-name]: nothing here is called `np`; what is built in stands without a module
              2 |    out[:] = select((a > 0) & (b > 0), max(a, b), np.abs(a))
                |                                                  ^^^^^^
              fix: write `abs`
                |    out[:] = select((a > 0) & (b > 0), max(a, b), abs(a))
            error[condition-not-bool]: a condition is a bool, and this is `bool[n]`
              3 |    if out > 5:
                |       ^^^^^^^
              = ask for one element, `c[i]`, or whether all hold, or any: `all(c)`, `any(c)`; `select(c, a, b)` chooses element by element
              by hand: if any(out > 5)
            ---
            kernel k(a: f32[n], b: f32[n], out: f32[n], n: i32):
                out[:] = select((a > 0) & (b > 0), max(a, b), abs(a))
                if any(out > 5):
                    out[0] = 5
        "#]],
    );
}

#[test]
fn a_scale_by_the_largest() {
    follow(
        r#"
kernel k(a: f32[n], n: i32):
    a *= 1/a.max()
    a += np.pi * 0 + a.mean()
"#,
        &[],
        &[("a = [1.0, 2.0, 4.0, 1.0]; n = 4", "a = [0.75, 1.0, 1.5, 0.75]")],
        expect![[r#"
            error[assign-to-fixed]: `a` is a parameter; it cannot be given a new value
              2 |    a *= 1/a.max()
                |    ^
              1 |kernel k(a: f32[n], n: i32):
                |         ^ `a` is defined here
              = copy it first: `let a_ = a`; an array's elements can be assigned: `a[:] = ...`, `a[i] = ...`
              fix: assign to its elements
                |    a[:] *= 1/a.max()
            error[not-a-struct]: arrays have no methods such as `max`: a function stands before what it is of
              2 |    a[:] *= 1/a.max()
                |                ^^^
              fix: write `maximum(...)`
                |    a[:] *= 1/maximum(a)
            error[assign-to-fixed]: `a` is a parameter; it cannot be given a new value
              3 |    a += np.pi * 0 + a.mean()
                |    ^
              1 |kernel k(a: f32[n], n: i32):
                |         ^ `a` is defined here
              = copy it first: `let a_ = a`; an array's elements can be assigned: `a[:] = ...`, `a[i] = ...`
              fix: assign to its elements
                |    a[:] += np.pi * 0 + a.mean()
            error[unknown-name]: nothing here is called `np`; what is built in stands without a module
              3 |    a[:] += np.pi * 0 + a.mean()
                |            ^^^^^
              fix: write `pi`
                |    a[:] += pi * 0 + a.mean()
            error[not-a-struct]: arrays have no methods such as `mean`: a function stands before what it is of
              3 |    a[:] += pi * 0 + a.mean()
                |                       ^^^^
              fix: write `mean(...)`
                |    a[:] += pi * 0 + mean(a)
            ---
            kernel k(a: f32[n], n: i32):
                a[:] *= 1/maximum(a)
                a[:] += pi * 0 + mean(a)
        "#]],
    );
}

#[test]
fn sizes_as_other_languages_have_them() {
    follow(
        r#"
kernel k(a: f32[n], m: f32[n, 3], out: i32[6], n: i32):
    out[0] = a.length
    out[1] = a.len()
    out[2] = a.size()
    out[3] = m.len
    out[4] = m.size
    out[5] = m.shape[1]
"#,
        &[],
        &[(
            "a = [1.0, 7.0]; m = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]; out = [0, 0, 0, 0, 0, 0]; n = 2",
            "out = [2, 2, 2, 2, 6, 3]",
        )],
        expect![[r#"
            error[not-a-struct]: an array has no fields
              2 |    out[0] = a.length
                |             ^^^^^^^^
              = the size of an array is `length(a)`
              fix: write `length(...)`
                |    out[0] = length(a)
            error[not-a-struct]: arrays have no methods such as `len`: a function stands before what it is of
              3 |    out[1] = a.len()
                |               ^^^
              fix: write `length(...)`
                |    out[1] = length(a)
            error[not-a-struct]: arrays have no methods such as `size`: a function stands before what it is of
              4 |    out[2] = a.size()
                |               ^^^^
              fix: write `length(...)`
                |    out[2] = length(a)
            error[not-a-struct]: an array has no fields
              5 |    out[3] = m.len
                |             ^^^^^
              = the size of an array is `length(a)`
              fix: write `length(...)`
                |    out[3] = length(m)
            error[not-a-struct]: an array has no fields
              6 |    out[4] = m.size
                |             ^^^^^^
              = the elements of all rows of a matrix are `length(m) * length(m, 1)`
              fix: write the product of both sizes
                |    out[4] = (length(m) * length(m, 1))
            error[not-a-struct]: an array has no fields
              7 |    out[5] = m.shape[1]
                |             ^^^^^^^^^^
              = the size of a dimension is `length(a, 1)`
              fix: write `length(...)`
                |    out[5] = length(m, 1)
            ---
            kernel k(a: f32[n], m: f32[n, 3], out: i32[6], n: i32):
                out[0] = length(a)
                out[1] = length(a)
                out[2] = length(a)
                out[3] = length(m)
                out[4] = (length(m) * length(m, 1))
                out[5] = length(m, 1)
        "#]],
    );
}

#[test]
fn numbers_between_two() {
    follow(
        r#"
kernel k(a: f32[n], out: f32[n], n: i32) -> f32:
    t = np.linspace(0, 1, n)
    out = (1 - t) * a[0] + t * a[-1]
    return np.mean(out)
"#,
        &[],
        &[("a = [1.0, 7.0, 9.0]; out = [0.0, 0.0, 0.0]; n = 3", "result 5.0\nout = [1.0, 5.0, 9.0]")],
        expect![[r#"
            error[unknown-name]: nothing here is called `np`; what is built in stands without a module
              2 |    t = np.linspace(0, 1, n)
                |        ^^^^^^^^^^^
              fix: write `linspace`
                |    t = linspace(0, 1, n)
            error[assign-to-fixed]: `out` is a parameter; it cannot be given a new value
              3 |    out = (1 - t) * a[0] + t * a[-1]
                |    ^^^
              1 |kernel k(a: f32[n], out: f32[n], n: i32) -> f32:
                |                    ^^^ `out` is defined here
              = copy it first: `let out_ = out`; an array's elements can be assigned: `out[:] = ...`, `out[i] = ...`
              fix: assign to its elements
                |    out[:] = (1 - t) * a[0] + t * a[-1]
            error[index-out-of-range]: an index of -1 is before the first element
              3 |    out[:] = (1 - t) * a[0] + t * a[-1]
                |                                    ^^
              = indices do not count from the end; write `length(a) - 1`, or `n - 1`, with the array's size
              fix: write `length(a) - 1`
                |    out[:] = (1 - t) * a[0] + t * a[length(a) - 1]
            error[unknown-name]: nothing here is called `np`; what is built in stands without a module
              4 |    return np.mean(out)
                |           ^^^^^^^
              fix: write `mean`
                |    return mean(out)
            ---
            kernel k(a: f32[n], out: f32[n], n: i32) -> f32:
                t = linspace(0, 1, n)
                out[:] = (1 - t) * a[0] + t * a[length(a) - 1]
                return mean(out)
        "#]],
    );
}

#[test]
fn sums_of_a_matrix_and_its_product_with_a_vector() {
    follow(
        r#"
kernel k(m: f32[n, w], v: f32[w], rows: f32[n], y: f32[n], n: i32, w: i32) -> f32:
    rows = np.sum(m, axis=1)
    y = m @ v
    return m.sum()
"#,
        &[("sum(m, axis=1)", "map(sum, m)"), ("sum(m)\n", "sum(flatten(m))\n")],
        &[(
            "m = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]; v = [1.0, 10.0]; rows = [0.0, 0.0, 0.0]; y = [0.0, 0.0, 0.0]; n = 3; w = 2",
            "result 21.0\nrows = [3.0, 7.0, 11.0]\ny = [21.0, 43.0, 65.0]",
        )],
        expect![[r#"
            error[assign-to-fixed]: `rows` is a parameter; it cannot be given a new value
              2 |    rows = np.sum(m, axis=1)
                |    ^^^^
              1 |kernel k(m: f32[n, w], v: f32[w], rows: f32[n], y: f32[n], n: i32, w: i32) -> f32:
                |                                  ^^^^ `rows` is defined here
              = copy it first: `let rows_ = rows`; an array's elements can be assigned: `rows[:] = ...`, `rows[i] = ...`
              fix: assign to its elements
                |    rows[:] = np.sum(m, axis=1)
            error[unknown-name]: nothing here is called `np`; what is built in stands without a module
              2 |    rows[:] = np.sum(m, axis=1)
                |              ^^^^^^
              fix: write `sum`
                |    rows[:] = sum(m, axis=1)
            error[keyword-argument]: this takes no arguments by name; they are given by their order
              2 |    rows[:] = sum(m, axis=1)
                |                     ^^^^
              = a function of arrays is about all of an array; `map(sum, m)` is that of each row, `map(sum, transpose(m))` of each column
              by hand: map(sum, m)
            error[foreign-syntax]: there is no `@` between values
              3 |    y = m @ v
                |          ^
              = a matrix product is a call: `matmul(a, b)`; of a matrix and a vector it is `map(\row -> dot(row, v), m)`, of two vectors `dot(a, b)`
              fix: write `matmul`
                |    y = matmul(m, v)
            error[assign-to-fixed]: `y` is a parameter; it cannot be given a new value
              3 |    y = matmul(m, v)
                |    ^
              1 |kernel k(m: f32[n, w], v: f32[w], rows: f32[n], y: f32[n], n: i32, w: i32) -> f32:
                |                                                ^ `y` is defined here
              = copy it first: `let y_ = y`; an array's elements can be assigned: `y[:] = ...`, `y[i] = ...`
              fix: assign to its elements
                |    y[:] = matmul(m, v)
            error[size-mismatch]: parameter `b` of `matmul` and this array have 2 dimensions and 1 dimension
              3 |    y[:] = matmul(m, v)
                |                     ^
              1 |kernel k(m: f32[n, w], v: f32[w], rows: f32[n], y: f32[n], n: i32, w: i32) -> f32:
                |                          ^^^^^^ `v` is `f32[w]`
              = the product of a matrix and a vector is `map(\row -> dot(row, v), m)`; a matrix of one row is `[v]`
              fix: write a `map` over the rows
                |    y[:] = map(\row -> dot(row, v), m)
            error[not-a-struct]: arrays have no methods such as `sum`: a function stands before what it is of
              4 |    return m.sum()
                |             ^^^
              fix: write `sum(...)`
                |    return sum(m)
            error[size-mismatch]: parameter `a` of `sum` and this array have 1 dimension and 2 dimensions
              4 |    return sum(m)
                |               ^
              1 |kernel k(m: f32[n, w], v: f32[w], rows: f32[n], y: f32[n], n: i32, w: i32) -> f32:
                |            ^^^^^^^^^ `m` is `f32[n, w]`
              = all elements of a matrix are `flatten(m)`; `map(f, m)` calls a function for each row, as in `map(sum, m)`
              by hand: sum(flatten(m))

            ---
            kernel k(m: f32[n, w], v: f32[w], rows: f32[n], y: f32[n], n: i32, w: i32) -> f32:
                rows[:] = map(sum, m)
                y[:] = map(\row -> dot(row, v), m)
                return sum(flatten(m))
        "#]],
    );
}

#[test]
fn masks_and_dimensions_that_have_names() {
    follow(
        r#"
kernel k(a: f32[n], b: f32[m], out: f32[n, m], n: i32, m: i32) -> f32:
    out = a[:, None] - b[None, :]
    mask = a > 1
    total = a[mask].sum() / out.shape[1]
    a[mask] = 5
    return total
"#,
        &[],
        &[(
            "a = [1.0, 2.0, 4.0]; b = [1.0, 3.0]; out = [[0.0, 0.0], [0.0, 0.0], [0.0, 0.0]]; n = 3; m = 2",
            "result 3.0\na = [1.0, 5.0, 5.0]\nout = [0.0, -2.0, 1.0, -1.0, 3.0, 1.0]",
        )],
        expect![[r#"
            error[assign-to-fixed]: `out` is a parameter; it cannot be given a new value
              2 |    out = a[:, None] - b[None, :]
                |    ^^^
              1 |kernel k(a: f32[n], b: f32[m], out: f32[n, m], n: i32, m: i32) -> f32:
                |                               ^^^ `out` is defined here
              = copy it first: `let out_ = out`; an array's elements can be assigned: `out[:] = ...`, `out[i] = ...`
              fix: assign to its elements
                |    out[:] = a[:, None] - b[None, :]
            error[index-count]: an array is given no dimension by an index, and none is stretched to the size of another
              2 |    out[:] = a[:, None] - b[None, :]
                |             ^^^^^^^^^^
              = go over the rows of the matrix and the elements of the array: `map(\row x -> row + x, m, c)`
              fix: write a `map`
                |    out[:] = map(\x -> map(\y -> x - y, b), a)
            error[not-an-integer]: an index is an integer, and this is `bool[n]`
              4 |    total = a[mask].sum() / out.shape[1]
                |              ^^^^
              = `filter` gives the elements for which a function holds: `filter(\x -> x > 0, a)`; `select(c, x, a)` chooses element by element, and `a[:] = select(c, x, a)` stores where `c` holds
              fix: write a `gather`
                |    total = gather(a, filter(\i -> mask[i], iota(length(a)))).sum() / out.shape[1]
            error[not-a-struct]: arrays have no methods such as `sum`: a function stands before what it is of
              4 |    total = gather(a, filter(\i -> mask[i], iota(length(a)))).sum() / out.shape[1]
                |                                                              ^^^
              fix: write `sum(...)`
                |    total = sum(gather(a, filter(\i -> mask[i], iota(length(a))))) / out.shape[1]
            error[type-mismatch]: the two sides of `/` have different types: `f32` and an integer
              4 |    total = sum(gather(a, filter(\i -> mask[i], iota(length(a))))) / out.shape[1]
                |            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
              4 |    total = sum(gather(a, filter(\i -> mask[i], iota(length(a))))) / out.shape[1]
                |            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ this is `f32`
              1 |kernel k(a: f32[n], b: f32[m], out: f32[n, m], n: i32, m: i32) -> f32:
                |                                    ^^^^^^^^^ `out` is `f32[n, m]`
              = no conversion is implicit; a cast such as `f32(x)` says it
              fix: convert it to `f32`
                |    total = sum(gather(a, filter(\i -> mask[i], iota(length(a))))) / f32(out.shape[1])
            error[not-a-struct]: an array has no fields
              4 |    total = sum(gather(a, filter(\i -> mask[i], iota(length(a))))) / f32(out.shape[1])
                |                                                                         ^^^^^^^^^^^^
              = the size of a dimension is `length(a, 1)`
              fix: write `length(...)`
                |    total = sum(gather(a, filter(\i -> mask[i], iota(length(a))))) / f32(length(out, 1))
            error[not-an-integer]: an index is an integer, and this is `bool[n]`
              5 |    a[mask] = 5
                |      ^^^^
              = `filter` gives the elements for which a function holds: `filter(\x -> x > 0, a)`; `select(c, x, a)` chooses element by element, and `a[:] = select(c, x, a)` stores where `c` holds
              fix: write a `select`
                |    a[:] = select(mask, 5, a)
            ---
            kernel k(a: f32[n], b: f32[m], out: f32[n, m], n: i32, m: i32) -> f32:
                out[:] = map(\x -> map(\y -> x - y, b), a)
                mask = a > 1
                total = sum(gather(a, filter(\i -> mask[i], iota(length(a))))) / f32(length(out, 1))
                a[:] = select(mask, 5, a)
                return total
        "#]],
    );
}
