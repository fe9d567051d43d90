//! Sizes of arrays as values and as the sizes of parameters.

use ir::{Attr, Code, Scalar as Constant, SizeOperator, Type, Value};

use super::{Lower, Lowered, Var};
use crate::hir::LocalId;
use crate::size::{Atom, Size};
use crate::ty::Ty;

impl Lower<'_> {
    /// The size of a dimension of a parameter of the kernel.
    pub(super) fn param_size(&mut self, param: LocalId, size: &Size) -> ir::Size {
        if let Some(size) = self.ir_size(size) {
            return size;
        }
        let is_open = |atom: &Atom| matches!(atom, Atom::Unknown(_) | Atom::Var(_));
        let open = size.terms().any(|(atoms, _)| atoms.iter().any(is_open));
        let alone = matches!(&size.terms().collect::<Vec<_>>()[..], [([atom], 1)] if is_open(atom));
        if alone && self.is_of_one_dimension(size) {
            return ir::Size::Own;
        }
        let at = self.frame().body.locals[param].ty.as_ref().map_or(self.frame().map.locals[param], |ty| ty.at);
        self.not_yet(at, if open { "a size that only a call gives" } else { "a size with a division" });
        ir::Size::Own
    }

    /// Whether a size that is open is that of a single dimension, about which nothing is known then: the array is known to
    /// be one by what it is given to.
    fn is_of_one_dimension(&self, size: &Size) -> bool {
        let sizes = |param: &LocalId| match self.local_type(*param) {
            Ty::Array(_, sizes) => sizes,
            _ => Vec::new(),
        };
        self.frame().body.params.iter().flat_map(sizes).filter(|other| other == size).count() == 1
    }

    fn ir_size(&self, size: &Size) -> Option<ir::Size> {
        let mut sum: Option<ir::Size> = None;
        for (atoms, factor) in size.terms() {
            let mut product: Option<ir::Size> = None;
            for atom in atoms {
                let atom = match atom {
                    Atom::Local(local) => match self.vars.get(&self.local_var(*local)) {
                        Some(Lowered::Scalar(value)) => ir::Size::Param(*value),
                        _ => return None,
                    },
                    Atom::Own(..) => return (size.terms().count() == 1 && factor == 1).then_some(ir::Size::Own),
                    _ => return None,
                };
                product = Some(join(SizeOperator::Mul, product, atom));
            }
            let term = match product {
                None => ir::Size::Constant(factor),
                Some(product) if factor == 1 => product,
                Some(product) => join(SizeOperator::Mul, Some(ir::Size::Constant(factor)), product),
            };
            sum = Some(join(SizeOperator::Add, sum, term));
        }
        Some(sum.unwrap_or(ir::Size::Constant(0)))
    }

    /// A size of the current function as a value, where its parts are known as values.
    pub(super) fn size_value(&mut self, size: &Size) -> Option<Value> {
        let i64 = Type::scalar(ir::Elem::I64);
        let terms: Vec<_> = size.terms().map(|(atoms, factor)| (atoms.to_vec(), factor)).collect();
        let mut sum: Option<Value> = None;
        for (atoms, factor) in terms {
            let mut product = self.constant(Constant::I64(factor));
            for atom in &atoms {
                let atom = match atom {
                    Atom::Local(local) => {
                        let value = match self.vars.get(&self.local_var(*local)) {
                            Some(Lowered::Scalar(value)) => *value,
                            _ => return None,
                        };
                        self.op(Code::Index, Attr::None, &[value], i64)
                    }
                    Atom::Own(local, dim) => {
                        let view = match self.vars.get(&self.local_var(*local)) {
                            Some(Lowered::View(view)) => *view,
                            _ => return None,
                        };
                        self.op(Code::Size, Attr::Number(i64::from(*dim)), &[view], i64)
                    }
                    _ => return None,
                };
                product = self.op(Code::WrappingMul, Attr::None, &[product, atom], i64);
            }
            sum = Some(match sum {
                None => product,
                Some(sum) => self.op(Code::WrappingAdd, Attr::None, &[sum, product], i64),
            });
        }
        Some(sum.unwrap_or_else(|| self.constant(Constant::I64(0))))
    }

    /// Gives the sizes that a function's parameter types introduce their values: each is the size of some dimension.
    pub(super) fn bind_sizes(&mut self) {
        let body = self.frame().body.clone();
        let number = self.frame().number;
        for &param in &body.params {
            let Ty::Array(_, sizes) = self.local_type(param) else { continue };
            let Some(Lowered::View(view)) = self.vars.get(&Var::Local(number, param)).cloned() else { continue };
            for (dim, size) in sizes.iter().enumerate() {
                let Some(local) = size.as_local() else { continue };
                let var = Var::Local(number, local);
                if self.vars.contains_key(&var) || body.locals[local].kind != crate::hir::LocalKind::Size {
                    continue;
                }
                let i64 = Type::scalar(ir::Elem::I64);
                let value = self.op(Code::Size, Attr::Number(dim as i64), &[view], i64);
                let wanted = self.local_type(local).scalar().map_or(ir::Elem::I32, super::elem);
                let value = match wanted {
                    ir::Elem::I64 => value,
                    wanted => self.op(Code::Cast, Attr::Elem(wanted), &[value], Type::scalar(wanted)),
                };
                self.vars.insert(var, Lowered::Scalar(value));
            }
        }
    }
}

fn join(operator: SizeOperator, a: Option<ir::Size>, b: ir::Size) -> ir::Size {
    match a {
        None => b,
        Some(a) => ir::Size::Arithmetic(operator, Box::new(a), Box::new(b)),
    }
}
