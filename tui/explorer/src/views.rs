//! Drawing the state. The views are the only modules that know ratatui; they read the state and change nothing.
//!
//! - `canvas`: text and styles in cells
//! - `source`: the source, its marks and hints
//! - `pages`: every other pane
//! - `bars`: titles, the line of verdicts, the line of keys
//! - `overlays`: pickers, prompts, questions, the help
//! - [`images`]: places of pictures that are pixels
//! - `screen`: the real terminal

mod bars;
mod canvas;
pub mod images;
mod overlays;
mod pages;
pub(crate) mod screen;
mod source;

use ratatui::Frame;

use crate::layout::Pane;
use crate::state::State;
use canvas::Canvas;

/// Draws the whole screen.
pub fn draw(state: &State, frame: &mut Frame) {
    let cursor = {
        let mut canvas = Canvas::new(frame.buffer_mut(), state.settings.look(), state.settings.ascii);
        canvas.clear();
        panes(state, &mut canvas);
        bars::status(state, &mut canvas);
        bars::keys(state, &mut canvas);
        overlays::draw(state, &mut canvas);
        if state.overlay.is_some() { overlays::cursor(state) } else { source::cursor(state) }
    };
    if let Some((x, y)) = cursor.filter(|&(x, y)| x < frame.area().width && y < frame.area().height) {
        frame.set_cursor_position((x, y));
    }
}

fn panes(state: &State, canvas: &mut Canvas) {
    for &(pane, area) in &state.arrangement.panes {
        bars::title(state, pane, area, canvas);
        match pane {
            Pane::Source => source::draw(state, area.body(), canvas),
            _ => pages::draw(state, pane, area.body(), canvas),
        }
    }
    for &separator in &state.arrangement.separators {
        canvas.separate(separator);
    }
}
