//! Every op, in one table: its name, its printed form, what it takes and gives, what it may do, what it means.
//!
//! All that is generic reads this table: the builder and the reader find result types by it, the verifier
//! checks operands by it, passes ask it for effects, `docs/lane-ir.md` is generated from it. Adding an op
//! means adding a row here and a rule to the interpreter; only an op with a form of its own, or with regions,
//! also has an arm in the printer, the reader and the verifier.
//!
//! **Lanes.** An elementwise op works on scalars, on lanes, or on both: a scalar counts for every lane.
//!
//! **Failing.** A scalar op that fails stops the program. In lanes nothing stops there, because the lane may
//! be inactive: the lane's value becomes *failed*, what is computed from it fails with it, and the error is
//! raised, with its lane and its place, when an active lane stores it, uses it as a subscript, or hands it to
//! an op that makes a scalar out of lanes. So arithmetic in lanes is pure: it may be moved, shared and
//! computed for lanes that do not need it.
//!
//! **Asking lanes.** Some ops make what they give from several lanes. They have two forms. In lanes, a mask says
//! which lanes are asked; without one, all are. Inside of a `foreach` in lanes all is scalar, each lane's own,
//! and such an op asks the lanes that are active where it stands: those that have entered the block around it.
//! So there it may not be moved into another block, or share what one in another block gives.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::types::{Elem, ElemSet};

/// How an op is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// `name(operands, key=attribute)`.
    Call,
    /// `(a + b)`, and `name(a, b)` where that would read as something else.
    Infix(&'static str),
    /// `(-a)`, and `name(a)` where that would read as something else.
    Prefix(&'static str),
    /// `f32(x)`.
    Convert,
    /// `a[i, j]`.
    Cell,
    /// `a[i, j] = x`.
    SetCell,
    /// `p.x`.
    Dot,
    /// `lane_id`.
    LaneId,
    /// `(base + lane_id)`, and a call when the step is not 1.
    LaneIndex,
    /// A statement with blocks.
    Control,
}

/// True if an operand is one element, or one for each lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// One.
    Scalar,
    /// One for each lane.
    Lanes,
    /// Either.
    Both,
}

/// The operands of an op, one slot each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Slot {
    /// Data. All *shared* slots of an op have one element type.
    Data(Shape, ElemSet, Sharing),
    /// A view of elements.
    View,
    /// A view of structs.
    Structs,
    /// Either kind of view.
    AnyView,
    /// One integer for each dimension of the view before it; any integer type, its value counts.
    Indices(Shape),
    /// The element type of the view's cells.
    Stored(Shape),
    /// A bool for each lane.
    Mask,
    /// A mask, or nothing when all lanes are active. The last slot.
    OptionalMask,
    /// Which lanes an op asks that makes something of several: a bool for each, or nothing when all are asked, or
    /// when nothing is in lanes; then it asks those active where it stands. The last slot.
    Asked,
    /// Any number of data operands, at least `.0`. The last slot.
    Rest(usize, Shape, ElemSet, Sharing),
    /// Any number of operands that cells of the view are to hold, at least `.0`. The last slot.
    StoredRest(usize, Shape),
    /// Any number of data operands of any types. The last slot.
    Anything,
}

/// True if a slot takes part in the element type that the op's shared slots have in common.
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

use Shape::{Both, Lanes, Scalar};
use Sharing::{Own, Shared};

/// An elementwise operand.
const fn each(class: ElemSet) -> Slot {
    Slot::Data(Both, class, Shared)
}

