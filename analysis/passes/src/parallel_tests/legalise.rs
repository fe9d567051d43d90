//! Tests of `legalise`: ops that each of the lanes that run together does by itself.

use expect_test::expect;

use super::check;
use crate::legalise;

#[test]
fn what_lanes_do_by_themselves_has_a_form_in_lanes() {
    check(
        legalise,
        "\
kernel own(m: f32[n, n], out: f32[n], n):
    foreach i in range(0, n) in 16 lanes:
        foreach j in range(0, 3), k in range(0, i):
            m[i, (j + k)] = f32(lane_id)
        let s = for j in range(0, i) reducing + from 1.0:
            yield m[i, j]
        compress_store(row(m, i), 0, s)
        out[i] = s
",
        expect![[r#"
            kernel own(m: f32[n, n], out: f32[n], n):
                foreach i in range(0, n) in 16 lanes:
                    for j in range(0, 3):
                        for k in range(0, i):
                            m[i, (j + k)] = f32(lane_id)
                    let partials = temp(u32(64), type=f32)
                    for place in range(u32(0), u32(64)):
                        partials[place] = -0.0
                    let _0 = for j_1 in range(0, i) with number = u32(0):
                        let _1 = m[i, j_1]
                        let _2 = (number & u32(63))
                        partials[_2] = (partials[_2] + _1)
                        yield (number +% u32(1))
                    for place_1 in range(u32(0), u32(32)):
                        partials[place_1] = (partials[place_1] + partials[(place_1 + u32(32))])
                    for place_2 in range(u32(0), u32(16)):
                        partials[place_2] = (partials[place_2] + partials[(place_2 + u32(16))])
                    for place_3 in range(u32(0), u32(8)):
                        partials[place_3] = (partials[place_3] + partials[(place_3 + u32(8))])
                    for place_4 in range(u32(0), u32(4)):
                        partials[place_4] = (partials[place_4] + partials[(place_4 + u32(4))])
                    for place_5 in range(u32(0), u32(2)):
                        partials[place_5] = (partials[place_5] + partials[(place_5 + u32(2))])
                    for place_6 in range(u32(0), u32(1)):
                        partials[place_6] = (partials[place_6] + partials[(place_6 + u32(1))])
                    let s = (1.0 + partials[u32(0)])
                    row(m, i)[(index(0) + scan_add(1))] = s
                    out[i] = s
        "#]],
    );
    // Lanes that do not run together keep to their loops.
    check(
        legalise,
        "\
kernel own(m: f32[n, n], out: f32[n], n):
    foreach i in range(0, n):
        foreach j in range(0, 3):
            m[i, j] = 1.0
",
        expect!["unchanged"],
    );
}
