//! The statements of a line that are done together: pairs, packs, and an order in which packs can be done.
//!
//! 1. *Neighbours*: two loads, or two stores, of cells that lie side by side are a pair, if neither needs the other.
//! 2. *Along definitions and uses*: what makes the operands of a pair, and what uses its results, are pairs as well, if both do the same.
//! 3. *Packs*: pairs that share a statement are joined, `(a, b)` and `(b, c)` to `(a, b, c)`, up to the width of a register.
//! 4. *Schedule*: in the order of the line each statement is done once nothing is left that it waits for, and a pack once that holds for all
//!    of its statements. A pack that would wait for itself is taken apart.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::{FxHashMap, FxHashSet};

use super::line::{Condition, Does, Line, form, is_hidden};
use crate::pack::block::{Block, Cell};
use crate::pack::operations::{is_packable, registers, scalar_cost, vector_cost};
use facts::Facts;
use ir::entities::Value;
use ir::ops::Code;
use ir::target::Target;
use ir::types::Elem;

/// Two statements that can be done as one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pair {
    pub(super) first: usize,
    pub(super) second: usize,
    pub(super) why: Why,
}

/// The reason why two statements are a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Why {
    /// Their cells are neighbours.
    Neighbours,
    /// They make an operand of this pair.
    Makes(usize, usize),
    /// They use what this pair makes.
    Uses(usize, usize),
}

/// Two statements that do the same for a pair, and are none, since the second one needs the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Refused {
    pub(super) first: usize,
    pub(super) second: usize,
}

/// A guard that another one implies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Implied {
    pub(super) guard: usize,
    pub(super) by: usize,
}

/// A step of the schedule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Step {
    /// A statement, as it is.
    One(usize),
    /// The statements of a pack, as one.
    Pack(usize),
}

/// The pairs, packs and schedule of a line.
#[derive(Debug)]
pub(super) struct Superwords {
    /// The statements that each one directly waits for.
    waits: Vec<BTreeSet<usize>>,
    /// All that each statement waits for, as a set of bits.
    reached: Vec<Vec<u64>>,
    pub(super) pairs: Vec<Pair>,
    pub(super) refused: BTreeSet<Refused>,
    pub(super) packs: Vec<Vec<usize>>,
    /// Packs that were taken apart, since they would wait for themselves.
    pub(super) apart: Vec<Vec<usize>>,
    pub(super) implied: Vec<Implied>,
    pub(super) schedule: Vec<Step>,
    /// The cost of the line as it is, and of the schedule.
    pub(super) costs: (u32, u32),
    /// A guard that needs what a store of the line writes: then no later iteration can be done together with an earlier one.
    pub(super) late_guard: Option<(usize, usize)>,
}

/// The dependence graph of a line.
struct Graph<'l> {
    line: &'l Line,
    target: &'static Target,
    /// The cell of each statement that loads or stores one.
    cells: Vec<Option<Cell>>,
    waits: Vec<BTreeSet<usize>>,
    /// All that each statement waits for, as a set of bits.
    reached: Vec<Vec<u64>>,
    /// The statement that makes a value.
    maker: FxHashMap<Value, usize>,
    /// The statements that use a value, in order.
    users: FxHashMap<Value, Vec<usize>>,
}

impl Superwords {
    /// Finds what can be done together.
    pub(super) fn of(line: &Line, block: &Block, facts: &Facts, target: &'static Target) -> Superwords {
        let implied = implied(line, facts);
        let mut graph = Graph::of(line, block, target);
        let late_guard = graph.add_guards(&implied);
        let mut search = Search::new(&graph);
        if late_guard.is_none() {
            search.neighbours();
            search.extend();
        }
        let Search { pairs, refused, .. } = search;
        let gone: FxHashSet<usize> = implied.iter().map(|it| it.guard).collect();
        let mut packs = graph.packs(&pairs);
        let mut apart = Vec::new();
        let schedule = loop {
            match graph.schedule(&packs, &gone) {
                Ok(schedule) => break schedule,
                Err(stuck) => apart.push(packs.remove(stuck)),
            }
        };
        let schedule = graph.without_unused(schedule, &packs);
        let costs = graph.costs(&packs, &schedule);
        Superwords {
            waits: graph.waits,
            reached: graph.reached,
            pairs,
            refused,
            packs,
            apart,
            implied,
            schedule,
            costs,
            late_guard,
        }
    }
}

