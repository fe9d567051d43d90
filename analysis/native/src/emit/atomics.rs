//! Atomic ops: `atomicrmw` for each active lane, one after the other. Threads see them in any order (`monotonic`), lanes in theirs.

use ir::{AtomicRule, Op};

use super::access::Access;
use super::elementwise::zero_text;
use super::function::Function;
use super::values::{Ty, Unit, Val};

impl Function<'_> {
    /// An atomic op: of one cell, or of each active lane's.
    pub(super) fn atomic(&mut self, op: Op, rule: AtomicRule, access: &Access) {
        let result = self.kernel.ops[op].results[0];
        if access.lanes == 0 {
            let at = self.cell_address(access);
            let operand = self.get(access.stored[0]);
            let old = self.step_of(rule, access, &at, &operand);
            return self.set(result, old);
        }
        let lanes = Some(access.lanes);
        let addresses = self.own_addresses(access, None);
        let operands = self.get_in(access.stored[0], lanes);
        let ty = Ty { unit: Unit::of(access.elem), lanes };
        let mut all = Val::new(zero_text(ty), ty);
        for lane in 0..access.lanes {
            let skipped = access.mask.as_ref().map(|mask| {
                let is_active = self.extracted(mask, lane);
                let [inside, end] = ["atomic", "end_atomic"].map(|hint| self.label(hint));
                self.line(format!("br {is_active}, label %{inside}, label %{end}"));
                let before = self.block();
                self.open_block(&inside);
                (before, end)
            });
            let [at, operand] = [&addresses, &operands].map(|of| self.extracted(of, lane));
            let old = self.step_of(rule, access, &at, &operand);
            let with = self.make("olds", ty, format!("insertelement {all}, {old}, i64 {lane}"));
            all = match skipped {
                None => with,
                Some((before, end)) => {
                    let inside = self.block();
                    self.line(format!("br label %{end}"));
                    self.open_block(&end);
                    self.phi("olds", (&with, &inside), (&all, &before))
                }
            };
        }
        self.set(result, all);
    }

    /// One lane's step; gives what the cell held before.
    fn step_of(&mut self, rule: AtomicRule, access: &Access, at: &Val, operand: &Val) -> Val {
        let (is_float, is_signed) = (access.elem.is_float(), access.elem.is_signed());
        let name = match rule {
            AtomicRule::Add if is_float => "fadd",
            AtomicRule::Add => "add",
            AtomicRule::Min if is_signed => "min",
            AtomicRule::Min => "umin",
            AtomicRule::Max if is_signed => "max",
            AtomicRule::Max => "umax",
            AtomicRule::And => "and",
            AtomicRule::Or => "or",
            AtomicRule::Xor => "xor",
            AtomicRule::Exchange => "xchg",
        };
        let align = access.elem.bytes();
        self.make("old", operand.ty, format!("atomicrmw {name} {at}, {operand} monotonic, align {align}"))
    }

    /// A lane of a vector.
    pub(super) fn extracted(&mut self, of: &Val, lane: u16) -> Val {
        let ty = Ty { unit: of.ty.unit, lanes: None };
        match of.ty.lanes {
            None => of.clone(),
            Some(_) => self.make("lane", ty, format!("extractelement {of}, i64 {lane}")),
        }
    }
}
