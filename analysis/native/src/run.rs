//! A kernel and its inputs as a request to the worker, and the answer as what the inputs have become.

use ir::interp::{Arg, Inputs};
use ir::{Elem, Kernel, Scalar, Target};

use std::fmt;

use crate::client::Answer;
use crate::emit::abi::{Status, What, passed};
use crate::emit::entry::entry_name;
use crate::emit::{Input, ModuleOptions, NotEmitted, Source, emit};
use crate::host;
use crate::protocol::{Division, Failure, Guard, JoinCall, Outcome, Piece, RunJob, Slot, Spec};

/// The result of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ran {
    /// The kernel's result, if it has one.
    pub result: Option<Scalar>,
    /// The inputs' memory, as it is afterwards.
    pub memory: Vec<Vec<u8>>,
}

/// The reason why a kernel cannot be run on inputs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoJob {
    /// The kernel has no native code.
    NotEmitted(NotEmitted),
    /// The kernel needs more scratch memory than there is, as a sentence.
    TooLarge(String),
}

impl fmt::Display for NoJob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoJob::NotEmitted(refused) => refused.fmt(f),
            NoJob::TooLarge(why) => f.write_str(why),
        }
    }
}

/// The request to run a kernel on inputs that fit it, and the bytes that go with it.
pub fn job(
    kernel: &Kernel,
    source: &Source,
    target: &Target,
    inputs: &Inputs,
    guard: Guard,
) -> Result<(RunJob, Vec<u8>), NoJob> {
    let scratch = scratch_bytes(kernel, inputs)?;
    let ir = emit(&[Input { kernel, source }], target, ModuleOptions { entries: true, suffix: None });
    let ir = ir.map_err(NoJob::NotEmitted)?;
    let memory = inputs
        .memory
        .iter()
        .enumerate()
        .map(|(number, bytes)| Piece { name: name_of_piece(kernel, inputs, number), bytes: bytes.len() });
    let memory = memory.collect();
    let spec = Spec::of(target);
    let (entry, slots) = (entry_name(&kernel.name), slots(kernel, inputs));
    let job = RunJob { ir, spec, entry, slots, memory, scratch, guard, division: None, join: None };
    Ok((job, inputs.memory.concat()))
}

/// The slots of a kernel's entry for inputs that fit it.
fn slots(kernel: &Kernel, inputs: &Inputs) -> Vec<Slot> {
    let mut slots: Vec<Slot> = passed(kernel)
        .iter()
        .map(|passed| {
            let number = kernel.params.iter().position(|param| Some(param.value) == passed.param);
            match (&passed.what, number.and_then(|number| inputs.args.get(number))) {
                (What::Scalar(_), Some(Arg::Scalar(scalar))) => Slot::Bits(scalar.bits()),
                (What::Array { .. }, Some(Arg::Array { memory, start, .. })) => {
                    Slot::Address { piece: *memory, byte: *start }
                }
                (What::Size(dim), Some(Arg::Array { sizes, .. })) => {
                    Slot::Bits(sizes.get(*dim).copied().unwrap_or(0) as u64)
                }
                (What::Result(_), _) => Slot::Result,
                (What::Scratch, _) => Slot::Scratch,
                _ => Slot::Bits(0),
            }
        })
        .collect();
    slots.extend(match kernel.marks.checked {
        true => Some(Slot::Status),
        false => kernel.result.map(|_| Slot::Result),
    });
    slots
}

/// The kernel that joins what parts have come to.
#[derive(Debug, Clone, Copy)]
pub struct JoinInput<'k> {
    /// The kernel.
    pub kernel: &'k Kernel,
    /// The elements of the arrays of partial results.
    pub partials: &'k [Elem],
    /// The numbers of the parameters of the whole kernel that it has behind those.
    pub given: &'k [usize],
}

