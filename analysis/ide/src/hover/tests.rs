//! Tests of the texts of hovers.

use expect_test::{Expect, expect};

use super::*;
use crate::fixture::Fixture;

pub(super) fn check(marked: &str, expected: Expect) {
    let fixture = Fixture::new(marked);
    let shown = match hover(&fixture.db, fixture.file, fixture.offset(), Beside::Nothing) {
        Some(hover) => {
            let line = fixture.marked([(hover.range, "")]);
            let line = line.lines().find(|line| line.contains('«')).unwrap_or_default();
            format!("{}\n----\n{}\n", line.trim(), hover.text)
        }
        None => "nothing\n".to_owned(),
    };
    expected.assert_eq(&shown);
}

#[test]
fn a_parameter_and_the_access_it_is_in() {
    check(
        "kernel scale(samples: f32[n], out, n, volume):\n    for i in range(n):\n        out[i] = $0samples[i] * volume\n",
        expect![[r#"
            out[i] = «samples»[i] * volume
            ----
            ```lane
            samples: f32[n]
            ```

            Loaded here:
            ```lane
            samples[i]: f32
            ```

            **contiguous** load: neighbouring lanes have neighbouring cells.
            - `i` in line 2: lanes run along `i`
        "#]],
    );
}

#[test]
fn arithmetic_that_is_rounded_to_two_bytes() {
    check(
        "kernel k(x: bf16, y: bf16) -> bf16:\n    return x $0* y\n",
        expect![[r#"
        return «x * y»
        ----
        ```lane
        x * y: bf16
        ```

        Computed as `f32` from the same values, and rounded to `bf16`: to nearest, of two equally near to the even one, on every target. A sum of many terms loses less in `f32`.
    "#]],
    );
    check(
        "kernel k(x: f16[n], n: i32) -> bool:\n    return x[0] $0< x[1]\n",
        expect![[r#"
        return «x[0] < x[1]»
        ----
        ```lane
        x[0] < x[1]: bool
        ```
    "#]],
    );
}

#[test]
fn what_is_stored() {
    check(
        "kernel k(out, n):\n    for i in range(n):\n        $0out[i] = 1\n",
        expect![[r#"
            «out»[i] = 1
            ----
            ```lane
            out: f32[_]
            ```

            Inferred: nothing decides the elements' type, so it is the default.

            Stored here:
            ```lane
            out[i]: f32
            ```

            **contiguous** store: neighbouring lanes have neighbouring cells.
            - `i` in line 2: lanes run along `i`
        "#]],
    );
    check(
        "kernel k(out: i64[n], n):\n    for i in range(n):\n        $0out[i] += 1\n",
        expect![[r#"
            «out»[i] += 1
            ----
            ```lane
            out: i64[n]
            ```

            Loaded and stored here:
            ```lane
            out[i]: i64
            ```

            **contiguous** load and store: neighbouring lanes have neighbouring cells.
            - `i` in line 2: lanes run along `i`
        "#]],
    );
}

#[test]
fn a_row_and_a_slice_are_no_loads() {
    check(
        "kernel k(m: f32[n, 4], n):\n    row = $0m[0]\n    m[1, 0] = row[1]\n",
        expect![[r#"
        row = «m»[0]
        ----
        ```lane
        m: f32[n, 4]
        ```

        Here:
        ```lane
        m[0]: f32[4]
        ```
    "#]],
    );
    check(
        "kernel k(a: f32[n], n):\n    $0a[1:] = 0\n",
        expect![[r#"
            «a»[1:] = 0
            ----
            ```lane
            a: f32[n]
            ```

            **8 lanes** along `i`.

            Estimated: about 0.12 cycles an element, bound by stores.

            Stored here:
            ```lane
            a[1:]: f32[n - 1]
            ```

            **contiguous** store: neighbouring lanes have neighbouring cells.
        "#]],
    );
}

#[test]
fn a_default() {
    check(
        "kernel k(out, vol$0ume):\n    out[0] = volume\n",
        expect![[r#"
        kernel k(out, «volume»):
        ----
        ```lane
        volume: f32
        ```

        Inferred: nothing decides this type, so it is the default.
    "#]],
    );
    check(
        "kernel k(out):\n    $0x = 2\n    out[0] = f32(x)\n",
        expect![[r#"
        «x» = 2
        ----
        ```lane
        x: i32 = 2
        ```

        Inferred: nothing decides this type, so it is the default.
    "#]],
    );
}

#[test]
fn a_variable_that_is_updated() {
    check(
        "kernel k(a: f32[n], n):\n    let su$0m: f32 = 0\n    for i in range(n):\n        sum += a[i]\n    a[0] = sum\n",
        expect![[r#"
            let «sum»: f32 = 0
            ----
            ```lane
            sum: f32
            ```

            Updated after its definition.
        "#]],
    );
}

#[test]
fn a_variable_with_one_value() {
    check(
        "const N = 4\nkernel k(a: f32[n], n):\n    let size = N * 2\n    a[siz$0e] = 1\n",
        expect![[r#"
        a[«size»] = 1
        ----
        ```lane
        size: i32 = 8
        ```
    "#]],
    );
}

#[test]
fn a_promise() {
    check(
        "kernel k(a: f32[n], n):\n    let x: uniform f32 = a[0]\n    a[1] = $0x\n",
        expect![[r#"
        a[1] = «x»
        ----
        ```lane
        x: uniform f32
        ```
    "#]],
    );
}

#[test]
fn a_loop_index() {
    check(
        "kernel k(a: f32[n], n: i64):\n    for i in range(n):\n        a[$0i] = 1\n",
        expect![[r#"
            a[«i»] = 1
            ----
            ```lane
            i: i64
            ```

            **Varying**: linear, stride 1: it changes by 1 from lane to lane.
            - `i` in line 2: lanes run along `i`
        "#]],
    );
}

#[test]
fn what_is_open_in_a_function() {
    check(
        "fn lerp(a, b, $0t):\n    return a + (b - a) * t\n",
        expect![[r#"
        fn lerp(a, b, «t»):
        ----
        ```lane
        t: T
        ```

        `T` is a number; each call has its own.
    "#]],
    );
    check(
        "fn sum(a: f32[k]):\n    return a[$0k - 1]\n",
        expect![[r#"
        return a[«k» - 1]
        ----
        ```lane
        k: i32
        ```

        A size that each call brings with its arrays.
    "#]],
    );
}

#[test]
fn a_lambda_parameter() {
    check(
        "kernel k(a: i32[n], n):\n    a[0] = reduce(\\x y -> $0x + y, 0, a)\n",
        expect![[r#"
            a[0] = reduce(\x y -> «x» + y, 0, a)
            ----
            ```lane
            x: i32
            ```

            **Varying**: any value in each lane.
            - `x + y` in line 2: each iteration hands this to the next
            - `y` in line 2: loaded from where this says, which varies
        "#]],
    );
}

#[test]
fn a_function_and_its_call() {
    check(
        "## Blends two values.\n##\n## `t` is from 0 to 1.\nfn lerp(a, b, t):\n    return a + (b - a) * t\nkernel k(a: f64[n], n):\n    a[0] = $0lerp(a[1], a[2], 0.5)\n",
        expect![[r#"
            a[0] = «lerp»(a[1], a[2], 0.5)
            ----
            ```lane
            fn lerp(a: T, b: T, t: T) -> T
            ```

            `T` is a number; each call has its own.

            Blends two values.

            `t` is from 0 to 1.

            This call:
            ```lane
            lerp(a[1], a[2], 0.5): f64
            ```
        "#]],
    );
}

#[test]
fn a_function_where_it_is_defined() {
    check(
        "@fast\nfn tw$0ice(x: f32) -> f32:\n    return 2 * x\n",
        expect![[r#"
        fn «twice»(x: f32) -> f32:
        ----
        ```lane
        fn twice(x: f32) -> f32
        ```
    "#]],
    );
}

#[test]
fn a_kernel() {
    check(
        "## Makes it louder.\nkernel sca$0le(samples, out, n, volume):\n    for i in range(n):\n        out[i] = samples[i] * volume\n",
        expect![[r#"
            kernel «scale»(samples, out, n, volume):
            ----
            ```lane
            kernel scale(samples: f32[_], out: f32[_], n: i32, volume: f32)
            ```

            Makes it louder.
        "#]],
    );
    check(
        "kernel su$0m(a: f32[n], n: i32) -> f32:\n    return reduce(+, 0, a)\n",
        expect![[r#"
        kernel «sum»(a: f32[n], n: i32) -> f32:
        ----
        ```lane
        kernel sum(a: f32[n], n: i32) -> f32
        ```
    "#]],
    );
}

#[test]
fn a_kernel_with_scratch_memory() {
    check(
        "kernel bac$0k(a: f32[n], out: f32[n], n: i32):\n    let s = scan(+, 0.0, a)\n    for i in range(n):\n        out[i] = s[n - 1 - i]\n",
        expect![[r#"
            kernel «back»(a: f32[n], out: f32[n], n: i32):
            ----
            ```lane
            kernel back(a: f32[n], out: f32[n], n: i32)
            ```

            Needs scratch memory, which the caller passes: `4 * n` bytes.
        "#]],
    );
}

#[test]
fn a_constant_array() {
    check(
        "const SQUARES: i32[16] = map(\\i -> i * i, iota(16))\nkernel k(a: i32[n], n: i32):\n    a[0] = SQU$0ARES[3]\n",
        expect![[r#"
            a[0] = «SQUARES»[3]
            ----
            ```lane
            const SQUARES: i32[16] = [0, 1, 4, 9, 16, 25, 36, 49, ...]
            ```

            Loaded here:
            ```lane
            SQUARES[3]: i32 = 9
            ```
        "#]],
    );
}

#[test]
fn a_constant_array_where_it_is_defined() {
    check(
        "fn half(i):\n    return f32(i) / 2.0\nconst HAL$0VES = map(half, iota(4))\nkernel k(a: f32[4]):\n    a[:] = HALVES\n",
        expect![[r#"
            const «HALVES» = map(half, iota(4))
            ----
            ```lane
            const HALVES: f32[4] = [0.0, 0.5, 1.0, 1.5]
            ```
        "#]],
    );
}

#[test]
fn a_constant_array_that_cannot_be_computed() {
    check(
        "const INVERSES = map(\\i -> 6 / i, iota(3))\nkernel k(a: i32[3]):\n    a[:] = INV$0ERSES\n",
        expect![[r#"
            a[:] = «INVERSES»
            ----
            ```lane
            const INVERSES: i32[3] = map(\i: i32 -> 6 / i, iota(3))
            ```
        "#]],
    );
}

#[test]
fn an_array_of_fixed_size() {
    let text = "kernel k(a: f32[n], n: i32):\n    foreach i in range(n):\n        let DEF: f32[3, 2] = 1.0\n        USE[1, 0] = a[i]\n        a[i] = tile[1, 0] + tile[2, 1]\n";
    check(
        &text.replace("DEF", "ti$0le").replace("USE", "tile"),
        expect![[r#"
        let «tile»: f32[3, 2] = 1.0
        ----
        ```lane
        tile: f32[3, 2] = 1.0
        ```
    "#]],
    );
    check(
        &text.replace("DEF", "tile").replace("USE", "ti$0le"),
        expect![[r#"
            «tile»[1, 0] = a[i]
            ----
            ```lane
            tile: f32[3, 2] = 1.0
            ```

            Stored here:
            ```lane
            tile[1, 0]: f32
            ```

            **contiguous** store: each lane has an array of its own, and their cells lie beside each other.
        "#]],
    );
    // What is stored is the same for all lanes, and so is the place.
    check(
        &text.replace("DEF", "tile").replace("USE", "ti$0le").replace("] = a[i]", "] = f32(n)"),
        expect![[r#"
            «tile»[1, 0] = f32(n)
            ----
            ```lane
            tile: f32[3, 2] = 1.0
            ```

            Stored here:
            ```lane
            tile[1, 0]: f32
            ```

            **uniform-store**: the arrays of all lanes hold the same, so one array and one store do for all of them.
        "#]],
    );
}

#[test]
fn a_constant() {
    check(
        "## How many.\nconst N: i32 = 4 * 2\nkernel k(a: f32[$0N]):\n    a[0] = 1\n",
        expect![[r#"
        kernel k(a: f32[«N»]):
        ----
        ```lane
        const N: i32 = 8
        ```

        How many.
    "#]],
    );
}

#[test]
fn a_struct() {
    check(
        "## A point.\nstruct P:\n    x: f32\n    y: f64\nkernel k(p: $0P[n], n):\n    p[0].x = 1\n",
        expect![[r#"
            kernel k(p: «P»[n], n):
            ----
            ```lane
            struct P:
                x: f32
                y: f64
            ```

            A point.
        "#]],
    );
}

#[test]
fn a_field() {
    check(
        "struct P:\n    x: f32\n    y: f64\nkernel k(p: P[n], n):\n    p[0].$0y = 1\n",
        expect![[r#"
        p[0].«y» = 1
        ----
        ```lane
        struct P:
            y: f64
        ```

        Stored here:
        ```lane
        p[0].y: f64
        ```
    "#]],
    );
    check(
        "struct P:\n    x: f32\n    $0y: f64\n",
        expect![[r#"
        «y»: f64
        ----
        ```lane
        struct P:
            y: f64
        ```
    "#]],
    );
}

#[test]
fn the_struct_before_the_dot() {
    check(
        "struct P:\n    x: f32\nkernel k(p: P[n], out, n):\n    out[0] = $0p[0].x\n",
        expect![[r#"
        out[0] = «p»[0].x
        ----
        ```lane
        p: P[n]
        ```

        Loaded here:
        ```lane
        p[0].x: f32
        ```
    "#]],
    );
}

#[test]
fn a_builtin() {
    check(
        "kernel k(a: f32[n], n):\n    a[0] = $0min(a[1], 0)\n",
        expect![[r#"
        a[0] = «min»(a[1], 0)
        ----
        ```lane
        min(a, b)
        ```

        The smaller of the two: `a if a < b else b`. When one is NaN, the result is `b`.

        This call:
        ```lane
        min(a[1], 0): f32
        ```
    "#]],
    );
    check(
        "kernel k(a: f32[n], n):\n    foreach i in range(n):\n        a[i] = f32($0lane_id)\n",
        expect![[r#"
            a[i] = f32(«lane_id»)
            ----
            ```lane
            lane_id
            ```

            The number of this lane, from 0.

            Only inside `foreach`.

            **Varying**: linear, stride 1: it changes by 1 from lane to lane.
        "#]],
    );
    check(
        "kernel k(a: f32[n], n):\n    a[0] = reduce(m$0ax, 0, a)\n",
        expect![[r#"
        a[0] = reduce(«max», 0, a)
        ----
        ```lane
        max(a, b)
        ```

        The larger of the two: `a if a > b else b`. When one is NaN, the result is `b`.
    "#]],
    );
}

#[test]
fn a_scalar_type() {
    check(
        "kernel k(a: $0f32[n], n):\n    a[0] = 1\n",
        expect![[r#"
        kernel k(a: «f32»[n], n):
        ----
        ```lane
        f32
        ```

        A float of 32 bits (IEEE 754).
    "#]],
    );
    check(
        "kernel k(a: u8[n], n):\n    a[0] = $0u8(n)\n",
        expect![[r#"
        a[0] = «u8»(n)
        ----
        ```lane
        u8
        ```

        An unsigned integer of 8 bits: from 0 to 255.
    "#]],
    );
}

#[test]
fn attributes() {
    check(
        "@$0lanes(8)\nkernel k(a):\n    a[0] = 1\n",
        expect![[r#"
            @«lanes»(8)
            ----
            ```lane
            @lanes(count)
            ```

            The number of iterations that run together, as lanes.

            Stands above a loop, a kernel or a function; `count` is from 1 to 64.
        "#]],
    );
    check(
        "@$0alias(a, b)\nkernel k(a, b):\n    a[0] = b[0]\n",
        expect![[r#"
            @«alias»(a, b)
            ----
            ```lane
            @alias(a, b, ...)
            ```

            These arrays may overlap: the kernel checks when it runs whether they do, and then takes a path that runs in order.

            Stands above a kernel or a function.
        "#]],
    );
}

#[test]
fn a_range() {
    check(
        "kernel k(a, n):\n    for i in $0range(n):\n        a[i] = 1\n",
        expect![[r#"
        for i in «range»(n):
        ----
        ```lane
        range(start, stop, step)
        ```

        The numbers from `start` (0 when left out) up to but not including `stop`, `step` apart (1 when left out). A negative step counts down.
    "#]],
    );
}

#[test]
fn an_operator() {
    check(
        "kernel k(a: f32[n], n: i32):\n    a[n $0- 1] = 1\n",
        expect![[r#"
        a[«n - 1»] = 1
        ----
        ```lane
        n - 1: i32
        ```
    "#]],
    );
    check(
        "const N = 4\nkernel k(a: f32[n], n: i32):\n    a[N $0* 2] = 1\n",
        expect![[r#"
        a[«N * 2»] = 1
        ----
        ```lane
        N * 2: i32 = 8
        ```
    "#]],
    );
    check(
        "kernel k(a: f32[n], n: i32):\n    if n > 1 $0and a[0] < 2:\n        a[0] = 1\n",
        expect![[r#"
        if «n > 1 and a[0] < 2»:
        ----
        ```lane
        n > 1 and a[0] < 2: bool
        ```
    "#]],
    );
    check(
        "kernel k(a: f32[n], n: i32):\n    a[0] = 1 $0if n > 1 else 2\n",
        expect![[r#"
        a[0] = «1 if n > 1 else 2»
        ----
        ```lane
        1 if n > 1 else 2: f32
        ```
    "#]],
    );
}

#[test]
fn a_bracket() {
    check(
        "kernel k(a: f32[n], n: i32):\n    a[0] = $0(a[1] +  # one\n        a[2]) * 2\n",
        expect![[r#"
        a[0] = («a[1] +  # one
        ----
        ```lane
        a[1] + a[2]: f32
        ```
    "#]],
    );
    check(
        "kernel k(a: f32[n], n: i32):\n    a[0] = (a)$0[1]\n",
        expect![[r#"
        a[0] = «(a)[1]»
        ----
        ```lane
        (a)[1]: f32
        ```
    "#]],
    );
    check(
        "kernel k(a: f32[n], n: i32):\n    a[0] = max(1, (2)$0)\n",
        expect![[r#"
            a[0] = «max(1, (2))»
            ----
            ```lane
            max(1, (2)): f32 = 2.0
            ```
        "#]],
    );
}

#[test]
fn a_literal() {
    check(
        "kernel k(a: f32[n], n):\n    a[0] = $02\n",
        expect![[r#"
        a[0] = «2»
        ----
        ```lane
        2: f32 = 2.0
        ```
    "#]],
    );
    check(
        "kernel k(a: u8[n], n):\n    a[0] = $00x2a\n",
        expect![[r#"
        a[0] = «0x2a»
        ----
        ```lane
        0x2a: u8 = 42
        ```
    "#]],
    );
    check(
        "kernel k(a: bool[n], n):\n    a[0] = tr$0ue\n",
        expect![[r#"
        a[0] = «true»
        ----
        ```lane
        true: bool
        ```
    "#]],
    );
}

#[test]
fn whole_array_arithmetic() {
    check(
        "kernel k(a: f32[n], b: f32[n], n: i32):\n    a[:] = a $0* 2 + b\n",
        expect![[r#"
            a[:] = «a * 2» + b
            ----
            ```lane
            a * 2: f32[n]
            ```

            **contiguous** load: neighbouring lanes have neighbouring cells.
        "#]],
    );
}

#[test]
fn nothing_to_say() {
    check(
        "kernel k(a):\n    a[0] = 1  $0# one\n",
        expect![[r#"
        nothing
    "#]],
    );
    check(
        "kernel k(a):\n    a[0] = $0unheard\n",
        expect![[r#"
        nothing
    "#]],
    );
    check(
        "$0",
        expect![[r#"
        nothing
    "#]],
    );
}

#[test]
fn in_half_typed_code() {
    check(
        "kernel k(a: f32[n], n):\n    x = min($0a[0], \n",
        expect![[r#"
        x = min(«a»[0],
        ----
        ```lane
        a: f32[n]
        ```

        Loaded here:
        ```lane
        a[0]: f32
        ```
    "#]],
    );
    check(
        "kernel k(a: f32[n], n):\n    a[0] = n +\n    $0a[1] =\n",
        expect![[r#"
        «a»[1] =
        ----
        ```lane
        a: f32[n]
        ```

        Stored here:
        ```lane
        a[1]: f32
        ```
    "#]],
    );
}

// Lanes.

const LANES: &str = "\
kernel k(a: f32[n], b: i32[n], out: f32[n], n: i32):
    foreach i in range(n):
        let at = b[i]
        let twice = n * 2
        if a[at] > 0.0:
            out[at] += a[twice]
";

/// Points at the first place where the words stand.
fn check_lanes(at: &str, expected: Expect) {
    check(&LANES.replacen(&at.replace("$0", ""), at, 1), expected);
}

#[test]
fn a_variable_that_varies() {
    check_lanes(
        "$0at = b",
        expect![[r#"
        let «at» = b[i]
        ----
        ```lane
        at: i32
        ```

        **Varying**: any value in each lane.
        - `b[i]` in line 3: its value, which varies
        - `i` in line 2: lanes run along `i`
    "#]],
    );
    check_lanes(
        "$0twice = ",
        expect![[r#"
        let «twice» = n * 2
        ----
        ```lane
        twice: i32
        ```

        **Uniform**: the same in all lanes.
    "#]],
    );
}

#[test]
fn an_expression_that_varies() {
    check_lanes(
        "$0> 0.0",
        expect![[r#"
        if «a[at] > 0.0»:
        ----
        ```lane
        a[at] > 0.0: bool
        ```

        **Varying**: any value in each lane.
        - `a[at]` in line 5: computed from this, which varies
        - `at` in line 5: loaded from where this says, which varies
        - `b[i]` in line 3: its value, which varies
        - `i` in line 2: lanes run along `i`
    "#]],
    );
}

#[test]
fn an_access_that_is_a_gather() {
    check_lanes(
        "$0a[at] >",
        expect![[r#"
            if «a»[at] > 0.0:
            ----
            ```lane
            a: f32[n]
            ```

            Loaded here:
            ```lane
            a[at]: f32
            ```

            **gather**: each lane has a cell of its own; the subscript is data, or made of it.
            - `at` in line 5: the subscript, which varies
            - `b[i]` in line 3: its value, which varies
            - `i` in line 2: lanes run along `i`

            To lift it: store the elements in the order in which iterations use them: then they are contiguous.
        "#]],
    );
    check_lanes(
        "$0out[at]",
        expect![[r#"
            «out»[at] += a[twice]
            ----
            ```lane
            out: f32[n]
            ```

            Loaded and stored here:
            ```lane
            out[at]: f32
            ```

            **gather**: each lane has a cell of its own; the subscript is data, or made of it.
            - `at` in line 6: the subscript, which varies
            - `b[i]` in line 3: its value, which varies
            - `i` in line 2: lanes run along `i`

            **scatter**: each lane has a cell of its own; the subscript is data, or made of it.
            - `at` in line 6: the subscript, which varies
            - `b[i]` in line 3: its value, which varies
            - `i` in line 2: lanes run along `i`

            Meets
            - `out[at]` in line 6, carried anti: perhaps iteration 0 reads `out[0]`, iteration 1 writes `out[0]`; that depends on `at`, which is data; `a[at] > 0.0` is not linear in the iterations
            - `out[at]` in line 6, carried output: perhaps iteration 0 writes `out[0]`, iteration 1 writes `out[0]`; that depends on `at`, which is data; `a[at] > 0.0` is not linear in the iterations
        "#]],
    );
    check_lanes(
        "$0a[twice]",
        expect![[r#"
            out[at] += «a»[twice]
            ----
            ```lane
            a: f32[n]
            ```

            Loaded here:
            ```lane
            a[twice]: f32
            ```

            **broadcast**: all lanes load the same cell.
        "#]],
    );
}

#[test]
fn lines_and_names_lead_to_their_places() {
    let text = "\
## Half of it; see [`twice`], and [nobody].
fn half(x):
    return x / 2

fn twice(x):
    return 2 * half(x)

kernel k(a: f32[n], b: i32[n], out: f32[n], n: i32):
    foreach i in range(n):
        out[i] = a[b[i]]
";
    let fixture = Fixture::new(text);
    let show = |at: &str, skip: usize| {
        let at = text.find(at).expect("it is there") + skip;
        let hover = hover(&fixture.db, fixture.file, TextSize::new(at as u32), Beside::Nothing).expect("a hover");
        let of_link = |link: &HoverLink| {
            let line = text[usize::from(link.target)..].lines().next().unwrap_or_default();
            format!("{} -> {line}\n", &hover.text[link.part])
        };
        hover.links.iter().map(of_link).collect::<String>()
    };
    expect![[r#"
        `twice` -> twice(x):
    "#]]
    .assert_eq(&show("half(x)\n\nkernel", 0));
    expect![[r#"
        line 10 -> b[i]]
        line 9 -> i in range(n):
    "#]]
    .assert_eq(&show("a[b[i]]", 0));
}

/// What is measured changes; that it is said does not.
#[test]
fn a_math_function_says_its_bound_and_its_cost() {
    let told = |text: &str| {
        let fixture = Fixture::new(text);
        hover(&fixture.db, fixture.file, fixture.offset(), Beside::Nothing).expect("a hover").text
    };
    let strict = told("kernel k(a: f32[n], n: i32):\n    for i in range(n):\n        a[i] = e$0xp(a[i])\n");
    assert!(strict.contains("correctly rounded"), "{strict}");
    assert!(strict.contains(" cycles for each element on `avx2`"), "{strict}");
    let fast = told("@fast\nkernel k(a: f32[n], n: i32):\n    for i in range(n):\n        a[i] = e$0xp(a[i])\n");
    assert!(fast.contains(" ulp") && fast != strict, "{fast}");
}

#[test]
fn a_loop_in_order_names_the_places_and_leaves_the_sentence_to_the_note() {
    check(
        "kernel k(a: f32[n], n: i32):\n    $0for i in range(1, n):\n        a[i] = a[i - 1] * a[i - 1]\n",
        expect![[r#"
            «for» i in range(1, n):
            ----
            **in order**: loop-carried-flow, 1 apart.
            - loop-carried-flow: an iteration reads what an earlier one has written; as a lane it would read too early
              - `a[i]` in line 3: iteration 1 writes `a[1]`
              - `a[i - 1]` in line 3: iteration 2 reads `a[1]`
            - loop-carried-flow: 1 more pair of accesses of `a`, which `lanescope explain --json` lists

            Estimated: about 4 cycles an element, bound by waiting for the iteration before.
        "#]],
    );
}

#[test]
fn a_call_of_a_builtin_of_arrays_tells_its_loop() {
    check(
        "kernel k(a: f32[n], n: i32) -> f32:\n    return $0sum(a)\n",
        expect![[r#"
            return «sum»(a)
            ----
            ```lane
            sum(a)
            ```

            The sum of all elements, from the first to the last; 0 if there are none.

            **in order**: ordered-float-sum.
            - ordered-float-sum: a sum of floats keeps the order of its terms

            Estimated: about 4 cycles an element, bound by waiting for the iteration before.

            This call:
            ```lane
            sum(a): f32
            ```
        "#]],
    );
}

#[test]
fn structs_that_are_made_and_values_that_are_taken_apart() {
    let text = "## A place.\nstruct V:\n    x: f32\n    y: f32\nfn both(v: V):\n    return v.x, v\nkernel k(o: f32[n], n: i32):\n    let x, v = both(V(1, 2))\n    x, v.y = v.y, x\n    o[0] = x + v.x\n";
    check(
        &text.replacen("V(1", "$0V(1", 1),
        expect![[r#"
        let x, v = both(«V»(1, 2))
        ----
        ```lane
        struct V:
            x: f32
            y: f32
        ```

        A place.
    "#]],
    );
    check(
        &text.replacen("v = both", "$0v = both", 1),
        expect![[r#"
        let x, «v» = both(V(1, 2))
        ----
        ```lane
        v: V
        ```

        Updated after its definition.
    "#]],
    );
    check(
        &text.replacen("both(V(", "$0both(V(", 1),
        expect![[r#"
            let x, v = «both»(V(1, 2))
            ----
            ```lane
            fn both(v: V) -> (f32, V)
            ```

            This call:
            ```lane
            both(V(1, 2)): (f32, V)
            ```
        "#]],
    );
    check(
        &text.replacen("v.y =", "v.$0y =", 1),
        expect![[r#"
        x, v.«y» = v.y, x
        ----
        ```lane
        struct V:
            y: f32
        ```

        Stored here:
        ```lane
        v.y: f32
        ```
    "#]],
    );
}

/// The note says that it is a gather, why, and what would lift it.
#[test]
fn what_the_note_beside_it_says_is_left_out() {
    let check = |marked: &str, expected: Expect| {
        let fixture = Fixture::new(marked);
        let found = hover(&fixture.db, fixture.file, fixture.offset(), Beside::Notes).expect("a hover");
        expected.assert_eq(found.text.split("```\n\n").last().unwrap_or_default());
    };
    let text = "kernel k(a: f32[n], b: i32[n], out: f32[n], n: i32) -> f32:\n    let s = 0.0\n    for i in range(n):\n        s += a[b[i]]\n    for i in range(n // 3):\n        out[i] = a[3 * i]\n    return s\n";
    check(
        &text.replacen("a[3", "$0a[3", 1),
        expect![[r#"
        **strided** load.
        - `3 * i` in line 6: the subscript, which varies
        - `i` in line 5: lanes run along `i`"#]],
    );
    check(
        &text.replacen("for", "$0for", 1),
        expect![[r#"
            **in order**: ordered-float-sum.
            - ordered-float-sum
              - `s` in line 4: here `s` gets its next value

            Estimated: about 4 cycles an element, bound by waiting for the iteration before."#]],
    );
}

#[test]
fn enums_variants_and_what_patterns_take() {
    let text = "enum Shape:\n    Circle(r: f32)\n    Nothing\nfn f(s: Shape):\n    match s:\n        case Circle(r): return r\n        case _: return 0.0\n";
    check(
        &text.replacen("case Circle", "case $0Circle", 1),
        expect![[r#"
            case «Circle»(r): return r
            ----
            ```lane
            enum Shape:
                Circle(r: f32)
            ```
        "#]],
    );
    check(
        &text.replacen("Circle(r):", "Circle($0r):", 1),
        expect![[r#"
        case Circle(«r»): return r
        ----
        ```lane
        r: f32
        ```
    "#]],
    );
    check(
        &text.replacen("s: Shape", "s: $0Shape", 1),
        expect![[r#"
        fn f(s: «Shape»):
        ----
        ```lane
        enum Shape:
            Circle(r: f32)
            Nothing = 1
        ```
    "#]],
    );
}

#[test]
fn words_of_a_loop_over_arrays() {
    let loops = |rest: &str| {
        format!(
            "kernel k(a: f32[n], b: f32[n], out: f32[n], n: i32):\n    for i, (x, y) in {rest}:\n        out[i] = x * y\n"
        )
    };
    check(
        &loops("$0enumerate(zip(a, b))"),
        expect![[r#"
            for i, (x, y) in «enumerate»(zip(a, b)):
            ----
            ```lane
            enumerate(a)
            ```

            The elements of an array, each with its index, from 0 on: `for i, x in enumerate(a):`. What it counts may be a `zip` or a `reversed`.
        "#]],
    );
    check(
        &loops("enumerate($0zip(a, b))"),
        expect![[r#"
            for i, (x, y) in enumerate(«zip»(a, b)):
            ----
            ```lane
            zip(a, b, ...)
            ```

            The elements of several arrays at once: `for x, y in zip(a, b):`. The arrays have to be of one length.
        "#]],
    );
    check(
        &loops("enumerate(zip($0a, b))"),
        expect![[r#"
            for i, (x, y) in enumerate(zip(«a», b)):
            ----
            ```lane
            a: f32[n]
            ```

            Its elements, one by one:

            **contiguous** load: neighbouring lanes have neighbouring cells.
            - `i` in line 2: lanes run along `i`
        "#]],
    );
    check(
        "kernel k(a: f32[n], b: f32[n], out: f32[n], n: i32):\n    for $0x, y in zip(a, b):\n        out[0] = x * y\n",
        expect![[r#"
            for «x», y in zip(a, b):
            ----
            ```lane
            x: f32
            ```

            **Varying**: any value in each lane.
            - `a` in line 2: its value, which varies
            - `zip(a, b)` in line 2: lanes run along `i`
        "#]],
    );
    check(
        "kernel k(a: f32[n], n: i32) -> f32:\n    return $0max(x * x for x in a)\n",
        expect![[r#"
            return «max»(x * x for x in a)
            ----
            ```lane
            maximum(a)
            ```

            The largest element of an array, as `max` has it. There has to be one.

            **8 lanes**.
            - maximum: the greatest of all iterations

            Estimated: about 0.5 cycles an element, bound by waiting for the iteration before.

            This call:
            ```lane
            max(x * x for x in a): f32
            ```
        "#]],
    );
    check(
        "kernel k(a: f32[n], n: i32) -> f32:\n    return max($0x * x for x in a)\n",
        expect![[r#"
        return max(«x» * x for x in a)
        ----
        ```lane
        x: f32
        ```
    "#]],
    );
}
