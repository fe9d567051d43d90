//! Scenes: two runs of a nest's body side by side, in terms of whole numbers.
//!
//! A scene has two *sides*: the iteration of the source and that of the sink. Some levels, from the outermost one on,
//! are *shared*: both sides are in the same iteration of them. A value that is computed outside of the other levels is
//! the same on both sides; all else exists twice.
//!
//! Each integer becomes a linear form over *atoms*: iteration numbers, parameters and whatever else a form cannot be
//! found for. Exact arithmetic is modelled exactly: a division by a constant gets a quotient with its bounds,
//! arithmetic that may wrap gets the number of times that it did, a choice becomes alternatives. A product of two atoms
//! is an atom of its own, of which some laws are stated; a model is checked against it afterwards (see `products`).
//!
//! A *doubt* is a reason why a model may not be a possible run, such as a value that comes from memory. It is kept with
//! the atoms that brought it, so that atoms which cancel leave none.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::{FxHashMap, FxHashSet};

use super::nest::{Access, Level, Nest};
use super::products::Product;
use super::{Doubt, WitnessSymbol};
use crate::counting::Counting;
use crate::integers::{Formula, Linear, System, TooHard, Var};
use ir::entities::{Op, Region, Value};
use ir::ops::Code;
use ir::program::{Attr, DimSize};
use ir::types::Elem;

/// A side of the scene: one of the two iterations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Side {
    Source,
    Sink,
}

/// The meaning of a variable of the system.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Atom {
    /// The number of an iteration.
    Counter(Level, Side),
    /// A value that is known as nothing else; a bool is 0 or 1.
    Value(Value, Side),
    /// The size of a dimension of an array.
    Size(Value, u8),
}

/// An integer of the program, as a linear form over the system's variables.
#[derive(Debug, Clone)]
pub(super) struct Term {
    pub(super) form: Linear,
    /// Bounds that are known without solving anything.
    pub(super) low: Option<i128>,
    pub(super) high: Option<i128>,
}

impl Term {
    pub(super) fn constant(number: i128) -> Term {
        Term { form: Linear::constant(number), low: Some(number), high: Some(number) }
    }

    pub(super) fn is_within(&self, low: i128, high: i128) -> bool {
        self.low.is_some_and(|own| own >= low) && self.high.is_some_and(|own| own <= high)
    }

    /// A form that is known to be within these bounds too.
    pub(super) fn within(self, (low, high): (i128, i128)) -> Term {
        let low = self.low.map_or(low, |own| own.max(low));
        let high = self.high.map_or(high, |own| own.min(high));
        Term { form: self.form, low: Some(low), high: Some(high) }
    }
}

/// The limit on the depth of an expression; a value below it is an atom.
const MAX_DEPTH: usize = 100;
/// The most lanes that go through a loop together.
const MOST_LANES: i128 = 64;

/// Two iterations side by side.
pub(super) struct Scene<'n, 'k> {
    pub(super) nest: &'n Nest<'k>,
    pub(super) system: System,
    /// The number of levels that both sides share.
    pub(super) n_shared: usize,
    /// In the order of their variables.
    pub(super) atoms: Vec<(Var, Atom)>,
    vars: FxHashMap<Atom, Var>,
    terms: FxHashMap<(Value, Side), Term>,
    /// The variables that a variable is defined by.
    sources: FxHashMap<Var, Vec<Var>>,
    /// Doubts of each variable that has some.
    doubts: FxHashMap<Var, BTreeSet<Doubt>>,
    /// Doubts of what was required.
    pub(super) found: BTreeSet<Doubt>,
    /// Those of them that nothing but the condition of a branch rests on, each with the condition.
    guards: BTreeMap<Doubt, Value>,
    pub(super) products: Vec<Product>,
    /// The variables that loop bounds mention.
    pub(super) bound_vars: BTreeSet<Var>,
    pub(super) depth: usize,
    /// The number of parts of conditions that have been read so far.
    pub(super) n_truths: usize,
    /// The regions that were entered, on either side.
    entered: FxHashSet<(Region, Side)>,
    /// The values and regions that have been translated so far, and how many may be.
    n_translated: usize,
    limit: usize,
}

impl<'n, 'k> Scene<'n, 'k> {
    /// An empty scene, in which only so many values may be translated.
    pub(super) fn new(nest: &'n Nest<'k>, n_shared: usize, limit: usize) -> Scene<'n, 'k> {
        Scene {
            nest,
            system: System::new(),
            n_shared,
            atoms: Vec::new(),
            vars: FxHashMap::default(),
            terms: FxHashMap::default(),
            sources: FxHashMap::default(),
            doubts: FxHashMap::default(),
            found: BTreeSet::new(),
            guards: BTreeMap::new(),
            products: Vec::new(),
            bound_vars: BTreeSet::new(),
            depth: 0,
            n_truths: 0,
            entered: FxHashSet::default(),
            n_translated: 0,
            limit,
        }
    }

