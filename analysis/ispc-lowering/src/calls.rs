//! Calls, of functions by name or by address, and of operators that are functions.

use std::rc::Rc;

use ispc::tree::NodeKind;
use ispc_ir::module::{CallTarget, GangReg};
use ispc_ir::op::GangOp;
use ispc_ir::types::NumberType;
use ispc_types::body::Call;
use ispc_types::layer::Entity;
use ispc_types::overload::Candidate;
use ispc_types::source::Source;
use ispc_types::ty::{Lanes, Ty, TypeKind};

use crate::data::{DataForm, NumberAt, NumberCells};
use crate::emit::GangValue;
use crate::entries;
use crate::function::{FunctionLowerer, Lowers};
use crate::place::GangPlace;
use crate::program::ProgramLowerer;

/// A copy of an argument that is taken by reference, and the place that it goes back to.
type CopyBack = (GangPlace, GangPlace);

impl FunctionLowerer<'_, '_> {
    fn chosen(&self, call: &Call) -> Option<Candidate> {
        call.chosen.and_then(|chosen| call.candidates.get(chosen)).cloned()
    }

    fn call_at(&self, node: usize) -> Option<Candidate> {
        let calls = &self.context.types.calls;
        let at = calls.binary_search_by_key(&(node as u32), |call| call.node).ok()?;
        self.chosen(&calls[at])
    }

    /// The function that an operator is, if it is one.
    pub(crate) fn operator_call(&self, node: usize) -> Option<Candidate> {
        self.call_at(node)
    }

    /// Calls the function that an operator is.
    pub(crate) fn call_operator(&mut self, node: usize, found: Candidate, operands: &[usize]) -> Lowers<GangValue> {
        let value = self.call_known(node, found.clone(), operands)?;
        self.loaded_result(&found.ty, value)
    }

    /// The result of a call; a reference is followed.
    fn loaded_result(&mut self, ty: &Ty, value: GangValue) -> Lowers<GangValue> {
        match self.reference_given(*ty) {
            Some(of) => {
                let data = self.data_of(of)?;
                self.load(&GangPlace::new(self.first_reg(&value)?, data))
            }
            None => Ok(value),
        }
    }

    fn reference_given(&self, function: Ty) -> Option<Ty> {
        let TypeKind::Function(gives, _) = self.layer().kind(function) else { return None };
        match *self.layer().kind(*gives) {
            TypeKind::Reference(of) => Some(of),
            _ => None,
        }
    }

    pub(crate) fn call(&mut self, node: usize, callee: usize, args: usize) -> Lowers<GangValue> {
        let nodes = self.children(args);
        match self.call_at(node) {
            Some(found) => self.call_operator(node, found, &nodes),
            None => {
                let ty = self.function_type(callee)?;
                let value = self.call_address(node, callee, ty, &nodes)?;
                self.loaded_result(&ty, value)
            }
        }
    }

    /// The place that a call gives a reference to.
    pub(crate) fn call_place(&mut self, node: usize, callee: usize, args: usize) -> Lowers<Option<GangPlace>> {
        let nodes = self.children(args);
        let found = self.call_at(node);
        let ty = match &found {
            Some(found) => found.ty,
            None => self.function_type(callee)?,
        };
        let Some(of) = self.reference_given(ty) else { return Ok(None) };
        let value = match found {
            Some(found) => self.call_known(node, found, &nodes)?,
            None => self.call_address(node, callee, ty, &nodes)?,
        };
        Ok(Some(GangPlace::new(self.first_reg(&value)?, self.data_of(of)?)))
    }

    /// The type of the function that an expression is, or points to.
    fn function_type(&mut self, callee: usize) -> Lowers<Ty> {
        let ty = self.ty(callee);
        let of = match *self.layer().kind(ty) {
            TypeKind::Pointer(of, _) => of,
            _ => ty,
        };
        match self.layer().kind(of) {
            TypeKind::Function(..) => Ok(of),
            _ => {
                let written = self.context.piece.written(callee);
                self.refuse(format!("it is not known which function `{written}` is"))
            }
        }
    }

    fn call_known(&mut self, node: usize, found: Candidate, nodes: &[usize]) -> Lowers<GangValue> {
        let TypeKind::Function(gives, takes) = self.layer().kind(found.ty).clone() else {
            return self.refuse("the type of this function is not known");
        };
        if ProgramLowerer::is_of_library(found.entity) {
            return self.library_call(node, &found, gives, &takes, nodes);
        }
        let index = self.function_index(&found)?;
        let (mut regs, back) = self.arguments(&takes, nodes)?;
        let is_postfix = self.kind(node) == NodeKind::Postfix;
        if is_postfix && takes.len() == 2 {
            // The number that tells it from the operator in front.
            let data = self.data_of(takes[1])?;
            let zero = self.number(NumberType::I32, 0);
            regs.extend(self.converted(zero, &data)?.regs);
        }
        let first_left_out = if is_postfix { takes.len() } else { nodes.len() };
        for param in first_left_out..takes.len() {
            regs.extend(self.default_argument(&found, param, takes[param])?);
        }
        self.at(node);
        self.finish_call(CallTarget::Known(index), gives, regs, back, false)
    }

