//! Signature help: the parameters of a call, while its arguments are being typed.
//!
//! The call is the innermost one whose parentheses are open at the cursor; they need not be closed yet. The argument
//! under the cursor is found by counting the commas before it, without those inside nested brackets.

use lane::tree::ast;
use lane::tree::ast::AstNode;
use lane::tree::{SyntaxKind, SyntaxNode, SyntaxToken, TokenAtOffset};
use report::{TextRange, TextSize};

use super::Located;
use super::symbol::{Symbol, symbol_of_token};
use super::wording::{cast_docs, constructor, domain, item_docs, item_header};
use hir::builtins::{AttributeId, BuiltinId};
use hir::infer;
use hir::ty::Ty;
use queries::db::{File, Item};

/// The signature of the call around the cursor, with the parameter that the cursor is at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignatureHelp {
    /// The signature, as Lane writes it.
    pub label: String,
    /// The ranges of the parameters in the label.
    pub parameters: Vec<TextRange>,
    /// The parameter that the cursor is at; `None` when there are too many arguments.
    pub active: Option<usize>,
    /// The documentation of the function, builtin or attribute.
    pub docs: Option<String>,
}

/// Returns the signature of the call whose arguments a place is in.
pub fn signature_help(db: &dyn salsa::Database, file: File, offset: TextSize) -> Option<SignatureHelp> {
    let located = Located::at(db, file, offset)?;
    let offset = offset - located.start;
    let list = open_list(&located.root, offset)?;
    let n_before = commas(&list).filter(|comma| comma.text_range().end() <= offset).count();
    let (label, docs) = callee(db, &located, &list)?;
    let parameters = parameters(&label);
    let is_called = |range: TextRange, name: &str| label[range].split(':').next() == Some(name);
    let given = given_by_name(&list, offset);
    let active = match (named(&list, offset), &given[..]) {
        (Some(name), _) => parameters.iter().position(|&range| is_called(range, &name)),
        (None, []) => active(&label, &parameters, n_before),
        // Behind an argument with a name stand others with names: the first that has no value yet is meant.
        (None, given) => (n_before - given.len()..parameters.len())
            .find(|&n| !given.iter().any(|name| is_called(parameters[n], name))),
    };
    Some(SignatureHelp { label, parameters, active, docs })
}

/// The innermost list of arguments that is open at a place.
fn open_list(root: &SyntaxNode, offset: TextSize) -> Option<SyntaxNode> {
    if let TokenAtOffset::Single(token) = root.token_at_offset(offset)
        && matches!(token.kind(), SyntaxKind::COMMENT | SyntaxKind::DOC_COMMENT)
    {
        return None;
    }
    // Behind the last argument typed so far there may be nothing but white space, which belongs to no list.
    let mut before = match root.token_at_offset(offset) {
        TokenAtOffset::None => return None,
        TokenAtOffset::Single(token) => token,
        TokenAtOffset::Between(left, _) => left,
    };
    while before.kind().is_between() || before.text_range().start() >= offset {
        before = before.prev_token()?;
    }
    before.parent_ancestors().find(|node| {
        let is_list = matches!(node.kind(), SyntaxKind::ARG_LIST | SyntaxKind::ATTR_ARGS);
        let open = bracket(node, SyntaxKind::L_PAREN).is_some_and(|open| open.end() <= offset);
        let closed = bracket(node, SyntaxKind::R_PAREN).is_some_and(|close| close.start() < offset);
        is_list && open && !closed
    })
}

fn bracket(list: &SyntaxNode, kind: SyntaxKind) -> Option<TextRange> {
    let tokens = list.children_with_tokens().filter_map(|child| child.into_token());
    tokens.into_iter().find(|token| token.kind() == kind).map(|token| token.text_range())
}

fn commas(list: &SyntaxNode) -> impl Iterator<Item = SyntaxToken> {
    let tokens = list.children_with_tokens().filter_map(|child| child.into_token());
    tokens.filter(|token| token.kind() == SyntaxKind::COMMA)
}

/// The name that the argument at a place is given by.
fn named(list: &SyntaxNode, offset: TextSize) -> Option<String> {
    let is_before = |node: &SyntaxNode| node.text_range().start() < offset;
    let last = list.children().filter(is_before).last()?;
    let behind = commas(list).any(|comma| {
        let at = comma.text_range();
        at.start() >= last.text_range().end() && at.end() <= offset
    });
    ast::NamedArg::cast(last).filter(|_| !behind)?.name()?.text()
}

