//! Every question about a place, asked everywhere: of whole programs, and of texts that random edits have broken.
//!
//! The answers are only looked at for what must always hold: no panic, ranges that are in the text and cut no
//! character, tokens in order and apart, selections that grow, edits in order and apart, formatting
//! that changes white space alone and is done at once.

use crate::common;

use std::sync::Arc;

use ide::completion::completion;
use ide::explain::explain;
use ide::folding::folding;
use ide::formatting;
use ide::hints::{HintOptions, type_hints, write_types_edits};
use ide::links::links;
use ide::selection::selection;
use ide::semantic_tokens::semantic_tokens;
use ide::symbols::{DocumentSymbol, document_symbols, workspace_symbols};
use queries::db::{Database, File};
use report::TextEdit;
use syntax::{TextRange, TextSize, apply_edits};

#[test]
fn whole_programs() {
    for text in programs() {
        ask(&text, 1);
    }
}

#[test]
fn broken_programs() {
    let texts = programs();
    let mut random = fastrand::Rng::with_seed(42);
    for _ in 0..400 {
        let text = &texts[random.usize(..texts.len())];
        // The start of a long program is as good as the whole, and quicker.
        let text = excerpt(text, &mut random);
        ask(&broken(text, &mut random), 7);
    }
}

fn programs() -> Vec<String> {
    let folders = ["examples", "analysis/ide/tests/suites"];
    let mut texts: Vec<_> =
        folders.into_iter().flat_map(|folder| common::files(folder, "lane")).map(|(_, text)| text).collect();
    assert!(texts.len() >= 3);
    texts.push("\u{feff}struct Pé:\r\n    x: f32\r\n@lanes(8)\r\nkernel k(p: Pé[n], n: i32):\r\n    foreach i in range(n):\r\n        p[i].x = p[i].x * 2.0  # 😀\r\n".to_owned());
    texts.push(WHILES.to_owned());
    // A struct with half a field.
    texts.push("struct P:\n    x: f32\n   f32\n\nkernel k(p: P[n], n: i32):\n    let q = p[0]\n    for i in range(n):\n        p[i] = q\n".to_owned());
    texts.push("const N = 1 +\nfn f(:\n    return \\x -> x if\n  else:\n\tf(((\n)\n@\n##".to_owned());
    texts
}

/// Loops that count by themselves, read what they count with anywhere, and are left early.
const WHILES: &str = "\
kernel first(a: f32[n], n: i32) -> i32:
    let i = 0
    while i < n and a[i] != 0:
        i += 1
    while i > 2 and n > 4:
        i -= 1
    while i < n:
        if a[i] > 1:
            break
        i += 1
    let j = n
    cwhile j > 0:
        j -= 1
        if a[j] > 1: break
    for k in range(n):
        if a[k] == 3:
            break
        i += 1
    return i + j
";

/// A few hundred bytes of whole lines.
fn excerpt<'t>(text: &'t str, random: &mut fastrand::Rng) -> &'t str {
    let starts: Vec<_> =
        text.split_inclusive('\n').map(|line| line.as_ptr() as usize - text.as_ptr() as usize).collect();
    let first = starts[random.usize(..starts.len())];
    let end = starts.iter().copied().find(|&start| start > first + 300).unwrap_or(text.len());
    &text[first..end]
}

/// The text with a few places deleted, or filled with something else.
fn broken(text: &str, random: &mut fastrand::Rng) -> String {
    const PIECES: &[&str] = &[
        "(",
        ")",
        "[",
        "]",
        "{",
        ":",
        ",",
        ".",
        " ",
        "\n",
        "\n    ",
        "\r\n",
        "\t",
        "#",
        "##",
        "@",
        "\\",
        "->",
        "=",
        "+=",
        "**",
        "kernel ",
        "fn ",
        "let ",
        "for ",
        "in ",
        "if ",
        "else",
        "x",
        "é",
        "😀",
        "1",
        "0x",
        "1e",
        "\"",
        "f32",
        "struct S:\n    ",
    ];
    let mut text = text.to_owned();
    for _ in 0..random.usize(1..6) {
        let mut places: Vec<_> = text.char_indices().map(|(at, _)| at).collect();
        places.push(text.len());
        let n = random.usize(..places.len());
        let m = (n + random.usize(..6)).min(places.len() - 1);
        let piece = if random.bool() { PIECES[random.usize(..PIECES.len())] } else { "" };
        text.replace_range(places[n]..places[m], piece);
    }
    text
}

/// Asks everything of a text: what is about a place at every `step`th one.
fn ask(text: &str, step: usize) {
    let db = Database::default();
    let file = File::new(&db, Arc::from(text));
    let checked = Text(text);
    checked.file(&db, file);
    for offset in (0..=text.len()).step_by(step).filter(|&offset| text.is_char_boundary(offset)) {
        checked.place(&db, file, TextSize::new(offset as u32));
    }
}

