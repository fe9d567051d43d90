//! ISPC documents: what is answered about them, headers from the disk and from the editor, and edits.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::client::text::{Encoding, cursor};
use crate::client::{Client, profiles};

pub(super) const A: &str = "file:///w/a.ispc";
pub(super) const H: &str = "file:///w/points.isph";

pub(super) const HEADER: &str = "\
#pragma once
/// A point.
struct Point { float x, y; };
/// The square of the distance to the origin.
float square(const Point &p);
#define TWICE(a) ((a) + (a))
";

pub(super) const SOURCE: &str = "\
#include \"points.isph\"
#ifdef NEVER
void gone() { }
#endif
float square(const Point &p) { return p.x * p.x + p.y * p.y; }
export void squares(uniform Point points[], uniform float out[], uniform int n) {
    foreach (i = 0 ... n) {
        out[i] = TWICE(square(points[i]));
    }
}
";

pub(super) fn at(uri: &str, text: &str, marked: &str) -> Value {
    let (plain, inside) = cursor(marked);
    let start = text.find(&plain).unwrap_or_else(|| panic!("{plain:?} is in the text"));
    json!({ "textDocument": { "uri": uri }, "position": Encoding::Utf16.position(text, start + inside) })
}

pub(super) fn with(mut params: Value, key: &str, value: Value) -> Value {
    params[key] = value;
    params
}

pub(super) fn of(uri: &str) -> Value {
    json!({ "textDocument": { "uri": uri } })
}

pub(super) fn list(value: &Value) -> Vec<Value> {
    value.as_array().cloned().unwrap_or_default()
}

/// The diagnostics of a document, as published next.
fn published(client: &mut Client, uri: &str) -> Value {
    loop {
        let mut found = client.told("textDocument/publishDiagnostics");
        if found["uri"] == uri {
            return found["diagnostics"].take();
        }
    }
}

/// Waits until what is published about a file is as it should be. Until a change has reached it, its findings may be published as they were.
fn comes_to(client: &mut Client, uri: &str, is_right: impl Fn(&str) -> bool) {
    let mut last = String::new();
    for _ in 0..20 {
        last = published(client, uri).to_string();
        if is_right(&last) {
            return;
        }
    }
    panic!("{last}");
}

pub(super) fn opened(profile: Value) -> Client {
    let mut client = Client::with(profile);
    client.open_as(H, "ispc", HEADER);
    client.open_as(A, "ispc", SOURCE);
    client
}

