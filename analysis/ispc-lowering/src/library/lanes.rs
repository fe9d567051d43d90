//! Functions of all lanes together.

use ispc_ir::module::GangReg;
use ispc_ir::op::{GangComparison, GangOp, LaneJoin, OneOperand, TwoOperands};
use ispc_ir::types::{GangType, NumberType};

use super::LibraryCall;
use crate::emit::GangValue;
use crate::function::{FunctionLowerer, Lowers};

impl FunctionLowerer<'_, '_> {
    pub(crate) fn lanes_call(&mut self, call: &LibraryCall) -> Lowers<Option<GangValue>> {
        let found = match (&*call.name, call.args.len()) {
            ("any", 1) => self.reduced(LaneJoin::Or, call.reg(0)),
            ("all", 1) => self.reduced(LaneJoin::And, call.reg(0)),
            ("none", 1) => {
                let any = self.reduced(LaneJoin::Or, call.reg(0));
                self.make.one(OneOperand::Not, any)
            }
            ("lanemask", 0) => {
                let on = self.make.op(GangType::varying(NumberType::Bool), GangOp::ActiveLanes);
                self.packed(on)
            }
            ("packmask", 1) => self.packed(call.reg(0)),
            ("popcnt", 1) => {
                let bits = self.packed(call.reg(0));
                self.make.one(OneOperand::CountOnes, bits)
            }
            ("reduce_add", 1) => self.wide_sum(call),
            ("reduce_min", 1) => self.reduced(LaneJoin::Min, call.reg(0)),
            ("reduce_max", 1) => self.reduced(LaneJoin::Max, call.reg(0)),
            ("reduce_equal", 1 | 2) => self.reduce_equal(call)?,
            ("exclusive_scan_add", 1) => self.scanned(LaneJoin::Add, call.reg(0)),
            ("exclusive_scan_and", 1) => self.scanned(LaneJoin::And, call.reg(0)),
            ("exclusive_scan_or", 1) => self.scanned(LaneJoin::Or, call.reg(0)),
            ("broadcast", 2) => {
                let one = self.extracted(call.reg(0), call.reg(1));
                self.make.spread(one)
            }
            ("extract", 2) => self.extracted(call.reg(0), call.reg(1)),
            ("insert", 3) => {
                let ty = self.make.ty(call.reg(0));
                self.make.op(ty, GangOp::Insert(call.reg(0), call.reg(1), call.reg(2)))
            }
            ("shuffle", 2) => self.shuffled(vec![call.reg(0)], call.reg(1)),
            ("shuffle", 3) => self.shuffled(vec![call.reg(0), call.reg(1)], call.reg(2)),
            ("rotate", 2) => {
                let by = self.lane_plus(call.reg(1));
                let low = self.make.whole(NumberType::I32, i64::from(self.program.lanes));
                // The remainder of what may be below zero.
                let by = self.make.two(TwoOperands::Rem, by, low);
                let by = self.make.two(TwoOperands::Add, by, low);
                self.shuffled(vec![call.reg(0)], by)
            }
            ("shift", 2) => {
                let by = self.lane_plus(call.reg(1));
                let lanes = self.make.whole(NumberType::U32, i64::from(self.program.lanes));
                let unsigned = self.make.convert(by, NumberType::U32);
                let is_there = self.make.compare(GangComparison::Less, unsigned, lanes);
                let moved = self.shuffled(vec![call.reg(0)], by);
                let number = self.make.ty(moved).number;
                let zero = self.make.constant(GangType::uniform(number), 0);
                self.make.select(is_there, moved, zero)
            }
            _ => return Ok(None),
        };
        Ok(Some(self.single(found)))
    }

    fn lane_plus(&mut self, by: GangReg) -> GangReg {
        let lane = self.make.op(GangType::varying(NumberType::I32), GangOp::LaneIndex);
        self.make.two(TwoOperands::Add, lane, by)
    }

    pub(crate) fn packed(&mut self, truth: GangReg) -> GangReg {
        self.make.op(GangType::uniform(NumberType::U64), GangOp::PackBits(truth))
    }

    pub(crate) fn reduced(&mut self, join: LaneJoin, value: GangReg) -> GangReg {
        let number = self.make.ty(value).number;
        self.make.op(GangType::uniform(number), GangOp::Reduce(join, value))
    }

    /// The sum, in the type that it is given in.
    fn wide_sum(&mut self, call: &LibraryCall) -> GangReg {
        let number = match *call.gives {
            crate::data::DataForm::Number(number, _) => number,
            _ => self.make.ty(call.reg(0)).number,
        };
        let value = self.make.convert(call.reg(0), number);
        self.reduced(LaneJoin::Add, value)
    }

    pub(crate) fn scanned(&mut self, join: LaneJoin, value: GangReg) -> GangReg {
        let ty = self.make.ty(value);
        self.make.op(ty, GangOp::Scan(join, value))
    }

    fn extracted(&mut self, value: GangReg, lane: GangReg) -> GangReg {
        let number = self.make.ty(value).number;
        self.make.op(GangType::uniform(number), GangOp::Extract(value, lane))
    }

    fn shuffled(&mut self, values: Vec<GangReg>, by: GangReg) -> GangReg {
        let ty = self.make.ty(values[0]);
        let by = self.make.convert(by, NumberType::U32);
        self.make.op(ty, GangOp::Shuffle(values, by))
    }

    fn reduce_equal(&mut self, call: &LibraryCall) -> Lowers<GangReg> {
        let number = self.make.ty(call.reg(0)).number;
        let same = self.make.reg(GangType::uniform(NumberType::Bool));
        let value = self.make.reg(GangType::uniform(number));
        self.make.set(vec![same, value], GangOp::ReduceEqual(call.reg(0)));
        if let Some(to) = call.args.get(1) {
            let to = self.pointed(to)?;
            self.make.open();
            let value = self.single(value);
            self.store(&to, &value)?;
            let block = self.make.close();
            self.make.run(GangOp::If(same, block, Vec::new()));
        }
        Ok(same)
    }
}
