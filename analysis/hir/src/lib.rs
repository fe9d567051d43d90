//! HIR: an item's meaning with names resolved, in small arenas, without positions.
//!
//! Nothing here has a position or knows which surface syntax it came from; [`BodyMap`], the source map, leads back by
//! ranges of the item's dense text, which is the text without white space and comments. A part that was not understood
//! is [`Expr::Missing`] or [`Stmt::Broken`], so all around it keeps its meaning.
//!
//! A *local* is anything an item names itself: parameters, variables, loop indices, lambda parameters, and sizes
//! that a function's parameter types introduce (`fn f(a: f32[k])` may use `k`).

pub mod builtins;
mod counted;
pub mod elements;
pub mod enums;
pub mod equality;
pub mod errors;
pub mod eval;
pub mod expand;
mod fast;
pub mod fields;
pub mod finding;
pub mod infer;
mod joined;
pub mod layout;
mod names;
pub mod operators;
mod outer;
mod print;
mod rules;
mod running;
pub mod scope;
pub mod size;
mod source_map;
pub mod ty;
pub mod vectors;
pub mod walk;

use std::sync::Arc;

use la_arena::{Arena, Idx};
use report::{ItemKind, TextRange};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::builtins::{AttributeId, BuiltinId};
use crate::finding::Finding;

pub use ir::Name;

pub use counted::{Counted, Exit, LoopPlaces, counted};
pub use fast::FastParts;
pub use joined::{Joined, joined, stays_in_order};
pub use names::{FileNames, Names, UseLine};
pub use outer::updated_outside;
pub use print::{PrintedLine, typed, typed_local};
pub use rules::{BrokenRule, rules_broken_in};
pub use running::{RunningCells, RunningVariable, RunsOn, running};
pub use source_map::{BodyMap, LoopHeader};

/// An expression of a body.
pub type ExprId = Idx<Expr>;
/// A statement of a body.
pub type StmtId = Idx<Stmt>;
/// A local of a body.
pub type LocalId = Idx<Local>;

/// The meaning of an item.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Body {
    /// The expressions of the item.
    pub exprs: Arena<Expr>,
    /// The statements of the item, of all blocks.
    pub stmts: Arena<Stmt>,
    /// The locals of the item, parameters and sizes included.
    pub locals: Arena<Local>,
    /// The parameters, in order.
    pub params: Vec<LocalId>,
    /// The default values of the parameters, in order. One may name the parameters before its own.
    pub defaults: Vec<Option<ExprId>>,
    /// The names that arguments are given by, by the arguments' values.
    pub arg_names: FxHashMap<ExprId, Name>,
    /// The type of its result, as written.
    pub result: Option<TypeRef>,
    /// The parameters that a kernel's results go out by where these are no scalars; they are the last ones.
    pub results: Vec<LocalId>,
    /// The statements of the outermost block, in order.
    pub block: Block,
    /// The value of a constant.
    pub value: Option<ExprId>,
    /// The type of a constant, as written.
    pub value_type: Option<TypeRef>,
    /// The fields of a struct.
    pub fields: Vec<Field>,
    /// The variants of an enum. The type of their numbers is the one of `value_type`, if it is written.
    pub variants: Vec<enums::Variant>,
    /// Each `match` of the item, in order; the statements are those that it was lowered to.
    pub matches: Vec<enums::Match>,
    /// The attributes above the item.
    pub attrs: Vec<AttributeUse>,
    /// The constant and type parameters, in order.
    pub generics: Vec<Generic>,
    /// The statements that are done at compile time: `static for`, `static if` and `static assert`.
    pub statics: FxHashSet<StmtId>,
    /// The locals of branches of `static if` that are known behind it.
    pub kept: Vec<Kept>,
    /// The kernel that this one is an instance of.
    pub instance: Option<InstanceOf>,
    /// True if a part was not understood, so that something that seems to be missing may well be there.
    pub in_doubt: bool,
    /// True if the parameters or fields were not understood, so that uses of the item are not checked.
    pub header_in_doubt: bool,
}

