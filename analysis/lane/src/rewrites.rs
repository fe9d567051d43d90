//! Rewrites of Lane text that make cheaper what lanes pay for: the fixes of notes.
//!
//! A rewrite keeps what the kernel computes, at least where the condition in its title holds; a kernel whose arrays it lays
//! out in another way has to be called in another way. Whether it lifts the note is not known here: it is tried on a copy
//! before anyone sees it.

use std::cell::OnceCell;
use std::sync::Arc;

use ir::Elem;
use report::{ItemKind, TextRange};
use rustc_hash::{FxHashMap, FxHashSet};
use syntax::ast::{self, AstNode};
use syntax::{GreenNode, SyntaxKind, SyntaxNode};

use super::words::written_in;
use hir::fields::Fields;
use hir::finding::{Edit, Intent};
use hir::infer::Inference;
use hir::ty::Ty;
use hir::{Expr, ExprId, LocalId, LocalKind, Lowered, Name, TypeRef};

/// An array that is used in more places than this is not given another layout by an edit.
const MOST_USES: usize = 64;

/// An item that may be rewritten. Nothing is asked for before there is a note, so that an edit runs the notes of no item that
/// has none.
pub trait Rewritten {
    /// Returns the kind of the item.
    fn kind(&self) -> ItemKind;
    /// Returns the dense tree of the item.
    fn dense(&self) -> &GreenNode;
    /// Returns the HIR of the item.
    fn lowered(&self) -> &Lowered;
    /// Returns the types of the item's expressions and locals.
    fn types(&self) -> &Inference;
    /// The fields of a struct of its file.
    fn fields_of(&self, name: &Name) -> Option<Arc<Fields>>;
}

/// The rewrites of one item.
pub struct Rewrites<I> {
    item: I,
    root: OnceCell<SyntaxNode>,
    /// The expressions at its places.
    ids: OnceCell<FxHashMap<TextRange, ExprId>>,
    /// The places where its locals are used.
    uses: OnceCell<FxHashMap<LocalId, Vec<TextRange>>>,
    /// The names of its locals.
    names: OnceCell<FxHashSet<Name>>,
}

impl<I: Rewritten> Rewrites<I> {
    /// The rewrites of an item.
    pub fn new(item: I) -> Rewrites<I> {
        Rewrites { item, root: OnceCell::new(), ids: OnceCell::new(), uses: OnceCell::new(), names: OnceCell::new() }
    }

    fn root(&self) -> &SyntaxNode {
        self.root.get_or_init(|| SyntaxNode::new_root(self.item.dense().clone()))
    }

    fn lowered(&self) -> &Lowered {
        self.item.lowered()
    }

    /// Returns the ways out for an access without a pattern. The `chain` has the places that its subscript was computed
    /// at, the nearest first.
    pub fn of_subscripts(&self, at: TextRange, chain: &[TextRange]) -> Vec<Intent> {
        let ways = [self.one_subscript_each(at), self.rounding_down(chain), self.without_wrapping(chain)];
        ways.into_iter().flatten().collect()
    }

    /// Returns the ways out for a strided access.
    pub fn of_stride(&self, at: TextRange) -> Vec<Intent> {
        [self.other_way_around(at), self.array_for_each_field(at)].into_iter().flatten().collect()
    }

    /// Returns the way out for a division of integers.
    pub fn of_division(&self, at: TextRange) -> Option<Intent> {
        let division: ast::BinExpr = self.node(at)?;
        let (lhs, op, rhs) = (division.lhs()?, division.op()?, division.rhs()?);
        let scalar = self.scalar(division.syntax())?;
        // A quotient of wider numbers may need more digits than `f64` has.
        let to = scalar.name();
        if !scalar.is_integer() || scalar.bits() > 32 {
            return None;
        }
        let in_f64 = |operand: &ast::Expr| cast(operand.syntax(), "f64");
        let title = "divide as `f64`, which is exact for 32 bits, if no divisor is 0";
        let edits = match op.kind() {
            SyntaxKind::SLASH => vec![cast(division.syntax(), to), in_f64(&lhs), in_f64(&rhs)],
            SyntaxKind::SLASH2 => vec![
                Edit::Surround(at, format!("{to}(floor("), "))".to_owned()),
                in_f64(&lhs),
                in_f64(&rhs),
                Edit::Replace(op.text_range(), "/".to_owned()),
            ],
            // The rest needs both operands twice.
            SyntaxKind::PERCENT if is_cheap(&lhs) && is_cheap(&rhs) => {
                let [dividend, divisor] = [&lhs, &rhs].map(|operand| self.text(operand.syntax().text_range()));
                let product = format!(" * {to}(f64({dividend}) / f64({divisor}))");
                let own = Edit::Surround(rhs.syntax().text_range(), String::new(), product);
                let whole = is_operand(division.syntax()).then(|| in_parentheses(at));
                let minus = Edit::Replace(op.text_range(), "-".to_owned());
                [own, minus].into_iter().chain(whole).collect()
            }
            _ => return None,
        };
        Some(Intent { title: title.to_owned(), edits })
    }