impl Superwords {
    /// The statements that one waits for directly, without those that another of them waits for.
    pub(super) fn nearest(&self, statement: usize) -> Vec<usize> {
        let waits = &self.waits[statement];
        let is_further = |early: usize| waits.iter().any(|&late| late != early && has(&self.reached[late], early));
        waits.iter().copied().filter(|&early| !is_further(early)).collect()
    }
}

/// Says whether a set of bits has a number.
fn has(set: &[u64], number: usize) -> bool {
    set[number / 64] & (1 << (number % 64)) != 0
}

/// The guards that a later one implies: of those about one bound the last in the direction of the index.
fn implied(line: &Line, facts: &Facts) -> Vec<Implied> {
    let mut strongest: BTreeMap<(String, bool), (i128, usize)> = BTreeMap::new();
    let mut of_bound: Vec<(usize, (String, bool), i128)> = Vec::new();
    for (number, statement) in line.statements.iter().enumerate() {
        let Does::Guard(condition) = &statement.does else { continue };
        let (value, bound, upwards) = match condition {
            Condition::Index { index, end, upwards } => (*index, format!("{end:?}"), *upwards),
            Condition::Exists { subscript, array } => (*subscript, format!("{array:?}"), true),
            Condition::Is(..) => continue,
        };
        let Some((rest, constant)) = form(facts, value).map(|form| form.split_constant()) else { continue };
        let key = (format!("{bound} {rest:?}"), upwards);
        let ahead = if upwards { constant } else { -constant };
        let best = strongest.entry(key.clone()).or_insert((ahead, number));
        if ahead > best.0 {
            *best = (ahead, number);
        }
        of_bound.push((number, key, ahead));
    }
    let implied = of_bound.into_iter().filter_map(|(guard, key, _)| {
        let (_, by) = strongest[&key];
        (by != guard).then_some(Implied { guard, by })
    });
    implied.collect()
}

