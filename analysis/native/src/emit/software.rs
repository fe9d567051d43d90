//! Arithmetic that some targets have no instruction for, written out: `a * b + c` rounded once, and the remainder of
//! floats. Both are exact, and make an object whole: it needs no library.

use ir::Elem;

use super::function::Function;
use super::values::{Ty, Unit, Val};

/// A function that a module holds if one of its kernels needs it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Helper {
    /// `a * b + c` of 8-byte floats.
    Fma,
    /// The remainder of 8-byte floats.
    Remainder,
}

impl Helper {
    pub(super) fn text(self) -> &'static str {
        match self {
            Helper::Fma => include_str!("software/fma.ll"),
            Helper::Remainder => include_str!("software/remainder.ll"),
        }
    }
}

impl Function<'_> {
    /// `a * b + c`, rounded once.
    pub(super) fn fma(&mut self, elem: Elem, [a, b, c]: [&Val; 3]) -> Val {
        let ty = a.ty;
        match elem {
            _ if self.target.fma => self.named(ty, format!("call {ty} @llvm.fma.{}({a}, {b}, {c})", ty.suffix())),
            Elem::F32 => self.fma_by_doubles(a, b, c),
            _ => self.by_lane(Helper::Fma, "lanescope.fma", &[a, b, c]),
        }
    }

    /// Computes `a * b + c`, rounded once, for 4-byte floats: their product is exact in 8 bytes, and a sum rounded to odd
    /// there can be rounded again without harm.
    fn fma_by_doubles(&mut self, a: &Val, b: &Val, c: &Val) -> Val {
        let wide = a.ty.with(Unit::Double);
        let (bits, bool) = (a.ty.with(Unit::Int(64)), a.ty.with(Unit::Int(1)));
        let [a, b, c] = [a, b, c].map(|val| self.make("wide", wide, format!("fpext {val} to {wide}")));
        let product = self.make("product", wide, format!("fmul {a}, {}", b.text));
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
        let to_odd = self.make("to_odd", wide, format!("bitcast {to_odd} to {wide}"));
        let ty = a.ty.with(Unit::Float);
        self.named(ty, format!("fptrunc {to_odd} to {ty}"))
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
