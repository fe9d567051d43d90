//! Expressions, by precedence climbing.
//!
//! From loosest to tightest, as in Python:
//!
//! | level | operators |
//! |---|---|
//! | 0 | `\x -> e`, `a if c else b` |
//! | 1 | `or` |
//! | 2 | `and` |
//! | 3 | `not` |
//! | 4 | `< <= > >= == !=`, which chain: `a < b < c` is `a < b and b < c` |
//! | 5 | `\|` |
//! | 6 | `^` |
//! | 7 | `&` |
//! | 8 | `<< >>` |
//! | 9 | `+ -` |
//! | 10 | `* / // %` |
//! | 11 | `- + ~` before an operand |
//! | 12 | `**`, to the right |
//! | 13 | calls, indices, fields |

use report::Diagnostic;
use rowan::TextRange;

use super::{Completed, MAX_HEIGHT, MAX_NESTING, Marker, Parser, braces, forms, habits, references, statements, types};
use crate::errors;
use crate::kinds::SyntaxKind::{self, *};

const NOT: u8 = 3;
const COMPARISON: u8 = 4;
const PREFIX: u8 = 11;
const POWER: u8 = 12;

/// Level of a binary operator.
pub(crate) fn level(kind: SyntaxKind) -> Option<u8> {
    Some(match kind {
        OR_KW | PIPE2 => 1,
        AND_KW | AMP2 => 2,
        LT | LE | GT | GE | EQ2 | NE => COMPARISON,
        PIPE => 5,
        CARET => 6,
        AMP => 7,
        SHL | SHR => 8,
        PLUS | MINUS => 9,
        STAR | SLASH | SLASH2 | PERCENT => 10,
        STAR2 => POWER,
        _ => return None,
    })
}

/// Returns true if a token can be the first of an expression.
pub(super) fn starts_expression(kind: SyntaxKind) -> bool {
    matches!(
        kind,
        IDENT
            | INT
            | FLOAT
            | TEXT
            | TRUE_KW
            | FALSE_KW
            | L_PAREN
            | L_BRACKET
            | NOT_KW
            | BANG
            | MINUS
            | TILDE
            | BACKSLASH
    )
}

/// Context of an expression that follows an operator or mark: the message names the mark.
pub(super) const AFTER_TOKEN: &str = "after the last token";

/// Parses an expression, or reports that there is none: `context` completes the sentence "expected an expression ...".
pub(super) fn expression(p: &mut Parser<'_>, context: &str) -> Option<Completed> {
    p.nested(|p| conditional(p, context))?
}

/// Parses an expression, or several with commas between them, which are a tuple.
pub(super) fn values(p: &mut Parser<'_>, context: &str) -> Option<Completed> {
    let first = expression(p, context)?;
    // The comma of `1,5` is most likely meant as a point.
    if !p.at(COMMA) || p.silenced || habits::is_decimal_comma(p) {
        return Some(first);
    }
    let (tuple, mut height) = (p.precede(first), first.height);
    while p.eat(COMMA) {
        height = height.max(height_of(expression(p, AFTER_TOKEN)));
    }
    Some(p.completed(tuple, TUPLE_EXPR, height + 1, first.first))
}

/// Parses a pattern of a `match`: an expression whose end is an `if`, if there is one.
pub(super) fn pattern(p: &mut Parser<'_>) -> Option<Completed> {
    p.nested(|p| binary(p, 1, "as the pattern, behind `case`"))?
}

fn conditional(p: &mut Parser<'_>, context: &str) -> Option<Completed> {
    let value = binary(p, 1, context)?;
    if !p.at(IF_KW) {
        return Some(value);
    }
    let conditional = p.precede(value);
    p.bump();
    let mut height = value.height;
    height = height.max(height_of(binary(p, 1, "after `if`")));
    if p.at(EQ) {
        height = height.max(assignment_for_comparison(p));
    }
    if p.eat(ELSE_KW) {
        if p.at(COLON) && starts_expression(p.nth(1)) {
            let error =
                errors::needless_word(p.here(), p.here(), ":", "in a value, `else` has no colon: `a if c else b`");
            p.soft_error(error);
            let skipped = p.start();
            p.bump();
            p.complete(skipped, ERROR);
        }
        height = height.max(height_of(expression(p, "after `else`")));
    } else {
        let of_names = if p.at(COLON) && p.nth(1) == COLON { habits::behind_value(p) } else { None };
        let error = of_names.unwrap_or_else(|| errors::choice_without_else(p.here(), &p.found()));
        p.error(error);
    }
    Some(p.completed(conditional, COND_EXPR, height + 1, value.first))
}

