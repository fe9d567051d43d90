//! Estimates of what loops cost, and variants of kernels: what they are for the examples, and that they hold together.

use std::fmt::Write;
use std::sync::Arc;

use expect_test::{Expect, expect};
use ide::explain::explain_item;
use ide::variants::{VariantRow, WantedVariants, changes, rows, untried_attributes};
use ir::target::{TARGETS, find};
use queries::db::{Database, File, Item};
use queries::stages::Options;
use report::apply_edits;
use report::lanes::Resource;

use crate::common;

/// The program of an example.
fn example(name: &str) -> String {
    let files = common::files("examples", "lane").into_iter();
    let found = files.filter(|(path, _)| path.file_stem().is_some_and(|stem| stem == name));
    found.map(|(_, text)| text).next().unwrap_or_else(|| panic!("no example {name}"))
}

fn made_for(text: &str, options: Options) -> (Database, File) {
    let mut db = Database::default();
    db.set_made_for(&[options]);
    let file = File::new(&db, Arc::from(text));
    (db, file)
}

fn on(target: &str) -> Options {
    Options { lanes: None, target: find(target).expect("a target") }
}

fn kernel<'d>(db: &'d Database, file: File, name: &str) -> Item<'d> {
    let all = queries::kernels(db, file);
    all.into_iter().find(|item| **item.name(db) == *name).unwrap_or_else(|| panic!("no kernel {name}"))
}

/// The estimates of the loops of some kernels of examples, by target.
fn check(kernels: &[(&str, &str)], expected: Expect) {
    let mut out = String::new();
    for (file_name, name) in kernels {
        let text = example(file_name);
        for target in ["avx2", "avx512", "neon"] {
            let (db, file) = made_for(&text, on(target));
            let explained = explain_item(&db, kernel(&db, file, name)).expect("a kernel");
            for it in explained.loops.iter().filter(|it| it.function.is_none()) {
                let line = text[..usize::from(it.range.start())].matches('\n').count() + 1;
                let words = it.cost.as_ref().map_or("nothing is left".to_owned(), |cost| {
                    format!("{} lanes x {}, {}", cost.lanes, cost.groups(), cost.in_words())
                });
                let _ = writeln!(out, "{name} on {target}, line {line}: {words}");
            }
        }
    }
    expected.assert_eq(&out);
}

