//! The commands in the documentation print exactly the output that the documentation shows.
//!
//! A block marked `lane NAME` is a file, and a block marked `console` a list of commands, each on a line that starts
//! with `$ ` and followed by its output. The commands run in a folder that has those files and `examples/`.
//!
//! The page of math functions is what the kept measurements render to, and the page of loops what `explain` says of those of the benchmarks.

#[allow(dead_code, reason = "the benchmark makes kernels, too")]
#[path = "../benches/math/functions.rs"]
mod functions;
#[path = "docs/loops.rs"]
mod loops;
#[path = "../benches/math/page.rs"]
mod page;
#[allow(dead_code, reason = "the benchmark writes results, too")]
#[path = "../benches/math/results.rs"]
mod results;
mod support;

use std::fs;
use std::ops::Range;
use std::path::Path;

use expect_test::expect_file;
use results::Results;
use support::{Folder, has_llvm, root, run};

#[test]
fn readme() {
    check("README.md");
}

#[test]
fn json() {
    check("docs/json.md");
}

#[test]
fn explorer() {
    check("docs/explorer.md");
}

#[test]
fn costs() {
    check("docs/costs.md");
}

#[test]
fn articles() {
    check("docs/articles.md");
}

#[test]
fn callers() {
    check("docs/callers.md");
}

#[test]
fn math() {
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/math/results.json");
    let results = Results::read(&kept).expect("the results");
    let rendered = page::render(&results);
    for name in page::names() {
        assert!(rendered.contains(&format!("`{name}`")), "{name} is neither measured nor named as missing");
    }
    let unknown = results.rows.iter().find(|row| page::names().all(|name| name != row.function));
    assert!(unknown.is_none(), "{} is not a math function", unknown.map_or("", |row| &row.function));
    let file = |path: &str| expect_file![fs::canonicalize(root().join(path)).expect("a path")];
    file("docs/math.md").assert_eq(&rendered);
    file("analysis/lane/prelude/costs.txt").assert_eq(&page::costs(&results));
}

/// Says whether each of the benchmarks' loops still has the lanes that it had, by the techniques that it had.
#[test]
fn verdicts_of_the_benchmarks() {
    expect_file![fs::canonicalize(root().join("docs/loops.md")).expect("a path")].assert_eq(&loops::render());
}

fn check(paper: &str) {
    let path = root().join(paper);
    let text = fs::read_to_string(&path).expect("the paper");
    let folder = Folder::new(&[]);
    copy_examples(&folder);
    // Every second part is the inside of a fence.
    let parts = text.split("```").enumerate().map(|(n, part)| match part.split_once('\n') {
        Some(("console", session)) if n % 2 == 1 => format!("console\n{}", replay(&folder, session)),
        Some((info, source)) if n % 2 == 1 => {
            if let Some(name) = info.strip_prefix("lane ") {
                folder.write(name, source);
            }
            part.to_owned()
        }
        _ => part.to_owned(),
    });
    let parts = parts.collect::<Vec<_>>().join("```");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&path, &parts).expect("the paper is written");
    }
    expect_file![fs::canonicalize(path).expect("a path")].assert_eq(&parts);
}

fn copy_examples(folder: &Folder) {
    for entry in fs::read_dir(root().join("examples")).expect("the examples") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            continue;
        }
        let name = path.file_name().and_then(|name| name.to_str()).expect("a name");
        folder.write(&format!("examples/{name}"), fs::read(&path).expect("a file"));
    }
}

/// Replays a session: its commands, each followed by its actual output; without an LLVM, what needs one stays as it is.
fn replay(folder: &Folder, session: &str) -> String {
    let mut commands = Vec::new();
    for line in session.split_inclusive('\n') {
        match line.strip_prefix("$ ") {
            Some(command) => commands.push((command.trim_end(), String::new())),
            None => commands.last_mut().expect("a command first").1.push_str(line),
        }
    }
    let replayed = commands.into_iter().map(|(command, shown)| match needs_llvm(command) && !has_llvm() {
        true => format!("$ {command}\n{shown}"),
        false => format!("$ {command}\n{}", output(folder, command)),
    });
    replayed.collect()
}

