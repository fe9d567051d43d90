//! The latency from an edit to the assembly of the edited kernel, with a warm worker, compared with starting
//! `clang -O3 -S` on the same loop in C: `cargo bench -p tui --bench edit_to_assembly`.
//!
//! The benchmark repeatedly changes a number in one kernel of a file of plain loops, always to a new value, so that no
//! result is cached. The measured time covers the write, the queries, the passes, LLVM in its own process, and parsing
//! its output. The two compilers alternate; the ratio is what counts.

mod support;

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use native::asm::listing;
use native::client::Client;
use native::emit::{self, Input, Source};
use native::protocol::{CompiledForm, Outcome, Spec};
use native::{host, llvm};
use queries::db::file_items;
use queries::host::Host;
use queries::reached;
use queries::stages::Options;

use support::{Figures, run};

/// A kernel, its line with a number to change, and that line in C.
type Edited = (&'static str, &'static str, &'static str);

const EDITED: &[Edited] = &[
    ("saxpy", "y[i] = y[i] + s * x[i]", "y[i] = y[i] + s * x[i]"),
    ("stencil_3", "(a[i - 1] + a[i] + a[i + 1]) * 0.333", "(a[i - 1] + a[i] + a[i + 1]) * 0.333f"),
    ("either", "b[i] * 2.0", "b[i] * 2.0f"),
    ("blur", "(above + beside + below) * 0.111", "(above + beside + below) * 0.111f"),
    ("mandelbrot", "re * re - im * im + c_re", "re * re - im * im + c_re"),
];

const N_EDITS: usize = 60;
const PATIENCE: Duration = Duration::from_secs(60);

fn main() {
    if let Err(error) = llvm::llvm() {
        return println!("nothing to measure: {error}");
    }
    let loops = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/loops");
    let read = |name: &str| std::fs::read_to_string(loops.join(name)).expect("the loops");
    let (lane, c) = (read("strict.lane"), read("strict.c"));
    let client = Client::new(env!("CARGO_BIN_EXE_lanescope"), &["worker"]);
    let clang = ["clang-19", "clang"].into_iter().find(|name| Command::new(name).arg("--version").output().is_ok());
    if clang.is_none() {
        println!("without clang, which is not here");
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    println!("{:12} {:>10} {:>10} {:>12} {:>10}", "edited", "p50", "p95", "clang's p50", "p95");
    for (kernel, in_lane, in_c) in EDITED {
        let mut editor = Host::default();
        let (mut ours, mut theirs) = (Figures::default(), Figures::default());
        for edit in 0..N_EDITS {
            let text = lane.replace(in_lane, &format!("{in_lane} + {edit}.5"));
            ours.add(assembly(&mut editor, &client, &text, kernel));
            if let Some(clang) = clang {
                let text = function(&c, kernel).replace(in_c, &format!("{in_c} + {edit}.5f"));
                theirs.add(compiled(clang, &text, folder.path()));
            }
        }
        let [p50, p95, their_p50, their_p95] = [ours.part(0.5), ours.part(0.95), theirs.part(0.5), theirs.part(0.95)];
        let ratios = format!("{:.2} of its p50, {:.2} of its p95", p50 / their_p50, p95 / their_p95);
        println!("{kernel:12} {p50:>7.1} ms {p95:>7.1} ms {their_p50:>9.1} ms {their_p95:>7.1} ms  {ratios}");
    }
}

/// Returns the milliseconds from a new text to the kernel's assembly.
fn assembly(editor: &mut Host, client: &Client, text: &str, kernel: &str) -> f64 {
    let start = Instant::now();
    let file = editor.set_text("loops.lane", text);
    let machine = host::tuned(host::row());
    let snapshot = editor.snapshot();
    let db = snapshot.db();
    let item = *file_items(db, file).iter().find(|item| **item.name(db) == *kernel).expect("the kernel");
    let stages = reached(db, item, Options { lanes: None, target: host::row() });
    let input = Input { kernel: &stages.last().expect("stages").kernel, source: &Source::default() };
    let ir = emit::emit(&[input], &machine, emit::ModuleOptions::default()).expect("LLVM IR");
    let made = client.compile(ir, Spec::of(&machine), CompiledForm::Assembly, PATIENCE).expect("assembly");
    let (Outcome::Text(text), _) = made else { panic!("the worker gives no text") };
    assert!(!listing(&text, machine.family).functions.is_empty(), "{kernel} has code");
    start.elapsed().as_secs_f64() * 1e3
}

/// Returns the milliseconds that a run of a compiler takes.
fn compiled(compiler: &str, text: &str, folder: &Path) -> f64 {
    let (source, assembly) = (folder.join("loop.c"), folder.join("loop.s"));
    std::fs::write(&source, text).expect("a file");
    let start = Instant::now();
    let mut command = Command::new(compiler);
    run(command.args(["-O3", "-march=native", "-ffp-contract=off", "-w", "-S"]).arg(&source).arg("-o").arg(&assembly));
    start.elapsed().as_secs_f64() * 1e3
}

/// Returns the function of a name in a C file, behind the lines before the first function.
fn function<'t>(text: &'t str, name: &str) -> String {
    let parts: Vec<&'t str> = text.split("\nvoid ").collect();
    let own = parts.iter().find(|part| part.starts_with(&format!("{name}("))).expect("the function");
    format!("{}\nvoid {own}", parts[0])
}
