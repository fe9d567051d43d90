//! Statements, branches and jumps, for all lanes together where they stay together, else by masks.

use ispc_ir::module::{GangBlock, GangInst, GangReg, JumpId};
use ispc_ir::op::GangOp;

use crate::flow::{JumpPlace, is_together, leaving, leaving_inst, n_ops, parting};
use crate::function::{Around, Compiles, FunctionEmitter, Mask};
use crate::value::{Operand, RegValue};

/// The most ops of a block that is written twice, once for all lanes.
const MOST_TWICE: usize = 600;
/// The most ops that run without a test if any lane wants them.
const MOST_UNTESTED: usize = 12;

impl<'m> FunctionEmitter<'m> {
    pub(crate) fn statement(&mut self, inst: &'m GangInst) -> Compiles {
        match &inst.op {
            GangOp::If(test, yes, no) => self.branch(*test, yes, no),
            GangOp::Loop { id, test, body, step, again } => match is_together(self.function, inst) {
                true => self.loop_together(*id, test.as_ref(), body, step, *again),
                false => {
                    let leaves = !leaving_inst(inst).is_empty();
                    self.loop_parting(*id, test.as_ref(), (body, step), *again, leaves)
                }
            },
            GangOp::Switch { id, value, cases } => self.switch(*id, *value, cases),
            GangOp::AllLanes(body) => self.all_lanes(body),
            GangOp::EachLane { id, lane, body } => self.each_lane(*id, *lane, body),
            GangOp::EachValue { id, over, value, body } => self.each_value(*id, *over, *value, body),
            GangOp::Labelled(blocks) => self.labelled(blocks),
            GangOp::Break(id) => {
                self.jump(JumpPlace::Behind(*id));
                Ok(())
            }
            GangOp::Continue(id) => {
                self.jump(JumpPlace::Step(*id));
                Ok(())
            }
            GangOp::Goto(id) => {
                self.jump(JumpPlace::Label(*id));
                Ok(())
            }
            GangOp::Return(values) => {
                self.give(values);
                self.jump(JumpPlace::Return);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    // Jumps.

    /// Puts results where the end of the function takes them from.
    fn give(&mut self, values: &[GangReg]) {
        for (nth, value) in values.iter().enumerate() {
            let ty = self.type_of(*value);
            let (llvm, mut plain) = (self.ty(ty), self.plain(*value));
            if let (true, Mask::Some(mask), true) = (ty.is_varying, self.mask.clone(), self.n_returns > 1) {
                let before = self.set(format!("load {llvm}, ptr %given{nth}"));
                let (masks, mask) = (self.mask_type(), self.truths(&mask));
                plain = self.set(format!("select {masks} {mask}, {llvm} {plain}, {llvm} {before}"));
            }
            self.line(format!("store {llvm} {plain}, ptr %given{nth}"));
        }
    }

    /// The lanes that are on leave for a place.
    fn jump(&mut self, to: JumpPlace) {
        let around = self.around.clone();
        // Lanes that leave alone are remembered at the place that they leave for.
        for one in around.iter().rev() {
            let left = match (one, to) {
                (
                    Around::Parting { id, broken, .. } | Around::SwitchParting { id, broken, .. },
                    JumpPlace::Behind(it),
                ) if *id == it.0 => broken,
                (Around::Parting { id, continued, .. }, JumpPlace::Step(it)) if *id == it.0 => continued,
                _ => continue,
            };
            let mask = self.mask_vector();
            let before = self.mask_in(left);
            let all = self.either(&before, &mask);
            self.put_mask(left, &all);
            break;
        }
        let is_label = matches!(to, JumpPlace::Label(_));
        for one in around.iter().rev() {
            match one {
                // All lanes that are on go to a label together.
                Around::Varying { end } | Around::Parting { end, .. } | Around::SwitchParting { end, .. }
                    if !is_label =>
                {
                    return self.jump_to(end);
                }
                Around::Together { id, end, .. } | Around::SwitchTogether { id, end }
                    if to == JumpPlace::Behind(JumpId(*id)) =>
                {
                    return self.jump_to(end);
                }
                Around::Together { id, step, .. } if to == JumpPlace::Step(JumpId(*id)) => return self.jump_to(step),
                Around::Labelled { labels, mask } => {
                    if let JumpPlace::Label(it) = to
                        && let Some((_, label)) = labels.iter().find(|(id, _)| *id == it.0)
                    {
                        self.keep_mask(mask);
                        return self.jump_to(label);
                    }
                }
                _ => {}
            }
        }
        self.jump_to("return");
    }

    pub(crate) fn keep_mask(&mut self, cell: &str) {
        let mask = self.mask_vector();
        self.put_mask(cell, &mask);
    }

    pub(crate) fn put_mask(&mut self, cell: &str, mask: &str) {
        let (kept, ty) = (self.kept(mask), self.kept_type());
        self.line(format!("store {ty} {kept}, ptr {cell}"));
    }

    /// The mask that memory has.
    pub(crate) fn mask_in(&mut self, cell: &str) -> Operand {
        let ty = self.kept_type();
        let kept = self.set(format!("load {ty}, ptr {cell}"));
        self.unkept(kept)
    }

    pub(crate) fn take_mask(&mut self, cell: &str) {
        let mask = self.mask_in(cell);
        self.mask = Mask::Some(mask);
    }

    pub(crate) fn no_lanes(&mut self, cell: &str) {
        let ty = self.kept_type();
        self.line(format!("store {ty} zeroinitializer, ptr {cell}"));
    }

    /// Where a block goes on that no lane is in any more.
    fn end_without_lanes(&self) -> Operand {
        for one in self.around.iter().rev() {
            match one {
                Around::Varying { end } | Around::Parting { end, .. } | Around::SwitchParting { end, .. } => {
                    return end.clone();
                }
                // Lanes have gone to its step, and nowhere else.
                Around::Together { step, .. } => return step.clone(),
                Around::SwitchTogether { .. } | Around::Labelled { .. } => {}
            }
        }
        "return".into()
    }

    /// Goes on if a lane is on.
    pub(crate) fn leave_without_lanes(&mut self) {
        self.may_be_none = false;
        let Mask::Some(mask) = self.mask.clone() else { return };
        let (any, on, end) = (self.any(&mask), self.new_label(), self.end_without_lanes());
        self.branch_on(&any, &on, &end);
        self.label(&on);
    }

    // Branches.

    fn branch(&mut self, test: GangReg, yes: &'m GangBlock, no: &'m GangBlock) -> Compiles {
        if !self.type_of(test).is_varying {
            return self.branch_together(test, yes, no);
        }
        if let (Some(RegValue::Below { start, limit, .. }), Mask::All, true) =
            (self.value(test).cloned(), self.mask.clone(), no.is_empty())
            && self.type_of(test).is_varying
            && n_ops(yes) <= MOST_TWICE
        {
            return self.whole_or_part(test, &start, &limit, yes);
        }
        let before = self.mask.clone();
        let (holds, ty) = (self.plain(test), self.kept_type());
        let taken = match &before {
            Mask::All => holds,
            Mask::Some(mask) => self.both(mask, &holds),
        };
        let leaves = !leaving(yes).is_empty() || !leaving(no).is_empty();
        let other = if leaves || !no.is_empty() { Some(self.others(&taken, &before)) } else { None };
        if self.can_run_without_lanes(yes) && self.can_run_without_lanes(no) && n_ops(yes) + n_ops(no) <= MOST_UNTESTED
        {
            for (mask, block) in [(Some(taken), yes), (other, no)] {
                if let Some(mask) = mask {
                    self.mask = Mask::Some(mask);
                    self.block(block)?;
                }
            }
            self.mask = before;
            return Ok(());
        }
        let after = if leaves { Some((self.allocate(&ty), self.allocate(&ty))) } else { None };
        self.side(&taken, yes, after.as_ref().map(|(yes, _)| yes))?;
        if let Some(other) = &other {
            match no.is_empty() {
                true => {
                    if let Some((_, cell)) = &after {
                        self.put_mask(cell, other);
                    }
                }
                false => self.side(other, no, after.as_ref().map(|(_, no)| no))?,
            }
        }
        match after {
            None => self.mask = before,
            Some((yes, no)) => {
                let (yes, no) = (self.mask_in(&yes), self.mask_in(&no));
                let both = self.either(&yes, &no);
                (self.mask, self.may_be_none) = (Mask::Some(both), true);
            }
        }
        Ok(())
    }

    /// The lanes that are on and not among some.
    pub(crate) fn others(&mut self, taken: &str, before: &Mask) -> Operand {
        match before {
            Mask::All => {
                let (ty, all) = (self.mask_type(), self.constant("i1", "true", true));
                self.operation("xor", &ty, taken, &all)
            }
            Mask::Some(mask) => self.apart(mask, taken),
        }
    }

    /// One side of a branch, for some lanes; the memory takes those that are on behind it.
    pub(crate) fn side(&mut self, mask: &Operand, block: &'m GangBlock, after: Option<&Operand>) -> Compiles {
        if let Some(after) = after {
            self.no_lanes(after);
        }
        let (any, on, end) = (self.any(mask), self.new_label(), self.new_label());
        self.branch_on(&any, &on, &end);
        self.label(&on);
        self.mask = Mask::Some(mask.clone());
        self.around.push(Around::Varying { end: end.clone() });
        self.block(block)?;
        self.around.pop();
        if self.is_open {
            if let Some(after) = after {
                self.keep_mask(after);
            }
            self.jump_to(&end);
        }
        self.label(&end);
        self.may_be_none = false;
        Ok(())
    }

    /// A branch that all lanes take together.
    fn branch_together(&mut self, test: GangReg, yes: &'m GangBlock, no: &'m GangBlock) -> Compiles {
        let holds = self.plain(test);
        let [on, off, end] = [self.new_label(), self.new_label(), self.new_label()];
        let before = self.mask.clone();
        let parts = !parting(self.function, yes).is_empty() || !parting(self.function, no).is_empty();
        let cell = if parts { Some(self.allocate(&self.kept_type())) } else { None };
        self.branch_on(&holds, &on, if no.is_empty() && cell.is_none() { &end } else { &off });
        let mut is_reached = no.is_empty();
        for (label, block) in [(&on, yes), (&off, no)] {
            if block.is_empty() && label == &off && cell.is_none() {
                continue;
            }
            self.label(label);
            self.mask = before.clone();
            self.block(block)?;
            self.may_be_none = false;
            if self.is_open {
                is_reached = true;
                if let Some(cell) = &cell {
                    self.keep_mask(cell);
                }
                self.jump_to(&end);
            }
        }
        self.mask = before;
        if is_reached {
            self.label(&end);
            if let Some(cell) = cell {
                self.take_mask(&cell);
                self.may_be_none = true;
            }
        }
        Ok(())
    }

    /// The lanes of a row that are below a limit: all of them mostly, and then the block is written for all.
    fn whole_or_part(&mut self, test: GangReg, start: &str, limit: &str, yes: &'m GangBlock) -> Compiles {
        let left = self.set(format!("sub i32 {limit}, {start}"));
        let fits = self.set(format!("icmp sge i32 {left}, {}", self.lanes));
        // A difference that is too large for its type is one that all lanes fit in: a lane's index is below the limit here.
        let [whole, part, end] = [self.new_label(), self.new_label(), self.new_label()];
        let holds = self.plain(test);
        let parts = !leaving(yes).is_empty();
        let ty = self.kept_type();
        let cell = if parts { Some(self.allocate(&ty)) } else { None };
        self.branch_on(&fits, &whole, &part);
        self.label(&whole);
        let inner = self.new_label();
        self.around.push(Around::Varying { end: inner.clone() });
        self.block(yes)?;
        self.around.pop();
        if self.is_open {
            if let Some(cell) = &cell {
                self.keep_mask(cell);
            }
            self.jump_to(&end);
        }
        if let Some(cell) = &cell {
            self.label(&inner);
            self.no_lanes(cell);
            self.jump_to(&end);
        }
        self.may_be_none = false;
        self.label(&part);
        self.side(&holds, yes, cell.as_ref())?;
        if let Some(cell) = &cell {
            let off = self.others(&holds, &Mask::All);
            let on = self.mask_in(cell);
            let both = self.either(&on, &off);
            self.put_mask(cell, &both);
        }
        self.jump_to(&end);
        self.label(&end);
        self.mask = Mask::All;
        if let Some(cell) = &cell {
            self.take_mask(cell);
            self.may_be_none = true;
        }
        Ok(())
    }

    /// Returns true for ops that do nothing if no lane is on, at little cost.
    fn can_run_without_lanes(&self, block: &GangBlock) -> bool {
        use ispc_ir::op::{OneOperand as One, TwoOperands as Two};
        block.iter().all(|inst| {
            let varies = |reg: GangReg| self.type_of(reg).is_varying;
            match &inst.op {
                GangOp::Constant(_) | GangOp::Slot(_) | GangOp::Global(_) | GangOp::LaneIndex => true,
                GangOp::Compare(..) | GangOp::Select(..) | GangOp::Convert(_) | GangOp::Reinterpret(_) => true,
                GangOp::Spread(_) => true,
                GangOp::One(op, _) => {
                    matches!(op, One::Negate | One::Not | One::Abs | One::IsNan | One::Round | One::Floor | One::Ceil)
                }
                GangOp::Two(op, ..) => matches!(
                    op,
                    Two::Add
                        | Two::Sub
                        | Two::Mul
                        | Two::And
                        | Two::Or
                        | Two::Xor
                        | Two::Shl
                        | Two::Shr
                        | Two::Min
                        | Two::Max
                ),
                GangOp::Load(address) => self.uses.cell(*address).is_some(),
                GangOp::Store { address, value } => varies(*value) && self.uses.cell(*address).is_some(),
                _ => false,
            }
        })
    }
}
