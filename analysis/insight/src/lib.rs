//! Facts about lanes in terms of the source: for each place, how the value there differs from lane to lane, and which place made
//! it so.
//!
//! `facts` knows values of Lane IR; here they are brought back to the places that lowering wrote down. A *step* is a place
//! with a value in one kernel; each step that varies names the step that made it vary, so that a chain of reasons can be
//! followed through the source:
//!
//! ```text
//! colors[number]  <-  number  <-  color_number[i]  <-  i
//! ```
//!
//! - [`collect`]: a kernel's steps, accesses, branches and loops
//! - `by_value`: the steps of each value
//! - `chain`: for each step that varies, the step that made it vary
//! - `promises`: marked loops, held against their verdicts
//! - `parts`: `@threads`, held against what the outermost loop does
//! - `words`: shapes, strides and reasons in words
//! - `judged`: verdicts about loops, with the accesses that meet, as [reports](report::lanes) whose places are sites
//!
//! A function has no facts of its own: it is inlined, and what is known of its places is joined from all calls. All places are
//! ranges of dense texts, so that facts stay equal while white space, comments and other items are edited.

mod by_value;
mod chain;
pub mod collect;
mod judged;
mod parts;
mod promises;
mod words;

use std::sync::Arc;

use facts::{Class, Flow};
use ir::ReasonCode;
use passes::AccessForm;
use passes::outcome::Scratch;
use report::TextRange;
use report::lanes::{Because, Reason};
use rustc_hash::FxHashMap;

use hir::finding::{Finding, ItemKey, Place};
use lowering::Role;

pub use report::lanes::{Site, Stride};

/// A loop, at sites: its dependences are those that are reasons, of [all that meet](dependences_of).
pub type Loop = report::lanes::Loop<Site, Site>;

/// The code of a loop whose nest has its lanes elsewhere.
pub const LANES_ELSEWHERE: ReasonCode = ReasonCode::LanesElsewhere;

/// The code of a loop that may be left early, and of the decision about it.
pub const EARLY_EXIT: ReasonCode = ReasonCode::EarlyExit;

/// The codes of all that verdicts about loops say.
pub fn codes_of_loops() -> Vec<&'static str> {
    ReasonCode::of_loops().map(ReasonCode::name).collect()
}

/// The facts about the lanes of a kernel, at its own places and those of the functions that it calls.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct KernelFacts {
    /// The items that places are in; the kernel is the first.
    pub items: Vec<ItemKey>,
    /// Places with their values, in the order in which they are computed.
    pub steps: Vec<Step>,
    /// Loads and stores.
    pub accesses: Vec<Access>,
    /// Branches.
    pub branches: Vec<Branch>,
    /// Arithmetic that lanes do at a price.
    pub costs: Vec<Cost>,
    /// Arrays that are copied, or kept in temporary memory.
    pub arrays: Vec<ArrayCost>,
    /// All loops, outer ones before inner ones.
    pub loops: Vec<Loop>,
    /// For each loop that stands in the prelude or another file, the call in the program's own text that leads there.
    pub calls: Vec<Option<PreludeCall>>,
    /// The loops that are promised to become vector code.
    pub promised: Vec<Promised>,
    /// The scratch memory that the caller passes, if the kernel needs any.
    pub scratch: Option<Scratch<Site>>,
    /// The loop whose iterations threads may divide, or why none can be divided; `None` without `@threads`.
    pub parts: Option<Result<Site, Undivided>>,
    /// Each `foreach` whose iterations are known to collide, with the two that do.
    pub collisions: Vec<(Site, Reason<Site>)>,
    /// Variables that the iterations of a `foreach` update in a way in which they cannot share them.
    pub unshared: Vec<Unshared>,
}

/// The reason why threads cannot divide a kernel's iterations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Undivided {
    /// The reason, in words.
    pub because: String,
    /// The change that would allow it.
    pub way_out: &'static str,
    /// The places that it is about.
    pub related: Vec<Because<Site>>,
}

/// A variable that the iterations of a `foreach` update in a way in which they cannot share it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unshared {
    /// The place of the loop.
    pub site: Site,
    /// The place at which the loop is told of.
    pub range: Site,
    /// The name of the variable, with that of its part where it has parts.
    pub name: String,
    /// True if lanes of a group give it different values; else an iteration needs the value of the one before.
    pub varies: bool,
    /// The step that the value comes from, if the text shows one.
    pub step: Option<u32>,
}

/// A call of a builtin that is written in Lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PreludeCall {
    /// The place of the call.
    pub site: Site,
    /// The number of the function, among [`KernelFacts::items`].
    pub function: u32,
}

