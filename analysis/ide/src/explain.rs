//! The facts about lanes as people and scripts read them: what each value, access and loop of an item is, and why.
//!
//! This is the one model that all faces render: the command's text and its JSON, hovers, hints. It decides nothing; it brings
//! [facts](insight) to where their places are now, and gives each its source text.

mod branches;
mod loops;

use std::cell::RefCell;

pub use report::lanes::{Class, Flow, Stride};
use report::{ItemKind, TextRange, lanes};
use rustc_hash::FxHashMap;

use super::Located;
use hir::finding::ItemKey;
use hir::infer::atom_name;
use insight::{ItemFacts, KernelFacts, Site};
use lowering::Role;
use queries::check::start_of;
use queries::db::{File, Item, file_items, made_for};
use queries::stages;

pub(crate) use loops::costed;
use loops::loops_in_full;
pub use loops::{cost_of_loop, loops_of};

/// The whole report of an item, at places of the file.
pub type Explained = lanes::Explained<TextRange>;
/// A place with a value.
pub type Value = lanes::Value<TextRange>;
/// A load or a store.
pub type Access = lanes::Access<TextRange>;
/// An `if` inside of lanes.
pub type Branch = lanes::Branch<TextRange>;
/// A loop, with its verdict and the reasons for it.
pub type Loop = lanes::Loop<TextRange>;
/// A place, and the source that stands there.
pub type Quoted = lanes::Quoted<TextRange>;
/// A place that explains another one.
pub type Because = lanes::Because<Quoted>;
/// A reason of a verdict.
pub type Reason = lanes::Reason<Quoted>;
/// The estimated cost of a loop.
pub type LoopCost = lanes::LoopCost<TextRange>;
/// Two accesses that may touch one cell.
pub type Dependence = lanes::Dependence<Quoted>;
/// A decision of a pass.
pub type Decision = lanes::Decision<TextRange>;

/// Returns the facts about the lanes of all kernels and functions of a file, in order.
pub fn explain(db: &dyn salsa::Database, file: File) -> Vec<Explained> {
    let items = file_items(db, file).iter();
    let items = items.filter(|item| matches!(item.kind(db), ItemKind::Kernel | ItemKind::Fn));
    let items = items.filter(|item| !queries::templates::is_open(db, **item));
    items.filter_map(|&item| explain_item(db, queries::kernel_of(db, item))).collect()
}

/// Returns the facts about the lanes of one item, for the target that [questions are about](queries::db::made_for).
/// `None` for a function that no kernel calls: it has no lanes.
pub fn explain_item(db: &dyn salsa::Database, item: Item<'_>) -> Option<Explained> {
    let places = Places::new(db, item.file(db));
    let known = queries::lanes::of_item(db, item);
    let kind = item.kind(db);
    if !matches!(kind, ItemKind::Kernel | ItemKind::Fn) || (known.values.is_empty() && kind == ItemKind::Fn) {
        return None;
    }
    let key = queries::key(db, item);
    let types = Types::of(db, item);
    let values = known.values.iter().filter_map(|joined| value(&places, &key, known, joined, &types));
    let accesses = known.accesses.iter().filter_map(|joined| access(&places, &key, known, joined));
    Some(Explained {
        name: item.name(db).to_string(),
        kind,
        target: made_for(db).target.name,
        range: places.range(&key, queries::lowered(db, item).map.header)?,
        values: values.collect(),
        accesses: accesses.collect(),
        branches: branches::branches_of(&places, &key, known),
        loops: loops_in_full(db, item),
        scratch: scratch_of(db, item).map(str::to_owned),
        decisions: decisions_of(&places, item),
    })
}

/// Returns the bytes of scratch memory that a kernel needs, as a formula.
pub(super) fn scratch_of<'db>(db: &'db dyn salsa::Database, item: Item<'db>) -> Option<&'db str> {
    let is_kernel = item.kind(db) == ItemKind::Kernel;
    let facts = is_kernel.then(|| queries::lanes::of_kernel(db, item))?;
    facts.scratch.as_ref().map(|scratch| &*scratch.bytes)
}

/// Returns the decisions of the passes about an item, each at the header of its loop or at its access. Decisions about
/// calls that were inlined into it are left out: their places are in other items.
fn decisions_of(places: &Places<'_>, item: Item<'_>) -> Vec<Decision> {
    let located = Located::new(places.db, item, start_of(places.db, item).unwrap_or_default());
    let own = located.root.text_range() + located.start;
    let decisions = stages::choices_of(places.db, item, made_for(places.db)).into_iter().filter_map(|choice| {
        let range = choice.range.filter(|&range| own.contains_range(range))?;
        Some(choice.map(|_| range))
    });
    decisions.collect()
}