/// The results of an op.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gives {
    /// Nothing.
    Nothing,
    /// The shared element type, in lanes if any operand is.
    Same,
    /// This element type, in lanes if any operand is.
    Of(Elem),
    /// The element type the attribute says, in lanes if any operand is.
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
    /// The shared element type, in the lanes of the last operand.
    LookedUp,
    /// `i32`, in as many lanes as the attribute says; a scalar if it says none.
    LaneNumbers,
    /// The shared element type, in the lanes in force.
    Indexed,
    /// The element type of a cell, in lanes if any operand is.
    Loaded,
    /// The element type of a cell, in lanes: those of the operands, else as many as the attribute says.
    LoadedLanes,
    /// Several results of `LoadedLanes`: as many as the attribute says.
    LoadedGroup,
    /// The view without one dimension.
    Row,
    /// The view.
    SameView,
    /// The view, of the field's element type.
    FieldView,
    /// A view in one dimension, of the element type the attribute says.
    FlatView,
    /// A view of a new array, of the element type the attribute says and a dimension for each operand.
    NewArray,
    /// The yields of its regions.
    Yielded,
}

/// The effect of an op before its types are known; see [`Effect`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EffectRule {
    /// Nothing.
    Pure,
    /// A signed scalar may overflow.
    FailsSigned,
    /// A scalar integer may be one the op cannot take.
    FailsInteger,
    /// A scalar float may be one that no integer stands for.
    FailsToInteger,
    /// Fails unless in lanes.
    FailsScalar,
    /// Fails in lanes, of which it makes a scalar.
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
    /// Nothing: it may be moved, shared and dropped.
    Pure,
    /// May stop the program, or not end.
    Fails,
    /// May also read memory.
    Reads,
    /// May also write memory.
    Writes,
}

/// The attribute of an op: the key by which it is written, and its kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Key {
    /// Nothing.
    None,
    /// An element type, in the place of the name (`f32(x)`).
    Convert,
    /// `type=f32`.
    Elem,
    /// `type=f32x8`.
    Type,
    /// `lanes=8`; left out where it is the number of lanes in force.
    Lanes,
    /// `dim=1`; left out when 0.
    Dim,
    /// A whole number from this one on, under this key.
    Number(&'static str, i64),
    /// `pattern=[0, 2, 4]`.
    Pattern,
    /// The field of a struct.
    Field,
    /// The control data of a loop or branch.
    Control,
}

/// One row of the table.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    /// The name; the text form's, where it is written as a call.
    pub name: &'static str,
    /// How it is written.
    pub form: Form,
    /// The operands.
    pub slots: &'static [Slot],
    /// The results.
    pub gives: Gives,
    /// The effect.
    pub effect: EffectRule,
    /// The attribute.
    pub key: Key,
    /// An example of the printed form.
    pub example: &'static str,
    /// The meaning.
    pub meaning: &'static str,
}

