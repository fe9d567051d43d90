//! Loops and branches as text.

use super::Printer;
use crate::entities::{Op, Region, Value};
use crate::ops::Code;
use crate::program::Control;
use crate::scalar::Scalar;

impl Printer<'_> {
    /// A control op, behind the names of its results.
    pub(super) fn control(&mut self, op: Op, control: &Control) {
        let kernel = self.kernel;
        let data = &kernel.ops[op];
        if control.marks.coherent && matches!(data.code, Code::For | Code::If | Code::While) {
            self.text("c");
        }
        match (data.code, &data.regions[..]) {
            (Code::If, &[then, other]) => {
                self.text("if ");
                self.operand(op, 0);
                self.text(":");
                self.end();
                self.block(then, "yield");
                let other_data = &kernel.regions[other];
                if !other_data.ops.is_empty() || !other_data.yields.is_empty() {
                    self.indent();
                    self.text("else:");
                    self.end();
                    self.block(other, "yield");
                }
            }
            (Code::While, &[test, body]) => self.while_loop(op, test, body),
            (_, &[body]) => {
                self.text(data.code.row().name);
                self.text(" ");
                self.loop_over(op, control, body);
            }
            (code, regions) => panic!("{op}: `{}` with {} blocks", code.row().name, regions.len()),
        }
    }

    fn while_loop(&mut self, op: Op, test: Region, body: Region) {
        let one_line = self.kernel.regions[test].ops.iter().all(|&inner| self.layout.is_inline(inner));
        self.text("while");
        if one_line {
            self.text(" ");
            self.yielded(test, 0);
        }
        self.carried(op, &self.kernel.regions[test].args, 0);
        self.text(":");
        self.end();
        if !one_line {
            self.depth += 1;
            self.statements(test);
            self.depth -= 1;
            self.indent();
            self.text("do ");
            self.yielded(test, 0);
            self.text(":");
            self.end();
        }
        self.block(body, "yield");
    }

    /// A loop over ranges, or over the elements of arrays.
    fn loop_over(&mut self, op: Op, control: &Control, body: Region) {
        let kernel = self.kernel;
        let args = &kernel.regions[body].args;
        let (n_ranges, n_head_args) = (kernel.n_ranges(op), kernel.n_head_args(op));
        let together = kernel.lanes_of_foreach(op);
        let width = if together.is_none() { control.width } else { None };
        self.list(0..n_ranges, |p, number| {
            p.name(args[number]);
            p.text(" in range(");
            p.operand(op, 3 * number);
            p.text(", ");
            p.operand(op, 3 * number + 1);
            p.step(op, 3 * number + 2, width);
            p.text(")");
        });
        self.list(0..kernel.n_arrays(op), |p, number| {
            p.name(args[number]);
            p.text(" in ");
            p.operand(op, number);
        });
        if let Some(lanes) = together {
            self.text(&format!(" in {lanes} lanes"));
        }
        let first = kernel.n_head_operands(op);
        self.carried(op, &args[n_head_args..], first);
        let first = first + args.len() - n_head_args;
        if !control.reductions.is_empty() {
            self.text(" reducing ");
            self.list(control.reductions.iter().enumerate(), |p, (number, fold)| {
                p.text(&format!("{} from ", fold.symbol()));
                p.operand(op, first + number);
            });
        }
        self.text(":");
        self.end();
        let outer = self.lanes;
        self.lanes = if together.is_some() { None } else { width.or(outer) };
        self.block(body, "yield");
        self.lanes = outer;
    }

    /// The step of a range, if it is not 1, times the lanes of a `vector_for`.
    fn step(&mut self, op: Op, number: usize, width: Option<u16>) {
        let step = self.kernel.ops[op].operands[number];
        let is_one = self.kernel.as_const(step).is_some_and(|step| step == Scalar::one(step.elem()));
        let lanes = width.map(|width| match self.kernel.lanes == Some(width) {
            true => "LANES".to_owned(),
            false => width.to_string(),
        });
        match lanes {
            None if is_one => {}
            None => {
                self.text(", ");
                self.operand(op, number);
            }
            Some(lanes) if is_one => self.text(&format!(", {lanes}")),
            Some(lanes) => {
                self.text(&format!(", ({lanes} * "));
                self.operand(op, number);
                self.text(")");
            }
        }
    }

    /// The carried values, and what they start from.
    fn carried(&mut self, op: Op, args: &[Value], first: usize) {
        if !args.is_empty() {
            self.text(" with ");
            self.list(args.iter().enumerate(), |p, (number, &arg)| {
                p.name(arg);
                p.text(" = ");
                p.operand(op, first + number);
            });
        }
    }
}
