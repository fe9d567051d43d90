//! Heat maps and images: a colour for each cell. Where an array has more rows or columns than the pane, a place shows the cell in
//! the middle of those that fall on it.

use super::{ArrayForm, DrawnArray, short};
use crate::page::{Line, Role};
use crate::pictures::Shades;
use crate::pictures::grid::line_of;

/// Rows of characters of a surface, at most.
const MAX_ROWS: usize = 48;

/// Characters by how much of a cell they fill.
const BLOCKS: [char; 5] = [' ', '░', '▒', '▓', '█'];
const DENSITIES: [char; 10] = [' ', '.', ':', '-', '=', '+', '*', '#', '%', '@'];

/// The colours of a heat map, from the least to the greatest value: each is lighter than the one before it.
const HEAT: [[f64; 3]; 5] =
    [[24.0, 18.0, 70.0], [60.0, 60.0, 150.0], [30.0, 135.0, 140.0], [110.0, 195.0, 95.0], [250.0, 235.0, 80.0]];

/// The colour of what is not finite.
const NOT_FINITE: [u8; 3] = [230, 40, 60];

/// The look of a cell.
#[derive(Debug, Clone, Copy, PartialEq)]
enum CellLook {
    /// How bright it is, from 0 to 1, and its colour.
    Shade(f64, [u8; 3]),
    /// NaN or an infinity.
    NotFinite(char),
}

/// Draws the values by their places between the least and the greatest; of cells with several values, their first.
pub(super) fn heat_map(array: &DrawnArray, shades: Shades, columns: usize, rows: usize) -> Vec<Line> {
    let (least, greatest) = array.range().unwrap_or((0.0, 0.0));
    let look = |cell: &[f64]| heat_look(cell, (least, greatest));
    let mut lines = surface(array, shades, columns, rows, &look);
    let n_steps = 16.min(columns.saturating_sub(2 * 10)).max(4);
    let scale = (0..n_steps).map(|n| {
        let part = n as f64 / (n_steps - 1) as f64;
        match shades {
            Shades::Colours => (' ', Role::Pixels(heat(part), heat(part))),
            _ => (density(part, shades), Role::Text),
        }
    });
    let text = |text: String| text.chars().map(|c| (c, Role::Faint)).collect::<Vec<_>>();
    let scale = [text(format!("{} ", short(least))), scale.collect(), text(format!(" {}", short(greatest)))].concat();
    lines.push(line_of(&scale));
    lines
}

/// Draws the values as levels: three or four channels as a colour, one as grey.
pub(super) fn image(array: &DrawnArray, shades: Shades, columns: usize, rows: usize) -> Vec<Line> {
    let look = |cell: &[f64]| image_look(cell, array.is_bytes);
    surface(array, shades, columns, rows, &look)
}

/// The look of a cell of a heat map: that of its first value.
fn heat_look(cell: &[f64], (least, greatest): (f64, f64)) -> CellLook {
    let value = cell.first().copied().unwrap_or(f64::NAN);
    if !value.is_finite() {
        return CellLook::NotFinite(mark_of(value));
    }
    let part = if greatest > least { (value - least) / (greatest - least) } else { 0.5 };
    CellLook::Shade(part, heat(part))
}

/// The look of a cell of an image.
fn image_look(cell: &[f64], is_bytes: bool) -> CellLook {
    if let Some(value) = cell.iter().find(|value| !value.is_finite()) {
        return CellLook::NotFinite(mark_of(*value));
    }
    let unit = if is_bytes { 255.0 } else { 1.0 };
    let level = |channel: usize| (cell.get(channel).copied().unwrap_or(0.0) / unit).clamp(0.0, 1.0);
    let opaque = if cell.len() == 4 { level(3) } else { 1.0 };
    let rgb = if cell.len() >= 3 { [level(0), level(1), level(2)] } else { [level(0); 3] };
    let rgb = rgb.map(|part| part * opaque);
    let brightness = 0.3 * rgb[0] + 0.59 * rgb[1] + 0.11 * rgb[2];
    CellLook::Shade(brightness, rgb.map(|part| (part * 255.0).round() as u8))
}

