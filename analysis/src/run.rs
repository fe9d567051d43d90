//! Running a kernel on data that was described, not loaded: `lanescope run`, and the explorer's run pane.
//!
//! An argument says where its numbers come from ([`Source`]); its type is the parameter's. The result is numbers again.

mod sample;

use std::sync::Arc;

pub use ir::interp::Inputs;
use ir::interp::{self, Limits, Machine, RunError, Status, Stop};
use ir::{Item as Cells, RunCode, Type};
use report::Code;
use syntax::TextRange;

use crate::check::start_of;
use crate::db::{Item, dense_map};
use crate::eval::StopCode;
use crate::stages::{Options, Stage};
use crate::{eval, hir, lower};

pub use ir::{Elem, Scalar};
pub use sample::{Sample, sample, to_measure};

/// The codes that only a run has, sorted; each has a page in `docs/reasons.md`. What is known to go wrong whatever a kernel
/// is given has the same code in a run as before one, if it has one there (`index-out-of-range`).
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
    /// The parameter.
    pub name: String,
    /// Its numbers.
    pub source: Source,
}

/// Where an argument's numbers come from.
#[derive(Debug, Clone, PartialEq)]
pub enum Source {
    /// A number as written.
    Number(String),
    /// Numbers as written; a matrix takes a flat list of its rows, a struct its fields.
    List(Vec<String>),
    /// `0, 1, 2, ...`
    Ramp(u64),
    /// Random numbers, the same for the same seed: floats from 0 to 1, integers from 0 to 99.
    Random(u64, u64),
    /// Zeros.
    Zeros(u64),
    /// One number, again and again.
    Fill(u64, String),
    /// Elements as they lie in memory, lowest byte first, and their type.
    Bytes(Elem, Vec<u8>),
    /// The array of another parameter, from one of its elements on; for arrays that may overlap.
    PartOf(String, u64),
}

/// What runs a kernel.
#[derive(Debug, Clone, Copy)]
pub enum Engine {
    /// The interpreter of Lane IR, on the kernel at a stage.
    Interp(&'static Stage, Options),
    /// The evaluator of the language's meaning, which knows nothing of Lane IR.
    Scalar,
}

/// What a run gave.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The kernel's result.
    pub result: Option<Scalar>,
    /// Every array parameter that the kernel writes, in order.
    pub arrays: Vec<Array>,
    /// The error that stopped it; the arrays are as they were then.
    pub failure: Option<Failure>,
}

/// An array after a run, rows joined.
#[derive(Debug, Clone, PartialEq)]
pub struct Array {
    /// The parameter's name.
    pub name: String,
    /// Its elements; of structs, their fields in order.
    pub elements: Vec<Scalar>,
}

/// An error of the program.
#[derive(Debug, Clone, PartialEq)]
pub struct Failure {
    /// Its code.
    pub code: Code,
    /// What went wrong, in a sentence.
    pub message: String,
    /// Where, in the file.
    pub range: Option<TextRange>,
    /// In which lane.
    pub lane: Option<u16>,
    /// In which iteration of each loop around it, outermost first.
    pub iteration: Vec<i128>,
}

/// Why there is no outcome.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotRun {
    /// The kernel and the arguments do not fit each other.
    Unfit(String),
    /// It was stopped before its end.
    Stopped(String),
}

