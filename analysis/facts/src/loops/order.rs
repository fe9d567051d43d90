//! The order of a loop body's statements: which have to come before which if the iterations run as lanes.
//!
//! A *statement* is an op with an effect, together with the ops that compute its operands alone. Lanes run a statement
//! for all iterations before the next. So where iterations touch the same cell, the source's statement has to stand
//! before the sink's, as it has to within one iteration. Statements that have to stand before each other form a
//! *strongly connected component*: no order of them is right, and the dependences within it remain obstacles. All
//! others have an order, which is as close to the present one as the dependences allow.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::dependence::{Dependences, Nest};
use ir::entities::{Op, Region, Value};
use ir::forest::LoopForest;
use ir::ops::{Code, Effect};
use ir::program::Kernel;
use ir::uses::{Use, Uses};

/// The statements of a loop's body, in an order in which they can run as lanes, except within components.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Order {
    /// Components, in order: each has one statement or more.
    pub components: Vec<Vec<usize>>,
    /// The ops of each statement, in their own order.
    pub statements: Vec<Vec<Op>>,
    /// The statement of each op that stands in the body itself.
    statement_of: OfOps,
    /// The component of each statement.
    component_of: Vec<usize>,
    /// The ops of the body as they stand now.
    body: Vec<Op>,
}

/// A number for some of the ops inside of a loop. They are one run of the text, so their places in it take the place of a hash.
#[derive(Debug, Clone, PartialEq, Eq)]
struct OfOps {
    /// The place of the first op inside.
    first: usize,
    numbers: Vec<u32>,
}

impl OfOps {
    const NONE: u32 = u32::MAX;

    /// A number for none of the ops inside of a loop.
    fn inside(forest: &LoopForest, op: Op) -> OfOps {
        OfOps { first: forest.order(op) + 1, numbers: vec![OfOps::NONE; forest.inside(op).len()] }
    }

    /// The number of an op; `None` for one that has none, or stands elsewhere.
    fn get(&self, forest: &LoopForest, op: Op) -> Option<usize> {
        let place = forest.order(op).checked_sub(self.first)?;
        self.numbers.get(place).copied().filter(|&number| number != OfOps::NONE).map(|number| number as usize)
    }

    /// Numbers an op inside of the loop.
    fn put(&mut self, forest: &LoopForest, op: Op, number: usize) {
        self.numbers[forest.order(op) - self.first] = number as u32;
    }
}

impl Order {
    /// Orders the body of a loop by whole statements.
    pub(super) fn of(nest: &Nest<'_>, uses: &Uses, dependences: &Dependences, op: Op) -> Order {
        Order::of_statements(nest, uses, dependences, op, false, &FxHashSet::default())
    }

    /// Orders the body of a loop for lanes. Where statements have to stand before each other, loads of what they store are statements
    /// of their own: a load that stands before the store that would spoil it breaks the cycle. With `apart`, arrays that may overlap
    /// count as disjoint, as a runtime alias check would show them to be, and dependences that exist only where they overlap are left
    /// out.
    pub(super) fn for_lanes(nest: &Nest<'_>, uses: &Uses, dependences: &Dependences, op: Op, apart: bool) -> Order {
        let order = Order::of_statements(nest, uses, dependences, op, apart, &FxHashSet::default());
        let loads = order.loads_in_cycles(nest, dependences, op);
        match loads.is_empty() {
            true => order,
            false => Order::of_statements(nest, uses, dependences, op, apart, &loads),
        }
    }

    /// The loads of components with several statements that touch what the loop stores.
    fn loads_in_cycles(&self, nest: &Nest<'_>, dependences: &Dependences, op: Op) -> FxHashSet<Op> {
        if self.components.iter().all(|component| component.len() == 1) {
            return FxHashSet::default();
        }
        let ends = dependences.inside(op).flat_map(|(_, dependence)| [dependence.source, dependence.sink]);
        let is_in_cycle = |statement: &usize| self.components[self.component_of[*statement]].len() > 1;
        let is_own = |end: &Op| self.statement_of.get(&nest.forest, *end).as_ref().is_some_and(is_in_cycle);
        ends.filter(|&end| nest.kernel.ops[end].code == Code::Load).filter(is_own).collect()
    }