/// Parses `if x = 1` as if `==` had been written. Returns the height of the part from `=` on.
pub(super) fn assignment_for_comparison(p: &mut Parser<'_>) -> u32 {
    let error = errors::assignment_in_expression(p.here());
    p.soft_error(error);
    let skipped = p.start();
    p.bump();
    let value = expression(p, "after `=`");
    p.complete(skipped, ERROR);
    height_of(value) + 1
}

pub(super) fn height_of(expr: Option<Completed>) -> u32 {
    expr.map_or(0, |expr| expr.height)
}

impl Parser<'_> {
    fn completed(&mut self, marker: Marker, kind: SyntaxKind, height: u32, first: usize) -> Completed {
        let event = marker.event;
        self.complete(marker, kind);
        Completed { event, kind, height, first }
    }

    /// Runs a rule one level deeper, or skips the rest of the line when the nesting limit is reached.
    pub(super) fn nested<T>(&mut self, rule: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.nesting == MAX_NESTING {
            let error = errors::too_deep(self.here(), "this expression", MAX_NESTING as usize);
            self.error(error);
            self.skip_line();
            return None;
        }
        self.nesting += 1;
        let result = rule(self);
        self.nesting -= 1;
        Some(result)
    }
}

fn binary(p: &mut Parser<'_>, min_level: u8, context: &str) -> Option<Completed> {
    let mut left = prefix(p, min_level, context)?;
    while let Some(level) = level(p.current()) {
        // In `reduce(+, 0, a)` an operator is an argument by itself, also after an argument that lacks its comma.
        if level < min_level {
            break;
        }
        if left.height >= MAX_HEIGHT {
            let error = errors::too_long(p.here(), "this chain of operators", MAX_HEIGHT as usize);
            p.error(error);
            p.skip_line();
            break;
        }
        let operator = p.current();
        if operator == GT
            && let Some(error) = forms::cast_of_cpp(p)
        {
            p.soft_error(error);
        }
        if let AMP2 | PIPE2 = operator {
            let right = if operator == AMP2 { "and" } else { "or" };
            let error = errors::instead(p.here(), p.current_text(), right);
            p.soft_error(error);
        }
        if matches!(operator, PLUS | MINUS) && p.nth(1) == operator {
            let error = match p.nth(2) {
                NEWLINE | SEMICOLON => Some(habits::increment(p, &p.text[p.since(left.first)])),
                R_BRACKET | R_PAREN | COMMA => Some(habits::increment_inside(p, left.first)),
                _ => None,
            };
            if let Some(error) = error {
                p.error(error);
            }
        }
        let zeros_in = operator == SHR && p.nth(1) == GT && p.range(p.pos + 1).start() == p.here().end();
        if zeros_in {
            let error = errors::shift_of_java(p.here().cover(p.range(p.pos + 1)));
            p.soft_error(error);
        }
        let unequal = operator == LT && p.nth(1) == GT && p.range(p.pos + 1).start() == p.here().end();
        if unequal {
            let error = errors::instead(p.here().cover(p.range(p.pos + 1)), "<>", "!=");
            p.soft_error(error);
        }
        let node = p.precede(left);
        p.bump();
        if unequal || zeros_in {
            let rest = p.start();
            p.bump();
            p.complete(rest, ERROR);
        }
        // `**` is right associative, and takes a sign on its right: `2 ** -x ** 2` is `2 ** (-(x ** 2))`.
        let right_level = if level == POWER { POWER } else { level + 1 };
        let right = p.nested(|p| binary(p, right_level, AFTER_TOKEN)).flatten();
        let height = left.height.max(height_of(right)) + 1;
        left = p.completed(node, BIN_EXPR, height, left.first);
    }
    Some(left)
}

