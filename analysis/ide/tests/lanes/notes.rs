//! Performance notes: one where lanes pay for something, and none where they do not.
//!
//! What is a gather is not asked of classes, but of what the pipeline makes of the kernel: each gather that is left in the end
//! has a note, and each note a gather.

use crate::common;
use crate::generate;

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use facts::Class;
use hir::finding::ItemKey;
use ir::Code;
use ir::target::{TARGETS, Target};
use queries::check;
use queries::db::file_items;
use queries::db::{Database, File};
use queries::lanes::notes::notes;
use queries::lanes::of_kernel;
use queries::stages::Options;
use queries::{reached, sequential};
use syntax::{Severity, TextRange};

/// An item, and a place in its dense text.
type Place = (ItemKey, TextRange);

/// Codes of notes on accesses that are gathers or scatters for good.
const FOR_GOOD: [&str; 4] = ["gather-varying-index", "scatter-varying-index", "broken-no-gather", "broken-no-scatter"];

/// Codes of notes on accesses that another form may be found for.
const FOR_NOW: [&str; 2] = ["strided-load", "strided-store"];

/// Codes of notes on what is computed.
const ARITHMETIC: [&str; 3] = ["varying-division", "wide-conversion", "divergent-branch"];

/// What was noted in a program, by code.
fn noted(db: &Database, file: File) -> BTreeMap<&'static str, HashSet<Place>> {
    let mut found: BTreeMap<&'static str, HashSet<Place>> = BTreeMap::new();
    for &item in file_items(db, file) {
        for finding in notes(db, item).iter() {
            found.entry(finding.code.name()).or_default().insert((queries::key(db, item), finding.at));
        }
    }
    found
}

/// Where the last stage of the program's kernels has gathers and scatters, but for those in what a main part leaves that has none.
fn gathered(db: &Database, file: File, options: Options) -> HashSet<Place> {
    let mut found = HashSet::new();
    for &item in file_items(db, file) {
        let lowering = sequential(db, item);
        let stages = reached(db, item, options);
        let Some(reached) = stages.last() else { continue };
        let kernel = &reached.kernel;
        let mut of_main = HashSet::new();
        let is_rest = |op: ir::Op| kernel.origins[kernel.ops[op].origin].rest_of.is_some();
        kernel.walk(kernel.body, &mut |_, op| {
            if !is_rest(op) {
                of_main.insert(kernel.origins[kernel.ops[op].origin].place);
            }
        });
        kernel.walk(kernel.body, &mut |_, op| {
            let data = &kernel.ops[op];
            if is_rest(op) && of_main.contains(&kernel.origins[data.origin].place) {
                return;
            }
            // What stands in the prelude has no notes.
            let place = lowering.places.get(kernel.origins[data.origin].place as usize);
            let is_own = place.is_some_and(|(key, _)| !key.in_prelude());
            // One lane has no neighbours to be told of.
            let is_alone =
                !data.operands.iter().any(|&operand| kernel.ty(operand).lanes().is_some_and(|lanes| lanes > 1));
            if is_own && !is_alone && matches!(data.code, Code::Gather | Code::Scatter) {
                found.extend(lowering.place_of(kernel, data.origin).cloned());
            }
        });
    }
    found
}

/// Where all lanes store to one cell.
fn stores_to_one_cell(db: &Database, file: File) -> HashSet<Place> {
    let mut found = HashSet::new();
    for &item in file_items(db, file) {
        let facts = of_kernel(db, item);
        let stores = facts.accesses.iter().filter(|access| access.class == Class::UniformStore);
        found.extend(stores.map(|access| (facts.items[access.site.item as usize].clone(), access.site.at)));
    }
    found
}

