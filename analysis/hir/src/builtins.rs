//! Builtins: functions, lane values and attributes that no text defines, one row each.
//!
//! A builtin's row has its name, its type rule, its meaning for one element, its op in Lane IR, and the sentence that a
//! hover shows. A new function of scalars is a row, with an op or a function of the [prelude](queries::prelude) behind
//! it; no other code knows its name.
//!
//! An attribute's row has its name, its arguments, the places that it may stand above, and the mark that it sets.

use ir::halves::{Bf16, F16};
use ir::ops::WorkKind;
use ir::scalar::{self, Checked};
use ir::{AtomicRule, Code, Elem, ElemSet, Fold, KernelMarks, Marks, Scalar, Value};

use crate::vectors::Vector;
use crate::{BinOp, Literal};

/// The type rule of a builtin. `T` is one scalar type for all that it stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TypeRule {
    /// `n` values of one type from the set, and a result of that type.
    Same(ElemSet, usize),
    /// One value of a type from the set, and a result of another type.
    To(ElemSet, ElemSet),
    /// A float from the first set, and an `i32`: the result has the float's type.
    Scale(ElemSet),
    /// The bits of a value of a type from the set: of a float as an unsigned integer, of such an integer as a float.
    Bits(ElemSet),
    /// A number, and another one whose type the result has.
    Like,
    /// An integer whose type the result has, which may be the type itself, and a number.
    Saturate,
    /// The types that the function of the prelude has, which takes so many arguments.
    Function(usize),
    /// So many structs whose fields are floats of one type: see [`Builtin::of_vectors`].
    Vectors(usize),
    /// The choice of `select(c, a, b)`.
    Select,
    /// A value without arguments: `lane_id`, `LANES`, and numbers such as `pi`.
    Value,
    /// A number of the type of the argument, which may be the type itself: `largest(u8)`.
    Limit,
    /// A question to all lanes: `any(c)` and its like.
    Vote,
    /// `broadcast(x, lane)` and its like: a value, and a lane or a distance.
    Move,
    /// The packed store `compress_store(a, at, x)`.
    CompressStore,
    /// The packed load `expand_load(a, at)`.
    ExpandLoad,
    /// The atomic `atomic_add(a, i, x)` and its like.
    Atomic,
    /// The request `prefetch(a, i)`.
    Prefetch,
    /// A size of an array: `length(a)`, `length(a, dim)`.
    Length,
    /// The elementwise `map(f, a, ...)`.
    Map,
    /// The reduction `reduce(f, zero, a)`.
    Reduce,
    /// The prefixes of `scan(f, zero, a)`.
    Scan,
    /// The numbers of `iota(n)`.
    Iota,
    /// The repeated value of `replicate(n, x)`.
    Replicate,
    /// The tuples of `zip(a, b, ...)`.
    Zip,
}

impl TypeRule {
    /// Says whether a function of scalars takes these: their types are checked elsewhere, and may be wrong.
    pub fn takes(self, values: &[Scalar]) -> bool {
        let all = |set: ElemSet| values.iter().all(|value| set.contains(value.elem()));
        match self {
            TypeRule::Same(set, n) => values.len() == n && all(set),
            TypeRule::To(set, _) | TypeRule::Bits(set) => values.len() == 1 && all(set),
            TypeRule::Scale(set) => {
                matches!(values, [x, by] if set.contains(x.elem()) && by.elem() == Elem::I32)
            }
            TypeRule::Like => values.len() == 2 && all(ElemSet::NUMBERS),
            TypeRule::Saturate => values.len() == 2 && all(ElemSet::NUMBERS) && values[0].elem().is_integer(),
            TypeRule::Limit => values.len() == 1 && all(ElemSet::NUMBERS),
            TypeRule::Function(n) => values.len() == n,
            _ => true,
        }
    }

    /// Says whether it is about scalars, so that a builtin with it goes element by element over arrays.
    pub fn is_of_scalars(self) -> bool {
        matches!(
            self,
            TypeRule::Same(..)
                | TypeRule::To(..)
                | TypeRule::Scale(_)
                | TypeRule::Like
                | TypeRule::Saturate
                | TypeRule::Bits(_)
                | TypeRule::Select
        )
    }

    /// Says whether a call changes the array that is its first argument.
    pub fn stores(self) -> bool {
        matches!(self, TypeRule::CompressStore | TypeRule::Atomic)
    }

    /// Says whether the first argument may be a type.
    pub fn takes_type(self) -> bool {
        matches!(self, TypeRule::Limit | TypeRule::Saturate)
    }
}

/// The rule of a function of scalars, which is one of [`ir::scalar`].
pub type Rule = fn(&[Scalar]) -> Checked;

/// The meaning of a builtin: how the evaluator computes it, and which op it becomes in Lane IR.
#[derive(Debug, Clone, Copy)]
pub enum Means {
    /// A function of scalars: its rule, and its op.
    Scalars(Rule, Code),
    /// The bits of a value, as another type of the same size.
    Bits,
    /// The first value, converted to the type of the second.
    Like,
    /// The second value, converted to the integer type of the first; where it does not fit, the nearest end of that.
    Saturate,
    /// A function of the prelude of the same name.
    Prelude,
    /// Functions of the prelude, one for each float type: see [`Builtin::functions`].
    ByType,
    /// The choice between two values, both of which are evaluated.
    Select,
    /// A number, of the float type that its place asks for.
    Number(f64),
    /// The greatest finite value of the argument's type, or the least.
    Limit(Limit),
    /// The number of the lane.
    LaneNumber,
    /// The number of lanes that run together.
    LaneCount,
    /// A question to all active lanes.
    Vote(Vote, Code),
    /// The values of the active lanes, joined.
    Joined(Fold, Code),
    /// The sum of the values of the active lanes before this one.
    PrefixSum(Code),
    /// The value of another lane.
    Moved(LaneSource, Code),
    /// A size of an array.
    Length,
    /// A store side by side.
    CompressStore,
    /// A load of elements that lie side by side.
    ExpandLoad,
    /// A step that no other thread gets in between: its rule, and its op.
    Atomic(AtomicRule, Code),
    /// A request to bring a cell into the cache.
    Prefetch,
    /// An operation on whole arrays, by the type rule.
    Arrays,
    /// A function of structs alone: see [`Builtin::of_vectors`].
    Vectors,
}

/// An end of the values of a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// The greatest finite value.
    Largest,
    /// The least finite value: of floats the negative of the greatest.
    Lowest,
}

