//! The codes of syntax errors.

report::codes! {
    /// The codes of all syntax errors.
    pub enum SyntaxCode {
        /// An assignment stands where a value is wanted.
        AssignmentInExpression = "assignment-in-expression",
        /// Nothing follows that an attribute or a documentation comment could belong to.
        AttributeWithoutTarget = "attribute-without-target",
        /// A character has no meaning in Lane.
        BadCharacter = "bad-character",
        /// A number is written as no number can be.
        BadNumber = "bad-number",
        /// The left side of an assignment is no place.
        BadTarget = "bad-target",
        /// A statement assigns more than once.
        ChainedAssignment = "chained-assignment",
        /// A comparison compares the result of another one.
        ChainedComparison = "chained-comparison",
        /// An `else` or `elif` has no `if` above it.
        ElseWithoutIf = "else-without-if",
        /// A header has no block below it.
        ExpectedBlock = "expected-block",
        /// A header does not end in a colon.
        ExpectedColon = "expected-colon",
        /// Two elements of a list have no comma between them.
        ExpectedComma = "expected-comma",
        /// A statement is followed by something else on its line.
        ExpectedEndOfLine = "expected-end-of-line",
        /// There is no expression where one is needed.
        ExpectedExpression = "expected-expression",
        /// A line in column 0 starts no item.
        ExpectedItem = "expected-item",
        /// There is no name where one is needed.
        ExpectedName = "expected-name",
        /// A kernel or function has no parentheses behind its name.
        ExpectedParameters = "expected-parameters",
        /// A loop goes over something other than a range.
        ExpectedRange = "expected-range",
        /// A line starts no statement.
        ExpectedStatement = "expected-statement",
        /// A particular word or sign is missing.
        ExpectedToken = "expected-token",
        /// There is no type where one is needed.
        ExpectedType = "expected-type",
        /// Another language's way to write something.
        ForeignSyntax = "foreign-syntax",
        /// A line's indentation fits no block around it.
        InconsistentIndent = "inconsistent-indent",
        /// An argument is given by name.
        KeywordArgument = "keyword-argument",
        /// A character looks like one of Lane's, and is another.
        LookAlike = "look-alike",
        /// An operand would be read wrongly without parentheses.
        NeedsParentheses = "needs-parentheses",
        /// An item stands inside another one.
        NestedItem = "nested-item",
        /// A name has letters beyond ASCII.
        NonAsciiName = "non-ascii-name",
        /// A reserved word stands in the place of a name.
        ReservedWord = "reserved-word",
        /// A statement stands in column 0.
        StatementOutsideKernel = "statement-outside-kernel",
        /// A closing bracket closes nothing.
        StrayBracket = "stray-bracket",
        /// A line is indented by tabs.
        TabIndent = "tab-indent",
        /// A text in quotes, which kernels do not have.
        TextLiteral = "text-literal",
        /// Something is nested deeper, or is longer, than is read.
        TooDeep = "too-deep",
        /// An opening bracket is never closed.
        UnclosedBracket = "unclosed-bracket",
        /// A line is indented deeper than its block.
        UnexpectedIndent = "unexpected-indent",
    }
}