impl<'l> Graph<'l> {
    fn of(line: &'l Line, block: &Block, target: &'static Target) -> Graph<'l> {
        let kernel = &line.kernel;
        let n = line.statements.len();
        let number_in_block = |statement: usize| match line.statements[statement].does {
            Does::Op(op) => block.numbers.get(&op).copied(),
            Does::Guard(_) => None,
        };
        let of_block: FxHashMap<usize, usize> =
            (0..n).filter_map(|statement| Some((number_in_block(statement)?, statement))).collect();
        // What is hidden is part of the address of who uses it.
        let mut shown: Vec<BTreeSet<usize>> = Vec::with_capacity(block.ops.len());
        let mut waits = vec![BTreeSet::new(); n];
        for number in 0..block.ops.len() {
            let mut own = BTreeSet::new();
            for &earlier in &block.waits[number] {
                match of_block.get(&earlier) {
                    Some(&statement) => {
                        own.insert(statement);
                    }
                    None => own.extend(shown[earlier].iter().copied()),
                }
            }
            if let Some(&statement) = of_block.get(&number) {
                waits[statement].clone_from(&own);
            }
            shown.push(own);
        }
        let mut maker = FxHashMap::default();
        let mut users: FxHashMap<Value, Vec<usize>> = FxHashMap::default();
        for (number, statement) in line.statements.iter().enumerate() {
            match &statement.does {
                Does::Op(op) => {
                    let data = &kernel.ops[*op];
                    maker.extend(data.results.iter().map(|&result| (result, number)));
                    data.operands.iter().for_each(|&value| users.entry(value).or_default().push(number));
                }
                Does::Guard(Condition::Is(value, _)) => users.entry(*value).or_default().push(number),
                Does::Guard(_) => {}
            }
        }
        let cells = (0..n).map(|statement| block.cells[number_in_block(statement)?]).collect();
        Graph { line, target, cells, waits, reached: Vec::new(), maker, users }
    }

    /// Adds what guards wait for, and what waits for them: a load for those that show that its cell exists, a store for all, so that nothing is
    /// written when one of them fails. Gives a guard that needs a store of the line, with that store.
    fn add_guards(&mut self, implied: &[Implied]) -> Option<(usize, usize)> {
        let line = self.line;
        let kernel = &line.kernel;
        let shown_by = |guard: usize| implied.iter().find(|it| it.guard == guard).map_or(guard, |it| it.by);
        let mut guards: Vec<usize> = Vec::new();
        for (number, statement) in line.statements.iter().enumerate() {
            let Does::Guard(condition) = &statement.does else { continue };
            guards.push(number);
            let needs: Vec<Value> = match condition {
                Condition::Index { index, .. } => vec![*index],
                Condition::Exists { subscript, .. } => vec![*subscript],
                Condition::Is(value, _) => vec![*value],
            };
            self.waits[number].extend(needs.iter().filter_map(|value| self.maker.get(value)));
        }
        let is_bound = |guard: usize| !matches!(line.statements[guard].does, Does::Guard(Condition::Is(..)));
        for (number, statement) in line.statements.iter().enumerate() {
            let Does::Op(op) = statement.does else { continue };
            let before = guards.iter().copied().filter(|&guard| guard < number);
            match kernel.ops[op].code {
                Code::Load => {
                    let of_own = before
                        .filter(|&guard| is_bound(guard) && line.statements[guard].iteration == statement.iteration);
                    self.waits[number].extend(of_own.map(shown_by));
                }
                Code::Store => self.waits[number].extend(guards.iter().map(|&guard| shown_by(guard))),
                // What may fail or does something else stays behind the guards that stand before it.
                code if !code.is_elementwise() => self.waits[number].extend(before.map(shown_by)),
                _ => {}
            }
        }
        // Guards may stand behind stores, so what is reached is found along the edges and not in the order of the line.
        let late = self.find_reached();
        let is_store = |statement: usize| matches!(line.statements[statement].does, Does::Op(op) if kernel.ops[op].code == Code::Store);
        late.and_then(|_| {
            let needs = |guard: usize| self.before(guard).into_iter().find(|&it| it < guard && is_store(it));
            guards.iter().find_map(|&guard| Some((guard, needs(guard)?)))
        })
    }

    /// All that a statement waits for, directly or not.
    fn before(&self, statement: usize) -> BTreeSet<usize> {
        let mut found = BTreeSet::new();
        let mut open: Vec<usize> = self.waits[statement].iter().copied().collect();
        while let Some(next) = open.pop() {
            if found.insert(next) {
                open.extend(self.waits[next].iter().copied());
            }
        }
        found
    }

    /// Finds what each statement waits for; gives one that waits for itself.
    fn find_reached(&mut self) -> Option<usize> {
        let n = self.line.statements.len();
        let mut circle = None;
        let mut reached = vec![vec![0_u64; n.div_ceil(64)]; n];
        for (statement, own) in reached.iter_mut().enumerate() {
            for earlier in self.before(statement) {
                own[earlier / 64] |= 1 << (earlier % 64);
                if earlier == statement {
                    circle = Some(statement);
                }
            }
        }
        self.reached = reached;
        circle
    }

    fn waits_for(&self, late: usize, early: usize) -> bool {
        has(&self.reached[late], early)
    }

    fn are_independent(&self, a: usize, b: usize) -> bool {
        a != b && !self.waits_for(a, b) && !self.waits_for(b, a)
    }

    /// Says whether two statements do the same.
    fn do_the_same(&self, a: usize, b: usize) -> bool {
        let kernel = &self.line.kernel;
        match (&self.line.statements[a].does, &self.line.statements[b].does) {
            (Does::Op(a), Does::Op(b)) => {
                let (a, b) = (&kernel.ops[*a], &kernel.ops[*b]);
                let types = |values: &[Value]| values.iter().map(|&value| kernel.ty(value)).collect::<Vec<_>>();
                a.code == b.code
                    && a.attr == b.attr
                    && types(&a.operands) == types(&b.operands)
                    && types(&a.results) == types(&b.results)
            }
            (Does::Guard(Condition::Is(_, a)), Does::Guard(Condition::Is(_, b))) => a == b,
            _ => false,
        }
    }

    /// Says whether a statement can be a lane of a vector operation.
    fn is_packable(&self, statement: usize) -> bool {
        match &self.line.statements[statement].does {
            Does::Op(op) => {
                let code = self.line.kernel.ops[*op].code;
                match code {
                    Code::Load | Code::Store => self.cells[statement].is_some_and(|cell| cell.elem != Elem::Bool),
                    // Indices are computed by whoever needs them.
                    Code::Advance => false,
                    _ => is_packable(&self.line.kernel, *op, self.target),
                }
            }
            Does::Guard(condition) => matches!(condition, Condition::Is(..)),
        }
    }

    /// The number of lanes of a register for what a statement computes, loads or stores.
    fn width(&self, statement: usize) -> usize {
        let kernel = &self.line.kernel;
        let bytes = match &self.line.statements[statement].does {
            Does::Op(op) => {
                let data = &kernel.ops[*op];
                let values =
                    data.operands.iter().chain(&data.results).filter_map(|&value| kernel.ty(value).data_elem());
                let of_cell = self.cells[statement].map(|cell| cell.elem.bytes());
                of_cell.or_else(|| values.filter(|elem| *elem != Elem::Bool).map(Elem::bytes).max())
            }
            Does::Guard(_) => None,
        };
        bytes.map_or(usize::MAX, |bytes| usize::from(self.target.lanes_for(bytes)))
    }

    /// The operands of a statement, in order.
    fn operands(&self, statement: usize) -> Vec<Value> {
        match &self.line.statements[statement].does {
            Does::Op(op) => {
                let data = &self.line.kernel.ops[*op];
                match data.code {
                    Code::Load => Vec::new(),
                    Code::Store => data.operands.last().copied().into_iter().collect(),
                    _ => data.operands.to_vec(),
                }
            }
            Does::Guard(Condition::Is(value, _)) => vec![*value],
            Does::Guard(_) => Vec::new(),
        }
    }

    /// Joins pairs that share a statement, up to the width of a register.
    fn packs(&self, pairs: &[Pair]) -> Vec<Vec<usize>> {
        let next: FxHashMap<usize, usize> = pairs.iter().map(|pair| (pair.first, pair.second)).collect();
        let seconds: FxHashSet<usize> = pairs.iter().map(|pair| pair.second).collect();
        let mut starts: Vec<usize> = next.keys().copied().filter(|first| !seconds.contains(first)).collect();
        starts.sort_unstable();
        let mut packs = Vec::new();
        for start in starts {
            let mut chain = vec![start];
            while let Some(&following) = next.get(&chain[chain.len() - 1]).filter(|it| !chain.contains(it)) {
                chain.push(following);
            }
            let mut rest = &chain[..];
            while rest.len() > 1 {
                let most = rest.len().min(self.width(start)).min(rest.len());
                let width = 1 << most.max(1).ilog2();
                if width < 2 {
                    break;
                }
                let (pack, others) = rest.split_at(width);
                let independent =
                    pack.iter().enumerate().all(|(n, &a)| pack[..n].iter().all(|&b| self.are_independent(a, b)));
                if independent {
                    packs.push(pack.to_vec());
                }
                rest = others;
            }
        }
        packs
    }

    /// An order in which everything is done; the number of a pack that would wait for itself if there is none.
    fn schedule(&self, packs: &[Vec<usize>], gone: &FxHashSet<usize>) -> Result<Vec<Step>, usize> {
        let n = self.line.statements.len();
        let of_pack: FxHashMap<usize, usize> =
            packs.iter().enumerate().flat_map(|(number, pack)| pack.iter().map(move |&it| (it, number))).collect();
        let mut done: Vec<bool> = (0..n).map(|it| gone.contains(&it)).collect();
        let mut schedule = Vec::new();
        loop {
            let is_ready = |it: usize| self.waits[it].iter().all(|&earlier| done[earlier]);
            let next = (0..n).filter(|&it| !done[it]).find(|it| match of_pack.get(it) {
                Some(&pack) => packs[pack].iter().all(|&member| {
                    self.waits[member].iter().all(|&earlier| done[earlier] || packs[pack].contains(&earlier))
                }),
                None => is_ready(*it),
            });
            let Some(next) = next else { break };
            match of_pack.get(&next) {
                Some(&pack) => {
                    packs[pack].iter().for_each(|&member| done[member] = true);
                    schedule.push(Step::Pack(pack));
                }
                None => {
                    done[next] = true;
                    schedule.push(Step::One(next));
                }
            }
        }
        match (0..n).filter(|&it| !done[it]).find_map(|it| of_pack.get(&it)) {
            Some(&stuck) => Err(stuck),
            // Where guards need stores of the line, what is left is done in the order of the line.
            None => {
                schedule.extend((0..n).filter(|&it| !done[it]).map(Step::One));
                Ok(schedule)
            }
        }
    }

    /// The schedule without scalars that only addresses of packs, or guards that are gone, have needed.
    fn without_unused(&self, schedule: Vec<Step>, packs: &[Vec<usize>]) -> Vec<Step> {
        let kernel = &self.line.kernel;
        let mut needed: FxHashSet<Value> = kernel.regions[self.line.region].yields.iter().copied().collect();
        let mut kept = Vec::new();
        for step in schedule.into_iter().rev() {
            match &step {
                Step::Pack(pack) => {
                    // The address is that of the first cell; operands are looked up lane by lane.
                    let members = &packs[*pack];
                    members.iter().for_each(|&member| needed.extend(self.operands(member)));
                    if let Does::Op(op) = self.line.statements[members[0]].does {
                        needed.extend(self.address_values(&kernel.ops[op].operands));
                    }
                }
                Step::One(number) => match &self.line.statements[*number].does {
                    Does::Op(op) => {
                        let data = &kernel.ops[*op];
                        let only_computes = data.code.is_elementwise();
                        // An index is written where it is used.
                        if data.code == Code::Advance
                            || only_computes && !data.results.iter().any(|result| needed.contains(result))
                        {
                            continue;
                        }
                        needed.extend(data.operands.iter().copied());
                        needed.extend(self.address_values(&data.operands));
                    }
                    Does::Guard(condition) => {
                        if let Condition::Is(value, _) = condition {
                            needed.insert(*value);
                        }
                    }
                },
            }
            kept.push(step);
        }
        kept.reverse();
        kept
    }

    /// The values that addresses are made of, through ops that are hidden.
    fn address_values(&self, operands: &[Value]) -> Vec<Value> {
        let kernel = &self.line.kernel;
        let mut found = Vec::new();
        let mut open = operands.to_vec();
        while let Some(value) = open.pop() {
            found.push(value);
            if let Some(op) = kernel.def_op(value).filter(|&op| is_hidden(kernel.ops[op].code)) {
                open.extend(kernel.ops[op].operands.iter().copied());
            }
        }
        found
    }

    /// The cost of the line as it is, and of the schedule, by the target's table.
    fn costs(&self, packs: &[Vec<usize>], schedule: &[Step]) -> (u32, u32) {
        let (kernel, costs) = (&self.line.kernel, &self.target.costs);
        let one = |statement: usize| match &self.line.statements[statement].does {
            Does::Op(op) if kernel.ops[*op].code == Code::Advance => u32::from(costs.arithmetic),
            Does::Op(op) => scalar_cost(kernel, *op, self.target),
            Does::Guard(_) => u32::from(costs.branch),
        };
        let lane: FxHashMap<Value, (usize, usize)> = packs
            .iter()
            .enumerate()
            .flat_map(|(number, pack)| pack.iter().enumerate().map(move |(lane, &it)| (number, lane, it)))
            .filter_map(|(number, lane, it)| match self.line.statements[it].does {
                Does::Op(op) => Some((*kernel.ops[op].results.first()?, (number, lane))),
                Does::Guard(_) => None,
            })
            .collect();
        let mut taken_out: FxHashSet<Value> = FxHashSet::default();
        let mut with = 0;
        for step in schedule {
            match step {
                Step::One(statement) => {
                    with += one(*statement);
                    taken_out.extend(self.operands(*statement).into_iter().filter(|value| lane.contains_key(value)));
                }
                Step::Pack(number) => {
                    let pack = &packs[*number];
                    with += match &self.line.statements[pack[0]].does {
                        Does::Op(op) => match kernel.ops[*op].code {
                            Code::Load => u32::from(costs.load),
                            Code::Store => u32::from(costs.store),
                            _ => vector_cost(kernel, *op, pack.len(), self.target),
                        },
                        Does::Guard(_) => u32::from(costs.branch + costs.shuffle),
                    };
                    let by_member: Vec<Vec<Value>> = pack.iter().map(|&member| self.operands(member)).collect();
                    for position in 0..by_member[0].len() {
                        let values: Vec<Value> = by_member.iter().map(|operands| operands[position]).collect();
                        let places: Vec<_> = values.iter().map(|value| lane.get(value)).collect();
                        // Parts of what is joined behind the loop stay in a vector.
                        if self
                            .line
                            .parts
                            .iter()
                            .any(|parts| parts.starts.chunks(values.len()).any(|own| own == values))
                        {
                            continue;
                        }
                        let is_whole = places.iter().enumerate().all(|(n, place)| {
                            place.is_some_and(|(from, at)| *at == n && Some(from) == places[0].map(|(from, _)| from))
                        });
                        if is_whole {
                            continue;
                        }
                        let bytes = kernel.ty(values[0]).data_elem().map_or(4, Elem::bytes);
                        // One shuffle spreads a scalar; several are put together one by one. Constants are loaded.
                        with += if values.iter().all(|value| kernel.as_const(*value).is_some()) {
                            0
                        } else if values.iter().all(|value| *value == values[0]) {
                            u32::from(costs.shuffle) * registers(self.target, 1, bytes)
                        } else {
                            u32::from(costs.shuffle) * values.len() as u32
                        };
                    }
                }
            }
        }
        let is_part = |value: &Value| self.line.parts.iter().any(|parts| parts.ends.contains(value));
        let handed_on = kernel.regions[self.line.region].yields.iter();
        taken_out.extend(handed_on.filter(|value| lane.contains_key(value) && !is_part(value)).copied());
        with += u32::from(costs.shuffle) * taken_out.len() as u32;
        ((0..self.line.statements.len()).map(one).sum(), with)
    }
}

