//! Loops.

use std::rc::Rc;

use ispc::tree::NodeKind;
use ispc_ir::module::GangReg;
use ispc_ir::op::{GangOp, Relation2, TwoOperands};
use ispc_ir::types::{GangType, NumberType};
use ispc_types::source::Source;
use ispc_types::ty::Ty;

use crate::data::{Data, NumberCells};
use crate::emit::GangValue;
use crate::function::{FunctionLowerer, JumpTarget, Lowers};
use crate::place::GangPlace;

impl FunctionLowerer<'_, '_> {
    pub(crate) fn while_loop(&mut self, node: usize, condition: usize, body: usize) -> Lowers<()> {
        self.rounds(node, Some(condition), body, None)
    }

    fn rounds(&mut self, node: usize, test: Option<usize>, body: usize, step: Option<usize>) -> Lowers<()> {
        let id = self.make.jump();
        let test = match test {
            Some(test) => {
                self.make.open();
                let holds = self.truth(test)?;
                Some((self.make.close(), holds))
            }
            None => None,
        };
        self.jumps.push(JumpTarget { id, is_loop: true });
        self.make.open();
        self.statement(body)?;
        let body = self.make.close();
        self.jumps.pop();
        self.make.open();
        if let Some(step) = step {
            self.expression(step)?;
        }
        let step = self.make.close();
        self.at(node);
        self.make.run(GangOp::Loop { id, test, body, step, again: None });
        Ok(())
    }

    pub(crate) fn do_loop(&mut self, node: usize, body: usize, condition: usize) -> Lowers<()> {
        let id = self.make.jump();
        self.jumps.push(JumpTarget { id, is_loop: true });
        self.make.open();
        self.statement(body)?;
        let body = self.make.close();
        self.jumps.pop();
        self.make.open();
        let again = self.truth(condition)?;
        let step = self.make.close();
        self.at(node);
        self.make.run(GangOp::Loop { id, test: None, body, step, again: Some(again) });
        Ok(())
    }

    pub(crate) fn for_loop(&mut self, node: usize, children: &[usize]) -> Lowers<()> {
        // Which parts are there is told by the semicolons between them.
        let [head @ .., body] = children else { return self.refuse("a loop without a body") };
        let mut parts: [Option<usize>; 3] = [None; 3];
        let data = self.context.piece.node(node);
        let (mut nth, mut token) = (0, data.first + 2);
        let mut head = head.iter().copied().peekable();
        while nth < 3 {
            if let Some(child) = head.next_if(|child| self.context.piece.node(*child).first == token) {
                parts[nth] = Some(child);
                token = self.context.piece.node(child).end;
                // A declaration has its own semicolon.
                if self.kind(child) == NodeKind::Declaration {
                    nth += 1;
                    continue;
                }
            }
            match self.context.piece.kind(token) {
                ispc::kinds::Kind::Semicolon => {
                    nth += 1;
                    token += 1;
                }
                _ => break,
            }
        }
        if let Some(first) = parts[0] {
            self.statement(first)?;
        }
        self.rounds(node, parts[1], *body, parts[2])
    }

    /// `foreach`: the last dimension is walked by all lanes side by side, the others one by one.
    pub(crate) fn foreach(&mut self, node: usize, dimensions: &[usize], body: usize) -> Lowers<()> {
        let mut bounds = Vec::new();
        for dimension in dimensions {
            let [from, to] = self.children(*dimension)[..] else {
                return self.refuse("a dimension has a first value and one behind the last");
            };
            let number = self.value_type(NumberType::I32, false);
            let from = self.expression_as(from, &number)?.regs[0];
            let to = self.expression_as(to, &number)?.regs[0];
            bounds.push((from, to));
        }
        self.at(node);
        self.make.open();
        self.dimension(node, dimensions, &bounds, body)?;
        let block = self.make.close();
        self.make.run(GangOp::AllLanes(block));
        Ok(())
    }

