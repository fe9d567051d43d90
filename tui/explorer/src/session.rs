//! State kept between runs: the theme, the visible panes, and the cursor position in each file.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use driver::files::write_whole;
use driver::surface::Surface;
use etcetera::{BaseStrategy, choose_base_strategy};
use queries::stages;
use queries::stages::STAGES;
use serde::{Deserialize, Serialize};

use crate::config::Config;
use crate::goal::Writing;
use crate::layout::Sizes;
use crate::state::State;
use crate::theme::Theme;

/// The state kept between runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Session {
    /// The [version](VERSION) of the program's defaults that the file was written with; 0 in files that name none.
    #[serde(default)]
    version: u32,
    theme: Theme,
    hints: bool,
    mouse: bool,
    assembly: bool,
    writing: Writing,
    details: bool,
    hide_unchanged: bool,
    /// Sizes of panes that the user has set.
    sizes: Sizes,
    /// Name of the stage that was shown.
    stage: Option<String>,
    /// Cursor positions, by the full paths of the files.
    places: BTreeMap<PathBuf, CursorPosition>,
}

/// A cursor position in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct CursorPosition {
    line: usize,
    column: usize,
    /// Sequence number of the entry; later entries have larger ones.
    kept: u64,
}

/// Maximum number of files with stored positions.
const MOST: usize = 200;

/// The version of the defaults. Files of version 0 are from when `terminal` was the theme that nobody had to choose.
const VERSION: u32 = 1;

impl Default for Session {
    fn default() -> Self {
        Session {
            version: VERSION,
            theme: Theme::default(),
            hints: true,
            mouse: true,
            assembly: true,
            writing: Writing::default(),
            details: true,
            hide_unchanged: false,
            sizes: Sizes::default(),
            stage: None,
            places: BTreeMap::new(),
        }
    }
}

/// Returns the path of the session file: the value of `LANESCOPE_STATE`, or the system's usual place for such files.
pub fn path() -> Option<PathBuf> {
    let said = std::env::var_os("LANESCOPE_STATE").filter(|path| !path.is_empty()).map(PathBuf::from);
    said.or_else(|| {
        let strategy = choose_base_strategy().ok()?;
        let folder = strategy.state_dir().unwrap_or_else(|| strategy.data_dir());
        Some(folder.join("lanescope").join("explorer.json"))
    })
}

impl Session {
    /// Reads a session. A file that is missing or cannot be read gives the default, as if nothing had been stored.
    /// The theme of a file without a version is taken over only if it was chosen: what was the default then is the default of now.
    pub fn read(path: &Path) -> Session {
        let read = fs::read(path).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
        let mut session: Session = read.unwrap_or_default();
        if session.version == 0 && session.theme == Theme::Terminal {
            session.theme = Theme::default();
        }
        session.version = VERSION;
        session
    }

    /// Writes the session, and creates its folder if needed.
    pub fn write(&self, path: &Path) -> std::io::Result<()> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        let text = serde_json::to_string_pretty(self).map_err(std::io::Error::other)?;
        write_whole(path, &text)
    }

    /// Restores the session in a state. Settings of the config file take precedence.
    pub fn resume(&self, config: &Config, state: &mut State) {
        let settings = &mut state.settings;
        settings.theme = config.theme.unwrap_or(self.theme);
        settings.mouse = config.mouse.unwrap_or(self.mouse);
        settings.hints = config.hints.unwrap_or(self.hints);
        settings.assembly = self.assembly;
        settings.writing = self.writing;
        settings.details = self.details;
        settings.hide_unchanged = self.hide_unchanged;
        settings.sizes = self.sizes;
        let stage = self.stage.as_deref().and_then(stages::stage);
        if let Some(n) = stage.and_then(|stage| STAGES.iter().position(|other| other.name == stage.name)) {
            state.stage = n;
        }
        for file in &mut state.files {
            let kept = file.path.as_ref().and_then(|path| self.places.get(&full(path)));
            match kept {
                Some(place) => file.buffer.go_to_line(place.line, place.column, false),
                // The first kernel is a better start than the comment at the top of the file.
                None => {
                    let first = Surface::of(&file.name).first_place(file.buffer.text());
                    file.buffer.go(first, false);
                }
            }
        }
    }

    /// The files that were looked at lately and are still there, the last one first, each with the line that the cursor was in, from 1.
    pub fn recent(&self) -> Vec<(PathBuf, usize)> {
        let mut places: Vec<_> = self.places.iter().filter(|(path, _)| path.is_file()).collect();
        places.sort_by_key(|(_, place)| std::cmp::Reverse(place.kept));
        places.into_iter().map(|(path, place)| (path.clone(), place.line + 1)).collect()
    }

    /// Records the settings of a state, and the positions in the files that were looked at.
    pub fn note(&mut self, state: &State) {
        let settings = &state.settings;
        self.theme = settings.theme;
        self.mouse = settings.mouse;
        self.hints = settings.hints;
        self.assembly = settings.assembly;
        self.writing = settings.writing;
        self.details = settings.details;
        self.hide_unchanged = settings.hide_unchanged;
        self.sizes = settings.sizes;
        self.stage = Some(STAGES[state.stage].name.to_owned());
        let kept = self.places.values().map(|place| place.kept).max().unwrap_or(0) + 1;
        let at_hand = (!state.is_starting()).then_some(state.current);
        let shown = state.files.iter().enumerate().filter(|(n, file)| file.shown > 0 || Some(*n) == at_hand);
        for (_, file) in shown {
            if let Some(path) = &file.path {
                // Of those of one time, the one that was looked at last is the last.
                let kept = kept + file.shown;
                let place =
                    CursorPosition { line: file.buffer.cursor_line(), column: file.buffer.cursor_column(), kept };
                self.places.insert(full(path), place);
            }
        }
        while self.places.len() > MOST {
            let oldest = self.places.iter().min_by_key(|(_, place)| place.kept).map(|(path, _)| path.clone());
            self.places.retain(|path, _| Some(path) != oldest.as_ref());
        }
    }
}