/// Runs a kernel.
pub fn run(
    db: &dyn salsa::Database,
    item: Item<'_>,
    engine: Engine,
    arguments: &[Argument],
    fuel: u64,
    cancelled: &mut dyn FnMut() -> bool,
) -> Result<Outcome, NotRun> {
    let lowering = lower::sequential(db, item);
    let (kernel, inputs) = prepare(db, item, arguments)?;
    let Engine::Interp(stage, options) = engine else {
        return evaluate(db, item, &kernel, &inputs, fuel);
    };
    if let Some(finding) = lowering.findings.first() {
        return Err(NotRun::Unfit(finding.message.clone()));
    }
    let kernel = stage
        .kernel(db, item, options)
        .ok_or_else(|| NotRun::Unfit(format!("the stage `{}` cannot be run", stage.name)))?;
    let mut machine = Machine::new(kernel.clone(), inputs.clone()).map_err(NotRun::Unfit)?;
    let stop = machine.run(&mut Limits { fuel, breakpoints: &Default::default(), cancelled });
    match stop {
        Stop::Over => {}
        Stop::Fuel => return Err(NotRun::Stopped(format!("stopped after {fuel} steps: does a loop never end?"))),
        Stop::Cancelled | Stop::Breakpoint(_) => return Err(NotRun::Stopped("stopped".to_owned())),
    }
    let (result, failure) = match machine.status() {
        Status::Done(result) => (*result, None),
        Status::Failed(error) => (None, Some(failure(db, item, lowering, &kernel, error))),
        Status::Running => (None, None),
    };
    Ok(Outcome { result, arrays: arrays_of(&kernel, &inputs, machine.memory()), failure })
}

/// A kernel in order, and the inputs that arguments describe: what any engine starts from.
pub fn prepare(
    db: &dyn salsa::Database,
    item: Item<'_>,
    arguments: &[Argument],
) -> Result<(Arc<ir::Kernel>, Inputs), NotRun> {
    let lowering = lower::sequential(db, item);
    let kernel = lowering.kernel.clone();
    let kernel = kernel.ok_or_else(|| NotRun::Unfit(format!("`{}` is no kernel", item.name(db))))?;
    if let Some(finding) = lowering.findings.first() {
        return Err(NotRun::Unfit(finding.message.clone()));
    }
    let inputs = inputs(&kernel, arguments).map_err(NotRun::Unfit)?;
    Ok((kernel, inputs))
}

/// Whether inputs fit a kernel as they have to for any engine: sizes, room, and that nothing overlaps.
pub fn check_inputs(kernel: &Arc<ir::Kernel>, inputs: &Inputs) -> Result<(), NotRun> {
    Machine::new(kernel.clone(), inputs.clone()).map(|_| ()).map_err(NotRun::Unfit)
}

/// What the arrays that a kernel writes hold, from the memory they lie in.
pub fn arrays_of(kernel: &ir::Kernel, inputs: &Inputs, memory: &[Vec<u8>]) -> Vec<Array> {
    let written = written(kernel);
    let arrays = kernel.params.iter().zip(&inputs.args).filter_map(|(param, arg)| {
        let interp::Arg::Array { memory: piece, start, .. } = arg else { return None };
        if !written.contains(&param.value) {
            return None;
        }
        let name = kernel.values[param.value].name.as_deref().unwrap_or_default().to_owned();
        Some(Array { name, elements: elements(kernel, param.value, &memory[*piece][*start..]) })
    });
    arrays.collect()
}

/// The same in the evaluator.
fn evaluate(
    db: &dyn salsa::Database,
    item: Item<'_>,
    kernel: &ir::Kernel,
    inputs: &Inputs,
    fuel: u64,
) -> Result<Outcome, NotRun> {
    let unfit = || NotRun::Unfit(format!("`{}` cannot be evaluated", item.name(db)));
    let program = eval::Program::new(db, item.file(db), item.name(db)).ok_or_else(unfit)?;
    let ended = eval::evaluate(&program, evaluator_args(kernel, inputs), eval::Limits { fuel });
    let failure = match ended.error {
        Some(error) if error.code == StopCode::OutOfFuel => {
            return Err(NotRun::Stopped(format!("stopped after {fuel} steps: does a loop never end?")));
        }
        error => error.map(|error| {
            let (key, range) = error.place();
            let at = hir::item_of(db, item.file(db), key);
            let range = at.and_then(|at| Some(dense_map(db, at).to_text(range) + start_of(db, at)?));
            let iteration = error.iteration.iter().map(|(_, index)| *index).collect();
            let lane = error.lane.and_then(|lane| u16::try_from(lane).ok());
            Failure { code: error.code, message: error.message, range, lane, iteration }
        }),
    };
    let written = written(kernel);
    let params = kernel.params.iter().filter(|param| matches!(kernel.ty(param.value), Type::View { .. }));
    let arrays = params.zip(ended.arrays).filter(|(param, _)| written.contains(&param.value)).map(|(param, array)| {
        let name = kernel.values[param.value].name.as_deref().unwrap_or_default().to_owned();
        Array { name, elements: array.cells }
    });
    Ok(Outcome { result: ended.result, arrays: arrays.collect(), failure })
}