    // Variables and doubts.

    /// The side on which a value exists: one that is shared exists on the source's.
    pub(super) fn side_of(&self, value: Value, side: Side) -> Side {
        if self.nest.depth_of(value) <= self.n_shared { Side::Source } else { side }
    }

    /// The variable of an atom.
    pub(super) fn var(&mut self, atom: Atom) -> Var {
        if let Some(&var) = self.vars.get(&atom) {
            return var;
        }
        let var = self.system.var();
        self.vars.insert(atom, var);
        self.atoms.push((var, atom));
        self.describe(atom, var);
        var
    }

    /// States what is known about an atom, and what is doubtful.
    fn describe(&mut self, atom: Atom, var: Var) {
        match atom {
            Atom::Counter(..) | Atom::Size(..) => self.system.require(Formula::NotNegative(Linear::of(var, 1))),
            Atom::Value(value, side) => {
                if let Some((low, high)) = eager_range(self.nest.kernel.ty(value).data_elem()) {
                    self.require_range(var, low, high);
                }
                let varies = self.nest.depth_of(value) > self.n_shared;
                debug_assert!(varies || side == Side::Source, "what is shared exists once");
                let doubt = match self.nest.kernel.def_op(value) {
                    Some(op) if computed(self.nest.kernel.ops[op].code) => Some(Doubt::NotLinear(value)),
                    None if varies && super::induction::is_arithmetic(self.nest, value) => {
                        Some(Doubt::NotLinear(value))
                    }
                    _ if varies => Some(Doubt::Data(value)),
                    _ => None,
                };
                if let Some(doubt) = doubt {
                    self.doubts.entry(var).or_default().insert(doubt);
                }
            }
        }
    }

    fn require_range(&mut self, var: Var, low: Option<i128>, high: Option<i128>) {
        if let Some(Ok(form)) = low.map(|low| Linear::of(var, 1).add(-low)) {
            self.system.require(Formula::NotNegative(form));
        }
        if let Some(Ok(form)) = high.map(|high| Linear::of(var, -1).add(high)) {
            self.system.require(Formula::NotNegative(form));
        }
    }

    /// A variable that is defined by forms, and as doubtful as they are.
    pub(super) fn derived(&mut self, forms: &[&Linear]) -> Var {
        let var = self.system.var();
        self.sources.insert(var, forms.iter().flat_map(|form| form.terms()).map(|term| term.0).collect());
        let doubts: BTreeSet<Doubt> = forms.iter().flat_map(|form| self.doubts_of(form)).collect();
        if !doubts.is_empty() {
            self.doubts.insert(var, doubts);
        }
        var
    }

    /// Says whether a variable is decided by the iteration and by what loop bounds mention.
    pub(super) fn is_free(&self, var: Var) -> bool {
        if let Some(sources) = self.sources.get(&var) {
            return sources.iter().all(|&source| self.is_free(source));
        }
        self.bound_vars.contains(&var) || matches!(self.atom_of(var), Some(Atom::Counter(..)))
    }

    pub(super) fn doubts_of(&self, form: &Linear) -> BTreeSet<Doubt> {
        form.terms().iter().filter_map(|(var, _)| self.doubts.get(var)).flatten().copied().collect()
    }

    /// The formula holds, and its doubts count.
    pub(super) fn require(&mut self, formula: Formula) {
        self.each_doubt(&formula, &mut |scene, doubt| {
            scene.found.insert(doubt);
            scene.guards.remove(&doubt);
        });
        self.system.require(formula);
    }

    /// The formula holds, which says on which side of a branch with this condition it is.
    fn require_side(&mut self, formula: Formula, condition: Value) {
        self.each_doubt(&formula, &mut |scene, doubt| {
            if scene.found.insert(doubt) {
                scene.guards.insert(doubt, condition);
            }
        });
        self.system.require(formula);
    }

    fn each_doubt(&mut self, formula: &Formula, each: &mut impl FnMut(&mut Self, Doubt)) {
        match formula {
            Formula::Zero(form) | Formula::NotNegative(form) => {
                self.doubts_of(form).into_iter().for_each(|doubt| each(self, doubt));
            }
            Formula::All(parts) | Formula::Any(parts) => parts.iter().for_each(|part| self.each_doubt(part, each)),
        }
    }

