//! Building a kernel op by op.
//!
//! The builder adds ops at the end of the block that is open, finds their result types by the op table, and
//! gives them the origin that is set. A control op is opened block by block:
//!
//! ```
//! use ir::{Builder, Code, DimSize, Elem, Scalar};
//!
//! let mut b = Builder::new("sum");
//! let a = b.array("a", Elem::F32, &[DimSize::Own]);
//! let n = b.scalar("n", Elem::I32);
//! let (zero, one) = (b.constant(Scalar::I32(0)), b.constant(Scalar::I32(1)));
//! let start = b.constant(Scalar::F32(0.0));
//! let args = b.open_for("i", [zero, n, one], &[("s", start)]);
//! let cell = b.op(Code::Load, &[a, args[0]]);
//! let next = b.op(Code::Add, &[args[1], cell]);
//! let total = b.close(&[next])[0];
//! let kernel = b.finish(Some(total));
//! assert_eq!(
//!     ir::print(&kernel).text,
//!     "kernel sum(a, n) -> f32:\n    let _0 = for i in range(0, n) with s = 0.0:\n        yield (s + a[i])\n    return _0\n"
//! );
//! ```
//!
//! Operands that do not fit are a bug of whoever builds, and panic with the reason.

use smallvec::SmallVec;

use crate::copy::{self, Copied};
use crate::entities::{Op, Origin, Region, Value};
use crate::ops::Code;
use crate::program::{Attr, Control, Def, DimSize, Kernel, Marks, OriginData, Param, RegionData, Values};
use crate::scalar::{Fold, Scalar};
use crate::types::{CellType, Elem, Type};
use crate::typing;

/// Builds one kernel, op by op.
#[derive(Debug)]
pub struct Builder {
    kernel: Kernel,
    origin: Origin,
    open: Vec<Open>,
}

/// A block that ops are being added to.
#[derive(Debug)]
struct Open {
    region: Region,
    /// The control op that the block is of; `None` for the body.
    op: Option<Op>,
}

impl Builder {
    /// Starts a kernel without parameters.
    pub fn new(name: &str) -> Builder {
        Builder::on(Kernel::new(name))
    }

    /// Goes on with a kernel whose body is still to be built.
    pub fn on(kernel: Kernel) -> Builder {
        let (origin, open) = (kernel.whole(), vec![Open { region: kernel.body, op: None }]);
        Builder { kernel, origin, open }
    }

    /// Builds ops of a finished kernel that no block of it lists yet: a block of their own is open.
    pub fn detached(mut kernel: Kernel) -> Builder {
        let region = kernel.regions.push(RegionData::default());
        Builder { origin: kernel.whole(), kernel, open: vec![Open { region, op: None }] }
    }

    /// The kernel, and the block that was built beside it.
    pub fn detach(self) -> (Kernel, Region) {
        assert_eq!(self.open.len(), 1, "blocks are still open");
        (self.kernel, self.open[0].region)
    }

    /// The control data of the op whose block is open.
    pub fn control_mut(&mut self) -> Option<&mut Control> {
        let op = self.open.last().and_then(|open| open.op)?;
        match &mut self.kernel.ops[op].attr {
            Attr::Control(control) => Some(control),
            _ => None,
        }
    }

    /// Returns the kernel as it is so far.
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// The kernel so far, to change what the builder does not.
    pub fn kernel_mut(&mut self) -> &mut Kernel {
        &mut self.kernel
    }

    /// The block that ops are added to.
    pub fn block(&self) -> Region {
        self.open.last().expect("a block is open").region
    }

    /// Adds a place that ops come from.
    pub fn origin(&mut self, place: u32, call: Option<Origin>) -> Origin {
        self.kernel.origins.push(OriginData { place, call, rest_of: None })
    }

    /// Sets where the ops that follow come from; says where the ones before came from.
    pub fn set_origin(&mut self, origin: Origin) -> Origin {
        std::mem::replace(&mut self.origin, origin)
    }

    /// Adds a scalar parameter; returns its value.
    pub fn scalar(&mut self, name: &str, elem: Elem) -> Value {
        self.param(name, Type::scalar(elem), Vec::new())
    }

