//! Texts as the client edits them.

use serde_json::{Value, json};

use crate::URI;
use crate::client::text::Encoding;
use crate::client::{Client, profiles};

/// The server's version of a document, as its syntax tree: formatting refuses a text with errors, the tree shows every text.
fn text_of(client: &mut Client) -> Value {
    let params =
        json!({ "textDocument": { "uri": URI }, "position": { "line": 0, "character": 0 }, "stage": "parsed" });
    client.ask("lanescope/view", params)["text"].take()
}

#[test]
fn random_edits_leave_the_text_that_the_client_has() {
    let pieces =
        ["", "a", "é", "😀", "𝒙y", "\n", "\r\n", "\r", "kernel k(a):\n    a[0] = 1\n", "    ", ":", "(", "# ü\n"];
    for encoding in Encoding::ALL {
        let mut random = fastrand::Rng::with_seed(encoding.name().len() as u64);
        let mut text = "kernel k(a, n):\r\n    # 😀 ü\r    a[n] = 1  # é\n".to_owned();
        let mut client = Client::with(profiles::counting(profiles::pulling(), encoding));
        client.open(URI, &text);
        for version in 2..200 {
            let mut changes = Vec::new();
            for _ in 0..random.usize(1..4) {
                let places: Vec<_> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
                let from = random.usize(..places.len());
                let to = (from + random.usize(..5)).min(places.len() - 1);
                // Between `\r` and `\n` there is no place that a position could name.
                let inside = |at: usize| text[..at].ends_with('\r') && text[at..].starts_with('\n');
                let (from, to) = (places[from], places[to]);
                if inside(from) || inside(to) {
                    continue;
                }
                let piece = pieces[random.usize(..pieces.len())];
                changes.push(json!({ "range": encoding.range(&text, from..to), "text": piece }));
                text.replace_range(from..to, piece);
            }
            client.change(URI, version, json!(changes));
            if version % 20 == 0 {
                let shown = text_of_or_error(&mut client);
                let mut fresh = Client::with(profiles::counting(profiles::pulling(), encoding));
                fresh.open(URI, &text);
                assert_eq!(shown, text_of_or_error(&mut fresh), "{text:?}");
                fresh.end_amid_news();
            }
        }
        client.end_amid_news();
    }
}

/// A text that does not start with an item has no view; that error is compared like an answer.
fn text_of_or_error(client: &mut Client) -> Result<Value, (i64, String)> {
    let document = json!({ "textDocument": { "uri": URI } });
    let tokens = client.try_ask("textDocument/semanticTokens/full", document)?;
    Ok(tokens["data"].clone())
}

#[test]
fn places_that_are_not_there_are_the_nearest_that_are() {
    let mut client = Client::with(profiles::nothing());
    client.open(URI, "kernel k(a):\n    a[0] = 1");
    client.diagnostics(1);
    let far = json!({ "line": 99, "character": 99 });
    client.change(URI, 2, json!([{ "range": { "start": far, "end": far }, "text": "\n    a[1] = 2\n" }]));
    client.diagnostics(2);
    assert!(text_of(&mut client).as_str().is_some_and(|text| text.contains("\"2\"")));
    for position in [far, json!({ "line": 0, "character": 4_000_000_000u32 })] {
        let at = json!({ "textDocument": { "uri": URI }, "position": position });
        assert_eq!(client.ask("textDocument/hover", at), Value::Null);
    }
    for position in [json!({ "line": -1, "character": 0 }), json!({ "line": 0.5, "character": 0 }), Value::Null] {
        let at = json!({ "textDocument": { "uri": URI }, "position": position });
        assert_eq!(client.try_ask("textDocument/hover", at).unwrap_err().0, -32602);
    }
    client.end();
}

#[test]
fn an_edit_that_makes_no_sense_changes_nothing() {
    let mut client = Client::with(profiles::nothing());
    client.open(URI, "kernel k(a):\n    a[0] = 1\n");
    client.diagnostics(1);
    let before = text_of(&mut client);
    // A part with a malformed range must not be read as a whole text.
    let broken = json!({ "start": { "line": -1, "character": 0 }, "end": { "line": 0, "character": 0 } });
    client.change(URI, 2, json!([{ "range": broken, "text": "x" }]));
    assert_eq!(text_of(&mut client), before);
    client.change("file:///tmp/other.lane", 2, json!([{ "text": "x" }]));
    assert_eq!(client.told("window/logMessage")["type"], 1);
    client.end();
}

#[test]
fn a_document_has_one_name_however_it_is_written() {
    let mut client = Client::with(profiles::nothing());
    client.open("file:///tmp/%C3%A9%20a.lane", "kernel k(a):\n    a[0] = b\n");
    // The server uses the client's spelling of the address.
    assert_eq!(client.told("textDocument/publishDiagnostics")["uri"], "file:///tmp/%C3%A9%20a.lane");
    client.replace("file:///tmp/é a.lane", 2, "kernel k(a):\n    a[0] = 1\n");
    assert_eq!(client.diagnostics(2), json!([]));
    client.tell("textDocument/didClose", json!({ "textDocument": { "uri": "file:///tmp/%c3%a9 a.lane" } }));
    let closed = client.told("textDocument/publishDiagnostics");
    assert_eq!((&closed["diagnostics"], closed.get("version")), (&json!([]), None));
    client.end();
}

#[test]
fn a_megabyte_on_one_line_is_a_text_like_any_other() {
    let mut client = Client::with(profiles::counting(profiles::pulling(), Encoding::Utf16));
    let sum = "é + ".repeat(100_000);
    client.open(URI, &format!("kernel k(a):\n    a[0] = {sum}1\n"));
    let tokens = client.ask("textDocument/semanticTokens/full", json!({ "textDocument": { "uri": URI } }));
    assert!(tokens["data"].as_array().is_some_and(|data| data.len() > 100_000));
    client.end_amid_news();
}
