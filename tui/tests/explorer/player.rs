//! A player of keys for the explorer without a terminal: the real state and worker, with a screen and a disk in memory.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use explorer::assembling::Machinist;
use explorer::event::{Effect, Event, Mouse, MouseKind};
use explorer::layout::Pane;
use explorer::page::Change;
use explorer::questions::Answer;
use explorer::session::Session;
use explorer::state::file::OpenFile;
use explorer::state::{Settings, State};
use explorer::views::draw;
use explorer::worker::Worker;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::style::{Color, Modifier};

use super::machine_code::Canned;

/// Longer than any answer takes; a test that waits this long has failed.
const PATIENCE: Duration = Duration::from_secs(60);

/// More answers than can accumulate; a test that receives more repeats a question after each answer.
const MOST_ANSWERS: usize = 2_000;

pub(crate) struct Player {
    pub(crate) state: State,
    worker: Worker,
    answers: Receiver<Answer>,
    /// Contents of the disk, by the numbers of the files.
    pub(crate) disk: Vec<String>,
    /// Effects other than questions, a line each.
    pub(crate) done: Vec<String>,
}

impl Player {
    pub(crate) fn new(files: &[(&str, &str)], size: (u16, u16)) -> Player {
        Player::with(files, size, Settings::default())
    }

    pub(crate) fn with(files: &[(&str, &str)], size: (u16, u16), settings: Settings) -> Player {
        Player::with_machinist(files, size, settings, Arc::new(Canned))
    }

    pub(crate) fn with_machinist(
        files: &[(&str, &str)],
        size: (u16, u16),
        settings: Settings,
        machinist: Arc<dyn Machinist>,
    ) -> Player {
        let (sender, answers) = channel();
        let tell = Arc::new(move |answer| drop(sender.send(answer)));
        let worker = Worker::start(machinist, tell).expect("a thread");
        let open = |&(name, text): &(&str, &str)| OpenFile::new(name, Some(PathBuf::from(name)), text);
        let mut state = State::new(files.iter().map(open).collect(), settings.clone(), size);
        Session::default().resume(&Default::default(), &mut state);
        state.settings = settings;
        let disk = files.iter().map(|(_, text)| (*text).to_owned()).collect();
        let mut player = Player { state, worker, answers, disk, done: Vec::new() };
        player.happen(Event::Resize(size.0, size.1));
        player.wait();
        player
    }

    /// Presses a key without waiting for answers.
    pub(crate) fn press(&mut self, key: &str) {
        self.happen(Event::Key(key.parse().expect("a key")));
    }

    /// Applies an event, and performs its effects.
    pub(crate) fn happen(&mut self, event: Event) {
        for effect in self.state.apply(event) {
            match effect {
                Effect::Ask(question) => self.worker.ask(*question),
                Effect::Run(path, text, run) => self.worker.run(&path, text, run),
                Effect::Lanes(number, ask) => self.worker.step(number, ask),
                Effect::StopRun => self.worker.stop_run(),
                Effect::Save { file, path, text, expected } => {
                    let there = self.disk[file].clone();
                    if expected.is_some_and(|expected| expected != there) && there != text {
                        self.happen(Event::SaveConflict(file, path, there));
                    } else {
                        self.disk[file] = text.clone();
                        self.happen(Event::Saved(file, path, text));
                    }
                }
                Effect::Read(file) => self.happen(Event::Disk(file, Some(self.disk[file].clone()))),
                other => self.done.push(format!("{other:?}")),
            }
        }
    }

    /// Processes the answers that have arrived.
    pub(crate) fn listen(&mut self) {
        while let Ok(answer) = self.answers.try_recv() {
            self.happen(Event::Answer(answer));
        }
    }

    /// Waits until all questions are answered.
    pub(crate) fn wait(&mut self) {
        self.wait_watched(&mut |_| {});
    }

    fn wait_watched(&mut self, see: &mut impl FnMut(&State)) {
        for _ in 0..MOST_ANSWERS {
            if !self.state.waits() {
                return;
            }
            let answer = self.answers.recv_timeout(PATIENCE).expect("an answer");
            self.happen(Event::Answer(answer));
            see(&self.state);
        }
        panic!("it never has all its answers; what it wants is {:#?}", self.state.wanted());
    }

    /// Presses keys by name, and types text between `"` letter by letter; waits for answers in between.
    pub(crate) fn keys(&mut self, script: &str) -> &mut Player {
        self.keys_watched(script, |_| {});
        self
    }

