//! Notes on what costs lanes, and the changes that lift them.

use expect_test::{Expect, expect};
use ispc::unit::{FileId, SourcePlace, Unit};
use ispc_facts::whole::{PlacedNote, notes_of};
use ispc_types::unit::declarations;

use super::read;

fn notes(unit: &Unit) -> Vec<PlacedNote> {
    notes_of(unit, &declarations(unit, None), false)
}

fn shown(unit: &Unit, place: SourcePlace) -> &str {
    &unit.text(place.file)[place.range()]
}

/// The text with a change.
fn changed(text: &str, edits: &[(SourcePlace, String)]) -> String {
    let mut text = text.to_owned();
    let mut edits = edits.to_vec();
    edits.sort_by_key(|(place, _)| std::cmp::Reverse((place.start, place.end)));
    for (place, new) in edits {
        assert_eq!(place.file, FileId::MAIN);
        text.replace_range(place.range(), &new);
    }
    text
}

/// The notes of a text, each with its places, and the lines that its first change makes. That leaves nothing wrong.
fn check(text: &str, expected: Expect) {
    let unit = read(text);
    assert!(unit.problems.is_empty(), "{:?}", unit.problems);
    let mut told = String::new();
    for note in notes(&unit) {
        told += &format!("`{}`: {} [{}]\n", shown(&unit, note.place), note.message, note.code);
        if let Some(help) = &note.help {
            told += &format!("    help: {help}\n");
        }
        for (place, text) in &note.related {
            told += &format!("    `{}`: {text}\n", shown(&unit, *place));
        }
        for (title, edits) in &note.fixes {
            let new = changed(text, edits);
            let after = read(&new);
            assert!(after.problems.is_empty(), "{new}\n{:?}", after.problems);
            let problems = ispc_types::whole::check(&after);
            assert!(problems.is_empty(), "{new}\n{problems:?}");
            assert!(!notes(&after).iter().any(|it| it.code == note.code && it.message == note.message), "{new}");
            told += &format!("    {title}:\n");
            for line in new.lines().filter(|line| !text.lines().any(|old| old == *line)) {
                told += &format!("        {}\n", line.trim());
            }
        }
    }
    expected.assert_eq(&told);
}

