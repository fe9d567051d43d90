//! `lanescope completions`: shell scripts that complete the command line.

use std::io::{self, Write};

use clap_complete::Shell;

use crate::cli;
use crate::console::{Console, Outcome};

const EXAMPLES: &str = "\
Examples:
  lanescope completions bash > ~/.local/share/bash-completion/completions/lanescope
  lanescope completions zsh > ~/.zfunc/_lanescope
  lanescope completions fish > ~/.config/fish/completions/lanescope.fish";

/// The arguments of `completions`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The shell
    shell: Shell,
}

/// Runs the command: prints the completion script for the shell.
pub fn run(args: &Args, console: &mut Console) -> io::Result<Outcome> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut cli::command(), "lanescope", &mut script);
    console.write_all(&script).map(|()| Outcome::Done)
}