/// How notes and stages contradict each other on a target, if they do; and how many notes there are.
fn compare(text: &str, target: &'static Target) -> Result<usize, String> {
    let options = Options { target, lanes: None };
    let mut db = Database::default();
    db.set_made_for(&[options]);
    let file = File::new(&db, Arc::from(text));
    // A program with an error is not made into anything: a `foreach` whose iterations collide, for one.
    if check::diagnostics(&db, file).iter().any(|found| found.severity == Severity::Error) {
        return Ok(0);
    }
    let noted = noted(&db, file);
    let of = |codes: &[&str]| -> HashSet<Place> {
        codes.iter().filter_map(|code| noted.get(code)).flatten().cloned().collect()
    };
    let (for_good, for_now) = (of(&FOR_GOOD), of(&FOR_NOW));
    // Where all lanes store to one cell, that there is one cell is what has to be said, and verdicts say it.
    let to_one = stores_to_one_cell(&db, file);
    let left = gathered(&db, file, options);
    let missing: Vec<_> = left
        .iter()
        .filter(|place| !for_good.contains(place) && !for_now.contains(place) && !to_one.contains(place))
        .collect();
    if !missing.is_empty() {
        return Err(format!("gathers without a note: {missing:?}"));
    }
    let wrong: Vec<_> = for_good.iter().filter(|place| !left.contains(place)).collect();
    if !wrong.is_empty() {
        return Err(format!("notes without a gather: {wrong:?}"));
    }
    Ok(for_good.len())
}

#[test]
fn gathers_have_notes_and_notes_have_gathers() {
    let mut n_notes = 0;
    for (path, text) in common::files("examples", "lane") {
        for target in TARGETS {
            let how_many = compare(&text, target);
            n_notes += how_many.unwrap_or_else(|how| panic!("{} on {}\n{how}", path.display(), target.name));
        }
    }
    let cases = generate::cases(150);
    for seed in generate::seeds(cases) {
        let generated = generate::program(seed);
        let target = &TARGETS[seed as usize % TARGETS.len()];
        n_notes += compare(&generated.text, target).unwrap_or_else(|first| {
            let small = generate::shrink(generated, &mut |it| compare(&it.text, target).is_err());
            let how = compare(&small.text, target).err().unwrap_or(first);
            panic!("seed {seed} on {}\n{}\n{how}", target.name, small.text)
        });
    }
    assert!(n_notes as u64 > cases / 4, "{n_notes}");
}

/// What stands around the lines of a row: arrays and numbers of all kinds.
const HEADER: &str = "\
struct P:
    x: f32
    y: f32

fn pick(a: f32[k], at: i32) -> f32:
    return a[at]

kernel k(a: f32[n], b: f32[n], out: f32[n], m: f32[h, w], p: P[n], idx: i32[n], q: i64[n], t: f32[16], n: i32, h: i32, w: i32, k: i32):
";

