//! Messages of a client that has lost its senses: whatever arrives, the valid requests behind it are answered.
//!
//! `LANESCOPE_HOSTILE=200000 cargo test -p server hostile` sends more; `LANESCOPE_SEED` chooses other ones.

use serde_json::{Value, json};

use crate::URI;
use crate::client::{Client, profiles};
use crate::closing::requests;
use crate::soak::without_ids;

const TEXT: &str = "kernel k(a: f32[n], n: i32):\n    for i in range(n):\n        a[i] = a[i] * 2.0\n";

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|n| n.parse().ok())
}

#[test]
fn every_valid_request_is_answered() {
    let n_messages = number("LANESCOPE_HOSTILE").unwrap_or(20_000);
    let mut random = fastrand::Rng::with_seed(number("LANESCOPE_SEED").unwrap_or(5));
    let mut client = Client::with(profiles::nothing());
    client.open(URI, TEXT);
    client.diagnostics(1);
    let hover = json!({ "textDocument": { "uri": URI }, "position": { "line": 0, "character": 7 } });
    let expected = client.ask("textDocument/hover", hover.clone());
    assert!(expected["contents"]["value"].is_string());
    for n in 0..n_messages {
        let bytes = hostile(&mut random);
        client.raw(&bytes);
        if random.usize(..3) == 0 {
            let answer = client.try_ask("textDocument/hover", hover.clone());
            assert_eq!(answer.as_ref(), Ok(&expected), "behind message {n}: {}", String::from_utf8_lossy(&bytes));
            // Nothing else arrives than errors without an id, refusals, and lines for the log.
            for message in client.unread() {
                let is_log = message["method"] == "window/logMessage";
                assert!(is_log || message.get("error").is_some(), "{message}");
            }
        }
    }
    client.ask("textDocument/hover", hover);
    client.unread();
    // Whatever can be asked is answered as by a server that heard none of it.
    let mut fresh = Client::with(profiles::nothing());
    fresh.open(URI, TEXT);
    for (method, params) in requests(URI) {
        let answer = client.try_ask(method, params.clone()).map(without_ids);
        assert_eq!(answer, fresh.try_ask(method, params).map(without_ids), "{method}");
    }
    client.end_amid_news();
    fresh.end_amid_news();
}

#[test]
fn what_is_skipped_is_logged() {
    let mut client = Client::with(profiles::nothing());
    client.raw(b"Content-Length: abc\r\n\r\n{\"jsonrpc\":\"2.0\"}");
    assert_eq!(client.next()["error"]["code"], -32700);
    assert_eq!(client.ask("workspace/symbol", json!({ "query": "" })), json!([]));
    let line = client.told("window/logMessage");
    assert!(line["message"].as_str().is_some_and(|line| line.contains("bytes of the input")), "{line}");
    // So is a body that is shorter than its header says, which the next header ends.
    client.raw(b"Content-Length: 500\r\n\r\n{\"jsonrpc\":\"2.0\"}");
    assert_eq!(client.ask("workspace/symbol", json!({ "query": "" })), json!([]));
    let line = client.told("window/logMessage");
    assert!(line["message"].as_str().is_some_and(|line| line.starts_with("17 bytes of the input")), "{line}");
    assert_eq!(client.next()["error"]["code"], -32700);
    client.end();
}

/// Bytes that are no valid message.
fn hostile(random: &mut fastrand::Rng) -> Vec<u8> {
    let body = body(random).to_string();
    let framed = |length: String| format!("Content-Length: {length}\r\n\r\n{body}").into_bytes();
    let right = framed(body.len().to_string());
    match random.usize(..14) {
        0 => framed("abc".to_owned()),
        1 => framed(format!("-{}", random.usize(1..99))),
        2 => framed(random.usize(..body.len()).to_string()),
        3 => framed((body.len() + random.usize(1..300)).to_string()),
        4 => framed(
            ["99999999999", "18446744073709551616", "", "0x10", "1e3", "4294967296"][random.usize(..6)].to_owned(),
        ),
        5 => vec![0; random.usize(1..40)],
        6 => (0..random.usize(1..200)).map(|_| random.u8(..)).collect(),
        7 => right[..random.usize(1..right.len())].to_vec(),
        8 => [&right[..], &right[..random.usize(..right.len())]].concat(),
        9 => vec![b'x'; random.usize(1..60_000)],
        10 => b"Content-Length: 0\r\n\r\n".repeat(random.usize(1..4)),
        11 => format!("Content-Length: 12\r\n{}", "\r\n".repeat(random.usize(..4))).into_bytes(),
        12 => right.iter().flat_map(|&byte| [byte, 0]).collect(),
        _ => right,
    }
}

/// JSON that asks for nothing.
fn body(random: &mut fastrand::Rng) -> Value {
    let id = json!("nobody");
    match random.usize(..8) {
        0 => json!([]),
        1 => json!({ "jsonrpc": "2.0" }),
        2 => json!({ "jsonrpc": "2.0", "id": id, "method": "textDocument/hover", "params": 7 }),
        3 => json!({ "jsonrpc": "2.0", "id": id, "method": "no/such" }),
        4 => json!({ "jsonrpc": "1.0", "id": id, "method": "textDocument/hover" }),
        5 => json!({ "jsonrpc": "2.0", "id": id, "result": null }),
        6 => json!({ "jsonrpc": "2.0", "method": "textDocument/didChange", "params": { "textDocument": 1 } }),
        _ => {
            json!({ "jsonrpc": "2.0", "method": "$/cancelRequest", "params": { "id": ["Content-Length: 5\r\n\r\n"] } })
        }
    }
}
