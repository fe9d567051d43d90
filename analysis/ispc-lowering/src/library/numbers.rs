//! Functions of numbers.

use ispc_ir::module::GangReg;
use ispc_ir::op::{GangComparison, GangOp, OneOperand, TwoOperands};
use ispc_ir::types::{GangType, NumberType};

use super::LibraryCall;
use crate::data::DataForm;
use crate::emit::GangValue;
use crate::function::{FunctionLowerer, Lowers};

/// The functions of one operand that are an op.
fn one_operand(name: &str) -> Option<OneOperand> {
    use OneOperand::*;
    Some(match name {
        "sqrt" => Sqrt,
        "round" => Round,
        "floor" => Floor,
        "ceil" => Ceil,
        "trunc" => Trunc,
        "rcp" | "rcp_fast" => Reciprocal,
        "rsqrt" | "rsqrt_fast" => ReciprocalRoot,
        "sin" => Sin,
        "cos" => Cos,
        "tan" => Tan,
        "asin" => Asin,
        "acos" => Acos,
        "atan" => Atan,
        "sinh" => Sinh,
        "cosh" => Cosh,
        "tanh" => Tanh,
        "asinh" => Asinh,
        "acosh" => Acosh,
        "atanh" => Atanh,
        "exp" => Exp,
        "exp2" => Exp2,
        "exp10" => Exp10,
        "expm1" => ExpMinusOne,
        "log" => Log,
        "log2" => Log2,
        "log10" => Log10,
        "log1p" => LogOnePlus,
        "cbrt" => Cbrt,
        "erf" => Erf,
        "erfc" => Erfc,
        "abs" => Abs,
        _ => return None,
    })
}

/// The functions of two operands that are an op.
fn two_operands(name: &str) -> Option<TwoOperands> {
    use TwoOperands::*;
    Some(match name {
        "min" => Min,
        "max" => Max,
        "pow" => Pow,
        "atan2" => Atan2,
        "fmod" => Rem,
        "and" => And,
        "or" => Or,
        "saturating_add" => SaturatingAdd,
        "saturating_sub" => SaturatingSub,
        "saturating_mul" => SaturatingMul,
        "saturating_div" => SaturatingDiv,
        "avg_up" => AverageUp,
        "avg_down" => AverageDown,
        _ => return None,
    })
}

impl FunctionLowerer<'_, '_> {
    pub(crate) fn numbers_call(&mut self, call: &LibraryCall) -> Lowers<Option<GangValue>> {
        let vector = match *call.gives {
            DataForm::Vector(_, count) => Some(count),
            _ => None,
        };
        if let (Some(op), [value]) = (one_operand(&call.name), &call.args[..]) {
            let regs = value.regs.iter().map(|reg| self.make.one(op, *reg)).collect();
            return Ok(Some(self.shaped(regs, vector)));
        }
        if let (Some(op), [left, right]) = (two_operands(&call.name), &call.args[..]) {
            let pairs = left.regs.iter().zip(&right.regs);
            let regs = pairs.map(|(left, right)| self.make.two(op, *left, *right)).collect();
            return Ok(Some(self.shaped(regs, vector)));
        }
        let n = call.args.iter().map(|arg| arg.regs.len()).max().unwrap_or_default();
        let mut regs = Vec::new();
        for nth in 0..n.max(1) {
            let of = |at: usize| call.args.get(at).and_then(|arg| arg.regs.get(nth).or(arg.regs.first())).copied();
            let Some(first) = of(0) else { return Ok(None) };
            let Some(reg) = self.number_function(&call.name, first, of(1), of(2))? else { return Ok(None) };
            regs.push(reg);
        }
        Ok(Some(self.shaped(regs, vector)))
    }

