//! A kernel: parameters, and a body of regions, ops and values in arenas.
//!
//! A [`Region`] is a list of ops, with arguments in front and yielded values at the end; it has one way in and
//! one way out. Ops with regions are the only control there is: what leaves a loop early does so by a carried
//! flag and guards. Each value is made once, by an op, as an argument of a region, as a parameter, or as a
//! constant; constants belong to no region. A kernel is plain data and complete in itself: two kernels never
//! share anything.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use thin_vec::ThinVec;

use crate::codes::ReasonCode;
use crate::entities::{Entity, EntityVec, Op, Origin, Region, Struct, Value};
use crate::ops::Code;
use crate::scalar::{Fold, Scalar};
use crate::scratch::SizeFormula;
use crate::types::{CellType, Elem, Type};

/// A name from the source, shared between all that mention it; empty for none.
pub type Name = Arc<str>;

/// A short list of values, such as an op's operands.
pub type Values = SmallVec<[Value; 4]>;

/// A kernel at one stage of the pipeline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kernel {
    /// The name of the kernel.
    pub name: Name,
    /// The marks of the whole kernel.
    pub marks: KernelMarks,
    /// The parameters, in the order of the source.
    pub params: Vec<Param>,
    /// The type of its result, if it has one; then the body yields it.
    pub result: Option<Elem>,
    /// The region with the kernel's statements.
    pub body: Region,
    /// The number of lanes that it is vectorised for; `None` as long as all is scalar.
    pub lanes: Option<u16>,
    /// The structs that its arrays are made of.
    pub structs: EntityVec<Struct, StructDecl>,
    /// All values, of this and of former states of the kernel.
    pub values: EntityVec<Value, ValueData>,
    /// All ops; those that no region lists are not part of the kernel any more.
    pub ops: EntityVec<Op, OpData>,
    /// All regions, with the same reservation.
    pub regions: EntityVec<Region, RegionData>,
    /// All places that ops came from. The first stands for the kernel as a whole.
    pub origins: EntityVec<Origin, OriginData>,
    constants: FxHashMap<Scalar, Value>,
}

/// The marks of a whole kernel.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct KernelMarks {
    /// `@fast`: contraction and approximate math are welcome.
    pub fast: bool,
    /// `@alias(a, b)`: array parameters that may overlap.
    pub alias: Vec<(Value, Value)>,
    /// `@no_copy`: a promise, which is checked, that no array is copied.
    pub no_copy: bool,
    /// `@no_scratch`: a promise, which is checked, that the kernel needs no scratch memory.
    pub no_scratch: bool,
    /// `@threads`: a promise, which is checked, that the iterations of its outermost loop may be divided among threads; machine code has
    /// an entry for a part of them.
    pub threads: bool,
    /// `@checked`: native code compares sizes before anything else, and tells its caller whether they are equal.
    pub checked: bool,
    /// The bytes of scratch memory that the caller passes, if there are any: known when arrays have got their places.
    pub scratch: Option<SizeFormula>,
}

/// A parameter: a scalar, or the view of an array.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Param {
    /// The value of the parameter in the body.
    pub value: Value,
    /// The sizes of an array's dimensions; empty for a scalar.
    pub sizes: Vec<DimSize>,
}

/// The size of a dimension of an array parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DimSize {
    /// A size of the array's own, of which nothing is known.
    Own,
    /// A constant size.
    Constant(i64),
    /// The value of an integer parameter.
    Param(Value),
    /// Arithmetic, which does not wrap.
    Arithmetic(SizeOperator, Box<DimSize>, Box<DimSize>),
}

impl DimSize {
    /// The size in terms of other parameters.
    pub fn renamed(&self, rename: &impl Fn(Value) -> Value) -> DimSize {
        match self {
            DimSize::Own | DimSize::Constant(_) => self.clone(),
            DimSize::Param(value) => DimSize::Param(rename(*value)),
            DimSize::Arithmetic(operator, a, b) => {
                DimSize::Arithmetic(*operator, Box::new(a.renamed(rename)), Box::new(b.renamed(rename)))
            }
        }
    }

    /// The number, if every parameter it mentions has a value; `None` too where no integer is wide enough, or 0 divides.
    pub fn evaluate(&self, param: &impl Fn(Value) -> Option<i128>) -> Option<i128> {
        match self {
            DimSize::Own => None,
            DimSize::Constant(size) => Some((*size).into()),
            DimSize::Param(value) => param(*value),
            DimSize::Arithmetic(operator, a, b) => operator.join(a.evaluate(param)?, b.evaluate(param)?),
        }
    }
}

