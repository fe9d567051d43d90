//! Positions as people read and write them.

/// A position in a source text as line and column, both counted from 1. Columns count Unicode scalar values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SourcePosition {
    /// The number of the line.
    pub line: u32,
    /// The number of the column.
    pub column: u32,
}
