//! What is told for a target is what that target gets: each loop and access as the stages have it, and promises that are
//! judged by the same.

use crate::common;
use crate::generate;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use facts::Class;
use insight::{Access, KernelFacts};
use ir::Code;
use ir::target::{TARGETS, Target, find};
use passes::AccessForm;
use queries::check;
use queries::db::{Database, File};
use queries::db::{Item, file_items};
use queries::lanes::{of_kernel, of_kernel_for};
use queries::stages::Options;
use queries::{reached, sequential};
use report::Severity;

/// The catalogue, whose kernels are programs like any other.
const PAGES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reasons.md");

/// What the stages have at each place of a kernel.
#[derive(Default)]
struct Counted {
    /// The lanes of loops; of several, the fewest.
    lanes: BTreeMap<(String, u32), u16>,
    /// Gathers and scatters, but for those of what a main part leaves that has none.
    scattered: BTreeSet<(String, u32, bool)>,
    /// Those of what main parts leave, which promises are about, too.
    left: BTreeSet<(String, u32, bool)>,
    /// Compressing stores and expanding loads.
    packed: BTreeSet<(String, u32, bool)>,
}

impl Counted {
    /// Places are counted as they are told: an item's name and where in it something starts.
    fn of(db: &Database, item: Item<'_>, options: Options) -> Counted {
        let (lowering, stages) = (sequential(db, item), reached(db, item, options));
        let mut counted = Counted::default();
        let place = |place: u32| {
            let (key, at) = &lowering.places[place as usize];
            (format!("{key:?}"), u32::from(at.start()))
        };
        let vector = stages.iter().find(|stage| stage.stage == "vector").map(|stage| &stage.kernel);
        // The places that are accessed in each loop in lanes.
        let mut of_loops: Vec<BTreeSet<u32>> = Vec::new();
        for kernel in vector.into_iter() {
            let place_of = |op: ir::Op| kernel.origins[kernel.ops[op].origin].place;
            kernel.walk(kernel.body, &mut |_, op| {
                if kernel.ops[op].code == Code::VectorFor {
                    let mut accessed = BTreeSet::new();
                    kernel.walk_inside(op, &mut |inner| {
                        let views = kernel.ops[inner].operands.iter().any(|&value| kernel.ty(value).is_view());
                        accessed.extend(views.then(|| place_of(inner)));
                    });
                    of_loops.push(accessed);
                }
                if kernel.ops[op].code == Code::VectorFor
                    && let Some(lanes) = kernel.control(op).and_then(|control| control.width)
                {
                    let known = counted.lanes.entry(place(kernel.origins[kernel.ops[op].origin].place));
                    let known = known.or_insert(lanes);
                    *known = lanes.min(*known);
                }
            });
        }
        for kernel in stages.last().map(|stage| &stage.kernel).into_iter() {
            let is_rest = |op: ir::Op| kernel.origins[kernel.ops[op].origin].rest_of.is_some();
            let mut of_main: BTreeSet<u32> = BTreeSet::new();
            kernel.walk(kernel.body, &mut |_, op| {
                of_main.extend((!is_rest(op)).then_some(kernel.origins[kernel.ops[op].origin].place));
            });
            // Accesses that go together are at the place of one of them: where a main part has that, it has them all.
            let accessed = of_loops.iter().filter(|accessed| !accessed.is_disjoint(&of_main)).flatten().copied();
            of_main.extend(accessed.collect::<Vec<_>>());
            kernel.walk(kernel.body, &mut |_, op| {
                let data = &kernel.ops[op];
                let is_left = is_rest(op) && of_main.contains(&kernel.origins[data.origin].place);
                let (name, at) = place(kernel.origins[data.origin].place);
                let stores = matches!(data.code, Code::Scatter | Code::CompressStore);
                match data.code {
                    Code::Gather | Code::Scatter if is_left => _ = counted.left.insert((name, at, stores)),
                    Code::Gather | Code::Scatter => _ = counted.scattered.insert((name, at, stores)),
                    Code::ExpandLoad | Code::CompressStore => _ = counted.packed.insert((name, at, stores)),
                    _ => {}
                }
            });
        }
        counted
    }

