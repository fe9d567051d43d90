//! What accesses have become at `final`: how many loads, stores and shuffles a whole group of lanes costs, for several lane counts
//! and every element width; and that no gather is left where lanes lie in a known order.

use crate::common;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;

use expect_test::expect;
use ir::{Code, Kernel, Region, target};
use passes::pipeline;
use passes::pipeline::Options;
use queries::db::file_items;
use queries::db::{Database, File};
use queries::sequential;

const ELEMENTS: [&str; 4] = ["u8", "i16", "f32", "f64"];

/// The last stage of a text's only kernel.
fn last_stage(text: &str, lanes: u16, target_name: &str) -> Kernel {
    let db = Database::default();
    let file = File::new(&db, Arc::from(text));
    let item = *file_items(&db, file).last().expect("a kernel");
    let lowering = sequential(&db, item);
    assert!(lowering.findings.is_empty(), "{text}\n{:?}", lowering.findings);
    let kernel = lowering.kernel.as_deref().expect("a kernel").clone();
    let options = Options { lanes: Some(lanes), target: target::find(target_name).expect("a row of the table") };
    common::with_single_groups(kernel, &options)
}

/// The ops on memory and lanes, of the loop over whole groups and of the rest, as `2 vector_load, 1 permute`.
fn counted(kernel: &Kernel) -> [String; 2] {
    let mut groups: Vec<Region> = Vec::new();
    kernel.walk(kernel.body, &mut |_, op| {
        if kernel.ops[op].code == Code::VectorFor {
            groups.push(kernel.ops[op].regions[0]);
        }
    });
    [0, 1].map(|n| groups.get(n).map_or_else(String::new, |&region| ops_of(kernel, region)))
}

fn ops_of(kernel: &Kernel, region: Region) -> String {
    let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
    let shown = [
        Code::Load,
        Code::VectorLoad,
        Code::MaskedLoad,
        Code::Gather,
        Code::Store,
        Code::VectorStore,
        Code::MaskedStore,
        Code::Scatter,
        Code::Permute,
        Code::Reverse,
    ];
    kernel.walk(region, &mut |_, op| {
        // Masks are moved by permutations, too, which are not what is counted.
        let of_masks =
            kernel.ops[op].results.first().is_some_and(|&value| kernel.ty(value).data_elem() == Some(ir::Elem::Bool));
        if let Some(place) = shown.iter().position(|code| *code == kernel.ops[op].code).filter(|_| !of_masks) {
            *counts.entry(place).or_default() += 1;
        }
    });
    counts.iter().map(|(place, count)| format!("{count} {}", shown[*place].row().name)).collect::<Vec<_>>().join(", ")
}

/// Where a loop is looked at: lane counts, and element types `T`.
struct Where<'a> {
    lanes: &'a [u16],
    elements: &'a [&'a str],
}

/// Everywhere.
const ALL: Where = Where { lanes: &[4, 8, 16], elements: &ELEMENTS };

/// Where the target has masked memory: elsewhere each cell under a mask is tested, and a gather tests fewer.
const WORDS: Where = Where { lanes: &[4, 8, 16], elements: &["i32", "f32", "i64", "f64"] };

/// Where the target's masked stores cost more than four stores behind tests.
const FEW: Where = Where { lanes: &[4], elements: &["f32"] };

impl Where<'_> {
    /// Checks what a loop with this body becomes: whole groups, and the rest if that is said.
    #[track_caller]
    fn check(&self, size_of_a: &str, body: &str, whole: &str, rest: Option<&str>) {
        for elem in self.elements {
            for &lanes in self.lanes {
                let text = format!(
                    "kernel k(a: {elem}[{size_of_a}], b: {elem}[n], out: {elem}[n], more: {elem}[n], n: i32):\n    foreach i in range(n):\n        {body}\n"
                );
                let kernel = last_stage(&text, lanes, "avx2");
                let found = counted(&kernel);
                let shown = || format!("{lanes} lanes of {elem}\n{text}\n{}", ir::print(&kernel).text);
                assert_eq!(found[0], whole, "{}", shown());
                if let Some(rest) = rest {
                    assert_eq!(found[1], rest, "{}", shown());
                }
            }
        }
    }
}

