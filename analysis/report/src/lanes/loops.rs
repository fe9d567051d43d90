//! Reports of loops: the verdict, all that speaks about it, and the accesses that meet.
//!
//! A loop is *vector* if its iterations run as lanes. The passes record which do when they give them lanes, for the target that
//! was asked for, so that nothing is called vector code that is none.

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::sync::Arc;

use super::{Because, LoopCost, Quoted};
use crate::ReportCode;

/// A loop. `Q` is a place that may be shown with its source: a site as long as the places are sites.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loop<P, Q = Quoted<P>> {
    /// Its header; as a site, the name of the index that lanes run along where it is defined, or the whole loop if it has none.
    pub range: P,
    /// The function whose loop it is, where it stands in a kernel's list because the kernel calls that function.
    pub function: Option<Arc<str>>,
    /// The name of the index that lanes run along; empty where there is none.
    pub index: String,
    /// Says that it is the loop of its nest that has the lanes or, if there are none, would have them: facts of lanes are about
    /// it.
    pub is_lane_loop: bool,
    /// The way in which lanes of a loop around it go through it; `None` where no loop around it has lanes.
    pub in_lanes: Option<InLanes>,
    /// The number of lanes that passes gave it, or the part of it that has the fewest. Where it is wrong to give it any, there are
    /// none to tell: see [`n_lanes`](Loop::n_lanes).
    pub lanes: Option<u16>,
    /// The verdict about its lanes.
    pub verdict: Verdict<Q>,
    /// Changes that would lift the first reason, each tried.
    pub lifts: Vec<String>,
    /// Accesses that meet in its iterations, by their numbers: all of them, or those that are reasons.
    pub dependences: Vec<Dependence<Q>>,
    /// The estimated cost on the target; `None` where that was not asked for, or nothing of the loop is left.
    pub cost: Option<LoopCost<P>>,
}

/// The way in which the lanes of a loop go through a loop inside of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InLanes {
    /// All lanes do each iteration together.
    Together,
    /// Lanes leave at different times, and the loop goes on until the last one has left.
    UntilTheLast,
}

impl InLanes {
    /// True if lanes that have left wait for the last one.
    pub fn waits(self) -> bool {
        self == InLanes::UntilTheLast
    }

    /// The name that all outputs use.
    pub fn name(self) -> &'static str {
        match self {
            InLanes::Together => "together",
            InLanes::UntilTheLast => "until-the-last",
        }
    }
}

/// The verdict about a loop's lanes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict<Q> {
    /// All of its iterations run as lanes.
    pub is_vector: bool,
    /// Fission split the loop, and a part of it runs as lanes.
    pub in_part: bool,
    /// Its iterations touch one cell, whatever the data, although it promises that they are independent: the program is wrong.
    pub collides: bool,
    /// The reasons, those that stand against lanes first. Of a code that a loop has very often, those are listed that come first
    /// and those that are the first of an access.
    pub reasons: Vec<Reason<Q>>,
    /// The number of reasons that are not listed, by code.
    pub more: Vec<(ReportCode, usize)>,
}

/// A reason: one of the things that speak about a verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason<Q> {
    /// Its code; each has a page in `docs/reasons.md`.
    pub code: ReportCode,
    /// True if the reason keeps the loop from running as lanes.
    pub blocks: bool,
    /// The reason as a sentence.
    pub message: String,
    /// The places that it is about, each with what happens there.
    pub related: Vec<Because<Q>>,
    /// The dependence that it is, by its number among all of the loop.
    pub dependence: Option<u32>,
    /// The value in the subscripts that has to be 0 or less, if there is only one, for two iterations to meet: if it is greater, no
    /// dependence keeps the loop in order.
    pub not_positive: Option<String>,
    /// The lanes of the nest are along another loop. That is nothing which stands against lanes here, so it is told in words alone.
    pub is_elsewhere: bool,
    /// Changes that may lift it; each has to be tried.
    pub lifts: Vec<Lift>,
}

/// A reason as faces tell it: one that stands for those that are like it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Told<'r, Q> {
    /// The reason.
    pub reason: &'r Reason<Q>,
    /// The number of reasons of the same code, between other accesses of the same array, that are not told.
    pub n_more: usize,
}

/// So many reasons that are alike are told one by one.
const FEW: usize = 2;

/// A change that may lift a reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Lift {
    /// `@reassoc` above the loop.
    Reassoc,
    /// `foreach` in place of `for`.
    Foreach,
    /// Without `@alias`.
    NoAlias,
}

/// The kind of a dependence: what its two accesses do to their cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DependenceKind {
    /// The source writes what the sink reads.
    Flow,
    /// The sink overwrites what the source has read.
    Anti,
    /// The sink overwrites what the source has written.
    Output,
}

