//! Writing a plan down: the ops of a block in their new order, with those of bundles among them.

use rustc_hash::FxHashMap;

use super::block::Address;
use super::bundles::{Bundle, Kind};
use super::plan::{Plan, Step};
use crate::Replacements;
use crate::memory::number;
use facts::{Facts, Form};
use ir::builder::Builder;
use ir::entities::{Op, Origin, Region, Value};
use ir::ops::Code;
use ir::program::{Attr, Kernel, Values};
use ir::types::{CellType, Elem, Type};

/// All that is to be written for a block: plain data, so that the kernel may be changed.
pub(super) struct Script {
    region: Region,
    steps: Vec<Line>,
}

/// A vector that a loop carries in place of some scalars.
pub(super) struct CarriedVector {
    /// The body of the loop.
    pub(super) region: Region,
    /// The numbers of the scalars among what the loop carries.
    pub(super) numbers: Vec<usize>,
    /// The vector in an iteration, a new argument of the body.
    pub(super) arg: Value,
    /// The vector that an iteration hands on.
    pub(super) next: Value,
}

/// A block as it is written.
pub(super) struct Written {
    pub(super) ops: Vec<Op>,
    /// The vectors that the loop carries.
    pub(super) carried: Vec<CarriedVector>,
}

/// A step, with all that it needs to know of the kernel before.
enum Line {
    Op(Op),
    Bundle {
        id: usize,
        bundle: Bundle,
        first: Option<Op>,
        second: Option<Op>,
        takes_second: Vec<bool>,
        address: Option<Address>,
        taken_out: Vec<usize>,
    },
}

impl Script {
    /// The script of a plan.
    pub(super) fn of(plan: &Plan) -> Script {
        let block = plan.bundles.block;
        let kernel = block.kernel;
        let line = |step: &Step| match *step {
            Step::Op(number) => {
                let is_gone = plan.bundles.loads_at_once(number) && !plan.needed.contains(&block.result(number));
                (!is_gone).then(|| Line::Op(block.ops[number]))
            }
            Step::Bundle(id) => {
                let bundle = plan.bundles.list[id].clone();
                let code = |number: usize| kernel.ops[block.ops[number]].code;
                let ops = bundle.ops();
                let first = ops.first().copied();
                let second = ops.iter().copied().find(|&number| code(number) != code(ops[0]));
                let takes_second = ops.iter().map(|&number| code(number) != code(ops[0])).collect();
                let address = match &bundle.kind {
                    Kind::Load { ops } | Kind::Store { ops, .. } => block.address(ops),
                    _ => None,
                };
                let computes = matches!(bundle.kind, Kind::Same { .. } | Kind::Two { .. } | Kind::Carried);
                let is_taken_out = |lane: &usize| computes && plan.needed.contains(&bundle.lanes[*lane]);
                let taken_out = (0..bundle.lanes.len()).filter(is_taken_out).collect();
                let op_of = |number: Option<usize>| number.map(|number| block.ops[number]);
                Some(Line::Bundle {
                    id,
                    first: op_of(first),
                    second: op_of(second),
                    takes_second,
                    address,
                    taken_out,
                    bundle,
                })
            }
        };
        Script { region: block.region, steps: plan.steps.iter().filter_map(line).collect() }
    }

    /// Writes the ops of the block, in order. Scalars that are taken out of vectors go to `new`.
    pub(super) fn write(self, kernel: &mut Kernel, facts: &Facts, new: &mut Replacements) -> Written {
        let b = Builder::detached(std::mem::replace(kernel, Kernel::new("")));
        let (vectors, scalars) = (FxHashMap::default(), FxHashMap::default());
        let mut writer = Writer { b, facts, region: self.region, vectors, scalars, carried: Vec::new() };
        for line in self.steps {
            writer.line(line);
        }
        let Writer { b, scalars, carried, .. } = writer;
        let (written, region) = b.detach();
        *kernel = written;
        new.grow(kernel.values.len(), None);
        scalars.into_iter().for_each(|(old, by)| new[old] = Some(by));
        Written { ops: std::mem::take(&mut kernel.regions[region].ops), carried }
    }
}

struct Writer<'f> {
    b: Builder,
    facts: &'f Facts,
    /// The region that the block is of.
    region: Region,
    /// The vectors that the loop carries and hands on.
    carried: Vec<CarriedVector>,
    /// The vector of each bundle that is written; for one scalar in all lanes, the scalar.
    vectors: FxHashMap<usize, (Value, u16)>,
    /// The scalars that were taken out of vectors.
    scalars: FxHashMap<Value, Value>,
}

