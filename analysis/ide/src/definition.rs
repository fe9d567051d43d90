//! Go to definition: the places where a name, or the type of a value, is defined.

use lane::tree::ast;
use lane::tree::ast::AstNode;
use lane::tree::{SyntaxKind, SyntaxNode};
use report::{TextRange, TextSize};

use super::Located;
use super::symbol::{Symbol, expression_at, function_called, symbol_at};
use hir::builtins::BuiltinId;
use hir::enums::members;
use hir::finding::ItemKey;
use hir::ty::Ty;
use ir::Elem;
use queries::check::start_of;
use queries::db::File;
use queries::prelude;

/// A place that defines a name, for an editor to go to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DefinitionSite {
    /// The file it is in.
    pub file: File,
    /// The whole definition: an item with its docs and attributes, a statement, a parameter.
    pub range: TextRange,
    /// The name that it defines.
    pub focus: TextRange,
}

/// Returns the place where the name at a place is defined; on a definition, that itself. Builtins and attributes have a
/// place in the prelude: a function, or a comment that describes them.
pub fn definition(db: &dyn salsa::Database, file: File, offset: TextSize) -> Vec<DefinitionSite> {
    let found = symbol_at(db, file, offset).and_then(|found| match found.symbol {
        Symbol::Builtin(builtin) => of_builtin(db, file, offset, builtin),
        symbol => target(db, file, &symbol),
    });
    found.or_else(|| used_file(db, file, offset)).into_iter().collect()
}

/// The start of the file that the path of a `use` names.
fn used_file(db: &dyn salsa::Database, file: File, offset: TextSize) -> Option<DefinitionSite> {
    let located = Located::at(db, file, offset)?;
    let mut around = located.token(offset)?.parent_ancestors();
    around.find(|node| node.kind() == SyntaxKind::USE_PATH)?;
    let file = queries::uses::file_of_use(db, located.item)?;
    let start = TextRange::empty(TextSize::new(0));
    Some(DefinitionSite { file, range: start, focus: start })
}

/// The function of the prelude that a builtin is where it is named, or the comment there that describes it.
fn of_builtin(db: &dyn salsa::Database, file: File, offset: TextSize, builtin: BuiltinId) -> Option<DefinitionSite> {
    let located = Located::at(db, file, offset)?;
    let called = located.token(offset).and_then(|token| function_called(db, &located, &token, builtin));
    match called {
        Some(function) => target(db, function.file(db), &Symbol::Item(queries::key(db, function))),
        None => told_of(db, builtin.get().signature, builtin.get().name),
    }
}

/// The struct that a value at a place is one of, or holds.
pub fn type_definition(db: &dyn salsa::Database, file: File, offset: TextSize) -> Vec<DefinitionSite> {
    let found = type_at(db, file, offset).and_then(|ty| {
        let key = struct_of(db, file, &ty)?;
        target(db, file, &Symbol::Item(key))
    });
    found.into_iter().collect()
}

/// The place where a symbol is defined.
pub(super) fn target(db: &dyn salsa::Database, file: File, symbol: &Symbol) -> Option<DefinitionSite> {
    let (key, name) = match symbol {
        Symbol::Local(key, local) => {
            let map = &queries::lowered(db, queries::item_of(db, file, key)?).map;
            (key.clone(), map.locals[*local])
        }
        Symbol::Item(key) => (key.clone(), queries::lowered(db, queries::item_of(db, file, key)?).map.name?),
        Symbol::Field(name, field) => {
            let key = struct_key(db, file, name)?;
            let members = members(queries::body(db, queries::item_of(db, file, &key)?));
            let (_, at) = members.into_iter().find(|(other, _)| other == field)?;
            (key, at)
        }
        Symbol::Builtin(builtin) => match prelude::function(db, *builtin, Elem::F32, false) {
            Some(function) => (queries::key(db, function), queries::lowered(db, function).map.name?),
            None => return told_of(db, builtin.get().signature, builtin.get().name),
        },
        Symbol::Attribute(id) => return told_of(db, &id.get().signature(), id.get().name),
        Symbol::Scalar(_) => return None,
    };
    let item = queries::item_of(db, file, &key)?;
    let located = Located::new(db, item, start_of(db, item)?);
    let focus = located.range(db, name);
    let name = located.root.covering_element(focus - located.start);
    let around = name.ancestors().find(|node| is_definition(node.kind()))?;
    Some(DefinitionSite { file: item.file(db), range: without_edges(&around)? + located.start, focus })
}

/// Returns the place in the prelude that describes something that is not written in Lane.
fn told_of(db: &dyn salsa::Database, signature: &str, name: &str) -> Option<DefinitionSite> {
    let (range, focus) = prelude::told_of(signature, name)?;
    Some(DefinitionSite { file: prelude::file(db), range, focus })
}

fn is_definition(kind: SyntaxKind) -> bool {
    ast::Item::can_cast(kind)
        || matches!(
            kind,
            SyntaxKind::PARAM
                | SyntaxKind::FIELD_DEF
                | SyntaxKind::VARIANT_DEF
                | SyntaxKind::MATCH_CASE
                | SyntaxKind::LET_STMT
                | SyntaxKind::ASSIGN_STMT
                | SyntaxKind::LOOP_INDEX
                | SyntaxKind::LOOP_PART
        )
}