/// Returns the facts about the value at a place of an item's dense text.
pub(super) fn value_at(db: &dyn salsa::Database, item: Item<'_>, at: TextRange) -> Option<Value> {
    let known = queries::lanes::of_item(db, item);
    let joined = known.value_at(at)?;
    value(&Places::new(db, item.file(db)), &queries::key(db, item), known, joined, &Types::of(db, item))
}

/// The branches of an item inside of lanes.
pub(super) fn branches_in(db: &dyn salsa::Database, item: Item<'_>) -> Vec<Branch> {
    branches::branches_of(&Places::new(db, item.file(db)), &queries::key(db, item), queries::lanes::of_item(db, item))
}

/// Returns the place in the file of a step of an item's facts.
pub(super) fn place_of(db: &dyn salsa::Database, item: Item<'_>, facts: &KernelFacts, step: u32) -> Option<TextRange> {
    range_of(db, item, facts, facts.steps[step as usize].site)
}

/// Returns the place in the file of the nearest step that made a step vary.
pub(super) fn place_of_cause(
    db: &dyn salsa::Database,
    item: Item<'_>,
    facts: &KernelFacts,
    step: u32,
) -> Option<TextRange> {
    range_of(db, item, facts, facts.chain(step).first()?.site)
}

fn range_of(db: &dyn salsa::Database, item: Item<'_>, facts: &KernelFacts, site: Site) -> Option<TextRange> {
    let key = &facts.items[site.item as usize];
    (!facts.is_elsewhere(site)).then(|| Places::new(db, item.file(db)).range(key, site.at)).flatten()
}

/// Returns the facts about the accesses at a place of an item's dense text.
pub(super) fn accesses_at(db: &dyn salsa::Database, item: Item<'_>, at: TextRange) -> Vec<Access> {
    let (places, key, known) =
        (Places::new(db, item.file(db)), queries::key(db, item), queries::lanes::of_item(db, item));
    known.accesses_at(at).filter_map(|joined| access(&places, &key, known, joined)).collect()
}

fn value(
    places: &Places<'_>,
    key: &ItemKey,
    known: &ItemFacts,
    joined: &insight::WorstOf,
    types: &Types<'_>,
) -> Option<Value> {
    let (facts, step) = known.step(joined);
    let range = places.range(key, joined.at)?;
    Some(Value {
        range,
        text: places.text(key, range)?,
        ty: types.show(joined.at)?,
        is_definition: matches!(step.role, Role::Definition | Role::Later),
        varies: !step.is_uniform(),
        shape: step.shape.to_string(),
        in_some_calls: key.kind == ItemKind::Fn && joined.n_worst < joined.n,
        lane_loop: step.lane_loop.and_then(|n| places.header(facts, facts.loops[n as usize].range)),
        flow: step.flow,
        because: places.chain(facts, facts.chain(joined.worst)),
    })
}

fn access(places: &Places<'_>, key: &ItemKey, known: &ItemFacts, joined: &insight::WorstOf) -> Option<Access> {
    let (facts, access) = known.access(joined);
    let range = places.range(key, joined.at)?;
    let text = places.text(key, range)?;
    // A function's own name for the array is what its reader knows.
    let array = match key.kind {
        ItemKind::Fn => text.split(['[', '.', ' ']).next().unwrap_or_default().to_owned(),
        _ => access.array.to_string(),
    };
    let because = access.because.map(|step| {
        let chain = facts.chain(step);
        let own = insight::ChainLink { site: facts.steps[step as usize].site, message: "the subscript, which varies" };
        // A subscript that is plainly the loop's index is no step on the way to it.
        if chain.len() > 1 || facts.steps[step as usize].role != Role::Use {
            [vec![own], chain].concat()
        } else {
            chain
        }
    });
    Some(Access {
        range,
        text,
        array,
        stores: access.stores,
        class: access.class,
        stride: access.stride.clone(),
        in_some_calls: key.kind == ItemKind::Fn && joined.n_worst < joined.n,
        lane_loop: access.lane_loop.and_then(|n| places.header(facts, facts.loops[n as usize].range)),
        flow: access.flow,
        is_in_lanes: facts.runs_in_lanes(access),
        reason: access.reason.clone(),
        lift: access.lift.clone(),
        because: places.chain(facts, because.unwrap_or_default()),
    })
}

