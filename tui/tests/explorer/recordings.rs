//! The recording and the pictures of the documentation, made by playing keys, so that they show what the explorer shows.
//!
//! `docs/pictures/` has them: a recording as players of terminals take it, and screens as SVG. `UPDATE_DOCS=1` writes them anew. The
//! scripts are the table below: keys by name, as in all tests, each of which is a frame of the recording.

use std::cell::RefCell;
use std::fmt::Write;
use std::fs;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use explorer::assembling::Workers;
use explorer::recording::{Recorder, RecordingHead};
use explorer::state::Settings;
use explorer::theme::{Depth, Theme};
use explorer::views::draw;
use ratatui::backend::{CrosstermBackend, TestBackend};
use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier};
use ratatui::{Terminal, TerminalOptions, Viewport};
use unicode_width::UnicodeWidthStr;

use super::*;

/// A session that is played for the documentation.
struct Script {
    /// The name of its files.
    name: &'static str,
    /// The example that it opens.
    example: &'static str,
    size: (u16, u16),
    /// The keys, in steps; between two of them a reader has time to look.
    steps: &'static [&'static str],
}

/// The recording.
const TOUR: Script = Script {
    name: "tour",
    example: "color_by_number.lane",
    size: (110, 32),
    steps: &["j j j", "$ b", ", ,", ". .", "3", "1 V", "w", "D J", ") ) ) )", "A", "q"],
};

/// The pictures, of the screen behind the last step.
const PICTURES: &[Script] = &[
    Script { name: "why", example: "color_by_number.lane", size: (110, 32), steps: &["j j j $ b w"] },
    Script { name: "lanes", example: "color_by_number.lane", size: (110, 32), steps: &["D J ) ) ) 4 z"] },
    Script { name: "image", example: "mandelbrot.lane", size: (110, 32), steps: &["A"] },
];

/// The time for which a key is shown, and the time between two steps.
const KEY: Duration = Duration::from_millis(250);
const STEP: Duration = Duration::from_millis(1_500);

fn player(script: &Script) -> Player {
    let name = format!("examples/{}", script.example);
    let text = fs::read_to_string(root().join(&name)).expect("an example");
    let settings = Settings { theme: Theme::Dark, depth: Depth::True, ..Settings::default() };
    let workers = Arc::new(Workers::of(env!("CARGO_BIN_EXE_lanescope")));
    Player::with_machinist(&[(&name, &text)], script.size, settings, workers)
}

/// A terminal in memory, of all that is written to it.
#[derive(Clone, Default)]
struct Written(Rc<RefCell<Vec<u8>>>);

impl std::io::Write for Written {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Plays a script, and records each key as a frame.
fn recorded(script: &Script) -> String {
    let mut player = player(script);
    let title = format!("lanescope examples/{}", script.example);
    let head = RecordingHead { size: script.size, begun: None, terminal: "xterm-256color", title: &title };
    let mut recorder = Recorder::begin(Vec::new(), &head).expect("memory");
    let area = Rect::new(0, 0, script.size.0, script.size.1);
    let options = TerminalOptions { viewport: Viewport::Fixed(area) };
    let written = Written::default();
    let mut terminal = Terminal::with_options(CrosstermBackend::new(written.clone()), options).expect("a screen");
    let mut at = Duration::ZERO;
    let mut frame = |player: &Player, at: Duration| {
        terminal.draw(|frame| draw(&player.state, frame)).expect("a frame");
        recorder.take(&written.0.take());
        recorder.frame_at(at);
    };
    frame(&player, at);
    for step in script.steps {
        at += STEP;
        for key in step.split_whitespace().filter(|key| *key != "q") {
            player.keys(key);
            frame(&player, at);
            at += KEY;
        }
    }
    String::from_utf8(recorder.end().expect("memory")).expect("JSON")
}

/// Plays a script, and draws the last screen.
fn pictured(script: &Script) -> String {
    let mut player = player(script);
    for step in script.steps {
        player.keys(step);
    }
    let (width, height) = player.state.size;
    let mut terminal = Terminal::new(TestBackend::new(width, height)).expect("a screen");
    terminal.draw(|frame| draw(&player.state, frame)).expect("a frame");
    svg(terminal.backend().buffer())
}

/// The size of a cell in a picture.
const CELL: (f64, f64) = (8.0, 17.0);

/// A screen as SVG: the grounds of cells as boxes, and runs of text in one style, each with its width so that columns stay columns in
/// every font.
fn svg(buffer: &Buffer) -> String {
    let (width, height) = (f64::from(buffer.area.width) * CELL.0, f64::from(buffer.area.height) * CELL.1);
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"monospace\" font-size=\"13\" xml:space=\"preserve\">\n"
    );
    for y in 0..buffer.area.height {
        let mut x = 0;
        while x < buffer.area.width {
            let first = &buffer[(x, y)];
            let (start, mut run) = (x, String::new());
            while x < buffer.area.width && alike(&buffer[(x, y)], first) {
                run += buffer[(x, y)].symbol();
                // A wide character covers the next cell as well.
                x += buffer[(x, y)].symbol().width().max(1) as u16;
            }
            draw_run(&mut text, first, &run, (start, y), x - start);
        }
    }
    text + "</svg>\n"
}

