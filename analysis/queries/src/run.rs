//! Running a kernel of a file on data that was described, not loaded: `lanescope run`, and the explorer's run pane.

use std::sync::Arc;

use report::{ItemKey, ItemKind, Severity, TextRange};

use super::check::{findings, start_of};
use super::db::{File, Item, dense_map, parse};
use super::failures::Subjects;
use super::lowering::sequential;
use super::names::{file_names, file_of, item_of, key, named};
use super::prelude;
use super::stages::{self, Options, Stage};
use super::surface::lowered;
use super::templates::kernel_of;
use super::types::infer;
use super::uses::all_used;
use execution::sample as samples;
use hir::Name;
use hir::eval::{CheckedUnit, Program};

pub use execution::{
    Arg, Argument, CODES, DataSource, Elem, Inputs, Json, NotRun, ResultArray, RunFailure, RunOutcome, Sample, Scalar,
    arrays_of, check_inputs, json,
};

/// The engines that run a kernel.
#[derive(Debug, Clone, Copy)]
pub enum Engine {
    /// The interpreter of Lane IR, on the kernel at a stage.
    Interp(&'static Stage, Options),
    /// The evaluator of the language's meaning, which knows nothing of Lane IR.
    Scalar,
}

/// Runs a kernel on arguments, with one of the engines.
pub fn run(
    db: &dyn salsa::Database,
    item: Item<'_>,
    engine: Engine,
    arguments: &[Argument],
    fuel: u64,
    cancelled: &mut dyn FnMut() -> bool,
) -> Result<RunOutcome, NotRun> {
    let (kernel, inputs) = prepare(db, item, arguments)?;
    let Engine::Interp(stage, options) = engine else {
        let unfit = || NotRun::Unfit(format!("`{}` cannot be evaluated", item.name(db)));
        let program = program_of(db, item).ok_or_else(unfit)?;
        return execution::evaluate(&program, &kernel, &inputs, fuel, &|places| Subjects::new(db, item).place(places));
    };
    let kernel = stage
        .kernel(db, item, options)
        .ok_or_else(|| NotRun::Unfit(format!("the stage `{}` cannot be run", stage.name)))?;
    let place = |origin| Subjects::new(db, item).of_origin(&kernel, origin);
    execution::interpret(&kernel, &inputs, fuel, cancelled, &place)
}

/// The check of sizes at the entry of a kernel, as it is behind all passes, that does not hold for some inputs: native code ends for it
/// without a word.
pub fn failed_check(
    db: &dyn salsa::Database,
    item: Item<'_>,
    kernel: &ir::Kernel,
    inputs: &Inputs,
) -> Option<RunFailure> {
    execution::failed_check(kernel, inputs, &|origin| Subjects::new(db, item).of_origin(kernel, origin))
}

/// The place in the file of a place in an item of it.
pub(crate) fn place(db: &dyn salsa::Database, item: Item<'_>, key: &ItemKey, range: TextRange) -> Option<TextRange> {
    let at = item_of(db, item.file(db), key)?;
    Some(dense_map(db, at).to_text(range) + start_of(db, at)?)
}

/// A kernel in order, and the inputs that arguments describe: any engine starts from these.
pub fn prepare(
    db: &dyn salsa::Database,
    item: Item<'_>,
    arguments: &[Argument],
) -> Result<(Arc<ir::Kernel>, Inputs), NotRun> {
    execution::prepare(item.name(db), sequential(db, item), arguments)
}

/// Data for each parameter of a kernel (see [`samples::sample`]).
pub fn sample(db: &dyn salsa::Database, item: Item<'_>, given: &[(String, i128)]) -> Option<Vec<Sample>> {
    let kernel = sequential(db, item).kernel.as_ref()?;
    Some(samples::sample(kernel, &|arguments, fuel| in_order(db, item, arguments, fuel), given))
}

/// Data for those parameters of a kernel that none is given for, to measure the kernel on (see [`samples::to_measure`]).
pub fn to_measure(db: &dyn salsa::Database, item: Item<'_>, given: &[Argument]) -> Option<Vec<Argument>> {
    let kernel = sequential(db, item).kernel.as_ref()?;
    Some(samples::to_measure(kernel, &|arguments, fuel| in_order(db, item, arguments, fuel), given))
}

/// Data for those parameters of a kernel that none is given for, for a short run (see [`samples::of_length`]).
pub fn of_length(db: &dyn salsa::Database, item: Item<'_>, given: &[Argument], length: i128) -> Option<Vec<Argument>> {
    let kernel = sequential(db, item).kernel.as_ref()?;
    Some(samples::of_length(kernel, &|arguments, fuel| in_order(db, item, arguments, fuel), given, length))
}

/// The results of a kernel's run in order up to an error of the program, if it comes to one within `fuel` steps.
pub fn up_to_error(db: &dyn salsa::Database, item: Item<'_>, arguments: &[Argument], fuel: u64) -> Option<RunOutcome> {
    in_order(db, item, arguments, fuel).ok().filter(|ran| ran.failure.is_some())
}

fn in_order(db: &dyn salsa::Database, item: Item<'_>, arguments: &[Argument], fuel: u64) -> Result<RunOutcome, NotRun> {
    let engine = Engine::Interp(stages::in_order(), Options::default());
    run(db, item, engine, arguments, fuel, &mut || false)
}

/// A kernel of a file with all that it reaches, for the evaluator; `None` if the file has none of that name.
pub fn program(db: &dyn salsa::Database, file: File, kernel: &str) -> Option<Program> {
    let kernel = named(db, file, kernel.into()).filter(|item| item.kind(db) == ItemKind::Kernel)?;
    program_of(db, kernel_of(db, kernel))
}

/// A kernel, or an instance of one, with all that it reaches, for the evaluator.
fn program_of<'db>(db: &'db dyn salsa::Database, kernel: Item<'db>) -> Option<Program> {
    let file = kernel.file(db);
    let files = [file, prelude::file(db)].into_iter().chain(all_used(db, file).iter().copied());
    let structs = files.flat_map(|of| file_names(db, of).in_order.iter()).filter(|key| key.kind.is_type());
    let structs = structs.map(|key| (key.file, key.name.clone()));
    let home_of_kernel = key(db, kernel).file;
    let unit = |home, name: &Name| match home == home_of_kernel && name == kernel.name(db) {
        true => Some(unit(db, kernel)),
        false => Some(unit(db, named(db, file_of(db, file, home), name.clone())?)),
    };
    Some(Program::new(home_of_kernel, kernel.name(db).clone(), structs, unit))
}

pub(crate) fn unit<'db>(db: &'db dyn salsa::Database, item: Item<'db>) -> CheckedUnit {
    let lowered = lowered(db, item);
    let findings = findings(db, item);
    let found = findings.iter().find(|finding| finding.severity == Severity::Error);
    let syntax_error = parse(db, item).errors.iter().find(|error| error.severity == Severity::Error);
    // A syntax error's place is one of the text; the header is as near as the dense text has it.
    let error = syntax_error
        .map(|error| (lowered.map.header, error.message.clone()))
        .or_else(|| found.map(|finding| (finding.at, finding.message.clone())));
    CheckedUnit {
        key: key(db, item),
        name: item.name(db).clone(),
        body: lowered.body.clone(),
        map: lowered.map.clone(),
        types: infer(db, item).clone(),
        error,
    }
}

#[cfg(test)]
mod tests;
