//! The commands in the documentation print exactly the output that the documentation shows.
//!
//! A block marked `lane NAME` is a file, and a block marked `console` a list of commands, each on a line that starts
//! with `$ ` and followed by its output. The commands run in a folder that has those files and `examples/`.
//!
//! The page of math functions is what the kept measurements render to.

#[path = "../benches/math/page.rs"]
mod page;
#[allow(dead_code, reason = "the benchmark writes results, too")]
#[path = "../benches/math/results.rs"]
mod results;
mod support;

use std::fs;
use std::path::Path;

use expect_test::expect_file;
use results::Results;
use support::{Folder, root, run};

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
    expect_file![fs::canonicalize(path).expect("a path")].assert_eq(&parts.collect::<Vec<_>>().join("```"));
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

/// Replays a session: its commands, each followed by its actual output.
fn replay(folder: &Folder, session: &str) -> String {
    let commands = session.lines().filter_map(|line| line.strip_prefix("$ "));
    commands.map(|command| format!("$ {command}\n{}", output(folder, command))).collect()
}

/// Runs a command of the form `[printf 'TEXT' |] lanescope ARGUMENTS [| head -n N]`.
fn output(folder: &Folder, command: &str) -> String {
    let (stdin, command) = match command.strip_prefix("printf '") {
        Some(rest) => rest.split_once("' | ").expect("a pipe behind the text"),
        None => ("", command),
    };
    let (command, n_lines) = match command.split_once(" | head -n ") {
        Some((command, n)) => (command, n.parse().expect("a number")),
        None => (command, usize::MAX),
    };
    let words = words(command);
    let words: Vec<_> = words.iter().map(String::as_str).collect();
    assert_eq!(words[0], "lanescope", "{command}");
    let run = run(folder.path(), &words[1..], stdin);
    assert_ne!(run.code, Some(2), "{command}: {run}");
    run.stdout.split_inclusive('\n').take(n_lines).collect()
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

#[test]
fn commands_are_split_as_a_shell_does() {
    assert_eq!(words("run a.lane --arg 'a=[1, 2]' --json"), ["run", "a.lane", "--arg", "a=[1, 2]", "--json"]);
}
