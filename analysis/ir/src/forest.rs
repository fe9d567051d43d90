//! The loop forest: the position of each op and region of a kernel, and the loops that enclose it.
//!
//! Ops are numbered in the order of the text, and an op comes before those inside of it. So the inside of an op is one
//! run of numbers, "does this loop enclose that op" compares two numbers, and one walk finds everything. A forest is of
//! one state of a kernel: passes share the one of their `passes::Context`, which forgets it when a pass changes the
//! kernel.

use crate::entities::{EntityVec, Op, Region, Value};
use crate::ops::Code;
use crate::program::{Def, Kernel};

/// The place of an op in the text, and that of the first op behind all that is inside of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Extent {
    region: Region,
    at: u32,
    end: u32,
}

/// The loops of a kernel as trees, and the place of everything in them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoopForest {
    body: Region,
    /// The place of each op that is part of the kernel.
    places: EntityVec<Op, Option<Extent>>,
    /// The op that each region is a part of; `None` for the body.
    owners: EntityVec<Region, Option<Op>>,
    /// The innermost loop around each region.
    innermost: EntityVec<Region, Option<Op>>,
    /// The number of loops around each region.
    depths: EntityVec<Region, u32>,
    /// All ops, in the order of the text.
    ops: Vec<Op>,
    /// All loops, in the order of the text.
    loops: Vec<Op>,
}

/// Says whether an op is a loop: its block may run several times.
pub fn is_loop(code: Code) -> bool {
    matches!(code, Code::For | Code::Foreach | Code::VectorFor | Code::While) || code.is_over_elements()
}

/// The forest of a kernel that does nothing.
impl Default for LoopForest {
    fn default() -> LoopForest {
        LoopForest::of(&Kernel::new(""))
    }
}

impl LoopForest {
    /// The forest of a kernel as it is now.
    pub fn of(kernel: &Kernel) -> LoopForest {
        let n_regions = kernel.regions.len();
        let mut forest = LoopForest {
            body: kernel.body,
            places: EntityVec::filled(kernel.ops.len(), None),
            owners: EntityVec::filled(n_regions, None),
            innermost: EntityVec::filled(n_regions, None),
            depths: EntityVec::filled(n_regions, 0),
            ops: Vec::with_capacity(kernel.ops.len()),
            loops: Vec::new(),
        };
        forest.add(kernel, kernel.body);
        forest
    }

    fn add(&mut self, kernel: &Kernel, region: Region) {
        for &op in &kernel.regions[region].ops {
            let at = self.ops.len() as u32;
            self.ops.push(op);
            let data = &kernel.ops[op];
            let is_loop = is_loop(data.code);
            if is_loop {
                self.loops.push(op);
            }
            for &inner in &data.regions {
                self.owners[inner] = Some(op);
                self.innermost[inner] = if is_loop { Some(op) } else { self.innermost[region] };
                self.depths[inner] = self.depths[region] + u32::from(is_loop);
                self.add(kernel, inner);
            }
            self.places[op] = Some(Extent { region, at, end: self.ops.len() as u32 });
        }
    }

    /// All loops in the order of the text, so that each comes before those inside of it.
    pub fn loops(&self) -> &[Op] {
        &self.loops
    }

    /// The loops that no other loop encloses.
    pub fn outermost(&self) -> impl Iterator<Item = Op> {
        self.loops.iter().copied().filter(|&op| self.parent(op).is_none())
    }

    /// The innermost loop around an op.
    pub fn parent(&self, op: Op) -> Option<Op> {
        self.innermost[self.region_of(op)]
    }

    /// The loops inside of a loop, or of another op, with no loop between.
    pub fn children(&self, op: Op) -> impl Iterator<Item = Op> {
        let depth = self.depth(op);
        let of_own = u32::from(self.loops_from(op).first() == Some(&op));
        self.loops_inside(op).iter().copied().filter(move |&inner| self.depth(inner) == depth + of_own as usize)
    }

    /// The number of loops around an op.
    pub fn depth(&self, op: Op) -> usize {
        self.depths[self.region_of(op)] as usize
    }

    /// The number of loops around what stands in a region.
    pub fn depth_of_region(&self, region: Region) -> usize {
        self.depths[region] as usize
    }

    /// The loops around an op, innermost first.
    pub fn around(&self, op: Op) -> impl Iterator<Item = Op> {
        std::iter::successors(self.parent(op), |&outer| self.parent(outer))
    }

    /// Says whether an op is inside of another one.
    pub fn encloses(&self, outer: Op, inner: Op) -> bool {
        let (Some(outer), Some(inner)) = (self.places[outer], self.places[inner]) else { return false };
        outer.at < inner.at && inner.at < outer.end
    }

    /// Says whether one of two ops is inside of the other.
    pub fn are_nested(&self, a: Op, b: Op) -> bool {
        self.encloses(a, b) || self.encloses(b, a)
    }

    /// All ops inside of an op, in the order of the text.
    pub fn inside(&self, op: Op) -> &[Op] {
        self.places[op].map_or(&[], |place| &self.ops[place.at as usize + 1..place.end as usize])
    }