    /// The condition that a doubt is about, if it is about that alone.
    pub(super) fn guard(&self, doubt: Doubt) -> Option<Value> {
        self.guards.get(&doubt).copied()
    }

    /// The symbol for an atom that both sides share, as the witness names it.
    pub(super) fn symbol(&self, atom: Atom) -> Option<WitnessSymbol> {
        match atom {
            Atom::Value(value, _) if self.nest.depth_of(value) <= self.n_shared => Some(WitnessSymbol::Value(value)),
            Atom::Size(array, dim) => Some(WitnessSymbol::Size(array, dim)),
            _ => None,
        }
    }

    /// Returns true if a form is made of values that all iterations of the levels that are not shared have in common, and of one
    /// value at least.
    pub(super) fn is_same_for_all(&self, form: &Linear) -> bool {
        self.is_shared(form) && form.terms().iter().any(|&(var, _)| self.is_shared_value(var))
    }

    /// Returns true if nothing in a form may differ between iterations of the levels that are not shared.
    pub(super) fn is_shared(&self, form: &Linear) -> bool {
        form.terms().iter().all(|&(var, _)| match self.atom_of(var) {
            Some(Atom::Value(value, _)) => self.nest.depth_of(value) <= self.n_shared,
            Some(Atom::Size(..)) => true,
            Some(Atom::Counter(level, _)) => self.nest.levels_of(level.op).len() + level.index < self.n_shared,
            None => false,
        })
    }

    /// Returns true for a value of the program that all these iterations have in common.
    pub(super) fn is_shared_value(&self, var: Var) -> bool {
        matches!(self.atom_of(var), Some(Atom::Value(value, _)) if self.nest.depth_of(value) <= self.n_shared)
    }

    /// The atom that a variable stands for, if it is one.
    pub(super) fn atom_of(&self, var: Var) -> Option<Atom> {
        let position = self.atoms.binary_search_by_key(&var, |(var, _)| *var).ok()?;
        Some(self.atoms[position].1)
    }

    // Iterations.

    /// An op is run on this side: its loops are in some iteration, and the conditions around it hold.
    pub(super) fn enter(&mut self, op: Op, side: Side) -> Result<(), TooHard> {
        let levels = self.nest.levels_of(op).clone();
        for (position, &level) in levels.iter().enumerate() {
            if position < self.n_shared && side == Side::Sink {
                continue;
            }
            self.enter_level(level, side)?;
        }
        let regions: Vec<Region> = self.nest.forest.regions_around(op).collect();
        for region in regions {
            let is_shared = self.nest.levels[region].len() <= self.n_shared;
            if self.entered.insert((region, if is_shared { Side::Source } else { side })) {
                self.enter_region(region, side)?;
            }
        }
        Ok(())
    }

    fn enter_level(&mut self, level: Level, side: Side) -> Result<(), TooHard> {
        let kernel = self.nest.kernel;
        if kernel.ops[level.op].code == Code::While {
            self.counter(level, side);
            self.index_of(level, side)?;
            return self.while_facts(level, side);
        }
        let range = 3 * level.index;
        let operands = &kernel.ops[level.op].operands;
        let (stop, step) = (operands[range + 1], operands[range + 2]);
        let index = self.index(level, side)?;
        let (stop, step) = (self.int(stop, side)?, self.int(step, side)?);
        let up = Formula::less(&index.form, &stop.form)?;
        let down = Formula::less(&stop.form, &index.form)?;
        let zero = Linear::default();
        let inside = match step.form.as_constant() {
            Some(0) => Formula::FALSE,
            Some(step) => [down, up][usize::from(step > 0)].clone(),
            None => {
                let (rises, falls) = (Formula::less(&zero, &step.form)?, Formula::less(&step.form, &zero)?);
                rises.and(up).or(falls.and(down))
            }
        };
        let bounds = [&index.form, &stop.form, &step.form];
        self.bound_vars.extend(bounds.iter().flat_map(|form| form.terms()).map(|term| term.0));
        self.require(inside);
        Ok(())
    }

    /// The number of a level's iteration.
    pub(super) fn counter(&mut self, level: Level, side: Side) -> Var {
        let position = self.nest.levels_of(level.op).len() + level.index;
        let side = if position < self.n_shared { Side::Source } else { side };
        self.var(Atom::Counter(level, side))
    }

