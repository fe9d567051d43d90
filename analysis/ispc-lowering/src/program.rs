//! A unit's functions and globals: those that are asked for, and all that they use.

use std::rc::Rc;

use ispc::kinds::Kind;
use ispc::names::DeclKind;
use ispc::tree::NodeKind;
use ispc::unit::Unit;
use ispc_ir::module::{GangFunction, GangModule, GlobalId, MemorySharing, NamedMemory, TextPlace};
use ispc_types::body::{BodyTypes, type_body, type_instance};
use ispc_types::layer::{Bound, Entity};
use ispc_types::naming::is_meant;
use ispc_types::source::{BodyPlace, Piece, Source};
use ispc_types::ty::{Ty, TypeKind};
use ispc_types::unit::{UnitTypes, library_types};
use rustc_hash::FxHashMap;

use crate::data::DataForm;
use crate::emit::FunctionMaker;
use crate::entries::{self, EntryFunction};
use crate::function::{FunctionLowerer, StartOf};

/// The cause for which a function has no ops.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NotLowered {
    /// Where it stands.
    pub place: TextPlace,
    /// The function, or the global.
    pub function: String,
    /// What is there.
    pub message: String,
}

/// The outcome for a unit.
#[derive(Debug, Default)]
pub struct LoweredUnit {
    /// The program. Functions that could not be lowered are external ones.
    pub module: GangModule,
    /// The parts that could not be lowered.
    pub problems: Vec<NotLowered>,
    /// The functions that were asked for.
    pub entries: Vec<EntryFunction>,
}

/// Lowers the functions that these names mean (see [`ispc_types::naming`]), and all that they call; all that are no templates if no names are
/// given.
pub fn lower(unit: &Unit, types: &UnitTypes, lanes: u32, names: &[&str]) -> LoweredUnit {
    let is_wanted =
        |body: &BodyPlace| names.is_empty() || names.iter().any(|name| is_meant(&types.layer, body.entity, name));
    lower_those(unit, types, lanes, &is_wanted, false)
}

/// Lowers what other programs and files know of a unit: the functions that are exported, those that have a symbol but for the left out, and
/// the globals that others may use.
pub fn lower_shared(unit: &Unit, types: &UnitTypes, lanes: u32, left_out: &[Entity]) -> LoweredUnit {
    let is_wanted = |body: &BodyPlace| {
        let is_shared = || entries::is_of_sources(unit, body) && entries::symbol(unit, types, body.entity).is_some();
        entries::is_exported(unit, body) || !left_out.contains(&body.entity) && is_shared()
    };
    lower_those(unit, types, lanes, &is_wanted, true)
}

fn lower_those(
    unit: &Unit,
    types: &UnitTypes,
    lanes: u32,
    is_wanted: &dyn Fn(&BodyPlace) -> bool,
    has_globals: bool,
) -> LoweredUnit {
    let module = GangModule { lanes, ..GangModule::default() };
    let (by_key, globals, problems) = (FxHashMap::default(), FxHashMap::default(), Vec::new());
    let mut program =
        ProgramLowerer { unit, types, lanes, module, by_key, globals, problems, work: Vec::new(), starts: Vec::new() };
    let mut entries = Vec::new();
    for (nth, body) in types.bodies.iter().enumerate() {
        if !body.is_template && is_wanted(body) {
            let function = program.function_of_body(nth, None);
            entries.push(entries::entry(unit, types, lanes, body, function));
        }
    }
    if has_globals {
        program.shared_globals();
    }
    program.run();
    LoweredUnit { module: program.module, problems: program.problems, entries }
}

/// A stretch of a unit with its types: a function, or the declaration of a global.
pub(crate) struct BodyContext {
    pub(crate) piece: Piece,
    pub(crate) types: BodyTypes,
    pub(crate) first_token: u32,
}

/// The arguments of a template's instance, and the body whose call they are from.
pub(crate) type InstanceArguments = (Rc<BodyContext>, Vec<(Entity, Bound)>);

enum LoweringWork {
    Body(usize, usize, Option<InstanceArguments>),
    Start(usize, StartOf),
}

