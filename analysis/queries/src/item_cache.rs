//! A cache of answers for each item of a file, from one key to the next.
//!
//! After every edit salsa confirms each memo that an answer was made of. For something of *all* items of a long file these
//! are a dozen memos for each of thousands of items, which takes far longer than the one item that was edited. Questions
//! that are asked after every key keep their answers here, and ask again only for the items to which the edit can make a difference:
//!
//! - those that are new, or whose text has changed;
//! - those that say a word which has come to stand for other items, or for none;
//! - those that looked at all names there are, for "did you mean", when any word has, or when files beside have other names;
//! - those that name one of these, directly or by way of others: they see its types, its fields, what it does;
//! - those that these name in turn, or that were named by items which are gone: what lanes do in a function is found out from
//!   its calls.
//!
//! All are asked again when questions are about other targets, or when a file that this one uses has another text.
//!
//! A word stands for the items of that name, or behind a dot for the structs with such a field: that may be all that tells which
//! struct something is of. When items change places, all are asked again. Where an item stands is no part of an
//! answer, so places are relative to the item's start.
//!
//! A question has three steps, so that one that an edit stops leaves everything as it was: [`ItemCache::plan`], an answer for each
//! item of [`Plan::asked`], and [`ItemCache::update`].

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use passes::pipeline::Options;
use report::TextSize;
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use salsa::plumbing::AsId;

use super::db::{Chosen, ChunkItems, File, Item, MadeFor, cut_file, dense};
use super::surface::{for_each_name, lowered};
use super::types::{struct_fields, variants};
use super::uses::{NamesBeside, names_beside, texts_used};

/// The answers for the items of a file, in their order.
#[derive(Debug)]
pub struct ItemCache<T> {
    entries: Vec<Entry<T>>,
    /// The texts of the items, chunk by chunk.
    chunks: Vec<ChunkItems>,
    /// The items that words stand for.
    names: Arc<Names>,
    /// The targets that it was found for.
    made_for: Arc<[Options]>,
    /// The texts of its `use` lines and of the files that the file uses.
    used: Vec<Arc<str>>,
    /// The names of the files beside, if some item has looked at all names.
    beside: Option<Arc<NamesBeside>>,
    /// The instances that templates were shown as, where someone has chosen.
    chosen: Arc<[(Arc<str>, Arc<str>)]>,
}

#[derive(Debug)]
struct Entry<T> {
    item: salsa::Id,
    text: Arc<str>,
    words: Box<[Word]>,
    /// The names that it says, by number. Not the items that these stand for: of one name there may be thousands, and each may say it.
    uses: Box<[u32]>,
    /// True if the query looked at all names there are.
    saw_all_names: bool,
    value: Option<T>,
}

/// A word, by its hash: where two have the same, more is asked again than need be.
type Word = u64;

/// The words that stand for items, each with a number.
#[derive(Debug, Default)]
struct Names {
    numbers: FxHashMap<Word, u32>,
    /// The items that each word stands for, by number.
    items: Vec<Vec<u32>>,
    /// The items in order, each with the words that stand for it.
    words: Vec<(u32, u32)>,
}

impl Names {
    /// Lets a word stand for one more item; the items come in order.
    fn add(&mut self, word: Word, item: u32) {
        let n_words = self.items.len() as u32;
        let number = *self.numbers.entry(word).or_insert(n_words);
        if number == n_words {
            self.items.push(Vec::new());
        }
        self.items[number as usize].push(item);
        self.words.push((item, number));
    }

    fn get(&self, word: Word) -> Option<&[u32]> {
        self.numbers.get(&word).map(|&number| &*self.items[number as usize])
    }

    /// The numbers of the words that stand for an item.
    fn words_of(&self, item: usize) -> impl Iterator<Item = usize> {
        let from = self.words.partition_point(|&(other, _)| (other as usize) < item);
        self.words[from..].iter().take_while(move |&&(other, _)| other as usize == item).map(|&(_, word)| word as usize)
    }
}

impl<T> Default for ItemCache<T> {
    fn default() -> Self {
        ItemCache {
            entries: Vec::new(),
            chunks: Vec::new(),
            names: Arc::default(),
            made_for: Arc::default(),
            used: Vec::new(),
            beside: None,
            chosen: Arc::default(),
        }
    }
}

