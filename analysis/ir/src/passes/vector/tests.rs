//! Loops in lanes, as text.

use expect_test::{Expect, expect};

use super::vector;
use crate::passes::Context;
use crate::pipeline::Options;
use crate::print::print;
use crate::read::read;
use crate::verify::verify;

fn check(text: &str, expect: Expect) {
    let mut kernel = read(text, None).expect("the kernel reads").remove(0);
    vector(&mut kernel, &mut Context::new(&Options::default()));
    verify(&kernel).unwrap_or_else(|found| panic!("{found:?}\n{}", print(&kernel).text));
    expect.assert_eq(&print(&kernel).text);
}

#[test]
fn the_first_programs_are_word_for_word() {
    check(
        "\
kernel scale_audio(samples, out, n, volume):
    for i in range(0, n):
        out[i] = (samples[i] * volume)
",
        expect![[r#"
            kernel scale_audio(samples, out, n, volume):
                vector_for base in range(0, n, LANES):
                    let i = (base + lane_id)
                    let active = (i < n)
                    masked_store(out, i, (masked_load(samples, i, active) * volume), active)
        "#]],
    );
    check(
        "\
kernel color_by_number(color_number: i32[n], colors, out, n):
    for i in range(0, n):
        let number = color_number[i]
        out[i] = colors[number]
",
        expect![[r#"
            kernel color_by_number(color_number: i32[n], colors, out, n):
                vector_for base in range(0, n, LANES):
                    let i = (base + lane_id)
                    let active = (i < n)
                    let number = masked_load(color_number, i, active)
                    masked_store(out, i, gather(colors, number, active), active)
        "#]],
    );
}

#[test]
fn branches_become_masks() {
    check(
        "\
kernel clip(a: f32[n], out: f32[n], n: i32, k: i32):
    for i in range(0, n):
        let x = a[i]
        let y = if (x < 0.0):
            out[i] = (x + 1.0)
            yield (x * 2.0)
        else:
            yield f32((k / (k + 1)))
        out[i] = y
",
        expect![[r#"
            kernel clip(a: f32[n], out: f32[n], n, k):
                vector_for base in range(0, n, LANES):
                    let i = (base + lane_id)
                    let active = (i < n)
                    let x = masked_load(a, i, active)
                    let _0 = (x < 0.0)
                    masked_store(out, i, (x + 1.0), (active & _0))
                    let _1 = if any((active & (~_0))):
                        yield f32((k / (k + 1)))
                    else:
                        yield 0.0
                    let y = select(_0, (x * 2.0), _1)
                    masked_store(out, i, y, active)
        "#]],
    );
}

#[test]
fn lanes_leave_loops_one_by_one() {
    check(
        "\
kernel trips(a: f32[n], out: f32[n], n: i32, m: i32):
    foreach i in range(0, n), j in range(0, m):
        let s, c = for k in range(0, j) with s = 0.0, c = 0:
            yield (s + a[k]), (c + 1)
        let z, t = while (z < s) with z = 0.0, t = 0:
            yield (z + 1.0), (t + 1)
        let u = for k in range(0, m) with u = z:
            yield (u * a[k])
        out[j] = (u + f32((c + t)))
",
        expect![[r#"
            kernel trips(a: f32[n], out: f32[n], n, m):
                for i in range(0, n):
                    vector_for base in range(0, m, LANES):
                        let j = (base + lane_id)
                        let active = (j < m)
                        let _0, _1, _2, _3, s, c = while any(there) with there = (active & (0 < j)), k = 0, s_1 = 0.0, c_1 = 0, s_kept = splat(0.0), c_kept = splat(0):
                            let _4 = (s_1 + a[k])
                            let _5 = (c_1 + 1)
                            yield (there & (u32((j -% k)) > 1)), (k +% 1), _4, _5, select(there, _4, s_kept), select(there, _5, c_kept)
                        let _6, _7, _8, z, t = while with there_1 = active, z_1 = 0.0, t_1 = 0, z_kept = splat(0.0), t_kept = splat(0):
                            let stays = (there_1 & (z_1 < s))
                        do any(stays):
                            let _9 = (z_1 + 1.0)
                            let _10 = (t_1 + 1)
                            yield stays, _9, _10, select(stays, _9, z_kept), select(stays, _10, t_kept)
                        let u = for k_1 in range(0, m) with u_1 = z:
                            yield (u_1 * a[k_1])
                        masked_store(out, j, (u + f32((c + t))), active)
        "#]],
    );
}

#[test]
fn what_asked_the_active_lanes_asks_those_of_the_mask() {
    check(
        "\
kernel f(a: i32[?], n):
    foreach i in range(0, n) in 4 lanes:
        let x = a[i]
        if (x > reduce_min(x)):
            a[i] = (shuffle(x, lane_id) + scan_add(x))
            compress_store(a, (i - lane_id), x)
            let count = count_on(true)
            a[count] = expand_load(a, (count + i))
",
        expect![[r#"
            kernel f(a: i32[?], n):
                vector_for base in range(0, n, LANES):
                    let i = (base + lane_id)
                    let active = (i < n)
                    let x = masked_load(a, i, active)
                    let _0 = (active & (x > reduce_min(x, active)))
                    masked_store(a, i, (shuffle(x, lane_id, _0) + scan_add(x, _0)), _0)
                    compress_store(a, extract(select(_0, (i - lane_id), 0), min(first_on(_0), 3)), x, _0)
                    let count = count_on(splat(true), _0)
                    scatter(a, count, expand_load(a, extract(select(_0, (count + i), 0), min(first_on(_0), 3)), _0), _0)
        "#]],
    );
}