fn prefix(p: &mut Parser<'_>, min_level: u8, context: &str) -> Option<Completed> {
    if let Some((error, name)) = references::borrowed(p) {
        p.soft_error(error);
        statements::skip_to(p, name);
        return postfix(p, context);
    }
    let operator = p.current();
    let level = match operator {
        NOT_KW | BANG => NOT,
        MINUS | PLUS | TILDE => PREFIX,
        BACKSLASH if p.nth(1) == NEWLINE && p.open.is_empty() => {
            let error = errors::continued_line(p.here());
            p.error(error);
            p.skip_line();
            return None;
        }
        BACKSLASH => return Some(lambda(p, min_level)),
        IDENT if p.nth(1) == IDENT && p.current_text() == "lambda" => return Some(lambda_of_python(p)),
        IDENT if p.nth(1) == IDENT && p.current_text() == "new" => {
            new_of_cpp(p);
            return postfix(p, context);
        }
        PIPE => match braces::lambda_of_rust(p) {
            Some((error, second)) => return Some(lambda_of_rust(p, error, second)),
            None => return postfix(p, context),
        },
        _ => return postfix(p, context),
    };
    let first = p.pos;
    let place = p.here();
    if operator == BANG {
        let spaced = p.text[usize::from(place.end())..].starts_with(' ');
        let error = errors::bang(place, if spaced { "not" } else { "not " });
        p.soft_error(error);
    }
    let node = p.start();
    p.bump();
    let operand = p.nested(|p| binary(p, level, AFTER_TOKEN)).flatten();
    if operator == NOT_KW && min_level > NOT {
        let error = errors::needs_parentheses(place, "this `not`", p.since(first));
        p.soft_error(error);
    }
    Some(p.completed(node, PREFIX_EXPR, height_of(operand) + 1, first))
}

/// Parses a lambda: `\x -> e`, `\x y -> e`, `\x: f32, y: f32 -> e`.
fn lambda(p: &mut Parser<'_>, min_level: u8) -> Completed {
    let (first, place) = (p.pos, p.here());
    let node = p.start();
    p.bump();
    let params = p.start();
    let mut height = 0;
    while p.at(IDENT) || (p.at(COMMA) && p.nth(1) == IDENT) {
        p.eat(COMMA);
        let param = p.start();
        p.name("a parameter");
        if p.eat(COLON) {
            height = height.max(types::type_(p));
        }
        p.complete(param, PARAM);
    }
    p.complete(params, LAMBDA_PARAMS);
    let body = if p.at(ARROW) || p.at(FAT_ARROW) {
        if p.at(FAT_ARROW) {
            let error = errors::instead(p.here(), "=>", "->");
            p.soft_error(error);
        }
        p.bump();
        expression(p, "after `->`")
    } else {
        let error = errors::expected_token(p.here(), "`->`", "after the lambda's parameters", &p.found());
        p.error(error);
        None
    };
    if min_level > 1 {
        let error = errors::needs_parentheses(place, "this lambda", p.since(first));
        p.soft_error(error);
    }
    p.completed(node, LAMBDA_EXPR, height.max(height_of(body)) + 1, first)
}

/// Parses Python's `lambda x, y: e` as the lambda that was meant.
fn lambda_of_python(p: &mut Parser<'_>) -> Completed {
    let (first, word) = (p.pos, p.here());
    let node = p.start();
    p.bump();
    let space = TextRange::new(word.end(), p.here().start());
    let params = p.start();
    while p.at(IDENT) || (p.at(COMMA) && p.nth(1) == IDENT) {
        p.eat(COMMA);
        let param = p.start();
        p.name("a parameter");
        p.complete(param, PARAM);
    }
    p.complete(params, LAMBDA_PARAMS);
    let colon = if p.at(COLON) { p.here() } else { p.behind() };
    p.soft_error(errors::lambda_of_python(word, space, colon));
    let body = if p.eat(COLON) { expression(p, "as the lambda's value") } else { None };
    p.completed(node, LAMBDA_EXPR, height_of(body) + 1, first)
}

/// Skips the `new` of `new P(x)`.
fn new_of_cpp(p: &mut Parser<'_>) {
    let gap = TextRange::new(p.here().start(), p.range(p.pos + 1).start());
    let error = match p.nth(2) {
        L_PAREN => errors::needless_word(p.here(), gap, "new", "a struct is made by a call of its name: `P(x, y)`"),
        _ => errors::foreign(
            p.here(),
            "no memory is asked for or given back",
            "`let a: f32[8]` is an array that lasts as long as its block; large ones are parameters",
        ),
    };
    p.soft_error(error);
    let skipped = p.start();
    p.bump();
    p.complete(skipped, ERROR);
}