#[test]
fn all_that_is_known_of_a_name_is_told() {
    let mut client = opened(profiles::pulling());
    let here = |marked: &str| at(A, SOURCE, marked);
    let pulled = client.ask("textDocument/diagnostic", of(A));
    assert_eq!(pulled["items"], json!([]), "{pulled}");

    let hover = client.ask("textDocument/hover", here("TWICE(squ$0are"));
    let text = hover["contents"]["value"].as_str().expect("a text").to_owned();
    assert!(text.contains("float square(const Point &p)") && text.contains("The square of the distance"), "{text}");
    let hover = client.ask("textDocument/hover", here("TWI$0CE"));
    assert!(hover.to_string().contains("((square(points[i])) + (square(points[i])))"), "{hover}");
    let hover = client.ask("textDocument/hover", here("uniform int n$0)"));
    assert!(hover.to_string().contains("uniform: one value for all lanes"), "{hover}");

    let help = client.ask("textDocument/signatureHelp", here("TWICE(square($0points"));
    assert_eq!(help["signatures"][0]["label"], "varying float square(const varying Point & p)", "{help}");
    assert_eq!((&help["activeSignature"], &help["activeParameter"]), (&json!(0), &json!(0)));

    let found = client.ask("textDocument/definition", here("TWICE(squ$0are"));
    assert!(found.to_string().contains(A) && !found.to_string().contains(H), "{found}");
    let found = client.ask("textDocument/declaration", here("TWICE(squ$0are"));
    assert!(found.to_string().contains(H) && !found.to_string().contains(A), "{found}");
    let found = client.ask("textDocument/definition", here("points.is$0ph"));
    assert!(found.to_string().contains(H), "{found}");

    let everywhere = with(at(H, HEADER, "squ$0are("), "context", json!({ "includeDeclaration": true }));
    let found = list(&client.ask("textDocument/references", everywhere));
    let places: Vec<_> = found.iter().map(|it| (it["uri"].as_str().unwrap(), &it["range"]["start"]["line"])).collect();
    assert_eq!(places, [(H, &json!(4)), (A, &json!(4)), (A, &json!(7))]);
    let marked = list(&client.ask("textDocument/documentHighlight", here("TWICE(squ$0are")));
    assert_eq!(marked.len(), 2);

    let edit = client.ask("textDocument/rename", with(here("TWICE(squ$0are"), "newName", json!("norm")));
    for (uri, text) in [(A, SOURCE), (H, HEADER)] {
        let changed = Encoding::Utf16.apply(text, &edit["changes"][uri]);
        assert_eq!(changed, text.replace("square(", "norm("));
    }
    let refused = client.try_ask("textDocument/rename", with(here("p$0.x"), "newName", json!("n ")));
    assert!(refused.is_err_and(|(_, why)| why.contains("is not a name")));

    let symbols = list(&client.ask("textDocument/documentSymbol", of(A)));
    assert_eq!(symbols.iter().map(|it| it["name"].as_str().unwrap()).collect::<Vec<_>>(), ["square", "squares"]);
    let folds = list(&client.ask("textDocument/foldingRange", of(A)));
    let lines: Vec<_> = folds.iter().map(|it| (it["startLine"].as_u64(), it["endLine"].as_u64())).collect();
    assert_eq!(lines, [(1, 2), (5, 9), (6, 8)].map(|(start, end)| (Some(start), Some(end))));
    let links = client.ask("textDocument/documentLink", of(A));
    assert_eq!(links[0]["target"], H);
    let items = client.ask("textDocument/completion", here("out[i] = TWICE$0"));
    let labels: Vec<_> = list(&items["items"]).iter().map(|it| it["label"].as_str().unwrap().to_owned()).collect();
    assert!(
        ["points", "i", "square", "TWICE", "foreach"].iter().all(|name| labels.iter().any(|it| it == name)),
        "{labels:?}"
    );
    client.end();
}

#[test]
fn tokens_grey_what_is_left_out_and_change_by_deltas() {
    let mut client = opened(profiles::pulling());
    let legend = client.told["capabilities"]["semanticTokensProvider"]["legend"].clone();
    let number = |of: &str, name: &str| list(&legend[of]).iter().position(|it| it == name).expect("it is there") as u64;
    let full = client.ask("textDocument/semanticTokens/full", of(A));
    let numbers: Vec<u64> = list(&full["data"]).iter().map(|it| it.as_u64().unwrap()).collect();
    let inactive = 1 << number("tokenModifiers", "inactive");
    let gone: Vec<_> = numbers.chunks(5).filter(|token| token[4] & inactive != 0).collect();
    assert_eq!(gone.len(), 1);
    assert_eq!((gone[0][2], gone[0][3]), (15, number("tokenTypes", "comment")));
    client.change(A, 2, json!([{ "range": { "start": { "line": 9, "character": 0 }, "end": { "line": 9, "character": 0 } }, "text": "\n" }]));
    let delta =
        client.ask("textDocument/semanticTokens/full/delta", with(of(A), "previousResultId", full["resultId"].clone()));
    assert_eq!(delta["edits"], json!([]), "{delta}");
    let range = json!({ "start": { "line": 1, "character": 0 }, "end": { "line": 3, "character": 0 } });
    let part = client.ask("textDocument/semanticTokens/range", with(of(A), "range", range));
    assert_eq!(list(&part["data"]).len(), 5 * 3);
    client.end();
}

