//! Lines with `use`.

use std::sync::Arc;

use expect_test::{Expect, expect};
use queries::check::diagnostics;
use queries::db::Database;

use crate::common;

/// The findings about the first of some files.
fn check(files: &[(&str, &str)], expected: Expect) {
    let mut db = Database::default();
    let files: Vec<_> = files.iter().map(|(name, text)| (db.add_file(name, Arc::from(*text)), *text)).collect();
    let (file, text) = files[0];
    expected.assert_eq(&common::render(text, &diagnostics(&db, file)));
}

#[test]
fn files_that_nobody_knows() {
    check(
        &[("a.lane", "use filtrs\nuse shared.b: x\nuse ..b\nuse nothing_like_it: x\n")],
        expect![[r#"
        error[unknown-file]: there is no file `filtrs.lane` beside this one, and no library `filtrs`
          1 |use filtrs
            |    ^^^^^^
          = did you mean `filters`?
          fix: write `filters`
            |use filters
        error[unknown-file]: there is no file `shared/b.lane` from this one on
          2 |use shared.b: x
            |    ^^^^^^^^
          = `use shared.filters` is `shared/filters.lane`; each dot in front but the first goes up one folder
        error[unknown-file]: there is no file `../b.lane` from this one on
          3 |use ..b
            |    ^^^
          = `use shared.filters` is `shared/filters.lane`; each dot in front but the first goes up one folder
        error[unknown-file]: there is no file `nothing_like_it.lane` beside this one, and no library `nothing_like_it`
          4 |use nothing_like_it: x
            |    ^^^^^^^^^^^^^^^
          = the libraries are `colour`, `complex`, `filters`, `noise`, `random`, `sorting`, `statistics`
    "#]],
    );
    check(
        &[("", "use b\nuse shared.b\n")],
        expect![[r#"
        error[unknown-file]: there is no file `b.lane` beside this one, and no library `b`
          1 |use b
            |    ^
          = the libraries are `colour`, `complex`, `filters`, `noise`, `random`, `sorting`, `statistics`
        error[unknown-file]: there is no file `shared/b.lane` from this one on
          2 |use shared.b
            |    ^^^^^^^^
          = `use shared.filters` is `shared/filters.lane`; each dot in front but the first goes up one folder
    "#]],
    );
}

#[test]
fn files_that_use_each_other_or_are_wrong() {
    check(
        &[("a.lane", "use b: g\n\nfn f(x): return g(x)\n"), ("b.lane", "use a: f\n\nfn g(x): return f(x)\n")],
        expect![[r#"
            error[use-circle]: `b` uses this file, directly or by way of others, so this `use` closes a circle
              1 |use b: g
                |    ^
              = move what both need to a file of its own, and use that in both
        "#]],
    );
    check(
        &[("a.lane", "use b\n"), ("b.lane", "fn g(x): return x / y\n")],
        expect![[r#"
        error[used-file-fails]: `b` has errors, so what it gives cannot be relied on
          1 |use b
            |    ^
          = the first: nothing here is called `y`
    "#]],
    );
}

#[test]
fn names_that_are_not_there_or_twice() {
    let other = "fn g(x): return x\n\nstruct S:\n    x: f32\n\nkernel k(a): a[0] = 1\n";
    check(
        &[("a.lane", "use b: gg, k, g, g\n"), ("b.lane", other)],
        expect![[r#"
            error[unknown-name]: `b` has nothing of the name `gg`
              1 |use b: gg, k, g, g
                |       ^^
              = it has `g`, `S`
            error[unknown-name]: `k` is a kernel, which is called from outside alone
              1 |use b: gg, k, g, g
                |           ^
              = move what both need to a `fn`, and use that
            error[duplicate-name]: this `use` names `g` twice
              1 |use b: gg, k, g, g
                |                 ^
              = remove one of the two
        "#]],
    );
    check(
        &[
            ("a.lane", "use b\nuse c\nuse b\n"),
            ("b.lane", other),
            ("c.lane", "fn g(y): return y\n\nstruct S:\n    y: f32\n"),
        ],
        expect![[r#"
            error[duplicate-name]: `g` is in `b` and in `c`
              2 |use c
                |    ^
              = say which names are meant: `use c: …` takes no others
            error[duplicate-name]: `c` brings a struct `S`, and another one of that name is here already
              2 |use c
                |    ^
              = in files that work together a struct's name is one type: rename one of the two
            error[duplicate-name]: `b` is used above already
              3 |use b
                |    ^
              fix: remove the line
                (the line is gone)
        "#]],
    );
    check(
        &[("a.lane", "kernel k(a: f32[4]):\n    a[0] = median3(a[0], a[1], a[2])\n\nfn f(z: Complex): return z.re\n")],
        expect![[r#"
            error[unknown-name]: nothing here is called `median3`
              2 |    a[0] = median3(a[0], a[1], a[2])
                |           ^^^^^^^
              = the library `sorting` has it
              fix: define the function `median3`
                |fn median3(x: f32, y: f32, z: f32):
                |    return x
                |
              fix: write `use sorting: median3`
                |use sorting: median3
                |
                |
            error[unknown-type]: there is no type `Complex` here
              4 |fn f(z: Complex): return z.re
                |        ^^^^^^^
              = the library `complex` has it
              fix: write `use complex: Complex`
                |use complex: Complex
                |
                |
        "#]],
    );
}

#[test]
fn names_of_files_beside() {
    check(
        &[
            ("folder/a.lane", "kernel k(a: f32[4], p: Pair):\n    a[0] = half(a[1]) + LIMIT + hidden(p) + _own(p)\n"),
            (
                "folder/tools.lane",
                "const LIMIT = 4.0\n\nstruct Pair:\n    x: f32\n\nfn half(x: f32): return x / 2\n\nfn _own(x): return x\n",
            ),
            ("folder/around.lane", "use a\n\nfn hidden(x): return x\n"),
            ("elsewhere/b.lane", "fn hidden(x): return x\n"),
        ],
        expect![[r#"
            error[unknown-type]: there is no type `Pair` here
              1 |kernel k(a: f32[4], p: Pair):
                |                       ^^^^
              = `tools.lane` has it
              fix: write `use tools: Pair`
                |use tools: Pair
                |
                |
            error[unknown-name]: nothing here is called `half`
              2 |    a[0] = half(a[1]) + LIMIT + hidden(p) + _own(p)
                |           ^^^^
              = `tools.lane` has it
              fix: write `f16`
                |    a[0] = f16(a[1]) + LIMIT + hidden(p) + _own(p)
              fix: write `use tools: half`
                |use tools: half
                |
                |
            error[unknown-name]: nothing here is called `LIMIT`
              2 |    a[0] = half(a[1]) + LIMIT + hidden(p) + _own(p)
                |                        ^^^^^
              = `tools.lane` has it
              fix: add the parameter `LIMIT`
                |kernel k(a: f32[4], p: Pair, LIMIT):
              fix: write `use tools: LIMIT`
                |use tools: LIMIT
                |
                |
            error[unknown-name]: nothing here is called `hidden`
              2 |    a[0] = half(a[1]) + LIMIT + hidden(p) + _own(p)
                |                                ^^^^^^
              = a function is defined with `fn`, anywhere in the file
              fix: define the function `hidden`
                |fn hidden(p: Pair):
                |    return p
                |
            error[unknown-name]: nothing here is called `_own`
              2 |    a[0] = half(a[1]) + LIMIT + hidden(p) + _own(p)
                |                                            ^^^^
              = a function is defined with `fn`, anywhere in the file
              fix: define the function `_own`
                |fn _own(p: Pair):
                |    return p
                |
        "#]],
    );
}