fn needs_llvm(command: &str) -> bool {
    ["lanescope asm", "lanescope build", "--stage llvm-opt"].iter().any(|what| command.contains(what))
}

/// Runs a command of the form `[printf 'TEXT' |] lanescope ARGUMENTS [| head -n N | sed -n 'N,Mp']`.
fn output(folder: &Folder, command: &str) -> String {
    let (stdin, command) = match command.strip_prefix("printf '") {
        Some(rest) => rest.split_once("' | ").expect("a pipe behind the text"),
        None => ("", command),
    };
    let (command, lines) = lines(command);
    let words = words(command);
    let words: Vec<_> = words.iter().map(String::as_str).collect();
    assert_eq!(words[0], "lanescope", "{command}");
    let run = run(folder.path(), &words[1..], stdin);
    assert_ne!(run.code, Some(2), "{command}: {run}");
    run.stdout.split_inclusive('\n').skip(lines.start).take(lines.len()).collect()
}

/// Splits a command from the one behind it that picks lines of its output.
fn lines(command: &str) -> (&str, Range<usize>) {
    let number = |text: &str| text.parse().expect("a number");
    if let Some((command, n)) = command.split_once(" | head -n ") {
        return (command, 0..number(n));
    }
    match command.split_once(" | sed -n '") {
        Some((command, picked)) => {
            let (first, last) = picked.strip_suffix("p'").and_then(|p| p.split_once(',')).expect("first and last line");
            (command, number(first) - 1..number(last))
        }
        None => (command, 0..usize::MAX),
    }
}

/// Splits a command into words; as in a shell, single quotes keep their contents together.
fn words(command: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for (n, part) in command.split('\'').enumerate() {
        let mut pieces = if n % 2 == 0 { part.split(' ').collect() } else { vec![part] }.into_iter();
        if let (Some(word), Some(piece)) = (words.last_mut(), pieces.next()) {
            word.push_str(piece);
        }
        words.extend(pieces.map(str::to_owned));
    }
    words
}

/// What Futhark's in-place lowering was for: the inner loop stores to the result, by way of nothing.
#[test]
fn a_map_of_maps_has_no_temporary_and_no_copy() {
    let folder = Folder::new(&[]);
    copy_examples(&folder);
    let of_kernel = |arguments: &str| {
        let arguments = format!("{arguments} --kernel add_two_to_all --target avx2");
        run(folder.path(), &words(&arguments).iter().map(String::as_str).collect::<Vec<_>>(), "").stdout
    };
    let written = of_kernel("lower examples/futhark.lane --stage arrays");
    assert!(written.contains("let _1: f32[m] = map y in a:"), "the inner map makes a row: {written}");
    for stage in ["sequential", "parallel", "vector", "specialised", "memory", "packed", "final"] {
        let lowered = of_kernel(&format!("lower examples/futhark.lane --stage {stage}"));
        assert!(lowered.starts_with("kernel add_two_to_all(A: f32[n, m], B: f32[n, m], n, m):\n"), "{lowered}");
        assert!(["temp(", "scratch(", "assign(", "map "].iter().all(|op| !lowered.contains(op)), "{lowered}");
    }
    let sequential = of_kernel("lower examples/futhark.lane --stage sequential");
    assert_eq!(sequential.matches("for ").count(), 2, "{sequential}");
    assert_eq!(sequential.matches("] = ").count(), 1, "one store, to the result: {sequential}");
    let explained = of_kernel("explain examples/futhark.lane --json");
    assert_eq!(explained.matches("\"array-fused\"").count(), 2, "the matrix and the row: {explained}");
    assert!(!explained.contains("\"array-stored\"") && !explained.contains("\"array-copied\""), "{explained}");
}

#[test]
fn commands_are_split_as_a_shell_does() {
    assert_eq!(words("run a.lane --arg 'a=[1, 2]' --json"), ["run", "a.lane", "--arg", "a=[1, 2]", "--json"]);
}