#[test]
fn nothing_of_lane_is_offered() {
    let mut client = opened(profiles::vscode());
    let here = at(A, SOURCE, "TWICE(squ$0are");
    let range = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 9, "character": 0 } });
    let of_range = with(of(A), "range", range);
    let options = json!({ "tabSize": 4, "insertSpaces": true });
    let questions = [
        ("textDocument/codeLens", of(A)),
        ("textDocument/formatting", with(of(A), "options", options.clone())),
        ("textDocument/rangeFormatting", with(of_range, "options", options.clone())),
        ("textDocument/onTypeFormatting", with(with(here.clone(), "ch", json!("\n")), "options", options)),
        ("textDocument/typeDefinition", here.clone()),
        ("textDocument/selectionRange", with(of(A), "positions", json!([here["position"]]))),
    ];
    for (method, params) in questions {
        let answer = client.ask(method, params);
        assert!(answer.is_null() || answer == json!([]), "{method}: {answer}");
    }
    // And nothing of ISPC's in Lane.
    client.open("file:///w/b.lane", "kernel k(a, n):\n    for i in range(n):\n        a[i] = 1\n");
    let lenses = client.ask("textDocument/codeLens", of("file:///w/b.lane"));
    assert!(!list(&lenses).is_empty());
    client.end_amid_news();
}

#[test]
fn hints_notes_and_fixes_tell_what_lanes_do() {
    let text = "void f(uniform float a[], uniform int n, int k) {\n    int m = n;\n    a[k] = m / 2;\n}\n";
    let uri = "file:///w/lanes.ispc";
    let mut client = Client::with(profiles::vscode());
    client.open_as(uri, "ispc", text);
    let notes = client.ask("textDocument/diagnostic", of(uri))["items"].take();
    let codes: Vec<(String, u64)> = list(&notes)
        .iter()
        .map(|it| (it["code"].as_str().unwrap_or_default().to_owned(), it["severity"].as_u64().unwrap_or_default()))
        .collect();
    let hint = |code: &str| (code.to_owned(), 4);
    assert_eq!(codes, [hint("ispc-perf-uniform"), hint("ispc-perf-scatter"), hint("ispc-perf-division")]);
    let range = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 4, "character": 0 } });
    let of_range = with(of(uri), "range", range);
    let hints = client.ask("textDocument/inlayHint", of_range.clone());
    assert!(hints.to_string().contains("\"scatter\"") && hints.to_string().contains(" could be uniform"), "{hints}");
    let actions = client.ask("textDocument/codeAction", with(of_range, "context", json!({ "diagnostics": [] })));
    let titles: Vec<Value> = list(&actions).iter().map(|it| it["title"].clone()).collect();
    assert_eq!(titles, ["Declare `m` `uniform`", "View…"]);
    assert!(actions[0].to_string().contains("\"newText\":\"uniform \""), "{}", actions[0]);
    client.end_amid_news();
}

#[test]
fn a_language_id_is_enough() {
    let mut client = Client::with(profiles::pushing());
    client.open_as("untitled:Untitled-1", "ispc", "void f() { return x y; }\n");
    let found = client.diagnostics(1);
    assert!(found.to_string().contains("ispc-syntax"), "{found}");
    client.end();
}

#[test]
fn an_edit_of_a_header_is_seen_where_it_is_included() {
    let mut client = opened(profiles::pushing());
    let errors = |client: &mut Client| published(client, A);
    let mut found = errors(&mut client);
    while found != json!([]) {
        found = errors(&mut client);
    }
    client.replace(H, 2, &HEADER.replace("float x, y;", "floatt x, y;"));
    let found = errors(&mut client);
    let told = &found[0];
    assert_eq!(told["range"]["start"]["line"], 0, "at the `#include`: {found}");
    assert!(told["message"].as_str().unwrap().contains("`floatt` is no type"), "{found}");
    let related = &told["relatedInformation"][0];
    assert_eq!((&related["location"]["uri"], &related["location"]["range"]["start"]["line"]), (&json!(H), &json!(2)));
    client.replace(H, 3, HEADER);
    assert_eq!(errors(&mut client), json!([]));
    // A mistake in a macro's body is told where the macro is called.
    client.replace(H, 4, &HEADER.replace("((a) + (a))", "((a) +)"));
    let found = errors(&mut client);
    assert_eq!(found[0]["range"]["start"]["line"], 7, "{found}");
    assert!(found[0]["relatedInformation"].to_string().contains("in the macro `TWICE`"), "{found}");
    client.end_amid_news();
}

fn uri(path: &Path) -> String {
    format!("file://{}", path.display())
}

/// A folder with files.
fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }
    folder
}