impl Limit {
    /// Returns the limit in an element type.
    pub fn of(self, elem: Elem) -> Scalar {
        let float = |largest: f64| if self == Limit::Largest { largest } else { -largest };
        let bits = elem.bits() - u32::from(elem.is_signed());
        let integer = match self {
            Limit::Largest => (1i128 << bits) - 1,
            Limit::Lowest if elem.is_signed() => -(1i128 << bits),
            Limit::Lowest => 0,
        };
        match elem {
            Elem::F32 => Scalar::F32(float(f32::MAX.into()) as f32),
            Elem::F64 => Scalar::F64(float(f64::MAX)),
            Elem::F16 => Scalar::F16(F16::round(float(F16::MAX.wide().into()))),
            Elem::Bf16 => Scalar::Bf16(Bf16::round(float(Bf16::MAX.wide().into()))),
            elem => Scalar::wrap(elem, integer),
        }
    }
}

/// A question to the active lanes about a condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Vote {
    /// Does it hold in one of them?
    Any,
    /// Does it hold in each of them?
    All,
    /// Does it hold in none of them?
    None,
}

/// The lane whose value a lane takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LaneSource {
    /// The one that is named.
    Named,
    /// The one that is so many lanes further on, round and round.
    FurtherOn,
}

/// Names of the function in the prelude that `x ** y` is, for values of a type, the first of which there is.
pub fn functions_of_power(of: Elem, fast: bool) -> Vec<String> {
    match (of.is_float(), BuiltinId::from_name("pow")) {
        (true, Some(pow)) => pow.get().functions(of, fast).collect(),
        _ => vec![INTEGER_POWER.to_owned()],
    }
}

/// Names of all functions in the prelude that `x ** y` may be.
pub(crate) fn functions_of_powers() -> impl Iterator<Item = String> {
    let of_floats = BuiltinId::from_name("pow").into_iter().flat_map(|pow| pow.get().all_functions());
    of_floats.chain([INTEGER_POWER.to_owned()])
}

/// The function in the prelude that is the power of integers.
const INTEGER_POWER: &str = "integer_power";

/// The type whose bits are those of another type: the unsigned integer of a float's size, and back. Of the two floats of two bytes
/// the way back leads to `f16`.
pub fn type_of_bits(elem: Elem) -> Option<Elem> {
    match elem {
        Elem::F32 => Some(Elem::U32),
        Elem::F64 => Some(Elem::U64),
        Elem::F16 | Elem::Bf16 => Some(Elem::U16),
        Elem::U16 => Some(Elem::F16),
        Elem::U32 => Some(Elem::F32),
        Elem::U64 => Some(Elem::F64),
        _ => None,
    }
}

/// A builtin function or value.
#[derive(Debug)]
pub struct Builtin {
    /// The name, as programs write it.
    pub name: &'static str,
    /// The rule that gives the types of its arguments and its result.
    pub shape: TypeRule,
    /// The meaning, and the lowering.
    pub means: Means,
    /// The form of a call, with the names of the parameters.
    pub signature: &'static str,
    /// A description for people, of one or two sentences.
    pub docs: &'static str,
    /// True if the builtin sees other lanes, and so works inside `foreach` only.
    pub crosses_lanes: bool,
    /// True if such a builtin is something else of an array: the function of the prelude of its name, which sees no lanes. Calls of that are
    /// [`Inference::of_arrays`](crate::Inference::of_arrays).
    pub takes_arrays: bool,
}

/// The quantity that a function of the prelude adds up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Total {
    /// The elements of its first array, or products of them.
    Elements,
    /// The number of elements that are true.
    Matches,
}

/// The functions that add something up, by their names.
const TOTALS: &[(&str, Total)] = &[("sum", Total::Elements), ("dot", Total::Elements), ("count", Total::Matches)];

/// Elements that change nothing where a function joins those of an array, by the functions' names.
const NEUTRAL: &[(&str, Literal)] = &[
    ("sum", Literal::Int(0)),
    ("product", Literal::Int(1)),
    ("any", Literal::Bool(false)),
    ("count", Literal::Bool(false)),
    ("all", Literal::Bool(true)),
];

/// The way in which a function of an array joins the elements of several arrays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Joins {
    /// By an operator, from one element to the next.
    Operator(BinOp),
    /// By another function, of what it gives for each of them.
    By(&'static str),
}

/// Functions of all elements of an array that may be made of what they are of its parts.
const JOINS: &[(&str, Joins)] = &[
    ("sum", Joins::Operator(BinOp::Add)),
    ("product", Joins::Operator(BinOp::Mul)),
    ("any", Joins::By("any")),
    ("all", Joins::By("all")),
    ("count", Joins::By("sum")),
];

/// The bounds of what a function of the prelude gives for integers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bounded {
    /// The first argument, moved into the range from the second to the third.
    Within,
    /// A distance of two numbers.
    Distance,
    /// A number between the two arguments.
    Between,
}

/// Functions of the prelude whose results have bounds, by their names.
const BOUNDED: &[(&str, Bounded)] =
    &[("clamp", Bounded::Within), ("abs_diff", Bounded::Distance), ("avg_round", Bounded::Between)];

/// Functions of two numbers, and those that do the same for all elements of an array.
const OF_ELEMENTS: &[(&str, &str)] = &[("min", "minimum"), ("max", "maximum")];

/// The functions of vectors, by their names; some are functions of arrays, too.
const OF_VECTORS: &[(&str, Vector)] = &[
    ("dot", Vector::Dot),
    ("cross", Vector::Cross),
    ("length", Vector::Length),
    ("normalize", Vector::Normalize),
    ("distance", Vector::Distance),
    ("reflect", Vector::Reflect),
    ("transpose", Vector::Transpose),
    ("determinant", Vector::Determinant),
    ("inverse", Vector::Inverse),
    ("diagonal", Vector::Diagonal),
];

impl Builtin {
    /// The function of vectors that a call is whose first argument is a struct.
    pub fn of_vectors(&self) -> Option<Vector> {
        OF_VECTORS.iter().find(|(name, _)| *name == self.name).map(|(_, vector)| *vector)
    }

    /// The element that changes nothing of what the function gives for an array, if there is one.
    pub fn neutral(&self) -> Option<Literal> {
        NEUTRAL.iter().find(|(name, _)| *name == self.name).map(|(_, neutral)| *neutral)
    }

    /// The way in which the function joins the elements of several arrays, if it is one of all elements.
    pub fn joins(&self) -> Option<Joins> {
        JOINS.iter().find(|(name, _)| *name == self.name).map(|(_, joins)| *joins)
    }

    /// The function that does for all elements of an array what this one does for two numbers.
    pub fn of_elements(&self) -> Option<BuiltinId> {
        OF_ELEMENTS.iter().find(|(name, _)| *name == self.name).and_then(|(_, of)| BuiltinId::from_name(of))
    }

