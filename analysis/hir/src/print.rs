//! The `typed` stage: an item as the analysis understood it, with every type written down.
//!
//! The text reads like the source, but says what the source leaves out: the type of each parameter, variable and loop
//! index, the result's type, the value of each constant, `let` where an assignment defines, and parentheses only
//! where they matter. A line knows the place of the source that it came from.

use report::{ItemKind, TextRange};

use super::{
    BinOp, Block, Body, Expr, ExprId, Literal, LocalId, LocalKind, Lowered, Over, Range, Stmt, StmtId, Subscript,
    UnaryOp,
};
use crate::enums;
use crate::infer::{self, Inference};
use crate::ty::Ty;

/// A line of the stage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrintedLine {
    /// The text of the line, without a line break.
    pub text: String,
    /// The place in the item's dense text that it came from.
    pub source: Option<TextRange>,
}

/// Prints an item with its types. Nothing for the preamble and lines that are no item.
pub fn typed(kind: ItemKind, name: &str, lowered: &Lowered, inference: &Inference) -> Vec<PrintedLine> {
    let mut printer = Printer { body: &lowered.body, map: &lowered.map, inference, depth: 0, lines: Vec::new() };
    printer.item(kind, name);
    printer.lines
}

/// A local with its type: `samples: f32[n]`.
pub fn typed_local(body: &Body, inference: &Inference, local: LocalId) -> String {
    let ty = inference.locals.get(local).map_or("?".to_owned(), |ty| ty.display(&|atom| infer::atom_name(body, atom)));
    let promise = match body.locals[local].ty.as_ref().and_then(|ty| ty.promise) {
        Some(super::Promise::Uniform) => "uniform ",
        Some(super::Promise::Varying) => "varying ",
        None => "",
    };
    format!("{}: {promise}{ty}", body.locals[local].name)
}

struct Printer<'a> {
    body: &'a Body,
    map: &'a super::BodyMap,
    inference: &'a Inference,
    depth: usize,
    lines: Vec<PrintedLine>,
}

/// The precedence of an expression: a part that holds less tightly than its place asks for gets parentheses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Lambda,
    Cond,
    Or,
    And,
    Not,
    Compare,
    BitOr,
    BitXor,
    BitAnd,
    Shift,
    Sum,
    Product,
    Prefix,
    Power,
    Atom,
}

