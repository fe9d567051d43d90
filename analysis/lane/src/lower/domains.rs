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
    /// The elements of something, each with its number, which starts from 0 or from a value.
    Enumerate(Box<Source>, Option<ExprId>, TextRange),
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
    /// The number of the iteration, to which a value may be added.
    Number(TextRange, Option<ExprId>),
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
            (Pattern::Name(name), Shape::Number(_, None)) => Some(name),
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
            Shape::Column(_, at) | Shape::Number(at, _) | Shape::Several(_, at) => *at,
        }
    }
}

impl Source {
    pub(super) fn at(&self) -> TextRange {
        match self {
            Source::Range { at, .. } | Source::Array { at, .. } => *at,
            Source::Enumerate(_, _, at) | Source::Zip(_, at) | Source::Wrong(at) => *at,
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
        let mut args: Vec<_> = call.args().into_iter().flat_map(|args| args.args()).collect();
        if call.args().is_none_or(|args| args.close().is_none()) {
            self.body.in_doubt = true;
            return Source::Wrong(at);
        }
        let start = if word == Word::Enumerate { self.start_of_numbers(&mut args) } else { None };
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
            Word::Enumerate => Source::Enumerate(Box::new(sources.remove(0)), start, at),
            Word::Reversed => self.backwards(sources.remove(0), at),
        }
    }

    /// Takes the number of the first element, `enumerate(a, 1)` or `enumerate(a, start=1)`, out of the arguments.
    fn start_of_numbers(&mut self, args: &mut Vec<ast::Expr>) -> Option<ExprId> {
        let [_, second] = &args[..] else { return None };
        let start = match second {
            ast::Expr::NamedArg(named) if named.name()?.text()? == "start" => named.value()?,
            ast::Expr::NamedArg(_) => return None,
            start => start.clone(),
        };
        args.truncate(1);
        let start = self.expr(&start);
        // The numbers of a loop start from 0 by themselves.
        (self.body.exprs[start] != Expr::Literal(Literal::Int(0))).then_some(start)
    }

    /// The number of an iteration, to which the one of the first element is added.
    pub(super) fn number_from(&mut self, start: Option<ExprId>, number: LocalId, at: TextRange) -> ExprId {
        let number = self.alloc(Expr::Local(number), at);
        match start {
            Some(start) => {
                let start = self.alloc(self.body.exprs[start].clone(), self.map.exprs[start]);
                self.alloc(Expr::Binary(BinOp::Add, start, number), at)
            }
            None => number,
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
            Source::Enumerate(of, start, at) => {
                let of = self.columns(*of, arrays);
                Shape::Several(vec![Shape::Number(at, start), of], at)
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

    /// The numbers of a range as an array: `iota(n)`, those from a start on, or those with a step.
    fn numbers(&mut self, call: &ast::CallExpr) -> ExprId {
        let at = call.syntax().text_range();
        let Range { start, stop, step } = self.range(call);
        let step = match step.map(|step| self.written_step(step)) {
            Some(None) => {
                self.find(errors::steps_beside_elements(at));
                None
            }
            step => step.flatten(),
        };
        let count = match (start, step) {
            (None, None) => return self.call_of("iota", vec![stop], at),
            (Some(start), None) => self.alloc(Expr::Binary(BinOp::Sub, stop, start), at),
            (start, Some(step)) => {
                let most = self.last_of_steps(start, stop, step, at);
                let one = self.one(at);
                self.alloc(Expr::Binary(BinOp::Add, most, one), at)
            }
        };
        let iota = self.call_of("iota", vec![count], at);
        let number = self.local(Name::default(), LocalKind::Held, at);
        let by = self.alloc(Expr::Local(number), at);
        let by = self.times(by, step, at);
        let sum = match start {
            Some(start) => {
                let from = self.alloc(self.body.exprs[start].clone(), at);
                self.alloc(Expr::Binary(BinOp::Add, from, by), at)
            }
            None => by,
        };
        let function = self.alloc(Expr::Lambda(vec![number], sum), at);
        self.call_of("map", vec![function, iota], at)
    }

    /// The step of a range that is a number as it is written, and not 0.
    fn written_step(&self, step: ExprId) -> Option<i128> {
        let (negative, number) = match self.body.exprs[step] {
            Expr::Unary(UnaryOp::Neg, inner) => (true, inner),
            _ => (false, step),
        };
        match self.body.exprs[number] {
            Expr::Literal(Literal::Int(number)) if number != 0 => {
                let number = i128::try_from(number).ok()?;
                Some(if negative { -number } else { number })
            }
            _ => None,
        }
    }

    fn integer(&mut self, number: i128, at: TextRange) -> ExprId {
        let literal = self.alloc(Expr::Literal(Literal::Int(number.unsigned_abs())), at);
        if number < 0 { self.alloc(Expr::Unary(UnaryOp::Neg, literal), at) } else { literal }
    }

    fn times(&mut self, number: ExprId, step: Option<i128>, at: TextRange) -> ExprId {
        match step {
            None | Some(1) => number,
            Some(step) => {
                let step = self.integer(step, at);
                self.alloc(Expr::Binary(BinOp::Mul, number, step), at)
            }
        }
    }

    /// The number of steps to the last number of a range, which is -1 if there is none: `(stop - start - 1) // step`, or for one that goes
    /// down `(start - stop - 1) // -step`.
    fn last_of_steps(&mut self, start: Option<ExprId>, stop: ExprId, step: i128, at: TextRange) -> ExprId {
        let stop = self.alloc(self.body.exprs[stop].clone(), at);
        let start = start.map(|start| self.alloc(self.body.exprs[start].clone(), at));
        let between = match (start, step > 0) {
            (None, true) => stop,
            (None, false) => self.alloc(Expr::Unary(UnaryOp::Neg, stop), at),
            (Some(start), true) => self.alloc(Expr::Binary(BinOp::Sub, stop, start), at),
            (Some(start), false) => self.alloc(Expr::Binary(BinOp::Sub, start, stop), at),
        };
        let one = self.one(at);
        let most = self.alloc(Expr::Binary(BinOp::Sub, between, one), at);
        let by = self.integer(step.abs(), at);
        self.alloc(Expr::Binary(BinOp::FloorDiv, most, by), at)
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
        if let Some(step) = range.step {
            return match self.written_step(step) {
                Some(step) => self.steps_backwards(range, step, at),
                None => {
                    self.find(errors::steps_backwards(at));
                    range
                }
            };
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

    /// The numbers of a range with a step from the last to the first: it ends in front of the first one.
    fn steps_backwards(&mut self, range: Range, step: i128, at: TextRange) -> Range {
        let most = self.last_of_steps(range.start, range.stop, step, at);
        let way = self.times(most, Some(step), at);
        let again = |lower: &mut Self, start: ExprId| lower.alloc(lower.body.exprs[start].clone(), at);
        let (last, stop) = match range.start {
            Some(start) => {
                let first = again(self, start);
                let last = self.alloc(Expr::Binary(BinOp::Add, first, way), at);
                let (first, by) = (again(self, start), self.integer(step.signum(), at));
                (last, self.alloc(Expr::Binary(BinOp::Sub, first, by), at))
            }
            None => (way, self.integer(-step.signum(), at)),
        };
        let step = self.integer(-step, at);
        Range { start: Some(last), stop, step: Some(step) }
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
                let kind = if matches!(shape, Shape::Number(..)) { LocalKind::ForIndex } else { LocalKind::Element };
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
            Shape::Column(..) | Shape::Number(..) => None,
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
            Shape::Number(at, start) => self.number_from(*start, given.number, *at),
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
