//! A long session of random edits and requests, in which every answer must equal that of a fresh server on the same text.
//!
//! `LANESCOPE_SOAK=10000 cargo test --release -p server soak -- --nocapture` makes it longer, and prints the memory;
//! `LANESCOPE_SEED` chooses another sequence.

use serde_json::{Value, json};

use crate::URI;
use crate::client::text::Encoding;
use crate::client::{Client, profiles};

const PIECES: &[&str] = &[
    "",
    "",
    " ",
    "\n",
    "\n    ",
    "x",
    "é",
    "😀",
    "1",
    "0.5",
    "(",
    ")",
    "[i]",
    ":",
    ",",
    "+ a[i]",
    "# ü\n",
    "let ",
    "f32",
    "if ",
    "kernel new(a, n):\n    a[n] = 1\n",
    "fn g(x):\n    return x\n\n",
    "@lanes(8)\n",
    "struct S:\n    x: f32\n\n",
];

#[test]
fn answers_are_those_of_a_fresh_server() {
    let number = |name: &str| std::env::var(name).ok().and_then(|n| n.parse::<u64>().ok());
    let n_steps = number("LANESCOPE_SOAK").unwrap_or(300);
    let texts = examples();
    let encoding = Encoding::Utf16;
    let mut random = fastrand::Rng::with_seed(number("LANESCOPE_SEED").unwrap_or(23));
    let mut text = texts[0].clone();
    let mut client = quiet_client();
    client.open(URI, &text);
    let mut memory = Vec::new();
    for step in 0..n_steps {
        let version = step as i64 + 2;
        // A correct program now and then, since random edits soon leave none of it.
        if random.usize(..30) == 0 {
            text = texts[random.usize(..texts.len())].clone();
            client.replace(URI, version, &text);
        } else {
            let change = edit(&mut text, encoding, &mut random);
            client.change(URI, version, json!([change]));
        }
        if random.usize(..3) == 0 {
            let (method, params) = question(&text, encoding, &mut random);
            let mut fresh = quiet_client();
            fresh.open(URI, &text);
            let mut expected = fresh.try_ask(method, params.clone()).map(without_ids);
            let mut answer = client.try_ask(method, params).map(without_ids);
            if method == "textDocument/inlayHint" && has_errors(&mut fresh) {
                (answer, expected) = (answer.map(hints_of_now), expected.map(hints_of_now));
                let found = |answer: &Answer| answer.as_ref().map_or_else(|_| Vec::new(), list);
                let known = found(&expected);
                let is_unknown = |hint: &Value| !known.contains(hint);
                let made_up: Vec<Value> = found(&answer).into_iter().filter(is_unknown).collect();
                assert_eq!(made_up, Vec::<Value>::new(), "hints of {text:?}");
                assert_eq!(answer.is_ok(), expected.is_ok(), "hints of {text:?}");
            } else {
                assert_eq!(answer, expected, "{method} about {text:?}");
            }
            fresh.end_amid_news();
        }
        if step % 1000 == 999 {
            client.unread();
            memory.push(resident());
        }
    }
    if n_steps > 1000 {
        println!("resident after each 1,000 steps, in MB: {memory:?}");
    }
    client.end_amid_news();
}

/// The answer to a request, or its error.
type Answer = Result<Value, (i64, String)>;

/// Returns true if the text of a server's document has an error. Then hints of its last good text stay where its lines are the same, which
/// a fresh server does not know, in place of those that are fresh.
fn has_errors(client: &mut Client) -> bool {
    let report = client.ask("textDocument/diagnostic", json!({ "textDocument": { "uri": URI } }));
    list(&report["items"]).iter().any(|found| found["severity"] == 1)
}

/// The hints that are not those of an earlier text.
fn hints_of_now(hints: Value) -> Value {
    let is_of_now = |hint: &Value| !hint["tooltip"].to_string().contains("of the text before the error");
    list(&hints).into_iter().filter(is_of_now).collect()
}

fn list(value: &Value) -> Vec<Value> {
    value.as_array().cloned().unwrap_or_default()
}

fn quiet_client() -> Client {
    Client::with(profiles::counting(profiles::pulling(), Encoding::Utf16))
}

