//! Views of a kernel at the stages of the pipeline: beside its source, following its edits, and while it has errors.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use expect_test::expect;
use queries::db::Database;
use queries::db::Item;
use queries::stages::{StageLine, StageText};
use serde_json::{Value, json};
use server::machine_views::{NativeStage, NativeViews, NativeWork};

use crate::URI;
use crate::client::text::Encoding;
use crate::client::{Client, profiles};

const KERNEL: &str =
    "# 😀\nkernel scale(a: f32[n], n: i32, v: f32):\n    for i in range(n):\n        a[i] = a[i] * v\n";

fn params(stage: &str) -> Value {
    json!({ "textDocument": { "uri": URI }, "position": { "line": 2, "character": 5 }, "stage": stage })
}

fn open(profile: Value, text: &str) -> Client {
    let mut client = Client::with(profiles::counting(profile, Encoding::Utf16));
    client.open(URI, text);
    client
}

/// Prints the lines of a view, each with its source.
fn show(view: &Value, source: &str) -> String {
    let lines = view["lines"].as_array().expect("lines");
    let mut out = format!("{} {} of version {}\n", view["name"], view["languageId"], view["version"]);
    out += &view.get("note").map(|note| format!("note: {}\n", note.as_str().expect("a text"))).unwrap_or_default();
    for (n, text) in view["text"].as_str().expect("a text").lines().enumerate() {
        let line = lines.iter().find(|line| line["line"] == json!(n));
        let from = line.map(|line| Encoding::Utf16.slice(source, &line["range"]).lines().next().unwrap_or_default());
        out += &format!("{text}{}\n", from.map(|from| format!("    <- {from}")).unwrap_or_default());
    }
    out
}

