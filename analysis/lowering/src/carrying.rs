//! The values that a loop carries, and those that it joins something to in the fixed order.
//!
//! A struct is carried leaf by leaf, and some of its leaves may be joined to. An iteration starts such a number with the identity,
//! and what it makes of that is what it contributes.

use ir::{Elem, Fold, Value};

use super::vars::Checkpoint;
use super::{Lower, Lowered, Var};
use hir::Joined;

/// The values that a loop carries from one iteration to the next.
pub(super) struct Carrying {
    /// The variables, with their values before the loop.
    vars: Vec<(Var, Lowered)>,
    /// The reductions among those values, by their numbers, in order.
    joined: Vec<(usize, Fold, Value)>,
}

/// Names and values of what a loop carries, and the operators and values of what it joins something to.
type Starts = (Vec<(String, Value)>, Vec<(Fold, Value)>);

impl Lower<'_> {
    /// Finds out which of the carried values a loop only joins something to, where the language fixes an order for that.
    pub(super) fn carrying(&mut self, vars: Vec<(Var, Lowered)>, joined: &[Joined]) -> Carrying {
        let (mut found, mut first) = (Vec::new(), 0);
        for (var, lowered) in &vars {
            let values = self.flatten(&[(*var, lowered.clone())]);
            for Joined { path, fold, .. } in joined.iter().filter(|joined| self.local_var(joined.local) == *var) {
                let leaves = match lowered {
                    Lowered::Scalar(_) => 0..1,
                    Lowered::Struct(name, _) => match self.part_named(name, path) {
                        Some(part) => part.leaves,
                        None => continue,
                    },
                    _ => continue,
                };
                let ordered = leaves.filter(|&leaf| self.has_order(*fold, values[leaf]));
                found.extend(ordered.map(|leaf| (first + leaf, *fold, values[leaf])));
            }
            first += values.len();
        }
        found.sort_by_key(|(number, ..)| *number);
        Carrying { vars, joined: found }
    }

    pub(super) fn has_order(&self, fold: Fold, value: Value) -> bool {
        self.b.kernel().ty(value).data_elem().is_some_and(|elem| fold.partials(elem).is_some())
    }

    /// Names and values of what is carried in front of the loop, and of what it joins something to.
    pub(super) fn starts(&mut self, carrying: &Carrying) -> Starts {
        let all = self.inits(&carrying.vars);
        let starts = carrying.joined.iter().map(|(_, fold, init)| (*fold, *init)).collect();
        (carrying.split(&all).0, starts)
    }

    /// Starts an iteration with the arguments of the loop's block.
    pub(super) fn enter(&mut self, carrying: &Carrying, args: &[Value]) {
        let identities: Vec<Value> = carrying
            .joined
            .iter()
            .map(|(_, fold, init)| {
                let elem = self.b.kernel().ty(*init).data_elem().unwrap_or(Elem::F32);
                self.constant(fold.identity(elem))
            })
            .collect();
        let values = carrying.together(args, &identities);
        let mut first = 0;
        for (var, lowered) in &carrying.vars {
            let n_values = self.flatten(&[(*var, lowered.clone())]).len();
            match lowered {
                // A constant keeps its own name.
                Lowered::Scalar(_) if carrying.is_joined(first) => {
                    self.vars.insert(*var, Lowered::Scalar(values[first]));
                }
                _ => self.unflatten(&[(*var, lowered.clone())], &values[first..first + n_values]),
            }
            first += n_values;
        }
    }

    /// Ends an iteration, and gives the variables their values behind the loop.
    pub(super) fn leave(&mut self, before: Checkpoint, carrying: &Carrying) {
        let values = self.handed_on_values(&carrying.vars);
        let (carried, joined) = carrying.split(&values);
        let results = self.b.close(&[carried, joined].concat());
        self.vars.roll_back(before);
        let (carried, joined) = results.split_at(results.len() - carrying.joined.len());
        let values = carrying.together(carried, joined);
        self.unflatten(&carrying.vars, &values);
    }
}

impl Carrying {
    fn is_joined(&self, number: usize) -> bool {
        self.joined.iter().any(|(joined, ..)| *joined == number)
    }

    /// Splits all values into those that are carried and those that something is joined to.
    fn split<T: Clone>(&self, all: &[T]) -> (Vec<T>, Vec<T>) {
        let (mut carried, mut joined) = (Vec::new(), Vec::new());
        for (number, value) in all.iter().enumerate() {
            if self.is_joined(number) { joined.push(value.clone()) } else { carried.push(value.clone()) }
        }
        (carried, joined)
    }

    /// All values, of those that are carried and those that something is joined to.
    fn together(&self, carried: &[Value], joined: &[Value]) -> Vec<Value> {
        let n_values = carried.len() + joined.len();
        let (mut carried, mut joined) = (carried.iter(), joined.iter());
        let next = |number| if self.is_joined(number) { joined.next() } else { carried.next() };
        (0..n_values).filter_map(next).copied().collect()
    }
}
