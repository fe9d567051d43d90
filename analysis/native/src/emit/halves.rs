//! Floats of two bytes. In registers and in memory they are integers of 16 bits, and their arithmetic is that of `float`: operands
//! are widened, and the result is rounded.
//!
//! Where the target's row says that it has instructions for `f16`, the conversions are LLVM's, which may then make one instruction of an
//! operation and the roundings around it, if the target has that: the bits are the same. Elsewhere LLVM would call a library, so they
//! are written with integers. Those of `bf16` are a shift and an addition on all targets.

use ir::Elem;

use super::function::Function;
use super::values::{Ty, Unit, Val};

/// The bits of the least `float` that is infinite as an `f16` whatever follows: 2^16.
const TOO_LARGE: i128 = 0x4780_0000;
/// The bits of the least `float` that is a normal `f16`: 2^-14.
const LEAST_NORMAL: i128 = 0x3880_0000;

impl Function<'_> {
    /// The `float` of the same value.
    pub(super) fn as_float(&mut self, of: Elem, x: &Val) -> Val {
        let float = x.ty.with(Unit::Float);
        if of == Elem::F16 && self.target.halves {
            let half = x.ty.with(Unit::Half);
            let half = self.make("half", half, format!("bitcast {x} to {half}"));
            return self.make("wide", float, format!("fpext {half} to {float}"));
        }
        let bits = self.converted("zext", x, Unit::Int(32));
        if of == Elem::Bf16 {
            let upper = self.with_number("shl", &bits, 16);
            return self.make("wide", float, format!("bitcast {upper} to {float}"));
        }
        let magnitude = self.with_number("and", &bits, 0x7fff);
        let moved = self.with_number("shl", &magnitude, 13);
        // Exponents are 112 further up. That of infinity becomes the `float`'s in two such steps; subnormal ones are made normal by
        // taking away a leading one that is added before.
        let normal = self.with_number("add", &moved, 112 << 23);
        let special = self.with_number("add", &moved, 224 << 23);
        let with_one = self.with_number("add", &moved, 113 << 23);
        let with_one = self.make("float", float, format!("bitcast {with_one} to {float}"));
        let one = self.float_constant(2f64.powi(-14), float);
        let subnormal = self.make("subnormal", float, format!("fsub {with_one}, {}", one.text));
        let subnormal = self.make("bits", bits.ty, format!("bitcast {subnormal} to {}", bits.ty));
        let is_special = self.compared("uge", &magnitude, 0x7c00);
        let is_subnormal = self.compared("ult", &magnitude, 0x400);
        let value = self.make("value", bits.ty, format!("select {is_special}, {special}, {normal}"));
        let value = self.make("value", bits.ty, format!("select {is_subnormal}, {subnormal}, {value}"));
        let sign = self.with_number("and", &bits, 0x8000);
        let sign = self.with_number("shl", &sign, 16);
        let value = self.make("value", bits.ty, format!("or {value}, {}", sign.text));
        self.make("wide", float, format!("bitcast {value} to {float}"))
    }

    /// The value of a type that is nearest to a `float`, the even of two equally near.
    pub(super) fn as_half(&mut self, to: Elem, x: &Val) -> Val {
        let own = x.ty.with(Unit::Int(16));
        if to == Elem::F16 && self.target.halves {
            let half = x.ty.with(Unit::Half);
            let half = self.make("half", half, format!("fptrunc {x} to {half}"));
            return self.named(own, format!("bitcast {half} to {own}"));
        }
        let bits = x.ty.with(Unit::Int(32));
        let bits = self.make("bits", bits, format!("bitcast {x} to {bits}"));
        let rounded = if to == Elem::Bf16 { self.upper_rounded(&bits) } else { self.half_of_bits(&bits) };
        self.named(own, format!("trunc {rounded} to {own}"))
    }

    /// The upper 16 bits of a `float`, rounded, as those of an integer of 32.
    fn upper_rounded(&mut self, bits: &Val) -> Val {
        let magnitude = self.with_number("and", bits, 0x7fff_ffff);
        let is_nan = self.compared("ugt", &magnitude, 0x7f80_0000);
        let upper = self.with_number("lshr", bits, 16);
        let odd = self.with_number("and", &upper, 1);
        let rounded = self.with_number("add", bits, 0x7fff);
        let rounded = self.make("rounded", bits.ty, format!("add {rounded}, {}", odd.text));
        let rounded = self.with_number("lshr", &rounded, 16);
        let nan = self.in_lanes(Val::int(Unit::Int(32), 0x7fc0), bits.ty.lanes);
        self.make("rounded", bits.ty, format!("select {is_nan}, {nan}, {rounded}"))
    }

    /// The bits of the `f16` that is nearest to the `float` of some bits, as an integer of 32.
    fn half_of_bits(&mut self, bits: &Val) -> Val {
        let ty = bits.ty;
        let float = ty.with(Unit::Float);
        let magnitude = self.with_number("and", bits, 0x7fff_ffff);
        // What is added to a normal number is a little less than half of its last bit, and one more if that bit is set.
        let odd = self.with_number("lshr", &magnitude, 13);
        let odd = self.with_number("and", &odd, 1);
        let normal = self.with_number("add", &magnitude, 0xfff - (112 << 23));
        let normal = self.make("normal", ty, format!("add {normal}, {}", odd.text));
        let normal = self.with_number("lshr", &normal, 13);
        // Added to 1/2, a small number is rounded to a multiple of the least `f16`, which the last bits count.
        let small = self.make("small", float, format!("bitcast {magnitude} to {float}"));
        let half = self.float_constant(0.5, float);
        let small = self.make("small", float, format!("fadd {small}, {}", half.text));
        let small = self.make("small", ty, format!("bitcast {small} to {ty}"));
        let small = self.with_number("sub", &small, 126 << 23);
        let [infinity, nan] = [0x7c00, 0x7e00].map(|number| self.in_lanes(Val::int(Unit::Int(32), number), ty.lanes));
        let is_nan = self.compared("ugt", &magnitude, 0x7f80_0000);
        let is_large = self.compared("uge", &magnitude, TOO_LARGE);
        let is_small = self.compared("ult", &magnitude, LEAST_NORMAL);
        let special = self.make("special", ty, format!("select {is_nan}, {nan}, {infinity}"));
        let value = self.make("value", ty, format!("select {is_small}, {small}, {normal}"));
        let value = self.make("value", ty, format!("select {is_large}, {special}, {value}"));
        let sign = self.with_number("lshr", bits, 16);
        let sign = self.with_number("and", &sign, 0x8000);
        self.make("value", ty, format!("or {value}, {}", sign.text))
    }

    /// Converts from or to a float of two bytes; one of the types is.
    pub(super) fn cast_of_half(&mut self, from: Elem, to: Elem, x: &Val) -> Val {
        if from.is_half() {
            let wide = self.as_float(from, x);
            return match to {
                Elem::F32 => wide,
                to => self.cast(Elem::F32, to, &wide),
            };
        }
        let wide = match from {
            Elem::F32 => x.clone(),
            Elem::F64 => self.odd_float(x),
            Elem::Bool | Elem::I8 | Elem::U8 | Elem::I16 | Elem::U16 => self.cast(from, Elem::F32, x),
            _ if to == Elem::F16 => {
                let x = self.near_zero(from, x);
                self.cast(from, Elem::F32, &x)
            }
            Elem::I64 | Elem::U64 => {
                let odd = self.odd_integer(from, x);
                let double = self.cast(from, Elem::F64, &odd);
                self.odd_float(&double)
            }
            _ => {
                let double = self.cast(from, Elem::F64, x);
                self.odd_float(&double)
            }
        };
        self.as_half(to, &wide)
    }

    /// `a * b + c` of floats of two bytes, rounded once.
    pub(super) fn fma_of_halves(&mut self, elem: Elem, operands: [&Val; 3]) -> Val {
        let [a, b, c] = operands.map(|val| {
            let wide = self.as_float(elem, val);
            self.converted("fpext", &wide, Unit::Double)
        });
        let product = self.make("product", a.ty, format!("fmul {a}, {}", b.text));
        let sum = self.odd_sum(&product, &c);
        let wide = self.odd_float(&sum);
        self.as_half(elem, &wide)
    }

    /// A `double` as a `float` that is rounded to odd: what is lost shows in the last bit, so that another rounding loses nothing.
    fn odd_float(&mut self, x: &Val) -> Val {
        let (float, bits) = (x.ty.with(Unit::Float), x.ty.with(Unit::Int(32)));
        let bool = x.ty.with(Unit::Int(1));
        let near = self.converted("fptrunc", x, Unit::Float);
        let back = self.converted("fpext", &near, Unit::Double);
        let near = self.make("bits", bits, format!("bitcast {near} to {bits}"));
        let [own, there] = [x, &back]
            .map(|val| self.make("size", val.ty, format!("call {} @llvm.fabs.{}({val})", val.ty, val.ty.suffix())));
        let inexact = self.make("inexact", bool, format!("fcmp one {own}, {}", there.text));
        let beyond = self.make("beyond", bool, format!("fcmp ogt {there}, {}", own.text));
        let down = self.make("down", bits, format!("sext {beyond} to {bits}"));
        let last = self.make("last", bits, format!("zext {inexact} to {bits}"));
        let cut = self.make("cut", bits, format!("add {near}, {}", down.text));
        let odd = self.make("odd", bits, format!("or {cut}, {}", last.text));
        self.make("odd", float, format!("bitcast {odd} to {float}"))
    }

    /// An integer of 64 bits of which 53 count, and the last of these shows if there were others.
    fn odd_integer(&mut self, from: Elem, x: &Val) -> Val {
        let bool = x.ty.with(Unit::Int(1));
        let low = self.with_number("and", x, 0x7ff);
        let carried = self.with_number("add", &low, 0x7ff);
        let kept = self.make("kept", x.ty, format!("or {x}, {}", carried.text));
        let kept = self.with_number("and", &kept, -0x800);
        let large = if from.is_signed() {
            let moved = self.with_number("add", x, 1 << 53);
            self.compared("ugt", &moved, 1 << 54)
        } else {
            self.compared("ugt", x, 1 << 53)
        };
        debug_assert_eq!(large.ty, bool);
        self.make("odd", x.ty, format!("select {large}, {kept}, {x}"))
    }

    /// An integer that is not beyond 2^16, where each `f16` is infinite.
    fn near_zero(&mut self, from: Elem, x: &Val) -> Val {
        let suffix = x.ty.suffix();
        let mut bounded = |sign: &str, which: &str, x: &Val, bound: i128| {
            let bound = self.in_lanes(Val::int(x.ty.unit, bound), x.ty.lanes);
            self.make("bounded", x.ty, format!("call {} @llvm.{sign}{which}.{suffix}({x}, {bound})", x.ty))
        };
        if !from.is_signed() {
            return bounded("u", "min", x, 1 << 16);
        }
        let below = bounded("s", "min", x, 1 << 16);
        bounded("s", "max", &below, -(1 << 16))
    }

    fn converted(&mut self, name: &str, x: &Val, unit: Unit) -> Val {
        let ty = x.ty.with(unit);
        self.make("wide", ty, format!("{name} {x} to {ty}"))
    }

    /// An integer operation with a number.
    pub(super) fn with_number(&mut self, name: &str, x: &Val, number: i128) -> Val {
        let number = self.in_lanes(Val::int(x.ty.unit, number), x.ty.lanes);
        self.make("bits", x.ty, format!("{name} {x}, {}", number.text))
    }

    fn compared(&mut self, predicate: &str, x: &Val, number: i128) -> Val {
        let number = self.in_lanes(Val::int(x.ty.unit, number), x.ty.lanes);
        self.make("is", x.ty.with(Unit::Int(1)), format!("icmp {predicate} {x}, {}", number.text))
    }

    fn float_constant(&mut self, value: f64, ty: Ty) -> Val {
        self.in_lanes(Val::new(format!("0x{:016X}", value.to_bits()), Ty::one(Unit::Float)), ty.lanes)
    }
}
