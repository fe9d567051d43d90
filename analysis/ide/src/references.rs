//! All places of a file where one thing is named, and what is done with it there.

use lane::tree::ast;
use lane::tree::ast::AstNode;
use lane::tree::{SyntaxKind, SyntaxNode, SyntaxToken};
use report::{ItemKind, TextRange, TextSize};

use super::Located;
use super::symbol::{Symbol, SymbolNames, is_in_pattern, symbol_at};
use hir::LocalId;
use hir::finding::ItemKey;
use queries::db::{File, Item, cut_file};

/// A place where something is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reference {
    /// The range of the name.
    pub range: TextRange,
    /// The use that is made of the thing there.
    pub kind: ReferenceKind,
}

/// The use that is made of something at a place that names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ReferenceKind {
    /// The definition.
    Definition,
    /// A read of the value, or a mere mention, as of an attribute.
    Read,
    /// An assignment or a store to the thing, or to a part of it.
    Write,
    /// Both a read and a write: `x += 1`.
    Update,
    /// A call of the function.
    Call,
    /// A use as a type.
    Type,
}

/// All references in the file to what the name at a place stands for, in order, its definition among them.
pub fn references(db: &dyn salsa::Database, file: File, offset: TextSize) -> Vec<Reference> {
    symbol_at(db, file, offset).map(|found| references_to(db, file, &found.symbol)).unwrap_or_default()
}

/// All references to what the name at a place stands for, in the file and in those of `files` that can see it, each file's in order.
pub fn references_in(
    db: &dyn salsa::Database,
    files: &[File],
    file: File,
    offset: TextSize,
) -> Vec<(File, Vec<Reference>)> {
    let Some(found) = symbol_at(db, file, offset) else { return Vec::new() };
    let seeing = files_of(db, files, file, &found.symbol).into_iter();
    let found = seeing.map(|of| (of, references_to(db, of, &found.symbol)));
    found.filter(|(_, found)| !found.is_empty()).collect()
}

/// The files in which a symbol of a file may be named: that of its definition first, if it has one in a file.
pub(super) fn files_of(db: &dyn salsa::Database, files: &[File], file: File, symbol: &Symbol) -> Vec<File> {
    let home = match symbol {
        Symbol::Local(key, _) | Symbol::Item(key) => queries::file_of(db, file, key.file),
        Symbol::Field(name, _) => queries::struct_named(db, file, name.clone()).map_or(file, |item| item.file(db)),
        _ => return vec![file],
    };
    match home == queries::prelude::file(db) {
        // Every file sees the prelude.
        true => vec![file],
        false => queries::uses::files_that_see(db, files, home),
    }
}

/// All references in the file to a symbol, in order.
pub(super) fn references_to(db: &dyn salsa::Database, file: File, symbol: &Symbol) -> Vec<Reference> {
    let Some(name) = symbol.name(db, file) else { return Vec::new() };
    let mut found = Vec::new();
    for (item, start) in items_that_may_name(db, file, symbol, &name) {
        let located = Located::new(db, item, start);
        let names = SymbolNames::new(db, &located);
        for (token, other) in names.iter() {
            if token.text() == &*name && other.as_ref() == Some(symbol) {
                let kind = kind_of(db, &names, &token, symbol);
                found.push(Reference { range: token.text_range() + start, kind });
            }
        }
    }
    found
}

/// A local is named in its own item alone, but for a parameter, which arguments are given by; anything else, in items whose text
/// holds its name. So most items are never
/// looked at.
fn items_that_may_name<'db>(
    db: &'db dyn salsa::Database,
    file: File,
    symbol: &Symbol,
    name: &str,
) -> Vec<(Item<'db>, TextSize)> {
    let cut = cut_file(db, file);
    let all = cut.items.iter().copied().zip(cut.starts.iter().copied());
    let may = |item: Item<'db>| match symbol {
        Symbol::Local(key, local) => queries::key(db, item) == *key || may_be_given(db, item, key, *local, name),
        _ => item.text(db).contains(name),
    };
    all.filter(|&(item, _)| may(item)).collect()
}

