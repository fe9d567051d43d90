//! The worker: the process that holds LLVM and runs kernels, and serves requests on its standard input.
//!
//! Requests are worked on one after the other. A thread of its own reads them, so that a cancel is seen at once: a
//! request that waits is dropped, and one that is being worked on ends the process, because neither LLVM nor a kernel
//! can be interrupted otherwise. The client starts another. So it is with everything that goes wrong here.

mod counters;
mod memory;
mod trap;

use std::collections::HashSet;
use std::io::{self, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::emit::abi::Status;
use crate::host;
use crate::llvm::jit::{Entry, Loaded};
use crate::llvm::module::{FileType, Module};
use crate::llvm::{Llvm, llvm};
use crate::protocol::{
    CompiledForm, Division, Failure, Guard, Job, Outcome, Request, Response, RunJob, Slot, Spec, read_frame,
    write_frame,
};

use memory::Guarded;
use trap::Zone;

/// The syntax of x86 assembly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Syntax {
    /// The syntax of AT&T, which is what `asm` reads.
    #[default]
    Att,
    /// The syntax of Intel's manuals.
    Intel,
}

/// Serves requests until there are no more.
pub fn serve(syntax: Syntax) -> io::Result<()> {
    trap::install()?;
    if syntax == Syntax::Intel {
        // Without an LLVM every request is told so.
        llvm().into_iter().for_each(Llvm::write_as_intel);
    }
    let state = Arc::new(Mutex::new(SharedState::default()));
    let (sender, requests) = mpsc::channel();
    let reader_state = Arc::clone(&state);
    thread::spawn(move || read_requests(&reader_state, &sender));
    work(&state, &requests)
}

/// State that the reader and the worker share.
#[derive(Default)]
struct SharedState {
    working_on: Option<u64>,
    cancelled: HashSet<u64>,
}

fn lock(state: &Mutex<SharedState>) -> MutexGuard<'_, SharedState> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

fn read_requests(state: &Mutex<SharedState>, requests: &Sender<(Request, Vec<u8>)>) {
    let mut stdin = io::stdin().lock();
    while let Ok(Some((request, payload))) = read_frame::<Request>(&mut stdin) {
        let Job::Cancel(unwanted) = request.job else {
            if requests.send((request, payload)).is_err() {
                return;
            }
            continue;
        };
        let mut state = lock(state);
        if state.working_on == Some(unwanted) {
            leave();
        }
        state.cancelled.insert(unwanted);
    }
    // The client has closed the pipe, so no one reads an answer.
    leave();
}

/// Ends the process as it stands: nothing of it can be waited for.
#[allow(unsafe_code, reason = "leaving without running what LLVM has registered for the end, while it is at work")]
fn leave() -> ! {
    // SAFETY: ends the process without running anything of it.
    unsafe { libc::_exit(0) }
}

fn work(state: &Mutex<SharedState>, requests: &Receiver<(Request, Vec<u8>)>) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    let mut last = LastObjects::default();
    for (Request { id, job }, payload) in requests {
        let cancelled = {
            let mut state = lock(state);
            state.working_on = Some(id);
            state.cancelled.remove(&id)
        };
        trap::working_on(id);
        answer(&mut stdout, id, Outcome::Begun, &[])?;
        let done = if cancelled { Err(Failure::Cancelled) } else { done(job, &payload, &mut last) };
        lock(state).working_on = None;
        let (outcome, payload) = done.unwrap_or_else(|failure| (Outcome::Failed(failure), Vec::new()));
        answer(&mut stdout, id, outcome, &payload)?;
    }
    Ok(())
}

fn answer(out: &mut impl Write, id: u64, outcome: Outcome, payload: &[u8]) -> io::Result<()> {
    write_frame(out, &Response { id, outcome }, payload)
}

type Done = Result<(Outcome, Vec<u8>), Failure>;

