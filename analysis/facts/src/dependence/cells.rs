//! Cells: what the subscripts of two accesses say of each other before anything is solved.
//!
//! Most pairs of a long loop are `a[i + 3]` beside `a[i + 7]`: linear in the index that carries them, with one coefficient, and
//! otherwise equal. Such two meet a fixed number of iterations apart or never, whatever bounds and conditions say. Only what
//! this leaves open, and whether there are two such iterations at all, is a question for the solver.

use super::nest::{Access, Nest};
use super::scene::{Atom, Scene, Side};
use crate::form::gcd;
use crate::integers::{Linear, Var};

/// What two accesses' subscripts decide at a level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Apart {
    /// No two iterations touch one cell.
    Never,
    /// Where they touch one cell, the sink is this many iterations later.
    By(i128),
    /// The subscripts alone do not decide.
    Open,
}

/// The cells of all accesses of a nest, as linear forms over variables that all of them share.
pub(super) struct Cells {
    /// The subscripts of each access in its array, by its number; `None` where they are no linear forms.
    forms: Vec<Option<Vec<Linear>>>,
    /// The meaning of each variable; `None` if it stands for a quotient, a choice or the like.
    atoms: Vec<Option<Atom>>,
}

impl Cells {
    /// Finds the cells of all accesses, each value translated once.
    pub(super) fn of(nest: &Nest<'_>) -> Cells {
        let mut scene = Scene::new(nest, 0, usize::MAX);
        let forms = nest.accesses.iter().map(|access| scene.cell(access, Side::Source).ok()).collect();
        let mut atoms = Vec::new();
        for &(var, atom) in &scene.atoms {
            atoms.resize(atoms.len().max(var.index() + 1), None);
            atoms[var.index()] = Some(atom);
        }
        Cells { forms, atoms }
    }

    /// Decides how far apart the iterations of a level are in which two accesses touch one cell. Both are in one iteration of the
    /// levels around it, and of all common levels where no level carries.
    pub(super) fn apart(&self, nest: &Nest<'_>, (a, b): (usize, usize), carried: Option<usize>) -> Apart {
        let (Some(source), Some(sink)) = (&self.forms[a], &self.forms[b]) else { return Apart::Open };
        let (a, b): (&Access, &Access) = (&nest.accesses[a], &nest.accesses[b]);
        let n_shared = carried.unwrap_or_else(|| nest.n_common(a.op, b.op));
        let mut apart = Apart::Open;
        for (source, sink) in source.iter().zip(sink) {
            let next = self.dimension(nest, source, sink, n_shared, carried.is_some());
            apart = match (apart, next) {
                (Apart::Never, _) | (_, Apart::Never) => return Apart::Never,
                (Apart::By(one), Apart::By(other)) if one != other => return Apart::Never,
                (Apart::Open, next) => next,
                (known, _) => known,
            };
        }
        apart
    }

    fn dimension(&self, nest: &Nest<'_>, source: &Linear, sink: &Linear, n_shared: usize, is_carried: bool) -> Apart {
        let Ok(difference) = source.minus(sink) else { return Apart::Open };
        // What the carrying level's iteration is multiplied with, on each side.
        let mut steps = (0, 0);
        for &(var, _) in source.terms().iter().chain(sink.terms()) {
            match self.role(nest, var, n_shared) {
                Role::Shared if difference.coefficient(var) == 0 => {}
                Role::Carrying if is_carried => steps = (source.coefficient(var), sink.coefficient(var)),
                _ => return Apart::Open,
            }
        }
        let rest = difference.rest();
        match steps {
            (0, 0) if rest == 0 => Apart::Open,
            (0, 0) => Apart::Never,
            (one, other) if one == other => match rest % one == 0 && rest / one >= 1 {
                true => Apart::By(rest / one),
                false => Apart::Never,
            },
            (one, other) if rest % gcd(one, other) != 0 => Apart::Never,
            _ => Apart::Open,
        }
    }

    /// Tells which part a variable has in a question about two iterations that share some levels.
    fn role(&self, nest: &Nest<'_>, var: Var, n_shared: usize) -> Role {
        match self.atoms.get(var.index()).copied().flatten() {
            Some(Atom::Size(..)) => Role::Shared,
            Some(Atom::Value(value, _)) if nest.depth_of(value) <= n_shared => Role::Shared,
            Some(Atom::Counter(level, _)) => match nest.levels_of(level.op).len() + level.index {
                position if position < n_shared => Role::Shared,
                position if position == n_shared => Role::Carrying,
                _ => Role::Other,
            },
            _ => Role::Other,
        }
    }
}

/// The part that a variable has in a question about two iterations.
enum Role {
    /// Both iterations have one number for it.
    Shared,
    /// It numbers the iterations of the level in which they differ.
    Carrying,
    /// Each iteration has a number of its own for it, or nothing is known.
    Other,
}
