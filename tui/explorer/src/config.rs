//! The config file: theme, mouse, hints and keys, as TOML. Every entry has a default; the output of
//! `lanescope explore --default-config` spells them all out.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use driver::spelling::did_you_mean;
use etcetera::{BaseStrategy, choose_base_strategy};
use serde::Deserialize;

use crate::actions::{ACTIONS, Keymap};
use crate::graphics::GraphicsSetting;
use crate::keys::Key;
use crate::theme::Theme;

/// The settings of a config file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Config {
    /// Theme, if the file sets one.
    pub theme: Option<Theme>,
    /// Characters to draw with, if the file sets them.
    pub characters: Option<Characters>,
    /// The way in which pictures are shown, if the file sets one.
    pub graphics: Option<GraphicsSetting>,
    /// Mouse support: true if the explorer handles the mouse, false if the terminal keeps it.
    pub mouse: Option<bool>,
    /// Display of inferred types in the source.
    pub hints: Option<bool>,
    /// Bindings between keys and actions.
    pub keymap: Keymap,
}

/// The characters that lines and marks are drawn with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Characters {
    /// The characters that the locale has.
    #[default]
    Auto,
    /// All of Unicode.
    Unicode,
    /// ASCII alone.
    Ascii,
}

impl Characters {
    /// Returns true if nothing but ASCII is to be drawn, where the locale has nothing else if `locale` is set.
    pub fn are_ascii(self, locale: bool) -> bool {
        self == Characters::Ascii || (self == Characters::Auto && locale)
    }
}

/// The file's contents as TOML has them.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    theme: Option<Theme>,
    characters: Option<Characters>,
    graphics: Option<GraphicsSetting>,
    mouse: Option<bool>,
    hints: Option<bool>,
    /// Keys of actions, by the names of the actions.
    #[serde(default)]
    keys: BTreeMap<String, Keys>,
}

/// One key, or a list of keys.
#[derive(Deserialize)]
#[serde(untagged)]
enum Keys {
    One(String),
    Several(Vec<String>),
}

/// Returns the path of the config file: the value of `LANESCOPE_CONFIG`, or the system's usual place for such files.
pub fn path() -> Option<PathBuf> {
    let said = std::env::var_os("LANESCOPE_CONFIG").filter(|path| !path.is_empty()).map(PathBuf::from);
    said.or_else(|| Some(choose_base_strategy().ok()?.config_dir().join("lanescope").join("config.toml")))
}

/// Reads a config file; a missing file counts as an empty one.
pub fn read(path: &Path) -> Result<Config, String> {
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(format!("{}: {error}", path.display())),
    };
    parse(&text).map_err(|why| format!("{}: {why}", path.display()))
}

/// Parses the text of a config file.
pub fn parse(text: &str) -> Result<Config, String> {
    let written: Written = toml::from_str(text).map_err(|error| error.to_string())?;
    let mut keymap = Keymap::default();
    for (name, keys) in &written.keys {
        let names: Vec<_> = ACTIONS.iter().map(|row| row.name).collect();
        let action = ACTIONS.iter().find(|row| row.name == name).map(|row| row.action);
        let action = action.ok_or_else(|| format!("there is no action `{name}`{}", did_you_mean(name, &names)))?;
        let keys = match keys {
            Keys::One(key) => vec![key.parse::<Key>()?],
            Keys::Several(keys) => keys.iter().map(|key| key.parse()).collect::<Result<_, _>>()?,
        };
        keymap.bind(action, keys);
    }
    Ok(Config {
        theme: written.theme,
        characters: written.characters,
        graphics: written.graphics,
        mouse: written.mouse,
        hints: written.hints,
        keymap,
    })
}

/// Returns the text of a config file that spells out all defaults, with comments on the alternatives.
pub fn default_text() -> String {
    let mut text = "\
# The config file of `lanescope explore`. Every line is the default and can be left out.

# \"auto\" (dark or light, as the terminal's background is), \"dark\", \"light\" or \"terminal\" (its own colours).
theme = \"auto\"
# \"auto\" (as the locale says), \"unicode\" or \"ascii\": the characters that lines and marks are drawn with.
characters = \"auto\"
# \"auto\" (as the terminal answers), \"kitty\", \"sixel\" or \"blocks\": images, heat maps and plots as pixels, or in characters.
graphics = \"auto\"
# Whether the mouse is the explorer's; without it the terminal selects as anywhere.
mouse = true
# Whether inferred types are shown in the source.
hints = true

# What each key does. A key is a character, or one of enter, esc, tab, space, backspace, delete, up, down, left,
# right, home, end, pageup, pagedown, f1 to f12, with ctrl-, alt- or shift- before it. An action has one key or a list of
# them. While the source is edited, keys that type a character type it, whatever they are bound to.
[keys]
"
    .to_owned();
    let width = ACTIONS.iter().map(|row| row.name.len()).max().unwrap_or(0);
    for row in ACTIONS {
        let keys: Vec<_> = row.keys.iter().map(|key| format!("\"{key}\"")).collect();
        let keys = if let [only] = &keys[..] { only.clone() } else { format!("[{}]", keys.join(", ")) };
        text += &format!("{:width$} = {keys:34} # {}\n", row.name, row.description);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::actions::Action;

    #[test]
    fn the_default_is_the_default() {
        let keymap = Keymap::default();
        let said = Config {
            theme: Some(Theme::Auto),
            characters: Some(Characters::Auto),
            graphics: Some(GraphicsSetting::Auto),
            mouse: Some(true),
            hints: Some(true),
            keymap,
        };
        assert_eq!(parse(&default_text()), Ok(said));
        assert_eq!(parse(""), Ok(Config::default()));
    }

    #[test]
    fn keys_are_bound_anew() {
        let text = "[keys]\nundo = \"ctrl-z\"\nsuspend = []\nquit = [\"Q\", \"f10\"]";
        let keymap = parse(text).expect("it is read").keymap;
        assert_eq!(keymap.action("ctrl-z".parse().expect("a key")), Some(Action::Undo));
        assert_eq!(keymap.keys(Action::Quit).len(), 2);
        assert!(keymap.keys(Action::Suspend).is_empty());
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (text, expected) in [
            ("[keys]\nquti = \"q\"", "there is no action `quti`; did you mean `quit`?"),
            ("[keys]\nquit = \"hyper-q\"", "`hyper-q` is no key"),
        ] {
            assert_eq!(parse(text).expect_err("wrong"), expected);
        }
        assert!(parse("theme = \"pink\"").expect_err("wrong").contains("unknown variant `pink`"));
        assert!(parse("colour = 1").expect_err("wrong").contains("unknown field `colour`"));
    }
}
