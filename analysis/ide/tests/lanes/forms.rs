//! What loads, stores and control become: how often each op that matters stands in the loop over whole groups in the end, per
//! access class and construct.

use std::sync::Arc;

use crate::common;
use ir::{Code, Kernel, Op};
use queries::check;
use queries::db::file_items;
use queries::db::{Database, File};
use queries::sequential;
use queries::stages::Options;
use syntax::Severity;

/// The ops that are counted, by what the table calls them.
const COUNTED: &[(&str, &[Code])] = &[
    ("load", &[Code::VectorLoad]),
    ("masked load", &[Code::MaskedLoad]),
    ("one load", &[Code::Load]),
    ("gather", &[Code::Gather]),
    ("expand", &[Code::ExpandLoad]),
    ("store", &[Code::VectorStore]),
    ("masked store", &[Code::MaskedStore]),
    ("one store", &[Code::Store]),
    ("scatter", &[Code::Scatter]),
    ("compress", &[Code::CompressStore]),
    ("shuffle", &[Code::Permute, Code::Reverse]),
    ("test", &[Code::Any, Code::None]),
    ("branch", &[Code::If]),
    ("loop", &[Code::For]),
    ("while", &[Code::While]),
];

/// What the only kernel of a text becomes.
fn made(text: &str, target: &str, lanes: Option<u16>) -> Kernel {
    let db = Database::default();
    let file = File::new(&db, Arc::from(text));
    let wrong: Vec<_> =
        check::diagnostics(&db, file).into_iter().filter(|found| found.severity == Severity::Error).collect();
    assert!(wrong.is_empty(), "{text}\n{wrong:?}");
    let target = ir::target::find(target).expect("a row of the table");
    let kernel = *file_items(&db, file).last().expect("a kernel");
    let kernel = sequential(&db, kernel).kernel.as_deref().expect("a kernel").clone();
    common::with_single_groups(kernel, &Options { lanes, target })
}

/// The loops in lanes, in order.
fn in_lanes(kernel: &Kernel) -> Vec<Op> {
    let mut found = Vec::new();
    kernel.walk(kernel.body, &mut |_, op| found.extend((kernel.ops[op].code == Code::VectorFor).then_some(op)));
    found
}

/// What stands in the first loop in lanes, that over whole groups, as the table says it; and how many such loops there are.
fn form(kernel: &Kernel) -> String {
    let loops = in_lanes(kernel);
    let mut found = Vec::new();
    let Some(&first) = loops.first() else { return "no lanes".into() };
    kernel.walk_inside(first, &mut |op| found.push(kernel.ops[op].code));
    let counts = COUNTED.iter().filter_map(|(name, codes)| {
        let n = found.iter().filter(|code| codes.contains(code)).count();
        (n > 0).then(|| format!("{n} {name}"))
    });
    let counts = counts.collect::<Vec<_>>().join(", ");
    if loops.len() == 1 { format!("{counts}; no tail") } else { counts }
}

