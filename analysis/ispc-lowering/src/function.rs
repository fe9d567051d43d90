//! A function: its parameters, its body, and what all parts of it need.

use std::rc::Rc;

use ispc::kinds::Kind;
use ispc::names::DeclKind;
use ispc::tree::NodeKind;
use ispc_ir::module::{GangReg, GangVariable, JumpId, TextPlace};
use ispc_ir::op::GangOp;
use ispc_ir::types::{GangType, NumberType};
use ispc_types::layer::{Entity, Layer};
use ispc_types::source::Source;
use ispc_types::ty::{Lanes, Ty, TypeKind};
use rustc_hash::FxHashMap;

use crate::data::{DataForm, DataReader, NumberAt};
use crate::emit::{FunctionMaker, GangValue};
use crate::place::GangPlace;
use crate::program::{BodyContext, GlobalVariable, NotLowered, ProgramLowerer};

/// The result of lowering, or why there is none.
pub(crate) type Lowers<T> = Result<T, NotLowered>;

/// The deepest that expressions and statements are nested.
const DEEPEST: u32 = 150;

/// A statement that jumps lead out of.
#[derive(Clone, Copy)]
pub(crate) struct JumpTarget {
    pub(crate) id: JumpId,
    pub(crate) is_loop: bool,
}

/// The first value of a variable that lasts: where its declaration stands, and the variable.
pub(crate) struct StartOf {
    pub(crate) context: Rc<BodyContext>,
    pub(crate) value: usize,
    pub(crate) name: String,
    pub(crate) global: GlobalVariable,
}

pub(crate) struct FunctionLowerer<'p, 'u> {
    pub(crate) program: &'p mut ProgramLowerer<'u>,
    pub(crate) context: Rc<BodyContext>,
    pub(crate) make: FunctionMaker,
    pub(crate) variables: FxHashMap<Entity, GangPlace>,
    pub(crate) jumps: Vec<JumpTarget>,
    pub(crate) labels: FxHashMap<Entity, JumpId>,
    /// What it gives.
    pub(crate) gives: Rc<DataForm>,
    pub(crate) node: usize,
    /// The statement whose names end with it.
    scope: TextPlace,
    /// True if something in the function turns lanes on: `unmasked`, `foreach`.
    pub(crate) turns_lanes_on: bool,
    depth: u32,
}

impl<'p, 'u> FunctionLowerer<'p, 'u> {
    fn new(program: &'p mut ProgramLowerer<'u>, context: Rc<BodyContext>, name: &str) -> FunctionLowerer<'p, 'u> {
        FunctionLowerer {
            program,
            context,
            make: FunctionMaker::new(name),
            variables: FxHashMap::default(),
            jumps: Vec::new(),
            labels: FxHashMap::default(),
            gives: Rc::new(DataForm::Void),
            node: 0,
            scope: TextPlace::default(),
            turns_lanes_on: false,
            depth: 0,
        }
    }

    /// Lowers a function.
    pub(crate) fn function(
        program: &'p mut ProgramLowerer<'u>,
        context: Rc<BodyContext>,
    ) -> (FunctionMaker, Option<NotLowered>) {
        let name = context.types.layer.entity(context.piece.function()).name.to_string();
        let mut lowerer = FunctionLowerer::new(program, context, &name);
        let problem = lowerer.whole().err();
        (lowerer.make, problem)
    }

    /// Lowers what gives a variable its first value.
    pub(crate) fn start(program: &'p mut ProgramLowerer<'u>, start: StartOf) -> (FunctionMaker, Option<NotLowered>) {
        let mut lowerer = FunctionLowerer::new(program, start.context, &start.name);
        let place = lowerer.place_of_global(&start.global);
        let problem = lowerer.initialize(&place, start.value).err();
        (lowerer.make, problem)
    }

