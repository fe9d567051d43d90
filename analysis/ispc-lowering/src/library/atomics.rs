//! Atomics.

use ispc_ir::module::GangReg;
use ispc_ir::op::{AtomicChange, GangOp, LaneJoin};
use ispc_ir::types::GangType;

use super::LibraryCall;
use crate::emit::GangValue;
use crate::function::{FunctionLowerer, Lowers};

impl FunctionLowerer<'_, '_> {
    pub(crate) fn atomics_call(&mut self, call: &LibraryCall) -> Lowers<Option<GangValue>> {
        let Some(rest) = call.name.strip_prefix("atomic_") else { return Ok(None) };
        let Some(word) = rest.strip_suffix("_global").or(rest.strip_suffix("_local")) else { return Ok(None) };
        let change = match word {
            "add" => AtomicChange::Add,
            "subtract" => AtomicChange::Sub,
            "min" => AtomicChange::Min,
            "max" => AtomicChange::Max,
            "and" => AtomicChange::And,
            "or" => AtomicChange::Or,
            "xor" => AtomicChange::Xor,
            "swap" => AtomicChange::Swap,
            "compare_exchange" => AtomicChange::CompareExchange,
            _ => return Ok(None),
        };
        let (address, value, compared) = match call.args.len() {
            3 => (call.reg(0), call.reg(2), Some(call.reg(1))),
            2 => (call.reg(0), call.reg(1), None),
            _ => return Ok(None),
        };
        // All lanes make one change of the least or greatest of theirs, and see what was there before it.
        let join = match change {
            AtomicChange::Min => Some(LaneJoin::Min),
            AtomicChange::Max => Some(LaneJoin::Max),
            _ => None,
        };
        if let Some(join) = join.filter(|_| !self.make.is_varying(address) && self.make.is_varying(value)) {
            let one = self.reduced(join, value);
            let old = self.changed(change, address, one, None);
            return Ok(Some(self.single(old)));
        }
        let old = self.changed(change, address, value, compared);
        Ok(Some(self.single(old)))
    }

    fn changed(
        &mut self,
        change: AtomicChange,
        address: GangReg,
        value: GangReg,
        compared: Option<GangReg>,
    ) -> GangReg {
        let all = [Some(address), Some(value), compared];
        let is_varying = all.into_iter().flatten().any(|reg| self.make.is_varying(reg));
        let number = self.make.ty(value).number;
        let value = self.make.spread_if(value, is_varying);
        let compared = compared.map(|reg| self.make.spread_if(reg, is_varying));
        self.make.op(GangType { number, is_varying }, GangOp::Atomic { change, address, value, compared })
    }
}
