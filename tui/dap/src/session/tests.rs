//! Sessions as a client has them: requests, and what comes back.

use std::path::PathBuf;

use expect_test::{Expect, expect};
use serde_json::{Value, json};

use super::Session;

/// A client that waits until the run stands still.
struct Client {
    session: Session<Vec<u8>>,
    folder: tempfile::TempDir,
    seq: u64,
}

impl Client {
    fn new(text: &str) -> Client {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("a.lane"), text).expect("a file");
        Client { session: Session::new(Vec::new()), folder, seq: 0 }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("a.lane")
    }

    /// Sends a request; returns the body of its answer, and the events up to the next stop.
    fn ask_with_events(&mut self, command: &str, arguments: Value) -> (Result<Value, String>, Vec<Value>) {
        self.seq += 1;
        let request = json!({ "seq": self.seq, "type": "request", "command": command, "arguments": arguments });
        self.session.receive(&request).expect("memory can be written");
        while self.session.is_running() {
            self.session.go_on(&mut || false).expect("memory can be written");
        }
        let output = std::mem::take(self.session.out.stream());
        let mut frames = server::Frames::new(&output[..]);
        let mut messages = Vec::new();
        while let Some(frame) = frames.read().expect("memory can be read") {
            messages.push(frame.message.expect("it is JSON"));
        }
        let answer = messages.remove(0);
        assert_eq!((&answer["command"], &answer["request_seq"]), (&json!(command), &json!(self.seq)));
        let body = match answer["success"].as_bool() {
            Some(true) => Ok(answer["body"].clone()),
            _ => Err(answer["message"]
                .as_str()
                .expect("a message")
                .replace(&self.folder.path().display().to_string(), "")),
        };
        (body, messages)
    }

    fn ask(&mut self, command: &str, arguments: Value) -> Value {
        self.ask_with_events(command, arguments).0.unwrap_or_else(|why| panic!("{command}: {why}"))
    }

    /// Launches a kernel, with breakpoints on these lines, and runs to the first stop.
    fn launch(&mut self, mut launch: Value, breakpoints: Value) -> Vec<String> {
        launch["program"] = json!(self.path());
        self.ask("initialize", json!({ "adapterID": "lanescope" }));
        let (answer, events) = self.ask_with_events("launch", launch);
        answer.unwrap_or_else(|why| panic!("{why}"));
        assert!(events.iter().any(|event| event["event"] == "initialized"), "{events:?}");
        let source = json!({ "path": self.path() });
        self.ask("setBreakpoints", json!({ "source": source, "breakpoints": breakpoints }));
        let mut told = told(&events);
        told.extend(self.go("configurationDone"));
        told
    }

    /// Sends a request that moves the run; tells where it stops, and what is said on the way.
    fn go(&mut self, command: &str) -> Vec<String> {
        self.go_with(command, json!({ "threadId": 1 }))
    }

    fn go_with(&mut self, command: &str, arguments: Value) -> Vec<String> {
        let (answer, events) = self.ask_with_events(command, arguments);
        answer.unwrap_or_else(|why| panic!("{command}: {why}"));
        let mut told = told(&events);
        if events.iter().any(|event| event["event"] == "stopped") {
            told.push(self.place());
        }
        told
    }

    /// The innermost frame.
    fn place(&mut self) -> String {
        let trace = self.ask("stackTrace", json!({ "threadId": 1 }));
        let Some(frame) = trace["stackFrames"].get(0) else { return "no frame".to_owned() };
        format!("line {} of {}", frame["line"], frame["name"].as_str().expect("a name"))
    }

    /// A scope as lines: its variables, and what is inside of them down to a depth.
    fn scope(&mut self, name: &str, depth: usize) -> String {
        let scopes = self.ask("scopes", json!({ "frameId": 1 }));
        let scope = scopes["scopes"].as_array().expect("a list").iter().find(|scope| scope["name"] == name);
        let number = scope.unwrap_or_else(|| panic!("no scope {name}: {scopes}"))["variablesReference"].clone();
        let mut lines = String::new();
        self.open(&number, depth, 0, &mut lines);
        lines
    }

    fn open(&mut self, number: &Value, depth: usize, indent: usize, lines: &mut String) {
        let inside = self.ask("variables", json!({ "variablesReference": number }));
        for variable in inside["variables"].as_array().expect("a list") {
            let ty = variable["type"].as_str().map_or_else(String::new, |ty| format!(": {ty}"));
            let (name, value) =
                (variable["name"].as_str().expect("a name"), variable["value"].as_str().expect("a value"));
            *lines += &format!("{}{name}{ty} = {value}\n", "  ".repeat(indent));
            if depth > 0 && variable["variablesReference"] != 0 {
                self.open(&variable["variablesReference"], depth - 1, indent + 1, lines);
            }
        }
    }

    fn evaluated(&mut self, expression: &str) -> String {
        let (answer, _) = self.ask_with_events("evaluate", json!({ "expression": expression, "frameId": 1 }));
        answer.map_or_else(|why| format!("error: {why}"), |body| body["result"].as_str().expect("text").to_owned())
    }
}