/// The mark of a value that is not finite.
fn mark_of(value: f64) -> char {
    match value {
        value if value.is_nan() => 'N',
        value if value > 0.0 => '^',
        _ => 'v',
    }
}

fn colour_of(look: CellLook) -> [u8; 3] {
    match look {
        CellLook::Shade(_, colour) => colour,
        CellLook::NotFinite(_) => NOT_FINITE,
    }
}

/// The colours of cells, by row and column, in a form.
pub(crate) fn colours_of(array: &DrawnArray, form: ArrayForm) -> impl Fn(usize, usize) -> [u8; 3] {
    let range = array.range().unwrap_or((0.0, 0.0));
    move |row, column| {
        let at = (row * array.columns + column) * array.channels;
        let cell = array.values.get(at..at + array.channels).unwrap_or(&[]);
        colour_of(if form == ArrayForm::Image { image_look(cell, array.is_bytes) } else { heat_look(cell, range) })
    }
}

/// The colour of a place between the least and the greatest value.
fn heat(part: f64) -> [u8; 3] {
    let at = part.clamp(0.0, 1.0) * (HEAT.len() - 1) as f64;
    let below = (at.floor() as usize).min(HEAT.len() - 2);
    let mix = at - below as f64;
    [0, 1, 2].map(|n| (HEAT[below][n] * (1.0 - mix) + HEAT[below + 1][n] * mix).round() as u8)
}

fn density(part: f64, shades: Shades) -> char {
    let of: &[char] = if shades == Shades::Ascii { &DENSITIES } else { &BLOCKS };
    of[((part.clamp(0.0, 1.0) * of.len() as f64) as usize).min(of.len() - 1)]
}

/// Draws the cells of an array, two rows in a character where there are colours, and as wide as high as nearly as characters allow.
fn surface(
    array: &DrawnArray,
    shades: Shades,
    columns: usize,
    rows: usize,
    look: &dyn Fn(&[f64]) -> CellLook,
) -> Vec<Line> {
    let per_row = if shades == Shades::Colours { 2 } else { 1 };
    let room = (columns.max(1), (rows.clamp(4, MAX_ROWS)) * per_row);
    // A character is about twice as high as wide, so half of one is about square; without halves each cell takes two columns.
    let wide = if shades == Shades::Colours { 1 } else { 2 };
    let scale = (array.columns as f64 * wide as f64 / room.0 as f64).max(array.rows as f64 / room.1 as f64);
    // Small arrays get larger squares, so that they can be seen.
    let scale = if scale < 1.0 { 1.0 / (1.0 / scale).floor().clamp(1.0, 4.0) } else { scale };
    let width = ((array.columns as f64 / scale).round() as usize * wide).clamp(1, room.0);
    let height = ((array.rows as f64 / scale).round() as usize).clamp(1, room.1);
    let cell = |x: usize, y: usize| {
        let column = ((2 * x + 1) * array.columns / (2 * width)).min(array.columns.saturating_sub(1));
        let row = ((2 * y + 1) * array.rows / (2 * height)).min(array.rows.saturating_sub(1));
        let at = (row * array.columns + column) * array.channels;
        look(array.values.get(at..at + array.channels).unwrap_or(&[]))
    };
    let lines = (0..height.div_ceil(per_row)).map(|row| {
        let cells = (0..width).map(|x| match (shades, cell(x, row * per_row)) {
            (Shades::Colours, upper) => {
                let lower = (row * per_row + 1 < height).then(|| cell(x, row * per_row + 1));
                match lower {
                    Some(lower) => ('▀', Role::Pixels(colour_of(upper), colour_of(lower))),
                    None => ('▀', Role::Pixels(colour_of(upper), colour_of(upper))),
                }
            }
            (_, CellLook::Shade(part, _)) => (density(part, shades), Role::Text),
            (_, CellLook::NotFinite(mark)) => (mark, Role::Error),
        });
        line_of(&cells.collect::<Vec<_>>())
    });
    lines.collect()
}
