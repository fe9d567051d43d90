//! Runs of a kernel on described data, for `lanescope run` and the explorer's run pane.
//!
//! An argument describes the source of its numbers ([`DataSource`]), and its type is the parameter's. From these the memory
//! of the kernel is filled ([`prepare`]), an engine runs it ([`interpret`], [`evaluate`], or native code elsewhere), and the
//! arrays that the kernel writes are read back ([`arrays_of`]). Nothing here reads a file or knows an engine in another process.

mod arguments;
pub mod sample;
pub mod stepping;
pub mod tracing;

use std::fmt;
use std::sync::Arc;

use ir::interp::{self, ErrorKind, Limits, Machine, MachineStatus, RunError, Stop};
pub use ir::interp::{Arg, Inputs};
use ir::{CellType, Origin, RunCode, Type};
use report::{ItemKey, ReportCode, TextRange};

use self::arguments::{cells_of, inputs};
use hir::eval;
use hir::eval::StopCode;
use lowering::Lowering;

pub use ir::{Elem, Scalar};
pub use sample::Sample;

/// The codes that only a run has, sorted; each has a page in `docs/reasons.md`. An error that is already found without running
/// the kernel has one code for both cases (`index-out-of-range`), which does not stand here.
pub const CODES: &[RunCode] = &[
    RunCode::AssertFailed,
    RunCode::CastOutOfRange,
    RunCode::IterationsCollide,
    RunCode::LaneNotActive,
    RunCode::LanesDiffer,
    RunCode::NoSuchLane,
    RunCode::Overflow,
    RunCode::ShiftTooFar,
];

/// An argument by its parameter's name.
#[derive(Debug, Clone, PartialEq)]
pub struct Argument {
    /// The name of the parameter.
    pub name: String,
    /// The source of its numbers.
    pub source: DataSource,
}

/// The source of an argument's numbers.
#[derive(Debug, Clone, PartialEq)]
pub enum DataSource {
    /// A single number, as it was written.
    Number(String),
    /// Numbers as written; a matrix takes a flat list of its rows, a struct its fields.
    List(Vec<String>),
    /// An array of the numbers `0, 1, 2, ...`
    Ramp(u64),
    /// Random numbers, the same for the same seed: floats from 0 to 1, integers from 0 to 99.
    Random(u64, u64),
    /// An array of zeros.
    Zeros(u64),
    /// An array that is filled with one number.
    Fill(u64, String),
    /// The elements of an array in memory order, little-endian, and their type.
    Bytes(Elem, Vec<u8>),
    /// The array of another parameter from one of its elements on, for parameters that may overlap (`@alias`).
    PartOf(String, u64),
}

/// The results of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct RunOutcome {
    /// The value that the kernel returns, if it returns one.
    pub result: Option<Scalar>,
    /// Every array parameter that the kernel writes, in order.
    pub arrays: Vec<ResultArray>,
    /// The error that stopped the run; the arrays are as they were at that time.
    pub failure: Option<RunFailure>,
}

/// An array parameter after a run, its rows joined.
#[derive(Debug, Clone, PartialEq)]
pub struct ResultArray {
    /// The name of the array's parameter.
    pub name: String,
    /// The elements; for structs, the fields of each in order.
    pub elements: Vec<Scalar>,
    /// The sizes of its dimensions.
    pub sizes: Vec<i64>,
}

/// An error of the program.
#[derive(Debug, Clone, PartialEq)]
pub struct RunFailure {
    /// The code of the error.
    pub code: ReportCode,
    /// The cause, in a sentence.
    pub message: String,
    /// The place in the file, if the error has one there.
    pub range: Option<TextRange>,
    /// The lane that failed, if the op works on lanes.
    pub lane: Option<u16>,
    /// The iteration of each loop around the place, outermost first.
    pub iteration: Vec<i128>,
}

/// An item, and a range in its text.
pub type ItemPlace<'a> = (&'a ItemKey, TextRange);

/// The place of an error, and what it is about there.
#[derive(Debug, Clone, Default)]
pub struct FailurePlace {
    /// The place in the file, if the error has one there.
    pub range: Option<TextRange>,
    /// What the message names, where there is such a thing.
    pub subject: Option<FailureSubject>,
}

/// What the message of an error names.
#[derive(Debug, Clone)]
pub enum FailureSubject {
    /// The array that was subscripted, as the text has it.
    Array(String),
    /// The enum that a number was to be a variant of.
    Enum(String),
    /// An assertion that stands elsewhere: in a function of the prelude, or of a file that is used.
    Assertion {
        /// The name of the function.
        function: String,
        /// What is asserted.
        condition: String,
    },
}

/// The reasons why a run has no outcome.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotRun {
    /// Parameters without a value, by name. Who asked for the run knows how to give them one.
    Missing(Vec<String>),
    /// The kernel and the arguments do not fit each other.
    Unfit(String),
    /// The run was stopped before its end, for this reason.
    Stopped(String),
}

impl fmt::Display for NotRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotRun::Missing(names) => {
                let names: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
                write!(f, "no value is given for {}", names.join(", "))
            }
            NotRun::Unfit(why) | NotRun::Stopped(why) => f.write_str(why),
        }
    }
}

