//! Files that use others.

use std::fs;

use serde_json::{Value, json};

use crate::client::{Client, profiles};

const A: &str = "file:///w/a.lane";
const B: &str = "file:///w/b.lane";

const MAIN: &str =
    "use b: twice, P\n\nkernel k(a: f32[n], p: P[n], n: i32):\n    for i in range(n):\n        a[i] = twice(p[i].x)\n";
const OTHER: &str = "struct P:\n    x: f32\n\n## Doubles.\nfn twice(x):\n    return 2 * x\n\nkernel own(a: f32[n], n: i32):\n    a[0] = twice(a[0])\n";

fn at(uri: &str, line: u32, character: u32) -> Value {
    json!({ "textDocument": { "uri": uri }, "position": { "line": line, "character": character } })
}

fn with(mut params: Value, key: &str, value: Value) -> Value {
    params[key] = value;
    params
}

fn messages(published: &Value) -> Vec<&str> {
    let found = published.get("diagnostics").unwrap_or(published).as_array().expect("a list");
    found.iter().map(|it| it["message"].as_str().expect("a message")).collect()
}

#[test]
fn names_lead_across_files() {
    let mut client = Client::with(profiles::pulling());
    client.open(A, MAIN);
    client.open(B, OTHER);
    let found = client.ask("textDocument/definition", at(A, 4, 16));
    assert!(found.to_string().contains("\"line\":4"), "{found}");
    assert!(found.to_string().contains(B), "{found}");
    // The path leads to the file.
    assert!(client.ask("textDocument/definition", at(A, 0, 4)).to_string().contains(B));
    let hover = client.ask("textDocument/hover", at(A, 4, 16));
    let text = hover["contents"]["value"].as_str().expect("a text");
    assert!(text.contains("Doubles.") && text.contains("From b.lane."), "{text}");

    let everywhere = with(at(B, 4, 4), "context", json!({ "includeDeclaration": true }));
    let found = client.ask("textDocument/references", everywhere);
    let places: Vec<_> = found
        .as_array()
        .expect("a list")
        .iter()
        .map(|it| (it["uri"].as_str().expect("an address").to_owned(), it["range"]["start"]["line"].as_u64()))
        .collect();
    let expected = [(B, 4), (B, 8), (A, 0), (A, 4)].map(|(uri, line)| (uri.to_owned(), Some(line)));
    assert_eq!(places, expected);

    // Renamed in one file, it is in all.
    for (uri, line, character) in [(A, 4, 16), (B, 4, 4), (A, 0, 8)] {
        let edit = client.ask("textDocument/rename", with(at(uri, line, character), "newName", json!("double")));
        let changes = edit["documentChanges"].as_array().cloned().unwrap_or_else(|| {
            let changes = edit["changes"].as_object().expect("changes");
            changes.values().map(|edits| json!({ "edits": edits })).collect()
        });
        let n_edits: Vec<_> = changes.iter().map(|it| it["edits"].as_array().map_or(0, Vec::len)).collect();
        assert_eq!(n_edits, [2, 2], "{edit}");
    }
    // A name that the other file has already is refused.
    let taken = client.try_ask("textDocument/rename", with(at(A, 4, 16), "newName", json!("P")));
    assert!(taken.is_err_and(|(_, why)| why.contains("would then")), "it is refused");
    // A field, too.
    let edit = client.ask("textDocument/rename", with(at(A, 4, 26), "newName", json!("mass")));
    assert!(edit.to_string().contains(A) && edit.to_string().contains(B), "{edit}");
    client.end();
}

#[test]
fn an_edit_is_seen_where_the_file_is_used() {
    let mut client = Client::with(profiles::neovim());
    client.open(A, MAIN);
    let found = client.diagnostics(1);
    assert!(messages(&found)[0].contains("no file `b.lane`"), "{found}");
    client.open(B, OTHER);
    let published = |client: &mut Client, uri: &str| loop {
        let found = client.told("textDocument/publishDiagnostics");
        if found["uri"] == uri {
            return found;
        }
    };
    let errors = |found: &Value| {
        found["diagnostics"].as_array().expect("a list").iter().filter(|it| it["severity"] == 1).count()
    };
    assert_eq!(errors(&published(&mut client, A)), 0);
    client.replace(B, 2, &OTHER.replace("twice", "thrice"));
    let found = published(&mut client, A);
    assert!(messages(&found).iter().any(|it| it.contains("`b` has nothing of the name `twice`")), "{found}");
    client.replace(B, 3, OTHER);
    assert_eq!(errors(&published(&mut client, A)), 0);
    client.end_amid_news();
}

#[test]
fn a_file_that_is_used_is_read_from_the_disk() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("b.lane"), OTHER).expect("a file");
    let uri = format!("file://{}/a.lane", folder.path().display());
    let mut client = Client::with(profiles::pulling());
    client.open(&uri, MAIN);
    let ask = |client: &mut Client| client.ask("textDocument/diagnostic", json!({ "textDocument": { "uri": uri } }));
    let right = |found: &Value| !found.to_string().contains("\"severity\":1");
    let found = (0..10_000).find(|_| right(&ask(&mut client)));
    assert!(found.is_some(), "{}", ask(&mut client));
    client.end_amid_news();
}

#[test]
fn libraries_can_be_read_and_are_not_renamed() {
    let mut client = Client::with(profiles::vscode());
    client.open(A, "use complex\n\nkernel k(p: Complex[n], n: i32):\n    p[0] = times(p[0], p[1])\n");
    let found = client.ask("textDocument/definition", at(A, 3, 12));
    assert!(found.to_string().contains("libraries/complex.lane"), "{found}");
    let refused = client.try_ask("textDocument/rename", with(at(A, 3, 12), "newName", json!("product_of")));
    assert!(refused.is_err_and(|(_, why)| why.contains("library")), "it is refused");
    let offered = client.ask("textDocument/completion", at(A, 0, 4));
    assert!(offered.to_string().contains("statistics"), "{offered}");
    client.end_amid_news();
}
