//! Local variables that are only loaded and stored whole: LLVM keeps them in registers.
//!
//! A cell of such a variable that one op stores to has that op's value wherever the op has run, so its loads need no memory, and an
//! index that was computed there is still known to be a row.

use std::collections::{BTreeMap, HashMap};

use ispc_ir::module::{GangFunction, GangReg, SlotId};
use ispc_ir::op::{GangOp, TwoOperands};
use ispc_ir::types::{GangType, NumberType};
use ispc_ir::walk::each_inst;

/// A cell of a local variable: the variable, and the byte in it.
pub(crate) type Cell = (SlotId, i64);

/// The local variables of a function, as far as they are known.
#[derive(Debug, Default)]
pub(crate) struct SlotUses {
    /// The cells that registers are addresses of.
    cells: HashMap<GangReg, Cell>,
    /// The number of stores to each cell of variables whose address goes nowhere else.
    stores: HashMap<Cell, u32>,
    /// Variables whose address goes nowhere else, and that are used in whole cells.
    whole: Vec<bool>,
}

impl SlotUses {
    pub(crate) fn of(function: &GangFunction, lanes: u32) -> SlotUses {
        let mut uses = SlotUses { whole: vec![true; function.slots.len()], ..SlotUses::default() };
        let mut constants: HashMap<GangReg, i64> = HashMap::new();
        let mut accesses: Vec<BTreeMap<i64, (GangType, u32)>> = vec![BTreeMap::new(); function.slots.len()];
        each_inst(&function.body, &mut |inst| {
            let mut escaping = inst.op.operands();
            match &inst.op {
                GangOp::Slot(slot) => {
                    uses.cells.insert(inst.results[0], (*slot, 0));
                }
                GangOp::Constant(bits) => {
                    let reg = inst.results[0];
                    if function.regs[reg.0 as usize] == GangType::uniform(NumberType::Pointer) {
                        constants.insert(reg, *bits as i64);
                    }
                }
                GangOp::Two(TwoOperands::Add, left, right) => {
                    for (address, by) in [(left, right), (right, left)] {
                        if let (Some((slot, byte)), Some(by)) = (uses.cells.get(address), constants.get(by)) {
                            uses.cells.insert(inst.results[0], (*slot, byte + by));
                            escaping.clear();
                            break;
                        }
                    }
                }
                GangOp::Load(address) | GangOp::Store { address, .. } => {
                    let reg = match &inst.op {
                        GangOp::Store { value, .. } => *value,
                        _ => inst.results[0],
                    };
                    escaping.retain(|reg| reg != address);
                    if let GangOp::Store { value, .. } = &inst.op
                        && value == address
                    {
                        escaping.push(*value);
                    }
                    if let Some((slot, byte)) = uses.cells.get(address).copied() {
                        let ty = function.regs[reg.0 as usize];
                        let is_store = u32::from(matches!(inst.op, GangOp::Store { .. }));
                        let (known, stores) = accesses[slot.0 as usize].entry(byte).or_insert((ty, 0));
                        *stores += is_store;
                        if *known != ty {
                            uses.whole[slot.0 as usize] = false;
                        }
                    }
                }
                _ => {}
            }
            for reg in escaping {
                if let Some((slot, _)) = uses.cells.get(&reg) {
                    uses.whole[slot.0 as usize] = false;
                }
            }
        });
        for (nth, cells) in accesses.into_iter().enumerate() {
            let mut end = 0;
            for (byte, (ty, stores)) in cells {
                let size = ty.number.bytes() as i64 * if ty.is_varying { i64::from(lanes) } else { 1 };
                if byte < end || byte + size > function.slots[nth].bytes as i64 {
                    uses.whole[nth] = false;
                }
                end = byte + size;
                uses.stores.insert((SlotId(nth as u32), byte), stores);
            }
        }
        uses
    }

    /// The cell of an address, if the variable is used in whole cells alone.
    pub(crate) fn cell(&self, address: GangReg) -> Option<Cell> {
        self.cells.get(&address).copied().filter(|(slot, _)| self.is_whole(*slot))
    }

    /// Returns true if a variable is used in whole cells alone, so that it is in registers.
    pub(crate) fn is_whole(&self, slot: SlotId) -> bool {
        self.whole[slot.0 as usize]
    }

    /// Returns true if one op stores to a cell.
    pub(crate) fn is_set_once(&self, cell: Cell) -> bool {
        self.stores.get(&cell) == Some(&1)
    }
}
