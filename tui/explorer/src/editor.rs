//! Editors of the user's choice, and how each is told to open a file at a place.

/// A place in a file; lines and columns count from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EditorPlace {
    /// The line.
    pub line: usize,
    /// The column, in characters.
    pub column: usize,
    /// The column in bytes.
    pub byte: usize,
}

/// The forms in which editors take a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PlaceForm {
    /// `+line file`.
    Line,
    /// `+line:column file`.
    PlusColon,
    /// `+line,column file`.
    PlusComma,
    /// A command of Vim that goes to a line and a byte.
    Vim,
    /// `file:line:column`.
    Behind,
    /// `-g file:line:column`.
    Goto,
    /// `-l line -c column file`.
    Kate,
}

/// Editors by the names of their programs.
const EDITORS: &[(&[&str], PlaceForm)] = &[
    (&["vim", "nvim", "gvim", "mvim", "vimx", "nvim-qt"], PlaceForm::Vim),
    (&["vi", "view", "nvi", "ex", "elvis", "ne", "joe", "mg", "jed", "gedit", "jove"], PlaceForm::Line),
    (&["kak", "emacs", "emacsclient", "micro", "amp"], PlaceForm::PlusColon),
    (&["nano", "pico", "rnano"], PlaceForm::PlusComma),
    (&["hx", "helix", "subl", "zed", "zeditor", "lapce"], PlaceForm::Behind),
    (&["code", "code-insiders", "codium", "vscodium", "code-oss", "cursor", "windsurf"], PlaceForm::Goto),
    (&["kate", "kwrite"], PlaceForm::Kate),
];

/// The editor that the environment names: `VISUAL`, or else `EDITOR`; an error says what to do.
pub fn chosen(variable: impl Fn(&str) -> Option<String>) -> Result<String, String> {
    let set = |name| variable(name).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty());
    set("VISUAL").or_else(|| set("EDITOR")).ok_or_else(|| {
        "no editor is set: let VISUAL or EDITOR name one, as by `export EDITOR=nvim`, and start again; i edits here"
            .to_owned()
    })
}

/// The arguments by which an editor opens a file at a place; one that is not known opens the file alone.
pub fn arguments(editor: &str, file: &str, place: EditorPlace) -> Vec<String> {
    let EditorPlace { line, column, byte } = place;
    let form = EDITORS.iter().find(|(names, _)| names.contains(&name(editor).as_str())).map(|(_, form)| *form);
    // A name that begins with a sign would be taken for an option.
    let file = match file.starts_with(['-', '+']) {
        true => format!("./{file}"),
        false => file.to_owned(),
    };
    match form {
        Some(PlaceForm::Line) => vec![format!("+{line}"), file],
        Some(PlaceForm::PlusColon) => vec![format!("+{line}:{column}"), file],
        Some(PlaceForm::PlusComma) => vec![format!("+{line},{column}"), file],
        Some(PlaceForm::Vim) => vec![format!("+call cursor({line},{byte})"), file],
        Some(PlaceForm::Behind) => vec![format!("{file}:{line}:{column}")],
        Some(PlaceForm::Goto) => vec!["-g".to_owned(), format!("{file}:{line}:{column}")],
        Some(PlaceForm::Kate) => vec!["-l".to_owned(), line.to_string(), "-c".to_owned(), column.to_string(), file],
        None => vec![file],
    }
}

/// The name of the program that a setting begins with, without its folder.
pub fn name(editor: &str) -> String {
    let editor = editor.trim();
    // A path with blanks in it stands in quotes.
    let first = match editor.strip_prefix(['"', '\'']) {
        Some(rest) => rest.split(['"', '\'']).next().unwrap_or(rest),
        None => editor.split_whitespace().next().unwrap_or(editor),
    };
    let name = first.rsplit(['/', '\\']).next().unwrap_or(first);
    name.strip_suffix(".exe").unwrap_or(name).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_editor_is_told_the_place_in_its_own_way() {
        let place = EditorPlace { line: 3, column: 5, byte: 7 };
        for (editor, expected) in [
            ("vi", "+3 a.lane"),
            ("/usr/bin/vim -u NONE", "+call cursor(3,7) a.lane"),
            ("nvim", "+call cursor(3,7) a.lane"),
            ("kak", "+3:5 a.lane"),
            ("emacs -nw", "+3:5 a.lane"),
            ("emacsclient -t", "+3:5 a.lane"),
            ("nano", "+3,5 a.lane"),
            ("hx", "a.lane:3:5"),
            ("code --wait", "-g a.lane:3:5"),
            ("\"/opt/my editors/subl\" -w", "a.lane:3:5"),
            ("kate -b", "-l 3 -c 5 a.lane"),
            ("myed", "a.lane"),
        ] {
            assert_eq!(arguments(editor, "a.lane", place).join(" "), expected, "{editor}");
        }
        assert_eq!(arguments("myed", "-a.lane", place), ["./-a.lane"]);
    }

    #[test]
    fn the_first_of_two_variables_counts() {
        let with = |visual: &'static str, editor: &'static str| {
            chosen(move |name| Some(if name == "VISUAL" { visual } else { editor }.to_owned()))
        };
        assert_eq!(with("hx", "vi"), Ok("hx".to_owned()));
        assert_eq!(with(" ", "vi"), Ok("vi".to_owned()));
        assert!(chosen(|_| None).is_err_and(|why| why.starts_with("no editor is set")));
    }
}