#[track_caller]
fn check(size_of_a: &str, body: &str, whole: &str, rest: &str) {
    ALL.check(size_of_a, body, whole, Some(rest));
}

#[test]
fn neighbours_are_one_load() {
    check("n", "out[i] = a[i]", "1 vector_load, 1 vector_store", "1 masked_load, 1 masked_store");
}

#[test]
fn backwards_is_one_load() {
    let rest = "1 masked_load, 1 masked_store, 1 reverse";
    check("n", "out[i] = a[n - 1 - i]", "1 vector_load, 1 vector_store, 1 reverse", rest);
    ALL.check("n", "out[n - 1 - i] = a[i]", "1 vector_load, 1 vector_store, 1 reverse", None);
    FEW.check(
        "n",
        "out[n - 1 - i] = a[i]",
        "1 vector_load, 1 vector_store, 1 reverse",
        Some("1 masked_load, 1 scatter"),
    );
}

#[test]
fn cells_that_lanes_share_are_loaded_once() {
    let (whole, rest) = ("1 vector_load, 1 vector_store, 1 permute", "1 masked_load, 1 masked_store, 1 permute");
    check("n", "out[i] = a[i / 2]", whole, rest);
    ALL.check("n", "out[i] = a[(i + 4) / 4 - 1]", whole, None);
    // Four lanes take the four cells in order.
    Where { lanes: &[8, 16], ..ALL }.check("8", "out[i] = a[i % 4]", whole, Some(rest));
    check("8", "out[i] = a[i & 1]", whole, rest);
}

#[test]
fn a_period_that_lanes_fill_is_a_plain_load() {
    let rest = "1 masked_load, 1 masked_store";
    check("16", "out[i] = a[i & 15]", "1 vector_load, 1 vector_store", rest);
    check("32", "out[i] = a[i % 32]", "1 vector_load, 1 vector_store", rest);
}

#[test]
fn groups_are_loaded_together() {
    check(
        "2 * n",
        "out[i] = a[2 * i]\n        more[i] = a[2 * i + 1]",
        "2 vector_load, 2 vector_store, 2 permute",
        "2 masked_load, 2 masked_store, 2 permute",
    );
    // In four lanes each of three members is two loads and one shuffle, which is less than two shuffles.
    Where { lanes: &[8, 16], ..WORDS }.check(
        "3 * n",
        "out[i] = max(a[3 * i], a[3 * i + 2])\n        more[i] = a[3 * i + 1]",
        "3 vector_load, 2 vector_store, 3 permute",
        Some("3 masked_load, 2 masked_store, 3 permute"),
    );
    ALL.check(
        "4 * n",
        "out[i] = max(a[4 * i], a[4 * i + 2])\n        more[i] = max(a[4 * i + 3], a[4 * i + 1])",
        "4 vector_load, 2 vector_store, 4 permute",
        None,
    );
}

#[test]
fn groups_are_stored_together() {
    let (body, whole) = ("a[2 * i] = b[i]\n        a[2 * i + 1] = out[i]", "2 vector_load, 2 vector_store, 2 permute");
    ALL.check("2 * n", body, whole, None);
    FEW.check("2 * n", body, whole, Some("2 masked_load, 2 scatter"));
    ALL.check(
        "3 * n",
        "a[3 * i + 2] = b[i]\n        a[3 * i] = out[i]\n        a[3 * i + 1] = more[i]",
        "3 vector_load, 3 vector_store, 3 permute",
        None,
    );
}

#[test]
fn every_second_cell_alone_is_loaded_with_what_lies_between() {
    let (whole, rest) = ("2 vector_load, 1 vector_store, 1 permute", "2 masked_load, 1 masked_store, 1 permute");
    ALL.check("2 * n", "out[i] = a[2 * i]", whole, None);
    WORDS.check("2 * n", "out[i] = a[2 * i]", whole, Some(rest));
    WORDS.check("2 * n", "out[i] = a[2 * n - 1 - 2 * i]", whole, Some(rest));
}

