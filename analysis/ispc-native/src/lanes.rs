//! Ops of all lanes together: what one lane has of another, and what they have in common.

use ispc_ir::module::{GangInst, GangReg};
use ispc_ir::op::{GangComparison, GangOp, LaneJoin, TwoOperands};
use ispc_ir::types::{GangType, NumberType};

use crate::function::{Compiles, FunctionEmitter, Mask, constant_text, element, vector};
use crate::value::{Operand, literal};

impl FunctionEmitter<'_> {
    /// Writes an op of lanes together; false for any other.
    pub(crate) fn lanes_op(&mut self, inst: &GangInst) -> Compiles<bool> {
        let Some(to) = inst.results.first().copied() else { return Ok(false) };
        match &inst.op {
            GangOp::Extract(value, lane) => {
                let from = self.typed(*value);
                let at = self.typed(*lane);
                let found = self.set(format!("extractelement {from}, {at}"));
                let found = self.number_of_lane(&found, self.type_of(to).number);
                self.set_plain(to, found);
            }
            GangOp::Insert(value, lane, number) => {
                let into = self.typed(*value);
                let one = self.numbers_of(*number);
                let at = self.typed(*lane);
                let element = element(self.type_of(*number).number);
                let found = self.set(format!("insertelement {into}, {element} {one}, {at}"));
                self.set_plain(to, found);
            }
            GangOp::Shuffle(values, by) => {
                let found = self.shuffled(values, *by);
                self.set_plain(to, found);
            }
            GangOp::Reduce(join, value) => {
                let found = self.reduced(*join, *value)?;
                let found = self.number_of_lane(&found, self.type_of(to).number);
                self.set_plain(to, found);
            }
            GangOp::Scan(join, value) => {
                let found = self.scanned(*join, *value)?;
                self.set_plain(to, found);
            }
            GangOp::ReduceEqual(value) => self.reduce_equal(*value, &inst.results),
            GangOp::PackBits(value) => {
                let found = self.packed(*value);
                self.set_plain(to, found);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// A number that was taken out of a vector: an address is a pointer again.
    fn number_of_lane(&mut self, value: &str, number: NumberType) -> Operand {
        match number {
            NumberType::Pointer => self.set(format!("inttoptr i64 {value} to ptr")),
            _ => value.into(),
        }
    }

    /// The lanes that are on, as truth values if it is not all.
    fn truth_mask(&mut self) -> Mask {
        match self.mask.clone() {
            Mask::All => Mask::All,
            Mask::Some(mask) => Mask::Some(self.truths(&mask)),
        }
    }

    fn shuffled(&mut self, values: &[GangReg], by: GangReg) -> Operand {
        let number = self.type_of(values[0]).number;
        let ty = self.shaped(element(number), true);
        let all = self.lanes as usize * values.len();
        if let Some(row) = self.row(by)
            && let Some(start) = literal(&row.start)
            && values.len() <= 2
        {
            let at = |lane: u32| (start + row.step * i64::from(lane)).rem_euclid(all as i64);
            let lanes = vector((0..self.lanes).map(|lane| format!("i32 {}", at(lane))));
            let one = self.plain(values[0]);
            let other = values.get(1).map_or("poison".into(), |other| self.plain(*other));
            let count = self.lanes;
            return self.set(format!("shufflevector {ty} {one}, {ty} {other}, <{count} x i32> {lanes}"));
        }
        // Through memory; what lanes the numbers are may be seen to be constant there.
        let stored = if number == NumberType::Bool { "i8" } else { element(number) };
        let vectors = self.shaped(stored, true);
        let memory = self.allocate(&format!("[{} x {vectors}]", values.len()));
        for (nth, value) in values.iter().enumerate() {
            let mut plain = self.plain(*value);
            if number == NumberType::Bool {
                plain = self.set(format!("zext {ty} {plain} to {vectors}"));
            }
            let place = self.set(format!("getelementptr {vectors}, ptr {memory}, i64 {nth}"));
            self.line(format!("store {vectors} {plain}, ptr {place}"));
        }
        let index = element(self.type_of(by).number);
        let indices = self.shaped(index, true);
        let by = self.plain(by);
        let last = self.constant(index, all - 1, true);
        let by = self.operation("and", &indices, &by, &last);
        let mut found: Operand = "poison".into();
        for lane in 0..self.lanes {
            let at = self.set(format!("extractelement {indices} {by}, i64 {lane}"));
            let place = self.set(format!("getelementptr {stored}, ptr {memory}, {index} {at}"));
            let one = self.set(format!("load {stored}, ptr {place}"));
            found = self.set(format!("insertelement {vectors} {found}, {stored} {one}, i64 {lane}"));
        }
        match number {
            NumberType::Bool => self.set(format!("icmp ne {vectors} {found}, zeroinitializer")),
            _ => found,
        }
    }

    /// Joined in a tree, as a vector unit does: halves are joined with each other.
    fn reduced(&mut self, join: LaneJoin, value: GangReg) -> Compiles<Operand> {
        let number = self.type_of(value).number;
        let (ty, test) = (self.shaped(element(number), true), self.mask_type());
        let plain = self.plain(value);
        if number == NumberType::Bool && matches!(join, LaneJoin::And | LaneJoin::Or) {
            let is_or = join == LaneJoin::Or;
            let on = match (&self.truth_mask(), is_or) {
                (Mask::All, true) => plain,
                (Mask::Some(mask), true) => self.operation("and", &test, &plain, mask),
                (mask, false) => {
                    let all = self.constant("i1", "true", true);
                    let off = self.operation("xor", &test, &plain, &all);
                    match mask {
                        Mask::All => off,
                        Mask::Some(mask) => self.operation("and", &test, &off, mask),
                    }
                }
            };
            let any = self.any(&on);
            return Ok(if is_or { any } else { self.set(format!("xor i1 {any}, true")) });
        }
        let neutral = self.constant(element(number), constant_text(neutral(join, number), number), true);
        let mut now = match self.truth_mask() {
            Mask::All => plain,
            Mask::Some(mask) => self.set(format!("select {test} {mask}, {ty} {plain}, {ty} {neutral}")),
        };
        let mut half = self.lanes / 2;
        while half > 0 {
            let upper = vector((0..self.lanes).map(|lane| match lane < half {
                true => format!("i32 {}", lane + half),
                false => "i32 poison".to_owned(),
            }));
            let lanes = self.lanes;
            let upper = self.set(format!("shufflevector {ty} {now}, {ty} poison, <{lanes} x i32> {upper}"));
            now = self.two_numbers(joining(join), as_number(number), &now, &upper, true)?;
            half /= 2;
        }
        Ok(self.set(format!("extractelement {ty} {now}, i64 0")))
    }

    fn scanned(&mut self, join: LaneJoin, value: GangReg) -> Compiles<Operand> {
        let number = self.type_of(value).number;
        let (ty, one) = (self.shaped(element(number), true), element(number));
        let plain = self.plain(value);
        let mask = self.truth_mask();
        let mut sum: Operand = constant_text(neutral(join, number), number);
        let mut found: Operand = "poison".into();
        for lane in 0..self.lanes {
            found = self.set(format!("insertelement {ty} {found}, {one} {sum}, i64 {lane}"));
            let here = self.set(format!("extractelement {ty} {plain}, i64 {lane}"));
            let next = self.two_numbers(joining(join), as_number(number), &sum, &here, false)?;
            sum = match &mask {
                Mask::All => next,
                Mask::Some(mask) => {
                    let masks = self.mask_type();
                    let is_on = self.set(format!("extractelement {masks} {mask}, i64 {lane}"));
                    self.set(format!("select i1 {is_on}, {one} {next}, {one} {sum}"))
                }
            };
        }
        Ok(found)
    }

    fn reduce_equal(&mut self, value: GangReg, results: &[GangReg]) {
        let GangType { number, is_varying } = self.type_of(value);
        let mask = self.mask_vector();
        let (first, same) = match is_varying {
            false => (self.plain(value), "true".into()),
            true => {
                let (ty, test) = (self.shaped(element(number), true), self.mask_type());
                let plain = self.plain(value);
                let bits = self.wide_bits(&mask);
                let lane = self.call("i64", "llvm.cttz.i64", &[("i64", &bits), ("i1", "true")]);
                let first = self.set(format!("extractelement {ty} {plain}, i64 {lane}"));
                let all = self.splat(element(number), &first);
                let equal = self.compare(GangComparison::Equal, as_number(number), &plain, &all, true);
                let ones = self.constant("i1", "true", true);
                let differ = self.operation("xor", &test, &equal, &ones);
                let differ = self.operation("and", &test, &differ, &mask);
                let any = self.any(&differ);
                (self.number_of_lane(&first, number), self.set(format!("xor i1 {any}, true")))
            }
        };
        self.set_plain(results[0], same);
        if let Some(second) = results.get(1) {
            self.set_plain(*second, first);
        }
    }

    fn packed(&mut self, value: GangReg) -> Operand {
        let ty = self.mask_type();
        let mask = self.mask_vector();
        let plain = self.plain(value);
        let plain = if self.type_of(value).is_varying { plain } else { self.splat("i1", &plain) };
        let on = self.operation("and", &ty, &plain, &mask);
        self.wide_bits(&on)
    }
}

/// Addresses of lanes are joined as numbers.
fn as_number(number: NumberType) -> NumberType {
    if number == NumberType::Pointer { NumberType::U64 } else { number }
}

/// The operator that joins lanes.
fn joining(join: LaneJoin) -> TwoOperands {
    match join {
        LaneJoin::Add => TwoOperands::Add,
        LaneJoin::Min => TwoOperands::Min,
        LaneJoin::Max => TwoOperands::Max,
        LaneJoin::And => TwoOperands::And,
        LaneJoin::Or => TwoOperands::Or,
        LaneJoin::Xor => TwoOperands::Xor,
    }
}

/// The number that changes no other that it is joined to.
fn neutral(join: LaneJoin, number: NumberType) -> u64 {
    let all = u64::MAX >> (64 - number.bits());
    let sign = 1u64 << (number.bits() - 1);
    let float = |value: f64| ispc_ir::machine::narrowed(value, number);
    match join {
        LaneJoin::Add | LaneJoin::Or | LaneJoin::Xor => 0,
        LaneJoin::And => all,
        LaneJoin::Min if number.is_float() => float(f64::INFINITY),
        LaneJoin::Max if number.is_float() => float(f64::NEG_INFINITY),
        LaneJoin::Min if number.is_signed() => all >> 1,
        LaneJoin::Max if number.is_signed() => sign,
        LaneJoin::Min => all,
        LaneJoin::Max => 0,
    }
}
