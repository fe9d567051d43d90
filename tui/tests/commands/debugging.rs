//! `lanescope dap`, as an editor talks to it.

use super::*;

use std::io::{BufReader, Write};

use serde_json::{Value, json};

/// The adapter's process, and the messages that it has sent.
struct Adapter {
    child: std::process::Child,
    input: std::process::ChildStdin,
    output: server::Frames<BufReader<std::process::ChildStdout>>,
}

impl Adapter {
    fn start(folder: &Folder) -> Adapter {
        let mut child = command(folder.path(), &["dap"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the command starts");
        let input = child.stdin.take().expect("its input");
        let output = server::Frames::new(BufReader::new(child.stdout.take().expect("its output")));
        Adapter { child, input, output }
    }

    fn send(&mut self, command: &str, arguments: Value) {
        let text = json!({ "seq": 1, "type": "request", "command": command, "arguments": arguments }).to_string();
        write!(self.input, "Content-Length: {}\r\n\r\n{text}", text.len()).expect("it reads");
    }

    /// Reads up to the event or response of a name.
    fn until(&mut self, name: &str) -> Value {
        loop {
            let frame = self.output.read().expect("it can be read").unwrap_or_else(|| panic!("it ends before {name}"));
            let message = frame.message.expect("it is JSON");
            if message["event"] == name || message["command"] == name {
                assert!(message["success"] != false, "{message}");
                return message;
            }
        }
    }
}

#[test]
fn an_editor_steps_through_a_kernel() {
    let text = "kernel ones(x: f32[n], n: i32):\n    for i in range(n):\n        x[i] = 1\n";
    let folder = Folder::new(&[("a.lane", text)]);
    let mut adapter = Adapter::start(&folder);
    adapter.send("initialize", json!({ "adapterID": "lanescope", "linesStartAt1": true, "columnsStartAt1": true }));
    assert_eq!(adapter.until("initialize")["body"]["supportsStepBack"], true);
    // A broken message is none; the next one is found.
    write!(adapter.input, "Content-Length: abc\r\n\r\n{{}}").expect("it reads");
    adapter.send("launch", json!({ "program": "a.lane", "cwd": folder.path() }));
    adapter.until("initialized");
    let path = folder.path().join("a.lane");
    adapter.send("setBreakpoints", json!({ "source": { "path": path }, "breakpoints": [{ "line": 3 }] }));
    let line = adapter.until("setBreakpoints")["body"]["breakpoints"][0]["line"].clone();
    adapter.send("configurationDone", json!({}));
    assert_eq!(adapter.until("stopped")["body"]["reason"], "breakpoint");
    adapter.send("stackTrace", json!({ "threadId": 1 }));
    assert_eq!(adapter.until("stackTrace")["body"]["stackFrames"][0]["line"], line);
    adapter.send("setBreakpoints", json!({ "source": { "path": path }, "breakpoints": [] }));
    adapter.send("continue", json!({ "threadId": 1 }));
    adapter.until("terminated");
    adapter.send("disconnect", json!({}));
    adapter.until("disconnect");
    assert!(adapter.child.wait().expect("it ends").success());
}

#[test]
fn an_adapter_ends_with_its_input() {
    let folder = Folder::new(&[]);
    let adapter = Adapter::start(&folder);
    let Adapter { mut child, input, .. } = adapter;
    drop(input);
    assert!(child.wait().expect("it ends").success());
}
