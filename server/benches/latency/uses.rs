//! Two hundred files that use each other: keys in a file that all others use and in one that uses twenty, a name that is changed in all of
//! them, and files that are opened, looked at and closed.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::client::{Client, profiles};
use crate::{Spread, millis, processor_time};

const N_FILES: usize = 200;
const N_USED: usize = 20;
const N_KEYS: usize = 60;

/// Prints the figures.
pub(crate) fn measure() {
    println!("\n{N_FILES} files of which each uses one, and one uses {N_USED}");
    pulled();
    published();
}

fn uri(n: usize) -> String {
    format!("file:///w/m{n}.lane")
}

/// The text of a file, with ten functions, and a kernel that calls some of those it uses.
fn text(n: usize) -> String {
    let used: Vec<usize> = match n {
        0 => Vec::new(),
        _ if n == N_FILES - 1 => (0..N_USED).collect(),
        _ => vec![0],
    };
    let uses: String = used.iter().map(|k| format!("use m{k}: half{k}_0\n")).collect();
    let functions = (0..10).map(|f| format!("fn half{n}_{f}(x: f32) -> f32:\n    return x * {f}.5 + {n}.0\n\n"));
    let calls: String = used.iter().map(|k| format!(" + half{k}_0(x)")).collect();
    uses + &functions.collect::<String>()
        + &format!(
            "kernel k{n}(a: f32[n], n: i32):\n    for i in range(n):\n        let x = a[i]\n        a[i] = x{calls}\n"
        )
}

fn open_all(client: &mut Client) {
    (0..N_FILES).for_each(|n| client.open(&uri(n), &text(n)));
}

/// A client that asks for what it shows.
fn pulled() {
    let mut client = Client::with(profiles::pulling());
    let start = Instant::now();
    open_all(&mut client);
    (0..N_FILES).for_each(|n| _ = pull(&mut client, n));
    println!("  opened, to all findings: {:.0} ms", millis(start.elapsed()));
    let last = N_FILES - 1;
    for (what, n) in [("the used file", 0), ("the file that uses twenty", last)] {
        let (mut own, mut user, mut hints) = (Vec::new(), Vec::new(), Vec::new());
        for key in 0..N_KEYS {
            let start = Instant::now();
            edit(&mut client, n, key);
            pull(&mut client, n);
            own.push(start.elapsed());
            let start = Instant::now();
            pull(&mut client, last / 2);
            user.push(start.elapsed());
            let end = json!({ "line": 60, "character": 0 });
            let range = json!({ "start": { "line": 0, "character": 0 }, "end": end });
            let start = Instant::now();
            client.ask("textDocument/inlayHint", json!({ "textDocument": { "uri": uri(n) }, "range": range }));
            hints.push(start.elapsed());
        }
        println!("  a key in {what}, to its findings: {}", Spread::of(&own).show());
        println!("    then those of another file: {}", Spread::of(&user).show());
        println!("    then its hints: {}", Spread::of(&hints).show());
    }
    let mut times = Vec::new();
    for name in ["whole", "part", "piece"] {
        let at = json!({ "line": 0, "character": 4 });
        let start = Instant::now();
        let edit = client
            .ask("textDocument/rename", json!({ "textDocument": { "uri": uri(0) }, "position": at, "newName": name }));
        times.push(start.elapsed());
        let n_edits = edit.to_string().matches("newText").count();
        assert_eq!(n_edits, 1 + 2 * (N_FILES - 1), "{edit}");
    }
    println!("  a new name in all files: {}", shown(&times));
    client.end_amid_news();
}

/// A client to which findings are published.
fn published() {
    let mut client = Client::with(json!({}));
    open_all(&mut client);
    settle();
    client.unread();
    let (mut times, before) = (Vec::new(), processor_time("self"));
    for key in 0..N_KEYS / 4 {
        let start = Instant::now();
        edit(&mut client, 0, key);
        let mut waiting: std::collections::HashSet<String> = (0..N_FILES).map(uri).collect();
        while !waiting.is_empty() {
            let told = client.told("textDocument/publishDiagnostics");
            waiting.remove(told["uri"].as_str().unwrap_or_default());
        }
        times.push(start.elapsed());
    }
    let processor = (processor_time("self") - before) / times.len() as f64;
    println!("  a key in the used file, to the findings of all: {}; processor {processor:.0} ms", shown(&times));
    client.end_amid_news();
}

fn shown(times: &[Duration]) -> String {
    Spread::of(times).show()
}

/// Types a digit into the last function, or takes it away.
fn edit(client: &mut Client, n: usize, key: usize) {
    let line = text(n).lines().position(|line| line.contains("x * 0.5")).expect("a function");
    let column = "    return x * 0.5".len();
    let at = json!({ "line": line, "character": column });
    let (end, piece) = if key.is_multiple_of(2) { (column, "1") } else { (column + 1, "") };
    let range = json!({ "start": at, "end": { "line": line, "character": end } });
    client.change(&uri(n), key as i64 + 2, json!([{ "range": range, "text": piece }]));
}

fn pull(client: &mut Client, n: usize) -> Value {
    client.ask("textDocument/diagnostic", json!({ "textDocument": { "uri": uri(n) } }))
}

/// Waits until there is nothing left to do.
fn settle() {
    let mut before = -1.0;
    while before != processor_time("self") {
        before = processor_time("self");
        std::thread::sleep(Duration::from_millis(200));
    }
}
