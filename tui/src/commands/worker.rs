//! `lanescope worker`: the process that holds LLVM and runs kernels. Other processes of this program start it.

use std::io;

use crate::console::Outcome;

const EXAMPLES: &str = "\
Example:
  lanescope worker    serve requests on standard input until it ends (other commands start it themselves)";

/// The arguments of `worker`: there are none.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {}

/// Serves requests until there are no more.
pub fn run(_: &Args) -> io::Result<Outcome> {
    native::worker::serve().map(|()| Outcome::Done)
}