/// The search for pairs.
struct Search<'g, 'l> {
    graph: &'g Graph<'l>,
    pairs: Vec<Pair>,
    refused: BTreeSet<Refused>,
    firsts: FxHashSet<usize>,
    seconds: FxHashSet<usize>,
}

impl<'g, 'l> Search<'g, 'l> {
    fn new(graph: &'g Graph<'l>) -> Search<'g, 'l> {
        Search {
            graph,
            pairs: Vec::new(),
            refused: BTreeSet::new(),
            firsts: FxHashSet::default(),
            seconds: FxHashSet::default(),
        }
    }

    /// Loads and stores of neighbouring cells: the same access of the next iteration if it is that, else another one.
    fn neighbours(&mut self) {
        let graph = self.graph;
        let n = graph.cells.len();
        for same_access in [true, false] {
            for a in 0..n {
                for b in 0..n {
                    let (Some(cell), Some(other)) = (&graph.cells[a], &graph.cells[b]) else { continue };
                    let (own, of_other) = (&graph.line.statements[a], &graph.line.statements[b]);
                    let follows = own.source == of_other.source && own.iteration.abs_diff(of_other.iteration) == 1;
                    if cell.stores == other.stores && cell.distance(other) == Some(1) && follows == same_access {
                        self.try_pair(a, b, Why::Neighbours);
                    }
                }
            }
        }
    }

