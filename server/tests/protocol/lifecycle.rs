//! Lifecycle of a conversation: its start and end, and messages out of order or malformed.

use serde_json::{Value, json};
use server::Ending;

use crate::URI;
use crate::client::{Client, profiles};

#[test]
fn a_client_that_says_nothing_is_served() {
    let mut client = Client::with(profiles::nothing());
    assert_eq!(client.told["capabilities"]["positionEncoding"], "utf-16");
    assert_eq!(client.told["serverInfo"]["name"], "lanescope");
    client.open(URI, "kernel k(a):\n    a[0] = 1\n");
    assert_eq!(client.diagnostics(1), json!([]));
    client.end();
}

#[test]
fn what_comes_too_early_or_too_late_is_refused() {
    let mut client = Client::start();
    let hover = json!({ "textDocument": { "uri": URI }, "position": { "line": 0, "character": 0 } });
    assert_eq!(client.try_ask("textDocument/hover", hover.clone()).unwrap_err().0, -32002);
    // A notification has no answer, even before `initialize`.
    client.open(URI, "kernel k():\n    pass\n");
    client.initialize(json!({ "capabilities": {} }));
    let again = client.try_ask("initialize", json!({ "capabilities": {} }));
    assert_eq!(again.unwrap_err().0, -32600);
    // The document was opened before `initialize`, so it is not open.
    assert_eq!(client.ask("textDocument/hover", hover.clone()), Value::Null);
    assert_eq!(client.ask("shutdown", Value::Null), Value::Null);
    assert_eq!(client.try_ask("textDocument/hover", hover).unwrap_err().0, -32600);
    client.tell("exit", Value::Null);
    assert_eq!(client.ending(), Some(Ending::Proper));
}

#[test]
fn an_end_without_goodbye_is_abrupt() {
    let mut client = Client::with(profiles::vscode());
    answer_start(&mut client);
    client.tell("exit", Value::Null);
    assert_eq!(client.ending(), Some(Ending::Abrupt));
    let mut client = Client::with(profiles::nothing());
    assert_eq!(client.ending(), Some(Ending::Abrupt));
    let mut client = Client::start();
    assert_eq!(client.ending(), Some(Ending::Abrupt));
}

/// Answers the requests that the server sends VS Code at the start.
fn answer_start(client: &mut Client) {
    for method in ["client/registerCapability", "client/registerCapability", "workspace/configuration"] {
        let request = client.asked(method);
        client.respond(&request, if method.starts_with("client") { Value::Null } else { json!([null]) });
    }
}

#[test]
fn unknown_methods_are_answered_and_unknown_notifications_are_not() {
    let mut client = Client::with(profiles::nothing());
    assert_eq!(client.try_ask("textDocument/dance", json!({})).unwrap_err().0, -32601);
    client.tell("textDocument/dance", json!({}));
    client.tell("$/whatever", json!({}));
    assert_eq!(client.try_ask("$/whatever", json!({})).unwrap_err().0, -32601);
    // A notification that a server may ignore is no error, and later messages are still handled.
    client.tell("$/cancelRequest", json!({ "id": 999 }));
    client.tell("$/cancelRequest", json!({ "nonsense": true }));
    client.end();
}

#[test]
fn a_message_that_cannot_be_read_is_one_error_and_the_next_is_read() {
    let mut client = Client::with(profiles::nothing());
    let code = |message: Value| (message["id"].clone(), message["error"]["code"].as_i64());
    client.raw(b"Content-Length: 9\r\n\r\n{\"jsonrpc");
    assert_eq!(code(client.next()), (Value::Null, Some(-32700)));
    client.raw(b"Content-Length: 2\r\n\r\n[]");
    assert_eq!(code(client.next()), (Value::Null, Some(-32600)));
    client.raw(b"Content-Length: 4\r\n\r\n\xff\xfe{}");
    assert_eq!(code(client.next()), (Value::Null, Some(-32700)));
    client.raw(b"nonsense\r\n\r\n");
    assert_eq!(code(client.next()), (Value::Null, Some(-32700)));
    client.raw(b"Content-Length: 0\r\n\r\n");
    assert_eq!(code(client.next()), (Value::Null, Some(-32700)));
    client.send(&json!({ "jsonrpc": "2.0", "id": 70 }));
    assert_eq!(code(client.next()), (json!(70), Some(-32600)));
    client.send(&json!({ "jsonrpc": "2.0", "id": "seventy", "method": "textDocument/hover", "params": [] }));
    assert_eq!(code(client.next()), (json!("seventy"), Some(-32602)));
    // Answers to requests that were never sent.
    client.send(&json!({ "jsonrpc": "2.0", "id": 71, "result": null }));
    client.send(&json!({ "jsonrpc": "2.0", "id": 72, "error": { "code": 1, "message": "no" } }));
    client.end();
}

