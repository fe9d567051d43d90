//! The variables of inference, and unification.

use std::cmp::Ordering;

use ir::{Elem, ElemSet};

use crate::ExprId;
use crate::size::{Atom, Size};
use crate::ty::Ty;

/// The knowledge about a type variable.
#[derive(Debug, Clone)]
enum Var {
    /// The variable stands for this type.
    Is(Ty),
    /// The variable is still open.
    Open {
        /// The scalars it may be; `None` when it need not be a scalar.
        scalars: Option<ElemSet>,
        /// A parameter without a type is among what it stands for. Such a number is a float unless something says
        /// otherwise; any other is what an integer literal is by itself.
        param: bool,
    },
}

/// All variables of one inference.
#[derive(Debug, Default)]
pub(super) struct Table {
    vars: Vec<Var>,
    /// The bound on the length of the chains of variables that lead to each variable.
    heights: Vec<u32>,
    /// The expression whose use decided a variable, for messages.
    causes: Vec<Option<ExprId>>,
    sizes: Vec<Option<Size>>,
    n_unknown: u32,
    /// The part that is being looked at.
    pub(super) site: Option<ExprId>,
}

/// The reason why two types cannot be unified.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Clash {
    /// The types differ in kind.
    Types,
    /// The types have these numbers of dimensions.
    Ranks(usize, usize),
    /// Two sizes differ for every value of the symbols.
    Sizes(Size, Size),
}

impl Table {
    /// A new variable that may be anything.
    pub(super) fn any(&mut self) -> Ty {
        self.open(None, false)
    }

    /// A new variable for a parameter without a type, or for the elements of one.
    pub(super) fn param(&mut self) -> Ty {
        self.open(None, true)
    }

    /// A new variable for a scalar from a set.
    pub(super) fn scalar(&mut self, scalars: ElemSet) -> Ty {
        match scalars.single() {
            Some(scalar) => Ty::Scalar(scalar),
            None => self.open(Some(scalars), false),
        }
    }

    /// A new variable for an integer.
    pub(super) fn integer(&mut self) -> Ty {
        self.open(Some(ElemSet::INTEGERS), false)
    }

    fn open(&mut self, scalars: Option<ElemSet>, param: bool) -> Ty {
        self.vars.push(Var::Open { scalars, param });
        self.heights.push(0);
        self.causes.push(None);
        Ty::Var(self.vars.len() as u32 - 1)
    }

    /// A new size to be found.
    pub(super) fn size(&mut self) -> Size {
        self.sizes.push(None);
        Size::atom(Atom::Var(self.sizes.len() as u32 - 1))
    }

    /// A size that nothing will ever be known about.
    pub(super) fn unknown_size(&mut self) -> Size {
        self.n_unknown += 1;
        Size::atom(Atom::Unknown(self.n_unknown - 1))
    }

    /// The type that a variable is, if it is one; an array's elements and the parts of others may be variables still.
    pub(super) fn known<'t>(&'t self, mut ty: &'t Ty) -> &'t Ty {
        while let Ty::Var(var) = ty {
            match &self.vars[*var as usize] {
                Var::Is(known) => ty = known,
                Var::Open { .. } => break,
            }
        }
        ty
    }

    /// The scalar type of a value, or of the elements of an array, if that is known.
    pub(super) fn scalar_within(&self, ty: &Ty) -> Option<Elem> {
        match self.known(ty) {
            Ty::Scalar(elem) => Some(*elem),
            Ty::Array(element, _) => self.scalar_within(element),
            _ => None,
        }
    }

    /// The type as far as it is known: at the top, no variable that is something. An array whose elements turned out to be arrays has
    /// the dimensions of these too.
    pub(super) fn shallow(&self, ty: &Ty) -> Ty {
        match self.known(ty) {
            Ty::Array(element, sizes) if matches!(**element, Ty::Var(_)) => {
                Ty::array(self.shallow(element), sizes.clone())
            }
            ty => ty.clone(),
        }
    }

    /// The type with everything in it as far as it is known.
    pub(super) fn resolve(&self, ty: &Ty) -> Ty {
        ty.replace(
            &mut |ty| match ty {
                Ty::Var(_) => match self.shallow(ty) {
                    open @ Ty::Var(_) => Some(open),
                    known => Some(self.resolve(&known)),
                },
                _ => None,
            },
            &mut |size| self.resolve_size(size),
        )
    }

