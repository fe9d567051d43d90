//! The slices of a loop's body: what depends on some of the carried values, within one iteration.
//!
//! Of each value of the body is noted once what it leads to, so that a slice costs no more than what is in it.

use std::collections::BTreeSet;

use rustc_hash::FxHashSet;

use ir::entities::{Op, Region, Value};
use ir::ops::{Code, Effect};
use ir::program::Kernel;

/// The slice of a loop's body that depends on some of the carried values, within one iteration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slice {
    /// The values, those that are carried among them.
    pub values: FxHashSet<Value>,
    /// The values that are carried from iteration to iteration and depend on them, by their numbers.
    pub carried: BTreeSet<usize>,
    /// True if an effect depends on the values: a store, its condition, or what is joined to a result of the loop.
    pub acts: bool,
    /// The branches whose conditions depend on the values, but for those in loops inside.
    pub branches: Vec<Op>,
}

impl Slice {
    /// The slice of the values with these numbers.
    pub fn of(kernel: &Kernel, op: Op, numbers: &BTreeSet<usize>) -> Slice {
        Slices::new(kernel, op).of(numbers)
    }
}

/// What a value of the body leads to.
#[derive(Debug, Clone, Copy)]
enum User {
    /// An op that computes with it.
    Op(Op),
    /// A branch whose condition it is.
    Branch(Op),
    /// The result of a branch, one side of which gives it.
    Result(Value),
    /// The value of this number in the next iteration.
    Next(usize),
    /// An effect: a loop inside, which is one thing, or what is joined to a result of the loop.
    Effect,
}

/// All slices of a loop's body.
pub struct Slices<'k> {
    kernel: &'k Kernel,
    /// The values that the loop carries.
    args: &'k [Value],
    /// The users of each value, sorted by value.
    users: Vec<(Value, User)>,
    /// The branches in which something is stored or can fail.
    acting: FxHashSet<Op>,
}

