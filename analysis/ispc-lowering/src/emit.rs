//! Ops of a function, as they are made.

use std::rc::Rc;

use ispc_ir::module::{
    GangBlock, GangFunction, GangInst, GangReg, JumpId, MemorySharing, NamedMemory, SlotId, TextPlace,
};
use ispc_ir::op::{GangComparison, GangOp, OneOperand, TwoOperands};
use ispc_ir::types::{GangType, NumberType};

use crate::data::DataForm;

/// A value: its type, and a register for each number.
#[derive(Clone, Debug)]
pub(crate) struct GangValue {
    pub(crate) data: Rc<DataForm>,
    pub(crate) regs: Vec<GangReg>,
}

/// A function that is made.
pub(crate) struct FunctionMaker {
    pub(crate) function: GangFunction,
    blocks: Vec<GangBlock>,
    /// Ops in front of all others: addresses of local variables, which jumps must not pass by.
    first: GangBlock,
    pub(crate) place: TextPlace,
}

impl FunctionMaker {
    pub(crate) fn new(name: &str) -> FunctionMaker {
        let function = GangFunction {
            name: name.to_owned(),
            params: Vec::new(),
            gives: Vec::new(),
            regs: Vec::new(),
            slots: Vec::new(),
            variables: Vec::new(),
            n_jumps: 0,
            body: Vec::new(),
            is_external: false,
            is_of_c: false,
            symbol: None,
        };
        FunctionMaker { function, blocks: vec![Vec::new()], first: Vec::new(), place: TextPlace::default() }
    }

    pub(crate) fn finish(mut self) -> GangFunction {
        self.function.body = self.first;
        self.function.body.extend(self.blocks.into_iter().next().unwrap_or_default());
        self.function
    }

    pub(crate) fn reg(&mut self, ty: GangType) -> GangReg {
        self.function.regs.push(ty);
        GangReg(self.function.regs.len() as u32 - 1)
    }

    pub(crate) fn ty(&self, reg: GangReg) -> GangType {
        self.function.regs[reg.0 as usize]
    }

    pub(crate) fn is_varying(&self, reg: GangReg) -> bool {
        self.ty(reg).is_varying
    }

    pub(crate) fn jump(&mut self) -> JumpId {
        self.function.n_jumps += 1;
        JumpId(self.function.n_jumps - 1)
    }

    /// A local variable; the register is its address.
    pub(crate) fn slot(&mut self, name: &str, bytes: u64) -> GangReg {
        let slot = SlotId(self.function.slots.len() as u32);
        self.function.slots.push(NamedMemory { name: name.to_owned(), bytes, sharing: MemorySharing::Own });
        let address = self.reg(GangType::uniform(NumberType::Pointer));
        self.first.push(GangInst { results: vec![address], op: GangOp::Slot(slot), place: self.place });
        address
    }

    /// An op without a result.
    pub(crate) fn run(&mut self, op: GangOp) {
        self.set(Vec::new(), op);
    }

    pub(crate) fn set(&mut self, results: Vec<GangReg>, op: GangOp) {
        let place = self.place;
        if let Some(block) = self.blocks.last_mut() {
            block.push(GangInst { results, op, place });
        }
    }

    /// An op with one result.
    pub(crate) fn op(&mut self, ty: GangType, op: GangOp) -> GangReg {
        let reg = self.reg(ty);
        self.set(vec![reg], op);
        reg
    }

    pub(crate) fn open(&mut self) {
        self.blocks.push(Vec::new());
    }

    pub(crate) fn close(&mut self) -> GangBlock {
        self.blocks.pop().unwrap_or_default()
    }

    // Ops that are made often. Operands become varying where the other one is.

    pub(crate) fn constant(&mut self, ty: GangType, bits: u64) -> GangReg {
        self.op(ty, GangOp::Constant(bits))
    }

    pub(crate) fn whole(&mut self, number: NumberType, value: i64) -> GangReg {
        let unused = 64 - number.bits();
        self.constant(GangType::uniform(number), (value as u64) << unused >> unused)
    }

    pub(crate) fn spread(&mut self, reg: GangReg) -> GangReg {
        let ty = self.ty(reg);
        if ty.is_varying { reg } else { self.op(GangType::varying(ty.number), GangOp::Spread(reg)) }
    }

    pub(crate) fn spread_if(&mut self, reg: GangReg, is_varying: bool) -> GangReg {
        if is_varying { self.spread(reg) } else { reg }
    }

    fn alike(&mut self, left: GangReg, right: GangReg) -> (GangReg, GangReg, bool) {
        let is_varying = self.is_varying(left) || self.is_varying(right);
        (self.spread_if(left, is_varying), self.spread_if(right, is_varying), is_varying)
    }

    pub(crate) fn two(&mut self, op: TwoOperands, left: GangReg, right: GangReg) -> GangReg {
        let (left, right, is_varying) = self.alike(left, right);
        let number = self.ty(left).number;
        self.op(GangType { number, is_varying }, GangOp::Two(op, left, right))
    }

    pub(crate) fn one(&mut self, op: OneOperand, value: GangReg) -> GangReg {
        let ty = self.ty(value);
        self.op(ty, GangOp::One(op, value))
    }

    pub(crate) fn compare(&mut self, relation: GangComparison, left: GangReg, right: GangReg) -> GangReg {
        let (left, right, is_varying) = self.alike(left, right);
        self.op(GangType { number: NumberType::Bool, is_varying }, GangOp::Compare(relation, left, right))
    }

    pub(crate) fn select(&mut self, test: GangReg, yes: GangReg, no: GangReg) -> GangReg {
        let (yes, no, varies) = self.alike(yes, no);
        let is_varying = varies || self.is_varying(test);
        let [test, yes, no] = [test, yes, no].map(|reg| self.spread_if(reg, is_varying));
        let ty = self.ty(yes);
        self.op(ty, GangOp::Select(test, yes, no))
    }

    pub(crate) fn convert(&mut self, reg: GangReg, to: NumberType) -> GangReg {
        let ty = self.ty(reg);
        match ty.number == to {
            true => reg,
            false => self.op(GangType { number: to, is_varying: ty.is_varying }, GangOp::Convert(reg)),
        }
    }

    pub(crate) fn reinterpret(&mut self, reg: GangReg, to: NumberType) -> GangReg {
        let is_varying = self.is_varying(reg);
        self.op(GangType { number: to, is_varying }, GangOp::Reinterpret(reg))
    }

    /// An address some bytes further.
    pub(crate) fn moved(&mut self, address: GangReg, bytes: u64) -> GangReg {
        if bytes == 0 {
            return address;
        }
        let bytes = self.whole(NumberType::Pointer, bytes as i64);
        self.two(TwoOperands::Add, address, bytes)
    }

    /// An address some elements of a size further.
    pub(crate) fn moved_by(&mut self, address: GangReg, index: GangReg, size: u64) -> GangReg {
        let index = self.convert(index, NumberType::I64);
        let index = self.convert(index, NumberType::Pointer);
        let size = self.whole(NumberType::Pointer, size as i64);
        let bytes = self.two(TwoOperands::Mul, index, size);
        self.two(TwoOperands::Add, address, bytes)
    }
}
