//! What was found for each item of a file, kept from one key to the next.
//!
//! After every edit salsa confirms each memo that an answer was made of. For something of *all* items of a long file these
//! are a dozen memos for each of thousands of items, which takes far longer than the one item that was edited. Who asks
//! for that after every key keeps what it found here, and asks again only for the items to which the edit can make a difference:
//!
//! - those whose text has changed;
//! - those that name one of them, directly or by way of others: they see its types, its fields, what it does;
//! - those that these name in turn: what lanes do in a function is found out from its calls.
//!
//! When items come, go, or change their order or names, all are asked again. Places are no part of what is kept, so it is
//! found relative to the item's start.
//!
//! A question has three steps, so that one that an edit stops leaves everything as it was: [`Kept::plan`], an answer for each
//! item of [`Plan::asked`], and [`Kept::follow`].

use std::sync::Arc;

use rustc_hash::FxHashMap;
use salsa::plumbing::AsId;
use syntax::TextSize;

use crate::db::{File, Item, cut_file};
use crate::infer::mentions;

/// What was found for each item of a file, in their order.
#[derive(Debug)]
pub struct Kept<T> {
    entries: Vec<Entry<T>>,
    /// The items of a name, by number.
    names: Arc<Names>,
}

#[derive(Debug)]
struct Entry<T> {
    item: salsa::Id,
    text: Arc<str>,
    /// The items that it names, by number.
    uses: Vec<usize>,
    value: T,
}

type Names = FxHashMap<Arc<str>, Vec<usize>>;

impl<T> Default for Kept<T> {
    fn default() -> Self {
        Kept { entries: Vec::new(), names: Arc::default() }
    }
}

/// What is to be asked again, in one revision of the database.
pub struct Plan<'db> {
    /// The items of the file.
    pub items: &'db [Item<'db>],
    /// Where each starts.
    pub starts: &'db [TextSize],
    /// Those to ask, by number, in order.
    asked: Vec<usize>,
    /// What the items name whose text has changed.
    uses: Vec<(usize, Vec<usize>)>,
    names: Arc<Names>,
    is_new: bool,
}

impl<'db> Plan<'db> {
    /// The items to ask, in order.
    pub fn asked(&self) -> impl Iterator<Item = Item<'db>> {
        self.asked.iter().map(|&n| self.items[n])
    }
}

impl<T> Kept<T> {
    /// Which items are to be asked again.
    pub fn plan<'db>(&self, db: &'db dyn salsa::Database, file: File) -> Plan<'db> {
        let cut = cut_file(db, file);
        let same = |(entry, item): (&Entry<T>, &Item<'_>)| entry.item == item.as_id();
        let is_new = self.entries.len() != cut.items.len() || !self.entries.iter().zip(&cut.items).all(same);
        let names = if is_new { Arc::new(names_of(db, &cut.items)) } else { self.names.clone() };
        let changed: Vec<usize> = match is_new {
            true => (0..cut.items.len()).collect(),
            false => (0..cut.items.len()).filter(|&n| self.entries[n].is_changed(cut.items[n].text(db))).collect(),
        };
        let uses: Vec<_> = changed.iter().map(|&n| (n, uses_of(db, cut.items[n], &names))).collect();
        let asked = if is_new { changed } else { self.affected(&changed, &uses) };
        Plan { items: &cut.items, starts: &cut.starts, asked, uses, names, is_new }
    }

    /// The items to which a change of some can make a difference.
    fn affected(&self, changed: &[usize], new_uses: &[(usize, Vec<usize>)]) -> Vec<usize> {
        let mut reached = vec![false; self.entries.len()];
        changed.iter().for_each(|&n| reached[n] = true);
        // Upwards: who names one of them.
        let mut grew = !changed.is_empty();
        while std::mem::take(&mut grew) {
            for (n, entry) in self.entries.iter().enumerate() {
                if !reached[n] && entry.uses.iter().any(|&used| reached[used]) {
                    reached[n] = true;
                    grew = true;
                }
            }
        }
        // Downwards: whom these name now, or did before.
        let mut waiting: Vec<usize> = (0..reached.len()).filter(|&n| reached[n]).collect();
        let now: FxHashMap<usize, &Vec<usize>> = new_uses.iter().map(|(n, uses)| (*n, uses)).collect();
        while let Some(n) = waiting.pop() {
            for &used in self.entries[n].uses.iter().chain(now.get(&n).copied().into_iter().flatten()) {
                if !std::mem::replace(&mut reached[used], true) {
                    waiting.push(used);
                }
            }
        }
        (0..reached.len()).filter(|&n| reached[n]).collect()
    }

    /// Takes over what was found for the items of a plan, which was made from this.
    pub fn follow<'db>(&mut self, db: &'db dyn salsa::Database, plan: &Plan<'db>, found: Vec<T>) {
        if plan.is_new {
            let uses = plan.uses.iter().map(|(_, uses)| uses.clone());
            let entries = plan.items.iter().zip(uses).zip(found).map(|((item, uses), value)| Entry {
                item: item.as_id(),
                text: item.text(db).clone(),
                uses,
                value,
            });
            *self = Kept { entries: entries.collect(), names: plan.names.clone() };
            return;
        }
        for (&n, value) in plan.asked.iter().zip(found) {
            self.entries[n].value = value;
        }
        for (n, uses) in &plan.uses {
            self.entries[*n].uses.clone_from(uses);
            self.entries[*n].text = plan.items[*n].text(db).clone();
        }
    }

    /// What was found, item by item.
    pub fn values(&self) -> impl Iterator<Item = &T> {
        self.entries.iter().map(|entry| &entry.value)
    }
}