/// A place with a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The place.
    pub site: Site,
    /// The role of the place: an expression, a definition, the use of a name.
    pub role: Role,
    /// The shape of the value over the lanes, in words.
    pub shape: Arc<str>,
    /// The distance of the shape from uniform: 0 for uniform, and the more the less is known of the lanes.
    pub rank: u8,
    /// True for an array or a part of one, which is a view and no data.
    pub is_view: bool,
    /// The loop whose iterations are the lanes there, by its number.
    pub lane_loop: Option<u32>,
    /// The control flow of the lanes there.
    pub flow: Flow,
    /// The step that made it vary; `None` for a uniform value, and at the end of a chain.
    pub cause: Option<StepCause>,
    /// The reason in words of a step that varies by itself, at which chains end.
    pub ends: Option<Arc<str>>,
    /// True if a chain ends here because the code is not understood.
    pub is_unknown: bool,
    /// True for arithmetic whose cause is another step: it varies as its operands do, and is no news in a chain.
    pub is_arithmetic: bool,
    /// The name of the variable that is read or defined there.
    pub name: Option<ir::Name>,
}

/// The cause of a step that varies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepCause {
    /// The step that made it vary.
    pub step: u32,
    /// The words that connect that step with the value.
    pub message: &'static str,
    /// True if the value is computed from that step, or is its value; false for what decides about it in another way.
    pub is_plain: bool,
}

/// A load or a store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Access {
    /// The place.
    pub site: Site,
    /// The array.
    pub array: Arc<str>,
    /// True for a store.
    pub stores: bool,
    /// The class of the access: the pattern of the cells of neighbouring lanes.
    pub class: Class,
    /// From lane to lane, the distance in cells, if that is always the same.
    pub stride: Option<Stride>,
    /// The loop whose iterations are the lanes there, by its number.
    pub lane_loop: Option<u32>,
    /// The control flow of the lanes there.
    pub flow: Flow,
    /// True if it is done in lanes, or if that is not known yet. One part of a loop that was split is enough.
    pub is_in_lanes: bool,
    /// The form that the passes gave it, or else the one that its class suggests; `None` if it is not done in lanes, or was
    /// removed.
    pub form: Option<AccessForm>,
    /// The step of the subscript that decided its class.
    pub because: Option<u32>,
    /// The reason for its class, as a sentence.
    pub reason: String,
    /// A change of the source that would make it cheaper, if one is known.
    pub lift: Option<String>,
    /// The loop along which it would be contiguous, by its number, if all that keeps the lanes from there is the order of a float sum
    /// or product.
    pub reordered: Option<u32>,
    /// A loop around it promises that it is no gather, or no scatter.
    pub is_promised: bool,
    /// The reason why a store takes its place in the cache although a loop around it is marked `@stream`.
    pub kept_in_cache: Option<String>,
}

impl Access {
    /// Returns true for a gather or scatter. A store of all lanes to one cell is none, although it is made in that form.
    pub fn is_scattered(&self) -> bool {
        self.form == Some(AccessForm::Scattered) && self.class != Class::UniformStore
    }

    /// Returns true if `@no_gather` or `@no_scatter` is broken.
    pub fn breaks_promise(&self) -> bool {
        self.is_promised && self.is_scattered()
    }
}

/// An `if` inside of lanes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Branch {
    /// The condition.
    pub site: Site,
    /// True if lanes may disagree about the condition.
    pub diverges: bool,
    /// True if all lanes on and all lanes off are tested for at run time, as `@coherent` asks.
    pub coherent: bool,
    /// A rough cost of the more expensive side, in simple ops; a loop counts for several iterations.
    pub cost: u32,
    /// The step of the condition.
    pub because: u32,
    /// The loop whose iterations are the lanes there, by its number.
    pub lane_loop: u32,
}

/// Arithmetic on values that vary, for which hardware has no vector instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cost {
    /// The place.
    pub site: Site,
    /// The kind of arithmetic.
    pub kind: CostKind,
    /// The step of its value.
    pub because: Option<u32>,
    /// The loop whose iterations are the lanes there, by its number.
    pub lane_loop: u32,
}

/// Arithmetic for which hardware has no vector instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CostKind {
    /// A division of integers, or its rest, by what is no constant.
    Division,
    /// A conversion between floats and integers of 64 bits.
    Conversion,
}

/// An array that is copied, or kept in temporary memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArrayCost {
    /// The place.
    pub site: Site,
    /// The code of the decision.
    pub code: ReasonCode,
    /// The reason.
    pub because: String,
}

/// A loop that is promised to become vector code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Promised {
    /// The loop.
    pub site: Site,
    /// True if its own iterations are lanes.
    pub takes_lanes: bool,
    /// True if its own iterations are lanes, or those of a loop around it, or those of all innermost loops inside of it.
    pub has_lanes: bool,
    /// True if it stands in another loop that is promised.
    pub is_inside: bool,
    /// The reasons that keep its iterations from being lanes.
    pub blockers: Vec<Reason<Site>>,
}