    /// The quantity that the function adds up, if it adds up any.
    pub fn total(&self) -> Option<Total> {
        TOTALS.iter().find(|(name, _)| *name == self.name).map(|(_, total)| *total)
    }

    /// The names of the parameters, as the signature has them.
    pub fn params(&self) -> impl Iterator<Item = &'static str> {
        let list = self.signature.split_once('(').and_then(|(_, rest)| rest.strip_suffix(')'));
        list.unwrap_or_default().split(", ").filter(|name| !name.is_empty())
    }

    /// Says whether arguments may be given by the names of the parameters: all have one, and each stands for one value.
    pub fn takes_names(&self) -> bool {
        self.shape.is_of_scalars() || matches!(self.shape, TypeRule::Function(_) | TypeRule::Vectors(_))
    }

    /// The bounds of the result, where the arguments have any.
    pub fn bounded(&self) -> Option<Bounded> {
        BOUNDED.iter().find(|(name, _)| *name == self.name).map(|(_, bounded)| *bounded)
    }

    /// The kind of work that a call is; `None` for what computes nothing.
    pub fn work(&self) -> Option<WorkKind> {
        match self.means {
            Means::Scalars(_, code) => code.work(),
            Means::Select | Means::Vote(..) => Some(WorkKind::Mask),
            Means::Moved(..) => Some(WorkKind::Shuffle),
            Means::CompressStore | Means::Atomic(..) => Some(WorkKind::Store),
            Means::ExpandLoad | Means::Prefetch => Some(WorkKind::Load),
            Means::Limit(_) => None,
            Means::Vectors | Means::Bits | Means::Like | Means::Saturate | Means::Prelude | Means::ByType => {
                Some(WorkKind::Arithmetic)
            }
            Means::Joined(..) | Means::PrefixSum(_) | Means::Arrays => Some(WorkKind::Arithmetic),
            _ => None,
        }
    }

    /// Names of the function in the prelude that a call is, the first of which there is. `of` is the type of the first argument; with
    /// `fast` the call stands in an item marked `@fast`. The name of a function that has a text for each type ends in it:
    /// `exp_f32`, and in `_fast` if the text is that of `@fast`: `exp_f32_fast`. A builtin with an op may have one for `@fast` alone.
    pub fn functions(&self, of: Elem, fast: bool) -> impl Iterator<Item = String> + use<'_> {
        let (by_type, plain) = (matches!(self.means, Means::ByType), matches!(self.means, Means::Prelude));
        let has_fast = by_type || matches!(self.means, Means::Scalars(..));
        let fast_one = (has_fast && fast).then(|| format!("{}_{of}_fast", self.name));
        let strict = by_type.then(|| format!("{}_{of}", self.name));
        [fast_one, strict, plain.then(|| self.name.to_owned())].into_iter().flatten()
    }

    /// Names of all functions in the prelude that calls of the builtin may be.
    pub fn all_functions(&self) -> impl Iterator<Item = String> + use<'_> {
        let of = |elem| [false, true].map(|fast| self.functions(elem, fast).next());
        let mut names: Vec<_> = Elem::ALL.into_iter().filter(|elem| elem.is_float()).flat_map(of).flatten().collect();
        names.dedup();
        names.into_iter()
    }
}

/// The index of a builtin in the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct BuiltinId(u8);

impl BuiltinId {
    /// The builtin of a name.
    pub fn from_name(name: &str) -> Option<BuiltinId> {
        BUILTINS.iter().position(|builtin| builtin.name == name).map(|n| BuiltinId(n as u8))
    }

    /// Returns the builtin's row of the table.
    pub fn get(self) -> &'static Builtin {
        &BUILTINS[self.0 as usize]
    }
}

macro_rules! table {
    ($($name:literal $signature:literal $shape:expr, $means:expr, $docs:literal;)* lanes: $($lane_name:literal $lane_signature:literal $lane_shape:expr, $lane_means:expr, $lane_docs:literal;)* lanes and arrays: $($both_name:literal $both_signature:literal $both_shape:expr, $both_means:expr, $both_docs:literal;)*) => {
        &[
            $(Builtin { name: $name, shape: $shape, means: $means, signature: $signature, docs: $docs, crosses_lanes: false, takes_arrays: false },)*
            $(Builtin { name: $lane_name, shape: $lane_shape, means: $lane_means, signature: $lane_signature, docs: $lane_docs, crosses_lanes: true, takes_arrays: false },)*
            $(Builtin { name: $both_name, shape: $both_shape, means: $both_means, signature: $both_signature, docs: $both_docs, crosses_lanes: true, takes_arrays: true },)*
        ]
    };
}

use TypeRule::*;

const FLOATS: ElemSet = ElemSet::FLOATS;
const NUMBERS: ElemSet = ElemSet::NUMBERS;
const INTEGERS: ElemSet = ElemSet::INTEGERS;