/// A global variable that is used.
#[derive(Clone)]
pub(crate) struct GlobalVariable {
    pub(crate) id: GlobalId,
    pub(crate) data: Rc<DataForm>,
}

pub(crate) struct ProgramLowerer<'u> {
    pub(crate) unit: &'u Unit,
    pub(crate) types: &'u UnitTypes,
    pub(crate) lanes: u32,
    pub(crate) module: GangModule,
    by_key: FxHashMap<(u32, String), usize>,
    pub(crate) globals: FxHashMap<Entity, GlobalVariable>,
    pub(crate) problems: Vec<NotLowered>,
    work: Vec<LoweringWork>,
    starts: Vec<usize>,
}

impl ProgramLowerer<'_> {
    fn run(&mut self) {
        while let Some(work) = self.work.pop() {
            match work {
                LoweringWork::Body(index, body, instance) => self.body(index, body, instance),
                LoweringWork::Start(index, start) => {
                    let (maker, problem) = FunctionLowerer::start(self, start);
                    self.put(index, maker, problem);
                }
            }
        }
        if !self.starts.is_empty() {
            let mut maker = FunctionMaker::new("first values of globals");
            // Those that were met first are used by those that follow.
            for start in std::mem::take(&mut self.starts) {
                let target = ispc_ir::module::CallTarget::Known(start);
                maker.run(ispc_ir::op::GangOp::Call(target, Vec::new()));
            }
            self.module.start = Some(self.module.functions.len());
            self.module.functions.push(maker.finish());
        }
    }

    fn put(&mut self, index: usize, maker: FunctionMaker, problem: Option<NotLowered>) {
        let reserved = &mut self.module.functions[index];
        let (name, symbol) = (std::mem::take(&mut reserved.name), reserved.symbol.take());
        let mut function = GangFunction { name, symbol, ..maker.finish() };
        if let Some(problem) = problem {
            function.body.clear();
            (function.is_external, function.symbol) = (true, None);
            self.problems.push(problem);
        }
        self.module.functions[index] = function;
    }

    fn body(&mut self, index: usize, nth: usize, instance: Option<InstanceArguments>) {
        let place = &self.types.bodies[nth];
        let context = self.cut(place, instance.as_ref());
        let (maker, problem) = FunctionLowerer::function(self, Rc::new(context));
        self.put(index, maker, problem);
    }

    fn cut(&self, place: &BodyPlace, instance: Option<&InstanceArguments>) -> BodyContext {
        let layer = &self.types.layer;
        let piece = Piece::cut(self.unit, &self.types.entities, place, layer.n_entities(), false);
        let types = match instance {
            Some((caller, bound)) => type_instance(layer, &piece, &caller.types, bound),
            None => type_body(layer, &piece),
        };
        BodyContext { piece, types, first_token: self.unit.tree.nodes[place.node].first }
    }

    /// The declaration of a global or of a function's head, as a stretch of its own.
    pub(crate) fn declaration_of(&self, entity: Entity) -> Option<BodyContext> {
        let decl = self.types.decl(entity)?;
        let token = self.unit.names.decls[decl as usize].token;
        let mut around = self.unit.tree.around(token);
        let kinds = [NodeKind::Declaration, NodeKind::Function];
        let node = around.find(|node| kinds.contains(&self.unit.tree.nodes[*node].kind))?;
        let (decls, outer) = (decl + 1..decl + 1, decl..decl);
        let place = BodyPlace { node, decl, entity, decls, outer, is_template: false, is_of_c: false };
        let mut known = self.types.bodies.iter().chain(&self.types.checked);
        let place = known.find(|body| body.node == node).cloned().unwrap_or(place);
        Some(self.cut(&place, None))
    }

    /// The function that a body is, to be made later.
    pub(crate) fn function_of_body(&mut self, nth: usize, instance: Option<InstanceArguments>) -> usize {
        let entity = self.types.bodies[nth].entity;
        let arguments = instance.as_ref().map_or(String::new(), |(caller, bound)| {
            let shown = bound.iter().map(|(_, bound)| match bound {
                Bound::Type(ty) => caller.types.layer.show(*ty),
                Bound::Value(value) => value.to_string(),
            });
            format!("<{}>", shown.collect::<Vec<_>>().join(", "))
        });
        let key = (entity.0, arguments);
        if let Some(found) = self.by_key.get(&key) {
            return *found;
        }
        let name = format!("{}{}", self.types.layer.entity(entity).name, key.1);
        let index = self.reserve(&name);
        if instance.is_none() && entries::is_of_sources(self.unit, &self.types.bodies[nth]) {
            self.module.functions[index].symbol = entries::symbol(self.unit, self.types, entity);
        }
        self.by_key.insert(key, index);
        self.work.push(LoweringWork::Body(index, nth, instance));
        index
    }

    fn reserve(&mut self, name: &str) -> usize {
        let function = GangFunction { is_external: true, ..FunctionMaker::new(name).finish() };
        self.module.functions.push(function);
        self.module.functions.len() - 1
    }

    /// A function that is made already.
    pub(crate) fn add_function(&mut self, function: GangFunction) -> usize {
        self.module.functions.push(function);
        self.module.functions.len() - 1
    }

    /// The function that another program has, and true if it is met for the first time.
    pub(crate) fn external(&mut self, entity: Entity) -> (usize, bool) {
        let key = (entity.0, String::new());
        if let Some(found) = self.by_key.get(&key) {
            return (*found, false);
        }
        let index = self.reserve(&self.types.layer.entity(entity).name);
        let token = self.types.decl(entity).map(|decl| self.unit.names.decls[decl as usize].token);
        self.module.functions[index].is_of_c = token.is_some_and(|token| is_of_c(self.unit, token));
        self.by_key.insert(key, index);
        (index, true)
    }

    /// The programs that know a global: this one alone if it is `static`, or `const` and nowhere `extern`, and another one has it if all that
    /// declares it is `extern`.
    pub(crate) fn sharing(&self, entity: Entity) -> MemorySharing {
        let name = &self.types.layer.entity(entity).name;
        let same = self.types.layer.named(name).into_iter().filter_map(|entity| self.types.decl(entity));
        let said: Vec<[bool; 2]> =
            same.map(|decl| [Kind::Static, Kind::Extern].map(|kind| self.says(decl, kind))).collect();
        let is_static = said.iter().any(|[is_static, _]| *is_static);
        let n_extern = said.iter().filter(|[_, is_extern]| *is_extern).count();
        if said.is_empty()
            || is_static
            || n_extern == 0 && self.types.layer.is_const(self.types.layer.entity(entity).ty)
        {
            MemorySharing::Own
        } else if n_extern == said.len() {
            MemorySharing::Taken
        } else {
            MemorySharing::Given
        }
    }

    /// Returns true if a word stands in front of what a declaration declares.
    fn says(&self, decl: u32, word: Kind) -> bool {
        let token = self.unit.names.decls[decl as usize].token;
        specifiers(self.unit, token).any(|token| self.unit.tokens[token as usize].kind == word)
    }

    pub(crate) fn is_extern(&self, entity: Entity) -> bool {
        self.types.decl(entity).is_some_and(|decl| self.says(decl, Kind::Extern))
    }

    /// Returns true for a declaration with a first value.
    pub(crate) fn has_value(&self, entity: Entity) -> bool {
        let token = self.types.decl(entity).map(|decl| self.unit.names.decls[decl as usize].token);
        let tree = &self.unit.tree;
        let node =
            token.and_then(|token| tree.around(token).find(|it| tree.nodes[*it].kind == NodeKind::InitDeclarator));
        node.is_some_and(|node| tree.children(node).len() > 1)
    }

    /// Makes the globals of the unit's sources that other files may use, but for those without a form in memory.
    fn shared_globals(&mut self) {
        for (nth, decl) in self.unit.names.decls.iter().enumerate() {
            if decl.kind != DeclKind::Global || !entries::is_of_source(self.unit, decl.token) {
                continue;
            }
            let Some(entity) = self.types.entity(nth as u32) else { continue };
            if self.sharing(entity) == MemorySharing::Given
                && let Some(context) = self.declaration_of(entity)
            {
                FunctionLowerer::shared_global(self, Rc::new(context), entity);
            }
        }
    }

    /// Memory that lasts.
    pub(crate) fn add_memory(&mut self, name: &str, bytes: u64, sharing: MemorySharing) -> GlobalId {
        self.module.globals.push(NamedMemory { name: name.to_owned(), bytes, sharing });
        GlobalId(self.module.globals.len() as u32 - 1)
    }

    pub(crate) fn add_start(&mut self, name: &str, start: StartOf) {
        let index = self.reserve(&format!("first value of `{name}`"));
        self.starts.push(index);
        self.work.push(LoweringWork::Start(index, start));
    }

    /// Returns true for a declaration of the library.
    pub(crate) fn is_of_library(entity: Entity) -> bool {
        entity.0 < library_types().layer.n_entities()
    }

    /// The body that a function's declaration means: its own, that of its definition, or of the specialization of a template.
    pub(crate) fn body_of(&self, entity: Entity, ty: Ty, context: &BodyContext) -> Option<usize> {
        let layer = &context.types.layer;
        let data = layer.entity(entity);
        let is_template = data.function.as_ref().is_some_and(|it| !it.template.is_empty());
        let form = |layer: &ispc_types::layer::Layer, ty: Ty| match layer.kind(ty) {
            TypeKind::Function(gives, takes) => {
                let all = takes.iter().chain([gives]);
                let shown: Vec<String> = all.map(|ty| layer.show(*ty).replace("const ", "")).collect();
                shown.join(", ")
            }
            _ => String::new(),
        };
        let wanted = form(layer, ty);
        let mut bodies = self.types.bodies.iter().enumerate();
        let same_name = |body: &BodyPlace| self.types.layer.entity(body.entity).name == data.name;
        let same = bodies.clone().find(|(_, body)| {
            let outer = &self.types.layer;
            let other = outer.entity(body.entity);
            let other_template = other.function.as_ref().is_some_and(|it| !it.template.is_empty());
            !other_template && same_name(body) && form(outer, other.ty) == wanted
        });
        let own = bodies.find(|(_, body)| body.entity == entity);
        match is_template {
            // A specialization is found by its template; the template's own declaration may stand in front of its body.
            true => {
                let shown = layer.show(data.ty);
                let defined = self.types.bodies.iter().enumerate().find(|(_, body)| {
                    let other = self.types.layer.entity(body.entity);
                    let n = |it: &ispc_types::layer::EntityData| it.function.as_ref().map_or(0, |it| it.template.len());
                    same_name(body) && n(other) == n(data) && self.types.layer.show(other.ty) == shown
                });
                same.or(own).or(defined).map(|(nth, _)| nth)
            }
            false => own.or(same).map(|(nth, _)| nth),
        }
    }
}

