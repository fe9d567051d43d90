//! The parts of ops: the registers that they read, and the blocks that they hold.

use crate::module::{CallTarget, GangBlock, GangInst, GangReg};
use crate::op::{GangOp, PrintedPart};

impl GangOp {
    /// The registers that it reads, those in its blocks left out.
    pub fn operands(&self) -> Vec<GangReg> {
        let of_target = |target: &CallTarget| match target {
            CallTarget::Known(_) => None,
            CallTarget::Address(reg, _) => Some(*reg),
        };
        match self {
            GangOp::Constant(_)
            | GangOp::Global(_)
            | GangOp::Slot(_)
            | GangOp::Function(_)
            | GangOp::LaneIndex
            | GangOp::Task(_)
            | GangOp::ActiveLanes
            | GangOp::Sync
            | GangOp::Clock
            | GangOp::AllLanes(_)
            | GangOp::EachLane { .. }
            | GangOp::Labelled(_)
            | GangOp::Break(_)
            | GangOp::Continue(_)
            | GangOp::Goto(_) => Vec::new(),
            GangOp::One(_, one)
            | GangOp::Convert(one)
            | GangOp::Reinterpret(one)
            | GangOp::Spread(one)
            | GangOp::Reduce(_, one)
            | GangOp::Scan(_, one)
            | GangOp::ReduceEqual(one)
            | GangOp::PackBits(one)
            | GangOp::Load(one)
            | GangOp::Allocate(one)
            | GangOp::AllocateLocal(one)
            | GangOp::Free(one)
            | GangOp::Assert(one, _)
            | GangOp::If(one, ..)
            | GangOp::Switch { value: one, .. }
            | GangOp::EachValue { over: one, .. } => vec![*one],
            GangOp::Two(_, one, other) | GangOp::Compare(_, one, other) | GangOp::Extract(one, other) => {
                vec![*one, *other]
            }
            GangOp::Select(a, b, c) | GangOp::Fused(a, b, c) | GangOp::Insert(a, b, c) => vec![*a, *b, *c],
            GangOp::Shuffle(values, by) => values.iter().chain([by]).copied().collect(),
            GangOp::Store { address, value } | GangOp::PackedStore { address, value } => vec![*address, *value],
            GangOp::PackedLoad { address, before } => vec![*address, *before],
            GangOp::CopyBytes { to, from, count } => vec![*to, *from, *count],
            GangOp::SetBytes { to, value, count } => vec![*to, *value, *count],
            GangOp::Atomic { address, value, compared, .. } => {
                [Some(*address), Some(*value), *compared].into_iter().flatten().collect()
            }
            GangOp::Call(target, args) => of_target(target).into_iter().chain(args.iter().copied()).collect(),
            GangOp::Launch { target, counts, args } => {
                of_target(target).into_iter().chain(counts.iter().chain(args).copied()).collect()
            }
            GangOp::Print(parts) => parts
                .iter()
                .filter_map(|part| match part {
                    PrintedPart::Text(_) => None,
                    PrintedPart::Value(reg) => Some(*reg),
                })
                .collect(),
            GangOp::Loop { test, again, .. } => test.iter().map(|(_, holds)| *holds).chain(*again).collect(),
            GangOp::Return(values) => values.clone(),
        }
    }

    /// The blocks that it holds, in their order.
    pub fn blocks(&self) -> Vec<&GangBlock> {
        match self {
            GangOp::If(_, yes, no) => vec![yes, no],
            GangOp::Loop { test, body, step, .. } => test.iter().map(|(block, _)| block).chain([body, step]).collect(),
            GangOp::Switch { cases, .. } => cases.iter().map(|case| &case.block).collect(),
            GangOp::AllLanes(body) | GangOp::EachLane { body, .. } | GangOp::EachValue { body, .. } => vec![body],
            GangOp::Labelled(blocks) => blocks.iter().map(|(_, block)| block).collect(),
            _ => Vec::new(),
        }
    }
}

/// Visits the ops of a block and of all blocks in it, in their order; those that hold blocks before what they hold.
pub fn each_inst<'b>(block: &'b GangBlock, visit: &mut dyn FnMut(&'b GangInst)) {
    for inst in block {
        visit(inst);
        inst.op.blocks().into_iter().for_each(|inner| each_inst(inner, visit));
    }
}
