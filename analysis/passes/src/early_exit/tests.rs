//! Loops that run in early-exit blocks.

use expect_test::{Expect, expect};

use super::early_exit;
use crate::Context;
use crate::pipeline::Options;

fn check(text: &str, expect: Expect) {
    let mut kernel = ir::read(text, None).unwrap_or_else(|error| panic!("{error}")).remove(0);
    let options = Options::default();
    let mut context = Context::new(&options);
    early_exit(&mut kernel, &mut context);
    assert_eq!(ir::verify(&kernel), Ok(()));
    let mut shown = ir::print(&kernel).text;
    for decision in context.take_decisions() {
        let because: Vec<String> = decision.because.iter().map(ToString::to_string).collect();
        shown += &format!("# {}: {}\n", decision.code, because.join(" "));
    }
    expect.assert_eq(&shown);
}

#[test]
fn searches_ask_about_several_groups_first() {
    check(
        "\
kernel length(text: u8[n], out: i32[1], n: i32):
    let i = while (text[i] != 0) with i = 0:
        yield (i + 1)
    out[0] = i
",
        expect![[r#"
            kernel length(text: u8[n], out: i32[1], n):
                let _0, _1 = while go with i = 0, go = ((0 < n) & (u32((n -% 0)) >= 128)):
                    let _2 = (i + 128)
                    let _3 = for i_1 in range(i, _2) with leaves = false:
                        yield (leaves | (~(text[i_1] != 0)))
                    let _4, _5 = if _3:
                        yield i, false
                    else:
                        yield _2, ((_2 < n) & (u32((n -% _2)) >= 128))
                    yield _4, _5
                let _6, _7 = while go_1 with i_2 = _0, go_1 = ((_0 < n) & (u32((n -% _0)) >= 32)):
                    let _8 = (i_2 + 32)
                    let _9 = for i_3 in range(i_2, _8) with leaves_1 = false:
                        yield (leaves_1 | (~(text[i_3] != 0)))
                    let _10, _11 = if _9:
                        yield i_2, false
                    else:
                        yield _8, ((_8 < n) & (u32((n -% _8)) >= 32))
                    yield _10, _11
                let i_4 = while (text[i_5] != 0) with i_5 = _6:
                    yield (i_5 + 1)
                out[0] = i_4
            # early-exit: whether one of 128 iterations is the last one is asked before they are done
        "#]],
    );
}

#[test]
fn blocks_with_work_have_one_group() {
    check(
        "\
kernel copied(a: f32[n], out: f32[n], n: i32):
    @counts
    let i, go = while go with i = 0, go = (0 < n):
        let on = if (a[i] > 1.25):
            yield false
        else:
            out[i] = a[i]
            yield true
        let next = (i +% 1)
        yield next, (on & ((i < next) & (next < n)))
",
        expect![[r#"
            kernel copied(a: f32[n], out: f32[n], n):
                let _0, _1 = while go with i = 0, go = ((0 < n) & (u32((n -% 0)) >= 8)):
                    let _2 = (i + 8)
                    let _3 = for i_1 in range(i, _2) with leaves = false:
                        yield (leaves | (a[i_1] > 1.25))
                    let _4, _5 = if _3:
                        yield i, false
                    else:
                        for i_2 in range(i, _2):
                            out[i_2] = a[i_2]
                        yield _2, ((_2 < n) & (u32((n -% _2)) >= 8))
                    yield _4, _5
                @counts
                let i_3, go_1 = while go_2 with i_4 = _0, go_2 = (_0 < n):
                    let on = if (a[i_4] > 1.25):
                        yield false
                    else:
                        out[i_4] = a[i_4]
                        yield true
                    let next = (i_4 +% 1)
                    yield next, (on & ((i_4 < next) & (next < n)))
            # early-exit: whether one of 8 iterations is the last one is asked before they are done
        "#]],
    );
}
