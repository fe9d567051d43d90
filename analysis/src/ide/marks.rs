//! Text with marks, for tests: `$0` is the cursor, `«…»` a range.

use std::sync::Arc;

use syntax::{TextRange, TextSize};

use crate::db::{Database, File};

/// A text without its marks, in a database of its own.
pub(crate) struct Marked {
    pub(crate) db: Database,
    pub(crate) file: File,
    pub(crate) text: String,
    cursor: Option<TextSize>,
    /// The marked ranges, by where they end.
    pub(crate) ranges: Vec<TextRange>,
}

impl Marked {
    pub(crate) fn new(marked: &str) -> Marked {
        let (mut text, mut cursor, mut open, mut ranges) = (String::new(), None, Vec::new(), Vec::new());
        let mut rest = marked;
        while let Some(c) = rest.chars().next() {
            let here = TextSize::of(&text);
            let len = if rest.starts_with("$0") {
                assert!(cursor.replace(here).is_none(), "two cursors");
                2
            } else {
                match c {
                    '«' => open.push(here),
                    '»' => ranges.push(TextRange::new(open.pop().expect("an open range"), here)),
                    c => text.push(c),
                }
                c.len_utf8()
            };
            rest = &rest[len..];
        }
        assert!(open.is_empty(), "a range is never closed");
        let db = Database::default();
        let file = File::new(&db, Arc::from(&*text));
        Marked { db, file, text, cursor, ranges }
    }

    /// Where the cursor is.
    pub(crate) fn cursor(&self) -> TextSize {
        self.cursor.expect("a cursor in the text")
    }

    /// The one marked range, if there is one; else the whole text.
    pub(crate) fn range(&self) -> TextRange {
        self.ranges.first().copied().unwrap_or(TextRange::up_to(TextSize::of(&self.text)))
    }
}
