//! Every op, in one table: its name, its printed form, its operands, results and effects, and its meaning.
//!
//! All that is generic reads this table: the builder and the reader find result types by it, the verifier
//! checks operands by it, passes ask it for effects, `docs/lane-ir.md` is generated from it. Adding an op
//! means adding a row here and a rule to the interpreter; only an op with a form of its own, or with regions,
//! also has an arm in the printer, the reader and the verifier.
//!
//! **Lanes.** An elementwise op works on scalars, on vectors, or on both: a scalar counts for every lane.
//!
//! **Whole arrays.** At the stage `arrays` an elementwise op also works on views of elements with equal sizes, mixed with
//! scalars that count for each element. It makes a new array, reads memory, and fails where one of its elements does.
//!
//! **Failing.** A scalar op that fails stops the program. A vector op never does, because the lane may be inactive: the
//! lane's value becomes *failed*, values that are computed from it fail with it, and the error is raised, with its lane
//! and its place, when an active lane stores it, uses it as a subscript, or passes it to an op that makes a scalar out
//! of lanes. So vector arithmetic is pure: it may be moved, shared and computed for lanes that do not need it.
//!
//! **Asking lanes.** Some ops compute their result from several lanes. They have two forms. As a vector op, a mask says
//! which lanes are asked; without one, all are. Inside of a `foreach` whose lanes run together all is scalar, each
//! lane's own, and such an op asks the lanes that are active where it stands: those that have entered the block around
//! it. So there it may not be moved into another block, or share the result of one in another block.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::atomics::AtomicRule;
use crate::running::RunningKind;
use crate::types::{Elem, ElemSet};

/// The printed form of an op.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PrintForm {
    /// A call: `name(operands, key=attribute)`.
    Call,
    /// `(a + b)`, and `name(a, b)` where that would read as something else.
    Infix(&'static str),
    /// `(-a)`, and `name(a)` where that would read as something else.
    Prefix(&'static str),
    /// A conversion: `f32(x)`.
    Convert,
    /// An access to a cell: `a[i, j]`.
    Cell,
    /// A store to a cell: `a[i, j] = x`.
    SetCell,
    /// A field of a struct: `p.x`.
    Dot,
    /// The word `lane_id`.
    LaneId,
    /// `(base + lane_id)`, and a call when the step is not 1.
    LaneIndex,
    /// A statement with blocks below it.
    Control,
}

/// The shape of an operand: a scalar or a vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OperandShape {
    /// A scalar: one element.
    Scalar,
    /// A vector: one element for each lane.
    Lanes,
    /// A scalar or a vector.
    Both,
}

/// The operands of an op, one slot each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OperandSlot {
    /// Data. All *shared* slots of an op have one element type.
    Data(OperandShape, ElemSet, Sharing),
    /// A view with elements as cells.
    View,
    /// A view with structs as cells.
    Structs,
    /// A view with any cells.
    AnyView,
    /// One integer for each dimension of the view before it, of any integer type, since only its value counts.
    Indices(OperandShape),
    /// The element type of the view's cells.
    Stored(OperandShape),
    /// A bool for each lane.
    Mask,
    /// A mask, or nothing when all lanes are active. The last slot.
    OptionalMask,
    /// The lanes that an op asks if it computes its result from several lanes: a bool for each. Without it, a vector op
    /// asks all lanes, and a scalar op the lanes that are active where it stands. The last slot.
    Asked,
    /// Any number of data operands, at least `.0`. The last slot.
    Rest(usize, OperandShape, ElemSet, Sharing),
    /// Any number of operands that cells of the view are to hold, at least `.0`. The last slot.
    StoredRest(usize, OperandShape),
    /// Any number of data operands of any types. The last slot.
    Anything,
    /// A scalar, or a view of elements: all that it holds.
    Whole,
    /// Any number of operands like [`OperandSlot::Whole`], at least one. The last slot.
    WholeRest,
}

/// The part of a slot in the common element type of the op's shared slots.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sharing {
    /// The operands share a type.
    Shared,
    /// The operand has a type of its own.
    Own,
}

const ANY: ElemSet = ElemSet::ANY;
const BITS: ElemSet = ElemSet::BITS;
const BOOL: ElemSet = ElemSet::BOOL;
const FLOAT: ElemSet = ElemSet::FLOATS;
const INTEGER: ElemSet = ElemSet::INTEGERS;
const NUMBER: ElemSet = ElemSet::NUMBERS;
const UNSIGNED: ElemSet = ElemSet::UNSIGNED;
const BYTES: ElemSet = ElemSet::BYTES;

use OperandShape::{Both, Lanes, Scalar};
// Rows of the table are short.
use Sharing::{Own, Shared};
use {OperandSlot as Slot, PrintForm as Form};

/// The slot of an elementwise operand.
const fn each(class: ElemSet) -> OperandSlot {
    OperandSlot::Data(Both, class, Shared)
}

/// The results of an op.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gives {
    /// No results.
    Nothing,
    /// The shared element type, as a vector if any operand is one.
    Same,
    /// The element type given here, as a vector if any operand is one.
    Of(Elem),
    /// The element type of the attribute, as a vector if any operand is one.
    Named,
    /// The type the attribute says.
    Typed,
    /// One element of the shared type.
    SameScalar,
    /// One element of this type.
    ScalarOf(Elem),
    /// The shared element type, in as many lanes as the attribute says.
    SameLanes,
    /// The shared element type, in as many lanes as there are operands.
    Packed,
    /// The shared element type, in as many lanes as the pattern has entries.
    Patterned,
    /// The type the attribute says, whose bytes are those of the operands.
    Regrouped,
    /// The shared element type, in the lanes of the last operand.
    LookedUp,
    /// `i32`, in as many lanes as the attribute says; a scalar if it says none.
    LaneNumbers,
    /// The shared element type, in the lanes in force.
    Indexed,
    /// This element type, in as many lanes as the attribute says.
    LanesOf(Elem),
    /// The element type of a cell, as a vector if any operand is one.
    Loaded,
    /// The element type of a cell, as a vector: with the lanes of the operands, else with as many as the attribute
    /// says.
    LoadedLanes,
    /// Several results of `LoadedLanes`: as many as the attribute says.
    LoadedGroup,
    /// The view without one dimension.
    Row,
    /// The type of the view.
    SameView,
    /// The view, of the field's element type.
    FieldView,
    /// A view in one dimension, of the element type the attribute says.
    FlatView,
    /// A view of a new array, of the element type the attribute says and a dimension for each size.
    NewArray,
    /// A view of a new array of the shared element type, in one dimension.
    Counted,
    /// A view of a new array whose elements are those of the last operand, with one dimension more.
    Repeated,
    /// The yields of its regions.
    Yielded,
}

