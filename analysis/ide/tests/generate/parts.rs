//! Sizes of arrays, and parts of them: rows, columns, slices in both directions.
//!
//! A size is a number here. One that is not known while the program is made, since it belongs to a function, has a negative number, which
//! leads to its name.

use super::expressions::Maker;
use super::scope::{Access, Array, Cell, Dim, Scope};
use super::tree::{Expr, Subscript};

/// How many elements a size stands for where it is not known.
const UNKNOWN: u64 = 8;

/// About how many elements arrays of these sizes have.
pub(super) fn n_elements(sizes: &[i64]) -> u64 {
    sizes.iter().map(|&size| u64::try_from(size).unwrap_or(UNKNOWN).max(1)).product()
}

impl Maker {
    /// The number of a dimension's size.
    pub(super) fn size_of(&mut self, dim: &Dim) -> i64 {
        if let Some(value) = dim.value {
            return value;
        }
        let text = dim.text.to_string();
        let at = self.unknown_sizes.iter().position(|name| *name == text).unwrap_or_else(|| {
            self.unknown_sizes.push(text);
            self.unknown_sizes.len() - 1
        });
        -1 - at as i64
    }

    pub(super) fn sizes_of(&mut self, dims: &[Dim]) -> Vec<i64> {
        dims.iter().map(|dim| self.size_of(dim)).collect()
    }

    /// A size, as an `i32`.
    pub(super) fn size_text(&mut self, scope: &Scope, size: i64) -> Expr {
        if size < 0 {
            return Expr::name(&*self.unknown_sizes[(-1 - size) as usize]);
        }
        let dims = scope.arrays.iter().flat_map(|array| &array.dims).filter(|dim| dim.value == Some(size));
        let mut texts: Vec<Expr> = dims.map(|dim| dim.text.clone()).collect();
        let whole = scope.arrays.iter().filter(|array| array.dims[0].value == Some(size));
        texts.extend(whole.map(|array| Expr::call("length", vec![Expr::name(&*array.name)])));
        if texts.is_empty() || self.one_in(4) { Expr::literal(size) } else { self.pick(&texts) }
    }

    /// The dimensions of a new array that is called so.
    pub(super) fn dims(&mut self, name: &str, sizes: &[i64]) -> Vec<Dim> {
        let dim = |(n, &size): (usize, &i64)| {
            if size < 0 {
                let text = Expr::name(&*self.unknown_sizes[(-1 - size) as usize]);
                return Dim { text, value: None, constant: false };
            }
            let length = match n {
                0 => Expr::call("length", vec![Expr::name(name)]),
                n => Expr::call("length", vec![Expr::name(name), Expr::literal(n)]),
            };
            // Rows that there are none of may have no size (language.md, `map`).
            let is_specified = sizes[..n].iter().all(|&outer| outer > 0);
            let text = if self.rng.bool() && is_specified { length } else { Expr::literal(size) };
            Dim { text, value: Some(size), constant: false }
        };
        sizes.iter().enumerate().map(dim).collect()
    }

    /// Sizes for a new array: mostly those that others have.
    pub(super) fn new_sizes(&mut self, scope: &Scope) -> Vec<i64> {
        let dims: Vec<Dim> = scope.arrays.iter().flat_map(|array| array.dims.iter().cloned()).collect();
        let rank = self.pick(&[1, 1, 1, 1, 1, 1, 2, 2, 2, 3]);
        let mut sizes = Vec::new();
        for _ in 0..rank {
            let size = match dims.is_empty() || self.one_in(4) {
                true => self.rng.i64(0..=5),
                false => {
                    let dim = self.pick(&dims);
                    self.size_of(&dim)
                }
            };
            let most = if sizes.is_empty() { 40 } else { 6 };
            sizes.push(if size > most { self.rng.i64(0..=4) } else { size });
        }
        sizes
    }

    /// An array that there is, or a part of one.
    pub(super) fn stored(&mut self, scope: &Scope, cell: &Cell, sizes: &[i64]) -> Option<Expr> {
        let fits = |array: &&Array| array.cell == *cell && array.dims.len() >= sizes.len();
        let arrays: Vec<_> = scope.arrays.iter().filter(fits).cloned().collect();
        let preferred: Vec<_> =
            arrays.iter().filter(|array| Some(&array.root) == self.preferred.as_ref()).cloned().collect();
        for _ in 0..4 {
            let from = match self.rng.u32(..4) {
                0 | 1 if !preferred.is_empty() => &preferred[..],
                2 => &arrays[arrays.len().saturating_sub(3)..],
                _ => &arrays[..],
            };
            if from.is_empty() {
                return None;
            }
            let array = self.pick(from);
            let part = self.part_of(scope, &array, sizes);
            if part.is_some() {
                return part;
            }
        }
        None
    }

