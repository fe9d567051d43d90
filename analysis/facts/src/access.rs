//! Accesses: the layout in memory of the cells that neighbouring lanes load or store.
//!
//! The address of an access is its byte offset in the array, as a form: subscripts times strides, rows, slices and the
//! fields of structs included. The change of that form from lane to lane decides the class.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use super::form::Form;
use super::shape::Shape;
use super::{Class, Facts};
use ir::entities::{Op, Region, Value};
use ir::ops::Code;
use ir::program::{Attr, Def, Kernel};
use ir::types::{CellType, Type};

/// Groups of more cells than this are not looked for.
const MAX_CELLS: i128 = 64;

/// A load or store, as its lane loop's lanes see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Access {
    /// The load or store.
    pub op: Op,
    /// The array: a parameter, or a temporary.
    pub root: Value,
    /// True for a store, false for a load.
    pub stores: bool,
    /// The lane loop; `None` outside of all, where nothing differs from lane to lane.
    pub lane_loop: Option<Op>,
    /// The class of the access: how the cells of neighbouring lanes lie in memory.
    pub class: Class,
    /// The shape of the address from lane to lane.
    pub shape: Shape,
    /// The byte at which the cell lies in the array, as a form.
    pub address: Option<Form>,
    /// The bytes of a cell.
    pub bytes: i128,
    /// The place in its group of an access that belongs to an interleaved group.
    pub group: Option<Member>,
    /// The subscript, or the view, that made it what it is: the first that is not plainly the loop's index.
    pub because: Option<Value>,
}

/// The place of an access in its group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Member {
    /// The first access of the group.
    pub first: Op,
    /// The position of the access's cell in the group, from 0.
    pub cell: u32,
    /// The stride of the group: the number of cells from one lane's group to the next lane's.
    pub cells: u32,
}

impl Access {
    /// From lane to lane, the distance in cells if that is a whole number of them, as a form.
    pub fn stride(&self) -> Option<Form> {
        match &self.shape {
            Shape::Linear(bytes) => bytes.divide_exactly(self.bytes),
            Shape::Repeated(repeat) => repeat.step.as_ref()?.divide_exactly(self.bytes),
            _ => None,
        }
    }

    /// Returns the distance from lane to lane in bytes, if it is constant.
    pub fn stride_in_bytes(&self) -> Option<i128> {
        match &self.shape {
            Shape::Uniform => Some(0),
            Shape::Linear(bytes) => bytes.as_constant(),
            _ => None,
        }
    }
}

/// The accesses of a kernel, classified.
pub(super) fn find(kernel: &Kernel, facts: &Facts) -> Vec<Access> {
    let mut accesses = Vec::new();
    let mut homes = Vec::new();
    let mut own = FxHashSet::default();
    kernel.walk(kernel.body, &mut |region, op| {
        let data = &kernel.ops[op];
        if matches!(data.code, Code::Load | Code::Store) {
            let mut access = classify(kernel, facts, region, op);
            if own.contains(&access.root) {
                access.class = class_of_own(access.class, access.stores);
            }
            accesses.push(access);
            homes.push(region);
        }
        let lane_loop = facts.lane_loops[region];
        let is_in_lanes = lane_loop.is_some_and(|around| kernel.ops[around].code == Code::Foreach);
        if data.code == Code::Temp && is_in_lanes && !facts.alike.contains(&data.results[0]) {
            own.insert(data.results[0]);
        }
    });
    group(kernel, &mut accesses, &homes);
    accesses
}

/// The class of an access to an array of which each lane has its own: the cells of one subscript lie beside each other, those of
/// different ones in lines of their own.
fn class_of_own(class: Class, stores: bool) -> Class {
    match class {
        Class::Broadcast | Class::UniformStore => Class::Contiguous,
        _ if stores => Class::Scatter,
        _ => Class::Gather,
    }
}

