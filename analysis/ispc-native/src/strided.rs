//! Accesses of cells a fixed distance apart, with all lanes on: whole vectors, and lanes picked out of them.
//!
//! A load takes vectors that lie between the first lane's cell and the last one's, so it reads no byte that does not lie between two that the
//! program reads: of `a[2 * i]` in eight lanes the fifteen cells from `a[0]` to `a[14]`, as two vectors of which the second one ends
//! with the last cell. Where the program has just read or written a cell next to them through the same pointer, as of `p[i].x` and then `p[i].y`, those
//! cells count as well, and the vectors start where the others did, so that LLVM finds them loaded.
//!
//! Stores of all members of a structure one behind the other become stores of whole vectors, which need all cells: until the last one is
//! there the others wait, and they go to memory one by one if anything comes between that may see it.
//!
//! That is done where the target's costs say that it is cheaper, and where no lane is off: else cells are gathered and scattered.

use ir::Family;
use ispc_ir::module::GangInst;
use ispc_ir::op::GangOp;
use ispc_ir::types::NumberType;

use crate::arithmetic::mangled;
use crate::function::{FunctionEmitter, Mask, vector};
use crate::value::{Address, LaneBytes, Operand};

/// The largest distance of lanes, in cells.
const WIDEST: i64 = 8;

/// The bytes behind a pointer that the program reads or writes in any case.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TouchedBytes {
    base: Option<Operand>,
    moved: Option<Operand>,
    start: i64,
    end: i64,
}

/// Stores of members of structures that wait for the others.
#[derive(Clone, Debug)]
pub(crate) struct WaitingStores {
    base: Option<Operand>,
    moved: Option<Operand>,
    step: i64,
    number_bytes: i64,
    /// The byte of lane 0's cell, the type of a lane, and the vector.
    values: Vec<(i64, &'static str, Operand)>,
}

/// The cells of lanes in units of their size, from the first of those that may be read.
struct CellSpan {
    /// The byte of that first cell.
    start: i64,
    /// The cell of lane 0.
    first: i64,
    /// The distance of lanes.
    apart: i64,
    /// The number of all cells.
    len: i64,
    /// Lanes that are picked out of vectors of as many cells.
    group: u32,
}

impl CellSpan {
    fn cell(&self, lane: u32) -> i64 {
        self.first + self.apart * i64::from(lane)
    }

    /// The vector that a lane's cell is picked out of, by its first cell: they stand side by side from the first cell of the lane's group on, and
    /// the last one ends with the last cell.
    fn vector_of(&self, lane: u32) -> i64 {
        let group = i64::from(self.group);
        let lanes = lane / self.group * self.group;
        let ends = [self.cell(lanes), self.cell(lanes + self.group - 1)];
        let low = ends[0].min(ends[1]);
        // Groups of a row with the same first member start side by side.
        let grid = low - low.rem_euclid(self.apart.abs());
        let start = grid + (self.cell(lane) - grid) / group * group;
        start.min(self.len - group)
    }
}

impl FunctionEmitter<'_> {
    /// Forgets what holds up to a label alone.
    pub(crate) fn forget_straight_line(&mut self) {
        self.pure.clear();
        self.touched.clear();
    }

