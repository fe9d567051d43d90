//! Cells: dependence distances that follow from the subscripts of two accesses alone, before anything is solved.
//!
//! Most pairs of a long loop are `a[i + 3]` beside `a[i + 7]`: linear in the index that carries them, with one coefficient, and
//! otherwise equal. Such two meet a fixed number of iterations apart or never, whatever bounds and conditions say. Only what
//! this leaves open, and whether there are two such iterations at all, is a question for the solver.

use std::rc::Rc;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::nest::Nest;
use super::scene::{Atom, Scene, Side};
use crate::form::gcd;
use crate::integers::{Linear, Var};

/// The distance between the iterations of a level in which two accesses touch one cell, as far as their subscripts decide it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CellDistance {
    /// No two iterations touch one cell.
    Never,
    /// The sink is this many iterations later wherever they touch one cell.
    By(i128),
    /// The subscripts alone do not decide.
    Open,
}

/// The cells of all accesses of a nest, as linear forms over variables that all of them share.
pub(super) struct Cells {
    /// The subscripts of each access in its array, by its number; `None` where they are no linear forms.
    cells: Vec<Option<Cell>>,
    /// The terms of each family's subscripts.
    families: Vec<Terms>,
    /// The meaning of each variable; `None` if it stands for a product, a quotient, a choice or the like.
    atoms: Vec<Option<Atom>>,
    /// The factors of each variable that stands for a product.
    products: FxHashMap<Var, (Var, Var)>,
    /// The steps of two families of which a pair was looked at, for the number of levels that both iterations share.
    steps: FxHashMap<(u32, u32, usize, bool), Rc<[Steps]>>,
}

/// The cell of an access: the terms of its subscripts, which other accesses have too, and their constants.
#[derive(Clone)]
struct Cell {
    family: u32,
    constants: SmallVec<[i128; 2]>,
}

/// The terms of the subscripts, without their constants.
type Terms = Vec<Vec<(Var, i128)>>;

/// The factors of the carrying level's iteration in a subscript of the source and in one of the sink; `None` if more than that
/// tells the two subscripts apart.
type Steps = Option<(i128, i128)>;

impl Cells {
    /// Finds the cells of all accesses, each value translated once, given the class of each. Those of one class have equal subscripts: where
    /// these are forms of indices and parameters alone, the cell is the same.
    pub(super) fn of(nest: &Nest<'_>, classes: &[u32]) -> Cells {
        let mut scene = Scene::new(nest, 0, usize::MAX);
        let mut families: FxHashMap<Terms, u32> = FxHashMap::default();
        let mut of_classes: FxHashMap<u32, Cell> = FxHashMap::default();
        let mut cells = Vec::with_capacity(nest.accesses.len());
        for (access, &class) in nest.accesses.iter().zip(classes) {
            if let Some(known) = of_classes.get(&class) {
                cells.push(Some(known.clone()));
                continue;
            }
            let forms = scene.cell(access, Side::Source).ok();
            cells.push(forms.map(|forms| {
                let terms: Terms = forms.iter().map(|form| form.terms().to_vec()).collect();
                let is_plain = terms.iter().flatten().all(|&(var, _)| is_plain(&scene, var));
                let next = families.len() as u32;
                let family = *families.entry(terms).or_insert(next);
                let cell = Cell { family, constants: forms.iter().map(Linear::rest).collect() };
                if is_plain {
                    of_classes.insert(class, cell.clone());
                }
                cell
            }));
        }
        let mut atoms = Vec::new();
        for &(var, atom) in &scene.atoms {
            atoms.resize(atoms.len().max(var.index() + 1), None);
            atoms[var.index()] = Some(atom);
        }
        let mut numbered: Vec<(Terms, u32)> = families.into_iter().collect();
        numbered.sort_unstable_by_key(|(_, number)| *number);
        let families = numbered.into_iter().map(|(terms, _)| terms).collect();
        let products = scene.products.iter().map(|product| (product.result, product.factors)).collect();
        Cells { cells, families, atoms, products, steps: FxHashMap::default() }
    }

    /// Decides the distance between the iterations of a level in which two accesses touch one cell. Both are in one iteration of the
    /// levels around it, and of all common levels where no level carries.
    pub(super) fn distance(&mut self, nest: &Nest<'_>, (a, b): (usize, usize), carried: Option<usize>) -> CellDistance {
        let (Some(source), Some(sink)) = (&self.cells[a], &self.cells[b]) else { return CellDistance::Open };
        let n_shared = carried.unwrap_or_else(|| nest.n_common(nest.accesses[a].op, nest.accesses[b].op));
        let key = (source.family, sink.family, n_shared, carried.is_some());
        let steps = match self.steps.get(&key) {
            Some(known) => known.clone(),
            None => {
                let (one, other) = (&self.families[source.family as usize], &self.families[sink.family as usize]);
                let dimensions = one.iter().zip(other);
                let found = dimensions.map(|(one, other)| self.step(nest, one, other, n_shared, carried.is_some()));
                let found: Rc<[Steps]> = found.collect();
                self.steps.insert(key, found.clone());
                found
            }
        };
        let mut distance = CellDistance::Open;
        for (&steps, (from, to)) in steps.iter().zip(source.constants.iter().zip(&sink.constants)) {
            let Some(rest) = from.checked_sub(*to) else { continue };
            distance = match (distance, steps.map_or(CellDistance::Open, |steps| solved(steps, rest))) {
                (_, CellDistance::Never) => return CellDistance::Never,
                (CellDistance::By(one), CellDistance::By(other)) if one != other => return CellDistance::Never,
                (CellDistance::Open, next) => next,
                (known, _) => known,
            };
        }
        distance
    }