    /// Returns the way out for a conversion between floats and integers of 64 bits.
    pub fn of_conversion(&self, at: TextRange) -> Option<Intent> {
        let conversion: ast::CallExpr = self.node(at)?;
        let operand = conversion.args()?.args().next()?;
        let wide = [conversion.syntax(), operand.syntax()].map(|node| self.scalar(node));
        let narrow = match wide.into_iter().flatten().find(|scalar| scalar.is_integer())? {
            Elem::U64 => "u32",
            _ => "i32",
        };
        Some(Intent {
            title: format!("go through `{narrow}`, if it fits there"),
            edits: vec![cast(operand.syntax(), narrow)],
        })
    }

    /// Returns the way out for a choice between two values about which lanes disagree: `select(c, x, y)` for `x if c else y`.
    pub fn of_choice(&self, at: TextRange) -> Option<Intent> {
        let choice: ast::CondExpr = self.node(at)?;
        let [x, c, y] = [choice.then_value()?, choice.condition()?, choice.else_value()?]
            .map(|part| self.text(part.syntax().text_range()));
        let title = "write `select`, if both values can be computed in all lanes".to_owned();
        Some(Intent { title, edits: vec![Edit::Replace(at, format!("select({c}, {x}, {y})"))] })
    }

    /// `a[i if c else j]` as `a[i] if c else a[j]`.
    fn one_subscript_each(&self, at: TextRange) -> Option<Intent> {
        let access: ast::IndexExpr = self.node(at)?;
        let list = access.indices()?;
        let mut subscripts = list.subscripts();
        let (Some(ast::Subscript::CondExpr(choice)), None) = (subscripts.next(), subscripts.next()) else {
            return None;
        };
        let array = self.text(access.base()?.syntax().text_range());
        let [one, condition, other] = [choice.then_value()?, choice.condition()?, choice.else_value()?]
            .map(|part| self.text(part.syntax().text_range()));
        let choice = format!("({array}[{one}] if {condition} else {array}[{other}])");
        let title = "choose between the elements, in place of the subscripts".to_owned();
        Some(Intent { title, edits: vec![Edit::Replace(at, choice)] })
    }

    /// `//` for `/`, and `&` for `%`, by a constant: what truncates has a kink at 0.
    fn rounding_down(&self, chain: &[TextRange]) -> Option<Intent> {
        chain.iter().find_map(|&at| {
            let division: ast::BinExpr = self.node(at)?;
            let (op, divisor) = (division.op()?, division.rhs()?);
            let ast::Expr::Literal(literal) = &divisor else { return None };
            let divisor: u64 = literal.token()?.text().replace('_', "").parse().ok()?;
            let (new, edits) = match op.kind() {
                SyntaxKind::SLASH => ("//".to_owned(), vec![Edit::Replace(op.text_range(), "//".to_owned())]),
                SyntaxKind::PERCENT if divisor.is_power_of_two() => {
                    let new = format!("& {}", divisor - 1);
                    let by = TextRange::new(op.text_range().start(), at.end());
                    let whole = is_operand(division.syntax()).then(|| in_parentheses(at));
                    let dividend = division.lhs()?;
                    // `&` binds less than what may stand before `%`.
                    let own = matches!(dividend, ast::Expr::BinExpr(_))
                        .then(|| in_parentheses(dividend.syntax().text_range()));
                    (new.clone(), [Edit::Replace(by, new)].into_iter().chain(whole).chain(own).collect())
                }
                _ => return None,
            };
            Some(Intent { title: format!("write `{new}`, which is the same where nothing is negative"), edits })
        })
    }