/// The tokens in front of a declared name that are of its whole declaration.
pub(crate) fn specifiers(unit: &Unit, token: u32) -> impl Iterator<Item = u32> {
    let kinds = [NodeKind::Declaration, NodeKind::Function];
    let node = unit.tree.around(token).find(|node| kinds.contains(&unit.tree.nodes[*node].kind));
    let children = node.map_or_else(Vec::new, |node| unit.tree.children(node));
    let found = children.into_iter().find(|node| unit.tree.nodes[*node].kind == NodeKind::Specifiers);
    found.map(|node| unit.tree.nodes[node]).map_or(0..0, |data| data.first..data.end)
}

/// Returns true for a declaration that is `extern "C"`, by itself or with all in braces around it.
pub(crate) fn is_of_c(unit: &Unit, token: u32) -> bool {
    let says = |token: u32| {
        let next = unit.tokens.get(token as usize + 1).map(|token| token.kind);
        unit.tokens[token as usize].kind == Kind::Extern && next == Some(Kind::Str)
    };
    specifiers(unit, token).any(says) || unit.tree.around(token).any(|node| says(unit.tree.nodes[node].first))
}

impl BodyContext {
    pub(crate) fn place(&self, unit: &Unit, node: usize) -> TextPlace {
        let data = self.piece.node(node);
        match unit.place_of(self.first_token + data.first..self.first_token + data.end) {
            Some(at) => TextPlace { file: at.file.0, start: at.start, end: at.end },
            None => TextPlace::default(),
        }
    }
}