fn classify(kernel: &Kernel, facts: &Facts, region: Region, op: Op) -> Access {
    let data = &kernel.ops[op];
    let view = data.operands[0];
    let rank = kernel.ty(view).rank() as usize;
    let subscripts = &data.operands[1..1 + rank];
    let address = address(kernel, facts, op);
    let stores = data.code == Code::Store;
    let bytes = kernel.ty(view).elem().map_or(1, |elem| elem.bytes()) as i128;
    let varies = |value: &Value| !facts.shape(*value).is_uniform();
    let shape = shape_of(kernel, facts, op, address.as_ref());
    let one = |a, b| if stores { b } else { a };
    let constant = |form: &Form| form.as_constant();
    let class = match &shape {
        Shape::Uniform => one(Class::Broadcast, Class::UniformStore),
        Shape::Linear(by) if constant(by) == Some(bytes) => Class::Contiguous,
        Shape::Linear(by) if constant(by) == Some(-bytes) => Class::Reversed,
        Shape::Linear(_) => Class::Strided,
        Shape::Repeated(_) => Class::Repeated,
        Shape::Periodic(_) => Class::Periodic,
        _ => one(Class::Gather, Class::Scatter),
    };
    // The subscript to blame: the one that is worst, and of those the last.
    let badness = |value: &Value| match facts.shape(*value) {
        Shape::Uniform => 0,
        Shape::Linear(_) => 1,
        Shape::Repeated(_) | Shape::Periodic(_) => 2,
        _ => 3,
    };
    let because = view_subscripts(kernel, view).into_iter().chain(subscripts.iter().copied());
    let because = because.filter(varies).max_by_key(badness);
    Access {
        op,
        root: kernel.root(view),
        stores,
        lane_loop: facts.lane_loops[region],
        class,
        shape,
        address,
        bytes,
        group: None,
        because,
    }
}

/// The subscripts by which a view was made from its array.
fn view_subscripts(kernel: &Kernel, view: Value) -> Vec<Value> {
    let mut subscripts = Vec::new();
    let mut at = view;
    while let Some(op) = kernel.def_op(at) {
        let data = &kernel.ops[op];
        match data.code {
            Code::Row | Code::Slice => subscripts.extend_from_slice(&data.operands[1..]),
            Code::Field | Code::Flat => {}
            _ => break,
        }
        at = data.operands[0];
    }
    subscripts
}

/// The key of a group of accesses: the array, the kind, the block, the bytes of a cell and from lane to lane,
/// and the address but for a constant.
type Likeness = (Value, bool, Region, i128, i128, Form);

/// The groups of one array that others may still join.
type OpenGroups = BTreeMap<Likeness, AccessGroup>;

/// Accesses that may be done together, each with the constant part of its address.
type AccessGroup = Vec<(usize, i128)>;

/// Finds the accesses that take neighbouring cells of the same groups, with nothing between them that would notice if
/// they were done together.
fn group(kernel: &Kernel, accesses: &mut [Access], homes: &[Region]) {
    let mut open: FxHashMap<Value, OpenGroups> = FxHashMap::default();
    let mut done: Vec<AccessGroup> = Vec::new();
    for (n, access) in accesses.iter().enumerate() {
        // A store ends the groups of all that touches the array, and a load those of its stores.
        let own = likeness(access, homes[n]);
        let ended = |key: &Likeness| (access.stores || key.1) && own.as_ref().is_none_or(|(own, _)| own != key);
        for root in std::iter::once(access.root).chain(overlapping(kernel, access.root)) {
            if let Some(of_array) = open.get_mut(&root) {
                done.extend(of_array.extract_if(.., |key, _| ended(key)).map(|(_, members_by_cell)| members_by_cell));
            }
        }
        if let Some((key, constant)) = own {
            open.entry(access.root).or_default().entry(key).or_default().push((n, constant));
        }
    }
    done.extend(open.into_values().flat_map(OpenGroups::into_values));
    for mut members_by_cell in done {
        members_by_cell.sort_by_key(|(_, constant)| *constant);
        let mut rest = members_by_cell.as_slice();
        while let Some(&(first, least)) = rest.first() {
            let stride = accesses[first].stride_in_bytes().unwrap_or(0);
            let (members, others) = rest.split_at(rest.partition_point(|(_, constant)| constant - least < stride));
            join(accesses, members, stride);
            rest = others;
        }
    }
}

