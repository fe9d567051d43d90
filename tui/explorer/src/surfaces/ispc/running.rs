//! Runs of functions of ISPC files, with all lanes on: by the interpreter, as machine code, and as machine code that is timed.

use std::path::Path;
use std::sync::Arc;

use driver::ispc_building::NoIspcModule;
use driver::ispc_files::HeaderArguments;
use driver::ispc_files::{closest, read_text};
use driver::ispc_linking::with_others;
use driver::ispc_measuring::{IspcMeasuring, measure};
use driver::ispc_running::{self, IspcRunOutcome, LoweredUnit, NotRunNatively};
use driver::ispc_samples::to_measure;
use driver::ispc_stepping::stepped;
use driver::machine_code::NoCode;
use driver::measuring::chart;
use driver::stepping::SteppedRun;
use native::protocol::Job;
use queries::ispc::problems::Problem;
use queries::ispc::units::{FileId, SourcePlace};
use queries::run::{Argument, ResultArray};
use queries::stages::Options;
use queries::stages::target::Target;
use report::{Diagnostic, ReportCode, Severity, TextRange, TextSize};

use super::RunJob;
use crate::answers::{array_lines, not_run, problem};
use crate::lanes::LanesKey;
use crate::page::{Line, Page, Role};
use crate::questions::{Engine, How, RunReport};
use crate::running::{MEASURED, WIDEST, arguments_of};

/// Maximum number of steps of a run, since a user is waiting for it and the interpreter is not asked to stop.
const FUEL: u64 = 20_000_000;

/// Runs a function on a copy of the text, or measures it.
pub(super) fn run(job: &RunJob<'_>) -> RunReport {
    if job.wish.how == How::Measured {
        return measured(job).unwrap_or_else(|(why, source)| not_run(&why, source)).into();
    }
    match outcome(job) {
        Ok(outcome) => {
            let arrays: Vec<ResultArray> = outcome.arrays.iter().map(ispc_running::result_array).collect();
            RunReport { page: page(&outcome, &arrays), arrays: Some(Arc::new(arrays)), sweep: None }
        }
        Err((why, source)) => not_run(&why, source).into(),
    }
}

/// The reason why there is no run, and its place.
type NotRunHere = (String, Option<TextRange>);

/// Prepares a run that is stepped through.
pub(super) fn step(
    path: &str,
    text: &str,
    key: &LanesKey,
    serve: &mut dyn FnMut(&mut dyn SteppedRun),
) -> Result<(), String> {
    let name = &key.item.name;
    let wanted = Wanted { path, text, name, headers: &key.headers };
    let lowered = wanted.lowered(key.options).map_err(|(why, _)| why)?;
    stepped(&lowered, text, name, &arguments_of(&key.arguments)?, serve)
}

/// The function that is to run.
struct Wanted<'w> {
    path: &'w str,
    text: &'w str,
    name: &'w str,
    headers: &'w HeaderArguments,
}

/// The function, lowered for the lanes of a target.
fn lowered(job: &RunJob<'_>, options: Options) -> Result<LoweredUnit, NotRunHere> {
    Wanted { path: job.path, text: job.text, name: &job.wish.item.name, headers: &job.wish.headers }.lowered(options)
}

impl Wanted<'_> {
    fn lowered(&self, options: Options) -> Result<LoweredUnit, NotRunHere> {
        let unit = read_text(self.path, self.text, &self.headers.command(options));
        if let Some(error) = unit.problems.iter().find(|problem| !problem.is_warning) {
            return Err(told(error));
        }
        let (lanes, name) = (closest(options).width, self.name);
        let read = |text: &str| read_text(self.path, text, &self.headers.command(options));
        let unit = with_others(unit, Path::new(self.path), lanes, name, &read).unit;
        let lowered = ispc_running::lowered_for(&unit, lanes, Some(name));
        match ispc_running::problems(&lowered).first() {
            Some(problem) => Err(told(problem)),
            None => Ok(lowered),
        }
    }
}

fn unfit(why: String) -> NotRunHere {
    (why, None)
}

fn outcome(job: &RunJob<'_>) -> Result<IspcRunOutcome, NotRunHere> {
    let name = &*job.wish.item.name;
    let lowered = lowered(job, job.wish.goal.options)?;
    let given = arguments_of(&job.wish.arguments).map_err(unfit)?;
    match job.wish.how {
        How::Once(Engine::Native) => natively(job, &lowered, &given),
        How::Once(_) | How::Measured | How::Swept => ispc_running::run(&lowered, name, &given, FUEL).map_err(unfit),
    }
}

