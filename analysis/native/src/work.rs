//! The amount of computation in a run: elements, float operations and bytes, counted by the interpreter.
//!
//! An *element* is one of an array that the kernel writes, however often; or if no loop of it stores anything, since it reduces
//! its arrays to a few numbers, one of an array that it reads. The count is of the program as written, before any pass: a
//! cell that is read twice counts as two loads, whatever registers and caches make of that.
//!
//! A run that takes too many steps to be interpreted counts natively ([`counting`]). What cannot be counted so, because lanes run
//! together or arrays may overlap, is counted on a sample: of the iterations of its outermost loops, every 16th (or 256th, …), each of
//! which then stands for 16. That is exact where all iterations do the same.

pub mod counting;

use std::collections::HashMap;
use std::sync::Arc;

use ir::interp::{Arg, Event, Inputs, Machine, MachineStatus, NextStep};
use ir::{Code, Kernel, LoopForest, Op, Scalar, Value};

/// The unit in which a run's work is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorkUnit {
    /// Elements that the kernel writes.
    Written,
    /// Elements that the kernel reads.
    Read,
}

/// The work of a run, counted by the interpreter.
#[derive(Debug, Clone, PartialEq)]
pub struct Work {
    /// The kind of elements.
    pub unit: WorkUnit,
    /// The arrays that they are in.
    pub arrays: Vec<String>,
    /// The number of different elements.
    pub elements: f64,
    /// Float operations, of which `fma` is two.
    pub operations: f64,
    /// Bytes that were loaded or stored.
    pub bytes: f64,
    /// True if all of the run was counted, and no sample of it.
    pub whole: bool,
}

/// The distances of the iterations that are counted on a sample, the least first.
const SAMPLED: &[i128] = &[16, 256, 4096, 65536];

/// Counts the work of a kernel as it was lowered. Gives none where its run takes more steps than these, or ends with an error.
pub fn whole(kernel: &Arc<Kernel>, inputs: &Inputs, steps: u64) -> Option<Work> {
    Counter::new(kernel, inputs, 1)?.count(inputs, steps)
}

/// Counts the work of a kernel on a sample of its run, in so many steps at most for each sample. Gives none where no sample comes to its
/// end.
pub fn sample(kernel: &Arc<Kernel>, inputs: &Inputs, steps: u64) -> Option<Work> {
    SAMPLED.iter().find_map(|&every| Counter::new(kernel, inputs, every)?.count(inputs, steps))
}

/// The kind of a kernel's elements.
fn unit_of(kernel: &Kernel) -> WorkUnit {
    if stores_in_loops(kernel, &LoopForest::of(kernel)) { WorkUnit::Written } else { WorkUnit::Read }
}

/// A count that is going on.
struct Counter {
    kernel: Arc<Kernel>,
    /// The distance between the iterations that are counted.
    every: i128,
    forest: LoopForest,
    /// The outermost loops that only a sample is counted of.
    sampled: HashMap<Op, SampledLoop>,
    unit: WorkUnit,
    arrays: Vec<Elements>,
    operations: f64,
    bytes: f64,
}

/// An outermost loop of which a sample is counted.
struct SampledLoop {
    /// Its range: the first index, the one behind the last, and the step of the program.
    range: [Value; 2],
    step: i128,
    /// The number of iterations that each of the sample stands for.
    weight: f64,
}

/// The elements of an array that were touched.
struct Elements {
    name: String,
    item_bytes: usize,
    /// A bit for each element, in the order of memory.
    touched: Vec<u64>,
    len: usize,
    number: f64,
}

