//! Loops: of rounds, of lanes, of values.

use ispc_ir::module::{GangBlock, GangReg, JumpId};

use crate::flow::leaving;
use crate::function::{Around, Compiles, FunctionEmitter, Mask, element};
use crate::value::Operand;

impl<'m> FunctionEmitter<'m> {
    pub(crate) fn loop_together(
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
    pub(crate) fn loop_parting(
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

    pub(crate) fn each_lane(&mut self, id: JumpId, lane: GangReg, body: &'m GangBlock) -> Compiles {
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

    pub(crate) fn each_value(&mut self, id: JumpId, over: GangReg, value: GangReg, body: &'m GangBlock) -> Compiles {
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
}