    /// Adds pairs along definitions and uses, until there are no more.
    fn extend(&mut self) {
        let mut next = 0;
        while let Some(&Pair { first, second, .. }) = self.pairs.get(next) {
            next += 1;
            let graph = self.graph;
            let makers = graph.operands(first).into_iter().zip(graph.operands(second));
            for (a, b) in makers.collect::<Vec<_>>() {
                if let (Some(&a), Some(&b)) = (graph.maker.get(&a), graph.maker.get(&b))
                    && graph.cells[a].is_none()
                {
                    self.try_pair(a, b, Why::Makes(first, second));
                }
            }
            let [Some(a), Some(b)] = [first, second].map(|it| self.result(it)) else { continue };
            for &user in graph.users.get(&a).into_iter().flatten() {
                let position = |user: usize, value: Value| graph.operands(user).iter().position(|it| *it == value);
                let own = &graph.line.statements[user];
                let fits = |other: &&usize| {
                    graph.cells[**other].is_none()
                        && position(**other, b) == position(user, a)
                        && graph.do_the_same(user, **other)
                };
                let users = graph.users.get(&b).into_iter().flatten();
                let mut others: Vec<&usize> = users.filter(fits).collect();
                others.sort_by_key(|other| graph.line.statements[**other].source != own.source);
                if graph.cells[user].is_none()
                    && let Some(&&other) = others.first()
                {
                    self.try_pair(user, other, Why::Uses(first, second));
                }
            }
        }
    }

    fn result(&self, statement: usize) -> Option<Value> {
        match self.graph.line.statements[statement].does {
            Does::Op(op) => self.graph.line.kernel.ops[op].results.first().copied(),
            Does::Guard(_) => None,
        }
    }

    fn try_pair(&mut self, first: usize, second: usize, why: Why) {
        let graph = self.graph;
        let fits = graph.do_the_same(first, second) && graph.is_packable(first) && graph.is_packable(second);
        if !fits || first == second || self.firsts.contains(&first) || self.seconds.contains(&second) {
            return;
        }
        if !graph.are_independent(first, second) {
            self.refused.insert(Refused { first: first.min(second), second: first.max(second) });
            return;
        }
        self.firsts.insert(first);
        self.seconds.insert(second);
        self.pairs.push(Pair { first, second, why });
    }
}
