//! What an edit costs, against checking everything from scratch, in a file of 50,000 lines.
//!
//! `cargo bench -p ide --bench edits`, with `-- statements` for the last two rows alone. Figures are medians of the
//! same run, and what counts are their ratios. A kernel of 2,000 statements shows that one item's cost grows with its
//! size and no faster.

use std::sync::Arc;
use std::time::{Duration, Instant};

use mimalloc::MiMalloc;
use queries::check;
use queries::db::{Database, File};
use queries::host::Host;
use syntax::TextSize;

const N_LINES: usize = 50_000;
const N_EDITS: usize = 200;

/// The command's allocator.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() {
    if std::env::args().all(|arg| arg != "statements") {
        whole_file();
    }
    let (small, large) = (long_kernel(200), long_kernel(2000));
    let (small, large) = (median(9, || from_scratch(&small)), median(5, || from_scratch(&large)));
    println!("200 statements              {:>10}", show(small));
    println!(
        "2,000 statements            {:>10}  {:>7.1}x of that",
        show(large),
        large.as_secs_f64() / small.as_secs_f64()
    );
}

/// The file, from scratch and after edits.
fn whole_file() {
    let text = program(N_LINES);
    let n_lines = text.lines().count();
    println!("{n_lines} lines, {} items, {} bytes", syntax::cut(&text).len(), text.len());

    let before = resident();
    let scratch = median(5, || from_scratch(&text));
    let database = Database::default();
    let file = File::new(&database, Arc::from(text.as_str()));
    // What its lanes pay for are notes, and those it may have.
    let found = check::diagnostics(&database, file);
    let error = found.iter().find(|found| found.severity == syntax::Severity::Error);
    assert!(error.is_none(), "{error:?}");
    let kilobytes = (resident() - before) / 1024;
    println!("from scratch                {:>10}", show(scratch));
    println!("memory                      {:>7} kB a 1,000 lines", kilobytes / (n_lines as u64 / 1000));
    drop(database);

    let edits = edits(&text);
    println!("a key: write phase          {:>10}  {:>8}", show(edits.write), ratio(scratch, edits.write));
    println!("a key: its item             {:>10}  {:>8}", show(edits.item), ratio(scratch, edits.item));
    println!("a key: the whole file       {:>10}  {:>8}", show(edits.file), ratio(scratch, edits.file));
    println!("a key, p95: its item        {:>10}  {:>8}", show(edits.item_p95), ratio(scratch, edits.item_p95));
    println!("memory after {} edits      {:+.1} %", 2 * N_EDITS, edits.growth);
}

/// What edits of one file cost.
struct Edits {
    write: Duration,
    item: Duration,
    item_p95: Duration,
    file: Duration,
    growth: f64,
}

/// Types keys into kernels all over the file and takes them back, and asks first for the kernel, then for all.
fn edits(text: &str) -> Edits {
    let mut host = Host::default();
    host.set_text("a.lane", text);
    ask(&mut host, None);
    let before = resident();
    let (mut write, mut item, mut file) = (Vec::new(), Vec::new(), Vec::new());
    let places: Vec<usize> = text.match_indices("scale * ").map(|(at, _)| at).collect();
    for n in 0..N_EDITS {
        let at = places[n * 7919 % places.len()];
        let typed = [&text[..at], "2 * ", &text[at..]].concat();
        for text in [typed.as_str(), text] {
            let start = Instant::now();
            host.set_text("a.lane", text);
            write.push(start.elapsed());
            item.push(ask(&mut host, Some(at)));
            file.push(ask(&mut host, None));
        }
    }
    item.sort();
    let item_p95 = item[item.len() * 95 / 100];
    let growth = (resident() as f64 / before as f64 - 1.0) * 100.0;
    Edits { write: middle(write), item: middle(item), item_p95, file: middle(file), growth }
}

/// The time it takes to answer for the item at a place, or for all.
fn ask(host: &mut Host, at: Option<usize>) -> Duration {
    let snapshot = host.snapshot();
    let start = Instant::now();
    let (Some(file), database) = (snapshot.file("a.lane"), snapshot.db()) else { return Duration::ZERO };
    match at {
        Some(at) => {
            let at = TextSize::new(at as u32);
            let Some((item, start)) = ide::item_at(database, file, at) else { return Duration::ZERO };
            std::hint::black_box(check::item_diagnostics(database, item, start));
        }
        None => _ = std::hint::black_box(check::diagnostics(database, file)),
    }
    start.elapsed()
}

fn from_scratch(text: &str) {
    let database = Database::default();
    let file = File::new(&database, Arc::from(text));
    std::hint::black_box(check::diagnostics(&database, file));
}

/// Functions, structs, constants and kernels that call each other, about ten lines an item.
fn program(n_lines: usize) -> String {
    let mut out = String::new();
    let mut n = 0;
    while out.len() < n_lines * 28 {
        out += &format!(
            r"const WIDTH_{n} = {}

struct Point_{n}:
    x: f32
    y: f32
    weight: f64

fn mix_{n}(a, b, t):
    let u = 1 - t
    return a * u + b * t

## Moves the points by a step.
kernel step_{n}(p: Point_{n}[n], out: f32[n], n: i32, dt: f32, scale: f32):
    let total = 0.0
    for i in range(n):
        if p[i].x > 0 and dt > 0:
            p[i].x += mix_{n}(p[i].x, p[i].y, dt)
        else:
            p[i].y = scale * p[i].x
        total += p[i].x * f32(WIDTH_{n})
    for i in range(1, n):
        out[i] = out[i - 1] + max(total, sqrt(p[i].y))

kernel rows_{n}(m: f32[r, c], v: f32[c], out: f32[r], r: i32, c: i32, scale: f32):
    foreach i in range(r):
        let sum = 0.0
        for j in range(c):
            sum += m[i, j] * v[j]
        out[i] = scale * sum
    let halves = map(\x -> x / 2, out)
    out[: r / 2] = halves[: r / 2]

",
            n % 64 + 1
        );
        n += 1;
    }
    out
}

fn long_kernel(n_statements: usize) -> String {
    let statement = |n: usize| match n % 4 {
        0 => format!("    let x{n} = a[{n}] * 2 + 1\n"),
        1 => format!("    a[{n}] = x{} - sqrt(a[n - {n}])\n", n - 1),
        2 => format!("    if a[{n}] > 3:\n        a[n] = {n}\n"),
        _ => format!("    for i in range({n}):\n        a[i] += a[i + 1]\n"),
    };
    let body: String = (0..n_statements).map(statement).collect();
    format!("kernel long(a: f32[n], n: i32):\n{body}")
}

fn median(n: usize, mut run: impl FnMut()) -> Duration {
    let time = |_| {
        let start = Instant::now();
        run();
        start.elapsed()
    };
    middle((0..n).map(time).collect())
}

fn middle(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

fn show(time: Duration) -> String {
    format!("{:.3} ms", time.as_secs_f64() * 1e3)
}

fn ratio(scratch: Duration, time: Duration) -> String {
    format!("{:.0}x less", scratch.as_secs_f64() / time.as_secs_f64())
}

/// The bytes of memory that the process has, where the system tells; 0 elsewhere.
fn resident() -> u64 {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    statm.split(' ').nth(1).and_then(|pages| pages.parse::<u64>().ok()).unwrap_or(0) * 4096
}