fn done(job: Job, payload: &[u8], last: &mut LastObjects) -> Done {
    let llvm = llvm().map_err(|error| Failure::Refused(error.to_string()))?;
    match job {
        Job::Hello => {
            let library = llvm.path().display().to_string();
            Ok((Outcome::Hello { version: llvm.version(), library, host: host::host_spec(llvm) }, Vec::new()))
        }
        Job::Compile { ir, spec, form } => compile(llvm, &ir, &spec, form).map_err(Failure::Refused),
        Job::Run(run) => run_once(llvm, last, &run, payload),
        Job::Bench { run, milliseconds } => bench(llvm, last, &run, payload, Duration::from_millis(milliseconds)),
        Job::Cancel(_) => Err(Failure::Cancelled),
    }
}

fn compile(llvm: &Llvm, ir: &str, spec: &Spec, form: CompiledForm) -> Result<(Outcome, Vec<u8>), String> {
    let mut module = Module::parse(llvm, ir, spec)?;
    module.optimise()?;
    Ok(match form {
        CompiledForm::Optimised => (Outcome::Text(module.text()), Vec::new()),
        CompiledForm::Assembly => {
            let text = String::from_utf8_lossy(&module.emit(FileType::Assembly)?).into_owned();
            (Outcome::Text(text), Vec::new())
        }
        CompiledForm::Object => (Outcome::Bytes, module.emit(FileType::Object)?),
    })
}

/// The objects that were made last, the latest behind: one kernel is often run again and again, on other inputs, and two are timed in turns.
#[derive(Default)]
struct LastObjects(Vec<MadeObject>);

/// An object, and what it was made of.
struct MadeObject {
    ir: String,
    spec: Spec,
    object: Vec<u8>,
}

impl LastObjects {
    /// The number of objects that are kept.
    const KEPT: usize = 2;

    fn of(&mut self, llvm: &Llvm, run: &RunJob) -> Result<&[u8], String> {
        let known = self.0.iter().position(|made| made.spec == run.spec && made.ir == run.ir);
        let made = match known {
            Some(number) => self.0.remove(number),
            None => {
                let mut module = Module::parse(llvm, &run.ir, &run.spec)?;
                module.optimise()?;
                let object = module.emit(FileType::Object)?;
                self.0.drain(..(self.0.len() + 1).saturating_sub(LastObjects::KEPT));
                MadeObject { ir: run.ir.clone(), spec: run.spec.clone(), object }
            }
        };
        self.0.push(made);
        Ok(&self.0[self.0.len() - 1].object)
    }
}

/// The name of scratch memory in messages.
const SCRATCH: &str = "scratch";

/// A kernel that is ready to run, and what it runs on.
struct Prepared<'l> {
    /// The owner of the entry's code, kept alive for the run.
    _loaded: Loaded<'l>,
    entry: Entry,
    pieces: Vec<Guarded>,
    /// The inputs of each thread: one, unless threads divide the iterations.
    threads: Vec<ThreadInputs>,
    /// The parts of the iterations, which threads take one after the other.
    parts: Vec<[i64; 2]>,
    /// The slots that a part's ends are put to.
    ends: Option<[usize; 2]>,
    /// The call behind all parts, and its inputs.
    join: Option<(Entry, ThreadInputs)>,
}

/// The arguments of one thread's call, and its scratch memory.
struct ThreadInputs {
    scratch: Guarded,
    slots: Vec<u64>,
}

