//! The amount of computation in a run: float operations and bytes, counted by the interpreter.
//!
//! An *element* is an iteration of a loop that has no loop inside. The count is of the program as written, before any
//! pass: a cell that is read twice counts twice, whatever registers and caches make of that.

use std::collections::HashSet;
use std::sync::Arc;

use ir::interp::{Inputs, Machine, Place, Status};
use ir::{Code, Kernel, LoopForest, Op, Region};

/// The work of a run, counted by the interpreter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Work {
    /// The number of iterations of innermost loops.
    pub elements: u64,
    /// Float operations, of which `fma` is two.
    pub operations: u64,
    /// Bytes that were loaded or stored.
    pub bytes: u64,
    /// True if the run came to its end; else only its beginning was counted.
    pub whole: bool,
}

/// Counts the work of a kernel as it was lowered, for so many steps at most.
pub fn work(kernel: &Arc<Kernel>, inputs: &Inputs, steps: u64) -> Option<Work> {
    let mut machine = Machine::new(Arc::clone(kernel), inputs.clone()).ok()?;
    let bodies = innermost_bodies(kernel);
    let mut work = Work::default();
    for _ in 0..steps {
        match machine.place() {
            Place::Op(op) => {
                work.operations += operations(kernel, op);
                work.bytes += bytes(kernel, op);
            }
            Place::End(region) => work.elements += u64::from(bodies.contains(&region)),
            Place::Over => {
                work.whole = matches!(machine.status(), Status::Done(_));
                break;
            }
        }
        machine.step();
    }
    Some(work)
}

/// The bodies of loops that have no loop inside.
fn innermost_bodies(kernel: &Kernel) -> HashSet<Region> {
    let forest = LoopForest::of(kernel);
    let innermost = forest.loops().iter().filter(|&&op| forest.loops_inside(op).is_empty());
    innermost.filter_map(|&op| kernel.ops[op].regions.last().copied()).collect()
}

/// The float operations of an op.
fn operations(kernel: &Kernel, op: Op) -> u64 {
    let data = &kernel.ops[op];
    let of_floats =
        data.operands.first().is_some_and(|&value| kernel.ty(value).data_elem().is_some_and(|elem| elem.is_float()));
    match data.code {
        _ if !of_floats => 0,
        Code::Fma | Code::Rsqrt => 2,
        // These move bits, or read one.
        Code::Neg | Code::Abs | Code::Isnan | Code::Select | Code::Cast | Code::Bitcast => 0,
        code => u64::from(code.is_elementwise()),
    }
}

/// The bytes that an op loads or stores.
fn bytes(kernel: &Kernel, op: Op) -> u64 {
    let data = &kernel.ops[op];
    match data.code {
        Code::Load | Code::Store => kernel.ty(data.operands[0]).elem().map_or(0, |elem| elem.bytes() as u64),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loop_is_counted_by_its_iterations() {
        let text = "\
kernel axpy(x: f32[n], y: f32[n], n: i32):
    for i in range(0, n):
        y[i] = ((x[i] * 2.0) + y[i])
";
        let kernel = Arc::new(ir::read(text, None).expect("a kernel").remove(0));
        let inputs = Inputs::new().bytes(vec![0; 40], &[10]).bytes(vec![0; 40], &[10]).scalar(10);
        let whole = Work { elements: 10, operations: 20, bytes: 120, whole: true };
        assert_eq!(work(&kernel, &inputs, 1_000), Some(whole));
        assert!(work(&kernel, &inputs, 30).is_some_and(|work| !work.whole && work.elements < 10));
    }
}
