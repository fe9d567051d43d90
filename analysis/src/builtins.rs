//! What is there without being defined: functions, lane values, types, attributes.
//!
//! One row each: a name, what it takes and gives, and the sentence that a hover shows.

use crate::scalar::ScalarSet;

/// What a builtin takes and gives. `T` is one scalar type for all that it stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// `n` values of one type from the set, and a result of that type.
    Same(ScalarSet, usize),
    /// One value of a type from the set; the result has a type of its own.
    To(ScalarSet, ScalarSet),
    /// `select(c, a, b)`.
    Select,
    /// A value without arguments: `lane_id`, `LANES`.
    Value,
    /// `any(c)` and its like.
    Vote,
    /// `broadcast(x, lane)` and its like: a value, and a lane or a distance.
    Move,
    /// `compress_store(a, at, x)`.
    CompressStore,
    /// `expand_load(a, at)`.
    ExpandLoad,
    /// `map(f, a, ...)`.
    Map,
    /// `reduce(f, zero, a)`.
    Reduce,
    /// `scan(f, zero, a)`.
    Scan,
    /// `iota(n)`.
    Iota,
    /// `replicate(n, x)`.
    Replicate,
    /// `zip(a, b, ...)`.
    Zip,
}

/// A builtin function or value.
#[derive(Debug, PartialEq, Eq)]
pub struct Builtin {
    /// Its name.
    pub name: &'static str,
    /// What it takes and gives.
    pub shape: Shape,
    /// How a call is written.
    pub signature: &'static str,
    /// One or two sentences for people.
    pub docs: &'static str,
    /// It sees other lanes, so it works inside `foreach` only.
    pub crosses_lanes: bool,
}

/// Where a builtin stands in the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct BuiltinId(u8);

impl BuiltinId {
    /// The builtin of a name.
    pub fn from_name(name: &str) -> Option<BuiltinId> {
        BUILTINS.iter().position(|builtin| builtin.name == name).map(|n| BuiltinId(n as u8))
    }

    /// Its row.
    pub fn get(self) -> &'static Builtin {
        &BUILTINS[self.0 as usize]
    }
}

macro_rules! table {
    ($($name:literal $signature:literal $shape:expr, $docs:literal;)* lanes: $($lane_name:literal $lane_signature:literal $lane_shape:expr, $lane_docs:literal;)*) => {
        &[
            $(Builtin { name: $name, shape: $shape, signature: $signature, docs: $docs, crosses_lanes: false },)*
            $(Builtin { name: $lane_name, shape: $lane_shape, signature: $lane_signature, docs: $lane_docs, crosses_lanes: true },)*
        ]
    };
}

use Shape::*;

const FLOATS: ScalarSet = ScalarSet::FLOATS;
const NUMBERS: ScalarSet = ScalarSet::NUMBERS;
const INTEGERS: ScalarSet = ScalarSet::INTEGERS;

