//! Functions of ISPC files, lowered and run on described data.

use std::path::Path;

use ispc::problems::Problem;
use ispc::unit::{FileId, SourcePlace, Unit};
use ispc_ir::machine::{
    GangFault, GangMachine, GangMemory, LaneCollision, MachineLimits, NO_BODY, OUT_OF_FUEL, narrowed, wide,
};
use ispc_ir::module::TextPlace;
use ispc_ir::types::{GangType, NumberType};
pub use ispc_lowering::LoweredUnit;
use ispc_lowering::entries::{ElementForm, EntryForm, EntryFunction, EntryParam};
use ispc_lowering::{RUN_FAULT, RUN_UNSUPPORTED};
use ispc_native::run::{GangRun, RunArgument, RunMemory};
use ispc_types::naming::is_meant;
use native::client::Answer;
use native::protocol::{Failure, Job, RunJob};
use queries::run::{Argument, DataSource, ResultArray, Scalar};
use queries::stages::target::Target;

use crate::ispc_building::{NoIspcModule, not_compiled};
use crate::ispc_files::{Command, lanes};
use crate::spelling::did_you_mean;

/// The most numbers of an argument.
const MOST_NUMBERS: u64 = 1 << 26;

/// The code of notes on stores by which lanes meet.
const SAME_CELL: &str = "ispc-same-cell";

/// A number as it is shown: `2.0`, `-1`, `true`, `nan`.
pub type ShownNumber = String;

/// The outcome of a run.
#[derive(Debug, Default)]
pub struct IspcRunOutcome {
    /// The result of the function: a number, one a lane, or several.
    pub result: Vec<Vec<ShownNumber>>,
    /// The arrays behind its parameters, as they are then.
    pub arrays: Vec<(String, Vec<ShownNumber>)>,
    /// All that it printed.
    pub printed: String,
    /// Stores by which lanes met.
    pub notes: Vec<Problem>,
    /// The error that stopped it.
    pub failure: Option<Problem>,
    /// The first lane of that error.
    pub lane: Option<u16>,
}

/// Lowers the functions of a unit: that of a name, or all.
pub fn lowered(unit: &Unit, path: &Path, command: &Command<'_>, name: Option<&str>) -> LoweredUnit {
    lowered_for(unit, lanes(path, command), name)
}

/// Lowers the functions of a unit for so many lanes: that of a name, or all.
pub fn lowered_for(unit: &Unit, lanes: u32, name: Option<&str>) -> LoweredUnit {
    let types = ispc_types::unit::declarations(unit, None);
    let names: Vec<&str> = name.into_iter().collect();
    ispc_lowering::lower(unit, &types, lanes, &names)
}

/// The program as lines, each with the place in the unit that it comes from.
pub fn text_lines(lowered: &LoweredUnit) -> Vec<(String, SourcePlace)> {
    ispc_ir::print::print_lines(&lowered.module).into_iter().map(|(text, at)| (text, place(at))).collect()
}

/// The program as text.
pub fn text(lowered: &LoweredUnit) -> String {
    ispc_ir::print::print(&lowered.module)
}

/// The parts that could not be lowered, as problems of the unit.
pub fn problems(lowered: &LoweredUnit) -> Vec<Problem> {
    let problem = |found: &ispc_lowering::NotLowered| Problem {
        code: RUN_UNSUPPORTED,
        is_warning: false,
        message: format!("`{}`: {}", found.function, found.message),
        place: place(found.place),
        related: Vec::new(),
    };
    lowered.problems.iter().map(problem).collect()
}

pub(crate) fn place(at: TextPlace) -> SourcePlace {
    SourcePlace { file: FileId(at.file), start: at.start, end: at.end }
}

