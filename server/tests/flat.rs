//! What a long session leaves in memory: no more than a short one.
//!
//! Bytes in use are counted, not those that the allocator has from the system, so these tests are alone in their process.
//! `LANESCOPE_FLAT=10000 cargo test --release -p server --test flat` opens and closes more documents.

mod client;

use std::io::{BufReader, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use peak_alloc::PeakAlloc;
use serde_json::{Value, json};
use server::machine_views::NoNativeViews;

use client::text::Encoding;
use client::{Client, profiles};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// Two tests at the same time would count each other's bytes.
static ALONE: Mutex<()> = Mutex::new(());

fn program(n: usize) -> String {
    format!(
        "struct Point{n:05}:
    x: f32
    y: f32

const SCALE_{n:05} = 2.5

fn scaled_{n:05}(x):
    return x * SCALE_{n:05} + 0.5

kernel step_{n:05}(a: f32[n], b: f32[n], at: i32[n], n: i32):
    for i in range(n):
        let x = a[i] * 3.0
        if x > 1.5:
            b[i] = scaled_{n:05}(x)
        else:
            b[at[i]] = max(x, sqrt(a[n - 1 - i]))
"
    )
}

/// Opens a document, looks at it as an editor does, and closes it.
fn look(client: &mut Client, uri: &str, text: &str) {
    client.open(uri, text);
    let document = json!({ "uri": uri });
    let range = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 30, "character": 0 } });
    let ask = |client: &mut Client, method: &str, fields: Value| {
        let mut params = json!({ "textDocument": document, "position": { "line": 12, "character": 17 } });
        params.as_object_mut().expect("an object").extend(fields.as_object().expect("an object").clone());
        client.ask(method, params)
    };
    for method in ["textDocument/diagnostic", "textDocument/semanticTokens/full", "textDocument/hover"] {
        assert_ne!(ask(client, method, json!({})), Value::Null, "{method}");
    }
    ask(client, "textDocument/inlayHint", json!({ "range": range }));
    ask(client, "textDocument/documentSymbol", json!({}));
    ask(client, "textDocument/codeAction", json!({ "range": range, "context": { "diagnostics": [] } }));
    ask(client, "lanescope/view", json!({ "stage": "vector" }));
    client.tell("textDocument/didClose", json!({ "textDocument": document }));
}

/// Bytes in use when nothing is open.
fn used(client: &mut Client) -> usize {
    // An answer is sent when all that came before it has been taken in.
    client.ask("workspace/symbol", json!({ "query": "" }));
    client.unread();
    // Threads that answered, or search, let go of what they hold a moment later: the least of some counts is what stays.
    let counted = (0..20).map(|_| {
        std::thread::sleep(Duration::from_millis(10));
        MEMORY.current_usage()
    });
    counted.min().unwrap_or_default()
}

/// Looks at documents, and compares the memory in the second quarter of the looks with that in the last one.
///
/// Memory rises and falls by some ten kilobytes, since what is gone is freed in rounds: of each quarter the least of six counts is taken.
fn check(address: fn(usize) -> (String, String)) {
    const N_COUNTS: usize = 24;
    let _alone = alone();
    let n_looks = std::env::var("LANESCOPE_FLAT").ok().and_then(|n| n.parse().ok()).unwrap_or(240);
    let mut client = Client::with(profiles::counting(profiles::pulling(), Encoding::Utf16));
    let mut memory = Vec::new();
    for n in 0..n_looks {
        let (uri, text) = address(n);
        look(&mut client, &uri, &text);
        if (n + 1) * N_COUNTS / n_looks > memory.len() {
            memory.push(used(&mut client));
        }
    }
    let quarters: Vec<usize> = memory.chunks(N_COUNTS / 4).filter_map(|counts| counts.iter().min().copied()).collect();
    println!("bytes in use in {n_looks} looks: {memory:?}");
    assert!(is_flat(quarters[1], quarters[3]), "bytes in use in {n_looks} looks: {memory:?}");
    client.end_amid_news();
}

fn alone() -> MutexGuard<'static, ()> {
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns true if two numbers of bytes differ by less than 2 %.
fn is_flat(before: usize, after: usize) -> bool {
    after.abs_diff(before) < before / 50
}

#[test]
fn a_document_that_is_closed_leaves_nothing() {
    check(|_| ("file:///tmp/a.lane".to_owned(), program(0)));
}

#[test]
fn documents_that_are_closed_leave_nothing() {
    check(|n| (format!("file:///tmp/{n:05}.lane"), program(n)));
}

