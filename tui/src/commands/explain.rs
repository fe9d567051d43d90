//! `lanescope explain`: prints the catalogue's page for a code.

use std::io::{self, Write};

use crate::catalogue::{page, parse_code};
use crate::console::{Console, Outcome};
use crate::highlight;

const EXAMPLES: &str = "\
Examples:
  lanescope explain tab-indent";

/// The arguments of `explain`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The code of a finding, as `check` prints it in brackets
    #[arg(value_name = "CODE", value_parser = parse_code)]
    code: &'static str,
}

/// Prints the page.
pub fn run(args: &Args, console: &mut Console) -> io::Result<Outcome> {
    let look = console.look();
    for line in highlight::markdown(page(args.code).unwrap_or_default(), look) {
        writeln!(console, "{line}")?;
    }
    Ok(Outcome::Done)
}
