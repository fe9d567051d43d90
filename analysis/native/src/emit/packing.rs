//! Active lanes stored side by side, where no instruction does that: a table says for each mask which lanes are to come first, and the
//! instruction that picks lanes by number brings them there. As many as are active are then stored, in pieces of 2ⁿ lanes.
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

impl Function<'_> {
    /// Stores the active lanes from an address on, if that is to be done here; says whether it was.
    pub(super) fn store_packed(&mut self, elem: Elem, stored: &Val, at: &Val, mask: &Val) -> bool {
        let bytes = elem.bytes() as u16;
        let lanes = stored.ty.lanes.unwrap_or(1);
        let most = REGISTER / bytes;
        let picks_all = self.target.family == Family::X86 && self.target.register_bytes >= REGISTER;
        let is_even = lanes.is_power_of_two() && (4..=64).contains(&lanes);
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
