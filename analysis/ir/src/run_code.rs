//! The codes of the errors that stop a run, in the interpreter, the evaluator and native code.

report::codes! {
    /// The codes of the errors that stop a run. What is found before a run as well has the same code there.
    pub enum RunCode {
        /// An `assert` whose condition does not hold.
        AssertFailed = "assert-failed",
        /// A new array of a size that no array has, or for which no memory is left.
        BadSize = "bad-size",
        /// An op whose addresses are not what it says of them, which is a mistake of a pass.
        BrokenPromise = "broken-promise",
        /// A float that no integer of the type asked for stands for.
        CastOutOfRange = "cast-out-of-range",
        /// An integer divided by zero.
        DivisionByZero = "division-by-zero",
        /// A subscript outside of its dimension.
        IndexOutOfRange = "index-out-of-range",
        /// Two iterations of a `foreach`, one of which writes a cell that the other touches.
        IterationsCollide = "iterations-collide",
        /// The value of a lane that is not active.
        LaneNotActive = "lane-not-active",
        /// Lanes that differ in a value that is one for all of them.
        LanesDiffer = "lanes-differ",
        /// The value of a lane that does not exist.
        NoSuchLane = "no-such-lane",
        /// A line that was not understood.
        NotUnderstood = "not-understood",
        /// A signed result outside of its type.
        Overflow = "overflow",
        /// A shift by the width of the type or more, or by a negative amount.
        ShiftTooFar = "shift-too-far",
        /// Sizes that differ and have to be the same.
        SizeMismatch = "size-mismatch",
        /// A range or slice with a step of 0.
        ZeroStep = "zero-step",
    }
}
