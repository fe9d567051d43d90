//! ISPC files in `run`, `bench` and `lower`: functions run by the machine of ispc-ir, measured, and printed as blocks of lanes.

use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;

use annotate_snippets::Level;
use driver::arguments::arguments;
use driver::ispc_building::NoIspcModule;
use driver::ispc_files::{Command, HeaderArguments, ReadFile, lanes, read, read_instead};
use driver::ispc_linking::{LinkedUnit, with_others};
use driver::ispc_measuring::{IspcMeasuring, measure};
use driver::ispc_running::{self, IspcRunOutcome, LoweredUnit, NotRunNatively};
use driver::ispc_samples::to_measure;
use driver::machine_code::{self, NoCode};
use driver::measuring::{Ask, Report};
use driver::spec::{self, Given};
use driver::targets::Chosen;
use ispc::problems::Problem;
use ispc::unit::Unit;
use native::protocol::Job;
use queries::run::Argument;
use queries::stages::Options;
use queries::stages::target::Target;

use crate::commands::run::why_stopped;
use crate::console::{Console, Outcome};
use crate::{ispc_findings, json};

/// The most numbers of an array in the output for people.
const SHOWN: usize = 16;

/// A run of a function that a command line asks for.
pub(crate) struct IspcRunRequest<'a> {
    pub(crate) path: &'a Path,
    pub(crate) name: Option<&'a str>,
    pub(crate) given: &'a [Given],
    pub(crate) fuel: u64,
    /// How it runs natively, if it does.
    pub(crate) native: Option<NativeRun>,
    pub(crate) as_json: bool,
}

/// A run of machine code.
#[derive(Clone, Copy)]
pub(crate) struct NativeRun {
    pub(crate) chosen: Chosen,
    /// The most seconds that it may take.
    pub(crate) timeout: u64,
}

/// Runs a function of a file.
pub(crate) fn run(request: &IspcRunRequest<'_>, command: &Command<'_>, console: &mut Console) -> io::Result<Outcome> {
    let unit = match read(request.path, command) {
        Ok(ReadFile { unit, .. }) => unit,
        Err(message) => return console.trouble(&message).map(|()| Outcome::Trouble),
    };
    let errors: Vec<Problem> = unit.problems.iter().filter(|problem| !problem.is_warning).cloned().collect();
    if !errors.is_empty() {
        return refuse(&unit, &errors, request.as_json, console);
    }
    let name = match ispc_running::choose(&unit, request.name) {
        Ok(name) => name,
        Err(message) => return console.trouble(&message).map(|()| Outcome::Trouble),
    };
    let unit = linked(unit, request.path, command, &name, console)?;
    let lowered = ispc_running::lowered(&unit, request.path, command, Some(&name));
    let problems = ispc_running::problems(&lowered);
    if !problems.is_empty() {
        return refuse(&unit, &problems, request.as_json, console);
    }
    let ran = arguments(request.given).and_then(|given| match request.native {
        None => ispc_running::run(&lowered, &name, &given, request.fuel).map(Ok),
        Some(native) => natively(&lowered, &name, &given, native),
    });
    let ran = match ran {
        Ok(Ok(ran)) => ran,
        Ok(Err(problems)) => return refuse(&unit, &problems, request.as_json, console),
        Err(message) => return console.trouble(&message).map(|()| Outcome::Trouble),
    };
    if request.as_json {
        json::print(&report(&unit, &ran), console)?;
    } else {
        show(&unit, &ran, console)?;
    }
    Ok(if ran.failure.is_some() { Outcome::Refused } else { Outcome::Done })
}

/// A unit with the files beside it that define what a function calls. A file that cannot be taken is told.
fn linked(unit: Unit, path: &Path, command: &Command<'_>, name: &str, console: &mut Console) -> io::Result<Unit> {
    let read = |text: &str| read_instead(path, text, command);
    let LinkedUnit { unit, left_out } = with_others(unit, path, lanes(path, command), name, &read);
    if let Some(why) = left_out {
        console.note(&format!("lanescope: {why}"))?;
    }
    Ok(unit)
}

/// A function that a command line wants measured.
pub(crate) struct IspcBenchRequest<'a> {
    pub(crate) path: &'a Path,
    pub(crate) name: Option<&'a str>,
    pub(crate) headers: &'a HeaderArguments,
    pub(crate) options: Options,
    pub(crate) machine: &'a Target,
    pub(crate) given: Vec<Argument>,
    /// The time of each measurement.
    pub(crate) milliseconds: u64,
}

