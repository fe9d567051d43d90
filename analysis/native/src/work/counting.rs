//! Counting natively: a copy of the kernel that also counts how often each of its blocks runs, and marks each element that it touches.
//!
//! ```text
//! while more:                          while more:
//!                                          counts[1] = counts[1] + 1
//!     out[i] = out[i] + a[i]               out[i] = out[i] + a[i]
//!                                          marks[i] = 1
//! ```
//!
//! What an op of a block counts for is known before, so the counts of blocks give those of operations and bytes. The copy runs as scalar
//! code and makes everything else as the kernel does, on the same data. So the counts are exact, however long the run is.

use std::collections::{HashMap, HashSet};

use ir::builder::Builder;
use ir::interp::{Arg, Inputs};
use ir::{Attr, Code, DimSize, Elem, Kernel, Op, Region, Scalar, Value};
use passes::pipeline::{self, Options};

use super::{Work, WorkUnit, bytes, operations, unit_of};

/// A kernel that counts its work.
pub struct CountingCopy {
    /// The kernel behind all passes.
    pub kernel: Kernel,
    unit: WorkUnit,
    /// What each block that is counted does when it runs once: float operations, and bytes.
    blocks: Vec<(f64, f64)>,
    /// The parameters of which elements are marked, by number.
    marked: Vec<usize>,
    names: Vec<String>,
}

impl CountingCopy {
    /// The counting kernel of a kernel as it was lowered; `None` for one whose arrays may overlap, or whose lanes run together: it is no
    /// scalar code.
    pub fn of(kernel: &Kernel, options: &Options) -> Option<CountingCopy> {
        let mut together = false;
        kernel.walk(kernel.body, &mut |_, op| together |= kernel.lanes_of_foreach(op).is_some());
        if together || !kernel.marks.alias.is_empty() {
            return None;
        }
        let unit = unit_of(kernel);
        let mut writer = Writer::new(kernel, unit);
        writer.block(kernel.body)?;
        let Writer { b, blocks, marked, .. } = writer;
        let (counting, _) = b.detach();
        let name =
            |&number: &usize| kernel.values[kernel.params[number].value].name.as_deref().unwrap_or("").to_owned();
        let names = marked.iter().map(name).collect();
        let reached = pipeline::run(counting, options, false).ok()?;
        Some(CountingCopy { kernel: Kernel::clone(&reached.last()?.kernel), unit, blocks, marked, names })
    }

    /// The inputs of the counting kernel for a run of the kernel on some.
    pub fn inputs(&self, inputs: &Inputs) -> Inputs {
        let mut inputs = inputs.clone();
        for &number in &self.marked {
            let Arg::Array { sizes, .. } = inputs.args[number].clone() else { continue };
            let n_elements = sizes.iter().map(|&size| usize::try_from(size).unwrap_or(0)).product();
            inputs = inputs.bytes(vec![0; n_elements], &sizes);
        }
        let n_blocks = self.blocks.len();
        inputs.bytes(vec![0; 8 * n_blocks], &[n_blocks as i64])
    }

    /// The work of the run that has left this memory.
    pub fn work(&self, memory: &[Vec<u8>]) -> Option<Work> {
        let (counts, before) = memory.split_last()?;
        let marks = &before[before.len().checked_sub(self.marked.len())?..];
        let counts =
            counts.chunks_exact(8).map(|count| u64::from_le_bytes(count.try_into().unwrap_or_default()) as f64);
        let (mut operations, mut bytes) = (0.0, 0.0);
        for (count, (of_block, bytes_of_block)) in counts.zip(&self.blocks) {
            operations += count * of_block;
            bytes += count * bytes_of_block;
        }
        let n_touched = |marks: &Vec<u8>| marks.iter().filter(|&&mark| mark != 0).count();
        let touched: Vec<(&String, usize)> =
            self.names.iter().zip(marks.iter().map(n_touched)).filter(|(_, n)| *n > 0).collect();
        Some(Work {
            unit: self.unit,
            arrays: touched.iter().map(|(name, _)| (*name).clone()).collect(),
            elements: touched.iter().map(|(_, n)| *n as f64).sum(),
            operations,
            bytes,
            whole: true,
        })
    }
}

