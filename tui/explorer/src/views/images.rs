//! Places of pictures that are pixels: those of the details, as far as they are in sight and nothing covers them.

use crate::graphics::board::PlacedImage;
use crate::graphics::raster::Ink;
use crate::layout::{Area, Pane};
use crate::page::{PageImage, Role};
use crate::page_view::{GUTTER, PageView};
use crate::state::State;
use crate::theme::Colour;

/// Returns the pictures that the screen should have as pixels.
pub fn images(state: &State) -> Vec<PlacedImage> {
    let (view, body) = (&state.details_pane, state.body(Pane::Details));
    // Pictures that are scrolled to the side, or filtered, stay characters.
    if !state.settings.has_pixels() || body.h == 0 || view.left() > 0 || !view.filter().is_empty() {
        return Vec::new();
    }
    let ink = ink(state);
    let found = view.page().images.iter().filter_map(|image| placed(image, view, body, ink));
    found.filter(|image| !is_covered(state, image.area)).collect()
}

/// A picture at the place of those of its lines that are in sight.
fn placed(image: &PageImage, view: &PageView, body: Area, ink: Ink) -> Option<PlacedImage> {
    let first = view.rows().iter().position(|row| row.line == image.line)?;
    let seen = first.max(view.top())..(first + image.rows).min(view.top() + usize::from(body.h));
    let is_whole = view.rows().get(first + image.rows - 1)?.line + 1 == image.line + image.rows;
    let has_room = GUTTER + image.column + image.columns <= usize::from(body.w);
    if seen.is_empty() || !is_whole || !has_room || image.columns == 0 {
        return None;
    }
    let cells = |n: usize| u16::try_from(n).ok();
    Some(PlacedImage {
        area: Area {
            x: body.x + cells(GUTTER + image.column)?,
            y: body.y + cells(seen.start - view.top())?,
            w: cells(image.columns)?,
            h: cells(seen.len())?,
        },
        n_rows: image.rows,
        first_row: seen.start - first,
        raster: image.raster.clone(),
        ink,
    })
}

/// Returns true if a dialog covers a part of an area.
fn is_covered(state: &State, area: Area) -> bool {
    let over = state.overlay_area();
    let overlaps = |a: u16, a_len: u16, b: u16, b_len: u16| a < b + b_len && b < a + a_len;
    state.overlay.is_some() && overlaps(area.x, area.w, over.x, over.w) && overlaps(area.y, area.h, over.y, over.h)
}

/// The colours of lines, as the theme has them.
fn ink(state: &State) -> Ink {
    let look = state.settings.look();
    let known = &state.settings.terminal;
    let line = look.role(Role::Arithmetic).fg.map(|colour| rgb(colour, state));
    let ground = look.ground().bg.map(|colour| rgb(colour, state));
    let of_terminal = known.background.map(|colour| [colour.0, colour.1, colour.2]);
    let unknown = if known.light == Some(true) { [255; 3] } else { [0; 3] };
    let ground = ground.or(of_terminal).unwrap_or(unknown);
    let is_light = ground.iter().map(|part| u32::from(*part)).sum::<u32>() > 3 * 128;
    Ink { line: line.unwrap_or(if is_light { [0; 3] } else { [255; 3] }), ground }
}

/// A colour as red, green and blue.
fn rgb(colour: Colour, state: &State) -> [u8; 3] {
    match colour {
        Colour::Rgb(rgb) => [rgb.0, rgb.1, rgb.2],
        Colour::Ansi(n) if n < 16 => {
            let known = state.settings.terminal.sixteen.get(usize::from(n)).copied().flatten();
            known.map_or_else(|| usual(n), |rgb| [rgb.0, rgb.1, rgb.2])
        }
        Colour::Ansi(n @ 232..) => [8 + 10 * (n - 232); 3],
        Colour::Ansi(n) => {
            let step = |n: u8| if n == 0 { 0 } else { 55 + 40 * n };
            let n = n - 16;
            [step(n / 36), step(n / 6 % 6), step(n % 6)]
        }
    }
}

/// One of the first sixteen colours, as most terminals have it: a bit for red, green and blue, and one for bright.
fn usual(n: u8) -> [u8; 3] {
    let level = if n & 8 == 0 { 170 } else { 255 };
    [1, 2, 4].map(|bit| if n & bit == 0 { 0 } else { level })
}
