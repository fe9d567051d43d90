//! Ops that work element by element, on scalars or vectors.
//!
//! Vector ops may not trap, and none of their lanes may be poison, since a lane that fails may be one that is not
//! demanded: additions wrap, divisors that would fail are made 1, and results that LLVM leaves undefined are frozen. A
//! scalar that fails is the program's error, so there LLVM is told that signed arithmetic does not overflow.

use ir::target::Family;
use ir::{Attr, Code, Elem, Op, Scalar, Value};

use super::function::Function;
use super::values::{Ty, Unit, Val};

/// The flags by which a division may be a multiplication by the reciprocal.
const RECIPROCAL: &str = " arcp contract";

/// The types that an op is written with: the operands' element type, and the LLVM type of operands and result.
struct Each {
    elem: Elem,
    ty: Ty,
}

impl Function<'_> {
    /// Writes an elementwise op, with its result.
    pub(super) fn elementwise(&mut self, op: Op) {
        let kernel = self.kernel;
        let data = &kernel.ops[op];
        let result = data.results[0];
        let lanes = kernel.ty(result).lanes();
        if data.code == Code::Advance && lanes.is_none() {
            return self.advance(result, data.operands[0], data.operands[1]);
        }
        if let Some(kind) = data.code.as_running() {
            return self.running(op, kind);
        }
        let operands: Vec<Val> = match data.code {
            // A scalar condition chooses whole vectors.
            Code::Select => {
                let sides = [1, 2].map(|number| self.get_in(data.operands[number], lanes));
                std::iter::once(self.get(data.operands[0])).chain(sides).collect()
            }
            _ => data.operands.iter().map(|&value| self.get_in(value, lanes)).collect(),
        };
        let val = self.applied(op, self.elem(data.operands[0]), &operands);
        self.set(result, val);
    }

    /// The result of an op on operands whose elements are, or are computed as, of some type.
    fn applied(&mut self, op: Op, elem: Elem, operands: &[Val]) -> Val {
        let kernel = self.kernel;
        let data = &kernel.ops[op];
        if elem.is_half() {
            match data.code {
                Code::Neg => return self.with_bits("xor", 0x8000, &operands[0]),
                Code::Abs => return self.with_bits("and", 0x7fff, &operands[0]),
                Code::Fma => return self.fma_of_halves(elem, [0, 1, 2].map(|number| &operands[number])),
                Code::Min | Code::Max => return self.least(data.code, elem, &operands[0], &operands[1]),
                Code::Select | Code::Cast | Code::Bitcast => {}
                _ => {
                    let wide: Vec<Val> = operands.iter().map(|operand| self.as_float(elem, operand)).collect();
                    let result = self.applied(op, Elem::F32, &wide);
                    let stays = self.elem(data.results[0]) == Elem::Bool;
                    return if stays { result } else { self.as_half(elem, &result) };
                }
            }
        }
        let each = Each { elem, ty: operands[0].ty };
        match (data.code, operands, &data.attr) {
            (Code::Select, [c, a, b], _) => self.named(a.ty, format!("select {c}, {a}, {b}")),
            (Code::Cast, [x], Attr::Elem(to)) if self.is_lower_half_of_bits(data.operands[0], *to, x) => {
                self.lower_halves(x)
            }
            (Code::Cast, [x], Attr::Elem(to)) => self.cast(each.elem, *to, x),
            (Code::Bitcast, [x], Attr::Elem(to)) => self.bitcast(each.elem, *to, x),
            (Code::Index, [x], _) => match self.wide_index(data.operands[0]) {
                Some(wide) => wide,
                None => self.index_op(each.elem, x),
            },
            (code, [a], _) => self.unary(code, &each, a),
            (Code::Div, [a, b], _) if each.elem.is_float() => {
                let flags = if kernel.may_use_reciprocal(op) { RECIPROCAL } else { "" };
                self.named(a.ty, format!("fdiv{flags} {a}, {}", b.text))
            }
            (code, [a, b], _) => self.binary(code, &each, a, b),
            (Code::Fma, [a, b, c], _) => self.fma(each.elem, [a, b, c]),
            (Code::MulAdd, [a, b, c], _) => {
                let ty = a.ty;
                self.named(ty, format!("call {ty} @llvm.fmuladd.{}({a}, {b}, {c})", ty.suffix()))
            }
            (code, ..) => panic!("{op}: there is no rule for `{}`", code.row().name),
        }
    }

    /// Combines the bits of a value with constant ones.
    fn with_bits(&mut self, name: &str, bits: i128, x: &Val) -> Val {
        let bits = self.in_lanes(Val::int(x.ty.unit, bits), x.ty.lanes);
        self.named(x.ty, format!("{name} {x}, {}", bits.text))
    }

    /// The index so many further on: with its wide form, in which addresses are computed.
    fn advance(&mut self, result: Value, index: Value, by: Value) {
        let [first, by] = [index, by].map(|value| self.exact(value));
        let wide = self.add(&first, &by);
        let hint = self.hint(result, "advance");
        self.set_index(result, &hint, &wide, Unit::of(self.elem(result)));
    }

    fn unary(&mut self, code: Code, each: &Each, a: &Val) -> Val {
        let &Each { elem, ty } = each;
        let suffix = ty.suffix();
        let call = |name: &str, more: &str| format!("call {ty} @llvm.{name}.{suffix}({a}{more})");
        let one = || Val::scalar(Scalar::one(elem));
        let no_wrap = if elem.is_signed() && ty.lanes.is_none() { "nsw " } else { "" };
        match code {
            Code::Neg if elem.is_float() => self.named(ty, format!("fneg {a}")),
            Code::Neg => self.named(ty, format!("sub {no_wrap}{ty} {}, {}", zero_text(ty), a.text)),
            Code::Abs if elem.is_float() => self.named(ty, call("fabs", "")),
            Code::Abs if elem.is_signed() => self.named(ty, call("abs", ", i1 false")),
            Code::Abs => a.clone(),
            Code::Sqrt => self.named(ty, call("sqrt", "")),
            Code::Floor => self.named(ty, call("floor", "")),
            Code::Ceil => self.named(ty, call("ceil", "")),
            Code::Round => self.named(ty, call("roundeven", "")),
            Code::Trunc => self.named(ty, call("trunc", "")),
            Code::Rcp => {
                let one = self.in_lanes(one(), ty.lanes);
                self.named(ty, format!("fdiv{} {one}, {}", self.reciprocal(), a.text))
            }
            Code::Rsqrt => {
                let root = self.make("root", ty, format!("call{} {ty} @llvm.sqrt.{suffix}({a})", self.estimate()));
                let one = self.in_lanes(one(), ty.lanes);
                self.named(ty, format!("fdiv{} {one}, {}", self.estimate(), root.text))
            }
            Code::Popcount => self.named(ty, call("ctpop", "")),
            Code::Clz => self.named(ty, call("ctlz", ", i1 false")),
            Code::Ctz => self.named(ty, call("cttz", ", i1 false")),
            Code::ByteSwap if elem.bits() == 8 => a.clone(),
            Code::ByteSwap => self.named(ty, call("bswap", "")),
            Code::ReverseBits => self.named(ty, call("bitreverse", "")),
            Code::Isnan => self.named(ty.with(Unit::Int(1)), format!("fcmp uno {a}, {}", a.text)),
            Code::Not => {
                let ones = self.in_lanes(Val::int(ty.unit, -1), ty.lanes);
                self.named(ty, format!("xor {a}, {}", ones.text))
            }
            other => panic!("there is no rule for `{}`", other.row().name),
        }
    }

    fn binary(&mut self, code: Code, each: &Each, a: &Val, b: &Val) -> Val {
        let &Each { elem, ty } = each;
        let (float, signed) = (elem.is_float(), elem.is_signed());
        if let Some(predicate) = predicate(code, elem) {
            let compare = if float { "fcmp" } else { "icmp" };
            return self.named(ty.with(Unit::Int(1)), format!("{compare} {predicate} {a}, {}", b.text));
        }
        let no_wrap = if signed && ty.lanes.is_none() { " nsw" } else { "" };
        let integer = match code {
            Code::Div | Code::Rem | Code::FloorDiv if !float => return self.divide(code, each, a, b),
            Code::Shl | Code::Shr => return self.shift(code, each, a, b),
            Code::Min | Code::Max => return self.least(code, elem, a, b),
            Code::MulHigh => return self.upper_half(elem, a, b),
            Code::AddSat | Code::SubSat => {
                let sign = if signed { "s" } else { "u" };
                let which = if code == Code::AddSat { "add" } else { "sub" };
                let suffix = ty.suffix();
                return self.named(ty, format!("call {ty} @llvm.{sign}{which}.sat.{suffix}({a}, {b})"));
            }
            Code::Add if !float => format!("add{no_wrap}"),
            Code::Sub if !float => format!("sub{no_wrap}"),
            Code::Mul if !float => format!("mul{no_wrap}"),
            Code::WrappingAdd | Code::Advance => "add".to_owned(),
            Code::WrappingSub => "sub".to_owned(),
            Code::WrappingMul => "mul".to_owned(),
            Code::And => "and".to_owned(),
            Code::Or => "or".to_owned(),
            Code::Xor => "xor".to_owned(),
            Code::Add => format!("fadd{}", self.contract()),
            Code::Sub => format!("fsub{}", self.contract()),
            Code::Mul => format!("fmul{}", self.contract()),
            Code::Rem => return self.remainder(elem, a, b),
            Code::FloorDiv => {
                let quotient = self.make("quotient", ty, format!("fdiv {a}, {}", b.text));
                return self.named(ty, format!("call {ty} @llvm.floor.{}({quotient})", ty.suffix()));
            }
            other => panic!("there is no rule for `{}`", other.row().name),
        };
        self.named(ty, format!("{integer} {a}, {}", b.text))
    }

    /// Returns the flag that allows contraction, which `@fast` asks for.
    pub(super) fn contract(&self) -> &'static str {
        if self.kernel.marks.fast { " contract" } else { "" }
    }

    /// Returns the flags of a reciprocal, which `@fast` allows to be an estimate.
    fn reciprocal(&self) -> &'static str {
        if self.kernel.marks.fast { RECIPROCAL } else { "" }
    }

    /// Returns the flags that make a reciprocal root an estimate with one step of Newton's method, which `@fast` allows. It is NaN for
    /// zeros, infinities and subnormals, so the prelude calls it behind a test for these (`rsqrt_f32_fast`).
    fn estimate(&self) -> &'static str {
        if self.kernel.marks.fast { " reassoc arcp contract afn" } else { "" }
    }

    /// `a if a < b else b`, and the other way around.
    pub(super) fn least(&mut self, code: Code, elem: Elem, a: &Val, b: &Val) -> Val {
        let ty = a.ty;
        if elem.is_half() {
            let [x, y] = [a, b].map(|val| self.as_float(elem, val));
            let predicate = if code == Code::Min { "olt" } else { "ogt" };
            let less = self.make("less", ty.with(Unit::Int(1)), format!("fcmp {predicate} {x}, {}", y.text));
            return self.named(ty, format!("select {less}, {a}, {b}"));
        }
        if elem.is_float() {
            let predicate = if code == Code::Min { "olt" } else { "ogt" };
            let less = self.make("less", ty.with(Unit::Int(1)), format!("fcmp {predicate} {a}, {}", b.text));
            return self.named(ty, format!("select {less}, {a}, {b}"));
        }
        let sign = if elem.is_signed() { "s" } else { "u" };
        let which = if code == Code::Min { "min" } else { "max" };
        self.named(ty, format!("call {ty} @llvm.{sign}{which}.{}({a}, {b})", ty.suffix()))
    }

    /// The upper half of the product of two integers.
    fn upper_half(&mut self, elem: Elem, a: &Val, b: &Val) -> Val {
        let (ty, width) = (a.ty, bits(a.ty.unit));
        if elem.bytes() == 8 && !self.target.wide_products {
            return self.upper_half_by_parts(elem, a, b);
        }
        let wide = ty.with(Unit::Int(2 * width as u16));
        let (extend, shift) = if elem.is_signed() { ("sext", "ashr") } else { ("zext", "lshr") };
        let [a, b] = [a, b].map(|val| self.make("wide", wide, format!("{extend} {val} to {wide}")));
        let product = self.make("product", wide, format!("mul {a}, {}", b.text));
        let by = self.in_lanes(Val::int(wide.unit, width), wide.lanes);
        let upper = self.make("upper", wide, format!("{shift} {product}, {}", by.text));
        self.named(ty, format!("trunc {upper} to {ty}"))
    }

    fn shift(&mut self, code: Code, each: &Each, a: &Val, b: &Val) -> Val {
        let ty = each.ty;
        let name = match code {
            Code::Shl => "shl",
            _ if each.elem.is_signed() => "ashr",
            _ => "lshr",
        };
        if ty.lanes.is_none() || b.number_in_lanes().is_some_and(|by| (0..bits(ty.unit)).contains(&by)) {
            return self.named(ty, format!("{name} {a}, {}", b.text));
        }
        let shifted = self.make("shifted", ty, format!("{name} {a}, {}", b.text));
        self.named(ty, format!("freeze {shifted}"))
    }

    /// Divides integers; vectors by divisors that never trap.
    fn divide(&mut self, code: Code, each: &Each, a: &Val, b: &Val) -> Val {
        let &Each { elem, ty } = each;
        let b = if ty.lanes.is_some() { self.safe_divisor(each, a, b) } else { b.clone() };
        let sign = if elem.is_signed() { "s" } else { "u" };
        match code {
            Code::Div => self.named(ty, format!("{sign}div {a}, {}", b.text)),
            Code::Rem => self.named(ty, format!("{sign}rem {a}, {}", b.text)),
            _ if !elem.is_signed() => self.named(ty, format!("udiv {a}, {}", b.text)),
            _ => {
                let bool = ty.with(Unit::Int(1));
                let zero = zero_text(ty);
                let quotient = self.make("quotient", ty, format!("sdiv {a}, {}", b.text));
                let product = self.make("product", ty, format!("mul {quotient}, {}", b.text));
                let inexact = self.make("inexact", bool, format!("icmp ne {product}, {}", a.text));
                let signs = self.make("signs", ty, format!("xor {a}, {}", b.text));
                let below = self.make("below", bool, format!("icmp slt {signs}, {zero}"));
                let down = self.make("down", bool, format!("and {inexact}, {}", below.text));
                let one = self.make("one", ty, format!("sext {down} to {ty}"));
                self.named(ty, format!("add {quotient}, {}", one.text))
            }
        }
    }

    /// Returns the divisor, with 1 in the lanes where it would trap.
    fn safe_divisor(&mut self, each: &Each, a: &Val, b: &Val) -> Val {
        let &Each { elem, ty } = each;
        if b.number_in_lanes().is_some_and(|number| number != 0 && number != -1) {
            return b.clone();
        }
        let bool = ty.with(Unit::Int(1));
        let one = self.in_lanes(Val::int(ty.unit, 1), ty.lanes);
        let zero = self.make("zero", bool, format!("icmp eq {b}, {}", zero_text(ty)));
        let mut bad = zero;
        if let Some((least, _)) = elem.integer_range().filter(|_| elem.is_signed()) {
            let least = self.in_lanes(Val::int(ty.unit, least), ty.lanes);
            let minus = self.in_lanes(Val::int(ty.unit, -1), ty.lanes);
            let is_least = self.make("is_least", bool, format!("icmp eq {a}, {}", least.text));
            let is_minus = self.make("is_minus", bool, format!("icmp eq {b}, {}", minus.text));
            let over = self.make("over", bool, format!("and {is_least}, {}", is_minus.text));
            bad = self.make("bad", bool, format!("or {bad}, {}", over.text));
        }
        self.make("divisor", ty, format!("select {bad}, {one}, {b}"))
    }

    pub(super) fn cast(&mut self, from: Elem, to: Elem, x: &Val) -> Val {
        let ty = x.ty.with(Unit::of(to));
        if from == to {
            return x.clone();
        }
        if from.is_half() || to.is_half() {
            return self.cast_of_half(from, to, x);
        }
        let frozen = x.ty.lanes.is_some() && from.is_float() && to.is_integer();
        let name = match (from, to) {
            (_, Elem::Bool) if from.is_float() => {
                return self.named(ty, format!("fcmp une {x}, {}", zero_text(x.ty)));
            }
            (_, Elem::Bool) => return self.named(ty, format!("icmp ne {x}, {}", zero_text(x.ty))),
            (Elem::F32, Elem::F64) => "fpext",
            (Elem::F64, Elem::F32) => "fptrunc",
            _ if to.is_float() && from.is_signed() => "sitofp",
            _ if to.is_float() => "uitofp",
            _ if from.is_float() && to.is_signed() => "fptosi",
            _ if from.is_float() => "fptoui",
            _ if from.bytes() == to.bytes() && from != Elem::Bool => return x.clone(),
            _ if from.bytes() > to.bytes() => "trunc",
            _ if from.is_signed() => "sext",
            _ => "zext",
        };
        if !frozen {
            return self.named(ty, format!("{name} {x} to {ty}"));
        }
        let whole = self.make("whole", ty, format!("{name} {x} to {ty}"));
        self.named(ty, format!("freeze {whole}"))
    }

    /// Tells if a cast to 32 bits takes half of the bits of doubles that fill several registers of x86. LLVM narrows each register there
    /// and joins them, where one shuffle picks from two. Of sums of wide integers, the narrow ones may be all that is
    /// computed, which LLVM sees by the cast alone.
    fn is_lower_half_of_bits(&self, value: Value, to: Elem, x: &Val) -> bool {
        let is_wide =
            |lanes: u16| lanes.is_multiple_of(2) && 8 * u32::from(lanes) > u32::from(self.target.register_bytes);
        let wide = x.ty.lanes.is_some_and(is_wide);
        let narrows = x.ty.unit == Unit::Int(64) && matches!(to, Elem::I32 | Elem::U32);
        self.target.family == Family::X86 && narrows && wide && self.has_bits_of_double(value)
    }

    /// Tells if a value is the bits of a double, shifted or as they are.
    fn has_bits_of_double(&self, value: Value) -> bool {
        let kernel = self.kernel;
        let Some(op) = kernel.def_op(value) else { return false };
        let data = &kernel.ops[op];
        match data.code {
            Code::Bitcast => self.elem(data.operands[0]) == Elem::F64,
            Code::Shr => self.has_bits_of_double(data.operands[0]),
            _ => false,
        }
    }

    /// The lower half of each 64 bits: of two vectors beside each other, every second element.
    fn lower_halves(&mut self, x: &Val) -> Val {
        let lanes = x.ty.lanes.unwrap_or(1);
        let part = Ty::lanes(x.ty.unit, lanes / 2);
        let narrow = Ty::lanes(Unit::Int(32), lanes);
        let [low, high] = [0, lanes / 2].map(|first| {
            let picks = Val::numbers(Unit::Int(32), (first..first + lanes / 2).map(i128::from));
            let half = self.make("half", part, format!("shufflevector {x}, {} poison, {picks}", x.ty));
            self.make("words", narrow, format!("bitcast {half} to {narrow}"))
        });
        let picks = Val::numbers(Unit::Int(32), (0..lanes).map(|lane| i128::from(2 * lane)));
        self.named(narrow, format!("shufflevector {low}, {high}, {picks}"))
    }

    fn bitcast(&mut self, from: Elem, to: Elem, x: &Val) -> Val {
        let ty = x.ty.with(Unit::of(to));
        match (from, to) {
            _ if x.ty == ty => x.clone(),
            (Elem::Bool, _) => self.named(ty, format!("zext {x} to {ty}")),
            (_, Elem::Bool) => self.named(ty, format!("icmp ne {x}, {}", zero_text(x.ty))),
            _ => self.named(ty, format!("bitcast {x} to {ty}")),
        }
    }

    /// An integer as `i64`; what is above its range becomes its greatest value.
    fn index_op(&mut self, elem: Elem, x: &Val) -> Val {
        let ty = x.ty.with(Unit::Int(64));
        match elem {
            Elem::I64 => x.clone(),
            Elem::U64 => {
                let most = self.in_lanes(Val::i64(i64::MAX), ty.lanes);
                self.named(ty, format!("call {ty} @llvm.umin.{}({x}, {most})", ty.suffix()))
            }
            _ if elem.is_signed() => self.named(ty, format!("sext {x} to {ty}")),
            _ => self.named(ty, format!("zext {x} to {ty}")),
        }
    }
}