    /// All loops inside of an op, in the order of the text.
    pub fn loops_inside(&self, op: Op) -> &[Op] {
        let from = self.loops_from(op);
        from.strip_prefix(&[op]).unwrap_or(from)
    }

    /// The loops among an op and all that is inside of it.
    fn loops_from(&self, op: Op) -> &[Op] {
        let Some(place) = self.places[op] else { return &[] };
        let before = |end: u32| self.loops.partition_point(|&other| self.order(other) < end as usize);
        &self.loops[before(place.at)..before(place.end)]
    }

    /// The number of an op in the order of the text; 0 for one that is not part of the kernel.
    pub fn order(&self, op: Op) -> usize {
        self.places[op].map_or(0, |place| place.at as usize)
    }

    /// The region that an op stands in; the body for an op that is not part of the kernel.
    pub fn region_of(&self, op: Op) -> Region {
        self.places[op].map_or(self.body, |place| place.region)
    }

    /// The region that a value is made in.
    pub fn region_of_value(&self, kernel: &Kernel, value: Value) -> Region {
        match kernel.values[value].def {
            Def::Param(_) | Def::Const(_) => self.body,
            Def::Result(op, _) => self.region_of(op),
            Def::Arg(region, _) => region,
        }
    }

    /// The op that a region is a part of; `None` for the body.
    pub fn owner(&self, region: Region) -> Option<Op> {
        self.owners[region]
    }

    /// The regions around an op, innermost first.
    pub fn regions_around(&self, op: Op) -> impl Iterator<Item = Region> {
        let outer = |region: &Region| self.owners[*region].map(|owner| self.region_of(owner));
        std::iter::successors(Some(self.region_of(op)), outer)
    }

    /// The op of a region that an op is, or is inside of.
    pub fn ancestor_in(&self, region: Region, op: Op) -> Option<Op> {
        let mut at = op;
        while self.region_of(at) != region {
            at = self.owners[self.region_of(at)]?;
        }
        Some(at)
    }

    /// Says whether a value is made inside of an op: as an argument of its regions, or by an op there.
    pub fn is_made_inside(&self, kernel: &Kernel, op: Op, value: Value) -> bool {
        match kernel.values[value].def {
            Def::Param(_) | Def::Const(_) => false,
            Def::Result(maker, _) => self.encloses(op, maker),
            Def::Arg(region, _) => self.owners[region].is_some_and(|owner| owner == op || self.encloses(op, owner)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read;

    const TEXT: &str = "\
kernel k(a: f32[n], n):
    for i in range(0, n):
        for j in range(0, n):
            a[j] = a[i]
        if (a[i] > 0.0):
            for l in range(0, n):
                a[l] = 1.0
    for m in range(0, n):
        a[m] = 2.0
";

    fn named(kernel: &Kernel, name: &str) -> Op {
        let is_it = |&op: &Op| {
            let index = kernel.regions[kernel.ops[op].regions[0]].args[0];
            kernel.values[index].name.as_deref() == Some(name)
        };
        *LoopForest::of(kernel).loops().iter().find(|op| is_it(op)).expect("a loop with this index")
    }

    #[test]
    fn loops_are_a_forest() {
        let kernel = read(TEXT, None).expect("a kernel").remove(0);
        let forest = LoopForest::of(&kernel);
        let [i, j, l, m] = ["i", "j", "l", "m"].map(|name| named(&kernel, name));
        assert_eq!(forest.loops(), [i, j, l, m]);
        assert_eq!(forest.outermost().collect::<Vec<_>>(), [i, m]);
        assert_eq!(forest.children(i).collect::<Vec<_>>(), [j, l]);
        assert_eq!(forest.loops_inside(i), [j, l]);
        assert_eq!((forest.parent(l), forest.parent(m)), (Some(i), None));
        assert_eq!((forest.depth(i), forest.depth(l)), (0, 1));
        assert!(forest.encloses(i, l) && !forest.encloses(l, i) && !forest.encloses(i, i) && !forest.encloses(i, m));
        assert!(forest.are_nested(j, i) && !forest.are_nested(j, l));
    }

    #[test]
    fn ops_know_where_they_stand() {
        let kernel = read(TEXT, None).expect("a kernel").remove(0);
        let forest = LoopForest::of(&kernel);
        let [i, l] = ["i", "l"].map(|name| named(&kernel, name));
        let body = kernel.ops[i].regions[0];
        let store = *forest.inside(l).last().expect("a store");
        assert_eq!(forest.around(store).collect::<Vec<_>>(), [l, i]);
        assert_eq!(forest.ancestor_in(body, store), forest.owner(forest.region_of(l)));
        assert_eq!(forest.regions_around(store).count(), 4);
        assert_eq!(forest.inside(i).len(), forest.order(named(&kernel, "m")) - forest.order(i) - 1);
        let index = kernel.regions[kernel.ops[l].regions[0]].args[0];
        assert!(forest.is_made_inside(&kernel, i, index) && forest.is_made_inside(&kernel, l, index));
        assert!(!forest.is_made_inside(&kernel, named(&kernel, "j"), index));
        assert!(!forest.is_made_inside(&kernel, i, kernel.params[0].value));
    }
}
