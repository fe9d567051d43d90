//! The format of a file: white space alone, in the file's own style.
//!
//! There is no canonical form. What most of a file does is done everywhere in it: how far statements stand behind the block around them,
//! where `case` and braces stand, which operators have blanks on both sides, if one stands behind a comma or `if`. Lines stay as they
//! are, none is joined or split, and blanks that align things stay, too. Blanks at the ends of lines go.
//!
//! Some text is never touched: directives with the macros that they define, comments, text that conditions leave out, arguments of
//! macros, and an item with a mistake in its grammar. The tokens are the same before and after.
//!
//! - `lines`: the lines of a file, and which of them may be touched
//! - `indents`: the indentation of lines
//! - `blanks`: blanks between tokens, and at the ends of lines
//! - [`typed`]: what follows a key

mod blanks;
mod indents;
mod lines;
pub mod typed;

use std::ops::Range;

use crate::unit::Unit;
use lines::SourceLines;

/// A change of white space.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FormatEdit {
    /// The bytes that are replaced.
    pub range: Range<u32>,
    /// The text that stands there then.
    pub text: String,
}

/// The changes that give a unit's own file the style of its larger part, in order.
pub fn edits(unit: &Unit) -> Vec<FormatEdit> {
    let Some(lines) = SourceLines::of(unit) else { return Vec::new() };
    let mut edits = indents::edits(&lines);
    edits.extend(blanks::edits(&lines));
    edits.sort_by_key(|edit| (edit.range.start, edit.range.end));
    edits
}

/// Those of the changes that stand in the lines that a range touches.
pub fn edits_in(unit: &Unit, range: Range<u32>) -> Vec<FormatEdit> {
    let text = unit.text(crate::unit::FileId::MAIN);
    let start = text.get(..range.start as usize).and_then(|before| before.rfind('\n')).map_or(0, |at| at as u32 + 1);
    let end = text.get(range.end as usize..).and_then(|behind| behind.find('\n'));
    let end = end.map_or(text.len() as u32, |length| range.end + length as u32);
    let mut edits = edits(unit);
    edits.retain(|edit| edit.range.start >= start && edit.range.end <= end);
    edits
}

/// A text with its changes.
pub fn applied(text: &str, edits: &[FormatEdit]) -> String {
    let mut done = String::with_capacity(text.len());
    let mut at = 0;
    for edit in edits {
        done += &text[at..edit.range.start as usize];
        done += &edit.text;
        at = edit.range.end as usize;
    }
    done + &text[at..]
}
