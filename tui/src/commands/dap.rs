//! `lanescope dap`: the debug adapter, on standard input and output.

use std::io;

use crate::console::Outcome;

const EXAMPLES: &str = "\
Examples:
  lanescope dap            what an editor is told to start

The adapter talks to an editor in the Debug Adapter Protocol. docs/debugging.md lists what a launch
configuration may say, and what editors need.";

/// The arguments of `dap`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {}

/// Serves until the client disconnects.
pub fn run(_: &Args) -> io::Result<Outcome> {
    ::dap::serve(io::stdin(), io::stdout()).map(|()| Outcome::Done)
}
