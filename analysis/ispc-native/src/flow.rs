//! Jumps: which blocks lanes leave, and where lanes part.
//!
//! A jump under a condition that all lanes share takes all of them along, so it is a branch. Under one that varies it takes some, and a
//! mask remembers them.

use std::collections::HashSet;

use ispc_ir::module::{GangBlock, GangFunction, GangInst, GangReg, JumpId};
use ispc_ir::op::GangOp;
use ispc_ir::walk::each_inst;

/// The places that jumps lead to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum JumpPlace {
    /// The end of a loop or `switch`.
    Behind(JumpId),
    /// The step of a loop.
    Step(JumpId),
    /// A label.
    Label(JumpId),
    /// The end of the function.
    Return,
}

/// Where the jumps of a block lead that leave it.
pub(crate) fn leaving(block: &GangBlock) -> HashSet<JumpPlace> {
    block.iter().flat_map(leaving_inst).collect()
}

/// Where the jumps of an op lead that leave it.
pub(crate) fn leaving_inst(inst: &GangInst) -> HashSet<JumpPlace> {
    let inner: HashSet<JumpPlace> = inst.op.blocks().into_iter().flat_map(leaving).collect();
    let without = |id: JumpId| {
        let is_own = |place: &JumpPlace| matches!(place, JumpPlace::Behind(it) | JumpPlace::Step(it) if *it == id);
        inner.iter().copied().filter(|place| !is_own(place)).collect()
    };
    match &inst.op {
        GangOp::Break(id) => HashSet::from([JumpPlace::Behind(*id)]),
        GangOp::Continue(id) => HashSet::from([JumpPlace::Step(*id)]),
        GangOp::Goto(id) => HashSet::from([JumpPlace::Label(*id)]),
        GangOp::Return(_) => HashSet::from([JumpPlace::Return]),
        GangOp::Loop { id, .. }
        | GangOp::Switch { id, .. }
        | GangOp::EachLane { id, .. }
        | GangOp::EachValue { id, .. } => without(*id),
        GangOp::Labelled(blocks) => {
            let is_own =
                |place: &JumpPlace| matches!(place, JumpPlace::Label(to) if blocks.iter().any(|it| it.0 == *to));
            inner.iter().copied().filter(|place| !is_own(place)).collect()
        }
        _ => inner,
    }
}

/// Where jumps lead by which lanes leave a block that others stay in.
pub(crate) fn parting(function: &GangFunction, block: &GangBlock) -> HashSet<JumpPlace> {
    block.iter().flat_map(|inst| parting_inst(function, inst)).collect()
}

fn parting_inst(function: &GangFunction, inst: &GangInst) -> HashSet<JumpPlace> {
    let varies = |reg: &GangReg| function.regs[reg.0 as usize].is_varying;
    let inner = || inst.op.blocks().into_iter().flat_map(|block| parting(function, block)).collect::<HashSet<_>>();
    match &inst.op {
        GangOp::If(test, ..) if !varies(test) => inner(),
        GangOp::Loop { .. } if is_together(function, inst) => {
            let left = leaving_inst(inst);
            inner().into_iter().filter(|place| left.contains(place)).collect()
        }
        GangOp::Switch { value, .. } if !varies(value) && inner().is_empty() => HashSet::new(),
        GangOp::Labelled(_) if inner().is_empty() => HashSet::new(),
        GangOp::Break(_) | GangOp::Continue(_) | GangOp::Goto(_) | GangOp::Return(_) => HashSet::new(),
        _ => leaving_inst(inst),
    }
}

/// Returns true for a loop whose lanes all run the same rounds: none leaves it, or leaves through it, alone.
pub(crate) fn is_together(function: &GangFunction, inst: &GangInst) -> bool {
    let GangOp::Loop { id, test, body, again, .. } = &inst.op else { return false };
    let varies = |reg: &GangReg| function.regs[reg.0 as usize].is_varying;
    let tests_vary = test.iter().any(|(_, holds)| varies(holds)) || again.iter().any(varies);
    // Lanes that go to the step are back there.
    !tests_vary && parting(function, body).iter().all(|place| *place == JumpPlace::Step(*id))
}

/// Registers that are read in other places than those behind the op that sets them: the blocks of a `switch` and of labels are each
/// behind several places.
pub(crate) fn carried(function: &GangFunction) -> HashSet<GangReg> {
    let mut found = HashSet::new();
    each_inst(&function.body, &mut |inst| {
        if !matches!(inst.op, GangOp::Switch { .. } | GangOp::Labelled(_)) {
            return;
        }
        let mut set_in_front: HashSet<GangReg> = HashSet::new();
        for block in inst.op.blocks() {
            let mut set = HashSet::new();
            each_inst(block, &mut |inner| {
                set.extend(inner.results.iter().copied());
                found.extend(inner.op.operands().into_iter().filter(|reg| set_in_front.contains(reg)));
            });
            set_in_front.extend(set);
        }
    });
    found
}

/// The number of ops of a block, those in its blocks included.
pub(crate) fn n_ops(block: &GangBlock) -> usize {
    let mut n = 0;
    each_inst(block, &mut |_| n += 1);
    n
}
