//! Sizes of arrays as values and as the sizes of parameters.

use ir::{Attr, Code, Scalar as Constant, SizeOperator, Type, Value};

use super::{Lower, Lowered, Var};
use hir::size::{Atom, Size, SizeOp};
use hir::ty::Ty;

/// The type in which sizes are computed.
const INDEX: Type = Type::scalar(ir::Elem::I64);

impl Lower<'_> {
    /// The size of a dimension of a parameter of the kernel.
    pub(super) fn param_size(&mut self, size: &Size) -> ir::Size {
        self.ir_size(size).unwrap_or(ir::Size::Own)
    }

    fn is_integer(&self, value: ir::Value) -> bool {
        self.b.kernel().ty(value).data_elem().is_some_and(ir::Elem::is_integer)
    }

    /// `None` for a size that nothing is known about.
    fn ir_size(&self, size: &Size) -> Option<ir::Size> {
        let mut sum: Option<ir::Size> = None;
        for (atoms, factor) in size.terms() {
            let mut product: Option<ir::Size> = None;
            for atom in atoms {
                let atom = match atom {
                    Atom::Local(local) => match self.vars.get(&self.local_var(*local)) {
                        Some(Lowered::Scalar(value)) if self.is_integer(*value) => ir::Size::Param(*value),
                        _ => return None,
                    },
                    Atom::Op(op, a, b) => join(operator(*op), Some(self.ir_size(a)?), self.ir_size(b)?),
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
        let mut sum: Option<Value> = None;
        for (atoms, factor) in size.terms() {
            let mut product = (factor != 1 || atoms.is_empty()).then(|| self.constant(Constant::I64(factor)));
            for atom in atoms {
                let atom = self.atom_value(atom)?;
                product = Some(match product {
                    None => atom,
                    Some(product) => self.op(Code::WrappingMul, Attr::None, &[product, atom], INDEX),
                });
            }
            let term = product?;
            sum = Some(match sum {
                None => term,
                Some(sum) => self.op(Code::WrappingAdd, Attr::None, &[sum, term], INDEX),
            });
        }
        Some(sum.unwrap_or_else(|| self.constant(Constant::I64(0))))
    }

    fn atom_value(&mut self, atom: &Atom) -> Option<Value> {
        match atom {
            Atom::Local(local) => match self.vars.get(&self.local_var(*local)) {
                Some(&Lowered::Scalar(value)) => Some(self.op(Code::Index, Attr::None, &[value], INDEX)),
                _ => None,
            },
            Atom::Own(local, dim) => match self.vars.get(&self.local_var(*local)) {
                Some(&Lowered::View(view)) => Some(self.op(Code::Size, Attr::Number(i64::from(*dim)), &[view], INDEX)),
                _ => None,
            },
            Atom::Op(op, a, b) => {
                let (a, b) = (self.size_value(a)?, self.size_value(b)?);
                Some(self.size_quotient(*op, a, b))
            }
            _ => None,
        }
    }

    /// A quotient or remainder of sizes. Where 0 divides, it is -1: no array has that size, so whatever it is compared
    /// with, the sizes differ.
    fn size_quotient(&mut self, op: SizeOp, a: Value, b: Value) -> Value {
        let code = match op {
            SizeOp::Div => Code::Div,
            SizeOp::FloorDiv => Code::FloorDiv,
            SizeOp::Rem => Code::Rem,
        };
        let [none, zero, one] = [-1, 0, 1].map(|n| self.constant(Constant::I64(n)));
        if self.b.kernel().as_const(b).is_some_and(|b| b != Constant::I64(0)) {
            return self.op(code, Attr::None, &[a, b], INDEX);
        }
        let by_zero = self.op(Code::Eq, Attr::None, &[b, zero], Type::scalar(ir::Elem::Bool));
        let divisor = self.op(Code::Select, Attr::None, &[by_zero, one, b], INDEX);
        let quotient = self.op(code, Attr::None, &[a, divisor], INDEX);
        self.op(Code::Select, Attr::None, &[by_zero, none, quotient], INDEX)
    }

    /// Gives the sizes that a function's parameter types introduce their values: each is the size of some dimension.
    pub(super) fn bind_sizes(&mut self) {
        let body = self.frame().body.clone();
        let number = self.frame().number;
        for &param in &body.params {
            // Its own type: one that a call gives it names sizes of the caller.
            let Some(Ty::Array(_, sizes)) = self.frame().inference.locals.get(param).cloned() else { continue };
            let Some(Lowered::View(view)) = self.vars.get(&Var::Local(number, param)).cloned() else { continue };
            for (dim, size) in sizes.iter().enumerate() {
                let Some(local) = size.as_local() else { continue };
                let var = Var::Local(number, local);
                if self.vars.contains_key(&var) || body.locals[local].kind != hir::LocalKind::Size {
                    continue;
                }
                let i64 = Type::scalar(ir::Elem::I64);
                let value = self.op(Code::Size, Attr::Number(dim as i64), &[view], i64);
                let wanted = self.local_type(local).scalar().unwrap_or(ir::Elem::I32);
                let value = match wanted {
                    ir::Elem::I64 => value,
                    wanted => self.op(Code::Cast, Attr::Elem(wanted), &[value], Type::scalar(wanted)),
                };
                self.vars.insert(var, Lowered::Scalar(value));
            }
        }
    }
}

fn operator(op: SizeOp) -> SizeOperator {
    match op {
        SizeOp::Div => SizeOperator::Div,
        SizeOp::FloorDiv => SizeOperator::FloorDiv,
        SizeOp::Rem => SizeOperator::Rem,
    }
}

fn join(operator: SizeOperator, a: Option<ir::Size>, b: ir::Size) -> ir::Size {
    match a {
        None => b,
        Some(a) => ir::Size::Arithmetic(operator, Box::new(a), Box::new(b)),
    }
}