impl DependenceKind {
    /// The name that all outputs use.
    pub fn name(self) -> &'static str {
        match self {
            DependenceKind::Flow => "flow",
            DependenceKind::Anti => "anti",
            DependenceKind::Output => "output",
        }
    }
}

/// Two accesses that may touch one cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dependence<Q> {
    /// Its number among all that meet in the loop's iterations.
    pub number: u32,
    /// Its kind.
    pub kind: DependenceKind,
    /// The access that runs first.
    pub source: Q,
    /// The access that runs later.
    pub sink: Q,
    /// The array.
    pub array: Arc<str>,
    /// The loop hands it from one iteration to another; else it is within one.
    pub is_carried: bool,
    /// The way from the source's iteration of the loop to the sink's: `<` to a later one.
    pub direction: &'static str,
    /// The number of iterations of the loop between them, if that is always equal.
    pub distance: Option<i64>,
    /// The directions of all loops around both, outermost first.
    pub directions: Vec<&'static str>,
    /// Their distances.
    pub distances: Vec<Option<i64>>,
    /// Two iterations that meet.
    pub witness: Option<Witness>,
    /// The test that decided it.
    pub test: &'static str,
    /// The reasons why it is no more than possible; empty for what is certain.
    pub doubts: Vec<String>,
    /// The two accesses in words.
    pub words: Words,
}

/// Two iterations that meet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Witness {
    /// The loop's iteration, by its index, at the source and at the sink.
    pub iterations: [i64; 2],
    /// The indices of the loops around it, by name.
    pub outer: Vec<(Arc<str>, i64)>,
    /// The indices of all loops around the source and around the sink, outermost first.
    pub all: [Vec<i64>; 2],
    /// The values that had to be chosen besides, by name.
    pub symbols: Vec<(String, i64)>,
    /// The subscripts of the cell.
    pub cell: Vec<i64>,
}

/// A dependence in words.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Words {
    /// `iteration 1 writes b[1]`
    pub source: String,
    /// `iteration 2 reads b[1]`
    pub sink: String,
    /// The values in the subscripts then: `s = -1`; nothing where there are none.
    pub assumed: String,
}

impl<Q> Verdict<Q> {
    /// Says that some of the loop runs as lanes.
    pub fn has_lanes(&self) -> bool {
        self.is_vector || self.in_part
    }

    /// The number of reasons of a code that there are besides those that are listed.
    pub fn n_unlisted(&self, code: ReportCode) -> usize {
        self.more.iter().find(|(known, _)| *known == code).map_or(0, |(_, n)| *n)
    }

    /// The code of what stands against lanes most, or of what there is to say about them.
    pub fn code(&self) -> Option<ReportCode> {
        self.reasons.first().map(|reason| reason.code).filter(|_| !self.is_vector)
    }
}

impl<P, Q> Loop<P, Q> {
    /// The dependence of a reason.
    pub fn dependence(&self, reason: &Reason<Q>) -> Option<&Dependence<Q>> {
        let number = reason.dependence?;
        let position = self.dependences.binary_search_by_key(&number, |it| it.number).ok()?;
        Some(&self.dependences[position])
    }

