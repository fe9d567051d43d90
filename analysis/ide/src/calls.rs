//! The call hierarchy: the callers and the callees of a function.
//!
//! A function that is passed as a value, as in `map(f, a)`, is called by its receiver, so naming it counts as a call.

use lane::tree::SyntaxKind;
use report::{ItemKind, TextRange, TextSize};

use super::Located;
use super::references::{ReferenceKind, references_to};
use super::symbol::{Symbol, SymbolNames, symbol_at};
use super::symbols::{DocumentSymbol, item_symbol};
use hir::finding::ItemKey;
use queries::check::start_of;
use queries::db::{File, cut_file};

/// A kernel or function at one end of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// The other end of the call: the caller in an answer of [`callers`], the callee in one of [`callees`].
    pub item: DocumentSymbol,
    /// The places of the calls, all of them in the caller.
    pub places: Vec<TextRange>,
}

/// The kernel or function whose name is at a place.
pub fn callable(db: &dyn salsa::Database, file: File, offset: TextSize) -> Option<DocumentSymbol> {
    symbol_of(db, file, &callable_key(db, file, offset)?)
}

/// Returns the kernels and functions that call the function whose name is at a place, in the order of the text.
pub fn callers(db: &dyn salsa::Database, file: File, offset: TextSize) -> Vec<Call> {
    let Some(key) = callable_key(db, file, offset) else { return Vec::new() };
    let calls = references_to(db, file, &Symbol::Item(key)).into_iter();
    let calls = calls.filter(|found| matches!(found.kind, ReferenceKind::Call | ReferenceKind::Read));
    let cut = cut_file(db, file);
    let mut found: Vec<(usize, Vec<TextRange>)> = Vec::new();
    for call in calls {
        let n = cut.starts.partition_point(|&start| start <= call.range.start()).saturating_sub(1);
        match found.last_mut() {
            Some((last, places)) if *last == n => places.push(call.range),
            _ => found.push((n, vec![call.range])),
        }
    }
    let call = |(n, places): (usize, _)| Some(Call { item: item_symbol(db, cut.items[n], cut.starts[n])?, places });
    found.into_iter().filter_map(call).collect()
}

/// Returns what the kernel or function whose name is at a place calls, in the order of the first call of each.
pub fn callees(db: &dyn salsa::Database, file: File, offset: TextSize) -> Vec<Call> {
    let item = callable_key(db, file, offset).and_then(|key| queries::item_of(db, file, &key));
    let Some((item, start)) = item.and_then(|item| Some((item, start_of(db, item)?))) else { return Vec::new() };
    let located = Located::new(db, item, start);
    let mut found: Vec<(ItemKey, Vec<TextRange>)> = Vec::new();
    for (token, symbol) in SymbolNames::new(db, &located).iter() {
        let Some(Symbol::Item(key)) = symbol else { continue };
        let defines = token.parent().is_some_and(|name| name.kind() == SyntaxKind::NAME);
        if defines || !matches!(key.kind, ItemKind::Fn | ItemKind::Kernel) {
            continue;
        }
        let place = token.text_range() + start;
        match found.iter_mut().find(|(other, _)| *other == key) {
            Some((_, places)) => places.push(place),
            None => found.push((key, vec![place])),
        }
    }
    let call = |(key, places)| Some(Call { item: symbol_of(db, file, &key)?, places });
    found.into_iter().filter_map(call).collect()
}

fn callable_key(db: &dyn salsa::Database, file: File, offset: TextSize) -> Option<ItemKey> {
    match symbol_at(db, file, offset)?.symbol {
        Symbol::Item(key) if matches!(key.kind, ItemKind::Fn | ItemKind::Kernel) => Some(key),
        _ => None,
    }
}

fn symbol_of(db: &dyn salsa::Database, file: File, key: &ItemKey) -> Option<DocumentSymbol> {
    let item = queries::item_of(db, file, key)?;
    item_symbol(db, item, start_of(db, item)?)
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::fixture::Fixture;

    const PROGRAM: &str = "\
fn half(x):
    return x / 2

fn quarter(x):
    return half(half(x))

kernel k(a: f32[n], n: i32):
    for i in range(n):
        a[i] = quarter(a[i]) + half(a[i])
    a[:] = map(half, a)

fn again(x):
    return again(x)
";

    /// Prints the callers and the callees of the function with a name.
    fn check(name: &str, expected: Expect) {
        let fixture = Fixture::new(PROGRAM);
        let offset = TextSize::new(PROGRAM.find(name).expect("the name") as u32);
        let (db, file) = (&fixture.db, fixture.file);
        let own = callable(db, file, offset).map(|symbol| symbol.name).unwrap_or_default();
        let show = |calls: Vec<Call>, what: &str| {
            let line = |call: Call| {
                let starts: Vec<_> = call.places.iter().map(|place| u32::from(place.start())).collect();
                let places: Vec<_> = call.places.iter().map(|&place| &fixture.text[place]).collect();
                format!("{own} {what} {} {places:?} at {starts:?}\n", call.item.name)
            };
            calls.into_iter().map(line).collect::<String>()
        };
        let callers = show(callers(db, file, offset), "is called by");
        expected.assert_eq(&(callers + &show(callees(db, file, offset), "calls")));
    }

    #[test]
    fn both_ways() {
        check(
            "half",
            expect![[r#"
            half is called by quarter ["half", "half"] at [56, 61]
            half is called by k ["half", "half"] at [154, 180]
        "#]],
        );
        check(
            "quarter",
            expect![[r#"
            quarter is called by k ["quarter"] at [138]
            quarter calls half ["half", "half"] at [56, 61]
        "#]],
        );
        check(
            "k(",
            expect![[r#"
            k calls quarter ["quarter"] at [138]
            k calls half ["half", "half"] at [154, 180]
        "#]],
        );
        check(
            "again",
            expect![[r#"
            again is called by again ["again"] at [214]
            again calls again ["again"] at [214]
        "#]],
        );
        check("x", expect![[""]]);
    }
}
