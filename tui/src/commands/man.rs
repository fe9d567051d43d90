//! `lanescope man`: the manual page of the command or of a subcommand.

use std::io::{self, Write};

use clap_mangen::Man;
use driver::spelling::did_you_mean;

use crate::cli;
use crate::console::{Console, Outcome};

const EXAMPLES: &str = "\
Examples:
  lanescope man | man -l -
  lanescope man check > lanescope-check.1";

/// The arguments of `man`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The page of this subcommand
    subcommand: Option<String>,
}

/// Runs the command: prints the manual page in roff.
pub fn run(args: &Args, console: &mut Console) -> io::Result<Outcome> {
    let mut command = cli::command();
    command.build();
    let page = match &args.subcommand {
        None => command,
        Some(name) => match command.find_subcommand(name) {
            Some(subcommand) => subcommand.clone(),
            None => {
                let known = cli::subcommands();
                let known: Vec<_> = known.iter().map(String::as_str).collect();
                let message = format!("there is no subcommand `{name}`{}", did_you_mean(name, &known));
                return console.trouble(&message).map(|()| Outcome::Trouble);
            }
        },
    };
    let mut roff = Vec::new();
    Man::new(page).render(&mut roff)?;
    console.write_all(&roff).map(|()| Outcome::Done)
}