/// The facts about the places of one item, joined from all kernels that use it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ItemFacts {
    /// The facts of those kernels, to which the joined facts point.
    pub sources: Vec<Arc<KernelFacts>>,
    /// Values, by place.
    pub values: Vec<WorstOf>,
    /// Accesses, by place; a place has a load, a store, or both.
    pub accesses: Vec<WorstOf>,
}

/// The values or accesses of all kernels at one place, represented by the worst of them: a function's place is as good as its
/// worst call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorstOf {
    /// The place.
    pub at: TextRange,
    /// The number of the source with the worst of them, among [`ItemFacts::sources`].
    pub source: u32,
    /// The number of the worst step or access in that source.
    pub worst: u32,
    /// The number of values or accesses that were joined.
    pub n: u32,
    /// The number of those that are as bad as the worst.
    pub n_worst: u32,
}

/// Joins the facts about the places of an item from all kernels that use it; each place keeps the worst of several.
pub fn join(own: &ItemKey, sources: Vec<Arc<KernelFacts>>) -> ItemFacts {
    let (mut values, mut accesses) = (Joiner::default(), Joiner::default());
    for (source, facts) in sources.iter().enumerate() {
        let Some(item) = facts.items.iter().position(|key| key == own) else { continue };
        let is_own = |site: &Site| site.item as usize == item;
        // A variable's definition stands for all that it comes to be while the lanes are those of its definition.
        let mut defined: FxHashMap<TextRange, Option<u32>> = FxHashMap::default();
        for (n, step) in facts.steps.iter().enumerate().filter(|(_, step)| is_own(&step.site) && !step.is_view) {
            match step.role {
                Role::Target | Role::Result => continue,
                Role::Later if defined.get(&step.site.at) != Some(&step.lane_loop) => continue,
                Role::Definition => drop(defined.insert(step.site.at, step.lane_loop)),
                Role::Later | Role::Expression | Role::Use => {}
            }
            values.add((step.site.at, false), step.rank, source, n);
        }
        for (n, access) in facts.accesses.iter().enumerate().filter(|(_, access)| is_own(&access.site)) {
            accesses.add((access.site.at, access.stores), words::class_rank(access.class), source, n);
        }
    }
    ItemFacts { values: values.finish(), accesses: accesses.finish(), sources }
}

/// Joins values, or accesses, that have one place and one kind.
#[derive(Default)]
struct Joiner {
    numbers: FxHashMap<(TextRange, bool), usize>,
    joined: Vec<(u8, WorstOf)>,
}

impl Joiner {
    fn add(&mut self, place: (TextRange, bool), rank: u8, source: usize, number: usize) {
        let new = WorstOf { at: place.0, source: source as u32, worst: number as u32, n: 1, n_worst: 1 };
        let slot = *self.numbers.entry(place).or_insert(self.joined.len());
        let Some((worst, known)) = self.joined.get_mut(slot) else { return self.joined.push((rank, new)) };
        known.n += 1;
        match rank.cmp(worst) {
            std::cmp::Ordering::Less => {}
            std::cmp::Ordering::Equal => known.n_worst += 1,
            std::cmp::Ordering::Greater => {
                *known = WorstOf { n: known.n, ..new };
                *worst = rank;
            }
        }
    }

    fn finish(self) -> Vec<WorstOf> {
        let mut joined: Vec<_> = self.joined.into_iter().map(|(_, joined)| joined).collect();
        // An expression comes before its parts, as `value_at` expects.
        joined.sort_by_key(|joined| (joined.at.start(), std::cmp::Reverse(joined.at.end())));
        joined
    }
}

impl Step {
    /// Returns true if the value is the same in all lanes.
    pub fn is_uniform(&self) -> bool {
        self.rank == 0
    }
}

impl ItemFacts {
    /// The step that a joined value is, with the facts it is from.
    pub fn step(&self, joined: &WorstOf) -> (&KernelFacts, &Step) {
        let facts = &self.sources[joined.source as usize];
        (facts, &facts.steps[joined.worst as usize])
    }

    /// The access that a joined access is, with the facts it is from.
    pub fn access(&self, joined: &WorstOf) -> (&KernelFacts, &Access) {
        let facts = &self.sources[joined.source as usize];
        (facts, &facts.accesses[joined.worst as usize])
    }

    /// The number of an item in each of the sources.
    pub fn numbers(&self, key: &ItemKey) -> Vec<Option<u32>> {
        let number = |facts: &Arc<KernelFacts>| facts.items.iter().position(|item| item == key).map(|n| n as u32);
        self.sources.iter().map(number).collect()
    }