    /// What is told otherwise than it is.
    fn contradictions(&self, facts: &KernelFacts) -> Vec<String> {
        let mut wrong = Vec::new();
        let told = |form: AccessForm| -> BTreeSet<(String, u32, bool)> {
            let of_form = facts.accesses.iter().filter(|access| access.form == Some(form));
            of_form
                .map(|it| (format!("{:?}", facts.items[it.site.item as usize]), it.site.at.start().into(), it.stores))
                .collect()
        };
        let scattered = told(AccessForm::Scattered);
        let promised =
            facts.accesses.iter().filter(|it| it.is_promised).map(|it| {
                (format!("{:?}", facts.items[it.site.item as usize]), u32::from(it.site.at.start()), it.stores)
            });
        let promised: BTreeSet<_> = promised.filter(|at| self.left.contains(at)).collect();
        let there: BTreeSet<_> = self.scattered.union(&promised).cloned().collect();
        wrong.extend(scattered.symmetric_difference(&there).map(|at| format!("gather or scatter: {at:?}")));
        // Where one copy of an access is packed and another one scattered, the dearer is told; a builtin that packs is no access.
        let is_access = |(name, at, stores): &&(String, u32, bool)| {
            let is_it = |it: &Access| u32::from(it.site.at.start()) == *at && it.stores == *stores;
            facts.accesses.iter().any(|it| is_it(it) && format!("{:?}", facts.items[it.site.item as usize]) == *name)
        };
        let packed: BTreeSet<_> = self.packed.difference(&self.scattered).filter(is_access).cloned().collect();
        let told_packed = told(AccessForm::Packed);
        wrong.extend(told_packed.symmetric_difference(&packed).map(|at| format!("packed: {at:?}")));
        let n_told = facts.loops.iter().filter(|it| it.lanes.is_some()).count();
        if n_told < self.lanes.len() {
            wrong.push(format!("{} loops have lanes, and {n_told} are told", self.lanes.len()));
        }
        let lanes: BTreeSet<u16> = facts.loops.iter().filter_map(|it| it.lanes).collect();
        let has: BTreeSet<u16> = self.lanes.values().copied().collect();
        if lanes != has {
            wrong.push(format!("lanes told {lanes:?}, lanes there are {has:?}"));
        }
        wrong
    }
}

/// A loop with fewer iterations than a group has lanes: its main part goes away, with the stores that it does together.
const TOO_SHORT: &str = "\
kernel k(a: i64[9]):
    foreach i in range(9 / 4):
        a[4 * i + 1] = 0
        a[4 * i + 2] = 0
        a[4 * i + 3] = 0
        a[4 * i] = 0
";

/// What is wrong with what is told of a program on a target; and how many accesses and loops were looked at.
fn compare(text: &str, target: &'static Target) -> Result<usize, String> {
    let options = Options { target, lanes: None };
    let mut db = Database::default();
    db.set_made_for(&[options]);
    let file = File::new(&db, Arc::from(text));
    let mut n_looked_at = 0;
    for &item in file_items(&db, file) {
        let lowering = sequential(&db, item);
        if lowering.kernel.is_none() || !lowering.findings.is_empty() {
            continue;
        }
        let facts = of_kernel(&db, item);
        let wrong = Counted::of(&db, item, options).contradictions(facts);
        if !wrong.is_empty() {
            return Err(format!("`{}` on {}: {}", item.name(&db), target.name, wrong.join("; ")));
        }
        n_looked_at += facts.accesses.len() + facts.loops.len();
    }
    Ok(n_looked_at)
}

/// The kernels of a page in Markdown.
fn kernels_of(page: &str) -> Vec<String> {
    let blocks = page.split("```").skip(1).step_by(2);
    blocks
        .filter_map(|block| block.split_once('\n'))
        .filter(|(kind, _)| kind.starts_with("lane"))
        .map(|(_, text)| text.to_owned())
        .collect()
}

#[test]
fn what_is_told_for_a_target_is_what_its_stages_have() {
    let page = std::fs::read_to_string(PAGES).expect("the catalogue");
    let examples = common::files("examples", "lane").into_iter().map(|(_, text)| text);
    let written: Vec<String> = examples.chain(kernels_of(&page)).chain([TOO_SHORT.to_owned()]).collect();
    assert!(written.len() > 100, "the kernels of the pages are found");
    let mut n_looked_at = 0;
    for text in &written {
        for target in TARGETS {
            n_looked_at += compare(text, target).unwrap_or_else(|how| panic!("{how}\n{text}"));
        }
    }
    let cases = generate::cases(150);
    for seed in generate::seeds(cases) {
        let generated = generate::program(seed);
        for target in TARGETS.iter().skip(seed as usize % 6).step_by(6) {
            n_looked_at += compare(&generated.text, target).unwrap_or_else(|first| {
                let small = generate::shrink(generated.clone(), &mut |it| compare(&it.text, target).is_err());
                let how = compare(&small.text, target).err().unwrap_or(first);
                panic!("seed {seed}\n{}\n{how}", small.text)
            });
        }
    }
    assert!(n_looked_at > 1000, "{n_looked_at}");
}

#[test]
fn facts_for_a_target_do_not_depend_on_the_one_that_is_asked_about() {
    let text = "@no_gather\nkernel f(c: f32[16], x: i32[n], out: f32[n], n: i32):\n    for i in range(n):\n        out[i] = c[x[i] & 15]\n";
    let options = |name| Options { target: find(name).expect("a row of the table"), lanes: None };
    for about in ["avx2", "sse4"] {
        let mut db = Database::default();
        db.set_made_for(&[options(about)]);
        let file = File::new(&db, Arc::from(text));
        let item = file_items(&db, file)[0];
        let form = |name| {
            let facts = of_kernel_for(&db, item, options(name));
            facts.accesses.iter().find(|access| access.class == Class::Gather).and_then(|access| access.form)
        };
        assert_eq!(form("avx2"), Some(AccessForm::LookedUp));
        assert_eq!(form("sse4"), Some(AccessForm::Scattered));
    }
}

