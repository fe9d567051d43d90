//! The invariants of a program.
//!
//! - A register is set by one op, or is a parameter, and is set in front of its uses: in the same block or in one around it. What the
//!   test of a loop sets is there for its body and step, and what a `case` sets for those that it falls through to.
//! - Types fit: operands of an op have its type, an address is one, a value that is stored where each lane has an address varies.
//! - A jump stands inside of what it leads out of.
//! - A call of a known function gives what it takes, and takes what it gives.

use crate::module::{CallTarget, GangBlock, GangFunction, GangInst, GangModule, GangReg, JumpId};
use crate::op::GangOp;
use crate::types::{GangType, NumberType};

/// A program that breaks an invariant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GangError {
    /// The function.
    pub function: String,
    /// What is wrong.
    pub message: String,
}

/// Checks a program; the first error of each function.
pub fn verify(module: &GangModule) -> Vec<GangError> {
    let check = |function: &GangFunction| {
        let mut verifier = GangVerifier { module, function, set: vec![false; function.regs.len()], around: Vec::new() };
        let found = verifier.function().err()?;
        Some(GangError { function: function.name.clone(), message: found })
    };
    module.functions.iter().filter(|function| !function.is_external).filter_map(check).collect()
}

/// The blocks that jumps lead out of.
#[derive(Clone, Copy, PartialEq)]
enum JumpRegion {
    Loop(JumpId),
    Switch(JumpId),
    Label(JumpId),
}

struct GangVerifier<'m> {
    module: &'m GangModule,
    function: &'m GangFunction,
    set: Vec<bool>,
    around: Vec<JumpRegion>,
}

type VerifierResult<T = ()> = Result<T, String>;