/// The request to run a [part](passes::parts::part) of a kernel in each of some threads, which together run all iterations, and then to
/// join what they have come to, if the kernel gives a result. The inputs are those of the whole kernel; there is room for the partial
/// results behind their memory.
pub fn divided_job(
    (part, join): (&Kernel, Option<JoinInput<'_>>),
    source: &Source,
    target: &Target,
    inputs: &Inputs,
    guard: Guard,
    division: Division,
) -> Result<(RunJob, Vec<u8>), NoJob> {
    let bounds = [0, division.iterations].map(|bound| Arg::Scalar(Scalar::I64(bound)));
    let mut memory = inputs.memory.clone();
    let mut arrays = Vec::new();
    for elem in join.iter().flat_map(|join| join.partials) {
        arrays.push(Arg::Array { memory: memory.len(), start: 0, sizes: vec![division.iterations] });
        memory.push(vec![0; usize::try_from(division.iterations).unwrap_or(0) * elem.bytes()]);
    }
    let args = bounds.into_iter().chain(arrays.iter().cloned()).chain(inputs.args.iter().cloned()).collect();
    let (mut run, bytes) = job(part, source, target, &Inputs { args, memory: memory.clone() }, guard)?;
    run.slots[..2].copy_from_slice(&[Slot::Begin, Slot::End]);
    run.division = Some(division);
    if let Some(JoinInput { kernel, given, .. }) = join {
        let args = arrays.into_iter().chain(given.iter().map(|&number| inputs.args[number].clone())).collect();
        let inputs = Inputs { args, memory };
        run.scratch = run.scratch.max(scratch_bytes(kernel, &inputs)?);
        let both = [part, kernel].map(|kernel| Input { kernel, source });
        run.ir = emit(&both, target, ModuleOptions { entries: true, suffix: None }).map_err(NoJob::NotEmitted)?;
        run.join = Some(JoinCall { entry: entry_name(&kernel.name), slots: slots(kernel, &inputs) });
    }
    Ok((run, bytes))
}

/// The bytes of scratch memory that a run needs.
fn scratch_bytes(kernel: &Kernel, inputs: &Inputs) -> Result<usize, NoJob> {
    let Some(formula) = kernel.scratch_text() else { return Ok(0) };
    let needs = format!("`{}` needs {formula} bytes of scratch memory", kernel.name);
    let told = inputs.scratch_bytes(kernel).and_then(|bytes| usize::try_from(bytes).ok());
    match (told, host::free_memory()) {
        (None, _) => Err(NoJob::TooLarge(format!(
            "{needs}, which with these arguments do not fit 64 bits: give it smaller ones"
        ))),
        (Some(bytes), Some(free)) if bytes > free => {
            let why = format!(
                "{needs}, {bytes} with these arguments, and {free} are free on this machine: give it smaller ones"
            );
            Err(NoJob::TooLarge(why))
        }
        (Some(bytes), _) => Ok(bytes),
    }
}

/// The array that lies in a piece of memory.
fn name_of_piece(kernel: &Kernel, inputs: &Inputs, number: usize) -> String {
    let lies_there = |arg: &Arg| matches!(arg, Arg::Array { memory, .. } if *memory == number);
    let at = inputs.args.iter().position(lies_there);
    let name = at.and_then(|at| kernel.values[kernel.params[at].value].name.clone());
    name.map_or_else(|| "an array".to_owned(), |name| name.to_string())
}

/// Reads the result of a run from the worker's answer.
pub fn ran(kernel: &Kernel, inputs: &Inputs, answer: Answer) -> Result<Ran, Failure> {
    let (outcome, mut bytes) = answer?;
    let Outcome::Ran { status, result } = outcome else {
        return Err(Failure::Refused("the worker answers something else than was asked".to_owned()));
    };
    if status != Status::Done as i32 {
        return Err(Failure::SizesDiffer);
    }
    let mut memory = Vec::new();
    for piece in &inputs.memory {
        let rest = bytes.split_off(piece.len().min(bytes.len()));
        memory.push(std::mem::replace(&mut bytes, rest));
    }
    let result = kernel.result.zip(result).map(|(elem, bits)| Scalar::from_bits(elem, bits));
    Ok(Ran { result, memory })
}