#[test]
fn gathers_scatters_and_strides_tell_what_makes_them() {
    check(
        "struct Ray { float x, y; };
         void f(uniform float a[], uniform int index[], uniform Ray rays[], uniform int n) {
             foreach (i = 0 ... n) {
                 int k = index[i];
                 a[k] = a[2 * i] + rays[i].y + a[k + 1];
             }
         }",
        expect![[r#"
            `a[k]`: `a[k]`: each lane has to store to a cell of its own, since `index[i]` is loaded from another cell in each lane, and the lanes run along `i` [ispc-perf-scatter]
                help: let the lanes run along the cells that are stored, and gather what they need instead; `packed_store_active` stores what some lanes have side by side
                `k = index[i]`: `k` has its value from here
                `index[i]`: `index[i]` is loaded from another cell in each lane
                `i = 0 ... n`: the lanes run along `i`
            `a[2 * i]`: `a[2 * i]`: the lanes load from cells that lie 8 bytes apart, since the lanes run along `i` [ispc-perf-strided]
                help: let the lanes run along neighbouring cells: take the factor out of the subscript, or turn the array
                `i = 0 ... n`: the lanes run along `i`
            `rays[i].y`: `rays[i].y`: the lanes load from cells that lie a struct apart: `Ray` has 8 bytes, since the lanes run along `i` [ispc-perf-strided]
                help: store each member in an array of its own, or make the array one of `soa<…>` structs: then neighbouring lanes have neighbouring cells
                `i = 0 ... n`: the lanes run along `i`
            `a[k + 1]`: `a[k + 1]`: each lane has to load from a cell of its own, since `index[i]` is loaded from another cell in each lane, and the lanes run along `i` [ispc-perf-gather]
                help: where all lanes mostly have one subscript, `reduce_equal` finds that out and one load does; where they run along the cells, a subscript that is a row makes it a vector load
                `k = index[i]`: `k` has its value from here
                `index[i]`: `index[i]` is loaded from another cell in each lane
                `i = 0 ... n`: the lanes run along `i`
        "#]],
    );
}

#[test]
fn divisions_by_powers_of_two_become_shifts_where_no_lane_is_below_zero() {
    check(
        "void f(uniform int a[], uniform uint b[], uniform int n, int v) {
             foreach (i = 0 ... n) {
                 a[i] = i / 4 + i % 8;
                 a[i] += v / 4;
                 b[i] /= 16;
                 b[i] = (1 + b[i] / 2) * 3;
                 a[i] = v / n;
             }
         }",
        expect![[r#"
            `i / 4`: `i / 4` is a division of whole numbers in each lane, which no vector unit has: it is done lane by lane [ispc-perf-division]
                help: no lane is below zero here, so `>> 2` gives the same
                `i = 0 ... n`: the lanes run along `i`
                write `>> 2` for a division:
                    a[i] = (i >> 2) + i % 8;
            `i % 8`: `i % 8` is a remainder of whole numbers in each lane, which no vector unit has: it is done lane by lane [ispc-perf-modulus]
                help: no lane is below zero here, so `& 7` gives the same
                `i = 0 ... n`: the lanes run along `i`
                write `& 7` for a remainder:
                    a[i] = i / 4 + (i & 7);
            `v / 4`: `v / 4` is a division of whole numbers in each lane, which no vector unit has: it is done lane by lane [ispc-perf-division]
                help: `>> 2` gives the same for numbers that are not below zero: make the dividend an unsigned one if none is
                `foreach`: here run lanes that did not run where the value was set
            `b[i] /= 16`: `b[i] /= 16` is a division of whole numbers in each lane, which no vector unit has: it is done lane by lane [ispc-perf-division]
                help: no lane is below zero here, so `>> 4` gives the same
                `b[i]`: `b[i]` is loaded from another cell in each lane
                `i = 0 ... n`: the lanes run along `i`
                write `>> 4` for a division:
                    b[i] >>= 4;
            `b[i] / 2`: `b[i] / 2` is a division of whole numbers in each lane, which no vector unit has: it is done lane by lane [ispc-perf-division]
                help: no lane is below zero here, so `>> 1` gives the same
                `b[i]`: `b[i]` is loaded from another cell in each lane
                `i = 0 ... n`: the lanes run along `i`
                write `>> 1` for a division:
                    b[i] = (1 + (b[i] >> 1)) * 3;
            `v / n`: `v / n` is a division of whole numbers in each lane, which no vector unit has: it is done lane by lane [ispc-perf-division]
                help: divide by a power of two, or as `float` where the numbers are below 2^24; where the divisor is the same in all lanes, compute its reciprocal once and multiply
                `foreach`: here run lanes that did not run where the value was set
        "#]],
    );
}

#[test]
fn a_variable_that_could_be_uniform_is_told_with_what_it_costs() {
    check(
        "void f(uniform float a[], uniform float out[], uniform int n, float * varying p) {
             int rounds = n * 2;
             varying int half = rounds / 2;
             uniform float * row = a + n;
             foreach (i = 0 ... n) {
                 float sum = 0;
                 for (int k = 0; k < half; k++) sum += a[k] + row[k];
                 if (rounds > 3) out[i] = sum;
             }
         }",
        expect![[r#"
            `rounds`: `rounds` is varying, since neither `uniform` nor `varying` is written, and has one value for all lanes wherever it is used: it makes 1 condition that is run under a mask, and 1 division in each lane [ispc-perf-uniform]
                help: declare it `uniform`
                declare `rounds` `uniform`:
                    uniform int rounds = n * 2;
            `half`: `half` is declared varying, and has one value for all lanes wherever it is used: it makes 1 condition that is run under a mask [ispc-perf-uniform]
                help: declare it `uniform`, together with `rounds`, from which its values come
                declare `half` and `rounds` `uniform`:
                    uniform int rounds = n * 2;
                    uniform int half = rounds / 2;
            `rounds / 2`: `rounds / 2` is a division of whole numbers in each lane, which no vector unit has: it is done lane by lane [ispc-perf-division]
                help: all lanes compute with the same numbers here: `uniform` variables make it one operation
            `row`: `row` is varying, since neither `uniform` nor `varying` is written, and has one value for all lanes wherever it is used: it makes 1 access of one cell for each lane [ispc-perf-uniform]
                help: write `uniform` behind its `*`
                declare `row` `uniform`:
                    uniform float * uniform row = a + n;
            `sum`: `sum` is varying, since neither `uniform` nor `varying` is written, and has one value for all lanes wherever it is used: it takes 32 bytes of vector registers where one number would do [ispc-perf-uniform]
                help: declare it `uniform`, together with `k` and `row`, from which its values come
                declare `sum`, `k` and `row` `uniform`:
                    uniform float * uniform row = a + n;
                    uniform float sum = 0;
                    for (uniform int k = 0; k < half; k++) sum += a[k] + row[k];
            `k`: `k` is varying, since neither `uniform` nor `varying` is written, and has one value for all lanes wherever it is used: it makes 2 accesses of one cell for each lane, and 1 condition that is run under a mask [ispc-perf-uniform]
                help: declare it `uniform`
                declare `k` `uniform`:
                    for (uniform int k = 0; k < half; k++) sum += a[k] + row[k];
        "#]],
    );
}

#[test]
fn a_value_that_others_set_meanwhile_is_not_uniform() {
    check(
        "void f(uniform float out[], int v) {
             int x = 1;
             if (v > 0) { x = 2; out[programIndex] = x; } else { out[programIndex] = x + 1; }
             int y = 1;
             if (v > 0) { y = 2; out[programIndex] = y; }
         }",
        expect![[r#"
            `y`: `y` is varying, since neither `uniform` nor `varying` is written, and has one value for all lanes wherever it is used: it takes 32 bytes of vector registers where one number would do [ispc-perf-uniform]
                help: declare it `uniform`
                declare `y` `uniform`:
                    uniform int y = 1;
        "#]],
    );
}

#[test]
fn a_pragma_silences_the_line_behind_it() {
    check(
        "#define AT(i) a[i]
         float f(uniform float a[], int i) {
             #pragma ignore warning(perf)
             float x = a[i];
             #pragma ignore warning
             x += AT(i);
             #pragma ignore warning(all)
             x += a[
                 i];
             #pragma ignore warning(other)
             x += a[i + 1];
             return x;
         }",
        expect![[r#"
            `a[
                             i]`: `a[i]`: each lane has to load from a cell of its own, since `i` is a parameter with a value of its own in each lane [ispc-perf-gather]
                help: where all lanes mostly have one subscript, `reduce_equal` finds that out and one load does; where they run along the cells, a subscript that is a row makes it a vector load
                `i`: `i` is a parameter with a value of its own in each lane
            `a[i + 1]`: `a[i + 1]`: each lane has to load from a cell of its own, since `i` is a parameter with a value of its own in each lane [ispc-perf-gather]
                help: where all lanes mostly have one subscript, `reduce_equal` finds that out and one load does; where they run along the cells, a subscript that is a row makes it a vector load
                `i`: `i` is a parameter with a value of its own in each lane
        "#]],
    );
}

#[test]
fn numbers_of_twice_the_width_and_conversions_are_told() {
    check(
        "float f(float x, uint u, uniform uint n, double d) {
             float a = x * 1.5d + u;
             uint b = (uint)x;
             float c = n;
             return a + b + c + (float)(d * x);
         }",
        expect![[r#"
            `x * 1.5d`: the number `1.5d` is a `double`, so `x` becomes one in each lane, and half as many lanes fit a register [ispc-perf-double]
                help: write the number without its `d`
                write `1.5f`:
                    float a = x * 1.5f + u;
            `u`: `u` is converted from `uint` to `double` in each lane, for which units before AVX-512 have no instruction: it takes several [ispc-perf-conversion]
                help: convert by way of `int` if the numbers fit: `(int)`
            `(uint)x`: `x` is converted from `float` to `uint` in each lane, for which units before AVX-512 have no instruction: it takes several [ispc-perf-conversion]
                help: convert by way of `int` if the numbers fit: `(int)`
            `c`: `c` is varying, since neither `uniform` nor `varying` is written, and has one value for all lanes wherever it is used: it takes 32 bytes of vector registers where one number would do [ispc-perf-uniform]
                help: declare it `uniform`
                declare `c` `uniform`:
                    uniform float c = n;
            `b`: `b` is converted from `uint` to `float` in each lane, for which units before AVX-512 have no instruction: it takes several [ispc-perf-conversion]
                help: convert by way of `int` if the numbers fit: `(int)`
            `d * x`: `d` is a `double`, so `x` becomes one in each lane, and half as many lanes fit a register [ispc-perf-double]
                help: compute with `float`, if that is exact enough
        "#]],
    );
}

#[test]
fn switches_shifts_and_pointers_to_functions_are_told() {
    check(
        "typedef float (*F)(float x);
         int f(int v, uniform int u, varying F g, float x) {
             int by = u;
             switch (v) { case 0: v = 1; break; case 1: v = 3; }
             switch (u) { case 0: v = 1; break; default: v = 3; }
             v >>= by;
             return (v >> v) + (v >> 3) + (int)g(x) + (int)shift(v, u);
         }",
        expect![[r#"
            `by`: `by` is varying, since neither `uniform` nor `varying` is written, and has one value for all lanes wherever it is used: it takes 32 bytes of vector registers where one number would do [ispc-perf-uniform]
                help: declare it `uniform`
                declare `by` `uniform`:
                    uniform int by = u;
            `v`: the lanes have different cases of this `switch`, since `v` varies: all cases that one of them has are run, one after another [ispc-perf-switch]
                help: look each lane's values up in a table, sort the work by case first, or run over the cases by `foreach_unique`
                `v`: `v` is a parameter with a value of its own in each lane
            `v >>= by`: `v >>= by` shifts each lane by an amount of its own, though all of them are one: units before AVX2 do that lane by lane [ispc-perf-shift]
                help: all lanes have one amount here: a `uniform` variable says so
            `v >> v`: `v >> v` shifts each lane by an amount of its own, though all of them are one: units before AVX2 do that lane by lane [ispc-perf-shift]
                help: all lanes have one amount here: a `uniform` variable says so
            `g`: `g` may be another function in each lane, so they are called one after another [ispc-perf-call]
                help: make the pointer `uniform` if all lanes call one function, or sort the work by function first
                `g`: `g` is a parameter with a value of its own in each lane
            `shift(v, u)`: `shift` moves values over lanes by an amount that is not known when it is compiled, which goes through memory [ispc-perf-shift]
                help: shift by a constant amount
        "#]],
    );
}
