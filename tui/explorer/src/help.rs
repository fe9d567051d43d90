//! The help: every key, under headings, and the legend of the marks on the screen.

use crate::actions::{ACTIONS, Keymap};
use crate::glyphs::wrap;
use crate::keys::Key;
use crate::page::{Line, Role};

/// The legend of the marks on the screen.
const MARKS: &[(&str, &str)] = &[
    ("▌", "the line under the cursor, and the lines in other panes that it became or came from"),
    ("+ -", "a line that is new, and one that is gone, since what the stage is compared with"),
    ("E W N", "an error, a warning, a note; the place is underlined"),
    (
        "nameᵛ",
        "a value that varies from lane to lane; without the mark it is uniform: the same in all lanes that are active there",
    ),
    ("┌ │ └", "an inner loop of the assembly"),
    ("►", "the op that runs next, in the stage and its line of the source, while lanes are stepped through"),
    ("◆ ◇", "a breakpoint, and one that stops on terms: a condition, or a number of hits"),
    ("●", "the file has changes that are not saved"),
];

/// Builds the lines of the help, for a box of `columns` columns.
pub(crate) fn lines(keymap: &Keymap, columns: usize) -> Vec<Line> {
    let first = "Esc closes this. Every action is in the palette too, by its name.";
    let mut lines: Vec<_> =
        wrap(first, columns.saturating_sub(4)).into_iter().map(|line| Line::of(Role::Faint, line)).collect();
    let mut group = "";
    for row in ACTIONS {
        if row.group != group {
            group = row.group;
            lines.extend([Line::default(), Line::of(Role::Heading, group)]);
        }
        let keys: Vec<_> = keymap.keys(row.action).iter().map(Key::to_string).collect();
        entry(&mut lines, &keys.join("  "), row.description, columns);
    }
    lines.extend([Line::default(), Line::of(Role::Heading, "Marks")]);
    for (mark, meaning) in MARKS {
        entry(&mut lines, mark, meaning, columns);
    }
    lines
}

fn entry(lines: &mut Vec<Line>, name: &str, meaning: &str, columns: usize) {
    const NAME: usize = 22;
    const NARROW: usize = 56;
    if columns < NARROW {
        // There is no room beside the keys, so the meaning stands below them.
        lines.push(Line::of(Role::Code, format!(" {name}")));
        let pieces = wrap(meaning, columns.saturating_sub(4 + 3));
        return lines.extend(pieces.into_iter().map(|piece| Line::new(format!("   {piece}"))));
    }
    let pieces = wrap(meaning, columns.saturating_sub(NAME + 6).max(20));
    for (n, piece) in pieces.iter().enumerate() {
        let name = if n == 0 { name } else { "" };
        lines.push(Line::of(Role::Code, format!("  {name:NAME$}")).and(Role::Text, piece.clone()));
    }
}
