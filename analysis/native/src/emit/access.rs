//! Ops that read or write memory.
//!
//! A vector access is emitted by the distance of neighbouring lanes' cells. A distance of one cell is one load or
//! store; a few cells, as many as the target's row says, are one over the whole span, with lanes picked out of it; anything
//! else is a gather or scatter.
//! No address is touched that an active lane does not ask for.

use ir::typing::{self, OperandRole};
use ir::{Attr, Code, Elem, Family, Masks, Op, Type, Value};

use super::function::Function;
use super::values::{Ty, Unit, Val};
use super::views::View;

/// A vector load or store.
pub(super) struct Access {
    pub(super) view: View,
    pub(super) subscripts: Vec<Value>,
    pub(super) stored: Vec<Value>,
    pub(super) mask: Option<Val>,
    pub(super) elem: Elem,
    pub(super) lanes: u16,
}

/// The addresses of lanes' cells.
enum Cells {
    /// The cells are this number of cells apart, lane 0's at this address.
    Apart(i64, Val),
    /// Each cell has an address of its own.
    Own(Val),
}

impl Function<'_> {
    /// An op that reads or writes memory.
    pub(super) fn access(&mut self, op: Op) {
        let kernel = self.kernel;
        let data = &kernel.ops[op];
        let access = self.sorted(op);
        if let Some(rule) = data.code.as_atomic() {
            return self.atomic(op, rule, &access);
        }
        match data.code {
            Code::Load | Code::Store => self.one_cell(op, &access),
            Code::ExpandLoad | Code::CompressStore => self.packed_cells(op, &access),
            Code::InterleavedLoad | Code::InterleavedStore => self.interleaved(op, &access),
            Code::VectorStore if data.attr == Attr::PastCache => self.streamed(&access),
            Code::Gather | Code::Scatter if self.lane_by_lane(op, &access) => {}
            code => {
                let step = match (code, &data.attr) {
                    (Code::VectorLoad | Code::MaskedLoad | Code::VectorStore | Code::MaskedStore, _) => Some(1),
                    (Code::ReversedLoad | Code::ReversedStore, _) => Some(-1),
                    (Code::StridedLoad | Code::StridedStore, Attr::Number(stride)) => Some(*stride),
                    _ => None,
                };
                let cells = self.cells(&access, step);
                match data.results.first() {
                    Some(&result) => {
                        let loaded = self.load_cells(&access, &cells);
                        self.set(result, loaded);
                    }
                    None => self.store_cells(&access, &cells),
                }
            }
        }
    }

    /// The operands of an access, by what they are for.
    fn sorted(&mut self, op: Op) -> Access {
        let kernel = self.kernel;
        let data = &kernel.ops[op];
        let types: Vec<Type> = data.operands.iter().map(|&value| kernel.ty(value)).collect();
        let roles = typing::roles(data.code, &types).unwrap_or_else(|why| panic!("{op}: {why}"));
        let of = |wanted: fn(&OperandRole) -> bool| -> Vec<Value> {
            roles.iter().zip(&data.operands).filter(|(role, _)| wanted(role)).map(|(_, &value)| value).collect()
        };
        let results = data.results.iter().map(|&value| kernel.ty(value));
        Access {
            view: self.view(data.operands[0]),
            subscripts: of(|role| matches!(role, OperandRole::Index(_))),
            stored: of(|role| matches!(role, OperandRole::Stored(_))),
            mask: of(|role| matches!(role, OperandRole::Mask)).first().map(|&mask| self.get(mask)),
            elem: types[0].elem().unwrap_or_else(|| panic!("{op} accesses no elements")),
            lanes: results.chain(types.iter().copied()).find_map(Type::lanes).unwrap_or(0),
        }
    }

    /// A full vector that goes past the cache.
    fn streamed(&mut self, access: &Access) {
        let Cells::Apart(1, at) = self.cells(access, Some(1)) else { panic!("only neighbouring cells are streamed") };
        let stored = self.get_in(access.stored[0], Some(access.lanes));
        let stored = self.as_stored(access.elem, &stored);
        let streams = self.past_cache();
        self.line(format!("store {stored}, {at}, align {}{streams}", access.elem.bytes()));
    }

    /// The address of a scalar access's cell.
    pub(super) fn cell_address(&mut self, access: &Access) -> Val {
        let subscripts: Vec<Val> = access.subscripts.iter().map(|&value| self.exact(value)).collect();
        self.address(&access.view, &subscripts)
    }

    /// Asks for cells to be brought into the cache.
    pub(super) fn prefetch(&mut self, op: Op) {
        const LINE: usize = 64;
        let access = self.sorted(op);
        let Access { elem, lanes, .. } = access;
        let mut addresses = Vec::new();
        match self.kernel.ops[op].code {
            Code::PrefetchRow => {
                let first = self.address_of_lane_0(&access, 1);
                let bytes = elem.bytes() * usize::from(lanes);
                addresses.extend((0..bytes).step_by(LINE).map(|ahead| self.step(&first, 1, &Val::i64(ahead as i64))));
            }
            _ if lanes == 0 => addresses.push(self.cell_address(&access)),
            _ => {
                let own = self.own_addresses(&access, None);
                addresses.extend((0..lanes).map(|lane| self.extracted(&own, lane)));
            }
        }
        for at in addresses {
            self.line(format!("call void @llvm.prefetch.p0({at}, i32 0, i32 3, i32 1)"));
        }
    }

    fn one_cell(&mut self, op: Op, access: &Access) {
        let subscripts: Vec<Val> = access.subscripts.iter().map(|&value| self.exact(value)).collect();
        let at = self.address(&access.view, &subscripts);
        match access.stored.first() {
            Some(&stored) => {
                let stored = self.get(stored);
                let stored = self.as_stored(access.elem, &stored);
                self.line(format!("store {stored}, {at}, align {}", access.elem.bytes()));
            }
            None => {
                let loaded = self.load(access.elem, None, &at);
                let result = self.kernel.ops[op].results[0];
                self.set(result, loaded);
            }
        }
    }

    /// Loads what lies at an address: one element, or as many lanes.
    pub(super) fn load(&mut self, elem: Elem, lanes: Option<u16>, at: &Val) -> Val {
        let ty = Ty { unit: Unit::in_memory(elem), lanes };
        let instruction = format!("load {ty}, {at}, align {}", elem.bytes());
        if elem != Elem::Bool {
            return self.named(ty, instruction);
        }
        let byte = self.make("byte", ty, instruction);
        self.as_loaded(elem, byte)
    }

    /// A loaded value, as registers have it.
    fn as_loaded(&mut self, elem: Elem, val: Val) -> Val {
        if elem != Elem::Bool {
            return val;
        }
        let zero = super::elementwise::zero_text(val.ty);
        self.named(val.ty.with(Unit::Int(1)), format!("icmp ne {val}, {zero}"))
    }

    /// A value to be stored, as memory has it.
    pub(super) fn as_stored(&mut self, elem: Elem, val: &Val) -> Val {
        if elem != Elem::Bool {
            return val.clone();
        }
        let ty = val.ty.with(Unit::Int(8));
        self.make("byte", ty, format!("zext {val} to {ty}"))
    }

    /// Returns the addresses of the lanes' cells, when their last subscripts are `step` apart.
    fn cells(&mut self, access: &Access, step: Option<i64>) -> Cells {
        let bytes = access.elem.bytes() as i128;
        let stride = access.view.dims.last().and_then(|dim| dim.stride.number());
        let apart = match (step, stride) {
            (Some(step), Some(stride)) if stride % bytes == 0 => {
                i64::try_from(i128::from(step) * (stride / bytes)).ok()
            }
            _ => None,
        };
        match (
            apart.filter(|apart| {
                (1..=i64::from(self.target.widest_stride)).contains(&apart.abs()) && access.view.is_single()
            }),
            step,
        ) {
            (Some(apart), Some(step)) => Cells::Apart(apart, self.address_of_lane_0(access, step)),
            _ => Cells::Own(self.own_addresses(access, step)),
        }
    }

    fn address_of_lane_0(&mut self, access: &Access, step: i64) -> Val {
        let last = access.subscripts.len() - 1;
        let mut subscripts = Vec::with_capacity(last + 1);
        for (number, &subscript) in access.subscripts.iter().enumerate() {
            let step = if number == last { step } else { 0 };
            subscripts.push(self.lane_0(subscript, step, access.mask.as_ref()));
        }
        self.address(&access.view, &subscripts)
    }

    /// Returns each lane's address. A last subscript that is a scalar is that of lane 0, if lanes are `step` apart.
    pub(super) fn own_addresses(&mut self, access: &Access, step: Option<i64>) -> Val {
        let Access { view, subscripts, lanes, .. } = access;
        let kernel = self.kernel;
        let in_lanes = |value: &Value| kernel.ty(*value).lanes().is_some();
        let (last, leading) = subscripts.split_last().unwrap_or_else(|| panic!("an access without subscripts"));
        let scaled =
            view.dims.last().and_then(|dim| dim.stride.number()).filter(|stride| matches!(stride, 1 | 2 | 4 | 8));
        let steps = view.dims.last().and_then(|dim| dim.step.clone());
        if view.is_single() && in_lanes(last) && !leading.iter().any(in_lanes) && (scaled.is_some() || steps.is_some())
        {
            // The form in which the targets' own scaled addressing is recognised.
            let leading: Vec<Val> = leading.iter().map(|&value| self.exact(value)).collect();
            let start = self.row_address(view, &leading);
            let (elem, index) = (self.elem(*last), self.get(*last));
            if let Some(stride) = scaled {
                let index = if elem.is_signed() { index } else { self.extended(elem, &index) };
                return self.step(&start, stride, &index);
            }
            if let Some((bytes, step)) = steps {
                // The distance fits 32 bits, and so it is right in these whatever is lost on the way there.
                let index = self.extended(elem, &index);
                let [index, step] = [index, step].map(|val| self.resized(&val, 32));
                let step = self.in_lanes(step, Some(*lanes));
                let distance = self.make("distance", index.ty, format!("mul {index}, {}", step.text));
                return self.step(&start, bytes, &distance);
            }
        }
        let mut offset = view.offset.clone();
        for (number, (&subscript, dim)) in subscripts.iter().zip(&view.dims).enumerate() {
            let mut index = self.subscript(subscript);
            if let Some(step) = step.filter(|_| number + 1 == subscripts.len() && index.ty.lanes.is_none()) {
                let steps = Val::numbers(Unit::Int(64), (0..*lanes).map(|lane| i128::from(lane) * i128::from(step)));
                index = self.in_lanes(index, Some(*lanes));
                index = self.add(&index, &steps);
            }
            let distance = self.mul(&index, &dim.stride);
            offset = self.add(&offset, &distance);
        }
        let offset = self.in_lanes(offset, Some(*lanes));
        self.step(&view.base, 1, &offset)
    }

    fn load_cells(&mut self, access: &Access, cells: &Cells) -> Val {
        let &Access { elem, lanes, .. } = access;
        let mask = access.mask.as_ref();
        match cells {
            Cells::Own(at) => self.gather(elem, at, mask),
            Cells::Apart(1, at) => self.load_row(elem, lanes, at, mask),
            Cells::Apart(apart, at) => {
                let span = Span { lanes, apart: *apart };
                let start = self.span_start(&span, elem, at);
                let mask = mask.map(|mask| self.span_mask(&span, mask));
                let row = self.load_row(elem, span.len(), &start, mask.as_ref());
                let ty = Ty::lanes(row.ty.unit, lanes);
                let picks = Val::numbers(Unit::Int(32), (0..lanes).map(|lane| span.place(lane).into()));
                self.named(ty, format!("shufflevector {row}, {} poison, {picks}", row.ty))
            }
        }
    }

    fn store_cells(&mut self, access: &Access, cells: &Cells) {
        let &Access { elem, lanes, .. } = access;
        let mask = access.mask.as_ref();
        let stored = self.get_in(access.stored[0], Some(lanes));
        let stored = self.as_stored(elem, &stored);
        match cells {
            Cells::Apart(1, at) => {
                let stored = self.chosen_again(access).unwrap_or(stored);
                self.store_row(elem, &stored, at, mask);
            }
            Cells::Apart(apart @ -1, at) => {
                let span = Span { lanes, apart: *apart };
                let start = self.span_start(&span, elem, at);
                let mask = mask.map(|mask| self.span_mask(&span, mask));
                let picks = Val::numbers(Unit::Int(32), (0..lanes).rev().map(i128::from));
                let ty = stored.ty;
                let row = self.make("reversed", ty, format!("shufflevector {stored}, {ty} poison, {picks}"));
                self.store_row(elem, &row, &start, mask.as_ref());
            }
            // A store may not write the cells between those of the lanes.
            Cells::Apart(apart, at) => {
                let bytes = elem.bytes() as i128 * i128::from(*apart);
                let steps = Val::numbers(Unit::Int(64), (0..lanes).map(|lane| i128::from(lane) * bytes));
                let at = self.step(at, 1, &steps);
                self.scatter(elem, &stored, &at, mask);
            }
            Cells::Own(at) => self.scatter(elem, &stored, at, mask),
        }
    }

    /// A choice between new values and loaded ones that is stored to all lanes, with the loaded ones frozen: LLVM 22 makes a store under a
    /// mask of it if the cells are the same, which may take ten times as long.
    fn chosen_again(&mut self, access: &Access) -> Option<Val> {
        let kernel = self.kernel;
        let choice = &kernel.ops[kernel.def_op(access.stored[0])?];
        let is_loaded = |value: Value| kernel.def_op(value).is_some_and(|op| kernel.ops[op].code == Code::VectorLoad);
        let &[condition, a, b] = &choice.operands[..] else { return None };
        if choice.code != Code::Select || access.elem == Elem::Bool || !(is_loaded(a) || is_loaded(b)) {
            return None;
        }
        let condition = self.get(condition);
        let [a, b] = [a, b].map(|side| {
            let val = self.get_in(side, Some(access.lanes));
            if is_loaded(side) { self.make("there", val.ty, format!("freeze {val}")) } else { val }
        });
        Some(self.make("stored", a.ty, format!("select {condition}, {a}, {b}")))
    }

    /// Loads neighbouring cells; inactive lanes are 0.
    fn load_row(&mut self, elem: Elem, lanes: u16, at: &Val, mask: Option<&Val>) -> Val {
        let Some(mask) = mask else { return self.load(elem, Some(lanes), at) };
        let ty = Ty::lanes(Unit::in_memory(elem), lanes);
        let (suffix, align) = (ty.suffix(), elem.bytes());
        let call = format!("call {ty} @llvm.masked.load.{suffix}.p0({at}, i32 {align}, {mask}, {ty} zeroinitializer)");
        self.frozen(elem, ty, &call)
    }

    /// The result of a masked load, frozen: LLVM 22 moves one behind a store to the same cells when only a choice
    /// by the same mask uses it.
    fn frozen(&mut self, elem: Elem, ty: Ty, call: &str) -> Val {
        let loaded = self.make("loaded", ty, call);
        if elem != Elem::Bool {
            return self.named(ty, format!("freeze {loaded}"));
        }
        let frozen = self.make("byte", ty, format!("freeze {loaded}"));
        self.as_loaded(elem, frozen)
    }

    fn store_row(&mut self, elem: Elem, stored: &Val, at: &Val, mask: Option<&Val>) {
        let align = elem.bytes();
        match mask {
            None => self.line(format!("store {stored}, {at}, align {align}")),
            Some(mask) => {
                let suffix = stored.ty.suffix();
                self.line(format!("call void @llvm.masked.store.{suffix}.p0({stored}, {at}, i32 {align}, {mask})"));
            }
        }
    }

    /// Loads from each lane's address; inactive lanes are 0.
    pub(super) fn gather(&mut self, elem: Elem, at: &Val, mask: Option<&Val>) -> Val {
        let lanes = at.ty.lanes.unwrap_or(1);
        let ty = Ty::lanes(Unit::in_memory(elem), lanes);
        let mask = mask.cloned().unwrap_or_else(|| self.every_lane(lanes));
        let (suffix, align) = (ty.suffix(), elem.bytes());
        let name = format!("llvm.masked.gather.{suffix}.{}", at.ty.suffix());
        let call = format!("call {ty} @{name}({at}, i32 {align}, {mask}, {ty} zeroinitializer)");
        self.frozen(elem, ty, &call)
    }

    fn scatter(&mut self, elem: Elem, stored: &Val, at: &Val, mask: Option<&Val>) {
        let mask = mask.cloned().unwrap_or_else(|| self.every_lane(at.ty.lanes.unwrap_or(1)));
        let name = format!("llvm.masked.scatter.{}.{}", stored.ty.suffix(), at.ty.suffix());
        self.line(format!("call void @{name}({stored}, {at}, i32 {}, {mask})", elem.bytes()));
    }

    /// The mask of all lanes for a gather or a scatter, which takes its mask apart.
    ///
    /// Of a constant LLVM makes `kxnorw %k0, %k0, %k1` in front of each, and a processor waits for what is in `k0`: mostly a comparison
    /// with what the gather before it loaded. A mask that LLVM does not know stays in a register, and is copied.
    fn every_lane(&mut self, lanes: u16) -> Val {
        if self.target.family != Family::X86 || self.target.masks != Masks::Bits {
            return all_on(lanes);
        }
        if let Some(known) = self.every_lane.get(&lanes) {
            return known.clone();
        }
        let of_one = if lanes <= 8 { 8 } else { 16 };
        let one = Ty::lanes(Unit::Int(1), of_one);
        let global = self.tables.every_lane();
        let bits = self.at_entry("lanes", Ty::one(Unit::Int(of_one)), format!("load i{of_one}, ptr {global}"));
        let mut mask = self.at_entry("every", one, format!("bitcast {bits} to {one}"));
        if lanes != of_one {
            let picks = Val::numbers(Unit::Int(32), (0..lanes).map(|lane| i128::from(lane % of_one)));
            let ty = Ty::lanes(Unit::Int(1), lanes);
            mask = self.at_entry("every", ty, format!("shufflevector {mask}, {one} poison, {picks}"));
        }
        self.every_lane.insert(lanes, mask.clone());
        mask
    }

    /// Consecutive cells, one for each active lane.
    fn packed_cells(&mut self, op: Op, access: &Access) {
        let &Access { elem, lanes, .. } = access;
        let subscripts: Vec<Val> = access.subscripts.iter().map(|&value| self.exact(value)).collect();
        let mask = access.mask.clone().unwrap_or_else(|| all_on(lanes));
        let ty = Ty::lanes(Unit::in_memory(elem), lanes);
        let suffix = ty.suffix();
        let dense = access.view.dims.last().and_then(|dim| dim.stride.number()) == Some(elem.bytes() as i128);
        let stored = access.stored.first().map(|&stored| {
            let stored = self.get_in(stored, Some(lanes));
            self.as_stored(elem, &stored)
        });
        let at = self.address(&access.view, &subscripts);
        let align = elem.bytes();
        let loaded = match (stored, dense) {
            (Some(stored), true) if self.store_packed(elem, &stored, &at, &mask) => return,
            (Some(stored), true) => {
                self.line(format!(
                    "call void @llvm.masked.compressstore.{suffix}({stored}, ptr align {align} {}, {mask})",
                    at.text
                ));
                return;
            }
            (Some(stored), false) => {
                let own = self.packed_addresses(access, &at, &mask);
                return self.scatter(elem, &stored, &own, Some(&mask));
            }
            (None, true) if let Some(loaded) = self.load_expanded(elem, lanes, &at, &mask) => {
                self.frozen(elem, ty, &format!("bitcast {loaded} to {ty}"))
            }
            (None, true) => {
                let pointer = format!("ptr align {align} {}", at.text);
                let call =
                    format!("call {ty} @llvm.masked.expandload.{suffix}({pointer}, {mask}, {ty} zeroinitializer)");
                self.frozen(elem, ty, &call)
            }
            (None, false) => {
                let own = self.packed_addresses(access, &at, &mask);
                self.gather(elem, &own, Some(&mask))
            }
        };
        let result = self.kernel.ops[op].results[0];
        self.set(result, loaded);
    }

    /// The address of each active lane's cell, when they follow each other from `at` on.
    fn packed_addresses(&mut self, access: &Access, at: &Val, mask: &Val) -> Val {
        let ty = Ty::lanes(Unit::Int(64), access.lanes);
        let ones = self.make("ones", ty, format!("zext {mask} to {ty}"));
        let through = self.prefix_sums(&ones);
        let before = self.sub(&through, &ones);
        let stride = access.view.dims.last().map_or(Val::i64(1), |dim| dim.stride.clone());
        let distance = self.mul(&before, &stride);
        self.step(at, 1, &distance)
    }

    /// Groups of neighbouring cells, one group for each lane.
    fn interleaved(&mut self, op: Op, access: &Access) {
        let kernel = self.kernel;
        let results = &kernel.ops[op].results;
        let &Access { elem, lanes, .. } = access;
        let members = results.len().max(access.stored.len()) as u16;
        let stride = access.view.dims.last().and_then(|dim| dim.stride.number());
        if stride != Some(elem.bytes() as i128) || !access.view.is_single() {
            return self.interleaved_apart(op, access, members);
        }
        let at = self.address_of_lane_0(access, i64::from(members));
        let wide = Ty::lanes(Unit::in_memory(elem), lanes * members);
        let each_lane = (0..lanes).flat_map(|lane| std::iter::repeat_n(i128::from(lane), members.into()));
        let mask = access.mask.clone().map(|mask| {
            let picks = Val::numbers(Unit::Int(32), each_lane);
            let ty = wide.with(Unit::Int(1));
            self.make("spread", ty, format!("shufflevector {mask}, {} poison, {picks}", mask.ty))
        });
        if results.is_empty() {
            let parts: Vec<Val> = access.stored.iter().map(|&stored| self.get_in(stored, Some(lanes))).collect();
            let parts: Vec<Val> = parts.iter().map(|part| self.as_stored(elem, part)).collect();
            let side_by_side = self.side_by_side(&parts);
            let order = (0..lanes).flat_map(|lane| (0..members).map(move |member| i128::from(member * lanes + lane)));
            let picks = Val::numbers(Unit::Int(32), order);
            let row = self.make("woven", wide, format!("shufflevector {side_by_side}, {wide} poison, {picks}"));
            return self.store_row(elem, &row, &at, mask.as_ref());
        }
        let row = self.load_row(elem, lanes * members, &at, mask.as_ref());
        for (member, &result) in results.iter().enumerate() {
            let picks = (0..lanes).map(|lane| i128::from(lane * members) + member as i128);
            let picks = Val::numbers(Unit::Int(32), picks);
            let ty = Ty::lanes(row.ty.unit, lanes);
            let part = self.named(ty, format!("shufflevector {row}, {} poison, {picks}", row.ty));
            self.set(result, part);
        }
    }

    /// Groups of cells whose neighbouring subscripts are no neighbours in memory.
    fn interleaved_apart(&mut self, op: Op, access: &Access, members: u16) {
        let results = &self.kernel.ops[op].results;
        let first = self.own_addresses(access, Some(members.into()));
        let stride = access.view.dims.last().map_or(Val::i64(1), |dim| dim.stride.clone());
        for member in 0..members {
            let distance = self.mul(&Val::i64(member.into()), &stride);
            let at = self.step(&first, 1, &distance);
            match results.get(usize::from(member)) {
                Some(&result) => {
                    let loaded = self.gather(access.elem, &at, access.mask.as_ref());
                    self.set(result, loaded);
                }
                None => {
                    let stored = self.get_in(access.stored[usize::from(member)], Some(access.lanes));
                    let stored = self.as_stored(access.elem, &stored);
                    self.scatter(access.elem, &stored, &at, access.mask.as_ref());
                }
            }
        }
    }

    /// The address that a span starts at, from lane 0's.
    fn span_start(&mut self, span: &Span, elem: Elem, at: &Val) -> Val {
        let first = i64::from(span.lanes - 1) * span.apart.min(0);
        self.step(at, elem.bytes() as i128, &Val::i64(first))
    }

    /// Returns the mask of the cells of a span that active lanes ask for.
    fn span_mask(&mut self, span: &Span, mask: &Val) -> Val {
        let ty = Ty::lanes(Unit::Int(1), span.len());
        let mut picks = vec![i128::from(span.lanes); usize::from(span.len())];
        (0..span.lanes).for_each(|lane| picks[usize::from(span.place(lane))] = lane.into());
        let picks = Val::numbers(Unit::Int(32), picks);
        self.make("spread", ty, format!("shufflevector {mask}, {} zeroinitializer, {picks}", mask.ty))
    }
}

/// The cells from the first lane's to the last one's.
struct Span {
    lanes: u16,
    /// From one lane's to the next one's.
    apart: i64,
}

impl Span {
    fn len(&self) -> u16 {
        (self.lanes - 1) * self.apart.unsigned_abs() as u16 + 1
    }

    /// Returns the position of a lane's cell, in the order of memory.
    fn place(&self, lane: u16) -> u16 {
        let from_start = if self.apart < 0 { self.lanes - 1 - lane } else { lane };
        from_start * self.apart.unsigned_abs() as u16
    }
}

/// The mask of all lanes.
pub(super) fn all_on(lanes: u16) -> Val {
    Val::new("true", Ty::I1).splat(lanes)
}
