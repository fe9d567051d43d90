//! `lanescope fmt`: formats files: Lane's canonically, ISPC's each in its own style.
//!
//! A file is written only if that changes it, and atomically: the new text is written to a file beside it, which then
//! replaces it.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use driver::files::write_whole;
use driver::inputs::{Input, parted};
use driver::ispc_files::{Command, formatted};
use driver::words::count;
use queries::stages::Options;

use crate::console::{Console, Outcome};
use crate::difference::diff;
use crate::documents;

const EXAMPLES: &str = "\
Examples:
  lanescope fmt examples/
  lanescope fmt --check examples/
  lanescope fmt kernel.ispc -I include
  lanescope fmt - < blur.lane";

/// The arguments of `fmt`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Files, folders (all `.lane` and `.ispc` files in and under them), or `-` for standard input to standard output
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Write nothing: name the files that would change, and end with 1 if there are any
    #[arg(long)]
    check: bool,
    /// A folder of headers for ISPC files; may be given several times
    #[arg(short = 'I', value_name = "DIR")]
    include: Vec<String>,
    /// A macro for ISPC files; may be given several times
    #[arg(short = 'D', value_name = "NAME[=VALUE]")]
    define: Vec<String>,
}

/// Runs the command. Errors in the files are left to `check`: erroneous parts keep their form, while everything around
/// them is formatted.
pub fn run(args: &Args, console: &mut Console) -> io::Result<Outcome> {
    let (mut n_files, mut n_changed) = (0, 0);
    let (of_ispc, others) = parted(&args.files);
    let command = Command { include: &args.include, define: &args.define, target: Options::default() };
    let mut of_ispc_files = Outcome::Done;
    for (n, path) in of_ispc.iter().enumerate() {
        console.progress("formatting", n, of_ispc.len(), &path.display().to_string())?;
        let outcome = match formatted(path, &command) {
            Ok((text, formatted)) => {
                n_files += 1;
                match text == formatted {
                    true => Outcome::Done,
                    false => {
                        n_changed += 1;
                        changed(path, &text, &formatted, args.check, console)?
                    }
                }
            }
            Err(message) => console.trouble(&message).map(|()| Outcome::Trouble)?,
        };
        of_ispc_files = of_ispc_files.max(outcome);
    }
    let outcome = documents::each(&others, "formatting", console, |document, input, console| {
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
            _ => show_change(&document.name, &document.text, &formatted, console)?,
        };
        n_changed += usize::from(outcome != Outcome::Trouble);
        Ok(outcome)
    })?;
    if n_files > 0 {
        let what = if args.check { "would change" } else { "changed" };
        writeln!(console, "{}, {n_changed} {what}", count(n_files, "file"))?;
    }
    Ok(outcome.max(of_ispc_files))
}

/// Writes a file that has changed, or names it.
fn changed(path: &Path, text: &str, formatted: &str, check: bool, console: &mut Console) -> io::Result<Outcome> {
    match check {
        true => show_change(&path.display().to_string(), text, formatted, console),
        false => write_file(path, formatted, console),
    }
}

fn write_file(path: &Path, text: &str, console: &mut Console) -> io::Result<Outcome> {
    match write_whole(path, text) {
        Ok(()) => writeln!(console, "{} changed", path.display()).map(|()| Outcome::Done),
        Err(error) => {
            console.trouble(&format!("{}: cannot be written: {error}", path.display())).map(|()| Outcome::Trouble)
        }
    }
}

fn show_change(name: &str, text: &str, formatted: &str, console: &mut Console) -> io::Result<Outcome> {
    writeln!(console, "{name} would change")?;
    let look = console.look();
    if look.terminal {
        write!(console, "{}", diff(text, formatted, look))?;
    }
    Ok(Outcome::Refused)
}