#[test]
fn files_of_a_folder_that_are_closed_leave_their_text() {
    const N_FILES: usize = 60;
    let _alone = alone();
    let folder = tempfile::tempdir().expect("a folder");
    let path = |n: usize| folder.path().join(format!("{n:05}.lane"));
    for n in 0..N_FILES {
        std::fs::write(path(n), program(n)).expect("a file");
    }
    let mut client = Client::start();
    let folders = json!([{ "uri": format!("file://{}", folder.path().display()), "name": "work" }]);
    client.initialize(json!({ "capabilities": profiles::pulling(), "workspaceFolders": folders }));
    let all = |client: &mut Client| client.ask("workspace/symbol", json!({ "query": "step" }));
    while all(&mut client).as_array().map(Vec::len) != Some(N_FILES) {
        std::thread::yield_now();
    }
    let mut memory = Vec::new();
    for round in 0..3 {
        for n in 0..N_FILES {
            look(&mut client, &format!("file://{}", path(n).display()), &program(n));
            if round == 0 && n == 0 {
                memory.push(used(&mut client));
            }
        }
        all(&mut client);
        memory.push(used(&mut client));
    }
    println!("bytes in use after one look, and after each {N_FILES}: {memory:?}");
    // A file that was looked at takes no more than one that was not, and later rounds add nothing.
    assert!((memory[1] as f64) < 1.1 * memory[0] as f64 && is_flat(memory[2], memory[3]), "{memory:?}");
    client.end_amid_news();
}

#[test]
fn many_kernels_of_one_name_take_the_memory_of_so_many_kernels() {
    let _alone = alone();
    let taken = |n_kernels: usize| {
        let mut client = Client::with(profiles::counting(profiles::pulling(), Encoding::Utf16));
        let before = MEMORY.current_usage();
        client.open("file:///tmp/a.lane", &"kernel k(a: f32[n], n: i32):\n    a[0] = 1.0\n\n".repeat(n_kernels));
        client.ask("textDocument/diagnostic", json!({ "textDocument": { "uri": "file:///tmp/a.lane" } }));
        let taken = used(&mut client) - before;
        client.end_amid_news();
        taken
    };
    let (few, many) = (taken(2_000), taken(8_000));
    println!("2,000 kernels take {few} bytes, 8,000 take {many}");
    assert!(many < 5 * few, "2,000 kernels take {few} bytes, 8,000 take {many}");
}

#[test]
fn a_client_that_reads_nothing_makes_no_heap_of_answers() {
    const N_REQUESTS: usize = 1_000;
    let _alone = alone();
    let (to_server, mut from_client) = std::io::pipe().expect("a pipe");
    let (to_client, from_server) = std::io::pipe().expect("a pipe");
    let server = std::thread::spawn(move || server::serve(to_server, from_server, Arc::new(NoNativeViews)));
    let text: String = (0..100).map(program).collect();
    let mut to_client = BufReader::new(to_client);
    let mut send = move |mut message: Value| {
        message["jsonrpc"] = json!("2.0");
        let body = message.to_string();
        write!(from_client, "Content-Length: {}\r\n\r\n{body}", body.len()).expect("the server reads in the end");
    };
    send(json!({ "id": 0, "method": "initialize", "params": { "capabilities": {} } }));
    client::read(&mut to_client).expect("an answer");
    send(json!({ "method": "initialized", "params": {} }));
    let document = json!({ "uri": "file:///tmp/a.lane", "languageId": "lane", "version": 1, "text": text });
    send(json!({ "method": "textDocument/didOpen", "params": { "textDocument": document } }));
    let asking = std::thread::spawn(move || {
        let params = json!({ "textDocument": { "uri": "file:///tmp/a.lane" } });
        for n in 1..=N_REQUESTS {
            send(json!({ "id": n, "method": "textDocument/semanticTokens/full", "params": params }));
        }
        send
    });
    // Time to answer all of them: they are answered again and again until nothing changes.
    let mut used = Vec::with_capacity(1_000);
    while used.len() < 5 || used[used.len() - 1] != used[used.len() - 5] {
        assert!(used.len() < 600, "the server goes on and on: {used:?}");
        std::thread::sleep(Duration::from_millis(100));
        used.push(MEMORY.current_usage());
    }
    let most = used.iter().max().expect("it was counted");
    assert!(*most < 56 << 20, "bytes in use while nobody reads: {used:?}");
    // From the moment on in which the client reads again it gets all answers.
    let (mut n_bytes, mut n_answers) = (0, 0);
    while n_answers < N_REQUESTS {
        let message = client::read(&mut to_client).expect("there is more");
        // A number takes two bytes at least.
        n_bytes += 2 * message["result"]["data"].as_array().map_or(0, Vec::len);
        n_answers += usize::from(message.get("id").is_some());
    }
    println!("bytes in use while nobody reads: {most}; more than {n_bytes} were read then");
    assert!(n_bytes > *most, "too few answers to tell: {n_bytes} bytes");
    drop(asking.join().expect("no panic"));
    server.join().expect("no panic").expect("it served");
}