impl GangVerifier<'_> {
    fn function(&mut self) -> VerifierResult {
        for param in &self.function.params {
            self.sets(*param)?;
        }
        self.block(&self.function.body)
    }

    fn ty(&self, reg: GangReg) -> GangType {
        self.function.regs[reg.0 as usize]
    }

    fn sets(&mut self, reg: GangReg) -> VerifierResult {
        match self.set.get_mut(reg.0 as usize) {
            Some(set) if !*set => *set = true,
            Some(_) => return Err(format!("%{} is set twice", reg.0)),
            None => return Err(format!("%{} has no type", reg.0)),
        }
        Ok(())
    }

    fn uses(&self, reg: GangReg) -> VerifierResult {
        match self.set.get(reg.0 as usize) {
            Some(true) => Ok(()),
            _ => Err(format!("%{} is used where it is not set", reg.0)),
        }
    }

    /// Checks a block; what it sets is not there behind it.
    fn inner(&mut self, block: &GangBlock) -> VerifierResult {
        let before = self.set.clone();
        self.block(block)?;
        self.leave(before)
    }

    /// Goes back to what was set before.
    fn leave(&mut self, before: Vec<bool>) -> VerifierResult {
        self.set = before;
        Ok(())
    }

    fn block(&mut self, block: &GangBlock) -> VerifierResult {
        block.iter().try_for_each(|inst| self.inst(inst))
    }

    fn region(&mut self, region: JumpRegion, check: impl FnOnce(&mut Self) -> VerifierResult) -> VerifierResult {
        self.around.push(region);
        check(self)?;
        self.around.pop();
        Ok(())
    }

    fn truth(&self, reg: GangReg) -> VerifierResult {
        self.uses(reg)?;
        match self.ty(reg).number {
            NumberType::Bool => Ok(()),
            _ => Err(format!("%{} is tested and is no truth value", reg.0)),
        }
    }

    fn inst(&mut self, inst: &GangInst) -> VerifierResult {
        match &inst.op {
            GangOp::If(test, yes, no) => {
                self.truth(*test)?;
                self.inner(yes)?;
                self.inner(no)
            }
            GangOp::Loop { id, test, body, step, again } => {
                let before = self.set.clone();
                if let Some((block, holds)) = test {
                    self.block(block)?;
                    self.truth(*holds)?;
                }
                self.region(JumpRegion::Loop(*id), |verifier| verifier.inner(body))?;
                self.block(step)?;
                if let Some(again) = again {
                    self.truth(*again)?;
                }
                self.leave(before)
            }
            GangOp::Switch { id, value, cases } => {
                self.uses(*value)?;
                let before = self.set.clone();
                self.region(JumpRegion::Switch(*id), |verifier| {
                    cases.iter().try_for_each(|case| verifier.block(&case.block))
                })?;
                self.leave(before)
            }
            GangOp::AllLanes(body) => self.inner(body),
            GangOp::EachLane { id, lane: value, body } => self.each(*id, *value, body),
            GangOp::EachValue { id, over, value, body } => {
                self.uses(*over)?;
                if self.ty(*over).number != self.ty(*value).number || self.ty(*value).is_varying {
                    return Err(format!("%{} is not one of the values of %{}", value.0, over.0));
                }
                self.each(*id, *value, body)
            }
            GangOp::Labelled(blocks) => {
                let before = self.set.clone();
                let outer = self.around.len();
                self.around.extend(blocks.iter().map(|(id, _)| JumpRegion::Label(*id)));
                blocks.iter().try_for_each(|(_, block)| self.block(block))?;
                self.around.truncate(outer);
                self.leave(before)
            }
            op => {
                self.operands(inst, op)?;
                inst.results.iter().try_for_each(|reg| self.sets(*reg))
            }
        }
    }

    fn each(&mut self, id: JumpId, value: GangReg, body: &GangBlock) -> VerifierResult {
        let before = self.set.clone();
        self.sets(value)?;
        self.region(JumpRegion::Loop(id), |verifier| verifier.block(body))?;
        self.leave(before)
    }

    /// All of one type.
    fn alike(&self, regs: &[GangReg], ty: GangType) -> VerifierResult {
        for reg in regs {
            self.uses(*reg)?;
            if self.ty(*reg) != ty {
                return Err(format!("%{} is a {}, where a {ty} is wanted", reg.0, self.ty(*reg)));
            }
        }
        Ok(())
    }

    fn address(&self, reg: GangReg) -> VerifierResult {
        self.uses(reg)?;
        match self.ty(reg).number {
            NumberType::Pointer => Ok(()),
            _ => Err(format!("%{} is used as an address", reg.0)),
        }
    }

    fn result(&self, inst: &GangInst) -> VerifierResult<GangType> {
        inst.results.first().map(|reg| self.ty(*reg)).ok_or_else(|| format!("an op sets nothing: {:?}", inst.op))
    }

    fn operands(&self, inst: &GangInst, op: &GangOp) -> VerifierResult {
        let varying = |number: NumberType| GangType::varying(number);
        match op {
            GangOp::Two(_, left, right) => self.alike(&[*left, *right], self.result(inst)?),
            GangOp::Compare(_, left, right) => {
                let ty = self.ty(*left);
                self.alike(&[*left, *right], ty)?;
                self.same(self.result(inst)?, GangType { number: NumberType::Bool, ..ty })
            }
            GangOp::Select(test, yes, no) => {
                let ty = self.result(inst)?;
                self.alike(&[*yes, *no], ty)?;
                self.alike(&[*test], GangType { number: NumberType::Bool, ..ty })
            }
            GangOp::Fused(a, b, c) => self.alike(&[*a, *b, *c], self.result(inst)?),
            GangOp::One(_, value) | GangOp::Convert(value) | GangOp::Reinterpret(value) => {
                self.uses(*value)?;
                let ty = self.result(inst)?;
                self.same(GangType { number: ty.number, ..self.ty(*value) }, ty)
            }
            GangOp::Spread(value) => {
                let ty = self.result(inst)?;
                self.same(ty, varying(ty.number))?;
                self.alike(&[*value], GangType::uniform(ty.number))
            }
            GangOp::Reduce(_, value) | GangOp::Extract(value, _) => {
                let ty = self.result(inst)?;
                self.alike(&[*value], varying(ty.number))?;
                self.same(ty, GangType::uniform(ty.number))
            }
            GangOp::Scan(_, value) | GangOp::Insert(value, ..) => self.alike(&[*value], self.result(inst)?),
            GangOp::Shuffle(values, by) => {
                self.uses(*by)?;
                self.alike(values, self.result(inst)?)
            }
            op => self.effects(inst, op),
        }
    }

    /// Ops of memory, calls and jumps.
    fn effects(&self, inst: &GangInst, op: &GangOp) -> VerifierResult {
        match op {
            GangOp::Load(address) => {
                self.address(*address)?;
                match self.ty(*address).is_varying && !self.result(inst)?.is_varying {
                    true => Err(format!("each lane loads by %{}, to one register", address.0)),
                    false => Ok(()),
                }
            }
            GangOp::Store { address, value } => {
                self.address(*address)?;
                self.uses(*value)?;
                match self.ty(*address).is_varying && !self.ty(*value).is_varying {
                    true => Err(format!("each lane stores by %{}, one number", address.0)),
                    false => Ok(()),
                }
            }
            GangOp::Atomic { address, value, .. } => {
                self.address(*address)?;
                self.alike(&[*value], self.result(inst)?)
            }
            GangOp::Free(address) => self.address(*address),
            GangOp::Assert(holds, _) => self.truth(*holds),
            GangOp::Call(target, args) => self.call(inst, target, args),
            GangOp::Launch { target, counts, args } => {
                counts.iter().try_for_each(|reg| self.uses(*reg))?;
                self.call(inst, target, args)
            }
            GangOp::Return(values) => {
                if values.len() > self.function.gives.len() {
                    return Err("more is given than the function gives".to_owned());
                }
                let pairs = values.iter().zip(&self.function.gives);
                pairs.into_iter().try_for_each(|(value, ty)| self.alike(&[*value], *ty))
            }
            GangOp::Break(id) => self.inside(&[JumpRegion::Loop(*id), JumpRegion::Switch(*id)]),
            GangOp::Continue(id) => self.inside(&[JumpRegion::Loop(*id)]),
            GangOp::Goto(id) => self.inside(&[JumpRegion::Label(*id)]),
            _ => Ok(()),
        }
    }

    fn same(&self, one: GangType, other: GangType) -> VerifierResult {
        if one == other { Ok(()) } else { Err(format!("a {one} stands where a {other} is wanted")) }
    }

    fn inside(&self, regions: &[JumpRegion]) -> VerifierResult {
        match regions.iter().any(|region| self.around.contains(region)) {
            true => Ok(()),
            false => Err("a jump leads to what is not around it".to_owned()),
        }
    }

    fn call(&self, inst: &GangInst, target: &CallTarget, args: &[GangReg]) -> VerifierResult {
        args.iter().try_for_each(|reg| self.uses(*reg))?;
        match target {
            CallTarget::Address(reg, _) => self.address(*reg),
            CallTarget::Known(index) => {
                let Some(called) = self.module.functions.get(*index) else {
                    return Err(format!("function {index} is called, and there is none"));
                };
                if called.is_external && called.symbol.is_none() {
                    return Ok(());
                }
                let takes: Vec<GangType> = called.params.iter().map(|reg| called.regs[reg.0 as usize]).collect();
                if takes.len() != args.len() {
                    return Err(format!("`{}` is called with {} numbers for {}", called.name, args.len(), takes.len()));
                }
                args.iter().zip(&takes).try_for_each(|(arg, ty)| self.alike(&[*arg], *ty))?;
                inst.results.iter().zip(&called.gives).try_for_each(|(reg, ty)| self.same(self.ty(*reg), *ty))
            }
        }
    }
}
