//! Faster versions of a kernel: a trial that a command starts, its progress, its end, and what becomes of its offers.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

use queries::db::{Database, Item};
use report::{TextEdit, TextRange};
use serde_json::{Value, json};
use server::machine_views::{FasterOffer, FasterTrial, NativeStage, NativeViews, NativeWork, TrialProgress, TrialWork};

use crate::URI;
use crate::client::{Client, profiles};

const KERNEL: &str = "kernel scale(a: f32[n], n: i32, v: f32):\n    for i in range(n):\n        a[i] = a[i] * v\n";

/// Trials that go on when a test says so, and end early when they are cancelled.
struct Slow {
    started: Sender<String>,
    goes_on: Arc<Mutex<Receiver<()>>>,
}

impl Slow {
    fn new() -> (Arc<Slow>, Receiver<String>, Sender<()>) {
        let (started, hears_start) = channel();
        let (go_on, hears_go) = channel();
        (Arc::new(Slow { started, goes_on: Arc::new(Mutex::new(hears_go)) }), hears_start, go_on)
    }
}

impl NativeViews for Slow {
    fn stages(&self) -> &[NativeStage] {
        &[]
    }

    fn prepare(&self, _: &Database, _: Item<'_>, _: &NativeStage, _: &str) -> NativeWork {
        Box::new(|_| Err("there are no stages".to_owned()))
    }

    fn tries(&self) -> bool {
        true
    }

    fn prepare_trial(&self, db: &Database, item: Item<'_>, target: &str) -> TrialWork {
        let (started, goes_on) = (self.started.clone(), self.goes_on.clone());
        let kernel = format!("{} for {target}", item.name(db));
        Box::new(move |progress: &mut TrialProgress<'_>, stopped: &dyn Fn() -> bool| {
            let _ = started.send(kernel.clone());
            let goes_on = goes_on.lock().expect("no panic");
            while goes_on.try_recv().is_err() {
                if stopped() {
                    return Err("it was stopped".to_owned());
                }
                progress(0, 2, "@reassoc");
                std::thread::yield_now();
            }
            progress(1, 2, "@fast");
            let edits = vec![TextEdit { range: TextRange::empty(0.into()), text: "@fast\n".to_owned() }];
            let offer = FasterOffer {
                title: "@fast".to_owned(),
                times: 1.834,
                spread: 0.02,
                results: "same bits in 8 runs".to_owned(),
                keeps_bits: true,
                edits,
                diff: "+@fast\n".to_owned(),
            };
            Ok(FasterTrial { text: format!("{kernel}: 1.83\n"), offers: vec![offer] })
        })
    }
}

fn start(profile: Value, options: Value) -> (Client, Receiver<String>, Sender<()>) {
    let (native, started, go_on) = Slow::new();
    let mut client = Client::start_with(native);
    client.initialize(json!({ "capabilities": profile, "initializationOptions": options }));
    client.open(URI, KERNEL);
    (client, started, go_on)
}

fn find(show: bool) -> Value {
    let argument = json!({
        "textDocument": { "uri": URI }, "position": { "line": 1, "character": 4 }, "show": show,
    });
    json!({ "command": "lanescope.faster", "arguments": [argument] })
}

fn take(found: &Value) -> Value {
    let argument = json!({
        "textDocument": { "uri": URI }, "kernel": "scale", "trial": found["trial"], "offer": 0,
    });
    json!({ "command": "lanescope.takeFaster", "arguments": [argument] })
}

fn titles(list: &Value) -> Vec<String> {
    let title = |it: &Value| it["title"].as_str().or(it["command"]["title"].as_str()).unwrap_or_default().to_owned();
    list.as_array().expect("a list").iter().map(title).collect()
}

fn actions(client: &mut Client) -> Value {
    let here = json!({ "line": 0, "character": 8 });
    let context = json!({ "diagnostics": [], "triggerKind": 1 });
    let params = json!({ "textDocument": { "uri": URI }, "range": { "start": here, "end": here }, "context": context });
    client.ask("textDocument/codeAction", params)
}

