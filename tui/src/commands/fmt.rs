//! `lanescope fmt`: formats files canonically.
//!
//! A file is written only if that changes it, and atomically: the new text is written to a file beside it, which then
//! replaces it.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use driver::document::Document;
use driver::files::write_whole;
use driver::inputs::Input;
use driver::words::count;

use crate::console::{Console, Outcome};
use crate::difference::diff;
use crate::documents;

const EXAMPLES: &str = "\
Examples:
  lanescope fmt examples/
  lanescope fmt --check examples/
  lanescope fmt - < blur.lane";

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

/// Runs the command. Errors in the files are left to `check`: erroneous parts keep their form, while everything around
/// them is formatted.
pub fn run(args: &Args, console: &mut Console) -> io::Result<Outcome> {
    let (mut n_files, mut n_changed) = (0, 0);
    let outcome = documents::each(&args.files, "formatting", console, |document, input, console| {
        let formatted = syntax::format::format(&document.text);
        let changed = formatted != document.text;
        // Standard output receives the text alone.
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
    match write_whole(path, text) {
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
