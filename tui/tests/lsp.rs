//! The language server as an editor starts it: a process that is talked to on its standard input and output.
//!
//! What it answers in detail is tested in `server/tests`; here, that it is the same in a process of its own.

#[path = "../../server/tests/client/mod.rs"]
mod client;
mod support;

use std::process::{Child, Stdio};

use serde_json::{Value, json};

use client::text::Encoding;
use client::{Client, profiles};

const URI: &str = "file:///tmp/a.lane";
const KERNEL: &str = "# 😀\nkernel scale(a: f32[n], n: i32, größe: f32):\n    a[0] = größe * b\n";

/// A server in a process, and its client.
fn start() -> (Child, Client) {
    let mut command = support::command(&support::root(), &["lsp"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the command starts");
    let streams = (child.stdout.take().expect("a pipe"), child.stdin.take().expect("a pipe"));
    (child, Client::over(streams.0, streams.1))
}

/// Its exit code; it has nothing to say to anybody but its client.
fn code(child: Child) -> Option<i32> {
    let output = child.wait_with_output().expect("the command ends");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    output.status.code()
}

#[test]
fn every_editor_in_every_encoding() {
    for (name, profile) in profiles::ALL {
        for encoding in Encoding::ALL {
            let (child, mut client) = start();
            let profile = profiles::counting(profile(), encoding);
            let pulls = profile["textDocument"].get("diagnostic").is_some();
            client.initialize(json!({ "processId": std::process::id(), "rootUri": null, "capabilities": profile }));
            client.open(URI, KERNEL);
            let document = json!({ "uri": URI });
            let found = match pulls {
                true => client.ask("textDocument/diagnostic", json!({ "textDocument": document }))["items"].take(),
                false => client.diagnostics(1),
            };
            let unknown = found.as_array().and_then(|all| all.iter().find(|it| it["code"] == "unknown-name"));
            let unknown = unknown.unwrap_or_else(|| panic!("{name}: {found}"));
            assert_eq!(encoding.slice(KERNEL, &unknown["range"]), "b", "{name} in {}", encoding.name());
            let at = encoding.position(KERNEL, KERNEL.rfind("größe").expect("it is there"));
            let hover = client.ask("textDocument/hover", json!({ "textDocument": document, "position": at }));
            assert_eq!(encoding.slice(KERNEL, &hover["range"]), "größe", "{name} in {}", encoding.name());
            client.ask("shutdown", Value::Null);
            client.tell("exit", Value::Null);
            // What the server asks at the start need not be answered.
            assert!(client.unread().iter().all(|message| message.get("id").is_some()));
            assert_eq!(code(child), Some(0));
        }
    }
}

#[test]
fn an_editor_that_goes_away() {
    let (child, mut client) = start();
    client.ending();
    assert_eq!(code(child), Some(1));

    let (child, mut client) = start();
    client.initialize(json!({ "capabilities": {} }));
    client.tell("exit", Value::Null);
    client.ending();
    assert_eq!(code(child), Some(1));

    // Nobody reads, and nobody writes.
    let (child, mut client) = start();
    client.initialize(json!({ "capabilities": {} }));
    client.open(URI, KERNEL);
    drop(client);
    assert_eq!(code(child), Some(1));
}

#[test]
fn messages_from_a_file_are_answered() {
    let message = |value: Value| {
        let body = value.to_string();
        format!("Content-Length: {}\r\n\r\n{body}", body.len())
    };
    let initialize = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": { "capabilities": {} } });
    let run = support::run(&support::root(), &["lsp", "--stdio"], &message(initialize));
    assert!(run.stdout.contains("\"serverInfo\":{\"name\":\"lanescope\""), "{run}");
    assert_eq!((run.stderr.as_str(), run.code), ("", Some(1)));
}
