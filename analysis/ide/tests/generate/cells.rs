//! Loops whose iterations touch memory in an order that can be told: groups of neighbouring cells, fields of structs,
//! backwards, one cell for several iterations, a few cells in turn.

use super::data::pick;
use super::expressions::Maker;
use super::scope::{Access, Array, Cell, Scope};
use super::tree::{Expr, Range, Stmt};

/// The index of a loop, and how many iterations it has.
struct Index<'a> {
    name: &'a str,
    trips: i64,
}

impl Maker {
    /// A loop that stores the cells of an array group by group.
    pub(super) fn ordered(&mut self, scope: &Scope) -> Option<Stmt> {
        let target = self.target(scope, |_| true)?;
        let members = if matches!(target.cell, Cell::Struct(_)) { 1 } else { self.pick(&[1, 2, 2, 3, 3, 4, 4, 5, 8]) };
        let trips = target.dims[0].value? / members;
        let name = self.fresh("i");
        let index = Index { name: &name, trips };
        let apart = self.rng.bool();
        let sources = readable(scope, |array| !apart || array.root != target.root);
        let scope = &without(scope, &target);
        let mut turn = Vec::new();
        let cells = self.targets(&target, members, &index);
        for (cell, ty) in cells {
            if self.one_in(8) {
                continue;
            }
            let value = self.joined(&sources, &index, ty, scope);
            let store = Stmt::Set(cell, None, value);
            turn.push(match self.one_in(6) {
                true => Stmt::If("if", self.open_leaf(scope, "bool"), vec![store], Vec::new()),
                false => store,
            });
        }
        if turn.is_empty() {
            return None;
        }
        if self.one_in(5) {
            let condition = self.tested(&sources, &index, scope);
            turn = vec![Stmt::If("if", condition, turn, Vec::new())];
        }
        let stop = match members {
            1 => target.dims[0].text.clone(),
            members => Expr::binary("/", target.dims[0].text.clone(), Expr::literal(members)),
        };
        let range = Range::to(stop);
        Some(match apart {
            true => Stmt::Foreach(None, vec![(name.clone(), range)], turn),
            false => Stmt::For("for", name.clone(), range, turn),
        })
    }

    /// A loop in which each iteration loads the cell that the one before has stored: a running sum, mostly.
    pub(super) fn handing_on(&mut self, scope: &Scope) -> Option<Stmt> {
        let target = self.target(scope, |array| matches!(array.cell, Cell::Scalar(ty) if ty != "bool"))?;
        let Cell::Scalar(ty) = target.cell else { return None };
        let sources = readable(scope, |array| array.root != target.root);
        let scope = &without(scope, &target);
        let name = self.fresh("i");
        let index = Index { name: &name, trips: target.dims[0].value? };
        let size = || target.dims[0].text.clone();
        let (range, before) = match self.one_in(3) {
            true => {
                let start = Some(Expr::binary("-", size(), Expr::literal(2)));
                (Range { start, stop: Expr::literal(-1), step: Some(Expr::literal(-1)) }, "+")
            }
            false => (Range { start: Some(Expr::literal(1)), stop: size(), step: None }, "-"),
        };
        let cell = |subscript: Expr| Expr::at(&*target.name, vec![subscript]);
        let before = cell(Expr::binary(before, Expr::name(&*name), Expr::literal(1)));
        let by = self.joined(&sources, &index, ty, scope);
        let next = match self.rng.u32(..8) {
            0 => Expr::call("max", vec![before, by]),
            1 => Expr::binary("-", before, by),
            _ => Expr::binary("+", before, by),
        };
        let mut turn = vec![Stmt::Set(cell(Expr::name(&*name)), None, next)];
        if self.one_in(6) {
            let condition = self.tested(&sources, &index, scope);
            turn = vec![Stmt::If("if", condition, turn, Vec::new())];
        }
        Some(Stmt::For("for", name, range, turn))
    }

    /// An array whose cells a loop can store to in order.
    fn target(&mut self, scope: &Scope, fits: impl Fn(&Array) -> bool) -> Option<Array> {
        let is_usable = |array: &&Array| {
            array.access == Access::Free
                && array.indexes.is_none()
                && array.dims.len() == 1
                && array.dims[0].value > Some(0)
                && fits(array)
        };
        let targets: Vec<Array> = scope.arrays.iter().filter(is_usable).cloned().collect();
        (!targets.is_empty()).then(|| self.pick(&targets))
    }

    /// The cells of one iteration's group, with their types, in any order.
    fn targets(&mut self, target: &Array, members: i64, index: &Index) -> Vec<(Expr, &'static str)> {
        let backwards = members == 1 && self.one_in(4);
        let at = |expr: Expr| Expr::at(&*target.name, vec![expr]);
        let mut cells = match target.cell {
            Cell::Scalar(ty) if backwards => {
                let last = Expr::binary("-", target.dims[0].text.clone(), Expr::literal(1));
                vec![(at(Expr::binary("-", last, Expr::name(index.name))), ty)]
            }
            Cell::Scalar(ty) => (0..members).map(|cell| (at(in_group(index.name, members, cell)), ty)).collect(),
            Cell::Struct(of) => {
                let fields = self.structs[of].fields.clone();
                fields.into_iter().map(|(field, ty)| (at(Expr::name(index.name)).field(field), ty)).collect()
            }
        };
        self.rng.shuffle(&mut cells);
        cells
    }