/// A local of a branch of a `static if` that is known behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kept {
    /// The outermost `static if` that it is known behind.
    pub stmt: StmtId,
    /// The local, which its branch defines.
    pub local: LocalId,
    /// The local that its name means behind the `static if`: that of the first branch that defines the name.
    pub known_as: LocalId,
}

/// A constant or type parameter of a kernel or function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Generic {
    /// The local that stands for it; that of a constant has its type.
    pub local: LocalId,
    /// The default value.
    pub default: Option<ExprId>,
}

/// The meaning of `kernel blur3 = blur[R = 3]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstanceOf {
    /// The kernel `blur`.
    pub of: ExprId,
    /// The arguments; those that are given by name are among [`Body::arg_names`].
    pub args: Vec<ExprId>,
}

/// The statements of one block.
pub type Block = Vec<StmtId>;

/// A field of a struct.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// The name of the field.
    pub name: Name,
    /// The type, as written.
    pub ty: Option<TypeRef>,
    /// The value where none is given.
    pub default: Option<ExprId>,
    /// The place of the name.
    pub at: TextRange,
}

/// A local: a name that an item defines for itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Local {
    /// The name of the local.
    pub name: Name,
    /// The kind of its definition.
    pub kind: LocalKind,
    /// The type, as written.
    pub ty: Option<TypeRef>,
    /// Assigned to after its definition.
    pub updated: bool,
}

/// The kinds of locals, by their definitions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LocalKind {
    /// A parameter of a kernel or function.
    Param,
    /// A variable that `let` defines.
    Let,
    /// Defined by its first assignment.
    Assigned,
    /// The index of a `for`.
    ForIndex,
    /// The element of a `for` over an array.
    Element,
    /// An index of a `foreach`.
    ForeachIndex,
    /// A parameter of a lambda.
    LambdaParam,
    /// A size that a function's parameter types introduce.
    Size,
    /// A constant parameter, or the index of a `static for`.
    Constant,
    /// A type parameter.
    TypeParam,
    /// A value without a name: one of an assignment to several targets, held until all of them are computed, or an array whose
    /// indices a loop goes over, and such an index.
    Held,
}

impl LocalKind {
    /// Returns the name of the kind in messages.
    pub fn describe(self) -> &'static str {
        match self {
            LocalKind::Param => "parameter",
            LocalKind::Let | LocalKind::Assigned => "variable",
            LocalKind::ForIndex | LocalKind::ForeachIndex => "loop index",
            LocalKind::Element => "loop's element",
            LocalKind::LambdaParam => "lambda's parameter",
            LocalKind::Size => "size",
            LocalKind::Constant => "constant",
            LocalKind::TypeParam => "type parameter",
            LocalKind::Held => "value",
        }
    }
}

/// `uniform` or `varying`: a promise about lanes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Promise {
    /// The value is the same in every lane.
    Uniform,
    /// The value may differ between lanes.
    Varying,
}

/// A type, as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TypeRef {
    /// The name that the value has in a tuple: the `at` of `(value: f32, at: i32)`.
    pub label: Option<Name>,
    /// The promise about lanes before it.
    pub promise: Option<Promise>,
    /// The scalar's or struct's name; `None` when it is missing, and for a tuple.
    pub name: Option<Name>,
    /// The types of a tuple's values; empty for what is none.
    pub parts: Vec<TypeRef>,
    /// The array's sizes; empty for none.
    pub sizes: Vec<ExprId>,
    /// The place of the whole type.
    pub at: TextRange,
    /// The place of the name.
    pub name_at: TextRange,
}

impl TypeRef {
    /// The names of a tuple's values, as far as they have some.
    pub fn labels(&self) -> Vec<Option<Name>> {
        self.parts.iter().map(|part| part.label.clone()).collect()
    }

    /// Adds the names that stand in the type, in order.
    fn collect_names(&self, names: &mut Vec<Name>) {
        names.extend(self.name.clone());
        self.parts.iter().for_each(|part| part.collect_names(names));
    }
}

