//! The codes of reasons about the lanes of loops, and of the decisions of passes.

report::codes! {
    /// A finding about a loop, an access or a branch. Each has a page in `docs/reasons.md`.
    pub enum ReasonCode {
        /// A read of what an earlier iteration has written.
        LoopCarriedFlow = "loop-carried-flow",
        /// A write of what an earlier iteration reads.
        LoopCarriedAnti = "loop-carried-anti",
        /// A write of what an earlier iteration has written.
        LoopCarriedOutput = "loop-carried-output",
        /// Subscripts that are read from memory.
        DataDependentCell = "data-dependent-cell",
        /// Subscripts that are not linear in the indices.
        NonLinearCell = "non-linear-cell",
        /// A dependence that takes too long to decide.
        DependenceTooHard = "dependence-too-hard",
        /// An array with more accesses than are compared.
        TooManyAccesses = "too-many-accesses",
        /// Two arrays that may overlap, so that an alias check is needed.
        ArraysMayOverlap = "arrays-may-overlap",
        /// Updates of cells that data chooses.
        Histogram = "histogram",
        /// A dependence over a distance that bounds the number of lanes.
        DistanceLimitsLanes = "distance-limits-lanes",
        /// A dependence that another order of the statements keeps.
        StatementsReordered = "statements-reordered",
        /// A cell that two iterations of a `foreach` touch.
        IterationsCollide = "iterations-collide",
        /// A cell that two iterations of a `foreach` may touch.
        IterationsMayCollide = "iterations-may-collide",
        /// A value that grows by the same amount in each iteration.
        Induction = "induction",
        /// A sum of floats, term by term.
        OrderedFloatSum = "ordered-float-sum",
        /// A product of floats, factor by factor.
        OrderedFloatProduct = "ordered-float-product",
        /// A sum of floats in the order that lanes can keep.
        SumInFixedOrder = "sum-in-fixed-order",
        /// A product of floats in the order that lanes can keep.
        ProductInFixedOrder = "product-in-fixed-order",
        /// A running sum, product or linear recurrence of floats in the order that lanes can keep.
        RunningInFixedOrder = "running-in-fixed-order",
        /// A sum of integers.
        Sum = "sum",
        /// A product of integers.
        Product = "product",
        /// A least value.
        Minimum = "minimum",
        /// A greatest value.
        Maximum = "maximum",
        /// A bitwise conjunction.
        BitwiseAnd = "bitwise-and",
        /// A bitwise disjunction.
        BitwiseOr = "bitwise-or",
        /// A bitwise exclusive disjunction.
        BitwiseXor = "bitwise-xor",
        /// A condition of all iterations.
        AllOf = "all-of",
        /// A condition of any iteration.
        AnyOf = "any-of",
        /// The place of a least value.
        PositionOfMinimum = "position-of-minimum",
        /// The place of a greatest value.
        PositionOfMaximum = "position-of-maximum",
        /// The first iteration in which a condition holds.
        FindFirst = "find-first",
        /// The last iteration in which a condition holds.
        FindLast = "find-last",
        /// A running total that iterations use.
        PrefixSum = "prefix-sum",
        /// Stores side by side by some of the iterations.
        Compress = "compress",
        /// Loads side by side by some of the iterations.
        Expand = "expand",
        /// A value of the iteration before.
        PreviousValue = "previous-value",
        /// A value that is multiplied and added to.
        LinearRecurrence = "linear-recurrence",
        /// A value computed from itself in some other way.
        Recurrence = "recurrence",
        /// A way out of the loop before its end.
        EarlyExit = "early-exit",
        /// A number of iterations that is only known at the end.
        UnknownTripCount = "unknown-trip-count",
        /// An op that the compiler does not understand, such as one that is still being typed.
        NotUnderstood = "not-understood",
        /// An array of each iteration's own.
        TemporaryArray = "temporary-array",
        /// A `foreach` inside of a `foreach`.
        NestedForeach = "nested-foreach",
        /// Cells that are packed into a row of each lane's own.
        PackedInRows = "packed-in-rows",
        /// A reduction in a fixed order by each lane.
        ReductionInLanes = "reduction-in-lanes",
        /// Lanes that another loop of the nest has.
        LanesElsewhere = "lanes-elsewhere",
        /// Lanes that would cost more than they gain.
        LanesCostMore = "lanes-cost-more",
        /// An array that is computed where it is used.
        ArrayFused = "array-fused",
        /// An array that is built where it is wanted.
        ArrayInPlace = "array-in-place",
        /// An array that is kept in memory of its own.
        ArrayStored = "array-stored",
        /// An array that is copied.
        ArrayCopied = "array-copied",
        /// A small array whose cells are values.
        ArrayInRegisters = "array-in-registers",
        /// A branch around a side that perhaps no lane takes.
        BranchAround = "branch-around",
        /// A new array whose bytes cannot be told before the call.
        BytesNotTold = "bytes-not-told",
        /// A cell that a loop carries as a value.
        CellInRegister = "cell-in-register",
        /// Accesses of several ops that are one.
        CellsTogether = "cells-together",
        /// The least or greatest float of a loop, which each lane joins for itself.
        ExtremeInLanes = "extreme-in-lanes",
        /// The least or greatest float of a nest, which lanes join over all rows.
        ExtremeOverRows = "extreme-over-rows",
        /// Lanes that run neighbours in all ranges together.
        InTiles = "in-tiles",
        /// A lookup in a table that is loaded at once.
        FewCells = "few-cells",
        /// A value that lanes compute one after the other, beside what they do together.
        CarriedInTurn = "carried-in-turn",
        /// Several groups of lanes in each round of a loop.
        GroupsInterleaved = "groups-interleaved",
        /// Gathers along a row for each lane that load parts of all rows.
        RowsInParts = "rows-in-parts",
        /// Iterations of an outer loop that go through the loops inside together, and load the same rows once.
        RowsShared = "rows-shared",
        /// A loop that is divided where its index decides a branch or comes to a cell that others read.
        IndexSetSplit = "index-set-split",
        /// A new array in memory that the caller passes.
        InScratch = "in-scratch",
        /// Cells that stay in registers from iteration to iteration of an inner loop.
        KeptInRegisters = "kept-in-registers",
        /// Shuffles in place of a gather or scatter.
        KnownOrder = "known-order",
        /// The loop of a nest that takes the lanes.
        LanesAlongThisLoop = "lanes-along-this-loop",
        /// A vector that is stored past the cache.
        StoredPastCache = "stored-past-cache",
        /// A group of lanes that does some iterations once more, in place of accesses under a mask.
        LastGroupOverlaps = "last-group-overlaps",
        /// Lanes that are picked out of memory.
        LanesThroughMemory = "lanes-through-memory",
        /// Wide integers that are computed in 16 bits.
        NarrowArithmetic = "narrow-arithmetic",
        /// A load of what is in a register.
        LoadedBefore = "loaded-before",
        /// Loop fission.
        LoopSplit = "loop-split",
        /// Loop fusion.
        LoopsFused = "loops-fused",
        /// Loop interchange.
        LoopsExchanged = "loops-exchanged",
        /// Scalar statements that do not become vector ops.
        NotPacked = "not-packed",
        /// Scalar statements that become vector ops.
        Packed = "packed",
        /// Full unrolling.
        RoundsWrittenOut = "rounds-written-out",
        /// A gather or scatter that is cheaper than shuffles.
        ScatteredCostsLess = "scattered-costs-less",
        /// Sizes that have to be equal, which native code does not compare.
        SizeAssumed = "size-assumed",
        /// A store to a cell that is stored to again.
        StoredAgain = "stored-again",
        /// Stores under masks that are one store.
        StoresJoined = "stores-joined",
        /// A value that goes back and forth between two.
        Alternating = "alternating",
        /// A version of a loop for iterations that are far apart.
        DistanceCheck = "distance-check",
        /// A version of a loop for cells that lie side by side.
        UnitStep = "unit-step",
        /// A gather or scatter of which too little is known.
        UnknownOrder = "unknown-order",
        /// Partial unrolling.
        UnrolledInPart = "unrolled-in-part",
    }
}