    /// Loads the cells of lanes that are a fixed number of bytes apart; none if gathering them is cheaper, or a lane is off.
    pub(crate) fn load_strided(&mut self, address: &Address, number: NumberType, step: i64) -> Option<Operand> {
        let bytes = number.bytes() as i64;
        let one = self.in_memory(number).0;
        let apart = self.distance(step, bytes)?;
        let span = self.span(address, apart, bytes);
        let starts: Vec<i64> = (0..self.lanes).map(|lane| span.vector_of(lane)).collect();
        if !self.is_cheaper(&span, &starts, bytes) {
            return None;
        }
        let (group, ty) = (span.group, format!("<{} x {one}>", span.group));
        let mut groups: Vec<Operand> = Vec::new();
        for lanes in (0..self.lanes).step_by(group as usize) {
            let own: Vec<u32> = (lanes..lanes + group).collect();
            let mut all: Vec<i64> = own.iter().map(|lane| starts[*lane as usize]).collect();
            all.sort_unstable();
            all.dedup();
            let vectors: Vec<Operand> = all
                .iter()
                .map(|start| {
                    let lanes = LaneBytes::Same;
                    let from = Address { constant: span.start + start * bytes, lanes, ..address.clone() };
                    let place = self.pointer(&from);
                    self.set(format!("load {ty}, ptr {place}, align {bytes}"))
                })
                .collect();
            let picked = |lane: &u32, nth: usize| {
                let at = all.iter().position(|start| *start == starts[*lane as usize]).unwrap_or_default();
                (at == nth).then(|| span.cell(*lane) - all[nth])
            };
            let mut joined = vectors[0].clone();
            for (nth, next) in vectors.iter().enumerate().skip(usize::from(vectors.len() > 1)) {
                let pick = |(at, lane): (usize, &u32)| {
                    let in_front = match nth {
                        0 | 1 => picked(lane, 0),
                        _ => (0..nth).any(|before| picked(lane, before).is_some()).then_some(at as i64),
                    };
                    let own = if nth == 0 { None } else { picked(lane, nth).map(|at| at + i64::from(group)) };
                    match in_front.or(own) {
                        Some(at) => format!("i32 {at}"),
                        None => "i32 poison".to_owned(),
                    }
                };
                let picks = vector(own.iter().enumerate().map(pick));
                let other = if nth == 0 { "poison".into() } else { next.clone() };
                joined = self.set(format!("shufflevector {ty} {joined}, {ty} {other}, <{group} x i32> {picks}"));
            }
            groups.push(joined);
        }
        let value = self.side_by_side(groups, one, group);
        self.touch(address, step, bytes);
        Some(value)
    }

    /// The distance of lanes in cells, if there is one that vectors may be picked for.
    fn distance(&self, step: i64, bytes: i64) -> Option<i64> {
        let is_fit = self.mask == Mask::All && self.lanes >= 2 && self.target.register_bytes > 0 && step % bytes == 0;
        let apart = step / bytes;
        (is_fit && (apart == -1 || (2..=WIDEST).contains(&apart.abs()))).then_some(apart)
    }

    /// The lanes that a register holds of such cells.
    fn group(&self, bytes: i64) -> u32 {
        let in_register = u32::from(self.target.register_bytes) / bytes as u32;
        in_register.clamp(2, self.lanes)
    }

    /// The cells that may be read for a load: those between the first and the last one, and what is touched next to them.
    fn span(&self, address: &Address, apart: i64, bytes: i64) -> CellSpan {
        let step = apart * bytes;
        let last = address.constant + step * (i64::from(self.lanes) - 1);
        let (low, high) = (address.constant.min(last), address.constant.max(last) + bytes);
        let (mut start, mut end) = (low, high);
        let near = |touched: &&TouchedBytes| {
            let is_there = touched.base == address.base && touched.moved == address.moved;
            let front = low - touched.start;
            is_there && touched.end >= low && (0..step.abs()).contains(&front) && front % bytes == 0
        };
        if let Some(touched) = self.touched.iter().find(near) {
            (start, end) = (touched.start, high.max(touched.end));
        }
        CellSpan {
            start,
            first: (address.constant - start) / bytes,
            apart,
            len: (end - start) / bytes,
            group: self.group(bytes),
        }
    }

    /// Remembers that the program touches the cells of lanes.
    fn touch(&mut self, address: &Address, step: i64, bytes: i64) {
        let last = address.constant + step * (i64::from(self.lanes) - 1);
        let (start, end) = (address.constant.min(last), address.constant.max(last) + bytes);
        let is_there = |touched: &&mut TouchedBytes| touched.base == address.base && touched.moved == address.moved;
        let meets = |touched: &TouchedBytes| touched.start <= end && start <= touched.end;
        match self.touched.iter_mut().filter(is_there).find(|touched| meets(touched)) {
            Some(touched) => (touched.start, touched.end) = (touched.start.min(start), touched.end.max(end)),
            None => {
                let (base, moved) = (address.base.clone(), address.moved.clone());
                self.touched.push(TouchedBytes { base, moved, start, end });
            }
        }
    }

