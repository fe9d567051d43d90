//! Runs of kernels, each on a thread of its own: interpreted at a stage, by the reference evaluator of the language, as
//! machine code, and as repeated, timed machine code.
//!
//! A run analyses a copy of the text, because it may take long and must not block the analysis. Machine code runs in a
//! separate process, which ends when the run is stopped.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use driver::arguments::argument;
use driver::document::Document;
use driver::machine_code::{self, NoCode};
use driver::measuring;
use driver::running;
use driver::spec;
use driver::sweeping::{SweepOver, SweepReport, sweep};
use native::protocol::{Failure, Job};
use queries::run;
use queries::run::{Argument, NotRun, RunOutcome};
use queries::stages::STAGES;
use report::Severity;

use crate::answers;
use crate::assembling::Machinist;
use crate::page::{Line, Page, Role};
use crate::questions::{Engine, How, Run, RunReport};
use crate::sweeps;

/// Maximum number of steps of a run, since a user is waiting for it.
const FUEL: u64 = 100_000_000;

/// Duration of each measurement in milliseconds.
pub(crate) const MEASURED: u64 = 300;

/// Duration of each measurement of a sweep, which makes some two dozen of them.
const SWEPT: u64 = 100;

/// Length of the longest bar of a chart, in columns.
pub(crate) const WIDEST: usize = 12;

/// Runs a kernel, and reports intermediate results through `told`.
pub(crate) fn run_kernel(
    path: &str,
    text: &str,
    wish: &Run,
    machinist: &dyn Machinist,
    stop: &AtomicBool,
    told: &dyn Fn(Page),
) -> RunReport {
    let document = Document::new(path, text).made_for(&[wish.goal.options]);
    let arguments = match arguments_of(&wish.arguments) {
        Ok(arguments) => arguments,
        Err(why) => return answers::not_run(&why, None).into(),
    };
    match wish.how {
        How::Once(engine) => match once(&document, wish, engine, &arguments, machinist, stop) {
            Ok(outcome) => {
                RunReport { page: answers::ran(&outcome), arrays: Some(Arc::new(outcome.arrays)), sweep: None }
            }
            Err(why) => answers::not_run(&why.to_string(), None).into(),
        },
        How::Measured => measured(&document, wish, &arguments, machinist, stop, told).into(),
        How::Swept => swept(&document, wish, &arguments, machinist, stop, told),
    }
}

/// Converts arguments as they were typed.
pub(crate) fn arguments_of(typed: &[(String, String)]) -> Result<Vec<Argument>, String> {
    typed.iter().map(|(name, text)| argument(&spec::parse(&format!("{name}={text}"))?)).collect()
}

fn once(
    document: &Document,
    wish: &Run,
    engine: Engine,
    arguments: &[Argument],
    machinist: &dyn Machinist,
    stop: &AtomicBool,
) -> Result<RunOutcome, NotRun> {
    let db = document.db();
    let gone = || NotRun::Unfit("the kernel is gone".to_owned());
    let item = answers::find(db, document.file(), &wish.item).ok_or_else(gone)?;
    let options = wish.goal.options;
    let interpreter = match engine {
        Engine::Stage(n) => run::Engine::Interp(&STAGES[n], options),
        Engine::Source => run::Engine::Scalar,
        Engine::Native => return natively(document, wish, arguments, machinist, stop),
    };
    run::run(db, item, interpreter, arguments, FUEL, &mut || stop.load(Ordering::Relaxed))
}

/// Runs the machine code of a kernel.
fn natively(
    document: &Document,
    wish: &Run,
    arguments: &[Argument],
    machinist: &dyn Machinist,
    stop: &AtomicBool,
) -> Result<RunOutcome, NotRun> {
    let unfit = |failure: Failure| NotRun::Unfit(failure.to_string());
    let db = document.db();
    let gone = || NotRun::Unfit("the kernel is gone".to_owned());
    let item = answers::find(db, document.file(), &wish.item).ok_or_else(gone)?;
    refused(document, wish).map_err(NotRun::Unfit)?;
    let machine = wish.goal.machine(&machinist.host().map_err(unfit)?);
    let ask = |job: Job, memory: &[u8]| machinist.run(job, memory, stop);
    let ran = running::natively(document, item, arguments, wish.goal.options, &machine, None, ask)?;
    ran.map_err(|failure| NotRun::Stopped(failure.to_string()))
}

