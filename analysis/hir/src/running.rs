//! Variables that run on through a loop: those whose sums, products and linear recurrences `@reassoc` and `@fast` let be made by blocks
//! of iterations, though iterations use them.
//!
//! A variable *runs on* through a loop if one statement of the loop's own block gives it a value that is linear in it, and no other
//! statement of the body gives it any; two *run on together* if the value of each is linear in both:
//!
//! ```text
//! s += e        s = s + e      s = a * s + b      y += a * (x - y)      p *= e
//!
//! y = b * x + z                                   # a local of the block that is linear in them stands for its value
//! z = c * x - d * y + w
//! w = e * x - f * y
//! ```
//!
//! These statements are done in every iteration, so the loop has no `break`, `continue` or `return` of its own. Nothing that is added or
//! multiplied mentions the variables, or another variable that was computed from them.
//!
//! The cells of an array run on alike where a statement computes one from those before ([`cells`]).
//!
//! The values are known when the first of the statements is done. What is added and multiplied in statements before it is evaluated there;
//! that of statements behind it has to be the same already.

mod cells;

use ir::linear::{LinearForm, LinearFormula, LinearOp, LinearSide};
use ir::running::{RunningKind, RunningStep};
use rustc_hash::{FxHashMap, FxHashSet};

pub use cells::RunningCells;

use cells::CellsOfLoop;

use super::infer::LikeFields;
use super::joined::{joined, leaves_or_skips};
use super::walk::{self, Met};
use super::{BinOp, Block, Body, Expr, ExprId, LocalId, Stmt, StmtId, UnaryOp};

/// The size of the formulas of what is linear at most: a local that stands for its value may double them with each use.
const MOST_PARTS: usize = 400;

/// A value that is linear in the variables, of which there are two at most.
type Form = LinearForm<ExprId, 2>;

/// A variable that runs on through a loop, or two that do so together. Of cells there are as many as are read before the one that is
/// assigned, which come after it, with the same statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunsOn {
    /// The variables, in the order of their statements.
    pub variables: Vec<RunningVariable>,
    /// The cells, if it is those of an array that run on.
    pub cells: Option<RunningCells>,
    /// The statements before the first of theirs in which a part of the step is evaluated, and these parts.
    pub earlier: Vec<(StmtId, Vec<ExprId>)>,
}

/// One of the variables that run on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunningVariable {
    /// The variable, or the array.
    pub local: LocalId,
    /// The statement that gives it its next value.
    pub stmt: StmtId,
    /// The factors and the term of that, made of expressions that do not mention the variables.
    linear: Form,
}

impl RunsOn {
    /// The kind of what runs on: a sum, a product, or a linear recurrence of one value or two.
    pub fn kind(&self) -> RunningKind {
        match &self.variables[..] {
            [RunningVariable { linear, .. }] => match (&linear.factors[0], &linear.term) {
                (Some(LinearFormula::One), _) => RunningKind::Sum,
                (_, None) => RunningKind::Product,
                _ => RunningKind::Linear,
            },
            _ => RunningKind::Pair,
        }
    }

    /// The step of an iteration. A factor or term that is not there is 0.
    pub fn step(&self) -> RunningStep<LinearFormula<ExprId>> {
        let there = |formula: &Option<LinearFormula<ExprId>>| formula.clone().unwrap_or(LinearFormula::Zero);
        let forms = || self.variables.iter().map(|variable| &variable.linear);
        let terms = forms().map(|linear| there(&linear.term)).collect();
        let n_values = self.variables.len();
        let factors = || forms().flat_map(|linear| linear.factors[..n_values].iter().map(there)).collect();
        match self.kind() {
            RunningKind::Sum => RunningStep { terms, factors: Vec::new() },
            RunningKind::Product => RunningStep { terms: factors(), factors: Vec::new() },
            RunningKind::Linear | RunningKind::Pair => RunningStep { terms, factors: factors() },
        }
    }
}

/// The variables that run on through a `for`, in the order of the statements that give them their values, and then cells. Those that it
/// only joins something to have another order. Of a kernel that is run itself, and not called, `is_entry` says that its parameters are
/// arrays apart from each other.
pub fn running(body: &Body, stmt: StmtId, like_fields: &LikeFields, is_entry: bool) -> Vec<RunsOn> {
    let Stmt::For { body: block, .. } = &body.stmts[stmt] else { return Vec::new() };
    if leaves_or_skips(body, block) {
        return Vec::new();
    }
    let candidates: Vec<Candidate> = candidates(body, block);
    let mut found: Vec<RunsOn> = Vec::new();
    for (number, first) in candidates.iter().enumerate() {
        let is_found = |other: &Candidate| {
            found.iter().flat_map(|runs_on| &runs_on.variables).any(|variable| variable.local == other.local)
        };
        if is_found(first) {
            continue;
        }
        let together = |second: &&Candidate| {
            first.from_it.contains(&second.local) && second.from_it.contains(&first.local) && !is_found(second)
        };
        let runs_on = Search::runs_on(body, block, &[first]).or_else(|| {
            let others = candidates[number + 1..].iter().filter(together);
            others.map(|second| Search::runs_on(body, block, &[first, second])).find_map(|it| it)
        });
        found.extend(runs_on);
    }
    if !found.is_empty() {
        let only_joined = joined(body, block, like_fields);
        let is_joined = |variable: &RunningVariable| only_joined.iter().any(|joined| joined.local == variable.local);
        found.retain(|runs_on| !runs_on.variables.iter().any(is_joined));
    }
    found.extend(
        cells::of_loop(body, stmt, block, is_entry).and_then(|cells| Search::cells_run_on(body, block, &cells)),
    );
    found
}

