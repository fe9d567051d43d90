//! Statements.

use ispc::kinds::Kind;
use ispc::tree::NodeKind;
use ispc_ir::op::{GangOp, PrintedPart, SwitchCase};
use ispc_ir::types::NumberType;
use ispc_types::constant;
use ispc_types::source::Source;
use ispc_types::ty::{Ty, TypeKind};

use crate::data::DataForm;
use crate::function::{FunctionLowerer, JumpTarget, Lowers};
use crate::literals;

impl FunctionLowerer<'_, '_> {
    pub(crate) fn statement(&mut self, node: usize) -> Lowers<()> {
        self.deeper(|lowerer| {
            lowerer.at(node);
            use NodeKind::*;
            match lowerer.kind(node) {
                Block | For | Cfor | Foreach | ForeachTiled | ForeachActive | ForeachUnique => {
                    lowerer.scoped(|lowerer| lowerer.statement_here(node))
                }
                _ => lowerer.statement_here(node),
            }
        })
    }

    fn statement_here(&mut self, node: usize) -> Lowers<()> {
        use NodeKind::*;
        let children = self.children(node);
        match (self.kind(node), &children[..]) {
            (Block, _) => self.block(&children),
            (If | Cif, [condition, rest @ ..]) => self.branch(node, *condition, rest),
            (While | Cwhile, [condition, body]) => self.while_loop(node, *condition, *body),
            (Do | Cdo, [body, condition]) => self.do_loop(node, *body, *condition),
            (For | Cfor, _) => self.for_loop(node, &children),
            (Foreach | ForeachTiled, [dimensions @ .., body]) => self.foreach(node, dimensions, *body),
            (ForeachActive, [body]) => self.foreach_active(node, *body),
            (ForeachUnique, [over, body]) => self.foreach_unique(node, *over, *body),
            (Switch, [condition, body]) => self.switch(node, *condition, *body),
            (Case | Default, _) => self.refuse("a `case` inside of another statement than its `switch` cannot be run"),
            (Break, _) => self.jump(node, true),
            (Continue, _) => self.jump(node, false),
            (Return, _) => self.return_statement(node, children.first().copied()),
            (Goto, _) => self.goto(node),
            (Unmasked, [body]) => {
                self.make.open();
                self.statement(*body)?;
                let block = self.make.close();
                self.at(node);
                self.make.run(GangOp::AllLanes(block));
                Ok(())
            }
            (Declaration, _) => {
                for child in &children {
                    if self.kind(*child) == InitDeclarator {
                        self.declared(node, *child)?;
                    }
                }
                Ok(())
            }
            (Expression, [value]) => self.expression(*value).map(|_| ()),
            (Sync, _) => {
                self.make.run(GangOp::Sync);
                Ok(())
            }
            (Delete, [value]) => {
                let pointer = self.expression(*value)?;
                self.at(node);
                if !matches!(*pointer.data, DataForm::Pointer(..)) {
                    return self.refuse("`delete` takes a pointer");
                }
                self.make.run(GangOp::Free(self.first_reg(&pointer)?));
                Ok(())
            }
            (Print, [args]) => self.print(*args),
            (Assert, [args]) => self.assert(*args),
            (Empty, _) => Ok(()),
            _ if self.context.types.types[node] != Ty::NONE => self.expression(node).map(|_| ()),
            _ => self.refuse("this statement cannot be run"),
        }
    }

    /// Statements in braces. Where labels stand, what is behind each is a block that `goto` leads to.
    fn block(&mut self, children: &[usize]) -> Lowers<()> {
        let is_label = |lowerer: &Self, node: usize| lowerer.kind(node) == NodeKind::Label;
        if !children.iter().any(|child| is_label(self, *child)) {
            return children.iter().try_for_each(|child| self.statement(*child));
        }
        // Labels are known in front of the jumps to them.
        let labels: Vec<usize> = children.iter().copied().filter(|child| is_label(self, *child)).collect();
        for child in &labels {
            if let Some(entity) = self.context.piece.declared(self.context.piece.node(*child).first) {
                let id = self.make.jump();
                self.labels.insert(entity, id);
            }
        }
        let mut blocks = Vec::new();
        let mut id = self.make.jump();
        self.make.open();
        for child in children {
            if !is_label(self, *child) {
                self.statement(*child)?;
                continue;
            }
            blocks.push((id, self.make.close()));
            let entity = self.context.piece.declared(self.context.piece.node(*child).first);
            let Some(next) = entity.and_then(|entity| self.labels.get(&entity)).copied() else {
                return self.refuse("this label has no declaration");
            };
            id = next;
            self.make.open();
            for inner in self.children(*child) {
                self.statement(inner)?;
            }
        }
        blocks.push((id, self.make.close()));
        self.make.run(GangOp::Labelled(blocks));
        Ok(())
    }

