//! `lanescope fmt`: brings files into the one canonical form.
//!
//! A file is written only when that changes it, and then whole or not at all: the new text is written beside it and
//! takes its place.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anstyle::{AnsiColor, Style};
use similar::{ChangeTag, TextDiff};

use crate::console::{Console, Look, Outcome};
use crate::document::Document;
use crate::highlight::{FAINT, visible};
use crate::inputs::{self, Input};
use crate::render::count;

const EXAMPLES: &str = "\
Examples:
  lanescope fmt examples/
  lanescope fmt --check examples/
  lanescope fmt - < blur.lane";

/// How long the search for the smallest difference may take; after that it is a larger one.
const DIFF_TIME: Duration = Duration::from_secs(1);

/// The arguments of `fmt`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Files, folders (all `.lane` files in and under them), or `-` for standard input to standard output
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Write nothing: name the files that would change, and end with 1 if there are any
    #[arg(long)]
    check: bool,
}

/// Formats the files. What is wrong with them is for `check` to say: a mistake keeps its form, and what stands around
/// it is formatted.
pub fn run(args: &Args, console: &mut Console) -> io::Result<Outcome> {
    let (mut n_files, mut n_changed) = (0, 0);
    let outcome = inputs::each(&args.files, "formatting", console, |document, input, console| {
        let formatted = syntax::format::format(&document.text);
        let changed = formatted != document.text;
        // What goes to standard output is the text alone.
        if let (Input::Stdin, false) = (input, args.check) {
            return write!(console, "{formatted}").map(|()| Outcome::Done);
        }
        n_files += 1;
        let outcome = match input {
            _ if !changed => return Ok(Outcome::Done),
            Input::File(path) if !args.check => write_file(path, &formatted, console)?,
            _ => show_change(&document, &formatted, console)?,
        };
        n_changed += usize::from(outcome != Outcome::Trouble);
        Ok(outcome)
    })?;
    if n_files > 0 {
        let what = if args.check { "would change" } else { "changed" };
        writeln!(console, "{}, {n_changed} {what}", count(n_files, "file"))?;
    }
    Ok(outcome)
}

fn write_file(path: &Path, text: &str, console: &mut Console) -> io::Result<Outcome> {
    match replace(path, text) {
        Ok(()) => writeln!(console, "{} changed", path.display()).map(|()| Outcome::Done),
        Err(error) => {
            console.trouble(&format!("{}: cannot be written: {error}", path.display())).map(|()| Outcome::Trouble)
        }
    }
}

fn show_change(document: &Document, formatted: &str, console: &mut Console) -> io::Result<Outcome> {
    writeln!(console, "{} would change", document.name)?;
    let look = console.look();
    if look.terminal {
        write!(console, "{}", diff(&document.text, formatted, look))?;
    }
    Ok(Outcome::Refused)
}

/// Puts a new file in a file's place, with its permissions. Where `path` is a link, what it leads to is replaced.
fn replace(path: &Path, text: &str) -> io::Result<()> {
    let path = fs::canonicalize(path)?;
    let permissions = fs::metadata(&path)?.permissions();
    if permissions.readonly() {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "the file is read-only"));
    }
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut new = tempfile::Builder::new().prefix(".lanescope-").tempfile_in(folder)?;
    new.write_all(text.as_bytes())?;
    new.as_file().set_permissions(permissions)?;
    new.as_file().sync_all()?;
    new.persist(&path).map(|_| ()).map_err(|error| error.error)
}

/// The lines that change, with a few around them.
fn diff(old: &str, new: &str, look: Look) -> String {
    const OLD: Style = AnsiColor::Red.on_default();
    const NEW: Style = AnsiColor::Green.on_default();
    let diff = TextDiff::configure().timeout(DIFF_TIME).diff_lines(old, new);
    let mut drawn = String::new();
    for hunk in diff.unified_diff().context_radius(2).iter_hunks() {
        drawn += &look.paint(FAINT, &hunk.header().to_string());
        drawn.push('\n');
        for change in hunk.iter_changes() {
            let (mark, style) = match change.tag() {
                ChangeTag::Delete => ('-', OLD),
                ChangeTag::Insert => ('+', NEW),
                ChangeTag::Equal => (' ', Style::new()),
            };
            let line = change.value().trim_end_matches(['\r', '\n']);
            drawn += &look.paint(style, &format!("{mark}{}", visible(line)));
            drawn.push('\n');
        }
    }
    drawn
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn a_diff_shows_what_changes_and_little_else() {
        let old: String = (0..20).map(|n| format!("line {n}\n")).collect();
        let new = old.replace("line 3\n", "line three\n").replace("line 15\n", "");
        expect![[r#"
            @@ -2,5 +2,5 @@
             line 1
             line 2
            -line 3
            +line three
             line 4
             line 5
            @@ -14,5 +14,4 @@
             line 13
             line 14
            -line 15
             line 16
             line 17
        "#]]
        .assert_eq(&diff(&old, &new, Look::PLAIN));
    }
}