/// All builtins, in the order of the language's page.
pub static BUILTINS: &[Builtin] = table! {
    "min" "min(a, b)" Same(NUMBERS, 2), "The smaller of the two: `a if a < b else b`. When one is NaN, the result is `b`.";
    "max" "max(a, b)" Same(NUMBERS, 2), "The larger of the two: `a if a > b else b`. When one is NaN, the result is `b`.";
    "abs" "abs(x)" Same(ScalarSet::SIGNED_NUMBERS, 1), "The value without its sign.";
    "clamp" "clamp(x, lo, hi)" Same(NUMBERS, 3), "`x`, moved into the range from `lo` to `hi`: `min(max(x, lo), hi)`.";
    "select" "select(c, a, b)" Select, "`a` where `c` is true and `b` elsewhere. Unlike `a if c else b`, both are evaluated.";
    "sqrt" "sqrt(x)" Same(FLOATS, 1), "The square root, correctly rounded.";
    "rsqrt" "rsqrt(x)" Same(FLOATS, 1), "`1 / sqrt(x)`; under `@fast` an approximation.";
    "rcp" "rcp(x)" Same(FLOATS, 1), "`1 / x`; under `@fast` an approximation.";
    "floor" "floor(x)" Same(FLOATS, 1), "The nearest whole number that is not above `x`.";
    "ceil" "ceil(x)" Same(FLOATS, 1), "The nearest whole number that is not below `x`.";
    "round" "round(x)" Same(FLOATS, 1), "The nearest whole number; halfway cases go to the even one.";
    "trunc" "trunc(x)" Same(FLOATS, 1), "`x` without its fraction.";
    "fma" "fma(a, b, c)" Same(FLOATS, 3), "`a * b + c` with a single rounding, on every target.";
    "exp" "exp(x)" Same(FLOATS, 1), "e to the power of `x`.";
    "exp2" "exp2(x)" Same(FLOATS, 1), "2 to the power of `x`.";
    "log" "log(x)" Same(FLOATS, 1), "The natural logarithm.";
    "log2" "log2(x)" Same(FLOATS, 1), "The logarithm to base 2.";
    "pow" "pow(x, y)" Same(FLOATS, 2), "`x` to the power of `y`.";
    "sin" "sin(x)" Same(FLOATS, 1), "The sine of an angle in radians.";
    "cos" "cos(x)" Same(FLOATS, 1), "The cosine of an angle in radians.";
    "tan" "tan(x)" Same(FLOATS, 1), "The tangent of an angle in radians.";
    "asin" "asin(x)" Same(FLOATS, 1), "The angle whose sine is `x`.";
    "acos" "acos(x)" Same(FLOATS, 1), "The angle whose cosine is `x`.";
    "atan" "atan(x)" Same(FLOATS, 1), "The angle whose tangent is `x`.";
    "atan2" "atan2(y, x)" Same(FLOATS, 2), "The angle of the point `(x, y)`.";
    "sinh" "sinh(x)" Same(FLOATS, 1), "The hyperbolic sine.";
    "cosh" "cosh(x)" Same(FLOATS, 1), "The hyperbolic cosine.";
    "tanh" "tanh(x)" Same(FLOATS, 1), "The hyperbolic tangent.";
    "cbrt" "cbrt(x)" Same(FLOATS, 1), "The cube root.";
    "erf" "erf(x)" Same(FLOATS, 1), "The error function.";
    "isnan" "isnan(x)" To(FLOATS, ScalarSet::BOOL), "Whether `x` is not a number.";
    "popcount" "popcount(x)" Same(INTEGERS, 1), "How many bits of `x` are 1.";
    "clz" "clz(x)" Same(INTEGERS, 1), "How many zeros stand before the highest 1; the width when there is none.";
    "ctz" "ctz(x)" Same(INTEGERS, 1), "How many zeros stand behind the lowest 1; the width when there is none.";
    "map" "map(f, a, ...)" Map, "The array of `f` applied to each element of `a` (and, with more arrays, to the elements at one place).";
    "reduce" "reduce(f, zero, a)" Reduce, "All elements joined by `f`, which is associative on your word; the order is fixed by the language.";
    "scan" "scan(f, zero, a)" Scan, "The array of all prefixes of `a` joined by `f`.";
    "iota" "iota(n)" Iota, "The array `0, 1, ..., n - 1`.";
    "replicate" "replicate(n, x)" Replicate, "The array of `n` times `x`.";
    "zip" "zip(a, b, ...)" Zip, "The array of what stands in all arrays at one place; a lambda with several parameters takes it apart.";
    lanes:
    "lane_id" "lane_id" Value, "The number of this lane, from 0.";
    "LANES" "LANES" Value, "How many lanes run together.";
    "any" "any(c)" Vote, "Whether `c` holds in at least one active lane.";
    "all" "all(c)" Vote, "Whether `c` holds in every active lane.";
    "none" "none(c)" Vote, "Whether `c` holds in no active lane.";
    "reduce_add" "reduce_add(x)" Same(NUMBERS, 1), "The sum over the active lanes.";
    "reduce_min" "reduce_min(x)" Same(NUMBERS, 1), "The smallest over the active lanes.";
    "reduce_max" "reduce_max(x)" Same(NUMBERS, 1), "The largest over the active lanes.";
    "scan_add" "scan_add(x)" Same(NUMBERS, 1), "The sum over the active lanes before this one.";
    "broadcast" "broadcast(x, lane)" Move, "The value that `x` has in the lane `lane`.";
    "rotate" "rotate(x, by)" Move, "The value that `x` has `by` lanes further on, round and round.";
    "shuffle" "shuffle(x, lane)" Move, "The value that `x` has in the lane that each lane names.";
    "compress_store" "compress_store(a, at, x)" CompressStore, "Stores `x` of the active lanes side by side from `a[at]` on; gives how many they were.";
    "expand_load" "expand_load(a, at)" ExpandLoad, "Gives the active lanes, in order, the elements of `a` from `at` on.";
};