/// The name of the function that is meant: the named one, or the only one that is exported, or the only one.
pub fn choose(unit: &Unit, name: Option<&str>) -> Result<String, String> {
    let types = ispc_types::unit::declarations(unit, None);
    let bodies = types.bodies.iter().filter(|body| !body.is_template);
    let names: Vec<String> = bodies.clone().map(|body| types.layer.entity(body.entity).name.to_string()).collect();
    if let Some(name) = name {
        return match bodies.clone().any(|body| is_meant(&types.layer, body.entity, name)) {
            true => Ok(name.to_owned()),
            false => {
                let words: Vec<&str> = names.iter().map(String::as_str).collect();
                Err(format!("there is no function `{name}` with a body{}", did_you_mean(name, &words)))
            }
        };
    }
    let is_exported = |name: &&String| {
        let decls = unit.names.decls.iter().filter(|decl| unit.interner.text(decl.name) == name.as_str());
        decls.into_iter().any(|decl| {
            (decl.head.0..decl.head.1).any(|token| unit.tokens[token as usize].kind == ispc::kinds::Kind::Export)
        })
    };
    let exported: Vec<&String> = names.iter().filter(is_exported).collect();
    match (&exported[..], &names[..]) {
        ([only], _) => Ok((*only).clone()),
        ([], [only]) => Ok(only.clone()),
        ([], []) => Err("there is no function with a body".to_owned()),
        ([], _) => Err(format!("say which function with `--kernel`: {}", listed(&names))),
        (several, _) => Err(format!("say which function with `--kernel`: {}", listed(several))),
    }
}

fn listed(names: &[impl AsRef<str>]) -> String {
    let names: Vec<String> = names.iter().take(12).map(|name| format!("`{}`", name.as_ref())).collect();
    names.join(", ")
}

/// Runs a function.
pub fn run(lowered: &LoweredUnit, name: &str, given: &[Argument], fuel: u64) -> Result<IspcRunOutcome, String> {
    let mut begun = match begin(lowered, name, given, fuel)? {
        Ok(begun) => begun,
        Err(fault) => return Ok(stopped(&fault)),
    };
    let ran = begun.machine.run(begun.entry.function, &begun.args);
    Ok(begun.outcome(ran.as_deref()))
}

/// A function with its arguments, and the machine that has its arrays.
pub(crate) struct BegunRun<'l> {
    pub(crate) machine: GangMachine<'l>,
    pub(crate) entry: &'l EntryFunction,
    pub(crate) args: Vec<Vec<u64>>,
    pub(crate) arrays: Vec<GivenArray<'l>>,
}

/// Makes a machine for a run of a function. Globals may fault at their first values.
pub(crate) fn begin<'l>(
    lowered: &'l LoweredUnit,
    name: &str,
    given: &[Argument],
    fuel: u64,
) -> Result<Result<BegunRun<'l>, GangFault>, String> {
    let module = &lowered.module;
    let entry = entry_of(lowered, name, given)?;
    let mut machine = match GangMachine::new(module, MachineLimits { fuel }) {
        Ok(machine) => machine,
        Err(fault) => return Ok(Err(fault)),
    };
    let (mut arrays, mut args) = (Vec::new(), Vec::new());
    for param in &entry.params {
        args.push(argument(&mut machine.memory, module.lanes, entry, param, given, &mut arrays)?);
    }
    Ok(Ok(BegunRun { machine, entry, args, arrays }))
}

fn stopped(fault: &GangFault) -> IspcRunOutcome {
    IspcRunOutcome {
        lane: (fault.lanes != 0).then(|| fault.lanes.trailing_zeros() as u16),
        failure: Some(failure(fault)),
        ..IspcRunOutcome::default()
    }
}