/// The operator that joins two sizes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum SizeOperator {
    Add,
    Sub,
    Mul,
    Div,
    FloorDiv,
    Rem,
}

impl SizeOperator {
    /// All operators, in the order of their declaration.
    pub const ALL: [SizeOperator; 6] = [
        SizeOperator::Add,
        SizeOperator::Sub,
        SizeOperator::Mul,
        SizeOperator::Div,
        SizeOperator::FloorDiv,
        SizeOperator::Rem,
    ];

    /// Returns the symbol of the operator.
    pub fn symbol(self) -> &'static str {
        match self {
            SizeOperator::Add => "+",
            SizeOperator::Sub => "-",
            SizeOperator::Mul => "*",
            SizeOperator::Div => "/",
            SizeOperator::FloorDiv => "//",
            SizeOperator::Rem => "%",
        }
    }

    /// Joins two sizes; `None` where no integer is wide enough, and where the second is 0 and divides.
    pub fn join(self, a: i128, b: i128) -> Option<i128> {
        match self {
            SizeOperator::Add => a.checked_add(b),
            SizeOperator::Sub => a.checked_sub(b),
            SizeOperator::Mul => a.checked_mul(b),
            SizeOperator::Div => a.checked_div(b),
            SizeOperator::FloorDiv => {
                let rounded_off = i128::from(a.checked_rem(b)? != 0 && (a < 0) != (b < 0));
                Some(a.checked_div(b)? - rounded_off)
            }
            SizeOperator::Rem => a.checked_rem(b),
        }
    }
}

/// A field of a struct: a scalar, or an array of scalars.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldDecl {
    /// The name of the field.
    pub name: Name,
    /// The scalars that it holds.
    pub elem: Elem,
    /// The sizes of an array, each at least 1; none of a scalar.
    pub sizes: SmallVec<[u32; 2]>,
}

impl FieldDecl {
    /// A field that is a scalar.
    pub fn scalar(name: Name, elem: Elem) -> FieldDecl {
        FieldDecl { name, elem, sizes: SmallVec::new() }
    }

    /// The number of scalars that it holds.
    pub fn n_cells(&self) -> usize {
        self.sizes.iter().map(|&size| size as usize).product()
    }

    /// The subscripts of its cells, row after row; a scalar is one cell without subscripts.
    pub fn cells(&self) -> impl Iterator<Item = SmallVec<[u32; 2]>> + '_ {
        (0..self.n_cells()).map(|number| self.cell(number))
    }

    /// The subscripts of the cell with a number.
    pub fn cell(&self, number: usize) -> SmallVec<[u32; 2]> {
        let mut left = number;
        let subscript = |&size: &u32| {
            let subscript = left % size as usize;
            left /= size as usize;
            subscript as u32
        };
        let mut at: SmallVec<[u32; 2]> = self.sizes.iter().rev().map(subscript).collect();
        at.reverse();
        at
    }

    /// The bytes from one cell to the next along a dimension.
    pub fn stride(&self, dim: usize) -> usize {
        self.sizes[dim + 1..].iter().map(|&size| size as usize).product::<usize>() * self.elem.bytes()
    }

    /// The sizes of an array as they stand behind its type, and nothing for a scalar: `[4, 4]`.
    pub fn dims(&self) -> String {
        match &self.sizes[..] {
            [] => String::new(),
            sizes => format!("[{}]", sizes.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")),
        }
    }
}

/// A struct: its fields lie in memory in this order, each at the next multiple of its scalars' size, as in C.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StructDecl {
    /// The name of the struct.
    pub name: Name,
    /// The fields, in the order of the declaration.
    pub fields: Vec<FieldDecl>,
    /// The byte at which each field starts.
    offsets: Vec<usize>,
    bytes: usize,
}

impl StructDecl {
    /// A struct of these fields.
    pub fn new(name: Name, fields: Vec<FieldDecl>) -> StructDecl {
        let mut end = 0;
        let start = |field: &FieldDecl| {
            let start = usize::next_multiple_of(end, field.elem.bytes());
            end = start + field.n_cells() * field.elem.bytes();
            start
        };
        let offsets = fields.iter().map(start).collect();
        let align = fields.iter().map(|field| field.elem.bytes()).max();
        let bytes = align.map_or(1, |align| end.next_multiple_of(align));
        StructDecl { name, fields, offsets, bytes }
    }