#[test]
fn estimates_of_examples() {
    check(
        &[
            ("scale_audio", "scale_audio"),
            ("color_by_number", "color_by_number"),
            ("audio", "fade"),
            ("audio", "biquad"),
            ("matmul", "matmul"),
        ],
        expect![[r#"
            scale_audio on avx2, line 3: 8 lanes x 4, about 0.12 cycles an element, bound by stores
            scale_audio on avx512, line 3: 16 lanes x 4, about 0.06 cycles an element, bound by stores
            scale_audio on neon, line 3: 4 lanes x 4, about 0.25 cycles an element, bound by stores
            color_by_number on avx2, line 3: 8 lanes x 4, about 1.3 cycles an element, bound by loads; the gather is 95 %
            color_by_number on avx512, line 3: 16 lanes x 4, about 1 cycle an element, bound by loads; the gather is 97 %
            color_by_number on neon, line 3: 4 lanes x 4, about 1.6 cycles an element, bound by loads; the gather is 92 %
            fade on avx2, line 4: 8 lanes x 4, about 0.38 cycles an element, bound by arithmetic; the conversion is 33 %
            fade on avx512, line 4: 16 lanes x 4, about 0.28 cycles an element, bound by arithmetic; the conversion is 33 %
            fade on neon, line 4: 4 lanes x 4, about 0.75 cycles an element, bound by arithmetic; the conversion is 33 %
            biquad on avx2, line 20: 1 lanes x 1, about 12 cycles an element, bound by waiting for the iteration before; the product is 33 %
            biquad on avx512, line 20: 1 lanes x 1, about 18 cycles an element, bound by waiting for the iteration before; the product is 33 %
            biquad on neon, line 20: 1 lanes x 1, about 12 cycles an element, bound by waiting for the iteration before; the product is 33 %
            matmul on avx2, line 4: 1 lanes x 4, about 6 cycles an element besides the loop inside, bound by stores
            matmul on avx2, line 5: 8 lanes x 4, about 0.12 cycles an element, bound by stores
            matmul on avx2, line 7: 1 lanes x 16, about 1.5 cycles an element besides the loop inside, bound by stores
            matmul on avx2, line 8: 8 lanes x 16, about 0.12 cycles an element, bound by arithmetic; the product is 50 %
            matmul on avx512, line 4: 1 lanes x 4, about 1.4 cycles an element besides the loop inside, bound by arithmetic; the division is 26 %
            matmul on avx512, line 5: 16 lanes x 4, about 0.06 cycles an element, bound by stores
            matmul on avx512, line 7: 1 lanes x 16, about 0.83 cycles an element besides the loop inside, bound by arithmetic; the product is 45 %
            matmul on avx512, line 8: 16 lanes x 16, about 0.09 cycles an element, bound by arithmetic; the product is 50 %
            matmul on neon, line 4: 1 lanes x 4, about 1.8 cycles an element besides the loop inside, bound by stores
            matmul on neon, line 5: 4 lanes x 4, about 0.25 cycles an element, bound by stores
            matmul on neon, line 7: 1 lanes x 16, about 1.4 cycles an element besides the loop inside, bound by loads; the load is 41 %
            matmul on neon, line 8: 4 lanes x 16, about 0.25 cycles an element, bound by arithmetic; the product is 50 %
        "#]],
    );
}

/// The estimate of a loop of its own, on AVX2.
fn estimate(arrays: &str, body: &str) -> String {
    let text = format!("kernel k({arrays}, n: i32):\n    for i in range(4, n - 4):\n        {body}\n");
    let (db, file) = made_for(&text, on("avx2"));
    let row = &rows(&db, kernel(&db, file, "k"), &WantedVariants::default())[0];
    row.loops.iter().map(|it| it.cost.in_words()).collect::<Vec<_>>().join("; ")
}

#[test]
fn a_turn_waits_for_the_cell_that_an_earlier_one_stores() {
    let of = |body: &str| estimate("a: f32[n], b: f32[n]", body);
    expect!["about 8 cycles an element, bound by waiting for the iteration before; the product is 50 %"]
        .assert_eq(&of("a[i] = a[i - 1] * 0.5 + b[i]"));
    // Through two cells.
    expect!["about 8 cycles an element, bound by waiting for the iteration before; the product is 50 %"]
        .assert_eq(&of("b[i] = a[i - 1] * 2.0\n        a[i] = b[i] + a[i + 1]"));
    // None waits for what a later turn stores.
    expect!["about 0.25 cycles an element, bound by arithmetic; the operation is 25 %"]
        .assert_eq(&of("a[i] = a[i + 1] * 0.5 + b[i]"));
}

#[test]
fn masks_and_shifted_bytes_are_not_done_lane_by_lane() {
    let of = |body: &str| estimate("a: u8[n], out: u8[n]", body);
    expect!["about 0.03 cycles an element, bound by stores"].assert_eq(&of("out[i] = a[i] >> 4"));
    expect!["about 0.03 cycles an element, bound by stores"].assert_eq(&of("out[i] = u8(a[i] > 7)"));
}

#[test]
fn parts_are_all_of_an_estimate() {
    let mut n_costs = 0;
    for (path, text) in common::files("examples", "lane") {
        for target in ["avx2", "avx512", "neon", "rvv256", "scalar"] {
            let (db, file) = made_for(&text, on(target));
            for item in queries::kernels(&db, file) {
                for cost in queries::costs::of_kernel(&db, item, on(target)).into_iter().flatten() {
                    let what = format!("{}, {} on {target}: {cost:?}", path.display(), item.name(&db));
                    assert_eq!(cost.busy(cost.bound), cost.quarters, "{what}");
                    assert!(cost.iterations >= 1 && cost.lanes >= 1, "{what}");
                    for resource in Resource::ALL {
                        assert!(cost.busy(resource) <= cost.quarters, "{what}");
                    }
                    let of_bound = cost.parts.iter().filter(|part| part.resource == cost.bound);
                    let shares: f64 = of_bound.map(|part| cost.share(part)).sum();
                    assert!((shares - 1.0).abs() < 1e-9, "{what}");
                    assert!(cost.parts.iter().all(|part| cost.share(part) <= 1.0), "{what}");
                    assert_eq!(cost.largest().map(|part| part.resource), Some(cost.bound), "{what}");
                    assert!(cost.cycles_from_memory() >= cost.cycles(), "{what}");
                    n_costs += 1;
                }
            }
        }
    }
    assert!(n_costs > 200, "only {n_costs} loops");
}

/// The lanes and the costs of the loops of a row, whatever their places.
fn costs(row: &VariantRow) -> Vec<(u16, u64, u64, Resource)> {
    let of_loop =
        |it: &ide::variants::VariantLoop| (it.cost.lanes, it.cost.iterations, it.cost.quarters, it.cost.bound);
    row.loops.iter().map(of_loop).collect()
}

#[test]
fn the_row_as_it_is_is_the_kernel_itself() {
    let text = example("image");
    let (db, file) = made_for(&text, on("avx2"));
    for item in queries::kernels(&db, file) {
        let row = &rows(&db, item, &WantedVariants::default())[0];
        assert!(row.is_present && row.differs.is_empty());
        let explained = explain_item(&db, item).expect("a kernel");
        let innermost = explained.loops.iter().filter_map(|it| it.cost.as_ref()).filter(|cost| !cost.is_around);
        let own: Vec<_> = innermost.map(|cost| (cost.lanes, cost.iterations, cost.quarters, cost.bound)).collect();
        assert_eq!(costs(row), own, "{}", item.name(&db));
    }
}

#[test]
fn the_row_of_another_target_is_that_of_a_kernel_made_for_it() {
    let text = example("lookup");
    let (db, file) = made_for(&text, on("avx2"));
    for item in queries::kernels(&db, file) {
        let all = rows(&db, item, &WantedVariants { targets: TARGETS.iter().collect(), ..Default::default() });
        for row in &all[1..] {
            let (other, file) = made_for(&text, row.variant.options);
            let own = &rows(&other, kernel(&other, file, item.name(&db)), &WantedVariants::default())[0];
            assert_eq!(costs(row), costs(own), "{} on {}", item.name(&db), row.name());
        }
        assert_eq!(all.len(), TARGETS.len());
    }
}

const SUMS: &str = "\
## What a signal carries.
kernel energy(a: f32[n], n: i32) -> f32:
    let s = 0.0
    for i in range(n):
        s += a[i] * a[i]
    return s

@fast
kernel length(a: f32[n], n: i32) -> f32:
    let s = 0.0
    for i in range(n):
        s += a[i] * a[i]
    return sqrt(s)
";

#[test]
fn the_row_of_an_attribute_is_that_of_the_text_with_it() {
    let (db, file) = made_for(SUMS, on("avx2"));
    let mut told = String::new();
    for item in queries::kernels(&db, file) {
        let present = &rows(&db, item, &WantedVariants::default())[0];
        let tried = untried_attributes(&db, item).rows(present);
        assert_eq!(tried.len(), changes(&db, item).len());
        for row in &tried {
            let change = row.variant.change.as_ref().expect("an attribute");
            let (other, file) = made_for(&apply_edits(SUMS, &change.edits), on("avx2"));
            let own = &rows(&other, kernel(&other, file, item.name(&db)), &WantedVariants::default())[0];
            assert_eq!(costs(row), costs(own), "{}", row.name());
            let gains = if ide::variants::gains(present, row) { "gains" } else { "gains nothing" };
            let _ = writeln!(told, "{}, {} ({gains}): {}", item.name(&db), row.name(), row.differs);
        }
    }
    expect![[r#"
        energy, avx2, @reassoc (gains): 8 lanes instead of one; bound by arithmetic
        energy, avx2, @fast (gains): 8 lanes instead of one; bound by arithmetic
        length, avx2, without @fast (gains nothing): no lanes; each iteration waits for the one before
    "#]]
    .assert_eq(&told);
}

#[test]
fn an_attribute_is_written_above_the_kernel_and_taken_away_with_its_line() {
    let (db, file) = made_for(SUMS, on("avx2"));
    let texts: Vec<_> = queries::kernels(&db, file)
        .into_iter()
        .flat_map(|item| changes(&db, item))
        .map(|change| format!("{}:\n{}", change.title, apply_edits(SUMS, &change.edits)))
        .map(|text| {
            text.lines().filter(|line| !line.starts_with(' ') && !line.is_empty()).collect::<Vec<_>>().join("\n")
        })
        .collect();
    expect![[r#"
        @reassoc:
        ## What a signal carries.
        @reassoc
        kernel energy(a: f32[n], n: i32) -> f32:
        @fast
        kernel length(a: f32[n], n: i32) -> f32:

        @fast:
        ## What a signal carries.
        @fast
        kernel energy(a: f32[n], n: i32) -> f32:
        @fast
        kernel length(a: f32[n], n: i32) -> f32:

        without @fast:
        ## What a signal carries.
        kernel energy(a: f32[n], n: i32) -> f32:
        kernel length(a: f32[n], n: i32) -> f32:"#]]
    .assert_eq(&texts.join("\n\n"));
}

#[test]
fn lanes_are_those_of_the_attribute() {
    let text = "kernel add(a: f32[n], b: f32[n], n: i32):\n    for i in range(n):\n        a[i] = a[i] + b[i]\n";
    let (db, file) = made_for(text, on("avx512"));
    let wanted = WantedVariants { lanes: vec![4, 8, 32], ..Default::default() };
    for row in &rows(&db, kernel(&db, file, "add"), &wanted)[1..] {
        let lanes = row.variant.options.lanes.expect("lanes");
        let (other, file) = made_for(&format!("@lanes({lanes})\n{text}"), on("avx512"));
        let own = &rows(&other, kernel(&other, file, "add"), &WantedVariants::default())[0];
        assert_eq!((costs(row), row.loops[0].cost.lanes), (costs(own), lanes));
    }
}

#[test]
fn a_kernel_with_errors_has_no_estimate() {
    let text = "kernel k(a: f32[n], n: i32):\n    for i in range(n):\n        a[i] = nope\n";
    let (db, file) = made_for(text, on("avx2"));
    let all = rows(&db, kernel(&db, file, "k"), &WantedVariants::all());
    assert!(all.iter().all(|row| row.loops.is_empty()));
}
