//! Making a program small that shows a mistake.
//!
//! A step takes something away (a statement, a block, a parameter, an item) or puts something simpler in its place (a part of an expression
//! for the whole, a number for anything), and is kept when the program is still well typed and still shows the mistake. Steps are tried from the
//! largest to the smallest, until none is left that can be kept.

use queries::check;
use queries::db::{file_items, parse};
use syntax::Severity;

use super::host;
use super::tree::{Expr, Function, Range, Stmt, Subscript, Tree};
use super::{Generated, print};

/// The smallest program found of which `fails` still holds. It holds of the one that is given.
pub(crate) fn shrink(program: Generated, fails: &mut dyn FnMut(&Generated) -> bool) -> Generated {
    let mut best = program;
    let (mut number, mut since) = (0, best.text.clone());
    loop {
        let mut tree = best.tree.clone();
        let mut step = Step { left: number, done: false };
        step.tree(&mut tree);
        if !step.done && since == best.text {
            return best;
        }
        if !step.done {
            // What was kept may have made room for a step that could not be taken before.
            (number, since) = (0, best.text.clone());
            continue;
        }
        let smaller = print(tree);
        // What is tried next has the same number: the step before it is gone.
        if smaller.text != best.text && is_well_typed(&smaller.text) && fails(&smaller) {
            best = smaller;
        } else {
            number += 1;
        }
    }
}

/// Whether a text has no errors of its syntax, names and types. What its lanes do is not asked: that takes the passes, and a quarter
/// of the time of a random program with it.
pub(crate) fn is_well_typed(text: &str) -> bool {
    let is_error = |severity| severity == Severity::Error;
    host::ask(text, |db, file| {
        file_items(db, file).iter().all(|&item| {
            let mut found = check::findings(db, item).iter();
            !parse(db, item).errors.iter().any(|error| is_error(error.severity))
                && !found.any(|finding| is_error(finding.severity))
        })
    })
}

/// Finds the step with a number, and takes it.
struct Step {
    left: u32,
    done: bool,
}

impl Step {
    /// Whether this is the step to take.
    fn here(&mut self) -> bool {
        let here = !self.done && self.left == 0;
        self.done |= here;
        self.left = self.left.saturating_sub(1);
        here
    }

    fn tree(&mut self, tree: &mut Tree) {
        self.remove_one(&mut tree.functions);
        self.remove_one(&mut tree.structs);
        self.remove_one(&mut tree.enums);
        self.remove_one(&mut tree.constants);
        self.remove_one(&mut tree.kernel.params);
        for function in tree.functions.iter_mut().chain([&mut tree.kernel]) {
            self.remove_one(&mut function.attrs);
        }
        self.block(&mut tree.kernel.body);
        for function in &mut tree.functions {
            self.function(function);
        }
        self.exprs(&mut tree.kernel.body);
        for function in &mut tree.functions {
            self.exprs(&mut function.body);
        }
    }

    fn function(&mut self, function: &mut Function) {
        self.block(&mut function.body);
    }

    fn remove_one<T>(&mut self, from: &mut Vec<T>) {
        let mut at = 0;
        while at < from.len() && !self.done {
            if self.here() {
                from.remove(at);
            }
            at += 1;
        }
    }

    /// Takes statements away, or puts what is inside of one in its place.
    fn block(&mut self, block: &mut Vec<Stmt>) {
        self.remove_one(block);
        let mut at = 0;
        while at < block.len() && !self.done {
            for inner in inner_blocks(&mut block[at]) {
                self.block(inner);
            }
            if let Stmt::Match(_, cases) = &mut block[at] {
                self.remove_one(cases);
            }
            if let Stmt::Marked(_, inner) = &block[at]
                && self.here()
            {
                block[at] = (**inner).clone();
                return;
            }
            let n_inner = inner_blocks(&mut block[at]).len();
            for n in 0..n_inner {
                if self.here() {
                    let inner = inner_blocks(&mut block[at]).swap_remove(n).clone();
                    block.splice(at..=at, inner);
                    return;
                }
            }
            at += 1;
        }
    }