impl BegunRun<'_> {
    /// The outcome of a run that has ended so.
    pub(crate) fn outcome(&self, ran: Result<&[Vec<u64>], &GangFault>) -> IspcRunOutcome {
        let machine = &self.machine;
        let mut outcome = match ran {
            Ok(numbers) => {
                let types = &machine.module().functions[self.entry.function].gives;
                let shown = |(numbers, ty): (&Vec<u64>, &GangType)| {
                    numbers.iter().map(|bits| shown(*bits, ty.number)).collect()
                };
                IspcRunOutcome { result: numbers.iter().zip(types).map(shown).collect(), ..IspcRunOutcome::default() }
            }
            Err(fault) => stopped(fault),
        };
        outcome.printed.clone_from(&machine.printed);
        outcome.notes = machine.collisions.iter().map(met).collect();
        outcome.arrays =
            self.arrays.iter().map(|array| (array.name.to_owned(), array.shown(&machine.memory))).collect();
        outcome
    }
}

/// An array as faces that have scalars take it.
pub fn result_array((name, elements): &(String, Vec<ShownNumber>)) -> ResultArray {
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

/// The function of a name, if it has the parameters that numbers are given for.
fn entry_of<'l>(lowered: &'l LoweredUnit, name: &str, given: &[Argument]) -> Result<&'l EntryFunction, String> {
    let meant: Vec<&EntryFunction> = lowered.entries.iter().filter(|entry| entry.is_meant(name)).collect();
    let entry = match &meant[..] {
        [entry] => *entry,
        [] => return Err(format!("there is no function `{name}` with a body")),
        several => {
            let names: Vec<&String> = several.iter().map(|entry| &entry.with_types).collect();
            return Err(format!("there are several functions `{name}`: name one with its types, {}", listed(&names)));
        }
    };
    if let Some(unknown) = given.iter().find(|it| !entry.params.iter().any(|param| *param.name == *it.name)) {
        let names: Vec<&str> = entry.params.iter().map(|param| &*param.name).collect();
        return Err(format!("`{name}` has no parameter `{}`{}", unknown.name, did_you_mean(&unknown.name, &names)));
    }
    Ok(entry)
}

/// The reason why a function's machine code gave no result.
pub enum NotRunNatively {
    /// It has none.
    NoCode(NoIspcModule),
    /// It was stopped.
    Stopped(Failure),
}

/// A function with its arguments, as a request to the worker.
pub(crate) struct NativeGangRun<'e> {
    entry: &'e EntryFunction,
    arrays: Vec<GivenArray<'e>>,
    run: GangRun,
    /// The request.
    pub request: RunJob,
    /// The bytes that go with it.
    pub payload: Vec<u8>,
}

impl NativeGangRun<'_> {
    /// The bytes of all arrays, those that a run has changed counted twice. `ran` is the worker's answer.
    pub(crate) fn n_bytes(&self, lowered: &LoweredUnit, ran: Answer) -> Result<usize, NotRunNatively> {
        let ran = ispc_native::run::ran(&lowered.module, &self.run, ran).map_err(NotRunNatively::Stopped)?;
        let both = self.run.memory.iter().zip(&ran.memory);
        Ok(both.map(|(before, after)| if before.bytes == *after { after.len() } else { 2 * after.len() }).sum())
    }
}

