//! JSON about an item, for whichever line the item starts in.
//!
//! An edit moves all items below it, and what is said of them changes in nothing but its lines. So it is serialised once, with a gap
//! for each line, and the gaps are filled when it is sent. The gaps are found while serialising: a number in a field `line`, and in
//! texts a number from [`line_in_text`].

use std::fmt::Write as _;
use std::io;

use serde::Serialize;
use serde_json::ser::{CharEscape, CompactFormatter, Formatter, Serializer};
use serde_json::value::RawValue;

/// The byte around a line, which no JSON has.
const MARK: u8 = 0;

/// The elements of a list as JSON, without the brackets, with gaps for the lines.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct PlacedJson {
    text: Box<str>,
    gaps: Box<[Gap]>,
}

/// A place for a number: an offset in the text, and the distance from the first line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Gap {
    at: u32,
    distance: i64,
}

/// A line in a text to serialise, counted as the text counts.
pub(crate) fn line_in_text(line: u32) -> String {
    format!("\0{line}\0")
}

/// A text that has no mark, so that nothing in it is taken for a line.
pub(crate) fn unmarked(text: &str) -> String {
    text.replace('\0', "\u{2400}")
}

impl PlacedJson {
    /// Serialises the elements of a list; their lines count from those of a file in which the item starts in `first_line`.
    pub(crate) fn of_list(values: &[impl Serialize], first_line: u32) -> PlacedJson {
        let mut marked = Vec::new();
        let mut serializer = Serializer::with_formatter(&mut marked, Marking::default());
        let marked = values.serialize(&mut serializer).ok().and_then(|()| String::from_utf8(marked).ok());
        let marked = marked.unwrap_or_else(|| "[]".to_owned());
        let (mut text, mut gaps) = (String::with_capacity(marked.len()), Vec::new());
        for (n, piece) in marked[1..marked.len() - 1].split(char::from(MARK)).enumerate() {
            match piece.parse::<i64>() {
                Ok(line) if n % 2 == 1 => {
                    gaps.push(Gap { at: text.len() as u32, distance: line - i64::from(first_line) });
                }
                _ => text.push_str(piece),
            }
        }
        PlacedJson { text: text.into(), gaps: gaps.into() }
    }
}

/// A list that is put together from the elements of many items.
pub(crate) struct JsonList {
    text: String,
}

impl JsonList {
    /// An empty list.
    pub(crate) fn new() -> JsonList {
        JsonList { text: "[".to_owned() }
    }

    /// Adds the elements of an item that starts in a line, which is asked for only if there are any.
    pub(crate) fn push(&mut self, elements: &PlacedJson, first_line: impl FnOnce() -> u32) {
        if elements.text.is_empty() {
            return;
        }
        let first_line = i64::from(first_line());
        if self.text.len() > 1 {
            self.text.push(',');
        }
        let mut from = 0;
        for gap in &elements.gaps {
            let at = gap.at as usize;
            self.text.push_str(&elements.text[from..at]);
            let _ = write!(self.text, "{}", gap.distance + first_line);
            from = at;
        }
        self.text.push_str(&elements.text[from..]);
    }

    /// The list as JSON.
    pub(crate) fn finish(mut self) -> Box<RawValue> {
        self.text.push(']');
        RawValue::from_string(self.text).unwrap_or_default()
    }
}

/// Writes JSON with marks around the lines.
#[derive(Default)]
struct Marking {
    is_key: bool,
    is_line: bool,
}

impl Formatter for Marking {
    fn begin_object_key<W: ?Sized + io::Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.is_key = true;
        CompactFormatter.begin_object_key(writer, first)
    }

    fn end_object_key<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.is_key = false;
        CompactFormatter.end_object_key(writer)
    }

    fn write_string_fragment<W: ?Sized + io::Write>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        if self.is_key {
            self.is_line = fragment == "line";
        }
        CompactFormatter.write_string_fragment(writer, fragment)
    }

    fn write_char_escape<W: ?Sized + io::Write>(&mut self, writer: &mut W, escape: CharEscape) -> io::Result<()> {
        match escape {
            CharEscape::AsciiControl(MARK) => writer.write_all(&[MARK]),
            escape => CompactFormatter.write_char_escape(writer, escape),
        }
    }

    fn write_u32<W: ?Sized + io::Write>(&mut self, writer: &mut W, value: u32) -> io::Result<()> {
        if !self.is_line {
            return CompactFormatter.write_u32(writer, value);
        }
        writer.write_all(&[MARK])?;
        CompactFormatter.write_u32(writer, value)?;
        writer.write_all(&[MARK])
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use tower_lsp::gen_lsp_types::Position;

    use super::*;

    #[derive(Serialize)]
    struct Said {
        at: Position,
        line_like: u32,
        message: String,
    }

    fn said(line: u32, n: &str) -> Said {
        Said { at: Position { line, character: 7 }, line_like: 5, message: format!("\"line\" é\n{n}") }
    }

    #[test]
    fn lines_are_those_of_where_it_is_put() {
        let of = |lines: &[u32], first| {
            let values: Vec<_> = lines.iter().map(|&line| said(line, &line_in_text(line + 1))).collect();
            PlacedJson::of_list(&values, first)
        };
        let (two, none, one) = (of(&[12, 13], 10), of(&[], 10), of(&[3], 3));
        let mut list = JsonList::new();
        list.push(&none, || 1);
        list.push(&two, || 20);
        list.push(&none, || 1);
        list.push(&one, || 0);
        let found: Value = serde_json::from_str(list.finish().get()).expect("JSON");
        let expected: Vec<_> = [22, 23, 0].map(|line: u32| said(line, &(line + 1).to_string())).into();
        assert_eq!(found, json!(expected));
        assert_eq!(two, of(&[2, 3], 0));
        assert_eq!(JsonList::new().finish().get(), "[]");
    }

    #[test]
    fn a_mark_in_the_source_is_no_line() {
        let message = unmarked("\0 12 \0");
        let mut list = JsonList::new();
        list.push(&PlacedJson::of_list(&[json!({ "message": message })], 0), || 50);
        assert_eq!(list.finish().get(), "[{\"message\":\"␀ 12 ␀\"}]");
    }
}