#[test]
fn an_id_may_be_a_text_and_is_not_used_twice_at_once() {
    let mut client = Client::with(profiles::nothing());
    client.send(&json!({ "jsonrpc": "2.0", "id": "α", "method": "workspace/symbol", "params": { "query": "" } }));
    let answer = client.next();
    assert_eq!((&answer["id"], &answer["result"]), (&json!("α"), &json!([])));
    client.end();
}

#[test]
fn a_client_that_never_answers_is_served() {
    let mut client = Client::with(profiles::vscode());
    client.open(URI, "kernel k(a):\n    a[0] = 1\n");
    let hover = json!({ "textDocument": { "uri": URI }, "position": { "line": 0, "character": 8 } });
    assert!(client.ask("textDocument/hover", hover)["contents"]["value"].is_string());
    for method in ["client/registerCapability", "client/registerCapability", "workspace/configuration"] {
        client.asked(method);
    }
    client.end();
}

#[test]
fn what_the_client_traces() {
    let mut client = Client::with(profiles::nothing());
    client.tell("$/setTrace", json!({ "value": "messages" }));
    client.ask("workspace/symbol", json!({ "query": "" }));
    let line = client.told("$/logTrace");
    assert!(line["message"].as_str().is_some_and(|line| line.starts_with("workspace/symbol took ")), "{line}");
    assert_eq!(line.get("verbose"), None);
    client.tell("$/setTrace", json!({ "value": "off" }));
    client.open(URI, "");
    client.diagnostics(1);
    client.tell("$/setTrace", json!({ "value": "verbose" }));
    client.ask("textDocument/documentSymbol", json!({ "textDocument": { "uri": URI } }));
    assert_eq!(client.told("$/logTrace")["verbose"], "about file:/tmp/a.lane");
    client.tell("$/setTrace", json!({ "value": "off" }));
    client.ask("workspace/symbol", json!({ "query": "" }));
    // The publishing of the diagnostics may be traced as well, when it ends behind the second setting.
    client.end_amid_news();
}

#[test]
fn no_client_is_turned_away_for_what_it_says_of_itself() {
    for said in [
        json!({ "capabilities": { "textDocument": { "codeAction": { "codeActionLiteralSupport": {} }, "hover": 7 } } }),
        json!({ "capabilities": { "general": { "positionEncodings": ["utf-7", 8, "utf-32"] } }, "trace": "loud" }),
        json!({ "capabilities": null, "workspaceFolders": "here", "initializationOptions": ["x"] }),
        json!([]),
        Value::Null,
    ] {
        let mut client = Client::start();
        client.initialize(said);
        client.open(URI, "kernel k(a):\n    a[0] = 1\n");
        assert_eq!(client.diagnostics(1), json!([]));
        client.end();
    }
}

#[test]
fn empty_parameters_may_be_given_and_left_out() {
    for nothing in [Value::Null, json!({}), json!([])] {
        let mut client = Client::start();
        let id = client.request("initialize", json!({ "capabilities": { "workspace": { "configuration": true } } }));
        client.answer(id).expect("an answer");
        client.tell("initialized", nothing.clone());
        client.asked("workspace/configuration");
        assert_eq!(client.ask("shutdown", nothing.clone()), Value::Null);
        client.tell("exit", nothing);
        assert_eq!(client.ending(), Some(Ending::Proper));
    }
}