/// The items to ask again, in one revision of the database.
pub struct Plan<'db> {
    /// The items of the file.
    pub items: &'db [Item<'db>],
    /// The offset of each item in the file.
    pub starts: &'db [TextSize],
    chunks: &'db [ChunkItems],
    /// The items to ask, by number, in order.
    asked: Vec<usize>,
    /// The number that each had, unless it is new; `None` while the list is as it was.
    before: Option<Vec<Option<usize>>>,
    /// The words of those that are new or whose text has changed.
    words: FxHashMap<usize, Box<[Word]>>,
    /// The names that those say; when words have come to stand for others, the names that each says.
    uses: FxHashMap<usize, Box<[u32]>>,
    names: Arc<Names>,
    /// The texts of the files that the file uses.
    used: Vec<Arc<str>>,
    /// The files beside have other names than before.
    others_beside: bool,
}

impl<'db> Plan<'db> {
    /// The items to ask, in order.
    pub fn asked(&self) -> impl Iterator<Item = Item<'db>> {
        self.asked.iter().map(|&n| self.items[n])
    }

    /// The numbers of the items to ask, in order.
    pub fn numbers(&self) -> &[usize] {
        &self.asked
    }

    fn before(&self, n: usize) -> Option<usize> {
        self.before.as_ref().map_or(Some(n), |before| before[n])
    }
}

