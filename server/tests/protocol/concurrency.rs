//! Concurrent edits and requests: order is kept, no message is lost, and cancelled work stops.

use std::collections::HashMap;

use serde_json::{Value, json};

use crate::URI;
use crate::client::{Client, profiles};

/// Kernels whose analysis takes a while.
fn program(n_kernels: usize) -> String {
    let kernel = |n: usize| {
        format!(
            "kernel k{n}(a: f32[n], b: f32[n], n: i32):\n    for i in range(n):\n        let x = a[i] * {n}.0\n        b[i] = x + helper(x)\n\n"
        )
    };
    "fn helper(x):\n    return x / 2\n\n".to_owned() + &(0..n_kernels).map(kernel).collect::<String>()
}

#[test]
fn a_burst_of_edits_with_questions_and_cancels_in_it() {
    let mut random = fastrand::Rng::with_seed(11);
    let mut text = program(200);
    let mut client = Client::with(profiles::nothing());
    client.open(URI, &text);
    let mut asked = HashMap::new();
    for version in 2..2002 {
        // Inserts `é` at a random place and deletes it again.
        let line = random.usize(..text.lines().count());
        let start: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
        let at = json!({ "line": line, "character": 0 });
        let (range, piece) = match text[start..].starts_with('é') {
            true => (json!({ "start": at, "end": { "line": line, "character": 1 } }), ""),
            false => (json!({ "start": at, "end": at }), "é"),
        };
        let end = start + if piece.is_empty() { 'é'.len_utf8() } else { 0 };
        text.replace_range(start..end, piece);
        client.change(URI, version, json!([{ "range": range, "text": piece }]));
        if version % 13 == 0 {
            let document = json!({ "uri": URI });
            let position = json!({ "line": line, "character": 9 });
            let id = match random.usize(..4) {
                0 => client.request("textDocument/hover", json!({ "textDocument": document, "position": position })),
                1 => client.request("textDocument/semanticTokens/full", json!({ "textDocument": document })),
                2 => client.request("workspace/symbol", json!({ "query": "k1" })),
                _ => {
                    client.request("textDocument/completion", json!({ "textDocument": document, "position": position }))
                }
            };
            asked.insert(id, version);
            if random.usize(..3) == 0 {
                client.tell("$/cancelRequest", json!({ "id": id }));
            }
        }
    }
    assert!(asked.len() >= 150);
    for &id in asked.keys() {
        match client.answer(id) {
            Ok(_) => {}
            Err((code, message)) => assert!([-32800, -32801].contains(&code), "{code} {message}"),
        }
    }
    // Diagnostics arrive in the order of versions, in a long file perhaps in several lists of one, and the last ones are about the
    // last text.
    let mut last = 0;
    while last < 2001 {
        let version = client.told("textDocument/publishDiagnostics")["version"].as_i64().expect("a version");
        assert!(version >= last, "{version} after {last}");
        last = version;
    }
    let tokens = |client: &mut Client| {
        client.ask("textDocument/semanticTokens/full", json!({ "textDocument": { "uri": URI } }))["data"].take()
    };
    let mut fresh = Client::with(profiles::nothing());
    fresh.open(URI, &text);
    assert_eq!(tokens(&mut client), tokens(&mut fresh));
    for client in [client, fresh] {
        client.end_amid_news();
    }
}

#[test]
fn every_question_is_answered_by_a_server_that_is_left_alone() {
    let mut client = Client::with(profiles::pulling());
    client.open(URI, &program(100));
    let document = json!({ "uri": URI });
    let ids: Vec<_> = (0..150)
        .map(|n| {
            let position = json!({ "line": n, "character": 9 });
            client.request("textDocument/hover", json!({ "textDocument": document, "position": position }))
        })
        .collect();
    let id = client.request("workspace/diagnostic", json!({ "previousResultIds": [] }));
    for id in ids.into_iter().rev() {
        assert!(client.answer(id).is_ok());
    }
    assert!(client.answer(id).is_ok());
    client.end_amid_news();
}

#[test]
fn a_question_about_a_text_that_is_gone_is_refused_and_others_are_not() {
    let mut client = Client::with(profiles::pulling());
    let other = "file:///tmp/b.lane";
    client.open(URI, &program(2000));
    client.open(other, &program(1));
    // Each edit of the small document interrupts the work on the large one, which is run again and finishes.
    let pull = |client: &mut Client, uri: &str| {
        client.request("textDocument/diagnostic", json!({ "textDocument": { "uri": uri } }))
    };
    let large = pull(&mut client, URI);
    for version in 2..50 {
        client.replace(other, version, &program(version as usize % 3 + 1));
    }
    assert_eq!(client.answer(large).expect("an answer")["kind"], "full");
    let mut codes = Vec::new();
    for version in 2..10 {
        let id = pull(&mut client, URI);
        client.replace(URI, version, &program(2000 + version as usize));
        codes.extend(client.answer(id).err().map(|(code, _)| code));
    }
    // Some answers may arrive before an edit, but not all of them.
    assert!(!codes.is_empty() && codes.iter().all(|&code| code == -32802), "{codes:?}");
    client.end_amid_news();
}

#[test]
fn a_request_that_is_taken_back_is_answered_so() {
    let mut client = Client::with(profiles::pulling());
    client.open(URI, &program(3000));
    let id = client.request("workspace/diagnostic", json!({ "previousResultIds": [] }));
    client.tell("$/cancelRequest", json!({ "id": id }));
    assert_eq!(client.answer(id).unwrap_err().0, -32800);
    // Later requests are answered normally.
    let at = json!({ "textDocument": { "uri": URI }, "position": { "line": 3, "character": 8 } });
    assert_ne!(client.ask("textDocument/hover", at), Value::Null);
    client.end_amid_news();
}