/// The interpreter's arguments as the evaluator's.
fn evaluator_args(kernel: &ir::Kernel, inputs: &Inputs) -> Vec<eval::Arg> {
    let mut whole: Vec<Option<usize>> = vec![None; inputs.memory.len()];
    let args = kernel.params.iter().zip(&inputs.args).enumerate();
    args.map(|(n, (param, arg))| match arg {
        interp::Arg::Scalar(scalar) => eval::Arg::Scalar(*scalar),
        interp::Arg::Array { memory, start, sizes } => match whole[*memory] {
            Some(of) => {
                let from = start / kernel.item_bytes(cells_of(kernel, param));
                eval::Arg::Part { of, from, sizes: sizes.clone() }
            }
            None => {
                whole[*memory] = Some(n);
                let element = match cells_of(kernel, param) {
                    Cells::Elem(elem) => eval::Element::Scalar(elem),
                    Cells::Struct(decl) => {
                        eval::Element::Struct(kernel.structs[decl].fields.iter().map(|(_, elem)| *elem).collect())
                    }
                };
                let cells = elements(kernel, param.value, &inputs.memory[*memory][*start..]);
                eval::Arg::Array(eval::Array { element, sizes: sizes.clone(), cells })
            }
        },
    })
    .collect()
}

/// The array parameters that some op stores to.
fn written(kernel: &ir::Kernel) -> Vec<ir::Value> {
    let mut written = Vec::new();
    kernel.walk(kernel.body, &mut |_, op| {
        let data = &kernel.ops[op];
        let stores = data.regions.is_empty() && kernel.effect(op) == ir::Effect::Writes;
        if let (true, Some(&view)) = (stores, data.operands.first()) {
            written.push(kernel.root(view));
        }
    });
    written
}

fn elements(kernel: &ir::Kernel, param: ir::Value, bytes: &[u8]) -> Vec<Scalar> {
    match kernel.ty(param) {
        Type::View { item: Cells::Elem(elem), .. } => interp::scalars_of(bytes, elem),
        Type::View { item: Cells::Struct(decl), .. } => {
            let decl = &kernel.structs[decl];
            let field = |cell: &[u8], n: usize| {
                let elem = decl.fields[n].1;
                let at = decl.offset(n);
                interp::scalars_of(&cell[at..at + elem.bytes()], elem)
            };
            bytes
                .chunks_exact(decl.bytes())
                .flat_map(|cell| (0..decl.fields.len()).flat_map(move |n| field(cell, n)))
                .collect()
        }
        Type::Data { .. } => Vec::new(),
    }
}

fn failure(
    db: &dyn salsa::Database,
    item: Item<'_>,
    lowering: &lower::Lowering,
    kernel: &ir::Kernel,
    error: &Arc<RunError>,
) -> Failure {
    let range = lowering.place_of(kernel, error.origin).and_then(|(key, range)| {
        let at = hir::item_of(db, item.file(db), key)?;
        Some(dense_map(db, at).to_text(*range) + start_of(db, at)?)
    });
    Failure {
        code: error.kind.code().into(),
        message: message(&error.kind),
        range,
        lane: error.lane,
        iteration: error.iteration.clone(),
    }
}