/// Measures a function with the lanes of the target, and with one. What keeps it from that is told, and gives the outcome.
pub(crate) fn bench(
    request: IspcBenchRequest<'_>,
    ask: &Ask<'_>,
    console: &mut Console,
) -> io::Result<Result<Report, Outcome>> {
    let IspcBenchRequest { path, options, mut given, .. } = request;
    let command = request.headers.command(options);
    let unit = match sound_unit(path, &command, console)? {
        Ok(unit) => unit,
        Err(outcome) => return Ok(Err(outcome)),
    };
    let name = match ispc_running::choose(&unit, request.name) {
        Ok(name) => name,
        Err(message) => return console.trouble(&message).map(|()| Err(Outcome::Trouble)),
    };
    let unit = linked(unit, path, &command, &name, console)?;
    let lowered = ispc_running::lowered(&unit, path, &command, Some(&name));
    let problems = ispc_running::problems(&lowered);
    if !problems.is_empty() {
        return draw(&unit, &problems, console).map(|()| Err(Outcome::Refused));
    }
    if !native::host::runs(options.target) {
        let message = format!("this machine does not run code for `{}`", options.target.name);
        return console.trouble(&message).map(|()| Err(Outcome::Trouble));
    }
    let one_lane = Options { lanes: Some(1), ..options };
    let one_lane = read(path, &request.headers.command(one_lane)).ok().map(|read| read.unit);
    let is_sound = |unit: &Unit| unit.problems.iter().all(|problem| problem.is_warning);
    let one_lane = one_lane.filter(is_sound).map(|unit| ispc_running::lowered_for(&unit, 1, Some(&name)));
    let one_lane = one_lane.filter(|lowered| ispc_running::problems(lowered).is_empty());
    let filled = to_measure(&lowered, &name, &given);
    let spelled = |one: &Argument| spec::spelled(&one.source).map(|spec| format!("{}={spec}", one.name));
    let chosen = filled.iter().filter_map(spelled).collect();
    given.extend(filled);
    let wanted = IspcMeasuring {
        name: &name,
        lowered: &lowered,
        one_lane: one_lane.as_ref(),
        target: options.target.name,
        machine: request.machine,
        given: &given,
        milliseconds: request.milliseconds,
    };
    match measure(&wanted, ask) {
        Ok(mut report) => {
            report.chosen = chosen;
            Ok(Ok(report))
        }
        Err(NoCode::Errors(_)) => Ok(Err(Outcome::Refused)),
        Err(NoCode::Trouble(message)) => console.trouble(&message).map(|()| Err(Outcome::Trouble)),
        Err(NoCode::Stopped(message)) => console.trouble(&message).map(|()| Err(Outcome::Refused)),
    }
}

/// Runs the machine code of a function; what cannot be compiled is told as problems.
fn natively(
    lowered: &LoweredUnit,
    name: &str,
    given: &[Argument],
    native: NativeRun,
) -> Result<Result<IspcRunOutcome, Vec<Problem>>, String> {
    if !native::host::runs(native.chosen.row) {
        return Err(format!("this machine does not run code for `{}`", native.chosen.row.name));
    }
    let client = machine_code::client()?;
    let time = Duration::from_secs(native.timeout);
    let ask = |job: Job, memory: &[u8]| client.ask(job, memory).wait(time);
    match ispc_running::run_natively(lowered, name, given, &native.chosen.machine(), ask) {
        Ok(ran) => Ok(Ok(ran)),
        Err(NotRunNatively::NoCode(NoIspcModule::Problems(problems))) => Ok(Err(problems)),
        Err(NotRunNatively::NoCode(NoIspcModule::Trouble(message))) => Err(message),
        Err(NotRunNatively::Stopped(failure)) => Err(why_stopped(&failure, native.timeout)),
    }
}

fn refuse(unit: &Unit, problems: &[Problem], as_json: bool, console: &mut Console) -> io::Result<Outcome> {
    if as_json {
        let diagnostics = problems.iter().map(|problem| ispc_findings::of_problem(unit, problem)).collect();
        json::print(&json::RunReport { diagnostics, ..json::RunReport::empty() }, console)?;
    } else {
        draw(unit, problems, console)?;
    }
    Ok(Outcome::Refused)
}

