//! Comprehensions: `[e for x in a]`, and `sum(e for x in a if c)`.
//!
//! One is a `map` of a function whose parameters are the names: `map(\x -> e, a)`. A condition chooses with `filter`, and where a value
//! changes nothing by itself the call joins that one instead: `sum(map(\x -> e if c else 0, a))`.

use ir::Elem;
use report::TextRange;
use syntax::ast::{self, AstNode};

use super::Lower;
use super::domains::{Pattern, Shape};
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
        let (callee, neutral) = match self.resolve(&name) {
            Some(Expr::Builtin(builtin)) => {
                let of_array = builtin.get().of_elements().unwrap_or(builtin);
                (self.alloc(Expr::Builtin(of_array), at), builtin.get().neutral())
            }
            _ => (self.expr(&callee), None),
        };
        let array = self.comprehension(it, neutral);
        Some(Expr::Call(callee, vec![array]))
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
        let at = it.syntax().text_range();
        let clauses: Vec<_> = it.clauses().collect();
        if let [_, second, ..] = &clauses[..] {
            self.find(errors::second_for(second.syntax().text_range()));
        }
        let clause = clauses.first().and_then(|clause| Some((clause, clause.index()?)));
        let Some((clause, index)) = clause else { return self.alloc(Expr::Missing, at) };
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
        if clauses.len() > 1 {
            // The names of the others are not known here.
            let mut unknown = Vec::new();
            let others = clauses[1..].iter().filter_map(|clause| clause.index());
            others.for_each(|index| Pattern::of(&index).names(&mut unknown));
            self.unknown.extend(unknown);
        }
        let value = self.expr_or_missing(it.value(), it.syntax());
        let condition = clause.condition().map(|condition| self.expr(&condition));
        let params: Vec<_> = names.params.iter().map(|param| param.unwrap_or_else(|| self.unnamed(at))).collect();
        let others: Vec<_> =
            names.others.iter().map(|&(local, shape)| (local, self.tuple_of(shape, &params))).collect();
        // Its names are no variables of the block around it, so nobody means them behind it.
        self.scopes.forget();
        let made = self.mapped(at, (value, condition, neutral), &params, &others, values);
        match around {
            Some((param, array)) => {
                let function = self.alloc(Expr::Lambda(vec![param], made), at);
                self.alloc(Expr::Call(function, vec![array]), at)
            }
            None => made,
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
            (Pattern::Name(name), Shape::Number(_)) if names.numbers => {
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
            Shape::Number(at) => self.alloc(Expr::Local(params[params.len() - 1]), *at),
            Shape::Several(shapes, at) => {
                let parts = shapes.iter().map(|shape| self.tuple_of(shape, params)).collect();
                self.alloc(Expr::Tuple(parts), *at)
            }
        }
    }

    /// The values as an array.
    fn mapped(
        &mut self,
        at: TextRange,
        (value, condition, neutral): (ExprId, Option<ExprId>, Option<Literal>),
        params: &[LocalId],
        others: &[(LocalId, ExprId)],
        mut arrays: Vec<ExprId>,
    ) -> ExprId {
        let mut value = value;
        let place = self.map.exprs[value];
        if let Some(condition) = condition {
            match neutral {
                Some(Literal::Bool(false)) => value = self.alloc(Expr::Binary(BinOp::And, condition, value), place),
                Some(otherwise) => {
                    let else_value = self.alloc(Expr::Literal(otherwise), place);
                    value = self.alloc(Expr::Cond { condition, then_value: value, else_value }, place);
                }
                None if arrays.len() == 1 && others.is_empty() => {
                    let chooses = self.alloc(Expr::Lambda(params.to_vec(), condition), self.map.exprs[condition]);
                    arrays = vec![self.call_of("filter", vec![chooses, arrays[0]], at)];
                }
                None => self.find(errors::chooses_of_several(self.map.exprs[condition])),
            }
        }
        for &(local, tuple) in others.iter().rev() {
            let function = self.alloc(Expr::Lambda(vec![local], value), place);
            value = self.alloc(Expr::Call(function, vec![tuple]), place);
        }
        let function = self.alloc(Expr::Lambda(params.to_vec(), value), at);
        let args = std::iter::once(function).chain(arrays).collect();
        self.call_of("map", args, at)
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
        Shape::Number(_) => true,
        Shape::Several(shapes, _) => shapes.iter().any(numbers_in),
    }
}