/// The errors of a program, with the targets that they name, for some targets.
fn errors(text: &str, names: &[&str]) -> Vec<(String, Vec<&'static str>)> {
    let mut db = Database::default();
    let options = names.iter().map(|name| Options { target: find(name).expect("a row of the table"), lanes: None });
    db.set_made_for(&options.collect::<Vec<_>>());
    let file = File::new(&db, Arc::from(text));
    let found = check::diagnostics(&db, file);
    let errors = found.into_iter().filter(|found| found.severity == Severity::Error);
    errors.map(|found| (found.code.to_string(), found.targets)).collect()
}

#[test]
fn promises_are_judged_for_each_target() {
    let few = "@no_gather\nkernel f(c: f32[16], x: i32[n], out: f32[n], n: i32):\n    for i in range(n):\n        out[i] = c[x[i] & 15]\n";
    assert_eq!(errors(few, &["avx2"]), []);
    assert_eq!(errors(few, &["sse4"]), [("broken-no-gather".to_owned(), vec![])]);
    assert_eq!(errors(few, &["avx2", "sse4", "neon"]), [("broken-no-gather".to_owned(), vec!["sse4"])]);
    // What holds nowhere names all that were asked for.
    let never = "kernel k(a: f32[n], n: i32):\n    @simd\n    for i in range(1, n):\n        a[i] = a[i - 1] + 1.0\n";
    assert_eq!(errors(never, &["avx2", "sse4"]), [("broken-simd".to_owned(), vec!["avx2", "sse4"])]);
    // Memory is promised above a kernel.
    let back = "@no_scratch\nkernel back(a: f32[n], out: f32[n], n: i32):\n    let s = scan(+, 0.0, a)\n    for i in range(n):\n        out[i] = s[n - 1 - i]\n";
    assert_eq!(errors(back, &["avx2", "neon"]), [("broken-no-scratch".to_owned(), vec!["avx2", "neon"])]);
    assert_eq!(errors(&back.replace("[n]", "[16]").replace("n - 1", "15"), &["avx2", "neon"]), []);
    // A budget holds where the table says so: gathers are dear without an instruction for them.
    let cost = "kernel f(c: f32[m], x: i32[n], out: f32[n], m: i32, n: i32):\n    @cost(1.5)\n    for i in range(n):\n        out[i] = c[x[i]]\n";
    assert_eq!(errors(cost, &["avx512", "sse4"]), [("broken-cost".to_owned(), vec!["sse4"])]);
    assert_eq!(errors(&cost.replace("1.5", "20"), &["avx512", "sse4"]), []);
    assert_eq!(
        errors(&cost.replace("1.5", "0.1"), &["avx512", "sse4"]),
        [("broken-cost".to_owned(), vec!["avx512", "sse4"])]
    );
    // Several loops under one mark are told one by one.
    let two = "@simd\nkernel k(a: f32[n], b: f32[n], n: i32):\n    for i in range(1, n):\n        a[i] = a[i - 1] + 1.0\n    for i in range(1, n):\n        b[i] = b[i - 1] + 1.0\n";
    let both = ("broken-simd".to_owned(), vec!["avx2", "neon"]);
    assert_eq!(errors(two, &["avx2", "neon"]), [both.clone(), both]);
}

/// That lanes are divided or converted one after the other is said of the targets that do so.
#[test]
fn divisions_and_conversions_are_noted_where_there_is_no_instruction() {
    let text = "\
kernel divide(a: i32[n], b: i32[n], out: i32[n], n: i32):
    for i in range(n):
        out[i] = a[i] / b[i]

kernel divide_bytes(a: i8[n], b: i8[n], out: i8[n], n: i32):
    for i in range(n):
        out[i] = a[i] / b[i]

kernel convert(a: i64[n], out: f64[n], n: i32):
    for i in range(n):
        out[i] = f64(a[i])
";
    let mut told = String::new();
    for target in TARGETS {
        let mut db = Database::default();
        let file = db.add_file("a.lane", Arc::from(text));
        db.set_made_for(&[Options { target, ..Options::default() }]);
        let found = check::diagnostics(&db, file);
        let lines = found.iter().map(|it| text[..usize::from(it.range.start())].matches("kernel").count());
        let noted: Vec<_> = found.iter().zip(lines).map(|(it, kernel)| format!("{kernel} {}", it.code)).collect();
        told += &format!("{}: {}\n", target.name, noted.join(", "));
    }
    expect_test::expect![[r#"
        sse4: 1 varying-division, 2 varying-division, 3 wide-conversion
        avx2: 1 varying-division, 2 varying-division, 3 wide-conversion
        avx512: 1 varying-division, 2 varying-division
        neon: 1 varying-division, 2 varying-division, 3 wide-conversion
        sve128: 2 varying-division
        sve256: 2 varying-division
        sve512: 2 varying-division
        rvv128: 
        rvv256: 
        rvv512: 
        wasm: 1 varying-division, 2 varying-division, 3 wide-conversion
        scalar: 
    "#]]
    .assert_eq(&told);
}
