//! Variables that last: globals, and `static` ones of functions.

use std::rc::Rc;

use ispc::kinds::Kind;
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
    /// The place of a global.
    pub(crate) fn global_place(&mut self, entity: Entity) -> Lowers<GangPlace> {
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

    fn make_global(&mut self, entity: Entity) -> Lowers<()> {
        let data = self.layer().entity(entity);
        let (name, ty) = (data.name.to_string(), data.ty);
        let mut data = self.data_of(ty)?;
        let Some(context) = self.program.declaration_of(entity) else {
            return self.refuse(format!("`{name}` is declared where nobody can look"));
        };
        // The declarator is the one whose name is the variable's.
        let is_it = |node: &usize| {
            context.piece.node(*node).kind == NodeKind::InitDeclarator && {
                let at = context.piece.node(*node);
                let mut tokens = at.first..at.end;
                tokens.any(|token| context.piece.kind(token) == Kind::Name && *context.piece.text(token) == *name)
            }
        };
        let root = context.piece.n_nodes() - 1;
        let value = context.piece.children(root).into_iter().find(is_it);
        let value = value.and_then(|node| context.piece.children(node).get(1).copied());
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
