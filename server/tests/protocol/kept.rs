//! What stays while a text is broken: the last good hints and views, each of which says of which text it is; and the view of a
//! kernel while the cursor is in none.

use serde_json::{Value, json};

use crate::URI;
use crate::client::text::Encoding;
use crate::client::{Client, profiles};

const TEXT: &str = "\
kernel k(a: f32[n], b: f32[n], out: f32[n], n: i32):
    for i in range(n):
        out[i] = a[n - 1 - i]
    for i in range(n):
        b[i] = a[i] * 2.0
";

fn open(text: &str) -> Client {
    let mut client = Client::with(profiles::counting(profiles::nothing(), Encoding::Utf16));
    client.open(URI, text);
    client.tell("workspace/didChangeConfiguration", json!({ "settings": { "lanescope": { "target": "avx2" } } }));
    client
}

/// The hints of a document: the line, the text, and a mark if it is of the text before an error, or what is awaited is not known.
fn hints(client: &mut Client) -> Vec<String> {
    let range = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 999, "character": 0 } });
    let hints = client.ask("textDocument/inlayHint", json!({ "textDocument": { "uri": URI }, "range": range }));
    let show = |hint: &Value| {
        let label = match hint["label"].as_array() {
            Some(parts) => parts.iter().filter_map(|part| part["value"].as_str()).collect(),
            None => hint["label"].as_str().expect("a text").to_owned(),
        };
        let mark = match hint["tooltip"]["value"].as_str().unwrap_or_default() {
            tooltip if tooltip.starts_with("of the text before the error") => " (old)",
            tooltip if tooltip.starts_with("of the text before;") && !label.starts_with(':') => " (awaited)",
            _ => "",
        };
        format!("{}{label}{mark}", hint["position"]["line"])
    };
    hints.as_array().expect("a list").iter().map(show).collect()
}

#[test]
fn hints_stay_on_the_lines_that_an_error_leaves_alone() {
    let mut client = open(TEXT);
    let good = ["1 8 lanes", "2 reversed", "3 8 lanes"];
    assert_eq!(hints(&mut client), good);
    // In the syntax, with a line more than before; and in a type.
    client.replace(URI, 2, &TEXT.replace("a[i] * 2.0", "a[i] * (\n"));
    assert_eq!(hints(&mut client), good.map(|hint| format!("{hint} (old)")));
    client.replace(URI, 3, &TEXT.replace("[n - 1 - i]", "[true]"));
    assert_eq!(hints(&mut client), ["1 8 lanes (old)", "3 8 lanes (old)"]);
    client.replace(URI, 4, &format!("const C = 1\n\n{}", TEXT.replace("n: i32):", "n: i32)")));
    assert_eq!(hints(&mut client), ["0: i32", "3 8 lanes (old)", "4 reversed (old)", "5 8 lanes (old)"]);
    // Of a text without errors, hints are its own.
    client.replace(URI, 5, &TEXT.replace("n - 1 - i", "i"));
    assert_eq!(hints(&mut client), ["1 8 lanes", "3 8 lanes"]);
    // And what was said for one target is not said for another.
    client.replace(URI, 6, &TEXT.replace("* 2.0", "* ("));
    client.tell("workspace/didChangeConfiguration", json!({ "settings": { "lanescope": { "target": "sse4" } } }));
    assert!(hints(&mut client).iter().all(|hint| !hint.contains("8 lanes")));
    client.end_amid_news();
}

/// A kernel of many lines, whose first variable is `first`.
fn long_text(first: &str) -> String {
    let mut text = "kernel long(a: f32[n], b: f32[n], c: i32[n], n: i32):\n    for i in range(n):\n".to_owned();
    text += &format!("        let x0 = {first}\n");
    for n in 1..300 {
        text += &format!("        let x{n} = x{} + x{}\n", n - 1, n / 2);
    }
    text + "        b[c[i]] = f32(x299)\n"
}

/// The answers of a server that knew no earlier text.
fn hints_of_a_new_server(text: &str) -> Vec<String> {
    let mut client = open(text);
    let hints = hints(&mut client);
    client.end_amid_news();
    hints
}

