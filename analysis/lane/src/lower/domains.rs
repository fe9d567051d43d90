//! What loops and comprehensions go over: ranges, arrays, several arrays at once, with indices, backwards.
//!
//! A loop over the elements of several arrays is one over their indices. The arrays are *held* before the loop, by locals without a
//! name, and the names are defined at the start of the body, so whatever is known of the loop written by hand holds for it:
//!
//! ```text
//! for i, (x, y) in enumerate(zip(a, b)):      held a, held b
//!     …                                       for i in range(length(zip(held a, held b))):
//!                                                 x, y = held a[i], held b[i]
//!                                                 …
//! ```
//!
//! The elements of an array *backwards* are those of `a[::-1]`, and those of a range are its numbers.

use report::TextRange;
use syntax::ast::{self, AstNode};

use super::Lower;
use hir::builtins::BuiltinId;
use hir::errors;
use hir::{BinOp, Block, Expr, ExprId, Literal, LocalId, LocalKind, Name, Range, Stmt, Subscript, UnaryOp};

/// The source of a loop's values, as it is written.
pub(super) enum Source {
    /// The numbers of a `range`.
    Range { call: ast::CallExpr, backwards: bool, at: TextRange },
    /// The elements of an array.
    Array { array: ast::Expr, backwards: bool, at: TextRange },
    /// The elements of something, each with its number.
    Enumerate(Box<Source>, TextRange),
    /// The elements of several things at once.
    Zip(Vec<Source>, TextRange),
    /// A call that makes no sense, which has its finding.
    Wrong(TextRange),
}

/// A word that stands around what a loop goes over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Word {
    Zip,
    Enumerate,
    Reversed,
}

impl Word {
    fn of(text: &str) -> Option<Word> {
        let words = [("zip", Word::Zip), ("enumerate", Word::Enumerate), ("reversed", Word::Reversed)];
        words.into_iter().find(|(word, _)| *word == text).map(|(_, word)| word)
    }
}

/// The names of a loop, as they are written.
pub(super) enum Pattern {
    /// One name.
    Name(ast::Name),
    /// Several, with the place of all of them.
    Several(Vec<Pattern>, TextRange),
    /// A name that is missing, which has its syntax error.
    Missing,
}

/// The values that the names of a loop are for in an iteration.
pub(super) enum Shape {
    /// An element of the column of this number.
    Column(usize, TextRange),
    /// The number of the iteration.
    Number(TextRange),
    /// Several values at once.
    Several(Vec<Shape>, TextRange),
}

/// Arrays of one length, with the place of each, and what is taken of them.
pub(super) struct Columns {
    pub(super) arrays: Vec<(ExprId, TextRange)>,
    pub(super) shape: Shape,
}

/// The domain of a loop.
pub(super) enum Domain {
    /// The numbers of a range.
    Range(Range),
    /// The elements of an array.
    Elements(ExprId),
    /// The elements of arrays that are held.
    Held { held: Vec<(LocalId, TextRange)>, shape: Shape, range: Range },
}

impl Pattern {
    pub(super) fn of(index: &ast::LoopIndex) -> Pattern {
        let parts: Vec<_> = index.parts().collect();
        match (index.name(), parts.first().zip(parts.last())) {
            (Some(name), _) => Pattern::Name(name),
            (None, Some((first, last))) if parts.len() > 1 => {
                let at = first.syntax().text_range().cover(last.syntax().text_range());
                Pattern::Several(parts.iter().map(Pattern::of_part).collect(), at)
            }
            (None, Some((only, _))) => Pattern::of_part(only),
            (None, None) => Pattern::Missing,
        }
    }

    fn of_part(part: &ast::LoopPart) -> Pattern {
        match part.name() {
            Some(name) => Pattern::Name(name),
            None => match part.parts().map(|part| Pattern::of_part(&part)).collect::<Vec<_>>() {
                parts if parts.is_empty() => Pattern::Missing,
                parts => Pattern::Several(parts, part.syntax().text_range()),
            },
        }
    }

    /// Adds the texts of the names.
    pub(super) fn names(&self, out: &mut Vec<Name>) {
        match self {
            Pattern::Name(name) => out.extend(name.text().map(Name::from)),
            Pattern::Several(parts, _) => parts.iter().for_each(|part| part.names(out)),
            Pattern::Missing => {}
        }
    }

    /// The name for the number of the iteration, if the values have one there.
    fn name_of_number<'p>(&'p self, shape: &Shape) -> Option<&'p ast::Name> {
        match (self, shape) {
            (Pattern::Name(name), Shape::Number(_)) => Some(name),
            (Pattern::Several(parts, _), Shape::Several(shapes, _)) => {
                parts.iter().zip(shapes).find_map(|(part, shape)| part.name_of_number(shape))
            }
            _ => None,
        }
    }
}