/// What an attribute may stand above.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Above {
    /// A loop, or an item: then for all its loops.
    LoopOrItem,
    /// A kernel or a function.
    Item,
    /// A loop.
    Loop,
}

impl Above {
    /// The place, as a message says it.
    pub fn describe(self) -> &'static str {
        match self {
            Above::LoopOrItem => "above a loop, a kernel or a function",
            Above::Item => "above a kernel or a function",
            Above::Loop => "above a loop",
        }
    }
}

/// What an attribute takes in parentheses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttributeArgs {
    /// Nothing.
    None,
    /// A whole number from 1 to the limit.
    Count(u32),
    /// Two array parameters or more.
    Arrays,
}

/// An attribute.
#[derive(Debug, PartialEq, Eq)]
pub struct Attribute {
    /// Its name, without `@`.
    pub name: &'static str,
    /// What it takes.
    pub args: AttributeArgs,
    /// Where it may stand.
    pub above: Above,
    /// One or two sentences for people.
    pub docs: &'static str,
}

macro_rules! attributes {
    ($($name:literal $args:expr, $above:expr, $docs:literal;)*) => {
        &[$(Attribute { name: $name, args: $args, above: $above, docs: $docs },)*]
    };
}

impl Attribute {
    /// How it is written.
    pub fn signature(&self) -> String {
        let args = match self.args {
            AttributeArgs::None => "",
            AttributeArgs::Count(_) => "(count)",
            AttributeArgs::Arrays => "(a, b, ...)",
        };
        format!("@{}{args}", self.name)
    }
}

/// All attributes.
pub static ATTRIBUTES: &[Attribute] = attributes! {
    "reassoc" AttributeArgs::None, Above::LoopOrItem, "Float sums and products may be made in the language's fixed order of partial sums instead of one by one.";
    "fast" AttributeArgs::None, Above::LoopOrItem, "Contraction and approximate math are allowed; bits may differ between targets.";
    "lanes" AttributeArgs::Count(64), Above::LoopOrItem, "How many iterations run together.";
    "unroll" AttributeArgs::Count(64), Above::Loop, "How many groups of lanes one turn of the loop works on.";
    "alias" AttributeArgs::Arrays, Above::Item, "These arrays may overlap; it is checked when the kernel runs, and an in-order path taken where they do.";
    "simd" AttributeArgs::None, Above::LoopOrItem, "A promise: this loop becomes vector code. When it cannot, the check fails and says why.";
    "no_gather" AttributeArgs::None, Above::LoopOrItem, "A promise: no load here becomes a gather.";
    "no_scatter" AttributeArgs::None, Above::LoopOrItem, "A promise: no store here becomes a scatter.";
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_signatures_start_with_them() {
        for (n, builtin) in BUILTINS.iter().enumerate() {
            assert!(builtin.signature.starts_with(builtin.name), "{}", builtin.name);
            assert!(BUILTINS[..n].iter().all(|other| other.name != builtin.name), "{}", builtin.name);
            assert_eq!(BuiltinId::from_name(builtin.name).map(BuiltinId::get), Some(builtin));
        }
    }
}
