//! Last lanes: what a loop takes from the last lane of a group, and uses in all lanes of the next one, it carries in all lanes.
//!
//! ```text
//! let s = vector_for … with s_1 = 0:          let v = vector_for … with v_1 = splat(0):
//!     let s_2 = (s_1 +% sums)                     let s_2 = (v_1 +% sums)
//!     vector_store(out, i, s_2)           =>      vector_store(out, i, s_2)
//!     yield extract(s_2, 7)                       yield permute(s_2, pattern=[7, 7, 7, 7, 7, 7, 7, 7])
//!                                             let s = extract(v, 0)
//! ```
//!
//! Groups wait for each other: on the left for a lane that leaves the vector registers and is spread to all lanes again, on the right
//! for one shuffle. Where integers are added to what was carried, as here, the shuffle is of these, and groups wait for one addition:
//! `(v_1 +% permute(sums, …))`. Where the next group does no more with it than shuffle it to a place, it is left in its own:
//!
//! ```text
//! let s = vector_for … with s_1 = 0.0:                     let v = vector_for … with v_1 = splat(0.0):
//!     let x = vector_load(a, i)                                let x = vector_load(a, i)
//!     let before = permute(splat(s_1), x, pattern=[0, 4, 5, 6])   =>  let before = permute(v_1, x, pattern=[3, 4, 5, 6])
//!     yield extract(x, 3)                                      yield x
//! ```

use rustc_hash::FxHashSet;
use smallvec::smallvec;

use ir::entities::{EntityVec, Op, Region, Value};
use ir::ops::Code;
use ir::program::{Attr, Kernel, Values};
use ir::scalar::Scalar;
use ir::types::{Elem, Type};
use ir::uses::{Use, Uses};

use crate::Replacements;

/// The most numbers that are added to what is carried, for which it pays to add them apart from it.
const MOST_ADDENDS: usize = 3;

/// Carries last lanes in all lanes; says whether there are any.
pub fn last_lane(kernel: &mut Kernel) -> bool {
    let mut loops = Vec::new();
    kernel.walk(kernel.body, &mut |region, op| {
        if kernel.ops[op].code == Code::VectorFor {
            loops.push((region, op));
        }
    });
    if loops.is_empty() {
        return false;
    }
    let uses = Uses::of(kernel);
    let mut found = Vec::new();
    for (home, op) in loops {
        let n_carried = kernel.ops[op].results.len();
        found.extend((0..n_carried).filter_map(|number| LastLane::of(kernel, &uses, (home, op), number)));
    }
    let mut new: Replacements = EntityVec::filled(kernel.values.len(), None);
    found.iter().for_each(|last| last.widen(kernel, &mut new));
    kernel.replace_uses(&new);
    found.iter().for_each(|last| last.narrow(kernel, &new));
    // What was a splat of a scalar is the vector that is carried.
    let splats: FxHashSet<Op> = found.iter().flat_map(|last| last.splats.iter().copied()).collect();
    if !splats.is_empty() {
        kernel.regions.values_mut().for_each(|region| region.ops.retain(|op| !splats.contains(op)));
    }
    !found.is_empty()
}

/// A scalar that a loop takes from a lane of the group before.
struct LastLane {
    home: Region,
    op: Op,
    /// Its number among the values that the loop carries.
    number: usize,
    /// The vector that it is taken from, and the lane.
    from: Value,
    lane: u16,
    lanes: u16,
    /// The ops that spread it to all lanes.
    splats: Vec<Op>,
    /// The shuffles of these, if nothing else uses them: the group's own vector is carried then.
    shuffles: Option<Vec<Op>>,
}

impl LastLane {
    fn of(kernel: &Kernel, uses: &Uses, (home, op): (Region, Op), number: usize) -> Option<LastLane> {
        let control = kernel.control(op).filter(|control| control.reductions.is_empty())?;
        let body = &kernel.regions[kernel.ops[op].regions[0]];
        let arg = *body.args.get(1 + number)?;
        let last = &kernel.ops[kernel.def_op(body.yields[number])?];
        let &[from, lane] = last.operands.get(..2).filter(|_| last.code == Code::Extract)? else { return None };
        let lanes = kernel.ty(from).lanes().filter(|lanes| Some(*lanes) == control.width)?;
        let lane =
            kernel.as_const(lane)?.wide().and_then(|lane| u16::try_from(lane).ok()).filter(|lane| *lane < lanes)?;
        // The vector is there where the block ends.
        body.ops.contains(&kernel.def_op(from)?).then_some(())?;
        let in_lanes = |user: &Use| match *user {
            Use::Operand(op, _) => {
                let data = &kernel.ops[op];
                let is_vector = data.results.iter().all(|&result| kernel.ty(result).lanes() == Some(lanes));
                is_vector && (data.code.is_elementwise() || data.code == Code::Splat)
            }
            Use::Yield(_) => false,
        };
        let users = uses.users(arg);
        let is_used = !users.is_empty() && users.iter().all(in_lanes);
        let splat = |user: &Use| match *user {
            Use::Operand(op, _) => Some(op).filter(|&op| kernel.ops[op].code == Code::Splat),
            Use::Yield(_) => None,
        };
        let splats: Vec<Op> = users.iter().filter_map(splat).collect();
        let spread = splats.iter().flat_map(|&op| uses.users(kernel.ops[op].results[0]));
        let shuffle = |user: &Use| match *user {
            Use::Operand(op, _) => Some(op).filter(|&op| kernel.ops[op].code == Code::Permute),
            Use::Yield(_) => None,
        };
        let shuffles = spread.map(shuffle).collect::<Option<Vec<Op>>>().filter(|_| splats.len() == users.len());
        is_used.then_some(LastLane { home, op, number, from, lane, lanes, splats, shuffles })
    }

