//! `lanescope doctor`: what is found on this machine, what is missing, and what to type.

use std::env;
use std::io::{self, Write};

use driver::health::{self, Finding, State};
use serde::Serialize;

use crate::console::{Console, Outcome};
use crate::{highlight, json};

const EXAMPLES: &str = "\
Examples:
  lanescope doctor
  lanescope doctor --json

Exit code 1 says that native code can be neither made nor run here; all else works without it.";

/// The arguments of `doctor`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Print one JSON object, described in docs/json.md
    #[arg(long)]
    json: bool,
}

/// The output of `--json`.
#[derive(Debug, Serialize)]
struct Report {
    version: u32,
    findings: Vec<Finding>,
}

/// Runs the command: examines the machine, and prints a line for each thing, with what to do about what is missing.
pub fn run(args: &Args, console: &mut Console) -> io::Result<Outcome> {
    let mut findings = health::examine();
    findings.push(terminal(console));
    findings.extend(health::editors(&env::var_os("PATH").unwrap_or_default()));
    let broken = findings.iter().any(|finding| finding.state == State::Broken);
    let outcome = if broken { Outcome::Refused } else { Outcome::Done };
    if args.json {
        json::print(&Report { version: json::VERSION, findings }, console)?;
        return Ok(outcome);
    }
    let look = console.look();
    let width = findings.iter().map(|finding| finding.name.len()).max().unwrap_or(0);
    for Finding { name, state, found, advice } in &findings {
        let mark = match state {
            State::Fine => "ok     ",
            State::Missing => "missing",
            State::Broken => "broken ",
        };
        let name = look.paint(highlight::STRONG, &format!("{name:width$}"));
        writeln!(console, "{mark}  {name}  {found}")?;
        if let Some(advice) = advice {
            writeln!(console, "         {:width$}  {advice}", "")?;
        }
    }
    Ok(outcome)
}

/// The terminal that standard output is.
fn terminal(console: &Console) -> Finding {
    let look = console.look();
    let utf8 = ["LC_ALL", "LC_CTYPE", "LANG"].iter().filter_map(env::var_os).find(|value| !value.is_empty());
    let utf8 = utf8.is_some_and(|value| {
        let value = value.to_string_lossy().to_lowercase();
        value.contains("utf-8") || value.contains("utf8")
    });
    let name = env::var("TERM").unwrap_or_default();
    let found = match look.terminal {
        true => format!(
            "{name}, {} columns, {}, {}",
            look.width,
            if look.colour { "in colour" } else { "without colour" },
            if utf8 { "UTF-8" } else { "ASCII, for no UTF-8 locale is set" }
        ),
        false => "standard output is no terminal: pages are printed plainly, and the explorer does not open".to_owned(),
    };
    let advice =
        (look.terminal && !utf8).then(|| "for the signs of the explorer, type: export LC_ALL=C.UTF-8".to_owned());
    Finding { name: "terminal", state: if advice.is_some() { State::Missing } else { State::Fine }, found, advice }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn editors_are_found_on_the_path() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("nvim"), "").expect("a file");
        let path = env::join_paths([Path::new("/nowhere"), folder.path()]).expect("a path");
        let found = health::editors(&path);
        assert!(
            found.iter().any(|finding| finding.state == State::Fine && finding.found.contains("Neovim")),
            "{found:?}"
        );
        let none = health::editors(std::ffi::OsStr::new(""));
        assert!(none.iter().all(|finding| finding.state == State::Missing && finding.advice.is_some()), "{none:?}");
    }
}