/// All builtins, in the order of the language's page.
pub static BUILTINS: &[Builtin] = table! {
    "min" "min(a, b)" Same(NUMBERS, 2), Means::Scalars(|x| Ok(scalar::min(x[0], x[1])), Code::Min),
        "The smaller of the two: `a if a < b else b`. When one is NaN, the result is `b`.";
    "max" "max(a, b)" Same(NUMBERS, 2), Means::Scalars(|x| Ok(scalar::max(x[0], x[1])), Code::Max),
        "The larger of the two: `a if a > b else b`. When one is NaN, the result is `b`.";
    "abs" "abs(x)" Same(ElemSet::SIGNED_NUMBERS, 1), Means::Scalars(|x| scalar::abs(x[0]), Code::Abs),
        "The value without its sign.";
    "clamp" "clamp(x, lo, hi)" Same(NUMBERS, 3), Means::Prelude,
        "`x`, moved into the range from `lo` to `hi`: `min(max(x, lo), hi)`.";
    "select" "select(c, a, b)" Select, Means::Select,
        "`a` where `c` is true and `b` elsewhere. Unlike `a if c else b`, both are evaluated.";
    "sqrt" "sqrt(x)" Same(FLOATS, 1), Means::Scalars(|x| Ok(scalar::sqrt(x[0])), Code::Sqrt),
        "The square root, correctly rounded.";
    "rsqrt" "rsqrt(x)" Same(FLOATS, 1), Means::Scalars(|x| Ok(scalar::rsqrt(x[0])), Code::Rsqrt),
        "`1 / sqrt(x)`; under `@fast` an approximation, within 3 ulp.";
    "rcp" "rcp(x)" Same(FLOATS, 1), Means::Scalars(|x| Ok(scalar::rcp(x[0])), Code::Rcp),
        "`1 / x`; under `@fast` it may be an approximation.";
    "floor" "floor(x)" Same(FLOATS, 1), Means::Scalars(|x| Ok(scalar::floor(x[0])), Code::Floor),
        "The nearest whole number that is not above `x`.";
    "ceil" "ceil(x)" Same(FLOATS, 1), Means::Scalars(|x| Ok(scalar::ceil(x[0])), Code::Ceil),
        "The nearest whole number that is not below `x`.";
    "round" "round(x)" Same(FLOATS, 1), Means::Scalars(|x| Ok(scalar::round(x[0])), Code::Round),
        "The nearest whole number; halfway cases go to the even one.";
    "trunc" "trunc(x)" Same(FLOATS, 1), Means::Scalars(|x| Ok(scalar::trunc(x[0])), Code::Trunc),
        "`x` without its fraction.";
    "fma" "fma(a, b, c)" Same(FLOATS, 3), Means::Scalars(|x| Ok(scalar::fma(x[0], x[1], x[2])), Code::Fma),
        "`a * b + c` with a single rounding, on every target.";
    "mul_add" "mul_add(a, b, c)" Same(FLOATS, 3), Means::Scalars(|x| Ok(scalar::mul_add(x[0], x[1], x[2])), Code::MulAdd),
        "`a * b + c`, rounded once where the target has an instruction for it and twice elsewhere: bits may differ between targets.";
    "exp" "exp(x)" Same(FLOATS, 1), Means::ByType,
        "e to the power of `x`.";
    "exp2" "exp2(x)" Same(FLOATS, 1), Means::ByType,
        "2 to the power of `x`.";
    "exp10" "exp10(x)" Same(FLOATS, 1), Means::ByType,
        "10 to the power of `x`.";
    "expm1" "expm1(x)" Same(FLOATS, 1), Means::ByType,
        "`exp(x) - 1`, exact to the last digits near 0 too.";
    "log" "log(x)" Same(FLOATS, 1), Means::ByType,
        "The natural logarithm.";
    "log2" "log2(x)" Same(FLOATS, 1), Means::ByType,
        "The logarithm to base 2.";
    "log10" "log10(x)" Same(FLOATS, 1), Means::ByType,
        "The logarithm to base 10.";
    "log1p" "log1p(x)" Same(FLOATS, 1), Means::ByType,
        "`log(1 + x)`, exact to the last digits near 0 too.";
    "log_base" "log_base(x, base)" Same(FLOATS, 2), Means::Prelude,
        "The logarithm to any base: `log2(x) / log2(base)`.";
    "pow" "pow(x, y)" Same(FLOATS, 2), Means::ByType,
        "`x` to the power of `y`; `x ** y` is the same.";
    "sin" "sin(x)" Same(FLOATS, 1), Means::ByType,
        "The sine of an angle in radians.";
    "cos" "cos(x)" Same(FLOATS, 1), Means::ByType,
        "The cosine of an angle in radians.";
    "sincos" "sincos(x)" Function(1), Means::Prelude,
        "The sine and the cosine of an angle in radians: `let s, c = sincos(x)`.";
    "tan" "tan(x)" Same(FLOATS, 1), Means::ByType,
        "The tangent of an angle in radians.";
    "sinpi" "sinpi(x)" Same(FLOATS, 1), Means::ByType,
        "The sine of `x` half turns: `sin(pi * x)`.";
    "cospi" "cospi(x)" Same(FLOATS, 1), Means::ByType,
        "The cosine of `x` half turns: `cos(pi * x)`.";
    "asin" "asin(x)" Same(FLOATS, 1), Means::ByType,
        "The angle whose sine is `x`.";
    "acos" "acos(x)" Same(FLOATS, 1), Means::ByType,
        "The angle whose cosine is `x`.";
    "atan" "atan(x)" Same(FLOATS, 1), Means::ByType,
        "The angle whose tangent is `x`.";
    "atan2" "atan2(y, x)" Same(FLOATS, 2), Means::ByType,
        "The angle of the point `(x, y)`.";
    "sinh" "sinh(x)" Same(FLOATS, 1), Means::ByType,
        "The hyperbolic sine.";
    "cosh" "cosh(x)" Same(FLOATS, 1), Means::ByType,
        "The hyperbolic cosine.";
    "tanh" "tanh(x)" Same(FLOATS, 1), Means::ByType,
        "The hyperbolic tangent.";
    "asinh" "asinh(x)" Same(FLOATS, 1), Means::ByType,
        "The inverse of the hyperbolic sine.";
    "acosh" "acosh(x)" Same(FLOATS, 1), Means::ByType,
        "The inverse of the hyperbolic cosine.";
    "atanh" "atanh(x)" Same(FLOATS, 1), Means::ByType,
        "The inverse of the hyperbolic tangent.";
    "cbrt" "cbrt(x)" Same(FLOATS, 1), Means::ByType,
        "The cube root.";
    "hypot" "hypot(x, y)" Same(FLOATS, 2), Means::ByType,
        "`sqrt(x * x + y * y)`, without overflow on the way.";
    "erf" "erf(x)" Same(FLOATS, 1), Means::ByType,
        "The error function.";
    "erfc" "erfc(x)" Same(FLOATS, 1), Means::ByType,
        "`1 - erf(x)`, exact to the last digits for large `x` too.";
    "mix" "mix(a, b, t)" Same(FLOATS, 3), Means::Prelude,
        "From `a` for `t = 0` to `b` for `t = 1`, in a straight line: `a * (1 - t) + b * t`.";
    "lerp" "lerp(a, b, t)" Same(FLOATS, 3), Means::Prelude,
        "From `a` for `t = 0` to `b` for `t = 1`, in a straight line; another name of `mix`.";
    "step" "step(edge, x)" Same(FLOATS, 2), Means::Prelude,
        "0 where `x` is below the edge, and 1 elsewhere.";
    "smoothstep" "smoothstep(lo, hi, x)" Same(FLOATS, 3), Means::Prelude,
        "0 up to `lo`, 1 from `hi` on, and a smooth curve between them.";
    "fract" "fract(x)" Same(FLOATS, 1), Means::Prelude,
        "The part of `x` above the whole number below it: `x - floor(x)`.";
    "sign" "sign(x)" Same(ElemSet::SIGNED_NUMBERS, 1), Means::Prelude,
        "-1 for negative numbers, 1 for positive ones; zero and NaN stay what they are.";
    "copysign" "copysign(x, y)" Same(FLOATS, 2), Means::ByType,
        "The magnitude of `x` with the sign of `y`.";
    "degrees" "degrees(x)" Same(FLOATS, 1), Means::Prelude,
        "An angle in radians, as degrees.";
    "radians" "radians(x)" Same(FLOATS, 1), Means::Prelude,
        "An angle in degrees, as radians.";
    "ldexp" "ldexp(x, n)" Scale(FLOATS), Means::ByType,
        "`x` times 2 to the power of `n`, rounded once.";
    "frexp_fraction" "frexp_fraction(x)" Same(FLOATS, 1), Means::ByType,
        "The fraction `f` of `x`, from 1/2 up to 1 in magnitude, for which `x` is `f` times a power of 2.";
    "frexp_exponent" "frexp_exponent(x)" To(FLOATS, ElemSet::only(Elem::I32)), Means::ByType,
        "The exponent `n` for which `x` is `frexp_fraction(x)` times 2 to the power of `n`.";
    "nextafter" "nextafter(x, y)" Same(FLOATS, 2), Means::ByType,
        "The number after `x` on the way to `y`.";
    "isnan" "isnan(x)" To(FLOATS, ElemSet::BOOL), Means::Scalars(|x| Ok(scalar::isnan(x[0])), Code::Isnan),
        "True if `x` is not a number.";
    "is_finite" "is_finite(x)" To(FLOATS, ElemSet::BOOL), Means::Prelude,
        "True if `x` is neither infinite nor NaN.";
    "to_bits" "to_bits(x)" Bits(FLOATS), Means::Bits,
        "The bits of a float, as an unsigned integer of the same width: `u32` of an `f32`, `u64` of an `f64`, `u16` of an `f16` or `bf16`.";
    "from_bits" "from_bits(bits)" Bits(ElemSet::FLOAT_BITS), Means::Bits,
        "The float that has these bits: an `f32` from a `u32`, an `f64` from a `u64`, an `f16` from a `u16`.";
    "cast_like" "cast_like(x, y)" Like, Means::Like,
        "`x` converted to the type of `y`, as by a cast. In a `fn` that type may differ from call to call.";
    "mul_high" "mul_high(a, b)" Same(INTEGERS, 2), Means::Scalars(|x| Ok(scalar::mul_high(x[0], x[1])), Code::MulHigh),
        "The upper half of the product of two integers, which is twice as wide as they are.";
    "popcount" "popcount(x)" Same(INTEGERS, 1), Means::Scalars(|x| Ok(scalar::popcount(x[0])), Code::Popcount),
        "How many bits of `x` are 1.";
    "clz" "clz(x)" Same(INTEGERS, 1), Means::Scalars(|x| Ok(scalar::clz(x[0])), Code::Clz),
        "How many zeros stand before the highest 1; the width when there is none.";
    "ctz" "ctz(x)" Same(INTEGERS, 1), Means::Scalars(|x| Ok(scalar::ctz(x[0])), Code::Ctz),
        "How many zeros stand behind the lowest 1; the width when there is none.";
    "rotate_left" "rotate_left(x, by)" Same(ElemSet::UNSIGNED, 2), Means::Prelude,
        "The bits of `x` moved left by `by` places; those that leave at one end come in at the other.";
    "rotate_right" "rotate_right(x, by)" Same(ElemSet::UNSIGNED, 2), Means::Prelude,
        "The bits of `x` moved right by `by` places; those that leave at one end come in at the other.";
    "abs_diff" "abs_diff(a, b)" Same(NUMBERS, 2), Means::Prelude,
        "The difference without its sign: `max(a, b) - min(a, b)`.";
    "byte_swap" "byte_swap(x)" Same(INTEGERS, 1), Means::Scalars(|x| Ok(scalar::byte_swap(x[0])), Code::ByteSwap),
        "The bytes of an integer in the opposite order, as another machine may have them.";
    "reverse_bits" "reverse_bits(x)" Same(INTEGERS, 1), Means::Scalars(|x| Ok(scalar::reverse_bits(x[0])), Code::ReverseBits),
        "The bits of an integer in the opposite order.";
    "add_sat" "add_sat(a, b)" Same(INTEGERS, 2), Means::Scalars(|x| Ok(scalar::add_sat(x[0], x[1])), Code::AddSat),
        "The sum of two integers; where it does not fit their type, the greatest or least value of the type.";
    "sub_sat" "sub_sat(a, b)" Same(INTEGERS, 2), Means::Scalars(|x| Ok(scalar::sub_sat(x[0], x[1])), Code::SubSat),
        "The difference of two integers; where it does not fit their type, the greatest or least value of the type: 0 if `b` is greater than an unsigned `a`.";
    "cast_sat" "cast_sat(type, x)" Saturate, Means::Saturate,
        "`x` converted to an integer type, as in `cast_sat(u8, x)`; where it does not fit, the greatest or least value of the type, and 0 for NaN. A value in place of the type stands for its type.";
    "avg_round" "avg_round(a, b)" Same(ElemSet::UNSIGNED, 2), Means::Prelude,
        "The mean of the two, rounded up, without overflow: `(a + b + 1) / 2`.";
    "load_u16" "load_u16(bytes, i)" Function(2), Means::Prelude,
        "The `u16` in the bytes from `bytes[i]` on, the lowest byte first, at any address: no alignment is needed.";
    "store_u16" "store_u16(bytes, i, x)" Function(3), Means::Prelude,
        "Stores a `u16` to the bytes from `bytes[i]` on, the lowest byte first, at any address.";
    "load_i16" "load_i16(bytes, i)" Function(2), Means::Prelude,
        "The `i16` in the bytes from `bytes[i]` on, the lowest byte first, at any address: no alignment is needed.";
    "store_i16" "store_i16(bytes, i, x)" Function(3), Means::Prelude,
        "Stores an `i16` to the bytes from `bytes[i]` on, the lowest byte first, at any address.";
    "load_u32" "load_u32(bytes, i)" Function(2), Means::Prelude,
        "The `u32` in the bytes from `bytes[i]` on, the lowest byte first, at any address: no alignment is needed.";
    "store_u32" "store_u32(bytes, i, x)" Function(3), Means::Prelude,
        "Stores a `u32` to the bytes from `bytes[i]` on, the lowest byte first, at any address.";
    "load_i32" "load_i32(bytes, i)" Function(2), Means::Prelude,
        "The `i32` in the bytes from `bytes[i]` on, the lowest byte first, at any address: no alignment is needed.";
    "store_i32" "store_i32(bytes, i, x)" Function(3), Means::Prelude,
        "Stores an `i32` to the bytes from `bytes[i]` on, the lowest byte first, at any address.";
    "load_u64" "load_u64(bytes, i)" Function(2), Means::Prelude,
        "The `u64` in the bytes from `bytes[i]` on, the lowest byte first, at any address: no alignment is needed.";
    "store_u64" "store_u64(bytes, i, x)" Function(3), Means::Prelude,
        "Stores a `u64` to the bytes from `bytes[i]` on, the lowest byte first, at any address.";
    "load_i64" "load_i64(bytes, i)" Function(2), Means::Prelude,
        "The `i64` in the bytes from `bytes[i]` on, the lowest byte first, at any address: no alignment is needed.";
    "store_i64" "store_i64(bytes, i, x)" Function(3), Means::Prelude,
        "Stores an `i64` to the bytes from `bytes[i]` on, the lowest byte first, at any address.";
    "load_f32" "load_f32(bytes, i)" Function(2), Means::Prelude,
        "The `f32` in the bytes from `bytes[i]` on, the lowest byte first, at any address: no alignment is needed.";
    "store_f32" "store_f32(bytes, i, x)" Function(3), Means::Prelude,
        "Stores an `f32` to the bytes from `bytes[i]` on, the lowest byte first, at any address.";
    "load_f64" "load_f64(bytes, i)" Function(2), Means::Prelude,
        "The `f64` in the bytes from `bytes[i]` on, the lowest byte first, at any address: no alignment is needed.";
    "store_f64" "store_f64(bytes, i, x)" Function(3), Means::Prelude,
        "Stores an `f64` to the bytes from `bytes[i]` on, the lowest byte first, at any address.";
    "atomic_add" "atomic_add(a, i, x)" Atomic, Means::Atomic(AtomicRule::Add, Code::AtomicAdd),
        "Adds `x` to `a[i]` in one step that no other lane or thread can interrupt; gives the value that `a[i]` had before. Integers wrap.";
    "atomic_min" "atomic_min(a, i, x)" Atomic, Means::Atomic(AtomicRule::Min, Code::AtomicMin),
        "Sets `a[i]` to `min(a[i], x)`, of integers, in one step; gives the value that it had before.";
    "atomic_max" "atomic_max(a, i, x)" Atomic, Means::Atomic(AtomicRule::Max, Code::AtomicMax),
        "Sets `a[i]` to `max(a[i], x)`, of integers, in one step; gives the value that it had before.";
    "atomic_and" "atomic_and(a, i, x)" Atomic, Means::Atomic(AtomicRule::And, Code::AtomicAnd),
        "Sets `a[i]` to `a[i] & x`, of integers, in one step; gives the value that it had before.";
    "atomic_or" "atomic_or(a, i, x)" Atomic, Means::Atomic(AtomicRule::Or, Code::AtomicOr),
        "Sets `a[i]` to `a[i] | x`, of integers, in one step; gives the value that it had before.";
    "atomic_xor" "atomic_xor(a, i, x)" Atomic, Means::Atomic(AtomicRule::Xor, Code::AtomicXor),
        "Sets `a[i]` to `a[i] ^ x`, of integers, in one step; gives the value that it had before.";
    "atomic_exchange" "atomic_exchange(a, i, x)" Atomic, Means::Atomic(AtomicRule::Exchange, Code::AtomicExchange),
        "Sets `a[i]` to `x` in one step; gives the value that it had before.";
    "prefetch" "prefetch(a, i)" Prefetch, Means::Prefetch,
        "Asks for `a[i]` to be brought into the cache ahead of its use. Nothing else changes, and an `i` outside of the array is no error.";
    "largest" "largest(type)" Limit, Means::Limit(self::Limit::Largest),
        "The greatest finite value of a type of numbers: `largest(u8)`; given a value, that of its type.";
    "lowest" "lowest(type)" Limit, Means::Limit(self::Limit::Lowest),
        "The least finite value of a type of numbers: `lowest(i32)`, and of floats `-largest(f32)`; given a value, that of its type.";
    "pi" "pi" Value, Means::Number(std::f64::consts::PI),
        "Half a turn in radians, as a float.";
    "tau" "tau" Value, Means::Number(std::f64::consts::TAU),
        "A whole turn in radians, `2 * pi`, as a float.";
    "inf" "inf" Value, Means::Number(f64::INFINITY),
        "The float that is greater than all others.";
    "nan" "nan" Value, Means::Number(f64::NAN),
        "The float that is no number; it equals nothing, not even itself.";
    "length" "length(a, dim)" Length, Means::Length,
        "The size of an array: of its first dimension, or of the one with the number `dim`, from 0. Of a struct of floats, the length of the vector that it is.";
    "map" "map(f, a, ...)" Map, Means::Arrays,
        "The array of `f` applied to each element of `a`; with more arrays, to the elements of all of them at each index.";
    "reduce" "reduce(f, zero, a)" Reduce, Means::Arrays,
        "`zero` joined by `f` with all elements, from the first to the last: `s = f(s, x)` for each `x`.";
    "scan" "scan(f, zero, a)" Scan, Means::Arrays,
        "The array of the results that `reduce` has after each element.";
    "iota" "iota(n)" Iota, Means::Arrays,
        "The array `0, 1, ..., n - 1`.";
    "replicate" "replicate(n, x)" Replicate, Means::Arrays,
        "An array of `n` elements, each of which is `x`.";
    "zip" "zip(a, b, ...)" Zip, Means::Arrays,
        "The array of the elements that all arrays have at each index, as a tuple, which a lambda with several parameters takes apart.";
    "sum" "sum(a)" Function(1), Means::Prelude,
        "The sum of all elements, from the first to the last; 0 if there are none.";
    "mean" "mean(a)" Function(1), Means::Prelude,
        "The mean of all elements, which are floats: their sum, from the first to the last, divided by their number.";
    "product" "product(a)" Function(1), Means::Prelude,
        "The product of all elements, from the first to the last; 1 if there are none.";
    "minimum" "minimum(a)" Function(1), Means::Prelude,
        "The smallest element of an array, as `min` has it. There has to be one.";
    "maximum" "maximum(a)" Function(1), Means::Prelude,
        "The largest element of an array, as `max` has it. There has to be one.";
    "argmin" "argmin(a)" Function(1), Means::Prelude,
        "The index of the smallest element; of several, of the first.";
    "argmax" "argmax(a)" Function(1), Means::Prelude,
        "The index of the largest element; of several, of the first.";
    "count" "count(m)" Function(1), Means::Prelude,
        "The number of elements that are true.";
    "filter" "filter(f, a)" Function(2), Means::Prelude,
        "The elements for which `f` holds, in their order; `length` of them is how many.";
    "reverse" "reverse(a)" Function(1), Means::Prelude,
        "The elements from the last to the first.";
    "transpose" "transpose(m)" Function(1), Means::Prelude,
        "The columns of a matrix, as rows.";
    "flatten" "flatten(m)" Function(1), Means::Prelude,
        "The rows of a matrix, one behind the other.";
    "reshape" "reshape(a, rows, columns)" Function(3), Means::Prelude,
        "A matrix of so many rows and columns with the elements of `a`, row by row.";
    "concat" "concat(a, b)" Function(2), Means::Prelude,
        "The elements of `a`, and behind them those of `b`.";
    "gather" "gather(a, at)" Function(2), Means::Prelude,
        "The elements of `a` at the indices in `at`.";
    "scatter" "scatter(a, at, x)" Function(3), Means::Prelude,
        "Stores each element of `x` to `a`, at the index that `at` has for it, in order.";
    "cumsum" "cumsum(a)" Function(1), Means::Prelude,
        "The sums of the elements up to each one, itself among them.";
    "diff" "diff(a)" Function(1), Means::Prelude,
        "The difference of each element and the one before it; one element fewer than `a`.";
    "dot" "dot(a, b)" Function(2), Means::Prelude,
        "The sum of the products of the elements at each index of two arrays, or of the fields of two structs.";
    "cross" "cross(a, b)" Vectors(2), Means::Vectors,
        "The vector that is perpendicular to two structs of three floats.";
    "normalize" "normalize(v)" Vectors(1), Means::Vectors,
        "A struct of floats divided by its `length`: the vector of length 1 in its direction.";
    "distance" "distance(a, b)" Vectors(2), Means::Vectors,
        "The `length` of the difference of two structs of floats.";
    "reflect" "reflect(v, n)" Vectors(2), Means::Vectors,
        "The direction `v` behind a mirror with the normal `n`, of length 1: `v - 2 * dot(v, n) * n`.";
    "determinant" "determinant(m)" Vectors(1), Means::Vectors,
        "The determinant of a `mat2`, `mat3` or `mat4`.";
    "inverse" "inverse(m)" Vectors(1), Means::Vectors,
        "The matrix that undoes a `mat2`, `mat3` or `mat4`: `inverse(m) * (m * v)` is `v`, but for rounding. It is the adjugate times `1 / determinant(m)`.";
    "diagonal" "diagonal(v)" Vectors(1), Means::Vectors,
        "The `mat2`, `mat3` or `mat4` with the fields of a vector on its diagonal, and zeros beside them.";
    "linspace" "linspace(lo, hi, n)" Function(3), Means::Prelude,
        "`n` floats at equal distances, the first of which is `lo` and the last `hi`.";
    "outer" "outer(a, b)" Function(2), Means::Prelude,
        "The matrix of all products of an element of `a` and one of `b`.";
    "matmul" "matmul(a, b)" Function(2), Means::Prelude,
        "The product of two matrices.";
    lanes:
    "lane_id" "lane_id" Value, Means::LaneNumber,
        "The number of this lane, from 0.";
    "LANES" "LANES" Value, Means::LaneCount,
        "How many lanes run together.";
    "none" "none(c)" Vote, Means::Vote(Vote::None, Code::None),
        "True if `c` holds in no active lane.";
    "reduce_add" "reduce_add(x)" Same(NUMBERS, 1), Means::Joined(Fold::Add, Code::ReduceAdd),
        "The sum over the active lanes.";
    "reduce_min" "reduce_min(x)" Same(NUMBERS, 1), Means::Joined(Fold::Min, Code::ReduceMin),
        "The smallest over the active lanes.";
    "reduce_max" "reduce_max(x)" Same(NUMBERS, 1), Means::Joined(Fold::Max, Code::ReduceMax),
        "The largest over the active lanes.";
    "scan_add" "scan_add(x)" Same(NUMBERS, 1), Means::PrefixSum(Code::ScanAdd),
        "The sum over the active lanes before this one.";
    "broadcast" "broadcast(x, lane)" Move, Means::Moved(LaneSource::Named, Code::Shuffle),
        "The value that `x` has in the lane `lane`.";
    "shuffle" "shuffle(x, lane)" Move, Means::Moved(LaneSource::Named, Code::Shuffle),
        "The value that `x` has in the lane that each lane names.";
    "compress_store" "compress_store(a, at, x)" CompressStore, Means::CompressStore,
        "Stores `x` of the active lanes side by side from `a[at]` on; gives the number of these lanes.";
    "expand_load" "expand_load(a, at)" ExpandLoad, Means::ExpandLoad,
        "Gives the active lanes, in order, the elements of `a` from `at` on.";
    lanes and arrays:
    "any" "any(c)" Vote, Means::Vote(Vote::Any, Code::Any),
        "True if `c` holds in at least one active lane. Of an array: true if one of its elements is.";
    "all" "all(c)" Vote, Means::Vote(Vote::All, Code::All),
        "True if `c` holds in every active lane. Of an array: true if all of its elements are.";
    "rotate" "rotate(x, by)" Move, Means::Moved(LaneSource::FurtherOn, Code::Rotate),
        "The value that `x` has `by` lanes further on, round and round. Of an array: its elements from index `by` on, then those before that.";
};