/// Parses Rust's `|x| e` as the lambda that was meant; `second` is the mark of the `|` behind the parameters.
fn lambda_of_rust(p: &mut Parser<'_>, error: Diagnostic, second: usize) -> Completed {
    let first = p.pos;
    p.soft_error(error);
    let node = p.start();
    statements::skip_to(p, second + 1);
    let body = expression(p, "as the lambda's value");
    p.completed(node, LAMBDA_EXPR, height_of(body) + 1, first)
}

fn postfix(p: &mut Parser<'_>, context: &str) -> Option<Completed> {
    let mut expr = atom(p, context)?;
    loop {
        let (kind, height) = match p.current() {
            L_PAREN | L_BRACKET | DOT if expr.height >= MAX_HEIGHT => {
                let error = errors::too_deep(p.here(), "this expression", MAX_HEIGHT as usize);
                p.error(error);
                p.skip_line();
                return Some(expr);
            }
            L_PAREN => (CALL_EXPR, arguments(p, &mut expr)),
            L_BRACKET => (INDEX_EXPR, indices(p, &mut expr)),
            DOT => (FIELD_EXPR, field(p, &mut expr)),
            _ => return Some(expr),
        };
        expr.kind = kind;
        expr.height = expr.height.max(height) + 1;
    }
}

/// Starts the node of a postfix operator around `expr`, which is then replaced by that node.
fn around(p: &mut Parser<'_>, expr: &mut Completed) -> Marker {
    let node = p.precede(*expr);
    expr.event = node.event;
    node
}

fn arguments(p: &mut Parser<'_>, callee: &mut Completed) -> u32 {
    let call = around(p, callee);
    let mut height = 0;
    let list = p.start();
    let open = p.open();
    p.separated(open, |p| height = height.max(argument(p)));
    p.close(open);
    p.complete(list, ARG_LIST);
    p.complete(call, CALL_EXPR);
    height
}

pub(super) fn argument(p: &mut Parser<'_>) -> u32 {
    let stands_alone = level(p.current()).is_some() && matches!(p.nth(1), COMMA | R_PAREN | NEWLINE);
    if stands_alone {
        let operator = p.start();
        p.bump();
        p.complete(operator, OPERATOR_REF);
        return 1;
    }
    if let Some(height) = named_argument(p) {
        return height;
    }
    if p.at(AMP)
        && references::borrowed(p).is_none()
        && let Some(error) = references::address(p)
    {
        p.error(error);
    }
    let value = expression(p, "as an argument");
    height_of(comprehension(p, value))
}

/// Parses an argument that is given by the name of its parameter: `r=2.0`.
pub(super) fn named_argument(p: &mut Parser<'_>) -> Option<u32> {
    let with_colon = forms::is_named_with_colon(p);
    if !p.at(IDENT) || p.nth(1) != EQ && !with_colon {
        return None;
    }
    let named = p.start();
    p.name("a parameter");
    if with_colon {
        let gap = TextRange::new(p.here().start(), p.range(p.pos + 1).start());
        let message = ("an argument by its name has a `=`", "`f(x=2.0)` gives 2.0 for the parameter `x`");
        p.soft_error(errors::rewritten(p.here(), gap, message, "=".to_owned()));
    }
    p.bump();
    let height = height_of(expression(p, "as the argument's value"));
    p.complete(named, NAMED_ARG);
    Some(height + 1)
}

/// Parses what follows a value that is one for each element: `for x in a`, further `for`s, and a condition behind each.
fn comprehension(p: &mut Parser<'_>, value: Option<Completed>) -> Option<Completed> {
    let value = value?;
    if !p.at(FOR_KW) || p.silenced {
        return Some(value);
    }
    let (node, mut height) = (p.precede(value), value.height);
    while p.at(FOR_KW) {
        let clause = p.start();
        p.bump();
        let index = p.start();
        if super::statements::loop_header(p, false).is_some() {
            height = height.max(height_of(p.nested(|p| binary(p, 1, "after `in`")).flatten()));
        }
        p.complete(index, LOOP_INDEX);
        if p.eat(IF_KW) {
            height = height.max(height_of(p.nested(|p| binary(p, 1, "after `if`")).flatten()));
        }
        p.complete(clause, FOR_CLAUSE);
    }
    Some(p.completed(node, COMPREHENSION, height + 1, value.first))
}

