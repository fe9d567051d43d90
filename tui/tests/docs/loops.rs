//! The page of the loops that the benchmarks run: what becomes of each, as `explain` tells it for one target.

use serde_json::Value;

use crate::support::{root, run};

/// The files of the benchmark, each with the heading of its table.
const FILES: &[(&str, &str)] = &[
    ("classic", "Loops as suites for vectorising compilers have them"),
    ("strict", "Loops of every kind"),
    ("numeric", "Linear algebra and numerical methods"),
    ("media", "Pictures and sound"),
    ("records", "Texts, tables, sparse matrices and hashes"),
    ("exits", "Loops that are left early"),
    ("reassoc", "Sums under `@reassoc`"),
    ("fast", "Loops under `@fast`"),
];

/// The target of the page: what most machines have.
const TARGET: &str = "avx2";

/// Renders the page.
pub(crate) fn render() -> String {
    let (mut tables, mut n_kernels, mut n_in_lanes, mut n_in_part) = (String::new(), 0, 0, 0);
    for (file, heading) in FILES {
        tables += &format!("\n## {heading}\n\n[tui/benches/loops/{file}.lane](../tui/benches/loops/{file}.lane)\n\n");
        tables += "| kernel | loops | decisions |\n| --- | --- | --- |\n";
        let path = format!("tui/benches/loops/{file}.lane");
        let explained = run(&root(), &["explain", "--json", "--target", TARGET, &path], "");
        let explained: Value = serde_json::from_str(&explained.stdout).expect("JSON");
        for kernel in list(&explained["kernels"]) {
            let loops = list(&kernel["loops"]);
            let has = |verdict: &dyn Fn(&Value) -> bool| loops.iter().any(verdict);
            n_kernels += 1;
            if has(&|of| of["verdict"] == "vector") {
                n_in_lanes += 1;
            } else if has(&|of| of["in_part"] == true) {
                n_in_part += 1;
            }
            let loops: Vec<String> = loops.iter().map(verdict).collect();
            let decisions = decisions(kernel);
            tables += &format!("| `{}` | {} | {} |\n", word(&kernel["name"]), loops.join("<br>"), decisions.join(", "));
        }
    }
    let n_in_order = n_kernels - n_in_lanes - n_in_part;
    format!(
        "# Loops\n\n\
         `cargo bench --bench rivals` runs these {n_kernels} kernels beside C by clang and gcc, and tests run all but those under `@fast` on arrays \
         of every length up to a little more than three groups of lanes, natively on each target that the machine has. This page says what becomes of them on `{TARGET}`: \
         {n_in_lanes} have a loop in lanes, {n_in_part} more one in part, and {n_in_order} run in order. A test compares it with what `lanescope \
         explain --target {TARGET}` says; [reasons.md](reasons.md) has a page for each word.\n\n\
         A loop is named by its index, in the order of the source.\n{tables}"
    )
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn word(value: &Value) -> &str {
    value.as_str().unwrap_or("?")
}

/// The verdict on a loop in a few words.
fn verdict(of: &Value) -> String {
    let index = of["index"].as_str().map_or_else(|| "`while`".to_owned(), |index| format!("`{index}`"));
    let (lanes, code) = (&of["lanes"], word(&of["code"]));
    let link = format!("[{code}](reasons.md#{code})");
    match (of["verdict"] == "vector", of["in_part"] == true) {
        (true, _) => format!("{index} {lanes} lanes"),
        (false, true) => format!("{index} in part, {lanes} lanes: {link}"),
        (false, false) => format!("{index} in order: {link}"),
    }
}

/// The codes of the decisions that were taken, each once.
fn decisions(kernel: &Value) -> Vec<&str> {
    let taken = list(&kernel["decisions"]).iter().filter(|decision| decision["taken"] == true);
    let mut codes = Vec::new();
    for decision in taken {
        let code = word(&decision["code"]);
        if !codes.contains(&code) {
            codes.push(code);
        }
    }
    codes
}