    fn function_index(&mut self, found: &Candidate) -> Lowers<usize> {
        Ok(match self.program.body_of(found.entity, found.ty, &self.context) {
            Some(body) => {
                let is_template = self.program.types.bodies[body].is_template && !found.bound.is_empty();
                let of = self.program.types.bodies[body].entity;
                let bound = if is_template { Some((self.context.clone(), self.renamed(found, of))) } else { None };
                self.program.function_of_body(body, bound)
            }
            None => self.function_outside(found.entity, found.ty)?,
        })
    }

    /// The function that another program has, with the numbers that it takes and gives.
    pub(crate) fn function_outside(&mut self, entity: Entity, ty: Ty) -> Lowers<usize> {
        let (index, is_new) = self.program.external(entity);
        let TypeKind::Function(gives, takes) = self.layer().kind(ty).clone() else { return Ok(index) };
        if !is_new || self.program.module.functions[index].is_of_c {
            return Ok(index);
        }
        let mut types = Vec::new();
        for ty in &takes {
            let data = self.data_of(*ty)?;
            types.extend(self.numbers(&data)?.iter().map(NumberAt::ty));
        }
        let gives = self.data_of(gives)?;
        let gives = self.numbers(&gives)?.iter().map(NumberAt::ty).collect();
        let symbol = entries::symbol(self.program.unit, self.program.types, entity);
        let function = &mut self.program.module.functions[index];
        function.params = (0..types.len() as u32).map(GangReg).collect();
        (function.regs, function.gives, function.symbol) = (types, gives, symbol);
        Ok(index)
    }

    /// The arguments of a template by the parameters of the declaration that has its body.
    fn renamed(&self, found: &Candidate, body: Entity) -> Vec<(Entity, ispc_types::layer::Bound)> {
        let params = |entity: Entity| {
            let function = self.layer().entity(entity).function.clone();
            function.map_or_else(Vec::new, |function| function.template.clone())
        };
        let (own, bodies) = (params(found.entity), params(body));
        let nth = |param: &Entity| own.iter().position(|own| own == param);
        let renamed = |(param, bound): &(Entity, _)| {
            (nth(param).and_then(|nth| bodies.get(nth)).copied().unwrap_or(*param), *bound)
        };
        found.bound.iter().map(renamed).collect()
    }

    fn call_address(&mut self, node: usize, callee: usize, ty: Ty, nodes: &[usize]) -> Lowers<GangValue> {
        let TypeKind::Function(gives, takes) = self.layer().kind(ty).clone() else {
            return self.refuse("the type of this function is not known");
        };
        let address = self.expression(callee)?;
        let Some(address) = address.regs.first().copied() else { return self.refuse("this is no function") };
        let (regs, back) = self.arguments(&takes, nodes)?;
        self.at(node);
        let varies = self.make.is_varying(address);
        let given = self.data_of(gives)?;
        let given = self.numbers(&given)?.iter().map(NumberAt::ty).collect();
        self.finish_call(CallTarget::Address(address, given), gives, regs, back, varies)
    }

    fn finish_call(
        &mut self,
        target: CallTarget,
        gives: Ty,
        args: Vec<GangReg>,
        back: Vec<CopyBack>,
        varies: bool,
    ) -> Lowers<GangValue> {
        let mut data = self.data_of(gives)?;
        if varies {
            data = self.reader().value_of(&data, true);
        }
        let numbers = self.numbers(&data)?;
        let results: Vec<GangReg> = numbers.iter().map(|at| self.make.reg(at.ty())).collect();
        self.make.set(results.clone(), GangOp::Call(target, args));
        for (copy, place) in back {
            let value = self.load(&copy)?;
            self.store(&place, &value)?;
        }
        Ok(GangValue { data, regs: results })
    }

    /// The registers of arguments, and what goes back behind the call.
    fn arguments(&mut self, takes: &[Ty], nodes: &[usize]) -> Lowers<(Vec<GangReg>, Vec<CopyBack>)> {
        let (mut regs, mut back) = (Vec::new(), Vec::new());
        for (param, node) in takes.iter().zip(nodes) {
            if let TypeKind::Reference(of) = *self.layer().kind(*param) {
                regs.extend(self.reference_argument(of, *node, &mut back)?);
            } else {
                let data = self.data_of(*param)?;
                let value = self.expression_as(*node, &data)?;
                regs.extend(value.regs);
            }
        }
        Ok((regs, back))
    }

