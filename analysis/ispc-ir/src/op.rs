//! The ops of a function.
//!
//! Ops compute in all lanes, on or off, and have no effect for lanes that are off: those neither load by addresses of their own nor
//! store, and what they would fault at is no fault. Statements hold blocks, which run for the lanes that come to them; a lane that jumps is off up to
//! the place that it jumps to.

use crate::module::{CallTarget, GangBlock, GangReg, GlobalId, JumpId, SlotId};

/// One operand to one number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OneOperand {
    /// The sign turned: whole numbers wrap.
    Negate,
    /// All bits turned; of truth values, not.
    Not,
    /// The size without the sign.
    Abs,
    /// The square root.
    Sqrt,
    /// The nearest whole number, halves to even.
    Round,
    /// The greatest whole number that is not greater.
    Floor,
    /// The least whole number that is not less.
    Ceil,
    /// The whole part.
    Trunc,
    /// `1 / x`.
    Reciprocal,
    /// `1 / sqrt(x)`.
    ReciprocalRoot,
    /// The number of one bits.
    CountOnes,
    /// The number of zero bits above the highest one.
    LeadingZeros,
    /// The number of zero bits below the lowest one.
    TrailingZeros,
    /// True for what is no number.
    IsNan,
    /// The sine.
    Sin,
    /// The cosine.
    Cos,
    /// The tangent.
    Tan,
    /// The inverse of the sine.
    Asin,
    /// The inverse of the cosine.
    Acos,
    /// The inverse of the tangent.
    Atan,
    /// The hyperbolic sine.
    Sinh,
    /// The hyperbolic cosine.
    Cosh,
    /// The hyperbolic tangent.
    Tanh,
    /// The inverse of the hyperbolic sine.
    Asinh,
    /// The inverse of the hyperbolic cosine.
    Acosh,
    /// The inverse of the hyperbolic tangent.
    Atanh,
    /// The power of e.
    Exp,
    /// The power of two.
    Exp2,
    /// The power of ten.
    Exp10,
    /// The natural logarithm.
    Log,
    /// The logarithm to base two.
    Log2,
    /// The logarithm to base ten.
    Log10,
    /// The cube root.
    Cbrt,
    /// The power of e, less one.
    ExpMinusOne,
    /// The natural logarithm of one more.
    LogOnePlus,
    /// The error function.
    Erf,
    /// One less the error function.
    Erfc,
    /// The exponent of `x = fraction * 2^exponent`.
    Exponent,
    /// The fraction of that, from 0.5 to 1.
    Fraction,
}

/// Two operands of one type to one number of that type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TwoOperands {
    /// The sum; whole numbers wrap.
    Add,
    /// The difference; whole numbers wrap.
    Sub,
    /// The product; whole numbers wrap.
    Mul,
    /// The quotient: of whole numbers towards zero, and a fault by zero.
    Div,
    /// The remainder, with the sign of the left operand.
    Rem,
    /// Bits that both have.
    And,
    /// Bits that either has.
    Or,
    /// Bits that one of them has.
    Xor,
    /// Bits moved up; by the width or more, zero.
    Shl,
    /// Bits moved down, with the sign; by the width or more, the sign alone.
    Shr,
    /// The less of two; the second one if either is no number.
    Min,
    /// The greater of two; the second one if either is no number.
    Max,
    /// The sum, held inside of the type's range.
    SaturatingAdd,
    /// The difference, held inside of the type's range.
    SaturatingSub,
    /// The product, held inside of the type's range.
    SaturatingMul,
    /// The quotient, held inside of the type's range.
    SaturatingDiv,
    /// The mean, rounded up.
    AverageUp,
    /// The mean, rounded down.
    AverageDown,
    /// A power.
    Pow,
    /// The angle of a point: `atan2(y, x)`.
    Atan2,
    /// The left operand times two to the power of the right one.
    TimesPowerOfTwo,
}

/// A comparison.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "each is called as the field calls it")]
pub enum GangComparison {
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

/// Numbers of lanes joined to one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "each is called as the field calls it")]
pub enum LaneJoin {
    Add,
    Min,
    Max,
    And,
    Or,
    Xor,
}

/// The change that an atomic makes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "each is called as the field calls it")]
pub enum AtomicChange {
    Add,
    Sub,
    Min,
    Max,
    And,
    Or,
    Xor,
    Swap,
    /// Takes the value if the cell has the compared one.
    CompareExchange,
}

/// The numbers that a task has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TaskNumber {
    /// Its index among all.
    Index,
    /// The number of all.
    Count,
    /// Its index in a dimension.
    IndexIn(u8),
    /// The number of tasks in a dimension.
    CountIn(u8),
    /// The index of the thread that runs it.
    Thread,
    /// The number of threads.
    Threads,
}

/// A `switch`'s block, and the value that leads to it; none for `default`.
#[derive(Clone, PartialEq, Debug)]
pub struct SwitchCase {
    /// The values: the block is that of several labels.
    pub values: Vec<Option<i64>>,
    /// The statements up to the next label, to which lanes fall through.
    pub block: GangBlock,
}

/// A part of a text that is printed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PrintedPart {
    /// Characters.
    Text(String),
    /// A register's value.
    Value(GangReg),
}