/// Describes a run of a function's machine code, with all lanes on.
pub(crate) fn native_run<'e>(
    lowered: &'e LoweredUnit,
    name: &str,
    given: &[Argument],
    machine: &Target,
) -> Result<NativeGangRun<'e>, NotRunNatively> {
    let trouble = |message: String| NotRunNatively::NoCode(NoIspcModule::Trouble(message));
    let module = &lowered.module;
    let entry = entry_of(lowered, name, given).map_err(trouble)?;
    // The arguments are described in the machine's memory, and laid out as it has them.
    let mut memory = GangMemory::default();
    let mut arrays: Vec<GivenArray<'_>> = Vec::new();
    let mut args = Vec::new();
    for param in &entry.params {
        let numbers = argument(&mut memory, module.lanes, entry, param, given, &mut arrays).map_err(trouble)?;
        args.push(match (&param.form, &numbers[..]) {
            (EntryForm::Elements(_), [address]) => {
                let whole = arrays.iter().position(|array| array.address >> 32 == *address >> 32).unwrap_or(0);
                let byte = address - arrays.get(whole).map_or(*address, |array| array.address);
                RunArgument::Address { piece: whole, byte: byte as usize }
            }
            (EntryForm::Number(GangType { is_varying: false, .. }), [bits]) => RunArgument::Bits(*bits),
            _ => RunArgument::Lanes(numbers),
        });
    }
    let bytes = |array: &GivenArray<'_>| {
        let size = array.count / array.form.numbers.len() as u64 * array.form.size;
        (0..size).map(|at| memory.read(array.address + at, NumberType::U8).unwrap_or_default() as u8).collect()
    };
    let pieces = arrays.iter().map(|array| RunMemory { name: array.name.to_owned(), bytes: bytes(array) }).collect();
    let all = u64::MAX >> (64 - module.lanes.clamp(1, 64));
    let run = GangRun { function: entry.function, args, memory: pieces, lanes: all };
    let made = ispc_native::run::job(module, machine, &run);
    let (request, payload) = made.map_err(|refused| NotRunNatively::NoCode(not_compiled(lowered, refused)))?;
    Ok(NativeGangRun { entry, arrays, run, request, payload })
}

/// Runs the machine code of a function, with all lanes on. `ask` sends the request to a worker and waits for its answer.
pub fn run_natively(
    lowered: &LoweredUnit,
    name: &str,
    given: &[Argument],
    machine: &Target,
    ask: impl FnOnce(Job, &[u8]) -> Answer,
) -> Result<IspcRunOutcome, NotRunNatively> {
    let NativeGangRun { entry, arrays, run, request, payload } = native_run(lowered, name, given, machine)?;
    let module = &lowered.module;
    let ran = ispc_native::run::ran(module, &run, ask(Job::Run(request), &payload)).map_err(NotRunNatively::Stopped)?;
    let types = &module.functions[entry.function].gives;
    let numbers = |(numbers, ty): (&Vec<u64>, &GangType)| numbers.iter().map(|bits| shown(*bits, ty.number)).collect();
    let mut outcome = IspcRunOutcome {
        result: ran.results.iter().zip(types).map(numbers).collect(),
        printed: ran.printed,
        ..IspcRunOutcome::default()
    };
    for (array, bytes) in arrays.iter().zip(&ran.memory) {
        let number = |nth: u64| {
            let (at, ty) = array.cell(nth);
            let (start, mut bits) = ((at - array.address) as usize, [0; 8]);
            bits[..ty.bytes() as usize].copy_from_slice(&bytes[start..start + ty.bytes() as usize]);
            shown(u64::from_le_bytes(bits), ty)
        };
        outcome.arrays.push((array.name.to_owned(), (0..array.count).map(number).collect()));
    }
    Ok(outcome)
}

fn met(collision: &LaneCollision) -> Problem {
    let lanes = collision.lanes_in_words();
    Problem {
        code: SAME_CELL,
        is_warning: true,
        message: format!("{lanes} store different numbers to one cell: that of the highest lane stays"),
        place: place(collision.place),
        related: Vec::new(),
    }
}

pub(crate) fn failure(fault: &GangFault) -> Problem {
    let lanes = fault.lanes_in_words();
    let lanes = if lanes.is_empty() { lanes } else { format!(", {lanes}") };
    let more = match &*fault.message {
        OUT_OF_FUEL => ": `--fuel` allows more",
        message if message.ends_with(NO_BODY) => {
            ": a run takes it from an `.ispc` file of the same folder, if one defines it"
        }
        _ => "",
    };
    Problem {
        code: RUN_FAULT,
        is_warning: false,
        message: format!("`{}` {}{lanes}{more}", fault.function, fault.message),
        place: place(fault.place),
        related: Vec::new(),
    }
}

/// An array that was given.
pub(crate) struct GivenArray<'e> {
    pub(crate) name: &'e str,
    pub(crate) address: u64,
    pub(crate) form: &'e ElementForm,
    /// The number of its numbers.
    pub(crate) count: u64,
}