/// Events in a line each; what a client does not show is left out.
fn told(events: &[Value]) -> Vec<String> {
    let told = events.iter().filter_map(|event| {
        let body = &event["body"];
        match event["event"].as_str()? {
            "output" => Some(format!("{}: {}", body["category"].as_str()?, body["output"].as_str()?.trim_end())),
            "stopped" => {
                let description = body["description"].as_str().map_or_else(String::new, |text| format!(" ({text})"));
                Some(format!("stopped: {}{description}", body["reason"].as_str()?))
            }
            "initialized" => None,
            other => Some(other.to_owned()),
        }
    });
    told.collect()
}

fn check(told: &[String], expected: Expect) {
    expected.assert_eq(&(told.join("\n") + "\n"));
}

const SCALE: &str = "\
fn half(x):
    let y = x * 0.5
    return y

## Scales what is positive.
##
## > scale([1, -2, 3, 4, -5, 6], out = zeros(6), n = 6, by = 0.5)
kernel scale(a: f32[n], out: f32[n], n: i32, by: f32):
    for i in range(n):
        let x = a[i] * by
        if x > 0:
            out[i] = half(x)
";

fn four_lanes() -> Value {
    json!({ "target": "sse4", "args": { "a": "ramp(6)", "out": "zeros(6)", "n": 6, "by": 2 } })
}

