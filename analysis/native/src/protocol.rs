//! The messages between client and worker, requests and answers, as plain data, and their framing on a stream of bytes.
//!
//! A frame is two lengths (four bytes each, lowest first), a message as JSON, and bytes that would be no text: arrays and
//! objects. Requests carry an id of the client's choice, and every answer the id of its request.

use std::io::{self, Read, Write};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// The machine that code is generated for, in LLVM's words.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Spec {
    /// The triple: architecture, vendor, system.
    pub triple: String,
    /// The name of the processor.
    pub cpu: String,
    /// Features, each with its sign.
    pub features: String,
    /// True if the code must run at any address.
    pub position_independent: bool,
}

impl Spec {
    /// Translates a target into LLVM's words.
    pub fn of(target: &ir::Target) -> Spec {
        let [triple, cpu, features] = [&target.triple, &target.cpu, &target.features].map(ToString::to_string);
        Spec { triple, cpu, features, position_independent: target.family.is_position_independent() }
    }
}

/// A request to the worker.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// The id by which the answer is matched to the request.
    pub id: u64,
    /// The job that the worker is to do.
    pub job: Job,
}

/// The jobs that a worker does.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Job {
    /// Asks for the version of LLVM and the machine's description.
    Hello,
    /// LLVM IR made into something.
    Compile {
        /// The module, as text.
        ir: String,
        /// The machine to compile for.
        spec: Spec,
        /// The form to compile it into.
        form: CompiledForm,
    },
    /// LLVM IR made into code that is run once.
    Run(RunJob),
    /// LLVM IR made into code that is run many times and timed.
    Bench {
        /// The kernel's code and its arguments.
        run: RunJob,
        /// The time for all runs, in milliseconds.
        milliseconds: u64,
    },
    /// The request with this id is not needed any more.
    Cancel(u64),
}

/// A run of a kernel: its code, its arguments and their memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunJob {
    /// The module, as text.
    pub ir: String,
    /// The machine to compile for: this one, or a subset of its features.
    pub spec: Spec,
    /// The function that takes its arguments from slots.
    pub entry: String,
    /// The values of the slots.
    pub slots: Vec<Slot>,
    /// The pieces of memory that arrays lie in; their bytes follow the message, joined.
    pub memory: Vec<Piece>,
    /// The bytes of scratch memory.
    pub scratch: usize,
    /// At which end of each piece the guard is exact.
    pub guard: Guard,
    /// The iterations that threads divide, if they do.
    pub division: Option<Division>,
    /// The call behind all parts, which joins what they have come to, if there is one. The result is its.
    pub join: Option<JoinCall>,
}

/// A call of another function of a run's code, on the same memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JoinCall {
    /// The function that takes its arguments from slots.
    pub entry: String,
    /// The values of the slots.
    pub slots: Vec<Slot>,
}

/// Iterations that threads divide.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Division {
    /// The number of threads.
    pub threads: usize,
    /// The number of iterations, or of blocks of them.
    pub iterations: i64,
}

impl Division {
    /// The parts that threads take one after the other: several for each, since some iterations take longer than others, and where there
    /// are many iterations whole blocks of 64, so that lanes are full and no two threads write to one line of a cache.
    pub fn parts(self) -> Vec<[i64; 2]> {
        const BLOCK: u64 = 64;
        const FOR_EACH_THREAD: u64 = 8;
        let iterations = self.iterations.max(0) as u64;
        let threads = self.threads.max(1) as u64;
        let n_parts = if threads == 1 { 1 } else { threads * FOR_EACH_THREAD };
        let each = iterations.div_ceil(n_parts).max(1);
        let each = if each < BLOCK { each } else { each.next_multiple_of(BLOCK) };
        let begins = (0..iterations).step_by(each as usize);
        let parts: Vec<_> = begins.map(|begin| [begin as i64, (begin + each).min(iterations) as i64]).collect();
        // A kernel without iterations still compares its sizes.
        if parts.is_empty() { vec![[0, 0]] } else { parts }
    }
}

