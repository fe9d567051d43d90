//! The fixes of the reasons catalogue, as an editor is offered and applies them: each finding of each page's smallest program.

use serde_json::{Value, json};

use crate::client::text::Encoding;
use crate::client::{Client, profiles};

/// Limit on the length of a program in bytes; longer ones only repeat themselves.
const LONGEST: usize = 2_000;

const VERSION: i64 = 2;

/// The smallest program of each code that is written in Lane, by its code.
fn programs() -> Vec<(String, String)> {
    let pages = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/reasons.md")).expect("the pages");
    let program = |page: &str| {
        let (code, rest) = page.split_once('\n')?;
        let (_, program) = rest.split_once("\nHas it:\n\n```lane\n")?;
        let (program, _) = program.split_once("```")?;
        Some((code.to_owned(), program.replace("<tab>", "\t")))
    };
    pages.split("\n## ").skip(1).filter_map(program).filter(|(_, text)| text.len() < LONGEST).collect()
}

/// An editor that pulls diagnostics, and applies edits bound to a version.
struct Editor {
    client: Client,
    n_documents: usize,
}

/// An open document.
struct Opened {
    uri: String,
    text: String,
    findings: Vec<Value>,
    is_formatted: bool,
}

impl Editor {
    fn open(&mut self, text: &str) -> Opened {
        self.n_documents += 1;
        let uri = format!("file:///tmp/page{}.lane", self.n_documents);
        // A broken text before it must not affect the result.
        self.client.open(&uri, "kernel k(");
        self.client.replace(&uri, VERSION, text);
        let document = json!({ "uri": uri });
        let found = self.client.ask("textDocument/diagnostic", json!({ "textDocument": document }));
        let options = json!({ "tabSize": 4, "insertSpaces": true });
        let params = json!({ "textDocument": document, "options": options });
        let edits = self.client.ask("textDocument/formatting", params);
        let is_formatted = edits.as_array().expect("edits").is_empty();
        let findings = found["items"].as_array().expect("findings").clone();
        Opened { uri, text: text.to_owned(), findings, is_formatted }
    }

    fn actions(&mut self, opened: &Opened, range: &Value, findings: &[&Value], only: &str) -> Vec<Value> {
        let context = json!({ "diagnostics": findings, "only": [only] });
        let params = json!({ "textDocument": { "uri": opened.uri }, "range": range, "context": context });
        self.client.ask("textDocument/codeAction", params).as_array().expect("actions").clone()
    }
}

/// Identity of a finding, independent of its position.
fn key(finding: &Value) -> (&Value, &Value) {
    (&finding["code"], &finding["message"])
}

fn count(opened: &Opened, like: &Value) -> usize {
    opened.findings.iter().filter(|found| key(found) == key(like)).count()
}

fn is_error(finding: &&Value) -> bool {
    finding["severity"] == 1
}

/// The number of errors that a title announces.
fn promised_errors(title: &str) -> usize {
    let Some((before, _)) = title.split_once(" remain") else { return 0 };
    let words: Vec<&str> = before.split([' ', '(']).collect();
    words[words.len() - 2].parse().expect("a number")
}

/// The edits of an action, which must be bound to the requested version and must not overlap.
fn edits<'a>(action: &'a Value, opened: &Opened) -> &'a Value {
    let [changes] = &action["edit"]["documentChanges"].as_array().expect("changes")[..] else { panic!("{action}") };
    assert_eq!(changes["textDocument"], json!({ "uri": opened.uri, "version": VERSION }), "{action}");
    let place = |position: &Value| Encoding::Utf16.offset(&opened.text, position);
    let ranges = changes["edits"].as_array().expect("edits").iter().map(|edit| &edit["range"]);
    let mut ranges: Vec<_> = ranges.map(|range| (place(&range["start"]), place(&range["end"]))).collect();
    ranges.sort_unstable();
    assert!(ranges.windows(2).all(|pair| pair[0].1 <= pair[1].0), "{action}");
    &changes["edits"]
}

/// Checks that an action removes its finding, and adds exactly the errors that its title announces.
fn check_fix(editor: &mut Editor, opened: &Opened, finding: &Value, action: &Value) {
    let title = action["title"].as_str().expect("a title");
    let text = Encoding::Utf16.apply(&opened.text, edits(action, opened));
    let after = editor.open(&text);
    let shown = || format!("{title}\n{}\nbecomes\n{text}\n{:#?}", opened.text, after.findings);
    assert!(count(&after, finding) < count(opened, finding), "{}", shown());
    assert!(after.is_formatted || !opened.is_formatted, "{}", shown());
    let n_errors = |opened: &Opened| opened.findings.iter().filter(is_error).count();
    if finding["severity"] == 1 {
        assert_eq!(n_errors(&after), promised_errors(title), "{}", shown());
        return;
    }
    // The way out of a note may lead out of an error, too: the loop has the lanes then that `@simd` promises.
    assert!(n_errors(&after) <= n_errors(opened), "{}", shown());
    for new in after.findings.iter().filter(|found| count(opened, found) == 0) {
        let code = format!("`{}`", new["code"].as_str().expect("a code"));
        assert!(title.contains(&code), "{code}: {}", shown());
    }
}

