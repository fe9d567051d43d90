//! Comments on operations on whole arrays: what became of their elements.
//!
//! At the stage `arrays` an op on whole arrays has no loop yet, and nobody has decided about lanes. So what is told there is looked up
//! in what later passes did: the verdicts about the loops that are made for an op and, where its elements are computed in a loop of
//! another op, about that one. These are comments and no marks, because they are no property of the kernel at that stage.
//!
//! ```text
//! let c: f32[n] = (a + b)  # fused, 8 lanes
//! let s = reduce x in c with t = 0.0:  # in order: ordered-float-sum
//! ```

use ir::{Code, Kernel, Op, Value};
use passes::pipeline::Options;
use rustc_hash::FxHashMap;

use super::db::Item;
use super::lanes;
use super::lowering::{WithoutArrays, arrays, sequential, verdicts, without_arrays};
use insight::Loop;

/// The comments on the ops of a kernel at the stage `arrays`; none on a kernel that is not understood.
pub(crate) fn of(db: &dyn salsa::Database, item: Item<'_>, options: Options, whole: &Kernel) -> FxHashMap<Op, String> {
    let Some(done) = without_arrays(db, item) else { return FxHashMap::default() };
    let Some(scalar) = sequential(db, item).kernel.as_ref().filter(|_| sequential(db, item).findings.is_empty()) else {
        return FxHashMap::default();
    };
    let facts = lanes::of_kernel_for(db, item, options);
    let known = verdicts(db, item);
    let loops: FxHashMap<Op, &Loop> = known.list.iter().map(|known| known.op).zip(&facts.loops).collect();
    let n_places = arrays(db, item).places.len();
    let mut made: FxHashMap<(u32, Code), Vec<Op>> = FxHashMap::default();
    scalar.walk(scalar.body, &mut |_, op| {
        let place = old_place(done, n_places, scalar.origins[scalar.ops[op].origin].place);
        made.entry((place, scalar.ops[op].code)).or_default().push(op);
    });
    let around = |op: Op| {
        let has_lanes = |op: &Op| loops.get(op).is_some_and(|it| it.n_lanes().is_some());
        known.forest.around(op).find(has_lanes).or_else(|| known.forest.parent(op))
    };
    let mut comments: FxHashMap<Op, String> = FxHashMap::default();
    let mut bare = Vec::new();
    whole.walk(whole.body, &mut |_, op| {
        if !whole.is_of_whole_arrays(op) {
            return;
        }
        let ops_at = |op: Op| {
            let data = &whole.ops[op];
            made.get(&(whole.origins[data.origin].place, data.code)).map_or(&[][..], Vec::as_slice)
        };
        let place = whole.origins[whole.ops[op].origin].place;
        let own = made.get(&(place, Code::For)).map_or(&[][..], Vec::as_slice);
        if !own.is_empty() {
            comments.insert(op, headlines(own.iter().filter_map(|op| loops.get(op).copied())));
            return;
        }
        let mut elements = ops_at(op).to_vec();
        whole.walk_inside(op, &mut |inner| elements.extend(ops_at(inner)));
        let fused = headlines(elements.into_iter().filter_map(|op| loops.get(&around(op)?).copied()));
        match fused.is_empty() {
            false => drop(comments.insert(op, format!("fused, {fused}"))),
            true => bare.push(op),
        }
    });
    // The elements of some, such as those of `iota`, are indices and numbers that take no op: they are where they are used.
    let users = users(whole);
    for op in bare.into_iter().rev() {
        let mut of_results = whole.ops[op].results.iter().filter_map(|result| users.get(result)).flatten();
        if let Some(comment) = of_results.find_map(|user| comments.get(user)) {
            let comment = format!("fused, {}", comment.strip_prefix("fused, ").unwrap_or(comment));
            comments.insert(op, comment);
        }
    }
    comments
}

/// The ops that use each value.
fn users(kernel: &Kernel) -> FxHashMap<Value, Vec<Op>> {
    let mut users: FxHashMap<Value, Vec<Op>> = FxHashMap::default();
    kernel.walk(kernel.body, &mut |_, op| {
        kernel.ops[op].operands.iter().for_each(|&operand| users.entry(operand).or_default().push(op));
    });
    users
}

/// The place in the kernel with whole arrays that a place stands for.
fn old_place(done: &WithoutArrays, n_places: usize, place: u32) -> u32 {
    let new = (place as usize).checked_sub(n_places);
    new.and_then(|new| done.places_of_loops.get(new).copied()).unwrap_or(place)
}

/// The verdicts about loops in words, each once: about those with lanes, if there are any, else about those that lanes would go along.
fn headlines<'l>(loops: impl Iterator<Item = &'l Loop>) -> String {
    let loops: Vec<&Loop> = loops.collect();
    let pick =
        |is_wanted: fn(&Loop) -> bool| -> Vec<&Loop> { loops.iter().copied().filter(|it| is_wanted(it)).collect() };
    let with_lanes = pick(|it| it.n_lanes().is_some());
    let chosen = if with_lanes.is_empty() { pick(|it| it.is_lane_loop) } else { with_lanes };
    let mut said: Vec<String> = Vec::new();
    for it in if chosen.is_empty() { &loops } else { &chosen } {
        let headline = it.headline();
        if !said.contains(&headline) {
            said.push(headline);
        }
    }
    said.join("; ")
}