    /// Adds an array parameter; returns its view.
    pub fn array(&mut self, name: &str, elem: Elem, sizes: &[DimSize]) -> Value {
        self.param(name, Type::view(elem, sizes.len() as u8), sizes.to_vec())
    }

    /// Adds a parameter that is an array of structs.
    pub fn array_of(&mut self, name: &str, item: CellType, sizes: &[DimSize]) -> Value {
        self.param(name, Type::View { item, rank: sizes.len() as u8, lanes: None }, sizes.to_vec())
    }

    fn param(&mut self, name: &str, ty: Type, sizes: Vec<DimSize>) -> Value {
        let number = self.kernel.params.len() as u32;
        let value = self.kernel.add_value(ty, Def::Param(number), Some(name.into()));
        self.kernel.params.push(Param { value, sizes });
        value
    }

    /// The value of a constant.
    pub fn constant(&mut self, scalar: Scalar) -> Value {
        self.kernel.constant(scalar)
    }

    /// Gives a value a name of its own, so that it keeps a line of its own.
    pub fn name(&mut self, value: Value, name: &str) -> Value {
        self.kernel.values[value].name = Some(name.into());
        value
    }

    /// Adds an op with one result.
    pub fn op(&mut self, code: Code, operands: &[Value]) -> Value {
        self.op_with(code, Attr::None, operands)
    }

    /// Adds an op that says something, with one result.
    pub fn op_with(&mut self, code: Code, attr: Attr, operands: &[Value]) -> Value {
        let op = self.push(code, attr, operands);
        self.kernel.ops[op].results[0]
    }

    /// Adds an op with one result in front of the whole body, which may take constants alone. It comes from the kernel as a whole.
    pub fn push_first(&mut self, code: Code, attr: Attr, operands: &[Value]) -> Value {
        let origin = self.set_origin(self.kernel.whole());
        let op = self.push(code, attr, operands);
        self.set_origin(origin);
        let region = self.block();
        let ops = &mut self.kernel.regions[region].ops;
        ops.pop();
        let body = self.kernel.body;
        self.kernel.regions[body].ops.insert(0, op);
        self.kernel.ops[op].results[0]
    }

    /// Adds an op with any number of results.
    pub fn push(&mut self, code: Code, attr: Attr, operands: &[Value]) -> Op {
        self.try_push(code, attr, operands).unwrap_or_else(|problem| panic!("{problem}"))
    }

    /// Adds an op, unless its operands do not fit together.
    pub fn try_push(&mut self, code: Code, attr: Attr, operands: &[Value]) -> Result<Op, String> {
        let types: SmallVec<[Type; 4]> = operands.iter().map(|&value| self.kernel.ty(value)).collect();
        let results = typing::results(&self.kernel.structs, code, &attr, &types)?;
        let op = self.kernel.add_op(code, attr, Values::from_slice(operands), &results, self.origin);
        self.list(op);
        Ok(op)
    }

    /// Adds an op whose operands may not fit: they are checked as the verifier would.
    pub fn try_fitting(&mut self, code: Code, attr: Attr, operands: &[Value]) -> Result<Op, String> {
        let types: SmallVec<[Type; 4]> = operands.iter().map(|&value| self.kernel.ty(value)).collect();
        typing::check(code, &types)?;
        self.try_push(code, attr, operands)
    }

    /// Puts an op at the end of the open block.
    fn list(&mut self, op: Op) {
        let region = self.block();
        self.kernel.regions[region].ops.push(op);
    }

    /// Adds a control op without results, and opens its first block.
    fn open_control(&mut self, code: Code, control: Control, operands: Values) -> Op {
        let op = self.kernel.add_op(code, Attr::Control(Box::new(control)), operands, &[], self.origin);
        self.list(op);
        self.open_block(op);
        op
    }

    fn open_block(&mut self, op: Op) -> Region {
        let region = self.kernel.regions.push(RegionData::default());
        self.kernel.ops[op].regions.push(region);
        self.open.push(Open { region, op: Some(op) });
        region
    }

    /// Opens a `for`; its arguments are the index and what is carried.
    pub fn open_for(&mut self, index: &str, range: [Value; 3], carried: &[(&str, Value)]) -> Values {
        self.open_loop(Code::For, Control::default(), index, range, carried, &[])
    }

