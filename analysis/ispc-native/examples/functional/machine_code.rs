//! A test as machine code of this machine, run by a worker.

use std::time::Duration;

use ispc_ir::module::GangModule;
use ispc_ir::types::NumberType;
use ispc_native::run::{GangRan, GangRun, RunArgument, RunMemory, job, ran};
use native::client::Client;
use native::host;
use native::protocol::Job;

use crate::{LoweredTest, N_ELEMENTS, TestOutcome};

/// How long a test may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// The client of the worker that runs tests.
pub(crate) struct MachineCode {
    client: Client,
    target: ir::Target,
}

impl MachineCode {
    pub(crate) fn new() -> MachineCode {
        let program = std::env::current_exe().expect("the path of this program");
        MachineCode { client: Client::new(program, &["worker"]), target: host::tuned(host::row()) }
    }

    /// Runs a test, and its function that tells what is right.
    pub(crate) fn run(&self, test: &LoweredTest, lanes: u32) -> TestOutcome {
        let float = |value: f32| u64::from(value.to_bits());
        let array = |ty: NumberType, of: &dyn Fn(u64) -> u64| -> Vec<u8> {
            (0..N_ELEMENTS).flat_map(|nth| of(nth).to_le_bytes()[..ty.bytes() as usize].to_vec()).collect()
        };
        let memory: Vec<RunMemory> = [
            ("what is returned", array(NumberType::F32, &|_| float(-1e20))),
            ("vfloat", array(NumberType::F32, &|nth| float(nth as f32 + 1.0))),
            ("vdouble", array(NumberType::F64, &|nth| (nth as f64 + 1.0).to_bits())),
            ("vint", array(NumberType::I32, &|nth| 2 * (nth + 1))),
            ("vint2", array(NumberType::I32, &|nth| nth + 5)),
        ]
        .into_iter()
        .map(|(name, bytes)| RunMemory { name: name.to_owned(), bytes })
        .collect();
        let at = |piece: usize| RunArgument::Address { piece, byte: 0 };
        let args = match test.number {
            0 | 7 | 8 => vec![at(0)],
            1 => vec![at(0), at(1)],
            2 => vec![at(0), at(1), RunArgument::Bits(float(5.0))],
            3 => vec![at(0), at(1), at(3)],
            4 => vec![at(0), at(2), RunArgument::Bits(5f64.to_bits())],
            5 => vec![at(0), at(2), RunArgument::Bits(float(5.0))],
            6 => vec![at(0), at(2), at(4)],
            32 => vec![RunArgument::Bits(float(5.0))],
            33 => vec![at(1)],
            _ => vec![at(1), RunArgument::Bits(float(5.0))],
        };
        let module = &test.lowered.module;
        let (Some(function), Some(result)) = (module.function(test.name), module.function(test.result)) else {
            return TestOutcome::Refused("the test's function has no body".to_owned());
        };
        if module.functions[function].params.len() != args.len() {
            return TestOutcome::Refused("the test's function takes other arguments".to_owned());
        }
        let all = u64::MAX >> (64 - lanes);
        let is_print = test.number >= 32;
        let found = self.ran(module, &GangRun { function, args, memory: memory.clone(), lanes: all });
        let args = if is_print { Vec::new() } else { vec![at(0)] };
        let zeros = vec![RunMemory { name: "what is right".to_owned(), bytes: vec![0; 4 * N_ELEMENTS as usize] }];
        let right = self.ran(module, &GangRun { function: result, args, memory: zeros, lanes: all });
        let (found, right) = match (found, right) {
            (Ok(found), Ok(right)) => (found, right),
            (Err(outcome), _) | (_, Err(outcome)) => return outcome,
        };
        if is_print {
            return match found.printed == right.printed {
                true => TestOutcome::Passed,
                false => TestOutcome::WrongValue(format!("printed {:?}, expected {:?}", found.printed, right.printed)),
            };
        }
        for lane in 0..lanes as usize {
            let of = |ran: &GangRan| {
                let bytes: [u8; 4] = std::array::from_fn(|nth| ran.memory[0][lane * 4 + nth]);
                f32::from_le_bytes(bytes)
            };
            if of(&found) != of(&right) {
                let (found, right) = (of(&found), of(&right));
                return TestOutcome::WrongValue(format!("lane {lane} has {found}, expected {right}"));
            }
        }
        TestOutcome::Passed
    }

    fn ran(&self, module: &GangModule, run: &GangRun) -> Result<GangRan, TestOutcome> {
        let (request, payload) =
            job(module, &self.target, run).map_err(|refused| TestOutcome::NotLowered(refused.message))?;
        if let Some(path) = std::env::var_os("LANESCOPE_KEEP_IR") {
            std::fs::write(path, &request.ir).expect("a file");
        }
        let answer = self.client.ask(Job::Run(request), &payload).wait(PATIENCE);
        ran(module, run, answer).map_err(|failure| TestOutcome::Fault(failure.to_string()))
    }
}
