//! Formulas of parameters as ops at the entry of a kernel.

use ir::builder::Builder;
use ir::entities::{Op, Value};
use ir::ops::Code;
use ir::program::{Attr, Kernel};
use ir::scalar::Scalar;
use ir::scratch::{ALIGN, Join, SizeFormula};
use ir::types::Elem;

/// Writes ops to the body of a kernel, behind one of its ops or in front of all.
pub(crate) fn at_entry(kernel: &mut Kernel, behind: Option<Op>, write: impl FnOnce(&mut Writer)) {
    let builder = Builder::detached(std::mem::replace(kernel, Kernel::new("")));
    let mut writer = Writer { builder, known: Vec::new() };
    write(&mut writer);
    let (written, region) = writer.builder.detach();
    *kernel = written;
    let written = std::mem::take(&mut kernel.regions[region].ops);
    let body = &mut kernel.regions[kernel.body].ops;
    let at = body.iter().position(|&op| Some(op) == behind).map_or(0, |at| at + 1);
    body.splice(at..at, written);
}

/// Writes formulas as ops on `i64`, each once. Their sums wrap around.
pub(crate) struct Writer {
    pub(crate) builder: Builder,
    known: Vec<(SizeFormula, Value)>,
}

impl Writer {
    pub(crate) fn value(&mut self, formula: &SizeFormula) -> Value {
        if let Some((_, value)) = self.known.iter().find(|(known, _)| known == formula) {
            return *value;
        }
        let value = self.written(formula);
        self.known.push((formula.clone(), value));
        value
    }

    fn number(&mut self, number: i64) -> Value {
        self.builder.constant(Scalar::I64(number))
    }

    fn written(&mut self, formula: &SizeFormula) -> Value {
        match formula {
            SizeFormula::Constant(number) => self.number(*number),
            SizeFormula::Param(number) => {
                let param = self.builder.kernel().params[*number].value;
                self.builder.op(Code::Index, &[param])
            }
            SizeFormula::Size(number, dim) => {
                let array = self.builder.kernel().params[*number].value;
                self.builder.op_with(Code::Size, Attr::Number(*dim as i64), &[array])
            }
            SizeFormula::Join(join, a, b) => {
                let operands = [self.value(a), self.value(b)];
                self.builder.op(code_of(*join), &operands)
            }
            SizeFormula::Wrapped(elem, inner) => {
                let inner = self.value(inner);
                let wrapped = match elem {
                    Elem::I64 => inner,
                    _ => self.builder.op_with(Code::Cast, Attr::Elem(*elem), &[inner]),
                };
                self.builder.op(Code::Index, &[wrapped])
            }
            SizeFormula::Aligned(inner) => {
                let (inner, above, mask) = (self.value(inner), self.number(ALIGN - 1), self.number(-ALIGN));
                let above = self.builder.op(Code::WrappingAdd, &[inner, above]);
                self.builder.op(Code::And, &[above, mask])
            }
            SizeFormula::Array(bytes, sizes) => {
                // The known factors become one.
                let known: i64 = sizes
                    .iter()
                    .filter_map(SizeFormula::as_constant)
                    .map(|size| size.max(0))
                    .fold(*bytes, i64::wrapping_mul);
                let mut product = (known != 1).then(|| self.number(known));
                for size in sizes.iter().filter(|size| size.as_constant().is_none()) {
                    let (size, zero) = (self.value(size), self.number(0));
                    let size = self.builder.op(Code::Max, &[size, zero]);
                    product =
                        Some(product.map_or(size, |product| self.builder.op(Code::WrappingMul, &[product, size])));
                }
                product.unwrap_or_else(|| self.number(1))
            }
        }
    }
}

/// The op that joins two numbers of a formula.
fn code_of(join: Join) -> Code {
    match join {
        Join::Add => Code::WrappingAdd,
        Join::Sub => Code::WrappingSub,
        Join::Mul => Code::WrappingMul,
        Join::Div => Code::Div,
        Join::FloorDiv => Code::FloorDiv,
        Join::Rem => Code::Rem,
        Join::Min => Code::Min,
        Join::Max => Code::Max,
    }
}