impl<T> ItemCache<T> {
    /// Finds the items whose answers may have changed.
    pub fn plan<'db>(&self, db: &'db dyn salsa::Database, file: File) -> Plan<'db> {
        let cut = cut_file(db, file);
        let used = texts_used(db, file);
        let mut plan = Plan {
            items: &cut.items,
            starts: &cut.starts,
            chunks: &cut.chunks,
            asked: Vec::new(),
            before: self.numbers_before(db, &cut.items, &used),
            used,
            others_beside: self.beside.as_ref().is_some_and(|known| known != names_beside(db, file)),
            words: FxHashMap::default(),
            uses: FxHashMap::default(),
            names: self.names.clone(),
        };
        plan.words = self.changed(&plan).into_iter().map(|n| (n, words_of(db, cut.items[n]))).collect();
        // The fields of a struct are names as well.
        if plan.before.is_some() || plan.words.keys().any(|&n| cut.items[n].kind(db).is_type()) {
            plan.names = Arc::new(names_of(db, &cut.items));
        }
        Affected::find(self, &mut plan);
        plan
    }

    /// The items that are new or have another text.
    fn changed(&self, plan: &Plan<'_>) -> Vec<usize> {
        let mut changed = Vec::new();
        let mut n = 0;
        for (chunk, texts) in plan.chunks.iter().enumerate() {
            // Where the list is as it was, so are the chunks.
            let is_known = plan.before.is_none() && self.chunks.get(chunk).is_some_and(|known| known.is(texts));
            for (n, it) in (n..).zip(texts.iter()).filter(|_| !is_known) {
                let known = plan.before(n).map(|known| &self.entries[known].text);
                if known.is_none_or(|text| !Arc::ptr_eq(text, &it.text) && *text != it.text) {
                    changed.push(n);
                }
            }
            n += texts.len();
        }
        changed
    }

    /// The number that each item had, unless the list is as it was. None had one when items have changed places, when other
    /// targets are asked about, or when a file that is used has changed.
    fn numbers_before(
        &self,
        db: &dyn salsa::Database,
        items: &[Item<'_>],
        used: &[Arc<str>],
    ) -> Option<Vec<Option<usize>>> {
        let same = |a: &Arc<str>, b: &Arc<str>| Arc::ptr_eq(a, b) || a == b;
        let are_same_used = self.used.len() == used.len() && self.used.iter().zip(used).all(|(a, b)| same(a, b));
        let is_same_choice = self.chosen == *Chosen::get(db).instances(db);
        if self.made_for != *MadeFor::get(db).promised(db) || !is_same_choice || !are_same_used {
            return Some(vec![None; items.len()]);
        }
        let same = |(entry, item): (&Entry<T>, &Item<'_>)| entry.item == item.as_id();
        if self.entries.len() == items.len() && self.entries.iter().zip(items).all(same) {
            return None;
        }
        let known: FxHashMap<_, _> = self.entries.iter().enumerate().map(|(n, entry)| (entry.item, n)).collect();
        let before: Vec<_> = items.iter().map(|item| known.get(&item.as_id()).copied()).collect();
        Some(if before.iter().flatten().is_sorted() { before } else { vec![None; items.len()] })
    }

    /// Takes over the answers for the items of a plan, which was made from this.
    pub fn update<'db>(&mut self, db: &'db dyn salsa::Database, plan: &Plan<'db>, found: Vec<T>) {
        // An edit may stop this; nothing stops what comes behind.
        let made_for = MadeFor::get(db).promised(db).clone();
        let chosen = Chosen::get(db).instances(db).clone();
        let saw: Vec<bool> = plan.asked().map(|item| lowered(db, item).saw_all_names).collect();
        let asked: FxHashSet<usize> = plan.asked.iter().copied().collect();
        let kept = (0..plan.items.len()).filter(|n| !asked.contains(n)).filter_map(|n| plan.before(n));
        let looked = saw.contains(&true) || kept.into_iter().any(|known| self.entries[known].saw_all_names);
        let file = plan.items.first().map(|item| item.file(db)).filter(|_| looked);
        let beside = file.map(|file| names_beside(db, file).clone());
        self.made_for = made_for;
        self.used.clone_from(&plan.used);
        self.chunks.clear();
        self.chunks.extend_from_slice(plan.chunks);
        self.chosen = chosen;
        if let Some(before) = &plan.before {
            let mut old: Vec<_> = std::mem::take(&mut self.entries).into_iter().map(Some).collect();
            let entries = before.iter().zip(plan.items).map(|(known, item)| {
                let known = known.and_then(|known| old[known].take());
                known.unwrap_or_else(|| Entry::unknown(item.as_id()))
            });
            self.entries = entries.collect();
        }
        for ((&n, value), saw_all_names) in plan.asked.iter().zip(found).zip(saw) {
            self.entries[n].value = Some(value);
            self.entries[n].saw_all_names = saw_all_names;
        }
        for (&n, words) in &plan.words {
            self.entries[n].words.clone_from(words);
            self.entries[n].text = plan.items[n].text(db).clone();
        }
        for (&n, uses) in &plan.uses {
            self.entries[n].uses.clone_from(uses);
        }
        self.names = plan.names.clone();
        self.beside = beside;
    }

    /// Replaces the answer for the item with a number by a more complete one of the same revision.
    pub fn set_value(&mut self, n: usize, value: T) {
        self.entries[n].value = Some(value);
    }

    /// The answers, item by item, for who keeps in them how they were shown last.
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.entries.iter_mut().filter_map(|entry| entry.value.as_mut())
    }

    /// The answers, item by item.
    pub fn values(&self) -> impl Iterator<Item = &T> {
        self.entries.iter().filter_map(|entry| entry.value.as_ref())
    }
}

impl<T> Entry<T> {
    fn unknown(item: salsa::Id) -> Entry<T> {
        Entry { item, text: "".into(), words: [].into(), uses: [].into(), saw_all_names: false, value: None }
    }
}

/// The search for the items to which what has changed can make a difference.
struct Affected<'k, 'p, 'db, T> {
    cache: &'k ItemCache<T>,
    plan: &'p Plan<'db>,
    /// The number that each entry's item has now, unless it is gone.
    after: Vec<Option<u32>>,
}