    /// Carries the value in all lanes. Its result is a scalar again behind the loop, which `new` says.
    fn widen(&self, kernel: &mut Kernel, new: &mut Replacements) {
        let origin = kernel.ops[self.op].origin;
        let region = kernel.ops[self.op].regions[0];
        let (arg, result) = (kernel.regions[region].args[1 + self.number], kernel.ops[self.op].results[self.number]);
        let scalar = kernel.ty(arg);
        let wide = Type::lanes_of(scalar.data_elem().expect("an element of a vector"), self.lanes);
        let init = kernel.ops[self.op].operands[3 + self.number];
        let splat = kernel.add_op(Code::Splat, Attr::Lanes(self.lanes), smallvec![init], &[wide], origin);
        kernel.ops[self.op].operands[3 + self.number] = kernel.ops[splat].results[0];
        (kernel.values[arg].ty, kernel.values[result].ty) = (wide, wide);

        // A splat of what is in all lanes already is that.
        new.grow(kernel.values.len(), None);
        self.splats.iter().for_each(|&op| new[kernel.ops[op].results[0]] = Some(arg));

        let lane = match &self.shuffles {
            Some(shuffles) => {
                shuffles.iter().for_each(|&op| self.take_from_its_lane(kernel, op));
                kernel.regions[region].yields[self.number] = self.from;
                self.lane
            }
            None => {
                self.spread(kernel, region, arg);
                0
            }
        };

        let number = kernel.constant(Scalar::I32(i32::from(lane)));
        let taken = kernel.add_op(Code::Extract, Attr::None, smallvec![number, number], &[scalar], origin);
        let name = kernel.values[result].name.take();
        let by = kernel.ops[taken].results[0];
        kernel.values[by].name = name;
        new.grow(kernel.values.len(), None);
        new[result] = Some(by);
        let ops = &mut kernel.regions[self.home].ops;
        let place = ops.iter().position(|&op| op == self.op).expect("the block lists the loop");
        ops.insert(place + 1, taken);
        ops.insert(place, splat);
    }

    /// Lets a shuffle take what was in each lane from the lane that it comes from.
    fn take_from_its_lane(&self, kernel: &mut Kernel, shuffle: Op) {
        let data = &kernel.ops[shuffle];
        let Attr::Pattern(pattern) = &data.attr else { return };
        let mut pattern = pattern.clone();
        let mut first = 0;
        for &operand in &data.operands {
            let end = first + kernel.ty(operand).lanes().expect("a shuffle is of vectors");
            let is_spread = kernel.def_op(operand).is_some_and(|op| self.splats.contains(&op));
            let moved = pattern.iter_mut().filter(|index| is_spread && (first..end).contains(*index));
            moved.for_each(|index| *index = first + self.lane);
            first = end;
        }
        kernel.ops[shuffle].attr = Attr::Pattern(pattern);
    }

    /// Ends the loop's block with the value in all lanes, as what the loop hands on.
    fn spread(&self, kernel: &mut Kernel, region: Region, arg: Value) {
        let (wide, origin) = (kernel.ty(arg), kernel.ops[self.op].origin);
        let mut ops = Vec::new();
        let mut op = |kernel: &mut Kernel, code: Code, attr: Attr, operands: Values| {
            let op = kernel.add_op(code, attr, operands, &[wide], origin);
            ops.push(op);
            kernel.ops[op].results[0]
        };
        let mut addends = Vec::new();
        let is_sum = is_added_to(kernel, self.from, arg, &mut addends);
        // Those in lanes come first, so that each sum is in lanes.
        addends.sort_by_key(|&value| kernel.ty(value).lanes().is_none());
        let is_sum = is_sum && addends.first().is_some_and(|&first| kernel.ty(first).lanes().is_some());
        let mut moved = if is_sum { addends[0] } else { self.from };
        for &addend in addends.iter().skip(1).filter(|_| is_sum) {
            moved = op(kernel, Code::WrappingAdd, Attr::None, smallvec![moved, addend]);
        }
        let pattern = Attr::Pattern(vec![self.lane; usize::from(self.lanes)].into());
        let mut next = op(kernel, Code::Permute, pattern, smallvec![moved]);
        if is_sum {
            next = op(kernel, Code::WrappingAdd, Attr::None, smallvec![arg, next]);
        }
        kernel.regions[region].ops.extend(ops);
        kernel.regions[region].yields[self.number] = next;
    }