    /// Makes a global, whoever uses it, if it can be made.
    pub(crate) fn shared_global(program: &'p mut ProgramLowerer<'u>, context: Rc<BodyContext>, entity: Entity) {
        let name = context.types.layer.entity(entity).name.to_string();
        let _ = FunctionLowerer::new(program, context, &name).global_place(entity);
    }

    fn whole(&mut self) -> Lowers<()> {
        if self.context.piece.is_broken() {
            return self.refuse("this function has mistakes in its grammar");
        }
        let root = self.context.piece.n_nodes() - 1;
        let turns_on =
            |node: usize| matches!(self.kind(node), NodeKind::Unmasked | NodeKind::Foreach | NodeKind::ForeachTiled);
        self.turns_lanes_on = (0..=root).any(turns_on);
        self.at(root);
        self.scope = self.make.place;
        let TypeKind::Function(gives, takes) = self.layer().kind(self.context.types.function).clone() else {
            return self.refuse("the type of this function is not known");
        };
        self.gives = self.data_of(gives)?;
        let gives = self.numbers(&self.gives.clone())?;
        self.make.function.gives = gives.iter().map(NumberAt::ty).collect();
        self.params(&takes)?;
        let Some(body) = self.context.piece.child(root, NodeKind::Block) else {
            return self.refuse("this function has no body");
        };
        let specifiers = self.context.piece.child(root, NodeKind::Specifiers).map(|node| self.context.piece.node(node));
        let is_unmasked = specifiers
            .is_some_and(|data| (data.first..data.end).any(|token| self.context.piece.kind(token) == Kind::Unmasked));
        if is_unmasked {
            self.make.open();
            self.statement(body)?;
            let block = self.make.close();
            self.make.run(GangOp::AllLanes(block));
            return Ok(());
        }
        self.statement(body)
    }

    fn params(&mut self, takes: &[Ty]) -> Lowers<()> {
        let context = self.context.clone();
        let data = context.types.layer.entity(context.piece.function()).function.clone();
        let mut named = context.piece.declarations().filter(|(_, kind, _)| *kind == DeclKind::Param);
        let mut found = Vec::new();
        for (nth, ty) in takes.iter().enumerate() {
            let name = data.as_ref().and_then(|data| data.params.get(nth)).map(|(name, _)| name.to_string());
            let has_name = name.as_ref().is_some_and(|name| !name.is_empty());
            let entity = if has_name { named.next().map(|(entity, ..)| entity) } else { None };
            let stored = self.data_of(*ty)?;
            let numbers = self.numbers(&stored)?;
            let regs: Vec<GangReg> = numbers.iter().map(|at| self.make.reg(at.ty())).collect();
            self.make.function.params.extend(&regs);
            found.push((entity, *ty, stored, regs));
        }
        for (entity, ty, data, regs) in found {
            let Some(entity) = entity else { continue };
            let place = match *self.layer().kind(ty) {
                TypeKind::Reference(of) => {
                    let data = self.data_of(of)?;
                    GangPlace { inner: regs.get(1).copied(), ..GangPlace::new(regs[0], data) }
                }
                _ => {
                    let name = self.layer().entity(entity).name.to_string();
                    let place = self.temporary(&data, &format!("`{name}`"));
                    self.store_in_all_lanes(&place, &GangValue { data, regs })?;
                    place
                }
            };
            self.declare(entity, place);
        }
        Ok(())
    }

    /// A variable has this place from here on.
    pub(crate) fn declare(&mut self, entity: Entity, place: GangPlace) {
        let mut numbers = Vec::new();
        if place.inner.is_none() && place.letters.is_none() {
            self.reader().named(&place.data, &self.layer().entity(entity).name, 0, &mut numbers);
        }
        if !numbers.is_empty() {
            let (address, declared, scope) = (place.address, self.make.place, self.scope);
            self.make.function.variables.push(GangVariable { address, declared, scope, numbers });
        }
        self.variables.insert(entity, place);
    }