#[test]
fn hints_of_a_long_kernel_do_not_wait_for_what_its_lanes_do() {
    let mut profile = profiles::counting(profiles::nothing(), Encoding::Utf16);
    profile["workspace"] = json!({ "inlayHint": { "refreshSupport": true } });
    let mut client = Client::with(profile);
    client.open(URI, &long_text("a[i]"));
    let good = hints_of_a_new_server(&long_text("a[i]"));
    assert!(good.contains(&"3: varying f32".to_owned()), "{good:?}");
    assert_eq!(hints(&mut client), good);
    let known = |client: &mut Client| {
        let refresh = client.asked("workspace/inlayHint/refresh");
        client.respond(&refresh, Value::Null);
        hints(client)
    };
    // What varies and what a loop does stays while it is found out again; a hint of a loop says that it does.
    client.replace(URI, 2, &long_text("a[i] * 0.25"));
    let soon = hints(&mut client);
    let is_awaited = |hint: &&String| hint.ends_with(" (awaited)");
    assert!(soon.iter().any(|hint| is_awaited(&hint)), "{soon:?}");
    assert_eq!(soon.iter().map(|hint| hint.trim_end_matches(" (awaited)")).collect::<Vec<_>>(), good);
    assert_eq!(known(&mut client), good);
    // Types are those of the new text at once.
    client.replace(URI, 3, &long_text("c[i]"));
    let soon = hints(&mut client);
    assert!(soon.contains(&"3: varying i32".to_owned()), "{soon:?}");
    assert_eq!(known(&mut client), hints_of_a_new_server(&long_text("c[i]")));
    // What does not vary any more is said when it is known.
    client.replace(URI, 4, &long_text("c[0]"));
    let soon = hints(&mut client);
    assert!(soon.contains(&"3: varying i32".to_owned()), "{soon:?}");
    let now = known(&mut client);
    assert!(now.contains(&"3: i32".to_owned()), "{now:?}");
    assert_eq!(now, hints_of_a_new_server(&long_text("c[0]")));
    // A key before that is known is a text more to wait for.
    for (version, first) in [(5, "c[1]"), (6, "c[12]"), (7, "a[12]")] {
        client.replace(URI, version, &long_text(first));
        hints(&mut client);
    }
    let end = hints_of_a_new_server(&long_text("a[12]"));
    while known(&mut client) != end {}
    client.end_amid_news();
}

#[test]
fn a_broken_promise_is_no_error_that_keeps_hints() {
    let text = "kernel k(a: f32[n], n: i32):\n    @simd\n    for i in range(1, n):\n        a[i] = a[i] * 0.5\n";
    let mut client = open(text);
    assert_eq!(hints(&mut client), ["2 8 lanes"]);
    client.replace(URI, 2, &text.replace("a[i] * 0.5", "a[i - 1] * 0.5"));
    let now = hints(&mut client);
    assert!(now.len() == 1 && !now[0].contains("old") && !now[0].contains("8 lanes"), "{now:?}");
    client.end_amid_news();
}

#[test]
fn hints_of_a_function_that_broke_stay_at_its_callers() {
    let text = "fn twice(x):\n    return x * 2.0\n\nkernel k(a: f32[n], n: i32):\n    for i in range(n):\n        a[i] = twice(a[i])\n";
    let mut client = open(text);
    let has_lanes = |hints: Vec<String>| hints.iter().any(|hint| hint.starts_with("4 8 lanes"));
    assert!(has_lanes(hints(&mut client)));
    client.replace(URI, 2, &text.replace("x * 2.0", "x * ("));
    assert!(has_lanes(hints(&mut client)));
    client.end_amid_news();
}

fn view(client: &mut Client, line: u32, kernel: Option<&str>) -> Result<Value, (i64, String)> {
    let mut params =
        json!({ "textDocument": { "uri": URI }, "position": { "line": line, "character": 0 }, "stage": "final" });
    if let Some(kernel) = kernel {
        params["kernel"] = json!(kernel);
    }
    client.try_ask("lanescope/view", params)
}

#[test]
fn a_view_stays_while_the_cursor_is_in_no_kernel() {
    let text = format!("# above\n\nstruct P:\n    x: f32\n\nfn f(x):\n    return x\n\n{TEXT}");
    let mut client = open(&text);
    let shown = view(&mut client, 9, None).expect("a view");
    assert_eq!((&shown["name"], &shown["target"], shown.get("outdated")), (&json!("k"), &json!("avx2"), None));
    for line in [0, 2, 3, 4, 6] {
        assert_eq!(view(&mut client, line, Some("k")).expect("a view"), shown, "line {line}");
    }
    // Who shows nothing yet hears why there is nothing.
    assert!(view(&mut client, 2, None).is_ok_and(|view| view["text"] == "" && view["note"] != Value::Null));
    assert!(view(&mut client, 0, None).is_err());
    assert!(view(&mut client, 0, Some("gone")).is_err());
    client.end_amid_news();
}

#[test]
fn a_view_stays_while_its_kernel_has_no_name() {
    let mut client = open(TEXT);
    let shown = view(&mut client, 1, None).expect("a view");
    client.replace(URI, 2, &TEXT.replace("kernel k(", "kernel ("));
    let kept = view(&mut client, 1, Some("k")).expect("a view");
    assert_eq!((&kept["text"], &kept["outdated"], &kept["version"]), (&shown["text"], &json!(true), &json!(1)));
    assert_eq!(kept["note"], "there is no `k` any more; shown is the text before that, version 1");
    client.replace(URI, 3, TEXT);
    assert_eq!(view(&mut client, 1, Some("k")).expect("a view").get("outdated"), None);
    client.end_amid_news();
}
