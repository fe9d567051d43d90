//! Variables that last: globals, and `static` ones of functions.

use std::rc::Rc;

use ispc::kinds::Kind;
use ispc::names::DeclKind;
use ispc::tree::NodeKind;
use ispc_ir::module::MemorySharing;
use ispc_ir::op::GangOp;
use ispc_ir::types::{GangType, NumberType};
use ispc_types::layer::Entity;
use ispc_types::source::Source;

use crate::data::DataForm;
use crate::function::{FunctionLowerer, Lowers, StartOf};
use crate::place::GangPlace;
use crate::program::GlobalVariable;

impl FunctionLowerer<'_, '_> {
    /// The place of a global. All declarations of its name are one variable.
    pub(crate) fn global_place(&mut self, entity: Entity) -> Lowers<GangPlace> {
        let entity = self.defining(entity)?;
        if !self.program.globals.contains_key(&entity) {
            self.make_global(entity)?;
        }
        let global = self.program.globals[&entity].clone();
        Ok(self.place_of_global(&global))
    }

    pub(crate) fn place_of_global(&mut self, global: &GlobalVariable) -> GangPlace {
        let address = self.make.op(GangType::uniform(NumberType::Pointer), GangOp::Global(global.id));
        GangPlace::new(address, global.data.clone())
    }

    /// Of the declarations of a global the one that counts: it has a value, else it is not `extern`, else it is the first. One of another form
    /// in memory is another variable.
    fn defining(&self, entity: Entity) -> Lowers<Entity> {
        let layer = &self.program.types.layer;
        let data = self.data_of(layer.entity(entity).ty)?;
        let is_same = |other: &Entity| {
            let it = layer.entity(*other);
            let is_global = it.kind == DeclKind::Global && self.program.types.decl(*other).is_some();
            is_global && self.data_of(it.ty).is_ok_and(|other| is_same_form(&data, &other))
        };
        let rank = |other: &Entity| (!self.program.has_value(*other), self.program.is_extern(*other), *other);
        let declared = layer.named(&layer.entity(entity).name);
        Ok(declared.into_iter().filter(is_same).min_by_key(rank).unwrap_or(entity))
    }

    fn make_global(&mut self, entity: Entity) -> Lowers<()> {
        let data = self.layer().entity(entity);
        let (name, ty) = (data.name.to_string(), data.ty);
        let mut data = self.data_of(ty)?;
        let Some(context) = self.program.declaration_of(entity) else {
            return self.refuse(format!("`{name}` is declared where nobody can look"));
        };
        let value = first_value(&context.piece, context.piece.n_nodes() - 1, &name);
        if let Some(value) = value {
            data = sized(&data, &context.piece, value);
        }
        let bytes = self.reader().size(&data);
        let sharing = self.program.sharing(entity);
        let global = GlobalVariable { id: self.program.add_memory(&name, bytes, sharing), data };
        self.program.globals.insert(entity, global.clone());
        if let Some(value) = value {
            let start = StartOf { context: Rc::new(context), value, name: name.clone(), global };
            self.program.add_start(&name, start);
        }
        Ok(())
    }

    /// A `static` variable of a function.
    pub(crate) fn static_variable(
        &mut self,
        entity: Entity,
        data: &Rc<DataForm>,
        value: Option<usize>,
    ) -> Lowers<GangPlace> {
        let name = self.layer().entity(entity).name.to_string();
        let bytes = self.reader().size(data);
        let id = self.program.add_memory(&name, bytes, MemorySharing::Own);
        if let Some(value) = value {
            let global = GlobalVariable { id, data: data.clone() };
            let start = StartOf { context: self.context.clone(), value, name: name.clone(), global };
            self.program.add_start(&name, start);
        }
        let address = self.make.op(GangType::uniform(NumberType::Pointer), GangOp::Global(id));
        Ok(GangPlace::new(address, data.clone()))
    }
}

/// The node of the value behind the declarator of this name in a declaration.
fn first_value(source: &dyn Source, declaration: usize, name: &str) -> Option<usize> {
    let is_it = |node: &usize| {
        let parts = source.children(*node);
        source.node(*node).kind == NodeKind::InitDeclarator && {
            let at = source.node(*parts.first().unwrap_or(node));
            (at.first..at.end).any(|token| source.kind(token) == Kind::Name && source.text(token) == name)
        }
    };
    let declarator = source.children(declaration).into_iter().find(is_it);
    declarator.and_then(|node| source.children(node).get(1).copied())
}

/// Returns true for forms of one variable: an array may have its length in one declaration alone.
fn is_same_form(one: &DataForm, other: &DataForm) -> bool {
    match (one, other) {
        (DataForm::Array(one, n), DataForm::Array(other, m)) => {
            (n == m || *n == 0 || *m == 0) && is_same_form(one, other)
        }
        _ => one == other,
    }
}

/// An array without a length has that of the list behind it.
pub(crate) fn sized(data: &Rc<DataForm>, source: &dyn Source, value: usize) -> Rc<DataForm> {
    match &**data {
        DataForm::Array(of, count) if source.node(value).kind == NodeKind::InitializerList => {
            let parts = source.children(value);
            let of = parts.first().map_or(of.clone(), |part| sized(of, source, *part));
            Rc::new(DataForm::Array(of, if *count == 0 { parts.len() as u64 } else { *count }))
        }
        _ => data.clone(),
    }
}