pub(crate) fn examples() -> Vec<String> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples");
    let mut paths: Vec<_> =
        std::fs::read_dir(folder).expect("the examples").map(|it| it.expect("a file").path()).collect();
    paths.retain(|path| path.is_file());
    paths.sort();
    paths.iter().map(|path| std::fs::read_to_string(path).expect("a program")).collect()
}

/// Makes a small random edit, in the text and as the protocol's message.
fn edit(text: &mut String, encoding: Encoding, random: &mut fastrand::Rng) -> Value {
    let places: Vec<_> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    let from = random.usize(..places.len());
    let to = (from + if text.len() > 6000 { 200 } else { random.usize(..4) }).min(places.len() - 1);
    let piece = PIECES[random.usize(..PIECES.len())];
    let change = json!({ "range": encoding.range(text, places[from]..places[to]), "text": piece });
    text.replace_range(places[from]..places[to], piece);
    change
}

fn question(text: &str, encoding: Encoding, random: &mut fastrand::Rng) -> (&'static str, Value) {
    let document = json!({ "uri": URI });
    let places: Vec<_> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    let at = places[random.usize(..places.len())];
    let position = encoding.position(text, at);
    let here = json!({ "textDocument": document, "position": position });
    let with = |name: &str, value: Value| {
        let mut params = here.clone();
        params[name] = value;
        params
    };
    let end = places[random.usize(..places.len())].max(at);
    let range = encoding.range(text, at..end);
    let options = json!({ "tabSize": 4, "insertSpaces": true });
    match random.usize(..23) {
        0 => ("textDocument/hover", here),
        1 => ("textDocument/definition", here),
        2 => ("textDocument/references", with("context", json!({ "includeDeclaration": true }))),
        3 => ("textDocument/documentHighlight", here),
        4 => ("textDocument/completion", here),
        5 => ("textDocument/signatureHelp", here),
        6 => ("textDocument/rename", with("newName", json!("renamed"))),
        7 => ("textDocument/documentSymbol", here),
        8 => ("textDocument/foldingRange", here),
        9 => ("textDocument/selectionRange", with("positions", json!([position]))),
        10 => ("textDocument/semanticTokens/full", here),
        11 => ("textDocument/semanticTokens/range", with("range", range)),
        12 => ("textDocument/inlayHint", with("range", range)),
        13 => ("textDocument/diagnostic", here),
        14 => {
            let mut params = with("range", range);
            params["context"] = json!({ "diagnostics": [] });
            ("textDocument/codeAction", params)
        }
        15 => ("textDocument/formatting", with("options", options)),
        16 => ("workspace/symbol", json!({ "query": "k" })),
        17 => ("textDocument/codeLens", here),
        18 => ("textDocument/typeDefinition", here),
        19 => ("textDocument/prepareRename", here),
        20 => ("textDocument/documentLink", here),
        21 => ("textDocument/prepareCallHierarchy", here),
        // A view that is kept while the text has errors depends on earlier versions; the syntax tree does not.
        _ => ("lanescope/view", with("stage", json!("parsed"))),
    }
}

/// Removes ids and paths that depend on the number of earlier answers, versions or servers.
pub(crate) fn without_ids(mut answer: Value) -> Value {
    match &mut answer {
        Value::Object(fields) => {
            fields.remove("resultId");
            fields.remove("version");
            fields.values_mut().for_each(|value| *value = without_ids(value.take()));
        }
        Value::Array(items) => items.iter_mut().for_each(|value| *value = without_ids(value.take())),
        // Each server writes the prelude to a folder of its own.
        Value::String(text) => {
            const FOLDER: &str = "lanescope-views-";
            if let Some(start) = text.find(FOLDER).map(|at| at + FOLDER.len()) {
                let end = text[start..].find('/').map_or(text.len(), |length| start + length);
                text.replace_range(start..end, "");
            }
        }
        _ => {}
    }
    answer
}

/// Resident memory of the process in megabytes, where the system reports it; 0 elsewhere.
fn resident() -> u64 {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = statm.split(' ').nth(1).and_then(|pages| pages.parse::<u64>().ok());
    pages.unwrap_or(0) * 4096 / 1_000_000
}
