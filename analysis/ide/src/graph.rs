//! Statement graphs: the statements of a loop, and which of them need what others make, in one iteration or from one to the next.
//!
//! A statement is a line of the source. Its edges are the dependences of memory that the facts know, and variables: who gives one a
//! value, and who uses it. Statements that need each other around a circle have no order in which all iterations of one could run before
//! those of the next, so such a circle keeps a loop from having lanes.

use std::collections::{BTreeMap, BTreeSet};

use ir::forest::is_loop;
use ir::{Code, Entity, Kernel, Op, Value};
use lowering::Lowering;
pub use report::lanes::DependenceKind;
use report::{ItemKind, TextRange, TextSize};
use rustc_hash::{FxHashMap, FxHashSet};

use super::explain::{Loop, explain_item};
use queries::check::start_of;
use queries::db::{Item, dense_map};
use queries::{item_of, sequential};

mod drawing;
mod export;

pub use drawing::{GraphRow, rows, words};
pub use export::{dot, svg};

/// A loop as a graph of its statements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatementGraph {
    /// The loop's header in the file.
    pub header: TextRange,
    /// The verdict about its lanes, in a few words.
    pub headline: String,
    /// Its statements, by place.
    pub statements: Vec<Statement>,
    /// The dependences between them.
    pub edges: Vec<Edge>,
}

/// A statement of a loop: a line of the source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// Its line in the file, from 0.
    pub line: u32,
    /// The line's text, without indentation.
    pub text: String,
    /// True if it needs itself, around a circle.
    pub is_in_circle: bool,
}

/// A dependence between two statements, by their numbers.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edge {
    /// The statement that has to run first.
    pub from: usize,
    /// The statement that has to run later.
    pub to: usize,
    /// The array or variable.
    pub through: String,
    /// The kind, by what the two do to it.
    pub kind: DependenceKind,
    /// True if the two are in different iterations.
    pub is_carried: bool,
    /// The number of iterations between them, if that is always equal.
    pub distance: Option<i64>,
}

/// The graphs of a kernel's loops, by place; nothing for another item.
pub fn statement_graphs(db: &dyn salsa::Database, item: Item<'_>) -> Vec<StatementGraph> {
    let lowering = sequential(db, item);
    let (Some(kernel), Some(explained)) = (&lowering.kernel, explain_item(db, item)) else { return Vec::new() };
    if item.kind(db) != ItemKind::Kernel {
        return Vec::new();
    }
    let lines = Lines::of(db, item, lowering, kernel);
    let own = explained.loops.iter().filter(|it| it.function.is_none());
    own.filter_map(|it| lines.graph(it)).collect()
}

/// The lines of a kernel's ops.
struct Lines<'k> {
    text: &'k str,
    kernel: &'k Kernel,
    /// The line of each op, where it is in the kernel's own text.
    of_op: BTreeMap<usize, u32>,
    loops: Vec<Op>,
}