    /// The index of a level: that of a `for` or `foreach`, or of a `while` that is a `for` which may be left early.
    pub(super) fn index_of(&mut self, level: Level, side: Side) -> Result<Option<Term>, TooHard> {
        match self.nest.kernel.ops[level.op].code {
            Code::While => match Counting::of(self.nest.kernel, level.op) {
                Some(counting) => self.int(counting.index, side).map(Some),
                None => Ok(None),
            },
            _ => self.index(level, side).map(Some),
        }
    }

    /// The index of a `for` or `foreach`.
    pub(super) fn index(&mut self, level: Level, side: Side) -> Result<Term, TooHard> {
        let kernel = self.nest.kernel;
        let range = 3 * level.index;
        let operands = &kernel.ops[level.op].operands;
        let (start, step) = (operands[range], operands[range + 2]);
        let counter = Linear::of(self.counter(level, side), 1);
        let index = self.progression(start, step, &counter, side)?;
        // The last index lies before the stop, so one bound is never reached.
        let elem = kernel.ty(start).data_elem();
        let (low, high) = elem.and_then(Elem::integer_range).unwrap_or((i128::MIN, i128::MAX));
        let stop = self.int(operands[range + 1], side)?;
        let step = self.int(step, side)?.form.as_constant();
        let start = self.int(start, side)?;
        let (low, high) = match step {
            Some(step) if step > 0 => (start.low.unwrap_or(low), stop.high.unwrap_or(high) - 1),
            Some(step) if step < 0 => (stop.low.unwrap_or(low).saturating_add(1), start.high.unwrap_or(high)),
            _ => (low, high),
        };
        Ok(Term { form: index, low: Some(low), high: Some(high) })
    }

    /// `start + step * counter`.
    pub(super) fn progression(
        &mut self,
        start: Value,
        step: Value,
        counter: &Linear,
        side: Side,
    ) -> Result<Linear, TooHard> {
        let (start, step) = (self.int(start, side)?, self.int(step, side)?);
        let way = self.product(&step.form, counter)?;
        start.form.plus(&way)
    }

    /// Counts one value or region that is translated.
    pub(super) fn step(&mut self) -> Result<(), TooHard> {
        self.n_translated += 1;
        if self.n_translated > self.limit { Err(TooHard) } else { Ok(()) }
    }

    /// Returns the number of values and regions that have been translated.
    pub(super) fn n_translated(&self) -> usize {
        self.n_translated
    }

    /// Constraints that hold because a region is run.
    fn enter_region(&mut self, region: Region, side: Side) -> Result<(), TooHard> {
        self.step()?;
        let kernel = self.nest.kernel;
        if let Some(owner) = self.nest.forest.owner(region) {
            let data = &kernel.ops[owner];
            match data.code {
                Code::If => {
                    let holds = self.truth(data.operands[0], side)?;
                    let taken = if data.regions[0] == region { holds } else { holds.negated()? };
                    self.require_side(taken, data.operands[0]);
                }
                Code::While if data.regions[1] == region => {
                    let test = kernel.regions[data.regions[0]].yields[0];
                    let holds = self.truth(test, side)?;
                    self.require(holds);
                }
                _ => {}
            }
        }
        for assert in self.nest.asserts[region].clone() {
            let holds = self.truth(kernel.ops[assert].operands[0], side)?;
            self.system.require(holds);
        }
        Ok(())
    }

    // Cells.

    /// The subscripts of an access in its array. Each lies within its dimension, and so do those of the parts of the
    /// array that it goes through.
    pub(super) fn cell(&mut self, access: &Access, side: Side) -> Result<Vec<Linear>, TooHard> {
        let kernel = self.nest.kernel;
        let mut cell = Vec::new();
        for &subscript in &access.subscripts {
            cell.push(self.int(subscript, side)?.form);
        }
        if access.packs
            && let Some(last) = cell.last_mut()
        {
            let ahead = Linear::of(self.system.var(), 1);
            self.system.require(Formula::NotNegative(ahead.clone()));
            self.system.require(Formula::less(&ahead, &Linear::constant(MOST_LANES))?);
            *last = last.plus(&ahead)?;
        }
        let mut view = access.view;
        let mut inner: &[u32] = &[];
        while let Some(op) = kernel.def_op(view) {
            let data = &kernel.ops[op];
            let dim = if let Attr::Number(dim) = data.attr { dim as usize } else { 0 };
            match data.code {
                Code::Row => cell.insert(dim, self.int(data.operands[1], side)?.form),
                Code::Slice => cell[dim] = self.sliced(&cell[dim].clone(), &data.operands[1..4], side)?,
                Code::Field => inner = kernel.sizes_of_field(op),
                _ => break,
            }
            view = data.operands[0];
        }
        // The subscripts of an array in a struct stand behind those of the array of structs.
        let n_outer = cell.len() - inner.len();
        for (dim, form) in cell.iter().enumerate() {
            let size = match dim.checked_sub(n_outer) {
                Some(dim) => Linear::constant(inner[dim].into()),
                None => self.size(access.root, dim, side)?,
            };
            self.system.require(Formula::NotNegative(form.clone()));
            self.system.require(Formula::less(form, &size)?);
        }
        Ok(cell)
    }

