//! From source to the last stage of Lane IR, and how the time per statement grows with the size of a kernel.
//!
//! Each row is one part of the way; what comes before it is done already. The last column says how the time per statement at 2,000
//! statements relates to that at 125 (1.0 is linear).

use std::fmt::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

use mimalloc::MiMalloc;
use queries::db::{Database, File};
use queries::stages::Options;

/// A kernel of that many statements in one block, most of which define a variable that some later one uses.
fn block(statements: usize) -> String {
    let mut text =
        String::from("kernel k(a: f32[n], out: f32[n], n: i32):\n    for i in range(n):\n        let v0 = a[i]\n");
    for n in 1..statements {
        let _ = match n % 5 {
            0 => write!(
                text,
                "        if v{} > {n}:\n            v{} += 1\n        let v{n} = v{}\n",
                n - 1,
                n - 1,
                n / 2
            ),
            _ => writeln!(text, "        let v{n} = v{} * {n} + v{}", n - 1, n / 2),
        };
    }
    text + &format!("        out[i] = v{}\n", statements - 1)
}

/// A kernel of that many statements in many loops: arithmetic, branches, loops, early exits and calls, as in the examples.
fn loops(statements: usize) -> String {
    let mut text = String::from("fn mix(x, y):\n    let d = x - y\n    return x * 0.5 + d * d\n\n");
    text += "kernel k(a: f32[n], b: f32[n], out: f32[n], n: i32) -> f32:\n    let sum = 0.0\n";
    for block in 0..statements.div_ceil(10) {
        let _ = write!(
            text,
            "    for i in range(1, n):
        let x = a[i] * {block}.5
        let y = b[i - 1] + x * x
        if x > y:
            y = mix(x, y)
        elif y > 100:
            continue
        sum += y
        out[i] = y + a[i] * {block}.5
"
        );
    }
    text + "    return sum\n"
}

/// The least time of many runs, so that other work on the machine does not count; what a run works on is made before.
fn time<T, R>(make: impl Fn() -> T, mut run: impl FnMut(&T) -> R) -> Duration {
    let once = |run: &mut dyn FnMut(&T) -> R| {
        let made = make();
        let start = Instant::now();
        let result = run(&made);
        let took = start.elapsed();
        drop(result);
        took
    };
    (0..60).map(|_| once(&mut run)).min().unwrap_or_default()
}

/// What is measured, each by name with its time.
fn measure(text: &str) -> Vec<(&'static str, Duration)> {
    let file = |db: &Database| File::new(db, Arc::from(text));
    let types = |db: &Database, file: File| {
        let item = queries::named(db, file, "k".into()).expect("the kernel");
        queries::infer(db, item);
    };
    let fresh = || {
        let db = Database::default();
        let file = file(&db);
        (db, file)
    };
    let typed = || {
        let (db, file) = fresh();
        types(&db, file);
        (db, file)
    };
    let lowered = || {
        let (db, file) = typed();
        queries::sequential(&db, queries::named(&db, file, "k".into()).expect("the kernel"));
        (db, file)
    };
    let lower = |(db, file): &(Database, File)| {
        let item = queries::named(db, *file, "k".into()).expect("the kernel");
        let lowering = queries::sequential(db, item);
        assert!(lowering.findings.is_empty(), "{:?}", lowering.findings);
    };
    let finish = |(db, file): &(Database, File)| {
        let item = queries::named(db, *file, "k".into()).expect("the kernel");
        queries::reached(db, item, Options::default()).len()
    };
    vec![
        ("text to types", time(fresh, |(db, file)| types(db, *file))),
        ("HIR to sequential", time(typed, lower)),
        ("sequential to the last stage", time(lowered, finish)),
        ("all of it", time(fresh, finish)),
    ]
}

/// The command's allocator.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() {
    let sizes = [30, 125, 500, 2000];
    for (shape, kernel) in [("many loops", loops as fn(usize) -> String), ("one block", block)] {
        show(shape, &sizes, &sizes.map(|size| measure(&kernel(size))));
    }
}

fn show(shape: &str, sizes: &[usize], measured: &[Vec<(&'static str, Duration)>]) {
    print!("{:30}", format!("{shape}, us per statement"));
    sizes.iter().for_each(|size| print!("{size:>10}"));
    println!("{:>20}", "growth 125 to 2000");
    for (row, (name, _)) in measured[0].iter().enumerate() {
        let per_statement = |n: usize| measured[n][row].1.as_secs_f64() * 1e6 / sizes[n] as f64;
        print!("{name:30}");
        (0..sizes.len()).for_each(|n| print!("{:10.2}", per_statement(n)));
        println!("{:20.2}", per_statement(3) / per_statement(1));
    }
    let [_, lower, finish, _] = &measured[0][..] else { return };
    println!("30 statements, HIR to the last stage: {:.3} ms", (lower.1 + finish.1).as_secs_f64() * 1e3);
}