#[test]
fn fields_of_structs_are_groups() {
    let header = "struct P:\n    x: f32\n    y: f32\n    id: i32\n\nkernel k(p: P[n], out: f32[n], n: i32):\n    for i in range(n):\n";
    let kernel = last_stage(&format!("{header}        out[i] = p[i].x + p[i].y + f32(p[i].id)\n"), 8, "avx2");
    let found = counted(&kernel);
    assert_eq!(found[0], "3 vector_load, 1 vector_store, 3 permute", "{}", ir::print(&kernel).text);
    let kernel =
        last_stage(&format!("{header}        p[i].x = out[i]\n        p[i].y = 0.0\n        p[i].id = 7\n"), 8, "avx2");
    assert_eq!(counted(&kernel)[0], "1 vector_load, 3 vector_store, 3 permute", "{}", ir::print(&kernel).text);
}

#[test]
fn rows_of_a_few_are_groups() {
    let text = "kernel k(p: f32[n, 3], out: f32[n], n: i32):\n    for i in range(n):\n        out[i] = p[i, 0] * p[i, 1] + p[i, 2]\n";
    let kernel = last_stage(text, 8, "avx2");
    assert_eq!(counted(&kernel)[0], "3 vector_load, 1 vector_store, 3 permute", "{}", ir::print(&kernel).text);
}

#[test]
fn what_is_looked_up_is_gathered() {
    let (whole, rest) = ("1 vector_load, 1 gather, 1 vector_store", "1 masked_load, 1 gather, 1 masked_store");
    Where { elements: &["i32"], ..ALL }.check("n", "out[i] = a[b[i]]", whole, Some(rest));
    ALL.check("n", "out[i] = a[i * i / n]", "1 gather, 1 vector_store", Some("1 gather, 1 masked_store"));
}

#[test]
fn a_store_between_keeps_loads_apart() {
    // The second load sees what the store has changed, so the two are not one. Half of it is what was just stored.
    let body = "out[i] = a[2 * i]\n        a[2 * i + 1] = 0.0\n        more[i] = a[2 * i + 1]";
    let kernel = last_stage(
        &format!(
            "kernel k(a: f32[2 * n], out: f32[n], more: f32[n], n: i32):\n    for i in range(n):\n        {body}\n"
        ),
        8,
        "avx2",
    );
    let found = counted(&kernel);
    assert!(found[0].starts_with("3 vector_load"), "{found:?}\n{}", ir::print(&kernel).text);
}

/// What is left of gathers and scatters in the examples; each is one because an index is looked up, or a stride is not known.
#[test]
fn examples_gather_where_they_must() {
    let mut left = String::new();
    for (path, text) in common::files("examples", "lane") {
        let db = Database::default();
        let file = File::new(&db, Arc::from(&*text));
        for &item in file_items(&db, file) {
            let Some(kernel) = sequential(&db, item).kernel.as_deref() else { continue };
            let reached = pipeline::run(kernel.clone(), &Options::default(), true).expect("passes keep what holds");
            let last = &reached.last().expect("stages").kernel;
            let mut scattered = BTreeMap::new();
            last.walk(last.body, &mut |_, op| {
                let code = last.ops[op].code;
                if matches!(code, Code::Gather | Code::Scatter) {
                    *scattered.entry(code.row().name).or_insert(0) += 1;
                }
            });
            if !scattered.is_empty() {
                let file = path.file_name().unwrap_or_default().to_string_lossy();
                let _ = writeln!(left, "{file} {}: {scattered:?}", kernel.name);
            }
        }
    }
    expect![[r#"
        color_by_number.lane color_by_number: {"gather": 6}
        particles.lane advance: {"gather": 2, "scatter": 16}
        particles.lane count_young: {"gather": 1}
    "#]]
    .assert_eq(&left);
}