    /// The byte at which a field starts.
    pub fn offset(&self, field: usize) -> usize {
        self.offsets[field]
    }

    /// The bytes from one struct of an array to the next.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The scalars that a struct is made of, each with the byte at which it starts: an array's are its cells, row after row.
    pub fn leaves(&self) -> impl Iterator<Item = (usize, Elem)> + '_ {
        self.fields.iter().zip(&self.offsets).flat_map(|(field, &offset)| {
            (0..field.n_cells()).map(move |cell| (offset + cell * field.elem.bytes(), field.elem))
        })
    }

    /// The number of those.
    pub fn n_leaves(&self) -> usize {
        self.fields.iter().map(FieldDecl::n_cells).sum()
    }
}

/// The type, the definition and the name of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValueData {
    /// The type of the value.
    pub ty: Type,
    /// The place that defines it.
    pub def: Def,
    /// The name, if the source or a pass gave it one.
    pub name: Option<Name>,
}

/// The definition of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Def {
    /// The parameter with this number.
    Param(u32),
    /// No op: the value is a constant.
    Const(Scalar),
    /// An op, as the result with this number.
    Result(Op, u32),
    /// A region, as the argument with this number.
    Arg(Region, u32),
}

/// The description of an op in a kernel.
#[derive(Debug, PartialEq, Eq)]
pub struct OpData {
    /// The code of the op.
    pub code: Code,
    /// The attribute, of the kind that the op's row asks for.
    pub attr: Attr,
    /// The operands, in the order of the slots.
    pub operands: Values,
    /// The results, none for a statement.
    pub results: SmallVec<[Value; 1]>,
    /// The blocks of a control op; most ops have none, so that the list is one word.
    pub regions: ThinVec<Region>,
    /// The place of the source that it came from.
    pub origin: Origin,
}

// Passes go through all ops again and again: what an op takes in memory decides how large a kernel the processor's cache holds.
const _: () = assert!(size_of::<OpData>() <= 88);

// A kernel is copied for each stage that changes it, and most of it are short lists, of which whole slices are copied here: a list's own
// `clone` goes from item to item.
impl Clone for OpData {
    fn clone(&self) -> OpData {
        OpData {
            code: self.code,
            attr: self.attr.clone(),
            operands: SmallVec::from_slice(&self.operands),
            results: SmallVec::from_slice(&self.results),
            regions: self.regions.clone(),
            origin: self.origin,
        }
    }
}

/// The attribute of an op, of the kind that its row's [`Key`](crate::ops::Key) asks for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Attr {
    /// The op has no attribute.
    None,
    /// An element type, as of a conversion.
    Elem(Elem),
    /// The element type of a new array whose cells hold anything until they are written.
    Unset(Elem),
    /// The elements of a constant array, of this type, its rows joined.
    Cells(Elem, Arc<[Scalar]>),
    /// A type, as of an unknown value.
    Type(Type),
    /// The number of lanes of the result.
    Lanes(u16),
    /// A number: a dimension, a stride, a count.
    Number(i64),
    /// A lane of the operands, side by side, for each lane.
    Pattern(Box<[u16]>),
    /// A field, by its number in the struct.
    Field(u16),
    /// Lanes are picked through memory, not by an instruction.
    InMemory,
    /// A store goes past the cache.
    PastCache,
    /// An atomic op may come before or after others of its kind.
    FreeOrder,
    /// The control data of an op.
    Control(Box<Control>),
}

impl Attr {
    /// The control data of an op.
    pub fn as_control(&self) -> Option<&Control> {
        match self {
            Attr::Control(control) => Some(control),
            _ => None,
        }
    }
}

/// The control data of an op.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Control {
    /// The operators that join the values that the block yields to the last results, one for each of them.
    pub reductions: Vec<Fold>,
    /// The number of lanes of a `vector_for`, or of a `foreach` whose iterations run together in groups.
    pub width: Option<u16>,
    /// The marks from the source.
    pub marks: Marks,
}

