//! Every kind of token and node, in one table.
//!
//! A *token* is a piece of the text; the tokens of an item tile it without gaps. A *node* groups tokens and nodes. The table
//! below is the only list of them: the enum, the texts of keywords and punctuation, and the names used in messages are derived
//! from it.

/// Defines [`SyntaxKind`] and the properties of each kind.
macro_rules! syntax_kinds {
    (
        trivia { $($trivia:ident $trivia_name:literal)* }
        layout { $($layout:ident $layout_name:literal)* }
        values { $($value:ident $value_name:literal)* }
        punctuation { $($punct:ident $punct_text:literal)* }
        keywords { $($keyword:ident $keyword_text:literal)* }
        nodes { $($node:ident)* }
    ) => {
        /// The kind of a token or node of the tree.
        #[allow(missing_docs, non_camel_case_types, clippy::upper_case_acronyms)]
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u16)]
        pub enum SyntaxKind {
            $($trivia,)* $($layout,)* $($value,)* $($punct,)* $($keyword,)* $($node,)*
        }

        impl SyntaxKind {
            const ALL: &[SyntaxKind] = &[
                $(SyntaxKind::$trivia,)* $(SyntaxKind::$layout,)* $(SyntaxKind::$value,)*
                $(SyntaxKind::$punct,)* $(SyntaxKind::$keyword,)* $(SyntaxKind::$node,)*
            ];

            /// Returns true for tokens that the parser never sees: white space, comments, and characters that start no token. (A
            /// line break that ends a statement is NEWLINE, as are all others, but the parser sees it.)
            pub fn is_trivia(self) -> bool {
                matches!(self, $(SyntaxKind::$trivia)|*)
            }

            /// Returns true for reserved words.
            pub fn is_keyword(self) -> bool {
                matches!(self, $(SyntaxKind::$keyword)|*)
            }

            /// Returns true for operators, brackets and other marks.
            pub fn is_punctuation(self) -> bool {
                matches!(self, $(SyntaxKind::$punct)|*)
            }

            /// Text of a keyword or mark; `None` for kinds whose text varies.
            pub fn text(self) -> Option<&'static str> {
                match self {
                    $(SyntaxKind::$punct => Some($punct_text),)*
                    $(SyntaxKind::$keyword => Some($keyword_text),)*
                    _ => None,
                }
            }

            /// Finds the keyword with this text.
            pub fn from_keyword(text: &str) -> Option<SyntaxKind> {
                match text {
                    $($keyword_text => Some(SyntaxKind::$keyword),)*
                    _ => None,
                }
            }

            /// Name of the kind in messages.
            pub fn describe(self) -> &'static str {
                match self {
                    $(SyntaxKind::$trivia => $trivia_name,)*
                    $(SyntaxKind::$layout => $layout_name,)*
                    $(SyntaxKind::$value => $value_name,)*
                    $(SyntaxKind::$punct => concat!("`", $punct_text, "`"),)*
                    $(SyntaxKind::$keyword => concat!("`", $keyword_text, "`"),)*
                    _ => "a node",
                }
            }

            /// All reserved words, in the order of the table.
            pub const KEYWORDS: &'static [&'static str] = &[$($keyword_text,)*];
        }
    };
}

syntax_kinds! {
    trivia {
        WHITESPACE "white space"
        COMMENT "a comment"
        DOC_COMMENT "a doc comment"
        STRANGE "an unknown character"
    }
    // INDENT, DEDENT and END are layout marks that only the parser sees; they are never in the tree. A NEWLINE token is in the
    // tree, whether it ends a statement or a blank line.
    layout {
        NEWLINE "the end of the line"
        INDENT "a deeper indentation"
        DEDENT "the end of the block"
        END "the end of the item"
    }
    values {
        IDENT "a name"
        INT "an integer"
        FLOAT "a number"
        TEXT "a text in quotes"
    }
    punctuation {
        L_PAREN "("
        R_PAREN ")"
        L_BRACKET "["
        R_BRACKET "]"
        L_BRACE "{"
        R_BRACE "}"
        COMMA ","
        COLON ":"
        SEMICOLON ";"
        DOT "."
        ARROW "->"
        AT "@"
        BACKSLASH "\\"
        PLUS "+"
        MINUS "-"
        STAR "*"
        SLASH "/"
        SLASH2 "//"
        PERCENT "%"
        STAR2 "**"
        AMP "&"
        PIPE "|"
        CARET "^"
        TILDE "~"
        SHL "<<"
        SHR ">>"
        LT "<"
        LE "<="
        GT ">"
        GE ">="
        EQ2 "=="
        NE "!="
        EQ "="
        PLUS_EQ "+="
        MINUS_EQ "-="
        STAR_EQ "*="
        SLASH_EQ "/="
        SLASH2_EQ "//="
        PERCENT_EQ "%="
        STAR2_EQ "**="
        AMP_EQ "&="
        PIPE_EQ "|="
        CARET_EQ "^="
        SHL_EQ "<<="
        SHR_EQ ">>="
        // Operators that Lane does not have, lexed as one token so that the message can name the right spelling.
        AMP2 "&&"
        PIPE2 "||"
        BANG "!"
        COLON_EQ ":="
        QUESTION "?"
        FAT_ARROW "=>"
        DOT2 ".."
        ELLIPSIS "..."
    }
    keywords {
        KERNEL_KW "kernel"
        FN_KW "fn"
        STRUCT_KW "struct"
        CONST_KW "const"
        UNIFORM_KW "uniform"
        VARYING_KW "varying"
        LET_KW "let"
        FOR_KW "for"
        FOREACH_KW "foreach"
        CFOR_KW "cfor"
        IN_KW "in"
        WHILE_KW "while"
        CWHILE_KW "cwhile"
        IF_KW "if"
        CIF_KW "cif"
        ELIF_KW "elif"
        ELSE_KW "else"
        BREAK_KW "break"
        CONTINUE_KW "continue"
        RETURN_KW "return"
        PASS_KW "pass"
        ASSERT_KW "assert"
        AND_KW "and"
        OR_KW "or"
        NOT_KW "not"
        TRUE_KW "true"
        FALSE_KW "false"
    }
    nodes {
        SOURCE_FILE
        PREAMBLE
        KERNEL
        FN
        STRUCT
        ENUM
        CONST
        USE
        USE_PATH
        USE_NAMES
        STRAY
        ATTR
        ATTR_ARGS
        PARAM_LIST
        PARAM
        RET_TYPE
        TYPE
        SIZE_LIST
        FIELD_DEF
        VARIANT_DEF
        BLOCK
        NAME
        LET_STMT
        LET_PART
        ASSIGN_STMT
        EXPR_STMT
        FOR_STMT
        FOREACH_STMT
        LOOP_INDEX
        LOOP_PART
        WHILE_STMT
        IF_STMT
        ELIF_BRANCH
        ELSE_BRANCH
        MATCH_STMT
        MATCH_CASE
        BREAK_STMT
        CONTINUE_STMT
        RETURN_STMT
        PASS_STMT
        ASSERT_STMT
        STRAY_STMT
        LITERAL
        NAME_REF
        OPERATOR_REF
        PAREN_EXPR
        TUPLE_EXPR
        ARRAY_EXPR
        PREFIX_EXPR
        BIN_EXPR
        COND_EXPR
        CALL_EXPR
        ARG_LIST
        NAMED_ARG
        INDEX_EXPR
        INDEX_LIST
        SLICE
        FIELD_EXPR
        LAMBDA_EXPR
        LAMBDA_PARAMS
        COMPREHENSION
        FOR_CLAUSE
        GENERIC_LIST
        GENERIC
        GENERIC_ARGS
        INSTANCE
        ERROR
    }
}