impl Writer<'_> {
    fn line(&mut self, line: Line) {
        let (id, bundle, first, second, takes_second, address, taken_out) = match line {
            Line::Op(op) => {
                let region = self.b.block();
                return self.b.kernel_mut().regions[region].ops.push(op);
            }
            Line::Bundle { id, bundle, first, second, takes_second, address, taken_out } => {
                (id, bundle, first, second, takes_second, address, taken_out)
            }
        };
        let width = bundle.width() as u16;
        let origin = self.origin(&bundle, first);
        let outer = self.b.set_origin(origin);
        let made = match &bundle.kind {
            Kind::Splat => Some(self.scalar(bundle.lanes[0])),
            Kind::Together => {
                let scalars: Vec<Value> = bundle.lanes.iter().map(|&value| self.scalar(value)).collect();
                Some(self.b.op(Code::Pack, &scalars))
            }
            Kind::Carried => {
                let kernel = self.b.kernel_mut();
                let elem = kernel.ty(bundle.lanes[0]).data_elem().expect("scalars are carried");
                Some(kernel.add_arg(self.region, Type::lanes_of(elem, width), None))
            }
            Kind::Next { numbers, carried, handed_on } => {
                let (arg, next) = (self.vector(*carried), self.vector(*handed_on));
                self.carried.push(CarriedVector { region: self.region, numbers: numbers.clone(), arg, next });
                None
            }
            Kind::Picked { from, pattern } => {
                let sources: Vec<Value> = from.iter().map(|&id| self.vector(id)).collect();
                Some(self.permute(&sources, pattern))
            }
            Kind::Same { operands, .. } => {
                let operands = self.operands(operands);
                first.map(|op| self.like(op, &operands))
            }
            Kind::Two { operands, .. } => {
                let operands = self.operands(operands);
                let both = first.zip(second).map(|(one, other)| [one, other].map(|op| self.like(op, &operands)));
                let lanes = takes_second.iter().enumerate();
                let pattern: Vec<u16> =
                    lanes.map(|(lane, second)| lane as u16 + if *second { width } else { 0 }).collect();
                both.map(|both| self.permute(&both, &pattern))
            }
            Kind::Load { .. } => address.map(|address| {
                let operands = self.at(&address);
                self.b.op_with(Code::VectorLoad, Attr::Lanes(width), &operands)
            }),
            Kind::Store { stored, .. } => {
                let stored = self.vector(*stored);
                if let Some(address) = address {
                    let mut operands = self.at(&address);
                    operands.push(stored);
                    self.b.push(Code::VectorStore, Attr::None, &operands);
                }
                None
            }
        };
        if let Some(made) = made {
            self.vectors.insert(id, (made, width));
            for lane in taken_out {
                let number = self.b.constant(ir::scalar::Scalar::I32(lane as i32));
                let scalar = self.b.op(Code::Extract, &[made, number]);
                let name = self.b.kernel().values[bundle.lanes[lane]].name.clone();
                if let Some(name) = name {
                    self.b.name(scalar, &name);
                }
                self.scalars.insert(bundle.lanes[lane], scalar);
            }
        }
        self.b.set_origin(outer);
    }

    /// The place of a bundle: its first op's, or of what its first lane was made by.
    fn origin(&self, bundle: &Bundle, first: Option<Op>) -> Origin {
        let kernel = self.b.kernel();
        let maker = || bundle.lanes.iter().find_map(|&value| kernel.def_op(value));
        first.or_else(maker).map_or(kernel.whole(), |op| kernel.ops[op].origin)
    }

    /// A scalar, which may have been taken out of a vector.
    fn scalar(&self, value: Value) -> Value {
        self.scalars.get(&value).copied().unwrap_or(value)
    }

    /// The vector of a bundle.
    fn vector(&mut self, id: usize) -> Value {
        let (value, width) = self.vectors[&id];
        if self.b.kernel().ty(value).lanes().is_some() {
            return value;
        }
        let splat = self.b.op_with(Code::Splat, Attr::Lanes(width), &[value]);
        self.vectors.insert(id, (splat, width));
        splat
    }

    /// The operands of a vector op: a scalar counts for every lane, unless all are scalars.
    fn operands(&mut self, bundles: &[usize]) -> Vec<Value> {
        let is_scalar = |value: Value| self.b.kernel().ty(value).lanes().is_none();
        if bundles.iter().all(|id| is_scalar(self.vectors[id].0)) {
            return bundles.iter().map(|&id| self.vector(id)).collect();
        }
        bundles.iter().map(|id| self.vectors[id].0).collect()
    }

    /// An op like a scalar one, on vectors.
    fn like(&mut self, op: Op, operands: &[Value]) -> Value {
        let data = &self.b.kernel().ops[op];
        let (code, attr) = (data.code, data.attr.clone());
        self.b.op_with(code, attr, operands)
    }

    fn permute(&mut self, sources: &[Value], pattern: &[u16]) -> Value {
        self.b.op_with(Code::Permute, Attr::Pattern(pattern.into()), sources)
    }

    /// The view and the subscripts of an address.
    fn at(&mut self, address: &Address) -> Values {
        match address {
            Address::Of(operands) => operands.iter().map(|&value| self.scalar(value)).collect(),
            Address::InArray(root, elem, start) => {
                let view = self.flat(*root, *elem);
                let start = self.subscript(start);
                [view, start].into_iter().collect()
            }
        }
    }

    fn flat(&mut self, root: Value, elem: Elem) -> Value {
        match self.b.kernel().ty(root) {
            Type::View { item: CellType::Elem(own), rank: 1, .. } if own == elem => root,
            _ => self.b.op_with(Code::Flat, Attr::Elem(elem), &[root]),
        }
    }

    fn subscript(&mut self, start: &Form) -> Value {
        number::make(&mut self.b, self.facts, start)
    }
}