/// An attribute, as written above an item or a loop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttributeUse {
    /// The attribute that it is.
    pub id: AttributeId,
    /// The arguments, in order.
    pub args: Vec<ExprId>,
    /// The place of the attribute.
    pub at: TextRange,
}

/// An operator between two values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum BinOp {
    Add,
    Sub,
    Mul,
    Div,
    FloorDiv,
    Rem,
    Pow,
    BitAnd,
    BitOr,
    BitXor,
    Shl,
    Shr,
    And,
    Or,
    Lt,
    Le,
    Gt,
    Ge,
    Eq,
    Ne,
}

impl BinOp {
    /// Returns the spelling of the operator.
    pub fn text(self) -> &'static str {
        match self {
            BinOp::Add => "+",
            BinOp::Sub => "-",
            BinOp::Mul => "*",
            BinOp::Div => "/",
            BinOp::FloorDiv => "//",
            BinOp::Rem => "%",
            BinOp::Pow => "**",
            BinOp::BitAnd => "&",
            BinOp::BitOr => "|",
            BinOp::BitXor => "^",
            BinOp::Shl => "<<",
            BinOp::Shr => ">>",
            BinOp::And => "and",
            BinOp::Or => "or",
            BinOp::Lt => "<",
            BinOp::Le => "<=",
            BinOp::Gt => ">",
            BinOp::Ge => ">=",
            BinOp::Eq => "==",
            BinOp::Ne => "!=",
        }
    }

    /// `<` and its kin, `==` and `!=`.
    pub fn compares(self) -> bool {
        matches!(self, BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge | BinOp::Eq | BinOp::Ne)
    }

    /// `and` and `or`: the right side is evaluated only when it is needed.
    pub fn is_logical(self) -> bool {
        matches!(self, BinOp::And | BinOp::Or)
    }
}

/// An operator before a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum UnaryOp {
    Neg,
    Plus,
    BitNot,
    Not,
}

impl UnaryOp {
    /// Returns the spelling of the operator.
    pub fn text(self) -> &'static str {
        match self {
            UnaryOp::Neg => "-",
            UnaryOp::Plus => "+",
            UnaryOp::BitNot => "~",
            UnaryOp::Not => "not",
        }
    }
}

/// A number or a bool as written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Literal {
    /// `42`, `0x2a`. One too large for any type is saturated; its finding is made where it is read.
    Int(u128),
    /// A float: `1.5`.
    Float(f64),
    /// A bool: `true` or `false`.
    Bool(bool),
}

// Bits decide: a body is compared to see whether anything has changed.
impl Eq for Literal {}