    /// Presses keys like [`Player::keys`], and shows every intermediate state to `see`.
    pub(crate) fn keys_watched(&mut self, script: &str, mut see: impl FnMut(&State)) {
        for (n, part) in script.split('"').enumerate() {
            let keys: Vec<String> = match n % 2 {
                0 => part.split_whitespace().map(str::to_owned).collect(),
                _ => part.chars().map(|c| if c == ' ' { "space".to_owned() } else { c.to_string() }).collect(),
            };
            for key in keys {
                self.press(&key);
                see(&self.state);
                self.wait_watched(&mut see);
            }
        }
    }

    pub(crate) fn mouse(&mut self, kind: MouseKind, x: u16, y: u16) {
        self.happen(Event::Mouse(Mouse { kind, x, y }));
        self.wait();
    }

    fn terminal(&self) -> Terminal<TestBackend> {
        let (width, height) = self.state.size;
        let mut terminal = Terminal::new(TestBackend::new(width, height)).expect("a screen");
        terminal.draw(|frame| draw(&self.state, frame)).expect("a frame");
        terminal
    }

    /// Returns the screen as text, one line a row, without trailing blanks.
    pub(crate) fn screen(&self) -> String {
        self.rows(|row| row.iter().map(|cell| cell.0.as_str()).collect())
    }

    /// Returns the screen with a `|` at the start of each row, so that no row begins with blanks.
    pub(crate) fn framed(&self) -> String {
        self.screen().lines().map(|row| format!("|{row}\n")).collect()
    }

    /// Returns the screen with a mark wherever the style changes.
    pub(crate) fn painted(&self) -> String {
        self.rows(|row| {
            let mut line = String::new();
            let mut paint = String::new();
            for (symbol, next) in row {
                if *next != paint {
                    line += &format!("⟨{next}⟩");
                    paint.clone_from(next);
                }
                line += symbol;
            }
            line
        })
    }

    fn rows(&self, draw_row: impl Fn(&[(String, String)]) -> String) -> String {
        let terminal = self.terminal();
        let buffer = terminal.backend().buffer();
        let mut text = String::new();
        for y in 0..buffer.area.height {
            let mut row = Vec::new();
            let mut x = 0;
            while x < buffer.area.width {
                let cell = &buffer[(x, y)];
                row.push((cell.symbol().to_owned(), paint(cell.fg, cell.bg, cell.modifier)));
                // A wide character covers the next cell as well.
                x += unicode_width::UnicodeWidthStr::width(cell.symbol()).max(1) as u16;
            }
            text += draw_row(&row).trim_end();
            text.push('\n');
        }
        text
    }

    /// Returns the source, with `|` at the cursor.
    pub(crate) fn source(&self) -> String {
        let buffer = &self.state.file().buffer;
        let (before, behind) = buffer.text().split_at(buffer.cursor());
        format!("{before}|{behind}")
    }

    /// Returns the page of a pane, each line behind a `|`: `>` before the line of the cursor, `*` before highlighted
    /// lines, `+` and `-` for differences.
    pub(crate) fn page(&self, pane: Pane) -> String {
        let view = self.state.page_view(pane).expect("a page");
        let lit = self.state.light.lines(pane);
        let mut text = String::new();
        for (n, row) in view.rows().iter().enumerate() {
            let line = &view.page().lines[row.line];
            let cursor = if n == view.cursor() && self.state.focus == pane { '>' } else { ' ' };
            let lit = if lit.contains(&row.line) { '*' } else { ' ' };
            let change = match line.change {
                Change::Same => ' ',
                Change::Added => '+',
                Change::Removed => '-',
            };
            let shown = format!("|{cursor}{lit}{change} {}", view.text(row));
            text += shown.trim_end();
            text.push('\n');
        }
        text
    }

    /// Returns the line of verdicts.
    pub(crate) fn status(&self) -> String {
        let screen = self.screen();
        let row = self.state.arrangement.status.y as usize;
        let line = screen.lines().nth(row).unwrap_or_default().trim();
        // The cursor's position is at the end of the line, behind a gap.
        line.split("  ").next().unwrap_or_default().to_owned()
    }
}

fn paint(fg: Color, bg: Color, modifier: Modifier) -> String {
    let colour = |colour: Color| match colour {
        Color::Reset => String::new(),
        Color::Indexed(n) => n.to_string(),
        Color::Rgb(r, g, b) => format!("#{r:02x}{g:02x}{b:02x}"),
        other => format!("{other:?}"),
    };
    let background = if bg == Color::Reset { String::new() } else { format!("/{}", colour(bg)) };
    let modifiers = modifier.iter_names().map(|(name, _)| format!(" {}", name.to_lowercase()));
    format!("{}{background}{}", colour(fg), modifiers.collect::<String>())
}
