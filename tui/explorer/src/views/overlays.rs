//! Overlays: a box with a title that contains a list, an input, a question or the help.

use super::canvas::{Canvas, Pen};
use crate::glyphs;
use crate::help;
use crate::layout::Area;
use crate::overlay::{Ask, FixPreview, Overlay, Picked};
use crate::page::{Line, Role};
use crate::picker::{Picker, Shown};
use crate::prompt::Input;
use crate::state::State;
use crate::theme::{Paint, Part};

/// Draws the overlay, if one is open.
pub(super) fn draw(state: &State, canvas: &mut Canvas) {
    let Some(overlay) = &state.overlay else { return };
    let area = state.overlay_area();
    let title = match overlay {
        Overlay::Help(_) => "Help",
        Overlay::Pick(picker) => &picker.title,
        Overlay::Prompt(prompt) => &prompt.title,
        Overlay::Ask(ask) => &ask.title,
        Overlay::Fix(fix) => &fix.title,
    };
    let inside = frame(title, area, canvas);
    match overlay {
        Overlay::Help(top) => draw_help(state, *top, inside, canvas),
        Overlay::Pick(picker) => draw_picker(picker, inside, canvas),
        Overlay::Prompt(prompt) => draw_input(&prompt.input, inside, canvas),
        Overlay::Ask(ask) => draw_ask(ask, inside, canvas),
        Overlay::Fix(fix) => draw_fix(fix, inside, canvas),
    }
}

/// Returns the position of the cursor in the overlay's input.
pub(super) fn cursor(state: &State) -> Option<(u16, u16)> {
    let input = match state.overlay.as_ref()? {
        Overlay::Pick(picker) => &picker.input,
        Overlay::Prompt(prompt) => &prompt.input,
        Overlay::Help(_) | Overlay::Ask(_) | Overlay::Fix(_) => return None,
    };
    let inside = inside(state.overlay_area());
    let column = glyphs::column(input.text(), input.cursor());
    let shown = column.saturating_sub(scrolled(input, inside)) + PROMPT.len();
    (inside.w > 0 && inside.h > 0).then(|| (inside.x + (shown as u16).min(inside.w - 1), inside.y))
}

/// Returns the part of a box inside of its frame.
fn inside(area: Area) -> Area {
    Area {
        x: area.x + area.w.min(2),
        y: area.y + area.h.min(1),
        w: area.w.saturating_sub(4),
        h: area.h.saturating_sub(2),
    }
}

/// Draws a box with a title, and returns the part inside.
fn frame(title: &str, area: Area, canvas: &mut Canvas) -> Area {
    let paint = canvas.part(Part::Box);
    let line = canvas.part(Part::Frame).over(paint);
    canvas.fill(area, paint);
    for row in 0..area.h {
        let (left, middle, right) = match row {
            0 => ("┌", "─", "┐"),
            _ if row + 1 == area.h => ("└", "─", "┘"),
            _ => ("│", " ", "│"),
        };
        let mut pen = Pen::new(area, row);
        canvas.text(&mut pen, left, line);
        canvas.text(&mut pen, &middle.repeat(usize::from(area.w.saturating_sub(2))), line);
        canvas.text(&mut pen, right, line);
    }
    if area.w > 6 && area.h > 0 {
        let mut pen = Pen::new(Area { x: area.x + 2, w: area.w - 4, ..area }, 0);
        let title = glyphs::cut(title, usize::from(area.w) - 6);
        canvas.text(&mut pen, &format!(" {title} "), canvas.role(Role::Heading).over(paint));
    }
    inside(area)
}

const PROMPT: &str = "> ";

/// Returns the number of columns that an input is scrolled, so that its cursor is visible.
fn scrolled(input: &Input, area: Area) -> usize {
    let width = usize::from(area.w).saturating_sub(PROMPT.len() + 1);
    glyphs::column(input.text(), input.cursor()).saturating_sub(width)
}

fn draw_input(input: &Input, area: Area, canvas: &mut Canvas) {
    if area.h == 0 {
        return;
    }
    let ground = canvas.part(Part::Box);
    let mut pen = Pen::new(area, 0);
    canvas.text(&mut pen, PROMPT, canvas.role(Role::Note).over(ground));
    pen.scroll(scrolled(input, area));
    canvas.text(&mut pen, input.text(), ground);
}

fn draw_picker(picker: &Picker<Picked>, area: Area, canvas: &mut Canvas) {
    draw_input(&picker.input, area, canvas);
    if picker.n_found() == 0 && area.h > 1 {
        let paint = canvas.role(Role::Faint).over(canvas.part(Part::Box));
        canvas.text(&mut Pen::new(area, 1), "nothing has these letters in this order; backspace takes one back", paint);
    }
    let name_width = picker.shown().map(|shown| glyphs::width(&shown.choice.label)).max().unwrap_or(0).min(28);
    for (row, shown) in (1..area.h).zip(picker.shown()) {
        draw_choice(&shown, name_width, area, row, canvas);
    }
}