/// The content of a slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Slot {
    /// The bits of a scalar, or a size.
    Bits(u64),
    /// The address of a byte of a piece of memory.
    Address {
        /// The number of the piece.
        piece: usize,
        /// The offset of the byte in it.
        byte: usize,
    },
    /// The first iteration of a thread's part.
    Begin,
    /// The iteration behind the last one of a thread's part.
    End,
    /// The address of scratch memory: each thread has its own.
    Scratch,
    /// The room for the kernel's result.
    Result,
    /// The room for the status of a kernel that compares sizes.
    Status,
}

/// A piece of memory that arrays lie in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Piece {
    /// The array that lies in it, for messages.
    pub name: String,
    /// The length of the piece.
    pub bytes: usize,
}

/// The end of a piece at which the very next byte is out of bounds; at the other end, bytes within a page may not be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Guard {
    /// The guard is exact before the first byte.
    Start,
    /// The guard is exact behind the last byte.
    End,
    /// At neither: there is a page of room on both sides. A masked access of which lanes that are off lie in a guard takes a
    /// processor ten times as long as another one, which would be measured.
    Away,
}

/// The forms that LLVM IR is compiled into.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CompiledForm {
    /// LLVM IR after LLVM's optimisations.
    Optimised,
    /// The assembly, as text.
    Assembly,
    /// An object file; it follows the message.
    Object,
}

/// The counts of a processor in a run; each is left out where it has no counter for that.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct HardwareCounts {
    /// Cycles of its clock.
    pub cycles: Option<f64>,
    /// Instructions that came to their end.
    pub instructions: Option<f64>,
    /// Loads that missed the first cache of data.
    pub l1_misses: Option<f64>,
    /// Branches that were not foreseen.
    pub branch_misses: Option<f64>,
}

/// An answer of the worker.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Response {
    /// The id of the request that is answered.
    pub id: u64,
    /// The outcome of the request.
    pub outcome: Outcome,
}

/// The outcomes of a request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// Work on it has begun.
    Begun,
    /// The library and the machine that the worker found.
    Hello {
        /// The version of LLVM: major, minor, patch.
        version: (u32, u32, u32),
        /// The path of the library.
        library: String,
        /// The machine that the worker runs on.
        host: Spec,
    },
    /// A text: LLVM IR or assembly.
    Text(String),
    /// Bytes; they follow the message.
    Bytes,
    /// A run came to its end. The memory follows the message, joined.
    Ran {
        /// The status that the kernel returned; 0 if it returns none.
        status: i32,
        /// The bits of the result, if there is one.
        result: Option<u64>,
    },
    /// Many runs came to their end.
    Timed {
        /// The time of each run in nanoseconds, in the order in which they were made.
        nanoseconds: Vec<f64>,
        /// The counts of the processor, where they can be read.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        counts: Option<HardwareCounts>,
        /// The reason why nothing was counted, as the end of a sentence.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        uncounted: Option<String>,
    },
    /// The request failed, for this reason.
    Failed(Failure),
}

/// The reason why a request failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Failure {
    /// There is no LLVM, or it cannot do this; a sentence says which.
    Refused(String),
    /// The kernel touched memory that is none of its arrays'.
    OutOfBounds {
        /// The array that the place is next to, if it is next to one.
        array: Option<String>,
        /// The distance in bytes: before its start (negative), or behind its end.
        offset: i64,
    },
    /// Sizes that have to be equal differ, so the kernel has done nothing.
    SizesDiffer,
    /// The processor stopped it: `illegal instruction`, `division by zero`, …
    Trap(String),
    /// The kernel wrote outside of its memory, next to this array.
    WroteOutside(String),
    /// The request was cancelled by the client.
    Cancelled,
    /// The request took longer than its timeout.
    TimedOut,
    /// The process died without a word: LLVM's own abort, for one.
    Died(String),
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Failure::Refused(why) => f.write_str(why),
            Failure::OutOfBounds { array: Some(array), offset } if *offset < 0 => {
                write!(f, "the kernel touched memory {} bytes before the start of `{array}`", offset.unsigned_abs())
            }
            Failure::OutOfBounds { array: Some(array), offset } => {
                write!(f, "the kernel touched memory outside of `{array}`, at its byte {offset}")
            }
            Failure::OutOfBounds { array: None, .. } => f.write_str("the kernel touched memory that is no array's"),
            Failure::SizesDiffer => f.write_str(
                "sizes that have to be the same differ, or there is no element where one is needed, so the kernel did nothing: give it arrays \
                 of equal sizes that have elements",
            ),
            Failure::Trap(what) => write!(f, "the processor stopped the kernel: {what}"),
            Failure::WroteOutside(array) => write!(f, "the kernel wrote outside of `{array}`"),
            Failure::Cancelled => f.write_str("it was cancelled"),
            Failure::TimedOut => f.write_str("it took longer than it was given, and was stopped"),
            Failure::Died(how) => write!(f, "the process that makes native code died: {how}"),
        }
    }
}