/// The range of a node without the white space, line breaks and comments at its edges; docs count as its own.
fn without_edges(node: &SyntaxNode) -> Option<TextRange> {
    let tokens = || node.descendants_with_tokens().filter_map(|element| element.into_token());
    let first = tokens().find(|token| !token.kind().is_between() || token.kind() == SyntaxKind::DOC_COMMENT)?;
    let last = tokens().filter(|token| !token.kind().is_between()).last()?;
    Some(TextRange::new(first.text_range().start(), last.text_range().end()))
}

/// The type of the local, or else of the expression, at a place.
fn type_at(db: &dyn salsa::Database, file: File, offset: TextSize) -> Option<Ty> {
    match symbol_at(db, file, offset).map(|found| found.symbol) {
        Some(Symbol::Local(key, local)) => {
            let item = queries::item_of(db, file, &key)?;
            queries::infer(db, item).locals.get(local).cloned()
        }
        Some(Symbol::Item(key)) if key.kind.is_type() => Some(Ty::Struct(key.name)),
        Some(Symbol::Item(key)) => {
            let item = queries::item_of(db, file, &key)?;
            queries::signature(db, item).result.clone()
        }
        _ => {
            let located = Located::at(db, file, offset)?;
            let (_, expr) = expression_at(db, &located, &located.token(offset)?)?;
            queries::infer(db, located.item).exprs.get(expr).cloned()
        }
    }
}

fn struct_of(db: &dyn salsa::Database, file: File, ty: &Ty) -> Option<ItemKey> {
    match ty {
        Ty::Struct(name) => struct_key(db, file, name),
        Ty::Array(element, _) => struct_of(db, file, element),
        Ty::Fn(_, result) => struct_of(db, file, result),
        Ty::Tuple(parts) => parts.iter().find_map(|part| struct_of(db, file, part)),
        _ => None,
    }
}