fn indices(p: &mut Parser<'_>, base: &mut Completed) -> u32 {
    let index = around(p, base);
    let mut height = 0;
    let list = p.start();
    let open = p.open();
    if p.at(R_BRACKET) {
        let error = errors::expected_expression(p.here(), "as the index", &p.found());
        p.soft_error(error);
    }
    p.separated(open, |p| height = height.max(subscript(p)));
    p.close(open);
    p.complete(list, INDEX_LIST);
    p.complete(index, INDEX_EXPR);
    height
}

/// Parses an index, or a slice: `lo:hi`, `lo:hi:step`, each part of which may be left out. An argument of a function in brackets may
/// have the name of its parameter.
fn subscript(p: &mut Parser<'_>) -> u32 {
    if let Some(height) = named_argument(p) {
        return height;
    }
    let slice = p.start();
    let mut height = 0;
    let part = |p: &mut Parser<'_>, context| {
        if p.at_any(&[COLON, COMMA, R_BRACKET]) { 0 } else { height_of(expression(p, context)) }
    };
    let first = p.pos;
    if !p.at_any(&[COLON, DOT2]) {
        height = height_of(expression(p, "as an index"));
    }
    if p.at(DOT2)
        && let Some((error, stop)) = references::slice(p, first)
    {
        p.soft_error(error);
        statements::skip_to(p, stop);
        p.complete(slice, SLICE);
        return height + 1;
    }
    if !p.at(COLON) {
        p.abandon(slice);
        return height;
    }
    p.bump();
    height = height.max(part(p, "as the end of the slice"));
    if p.eat(COLON) {
        height = height.max(part(p, "as the step of the slice"));
    }
    p.complete(slice, SLICE);
    height + 1
}

fn field(p: &mut Parser<'_>, base: &mut Completed) -> u32 {
    let node = around(p, base);
    p.bump();
    if p.at(IDENT) {
        let name = p.start();
        p.bump();
        p.complete(name, NAME_REF);
    } else if p.at_any(&[INT, FLOAT]) && p.last.is_some_and(|dot| p.range(dot).end() == p.here().start()) {
        let (message, help) = forms::PART_OF_TUPLE;
        p.soft_error(errors::foreign(p.here(), message, help));
        let skipped = p.start();
        p.bump();
        p.complete(skipped, ERROR);
    } else {
        let error = errors::expected_name(p.here(), "a field's name after `.`", &p.found());
        p.error(error);
    }
    p.complete(node, FIELD_EXPR);
    0
}

fn atom(p: &mut Parser<'_>, context: &str) -> Option<Completed> {
    let first = p.pos;
    let node = p.start();
    let kind = match p.current() {
        INT | FLOAT | TRUE_KW | FALSE_KW | TEXT => {
            p.bump();
            LITERAL
        }
        IDENT => {
            p.bump();
            NAME_REF
        }
        L_PAREN => {
            let open = p.open();
            let inner = expression(p, "after `(`");
            let mut height = height_of(inner);
            if p.at(EQ) {
                height = height.max(assignment_for_comparison(p));
            }
            let is_tuple = p.at(COMMA) && !p.silenced;
            if let (Some(inner), true) = (inner, is_tuple) {
                height = tuple(p, open, inner);
            }
            p.close(open);
            let paren = p.completed(node, PAREN_EXPR, height + 1, first);
            // Its kind is that of what it stands for: one may assign to it.
            return Some(if is_tuple { Completed { kind: TUPLE_EXPR, ..paren } } else { paren });
        }
        L_BRACKET | IF_KW if value_of_others(p).is_some() => {
            if let Some((error, stop)) = value_of_others(p) {
                p.soft_error(error);
                while p.pos < stop {
                    p.bump();
                }
            }
            ERROR
        }
        L_BRACKET => {
            let height = elements(p);
            return Some(p.completed(node, ARRAY_EXPR, height + 1, first));
        }
        L_BRACE => {
            let error = value_in_braces(p);
            p.error(error);
            p.bump();
            p.skip_until(|p| p.at_close(first));
            if !p.at_line_end() {
                p.bump();
            }
            ERROR
        }
        kind => {
            p.abandon(node);
            no_expression(p, kind, context);
            return None;
        }
    };
    Some(p.completed(node, kind, 1, first))
}

