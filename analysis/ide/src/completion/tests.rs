//! Tests of the completions at a cursor, and of the text after one is chosen.

use super::*;
use crate::fixture::Fixture;
use expect_test::{Expect, expect};

/// Lists what an editor would show: the labels that start with the word typed so far, with kind and detail. Builtins
/// are many; without a word to filter by, only their number is shown.
fn check(text: &str, expected: Expect) {
    let fixture = Fixture::new(text);
    let items = completion(&fixture.db, fixture.file, fixture.offset());
    let mut out = String::new();
    let mut n_more = 0;
    for item in &items {
        let typed = &fixture.text[TextRange::new(item.replace.start(), fixture.offset())];
        if !item.label.starts_with(typed) {
            continue;
        }
        if typed.is_empty() && matches!(item.kind, CompletionKind::Builtin) {
            n_more += 1;
            continue;
        }
        out.push_str(&format!("{} {:?} {}\n", item.label, item.kind, item.detail.as_deref().unwrap_or("-")));
    }
    if n_more > 0 {
        out.push_str(&format!("and {n_more} builtins\n"));
    }
    expected.assert_eq(&out);
}

/// Lists the labels without kinds and details.
fn check_labels(text: &str, expected: Expect) {
    let fixture = Fixture::new(text);
    let items = completion(&fixture.db, fixture.file, fixture.offset());
    let labels: Vec<_> =
        items.iter().filter(|item| item.kind != CompletionKind::Builtin).map(|item| &*item.label).collect();
    expected.assert_eq(&labels.join(" "));
}

/// The text after the item of a label was chosen.
fn check_chosen(text: &str, label: &str, expected: Expect) {
    let fixture = Fixture::new(text);
    let items = completion(&fixture.db, fixture.file, fixture.offset());
    let item = items.iter().find(|item| item.label == label).expect("an item of this label");
    assert!(item.snippet || !item.insert.contains('$'));
    let mut out = fixture.text.clone();
    out.replace_range(std::ops::Range::<usize>::from(item.replace), &item.insert);
    expected.assert_eq(&out);
}