    fn reference_argument(&mut self, of: Ty, node: usize, back: &mut Vec<CopyBack>) -> Lowers<Vec<GangReg>> {
        let wanted = self.data_of(of)?;
        let is_const = self.layer().is_const(of);
        let place = self.place(node)?;
        if let Some(place) = &place {
            let is_plain = !self.place_varies(place) && place.letters.is_none() && place.inner.is_none();
            let is_array = matches!((&*place.data, &*wanted), (DataForm::Array(..), DataForm::Array(..)));
            if is_plain && (is_array || place.data == wanted) {
                return Ok(vec![place.address]);
            }
        }
        if let Some(Lanes::Soa(_)) = self.layer().lanes(of) {
            return self.refuse("a reference to `soa` data cannot be passed in a run");
        }
        let value = match &place {
            Some(place) => self.load(place)?,
            None => self.expression(node)?,
        };
        let value = self.converted(value, &wanted)?;
        let copy = self.spilled(&value)?;
        if let Some(place) = place.filter(|_| !is_const) {
            back.push((copy.clone(), place));
        }
        Ok(vec![copy.address])
    }

    /// The value of a parameter that a call leaves out.
    fn default_argument(&mut self, found: &Candidate, nth: usize, ty: Ty) -> Lowers<Vec<GangReg>> {
        let Some(context) = self.program.declaration_of(found.entity) else {
            return self.refuse("a value of a parameter is declared where nobody can look");
        };
        let root = context.piece.n_nodes() - 1;
        let is_param = |node: &usize| context.piece.node(*node).kind == NodeKind::Param;
        let first_params = (0..=root).find(|node| context.piece.node(*node).kind == NodeKind::Params);
        let params = first_params.map_or_else(Vec::new, |node| context.piece.children(node));
        let param = params.into_iter().filter(is_param).nth(nth);
        let value = param.and_then(|param| context.piece.children(param).last().copied());
        let Some(value) = value else { return self.refuse("an argument is missing") };
        let data = self.data_of(ty)?;
        let (outer, node) = (std::mem::replace(&mut self.context, Rc::new(context)), self.node);
        self.node = value;
        let found = self.expression_as(value, &data);
        (self.context, self.node) = (outer, node);
        Ok(found?.regs)
    }

    pub(crate) fn launch(&mut self, children: &[usize]) -> Lowers<GangValue> {
        let [counts @ .., call] = children else { return self.refuse("nothing is launched") };
        let mut all = Vec::new();
        for count in counts {
            match self.kind(*count) {
                NodeKind::Comma => all.extend(self.children(*count)),
                _ => all.push(*count),
            }
        }
        // In brackets of their own the first dimension comes last.
        if counts.len() > 1 {
            all.reverse();
        }
        let mut numbers = Vec::new();
        for count in all {
            let value = self.expression(count)?;
            numbers.push(self.make.convert(self.first_reg(&value)?, NumberType::U32));
        }
        while numbers.len() < 3 {
            numbers.push(self.make.whole(NumberType::U32, 1));
        }
        let [callee, args] = self.children(*call)[..] else { return self.refuse("what is launched is a call") };
        let nodes = self.children(args);
        let (target, takes) = match self.call_at(*call) {
            Some(found) => {
                let TypeKind::Function(_, takes) = self.layer().kind(found.ty).clone() else {
                    return self.refuse("the type of this function is not known");
                };
                (CallTarget::Known(self.function_index(&found)?), takes)
            }
            None => {
                let ty = self.function_type(callee)?;
                let TypeKind::Function(_, takes) = self.layer().kind(ty).clone() else {
                    return self.refuse("the type of this function is not known");
                };
                let address = self.expression(callee)?;
                (CallTarget::Address(self.first_reg(&address)?, Vec::new()), takes)
            }
        };
        let (args, _) = self.arguments(&takes, &nodes)?;
        self.at(*call);
        let counts = [numbers[0], numbers[1], numbers[2]];
        self.make.run(GangOp::Launch { target, counts, args });
        Ok(GangValue { data: Rc::new(DataForm::Void), regs: Vec::new() })
    }

    /// A value of numbers by their types.
    pub(crate) fn value_type(&self, number: NumberType, is_varying: bool) -> Rc<DataForm> {
        let cells = if is_varying { NumberCells::EachLane } else { NumberCells::One };
        Rc::new(DataForm::Number(number, cells))
    }
}