impl<T> Affected<'_, '_, '_, T> {
    /// Fills in what items name, and which are to be asked.
    fn find(cache: &ItemCache<T>, plan: &mut Plan<'_>) {
        let mut after = vec![None; cache.entries.len()];
        for n in 0..plan.items.len() {
            plan.before(n).iter().for_each(|&known| after[known] = Some(n as u32));
        }
        let affected = Affected { cache, plan, after };
        let n_items = plan.items.len();
        let names_stay = Arc::ptr_eq(&cache.names, &plan.names);
        let others = if names_stay { FxHashSet::default() } else { affected.words_for_others() };
        let may_name_others = |n: &usize| !names_stay || plan.words.contains_key(n);
        let uses = |n| (n, uses_of(affected.words(n), &plan.names));
        let uses: FxHashMap<_, _> = (0..n_items).filter(may_name_others).map(uses).collect();
        let now: Vec<&[u32]> =
            (0..n_items).map(|n| uses.get(&n).map_or_else(|| affected.uses_before(n), |uses| &uses[..])).collect();
        let mut reached: Vec<bool> = (0..n_items).map(|n| affected.is_touched(n, &others)).collect();
        upwards(&plan.names, &now, &mut reached);
        affected.downwards(&now, &mut reached);
        let asked = (0..n_items).filter(|&n| reached[n]).collect();
        (plan.uses, plan.asked) = (uses, asked);
    }

    /// The words of an item, as they are now.
    fn words(&self, n: usize) -> &[Word] {
        let known = || &self.cache.entries[self.plan.before(n).expect("a new item's words are in the plan")].words;
        self.plan.words.get(&n).unwrap_or_else(known)
    }

    /// The names that an item said; they have the numbers of now when the list is as it was.
    fn uses_before(&self, n: usize) -> &[u32] {
        self.plan.before(n).map_or(&[], |known| &self.cache.entries[known].uses)
    }

    /// The words that stand for others than before.
    fn words_for_others(&self) -> FxHashSet<Word> {
        let (before, now) = (&self.cache.names, &self.plan.names);
        let gone = before.numbers.keys().filter(|word| !now.numbers.contains_key(word));
        let stays = |word: Word| {
            let known = before.get(word)?.iter().map(|&known| self.after[known as usize]);
            Some(known.eq(now.get(word)?.iter().map(|&n| Some(n))))
        };
        let others = now.numbers.keys().filter(|&&word| stays(word) != Some(true));
        gone.chain(others).copied().collect()
    }

    /// An item's own answer may be another, whatever those that it names have become.
    fn is_touched(&self, n: usize, others: &FxHashSet<Word>) -> bool {
        let saw_all_names = || self.plan.before(n).is_some_and(|known| self.cache.entries[known].saw_all_names);
        let says_others = || self.words(n).iter().any(|word| others.contains(word));
        self.plan.words.contains_key(&n)
            || self.plan.others_beside && saw_all_names()
            || !others.is_empty() && (saw_all_names() || says_others())
    }

    /// Goes on to those whom the items name that were reached, or named before, and whom those named that are gone.
    fn downwards(&self, now: &[&[u32]], reached: &mut [bool]) {
        let mut waiting: Vec<u32> = Vec::new();
        let (names, names_before) = (&self.plan.names, &self.cache.names);
        // Each name leads on once, whoever says it.
        let mut said = vec![false; names.items.len()];
        let mut said_before = vec![false; names_before.items.len()];
        let mut go_on_before = |known: usize, waiting: &mut Vec<u32>| {
            for &word in &self.cache.entries[known].uses {
                if !std::mem::replace(&mut said_before[word as usize], true) {
                    let items = names_before.items[word as usize].iter();
                    waiting.extend(items.filter_map(|&item| self.after[item as usize]));
                }
            }
        };
        for known in (0..self.after.len()).filter(|&known| self.after[known].is_none()) {
            go_on_before(known, &mut waiting);
        }
        let mut go_on = |n: usize, waiting: &mut Vec<u32>| {
            for &word in now[n] {
                if !std::mem::replace(&mut said[word as usize], true) {
                    waiting.extend(&names.items[word as usize]);
                }
            }
            self.plan.before(n).into_iter().for_each(|known| go_on_before(known, waiting));
        };
        (0..now.len()).filter(|&n| reached[n]).for_each(|n| go_on(n, &mut waiting));
        while let Some(n) = waiting.pop() {
            if !std::mem::replace(&mut reached[n as usize], true) {
                go_on(n as usize, &mut waiting);
            }
        }
    }
}

/// Goes on to those who name an item that was reached.
fn upwards(names: &Names, uses: &[&[u32]], reached: &mut [bool]) {
    let mut is_said = vec![false; names.items.len()];
    let mark = |n: usize, is_said: &mut [bool]| names.words_of(n).for_each(|word| is_said[word] = true);
    (0..uses.len()).filter(|&n| reached[n]).for_each(|n| mark(n, &mut is_said));
    let mut grew = reached.contains(&true);
    while std::mem::take(&mut grew) {
        for n in 0..uses.len() {
            if !reached[n] && uses[n].iter().any(|&word| is_said[word as usize]) {
                reached[n] = true;
                mark(n, &mut is_said);
                grew = true;
            }
        }
    }
}

