//! The costs of loops beside those that they had when the text was last saved.

use serde_json::{Value, json};

use crate::client::{Client, profiles};

/// A document whose file nobody has written.
const URI: &str = "file:///tmp/nowhere-of-lanescope/costs.lane";

const TEXT: &str = "\
kernel k(a: f32[n], out: f32[n], n: i32):
    for i in range(n):
        out[i] = a[i]

kernel other(a: f32[n], n: i32):
    for i in range(n):
        a[i] += 1.0
";

fn open(uri: &str, text: &str) -> Client {
    let mut profile = profiles::pulling();
    profile["workspace"] = json!({ "inlayHint": { "refreshSupport": true } });
    let mut client = Client::start();
    let options = json!({ "target": "avx2", "hints": { "costs": true } });
    client.initialize(json!({ "capabilities": profile, "initializationOptions": options }));
    client.open(uri, text);
    client
}

/// What the hint of a loop says of its cost.
fn cost(client: &mut Client, uri: &str, line: u32) -> String {
    let range = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 99, "character": 0 } });
    let hints = client.ask("textDocument/inlayHint", json!({ "textDocument": { "uri": uri }, "range": range }));
    let label = |hint: &Value| match hint["label"].as_array() {
        Some(parts) => parts.iter().filter_map(|part| part["value"].as_str()).collect(),
        None => hint["label"].as_str().expect("a text").to_owned(),
    };
    let hints = hints.as_array().expect("a list").iter();
    let told: Vec<String> = hints.filter(|hint| hint["position"]["line"] == line).map(label).collect();
    told.concat().split_once("about ").map(|(_, cost)| cost.to_owned()).unwrap_or_else(|| panic!("{told:?}"))
}

/// Saves a document, behind which the server asks for the hints anew, as it may have done before.
fn save(client: &mut Client, uri: &str) {
    for asked in client.unread().iter().filter(|message| message.get("id").is_some()) {
        client.respond(asked, Value::Null);
    }
    client.tell("textDocument/didSave", json!({ "textDocument": { "uri": uri } }));
    let refresh = client.asked("workspace/inlayHint/refresh");
    client.respond(&refresh, Value::Null);
}

#[test]
fn a_cost_is_told_beside_that_of_the_saved_text_where_it_is_another() {
    let mut client = open(URI, TEXT);
    let (light, other) = (cost(&mut client, URI, 1), cost(&mut client, URI, 5));
    assert!(light.ends_with(" cycles an element"), "{light}");
    let figure = light.split(' ').next().expect("a number").to_owned();
    let heavy = TEXT.replace("= a[i]", "= sqrt(a[i]) / (a[i] + 1.0)");
    client.replace(URI, 2, &heavy);
    let now = cost(&mut client, URI, 1);
    assert!(now.ends_with(&format!(" cycles an element, {figure} when saved")), "{now}");
    // What stays as it is costs what it did, wherever it stands.
    client.replace(URI, 3, &format!("const C = 1\n\n{heavy}"));
    assert_eq!(cost(&mut client, URI, 7), other);
    assert_eq!(cost(&mut client, URI, 3), now);
    client.replace(URI, 4, &heavy);
    save(&mut client, URI);
    assert_eq!(Some(&*cost(&mut client, URI, 1)), now.strip_suffix(&format!(", {figure} when saved")));
    client.replace(URI, 5, TEXT);
    let heavier = now.split(' ').next().expect("a number");
    assert_eq!(cost(&mut client, URI, 1), format!("{light}, {heavier} when saved"));
    client.end_amid_news();
}

#[test]
fn what_an_editor_had_not_saved_when_it_opened_it_is_not_taken_for_the_saved_text() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.lane");
    std::fs::write(&path, TEXT.replace("= a[i]", "= a[n - 1 - i]")).expect("a file");
    let uri = format!("file://{}", path.display());
    let mut client = open(&uri, TEXT);
    // The file has been read when another one that is asked for later has been.
    let beside = folder.path().join("beside.lane");
    std::fs::write(&beside, "const BESIDE = 1\n").expect("a file");
    let changes = json!({ "changes": [{ "uri": format!("file://{}", beside.display()), "type": 1 }] });
    client.tell("workspace/didChangeWatchedFiles", changes);
    while client.ask("workspace/symbol", json!({ "query": "BESIDE" })).as_array().is_none_or(Vec::is_empty) {}
    let light = cost(&mut client, &uri, 1);
    client.replace(&uri, 2, &TEXT.replace("= a[i]", "= sqrt(a[i])"));
    let heavy = cost(&mut client, &uri, 1);
    assert!(!heavy.contains("saved"), "{heavy}");
    save(&mut client, &uri);
    cost(&mut client, &uri, 1);
    client.replace(&uri, 3, TEXT);
    assert!(cost(&mut client, &uri, 1).starts_with(&light), "{light}");
    assert!(cost(&mut client, &uri, 1).ends_with(" when saved"));
    client.end_amid_news();
}