    /// A part of an array that has these sizes, if it has one.
    fn part_of(&mut self, scope: &Scope, array: &Array, sizes: &[i64]) -> Option<Expr> {
        let mut subscripts: Vec<Subscript> = match &array.access {
            Access::None | Access::Joined(_) => return None,
            Access::Own(own) => own.iter().cloned().map(Subscript::At).collect(),
            Access::Free | Access::Read => Vec::new(),
        };
        let rest = array.dims.get(subscripts.len()..)?;
        let mut n_rows = rest.len().checked_sub(sizes.len())?;
        let mut wanted = sizes.iter();
        for (n, dim) in rest.iter().enumerate() {
            if n_rows > 0 && (n_rows == rest.len() - n || self.rng.bool()) {
                subscripts.push(Subscript::At(self.subscript(scope, dim)?));
                n_rows -= 1;
            } else {
                subscripts.push(self.slice_of(scope, dim, *wanted.next()?)?);
            }
        }
        Some(self.indexed(array, subscripts))
    }

    /// An array with subscripts, of which the last may be left out.
    fn indexed(&mut self, array: &Array, mut subscripts: Vec<Subscript>) -> Expr {
        while !self.one_in(8)
            && let Some(Subscript::Slice(None, None, None)) = subscripts.last()
        {
            subscripts.pop();
        }
        match subscripts.is_empty() {
            true => Expr::name(&*array.name),
            false => Expr::Index(Box::new(Expr::name(&*array.name)), subscripts),
        }
    }

    /// A slice of so many cells.
    fn slice_of(&mut self, scope: &Scope, dim: &Dim, count: i64) -> Option<Subscript> {
        let whole = Subscript::Slice(None, None, None);
        let backwards = Subscript::Slice(None, None, Some(Expr::literal(-1)));
        if self.size_of(dim) == count && (count < 0 || !self.one_in(4)) {
            return Some(if count != 0 && self.one_in(6) { backwards } else { whole });
        }
        let size = dim.value.filter(|_| count >= 0)?;
        if count == 0 {
            let at = self.rng.i64(0..=size);
            return Some(Subscript::Slice(Some(Expr::literal(at)), Some(Expr::literal(at)), None));
        }
        let steps: Vec<i64> =
            [1, 1, 1, 2, 3, -1, -1, -2].into_iter().filter(|step: &i64| (count - 1) * step.abs() < size).collect();
        let step = (!steps.is_empty()).then(|| self.pick(&steps))?;
        // Once in a while what is asked for is not there.
        let careless = i64::from(self.one_in(100));
        let span = (count - 1) * step.abs();
        let first = self.rng.i64(0..=size - 1 - span);
        if step > 0 {
            let (lo, past) = match self.start(scope, size - span + careless).filter(|_| step == 1) {
                Some(start) => (start.clone(), Expr::binary("+", start, Expr::literal(span + 1))),
                None => (Expr::literal(first), Expr::literal(first + span + self.rng.i64(1..=step))),
            };
            let to_end = first + span + step >= size && first + span < size && matches!(lo, Expr::Literal(_));
            let lo = (first > 0 || !matches!(lo, Expr::Literal(_)) || self.rng.bool()).then_some(lo);
            let hi = if to_end && self.rng.bool() { None } else { Some(past) };
            return Some(Subscript::Slice(lo, hi, (step > 1 || self.one_in(20)).then(|| Expr::literal(step))));
        }
        let last = first + span;
        let lo = (last != size - 1 || self.rng.bool()).then(|| Expr::literal(last));
        let hi = if first == 0 { None } else { Some(Expr::literal(first - 1)) };
        Some(Subscript::Slice(lo, hi, Some(Expr::literal(step))))
    }

    /// A loop's index that stays below a number.
    fn start(&mut self, scope: &Scope, below: i64) -> Option<Expr> {
        let fits = |within: Option<(i64, i64)>| within.is_some_and(|(lo, hi)| lo >= 0 && hi < below);
        let vars: Vec<_> = scope.vars.iter().filter(|var| var.ty == "i32" && fits(var.within)).collect();
        if vars.is_empty() || self.one_in(3) {
            return None;
        }
        let at = self.rng.usize(..vars.len());
        Some(Expr::name(&*vars[at].name))
    }

    /// A part of an array of whatever sizes, to be stored to, and its sizes.
    pub(super) fn any_part(&mut self, scope: &Scope, array: &Array) -> Option<(Expr, Vec<i64>)> {
        let mut subscripts: Vec<Subscript> = match &array.access {
            Access::Free => Vec::new(),
            Access::Own(own) => own.iter().cloned().map(Subscript::At).collect(),
            Access::None | Access::Joined(_) | Access::Read => return None,
        };
        let rest = array.dims.get(subscripts.len()..)?;
        let mut sizes = Vec::new();
        for (n, dim) in rest.iter().enumerate() {
            let is_last = n + 1 == rest.len() && sizes.is_empty();
            if !is_last && self.one_in(3) {
                subscripts.push(Subscript::At(self.subscript(scope, dim)?));
                continue;
            }
            let size = self.size_of(dim);
            let count = if size < 1 || self.rng.bool() { size } else { self.rng.i64((size - 3).max(0)..=size) };
            subscripts.push(self.slice_of(scope, dim, count)?);
            sizes.push(count);
        }
        let is_whole = |subscript: &Subscript| matches!(subscript, Subscript::Slice(None, None, None));
        while subscripts.len() > 1 && subscripts.last().is_some_and(is_whole) && self.rng.bool() {
            subscripts.pop();
        }
        (!sizes.is_empty()).then(|| (Expr::Index(Box::new(Expr::name(&*array.name)), subscripts), sizes))
    }
}