/// Says whether an item may call a function and give a parameter of it by its name.
pub(super) fn may_be_given(
    db: &dyn salsa::Database,
    item: Item<'_>,
    function: &ItemKey,
    local: LocalId,
    name: &str,
) -> bool {
    let text = item.text(db);
    // The arguments of an instance are given to a kernel.
    let takes_names = matches!(function.kind, ItemKind::Fn | ItemKind::Kernel);
    let calls = takes_names && text.contains(&*function.name) && text.contains(name);
    calls
        && queries::item_of(db, item.file(db), function).is_some_and(|of| {
            let body = &queries::resolved(db, of).body;
            let is_param = function.kind == ItemKind::Fn && body.params.contains(&local);
            is_param || body.generics.iter().any(|generic| generic.local == local)
        })
}

/// Returns the use that is made of a symbol at a token that names it.
pub(super) fn kind_of(
    db: &dyn salsa::Database,
    names: &SymbolNames<'_, '_>,
    token: &SyntaxToken,
    symbol: &Symbol,
) -> ReferenceKind {
    let Some(parent) = token.parent() else { return ReferenceKind::Read };
    if parent.parent().is_some_and(|around| around.kind() == SyntaxKind::NAMED_ARG) && parent.kind() == SyntaxKind::NAME
    {
        return ReferenceKind::Write;
    }
    let in_attribute = parent.parent().is_some_and(|around| around.kind() == SyntaxKind::ATTR);
    if !in_attribute && (parent.kind() == SyntaxKind::NAME || defines_local(db, names.located(), token, symbol)) {
        return ReferenceKind::Definition;
    }
    let is_struct = matches!(symbol, Symbol::Item(key) if key.kind.is_type());
    if is_struct || matches!(symbol, Symbol::Scalar(_)) {
        return ReferenceKind::Type;
    }
    use_of(names, &parent)
}

/// A local may be defined by an assignment, or as a size: by a name that is no definition by its form.
fn defines_local(db: &dyn salsa::Database, located: &Located<'_>, token: &SyntaxToken, symbol: &Symbol) -> bool {
    let Symbol::Local(key, local) = symbol else { return false };
    if queries::key(db, located.item) != *key {
        return false;
    }
    located.dense(db, token) == Some(queries::lowered(db, located.item).map.locals[*local])
}

/// Returns the use that is made of the thing that a name in an expression stands for.
fn use_of(names: &SymbolNames<'_, '_>, name: &SyntaxNode) -> ReferenceKind {
    let Some(around) = name.parent() else { return ReferenceKind::Read };
    // `Circle(r)` calls nothing there.
    if is_in_pattern(name) {
        return ReferenceKind::Read;
    }
    let mut place = place(name);
    // Several targets are each written, as several values are each read.
    while let Some(tuple) =
        place.parent().filter(|it| matches!(it.kind(), SyntaxKind::TUPLE_EXPR | SyntaxKind::PAREN_EXPR))
    {
        place = tuple;
    }
    match place.parent().map(|parent| (parent.kind(), parent)) {
        Some((SyntaxKind::CALL_EXPR, _)) if around.kind() == SyntaxKind::CALL_EXPR => ReferenceKind::Call,
        Some((SyntaxKind::ASSIGN_STMT, parent)) => assigned(&place, parent),
        Some((SyntaxKind::ARG_LIST, parent)) if is_stored_into(names, &place, &parent) => ReferenceKind::Write,
        _ => ReferenceKind::Read,
    }
}

/// Returns the whole place that is read or written when a part of it is: from `a` to `a[i].x`. The subscripts of an
/// access are no part of the place that is accessed, nor is the base of a field access part of the field.
pub(super) fn place(name: &SyntaxNode) -> SyntaxNode {
    let mut place = name.clone();
    while let Some(around) = place.parent() {
        let is_part = matches!(around.kind(), SyntaxKind::INDEX_EXPR | SyntaxKind::FIELD_EXPR | SyntaxKind::PAREN_EXPR);
        if !is_part {
            break;
        }
        place = around;
    }
    place
}

fn assigned(place: &SyntaxNode, stmt: SyntaxNode) -> ReferenceKind {
    let Some(stmt) = ast::AssignStmt::cast(stmt) else { return ReferenceKind::Read };
    match stmt.target() {
        Some(target) if target.syntax() == place => {
            if stmt.applied().is_some() {
                ReferenceKind::Update
            } else {
                ReferenceKind::Write
            }
        }
        _ => ReferenceKind::Read,
    }
}

