//! Reports of items: each value, access, branch, loop and decision at its place.

use super::{Because, Class, Flow, Loop, Quoted, Stride};
use crate::{Diagnostic, ItemKind, ReportCode, TextRange};

/// All that is reported of an item's lanes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explained<P> {
    /// The item's name.
    pub name: String,
    /// A kernel, or a function: of that, all calls are joined.
    pub kind: ItemKind,
    /// The target that all of this is about.
    pub target: &'static str,
    /// Its header.
    pub range: P,
    /// Its values, by place; what is around something comes before it.
    pub values: Vec<Value<P>>,
    /// Its loads and stores, by place.
    pub accesses: Vec<Access<P>>,
    /// Its branches inside of lanes, by place.
    pub branches: Vec<Branch<P>>,
    /// Its loops, by place.
    pub loops: Vec<Loop<P>>,
    /// The bytes of scratch memory that a kernel's caller passes, as a formula; `None` if it needs none.
    pub scratch: Option<String>,
    /// The decisions of passes about it, in order.
    pub decisions: Vec<Decision<P>>,
}

/// A place with a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Value<P> {
    /// The place.
    pub range: P,
    /// The source there, on one line.
    pub text: String,
    /// Its type.
    pub ty: String,
    /// A variable gets its value there.
    pub is_definition: bool,
    /// True if the value differs from lane to lane.
    pub varies: bool,
    /// The way in which it does: `uniform`, `linear, stride 2`.
    pub shape: String,
    /// True if the value is so in some of a function's calls only, and better in others.
    pub in_some_calls: bool,
    /// The header of the loop whose iterations are the lanes there.
    pub lane_loop: Option<P>,
    /// The lanes that come there.
    pub flow: Flow,
    /// The places that made it vary, step by step, up to the lanes themselves.
    pub because: Vec<Because<Quoted<P>>>,
}

/// A load or a store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Access<P> {
    /// The place.
    pub range: P,
    /// The source there, on one line.
    pub text: String,
    /// The array.
    pub array: String,
    /// A store, else a load.
    pub stores: bool,
    /// The order of its cells: `contiguous`, `gather`.
    pub class: Class,
    /// The distance from lane to lane, if that is always equal.
    pub stride: Option<Stride>,
    /// True if the access is so in some of a function's calls only, and better in others.
    pub in_some_calls: bool,
    /// The header of the loop whose iterations are the lanes there.
    pub lane_loop: Option<P>,
    /// The lanes that come there.
    pub flow: Flow,
    /// The reason for all that, as a sentence.
    pub reason: String,
    /// A change that would make it cheaper, if any is known.
    pub lift: Option<String>,
    /// The subscript that made it what it is, and what made that vary, step by step.
    pub because: Vec<Because<Quoted<P>>>,
    /// False in a loop that stays in order: then the class is what lanes would have.
    pub is_in_lanes: bool,
}

/// An `if` inside of lanes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Branch<P> {
    /// The condition.
    pub range: P,
    /// The source there, on one line.
    pub text: String,
    /// Lanes may not agree about it, so that both sides are gone through, each with some lanes off.
    pub diverges: bool,
    /// A test at run time tells whether all lanes are on, or all off.
    pub coherent: bool,
    /// The header of the loop whose iterations are the lanes there.
    pub lane_loop: Option<P>,
    /// The places that made the condition vary, step by step; none for one about which all agree.
    pub because: Vec<Because<Quoted<P>>>,
}

/// A decision of a pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision<P> {
    /// The header of the loop, or the access, that it is about.
    pub range: P,
    /// The pass.
    pub pass: &'static str,
    /// The code of what was done, or of what was left.
    pub code: ReportCode,
    /// The pass did it; else it was decided against.
    pub taken: bool,
    /// The reason, in words.
    pub because: String,
}

impl Explained<TextRange> {
    /// Adds what would lift the verdicts of its loops: the fixes of findings, which have been tried.
    pub fn with_lifts(mut self, tried: &[Diagnostic]) -> Self {
        for it in &mut self.loops {
            let code = it.verdict.code();
            let own = tried.iter().filter(|found| found.range == it.range && code == Some(found.code));
            it.lifts = own.flat_map(|found| &found.fixes).map(|fix| fix.title.clone()).collect();
        }
        self
    }
}

impl<P> Explained<P> {
    /// Names its places in other terms.
    pub fn map<R>(&self, place: &impl Fn(&P) -> R) -> Explained<R> {
        Explained {
            name: self.name.clone(),
            kind: self.kind,
            target: self.target,
            range: place(&self.range),
            values: self.values.iter().map(|value| value.map(place)).collect(),
            accesses: self.accesses.iter().map(|access| access.map(place)).collect(),
            branches: self.branches.iter().map(|branch| branch.map(place)).collect(),
            loops: self.loops.iter().map(|it| it.map(place)).collect(),
            scratch: self.scratch.clone(),
            decisions: self.decisions.iter().map(|decision| decision.map(place)).collect(),
        }
    }
}

impl<P> Value<P> {
    fn map<R>(&self, place: &impl Fn(&P) -> R) -> Value<R> {
        Value {
            range: place(&self.range),
            text: self.text.clone(),
            ty: self.ty.clone(),
            is_definition: self.is_definition,
            varies: self.varies,
            shape: self.shape.clone(),
            in_some_calls: self.in_some_calls,
            lane_loop: self.lane_loop.as_ref().map(place),
            flow: self.flow,
            because: chain(&self.because, place),
        }
    }
}

impl<P> Access<P> {
    fn map<R>(&self, place: &impl Fn(&P) -> R) -> Access<R> {
        Access {
            range: place(&self.range),
            text: self.text.clone(),
            array: self.array.clone(),
            stores: self.stores,
            class: self.class,
            stride: self.stride.clone(),
            in_some_calls: self.in_some_calls,
            lane_loop: self.lane_loop.as_ref().map(place),
            flow: self.flow,
            is_in_lanes: self.is_in_lanes,
            reason: self.reason.clone(),
            lift: self.lift.clone(),
            because: chain(&self.because, place),
        }
    }
}

impl<P> Branch<P> {
    fn map<R>(&self, place: &impl Fn(&P) -> R) -> Branch<R> {
        Branch {
            range: place(&self.range),
            text: self.text.clone(),
            diverges: self.diverges,
            coherent: self.coherent,
            lane_loop: self.lane_loop.as_ref().map(place),
            because: chain(&self.because, place),
        }
    }
}

impl<P> Decision<P> {
    /// Names its place in other terms.
    pub fn map<R>(&self, place: impl Fn(&P) -> R) -> Decision<R> {
        Decision {
            range: place(&self.range),
            pass: self.pass,
            code: self.code,
            taken: self.taken,
            because: self.because.clone(),
        }
    }
}

fn chain<P, R>(because: &[Because<Quoted<P>>], place: &impl Fn(&P) -> R) -> Vec<Because<Quoted<R>>> {
    because.iter().map(|step| step.map(place)).collect()
}