struct Text<'t>(&'t str);

impl Text<'_> {
    fn range(&self, range: TextRange) {
        assert!(self.0.get(std::ops::Range::<usize>::from(range)).is_some(), "{range:?} of {:?}", self.0);
    }

    fn slice(&self, range: TextRange) -> &str {
        self.range(range);
        &self.0[std::ops::Range::<usize>::from(range)]
    }

    fn apart(&self, ranges: impl IntoIterator<Item = TextRange>) {
        let mut end = TextSize::new(0);
        for range in ranges {
            self.range(range);
            assert!(range.start() >= end, "{range:?} overlaps what ends at {end:?} in {:?}", self.0);
            end = range.end();
        }
    }

    fn file(&self, db: &Database, file: File) {
        let whole = TextRange::up_to(TextSize::of(self.0));
        let tokens = semantic_tokens(db, file, None);
        self.apart(tokens.iter().map(|token| token.range));
        assert!(tokens.iter().all(|token| !token.range.is_empty()));
        self.loops(db, file);
        self.apart(links(db, file).iter().map(|link| link.range));
        let edits = formatting::document(self.0);
        self.spaces(&edits);
        let formatted = apply_edits(self.0, &edits);
        assert_eq!(formatting::document(&formatted), [], "{:?}", self.0);
        folding(db, file).iter().for_each(|fold| self.range(fold.range));
        document_symbols(db, file).iter().for_each(|symbol| self.symbol(symbol));
        let n_symbols = document_symbols(db, file).len();
        assert_eq!(workspace_symbols(db, [file], "").len(), n_symbols, "{}", self.0);
        for hint in type_hints(db, file, whole, &HintOptions::ALL) {
            self.range(TextRange::empty(hint.offset));
            hint.edit.iter().for_each(|edit| self.range(edit.range));
        }
    }

    /// A loop is shown by its header, never by what its body says first; one over whole arrays by what is done with these.
    fn loops(&self, db: &Database, file: File) {
        for found in explain(db, file).iter().flat_map(|item| &item.loops) {
            let header = self.slice(found.range);
            let word = header.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
            let before = self.0[..usize::from(found.range.start())].rsplit(['\n', '\r']).next().unwrap_or_default();
            // A word that is misspelled is one all the same.
            let starts_line = before.trim().is_empty() && header.contains(" in ");
            let is_statement = matches!(word, "for" | "foreach" | "while" | "cfor" | "cwhile") || starts_line;
            let is_of_arrays = !header.contains([':', '\n']) || header.ends_with([')', ']']) || header.contains('=');
            assert!(is_statement || is_of_arrays, "{header:?} in {:?}", self.0);
        }
    }

    /// Edits that change white space and nothing else, and bring a text to where they change nothing more.
    fn spaces(&self, edits: &[TextEdit]) {
        self.apart(edits.iter().map(|edit| edit.range));
        for edit in edits {
            let blank = |text: &str| text.chars().all(|c| c.is_whitespace() || c == '\u{feff}');
            assert!(blank(self.slice(edit.range)) && blank(&edit.text), "{edit:?} in {:?}", self.0);
        }
    }

    fn symbol(&self, symbol: &DocumentSymbol) {
        self.range(symbol.range);
        assert!(symbol.range.contains_range(symbol.focus), "{symbol:?} in {:?}", self.0);
        symbol.children.iter().for_each(|child| self.symbol(child));
    }

    fn place(&self, db: &Database, file: File, offset: TextSize) {
        for item in completion(db, file, offset) {
            self.range(item.replace);
            assert!(item.replace.contains_inclusive(offset) && !item.label.is_empty());
        }
        let steps = selection(db, file, offset);
        steps.iter().for_each(|&step| self.range(step));
        assert!(steps.windows(2).all(|pair| pair[1].contains_range(pair[0]) && pair[1] != pair[0]));
        assert_eq!(steps.last().map(|step| step.len()), Some(TextSize::of(self.0)));
        self.apart(write_types_edits(db, file, offset).iter().map(|edit| edit.range));
        // Formatting looks at a whole item, so some places have to do.
        if usize::from(offset) % 5 == 0 {
            for edits in [
                formatting::range(self.0, TextRange::empty(offset)),
                formatting::after_line_break(self.0, offset),
                formatting::after_colon(self.0, offset),
            ] {
                self.spaces(&edits);
            }
        }
        let here = TextRange::new(offset, TextSize::of(self.0).min(offset + TextSize::new(1)));
        let tokens = semantic_tokens(db, file, Some(here));
        assert!(tokens.iter().all(|token| token.range.intersect(here).is_some()));
    }
}