    /// Opens a `vector_for`; its arguments are the first lane's index and what is carried.
    pub fn open_vector_for(&mut self, base: &str, range: [Value; 3], width: u16, carried: &[(&str, Value)]) -> Values {
        let control = Control { width: Some(width), ..Control::default() };
        self.open_loop(Code::VectorFor, control, base, range, carried, &[])
    }

    /// Opens a `for` or `vector_for`. Each reduction starts from a value and joins what the block yields for
    /// it, after what is carried.
    pub fn open_loop(
        &mut self,
        code: Code,
        mut control: Control,
        index: &str,
        range: [Value; 3],
        carried: &[(&str, Value)],
        reductions: &[(Fold, Value)],
    ) -> Values {
        control.reductions = reductions.iter().map(|(fold, _)| *fold).collect();
        let inits = carried.iter().map(|(_, init)| *init).chain(reductions.iter().map(|(_, init)| *init));
        let op = self.open_control(code, control, range.into_iter().chain(inits).collect());
        let region = self.kernel.ops[op].regions[0];
        let index_type = self.kernel.ty(range[0]);
        self.kernel.add_arg(region, index_type, Some(index.into()));
        for (name, init) in carried {
            let ty = self.kernel.ty(*init);
            self.kernel.add_arg(region, ty, Some((*name).into()));
        }
        self.kernel.regions[region].args.clone()
    }

    /// Opens a `foreach`; its arguments are the indices.
    pub fn open_foreach(&mut self, ranges: &[(&str, [Value; 3])]) -> Values {
        self.open_foreach_with(ranges, Control::default(), &[], &[])
    }

    /// Opens a `foreach` whose iterations run together, in groups of so many lanes along the last index.
    pub fn open_foreach_in_lanes(&mut self, ranges: &[(&str, [Value; 3])], width: u16) -> Values {
        self.open_foreach_with(ranges, Control { width: Some(width), ..Control::default() }, &[], &[])
    }

    /// Opens a `foreach` with what it carries and joins, as [`Builder::open_loop`] takes them; its arguments are the indices and
    /// what is carried.
    pub fn open_foreach_with(
        &mut self,
        ranges: &[(&str, [Value; 3])],
        mut control: Control,
        carried: &[(&str, Value)],
        reductions: &[(Fold, Value)],
    ) -> Values {
        let inits = carried.iter().map(|(_, init)| *init).chain(reductions.iter().map(|(_, init)| *init));
        let operands = ranges.iter().flat_map(|(_, range)| *range).chain(inits).collect();
        control.reductions = reductions.iter().map(|(fold, _)| *fold).collect();
        let op = self.open_control(Code::Foreach, control, operands);
        let region = self.kernel.ops[op].regions[0];
        for (name, [lo, ..]) in ranges {
            let ty = self.kernel.ty(*lo);
            self.kernel.add_arg(region, ty, Some((*name).into()));
        }
        for (name, init) in carried {
            let ty = self.kernel.ty(*init);
            self.kernel.add_arg(region, ty, Some((*name).into()));
        }
        self.kernel.regions[region].args.clone()
    }

    /// Opens a `map`, `reduce` or `scan` over arrays; its arguments are an element of each, and what is carried. Each
    /// reduction of a `reduce` starts from a value and joins what the block yields for it, after what is carried.
    pub fn open_over_elements(
        &mut self,
        code: Code,
        arrays: &[(&str, Value)],
        carried: &[(&str, Value)],
        reductions: &[(Fold, Value)],
    ) -> Values {
        let control = Control { reductions: reductions.iter().map(|(fold, _)| *fold).collect(), ..Control::default() };
        let inits = carried.iter().map(|(_, init)| *init).chain(reductions.iter().map(|(_, init)| *init));
        let op = self.open_control(code, control, arrays.iter().map(|(_, array)| *array).chain(inits).collect());
        let region = self.kernel.ops[op].regions[0];
        for (name, array) in arrays {
            let element = self.kernel.ty(*array).of_element();
            self.kernel.add_arg(region, element, Some((*name).into()));
        }
        for (name, init) in carried {
            let ty = self.kernel.ty(*init);
            self.kernel.add_arg(region, ty, Some((*name).into()));
        }
        self.kernel.regions[region].args.clone()
    }