/// Adds what counts to a kernel.
struct Writer {
    b: Builder,
    unit: WorkUnit,
    /// The array of the blocks' counts.
    counts: Value,
    /// The view of an array's marks for each view of the array.
    marks: HashMap<Value, Value>,
    marked: Vec<usize>,
    blocks: Vec<(f64, f64)>,
    mark: Value,
}

impl Writer {
    fn new(kernel: &Kernel, unit: WorkUnit) -> Writer {
        let mut b = Builder::detached(kernel.clone());
        let (mut marked, mut marks) = (Vec::new(), HashMap::new());
        let mut arrays = HashSet::new();
        kernel.walk(kernel.body, &mut |_, op| arrays.extend(touched(kernel, unit, op).map(|view| kernel.root(view))));
        for (number, param) in kernel.params.iter().enumerate().filter(|(_, param)| arrays.contains(&param.value)) {
            marks.insert(param.value, b.array("marks", Elem::U8, &vec![DimSize::Own; param.sizes.len()]));
            marked.push(number);
        }
        let counts = b.array("counts", Elem::I64, &[DimSize::Own]);
        let mark = b.constant(Scalar::U8(1));
        Writer { b, unit, counts, marks, marked, blocks: Vec::new(), mark }
    }

    /// Adds the count of a block, and the marks of what it touches, and of the blocks inside; `None` where an array's name is handed on,
    /// so that it is not known of which array an access is.
    fn block(&mut self, region: Region) -> Option<()> {
        let ops = std::mem::take(&mut self.b.kernel_mut().regions[region].ops);
        let kernel = self.b.kernel();
        if kernel.regions[region].args.iter().any(|&arg| kernel.ty(arg).is_view()) {
            return None;
        }
        let mut made = Vec::with_capacity(ops.len());
        let (mut n_operations, mut n_bytes) = (0.0, 0.0);
        for &op in &ops {
            n_operations += operations(kernel, op);
            n_bytes += bytes(kernel, op);
        }
        if n_operations + n_bytes > 0.0 {
            let number = self.b.constant(Scalar::I64(self.blocks.len() as i64));
            let one = self.b.constant(Scalar::I64(1));
            let count = self.b.op(Code::Load, &[self.counts, number]);
            let count = self.b.op(Code::WrappingAdd, &[count, one]);
            self.b.push(Code::Store, Attr::None, &[self.counts, number, count]);
            self.blocks.push((n_operations, n_bytes));
        }
        for op in ops {
            self.take(&mut made);
            made.push(op);
            self.beside(op)?;
            for inner in self.b.kernel().ops[op].regions.clone() {
                self.take(&mut made);
                self.block(inner)?;
            }
        }
        self.take(&mut made);
        self.b.kernel_mut().regions[region].ops = made;
        Some(())
    }

    /// Moves what was built to the ops of the block in question.
    fn take(&mut self, made: &mut Vec<Op>) {
        let built = self.b.block();
        made.append(&mut self.b.kernel_mut().regions[built].ops);
    }

    /// Builds what stands behind an op: the same part of the marks, or the mark of the element that it touches.
    fn beside(&mut self, op: Op) -> Option<()> {
        let data = self.b.kernel().ops[op].clone();
        if let Some(view) = touched(self.b.kernel(), self.unit, op) {
            if let Some(&marks) = self.marks.get(&view) {
                // All cells of an array in a struct are its element's.
                let rank = usize::from(self.b.kernel().ty(marks).rank());
                let mut operands = data.operands[..=rank].to_vec();
                operands[0] = marks;
                operands.push(self.mark);
                self.b.push(Code::Store, Attr::None, &operands);
            }
            return Some(());
        }
        let is_view = |value: &&Value| self.b.kernel().ty(**value).is_view();
        let Some(&result) = data.results.iter().find(is_view) else { return Some(()) };
        match (data.code, data.operands.first().and_then(|view| self.marks.get(view)).copied()) {
            (Code::Field, Some(marks)) => drop(self.marks.insert(result, marks)),
            (Code::Row | Code::Slice, Some(marks)) if matches!(data.attr, Attr::Number(dim) if dim >= i64::from(self.b.kernel().ty(marks).rank())) =>
            {
                self.marks.insert(result, marks);
            }
            (Code::Row | Code::Slice, Some(marks)) => {
                let mut operands = data.operands.clone();
                operands[0] = marks;
                let part = self.b.op_with(data.code, data.attr, &operands);
                self.marks.insert(result, part);
            }
            (Code::Row | Code::Slice | Code::Field | Code::Temp | Code::Table, None) => {}
            _ => return None,
        }
        Some(())
    }
}

