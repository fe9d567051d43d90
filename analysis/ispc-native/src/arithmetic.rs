//! Ops on numbers, each lane by itself.
//!
//! Numbers are those of the types: whole numbers wrap, floats are rounded at each step, and nothing is contracted. What an op makes of any
//! operands is what the machine of `ispc-ir` makes of them, but for divisions by zero and functions of the C library.

use ispc_ir::module::{GangInst, GangReg};
use ispc_ir::op::{GangComparison, GangOp, OneOperand, TwoOperands};
use ispc_ir::types::{GangType, NumberType};

use crate::function::{Compiles, FunctionEmitter, constant_text, element, is_row_number, wrapped};
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

    // Conversions.

    fn converted(&mut self, from: GangReg, to: GangReg) -> RegValue {
        let (of, ty) = (self.type_of(from), self.type_of(to));
        if let Some(value) = self.converted_row(from, of.number, ty) {
            return value;
        }
        if ty.number == NumberType::Pointer && of.number.bits() == 64 && !of.number.is_float() {
            let value = self.plain(from);
            return RegValue::Address(match ty.is_varying {
                true => Address { lanes: LaneBytes::Each { index: value, scale: 1 }, ..Address::default() },
                false => Address { moved: Some(value), ..Address::default() },
            });
        }
        let value = self.numbers_of(from);
        RegValue::Plain(self.convert(&value, of.number, ty.number, ty.is_varying))
    }

    /// A register whose addresses are whole numbers.
    pub(crate) fn numbers_of(&mut self, reg: GangReg) -> Operand {
        let ty = self.type_of(reg);
        if ty.number != NumberType::Pointer || ty.is_varying {
            return self.plain(reg);
        }
        let address = self.address(reg);
        self.address_number(&address)
    }

    fn converted_row(&mut self, from: GangReg, of: NumberType, ty: GangType) -> Option<RegValue> {
        let row = self.row(from)?;
        let to = ty.number;
        if !is_row_number(to) && to != NumberType::Pointer {
            return None;
        }
        if let Some(constant) = literal(&row.start).filter(|_| !of.is_signed()) {
            // The number without its sign.
            let constant = if of.bits() < 64 { constant & ((1 << of.bits()) - 1) } else { constant };
            if row.step == 0 {
                return Some(self.whole_row(constant, 0, ty));
            }
        } else if let Some(constant) = literal(&row.start) {
            return Some(self.whole_row(constant, row.step, ty));
        }
        // An index is taken not to pass the end of its type; numbers without sign pass it at zero.
        let stays = row.step == 0 || of.is_signed() || to.bits() <= of.bits();
        if !stays {
            return None;
        }
        let start = self.convert(&row.start, of, if to == NumberType::Pointer { NumberType::U64 } else { to }, false);
        Some(match (to, ty.is_varying) {
            (NumberType::Pointer, _) => {
                let lanes = if row.step == 0 { LaneBytes::Same } else { LaneBytes::Row(row.step) };
                RegValue::Address(Address { moved: Some(start), lanes, ..Address::default() })
            }
            (_, true) => RegValue::Row(Row { start, step: row.step }),
            (_, false) => RegValue::Plain(start),
        })
    }

    fn whole_row(&mut self, start: i64, step: i64, ty: GangType) -> RegValue {
        if ty.number == NumberType::Pointer {
            let lanes = if step == 0 { LaneBytes::Same } else { LaneBytes::Row(step) };
            return RegValue::Address(Address { constant: start, lanes, ..Address::default() });
        }
        let start: Operand = wrapped(start, ty.number.bits()).to_string().into();
        match ty.is_varying {
            true => RegValue::Row(Row { start, step }),
            false => RegValue::Plain(start),
        }
    }

    /// A number as one of another type.
    pub(crate) fn convert(&mut self, value: &str, of: NumberType, to: NumberType, varies: bool) -> Operand {
        use NumberType::*;
        if of == to {
            return value.into();
        }
        let (from, into) = (self.shaped(element(of), varies), self.shaped(element(to), varies));
        match (of, to) {
            (F16, _) => {
                let wide = self.half_to_float(value, varies);
                self.convert(&wide, F32, to, varies)
            }
            (F32, F16) => self.float_to_half(value, varies),
            (F64, F16) => self.double_to_half(value, varies),
            (_, F16) => {
                let wide = self.convert(value, of, F64, varies);
                self.double_to_half(&wide, varies)
            }
            (F32, F64) => self.set(format!("fpext {from} {value} to {into}")),
            (F64, F32) => self.set(format!("fptrunc {from} {value} to {into}")),
            (F32 | F64, Bool) => {
                let zero = self.constant(element(of), "0.0", varies);
                self.set(format!("fcmp une {from} {value}, {zero}"))
            }
            (F32 | F64, _) => {
                let (name, through) = match to {
                    U64 | Pointer => ("fptoui", "i64"),
                    I64 | U32 => ("fptosi", "i64"),
                    _ => ("fptosi", "i32"),
                };
                let wide = self.shaped(through, varies);
                let name = format!("llvm.{name}.sat.{}.{}", mangled(&wide), mangled(&from));
                let whole = self.call(&wide, &name, &[(&from, value)]);
                let through = if through == "i64" { I64 } else { I32 };
                match through.bits() == to.bits() {
                    true => whole,
                    false => self.set(format!("trunc {wide} {whole} to {into}")),
                }
            }
            (_, F32 | F64) => {
                let op = if of.is_signed() { "sitofp" } else { "uitofp" };
                self.set(format!("{op} {from} {value} to {into}"))
            }
            (_, Bool) => {
                let zero = self.constant(element(of), "0", varies);
                self.set(format!("icmp ne {from} {value}, {zero}"))
            }
            _ if of.bits() == to.bits() => value.into(),
            _ if of.bits() > to.bits() => self.set(format!("trunc {from} {value} to {into}")),
            _ => {
                let op = if of.is_signed() { "sext" } else { "zext" };
                self.set(format!("{op} {from} {value} to {into}"))
            }
        }
    }

    fn reinterpreted(&mut self, from: GangReg, ty: GangType) -> RegValue {
        let of = self.type_of(from);
        if let Some(RegValue::Row(row)) = self.value(from)
            && is_row_number(ty.number)
        {
            return RegValue::Row(row.clone());
        }
        let value = self.numbers_of(from);
        let (old, new) =
            (self.shaped(element(of.number), ty.is_varying), self.shaped(element(ty.number), ty.is_varying));
        if ty.number == NumberType::Pointer && !ty.is_varying {
            return RegValue::Address(Address { moved: Some(value), ..Address::default() });
        }
        RegValue::Plain(if old == new { value } else { self.set(format!("bitcast {old} {value} to {new}")) })
    }

    fn spread(&mut self, from: GangReg) -> RegValue {
        let ty = self.type_of(from);
        if ty.number == NumberType::Pointer {
            return RegValue::Address(self.address(from));
        }
        match self.row(from) {
            Some(row) => RegValue::Row(row),
            None => {
                let value = self.plain(from);
                RegValue::Plain(self.splat(element(ty.number), &value))
            }
        }
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
    fn widened(&mut self, value: &str, number: NumberType, varies: bool) -> (Operand, String) {
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

    /// What an op makes of two numbers, of all lanes or of each.
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

    fn two_wholes(&mut self, op: TwoOperands, number: NumberType, left: &str, right: &str, varies: bool) -> Operand {
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
    fn divided(&mut self, op: TwoOperands, of: GangType, left: &str, right: &str, by: Option<i64>) -> Operand {
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