/// The effect of an op before its types are known; see [`Effect`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EffectRule {
    /// No effect: it never fails.
    Pure,
    /// A signed scalar may overflow.
    FailsSigned,
    /// A scalar integer may be one the op cannot take.
    FailsInteger,
    /// A scalar float may be one that no integer stands for.
    FailsToInteger,
    /// Fails as a scalar op, never as a vector op.
    FailsScalar,
    /// Fails as a vector op, because it makes a scalar of lanes.
    FailsInLanes,
    /// Fails: makes a scalar of lanes, or checks something.
    Fails,
    /// Reads memory, and may fail.
    Reads,
    /// Writes memory, and may fail.
    Writes,
    /// The effects of its regions.
    Inside,
}

/// The effect of running an op besides making its results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effect {
    /// No effect: it may be moved, shared and dropped.
    Pure,
    /// May stop the program, or not end.
    Fails,
    /// May read memory, and fail.
    Reads,
    /// May write memory, read it, and fail.
    Writes,
}

/// The attribute of an op: the key by which it is written, and its kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Key {
    /// The op has no attribute.
    None,
    /// An element type, in the place of the name (`f32(x)`).
    Convert,
    /// An element type: `type=f32`.
    Elem,
    /// The element type of a new array: `type=f32` if it starts as zeros, `unset=f32` if its cells may hold anything.
    NewElem,
    /// The elements of a constant array, under the name of their type: `f32=[0.5, 1.0]`.
    Cells,
    /// A type: `type=f32x8`.
    Type,
    /// `lanes=8`; left out where it is the number of lanes in force.
    Lanes,
    /// `dim=1`; left out when 0.
    Dim,
    /// A whole number from this one on, under this key.
    Number(&'static str, i64),
    /// The pattern of a permutation: `pattern=[0, 2, 4]`.
    Pattern,
    /// The field of a struct.
    Field,
    /// `through=memory` where lanes are picked out of memory; left out where an instruction picks them.
    Through,
    /// `past=cache` where a store goes past the cache; left out where it does not.
    Past,
    /// `order=free` where an atomic op may come before or after others of its kind; left out where it keeps its place.
    Order,
    /// The control data of a loop or branch.
    Control,
}

/// The description of an op: a row of the table.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    /// The name; the text form's, where it is written as a call.
    pub name: &'static str,
    /// The printed form of the op.
    pub form: PrintForm,
    /// The slots of the operands, in order.
    pub slots: &'static [OperandSlot],
    /// The types of the results.
    pub gives: Gives,
    /// The effect, before the operands' types are known.
    pub effect: EffectRule,
    /// The key and kind of the attribute.
    pub key: Key,
    /// An example of the printed form.
    pub example: &'static str,
    /// The meaning, as the reference states it.
    pub meaning: &'static str,
}

/// Defines [`Code`] and the table.
macro_rules! op_table {
    ($($section:literal {
        $($code:ident $name:literal $form:expr, [$($slot:expr),*] => $gives:ident $(($elem:ident))?, $effect:ident,
          $key:expr, $example:literal, $meaning:literal;)*
    })*) => {
        /// The code of an op.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[allow(missing_docs)]
        pub enum Code { $($($code,)*)* }

        /// The sections of the table, in order, with their ops.
        pub const SECTIONS: &[(&str, &[Code])] = &[$(($section, &[$(Code::$code),*]),)*];

        static TABLE: &[Row] = &[$($(Row {
            name: $name,
            form: $form,
            slots: &[$($slot),*],
            gives: Gives::$gives $((Elem::$elem))?,
            effect: EffectRule::$effect,
            key: $key,
            example: $example,
            meaning: $meaning,
        },)*)*];
    };
}