#[test]
fn each_fix_of_each_page_does_what_it_says() {
    let client = Client::with(profiles::counting(profiles::zed(), Encoding::Utf16));
    let mut editor = Editor { client, n_documents: 0 };
    let mut n_fixes = 0;
    for (code, program) in programs() {
        let opened = editor.open(&program);
        for finding in &opened.findings {
            let mut actions = editor.actions(&opened, &finding["range"], &[finding], "quickfix");
            assert!(actions.iter().all(|action| action["kind"] == "quickfix"), "{code}: {actions:#?}");
            // An action is about exactly one finding, which must be one that the editor was sent, so that it can show the action
            // beside it.
            let about = |action: &Value| opened.findings.iter().find(|found| action["diagnostics"] == json!([found]));
            assert!(actions.iter().all(|action| about(action).is_some()), "{code}: {actions:#?}");
            actions.retain(|action| about(action).is_some_and(|found| found == finding));
            let preferred: Vec<_> = actions.iter().map(|action| action["isPreferred"] == true).collect();
            assert!(!preferred.iter().skip(1).any(|&preferred| preferred), "{code}: {actions:#?}");
            for action in &actions {
                check_fix(&mut editor, &opened, finding, action);
            }
            n_fixes += actions.len();
            let refactorings = editor.actions(&opened, &finding["range"], &[finding], "refactor");
            assert!(refactorings.iter().all(|action| action["kind"] != "quickfix"), "{code}: {refactorings:#?}");
        }
        elsewhere(&mut editor, &opened);
    }
    assert!(n_fixes > 50, "{n_fixes}");
    editor.client.end_amid_news();
}

/// Checks that no fix is offered where there is no finding, whatever the client claims to have found.
fn elsewhere(editor: &mut Editor, opened: &Opened) {
    let place = |position: &Value| Encoding::Utf16.offset(&opened.text, position);
    let starts = opened.text.match_indices('\n').map(|(at, _)| at + 1).filter(|&at| at < opened.text.len());
    let touches = |at: usize, range: &Value| (place(&range["start"])..=place(&range["end"])).contains(&at);
    let free = starts.into_iter().find(|&at| !opened.findings.iter().any(|found| touches(at, &found["range"])));
    let Some(free) = free else { return };
    let range = Encoding::Utf16.range(&opened.text, free..free);
    let all: Vec<_> = opened.findings.iter().collect();
    assert_eq!(editor.actions(opened, &range, &all, "quickfix"), [Value::Null; 0], "{}", opened.text);
}

/// A cursor that stands on characters, as in Vim's normal mode, gets no farther than to the last one of a line.
#[test]
fn a_fix_at_the_end_of_a_line_is_offered_on_its_last_character() {
    let mut editor =
        Editor { client: Client::with(profiles::counting(profiles::zed(), Encoding::Utf16)), n_documents: 0 };
    let opened = editor.open("kernel k(a: f32[n], n: i32)\n    a[0] = 1.0\n");
    let titles = |editor: &mut Editor, column: u32| -> Vec<Value> {
        let at = json!({ "line": 0, "character": column });
        let actions = editor.actions(&opened, &json!({ "start": at, "end": at }), &[], "quickfix");
        actions.iter().map(|action| action["title"].clone()).collect()
    };
    assert_eq!(titles(&mut editor, 27), ["Write `:`"]);
    assert_eq!(titles(&mut editor, 26), ["Write `:`"]);
    assert_eq!(titles(&mut editor, 25), [Value::Null; 0]);
    editor.client.end_amid_news();
}

const SUM: &str = "\
kernel sum(a: f32[n], n: i32) -> f32:
    s = 0.0
    for i in range(n):
        s += a[i]
    return s
";

#[test]
fn an_attribute_that_gains_is_an_action_that_says_what_it_does_to_results() {
    let mut editor =
        Editor { client: Client::with(profiles::counting(profiles::zed(), Encoding::Utf16)), n_documents: 0 };
    let opened = editor.open(SUM);
    let at = |line: u32| json!({ "start": { "line": line, "character": 5 }, "end": { "line": line, "character": 5 } });
    let actions = editor.actions(&opened, &at(2), &[], "refactor.rewrite");
    let gains = |action: &&Value| action["title"].as_str().is_some_and(|title| title.contains("cycles an element"));
    let titles: Vec<_> = actions.iter().filter(gains).map(|it| it["title"].as_str().expect("a title")).collect();
    assert_eq!(titles.len(), 2, "{actions:#?}");
    assert!(titles[0].starts_with("Write `@reassoc`: about ") && titles[0].contains("last bits"), "{titles:?}");
    assert!(titles[1].starts_with("Write `@fast`: about ") && titles[1].contains("bits may differ"), "{titles:?}");
    let fast = actions.iter().filter(gains).nth(1).expect("an action");
    let text = Encoding::Utf16.apply(SUM, edits(fast, &opened));
    assert_eq!(text, format!("@fast\n{SUM}"));
    // With it above the kernel there is nothing left to gain.
    let opened = editor.open(&text);
    let actions = editor.actions(&opened, &at(3), &[], "refactor.rewrite");
    assert_eq!(actions.iter().filter(gains).count(), 0, "{actions:#?}");
}