use ReasonCode::*;

impl ReasonCode {
    /// The codes of verdicts and refusals: all that speaks about the lanes of a loop.
    pub fn of_loops() -> impl Iterator<Item = ReasonCode> {
        Self::ALL.iter().copied().filter(|code| code.is_of_loops())
    }

    /// The codes of decisions that no verdict has.
    pub fn of_decisions() -> impl Iterator<Item = ReasonCode> {
        Self::ALL.iter().copied().filter(|code| !code.is_of_loops())
    }

    /// Says whether the code speaks about the lanes of a loop; others are of decisions alone.
    pub fn is_of_loops(self) -> bool {
        match self {
            BranchAround | BytesNotTold | CarriedInTurn | CellsTogether | ExtremeInLanes | ExtremeOverRows
            | FewCells | GroupsInterleaved | InTiles | RowsInParts | RowsShared | StoredAgain | InScratch
            | KeptInRegisters | KnownOrder | LanesAlongThisLoop | LanesThroughMemory | LastGroupOverlaps
            | StoredPastCache | LoadedBefore | LoopSplit | LoopsFused | LoopsExchanged | RoundsWrittenOut
            | ScatteredCostsLess | SizeAssumed | StoresJoined | Alternating | DistanceCheck | UnitStep
            | UnknownOrder | UnrolledInPart | ArrayFused | ArrayInPlace | ArrayStored | ArrayCopied
            | ArrayInRegisters | CellInRegister | IndexSetSplit | NarrowArithmetic | NotPacked | Packed => false,
            LoopCarriedFlow | LoopCarriedAnti | LoopCarriedOutput | DataDependentCell | NonLinearCell
            | DependenceTooHard | TooManyAccesses | ArraysMayOverlap | Histogram | DistanceLimitsLanes
            | StatementsReordered | IterationsCollide | IterationsMayCollide | Induction | OrderedFloatSum
            | OrderedFloatProduct | SumInFixedOrder | ProductInFixedOrder | RunningInFixedOrder | Sum | Product
            | Minimum | Maximum | BitwiseAnd | BitwiseOr | BitwiseXor | AllOf | AnyOf | PositionOfMinimum
            | PositionOfMaximum | FindFirst | FindLast | PrefixSum | Compress | Expand | PreviousValue
            | LinearRecurrence | Recurrence | EarlyExit | UnknownTripCount | NotUnderstood | TemporaryArray
            | NestedForeach | PackedInRows | ReductionInLanes | LanesElsewhere | LanesCostMore => true,
        }
    }