/// Returns an error with the reason if the kernel's machine code cannot run here.
fn refused(document: &Document, wish: &Run) -> Result<(), String> {
    let row = wish.goal.options.target;
    if !native::host::runs(row) {
        return Err(format!("this machine does not run code for `{}`; `t` picks another target", row.name));
    }
    let item = answers::find(document.db(), document.file(), &wish.item);
    let errors = item.map(|item| machine_code::errors(document, &[item])).unwrap_or_default();
    match errors.iter().find(|error| error.severity == Severity::Error) {
        Some(error) => Err(error.message.clone()),
        None => Ok(()),
    }
}

/// Times the kernel as scalar and as vector code, beside the peak rates of this machine.
fn measured(
    document: &Document,
    wish: &Run,
    arguments: &[Argument],
    machinist: &dyn Machinist,
    stop: &AtomicBool,
    told: &dyn Fn(Page),
) -> Page {
    if let Err(why) = refused(document, wish) {
        return answers::not_run(&why, None);
    }
    let Some(item) = answers::find(document.db(), document.file(), &wish.item) else {
        return answers::not_run("the kernel is gone", None);
    };
    let machine = match machinist.host() {
        Ok(host) => wish.goal.machine(&host),
        Err(failure) => return answers::not_run(&failure.to_string(), None),
    };
    let filled = run::to_measure(document.db(), item, arguments).unwrap_or_default();
    let spelled = |one: &Argument| spec::spelled(&one.source).map(|spec| format!("{}={spec}", one.name));
    let chosen: Vec<String> = filled.iter().filter_map(spelled).collect();
    let arguments = &[arguments, &filled].concat()[..];
    let wanted = measuring::Wanted {
        threads: None,
        item,
        row: wish.goal.options.target,
        machine,
        options: wish.goal.options,
        given: arguments,
        milliseconds: MEASURED,
    };
    let ask = |job: Job, memory: &[u8]| machinist.run(job, memory, stop).map_err(NoCode::from);
    let page = |lines: Vec<String>, more: Option<&str>| {
        let on = (!chosen.is_empty()).then(|| Line::of(Role::Faint, format!("on {}", chosen.join(" "))));
        let mut lines: Vec<_> =
            on.into_iter().chain(lines.into_iter().map(|line| Line::of(Role::Text, line))).collect();
        lines.extend(more.map(|more| Line::of(Role::Faint, more)));
        Page::prose(lines)
    };
    let report = measuring::measure(document, &wanted, &ask, &mut |report, next| {
        told(page(measuring::chart(report, WIDEST), Some(&format!("measuring {next} … (esc stops)"))));
    });
    match report {
        Ok(report) => page(measuring::chart(&report, WIDEST), None),
        Err(NoCode::Trouble(why) | NoCode::Stopped(why)) => answers::not_run(&why, None),
        Err(NoCode::Errors(errors)) => {
            answers::not_run(errors.first().map_or("it has errors", |error| &error.message), None)
        }
    }
}

/// Times the kernel on many sizes of data, with many numbers of lanes, and for all targets that run here.
fn swept(
    document: &Document,
    wish: &Run,
    arguments: &[Argument],
    machinist: &dyn Machinist,
    stop: &AtomicBool,
    told: &dyn Fn(Page),
) -> RunReport {
    if let Err(why) = refused(document, wish) {
        return answers::not_run(&why, None).into();
    }
    let Some(item) = answers::find(document.db(), document.file(), &wish.item) else {
        return answers::not_run("the kernel is gone", None).into();
    };
    let machine = match machinist.host() {
        Ok(host) => wish.goal.machine(&host),
        Err(failure) => return answers::not_run(&failure.to_string(), None).into(),
    };
    let wanted = measuring::Wanted {
        threads: None,
        item,
        row: wish.goal.options.target,
        machine,
        options: wish.goal.options,
        given: arguments,
        milliseconds: SWEPT,
    };
    let ask = |job: Job, memory: &[u8]| machinist.run(job, memory, stop).map_err(NoCode::from);
    let mut so_far = |report: &SweepReport, next: &str| told(sweeps::page(report, Some(next)));
    match sweep(document, &wanted, &SweepOver::ALL, &ask, &mut so_far) {
        Ok(report) => RunReport { page: sweeps::page(&report, None), arrays: None, sweep: Some(Arc::new(report)) },
        Err(NoCode::Trouble(why) | NoCode::Stopped(why)) => answers::not_run(&why, None).into(),
        Err(NoCode::Errors(errors)) => {
            answers::not_run(errors.first().map_or("it has errors", |error| &error.message), None).into()
        }
    }
}