    fn goto(&mut self, node: usize) -> Lowers<()> {
        let token = self.context.piece.node(node).first + 1;
        let id = self.context.piece.target(token).and_then(|entity| self.labels.get(&entity)).copied();
        match id {
            Some(id) => {
                self.make.run(GangOp::Goto(id));
                Ok(())
            }
            None => self.refuse("a jump into a block cannot be run: the label has to stand in a block around it"),
        }
    }

    fn branch(&mut self, node: usize, condition: usize, rest: &[usize]) -> Lowers<()> {
        let test = self.truth(condition)?;
        let mut blocks = [Vec::new(), Vec::new()];
        for (block, body) in blocks.iter_mut().zip(rest) {
            self.make.open();
            self.statement(*body)?;
            *block = self.make.close();
        }
        self.at(node);
        let [yes, no] = blocks;
        self.make.run(GangOp::If(test, yes, no));
        Ok(())
    }

    fn jump(&mut self, node: usize, is_break: bool) -> Lowers<()> {
        let _ = node;
        let target = self.jumps.iter().rfind(|jump| is_break || jump.is_loop);
        match target {
            Some(JumpTarget { id, .. }) if is_break => self.make.run(GangOp::Break(*id)),
            Some(JumpTarget { id, .. }) => self.make.run(GangOp::Continue(*id)),
            None => return self.refuse("this jump leads out of no loop"),
        }
        Ok(())
    }

    fn return_statement(&mut self, node: usize, value: Option<usize>) -> Lowers<()> {
        let gives = self.gives.clone();
        let given = match (value, self.reference_returned()) {
            (Some(value), true) => match self.place(value)? {
                Some(place) if !self.place_varies(&place) => vec![place.address],
                _ => return self.refuse("a reference is given to what has no place for all lanes"),
            },
            (Some(value), false) => self.expression_as(value, &gives)?.regs,
            (None, _) => Vec::new(),
        };
        self.at(node);
        self.make.run(GangOp::Return(given));
        Ok(())
    }

    fn reference_returned(&self) -> bool {
        match self.layer().kind(self.context.types.function) {
            TypeKind::Function(gives, _) => matches!(self.layer().kind(*gives), TypeKind::Reference(_)),
            _ => false,
        }
    }

    fn declared(&mut self, declaration: usize, node: usize) -> Lowers<()> {
        self.at(node);
        let parts = self.children(node);
        let Some(declarator) = parts.first().copied() else { return Ok(()) };
        let Some(entity) = self.declared_in(declarator) else { return Ok(()) };
        let data = self.layer().entity(entity);
        let (ty, name) = (data.ty, data.name.to_string());
        if data.kind.is_type() || data.kind == ispc::names::DeclKind::Function {
            return Ok(());
        }
        let value = parts.get(1).copied();
        if let TypeKind::Reference(of) = *self.layer().kind(ty) {
            let Some(value) = value else { return self.refuse("a reference refers to something") };
            let place = match self.place(value)? {
                Some(place) => place,
                None => {
                    let wanted = self.data_of(of)?;
                    let value = self.expression_as(value, &wanted)?;
                    self.spilled(&value)?
                }
            };
            self.declare(entity, place);
            return Ok(());
        }
        let mut data = self.data_of(ty)?;
        if let Some(value) = value {
            data = crate::globals::sized(&data, &self.context.piece, value);
        }
        let specifiers = self.context.piece.child(declaration, NodeKind::Specifiers);
        let (first, end) = match specifiers.map(|node| self.context.piece.node(node)) {
            Some(specifiers) => (self.context.piece.node(declaration).first, specifiers.end),
            None => (0, 0),
        };
        let is_static = (first..end).any(|token| self.context.piece.kind(token) == Kind::Static);
        if is_static {
            let place = self.static_variable(entity, &data, value)?;
            self.declare(entity, place);
            return Ok(());
        }
        let place = self.temporary(&data, &format!("`{name}`"));
        if let Some(value) = value {
            self.initialize_in_all_lanes(&place, value)?;
        }
        self.declare(entity, place);
        Ok(())
    }