/// A unit that is read without an error; else the outcome, and the errors are told.
pub(crate) fn sound_unit(
    path: &Path,
    command: &Command<'_>,
    console: &mut Console,
) -> io::Result<Result<Unit, Outcome>> {
    let unit = match read(path, command) {
        Ok(ReadFile { unit, .. }) => unit,
        Err(message) => return console.trouble(&message).map(|()| Err(Outcome::Trouble)),
    };
    let errors: Vec<Problem> = unit.problems.iter().filter(|problem| !problem.is_warning).cloned().collect();
    match errors.is_empty() {
        true => Ok(Ok(unit)),
        false => draw(&unit, &errors, console).map(|()| Err(Outcome::Refused)),
    }
}

pub(crate) fn draw(unit: &Unit, problems: &[Problem], console: &mut Console) -> io::Result<()> {
    for problem in problems {
        write!(console, "{}", ispc_findings::drawn(unit, problem, Level::ERROR, None, console.look()))?;
    }
    Ok(())
}

fn show(unit: &Unit, ran: &IspcRunOutcome, console: &mut Console) -> io::Result<()> {
    write!(console, "{}", ran.printed)?;
    for numbers in &ran.result {
        match &numbers[..] {
            [one] => writeln!(console, "{one}")?,
            all => writeln!(console, "{}", elements(all))?,
        }
    }
    for (name, numbers) in &ran.arrays {
        writeln!(console, "{name} = {}", elements(numbers))?;
    }
    for note in &ran.notes {
        write!(console, "{}", ispc_findings::drawn(unit, note, Level::NOTE, None, console.look()))?;
    }
    match &ran.failure {
        Some(failure) => draw(unit, std::slice::from_ref(failure), console),
        None => Ok(()),
    }
}

/// The first numbers, with an ellipsis if there are more.
fn elements(all: &[String]) -> String {
    let mut shown: Vec<&str> = all.iter().take(SHOWN).map(String::as_str).collect();
    if all.len() > SHOWN {
        shown.push("…");
    }
    format!("[{}]", shown.join(", "))
}

fn report(unit: &Unit, ran: &IspcRunOutcome) -> json::RunReport {
    // What JSON has no number for is a string, as in reports of Lane.
    let number = |text: &String| match &**text {
        text if text.parse().is_ok_and(f64::is_nan) => "NaN".into(),
        text => serde_json::from_str(text).unwrap_or_else(|_| serde_json::Value::from(text)),
    };
    let list = |numbers: &Vec<String>| match &numbers[..] {
        [one] => number(one),
        all => all.iter().map(number).collect(),
    };
    let result = match &ran.result[..] {
        [] => serde_json::Value::Null,
        [one] => list(one),
        all => all.iter().map(list).collect(),
    };
    let array = |(name, numbers): &(String, Vec<String>)| (name.clone(), numbers.iter().map(number).collect());
    let error = |failure: &Problem| json::RunError {
        diagnostic: ispc_findings::of_problem(unit, failure),
        lane: ran.lane,
        iteration: Vec::new(),
    };
    let note = |note: &Problem| json::Diagnostic { severity: "note", ..ispc_findings::of_problem(unit, note) };
    json::RunReport {
        result,
        arrays: ran.arrays.iter().map(array).collect(),
        printed: Some(ran.printed.clone()),
        error: ran.failure.as_ref().map(error),
        diagnostics: ran.notes.iter().map(note).collect(),
        ..json::RunReport::empty()
    }
}

/// Prints the functions of a file as blocks of lanes: all of it, or the one of a name.
pub(crate) fn lower(
    path: &Path,
    name: Option<&str>,
    command: &Command<'_>,
    console: &mut Console,
) -> io::Result<Outcome> {
    let unit = match read(path, command) {
        Ok(ReadFile { unit, .. }) => unit,
        Err(message) => return console.trouble(&message).map(|()| Outcome::Trouble),
    };
    let errors: Vec<Problem> = unit.problems.iter().filter(|problem| !problem.is_warning).cloned().collect();
    if !errors.is_empty() {
        return refuse(&unit, &errors, false, console);
    }
    if let Some(name) = name
        && let Err(message) = ispc_running::choose(&unit, Some(name))
    {
        return console.trouble(&message).map(|()| Outcome::Trouble);
    }
    let lowered = ispc_running::lowered(&unit, path, command, name);
    write!(console, "{}", ispc_running::text(&lowered))?;
    let problems = ispc_running::problems(&lowered);
    draw(&unit, &problems, console)?;
    Ok(if problems.is_empty() { Outcome::Done } else { Outcome::Refused })
}
