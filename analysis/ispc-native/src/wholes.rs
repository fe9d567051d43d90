//! Operations on two whole numbers.

use ispc_ir::op::{GangComparison, TwoOperands};
use ispc_ir::types::{GangType, NumberType};

use crate::arithmetic::mangled;
use crate::function::{FunctionEmitter, element};
use crate::value::{Operand, literal};

impl FunctionEmitter<'_> {
    pub(crate) fn two_wholes(
        &mut self,
        op: TwoOperands,
        number: NumberType,
        left: &str,
        right: &str,
        varies: bool,
    ) -> Operand {
        use TwoOperands::*;
        let ty = self.shaped(element(number), varies);
        let sign = if number.is_signed() { "s" } else { "u" };
        let word = match op {
            Add => "add",
            Sub => "sub",
            Mul => "mul",
            And => "and",
            Or => "or",
            Xor => "xor",
            Shl | Shr => return self.moved_bits(op, number, left, right, varies),
            Min | Max => {
                let relation = if op == Min { GangComparison::Less } else { GangComparison::Greater };
                let test = self.compare(relation, number, left, right, varies);
                let tests = self.shaped("i1", varies);
                return self.set(format!("select {tests} {test}, {ty} {left}, {ty} {right}"));
            }
            SaturatingAdd => return self.intrinsic(&format!("{sign}add.sat"), &ty, &[left, right]),
            SaturatingSub => return self.intrinsic(&format!("{sign}sub.sat"), &ty, &[left, right]),
            SaturatingMul => return self.saturating_product(number, left, right, varies),
            AverageUp | AverageDown => return self.average(op, number, left, right, varies),
            Div | Rem | SaturatingDiv => {
                let of = GangType { number, is_varying: varies };
                if op == SaturatingDiv && number.is_signed() {
                    return self.saturating_quotient(of, left, right);
                }
                return self.divided(if op == Rem { Rem } else { Div }, of, left, right, None);
            }
            Pow | Atan2 | TimesPowerOfTwo => return self.constant(element(number), "0", varies).into(),
        };
        self.operation(word, &ty, left, right)
    }

    /// Bits moved; by the width or more all of them are gone, or those of the sign stay.
    fn moved_bits(&mut self, op: TwoOperands, number: NumberType, left: &str, right: &str, varies: bool) -> Operand {
        let (ty, test) = (self.shaped(element(number), varies), self.shaped("i1", varies));
        let width = number.bits();
        if width == 1 {
            // Moved by one, a truth value has nothing left.
            let ones = self.constant("i1", "true", varies);
            let stays = self.operation("xor", &ty, right, &ones);
            return self.operation("and", &ty, left, &stays);
        }
        let (zero, last) =
            (self.constant(element(number), "0", varies), self.constant(element(number), width - 1, varies));
        if op == TwoOperands::Shr && number.is_signed() {
            let by = self.intrinsic("smin", &ty, &[right, &last]);
            let by = self.intrinsic("smax", &ty, &[&by, &zero]);
            return self.operation("ashr", &ty, left, &by);
        }
        let by = self.operation("and", &ty, right, &last);
        let word = if op == TwoOperands::Shl { "shl" } else { "lshr" };
        let moved = self.operation(word, &ty, left, &by);
        let is_inside = self.set(format!("icmp ule {ty} {right}, {last}"));
        self.set(format!("select {test} {is_inside}, {ty} {moved}, {ty} {zero}"))
    }

    fn average(&mut self, op: TwoOperands, number: NumberType, left: &str, right: &str, varies: bool) -> Operand {
        let ty = self.shaped(element(number), varies);
        let wide = self.shaped(&format!("i{}", number.bits() * 2), varies);
        let word = if number.is_signed() { "sext" } else { "zext" };
        let [left, right] = [left, right].map(|value| self.set(format!("{word} {ty} {value} to {wide}")));
        let mut sum = self.operation("add", &wide, &left, &right);
        let element = format!("i{}", number.bits() * 2);
        let one = self.constant(&element, "1", varies);
        if op == TwoOperands::AverageUp {
            sum = self.operation("add", &wide, &sum, &one);
        }
        let half = self.operation(if number.is_signed() { "ashr" } else { "lshr" }, &wide, &sum, &one);
        self.set(format!("trunc {wide} {half} to {ty}"))
    }

    fn saturating_product(&mut self, number: NumberType, left: &str, right: &str, varies: bool) -> Operand {
        let ty = self.shaped(element(number), varies);
        let sign = if number.is_signed() { "s" } else { "u" };
        let test = self.shaped("i1", varies);
        let pair = format!("{{ {ty}, {test} }}");
        let name = format!("llvm.{sign}mul.with.overflow.{}", mangled(&ty));
        let both = self.call(&pair, &name, &[(&ty, left), (&ty, right)]);
        let product = self.set(format!("extractvalue {pair} {both}, 0"));
        let passes = self.set(format!("extractvalue {pair} {both}, 1"));
        let most = if number.is_signed() { i64::MAX >> (64 - number.bits()) } else { -1 };
        let most: Operand = self.constant(element(number), most, varies).into();
        let end = match number.is_signed() {
            false => most,
            true => {
                let least = self.constant(element(number), i64::MIN >> (64 - number.bits()), varies);
                let zero = self.constant(element(number), "0", varies);
                let signs = self.operation("xor", &ty, left, right);
                let is_below = self.set(format!("icmp slt {ty} {signs}, {zero}"));
                self.set(format!("select {test} {is_below}, {ty} {least}, {ty} {most}"))
            }
        };
        self.set(format!("select {test} {passes}, {ty} {end}, {ty} {product}"))
    }

    fn saturating_quotient(&mut self, of: GangType, left: &str, right: &str) -> Operand {
        let number = of.number;
        let (ty, test) = (self.ty(of), self.shaped("i1", of.is_varying));
        let quotient = self.divided(TwoOperands::Div, of, left, right, None);
        // The least number by -1 is the one quotient that is too great.
        let (least, most) = (i64::MIN >> (64 - number.bits()), i64::MAX >> (64 - number.bits()));
        let [least, most, minus] =
            [least, most, -1].map(|number_| self.constant(element(number), number_, of.is_varying));
        let is_least = self.set(format!("icmp eq {ty} {left}, {least}"));
        let is_minus = self.set(format!("icmp eq {ty} {right}, {minus}"));
        let passes = self.operation("and", &test, &is_least, &is_minus);
        self.set(format!("select {test} {passes}, {ty} {most}, {ty} {quotient}"))
    }

    /// A quotient or remainder of whole numbers. Lanes that are off divide by one, and a division by -1 is a change of sign, so that
    /// the least number has one, too.
    pub(crate) fn divided(
        &mut self,
        op: TwoOperands,
        of: GangType,
        left: &str,
        right: &str,
        by: Option<i64>,
    ) -> Operand {
        let GangType { number, is_varying } = of;
        let ty = self.ty(of);
        let is_signed = number.is_signed();
        let word = match (op, is_signed) {
            (TwoOperands::Rem, true) => "srem",
            (TwoOperands::Rem, false) => "urem",
            (_, true) => "sdiv",
            (_, false) => "udiv",
        };
        let by = by.or_else(|| if is_varying { None } else { literal(right) });
        if by.is_some_and(|by| by != 0 && (by != -1 || !is_signed)) {
            return self.operation(word, &ty, left, right);
        }
        let (one, minus) =
            (self.constant(element(number), "1", is_varying), self.constant(element(number), "-1", is_varying));
        let zero = self.constant(element(number), "0", is_varying);
        let test = self.shaped("i1", is_varying);
        let mut divisor: Operand = right.into();
        if is_varying {
            let mask = self.mask_vector();
            divisor = self.set(format!("select {test} {mask}, {ty} {right}, {ty} {one}"));
        }
        if !is_signed {
            return self.quotient(word, of, left, &divisor);
        }
        let is_minus = self.set(format!("icmp eq {ty} {divisor}, {minus}"));
        let divisor = self.set(format!("select {test} {is_minus}, {ty} {one}, {ty} {divisor}"));
        let found = self.quotient(word, of, left, &divisor);
        let other: Operand = match op {
            TwoOperands::Rem => zero.into(),
            _ => self.operation("sub", &ty, &zero, left),
        };
        self.set(format!("select {test} {is_minus}, {ty} {other}, {ty} {found}"))
    }

    /// A quotient or remainder of each lane. No processor divides vectors of whole numbers: those of up to 32 bits are divided as floats
    /// of twice the bits, whose quotient has the whole part of theirs.
    fn quotient(&mut self, word: &str, of: GangType, left: &str, right: &str) -> Operand {
        let ty = self.ty(of);
        let bits = of.number.bits();
        if !of.is_varying || bits > 32 || bits == 1 {
            return self.operation(word, &ty, left, right);
        }
        let is_signed = of.number.is_signed();
        let through = if bits == 32 { NumberType::F64 } else { NumberType::F32 };
        let floats = self.shaped(element(through), true);
        let [a, b] = [left, right].map(|value| self.convert(value, of.number, through, true));
        let quotient = self.operation("fdiv", &floats, &a, &b);
        let back = if is_signed { "fptosi" } else { "fptoui" };
        let whole = self.set(format!("{back} {floats} {quotient} to {ty}"));
        if word.ends_with("div") {
            return whole;
        }
        let product = self.operation("mul", &ty, &whole, right);
        self.operation("sub", &ty, left, &product)
    }
}