/// The machine that runs machine code; else the reason why none does.
fn machine(job: &RunJob<'_>) -> Result<Target, NotRunHere> {
    let (goal, row) = (job.wish.goal, job.wish.goal.options.target);
    if !native::host::runs(row) {
        return Err(unfit(format!("this machine does not run code for `{}`; `t` picks another target", row.name)));
    }
    Ok(goal.machine(&job.machinist.host().map_err(|failure| unfit(failure.to_string()))?))
}

/// Times the function with the lanes of the target, and with one.
fn measured(job: &RunJob<'_>) -> Result<Page, NotRunHere> {
    let options = job.wish.goal.options;
    let machine = machine(job)?;
    let with_lanes = lowered(job, options)?;
    let one_lane = lowered(job, Options { lanes: Some(1), ..options }).ok();
    let mut given = arguments_of(&job.wish.arguments).map_err(unfit)?;
    let filled = to_measure(&with_lanes, &job.wish.item.name, &given);
    let spelled = |one: &Argument| driver::spec::spelled(&one.source).map(|spec| format!("{}={spec}", one.name));
    let chosen: Vec<String> = filled.iter().filter_map(spelled).collect();
    given.extend(filled);
    let wanted = IspcMeasuring {
        name: &job.wish.item.name,
        lowered: &with_lanes,
        one_lane: one_lane.as_ref(),
        target: options.target.name,
        machine: &machine,
        given: &given,
        milliseconds: MEASURED,
    };
    let ask = |request: Job, memory: &[u8]| job.machinist.run(request, memory, job.stop).map_err(NoCode::from);
    match measure(&wanted, &ask) {
        Ok(report) => {
            let on = (!chosen.is_empty()).then(|| Line::of(Role::Faint, format!("on {}", chosen.join(" "))));
            let lines = chart(&report, WIDEST).into_iter().map(|line| Line::of(Role::Text, line));
            Ok(Page::prose(on.into_iter().chain(lines).collect()))
        }
        Err(NoCode::Trouble(why) | NoCode::Stopped(why)) => Err(unfit(why)),
        Err(NoCode::Errors(errors)) => Err(unfit(errors.first().map_or_else(String::new, |it| it.message.clone()))),
    }
}

fn natively(job: &RunJob<'_>, lowered: &LoweredUnit, given: &[Argument]) -> Result<IspcRunOutcome, NotRunHere> {
    let (name, machine) = (&*job.wish.item.name, machine(job)?);
    let ask = |request: Job, memory: &[u8]| job.machinist.run(request, memory, job.stop);
    ispc_running::run_natively(lowered, name, given, &machine, ask).map_err(|why| match why {
        NotRunNatively::NoCode(NoIspcModule::Problems(problems)) => problems.first().map(told).unwrap_or_default(),
        NotRunNatively::NoCode(NoIspcModule::Trouble(message)) => (message, None),
        NotRunNatively::Stopped(failure) => (failure.to_string(), None),
    })
}

fn told(problem: &Problem) -> NotRunHere {
    (problem.message.clone(), own_range(problem.place))
}

fn own_range(place: SourcePlace) -> Option<TextRange> {
    let is_own = place.file == FileId::MAIN && place.start < place.end;
    is_own.then(|| TextRange::new(TextSize::new(place.start), TextSize::new(place.end)))
}

/// Shows how a run ended: what it printed, its result, the arrays, and the error that stopped it.
fn page(outcome: &IspcRunOutcome, arrays: &[ResultArray]) -> Page {
    let mut lines = Vec::new();
    if let Some(failure) = &outcome.failure {
        lines.extend(of_problem(failure, Severity::Error));
        lines.push(Line::of(Role::Faint, "the arrays as they were then:"));
    }
    lines.extend(outcome.printed.lines().map(|line| Line::new(driver::words::visible(line))));
    for numbers in &outcome.result {
        let shown = match &numbers[..] {
            [one] => one.clone(),
            all => format!("[{}]", all.join(", ")),
        };
        lines.push(Line::of(Role::Strong, "result").and(Role::Text, " = ").and(Role::Number, shown));
    }
    lines.extend(arrays.iter().flat_map(array_lines));
    lines.extend(outcome.notes.iter().flat_map(|note| of_problem(note, Severity::Note)));
    if lines.is_empty() {
        lines.push(Line::of(Role::Faint, "It ran, prints nothing, and has neither arrays nor a result."));
    }
    Page { lines, prose: true, ..Page::default() }
}

fn of_problem(found: &Problem, severity: Severity) -> Vec<Line> {
    let range = own_range(found.place);
    let diagnostic = Diagnostic {
        severity,
        ..Diagnostic::error(ReportCode::named(found.code), range.unwrap_or_default(), found.message.clone())
    };
    let mut lines = problem(0, &diagnostic, "", None);
    if range.is_none()
        && let Some(line) = lines.first_mut()
    {
        line.source = None;
    }
    lines
}