fn draw_choice(shown: &Shown<'_, Picked>, name_width: usize, area: Area, row: u16, canvas: &mut Canvas) {
    let ground = canvas.part(if shown.chosen { Part::Chosen } else { Part::Box });
    let role = |canvas: &Canvas, role| if shown.chosen { ground } else { canvas.role(role).over(ground) };
    let mut pen = Pen::new(area, row);
    let choice = shown.choice;
    let aside_width = glyphs::width(&choice.aside);
    let has_aside = aside_width > 0 && aside_width + name_width + 6 < pen.left();
    if has_aside {
        pen.keep_right(aside_width + 1);
    }
    canvas.text(&mut pen, if shown.chosen { "▸ " } else { "  " }, ground);
    for (n, c) in choice.label.chars().enumerate() {
        let hit = shown.letters.binary_search(&(n as u32)).is_ok();
        let paint = Paint { bold: hit, underline: hit, ..Paint::default() }.over(ground);
        canvas.text(&mut pen, c.encode_utf8(&mut [0; 4]), paint);
    }
    let gap = name_width.saturating_sub(glyphs::width(&choice.label)) + 2;
    canvas.text(&mut pen, &" ".repeat(gap), ground);
    let detail = glyphs::cut(&choice.detail, pen.left());
    let faint = role(canvas, Role::Faint);
    canvas.text(&mut pen, &detail, faint);
    canvas.rest(&mut pen, ground);
    if has_aside {
        let right = Area { x: area.x + area.w - aside_width as u16 - 1, w: aside_width as u16 + 1, ..area };
        let paint = role(canvas, Role::Code);
        canvas.text(&mut Pen::new(right, row), &format!("{} ", choice.aside), paint);
    }
}

fn draw_ask(ask: &Ask, area: Area, canvas: &mut Canvas) {
    let ground = canvas.part(Part::Box);
    let mut rows = 0..area.h;
    for (row, line) in rows.by_ref().zip(&ask.lines) {
        draw_line(line, area, row, ground, canvas);
    }
    // The first loop consumes one more row than there are lines; that row stays empty as a separator.
    for (row, (letter, label, _)) in (ask.lines.len() as u16 + 1..area.h).zip(&ask.choices) {
        let line = Line::of(Role::Code, letter.to_string()).and(Role::Text, format!("  {label}"));
        draw_line(&line, area, row, ground, canvas);
    }
}

fn draw_fix(fix: &FixPreview, area: Area, canvas: &mut Canvas) {
    let ground = canvas.part(Part::Box);
    let Some(preview) = &fix.preview else {
        return draw_line(&Line::of(Role::Faint, "looking what it would change …"), area, 0, ground, canvas);
    };
    let names = ["errors", "warnings", "notes"];
    let counts = names.iter().zip(preview.before.iter().zip(preview.after));
    let counts: Vec<_> = counts.map(|(name, (before, after))| format!("{name} {before} → {after}")).collect();
    let counts = counts.join("   ");
    draw_line(&Line::of(Role::Strong, counts), area, 0, ground, canvas);
    let rows = fix.rows(usize::from(area.w));
    let n_shown = usize::from(area.h.saturating_sub(4));
    for (row, line) in (2..area.h.saturating_sub(2)).zip(rows.iter().skip(fix.top)) {
        draw_line(line, area, row, ground, canvas);
    }
    if area.h > 3 {
        let keys = Line::of(Role::Code, "enter").and(Role::Text, "  apply it   ").and(Role::Code, "esc");
        let keys = keys.and(Role::Text, "  leave it");
        let more = rows.len() > n_shown;
        let keys = if more { keys.and(Role::Code, "   up down").and(Role::Text, "  see the rest") } else { keys };
        draw_line(&keys, area, area.h - 1, ground, canvas);
    }
}

fn draw_help(state: &State, top: usize, area: Area, canvas: &mut Canvas) {
    let ground = canvas.part(Part::Box);
    let lines = help::lines(&state.settings.keymap, usize::from(area.w) + 4);
    for (row, line) in (0..area.h).zip(lines.iter().skip(top)) {
        draw_line(line, area, row, ground, canvas);
    }
    if top + usize::from(area.h) < lines.len() && area.h > 0 {
        let right = Area { x: area.x + area.w.saturating_sub(6), w: area.w.min(6), ..area };
        let more = canvas.role(Role::Faint).over(ground);
        canvas.text(&mut Pen::new(right, area.h - 1), "more ↓", more);
    }
}

fn draw_line(line: &Line, area: Area, row: u16, ground: Paint, canvas: &mut Canvas) {
    if row >= area.h {
        return;
    }
    let mut pen = Pen::new(area, row);
    for glyph in glyphs::glyphs(&line.text) {
        let role = line.spans.iter().find(|(range, _)| range.contains(&glyph.at)).map_or(Role::Text, |(_, role)| *role);
        let paint = if role == Role::Text { ground } else { canvas.role(role).over(ground) };
        canvas.glyph(&mut pen, &glyph, paint);
    }
}