#[test]
fn a_value_is_a_local_an_item_or_a_builtin() {
    check(
        "const N = 4\n## Twice as much.\nfn twice(v): return v + v\nkernel other(): pass\nkernel k(a, out: f32[n], n: i32):\n    let gain: f32 = 2.0\n    for i in range(n):\n        out[i] = $0a[i] * gain\n",
        expect![[r#"
            i LoopIndex i32
            gain Variable f32
            n Parameter i32
            out Parameter f32[n]
            a Parameter f32, by default
            N Constant i32 = 4
            twice Function (v: T) -> T
            vec2 Struct vec2(x: f32, y: f32) -> vec2
            vec3 Struct vec3(x: f32, y: f32, z: f32) -> vec3
            vec4 Struct vec4(x: f32, y: f32, z: f32, w: f32) -> vec4
            mat2 Struct mat2(x: vec2, y: vec2) -> mat2
            mat3 Struct mat3(x: vec3, y: vec3, z: vec3) -> mat3
            mat4 Struct mat4(x: vec4, y: vec4, z: vec4, w: vec4) -> mat4
            bool Type converts a value
            i8 Type converts a value
            i16 Type converts a value
            i32 Type converts a value
            i64 Type converts a value
            u8 Type converts a value
            u16 Type converts a value
            u32 Type converts a value
            u64 Type converts a value
            f32 Type converts a value
            f64 Type converts a value
            f16 Type converts a value
            bf16 Type converts a value
            true Keyword -
            false Keyword -
            not Keyword -
            and 144 builtins
        "#]],
    );
}

#[test]
fn the_word_typed_so_far_filters_and_is_replaced() {
    check(
        "kernel k(samples, out, n):\n    for i in range(n):\n        out[i] = s$0\n",
        expect![[r#"
            samples Parameter f32, by default
            select Builtin select(c, a, b)
            sqrt Builtin sqrt(x)
            sin Builtin sin(x)
            sincos Builtin sincos(x)
            sinpi Builtin sinpi(x)
            sinh Builtin sinh(x)
            step Builtin step(edge, x)
            smoothstep Builtin smoothstep(lo, hi, x)
            sign Builtin sign(x)
            sub_sat Builtin sub_sat(a, b)
            store_u16 Builtin store_u16(bytes, i, x)
            store_i16 Builtin store_i16(bytes, i, x)
            store_u32 Builtin store_u32(bytes, i, x)
            store_i32 Builtin store_i32(bytes, i, x)
            store_u64 Builtin store_u64(bytes, i, x)
            store_i64 Builtin store_i64(bytes, i, x)
            store_f32 Builtin store_f32(bytes, i, x)
            store_f64 Builtin store_f64(bytes, i, x)
            scan Builtin scan(f, zero, a)
            sum Builtin sum(a)
            scatter Builtin scatter(a, at, x)
        "#]],
    );
    check_chosen(
        "kernel k(samples, n):\n    x = sam$0les[n]\n",
        "samples",
        expect![[r#"
        kernel k(samples, n):
            x = samples[n]
    "#]],
    );
}

#[test]
fn names_of_other_blocks_are_not_there() {
    check_labels(
        "kernel k(a, n):\n    if n > 1:\n        inner = 1\n    x = 2\n    return $0\n    later = 1\n",
        expect![
            "x n a vec2 vec3 vec4 mat2 mat3 mat4 bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 f16 bf16 true false not"
        ],
    );
}

#[test]
fn a_name_does_not_complete_itself() {
    check(
        "kernel k(n):\n    abc = ab$0\n",
        expect![[r#"
            abs Builtin abs(x)
            abs_diff Builtin abs_diff(a, b)
        "#]],
    );
    check(
        "fn scale(x): return sca$0\n",
        expect![[r#"
            scan Builtin scan(f, zero, a)
            scatter Builtin scatter(a, at, x)
            scan_add Builtin scan_add(x)
        "#]],
    );
    check(
        "const SIZE = SI$0\nconst SIDE = 2\n",
        expect![[r#"
        SIDE Constant i32 = 2
    "#]],
    );
}

#[test]
fn calls_have_places_for_their_arguments() {
    check_chosen(
        "kernel k(a):\n    a[0] = cl$0\n",
        "clamp",
        expect![[r#"
        kernel k(a):
            a[0] = clamp(${1:x}, ${2:lo}, ${3:hi})
    "#]],
    );
    check_chosen(
        "kernel k(a):\n    a[0] = cl$0(1, 2, 3)\n",
        "clamp",
        expect![[r#"
        kernel k(a):
            a[0] = clamp(1, 2, 3)
    "#]],
    );
    check_chosen(
        "fn mix(u, v): return u + v\nkernel k(a):\n    a[0] = m$0\n",
        "mix",
        expect![[r#"
        fn mix(u, v): return u + v
        kernel k(a):
            a[0] = mix(${1:u}, ${2:v})
    "#]],
    );
    check_chosen(
        "kernel k(a, n: i32):\n    a[0] = f$0n\n",
        "f32",
        expect![[r#"
        kernel k(a, n: i32):
            a[0] = f32(${1:x})
    "#]],
    );
}

#[test]
fn functions_for_map_are_named_and_not_called() {
    check(
        "fn square(x): return x * x\nkernel k(a, n):\n    let b = map(s$0, a)\n",
        expect![[r#"
            square Function (x: T) -> T
            select Builtin select(c, a, b)
            sqrt Builtin sqrt(x)
            sin Builtin sin(x)
            sincos Builtin sincos(x)
            sinpi Builtin sinpi(x)
            sinh Builtin sinh(x)
            step Builtin step(edge, x)
            smoothstep Builtin smoothstep(lo, hi, x)
            sign Builtin sign(x)
            sub_sat Builtin sub_sat(a, b)
            store_u16 Builtin store_u16(bytes, i, x)
            store_i16 Builtin store_i16(bytes, i, x)
            store_u32 Builtin store_u32(bytes, i, x)
            store_i32 Builtin store_i32(bytes, i, x)
            store_u64 Builtin store_u64(bytes, i, x)
            store_i64 Builtin store_i64(bytes, i, x)
            store_f32 Builtin store_f32(bytes, i, x)
            store_f64 Builtin store_f64(bytes, i, x)
            scan Builtin scan(f, zero, a)
            sum Builtin sum(a)
            scatter Builtin scatter(a, at, x)
        "#]],
    );
    check_chosen(
        "kernel k(a):\n    let b = reduce(m$0, 0, a)\n",
        "max",
        expect![[r#"
        kernel k(a):
            let b = reduce(max, 0, a)
    "#]],
    );
    check_chosen(
        "kernel k(a):\n    let b = reduce(max, m$0, a)\n",
        "min",
        expect![[r#"
        kernel k(a):
            let b = reduce(max, min(${1:a}, ${2:b}), a)
    "#]],
    );
}

#[test]
fn a_local_hides_what_has_its_name() {
    check(
        "const size = 1\nkernel k(min, size, a):\n    a[0] = m$0\n",
        expect![[r#"
            min Parameter f32, by default
            mat2 Struct mat2(x: vec2, y: vec2) -> mat2
            mat3 Struct mat3(x: vec3, y: vec3, z: vec3) -> mat3
            mat4 Struct mat4(x: vec4, y: vec4, z: vec4, w: vec4) -> mat4
            max Builtin max(a, b)
            mul_add Builtin mul_add(a, b, c)
            mix Builtin mix(a, b, t)
            mul_high Builtin mul_high(a, b)
            map Builtin map(f, a, ...)
            mean Builtin mean(a)
            minimum Builtin minimum(a)
            maximum Builtin maximum(a)
            matmul Builtin matmul(a, b)
        "#]],
    );
    check(
        "const size = 1\nkernel k(min, size, a):\n    a[0] = si$0\n",
        expect![[r#"
            size Parameter f32, by default
            sin Builtin sin(x)
            sincos Builtin sincos(x)
            sinpi Builtin sinpi(x)
            sinh Builtin sinh(x)
            sign Builtin sign(x)
        "#]],
    );
}

#[test]
fn lane_operations_are_for_foreach() {
    check("kernel k(a, n):\n    for i in range(n):\n        a[i] = reduce_$0\n", expect![""]);
    check(
        "kernel k(a, n):\n    foreach i in range(n):\n        a[i] = reduce_$0\n",
        expect![[r#"
        reduce_add Builtin reduce_add(x)
        reduce_min Builtin reduce_min(x)
        reduce_max Builtin reduce_max(x)
    "#]],
    );
    check(
        "fn total(x): return reduce_$0\n",
        expect![[r#"
        reduce_add Builtin reduce_add(x)
        reduce_min Builtin reduce_min(x)
        reduce_max Builtin reduce_max(x)
    "#]],
    );
}

#[test]
fn lambdas_have_their_parameters() {
    check_labels(
        "kernel k(a):\n    let b = map(\\x -> $0, a)\n",
        expect!["x a vec2 vec3 vec4 mat2 mat3 mat4 bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 f16 bf16 true false not"],
    );
    check(
        "kernel k(a: f32[4]):\n    let b = map(\\item -> it$0, a)\n",
        expect![[r#"
        item Parameter f32
    "#]],
    );
}

#[test]
fn a_loop_s_index_is_known_in_its_body_alone() {
    check(
        "kernel k(a, n):\n    for index in range(in$0):\n        a[0] = 1\n",
        expect![[r#"
            inf Builtin inf
            inverse Builtin inverse(m)
        "#]],
    );
    check(
        "kernel k(a, n):\n    for index in range(n):\n        a[in$0\n",
        expect![[r#"
            index LoopIndex i32, by default
            inf Builtin inf
            inverse Builtin inverse(m)
        "#]],
    );
}

#[test]
fn constants_are_made_of_constants() {
    check_labels(
        "const A = 1\nfn f(): return 1\nconst B = $0\n",
        expect!["A f vec2 vec3 vec4 mat2 mat3 mat4 bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 f16 bf16 true false not"],
    );
}

#[test]
fn arrays_of_fixed_size_and_tables() {
    let text = "const WEIGHTS: f32[4] = [1, 2, 3, 4]\nkernel k(a: f32[n], n: i32):\n    let window: f32[2, 2] = 1.0\n";
    check(
        &format!("{text}    a[0] = w$0\n"),
        expect![[r#"
        window Variable f32[2, 2]
    "#]],
    );
    check(
        &format!("{text}    a[0] = W$0\n"),
        expect![[r#"
        WEIGHTS Constant f32[4]
    "#]],
    );
    // The cells of the array may be assigned to, those of a table may not.
    check(
        &format!("{text}    w$0\n"),
        expect![[r#"
            window Variable f32[2, 2]
            while Keyword repeats while a condition holds
        "#]],
    );
    check(&format!("{text}    W$0\n"), expect![[""]]);
    // A size is a number.
    check_labels(
        "const WEIGHTS: f32[4] = [1, 2, 3, 4]\nconst SIZE = 3\nkernel k(n: i32):\n    let window: f32[$0]\n",
        expect!["n SIZE"],
    );
}

// Types.

#[test]
fn types_of_parameters() {
    check(
        "struct Point:\n    x: f32\nkernel k(a: $0)\n",
        expect![[r#"
            bool Type -
            i8 Type -
            i16 Type -
            i32 Type -
            i64 Type -
            u8 Type -
            u16 Type -
            u32 Type -
            u64 Type -
            f32 Type -
            f64 Type -
            f16 Type -
            bf16 Type -
            Point Struct -
            vec2 Struct -
            vec3 Struct -
            vec4 Struct -
            mat2 Struct -
            mat3 Struct -
            mat4 Struct -
            uniform Keyword the same in every lane
        "#]],
    );
    check(
        "struct Point:\n    x: f32\nkernel k(a: uniform P$0)\n",
        expect![[r#"
        Point Struct -
    "#]],
    );
}

#[test]
fn types_of_variables_results_fields_and_lambdas() {
    check(
        "kernel k(a):\n    let x: u$0\n",
        expect![[r#"
        u8 Type -
        u16 Type -
        u32 Type -
        u64 Type -
        uniform Keyword the same in every lane
    "#]],
    );
    check(
        "kernel k(a):\n    let x: u$0 = 1\n",
        expect![[r#"
        u8 Type -
        u16 Type -
        u32 Type -
        u64 Type -
        uniform Keyword the same in every lane
    "#]],
    );
    check(
        "kernel k(a):\n    x: f$0 = 1\n",
        expect![[r#"
            f32 Type -
            f64 Type -
            f16 Type -
        "#]],
    );
    check(
        "struct P:\n    x: f32\nkernel k(a) -> $0:\n    return 1\n",
        expect![[r#"
            bool Type -
            i8 Type -
            i16 Type -
            i32 Type -
            i64 Type -
            u8 Type -
            u16 Type -
            u32 Type -
            u64 Type -
            f32 Type -
            f64 Type -
            f16 Type -
            bf16 Type -
            uniform Keyword the same in every lane
        "#]],
    );
    check(
        "struct P:\n    x: i$0\n",
        expect![[r#"
        i8 Type -
        i16 Type -
        i32 Type -
        i64 Type -
    "#]],
    );
    check(
        "kernel k(a):\n    let b = map(\\x: f$0 -> x, a)\n",
        expect![[r#"
            f32 Type -
            f64 Type -
            f16 Type -
        "#]],
    );
    check(
        "const N: u$0 = 1\n",
        expect![[r#"
        u8 Type -
        u16 Type -
        u32 Type -
        u64 Type -
        uniform Keyword the same in every lane
    "#]],
    );
}

#[test]
fn sizes_are_integer_parameters_and_constants() {
    check(
        "const N = 4\nconst PI = 3.14\nkernel k(a: f32[$0], n: i32, open, x: f32):\n    pass\n",
        expect![[r#"
        n Parameter i32
        open Parameter f32, by default
        N Constant i32 = 4
    "#]],
    );
    check(
        "fn f(a: f32[count], b: f32[2 * c$0]): return a[0] + b[0]\n",
        expect![[r#"
        count Size i32, by default
    "#]],
    );
    check(
        "kernel k(n: i32):\n    let a: f32[$0] = iota(n)\n",
        expect![[r#"
        n Parameter i32
    "#]],
    );
}

// Statements.

#[test]
fn a_statement_starts_with_a_word_or_what_can_be_assigned() {
    check(
        "kernel k(a, x: f32):\n    total = 0\n    $0\n    a[0] = total + x\n",
        expect![[r#"
            total Variable f32
            a Parameter f32[_]
            let Keyword defines a variable
            for Keyword repeats in order
            foreach Keyword repeats in any order, side by side
            @stream Keyword stores results past the cache
            atomic Keyword adds to a cell that other iterations add to, too
            while Keyword repeats while a condition holds
            if Keyword runs a block if a condition holds
            match Keyword chooses by the form of a value
            cif Keyword an `if` that is tested for all lanes at once
            cfor Keyword a `for` that is tested for all lanes at once
            cwhile Keyword a `while` that is tested for all lanes at once
            static for Keyword a loop that is written out when the program is built
            static if Keyword an `if` that is decided when the program is built
            assert Keyword stops the run unless it holds
            return Keyword ends the kernel or function
            pass Keyword does nothing
            and 8 builtins
        "#]],
    );
}

#[test]
fn statements_know_the_loop_they_are_in() {
    check_labels(
        "kernel k(a, n):\n    for i in range(n):\n        $0\n",
        expect![
            "a let for foreach @stream atomic while if match cif cfor cwhile static for static if assert return pass break continue"
        ],
    );
    check_labels(
        "kernel k(a, n):\n    foreach i in range(n):\n        $0\n",
        expect![
            "a let for foreach @stream atomic while if match cif cfor cwhile static for static if assert pass continue"
        ],
    );
    check(
        "kernel k(a, n):\n    foreach i in range(n):\n        comp$0\n",
        expect![[r#"
        compress_store Builtin compress_store(a, at, x)
    "#]],
    );
}

#[test]
fn branches_follow_an_if() {
    check(
        "kernel k(c: bool):\n    if c:\n        pass\n    e$0\n",
        expect![[r#"
            elif Keyword runs a block if no condition above held and this one does
            else Keyword runs a block if no condition above held
        "#]],
    );
    check("kernel k(c: bool):\n    if c:\n        pass\n    else:\n        pass\n    e$0\n", expect![""]);
    check("kernel k(c: bool):\n    if c:\n        e$0\n", expect![""]);
}

#[test]
fn statements_bring_their_blocks() {
    check_chosen(
        "kernel k(a, n):\n    fo$0\n",
        "for",
        expect![[r#"
        kernel k(a, n):
            for ${1:i} in range(${2:n}):
            $0
    "#]],
    );
    check_chosen(
        "kernel k(a, n):\n    fo$0 i in range(n):\n        pass\n",
        "foreach",
        expect![[r#"
        kernel k(a, n):
            foreach i in range(n):
                pass
    "#]],
    );
    check_chosen(
        "kernel k(a, n):\n    pa$0  # nothing\n",
        "pass",
        expect![[r#"
        kernel k(a, n):
            pass  # nothing
    "#]],
    );
}

#[test]
fn an_assigned_name_completes() {
    check(
        "kernel k(n):\n    total = 0\n    to$0 = 1\n",
        expect![[r#"
        total Variable i32, by default
    "#]],
    );
    check(
        "kernel k(n):\n    total = 0\n    for i in range(n): to$0\n",
        expect![[r#"
        total Variable i32, by default
    "#]],
    );
    check(
        "kernel k(a, n):\n    total = 0\n    total += a[to$0]\n",
        expect![[r#"
            total Variable f32, by default
            to_bits Builtin to_bits(x)
        "#]],
    );
}

#[test]
fn column_0_starts_items() {
    check(
        "$0",
        expect![[r#"
            kernel Keyword callable from outside
            fn Keyword a helper, inlined where it is called
            struct Keyword scalar fields under one name
            enum Keyword several variants under one name
            const Keyword a named value
            use Keyword makes the items of another file or of a library known
        "#]],
    );
    check(
        "kernel k(n):\n    pass\nker$0\n",
        expect![[r#"
        kernel Keyword callable from outside
    "#]],
    );
    check_chosen(
        "kernel k(n):\n    pass\n\nst$0",
        "struct",
        expect![[r#"
        kernel k(n):
            pass

        struct ${1:Name}:
            ${2:x}: ${3:f32}$0"#]],
    );
    check_chosen(
        "ker$0 k(n):\n    pass\n",
        "kernel",
        expect![[r#"
        kernel k(n):
            pass
    "#]],
    );
}

// Loops, fields, attributes.

#[test]
fn a_loop_goes_over_a_range() {
    check(
        "kernel k(a, count: i32):\n    for i in $0\n",
        expect![[r#"
            range(stop) Snippet from 0 up to, and without, `stop`
            range(start, stop) Snippet from `start` up to, and without, `stop`
            range(start, stop, step) Snippet every `step`; a negative step counts down
            enumerate(a) Snippet the elements of an array, each with its index
            zip(a, b, ...) Snippet the elements of several arrays at once
            reversed(a) Snippet a range or an array from its end
        "#]],
    );
    check_chosen(
        "kernel k(a, count: i32):\n    for i in ra$0:\n        pass\n",
        "range(start, stop)",
        expect![[r#"
        kernel k(a, count: i32):
            for i in range(${1:0}, ${2:count}):
                pass
    "#]],
    );
    check_chosen(
        "kernel k(a, n):\n    foreach i in r$0(n):\n        pass\n",
        "range",
        expect![[r#"
        kernel k(a, n):
            foreach i in range(n):
                pass
    "#]],
    );
}

#[test]
fn fields_of_a_struct() {
    let structs = "struct Point:\n    x: f32\n    y: f32\nstruct Pair:\n    a: i32\n";
    check(
        &format!("{structs}kernel k(p: Point[n], n: i32):\n    p[0].$0\n"),
        expect![[r#"
        x Field f32
        y Field f32
    "#]],
    );
    check(
        &format!("{structs}kernel k(p: Point[n], n: i32):\n    let z = p[n - 1].$0x + 1\n"),
        expect![[r#"
        x Field f32
        y Field f32
    "#]],
    );
    check(
        &format!("{structs}kernel k(p, n: i32):\n    p[0].y = 1\n    p[0].$0\n"),
        expect![[r#"
        x Field f32
        y Field f32
    "#]],
    );
    check(
        &format!("{structs}kernel k(p: Point[n], n: i32):\n    q = p[0]\n    q.$0\n"),
        expect![[r#"
        x Field f32
        y Field f32
    "#]],
    );
}

#[test]
fn names_of_the_values_of_a_tuple() {
    let function = "struct Pair:\n    a: i32\n\nfn f(x: f32) -> (half: f32, n: i32):\n    return x, 1\n\n";
    check(
        &format!("{function}kernel k(x: f32) -> f32:\n    let t = f(x)\n    return t.$0\n"),
        expect![[r#"
        half Field f32
        n Field i32
    "#]],
    );
}

#[test]
fn fields_of_what_is_not_known_yet_are_those_of_all_structs() {
    let structs = "struct Point:\n    x: f32\nstruct Pair:\n    a: i32\n";
    check(
        &format!("{structs}kernel k(p, n: i32):\n    p[0].$0\n"),
        expect![[r#"
        x Field f32 of Point
        a Field i32 of Pair
    "#]],
    );
    check(&format!("{structs}kernel k(p: f32[4]):\n    p[0].$0\n"), expect![""]);
}

#[test]
fn attributes_of_items_and_loops() {
    check_labels(
        "@$0\nkernel k(a): pass\n",
        expect!["reassoc fast lanes alias simd no_gather no_scatter stream no_copy no_scratch no_spill threads"],
    );
    check_labels(
        "kernel k(a, n):\n    @$0\n    for i in range(n): pass\n",
        expect!["reassoc fast lanes unroll simd no_gather no_scatter stream no_spill cost"],
    );
    check_labels(
        "kernel k(a, n):\n    @un$0\n",
        expect!["reassoc fast lanes unroll simd no_gather no_scatter stream no_spill cost"],
    );
    check_labels("@$0\nconst N = 1\n", expect![""]);
    check_chosen(
        "@la$0\nkernel k(a): pass\n",
        "lanes",
        expect![[r#"
        @lanes(${1:8})
        kernel k(a): pass
    "#]],
    );
    check(
        "@alias($0)\nkernel k(a, b: f32[4], n: i32):\n    a[0] = 1\n",
        expect![[r#"
        a Parameter f32[_], by default
        b Parameter f32[4]
    "#]],
    );
    check(
        "const L = 8\nconst X = 1.5\n@lanes($0)\nkernel k(a): pass\n",
        expect![[r#"
        L Constant i32 = 8
    "#]],
    );
}

// Places at which nothing fits.

#[test]
fn words_go_on_behind_a_value() {
    check(
        "kernel k(a, n):\n    x = n $0\n",
        expect![[r#"
        and Keyword -
        or Keyword -
        if Keyword `a if c else b`
    "#]],
    );
    check(
        "kernel k(a, n):\n    x = 1 if n > 2 $0\n",
        expect![[r#"
        else Keyword -
        and Keyword -
        or Keyword -
    "#]],
    );
    check(
        "kernel k(a, n):\n    for i $0\n",
        expect![[r#"
        in Keyword -
    "#]],
    );
    check(
        "kernel k(a, n):\n    if n > 1 a$0:\n        pass\n",
        expect![[r#"
        and Keyword -
    "#]],
    );
    check(
        "kernel k(a, n):\n    a[min(n $0, 2)] = 1\n",
        expect![[r#"
        and Keyword -
        or Keyword -
        if Keyword `a if c else b`
    "#]],
    );
    check_chosen(
        "kernel k(a, n):\n    x = 1 i$0\n",
        "if",
        expect![[r#"
        kernel k(a, n):
            x = 1 if ${1:condition} else ${2:value}
    "#]],
    );
}

#[test]
fn nothing_is_offered_for_a_new_name() {
    for text in [
        "kernel $0",
        "kernel k($0)",
        "kernel k(a, b$0):\n    pass\n",
        "fn f$0(x): return x\n",
        "struct P:\n    x$0: f32\n",
        "const $0 = 1\n",
        "kernel k(n):\n    let $0\n",
        "kernel k(n):\n    for i$0 in range(n): pass\n",
        "kernel k(a):\n    let b = map(\\$0, a)\n",
        "kernel k(a):\n    let b = map(\\x y$0 -> x, a)\n",
    ] {
        check(text, expect![""]);
    }
}

#[test]
fn nothing_is_offered_in_comments_and_numbers_or_where_no_name_can_stand() {
    for text in [
        "# a$0\nkernel k(a): pass\n",
        "## $0\nkernel k(a): pass\n",
        "kernel k(a):\n    a[0] = 1  # n$0\n",
        "kernel k(a):\n    a[0] = 1$0\n",
        "kernel k(a):\n    a[0] = 1.$0\n",
        "kernel k(a):\n    a[0] = 0x1$0f\n",
        "kernel k(a):\n    a[0] = 1e$0\n",
        "kernel k(a):\n    a[0]$0\n",
        "kernel k(a):\n    a[0] =$0= 1\n",
        "kernel k(a) $0\n",
        "kernel k(a: f32 $0)\n",
        "kernel k(a):\n    let x $0\n",
        "kernel k(a, n):\n    for i in range(n) $0\n",
        "kernel k(a):\n    a[0] $0\n",
        "kernel k(a):\n    x = \"a$0\"\n",
    ] {
        check(text, expect![""]);
    }
}

#[test]
fn half_typed_code_completes() {
    check(
        "kernel k(samples, n):\n    let x = (samples[0] + sa$0\n    for i in range(n):\n        y = x\n",
        expect![[r#"
            samples Parameter f32[_], by default
        "#]],
    );
    check(
        "kernel k(samples, n):\n    if sa$0\n    for i in range(n):\n        y = 1\n",
        expect![[r#"
        samples Parameter f32, by default
    "#]],
    );
    check(
        "kernel k(samples, n):\n    while samples[\n    y = min(sa$0\n",
        expect![[r#"
        samples Parameter f32, by default
    "#]],
    );
    check(
        "kernel k(samples, n\n    y = sa$0\n",
        expect![[r#"
        samples Parameter f32, by default
    "#]],
    );
    check(
        "kernel k(samples, n):\n    fro i in range(n):\n        y = sa$0\n",
        expect![[r#"
        samples Parameter f32, by default
    "#]],
    );
    check(
        "kernel k(samples, n):\n    a = 1 +\n    samples[0] = a + (sa$0\n\nkernel l(: pass\n",
        expect![[r#"
        samples Parameter f32[_], by default
    "#]],
    );
}

#[test]
fn line_breaks_of_all_kinds_and_letters_beyond_ascii() {
    check(
        "# é\r\nkernel k(samples, n):\r\n    # 😀\r\n    samples[0] = sa$0\r\n",
        expect![[r#"
        samples Parameter f32[_], by default
    "#]],
    );
    check(
        "\u{feff}$0",
        expect![[r#"
            kernel Keyword callable from outside
            fn Keyword a helper, inlined where it is called
            struct Keyword scalar fields under one name
            enum Keyword several variants under one name
            const Keyword a named value
            use Keyword makes the items of another file or of a library known
        "#]],
    );
}

#[test]
fn below_a_header_without_its_colon_its_names_are_known() {
    let of = |item: &str| format!("{item}\n        sam = 1\n");
    check(
        &of("kernel k(samples: f32[n], n: i32)\n    foreach index in range(n)\n        samples[ind$0] = 1.0"),
        expect![[r#"
            index LoopIndex i32
        "#]],
    );
    check(
        &of("kernel k(samples: f32[n], n: i32)\n    for i in range(n)\n        sam$0"),
        expect![[r#"
        samples Parameter f32[n]
    "#]],
    );
    check(
        &of("fn f(samples)\n    if samples > 1.0\n        return sam$0"),
        expect![[r#"
        samples Parameter T
    "#]],
    );
}

#[test]
fn a_struct_is_made_of_its_fields() {
    let text = "## A place.\nstruct Vec:\n    x: f32\n    y: f32\nkernel k(o: Vec[n], n: i32):\n    o[0] = Ve$0\n";
    check(
        text,
        expect![[r#"
        Vec Struct Vec(x: f32, y: f32) -> Vec
    "#]],
    );
    check_chosen(
        text,
        "Vec",
        expect![[r#"
        ## A place.
        struct Vec:
            x: f32
            y: f32
        kernel k(o: Vec[n], n: i32):
            o[0] = Vec(${1:x}, ${2:y})
    "#]],
    );
    check(
        "struct Vec:\n    x: f32\nstruct Ray:\n    at: Ve$0\n",
        expect![[r#"
        Vec Struct -
    "#]],
    );
    check(
        "struct Vec:\n    x: f32\nstruct Ray:\n    at: Vec\nfn f(r: Ray):\n    return r.at.$0\n",
        expect![[r#"
        x Field f32
    "#]],
    );
}

#[test]
fn names_of_parameters_in_a_call_of_a_function() {
    let text =
        "fn scaled(x, scale=1.0, start=0.0):\n    return x * scale + start\nkernel k(a: f32[4]):\n    a[0] = CALL\n";
    check(
        &text.replace("CALL", "scaled(a[1], s$0)"),
        expect![[r#"
            scaled Function (x: T, scale: T = ..., start: T = ...) -> T
            scale= Parameter T
            start= Parameter T
            select Builtin select(c, a, b)
            sqrt Builtin sqrt(x)
            sin Builtin sin(x)
            sincos Builtin sincos(x)
            sinpi Builtin sinpi(x)
            sinh Builtin sinh(x)
            step Builtin step(edge, x)
            smoothstep Builtin smoothstep(lo, hi, x)
            sign Builtin sign(x)
            sub_sat Builtin sub_sat(a, b)
            store_u16 Builtin store_u16(bytes, i, x)
            store_i16 Builtin store_i16(bytes, i, x)
            store_u32 Builtin store_u32(bytes, i, x)
            store_i32 Builtin store_i32(bytes, i, x)
            store_u64 Builtin store_u64(bytes, i, x)
            store_i64 Builtin store_i64(bytes, i, x)
            store_f32 Builtin store_f32(bytes, i, x)
            store_f64 Builtin store_f64(bytes, i, x)
            scan Builtin scan(f, zero, a)
            sum Builtin sum(a)
            scatter Builtin scatter(a, at, x)
        "#]],
    );
    check(
        &text.replace("CALL", "scaled(a[1], scale=2, st$0)"),
        expect![[r#"
            start= Parameter T
            step Builtin step(edge, x)
            store_u16 Builtin store_u16(bytes, i, x)
            store_i16 Builtin store_i16(bytes, i, x)
            store_u32 Builtin store_u32(bytes, i, x)
            store_i32 Builtin store_i32(bytes, i, x)
            store_u64 Builtin store_u64(bytes, i, x)
            store_i64 Builtin store_i64(bytes, i, x)
            store_f32 Builtin store_f32(bytes, i, x)
            store_f64 Builtin store_f64(bytes, i, x)
        "#]],
    );
    check(
        &text.replace("CALL", "sca$0"),
        expect![[r#"
        scaled Function (x: T, scale: T = ..., start: T = ...) -> T
        scan Builtin scan(f, zero, a)
        scatter Builtin scatter(a, at, x)
    "#]],
    );
}

#[test]
fn files_and_libraries_in_a_line_with_use() {
    check(
        "use $0\n",
        expect![[r#"
        colour File a library
        complex File a library
        filters File a library
        noise File a library
        random File a library
        sorting File a library
        statistics File a library
    "#]],
    );
    check(
        "use sorting: sort3, med$0\n",
        expect![[r#"
        median3 Function fn median3(a: T, b: T, c: T) -> T
        median5 Function fn median5(a: T, b: T, c: T, d: T, e: T) -> T
        median9 Function fn median9(a: T, b: T, c: T, d: T, e: T, f: T, g: T, h: T, i: T) -> T
    "#]],
    );
    check("use nothing: $0\n", expect![[""]]);
}

const ENUMS: &str = "enum Kind: Low, High\nenum Shape:\n    Circle(r: f32)\n    Nothing\n";

#[test]
fn variants_stand_behind_their_enum_and_in_cases() {
    check_labels(&format!("{ENUMS}fn f():\n    return Kind.$0\n"), expect!["Low High"]);
    check_labels(
        &format!("{ENUMS}fn f(s: Shape):\n    match s:\n        case $0:\n            pass\n"),
        expect!["Circle Nothing _"],
    );
    check_labels(
        &format!("{ENUMS}fn f(s: Shape):\n    match s:\n        case Circle(r) $0:\n            pass\n"),
        expect!["if as"],
    );
    check_chosen(
        &format!("{ENUMS}fn f(s: Shape):\n    match s:\n        case Cir$0:\n            pass\n"),
        "Circle",
        expect![[r#"
            enum Kind: Low, High
            enum Shape:
                Circle(r: f32)
                Nothing
            fn f(s: Shape):
                match s:
                    case Circle(${1:r}):
                        pass
        "#]],
    );
}

#[test]
fn what_a_loop_goes_over() {
    check_chosen(
        "kernel k(a: f32[n], n: i32):\n    for i, x in $0\n",
        "enumerate(a)",
        expect![[r#"
        kernel k(a: f32[n], n: i32):
            for i, x in enumerate(${1:a})
    "#]],
    );
    check_labels(
        "kernel k(a: f32[n], n: i32) -> f32:\n    return sum(x for x in rev$0)\n",
        expect!["range(stop) range(start, stop) range(start, stop, step) enumerate(a) zip(a, b, ...) reversed(a) a"],
    );
}

#[test]
fn a_line_of_a_match_is_a_case_of_what_is_not_taken_yet() {
    let shape = "enum Shape:\n    Circle(r: f32)\n    Rect(w: f32, h: f32)\n    Nothing\n\nkernel k(shapes: Shape[n], out: f32[n], n: i32):\n    for i in range(n):\n        match shapes[i]:\n";
    check_labels(
        &format!("{shape}            $0\n"),
        expect!["case Circle(r) case Rect(w, h) case Nothing case case _"],
    );
    check_labels(
        &format!("{shape}            case Circle(r):\n                out[i] = r\n            c$0\n"),
        expect!["case Rect(w, h) case Nothing case case _"],
    );
    // Inside a case a statement stands, and the match around it is another one.
    check_labels(
        &format!("{shape}            case Circle(r):\n                match i:\n                    c$0\n"),
        expect!["case case _"],
    );
    check_chosen(
        &format!("{shape}            c$0\n"),
        "case Rect(w, h)",
        expect![[r#"
            enum Shape:
                Circle(r: f32)
                Rect(w: f32, h: f32)
                Nothing

            kernel k(shapes: Shape[n], out: f32[n], n: i32):
                for i in range(n):
                    match shapes[i]:
                        case Rect(w, h):
                $0
        "#]],
    );
}

#[test]
fn the_sizes_of_a_kernels_arrays_are_offered_as_its_parameters() {
    check_labels(
        "const N = 4\n\nkernel k(a: f32[n, N], m: f32[2 * rows + 1, n], $0):\n    pass\n",
        expect!["n: i32 rows: i32"],
    );
    check_labels("kernel k(a: f32[n], n: i32, $0):\n    pass\n", expect![""]);
    check_labels("fn f(a: f32[n], $0):\n    pass\n", expect![""]);
    // No array is its own size.
    check_labels("kernel k(a: f32[$0", expect![""]);
    check_labels("kernel k(n, a: f32[$0", expect!["n"]);
}
