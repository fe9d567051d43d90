//! Texts with marks, for tests: `$0` is the cursor, and `«…»` are ranges.

use std::sync::Arc;

use report::{TextRange, TextSize};

use queries::db::{Database, File};

/// A file in a database of its own, made from a text with marks.
pub(crate) struct Fixture {
    pub(crate) db: Database,
    pub(crate) file: File,
    /// The text without its marks.
    pub(crate) text: String,
    /// The offset of the `$0`.
    pub(crate) cursor: Option<TextSize>,
    /// The ranges between `«` and `»`, ordered by their starts.
    pub(crate) ranges: Vec<TextRange>,
}

impl Fixture {
    /// Takes the marks out of a text.
    pub(crate) fn new(marked: &str) -> Fixture {
        let mut text = String::new();
        let (mut cursor, mut open, mut ranges) = (None, Vec::new(), Vec::new());
        let mut rest = marked;
        while let Some(c) = rest.chars().next() {
            let here = TextSize::of(&*text);
            let mark = match c {
                '$' if rest.starts_with("$0") => {
                    assert!(cursor.replace(here).is_none(), "a fixture has one cursor");
                    "$0"
                }
                '«' => {
                    open.push(here);
                    "«"
                }
                '»' => {
                    ranges.push(TextRange::new(open.pop().expect("a range was opened"), here));
                    "»"
                }
                _ => {
                    text.push(c);
                    rest = &rest[c.len_utf8()..];
                    continue;
                }
            };
            rest = &rest[mark.len()..];
        }
        assert!(open.is_empty(), "a range was not closed");
        ranges.sort_by_key(|range| (range.start(), range.end()));
        let db = Database::default();
        let file = File::new(&db, Arc::from(&*text));
        Fixture { db, file, text, cursor, ranges }
    }

    /// Returns the offset of the `$0`, and panics if the fixture has none.
    pub(crate) fn offset(&self) -> TextSize {
        self.cursor.expect("the fixture has a cursor")
    }

    /// The marked range, if there is one; else the whole text.
    pub(crate) fn range(&self) -> TextRange {
        self.ranges.first().copied().unwrap_or(TextRange::up_to(TextSize::of(&*self.text)))
    }

    /// The text with ranges marked and, where a range has a word, `word:` before what it holds.
    pub(crate) fn marked<'w>(&self, ranges: impl IntoIterator<Item = (TextRange, &'w str)>) -> String {
        let mut marks = Vec::new();
        for (range, word) in ranges {
            let opening = if word.is_empty() { "«".to_owned() } else { format!("«{word}:") };
            marks.push((range.start(), 1, opening));
            marks.push((range.end(), 0, "»".to_owned()));
        }
        // At one place, what ends there is closed before what starts there is opened.
        marks.sort_by_key(|&(at, order, _)| (at, order));
        let (mut out, mut end) = (String::new(), TextSize::new(0));
        for (at, _, mark) in marks {
            out.push_str(&self.text[TextRange::new(end, at)]);
            out.push_str(&mark);
            end = at;
        }
        out + &self.text[usize::from(end)..]
    }
}

#[test]
fn marks_come_out_and_go_back_in() {
    let marked = "kernel «k»($0a, «b»):\n    pass\n";
    let fixture = Fixture::new(marked);
    assert_eq!(fixture.text, "kernel k(a, b):\n    pass\n");
    assert_eq!(u32::from(fixture.offset()), 9);
    assert_eq!(fixture.marked(fixture.ranges.iter().map(|&range| (range, ""))), marked.replace("$0", ""));
    assert_eq!(Fixture::new("x").cursor, None);
}