/// A variable that one statement of the loop's own block gives its next value, and no other statement of the body.
struct Candidate {
    local: LocalId,
    stmt: StmtId,
    /// The variables that the body computes from it, and it itself.
    from_it: FxHashSet<LocalId>,
}

/// The candidates whose next values depend on them, in the order of the statements.
fn candidates(body: &Body, block: &Block) -> Vec<Candidate> {
    let mut found = Vec::new();
    for &stmt in block {
        let Stmt::Assign { target, op, value } = body.stmts[stmt] else { continue };
        let Expr::Local(local) = body.exprs[target] else { continue };
        if is_set_here_alone(body, block, local) {
            let from_it = computed_from(body, block, local);
            if op.is_some() || mentions_any(body, &from_it, value) {
                found.push(Candidate { local, stmt, from_it });
            }
        }
    }
    found
}

/// Says whether a single statement of a loop's body gives a variable of outside its value.
fn is_set_here_alone(body: &Body, block: &Block, local: LocalId) -> bool {
    let mut n_set = 0;
    changed(body, block, &mut |changed, is_new| {
        if changed == local {
            n_set += if is_new { 2 } else { 1 };
        }
    });
    n_set == 1
}

/// Calls a function with each local that a statement of a block defines or changes, and says whether it defines it.
fn changed(body: &Body, block: &Block, visit: &mut dyn FnMut(LocalId, bool)) {
    walk::block(body, block, &mut |met| {
        if let Met::Stmt(stmt) = met {
            match &body.stmts[stmt] {
                Stmt::Define(local, _) => visit(*local, true),
                Stmt::Assign { target, .. } => root(body, *target).into_iter().for_each(|local| visit(local, false)),
                _ => {}
            }
        }
        true
    });
}

/// The variables that a loop's body computes from one, and this one.
fn computed_from(body: &Body, block: &Block, local: LocalId) -> FxHashSet<LocalId> {
    let mut from_it = FxHashSet::from_iter([local]);
    let mut n_before = 0;
    while from_it.len() > n_before {
        n_before = from_it.len();
        walk::block(body, block, &mut |met| {
            let Met::Stmt(stmt) = met else { return true };
            let (target, value) = match body.stmts[stmt] {
                Stmt::Define(local, value) => (Some(local), value),
                Stmt::Assign { target, value, .. } => (root(body, target), value),
                _ => return true,
            };
            if mentions_any(body, &from_it, value) {
                from_it.extend(target);
            }
            true
        });
    }
    from_it
}

/// The local that an assignment changes, or a part of.
fn root(body: &Body, target: ExprId) -> Option<LocalId> {
    match &body.exprs[target] {
        Expr::Local(local) => Some(*local),
        Expr::Field(inner, _) => root(body, *inner),
        Expr::Index(inner, _) => root(body, *inner),
        _ => None,
    }
}

/// Says whether an expression mentions one of some locals.
fn mentions_any(body: &Body, locals: &FxHashSet<LocalId>, expr: ExprId) -> bool {
    let mut found = false;
    walk::expression(body, expr, &mut |met| {
        if let Met::Expr(part) = met
            && let Expr::Local(local) = &body.exprs[part]
        {
            found |= locals.contains(local);
        }
        !found
    });
    found
}

/// A walk through the statements of a block that keeps what is linear in some variables.
struct Search<'b> {
    body: &'b Body,
    block: &'b Block,
    /// The variables, and all that the body computes from them.
    from_them: FxHashSet<LocalId>,
    /// The locals that are linear in the variables at this point.
    linear: FxHashMap<LocalId, Form>,
    /// The reads of cells that are, and of those that are what they were.
    cells: FxHashMap<ExprId, Option<Form>>,
    /// The locals that do not depend on the variables at this point, and may at another.
    others: FxHashSet<LocalId>,
    /// The number of the statement.
    at: usize,
    /// The expressions that do not depend on the variables, and the number of the statement in which each stands.
    stands_at: FxHashMap<ExprId, usize>,
}