impl Shape {
    fn at(&self) -> TextRange {
        match self {
            Shape::Column(_, at) | Shape::Number(at) | Shape::Several(_, at) => *at,
        }
    }
}

impl Source {
    pub(super) fn at(&self) -> TextRange {
        match self {
            Source::Range { at, .. } | Source::Array { at, .. } => *at,
            Source::Enumerate(_, at) | Source::Zip(_, at) | Source::Wrong(at) => *at,
        }
    }
}

impl Lower<'_> {
    /// The source that an expression is where a loop goes over it.
    pub(super) fn source(&mut self, over: &ast::Expr) -> Source {
        let at = over.syntax().text_range();
        let array = || Source::Array { array: over.clone(), backwards: false, at };
        let ast::Expr::CallExpr(call) = over else {
            return match over {
                ast::Expr::ParenExpr(paren) => paren.expr().map_or_else(array, |inner| self.source(&inner)),
                _ => array(),
            };
        };
        let Some(ast::Expr::NameRef(callee)) = call.callee() else {
            return self.source_of_method(call).unwrap_or_else(array);
        };
        let name = callee.text().unwrap_or_default();
        if name == "range" {
            return Source::Range { call: call.clone(), backwards: false, at };
        }
        let is_ours = matches!(self.resolve(&name), None | Some(Expr::Builtin(_)));
        let Some(word) = Word::of(&name).filter(|_| is_ours) else { return array() };
        let args: Vec<_> = call.args().into_iter().flat_map(|args| args.args()).collect();
        if call.args().is_none_or(|args| args.close().is_none()) {
            self.body.in_doubt = true;
            return Source::Wrong(at);
        }
        self.names_nothing(&args);
        let fits = if word == Word::Zip { args.len() >= 2 } else { args.len() == 1 };
        if !fits {
            self.find(errors::arguments_of_domain(at, &name, args.len()));
            args.iter().for_each(|arg| _ = self.expr(arg));
            return Source::Wrong(at);
        }
        let mut sources: Vec<_> = args.iter().map(|arg| self.source(arg)).collect();
        match word {
            Word::Zip => Source::Zip(sources, at),
            Word::Enumerate => Source::Enumerate(Box::new(sources.remove(0)), at),
            Word::Reversed => self.backwards(sources.remove(0), at),
        }
    }

    fn backwards(&mut self, source: Source, whole: TextRange) -> Source {
        match source {
            Source::Range { call, backwards, .. } => Source::Range { call, backwards: !backwards, at: whole },
            Source::Array { array, backwards, .. } => Source::Array { array, backwards: !backwards, at: whole },
            Source::Zip(sources, _) => {
                Source::Zip(sources.into_iter().map(|source| self.backwards(source, whole)).collect(), whole)
            }
            Source::Enumerate(..) => {
                self.find(errors::numbers_backwards(whole));
                Source::Wrong(whole)
            }
            Source::Wrong(_) => Source::Wrong(whole),
        }
    }

    /// The domain of a loop with such names. Arrays are held by statements that go before the loop.
    pub(super) fn domain(&mut self, index: &ast::LoopIndex, pattern: &Pattern, in_order: bool) -> Domain {
        let source = match index.over() {
            Some(over) => self.source(&over),
            None => return Domain::Range(self.missing_range(index.syntax())),
        };
        let is_single = matches!(pattern, Pattern::Name(_) | Pattern::Missing);
        match source {
            Source::Range { call, backwards, at } => {
                let range = self.range(&call);
                let range = if backwards { self.range_backwards(range, at) } else { range };
                if let Pattern::Several(parts, names) = pattern {
                    self.find(errors::numbers_taken_apart(*names, parts.len(), in_order));
                }
                Domain::Range(range)
            }
            source @ Source::Array { .. } if in_order && is_single => Domain::Elements(self.column(&source)),
            Source::Wrong(_) => {
                self.body.in_doubt = true;
                Domain::Range(self.missing_range(index.syntax()))
            }
            source => {
                let (mut arrays, at) = (Vec::new(), source.at());
                let shape = self.columns(source, &mut arrays);
                self.held(Columns { arrays, shape }, at)
            }
        }
    }

    /// Holds arrays, whose indices a loop goes over.
    fn held(&mut self, columns: Columns, at: TextRange) -> Domain {
        let mut before = std::mem::take(&mut self.before);
        let mut held = Vec::new();
        for (array, at) in columns.arrays {
            held.push((self.hold(at, array, &mut before).local, at));
        }
        self.before = before;
        let arrays: Vec<_> = held.iter().map(|&(local, at)| self.alloc(Expr::Local(local), at)).collect();
        let stop = self.length_of(arrays, at);
        Domain::Held { held, shape: columns.shape, range: Range { start: None, stop, step: None } }
    }

    /// The number of elements that arrays have, all of them as many.
    pub(super) fn length_of(&mut self, arrays: Vec<ExprId>, at: TextRange) -> ExprId {
        let of = match arrays[..] {
            [array] => array,
            _ => self.call_of("zip", arrays, at),
        };
        self.call_of("length", vec![of], at)
    }

    /// A call of a builtin that is not written as one. Its name stands at the end, where no name is.
    pub(super) fn call_of(&mut self, builtin: &str, args: Vec<ExprId>, at: TextRange) -> ExprId {
        let callee = BuiltinId::from_name(builtin).map_or(Expr::Missing, Expr::Builtin);
        let callee = self.alloc(callee, TextRange::empty(at.end()));
        self.alloc(Expr::Call(callee, args), at)
    }

    /// The arrays of a source, one behind the other, and what is taken of them.
    pub(super) fn columns(&mut self, source: Source, arrays: &mut Vec<(ExprId, TextRange)>) -> Shape {
        match source {
            Source::Enumerate(of, at) => {
                let of = self.columns(*of, arrays);
                Shape::Several(vec![Shape::Number(at), of], at)
            }
            Source::Zip(sources, at) => {
                Shape::Several(sources.into_iter().map(|source| self.columns(source, arrays)).collect(), at)
            }
            column => {
                let at = column.at();
                let array = self.column(&column);
                arrays.push((array, at));
                Shape::Column(arrays.len() - 1, at)
            }
        }
    }

    /// The array whose elements an array or a range stands for.
    fn column(&mut self, source: &Source) -> ExprId {
        let (array, backwards, at) = match source {
            Source::Array { array: ast::Expr::Comprehension(it), backwards, at } if is_alone(it) => {
                (self.comprehension(it, None), *backwards, *at)
            }
            Source::Array { array, backwards, at } => (self.expr(array), *backwards, *at),
            Source::Range { call, backwards, at } => (self.numbers(call), *backwards, *at),
            other => (self.alloc(Expr::Missing, other.at()), false, other.at()),
        };
        if !backwards {
            return array;
        }
        let step = self.minus_one(at);
        self.alloc(Expr::Index(array, vec![Subscript::Slice { lo: None, hi: None, step: Some(step) }]), at)
    }

    /// The numbers of a range as an array: `iota(n)`, or those from a start on.
    fn numbers(&mut self, call: &ast::CallExpr) -> ExprId {
        let at = call.syntax().text_range();
        let Range { start, stop, step } = self.range(call);
        if step.is_some() {
            self.find(errors::steps_beside_elements(at));
        }
        let Some(start) = start else { return self.call_of("iota", vec![stop], at) };
        let count = self.alloc(Expr::Binary(BinOp::Sub, stop, start), at);
        let iota = self.call_of("iota", vec![count], at);
        let number = self.local(Name::default(), LocalKind::Held, at);
        let (from, by) = (self.alloc(self.body.exprs[start].clone(), at), self.alloc(Expr::Local(number), at));
        let sum = self.alloc(Expr::Binary(BinOp::Add, from, by), at);
        let function = self.alloc(Expr::Lambda(vec![number], sum), at);
        self.call_of("map", vec![function, iota], at)
    }

    fn minus_one(&mut self, at: TextRange) -> ExprId {
        let one = self.one(at);
        self.alloc(Expr::Unary(UnaryOp::Neg, one), at)
    }

    fn one(&mut self, at: TextRange) -> ExprId {
        self.alloc(Expr::Literal(Literal::Int(1)), at)
    }

    /// The numbers of a range from the last to the first.
    fn range_backwards(&mut self, range: Range, at: TextRange) -> Range {
        if range.step.is_some() {
            self.find(errors::steps_backwards(at));
            return range;
        }
        let before = |lower: &mut Self, number: ExprId| {
            let one = lower.one(at);
            lower.alloc(Expr::Binary(BinOp::Sub, number, one), at)
        };
        let start = before(self, range.stop);
        let step = self.minus_one(at);
        let stop = match range.start {
            Some(first) => before(self, first),
            None => step,
        };
        Range { start: Some(start), stop, step: Some(step) }
    }

    /// Opens a domain in the scope of its loop: defines its names, of which those of elements begin the body. Gives the local that
    /// counts.
    pub(super) fn open_domain(
        &mut self,
        domain: &Domain,
        pattern: &Pattern,
        number_kind: LocalKind,
        body: &mut Block,
    ) -> Option<LocalId> {
        match (domain, pattern) {
            (_, Pattern::Missing) => None,
            (Domain::Range(_), Pattern::Name(name)) => Some(self.loop_name(name, number_kind)),
            (Domain::Elements(_), Pattern::Name(name)) => Some(self.loop_name(name, LocalKind::Element)),
            (Domain::Held { held, shape, .. }, pattern) => {
                let named = pattern.name_of_number(shape);
                let number = match named {
                    Some(name) => self.loop_name(name, number_kind),
                    None => self.local(Name::default(), LocalKind::Held, shape.at()),
                };
                let given = Given { held, number, named };
                self.bind(pattern, shape, &given, body);
                Some(number)
            }
            // That there is nothing to take apart was said.
            (_, Pattern::Several(..)) => {
                self.define_all(pattern, number_kind);
                None
            }
        }
    }

    fn bind(&mut self, pattern: &Pattern, shape: &Shape, given: &Given<'_>, body: &mut Block) {
        match (pattern, shape) {
            (Pattern::Name(name), _) if given.named == Some(name) => {}
            (Pattern::Name(name), shape) => {
                let at = name.syntax().text_range();
                let value = self.value_of_shape(shape, given);
                let kind = if matches!(shape, Shape::Number(_)) { LocalKind::ForIndex } else { LocalKind::Element };
                let local = self.loop_name(name, kind);
                let id = self.body.stmts.alloc(Stmt::Define(local, value));
                self.map.stmts.insert(id, at);
                body.push(id);
            }
            (Pattern::Several(parts, _), Shape::Several(shapes, _)) if parts.len() == shapes.len() => {
                parts.iter().zip(shapes).for_each(|(part, shape)| self.bind(part, shape, given, body));
            }
            (pattern @ Pattern::Several(parts, at), shape) => {
                self.takes_apart(*at, parts.len(), shape);
                self.define_all(pattern, LocalKind::Element);
            }
            (Pattern::Missing, _) => self.body.in_doubt = true,
        }
    }

    /// Finds names that are more, or fewer, than the values that they are for.
    pub(super) fn takes_apart(&mut self, at: TextRange, names: usize, shape: &Shape) {
        let found = match shape {
            Shape::Several(shapes, _) => Some(shapes.len()),
            Shape::Column(..) | Shape::Number(_) => None,
        };
        self.find(errors::elements_taken_apart(at, names, found, shape.at()));
    }

    /// The value of a shape in an iteration.
    fn value_of_shape(&mut self, shape: &Shape, given: &Given<'_>) -> ExprId {
        match shape {
            Shape::Column(n, at) => {
                let (local, _) = given.held[*n];
                let array = self.alloc(Expr::Local(local), *at);
                let index = self.alloc(Expr::Local(given.number), TextRange::empty(at.end()));
                self.alloc(Expr::Index(array, vec![Subscript::At(index)]), *at)
            }
            Shape::Number(at) => self.alloc(Expr::Local(given.number), *at),
            Shape::Several(shapes, at) => {
                let parts = shapes.iter().map(|shape| self.value_of_shape(shape, given)).collect();
                self.alloc(Expr::Tuple(parts), *at)
            }
        }
    }

    /// Names that stand for nothing known.
    pub(super) fn define_all(&mut self, pattern: &Pattern, kind: LocalKind) {
        match pattern {
            Pattern::Name(name) => {
                let local = self.loop_name(name, kind);
                self.misplaced.insert(local);
            }
            Pattern::Several(parts, _) => parts.iter().for_each(|part| self.define_all(part, kind)),
            Pattern::Missing => {}
        }
    }

    /// A name of a loop, which no other name of it may be.
    pub(super) fn loop_name(&mut self, name: &ast::Name, kind: LocalKind) -> LocalId {
        let (text, at) = (name.text().unwrap_or_default(), name.syntax().text_range());
        if let Some(first) = self.scopes.lookup_here(&text).filter(|_| text != "_") {
            let what = if kind == LocalKind::ForeachIndex { kind.describe() } else { "name of the loop" };
            let first = self.map.locals[first];
            self.find(errors::duplicate_local(at, &text, what, first));
        }
        self.local(text.into(), kind, at)
    }
}

/// A comprehension is the only argument of a call.
fn is_alone(it: &ast::Comprehension) -> bool {
    it.syntax().parent().is_some_and(|list| list.children().count() == 1)
}

/// The arrays that are held for a loop, the local that counts, and the name that it has.
struct Given<'a> {
    held: &'a [(LocalId, TextRange)],
    number: LocalId,
    named: Option<&'a ast::Name>,
}
