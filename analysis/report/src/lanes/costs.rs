//! Estimates of what a loop costs on a target: cycles of a turn, what they are bound by, and what they are for.
//!
//! Each part of a loop keeps one *resource* of the machine busy: what is loaded, the ports of loads; a sum, those of arithmetic. The
//! resources work beside each other, so the loop is *bound* by the one that is busy longest, or by its longest carried chain, in which
//! each iteration waits for the one before. The estimate is that time, and the parts of that resource are all of it.
//!
//! A *turn* is what the loop behind all passes does before it jumps back: with 8 lanes in 4 groups, 32 iterations. Times are in
//! quarters of a cycle, as the target's table has them, so that sums are exact. They assume that arrays lie in the cache.

/// A resource of a machine that parts of a loop keep busy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Resource {
    /// Loads of all kinds, gathers among them.
    Loads,
    /// Stores of all kinds, scatters among them.
    Stores,
    /// Arithmetic, comparisons, choices.
    Arithmetic,
    /// Divisions and square roots.
    Divisions,
    /// Moves of elements between lanes.
    Shuffles,
    /// Jumps, and the tests that decide about them.
    Branches,
    /// The longest way from what an iteration is handed to what it hands on.
    Chain,
}

impl Resource {
    /// All resources.
    pub const ALL: [Resource; 7] = [
        Resource::Loads,
        Resource::Stores,
        Resource::Arithmetic,
        Resource::Divisions,
        Resource::Shuffles,
        Resource::Branches,
        Resource::Chain,
    ];

    /// The name that all outputs use.
    pub fn name(self) -> &'static str {
        match self {
            Resource::Loads => "loads",
            Resource::Stores => "stores",
            Resource::Arithmetic => "arithmetic",
            Resource::Divisions => "divisions",
            Resource::Shuffles => "shuffles",
            Resource::Branches => "branches",
            Resource::Chain => "chain",
        }
    }

    /// The words for what a loop is bound by.
    pub fn in_words(self) -> &'static str {
        match self {
            Resource::Chain => "waiting for the iteration before",
            resource => resource.name(),
        }
    }
}

/// A part of what a loop costs: what is done for one place of the source, on one resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CostPart<P> {
    /// The resource that it keeps busy.
    pub resource: Resource,
    /// The kind of work, as a noun: `load`, `gather`, `sum`.
    pub what: &'static str,
    /// The place of the source; `None` for the loop itself, and for what stands in another file.
    pub place: Option<P>,
    /// The time of a turn that it takes, in quarters of a cycle.
    pub quarters: u64,
}

/// The ops of a turn, counted as the lowered program has them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OpCounts {
    /// All ops that do something.
    pub ops: u32,
    /// Loads, but for gathers.
    pub loads: u32,
    /// Stores, but for scatters.
    pub stores: u32,
    /// Gathers.
    pub gathers: u32,
    /// Scatters.
    pub scatters: u32,
    /// Loads, stores, gathers and scatters under a mask.
    pub masked: u32,
    /// Moves of elements between lanes.
    pub shuffles: u32,
    /// Vectors that are put together lane by lane.
    pub packs: u32,
}

impl OpCounts {
    /// The counts with their names, in the order of all outputs.
    pub fn named(&self) -> [(&'static str, u32); 8] {
        [
            ("ops", self.ops),
            ("loads", self.loads),
            ("stores", self.stores),
            ("gathers", self.gathers),
            ("scatters", self.scatters),
            ("masked", self.masked),
            ("shuffles", self.shuffles),
            ("packs", self.packs),
        ]
    }
}

/// The estimate of a loop's cost on a target, behind all passes. Of versions and remainders the main part counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoopCost<P> {
    /// The number of lanes that are in use.
    pub lanes: u16,
    /// The iterations of the source's loop that one turn does.
    pub iterations: u64,
    /// The resource that is busy longest.
    pub bound: Resource,
    /// The time of a turn, in quarters of a cycle: that of the resource.
    pub quarters: u64,
    /// The time of a turn that moving its lines takes if none of them is in a cache, in quarters of a cycle.
    pub from_memory: u64,
    /// The parts of all resources, those of one that is busy longer first, and of one resource the dearest first.
    pub parts: Vec<CostPart<P>>,
    /// The ops of a turn.
    pub counts: OpCounts,
    /// True if a loop inside of it, whose turns are not known, is left out.
    pub is_around: bool,
}

