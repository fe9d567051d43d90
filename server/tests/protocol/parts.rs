//! Diagnostics of long files: lists of what is known so far come before the whole one, and every list names its version.

use serde_json::{Value, json};

use crate::URI;
use crate::client::Client;

/// Enough kernels for a search in several steps. Each has a note on lanes; the last one has a warning besides.
fn program() -> String {
    let kernel = |n: usize| {
        format!(
            "kernel k{n}(a: f32[n], b: f32[n], n: i32):\n    for i in range(n):\n        b[i] = helper(a[i * 3 % n]) + a[i * 3 % n]\n\n"
        )
    };
    let last = "kernel last(a: f32[n], n: i32):\n    let unused = n\n    a[0] = 1.0\n";
    "fn helper(x):\n    return x / 2\n\n".to_owned() + &(0..300).map(kernel).collect::<String>() + last
}

/// A client that shows related places, with more capabilities in both parts.
fn client(text_document: &Value, workspace: &Value) -> Client {
    let mut text_document = text_document.clone();
    text_document["publishDiagnostics"] = json!({ "relatedInformation": true });
    Client::with(json!({ "textDocument": text_document, "workspace": workspace }))
}

/// All diagnostics of a text, from a server that has seen no other.
fn whole(text: &str) -> Value {
    let mut client = client(&json!({ "diagnostic": {} }), &json!({}));
    client.open(URI, text);
    let found = pull(&mut client);
    client.end_amid_news();
    found
}

fn pull(client: &mut Client) -> Value {
    client.ask("textDocument/diagnostic", json!({ "textDocument": { "uri": URI } }))["items"].take()
}

fn codes(list: &Value) -> Vec<&str> {
    list.as_array().expect("a list").iter().map(|found| found["code"].as_str().expect("a code")).collect()
}

/// Reads what is published until it is the whole of a version; returns the lists of that version.
fn until_whole(client: &mut Client, version: i64, expected: &Value) -> Vec<Value> {
    let mut lists = Vec::new();
    let mut last = 0;
    while lists.last() != Some(expected) {
        let mut told = client.told("textDocument/publishDiagnostics");
        let own = told["version"].as_i64().expect("a version");
        assert!(last <= own && own <= version, "{own} after {last}");
        last = own;
        if own == version {
            lists.push(told["diagnostics"].take());
        }
    }
    lists
}

#[test]
fn what_is_found_soon_comes_first() {
    let text = program();
    let expected = whole(&text);
    assert!(codes(&expected).len() > 300);
    let mut client = client(&json!({}), &json!({}));
    client.open(URI, &text);
    let lists = until_whole(&mut client, 1, &expected);
    assert!(lists.len() > 1, "only the whole list");
    assert_eq!(codes(&lists[0]), ["unused-name"]);
    let all = expected.as_array().expect("a list");
    for list in &lists {
        let list = list.as_array().expect("a list");
        assert!(list.iter().all(|found| all.contains(found)), "something in a part is not in the whole");
    }

    // A line more moves what is serialised already.
    let change = json!({ "range": { "start": { "line": 0, "character": 0 }, "end": { "line": 0, "character": 0 } }, "text": "# é\n" });
    client.change(URI, 2, json!([change]));
    let lists = until_whole(&mut client, 2, &whole(&format!("# é\n{text}")));
    assert_eq!(lists.len(), 1, "a key that changes one item has one list");
    client.end();
}

#[test]
fn a_client_that_pulls_is_asked_to_pull_the_rest() {
    let text = program();
    let mut client = client(&json!({ "diagnostic": {} }), &json!({ "diagnostics": { "refreshSupport": true } }));
    client.open(URI, &text);
    assert_eq!(codes(&pull(&mut client)), ["unused-name"]);
    let request = client.asked("workspace/diagnostic/refresh");
    client.respond(&request, Value::Null);
    assert_eq!(pull(&mut client), whole(&text));
    client.end();
}

#[test]
fn the_last_list_is_whole_however_keys_come() {
    let mut random = fastrand::Rng::with_seed(26);
    let mut text = program();
    let mut client = client(&json!({}), &json!({}));
    client.open(URI, &text);
    let mut version = 1;
    for burst in 0..6 {
        for _ in 0..random.usize(1..8) {
            let line = random.usize(..text.lines().count());
            let start: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
            let at = json!({ "line": line, "character": 0 });
            let piece = ["# note\n", "\n", "const C = 1\n", "x"][random.usize(..4)];
            text.insert_str(start, piece);
            version += 1;
            client.change(URI, version, json!([{ "range": { "start": at, "end": at }, "text": piece }]));
            // Some keys come amid the first search, others behind it.
            std::thread::sleep(std::time::Duration::from_millis(random.u64(..10 + 20 * burst)));
        }
        until_whole(&mut client, version, &whole(&text));
    }
    // Nothing comes behind the whole list.
    client.end();
}