fn message(kind: &interp::ErrorKind) -> String {
    use interp::ErrorKind;
    match kind {
        ErrorKind::Arithmetic(ir::Fault::Overflow) => "a signed result does not fit its type".to_owned(),
        ErrorKind::Arithmetic(ir::Fault::DivisionByZero) => "an integer is divided by zero".to_owned(),
        ErrorKind::Arithmetic(ir::Fault::ShiftTooFar) => "a shift goes past the width of its type".to_owned(),
        ErrorKind::Arithmetic(ir::Fault::CastOutOfRange) => {
            "a float does not fit the integer type it is converted to".to_owned()
        }
        ErrorKind::IndexOutOfRange { array, dim, index, size } => match dim {
            0 => format!("the index {index} is outside of `{array}`, which has {size} elements there"),
            _ => format!("the index {index} is outside of dimension {} of `{array}`, which has {size}", dim + 1),
        },
        ErrorKind::AssertFailed => "what is asserted does not hold".to_owned(),
        ErrorKind::SizesDiffer(a, b) => format!("two sizes that have to be the same are {a} and {b}"),
        ErrorKind::ZeroStep => "a step of 0 never gets anywhere".to_owned(),
        ErrorKind::BadSize(size) => format!("an array cannot have {size} elements"),
        ErrorKind::NoSuchLane(lane) => format!("there is no lane {lane}"),
        ErrorKind::LaneNotActive(lane) => format!("lane {lane} is not active here"),
        ErrorKind::LanesDiffer => "lanes that are active here start at different places".to_owned(),
        ErrorKind::Collision { array, cell, first, second } => format!(
            "the iterations {} and {} of a `foreach` both touch `{array}[{}]`, and one writes it",
            list(first),
            list(second),
            list(cell)
        ),
        ErrorKind::Unknown => "this was not understood, and cannot be run".to_owned(),
        ErrorKind::BrokenPromise => {
            "the lanes of this access do not lie as the compiler said; this is a bug of the compiler".to_owned()
        }
    }
}