    /// Says whether a loop that has this cannot run as lanes; what is carried can, where it has a form there.
    pub fn blocks(self) -> bool {
        match self {
            ArraysMayOverlap | DistanceLimitsLanes | StatementsReordered | IterationsMayCollide | SumInFixedOrder
            | RunningInFixedOrder | ProductInFixedOrder | BranchAround | BytesNotTold | CarriedInTurn
            | CellsTogether | ExtremeInLanes | ExtremeOverRows | FewCells | GroupsInterleaved | InTiles
            | RowsInParts | RowsShared | StoredAgain | InScratch | KeptInRegisters | KnownOrder
            | LanesAlongThisLoop | LanesThroughMemory | LastGroupOverlaps | StoredPastCache | LoadedBefore
            | LoopSplit | LoopsFused | LoopsExchanged | RoundsWrittenOut | ScatteredCostsLess | SizeAssumed
            | StoresJoined | Alternating | DistanceCheck | UnitStep | UnknownOrder | UnrolledInPart | ArrayFused
            | ArrayInPlace | ArrayStored | ArrayCopied | ArrayInRegisters | CellInRegister | IndexSetSplit
            | NarrowArithmetic | NotPacked | Packed => false,
            LoopCarriedFlow | LoopCarriedAnti | LoopCarriedOutput | DataDependentCell | NonLinearCell
            | DependenceTooHard | TooManyAccesses | Histogram | IterationsCollide | Induction | OrderedFloatSum
            | OrderedFloatProduct | Sum | Product | Minimum | Maximum | BitwiseAnd | BitwiseOr | BitwiseXor | AllOf
            | AnyOf | PositionOfMinimum | PositionOfMaximum | FindFirst | FindLast | PrefixSum | Compress | Expand
            | PreviousValue | LinearRecurrence | Recurrence | EarlyExit | UnknownTripCount | NotUnderstood
            | TemporaryArray | NestedForeach | PackedInRows | ReductionInLanes | LanesElsewhere | LanesCostMore => true,
        }
    }

    /// Says whether an earlier pass lifts this reason: by another order of the statements, by an alias check before the loop.
    pub fn is_lifted_by_a_pass(self) -> bool {
        matches!(self, StatementsReordered | ArraysMayOverlap)
    }