impl<'b> Search<'b> {
    /// The step that a block does with some variables, if they run on together.
    fn runs_on(body: &'b Body, block: &'b Block, variables: &[&Candidate]) -> Option<RunsOn> {
        let from_them = variables.iter().flat_map(|variable| variable.from_it.iter().copied()).collect();
        let linear = variables.iter().enumerate().map(|(number, it)| (it.local, Form::variable(number))).collect();
        let mut search = Search::new(body, block, from_them);
        search.linear = linear;
        let mut found = Vec::new();
        for (at, &stmt) in block.iter().enumerate() {
            search.at = at;
            search.statement(stmt);
            if let Some(variable) = variables.iter().find(|variable| variable.stmt == stmt) {
                let linear = search.linear.get(&variable.local)?.clone();
                found.push(RunningVariable { local: variable.local, stmt, linear });
            }
        }
        // Each of two depends on the other, and one that stays as it is does not run on.
        let depends = |variable: &RunningVariable| match variables {
            [_] => variable.linear.factors[0].is_some() && variable.linear != Form::variable(0),
            _ => variables
                .iter()
                .zip(&variable.linear.factors)
                .all(|(it, factor)| it.local == variable.local || factor.is_some()),
        };
        if !found.iter().all(depends) {
            return None;
        }
        let earlier = search.earlier(&found)?;
        Some(RunsOn { variables: found, cells: None, earlier })
    }

    /// The step that a block does with the cells of an array, if they run on.
    fn cells_run_on(body: &'b Body, block: &'b Block, of: &CellsOfLoop) -> Option<RunsOn> {
        let array = of.cells.array;
        let mut search = Search::new(body, block, computed_from(body, block, array));
        let before = of.cells.before.iter().map(|&(expr, back)| (expr, Some(Form::variable(back - 1))));
        search.cells = before.chain(of.ahead.iter().chain(&of.own).map(|&expr| (expr, None))).collect();
        let Stmt::Assign { op, value, .. } = body.stmts[of.stmt] else { return None };
        for (at, &stmt) in block.iter().enumerate().take_while(|(_, stmt)| **stmt != of.stmt) {
            search.at = at;
            search.statement(stmt);
        }
        search.at = block.iter().position(|&stmt| stmt == of.stmt)?;
        let value = search.side(value)?;
        let linear = match (op, value) {
            (None, LinearSide::Of(linear)) => linear,
            // What the cell was before.
            (Some(op), LinearSide::Of(linear)) => {
                search.stands_at.insert(of.cells.target, search.at);
                Form::combined(operator(op)?, LinearSide::Other(of.cells.target), LinearSide::Of(linear))?
            }
            _ => return None,
        };
        // The cell before is what the cell itself was in the iteration before.
        let forms = [linear, Form::variable(0)].into_iter().take(of.n_values());
        let of_cell = |linear| RunningVariable { local: array, stmt: of.stmt, linear };
        let variables: Vec<_> = forms.map(of_cell).collect();
        // It depends on the cell that lies farthest back, and is not that alone.
        let own = &variables[0].linear;
        let runs_on = own.factors[of.n_values() - 1].is_some() && *own != Form::variable(0);
        let earlier = search.earlier(&variables)?;
        runs_on.then(|| RunsOn { variables, cells: Some(of.cells.clone()), earlier })
    }