impl GivenArray<'_> {
    /// Its numbers as they are shown.
    pub(crate) fn shown(&self, memory: &GangMemory) -> Vec<ShownNumber> {
        let number = |nth: u64| {
            let (at, ty) = self.cell(nth);
            shown(memory.read(at, ty).unwrap_or_default(), ty)
        };
        (0..self.count).map(number).collect()
    }

    /// The address and the type of its nth number.
    pub(crate) fn cell(&self, nth: u64) -> (u64, NumberType) {
        let n = self.form.numbers.len() as u64;
        let (offset, ty) = self.form.numbers[(nth % n) as usize];
        (self.address + nth / n * self.form.size + offset, ty)
    }
}

fn argument<'e>(
    memory: &mut GangMemory,
    lanes: u32,
    entry: &'e EntryFunction,
    param: &'e EntryParam,
    given: &[Argument],
    arrays: &mut Vec<GivenArray<'e>>,
) -> Result<Vec<u64>, String> {
    let name = &*param.name;
    let form = match &param.form {
        EntryForm::Other(ty) => {
            return Err(format!(
                "`{name}` of `{}` is a `{ty}`, which cannot be described by numbers: call it from a function that makes one",
                entry.name
            ));
        }
        form => form,
    };
    let Some(Argument { source, .. }) = given.iter().find(|given| *given.name == *name) else {
        return Err(format!("parameter `{name}` has no numbers; add `--arg {name}=...`"));
    };
    match form {
        EntryForm::Number(ty) => {
            let n = if ty.is_varying { u64::from(lanes) } else { 1 };
            let numbers = match source {
                DataSource::Number(text) => vec![bits(text, ty.number, name)?; n as usize],
                source => numbers(source, name, |_| ty.number)?,
            };
            match numbers.len() as u64 == n {
                true => Ok(numbers),
                false => Err(format!(
                    "`{name}` takes {n} number{}, given {}",
                    if n == 1 { "" } else { "s, one a lane" },
                    numbers.len()
                )),
            }
        }
        EntryForm::Elements(form) => {
            if let DataSource::PartOf(other, from) = source {
                let Some(whole) = arrays.iter().find(|array| array.name == *other) else {
                    return Err(format!("`{name}` is a part of `{other}`, which is no array in front of it"));
                };
                return Ok(vec![whole.address + from * form.size]);
            }
            let n = form.numbers.len() as u64;
            let found = numbers(source, name, |nth| form.numbers[(nth % n) as usize].1)?;
            let count = found.len() as u64;
            if !count.is_multiple_of(n) {
                return Err(format!("an element of `{name}` has {n} numbers, given {count} in all"));
            }
            let address = memory.allocate(&format!("array `{name}`"), count / n * form.size)?;
            let array = GivenArray { name, address, form, count };
            for (nth, bits) in found.into_iter().enumerate() {
                let (at, ty) = array.cell(nth as u64);
                memory.write(at, ty, bits)?;
            }
            arrays.push(array);
            Ok(vec![address])
        }
        EntryForm::Other(_) => Ok(Vec::new()),
    }
}