    /// Opens an `if` at its first block.
    pub fn open_if(&mut self, condition: Value) {
        self.open_control(Code::If, Control::default(), [condition].into_iter().collect());
    }

    /// Copies an op to the end of the block, with operands as they are copied so far; gives the copy.
    pub fn copy(&mut self, op: Op, copied: &mut Copied) -> Op {
        let copy = copy::op(&mut self.kernel, op, copied);
        let block = self.block();
        self.kernel.regions[block].ops.push(copy);
        copy
    }

    /// Copies what a block does to the end of this one; gives what it yields.
    pub fn copy_block(&mut self, region: Region, copied: &mut Copied) -> Values {
        for op in self.kernel.regions[region].ops.clone() {
            self.copy(op, copied);
        }
        let yields = self.kernel.regions[region].yields.iter();
        yields.map(|value| copied.get(value).copied().unwrap_or(*value)).collect()
    }

    /// Opens a `while` at its test; its arguments are what is carried.
    pub fn open_while(&mut self, carried: &[(&str, Value)]) -> Values {
        let inits = carried.iter().map(|(_, init)| *init).collect();
        let op = self.open_control(Code::While, Control::default(), inits);
        let region = self.kernel.ops[op].regions[0];
        for (name, init) in carried {
            let ty = self.kernel.ty(*init);
            self.kernel.add_arg(region, ty, Some((*name).into()));
        }
        self.kernel.regions[region].args.clone()
    }

    /// The marks of the control op whose block is open.
    pub fn marks(&mut self) -> &mut Marks {
        let op = self.open.last().and_then(|open| open.op).expect("a control op's block is open");
        match &mut self.kernel.ops[op].attr {
            Attr::Control(control) => &mut control.marks,
            other => panic!("a control op says {other:?}"),
        }
    }

    /// Ends the first block of an `if` (with what it yields) or of a `while` (with the test), and opens the second.
    pub fn next_block(&mut self, yields: &[Value]) {
        let open = self.open.pop().expect("a block is open");
        self.kernel.regions[open.region].yields = yields.into();
        self.open_block(open.op.expect("the body has one block"));
    }

    /// Ends the last block of a control op; gives the op's results.
    ///
    /// An `if` may be closed after its first block when it yields nothing.
    pub fn close(&mut self, yields: &[Value]) -> Values {
        let open = self.open.pop().expect("a block is open");
        let op = open.op.expect("the body is ended by `finish`");
        self.kernel.regions[open.region].yields = yields.into();
        if self.kernel.ops[op].code == Code::If && self.kernel.ops[op].regions.len() == 1 {
            let empty = self.kernel.regions.push(RegionData::default());
            self.kernel.ops[op].regions.push(empty);
        }
        self.add_results(op, yields);
        self.kernel.ops[op].results.iter().copied().collect()
    }

    /// Adds the results of a control op whose blocks are complete.
    fn add_results(&mut self, op: Op, yields: &[Value]) {
        // An `if` gives what its blocks yield; a loop gives what it carries, and starts with that.
        let code = self.kernel.ops[op].code;
        let sources: Values = match code {
            Code::If => yields.into(),
            code if code.is_over_elements() => yields.into(),
            _ => self.kernel.ops[op].operands[3 * self.kernel.n_ranges(op)..].into(),
        };
        for (number, &source) in sources.iter().enumerate() {
            let ty = self.kernel.ty(source);
            let ty = if matches!(code, Code::Map | Code::Scan) { ty.array_of() } else { ty };
            let value = self.kernel.add_value(ty, Def::Result(op, number as u32), None);
            self.kernel.ops[op].results.push(value);
        }
    }

    /// Ends the body with its result; returns the kernel.
    pub fn finish(mut self, result: Option<Value>) -> Kernel {
        assert_eq!(self.open.len(), 1, "blocks are still open");
        self.kernel.result = result.and_then(|value| self.kernel.ty(value).data_elem());
        let body = self.kernel.body;
        self.kernel.regions[body].yields = result.into_iter().collect();
        self.kernel
    }
}