/// Builds the error for a lambda of C++ or a choice of Rust, with the mark behind it.
fn value_of_others(p: &Parser<'_>) -> Option<(Diagnostic, usize)> {
    if p.at(IF_KW) { braces::choice(p) } else { braces::lambda_of_cpp(p) }
}

/// Builds the error for `{x, y}` where a value belongs.
fn value_in_braces(p: &Parser<'_>) -> Diagnostic {
    let error = errors::foreign(p.here(), "no value is written in braces", "an array is written in brackets: `[x, y]`");
    let closing = p.closing_of(p.pos).filter(|&closing| !(p.pos..closing).any(|pos| p.is_mark(pos)));
    let Some(closing) = closing else { return error };
    let whole = p.here().cover(p.range(closing));
    // A pair of C++, as in `return {x, y};`.
    let is_result = p.last.is_some_and(|last| p.kind_at(last) == RETURN_KW);
    let of_tuple = |header: &str| ["-> (", "pair<", "tuple<"].iter().any(|mark| header.contains(mark));
    if is_result && p.text.lines().next().is_some_and(of_tuple) {
        let error = errors::foreign(p.here(), "no value is written in braces", "several values are `(a, b)`");
        return error.with_fix("write parentheses", whole, format!("({})", p.text_of((p.pos + 1, closing))));
    }
    let text = p.text_of((p.pos, closing + 1)).replace('{', "[").replace('}', "]");
    error.with_fix("write brackets", whole, text)
}

/// Parses the elements of an array between their brackets.
fn elements(p: &mut Parser<'_>) -> u32 {
    let mut height = 0;
    let open = p.open();
    if p.at(R_BRACKET) {
        p.soft_error(errors::empty_array(p.range(open).cover(p.here())));
    }
    p.separated(open, |p| {
        let value = expression(p, "as an element");
        height = height.max(height_of(comprehension(p, value)));
        if p.at(SEMICOLON)
            && !p.silenced
            && let Some((error, stop)) = forms::filled_array(p, open)
        {
            p.soft_error(error);
            statements::skip_to(p, stop);
        }
    });
    p.close(open);
    height
}

/// Parses the further values of a tuple such as `(a, b)`, and leaves the closing bracket to the caller. Returns its height.
fn tuple(p: &mut Parser<'_>, open: usize, first: Completed) -> u32 {
    if let Some(error) = forms::sizes_as_tuple(p, open) {
        p.soft_error(error);
    }
    let (tuple, mut height) = (p.precede(first), first.height);
    p.bump();
    if p.at_close(open) {
        let error = errors::expected_expression(p.behind(), "after `,`", &p.found());
        p.soft_error(error);
    }
    p.separated(open, |p| height = height.max(height_of(expression(p, AFTER_TOKEN))));
    p.complete(tuple, TUPLE_EXPR);
    height + 1
}

fn no_expression(p: &mut Parser<'_>, kind: SyntaxKind, context: &str) {
    let slash =
        p.last.filter(|&last| kind == STAR && p.kind_at(last) == SLASH && p.range(last).end() == p.here().start());
    if let Some(slash) = slash {
        let error = errors::comment_of_c(p.range(slash), p.text);
        p.error(error);
        return;
    }
    if kind == PIPE {
        let error = errors::foreign(
            p.here(),
            "a function without a name is not written with `|`",
            "write `\\x -> ...`, with its parameters between `\\` and `->`",
        );
        p.error(error);
        return;
    }
    if kind == STAR && matches!(p.nth(1), IDENT | L_PAREN) {
        let error = references::pointed(p);
        p.error(error);
        return;
    }
    let reserved = kind.is_keyword() && matches!(p.nth(1), NEWLINE | COMMA | R_PAREN | R_BRACKET);
    let error = if reserved && !matches!(kind, IF_KW | ELSE_KW | IN_KW | AND_KW | OR_KW) {
        errors::reserved_word(p.here(), p.current_text())
    } else {
        // At the end of a line, or before a closing bracket, the error is about something missing rather than wrong.
        let place = if p.at_line_end() || kind.is_closing() { p.behind() } else { p.here() };
        let behind = p.last.map_or("", |last| p.text_at(last));
        let context = if context == AFTER_TOKEN { format!("after `{behind}`") } else { context.to_owned() };
        errors::expected_expression(place, &context, &p.found())
    };
    p.error(error);
}
