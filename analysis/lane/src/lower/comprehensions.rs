//! Comprehensions: `[e for x in a]`, and `sum(e for x in a if c)`.
//!
//! One is a `map` of a function whose parameters are the names: `map(\x -> e, a)`. A condition chooses with `filter`, and where a value
//! changes nothing by itself the call joins that one instead: `sum(map(\x -> e if c else 0, a))`. Of several `for`s the first is the
//! outermost, and what the others make are the rows of a matrix, one behind the other: `flatten(map(\x -> map(\y -> e, b), a))`. What joins
//! all values does so without an array of them.

use ir::Elem;
use report::TextRange;
use syntax::ast::{self, AstNode};

use super::Lower;
use super::domains::{Pattern, Shape};
use hir::builtins::{BuiltinId, Joins};
use hir::errors;
use hir::{BinOp, Expr, ExprId, Literal, LocalId, LocalKind, Name};

/// The only argument of a call, or element of an array, as a comprehension.
pub(super) fn only(values: &[ast::Expr]) -> Option<&ast::Comprehension> {
    match values {
        [ast::Expr::Comprehension(only)] => Some(only),
        _ => None,
    }
}

impl Lower<'_> {
    /// A call whose only argument is a comprehension.
    pub(super) fn call_of_comprehension(&mut self, call: &ast::CallExpr, it: &ast::Comprehension) -> Option<Expr> {
        let callee = call.callee()?;
        let at = callee.syntax().text_range();
        let name = match &callee {
            ast::Expr::NameRef(name) => name.text().unwrap_or_default(),
            _ => String::new(),
        };
        if let Some(elem) = Elem::from_name(&name).filter(|_| self.scopes.lookup(&name).is_none()) {
            let array = self.comprehension(it, None);
            return Some(Expr::Cast(elem, vec![array]));
        }
        let Some(Expr::Builtin(builtin)) = self.resolve(&name) else {
            let callee = self.expr(&callee);
            let array = self.comprehension(it, None);
            return Some(Expr::Call(callee, vec![array]));
        };
        let neutral = builtin.get().neutral();
        let of_array = builtin.get().of_elements().unwrap_or(builtin);
        let clauses: Vec<_> = it.clauses().collect();
        if let (true, Some(neutral), Some(joins)) = (clauses.len() > 1, neutral, builtin.get().joins()) {
            return Some(self.joined(it, &clauses, (builtin, joins), neutral));
        }
        let callee = self.alloc(Expr::Builtin(of_array), at);
        let array = self.clauses(it, &clauses, (None, neutral), Rows::Flat);
        Some(Expr::Call(callee, vec![array]))
    }

    /// A call that joins the values of several `for`s without making an array of them all. A sum goes on from row to row, so that its terms
    /// keep their order; the others join what they are of each row.
    fn joined(
        &mut self,
        it: &ast::Comprehension,
        clauses: &[ast::ForClause],
        (of, joins): (BuiltinId, Joins),
        neutral: Literal,
    ) -> Expr {
        let at = it.syntax().text_range();
        let made = match joins {
            Joins::Operator(op) => {
                let start = self.alloc(Expr::Literal(neutral), at);
                self.clauses(it, clauses, (None, Some(neutral)), Rows::Joined(op, start))
            }
            Joins::By(name) => {
                let rows = self.clauses(it, clauses, (None, Some(neutral)), Rows::Each(of.get().name, name));
                self.call_of(name, vec![rows], at)
            }
        };
        self.body.exprs[made].clone()
    }

    /// The array of a comprehension in brackets.
    pub(super) fn array_of_comprehension(&mut self, it: &ast::Comprehension) -> Expr {
        let array = self.comprehension(it, None);
        self.body.exprs[array].clone()
    }

    /// A comprehension where it does not stand alone.
    pub(super) fn stray_comprehension(&mut self, it: &ast::Comprehension) -> Expr {
        self.find(errors::comprehension_not_alone(it.syntax().text_range()));
        self.comprehension(it, None);
        Expr::Missing
    }

    /// The array of a comprehension. What its condition leaves out is there as what changes nothing, if something does that.
    pub(super) fn comprehension(&mut self, it: &ast::Comprehension, neutral: Option<Literal>) -> ExprId {
        let clauses: Vec<_> = it.clauses().collect();
        self.clauses(it, &clauses, (None, neutral), Rows::Flat)
    }

    /// The values of a comprehension's `for`s, of which the first is the outermost. `chosen` is the condition of those around, where it is not
    /// their own filter that leaves elements out.
    fn clauses(
        &mut self,
        it: &ast::Comprehension,
        clauses: &[ast::ForClause],
        (chosen, neutral): (Option<ExprId>, Option<Literal>),
        rows: Rows,
    ) -> ExprId {
        let at = it.syntax().text_range();
        let clause = clauses.split_first().and_then(|(clause, inner)| Some((clause, inner, clause.index()?)));
        let Some((clause, inner, index)) = clause else { return self.alloc(Expr::Missing, at) };
        let Some(over) = index.over() else {
            self.body.in_doubt = true;
            return self.alloc(Expr::Missing, at);
        };
        let pattern = Pattern::of(&index);
        let source = self.source(&over);
        let mut arrays = Vec::new();
        let shape = self.columns(source, &mut arrays);
        let (mut values, around) = self.named_once(&shape, &mut arrays);
        let numbers = numbers_in(&shape);
        if let (true, Some(&first)) = (numbers, values.first()) {
            let first = self.alloc(self.body.exprs[first].clone(), at);
            let length = self.length_of(vec![first], TextRange::empty(over.syntax().text_range().end()));
            let numbers = self.call_of("iota", vec![length], TextRange::empty(over.syntax().text_range().end()));
            values.push(numbers);
        }
        self.scopes.open(None);
        let mut names = Named { params: vec![None; values.len()], others: Vec::new(), numbers };
        self.name_values(&pattern, &shape, &mut names);
        // The value stands in front, and is met first.
        let mut value = if inner.is_empty() { Some(self.expr_or_missing(it.value(), it.syntax())) } else { None };
        let own = clause.condition().map(|condition| self.expr(&condition));
        let (mut condition, mut passed_on) = (self.both(chosen, own), None);
        if neutral.is_some() && !inner.is_empty() {
            passed_on = condition.take();
        }
        let carried = rows.is_joined().then(|| self.unnamed(at));
        let value = match value.take() {
            Some(value) => value,
            None => {
                let rows = match (rows, carried) {
                    (Rows::Joined(op, _), Some(carried)) => Rows::Joined(op, self.alloc(Expr::Local(carried), at)),
                    (rows, _) => rows,
                };
                self.clauses(it, inner, (passed_on, neutral), rows)
            }
        };
        let params: Vec<_> = names.params.iter().map(|param| param.unwrap_or_else(|| self.unnamed(at))).collect();
        let others: Vec<_> =
            names.others.iter().map(|&(local, shape)| (local, self.tuple_of(shape, &params))).collect();
        // Its names are no variables of the block around it, so nobody means them behind it.
        self.scopes.forget();
        let round = Round { at, value, condition, neutral, params, others, arrays: values };
        let made = self.made_of_rounds(round, rows, carried, inner.len());
        match around {
            Some((param, array)) => {
                let function = self.alloc(Expr::Lambda(vec![param], made), at);
                self.alloc(Expr::Call(function, vec![array]), at)
            }
            None => made,
        }
    }

    /// The values of the rounds of a `for` that has so many inside.
    fn made_of_rounds(&mut self, round: Round, rows: Rows, carried: Option<LocalId>, n_inner: usize) -> ExprId {
        let (at, is_last) = (round.at, n_inner == 0);
        let (Rows::Joined(op, start), Some(carried)) = (rows, carried) else {
            let value = match rows {
                Rows::Each(of, by) if !is_last => {
                    // What the innermost rows are, and then what joins that.
                    let name = if n_inner == 1 { of } else { by };
                    self.call_of(name, vec![round.value], at)
                }
                _ => round.value,
            };
            let made = self.mapped(Round { value, ..round });
            let is_matrix = !is_last && matches!(rows, Rows::Flat);
            return if is_matrix { self.call_of("flatten", vec![made], at) } else { made };
        };
        let mut value = self.or_neutral(round.value, round.condition, round.neutral);
        if is_last {
            let before = self.alloc(Expr::Local(carried), at);
            value = self.alloc(Expr::Binary(op, before, value), self.map.exprs[value]);
        }
        let value = self.with_others(value, &round.others);
        let params = std::iter::once(carried).chain(round.params).collect();
        let function = self.alloc(Expr::Lambda(params, value), at);
        let array = match round.arrays[..] {
            [array] => array,
            _ => self.call_of("zip", round.arrays, at),
        };
        self.call_of("reduce", vec![function, start, array], at)
    }

    fn both(&mut self, a: Option<ExprId>, b: Option<ExprId>) -> Option<ExprId> {
        match (a, b) {
            (Some(a), Some(b)) => {
                let at = self.map.exprs[b];
                Some(self.alloc(Expr::Binary(BinOp::And, a, b), at))
            }
            (a, b) => a.or(b),
        }
    }

    /// The arrays of a comprehension. The first one, whose length says the numbers, is evaluated once: where it is more than a name, a
    /// function gets it, whose parameter it then is.
    fn named_once(
        &mut self,
        shape: &Shape,
        arrays: &mut [(ExprId, TextRange)],
    ) -> (Vec<ExprId>, Option<(LocalId, ExprId)>) {
        let mut around = None;
        if let (true, Some((first, at))) = (numbers_in(shape), arrays.first_mut())
            && !matches!(self.body.exprs[*first], Expr::Local(_) | Expr::Item(..))
        {
            let param = self.unnamed(*at);
            around = Some((param, *first));
            *first = self.alloc(Expr::Local(param), *at);
        }
        (arrays.iter().map(|(array, _)| *array).collect(), around)
    }

    fn unnamed(&mut self, at: TextRange) -> LocalId {
        self.local(Name::default(), LocalKind::Held, at)
    }

    /// Defines the names of a comprehension: those of elements are parameters.
    fn name_values<'s>(&mut self, pattern: &Pattern, shape: &'s Shape, names: &mut Named<'s>) {
        match (pattern, shape) {
            (Pattern::Name(name), Shape::Column(n, _)) => {
                names.params[*n] = Some(self.loop_name(name, LocalKind::Element));
            }
            (Pattern::Name(name), Shape::Number(_, None)) if names.numbers => {
                let last = names.params.len() - 1;
                let local = self.loop_name(name, LocalKind::ForIndex);
                match names.params[last] {
                    None => names.params[last] = Some(local),
                    Some(_) => names.others.push((local, shape)),
                }
            }
            (Pattern::Name(name), _) => {
                let local = self.loop_name(name, LocalKind::Element);
                names.others.push((local, shape));
            }
            (Pattern::Several(parts, _), Shape::Several(shapes, _)) if parts.len() == shapes.len() => {
                parts.iter().zip(shapes).for_each(|(part, shape)| self.name_values(part, shape, names));
            }
            (pattern @ Pattern::Several(parts, at), shape) => {
                self.takes_apart(*at, parts.len(), shape);
                self.define_all(pattern, LocalKind::Element);
            }
            (Pattern::Missing, _) => self.body.in_doubt = true,
        }
    }

    fn tuple_of(&mut self, shape: &Shape, params: &[LocalId]) -> ExprId {
        match shape {
            Shape::Column(n, at) => self.alloc(Expr::Local(params[*n]), *at),
            Shape::Number(at, start) => self.number_from(*start, params[params.len() - 1], *at),
            Shape::Several(shapes, at) => {
                let parts = shapes.iter().map(|shape| self.tuple_of(shape, params)).collect();
                self.alloc(Expr::Tuple(parts), *at)
            }
        }
    }

    /// A value, or where a condition does not hold what changes nothing.
    fn or_neutral(&mut self, value: ExprId, condition: Option<ExprId>, neutral: Option<Literal>) -> ExprId {
        let place = self.map.exprs[value];
        match (condition, neutral) {
            (Some(condition), Some(Literal::Bool(false))) => {
                self.alloc(Expr::Binary(BinOp::And, condition, value), place)
            }
            (Some(condition), Some(otherwise)) => {
                let else_value = self.alloc(Expr::Literal(otherwise), place);
                self.alloc(Expr::Cond { condition, then_value: value, else_value }, place)
            }
            _ => value,
        }
    }

    /// A value that may mention names for several values at once.
    fn with_others(&mut self, mut value: ExprId, others: &[(LocalId, ExprId)]) -> ExprId {
        let place = self.map.exprs[value];
        for &(local, tuple) in others.iter().rev() {
            let function = self.alloc(Expr::Lambda(vec![local], value), place);
            value = self.alloc(Expr::Call(function, vec![tuple]), place);
        }
        value
    }

    /// The values as an array.
    fn mapped(&mut self, round: Round) -> ExprId {
        let Round { at, mut value, condition, neutral, params, others, mut arrays } = round;
        match (condition, neutral) {
            (None, _) => {}
            (condition, Some(_)) => value = self.or_neutral(value, condition, neutral),
            (Some(condition), None) if arrays.len() == 1 && others.is_empty() => {
                let chooses = self.alloc(Expr::Lambda(params.clone(), condition), self.map.exprs[condition]);
                arrays = vec![self.call_of("filter", vec![chooses, arrays[0]], at)];
            }
            (Some(condition), None) => self.find(errors::chooses_of_several(self.map.exprs[condition])),
        }
        let value = self.with_others(value, &others);
        let function = self.alloc(Expr::Lambda(params, value), at);
        let args = std::iter::once(function).chain(arrays).collect();
        self.call_of("map", args, at)
    }
}