/// Lines of a kernel and the codes of its notes, in order, apart from those on loops.
const CONSTRUCTS: &[(&str, &[&str])] = &[
    // Subscripts.
    ("for i in range(n):\n out[i] = a[i]", &[]),
    ("for i in range(1, n):\n out[i] = a[i - 1]", &[]),
    ("for i in range(n):\n out[i] = a[n - 1 - i]", &[]),
    ("for i in range(n):\n out[i] = a[k]", &[]),
    ("for i in range(n):\n out[i] = a[i // 2]", &[]),
    ("for i in range(n):\n out[i] = a[i >> 1]", &[]),
    ("for i in range(n):\n out[i] = a[i & 3]", &[]),
    ("for i in range(n // 2):\n out[i] = a[2 * i]", &["strided-load"]),
    ("for i in range(n // 2):\n out[2 * i] = a[i]", &["strided-store"]),
    ("for i in range(n):\n out[i] = a[idx[i]]", &["gather-varying-index"]),
    ("for i in range(n):\n out[i] = a[idx[k]]", &[]),
    ("for i in range(n):\n out[i] = a[idx[idx[i]]]", &["gather-varying-index", "gather-varying-index"]),
    (
        "for i in range(n):\n let at = idx[i]\n out[i] = a[at] + b[at]",
        &["gather-varying-index", "gather-varying-index"],
    ),
    ("for i in range(n):\n out[i] = a[i * i % n]", &["gather-varying-index", "varying-division"]),
    ("foreach i in range(n):\n out[idx[i]] = a[i]", &["scatter-varying-index"]),
    ("foreach i in range(n):\n out[idx[i]] = a[idx[i]]", &["scatter-varying-index", "gather-varying-index"]),
    // Few cells, which are known to be in the array, or not.
    ("for i in range(n):\n out[i] = t[idx[i] & 15]", &[]),
    ("for i in range(n):\n if a[i] > 0:\n  out[i] = t[idx[i] & 7] + t[i % 3]", &[]),
    ("for i in range(n):\n out[i] = t[idx[i] & 31]", &["gather-varying-index"]),
    ("for i in range(n):\n out[i] = t[idx[i]]", &["gather-varying-index"]),
    ("for i in range(n):\n out[i] = a[i % 3]", &["gather-varying-index"]),
    // Rows and columns.
    ("for i in range(h):\n for j in range(w):\n  m[i, j] = 1", &[]),
    ("foreach j in range(w):\n m[k, j] = m[k, j] * 2", &[]),
    ("foreach i in range(h):\n m[i, k] = 1", &["strided-store"]),
    ("foreach i in range(h):\n out[i] = m[i, k]", &["strided-load"]),
    ("foreach j in range(w):\n out[j] = m[idx[j], j]", &["gather-varying-index"]),
    // Slices.
    ("let s = a[1:]\nfor i in range(n - 1):\n out[i] = s[i]", &[]),
    ("let s = a[::2]\nfor i in range(n // 2):\n out[i] = s[i]", &["strided-load"]),
    // Fields.
    ("for i in range(n):\n out[i] = p[i].x", &["strided-load"]),
    ("for i in range(n):\n p[i].y = a[i]", &["strided-store"]),
    ("for i in range(n):\n out[i] = p[idx[i]].x", &["gather-varying-index"]),
    ("for i in range(n):\n out[i] = p[k].x", &[]),
    // Functions: what is noted there is noted once.
    ("for i in range(n):\n out[i] = pick(a, i)", &[]),
    ("for i in range(n):\n out[i] = pick(a, idx[i])", &["gather-varying-index"]),
    ("for i in range(n):\n out[i] = pick(a, k)", &[]),
    // Control.
    ("for i in range(n):\n if a[i] > 0:\n  out[i] = b[i]", &[]),
    ("for i in range(n):\n if a[i] > 0:\n  out[i] = b[idx[i]]", &["gather-varying-index"]),
    ("for i in range(n):\n if k > 0:\n  out[i] = b[idx[i]]", &["gather-varying-index"]),
    ("for i in range(n):\n out[i] = a[i] if k > 0 else b[k]", &[]),
    ("foreach i in range(n):\n let j = 0\n while j < k:\n  out[i] += a[j]\n  j += 1", &[]),
    ("foreach i in range(n):\n let j = 0\n while j < idx[i]:\n  out[i] += a[j]\n  j += 1", &[]),
    ("foreach i in range(n):\n for j in range(k):\n  out[i] += a[i + j]", &[]),
    ("foreach i in range(n):\n for j in range(k):\n  out[i] += a[j]", &[]),
    ("foreach i in range(n):\n for j in range(k):\n  out[i] += a[idx[i] + j]", &["gather-varying-index"]),
    // Arithmetic.
    ("for i in range(n):\n idx[i] = idx[i] // 3", &[]),
    ("for i in range(n):\n idx[i] = 100 // max(1, idx[i])", &["varying-division"]),
    ("for i in range(n):\n idx[i] = idx[i] // k", &["varying-division"]),
    ("for i in range(n):\n idx[i] = i + n // k", &[]),
    ("for i in range(n):\n out[i] = f32(idx[i])", &[]),
    ("for i in range(n):\n out[i] = f32(q[i])", &["wide-conversion"]),
    ("for i in range(n):\n out[i] = f32(q[k])", &[]),
    // What stood against lanes is gone once the array is in registers.
    (
        "let v = 0.0\nforeach i in range(n):\n if true:\n  v = p[0].x\n let t = [1.0, 2.0]\n out[i] = a[idx[i]] + t[1]",
        &["gather-varying-index"],
    ),
    // Loops without lanes pay for nothing.
    ("for i in range(1, n):\n out[i] = out[i - 1] + a[idx[i]]", &[]),
    ("let s = a[idx[k]]\nout[k] = s", &[]),
];

