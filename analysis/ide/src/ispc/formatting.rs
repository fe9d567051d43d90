//! Formatting in the style of a file: see [`ispc::format`](queries::ispc::format).

use queries::db::File;
use queries::ispc::format::{self, FormatEdit};
use queries::ispc::unit;
use report::{TextEdit, TextRange, TextSize};

/// The edits that give a file the style of its larger part.
pub fn document(db: &dyn salsa::Database, file: File) -> Vec<TextEdit> {
    as_text(format::edits(unit(db, file)))
}

/// The edits that do so with the lines that a range touches.
pub fn range(db: &dyn salsa::Database, file: File, range: TextRange) -> Vec<TextEdit> {
    as_text(format::edits_in(unit(db, file), range.start().into()..range.end().into()))
}

/// The edits after a line break was typed in front of `offset`: the line that was begun is indented.
pub fn after_line_break(db: &dyn salsa::Database, file: File, offset: TextSize) -> Vec<TextEdit> {
    as_text(format::typed::after_line_break(unit(db, file), offset.into()))
}

/// The edits after a `}` was typed in front of `offset`: it stands where what it ends starts.
pub fn after_brace(db: &dyn salsa::Database, file: File, offset: TextSize) -> Vec<TextEdit> {
    as_text(format::typed::after_brace(unit(db, file), offset.into()))
}

fn as_text(edits: Vec<FormatEdit>) -> Vec<TextEdit> {
    let edit = |FormatEdit { range, text }: FormatEdit| TextEdit {
        range: TextRange::new(TextSize::new(range.start), TextSize::new(range.end)),
        text,
    };
    edits.into_iter().map(edit).collect()
}