    /// A function of numbers that takes several ops; none for any other.
    fn number_function(
        &mut self,
        name: &str,
        first: GangReg,
        second: Option<GangReg>,
        third: Option<GangReg>,
    ) -> Lowers<Option<GangReg>> {
        let number = self.make.ty(first).number;
        let is_varying = self.make.is_varying(first);
        let truth = GangType { number: NumberType::Bool, is_varying };
        Ok(Some(match (name, second, third) {
            ("clamp", Some(low), Some(high)) => {
                let above = self.make.two(TwoOperands::Max, first, low);
                self.make.two(TwoOperands::Min, above, high)
            }
            ("isnan", None, None) => self.make.op(truth, GangOp::One(OneOperand::IsNan, first)),
            ("isinf" | "isfinite", None, None) => {
                let size = self.make.one(OneOperand::Abs, first);
                let infinity = ispc_ir::machine::narrowed(f64::INFINITY, number);
                let infinity = self.make.constant(GangType::uniform(number), infinity);
                let relation = if name == "isinf" { GangComparison::Equal } else { GangComparison::Less };
                self.make.compare(relation, size, infinity)
            }
            ("select", Some(yes), Some(no)) => self.make.select(first, yes, no),
            ("sign_extend", None, None) => {
                let one = self.make.convert(first, NumberType::I32);
                self.make.one(OneOperand::Negate, one)
            }
            ("count_leading_zeros", None, None) => self.make.one(OneOperand::LeadingZeros, first),
            ("count_trailing_zeros", None, None) => self.make.one(OneOperand::TrailingZeros, first),
            ("popcnt", None, None) if number != NumberType::Bool => self.make.one(OneOperand::CountOnes, first),
            ("floatbits", None, None) => self.make.reinterpret(first, NumberType::F32),
            ("doublebits", None, None) => self.make.reinterpret(first, NumberType::F64),
            ("float16bits", None, None) => self.make.reinterpret(first, NumberType::F16),
            ("intbits", None, None) => self.make.reinterpret(first, bits_of(number)),
            ("signbits", None, None) => {
                let bits = bits_of(number);
                let value = self.make.reinterpret(first, bits);
                let sign = self.make.constant(GangType::uniform(bits), 1 << (bits.bits() - 1));
                self.make.two(TwoOperands::And, value, sign)
            }
            ("half_to_float" | "half_to_float_fast", None, None) => {
                let half = self.make.reinterpret(first, NumberType::F16);
                self.make.convert(half, NumberType::F32)
            }
            ("float_to_half" | "float_to_half_fast", None, None) => {
                let half = self.make.convert(first, NumberType::F16);
                self.make.reinterpret(half, NumberType::I16)
            }
            ("srgb8_to_float", None, None) => self.srgb_decoded(first),
            ("float_to_srgb8", None, None) => self.srgb_encoded(first),
            ("ldexp", Some(power), None) => {
                let power = self.make.convert(power, number);
                self.make.two(TwoOperands::TimesPowerOfTwo, first, power)
            }
            (_, Some(other), Some(sum)) if name.starts_with("dot") => self.dot(name, first, other, sum),
            ("assume", ..) | ("fastmath", ..) => return Ok(None),
            _ => return Ok(None),
        }))
    }

    fn float(&mut self, value: f32) -> GangReg {
        self.make.constant(GangType::uniform(NumberType::F32), value.to_bits().into())
    }

    /// A number by the formula of sRGB: linear near zero, else a power.
    fn srgb_decoded(&mut self, value: GangReg) -> GangReg {
        let value = self.make.convert(value, NumberType::F32);
        let [zero, most, one, edge, slope] = [0.0, 255.0, 1.055, 0.04045, 12.92].map(|it| self.float(it));
        let [offset, power] = [0.055, 2.4].map(|it| self.float(it));
        let held = self.make.two(TwoOperands::Max, value, zero);
        let held = self.make.two(TwoOperands::Min, held, most);
        let part = self.make.two(TwoOperands::Div, held, most);
        let linear = self.make.two(TwoOperands::Div, part, slope);
        let moved = self.make.two(TwoOperands::Add, part, offset);
        let moved = self.make.two(TwoOperands::Div, moved, one);
        let powered = self.make.two(TwoOperands::Pow, moved, power);
        let is_near = self.make.compare(GangComparison::LessEqual, part, edge);
        self.make.select(is_near, linear, powered)
    }