    fn new(body: &'b Body, block: &'b Block, from_them: FxHashSet<LocalId>) -> Search<'b> {
        let (linear, cells, stands_at) = (FxHashMap::default(), FxHashMap::default(), FxHashMap::default());
        Search { body, block, from_them, linear, cells, others: FxHashSet::default(), at: 0, stands_at }
    }

    /// Follows a statement: afterwards the locals that are linear in the variables are known.
    fn statement(&mut self, stmt: StmtId) {
        let body = self.body;
        let (local, value) = match body.stmts[stmt] {
            Stmt::Define(local, value) => (Some(local), self.side(value)),
            Stmt::Assign { target, op, value } => match (&body.exprs[target], op) {
                (&Expr::Local(local), None) => (Some(local), self.side(value)),
                (&Expr::Local(local), Some(op)) => {
                    let joined = self.linear.get(&local).cloned().zip(self.side(value)).zip(operator(op));
                    let made = joined.and_then(|((own, value), op)| Form::combined(op, LinearSide::Of(own), value));
                    (Some(local), made.map(LinearSide::Of))
                }
                _ => (None, None),
            },
            _ => (None, None),
        };
        changed(body, &vec![stmt], &mut |local, _| {
            self.linear.remove(&local);
            self.others.remove(&local);
        });
        match (local, value) {
            (Some(local), Some(LinearSide::Of(form))) if size(&form) <= MOST_PARTS => {
                self.linear.insert(local, form);
            }
            (Some(local), Some(LinearSide::Other(_))) => {
                self.others.insert(local);
            }
            _ => {}
        }
    }

    /// The part that the variables have in an expression; `None` if it depends on them in a way that is not linear.
    fn side(&mut self, expr: ExprId) -> Option<LinearSide<ExprId, 2>> {
        let side = match self.body.exprs[expr] {
            Expr::Local(local) if self.others.contains(&local) => LinearSide::Other(expr),
            Expr::Local(local) if self.from_them.contains(&local) => LinearSide::Of(self.linear.get(&local)?.clone()),
            Expr::Index(..) if let Some(cell) = self.cells.get(&expr) => match cell {
                Some(form) => LinearSide::Of(form.clone()),
                None => LinearSide::Other(expr),
            },
            Expr::Unary(op @ (UnaryOp::Neg | UnaryOp::Plus), inner) => match self.side(inner)? {
                LinearSide::Of(linear) if op == UnaryOp::Neg => LinearSide::Of(linear.negated()),
                LinearSide::Of(linear) => LinearSide::Of(linear),
                LinearSide::Other(_) => LinearSide::Other(expr),
            },
            Expr::Binary(op, a, b) => match (self.side(a)?, self.side(b)?) {
                (LinearSide::Other(_), LinearSide::Other(_)) => LinearSide::Other(expr),
                (a, b) => LinearSide::Of(Form::combined(operator(op)?, a, b)?),
            },
            _ if mentions_any(self.body, &self.from_them, expr) => return None,
            _ => LinearSide::Other(expr),
        };
        if let LinearSide::Other(expr) = side {
            self.stands_at.insert(expr, self.at);
        }
        Some(side)
    }

    /// The parts of the step that are evaluated in statements before the first of the variables' own; `None` if there is one behind that
    /// which would be another if it were evaluated with it.
    fn earlier(&self, variables: &[RunningVariable]) -> Option<Vec<(StmtId, Vec<ExprId>)>> {
        let first = self.block.iter().position(|&stmt| variables[0].stmt == stmt)?;
        let mut by_statement: Vec<Vec<ExprId>> = vec![Vec::new(); first];
        let mut is_same = true;
        for formula in variables.iter().flat_map(|it| it.linear.factors.iter().chain([&it.linear.term])).flatten() {
            formula.for_each_leaf(&mut |&expr| match self.stands_at.get(&expr) {
                Some(&at) if at >= first => is_same &= self.is_same(expr, &self.block[first + 1..at.max(first + 1)]),
                Some(&at) if !by_statement[at].contains(&expr) => by_statement[at].push(expr),
                Some(_) => {}
                None => is_same = false,
            });
        }
        let earlier = self.block.iter().copied().zip(by_statement).filter(|(_, exprs)| !exprs.is_empty());
        is_same.then(|| earlier.collect())
    }

    /// Says whether some statements leave an expression as it is.
    fn is_same(&self, expr: ExprId, stmts: &[StmtId]) -> bool {
        let body = self.body;
        let mut mentioned: FxHashSet<LocalId> = FxHashSet::default();
        let mut is_of_locals = true;
        walk::expression(body, expr, &mut |met| {
            match met {
                Met::Expr(part) => match &body.exprs[part] {
                    Expr::Local(local) => {
                        mentioned.insert(*local);
                    }
                    Expr::Literal(_) | Expr::Item(..) | Expr::Unary(..) | Expr::Binary(..) | Expr::Cast(..) => {}
                    _ => is_of_locals = false,
                },
                Met::Stmt(_) => {}
            }
            true
        });
        let mut stays = true;
        walk::block(body, &stmts.to_vec(), &mut |met| {
            match met {
                Met::Stmt(stmt) => match &body.stmts[stmt] {
                    Stmt::Define(local, _) => stays &= !mentioned.contains(local),
                    Stmt::Assign { target, .. } => match &body.exprs[*target] {
                        Expr::Local(local) => stays &= !mentioned.contains(local),
                        _ => stays &= is_of_locals && root(body, *target).is_some_and(|it| !mentioned.contains(&it)),
                    },
                    Stmt::Expr(_) => stays &= is_of_locals,
                    _ => {}
                },
                // A function may write to an array that it is given.
                Met::Expr(part) => stays &= is_of_locals || !matches!(body.exprs[part], Expr::Call(..)),
            }
            true
        });
        stays
    }
}

fn size(form: &Form) -> usize {
    form.factors.iter().chain([&form.term]).flatten().map(LinearFormula::size).sum()
}

fn operator(op: BinOp) -> Option<LinearOp> {
    match op {
        BinOp::Add => Some(LinearOp::Add),
        BinOp::Sub => Some(LinearOp::Sub),
        BinOp::Mul => Some(LinearOp::Mul),
        _ => None,
    }
}
