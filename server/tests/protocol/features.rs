//! The answer of each feature, for every editor and in every encoding.
//!
//! In front of each place that is requested, the text has characters of one, two and four bytes, and of one and two UTF-16 code
//! units, so that counting in any other unit than the client's gives a wrong place. (Names beyond ASCII are errors; the server
//! answers about them all the same, and nothing else can precede a place on its line.)

use expect_test::{Expect, expect};
use serde_json::{Value, json};

use crate::URI;
use crate::client::text::{Encoding, cursor, without_links};
use crate::client::{Client, profiles};

const PROGRAM: &str = "\
## Größe 😀, see [half].
const GRÖSSE = 4

struct Punkt:
    x: f32
    höhe: f32

## Half of it.
fn half(wert):
    return wert / 2

kernel größer(πs: Punkt[n], out: f32[n], n: i32):
    let ä = 0.5  # 😀
    for i in range(n):
        let 𝒙 = πs[i].höhe
        out[i] = half(𝒙) * ä  # 😀
";

/// An editor with the program open, and the unit of its positions.
struct Editor {
    client: Client,
    encoding: Encoding,
    text: String,
}

impl Editor {
    fn new(profile: Value, encoding: Encoding, text: &str) -> Editor {
        let pulls = profile["textDocument"].get("diagnostic").is_some();
        let mut client = Client::with(profiles::counting(profile, encoding));
        assert_eq!(client.told["capabilities"]["positionEncoding"], encoding.name());
        client.open(URI, text);
        if !pulls {
            client.diagnostics(1);
        }
        Editor { client, encoding, text: text.to_owned() }
    }

    /// Sends a request about the place behind the last of some words that follow each other in the text.
    fn at(&mut self, method: &str, words: &str, more: Value) -> Value {
        let at = self.text.find(words).unwrap_or_else(|| panic!("{words}")) + words.len();
        let mut params = json!({ "textDocument": { "uri": URI }, "position": self.encoding.position(&self.text, at) });
        if let (Some(params), Some(more)) = (params.as_object_mut(), more.as_object()) {
            params.extend(more.clone());
        }
        self.client.ask(method, params)
    }

    fn whole(&mut self, method: &str, more: Value) -> Value {
        self.at(method, "", more)
    }

    /// The text in a range.
    fn slice(&self, range: &Value) -> &str {
        self.encoding.slice(&self.text, range)
    }

    /// Requests of the server at the start may stay unanswered until the end.
    fn end(self) {
        self.client.end_amid_news();
    }
}

/// Runs a request in every editor and every encoding; all answers must be equal.
fn check(ask: impl Fn(&mut Editor) -> String, expected: Expect) {
    let mut answers = Vec::new();
    for (name, profile) in profiles::ALL {
        for encoding in Encoding::ALL {
            let mut editor = Editor::new(profile(), encoding, PROGRAM);
            answers.push((format!("{name} in {}", encoding.name()), ask(&mut editor)));
            editor.end();
        }
    }
    let (_, first) = &answers[0];
    for (who, answer) in &answers {
        assert_eq!(answer, first, "{who}");
    }
    expected.assert_eq(first);
}

fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap_or_else(|| panic!("no list: {value}"))
}

