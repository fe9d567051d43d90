//! Work: what an iteration keeps busy, by resource, and the time that takes.

use std::iter::Sum;
use std::ops::Add;

/// The share of what is not the busiest resource that is not hidden behind that one, as a divisor: what the others do is
/// not spread evenly, and dispatch is shared by all.
const EXPOSED: u64 = 8;

/// The costs of some ops, by the resource that they keep busy. Resources work beside each other.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Work {
    loads: u64,
    stores: u64,
    arithmetic: u64,
    divisions: u64,
    shuffles: u64,
    branches: u64,
    /// Gathers and scatters: long rows of simple instructions, beside which nothing else is decoded.
    scattered: u64,
    /// The lines of memory.
    lines: u64,
    /// The time of loops inside.
    inside: u64,
}

impl Work {
    pub(super) fn loads(cost: u64) -> Work {
        Work { loads: cost, ..Work::default() }
    }

    pub(super) fn stores(cost: u64) -> Work {
        Work { stores: cost, ..Work::default() }
    }

    pub(super) fn arithmetic(cost: u64) -> Work {
        Work { arithmetic: cost, ..Work::default() }
    }

    pub(super) fn divisions(cost: u64) -> Work {
        Work { divisions: cost, ..Work::default() }
    }

    pub(super) fn shuffles(cost: u64) -> Work {
        Work { shuffles: cost, ..Work::default() }
    }

    pub(super) fn branches(cost: u64) -> Work {
        Work { branches: cost, ..Work::default() }
    }

    pub(super) fn scattered(cost: u64) -> Work {
        Work { scattered: cost, ..Work::default() }
    }

    pub(super) fn lines(cost: u64) -> Work {
        Work { lines: cost, ..Work::default() }
    }

    pub(super) fn inside(cost: u64) -> Work {
        Work { inside: cost, ..Work::default() }
    }

    /// The time that it takes: that of the busiest resource, a share of the others', and that of gathers and scatters, of lines and of loops
    /// inside, beside which nothing is done.
    pub(super) fn time(self) -> u64 {
        let Work { loads, stores, arithmetic, divisions, shuffles, branches, scattered, lines, inside } = self;
        let beside = [loads, stores, arithmetic, divisions, shuffles, branches];
        let busiest = beside.into_iter().max().unwrap_or_default();
        let others = beside.into_iter().fold(0, u64::saturating_add) - busiest;
        [others / EXPOSED, scattered, lines, inside].into_iter().fold(busiest, u64::saturating_add)
    }

    /// The costs of all ops, as if one followed the other.
    pub(super) fn sum(self) -> u64 {
        let Work { loads, stores, arithmetic, divisions, shuffles, branches, scattered, lines, inside } = self;
        [loads, stores, arithmetic, divisions, shuffles, branches, scattered, lines, inside]
            .into_iter()
            .fold(0, u64::saturating_add)
    }

    /// The costs without those of lines of memory.
    pub(super) fn in_cache(self) -> Work {
        Work { lines: 0, ..self }
    }

    /// The costs of lines of memory alone.
    pub(super) fn of_lines(self) -> u64 {
        self.lines
    }

    /// Half of it: that of one of two sides.
    pub(super) fn half(self) -> Work {
        self.each(Work::default(), |own, _| own / 2)
    }

    /// This without some work that is part of it.
    pub(super) fn without(self, part: Work) -> Work {
        self.each(part, u64::saturating_sub)
    }

    fn each(self, other: Work, op: impl Fn(u64, u64) -> u64) -> Work {
        Work {
            loads: op(self.loads, other.loads),
            stores: op(self.stores, other.stores),
            arithmetic: op(self.arithmetic, other.arithmetic),
            divisions: op(self.divisions, other.divisions),
            shuffles: op(self.shuffles, other.shuffles),
            branches: op(self.branches, other.branches),
            scattered: op(self.scattered, other.scattered),
            lines: op(self.lines, other.lines),
            inside: op(self.inside, other.inside),
        }
    }
}

impl Add for Work {
    type Output = Work;

    fn add(self, other: Work) -> Work {
        self.each(other, u64::saturating_add)
    }
}

impl Sum for Work {
    fn sum<I: Iterator<Item = Work>>(works: I) -> Work {
        works.fold(Work::default(), Add::add)
    }
}