impl<'k> Slices<'k> {
    /// The slices of a loop.
    pub fn new(kernel: &'k Kernel, op: Op) -> Slices<'k> {
        let region = kernel.ops[op].regions[0];
        let args = &kernel.regions[region].args[kernel.n_ranges(op)..];
        let mut slices = Slices { kernel, args, users: Vec::new(), acting: FxHashSet::default() };
        slices.region(region);
        // Behind the values that it carries, a loop yields those that it joins to its results.
        let (handed_on, joined) = kernel.regions[region].yields.split_at(args.len());
        slices.users.extend(handed_on.iter().enumerate().map(|(number, &next)| (next, User::Next(number))));
        slices.users.extend(joined.iter().map(|&value| (value, User::Effect)));
        slices.users.sort_by_key(|(value, _)| *value);
        slices
    }

    /// Notes the users in a region; says whether something in it acts.
    fn region(&mut self, region: Region) -> bool {
        let mut acts = false;
        for &op in &self.kernel.regions[region].ops {
            acts |= self.op(op);
        }
        acts
    }

    fn op(&mut self, op: Op) -> bool {
        let kernel = self.kernel;
        let data = &kernel.ops[op];
        if data.code == Code::If {
            self.users.push((data.operands[0], User::Branch(op)));
            let mut acts = false;
            for &region in &data.regions {
                acts |= self.region(region);
                let given = kernel.regions[region].yields.iter().zip(&data.results);
                self.users.extend(given.map(|(&value, &result)| (value, User::Result(result))));
            }
            if acts {
                self.acting.insert(op);
            }
            return acts;
        }
        if data.regions.is_empty() {
            self.users.extend(data.operands.iter().map(|&value| (value, User::Op(op))));
            return data.results.is_empty() && acts(kernel.effect(op));
        }
        let mut used: Vec<Value> = data.operands.to_vec();
        used.extend(data.regions.iter().flat_map(|&region| &kernel.regions[region].yields));
        kernel.walk_inside(op, &mut |inner| {
            let data = &kernel.ops[inner];
            used.extend(&data.operands);
            used.extend(data.regions.iter().flat_map(|&region| &kernel.regions[region].yields));
        });
        self.users.extend(used.into_iter().map(|value| (value, User::Effect)));
        let mut found = false;
        let effect = kernel.walk_effects(op, &mut |inner, effect| {
            found |= kernel.ops[inner].results.is_empty() && acts(effect);
        });
        found || data.results.is_empty() && acts(effect)
    }

    /// The slice of the values with these numbers.
    pub fn of(&self, numbers: &BTreeSet<usize>) -> Slice {
        let mut open: Vec<Value> = numbers.iter().map(|&number| self.args[number]).collect();
        let values = open.iter().copied().collect();
        let mut slice = Slice { values, carried: BTreeSet::new(), acts: false, branches: Vec::new() };
        while let Some(value) = open.pop() {
            let mut add = |slice: &mut Slice, value: Value| {
                if slice.values.insert(value) {
                    open.push(value);
                }
            };
            let from = self.users.partition_point(|(other, _)| *other < value);
            for &(_, user) in self.users[from..].iter().take_while(|(other, _)| *other == value) {
                match user {
                    User::Op(op) => {
                        let results = &self.kernel.ops[op].results;
                        results.iter().for_each(|&result| add(&mut slice, result));
                        slice.acts |= results.is_empty();
                    }
                    User::Branch(op) => {
                        self.kernel.ops[op].results.iter().for_each(|&result| add(&mut slice, result));
                        slice.acts |= self.acting.contains(&op);
                        slice.branches.push(op);
                    }
                    User::Result(result) => add(&mut slice, result),
                    User::Next(number) => _ = slice.carried.insert(number),
                    User::Effect => slice.acts = true,
                }
            }
        }
        slice
    }
}

/// Says whether an op of such an effect and without results does something.
fn acts(effect: Effect) -> bool {
    matches!(effect, Effect::Writes | Effect::Fails)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ir::read;

    /// The number of values in the slice of each value that the first loop carries, which are carried, and if it acts.
    fn check(text: &str, expected: &[(usize, &[usize], bool)]) {
        let kernel = read(text, None).unwrap_or_else(|error| panic!("{error}\n{text}")).remove(0);
        let is_loop = |op: &&Op| kernel.ops[**op].code == Code::For;
        let op = *kernel.regions[kernel.body].ops.iter().find(is_loop).expect("a loop");
        let slices = Slices::new(&kernel, op);
        let found = (0..expected.len()).map(|number| slices.of(&BTreeSet::from([number])));
        let found: Vec<_> =
            found.map(|it| (it.values.len(), it.carried.into_iter().collect::<Vec<_>>(), it.acts)).collect();
        let expected: Vec<_> = expected.iter().map(|&(n, carried, acts)| (n, carried.to_vec(), acts)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn each_has_its_own_ops() {
        check(
            "\
kernel k(a: f32[n], b: i32[n], n: i32) -> i32:
    let s, t, u = for i in range(0, n) with s = 0, t = 0, u = 0:
        let x = b[i]
        let next = (s +% x)
        let all = (t +% next)
        let v = if (x > 1):
            yield (u ^ x)
        else:
            yield u
        b[i] = all
        yield next, all, v
    return ((s +% t) +% u)
",
            &[(3, &[0, 1], true), (2, &[1], true), (3, &[2], false)],
        );
    }

    #[test]
    fn what_a_branch_in_a_loop_inside_gives_is_used_there() {
        check(
            "\
kernel k(b: i32[n], out: i32[n], n: i32) -> i32:
    let s = for i in range(0, n) with s = 0:
        let t = for j in range(0, n) with t = 0:
            let u = if (b[j] > 1):
                yield s
            else:
                yield t
            yield u
        out[i] = t
        yield (s +% b[i])
    return s
",
            &[(2, &[0], true)],
        );
    }
}
