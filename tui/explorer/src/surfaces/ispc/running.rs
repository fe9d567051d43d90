//! Runs of functions of ISPC files, with all lanes on: by the interpreter, or as machine code.

use std::sync::Arc;

use driver::ispc_building::NoIspcModule;
use driver::ispc_files::{closest, read_text};
use driver::ispc_running::{self, IspcRunOutcome, LoweredUnit, NotRunNatively, ShownNumber};
use native::protocol::Job;
use queries::ispc::problems::Problem;
use queries::ispc::units::{FileId, SourcePlace};
use queries::run::{Argument, ResultArray, Scalar};
use report::{Diagnostic, ReportCode, Severity, TextRange, TextSize};

use super::RunJob;
use crate::answers::{array_lines, not_run, problem};
use crate::page::{Line, Page, Role};
use crate::questions::{Engine, How, RunReport};
use crate::running::arguments_of;

/// Maximum number of steps of a run, since a user is waiting for it and the interpreter is not asked to stop.
const FUEL: u64 = 20_000_000;

/// Runs a function on a copy of the text.
pub(super) fn run(job: &RunJob<'_>) -> RunReport {
    match outcome(job) {
        Ok(outcome) => {
            let arrays: Vec<ResultArray> = outcome.arrays.iter().map(array).collect();
            RunReport { page: page(&outcome, &arrays), arrays: Some(Arc::new(arrays)) }
        }
        Err((why, source)) => not_run(&why, source).into(),
    }
}

/// The reason why there is no run, and its place.
type NotRunHere = (String, Option<TextRange>);

fn outcome(job: &RunJob<'_>) -> Result<IspcRunOutcome, NotRunHere> {
    let (name, options) = (&*job.wish.item.name, job.wish.goal.options);
    let unit = read_text(job.path, job.text, &job.wish.headers.command(options));
    if let Some(error) = unit.problems.iter().find(|problem| !problem.is_warning) {
        return Err(told(error));
    }
    let lowered = ispc_running::lowered_for(&unit, closest(options).width, Some(name));
    if let Some(problem) = ispc_running::problems(&lowered).first() {
        return Err(told(problem));
    }
    let unfit = |why: String| (why, None);
    let given = arguments_of(&job.wish.arguments).map_err(unfit)?;
    match job.wish.how {
        How::Once(Engine::Native) => natively(job, &lowered, &given),
        How::Once(_) => ispc_running::run(&lowered, name, &given, FUEL).map_err(unfit),
        How::Measured => Err(unfit("ISPC functions are not measured here".to_owned())),
    }
}

fn natively(job: &RunJob<'_>, lowered: &LoweredUnit, given: &[Argument]) -> Result<IspcRunOutcome, NotRunHere> {
    let (goal, name) = (job.wish.goal, &*job.wish.item.name);
    let row = goal.options.target;
    if !native::host::runs(row) {
        return Err((format!("this machine does not run code for `{}`; `t` picks another target", row.name), None));
    }
    let machine = goal.machine(&job.machinist.host().map_err(|failure| (failure.to_string(), None))?);
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

/// An array as pages and pictures have it.
fn array((name, elements): &(String, Vec<ShownNumber>)) -> ResultArray {
    let number = |text: &ShownNumber| match &**text {
        "true" => Scalar::Bool(true),
        "false" => Scalar::Bool(false),
        text => match (text.parse::<i64>(), text.parse::<u64>()) {
            (Ok(number), _) => Scalar::I64(number),
            (_, Ok(number)) => Scalar::U64(number),
            _ => Scalar::F64(text.parse().unwrap_or(f64::NAN)),
        },
    };
    let sizes = vec![i64::try_from(elements.len()).unwrap_or(i64::MAX)];
    ResultArray { name: name.clone(), elements: elements.iter().map(number).collect(), sizes }
}
