//! A file of 50,000 lines with as many findings as people have: all of them when it is opened, then after each key, for a client to
//! which they are published and for one that pulls them; the answers about the whole file, and the hints of what is in sight.
//!
//! A key is a letter of a name, which makes an error and takes it away again; a digit of a number, after which all findings are as
//! they were; or a line break, which moves all that stands below. The server runs in a process of its own, whose processor time is
//! told beside the time until the last byte of an answer was read.

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::client::Client;
use crate::texts::{Alike, lane_text_with};
use crate::{Spread, millis, processor_time};

const URI: &str = "file:///home/somebody/projects/kernels/examples.lane";
const N_KEYS: i64 = 100;
/// Time until a server whose processor time stays as it is has nothing left to do.
const QUIET: Duration = Duration::from_millis(200);

/// Prints the figures of both clients.
pub(crate) fn measure() {
    let clients = [
        (Alike::ButForNames, false, "published"),
        (Alike::ButForNames, true, "pulled"),
        (Alike::InForm, false, "published, most kernels like no other"),
    ];
    for (alike, pulls, name) in clients {
        let text = lane_text_with(alike);
        println!("\nthe examples, {} lines, findings {name}", text.lines().count());
        let mut session = Session::start(pulls, text);
        session.open();
        session.whole_file();
        session.keys();
        session.end();
    }
}

/// A conversation with a server in a process of its own.
struct Session {
    client: Client,
    server: Child,
    pulls: bool,
    text: String,
    version: i64,
    /// The id of the diagnostics that were pulled last.
    result_id: Value,
}

impl Session {
    fn start(pulls: bool, text: String) -> Session {
        let program = std::env::current_exe().expect("a benchmark");
        let mut command = Command::new(program);
        let mut server =
            command.arg("serve").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("a server of our own");
        let (output, input) = (server.stdout.take().expect("a pipe"), server.stdin.take().expect("a pipe"));
        let mut client = Client::over(output, input);
        let tokens = json!({ "requests": { "full": { "delta": true } }, "tokenTypes": ["variable"],
            "tokenModifiers": [], "formats": ["relative"] });
        let mut capabilities = json!({
            "textDocument": {
                "publishDiagnostics": { "relatedInformation": true },
                "semanticTokens": tokens,
                "documentSymbol": { "hierarchicalDocumentSymbolSupport": true },
            },
            "workspace": { "diagnostics": { "refreshSupport": true } },
        });
        if pulls {
            capabilities["textDocument"]["diagnostic"] = json!({});
        }
        let trace = json!({ "processId": null, "rootUri": null, "capabilities": capabilities, "trace": "messages" });
        client.initialize(trace);
        Session { client, server, pulls, text, version: 1, result_id: Value::Null }
    }

    fn open(&mut self) {
        let (start, before) = (Instant::now(), self.processor_time());
        self.client.open(URI, &self.text);
        let first = self.findings();
        println!("  opened, to the first {}: {:.0} ms", first.n_found, millis(self.client.arrived - start));
        let all = match self.pulls {
            // The server asks to pull again when it has found all.
            true => {
                let asked = self.client.asked("workspace/diagnostic/refresh");
                self.client.respond(&asked, Value::Null);
                self.findings()
            }
            // Lists of one version follow while they grow; that the search has ended is traced.
            false => self.until_whole(),
        };
        let (took, processor) = (millis(self.client.arrived - start), self.processor_time() - before);
        println!(
            "  to all of them ({}, {} bytes): {took:.0} ms, processor {processor:.0} ms",
            all.n_found, all.n_bytes
        );
        self.client.tell("$/setTrace", json!({ "value": "off" }));
        self.client.unread();
    }

    fn until_whole(&mut self) -> Findings {
        let mut last = Findings::default();
        loop {
            let mut message = self.client.next();
            let told = message["params"]["message"].as_str().unwrap_or_default();
            if message["method"] == "textDocument/publishDiagnostics" {
                last = Findings::of(message["params"]["diagnostics"].take());
            } else if told.starts_with("textDocument/publishDiagnostics took") {
                return last;
            }
        }
    }

