//! The text form: what is printed reads back to an equal kernel, and reads as it should.

use expect_test::{Expect, expect};
use ir::{canonical, print, read};

/// Reads kernels made for 8 lanes, prints them, and reads that again.
fn check(text: &str, expect: Expect) {
    let kernels = read(text, Some(8)).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let printed: Vec<String> = kernels.iter().map(|kernel| print(kernel).text).collect();
    let printed = printed.join("\n");
    expect.assert_eq(&printed);
    let again = read(&printed, Some(8)).unwrap_or_else(|error| panic!("{error}\n{printed}"));
    for (first, second) in kernels.iter().zip(&again) {
        assert_eq!(canonical(first), canonical(second), "{printed}");
    }
}

/// A text that prints as it stands.
fn check_same(text: &str) {
    let kernels = read(text, Some(8)).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let printed: Vec<String> = kernels.iter().map(|kernel| print(kernel).text).collect();
    assert_eq!(printed.join("\n"), text);
}

#[test]
fn the_first_programs_print_word_for_word() {
    check_same(
        "\
kernel scale_audio(samples, out, n, volume):
    vector_for base in range(0, n, LANES):
        let i = (base + lane_id)
        let active = (i < n)
        masked_store(out, i, (masked_load(samples, i, active) * volume), active)

kernel color_by_number(color_number, colors, out, n):
    vector_for base in range(0, n, LANES):
        let i = (base + lane_id)
        let active = (i < n)
        let number = masked_load(color_number, i, active)
        masked_store(out, i, gather(colors, number, active), active)
",
    );
}

#[test]
fn loops_carry_and_branches_yield() {
    check_same(
        "\
kernel total(a, n, limit) -> f32:
    let sum, steps = for i in range(0, n) with s = 0.0, k = 0:
        let x = a[i]
        let kept = if (x < limit):
            yield x
        else:
            yield (-x)
        yield (s + kept), (k + 1)
    let root, _0 = while ((x_1 * x_1) > sum) with x_1 = sum, left = steps:
        yield ((x_1 + (sum / x_1)) * 0.5), (left - 1)
    return root
",
    );
}

#[test]
fn a_test_with_statements_has_a_block_of_its_own() {
    check_same(
        "\
kernel find(a, n, wanted) -> i32:
    let at = while with i = 0:
        let more = (i < n)
        let other = if more:
            yield (a[i] != wanted)
        else:
            yield false
    do (more & other):
        yield (i + 1)
    return at
",
    );
}

#[test]
fn sizes_structs_attributes_and_marks_are_written_above() {
    check_same(
        "\
struct Particle:
    x: f32
    id: u8
    mass: f64

@fast
@alias(a, b)
@no_copy
@no_scratch
@threads
@scratch((aligned(array(2, n, size(c, 0))) + max(wrapped((n - 1), u32), 64)))
kernel all(p: Particle[n], m: f32[n, (2 * k)], a: f64[?], b: f64[?], c: i32[?, 3], n, k):
    @lanes(4)
    @unroll(2)
    @simd
    for i in range(0, n):
        a[i] = (p.mass[i] * 2.0)
        m[i, 0] = p.x[i]
    cif (n < k):
        c[0, 1] = n
    @no_gather
    @coherent
    foreach i_1 in range(0, n), j in range(0, (2 * k), 2):
        let r = row(m, i_1)
        r[j] = m[i_1, j]
    let t = temp(n, k, type=i16)
    let u = scratch(i64(64), n, unset=i16)
    t[0, 0] = i16(size(slice(m, 0, n, 2, dim=1), dim=1))
",
    );
}

