//! The codes of findings.

report::codes! {
    /// The codes of all findings about names, types, values and lanes.
    pub enum CheckCode {
        /// A call gives more or fewer values than the function takes.
        ArgumentCount = "argument-count",
        /// An argument is of a type that the function does not take.
        ArgumentType = "argument-type",
        /// A new value is given to something that keeps its value.
        AssignToFixed = "assign-to-fixed",
        /// An attribute does not take what stands in its parentheses.
        AttributeArguments = "attribute-arguments",
        /// The size of an array is no size.
        BadSize = "bad-size",
        /// A loop is estimated to cost more than `@cost` allows.
        BrokenCost = "broken-cost",
        /// An array is copied in spite of `@no_copy`.
        BrokenNoCopy = "broken-no-copy",
        /// A load becomes a gather in spite of `@no_gather`.
        BrokenNoGather = "broken-no-gather",
        /// A store becomes a scatter in spite of `@no_scatter`.
        BrokenNoScatter = "broken-no-scatter",
        /// Scratch memory is needed in spite of `@no_scratch`.
        BrokenNoScratch = "broken-no-scratch",
        /// A loop under `@simd` does not become vector code.
        BrokenSimd = "broken-simd",
        /// The iterations of a kernel under `@threads` cannot be divided among threads.
        BrokenThreads = "broken-threads",
        /// A value that is promised to be uniform varies.
        BrokenUniform = "broken-uniform",
        /// A value that is promised to be varying is uniform.
        BrokenVarying = "broken-varying",
        /// A cast of arithmetic that has wrapped, or overflowed, in a narrower type before.
        CastTooLate = "cast-too-late",
        /// A comparison with NaN, which is never true, or always.
        ComparedWithNan = "compared-with-nan",
        /// A condition is no bool.
        ConditionNotBool = "condition-not-bool",
        /// A constant has no value, because what computes it fails or takes too long.
        ConstantFails = "constant-fails",
        /// A value that is known does not fit its signed type.
        ConstantOverflow = "constant-overflow",
        /// No run reaches a line.
        DeadCode = "dead-code",
        /// Lanes may part at a branch, one side of which costs much.
        DivergentBranch = "divergent-branch",
        /// An integer is divided by a number that is known to be 0.
        DivisionByZero = "division-by-zero",
        /// Two things of one kind have one name.
        DuplicateName = "duplicate-name",
        /// A `while` whose condition nothing in it changes.
        EndlessLoop = "endless-loop",
        /// A field of a struct is no scalar.
        FieldNotScalar = "field-not-scalar",
        /// Iterations of a `foreach` touch one cell whatever the data.
        ForeachCollides = "foreach-collides",
        /// A statement would leave a `foreach`.
        ForeachLeaves = "foreach-leaves",
        /// Iterations of a `foreach` share a variable that they change.
        ForeachUpdate = "foreach-update",
        /// A vector load is a gather.
        GatherVaryingIndex = "gather-varying-index",
        /// Arguments for constant and type parameters are others than those that are taken, or are not known.
        GenericArguments = "generic-arguments",
        /// An array is given more indices than it has dimensions.
        IndexCount = "index-count",
        /// An index lies outside of its dimension whatever the program is given.
        IndexOutOfRange = "index-out-of-range",
        /// A sum or count of integers is divided without its fraction.
        IntegerAverage = "integer-average",
        /// The first or the last iteration of a loop goes outside of an array.
        IterationOutOfRange = "iteration-out-of-range",
        /// An argument is given by a name that says no parameter, or where names say none.
        KeywordArgument = "keyword-argument",
        /// A lane operation stands outside of every `foreach`.
        LanesOutsideForeach = "lanes-outside-foreach",
        /// An attribute stands above something that it says nothing about.
        MisplacedAttribute = "misplaced-attribute",
        /// A `match` has no case for some values.
        MissingCase = "missing-case",
        /// A way through a function that gives a value ends without one.
        MissingReturn = "missing-return",
        /// A value is computed and thrown away.
        NoEffect = "no-effect",
        /// No instance of a kernel with constant or type parameters is named.
        NoInstance = "no-instance",
        /// A call of a value that is no function.
        NotAFunction = "not-a-function",
        /// A `case` has something that is no pattern.
        NotAPattern = "not-a-pattern",
        /// A field is asked of something that is no struct.
        NotAStruct = "not-a-struct",
        /// A name that stands for no value, where one is needed.
        NotAValue = "not-a-value",
        /// An index of a value that is no array.
        NotAnArray = "not-an-array",
        /// A count or an index that is no integer.
        NotAnInteger = "not-an-integer",
        /// A constant or a kernel's result is no scalar, or an array's element a function.
        NotScalar = "not-scalar",
        /// A store takes its place in the cache in spite of `@stream`.
        NotStreamed = "not-streamed",
        /// A number does not fit its type.
        NumberOutOfRange = "number-out-of-range",
        /// An operator does not work on values of this type.
        OperandType = "operand-type",
        /// A `break` or `continue` stands in no loop.
        OutsideLoop = "outside-loop",
        /// A `range` has no arguments, or more than three.
        RangeArguments = "range-arguments",
        /// A function or constant leads back to itself.
        Recursion = "recursion",
        /// A `return` gives no value in a function that gives one.
        ReturnWithoutValue = "return-without-value",
        /// A vector store is a scatter.
        ScatterVaryingIndex = "scatter-varying-index",
        /// A shift goes by an amount that is known and too large, or negative.
        ShiftOutOfRange = "shift-out-of-range",
        /// Sizes of arrays differ that have to be the same.
        SizeMismatch = "size-mismatch",
        /// A line of a struct is no field.
        StatementInStruct = "statement-in-struct",
        /// A `static assert` does not hold.
        StaticAssertFails = "static-assert-fails",
        /// A `break` or `continue` of run time stands in a `static for`.
        StaticLeaves = "static-leaves",
        /// A value that has to be known at compile time is not.
        StaticNotConstant = "static-not-constant",
        /// What a `static for` writes out is too long.
        StaticTooLong = "static-too-long",
        /// A vector load skips cells.
        StridedLoad = "strided-load",
        /// A vector store skips cells.
        StridedStore = "strided-store",
        /// A tuple is taken apart into more or fewer values than it has.
        TupleCount = "tuple-count",
        /// Two types differ that have to be the same.
        TypeMismatch = "type-mismatch",
        /// There is no attribute of this name.
        UnknownAttribute = "unknown-attribute",
        /// A struct has no field of this name.
        UnknownField = "unknown-field",
        /// There is no file that a `use` names.
        UnknownFile = "unknown-file",
        /// A name that nothing in scope has.
        UnknownName = "unknown-name",
        /// There is no type of this name.
        UnknownType = "unknown-type",
        /// An enum has no variant of this name.
        UnknownVariant = "unknown-variant",
        /// No value comes to a case of a `match`.
        UnreachableCase = "unreachable-case",
        /// A variable is never read.
        UnusedName = "unused-name",
        /// Files use each other in a circle.
        UseCircle = "use-circle",
        /// A variable is used behind the block that defines it.
        UsedAfterBlock = "used-after-block",
        /// A file that is used has errors.
        UsedFileFails = "used-file-fails",
        /// A division of integers inside of lanes.
        VaryingDivision = "varying-division",
        /// A parameter or the result of a kernel is said to be varying.
        VaryingKernel = "varying-kernel",
        /// Lanes convert between floats and integers of 64 bits.
        WideConversion = "wide-conversion",
        /// A range goes by steps of 0.
        ZeroStep = "zero-step",
    }
}

report::codes! {
    /// The codes of rules that show once it is known what a kernel comes to.
    pub enum RuleCode {
        /// A loop gives its next iteration a function.
        FunctionHandedOn = "function-handed-on",
        /// An array that may be one of several, of which iterations make some, is assigned to.
        HandedOnArray = "handed-on-array",
        /// A lane operation is passed on instead of called.
        LaneOperationValue = "lane-operation-value",
        /// A `foreach` with lane operations stands in another one with such.
        LanesInLanes = "lanes-in-lanes",
        /// A size is only known once the array is computed.
        LateSize = "late-size",
        /// Nothing says what a size is.
        OpenSize = "open-size",
        /// A kernel comes to more calls than can be inlined.
        TooManyCalls = "too-many-calls",
        /// The calls and blocks of a kernel are nested too deep.
        TooManyLevels = "too-many-levels",
    }
}
