//! Active lanes stored side by side, and small cells that lie side by side loaded to active lanes.
//!
//! AVX-512 has an instruction that brings active lanes to the front of a register, and one that also stores them. The latter takes a hundred
//! cycles and more on Zen 4, so the front of the register is stored under a mask of as many lanes as are active. Where the instruction is for
//! cells of 4 and 8 bytes alone, smaller ones are widened for it.
//!
//! With AVX2 a table says for each mask which lanes are to come first, and the instruction that picks lanes by number brings them there. As many as are active are then stored, in pieces of 2ⁿ lanes.
//!
//! LLVM would make a branch of each lane, which are foreseen only as far as the mask is. Here nothing depends on the mask but data: each
//! piece is stored, to its place if the number of active lanes has such a part, else *aside*, to the stack where nobody reads it. The
//! lanes of a piece lie behind those of the larger pieces: the table is read from there on for it. (A store under a mask would do as
//! well, but takes a dozen cycles on processors of AMD.)

use std::sync::Arc;

use ir::{Elem, Family, Scalar};

use super::function::Function;
use super::values::{Ty, Unit, Val};

/// The units of 4 bytes that the instruction picks from, and gives.
const UNITS: u16 = 8;

/// The bytes of a register.
const REGISTER: u16 = 4 * UNITS;

/// The bytes of the least vector of which an instruction brings the active lanes to the front.
const LEAST_COMPRESSED: u16 = 16;

