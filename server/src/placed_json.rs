//! JSON about an item, for whichever line the item starts in.
//!
//! An edit moves all items below it, and what is said of them changes in nothing but its lines. So it is serialised once, and its lines
//! are known to be *gaps*: numbers that are written anew when the item is found in another line. The gaps are found while serialising:
//! numbers in the protocol's fields for lines, and in texts those from [`line_in_text`].

use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::ser::{CharEscape, CompactFormatter, Formatter, Serializer};
use serde_json::value::RawValue;

/// The byte around a line, which no JSON has.
const MARK: u8 = 0;

/// A value as JSON, with its lines for an item that starts in a certain one.
#[derive(Debug, Clone)]
pub(crate) struct PlacedJson {
    json: Arc<RawValue>,
    gaps: Box<[Gap]>,
    first_line: u32,
    /// The hash of the text between the gaps, and of the gaps.
    hash: u64,
}

/// A number in the text, and its distance from the first line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Gap {
    /// Length of the text from the gap before to this one.
    n_before: u32,
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
    /// Serialises a value; its lines count from those of a file in which the item starts in `first_line`.
    pub(crate) fn of(value: &impl Serialize, first_line: u32) -> PlacedJson {
        let mut marked = Vec::new();
        let mut serializer = Serializer::with_formatter(&mut marked, Marking::default());
        let marked = value.serialize(&mut serializer).ok().and_then(|()| String::from_utf8(marked).ok());
        let marked = marked.unwrap_or_else(|| "null".to_owned());
        let (mut text, mut gaps, mut n_before) = (String::with_capacity(marked.len()), Vec::new(), 0);
        let mut hasher = DefaultHasher::new();
        for (n, piece) in marked.split(char::from(MARK)).enumerate() {
            match piece.parse::<i64>() {
                Ok(line) if n % 2 == 1 => {
                    gaps.push(Gap { n_before, distance: line - i64::from(first_line) });
                    n_before = 0;
                }
                _ => {
                    piece.hash(&mut hasher);
                    n_before += piece.len() as u32;
                }
            }
            text.push_str(piece);
        }
        gaps.hash(&mut hasher);
        let json = RawValue::from_string(text).unwrap_or_default();
        PlacedJson { json: json.into(), gaps: gaps.into(), first_line, hash: hasher.finish() }
    }

    /// Moves it to an item that starts in another line.
    fn move_to(&mut self, first_line: u32) {
        if self.first_line == first_line || self.gaps.is_empty() {
            return;
        }
        let mut rest = self.json.get();
        let mut moved = String::with_capacity(rest.len() + 2 * self.gaps.len());
        for gap in &self.gaps {
            let (before, behind) = rest.split_at(gap.n_before as usize);
            let _ = write!(moved, "{before}{}", gap.distance + i64::from(first_line));
            rest = &behind[n_digits(gap.distance + i64::from(self.first_line))..];
        }
        moved.push_str(rest);
        if let Ok(json) = RawValue::from_string(moved) {
            (self.json, self.first_line) = (json.into(), first_line);
        }
    }
}

fn n_digits(line: i64) -> usize {
    line.checked_ilog10().map_or(1, |n| n as usize + 1)
}

/// A list that is put together from values of many items.
#[derive(Debug, Clone, Default)]
pub(crate) struct JsonList {
    elements: Vec<Arc<RawValue>>,
    hasher: DefaultHasher,
}

impl JsonList {
    /// Adds values about an item that starts in a line, which is asked for only if there are any.
    pub(crate) fn extend(&mut self, elements: &mut [PlacedJson], first_line: impl FnOnce() -> u32) {
        if !elements.is_empty() {
            let first_line = first_line();
            elements.iter_mut().for_each(|element| self.push(element, first_line));
        }
    }

    /// Adds a value about an item that starts in a line.
    pub(crate) fn push(&mut self, element: &mut PlacedJson, first_line: u32) {
        element.move_to(first_line);
        self.elements.push(element.json.clone());
        let line = (!element.gaps.is_empty()).then_some(first_line);
        (element.hash, line).hash(&mut self.hasher);
    }