impl<'k> Lines<'k> {
    fn of(db: &'k dyn salsa::Database, item: Item<'k>, lowering: &'k Lowering, kernel: &'k Kernel) -> Lines<'k> {
        let mut lines = Lines { text: item.file(db).text(db), kernel, of_op: BTreeMap::new(), loops: Vec::new() };
        let place = |op: Op| {
            // What a function does belongs to the line of the kernel that calls it.
            let mut origin = kernel.ops[op].origin;
            while let Some(call) = kernel.origins[origin].call {
                origin = call;
            }
            let (key, range) = lowering.place_of(kernel, origin)?;
            let at = item_of(db, item.file(db), key).filter(|at| *at == item)?;
            Some(dense_map(db, at).to_text(*range) + start_of(db, at)?)
        };
        let mut all = Vec::new();
        kernel.walk(kernel.body, &mut |_, op| all.push(op));
        for op in all {
            if is_loop(kernel.ops[op].code) {
                lines.loops.push(op);
            }
            if kernel.ops[op].origin != kernel.whole()
                && let Some(range) = place(op)
            {
                lines.of_op.insert(op.index(), lines.line(range.start()));
            }
        }
        lines
    }

    fn line(&self, at: TextSize) -> u32 {
        self.text[..usize::from(at)].matches('\n').count() as u32
    }

    fn graph(&self, it: &Loop) -> Option<StatementGraph> {
        let header = self.line(it.range.start());
        let op = self.loops.iter().copied().find(|op| self.of_op.get(&op.index()) == Some(&header))?;
        let mut edges = BTreeSet::new();
        self.variables(op, &mut edges);
        for met in &it.dependences {
            let ends = (self.line(met.source.range.start()), self.line(met.sink.range.start()));
            let distance = met.distance.filter(|_| met.is_carried).map(i64::abs);
            edges.insert(((ends.0, ends.1), met.array.to_string(), met.kind, met.is_carried, distance));
        }
        let inside = self.inside(op);
        let in_loop: BTreeSet<u32> = inside.iter().filter_map(|op| self.of_op.get(&op.index()).copied()).collect();
        let numbers: Vec<u32> = in_loop.into_iter().filter(|line| *line != header).collect();
        let number = |line: u32| numbers.iter().position(|own| *own == line);
        let edges: Vec<Edge> = edges
            .into_iter()
            .filter_map(|((from, to), through, kind, is_carried, distance)| {
                Some(Edge { from: number(from)?, to: number(to)?, through, kind, is_carried, distance })
            })
            .collect();
        let edges = joined(edges);
        let in_circle = in_circles(numbers.len(), &edges);
        let text = |line: u32| self.text.lines().nth(line as usize).unwrap_or_default().trim().to_owned();
        let statements = numbers.iter().zip(in_circle);
        let statements =
            statements.map(|(&line, is_in_circle)| Statement { line, text: text(line), is_in_circle }).collect();
        Some(StatementGraph { header: it.range, headline: it.headline(), statements, edges })
    }

    fn inside(&self, op: Op) -> Vec<Op> {
        let mut inside = Vec::new();
        self.kernel.walk_inside(op, &mut |op| inside.push(op));
        inside
    }

    /// Adds what statements of a loop need of each other through variables.
    fn variables(&self, of: Op, edges: &mut BTreeSet<LineEdge>) {
        let kernel = self.kernel;
        let inside = self.inside(of);
        let users = self.users(&inside);
        let inside: FxHashSet<Op> = inside.into_iter().collect();
        let uses = |value: Value| users.get(&value).into_iter().flatten().copied();
        // Within an iteration, from where a variable gets its value to where that is used.
        for &op in &inside {
            for &value in &kernel.ops[op].results {
                let Some(name) = name_of(kernel, value) else { continue };
                for from in self.makers(value, &inside) {
                    for to in uses(value).filter(|to| *to != from) {
                        edges.insert(((from, to), name.clone(), DependenceKind::Flow, false, None));
                    }
                }
            }
        }
        // From one iteration to the next, through what the loop carries.
        for &region in &kernel.ops[of].regions {
            let data = &kernel.regions[region];
            let n_indices = data.args.len().saturating_sub(data.yields.len());
            let carried = data.args.iter().skip(n_indices).zip(&data.yields);
            for (&arg, &yielded) in carried.filter(|_| kernel.ops[of].code != Code::While) {
                let Some(name) = name_of(kernel, arg).or_else(|| name_of(kernel, yielded)) else { continue };
                for from in self.makers(yielded, &inside) {
                    for to in uses(arg) {
                        edges.insert(((from, to), name.clone(), DependenceKind::Flow, true, Some(1)));
                    }
                }
            }
        }
    }

    /// The lines that use each value. A branch uses what it hands on.
    fn users(&self, inside: &[Op]) -> FxHashMap<Value, BTreeSet<u32>> {
        let mut users: FxHashMap<Value, BTreeSet<u32>> = FxHashMap::default();
        for op in inside {
            let Some(&line) = self.of_op.get(&op.index()) else { continue };
            let data = &self.kernel.ops[*op];
            let handed_on = data.regions.iter().filter(|_| data.code == Code::If);
            let handed_on = handed_on.flat_map(|region| &self.kernel.regions[*region].yields);
            for &value in data.operands.iter().chain(handed_on) {
                users.entry(value).or_default().insert(line);
            }
        }
        users
    }

    /// The lines where a value is made: in the branches that it comes out of, and at the branch that hands on an older one.
    fn makers(&self, value: Value, inside: &FxHashSet<Op>) -> BTreeSet<u32> {
        let Some(op) = self.kernel.def_op(value).filter(|op| inside.contains(op)) else { return BTreeSet::new() };
        let data = &self.kernel.ops[op];
        let own = self.of_op.get(&op.index()).copied();
        if data.code != Code::If {
            return own.into_iter().collect();
        }
        let number = data.results.iter().position(|result| *result == value).unwrap_or(0);
        let in_branches: FxHashSet<Op> = self.inside(op).into_iter().collect();
        let yields = data.regions.iter().filter_map(|region| self.kernel.regions[*region].yields.get(number));
        let made = yields.flat_map(|yielded| {
            let made = self.makers(*yielded, &in_branches);
            if made.is_empty() { own.into_iter().collect() } else { made }
        });
        made.collect()
    }
}

/// An edge by the lines of its ends.
type LineEdge = ((u32, u32), String, DependenceKind, bool, Option<i64>);

fn name_of(kernel: &Kernel, value: Value) -> Option<String> {
    kernel.values[value].name.as_deref().filter(|name| !name.is_empty()).map(str::to_owned)
}

/// One edge in place of several that differ in their distance only; then it has none.
fn joined(edges: Vec<Edge>) -> Vec<Edge> {
    let mut joined: Vec<Edge> = Vec::new();
    for edge in edges {
        let key = |edge: &Edge| (edge.from, edge.to, edge.through.clone(), edge.kind, edge.is_carried);
        match joined.iter_mut().find(|other| key(other) == key(&edge)) {
            Some(other) if other.distance != edge.distance => other.distance = None,
            Some(_) => {}
            None => joined.push(edge),
        }
    }
    joined
}

/// Says for each statement whether it needs itself: through others, or by what it has written in an earlier iteration.
fn in_circles(n: usize, edges: &[Edge]) -> Vec<bool> {
    let mut later: Vec<Vec<usize>> = vec![Vec::new(); n];
    for edge in edges {
        // An access that reads what it will overwrite later stands in its own way nowhere.
        if edge.from != edge.to || edge.kind != DependenceKind::Anti {
            later[edge.from].push(edge.to);
        }
    }
    let reaches_itself = |statement: usize| {
        let mut seen = vec![false; n];
        let mut open = later[statement].clone();
        while let Some(next) = open.pop() {
            if !std::mem::replace(&mut seen[next], true) {
                open.extend(&later[next]);
            }
        }
        seen[statement]
    };
    (0..n).map(reaches_itself).collect()
}

#[cfg(test)]
mod tests;