/// The places that an attribute may stand above.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Above {
    /// A loop, or an item: then for all its loops.
    LoopOrItem,
    /// A kernel or a function.
    Item,
    /// A kernel.
    Kernel,
    /// A loop, for that loop alone.
    Loop,
    /// A `foreach` over two or three ranges.
    Ranges,
}

impl Above {
    /// The place, as a message says it.
    pub fn describe(self) -> &'static str {
        match self {
            Above::LoopOrItem => "above a loop, a kernel or a function",
            Above::Item => "above a kernel or a function",
            Above::Kernel => "above a kernel",
            Above::Loop => "above a loop",
            Above::Ranges => "above a `foreach` over two or three ranges",
        }
    }
}

/// The arguments of an attribute, in parentheses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttributeArgs {
    /// The attribute takes no arguments.
    None,
    /// A whole number from 1 to the limit.
    Count(u32),
    /// A number above 0, with a fraction or without.
    Cycles,
    /// Two array parameters or more.
    Arrays,
}

/// The mark that an attribute sets in Lane IR.
#[derive(Debug, Clone, Copy)]
pub enum Sets {
    /// A mark of a loop, by the attribute's count if it takes one. Above an item, it is set for all loops in it.
    Loop(fn(&mut Marks, Option<u16>)),
    /// A mark of the kernel, by the arrays that the attribute names if it takes such.
    Kernel(fn(&mut KernelMarks, &[Value])),
    /// Sums and products of a loop become reductions in the fixed order; above a kernel, a mark of it besides.
    FixedOrder(fn(&mut KernelMarks)),
}

