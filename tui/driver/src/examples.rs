//! Examples in the documentation of kernels: a call, and below it what it is expected to give.
//!
//! ```text
//! ## Turns the volume of a recording up or down.
//! ##
//! ## > scale_audio([1, 2, 4], out = zeros(3), n = 3, volume = 0.5)
//! ## out = [0.5, 1.0, 2.0]
//! kernel scale_audio(samples, out, n, volume):
//! ```
//!
//! A *call* names a kernel of the file; its arguments are those of `lanescope run`, by position or by name. It goes on in the next
//! lines while a bracket is open. The *expected lines* end with the documentation, an empty line, or the next call. Each is the result
//! (`3.5`), an array that the kernel writes (`out = [1.0, …]`, where `…` leaves the rest open), or the code of the error that ends the
//! run (`error[overflow]`). Numbers have to be equal to the bit; behind `≈` they may differ by one part in ten thousand.

mod compare;
mod parse;

use std::path::Path;

use queries::db::Item;
use queries::run::{Argument, Engine, NotRun, RunOutcome, run};
use queries::stages::{self, Options};
use report::{ItemKind, TextRange};

pub use compare::{Difference, printed};
pub use parse::{Example, Expectation, examples};

use crate::arguments::argument_in;
use crate::document::Document;
use crate::spelling::did_you_mean;

/// An example after its runs.
#[derive(Debug)]
pub enum Verdict {
    /// All engines gave what was expected, or nothing was expected and they ran.
    Passed,
    /// An engine gave something else.
    Differs {
        /// The engine: `evaluated`, `interpreted` or `native`.
        engine: &'static str,
        /// The difference.
        difference: Difference,
    },
    /// The example cannot be run: a sentence that says why, and what to do.
    Broken(String),
}

/// Limits and choices of the runs of examples.
#[derive(Debug, Clone, Copy)]
pub struct Settings {
    /// The target and lanes.
    pub options: Options,
    /// Largest number of steps of a run.
    pub fuel: u64,
}

/// Runs the machine code of a kernel, or returns the reason why it gave no outcome.
pub type RunNatively<'a> = &'a dyn Fn(&Document, Item<'_>, &[Argument]) -> Result<RunOutcome, NotRun>;

/// Runs an example in the evaluator of the language, in the interpreter on the last stage and, if there is a way to, natively. Also
/// returns the outcome of the first of them. `folder` is where the paths of `@file.npy` start.
pub fn judge(
    document: &Document,
    example: &Example,
    settings: Settings,
    folder: &Path,
    natively: Option<RunNatively<'_>>,
) -> (Verdict, Option<RunOutcome>) {
    let (item, arguments) = match called(document, example, folder) {
        Ok(called) => called,
        Err(why) => return (Verdict::Broken(why), None),
    };
    let last = stages::STAGES.last().expect("there are stages");
    let interpreted = |engine| run(document.db(), item, engine, &arguments, settings.fuel, &mut || false);
    let first = match interpreted(Engine::Scalar) {
        Ok(outcome) => outcome,
        Err(why) => return (Verdict::Broken(sentence(why)), None),
    };
    // What an error leaves behind is specified for the language, and machine code that meets one may do anything.
    let fails = first.failure.is_some();
    let second = || interpreted(Engine::Interp(last, settings.options));
    let third = || natively.filter(|_| !fails).map(|natively| natively(document, item, &arguments));
    let verdict = compare::compare(example, &first)
        .map(|difference| Verdict::Differs { engine: "evaluated", difference })
        .or_else(|| judged(example, "interpreted", second()))
        .or_else(|| judged(example, "native", third()?));
    (verdict.unwrap_or(Verdict::Passed), Some(first))
}

/// Judges the outcome of another engine.
fn judged(example: &Example, engine: &'static str, outcome: Result<RunOutcome, NotRun>) -> Option<Verdict> {
    match outcome {
        Ok(outcome) => compare::compare(example, &outcome).map(|difference| Verdict::Differs { engine, difference }),
        Err(why) => Some(Verdict::Broken(sentence(why))),
    }
}

fn sentence(why: NotRun) -> String {
    let way_out = if matches!(why, NotRun::Missing(_)) { "; write `NAME = …` in the call" } else { "" };
    format!("{why}{way_out}")
}

/// Finds the kernel that an example calls, with the arguments of the call.
pub fn called<'d>(
    document: &'d Document,
    example: &Example,
    folder: &Path,
) -> Result<(Item<'d>, Vec<Argument>), String> {
    let call = example.call.as_ref().map_err(Clone::clone)?;
    let db = document.db();
    let items = document.items().iter().copied();
    let kernels = document.kernels();
    let named = |item: &&Item<'_>| **item.name(db) == *call.kernel;
    let Some(&item) = kernels.iter().find(named) else {
        if items.clone().any(|item| item.kind(db) == ItemKind::Fn && named(&&item)) {
            return Err(format!(
                "`{}` is a `fn`, and only kernels can be run; call a kernel that uses it",
                call.kernel
            ));
        }
        let names: Vec<&str> = kernels.iter().map(|item| -> &str { item.name(db) }).collect();
        return Err(format!("there is no kernel `{}` in this file{}", call.kernel, did_you_mean(&call.kernel, &names)));
    };
    let errors = crate::machine_code::errors(document, &[item]);
    if let Some(error) = errors.first() {
        return Err(format!("`{}` has errors: {}; `lanescope check` shows all", call.kernel, error.message));
    }
    let parameters = parameters(document, item);
    let mut arguments = Vec::new();
    for (n, given) in call.arguments.iter().enumerate() {
        let name = match (&given.name, parameters.get(n)) {
            (Some(name), _) | (None, Some(name)) => name,
            (None, None) => {
                let takes = crate::words::count(parameters.len(), "parameter");
                return Err(format!("`{}` has {takes}, and is given {}", call.kernel, call.arguments.len()));
            }
        };
        let given = crate::spec::parse(&format!("{name}={}", given.spec))?;
        arguments.push(argument_in(folder, &given)?);
    }
    Ok((item, arguments))
}

/// The names of a kernel's parameters, in order.
fn parameters(document: &Document, item: Item<'_>) -> Vec<String> {
    let kernel = queries::sequential(document.db(), item).kernel.clone();
    let names = kernel.iter().flat_map(|kernel| {
        kernel.params.iter().map(|param| kernel.values[param.value].name.as_deref().unwrap_or_default().to_owned())
    });
    names.collect()
}

/// The text of a document with the expected lines of some examples replaced by the outcomes of their runs.
pub fn updated(document: &Document, outcomes: &[(&Example, RunOutcome)]) -> String {
    let mut text = document.text.clone();
    // From the end, so that the ranges of what comes before stay true.
    for (example, outcome) in outcomes.iter().rev() {
        let lines: Vec<String> = printed(outcome).iter().map(|line| format!("## {line}\n")).collect();
        let range: TextRange = example.expected_lines;
        let line_break = if document.text[..usize::from(range.start())].ends_with('\n') { "" } else { "\n" };
        text.replace_range(
            usize::from(range.start())..usize::from(range.end()),
            &format!("{line_break}{}", lines.concat()),
        );
    }
    text
}

#[cfg(test)]
mod tests;
