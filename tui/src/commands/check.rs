//! `lanescope check`: reports the findings about kernels.

use std::io::{self, Write};
use std::path::PathBuf;

use driver::catalogue::parse_code;
use driver::document::Document;
use driver::inputs::parted;
use driver::ispc_files::Command;
use driver::words::count;
use ide::fixes::TrialText;
use queries::stages::Options;
use report::{Diagnostic, Severity};

use crate::console::{Console, Outcome};
use crate::lanes::TargetsArgs;
use crate::{documents, ispc_findings, json, render};

const EXAMPLES: &str = "\
Examples:
  lanescope check examples/
  lanescope check blur.lane --deny tab-indent
  lanescope check blur.lane --target sse4,neon
  lanescope check kernel.ispc -I include -D WIDTH=8
  lanescope check - --json < blur.lane";

/// The arguments of `check`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Files, folders (all `.lane` and `.ispc` files in and under them), or `-` for standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    targets: TargetsArgs,
    /// Make findings with this code errors; may be given several times
    #[arg(long, value_name = "CODE", value_parser = parse_code)]
    deny: Vec<&'static str>,
    /// A folder of headers for ISPC files; may be given several times
    #[arg(short = 'I', value_name = "DIR")]
    include: Vec<String>,
    /// A macro for ISPC files; may be given several times
    #[arg(short = 'D', value_name = "NAME[=VALUE]")]
    define: Vec<String>,
    /// Print one JSON object, described in docs/json.md
    #[arg(long)]
    json: bool,
}

/// Runs the command: prints the findings about the files, and a summary of them.
pub fn run(args: &Args, console: &mut Console) -> io::Result<Outcome> {
    let mut report = json::CheckReport { version: json::VERSION, diagnostics: Vec::new() };
    let mut all = Vec::new();
    let mut n_files = 0;
    let options = args.targets.options(Options::default().target);
    let (of_ispc, files) = parted(&args.files);
    let command = Command { include: &args.include, define: &args.define, target: options[0] };
    let found = ispc_findings::check(&of_ispc, &command, args.json, &mut report.diagnostics, console)?;
    n_files += found.n_files;
    let outcome = documents::each(&files, "checking", console, |document, _, console| {
        let document = document.made_for(&options);
        let diagnostics = TrialText::new(&document.text)
            .among(document.around())
            .made_for(&document.promised_for())
            .tried(document.diagnostics());
        let diagnostics = deny(diagnostics, &args.deny);
        if args.json {
            report.diagnostics.extend(diagnostics.iter().map(|found| json::Diagnostic::of(&document, found)));
        } else {
            draw(&document, &diagnostics, console)?;
        }
        n_files += 1;
        let outcome = outcome_of(&diagnostics);
        all.extend(diagnostics);
        Ok(outcome)
    })?;
    if args.json {
        json::print(&report, console)?;
    } else if let Some(summary) = render::summary_of(counts_of(&all, &found), n_files) {
        writeln!(console, "{summary}")?;
    } else if n_files > 0 {
        writeln!(console, "{}: nothing to complain about", count(n_files, "file"))?;
    }
    Ok(outcome.max(found.outcome))
}

/// Counts findings by their severity.
fn counts_of(all: &[Diagnostic], of_ispc: &ispc_findings::Checked) -> [(Severity, usize); 3] {
    let count = |severity| all.iter().filter(|found| found.severity == severity).count();
    [
        (Severity::Error, count(Severity::Error) + of_ispc.n_errors),
        (Severity::Warning, count(Severity::Warning) + of_ispc.n_warnings),
        (Severity::Note, count(Severity::Note) + of_ispc.n_notes),
    ]
}

/// Returns the outcome of a command with these findings.
pub fn outcome_of(diagnostics: &[Diagnostic]) -> Outcome {
    let refused = diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
    if refused { Outcome::Refused } else { Outcome::Done }
}

/// Draws findings on standard output.
pub fn draw(document: &Document, diagnostics: &[Diagnostic], console: &mut Console) -> io::Result<()> {
    let look = console.look();
    diagnostics.iter().try_for_each(|found| write!(console, "{}", render::diagnostic(document, found, look)))
}

fn deny(mut diagnostics: Vec<Diagnostic>, codes: &[&str]) -> Vec<Diagnostic> {
    for diagnostic in diagnostics.iter_mut().filter(|diagnostic| codes.contains(&diagnostic.code.name())) {
        diagnostic.severity = Severity::Error;
    }
    diagnostics
}

#[cfg(test)]
mod tests {
    use super::*;
    use hir::errors::CheckCode;
    use report::TextRange;

    #[test]
    fn a_denied_code_is_an_error_and_others_stay_what_they_are() {
        let error = Diagnostic::error(CheckCode::StridedLoad, TextRange::default(), "");
        let note = |code: CheckCode| Diagnostic { code: code.into(), severity: Severity::Note, ..error.clone() };
        let [load, store] = [CheckCode::StridedLoad, CheckCode::StridedStore].map(note);
        let denied = deny(vec![load, store.clone()], &["strided-load"]);
        assert_eq!(denied, [error.clone(), store]);
        assert_eq!(outcome_of(&denied), Outcome::Refused);
        assert_eq!(outcome_of(&denied[1..]), Outcome::Done);
    }
}
