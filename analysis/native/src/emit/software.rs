//! Arithmetic that some targets have no instruction for, written out: `a * b + c` rounded once, the remainder of floats, and the upper
//! half of a product of 64-bit integers. All are exact, and make an object whole: it needs no library.
//!
//! `a * b + c` of 8-byte floats is computed twice over: in lanes, by ordinary arithmetic that costs some ten cycles, and for
//! the few operands that those steps are not exact for, lane by lane with whole numbers, which costs some hundred.

use std::fmt::Write;

use ir::Elem;

use super::function::Function;
use super::values::{Ty, Unit, Val};

/// A function that a module holds if one of its kernels needs it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Helper {
    /// `a * b + c` of 8-byte floats, with whole numbers.
    Fma,
    /// `a * b + c` of vectors of so many 8-byte floats, by ordinary arithmetic.
    FmaInLanes(u16),
    /// The remainder of 8-byte floats.
    Remainder,
    /// Integers of 128 bits, which the first one computes with.
    Wide,
}

impl Helper {
    pub(super) fn text(self) -> String {
        match self {
            Helper::Fma => include_str!("software/fma.ll").to_owned(),
            Helper::FmaInLanes(lanes) => fma_in_lanes(lanes),
            Helper::Remainder => include_str!("software/remainder.ll").to_owned(),
            Helper::Wide => include_str!("software/wide.ll").to_owned(),
        }
    }
}

/// The function for vectors of so many lanes, which is made part of its callers, and the one for where it is in doubt.
fn fma_in_lanes(lanes: u16) -> String {
    let ty = Ty::lanes(Unit::Double, lanes);
    let by_parts = include_str!("software/fma_by_parts.ll");
    let mut text = by_parts.replace("<N x ", &format!("<{lanes} x ")).replace(".vN", &format!(".v{lanes}"));
    let name = format!("lanescope.fma.{}.rare", ty.suffix());
    let _ = writeln!(text, "\ndefine internal {ty} @{name}({ty} %a, {ty} %b, {ty} %c) noinline cold #0 {{");
    for lane in 0..lanes {
        for operand in ["a", "b", "c"] {
            let _ = writeln!(text, "  %{operand}.{lane} = extractelement {ty} %{operand}, i64 {lane}");
        }
        let operands = format!("double %a.{lane}, double %b.{lane}, double %c.{lane}");
        let before = if lane == 0 { "poison".to_owned() } else { format!("%all.{}", lane - 1) };
        let _ = writeln!(text, "  %result.{lane} = call double @lanescope.fma({operands})");
        let _ = writeln!(text, "  %all.{lane} = insertelement {ty} {before}, double %result.{lane}, i64 {lane}");
    }
    let _ = writeln!(text, "  ret {ty} %all.{}\n}}", lanes - 1);
    text
}

