//! Statements: branches, loops and jumps, for all lanes together where they stay together, else by masks.

use ispc_ir::module::{GangBlock, GangInst, GangReg, JumpId};
use ispc_ir::op::{GangOp, SwitchCase};

use crate::flow::{JumpPlace, is_together, leaving, leaving_inst, n_ops, parting};
use crate::function::{Around, Compiles, FunctionEmitter, Mask, element};
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

    fn keep_mask(&mut self, cell: &str) {
        let mask = self.mask_vector();
        self.put_mask(cell, &mask);
    }

    fn put_mask(&mut self, cell: &str, mask: &str) {
        let (kept, ty) = (self.kept(mask), self.kept_type());
        self.line(format!("store {ty} {kept}, ptr {cell}"));
    }

    /// The mask that memory has.
    fn mask_in(&mut self, cell: &str) -> Operand {
        let ty = self.kept_type();
        let kept = self.set(format!("load {ty}, ptr {cell}"));
        self.unkept(kept)
    }

    fn take_mask(&mut self, cell: &str) {
        let mask = self.mask_in(cell);
        self.mask = Mask::Some(mask);
    }

    fn no_lanes(&mut self, cell: &str) {
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
    fn others(&mut self, taken: &str, before: &Mask) -> Operand {
        match before {
            Mask::All => {
                let (ty, all) = (self.mask_type(), self.constant("i1", "true", true));
                self.operation("xor", &ty, taken, &all)
            }
            Mask::Some(mask) => self.apart(mask, taken),
        }
    }

    /// One side of a branch, for some lanes; the memory takes those that are on behind it.
    fn side(&mut self, mask: &Operand, block: &'m GangBlock, after: Option<&Operand>) -> Compiles {
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

    // Loops.

    fn loop_together(
        &mut self,
        id: JumpId,
        test: Option<&'m (GangBlock, GangReg)>,
        body: &'m GangBlock,
        step: &'m GangBlock,
        again: Option<GangReg>,
    ) -> Compiles {
        let known = self.known();
        let mask = self.mask.clone();
        let [round, next, end] = [self.new_label(), self.new_label(), self.new_label()];
        self.jump_to(&round);
        self.label(&round);
        if let Some((block, holds)) = test {
            self.insts(block)?;
            let (holds, on) = (self.plain(*holds), self.new_label());
            self.branch_on(&holds, &on, &end);
            self.label(&on);
        }
        self.around.push(Around::Together { id: id.0, end: end.clone(), step: next.clone() });
        self.block(body)?;
        self.around.pop();
        if self.is_open {
            self.jump_to(&next);
        }
        self.label(&next);
        (self.mask, self.may_be_none) = (mask.clone(), false);
        self.insts(step)?;
        match again {
            Some(again) => {
                let again = self.plain(again);
                self.branch_on(&again, &round, &end);
            }
            None => self.jump_to(&round),
        }
        self.label(&end);
        (self.mask, self.may_be_none) = (mask, false);
        self.forget(known);
        Ok(())
    }

    /// A loop that lanes leave one by one. Behind it are the lanes that did so at its test, or by `break`: all, if no jump leads out of it
    /// any further.
    fn loop_parting(
        &mut self,
        id: JumpId,
        test: Option<&'m (GangBlock, GangReg)>,
        (body, step): (&'m GangBlock, &'m GangBlock),
        again: Option<GangReg>,
        leaves: bool,
    ) -> Compiles {
        let known = self.known();
        let before = self.mask.clone();
        let ty = self.kept_type();
        let [now, broken, continued, done] = [(); 4].map(|()| self.allocate(&ty));
        self.keep_mask(&now);
        self.no_lanes(&broken);
        self.no_lanes(&done);
        let [round, without, next, end] = [(); 4].map(|()| self.new_label());
        self.jump_to(&round);
        self.label(&round);
        self.take_mask(&now);
        if let Some((block, holds)) = test {
            self.insts(block)?;
            self.stay_where(*holds, &done, &end);
        }
        let is_whole = leaving(body).is_empty();
        let entered = self.mask.clone();
        self.no_lanes(&continued);
        let around =
            Around::Parting { id: id.0, end: without.clone(), broken: broken.clone(), continued: continued.clone() };
        self.around.push(around);
        self.block(body)?;
        self.around.pop();
        self.may_be_none = false;
        if is_whole {
            // All that have come to the body are behind it.
            self.mask = entered;
        } else {
            self.behind_body([&now, &continued], [&without, &next, &end]);
        }
        self.insts(step)?;
        if let Some(again) = again {
            self.stay_where(again, &done, &end);
        }
        self.keep_mask(&now);
        self.jump_to(&round);
        self.label(&end);
        self.forget(known);
        self.mask = before;
        if leaves {
            let [done, broken] = [done, broken].map(|cell| self.mask_in(&cell));
            let both = self.either(&done, &broken);
            (self.mask, self.may_be_none) = (Mask::Some(both), true);
        }
        Ok(())
    }

    /// Joins the lanes that are on behind a loop's body with those that have left it for the step; goes on if there are any.
    fn behind_body(&mut self, [now, continued]: [&Operand; 2], [without, next, end]: [&Operand; 3]) {
        if self.is_open {
            self.keep_mask(now);
            self.jump_to(next);
        }
        self.label(without);
        self.no_lanes(now);
        self.jump_to(next);
        self.label(next);
        let (on, back) = (self.mask_in(now), self.mask_in(continued));
        let mask = self.either(&on, &back);
        let (any, on) = (self.any(&mask), self.new_label());
        self.branch_on(&any, &on, end);
        self.label(&on);
        self.mask = Mask::Some(mask);
    }

    /// Lanes for which a test fails are done; goes on with the others, if there are any.
    fn stay_where(&mut self, holds: GangReg, done: &Operand, end: &Operand) {
        let mask = self.mask_vector();
        let varies = self.type_of(holds).is_varying;
        let holds = self.plain(holds);
        let before = self.mask_in(done);
        if !varies {
            let ty = self.kept_type();
            let all = self.either(&before, &mask);
            let (before, all) = (self.kept(&before), self.kept(&all));
            let now = self.set(format!("select i1 {holds}, {ty} {before}, {ty} {all}"));
            self.line(format!("store {ty} {now}, ptr {done}"));
            let on = self.new_label();
            self.branch_on(&holds, &on, end);
            return self.label(&on);
        }
        let stay = self.both(&mask, &holds);
        let leave = self.apart(&mask, &holds);
        let now = self.either(&before, &leave);
        self.put_mask(done, &now);
        let (any, on) = (self.any(&stay), self.new_label());
        self.branch_on(&any, &on, end);
        self.label(&on);
        self.mask = Mask::Some(stay);
    }

    fn each_lane(&mut self, id: JumpId, lane: GangReg, body: &'m GangBlock) -> Compiles {
        let before = self.mask.clone();
        let lanes = self.constant_lanes();
        self.each_on(|emitter, now| {
            emitter.set_plain(lane, now.into());
            let narrow = emitter.set(format!("trunc i64 {now} to i32"));
            let all = emitter.splat("i32", &narrow);
            let wide = emitter.shaped("i32", true);
            let one = emitter.set(format!("icmp eq {wide} {lanes}, {all}"));
            emitter.one_by_one(id, one, body)
        })?;
        (self.mask, self.may_be_none) = (before, false);
        Ok(())
    }

    fn each_value(&mut self, id: JumpId, over: GangReg, value: GangReg, body: &'m GangBlock) -> Compiles {
        let before = self.mask.clone();
        if !self.type_of(over).is_varying {
            let (plain, mask) = (self.plain(over), self.mask_vector());
            self.set_plain(value, plain);
            self.one_by_one(id, mask, body)?;
            (self.mask, self.may_be_none) = (before, false);
            return Ok(());
        }
        let number = self.type_of(over).number;
        let numbers = self.plain(over);
        self.each_distinct(&numbers, element(number), |emitter, one, mask| {
            let one = match number {
                ispc_ir::types::NumberType::Pointer => emitter.set(format!("inttoptr i64 {one} to ptr")),
                _ => one.into(),
            };
            emitter.set_plain(value, one);
            emitter.one_by_one(id, mask.into(), body)
        })?;
        (self.mask, self.may_be_none) = (before, false);
        Ok(())
    }

    /// Runs something for each value that lanes which are on have: the value, and the lanes.
    pub(crate) fn each_distinct(
        &mut self,
        numbers: &str,
        element: &str,
        run: impl FnOnce(&mut Self, &str, &str) -> Compiles,
    ) -> Compiles {
        let ty = self.kept_type();
        let waiting = self.allocate(&ty);
        self.keep_mask(&waiting);
        let [round, end] = [self.new_label(), self.new_label()];
        self.jump_to(&round);
        self.label(&round);
        let mask = self.mask_in(&waiting);
        let bits = self.wide_bits(&mask);
        let first = self.call("i64", "llvm.cttz.i64", &[("i64", &bits), ("i1", "true")]);
        let vector = self.shaped(element, true);
        let one = self.set(format!("extractelement {vector} {numbers}, i64 {first}"));
        let whole = match element {
            "float" => "i32",
            "double" => "i64",
            whole => whole,
        };
        let wholes = self.shaped(whole, true);
        // Compared by their bits.
        let all = self.splat(element, &one);
        let (left, right) = match whole == element {
            true => (numbers.into(), all),
            false => {
                let left = self.set(format!("bitcast {vector} {numbers} to {wholes}"));
                (left, self.set(format!("bitcast {vector} {all} to {wholes}")))
            }
        };
        let same = self.set(format!("icmp eq {wholes} {left}, {right}"));
        let same = self.both(&mask, &same);
        run(self, &one, &same)?;
        let rest = self.apart(&mask, &same);
        self.put_mask(&waiting, &rest);
        let any = self.any(&rest);
        self.branch_on(&any, &round, &end);
        self.label(&end);
        Ok(())
    }

    /// The block of a loop over lanes or values, for some lanes.
    fn one_by_one(&mut self, id: JumpId, mask: Operand, body: &'m GangBlock) -> Compiles {
        let end = self.new_label();
        let ty = self.kept_type();
        let [broken, continued] = [(); 2].map(|()| self.allocate(&ty));
        self.mask = Mask::Some(mask);
        self.around.push(Around::Parting { id: id.0, end: end.clone(), broken, continued });
        self.block(body)?;
        self.around.pop();
        if self.is_open {
            self.jump_to(&end);
        }
        self.label(&end);
        self.may_be_none = false;
        Ok(())
    }

    /// The numbers of the lanes.
    fn constant_lanes(&self) -> String {
        crate::function::vector((0..self.lanes).map(|lane| format!("i32 {lane}")))
    }

    // Several ways.

    fn switch(&mut self, id: JumpId, value: GangReg, cases: &'m [SwitchCase]) -> Compiles {
        let parts = cases.iter().any(|case| !parting(self.function, &case.block).is_empty());
        if !self.type_of(value).is_varying && !parts {
            return self.switch_together(id, value, cases);
        }
        let ty = self.type_of(value);
        let (element, width) = (element(ty.number), ty.number.bits());
        let before = self.mask.clone();
        let (entry, masks) = (self.mask_vector(), self.kept_type());
        let plain = self.plain(value);
        let mut others = entry;
        let mut starts: Vec<Option<Operand>> = vec![None; cases.len()];
        let mut default = None;
        for (nth, case) in cases.iter().enumerate() {
            for wanted in &case.values {
                let Some(wanted) = wanted else {
                    default = Some(nth);
                    continue;
                };
                let wanted = crate::function::wrapped(*wanted, width);
                let wanted = if width == 1 { wanted & 1 } else { wanted };
                let is_it = match ty.is_varying {
                    true => {
                        let (vector, wanted) = (self.shaped(element, true), self.constant(element, wanted, true));
                        self.set(format!("icmp eq {vector} {plain}, {wanted}"))
                    }
                    false => {
                        let is_it = self.set(format!("icmp eq {element} {plain}, {wanted}"));
                        self.splat("i1", &is_it)
                    }
                };
                let here = self.both(&others, &is_it);
                others = self.apart(&others, &is_it);
                starts[nth] = Some(match starts[nth].take() {
                    Some(known) => self.either(&known, &here),
                    None => here,
                });
            }
        }
        if let Some(nth) = default {
            starts[nth] = Some(match starts[nth].take() {
                Some(known) => self.either(&known, &others),
                None => others.clone(),
            });
        }
        let [now, broken] = [(); 2].map(|()| self.allocate(&masks));
        self.no_lanes(&now);
        self.no_lanes(&broken);
        for (case, start) in cases.iter().zip(starts) {
            let carried = self.mask_in(&now);
            let mask = match start {
                Some(start) => self.either(&carried, &start),
                None => carried,
            };
            self.no_lanes(&now);
            let (any, on, end) = (self.any(&mask), self.new_label(), self.new_label());
            self.branch_on(&any, &on, &end);
            self.label(&on);
            self.mask = Mask::Some(mask);
            self.around.push(Around::SwitchParting { id: id.0, end: end.clone(), broken: broken.clone() });
            self.block(&case.block)?;
            self.around.pop();
            if self.is_open {
                self.keep_mask(&now);
                self.jump_to(&end);
            }
            self.label(&end);
            self.may_be_none = false;
        }
        let leaves = cases.iter().flat_map(|case| leaving(&case.block)).any(|place| place != JumpPlace::Behind(id));
        self.mask = before;
        if leaves {
            let [now, broken] = [now, broken].map(|cell| self.mask_in(&cell));
            let mut on = self.either(&now, &broken);
            if default.is_none() {
                on = self.either(&on, &others);
            }
            (self.mask, self.may_be_none) = (Mask::Some(on), true);
        }
        Ok(())
    }

    fn switch_together(&mut self, id: JumpId, value: GangReg, cases: &'m [SwitchCase]) -> Compiles {
        let mask = self.mask.clone();
        let number = self.type_of(value).number;
        let (plain, element) = (self.plain(value), element(number));
        let end = self.new_label();
        let labels: Vec<Operand> = cases.iter().map(|_| self.new_label()).collect();
        let mut default = end.clone();
        let mut ways = Vec::new();
        let mut known = std::collections::HashSet::new();
        for (case, label) in cases.iter().zip(&labels) {
            for value in &case.values {
                match value {
                    Some(value) => {
                        let value = crate::function::wrapped(*value, number.bits());
                        let value = if number.bits() == 1 { value & 1 } else { value };
                        if known.insert(value) {
                            ways.push(format!("{element} {value}, label %{label}"));
                        }
                    }
                    None => default = label.clone(),
                }
            }
        }
        self.line(format!("switch {element} {plain}, label %{default} [{}]", ways.join(" ")));
        self.is_open = false;
        self.around.push(Around::SwitchTogether { id: id.0, end: end.clone() });
        for (nth, case) in cases.iter().enumerate() {
            self.label(&labels[nth]);
            self.mask = mask.clone();
            self.block(&case.block)?;
            self.may_be_none = false;
            if self.is_open {
                let next = labels.get(nth + 1).unwrap_or(&end).clone();
                self.jump_to(&next);
            }
        }
        self.around.pop();
        self.label(&end);
        self.mask = mask;
        Ok(())
    }

    fn labelled(&mut self, blocks: &'m [(JumpId, GangBlock)]) -> Compiles {
        let before = self.mask.clone();
        let parts = blocks.iter().any(|(_, block)| !parting(self.function, block).is_empty());
        let cell = self.allocate(&self.kept_type());
        self.keep_mask(&cell);
        let labels: Vec<(u32, Operand)> = blocks.iter().map(|(id, _)| (id.0, self.new_label())).collect();
        let end = self.new_label();
        self.jump_to(&labels[0].1);
        self.around.push(Around::Labelled { labels: labels.clone(), mask: cell.clone() });
        for (nth, (_, block)) in blocks.iter().enumerate() {
            self.label(&labels[nth].1);
            match parts {
                true => self.take_mask(&cell),
                false => self.mask = before.clone(),
            }
            self.may_be_none = parts;
            self.block(block)?;
            if self.is_open {
                self.keep_mask(&cell);
                let next = labels.get(nth + 1).map_or(&end, |(_, label)| label).clone();
                self.jump_to(&next);
            }
        }
        self.around.pop();
        self.label(&end);
        (self.mask, self.may_be_none) = (before, false);
        if parts {
            self.take_mask(&cell);
            self.may_be_none = true;
        }
        Ok(())
    }
}