fn full(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::Settings;
    use crate::state::file::OpenFile;

    #[test]
    fn one_goes_on_where_one_was() {
        let folder = tempfile::tempdir().expect("a folder");
        let state = || {
            let file = OpenFile::new("a.lane", Some("a.lane".into()), "# a\n\nkernel k():\n    pass\n");
            State::new(vec![file], Settings::default(), (80, 24))
        };
        let mut before = state();
        Session::default().resume(&Config::default(), &mut before);
        assert_eq!(before.file().buffer.cursor(), 12, "at the name of the first kernel");
        before.file_mut().buffer.go_to_line(3, 4, false);
        before.stage = 1;
        before.settings.theme = Theme::Light;
        let mut session = Session::default();
        session.note(&before);
        let path = folder.path().join("deep/state.json");
        session.write(&path).expect("written");
        let mut after = state();
        let config = Config { hints: Some(false), ..Config::default() };
        Session::read(&path).resume(&config, &mut after);
        assert_eq!((after.stage, after.settings.theme, after.settings.hints), (1, Theme::Light, false));
        assert_eq!(after.file().buffer.cursor_line(), 3);
    }

    #[test]
    fn a_broken_file_is_as_none() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("state.json");
        fs::write(&path, "{ \"theme\": 3").expect("written");
        assert_eq!(Session::read(&path), Session::default());
    }

    #[test]
    fn a_theme_that_was_the_default_once_gives_way_to_the_default_of_now() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("state.json");
        let theme_of = |text: &str| {
            fs::write(&path, text).expect("written");
            Session::read(&path).theme
        };
        assert_eq!(theme_of("{ \"theme\": \"terminal\", \"stage\": \"vector\" }"), Theme::Auto);
        assert_eq!(theme_of("{ \"theme\": \"light\" }"), Theme::Light);
        // Who chooses it now keeps it.
        let session = Session { theme: Theme::Terminal, ..Session::default() };
        session.write(&path).expect("written");
        assert_eq!(Session::read(&path), session);
    }

    #[test]
    fn recent_files_are_those_that_were_shown_and_are_there() {
        let folder = tempfile::tempdir().expect("a folder");
        let paths = ["a.lane", "b.lane", "c.lane", "gone.lane"].map(|name| folder.path().join(name));
        paths[..3].iter().for_each(|path| fs::write(path, "").expect("written"));
        let files = paths.iter().map(|path| OpenFile::new("x", Some(path.clone()), "")).collect();
        let mut state = State::new(files, Settings::default(), (80, 24));
        // `b.lane` is shown last, and `c.lane` never.
        (state.files[3].shown, state.files[1].shown) = (1, 2);
        let mut session = Session::default();
        session.note(&state);
        let names = |session: &Session| -> Vec<String> {
            let name = |(path, _): (PathBuf, usize)| path.file_name().expect("a name").to_string_lossy().into_owned();
            session.recent().into_iter().map(name).collect()
        };
        assert_eq!(names(&session), ["b.lane", "a.lane"]);
        state.files[2].shown = 3;
        session.note(&state);
        assert_eq!(names(&session), ["c.lane", "b.lane", "a.lane"]);
    }

    #[test]
    fn the_oldest_places_go() {
        let mut session = Session::default();
        for n in 0..MOST + 5 {
            let file = OpenFile::new("x", Some(format!("/nowhere/{n}.lane").into()), "");
            session.note(&State::new(vec![file], Settings::default(), (80, 24)));
        }
        assert_eq!(session.places.len(), MOST);
        assert!(!session.places.contains_key(Path::new("/nowhere/4.lane")));
    }
}
