//! The language server as an editor starts it: a process that communicates over its standard input and output.
//!
//! The answers are tested in detail in `server/tests`; these tests show that the server works in a process of its own.

#[path = "../../server/tests/client/mod.rs"]
mod client;
mod support;

use std::process::{Child, Stdio};

use serde_json::{Value, json};

use client::text::Encoding;
use client::{Client, profiles};

const URI: &str = "file:///tmp/a.lane";
const KERNEL: &str = "# 😀\nkernel scale(a: f32[n], n: i32, größe: f32):\n    a[0] = größe * b\n";

/// Starts a server process and its client.
fn start() -> (Child, Client) {
    let mut command = support::command(&support::root(), &["lsp"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the command starts");
    let streams = (child.stdout.take().expect("a pipe"), child.stdin.take().expect("a pipe"));
    (child, Client::over(streams.0, streams.1))
}

/// Returns the exit code of a server, which must not have written to standard error.
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
            // Requests of the server at the start need no answer.
            assert!(client.unread().iter().all(|message| message.get("id").is_some()));
            assert_eq!(code(child), Some(0));
        }
    }
}

#[test]
fn an_editor_is_told_of_ispc_files_what_the_command_line_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let example = support::root().join("examples/ispc");
    let header = std::fs::read_to_string(example.join("grid.isph")).expect("the header");
    let source = std::fs::read_to_string(example.join("ripples.ispc")).expect("the source");
    let path = folder.path().join("ripples.ispc");
    let uri = format!("file://{}", path.display());
    let document = json!({ "uri": uri });
    for (header, source, is_right) in [
        (header.clone(), source.clone(), true),
        (header.replace("int width, height;", "int width, height"), source.replace("0.995", "0.995)"), false),
        (header.replace("struct Grid", "struct Grit"), source.replace("#include", "#inclute"), false),
    ] {
        std::fs::write(folder.path().join("grid.isph"), header).expect("a file");
        std::fs::write(&path, &source).expect("a file");
        let printed = support::command(folder.path(), &["check", "--json", "ripples.ispc"]).output().expect("it runs");
        let printed: Value = serde_json::from_slice(&printed.stdout).expect("JSON");
        // A note in an editor says what to do in its message, too.
        let is_note = |it: &&Value| it["severity"] == "note" || it["severity"] == 4;
        let messages = |list: &Value| -> Vec<Value> {
            let all = list.as_array().into_iter().flatten();
            all.filter(|it| !is_note(it)).map(|it| it["message"].clone()).collect()
        };
        let notes = |list: &Value| -> Vec<Value> {
            list.as_array().into_iter().flatten().filter(is_note).map(|it| it["code"].clone()).collect()
        };
        for (_, profile) in profiles::ALL {
            let (child, mut client) = start();
            let mut profile = profile();
            profile["textDocument"]["publishDiagnostics"] = json!({ "relatedInformation": true });
            let pulls = profile["textDocument"].get("diagnostic").is_some();
            client.initialize(json!({ "processId": std::process::id(), "rootUri": null, "capabilities": profile }));
            client.open_as(&uri, "ispc", &source);
            let found = match pulls {
                true => client.ask("textDocument/diagnostic", json!({ "textDocument": document }))["items"].take(),
                false => client.diagnostics(1),
            };
            assert_eq!(messages(&found), messages(&printed["diagnostics"]));
            assert_eq!(messages(&found).is_empty(), is_right, "{found}");
            assert_eq!(notes(&found), notes(&printed["diagnostics"]));
            assert!(!is_right || !notes(&found).is_empty(), "{found}");
            client.ask("shutdown", Value::Null);
            client.tell("exit", Value::Null);
            client.unread();
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

    // The client closes both streams without the shutdown messages.
    let (child, mut client) = start();
    client.initialize(json!({ "capabilities": {} }));
    client.open(URI, KERNEL);
    drop(client);
    assert_eq!(code(child), Some(1));
}

/// Starts a process that does nothing until it is killed.
#[cfg(unix)]
fn sleeper() -> Child {
    std::process::Command::new("sleep").arg("1000").spawn().expect("the system has `sleep`")
}

#[cfg(unix)]
#[test]
fn an_editor_that_dies_while_somebody_else_holds_the_streams() {
    let mut editor = sleeper();
    let (child, mut client) = start();
    client.initialize(json!({ "processId": editor.id(), "capabilities": {} }));
    client.open(URI, KERNEL);
    client.diagnostics(1);
    editor.kill().expect("it is ours");
    editor.wait().expect("it ended");
    // The streams are still open.
    assert_eq!(code(child), Some(1));
    drop(client);

    // A process that is invisible from the start, as from inside of a container, is no reason to exit.
    let (child, mut client) = start();
    client.initialize(json!({ "processId": editor.id(), "capabilities": {} }));
    client.open(URI, KERNEL);
    client.diagnostics(1);
    client.ask("shutdown", Value::Null);
    client.tell("exit", Value::Null);
    assert_eq!(code(child), Some(0));
}

const SOUND: &str = "\
fn wide(x):
    return clamp(x, 0.0, 1.0) * 2.0

kernel scale(a: f32[n], b: f32[n], n: i32):
    for i in range(n):
        b[i] = wide(a[i])

kernel broken(a: f32[4]):
    a[0] = nobody
";

/// Requests a view, and returns it with the sources of its lines.
fn view(client: &mut Client, line: u32, stage: &str, target: &str) -> (Value, Vec<String>) {
    let at = json!({ "line": line, "character": 0 });
    let params = json!({ "textDocument": { "uri": URI }, "position": at, "stage": stage, "target": target });
    let view = client.ask("lanescope/view", params);
    let lines = view["lines"].as_array().expect("a list").iter();
    let sources = lines.map(|line| Encoding::Utf16.slice(SOUND, &line["range"]).to_owned()).collect();
    (view, sources)
}

#[test]
fn machine_code_beside_the_source() {
    let (child, mut client) = start();
    client.initialize(json!({ "capabilities": {} }));
    client.open(URI, SOUND);
    client.diagnostics(1);
    // Printing LLVM IR requires no LLVM, and each instruction has the source of its expression.
    let (llvm, sources) = view(&mut client, 3, "llvm", "avx2");
    assert_eq!((&llvm["languageId"], &llvm["note"]), (&json!("llvm"), &Value::Null));
    let text = llvm["text"].as_str().expect("a text");
    assert!(text.contains("define void @scale(") && !text.contains("!dbg") && !text.contains("!DI"), "{text}");
    for expected in ["a[i]", "clamp(x, 0.0, 1.0)", "clamp(x, 0.0, 1.0) * 2.0", "b[i]"] {
        assert!(sources.iter().any(|source| source == expected), "no {expected}: {sources:?}");
    }
    let (broken, _) = view(&mut client, 7, "asm", "native");
    assert_eq!(broken["note"], "`broken` has an error");
    let (no_kernel, _) = view(&mut client, 0, "asm", "native");
    assert_eq!(no_kernel["note"], "`wide` is no kernel, so it has no machine code of its own");
    let (nowhere, _) = view(&mut client, 3, "llvm", "avx3");
    assert!(nowhere["note"].as_str().is_some_and(|note| note.contains("no such target")), "{nowhere}");
    if ::native::llvm::llvm().is_ok() {
        for (stage, target, part) in
            [("asm", "avx2", "ymm"), ("asm", "native", "scale:"), ("asm", "neon", "v0"), ("llvm-opt", "avx2", "define")]
        {
            let (made, sources) = view(&mut client, 3, stage, target);
            assert_eq!(made["note"], Value::Null, "{stage} for {target}");
            assert!(made["text"].as_str().is_some_and(|text| text.contains(part)), "{stage} for {target}: {made}");
            let line = if stage == "asm" { "b[i] = wide(a[i])" } else { "b[i]" };
            assert!(sources.iter().any(|source| source == line), "no {line} in {stage} for {target}: {sources:?}");
        }
    }
    client.ask("shutdown", Value::Null);
    client.tell("exit", Value::Null);
    client.ending();
    assert_eq!(code(child), Some(0));
}

#[test]
fn a_loop_is_explained_as_the_command_does() {
    let (child, mut client) = start();
    client.initialize(json!({ "capabilities": {} }));
    client.open(URI, SOUND);
    client.diagnostics(1);
    let document = json!({ "uri": URI });
    let here = json!({ "line": 4, "character": 8 });
    let range = json!({ "start": here, "end": here });
    let context = json!({ "diagnostics": [], "triggerKind": 1 });
    let params = json!({ "textDocument": document, "range": range, "context": context });
    let actions = client.ask("textDocument/codeAction", params);
    let action = actions.as_array().expect("a list").iter().find(|it| it["title"] == "Explain this loop");
    let action = action.unwrap_or_else(|| panic!("{actions}")).clone();
    let command = json!({ "command": action["command"], "arguments": action["arguments"] });
    let text = client.ask("workspace/executeCommand", command);
    // The client cannot open documents, so the server shows it the location of the view.
    client.told("window/showMessage");
    let told = support::run(&support::root(), &["explain", "-", "--kernel", "scale"], SOUND).stdout;
    let without_name = |text: &str| text.lines().skip(1).map(|line| format!("{line}\n")).collect::<String>();
    let text = text.as_str().expect("a text");
    // Editors show the file name themselves.
    assert!(text.starts_with("kernel scale  line 4\n") && text.contains("for i in range(n):"), "{text}");
    assert_eq!(without_name(text).trim_end(), without_name(&told).trim_end());
    // Each line links to the source line that it is about.
    let (_, sources) = view(&mut client, 4, "explanation", "native");
    assert!(sources.iter().any(|source| source == "for i in range(n):"), "{sources:?}");
    client.ask("shutdown", Value::Null);
    client.tell("exit", Value::Null);
    client.ending();
    assert_eq!(code(child), Some(0));
}

#[test]
fn without_an_llvm_there_is_a_sentence_and_all_else() {
    let mut command = support::command(&support::root(), &["lsp"]);
    command.env("LANESCOPE_LLVM", "/nowhere/libLLVM.so");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the command starts");
    let mut client = Client::over(child.stdout.take().expect("a pipe"), child.stdin.take().expect("a pipe"));
    client.initialize(json!({ "capabilities": {} }));
    client.open(URI, SOUND);
    client.diagnostics(1);
    let (asm, _) = view(&mut client, 3, "asm", "native");
    assert!(asm["note"].as_str().is_some_and(|note| note.contains("/nowhere/libLLVM.so")), "{asm}");
    let (llvm, _) = view(&mut client, 3, "llvm", "native");
    assert_eq!(llvm["note"], Value::Null);
    client.ask("shutdown", Value::Null);
    client.tell("exit", Value::Null);
    client.ending();
    assert_eq!(code(child), Some(0));
}

#[cfg(target_os = "linux")]
#[test]
fn a_worker_that_dies_takes_nothing_with_it() {
    if !support::has_llvm() {
        return;
    }
    let (child, mut client) = start();
    client.initialize(json!({ "capabilities": {} }));
    client.open(URI, SOUND);
    client.diagnostics(1);
    let (before, _) = view(&mut client, 3, "asm", "avx2");
    // The only child process of the server is the worker.
    let children = format!("/proc/{0}/task", child.id());
    let tasks = std::fs::read_dir(children).expect("its threads").flatten();
    let workers = tasks.filter_map(|task| std::fs::read_to_string(task.path().join("children")).ok());
    let workers: Vec<String> = workers.flat_map(|ids| ids.split(' ').map(str::to_owned).collect::<Vec<_>>()).collect();
    let workers: Vec<i32> = workers.iter().filter_map(|id| id.parse().ok()).collect();
    assert_eq!(workers.len(), 1, "{workers:?}");
    let worker = rustix::process::Pid::from_raw(workers[0]).expect("an id");
    rustix::process::kill_process(worker, rustix::process::Signal::KILL).expect("it is ours");
    // The next view, of a new text, starts another worker.
    client.replace(URI, 2, &SOUND.replace("* 2.0", "* 3.0"));
    client.diagnostics(2);
    let (after, _) = view(&mut client, 3, "asm", "avx2");
    assert_eq!(after["note"], Value::Null);
    assert_ne!(after["text"], before["text"]);
    client.ask("shutdown", Value::Null);
    client.tell("exit", Value::Null);
    client.ending();
    assert_eq!(code(child), Some(0));
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

#[test]
fn functions_of_ispc_have_lenses_and_views() {
    let uri = "file:///tmp/views.ispc";
    let text = "export void scale(uniform float a[], const uniform int at[], uniform int n) {\n    foreach (i = 0 ... n) {\n        a[i] = a[at[i]] * 2;\n    }\n}\n";
    let (child, mut client) = start();
    // The lanes of this machine's own target are others on another machine.
    client.initialize(json!({
        "processId": std::process::id(), "rootUri": null, "capabilities": profiles::vscode(),
        "initializationOptions": { "target": "avx2" },
    }));
    client.open_as(uri, "ispc", text);
    let document = json!({ "uri": uri });
    let lenses = client.ask("textDocument/codeLens", json!({ "textDocument": document }));
    let title = |lens: &Value| lens["command"]["title"].as_str().map(str::to_owned);
    let titles: Vec<_> = lenses.as_array().expect("a list").iter().filter_map(title).collect();
    assert_eq!(titles, ["8 lanes, 1 gather", "View lowered", "View assembly"]);
    let view = |client: &mut Client, stage: &str| {
        let position = json!({ "line": 2, "character": 8 });
        let asked = json!({ "textDocument": document, "position": position, "stage": stage, "target": "avx2" });
        client.ask("lanescope/view", asked)
    };
    let lowered = view(&mut client, "lowered");
    assert!(lowered["text"].as_str().is_some_and(|text| text.starts_with("function scale(")), "{lowered}");
    let is_of_line = |line: &Value| line["range"]["start"]["line"] == 2;
    assert!(lowered["lines"].as_array().is_some_and(|lines| lines.iter().any(is_of_line)), "{lowered}");
    let explained = view(&mut client, "explanation");
    assert!(explained["text"].as_str().is_some_and(|text| text.contains("gather")), "{explained}");
    let asm = view(&mut client, "asm");
    if support::has_llvm() {
        assert!(asm["lines"].as_array().is_some_and(|lines| lines.iter().any(is_of_line)), "{asm}");
        assert_eq!((&asm["languageId"], &asm["name"]), (&json!("asm"), &json!("scale")));
    } else {
        assert!(asm["note"].is_string(), "{asm}");
    }
    // An edit makes it anew; with a mistake it stays, and says so.
    client.replace(uri, 2, &text.replace("* 2", "* 3"));
    let lowered = view(&mut client, "lowered");
    assert!(lowered["version"] == 2 && lowered["outdated"].is_null(), "{lowered}");
    client.replace(uri, 3, &text.replace("* 2", "* "));
    let outdated = view(&mut client, "lowered");
    assert!(outdated["version"] == 2 && outdated["outdated"] == true, "{outdated}");
    assert!(outdated["note"].as_str().is_some_and(|note| note.contains("the file has an error")), "{outdated}");
    // The command gives the text, too.
    client.replace(uri, 4, text);
    let argument = json!({ "textDocument": document, "position": { "line": 0, "character": 13 }, "stage": "lowered" });
    let shown = client.ask("workspace/executeCommand", json!({ "command": "lanescope.view", "arguments": [argument] }));
    assert!(shown.as_str().is_some_and(|text| text.starts_with("function scale(")), "{shown}");
    client.ask("shutdown", Value::Null);
    client.tell("exit", Value::Null);
    client.unread();
    assert_eq!(code(child), Some(0));
}

#[test]
fn the_trials_of_a_kernel_tell_how_far_they_are_and_end_when_a_user_says_so() {
    if !support::has_llvm() || !cfg!(target_arch = "x86_64") {
        return;
    }
    let (child, mut client) = start();
    let mut profile = profiles::pulling();
    profile["window"] = json!({ "workDoneProgress": true });
    let options = json!({ "target": "sse4" });
    client.initialize(
        json!({ "processId": null, "rootUri": null, "capabilities": profile, "initializationOptions": options }),
    );
    let sum =
        "kernel sum(a: f32[n], n: i32) -> f32:\n    s = 0.0\n    for i in range(n):\n        s += a[i]\n    return s\n";
    client.open(URI, sum);
    let at = json!({ "textDocument": { "uri": URI }, "position": { "line": 2, "character": 0 }, "show": false });
    let find = json!({ "command": "lanescope.faster", "arguments": [at] });
    let id = client.request("workspace/executeCommand", find);
    let create = client.asked("window/workDoneProgress/create");
    client.respond(&create, Value::Null);
    let token = create["params"]["token"].clone();
    assert_eq!(client.told("$/progress")["value"]["kind"], "begin");
    let next = client.told("$/progress")["value"].take();
    assert!(next["message"].as_str().is_some_and(|words| words.contains(" of ") && words.contains('@')), "{next}");
    client.tell("window/workDoneProgress/cancel", json!({ "token": token }));
    assert_eq!(client.answer(id).unwrap_err().0, -32800);
    // An instruction is explained by the same process.
    let word = json!({ "languageId": "asm", "target": "avx2", "line": "\tvaddps %ymm0, %ymm1, %ymm1", "character": 3 });
    let word = client.ask("lanescope/explainWord", word);
    assert!(word["contents"]["value"].as_str().is_some_and(|words| words.contains("after 4 cycles")), "{word}");
    client.ask("shutdown", Value::Null);
    client.tell("exit", Value::Null);
    assert_eq!(code(child), Some(0));
}