    /// A word for this content: that of another list is the same only if its content is.
    pub(crate) fn id(&self) -> String {
        format!("{:016x}", self.hasher.finish())
    }
}

#[cfg(test)]
impl JsonList {
    /// Number of elements, and how many of them were not serialised again since another list was put together.
    pub(crate) fn n_shared_with(&self, before: &JsonList) -> (usize, usize) {
        let is_shared = |one: &&Arc<RawValue>| before.elements.iter().any(|other| Arc::ptr_eq(one, other));
        (self.elements.len(), self.elements.iter().filter(is_shared).count())
    }
}

impl Serialize for JsonList {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.elements.iter().map(|element| &**element))
    }
}

impl<'de> Deserialize<'de> for JsonList {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<JsonList, D::Error> {
        let elements = Vec::<Box<RawValue>>::deserialize(deserializer)?;
        let mut list = JsonList::default();
        elements.iter().for_each(|element| list.push(&mut PlacedJson::of(element, 0), 0));
        Ok(list)
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
            self.is_line = matches!(fragment, "line" | "startLine" | "endLine");
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
        self.write_u64(writer, value.into())
    }

    // Numbers of a tree of values are of this type.
    fn write_u64<W: ?Sized + io::Write>(&mut self, writer: &mut W, value: u64) -> io::Result<()> {
        if !self.is_line {
            return CompactFormatter.write_u64(writer, value);
        }
        writer.write_all(&[MARK])?;
        CompactFormatter.write_u64(writer, value)?;
        writer.write_all(&[MARK])
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
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
        let of = |line: u32, first| PlacedJson::of(&said(line, &line_in_text(line + 1)), first);
        let expected = |line: u32| json!(said(line, &(line + 1).to_string()));
        let (mut one, mut two) = (of(12, 10), of(3, 3));
        let mut ids = Vec::new();
        for (first, second) in [(20, 0), (9, 998), (9, 1000), (20, 0)] {
            let mut list = JsonList::default();
            list.push(&mut one, first);
            list.push(&mut two, second);
            assert_eq!(json!(list), json!([expected(first + 2), expected(second)]));
            ids.push(list.id());
        }
        assert_eq!(ids[0], ids[3]);
        assert!(ids[0] != ids[1] && ids[1] != ids[2]);
        assert_eq!(json!(JsonList::default()), json!([]));
    }

    #[test]
    fn what_stays_in_its_line_is_not_written_again() {
        let mut placed = [PlacedJson::of(&said(3, ""), 3), PlacedJson::of(&"no line", 3)];
        let mut list = |first_line| {
            let mut list = JsonList::default();
            list.extend(&mut placed, || first_line);
            list
        };
        let before = list(3);
        assert_eq!(list(3).n_shared_with(&before), (2, 2));
        assert_eq!(list(4).n_shared_with(&before), (2, 1));
    }

    #[test]
    fn a_list_has_the_id_of_its_content() {
        let id = |texts: &[&str], first| {
            let mut list = JsonList::default();
            texts.iter().for_each(|text| list.push(&mut PlacedJson::of(text, first), first));
            list.id()
        };
        // What names no line is the same wherever it is.
        assert_eq!(id(&["a", "b"], 0), id(&["a", "b"], 7));
        assert_ne!(id(&["a", "b"], 0), id(&["b", "a"], 0));
        assert_ne!(id(&["a"], 0), id(&[], 0));
        assert_ne!(id(&["a1"], 0), id(&["a2"], 0));
    }

    #[test]
    fn a_mark_in_the_source_is_no_line() {
        let message = unmarked("\0 12 \0");
        let mut list = JsonList::default();
        list.push(&mut PlacedJson::of(&json!({ "message": message }), 0), 50);
        assert_eq!(json!(list), json!([{ "message": "␀ 12 ␀" }]));
    }
}