#[test]
fn each_construct_has_its_notes() {
    let mut wrong = String::new();
    for (lines, wanted) in CONSTRUCTS {
        // A space stands for a level.
        let body: String = lines
            .lines()
            .map(|line| {
                let text = line.trim_start();
                format!("{}{text}\n", "    ".repeat(1 + line.len() - text.len()))
            })
            .collect();
        let text = HEADER.to_owned() + &body;
        let db = Database::default();
        let file = File::new(&db, Arc::from(&*text));
        let found = check::diagnostics(&db, file);
        if let Some(error) = found.iter().find(|found| found.severity == Severity::Error) {
            panic!("{lines}\n{}", error.message);
        }
        let mut codes: Vec<&str> = found.iter().map(|found| found.code.name()).collect();
        codes.retain(|code| [&FOR_GOOD[..], &FOR_NOW, &ARITHMETIC].concat().contains(code));
        if codes != *wanted {
            wrong += &format!("{lines}\n  wanted {wanted:?}, found {codes:?}\n");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn loops_with_computed_bounds_are_judged_like_others() {
    let errors = |text: &str| -> Vec<&str> {
        let db = Database::default();
        let found = check::diagnostics(&db, File::new(&db, Arc::from(text)));
        found.iter().filter(|found| found.severity == Severity::Error).map(|found| found.code.name()).collect()
    };
    let collides = "kernel k(a: i32[n], n: i32):\n    foreach i in range(BOUND):\n        a[2] = i\n";
    let promised =
        "kernel k(a: i32[n], n: i32):\n    @simd\n    for i in range(1, BOUND):\n        a[i] = a[i - 1] / 3\n";
    for bound in ["n", "n - 1", "i32(u8(n))", "n if n < 9 else 9"] {
        assert_eq!(errors(&collides.replace("BOUND", bound)), ["foreach-collides"], "{bound}");
        assert_eq!(errors(&promised.replace("BOUND", bound)), ["broken-simd"], "{bound}");
    }
}

/// Fields of an array of structs are all strided for one reason, so there is one note on the loads and one on the stores; who asks
/// about a place finds it noted there.
#[test]
fn notes_with_one_cause_are_one_note_with_its_places() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/particles.lane");
    let text = &*std::fs::read_to_string(path).expect("an example");
    let db = Database::default();
    let file = File::new(&db, Arc::from(text));
    let line = |at: TextRange| text[..at.start().into()].lines().count();
    let shown = |found: Vec<report::Diagnostic>| -> Vec<String> {
        let notes = found.iter().filter(|found| found.severity == Severity::Note);
        let show = |found: &report::Diagnostic| {
            let related = found.related.iter().map(|it| format!("; {}: {}", line(it.range), it.message));
            format!("{}: {}{}", line(found.range), found.code, related.collect::<String>())
        };
        notes.map(show).collect()
    };
    let places = file_items(&db, file).iter().flat_map(|&item| {
        let start = check::start_of(&db, item).unwrap_or_default();
        check::item_diagnostics(&db, item, start)
    });
    let places = shown(places.collect());
    let listed = shown(check::diagnostics(&db, file));
    let codes: Vec<&str> = listed.iter().filter_map(|note| note.split([' ', ';']).nth(1)).collect();
    assert_eq!(codes, ["strided-store", "strided-load", "strided-load"], "{listed:#?}");
    let n_others: usize = listed.iter().map(|note| note.matches("and here").count()).sum();
    assert_eq!(listed.len() + n_others, places.len(), "{listed:#?}");
}