    /// Compares vectors and shuffles with a gather, by the costs of the target.
    fn is_cheaper(&self, span: &CellSpan, starts: &[i64], bytes: i64) -> bool {
        let (costs, lanes) = (&self.target.costs, i64::from(self.lanes));
        // RISC-V has loads and stores with a stride.
        if self.target.family == Family::RiscV {
            return false;
        }
        let mut cost = 0;
        for group in starts.chunks(span.group as usize) {
            let mut all = group.to_vec();
            all.sort_unstable();
            all.dedup();
            let n = all.len() as i64;
            // One shuffle joins two vectors, and each further one is put in order, and joined.
            cost += n * i64::from(costs.load) + (2 * n - 3).max(1) * i64::from(costs.shuffle);
        }
        let each = match self.target.gather.has(bytes as usize) {
            true => i64::from(costs.gather_lane),
            false => i64::from(costs.load + costs.shuffle),
        };
        cost < each * lanes
    }

    /// Vectors of as many numbers one behind the other as one of a number for each lane.
    fn side_by_side(&mut self, mut parts: Vec<Operand>, one: &str, mut n: u32) -> Operand {
        while let [_, _, ..] = parts[..] {
            let (ty, both) = (format!("<{n} x {one}>"), vector((0..2 * n).map(|at| format!("i32 {at}"))));
            let join = |pair: &[Operand]| {
                let (first, second) = (&pair[0], &pair[pair.len() - 1]);
                self.set(format!("shufflevector {ty} {first}, {ty} {second}, <{} x i32> {both}", 2 * n))
            };
            parts = parts.chunks(2).map(join).collect();
            n *= 2;
        }
        parts.swap_remove(0)
    }

    // Stores.

    /// Lets a store of lanes a fixed number of bytes apart wait for those of the other members; false if it is to be done now.
    pub(crate) fn store_strided(
        &mut self,
        address: &Address,
        number: NumberType,
        one: &'static str,
        value: &Operand,
        step: i64,
    ) -> bool {
        let bytes = number.bytes() as i64;
        let fits = |apart: &i64| (2..=i64::from(self.target.widest_stride)).contains(apart);
        let Some(apart) = self.distance(step, bytes).filter(fits).filter(|_| self.target.family != Family::RiscV)
        else {
            return false;
        };
        let joins = |waiting: &WaitingStores| {
            let is_there = waiting.base == address.base && waiting.moved == address.moved;
            let is_near = |(at, ..): &(i64, &str, Operand)| {
                let front = (address.constant - at).abs();
                front > 0 && front < step && front % bytes == 0
            };
            is_there && waiting.step == step && waiting.number_bytes == bytes && waiting.values.iter().all(is_near)
        };
        if !self.waiting.as_ref().is_some_and(joins) {
            self.store_waiting();
            let (base, moved) = (address.base.clone(), address.moved.clone());
            self.waiting = Some(WaitingStores { base, moved, step, number_bytes: bytes, values: Vec::new() });
        }
        let Some(waiting) = &mut self.waiting else { return false };
        waiting.values.push((address.constant, one, value.clone()));
        if waiting.values.len() as i64 == apart {
            self.store_whole();
        }
        true
    }

    /// Stores what waits before an op that may see it.
    pub(crate) fn store_before(&mut self, inst: &GangInst) {
        if self.waiting.is_none() {
            return;
        }
        let may_wait = match &inst.op {
            GangOp::Load(address) => self.uses.cell(*address).is_some() || self.is_beside_waiting(inst, *address),
            GangOp::Store { address, value } => {
                // A store of the same kind is looked at where it is written.
                let ty = self.type_of(*value);
                let is_like =
                    |waiting: &WaitingStores| ty.is_varying && ty.number.bytes() as i64 == waiting.number_bytes;
                self.uses.cell(*address).is_some()
                    || self.waiting.as_ref().is_some_and(is_like) && self.is_member(*address)
            }
            GangOp::Constant(_)
            | GangOp::Global(_)
            | GangOp::Slot(_)
            | GangOp::Function(_)
            | GangOp::LaneIndex
            | GangOp::Task(_)
            | GangOp::One(..)
            | GangOp::Two(..)
            | GangOp::Compare(..)
            | GangOp::Select(..)
            | GangOp::Fused(..)
            | GangOp::Convert(_)
            | GangOp::Reinterpret(_)
            | GangOp::Spread(_) => true,
            _ => false,
        };
        if !may_wait {
            self.store_waiting();
        }
    }

