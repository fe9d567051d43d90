//! Floats of 16 bits: whole numbers of 16 bits in registers, whose arithmetic is that of wider floats.
//!
//! LLVM would call a library for the conversions that a target has no instruction for, and for those of 64 bits on all of them.

use crate::function::FunctionEmitter;
use crate::value::Operand;

impl FunctionEmitter<'_> {
    /// The float of the same value.
    pub(crate) fn half_to_float(&mut self, value: &str, varies: bool) -> Operand {
        let [bits, halves, floats, words, test] =
            ["i16", "half", "float", "i32", "i1"].map(|element| self.shaped(element, varies));
        if self.target.halves {
            let half = self.set(format!("bitcast {bits} {value} to {halves}"));
            return self.set(format!("fpext {halves} {half} to {floats}"));
        }
        let number = |emitter: &Self, number: i64| emitter.constant("i32", number, varies);
        let wide = self.set(format!("zext {bits} {value} to {words}"));
        let (low, by) = (number(self, 0x7fff), number(self, 13));
        let size = self.operation("and", &words, &wide, &low);
        let moved = self.operation("shl", &words, &size, &by);
        // The exponent's zero is 112 further up; infinity's exponent is twice as far, and small numbers are those of a fixed point.
        let (normal, special) = (number(self, 112 << 23), number(self, 224 << 23));
        let normal = self.operation("add", &words, &moved, &normal);
        let special = self.operation("add", &words, &moved, &special);
        let small = self.set(format!("uitofp {words} {size} to {floats}"));
        let unit = self.constant("float", "0x3E70000000000000", varies);
        let small = self.operation("fmul", &floats, &small, &unit);
        let small = self.set(format!("bitcast {floats} {small} to {words}"));
        let (least, most) = (number(self, 0x400), number(self, 0x7c00));
        let is_small = self.set(format!("icmp ult {words} {size}, {least}"));
        let is_special = self.set(format!("icmp uge {words} {size}, {most}"));
        let found = self.set(format!("select {test} {is_special}, {words} {special}, {words} {normal}"));
        let found = self.set(format!("select {test} {is_small}, {words} {small}, {words} {found}"));
        let (sign, up) = (number(self, 0x8000), number(self, 16));
        let sign = self.operation("and", &words, &wide, &sign);
        let sign = self.operation("shl", &words, &sign, &up);
        let found = self.operation("or", &words, &found, &sign);
        self.set(format!("bitcast {words} {found} to {floats}"))
    }

    /// The nearest number of 16 bits, the even of two equally near.
    pub(crate) fn float_to_half(&mut self, value: &str, varies: bool) -> Operand {
        let [bits, halves, floats, words, test] =
            ["i16", "half", "float", "i32", "i1"].map(|element| self.shaped(element, varies));
        if self.target.halves {
            let half = self.set(format!("fptrunc {floats} {value} to {halves}"));
            return self.set(format!("bitcast {halves} {half} to {bits}"));
        }
        let number = |emitter: &Self, number: i64| emitter.constant("i32", number, varies);
        let raw = self.set(format!("bitcast {floats} {value} to {words}"));
        let low = number(self, 0x7fff_ffff);
        let size = self.operation("and", &words, &raw, &low);
        // Normal ones: half of the last place is added, one less if that is even, and the exponent moves down.
        let (by, one, rest) = (number(self, 13), number(self, 1), number(self, 0xfff));
        let place = self.operation("lshr", &words, &size, &by);
        let odd = self.operation("and", &words, &place, &one);
        let round = self.operation("add", &words, &odd, &rest);
        let sum = self.operation("add", &words, &size, &round);
        let down = number(self, -(112 << 23));
        let sum = self.operation("add", &words, &sum, &down);
        let normal = self.operation("lshr", &words, &sum, &by);
        // Small ones: an addition that leaves no room for the bits that are rounded away.
        let magic = self.constant("float", "0x3FE0000000000000", varies);
        let float = self.set(format!("bitcast {words} {size} to {floats}"));
        let small = self.operation("fadd", &floats, &float, &magic);
        let small = self.set(format!("bitcast {floats} {small} to {words}"));
        let base = number(self, 126 << 23);
        let small = self.operation("sub", &words, &small, &base);
        let (tiny, large, infinity) = (number(self, 113 << 23), number(self, 143 << 23), number(self, 255 << 23));
        let is_small = self.set(format!("icmp ult {words} {size}, {tiny}"));
        let is_large = self.set(format!("icmp uge {words} {size}, {large}"));
        let is_nan = self.set(format!("icmp ugt {words} {size}, {infinity}"));
        let (endless, quiet) = (number(self, 0x7c00), number(self, 0x7e00));
        let payload = number(self, 0x3ff);
        let kept = self.operation("and", &words, &place, &payload);
        let nan = self.operation("or", &words, &kept, &quiet);
        let found = self.set(format!("select {test} {is_small}, {words} {small}, {words} {normal}"));
        let found = self.set(format!("select {test} {is_large}, {words} {endless}, {words} {found}"));
        let found = self.set(format!("select {test} {is_nan}, {words} {nan}, {words} {found}"));
        let (up, sign) = (number(self, 16), number(self, 0x8000));
        let top = self.operation("lshr", &words, &raw, &up);
        let top = self.operation("and", &words, &top, &sign);
        let found = self.operation("or", &words, &found, &top);
        self.set(format!("trunc {words} {found} to {bits}"))
    }

    /// The nearest number of 16 bits to one of 64. On the way a float of 32 bits is made odd where bits are lost, so that it is on the
    /// same side of all that 16 bits could be rounded at.
    pub(crate) fn double_to_half(&mut self, value: &str, varies: bool) -> Operand {
        let [doubles, floats, words, test] =
            ["double", "float", "i64", "i1"].map(|element| self.shaped(element, varies));
        let number = |emitter: &Self, number: i64| emitter.constant("i64", number, varies);
        let raw = self.set(format!("bitcast {doubles} {value} to {words}"));
        let (lost, last, zero) = (number(self, (1 << 29) - 1), number(self, 1 << 29), number(self, 0));
        let keeps = number(self, !((1 << 29) - 1));
        let under = self.operation("and", &words, &raw, &lost);
        let kept = self.operation("and", &words, &raw, &keeps);
        let odd = self.operation("or", &words, &kept, &last);
        let is_exact = self.set(format!("icmp eq {words} {under}, {zero}"));
        let made = self.set(format!("select {test} {is_exact}, {words} {raw}, {words} {odd}"));
        let made = self.set(format!("bitcast {words} {made} to {doubles}"));
        let float = self.set(format!("fptrunc {doubles} {made} to {floats}"));
        self.float_to_half(&float, varies)
    }
}