    fn exprs(&mut self, block: &mut [Stmt]) {
        for stmt in block {
            for expr in own_exprs(stmt) {
                self.expr(expr);
            }
            for inner in inner_blocks(stmt) {
                self.exprs(inner);
            }
        }
    }

    /// Puts a part, or a literal, in the place of an expression.
    fn expr(&mut self, expr: &mut Expr) {
        if matches!(expr, Expr::Literal(_)) {
            return;
        }
        let mut simpler: Vec<Expr> = parts(expr).into_iter().map(|part| part.clone()).collect();
        simpler.extend(["0", "1", "0.0", "true"].map(Expr::literal));
        for candidate in simpler {
            if self.here() {
                *expr = candidate;
                return;
            }
        }
        for part in parts(expr) {
            self.expr(part);
        }
    }
}

fn inner_blocks(stmt: &mut Stmt) -> Vec<&mut Vec<Stmt>> {
    match stmt {
        Stmt::For(.., body) | Stmt::ForEach(.., body) | Stmt::Foreach(.., body) | Stmt::While(.., body) => vec![body],
        Stmt::If(_, _, then_block, else_block) => vec![then_block, else_block],
        Stmt::Match(_, cases) => cases.iter_mut().map(|(.., block)| block).collect(),
        Stmt::Marked(_, inner) => inner_blocks(inner),
        _ => Vec::new(),
    }
}

fn own_exprs(stmt: &mut Stmt) -> Vec<&mut Expr> {
    match stmt {
        Stmt::Let(.., value)
        | Stmt::Define(_, value)
        | Stmt::Return(Some(value))
        | Stmt::Assert(value)
        | Stmt::Do(value) => {
            vec![value]
        }
        Stmt::Filled(_, _, value) => value.iter_mut().collect(),
        Stmt::Set(target, _, value) => vec![target, value],
        Stmt::LetAll(_, values) => values.iter_mut().collect(),
        Stmt::SetAll(targets, values) => targets.iter_mut().chain(values).collect(),
        Stmt::ForEach(_, array, _) => vec![array],
        Stmt::For(_, _, range, _) => range_exprs(range),
        Stmt::Match(value, cases) => {
            std::iter::once(value).chain(cases.iter_mut().filter_map(|(_, guard, _)| guard.as_mut())).collect()
        }
        Stmt::Marked(_, inner) => own_exprs(inner),
        Stmt::Foreach(_, indices, _) => indices.iter_mut().flat_map(|(_, range)| range_exprs(range)).collect(),
        Stmt::While(_, condition, _) | Stmt::If(_, condition, ..) => vec![condition],
        Stmt::Return(None) | Stmt::Break | Stmt::Continue => Vec::new(),
    }
}

fn range_exprs(range: &mut Range) -> Vec<&mut Expr> {
    [range.start.as_mut(), Some(&mut range.stop), range.step.as_mut()].into_iter().flatten().collect()
}

fn parts(expr: &mut Expr) -> Vec<&mut Expr> {
    match expr {
        Expr::Literal(_) | Expr::Name(_) | Expr::Constant(_) | Expr::Operator(_) => Vec::new(),
        Expr::Lambda(_, body) => vec![body],
        Expr::For(value, _, over, condition) => {
            [&mut **value, &mut **over].into_iter().chain(condition.as_deref_mut()).collect()
        }
        Expr::Unary(_, a) | Expr::Field(a, _) | Expr::Named(_, a) => vec![a],
        Expr::Chain(a, others) => {
            std::iter::once(&mut **a).chain(others.iter_mut().map(|(_, operand)| operand)).collect()
        }
        Expr::Binary(_, a, b) => vec![a, b],
        Expr::Cond(c, a, b) => vec![c, a, b],
        Expr::Call(_, args) | Expr::List(args) | Expr::Tuple(args) => args.iter_mut().collect(),
        Expr::Index(base, subscripts) => {
            let parts = subscripts.iter_mut().flat_map(|subscript| match subscript {
                Subscript::At(index) => vec![index],
                Subscript::Slice(lo, hi, step) => [lo, hi, step].into_iter().flatten().collect(),
            });
            std::iter::once(&mut **base).chain(parts).collect()
        }
    }
}