fn alike(a: &Cell, b: &Cell) -> bool {
    (a.fg, a.bg, a.modifier) == (b.fg, b.bg, b.modifier)
}

fn draw_run(text: &mut String, style: &Cell, run: &str, (x, y): (u16, u16), columns: u16) {
    let (left, top, width) = (f64::from(x) * CELL.0, f64::from(y) * CELL.1, f64::from(columns) * CELL.0);
    let [mut fg, mut bg] = [style.fg, style.bg].map(|colour| match colour {
        Color::Rgb(r, g, b) => Some(format!("#{r:02x}{g:02x}{b:02x}")),
        _ => None,
    });
    if style.modifier.contains(Modifier::REVERSED) {
        (fg, bg) = (bg.or(Some("#000000".to_owned())), fg.or(Some("#ffffff".to_owned())));
    }
    if let Some(bg) = bg {
        writeln!(text, "<rect x=\"{left}\" y=\"{top}\" width=\"{width}\" height=\"{}\" fill=\"{bg}\"/>", CELL.1)
            .expect("memory");
    }
    if run.trim().is_empty() {
        return;
    }
    let weight = if style.modifier.contains(Modifier::BOLD) { " font-weight=\"bold\"" } else { "" };
    let slant = if style.modifier.contains(Modifier::ITALIC) { " font-style=\"italic\"" } else { "" };
    let line = if style.modifier.contains(Modifier::UNDERLINED) { " text-decoration=\"underline\"" } else { "" };
    let shown = run.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    writeln!(
        text,
        "<text x=\"{left}\" y=\"{}\" textLength=\"{width}\" lengthAdjust=\"spacingAndGlyphs\" fill=\"{}\"{weight}{slant}{line}>{shown}</text>",
        top + 13.0,
        fg.as_deref().unwrap_or("#d0d0d0"),
    )
    .expect("memory");
}

/// Holds a file of the documentation against what is shown now.
fn check(name: &str, shown: &str) {
    let path = root().join("docs/pictures").join(name);
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        return fs::write(&path, shown).expect("written");
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        kept == shown,
        "docs/pictures/{name} shows something else: `UPDATE_DOCS=1 cargo test -p tui --test explorer recordings` writes it anew"
    );
}

#[test]
fn the_recording_of_the_documentation_is_what_the_keys_show() {
    if has_llvm() {
        check("tour.cast", &recorded(&TOUR));
    }
}

#[test]
fn the_pictures_of_the_documentation_are_what_the_keys_show() {
    if !has_llvm() {
        return;
    }
    for script in PICTURES {
        check(&format!("{}.svg", script.name), &pictured(script));
    }
}

/// A terminal that plays the recording shows, in the end, what the explorer shows.
#[test]
fn a_recording_leads_to_the_same_screen() {
    let script = Script { steps: &["j j", ","], ..TOUR };
    if !has_llvm() {
        return;
    }
    let (width, height) = script.size;
    let cells = |n: u16| std::num::NonZero::new(n).expect("some cells");
    let mut screen = vt100::Parser::new(cells(height), cells(width), 0);
    let cast = recorded(&script);
    let mut last = 0.0;
    for line in cast.lines().skip(1) {
        let frame: serde_json::Value = serde_json::from_str(line).expect("JSON");
        let at = frame[0].as_f64().expect("a time");
        assert!(at >= last, "frames are in order");
        last = at;
        screen.process(frame[2].as_str().expect("a text").as_bytes());
    }
    let mut player = player(&script);
    for step in script.steps {
        player.keys(step);
    }
    let shown = |text: &str| text.lines().map(|line| line.trim_end().to_owned() + "\n").collect::<String>();
    assert_eq!(shown(&screen.screen().contents()).trim_end(), shown(&player.screen()).trim_end());
}