    /// The reasons as all faces tell them: where many have one code, about one array or about values, the first stands for all, as
    /// does the first of those that say the same about one array.
    pub fn told(&self) -> Vec<Told<'_, Q>> {
        let mut told: Vec<Told<'_, Q>> = Vec::new();
        for each in self.told_by(|reason| Some(self.array_of(reason))) {
            let key = |reason: &Reason<Q>| (reason.code, reason.blocks, self.array_of(reason).to_owned());
            let says_the_same =
                |it: &&mut Told<'_, Q>| it.reason.message == each.reason.message && key(it.reason) == key(each.reason);
            match told.iter_mut().find(says_the_same).filter(|_| self.dependence(each.reason).is_some()) {
                Some(it) => it.n_more += 1 + each.n_more,
                None => told.push(each),
            }
        }
        told
    }

    /// The array that a reason is about, or nothing for one about values.
    fn array_of(&self, reason: &Reason<Q>) -> &str {
        self.dependence(reason).map_or("", |it| &*it.array)
    }

    /// The reasons as scripts read them: of the pairs of accesses of one array, which the dependences list, the first stands for all.
    pub(crate) fn told_with_values(&self) -> Vec<Told<'_, Q>> {
        self.told_by(|reason| self.dependence(reason).map(|it| &*it.array))
    }

    fn told_by<'r>(&'r self, array: impl Fn(&Reason<Q>) -> Option<&'r str>) -> Vec<Told<'r, Q>> {
        type Alike<'r> = (&'static str, bool, &'r str);
        let alike = |reason: &Reason<Q>| -> Option<Alike<'r>> {
            array(reason).map(|array| (reason.code.name(), reason.blocks, array))
        };
        let mut counts: BTreeMap<Alike<'_>, usize> = BTreeMap::new();
        self.verdict.reasons.iter().filter_map(alike).for_each(|key| *counts.entry(key).or_default() += 1);
        let is_many = |key: &Alike<'_>, code: ReportCode| counts[key] > FEW || self.verdict.n_unlisted(code) > 0;
        let mut told: Vec<Told<'_, Q>> = Vec::new();
        let mut known: BTreeMap<Alike<'_>, usize> = BTreeMap::new();
        let mut unlisted = self.verdict.more.clone();
        for reason in &self.verdict.reasons {
            let key = alike(reason).filter(|key| is_many(key, reason.code));
            if let Some(&n) = key.and_then(|key| known.get(&key)) {
                told[n].n_more += 1;
                continue;
            }
            key.into_iter().for_each(|key| _ = known.insert(key, told.len()));
            // Those that are not listed are counted by code alone.
            let more = unlisted.iter_mut().find(|(code, _)| key.is_some() && *code == reason.code);
            told.push(Told { reason, n_more: more.map_or(0, |(_, n)| std::mem::take(n)) });
        }
        told
    }

    /// The words for the reasons that one stands for; `None` if it stands for itself alone.
    pub fn words_for_more(&self, told: &Told<'_, Q>) -> Option<String> {
        let Told { reason, n_more } = told;
        let pairs = if *n_more == 1 { "pair" } else { "pairs" };
        let what = self
            .dependence(reason)
            .map_or("of this kind".to_owned(), |it| format!("{pairs} of accesses of `{}`", it.array));
        (*n_more > 0).then(|| format!("{}: {n_more} more {what}, which `lanescope explain --json` lists", reason.code))
    }

    /// The number of lanes, if some of it runs as lanes.
    pub fn n_lanes(&self) -> Option<u16> {
        self.lanes.filter(|_| self.verdict.has_lanes())
    }

    /// The verdict in a few words: `8 lanes`, `inside of lanes, until the last one leaves`, `in order: loop-carried-flow, 1 apart`.
    pub fn headline(&self) -> String {
        match self.in_lanes {
            Some(InLanes::Together) => return "inside of lanes, which go through it together".to_owned(),
            Some(InLanes::UntilTheLast) => return "inside of lanes, until the last one leaves".to_owned(),
            None => {}
        }
        let lanes = match self.n_lanes() {
            Some(1) => "1 lane".to_owned(),
            Some(lanes) => format!("{lanes} lanes"),
            None => "in lanes".to_owned(),
        };
        let blocking = || self.verdict.reasons.iter().filter(|reason| reason.blocks);
        let Some(first) = blocking().next() else { return lanes };
        let distance = self.distance_in_words(first).map(|distance| format!(", {distance}")).unwrap_or_default();
        let codes: BTreeSet<_> = blocking().map(|reason| reason.code).collect();
        let more = if codes.len() > 1 { format!(", and {} more", codes.len() - 1) } else { String::new() };
        if self.verdict.collides {
            return format!("iterations collide{distance}");
        }
        let how = if self.verdict.in_part { format!("{lanes} in part") } else { "in order".to_owned() };
        match first.is_elsewhere {
            true => format!("{how}: {}", first.message),
            false => format!("{how}: {}{distance}{more}", first.code),
        }
    }

    /// The number of iterations between those that a reason is about, in words.
    fn distance_in_words(&self, reason: &Reason<Q>) -> Option<String> {
        let dependence = self.dependence(reason).filter(|dependence| dependence.is_carried)?;
        dependence.distance.map(|distance| format!("{} apart", distance.unsigned_abs()))
    }

    /// Names its places in other terms. A place that a reason is about may have no name there, and is left out then; without one
    /// of the others there is no loop.
    pub fn try_map<R, S, E>(
        &self,
        place: &impl Fn(&P) -> Result<R, E>,
        quoted: &impl Fn(&Q) -> Result<S, E>,
    ) -> Result<Loop<R, S>, E> {
        Ok(Loop {
            range: place(&self.range)?,
            function: self.function.clone(),
            index: self.index.clone(),
            is_lane_loop: self.is_lane_loop,
            in_lanes: self.in_lanes,
            lanes: self.lanes,
            verdict: Verdict {
                is_vector: self.verdict.is_vector,
                in_part: self.verdict.in_part,
                collides: self.verdict.collides,
                reasons: self.verdict.reasons.iter().map(|reason| reason.map(quoted)).collect(),
                more: self.verdict.more.clone(),
            },
            lifts: self.lifts.clone(),
            dependences: self.dependences.iter().map(|met| met.try_map(quoted)).collect::<Result<_, E>>()?,
            cost: self.cost.as_ref().map(|cost| cost.map(&|at| place(at).ok())),
        })
    }
}

