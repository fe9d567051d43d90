//! Generated kernels that work on whole arrays: they are verified, read back, give the same in the order of their text, have
//! the sizes that are found for them, and can be undone.

use super::*;
use crate::entities::Value;
use crate::scalar::Fold;
use crate::{Attr, Builder, DimSize, canonical, print, shapes, verify};

/// Makes up statements.
struct Generator {
    builder: Builder,
    random: fastrand::Rng,
    /// The values in scope.
    scope: Vec<Value>,
    depth: usize,
    together: bool,
}

/// A kernel for arrays of `n` and `n * k` elements.
fn generated(seed: u64) -> Kernel {
    let mut builder = Builder::new("generated");
    let n = builder.scalar("n", Elem::I32);
    let k = builder.scalar("k", Elem::I32);
    let a = builder.array("a", Elem::F32, &[DimSize::Param(n)]);
    let b = builder.array("b", Elem::I32, &[DimSize::Own]);
    let m = builder.array("m", Elem::F32, &[DimSize::Param(n), DimSize::Param(k)]);
    let random = fastrand::Rng::with_seed(seed);
    let mut generator = Generator { builder, random, scope: vec![n, k, a, b, m], depth: 0, together: false };
    generator.statements(12);
    generator.builder.finish(None)
}

impl Generator {
    fn ty(&self, value: Value) -> Type {
        self.builder.kernel().ty(value)
    }

    /// A value in scope, the later ones more often.
    fn any(&mut self, fits: impl Fn(Type) -> bool) -> Option<Value> {
        let fitting: Vec<Value> = self.scope.iter().copied().filter(|&value| fits(self.ty(value))).collect();
        let from = if self.random.bool() { fitting.len().saturating_sub(4) } else { 0 };
        (!fitting.is_empty()).then(|| fitting[self.random.usize(from..fitting.len())])
    }

    fn array(&mut self) -> Value {
        self.any(Type::is_view).expect("parameters are arrays")
    }

    fn constant(&mut self, elem: Elem) -> Value {
        let number = self.random.i128(0..4);
        let scalar = if elem == Elem::Bool { Scalar::Bool(number > 1) } else { Scalar::zero(elem) };
        let scalar = if elem.is_integer() { Scalar::wrap(elem, number) } else { scalar };
        self.builder.constant(if elem == Elem::F32 { Scalar::F32(number as f32 / 2.0) } else { scalar })
    }

    /// A value of a type; a constant, where it is a scalar and none is in scope.
    fn of(&mut self, ty: Type) -> Option<Value> {
        match ty {
            Type::Data { elem, .. } if self.random.u8(..) < 80 => Some(self.constant(elem)),
            Type::Data { elem, .. } => self.any(|other| other == ty).or_else(|| Some(self.constant(elem))),
            Type::View { .. } => self.any(|other| other == ty),
        }
    }

    fn integer(&mut self) -> Value {
        self.of(Type::scalar(Elem::I32)).expect("a scalar")
    }

    /// Adds an op, unless its operands do not fit; its results are in scope, some with a name.
    fn push(&mut self, code: Code, attr: Attr, operands: &[Value]) {
        if let Ok(op) = self.builder.try_fitting(code, attr, operands) {
            let results = self.builder.kernel().ops[op].results.to_vec();
            self.define(&results);
        }
    }

    fn define(&mut self, results: &[Value]) {
        for &value in results {
            if self.random.bool() {
                self.builder.name(value, ["x", "y", "map"][self.random.usize(..3)]);
            }
            self.scope.push(value);
        }
    }

    fn statements(&mut self, count: usize) {
        for _ in 0..self.random.usize(1..=count) {
            self.statement();
        }
    }

