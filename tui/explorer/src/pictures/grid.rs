//! Characters on a plane, each with its role, from which lines of a page are made.

use crate::page::{Line, Role};

/// A plane of characters, which grows as it is drawn on.
#[derive(Debug, Clone, Default)]
pub(super) struct CharPlane {
    rows: Vec<Vec<(char, Role)>>,
}

impl CharPlane {
    /// Sets a character.
    pub(super) fn put(&mut self, x: usize, y: usize, c: char, role: Role) {
        if self.rows.len() <= y {
            self.rows.resize(y + 1, Vec::new());
        }
        let row = &mut self.rows[y];
        if row.len() <= x {
            row.resize(x + 1, (' ', Role::Text));
        }
        row[x] = (c, role);
    }

    /// Sets a character where there is none yet.
    pub(super) fn put_if_free(&mut self, x: usize, y: usize, c: char, role: Role) {
        if self.rows.get(y).and_then(|row| row.get(x)).is_none_or(|(c, _)| *c == ' ') {
            self.put(x, y, c, role);
        }
    }

    /// Writes a text from a place on.
    pub(super) fn text(&mut self, x: usize, y: usize, text: &str, role: Role) {
        text.chars().enumerate().for_each(|(n, c)| self.put(x + n, y, c, role));
    }

    /// Returns the number of columns.
    pub(super) fn width(&self) -> usize {
        self.rows.iter().map(Vec::len).max().unwrap_or(0)
    }

    /// Puts another plane at the right of this one, behind a gap.
    pub(super) fn beside(mut self, other: CharPlane, gap: usize) -> CharPlane {
        let left = self.width() + gap;
        for (y, row) in other.rows.into_iter().enumerate() {
            for (x, (c, role)) in row.into_iter().enumerate() {
                self.put(left + x, y, c, role);
            }
        }
        self
    }

    /// Returns the lines.
    pub(super) fn lines(&self) -> Vec<Line> {
        self.rows.iter().map(|row| line_of(row)).collect()
    }
}

/// A line of characters with roles; neighbours of one role are one piece.
pub(super) fn line_of(cells: &[(char, Role)]) -> Line {
    let end = cells.iter().rposition(|(c, role)| *c != ' ' || matches!(role, Role::Pixels(..))).map_or(0, |n| n + 1);
    let mut line = Line::default();
    for piece in cells[..end].chunk_by(|one, other| one.1 == other.1) {
        line = line.and(piece[0].1, piece.iter().map(|(c, _)| c).collect::<String>());
    }
    super::whole(line)
}