/// Tells if the place is the array that a call stores into: the first argument of `compress_store`, and of `atomic_add` and its like.
fn is_stored_into(names: &SymbolNames<'_, '_>, place: &SyntaxNode, args: &SyntaxNode) -> bool {
    let Some(call) = args.parent().and_then(ast::CallExpr::cast) else { return false };
    let Some(ast::Expr::NameRef(callee)) = call.callee() else { return false };
    let builtin = callee.ident().and_then(|ident| names.symbol(&ident));
    let stores = matches!(builtin, Some(Symbol::Builtin(builtin)) if builtin.get().shape.stores());
    let first = call.args().and_then(|args| args.args().next());
    stores && first.is_some_and(|first| first.syntax() == place)
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::fixture::Fixture;

    fn check(marked: &str, expected: Expect) {
        let fixture = Fixture::new(marked);
        let found = references(&fixture.db, fixture.file, fixture.offset());
        let word = |kind| match kind {
            ReferenceKind::Definition => "definition",
            ReferenceKind::Read => "read",
            ReferenceKind::Write => "write",
            ReferenceKind::Update => "update",
            ReferenceKind::Call => "call",
            ReferenceKind::Type => "type",
        };
        expected.assert_eq(&fixture.marked(found.iter().map(|found| (found.range, word(found.kind)))));
    }

    #[test]
    fn an_array_is_written_where_its_elements_are() {
        check(
            "kernel k($0a, b, n):\n    for i in range(n):\n        a[i] = a[i + 1] + b[i]\n        a[i] += 1\n",
            expect![[r#"
                kernel k(«definition:a», b, n):
                    for i in range(n):
                        «write:a»[i] = «read:a»[i + 1] + b[i]
                        «update:a»[i] += 1
            "#]],
        );
    }

    #[test]
    fn an_index_is_read_where_an_element_is_written() {
        check(
            "kernel k(a, n):\n    for $0i in range(n):\n        a[(i)] = f32(i)\n",
            expect![[r#"
            kernel k(a, n):
                for «definition:i» in range(n):
                    a[(«read:i»)] = f32(«read:i»)
        "#]],
        );
    }

    #[test]
    fn a_variable_in_all_its_uses() {
        check(
            "kernel k(a, n):\n    let s: f32 = 0\n    for i in range(n):\n        s += a[i]\n    s = s * 2\n    a[0] = $0s\n",
            expect![[r#"
                kernel k(a, n):
                    let «definition:s»: f32 = 0
                    for i in range(n):
                        «update:s» += a[i]
                    «write:s» = «read:s» * 2
                    a[0] = «read:s»
            "#]],
        );
    }

    #[test]
    fn two_variables_of_one_name_are_apart() {
        check(
            "kernel k(a, n):\n    if n > 1:\n        x = 1.0\n        a[0] = $0x\n    else:\n        x = 2.0\n        a[0] = x\n",
            expect![[r#"
                kernel k(a, n):
                    if n > 1:
                        «definition:x» = 1.0
                        a[0] = «read:x»
                    else:
                        x = 2.0
                        a[0] = x
            "#]],
        );
    }

    #[test]
    fn another_item_has_locals_of_its_own() {
        check(
            "kernel k($0a):\n    a[0] = 1\nkernel l(a):\n    a[0] = 1\n",
            expect![[r#"
            kernel k(«definition:a»):
                «write:a»[0] = 1
            kernel l(a):
                a[0] = 1
        "#]],
        );
    }

    #[test]
    fn a_function_is_called_and_taken_as_a_value() {
        check(
            "fn $0twice(x):\n    return 2 * x\nkernel k(a, out):\n    out[0] = twice(a[0])\n    out[1:3] = map(twice, a[1:3])\n",
            expect![[r#"
                fn «definition:twice»(x):
                    return 2 * x
                kernel k(a, out):
                    out[0] = «call:twice»(a[0])
                    out[1:3] = map(«read:twice», a[1:3])
            "#]],
        );
    }

    #[test]
    fn a_constant_in_types_values_and_attributes() {
        check(
            "const N = 4\n@lanes(N)\nkernel k(a: f32[N]):\n    for i in range($0N):\n        a[i] = 1\n",
            expect![[r#"
            const «definition:N» = 4
            @lanes(«read:N»)
            kernel k(a: f32[«read:N»]):
                for i in range(«read:N»):
                    a[i] = 1
        "#]],
        );
    }

    #[test]
    fn a_struct_is_a_type() {
        check(
            "struct P:\n    x: f32\nkernel k(p: P[n], q: $0P[n], n):\n    p[0].x = q[0].x\n",
            expect![[r#"
            struct «definition:P»:
                x: f32
            kernel k(p: «type:P»[n], q: «type:P»[n], n):
                p[0].x = q[0].x
        "#]],
        );
    }

    #[test]
    fn a_field_read_and_written() {
        check(
            "struct P:\n    $0x: f32\nstruct Q:\n    x: f32\nkernel k(p: P[n], q: Q[n], n):\n    p[0].x = q[0].x\n    p[1].x *= p[0].x\n",
            expect![[r#"
                struct P:
                    «definition:x»: f32
                struct Q:
                    x: f32
                kernel k(p: P[n], q: Q[n], n):
                    p[0].«write:x» = q[0].x
                    p[1].«update:x» *= p[0].«read:x»
            "#]],
        );
    }

    #[test]
    fn a_struct_is_written_where_a_field_is() {
        check(
            "struct P:\n    x: f32\nkernel k($0p: P[n], n):\n    p[0].x = p[1].x\n",
            expect![[r#"
            struct P:
                x: f32
            kernel k(«definition:p»: P[n], n):
                «write:p»[0].x = «read:p»[1].x
        "#]],
        );
    }

    #[test]
    fn a_size_of_a_function_is_defined_where_it_first_stands() {
        check(
            "fn f(a: f32[k], b: f32[$0k]):\n    return a[k - 1] + b[0]\n",
            expect![[r#"
            fn f(a: f32[«definition:k»], b: f32[«read:k»]):
                return a[«read:k» - 1] + b[0]
        "#]],
        );
    }

    #[test]
    fn a_lambda_parameter() {
        check(
            "kernel k(a, out):\n    out[0] = reduce(\\$0x y -> x + y * x, 0.0, a)\n",
            expect![[r#"
            kernel k(a, out):
                out[0] = reduce(\«definition:x» y -> «read:x» + y * «read:x», 0.0, a)
        "#]],
        );
    }

    #[test]
    fn builtins_casts_and_attributes() {
        check(
            "@simd\nkernel k(a):\n    a[0] = $0min(a[1], min(1, 2))\n    a[1] = reduce(min, 0, a)\n",
            expect![[r#"
            @simd
            kernel k(a):
                a[0] = «call:min»(a[1], «call:min»(1, 2))
                a[1] = reduce(«read:min», 0, a)
        "#]],
        );
        check(
            "kernel k(a: f32[n], n):\n    a[0] = $0f32(n)\n",
            expect![[r#"
            kernel k(a: «type:f32»[n], n):
                a[0] = «type:f32»(n)
        "#]],
        );
        check(
            "@$0simd\nkernel k(a):\n    a[0] = 1\n\nkernel l(a, n):\n    @simd\n    for i in range(n):\n        a[i] = 1\n",
            expect![[r#"
                @«read:simd»
                kernel k(a):
                    a[0] = 1

                kernel l(a, n):
                    @«read:simd»
                    for i in range(n):
                        a[i] = 1
            "#]],
        );
    }

    #[test]
    fn what_compress_store_fills_is_written() {
        check(
            "kernel k($0a, b, n):\n    foreach i in range(n):\n        compress_store(a, 0, b[i])\n",
            expect![[r#"
            kernel k(«definition:a», b, n):
                foreach i in range(n):
                    compress_store(«write:a», 0, b[i])
        "#]],
        );
    }

    #[test]
    fn a_shadowed_builtin_is_the_item() {
        check(
            "fn min(a, b):\n    return a\nkernel k(a):\n    a[0] = $0min(a[1], 2)\n",
            expect![[r#"
            fn «definition:min»(a, b):
                return a
            kernel k(a):
                a[0] = «call:min»(a[1], 2)
        "#]],
        );
    }

    #[test]
    fn nothing_is_named_in_a_comment_or_by_an_unknown_name() {
        check(
            "kernel k(a):  # $0a\n    a[0] = 1\n",
            expect![[r#"
            kernel k(a):  # a
                a[0] = 1
        "#]],
        );
        check(
            "kernel k(a):\n    a[0] = $0b\n",
            expect![[r#"
            kernel k(a):
                a[0] = b
        "#]],
        );
    }
}