    /// The accesses that may touch one cell, each list in the order of time. `None` if the subscripts of these accesses differ in more
    /// than their constants, or if an index stands in several of them or beside another one. The iterations of so many levels
    /// around are the same for all.
    pub(super) fn chains(&self, nest: &Nest<'_>, accesses: &[usize], n_around: usize) -> Option<Vec<Vec<usize>>> {
        let first = *accesses.first()?;
        let family = self.cells[first].as_ref()?.family;
        let levels = nest.levels_of(nest.accesses[first].op);
        let factors = self.factors(nest, family, levels.len(), n_around)?;
        let mut chains: FxHashMap<Vec<i128>, Vec<(Vec<i128>, usize)>> = FxHashMap::default();
        for &access in accesses {
            let cell = self.cells[access].as_ref().filter(|cell| cell.family == family)?;
            if nest.levels_of(nest.accesses[access].op) != levels {
                return None;
            }
            let mut rests = cell.constants.to_vec();
            let mut time = Vec::with_capacity(factors.len());
            for &(dim, factor) in factors.iter().flatten() {
                // A greater constant is as many iterations earlier, if the index goes up.
                time.push(rests[dim].div_euclid(factor).checked_neg()?);
                rests[dim] = rests[dim].rem_euclid(factor);
            }
            chains.entry(rests).or_default().push((time, access));
        }
        let mut chains: Vec<_> = chains.into_values().collect();
        chains.iter_mut().for_each(|chain| chain.sort());
        chains.sort();
        Some(chains.into_iter().map(|chain| chain.into_iter().map(|(_, access)| access).collect()).collect())
    }

    /// The subscript in which each level's index stands, and its factor there. `None` if one stands in several, or beside another one.
    fn factors(
        &self,
        nest: &Nest<'_>,
        family: u32,
        n_levels: usize,
        n_around: usize,
    ) -> Option<Vec<Option<(usize, i128)>>> {
        let mut factors = vec![None; n_levels];
        for (dim, terms) in self.families[family as usize].iter().enumerate() {
            let mut has_index = false;
            for &(var, factor) in terms {
                if self.is_shared(nest, var, n_around) {
                    continue;
                }
                let Some(Atom::Counter(level, _)) = self.atoms.get(var.index()).copied().flatten() else {
                    return None;
                };
                let slot = factors.get_mut(nest.levels_of(level.op).len() + level.index)?;
                if std::mem::replace(&mut has_index, true) || slot.replace((dim, factor)).is_some() {
                    return None;
                }
            }
        }
        Some(factors)
    }

    /// Finds the factors of the carrying level's iteration in a subscript of the source and in one of the sink.
    fn step(
        &self,
        nest: &Nest<'_>,
        one: &[(Var, i128)],
        other: &[(Var, i128)],
        n_shared: usize,
        carried: bool,
    ) -> Steps {
        let coefficient =
            |terms: &[(Var, i128)], var: Var| terms.iter().find(|term| term.0 == var).map_or(0, |term| term.1);
        let mut steps = (0, 0);
        for &(var, _) in one.iter().chain(other) {
            let both = (coefficient(one, var), coefficient(other, var));
            match self.role(nest, var, n_shared) {
                Role::Shared if both.0 == both.1 => {}
                Role::Carrying if carried => steps = both,
                _ => return None,
            }
        }
        Some(steps)
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
            Some(_) => Role::Other,
            None => match self.products.get(&var) {
                // A product of what both iterations share, such as the start of a block of a size that is not known.
                Some(&(a, b)) if [a, b].into_iter().all(|var| self.is_shared(nest, var, n_shared)) => Role::Shared,
                _ => Role::Other,
            },
        }
    }

    fn is_shared(&self, nest: &Nest<'_>, var: Var, n_shared: usize) -> bool {
        matches!(self.role(nest, var, n_shared), Role::Shared)
    }
}

/// Says whether a variable stands for an index, a size or a value that no op computes: those are the same in all equal expressions.
fn is_plain(scene: &Scene<'_, '_>, var: Var) -> bool {
    match scene.atom_of(var) {
        Some(Atom::Counter(..) | Atom::Size(..)) => true,
        Some(Atom::Value(value, _)) => scene.nest.kernel.def_op(value).is_none(),
        None => false,
    }
}

/// Solves `one * source + rest = other * sink` for the distance from the source's iteration to the sink's.
fn solved((one, other): (i128, i128), rest: i128) -> CellDistance {
    match (one, other) {
        (0, 0) if rest == 0 => CellDistance::Open,
        (0, 0) => CellDistance::Never,
        _ if one == other => match rest % one == 0 && rest / one >= 1 {
            true => CellDistance::By(rest / one),
            false => CellDistance::Never,
        },
        _ if rest % gcd(one, other) != 0 => CellDistance::Never,
        _ => CellDistance::Open,
    }
}

/// The part that a variable has in a question about two iterations.
enum Role {
    /// Both iterations have one number for it.
    Shared,
    /// The number of the iteration at the level in which they differ.
    Carrying,
    /// Each iteration has a number of its own for it, or nothing is known.
    Other,
}