impl<P> Loop<P> {
    /// Names its places in other terms.
    pub fn map<R>(&self, place: &impl Fn(&P) -> R) -> Loop<R> {
        let Ok(mapped) = self.try_map(&|at| Ok::<_, Infallible>(place(at)), &|quoted| Ok(quoted.map(place)));
        mapped
    }

    /// The dependences of reasons with an access at a place, each with the other access.
    pub fn meets_at(&self, at: P) -> impl Iterator<Item = (&Dependence<Quoted<P>>, &Quoted<P>)>
    where
        P: PartialEq,
    {
        self.verdict.reasons.iter().filter_map(move |reason| {
            let dependence = self.dependence(reason)?;
            let other = match (dependence.source.range == at, dependence.sink.range == at) {
                (true, _) => &dependence.sink,
                (false, true) => &dependence.source,
                _ => return None,
            };
            Some((dependence, other))
        })
    }
}

impl<Q> Reason<Q> {
    /// Names its places in other terms, and leaves out those that have no name there.
    fn map<S, E>(&self, quoted: &impl Fn(&Q) -> Result<S, E>) -> Reason<S> {
        let related = self.related.iter().filter_map(|it| {
            let place = quoted(&it.place).ok()?;
            Some(Because { place, message: it.message.clone() })
        });
        Reason {
            code: self.code,
            blocks: self.blocks,
            message: self.message.clone(),
            related: related.collect(),
            dependence: self.dependence,
            not_positive: self.not_positive.clone(),
            is_elsewhere: self.is_elsewhere,
            lifts: self.lifts.clone(),
        }
    }
}

impl<Q> Dependence<Q> {
    /// Names its places in other terms.
    fn try_map<S, E>(&self, quoted: &impl Fn(&Q) -> Result<S, E>) -> Result<Dependence<S>, E> {
        Ok(Dependence {
            number: self.number,
            kind: self.kind,
            source: quoted(&self.source)?,
            sink: quoted(&self.sink)?,
            array: self.array.clone(),
            is_carried: self.is_carried,
            direction: self.direction,
            distance: self.distance,
            directions: self.directions.clone(),
            distances: self.distances.clone(),
            witness: self.witness.clone(),
            test: self.test,
            doubts: self.doubts.clone(),
            words: self.words.clone(),
        })
    }

    /// `carried flow, 1 apart`.
    pub fn describe(&self) -> String {
        let carried = if self.is_carried { "carried " } else { "" };
        let apart = match self.distance.filter(|_| self.is_carried) {
            Some(distance) => format!(", {} apart", distance.unsigned_abs()),
            None => String::new(),
        };
        let within = if self.is_carried { "" } else { " within one iteration" };
        format!("{carried}{}{within}{apart}", self.kind.name())
    }

    /// The source's part in it, in words.
    pub fn words_at_source(&self) -> String {
        self.words_at(&self.words.source, if self.kind == DependenceKind::Anti { "reads" } else { "writes" })
    }

    /// The sink's part in it, in words.
    pub fn words_at_sink(&self) -> String {
        self.words_at(&self.words.sink, if self.kind == DependenceKind::Flow { "reads" } else { "writes" })
    }

    fn words_at(&self, words: &str, verb: &str) -> String {
        if words.is_empty() { format!("this {verb} `{}`", self.array) } else { words.to_owned() }
    }

    /// Two iterations that meet, as a sentence; or why they may.
    pub fn sentence(&self) -> String {
        let met = Some(self.pair()).filter(|met| !met.is_empty());
        met.into_iter().chain(self.doubts.iter().cloned()).collect::<Vec<_>>().join("; ")
    }

    /// Two iterations that meet, or nothing if none are known; `perhaps` stands for all that is not certain about it.
    fn pair(&self) -> String {
        let perhaps = if self.doubts.is_empty() || self.words.source.is_empty() { "" } else { "perhaps " };
        let met = match self.words.source.is_empty() {
            true => String::new(),
            false => format!("{perhaps}{}, {}", self.words.source, self.words.sink),
        };
        match self.words.assumed.is_empty() {
            true => met,
            false => format!("{met}, with {}", self.words.assumed),
        }
    }

    /// Two iterations that meet, without what casts doubt on it; or that alone, if none are known.
    pub fn in_short(&self) -> String {
        let pair = self.pair();
        if pair.is_empty() { self.sentence() } else { pair }
    }
}