/// Defines [`Code`] and the table.
macro_rules! op_table {
    ($($section:literal {
        $($code:ident $name:literal $form:expr, [$($slot:expr),*] => $gives:ident $(($elem:ident))?, $effect:ident,
          $key:expr, $example:literal, $meaning:literal;)*
    })*) => {
        /// Which op it is.
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
            "(a % b)", "What `/` leaves, with the sign of `a`; on floats C's `fmod`. Fails as `/` does.";
        WrappingAdd "wrapping_add" Form::Infix("+%"), [each(INTEGER), each(INTEGER)] => Same, Pure, Key::None,
            "(a +% b)", "The low bits of the sum: for arithmetic that the program did not ask for, or asked for elsewhere.";
        WrappingSub "wrapping_sub" Form::Infix("-%"), [each(INTEGER), each(INTEGER)] => Same, Pure, Key::None,
            "(a -% b)", "The low bits of the difference.";
        WrappingMul "wrapping_mul" Form::Infix("*%"), [each(INTEGER), each(INTEGER)] => Same, Pure, Key::None,
            "(a *% b)", "The low bits of the product.";
        Neg "neg" Form::Prefix("-"), [each(NUMBER)] => Same, FailsSigned, Key::None,
            "(-a)", "The negative. Signed overflow fails, unsigned wraps.";
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
            "floor(a)", "The next integer below.";
        Ceil "ceil" Form::Call, [each(FLOAT)] => Same, Pure, Key::None,
            "ceil(a)", "The next integer above.";
        Round "round" Form::Call, [each(FLOAT)] => Same, Pure, Key::None,
            "round(a)", "The nearest integer, the even one of two equally near.";
        Trunc "trunc" Form::Call, [each(FLOAT)] => Same, Pure, Key::None,
            "trunc(a)", "The next integer towards zero.";
        Fma "fma" Form::Call, [each(FLOAT), each(FLOAT), each(FLOAT)] => Same, Pure, Key::None,
            "fma(a, b, c)", "`a * b + c`, rounded once.";
    }
    "Bits" {
        And "and" Form::Infix("&"), [each(BITS), each(BITS)] => Same, Pure, Key::None,
            "(a & b)", "Bit by bit, of bools too. `false & b` is false even in a lane where `b` failed.";
        Or "or" Form::Infix("|"), [each(BITS), each(BITS)] => Same, Pure, Key::None,
            "(a | b)", "Bit by bit, of bools too. `true | b` is true even in a lane where `b` failed.";
        Xor "xor" Form::Infix("^"), [each(BITS), each(BITS)] => Same, Pure, Key::None,
            "(a ^ b)", "Bit by bit, of bools too.";
        Not "not" Form::Prefix("~"), [each(BITS)] => Same, Pure, Key::None,
            "(~a)", "Every bit the other way, of bools too.";
        Shl "shl" Form::Infix("<<"), [each(INTEGER), each(INTEGER)] => Same, FailsInteger, Key::None,
            "(a << b)", "Shifted left; what is shifted out is lost. Fails when `b` is negative or the width or more.";
        Shr "shr" Form::Infix(">>"), [each(INTEGER), each(INTEGER)] => Same, FailsInteger, Key::None,
            "(a >> b)", "Shifted right; a signed `a` keeps its sign. Fails when `b` is negative or the width or more.";
        Popcount "popcount" Form::Call, [each(INTEGER)] => Same, Pure, Key::None,
            "popcount(a)", "How many bits are set.";
        Clz "clz" Form::Call, [each(INTEGER)] => Same, Pure, Key::None,
            "clz(a)", "How many bits above the highest set one; all, if none is.";
        Ctz "ctz" Form::Call, [each(INTEGER)] => Same, Pure, Key::None,
            "ctz(a)", "How many bits below the lowest set one; all, if none is.";
    }
    "Comparison and choice" {
        Lt "lt" Form::Infix("<"), [each(NUMBER), each(NUMBER)] => Of(Bool), Pure, Key::None,
            "(a < b)", "Whether it is less.";
        Le "le" Form::Infix("<="), [each(NUMBER), each(NUMBER)] => Of(Bool), Pure, Key::None,
            "(a <= b)", "Whether it is less or equal.";
        Gt "gt" Form::Infix(">"), [each(NUMBER), each(NUMBER)] => Of(Bool), Pure, Key::None,
            "(a > b)", "Whether it is greater.";
        Ge "ge" Form::Infix(">="), [each(NUMBER), each(NUMBER)] => Of(Bool), Pure, Key::None,
            "(a >= b)", "Whether it is greater or equal.";
        Eq "eq" Form::Infix("=="), [each(ANY), each(ANY)] => Of(Bool), Pure, Key::None,
            "(a == b)", "Whether they are equal. A NaN equals nothing; the two zeros are equal.";
        Ne "ne" Form::Infix("!="), [each(ANY), each(ANY)] => Of(Bool), Pure, Key::None,
            "(a != b)", "Whether they are not equal.";
        Isnan "isnan" Form::Call, [each(FLOAT)] => Of(Bool), Pure, Key::None,
            "isnan(a)", "Whether it is not a number.";
        Select "select" Form::Call, [Slot::Data(Both, BOOL, Own), each(ANY), each(ANY)] => Same, Pure, Key::None,
            "select(c, a, b)", "`a` if `c`, else `b`. A lane whose other side failed has not failed.";
    }
    "Conversion" {
        Cast "cast" Form::Convert, [Slot::Data(Both, ANY, Own)] => Named, FailsToInteger, Key::Convert,
            "f32(a)", "The conversion that the language's cast is: integers keep the low bits, a float truncates to an \
             integer and fails where it does not fit, a bool is 0 or 1, and a number is true unless it is zero.";
        Bitcast "bitcast" Form::Call, [Slot::Data(Both, ANY, Own)] => Named, Pure, Key::Elem,
            "bitcast(a, type=u32)", "The same bits as another type of the same size.";
        Index "index" Form::Call, [Slot::Data(Both, INTEGER, Own)] => Of(I64), Pure, Key::None,
            "index(i)", "The value as `i64`, in which addresses are computed. A `u64` above its range becomes its \
             greatest value, which no array reaches.";
    }
    "Views of arrays" {
        Row "row" Form::Call, [Slot::AnyView, Slot::Data(Both, INTEGER, Own)] => Row, FailsScalar, Key::Dim,
            "row(a, i, dim=1)", "The view that is left when the subscript of one dimension is `i`, which has to lie within it.";
        Slice "slice" Form::Call, [Slot::AnyView, Slot::Data(Both, INTEGER, Own), Slot::Data(Both, INTEGER, Own),
            Slot::Data(Both, INTEGER, Own)] => SameView, FailsScalar, Key::Dim,
            "slice(a, lo, hi, step, dim=1)", "Along one dimension, the cells `lo`, `lo + step`, … before `hi` (behind it, for a \
             negative step). The first and last of them have to lie within the dimension, and the step may not be 0.";
        Field "field" Form::Dot, [Slot::Structs] => FieldView, Pure, Key::Field,
            "p.x", "One field of each struct.";
        Flat "flat" Form::Call, [Slot::AnyView] => FlatView, Pure, Key::Elem,
            "flat(p, type=f32)", "The cells of a whole array one after the other, as elements of this type: rows behind each other, and of \
             structs the fields, with what lies between them. The type has the size of the elements, or of a field.";
        Size "size" Form::Call, [Slot::AnyView] => Of(I64), Pure, Key::Dim,
            "size(a, dim=1)", "How many subscripts a dimension has.";
        Overlap "overlap" Form::Call, [Slot::AnyView, Slot::AnyView] => Of(Bool), Pure, Key::None,
            "overlap(a, b)", "Whether the memory from the first to the last cell of the one meets that of the other. A view without \
             cells meets nothing.";
        Temp "temp" Form::Call, [Slot::Rest(1, Scalar, INTEGER, Own)] => NewArray, Fails, Key::Elem,
            "temp(n, m, type=f32)", "A new array of zeros, with these sizes. It lasts until its block ends.";
    }
    "Memory, one cell" {
        Load "load" Form::Cell, [Slot::View, Slot::Indices(Scalar)] => Loaded, Reads, Key::None,
            "a[i, j]", "The cell's content. Each subscript has to lie within its dimension.";
        Store "store" Form::SetCell, [Slot::View, Slot::Indices(Scalar), Slot::Stored(Scalar)] => Nothing, Writes, Key::None,
            "a[i, j] = x", "Changes the cell.";
    }
    "Memory, in lanes" {
        VectorLoad "vector_load" Form::Call, [Slot::View, Slot::Indices(Both)] => LoadedLanes, Reads, Key::Lanes,
            "vector_load(a, i)", "Consecutive cells along the last dimension, all lanes active. A last subscript in lanes \
             says each lane's cell; a scalar one says lane 0's.";
        MaskedLoad "masked_load" Form::Call, [Slot::View, Slot::Indices(Both), Slot::Mask] => LoadedLanes, Reads, Key::None,
            "masked_load(a, i, active)", "The same for active lanes; the others are 0 and touch nothing.";
        ReversedLoad "reversed_load" Form::Call, [Slot::View, Slot::Indices(Lanes), Slot::OptionalMask] => LoadedLanes, Reads,
            Key::None, "reversed_load(a, i, active)", "Consecutive cells, backwards.";
        StridedLoad "strided_load" Form::Call, [Slot::View, Slot::Indices(Lanes), Slot::OptionalMask] => LoadedLanes, Reads,
            Key::Number("stride", i64::MIN), "strided_load(a, i, active, stride=3)", "Cells that lie `stride` apart along the last dimension.";
        RepeatedLoad "repeated_load" Form::Call, [Slot::View, Slot::Indices(Lanes), Slot::OptionalMask] => LoadedLanes, Reads,
            Key::Number("times", 1), "repeated_load(a, i, active, times=2)", "Consecutive cells, each for `times` neighbouring lanes \
             (the first may serve fewer).";
        PeriodicLoad "periodic_load" Form::Call, [Slot::View, Slot::Indices(Lanes), Slot::OptionalMask] => LoadedLanes, Reads,
            Key::Number("period", 1), "periodic_load(a, i, active, period=4)", "Lanes that lie `period` apart load the same cell.";
        Gather "gather" Form::Call, [Slot::View, Slot::Indices(Both), Slot::OptionalMask] => LoadedLanes, Reads, Key::None,
            "gather(a, i, active)", "Each active lane's own cell.";
        InterleavedLoad "interleaved_load" Form::Call, [Slot::View, Slot::Indices(Both), Slot::OptionalMask] => LoadedGroup, Reads,
            Key::Number("members", 2), "interleaved_load(a, i, active, members=2)", "Groups of `members` neighbouring cells, one group after \
             the other: the first result is each lane's cell at `i`, the second the cell after it, and so on. A scalar last \
             subscript says lane 0's, and a mask the lanes.";
        ExpandLoad "expand_load" Form::Call, [Slot::View, Slot::Indices(Scalar), Slot::Asked] => Loaded, Reads, Key::None,
            "expand_load(a, at, active)", "Consecutive cells from `at` on, one for each lane that is asked. Those lanes have to agree on the array and on `at`.";
        VectorStore "vector_store" Form::Call, [Slot::View, Slot::Indices(Both), Slot::Stored(Both)] => Nothing, Writes,
            Key::None, "vector_store(a, i, x)", "Changes consecutive cells along the last dimension, all lanes active. A scalar last \
             subscript says lane 0's.";
        MaskedStore "masked_store" Form::Call, [Slot::View, Slot::Indices(Both), Slot::Stored(Both), Slot::Mask] => Nothing, Writes,
            Key::None, "masked_store(a, i, x, active)", "The same for active lanes; the others touch nothing.";
        ReversedStore "reversed_store" Form::Call, [Slot::View, Slot::Indices(Lanes), Slot::Stored(Both), Slot::OptionalMask] => Nothing,
            Writes, Key::None, "reversed_store(a, i, x, active)", "Changes consecutive cells, backwards.";
        StridedStore "strided_store" Form::Call, [Slot::View, Slot::Indices(Lanes), Slot::Stored(Both), Slot::OptionalMask] => Nothing,
            Writes, Key::Number("stride", i64::MIN), "strided_store(a, i, x, active, stride=3)", "Changes cells that lie `stride` apart along \
             the last dimension.";
        Scatter "scatter" Form::Call, [Slot::View, Slot::Indices(Both), Slot::Stored(Both), Slot::OptionalMask] => Nothing, Writes,
            Key::None, "scatter(a, i, x, active)", "Changes each active lane's own cell, in lane order: of lanes with one cell the last wins.";
        InterleavedStore "interleaved_store" Form::Call, [Slot::View, Slot::Indices(Both), Slot::Mask, Slot::StoredRest(2, Both)]
            => Nothing, Writes, Key::None, "interleaved_store(a, i, active, x, y)", "Changes groups of neighbouring cells, one group after the \
             other: each active lane's cell at `i` becomes `x`, the cell after it `y`, and so on. A scalar last subscript says lane 0's.";
        CompressStore "compress_store" Form::Call, [Slot::View, Slot::Indices(Scalar), Slot::Stored(Both), Slot::Asked] => Nothing, Writes,
            Key::None, "compress_store(a, at, x, active)", "Changes consecutive cells from `at` on, one for each lane that is asked. Those lanes have to agree on the array and on `at`.";
    }
    "Lanes" {
        LaneId "lane_id" Form::LaneId, [] => LaneNumbers, Pure, Key::Lanes,
            "lane_id", "Each lane's number, from 0, as `i32`. It is a scalar, the lane's own number, inside of a `foreach` in lanes.";
        LaneIndex "lane_index" Form::LaneIndex, [Slot::Data(Scalar, INTEGER, Shared), Slot::Data(Scalar, INTEGER, Shared)] => Indexed,
            Pure, Key::Lanes, "(base + lane_id)", "Each lane's index in a `vector_for`: `base + lane * step`, where the step is 1 if it is not said \
             (`lane_index(base, step)`). A lane whose index would leave the type stays at the type's last value, so that a comparison \
             with a bound tells exactly which lanes are active.";
        Splat "splat" Form::Call, [Slot::Data(Scalar, ANY, Shared)] => SameLanes, Pure, Key::Lanes,
            "splat(x)", "The scalar in every lane, where lanes have to be said: what a loop starts from, for one.";
        Pack "pack" Form::Call, [Slot::Rest(1, Scalar, ANY, Shared)] => Packed, Pure, Key::None,
            "pack(a, b, c, d)", "Scalars as lanes.";
        Extract "extract" Form::Call, [Slot::Data(Lanes, ANY, Shared), Slot::Data(Scalar, INTEGER, Own)] => SameScalar, Fails, Key::None,
            "extract(x, k)", "Lane `k`'s element, which has to exist.";
        Rotate "rotate" Form::Call, [Slot::Data(Both, ANY, Shared), Slot::Data(Both, INTEGER, Own), Slot::Asked] => Same, FailsScalar, Key::None,
            "rotate(x, k, active)", "Each lane's element is that of the lane `k` further on, around the end. Fails in lanes for which that is no lane \
             that is asked.";
        Shuffle "shuffle" Form::Call, [Slot::Data(Both, ANY, Shared), Slot::Data(Both, INTEGER, Own), Slot::Asked] => Same, FailsScalar, Key::None,
            "shuffle(x, k, active)", "Each lane's element is that of lane `k`. Fails in lanes whose `k` is no lane, or none that is asked.";
        Permute "permute" Form::Call, [Slot::Rest(1, Lanes, ANY, Shared)] => Patterned, Pure, Key::Pattern,
            "permute(x, y, pattern=[0, 4, 1, 5])", "Lanes chosen by number from those of the operands, side by side.";
        Lookup "lookup" Form::Call, [Slot::Data(Lanes, ANY, Shared), Slot::Data(Lanes, INTEGER, Own)] => LookedUp, Pure, Key::None,
            "lookup(table, k)", "Each lane's element is that of the table's lane `k`, counted around the end. The table may have other lanes \
             than the numbers.";
        Reverse "reverse" Form::Call, [Slot::Data(Lanes, ANY, Shared)] => Same, Pure, Key::None,
            "reverse(x)", "The last lane first.";
        Any "any" Form::Call, [Slot::Data(Both, BOOL, Shared), Slot::Asked] => ScalarOf(Bool), FailsInLanes, Key::None,
            "any(m, active)", "Whether some lane that is asked is on.";
        All "all" Form::Call, [Slot::Data(Both, BOOL, Shared), Slot::Asked] => ScalarOf(Bool), FailsInLanes, Key::None,
            "all(m, active)", "Whether every lane that is asked is on.";
        None "none" Form::Call, [Slot::Data(Both, BOOL, Shared), Slot::Asked] => ScalarOf(Bool), FailsInLanes, Key::None,
            "none(m, active)", "Whether no lane that is asked is on.";
        CountOn "count_on" Form::Call, [Slot::Data(Both, BOOL, Shared), Slot::Asked] => ScalarOf(I32), FailsInLanes, Key::None,
            "count_on(m, active)", "How many of the lanes that are asked are on.";
        FirstOn "first_on" Form::Call, [Slot::Data(Both, BOOL, Shared), Slot::Asked] => ScalarOf(I32), FailsInLanes, Key::None,
            "first_on(m, active)", "The number of the first lane that is asked and on; the number of lanes, if there is none.";
        ReduceAdd "reduce_add" Form::Call, [Slot::Data(Both, NUMBER, Shared), Slot::Asked] => SameScalar, Fails, Key::None,
            "reduce_add(x, active)", "The sum of the lanes that are asked, in the fixed order: of as many lanes as the next power of two, \
             lane `k` joins lane `k + half`, halving; lanes that are not asked, or that there are not, are left out. Of no lane at all it is \
             the identity (-0.0).";
        ReduceMul "reduce_mul" Form::Call, [Slot::Data(Both, NUMBER, Shared), Slot::Asked] => SameScalar, Fails, Key::None,
            "reduce_mul(x, active)", "The product, in the same order.";
        ReduceMin "reduce_min" Form::Call, [Slot::Data(Both, NUMBER, Shared), Slot::Asked] => SameScalar, FailsInLanes, Key::None,
            "reduce_min(x, active)", "The least, in the same order, by `min`.";
        ReduceMax "reduce_max" Form::Call, [Slot::Data(Both, NUMBER, Shared), Slot::Asked] => SameScalar, FailsInLanes, Key::None,
            "reduce_max(x, active)", "The greatest, in the same order, by `max`.";
        ReduceAnd "reduce_and" Form::Call, [Slot::Data(Both, BITS, Shared), Slot::Asked] => SameScalar, FailsInLanes, Key::None,
            "reduce_and(x, active)", "All joined by `&`.";
        ReduceOr "reduce_or" Form::Call, [Slot::Data(Both, BITS, Shared), Slot::Asked] => SameScalar, FailsInLanes, Key::None,
            "reduce_or(x, active)", "All joined by `|`.";
        ReduceXor "reduce_xor" Form::Call, [Slot::Data(Both, BITS, Shared), Slot::Asked] => SameScalar, FailsInLanes, Key::None,
            "reduce_xor(x, active)", "All joined by `^`.";
        FoldAdd "fold_add" Form::Call, [Slot::Data(Scalar, NUMBER, Shared), Slot::Data(Lanes, NUMBER, Shared), Slot::OptionalMask]
            => SameScalar, Fails, Key::None, "fold_add(s, x, active)", "`s` plus each active lane's element, in lane order.";
        FoldMul "fold_mul" Form::Call, [Slot::Data(Scalar, NUMBER, Shared), Slot::Data(Lanes, NUMBER, Shared), Slot::OptionalMask]
            => SameScalar, Fails, Key::None, "fold_mul(s, x, active)", "`s` times each active lane's element, in lane order.";
        FoldMin "fold_min" Form::Call, [Slot::Data(Scalar, NUMBER, Shared), Slot::Data(Lanes, NUMBER, Shared), Slot::OptionalMask]
            => SameScalar, Fails, Key::None, "fold_min(s, x, active)", "`min(s, x)` for each active lane, in lane order.";
        FoldMax "fold_max" Form::Call, [Slot::Data(Scalar, NUMBER, Shared), Slot::Data(Lanes, NUMBER, Shared), Slot::OptionalMask]
            => SameScalar, Fails, Key::None, "fold_max(s, x, active)", "`max(s, x)` for each active lane, in lane order.";
        ScanAdd "scan_add" Form::Call, [Slot::Data(Both, NUMBER, Shared), Slot::Asked] => Same, FailsSigned, Key::None,
            "scan_add(x, active)", "In each lane that is asked the sum, in lane order and from 0 on, of the lanes before it that are asked; 0 in the others.";
    }
    "Control" {
        For "for" Form::Control, [] => Yielded, Inside, Key::Control,
            "for i in range(lo, hi, step) with s = s0:", "The block for each index in order, from `lo` while it is before `hi` (behind it, for a \
             negative step). A step of 0 fails. What is carried starts from what stands after `with`, and goes on as the block yields it. \
             `reducing + from x` joins what the block yields in the order that the language fixes for reductions.";
        Foreach "foreach" Form::Control, [] => Yielded, Inside, Key::Control,
            "foreach i in range(lo, hi, step), j in range(lo, hi, step):", "The block for each tuple of indices, the last index fastest. Its iterations are independent: the cells one of them \
             writes no other touches. `in 4 lanes` after the ranges says that the block runs for groups of so many neighbouring iterations along \
             the last index, one lane for each: every op for all lanes that are active there before the next one. A lane is active in a block that it \
             enters; behind an `if` or a loop those that were active before it are active again.";
        VectorFor "vector_for" Form::Control, [] => Yielded, Inside, Key::Control,
            "vector_for base in range(lo, hi, LANES):", "The block for each group of `LANES` indices in order: `base` is the first lane's index. A step `s` is \
             written `(LANES * s)`. Lanes that are past `hi` in the last group have to be masked by the block.";
        If "if" Form::Control, [] => Yielded, Inside, Key::Control,
            "if c:", "One block or the other; its results are what that block yields.";
        While "while" Form::Control, [] => Yielded, Inside, Key::Control,
            "while c with s = s0:", "The block as long as the test holds. A test that needs statements stands in a block of its own, and the \
             body after `do c:`. The body sees what the test computed; the results are what is carried when the test fails.";
        Assert "assert" Form::Call, [Slot::Data(Scalar, BOOL, Own)] => Nothing, Fails, Key::None,
            "assert(c)", "Fails unless `c`.";
        AssertSize "assert_size" Form::Call, [Slot::Data(Scalar, INTEGER, Own), Slot::Data(Scalar, INTEGER, Own)] => Nothing, Fails, Key::None,
            "assert_size(size(a), n)", "Fails unless the two sizes are the same.";
        Unknown "unknown" Form::Call, [Slot::Anything] => Typed, Fails, Key::Type,
            "unknown(a, type=f32)", "What could not be understood: any value, different in every lane, never lowered. Running it fails.";
    }
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
        Code::all().find(|code| matches!(code.row().form, Form::Infix(own) if own == symbol))
    }

    /// The op that is written before its operand like this.
    pub fn from_prefix(symbol: &str) -> Option<Code> {
        Code::all().find(|code| matches!(code.row().form, Form::Prefix(own) if own == symbol))
    }

    /// Says whether it works element by element: on scalars, and in lanes lane by lane.
    pub fn is_elementwise(self) -> bool {
        let slots = self.row().slots;
        !slots.is_empty() && slots.iter().all(|slot| matches!(slot, Slot::Data(Shape::Both, ..)))
    }

    /// Says whether it makes what it gives from several lanes.
    pub fn asks_lanes(self) -> bool {
        self.row().slots.last() == Some(&Slot::Asked)
    }

    /// Says whether it has regions.
    pub fn is_control(self) -> bool {
        self.row().form == Form::Control
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
                Form::Infix(symbol) => assert_eq!(Code::from_infix(symbol), Some(code)),
                Form::Prefix(symbol) => assert_eq!(Code::from_prefix(symbol), Some(code)),
                _ => {}
            }
            assert!(code.row().meaning.ends_with(['.', ')']), "{}", code.row().name);
        }
    }
}