    /// Orders the body of a loop, in which the ops `heads` are statements of their own.
    fn of_statements(
        nest: &Nest<'_>,
        uses: &Uses,
        dependences: &Dependences,
        op: Op,
        apart: bool,
        heads: &FxHashSet<Op>,
    ) -> Order {
        let body = *nest.kernel.ops[op].regions.last().expect("a loop has a body");
        let (statements, statement_of) = statements(nest, uses, op, body, heads);
        let mut edges: Vec<Vec<usize>> = vec![Vec::new(); statements.len()];
        let mut add = |from: usize, to: usize| {
            if from != to && edges[from].last() != Some(&to) {
                edges[from].push(to);
            }
        };
        let mut statements_of = StatementsOf { nest, body, of_ops: &statement_of, of_regions: FxHashMap::default() };
        for (statement, ops) in statements.iter().enumerate() {
            let results = ops.iter().flat_map(|&inner| &nest.kernel.ops[inner].results);
            for &user in results.flat_map(|&result| uses.users(result)) {
                let user = match user {
                    Use::Operand(op, _) => statements_of.op(op),
                    Use::Yield(region) => nest.forest.owner(region).and_then(|owner| statements_of.op(owner)),
                };
                if let Some(user) = user {
                    add(statement, user);
                }
            }
        }
        for (from, to) in handed_on(nest, uses, op) {
            if let (Some(from), Some(to)) = (statements_of.op(from), statements_of.op(to)) {
                add(from, to);
            }
        }
        let depth = nest.levels_of(op).len();
        for (_, dependence) in dependences.inside(op) {
            // A dependence that an outer loop carries is between two runs of this loop.
            if dependence.meeting.carried.is_some_and(|position| position < depth) || apart && dependence.is_overlap() {
                continue;
            }
            let ends = [dependence.source, dependence.sink].map(|op| statements_of.op(op));
            if let [Some(source), Some(sink)] = ends {
                add(source, sink);
            }
        }
        for targets in &mut edges {
            targets.sort_unstable();
            targets.dedup();
        }
        let (components, component_of) = ordered_components(&edges);
        Order { components, statements, statement_of, component_of, body: nest.kernel.regions[body].ops.clone() }
    }

    /// The ops of the body in this order; those of a component in their own.
    pub fn ops(&self) -> Vec<Op> {
        let positions: FxHashMap<Op, usize> = self.body.iter().enumerate().map(|(at, &op)| (op, at)).collect();
        let mut ops = Vec::new();
        for component in &self.components {
            let start = ops.len();
            component.iter().for_each(|&statement| ops.extend(&self.statements[statement]));
            ops[start..].sort_by_key(|op| positions[op]);
        }
        ops
    }

    /// Says whether two ops, each in the body or inside of an op there, stand in one component; where they do not, this order has
    /// the right one first.
    pub(super) fn is_in_one_component(&self, nest: &Nest<'_>, body: Region, a: Op, b: Op) -> bool {
        let component = |op| {
            let statement = self.statement_of.get(&nest.forest, nest.forest.ancestor_in(body, op)?)?;
            Some(self.component_of[statement])
        };
        component(a) == component(b)
    }
}

/// The statements that ops of a body are in, or of something inside of it: all in one block are in the same one.
struct StatementsOf<'n, 'k> {
    nest: &'n Nest<'k>,
    body: Region,
    /// The statement of each op that stands in the body itself.
    of_ops: &'n OfOps,
    /// The statements of blocks inside, as far as they were asked for.
    of_regions: FxHashMap<Region, Option<usize>>,
}

impl StatementsOf<'_, '_> {
    /// The statement that an op is in; `None` for one that is not inside of the body.
    fn op(&mut self, op: Op) -> Option<usize> {
        let forest = &self.nest.forest;
        let region = forest.region_of(op);
        if region == self.body {
            return self.of_ops.get(forest, op);
        }
        let of_region = || self.of_ops.get(forest, forest.ancestor_in(self.body, op)?);
        *self.of_regions.entry(region).or_insert_with(of_region)
    }
}

/// Returns the ops that compute what a loop carries, each with those that use the value in the next iteration.
fn handed_on(nest: &Nest<'_>, uses: &Uses, op: Op) -> Vec<(Op, Op)> {
    let kernel = nest.kernel;
    let body = *kernel.ops[op].regions.last().expect("a loop has a body");
    let (args, yields) = (&kernel.regions[body].args, &kernel.regions[body].yields);
    let n_ranges = kernel.n_ranges(op);
    let mut pairs = Vec::new();
    for (number, &arg) in args[n_ranges..].iter().enumerate() {
        let Some(maker) = maker(kernel, &args[n_ranges..], yields, number) else { continue };
        for user in uses.users(arg) {
            match *user {
                Use::Operand(user, _) => pairs.push((maker, user)),
                Use::Yield(region) => {
                    pairs.extend(nest.forest.owner(region).filter(|_| region != body).map(|user| (maker, user)))
                }
            }
        }
    }
    pairs
}

/// Returns the op that computes a carried value, perhaps several iterations before.
fn maker(kernel: &Kernel, args: &[Value], yields: &[Value], number: usize) -> Option<Op> {
    let mut next = yields[number];
    for _ in args {
        match args.iter().position(|&arg| arg == next) {
            Some(number) => next = yields[number],
            None => break,
        }
    }
    kernel.def_op(next)
}