/// The marks of a loop or branch from the source.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Marks {
    /// `cif`, `cwhile`, `cfor`: lanes mostly agree.
    pub coherent: bool,
    /// The number of `@lanes(8)`.
    pub lanes: Option<u16>,
    /// The number of `@unroll(4)`.
    pub unroll: Option<u16>,
    /// `@simd`: it must become vector code.
    pub simd: bool,
    /// `@no_gather`: a promise, which is checked, that no load in the loop is a gather.
    pub no_gather: bool,
    /// `@no_scatter`: a promise, which is checked, that no store in the loop is a scatter.
    pub no_scatter: bool,
    /// `@stream`: stores in the loop are to go past the cache.
    pub stream: bool,
    /// `@tiled`: lanes of a `foreach` over several ranges run iterations together that lie close to each other in all of them.
    pub tiled: bool,
    /// A `while` that was a `for` with an early way out: the first of what it carries is the index.
    pub counts: bool,
    /// An `if` before a nest, once for each answer: where none of the arrays overlap that its condition compares, no cell is
    /// both of one and of the other that is touched on its other side.
    pub disjoint: bool,
    /// A loop that is not to be unrolled any further when machine code is made: it has few rounds, or long ones.
    pub rolled: bool,
    /// A loop of which so many iterations are to go through the loops inside together, once those have lanes: they are independent, and load
    /// the same rows there.
    pub together: Option<u16>,
    /// A loop of which what it hands on is computed lane after lane, in order, beside what its lanes do together.
    pub in_turn: bool,
    /// A loop whose extremes of floats may be joined in any order: where the order decides about a result, another loop is asked for it.
    pub any_order: bool,
    /// A loop of the same `foreach` as the one around it: that goes over several ranges, and each loop carries what it updates.
    pub nested: bool,
    /// The verdict about a loop's lanes, once it is final; a loop that is vectorised has none any more.
    pub verdict: Option<LaneVerdict>,
}

/// The verdict about a loop's lanes, for what the kernel is made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LaneVerdict {
    /// `@in_lanes(8)`: its iterations are to run as so many lanes.
    InLanes(u16),
    /// `@inside_lanes`: it stands in a loop whose iterations are to run as lanes.
    InsideLanes,
    /// `@in_order(loop-carried-flow)`: its iterations stay in order, for this reason, if one is known.
    InOrder(Option<ReasonCode>),
}

impl LaneVerdict {
    /// The mark in the text.
    pub fn mark(self) -> String {
        match self {
            LaneVerdict::InLanes(lanes) => format!("@in_lanes({lanes})"),
            LaneVerdict::InsideLanes => "@inside_lanes".to_owned(),
            LaneVerdict::InOrder(Some(code)) => format!("@in_order({code})"),
            LaneVerdict::InOrder(None) => "@in_order".to_owned(),
        }
    }
}

/// A region: a block of ops with arguments and yields.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RegionData {
    /// The values it starts with.
    pub args: Values,
    /// The ops of the block, in order.
    pub ops: Vec<Op>,
    /// The values it ends with.
    pub yields: Values,
}

/// The origin of an op.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OriginData {
    /// The place: a number that whoever built the kernel can lead back to the source.
    pub place: u32,
    /// The call that was inlined there, for an op that came from a function's body.
    pub call: Option<Origin>,
    /// The origin of the main part, for an op of what that leaves: a peeled tail, the last iterations of those that go in fours.
    pub rest_of: Option<Origin>,
}

impl Kernel {
    /// A kernel without parameters that does nothing.
    pub fn new(name: &str) -> Kernel {
        let mut regions = EntityVec::new();
        let mut origins = EntityVec::new();
        origins.push(OriginData { place: 0, call: None, rest_of: None });
        Kernel {
            name: name.into(),
            marks: KernelMarks::default(),
            params: Vec::new(),
            result: None,
            body: regions.push(RegionData::default()),
            lanes: None,
            structs: EntityVec::new(),
            values: EntityVec::new(),
            ops: EntityVec::new(),
            regions,
            origins,
            constants: FxHashMap::default(),
        }
    }

    /// The origin that stands for the kernel as a whole.
    pub fn whole(&self) -> Origin {
        Origin::new(0)
    }

    /// The origin of the main part that an op belongs to, or is left by.
    pub fn main_origin(&self, origin: Origin) -> Origin {
        self.origins[origin].rest_of.unwrap_or(origin)
    }

