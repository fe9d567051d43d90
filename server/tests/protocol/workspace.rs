//! Files that are not open, folders, settings.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::URI;
use crate::client::{Client, profiles};

fn uri(path: &Path) -> String {
    format!("file://{}", path.display())
}

/// Waits until a search finds `n` names, since files are read concurrently, and returns them.
fn symbols(client: &mut Client, n: usize) -> Vec<String> {
    for _ in 0..10_000 {
        let found = client.ask("workspace/symbol", json!({ "query": "" }));
        let found = found.as_array().expect("a list");
        if found.len() == n {
            let mut names: Vec<_> = found.iter().map(|it| it["name"].as_str().expect("a name").to_owned()).collect();
            names.sort();
            return names;
        }
        std::thread::yield_now();
    }
    panic!("never {n} symbols");
}

#[test]
fn files_of_the_workspace_are_read_and_read_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(&path, text).expect("a file");
        path
    };
    let a = file("a.lane", "kernel in_a():\n    pass\n");
    file("deep/er/b.lane", "const in_b = 1\n");
    file(".hidden/c.lane", "const in_c = 1\n");
    file("target/d.lane", "const in_d = 1\n");
    file("e.txt", "const in_e = 1\n");
    fs::write(folder.path().join("f.lane"), b"\xff\xfe").expect("a file");
    let mut client = Client::start();
    let folders = json!([{ "uri": uri(folder.path()), "name": "work" }]);
    let params = json!({ "capabilities": profiles::zed(), "workspaceFolders": folders });
    client.initialize(params);
    // A file of the folder is not UTF-8, which the log reports.
    assert!(client.told("window/logMessage")["message"].as_str().is_some_and(|line| line.contains("f.lane")));
    let progress = client.asked("window/workDoneProgress/create");
    client.respond(&progress, Value::Null);
    assert_eq!(client.told("$/progress")["value"]["kind"], "begin");
    assert_eq!(client.told("$/progress")["value"]["kind"], "end");
    assert_eq!(symbols(&mut client, 2), ["in_a", "in_b"]);

    // For an open document the client's text takes precedence, whatever happens on disk.
    client.open(&uri(&a), "kernel typed():\n    pass\n\nkernel too():\n    pass\n");
    assert_eq!(symbols(&mut client, 3), ["in_b", "too", "typed"]);
    let c = file("c.lane", "const in_c = 1\nconst IN_C_TOO = 2\n");
    let changed = |paths: &[&Path]| json!({ "changes": paths.iter().map(|path| json!({ "uri": uri(path), "type": 2 })).collect::<Vec<_>>() });
    // Reported files without the extension of kernels are ignored.
    let notes = file("notes.txt", "const in_notes = 1\n");
    client.tell("workspace/didChangeWatchedFiles", changed(&[&a, &notes, &c]));
    assert_eq!(symbols(&mut client, 5), ["IN_C_TOO", "in_b", "in_c", "too", "typed"]);
    client.tell("textDocument/didClose", json!({ "textDocument": { "uri": uri(&a) } }));
    assert_eq!(symbols(&mut client, 4), ["IN_C_TOO", "in_a", "in_b", "in_c"]);
    fs::remove_file(&c).expect("it was there");
    client.tell("workspace/didChangeWatchedFiles", changed(&[&c]));
    assert_eq!(symbols(&mut client, 2), ["in_a", "in_b"]);
    // For a deleted folder, clients report only the folder.
    fs::remove_dir_all(folder.path().join("deep")).expect("it was there");
    let gone = json!({ "changes": [{ "uri": uri(&folder.path().join("deep")), "type": 3 }] });
    client.tell("workspace/didChangeWatchedFiles", gone);
    assert_eq!(symbols(&mut client, 1), ["in_a"]);

    // Requests about files that are not open are answered.
    let at = json!({ "textDocument": { "uri": uri(&a) }, "position": { "line": 0, "character": 8 } });
    assert!(client.ask("textDocument/hover", at)["contents"]["value"].is_string());
    let event = json!({ "event": { "added": [], "removed": folders } });
    client.tell("workspace/didChangeWorkspaceFolders", event);
    assert_eq!(symbols(&mut client, 0), [""; 0]);
    client.end_amid_news();
}