#[test]
fn numbers_say_their_types_where_nothing_else_does() {
    check(
        "\
kernel numbers(a: f64[?], k: i64, out: u8[?], flags: bool[?]):
    a[0] = (a[1] + 1e-3)
    a[i64(5)] = f64(2)
    out[k] = u8(i64(7))
    out[(k +% -3)] = bitcast(i8(-1), type=u8)
    flags[0] = (f32(nan) == f32(inf))
    flags[1] = (i64(1) < i64(2))
    flags[2] = (u8(200) > 100)
    flags[3] = (neg(3) < (k % 2))
    flags[4] = (-inf < 2.0)
    for i in range(i64(0), 9, i64(3)):
        flags[i] = true
",
        expect![[r#"
            kernel numbers(a: f64[?], k: i64, out: u8[?], flags: bool[?]):
                a[0] = (a[1] + 0.001)
                a[i64(5)] = 2.0
                out[k] = u8(i64(7))
                out[(k +% -3)] = bitcast(i8(-1), type=u8)
                flags[0] = (nan == inf)
                flags[1] = (i64(1) < i64(2))
                flags[2] = (u8(200) > u8(100))
                flags[3] = (neg(3) < (k % 2))
                flags[4] = (-inf < 2.0)
                for i in range(i64(0), i64(9), i64(3)):
                    flags[i] = true
        "#]],
    );
}

#[test]
fn what_would_read_as_something_else_is_a_call() {
    check(
        "\
kernel calls(a, b: f64[?], n):
    vector_for base in range(0, n, LANES):
        let whole = add(base, lane_id)
        let index = (base + lane_id)
        let third = lane_index(base, 3)
        vector_store(a, base, f32((whole * (index - third))))
    vector_for low in range(0, n, (4 * 2)):
        let i = lane_index(low, 2)
        let k = (low + lane_id)
        let wide = lane_id(lanes=8)
        strided_store(b, i, f64(k), stride=2)
        vector_store(b, low, splat(1.0))
        vector_store(b, low, f64(wide))
        scatter(b, i32(vector_load(a, n)), splat(1.0, lanes=4))
",
        expect![[r#"
            kernel calls(a, b: f64[?], n):
                vector_for base in range(0, n, LANES):
                    let whole = add(base, lane_id)
                    let index = (base + lane_id)
                    let third = lane_index(base, 3)
                    vector_store(a, base, f32((whole * (index - third))))
                vector_for low in range(0, n, (4 * 2)):
                    let i = lane_index(low, 2)
                    let k = (low + lane_id)
                    let wide = lane_id(lanes=8)
                    strided_store(b, i, f64(k), stride=2)
                    vector_store(b, low, splat(1.0))
                    vector_store(b, low, f64(wide))
                    scatter(b, i32(vector_load(a, n)), splat(1.0))
        "#]],
    );
}

#[test]
fn lanes_are_moved_and_joined() {
    check(
        "\
kernel lanes(a, out, n) -> f32:
    let last, sum, most = vector_for base in range(0, n, LANES) with carried = splat(0.0) reducing + from 1.0, max from -inf:
        let i = (base + lane_id)
        let on = (i < n)
        let x = masked_load(a, i, on)
        let p, q = interleaved_load(a, base, on, members=2)
        interleaved_store(out, base, on, p, q)
        let y = permute(x, q, pattern=[0, 8, 1, 9, 2, 10, 3, 11])
        compress_store(out, base, y, (on & (y > 0.5)))
        let s = fold_add(reduce_max(x, on), rotate(y, 1), on)
        out[base] = select(any((x < s)), s, extract(x, 3))
        yield (carried + reverse(shuffle(x, (lane_id ^ 1)))), select(on, x, -0.0), x
    return ((sum + most) + reduce_add(last))
",
        expect![[r#"
            kernel lanes(a, out, n) -> f32:
                let last, sum, most = vector_for base in range(0, n, LANES) with carried = splat(0.0) reducing + from 1.0, max from -inf:
                    let i = (base + lane_id)
                    let on = (i < n)
                    let x = masked_load(a, i, on)
                    let p, q = interleaved_load(a, base, on, members=2)
                    interleaved_store(out, base, on, p, q)
                    let y = permute(x, q, pattern=[0, 8, 1, 9, 2, 10, 3, 11])
                    compress_store(out, base, y, (on & (y > 0.5)))
                    let s = fold_add(reduce_max(x, on), rotate(y, 1), on)
                    out[base] = select(any((x < s)), s, extract(x, 3))
                    yield (carried + reverse(shuffle(x, (lane_id ^ 1)))), select(on, x, -0.0), x
                return ((sum + most) + reduce_add(last))
        "#]],
    );
}

#[test]
fn only_what_keeps_its_order_is_written_inside_its_user() {
    check(
        "\
kernel order(a, b, n):
    let _0 = a[0]
    let _1 = b[0]
    b[1] = (_0 * _1)
    let _2 = a[1]
    a[1] = 2.0
    b[2] = _2
    let _3 = a[2]
    let _4 = b[3]
    b[4] = (_4 - _3)
    let _5 = (n + 1)
    let _6 = (n * 2)
    a[_6] = a[_5]
    let _7 = f32(n)
    for i in range(0, n):
        a[i] = (_7 + f32(i))
",
        expect![[r#"
            kernel order(a, b, n):
                b[1] = (a[0] * b[0])
                let _0 = a[1]
                a[1] = 2.0
                b[2] = _0
                let _1 = a[2]
                b[4] = (b[3] - _1)
                let _2 = (n + 1)
                a[(n * 2)] = a[_2]
                let _3 = f32(n)
                for i in range(0, n):
                    a[i] = (_3 + f32(i))
        "#]],
    );
}

#[test]
fn names_stay_apart_from_each_other_and_from_words() {
    let mut b = ir::Builder::new("names");
    let a = b.array("a", ir::Elem::F32, &[ir::DimSize::Own]);
    let zero = b.constant(ir::Scalar::I32(0));
    for name in ["x", "x", "x_1", "lane_id", "f32", "_0", "let"] {
        let cell = b.op(ir::Code::Load, &[a, zero]);
        b.name(cell, name);
    }
    let kernel = b.finish(None);
    expect![[r#"
        kernel names(a):
            let x = a[0]
            let x_1 = a[0]
            let x_1_1 = a[0]
            let lane_id_1 = a[0]
            let f32_1 = a[0]
            let _0_1 = a[0]
            let let_1 = a[0]
    "#]]
    .assert_eq(&print(&kernel).text);
    let again = read(&print(&kernel).text, None).expect("it reads");
    assert_eq!(canonical(&kernel), canonical(&again[0]));
}

#[test]
fn long_chains_are_broken_into_lines() {
    let mut b = ir::Builder::new("chain");
    let x = b.scalar("x", ir::Elem::F32);
    let mut sum = x;
    for _ in 0..20 {
        sum = b.op(ir::Code::Add, &[sum, x]);
    }
    let kernel = b.finish(Some(sum));
    expect![[r#"
        kernel chain(x) -> f32:
            let _0 = ((((x + x) + x) + x) + x)
            return ((((((((((((((((_0 + x) + x) + x) + x) + x) + x) + x) + x) + x) + x) + x) + x) + x) + x) + x) + x)
    "#]]
    .assert_eq(&print(&kernel).text);
    let again = read(&print(&kernel).text, None).expect("it reads");
    assert_eq!(canonical(&kernel), canonical(&again[0]));
}

#[test]
fn every_line_knows_its_ops() {
    let text = "\
kernel lines(a, n):
    for i in range(0, n):
        let x = a[i]
        a[i] = (x * (x + 1.0))
";
    let kernel = &read(text, None).expect("it reads")[0];
    let printed = print(kernel);
    let lines: Vec<String> = printed
        .text
        .lines()
        .zip(&printed.lines)
        .map(|(line, ops)| {
            let ops: Vec<&str> = ops.iter().map(|&op| kernel.ops[op].code.row().name).collect();
            format!("{line:32}# {}\n", ops.join(" "))
        })
        .collect();
    assert_eq!(printed.text.lines().count(), printed.lines.len());
    expect![[r#"
        kernel lines(a, n):             # 
            for i in range(0, n):       # for
                let x = a[i]            # load
                a[i] = (x * (x + 1.0))  # store mul add
    "#]]
    .assert_eq(&lines.concat());
}

/// What the reader says of a text that is none.
fn check_error(text: &str, expect: Expect) {
    let error = read(text, Some(8)).expect_err("a text with an error");
    expect.assert_eq(&error.to_string());
}

#[test]
fn a_text_that_is_no_kernel_says_why() {
    check_error("kernel f(a", expect!["line 1: `,` should stand where the line ends"]);
    check_error("kernel f(a):\n    a[0] = b\n", expect!["line 2: `b` is not known here"]);
    check_error("kernel f(a):\n    let x = 1\n", expect!["line 2: a number or a name needs no line of its own"]);
    check_error("kernel f(a):\n    a[0] = 1.0 2.0\n", expect!["line 2: `2.0` is too much"]);
    check_error("kernel f(a: u8[?]):\n    a[0] = 300\n", expect!["line 2: `300` is not of type u8"]);
    check_error("kernel f(a: q[?]):\n    a[0] = 300\n", expect!["line 1: `q` is no type"]);
    check_error("kernel f(n):\n    for i in range(0, n):\n", expect!["line 2: a block has to follow"]);
    check_error(
        "kernel f(a, n):\n    for i in range(0, n):\n        a[i] = 1.0\n    a[i] = 1.0\n",
        expect!["line 4: `i` is not known here"],
    );
    check_error(
        "kernel f(a: f32[?], n: i64):\n    a[0] = (a[0] + n)\n",
        expect!["line 2: operands: operand 1 of `add` is i64 where another is f32 (op1)"],
    );
    check_error(
        "kernel f(a):\n    vector_store(a, 0, a)\n",
        expect!["line 2: operands: operand 2 of `vector_store` has to be data, not view1 of f32 (op0)"],
    );
    check_error("kernel f(a):\n    (a[0] + 1.0)\n", expect!["line 2: `(` is no name"]);
    check_error(
        "kernel f(a):\n        a[0] = 1.0\n    a[1] = 1.0\n",
        expect!["line 3: this line is indented like no block that is open"],
    );
    check_error("kernel f(a) -> f32:\n    a[0] = 1.0\n", expect!["line 1: result: the body yields nothing, not f32"]);
    check_error("kernel f(a):\n    a[0] = $\n", expect!["line 2: a character that no token starts with"]);
    check_error(
        &format!("kernel f(a):\n    a[0] = {}1.0{}\n", "(-".repeat(9999), ")".repeat(9999)),
        expect!["line 2: this is nested too deep"],
    );
}