/// Runs a kernel, as it is at some stage, in the interpreter. `place` maps the origin of an op to a place in the file.
pub fn interpret(
    kernel: &Arc<ir::Kernel>,
    inputs: &Inputs,
    fuel: u64,
    cancelled: &mut dyn FnMut() -> bool,
    place: &dyn Fn(Origin) -> FailurePlace,
) -> Result<RunOutcome, NotRun> {
    let mut machine = Machine::new(kernel.clone(), inputs.clone()).map_err(NotRun::Unfit)?;
    let stop = machine.run(&mut Limits { fuel, breakpoints: &Default::default(), cancelled });
    match stop {
        Stop::Over => {}
        Stop::Fuel => return Err(out_of_fuel(fuel)),
        Stop::Cancelled | Stop::Breakpoint(_) => return Err(NotRun::Stopped("stopped".to_owned())),
    }
    let (result, failure) = match machine.status() {
        MachineStatus::Done(result) => (*result, None),
        MachineStatus::Failed(error) => (None, Some(failure(error, place(error.origin)))),
        MachineStatus::Running => (None, None),
    };
    Ok(RunOutcome { result, arrays: arrays_of(kernel, inputs, machine.memory()), failure })
}

/// Returns the check of sizes that fails at the entry of a kernel with these inputs, if one does. The kernel is that behind all
/// passes, whose entry has the checks that native code makes.
pub fn failed_check(
    kernel: &ir::Kernel,
    inputs: &Inputs,
    place: &dyn Fn(Origin) -> FailurePlace,
) -> Option<RunFailure> {
    let checks = Arc::new(kernel.only_checks());
    interpret(&checks, inputs, u64::MAX, &mut || false, place).ok()?.failure
}

fn out_of_fuel(fuel: u64) -> NotRun {
    NotRun::Stopped(format!("stopped after {fuel} steps: does a loop never end?"))
}

/// Returns the sequential kernel and its inputs, from which every engine starts. `name` is that of the item, for messages.
pub fn prepare(name: &str, lowering: &Lowering, arguments: &[Argument]) -> Result<(Arc<ir::Kernel>, Inputs), NotRun> {
    let kernel = lowering.kernel.clone();
    let kernel = kernel.ok_or_else(|| NotRun::Unfit(format!("`{name}` is no kernel")))?;
    if let Some(finding) = lowering.findings.first() {
        return Err(NotRun::Unfit(finding.message.clone()));
    }
    let inputs = inputs(&kernel, arguments)?;
    Ok((kernel, inputs))
}

/// Checks the inputs of a kernel as every engine needs them: sizes, memory, and no overlap without `@alias`.
pub fn check_inputs(kernel: &Arc<ir::Kernel>, inputs: &Inputs) -> Result<(), NotRun> {
    Machine::new(kernel.clone(), inputs.clone()).map(|_| ()).map_err(NotRun::Unfit)
}

/// Reads the arrays that a kernel writes from its memory.
pub fn arrays_of(kernel: &ir::Kernel, inputs: &Inputs, memory: &[Vec<u8>]) -> Vec<ResultArray> {
    let written = ir::effects::written(kernel, kernel.body);
    let arrays = kernel.params.iter().zip(&inputs.args).filter_map(|(param, arg)| {
        let interp::Arg::Array { memory: piece, start, sizes } = arg else { return None };
        if !written.contains(&param.value) {
            return None;
        }
        let name = kernel.values[param.value].name.as_deref().unwrap_or_default().to_owned();
        Some(ResultArray {
            name,
            elements: elements(kernel, param.value, &memory[*piece][*start..]),
            sizes: sizes.clone(),
        })
    });
    arrays.collect()
}