    /// Lowers a statement whose names end with it.
    pub(crate) fn scoped<T>(&mut self, lower: impl FnOnce(&mut Self) -> Lowers<T>) -> Lowers<T> {
        let outer = std::mem::replace(&mut self.scope, self.make.place);
        let lowered = lower(self);
        self.scope = outer;
        lowered
    }

    // What all parts need.

    /// The ops that follow are of this node.
    pub(crate) fn at(&mut self, node: usize) {
        self.node = node;
        self.make.place = self.context.place(self.program.unit, node);
    }

    pub(crate) fn refuse<T>(&self, message: impl Into<String>) -> Lowers<T> {
        Err(NotLowered {
            place: self.context.place(self.program.unit, self.node),
            function: self.make.function.name.clone(),
            message: message.into(),
        })
    }

    pub(crate) fn layer(&self) -> &Layer {
        &self.context.types.layer
    }

    pub(crate) fn reader(&self) -> DataReader<'_> {
        DataReader { layer: &self.context.types.layer, lanes: self.program.lanes.into() }
    }

    /// A type in memory.
    pub(crate) fn data_of(&self, ty: Ty) -> Lowers<Rc<DataForm>> {
        self.data_with(ty, Lanes::Varying)
    }

    pub(crate) fn data_with(&self, ty: Ty, unbound: Lanes) -> Lowers<Rc<DataForm>> {
        self.reader().of(ty, unbound).or_else(|message| self.refuse(message))
    }

    /// The type of an expression, without its reference.
    pub(crate) fn ty(&self, node: usize) -> Ty {
        self.layer().target(self.context.types.types[node])
    }

    pub(crate) fn data(&self, node: usize) -> Lowers<Rc<DataForm>> {
        self.data_of(self.ty(node))
    }

    pub(crate) fn numbers(&self, data: &DataForm) -> Lowers<Vec<NumberAt>> {
        self.reader().numbers(data).or_else(|message| self.refuse(message))
    }

    pub(crate) fn kind(&self, node: usize) -> NodeKind {
        self.context.piece.node(node).kind
    }

    pub(crate) fn children(&self, node: usize) -> Vec<usize> {
        self.context.piece.children(node)
    }

    /// The kind of the token behind a node.
    pub(crate) fn token_behind(&self, node: usize) -> Kind {
        self.context.piece.kind(self.context.piece.node(node).end)
    }

    /// Goes one level deeper.
    pub(crate) fn deeper<T>(&mut self, run: impl FnOnce(&mut Self) -> Lowers<T>) -> Lowers<T> {
        self.depth += 1;
        let found = if self.depth > DEEPEST { self.refuse("this is nested too deep to be run") } else { run(self) };
        self.depth -= 1;
        found
    }

    pub(crate) fn number(&mut self, number: NumberType, value: i64) -> GangValue {
        let reg = self.make.whole(number, value);
        GangValue { data: Rc::new(DataForm::Number(number, crate::data::NumberCells::One)), regs: vec![reg] }
    }

    /// The first register of a value; what gives nothing has none.
    pub(crate) fn first_reg(&self, value: &GangValue) -> Lowers<GangReg> {
        match value.regs.first() {
            Some(reg) => Ok(*reg),
            None => self.refuse("what has no value is used as one"),
        }
    }

    /// A value that is one register.
    pub(crate) fn single(&self, reg: GangReg) -> GangValue {
        let GangType { number, is_varying } = self.make.ty(reg);
        let cells = if is_varying { crate::data::NumberCells::EachLane } else { crate::data::NumberCells::One };
        GangValue { data: Rc::new(DataForm::Number(number, cells)), regs: vec![reg] }
    }

    /// The declaration whose name stands in a node.
    pub(crate) fn declared_in(&self, node: usize) -> Option<Entity> {
        let data = self.context.piece.node(node);
        (data.first..data.end).find_map(|token| self.context.piece.declared(token))
    }
}