/// The description of an attribute: a row of the table.
#[derive(Debug)]
pub struct Attribute {
    /// The index of the attribute in the table.
    pub id: AttributeId,
    /// The name, without `@`.
    pub name: &'static str,
    /// The arguments that it takes.
    pub args: AttributeArgs,
    /// The places that it may stand above.
    pub above: Above,
    /// The mark that it sets.
    pub sets: Sets,
    /// A description for people, of one or two sentences.
    pub docs: &'static str,
}

macro_rules! attributes {
    ($($which:ident $name:literal $args:expr, $above:expr, $sets:expr, $docs:literal;)*) => {
        /// The index of an attribute in the table.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[allow(missing_docs)]
        pub enum AttributeId {
            $($which,)*
        }

        /// All attributes, in the order of their ids.
        pub static ATTRIBUTES: &[Attribute] =
            &[$(Attribute { id: AttributeId::$which, name: $name, args: $args, above: $above, sets: $sets, docs: $docs },)*];
    };
}

impl AttributeId {
    /// The attribute of a name.
    pub fn from_name(name: &str) -> Option<AttributeId> {
        ATTRIBUTES.iter().find(|row| row.name == name).map(|row| row.id)
    }

    /// Returns the attribute's row of the table.
    pub fn get(self) -> &'static Attribute {
        &ATTRIBUTES[self as usize]
    }
}