#[test]
fn hover() {
    let ask = |editor: &mut Editor| {
        let words = ["let ä", "half(𝒙", "πs[i].hö", "= hal"];
        let hovers = words.map(|words| {
            let found = editor.at("textDocument/hover", words, json!({}));
            let text = without_links(found["contents"]["value"].as_str().expect("a text"))
                .replace(['`'], "")
                .replace("lane\n", "\n");
            let words: Vec<_> = text.split_whitespace().collect();
            format!("{}: {}\n", editor.slice(&found["range"]), words.join(" "))
        });
        hovers.concat()
    };
    check(
        ask,
        expect![[r#"
            ä: ä: f32 = 0.5
            𝒙: 𝒙: f32 **Varying**: any value in each lane. - πs[i].höhe in line 15: its value, which varies - i in line 14: lanes run along i
            höhe: struct Punkt: höhe: f32 Loaded here: πs[i].höhe: f32 **strided** load: the cells of neighbouring lanes lie 2 cells apart. - i in line 14: lanes run along i To lift it: an array of its own for each field makes this contiguous.
            half: fn half(wert: T) -> T T is a number; each call has its own. Half of it. This call: half(𝒙): f32
        "#]],
    );
}

#[test]
fn definition_and_references() {
    let ask = |editor: &mut Editor| {
        let mut out = String::new();
        for (method, words) in
            [("definition", "half(𝒙"), ("declaration", "= hal"), ("typeDefinition", "= πs"), ("definition", "[hal")]
        {
            let found = editor.at(&format!("textDocument/{method}"), words, json!({}));
            for found in list(&found) {
                let range = found.get("targetSelectionRange").unwrap_or(&found["range"]);
                let start = editor.encoding.offset(&editor.text, &range["start"]);
                out += &format!("{method} of {words:?}: {:?} at {start}\n", editor.slice(range));
            }
        }
        for declared in [true, false] {
            let context = json!({ "context": { "includeDeclaration": declared } });
            let found = editor.at("textDocument/references", "* ä", context);
            out += &format!(
                "references: {}\n",
                list(&found).iter().filter(|it| editor.slice(&it["range"]) == "ä").count()
            );
        }
        for found in list(&editor.at("textDocument/documentHighlight", "half(𝒙", json!({}))) {
            out += &format!("highlight {}: {}\n", editor.slice(&found["range"]), found["kind"]);
        }
        out
    };
    check(
        ask,
        expect![[r#"
            definition of "half(𝒙": "𝒙" at 253
            declaration of "= hal": "half" at 107
            typeDefinition of "= πs": "Punkt" at 55
            definition of "[hal": "half" at 107
            references: 2
            references: 1
            highlight 𝒙: 3
            highlight 𝒙: 2
        "#]],
    );
}

#[test]
fn rename() {
    let ask = |editor: &mut Editor| {
        let found = editor.at("textDocument/prepareRename", "let 𝒙", json!({}));
        let mut out = format!("{} at {:?}\n", found["placeholder"], editor.slice(&found["range"]));
        let edit = editor.at("textDocument/rename", "let 𝒙", json!({ "newName": "y" }));
        let edits = match edit.get("documentChanges") {
            Some(changes) => {
                assert_eq!(changes[0]["textDocument"]["version"], 1);
                changes[0]["edits"].clone()
            }
            None => edit["changes"][URI].clone(),
        };
        let changed = editor.encoding.apply(&editor.text, &edits);
        out += &changed.lines().rev().take(2).collect::<Vec<_>>().join("\n");
        let at = editor.encoding.position(&editor.text, editor.text.find("𝒙").expect("it is there"));
        let taken = json!({ "textDocument": { "uri": URI }, "position": at, "newName": "i" });
        let (code, message) = editor.client.try_ask("textDocument/rename", taken).unwrap_err();
        out + &format!("\n{code}: {message}\n")
    };
    check(
        ask,
        expect![[r#"
        "𝒙" at "𝒙"
                out[i] = half(y) * ä  # 😀
                let y = πs[i].höhe
        -32803: `i` is taken: what line 16 says would then mean something else
    "#]],
    );
}

#[test]
fn completion_and_signatures() {
    let ask = |editor: &mut Editor| {
        let found = editor.at("textDocument/completion", "πs[i].hö", json!({}));
        let mut out = String::new();
        for item in list(&found["items"]) {
            let edit = &item["textEdit"];
            out += &format!("{}: {} for {:?}\n", item["label"], edit["newText"], editor.slice(&edit["range"]));
        }
        let found = editor.at("textDocument/signatureHelp", "= half(", json!({}));
        let signature = &found["signatures"][0];
        let label = signature["label"].as_str().expect("a label");
        let parameter = match &signature["parameters"][0]["label"] {
            Value::String(text) => text.clone(),
            units => {
                let all: Vec<_> = label.encode_utf16().collect();
                let at = |n: usize| units[n].as_u64().expect("a number") as usize;
                String::from_utf16(&all[at(0)..at(1)]).expect("a text")
            }
        };
        out + &format!("{label}, now {parameter}, which is {}\n", found["activeParameter"])
    };
    check(
        ask,
        expect![[r#"
        "x": "x" for "höhe"
        "höhe": "höhe" for "höhe"
        half(wert: T) -> T, now wert: T, which is 0
    "#]],
    );
}

#[test]
fn outline_and_folds() {
    let ask = |editor: &mut Editor| {
        let mut out = String::new();
        let symbols = editor.whole("textDocument/documentSymbol", json!({}));
        let flat = list(&symbols).iter().flat_map(|symbol| {
            let children = symbol.get("children").map(|children| list(children).to_vec()).unwrap_or_default();
            std::iter::once(symbol.clone()).chain(children).collect::<Vec<_>>()
        });
        for symbol in flat {
            out += &format!("{} {}\n", symbol["kind"], symbol["name"]);
        }
        for fold in list(&editor.whole("textDocument/foldingRange", json!({}))) {
            out += &format!("fold {}-{}\n", fold["startLine"], fold["endLine"]);
        }
        let positions = [editor.encoding.position(&editor.text, editor.text.find("𝒙) *").expect("it is there"))];
        let found = editor
            .client
            .ask("textDocument/selectionRange", json!({ "textDocument": { "uri": URI }, "positions": positions }));
        let mut step = &found[0];
        while let Some(range) = step.get("range") {
            out += &format!("select {:?}\n", editor.slice(range).lines().next().unwrap_or_default());
            step = &step["parent"];
        }
        out
    };
    check(
        ask,
        expect![[r###"
        14 "GRÖSSE"
        23 "Punkt"
        8 "x"
        8 "höhe"
        12 "half"
        12 "größer"
        fold 3-5
        fold 8-9
        fold 11-15
        fold 13-15
        select "𝒙"
        select "(𝒙)"
        select "half(𝒙)"
        select "half(𝒙) * ä"
        select "out[i] = half(𝒙) * ä"
        select "let 𝒙 = πs[i].höhe"
        select "for i in range(n):"
        select "let ä = 0.5  # 😀"
        select "kernel größer(πs: Punkt[n], out: f32[n], n: i32):"
        select "## Größe 😀, see [half]."
    "###]],
    );
}

/// The text of a hint's label, with or without parts.
fn label(label: &Value) -> String {
    match label.as_array() {
        Some(parts) => parts.iter().map(|part| part["value"].as_str().expect("a text")).collect(),
        None => label.as_str().expect("a text").to_owned(),
    }
}

#[test]
fn hints_and_lenses() {
    let ask = |editor: &mut Editor| {
        let whole = editor.encoding.range(&editor.text, 0..editor.text.len());
        let mut out = String::new();
        for hint in list(&editor.whole("textDocument/inlayHint", json!({ "range": whole }))) {
            let at = editor.encoding.offset(&editor.text, &hint["position"]);
            let line = editor.text[..at].lines().last().unwrap_or_default();
            let shown = label(&hint["label"]);
            // Hints about accesses and loops have no kind, since editors switch those separately.
            assert_eq!(hint.get("kind").is_some(), shown.starts_with(':') || shown.starts_with(" ->"), "{shown}");
            let written = hint.get("textEdits").map(|edits| edits[0]["newText"].clone()).unwrap_or_default();
            out += &format!("{line}«{shown}» writes {written}\n");
        }
        for lens in list(&editor.whole("textDocument/codeLens", json!({}))) {
            out += &format!("{} above {}\n", lens["command"]["title"], editor.slice(&lens["range"]));
        }
        for link in list(&editor.whole("textDocument/documentLink", json!({}))) {
            out += &format!("{} -> {}\n", editor.slice(&link["range"]), link["target"]);
        }
        out
    };
    check(
        ask,
        expect![[r#"
            const GRÖSSE«: i32» writes ": i32"
            fn half(wert«: varying T» writes null
            fn half(wert)« -> T» writes null
                let ä«: f32» writes ": f32"
                for i in range(n):« 8 lanes» writes null
                    let 𝒙«: varying f32» writes ": varying f32"
                    let 𝒙 = πs[i].höhe« strided by 2» writes null
            "View lowered IR" above größer
            half -> "file:///tmp/a.lane#L9"
        "#]],
    );
}

#[test]
fn semantic_tokens() {
    let ask = |editor: &mut Editor| {
        let legend = editor.client.told["capabilities"]["semanticTokensProvider"]["legend"].clone();
        let found = editor.whole("textDocument/semanticTokens/full", json!({}));
        let (mut line, mut character, mut out) = (0, 0, String::new());
        let numbers: Vec<_> = list(&found["data"]).iter().map(|n| n.as_u64().expect("a number")).collect();
        for token in numbers.chunks(5) {
            character = if token[0] > 0 { token[1] } else { character + token[1] };
            line += token[0];
            let range = json!({
                "start": { "line": line, "character": character },
                "end": { "line": line, "character": character + token[2] },
            });
            let modifiers = list(&legend["tokenModifiers"]).iter().enumerate();
            let modifiers =
                modifiers.filter(|(n, _)| token[4] & 1 << n != 0).map(|(_, name)| name.as_str().unwrap_or(""));
            let kind = legend["tokenTypes"][token[3] as usize].as_str().expect("a kind");
            let words: Vec<_> = std::iter::once(kind).chain(modifiers).collect();
            out += &format!("{} {}\n", editor.slice(&range), words.join(" "));
        }
        out
    };
    check(
        ask,
        expect![[r#"
            ## Größe 😀, see [half]. comment documentation
            const keyword
            GRÖSSE variable definition readonly
            = operator
            4 number
            struct keyword
            Punkt struct definition
            x property definition
            f32 type defaultLibrary
            höhe property definition
            f32 type defaultLibrary
            ## Half of it. comment documentation
            fn keyword
            half function definition
            wert parameter definition varying
            return keyword
            wert parameter varying
            / operator
            2 number
            kernel keyword
            größer function definition
            πs parameter definition
            Punkt struct
            n parameter
            out parameter definition written
            f32 type defaultLibrary
            n parameter
            n parameter definition
            i32 type defaultLibrary
            let keyword
            ä variable definition
            = operator
            0.5 number
            # 😀 comment
            for keyword
            i variable definition readonly varying
            in keyword
            range function defaultLibrary
            n parameter
            let keyword
            𝒙 variable definition varying
            = operator
            πs parameter
            i variable readonly varying
            höhe property
            out parameter written
            i variable readonly varying
            = operator
            half function
            𝒙 variable varying
            * operator
            ä variable uniform
            # 😀 comment
        "#]],
    );
}

#[test]
fn call_hierarchy() {
    let ask = |editor: &mut Editor| {
        let found = editor.at("textDocument/prepareCallHierarchy", "= hal", json!({}));
        let mut out = format!("{}{}\n", found[0]["name"], found[0]["detail"]);
        let calls = editor.client.ask("callHierarchy/incomingCalls", json!({ "item": found[0] }));
        for call in list(&calls) {
            out += &format!("called by {}: {}\n", call["from"]["name"], editor.slice(&call["fromRanges"][0]));
            let item = json!({ "item": call["from"] });
            for call in list(&editor.client.ask("callHierarchy/outgoingCalls", item)) {
                out += &format!("which calls {}: {}\n", call["to"]["name"], editor.slice(&call["fromRanges"][0]));
            }
        }
        out
    };
    check(
        ask,
        expect![[r#"
        "half""(wert)"
        called by "größer": half
        which calls "half": half
    "#]],
    );
}

#[test]
fn an_item_of_the_call_hierarchy_outlives_an_edit_above_it() {
    let mut editor = Editor::new(profiles::nothing(), Encoding::Utf16, PROGRAM);
    let found = editor.at("textDocument/prepareCallHierarchy", "= hal", json!({}));
    editor.client.replace(URI, 2, &format!("# Above.\n\n{PROGRAM}"));
    editor.client.diagnostics(2);
    let calls = editor.client.ask("callHierarchy/incomingCalls", json!({ "item": found[0] }));
    assert_eq!(list(&calls).iter().map(|call| call["from"]["name"].clone()).collect::<Vec<_>>(), ["größer"]);
    editor.end();
}

#[test]
fn formatting() {
    for encoding in Encoding::ALL {
        let text = "kernel  k( ps:f32[n],n:i32 ):\n  ps[ 0 ]=1 # 😀   \n  ps[1]=2   \n";
        let mut editor = Editor::new(profiles::nothing(), encoding, text);
        let options = json!({ "tabSize": 4, "insertSpaces": true });
        let edits = editor.whole("textDocument/formatting", json!({ "options": options }));
        let formatted = "kernel k(ps: f32[n], n: i32):\n    ps[0] = 1  # 😀\n    ps[1] = 2\n";
        assert_eq!(encoding.apply(text, &edits), formatted);
        let line = encoding.range(text, 0..10);
        let params = json!({ "options": options, "range": line });
        let edits = editor.whole("textDocument/rangeFormatting", params);
        assert_eq!(encoding.apply(text, &edits).lines().next(), formatted.lines().next());
        let params = json!({ "options": options, "ranges": [line, line] });
        let edits = editor.whole("textDocument/rangesFormatting", params);
        assert_eq!(encoding.apply(text, &edits).lines().next(), formatted.lines().next());
        let params = json!({ "options": options, "ch": "\n" });
        let edits = editor.at("textDocument/onTypeFormatting", "😀   \n", params);
        assert!(encoding.apply(text, &edits).contains("    ps[0] = 1  # 😀"), "{edits}");
        editor.end();
    }
}

/// Compares the actions at a mark: their titles, and the lines that they change.
fn check_actions(marked: &str, expected: Expect) {
    let (text, at) = cursor(marked);
    let encoding = Encoding::Utf16;
    let mut editor = Editor::new(profiles::helix(), Encoding::Utf16, &text);
    let position = encoding.position(&text, at);
    let context = json!({ "diagnostics": [] });
    let params = json!({
        "textDocument": { "uri": URI }, "range": { "start": position, "end": position }, "context": context,
    });
    let mut out = String::new();
    for action in list(&editor.client.ask("textDocument/codeAction", params)) {
        let kind = action.get("kind").and_then(Value::as_str).unwrap_or("command");
        let preferred = if action.get("isPreferred").is_some() { " (preferred)" } else { "" };
        out += &format!("{kind}{preferred}: {}\n", action["title"].as_str().expect("a title"));
        if let Some(edit) = action.get("edit") {
            let changed = encoding.apply(&text, &edit["documentChanges"][0]["edits"]);
            let lines = changed.lines().filter(|line| !text.lines().any(|before| before == *line));
            out += &lines.map(|line| format!("    {line}\n")).collect::<String>();
        }
    }
    editor.end();
    expected.assert_eq(&out);
}

#[test]
fn actions() {
    check_actions(
        "kernel k(a: f32[n], n: i32):\n    a[0] = $0n\n    a[1] = b\n",
        expect![[r#"
            quickfix (preferred): Convert it to `f32` (1 error remains here)
                    a[0] = f32(n)
            lanescope.view: View lowered IR
            lanescope.view: View stage `parsed`
            lanescope.view: View stage `typed`
            lanescope.view: View stage `arrays`
            lanescope.view: View stage `sequential`
            lanescope.view: View stage `trace`
            lanescope.view: View stage `parallel`
            lanescope.view: View stage `vector`
            lanescope.view: View stage `specialised`
            lanescope.view: View stage `memory`
            lanescope.view: View stage `packed`
        "#]],
    );
    check_actions(
        "kernel k(a: f32[n], n):\n    $0let x = a[n - 1]\n    a[0] = x\n",
        expect![[r#"
            refactor.rewrite: Write inferred types
                kernel k(a: f32[n], n: i32):
                    let x: f32 = a[n - 1]
            lanescope.view: View lowered IR
            lanescope.view: View stage `parsed`
            lanescope.view: View stage `typed`
            lanescope.view: View stage `arrays`
            lanescope.view: View stage `sequential`
            lanescope.view: View stage `trace`
            lanescope.view: View stage `parallel`
            lanescope.view: View stage `vector`
            lanescope.view: View stage `specialised`
            lanescope.view: View stage `memory`
            lanescope.view: View stage `packed`
        "#]],
    );
    check_actions(
        "kernel k(a: f32[n], b: f32[n], n: i32):\n    $0for i in range(n):\n        a[i] = b[i] * 2.0\n",
        expect![[r#"
            refactor.rewrite: Write the loop as whole arrays
                    a[0:n] = b[0:n] * 2.0
            lanescope.view: View lowered IR
            lanescope.view: View stage `parsed`
            lanescope.view: View stage `typed`
            lanescope.view: View stage `arrays`
            lanescope.view: View stage `sequential`
            lanescope.view: View stage `trace`
            lanescope.view: View stage `parallel`
            lanescope.view: View stage `vector`
            lanescope.view: View stage `specialised`
            lanescope.view: View stage `memory`
            lanescope.view: View stage `packed`
        "#]],
    );
    check_actions(
        "kernel k(a: f32[n], n: i32):\n\t$0a[0] = 1\n",
        expect![[r#"
            quickfix (preferred): Indent with spaces
                    a[0] = 1
            lanescope.view: View lowered IR
            lanescope.view: View stage `parsed`
            lanescope.view: View stage `typed`
            lanescope.view: View stage `arrays`
            lanescope.view: View stage `sequential`
            lanescope.view: View stage `trace`
            lanescope.view: View stage `parallel`
            lanescope.view: View stage `vector`
            lanescope.view: View stage `specialised`
            lanescope.view: View stage `memory`
            lanescope.view: View stage `packed`
        "#]],
    );
    check_actions(
        "const N$0 = 1\n",
        expect![[r#"
        refactor.rewrite: Write inferred types
            const N: i32 = 1
    "#]],
    );
}

#[test]
fn actions_of_a_kind() {
    let text = "kernel k(a: f32[n], n):\n    a[0] = n\n";
    let mut editor = Editor::new(profiles::helix(), Encoding::Utf8, text);
    let whole = editor.encoding.range(text, 0..text.len());
    let mut kinds = |only: Value| {
        let context = json!({ "diagnostics": [], "only": only, "triggerKind": 2 });
        let params = json!({ "textDocument": { "uri": URI }, "range": whole, "context": context });
        let found = editor.client.ask("textDocument/codeAction", params);
        list(&found).iter().map(|action| action["kind"].as_str().unwrap_or("none").to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(kinds(Value::Null), ["quickfix"]);
    assert!(kinds(json!(["lanescope"])).iter().all(|kind| kind == "lanescope.view"));
    assert_eq!(kinds(json!(["quickfix"])), ["quickfix"]);
    assert_eq!(kinds(json!(["source.organizeImports"])), [""; 0]);
    assert_eq!(kinds(json!(["refactor"])), [""; 0]);
    editor.end();
}

#[test]
fn a_light_bulb_is_for_what_there_is_to_mend() {
    let text = "kernel k(a: f32[n], n: i32):\n    let two = 2.0\n    for i in range(n):\n        a[i] = two\n";
    let mut editor = Editor::new(profiles::helix(), Encoding::Utf8, text);
    let mut versions = 2..;
    let mut titles = |text: &str, trigger: u32| {
        editor.client.replace(URI, versions.next().expect("there are more"), text);
        let here = json!({ "line": 3, "character": 15 });
        let context = json!({ "diagnostics": [], "triggerKind": trigger });
        let params =
            json!({ "textDocument": { "uri": URI }, "range": { "start": here, "end": here }, "context": context });
        let found = editor.client.ask("textDocument/codeAction", params);
        list(&found).iter().map(|action| action["title"].as_str().unwrap_or_default().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(titles(text, 2), [""; 0]);
    assert!(titles(text, 1).contains(&"Write inferred types".to_owned()));
    assert_eq!(titles(&text.replace("= two", "= too"), 2)[0], "Write `two`");
    editor.end();
}

#[test]
fn findings_are_told_or_asked_for() {
    let text = "kernel k(a: f32[n], n: i32):\n    a[0] = n  # 😀\n    let unused = 1\n";
    let mut editor = Editor::new(profiles::nothing(), Encoding::Utf16, "");
    editor.client.replace(URI, 2, text);
    let told = editor.client.diagnostics(2);
    let show = |found: &Value| {
        let slice = Encoding::Utf16.slice(text, &found["range"]);
        format!("{} {} {slice:?}: {}\n", found["severity"], found["code"], found["message"])
    };
    expect![[r#"
        1 "type-mismatch" "n": "what is assigned to is `f32`, and its new value is `i32`\nno conversion is implicit; a cast such as `f32(x)` says it\nline 1: `a` is `f32[n]`\nline 1: `n` is `i32`"
        2 "unused-name" "unused": "the variable `unused` is never read"
    "#]].assert_eq(&list(&told).iter().map(show).collect::<String>());
    editor.end();

    let mut client = Client::with(profiles::counting(profiles::zed(), Encoding::Utf16));
    client.open(URI, text);
    let document = json!({ "uri": URI });
    let first = client.ask("textDocument/diagnostic", json!({ "textDocument": document }));
    assert_eq!(first["kind"], "full");
    assert_eq!(list(&first["items"]).len(), list(&told).len());
    let previous = json!({ "textDocument": document, "previousResultId": first["resultId"] });
    let same = client.ask("textDocument/diagnostic", previous.clone());
    assert_eq!(same, json!({ "kind": "unchanged", "resultId": first["resultId"] }));
    let known = json!({ "previousResultIds": [{ "uri": URI, "value": first["resultId"] }] });
    let all = client.ask("workspace/diagnostic", known);
    assert_eq!((&all["items"][0]["kind"], &all["items"][0]["uri"]), (&json!("unchanged"), &json!(URI)));
    client.replace(URI, 2, "kernel k(a: f32[n], n: i32):\n    a[0] = 1\n");
    let now = client.ask("textDocument/diagnostic", previous);
    assert_eq!((&now["kind"], &now["items"]), (&json!("full"), &json!([])));
    client.end_amid_news();
}

#[test]
fn notes_are_hints_unless_asked_for() {
    let text = "kernel k(a: f32[n], at: i32[n], n: i32):\n    for i in range(n):\n        a[i] = a[at[i]]\n";
    let mut client = Client::with(profiles::nothing());
    client.open(URI, text);
    let severities = |found: &Value| list(found).iter().map(|it| it["severity"].clone()).collect::<Vec<_>>();
    let hints = severities(&client.diagnostics(1));
    assert!(!hints.is_empty() && hints.iter().all(|severity| *severity == 4), "{hints:?}");
    for (notes, severity) in [("problems", Some(3)), ("off", None), ("hints", Some(4))] {
        client.tell("workspace/didChangeConfiguration", json!({ "settings": { "lanescope": { "notes": notes } } }));
        let found = severities(&client.diagnostics(1));
        assert_eq!(found.len(), severity.map_or(0, |_| hints.len()), "{notes}");
        assert!(found.iter().all(|found| Some(found) == severity.map(|it| json!(it)).as_ref()), "{notes}: {found:?}");
    }
    client.end();
}

#[test]
fn a_hint_does_not_say_what_a_note_says() {
    let text = "kernel k(a: f32[n], b: f32[n], at: i32[n], n: i32):\n    for i in range(n):\n        b[i] = a[at[i]]\n";
    let mut client = Client::with(profiles::nothing());
    client.open(URI, text);
    // Those of the opening, so that what comes behind a setting is an answer to it.
    client.diagnostics(1);
    let range = json!({ "start": { "line": 2, "character": 0 }, "end": { "line": 3, "character": 0 } });
    let params = json!({ "textDocument": { "uri": URI }, "range": range });
    let mut tooltips = |notes: &str| {
        client.tell("workspace/didChangeConfiguration", json!({ "settings": { "lanescope": { "notes": notes } } }));
        let notes = client.diagnostics(1);
        let hints = client.ask("textDocument/inlayHint", params.clone());
        let with_tooltip = list(&hints).iter().filter(|hint| hint.get("tooltip").is_some()).count();
        (list(&notes).len(), list(&hints).len(), with_tooltip)
    };
    let (n_notes, n_hints, n_tooltips) = tooltips("problems");
    assert!(n_notes > 0 && n_tooltips < n_hints, "{n_notes} notes, {n_hints} hints, {n_tooltips} tooltips");
    // Where there are no notes the hint is what gives the reason.
    assert_eq!(tooltips("off"), (0, n_hints, n_hints));
    client.end_amid_news();
}

#[test]
fn a_hover_does_not_say_what_a_note_beside_it_says() {
    let text = "kernel k(a: f32[n], b: f32[n], at: i32[n], n: i32):\n    for i in range(n):\n        b[i] = a[at[i]]\n";
    let at = json!({ "textDocument": { "uri": URI }, "position": { "line": 2, "character": 15 } });
    let reason = |profile: Value, notes: &str| {
        let mut client = Client::with(profile);
        client.tell("workspace/didChangeConfiguration", json!({ "settings": { "lanescope": { "notes": notes } } }));
        client.open(URI, text);
        let hover = client.ask("textDocument/hover", at.clone());
        client.end_amid_news();
        hover["contents"]["value"].as_str().is_some_and(|text| text.contains("a cell of its own"))
    };
    let mut beside = profiles::nothing();
    beside["experimental"] = json!({ "lanescope": { "findingsBesideHover": true } });
    assert!(reason(profiles::nothing(), "hints"));
    assert!(!reason(beside.clone(), "hints"));
    assert!(reason(beside, "off"), "there is no note that could give it");
}

#[test]
fn a_builtin_leads_into_the_prelude() {
    let text = "kernel k(a: f32[n], n: i32):\n    for i in range(n):\n        a[i] = clamp(a[i], 0.0, 1.0)\n";
    let at = json!({ "textDocument": { "uri": URI }, "position": { "line": 2, "character": 16 } });
    let look = |client: &mut Client| {
        client.open(URI, text);
        let found = client.ask("textDocument/definition", at.clone());
        let link = &found[0];
        let uri = link.get("targetUri").unwrap_or(&link["uri"]).as_str().expect("an address").to_owned();
        let range = link.get("targetSelectionRange").unwrap_or(&link["range"]).clone();
        assert_eq!(Encoding::Utf16.slice(queries::prelude::TEXT, &range), "clamp");
        (uri, range)
    };

    // A virtual document, for a client that can request its text.
    let mut client = Client::with(profiles::counting(profiles::vscode(), Encoding::Utf16));
    let (uri, range) = look(&mut client);
    let content = client.ask("workspace/textDocumentContent", json!({ "uri": uri }));
    assert_eq!(content["text"], queries::prelude::TEXT);
    let there = json!({ "textDocument": { "uri": uri }, "position": range["start"] });
    client.tell(
        "textDocument/didOpen",
        json!({ "textDocument": {
        "uri": uri, "languageId": "lane", "version": 1, "text": queries::prelude::TEXT } }),
    );
    let hover = client.ask("textDocument/hover", there.clone())["contents"]["value"].take();
    assert!(hover.as_str().is_some_and(|hover| hover.contains("fn clamp(")), "{hover}");
    let renamed = json!({ "textDocument": { "uri": uri }, "position": range["start"], "newName": "power" });
    assert_eq!(client.try_ask("textDocument/rename", renamed).unwrap_err().0, -32803);
    let found = client.ask("textDocument/diagnostic", json!({ "textDocument": { "uri": uri } }));
    assert_eq!(found["items"], json!([]));
    client.end_amid_news();

    // Otherwise a read-only file.
    let mut client = Client::with(profiles::counting(profiles::nothing(), Encoding::Utf16));
    let (uri, _) = look(&mut client);
    let path = uri.strip_prefix("file://").expect("a file").to_owned();
    assert_eq!(std::fs::read_to_string(&path).expect("the file"), queries::prelude::TEXT);
    assert!(std::fs::metadata(&path).expect("the file").permissions().readonly());
    client.diagnostics(1);
    client.end();
    assert!(!std::path::Path::new(&path).exists(), "it goes with the server");
}

#[test]
fn hovers_and_hints_have_parts_that_jump() {
    let text = "\
kernel k(a: f32[n], b: i32[n], out: f32[n], n: i32):
    foreach i in range(n):
        j = b[i]
        out[i] = a[j]
";
    let document = json!({ "uri": URI });
    let mut client = Client::with(profiles::counting(profiles::neovim(), Encoding::Utf16));
    client.open(URI, text);
    let at = |line: u32, character: u32| json!({ "line": line, "character": character });
    let hover = client.ask("textDocument/hover", json!({ "textDocument": document, "position": at(3, 19) }));
    let hover = hover["contents"]["value"].as_str().expect("a text");
    assert!(hover.contains(&format!("`b[i]` in [line 3](<{URI}#L3>): ")), "{hover}");
    let range = json!({ "start": at(0, 0), "end": at(4, 0) });
    let hints = client.ask("textDocument/inlayHint", json!({ "textDocument": document, "range": range }));
    let mut shown = String::new();
    for hint in hints.as_array().expect("a list") {
        match hint["label"].as_array() {
            Some(parts) => parts.iter().for_each(|part| {
                let to = part.get("location").map(|to| Encoding::Utf16.slice(text, &to["range"]));
                shown += &format!("{}{} ", part["value"], to.map(|to| format!(" -> {to}")).unwrap_or_default());
            }),
            None => shown += &format!("{} ", hint["label"]),
        }
        shown += "\n";
    }
    expect![[r#"
        " 8 lanes" 
        ": " "varying" -> b[i] " i32" 
        " " "gather" -> j 
    "#]]
    .assert_eq(&shown);
    client.end_amid_news();

    // Without Markdown the text has neither links nor marks.
    let mut client = Client::with(profiles::counting(profiles::nothing(), Encoding::Utf16));
    client.open(URI, text);
    let hover = client.ask("textDocument/hover", json!({ "textDocument": document, "position": at(3, 19) }));
    let hover = hover["contents"]["value"].as_str().expect("a text");
    assert!(hover.contains("- b[i] in line 3: "), "{hover}");
    client.end_amid_news();
}
