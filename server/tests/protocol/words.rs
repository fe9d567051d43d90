//! The words of views, explained.

use serde_json::{Value, json};

use crate::URI;
use crate::client::{Client, profiles};

const KERNEL: &str =
    "kernel scale(a: f32[n], n: i32, v: f32):\n    for i in range(n):\n        a[i] = sqrt(a[i]) * v\n";

fn word(client: &mut Client, line: &str, character: usize) -> Value {
    let params = json!({ "languageId": "lane-ir", "target": "avx2", "line": line, "character": character });
    client.ask("lanescope/explainWord", params)
}

#[test]
fn an_op_is_explained_by_its_line() {
    let mut client = Client::with(profiles::pulling());
    let line = "    let ä = sqrt(x) # the root";
    let found = word(&mut client, line, line.chars().position(|c| c == 'q').expect("the op"));
    assert_eq!((&found["start"], &found["end"]), (&json!(12), &json!(16)));
    let text = found["contents"]["value"].as_str().expect("a text");
    assert!(text.contains("square root") && text.contains("avx2: about "), "{text}");
    assert_eq!(word(&mut client, line, 2), Value::Null);
    let other = json!({ "languageId": "lane", "line": "for", "character": 1 });
    assert_eq!(client.ask("lanescope/explainWord", other), Value::Null);
    // Without native code there is nothing to say of an instruction.
    let asm = json!({ "languageId": "asm", "line": "\tret", "character": 1 });
    assert_eq!(client.ask("lanescope/explainWord", asm), Value::Null);
    client.end();
}

#[test]
fn a_view_that_is_a_document_has_hovers() {
    let mut profile = profiles::pulling();
    profile["workspace"] = json!({ "textDocumentContent": {} });
    profile["window"] = json!({ "showDocument": { "support": true } });
    profile["textDocument"]["hover"] = json!({ "contentFormat": ["markdown"] });
    let mut client = Client::with(profile);
    client.open(URI, KERNEL);
    let at = json!({ "textDocument": { "uri": URI }, "position": { "line": 1, "character": 4 }, "stage": "vector" });
    client.ask("workspace/executeCommand", json!({ "command": "lanescope.view", "arguments": [at] }));
    let shown = client.asked("window/showDocument");
    client.respond(&shown, json!({ "success": true }));
    let uri = shown["params"]["uri"].clone();
    let text = client.ask("workspace/textDocumentContent", json!({ "uri": uri }))["text"].clone();
    let text = text.as_str().expect("a text");
    let line = text.lines().position(|line| line.contains("sqrt(")).expect("the op");
    let character = text.lines().nth(line).and_then(|line| line.find("sqrt(")).expect("the op");
    let at = json!({ "textDocument": { "uri": uri }, "position": { "line": line, "character": character + 1 } });
    let hover = client.ask("textDocument/hover", at);
    assert!(hover["contents"]["value"].as_str().is_some_and(|text| text.contains("square root")), "{hover}");
    assert_eq!(hover["range"]["start"], json!({ "line": line, "character": character }));
    let nowhere = json!({ "textDocument": { "uri": uri }, "position": { "line": 99, "character": 0 } });
    assert_eq!(client.ask("textDocument/hover", nowhere), Value::Null);
    client.end();
}