/// The types of what is written in an item.
struct Types<'db> {
    body: &'db hir::Body,
    types: FxHashMap<TextRange, &'db hir::ty::Ty>,
}

impl<'db> Types<'db> {
    fn of(db: &'db dyn salsa::Database, item: Item<'db>) -> Types<'db> {
        let (lowered, inference) = (queries::lowered(db, item), queries::infer(db, item));
        // A part of a tuple stands where the tuple does, whose type is told there.
        let is_written = |id| !matches!(lowered.body.exprs[id], hir::Expr::Part { .. });
        let exprs = lowered.map.exprs.iter().filter(|(id, _)| is_written(*id));
        let exprs = exprs.filter_map(|(id, at)| Some((*at, inference.exprs.get(id)?)));
        let locals = lowered.map.locals.iter().filter_map(|(id, at)| Some((*at, inference.locals.get(id)?)));
        let result = lowered.body.result.as_ref().map(|ty| ty.at).zip(inference.signature.result.as_ref());
        Types { body: &lowered.body, types: exprs.chain(locals).chain(result).collect() }
    }

    fn show(&self, at: TextRange) -> Option<String> {
        Some(self.types.get(&at)?.display(&|atom| atom_name(self.body, atom)))
    }
}

/// Maps ranges of dense text to the present ranges of the file, and reads the text there. Each item is located once.
struct Places<'db> {
    db: &'db dyn salsa::Database,
    file: File,
    items: RefCell<FxHashMap<ItemKey, Option<std::rc::Rc<Located<'db>>>>>,
}

impl<'db> Places<'db> {
    fn new(db: &'db dyn salsa::Database, file: File) -> Places<'db> {
        Places { db, file, items: RefCell::default() }
    }

    fn located(&self, key: &ItemKey) -> Option<std::rc::Rc<Located<'db>>> {
        let find = || {
            let item = queries::item_of(self.db, self.file, key)?;
            Some(std::rc::Rc::new(Located::new(self.db, item, start_of(self.db, item)?)))
        };
        if let Some(known) = self.items.borrow().get(key) {
            return known.clone();
        }
        self.items.borrow_mut().entry(key.clone()).or_insert_with(find).clone()
    }

    fn range(&self, key: &ItemKey, dense: TextRange) -> Option<TextRange> {
        Some(self.located(key)?.range(self.db, dense))
    }

    /// The source at a range of the file, on one line.
    fn text(&self, key: &ItemKey, range: TextRange) -> Option<String> {
        let located = self.located(key)?;
        let inside = range.checked_sub(located.start)?;
        let written = located.item.text(self.db).get(usize::from(inside.start())..usize::from(inside.end()))?;
        if !written.contains(['\n', '\r', '#', '\t']) {
            return Some(written.to_owned());
        }
        let around = located.root.covering_element(inside);
        let tokens = around.into_node()?.descendants_with_tokens().filter_map(|element| element.into_token());
        let words = tokens.filter(|token| !token.kind().is_between() && inside.contains_range(token.text_range()));
        Some(words.map(|token| token.text().to_owned()).collect::<Vec<_>>().join(" "))
    }

    /// The header of the loop that is known by a place in it; of a loop that is no statement, the place.
    fn header(&self, facts: &KernelFacts, site: Site) -> Option<TextRange> {
        let key = &facts.items[site.item as usize];
        self.header_of(key, site.at).or_else(|| self.range(key, site.at))
    }

    fn header_of(&self, key: &ItemKey, at: TextRange) -> Option<TextRange> {
        let located = self.located(key)?;
        let map = &queries::lowered(self.db, located.item).map;
        Some(located.range(self.db, map.header_around(at)?.at))
    }

    fn chain(&self, facts: &KernelFacts, links: Vec<insight::ChainLink<'_>>) -> Vec<Because> {
        let because = |link: insight::ChainLink<'_>| {
            let key = &facts.items[link.site.item as usize];
            let range = self.range(key, link.site.at)?;
            let place = Quoted { range, text: self.text(key, range)? };
            Some(Because { place, message: link.message.to_owned() })
        };
        links.into_iter().filter_map(because).collect()
    }
}

#[cfg(test)]
mod tests;