fn list(numbers: &[impl std::fmt::Display]) -> String {
    numbers.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// A scalar as `--json` has it: a number whose digits read back to the same bits, a bool, or the name of a float that
/// is no number.
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

/// A scalar as `--json` has it.
pub fn json(scalar: Scalar) -> Json {
    let float = |value: f64, digits: String| match value {
        value if value.is_nan() => Json::Name("NaN"),
        value if value == f64::INFINITY => Json::Name("inf"),
        value if value == f64::NEG_INFINITY => Json::Name("-inf"),
        // The digits of an `f32` are fewer than those of the `f64` of the same value.
        _ => Json::Float(digits.parse().unwrap_or(value)),
    };
    match scalar {
        Scalar::Bool(value) => Json::Bool(value),
        Scalar::F32(value) => float(f64::from(value), format!("{value:?}")),
        Scalar::F64(value) => float(value, format!("{value:?}")),
        other => Json::Int(other.wide().unwrap_or_default()),
    }
}

// Arguments.

/// The inputs that arguments describe.
fn inputs(kernel: &ir::Kernel, arguments: &[Argument]) -> Result<Inputs, String> {
    let name_of = |param: &ir::Param| kernel.values[param.value].name.as_deref().unwrap_or_default().to_owned();
    let names: Vec<_> = kernel.params.iter().map(name_of).collect();
    for argument in arguments {
        if !names.contains(&argument.name) {
            let candidates: Vec<_> = names.iter().map(String::as_str).collect();
            let meant = syntax::spelling::closest(&argument.name, &candidates);
            let meant = meant.map_or_else(String::new, |meant| format!("; did you mean `{meant}`?"));
            return Err(format!("`{}` has no parameter `{}`{meant}", kernel.name, argument.name));
        }
    }
    for (n, argument) in arguments.iter().enumerate() {
        if arguments[..n].iter().any(|before| before.name == argument.name) {
            return Err(format!("`{}` is given more than once", argument.name));
        }
    }
    let given = |name: &str| arguments.iter().find(|argument| argument.name == name);
    let missing: Vec<_> = names.iter().filter(|name| given(name).is_none()).map(|name| format!("`{name}`")).collect();
    if !missing.is_empty() {
        return Err(format!("no value is given for {}; add `--arg NAME=...`", missing.join(", ")));
    }
    let mut inputs = Inputs::new();
    // Scalars first: the sizes of matrices are told by them.
    let scalars: Vec<Option<Scalar>> = kernel
        .params
        .iter()
        .zip(&names)
        .map(|(param, name)| match kernel.ty(param.value) {
            Type::Data { elem, .. } => scalar(name, elem, &given(name).expect("none is missing").source).map(Some),
            Type::View { .. } => Ok(None),
        })
        .collect::<Result<_, _>>()?;
    let value_of = |value: ir::Value| {
        let n = kernel.params.iter().position(|param| param.value == value)?;
        scalars[n]?.wide()
    };
    let mut places = vec![None; names.len()];
    for (n, (param, name)) in kernel.params.iter().zip(&names).enumerate() {
        if let Some(scalar) = scalars[n] {
            inputs = inputs.scalar(scalar);
            continue;
        }
        let source = &given(name).expect("none is missing").source;
        let cell = kernel.item_bytes(cells_of(kernel, param));
        if let Source::PartOf(other, from) = source {
            let whole = names.iter().position(|name| name == other).and_then(|other| places[other]);
            let Some((memory, len)) = whole else {
                return Err(format!("`{name}` is to be a part of `{other}`, which is no array parameter before it"));
            };
            let len: u64 = len;
            let left = len.checked_sub(*from).ok_or_else(|| format!("`{other}` has only {len} elements"))?;
            let sizes = sizes(name, param, left, &value_of)?;
            inputs.args.push(interp::Arg::Array { memory, start: *from as usize * cell, sizes });
            continue;
        }
        let bytes = array(name, kernel, param, source)?;
        let len = (bytes.len() / cell) as u64;
        let sizes = sizes(name, param, len, &value_of)?;
        places[n] = Some((inputs.memory.len(), len));
        inputs = inputs.bytes(bytes, &sizes);
    }
    Ok(inputs)
}

fn cells_of(kernel: &ir::Kernel, param: &ir::Param) -> Cells {
    match kernel.ty(param.value) {
        Type::View { item, .. } => item,
        Type::Data { elem, .. } => Cells::Elem(elem),
    }
}

/// The sizes of an array's dimensions, which have to make up its elements.
fn sizes(
    name: &str,
    param: &ir::Param,
    len: u64,
    value_of: &impl Fn(ir::Value) -> Option<i128>,
) -> Result<Vec<i64>, String> {
    if let [ir::Size::Own] = param.sizes[..] {
        return Ok(vec![len as i64]);
    }
    let declared: Option<Vec<i128>> = param.sizes.iter().map(|size| size.evaluate(value_of)).collect();
    let declared = declared.ok_or_else(|| match param.sizes.contains(&ir::Size::Own) {
        true => format!("nothing says how long the rows of `{name}` are; write its type"),
        false => format!("no number stands for the size of `{name}`: it divides by 0, or is too large"),
    })?;
    let count: i128 = declared.iter().product();
    if count != i128::from(len) || declared.iter().any(|&size| size < 0) {
        let says = match &declared[..] {
            [size] => size.to_string(),
            sizes => format!("[{}], which is {count}", list(sizes)),
        };
        return Err(format!("`{name}` is given {len} elements, and its type says {says}"));
    }
    Ok(declared.into_iter().map(|size| size as i64).collect())
}

fn scalar(name: &str, elem: Elem, source: &Source) -> Result<Scalar, String> {
    match source {
        Source::Number(text) => number(name, elem, text),
        _ => Err(format!("`{name}` is a single `{elem}`; give it a number")),
    }
}

fn number(name: &str, elem: Elem, text: &str) -> Result<Scalar, String> {
    let text = text.trim();
    let special = match text.trim_start_matches(['+', '-']).to_ascii_lowercase().as_str() {
        "nan" => Some(f64::NAN),
        "inf" | "infinity" => Some(if text.starts_with('-') { f64::NEG_INFINITY } else { f64::INFINITY }),
        _ => None,
    };
    let parsed = match (elem, special) {
        (Elem::F32, Some(value)) => Some(Scalar::F32(value as f32)),
        (Elem::F64, Some(value)) => Some(Scalar::F64(value)),
        (Elem::F32, None) => text.parse().ok().map(Scalar::F32),
        (Elem::F64, None) => text.parse().ok().map(Scalar::F64),
        (Elem::Bool, None) => match text {
            "true" | "1" => Some(Scalar::Bool(true)),
            "false" | "0" => Some(Scalar::Bool(false)),
            _ => None,
        },
        (elem, None) => text.parse().ok().and_then(|value| Scalar::from_wide(elem, value)),
        (_, Some(_)) => None,
    };
    parsed.ok_or_else(|| format!("`{text}` is no `{elem}`, which `{name}` takes"))
}

/// The bytes of an array.
fn array(name: &str, kernel: &ir::Kernel, param: &ir::Param, source: &Source) -> Result<Vec<u8>, String> {
    let (fields, cell): (Vec<(usize, Elem)>, usize) = match cells_of(kernel, param) {
        Cells::Elem(elem) => (vec![(0, elem)], elem.bytes()),
        Cells::Struct(decl) => {
            let decl = &kernel.structs[decl];
            (decl.fields.iter().enumerate().map(|(n, (_, elem))| (decl.offset(n), *elem)).collect(), decl.bytes())
        }
    };
    if let Source::Bytes(held, bytes) = source {
        let fits = matches!(&fields[..], [(0, elem)] if elem == held);
        return if fits {
            Ok(bytes.clone())
        } else {
            Err(format!("the numbers for `{name}` are `{held}`, which it does not take"))
        };
    }
    let n_cells = match source {
        Source::Number(_) => {
            return Err(format!("`{name}` is an array; give it a list such as `[1, 2, 3]`, or `ramp(8)`"));
        }
        Source::List(items) if items.len() % fields.len() != 0 => {
            return Err(format!(
                "`{name}` takes {} numbers for each struct, and {} are given",
                fields.len(),
                items.len()
            ));
        }
        Source::List(items) => (items.len() / fields.len()) as u64,
        Source::Ramp(n) | Source::Random(n, _) | Source::Zeros(n) | Source::Fill(n, _) => *n,
        Source::PartOf(..) | Source::Bytes(..) => 0,
    };
    const MOST: u64 = 1 << 30;
    if n_cells.saturating_mul(cell as u64) > MOST {
        return Err(format!("`{name}` would take more than 1 GiB"));
    }
    let mut bytes = vec![0; n_cells as usize * cell];
    let mut random = Random(match source {
        Source::Random(_, seed) => *seed,
        _ => 0,
    });
    for (n, cell) in bytes.chunks_exact_mut(cell).enumerate() {
        for (field, &(at, elem)) in fields.iter().enumerate() {
            let scalar = match source {
                Source::List(items) => number(name, elem, &items[n * fields.len() + field])?,
                Source::Fill(_, text) => number(name, elem, text)?,
                Source::Ramp(_) => from_count(elem, n as u64),
                Source::Random(..) => random.scalar(elem),
                _ => Scalar::zero(elem),
            };
            cell[at..at + elem.bytes()].copy_from_slice(&scalar.bits().to_le_bytes()[..elem.bytes()]);
        }
    }
    Ok(bytes)
}

/// A count as a number of any type; what does not fit an integer keeps its low bits.
fn from_count(elem: Elem, n: u64) -> Scalar {
    match elem {
        Elem::F32 => Scalar::F32(n as f32),
        Elem::F64 => Scalar::F64(n as f64),
        Elem::Bool => Scalar::Bool(n != 0),
        elem => Scalar::wrap(elem, i128::from(n)),
    }
}

/// SplitMix64: small, and the same numbers everywhere for one seed.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn scalar(&mut self, elem: Elem) -> Scalar {
        let bits = self.next();
        match elem {
            Elem::F32 => Scalar::F32((bits >> 40) as f32 / (1u64 << 24) as f32),
            Elem::F64 => Scalar::F64((bits >> 11) as f64 / (1u64 << 53) as f64),
            Elem::Bool => Scalar::Bool(bits >> 63 == 1),
            elem => Scalar::wrap(elem, i128::from(bits % 100)),
        }
    }
}