impl Attribute {
    /// Returns the attribute with its arguments, as programs write it.
    pub fn signature(&self) -> String {
        let args = match self.args {
            AttributeArgs::None => "",
            AttributeArgs::Count(_) => "(count)",
            AttributeArgs::Cycles => "(cycles)",
            AttributeArgs::Arrays => "(a, b, ...)",
        };
        format!("@{}{args}", self.name)
    }
}

attributes! {
    Reassoc "reassoc" AttributeArgs::None, Above::LoopOrItem, Sets::FixedOrder(|_| ()),
        "Float sums, products and linear recurrences may be made in the language's fixed order, of partial sums or by blocks, instead of one by one.";
    Fast "fast" AttributeArgs::None, Above::LoopOrItem, Sets::FixedOrder(|marks| marks.fast = true),
        "All that `@reassoc` allows, and contraction and approximate math; bits may differ between targets.";
    Lanes "lanes" AttributeArgs::Count(64), Above::LoopOrItem, Sets::Loop(|marks, count| marks.lanes = count.filter(|&lanes| lanes > 0)),
        "The number of iterations that run together, as lanes.";
    Unroll "unroll" AttributeArgs::Count(64), Above::Loop, Sets::Loop(|marks, count| marks.unroll = count),
        "The number of iterations, or groups of lanes, in each round of the loop that is made. A short loop of no more goes away; 1 keeps them apart.";
    Alias "alias" AttributeArgs::Arrays, Above::Item, Sets::Kernel(|marks, arrays| marks.alias.extend(pairs(arrays))),
        "These arrays may overlap: the kernel checks when it runs whether they do, and then takes a path that runs in order.";
    Simd "simd" AttributeArgs::None, Above::LoopOrItem, Sets::Loop(|marks, _| marks.simd = true),
        "A promise: this loop becomes vector code. When it cannot, the check fails and says why.";
    NoGather "no_gather" AttributeArgs::None, Above::LoopOrItem, Sets::Loop(|marks, _| marks.no_gather = true),
        "A promise: no load here becomes a gather.";
    NoScatter "no_scatter" AttributeArgs::None, Above::LoopOrItem, Sets::Loop(|marks, _| marks.no_scatter = true),
        "A promise: no store here becomes a scatter.";
    Stream "stream" AttributeArgs::None, Above::LoopOrItem, Sets::Loop(|marks, _| marks.stream = true),
        "Stores to arrays of the caller go past the cache, where the target can: for results that are larger than the cache and not read soon.";
    Tiled "tiled" AttributeArgs::None, Above::Ranges, Sets::Loop(|marks, _| marks.tiled = true),
        "The iterations that run together are neighbours in all ranges, a square of them: lanes then agree for longer, and touch fewer lines of memory.";
    NoCopy "no_copy" AttributeArgs::None, Above::Item, Sets::Kernel(|marks, _| marks.no_copy = true),
        "A promise: no array is copied here; each is built where it is stored, and changed where it lies.";
    NoScratch "no_scratch" AttributeArgs::None, Above::Item, Sets::Kernel(|marks, _| marks.no_scratch = true),
        "A promise: no array that is made here needs scratch memory, which the caller would have to pass.";
    NoSpill "no_spill" AttributeArgs::None, Above::LoopOrItem, Sets::Loop(|_, _| ()),
        "A promise: machine code keeps all values of this loop in registers, on the target. It is held where machine code is made.";
    Cost "cost" AttributeArgs::Cycles, Above::Loop, Sets::Loop(|_, _| ()),
        "A promise: an iteration of this loop is estimated to take no more cycles than this, on the target.";
    Threads "threads" AttributeArgs::None, Above::Kernel, Sets::Kernel(|marks, _| marks.threads = true),
        "The iterations of the outermost loop may be divided among threads, with the same bits; when they cannot, the check fails and says why.";
}

/// The cycles that the argument of `@cost` allows; `None` for what is no number above 0.
pub fn cycles(value: Scalar) -> Option<f64> {
    let number = value.shortest().or_else(|| Some(value.wide()? as f64));
    number.filter(|number| *number > 0.0 && number.is_finite())
}

/// The pairs of arrays that may overlap when all of these may.
fn pairs(arrays: &[Value]) -> impl Iterator<Item = (Value, Value)> + '_ {
    arrays.iter().enumerate().flat_map(|(n, &a)| arrays[n + 1..].iter().map(move |&b| (a, b)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_signatures_start_with_them() {
        for (n, builtin) in BUILTINS.iter().enumerate() {
            assert!(builtin.signature.starts_with(builtin.name), "{}", builtin.name);
            assert!(BUILTINS[..n].iter().all(|other| other.name != builtin.name), "{}", builtin.name);
            assert_eq!(BuiltinId::from_name(builtin.name), Some(BuiltinId(n as u8)));
        }
    }

    #[test]
    fn attributes_lie_in_the_order_of_their_ids() {
        for row in ATTRIBUTES {
            assert_eq!((row.id.get().name, AttributeId::from_name(row.name)), (row.name, Some(row.id)));
        }
    }
}