impl Function<'_> {
    /// `a * b + c` rounded to odd, of operands whose product is exact in 8 bytes: narrower types round it as they round the exact value.
    pub(super) fn odd_sum(&mut self, product: &Val, c: &Val) -> Val {
        let wide = product.ty;
        let (bits, bool) = (wide.with(Unit::Int(64)), wide.with(Unit::Int(1)));
        let sum = self.make("sum", wide, format!("fadd {product}, {}", c.text));
        // The error of the sum, which is computed exactly.
        let part = self.make("part", wide, format!("fsub {sum}, {}", product.text));
        let rest = self.make("rest", wide, format!("fsub {sum}, {}", part.text));
        let low = self.make("low", wide, format!("fsub {product}, {}", rest.text));
        let high = self.make("high", wide, format!("fsub {c}, {}", part.text));
        let lost = self.make("lost", wide, format!("fadd {low}, {}", high.text));
        let none = self.in_lanes(Val::new("0x0000000000000000", Ty::one(Unit::Double)), wide.lanes);
        let [zero, one, minus] = [0, 1, -1].map(|number| self.in_lanes(Val::i64(number), wide.lanes));
        let inexact = self.make("inexact", bool, format!("fcmp one {lost}, {}", none.text));
        let as_bits = self.make("bits", bits, format!("bitcast {sum} to {bits}"));
        let odd = self.make("odd", bits, format!("and {as_bits}, {}", one.text));
        let even = self.make("even", bool, format!("icmp eq {odd}, {}", zero.text));
        let adjusts = self.make("adjusts", bool, format!("and {inexact}, {}", even.text));
        let [grows, positive] =
            [&lost, &sum].map(|val| self.make("above", bool, format!("fcmp ogt {val}, {}", none.text)));
        let apart = self.make("apart", bool, format!("xor {grows}, {}", positive.text));
        let by = self.make("by", bits, format!("select {apart}, {minus}, {one}"));
        let by = self.make("by", bits, format!("select {adjusts}, {by}, {zero}"));
        let to_odd = self.make("to_odd", bits, format!("add {as_bits}, {}", by.text));
        self.make("to_odd", wide, format!("bitcast {to_odd} to {wide}"))
    }

    /// `a * b + c`, rounded once.
    pub(super) fn fma(&mut self, elem: Elem, [a, b, c]: [&Val; 3]) -> Val {
        let ty = a.ty;
        match elem {
            _ if self.target.fma => self.named(ty, format!("call {ty} @llvm.fma.{}({a}, {b}, {c})", ty.suffix())),
            Elem::F32 => self.fma_by_doubles(a, b, c),
            _ => self.fma_by_parts([a, b, c]),
        }
    }

    /// Computes `a * b + c`, rounded once, for 8-byte floats; a scalar is a vector of one lane there.
    fn fma_by_parts(&mut self, operands: [&Val; 3]) -> Val {
        let ty = operands[0].ty;
        let lanes = ty.lanes.unwrap_or(1);
        self.helpers.extend([Helper::Fma, Helper::FmaInLanes(lanes)]);
        self.helpers.extend((!self.target.wide_products).then_some(Helper::Wide));
        let [a, b, c] = operands.map(|val| self.in_lanes(val.clone(), Some(lanes)));
        let call = format!("call {} @lanescope.fma.{}({a}, {b}, {c})", a.ty, a.ty.suffix());
        if ty.lanes.is_some() {
            return self.named(ty, call);
        }
        let only = self.make("only", a.ty, call);
        self.named(ty, format!("extractelement {only}, i64 0"))
    }

    /// Computes `a * b + c`, rounded once, for 4-byte floats: their product is exact in 8 bytes, and a sum rounded to odd
    /// there can be rounded again without harm.
    fn fma_by_doubles(&mut self, a: &Val, b: &Val, c: &Val) -> Val {
        let wide = a.ty.with(Unit::Double);
        let [a, b, c] = [a, b, c].map(|val| self.make("wide", wide, format!("fpext {val} to {wide}")));
        let product = self.make("product", wide, format!("fmul {a}, {}", b.text));
        let to_odd = self.odd_sum(&product, &c);
        let ty = a.ty.with(Unit::Float);
        self.named(ty, format!("fptrunc {to_odd} to {ty}"))
    }

    /// The upper half of the product of two 64-bit integers, from the products of their halves. No sum of these overflows: the largest
    /// product of 32 bits, and twice the largest number of 32 bits, are less than 2^64.
    pub(super) fn upper_half_by_parts(&mut self, elem: Elem, a: &Val, b: &Val) -> Val {
        let ty = a.ty;
        let [low_a, low_b] = [a, b].map(|val| self.with_number("and", val, 0xffff_ffff));
        let [high_a, high_b] = [a, b].map(|val| self.with_number("lshr", val, 32));
        let mut product = |a: &Val, b: &Val| self.make("product", ty, format!("mul {a}, {}", b.text));
        let (low, high) = (product(&low_a, &low_b), product(&high_a, &high_b));
        let (left, right) = (product(&high_a, &low_b), product(&low_a, &high_b));
        let carried = self.with_number("lshr", &low, 32);
        let left = self.make("sum", ty, format!("add {left}, {}", carried.text));
        let rest = self.with_number("and", &left, 0xffff_ffff);
        let right = self.make("sum", ty, format!("add {right}, {}", rest.text));
        let mut upper = high;
        for part in [left, right] {
            let part = self.with_number("lshr", &part, 32);
            upper = self.make("sum", ty, format!("add {upper}, {}", part.text));
        }
        if !elem.is_signed() {
            return self.named(ty, format!("or {upper}, {}", upper.text));
        }
        // A negative number is 2^64 more where it is taken for an unsigned one.
        for (sign, other) in [(a, b), (b, a)] {
            let sign = self.with_number("ashr", sign, 63);
            let excess = self.make("excess", ty, format!("and {sign}, {}", other.text));
            upper = self.make("upper", ty, format!("sub {upper}, {}", excess.text));
        }
        upper
    }

    /// Computes the remainder as C's `fmod` does.
    pub(super) fn remainder(&mut self, elem: Elem, a: &Val, b: &Val) -> Val {
        if elem == Elem::F64 {
            return self.by_lane(Helper::Remainder, "lanescope.remainder", &[a, b]);
        }
        // A remainder of 4-byte floats is one of them, so going through 8 bytes loses nothing.
        let wide = a.ty.with(Unit::Double);
        let [x, y] = [a, b].map(|val| self.make("wide", wide, format!("fpext {val} to {wide}")));
        let rest = self.by_lane(Helper::Remainder, "lanescope.remainder", &[&x, &y]);
        self.named(a.ty, format!("fptrunc {rest} to {}", a.ty))
    }

    /// Calls a helper for each lane.
    fn by_lane(&mut self, helper: Helper, name: &str, args: &[&Val]) -> Val {
        self.helpers.insert(helper);
        let ty = args[0].ty;
        let one = Ty::one(ty.unit);
        let call = |args: Vec<String>| format!("call {one} @{name}({})", args.join(", "));
        let Some(lanes) = ty.lanes else {
            return self.named(one, call(args.iter().map(ToString::to_string).collect()));
        };
        let mut all = Val::new("poison", ty);
        for lane in 0..lanes {
            let own: Vec<String> = args.iter().map(|arg| self.lane(arg, lane).to_string()).collect();
            let result = self.make("lane", one, call(own));
            all = self.named(ty, format!("insertelement {all}, {result}, i64 {lane}"));
        }
        all
    }
}