    fn statement(&mut self) {
        let array = self.array();
        let ty = self.ty(array);
        let none = Attr::None;
        let leaf = if self.depth > 2 { 11 } else { 18 };
        match self.random.usize(..leaf) {
            0 => {
                let code = [Code::Add, Code::Sub, Code::Mul][self.random.usize(..3)];
                let operands = [self.integer(), self.integer()];
                self.push(code, none, &operands);
            }
            1 | 2 => {
                let code = [Code::Add, Code::Mul, Code::Max, Code::Lt, Code::Select][self.random.usize(..5)];
                let other = if self.random.bool() { Some(ty) } else { ty.elem().map(Type::scalar) };
                let Some(other) = other.and_then(|ty| self.of(ty)) else { return };
                match (code, self.any(|ty| ty.elem() == Some(Elem::Bool))) {
                    (Code::Select, Some(condition)) => self.push(code, none, &[condition, array, other]),
                    _ if self.random.bool() => self.push(code, none, &[other, array]),
                    _ => self.push(code, none, &[array, other]),
                }
            }
            3 => {
                let n = self.integer();
                self.push(Code::Iota, none, &[n]);
            }
            4 if ty.rank() < 3 => {
                let (n, x) = (self.integer(), self.any(|ty| ty.rank() < 3).unwrap_or(array));
                self.push(Code::Replicate, none, &[n, x]);
            }
            5 if ty.rank() < 3 => {
                let element = if self.random.bool() { ty } else { Type::scalar(Elem::I32) };
                let elements: Vec<Value> = (0..self.random.usize(1..4)).filter_map(|_| self.of(element)).collect();
                self.push(Code::Elements, none, &elements);
            }
            6 => {
                let source = if self.random.bool() { Some(ty) } else { ty.elem().map(Type::scalar) };
                if let Some(source) = source.and_then(|ty| self.of(ty)) {
                    self.push(Code::Assign, none, &[array, source]);
                }
            }
            7 => {
                let (lo, hi, one) = (self.constant(Elem::I32), self.integer(), self.builder.constant(Scalar::I32(1)));
                let dim = self.random.i64(0..ty.rank().into());
                self.push(Code::Slice, Attr::Number(dim), &[array, lo, hi, one]);
            }
            8 => {
                let number = self.constant(Elem::I32);
                let dim = self.random.i64(0..ty.rank().into());
                self.push(Code::Row, Attr::Number(dim), &[array, number]);
            }
            9 => {
                let numbers: Vec<Value> = (0..ty.rank()).map(|_| self.constant(Elem::I32)).collect();
                let operands: Vec<Value> = std::iter::once(array).chain(numbers).collect();
                self.push(Code::Load, none, &operands);
            }
            10 => self.push(Code::Cast, Attr::Elem(Elem::F32), &[array]),
            11 => self.over_elements(Code::Map),
            12 | 13 => self.over_elements(Code::Reduce),
            14 => self.over_elements(Code::Scan),
            15 => {
                let condition = self.of(Type::scalar(Elem::Bool)).expect("a scalar");
                self.builder.open_if(condition);
                let then = self.block(&[], |generator| generator.of(ty).unwrap_or(array));
                self.builder.next_block(&[then]);
                let other = self.block(&[], |generator| generator.of(ty).unwrap_or(array));
                let results = self.builder.close(&[other]);
                self.define(&results);
            }
            16 => {
                let numbers = [0, 2, 1].map(|number| self.builder.constant(Scalar::I32(number)));
                let args = self.builder.open_for("i", numbers, &[("s", array)]);
                let next = self.block(&args, |generator| generator.of(ty).unwrap_or(array));
                let results = self.builder.close(&[next]);
                self.define(&results);
            }
            17 if !self.together => {
                let numbers = [0, 6, 1].map(|number| self.builder.constant(Scalar::I32(number)));
                let args = self.builder.open_foreach_in_lanes(&[("j", numbers)], 4);
                self.together = true;
                self.block(&args, |_| args[0]);
                self.together = false;
                self.builder.close(&[]);
            }
            _ => {}
        }
    }

    /// Statements in a block that is open, and the value that it is to yield.
    fn block(&mut self, args: &[Value], yielded: impl FnOnce(&mut Generator) -> Value) -> Value {
        let outside = self.scope.len();
        self.scope.extend(args);
        self.depth += 1;
        self.statements(4);
        self.depth -= 1;
        let value = yielded(self);
        self.scope.truncate(outside);
        value
    }