    fn srgb_encoded(&mut self, value: GangReg) -> GangReg {
        let [zero, most, one, edge, slope] = [0.0, 1.0, 1.055, 0.003_130_8, 12.92].map(|it| self.float(it));
        let [offset, power, steps, half] = [0.055, 1.0 / 2.4, 255.0, 0.5].map(|it| self.float(it));
        let held = self.make.two(TwoOperands::Max, value, zero);
        let held = self.make.two(TwoOperands::Min, held, most);
        let linear = self.make.two(TwoOperands::Mul, held, slope);
        let powered = self.make.two(TwoOperands::Pow, held, power);
        let powered = self.make.two(TwoOperands::Mul, powered, one);
        let powered = self.make.two(TwoOperands::Sub, powered, offset);
        let is_near = self.make.compare(GangComparison::LessEqual, held, edge);
        let part = self.make.select(is_near, linear, powered);
        let part = self.make.two(TwoOperands::Mul, part, steps);
        let part = self.make.two(TwoOperands::Add, part, half);
        self.make.convert(part, NumberType::I32)
    }

    /// `dot4add_u8i8packed` and its like: the products of the parts of two numbers of 32 bits, added to a third.
    fn dot(&mut self, name: &str, left: GangReg, right: GangReg, sum: GangReg) -> GangReg {
        let bits = if name.starts_with("dot4") { 8 } else { 16 };
        let letters = name.split('_').nth(1).unwrap_or_default();
        let is_signed = |nth: usize| {
            letters.split(|char: char| char.is_ascii_digit()).filter(|it| !it.is_empty()).nth(nth) == Some("i")
        };
        let signs = [is_signed(0), is_signed(1)];
        let is_held = name.ends_with("_sat");
        let out = self.make.ty(sum).number;
        let mut total = self.make.convert(sum, NumberType::I64);
        for part in 0..32 / bits {
            let mut product: Option<GangReg> = None;
            for (value, is_signed) in [(left, signs[0]), (right, signs[1])] {
                let by = self.make.whole(NumberType::U32, part * bits);
                let moved = self.make.two(TwoOperands::Shr, value, by);
                let narrow = match (bits, is_signed) {
                    (8, true) => NumberType::I8,
                    (8, false) => NumberType::U8,
                    (_, true) => NumberType::I16,
                    (_, false) => NumberType::U16,
                };
                let narrow = self.make.convert(moved, narrow);
                let wide = self.make.convert(narrow, NumberType::I64);
                product = Some(match product {
                    Some(other) => self.make.two(TwoOperands::Mul, other, wide),
                    None => wide,
                });
            }
            if let Some(product) = product {
                total = self.make.two(TwoOperands::Add, total, product);
            }
        }
        if is_held {
            let (least, most) = match out.is_signed() {
                true => (i64::from(i32::MIN), i64::from(i32::MAX)),
                false => (0, i64::from(u32::MAX)),
            };
            let least = self.make.whole(NumberType::I64, least);
            let most = self.make.whole(NumberType::I64, most);
            total = self.make.two(TwoOperands::Max, total, least);
            total = self.make.two(TwoOperands::Min, total, most);
        }
        self.make.convert(total, out)
    }
}

/// The whole number with the bits of a type; that of a whole number is itself with the other sign.
fn bits_of(number: NumberType) -> NumberType {
    match number {
        NumberType::F16 => NumberType::U16,
        NumberType::F32 => NumberType::U32,
        NumberType::F64 => NumberType::U64,
        other => other,
    }
}