    /// Measures the answers about all of the file, for the first time and after a key.
    fn whole_file(&mut self) {
        let document = json!({ "textDocument": { "uri": URI } });
        let methods = [
            ("symbols", "textDocument/documentSymbol"),
            ("folds", "textDocument/foldingRange"),
            ("lenses", "textDocument/codeLens"),
            ("links", "textDocument/documentLink"),
            ("tokens", "textDocument/semanticTokens/full"),
        ];
        let first = methods.map(|(_, method)| self.ask(method, &document));
        let (line, column) = self.place("let key");
        self.edit(line, column + "let key".len(), 0, "1");
        self.findings();
        let second = methods.map(|(_, method)| self.ask(method, &document));
        self.edit(line, column + "let key".len(), 1, "");
        self.findings();
        for ((name, _), (first, second)) in methods.iter().zip(first.into_iter().zip(second)) {
            println!("  {name}: {:.1} ms, after a key {:.1} ms", millis(first), millis(second));
        }
    }

    fn keys(&mut self) {
        let (line, column) = self.place("let key");
        let behind_name = column + "let key".len();
        let behind_number = behind_name + " = 1.5".len();
        let keys = [
            ("a letter", behind_name, "1", (line, behind_name)),
            ("a digit", behind_number, "1", (line, behind_number)),
            ("a line break", behind_number, "\n", (line, behind_number)),
        ];
        for (name, column, piece, (line, _)) in keys {
            let (mut to_findings, mut to_hints) = (Vec::new(), Vec::new());
            self.settle();
            let before = self.processor_time();
            for key in 0..N_KEYS {
                let start = Instant::now();
                match (key % 2, piece) {
                    (0, piece) => self.edit(line, column, 0, piece),
                    (_, "\n") => self.join(line, column),
                    _ => self.edit(line, column, 1, ""),
                }
                self.findings();
                to_findings.push(self.client.arrived - start);
                let range = json!({ "start": { "line": line - 30, "character": 0 }, "end": { "line": line + 30, "character": 0 } });
                let here = json!({ "textDocument": { "uri": URI }, "range": range });
                let asked = Instant::now();
                _ = self.client.ask("textDocument/inlayHint", here);
                to_hints.push(self.client.arrived - asked);
            }
            let processor = (self.processor_time() - before) / N_KEYS as f64;
            println!("  {name}, to diagnostics: {}; processor {processor:.1} ms", Spread::of(&to_findings).show());
            println!("    then hints of 60 lines: {}", Spread::of(&to_hints).show());
        }
    }

    fn ask(&mut self, method: &str, params: &Value) -> Duration {
        self.settle();
        let start = Instant::now();
        _ = self.client.ask(method, params.clone());
        self.client.arrived - start
    }

    /// The line and column of a text, in the middle of the file.
    fn place(&self, wanted: &str) -> (usize, usize) {
        let lines: Vec<&str> = self.text.lines().collect();
        let line = lines[..lines.len() / 2].iter().rposition(|line| line.contains(wanted)).expect("a place to type in");
        (line, lines[line].find(wanted).expect("it is there"))
    }

    fn edit(&mut self, line: usize, column: usize, n_removed: usize, piece: &str) {
        let [start, end] =
            [column, column + n_removed].map(|character| json!({ "line": line, "character": character }));
        self.change(json!({ "start": start, "end": end }), piece);
    }

    /// Takes a line break away.
    fn join(&mut self, line: usize, column: usize) {
        let [start, end] = [json!({ "line": line, "character": column }), json!({ "line": line + 1, "character": 0 })];
        self.change(json!({ "start": start, "end": end }), "");
    }

    fn change(&mut self, range: Value, piece: &str) {
        self.version += 1;
        self.client.change(URI, self.version, json!([{ "range": range, "text": piece }]));
    }

    /// The findings of this version, as they are published or pulled.
    fn findings(&mut self) -> Findings {
        if !self.pulls {
            return Findings::of(self.client.diagnostics(self.version));
        }
        let asked = json!({ "textDocument": { "uri": URI }, "previousResultId": self.result_id });
        let mut report = self.client.ask("textDocument/diagnostic", asked);
        self.result_id = report["resultId"].take();
        Findings::of(report["items"].take())
    }

    fn processor_time(&self) -> f64 {
        processor_time(&self.server.id().to_string())
    }

    /// Waits until the server has nothing left to do.
    fn settle(&self) {
        let mut before = -1.0;
        while before != self.processor_time() {
            before = self.processor_time();
            std::thread::sleep(QUIET);
        }
    }

    fn end(mut self) {
        _ = self.client.ask("shutdown", Value::Null);
        self.client.tell("exit", Value::Null);
        _ = self.server.wait();
    }
}

/// The size of a list of findings.
#[derive(Default)]
struct Findings {
    n_found: usize,
    n_bytes: usize,
}

impl Findings {
    fn of(list: Value) -> Findings {
        Findings { n_found: list.as_array().map_or(0, Vec::len), n_bytes: list.to_string().len() }
    }
}