    /// Marks ops, and all inside of them, as what a main part leaves.
    pub fn mark_as_rest(&mut self, ops: &[Op]) {
        let mut inside = ops.to_vec();
        for &op in ops {
            self.walk_inside(op, &mut |inner| inside.push(inner));
        }
        let mut marked: FxHashMap<Origin, Origin> = FxHashMap::default();
        for op in inside {
            let origin = self.ops[op].origin;
            let data = self.origins[origin];
            if data.rest_of.is_none() {
                let rest = || self.origins.push(OriginData { rest_of: Some(origin), ..data });
                self.ops[op].origin = *marked.entry(origin).or_insert_with(rest);
            }
        }
    }

    /// Adds a value; its definition has to name it, too.
    pub fn add_value(&mut self, ty: Type, def: Def, name: Option<Name>) -> Value {
        self.values.push(ValueData { ty, def, name })
    }

    /// The value of a constant; the same one for the same bits.
    pub fn constant(&mut self, scalar: Scalar) -> Value {
        if let Some(&value) = self.constants.get(&scalar) {
            return value;
        }
        let value = self.add_value(Type::scalar(scalar.elem()), Def::Const(scalar), None);
        self.constants.insert(scalar, value);
        value
    }

    /// Adds an op that no region lists yet, with its result values.
    pub fn add_op(&mut self, code: Code, attr: Attr, operands: Values, results: &[Type], origin: Origin) -> Op {
        let op =
            self.ops.push(OpData { code, attr, operands, results: SmallVec::new(), regions: ThinVec::new(), origin });
        for (number, &ty) in results.iter().enumerate() {
            let value = self.add_value(ty, Def::Result(op, number as u32), None);
            self.ops[op].results.push(value);
        }
        op
    }

    /// Adds an argument to a region.
    pub fn add_arg(&mut self, region: Region, ty: Type, name: Option<Name>) -> Value {
        let number = self.regions[region].args.len() as u32;
        let value = self.add_value(ty, Def::Arg(region, number), name);
        self.regions[region].args.push(value);
        value
    }

    /// The type of a value.
    #[inline]
    pub fn ty(&self, value: Value) -> Type {
        self.values[value].ty
    }

    /// The scalar that a constant is.
    #[inline]
    pub fn as_const(&self, value: Value) -> Option<Scalar> {
        match self.values[value].def {
            Def::Const(scalar) => Some(scalar),
            _ => None,
        }
    }

    /// Says whether a division may be a multiplication by the reciprocal, which `@fast` allows. Not of a quotient by a root: an
    /// estimate of that is NaN for zeros and infinities.
    pub fn may_use_reciprocal(&self, op: Op) -> bool {
        let divisor = self.ops[op].operands.last().and_then(|&value| self.def_op(value));
        self.marks.fast && divisor.is_none_or(|divisor| self.ops[divisor].code != Code::Sqrt)
    }

    /// The op that makes a value, if one does.
    #[inline]
    pub fn def_op(&self, value: Value) -> Option<Op> {
        match self.values[value].def {
            Def::Result(op, _) => Some(op),
            _ => None,
        }
    }

    /// The array that a view is of, or is a part of: a parameter or a new array. At the stage `arrays` a control op may yield
    /// a view, or carry one; what that is of is known only when the kernel runs, so the result or argument stands for it.
    pub fn root(&self, view: Value) -> Value {
        let mut at = view;
        while let Some(op) = self.def_op(at) {
            match self.ops[op].code {
                Code::Row | Code::Slice | Code::Field | Code::Flat => at = self.ops[op].operands[0],
                _ => break,
            }
        }
        at
    }

    /// The arrays that share no cell which is touched on the other side of a branch, because that is what it tests.
    pub fn tested_disjoint(&self, branch: Op) -> Vec<(Value, Value)> {
        match self.control(branch).is_some_and(|control| control.marks.disjoint) {
            true => self.compared(self.ops[branch].operands[0]),
            false => Vec::new(),
        }
    }

    /// The arrays of which a condition says, where it does not hold, that parts of them do not overlap.
    pub fn compared(&self, condition: Value) -> Vec<(Value, Value)> {
        let Some(op) = self.def_op(condition) else { return Vec::new() };
        let data = &self.ops[op];
        match data.code {
            Code::Overlap => vec![(self.root(data.operands[0]), self.root(data.operands[1]))],
            // Neither holds.
            Code::Or => data.operands.iter().flat_map(|&part| self.compared(part)).collect(),
            _ => Vec::new(),
        }
    }

    /// The verdict about a loop's lanes, if the loop carries one.
    pub fn verdict(&self, op: Op) -> Option<LaneVerdict> {
        self.control(op)?.marks.verdict
    }

