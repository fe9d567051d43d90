//! How long an editor waits after a key in a file of 50,000 lines, and beside it the same of clangd on a C file of that
//! length, when `clangd` is there: `cargo bench -p server`.
//!
//! A key is typed into one kernel; asked for are its diagnostics, the hints of the 60 visible lines, a hover and what the
//! colours changed. Figures are of one run, over pipes, from the message that is sent to the answer that is read.

#[path = "../tests/client/mod.rs"]
mod client;

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use client::Client;

const N_LINES: usize = 50_000;
const N_KEYS: usize = 200;

fn main() {
    let lane = Language { id: "lane", uri: "file:///tmp/latency.lane", text: lane_text() };
    let mut client = Client::start();
    println!("lanescope, {} lines of Lane", lane.text.lines().count());
    measure(&mut client, &lane);
    drop(client);

    let Some(mut clangd) = clangd() else { return println!("\nno `clangd` here to compare with") };
    let c = Language { id: "c", uri: "file:///tmp/latency.c", text: c_text() };
    println!("\nclangd, {} lines of C", c.text.lines().count());
    measure(&mut clangd, &c);
}

struct Language {
    id: &'static str,
    uri: &'static str,
    text: String,
}

/// Types keys into the middle of the file.
fn measure(client: &mut Client, language: &Language) {
    let hover = json!({ "contentFormat": ["markdown"] });
    let tokens = json!({ "requests": { "full": { "delta": true } }, "tokenTypes": ["variable"],
        "tokenModifiers": [], "formats": ["relative"] });
    let capabilities =
        json!({ "textDocument": { "hover": hover, "semanticTokens": tokens, "publishDiagnostics": {} } });
    client.initialize(json!({ "processId": null, "rootUri": null, "capabilities": capabilities }));
    let Language { id, uri, text, .. } = language;
    let document = json!({ "uri": uri, "languageId": id, "version": 1, "text": text });
    let start = Instant::now();
    client.tell("textDocument/didOpen", json!({ "textDocument": document }));
    client.diagnostics(1);
    println!("  opened, with diagnostics: {:.0} ms", millis(start.elapsed()));
    let line =
        text.lines().take(N_LINES / 2).collect::<Vec<_>>().iter().rposition(|line| line.contains("key")).unwrap_or(0);
    let document = json!({ "textDocument": { "uri": uri } });
    let mut id = client.ask("textDocument/semanticTokens/full", document)["resultId"].take();
    let mut figures = Figures::default();
    for key in 0..N_KEYS {
        let version = key as i64 + 2;
        let column = text.lines().nth(line).and_then(|text| text.find("key")).unwrap_or(0) + 3;
        let at = json!({ "line": line, "character": column });
        let (range, piece) = match key % 2 {
            0 => (json!({ "start": at, "end": at }), "1"),
            _ => (json!({ "start": at, "end": { "line": line, "character": column + 1 } }), ""),
        };
        let start = Instant::now();
        client.change(uri, version, json!([{ "range": range, "text": piece }]));
        client.diagnostics(version);
        figures.diagnostics.push(start.elapsed());
        let visible =
            json!({ "start": { "line": line - 30, "character": 0 }, "end": { "line": line + 30, "character": 0 } });
        let here = json!({ "textDocument": { "uri": uri }, "range": visible, "position": at, "previousResultId": id });
        figures.hints.push(time(client, "textDocument/inlayHint", &here).0);
        figures.hover.push(time(client, "textDocument/hover", &here).0);
        let (took, mut delta) = time(client, "textDocument/semanticTokens/full/delta", &here);
        figures.tokens.push(took);
        id = delta["resultId"].take();
    }
    figures.print();
}

fn time(client: &mut Client, method: &str, params: &Value) -> (Duration, Value) {
    let start = Instant::now();
    let answer = client.try_ask(method, params.clone()).unwrap_or_default();
    (start.elapsed(), answer)
}

#[derive(Default)]
struct Figures {
    diagnostics: Vec<Duration>,
    hints: Vec<Duration>,
    hover: Vec<Duration>,
    tokens: Vec<Duration>,
}

impl Figures {
    fn print(self) {
        for (name, mut times) in [
            ("key to diagnostics of the file", self.diagnostics),
            ("then hints of 60 lines", self.hints),
            ("then a hover", self.hover),
            ("then the tokens that changed", self.tokens),
        ] {
            times.sort();
            let at = |percent: usize| millis(times[(times.len() * percent / 100).min(times.len() - 1)]);
            println!("  {name}: p50 {:.2} ms, p95 {:.2} ms, p99 {:.2} ms", at(50), at(95), at(99));
        }
    }
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn clangd() -> Option<Client> {
    let names = ["clangd", "clangd-19", "clangd-14"];
    let start = |name| {
        let mut command = Command::new(name);
        command.args(["--log=error", "--clang-tidy=0", "--background-index=0"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().ok()
    };
    let mut child = names.into_iter().find_map(start)?;
    Some(Client::over(child.stdout.take()?, child.stdin.take()?))
}

fn lane_text() -> String {
    let kernel = |n: usize| {
        format!(
            "kernel step_{n}(a: f32[n], b: f32[n], n: i32, scale: f32):
    let key = 1.5
    for i in range(n):
        let x = a[i] * scale
        if x > key:
            b[i] = x + {n}.0
        else:
            b[i] = max(x, sqrt(a[i]))

"
        )
    };
    (0..N_LINES / 9).map(kernel).collect()
}

fn c_text() -> String {
    let function = |n: usize| {
        format!(
            "void step_{n}(float *a, float *b, int n, float scale) {{
    float key = 1.5f;
    for (int i = 0; i < n; i++) {{
        float x = a[i] * scale;
        if (x > key) b[i] = x + {n}.0f;
        else b[i] = x > a[i] ? x : a[i];
    }}
}}

"
        )
    };
    (0..N_LINES / 9).map(function).collect()
}