/// The view of which an op touches an element that is counted.
fn touched(kernel: &Kernel, unit: WorkUnit, op: Op) -> Option<Value> {
    let data = &kernel.ops[op];
    let code = if unit == WorkUnit::Written { Code::Store } else { Code::Load };
    (data.code == code).then(|| data.operands[0])
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use ir::interp::{Machine, MachineStatus};

    use super::*;
    use crate::work::whole;

    const KERNELS: [&str; 6] = [
        "\
kernel grow(a: f32[n], out: f32[n], n: i32, times: i32):
    let _0, _1 = while with t = 0, s = 1.0:
        let more = (t < times)
    do more:
        for i in range(0, n, 2):
            out[i] = (out[i] + (a[i] * s))
        yield (t + 1), (s * 0.5)
",
        "\
kernel first(a: f32[n], out: f32[n], n: i32, times: i32):
    for i in range(0, n):
        if (a[i] > 0.5):
            out[i] = sqrt(a[i])
        else:
            out[0] = (a[i] + 1.0)
",
        "\
kernel sum(a: f32[n], out: f32[n], n: i32, times: i32) -> f32:
    let _0 = for i in range(1, n) with s = 0.0:
        yield (s + a[i])
    return _0
",
        "\
kernel rows(a: f32[n], out: f32[n], n: i32, times: i32):
    let part = slice(out, 1, n, 2)
    for i in range(0, 3):
        part[i] = (a[i] * 2.0)
",
        "\
kernel own(a: f32[n], out: f32[n], n: i32, times: i32):
    foreach i in range(0, n):
        let t = temp(2, type=f32)
        t[0] = a[i]
        t[1] = (t[0] * 2.0)
        out[i] = t[1]
",
        "\
kernel pairs(a: f32[n], out: f32[n], n: i32, times: i32):
    foreach i in range(0, 2), j in range(0, 3):
        out[((i * 3) + j)] = (a[i] * a[j])
",
    ];

    fn inputs() -> Inputs {
        let numbers = |by: f32| (0..8).map(|k| Scalar::F32(k as f32 * by)).collect::<Vec<_>>();
        Inputs::new().array(&numbers(0.25), &[8]).array(&numbers(1.0), &[8]).scalar(8).scalar(5)
    }

    #[test]
    fn a_kernel_that_counts_finds_what_steps_do() {
        for text in KERNELS {
            let kernel = Arc::new(ir::read(text, None).unwrap_or_else(|error| panic!("{text}\n{error:?}")).remove(0));
            let options = Options { lanes: Some(1), ..Options::default() };
            let counting = CountingCopy::of(&kernel, &options).unwrap_or_else(|| panic!("not counted:\n{text}"));
            let given = counting.inputs(&inputs());
            let n_pieces = given.memory.len();
            let mut machine = Machine::new(Arc::new(counting.kernel.clone()), given).expect("inputs that fit");
            machine.run_for(100_000);
            assert!(matches!(machine.status(), MachineStatus::Done(_)), "{text}\n{:?}", machine.status());
            assert_eq!(counting.work(&machine.memory()[..n_pieces]), whole(&kernel, &inputs(), 100_000), "{text}");
        }
    }

    #[test]
    fn arrays_that_may_overlap_are_not_counted_so() {
        let text = "@alias(a, out)\nkernel k(a: f32[n], out: f32[n], n: i32):\n    for i in range(0, n):\n        out[i] = a[i]\n";
        let kernel = ir::read(text, None).expect("a kernel").remove(0);
        assert!(CountingCopy::of(&kernel, &Options::default()).is_none());
    }
}
