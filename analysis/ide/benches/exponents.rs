//! The growth of the time for one kernel with each thing that a kernel can have many of: statements, depth of branches, `continue`s,
//! subscripts, stores, arrays, loops.
//!
//! `cargo bench -p ide --bench exponents`, with words after `--` for some of the families alone, or with the path of a `.lane` file,
//! whose first kernel is taken apart instead. The word `passes` shows the slowest passes of each family, too. Each family is written at two sizes; the exponent says by which power of its size
//! the time grows from one to the other (1.0 is linear). Absolute times depend on the machine.

use std::fmt::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

use queries::db::{Database, File, Item, made_for};
use queries::{check, lanes, lowering};

/// A family of kernels: its name, the text for a size, and the two sizes.
type Family = (&'static str, fn(usize) -> String, [usize; 2]);

const FAMILIES: [Family; 15] = [
    ("statements, a chain of lets", chain, [1250, 5000]),
    ("statements of three arrays", |n| statements(n, 3), [1250, 5000]),
    ("statements of forty arrays", |n| statements(n, 40), [1250, 5000]),
    ("statements of three stencils", stencils, [1250, 5000]),
    ("assignments to one variable", assignments, [1250, 5000]),
    ("guarded continues", continues, [312, 1250]),
    ("guarded continues with stores", guarded, [156, 625]),
    ("nested ifs", ifs, [10, 40]),
    ("nests of 40 ifs", nests, [15, 60]),
    ("lines of a foreach of deep ifs", deep, [143, 572]),
    ("lines of a foreach of a tree of ifs", tree, [143, 572]),
    ("non-linear subscripts", non_linear, [1250, 5000]),
    ("stores to one array", stores, [1250, 5000]),
    ("arrays", arrays, [300, 1200]),
    ("loops", loops, [625, 2500]),
];

fn chain(n: usize) -> String {
    let mut text =
        "kernel k(a: f32[n], out: f32[n], n: i32):\n    for i in range(n):\n        let x0 = a[i]\n".to_owned();
    for k in 1..=n {
        let _ = writeln!(text, "        let x{k} = x{} * 0.5 + {k}.0", k - 1);
    }
    text + &format!("        out[i] = x{n}\n")
}

fn statements(n: usize, n_arrays: usize) -> String {
    let params: Vec<String> = (0..n_arrays).map(|k| format!("a{k}: f32[n], ")).collect();
    let mut text = format!("kernel k({}n: i32):\n    for i in range(1, n - 1):\n", params.concat());
    for k in 0..n {
        let [to, from, other] = [k, k + 1, k + 2].map(|k| k % n_arrays);
        let _ = writeln!(text, "        a{to}[i] = a{from}[i] * {k}.5 + a{other}[i]");
    }
    text
}

/// Cells beside each other, as a stencil has them.
fn stencils(n: usize) -> String {
    let mut text = "kernel k(a: f32[n], b: f32[n], c: f32[n], n: i32):\n    for i in range(8, n - 8):\n".to_owned();
    for k in 0..n {
        let [to, from] = [k % 3, (k + 1) % 3].map(|k| ["a", "b", "c"][k]);
        let [left, right] = [k % 4, k % 5].map(|k| k + 1);
        let _ = writeln!(text, "        {to}[i] = {from}[i - {left}] * {k}.5 + {from}[i + {right}]");
    }
    text
}

fn assignments(n: usize) -> String {
    let mut text =
        "kernel k(a: f32[n], out: f32[n], n: i32):\n    for i in range(n):\n        let x = a[i]\n".to_owned();
    for k in 0..n {
        let _ = writeln!(text, "        x = x * {k}.5 + 1.0");
    }
    text + "        out[i] = x\n"
}

fn continues(n: usize) -> String {
    let mut text =
        "kernel k(a: f32[n], out: f32[n], n: i32):\n    for i in range(n):\n        let x = a[i]\n".to_owned();
    for k in 0..n {
        let _ = writeln!(text, "        if x > {k}.0:\n            continue");
    }
    text + "        out[i] = x\n"
}

fn guarded(n: usize) -> String {
    let mut text =
        "kernel k(a: f32[n], out: f32[n], n: i32):\n    for i in range(n):\n        let x = a[i]\n".to_owned();
    for k in 0..n {
        let _ = write!(text, "        x += 1.0\n        if x > {k}.0:\n            out[i] = x\n            continue\n");
    }
    text + "        out[i] = x * 2.0\n"
}

fn ifs(n: usize) -> String {
    let mut text =
        "kernel k(a: f32[n], out: f32[n], n: i32):\n    for i in range(n):\n        let x = a[i]\n".to_owned();
    for k in 0..n {
        let indent = "    ".repeat(k + 2);
        let _ = writeln!(text, "{indent}if x > {k}.0:\n{indent}    x = x * 0.5");
    }
    text + "        out[i] = x\n"
}

/// Nests of 40 ifs, one behind the other.
fn nests(n: usize) -> String {
    let mut text =
        "kernel k(a: f32[n], out: f32[n], n: i32):\n    for i in range(n):\n        let x = a[i]\n".to_owned();
    for nest in 0..n {
        for k in 0..40 {
            let indent = "    ".repeat(k + 2);
            let _ = writeln!(text, "{indent}if x > {nest}.{k}:\n{indent}    x = x * 0.5");
        }
    }
    text + "        out[i] = x\n"
}

/// A `foreach` of so many lines: branches inside of branches, twelve deep, each with an `else`, a variable and a store.
fn deep(n_lines: usize) -> String {
    let mut lines = vec![
        "kernel k(a: f32[n], b: f32[n], out: f32[n], n: i32):".to_owned(),
        "    foreach i in range(n):".to_owned(),
        "        let x = a[i]".to_owned(),
        "        let y = b[i]".to_owned(),
    ];
    while lines.len() < n_lines {
        let mut open: Vec<usize> = Vec::new();
        while open.len() < 12 && lines.len() + 4 * open.len() + 8 <= n_lines.max(12) {
            let (depth, k) = (open.len(), lines.len());
            let indent = "    ".repeat(depth + 2);
            let condition = ["x", "y", "a[i]", "b[i] + x"][k % 4];
            lines.push(format!("{indent}if {condition} > {k}.5:"));
            lines.push(format!("{indent}    x = x * y + {k}.0"));
            lines.push(format!("{indent}    out[i] = x"));
            open.push(depth);
        }
        if open.is_empty() {
            lines.push(format!("        x += {}.0", lines.len()));
        }
        while let Some(depth) = open.pop() {
            let indent = "    ".repeat(depth + 2);
            lines.push(format!("{indent}else:"));
            lines.push(format!("{indent}    y = y - x"));
            lines.push(format!("{indent}    out[i] = y * {}.0", lines.len()));
        }
    }
    lines.join("\n") + "\n        out[i] = x + y\n"
}

/// A `foreach` of about so many lines: branches on both sides of branches.
fn tree(n_lines: usize) -> String {
    fn branch(lines: &mut Vec<String>, depth: usize, n_lines: usize) {
        let indent = "    ".repeat(depth + 2);
        let k = lines.len();
        if n_lines < 8 {
            return lines.push(format!("{indent}x = x * y + {k}.0"));
        }
        lines.push(format!("{indent}if {} > {k}.0:", ["x", "y", "a[i]", "x * y"][k % 4]));
        branch(lines, depth + 1, (n_lines - 4) / 2);
        lines.push(format!("{indent}else:"));
        lines.push(format!("{indent}    y = y + {k}.5"));
        branch(lines, depth + 1, (n_lines - 4) / 2);
        lines.push(format!("{indent}out[i] = x - y"));
    }
    let mut lines = vec![
        "kernel k(a: f32[n], b: f32[n], out: f32[n], n: i32):".to_owned(),
        "    foreach i in range(n):".to_owned(),
        "        let x = a[i]".to_owned(),
        "        let y = b[i]".to_owned(),
    ];
    branch(&mut lines, 0, n_lines);
    lines.join("\n") + "\n        out[i] = x + y\n"
}

fn non_linear(n: usize) -> String {
    let mut text = "kernel k(a: f32[n], x: i32[n], n: i32):\n    for i in range(n):\n".to_owned();
    for k in 0..n {
        let _ = writeln!(text, "        a[x[i] % {}] = {k}.0", k + 3);
    }
    text
}

fn stores(n: usize) -> String {
    let mut text = "kernel k(a: f32[n], b: f32[n], n: i32):\n    for i in range(n):\n".to_owned();
    for k in 0..n {
        let _ = writeln!(text, "        b[i + {k}] = a[i] * {k}.0");
    }
    text
}

fn arrays(n: usize) -> String {
    let params: Vec<String> = (0..n).map(|k| format!("a{k}: f32[n], ")).collect();
    let mut text = format!("kernel k({}n: i32):\n    for i in range(n):\n", params.concat());
    for k in 1..n {
        let _ = writeln!(text, "        a{k}[i] = a{}[i] * {k}.0", k - 1);
    }
    text
}

fn loops(n: usize) -> String {
    let mut text = "kernel k(a: f32[n], b: f32[n], n: i32):\n".to_owned();
    for k in 0..n {
        let _ = writeln!(text, "    for i{k} in range(n):\n        a[i{k}] = b[i{k}] * {k}.0");
    }
    text
}

/// A question about a kernel, by its name.
type Part = (&'static str, fn(&Database, Item<'_>));