/// An expression; its operands are expressions of the same body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expr {
    /// An expression that is missing or was not understood; the parser or the lowering has reported it.
    Missing,
    /// A number or a bool.
    Literal(Literal),
    /// The start of the cells of an array that is defined without a value: zero, `false`, or a struct of these.
    Zero,
    /// The value of a local.
    Local(LocalId),
    /// A constant, function, kernel, struct or enum of the file.
    Item(ItemKind, Name),
    /// A builtin as a value: `lane_id`, or the `max` of `reduce(max, 0, a)`.
    Builtin(BuiltinId),
    /// An operator as a value: the `+` of `reduce(+, 0, a)`.
    Operator(BinOp),
    /// An array of values, or of rows: `[x, y]`. There is one at least.
    Array(Vec<ExprId>),
    /// An operator with one operand: `-x`.
    Unary(UnaryOp, ExprId),
    /// An operator with two operands: `a + b`.
    Binary(BinOp, ExprId, ExprId),
    /// Comparisons in a chain, two or more: `a < b <= c`. Each operand is evaluated once, and those behind a comparison that does
    /// not hold are not evaluated.
    Chain(ExprId, Vec<(BinOp, ExprId)>),
    /// `a if c else b`
    Cond {
        /// The condition `c`.
        condition: ExprId,
        /// The value `a`, where it is true.
        then_value: ExprId,
        /// The value `b`, where it is false.
        else_value: ExprId,
    },
    /// A call: `f(x, y)`.
    Call(ExprId, Vec<ExprId>),
    /// A conversion: `f32(x)`.
    Cast(ir::Elem, Vec<ExprId>),
    /// An access to a cell or a slice: `a[i, lo:hi]`.
    Index(ExprId, Vec<Subscript>),
    /// A field of a struct: `p.x`.
    Field(ExprId, Name),
    /// Several values as one: `a, b`.
    Tuple(Vec<ExprId>),
    /// One of the values of a tuple that is taken apart.
    Part {
        /// The tuple.
        tuple: ExprId,
        /// The number of the value.
        number: u32,
        /// The number of values that the tuple is to have.
        of: u32,
    },
    /// A test of the form of a value: a bool.
    Is(ExprId, enums::PatternForm),
    /// A part of a value that has a form, whether it has that or not.
    Data {
        /// The value.
        of: ExprId,
        /// The name of the variant or struct.
        form: Name,
        /// The part.
        datum: enums::Datum,
    },
    /// A function without a name: `\x y -> e`.
    Lambda(Vec<LocalId>, ExprId),
}

/// A subscript between an access's brackets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subscript {
    /// An index, which takes one cell along the dimension.
    At(ExprId),
    /// A slice: `lo:hi:step`.
    Slice {
        /// The first index; `None` for 0.
        lo: Option<ExprId>,
        /// The end, which is not part of the slice; `None` for the size.
        hi: Option<ExprId>,
        /// From one element to the next.
        step: Option<ExprId>,
    },
}

/// The range of a loop: `range(start, stop, step)`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Range {
    /// The first index; `None` for 0.
    pub start: Option<ExprId>,
    /// The end, which is not part of the range.
    pub stop: ExprId,
    /// From one to the next; `None` for 1.
    pub step: Option<ExprId>,
}

/// The domain of a `for`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Over {
    /// The integers of a range.
    Range(Range),
    /// The elements of an array, or the rows of one with more dimensions.
    Elements(ExprId),
}

/// A statement; its blocks are lists of statements of the same body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stmt {
    /// A line that was not understood. What it holds was looked at, for names and types, and is never run.
    Broken(Vec<ExprId>, Block),
    /// `let x = e`, or the first `x = e`. Where the type of an array is written and `e` is none, all cells have that value.
    Define(LocalId, ExprId),
    /// `x = e`, `a[i] = e`, `x += e`
    Assign {
        /// The target: a local, an element, a slice or a field.
        target: ExprId,
        /// The operator of `+=` and its kin.
        op: Option<BinOp>,
        /// The value that is assigned.
        value: ExprId,
    },
    /// An expression that is evaluated for its effect: mostly a call.
    Expr(ExprId),
    /// A sequential loop over a range, `for i in range(n):`, or over the elements of an array, `for x in a:`.
    For {
        /// The local that is the index `i`, or the element `x`.
        index: LocalId,
        /// The domain of the loop.
        over: Over,
        /// The statements that are repeated.
        body: Block,
        /// `cfor`: tested at run time for all lanes on and all off.
        coherent: bool,
        /// The attributes above the loop.
        attrs: Vec<AttributeUse>,
    },
    /// `foreach i in range(n), j in range(m):`
    Foreach {
        /// The indices and their ranges, the one of the lanes last.
        indices: Vec<(LocalId, Range)>,
        /// The statements that are done for each.
        body: Block,
        /// The attributes above the loop.
        attrs: Vec<AttributeUse>,
    },
    /// A loop that a condition ends: `while c:`.
    While {
        /// The condition `c`, asked before each iteration.
        condition: ExprId,
        /// The statements that are repeated.
        body: Block,
        /// True for `cwhile`, which tests at run time if lanes agree.
        coherent: bool,
        /// The attributes above the loop.
        attrs: Vec<AttributeUse>,
    },
    /// `if c:`; an `elif` is an `if` in the block of the `else`.
    If {
        /// The condition `c`.
        condition: ExprId,
        /// The statements that run if it is true.
        then_block: Block,
        /// The statements that run if it is false.
        else_block: Block,
        /// True for `cif`, which tests at run time if lanes agree.
        coherent: bool,
    },
    /// Leaves the innermost loop: `break`.
    Break,
    /// Ends the iteration of the innermost loop: `continue`.
    Continue,
    /// Leaves the function: `return e`.
    Return(Option<ExprId>),
    /// Does nothing: `pass`.
    Pass,
    /// Stops the program unless the condition holds: `assert c`.
    Assert(ExprId),
}

