//! The places of errors of a run, and what their messages name there: the array that is subscripted, the enum that has no such variant, or
//! what a function of the prelude or of another file asserts.

use report::{ItemKey, ItemKind, TextRange};
use rustc_hash::FxHashMap;

use super::db::Item;
use super::lowering::sequential;
use super::names::{file_of, item_of};
use super::run::place;
use super::surface::lowered;
use execution::{FailurePlace, FailureSubject, ItemPlace};
use hir::{Expr, Name};
use ir::{Kernel, Origin};

/// The longest text of an array that a message names.
const LONGEST_NAME: usize = 40;

/// The names of what errors of a kernel are about, by the ops' origins.
pub(crate) struct Subjects<'db> {
    db: &'db dyn salsa::Database,
    item: Item<'db>,
    /// For each item that was asked about, what is named of expressions that have these ranges in its text.
    named: FxHashMap<ItemKey, FxHashMap<TextRange, Named>>,
}

/// What a message names of an expression.
#[derive(Clone)]
enum Named {
    /// The array of an access, by its range.
    Array(TextRange),
    /// The enum that a number becomes a variant of.
    Enum(Name),
}

impl<'db> Subjects<'db> {
    pub(crate) fn new(db: &'db dyn salsa::Database, item: Item<'db>) -> Subjects<'db> {
        Subjects { db, item, named: FxHashMap::default() }
    }

    /// The place of an error: where it happened, and the place in the kernel's file that led there, which is the same or a call.
    pub(crate) fn place(&mut self, [inner, outer]: [ItemPlace<'_>; 2]) -> FailurePlace {
        let range = place(self.db, self.item, outer.0, outer.1);
        let subject = match inner.0.file == outer.0.file {
            true => self.named(inner.0, inner.1),
            false => self.text(inner.0, inner.1).map(|condition| {
                let function = inner.0.name.to_string();
                FailureSubject::Assertion { function, condition }
            }),
        };
        FailurePlace { range, subject }
    }

    /// The place of an op's origin.
    pub(crate) fn of_origin(&mut self, kernel: &Kernel, origin: Origin) -> FailurePlace {
        let lowering = sequential(self.db, self.item);
        let inner = lowering.places.get(kernel.origins[origin].place as usize);
        match (inner, lowering.place_of(kernel, origin)) {
            (Some(inner), Some(outer)) => self.place([inner, outer].map(|(key, range)| (key, *range))),
            _ => FailurePlace::default(),
        }
    }

    /// What an expression is about, which has a range in the text of its item.
    fn named(&mut self, key: &ItemKey, at: TextRange) -> Option<FailureSubject> {
        if !self.named.contains_key(key) {
            let lowered = lowered(self.db, item_of(self.db, self.item.file(self.db), key)?);
            let body = &lowered.body;
            let named = |(id, expr): (_, &Expr)| match expr {
                Expr::Index(array, _) => Some((lowered.map.exprs[id], Named::Array(lowered.map.exprs[*array]))),
                Expr::Call(callee, _) => match &body.exprs[*callee] {
                    Expr::Item(ItemKind::Enum, name) => Some((lowered.map.exprs[id], Named::Enum(name.clone()))),
                    _ => None,
                },
                _ => None,
            };
            self.named.insert(key.clone(), body.exprs.iter().filter_map(named).collect());
        }
        match self.named[key].get(&at)?.clone() {
            Named::Array(array) => {
                let text = self.text(key, array)?;
                let is_short = text.len() <= LONGEST_NAME && !text.contains('\n');
                is_short.then_some(FailureSubject::Array(text))
            }
            Named::Enum(name) => Some(FailureSubject::Enum(name.to_string())),
        }
    }

    fn text(&self, key: &ItemKey, range: TextRange) -> Option<String> {
        let file = file_of(self.db, self.item.file(self.db), key.file);
        let range = place(self.db, self.item, key, range)?;
        file.text(self.db).get(range.start().into()..range.end().into()).map(str::to_owned)
    }
}
