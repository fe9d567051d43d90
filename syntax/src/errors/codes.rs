//! The codes of syntax errors.

report::codes! {
    /// Codes of all syntax errors, in alphabetical order.
    pub enum SyntaxCode {
        /// An assignment inside an expression.
        AssignmentInExpression = "assignment-in-expression",
        /// An attribute or a documentation comment with no item or loop below it.
        AttributeWithoutTarget = "attribute-without-target",
        /// A character that has no meaning in Lane.
        BadCharacter = "bad-character",
        /// A malformed number.
        BadNumber = "bad-number",
        /// An assignment to an expression that is neither a name, an element nor a field.
        BadTarget = "bad-target",
        /// Two assignments in one statement.
        ChainedAssignment = "chained-assignment",
        /// An `else` or `elif` without an `if` above it.
        ElseWithoutIf = "else-without-if",
        /// A header without a block below it.
        ExpectedBlock = "expected-block",
        /// A header without its colon.
        ExpectedColon = "expected-colon",
        /// Two elements of a list without a comma between them.
        ExpectedComma = "expected-comma",
        /// Further tokens on the line of a complete statement.
        ExpectedEndOfLine = "expected-end-of-line",
        /// A missing expression.
        ExpectedExpression = "expected-expression",
        /// A line in column 0 that starts no item.
        ExpectedItem = "expected-item",
        /// A missing name.
        ExpectedName = "expected-name",
        /// A kernel or function without parentheses behind its name.
        ExpectedParameters = "expected-parameters",
        /// A loop over something other than a range.
        ExpectedRange = "expected-range",
        /// A line that starts no statement.
        ExpectedStatement = "expected-statement",
        /// A missing word or mark, such as `in` or `=`.
        ExpectedToken = "expected-token",
        /// A missing type.
        ExpectedType = "expected-type",
        /// Syntax of another language.
        ForeignSyntax = "foreign-syntax",
        /// Indentation that fits no enclosing block.
        InconsistentIndent = "inconsistent-indent",
        /// A character that looks like one of Lane's.
        LookAlike = "look-alike",
        /// An operand that needs parentheses to be read as meant.
        NeedsParentheses = "needs-parentheses",
        /// An item inside another item.
        NestedItem = "nested-item",
        /// A name with letters beyond ASCII.
        NonAsciiName = "non-ascii-name",
        /// A reserved word in the place of a name.
        ReservedWord = "reserved-word",
        /// A statement in column 0.
        StatementOutsideKernel = "statement-outside-kernel",
        /// A closing bracket without an opening one.
        StrayBracket = "stray-bracket",
        /// A line indented with tabs.
        TabIndent = "tab-indent",
        /// A text in quotes, which Lane does not have.
        TextLiteral = "text-literal",
        /// Nesting, an expression or a chain of `elif` beyond the limits of the parser.
        TooDeep = "too-deep",
        /// An opening bracket that is never closed.
        UnclosedBracket = "unclosed-bracket",
        /// A line indented deeper than its block.
        UnexpectedIndent = "unexpected-indent",
    }
}