    fn switch(&mut self, node: usize, condition: usize, body: usize) -> Lowers<()> {
        let value = self.expression(condition)?;
        let [value] = value.regs[..] else { return self.refuse("a `switch` is over one number") };
        let is_whole = self.make.ty(value).number.is_whole();
        let value = if is_whole { value } else { self.make.convert(value, NumberType::I32) };
        let id = self.make.jump();
        self.jumps.push(JumpTarget { id, is_loop: false });
        let mut cases: Vec<SwitchCase> = Vec::new();
        let mut is_open = false;
        let statements = if self.kind(body) == NodeKind::Block { self.children(body) } else { vec![body] };
        for statement in statements {
            let (labels, statement) = self.labels_of(statement)?;
            if !labels.is_empty() {
                if is_open {
                    let block = self.make.close();
                    if let Some(case) = cases.last_mut() {
                        case.block = block;
                    }
                }
                cases.push(SwitchCase { values: labels, block: Vec::new() });
                self.make.open();
                is_open = true;
            }
            // Nobody comes to what stands in front of the first label, but what it declares is there.
            match statement {
                Some(statement) if is_open => self.statement(statement)?,
                Some(statement) if self.kind(statement) == NodeKind::Declaration => {
                    return self.refuse("a declaration in front of the first `case` cannot be run");
                }
                _ => {}
            }
        }
        if is_open {
            let block = self.make.close();
            if let Some(case) = cases.last_mut() {
                case.block = block;
            }
        }
        self.jumps.pop();
        self.at(node);
        self.make.run(GangOp::Switch { id, value, cases });
        Ok(())
    }

    /// The labels in front of a statement.
    fn labels_of(&mut self, mut node: usize) -> Lowers<(Vec<Option<i64>>, Option<usize>)> {
        let mut labels = Vec::new();
        loop {
            let children = self.children(node);
            let rest = match (self.kind(node), &children[..]) {
                (NodeKind::Case, [value, rest @ ..]) => {
                    let found = constant::value(&self.context.piece, self.layer(), *value);
                    let Some(found) = found else {
                        self.at(node);
                        return self.refuse("the value of this `case` is not known when the program is compiled");
                    };
                    labels.push(Some(found as i64));
                    rest
                }
                (NodeKind::Default, rest) => {
                    labels.push(None);
                    rest
                }
                _ => return Ok((labels, Some(node))),
            };
            match rest.first() {
                Some(next) => node = *next,
                None => return Ok((labels, None)),
            }
        }
    }

    fn print(&mut self, args: usize) -> Lowers<()> {
        let nodes = self.children(args);
        let Some(format) = nodes.first().copied() else { return Ok(()) };
        let text = self.string_at(format);
        let mut values = Vec::new();
        for node in &nodes[1..] {
            values.push(self.expression(*node)?);
        }
        self.at(args);
        let mut values = values.into_iter();
        let mut parts = Vec::new();
        for (nth, piece) in text.split('%').enumerate() {
            if nth > 0 {
                match values.next() {
                    Some(value) => parts.extend(value.regs.iter().map(|reg| PrintedPart::Value(*reg))),
                    None => parts.push(PrintedPart::Text("%".to_owned())),
                }
            }
            if !piece.is_empty() {
                parts.push(PrintedPart::Text(piece.to_owned()));
            }
        }
        self.make.run(GangOp::Print(parts));
        Ok(())
    }

    fn string_at(&self, node: usize) -> String {
        let data = self.context.piece.node(node);
        literals::string((data.first..data.end).map(|token| self.context.piece.text(token).into_owned()))
    }

    fn assert(&mut self, args: usize) -> Lowers<()> {
        let nodes = self.children(args);
        let (text, condition) = match nodes[..] {
            [text, condition] => (self.string_at(text), condition),
            [condition] => (self.context.piece.written(condition), condition),
            _ => return self.refuse("`assert` takes one condition"),
        };
        let holds = self.truth(condition)?;
        self.at(args);
        self.make.run(GangOp::Assert(holds, text));
        Ok(())
    }
}