/// The questions that are asked of a kernel while it is typed, and about its last stage, in an order in which each part finds those before it done.
const PARTS: [Part; 6] = [
    ("types", |db, item| {
        let _ = queries::infer(db, item);
    }),
    ("sequential", |db, item| {
        let _ = lowering::sequential(db, item);
    }),
    ("verdicts", |db, item| {
        let _ = lowering::verdicts(db, item);
    }),
    ("stages", |db, item| {
        let _ = queries::reached(db, item, made_for(db));
    }),
    ("facts", |db, item| {
        let _ = lanes::of_item(db, item);
    }),
    ("findings", |db, item| {
        let _ = check::report(db, item);
    }),
];

/// The time after which a kernel is not measured once more.
const ENOUGH: Duration = Duration::from_secs(5);

/// The time that each part takes, the least of several runs.
fn measure(text: &str) -> Vec<Duration> {
    let mut least = vec![Duration::MAX; PARTS.len()];
    let start = Instant::now();
    for _ in 0..5 {
        with_kernel(text, |db, kernel| {
            for ((_, part), least) in PARTS.iter().zip(&mut least) {
                let start = Instant::now();
                part(db, kernel);
                *least = (*least).min(start.elapsed());
            }
        });
        if start.elapsed() > ENOUGH {
            break;
        }
    }
    least
}