/// Quarters in a cycle.
const QUARTERS: f64 = 4.0;

impl<P> LoopCost<P> {
    /// The cycles of one iteration of the source's loop.
    pub fn cycles(&self) -> f64 {
        self.each(self.quarters)
    }

    /// The cycles of one iteration with the digits that are shown, for who compares them with a number that a user wrote.
    pub fn shown_cycles(&self) -> f64 {
        shown(self.cycles()).parse().unwrap_or_else(|_| self.cycles())
    }

    /// The cycles of one iteration if no line is in a cache.
    pub fn cycles_from_memory(&self) -> f64 {
        self.each(self.quarters.max(self.from_memory))
    }

    /// The number of groups of lanes that a turn does.
    pub fn groups(&self) -> u64 {
        self.iterations / u64::from(self.lanes.max(1))
    }

    /// The groups of lanes that a turn does, or the iterations of a loop without lanes, in words; `None` for one.
    pub fn at_once(&self) -> Option<String> {
        let what = if self.lanes > 1 { "groups" } else { "iterations" };
        Some(self.groups()).filter(|groups| *groups > 1).map(|groups| format!("{groups} {what} at once"))
    }

    /// The time of a turn that a resource is busy, in quarters of a cycle.
    pub fn busy(&self, resource: Resource) -> u64 {
        self.parts.iter().filter(|part| part.resource == resource).map(|part| part.quarters).sum()
    }

    /// The share that a part has of the estimate.
    pub fn share(&self, part: &CostPart<P>) -> f64 {
        part.quarters as f64 / self.quarters.max(1) as f64
    }

    /// The largest part of what the loop is bound by.
    pub fn largest(&self) -> Option<&CostPart<P>> {
        self.parts.iter().find(|part| part.resource == self.bound)
    }

    fn each(&self, quarters: u64) -> f64 {
        quarters as f64 / QUARTERS / self.iterations.max(1) as f64
    }

    /// The cycles of an iteration in words: `about 2.1 cycles an element`.
    pub fn cycles_in_words(&self) -> String {
        let cycles = shown(self.cycles());
        let s = if cycles == "1" { "" } else { "s" };
        let beside = if self.is_around { " besides the loop inside" } else { "" };
        format!("about {cycles} cycle{s} an element{beside}")
    }

    /// The estimate in a few words: `about 2.1 cycles an element, bound by loads; the gather is 60 %`. The share of a part that is all
    /// of it is not told.
    pub fn in_words(&self) -> String {
        let part = self.largest().map(|part| (part, (self.share(part) * 100.0).round()));
        let part = part.filter(|(part, percent)| *percent < 100.0 && part.place.is_some());
        let part = part.map(|(part, percent)| format!("; the {} is {percent} %", part.what)).unwrap_or_default();
        format!("{}, bound by {}{part}", self.cycles_in_words(), self.bound.in_words())
    }

    /// Names its places in other terms; a place that has no name there is left out.
    pub fn map<R>(&self, place: &impl Fn(&P) -> Option<R>) -> LoopCost<R> {
        let part = |part: &CostPart<P>| CostPart {
            resource: part.resource,
            what: part.what,
            place: part.place.as_ref().and_then(place),
            quarters: part.quarters,
        };
        LoopCost {
            lanes: self.lanes,
            iterations: self.iterations,
            bound: self.bound,
            quarters: self.quarters,
            from_memory: self.from_memory,
            parts: self.parts.iter().map(part).collect(),
            counts: self.counts,
            is_around: self.is_around,
        }
    }
}

/// A number of cycles with two digits that count.
pub fn shown(cycles: f64) -> String {
    let digits = match cycles {
        cycles if cycles >= 10.0 => 0,
        cycles if cycles >= 1.0 => 1,
        _ => 2,
    };
    let text = format!("{cycles:.digits$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_have_two_digits_that_count() {
        assert_eq!([0.0625, 0.25, 1.0, 2.14, 12.6, 345.0].map(shown), ["0.06", "0.25", "1", "2.1", "13", "345"]);
    }
}
