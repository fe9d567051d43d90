//! Tests of the passes that make loops ready for lanes, as texts.

mod alias_checks;
mod carry;
mod choice;
mod common_accesses;
mod extremes;
mod in_turn;
mod interchange;
mod jam;
mod jam_nests;
mod legalise;
mod narrow;
mod promote;
mod split;
mod unroll;
mod verdicts;

use expect_test::{Expect, expect};

use super::{Context, reorder};
use crate::pipeline::Options;
use ir::program::Kernel;
use ir::{print, read, verify};

fn check(pass: fn(&mut Kernel, &mut Context) -> bool, text: &str, expect: Expect) {
    let mut kernel = read(text, None).unwrap_or_else(|error| panic!("{error}\n{text}")).remove(0);
    let before = print(&kernel).text;
    let changed = pass(&mut kernel, &mut Context::new(&Options::default()));
    verify(&kernel).unwrap_or_else(|violations| panic!("{violations:?}"));
    let after = print(&ir::compact(kernel)).text;
    assert_eq!(changed, before != after, "{after}");
    expect.assert_eq(if changed { &after } else { "unchanged" });
}

#[test]
fn the_relaxed_loop_of_the_first_article_gets_its_second_statement_first() {
    check(
        reorder,
        "\
kernel relaxed(a: f32[30], b: f32[30], c: f32[30]):
    for i in range(1, 29):
        a[i] = (b[(i - 1)] + c[i])
        b[i] = (c[i] * 2.0)
",
        expect![[r#"
            kernel relaxed(a: f32[30], b: f32[30], c: f32[30]):
                for i in range(1, 29):
                    b[i] = (c[i] * 2.0)
                    a[i] = (b[(i - 1)] + c[i])
        "#]],
    );
    check(
        reorder,
        "\
kernel chained(a: f32[30], b: f32[30], c: f32[30]):
    for i in range(1, 29):
        a[i] = (b[(i - 1)] + c[i])
        b[i] = (a[i] * 2.0)
",
        expect!["unchanged"],
    );
}

#[test]
fn what_is_in_order_stays_as_it_is() {
    check(
        reorder,
        "\
kernel swap(a: f32[?], b: f32[?], n):
    for i in range(0, n):
        let t = a[i]
        a[i] = b[i]
        b[i] = t
",
        expect!["unchanged"],
    );
}

#[test]
fn a_load_stands_before_the_store_that_would_spoil_it() {
    // The statements have to stand before each other, but for what the last one loads of the next iteration.
    check(
        reorder,
        "\
kernel three(a: f32[n], b: f32[n], c: f32[n], n: i32):
    for i in range(0, (n - 1)):
        a[i] = (b[i] * c[i])
        b[i] = (a[i] + c[i])
        a[i] = (b[i] + a[(i + 1)])
",
        expect![[r#"
            kernel three(a: f32[n], b: f32[n], c: f32[n], n):
                for i in range(0, (n - 1)):
                    let _0 = b[i]
                    let _1 = a[(i + 1)]
                    a[i] = (_0 * c[i])
                    b[i] = (a[i] + c[i])
                    a[i] = (b[i] + _1)
        "#]],
    );
    // What the iteration before has stored cannot be loaded before it.
    check(
        reorder,
        "\
kernel flow(a: f32[n], b: f32[n], c: f32[n], n: i32):
    for i in range(1, n):
        a[i] = (b[i] * c[i])
        b[i] = (a[i] + c[i])
        a[i] = (b[i] + a[(i - 1)])
",
        expect!["unchanged"],
    );
}