    /// Says whether a decision of this code is made by a target's costs, or by what a group of its lanes becomes. Others are the
    /// same for every target.
    pub fn depends_on_target(self) -> bool {
        match self {
            BranchAround | CarriedInTurn | CellsTogether | EarlyExit | ExtremeInLanes | ExtremeOverRows | FewCells
            | GroupsInterleaved | InTiles | RowsInParts | KnownOrder | LanesCostMore | LanesThroughMemory
            | LastGroupOverlaps | StoredPastCache | LoadedBefore | ScatteredCostsLess | SizeAssumed | StoredAgain
            | StoresJoined | Alternating | DistanceCheck | UnitStep | UnknownOrder | UnrolledInPart | NotPacked
            | Packed => true,
            LoopCarriedFlow | LoopCarriedAnti | LoopCarriedOutput | DataDependentCell | NonLinearCell
            | DependenceTooHard | TooManyAccesses | ArraysMayOverlap | Histogram | DistanceLimitsLanes
            | StatementsReordered | IterationsCollide | IterationsMayCollide | Induction | OrderedFloatSum
            | OrderedFloatProduct | SumInFixedOrder | ProductInFixedOrder | RunningInFixedOrder | Sum | Product
            | Minimum | Maximum | BitwiseAnd | BitwiseOr | BitwiseXor | AllOf | AnyOf | PositionOfMinimum
            | PositionOfMaximum | FindFirst | FindLast | PrefixSum | Compress | Expand | PreviousValue
            | LinearRecurrence | Recurrence | UnknownTripCount | NotUnderstood | TemporaryArray | NestedForeach
            | PackedInRows | ReductionInLanes | LanesElsewhere | BytesNotTold | InScratch | KeptInRegisters
            | RowsShared | LanesAlongThisLoop | LoopSplit | LoopsFused | LoopsExchanged | RoundsWrittenOut
            | ArrayFused | ArrayInPlace | ArrayStored | ArrayCopied | ArrayInRegisters | CellInRegister
            | IndexSetSplit | NarrowArithmetic => false,
        }
    }