/// An item's HIR, with its source map and the findings about its names.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Lowered {
    /// The meaning of the item.
    pub body: Arc<Body>,
    /// The places of its parts in the dense text.
    pub map: Arc<BodyMap>,
    /// Findings about its names and the places of its statements.
    pub findings: Vec<Finding>,
    /// All names of the file were looked at, for those that are like one that is not there.
    pub saw_all_names: bool,
}

impl Stmt {
    /// The blocks inside of it.
    pub fn blocks_mut(&mut self) -> Vec<&mut Block> {
        match self {
            Stmt::Broken(_, body) | Stmt::For { body, .. } | Stmt::Foreach { body, .. } | Stmt::While { body, .. } => {
                vec![body]
            }
            Stmt::If { then_block, else_block, .. } => vec![then_block, else_block],
            _ => Vec::new(),
        }
    }
}

impl Body {
    /// The local that the name of a local means behind the `static if` around it; for others, the local itself.
    pub fn known_as(&self, local: LocalId) -> LocalId {
        let outer = self.kept.iter().find(|it| it.local == local && it.known_as != local);
        outer.map_or(local, |it| self.known_as(it.known_as))
    }

    /// Says whether an expression is a statement of its own, whose value is thrown away.
    pub fn is_statement(&self, expr: ExprId) -> bool {
        self.stmts.iter().any(|(_, stmt)| matches!(stmt, Stmt::Expr(own) if *own == expr))
    }

    /// The two sides of an assertion that the size of an array is a number: it is a check of sizes, as those are that the language makes.
    pub fn asserted_sizes(&self, condition: ExprId) -> Option<[ExprId; 2]> {
        let Expr::Binary(BinOp::Eq, lhs, rhs) = self.exprs[condition] else { return None };
        [lhs, rhs].into_iter().any(|side| self.measured(side).is_some()).then_some([lhs, rhs])
    }

    /// The `length` of an array that is asserted to be more than 0: there is an element.
    pub fn asserted_some(&self, condition: ExprId) -> Option<ExprId> {
        let Expr::Binary(BinOp::Gt, size, least) = self.exprs[condition] else { return None };
        let is_some = self.measured(size).is_some() && matches!(self.exprs[least], Expr::Literal(Literal::Int(0)));
        is_some.then_some(size)
    }

    /// The array whose size a call of `length` gives.
    pub fn measured(&self, call: ExprId) -> Option<ExprId> {
        let Expr::Call(callee, args) = &self.exprs[call] else { return None };
        let Expr::Builtin(builtin) = self.exprs[*callee] else { return None };
        (builtin.get().shape == builtins::TypeRule::Length).then(|| args.first().copied()).flatten()
    }

    /// Says whether an attribute above the item frees the order of its sums and products of floats.
    pub fn frees_order(&self) -> bool {
        self.attrs.iter().any(|attr| matches!(attr.id.get().sets, builtins::Sets::FixedOrder(_)))
    }

    /// The name of a loop's index, also of one that has none in the text.
    pub fn index_name(&self, index: LocalId) -> Name {
        let name = &self.locals[index].name;
        if name.is_empty() { "i".into() } else { name.clone() }
    }