impl Printer<'_> {
    fn line(&mut self, text: String, source: Option<TextRange>) {
        self.lines.push(PrintedLine { text: format!("{}{text}", "    ".repeat(self.depth)), source });
    }

    fn item(&mut self, kind: ItemKind, name: &str) {
        let header = Some(self.map.header);
        match kind {
            ItemKind::Kernel | ItemKind::Fn => {
                self.attrs(&self.body.attrs);
                let keyword = if kind == ItemKind::Kernel { "kernel" } else { "fn" };
                let with_default = |(n, &param): (usize, &LocalId)| match self.body.defaults.get(n) {
                    Some(&Some(default)) => {
                        format!("{} = {}", self.typed_local(param), self.expr(default, Level::Lambda))
                    }
                    _ => self.typed_local(param),
                };
                let params: Vec<_> = self.body.params.iter().enumerate().map(with_default).collect();
                let result = match &self.inference.signature.result {
                    Some(result) => format!(" -> {}", self.ty(result)),
                    None => String::new(),
                };
                self.line(format!("{keyword} {name}({}){result}:", params.join(", ")), header);
                self.block(&self.body.block);
            }
            ItemKind::Struct => {
                self.line(format!("struct {name}:"), header);
                self.depth += 1;
                for (field, (_, ty)) in self.body.fields.iter().zip(self.inference.fields.iter()) {
                    let text = format!("{}: {}", field.name, self.ty(ty));
                    self.line(text, Some(field.at));
                }
                self.depth -= 1;
            }
            ItemKind::Enum => {
                let width =
                    self.body.value_type.as_ref().map_or(String::new(), |_| format!("({})", enums::width(self.body)));
                self.line(format!("enum {name}{width}:"), header);
                self.depth += 1;
                for variant in &self.body.variants {
                    let text = self.variant(variant);
                    self.line(text, Some(variant.at));
                }
                self.depth -= 1;
            }
            ItemKind::Const => {
                let result = self.inference.signature.result.as_ref().unwrap_or(&Ty::Error);
                let ty = self.ty(result);
                let value = self.body.value.map_or("?".to_owned(), |value| match self.inference.values.get(&value) {
                    Some(known) => infer::shown(*known),
                    None => self.expr(value, Level::Lambda),
                });
                self.line(format!("const {name}: {ty} = {value}"), header);
            }
            ItemKind::Preamble | ItemKind::Stray | ItemKind::Use => {}
        }
    }

    /// A variant with its data, or with its number.
    fn variant(&self, variant: &enums::Variant) -> String {
        if variant.data.is_empty() {
            return format!("{} = {}", variant.name, variant.number);
        }
        let ty = |data: &crate::Field| {
            let name = enums::field_name(&variant.name, &data.name);
            let found = self.inference.fields.iter().find(|(field, _)| *field == name);
            found.map_or("?".to_owned(), |(_, ty)| self.ty(ty))
        };
        let data: Vec<_> = variant.data.iter().map(|data| format!("{}: {}", data.name, ty(data))).collect();
        format!("{}({})", variant.name, data.join(", "))
    }

    fn ty(&self, ty: &crate::ty::Ty) -> String {
        ty.display(&|atom| infer::atom_name(self.body, atom))
    }

    fn typed_local(&self, local: LocalId) -> String {
        let typed = typed_local(self.body, self.inference, local);
        if self.body.locals[local].kind == LocalKind::Held { self.held(local) + &typed } else { typed }
    }

    fn attrs(&mut self, attrs: &[super::AttributeUse]) {
        for attr in attrs {
            let args: Vec<_> = attr.args.iter().map(|&arg| self.expr(arg, Level::Lambda)).collect();
            let args = if args.is_empty() { String::new() } else { format!("({})", args.join(", ")) };
            self.line(format!("@{}{args}", attr.id.get().name), Some(attr.at));
        }
    }

    fn block(&mut self, block: &Block) {
        self.depth += 1;
        if block.is_empty() {
            self.line("pass".to_owned(), None);
        }
        for &stmt in block {
            self.stmt(stmt);
        }
        self.depth -= 1;
    }

    /// The place of a statement without its block, as far as that is known: up to the end of its last own part.
    fn head(&self, stmt: StmtId, parts: &[ExprId]) -> Option<TextRange> {
        let whole = self.map.stmts[stmt];
        let end = parts.iter().map(|&part| self.map.exprs[part].end()).max().unwrap_or(whole.end());
        Some(TextRange::new(whole.start(), end.max(whole.start())))
    }

    fn stmt(&mut self, id: StmtId) {
        let body = self.body;
        let at = Some(self.map.stmts[id]);
        match &body.stmts[id] {
            Stmt::Broken(_, block) => {
                self.line("?  # not understood".to_owned(), at);
                if !block.is_empty() {
                    self.block(block);
                }
            }
            Stmt::Define(local, value) if body.locals[*local].kind == LocalKind::Held => {
                let text = format!("let {} = {}", self.held(*local), self.expr(*value, Level::Lambda));
                self.line(text, at);
            }
            Stmt::Define(local, value) if body.exprs[*value] == Expr::Zero => {
                let text = format!("let {}", self.typed_local(*local));
                self.line(text, at);
            }
            Stmt::Define(local, value) => {
                let text = format!("let {} = {}", self.typed_local(*local), self.expr(*value, Level::Lambda));
                self.line(text, at);
            }
            Stmt::Assign { target, op, value } => {
                let op = op.map_or("", BinOp::text);
                let text = format!("{} {op}= {}", self.expr(*target, Level::Atom), self.expr(*value, Level::Lambda));
                self.line(text, at);
            }
            Stmt::Expr(expr) => {
                let text = self.expr(*expr, Level::Lambda);
                self.line(text, at);
            }
            Stmt::For { index, over, body, coherent, attrs } => {
                self.attrs(attrs);
                let keyword = if *coherent { "cfor" } else { "for" };
                let (shown, last) = match over {
                    Over::Range(range) => (self.range(range), range.stop),
                    Over::Elements(array) => (self.expr(*array, Level::Lambda), *array),
                };
                self.line(format!("{keyword} {} in {shown}:", self.typed_local(*index)), self.head(id, &[last]));
                self.block(body);
            }
            Stmt::Foreach { indices, body, attrs } => {
                self.attrs(attrs);
                let parts: Vec<_> = indices
                    .iter()
                    .map(|(index, range)| format!("{} in {}", self.typed_local(*index), self.range(range)))
                    .collect();
                let stops: Vec<_> = indices.iter().map(|(_, range)| range.stop).collect();
                self.line(format!("foreach {}:", parts.join(", ")), self.head(id, &stops));
                self.block(body);
            }
            Stmt::While { condition, body, coherent, attrs } => {
                self.attrs(attrs);
                let keyword = if *coherent { "cwhile" } else { "while" };
                let text = format!("{keyword} {}:", self.expr(*condition, Level::Lambda));
                self.line(text, self.head(id, &[*condition]));
                self.block(body);
            }
            Stmt::If { .. } => self.if_(id, "if"),
            Stmt::Break => self.line("break".to_owned(), at),
            Stmt::Continue => self.line("continue".to_owned(), at),
            Stmt::Pass => self.line("pass".to_owned(), at),
            Stmt::Return(None) => self.line("return".to_owned(), at),
            Stmt::Return(Some(value)) => {
                let text = format!("return {}", self.expr(*value, Level::Lambda));
                self.line(text, at);
            }
            Stmt::Assert(condition) => {
                let text = format!("assert {}", self.expr(*condition, Level::Lambda));
                self.line(text, at);
            }
        }
    }

    fn if_(&mut self, id: StmtId, keyword: &str) {
        let body = self.body;
        let Stmt::If { condition, then_block, else_block, coherent } = &body.stmts[id] else { return };
        let keyword = if *coherent { "cif" } else { keyword };
        let text = format!("{keyword} {}:", self.expr(*condition, Level::Lambda));
        self.line(text, self.head(id, &[*condition]));
        self.block(then_block);
        match else_block[..] {
            [] => {}
            // An `elif` is an `if` alone in the block of an `else`.
            [only] if matches!(body.stmts[only], Stmt::If { coherent: false, .. }) => self.if_(only, "elif"),
            _ => {
                self.line("else:".to_owned(), None);
                self.block(else_block);
            }
        }
    }

    /// A name for a value that has none, by its number among those: `$1`.
    fn held(&self, local: LocalId) -> String {
        let held = self.body.locals.iter().filter(|(_, data)| data.kind == LocalKind::Held);
        let number = held.take_while(|(id, _)| *id != local).count() + 1;
        format!("${number}")
    }

    fn range(&self, range: &Range) -> String {
        let parts = [range.start, Some(range.stop), range.step];
        let parts: Vec<_> = parts.into_iter().flatten().map(|part| self.expr(part, Level::Lambda)).collect();
        format!("range({})", parts.join(", "))
    }

    fn list(&self, exprs: &[ExprId]) -> String {
        let named = |&expr: &ExprId| match self.body.arg_names.get(&expr) {
            Some(name) => format!("{name}={}", self.expr(expr, Level::Lambda)),
            None => self.expr(expr, Level::Lambda),
        };
        exprs.iter().map(named).collect::<Vec<_>>().join(", ")
    }

    fn expr(&self, id: ExprId, place: Level) -> String {
        let (text, level) = self.expr_and_level(id);
        if level < place { format!("({text})") } else { text }
    }

    fn expr_and_level(&self, id: ExprId) -> (String, Level) {
        let text = match &self.body.exprs[id] {
            Expr::Missing => "?".to_owned(),
            Expr::Zero => "0".to_owned(),
            Expr::Literal(literal) => self.literal(id, *literal),
            Expr::Local(local) if self.body.locals[*local].kind == LocalKind::Held => self.held(*local),
            Expr::Local(local) => self.body.locals[*local].name.to_string(),
            Expr::Item(_, name) => name.to_string(),
            Expr::Builtin(builtin) => builtin.get().name.to_owned(),
            Expr::Operator(op) => op.text().to_owned(),
            Expr::Unary(UnaryOp::Not, operand) => {
                return (format!("not {}", self.expr(*operand, Level::Not)), Level::Not);
            }
            Expr::Unary(op, operand) => {
                return (format!("{}{}", op.text(), self.expr(*operand, Level::Prefix)), Level::Prefix);
            }
            Expr::Binary(op, lhs, rhs) => {
                let level = level(*op);
                // Only `**` groups to the right, and a comparison's sides are no comparisons.
                let (left, right) = match level {
                    Level::Power => (Level::Atom, Level::Prefix),
                    Level::Compare => (Level::BitOr, Level::BitOr),
                    _ => (level, next(level)),
                };
                return (format!("{} {} {}", self.expr(*lhs, left), op.text(), self.expr(*rhs, right)), level);
            }
            Expr::Chain(first, others) => {
                let mut text = self.expr(*first, Level::BitOr);
                for (op, operand) in others {
                    text += &format!(" {} {}", op.text(), self.expr(*operand, Level::BitOr));
                }
                return (text, Level::Compare);
            }
            Expr::Cond { condition, then_value, else_value } => {
                let (then_value, condition) = (self.expr(*then_value, Level::Or), self.expr(*condition, Level::Or));
                return (
                    format!("{then_value} if {condition} else {}", self.expr(*else_value, Level::Cond)),
                    Level::Cond,
                );
            }
            Expr::Call(callee, args) => format!("{}({})", self.expr(*callee, Level::Atom), self.list(args)),
            Expr::Array(elements) => format!("[{}]", self.list(elements)),
            Expr::Cast(scalar, args) => format!("{scalar}({})", self.list(args)),
            Expr::Index(base, subscripts) => {
                let parts: Vec<_> = subscripts.iter().map(|subscript| self.subscript(subscript)).collect();
                format!("{}[{}]", self.expr(*base, Level::Atom), parts.join(", "))
            }
            Expr::Field(base, field) => format!("{}.{field}", self.expr(*base, Level::Atom)),
            Expr::Is(of, form) => {
                return (format!("{} is {}", self.expr(*of, Level::BitOr), form.name), Level::Compare);
            }
            Expr::Data { of, form, datum } => {
                let datum = match datum {
                    enums::Datum::Number(n) => n.to_string(),
                    enums::Datum::Named(name, _) => name.to_string(),
                };
                format!("{}.{form}.{datum}", self.expr(*of, Level::Atom))
            }
            Expr::Tuple(parts) => format!("({})", self.list(parts)),
            Expr::Part { tuple, number, .. } => format!("{}.{number}", self.expr(*tuple, Level::Atom)),
            Expr::Lambda(params, body) => {
                let params: Vec<_> = params.iter().map(|&param| self.typed_local(param)).collect();
                return (format!("\\{} -> {}", params.join(", "), self.expr(*body, Level::Lambda)), Level::Lambda);
            }
        };
        (text, Level::Atom)
    }

    /// A literal as its type has it: `1` that is an `f32` is `1.0`.
    fn literal(&self, id: ExprId, literal: Literal) -> String {
        let float = self.inference.exprs.get(id).and_then(|ty| ty.scalar()).is_some_and(|scalar| scalar.is_float());
        match literal {
            Literal::Bool(value) => value.to_string(),
            Literal::Int(value) if float => format!("{value}.0"),
            Literal::Int(value) => value.to_string(),
            Literal::Float(value) => format!("{value:?}"),
        }
    }

    fn subscript(&self, subscript: &Subscript) -> String {
        match subscript {
            Subscript::At(index) => self.expr(*index, Level::Lambda),
            Subscript::Slice { lo, hi, step } => {
                let part = |part: &Option<ExprId>| part.map(|part| self.expr(part, Level::Or)).unwrap_or_default();
                match step {
                    Some(_) => format!("{}:{}:{}", part(lo), part(hi), part(step)),
                    None => format!("{}:{}", part(lo), part(hi)),
                }
            }
        }
    }
}

fn level(op: BinOp) -> Level {
    match op {
        BinOp::Or => Level::Or,
        BinOp::And => Level::And,
        BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge | BinOp::Eq | BinOp::Ne => Level::Compare,
        BinOp::BitOr => Level::BitOr,
        BinOp::BitXor => Level::BitXor,
        BinOp::BitAnd => Level::BitAnd,
        BinOp::Shl | BinOp::Shr => Level::Shift,
        BinOp::Add | BinOp::Sub => Level::Sum,
        BinOp::Mul | BinOp::Div | BinOp::FloorDiv | BinOp::Rem => Level::Product,
        BinOp::Pow => Level::Power,
    }
}

/// The next tighter level of binary operators.
fn next(level: Level) -> Level {
    match level {
        Level::Or => Level::And,
        Level::And => Level::Not,
        Level::BitOr => Level::BitXor,
        Level::BitXor => Level::BitAnd,
        Level::BitAnd => Level::Shift,
        Level::Shift => Level::Sum,
        Level::Sum => Level::Product,
        _ => Level::Prefix,
    }
}