impl Counter {
    fn new(kernel: &Arc<Kernel>, inputs: &Inputs, every: i128) -> Option<Counter> {
        let mut thinned = Kernel::clone(kernel);
        let forest = LoopForest::of(kernel);
        let mut sampled = HashMap::new();
        for op in forest.outermost().filter(|&op| every > 1 && kernel.n_ranges(op) > 0) {
            let step = kernel.as_const(kernel.ops[op].operands[2]);
            let widened = step.and_then(|step| Scalar::from_wide(step.elem(), step.wide()?.checked_mul(every)?));
            let (Some(step), Some(widened)) = (step.and_then(Scalar::wide), widened) else { continue };
            let operands = &kernel.ops[op].operands;
            sampled.insert(op, SampledLoop { range: [operands[0], operands[1]], step, weight: 1.0 });
            thinned.ops[op].operands[2] = thinned.constant(widened);
        }
        if every > 1 && sampled.is_empty() {
            return None;
        }
        let array = |number: usize, bytes: usize| {
            let at = inputs.args.iter().position(|arg| matches!(arg, Arg::Array { memory, .. } if *memory == number));
            let param = at.map(|at| kernel.params[at].value);
            let item_bytes =
                param.and_then(|param| kernel.ty(param).item()).map_or(1, |item| kernel.item_bytes(item).max(1));
            let name = param
                .and_then(|param| kernel.values[param].name.as_ref())
                .map_or_else(String::new, ToString::to_string);
            let len = bytes.div_ceil(item_bytes);
            Elements { name, item_bytes, touched: vec![0; len.div_ceil(64)], len, number: 0.0 }
        };
        let arrays = inputs.memory.iter().enumerate().map(|(number, memory)| array(number, memory.len())).collect();
        let unit = unit_of(kernel);
        let kernel = Arc::new(thinned);
        Some(Counter { kernel, every, forest, sampled, unit, arrays, operations: 0.0, bytes: 0.0 })
    }

    fn count(mut self, inputs: &Inputs, steps: u64) -> Option<Work> {
        let mut machine = Machine::new(Arc::clone(&self.kernel), inputs.clone()).ok()?;
        machine.watch();
        for _ in 0..steps {
            let weight = match machine.place() {
                NextStep::Op(op) => self.note_op(&machine, op),
                NextStep::End(_) => 1.0,
                NextStep::Over if matches!(machine.status(), MachineStatus::Done(_)) => return self.found(),
                NextStep::Over => return None,
            };
            machine.step();
            machine.events().iter().for_each(|event| self.note_event(event, weight));
        }
        None
    }

    /// Counts an op that is about to run; gives the number of times that it stands for.
    fn note_op(&mut self, machine: &Machine, op: Op) -> f64 {
        let number = |value| machine.reg(value).scalar().and_then(Scalar::wide);
        if let Some(sampled) = self.sampled.get_mut(&op)
            && let [Some(low), Some(high)] = sampled.range.map(number)
        {
            let rounds = |step: i128| ((high - low) / step + i128::from((high - low) % step != 0)).max(1) as f64;
            sampled.weight = rounds(sampled.step) / rounds(sampled.step * self.every);
        }
        let outermost = self.forest.around(op).last();
        let weight = outermost.and_then(|outermost| self.sampled.get(&outermost)).map_or(1.0, |sampled| sampled.weight);
        self.operations += weight * operations(&self.kernel, op);
        self.bytes += weight * bytes(&self.kernel, op);
        weight
    }

    fn note_event(&mut self, event: &Event, weight: f64) {
        let &Event::Touched { memory, byte, write, .. } = event else { return };
        let Some(array) = self.arrays.get_mut(memory).filter(|_| write == (self.unit == WorkUnit::Written)) else {
            return;
        };
        let element = byte / array.item_bytes;
        if let Some(bits) = array.touched.get_mut(element / 64) {
            let bit = 1 << (element % 64);
            array.number += if *bits & bit == 0 { weight } else { 0.0 };
            *bits |= bit;
        }
    }

    fn found(self) -> Option<Work> {
        let touched = self.arrays.iter().filter(|array| array.number > 0.0);
        Some(Work {
            unit: self.unit,
            arrays: touched.clone().map(|array| array.name.clone()).collect(),
            // Iterations that touch the same elements stand for no others.
            elements: touched.map(|array| array.number.round().min(array.len as f64)).sum(),
            operations: self.operations.round(),
            bytes: self.bytes.round(),
            whole: self.every == 1,
        })
    }
}

/// True if a loop of the kernel stores to an array that is given to it.
fn stores_in_loops(kernel: &Kernel, forest: &LoopForest) -> bool {
    let is_param = |view: Value| kernel.params.iter().any(|param| param.value == kernel.root(view));
    forest.loops().iter().flat_map(|&op| forest.inside(op)).any(|&op| {
        let data = &kernel.ops[op];
        data.regions.is_empty()
            && kernel.effect(op) == ir::Effect::Writes
            && data.operands.first().is_some_and(|&view| is_param(view))
    })
}

