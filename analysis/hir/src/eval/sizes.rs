//! Sizes of arrays: those that are written, and those that arrays have.

use ir::interp::ErrorKind;
use ir::{Elem, Scalar};

use super::Element;
use super::machine::{Machine, Run, Value};
use super::places::View;
use crate::size::{Atom, Size};
use crate::ty::Ty;
use crate::{ExprId, LocalId, LocalKind};

/// A mismatch between a parameter's declared size and that of the array.
pub(super) struct SizeClash {
    /// The number of the parameter.
    pub(super) param: usize,
    pub(super) lane: usize,
    pub(super) kind: ErrorKind,
}

impl Machine<'_> {
    /// Checks the sizes of array parameters against those that are written, and gives the function's own sizes (the `k` of
    /// `a: f32[k]`) their values.
    pub(super) fn check_params(&mut self, active: &[usize]) -> Option<SizeClash> {
        let unit = self.frame().unit;
        let arrays = |machine: &Self, lane: usize| {
            let array = |&param: &LocalId| match machine.frame().lanes[lane].vars.get(&param) {
                Some(Value::View(view)) => Some((param, view.clone())),
                _ => None,
            };
            unit.body.params.iter().filter_map(array).collect::<Vec<_>>()
        };
        for &lane in active {
            arrays(self, lane).iter().for_each(|(param, view)| self.bind_sizes(*param, view, lane));
            arrays(self, lane).iter().for_each(|(param, view)| self.solve_sizes(*param, view, lane));
        }
        for (number, &param) in unit.body.params.iter().enumerate() {
            for &lane in active {
                let Some(Value::View(view)) = self.frame().lanes[lane].vars.get(&param).cloned() else { continue };
                if let Some(kind) = self.size_clash(param, &view, lane) {
                    return Some(SizeClash { param: number, lane, kind });
                }
            }
        }
        None
    }

    /// Checks the sizes of a lambda's parameters against those that are written.
    pub(super) fn check_lambda(&self, params: &[LocalId], active: &[usize]) -> Option<SizeClash> {
        for (number, &param) in params.iter().enumerate() {
            for &lane in active {
                if let Some(Value::View(view)) = self.frame().lanes[lane].vars.get(&param)
                    && let Some(kind) = self.size_clash(param, view, lane)
                {
                    return Some(SizeClash { param: number, lane, kind });
                }
            }
        }
        None
    }

    fn bind_sizes(&mut self, param: LocalId, view: &View, lane: usize) {
        let unit = self.frame().unit;
        let Some(Ty::Array(_, sizes)) = unit.types.locals.get(param) else { return };
        let own = unit.body.locals.iter().filter(|(_, local)| local.kind == LocalKind::Size).map(|(id, _)| id);
        for local in own {
            for (size, dim) in sizes.iter().zip(&view.dims) {
                let unknown = !self.frame().lanes[lane].vars.contains_key(&local);
                if unknown && *size == Size::atom(Atom::Local(local)) {
                    self.bind_size(local, dim.size, lane);
                }
            }
        }
    }

    fn bind_size(&mut self, local: LocalId, value: i64, lane: usize) {
        let ty = self.frame().unit.types.locals.get(local).map(|ty| self.bound(ty));
        let elem = ty.and_then(|ty| ty.scalar()).unwrap_or(Elem::I64);
        if let Some(value) = Scalar::from_wide(elem, value.into()) {
            self.set(local, lane, Value::Scalar(value));
        }
    }

    /// Gives the sizes that stand in sums alone, the `n` of `a: f32[2 * n + 1]`, the value with which the sum is the size of the array.
    fn solve_sizes(&mut self, param: LocalId, view: &View, lane: usize) {
        let unit = self.frame().unit;
        let Some(Ty::Array(_, sizes)) = unit.types.locals.get(param) else { return };
        for (size, dim) in sizes.iter().zip(&view.dims) {
            let vars = &self.frame().lanes[lane].vars;
            let is_open =
                |local: LocalId| unit.body.locals[local].kind == LocalKind::Size && !vars.contains_key(&local);
            if let Some((local, factor, rest)) = size.solved(&is_open)
                && let Some(rest) = self.size_value(&rest, lane)
            {
                self.bind_size(local, dim.size.wrapping_sub(rest) / factor, lane);
            }
        }
    }

    /// The message for an array that has another size than is written where a local is defined.
    pub(super) fn size_clash(&self, local: LocalId, view: &View, lane: usize) -> Option<ErrorKind> {
        let unit = self.frame().unit;
        let data = &unit.body.locals[local];
        data.ty.as_ref()?;
        let Some(Ty::Array(_, sizes)) = unit.types.locals.get(local) else { return None };
        self.sizes_clash(sizes, view, lane)
    }

    /// The error of an array that has other sizes than these.
    pub(super) fn sizes_clash(&self, sizes: &[Size], view: &View, lane: usize) -> Option<ErrorKind> {
        sizes.iter().zip(&view.dims).find_map(|(size, dim)| match self.size_value(size, lane) {
            Some(size) if size == dim.size => None,
            // No array has a size that no number stands for.
            size => Some(ErrorKind::SizesDiffer(size.unwrap_or(-1).into(), dim.size.into())),
        })
    }

    /// Checks sizes that inference takes to be equal, so that some expressions stand where they do.
    pub(super) fn check_assumed(&self, sites: &[ExprId], active: &[usize]) -> Run<()> {
        let assumptions = &self.frame().unit.types.assumptions;
        for (site, a, b) in assumptions.iter().filter(|(site, ..)| sites.contains(site)) {
            for &lane in active {
                if let (Some(a), Some(b)) = (self.size_value(a, lane), self.size_value(b, lane))
                    && a != b
                {
                    return Err(self.sizes_differ(&[a], &[b], *site, lane));
                }
            }
        }
        Ok(())
    }

    /// Checks arrays against the sizes that the type of an expression knows.
    pub(super) fn check_known(&self, at: ExprId, values: &[Value], active: &[usize]) -> Run<()> {
        match self.frame().unit.types.exprs.get(at) {
            Some(ty) => self.check_sizes(at, ty, values, active),
            None => Ok(()),
        }
    }

    /// Checks arrays against the sizes that the type of an expression knows behind so many dimensions.
    pub(super) fn check_known_behind(&self, at: ExprId, n_dims: usize, values: &[Value], active: &[usize]) -> Run<()> {
        let Some(Ty::Array(element, sizes)) = self.frame().unit.types.exprs.get(at) else { return Ok(()) };
        let inner = sizes.get(n_dims..).unwrap_or_default().to_vec();
        self.check_sizes(at, &Ty::Array(element.clone(), inner), values, active)
    }

    /// Checks arrays, and those that are parts of tuples, against the sizes that a type knows.
    pub(super) fn check_sizes(&self, at: ExprId, ty: &Ty, values: &[Value], active: &[usize]) -> Run<()> {
        for (value, &lane) in values.iter().zip(active) {
            match (ty, value) {
                (Ty::Array(_, sizes), Value::View(view)) => {
                    for (size, dim) in sizes.iter().zip(&view.dims) {
                        if let Some(known) = self.size_value(size, lane)
                            && known != dim.size
                        {
                            return Err(self.sizes_differ(&[known], &[dim.size], at, lane));
                        }
                    }
                }
                (Ty::Tuple(types), Value::Tuple(parts)) => {
                    for (ty, part) in types.iter().zip(parts.iter()) {
                        self.check_sizes(at, ty, std::slice::from_ref(part), &[lane])?;
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// A size as a function sees it that is called from here: a number, if it is one and the same in all lanes, or unknown.
    pub(super) fn outside(&self, size: &Size, active: &[usize]) -> Size {
        let mut known = active.iter().map(|&lane| self.size_value(size, lane));
        let first = known.next().flatten().filter(|&first| known.all(|other| other == Some(first)));
        first.map_or_else(|| Size::atom(Atom::Unknown(0)), Size::constant)
    }

    /// A size as a number.
    pub(super) fn size_value(&self, size: &Size, lane: usize) -> Option<i64> {
        let body = &self.frame().unit.body;
        let vars = &self.frame().lanes[lane].vars;
        let integer = |local: LocalId| match vars.get(&local)? {
            Value::Scalar(scalar) => i64::try_from(scalar.wide()?).ok().map(Size::constant),
            _ => None,
        };
        let known = size.replace(&mut |atom| match atom {
            Atom::Local(local) => integer(*local),
            // A signature names parameters, and the function's own sizes, by their numbers.
            Atom::Param(n) => integer(*body.params.get(*n as usize)?),
            Atom::Generic(n) => {
                let mut own = body.locals.iter().filter(|(_, local)| local.kind == LocalKind::Size);
                integer(own.nth(*n as usize)?.0)
            }
            Atom::Own(local, dim) => match vars.get(local)? {
                Value::View(view) => Some(Size::constant(view.dims.get(*dim as usize)?.size)),
                _ => None,
            },
            _ => None,
        });
        known?.as_constant()
    }
}

/// Returns the number of scalars that an array of these sizes has; `None` if no array can have them.
pub(super) fn n_cells(sizes: &[i64], element: &Element) -> Option<usize> {
    let sizes = sizes.iter().map(|&size| usize::try_from(size).ok());
    sizes.chain([Some(element.fields().len())]).try_fold(1usize, |count, size| count.checked_mul(size?))
}

/// The sizes of a view.
pub(super) fn sizes_of(view: &View) -> Vec<i64> {
    view.dims.iter().map(|dim| dim.size).collect()
}

/// The number of elements of an array that has these sizes.
pub(super) fn n_elements(sizes: &[i64]) -> usize {
    // A view with elements has each of them in memory, so their number fits.
    if sizes.contains(&0) { 0 } else { sizes.iter().product::<i64>() as usize }
}