/// The words of an item that may be names, each once.
fn words_of(db: &dyn salsa::Database, item: Item<'_>) -> Box<[Word]> {
    let mut words = Vec::new();
    for_each_name(dense(db, item), &mut |name, is_field| words.push(word(name, is_field)));
    words.sort_unstable();
    words.dedup();
    words.into()
}

fn word(name: &str, is_field: bool) -> Word {
    let mut hasher = FxHasher::default();
    (name, is_field).hash(&mut hasher);
    hasher.finish()
}

fn uses_of(words: &[Word], names: &Names) -> Box<[u32]> {
    words.iter().filter_map(|word| names.numbers.get(word)).copied().collect()
}

fn names_of(db: &dyn salsa::Database, items: &[Item<'_>]) -> Names {
    let mut names = Names::default();
    for (n, &item) in items.iter().enumerate().filter(|(_, item)| !item.name(db).is_empty()) {
        let mut stands_for = |word: Word| names.add(word, n as u32);
        stands_for(word(item.name(db), false));
        if item.kind(db).is_type() {
            struct_fields(db, item).iter().for_each(|(field, _)| stands_for(word(field, true)));
            variants(db, item).iter().for_each(|variant| stands_for(word(&variant.name, false)));
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::Host;

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
        let mut cache = ItemCache::default();
        let mut text = TEXT.to_owned();
        host.set_text("a.lane", &text);
        for (from, to, expected) in [("", "", "K P g f alone a b")].iter().chain(edits) {
            text = text.replacen(from, to, 1);
            let file = host.set_text("a.lane", &text);
            let snapshot = host.snapshot();
            let db = snapshot.db();
            let plan = cache.plan(db, file);
            let names: Vec<&str> = plan.asked().map(|item| &**item.name(db)).filter(|name| !name.is_empty()).collect();
            assert_eq!(names.join(" "), *expected, "after {from:?} became {to:?}");
            let found = plan.asked().map(|_| ()).collect();
            cache.update(db, &plan, found);
            assert_eq!(cache.values().count(), plan.items.len());
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
            // An item that is no longer mentioned was, before the edit.
            ("2.0 * f(v[1])", "2.0", "K g f a"),
            ("v[0] = 2.0", "v[0] = 3.0", "a"),
            ("x: f32", "x: i32", "P alone"),
            ("return x * K", "return x + K", "K g f"),
            ("const K = 2", "const K = 3", "K g f"),
        ]);
    }

    #[test]
    fn when_the_list_changes_those_are_asked_who_name_what_has() {
        check(&[
            // `g` names what is gone, `f` names `g`; what `g` says now is unknown, so that it looks for names that are like it.
            ("const K", "const L", "L g f a"),
            ("kernel b", "kernel c", "g f a c"),
            ("const L", "const K", "K g f a"),
            ("kernel c", "kernel b", "b"),
            ("kernel a", "fn f(x):\n    return x\n\nkernel a", "K g f f a"),
            ("fn f(x):\n    return x\n\nkernel a", "kernel a", "K g f a"),
            // Whom it named in what is gone is called from there no more.
            ("kernel a(v: f32[n], n: i32):\n    v[0] = f(v[1])\n\n", "", "K g f"),
        ]);
    }

    #[test]
    fn a_field_stands_for_the_structs_that_have_it() {
        check(&[
            ("alone(p: P)", "alone(p)", "P alone"),
            ("x: f32", "x: i32", "P alone"),
            ("struct P:", "struct Q:\n    y: f32\n\nstruct P:", "Q"),
            ("y: f32", "x: f32", "Q P alone"),
        ]);
    }

    #[test]
    fn all_are_asked_when_items_change_places() {
        let (a, b) =
            ("kernel a(v: f32[n], n: i32):\n    v[0] = f(v[1])\n\n", "kernel b(v: f32[n], n: i32):\n    v[0] = v[1]\n");
        check(&[(&format!("{a}{b}"), &format!("{b}\n{a}"), "K P g f alone b a")]);
    }
}
