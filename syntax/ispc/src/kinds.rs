//! The kinds of tokens, and of the nodes of a file's own tree.
//!
//! Preprocessing knows names, numbers, strings and punctuation only. A name turns into a keyword when it leaves the preprocessor, since
//! a macro may be called `uniform`.

macro_rules! kinds {
    (
        plain { $($(#[$note:meta])* $plain:ident,)* }
        punctuation { $($punct:ident = $text:literal,)* }
        keywords { $($keyword:ident = $($spelling:literal)|+,)* }
        nodes { $($(#[$node_note:meta])* $node:ident,)* }
    ) => {
        /// The kind of a token, or of a node of a file's own tree.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[repr(u16)]
        #[allow(missing_docs, reason = "punctuation and keywords are called as they are spelled")]
        pub enum Kind {
            $($(#[$note])* $plain,)*
            $($punct,)*
            $($keyword,)*
            $($(#[$node_note])* $node,)*
        }

        impl Kind {
    /// The operator that an assignment computes with: `+` of `+=`; `None` for what is no such assignment.
    pub fn of_assignment(self) -> Option<Kind> {
        Some(match self {
            Kind::PlusEq => Kind::Plus,
            Kind::MinusEq => Kind::Minus,
            Kind::StarEq => Kind::Star,
            Kind::SlashEq => Kind::Slash,
            Kind::PercentEq => Kind::Percent,
            Kind::LtLtEq => Kind::LtLt,
            Kind::GtGtEq => Kind::GtGt,
            Kind::AmpEq => Kind::Amp,
            Kind::PipeEq => Kind::Pipe,
            Kind::CaretEq => Kind::Caret,
            _ => return None,
        })
    }

            const ALL: &[Kind] = &[$(Kind::$plain,)* $(Kind::$punct,)* $(Kind::$keyword,)* $(Kind::$node,)*];

            /// All punctuation, with its text. Of two that start alike the longer one is found by length.
            pub const PUNCTUATION: &[(Kind, &str)] = &[$((Kind::$punct, $text),)*];

            /// All keywords, in each spelling.
            pub const KEYWORDS: &[(Kind, &str)] = &[$($((Kind::$keyword, $spelling),)+)*];

            /// The kind of a name that has left the preprocessor: a keyword's, or `Name`.
            pub fn of_name(text: &str) -> Kind {
                match text {
                    $($($spelling)|+ => Kind::$keyword,)*
                    _ => Kind::Name,
                }
            }
        }
    };
}

kinds! {
    plain {
        /// Blanks and tabs.
        Space,
        /// The end of a line.
        Newline,
        /// `// …`
        LineComment,
        /// `/* … */`
        BlockComment,
        /// A backslash in front of the end of a line: the line goes on.
        Splice,
        /// A name, which may become a keyword.
        Name,
        /// A preprocessing number: everything that starts as a number does.
        Number,
        /// A string with its quotes, whole or not.
        Str,
        /// Text in single quotes: only the preprocessor's conditions know that.
        Char,
        /// A name of LLVM's: `@llvm.sqrt.f32`.
        Intrinsic,
        /// A character that starts no token.
        Stray,
        /// A `#pragma` that stands for the statement behind it: `unroll` and `nounroll`.
        Pragma,
        /// Behind the last token.
        End,
    }
    punctuation {
        LParen = "(", RParen = ")", LBracket = "[", RBracket = "]", LBrace = "{", RBrace = "}",
        Comma = ",", Semicolon = ";", Colon = ":", Question = "?", Dots = "...", Dot = ".", Arrow = "->",
        HashHash = "##", Hash = "#",
        PlusPlus = "++", PlusEq = "+=", Plus = "+", MinusMinus = "--", MinusEq = "-=", Minus = "-",
        StarEq = "*=", Star = "*", SlashEq = "/=", Slash = "/", PercentEq = "%=", Percent = "%",
        AmpAmp = "&&", AmpEq = "&=", Amp = "&", PipePipe = "||", PipeEq = "|=", Pipe = "|", CaretEq = "^=", Caret = "^",
        Tilde = "~", BangEq = "!=", Bang = "!", EqEq = "==", Eq = "=",
        LtLtEq = "<<=", LtLt = "<<", LtEq = "<=", Lt = "<", GtGtEq = ">>=", GtGt = ">>", GtEq = ">=", Gt = ">",
    }
    keywords {
        Assert = "__assert", Alloca = "__alloca", Attribute = "__attribute__", Bool = "bool", Break = "break" | "cbreak",
        Case = "case", Cdo = "cdo", Cfor = "cfor", Cif = "cif", Const = "const", Continue = "continue" | "ccontinue",
        Cwhile = "cwhile", Declspec = "__declspec", Default = "default", Delete = "delete", Do = "do", Double = "double",
        Else = "else", Enum = "enum", Export = "export", Extern = "extern", False = "false", Float = "float",
        Float16 = "float16", For = "for", Foreach = "foreach", ForeachActive = "foreach_active",
        ForeachTiled = "foreach_tiled", ForeachUnique = "foreach_unique", Goto = "goto", If = "if", In = "in",
        Inline = "inline", Int = "int" | "int32", Int16 = "int16", Int64 = "int64", Int8 = "int8", InvokeSycl = "invoke_sycl",
        Launch = "launch", New = "new", Noinline = "noinline", Null = "NULL", Print = "print", Regcall = "__regcall",
        Return = "return" | "creturn", Signed = "signed", Sizeof = "sizeof", Soa = "soa", Static = "static",
        Struct = "struct", Switch = "switch", Sync = "sync", Task = "task", Template = "template", True = "true",
        Typedef = "typedef", Typename = "typename", Uint = "uint" | "uint32", Uint16 = "uint16", Uint64 = "uint64",
        Uint8 = "uint8", Uniform = "uniform", Unmasked = "unmasked", Unsigned = "unsigned", Varying = "varying",
        Vectorcall = "__vectorcall", Void = "void", While = "while",
    }
    nodes {
        /// A whole file.
        File,
        /// One directive, from its `#` to the end of its line.
        Directive,
        /// `#if` to `#endif`, with all branches.
        Conditional,
        /// The text of one branch of a conditional.
        Branch,
        /// A pair of brackets and all between.
        Group,
    }
}

impl Kind {
    /// Returns true for white space, comments and line continuations.
    pub fn is_trivia(self) -> bool {
        self <= Kind::Splice
    }

    /// Returns how tightly a binary operator binds, in expressions and in conditions of the preprocessor; `None` for any other kind.
    pub fn binding(self) -> Option<u8> {
        Some(match self {
            Kind::PipePipe => 1,
            Kind::AmpAmp => 2,
            Kind::Pipe => 3,
            Kind::Caret => 4,
            Kind::Amp => 5,
            Kind::EqEq | Kind::BangEq => 6,
            Kind::Lt | Kind::Gt | Kind::LtEq | Kind::GtEq => 7,
            Kind::LtLt | Kind::GtGt => 8,
            Kind::Plus | Kind::Minus => 9,
            Kind::Star | Kind::Slash | Kind::Percent => 10,
            _ => return None,
        })
    }

    /// Returns true for a keyword.
    pub fn is_keyword(self) -> bool {
        (Kind::Assert..=Kind::While).contains(&self)
    }

    /// The text of punctuation, and the first spelling of a keyword.
    pub fn text(self) -> Option<&'static str> {
        Kind::PUNCTUATION.iter().chain(Kind::KEYWORDS).find(|(kind, _)| *kind == self).map(|(_, text)| *text)
    }

    /// Returns true for a keyword that is a type of its own.
    pub fn is_atomic_type(self) -> bool {
        use Kind::*;
        matches!(
            self,
            Void | Bool | Int8 | Uint8 | Int16 | Uint16 | Int | Uint | Int64 | Uint64 | Float16 | Float | Double
        )
    }

    /// Returns true for a keyword that qualifies a type or a function.
    pub fn is_qualifier(self) -> bool {
        use Kind::*;
        matches!(
            self,
            Const
                | Uniform
                | Varying
                | Task
                | Unmasked
                | Export
                | Inline
                | Noinline
                | Vectorcall
                | Regcall
                | Signed
                | Unsigned
        )
    }
}

impl From<Kind> for rowan::SyntaxKind {
    fn from(kind: Kind) -> Self {
        Self(kind as u16)
    }
}

/// The language of a file's own tree.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Ispc {}

impl rowan::Language for Ispc {
    type Kind = Kind;

    fn kind_from_raw(raw: rowan::SyntaxKind) -> Kind {
        Kind::ALL[usize::from(raw.0)]
    }

    fn kind_to_raw(kind: Kind) -> rowan::SyntaxKind {
        kind.into()
    }
}
