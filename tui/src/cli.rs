//! The command line as a whole, with its subcommands. The arguments of each subcommand are in its own module.

use clap::{CommandFactory, Parser, Subcommand};

use crate::commands::{
    asm, bench, build, check, compare, completions, dap, doctor, explain, explore, faster, fmt, learn, lower, lsp, man,
    new, run, targets, test, worker,
};

const EXAMPLES: &str = "\
Examples:
  lanescope                              open the explorer's starting page: recent files, lessons, examples
  lanescope examples/scale_audio.lane    open the explorer on a file
  lanescope check examples/              find what is wrong in all files of a folder

Exit codes: 0 done, 1 the kernels have errors (or a check failed), 2 wrong usage or no such file.";

/// See what the lanes of a data-parallel kernel do
#[derive(Parser)]
#[command(
    name = "lanescope",
    bin_name = "lanescope",
    version,
    after_help = EXAMPLES,
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true
)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    explore: explore::Args,
}

/// A subcommand with its arguments.
#[derive(Subcommand)]
pub enum Command {
    /// Open the explorer: source, stages, what is wrong and why (`lanescope FILE` does the same)
    Explore(explore::Args),
    /// Learn what lanes do, lesson by lesson, in the explorer
    Learn(learn::Args),
    /// Find what is wrong with kernels
    Check(check::Args),
    /// Tell what the lanes of a program do and why, or what the code of a finding means
    Explain(explain::Args),
    /// Compare kernels on all targets, with other lanes and attributes: lanes, estimated cycles, what differs
    Compare(compare::Args),
    /// Print a program as it is at a stage on its way to vector code
    Lower(lower::Args),
    /// Print the assembly of kernels, each line beside its source
    Asm(asm::Args),
    /// Run a kernel on given data, and print its result and every array that it writes
    Run(run::Args),
    /// Measure a kernel: scalar code, vector code and the bandwidth of memory
    Bench(bench::Args),
    /// Try every known change of a kernel, and say which make it faster and what they do to its results
    Faster(faster::Args),
    /// Write object files, and a C header or modules in C++, Rust and Python
    Build(build::Args),
    /// Make a folder with kernels, a program that calls them, its test and its measurement
    New(new::Args),
    /// Run the examples in the documentation of kernels, and compare what they give with what they say
    Test(test::Args),
    /// Format files, in the one canonical form
    Fmt(fmt::Args),
    /// List the targets that code can be made for, the LLVM that makes it, and what this machine is
    Targets(targets::Args),
    /// Say what is found on this machine, what is missing, and what to type
    Doctor(doctor::Args),
    /// Serve an editor: diagnostics, hovers, hints and views of the lowered program, while kernels are typed
    Lsp(lsp::Args),
    /// Serve an editor's debugger: step through the lanes of a kernel, forth and back
    Dap(dap::Args),
    /// Make and run native code for another process (internal)
    #[command(hide = true)]
    Worker(worker::Args),
    /// Print what a shell needs to complete this command
    Completions(completions::Args),
    /// Print the manual page
    Man(man::Args),
}

/// Parses the command line of the process; `None` if it has no word but the program's own. Help goes to standard output, and wrong usage
/// ends the process with code 2.
pub fn parse() -> Option<Command> {
    if std::env::args_os().len() < 2 {
        return None;
    }
    let Cli { command, explore } = Cli::parse();
    Some(command.unwrap_or(Command::Explore(explore)))
}

/// Says how the command is used, and ends the process as for wrong usage.
pub fn usage() -> ! {
    let mut cli = Cli::command().arg_required_else_help(true);
    match cli.try_get_matches_from_mut(["lanescope"]) {
        Err(help) => help.exit(),
        Ok(_) => std::process::exit(2),
    }
}

/// Ends the process with a usage error of `subcommand`, for mistakes that the parser of arguments cannot detect.
pub fn wrong_usage(subcommand: &str, kind: clap::error::ErrorKind, message: &str) -> ! {
    let mut cli = Cli::command();
    cli.build();
    match cli.find_subcommand_mut(subcommand) {
        Some(command) => command.error(kind, message).exit(),
        None => cli.error(kind, message).exit(),
    }
}

/// Returns the definition of the command line, from which completions and manual pages are generated.
pub fn command() -> clap::Command {
    Cli::command()
}

/// Returns the names of all subcommands.
pub fn subcommands() -> Vec<String> {
    Cli::command().get_subcommands().map(|command| command.get_name().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }
}
