//! The types of items, and what each shows to others.

use std::sync::Arc;

use report::{ItemKey, ItemKind};

use super::constants::{Content, compute, const_content};
use super::db::{File, Item};
use super::names::{key, named, struct_named, structs};
use super::prelude;
use super::surface::{InDatabase, body, lowered, mentions, resolved};
use super::templates;
use hir::enums;
use hir::eval::Array;
use hir::expand::GenericParam;
use hir::fields::Fields;
use hir::infer as types;
use hir::infer::{Cycle, Cycles, Env, Inference, Node, Shown, VisitStruct};
use hir::ty::{Signature, Ty};
use hir::{Body, BodyMap, Name, PrintedLine};

/// Infers the types of an item.
#[salsa::tracked]
pub fn infer<'db>(db: &'db dyn salsa::Database, item: Item<'db>) -> Arc<Inference> {
    let lowered = lowered(db, item);
    Arc::new(infer_body(db, item, &lowered.body, &lowered.map))
}

/// Infers the types of a body that stands in for an item's own. Nothing of this is kept.
pub fn infer_body<'db>(db: &'db dyn salsa::Database, item: Item<'db>, body: &Body, map: &BodyMap) -> Inference {
    types::infer(&InDatabase { db, item }, item.kind(db), body, map)
}

/// The view that an item shows to others. Equal as long as it is its body alone that changed.
#[salsa::tracked]
pub fn signature<'db>(db: &'db dyn salsa::Database, item: Item<'db>) -> Arc<Signature> {
    infer(db, item).signature.clone()
}

/// Returns the value of a constant; `None` if it is not known.
#[salsa::tracked]
pub fn const_value<'db>(db: &'db dyn salsa::Database, item: Item<'db>) -> Option<ir::Scalar> {
    match const_content(db, item) {
        Content::Scalar(value) => Some(*value),
        _ => None,
    }
}

/// Returns the elements of a constant array; `None` if they are not known.
pub fn const_table<'db>(db: &'db dyn salsa::Database, item: Item<'db>) -> Option<&'db Arc<Array>> {
    match const_content(db, item) {
        Content::Table(table) => Some(table),
        _ => None,
    }
}

/// The fields of a struct, or those that an enum is made of.
#[salsa::tracked]
pub fn struct_fields<'db>(db: &'db dyn salsa::Database, item: Item<'db>) -> Arc<Fields> {
    Arc::new(types::struct_fields(body(db, item), &|name| plain_number(db, item.file(db), name, MOST_CONSTANTS)))
}

/// The limit on constants that are defined by each other where the text alone says a number; those on a cycle have none.
const MOST_CONSTANTS: u32 = 16;

/// The number of a constant that its text alone says, or that of other such constants.
fn plain_number(db: &dyn salsa::Database, file: File, name: &Name, left: u32) -> Option<i64> {
    let item = named(db, file, name.clone()).filter(|item| item.kind(db) == ItemKind::Const)?;
    let body = body(db, item);
    let left = left.checked_sub(1)?;
    types::plain_number(body, body.value?, &|name| plain_number(db, item.file(db), name, left))
}

/// The variants of an enum; none of what is no enum.
#[salsa::tracked]
pub fn variants<'db>(db: &'db dyn salsa::Database, item: Item<'db>) -> Arc<[enums::ShownVariant]> {
    enums::variants(body(db, item)).into()
}

/// The default values of the fields of a struct, by their scalars.
#[salsa::tracked]
pub(crate) fn field_defaults<'db>(db: &'db dyn salsa::Database, item: Item<'db>) -> Vec<Option<Vec<ir::Scalar>>> {
    infer(db, item).field_defaults.clone()
}

/// The numbers of the fields of a struct that have a default value.
#[salsa::tracked]
pub fn optional_fields<'db>(db: &'db dyn salsa::Database, item: Item<'db>) -> Vec<usize> {
    let fields = body(db, item).fields.iter().enumerate();
    fields.filter(|(_, field)| field.default.is_some()).map(|(n, _)| n).collect()
}

/// The enums that the parameters of a kernel are made of, each with the type of its numbers.
pub fn enums_of_params(db: &dyn salsa::Database, item: Item<'_>) -> Vec<(Name, ir::Elem, Arc<[enums::ShownVariant]>)> {
    let types = infer(db, item);
    let mut found = Vec::new();
    let mut left: Vec<_> = body(db, item).params.iter().filter_map(|&it| types.locals.get(it).cloned()).collect();
    left.reverse();
    let mut seen: Vec<Name> = Vec::new();
    while let Some(ty) = left.pop() {
        match ty {
            Ty::Array(element, _) => left.push(*element),
            Ty::Struct(name) if !seen.contains(&name) => {
                seen.push(name.clone());
                let Some(of) = named(db, item.file(db), name.clone()) else { continue };
                left.extend(struct_fields(db, of).iter().rev().map(|(_, ty)| ty.clone()));
                if of.kind(db) == ItemKind::Enum {
                    found.push((name, enums::width(body(db, of)), variants(db, of).clone()));
                }
            }
            _ => {}
        }
    }
    found
}