/// The kernel of a text, in a database of its own.
fn with_kernel(text: &str, ask: impl FnOnce(&Database, Item<'_>)) {
    let db = Database::default();
    let file = File::new(&db, Arc::from(text));
    let items = queries::db::file_items(&db, file);
    let kernel = items.iter().copied().find(|item| item.kind(&db) == report::ItemKind::Kernel).expect("a kernel");
    ask(&db, kernel);
}

/// The passes that take long, each with its time.
fn slowest_passes(text: &str) -> Vec<(&'static str, &'static str, Duration)> {
    let mut passes = Vec::new();
    with_kernel(text, |db, kernel| {
        let reached = queries::reached(db, kernel, made_for(db));
        let runs = reached.iter().flat_map(|stage| stage.passes.iter().map(|pass| (stage.stage, pass)));
        passes = runs.map(|(stage, pass)| (stage, pass.name, pass.time)).collect();
    });
    let all: Duration = passes.iter().map(|(.., time)| *time).sum();
    passes.retain(|(.., time)| *time * 33 > all);
    passes.sort_by_key(|(.., time)| std::cmp::Reverse(*time));
    passes
}

fn main() {
    let mut wanted: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with("--")).collect();
    let with_passes = wanted.iter().any(|word| word == "passes");
    wanted.retain(|word| word != "passes");
    for path in wanted.iter().filter(|word| word.ends_with(".lane")) {
        let text = std::fs::read_to_string(path).expect("a file that can be read");
        println!("{path}");
        for ((name, _), took) in PARTS.iter().zip(measure(&text)) {
            println!("    {name:<12} {took:>10.2?}");
        }
    }
    print!("{:<32}", "");
    PARTS.iter().for_each(|(name, _)| print!("{name:>18}"));
    println!("{:>18}", "all");
    let is_wanted = |name: &str| wanted.is_empty() || wanted.iter().any(|word| name.contains(word.as_str()));
    for (name, text, sizes) in FAMILIES.iter().filter(|(name, ..)| is_wanted(name)) {
        let [mut small, mut large] = sizes.map(|size| measure(&text(size)));
        [&mut small, &mut large].into_iter().for_each(|times| times.push(times.iter().sum()));
        print!("{:<32}", format!("{} {name}", sizes[1]));
        for (small, large) in small.iter().zip(&large) {
            let exponent = (large.as_secs_f64() / small.as_secs_f64()).log(sizes[1] as f64 / sizes[0] as f64);
            print!("{:>18}", format!("{:.1} ms ({exponent:.2})", large.as_secs_f64() * 1e3));
        }
        println!();
        if with_passes {
            for (stage, pass, time) in slowest_passes(&text(sizes[1])) {
                println!("    {stage:>12}: {pass:<20} {:>8.1} ms", time.as_secs_f64() * 1e3);
            }
        }
    }
}