    fn dimension(
        &mut self,
        node: usize,
        dimensions: &[usize],
        bounds: &[(GangReg, GangReg)],
        body: usize,
    ) -> Lowers<()> {
        let ([dimension, inner @ ..], [(from, to), rest @ ..]) = (dimensions, bounds) else {
            return self.refuse("a `foreach` without a dimension");
        };
        let is_last = inner.is_empty();
        let number = self.value_type(NumberType::I32, false);
        let counter = self.temporary(&number, "the counter of `foreach`");
        self.store(&counter, &self.single(*from))?;
        let id = self.make.jump();
        self.make.open();
        let now = self.load(&counter)?.regs[0];
        let holds = self.make.compare(Relation2::Less, now, *to);
        let test = (self.make.close(), holds);
        self.make.open();
        let token = self.context.piece.node(*dimension).first;
        let Some(entity) = self.context.piece.declared(token) else { return self.refuse("a dimension has a variable") };
        let varying = self.value_type(NumberType::I32, true);
        let variable = self.temporary(&varying, "the variable of `foreach`");
        self.variables.insert(entity, variable.clone());
        let mut value = self.make.spread(now);
        if is_last {
            let lane = self.make.op(GangType::varying(NumberType::I32), GangOp::LaneIndex);
            value = self.make.two(TwoOperands::Add, value, lane);
        }
        self.store(&variable, &GangValue { data: varying, regs: vec![value] })?;
        if is_last {
            let is_inside = self.make.compare(Relation2::Less, value, *to);
            self.make.open();
            self.jumps.push(JumpTarget { id, is_loop: true });
            self.statement(body)?;
            self.jumps.pop();
            self.at(node);
            let block = self.make.close();
            self.make.run(GangOp::If(is_inside, block, Vec::new()));
        } else {
            self.dimension(node, inner, rest, body)?;
        }
        let block = self.make.close();
        self.make.open();
        let step = if is_last { i64::from(self.program.lanes) } else { 1 };
        let step = self.make.whole(NumberType::I32, step);
        let next = self.make.two(TwoOperands::Add, now, step);
        self.store(&counter, &self.single(next))?;
        let step = self.make.close();
        self.make.run(GangOp::Loop { id, test: Some(test), body: block, step, again: None });
        Ok(())
    }

    pub(crate) fn foreach_active(&mut self, node: usize, body: usize) -> Lowers<()> {
        let token = self.context.piece.node(node).first + 2;
        let lane = self.make.reg(GangType::uniform(NumberType::I64));
        let (id, body) = self.each_body(token, lane, body)?;
        self.at(node);
        self.make.run(GangOp::EachLane { id, lane, body });
        Ok(())
    }

    pub(crate) fn foreach_unique(&mut self, node: usize, over: usize, body: usize) -> Lowers<()> {
        let over = self.expression(over)?;
        let [over] = over.regs[..] else { return self.refuse("`foreach_unique` is over one number") };
        let number = self.make.ty(over).number;
        let token = self.context.piece.node(node).first + 2;
        let value = self.make.reg(GangType::uniform(number));
        let (id, body) = self.each_body(token, value, body)?;
        self.at(node);
        self.make.run(GangOp::EachValue { id, over, value, body });
        Ok(())
    }

    fn each_body(
        &mut self,
        token: u32,
        reg: GangReg,
        body: usize,
    ) -> Lowers<(ispc_ir::module::JumpId, ispc_ir::module::GangBlock)> {
        let id = self.make.jump();
        self.make.open();
        if let Some(entity) = self.context.piece.declared(token) {
            let ty = self.layer().entity(entity).ty;
            let data = match self.layer().kind(ty) {
                _ if ty == Ty::UNKNOWN => self.single(reg).data,
                ispc_types::ty::TypeKind::Pointer(to, _) => Rc::new(Data::Pointer(*to, NumberCells::One, None)),
                _ => self.single(reg).data,
            };
            let place: GangPlace = self.temporary(&data, "the variable of the loop");
            self.store(&place, &GangValue { data, regs: vec![reg] })?;
            self.variables.insert(entity, place);
        }
        self.jumps.push(JumpTarget { id, is_loop: true });
        self.statement(body)?;
        self.jumps.pop();
        Ok((id, self.make.close()))
    }
}
