//! Requests about documents that were closed a moment ago, as editors send them.

use std::fs;

use serde_json::{Value, json};

use crate::URI;
use crate::client::{Client, profiles};

const TEXT: &str = "kernel k(a: f32[n], n: i32):\n    for i in range(n):\n        a[i] = a[i] * 2.0\n";

/// Every request that names a document, with its parameters.
pub(crate) fn requests(uri: &str) -> Vec<(&'static str, Value)> {
    let document = json!({ "uri": uri });
    let position = json!({ "line": 0, "character": 7 });
    let range = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 3, "character": 0 } });
    let options = json!({ "tabSize": 4, "insertSpaces": true });
    let here = json!({ "textDocument": document, "position": position });
    let with = |fields: Value| {
        let mut params = here.clone();
        params.as_object_mut().expect("an object").extend(fields.as_object().expect("an object").clone());
        params
    };
    let called = json!({ "item": {
        "name": "k", "kind": 12, "uri": uri, "range": range, "selectionRange": range,
    }});
    let address = format!("lanescope-view:/k.vector.lane-ir?source={}", uri.replace(':', "%3A").replace('/', "%2F"));
    vec![
        ("textDocument/diagnostic", here.clone()),
        ("textDocument/semanticTokens/full", here.clone()),
        ("textDocument/semanticTokens/full/delta", with(json!({ "previousResultId": "0" }))),
        ("textDocument/semanticTokens/range", with(json!({ "range": range }))),
        ("textDocument/inlayHint", with(json!({ "range": range }))),
        ("textDocument/hover", here.clone()),
        ("textDocument/signatureHelp", here.clone()),
        ("textDocument/completion", here.clone()),
        ("textDocument/declaration", here.clone()),
        ("textDocument/definition", here.clone()),
        ("textDocument/typeDefinition", here.clone()),
        ("textDocument/references", with(json!({ "context": { "includeDeclaration": true } }))),
        ("textDocument/documentHighlight", here.clone()),
        ("textDocument/prepareRename", here.clone()),
        ("textDocument/rename", with(json!({ "newName": "other" }))),
        ("textDocument/prepareCallHierarchy", here.clone()),
        ("callHierarchy/incomingCalls", called.clone()),
        ("callHierarchy/outgoingCalls", called),
        ("textDocument/selectionRange", with(json!({ "positions": [position] }))),
        ("textDocument/documentSymbol", here.clone()),
        ("textDocument/foldingRange", here.clone()),
        ("textDocument/codeLens", here.clone()),
        ("textDocument/documentLink", here.clone()),
        ("textDocument/codeAction", with(json!({ "range": range, "context": { "diagnostics": [] } }))),
        ("textDocument/formatting", with(json!({ "options": options }))),
        ("textDocument/rangeFormatting", with(json!({ "range": range, "options": options }))),
        ("textDocument/rangesFormatting", with(json!({ "ranges": [range], "options": options }))),
        ("textDocument/onTypeFormatting", with(json!({ "ch": "\n", "options": options }))),
        ("lanescope/view", here.clone()),
        ("workspace/executeCommand", json!({ "command": "lanescope.view", "arguments": [here] })),
        ("workspace/textDocumentContent", json!({ "uri": address })),
    ]
}

fn close(client: &mut Client, uri: &str) {
    client.tell("textDocument/didClose", json!({ "textDocument": { "uri": uri } }));
}

#[test]
fn what_is_gone_has_an_empty_answer_of_the_right_shape() {
    let mut client = Client::with(profiles::pulling());
    for (method, params) in requests(URI) {
        client.open(URI, TEXT);
        close(&mut client, URI);
        let answer = client.ask(method, params);
        match method {
            "textDocument/diagnostic" => assert_eq!(answer, json!({ "kind": "full", "items": [] })),
            "lanescope/view" => {
                assert_eq!((&answer["text"], &answer["lines"]), (&json!(""), &json!([])));
                assert!(answer["languageId"].is_string() && answer["note"].is_string(), "{answer}");
            }
            "workspace/textDocumentContent" => assert!(answer["text"].is_string(), "{answer}"),
            _ => assert_eq!(answer, Value::Null, "{method}"),
        }
    }
    client.end();
}

#[test]
fn what_is_closed_is_the_file_on_disk() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.lane");
    fs::write(&path, TEXT.replace("a[i] * 2.0", "unknown")).expect("a file");
    let uri = format!("file://{}", path.display());
    let mut client = Client::start();
    let folders = json!([{ "uri": format!("file://{}", folder.path().display()), "name": "work" }]);
    client.initialize(json!({ "capabilities": profiles::pulling(), "workspaceFolders": folders }));
    // The editor has closed the document without saving it: the error of the file is the one that counts.
    for round in 0..20 {
        client.open(&uri, TEXT);
        close(&mut client, &uri);
        let report = client.ask("textDocument/diagnostic", json!({ "textDocument": { "uri": uri } }));
        assert_eq!(report["items"][0]["code"], "unknown-name", "in round {round}: {report}");
        assert_eq!(report["items"].as_array().map(Vec::len), Some(1));
    }
    for (method, params) in requests(&uri) {
        client.open(&uri, TEXT);
        close(&mut client, &uri);
        client.ask(method, params);
    }
    // In the end there is no file either.
    client.open(&uri, TEXT);
    fs::remove_file(&path).expect("it was there");
    close(&mut client, &uri);
    let report = client.ask("textDocument/diagnostic", json!({ "textDocument": { "uri": uri } }));
    assert_eq!(report, json!({ "kind": "full", "items": [] }));
    client.end_amid_news();
}