/// A round of a `for`: its value for elements, and the arrays that these are of.
struct Round {
    at: TextRange,
    value: ExprId,
    condition: Option<ExprId>,
    /// The value that changes nothing, for one whose condition does not hold.
    neutral: Option<Literal>,
    params: Vec<LocalId>,
    /// Other names, for several values at once, with these.
    others: Vec<(LocalId, ExprId)>,
    arrays: Vec<ExprId>,
}

/// The form in which what an inner `for` makes goes into what those around it make.
#[derive(Clone, Copy)]
enum Rows {
    /// The rows of a matrix, one behind the other.
    Flat,
    /// The result of a function for each of several arrays, which another one joins.
    Each(&'static str, &'static str),
    /// A value that goes on from one to the next, by an operator, and what it starts with.
    Joined(BinOp, ExprId),
}

impl Rows {
    fn is_joined(self) -> bool {
        matches!(self, Rows::Joined(..))
    }
}

/// The locals of a comprehension's names.
struct Named<'s> {
    /// The parameters: one for each column, and last the number's if there is one.
    params: Vec<Option<LocalId>>,
    /// The others, which stand for several values, with these.
    others: Vec<(LocalId, &'s Shape)>,
    /// The last parameter is the number of the element.
    numbers: bool,
}

/// A shape has the number of the element in it.
fn numbers_in(shape: &Shape) -> bool {
    match shape {
        Shape::Column(..) => false,
        Shape::Number(..) => true,
        Shape::Several(shapes, _) => shapes.iter().any(numbers_in),
    }
}