/// An op.
#[derive(Clone, PartialEq, Debug)]
pub enum GangOp {
    // Values.
    /// A number, by its bits, in each lane.
    Constant(u64),
    /// The address of a global.
    Global(GlobalId),
    /// The address of a local variable.
    Slot(SlotId),
    /// The address of a function.
    Function(usize),
    /// Each lane's number.
    LaneIndex,
    /// A number of the task.
    Task(TaskNumber),
    /// The lanes that are on.
    ActiveLanes,
    /// One operand.
    One(OneOperand, GangReg),
    /// Two operands of one type.
    Two(TwoOperands, GangReg, GangReg),
    /// A comparison of two of one type.
    Compare(GangComparison, GangReg, GangReg),
    /// The second where the first holds, else the third.
    Select(GangReg, GangReg, GangReg),
    /// `a * b + c`, rounded once.
    Fused(GangReg, GangReg, GangReg),
    /// The number as one of the result's type.
    Convert(GangReg),
    /// The bits as a number of the result's type, which has as many.
    Reinterpret(GangReg),
    /// A uniform number in each lane.
    Spread(GangReg),
    // Lanes.
    /// The number of one lane.
    Extract(GangReg, GangReg),
    /// All lanes' numbers, that of one lane replaced: value, lane, number.
    Insert(GangReg, GangReg, GangReg),
    /// In each lane the number of the lane that it names, of all that stand in the registers side by side.
    Shuffle(Vec<GangReg>, GangReg),
    /// The numbers of all lanes that are on joined, in their order.
    Reduce(LaneJoin, GangReg),
    /// In each lane those of the lanes in front that are on, joined.
    Scan(LaneJoin, GangReg),
    /// True if all lanes that are on have one number, and that number.
    ReduceEqual(GangReg),
    /// The lanes that are on and in which it holds, as bits.
    PackBits(GangReg),
    // Memory.
    /// What stands at an address: one number, one a lane side by side, or one from each lane's address.
    Load(GangReg),
    /// Puts a number to an address, as `Load` finds it; of two lanes with one address the higher one stays.
    Store {
        /// The address.
        address: GangReg,
        /// The number.
        value: GangReg,
    },
    /// Puts the numbers of lanes that are on side by side, and gives how many.
    PackedStore {
        /// The first cell.
        address: GangReg,
        /// The numbers.
        value: GangReg,
    },
    /// Reads numbers that stand side by side into the lanes that are on; the others keep what `before` has.
    PackedLoad {
        /// The first cell.
        address: GangReg,
        /// The values of other lanes.
        before: GangReg,
    },
    /// Copies bytes; the places may overlap.
    CopyBytes {
        /// To where.
        to: GangReg,
        /// From where.
        from: GangReg,
        /// How many.
        count: GangReg,
    },
    /// Sets bytes.
    SetBytes {
        /// Where.
        to: GangReg,
        /// To what.
        value: GangReg,
        /// How many.
        count: GangReg,
    },
    /// New memory of so many bytes; a lane that is on gets its own if the number varies.
    Allocate(GangReg),
    /// Memory up to the end of the function.
    AllocateLocal(GangReg),
    /// Gives memory back.
    Free(GangReg),
    /// Changes a cell, or each lane its own in the order of lanes, and gives what was there.
    Atomic {
        /// The change.
        change: AtomicChange,
        /// The address.
        address: GangReg,
        /// The operand.
        value: GangReg,
        /// The value that [`AtomicChange::CompareExchange`] compares with.
        compared: Option<GangReg>,
    },
    // Calls.
    /// Calls a function for the lanes that are on.
    Call(CallTarget, Vec<GangReg>),
    /// Runs a function once for each task.
    Launch {
        /// The function.
        target: CallTarget,
        /// The numbers of tasks in each dimension.
        counts: [GangReg; 3],
        /// The arguments.
        args: Vec<GangReg>,
    },
    /// Waits for all tasks.
    Sync,
    /// Prints a text.
    Print(Vec<PrintedPart>),
    /// A fault if it does not hold in a lane that is on.
    Assert(GangReg, String),
    /// The time, in cycles of a counter.
    Clock,
    // Statements.
    /// Lanes in which it holds run the first block, the others that are on the second.
    If(GangReg, GangBlock, GangBlock),
    /// Rounds, each: the lanes for which `test` holds behind its block run the body, then the step.
    Loop {
        /// The targets of `break` and `continue`.
        id: JumpId,
        /// The test in front of each round; none for one that always holds.
        test: Option<(GangBlock, GangReg)>,
        /// The body.
        body: GangBlock,
        /// The target of `continue`; the register is a test behind the round.
        step: GangBlock,
        /// The test behind each round.
        again: Option<GangReg>,
    },
    /// Each lane starts at its case, and falls through.
    Switch {
        /// The target of `break`.
        id: JumpId,
        /// The value.
        value: GangReg,
        /// The cases.
        cases: Vec<SwitchCase>,
    },
    /// Runs a block with all lanes on.
    AllLanes(GangBlock),
    /// Runs a block for one lane after the other; the register is its number.
    EachLane {
        /// The target of `continue`.
        id: JumpId,
        /// The lane's number.
        lane: GangReg,
        /// The block.
        body: GangBlock,
    },
    /// Runs a block for the lanes of each value that they have.
    EachValue {
        /// The target of `continue`.
        id: JumpId,
        /// The values of lanes.
        over: GangReg,
        /// The value of these.
        value: GangReg,
        /// The block.
        body: GangBlock,
    },
    /// Blocks that run one behind the other, and to which all lanes together can jump.
    Labelled(Vec<(JumpId, GangBlock)>),
    /// Lanes leave a loop or `switch`.
    Break(JumpId),
    /// Lanes go to the step of a loop.
    Continue(JumpId),
    /// All lanes go to a block of [`GangOp::Labelled`] around this.
    Goto(JumpId),
    /// Lanes leave the function with these numbers.
    Return(Vec<GangReg>),
}
