//! Loops.

use std::rc::Rc;

use ispc::tree::NodeKind;
use ispc_ir::module::GangReg;
use ispc_ir::op::{GangComparison, GangOp, TwoOperands};
use ispc_ir::types::{GangType, NumberType};
use ispc_types::layer::Entity;
use ispc_types::source::Source;
use ispc_types::ty::Ty;

use crate::data::{DataForm, NumberCells};
use crate::emit::GangValue;
use crate::function::{FunctionLowerer, JumpTarget, Lowers};
use crate::place::GangPlace;

/// A dimension of a `foreach`: its bounds, and how many lanes stand side by side in it.
struct Dimension {
    from: GangReg,
    to: GangReg,
    span: u32,
    variable: Entity,
}

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

    /// `foreach`: all lanes are on, and stand side by side in the last dimension, or in a tile of all.
    pub(crate) fn foreach(&mut self, node: usize, dimensions: &[usize], body: usize) -> Lowers<()> {
        let mut walked = Vec::new();
        let spans = self.spans(self.kind(node) == NodeKind::ForeachTiled, dimensions.len());
        for (dimension, span) in dimensions.iter().zip(spans) {
            let [from, to] = self.children(*dimension)[..] else {
                return self.refuse("a dimension has a first value and one behind the last");
            };
            let number = self.value_type(NumberType::I32, false);
            let from = self.expression_as(from, &number)?;
            let from = self.first_reg(&from)?;
            let to = self.expression_as(to, &number)?;
            let to = self.first_reg(&to)?;
            let token = self.context.piece.node(*dimension).first;
            let Some(variable) = self.context.piece.declared(token) else {
                return self.refuse("a dimension has a variable");
            };
            walked.push(Dimension { from, to, span, variable });
        }
        self.at(node);
        self.make.open();
        self.dimension(node, &walked, None, body)?;
        let block = self.make.close();
        self.make.run(GangOp::AllLanes(block));
        Ok(())
    }

    /// How many lanes stand side by side in each dimension. A tile is doubled in the last dimension first, then in those in front.
    fn spans(&self, is_tiled: bool, n: usize) -> Vec<u32> {
        let mut spans = vec![1; n];
        let lanes = self.program.lanes;
        if !is_tiled || !lanes.is_power_of_two() {
            spans[n - 1] = lanes;
            return spans;
        }
        let mut nth = n - 1;
        for _ in 0..lanes.trailing_zeros() {
            spans[nth] *= 2;
            nth = if nth == 0 { n - 1 } else { nth - 1 };
        }
        spans
    }

    /// A loop over a dimension, and in it over those behind. `inside` holds for lanes that are in range in those in front.
    fn dimension(&mut self, node: usize, walked: &[Dimension], inside: Option<GangReg>, body: usize) -> Lowers<()> {
        let [dimension, inner @ ..] = walked else { return self.refuse("a `foreach` without a dimension") };
        let number = self.value_type(NumberType::I32, false);
        let counter = self.temporary(&number, "the counter of `foreach`");
        self.store(&counter, &self.single(dimension.from))?;
        let id = self.make.jump();
        self.make.open();
        let now = self.load(&counter)?.regs[0];
        let holds = self.make.compare(GangComparison::Less, now, dimension.to);
        let test = (self.make.close(), holds);
        self.make.open();
        let varying = self.value_type(NumberType::I32, true);
        let variable = self.temporary(&varying, "the variable of `foreach`");
        self.declare(dimension.variable, variable.clone());
        let mut value = self.make.spread(now);
        let mut inside = inside;
        if dimension.span > 1 || inner.is_empty() {
            let mut lane = self.make.op(GangType::varying(NumberType::I32), GangOp::LaneIndex);
            let behind: u32 = inner.iter().map(|it| it.span).product();
            if behind > 1 {
                let behind = self.make.whole(NumberType::I32, behind.into());
                lane = self.make.two(TwoOperands::Div, lane, behind);
            }
            if u64::from(dimension.span) * u64::from(behind) < self.program.lanes.into() {
                let span = self.make.whole(NumberType::I32, dimension.span.into());
                lane = self.make.two(TwoOperands::Rem, lane, span);
            }
            value = self.make.two(TwoOperands::Add, value, lane);
            let is_there = self.make.compare(GangComparison::Less, value, dimension.to);
            inside = Some(match inside {
                Some(inside) => self.make.two(TwoOperands::And, inside, is_there),
                None => is_there,
            });
        }
        self.store(&variable, &GangValue { data: varying, regs: vec![value] })?;
        match (inner, inside) {
            ([], Some(inside)) => {
                self.make.open();
                self.jumps.push(JumpTarget { id, is_loop: true });
                self.statement(body)?;
                self.jumps.pop();
                self.at(node);
                let block = self.make.close();
                self.make.run(GangOp::If(inside, block, Vec::new()));
            }
            _ => self.dimension(node, inner, inside, body)?,
        }
        let block = self.make.close();
        self.make.open();
        let step = self.make.whole(NumberType::I32, dimension.span.into());
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
                ispc_types::ty::TypeKind::Pointer(to, _) => Rc::new(DataForm::Pointer(*to, NumberCells::One, None)),
                _ => self.single(reg).data,
            };
            let place: GangPlace = self.temporary(&data, "the variable of the loop");
            self.store(&place, &GangValue { data, regs: vec![reg] })?;
            self.declare(entity, place);
        }
        self.jumps.push(JumpTarget { id, is_loop: true });
        self.statement(body)?;
        self.jumps.pop();
        Ok((id, self.make.close()))
    }
}
