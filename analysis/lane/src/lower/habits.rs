//! Lane for things that NumPy writes in another way, where the tree alone shows it: names of modules, masks as indices, new dimensions.
//!
//! Each has its finding, with a fix where the text around leaves no doubt, and is lowered as what was meant, or as an expression
//! that is missing, so that nothing else is said of it.

use ir::Elem;
use report::{TextRange, TextSize};
use syntax::ast::{self, AstNode};
use syntax::{SyntaxKind, SyntaxNode};

use super::Lower;
use crate::words;
use hir::Expr;
use hir::builtins::BuiltinId;
use hir::errors::{self, MODULES, Ours};
use hir::finding::{Edit, Finding};

/// The places of the arguments of a call, from behind its bracket to before the one that closes it.
fn inside(it: &ast::CallExpr) -> Option<TextRange> {
    let list = it.args()?.syntax().text_range();
    let closed = it.syntax().last_token().is_some_and(|token| token.kind() == SyntaxKind::R_PAREN);
    closed.then(|| TextRange::new(list.start() + BRACKET, list.end() - BRACKET))
}

/// Where the arguments of a call end, before the bracket that closes it.
pub(super) fn end_of_arguments(it: &ast::CallExpr) -> Option<TextSize> {
    inside(it).map(TextRange::end)
}

/// `np.zeros(n, dtype=np.float32)`, whose type is that of the value, and `np.zeros((h, w))`.
fn array_of_type(
    at: TextRange,
    (module, name): (&str, &str),
    inside: TextRange,
    args: &[ast::Expr],
) -> Option<Finding> {
    let (size, ty) = args.split_first()?;
    let Some(Ours::With("replicate", value)) = errors::of_module(name) else { return None };
    let is_integer = ty.iter().any(|arg| arg.syntax().text().to_string().contains("int"));
    let value = if is_integer { value.trim_end_matches(".0") } else { value };
    let behind = TextRange::new(size.syntax().text_range().end(), inside.end());
    let bare = match size {
        ast::Expr::ParenExpr(inner) => inner.expr()?,
        _ => size.clone(),
    };
    let (place, text) = match bare {
        ast::Expr::TupleExpr(sizes) => {
            let sizes: Vec<_> = sizes.elements().map(|size| text_of(size.syntax())).collect();
            let (first, inner) = sizes.split_first()?;
            let row = inner.iter().rev().fold(value.to_owned(), |row, size| format!("replicate({size}, {row})"));
            (inside, format!("{first}, {row}"))
        }
        _ if ty.is_empty() => return None,
        _ => (behind, format!(", {value}")),
    };
    Some(errors::array_of_module(at, module, place, text))
}

/// Adds the fix of a call that is written in another way here.
pub(super) fn call_of_others(found: Finding, name: &str, call: &ast::CallExpr) -> Finding {
    let args: Vec<_> = call.args().into_iter().flat_map(|args| args.args()).collect();
    let is_plain =
        |arg: &ast::Expr| !matches!(arg, ast::Expr::BinExpr(_) | ast::Expr::CondExpr(_) | ast::Expr::LambdaExpr(_));
    if let ("fmod" | "fmodf", [a, b]) = (name, &args[..])
        && is_plain(a)
        && is_plain(b)
    {
        let text = format!("{} % {}", text_of(a.syntax()), text_of(b.syntax()));
        let is_part = call.syntax().parent().is_some_and(|parent| ast::Expr::can_cast(parent.kind()));
        let text = if is_part { format!("({text})") } else { text };
        return found.with_fix("write `%`", Edit::Replace(call.syntax().text_range(), text));
    }
    statement_of_others(found, name, call)
}

/// Adds the fix of a call that is a statement in other languages, and none here.
fn statement_of_others(found: Finding, name: &str, call: &ast::CallExpr) -> Finding {
    let Some(stmt) = call.syntax().parent().filter(|parent| parent.kind() == SyntaxKind::EXPR_STMT) else {
        return found;
    };
    let args: Vec<_> = call.args().into_iter().flat_map(|args| args.args()).map(|arg| text_of(arg.syntax())).collect();
    match (name, &args[..]) {
        ("swap", [a, b]) => {
            let text = format!("{a}, {b} = {b}, {a}");
            found.with_fix(format!("write `{text}`"), Edit::Replace(call.syntax().text_range(), text))
        }
        ("print" | "printf" | "println", _) => {
            let is_alone = stmt.prev_sibling().is_none() && stmt.next_sibling().is_none();
            let (title, edit) = match is_alone {
                // A block is never empty.
                true => ("write `pass`", Edit::Replace(call.syntax().text_range(), "pass".to_owned())),
                false => ("remove the line", Edit::RemoveLine(stmt.text_range())),
            };
            found.with_fix(title, edit)
        }
        _ => found,
    }
}