#[test]
fn a_view_shows_a_stage_and_where_each_line_is_from() {
    let mut client = open(profiles::nothing(), KERNEL);
    expect![[r#"
        "scale" "lane" of version 1
        kernel scale(a: f32[n], n: i32, v: f32):    <- kernel scale(a: f32[n], n: i32, v: f32)
            for i: i32 in range(n):    <- for i in range(n
                a[i] = a[i] * v    <- a[i] = a[i] * v
    "#]]
    .assert_eq(&show(&client.ask("lanescope/view", params("typed")), KERNEL));
    expect![[r#"
        "scale" "lane-ir" of version 1
        kernel scale(a: f32[n], n, v):    <- scale
            for i in range(0, n):    <- for i in range(n):
                a[i] = (a[i] * v)    <- a[i]
    "#]]
    .assert_eq(&show(&client.ask("lanescope/view", params("sequential")), KERNEL));
    let all = client.told["capabilities"]["experimental"]["lanescope"]["stages"].clone();
    for stage in all.as_array().expect("a list") {
        let view = client.ask("lanescope/view", params(stage["name"].as_str().expect("a name")));
        assert_eq!(view["stage"], stage["name"]);
        assert!(!view["lines"].as_array().expect("lines").is_empty(), "{view}");
    }
    let (code, message) = client.try_ask("lanescope/view", params("vectorised")).unwrap_err();
    assert!(code == -32602 && message.starts_with("no such stage: vectorised; there are parsed"), "{message}");
    let mut nowhere = params("typed");
    nowhere["position"] = json!({ "line": 0, "character": 0 });
    assert_eq!(client.try_ask("lanescope/view", nowhere).unwrap_err().0, -32602);
    client.end_amid_news();
}

#[test]
fn a_view_follows_its_source_and_stays_while_that_is_broken() {
    let mut client = open(profiles::nothing(), KERNEL);
    let first = client.ask("lanescope/view", params("final"));
    let broken = KERNEL.replace("* v", "* w");
    client.replace(URI, 2, &broken);
    let kept = client.ask("lanescope/view", params("final"));
    assert_eq!((&kept["text"], &kept["version"], &kept["lines"]), (&first["text"], &json!(1), &json!([])));
    assert_eq!(kept["note"], "`scale` has an error; shown is the text before that, version 1");
    assert_eq!((&kept["outdated"], first.get("outdated")), (&json!(true), None));
    let other = KERNEL.replace("* v", "+ v");
    client.replace(URI, 3, &other);
    let now = client.ask("lanescope/view", params("final"));
    assert!(now["text"].as_str().is_some_and(|text| text.contains("+ v")), "{now}");
    assert_eq!((&now["version"], now.get("note")), (&json!(3), None));
    client.end_amid_news();
}

#[test]
fn a_view_that_was_never_good_says_so() {
    let broken = KERNEL.replace("* v", "* w");
    let mut client = open(profiles::nothing(), &(broken.clone() + "\nfn f(x):\n    return x\n"));
    let view = client.ask("lanescope/view", params("sequential"));
    assert_eq!((&view["note"], &view["version"]), (&json!("`scale` has an error"), &json!(1)));
    let mut of_fn = params("sequential");
    of_fn["position"] = json!({ "line": 5, "character": 4 });
    let view = client.ask("lanescope/view", of_fn);
    assert_eq!(view["note"], "`f` is no kernel, so nothing is lowered");
    client.end_amid_news();
}

#[test]
fn the_command_opens_a_view_by_the_best_means_there_is() {
    let command = || json!({ "command": "lanescope.view", "arguments": [params("final")] });
    // As a virtual document.
    let mut client = open(profiles::vscode(), KERNEL);
    let text = client.ask("workspace/executeCommand", command());
    let shown = client.asked("window/showDocument");
    let uri = shown["params"]["uri"].as_str().expect("an address").to_owned();
    assert!(uri.starts_with("lanescope-view:/scale.final.lane-ir?source="), "{uri}");
    client.respond(&shown, json!({ "success": true }));
    let content = client.ask("workspace/textDocumentContent", json!({ "uri": uri }));
    assert_eq!(content["text"], text);
    // The view follows edits, with one change notice for each text that the client has.
    client.replace(URI, 2, &KERNEL.replace("* v", "+ v"));
    let refresh = client.asked("workspace/textDocumentContent/refresh");
    assert_eq!(refresh["params"]["uri"], uri);
    client.respond(&refresh, Value::Null);
    client.replace(URI, 3, &KERNEL.replace("* v", "+ w"));
    let content = client.ask("workspace/textDocumentContent", json!({ "uri": uri }));
    assert!(content["text"].as_str().is_some_and(|text| text.starts_with("# `scale` has an error")), "{content}");
    client.end_amid_news();

    // As a read-only file.
    let mut client = open(profiles::neovim(), KERNEL);
    let text = client.ask("workspace/executeCommand", command());
    let shown = client.asked("window/showDocument");
    let path = shown["params"]["uri"].as_str().and_then(|uri| uri.strip_prefix("file://")).expect("a file").to_owned();
    assert_eq!(std::fs::read_to_string(&path).expect("the file"), text.as_str().expect("a text"));
    assert!(std::fs::metadata(&path).expect("the file").permissions().readonly());
    client.respond(&shown, json!({ "success": true }));
    client.ask("workspace/executeCommand", command());
    client.asked("window/showDocument");
    // The file follows its source, and has a note when that has errors.
    let follows = |part: &str| {
        let deadline = Instant::now() + Duration::from_secs(60);
        loop {
            let text = std::fs::read_to_string(&path).expect("the file");
            if text.contains(part) {
                return;
            }
            assert!(Instant::now() < deadline, "no {part:?} in {text}");
            std::thread::sleep(Duration::from_millis(5));
        }
    };
    client.replace(URI, 2, &KERNEL.replace("* v", "* v * 4.25"));
    follows("4.25");
    client.replace(URI, 3, &KERNEL.replace("* v", "* w"));
    follows("# `scale` has an error; shown is the text before that, version 2");
    client.replace(URI, 4, &KERNEL.replace("scale", "scaled"));
    follows("# there is no `scale` any more");
    client.end_amid_news();
    assert!(!std::path::Path::new(&path).exists(), "it goes with the server");

    // As the result of the command, and as a file that a message names.
    let mut client = open(profiles::nothing(), KERNEL);
    assert_eq!(client.ask("workspace/executeCommand", command()), text);
    let told = client.told("window/showMessage");
    let path = told["message"].as_str().and_then(|message| message.strip_prefix("the view is in ")).expect("a path");
    assert_eq!(std::fs::read_to_string(path).expect("the file"), text.as_str().expect("a text"));
    let unknown = json!({ "command": "lanescope.dance" });
    assert_eq!(client.try_ask("workspace/executeCommand", unknown).unwrap_err().0, -32602);
    let wrong = json!({ "command": "lanescope.view", "arguments": ["what"] });
    assert_eq!(client.try_ask("workspace/executeCommand", wrong).unwrap_err().0, -32602);
    client.end_amid_news();
}

#[test]
fn from_a_line_of_a_view_to_its_source_and_back() {
    let mut client = open(profiles::vscode(), KERNEL);
    let view = client.ask("lanescope/view", params("sequential"));
    let source = json!("file:///tmp/a.lane").as_str().expect("a text").replace(':', "%3A");
    let uri = format!("lanescope-view:/scale.sequential.lane-ir?source={source}");
    for line in view["lines"].as_array().expect("lines") {
        let at = json!({ "textDocument": { "uri": uri }, "position": { "line": line["line"], "character": 3 } });
        let found = client.ask("textDocument/definition", at.clone());
        assert_eq!(found, json!([{ "uri": URI, "range": line["range"] }]));
        let marked = client.ask("textDocument/documentHighlight", at);
        let lines: Vec<_> = marked.as_array().expect("a list").iter().map(|it| &it["range"]["start"]["line"]).collect();
        assert!(lines.contains(&&line["line"]), "{marked}");
    }
    // A client that has the view open sends requests about it like about any document. A view has no diagnostics and no facts but
    // its source map and the meaning of its words, whatever its text looks like.
    let text = view["text"].as_str().expect("a text");
    client.open(&uri, text);
    client.replace(&uri, 2, &text.replace("* v", "+ w"));
    let document = json!({ "uri": uri });
    let found = client.ask("textDocument/diagnostic", json!({ "textDocument": document }));
    assert_eq!(found["items"], json!([]));
    let at = json!({ "textDocument": document, "position": { "line": 2, "character": 8 } });
    let hover = client.ask("textDocument/hover", at.clone());
    assert!(hover["contents"]["value"].as_str().is_some_and(|text| text.contains("Stores `x` to a cell")), "{hover}");
    assert_eq!(client.ask("textDocument/documentSymbol", json!({ "textDocument": document })), json!([]));
    assert_eq!(client.ask("textDocument/definition", at)[0]["uri"], URI);
    client.tell("textDocument/didClose", json!({ "textDocument": document }));
    // After an edit of the source the view must be requested again before its lines have a source.
    client.replace(URI, 2, &KERNEL.replace("scale", "scaled"));
    let at = json!({ "textDocument": { "uri": uri }, "position": { "line": 1, "character": 3 } });
    assert_eq!(client.ask("textDocument/definition", at), json!([]));
    let gone = client.ask("workspace/textDocumentContent", json!({ "uri": uri }));
    let note = "# there is no `scale` any more; shown is the text before that, version 1";
    assert_eq!(gone["text"], format!("{note}\n\n{text}"));
    client.end_amid_news();
}

/// Native views whose work never ends unless it is cancelled.
struct Endless {
    /// Receives a message when work starts.
    started: Sender<()>,
    /// Receives a message when work ends after a cancel.
    ended: Sender<()>,
    stages: [NativeStage; 3],
}

impl Endless {
    fn new() -> (Arc<Endless>, Receiver<()>, Receiver<()>) {
        let (started, hears_start) = channel();
        let (ended, hears_end) = channel();
        let stage = |name, title| NativeStage {
            name,
            title,
            description: "",
            language_id: "asm",
            of_loops: name == "loops",
            extension: "s",
        };
        let stages =
            [stage("loops", "Explain this loop"), stage("asm", "View assembly"), stage("endless", "View for ever")];
        (Arc::new(Endless { started, ended, stages }), hears_start, hears_end)
    }
}

impl NativeViews for Endless {
    fn stages(&self) -> &[NativeStage] {
        &self.stages
    }

    fn prepare(&self, db: &Database, item: Item<'_>, stage: &NativeStage, target: &str) -> NativeWork {
        let text = format!("; {} for {}", item.name(db), target);
        let endless = stage.name == "endless";
        let (started, ended) = (self.started.clone(), Mutex::new(self.ended.clone()));
        Box::new(move |stopped| {
            let _ = started.send(());
            while endless && !stopped() {
                std::thread::yield_now();
            }
            if endless {
                let _ = ended.lock().map(|ended| ended.send(()));
                return Err("it was stopped".to_owned());
            }
            if text.contains("nowhere") {
                return Err("there is no such machine".to_owned());
            }
            let lines = vec![StageLine { text, source: None }];
            Ok(StageText { changed: true, passes: Vec::new(), lines, decisions: Vec::new(), findings: Vec::new() })
        })
    }
}

#[test]
fn door_come_through_their_door_and_stop_when_nobody_waits() {
    let (native, started, ended) = Endless::new();
    let mut client = Client::start_with(native);
    client.initialize(json!({ "capabilities": profiles::nothing() }));
    client.open(URI, KERNEL);
    client.diagnostics(1);
    let mut asm = params("asm");
    asm["target"] = json!("avx2");
    assert_eq!(client.ask("lanescope/view", asm.clone())["text"], "; scale for avx2\n");
    started.recv().expect("it started");
    // The view has a file extension of its own, and a lens and an action that open it.
    let document = json!({ "uri": URI });
    let lenses = client.ask("textDocument/codeLens", json!({ "textDocument": document }));
    let titles: Vec<_> = lenses.as_array().expect("a list").iter().map(|lens| &lens["command"]["title"]).collect();
    assert_eq!(titles, ["View lowered IR", "View for ever"]);
    let mut actions = |line: u32, trigger: u32| {
        let here = json!({ "line": line, "character": 5 });
        let context = json!({ "diagnostics": [], "triggerKind": trigger });
        let range = json!({ "start": here, "end": here });
        let params = json!({ "textDocument": document, "range": range, "context": context });
        let actions = client.ask("textDocument/codeAction", params);
        let titles =
            actions.as_array().expect("a list").iter().map(|action| action["title"].as_str().map(str::to_owned));
        titles.collect::<Option<Vec<_>>>().expect("titles")
    };
    // An explicit request lists every view; where there is nothing to mend there is no light bulb.
    assert!(actions(2, 1).contains(&"View assembly".to_owned()));
    assert!(actions(2, 1).contains(&"Explain this loop".to_owned()));
    assert!(!actions(0, 1).contains(&"Explain this loop".to_owned()));
    assert_eq!(actions(2, 2), [""; 0]);
    asm["target"] = json!("nowhere");
    assert_eq!(client.ask("lanescope/view", asm)["note"], "there is no such machine");
    started.recv().expect("it started");

    let id = client.request("lanescope/view", params("endless"));
    started.recv().expect("it started");
    // While the work runs, an edit of another document is applied and its request answered.
    client.open("file:///tmp/b.lane", KERNEL);
    client.diagnostics(1);
    client.tell("$/cancelRequest", json!({ "id": id }));
    assert_eq!(client.answer(id).unwrap_err().0, -32800);
    ended.recv().expect("the work ended");

    let id = client.request("lanescope/view", params("endless"));
    started.recv().expect("it started");
    client.replace(URI, 2, KERNEL);
    assert_eq!(client.answer(id).unwrap_err().0, -32801);
    ended.recv().expect("the work ended");
    client.diagnostics(2);

    let id = client.request("lanescope/view", params("endless"));
    started.recv().expect("it started");
    let bye = client.request("shutdown", Value::Null);
    assert_eq!(client.answer(bye), Ok(Value::Null));
    assert!(client.answer(id).is_err());
    ended.recv().expect("the work ended");
    client.tell("exit", Value::Null);
    client.ending();
}

#[test]
fn the_user_chooses_among_the_views() {
    let (native, _started, _ended) = Endless::new();
    let mut client = Client::start_with(native);
    let window = json!({ "showMessage": {}, "showDocument": { "support": true } });
    client.initialize(json!({ "capabilities": { "window": window } }));
    client.open(URI, KERNEL);
    client.diagnostics(1);
    let here = json!({ "line": 1, "character": 5 });
    let context = json!({ "diagnostics": [], "triggerKind": 1 });
    let params = json!({ "textDocument": { "uri": URI }, "range": { "start": here, "end": here }, "context": context });
    let actions = client.ask("textDocument/codeAction", params);
    let actions = actions.as_array().expect("a list");
    let titles: Vec<_> = actions.iter().map(|action| action["title"].as_str().expect("a title")).collect();
    assert_eq!(titles.iter().filter(|title| title.starts_with("View")).count(), 3, "{titles:?}");
    let choose = actions.iter().find(|action| action["title"] == "View…").expect("a choice");
    let command = json!({ "command": choose["command"], "arguments": choose["arguments"] });
    assert_eq!(client.ask("workspace/executeCommand", command.clone()), Value::Null);
    let request = client.asked("window/showMessageRequest");
    let choices = request["params"]["actions"].as_array().expect("a list");
    assert!(choices.len() > 8 && choices.contains(&json!({ "title": "View stage `vector`" })), "{choices:?}");
    client.respond(&request, json!({ "title": "View stage `vector`" }));
    let shown = client.asked("window/showDocument");
    assert!(shown["params"]["uri"].as_str().is_some_and(|uri| uri.contains(".vector.")), "{shown}");
    client.respond(&shown, json!({ "success": true }));
    // Who chooses nothing sees nothing.
    client.ask("workspace/executeCommand", command);
    let request = client.asked("window/showMessageRequest");
    client.respond(&request, Value::Null);
    client.end();
}