    /// The value at a place.
    pub fn value_at(&self, at: TextRange) -> Option<&WorstOf> {
        let key = |range: TextRange| (range.start(), std::cmp::Reverse(range.end()));
        let found = self.values.binary_search_by_key(&key(at), |joined| key(joined.at));
        found.ok().map(|n| &self.values[n])
    }

    /// The accesses at a place.
    pub fn accesses_at(&self, at: TextRange) -> impl Iterator<Item = &WorstOf> {
        self.accesses.iter().filter(move |joined| joined.at == at)
    }
}

/// Adds a step to a finding as a place that explains it, and then the chain of steps that made it vary.
pub fn related(mut finding: Finding, facts: &KernelFacts, step: u32, message: &'static str) -> Finding {
    let own = &facts.steps[step as usize];
    let item = own.site.item;
    let mut links = facts.chain(step);
    // The loop's index speaks for itself.
    if own.role != Role::Use || links.len() > 1 {
        links.insert(0, ChainLink { site: own.site, message });
    }
    for link in &links {
        let holder = &facts.items[link.site.item as usize];
        if link.site.item != item {
            // An edit in there must leave the finding equal, so it names no more than the item.
            return finding.with_related(Place::NameOf(holder.clone()), "which comes from in here");
        }
        // One place needs no second reason: a variable's value is where the variable gets it.
        let is_told = finding.related.iter().any(|(place, _)| *place == Place::Here(link.site.at));
        if link.site.at != finding.at && !is_told {
            finding = finding.with_related(link.site.at, link.message);
        }
    }
    finding
}

impl KernelFacts {
    /// Returns true unless the chain of a step ends at code that is not understood.
    pub fn is_understood(&self, step: u32) -> bool {
        let mut at = &self.steps[step as usize];
        let mut seen = rustc_hash::FxHashSet::default();
        while let Some(cause) = at.cause.as_ref().filter(|cause| seen.insert(cause.step)) {
            at = &self.steps[cause.step as usize];
        }
        !at.is_unknown
    }

    /// Returns true for an access in a loop that runs as lanes: done in lanes itself, or once for all of them, as a broadcast is.
    pub fn runs_in_lanes(&self, access: &Access) -> bool {
        let is_vector = |n: u32| self.loops[n as usize].verdict.is_vector;
        access.is_in_lanes || access.lane_loop.is_some_and(is_vector)
    }

    /// The places of all steps that made a step vary, arithmetic included, the nearest first.
    pub fn sites_of_causes(&self, step: u32) -> Vec<Site> {
        let mut sites = Vec::new();
        let mut at = &self.steps[step as usize];
        let mut seen = rustc_hash::FxHashSet::default();
        while let Some(cause) = at.cause.as_ref().filter(|cause| seen.insert(cause.step)) {
            at = &self.steps[cause.step as usize];
            sites.push(at.site);
        }
        sites
    }

    /// Returns true if a place is in another file than the kernel's: in the prelude, or in one that is used.
    pub fn is_elsewhere(&self, site: Site) -> bool {
        let file = |item: usize| self.items[item].file;
        file(site.item as usize) != file(0)
    }

    /// The steps that made a step vary, the nearest first: variables, accesses, conditions, and not the arithmetic between them. A chain that is longer than anyone follows is cut short
    /// before its end, which is always there.
    pub fn chain(&self, step: u32) -> Vec<ChainLink<'_>> {
        /// The most links of a chain, which editors show as a list, besides its end.
        const MOST: usize = 16;
        let mut links: Vec<ChainLink<'_>> = Vec::new();
        let mut at = &self.steps[step as usize];
        let mut seen = rustc_hash::FxHashSet::default();
        // One variable is told once, however often its value is handed on.
        let mut names = rustc_hash::FxHashSet::default();
        names.extend(&at.name);
        while let Some(cause) = at.cause.as_ref().filter(|cause| seen.insert(cause.step)) {
            let next = &self.steps[cause.step as usize];
            at = next;
            let is_last = next.cause.as_ref().is_none_or(|cause| seen.contains(&cause.step));
            // The prelude, and a file that is used, is not what one looks at; the argument that was handed over is a link behind it.
            if self.is_elsewhere(next.site) {
                continue;
            }
            let is_new = next.name.as_ref().is_none_or(|name| names.insert(name));
            if !is_last && cause.is_plain && (next.is_arithmetic || !is_new) {
                continue;
            }
            let message = next.ends.as_deref().unwrap_or(cause.message);
            let link = ChainLink { site: next.site, message };
            if links.len() > MOST || links.last().is_some_and(|last| last.site == link.site) {
                links.pop();
            }
            links.push(link);
        }
        links
    }
}

/// A place in a chain of reasons.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChainLink<'f> {
    /// The place.
    pub site: Site,
    /// The words that connect it with the place before.
    pub message: &'f str,
}