    pub(super) fn resolve_size(&self, size: &Size) -> Size {
        let known = |atom: &Atom| matches!(atom, Atom::Var(var) if self.sizes[*var as usize].is_some());
        if !size.any(&known) {
            return size.clone();
        }
        let replaced = size.replace(&mut |atom| match atom {
            Atom::Var(var) => match &self.sizes[*var as usize] {
                Some(known) => Some(self.resolve_size(known)),
                None => Some(Size::atom(atom.clone())),
            },
            other => Some(Size::atom(other.clone())),
        });
        replaced.unwrap_or_else(|| size.clone())
    }

    /// The scalars that an open variable may still be.
    pub(super) fn scalars(&self, var: u32) -> Option<ElemSet> {
        match &self.vars[var as usize] {
            Var::Open { scalars, .. } => *scalars,
            Var::Is(_) => None,
        }
    }

    /// The expression that decided what a variable is.
    pub(super) fn cause(&self, ty: &Ty) -> Option<ExprId> {
        let mut ty = ty;
        let mut cause = None;
        while let Ty::Var(var) = ty {
            cause = self.causes[*var as usize].or(cause);
            match &self.vars[*var as usize] {
                Var::Is(known) => ty = known,
                Var::Open { .. } => break,
            }
        }
        cause
    }

    /// The name of a variable in messages.
    pub(super) fn describe(&self, var: u32) -> String {
        self.scalars(var).map_or_else(|| "a value".to_owned(), ElemSet::describe)
    }

    fn bind(&mut self, var: u32, ty: Ty) {
        self.vars[var as usize] = Var::Is(ty);
        self.causes[var as usize] = self.site;
    }

    /// Makes a type a scalar from a set. `Err` when it cannot be one.
    pub(super) fn narrow(&mut self, ty: &Ty, set: ElemSet) -> Result<(), ()> {
        match self.shallow(ty) {
            Ty::Error => Ok(()),
            Ty::Scalar(scalar) if set.contains(scalar) => Ok(()),
            Ty::Var(var) => {
                let Var::Open { scalars, param } = self.vars[var as usize] else {
                    unreachable!("shallow types are open")
                };
                let both = scalars.unwrap_or(ElemSet::ANY).and(set);
                if both.is_empty() {
                    return Err(());
                }
                match both.single() {
                    Some(scalar) => self.bind(var, Ty::Scalar(scalar)),
                    None if scalars == Some(both) => {}
                    None => {
                        self.vars[var as usize] = Var::Open { scalars: Some(both), param };
                        self.causes[var as usize] = self.site;
                    }
                }
                Ok(())
            }
            _ => Err(()),
        }
    }

    /// Makes two types one. The sizes that have to be assumed equal for that are returned.
    pub(super) fn unify(&mut self, a: &Ty, b: &Ty) -> Result<Vec<(Size, Size)>, Clash> {
        let mut assumed = Vec::new();
        self.unify_into(a, b, &mut assumed)?;
        Ok(assumed)
    }

    fn unify_into(&mut self, a: &Ty, b: &Ty, assumed: &mut Vec<(Size, Size)>) -> Result<(), Clash> {
        let (a, b) = (self.shallow(a), self.shallow(b));
        match (&a, &b) {
            (Ty::Error, _) | (_, Ty::Error) => Ok(()),
            (Ty::Var(x), Ty::Var(y)) if x == y => Ok(()),
            (Ty::Var(x), Ty::Var(y)) => self.join(*x, *y),
            (Ty::Var(var), ty) | (ty, Ty::Var(var)) => self.assign(*var, ty),
            (Ty::Array(x, xs), Ty::Array(y, ys)) => {
                match xs.len().cmp(&ys.len()) {
                    Ordering::Equal => self.unify_into(x, y, assumed)?,
                    // The elements that nothing is known of yet are rows.
                    Ordering::Less if self.may_be_array(x) => {
                        self.unify_into(x, &Ty::Array(y.clone(), ys[xs.len()..].to_vec()), assumed)?;
                    }
                    Ordering::Greater if self.may_be_array(y) => {
                        self.unify_into(&Ty::Array(x.clone(), xs[ys.len()..].to_vec()), y, assumed)?;
                    }
                    _ => return Err(Clash::Ranks(xs.len(), ys.len())),
                }
                for (x, y) in xs.iter().zip(ys) {
                    self.unify_sizes(x, y, assumed)?;
                }
                Ok(())
            }
            (Ty::Tuple(xs), Ty::Tuple(ys)) if xs.len() == ys.len() => {
                xs.iter().zip(ys).try_for_each(|(x, y)| self.unify_into(x, y, assumed))
            }
            (Ty::Fn(xs, x), Ty::Fn(ys, y)) if xs.len() == ys.len() => {
                xs.iter().zip(ys).try_for_each(|(x, y)| self.unify_into(x, y, assumed))?;
                self.unify_into(x, y, assumed)
            }
            _ if a == b => Ok(()),
            _ => Err(Clash::Types),
        }
    }