impl ThreadInputs {
    fn new(run: &RunJob, slots: &[Slot], guard: Guard, pieces: &[Guarded]) -> Result<ThreadInputs, Failure> {
        let scratch = Guarded::unset(run.scratch, guard).map_err(|error| refused(&error.to_string()))?;
        let slot = |slot: &Slot| match *slot {
            Slot::Bits(bits) => Ok(bits),
            Slot::Scratch if run.scratch == 0 => Ok(0),
            Slot::Scratch => Ok(scratch.address() as u64),
            Slot::Result | Slot::Status | Slot::Begin | Slot::End => Ok(0),
            Slot::Address { piece, byte } => {
                let piece: &Guarded = pieces.get(piece).ok_or_else(|| refused("an array lies nowhere"))?;
                Ok((piece.address() + byte) as u64)
            }
        };
        let slots: Result<Vec<u64>, Failure> = slots.iter().map(slot).collect();
        Ok(ThreadInputs { slots: slots?, scratch })
    }
}

#[allow(unsafe_code, reason = "runs code that was just made")]
fn call(entry: Entry, slots: &mut [u64]) {
    // SAFETY: the entry reads and writes the slots it was made for, and the arrays they point to; what it touches
    // beyond ends the process. Threads touch no cell that another one writes.
    unsafe { entry(slots.as_mut_ptr()) };
}

impl<'l> Prepared<'l> {
    fn new(
        llvm: &'l Llvm,
        last: &mut LastObjects,
        run: &RunJob,
        guard: Guard,
        payload: &[u8],
    ) -> Result<Prepared<'l>, Failure> {
        let object = last.of(llvm, run).map_err(Failure::Refused)?;
        let loaded = Loaded::load(llvm, object).map_err(Failure::Refused)?;
        let entry = loaded.entry(&run.entry).map_err(Failure::Refused)?;
        let mut pieces = Vec::new();
        let mut rest = payload;
        for piece in &run.memory {
            let (content, behind) = rest.split_at_checked(piece.bytes).ok_or_else(|| refused("memory is missing"))?;
            pieces.push(Guarded::new(content, guard).map_err(|error| refused(&error.to_string()))?);
            rest = behind;
        }
        let parts = run.division.map_or_else(|| vec![[0, 0]], Division::parts);
        let n_threads = run.division.map_or(1, |division| division.threads).clamp(1, parts.len());
        let threads = (0..n_threads).map(|_| ThreadInputs::new(run, &run.slots, guard, &pieces));
        let threads = threads.collect::<Result<_, Failure>>()?;
        let at = |wanted: Slot| run.slots.iter().position(|slot| *slot == wanted);
        let ends = at(Slot::Begin).zip(at(Slot::End)).map(|(begin, end)| [begin, end]);
        let join = run.join.as_ref().map(|join| {
            let entry = loaded.entry(&join.entry).map_err(Failure::Refused)?;
            Ok((entry, ThreadInputs::new(run, &join.slots, guard, &pieces)?))
        });
        let join = join.transpose()?;
        Ok(Prepared { _loaded: loaded, entry, threads, parts, ends, join, pieces })
    }

    fn zones(&self, run: &RunJob) -> Vec<Zone> {
        let named = self.pieces.iter().zip(run.memory.iter().map(|of| of.name.as_str()));
        let named = named.chain(self.inputs().map(|inputs| (&inputs.scratch, SCRATCH)));
        let zone = |(piece, name): (&Guarded, &str)| Zone {
            name: serde_json::Value::from(name).to_string(),
            reach: piece.reach(),
            start: piece.address(),
        };
        named.map(zone).collect()
    }

    /// The inputs of all threads, and of the call behind them.
    fn inputs(&self) -> impl Iterator<Item = &ThreadInputs> {
        self.threads.iter().chain(self.join.iter().map(|(_, inputs)| inputs))
    }

    /// Calls the kernel, or parts of it in each thread, and then joins what these have come to.
    fn call(&mut self) {
        let (entry, ends, parts, next) = (self.entry, self.ends, &self.parts, &AtomicUsize::new(0));
        let take = move |slots: &mut [u64]| {
            while let Some(part) = parts.get(next.fetch_add(1, Ordering::Relaxed)) {
                ends.iter().flatten().zip(part).for_each(|(&slot, &end)| slots[slot] = end as u64);
                call(entry, slots);
            }
        };
        let [own, others @ ..] = &mut self.threads[..] else { return };
        thread::scope(|scope| {
            for other in others {
                let slots = &mut other.slots[..];
                scope.spawn(move || take(slots));
            }
            take(&mut own.slots);
        });
        if let Some((entry, inputs)) = &mut self.join {
            call(*entry, &mut inputs.slots);
        }
    }
}