#[test]
fn what_takes_long_says_how_far_it_is_and_what_it_knows() {
    let mut client = Client::with(profiles::pulling());
    let uri = |n: usize| format!("file:///tmp/{n}.lane");
    for n in 0..3 {
        client.open(&uri(n), &format!("kernel k{n}():\n    x = unknown\n"));
    }
    let kinds = |client: &mut Client, n: usize| -> Vec<String> {
        let told: Vec<_> = (0..n).map(|_| client.told("$/progress")).collect();
        assert!(told.iter().all(|it| it["token"] == "work"), "{told:?}");
        told.iter().map(|it| it["value"]["kind"].as_str().expect("a kind").to_owned()).collect()
    };
    let found = client.ask("workspace/symbol", json!({ "query": "k", "workDoneToken": "work" }));
    let of_files = |found: &Value| {
        let found = found.as_array().expect("a list");
        found.iter().filter(|it| it["name"].as_str().is_some_and(|name| name.starts_with('k'))).count()
    };
    assert_eq!(of_files(&found), 3, "{found}");
    assert_eq!(kinds(&mut client, 4), ["begin", "report", "report", "end"]);
    // Names of libraries are found by who looks for one.
    let of_library = client.ask("workspace/symbol", json!({ "query": "median3" }));
    assert_eq!(of_library[0]["name"], "median3", "{of_library}");

    let params = json!({ "previousResultIds": [], "workDoneToken": "work" });
    let whole = client.ask("workspace/diagnostic", params);
    assert_eq!(whole["items"].as_array().map(Vec::len), Some(3));
    assert_eq!(kinds(&mut client, 4), ["begin", "report", "report", "end"]);

    // Partial results add up to the full answer, and all of them precede the final answer.
    let id = client.request("workspace/diagnostic", json!({ "previousResultIds": [], "partialResultToken": 7 }));
    let mut items = Vec::new();
    for _ in 0..3 {
        let part = client.next();
        assert_eq!((&part["method"], &part["params"]["token"]), (&json!("$/progress"), &json!(7)));
        items.extend(part["params"]["value"]["items"].as_array().expect("items").clone());
    }
    assert_eq!(client.next()["id"], id);
    assert_eq!(json!(items), whole["items"]);
    client.end();
}

#[test]
fn a_person_calls_off_what_takes_long() {
    let mut client = Client::with(profiles::pulling());
    let text: String = (0..4000)
        .map(|n| format!("kernel k{n}(a: f32[n], n):\n    for i in range(n):\n        a[i] = {n}.0\n\n"))
        .collect();
    client.open(URI, &text);
    let id = client.request("workspace/diagnostic", json!({ "previousResultIds": [], "workDoneToken": 1 }));
    assert_eq!(client.told("$/progress")["value"]["kind"], "begin");
    client.tell("window/workDoneProgress/cancel", json!({ "token": 1 }));
    assert_eq!(client.answer(id).unwrap_err().0, -32800);
    assert_eq!(client.told("$/progress")["value"]["kind"], "end");
    client.end();
}

#[test]
fn settings_come_at_the_start_when_asked_and_when_they_change() {
    let text = "kernel k(a: f32[n], n):\n    let x = a[n - 1]\n    a[0] = x\n";
    let hints = |client: &mut Client| {
        let range = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 9, "character": 0 } });
        let found = client.ask("textDocument/inlayHint", json!({ "textDocument": { "uri": URI }, "range": range }));
        found.as_array().expect("a list").len()
    };
    let off = json!({ "hints": { "variables": false } });

    let mut client = Client::start();
    client.initialize(json!({ "capabilities": {}, "initializationOptions": off }));
    client.open(URI, text);
    client.diagnostics(1);
    assert_eq!(hints(&mut client), 1);
    client.tell("workspace/didChangeConfiguration", json!({ "settings": { "lanescope": {} } }));
    assert_eq!(hints(&mut client), 2);
    client.tell("workspace/didChangeConfiguration", json!({ "settings": { "lanescope": { "lenses": "no" } } }));
    assert!(client.told("window/logMessage")["message"].as_str().is_some_and(|line| line.contains("lanescope.lenses")));
    client.end();

    let mut client = Client::with(profiles::neovim());
    client.open(URI, text);
    client.diagnostics(1);
    let request = client.asked("workspace/configuration");
    assert_eq!(request["params"]["items"], json!([{ "section": "lanescope" }]));
    assert_eq!(hints(&mut client), 2);
    client.respond(&request, json!([off]));
    let refresh = client.asked("workspace/inlayHint/refresh");
    client.respond(&refresh, Value::Null);
    assert_eq!(hints(&mut client), 1);
    // For a client that answers `workspace/configuration`, this notification only triggers that request.
    client.tell("workspace/didChangeConfiguration", json!({ "settings": null }));
    let request = client.asked("workspace/configuration");
    client.respond(&request, json!([{}]));
    client.asked("workspace/inlayHint/refresh");
    assert_eq!(hints(&mut client), 2);
    client.end();
}