    /// The subscript in an array of that of a slice, which lies within the slice.
    fn sliced(&mut self, subscript: &Linear, slice: &[Value], side: Side) -> Result<Linear, TooHard> {
        let (stop, step) = (self.int(slice[1], side)?, self.int(slice[2], side)?);
        let whole = self.progression(slice[0], slice[2], subscript, side)?;
        self.system.require(Formula::NotNegative(subscript.clone()));
        match step.form.as_constant() {
            Some(step) if step > 0 => self.system.require(Formula::less(&whole, &stop.form)?),
            Some(_) => self.system.require(Formula::less(&stop.form, &whole)?),
            None => {}
        }
        Ok(whole)
    }

    /// The size of a dimension of an array.
    pub(super) fn size(&mut self, root: Value, dim: usize, side: Side) -> Result<Linear, TooHard> {
        let kernel = self.nest.kernel;
        // An array that was not understood has no sizes here.
        if let Some(op) = kernel.def_op(root)
            && let Some(&size) = kernel.ops[op].operands.get(dim)
        {
            return Ok(self.int(size, side)?.form);
        }
        let size = kernel.params.iter().find(|param| param.value == root).and_then(|param| param.sizes.get(dim));
        let own = Atom::Size(root, dim as u8);
        match size {
            Some(size) => self.declared(size, own),
            None => Ok(Linear::of(self.var(own), 1)),
        }
    }

    fn declared(&mut self, size: &DimSize, own: Atom) -> Result<Linear, TooHard> {
        match size {
            DimSize::Own => Ok(Linear::of(self.var(own), 1)),
            DimSize::Constant(size) => Ok(Linear::constant((*size).into())),
            DimSize::Param(value) => Ok(self.int(*value, Side::Source)?.form),
            DimSize::Arithmetic(operator, a, b) => {
                use ir::program::SizeOperator::{Add, Div, FloorDiv, Mul, Rem, Sub};
                let (a, b) = (self.declared(a, own)?, self.declared(b, own)?);
                match operator {
                    Add => a.plus(&b),
                    Sub => a.minus(&b),
                    Mul => self.product(&a, &b),
                    // A quotient is bounded no better than a size that says nothing.
                    Div | FloorDiv | Rem => Ok(Linear::of(self.var(own), 1)),
                }
            }
        }
    }

    // Integers.

    /// An integer, or a bool as 0 or 1.
    pub(super) fn int(&mut self, value: Value, side: Side) -> Result<Term, TooHard> {
        let side = self.side_of(value, side);
        if let Some(term) = self.terms.get(&(value, side)) {
            return Ok(term.clone());
        }
        self.step()?;
        self.depth += 1;
        let term = if self.depth < MAX_DEPTH { self.translate(value, side) } else { Ok(self.atom(value, side)) };
        self.depth -= 1;
        let term = term?;
        self.terms.insert((value, side), term.clone());
        Ok(term)
    }

    /// A value of which nothing more is known.
    pub(super) fn atom(&mut self, value: Value, side: Side) -> Term {
        let side = self.side_of(value, side);
        let var = self.var(Atom::Value(value, side));
        let range = self.nest.kernel.ty(value).data_elem().and_then(range_of);
        Term { form: Linear::of(var, 1), low: range.map(|range| range.0), high: range.map(|range| range.1) }
    }
}

/// The numbers of an element type that are worth stating from the start.
fn eager_range(elem: Option<Elem>) -> Option<(Option<i128>, Option<i128>)> {
    let elem = elem?;
    let (low, high) = range_of(elem)?;
    let small = elem.bytes() <= 2;
    (small || low == 0).then_some((Some(low), small.then_some(high)))
}

/// The least and greatest number that a type has; a bool is 0 or 1.
pub(super) fn range_of(elem: Elem) -> Option<(i128, i128)> {
    if elem == Elem::Bool { Some((0, 1)) } else { elem.integer_range() }
}

/// Says whether an op computes its result from its operands alone.
fn computed(code: Code) -> bool {
    code.is_elementwise()
}