impl Function<'_> {
    /// Stores the active lanes from an address on, if that is to be done here; says whether it was.
    pub(super) fn store_packed(&mut self, elem: Elem, stored: &Val, at: &Val, mask: &Val) -> bool {
        let bytes = elem.bytes() as u16;
        let lanes = stored.ty.lanes.unwrap_or(1);
        let most = REGISTER / bytes;
        let picks_all = self.target.family == Family::X86 && self.target.register_bytes >= REGISTER;
        let is_even = lanes.is_power_of_two() && (4..=64).contains(&lanes);
        if self.target.family == Family::X86 && self.target.compress.has(4) {
            return self.store_compressed(bytes, stored, at, mask);
        }
        if self.target.compress.has(elem.bytes()) || !picks_all || !matches!(bytes, 4 | 8) || !is_even {
            return false;
        }
        let group = lanes.min(most);
        let stack = self.at_entry("stack", Ty::PTR, format!("alloca [{} x i8], align {REGISTER}", 2 * REGISTER));
        let mut at = at.clone();
        for first in (0..lanes).step_by(group.into()) {
            let [stored, mask] = [stored, mask].map(|all| self.cut(all, first, group));
            at = self.store_group(bytes, &stored, &at, &mask, &stack);
        }
        true
    }

    /// Stores the active lanes as the front of a register, or of several, one behind the other; says whether they fill one. Cells that are
    /// too small for the instruction are widened for it.
    fn store_compressed(&mut self, bytes: u16, stored: &Val, at: &Val, mask: &Val) -> bool {
        let lanes = stored.ty.lanes.unwrap_or(1);
        let wide = if self.target.compress.has(bytes.into()) { bytes } else { 4 };
        if !lanes.is_power_of_two() || lanes * wide < LEAST_COMPRESSED {
            return false;
        }
        let group = lanes.min(self.target.register_bytes / wide);
        let [own, all] = [bytes, wide].map(|bytes| Ty::lanes(Unit::Int(8 * bytes), group));
        let mut at = at.clone();
        for first in (0..lanes).step_by(group.into()) {
            let [stored, mask] = [stored, mask].map(|it| self.cut(it, first, group));
            let cells = self.make("cells", own, format!("bitcast {stored} to {own}"));
            let cells = if wide == bytes { cells } else { self.make("wide", all, format!("zext {cells} to {all}")) };
            let name = format!("llvm.x86.avx512.mask.compress.{}", all.suffix());
            let front = self.make("front", all, format!("call {all} @{name}({cells}, {all} zeroinitializer, {mask})"));
            let front = if wide == bytes { front } else { self.make("front", own, format!("trunc {front} to {own}")) };
            let (count, filled) = self.filled(&mask);
            self.line(format!(
                "call void @llvm.masked.store.{}.p0({front}, {at}, i32 {bytes}, {filled})",
                own.suffix()
            ));
            let far = self.mul(&count, &Val::i64(bytes.into()));
            at = self.step(&at, 1, &far);
        }
        true
    }

    /// The number of active lanes, and a mask of as many at the front.
    fn filled(&mut self, mask: &Val) -> (Val, Val) {
        let lanes = mask.ty.lanes.unwrap_or(1);
        let bits = Ty::one(Unit::Int(lanes));
        let number = self.make("number", bits, format!("bitcast {mask} to {bits}"));
        let count = self.make("active", bits, format!("call {bits} @llvm.ctpop.{}({number})", bits.suffix()));
        let count = if lanes == 64 { count } else { self.make("count", Ty::I64, format!("zext {count} to i64")) };
        let ones = Val::i64(-1);
        let filled = self.make("filled", Ty::I64, format!("call i64 @llvm.x86.bmi.bzhi.64({ones}, {count})"));
        let filled = if lanes == 64 { filled } else { self.make("filled", bits, format!("trunc {filled} to {bits}")) };
        let filled = self.make("filled", mask.ty, format!("bitcast {filled} to {}", mask.ty));
        (count, filled)
    }

    /// Loads cells that are too small for the instruction that brings the front of a register to active lanes, if that is to be done here;
    /// inactive lanes are 0.
    pub(super) fn load_expanded(&mut self, elem: Elem, lanes: u16, at: &Val, mask: &Val) -> Option<Val> {
        let (bytes, wide) = (elem.bytes() as u16, 4);
        let has_words = self.target.family == Family::X86 && self.target.compress.has(wide.into());
        let is_small = bytes < wide && !self.target.compress.has(elem.bytes());
        if !has_words || !is_small || !lanes.is_power_of_two() || lanes * wide < LEAST_COMPRESSED {
            return None;
        }
        let group = lanes.min(self.target.register_bytes / wide);
        let [own, all] = [bytes, wide].map(|bytes| Ty::lanes(Unit::Int(8 * bytes), group));
        let (mut at, mut parts) = (at.clone(), Vec::new());
        for first in (0..lanes).step_by(group.into()) {
            let mask = self.cut(mask, first, group);
            let (count, filled) = self.filled(&mask);
            let load =
                format!("@llvm.masked.load.{}.p0({at}, i32 {bytes}, {filled}, {own} zeroinitializer)", own.suffix());
            let loaded = self.make("loaded", own, format!("call {own} {load}"));
            let cells = self.make("cells", own, format!("freeze {loaded}"));
            let cells = self.make("wide", all, format!("zext {cells} to {all}"));
            let name = format!("llvm.x86.avx512.mask.expand.{}", all.suffix());
            let apart = self.make("apart", all, format!("call {all} @{name}({cells}, {all} zeroinitializer, {mask})"));
            parts.push(self.make("part", own, format!("trunc {apart} to {own}")));
            let far = self.mul(&count, &Val::i64(bytes.into()));
            at = self.step(&at, 1, &far);
        }
        Some(self.side_by_side(&parts))
    }

    /// Stores the active lanes of a group that one register holds; gives the address behind them.
    fn store_group(&mut self, bytes: u16, stored: &Val, at: &Val, mask: &Val, stack: &Val) -> Val {
        let group = stored.ty.lanes.unwrap_or(1);
        let per_lane = bytes / 4;
        let all = Ty::lanes(Unit::Int(32), group * per_lane);
        let units = self.named(all, format!("bitcast {stored} to {all}"));
        let units = self.cut(&units, 0, UNITS);
        let bits = Ty::one(Unit::Int(group));
        let number = self.make("number", bits, format!("bitcast {mask} to {bits}"));
        let number = self.make("wide", Ty::I64, format!("zext {number} to i64"));
        let count = self.make("count", Ty::I64, format!("call i64 @llvm.ctpop.i64({number})"));
        let table = Val::new(self.tables.name(Elem::U8, &orders(group, per_lane)), Ty::PTR);
        let order = self.step(&table, UNITS.into(), &number);

        // LLVM would make branches again of stores to an address of the stack that it knows.
        let all = self.mul(&count, &Val::i64(bytes.into()));
        let aside = self.step(stack, 1, &all);
        let packed = self.in_order(&units, &order);
        self.store_piece(group, per_lane, (&packed, at), &count, &aside);
        // Where all lanes are active, none of the smaller pieces is part of their number.
        let mut larger = 0;
        let mut piece = group / 2;
        while piece > 0 {
            let before = self.make("before", Ty::I64, format!("and {count}, {larger}"));
            let [far, units_before] = [bytes, per_lane].map(|each| self.mul(&before, &Val::i64(each.into())));
            let to = self.step(at, 1, &far);
            let part = match larger {
                0 => packed.clone(),
                _ => {
                    let order = self.step(&order, 1, &units_before);
                    self.in_order(&units, &order)
                }
            };
            self.store_piece(piece, per_lane, (&part, &to), &count, &aside);
            larger += piece;
            piece /= 2;
        }
        self.step(at, 1, &all)
    }

    /// Units in the order that an address tells.
    fn in_order(&mut self, units: &Val, order: &Val) -> Val {
        let narrow = Ty::lanes(Unit::Int(8), UNITS);
        let order = self.make("order", narrow, format!("load {narrow}, {order}, align 1"));
        let wide = Ty::lanes(Unit::Int(32), UNITS);
        let order = self.make("order", wide, format!("zext {order} to {wide}"));
        self.make("packed", wide, format!("call {wide} @llvm.x86.avx2.permd({units}, {order})"))
    }

    /// Stores the first lanes of a vector to an address if their number is part of the count, else aside.
    fn store_piece(&mut self, piece: u16, per_lane: u16, (from, to): (&Val, &Val), count: &Val, aside: &Val) {
        let part = self.cut(from, 0, piece * per_lane);
        let bit = self.make("bit", Ty::I64, format!("and {count}, {piece}"));
        let none = self.make("none", Ty::I1, format!("icmp eq {bit}, 0"));
        let to = self.make("to", Ty::PTR, format!("select {none}, {aside}, {to}"));
        self.line(format!("store {part}, {to}, align {}", 4 * per_lane));
    }
}

/// For each mask of a group the units of its active lanes, in order, in as many bytes as there are units.
fn orders(group: u16, per_lane: u16) -> Arc<[Scalar]> {
    let of_mask = |mask: u32| {
        let active = (0..group).filter(move |lane| mask >> lane & 1 == 1);
        let units = active.flat_map(move |lane| (0..per_lane).map(move |unit| (lane * per_lane + unit) as u8));
        units.chain(std::iter::repeat(0)).take(UNITS.into())
    };
    (0..1 << group).flat_map(of_mask).map(Scalar::U8).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn active_lanes_come_first() {
        let bytes = |scalars: &[Scalar]| -> Vec<i128> { scalars.iter().filter_map(|it| it.wide()).collect() };
        let words = orders(8, 1);
        assert_eq!(bytes(&words[8 * 0b1010_0100..][..8]), [2, 5, 7, 0, 0, 0, 0, 0]);
        assert_eq!(bytes(&words[8 * 255..]), [0, 1, 2, 3, 4, 5, 6, 7]);
        let doubles = orders(4, 2);
        assert_eq!(bytes(&doubles[8 * 0b1010..][..8]), [2, 3, 6, 7, 0, 0, 0, 0]);
        assert_eq!(doubles.len(), 8 * 16);
    }
}