impl<T> Entry<T> {
    fn is_changed(&self, text: &Arc<str>) -> bool {
        !Arc::ptr_eq(&self.text, text) && self.text != *text
    }
}

fn names_of(db: &dyn salsa::Database, items: &[Item<'_>]) -> Names {
    let mut names = Names::default();
    for (n, item) in items.iter().enumerate().filter(|(_, item)| !item.name(db).is_empty()) {
        names.entry(item.name(db).clone()).or_default().push(n);
    }
    names
}

fn uses_of(db: &dyn salsa::Database, item: Item<'_>, names: &Names) -> Vec<usize> {
    mentions(db, item).iter().filter_map(|word| names.get(word)).flatten().copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Host;

    const TEXT: &str = "\
const K = 2

struct P:
    x: f32

fn g(x):
    return x * K

fn f(x):
    return g(x) + 1

fn alone(p: P):
    return p.x

kernel a(v: f32[n], n: i32):
    v[0] = f(v[1])

kernel b(v: f32[n], n: i32):
    v[0] = v[1]
";

    /// The names of the items that are asked again after each of some edits of one text.
    fn check(edits: &[(&str, &str, &str)]) {
        let mut host = Host::default();
        let mut kept = Kept::default();
        let mut text = TEXT.to_owned();
        host.set_text("a.lane", &text);
        for (from, to, expected) in [("", "", "K P g f alone a b")].iter().chain(edits) {
            text = text.replacen(from, to, 1);
            let file = host.set_text("a.lane", &text);
            let snapshot = host.snapshot();
            let db = snapshot.db();
            let plan = kept.plan(db, file);
            let names: Vec<&str> = plan.asked().map(|item| &**item.name(db)).filter(|name| !name.is_empty()).collect();
            assert_eq!(names.join(" "), *expected, "after {from:?} became {to:?}");
            let found = plan.asked().map(|_| ()).collect();
            kept.follow(db, &plan, found);
            assert_eq!(kept.values().count(), plan.items.len());
        }
    }

    #[test]
    fn an_edit_reaches_who_names_it_and_whom_these_come_to() {
        check(&[
            ("", "", ""),
            ("v[0] = v[1]", "v[0] = v[2]", "b"),
            // White space is only its own item's matter, but that is not found out for each item.
            ("v[0] = v[2]", "v[0] =  v[2]", "b"),
            ("v[0] = f(v[1])", "v[0] = 2.0 * f(v[1])", "K g f a"),
            // What is no longer named was, before.
            ("2.0 * f(v[1])", "2.0", "K g f a"),
            ("v[0] = 2.0", "v[0] = 3.0", "a"),
            ("x: f32", "x: i32", "P alone"),
            ("return x * K", "return x + K", "K g f"),
            ("const K = 2", "const K = 3", "K g f"),
        ]);
    }

    #[test]
    fn all_are_asked_when_the_list_of_items_changes() {
        check(&[("const K", "const L", "L P g f alone a b"), ("kernel b", "kernel c", "L P g f alone a c")]);
        check(&[("const K = 2\n\n", "", "P g f alone a b")]);
    }
}