    /// Takes the scalar from the result of the loop, now that nothing else uses that.
    fn narrow(&self, kernel: &mut Kernel, new: &Replacements) {
        let result = kernel.ops[self.op].results[self.number];
        let by = new[result].and_then(|by| kernel.def_op(by)).expect("the scalar behind the loop");
        kernel.ops[by].operands[0] = result;
    }
}

/// Says whether a value is what integers give that are added to another one, and collects them.
fn is_added_to(kernel: &Kernel, value: Value, to: Value, addends: &mut Vec<Value>) -> bool {
    let Some(op) = kernel.def_op(value) else { return value == to };
    let data = &kernel.ops[op];
    let is_integer = kernel.ty(value).data_elem().is_some_and(Elem::is_integer);
    match (data.code, &data.operands[..]) {
        (Code::Splat, &[of]) => of == to,
        (Code::Add | Code::WrappingAdd, &[a, b]) if is_integer && addends.len() < MOST_ADDENDS => {
            let before = addends.len();
            [(a, b), (b, a)].into_iter().any(|(sum, addend)| {
                addends.truncate(before);
                addends.push(addend);
                is_added_to(kernel, sum, to, addends)
            })
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::last_lane;

    #[test]
    fn a_running_sum_stays_in_lanes() {
        let text = "\
kernel k(a: i32[n], o: i32[n], whole, n: i32) -> i32:
    let s, t = vector_for base in range(0, whole, LANES) with s = 3, t = 1:
        let x = vector_load(a, (base + lane_id))
        let sum = ((s +% i32(scan_add(u32(x)))) +% x)
        vector_store(o, (base + lane_id), (sum - splat(s)))
        let y = (x +% t)
        o[0] = t
        yield extract(sum, 7), extract(y, 7)
    return (s +% t)
";
        let mut kernel = ir::read(text, Some(8)).expect("a kernel").remove(0);
        assert!(last_lane(&mut kernel));
        assert_eq!(ir::verify(&kernel), Ok(()));
        // What is a scalar in the loop, too, stays one.
        expect![[r#"
            kernel k(a: i32[n], o: i32[n], whole, n) -> i32:
                let _0, t = vector_for base in range(0, whole, LANES) with s = splat(3), t_1 = 1:
                    let x = vector_load(a, (base + lane_id))
                    let _1 = i32(scan_add(u32(x)))
                    let sum = ((s +% _1) +% x)
                    vector_store(o, (base + lane_id), (sum - s))
                    let y = (x +% t_1)
                    o[0] = t_1
                    let _2 = extract(sum, 7)
                    yield (s +% permute((x +% _1), pattern=[7, 7, 7, 7, 7, 7, 7, 7])), extract(y, 7)
                let s_1 = extract(_0, 0)
                return (s_1 +% t)
        "#]]
        .assert_eq(&ir::print(&kernel).text);
        assert!(!last_lane(&mut kernel), "there is nothing left");
    }

    #[test]
    fn what_is_only_shuffled_stays_in_its_lane() {
        let text = "\
kernel k(a: f32[n], o: f32[n], whole, n: i32) -> f32:
    let s, t = vector_for base in range(0, whole, LANES) with s = 3.0, t = 1.0:
        let x = vector_load(a, (base + lane_id))
        let y = permute(splat(s), x, pattern=[0, 8, 9, 10, 11, 12, 13, 14])
        let z = permute(y, splat(t), pattern=[8, 0, 1, 2, 3, 4, 5, 6])
        vector_store(o, (base + lane_id), (y * (z + splat(t))))
        yield extract(x, 7), extract(y, 7)
    return (s + t)
";
        let mut kernel = ir::read(text, Some(8)).expect("a kernel").remove(0);
        assert!(last_lane(&mut kernel));
        assert_eq!(ir::verify(&kernel), Ok(()));
        // The other one is used as it is, too, and has to be in all lanes.
        expect![[r#"
            kernel k(a: f32[n], o: f32[n], whole, n) -> f32:
                let _0, _1 = vector_for base in range(0, whole, LANES) with s = splat(3.0), t = splat(1.0):
                    let x = vector_load(a, (base + lane_id))
                    let y = permute(s, x, pattern=[7, 8, 9, 10, 11, 12, 13, 14])
                    let z = permute(y, t, pattern=[8, 0, 1, 2, 3, 4, 5, 6])
                    vector_store(o, (base + lane_id), (y * (z + t)))
                    let _2 = extract(x, 7)
                    let _3 = extract(y, 7)
                    yield x, permute(y, pattern=[7, 7, 7, 7, 7, 7, 7, 7])
                let t_1 = extract(_1, 0)
                let s_1 = extract(_0, 7)
                return (s_1 + t_1)
        "#]]
        .assert_eq(&ir::print(&kernel).text);
        assert!(!last_lane(&mut kernel), "there is nothing left");
    }
}