impl SyntaxKind {
    /// Returns true for opening brackets.
    pub fn is_opening(self) -> bool {
        matches!(self, SyntaxKind::L_PAREN | SyntaxKind::L_BRACKET | SyntaxKind::L_BRACE)
    }

    /// Returns true for closing brackets.
    pub fn is_closing(self) -> bool {
        matches!(self, SyntaxKind::R_PAREN | SyntaxKind::R_BRACKET | SyntaxKind::R_BRACE)
    }

    /// The closing bracket of an opening one.
    pub fn closing(self) -> Option<SyntaxKind> {
        match self {
            SyntaxKind::L_PAREN => Some(SyntaxKind::R_PAREN),
            SyntaxKind::L_BRACKET => Some(SyntaxKind::R_BRACKET),
            SyntaxKind::L_BRACE => Some(SyntaxKind::R_BRACE),
            _ => None,
        }
    }

    /// Returns true for `=` and compound assignments (`+=`, `<<=`, ...).
    pub fn is_assignment(self) -> bool {
        (SyntaxKind::EQ as u16..=SyntaxKind::SHR_EQ as u16).contains(&(self as u16))
    }

    /// Returns true for white space, comments and line breaks: the tokens between significant ones.
    pub fn is_between(self) -> bool {
        self.is_trivia() || self == SyntaxKind::NEWLINE
    }
}

impl From<SyntaxKind> for rowan::SyntaxKind {
    fn from(kind: SyntaxKind) -> Self {
        rowan::SyntaxKind(kind as u16)
    }
}

impl SyntaxKind {
    /// Converts rowan's untyped number to a kind.
    pub fn from_raw(raw: rowan::SyntaxKind) -> SyntaxKind {
        SyntaxKind::ALL[raw.0 as usize]
    }
}

/// Language tag that gives rowan's untyped trees the kinds of Lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Lane {}

impl rowan::Language for Lane {
    type Kind = SyntaxKind;

    fn kind_from_raw(raw: rowan::SyntaxKind) -> SyntaxKind {
        SyntaxKind::from_raw(raw)
    }

    fn kind_to_raw(kind: SyntaxKind) -> rowan::SyntaxKind {
        kind.into()
    }
}

/// A node of a Lane tree.
pub type SyntaxNode = rowan::SyntaxNode<Lane>;
/// A token of a Lane tree.
pub type SyntaxToken = rowan::SyntaxToken<Lane>;
/// A node or a token of a Lane tree.
pub type SyntaxElement = rowan::SyntaxElement<Lane>;
/// A pointer to a node, by kind and range, that does not keep the tree alive.
pub type SyntaxNodePtr = rowan::ast::SyntaxNodePtr<Lane>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_numbered_as_listed() {
        for (n, kind) in SyntaxKind::ALL.iter().enumerate() {
            assert_eq!(*kind as usize, n);
        }
    }

    #[test]
    fn assignments_are_those_that_end_in_one_equals_sign() {
        for kind in SyntaxKind::ALL {
            let Some(text) = kind.text() else { continue };
            let by_text = text.ends_with('=') && !["==", "<=", ">=", "!=", ":="].contains(&text);
            assert_eq!(kind.is_assignment(), by_text, "{text}");
        }
    }
}