/// The numbers of a source, each of its type.
fn numbers(source: &DataSource, name: &str, ty: impl Fn(u64) -> NumberType) -> Result<Vec<u64>, String> {
    let counted = |n: u64, of: &mut dyn FnMut(u64) -> Result<u64, String>| {
        if n > MOST_NUMBERS {
            return Err(format!("`{name}` has {n} numbers, more than a run takes ({MOST_NUMBERS})"));
        }
        (0..n).map(of).collect()
    };
    match source {
        DataSource::Number(text) => Ok(vec![bits(text, ty(0), name)?]),
        DataSource::List(items) => {
            items.iter().enumerate().map(|(nth, text)| bits(text, ty(nth as u64), name)).collect()
        }
        DataSource::Ramp(n) => counted(*n, &mut |nth| Ok(whole_bits(i128::from(nth), ty(nth)))),
        DataSource::Zeros(n) => counted(*n, &mut |_| Ok(0)),
        DataSource::Fill(n, text) => counted(*n, &mut |nth| bits(text, ty(nth), name)),
        DataSource::Random(n, seed) => {
            let mut state = seed.wrapping_add(1);
            counted(*n, &mut |nth| {
                // One step of a generator that mixes a counter.
                state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
                let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
                let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
                let mixed = mixed ^ (mixed >> 31);
                let ty = ty(nth);
                Ok(match ty.is_float() {
                    true => narrowed((mixed >> 11) as f64 / (1u64 << 53) as f64, ty),
                    false => whole_bits(i128::from(mixed % 100), ty),
                })
            })
        }
        DataSource::Bytes(elem, bytes) => {
            let elem = elem.to_string();
            let from = match &*elem {
                "f32" => NumberType::F32,
                "f64" => NumberType::F64,
                "f16" => NumberType::F16,
                "bool" => NumberType::Bool,
                "i8" => NumberType::I8,
                "u8" => NumberType::U8,
                "i16" => NumberType::I16,
                "u16" => NumberType::U16,
                "i32" => NumberType::I32,
                "u32" => NumberType::U32,
                "i64" => NumberType::I64,
                "u64" => NumberType::U64,
                _ => return Err(format!("the file of `{name}` has `{elem}`, which ISPC has not")),
            };
            let size = from.bytes() as usize;
            let number = |(nth, bytes): (usize, &[u8])| {
                let mut bits = [0; 8];
                bits[..size].copy_from_slice(bytes);
                ispc_ir::machine::converted(u64::from_le_bytes(bits), from, ty(nth as u64))
            };
            Ok(bytes.chunks_exact(size).enumerate().map(number).collect())
        }
        DataSource::PartOf(..) => Err(format!("`{name}` is a number, and no part of an array")),
    }
}

fn whole_bits(value: i128, ty: NumberType) -> u64 {
    match ty {
        _ if ty.is_float() => narrowed(value as f64, ty),
        NumberType::Bool => u64::from(value != 0),
        _ => (value as u64) << (64 - ty.bits()) >> (64 - ty.bits()),
    }
}

/// The bits of a number as it is written.
fn bits(text: &str, ty: NumberType, name: &str) -> Result<u64, String> {
    let no = || format!("`{text}` for `{name}` is no `{}`", ty.word());
    if ty == NumberType::F32 {
        return text.parse::<f32>().map(|it| it.to_bits().into()).map_err(|_| no());
    }
    if ty.is_float() {
        return text.parse::<f64>().map(|it| narrowed(it, ty)).map_err(|_| no());
    }
    let value = match text {
        "true" => 1,
        "false" => 0,
        _ => text.parse::<i128>().map_err(|_| no())?,
    };
    let (least, most) = match ty.is_signed() {
        true => (-(1i128 << (ty.bits() - 1)), (1i128 << (ty.bits() - 1)) - 1),
        false => (0, (1i128 << ty.bits()) - 1),
    };
    if (least..=most).contains(&value) { Ok(whole_bits(value, ty)) } else { Err(no()) }
}

pub(crate) fn shown(bits: u64, ty: NumberType) -> ShownNumber {
    match ty {
        NumberType::Bool => (bits != 0).to_string(),
        NumberType::F32 if !f32::from_bits(bits as u32).is_nan() => format!("{:?}", f32::from_bits(bits as u32)),
        _ if ty.is_float() => match wide(bits, ty) {
            value if value.is_nan() => "nan".to_owned(),
            value => format!("{value:?}"),
        },
        _ if ty.is_signed() => (((bits << (64 - ty.bits())) as i64) >> (64 - ty.bits())).to_string(),
        _ => bits.to_string(),
    }
}
