//! Plots and waveforms: values over their numbers, in dots.

use super::{DrawnArray, short};
use crate::page::{Line, Role};
use crate::pictures::grid::CharPlane;

/// Rows of a plot, at most and at least.
const ROWS: (usize, usize) = (3, 16);

/// The dots of a character: columns and rows.
const BRAILLE: (usize, usize) = (2, 4);

/// The bits of the dots of a Braille character, by column and row.
const BITS: [[u8; 4]; 2] = [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]];

/// A plot with its axes, and the place of what is between them.
pub(super) struct PlotLines {
    pub lines: Vec<Line>,
    /// Number of rows, from the first line on.
    pub rows: usize,
    /// First column.
    pub column: usize,
    /// Number of columns.
    pub columns: usize,
}

/// Draws the values as dots, or a column for all that fall on one, with the axes' numbers.
pub(super) fn lines(array: &DrawnArray, is_wave: bool, ascii: bool, columns: usize, rows: usize) -> PlotLines {
    let range = array.range();
    let (least, greatest) = range.unwrap_or((0.0, 0.0));
    let (top, bottom) = range.map_or_else(Default::default, |_| (short(greatest), short(least)));
    let left = top.len().max(bottom.len()) + 1;
    let dots = if ascii { (1, 1) } else { BRAILLE };
    let width = columns.saturating_sub(left + 1).max(1);
    let height = rows.clamp(ROWS.0, ROWS.1);
    let n = array.values.len();
    // A short array is stretched, so that its elements can be told apart, but not over all of a wide screen.
    let n_dots = (width * dots.0).min(if is_wave { n.max(1) } else { (n * 8).max(2) });
    let mut field = DotField::new(n_dots.div_ceil(dots.0), height, dots);
    let n_levels = height * dots.1;
    let level = |value: f64| match greatest > least {
        true => n_levels - 1 - (((value - least) / (greatest - least)) * (n_levels - 1) as f64).round() as usize,
        false => n_levels / 2,
    };
    // An element's column, and the elements of a column.
    let column = |i: usize| if n > 1 { i * (n_dots - 1) / (n - 1) } else { 0 };
    let mut last: Option<(usize, usize)> = None;
    let mut spans: Vec<Option<(usize, usize)>> = vec![None; n_dots];
    let mut marks: Vec<Option<char>> = vec![None; n_dots];
    for (i, &value) in array.values.iter().enumerate() {
        let x = column(i);
        if !value.is_finite() {
            marks[x] = Some(mark_of(marks[x], value));
            last = None;
            continue;
        }
        let y = level(value);
        let span = spans[x].get_or_insert((y, y));
        *span = (span.0.min(y), span.1.max(y));
        if let Some((x0, y0)) = last.filter(|_| !is_wave) {
            field.line((x0, y0), (x, y));
        }
        field.dot(x, y);
        last = Some((x, y));
    }
    if is_wave {
        for (x, span) in spans.iter().enumerate() {
            if let Some((from, to)) = span {
                (*from..=*to).for_each(|y| field.dot(x, y));
            }
        }
    }
    let mut plane = CharPlane::default();
    plane.text(left - 1 - top.len(), 0, &top, Role::Faint);
    if height > 1 && greatest > least {
        plane.text(left - 1 - bottom.len(), height - 1, &bottom, Role::Faint);
    }
    for y in 0..height {
        plane.put(left, y, '│', Role::Faint);
    }
    field.draw(&mut plane, left + 1, ascii);
    let mut below = height;
    if marks.iter().any(Option::is_some) {
        for (x, mark) in marks.iter().enumerate() {
            if let Some(mark) = mark {
                plane.put(left + 1 + x / dots.0, below, *mark, Role::Error);
            }
        }
        below += 1;
    }
    let end = (n - 1).to_string();
    plane.text(left + 1, below, "0", Role::Faint);
    let at = (left + 1 + field.width).saturating_sub(end.len());
    if n > 1 && at > left + 2 {
        plane.text(at, below, &end, Role::Faint);
    }
    PlotLines { lines: plane.lines(), rows: height, column: left + 1, columns: field.width }
}

/// The mark of a value that is not finite: `N` for NaN, `^` and `v` for infinities; NaN counts most.
fn mark_of(known: Option<char>, value: f64) -> char {
    match (known, value) {
        (Some('N'), _) => 'N',
        (_, value) if value.is_nan() => 'N',
        (_, value) if value > 0.0 => '^',
        _ => 'v',
    }
}

/// Dots, several of which share a character.
struct DotField {
    /// The numbers of characters.
    width: usize,
    height: usize,
    /// The dots of a character.
    dots: (usize, usize),
    on: Vec<bool>,
}

impl DotField {
    fn new(width: usize, height: usize, dots: (usize, usize)) -> DotField {
        DotField { width, height, dots, on: vec![false; width * dots.0 * height * dots.1] }
    }

    fn dot(&mut self, x: usize, y: usize) {
        let row = self.width * self.dots.0;
        if x < row
            && let Some(on) = self.on.get_mut(y * row + x)
        {
            *on = true;
        }
    }

    /// Draws a line between two dots, the first of them to the left.
    fn line(&mut self, (x0, y0): (usize, usize), (x1, y1): (usize, usize)) {
        let n_steps = (x1 - x0).max(y0.abs_diff(y1));
        for n in 1..n_steps {
            let part = n as f64 / n_steps as f64;
            let x = x0 as f64 + (x1 - x0) as f64 * part;
            let y = y0 as f64 + (y1 as f64 - y0 as f64) * part;
            self.dot(x.round() as usize, y.round() as usize);
        }
    }

    fn draw(&self, plane: &mut CharPlane, left: usize, ascii: bool) {
        let row = self.width * self.dots.0;
        for y in 0..self.height {
            for x in 0..self.width {
                let is_on = |dx: usize, dy: usize| self.on[(y * self.dots.1 + dy) * row + x * self.dots.0 + dx];
                let bits = (0..self.dots.0)
                    .flat_map(|dx| (0..self.dots.1).map(move |dy| (dx, dy)))
                    .filter(|(dx, dy)| is_on(*dx, *dy))
                    .fold(0, |bits, (dx, dy)| bits | BITS[dx][dy]);
                let shown = match (bits, ascii) {
                    (0, _) => continue,
                    (_, true) => '*',
                    (bits, false) => char::from_u32(0x2800 + u32::from(bits)).unwrap_or('*'),
                };
                plane.put(left + x, y, shown, Role::Arithmetic);
            }
        }
    }
}