    fn is_member(&mut self, address: ispc_ir::module::GangReg) -> bool {
        let address = self.address(address);
        self.waiting.as_ref().is_some_and(|waiting| {
            waiting.base == address.base
                && waiting.moved == address.moved
                && matches!(address.lanes, LaneBytes::Row(step) if step == waiting.step)
        })
    }

    /// Returns true for a load of other members of the structures that stores wait for.
    fn is_beside_waiting(&mut self, inst: &GangInst, address: ispc_ir::module::GangReg) -> bool {
        if !self.is_member(address) {
            return false;
        }
        let (at, bytes) = (self.address(address).constant, self.type_of(inst.results[0]).number.bytes() as i64);
        self.waiting.as_ref().is_some_and(|waiting| {
            let is_apart = |(stored, ..): &(i64, &str, Operand)| {
                let front = (at - stored).rem_euclid(waiting.step);
                front >= waiting.number_bytes && front + bytes <= waiting.step
            };
            waiting.values.iter().all(is_apart)
        })
    }

    /// Stores what waits, member by member.
    pub(crate) fn store_waiting(&mut self) {
        let Some(WaitingStores { base, moved, step, number_bytes, values }) = self.waiting.take() else { return };
        for (constant, one, value) in values {
            let lanes = LaneBytes::Row(step);
            let address = Address { base: base.clone(), moved: moved.clone(), constant, lanes, is_local: false };
            self.scatter(&address, one, number_bytes, &value);
        }
    }

    /// Stores whole structures.
    fn store_whole(&mut self) {
        let Some(WaitingStores { base, moved, number_bytes, mut values, .. }) = self.waiting.take() else { return };
        values.sort_unstable_by_key(|(at, ..)| *at);
        let (start, n) = (values[0].0, values.len() as u32);
        let one = format!("i{}", number_bytes * 8);
        let (lanes, whole) = (self.lanes, self.shaped(&one, true));
        let members: Vec<Operand> = values
            .into_iter()
            .map(|(_, own, value)| {
                let ty = self.shaped(own, true);
                if own == one { value } else { self.set(format!("bitcast {ty} {value} to {whole}")) }
            })
            .collect();
        for nth in 0..n {
            // The cells of this vector: of each a member and a lane.
            let cells: Vec<(usize, u32)> =
                (0..lanes).map(|at| nth * lanes + at).map(|cell| ((cell % n) as usize, cell / n)).collect();
            let mut joined = members[0].clone();
            for (other, member) in members.iter().enumerate().skip(1) {
                let pick = |(at, (of, lane)): (usize, &(usize, u32))| match () {
                    _ if *of == other => format!("i32 {}", lane + lanes),
                    _ if *of > other => "i32 poison".to_owned(),
                    _ if other == 1 => format!("i32 {lane}"),
                    _ => format!("i32 {at}"),
                };
                let picks = vector(cells.iter().enumerate().map(pick));
                joined = self.set(format!("shufflevector {whole} {joined}, {whole} {member}, <{lanes} x i32> {picks}"));
            }
            let constant = start + i64::from(nth * lanes) * number_bytes;
            let lanes = LaneBytes::Same;
            let to = Address { base: base.clone(), moved: moved.clone(), constant, lanes, is_local: false };
            let place = self.pointer(&to);
            self.line(format!("store {whole} {joined}, ptr {place}, align {number_bytes}"));
        }
    }

    /// Stores the numbers of lanes to an address each.
    pub(crate) fn scatter(&mut self, address: &Address, one: &str, bytes: i64, value: &Operand) {
        let places = self.lane_pointers(address);
        let (ty, pointers, masks) = (self.shaped(one, true), self.shaped("ptr", true), self.mask_type());
        let mask = self.mask_vector();
        let name = format!("llvm.masked.scatter.{}.v{}p0", mangled(&ty), self.lanes);
        let align = bytes.to_string();
        self.call("void", &name, &[(&ty, value), (&pointers, &places), ("i32", &align), (&masks, &mask)]);
    }
}
