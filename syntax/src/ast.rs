//! Typed views of the tree.
//!
//! A view is a node with a static type; it costs nothing to create and holds no data of its own. Every part is optional, since
//! the text may be incomplete: a view reports the parts that are there.
//!
//! The tables below define the shape of the whole grammar: the parts of each node.

use rowan::ast::support;
pub use rowan::ast::{AstChildren, AstNode};

use crate::kinds::SyntaxKind::{self, *};
use crate::kinds::{Lane, SyntaxNode, SyntaxToken};

/// Defines views: `Name = KIND { part: Type, parts: [Type], mark: (TOKEN) }`.
macro_rules! nodes {
    ($(
        $(#[$doc:meta])*
        $name:ident = $kind:ident { $($(#[$part_doc:meta])* $part:ident: $what:tt),* $(,)? }
    )*) => {
        $(
            $(#[$doc])*
            #[derive(Debug, Clone, PartialEq, Eq, Hash)]
            pub struct $name(SyntaxNode);

            impl AstNode for $name {
                type Language = Lane;

                fn can_cast(kind: SyntaxKind) -> bool {
                    kind == $kind
                }

                fn cast(syntax: SyntaxNode) -> Option<Self> {
                    (syntax.kind() == $kind).then_some($name(syntax))
                }

                fn syntax(&self) -> &SyntaxNode {
                    &self.0
                }
            }

            impl $name {
                $(part! { $(#[$part_doc])* $part: $what })*
            }
        )*
    };
}

macro_rules! part {
    ($(#[$doc:meta])* $part:ident: [$what:ident]) => {
        $(#[$doc])*
        #[doc = concat!("The `", stringify!($part), "` part.")]
        pub fn $part(&self) -> AstChildren<$what> {
            support::children(&self.0)
        }
    };
    ($(#[$doc:meta])* $part:ident: ($token:ident)) => {
        $(#[$doc])*
        #[doc = concat!("The `", stringify!($part), "` part.")]
        pub fn $part(&self) -> Option<SyntaxToken> {
            support::token(&self.0, $token)
        }
    };
    ($(#[$doc:meta])* $part:ident: $what:ident) => {
        $(#[$doc])*
        #[doc = concat!("The `", stringify!($part), "` part.")]
        pub fn $part(&self) -> Option<$what> {
            support::child(&self.0)
        }
    };
}

/// Defines a view that is a choice among several: `Name = A | B`.
macro_rules! choices {
    ($($(#[$doc:meta])* $name:ident = $($choice:ident)|+;)*) => {
        $(
            $(#[$doc])*
            #[derive(Debug, Clone, PartialEq, Eq, Hash)]
            #[allow(missing_docs)]
            pub enum $name {
                $($choice($choice),)+
            }

            impl AstNode for $name {
                type Language = Lane;

                fn can_cast(kind: SyntaxKind) -> bool {
                    $($choice::can_cast(kind))||+
                }

                fn cast(syntax: SyntaxNode) -> Option<Self> {
                    let kind = syntax.kind();
                    $(if $choice::can_cast(kind) {
                        return $choice::cast(syntax).map($name::$choice);
                    })+
                    None
                }

                fn syntax(&self) -> &SyntaxNode {
                    match self {
                        $($name::$choice(it) => it.syntax(),)+
                    }
                }
            }
        )*
    };
}

choices! {
    /// An item: a declaration that starts in column 0.
    Item = Kernel | Fn | Struct | Enum | Const | Use;
    /// Any statement.
    Stmt = LetStmt | AssignStmt | ExprStmt | ForStmt | ForeachStmt | WhileStmt | IfStmt | MatchStmt | BreakStmt | ContinueStmt
        | ReturnStmt | PassStmt | AssertStmt | StrayStmt | Block;
    /// Any expression.
    Expr = Literal | NameRef | ParenExpr | TupleExpr | ArrayExpr | PrefixExpr | BinExpr | CondExpr | CallExpr | IndexExpr
        | FieldExpr | LambdaExpr | OperatorRef | NamedArg | Comprehension;
    /// A part between the brackets of an access: an index or a slice.
    Subscript = Slice | Literal | NameRef | ParenExpr | TupleExpr | ArrayExpr | PrefixExpr | BinExpr | CondExpr | CallExpr
        | IndexExpr | FieldExpr | LambdaExpr | OperatorRef | NamedArg;
}

nodes! {
    /// A kernel: callable from outside.
    Kernel = KERNEL {
        attrs: [Attr], name: Name, generics: GenericList, params: ParamList, result: RetType, body: Block, instance: Instance,
    }
    /// A helper function: inlined where it is called.
    Fn = FN { attrs: [Attr], name: Name, generics: GenericList, params: ParamList, result: RetType, body: Block }
    /// A struct of scalar fields.
    Struct = STRUCT { attrs: [Attr], name: Name, body: Block }
    /// A type of several variants, which may have data: `enum Shape:`, or with the type of its number: `enum Kind(u8):`.
    Enum = ENUM { attrs: [Attr], name: Name, width: Type, body: Block }
    /// A named constant.
    Const = CONST { attrs: [Attr], name: Name, ty: Type, value: Expr }

    /// What a file uses of another: `use filters`, `use shared.filters: lowpass, biquad`.
    Use = USE { path: UsePath, names: UseNames }
    /// The file that is used: its folders and its name with dots between, behind a dot for each folder to go up, but one.
    UsePath = USE_PATH { parts: [NameRef] }
    /// The names that are taken of a file.
    UseNames = USE_NAMES { names: [NameRef] }

    /// A name where it is defined.
    Name = NAME { ident: (IDENT) }
    /// An attribute: `@name(args)`.
    Attr = ATTR { at: (AT), name: Name, args: AttrArgs }
    /// Arguments of an attribute, with their parentheses.
    AttrArgs = ATTR_ARGS { args: [Expr] }
    /// Parameters of a kernel or function, with their parentheses.
    ParamList = PARAM_LIST { open: (L_PAREN), params: [Param], close: (R_PAREN) }
    /// A parameter, with its type and its default value if it has them.
    Param = PARAM { name: Name, ty: Type, default: Expr }
    /// The result type of a function: `-> type`.
    RetType = RET_TYPE { ty: Type }
    /// A type, with its binding (`uniform`, `varying`) and array sizes, or the types of a tuple's values. One of these may have a label, the
    /// name of the value.
    Type = TYPE { label: Name, uniform: (UNIFORM_KW), varying: (VARYING_KW), name: NameRef, sizes: SizeList, parts: [Type] }
    /// Sizes of an array type, with their brackets.
    SizeList = SIZE_LIST { sizes: [Expr] }
    /// A field of a struct, with its default value if it has one.
    FieldDef = FIELD_DEF { name: Name, ty: Type, default: Expr }
    /// A variant of an enum, with its data and its number if it has them: `Circle(r: f32)`, `Low = 1`.
    VariantDef = VARIANT_DEF { name: Name, data: ParamList, number: Expr }
    /// Statements of one indentation, or the single statement behind a header's colon. As a statement of its own: lines that are
    /// indented without a header.
    Block = BLOCK { stmts: [Stmt], fields: [FieldDef], variants: [VariantDef], cases: [MatchCase] }

    /// A variable's declaration: `let x: T = e`; that of several has its parts instead of a name: `let a, b = e`.
    LetStmt = LET_STMT { let_word: (LET_KW), name: Name, ty: Type, parts: [LetPart], value: Expr }
    /// One of several variables that a `let` defines.
    LetPart = LET_PART { name: Name, ty: Type }
    /// An assignment: `x = e`, `a[i] += e`.
    AssignStmt = ASSIGN_STMT {}
    /// An expression as a statement, usually a call.
    ExprStmt = EXPR_STMT { expr: Expr }
    /// A loop over a range, or over the elements of an array: `for`, or the coherent `cfor`.
    ForStmt = FOR_STMT { attrs: [Attr], for_word: (FOR_KW), cfor_word: (CFOR_KW), index: LoopIndex, body: Block }
    /// A `foreach` loop, with one index or more.
    ForeachStmt = FOREACH_STMT { attrs: [Attr], foreach_word: (FOREACH_KW), indices: [LoopIndex], body: Block }
    /// The index of a loop and its range, `i in range(n)`, or an element and its array: `x in a`. That of several has its parts
    /// instead of a name: `i, x in enumerate(a)`.
    LoopIndex = LOOP_INDEX { name: Name, parts: [LoopPart], over: Expr }
    /// One of several names of a loop's header, or several in parentheses: `(x, y)`.
    LoopPart = LOOP_PART { name: Name, parts: [LoopPart] }
    /// A loop with a condition: `while`, or the coherent `cwhile`.
    WhileStmt = WHILE_STMT { attrs: [Attr], while_word: (WHILE_KW), cwhile_word: (CWHILE_KW), condition: Expr, body: Block }
    /// A branch: `if`, or the coherent `cif`, with its `elif` and `else` parts.
    IfStmt = IF_STMT {
        attrs: [Attr], if_word: (IF_KW), cif_word: (CIF_KW), condition: Expr, body: Block, elifs: [ElifBranch],
        else_branch: ElseBranch,
    }
    /// A further condition of an `if`: `elif c:`.
    ElifBranch = ELIF_BRANCH { elif_word: (ELIF_KW), condition: Expr, body: Block }
    /// The last part of an `if`: `else:`.
    ElseBranch = ELSE_BRANCH { else_word: (ELSE_KW), body: Block }
    /// A choice by the form of a value: `match e:`, with its cases in a block.
    MatchStmt = MATCH_STMT { attrs: [Attr], word: (IDENT), subject: Expr, body: Block }
    /// One case of a `match`: `case p:`, `case p if c:`, or `case p as x:`, which gives the value a name.
    MatchCase = MATCH_CASE { word: (IDENT), pattern: Expr, name: Name, if_word: (IF_KW), body: Block }
    /// The statement `break`.
    BreakStmt = BREAK_STMT { attrs: [Attr] }
    /// The statement `continue`.
    ContinueStmt = CONTINUE_STMT { attrs: [Attr] }
    /// The statement `return e`.
    ReturnStmt = RETURN_STMT { return_word: (RETURN_KW), value: Expr }
    /// The empty statement `pass`.
    PassStmt = PASS_STMT { attrs: [Attr] }
    /// An assertion: `assert c`.
    AssertStmt = ASSERT_STMT { assert_word: (ASSERT_KW), condition: Expr }
    /// A line that is no statement, with the block below it.
    StrayStmt = STRAY_STMT { body: Block }

    /// A number or a bool literal.
    Literal = LITERAL {}
    /// A name where it is used.
    NameRef = NAME_REF { ident: (IDENT) }
    /// An operator as a value: the `+` of `reduce(+, 0, a)`.
    OperatorRef = OPERATOR_REF {}
    /// A parenthesised expression: `(e)`.
    ParenExpr = PAREN_EXPR { expr: Expr }
    /// Several values: `a, b`. Parentheses around them are a node of their own.
    TupleExpr = TUPLE_EXPR { elements: [Expr] }
    /// An array of the values that are written: `[x, y]`.
    ArrayExpr = ARRAY_EXPR { open: (L_BRACKET), elements: [Expr], close: (R_BRACKET) }
    /// A prefix operation: `-e`, `+e`, `~e`, `not e`.
    PrefixExpr = PREFIX_EXPR { operand: Expr }
    /// A binary operation: `a + b`.
    BinExpr = BIN_EXPR {}
    /// A conditional expression: `a if c else b`.
    CondExpr = COND_EXPR { if_word: (IF_KW), else_word: (ELSE_KW) }
    /// A call: `f(a, b)`; also a cast (`f32(x)`).
    CallExpr = CALL_EXPR { callee: Expr, args: ArgList }
    /// Arguments of a call, with their parentheses.
    ArgList = ARG_LIST { open: (L_PAREN), args: [Expr], close: (R_PAREN) }
    /// An argument that is given by the name of its parameter: `scale=2.0`. It stands in a list of arguments only.
    NamedArg = NAMED_ARG { name: Name, value: Expr }
    /// A value for each element of what follows, `x * 2 for x in a`: alone between the brackets of an array or of a call.
    Comprehension = COMPREHENSION { value: Expr, clauses: [ForClause] }
    /// A `for` of a comprehension, with the condition behind it.
    ForClause = FOR_CLAUSE { for_word: (FOR_KW), index: LoopIndex, if_word: (IF_KW), condition: Expr }
    /// An array access: `a[i, lo:hi]`.
    IndexExpr = INDEX_EXPR { base: Expr, indices: IndexList }
    /// Indices and slices of an access, with their brackets.
    IndexList = INDEX_LIST { open: (L_BRACKET), subscripts: [Subscript], close: (R_BRACKET) }
    /// A slice of one dimension: `lo:hi:step`.
    Slice = SLICE {}
    /// A field access: `p.x`.
    FieldExpr = FIELD_EXPR { base: Expr, dot: (DOT) }
    /// A lambda: `\x y -> e`.
    LambdaExpr = LAMBDA_EXPR { params: LambdaParams, body: Expr }
    /// Parameters of a lambda, up to the arrow.
    LambdaParams = LAMBDA_PARAMS { params: [Param] }
    /// Constant and type parameters of a kernel or function, with their brackets.
    GenericList = GENERIC_LIST { open: (L_BRACKET), generics: [Generic], close: (R_BRACKET) }
    /// A constant parameter with its type, or a type parameter; and its default value if it has one.
    Generic = GENERIC { name: Name, const_word: (CONST_KW), ty: Type, default: Expr }
    /// The kernel that another one is an instance of, with its arguments: `= blur[R = 3]`.
    Instance = INSTANCE { of: NameRef, args: GenericArgs }
    /// The arguments of an instance, with their brackets.
    GenericArgs = GENERIC_ARGS { args: [Expr] }
}

impl Item {
    /// Name of the item.
    pub fn name(&self) -> Option<Name> {
        support::child(self.syntax())
    }

    /// Attributes of the item.
    pub fn attrs(&self) -> AstChildren<Attr> {
        support::children(self.syntax())
    }

    /// Text of the item's `##` lines, without the marks; `None` when there are none.
    pub fn docs(&self) -> Option<String> {
        let tokens = self.syntax().children_with_tokens().filter_map(|child| child.into_token());
        let lines: Vec<_> = tokens
            .filter(|token| token.kind() == DOC_COMMENT)
            .map(|token| {
                let line = token.text().trim_start_matches("##");
                line.strip_prefix(' ').unwrap_or(line).trim_end().to_owned()
            })
            .collect();
        (!lines.is_empty()).then(|| lines.join("\n"))
    }
}

impl Name {
    /// The identifier; `None` where a reserved word stands in its place.
    pub fn text(&self) -> Option<String> {
        self.ident().map(|ident| ident.text().to_owned())
    }
}

impl NameRef {
    /// The identifier.
    pub fn text(&self) -> Option<String> {
        self.ident().map(|ident| ident.text().to_owned())
    }
}

impl ForStmt {
    /// The word `static` in front of the statement, which is done at compile time then.
    pub fn static_word(&self) -> Option<SyntaxToken> {
        first_token(&self.0, |kind| kind == IDENT).filter(|word| word.text() == "static")
    }
}

impl IfStmt {
    /// The word `static` in front of the statement, which is done at compile time then.
    pub fn static_word(&self) -> Option<SyntaxToken> {
        first_token(&self.0, |kind| kind == IDENT).filter(|word| word.text() == "static")
    }
}

impl AssertStmt {
    /// The word `static` in front of the statement, which is done at compile time then.
    pub fn static_word(&self) -> Option<SyntaxToken> {
        first_token(&self.0, |kind| kind == IDENT).filter(|word| word.text() == "static")
    }
}

impl AssignStmt {
    /// The expression before the operator, to which the value is assigned.
    pub fn target(&self) -> Option<Expr> {
        part_before(&self.0, |kind| kind.is_assignment() || kind == COLON_EQ)
    }

    /// The operator: `=`, or a compound one such as `+=`.
    pub fn op(&self) -> Option<SyntaxToken> {
        first_token(&self.0, |kind| kind.is_assignment() || kind == COLON_EQ)
    }

    /// The expression behind the operator.
    pub fn value(&self) -> Option<Expr> {
        part_behind(&self.0, |kind| kind.is_assignment() || kind == COLON_EQ)
    }

    /// The binary operator of a compound assignment such as `+=`; `None` for `=`.
    pub fn applied(&self) -> Option<SyntaxKind> {
        Some(match self.op()?.kind() {
            PLUS_EQ => PLUS,
            MINUS_EQ => MINUS,
            STAR_EQ => STAR,
            SLASH_EQ => SLASH,
            SLASH2_EQ => SLASH2,
            PERCENT_EQ => PERCENT,
            STAR2_EQ => STAR2,
            AMP_EQ => AMP,
            PIPE_EQ => PIPE,
            CARET_EQ => CARET,
            SHL_EQ => SHL,
            SHR_EQ => SHR,
            _ => return None,
        })
    }
}

impl Literal {
    /// The token of the literal.
    pub fn token(&self) -> Option<SyntaxToken> {
        first_token(&self.0, |kind| matches!(kind, INT | FLOAT | TRUE_KW | FALSE_KW | TEXT))
    }
}

impl OperatorRef {
    /// The operator token.
    pub fn op(&self) -> Option<SyntaxToken> {
        first_token(&self.0, |_| true)
    }
}

impl PrefixExpr {
    /// The operator. A `!` written for `not` is included.
    pub fn op(&self) -> Option<SyntaxToken> {
        first_token(&self.0, |_| true)
    }
}

impl BinExpr {
    /// The operator. `&&` and `||` written for `and` and `or` are included.
    pub fn op(&self) -> Option<SyntaxToken> {
        first_token(&self.0, |_| true)
    }

    /// Left operand.
    pub fn lhs(&self) -> Option<Expr> {
        part_before(&self.0, |_| true)
    }

    /// Right operand.
    pub fn rhs(&self) -> Option<Expr> {
        part_behind(&self.0, |_| true)
    }
}

impl CondExpr {
    /// Value when the condition is true.
    pub fn then_value(&self) -> Option<Expr> {
        part_before(&self.0, |kind| kind == IF_KW)
    }

    /// Condition between `if` and `else`.
    pub fn condition(&self) -> Option<Expr> {
        part_behind(&self.0, |kind| kind == IF_KW)
    }

    /// Value when the condition is false.
    pub fn else_value(&self) -> Option<Expr> {
        part_behind(&self.0, |kind| kind == ELSE_KW)
    }
}

impl MatchCase {
    /// Condition behind the pattern's `if`.
    pub fn guard(&self) -> Option<Expr> {
        part_behind(&self.0, |kind| kind == IF_KW)
    }
}

impl Slice {
    /// Start of the slice; `None` for the start of its array.
    pub fn lo(&self) -> Option<Expr> {
        self.part(0)
    }

    /// End of the slice, exclusive; `None` for the end of its array.
    pub fn hi(&self) -> Option<Expr> {
        self.part(1)
    }

    /// Distance between two elements; `None` for 1.
    pub fn step(&self) -> Option<Expr> {
        self.part(2)
    }

    /// The expression between the `n`th colon and the next.
    fn part(&self, n: usize) -> Option<Expr> {
        let mut n_colons = 0;
        for child in self.0.children_with_tokens() {
            n_colons += usize::from(child.kind() == COLON);
            if let Some(expr) = child.into_node().filter(|_| n_colons == n).and_then(Expr::cast) {
                return Some(expr);
            }
        }
        None
    }
}

impl FieldExpr {
    /// Name of the field.
    pub fn field(&self) -> Option<NameRef> {
        let mut behind_dot = false;
        self.0.children_with_tokens().find_map(|child| {
            behind_dot |= child.kind() == DOT;
            child.into_node().filter(|_| behind_dot).and_then(NameRef::cast)
        })
    }
}

/// The first significant token among a node's children that `wanted` accepts.
fn first_token(node: &SyntaxNode, wanted: impl std::ops::Fn(SyntaxKind) -> bool) -> Option<SyntaxToken> {
    let tokens = node.children_with_tokens().filter_map(|child| child.into_token());
    tokens.into_iter().find(|token| !token.kind().is_between() && wanted(token.kind()))
}

fn part_before(node: &SyntaxNode, mark: impl std::ops::Fn(SyntaxKind) -> bool) -> Option<Expr> {
    let end = first_token(node, mark)?.text_range().start();
    support::children(node).find(|expr: &Expr| expr.syntax().text_range().end() <= end)
}

fn part_behind(node: &SyntaxNode, mark: impl std::ops::Fn(SyntaxKind) -> bool) -> Option<Expr> {
    let start = first_token(node, mark)?.text_range().end();
    support::children(node).find(|expr: &Expr| expr.syntax().text_range().start() >= start)
}
