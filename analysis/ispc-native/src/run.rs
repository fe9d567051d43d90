//! A function and its arguments as a request to the worker, and its answer.

use ir::Target;
use ispc_ir::module::GangModule;
use native::client::Answer;
use native::protocol::{Failure, Guard, Outcome, Piece, RunJob, Slot, Spec};

use crate::NotCompiled;
use crate::module::{ModuleDoors, RUN_ENTRY, module};

/// The bytes that a run may print.
const MOST_PRINTED: usize = 1 << 20;

/// An argument of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RunArgument {
    /// The bits of a uniform number.
    Bits(u64),
    /// The numbers of lanes: their bits.
    Lanes(Vec<u64>),
    /// An address: a byte of a piece of memory.
    Address {
        /// The number of the piece.
        piece: usize,
        /// The byte.
        byte: usize,
    },
}

/// A piece of memory that arguments point to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RunMemory {
    /// The name, for messages.
    pub name: String,
    /// The content.
    pub bytes: Vec<u8>,
}

/// A run of a function's machine code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GangRun {
    /// The number of the function.
    pub function: usize,
    /// The arguments.
    pub args: Vec<RunArgument>,
    /// The memory that they point to.
    pub memory: Vec<RunMemory>,
    /// The lanes that are on, as bits.
    pub lanes: u64,
}

/// The result of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GangRan {
    /// The results of the function: the bits of each number, in each lane.
    pub results: Vec<Vec<u64>>,
    /// The memory, as it is then.
    pub memory: Vec<Vec<u8>>,
    /// All that was printed.
    pub printed: String,
}

/// The request to run a function, and the bytes that go with it.
pub fn job(program: &GangModule, target: &Target, run: &GangRun) -> Result<(RunJob, Vec<u8>), NotCompiled> {
    let ir = module(program, target, ModuleDoors::Run(run.function))?;
    let function = &program.functions[run.function];
    let mut pieces: Vec<Piece> = Vec::new();
    let mut payload = Vec::new();
    let mut add = |name: &str, bytes: &[u8]| {
        pieces.push(Piece { name: name.to_owned(), bytes: bytes.len() });
        payload.extend_from_slice(bytes);
        pieces.len() - 1
    };
    run.memory.iter().for_each(|memory| {
        add(&memory.name, &memory.bytes);
    });
    let printed = add("the text that it prints", &vec![0; MOST_PRINTED]);
    let mut slots =
        vec![Slot::Bits(run.lanes), Slot::Address { piece: printed, byte: 0 }, Slot::Bits(MOST_PRINTED as u64)];
    for (arg, param) in run.args.iter().zip(&function.params) {
        let number = function.regs[param.0 as usize].number;
        slots.push(match arg {
            RunArgument::Bits(bits) => Slot::Bits(*bits),
            RunArgument::Address { piece, byte } => Slot::Address { piece: *piece, byte: *byte },
            RunArgument::Lanes(lanes) => {
                let size = number.bytes() as usize;
                let bytes: Vec<u8> = lanes.iter().flat_map(|bits| bits.to_le_bytes()[..size].to_vec()).collect();
                Slot::Address { piece: add("an argument", &bytes), byte: 0 }
            }
        });
    }
    if !function.gives.is_empty() {
        let bytes = vec![0; function.gives.len() * program.lanes as usize * 8];
        slots.push(Slot::Address { piece: add("the results", &bytes), byte: 0 });
    }
    let job = RunJob {
        ir,
        spec: Spec::of(target),
        entry: RUN_ENTRY.to_owned(),
        slots,
        memory: pieces,
        scratch: 0,
        guard: Guard::End,
        division: None,
        join: None,
    };
    Ok((job, payload))
}

/// Reads what a run did from the worker's answer.
pub fn ran(program: &GangModule, run: &GangRun, answer: Answer) -> Result<GangRan, Failure> {
    let (outcome, bytes) = answer?;
    let Outcome::Ran { .. } = outcome else {
        return Err(Failure::Refused("the worker answers something else than was asked".to_owned()));
    };
    let function = &program.functions[run.function];
    let mut rest = &bytes[..];
    let mut take = |n: usize| {
        let (front, behind) = rest.split_at_checked(n).unwrap_or((rest, &[]));
        rest = behind;
        front
    };
    let memory = run.memory.iter().map(|memory| take(memory.bytes.len()).to_vec()).collect();
    let printed = take(MOST_PRINTED);
    let printed = &printed[..printed.iter().position(|byte| *byte == 0).unwrap_or(printed.len())];
    let printed = String::from_utf8_lossy(printed).into_owned();
    for (arg, param) in run.args.iter().zip(&function.params) {
        if let RunArgument::Lanes(lanes) = arg {
            take(lanes.len() * function.regs[param.0 as usize].number.bytes() as usize);
        }
    }
    let mut results = Vec::new();
    for ty in &function.gives {
        let all = take(program.lanes as usize * 8);
        let size = ty.number.bytes() as usize;
        let n = if ty.is_varying { program.lanes as usize } else { 1 };
        let bits = |bytes: &[u8]| {
            let mut wide = [0; 8];
            wide[..size].copy_from_slice(bytes);
            u64::from_le_bytes(wide)
        };
        results.push(all.chunks_exact(size).take(n).map(bits).collect());
    }
    Ok(GangRan { results, memory, printed })
}