#[test]
fn headers_are_read_from_the_disk_in_rounds() {
    let list = r#"[{ "directory": ".", "file": "src/a.ispc", "command": "ispc -Iinclude -DDEEP src/a.ispc" }]"#;
    let folder = folder(&[
        ("src/b.isph", "#include <c.isph>\n"),
        ("include/c.isph", "#ifdef DEEP\n#include \"d.inc\"\n#endif\n"),
        ("include/d.inc", "typedef int Number;\n"),
        ("compile_commands.json", list),
    ]);
    let source = "#include \"b.isph\"\nNumber f(Number n) { return n; }\n";
    let a = uri(&folder.path().join("src/a.ispc"));
    for profile in [profiles::neovim(), profiles::vscode()] {
        let mut client = Client::with(profile.clone());
        client.open_as(&a, "ispc", source);
        // The first answer is about the whole unit: nobody is told of headers that are only not read yet.
        let items = match client.told["capabilities"].get("diagnosticProvider") {
            Some(_) => client.ask("textDocument/diagnostic", of(&a))["items"].take(),
            None => client.diagnostics(1),
        };
        assert_eq!(items, json!([]));
        let found = client.ask("textDocument/definition", at(&a, source, "Num$0ber f"));
        assert!(found.to_string().contains("include/d.inc"), "{found}");
        client.end_amid_news();
    }
}

#[test]
fn a_header_that_appears_and_goes_is_noticed() {
    let folder = folder(&[]);
    let (a, h) = (uri(&folder.path().join("a.ispc")), folder.path().join("h.isph"));
    let mut client = Client::with(profiles::neovim());
    client.open_as(&a, "ispc", "#include \"h.isph\"\nN f() { return 0; }\n");
    assert!(client.diagnostics(1).to_string().contains("`h.isph` is in none of the folders"));
    let changed = |client: &mut Client, kind: u32| {
        let changes = json!({ "changes": [{ "uri": uri(&h), "type": kind }] });
        client.tell("workspace/didChangeWatchedFiles", changes);
    };
    fs::write(&h, "typedef int N;\n").expect("a file");
    changed(&mut client, 1);
    comes_to(&mut client, &a, |found| found == "[]");
    fs::write(&h, "typedef int M;\n").expect("a file");
    changed(&mut client, 2);
    comes_to(&mut client, &a, |found| found.contains("`N` is no type"));
    // The editor's text comes before the disk's, and the disk's behind it.
    client.open_as(&uri(&h), "ispc", "typedef int N;\n");
    comes_to(&mut client, &a, |found| found == "[]");
    client.tell("textDocument/didClose", of(&uri(&h)));
    comes_to(&mut client, &a, |found| found.contains("`N` is no type"));
    fs::remove_file(&h).expect("it was there");
    changed(&mut client, 3);
    comes_to(&mut client, &a, |found| found.contains("`h.isph` is in none of the folders"));
    client.end_amid_news();
}

#[test]
fn a_file_outside_of_the_workspace_stays_as_it_is() {
    let folder = folder(&[("work/a.ispc", ""), ("lib/h.isph", "float outside(float x);\n")]);
    let mut client = Client::start();
    let work = folder.path().join("work");
    let folders = json!([{ "uri": uri(&work), "name": "work" }]);
    client.initialize(json!({ "capabilities": profiles::pulling(), "workspaceFolders": folders }));
    let a = uri(&work.join("a.ispc"));
    let source = "#include \"../lib/h.isph\"\nfloat f(float own) { return outside(own); }\n";
    client.open_as(&a, "ispc", source);
    let refused = client.try_ask("textDocument/rename", with(at(&a, source, "out$0side(own"), "newName", json!("g")));
    assert!(refused.is_err_and(|(_, why)| why.contains("outside of the workspace")));
    let edit = client.ask("textDocument/rename", with(at(&a, source, "outside(o$0wn"), "newName", json!("mine")));
    assert_eq!(list(&edit["changes"][&a]).len(), 2, "{edit}");
    client.end_amid_news();
}