    fn over_elements(&mut self, code: Code) {
        let arrays: Vec<Value> = (0..self.random.usize(1..3)).map(|_| self.array()).collect();
        let named: Vec<(&str, Value)> = ["x", "y"].into_iter().zip(arrays.iter().copied()).collect();
        let element = self.ty(arrays[0]).of_element();
        let carried = if code == Code::Map { None } else { self.of(element) };
        let (carried, reductions) = match (carried, element) {
            (Some(start), Type::Data { elem: Elem::I32 | Elem::F32, .. }) if code == Code::Reduce => {
                match self.random.bool() {
                    true => (vec![], vec![(Fold::Add, start)]),
                    false => (vec![("s", start)], vec![]),
                }
            }
            (Some(start), _) => (vec![("s", start)], vec![]),
            (None, _) if code == Code::Map => (vec![], vec![]),
            (None, _) => return,
        };
        let args = self.builder.open_over_elements(code, &named, &carried, &reductions);
        let value = self.block(&args, |generator| match generator.random.bool() {
            true if code == Code::Map => generator.any(|ty| ty.rank() < 3).unwrap_or(args[0]),
            _ => generator.of(element).unwrap_or(args[0]),
        });
        let results = self.builder.close(&[value]);
        self.define(&results);
    }
}

fn inputs() -> Inputs {
    let integers: Vec<Scalar> = [2, 0, 1].map(Scalar::I32).to_vec();
    let matrix = floats(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]);
    let inputs = Inputs::new().scalar(3).scalar(3);
    inputs.array(&floats(&[0.5, 1.5, 2.5]), &[3]).array(&integers, &[3]).array(&matrix, &[3, 3])
}

/// How a run ends, and what the arrays of its inputs hold then.
fn outcome(kernel: &Kernel) -> (String, Vec<Vec<u8>>) {
    let mut machine = Machine::new(Arc::new(kernel.clone()), inputs()).expect("inputs that fit");
    let stop = machine.run_for(3000);
    let ended = match machine.status() {
        MachineStatus::Failed(error) => format!("{} in {:?} of {:?}", error.kind.code(), error.lane, error.iteration),
        status => format!("{stop:?}, {status:?}"),
    };
    (ended, machine.memory()[..3].to_vec())
}

/// The sizes that are found for a kernel's arrays have to be those that they have.
fn check_sizes(machine: &Machine) {
    let shapes = shapes::of(machine.kernel());
    for value in machine.kernel().values.keys() {
        let Reg::One(Cell::View(view)) = machine.reg(value) else { continue };
        for (size, dim) in shapes.sizes(value).iter().zip(&view.dims) {
            let param = |param: Value| machine.reg(param).scalar().and_then(Scalar::wide);
            let known = size.evaluate(&param).map(|size| size.max(0));
            assert!(known.is_none_or(|size| size == dim.size.into()), "{value} is {view:?}, not {size:?}");
        }
    }
}

#[test]
fn generated_kernels_keep_what_they_are() {
    let (mut n_done, mut n_known) = (0, 0);
    for seed in 0..2000 {
        let kernel = generated(seed);
        let text = print(&kernel).text;
        verify(&kernel).unwrap_or_else(|found| panic!("{seed}: {found:?}\n{text}"));
        let again = read(&text, None).unwrap_or_else(|error| panic!("{seed}: {error}\n{text}")).remove(0);
        assert_eq!(canonical(&again), canonical(&kernel), "{seed}\n{text}");
        assert_eq!(print(&again).text, text, "{seed}");
        let ended = outcome(&kernel);
        assert_eq!(outcome(&again), ended, "{seed}\n{text}");
        let start = Machine::new(Arc::new(kernel.clone()), inputs()).expect("inputs that fit");
        let mut machine = start.clone();
        machine.record();
        machine.run_for(500);
        check_sizes(&machine);
        while machine.undo() {}
        assert!(machine.is_at_same_moment(&start), "{seed}\n{text}");
        n_done += usize::from(ended.0.starts_with("Over, Done"));
        n_known += usize::from(text.contains("[n]") || text.contains("[n, k]"));
    }
    assert!(n_done > 400 && n_known > 400, "{n_done} run to their end, {n_known} show sizes");
}