/// Runs a kernel in the evaluator, the reference meaning of the language. `place` maps a place in an item, and the call that led to it if
/// that is elsewhere, to one in the file.
pub fn evaluate(
    program: &eval::Program,
    kernel: &ir::Kernel,
    inputs: &Inputs,
    fuel: u64,
    place: &dyn Fn([ItemPlace<'_>; 2]) -> FailurePlace,
) -> Result<RunOutcome, NotRun> {
    let ended = eval::evaluate(
        program,
        evaluator_args(kernel, inputs),
        eval::EvalLimits { fuel, ..eval::EvalLimits::default() },
    );
    let failure = match ended.error {
        Some(error) if error.code == StopCode::OutOfFuel => {
            return Err(out_of_fuel(fuel));
        }
        error => error.map(|error| {
            let FailurePlace { range, subject } = place([(&error.item, error.range), error.place()]);
            let iteration = error.iteration.iter().map(|(_, index)| *index).collect();
            let lane = error.lane.and_then(|lane| u16::try_from(lane).ok());
            // The interpreter runs out of memory at other sizes, but as an error of the program too.
            let kind = error.kind.or((error.code == StopCode::OutOfMemory).then_some(ErrorKind::OutOfMemory));
            let code = kind.as_ref().map_or(error.code, |kind| kind.code().into());
            let message = kind.map_or(error.message, |kind| message(&kind, subject.as_ref()));
            RunFailure { code, message, range, lane, iteration }
        }),
    };
    let written = ir::effects::written(kernel, kernel.body);
    let params = kernel.params.iter().filter(|param| matches!(kernel.ty(param.value), Type::View { .. }));
    let arrays = params.zip(ended.arrays).filter(|(param, _)| written.contains(&param.value)).map(|(param, array)| {
        let name = kernel.values[param.value].name.as_deref().unwrap_or_default().to_owned();
        ResultArray { name, elements: array.cells, sizes: array.sizes }
    });
    Ok(RunOutcome { result: ended.result, arrays: arrays.collect(), failure })
}

/// Converts the interpreter's arguments to the evaluator's. Arrays in one piece of memory are parts of the first of them.
fn evaluator_args(kernel: &ir::Kernel, inputs: &Inputs) -> Vec<eval::ArgValue> {
    let mut whole: Vec<Option<usize>> = vec![None; inputs.memory.len()];
    let args = kernel.params.iter().zip(&inputs.args).enumerate();
    args.map(|(n, (param, arg))| match arg {
        interp::Arg::Scalar(scalar) => eval::ArgValue::Scalar(*scalar),
        interp::Arg::Array { memory, start, sizes } => match whole[*memory] {
            Some(of) => {
                let from = start / kernel.item_bytes(cells_of(kernel, param));
                eval::ArgValue::Part { of, from, sizes: sizes.clone() }
            }
            None => {
                whole[*memory] = Some(n);
                let element = match cells_of(kernel, param) {
                    CellType::Elem(elem) => eval::Element::Scalar(elem),
                    CellType::Struct(decl) => {
                        eval::Element::Struct(kernel.structs[decl].leaves().map(|(_, elem)| elem).collect())
                    }
                };
                let cells = elements(kernel, param.value, &inputs.memory[*memory][*start..]);
                eval::ArgValue::Array(eval::Array { element, sizes: sizes.clone(), cells })
            }
        },
    })
    .collect()
}

fn elements(kernel: &ir::Kernel, param: ir::Value, bytes: &[u8]) -> Vec<Scalar> {
    match kernel.ty(param) {
        Type::View { item: CellType::Elem(elem), .. } => interp::scalars_of(bytes, elem),
        Type::View { item: CellType::Struct(decl), .. } => {
            let decl = &kernel.structs[decl];
            let leaf = |cell: &[u8], (at, elem): (usize, Elem)| interp::scalars_of(&cell[at..at + elem.bytes()], elem);
            bytes
                .chunks_exact(decl.bytes())
                .flat_map(|cell| decl.leaves().flat_map(move |of_leaf| leaf(cell, of_leaf)))
                .collect()
        }
        Type::Data { .. } => Vec::new(),
    }
}

fn failure(error: &RunError, place: FailurePlace) -> RunFailure {
    RunFailure {
        code: error.kind.code().into(),
        message: message(&error.kind, place.subject.as_ref()),
        range: place.range,
        lane: error.lane,
        iteration: error.iteration.clone(),
    }
}

/// The message of an error, with what it is about at its place, if that is known.
fn message(kind: &ErrorKind, subject: Option<&FailureSubject>) -> String {
    match (kind, subject) {
        (ErrorKind::IndexOutOfRange { index, size }, Some(FailureSubject::Array(array))) => {
            format!("the index {index} is outside of `{array}`, whose size there is {size}")
        }
        (ErrorKind::AssertFailed, Some(FailureSubject::Enum(name))) => {
            format!("no variant of `{name}` has this number")
        }
        (ErrorKind::AssertFailed, Some(FailureSubject::Assertion { function, condition })) => {
            format!("`{function}` asserts `{condition}`, which does not hold")
        }
        _ => kind.to_string(),
    }
}

/// A scalar in `--json`: a number whose digits read back to the same bits, a bool, or the name of a float that JSON has no
/// number for.
pub enum Json {
    /// A bool.
    Bool(bool),
    /// An integer.
    Int(i128),
    /// A float, as the shortest digits of its own type.
    Float(f64),
    /// `NaN`, `inf`, `-inf`.
    Name(&'static str),
}

/// Converts a scalar for `--json`.
pub fn json(scalar: Scalar) -> Json {
    let float = |value: f64, digits: String| match value {
        value if value.is_nan() => Json::Name("NaN"),
        value if value == f64::INFINITY => Json::Name("inf"),
        value if value == f64::NEG_INFINITY => Json::Name("-inf"),
        // An `f32` has shorter digits than the `f64` of the same value, and they read back to the same `f32`.
        _ => Json::Float(digits.parse().unwrap_or(value)),
    };
    match scalar {
        Scalar::Bool(value) => Json::Bool(value),
        Scalar::F32(value) => float(f64::from(value), format!("{value:?}")),
        Scalar::F64(value) => float(value, format!("{value:?}")),
        Scalar::F16(_) | Scalar::Bf16(_) => float(scalar.float().unwrap_or(f64::NAN), scalar.to_string()),
        other => Json::Int(other.wide().unwrap_or_default()),
    }
}