/// Zero, as the second operand of an instruction.
pub(super) fn zero_text(ty: Ty) -> &'static str {
    match (ty.lanes, ty.unit) {
        (Some(_), _) => "zeroinitializer",
        (None, Unit::Half | Unit::Float | Unit::Double) => "0.0",
        (None, Unit::Ptr) => "null",
        (None, Unit::Int(1)) => "false",
        (None, Unit::Int(_)) => "0",
    }
}

/// The number of bits of an integer.
pub(super) fn bits(unit: Unit) -> i128 {
    match unit {
        Unit::Int(bits) => bits.into(),
        Unit::Half => 16,
        Unit::Float => 32,
        Unit::Double | Unit::Ptr => 64,
    }
}

/// LLVM's name of a comparison.
fn predicate(code: Code, elem: Elem) -> Option<&'static str> {
    let [float, signed, unsigned] = match code {
        Code::Lt => ["olt", "slt", "ult"],
        Code::Le => ["ole", "sle", "ule"],
        Code::Gt => ["ogt", "sgt", "ugt"],
        Code::Ge => ["oge", "sge", "uge"],
        Code::Eq => ["oeq", "eq", "eq"],
        Code::Ne => ["une", "ne", "ne"],
        _ => return None,
    };
    Some(match elem {
        _ if elem.is_float() => float,
        _ if elem.is_signed() => signed,
        _ => unsigned,
    })
}

impl Val {
    /// The number that it is in every lane, if that is known.
    pub(super) fn number_in_lanes(&self) -> Option<i128> {
        let inner = self.text.strip_prefix("splat (").and_then(|rest| rest.strip_suffix(')'));
        inner.map_or(self.text.as_str(), |inner| inner.rsplit(' ').next().unwrap_or_default()).parse().ok()
    }
}