/// The cycle that an item is on.
#[salsa::tracked]
pub(crate) fn cycle_of<'db>(db: &'db dyn salsa::Database, item: Item<'db>) -> Option<Arc<Cycle>> {
    cycles_of_file(db, item.file(db)).get(&key(db, item)).cloned()
}

#[salsa::tracked]
fn cycles_of_file(db: &dyn salsa::Database, file: File) -> Arc<Cycles> {
    let callable = |item: &Item<'_>| matches!(item.kind(db), ItemKind::Fn | ItemKind::Const);
    let items: Vec<_> = mentions(db, file).filter(|(item, _)| callable(item)).collect();
    let nodes: Vec<_> = items.iter().map(|&(item, words)| Node { key: key(db, item), words }).collect();
    let references = |n: usize| resolved(db, items[n].0).body.references().into_iter().map(|(_, name)| name).collect();
    Arc::new(Cycle::all(&nodes, references))
}

/// An item as the `typed` stage shows it.
#[salsa::tracked]
pub fn typed<'db>(db: &'db dyn salsa::Database, item: Item<'db>) -> Vec<PrintedLine> {
    let kernel = templates::kernel_of(db, item);
    if kernel != item {
        return typed(db, kernel).clone();
    }
    let shown = templates::shown_as(db, item).filter(|_| item.template(db).is_none());
    let name = shown.as_ref().unwrap_or(item.name(db));
    hir::typed(item.kind(db), name, lowered(db, item), infer(db, item))
}

