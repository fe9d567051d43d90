//! The running times of functions of ISPC files, as machine code with the lanes of a target and with one lane.

use native::protocol::{Job, Outcome};
use queries::run::Argument;
use queries::stages::target::Target;

use crate::ispc_building::NoIspcModule;
use crate::ispc_running::{LoweredUnit, NotRunNatively, native_run};
use crate::machine_code::NoCode;
use crate::measuring::{Ask, Report, report_of_times};

/// A function that is to be measured.
pub struct IspcMeasuring<'m> {
    /// The function's name.
    pub name: &'m str,
    /// The function, lowered for the lanes of the target.
    pub lowered: &'m LoweredUnit,
    /// The same for one lane, if it can be lowered for that.
    pub one_lane: Option<&'m LoweredUnit>,
    /// The name of the target.
    pub target: &'static str,
    /// The machine that runs it.
    pub machine: &'m Target,
    /// The data.
    pub given: &'m [Argument],
    /// The time of each measurement, in milliseconds.
    pub milliseconds: u64,
}

/// Runs a function once, and then many times with the lanes of the target and with one. Data that do not fit one lane, such as a number for
/// each of several, leave that out.
pub fn measure(wanted: &IspcMeasuring<'_>, ask: &Ask<'_>) -> Result<Report, NoCode> {
    let native = |lowered| native_run(lowered, wanted.name, wanted.given, wanted.machine);
    let run = native(wanted.lowered).map_err(no_code)?;
    let ran = ask(Job::Run(run.request.clone()), &run.payload)?;
    let bytes = run.n_bytes(wanted.lowered, Ok(ran)).map_err(no_code)?;
    let times = |run: &crate::ispc_running::NativeGangRun<'_>| match ask(
        Job::Bench { run: run.request.clone(), milliseconds: wanted.milliseconds },
        &run.payload,
    )? {
        (Outcome::Timed { nanoseconds, .. }, _) => Ok(nanoseconds),
        _ => Err(NoCode::Trouble("the worker gives no times".to_owned())),
    };
    let one_lane = wanted.one_lane.and_then(|lowered| native(lowered).ok());
    let one_lane = one_lane.map(|run| times(&run)).transpose()?;
    Ok(report_of_times(wanted.name, wanted.target, bytes as f64, one_lane, times(&run)?))
}

fn no_code(why: NotRunNatively) -> NoCode {
    match why {
        NotRunNatively::NoCode(NoIspcModule::Problems(problems)) => {
            NoCode::Trouble(problems.first().map_or_else(String::new, |problem| problem.message.clone()))
        }
        NotRunNatively::NoCode(NoIspcModule::Trouble(message)) => NoCode::Trouble(message),
        NotRunNatively::Stopped(failure) => NoCode::Stopped(failure.to_string()),
    }
}
