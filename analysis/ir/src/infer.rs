//! The element types that the text form leaves out.
//!
//! A parameter or number may stand without its type where the kernel says it anyway. Everything that the op
//! table makes one type is one *class*; a class has the type that something in it fixes, else `i32` if
//! something in it counts, indexes or is a whole number, else `f32`. The reader gives the types that come out;
//! the printer asks what would come out, and writes down the types for which that is not what they are.

use crate::entities::{Entity, EntityVec, Op, Region, Value};
use crate::ops::{Code, Gives, Sharing};
use crate::program::{Attr, DimSize, Kernel};
use crate::scalar::Scalar;
use crate::types::{Elem, ElemSet, Type};
use crate::typing::{self, OperandRole};

/// A place in the text where a type may be written: a parameter, or one use of a constant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Site {
    /// A parameter, by its value.
    Param(Value),
    /// An operand of an op.
    Operand(Op, usize),
    /// A yielded value of a region.
    Yield(Region, usize),
}

/// The types that come out.
#[derive(Debug)]
pub(crate) struct Inferred {
    classes: Classes,
    op_sites: EntityVec<Op, usize>,
    region_sites: EntityVec<Region, usize>,
}

impl Inferred {
    /// The element type of a value that is not a constant.
    pub(crate) fn value(&self, value: Value) -> Elem {
        self.classes.elem(value.index())
    }

    /// The element type at a place.
    pub(crate) fn site(&self, site: Site) -> Elem {
        match site {
            Site::Param(value) => self.value(value),
            Site::Operand(op, number) => self.classes.elem(self.op_sites[op] + number),
            Site::Yield(region, number) => self.classes.elem(self.region_sites[region] + number),
        }
    }
}

/// Infers the element types of a kernel from `written`, the types that are written down. Its own types count
/// only as far as they say what is an array, a lane, a struct, a truth value or a whole number.
pub(crate) fn infer(kernel: &Kernel, written: &impl Fn(Site) -> Option<Elem>) -> Inferred {
    let mut next = kernel.values.len();
    let mut sites = |count: usize| {
        next += count;
        next - count
    };
    let mut op_sites = EntityVec::filled(0, 0);
    let mut region_sites = EntityVec::filled(0, 0);
    for (_, op) in kernel.ops.iter() {
        op_sites.push(sites(op.operands.len()));
    }
    for (_, region) in kernel.regions.iter() {
        region_sites.push(sites(region.yields.len()));
    }
    let inferred = Inferred { classes: Classes::new(next), op_sites, region_sites };
    let mut walker = Walker { kernel, written, inferred };
    walker.whole();
    walker.inferred
}

/// Classes of places that have one type: a forest whose roots know the type.
#[derive(Debug)]
struct Classes {
    parent: Vec<u32>,
    known: Vec<Known>,
}

/// The facts about a class.
#[derive(Debug, Clone, Copy, Default)]
struct Known {
    fixed: Option<Elem>,
    whole: bool,
}

impl Classes {
    fn new(len: usize) -> Classes {
        Classes { parent: (0..len as u32).collect(), known: vec![Known::default(); len] }
    }

    fn root(&self, mut at: usize) -> usize {
        while self.parent[at] as usize != at {
            at = self.parent[at] as usize;
        }
        at
    }

    /// The root, leaving a shorter way to it.
    fn root_mut(&mut self, mut at: usize) -> usize {
        while self.parent[at] as usize != at {
            self.parent[at] = self.parent[self.parent[at] as usize];
            at = self.parent[at] as usize;
        }
        at
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root_mut(a), self.root_mut(b));
        // The lower root stays, so that the result does not depend on the order of joins.
        let (stays, goes) = (a.min(b), a.max(b));
        self.parent[goes] = stays as u32;
        let gone = self.known[goes];
        let known = &mut self.known[stays];
        known.fixed = known.fixed.or(gone.fixed);
        known.whole |= gone.whole;
    }

    fn fix(&mut self, at: usize, elem: Elem) {
        let root = self.root_mut(at);
        self.known[root].fixed.get_or_insert(elem);
    }

    fn count(&mut self, at: usize) {
        let root = self.root_mut(at);
        self.known[root].whole = true;
    }

    fn elem(&self, at: usize) -> Elem {
        let known = self.known[self.root(at)];
        known.fixed.unwrap_or(if known.whole { Elem::I32 } else { Elem::F32 })
    }
}