op_table! {
    "Arithmetic" {
        Add "add" Form::Infix("+"), [each(NUMBER), each(NUMBER)] => Same, FailsSigned, Key::None,
            "(a + b)", "The sum. Signed overflow fails, unsigned wraps.";
        Sub "sub" Form::Infix("-"), [each(NUMBER), each(NUMBER)] => Same, FailsSigned, Key::None,
            "(a - b)", "The difference. Signed overflow fails, unsigned wraps.";
        Mul "mul" Form::Infix("*"), [each(NUMBER), each(NUMBER)] => Same, FailsSigned, Key::None,
            "(a * b)", "The product. Signed overflow fails, unsigned wraps.";
        Div "div" Form::Infix("/"), [each(NUMBER), each(NUMBER)] => Same, FailsInteger, Key::None,
            "(a / b)", "The quotient; integers truncate. Division by an integer zero and signed overflow fail.";
        FloorDiv "floor_div" Form::Infix("//"), [each(NUMBER), each(NUMBER)] => Same, FailsInteger, Key::None,
            "(a // b)", "The quotient rounded down. Fails as `/` does.";
        Rem "rem" Form::Infix("%"), [each(NUMBER), each(NUMBER)] => Same, FailsInteger, Key::None,
            "(a % b)", "The remainder of `/`, with the sign of `a`; on floats C's `fmod`. Fails as `/` does.";
        WrappingAdd "wrapping_add" Form::Infix("+%"), [each(INTEGER), each(INTEGER)] => Same, Pure, Key::None,
            "(a +% b)", "The low bits of the sum, without overflow: for arithmetic added by the compiler, or already checked \
             elsewhere.";
        WrappingSub "wrapping_sub" Form::Infix("-%"), [each(INTEGER), each(INTEGER)] => Same, Pure, Key::None,
            "(a -% b)", "The low bits of the difference, without overflow.";
        WrappingMul "wrapping_mul" Form::Infix("*%"), [each(INTEGER), each(INTEGER)] => Same, Pure, Key::None,
            "(a *% b)", "The low bits of the product, without overflow.";
        Advance "advance" Form::Call, [each(INTEGER), each(INTEGER)] => Same, FailsInteger, Key::None,
            "advance(i, n)", "The index `i + n`. It does not wrap: a result outside of the type fails, signed or not.";
        Neg "neg" Form::Prefix("-"), [each(NUMBER)] => Same, FailsSigned, Key::None,
            "(-a)", "The negated value. Signed overflow fails, unsigned wraps.";
        Abs "abs" Form::Call, [each(NUMBER)] => Same, FailsSigned, Key::None,
            "abs(a)", "The magnitude. Signed overflow fails.";
        Min "min" Form::Call, [each(NUMBER), each(NUMBER)] => Same, Pure, Key::None,
            "min(a, b)", "`a` if `a < b`, else `b`.";
        Max "max" Form::Call, [each(NUMBER), each(NUMBER)] => Same, Pure, Key::None,
            "max(a, b)", "`a` if `a > b`, else `b`.";
        Sqrt "sqrt" Form::Call, [each(FLOAT)] => Same, Pure, Key::None,
            "sqrt(a)", "The square root, correctly rounded.";
        Rsqrt "rsqrt" Form::Call, [each(FLOAT)] => Same, Pure, Key::None,
            "rsqrt(a)", "`1 / sqrt(a)`, each rounded.";
        Rcp "rcp" Form::Call, [each(FLOAT)] => Same, Pure, Key::None,
            "rcp(a)", "`1 / a`.";
        Floor "floor" Form::Call, [each(FLOAT)] => Same, Pure, Key::None,
            "floor(a)", "The greatest integer that is not above `a`.";
        Ceil "ceil" Form::Call, [each(FLOAT)] => Same, Pure, Key::None,
            "ceil(a)", "The least integer that is not below `a`.";
        Round "round" Form::Call, [each(FLOAT)] => Same, Pure, Key::None,
            "round(a)", "The nearest integer; of two equally near, the even one.";
        Trunc "trunc" Form::Call, [each(FLOAT)] => Same, Pure, Key::None,
            "trunc(a)", "The integer part: rounded towards zero.";
        Fma "fma" Form::Call, [each(FLOAT), each(FLOAT), each(FLOAT)] => Same, Pure, Key::None,
            "fma(a, b, c)", "`a * b + c`, rounded once.";
        MulAdd "mul_add" Form::Call, [each(FLOAT), each(FLOAT), each(FLOAT)] => Same, Pure, Key::None,
            "mul_add(a, b, c)", "`a * b + c`, rounded once by machine code for targets that have an instruction for it, and \
             twice elsewhere; the interpreter rounds twice.";
        RunningSum "running_sum" Form::Call, [Slot::Data(Both, UNSIGNED, Own), each(FLOAT), each(FLOAT), each(FLOAT), each(FLOAT), each(FLOAT)]
            => Same, Pure, Key::Number("part", 0), "running_sum(k, c, b, t0, t1, t2, part=0)", "A running sum in the language's fixed order, by \
             blocks of 8 iterations: `k` is the iteration's number, `b` what it adds, `c` the sum in front of the block, and `t0`, `t1` and `t2` are \
             the sums of its last 1, 2 and 4 iterations that make a pair, a half of four and a half of the block. Part 0 is the sum with `b`; parts 1 to 4 \
             are what `c`, `t0`, `t1` and `t2` are for the next iteration.";
        RunningProduct "running_product" Form::Call, [Slot::Data(Both, UNSIGNED, Own), each(FLOAT), each(FLOAT), each(FLOAT), each(FLOAT), each(FLOAT)]
            => Same, Pure, Key::Number("part", 0), "running_product(k, c, b, t0, t1, t2, part=0)", "A running product, in the order of `running_sum`.";
        RunningLinear "running_linear" Form::Call, [Slot::Data(Both, UNSIGNED, Own), each(FLOAT), each(FLOAT), each(FLOAT), each(FLOAT), each(FLOAT),
            each(FLOAT), each(FLOAT), each(FLOAT), each(FLOAT)] => Same, Pure, Key::Number("part", 0),
            "running_linear(k, c, b, t0, t1, t2, a, f0, f1, f2, part=0)", "A linear recurrence `s = a * s + b` in the order of `running_sum`: `f0`, `f1` \
             and `f2` are the products of the factors whose terms `t0`, `t1` and `t2` are. Parts 5 to 7 are what they are for the next iteration.";
        RunningPair "running_pair" Form::Call, [Slot::Data(Both, UNSIGNED, Own), each(FLOAT), each(FLOAT), each(FLOAT), each(FLOAT), each(FLOAT),
            each(FLOAT), each(FLOAT), each(FLOAT), each(FLOAT), each(FLOAT), each(FLOAT), each(FLOAT), each(FLOAT), each(FLOAT), each(FLOAT),
            each(FLOAT), each(FLOAT), each(FLOAT), each(FLOAT), each(FLOAT), each(FLOAT), each(FLOAT), each(FLOAT), each(FLOAT), each(FLOAT),
            each(FLOAT)] => Same, Pure, Key::Number("part", 0),
            "running_pair(k, c, d, b, e, …, part=0)", "A linear recurrence of two values in the order of `running_sum`:              `s, t = a * s + (f * t + b), g * s + (h * t + e)`. `c` and `d` are the values in front of the block; `b` and `e` are followed by              the three pairs of terms that a block's halves need, then come `a`, `f`, `g` and `h`, and the factors of those steps, four each.              Parts 0 and 1 are the values, 2 and 3 what `c` and `d` are for the next iteration, and 4 to 21 what the terms and factors of the steps are.";
    }
    "Bits" {
        And "and" Form::Infix("&"), [each(BITS), each(BITS)] => Same, Pure, Key::None,
            "(a & b)", "Bitwise and, of bools too. `false & b` is false even in a lane where `b` failed.";
        Or "or" Form::Infix("|"), [each(BITS), each(BITS)] => Same, Pure, Key::None,
            "(a | b)", "Bitwise or, of bools too. `true | b` is true even in a lane where `b` failed.";
        Xor "xor" Form::Infix("^"), [each(BITS), each(BITS)] => Same, Pure, Key::None,
            "(a ^ b)", "Bitwise exclusive or, of bools too.";
        Not "not" Form::Prefix("~"), [each(BITS)] => Same, Pure, Key::None,
            "(~a)", "Bitwise complement, of bools too.";
        Shl "shl" Form::Infix("<<"), [each(INTEGER), each(INTEGER)] => Same, FailsInteger, Key::None,
            "(a << b)", "Shifted left; the bits shifted out are dropped. Fails when `b` is negative, or not less than the \
             width.";
        Shr "shr" Form::Infix(">>"), [each(INTEGER), each(INTEGER)] => Same, FailsInteger, Key::None,
            "(a >> b)", "Shifted right; a signed `a` keeps its sign. Fails when `b` is negative, or not less than the width.";
        MulHigh "mul_high" Form::Call, [each(INTEGER), each(INTEGER)] => Same, Pure, Key::None,
            "mul_high(a, b)", "The upper half of the product, which has twice the width.";
        Popcount "popcount" Form::Call, [each(INTEGER)] => Same, Pure, Key::None,
            "popcount(a)", "The number of bits that are set.";
        Clz "clz" Form::Call, [each(INTEGER)] => Same, Pure, Key::None,
            "clz(a)", "The number of bits above the highest one that is set; all bits, if none is.";
        Ctz "ctz" Form::Call, [each(INTEGER)] => Same, Pure, Key::None,
            "ctz(a)", "The number of bits below the lowest one that is set; all bits, if none is.";
        ByteSwap "byte_swap" Form::Call, [each(INTEGER)] => Same, Pure, Key::None,
            "byte_swap(a)", "The bytes in the opposite order.";
        ReverseBits "reverse_bits" Form::Call, [each(INTEGER)] => Same, Pure, Key::None,
            "reverse_bits(a)", "The bits in the opposite order.";
        AddSat "add_sat" Form::Call, [each(INTEGER), each(INTEGER)] => Same, Pure, Key::None,
            "add_sat(a, b)", "The sum, or the end of the type that is nearest to it.";
        SubSat "sub_sat" Form::Call, [each(INTEGER), each(INTEGER)] => Same, Pure, Key::None,
            "sub_sat(a, b)", "The difference, or the end of the type that is nearest to it.";
    }
    "Comparison and choice" {
        Lt "lt" Form::Infix("<"), [each(NUMBER), each(NUMBER)] => Of(Bool), Pure, Key::None,
            "(a < b)", "True if `a` is less than `b`; false if either is NaN.";
        Le "le" Form::Infix("<="), [each(NUMBER), each(NUMBER)] => Of(Bool), Pure, Key::None,
            "(a <= b)", "True if `a` is less than or equal to `b`; false if either is NaN.";
        Gt "gt" Form::Infix(">"), [each(NUMBER), each(NUMBER)] => Of(Bool), Pure, Key::None,
            "(a > b)", "True if `a` is greater than `b`; false if either is NaN.";
        Ge "ge" Form::Infix(">="), [each(NUMBER), each(NUMBER)] => Of(Bool), Pure, Key::None,
            "(a >= b)", "True if `a` is greater than or equal to `b`; false if either is NaN.";
        Eq "eq" Form::Infix("=="), [each(ANY), each(ANY)] => Of(Bool), Pure, Key::None,
            "(a == b)", "True if the operands are equal. NaN equals nothing; the two zeros are equal.";
        Ne "ne" Form::Infix("!="), [each(ANY), each(ANY)] => Of(Bool), Pure, Key::None,
            "(a != b)", "True if the operands are not equal; the negation of `==`.";
        Isnan "isnan" Form::Call, [each(FLOAT)] => Of(Bool), Pure, Key::None,
            "isnan(a)", "True for NaN.";
        Select "select" Form::Call, [Slot::Data(Both, BOOL, Own), each(ANY), each(ANY)] => Same, Pure, Key::None,
            "select(c, a, b)", "`a` if `c`, else `b`. A failed value on the side that is not selected has no effect.";
    }
    "Conversion" {
        Cast "cast" Form::Convert, [Slot::Data(Both, ANY, Own)] => Named, FailsToInteger, Key::Convert,
            "f32(a)", "The conversion of a cast in Lane: integers keep the low bits, a float truncates to an integer and fails \
             where that does not fit, a bool becomes 0 or 1, and a number is true unless it is zero.";
        Bitcast "bitcast" Form::Call, [Slot::Data(Both, ANY, Own)] => Named, Pure, Key::Elem,
            "bitcast(a, type=u32)", "The bits of the operand, reinterpreted as another type of the same size.";
        Index "index" Form::Call, [Slot::Data(Both, INTEGER, Own)] => Of(I64), Pure, Key::None,
            "index(i)", "The value as `i64`, the type of address arithmetic. A `u64` above its range becomes the greatest \
             `i64`, which is out of range for every array.";
    }
    "Views of arrays" {
        Row "row" Form::Call, [Slot::AnyView, Slot::Data(Both, INTEGER, Own)] => Row, FailsScalar, Key::Dim,
            "row(a, i, dim=1)", "The view with the subscript of one dimension fixed at `i`, which must lie within that \
             dimension.";
        Slice "slice" Form::Call, [Slot::AnyView, Slot::Data(Both, INTEGER, Own), Slot::Data(Both, INTEGER, Own),
            Slot::Data(Both, INTEGER, Own)] => SameView, FailsScalar, Key::Dim,
            "slice(a, lo, hi, step, dim=1)", "Along one dimension, the cells `lo`, `lo + step`, … before `hi` (behind it, for a \
             negative step). The first and last of them must lie within the dimension, and the step must not be 0.";
        Field "field" Form::Dot, [Slot::Structs] => FieldView, Pure, Key::Field,
            "p.x", "One field of each struct.";
        Flat "flat" Form::Call, [Slot::AnyView] => FlatView, Pure, Key::Elem,
            "flat(p, type=f32)", "The memory of a whole array as a one-dimensional view with elements of this type: the rows of \
             a matrix in order, and of structs the fields, including padding. The type must have the size of the elements, or \
             of a field.";
        Size "size" Form::Call, [Slot::AnyView] => Of(I64), Pure, Key::Dim,
            "size(a, dim=1)", "The size of a dimension.";
        Overlap "overlap" Form::Call, [Slot::AnyView, Slot::AnyView] => Of(Bool), Pure, Key::None,
            "overlap(a, b)", "True if the memory ranges of the two views, from the first to the last cell, overlap. An empty \
             view overlaps nothing.";
        Temp "temp" Form::Call, [Slot::Rest(1, Scalar, INTEGER, Own)] => NewArray, Fails, Key::NewElem,
            "temp(n, m, type=f32)", "A new array of zeros with these sizes. With `unset=f32` its cells hold anything until they \
             are written. Behind the stage `arrays` it lives until its block ends.";
        Table "table" Form::Call, [Slot::Rest(1, Scalar, INTEGER, Own)] => NewArray, Pure, Key::Cells,
            "table(2, 2, f32=[1.0, 0.5, 0.0, 0.5])", "A constant array with these sizes, which are constants, and these elements, its \
             rows joined. Nothing writes to it.";
        Scratch "scratch" Form::Call, [Slot::Data(Scalar, INTEGER, Own), Slot::Rest(1, Scalar, INTEGER, Own)] => NewArray, Fails,
            Key::NewElem, "scratch(at, n, m, type=f32)", "A new array like that of `temp`, at the byte `at` of the kernel's scratch \
             memory, which no other array that lives then overlaps.";
    }
    "Whole arrays" {
        Iota "iota" Form::Call, [Slot::Data(Scalar, INTEGER, Shared)] => Counted, Fails, Key::None,
            "iota(n)", "A new array of the numbers from 0 up to `n`, which must not be negative.";
        Replicate "replicate" Form::Call, [Slot::Data(Scalar, INTEGER, Own), Slot::Whole] => Repeated, Reads, Key::None,
            "replicate(n, x)", "A new array that holds `x`, a scalar or an array, `n` times. `n` must not be negative.";
        Elements "elements" Form::Call, [Slot::WholeRest] => Repeated, Reads, Key::None,
            "elements(x, y)", "A new array of the given scalars, or of arrays of the same sizes, in order.";
        Assign "assign" Form::Call, [Slot::View, Slot::Whole] => Nothing, Writes, Key::None,
            "assign(a, x)", "Gives all cells of a view those of another view of the same sizes, as they were before, or a scalar.";
    }
    "Memory, one cell" {
        Load "load" Form::Cell, [Slot::View, Slot::Indices(Scalar)] => Loaded, Reads, Key::None,
            "a[i, j]", "The content of a cell. Each subscript must lie within its dimension.";
        Store "store" Form::SetCell, [Slot::View, Slot::Indices(Scalar), Slot::Stored(Scalar)] => Nothing, Writes, Key::None,
            "a[i, j] = x", "Stores `x` to a cell. Each subscript must lie within its dimension.";
    }
    "Memory, in lanes" {
        VectorLoad "vector_load" Form::Call, [Slot::View, Slot::Indices(Both)] => LoadedLanes, Reads, Key::Lanes,
            "vector_load(a, i)", "Loads contiguous cells along the last dimension, with all lanes active. The last subscript \
             gives each lane's cell; a scalar one gives that of lane 0.";
        MaskedLoad "masked_load" Form::Call, [Slot::View, Slot::Indices(Both), Slot::Mask] => LoadedLanes, Reads, Key::None,
            "masked_load(a, i, active)", "A `vector_load` of the active lanes; the others get 0 and access no memory.";
        ReversedLoad "reversed_load" Form::Call, [Slot::View, Slot::Indices(Lanes), Slot::OptionalMask] => LoadedLanes, Reads,
            Key::None, "reversed_load(a, i, active)", "Loads contiguous cells in reversed order.";
        StridedLoad "strided_load" Form::Call, [Slot::View, Slot::Indices(Lanes), Slot::OptionalMask] => LoadedLanes, Reads,
            Key::Number("stride", i64::MIN), "strided_load(a, i, active, stride=3)", "Loads cells at distance `stride` along \
             the last dimension.";
        RepeatedLoad "repeated_load" Form::Call, [Slot::View, Slot::Indices(Lanes), Slot::OptionalMask] => LoadedLanes, Reads,
            Key::Number("times", 1), "repeated_load(a, i, active, times=2)", "Loads contiguous cells, each into `times` \
             neighbouring lanes (the first one possibly into fewer).";
        PeriodicLoad "periodic_load" Form::Call, [Slot::View, Slot::Indices(Lanes), Slot::OptionalMask] => LoadedLanes, Reads,
            Key::Number("period", 1), "periodic_load(a, i, active, period=4)", "Loads a periodic pattern: lanes at distance \
             `period` get the same cell.";
        Gather "gather" Form::Call, [Slot::View, Slot::Indices(Both), Slot::OptionalMask] => LoadedLanes, Reads, Key::None,
            "gather(a, i, active)", "Loads a cell of its own for each active lane.";
        InterleavedLoad "interleaved_load" Form::Call, [Slot::View, Slot::Indices(Both), Slot::OptionalMask] => LoadedGroup, Reads,
            Key::Number("members", 2), "interleaved_load(a, i, active, members=2)", "Loads contiguous groups of `members` \
             cells, one group for each lane: the first result has each lane's cell at `i`, the second the cell after it, and so \
             on. A scalar last subscript gives lane 0's cell; a mask selects the lanes.";
        ExpandLoad "expand_load" Form::Call, [Slot::View, Slot::Indices(Scalar), Slot::Asked] => Loaded, Reads, Key::None,
            "expand_load(a, at, active)", "Loads contiguous cells from `at` on, one for each participating lane. Those lanes \
             must agree on the array and on `at`.";
        VectorStore "vector_store" Form::Call, [Slot::View, Slot::Indices(Both), Slot::Stored(Both)] => Nothing, Writes,
            Key::Past, "vector_store(a, i, x)", "Stores to contiguous cells along the last dimension, with all lanes active. A \
             scalar last subscript gives lane 0's cell. With `past=cache` the cells go to memory and take no place in the cache.";
        MaskedStore "masked_store" Form::Call, [Slot::View, Slot::Indices(Both), Slot::Stored(Both), Slot::Mask] => Nothing, Writes,
            Key::None, "masked_store(a, i, x, active)", "A `vector_store` of the active lanes; the others access no memory.";
        ReversedStore "reversed_store" Form::Call, [Slot::View, Slot::Indices(Lanes), Slot::Stored(Both), Slot::OptionalMask] => Nothing,
            Writes, Key::None, "reversed_store(a, i, x, active)", "Stores to contiguous cells in reversed order.";
        StridedStore "strided_store" Form::Call, [Slot::View, Slot::Indices(Lanes), Slot::Stored(Both), Slot::OptionalMask] => Nothing,
            Writes, Key::Number("stride", i64::MIN), "strided_store(a, i, x, active, stride=3)", "Stores to cells at distance \
             `stride` along the last dimension.";
        Scatter "scatter" Form::Call, [Slot::View, Slot::Indices(Both), Slot::Stored(Both), Slot::OptionalMask] => Nothing, Writes,
            Key::None, "scatter(a, i, x, active)", "Stores to a cell of its own for each active lane, in lane order: of several \
             lanes with one cell the last wins.";
        InterleavedStore "interleaved_store" Form::Call, [Slot::View, Slot::Indices(Both), Slot::Mask, Slot::StoredRest(2, Both)]
            => Nothing, Writes, Key::None, "interleaved_store(a, i, active, x, y)", "Stores to contiguous groups of cells, one \
             group for each lane: each active lane's cell at `i` becomes `x`, the cell after it `y`, and so on. A scalar last \
             subscript gives lane 0's cell.";
        CompressStore "compress_store" Form::Call, [Slot::View, Slot::Indices(Scalar), Slot::Stored(Both), Slot::Asked] => Nothing, Writes,
            Key::None, "compress_store(a, at, x, active)", "Stores to contiguous cells from `at` on, one for each participating \
             lane. Those lanes must agree on the array and on `at`.";
    }
    "Memory, of several threads" {
        AtomicAdd "atomic_add" Form::Call, [Slot::View, Slot::Indices(Both), Slot::Stored(Both), Slot::OptionalMask] => Loaded, Writes,
            Key::Order, "atomic_add(a, i, x, active)", "Adds `x` to the cell of each active lane, lane after lane, in steps that no other \
             thread gets in between; gives what the cells held before. Integers wrap. The others get 0 and access no memory. With `order=free` nothing depends on which \
             comes first: what the cell held is not asked for.";
        AtomicMin "atomic_min" Form::Call, [Slot::View, Slot::Indices(Both), Slot::Stored(Both), Slot::OptionalMask] => Loaded, Writes,
            Key::Order, "atomic_min(a, i, x, active)", "Like `atomic_add`, with the lesser of the cell and `x`.";
        AtomicMax "atomic_max" Form::Call, [Slot::View, Slot::Indices(Both), Slot::Stored(Both), Slot::OptionalMask] => Loaded, Writes,
            Key::Order, "atomic_max(a, i, x, active)", "Like `atomic_add`, with the greater of the cell and `x`.";
        AtomicAnd "atomic_and" Form::Call, [Slot::View, Slot::Indices(Both), Slot::Stored(Both), Slot::OptionalMask] => Loaded, Writes,
            Key::Order, "atomic_and(a, i, x, active)", "Like `atomic_add`, with the bitwise and of the cell and `x`.";
        AtomicOr "atomic_or" Form::Call, [Slot::View, Slot::Indices(Both), Slot::Stored(Both), Slot::OptionalMask] => Loaded, Writes,
            Key::Order, "atomic_or(a, i, x, active)", "Like `atomic_add`, with the bitwise or of the cell and `x`.";
        AtomicXor "atomic_xor" Form::Call, [Slot::View, Slot::Indices(Both), Slot::Stored(Both), Slot::OptionalMask] => Loaded, Writes,
            Key::Order, "atomic_xor(a, i, x, active)", "Like `atomic_add`, with the bitwise exclusive or of the cell and `x`.";
        AtomicExchange "atomic_exchange" Form::Call, [Slot::View, Slot::Indices(Both), Slot::Stored(Both), Slot::OptionalMask] => Loaded,
            Writes, Key::Order, "atomic_exchange(a, i, x, active)", "Like `atomic_add`, with `x` in the place of what the cell held.";
    }
    "Memory, ahead" {
        Prefetch "prefetch" Form::Call, [Slot::View, Slot::Indices(Both)] => Nothing, Fails, Key::None,
            "prefetch(a, i)", "Has each lane's cell brought into the cache. It changes nothing else, and a cell that does not exist, or a \
             subscript that failed, is no error.";
        PrefetchRow "prefetch_row" Form::Call, [Slot::View, Slot::Indices(Lanes)] => Nothing, Fails, Key::None,
            "prefetch_row(a, i)", "A `prefetch` of cells that are contiguous along the last dimension.";
    }
    "Lanes" {
        LaneId "lane_id" Form::LaneId, [] => LaneNumbers, Pure, Key::Lanes,
            "lane_id", "The number of each lane, from 0, as `i32`. Inside of a `foreach` in lanes it is a scalar, the lane's \
             own number.";
        LaneIndex "lane_index" Form::LaneIndex, [Slot::Data(Scalar, INTEGER, Shared), Slot::Data(Scalar, INTEGER, Shared)] => Indexed,
            Pure, Key::Lanes, "(base + lane_id)", "The index of each lane in a `vector_for`: `base + lane * step`, where the \
             step defaults to 1 (`lane_index(base, step)`). An index beyond the type's range saturates at the type's last \
             value, so that a comparison with a bound gives exactly the active lanes.";
        ActiveLanes "active_lanes" Form::Call, [Slot::Data(Scalar, INTEGER, Shared), Slot::Data(Scalar, INTEGER, Shared)]
            => LanesOf(Bool), Pure, Key::Lanes, "active_lanes(base, n)", "True in each lane whose index `base + lane` is less than \
             `n`: the mask of a group of lanes, computed from the number of indices that are left.";
        Splat "splat" Form::Call, [Slot::Data(Scalar, ANY, Shared)] => SameLanes, Pure, Key::Lanes,
            "splat(x)", "The scalar in every lane, for operands that must be in lanes, such as the initial value of a loop's \
             carried vector.";
        Pack "pack" Form::Call, [Slot::Rest(1, Scalar, ANY, Shared)] => Packed, Pure, Key::None,
            "pack(a, b, c, d)", "A vector of the given scalars, one for each lane.";
        Extract "extract" Form::Call, [Slot::Data(Lanes, ANY, Shared), Slot::Data(Scalar, INTEGER, Own)] => SameScalar, Fails, Key::None,
            "extract(x, k)", "The element of lane `k`, which must exist.";
        Rotate "rotate" Form::Call, [Slot::Data(Both, ANY, Shared), Slot::Data(Both, INTEGER, Own), Slot::Asked] => Same, FailsScalar, Key::Through,
            "rotate(x, k, active)", "Each lane gets the element of the lane `k` further on, wrapping around. Fails in lanes for \
             which that lane does not participate. With `through=memory` machine code stores the lanes and loads each from \
             there, as the target has no instruction that costs less.";
        Shuffle "shuffle" Form::Call, [Slot::Data(Both, ANY, Shared), Slot::Data(Both, INTEGER, Own), Slot::Asked] => Same, FailsScalar, Key::Through,
            "shuffle(x, k, active)", "Each lane gets the element of lane `k`. Fails in lanes whose `k` is no lane, or one that \
             does not participate. With `through=memory` as in `rotate`.";
        Permute "permute" Form::Call, [Slot::Rest(1, Lanes, ANY, Shared)] => Patterned, Pure, Key::Pattern,
            "permute(x, y, pattern=[0, 4, 1, 5])", "A constant shuffle: lanes selected by number from the concatenated \
             operands.";
        Regroup "regroup" Form::Call, [Slot::Rest(1, Lanes, UNSIGNED, Shared)] => Regrouped, Pure, Key::Type,
            "regroup(x, y, type=u32x8)", "The bytes of the vectors, side by side, as elements of this unsigned type, the lowest byte first. There are as many \
             bytes in it.";
        Sad "sad" Form::Call, [Slot::Data(Lanes, BYTES, Shared), Slot::Data(Lanes, BYTES, Shared)] => Regrouped, Pure, Key::Type,
            "sad(x, y, type=u64x8)", "The sum of absolute differences: the vectors are bytes, and each element of this unsigned type of 2 bytes or more is the sum \
             of the differences of as many bytes of `x` and `y` as it has. There are as many bytes in it as in each vector.";
        Lookup "lookup" Form::Call, [Slot::Data(Lanes, ANY, Shared), Slot::Data(Lanes, INTEGER, Own)] => LookedUp, Pure, Key::Through,
            "lookup(table, k)", "Each lane gets the element of the table's lane `k`, modulo the size of the table, which may \
             have another number of lanes. With `through=memory` as in `rotate`.";
        Reverse "reverse" Form::Call, [Slot::Data(Lanes, ANY, Shared)] => Same, Pure, Key::None,
            "reverse(x)", "The lanes in reversed order.";
        Any "any" Form::Call, [Slot::Data(Both, BOOL, Shared), Slot::Asked] => ScalarOf(Bool), FailsInLanes, Key::None,
            "any(m, active)", "True if `m` is true in any participating lane.";
        All "all" Form::Call, [Slot::Data(Both, BOOL, Shared), Slot::Asked] => ScalarOf(Bool), FailsInLanes, Key::None,
            "all(m, active)", "True if `m` is true in all participating lanes.";
        None "none" Form::Call, [Slot::Data(Both, BOOL, Shared), Slot::Asked] => ScalarOf(Bool), FailsInLanes, Key::None,
            "none(m, active)", "True if `m` is true in no participating lane.";
        CountOn "count_on" Form::Call, [Slot::Data(Both, BOOL, Shared), Slot::Asked] => ScalarOf(I32), FailsInLanes, Key::None,
            "count_on(m, active)", "The number of participating lanes in which `m` is true.";
        FirstOn "first_on" Form::Call, [Slot::Data(Both, BOOL, Shared), Slot::Asked] => ScalarOf(I32), FailsInLanes, Key::None,
            "first_on(m, active)", "The number of the first participating lane in which `m` is true; the number of lanes, if \
             there is none.";
        LastOn "last_on" Form::Call, [Slot::Data(Both, BOOL, Shared), Slot::Asked] => ScalarOf(I32), FailsInLanes, Key::None,
            "last_on(m, active)", "The number of the last participating lane in which `m` is true; -1, if there is none.";
        FirstOf "first_of" Form::Call, [Slot::Data(Scalar, ANY, Shared), Slot::Data(Scalar, ANY, Shared), Slot::Data(Scalar, BOOL, Own), Slot::Asked]
            => SameScalar, Pure, Key::None, "first_of(x, y, m)", "The element of `x` in the first participating lane in which `m` is \
             true; the first participating lane's element of `y`, if there is none. It stands for the value that a variable of all \
             lanes has behind a block that some of them enter, and only inside of a `foreach` in lanes.";
        ReduceAdd "reduce_add" Form::Call, [Slot::Data(Both, NUMBER, Shared), Slot::Asked] => SameScalar, Fails, Key::None,
            "reduce_add(x, active)", "The sum of the participating lanes, in the fixed order: with the number of lanes rounded \
             up to a power of two, lane `k` is added to lane `k + half`, halving until one is left; lanes that do not \
             participate or exist are left out. The sum of no lanes is the identity (-0.0).";
        ReduceMul "reduce_mul" Form::Call, [Slot::Data(Both, NUMBER, Shared), Slot::Asked] => SameScalar, Fails, Key::None,
            "reduce_mul(x, active)", "The product of the participating lanes, in the order of `reduce_add`.";
        ReduceMin "reduce_min" Form::Call, [Slot::Data(Both, NUMBER, Shared), Slot::Asked] => SameScalar, FailsInLanes, Key::None,
            "reduce_min(x, active)", "The minimum of the participating lanes by `min`, in the order of `reduce_add`.";
        ReduceMax "reduce_max" Form::Call, [Slot::Data(Both, NUMBER, Shared), Slot::Asked] => SameScalar, FailsInLanes, Key::None,
            "reduce_max(x, active)", "The maximum of the participating lanes by `max`, in the order of `reduce_add`.";
        ReduceAnd "reduce_and" Form::Call, [Slot::Data(Both, BITS, Shared), Slot::Asked] => SameScalar, FailsInLanes, Key::None,
            "reduce_and(x, active)", "The bitwise and of the participating lanes.";
        ReduceOr "reduce_or" Form::Call, [Slot::Data(Both, BITS, Shared), Slot::Asked] => SameScalar, FailsInLanes, Key::None,
            "reduce_or(x, active)", "The bitwise or of the participating lanes.";
        ReduceXor "reduce_xor" Form::Call, [Slot::Data(Both, BITS, Shared), Slot::Asked] => SameScalar, FailsInLanes, Key::None,
            "reduce_xor(x, active)", "The bitwise exclusive or of the participating lanes.";
        FoldAdd "fold_add" Form::Call, [Slot::Data(Scalar, NUMBER, Shared), Slot::Data(Lanes, NUMBER, Shared), Slot::OptionalMask]
            => SameScalar, Fails, Key::None, "fold_add(s, x, active)", "The sum of `s` and the active lanes' elements, added in \
             lane order.";
        FoldMul "fold_mul" Form::Call, [Slot::Data(Scalar, NUMBER, Shared), Slot::Data(Lanes, NUMBER, Shared), Slot::OptionalMask]
            => SameScalar, Fails, Key::None, "fold_mul(s, x, active)", "The product of `s` and the active lanes' elements, \
             multiplied in lane order.";
        FoldMin "fold_min" Form::Call, [Slot::Data(Scalar, NUMBER, Shared), Slot::Data(Lanes, NUMBER, Shared), Slot::OptionalMask]
            => SameScalar, Fails, Key::None, "fold_min(s, x, active)", "The minimum of `s` and the active lanes' elements, by \
             `min(s, x)` in lane order.";
        FoldMax "fold_max" Form::Call, [Slot::Data(Scalar, NUMBER, Shared), Slot::Data(Lanes, NUMBER, Shared), Slot::OptionalMask]
            => SameScalar, Fails, Key::None, "fold_max(s, x, active)", "The maximum of `s` and the active lanes' elements, by \
             `max(s, x)` in lane order.";
        ScanAdd "scan_add" Form::Call, [Slot::Data(Both, NUMBER, Shared), Slot::Asked] => Same, FailsSigned, Key::None,
            "scan_add(x, active)", "The exclusive prefix sum: in each participating lane the sum, from 0 in lane order, of the \
             participating lanes before it; 0 in the others.";
    }
    "Control" {
        For "for" Form::Control, [] => Yielded, Inside, Key::Control,
            "for i in range(lo, hi, step) with s = s0:", "Runs the block for each index in order, from `lo` while the index is \
             below `hi` (above it, for a negative step). A step of 0 fails. Carried values start as given after `with`; the \
             block yields them to the next iteration. `reducing + from x` combines the yielded values in the language's fixed \
             order of reductions. Where that order keeps partial results, `x` may be these, in as many lanes; the results are \
             then the partial results, not combined.";
        Foreach "foreach" Form::Control, [] => Yielded, Inside, Key::Control,
            "foreach i in range(lo, hi, step), j in range(lo, hi, step):", "Runs the block for each tuple of indices, the last \
             index fastest. Its iterations are independent: no iteration accesses a cell that another one writes. With `in 4 \
             lanes` after the ranges the block runs for groups of 4 neighbouring iterations along the last index, one lane for \
             each: every op for all active lanes before the next op. A lane is active in the blocks that it enters; after an \
             `if` or a loop the lanes that were active before it are active again. Carried values are as in a `for`; from a group \
             of lanes to the next one the first lane's is carried. Only a `foreach` over one range, or in lanes, carries any, and \
             only one that is not in lanes joins any.";
        VectorFor "vector_for" Form::Control, [] => Yielded, Inside, Key::Control,
            "vector_for base in range(lo, hi, LANES):", "Runs the block for each group of `LANES` indices in order: `base` is \
             the index of lane 0. A step `s` is written `(LANES * s)`. The block must mask the lanes beyond `hi` in the last \
             group.";
        If "if" Form::Control, [] => Yielded, Inside, Key::Control,
            "if c:", "Runs one of the two blocks; the results are the values that it yields.";
        While "while" Form::Control, [] => Yielded, Inside, Key::Control,
            "while c with s = s0:", "Runs the block while the condition is true. A condition that needs statements has a block \
             of its own, followed by the body after `do c:`. The body can use the values of the condition's block; the results \
             are the carried values when the condition is false.";
        Map "map" Form::Control, [] => Yielded, Inside, Key::Control,
            "map x in a, y in b:", "Runs the block for each element of one or more arrays of the same size along the first \
             dimension, in order: an element is a scalar, or a row. Each result is a new array of what the block yields: of \
             scalars, or of arrays of the same sizes.";
        Reduce "reduce" Form::Control, [] => Yielded, Inside, Key::Control,
            "reduce x in a with s = s0:", "Runs the block for each element, like `map`. It yields the values that `with` carries on to \
             the next element; the results are the last of them. `reducing + from x` combines the yielded values as in `for`.";
        Scan "scan" Form::Control, [] => Yielded, Inside, Key::Control,
            "scan x in a with s = s0:", "Runs the block like `reduce`. Each result is a new array of all that the block yielded, which has the sizes that it starts with.";
        Assert "assert" Form::Call, [Slot::Data(Scalar, BOOL, Own)] => Nothing, Fails, Key::None,
            "assert(c)", "Fails if `c` is false.";
        AssertSize "assert_size" Form::Call, [Slot::Data(Scalar, INTEGER, Own), Slot::Data(Scalar, INTEGER, Own)] => Nothing, Fails, Key::None,
            "assert_size(size(a), n)", "Fails if the two sizes differ.";
        AssertSome "assert_some" Form::Call, [Slot::Data(Scalar, INTEGER, Own)] => Nothing, Fails, Key::None,
            "assert_some(size(a))", "Fails if the size is 0, or less.";
        Unknown "unknown" Form::Call, [Slot::Anything] => Typed, Fails, Key::Type,
            "unknown(a, type=f32)", "A placeholder for source with an error: an arbitrary, varying value, which is never \
             lowered to machine code. Running it fails.";
    }
}