    /// A variable that no use has made a scalar.
    fn may_be_array(&self, ty: &Ty) -> bool {
        matches!(ty, Ty::Var(var) if self.scalars(*var).is_none())
    }

    fn join(&mut self, x: u32, y: u32) -> Result<(), Clash> {
        let (Var::Open { scalars: xs, param: x_param }, Var::Open { scalars: ys, param: y_param }) =
            (&self.vars[x as usize], &self.vars[y as usize])
        else {
            unreachable!("shallow types are open");
        };
        let scalars = match (xs, ys) {
            (Some(xs), Some(ys)) => Some(xs.and(*ys)),
            (one, other) => one.or(*other),
        };
        let param = *x_param || *y_param;
        if scalars.is_some_and(ElemSet::is_empty) {
            return Err(Clash::Types);
        }
        // The lower of the two is hung below the other, so that no chain is longer than the logarithm of all.
        let (x_height, y_height) = (self.heights[x as usize], self.heights[y as usize]);
        let (low, top) = if x_height > y_height { (y, x) } else { (x, y) };
        if x_height == y_height {
            self.heights[top as usize] += 1;
        }
        self.vars[top as usize] = Var::Open { scalars, param };
        self.bind(low, Ty::Var(top));
        if let Some(scalar) = scalars.and_then(ElemSet::single) {
            self.bind(top, Ty::Scalar(scalar));
        }
        Ok(())
    }

    fn assign(&mut self, var: u32, ty: &Ty) -> Result<(), Clash> {
        let fits = match (self.scalars(var), ty) {
            (Some(set), Ty::Scalar(scalar)) => set.contains(*scalar),
            (Some(_), _) => false,
            (None, ty) => !self.occurs(var, ty),
        };
        if !fits {
            return Err(Clash::Types);
        }
        self.bind(var, ty.clone());
        Ok(())
    }

    fn occurs(&self, var: u32, ty: &Ty) -> bool {
        match self.shallow(ty) {
            Ty::Var(other) => other == var,
            Ty::Array(element, _) => self.occurs(var, &element),
            Ty::Tuple(parts) => parts.iter().any(|part| self.occurs(var, part)),
            Ty::Fn(params, result) => params.iter().any(|param| self.occurs(var, param)) || self.occurs(var, &result),
            _ => false,
        }
    }

    fn unify_sizes(&mut self, x: &Size, y: &Size, assumed: &mut Vec<(Size, Size)>) -> Result<(), Clash> {
        let (x, y) = (self.resolve_size(x), self.resolve_size(y));
        let Some(difference) = x.minus(&y) else {
            assumed.push((x, y));
            return Ok(());
        };
        match difference.as_constant() {
            Some(0) => return Ok(()),
            Some(_) => return Err(Clash::Sizes(x, y)),
            None => {}
        }
        match difference.solve() {
            Some((var, size)) => self.sizes[var as usize] = Some(size),
            None => assumed.push((x, y)),
        }
        Ok(())
    }

    /// The default of an open variable that nothing has decided.
    fn default_of(&self, var: u32) -> Ty {
        let Var::Open { scalars, param } = &self.vars[var as usize] else {
            unreachable!("only open variables have defaults")
        };
        let Some(set) = scalars else { return Ty::Scalar(Elem::F32) };
        let first = if *param { [Elem::F32, Elem::I32] } else { [Elem::I32, Elem::F32] };
        let wanted = first.into_iter().chain(Elem::ALL).find(|&scalar| set.contains(scalar));
        Ty::Scalar(wanted.unwrap_or(Elem::F32))
    }

    /// Gives an open variable its default.
    pub(super) fn settle(&mut self, var: u32) {
        let ty = self.default_of(var);
        self.bind(var, ty);
    }

    /// Makes an open variable stand for one of the item's generic types.
    pub(super) fn make_generic(&mut self, var: u32, generic: Ty) {
        self.vars[var as usize] = Var::Is(generic);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chains_of_variables_stay_short() {
        let mut table = Table::default();
        let first = table.any();
        for _ in 0..1000 {
            let next = table.any();
            table.unify(&first, &next).expect("two open types are one");
        }
        let mut n_links = 0;
        let mut ty = first;
        while let Ty::Var(var) = ty {
            let Var::Is(next) = &table.vars[var as usize] else { break };
            ty = next.clone();
            n_links += 1;
        }
        assert!(n_links <= 1, "{n_links}");
    }
}