    /// A value made of one or two elements that the iteration loads.
    fn joined(&mut self, sources: &[Array], index: &Index, ty: &'static str, scope: &Scope) -> Expr {
        let Some((first, from)) = self.loaded(sources, index) else { return self.open_leaf(scope, ty) };
        let first = if from == ty { first } else { self.cast(first, from, ty) };
        match self.loaded(sources, index) {
            Some((second, from)) if self.rng.bool() => {
                let second = if from == ty { second } else { self.cast(second, from, ty) };
                match ty {
                    "bool" => Expr::binary("^", first, second),
                    _ => Expr::call("max", vec![first, second]),
                }
            }
            _ => first,
        }
    }

    /// A condition that differs from iteration to iteration.
    fn tested(&mut self, sources: &[Array], index: &Index, scope: &Scope) -> Expr {
        match self.loaded(sources, index) {
            Some((element, "bool")) => element,
            Some((element, _)) => Expr::binary(">", element, Expr::literal(1)),
            None => self.open_leaf(scope, "bool"),
        }
    }

    /// An element that the iteration loads, and its type.
    fn loaded(&mut self, sources: &[Array], index: &Index) -> Option<(Expr, &'static str)> {
        let array = (!sources.is_empty()).then(|| pick(&mut self.rng, sources).clone())?;
        let table = if array.dims[0].constant && self.rng.bool() { self.by_data(&array, sources, index) } else { None };
        let subscript = table.or_else(|| (0..6).find_map(|_| self.in_order(&array, index)))?;
        let element = Expr::at(&*array.name, vec![subscript]);
        Some(match array.cell {
            Cell::Scalar(ty) => (element, ty),
            Cell::Struct(of) => {
                let fields = self.structs[of].fields.clone();
                let (field, ty) = self.pick(&fields);
                (element.field(field), ty)
            }
        })
    }

    /// A subscript that data decides, and that lies within an array of few cells all the same.
    fn by_data(&mut self, array: &Array, sources: &[Array], index: &Index) -> Option<Expr> {
        let size = array.dims[0].value?;
        let numbers: Vec<Array> = sources
            .iter()
            .filter(|source| matches!(source.cell, Cell::Scalar(ty) if ty.starts_with(['i', 'u'])))
            .filter(|source| source.dims[0].value.is_some_and(|size| size >= index.trips))
            .cloned()
            .collect();
        let numbers = (!numbers.is_empty()).then(|| self.pick(&numbers))?;
        let number = Expr::at(&*numbers.name, vec![Expr::name(index.name)]);
        let is_unsigned = matches!(numbers.cell, Cell::Scalar(ty) if ty.starts_with('u'));
        let mask = self.pick(&[1, 3, 7, 15]);
        let (subscript, greatest) = match is_unsigned && self.rng.bool() {
            true => (Expr::binary("%", number, Expr::literal(size)), size - 1),
            false => (Expr::binary("&", number, Expr::literal(mask)), mask),
        };
        (greatest < size).then_some(subscript)
    }

    /// A subscript that lies within an array in every iteration, if the one that is tried does.
    fn in_order(&mut self, array: &Array, index: &Index) -> Option<Expr> {
        let (size, last) = (array.dims[0].value?, index.trips - 1);
        let i = || Expr::name(index.name);
        let by = self.pick(&[2, 2, 3, 4, 8]);
        let quotient = || Expr::binary("/", i(), Expr::literal(by));
        let rest = || Expr::binary("%", i(), Expr::literal(by));
        let (subscript, greatest) = match self.rng.u32(..8) {
            0 | 1 => {
                let cell = self.rng.i64(0..by);
                (in_group(index.name, by, cell), by * last + cell)
            }
            2 => {
                let end = Expr::binary("-", array.dims[0].text.clone(), Expr::literal(1));
                (Expr::binary("-", end, i()), last)
            }
            3 => (quotient(), last / by),
            4 => (rest(), last.min(by - 1)),
            5 => (Expr::binary("&", i(), Expr::literal(7)), last.min(7)),
            // Backwards in each group.
            6 => {
                let group = Expr::binary("*", Expr::literal(by), quotient());
                let back = Expr::binary("-", Expr::literal(by - 1), rest());
                (Expr::binary("+", group, back), last / by * by + by - 1)
            }
            _ => (i(), last),
        };
        (greatest < size).then_some(subscript)
    }
}

/// One cell of each iteration's group.
fn in_group(index: &str, members: i64, cell: i64) -> Expr {
    let group = match members {
        1 => Expr::name(index),
        members => Expr::binary("*", Expr::literal(members), Expr::name(index)),
    };
    if cell == 0 { group } else { Expr::binary("+", group, Expr::literal(cell)) }
}

/// The arrays whose cells a loop can load in order.
fn readable(scope: &Scope, fits: impl Fn(&Array) -> bool) -> Vec<Array> {
    let is_usable = |array: &&Array| {
        let is_read = array.access != Access::None && !matches!(array.access, Access::Own(_));
        is_read && array.indexes.is_none() && array.dims.len() == 1 && fits(array)
    };
    scope.arrays.iter().filter(is_usable).cloned().collect()
}

/// The names in scope but for those of one array.
fn without(scope: &Scope, array: &Array) -> Scope {
    let arrays = scope.arrays.iter().filter(|other| other.root != array.root).cloned().collect();
    Scope { arrays, ..scope.clone() }
}
