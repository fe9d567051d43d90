//! `lanescope worker`: the process that holds LLVM and runs kernels. It is started by other processes of this program.

use std::io;

use native::worker::Syntax;

use crate::console::Outcome;

const EXAMPLES: &str = "\
Example:
  lanescope worker    serve requests on standard input until it ends (other commands start it themselves)";

/// The arguments of `worker`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Write x86 assembly as Intel does
    #[arg(long)]
    intel: bool,
}

/// Serves requests until the input ends.
pub fn run(args: &Args) -> io::Result<Outcome> {
    native::worker::serve(if args.intel { Syntax::Intel } else { Syntax::Att }).map(|()| Outcome::Done)
}