/// A client that takes edits, is shown documents, and has findings pulled, so that none are published.
fn able() -> Value {
    let mut profile = profiles::pulling();
    profile["workspace"] = json!({ "applyEdit": true, "workspaceEdit": { "documentChanges": true } });
    profile["window"] = json!({ "showDocument": { "support": true } });
    profile
}

#[test]
fn the_changes_that_gain_are_listed_shown_and_taken() {
    let (mut client, started, go_on) = start(able(), Value::Null);
    let lenses = client.ask("textDocument/codeLens", json!({ "textDocument": { "uri": URI } }));
    assert_eq!(titles(&lenses), ["View lowered IR", "Find faster versions"]);
    assert!(titles(&actions(&mut client)).contains(&"Find faster versions".to_owned()));
    let lens = &lenses[1]["command"];
    // Where an editor shows nothing of its own, the answer comes at once, and a document when all is known.
    let command = json!({ "command": lens["command"], "arguments": lens["arguments"] });
    assert_eq!(client.ask("workspace/executeCommand", command), Value::Null);
    let told = client.told("window/showMessage");
    assert_eq!(told["message"], "`scale` is being measured; what is faster opens when that is known");
    assert_eq!(started.recv().as_deref(), Ok("scale for native"));
    go_on.send(()).expect("it hears");
    let shown = client.asked("window/showDocument");
    let uri = shown["params"]["uri"].as_str().expect("an address");
    assert!(uri.starts_with("file://") && uri.ends_with("scale.faster.txt"), "{uri}");
    assert_eq!(std::fs::read_to_string(&uri["file://".len()..]).expect("a file"), "scale for native: 1.83\n");
    client.respond(&shown, json!({ "success": true }));

    let id = client.request("workspace/executeCommand", find(false));
    started.recv().expect("it started");
    go_on.send(()).expect("it hears");
    let found = client.answer(id).expect("a result");
    assert_eq!((&found["kernel"], &found["version"]), (&json!("scale"), &json!(1)));
    let offer = &found["offers"][0];
    assert_eq!(
        (&offer["title"], &offer["keepsBits"], &offer["diff"]),
        (&json!("@fast"), &json!(true), &json!("+@fast\n"))
    );

    let listed = actions(&mut client);
    let action = listed
        .as_array()
        .expect("a list")
        .iter()
        .find(|it| it["kind"] == "refactor.rewrite" && it["title"].as_str().is_some_and(|it| it.contains("times")));
    let action = action.unwrap_or_else(|| panic!("{listed}"));
    assert_eq!(action["title"], "1.83 times as fast, same bits in 8 runs: @fast");
    let edit = &action["edit"]["documentChanges"][0];
    assert_eq!((&edit["textDocument"]["version"], &edit["edits"][0]["newText"]), (&json!(1), &json!("@fast\n")));

    assert_eq!(client.ask("workspace/executeCommand", take(&found)), json!(true));
    let request = client.asked("workspace/applyEdit");
    assert_eq!(request["params"]["edit"]["documentChanges"][0], *edit);
    client.respond(&request, json!({ "applied": false }));
    let told = client.told("window/showMessage");
    assert!(told["message"].as_str().is_some_and(|it| it.contains("find faster versions again")), "{told}");
    client.end();
}