impl Env for InDatabase<'_> {
    fn poll(&self) {
        self.db.unwind_if_revision_cancelled();
    }

    fn own(&self) -> ItemKey {
        key(self.db, self.item)
    }

    fn kind_of(&self, name: &Name) -> Option<ItemKind> {
        self.named(name.clone()).map(|item| item.kind(self.db))
    }

    fn key_of(&self, name: &Name) -> Option<ItemKey> {
        self.named(name.clone()).map(|item| key(self.db, item))
    }

    fn shown(&self, name: &Name) -> Option<Shown> {
        let item = self.named(name.clone())?;
        Some(match cycle_of(self.db, item) {
            Some(cycle) => Shown::OnCycle(cycle.clone()),
            // An instance of it is meant, and which one is not known.
            None if templates::is_open_call(self.db, item) => {
                Shown::Signature(Arc::new(Signature { in_doubt: true, ..Signature::default() }))
            }
            None => Shown::Signature(signature(self.db, item).clone()),
        })
    }

    fn shown_of_prelude(&self, name: &str) -> Option<Arc<Signature>> {
        let item = named(self.db, prelude::file(self.db), name.into())?;
        // A function of the prelude that leads back to itself has a finding there.
        cycle_of(self.db, item).is_none().then(|| signature(self.db, item).clone())
    }

    fn const_value(&self, name: &Name) -> Option<ir::Scalar> {
        let item = self.named(name.clone())?;
        let is_known = item.kind(self.db) == ItemKind::Const && cycle_of(self.db, item).is_none();
        if is_known { *const_value(self.db, item) } else { None }
    }

    fn plain_number(&self, name: &Name) -> Option<i64> {
        plain_number(self.db, self.item.file(self.db), name, MOST_CONSTANTS)
    }

    fn const_table(&self, name: &Name) -> Option<Arc<Array>> {
        let item = self.named(name.clone())?;
        let is_known = item.kind(self.db) == ItemKind::Const && cycle_of(self.db, item).is_none();
        if is_known { const_table(self.db, item).cloned() } else { None }
    }

    fn call_prelude(&self, functions: &[String], args: &[ir::Scalar]) -> Option<ir::Scalar> {
        let program = functions.iter().find_map(|name| prelude::program(self.db, name))?;
        prelude::apply(&program, args)
    }

    fn fields_of(&self, name: &Name) -> Arc<Fields> {
        let of = struct_named(self.db, self.item.file(self.db), name.clone());
        of.map(|item| struct_fields(self.db, item).clone()).unwrap_or_default()
    }

    fn field_defaults(&self, name: &Name) -> Vec<Option<Vec<ir::Scalar>>> {
        let of = struct_named(self.db, self.item.file(self.db), name.clone());
        of.map(|item| field_defaults(self.db, item).clone()).unwrap_or_default()
    }

    fn optional_fields(&self, name: &Name) -> Vec<usize> {
        let of = struct_named(self.db, self.item.file(self.db), name.clone());
        of.map(|item| optional_fields(self.db, item).clone()).unwrap_or_default()
    }

    fn variants_of(&self, name: &Name) -> Arc<[enums::ShownVariant]> {
        self.named(name.clone()).map(|item| variants(self.db, item).clone()).unwrap_or_default()
    }

    fn enum_with(&self, variant: &Name) -> Option<Name> {
        let has_it = |item: &&Item<'_>| variants(self.db, **item).iter().any(|shown| shown.name == *variant);
        let types = structs(self.db, self.item.file(self.db)).iter();
        let mut found = types.filter(|item| item.kind(self.db) == ItemKind::Enum).filter(has_it);
        let first = found.next()?;
        found.next().is_none().then(|| first.name(self.db).clone())
    }

    fn is_header_in_doubt(&self, name: &Name) -> bool {
        self.named(name.clone()).is_some_and(|item| body(self.db, item).header_in_doubt)
    }

    fn generics_of(&self, name: &Name) -> Vec<GenericParam> {
        let of = self.named(name.clone()).filter(|&item| matches!(item.kind(self.db), ItemKind::Kernel | ItemKind::Fn));
        of.map(|item| templates::generics(self.db, item).clone()).unwrap_or_default()
    }

    fn param_name(&self, function: &Name, number: usize) -> Option<Name> {
        let body = &resolved(self.db, self.named(function.clone())?).body;
        body.params.get(number).map(|&param| body.locals[param].name.clone())
    }

    fn compute(&self, body: &Body, map: &BodyMap, types: &Inference) -> Option<ir::Scalar> {
        compute(self.db, self.item, body, map, types)
    }

    fn for_each_struct(&self, visit: &mut VisitStruct<'_>) {
        let items = structs(self.db, self.item.file(self.db)).iter();
        for &item in items.filter(|item| item.kind(self.db) == ItemKind::Struct) {
            if visit(item.name(self.db), struct_fields(self.db, item)).is_break() {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use expect_test::{Expect, expect};

    use super::typed;
    use crate::db::{Database, File, file_items};

    fn check(text: &str, expected: Expect) {
        let db = Database::default();
        let file = File::new(&db, Arc::from(text));
        let mut out = String::new();
        for &item in file_items(&db, file) {
            for line in typed(&db, item) {
                out.push_str(&line.text);
                out.push('\n');
            }
        }
        expected.assert_eq(&out);
    }

    #[test]
    fn what_the_source_leaves_out_is_written_down() {
        check(
            "const N = 2 * 4
struct P:
    x: f32
fn lerp(a, b, t):
    return a + (b - a) * t
@lanes(8)
kernel k(p: P[n], out, n):
    s = 0
    for i in range(0, n, 2):
        if i % 2 == 0:
            s += p[i].x
        elif not (i > 3 and i < 5):
            out[i] = lerp(s, 1, 0.5) if i > 0 else 2
        else:
            pass
    out[0] = reduce(\\x y -> x + y, 0, map(\\x -> -x ** 2, out[1:]))
",
            expect![[r#"
                const N: i32 = 8
                struct P:
                    x: f32
                fn lerp(a: T, b: T, t: T) -> T:
                    return a + (b - a) * t
                @lanes(8)
                kernel k(p: P[n], out: f32[_], n: i32):
                    let s: f32 = 0.0
                    for i: i32 in range(0, n, 2):
                        if i % 2 == 0:
                            s += p[i].x
                        elif not (i > 3 and i < 5):
                            out[i] = lerp(s, 1.0, 0.5) if i > 0 else 2.0
                        else:
                            pass
                    out[0] = reduce(\x: f32, y: f32 -> x + y, 0.0, map(\x: f32 -> -x ** 2.0, out[1:]))
            "#]],
        );
    }

    #[test]
    fn parentheses_stay_where_they_matter() {
        let expressions = [
            "a - (b - c)",
            "a - b - c",
            "(a + b) * c",
            "-(a + b)",
            "(-a) ** b",
            "-a ** b",
            "a ** b ** c",
            "(a ** b) ** c",
            "a ** -b",
            "(a if a > b else b) + c",
            "a if a > b else b if b > c else c",
        ];
        for expression in expressions {
            let text = format!("kernel k(out: f32[1], a: f32, b: f32, c: f32):\n    out[0] = {expression}\n");
            let db = Database::default();
            let file = File::new(&db, Arc::from(text.as_str()));
            let lines = typed(&db, file_items(&db, file)[0]);
            assert_eq!(lines[1].text.trim(), format!("out[0] = {expression}"));
        }
    }
}
