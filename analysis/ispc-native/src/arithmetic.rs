//! Ops on numbers, each lane by itself.
//!
//! Numbers are those of the types: whole numbers wrap, floats are rounded at each step, and nothing is contracted. What an op makes of any
//! operands is what the machine of `ispc-ir` makes of them, but for divisions by zero and functions of the C library.

use ispc_ir::module::{GangInst, GangReg};
use ispc_ir::op::{GangComparison, GangOp, OneOperand, TwoOperands};
use ispc_ir::types::{GangType, NumberType};

use crate::function::{Compiles, FunctionEmitter, constant_text, element, wrapped};
use crate::math;
use crate::value::{Address, LaneBytes, Operand, RegValue, Row, literal};

impl FunctionEmitter<'_> {
    /// Writes an op on numbers; false for any other.
    pub(crate) fn arithmetic(&mut self, inst: &GangInst) -> Compiles<bool> {
        let Some(to) = inst.results.first().copied() else { return Ok(false) };
        let ty = self.type_of(to);
        match &inst.op {
            GangOp::Convert(from) => {
                let value = self.converted(*from, to);
                self.set_value(to, value);
            }
            GangOp::Reinterpret(from) => {
                let value = self.reinterpreted(*from, ty);
                self.set_value(to, value);
            }
            GangOp::Spread(from) => {
                let value = self.spread(*from);
                self.set_value(to, value);
            }
            GangOp::Two(op, left, right) => {
                let value = self.two(*op, *left, *right, ty)?;
                self.set_value(to, value);
            }
            GangOp::One(op, value) => {
                let value = self.one(*op, *value, to)?;
                self.set_plain(to, value);
            }
            GangOp::Compare(relation, left, right) => {
                let value = self.compared(*relation, *left, *right);
                self.set_value(to, value);
            }
            GangOp::Select(test, yes, no) => {
                let test = self.typed(*test);
                let (yes, no) = (self.typed(*yes), self.typed(*no));
                let value = self.set(format!("select {test}, {yes}, {no}"));
                self.set_plain(to, value);
            }
            GangOp::Fused(a, b, c) => {
                let value = self.fused(ty, [*a, *b, *c]);
                self.set_plain(to, value);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// The value of an operation of LLVM on two operands of one type.
    pub(crate) fn operation(&mut self, op: &str, ty: &str, left: &str, right: &str) -> Operand {
        self.set(format!("{op} {ty} {left}, {right}"))
    }

    /// Calls an intrinsic of LLVM that is overloaded by one type.
    pub(crate) fn intrinsic(&mut self, name: &str, ty: &str, args: &[&str]) -> Operand {
        let args: Vec<(&str, &str)> = args.iter().map(|arg| (ty, *arg)).collect();
        self.call(ty, &format!("llvm.{name}.{}", mangled(ty)), &args)
    }

    // One operand.

    fn one(&mut self, op: OneOperand, reg: GangReg, to: GangReg) -> Compiles<Operand> {
        let GangType { number, is_varying } = self.type_of(reg);
        let value = self.numbers_of(reg);
        let ty = self.shaped(element(number), is_varying);
        if number.is_whole() {
            let zero = self.constant(element(number), "0", is_varying);
            return Ok(match op {
                OneOperand::Negate => self.operation("sub", &ty, &zero, &value),
                OneOperand::Not => {
                    let ones = if number == NumberType::Bool { "true" } else { "-1" };
                    let ones = self.constant(element(number), ones, is_varying);
                    self.operation("xor", &ty, &value, &ones)
                }
                OneOperand::Abs if number.is_signed() => {
                    let minus = self.operation("sub", &ty, &zero, &value);
                    let is_below = self.set(format!("icmp slt {ty} {value}, {zero}"));
                    let test = self.shaped("i1", is_varying);
                    self.set(format!("select {test} {is_below}, {ty} {minus}, {ty} {value}"))
                }
                OneOperand::CountOnes => self.intrinsic("ctpop", &ty, &[&value]),
                OneOperand::LeadingZeros | OneOperand::TrailingZeros => {
                    let name = if op == OneOperand::LeadingZeros { "ctlz" } else { "cttz" };
                    let name = format!("llvm.{name}.{}", mangled(&ty));
                    self.call(&ty, &name, &[(&ty, &value), ("i1", "false")])
                }
                _ => value,
            });
        }
        match op {
            OneOperand::IsNan => {
                let (wide, ty) = self.widened(&value, number, is_varying);
                return Ok(self.set(format!("fcmp uno {ty} {wide}, {wide}")));
            }
            OneOperand::Negate | OneOperand::Abs if number == NumberType::F16 => {
                let (op, bits) = if op == OneOperand::Negate { ("xor", "-32768") } else { ("and", "32767") };
                let bits = self.constant("i16", bits, is_varying);
                return Ok(self.operation(op, &ty, &value, &bits));
            }
            OneOperand::Negate => return Ok(self.set(format!("fneg {ty} {value}"))),
            OneOperand::Abs => return Ok(self.intrinsic("fabs", &ty, &[&value])),
            _ => {}
        }
        let exact = match op {
            OneOperand::Sqrt => Some("sqrt"),
            OneOperand::Round => Some("roundeven"),
            OneOperand::Floor => Some("floor"),
            OneOperand::Ceil => Some("ceil"),
            OneOperand::Trunc => Some("trunc"),
            _ => None,
        };
        if exact.is_some() || op == OneOperand::Reciprocal {
            let (wide, wide_ty) = self.widened(&value, number, is_varying);
            let found = match exact {
                Some(name) => self.intrinsic(name, &wide_ty, &[&wide]),
                None => {
                    let float = if number == NumberType::F64 { "double" } else { "float" };
                    let one = self.constant(float, "1.0", is_varying);
                    self.operation("fdiv", &wide_ty, &one, &wide)
                }
            };
            return Ok(self.narrowed(&found, number, is_varying));
        }
        // In 64 bits, and rounded once.
        let wide = self.convert(&value, number, NumberType::F64, is_varying);
        let found = self.real(op, &wide, is_varying)?;
        let result = self.type_of(to).number;
        Ok(self.convert(&found, NumberType::F64, result, is_varying))
    }

    /// A float that is narrower than 32 bits, as one of 32; its type.
    pub(crate) fn widened(&mut self, value: &str, number: NumberType, varies: bool) -> (Operand, String) {
        match number {
            NumberType::F16 => (self.half_to_float(value, varies), self.shaped("float", varies)),
            _ => (value.into(), self.shaped(element(number), varies)),
        }
    }

    /// The way back.
    fn narrowed(&mut self, value: &str, number: NumberType, varies: bool) -> Operand {
        match number {
            NumberType::F16 => self.float_to_half(value, varies),
            _ => value.into(),
        }
    }

    /// A function of 64 bits.
    fn real(&mut self, op: OneOperand, value: &str, varies: bool) -> Compiles<Operand> {
        let ty = self.shaped("double", varies);
        if op == OneOperand::ReciprocalRoot {
            let root = self.intrinsic("sqrt", &ty, &[value]);
            let one = self.constant("double", "1.0", varies);
            return Ok(self.operation("fdiv", &ty, &one, &root));
        }
        if matches!(op, OneOperand::Exponent | OneOperand::Fraction) {
            return Ok(self.float_parts(op, value, varies));
        }
        let Some(function) = math::of_one(op) else { return self.refuse("this function has no code") };
        Ok(self.library_call(function, &[value], varies))
    }

    /// The exponent of a number, or its fraction from 0.5 to 1.
    fn float_parts(&mut self, op: OneOperand, value: &str, varies: bool) -> Operand {
        let (ty, wholes, test) = (self.shaped("double", varies), self.shaped("i64", varies), self.shaped("i1", varies));
        let whole = |emitter: &Self, number: i64| emitter.constant("i64", number, varies);
        let size = self.intrinsic("fabs", &ty, &[value]);
        let least = self.constant("double", constant_text(f64::MIN_POSITIVE.to_bits(), NumberType::F64), varies);
        let is_tiny = self.set(format!("fcmp olt {ty} {size}, {least}"));
        let power = self.constant("double", constant_text(2f64.powi(64).to_bits(), NumberType::F64), varies);
        let larger = self.operation("fmul", &ty, value, &power);
        let scaled = self.set(format!("select {test} {is_tiny}, {ty} {larger}, {ty} {value}"));
        let bits = self.set(format!("bitcast {ty} {scaled} to {wholes}"));
        let infinity = self.constant("double", constant_text(f64::INFINITY.to_bits(), NumberType::F64), varies);
        let zero = self.constant("double", "0.0", varies);
        let is_finite = self.set(format!("fcmp one {ty} {size}, {infinity}"));
        let is_some = self.set(format!("fcmp one {ty} {size}, {zero}"));
        let has_parts = self.operation("and", &test, &is_finite, &is_some);
        if op == OneOperand::Fraction {
            let (keeps, half) = (whole(self, !(2047 << 52)), whole(self, 1022 << 52));
            let kept = self.operation("and", &wholes, &bits, &keeps);
            let made = self.operation("or", &wholes, &kept, &half);
            let made = self.set(format!("bitcast {wholes} {made} to {ty}"));
            return self.set(format!("select {test} {has_parts}, {ty} {made}, {ty} {value}"));
        }
        let (by, mask, bias, more) = (whole(self, 52), whole(self, 2047), whole(self, 1022), whole(self, 64));
        let moved = self.operation("lshr", &wholes, &bits, &by);
        let exponent = self.operation("and", &wholes, &moved, &mask);
        let exponent = self.operation("sub", &wholes, &exponent, &bias);
        let less = self.operation("sub", &wholes, &exponent, &more);
        let exponent = self.set(format!("select {test} {is_tiny}, {wholes} {less}, {wholes} {exponent}"));
        let none = whole(self, 0);
        let exponent = self.set(format!("select {test} {has_parts}, {wholes} {exponent}, {wholes} {none}"));
        self.set(format!("sitofp {wholes} {exponent} to {ty}"))
    }

    fn fused(&mut self, ty: GangType, operands: [GangReg; 3]) -> Operand {
        let [a, b, c] = operands.map(|reg| self.plain(reg));
        let GangType { number, is_varying } = ty;
        if number.is_whole() {
            let llvm = self.ty(ty);
            let product = self.operation("mul", &llvm, &a, &b);
            return self.operation("add", &llvm, &product, &c);
        }
        let through = if number == NumberType::F16 { NumberType::F64 } else { number };
        let [a, b, c] = [a, b, c].map(|value| self.convert(&value, number, through, is_varying));
        let wide = self.shaped(element(through), is_varying);
        let found = self.intrinsic("fma", &wide, &[&a, &b, &c]);
        self.convert(&found, through, number, is_varying)
    }

    // Comparisons.

    fn compared(&mut self, relation: GangComparison, left: GangReg, right: GangReg) -> RegValue {
        let GangType { number, is_varying } = self.type_of(left);
        let rows = (self.row(left), self.row(right));
        let [one, other] = [left, right].map(|reg| self.numbers_of(reg));
        let plain = self.compare(relation, number, &one, &other, is_varying);
        match rows {
            (Some(Row { start, step: 1 }), Some(Row { start: limit, step: 0 }))
                if relation == GangComparison::Less && number == NumberType::I32 =>
            {
                RegValue::Below { start, limit, plain }
            }
            _ => RegValue::Plain(plain),
        }
    }

    pub(crate) fn compare(
        &mut self,
        relation: GangComparison,
        number: NumberType,
        left: &str,
        right: &str,
        varies: bool,
    ) -> Operand {
        use GangComparison::*;
        if number.is_float() {
            let word = match relation {
                Equal => "oeq",
                NotEqual => "une",
                Less => "olt",
                LessEqual => "ole",
                Greater => "ogt",
                GreaterEqual => "oge",
            };
            let (left, ty) = self.widened(left, number, varies);
            let (right, _) = self.widened(right, number, varies);
            return self.set(format!("fcmp {word} {ty} {left}, {right}"));
        }
        let sign = if number.is_signed() { "s" } else { "u" };
        let word = match relation {
            Equal => "eq".to_owned(),
            NotEqual => "ne".to_owned(),
            Less => format!("{sign}lt"),
            LessEqual => format!("{sign}le"),
            Greater => format!("{sign}gt"),
            GreaterEqual => format!("{sign}ge"),
        };
        let ty = self.shaped(element(number), varies);
        self.set(format!("icmp {word} {ty} {left}, {right}"))
    }

    // Two operands.

    fn two(&mut self, op: TwoOperands, left: GangReg, right: GangReg, ty: GangType) -> Compiles<RegValue> {
        if ty.number == NumberType::Pointer {
            if let Some(address) = self.address_arithmetic(op, left, right, ty.is_varying) {
                return Ok(RegValue::Address(address));
            }
            let [one, other] = [left, right].map(|reg| self.numbers_of(reg));
            let found = self.two_numbers(op, NumberType::U64, &one, &other, ty.is_varying)?;
            return Ok(RegValue::Address(match ty.is_varying {
                true => Address { lanes: LaneBytes::Each { index: found, scale: 1 }, ..Address::default() },
                false => Address { moved: Some(found), ..Address::default() },
            }));
        }
        if let (true, Some(one), Some(other)) = (ty.is_varying, self.row(left), self.row(right))
            && let Some(row) = self.two_rows(op, &one, &other, ty.number)
        {
            return Ok(RegValue::Row(row));
        }
        let divisor = self.row(right).and_then(|row| row.constant());
        let [one, other] = [left, right].map(|reg| self.plain(reg));
        if matches!(op, TwoOperands::Div | TwoOperands::Rem) && ty.number.is_whole() {
            return Ok(RegValue::Plain(self.divided(op, ty, &one, &other, divisor)));
        }
        Ok(RegValue::Plain(self.two_numbers(op, ty.number, &one, &other, ty.is_varying)?))
    }

    fn two_rows(&mut self, op: TwoOperands, one: &Row, other: &Row, number: NumberType) -> Option<Row> {
        let (word, step) = match op {
            TwoOperands::Add => ("add", one.step.wrapping_add(other.step)),
            TwoOperands::Sub => ("sub", one.step.wrapping_sub(other.step)),
            TwoOperands::Mul => match (one.constant(), other.constant()) {
                (_, Some(by)) => ("mul", one.step.wrapping_mul(by)),
                (Some(by), _) => ("mul", other.step.wrapping_mul(by)),
                _ if one.step == 0 && other.step == 0 => ("mul", 0),
                _ => return None,
            },
            TwoOperands::Shl => match other.constant() {
                Some(by) if (0..i64::from(number.bits())).contains(&by) => ("shl", one.step << by),
                _ => return None,
            },
            _ => return None,
        };
        let start = match (literal(&one.start), literal(&other.start)) {
            (Some(one), Some(other)) => {
                let found = match word {
                    "add" => one.wrapping_add(other),
                    "sub" => one.wrapping_sub(other),
                    "mul" => one.wrapping_mul(other),
                    _ => one << other,
                };
                wrapped(found, number.bits()).to_string().into()
            }
            _ => self.operation(word, element(number), &one.start, &other.start),
        };
        Some(Row { start, step: wrapped(step, number.bits()) })
    }

    /// The result of an op on two numbers, of all lanes or of each.
    pub(crate) fn two_numbers(
        &mut self,
        op: TwoOperands,
        number: NumberType,
        left: &str,
        right: &str,
        varies: bool,
    ) -> Compiles<Operand> {
        if number.is_float() {
            self.two_floats(op, number, left, right, varies)
        } else {
            Ok(self.two_wholes(op, number, left, right, varies))
        }
    }

    fn two_floats(
        &mut self,
        op: TwoOperands,
        number: NumberType,
        left: &str,
        right: &str,
        varies: bool,
    ) -> Compiles<Operand> {
        use TwoOperands::*;
        let own = self.shaped(element(number), varies);
        match op {
            Min | Max => {
                let relation = if op == Min { GangComparison::Less } else { GangComparison::Greater };
                let test = self.compare(relation, number, left, right, varies);
                let tests = self.shaped("i1", varies);
                return Ok(self.set(format!("select {tests} {test}, {own} {left}, {own} {right}")));
            }
            And | Or | Xor => {
                let whole = self.shaped(&format!("i{}", number.bits()), varies);
                let word = if op == And {
                    "and"
                } else if op == Or {
                    "or"
                } else {
                    "xor"
                };
                let [left, right] = [left, right].map(|value| match own == whole {
                    true => value.into(),
                    false => self.set(format!("bitcast {own} {value} to {whole}")),
                });
                let found = self.operation(word, &whole, &left, &right);
                return Ok(if own == whole { found } else { self.set(format!("bitcast {whole} {found} to {own}")) });
            }
            Pow | Atan2 | TimesPowerOfTwo => {
                let [left, right] = [left, right].map(|value| self.convert(value, number, NumberType::F64, varies));
                let function = match op {
                    Pow => math::POW,
                    Atan2 => math::ATAN2,
                    _ => math::SCALE,
                };
                let found = self.library_call(function, &[&left, &right], varies);
                return Ok(self.convert(&found, NumberType::F64, number, varies));
            }
            _ => {}
        }
        let word = match op {
            Add => "fadd",
            Sub => "fsub",
            Mul => "fmul",
            Div => "fdiv",
            Rem => "frem",
            _ => return self.refuse("this operation has no code for numbers with fractions"),
        };
        let (left, ty) = self.widened(left, number, varies);
        let (right, _) = self.widened(right, number, varies);
        let mut found = self.operation(word, &ty, &left, &right);
        if op == Rem {
            // What has no remainder is no number, with the sign of the left operand.
            let test = self.shaped("i1", varies);
            let is_none = self.set(format!("fcmp uno {ty} {found}, {found}"));
            let is_number = self.set(format!("fcmp ord {ty} {left}, {left}"));
            let is_new = self.operation("and", &test, &is_none, &is_number);
            let float = if number == NumberType::F64 { "double" } else { "float" };
            let nan = self.constant(float, "0x7FF8000000000000", varies);
            let nan = self.intrinsic("copysign", &ty, &[&nan, &left]);
            found = self.set(format!("select {test} {is_new}, {ty} {nan}, {ty} {found}"));
        }
        Ok(self.narrowed(&found, number, varies))
    }
}

/// A type as names of intrinsics have it.
pub(crate) fn mangled(ty: &str) -> String {
    let one = |element: &str| match element {
        "float" => "f32".to_owned(),
        "double" => "f64".to_owned(),
        "half" => "f16".to_owned(),
        other => other.to_owned(),
    };
    match ty.strip_prefix('<').and_then(|rest| rest.strip_suffix('>')).and_then(|rest| rest.split_once(" x ")) {
        Some((lanes, element)) => format!("v{lanes}{}", one(element)),
        None => one(ty),
    }
}