/// Checks rows: parameters and body of a kernel, and what becomes of it in eight lanes on AVX2.
fn check_rows(rows: &[(&str, &str, &str)]) {
    let mut wrong = String::new();
    for (params, body, expected) in rows {
        let body: String = body.lines().map(|line| format!("    {line}\n")).collect();
        let text = format!("kernel k({params}):\n{body}");
        let form = form(&made(&text, "avx2", Some(8)));
        if form != *expected {
            wrong += &format!("{text}is: {form}\nnot: {expected}\n\n");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn each_access_class_has_its_form() {
    check_rows(&[
        ("a: f32[n], o: f32[n], n: i32", "foreach i in range(n):\n    o[i] = a[i]", "1 load, 1 store"),
        (
            "a: f32[n], o: f32[n], n: i32",
            "foreach i in range(n):\n    o[i] = a[n - 1 - i]",
            "1 load, 1 store, 1 shuffle",
        ),
        (
            "a: f32[n], o: f32[n], n: i32",
            "foreach i in range(n):\n    o[n - 1 - i] = a[i]",
            "1 load, 1 store, 1 shuffle",
        ),
        ("a: f32[n], o: f32[n], n: i32, k: i32", "foreach i in range(n):\n    o[i] = a[k]", "1 one load, 1 store"),
        (
            "a: f32[n], o: f32[2 * n], n: i32",
            "foreach i in range(2 * n):\n    o[i] = a[i / 2]",
            "1 load, 1 store, 1 shuffle",
        ),
        (
            "a: f32[n], o: f32[2 * n], n: i32",
            "foreach i in range(2 * n):\n    o[i] = a[i >> 1]",
            "1 load, 1 store, 1 shuffle",
        ),
        (
            "a: f32[n], o: f32[4 * n], n: i32",
            "foreach i in range(4 * n):\n    o[i] = a[i >> 2]",
            "1 load, 1 store, 1 shuffle",
        ),
        ("a: f32[4], o: f32[n], n: i32", "foreach i in range(n):\n    o[i] = a[i % 4]", "1 load, 1 store, 1 shuffle"),
        ("a: f32[4], o: f32[n], n: i32", "foreach i in range(n):\n    o[i] = a[i & 3]", "1 load, 1 store, 1 shuffle"),
        ("a: f32[8], o: f32[n], n: i32", "foreach i in range(n):\n    o[i] = a[i & 7]", "1 load, 1 store"),
        (
            "a: f32[2 * n], o: f32[n], n: i32",
            "foreach i in range(n):\n    o[i] = a[2 * i] + a[2 * i + 1]",
            "2 load, 1 store, 2 shuffle",
        ),
        (
            "a: f32[n], j: i32[n], o: f32[n], n: i32",
            "foreach i in range(n):\n    o[i] = a[j[i]]",
            "1 load, 1 gather, 1 store",
        ),
        ("a: f32[n], j: i32[n], o: f32[n], n: i32", "foreach i in range(n):\n    o[j[i]] = a[i]", "2 load, 1 scatter"),
        ("a: f32[n, n], o: f32[n], n: i32", "foreach i in range(n):\n    o[i] = a[i, 0]", "1 gather, 1 store"),
        ("a: f32[n, n], o: f32[n], n: i32, r: i32", "foreach i in range(n):\n    o[i] = a[r, i]", "1 load, 1 store"),
        (
            "a: f32[n], o: f32[n], n: i32",
            "for i in range(1, n - 1):\n    o[i] = a[i - 1] + a[i] + a[i + 1]",
            "3 load, 1 store",
        ),
        (
            "a: f32[n], o: f32[n], n: i32",
            "let k = 0\nfor i in range(n):\n    if a[i] > 0.0:\n        o[k] = a[i]\n        k += 1",
            "1 load, 1 compress",
        ),
        (
            "a: f32[n], o: f32[n], c: f32[n], n: i32",
            "let k = 0\nfor i in range(n):\n    if c[i] > 0.0:\n        o[i] = a[k]\n        k += 1",
            "1 load, 1 expand, 1 masked store",
        ),
    ]);
}

#[test]
fn each_construct_has_its_form() {
    check_rows(&[
        // Sides that cost little are done under masks, without a branch.
        (
            "a: f32[n], o: f32[n], n: i32",
            "foreach i in range(n):\n    if a[i] > 0.0:\n        o[i] = a[i]",
            "1 load, 1 masked store",
        ),
        (
            "a: f32[n], o: f32[n], n: i32",
            "foreach i in range(n):\n    o[i] = select(a[i] > 0.0, a[i], 0.0)",
            "1 load, 1 store",
        ),
        // One that costs much is branched around.
        (
            "a: f32[n], o: f32[n], n: i32",
            "foreach i in range(n):\n    let x = a[i]\n    if x > 0.0:\n        o[i] = sqrt(x) / (x + sqrt(x + 1.0)) + 1.0 / (x * x + sqrt(x * 3.0))",
            "1 load, 1 masked store, 1 test, 1 branch",
        ),
        // What is the same for all lanes stays as it is.
        (
            "a: f32[n], o: f32[n], n: i32, c: bool",
            "foreach i in range(n):\n    if c:\n        o[i] = a[i]",
            "1 load, 1 store, 1 branch",
        ),
        // Coherent ones are tested: all, none, or both sides.
        (
            "a: f32[n], o: f32[n], n: i32",
            "foreach i in range(n):\n    cif a[i] > 0.0:\n        o[i] = 1.0\n    else:\n        o[i] = a[i] * 2.0",
            "1 load, 1 store, 2 test, 2 branch",
        ),
        (
            "a: i32[n], o: i32[n], n: i32",
            "foreach i in range(n):\n    let x = a[i]\n    while x > 3:\n        x = x / 2\n    o[i] = x",
            "1 load, 1 store, 1 test, 1 while",
        ),
        (
            "a: i32[n], o: i32[n], n: i32",
            "foreach i in range(n):\n    let x = a[i]\n    cwhile x > 3:\n        x = x / 2\n    o[i] = x",
            "1 load, 1 store, 2 test, 1 branch, 1 while",
        ),
        (
            "a: i32[n], o: i32[n], n: i32",
            "foreach i in range(n):\n    let s = 0\n    for k in range(a[i]):\n        s += k\n    o[i] = s",
            "1 load, 1 store, 1 test, 1 while",
        ),
        (
            "a: i32[n], o: i32[n], n: i32",
            "foreach i in range(n):\n    let s = 0\n    cfor k in range(a[i]):\n        s += k\n    o[i] = s",
            "1 load, 1 store, 2 test, 1 branch, 1 while",
        ),
        (
            "a: i32[n], o: i32[n], n: i32",
            "foreach i in range(n):\n    let s = 0\n    for k in range(10):\n        s += k * a[i]\n    o[i] = s",
            "1 load, 1 store, 1 loop",
        ),
        // Ends that are known to be whole groups have no tail.
        ("a: f32[n], o: f32[n], n: i32", "foreach i in range(n & ~7):\n    o[i] = a[i]", "1 load, 1 store; no tail"),
        (
            "a: f32[8 * m], o: f32[8 * m], m: i32",
            "foreach i in range(0, 8 * m):\n    o[i] = a[i]",
            "1 load, 1 store; no tail",
        ),
        ("a: f32[64], o: f32[64]", "foreach i in range(64):\n    o[i] = a[i]", "1 load, 1 store; no tail"),
        // Reductions: sums have a part in each lane, and where a new least was found is looked for only where there is one.
        ("a: i32[n], o: i32[1], n: i32", "let s = 0\nfor i in range(n):\n    s += a[i]\no[0] = s", "1 load"),
        (
            "a: f32[n], o: f32[1], n: i32",
            "let s = 0.0\n@reassoc\nfor i in range(n):\n    s += a[i]\no[0] = s",
            "1 load, 1 masked load, 1 branch; no tail",
        ),
        (
            "a: f32[n], o: i32[1], n: i32",
            "let m = a[0]\nlet at = 0\nfor i in range(n):\n    if a[i] > m:\n        m = a[i]\n        at = i\no[0] = at",
            "1 load, 1 one load, 1 test, 2 branch, 1 loop",
        ),
    ]);
}

/// Groups of every size and element width are loads, stores and shuffles: no cell has an instruction of its own.
#[test]
fn groups_are_loaded_and_stored_whole() {
    for elem in ["i8", "u16", "i32", "f32", "i64", "f64"] {
        for size in [2, 3, 4, 8] {
            let sum = (0..size).map(|k| format!("p[{size} * i + {k}]")).collect::<Vec<_>>().join(" + ");
            let loads = format!(
                "kernel k(p: {elem}[{size} * n], o: {elem}[n], n: i32):\n    foreach i in range(n):\n        o[i] = {sum}\n"
            );
            let stores: String =
                (0..size).map(|k| format!("        p[{size} * i + {k}] = a[i] + {elem}({k})\n")).collect();
            let stores =
                format!("kernel k(p: {elem}[{size} * n], a: {elem}[n], n: i32):\n    foreach i in range(n):\n{stores}");
            for (text, n_loads, n_stores) in [(loads, size, 1), (stores, 1, size)] {
                let kernel = made(&text, "avx2", None);
                let of = |loop_: Op, code: Code| {
                    let mut n = 0;
                    kernel.walk_inside(loop_, &mut |op| n += usize::from(kernel.ops[op].code == code));
                    n
                };
                let loops = in_lanes(&kernel);
                let one_by_one = of(loops[0], Code::Gather) + of(loops[0], Code::Scatter);
                assert_eq!(one_by_one, 0, "{text}{}", ir::print(&kernel).text);
                // Where two loads for each lane's cell cost less than the shuffles between more of them, there are two.
                let (n, stored) = (of(loops[0], Code::VectorLoad), of(loops[0], Code::VectorStore));
                assert!(
                    (n_loads..=2 * n_loads).contains(&n) && stored == n_stores,
                    "{text}{}",
                    ir::print(&kernel).text
                );
            }
        }
    }
}
