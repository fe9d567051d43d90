//! ispc's own functions, as ops.
//!
//! What computes is one op for each number, so a function is here once for all its types. A function that is not here is told to be
//! missing.

mod atomics;
mod lanes;
mod memory;
mod numbers;

use std::rc::Rc;

use ispc_ir::module::GangReg;
use ispc_ir::op::GangOp;
use ispc_types::layer::Entity;
use ispc_types::overload::Candidate;
use ispc_types::ty::{Ty, TypeKind};

use crate::data::{DataForm, NumberAt};
use crate::emit::{FunctionMaker, GangValue};
use crate::function::{FunctionLowerer, Lowers};

/// A call of a function of the library.
pub(crate) struct LibraryCall {
    pub(crate) name: String,
    pub(crate) args: Vec<GangValue>,
    pub(crate) gives: Rc<DataForm>,
}

impl LibraryCall {
    /// The first register of an argument: there are as many arguments as the name's forms take, and each has one.
    pub(crate) fn reg(&self, nth: usize) -> GangReg {
        self.args.get(nth).and_then(|arg| arg.regs.first()).copied().unwrap_or(GangReg(0))
    }
}

impl FunctionLowerer<'_, '_> {
    pub(crate) fn library_call(
        &mut self,
        node: usize,
        found: &Candidate,
        gives: Ty,
        takes: &[Ty],
        nodes: &[usize],
    ) -> Lowers<GangValue> {
        let mut args = Vec::new();
        for (param, node) in takes.iter().zip(nodes) {
            if let TypeKind::Reference(of) = *self.layer().kind(*param) {
                let Some(place) = self.place(*node)? else {
                    return self.refuse("a reference refers to what has a place");
                };
                args.push(self.address_value(&place, of)?);
            } else {
                let data = self.data_of(*param)?;
                args.push(self.expression_as(*node, &data)?);
            }
        }
        self.at(node);
        let name = self.layer().entity(found.entity).name.to_string();
        self.library_op(LibraryCall { name, args, gives: self.data_of(gives)? })
    }

    fn library_op(&mut self, call: LibraryCall) -> Lowers<GangValue> {
        if call.args.iter().any(|arg| arg.regs.is_empty()) {
            return self.refuse("what has no value is used as one");
        }
        let value = match self.numbers_call(&call)? {
            Some(value) => Some(value),
            None => match self.lanes_call(&call)? {
                Some(value) => Some(value),
                None => match self.memory_call(&call)? {
                    Some(value) => Some(value),
                    None => self.atomics_call(&call)?,
                },
            },
        };
        match value {
            Some(value) => self.converted(value, &call.gives),
            None => self.refuse(format!("`{}` of the library cannot be run", call.name)),
        }
    }

    /// A function of the library as one that has an address.
    pub(crate) fn library_function(&mut self, entity: Entity) -> Lowers<usize> {
        let data = self.layer().entity(entity);
        let (name, ty) = (data.name.to_string(), data.ty);
        let TypeKind::Function(gives, takes) = self.layer().kind(ty).clone() else {
            return self.refuse("the type of this function is not known");
        };
        let gives = self.data_of(gives)?;
        let outer = std::mem::replace(&mut self.make, FunctionMaker::new(&name));
        let made = self.library_body(&name, gives, &takes);
        let maker = std::mem::replace(&mut self.make, outer);
        made?;
        Ok(self.program.add_function(maker.finish()))
    }

    fn library_body(&mut self, name: &str, gives: Rc<DataForm>, takes: &[Ty]) -> Lowers<()> {
        let mut args = Vec::new();
        for ty in takes {
            let data = self.data_of(*ty)?;
            let numbers = self.numbers(&data)?;
            let regs: Vec<GangReg> = numbers.iter().map(|at| self.make.reg(at.ty())).collect();
            self.make.function.params.extend(&regs);
            args.push(GangValue { data, regs });
        }
        let numbers = self.numbers(&gives)?;
        self.make.function.gives = numbers.iter().map(NumberAt::ty).collect();
        let value = self.library_op(LibraryCall { name: name.to_owned(), args, gives })?;
        self.make.run(GangOp::Return(value.regs));
        Ok(())
    }

    /// No value.
    pub(crate) fn nothing(&self) -> GangValue {
        GangValue { data: Rc::new(DataForm::Void), regs: Vec::new() }
    }
}