    /// Marks a loop with the verdict about its lanes, or with none.
    pub fn set_verdict(&mut self, op: Op, verdict: Option<LaneVerdict>) {
        if let Attr::Control(control) = &mut self.ops[op].attr {
            control.marks.verdict = verdict;
        }
    }

    /// The sizes that a field of structs has by itself, behind those of the array of structs: those of a field that is an array.
    pub fn sizes_of_field(&self, op: Op) -> &[u32] {
        let data = &self.ops[op];
        match (data.operands.first().map(|&of| self.ty(of)), &data.attr) {
            (Some(Type::View { item: CellType::Struct(decl), .. }), Attr::Field(field)) => {
                self.structs[decl].fields.get(usize::from(*field)).map_or(&[], |field| &field.sizes)
            }
            _ => &[],
        }
    }

    /// The bytes from one cell of an array to the next.
    pub fn item_bytes(&self, item: CellType) -> usize {
        match item {
            CellType::Elem(elem) => elem.bytes(),
            CellType::Struct(decl) => self.structs[decl].bytes(),
        }
    }

    /// The control data of an op.
    pub fn control(&self, op: Op) -> Option<&Control> {
        match &self.ops[op].attr {
            Attr::Control(control) => Some(control),
            _ => None,
        }
    }

    /// The control data of a `for` loop; `None` for another op.
    pub fn for_loop(&self, op: Op) -> Option<&Control> {
        self.control(op).filter(|_| self.ops[op].code == Code::For)
    }

    /// Calls `visit` for each op of a region and, before the op that follows, of the regions inside.
    pub fn walk(&self, region: Region, visit: &mut impl FnMut(Region, Op)) {
        for &op in &self.regions[region].ops {
            visit(region, op);
            for &inner in &self.ops[op].regions {
                self.walk(inner, visit);
            }
        }
    }

    /// Calls `visit` for each op inside of a control op.
    pub fn walk_inside(&self, op: Op, visit: &mut impl FnMut(Op)) {
        self.ops[op].regions.iter().for_each(|&region| self.walk(region, &mut |_, inner| visit(inner)));
    }

    /// The values that an op, and what is inside of it, takes from around it.
    pub fn inputs(&self, op: Op) -> Vec<Value> {
        let data = &self.ops[op];
        let mut values = data.operands.to_vec();
        let mut made: FxHashSet<Value> = FxHashSet::default();
        let mut enter = |op: Op, values: &mut Vec<Value>| {
            for &region in &self.ops[op].regions {
                values.extend(&self.regions[region].yields);
                made.extend(&self.regions[region].args);
            }
            made.extend(&self.ops[op].results);
        };
        if !data.regions.is_empty() {
            enter(op, &mut values);
            self.walk_inside(op, &mut |inner| {
                values.extend(&self.ops[inner].operands);
                enter(inner, &mut values);
            });
        }
        values.retain(|value| !made.contains(value));
        values
    }

    /// Returns the number of ops in the kernel.
    pub fn count_ops(&self) -> usize {
        let mut count = 0;
        self.walk(self.body, &mut |_, _| count += 1);
        count
    }

    /// Returns the number of ops inside of an op.
    pub fn count_inside(&self, op: Op) -> usize {
        let mut count = 0;
        self.walk_inside(op, &mut |_| count += 1);
        count
    }

    /// Says whether two arrays, each the [root](Kernel::root) of a view, are one, or may overlap.
    pub fn may_overlap(&self, a: Value, b: Value) -> bool {
        let is_any = |value: Value| match self.values[value].def {
            Def::Arg(..) => true,
            Def::Result(op, _) => self.ops[op].code.is_control() && !self.makes_arrays(op),
            Def::Param(_) | Def::Const(_) => false,
        };
        a == b || is_any(a) || is_any(b) || self.marks.alias.iter().any(|&pair| pair == (a, b) || pair == (b, a))
    }

    /// Counts the uses of each value, by ops and in yields.
    pub fn use_counts(&self) -> EntityVec<Value, u32> {
        let mut counts = EntityVec::filled(self.values.len(), 0);
        let mut count = |values: &[Value]| values.iter().for_each(|&value| counts[value] += 1);
        count(&self.regions[self.body].yields);
        self.walk(self.body, &mut |_, op| {
            count(&self.ops[op].operands);
            self.ops[op].regions.iter().for_each(|&region| count(&self.regions[region].yields));
        });
        counts
    }