#[test]
fn hints_hovers_and_views_are_for_the_target_that_is_set() {
    let text = "kernel k(a: f32[n], n):\n    for i in range(n):\n        a[i] = a[i] * 2.0\n";
    let mut profile = profiles::vscode();
    for asked in ["configuration", "didChangeConfiguration", "didChangeWatchedFiles"] {
        profile["workspace"][asked] = Value::Null;
    }
    let mut client = Client::with(profile);
    client.open(URI, text);
    let document = json!({ "uri": URI });
    let at = json!({ "textDocument": document, "position": { "line": 1, "character": 5 }, "stage": "vector" });
    let address = "lanescope-view:/k.vector.lane-ir?source=file%3A%2F%2F%2Ftmp%2Fa.lane";
    let mut views = Vec::new();
    for (target, lanes) in [("sse4", 4), ("avx512", 16)] {
        client.tell("workspace/didChangeConfiguration", json!({ "settings": { "lanescope": { "target": target } } }));
        for what in ["inlayHint", "codeLens", "semanticTokens", "diagnostic"] {
            let request = client.asked(&format!("workspace/{what}/refresh"));
            client.respond(&request, Value::Null);
        }
        let range = json!({ "start": { "line": 1, "character": 0 }, "end": { "line": 2, "character": 0 } });
        let hints = client.ask("textDocument/inlayHint", json!({ "textDocument": document, "range": range }));
        assert_eq!(hints[0]["label"], format!(" {lanes} lanes"));
        let hover = client.ask("textDocument/hover", at.clone());
        let words = hover["contents"]["value"].as_str().expect("a text");
        assert!(words.contains(&format!("{lanes} lanes")), "{words}");
        // A view as a document is outdated, and requested again.
        if target == "avx512" {
            let refresh = client.asked("workspace/textDocumentContent/refresh");
            client.respond(&refresh, Value::Null);
            assert_eq!(refresh["params"]["uri"], address);
        }
        let mut view = |method, params| client.ask(method, params)["text"].as_str().expect("a text").to_owned();
        let shown = view("lanescope/view", at.clone());
        assert_eq!(view("workspace/textDocumentContent", json!({ "uri": address })), shown);
        views.push(shown);
    }
    // A target in the request takes precedence over the setting.
    let mut named = at;
    named["target"] = json!("sse4");
    assert_eq!(client.ask("lanescope/view", named)["text"], views[0]);
    client.end();
}

#[test]
fn promises_are_judged_for_all_targets_that_are_set() {
    let text = "@no_gather\nkernel f(c: f32[16], x: i32[n], out: f32[n], n: i32):\n    for i in range(n):\n        \
                out[i] = c[x[i] & 15]\n";
    let mut client = Client::with(json!({}));
    client.tell(
        "workspace/didChangeConfiguration",
        json!({ "settings": { "lanescope": { "target": "avx2", "targets": ["sse4", "neon"] } } }),
    );
    client.open(URI, text);
    let found = client.diagnostics(1);
    assert_eq!(found[0]["code"], "broken-no-gather");
    let message = found[0]["message"].as_str().expect("a text");
    assert!(message.contains("(on sse4)"), "{message}");
    // Other targets are other findings, without an edit.
    client.tell("workspace/didChangeConfiguration", json!({ "settings": { "lanescope": { "target": "avx2" } } }));
    assert_eq!(client.diagnostics(1), json!([]));
    client.end();
}