    /// Unsigned arithmetic as that of `i64`, which does not wrap around here.
    fn without_wrapping(&self, chain: &[TextRange]) -> Option<Intent> {
        chain.iter().find_map(|&at| {
            let sum: ast::BinExpr = self.node(at)?;
            let is_unsigned = |scalar: Elem| scalar.integer_range().is_some_and(|(least, _)| least == 0);
            let is_narrow = self.scalar(sum.syntax()).is_some_and(|scalar| is_unsigned(scalar) && scalar.bits() <= 32);
            let mut edits = Vec::new();
            (is_narrow && widened(&ast::Expr::BinExpr(sum), &mut edits) && !edits.is_empty())
                .then(|| Intent { title: "count in `i64`, which does not wrap around".to_owned(), edits })
        })
    }

    /// The matrix with its dimensions exchanged.
    fn other_way_around(&self, at: TextRange) -> Option<Intent> {
        let (param, ty, uses) = self.param_of(at)?;
        let [rows, columns] = ty.sizes[..] else { return None };
        let place = |size: ExprId| self.lowered().map.exprs.get(size).copied();
        let mut exchanged = vec![(place(rows)?, place(columns)?)];
        for name in uses {
            let access = self.access_of(*name)?;
            let list = access.indices()?;
            let mut subscripts = list.subscripts().map(|subscript| match subscript {
                ast::Subscript::Slice(_) => None,
                index => Some(index.syntax().text_range()),
            });
            exchanged.push((subscripts.next()??, subscripts.next()??));
        }
        let mut edits = Vec::new();
        for (one, other) in exchanged {
            edits.extend([Edit::Replace(one, self.text(other)), Edit::Replace(other, self.text(one))]);
        }
        let title = format!("exchange the subscripts of `{param}`, if callers pass it the other way around");
        disjoint(Intent { title, edits })
    }

    /// An array for each field that is used of an array of structs.
    fn array_for_each_field(&self, at: TextRange) -> Option<Intent> {
        let (param, ty, uses) = self.param_of(at)?;
        let fields = self.item.fields_of(ty.name.as_ref()?)?;
        let mut edits = Vec::new();
        let mut used = Vec::new();
        for name in uses {
            let access = self.access_of(*name)?;
            let field = access.syntax().parent().and_then(ast::FieldExpr::cast)?;
            let own = field.field()?.text()?;
            let behind = TextRange::new(access.syntax().text_range().end(), field.syntax().text_range().end());
            edits.push(Edit::Replace(*name, format!("{param}_{own}")));
            edits.push(Edit::Replace(behind, String::new()));
            used.push(own);
        }
        let of_used = fields.iter().filter(|(field, _)| used.iter().any(|own| **own == **field));
        let sizes = TextRange::new(ty.name_at.end(), ty.at.end());
        let names =
            self.names.get_or_init(|| self.lowered().body.locals.iter().map(|(_, local)| local.name.clone()).collect());
        let params = of_used.map(|(field, ty)| {
            let name = format!("{param}_{field}");
            let is_free = !names.contains(name.as_str());
            let Ty::Scalar(scalar) = ty else { return None };
            is_free.then(|| format!("{name}: {}{}", scalar.name(), self.text(sizes)))
        });
        let params: Option<Vec<_>> = params.collect();
        let defined = self.root().covering_element(ty.at).ancestors().find_map(ast::Param::cast)?;
        edits.push(Edit::Replace(defined.syntax().text_range(), params?.join(", ")));
        let title = format!("give each field of `{param}` that is used an array of its own, if callers pass them so");
        disjoint(Intent { title, edits })
    }

    /// The kernel's array that an access is one of, its type as written, and all places where it is used.
    fn param_of(&self, at: TextRange) -> Option<(&str, &TypeRef, &[TextRange])> {
        let node: ast::Expr = self.node(at)?;
        let access = match node {
            ast::Expr::FieldExpr(field) => field.base()?,
            other => other,
        };
        let ast::Expr::IndexExpr(access) = access else { return None };
        let ast::Expr::NameRef(name) = access.base()? else { return None };
        let body = &self.lowered().body;
        let Expr::Local(local) = body.exprs[self.id(name.syntax().text_range())?] else { return None };
        let data = &body.locals[local];
        let is_own = self.item.kind() == ItemKind::Kernel && data.kind == LocalKind::Param;
        let uses = self.uses.get_or_init(|| {
            let mut uses: FxHashMap<LocalId, Vec<TextRange>> = FxHashMap::default();
            for &(at, local) in &self.lowered().map.uses {
                uses.entry(local).or_default().push(at);
            }
            uses
        });
        let uses = uses.get(&local).filter(|uses| is_own && uses.len() <= MOST_USES)?;
        Some((&data.name, data.ty.as_ref()?, uses))
    }

