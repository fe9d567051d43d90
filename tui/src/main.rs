//! The `lanescope` command. Everything else is in the library of this package.

use std::process::ExitCode;

use mimalloc::MiMalloc;
use tui::cli::{self, Command};
use tui::commands::{
    asm, bench, build, check, compare, completions, dap, doctor, explain, explore, faster, fmt, learn, lower, lsp, man,
    new, run, start, targets, test, worker,
};
use tui::console::Console;

/// Trees, kernels and facts are millions of small pieces, made on one thread and dropped on another.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    let command = cli::parse();
    let mut console = Console::new();
    let Some(command) = command else {
        let outcome = start::run(&mut console);
        return console.exit(outcome);
    };
    let outcome = match command {
        Command::Explore(args) => explore::run(&args, &mut console),
        Command::Learn(args) => learn::run(&args, &mut console),
        Command::Check(args) => check::run(&args, &mut console),
        Command::Explain(args) => explain::run(&args, &mut console),
        Command::Faster(args) => faster::run(&args, &mut console),
        Command::Compare(args) => compare::run(&args, &mut console),
        Command::Lower(args) => lower::run(&args, &mut console),
        Command::Asm(args) => asm::run(&args, &mut console),
        Command::Run(args) => run::run(&args, &mut console),
        Command::Bench(args) => bench::run(&args, &mut console),
        Command::Build(args) => build::run(&args, &mut console),
        Command::New(args) => new::run(&args, &mut console),
        Command::Test(args) => test::run(&args, &mut console),
        Command::Fmt(args) => fmt::run(&args, &mut console),
        Command::Targets(args) => targets::run(&args, &mut console),
        Command::Doctor(args) => doctor::run(&args, &mut console),
        Command::Worker(args) => worker::run(&args),
        Command::Lsp(args) => lsp::run(&args),
        Command::Dap(args) => dap::run(&args),
        Command::Completions(args) => completions::run(&args, &mut console),
        Command::Man(args) => man::run(&args, &mut console),
    };
    console.exit(outcome)
}