struct Walker<'k, W> {
    kernel: &'k Kernel,
    written: &'k W,
    inferred: Inferred,
}

impl<W: Fn(Site) -> Option<Elem>> Walker<'_, W> {
    fn whole(&mut self) {
        for param in &self.kernel.params {
            if let Some(elem) = (self.written)(Site::Param(param.value)) {
                let at = self.of(param.value);
                self.inferred.classes.fix(at, elem);
            }
            self.sizes(&param.sizes);
        }
        self.region(self.kernel.body);
        let yields = self.yields(self.kernel.body);
        for (&at, elem) in yields.iter().zip(self.kernel.result) {
            self.inferred.classes.fix(at, elem);
        }
    }

    fn sizes(&mut self, sizes: &[DimSize]) {
        for size in sizes {
            match size {
                DimSize::Param(value) => {
                    let at = self.of(*value);
                    self.inferred.classes.count(at);
                }
                DimSize::Arithmetic(_, a, b) => {
                    self.sizes(std::slice::from_ref(a));
                    self.sizes(std::slice::from_ref(b));
                }
                DimSize::Own | DimSize::Constant(_) => {}
            }
        }
    }

    fn of(&self, value: Value) -> usize {
        value.index()
    }

    /// The class of one use of a value; a constant's use is a class of its own.
    fn at(&mut self, value: Value, site: Site, own: usize) -> usize {
        let Some(scalar) = self.kernel.as_const(value) else { return self.of(value) };
        match ((self.written)(site), scalar) {
            (Some(elem), _) => self.inferred.classes.fix(own, elem),
            (None, Scalar::Bool(_)) => self.inferred.classes.fix(own, Elem::Bool),
            (None, scalar) if scalar.elem().is_integer() => self.inferred.classes.count(own),
            _ => {}
        }
        own
    }

    fn operands(&mut self, op: Op) -> Vec<usize> {
        let first = self.inferred.op_sites[op];
        let operands = self.kernel.ops[op].operands.iter().enumerate();
        operands.map(|(number, &value)| self.at(value, Site::Operand(op, number), first + number)).collect()
    }

    fn yields(&mut self, region: Region) -> Vec<usize> {
        let first = self.inferred.region_sites[region];
        let yields = self.kernel.regions[region].yields.iter().enumerate();
        yields.map(|(number, &value)| self.at(value, Site::Yield(region, number), first + number)).collect()
    }

    fn join_all(&mut self, a: &[usize], b: &[usize]) {
        for (&a, &b) in a.iter().zip(b) {
            self.inferred.classes.join(a, b);
        }
    }

    fn values(&self, values: &[Value]) -> Vec<usize> {
        values.iter().map(|&value| self.of(value)).collect()
    }

    fn region(&mut self, region: Region) {
        for &op in &self.kernel.regions[region].ops {
            for &inner in &self.kernel.ops[op].regions {
                self.region(inner);
            }
            if self.kernel.ops[op].code.is_control() { self.control(op) } else { self.op(op) }
        }
    }

    fn op(&mut self, op: Op) {
        let data = &self.kernel.ops[op];
        let operands = self.operands(op);
        let types: Vec<Type> = data.operands.iter().map(|&value| self.kernel.ty(value)).collect();
        let Ok(roles) = typing::roles(data.code, &types) else { return };
        let mut shared = None;
        for (&role, &at) in roles.iter().zip(&operands) {
            match role {
                OperandRole::Data(_, class, sharing) => {
                    match class {
                        ElemSet::INTEGERS => self.inferred.classes.count(at),
                        ElemSet::BOOL => self.inferred.classes.fix(at, Elem::Bool),
                        _ => {}
                    }
                    if sharing == Sharing::Shared {
                        let first = *shared.get_or_insert(at);
                        self.inferred.classes.join(first, at);
                    }
                }
                OperandRole::Index(_) => self.inferred.classes.count(at),
                OperandRole::Stored(_) => self.inferred.classes.join(operands[0], at),
                OperandRole::Mask => self.inferred.classes.fix(at, Elem::Bool),
                // The elements of what is made or stored are those of each such operand.
                OperandRole::Whole => {
                    let with = if data.code == Code::Assign { operands[0] } else { operands[operands.len() - 1] };
                    self.inferred.classes.join(with, at);
                }
                OperandRole::View | OperandRole::Structs | OperandRole::AnyView | OperandRole::Anything => {}
            }
        }
        for &result in &data.results {
            let whole = (data.code.row().gives == Gives::Repeated).then(|| operands.last().copied()).flatten();
            self.result(op, result, whole.or(shared), operands.first().copied());
        }
    }

    /// The type of a result, by the op's row.
    fn result(&mut self, op: Op, result: Value, shared: Option<usize>, view: Option<usize>) {
        let (data, at) = (&self.kernel.ops[op], self.of(result));
        let classes = &mut self.inferred.classes;
        match data.code.row().gives {
            Gives::Same
            | Gives::SameScalar
            | Gives::SameLanes
            | Gives::Packed
            | Gives::Counted
            | Gives::Repeated
            | Gives::Patterned
            | Gives::LookedUp
            | Gives::Indexed => shared.into_iter().for_each(|shared| classes.join(shared, at)),
            Gives::Loaded | Gives::LoadedLanes | Gives::LoadedGroup | Gives::Row | Gives::SameView => {
                view.into_iter().for_each(|view| classes.join(view, at));
            }
            Gives::Of(elem) | Gives::ScalarOf(elem) | Gives::LanesOf(elem) => classes.fix(at, elem),
            Gives::LaneNumbers => classes.fix(at, Elem::I32),
            Gives::Named | Gives::Regrouped | Gives::NewArray | Gives::Typed | Gives::FieldView | Gives::FlatView => {
                match (&data.attr, self.kernel.ty(result)) {
                    (Attr::Elem(elem) | Attr::Unset(elem) | Attr::Cells(elem, _), _) => classes.fix(at, *elem),
                    (_, ty) => ty.elem().into_iter().for_each(|elem| classes.fix(at, elem)),
                }
            }
            Gives::Nothing | Gives::Yielded => {}
        }
    }

    fn control(&mut self, op: Op) {
        let data = &self.kernel.ops[op];
        let operands = self.operands(op);
        let results = self.values(&data.results);
        let n_ranges = self.kernel.n_ranges(op);
        let (ranges, inits) = operands.split_at(3 * n_ranges);
        let args = data.regions.first().map_or(Vec::new(), |&region| self.values(&self.kernel.regions[region].args));
        let yields: Vec<Vec<usize>> = data.regions.iter().map(|&region| self.yields(region)).collect();
        for (range, &index) in ranges.chunks(3).zip(&args) {
            for &at in range {
                self.inferred.classes.join(index, at);
            }
            self.inferred.classes.count(index);
        }
        match (data.code, &yields[..]) {
            (Code::If, [then, other]) => {
                self.inferred.classes.fix(inits[0], Elem::Bool);
                self.join_all(&results, then);
                self.join_all(&results, other);
            }
            (Code::While, [test, body]) => {
                test.iter().for_each(|&at| self.inferred.classes.fix(at, Elem::Bool));
                self.join_all(&results, inits);
                self.join_all(&args, inits);
                self.join_all(body, inits);
            }
            (code, [body]) if code.is_over_elements() => {
                self.join_all(&args, &operands);
                self.join_all(body, &results);
                let n_arrays = self.kernel.n_arrays(op);
                self.join_all(body, &operands[n_arrays.min(operands.len())..]);
            }
            (_, [body]) => {
                self.join_all(&results, inits);
                self.join_all(&args[n_ranges.min(args.len())..], inits);
                self.join_all(body, inits);
            }
            _ => {}
        }
    }
}