    /// The access that a name is the array of.
    fn access_of(&self, name: TextRange) -> Option<ast::IndexExpr> {
        let name: ast::NameRef = self.node(name)?;
        name.syntax().parent().and_then(ast::IndexExpr::cast)
    }

    /// The node of a place.
    fn node<N: AstNode<Language = syntax::Lane>>(&self, at: TextRange) -> Option<N> {
        let around = self.root().covering_element(at);
        let mut same = around.ancestors().take_while(|node| node.text_range() == at);
        same.find_map(N::cast)
    }

    fn id(&self, at: TextRange) -> Option<ExprId> {
        let ids = || self.lowered().map.exprs.iter().map(|(id, at)| (*at, id)).collect();
        self.ids.get_or_init(ids).get(&at).copied()
    }

    fn scalar(&self, node: &SyntaxNode) -> Option<Elem> {
        let inside = match ast::ParenExpr::cast(node.clone()) {
            Some(it) => return self.scalar(it.expr()?.syntax()),
            None => node.text_range(),
        };
        self.item.types().exprs.get(self.id(inside)?)?.scalar()
    }

    fn text(&self, at: TextRange) -> String {
        written_in(self.root(), at)
    }
}

/// Puts a conversion around an operand, whose parentheses become those of the call if it has some.
fn cast(operand: &SyntaxNode, to: &str) -> Edit {
    match operand.kind() {
        SyntaxKind::PAREN_EXPR => Edit::Surround(operand.text_range(), to.to_owned(), String::new()),
        _ => Edit::Surround(operand.text_range(), format!("{to}("), ")".to_owned()),
    }
}

fn in_parentheses(at: TextRange) -> Edit {
    Edit::Surround(at, "(".to_owned(), ")".to_owned())
}

/// The expression stands where an operator takes it in.
fn is_operand(node: &SyntaxNode) -> bool {
    let kind = node.parent().map(|parent| parent.kind());
    matches!(
        kind,
        Some(SyntaxKind::BIN_EXPR | SyntaxKind::PREFIX_EXPR | SyntaxKind::COND_EXPR | SyntaxKind::LAMBDA_EXPR)
    )
}

/// The expression may as well be computed twice.
fn is_cheap(expr: &ast::Expr) -> bool {
    match expr {
        ast::Expr::Literal(_) | ast::Expr::NameRef(_) => true,
        ast::Expr::FieldExpr(it) => it.base().is_some_and(|base| is_cheap(&base)),
        ast::Expr::IndexExpr(it) => !it.syntax().descendants().any(|part| part.kind() == SyntaxKind::CALL_EXPR),
        _ => false,
    }
}

/// Puts conversions to `i64` around what sums and products are made of, if it is made of nothing else.
fn widened(expr: &ast::Expr, edits: &mut Vec<Edit>) -> bool {
    match expr {
        ast::Expr::Literal(_) => true,
        ast::Expr::ParenExpr(it) => it.expr().is_some_and(|inner| widened(&inner, edits)),
        ast::Expr::BinExpr(it) => {
            let op = it.op().map(|op| op.kind());
            let is_sum = matches!(op, Some(SyntaxKind::PLUS | SyntaxKind::MINUS | SyntaxKind::STAR));
            is_sum && [it.lhs(), it.rhs()].into_iter().all(|side| side.is_some_and(|side| widened(&side, edits)))
        }
        ast::Expr::NameRef(_) | ast::Expr::IndexExpr(_) | ast::Expr::FieldExpr(_) | ast::Expr::CallExpr(_) => {
            edits.push(cast(expr.syntax(), "i64"));
            true
        }
        _ => false,
    }
}

/// Returns a change whose parts are disjoint, and none otherwise: accesses in the subscripts of others are not rewritten together.
fn disjoint(intent: Intent) -> Option<Intent> {
    let mut places: Vec<TextRange> = intent.edits.iter().filter_map(Edit::replaced).collect();
    places.sort_by_key(|place| (place.start(), place.end()));
    let is_disjoint = places.windows(2).all(|two| two[0].end() <= two[1].start());
    is_disjoint.then_some(intent)
}