fn refused(why: &str) -> Failure {
    Failure::Refused(why.to_owned())
}

fn run_once(llvm: &Llvm, last: &mut LastObjects, run: &RunJob, payload: &[u8]) -> Done {
    let mut prepared = Prepared::new(llvm, last, run, run.guard, payload)?;
    trap::guarded(prepared.zones(run), || prepared.call());
    if let Some(wrong) = prepared.pieces.iter_mut().position(|piece| !piece.is_whole()) {
        return Err(Failure::WroteOutside(run.memory[wrong].name.clone()));
    }
    let join = prepared.join.iter_mut().map(|(_, inputs)| inputs);
    if !prepared.threads.iter_mut().chain(join).all(|inputs| inputs.scratch.is_whole()) {
        return Err(Failure::WroteOutside(SCRATCH.to_owned()));
    }
    // All threads compare the same sizes, and so does what joins their results.
    let (slots, filled) = match (&run.join, &prepared.join) {
        (Some(join), Some((_, inputs))) => (&join.slots, inputs),
        _ => (&run.slots, &prepared.threads[0]),
    };
    let found = |wanted: Slot| slots.iter().position(|slot| *slot == wanted).map(|at| filled.slots[at]);
    let status = found(Slot::Status).map_or(0, |status| status as i32);
    let result = found(Slot::Result).filter(|_| status == Status::Done as i32);
    let memory: Vec<u8> = prepared.pieces.iter().flat_map(|piece| piece.bytes().to_vec()).collect();
    Ok((Outcome::Ran { status, result }, memory))
}

/// Times runs until the time is up, some first that do not count. Whether one does harm shows before, between guards that
/// would be in the way of what is measured.
fn bench(llvm: &Llvm, last: &mut LastObjects, run: &RunJob, payload: &[u8], time: Duration) -> Done {
    const LEAST: usize = 5;
    const SHORTEST: Duration = Duration::from_micros(200);
    if matches!(run_once(llvm, last, run, payload)?, (Outcome::Ran { status, .. }, _) if status != Status::Done as i32)
    {
        return Err(Failure::SizesDiffer);
    }
    let mut prepared = Prepared::new(llvm, last, run, Guard::Away, payload)?;
    let zones = prepared.zones(run);
    let (nanoseconds, counts) = trap::guarded(zones, || {
        // Runs too short for the clock are timed several at once.
        let mut batch = 1u32;
        loop {
            let start = Instant::now();
            (0..batch).for_each(|_| prepared.call());
            if start.elapsed() >= SHORTEST || batch >= 1 << 24 {
                break;
            }
            batch *= 2;
        }
        let (begun, mut times) = (Instant::now(), Vec::new());
        while times.len() < LEAST || begun.elapsed() < time {
            let start = Instant::now();
            (0..batch).for_each(|_| prepared.call());
            times.push(start.elapsed().as_secs_f64() * 1e9 / f64::from(batch));
        }
        // Counters are read in runs of their own, so that reading them is in no time. Threads beside this one would not be counted.
        let alone = prepared.threads.len() == 1;
        let counts = match alone {
            true => counters::counted(batch, || (0..batch).for_each(|_| prepared.call())),
            false => Err("they are read of one thread, and several divide the run".to_owned()),
        };
        (times, counts)
    });
    let (counts, uncounted) = match counts {
        Ok(counts) => (Some(counts), None),
        Err(why) => (None, Some(why)),
    };
    Ok((Outcome::Timed { nanoseconds, counts, uncounted }, Vec::new()))
}