impl std::error::Error for Failure {}

/// The longest message or payload that is believed to be one.
const LONGEST: u32 = 1 << 31;

/// Writes a frame: a message, and the bytes that follow it.
pub(crate) fn write_frame(out: &mut impl Write, message: &impl Serialize, payload: &[u8]) -> io::Result<()> {
    let message = serde_json::to_vec(message)?;
    let len = |bytes: &[u8]| u32::try_from(bytes.len()).map_err(|_| io::Error::other("a message is too long"));
    out.write_all(&len(&message)?.to_le_bytes())?;
    out.write_all(&len(payload)?.to_le_bytes())?;
    out.write_all(&message)?;
    out.write_all(payload)?;
    out.flush()
}

/// Reads a frame; nothing at the end of the stream.
pub(crate) fn read_frame<M: DeserializeOwned>(from: &mut impl Read) -> io::Result<Option<(M, Vec<u8>)>> {
    let mut lengths = [0; 8];
    match from.read_exact(&mut lengths) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        read => read?,
    }
    let length = |at: usize| u32::from_le_bytes([lengths[at], lengths[at + 1], lengths[at + 2], lengths[at + 3]]);
    if length(0) > LONGEST || length(4) > LONGEST {
        return Err(io::Error::other("this is no frame"));
    }
    let mut message = vec![0; length(0) as usize];
    from.read_exact(&mut message)?;
    let mut payload = vec![0; length(4) as usize];
    from.read_exact(&mut payload)?;
    Ok(Some((serde_json::from_slice(&message)?, payload)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_divide_all_iterations() {
        let parts = |threads, iterations| Division { threads, iterations }.parts();
        assert_eq!(parts(1, 1_000), [[0, 1_000]]);
        assert_eq!(parts(2, 2_000)[..2], [[0, 128], [128, 256]]);
        assert_eq!(parts(2, 2_000).last(), Some(&[1_920, 2_000]));
        assert_eq!(parts(4, 2), [[0, 1], [1, 2]]);
        assert_eq!(parts(4, 0), [[0, 0]]);
        assert_eq!(parts(0, 5), [[0, 5]]);
        for (threads, iterations) in [(2, 7), (3, 100), (16, 12_345), (5, 64)] {
            let parts = parts(threads, iterations);
            assert!(parts.windows(2).all(|pair| pair[0][1] == pair[1][0]), "{parts:?}");
            assert_eq!((parts[0][0], parts.last().map(|part| part[1])), (0, Some(iterations)));
        }
    }

    #[test]
    fn frames_read_back() {
        let response = Response { id: 7, outcome: Outcome::Ran { status: 0, result: Some(u64::MAX) } };
        let mut stream = Vec::new();
        write_frame(&mut stream, &response, &[1, 2, 3]).expect("a vector takes all");
        write_frame(&mut stream, &response, &[]).expect("a vector takes all");
        let mut from = &stream[..];
        let read = |from: &mut &[u8]| read_frame::<Response>(from).expect("whole frames");
        assert_eq!(read(&mut from), Some((response.clone(), vec![1, 2, 3])));
        assert_eq!(read(&mut from), Some((response, Vec::new())));
        assert_eq!(read(&mut from), None);
        assert!(read_frame::<Response>(&mut &stream[..20]).is_err(), "half a frame");
        assert!(read_frame::<Response>(&mut &[255u8; 8][..]).is_err());
    }
}
