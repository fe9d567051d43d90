//! ISPC documents: calls, names in the workspace, formatting.

use serde_json::json;

use super::ispc::{A, H, HEADER, at, list, of, opened, with};
use crate::client::{Client, profiles};

#[test]
fn calls_are_followed_across_files() {
    let mut client = opened(profiles::vscode());
    let items = client.ask("textDocument/prepareCallHierarchy", at(H, HEADER, "float squ$0are"));
    let item = list(&items)[0].clone();
    assert_eq!((item["name"].as_str(), item["uri"].as_str()), (Some("square"), Some(A)));
    let incoming = list(&client.ask("callHierarchy/incomingCalls", json!({ "item": item })));
    assert_eq!(incoming[0]["from"]["name"], "squares");
    assert_eq!(incoming[0]["fromRanges"][0]["start"], json!({ "line": 7, "character": 23 }));
    let outgoing = list(&client.ask("callHierarchy/outgoingCalls", json!({ "item": incoming[0]["from"] })));
    assert_eq!((outgoing.len(), &outgoing[0]["to"]["name"]), (1, &json!("square")));
}

#[test]
fn names_of_the_workspace_are_found_with_those_of_lane() {
    let mut client = opened(profiles::vscode());
    client.open("file:///w/k.lane", "kernel squash(a, n):\n    pass\n");
    let found = list(&client.ask("workspace/symbol", json!({ "query": "squa" })));
    let names: Vec<_> = found.iter().map(|it| (it["name"].clone(), it["containerName"].clone())).collect();
    let pair = |name: &str, file: &str| (json!(name), json!(file));
    // The prototype in the header, and the function.
    let all =
        [pair("squash", "k.lane"), pair("square", "a.ispc"), pair("square", "points.isph"), pair("squares", "a.ispc")];
    // Behind them come names that have these letters apart.
    assert_eq!(names[..4], all);
}

#[test]
fn documents_are_formatted_in_their_own_style() {
    let mut client = Client::with(profiles::vscode());
    let text = "void f(uniform float a[]) {\n    a[0] = 1;\n  a[1]=2;  \n    a[2] = 3;\n}\n";
    client.open_as(A, "ispc", text);
    let options = json!({ "tabSize": 4, "insertSpaces": true });
    let edits = client.ask("textDocument/formatting", with(of(A), "options", options.clone()));
    assert_eq!(list(&edits).len(), 4);
    let range = json!({ "start": { "line": 1, "character": 0 }, "end": { "line": 1, "character": 3 } });
    let asked = with(with(of(A), "options", options.clone()), "range", range);
    assert_eq!(client.ask("textDocument/rangeFormatting", asked), json!([]));
    let typed = with(at(A, text, "    a[2] = 3;\n$0}"), "options", options);
    let edits = client.ask("textDocument/onTypeFormatting", with(typed, "ch", json!("\n")));
    assert_eq!(edits, json!([]));
}

#[test]
fn without_a_program_that_makes_views_there_are_none() {
    let mut client = opened(profiles::vscode());
    let lenses = list(&client.ask("textDocument/codeLens", of(A)));
    assert!(lenses.is_empty(), "{lenses:?}");
}
