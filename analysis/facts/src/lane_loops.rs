//! Lane loops: which loops of a kernel take the lanes.
//!
//! No lane loop is inside of another one. Of the loops of a nest, lanes go to the first of these that there are:
//!
//! 1. loops that were given lanes, once that is known
//! 2. a `foreach`, by the programmer's word, the inner one of two, unless the outer one asks for a number of lanes
//! 3. `for` loops, as someone chooses them who knows costs, else the innermost ones
//! 4. a loop that [counts and may be left early](Counting), the innermost one
//!
//! ```text
//! for i in range(n):
//!     foreach j in range(n):          takes lanes (2)
//!         for k in range(n): ...
//!     for j in range(n): ...          takes lanes (3)
//! while counting: ...                 takes lanes (4)
//! ```

use rustc_hash::FxHashSet;

use super::counting::Counting;
use super::loops::is_empty;
use ir::entities::Op;
use ir::forest::LoopForest;
use ir::ops::Code;
use ir::program::Kernel;

/// The loops that take the lanes, in the order of the text. `given` are those that were given lanes, and `chosen` those that
/// are [chosen](choose) where none were; `None` for the innermost ones.
pub fn lane_loops(kernel: &Kernel, forest: &LoopForest, given: &[Op], chosen: Option<&[Op]>) -> Vec<Op> {
    let innermost = || choose(kernel, forest, |nest| innermost_ranges(kernel, forest, nest));
    let chosen = chosen.map_or_else(innermost, <[Op]>::to_vec);
    let counts = |op: &Op| Counting::of(kernel, *op).is_some();
    let may_have_lanes = |op: &Op| is_range(kernel, *op) || counts(op);
    let mut taken: FxHashSet<Op> = FxHashSet::default();
    let mut around_taken: FxHashSet<Op> = FxHashSet::default();
    let mut take = |op: Op| {
        if !around_taken.contains(&op) && !forest.around(op).any(|outer| taken.contains(&outer)) {
            taken.insert(op);
            around_taken.extend(forest.around(op));
        }
    };
    given.iter().copied().filter(may_have_lanes).for_each(&mut take);
    chosen.into_iter().for_each(&mut take);
    // Each loop comes before those inside of it, so backwards the innermost ones are first.
    forest.loops().iter().copied().rev().filter(counts).for_each(&mut take);
    forest.loops().iter().copied().filter(|op| taken.contains(op)).collect()
}

/// The loops over ranges that take the lanes, in the order of the text, as far as no loop was given any. `in_nest` chooses in a nest of
/// `for` loops, which may be a single one, by the outermost one.
pub fn choose(kernel: &Kernel, forest: &LoopForest, mut in_nest: impl FnMut(Op) -> Vec<Op>) -> Vec<Op> {
    let mut chosen = Vec::new();
    choose_among(kernel, forest, forest.loops(), &mut in_nest, &mut chosen);
    chosen
}

/// Chooses for the outermost ones of some loops.
fn choose_among(
    kernel: &Kernel,
    forest: &LoopForest,
    loops: &[Op],
    in_nest: &mut impl FnMut(Op) -> Vec<Op>,
    chosen: &mut Vec<Op>,
) {
    let is_foreach = |op: Op| kernel.ops[op].code == Code::Foreach;
    for op in outermost_ranges(kernel, forest, loops) {
        let inside = forest.loops_inside(op);
        let has_foreach = inside.iter().any(|&inner| is_foreach(inner));
        let together = kernel.lanes_of_foreach(op).is_some();
        if together || is_foreach(op) && !has_foreach {
            chosen.push(op);
        } else if has_foreach {
            choose_among(kernel, forest, inside, in_nest, chosen);
        } else {
            chosen.extend(in_nest(op));
        }
    }
}

/// Returns those of `loops`, given in the order of the text, that go over ranges and lie inside of no other such loop among them.
pub fn outermost_ranges(kernel: &Kernel, forest: &LoopForest, loops: &[Op]) -> Vec<Op> {
    let mut found: Vec<Op> = Vec::new();
    for &op in loops.iter().filter(|&&op| is_range(kernel, op)) {
        if !found.last().is_some_and(|&last| forest.encloses(last, op)) {
            found.push(op);
        }
    }
    found
}

/// The loops over ranges of a nest that have no such loop inside.
fn innermost_ranges(kernel: &Kernel, forest: &LoopForest, nest: Op) -> Vec<Op> {
    let has_none = |op: &Op| !forest.loops_inside(*op).iter().any(|&inner| is_range(kernel, inner));
    let loops = std::iter::once(nest).chain(forest.loops_inside(nest).iter().copied());
    let ranges = loops.filter(|&op| is_range(kernel, op));
    ranges.filter(has_none).collect()
}

/// Says whether an op is a loop over a range that does something: a loop that does nothing takes no lanes.
pub fn is_range(kernel: &Kernel, op: Op) -> bool {
    matches!(kernel.ops[op].code, Code::For | Code::Foreach) && !is_empty(kernel, op)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ir::read::read;

    const TEXT: &str = "\
kernel k(a: f32[n], n: i32):
    for h in range(0, n):
        foreach i in range(0, n):
            for j in range(0, n):
                a[j] = a[i]
        for l in range(0, n):
            a[l] = 1.0
    for m in range(0, n):
        for o in range(0, n):
            a[o] = a[m]
";

    /// The indices of the lane loops where loops with these indices were given lanes, and those were chosen.
    fn lanes_along(given: &[&str], chosen: Option<&[&str]>) -> String {
        let kernel = read(TEXT, None).expect("a kernel").remove(0);
        let forest = LoopForest::of(&kernel);
        let name = |op: Op| {
            let index = kernel.regions[kernel.ops[op].regions[0]].args[0];
            kernel.values[index].name.as_deref().unwrap_or("_").to_owned()
        };
        let named = |names: &[&str]| -> Vec<Op> {
            forest.loops().iter().copied().filter(|&op| names.contains(&&*name(op))).collect()
        };
        let chosen = chosen.map(named);
        let found = lane_loops(&kernel, &forest, &named(given), chosen.as_deref());
        found.into_iter().map(name).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn each_nest_has_lanes_where_they_were_given_else_where_they_are_chosen() {
        assert_eq!(lanes_along(&[], None), "i l o");
        assert_eq!(lanes_along(&[], Some(&["h", "m"])), "h m");
        assert_eq!(lanes_along(&["j"], Some(&["i", "l", "m"])), "j l m");
        assert_eq!(lanes_along(&["h", "o"], Some(&["i", "l", "m"])), "h o");
    }
}