    /// Says whether an op asks the lanes that are active where it stands: in another block it would give something else.
    pub fn asks_active_lanes(&self, op: Op) -> bool {
        let data = &self.ops[op];
        data.code.asks_lanes() && data.operands.iter().all(|&value| self.ty(value).lanes().is_none())
    }

    /// Returns the number of iterations of a `foreach` that run together, if some do.
    pub fn lanes_of_foreach(&self, op: Op) -> Option<u16> {
        self.control(op).filter(|_| self.ops[op].code == Code::Foreach).and_then(|control| control.width)
    }

    /// Returns the number of ranges that a loop's operands start with, three operands each.
    pub fn n_ranges(&self, op: Op) -> usize {
        match self.ops[op].code {
            Code::For | Code::VectorFor => 1,
            // The operands are three for each range, and a start for all that is carried or joined.
            Code::Foreach => {
                let data = &self.ops[op];
                let n_args = data.regions.first().map_or(0, |&region| self.regions[region].args.len());
                let n_joined = self.control(op).map_or(0, |control| control.reductions.len());
                data.operands.len().saturating_sub(n_args + n_joined) / 2
            }
            _ => 0,
        }
    }

    /// Returns the number of arrays that an op over elements starts with; the other operands are what it carries.
    pub fn n_arrays(&self, op: Op) -> usize {
        let data = &self.ops[op];
        match data.code {
            Code::Map => data.operands.len(),
            Code::Reduce | Code::Scan => data.operands.len().saturating_sub(data.results.len()),
            _ => 0,
        }
    }

    /// Returns the number of operands before what a loop carries: those of its ranges, or the arrays.
    pub fn n_head_operands(&self, op: Op) -> usize {
        3 * self.n_ranges(op) + self.n_arrays(op)
    }

    /// Returns the number of arguments before those that a loop carries: the indices, or the elements.
    pub fn n_head_args(&self, op: Op) -> usize {
        self.n_ranges(op) + self.n_arrays(op)
    }

    /// Says whether the results of an op are new arrays.
    pub fn makes_arrays(&self, op: Op) -> bool {
        match self.ops[op].code {
            Code::Temp | Code::Scratch | Code::Iota | Code::Replicate | Code::Elements | Code::Map | Code::Scan => true,
            code => code.is_elementwise() && self.takes_views(op),
        }
    }

    /// Says whether an op works on whole arrays: one of those that are gone behind the stage `arrays`.
    pub fn is_of_whole_arrays(&self, op: Op) -> bool {
        let code = self.ops[op].code;
        match code {
            Code::Iota | Code::Replicate | Code::Elements | Code::Assign => true,
            _ => code.is_over_elements() || code.is_elementwise() && self.takes_views(op),
        }
    }

    /// Says whether a control op carries or yields views, other than by the elements of arrays.
    pub fn carries_views(&self, op: Op) -> bool {
        let data = &self.ops[op];
        let yielded = data.regions.iter().flat_map(|&region| &self.regions[region].yields);
        let carried = data.operands.iter().skip(self.n_head_operands(op)).chain(yielded);
        data.code.is_control() && carried.into_iter().any(|&value| self.ty(value).is_view())
    }

    /// Says whether the kernel is still at the stage `arrays`: some op works on whole arrays, or carries or yields views.
    pub fn has_whole_arrays(&self) -> bool {
        let mut found = false;
        self.walk(self.body, &mut |_, op| found |= self.is_of_whole_arrays(op) || self.carries_views(op));
        found
    }

    /// Says whether some operand of an op is a view.
    pub(crate) fn takes_views(&self, op: Op) -> bool {
        self.ops[op].operands.iter().any(|&value| self.ty(value).is_view())
    }

    /// Makes every use of each value a use of what `new` maps it to; values added since stay as they are.
    pub fn replace_uses(&mut self, new: &EntityVec<Value, Option<Value>>) {
        // A value that is replaced may be replaced by one that is replaced itself.
        let last = |mut value: Value| {
            while let Some(next) = new.get(value).copied().flatten() {
                value = next;
            }
            value
        };
        self.ops.values_mut().flat_map(|op| &mut op.operands).for_each(|value| *value = last(*value));
        self.regions.values_mut().flat_map(|region| &mut region.yields).for_each(|value| *value = last(*value));
    }
}