#[test]
fn text_that_has_changed_since_is_not_overwritten() {
    let (mut client, started, go_on) = start(able(), Value::Null);
    let id = client.request("workspace/executeCommand", find(false));
    started.recv().expect("it started");
    // An edit neither ends the trial nor waits for it.
    client.replace(URI, 2, &KERNEL.replace("* v", "* v * v"));
    assert_eq!(
        client.ask(
            "lanescope/view",
            json!({
                "textDocument": { "uri": URI }, "position": { "line": 1, "character": 4 }, "stage": "typed",
            })
        )["version"],
        2
    );
    go_on.send(()).expect("it hears");
    let found = client.answer(id).expect("a result");
    assert_eq!(found["version"], 1);
    assert_eq!(client.ask("workspace/executeCommand", take(&found)), json!(false));
    let told = client.told("window/showMessage");
    assert_eq!(
        told["message"],
        "nothing is written: the text has changed since `scale` was measured; find faster versions again"
    );
    let listed = titles(&actions(&mut client));
    assert!(!listed.iter().any(|title| title.contains("times as fast")), "{listed:?}");
    assert!(
        listed.contains(&"Find faster versions again: the text has changed since the last trial".to_owned()),
        "{listed:?}"
    );
    let view = client.ask(
        "lanescope/view",
        json!({
            "textDocument": { "uri": URI }, "position": { "line": 1, "character": 4 }, "stage": "faster",
        }),
    );
    assert_eq!((&view["text"], &view["outdated"]), (&json!("scale for native: 1.83\n"), &json!(true)));
    client.end();
}

#[test]
fn nothing_is_measured_twice_at_once_and_a_user_ends_it() {
    let mut profile = able();
    profile["window"]["workDoneProgress"] = json!(true);
    let (mut client, started, go_on) = start(profile, Value::Null);
    let id = client.request("workspace/executeCommand", find(false));
    started.recv().expect("it started");
    let create = client.asked("window/workDoneProgress/create");
    let token = create["params"]["token"].clone();
    client.respond(&create, Value::Null);
    let begin = client.told("$/progress");
    assert_eq!(begin["token"], token);
    assert_eq!(begin["value"]["title"], "Faster versions of `scale`");
    assert_eq!((&begin["value"]["kind"], &begin["value"]["cancellable"]), (&json!("begin"), &json!(true)));
    assert_eq!(client.ask("workspace/executeCommand", find(false)), Value::Null);
    let told = client.told("window/showMessage");
    assert_eq!(
        told["message"],
        "`scale` is being measured, and two at once would be in each other's times; wait for its end, or cancel it"
    );
    client.tell("window/workDoneProgress/cancel", json!({ "token": token }));
    assert_eq!(client.answer(id).unwrap_err().0, -32800);
    assert_eq!(client.told("$/progress")["value"]["kind"], "end");
    // Then it is the next one's turn.
    let id = client.request("workspace/executeCommand", find(false));
    started.recv().expect("it started");
    let create = client.asked("window/workDoneProgress/create");
    assert_ne!(create["params"]["token"], token);
    go_on.send(()).expect("it hears");
    assert_eq!(client.answer(id).expect("a result")["offers"].as_array().map(Vec::len), Some(1));
    client.end();
}

#[test]
fn nothing_runs_where_it_may_not_or_cannot() {
    let (mut client, started, _go_on) = start(able(), json!({ "run": false }));
    let lenses = client.ask("textDocument/codeLens", json!({ "textDocument": { "uri": URI } }));
    assert_eq!(titles(&lenses), ["View lowered IR"]);
    assert!(!titles(&actions(&mut client)).contains(&"Find faster versions".to_owned()));
    assert_eq!(client.ask("workspace/executeCommand", find(false)), Value::Null);
    let told = client.told("window/showMessage");
    assert!(told["message"].as_str().is_some_and(|it| it.contains("`lanescope.run` is off")), "{told}");
    client.tell("workspace/didChangeConfiguration", json!({ "settings": { "lanescope": { "run": true } } }));
    client.replace(URI, 2, &KERNEL.replace("* v", "* w"));
    assert_eq!(client.ask("workspace/executeCommand", find(false)), Value::Null);
    let told = client.told("window/showMessage");
    assert_eq!(told["message"], "`scale` has an error, so it is not run; mend that first");
    assert!(started.try_recv().is_err());
    client.end();
}