/// The struct of a name.
pub(super) fn struct_key(db: &dyn salsa::Database, file: File, name: &str) -> Option<ItemKey> {
    queries::struct_named(db, file, name.into()).map(|item| queries::key(db, item))
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::fixture::Fixture;

    fn show(fixture: &Fixture, targets: &[DefinitionSite]) -> String {
        let all = targets.iter().flat_map(|target| [(target.range, "all"), (target.focus, "name")]);
        if targets.is_empty() { "nothing".to_owned() } else { fixture.marked(all) }
    }

    fn check(marked: &str, expected: Expect) {
        let fixture = Fixture::new(marked);
        expected.assert_eq(&show(&fixture, &definition(&fixture.db, fixture.file, fixture.offset())));
    }

    fn check_type(marked: &str, expected: Expect) {
        let fixture = Fixture::new(marked);
        expected.assert_eq(&show(&fixture, &type_definition(&fixture.db, fixture.file, fixture.offset())));
    }

    #[test]
    fn a_parameter() {
        check(
            "kernel k(a: f32[n], n):\n    a[0] = $0a[1]\n",
            expect![[r#"
            kernel k(«all:«name:a»: f32[n]», n):
                a[0] = a[1]
        "#]],
        );
    }

    #[test]
    fn a_variable_of_a_let() {
        check(
            "kernel k(a):\n    let x: f32 = a[0]  # note\n    a[1] = x$0\n",
            expect![[r#"
            kernel k(a):
                «all:let «name:x»: f32 = a[0]»  # note
                a[1] = x
        "#]],
        );
    }

    #[test]
    fn a_variable_that_its_first_assignment_defines() {
        check(
            "kernel k(a):\n    x = a[0]\n    x = x + 1\n    a[1] = $0x\n",
            expect![[r#"
            kernel k(a):
                «all:«name:x» = a[0]»
                x = x + 1
                a[1] = x
        "#]],
        );
    }

    #[test]
    fn a_definition_leads_to_itself() {
        check(
            "kernel k(a):\n    $0x = a[0]\n    a[1] = x\n",
            expect![[r#"
            kernel k(a):
                «all:«name:x» = a[0]»
                a[1] = x
        "#]],
        );
    }

    #[test]
    fn a_loop_index() {
        check(
            "kernel k(a, n):\n    foreach i in range(n), j in range(2):\n        a[i, $0j] = 1\n",
            expect![[r#"
            kernel k(a, n):
                foreach i in range(n), «all:«name:j» in range(2)»:
                    a[i, j] = 1
        "#]],
        );
    }

    #[test]
    fn a_lambda_parameter() {
        check(
            "kernel k(a, out):\n    out[0] = reduce(\\x y -> x + $0y, 0.0, a)\n",
            expect![[r#"
            kernel k(a, out):
                out[0] = reduce(\x «all:«name:y»» -> x + y, 0.0, a)
        "#]],
        );
    }

    #[test]
    fn the_innermost_of_two_of_one_name() {
        check(
            "kernel k(a, n):\n    for i in range(n):\n        let n = 1\n        a[i] = $0n\n",
            expect![[r#"
            kernel k(a, n):
                for i in range(n):
                    «all:let «name:n» = 1»
                    a[i] = n
        "#]],
        );
    }

    #[test]
    fn a_size_of_a_function() {
        check(
            "fn f(a: f32[k], b: f32[k]):\n    return a[$0k - 1] + b[0]\n",
            expect![[r#"
            fn f(«all:a: f32[«name:k»]», b: f32[k]):
                return a[k - 1] + b[0]
        "#]],
        );
    }

    #[test]
    fn a_function_with_its_docs_and_attributes() {
        check(
            "## Doubles.\n@fast\nfn twice(x):\n    return 2 * x\n\n# a comment\nkernel k(a):\n    a[0] = twi$0ce(a[1])\n",
            expect![[r#"
                «all:## Doubles.
                @fast
                fn «name:twice»(x):
                    return 2 * x»

                # a comment
                kernel k(a):
                    a[0] = twice(a[1])
            "#]],
        );
    }

    #[test]
    fn a_link_in_documentation() {
        check(
            "## See [`twi$0ce`].\nconst N = 4\nfn twice(x): return x + x\n",
            expect![[r#"
            ## See [`twice`].
            const N = 4
            «all:fn «name:twice»(x): return x + x»
        "#]],
        );
        check("## See twi$0ce.\nconst N = 4\nfn twice(x): return x + x\n", expect!["nothing"]);
        check("# See [twi$0ce].\nconst N = 4\nfn twice(x): return x + x\n", expect!["nothing"]);
    }

    #[test]
    fn a_constant() {
        check(
            "const N = 4\nkernel k(a: f32[$0N]):\n    a[0] = 1\n",
            expect![[r#"
            «all:const «name:N» = 4»
            kernel k(a: f32[N]):
                a[0] = 1
        "#]],
        );
    }

    #[test]
    fn a_struct_from_the_name_of_a_type() {
        check(
            "struct P:\n    x: f32\n    y: f32\nkernel k(p: $0P[n], n):\n    p[0].x = 1\n",
            expect![[r#"
            «all:struct «name:P»:
                x: f32
                y: f32»
            kernel k(p: P[n], n):
                p[0].x = 1
        "#]],
        );
    }

    #[test]
    fn a_field_from_an_access() {
        check(
            "struct P:\n    x: f32\n    y: f32\nkernel k(p: P[n], n):\n    p[0].$0y = 1\n",
            expect![[r#"
            struct P:
                x: f32
                «all:«name:y»: f32»
            kernel k(p: P[n], n):
                p[0].y = 1
        "#]],
        );
    }

    #[test]
    fn a_name_used_after_its_block() {
        check(
            "kernel k(a, n):\n    if n > 1:\n        x = 2.0\n    a[0] = $0x\n",
            expect![[r#"
            kernel k(a, n):
                if n > 1:
                    «all:«name:x» = 2.0»
                a[0] = x
        "#]],
        );
    }

    #[test]
    fn types_and_unknown_names_have_no_place() {
        check("kernel k(a: $0f32[n], n):\n    a[0] = 1\n", expect!["nothing"]);
        check("kernel k(a):\n    a[0] = $0unheard\n", expect!["nothing"]);
        check("kernel k(a):  # $0a\n    a[0] = 1\n", expect!["nothing"]);
    }

    #[test]
    fn in_half_typed_code() {
        check(
            "kernel k(a, n):\n    x = a[0]\n    a[1] = min(x, $0x\n",
            expect![[r#"
            kernel k(a, n):
                «all:«name:x» = a[0]»
                a[1] = min(x, x
        "#]],
        );
    }

    #[test]
    fn the_struct_of_a_local() {
        check_type(
            "struct P:\n    x: f32\nkernel k(p: P[n], n):\n    q = p[0]\n    p[1].x = $0q.x\n",
            expect![[r#"
            «all:struct «name:P»:
                x: f32»
            kernel k(p: P[n], n):
                q = p[0]
                p[1].x = q.x
        "#]],
        );
    }

    #[test]
    fn the_struct_of_an_array_and_of_an_access() {
        check_type(
            "struct P:\n    x: f32\nkernel k(p: P[n], n):\n    $0p[1].x = 2\n",
            expect![[r#"
            «all:struct «name:P»:
                x: f32»
            kernel k(p: P[n], n):
                p[1].x = 2
        "#]],
        );
        check_type("struct P:\n    x: f32\nkernel k(p: P[n], n):\n    p[1$0].x = 2\n", expect!["nothing"]);
        check_type(
            "struct P:\n    x: f32\nkernel k(p: P[n], n):\n    p$0[1].x = 2\n",
            expect![[r#"
            «all:struct «name:P»:
                x: f32»
            kernel k(p: P[n], n):
                p[1].x = 2
        "#]],
        );
    }

    #[test]
    fn scalars_have_no_struct() {
        check_type("kernel k(a):\n    $0a[0] = 1\n", expect!["nothing"]);
    }
}