/// The names of the arguments that end before a place.
fn given_by_name(list: &SyntaxNode, offset: TextSize) -> Vec<String> {
    let ended = |node: &SyntaxNode| {
        let behind = |comma: &SyntaxToken| comma.text_range().start() >= node.text_range().end();
        commas(list).any(|comma| behind(&comma) && comma.text_range().end() <= offset)
    };
    let named = list.children().filter(ended).filter_map(ast::NamedArg::cast);
    named.filter_map(|arg| arg.name()?.text()).collect()
}

/// Returns the signature and the documentation of the call that a list of arguments belongs to.
fn callee(db: &dyn salsa::Database, located: &Located<'_>, list: &SyntaxNode) -> Option<(String, Option<String>)> {
    let call = list.parent()?;
    if let Some(attr) = ast::Attr::cast(call.clone()) {
        let name = attr.name()?.text()?;
        let known = AttributeId::from_name(&name)?.get();
        return Some((known.signature(), Some(known.docs.to_owned())));
    }
    let name = match ast::CallExpr::cast(call.clone())?.callee()? {
        ast::Expr::NameRef(name) => name,
        // Arguments in brackets stand between: `poly[4](`.
        ast::Expr::IndexExpr(instance) => match instance.base()? {
            ast::Expr::NameRef(name) => name,
            _ => return None,
        },
        _ => return None,
    };
    let ident = name.ident()?;
    if let Some(word) = domain(&ident) {
        return Some((word.signature(commas(list).count()).to_owned(), Some(word.docs().to_owned())));
    }
    let symbol = symbol_of_token(db, located, &ident).or_else(|| of_name(db, located.item, ident.text()))?;
    signature(db, located.item, &symbol)
}

/// Returns the item or builtin of a name where names are not resolved, as in `for i in lerp(`.
fn of_name(db: &dyn salsa::Database, item: Item<'_>, name: &str) -> Option<Symbol> {
    let key = queries::key_of_name(db, item.file(db), name).cloned();
    key.map(Symbol::Item).or_else(|| BuiltinId::from_name(name).map(Symbol::Builtin))
}

fn signature(db: &dyn salsa::Database, item: Item<'_>, symbol: &Symbol) -> Option<(String, Option<String>)> {
    match symbol {
        Symbol::Item(key) => {
            let item = queries::item_of(db, item.file(db), key)?;
            let function = || Some(item_header(db, item)?.strip_prefix("fn ")?.to_owned());
            let label = constructor(db, item).or_else(function)?;
            Some((label, item_docs(db, item)))
        }
        Symbol::Builtin(builtin) => {
            let row = builtin.get();
            row.signature.ends_with(')').then(|| (row.signature.to_owned(), Some(row.docs.to_owned())))
        }
        Symbol::Scalar(scalar) => Some((format!("{scalar}(x)"), Some(cast_docs(*scalar)))),
        Symbol::Local(_, local) => {
            let (body, inference) = (queries::body(db, item), queries::infer(db, item));
            let Ty::Fn(params, result) = inference.locals.get(*local)? else { return None };
            let shown = |ty: &Ty| ty.display(&|atom| infer::atom_name(body, atom));
            let params: Vec<_> = params.iter().map(shown).collect();
            let name = &body.locals[*local].name;
            Some((format!("{name}({}) -> {}", params.join(", "), shown(result)), None))
        }
        Symbol::Field(..) | Symbol::Attribute(_) => None,
    }
}

/// The parameters of a label: what stands between the commas of its first parentheses.
fn parameters(label: &str) -> Vec<TextRange> {
    let Some(open) = label.find('(') else { return Vec::new() };
    let (mut found, mut depth, mut start) = (Vec::new(), 0u32, open + 1);
    let mut parameter = |start: usize, end: usize| {
        let text = &label[start..end];
        let start = start + (text.len() - text.trim_start().len());
        if start < end {
            found.push(TextRange::new(TextSize::new(start as u32), TextSize::new(end as u32)));
        }
    };
    for (at, c) in label.char_indices().skip_while(|&(at, _)| at <= open) {
        match c {
            '(' | '[' => depth += 1,
            ')' if depth == 0 => {
                parameter(start, at);
                break;
            }
            ')' | ']' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parameter(start, at);
                start = at + 1;
            }
            _ => {}
        }
    }
    found
}

