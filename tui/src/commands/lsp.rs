//! `lanescope lsp`: the language server, on standard input and output.

use std::io;
use std::sync::Arc;

use server::Ending;

use crate::console::Outcome;
use crate::native_views::MachineViews;

const EXAMPLES: &str = "\
Examples:
  lanescope lsp            what an editor is told to start
  nvim --cmd 'lua vim.lsp.start({ name = \"lanescope\", cmd = { \"lanescope\", \"lsp\" } })'

The server talks to an editor in the Language Server Protocol. docs/settings.md lists what can be set.";

/// The arguments of `lsp`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Talk on standard input and output, which is what happens anyway; some editors say it
    #[arg(long)]
    stdio: bool,
}

/// Serves until the editor ends the session. The exit code reports an end without the protocol's shutdown, as the
/// protocol requires.
pub fn run(_: &Args) -> io::Result<Outcome> {
    let ending = server::serve(io::stdin(), io::stdout(), Arc::new(MachineViews::default()))?;
    Ok(match ending {
        Ending::Proper => Outcome::Done,
        Ending::Abrupt => Outcome::Refused,
    })
}