    /// A sentence that says what the code means where it is found.
    pub fn meaning(self) -> &'static str {
        match self {
            LoopCarriedFlow => "an iteration reads what an earlier one has written; as a lane it would read too early",
            LoopCarriedAnti => "an iteration overwrites what an earlier one reads; as a lane it would write too early",
            LoopCarriedOutput => {
                "an iteration overwrites what an earlier one has written; as lanes the earlier value could remain"
            }
            DataDependentCell => "whether iterations touch one cell depends on data",
            NonLinearCell => {
                "whether iterations touch one cell stays open, as a subscript is not linear in the loops' indices"
            }
            DependenceTooHard => "whether iterations touch one cell would take too long to find out",
            TooManyAccesses => "an array has more accesses than are compared with each other",
            ArraysMayOverlap => {
                "two arrays may overlap, and one of them is written; a test at run time says whether they do"
            }
            Histogram => "iterations update cells that data chooses, perhaps one cell several times",
            DistanceLimitsLanes => {
                "iterations that depend on each other are a few apart, which limits the number of lanes"
            }
            StatementsReordered => "the statements can run as lanes in another order",
            IterationsCollide => "two iterations of a `foreach` touch one cell, and one of them writes it",
            IterationsMayCollide => {
                "two iterations of a `foreach` may touch one cell; the compiler takes the programmer's word that they do not"
            }
            Induction => "a value is changed by the same amount in each iteration",
            OrderedFloatSum => "a sum of floats keeps the order of its terms",
            OrderedFloatProduct => "a product of floats keeps the order of its factors",
            SumInFixedOrder => "a sum of floats in the fixed order that lanes can keep",
            ProductInFixedOrder => "a product of floats in the fixed order that lanes can keep",
            RunningInFixedOrder => {
                "a running sum, product or linear recurrence of floats in the fixed order that lanes can keep"
            }
            Sum => "a sum over all iterations",
            Product => "a product over all iterations",
            Minimum => "the least of all iterations",
            Maximum => "the greatest of all iterations",
            BitwiseAnd => "the bits that are set in all iterations",
            BitwiseOr => "the bits that are set in any iteration",
            BitwiseXor => "the bits that are set in an odd number of iterations",
            AllOf => "whether a condition holds in all iterations",
            AnyOf => "whether a condition holds in any iteration",
            PositionOfMinimum => "where the least is found",
            PositionOfMaximum => "where the greatest is found",
            FindFirst => "the first iteration in which a condition holds",
            FindLast => "the last iteration in which a condition holds",
            PrefixSum => "each iteration uses the result so far, such as a running total or minimum",
            Compress => "some iterations store to the next cell",
            Expand => "some iterations load from the next cell",
            PreviousValue => "an iteration uses a value that an earlier one has computed",
            LinearRecurrence => "a value is multiplied and added to in each iteration",
            Recurrence => "each iteration computes a value from what it was in the one before",
            EarlyExit => "any iteration may leave the loop",
            UnknownTripCount => "the number of iterations is not known before the loop ends",
            NotUnderstood => "something in it was not understood",
            TemporaryArray => "each iteration has an array of its own",
            NestedForeach => "a `foreach` inside takes the lanes",
            PackedInRows => "lanes that run together pack cells into a row that differs from lane to lane",
            ReductionInLanes => "each lane joins values of its own in a fixed order",
            LanesElsewhere => "another loop of the nest has the lanes",
            LanesCostMore => "lanes along this loop would cost more than its iterations in order",
            ArrayFused => "the elements of an array are computed where they are used",
            ArrayInPlace => "an array is built where it is wanted in the end",
            ArrayStored => "an array is kept in temporary memory",
            ArrayCopied => "an array is copied",
            ArrayInRegisters => "the cells of a small array are values",
            BytesNotTold => "the bytes of an array cannot be told before the call, so there is no native code",
            BranchAround => "a branch lets a group of lanes skip a side that none of them takes",
            InTiles => "lanes run iterations together that are neighbours in all ranges of the loop",
            ExtremeInLanes => "the least or greatest float of a loop is joined by each lane for itself",
            ExtremeOverRows => "the least or greatest float of a nest is joined by lanes over all rows",
            CarriedInTurn => "what a loop hands on is computed lane after lane, and all else by lanes together",
            CellInRegister => "a cell that iterations work on is a value that the loop carries",
            CellsTogether => "neighbouring cells of several accesses are loaded or stored together",
            FewCells => "lanes pick their cells out of a few that are loaded at once",
            GroupsInterleaved => "each round of a loop does several groups of lanes, which do not wait for each other",
            IndexSetSplit => "a loop is divided where its index decides a branch or comes to a cell that others read",
            InScratch => "an array lies in scratch memory, which the caller passes",
            KeptInRegisters => "iterations of an outer loop that change the same cells run the inner loop together",
            KnownOrder => "the order of the lanes' cells is known, so contiguous accesses and shuffles are enough",
            LanesAlongThisLoop => "of loops inside each other, this one takes the lanes",
            LastGroupOverlaps => {
                "the last group of a loop does some iterations once more, so that no access needs a mask"
            }
            LanesThroughMemory => "lanes are stored, and those that are picked by number are loaded one by one",
            StoredPastCache => "a vector is stored past the cache, as `@stream` asks for",
            LoadedBefore => "its cells were loaded or stored shortly before",
            StoredAgain => "a cell is stored to again, and nothing loads it in between",
            LoopSplit => "what can run as lanes has a loop of its own",
            LoopsFused => "two loops over the same range run as one",
            LoopsExchanged => "a loop was moved inside of another one, so that lanes run along it",
            NarrowArithmetic => "integers that fit 16 bits are computed in 16 bits",
            NotPacked => "statements that do the same to neighbouring cells stay apart",
            Packed => "statements that do the same to neighbouring cells are vector operations",
            RowsShared => {
                "iterations of an outer loop run the loops inside together, and load what is the same for all of them once"
            }
            RowsInParts => "each lane goes along a row of its own, and parts of all rows are loaded at once",
            RoundsWrittenOut => "an inner loop of few iterations was unrolled",
            ScatteredCostsLess => "a gather or scatter costs less than contiguous accesses and shuffles",
            SizeAssumed => "sizes that have to be equal are not compared by native code, which takes them to be equal",
            StoresJoined => {
                "stores to the same cells, each for some of the lanes, are one store of what each lane chooses"
            }
            Alternating => "a value that goes back and forth between two is known from the index",
            DistanceCheck => {
                "a loop has a version for numbers that keep iterations which touch one cell far enough apart"
            }
            UnitStep => "a loop has a version in which a number that says how far its cells lie apart is 1",
            UnknownOrder => "the order of the lanes' cells is not known",
            UnrolledInPart => "several iterations of a loop in order stand one after the other in each round",
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn each_code_is_listed_once() {
        let names: HashSet<&str> = ReasonCode::ALL.iter().map(|code| code.name()).collect();
        assert_eq!(names.len(), ReasonCode::ALL.len());
        for name in names {
            assert!(name.chars().all(|c| c.is_ascii_lowercase() || c == '-'), "{name}");
        }
    }
}