/// The other arrays that may overlap one.
fn overlapping(kernel: &Kernel, array: Value) -> impl Iterator<Item = Value> {
    kernel.marks.alias.iter().filter_map(move |&(a, b)| match array {
        _ if a == array => Some(b),
        _ if b == array => Some(a),
        _ => None,
    })
}

/// The key of the group of a strided access, and its constant.
fn likeness(access: &Access, home: Region) -> Option<(Likeness, i128)> {
    let stride = access.stride_in_bytes().filter(|_| access.class == Class::Strided)?;
    let is_group = stride > 0 && stride % access.bytes == 0 && stride / access.bytes <= MAX_CELLS;
    let (rest, constant) = access.address.as_ref()?.split_constant();
    is_group.then_some(((access.root, access.stores, home, access.bytes, stride, rest), constant))
}

/// Makes a group of accesses whose cells lie within one stride, ascending, if that is more than one cell.
fn join(accesses: &mut [Access], members: &[(usize, i128)], stride: i128) {
    let (Some(&(_, least)), Some(first)) = (members.first(), members.iter().map(|(n, _)| *n).min()) else { return };
    let bytes = accesses[first].bytes;
    let cell = |constant: i128| (constant - least) / bytes;
    let mut cells: Vec<i128> = members.iter().map(|(_, constant)| cell(*constant)).collect();
    cells.dedup();
    let fits = members.iter().all(|(_, constant)| (constant - least) % bytes == 0);
    // A store of a group writes all of its cells: with a gap it would write what is not its own.
    let is_whole = cells.len() as i128 == stride / bytes;
    if !fits || cells.len() < 2 || (accesses[first].stores && !is_whole) {
        return;
    }
    let first = accesses[first].op;
    for &(n, constant) in members {
        accesses[n].group = Some(Member { first, cell: cell(constant) as u32, cells: (stride / bytes) as u32 });
        accesses[n].class = Class::Interleaved;
    }
}

/// The shape of an access's address from lane to lane.
pub(super) fn shape(kernel: &Kernel, facts: &Facts, op: Op) -> Shape {
    shape_of(kernel, facts, op, address(kernel, facts, op).as_ref())
}

fn shape_of(kernel: &Kernel, facts: &Facts, op: Op, address: Option<&Form>) -> Shape {
    let form = address.map(Shape::of);
    // Even without a form of the address, its shape follows from those of the subscripts and of the view.
    form.filter(|shape| *shape != Shape::Arbitrary).unwrap_or_else(|| {
        let data = &kernel.ops[op];
        let rank = kernel.ty(data.operands[0]).rank() as usize;
        data.operands[..1 + rank].iter().fold(Shape::Uniform, |shape, value| shape.with(facts.shape(*value)))
    })
}

/// Returns the byte offset of an access in its array, as a form. It holds in lanes, too, if each subscript is that of
/// its lane.
pub fn address(kernel: &Kernel, facts: &Facts, op: Op) -> Option<Form> {
    let data = &kernel.ops[op];
    let view = data.operands[0];
    let rank = kernel.ty(view).rank() as usize;
    let subscripts = &data.operands[1..1 + rank];
    // Most views are whole arrays that the caller gives.
    if let Def::Param(number) = kernel.values[view].def {
        return moved(facts, None, subscripts, facts.strides[number as usize].as_ref()?);
    }
    let place = place(kernel, facts, view)?;
    moved(facts, Some(place.offset), subscripts, &place.strides)
}

/// The byte of the cell of some subscripts, from an offset on.
fn moved(facts: &Facts, offset: Option<Form>, subscripts: &[Value], strides: &[Form]) -> Option<Form> {
    let mut address = offset;
    for (subscript, stride) in subscripts.iter().zip(strides) {
        let by = facts.values[*subscript].exact_form()?.mul(stride)?;
        address = Some(match address {
            Some(address) => address.add(&by)?,
            None => by,
        });
    }
    Some(address.unwrap_or_default())
}

/// The layout of a view in its array: the byte that it starts at, and the distances in bytes between cells along each
/// dimension.
struct PlaceInArray {
    offset: Form,
    strides: Vec<Form>,
}