/// The statements of a loop's body, and the one that each op there belongs to; those in `own` are statements for themselves.
fn statements(nest: &Nest<'_>, uses: &Uses, op: Op, body: Region, own: &FxHashSet<Op>) -> (Vec<Vec<Op>>, OfOps) {
    let (kernel, forest) = (nest.kernel, &*nest.forest);
    let ops = &kernel.regions[body].ops;
    // The position of each op in the body, and of the head of its statement.
    let mut positions = OfOps::inside(forest, op);
    ops.iter().enumerate().for_each(|(at, &inner)| positions.put(forest, inner, at));
    let mut heads: Vec<usize> = (0..ops.len()).collect();
    for (at, &inner) in ops.iter().enumerate().rev() {
        let head_of = |user: Op| positions.get(forest, forest.ancestor_in(body, user)?).map(|user| heads[user]);
        let mut users =
            kernel.ops[inner].results.iter().flat_map(|&result| uses.users(result)).map(|&user| match user {
                Use::Operand(user, _) => head_of(user),
                Use::Yield(region) if region == body => None,
                Use::Yield(region) => forest.owner(region).and_then(head_of),
            });
        let Some(head) = users.next().flatten() else { continue };
        let has_effect = kernel.ops[inner].code.is_control() || kernel.effect(inner) > Effect::Reads;
        if users.all(|other| other == Some(head)) && !has_effect && !own.contains(&inner) {
            heads[at] = head;
        }
    }
    // Statements are numbered by their heads, so that an order that changes nothing is the old one.
    let mut numbers = vec![0; ops.len()];
    let mut n_statements = 0;
    for at in (0..ops.len()).filter(|&at| heads[at] == at) {
        numbers[at] = n_statements;
        n_statements += 1;
    }
    let mut statements: Vec<Vec<Op>> = vec![Vec::new(); n_statements];
    let mut statement_of = positions;
    for (at, &inner) in ops.iter().enumerate() {
        let number = numbers[heads[at]];
        statements[number].push(inner);
        statement_of.put(forest, inner, number);
    }
    (statements, statement_of)
}

/// Computes the strongly connected components of statements, in an order that respects all edges and otherwise the
/// order of the statements, and the component of each statement.
fn ordered_components(edges: &[Vec<usize>]) -> (Vec<Vec<usize>>, Vec<usize>) {
    let component = component_numbers(edges);
    let n_components = component.iter().map(|&component| component + 1).max().unwrap_or(0);
    let mut members: Vec<Vec<usize>> = vec![Vec::new(); n_components];
    for (statement, &component) in component.iter().enumerate() {
        members[component].push(statement);
    }
    let mut followers: Vec<Vec<usize>> = vec![Vec::new(); n_components];
    for (from, targets) in edges.iter().enumerate() {
        let others = targets.iter().map(|&to| component[to]).filter(|&to| to != component[from]);
        followers[component[from]].extend(others);
    }
    let mut n_open = vec![0; n_components];
    for own in &mut followers {
        own.sort_unstable();
        own.dedup();
        own.iter().for_each(|&follower| n_open[follower] += 1);
    }
    let first = |component: usize| Reverse((members[component][0], component));
    let mut ready: BinaryHeap<_> = (0..n_components).filter(|&component| n_open[component] == 0).map(first).collect();
    let (mut components, mut component_of) = (Vec::new(), vec![0; edges.len()]);
    while let Some(Reverse((_, component))) = ready.pop() {
        members[component].iter().for_each(|&statement| component_of[statement] = components.len());
        components.push(members[component].clone());
        for &follower in &followers[component] {
            n_open[follower] -= 1;
            if n_open[follower] == 0 {
                ready.push(first(follower));
            }
        }
    }
    (components, component_of)
}

/// The strongly connected component of each node, by Tarjan's algorithm, without recursion.
fn component_numbers(edges: &[Vec<usize>]) -> Vec<usize> {
    const NEW: usize = usize::MAX;
    let n = edges.len();
    let (mut number, mut low, mut component) = (vec![NEW; n], vec![0; n], vec![NEW; n]);
    let (mut stack, mut next, mut n_components) = (Vec::new(), 0, 0);
    for root in 0..n {
        if number[root] != NEW {
            continue;
        }
        let mut work = vec![(root, edges[root].iter())];
        (number[root], low[root]) = (next, next);
        next += 1;
        stack.push(root);
        while let Some((node, targets)) = work.last_mut() {
            let node = *node;
            if let Some(&target) = targets.next() {
                if number[target] == NEW {
                    (number[target], low[target]) = (next, next);
                    next += 1;
                    stack.push(target);
                    work.push((target, edges[target].iter()));
                } else if component[target] == NEW {
                    low[node] = low[node].min(number[target]);
                }
                continue;
            }
            work.pop();
            if let Some((parent, _)) = work.last() {
                low[*parent] = low[*parent].min(low[node]);
            }
            if low[node] == number[node] {
                while let Some(member) = stack.pop() {
                    component[member] = n_components;
                    if member == node {
                        break;
                    }
                }
                n_components += 1;
            }
        }
    }
    component
}
