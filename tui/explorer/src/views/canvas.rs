//! Text and styles in cells of the screen.

use std::borrow::Cow;

use ratatui::buffer::Buffer;
use ratatui::style::{Color, Modifier, Style};

use crate::glyphs::{self, Glyph};
use crate::layout::Area;
use crate::page::Role;
use crate::theme::{Colour, Look, Paint, Part, Rgb};

/// The cells of a frame, with the theme that styles them.
pub(super) struct Canvas<'b> {
    buffer: &'b mut Buffer,
    look: Look,
    /// True if nothing but ASCII is drawn.
    ascii: bool,
}

/// A write position in a row of cells, which moves to the right. Columns scrolled past, and text that does not fit, are
/// left out.
pub(super) struct Pen {
    x: u16,
    y: u16,
    /// The first column behind the row.
    end: u16,
    /// Number of columns still to be skipped.
    skip: usize,
}

impl Pen {
    /// Creates a pen at the start of a row of an area.
    pub(super) fn new(area: Area, row: u16) -> Pen {
        Pen { x: area.x, y: area.y + row, end: area.x + area.w, skip: 0 }
    }

    /// Returns the number of columns left.
    pub(super) fn left(&self) -> usize {
        usize::from(self.end - self.x)
    }

    /// Skips the first `columns` columns of the text that follows.
    pub(super) fn scroll(&mut self, columns: usize) {
        self.skip = columns;
    }

    /// Reserves `n` columns at the end of the row.
    pub(super) fn keep_right(&mut self, n: usize) {
        self.end = self.end.saturating_sub(u16::try_from(n).unwrap_or(u16::MAX)).max(self.x);
    }
}

impl<'b> Canvas<'b> {
    /// Creates the canvas of a frame.
    pub(super) fn new(buffer: &'b mut Buffer, look: Look, ascii: bool) -> Canvas<'b> {
        Canvas { buffer, look, ascii }
    }

    /// Returns the style of a role.
    pub(super) fn role(&self, role: Role) -> Paint {
        self.look.role(role)
    }

    /// Returns the style of a part of the screen.
    pub(super) fn part(&self, part: Part) -> Paint {
        self.look.part(part)
    }

    /// Fills the screen with the background style.
    pub(super) fn clear(&mut self) {
        let style = style(self.look.ground());
        let area = self.buffer.area;
        self.buffer.set_style(area, style);
    }

    /// Fills an area with blank cells of a style.
    pub(super) fn fill(&mut self, area: Area, paint: Paint) {
        let style = style(paint.over(self.look.ground()));
        for y in area.y..area.y + area.h {
            for x in area.x..area.x + area.w {
                if let Some(cell) = self.buffer.cell_mut((x, y)) {
                    cell.reset();
                    cell.set_style(style);
                }
            }
        }
    }

    /// Draws the separator between two columns of panes.
    pub(super) fn separate(&mut self, area: Area) {
        let paint = self.part(Part::Frame);
        for row in 0..area.h {
            self.text(&mut Pen::new(area, row), "│", paint);
        }
    }

    /// Writes a text, glyph by glyph.
    pub(super) fn text(&mut self, pen: &mut Pen, text: &str, paint: Paint) {
        for glyph in glyphs::glyphs(text) {
            if pen.left() == 0 {
                return;
            }
            self.glyph(pen, &glyph, paint);
        }
    }

    /// Writes a glyph. If it is only partly visible, blanks are drawn instead.
    pub(super) fn glyph(&mut self, pen: &mut Pen, glyph: &Glyph<'_>, paint: Paint) {
        if pen.skip >= glyph.width {
            pen.skip -= glyph.width;
            return;
        }
        let cut = std::mem::take(&mut pen.skip);
        if cut > 0 || glyph.width > pen.left() {
            let n_blanks = (glyph.width - cut).min(pen.left());
            return (0..n_blanks).for_each(|_| self.cell(pen, Cow::Borrowed(" "), 1, paint));
        }
        // A tab, or the picture of a control character, takes several cells of one column each.
        if glyph.shown.is_ascii() && glyph.width > 1 {
            for at in 0..glyph.width {
                self.cell(pen, Cow::Borrowed(&glyph.shown[at..=at]), 1, paint);
            }
        } else if glyph.width > 0 {
            self.cell(pen, Cow::Borrowed(&glyph.shown), glyph.width, paint);
        }
    }

    fn cell(&mut self, pen: &mut Pen, shown: Cow<'_, str>, width: usize, paint: Paint) {
        let style = style(paint.over(self.look.ground()));
        let substitute = self.ascii.then(|| in_ascii(&shown));
        for n in 0..width as u16 {
            if let Some(cell) = self.buffer.cell_mut((pen.x + n, pen.y)) {
                cell.reset();
                cell.set_symbol(match substitute {
                    Some(substitute) => substitute,
                    None if n == 0 => &shown,
                    None => " ",
                });
                cell.set_style(style);
            }
        }
        pen.x += width as u16;
    }

    /// Fills the rest of a row.
    pub(super) fn rest(&mut self, pen: &mut Pen, paint: Paint) {
        let area = Area { x: pen.x, y: pen.y, w: pen.end - pen.x, h: 1 };
        self.fill(area, paint);
        pen.x = pen.end;
    }
}

/// Returns a character of ASCII in place of one that the terminal may not have: something alike for the marks of the
/// explorer, and `?` for others.
fn in_ascii(shown: &str) -> &str {
    match shown {
        _ if shown.is_ascii() => shown,
        "│" | "║" => "|",
        "─" | "–" | "—" | "−" | "╌" => "-",
        "═" => "=",
        "╎" => "|",
        "╲" | "↘" | "↖" => "\\",
        "╱" | "↙" | "↗" => "/",
        "◀" => "<",
        "▼" => "v",
        "▲" => "^",
        "┌" | "┐" | "└" | "┘" | "├" | "┤" | "┬" | "┴" | "┼" => "+",
        "▌" | "▸" | "▶" | "→" => ">",
        "▾" | "↓" => "v",
        "↑" => "^",
        "←" => "<",
        "●" | "×" | "·" | "◆" => "*",
        "◇" => "?",
        "►" => "@",
        "±" => "+",
        "…" => "~",
        "ᵛ" => "'",
        "‘" | "’" => "'",
        "“" | "”" => "\"",
        "█" | "▉" | "▊" | "▋" => "#",
        "▍" | "▎" | "▏" => ":",
        "⠋" | "⠴" => "|",
        "⠙" | "⠦" => "/",
        "⠸" | "⠇" => "-",
        _ => "?",
    }
}

fn style(paint: Paint) -> Style {
    let colour = |colour| match colour {
        Colour::Ansi(n) => Color::Indexed(n),
        Colour::Rgb(Rgb(r, g, b)) => Color::Rgb(r, g, b),
    };
    let modifiers = [
        (paint.bold, Modifier::BOLD),
        (paint.italic, Modifier::ITALIC),
        (paint.underline, Modifier::UNDERLINED),
        (paint.reverse, Modifier::REVERSED),
    ];
    let modifiers = modifiers.iter().filter(|(set, _)| *set).map(|(_, modifier)| *modifier);
    Style { fg: paint.fg.map(colour), bg: paint.bg.map(colour), add_modifier: modifiers.collect(), ..Style::default() }
}