    /// The functions and constants of the file that this body names, each once, in order.
    pub fn references(&self) -> Vec<(ItemKind, Name)> {
        let mut found = Vec::new();
        for (_, expr) in self.exprs.iter() {
            if let Expr::Item(kind @ (ItemKind::Fn | ItemKind::Const), name) = expr {
                let key = (*kind, name.clone());
                if !found.contains(&key) {
                    found.push(key);
                }
            }
        }
        found
    }

    /// The builtins that this body names, each once, in order.
    pub fn builtins(&self) -> Vec<BuiltinId> {
        let mut found = Vec::new();
        for (_, expr) in self.exprs.iter() {
            if let Expr::Builtin(builtin) = expr
                && !found.contains(builtin)
            {
                found.push(*builtin);
            }
        }
        found
    }

    /// Names of the functions in the prelude that this body may call, by a builtin or an operator.
    pub fn prelude_functions(&self) -> Vec<String> {
        let power = |op: &BinOp| *op == BinOp::Pow;
        let in_exprs = self.exprs.iter().any(|(_, expr)| matches!(expr, Expr::Binary(op, ..) if power(op)));
        let has_power = in_exprs
            || self.stmts.iter().any(|(_, stmt)| matches!(stmt, Stmt::Assign { op: Some(op), .. } if power(op)));
        let mut names: Vec<_> = self.builtins().iter().flat_map(|builtin| builtin.get().all_functions()).collect();
        if has_power {
            names.extend(builtins::functions_of_powers());
        }
        names
    }

    /// The names of the file's items that this body uses, in expressions and in types.
    pub fn uses_of_items(&self) -> Vec<Name> {
        let in_exprs = self.exprs.iter().filter_map(|(_, expr)| match expr {
            Expr::Item(_, name) | Expr::Is(_, enums::PatternForm { of: Some(name), .. }) => Some(name.clone()),
            _ => None,
        });
        let locals = self.locals.iter().filter_map(|(_, local)| local.ty.as_ref());
        let data = self.variants.iter().flat_map(|variant| &variant.data);
        let fields = self.fields.iter().chain(data).filter_map(|field| field.ty.as_ref());
        let types = locals.chain(fields).chain(&self.result).chain(&self.value_type);
        let mut names: Vec<_> = in_exprs.collect();
        types.for_each(|ty| ty.collect_names(&mut names));
        names
    }

    /// Calls `visit` on each direct part of an expression.
    pub fn for_each_part(&self, expr: ExprId, mut visit: impl FnMut(ExprId)) {
        match &self.exprs[expr] {
            Expr::Missing
            | Expr::Literal(_)
            | Expr::Zero
            | Expr::Local(_)
            | Expr::Item(..)
            | Expr::Builtin(_)
            | Expr::Operator(_) => {}
            Expr::Unary(_, operand)
            | Expr::Field(operand, _)
            | Expr::Part { tuple: operand, .. }
            | Expr::Is(operand, _)
            | Expr::Data { of: operand, .. }
            | Expr::Lambda(_, operand) => visit(*operand),
            Expr::Binary(_, lhs, rhs) => {
                visit(*lhs);
                visit(*rhs);
            }
            Expr::Chain(first, others) => {
                visit(*first);
                others.iter().for_each(|(_, operand)| visit(*operand));
            }
            Expr::Cond { condition, then_value, else_value } => {
                visit(*then_value);
                visit(*condition);
                visit(*else_value);
            }
            Expr::Call(callee, args) => {
                visit(*callee);
                args.iter().copied().for_each(visit);
            }
            Expr::Cast(_, args) | Expr::Array(args) | Expr::Tuple(args) => args.iter().copied().for_each(visit),
            Expr::Index(base, subscripts) => {
                visit(*base);
                for subscript in subscripts {
                    match subscript {
                        Subscript::At(index) => visit(*index),
                        Subscript::Slice { lo, hi, step } => {
                            [lo, hi, step].into_iter().flatten().for_each(|&part| visit(part))
                        }
                    }
                }
            }
        }
    }
}