/// The float operations of an op.
fn operations(kernel: &Kernel, op: Op) -> f64 {
    let data = &kernel.ops[op];
    let of_floats =
        data.operands.first().is_some_and(|&value| kernel.ty(value).data_elem().is_some_and(|elem| elem.is_float()));
    match data.code {
        _ if !of_floats => 0.0,
        Code::Fma | Code::MulAdd | Code::Rsqrt => 2.0,
        // These move bits, or read some.
        Code::Neg | Code::Abs | Code::Isnan | Code::Select | Code::Cast | Code::Bitcast => 0.0,
        Code::Lt | Code::Le | Code::Gt | Code::Ge | Code::Eq | Code::Ne => 0.0,
        code => f64::from(u8::from(code.is_elementwise())),
    }
}

/// The bytes that an op loads or stores.
fn bytes(kernel: &Kernel, op: Op) -> f64 {
    let data = &kernel.ops[op];
    match data.code {
        Code::Load | Code::Store => kernel.ty(data.operands[0]).elem().map_or(0.0, |elem| elem.bytes() as f64),
        _ => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(text: &str, inputs: Inputs, steps: u64) -> String {
        let kernel = Arc::new(ir::read(text, None).expect("a kernel").remove(0));
        let work = whole(&kernel, &inputs, steps).or_else(|| sample(&kernel, &inputs, steps));
        let Some(work) = work else { return "not counted".to_owned() };
        let Work { unit, arrays, elements, operations, bytes, whole } = work;
        format!("{elements} {unit:?} of {}: {operations} operations, {bytes} bytes, whole: {whole}", arrays.join(", "))
    }

    const AXPY: &str = "\
kernel axpy(x: f32[n], y: f32[n], n: i32):
    for i in range(0, n):
        y[i] = ((x[i] * 2.0) + y[i])
";

    fn axpy(n: usize) -> Inputs {
        let bytes = || vec![0; 4 * n];
        Inputs::new().bytes(bytes(), &[n as i64]).bytes(bytes(), &[n as i64]).scalar(n as i32)
    }

    #[test]
    fn elements_are_what_is_written() {
        let whole = "10 Written of y: 20 operations, 120 bytes, whole: true";
        assert_eq!(counted(AXPY, axpy(10), 1_000), whole);
    }

    #[test]
    fn a_sample_says_what_all_of_a_run_would() {
        for n in [1_000, 10_007] {
            let n_f = n as f64;
            let expected = format!("{n} Written of y: {} operations, {} bytes, whole: false", 2.0 * n_f, 12.0 * n_f);
            assert_eq!(counted(AXPY, axpy(n), 5_000), expected);
        }
    }

    #[test]
    fn what_is_written_again_and_again_is_an_element_once() {
        let text = "\
kernel sums(a: f32[n, 4], out: f32[4], n: i32):
    for i in range(0, n):
        for j in range(0, 4):
            out[j] = (out[j] + a[i, j])
";
        let inputs =
            |n: usize| Inputs::new().bytes(vec![0; 16 * n], &[n as i64, 4]).bytes(vec![0; 16], &[4]).scalar(n as i32);
        assert_eq!(counted(text, inputs(10), 10_000), "4 Written of out: 40 operations, 480 bytes, whole: true");
        assert_eq!(
            counted(text, inputs(1_600), 10_000),
            "4 Written of out: 6400 operations, 76800 bytes, whole: false"
        );
    }

    #[test]
    fn elements_of_a_reduction_are_what_is_read() {
        let text = "\
kernel sum(a: f32[n], n: i32) -> f32:
    let _0 = for i in range(0, n) with s = 0.0:
        yield (s + a[i])
    return _0
";
        let inputs = Inputs::new().bytes(vec![0; 40], &[10]).scalar(10);
        assert_eq!(counted(text, inputs, 1_000), "10 Read of a: 10 operations, 40 bytes, whole: true");
    }

    #[test]
    fn a_run_without_end_is_not_counted() {
        let text = "kernel k(a: f32[n], n: i32):\n    let _0 = while with i = 0:\n        let more = (i < n)\n    do more:\n        a[0] = 1.0\n        yield i\n";
        assert_eq!(counted(text, Inputs::new().bytes(vec![0; 4], &[1]).scalar(1), 1_000), "not counted");
    }
}
