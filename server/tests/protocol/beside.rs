//! A diagnostic, the hover at its place and the tooltip of its hint, which an editor shows together: no sentence stands there twice.

use serde_json::{Value, json};

use crate::URI;
use crate::client::Client;
use crate::client::text::without_links;
use crate::soak::examples;

/// The parts of a message that say something by themselves.
fn sentences(message: &str) -> impl Iterator<Item = &str> {
    message
        .split(": ")
        .flat_map(|part| part.split("; "))
        .flat_map(|part| part.split(". "))
        .filter(|part| part.len() > 12)
}

/// The programs of the reasons catalogue, of which each has the finding that its page is about.
fn programs_of_the_catalogue() -> Vec<String> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/reasons.md");
    let pages = std::fs::read_to_string(path).expect("the catalogue");
    let programs = pages.split("```lane\n").skip(1);
    programs.filter_map(|rest| Some(rest.split_once("```")?.0.to_owned())).collect()
}

#[test]
fn no_sentence_of_a_note_stands_in_its_hover_or_in_a_tooltip() {
    let (mut n_notes, mut n_hovers, mut twice) = (0, 0, String::new());
    for text in examples().into_iter().chain(programs_of_the_catalogue()) {
        // The places that a note names are no part of its message then; a chain of causes stays in the hover.
        let profile = json!({ "textDocument": {
            "hover": { "contentFormat": ["markdown"] },
            "publishDiagnostics": { "relatedInformation": true },
            "diagnostic": { "relatedInformation": true },
        }, "experimental": { "lanescope": { "findingsBesideHover": true } } });
        let mut client = Client::with(profile);
        client.open(URI, &text);
        let document = json!({ "uri": URI });
        let found = client.ask("textDocument/diagnostic", json!({ "textDocument": document }))["items"].clone();
        let end = json!({ "line": text.lines().count(), "character": 0 });
        let all = json!({ "start": { "line": 0, "character": 0 }, "end": end });
        let hints = client.ask("textDocument/inlayHint", json!({ "textDocument": document, "range": all }));
        for note in found.as_array().into_iter().flatten().filter(|found| found["severity"] == 4) {
            n_notes += 1;
            let message = note["message"].as_str().unwrap_or_default();
            let at = json!({ "textDocument": document, "position": note["range"]["start"] });
            let hover = client.ask("textDocument/hover", at)["contents"]["value"].clone();
            n_hovers += usize::from(hover.is_string());
            // The hint of an access stands right behind it, and that of a loop behind its header.
            let end = &note["range"]["end"];
            let is_own = |hint: &&Value| {
                hint["position"]["line"] == end["line"]
                    && hint["position"]["character"].as_u64() >= end["character"].as_u64()
            };
            let own = hints.as_array().into_iter().flatten().filter(is_own);
            let tooltips = own.map(|hint| hint["tooltip"]["value"].clone());
            let shown: Vec<Value> = std::iter::once(hover).chain(tooltips).collect();
            for shown in shown.iter().filter_map(Value::as_str).map(without_links) {
                for told in sentences(message).filter(|told| shown.contains(told)) {
                    twice += &format!("{told}\n  is said by a note and here:\n{shown}\n\n");
                }
            }
        }
        client.end_amid_news();
    }
    assert!(twice.is_empty(), "{twice}");
    assert!(n_notes > 20 && n_hovers > 20, "{n_notes} notes, {n_hovers} hovers");
}