#[test]
fn a_run_without_stops_tells_its_results() {
    let mut client = Client::new(SCALE);
    let mut launch = four_lanes();
    launch["stopOnEntry"] = json!(false);
    check(
        &client.launch(launch, json!([])),
        expect![[r#"
        stdout: out = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]
        exited
        terminated
    "#]],
    );
}

#[test]
fn lanes_are_seen_at_a_breakpoint() {
    let mut client = Client::new(SCALE);
    check(
        &client.launch(four_lanes(), json!([{ "line": 12 }])),
        expect![[r#"
        stopped: breakpoint
        line 12 of scale (iteration 0)
    "#]],
    );
    expect![[r#"
        n: i32 = 6
        by: f32 = 2.0
        base: i32 = 0
        i: varying i32 = [0, 1, 2, 3]
        active: varying bool = [true, true, true, true]
        x: varying f32 = [0.0, 2.0, 4.0, 6.0]
    "#]]
    .assert_eq(&client.scope("Variables", 0));
    expect![[r#"
        lane 0 = i = 0, active = true, x = 0.0
          i: i32 = 0
          active: bool = true
          x: f32 = 0.0
        lane 1 = i = 1, active = true, x = 2.0
          i: i32 = 1
          active: bool = true
          x: f32 = 2.0
        lane 2 = i = 2, active = true, x = 4.0
          i: i32 = 2
          active: bool = true
          x: f32 = 4.0
        lane 3 = i = 3, active = true, x = 6.0
          i: i32 = 3
          active: bool = true
          x: f32 = 6.0
    "#]]
    .assert_eq(&client.scope("Lanes", 1));
    expect![[r#"
        a: f32[6] = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]
          [0]: f32 = 0.0  read by lane 0
          [1]: f32 = 1.0  read by lane 1
          [2]: f32 = 2.0  read by lane 2
          [3]: f32 = 3.0  read by lane 3
          [4]: f32 = 4.0
          [5]: f32 = 5.0
        out: f32[6] = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
          [0]: f32 = 0.0
          [1]: f32 = 0.0
          [2]: f32 = 0.0
          [3]: f32 = 0.0
          [4]: f32 = 0.0
          [5]: f32 = 0.0
    "#]]
    .assert_eq(&client.scope("Arrays", 1));
    check(
        &client.go("continue"),
        expect![[r#"
        stopped: breakpoint
        line 12 of scale (iteration 4)
    "#]],
    );
    check(
        &client.go("continue"),
        expect![[r#"
        stdout: out = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]
        exited
        terminated
    "#]],
    );
}

#[test]
fn steps_go_line_by_line_and_back() {
    let mut client = Client::new(SCALE);
    let mut launch = four_lanes();
    launch["stopAtEnd"] = json!(true);
    let mut told = client.launch(launch, json!([]));
    for command in [
        "next",
        "next",
        "next",
        "next",
        "stepIn",
        "stepIn",
        "stepBack",
        "stepBack",
        "stepIn",
        "stepIn",
        "stepOut",
        "next",
        "stepOut",
        "stepBack",
        "stepBack",
        "stepBack",
        "stepBack",
        "reverseContinue",
    ] {
        told.push(format!("> {command}"));
        told.extend(client.go(command));
    }
    check(
        &told,
        expect![[r#"
            stopped: entry
            line 9 of scale
            > next
            stopped: step
            line 9 of scale (iteration 0)
            > next
            stopped: step
            line 10 of scale (iteration 0)
            > next
            stopped: step
            line 11 of scale (iteration 0)
            > next
            stopped: step
            line 12 of scale (iteration 0)
            > stepIn
            stopped: step
            line 2 of half
            > stepIn
            stopped: step
            line 12 of scale (iteration 0)
            > stepBack
            stopped: step
            line 11 of scale (iteration 0)
            > stepBack
            stopped: step
            line 10 of scale (iteration 0)
            > stepIn
            stopped: step
            line 11 of scale (iteration 0)
            > stepIn
            stopped: step
            line 12 of scale (iteration 0)
            > stepOut
            stdout: out = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]
            stopped: step (The run is over; stepping back leads into it again)
            line 12 of scale (at its end)
            > next
            stopped: step (The run is over; stepping back leads into it again)
            line 12 of scale (at its end)
            > stepOut
            stopped: step (The run is over; stepping back leads into it again)
            line 12 of scale (at its end)
            > stepBack
            stopped: step
            line 12 of scale (iteration 4)
            > stepBack
            stopped: step
            line 11 of scale (iteration 4)
            > stepBack
            stopped: step
            line 10 of scale (iteration 4)
            > stepBack
            stopped: step
            line 9 of scale (iteration 4)
            > reverseContinue
            stopped: entry (Nothing before this place is remembered)
            line 9 of scale
        "#]],
    );
}

#[test]
fn steps_by_ops_go_along_the_text_of_the_stage() {
    let mut client = Client::new(SCALE);
    client.launch(four_lanes(), json!([]));
    let mut seen = Vec::new();
    for command in ["next", "next", "next", "stepBack", "stepBack", "stepBack", "stepBack"] {
        client.go_with(command, json!({ "threadId": 1, "granularity": "instruction" }));
        let trace = client.ask("stackTrace", json!({ "threadId": 1 }));
        let frame = &trace["stackFrames"][0];
        let address = frame["instructionPointerReference"].clone();
        let text = client.ask("disassemble", json!({ "memoryReference": address, "instructionCount": 1 }));
        seen.push(format!(
            "{command}: {} {}",
            address.as_str().expect("an address"),
            text["instructions"][0]["instruction"]
        ));
    }
    check(
        &seen,
        expect![[r#"
        next: 0x3 "        let i = (base + lane_id)"
        next: 0x4 "        let active = (i < n)"
        next: 0x5 "        let x = (masked_load(a, i, active) * by)"
        stepBack: 0x4 "        let active = (i < n)"
        stepBack: 0x3 "        let i = (base + lane_id)"
        stepBack: 0x2 "    vector_for base in range(0, n, LANES):"
        stepBack: 0x2 "    vector_for base in range(0, n, LANES):"
    "#]],
    );
    let around = json!({ "memoryReference": "0x2", "instructionOffset": -3, "instructionCount": 6 });
    let text = client.ask("disassemble", around);
    let instructions = text["instructions"].as_array().expect("a list");
    let lines: Vec<String> = instructions.iter().map(ToString::to_string).collect();
    let folder = client.folder.path().display().to_string();
    check(
        &lines.iter().map(|line| line.replace(&folder, "")).collect::<Vec<_>>(),
        expect![[r#"
        {"address":"0x0","instruction":"","presentationHint":"invalid"}
        {"address":"0x0","instruction":"","presentationHint":"invalid"}
        {"address":"0x1","instruction":"kernel scale(a: f32[n], out: f32[n], n, by):"}
        {"address":"0x2","instruction":"    vector_for base in range(0, n, LANES):","line":9,"location":{"name":"a.lane","path":"/a.lane"}}
        {"address":"0x3","instruction":"        let i = (base + lane_id)","line":9,"location":{"name":"a.lane","path":"/a.lane"}}
        {"address":"0x4","instruction":"        let active = (i < n)","line":9,"location":{"name":"a.lane","path":"/a.lane"}}
    "#]],
    );
}

#[test]
fn breakpoints_have_conditions_hits_and_messages() {
    let mut client = Client::new(SCALE);
    let conditional = json!([{ "line": 12, "condition": "x > 4 and i >= 2" }]);
    check(
        &client.launch(four_lanes(), conditional),
        expect![[r#"
        stopped: breakpoint
        line 12 of scale (iteration 0)
    "#]],
    );
    // Of the second group two lanes are active, and it is these that count.
    let mut client = Client::new(SCALE);
    let in_all = json!([{ "line": 12, "condition": "all(x > 4)" }]);
    check(
        &client.launch(four_lanes(), in_all),
        expect![[r#"
        stopped: breakpoint
        line 12 of scale (iteration 4)
    "#]],
    );
    let mut client = Client::new(SCALE);
    check(
        &client.launch(four_lanes(), json!([{ "line": 12, "hitCondition": "2" }])),
        expect![[r#"
        stopped: breakpoint
        line 12 of scale (iteration 4)
    "#]],
    );
    let mut client = Client::new(SCALE);
    let log = json!([{ "line": 12, "logMessage": "x is {x}, half of {x[1]} is {x[1] / 2}, {z}" }]);
    check(
        &client.launch(four_lanes(), log),
        expect![[r#"
        console: x is [0.0, 2.0, 4.0, 6.0], half of 2.0 is 1.0, (there is no `z` here, or it has no value yet)
        console: x is [8.0, 10.0, 0.0, 0.0], half of 10.0 is 5.0, (there is no `z` here, or it has no value yet)
        stdout: out = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]
        exited
        terminated
    "#]],
    );
}

#[test]
fn breakpoints_say_where_they_are() {
    let mut client = Client::new(SCALE);
    client.launch(four_lanes(), json!([]));
    let asked = json!({
        "source": { "path": client.path() },
        "breakpoints": [
            { "line": 1 }, { "line": 8 }, { "line": 99 }, { "line": 12, "condition": "x >" },
            { "line": 12, "condition": "x ? 3" }, { "line": 12, "hitCondition": "often" },
        ],
    });
    let told = client.ask("setBreakpoints", asked);
    let told: Vec<String> = told["breakpoints"].as_array().expect("a list").iter().map(ToString::to_string).collect();
    check(
        &told,
        expect![[r#"
        {"id":1,"line":2,"verified":true}
        {"id":2,"line":9,"verified":true}
        {"id":3,"line":99,"message":"nothing of the kernel that runs comes from this line or one below","verified":false}
        {"id":4,"line":12,"message":"an expression is missing","verified":false}
        {"id":5,"line":12,"message":"`?` has no meaning here","verified":false}
        {"id":6,"line":12,"message":"`often` is no number of hits; write `5`, `>= 5` or `% 5`","verified":false}
    "#]],
    );
    let other = json!({ "source": { "path": "/elsewhere.lane" }, "breakpoints": [{ "line": 1 }] });
    check(
        &[client.ask("setBreakpoints", other).to_string()],
        expect![[r#"
        {"breakpoints":[{"message":"no kernel of this file runs","verified":false}]}
    "#]],
    );
    let locations =
        client.ask("breakpointLocations", json!({ "source": { "path": client.path() }, "line": 1, "endLine": 20 }));
    check(
        &[locations.to_string()],
        expect![[r#"
        {"breakpoints":[{"line":2},{"line":9},{"line":10},{"line":11},{"line":12}]}
    "#]],
    );
}

/// The client knows breakpoints by the numbers that it was told when it set them, also those that were set before a launch.
#[test]
fn breakpoints_keep_their_numbers() {
    let mut client = Client::new(SCALE);
    client.ask("initialize", json!({ "adapterID": "lanescope" }));
    let set = json!({ "source": { "path": client.path() }, "breakpoints": [{ "line": 3 }, { "line": 12 }] });
    let told = client.ask("setBreakpoints", set);
    let mut launch = four_lanes();
    launch["program"] = json!(client.path());
    client.ask("launch", launch);
    let events = |events: Vec<Value>| -> Vec<String> {
        let event = |event: Value| match event["event"].as_str() {
            Some("breakpoint") => Some(event["body"].to_string()),
            Some("stopped") => Some(format!("hit {}", event["body"]["hitBreakpointIds"])),
            _ => None,
        };
        events.into_iter().filter_map(event).collect()
    };
    let first = events(client.ask_with_events("configurationDone", json!({})).1);
    // Nothing has changed for a client that launches the same program once more.
    let again = events(client.ask_with_events("restart", json!({})).1);
    check(
        &[vec![told.to_string()], first, again].concat(),
        expect![[r#"
        {"breakpoints":[{"id":1,"line":3,"message":"nothing has been launched","verified":false},{"id":2,"line":12,"message":"nothing has been launched","verified":false}]}
        {"breakpoint":{"id":1,"line":9,"verified":true},"reason":"changed"}
        {"breakpoint":{"id":2,"line":12,"verified":true},"reason":"changed"}
        hit [1]
        hit [1]
    "#]],
    );
}

#[test]
fn expressions_are_evaluated_lane_by_lane() {
    let mut client = Client::new(SCALE);
    client.launch(four_lanes(), json!([{ "line": 12 }]));
    let expressions = [
        "n",
        "by * 2",
        "i",
        "i + 1",
        "x[2]",
        "a",
        "a[1]",
        "a[i]",
        "a[i + 1] - a[i]",
        "a[i + 3]",
        "x > 3 and not i == 3",
        "1 / 2",
        "n / 0",
        "1 + 2 * 3",
        "-by",
        "z",
        "a[n]",
        "a[0, 0]",
        "n + by",
        "x +",
        "(x",
        "x y",
        "x &",
        "1.5.2",
        "",
    ];
    let told: Vec<String> = expressions.iter().map(|text| format!("{text}: {}", client.evaluated(text))).collect();
    check(
        &told,
        expect![[r#"
        n: 6
        by * 2: 4.0
        i: [0, 1, 2, 3]
        i + 1: [1, 2, 3, 4]
        x[2]: 4.0
        a: [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]
        a[1]: 1.0
        a[i]: [0.0, 1.0, 2.0, 3.0]
        a[i + 1] - a[i]: [1.0, 1.0, 1.0, 1.0]
        a[i + 3]: [3.0, 4.0, 5.0, –]
        x > 3 and not i == 3: [false, false, true, false]
        1 / 2: 0
        n / 0: error: no value: division by zero
        1 + 2 * 3: 7
        -by: -2.0
        z: error: there is no `z` here, or it has no value yet
        a[n]: error: the index 6 is outside of `a`, which has 6 elements there
        a[0, 0]: error: `a` takes 1 subscript
        n + by: error: `+` takes operands of one type, and these are `i32` and `f32`
        x +: error: an expression is missing
        (x: error: a `)` is missing
        x y: error: `y` is more than an expression
        x &: error: `&` has no meaning here
        1.5.2: error: `1.5.2` is no number
        : error: an expression is missing
    "#]],
    );
}

#[test]
fn an_error_of_the_program_stops_at_its_place() {
    let mut client = Client::new(SCALE);
    let launch = json!({ "target": "sse4", "stopOnEntry": false, "args": { "a": "ramp(6)", "out": "zeros(6)", "n": 6, "by": 2 }, "stage": "sequential" });
    client.launch(launch, json!([]));
    let text = "kernel far(a: f32[n], n: i32):\n    for i in range(n):\n        a[i + 1] = a[i] + 1\n";
    let mut client = Client::new(text);
    let launch = json!({ "args": ["a=[1, 2, 3]", "n=3"], "stage": "sequential", "stopOnEntry": false });
    check(
        &client.launch(launch, json!([])),
        expect![[r#"
            stderr: error[index-out-of-range]: the index 3 is outside of `a`, whose size there is 3
            stopped: exception (the index 3 is outside of `a`, whose size there is 3)
            line 3 of far (iteration 2)
        "#]],
    );
    let info = client.ask("exceptionInfo", json!({ "threadId": 1 }));
    check(
        &[info.to_string()],
        expect![[r#"
            {"breakMode":"unhandled","description":"the index 3 is outside of `a`, whose size there is 3, in iteration 2","exceptionId":"index-out-of-range"}
        "#]],
    );
    check(
        &client.go("stepBack"),
        expect![[r#"
        stopped: step
        line 3 of far (iteration 2)
    "#]],
    );
}

#[test]
fn lanes_of_a_foreach_run_together() {
    let text = "\
kernel positive(a: f32[n], out: f32[n], n: i32) -> i32:
    let count = 0
    foreach i in range(n):
        let x = a[i]
        if x > 0:
            out[i] = reduce_add(x)
    return count
";
    let mut client = Client::new(text);
    let launch = json!({ "target": "sse4", "stage": "sequential", "args": ["a=[1, -2, 3, 4, 5]", "out=zeros(5)", "n=5"], "stopAtEnd": true });
    check(
        &client.launch(launch, json!([{ "line": 6 }])),
        expect![[r#"
        stopped: breakpoint
        line 6 of positive (iteration 0)
    "#]],
    );
    expect![[r#"
        lane 0 = i = 0, x = 1.0
          i: i32 = 0
          x: f32 = 1.0
        lane 1 = not active here
          i: i32 = 1
          x: f32 = -2.0
        lane 2 = i = 2, x = 3.0
          i: i32 = 2
          x: f32 = 3.0
        lane 3 = i = 3, x = 4.0
          i: i32 = 3
          x: f32 = 4.0
        lane 4 = i = 4, x = 5.0
          i: i32 = 4
          x: f32 = 5.0
        lane 5 = not active here
          i: i32 = –
          x: f32 = 0.0
        lane 6 = not active here
          i: i32 = –
          x: f32 = 0.0
        lane 7 = not active here
          i: i32 = –
          x: f32 = 0.0
        lane 8 = not active here
          i: i32 = –
          x: f32 = 0.0
        lane 9 = not active here
          i: i32 = –
          x: f32 = 0.0
        lane 10 = not active here
          i: i32 = –
          x: f32 = 0.0
        lane 11 = not active here
          i: i32 = –
          x: f32 = 0.0
        lane 12 = not active here
          i: i32 = –
          x: f32 = 0.0
        lane 13 = not active here
          i: i32 = –
          x: f32 = 0.0
        lane 14 = not active here
          i: i32 = –
          x: f32 = 0.0
        lane 15 = not active here
          i: i32 = –
          x: f32 = 0.0
    "#]]
    .assert_eq(&client.scope("Lanes", 1));
    check(
        &client.go("continue"),
        expect![[r#"
        stdout: 0
        stdout: out = [13.0, 0.0, 13.0, 13.0, 13.0]
        stopped: step (The run is over; stepping back leads into it again)
        line 6 of positive (at its end)
    "#]],
    );
    check(
        &client.go("continue"),
        expect![[r#"
        stopped: step (The run is over; stepping back leads into it again)
        line 6 of positive (at its end)
    "#]],
    );
    check(
        &client.go("reverseContinue"),
        expect![[r#"
        stopped: breakpoint
        line 6 of positive (iteration 0)
    "#]],
    );
    client.ask("setExceptionBreakpoints", json!({ "filters": ["diverge"] }));
    client.ask("setBreakpoints", json!({ "source": { "path": client.path() }, "breakpoints": [] }));
    check(
        &client.go("restart"),
        expect![[r#"
        stopped: entry
        line 3 of positive
    "#]],
    );
    check(
        &client.go("continue"),
        expect![[r#"
        stopped: exception (A condition holds in some lanes only)
        line 5 of positive (iteration 0)
    "#]],
    );
}

#[test]
fn data_come_from_an_example_or_are_made_up() {
    let mut client = Client::new(SCALE);
    check(
        &client.launch(json!({ "target": "sse4", "stopOnEntry": false }), json!([])),
        expect![[r#"
        console: scale is run on its example 1
        stdout: out = [0.25, 0.0, 0.75, 1.0, 0.0, 1.5]
        exited
        terminated
    "#]],
    );
    let mut client = Client::new(&SCALE.replace("> scale", "scale"));
    check(
        &client.launch(json!({ "target": "sse4", "stopOnEntry": false }), json!([])),
        expect![[r#"
        console: scale is run on sample data: a=ramp(8), out=zeros(8), n=8, by=0.5; `args` of the launch configuration gives it other data
        stdout: out = [0.0, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 1.75]
        exited
        terminated
    "#]],
    );
}

#[test]
fn what_cannot_be_launched_is_told() {
    let mut told = Vec::new();
    let mut refused = |text: &str, mut launch: Value| {
        let mut client = Client::new(text);
        if launch["program"].is_null() {
            launch["program"] = json!(client.path());
        }
        let (answer, events) = client.ask_with_events("launch", launch);
        assert!(events.is_empty(), "{events:?}");
        told.push(answer.expect_err("it cannot be launched"));
    };
    refused(SCALE, json!({ "program": "/nowhere.lane" }));
    refused(SCALE, json!({ "kernel": "scales" }));
    refused("kernel a():\n    pass\n\nkernel b():\n    pass\n", json!({}));
    refused("fn a(x):\n    return x\n", json!({}));
    refused("kernel a():\n    x = y\n", json!({}));
    refused(SCALE, json!({ "stage": "typed" }));
    refused(SCALE, json!({ "stage": "vectr" }));
    refused(SCALE, json!({ "target": "avx3" }));
    refused(SCALE, json!({ "lanes": 0 }));
    refused(SCALE, json!({ "args": { "n": 3 } }));
    refused(SCALE, json!({ "args": { "n": {} } }));
    refused(SCALE, json!({ "args": ["m=3"] }));
    refused(SCALE, json!({ "example": 2 }));
    check(
        &told,
        expect![[r#"
            /nowhere.lane: no such file or folder
            /a.lane: there is no kernel `scales` in this file; did you mean `scale`?
            /a.lane: say which in `kernel` of the launch configuration: a, b
            /a.lane: there is no kernel in this file
            /a.lane:2: nothing here is called `y`; a kernel with errors cannot run
            `typed` cannot be run; what can is `arrays`, `sequential`, `parallel`, `vector`, `specialised`, `memory`, `packed`, `final`
            there is no such stage; did you mean `vector`? (`lower --stage list` names them)
            there is no such target; did you mean `avx2`?
            `lanes` is a number from 1 to 64
            no value is given for `a`, `out`, `by`; write it in `args` of the launch configuration
            `args.n` is no data; write a number, `[1, 2.5, 3]`, `"text"`, `ramp(n)`, `random(n, seed)`, `zeros(n)`, `fill(n, x)`, `@file.npy`, or `a[3:]`
            `scale` has no parameter `m`
            `scale` has 1 example in its documentation, and no number 2
        "#]],
    );
}

#[test]
fn requests_out_of_turn_are_refused() {
    let mut client = Client::new(SCALE);
    let mut told = Vec::new();
    for command in
        ["stackTrace", "scopes", "continue", "configurationDone", "restart", "attach", "frobnicate", "launch"]
    {
        let (answer, _) = client.ask_with_events(command, Value::Null);
        told.push(format!("{command}: {}", answer.expect_err("it is refused")));
    }
    client.launch(four_lanes(), json!([]));
    for (command, arguments) in [
        ("variables", json!({ "variablesReference": 77 })),
        ("variables", json!({})),
        ("exceptionInfo", json!({ "threadId": 1 })),
        ("readMemory", json!({ "memoryReference": "9:0", "count": 3 })),
        ("disassemble", json!({ "memoryReference": "x", "instructionCount": 3 })),
    ] {
        let (answer, _) = client.ask_with_events(command, arguments);
        told.push(format!("{command}: {}", answer.expect_err("it is refused")));
    }
    check(
        &told,
        expect![[r#"
        stackTrace: nothing has been launched
        scopes: nothing has been launched
        continue: nothing has been launched
        configurationDone: nothing has been launched
        restart: nothing has been launched
        attach: there is no process to attach to; use `launch`, with the file in `program`
        frobnicate: this adapter knows no request `frobnicate`
        launch: the request is not understood: missing field `program`
        variables: the run has moved on since this was shown
        variables: the request is not understood: missing field `variablesReference`
        exceptionInfo: the program has no error here
        readMemory: there is no such memory
        disassemble: no line of the stage has this address
    "#]],
    );
}

#[test]
fn memory_of_an_array_is_read_as_bytes() {
    let mut client = Client::new(SCALE);
    client.launch(four_lanes(), json!([]));
    let scopes = client.ask("scopes", json!({ "frameId": 1 }));
    let arrays = client.ask("variables", json!({ "variablesReference": scopes["scopes"][1]["variablesReference"] }));
    let reference = arrays["variables"][0]["memoryReference"].clone();
    let bytes = client.ask("readMemory", json!({ "memoryReference": reference, "offset": 4, "count": 8 }));
    // The floats 1 and 2.
    assert_eq!(bytes["data"], "AACAPwAAAEA=");
    let end = client.ask("readMemory", json!({ "memoryReference": reference, "offset": 20, "count": 8 }));
    assert_eq!((&end["data"], &end["unreadableBytes"]), (&json!("AACgQA=="), &json!(4)));
}

#[test]
fn a_long_array_is_sent_in_parts() {
    let mut client = Client::new(SCALE);
    let launch =
        json!({ "target": "sse4", "args": { "a": "ramp(100000)", "out": "zeros(100000)", "n": 100_000, "by": 2 } });
    client.launch(launch, json!([]));
    let scopes = client.ask("scopes", json!({ "frameId": 1 }));
    let arrays = client.ask("variables", json!({ "variablesReference": scopes["scopes"][1]["variablesReference"] }));
    let a = &arrays["variables"][0];
    assert_eq!(a["indexedVariables"], 100_000);
    let number = &a["variablesReference"];
    let part = client.ask("variables", json!({ "variablesReference": number, "start": 99_998, "count": 10 }));
    let names: Vec<_> = part["variables"].as_array().expect("a list").iter().map(|it| it["name"].clone()).collect();
    assert_eq!(names, ["[99998]", "[99999]"]);
    let whole = client.ask("variables", json!({ "variablesReference": number }));
    assert_eq!(whole["variables"].as_array().map(Vec::len), Some(1000));
}

#[test]
fn a_loop_that_never_ends_can_be_paused() {
    let mut client = Client::new("kernel forever(a: i32[1]):\n    while true:\n        a[0] = 1 - a[0]\n");
    client.ask("initialize", json!({}));
    let launch = json!({ "program": client.path(), "args": ["a=[1]"], "stage": "sequential", "stopOnEntry": false });
    client.ask("launch", launch);
    let request =
        |command: &str| json!({ "seq": 9, "type": "request", "command": command, "arguments": { "threadId": 1 } });
    client.session.receive(&request("configurationDone")).expect("memory can be written");
    for _ in 0..3 {
        assert!(client.session.is_running());
        client.session.go_on(&mut || true).expect("memory can be written");
    }
    client.session.receive(&request("stackTrace")).expect("memory can be written");
    client.session.receive(&request("pause")).expect("memory can be written");
    client.session.go_on(&mut || false).expect("memory can be written");
    assert!(!client.session.is_running());
    let output = String::from_utf8(std::mem::take(client.session.out.stream())).expect("text");
    assert!(output.contains("the program runs; pause it first") && output.contains("\"reason\":\"pause\""), "{output}");
    assert!(client.place().starts_with("line "), "{}", client.place());
}

/// Random requests: nothing panics, what is shown is always that of one place, and going back leads to where the run was.
#[test]
fn random_steps_lead_back_to_where_they_came_from() {
    let mut random = fastrand::Rng::with_seed(7);
    for _ in 0..20 {
        let mut client = Client::new(SCALE);
        let stage = *random.choice(&["sequential", "vector", "final"]).expect("a stage");
        let mut launch = four_lanes();
        launch["stage"] = json!(stage);
        launch["stopAtEnd"] = json!(true);
        client.launch(launch, json!([]));
        let instruction = json!({ "threadId": 1, "granularity": "instruction" });
        let mut states = Vec::new();
        for _ in 0..random.usize(1..60) {
            let state = format!(
                "{}\n{}{}",
                client.place(),
                client.scope("Variables", 1),
                client.ask("evaluate", json!({ "expression": "out" }))
            );
            states.push(state);
            let told = client.go_with("next", instruction.clone());
            if told.iter().any(|line| line.contains("The run is over")) {
                break;
            }
        }
        while let Some(state) = states.pop() {
            client.go_with("stepBack", instruction.clone());
            let now = format!(
                "{}\n{}{}",
                client.place(),
                client.scope("Variables", 1),
                client.ask("evaluate", json!({ "expression": "out" }))
            );
            let without_numbers = |text: &str| text.split("\"variablesReference\"").next().map(str::to_owned);
            assert_eq!(without_numbers(&now), without_numbers(&state), "{stage}");
        }
    }
}

#[test]
fn calls_on_one_line_are_stepped_into_one_by_one() {
    let text = "\
fn twice(x):
    let y = x + x
    return y

kernel add(a: f32[n], n: i32):
    for i in range(n):
        a[i] = twice(a[i]) + twice(a[0])
        a[i] += 1
";
    let mut client = Client::new(text);
    let launch = json!({ "args": ["a=[1, 2]", "n=2"], "stage": "sequential" });
    let mut told = client.launch(launch.clone(), json!([]));
    for command in
        ["next", "stepIn", "stepOut", "stepIn", "stepIn", "next", "stepBack", "stepBack", "stepIn", "next", "next"]
    {
        told.push(format!("> {command}"));
        told.extend(client.go(command));
    }
    check(
        &told,
        expect![[r#"
            stopped: entry
            line 6 of add
            > next
            stopped: step
            line 7 of add (iteration 0)
            > stepIn
            stopped: step
            line 2 of twice
            > stepOut
            stopped: step
            line 7 of add (iteration 0)
            > stepIn
            stopped: step
            line 2 of twice
            > stepIn
            stopped: step
            line 7 of add (iteration 0)
            > next
            stopped: step
            line 8 of add (iteration 0)
            > stepBack
            stopped: step
            line 7 of add (iteration 0)
            > stepBack
            stopped: step
            line 6 of add
            > stepIn
            stopped: step
            line 7 of add (iteration 0)
            > next
            stopped: step
            line 8 of add (iteration 0)
            > next
            stopped: step
            line 7 of add (iteration 1)
        "#]],
    );
    // A breakpoint on a line with calls is hit once in each iteration, before the first call, in both directions.
    let mut client = Client::new(text);
    let mut told = client.launch(launch, json!([{ "line": 7 }]));
    for command in ["stepIn", "continue", "reverseContinue", "reverseContinue"] {
        told.push(format!("> {command}"));
        told.extend(client.go(command));
    }
    check(
        &told,
        expect![[r#"
        stopped: breakpoint
        line 7 of add (iteration 0)
        > stepIn
        stopped: step
        line 2 of twice
        > continue
        stopped: breakpoint
        line 7 of add (iteration 1)
        > reverseContinue
        stopped: breakpoint
        line 7 of add (iteration 0)
        > reverseContinue
        stopped: entry (Nothing before this place is remembered)
        line 6 of add
    "#]],
    );
}