/// The parameter of the argument behind so many commas; `...` stands for all that follow.
fn active(label: &str, parameters: &[TextRange], n_commas: usize) -> Option<usize> {
    let last = parameters.len().checked_sub(1)?;
    let open_ended = &label[parameters[last]] == "...";
    (n_commas <= last || open_ended).then(|| n_commas.min(last))
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::fixture::Fixture;

    /// The label with its active parameter marked, and what is said about it.
    fn show(fixture: &Fixture) -> String {
        let Some(help) = signature_help(&fixture.db, fixture.file, fixture.offset()) else {
            return "nothing\n".to_owned();
        };
        let mut label = help.label.clone();
        if let Some(active) = help.active {
            let range = help.parameters[active];
            label.insert(range.end().into(), '»');
            label.insert(range.start().into(), '«');
        }
        let parameters: Vec<_> = help.parameters.iter().map(|&range| &help.label[range]).collect();
        let docs = help.docs.map(|docs| docs + "\n").unwrap_or_default();
        format!("{label}\nparameters: {}\n{docs}", parameters.join(" | "))
    }

    fn check(marked: &str, expected: Expect) {
        expected.assert_eq(&show(&Fixture::new(marked)));
    }

    /// Whatever is in a line of a kernel.
    fn check_line(line: &str, expected: Expect) {
        let text = "\
## Blends two values.
fn lerp(a, b, t):
    return a + (b - a) * t
fn dot(a: f32[n], b: f32[n], m: i32) -> f32:
    return a[0] * b[m]
kernel k(a: f32[n], n: i32):
    LINE
";
        check(&text.replace("LINE", line), expected);
    }

    #[test]
    fn a_function() {
        check_line(
            "a[0] = lerp(a[0], $0a[1], 0.5)",
            expect![[r#"
            lerp(a: T, «b: T», t: T) -> T
            parameters: a: T | b: T | t: T
            Blends two values.
        "#]],
        );
    }

    #[test]
    fn an_argument_that_is_given_by_name() {
        let text = "fn f(x, scale=1.0, n: i32 = 3):\n    return x * scale\nkernel k(o: f32[4]):\n    o[0] = f(ARGS)\n";
        check(
            &text.replace("ARGS", "1, n=$03"),
            expect![[r#"
            f(x: T, scale: T = 1.0, «n: i32 = 3») -> T
            parameters: x: T | scale: T = 1.0 | n: i32 = 3
        "#]],
        );
        check(
            &text.replace("ARGS", "n=3, x=o[$01]"),
            expect![[r#"
            f(«x: T», scale: T = 1.0, n: i32 = 3) -> T
            parameters: x: T | scale: T = 1.0 | n: i32 = 3
        "#]],
        );
        check(
            &text.replace("ARGS", "n=3, $0"),
            expect![[r#"
            f(«x: T», scale: T = 1.0, n: i32 = 3) -> T
            parameters: x: T | scale: T = 1.0 | n: i32 = 3
        "#]],
        );
        check(
            &text.replace("ARGS", "1, n=3, $0"),
            expect![[r#"
            f(x: T, «scale: T = 1.0», n: i32 = 3) -> T
            parameters: x: T | scale: T = 1.0 | n: i32 = 3
        "#]],
        );
        check(
            &text.replace("ARGS", "clamp(1, hi=3, $0"),
            expect![[r#"
            clamp(x, «lo», hi)
            parameters: x | lo | hi
            `x`, moved into the range from `lo` to `hi`: `min(max(x, lo), hi)`.
        "#]],
        );
    }

    #[test]
    fn commas_in_brackets_of_a_type_are_no_ends_of_parameters() {
        check_line(
            "a[0] = dot(a, a, $0",
            expect![[r#"
            dot(a: f32[n], b: f32[n], «m: i32») -> f32
            parameters: a: f32[n] | b: f32[n] | m: i32
        "#]],
        );
        check(
            "fn f(m: f32[a, b], x):\n    return m[0, 0] + x\nkernel k(o):\n    o[0] = f($0)\n",
            expect![[r#"
            f(«m: f32[a, b]», x: f32) -> f32
            parameters: m: f32[a, b] | x: f32
        "#]],
        );
    }

    #[test]
    fn a_builtin_in_half_typed_code() {
        check_line(
            "x = min(a[0], $0",
            expect![[r#"
            min(a, «b»)
            parameters: a | b
            The smaller of the two: `a if a < b else b`. When one is NaN, the result is `b`.
        "#]],
        );
        check_line(
            "x = min($0",
            expect![[r#"
            min(«a», b)
            parameters: a | b
            The smaller of the two: `a if a < b else b`. When one is NaN, the result is `b`.
        "#]],
        );
        check_line(
            "x = min(a[0, $0",
            expect![[r#"
            min(«a», b)
            parameters: a | b
            The smaller of the two: `a if a < b else b`. When one is NaN, the result is `b`.
        "#]],
        );
    }

    #[test]
    fn the_innermost_call_counts() {
        check_line(
            "a[0] = min(lerp(1, 2, $0), 3)",
            expect![[r#"
            lerp(a: T, b: T, «t: T») -> T
            parameters: a: T | b: T | t: T
            Blends two values.
        "#]],
        );
        check_line(
            "a[0] = min(lerp(1, 2, 3), $03)",
            expect![[r#"
            min(a, «b»)
            parameters: a | b
            The smaller of the two: `a if a < b else b`. When one is NaN, the result is `b`.
        "#]],
        );
        check_line(
            "a[0] = min((1 + $02), 3)",
            expect![[r#"
            min(«a», b)
            parameters: a | b
            The smaller of the two: `a if a < b else b`. When one is NaN, the result is `b`.
        "#]],
        );
    }

    #[test]
    fn on_the_next_line_of_an_open_call() {
        check_line(
            "a[0] = clamp(a[1],\n        0,\n        $0)",
            expect![[r#"
            clamp(x, lo, «hi»)
            parameters: x | lo | hi
            `x`, moved into the range from `lo` to `hi`: `min(max(x, lo), hi)`.
        "#]],
        );
    }

    #[test]
    fn all_further_arguments_are_dots() {
        check_line(
            "a[0] = reduce(+, 0, map(\\x y z -> x, a, a, $0a))",
            expect![[r#"
                map(f, a, «...»)
                parameters: f | a | ...
                The array of `f` applied to each element of `a`; with more arrays, to the elements of all of them at each index.
            "#]],
        );
    }

    #[test]
    fn too_many_arguments_have_no_parameter() {
        check_line(
            "a[0] = abs(1, $02)",
            expect![[r#"
            abs(x)
            parameters: x
            The value without its sign.
        "#]],
        );
    }

    #[test]
    fn a_cast() {
        check_line(
            "a[0] = f32($0n)",
            expect![[r#"
            f32(«x»)
            parameters: x
            `x` as `f32`. The value of this type that is nearest to `x`.
        "#]],
        );
        check_line(
            "i = i32($0",
            expect![[r#"
                i32(«x»)
                parameters: x
                `x` as `i32`. An integer keeps its low bits. A float loses its fraction; one that does not fit the type is an error of the program.
            "#]],
        );
    }

    #[test]
    fn a_range_by_what_it_has() {
        check_line(
            "for i in range($0",
            expect![[r#"
            range(«stop»)
            parameters: stop
            The numbers from `start` (0 when left out) up to but not including `stop`, `step` apart (1 when left out). A negative step counts down.
        "#]],
        );
        check_line(
            "for i in range(0, $0n):\n        pass",
            expect![[r#"
            range(start, «stop»)
            parameters: start | stop
            The numbers from `start` (0 when left out) up to but not including `stop`, `step` apart (1 when left out). A negative step counts down.
        "#]],
        );
        check_line(
            "for i in range($0n, 0, -1):\n        pass",
            expect![[r#"
            range(«start», stop, step)
            parameters: start | stop | step
            The numbers from `start` (0 when left out) up to but not including `stop`, `step` apart (1 when left out). A negative step counts down.
        "#]],
        );
    }

    #[test]
    fn attributes() {
        check(
            "@lanes($0)\nkernel k(a):\n    a[0] = 1\n",
            expect![[r#"
                @lanes(«count»)
                parameters: count
                The number of iterations that run together, as lanes.
            "#]],
        );
        check(
            "@alias(a, $0\nkernel k(a, b):\n    a[0] = b[0]\n",
            expect![[r#"
                @alias(a, «b», ...)
                parameters: a | b | ...
                These arrays may overlap: the kernel checks when it runs whether they do, and then takes a path that runs in order.
            "#]],
        );
    }

    #[test]
    fn a_function_in_a_variable() {
        check_line(
            "f = \\x -> x * 2.0\n    a[0] = f($0a[1])",
            expect![[r#"
            f(«f32») -> f32
            parameters: f32
        "#]],
        );
    }

    #[test]
    fn not_outside_the_parentheses() {
        check_line(
            "a[0] = min$0(1, 2)",
            expect![[r#"
            nothing
        "#]],
        );
        check_line(
            "a[0] = min(1, 2)$0",
            expect![[r#"
            nothing
        "#]],
        );
        check_line(
            "a[0] = ($01 + 2)",
            expect![[r#"
            nothing
        "#]],
        );
        check_line(
            "a[0] = unheard($01)",
            expect![[r#"
            nothing
        "#]],
        );
        check_line(
            "a[0] = min(1,  # $0 note\n        2)",
            expect![[r#"
            nothing
        "#]],
        );
        check(
            "kernel k($0a):\n    a[0] = 1\n",
            expect![[r#"
            nothing
        "#]],
        );
    }

    #[test]
    fn in_lines_that_are_half_typed_or_not_understood() {
        let lines = [
            "lerp(1, $0",
            "lerp(1, $0) = 3",
            "a[0] = 1 + lerp(1, $0 2 3",
            "a[0] = lerp(1, $0 * 2)",
            "a[lerp(1, $0",
            "a[0] = ] lerp(1, $0",
            "if lerp(1, $0",
            "elif lerp(1, $0",
            "return lerp(1, $0:",
            "let = lerp(1, $0",
            "let x: f32 lerp(1, $0",
            "x y lerp(1, $0",
            "for i in lerp(1, $0",
            "@lanes(lerp(1, $0",
        ];
        let text = "fn lerp(a, b, t):\n    return a + (b - a) * t\nkernel k(a):\n    ";
        let mut out = String::new();
        for line in lines {
            let shown = show(&Fixture::new(&format!("{text}{line}\n")));
            out += &format!("{line:26} {}\n", shown.lines().next().unwrap_or_default());
        }
        expect![[r#"
            lerp(1, $0                 lerp(a: T, «b: T», t: T) -> T
            lerp(1, $0) = 3            lerp(a: T, «b: T», t: T) -> T
            a[0] = 1 + lerp(1, $0 2 3  lerp(a: T, «b: T», t: T) -> T
            a[0] = lerp(1, $0 * 2)     lerp(a: T, «b: T», t: T) -> T
            a[lerp(1, $0               lerp(a: T, «b: T», t: T) -> T
            a[0] = ] lerp(1, $0        nothing
            if lerp(1, $0              lerp(a: T, «b: T», t: T) -> T
            elif lerp(1, $0            lerp(a: T, «b: T», t: T) -> T
            return lerp(1, $0:         lerp(a: T, «b: T», t: T) -> T
            let = lerp(1, $0           lerp(a: T, «b: T», t: T) -> T
            let x: f32 lerp(1, $0      nothing
            x y lerp(1, $0             nothing
            for i in lerp(1, $0        lerp(a: T, «b: T», t: T) -> T
            @lanes(lerp(1, $0          lerp(a: T, «b: T», t: T) -> T
        "#]]
        .assert_eq(&out);
    }

    #[test]
    fn a_struct_that_is_made() {
        check(
            "## A place.\nstruct V:\n    x: f32\n    y: f32\nkernel k(o: V[n], n: i32):\n    o[0] = V(1, $0)\n",
            expect![[r#"
                V(x: f32, «y: f32») -> V
                parameters: x: f32 | y: f32
                A place.
            "#]],
        );
        check(
            "struct V:\n    x: f32\n    y: f32\nkernel k(o: V[n], n: i32):\n    o[0] = V(y=1, $0)\n",
            expect![[r#"
                V(«x: f32», y: f32) -> V
                parameters: x: f32 | y: f32
            "#]],
        );
    }
}