/// A kind of work, as people tell them apart who read programs for their cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WorkKind {
    /// Cells are read.
    Load,
    /// Cells are written.
    Store,
    /// Numbers are computed.
    Arithmetic,
    /// Values move between lanes.
    Shuffle,
    /// A condition, or a choice by one.
    Mask,
}

impl Code {
    /// The op's row of the table.
    pub fn row(self) -> &'static Row {
        &TABLE[self as usize]
    }

    /// All ops, in the order of the table.
    pub fn all() -> impl Iterator<Item = Code> {
        SECTIONS.iter().flat_map(|(_, codes)| codes.iter().copied())
    }

    /// The op that is written with this name.
    pub fn from_name(name: &str) -> Option<Code> {
        static BY_NAME: LazyLock<HashMap<&str, Code>> =
            LazyLock::new(|| Code::all().map(|code| (code.row().name, code)).collect());
        BY_NAME.get(name).copied()
    }

    /// The op that is written between its operands like this.
    pub fn from_infix(symbol: &str) -> Option<Code> {
        Code::all().find(|code| matches!(code.row().form, PrintForm::Infix(own) if own == symbol))
    }

    /// The op that is written before its operand like this.
    pub fn from_prefix(symbol: &str) -> Option<Code> {
        Code::all().find(|code| matches!(code.row().form, PrintForm::Prefix(own) if own == symbol))
    }

    /// Says whether the op works element by element: on scalars, and lane by lane on vectors.
    pub fn is_elementwise(self) -> bool {
        let slots = self.row().slots;
        !slots.is_empty() && slots.iter().all(|slot| matches!(slot, OperandSlot::Data(OperandShape::Both, ..)))
    }

    /// The kind of work that it is, as programs are coloured by it; `None` for control and for what computes nothing.
    pub fn work(self) -> Option<WorkKind> {
        let row = self.row();
        match (row.effect, row.gives) {
            (EffectRule::Reads, _) => Some(WorkKind::Load),
            (EffectRule::Writes, _) => Some(WorkKind::Store),
            _ if self == Code::Select => Some(WorkKind::Mask),
            (_, Gives::Of(Elem::Bool) | Gives::ScalarOf(Elem::Bool) | Gives::LanesOf(Elem::Bool)) => {
                Some(WorkKind::Mask)
            }
            (_, Gives::SameLanes | Gives::Packed | Gives::Patterned | Gives::Regrouped | Gives::LookedUp) => {
                Some(WorkKind::Shuffle)
            }
            (_, Gives::SameScalar | Gives::ScalarOf(_)) => Some(WorkKind::Arithmetic),
            _ => self.is_elementwise().then_some(WorkKind::Arithmetic),
        }
    }

    /// The kind of value that runs on from iteration to iteration, for an op that computes a part of one in the language's fixed order.
    pub fn as_running(self) -> Option<RunningKind> {
        match self {
            Code::RunningSum => Some(RunningKind::Sum),
            Code::RunningProduct => Some(RunningKind::Product),
            Code::RunningLinear => Some(RunningKind::Linear),
            Code::RunningPair => Some(RunningKind::Pair),
            _ => None,
        }
    }

    /// Says whether it makes what it gives from several lanes.
    pub fn asks_lanes(self) -> bool {
        self.row().slots.last() == Some(&OperandSlot::Asked)
    }

    /// Says whether it runs a block for each element of arrays.
    pub fn is_over_elements(self) -> bool {
        matches!(self, Code::Map | Code::Reduce | Code::Scan)
    }

    /// The rule of an atomic op; `None` for any other op.
    pub fn as_atomic(self) -> Option<AtomicRule> {
        Some(match self {
            Code::AtomicAdd => AtomicRule::Add,
            Code::AtomicMin => AtomicRule::Min,
            Code::AtomicMax => AtomicRule::Max,
            Code::AtomicAnd => AtomicRule::And,
            Code::AtomicOr => AtomicRule::Or,
            Code::AtomicXor => AtomicRule::Xor,
            Code::AtomicExchange => AtomicRule::Exchange,
            _ => return None,
        })
    }

    /// Says whether the op checks sizes: native code does so too, at its entry.
    pub fn checks_sizes(self) -> bool {
        matches!(self, Code::AssertSize | Code::AssertSome)
    }

    /// Says whether it asks for cells to be brought into the cache, and does nothing else.
    pub fn is_prefetch(self) -> bool {
        matches!(self, Code::Prefetch | Code::PrefetchRow)
    }

    /// Says whether it has regions.
    pub fn is_control(self) -> bool {
        self.row().form == PrintForm::Control
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_lies_in_the_order_of_the_codes() {
        for (position, code) in Code::all().enumerate() {
            assert_eq!(position, code as usize);
            assert_eq!(Code::from_name(code.row().name), Some(code));
        }
    }

    #[test]
    fn names_and_symbols_are_told_apart() {
        for code in Code::all() {
            match code.row().form {
                PrintForm::Infix(symbol) => assert_eq!(Code::from_infix(symbol), Some(code)),
                PrintForm::Prefix(symbol) => assert_eq!(Code::from_prefix(symbol), Some(code)),
                _ => {}
            }
            assert!(code.row().meaning.ends_with(['.', ')']), "{}", code.row().name);
        }
    }
}
