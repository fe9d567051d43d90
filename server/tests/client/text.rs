//! Texts with a marked place, and conversion of offsets to the positions of a client.

use serde_json::{Value, json};

/// Unit in which positions count columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Encoding {
    Utf8,
    Utf16,
    Utf32,
}

impl Encoding {
    pub(crate) const ALL: [Encoding; 3] = [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32];

    /// The protocol's name of the encoding.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Encoding::Utf8 => "utf-8",
            Encoding::Utf16 => "utf-16",
            Encoding::Utf32 => "utf-32",
        }
    }

    fn width(self, c: char) -> u64 {
        match self {
            Encoding::Utf8 => c.len_utf8() as u64,
            Encoding::Utf16 => c.len_utf16() as u64,
            Encoding::Utf32 => 1,
        }
    }

    /// Converts an offset to a position. Lines end with `\n`, `\r\n` or `\r`.
    pub(crate) fn position(self, text: &str, offset: usize) -> Value {
        let (mut line, mut character) = (0, 0);
        let mut chars = text[..offset].chars().peekable();
        while let Some(c) = chars.next() {
            let next = chars.peek().copied().or_else(|| text[offset..].chars().next());
            if c == '\n' || (c == '\r' && next != Some('\n')) {
                (line, character) = (line + 1, 0);
            } else {
                character += self.width(c);
            }
        }
        json!({ "line": line, "character": character })
    }

    /// Converts a range of offsets.
    pub(crate) fn range(self, text: &str, range: std::ops::Range<usize>) -> Value {
        json!({ "start": self.position(text, range.start), "end": self.position(text, range.end) })
    }

    /// Converts a position inside the text to an offset.
    pub(crate) fn offset(self, text: &str, position: &Value) -> usize {
        let places = text.char_indices().map(|(at, _)| at).chain([text.len()]);
        let found = places.into_iter().find(|&at| self.position(text, at) == *position);
        found.unwrap_or_else(|| panic!("no place of the text is at {position}"))
    }

    /// The text in a range.
    pub(crate) fn slice<'t>(self, text: &'t str, range: &Value) -> &'t str {
        &text[self.offset(text, &range["start"])..self.offset(text, &range["end"])]
    }

    /// Applies edits to a text.
    pub(crate) fn apply(self, text: &str, edits: &Value) -> String {
        let mut edits: Vec<_> = edits.as_array().expect("edits").iter().collect();
        edits.sort_by_key(|edit| std::cmp::Reverse(self.offset(text, &edit["range"]["start"])));
        let mut out = text.to_owned();
        for edit in edits {
            let range = &edit["range"];
            let range = self.offset(text, &range["start"])..self.offset(text, &range["end"]);
            out.replace_range(range, edit["newText"].as_str().expect("a text"));
        }
        out
    }
}

/// Removes `$0` from a text, and returns the offset where it was.
pub(crate) fn cursor(marked: &str) -> (String, usize) {
    let at = marked.find("$0").expect("a mark");
    (marked.replacen("$0", "", 1), at)
}

/// Removes links from a hover, as an editor without links shows it.
pub(crate) fn without_links(text: &str) -> String {
    let mut out = String::new();
    for (n, piece) in text.split("](<").enumerate() {
        let piece = if n == 0 { piece } else { piece.split_once(">)").map_or(piece, |(_, behind)| behind) };
        // The link's label starts at the last opening bracket.
        match (piece.rsplit_once('['), n + 1 < text.split("](<").count()) {
            (Some((before, linked)), true) => out.extend([before, linked]),
            _ => out.push_str(piece),
        }
    }
    out
}