/// The call by which ISPC joins what the lanes of a variable hold, where a variable has one value: its place, and the variable.
pub(super) fn joined_already(call: &ast::CallExpr, name: &str) -> Option<(TextRange, String)> {
    let mut args = call.args()?.args();
    let (Some(ast::Expr::NameRef(variable)), None) = (args.next(), args.next()) else { return None };
    name.starts_with("reduce_").then_some((call.syntax().text_range(), variable.text()?.to_string()))
}

impl Lower<'_> {
    /// `a.astype(np.float32)`, as the cast that it is meant for.
    pub(super) fn cast_of_numpy(&mut self, it: &ast::CallExpr) -> Option<Expr> {
        let Some(ast::Expr::FieldExpr(callee)) = it.callee() else { return None };
        let field = callee.field()?;
        if self.scopes.is_lenient() || field.text()? != "astype" {
            return None;
        }
        let mut args = it.args()?.args();
        let (ty, None) = (args.next()?, args.next()) else { return None };
        let name = match &ty {
            ast::Expr::NameRef(name) => name.text()?.to_string(),
            ast::Expr::FieldExpr(_) => self.of_module(&ty)?.1,
            _ => return None,
        };
        let elem = Elem::from_name(errors::scalar_of_others(&name).unwrap_or(&name))?;
        let base = callee.base()?;
        let (place, whole) = (base.syntax().text_range(), it.syntax().text_range());
        self.find(errors::cast_by_method(field.syntax().text_range(), place, whole, elem));
        let base = self.expr(&base);
        Some(Expr::Cast(elem, vec![base]))
    }

    /// The module and the name of `np.name`, if nothing here is called like the module.
    fn of_module(&self, expr: &ast::Expr) -> Option<(String, String)> {
        let ast::Expr::FieldExpr(field) = expr else { return None };
        let Some(ast::Expr::NameRef(base)) = field.base() else { return None };
        let (module, name) = (base.text()?.to_string(), field.field()?.text()?.to_string());
        let known = self.scopes.is_lenient() || self.resolve(&module).is_some();
        (MODULES.contains(&&*module) && !known).then_some((module, name))
    }

    /// `np.name(…)`, as the call that it is meant for.
    pub(super) fn call_of_module(&mut self, it: &ast::CallExpr) -> Option<Expr> {
        let callee = it.callee()?;
        let (module, name) = self.of_module(&callee)?;
        let at = callee.syntax().text_range();
        let args: Vec<_> = it.args().into_iter().flat_map(|args| args.args()).collect();
        let inside = inside(it);
        if let Some(found) = inside.and_then(|inside| array_of_type(at, (&module, &name), inside, &args)) {
            self.find(found);
            args.iter().take(1).for_each(|size| _ = self.expr(size));
            return Some(Expr::Missing);
        }
        self.find(errors::name_of_module(at, &module, &name, inside));
        self.names_nothing(&args);
        let has_axis = args.iter().any(super::exprs::is_axis);
        let args: Vec<_> = args.iter().map(|arg| self.expr(arg)).collect();
        let ours = match errors::of_module(&name) {
            _ if has_axis => return Some(Expr::Missing),
            Some(Ours::Function(ours)) => ours,
            Some(Ours::Argument) if args.len() == 1 => return Some(self.body.exprs[args[0]].clone()),
            _ => return Some(Expr::Missing),
        };
        if let Some(scalar) = Elem::from_name(ours) {
            return Some(Expr::Cast(scalar, args));
        }
        let callee = self.alloc(BuiltinId::from_name(ours).map_or(Expr::Missing, Expr::Builtin), at);
        Some(Expr::Call(callee, args))
    }

    /// `np.name` that is not called: a number, or a function as a value.
    pub(super) fn value_of_module(&mut self, it: &ast::Expr) -> Option<Expr> {
        let (module, name) = self.of_module(it)?;
        self.find(errors::name_of_module(it.syntax().text_range(), &module, &name, None));
        match errors::of_module(&name) {
            Some(Ours::Function(ours)) => BuiltinId::from_name(ours).map(Expr::Builtin),
            Some(Ours::Value(number)) => number.parse().ok().map(|number| Expr::Literal(hir::Literal::Float(number))),
            _ => None,
        }
        .or(Some(Expr::Missing))
    }

    /// An index by which NumPy chooses elements, or adds a dimension.
    pub(super) fn index_of_numpy(&mut self, it: &ast::IndexExpr) -> Option<Expr> {
        let subscripts: Vec<_> = it.indices().into_iter().flat_map(|list| list.subscripts()).collect();
        if self.scopes.is_lenient() {
            return None;
        }
        if subscripts.iter().any(|subscript| self.adds_dimension(subscript)) {
            self.new_dimension(it);
            self.expr_or_missing(it.base(), it.syntax());
            return Some(Expr::Missing);
        }
        let [ast::Subscript::BinExpr(mask)] = &subscripts[..] else { return None };
        let op = mask.op().and_then(|op| super::exprs::binary_operator(op.kind()))?;
        let joins = |side: Option<ast::Expr>| matches!(side, Some(ast::Expr::ParenExpr(_)));
        let chooses = op.compares() || op.is_logical() || joins(mask.lhs()) && joins(mask.rhs()) && is_of_bools(op);
        if !chooses {
            return None;
        }
        let meant = self.chosen(it, mask);
        self.find(errors::mask_as_index(mask.syntax().text_range(), "a comparison", meant));
        self.expr_or_missing(it.base(), it.syntax());
        self.expr(&ast::Expr::BinExpr(mask.clone()));
        Some(Expr::Missing)
    }

    /// The edits that make `a[c] = x` a `select`, and `a[a > 0]` a `filter`.
    fn chosen(&self, it: &ast::IndexExpr, mask: &ast::BinExpr) -> Option<(&'static str, Vec<Edit>)> {
        let Some(ast::Expr::NameRef(base)) = it.base() else { return None };
        let name = base.text()?.to_string();
        let (at, text) = (mask.syntax().text_range(), text_of(mask.syntax()));
        let store = it.syntax().parent().and_then(ast::AssignStmt::cast);
        let is_target = |store: &ast::AssignStmt| store.target().is_some_and(|target| target.syntax() == it.syntax());
        if let Some(store) = store.filter(is_target) {
            let value = store.value()?.syntax().text_range();
            let plain = store.op().is_some_and(|op| op.kind() == SyntaxKind::EQ);
            let edits = vec![
                Edit::Replace(at, ":".to_owned()),
                Edit::Surround(value, format!("select({text}, "), format!(", {name})")),
            ];
            return plain.then_some(("write a `select`", edits));
        }
        // Other names in the mask may be arrays themselves, whose elements a function would not get.
        let names = || mask.syntax().descendants().filter_map(ast::NameRef::cast).filter_map(|name| name.text());
        if !names().all(|used| *used == *name) {
            return None;
        }
        let element = self.free_name(&["x", "v", "e"])?;
        let condition = renamed(&text, &name, element);
        Some((
            "write a `filter`",
            vec![Edit::Replace(it.syntax().text_range(), format!("filter(\\{element} -> {condition}, {name})"))],
        ))
    }

    /// A name that nothing here has.
    fn free_name(&self, names: &[&'static str]) -> Option<&'static str> {
        names.iter().copied().find(|name| {
            let taken = self.body.locals.iter().any(|(_, local)| *local.name == **name);
            !taken && self.item_kind(name).is_none()
        })
    }

    /// `None` or `np.newaxis` as a subscript.
    fn adds_dimension(&self, subscript: &ast::Subscript) -> bool {
        let Some(expr) = ast::Expr::cast(subscript.syntax().clone()) else { return false };
        match &expr {
            ast::Expr::NameRef(name) => name.text().is_some_and(|name| name == "None" && self.resolve(&name).is_none()),
            _ => self.of_module(&expr).is_some_and(|(_, name)| name == "newaxis"),
        }
    }

    fn has_new_dimension(&self, it: &ast::IndexExpr) -> bool {
        let list = it.indices();
        list.into_iter().flat_map(|list| list.subscripts()).any(|subscript| self.adds_dimension(&subscript))
    }

    /// Finds `c[:, None]`, with the operation around it as a `map`; of two in one operation the first.
    fn new_dimension(&mut self, it: &ast::IndexExpr) {
        let at = it.syntax().text_range();
        let Some(around) = it.syntax().parent().and_then(ast::BinExpr::cast) else {
            let fix = self.updated_by(it);
            self.find(errors::new_dimension(at, fix));
            return;
        };
        let sides = || [around.lhs(), around.rhs()].map(|side| side.map(|side| side.syntax().clone()));
        let is_left = sides()[0].as_ref() == Some(it.syntax());
        let other = sides()[usize::from(is_left)].clone();
        let pair = other.clone().and_then(ast::IndexExpr::cast).filter(|other| self.has_new_dimension(other));
        if pair.is_some() && !is_left {
            return;
        }
        let text = (|| {
            let (own, op) = (text_of(it.base()?.syntax()), around.op()?.text().to_owned());
            let first_is_new = self.adds_dimension(&it.indices()?.subscripts().next()?);
            if let Some(pair) = &pair {
                let other = text_of(pair.base()?.syntax());
                let (rows, columns) = if first_is_new { (&other, &own) } else { (&own, &other) };
                let value = if first_is_new { format!("y {op} x") } else { format!("x {op} y") };
                return Some(match &*op {
                    "*" => format!("outer({rows}, {columns})"),
                    _ => format!("map(\\x -> map(\\y -> {value}, {columns}), {rows})"),
                });
            }
            let other = text_of(&other?);
            let (element, params) = if first_is_new { (&*own, "row") } else { ("x", "row x") };
            let value = if is_left { format!("{element} {op} row") } else { format!("row {op} {element}") };
            let arrays = if first_is_new { other } else { format!("{other}, {own}") };
            Some(format!("map(\\{params} -> {value}, {arrays})"))
        })();
        self.find(errors::new_dimension(at, text.map(|text| (around.syntax().text_range(), text))));
    }
}

impl Lower<'_> {
    /// `m[:] *= c[:, None]` as the assignment of a `map`, with its range.
    fn updated_by(&self, it: &ast::IndexExpr) -> Option<(TextRange, String)> {
        let update = it.syntax().parent().and_then(ast::AssignStmt::cast)?;
        let target = update.target()?;
        let matrix = match &target {
            ast::Expr::IndexExpr(all) => all.base()?,
            _ => target.clone(),
        };
        let ast::Expr::NameRef(name) = matrix else { return None };
        let (name, own) = (name.text()?.to_string(), text_of(it.base()?.syntax()));
        let op = update.op()?.text().strip_suffix('=').filter(|op| !op.is_empty())?.to_owned();
        let map = match self.adds_dimension(&it.indices()?.subscripts().next()?) {
            true => format!("map(\\row -> row {op} {own}, {name})"),
            false => format!("map(\\row x -> row {op} x, {name}, {own})"),
        };
        let at = target.syntax().text_range().cover(it.syntax().text_range());
        Some((at, format!("{name}[:] = {map}")))
    }
}

const BRACKET: report::TextSize = report::TextSize::new(1);

fn is_of_bools(op: hir::BinOp) -> bool {
    matches!(op, hir::BinOp::BitAnd | hir::BinOp::BitOr | hir::BinOp::BitXor)
}

/// The text of a node, with spaces where a person writes them.
fn text_of(node: &SyntaxNode) -> String {
    words::written_in(node, node.text_range())
}

/// A text in which each word that is `name` is another one.
fn renamed(text: &str, name: &str, other: &str) -> String {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let (mut out, mut rest) = (String::new(), text);
    while let Some(start) = rest.find(is_part) {
        let end = rest[start..].find(|c| !is_part(c)).map_or(rest.len(), |len| start + len);
        let word = &rest[start..end];
        out.push_str(&rest[..start]);
        out.push_str(if word == name { other } else { word });
        rest = &rest[end..];
    }
    out + rest
}