#[test]
fn settings_say_how_files_are_compiled() {
    let folder = folder(&[("inc/h.isph", "#if W != 3 || TARGET_WIDTH != 16\n#error wrong\n#endif\n")]);
    let a = uri(&folder.path().join("a.ispc"));
    let mut client = Client::start();
    let settings = json!({ "ispc": { "includeFolders": ["inc"], "defines": ["W=3"], "target": "avx512skx-x16" } });
    let folders = json!([{ "uri": uri(folder.path()), "name": "work" }]);
    client.initialize(json!({
        "capabilities": profiles::pulling(), "workspaceFolders": folders, "initializationOptions": settings,
    }));
    client.open_as(&a, "ispc", "#include <h.isph>\n");
    let found = client.ask("textDocument/diagnostic", of(&a));
    assert_eq!(found["items"], json!([]));
    client.tell("workspace/didChangeConfiguration", json!({ "settings": { "ispc": { "includeFolders": ["inc"] } } }));
    let found = client.ask("textDocument/diagnostic", of(&a));
    assert!(found.to_string().contains("`#error` in the source: wrong"), "{found}");
    client.end_amid_news();
}

const PIECES: &[&str] = &[
    "",
    "",
    "",
    " ",
    "\n",
    "x",
    "é",
    "{",
    "}",
    "(",
    ")",
    ";",
    ",",
    "#",
    "##",
    "\\\n",
    "*",
    "&",
    "uniform ",
    "varying ",
    "int a = 1;",
    "#define M(a) a a\n",
    "M(b)",
    "#if 0\n",
    "#else\n",
    "#endif\n",
    "#include \"points.isph\"\n",
    "/*",
    "*/",
    "//",
    "\"",
    "struct S { int a; };\n",
    "S s;",
    "s.a",
    "->",
    "foreach (i = 0 ... 4) { }",
    "typedef int T;\n",
    "T t;",
    "<",
];

const METHODS: &[&str] = &[
    "textDocument/diagnostic",
    "textDocument/hover",
    "textDocument/definition",
    "textDocument/references",
    "textDocument/documentHighlight",
    "textDocument/rename",
    "textDocument/completion",
    "textDocument/documentSymbol",
    "textDocument/foldingRange",
    "textDocument/semanticTokens/full",
    "textDocument/documentLink",
];

#[test]
fn after_random_edits_answers_are_those_of_a_fresh_server() {
    let number = |name: &str| std::env::var(name).ok().and_then(|n| n.parse::<u64>().ok());
    let n_steps = number("LANESCOPE_SOAK").unwrap_or(300);
    let mut random = fastrand::Rng::with_seed(number("LANESCOPE_SEED").unwrap_or(30));
    let mut texts = [SOURCE.to_owned(), HEADER.to_owned()];
    let uris = [A, H];
    let open = |texts: &[String; 2]| {
        let mut client = Client::with(profiles::counting(profiles::pulling(), Encoding::Utf16));
        uris.iter().zip(texts).for_each(|(uri, text)| client.open_as(uri, "ispc", text));
        client
    };
    let mut client = open(&texts);
    for step in 0..n_steps {
        let which = usize::from(random.usize(..4) == 0);
        let version = step as i64 + 2;
        let text = &mut texts[which];
        if random.usize(..25) == 0 {
            *text = [SOURCE, HEADER][which].to_owned();
            client.replace(uris[which], version, text);
        } else {
            let places: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
            let start = random.usize(..places.len());
            let end = (start + random.usize(..4)).min(places.len() - 1);
            let range = places[start]..places[end];
            let piece = PIECES[random.usize(..PIECES.len())];
            let change = json!({ "range": Encoding::Utf16.range(text, range.clone()), "text": piece });
            text.replace_range(range, piece);
            client.change(uris[which], version, json!([change]));
        }
        if random.usize(..3) == 0 {
            let which = random.usize(..2);
            let text = &texts[which];
            let places: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
            let offset = if places.is_empty() { 0 } else { places[random.usize(..places.len())] };
            let params = json!({
                "textDocument": { "uri": uris[which] },
                "position": Encoding::Utf16.position(text, offset),
                "context": { "includeDeclaration": true },
                "newName": "other",
            });
            let method = METHODS[random.usize(..METHODS.len())];
            let mut fresh = open(&texts);
            let without_id = |answer: Result<Value, (i64, String)>| {
                answer.map(|mut answer| {
                    answer.as_object_mut().map(|it| it.remove("resultId"));
                    answer
                })
            };
            let expected = without_id(fresh.try_ask(method, params.clone()));
            assert_eq!(without_id(client.try_ask(method, params)), expected, "{method} about {texts:?}");
            fresh.end_amid_news();
        }
    }
    client.end_amid_news();
}