fn place(kernel: &Kernel, facts: &Facts, view: Value) -> Option<PlaceInArray> {
    let Some(op) = kernel.def_op(view) else { return whole(kernel, facts, view) };
    let data = &kernel.ops[op];
    if matches!(data.code, Code::Temp | Code::Table) {
        return whole(kernel, facts, view);
    }
    let mut place = place(kernel, facts, data.operands[0])?;
    let exact = |n: usize| facts.values[data.operands[n]].exact_form();
    match (data.code, &data.attr) {
        (Code::Row, attr) => {
            let stride = place.strides.remove(dim_of(attr));
            place.offset = place.offset.add(&exact(1)?.mul(&stride)?)?;
        }
        (Code::Slice, attr) => {
            let dim = dim_of(attr);
            place.offset = place.offset.add(&exact(1)?.mul(&place.strides[dim])?)?;
            place.strides[dim] = place.strides[dim].mul(exact(3)?)?;
        }
        (Code::Flat, Attr::Elem(elem)) => place.strides = vec![Form::constant(elem.bytes() as i128)],
        (Code::Field, Attr::Field(field)) => {
            let Type::View { item: CellType::Struct(decl), .. } = kernel.ty(data.operands[0]) else { return None };
            let (decl, number) = (&kernel.structs[decl], usize::from(*field));
            place.offset = place.offset.add(&Form::constant(decl.offset(number) as i128))?;
            let field = &decl.fields[number];
            place.strides.extend((0..field.sizes.len()).map(|dim| Form::constant(field.stride(dim) as i128)));
        }
        _ => return None,
    }
    Some(place)
}

/// A whole array: its rows lie one after the other.
fn whole(kernel: &Kernel, facts: &Facts, array: Value) -> Option<PlaceInArray> {
    let strides = match kernel.values[array].def {
        Def::Param(number) => facts.strides[number as usize].clone()?,
        _ => strides(kernel, array, |dim| size(kernel, facts, array, dim))?,
    };
    Some(PlaceInArray { offset: Form::default(), strides })
}

/// The bytes from one cell to the next along each dimension of a parameter; `None` for one that is no array.
pub(super) fn declared_strides(kernel: &Kernel, param: Value) -> Option<Vec<Form>> {
    strides(kernel, param, |dim| declared_size(kernel, param, dim))
}

fn strides(kernel: &Kernel, array: Value, size: impl Fn(usize) -> Option<Form>) -> Option<Vec<Form>> {
    let Type::View { item, rank, .. } = kernel.ty(array) else { return None };
    let mut strides = vec![Form::constant(kernel.item_bytes(item) as i128)];
    for dim in (1..rank as usize).rev() {
        strides.push(strides.last()?.mul(&size(dim)?)?);
    }
    strides.reverse();
    Some(strides)
}

/// The size of a dimension of a whole array.
fn size(kernel: &Kernel, facts: &Facts, array: Value, dim: usize) -> Option<Form> {
    match kernel.def_op(array) {
        Some(temp) => facts.values[*kernel.ops[temp].operands.get(dim)?].exact_form().cloned(),
        None => declared_size(kernel, array, dim),
    }
}

/// The size of a view's last dimension, where that is the array's.
pub fn last_size(kernel: &Kernel, facts: &Facts, view: Value) -> Option<Form> {
    let rank = usize::from(kernel.ty(view).rank());
    match kernel.def_op(view).map(|op| &kernel.ops[op]) {
        // Rows lie along the other dimensions.
        Some(row) if row.code == Code::Row && dim_of(&row.attr) < rank => last_size(kernel, facts, row.operands[0]),
        Some(op) if !matches!(op.code, Code::Temp | Code::Table) => None,
        _ => size(kernel, facts, view, rank.checked_sub(1)?),
    }
}

/// The size that a parameter says a dimension of it has.
pub fn declared_size(kernel: &Kernel, array: Value, dim: usize) -> Option<Form> {
    let Def::Param(number) = kernel.values[array].def else { return None };
    Form::size(array, dim as u8, kernel.params[number as usize].sizes.get(dim)?)
}

/// The dimension that an op's attribute names.
pub fn dim_of(attr: &Attr) -> usize {
    match attr {
        Attr::Number(dim) => usize::try_from(*dim).unwrap_or(0),
        _ => 0,
    }
}
