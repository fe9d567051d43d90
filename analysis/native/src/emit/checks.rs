//! Checks of sizes at the entry of a kernel, and the status that it returns.

use ir::Op;

use super::abi::Status;
use super::function::Function;
use super::values::{Ty, Unit, Val};

impl Function<'_> {
    /// Writes a check. Behind the last one, the function returns if any does not hold: nothing was done before.
    pub(super) fn check(&mut self, op: Op) {
        self.checks.pop();
        let sizes: Vec<Val> = self.kernel.ops[op]
            .operands
            .clone()
            .iter()
            .map(|&size| {
                let (elem, val) = (self.elem(size), self.get(size));
                self.extended(elem, &val)
            })
            .collect();
        let fails = match &sizes[..] {
            [a, b] => format!("icmp ne {a}, {}", b.text),
            sizes => format!("icmp sle {}, 0", sizes[0]),
        };
        let own = self.make("differ", Ty::I1, fails);
        let differ = match self.differ.take() {
            Some(before) => self.make("differ", Ty::I1, format!("or {before}, {}", own.text)),
            None => own,
        };
        if !self.checks.is_empty() {
            self.differ = Some(differ);
            return;
        }
        let [stop, run] = ["stop", "run"].map(|hint| self.label(hint));
        self.line(format!("br {differ}, label %{stop}, label %{run}"));
        self.open_block(&stop);
        self.status(Status::SizesDiffer);
        self.open_block(&run);
    }

    /// Writes the end of a kernel that returns a status.
    pub(super) fn done(&mut self, result: Option<&Val>) {
        if let (Some(result), Some(address)) = (result, self.result.clone()) {
            let stored = match result.ty.unit {
                Unit::Int(1) => self.make("byte", Ty::one(Unit::Int(8)), format!("zext {result} to i8")),
                _ => result.clone(),
            };
            self.line(format!("store {stored}, {address}"));
        }
        self.status(Status::Done);
    }

    fn status(&mut self, status: Status) {
        self.line(format!("ret i32 {}", status as i32));
    }
}
