//! The costs of single accesses in lanes, in a target's units: of neighbours, of shuffles between them, and of gathers.

use ir::target::Target;

/// The costs of accesses to cells of one size, in a target's units.
pub(crate) struct AccessCosts<'t> {
    pub(crate) target: &'t Target,
    /// The bytes of a cell.
    pub(crate) bytes: usize,
    /// True for stores, false for loads.
    pub(crate) stores: bool,
}

impl AccessCosts<'_> {
    /// The registers that so many cells fill.
    fn registers(&self, cells: usize) -> u32 {
        (cells * self.bytes).div_ceil(usize::from(self.target.register_bytes).max(self.bytes)) as u32
    }

    /// Returns the cost of one gather or scatter.
    pub(crate) fn scattered(&self, lanes: usize, masked: bool) -> u32 {
        let costs = &self.target.costs;
        let (each, is_instruction) = match self.stores {
            true => (costs.scatter_lane, self.target.scatter.has(self.bytes)),
            false => (costs.gather_lane, self.target.gather.has(self.bytes)),
        };
        // A target without the instruction tests the mask lane by lane.
        let test = if masked && !is_instruction { costs.branch } else { 0 };
        lanes as u32 * u32::from(each + test)
    }

    /// A load of neighbours, or a store to them.
    pub(crate) fn access(&self, cells: usize, masked: bool) -> u32 {
        let costs = &self.target.costs;
        let registers = self.registers(cells);
        let plain = registers * u32::from(if self.stores { costs.store } else { costs.load });
        plain
            + match masked {
                false => 0,
                true if self.target.masked_memory.has(self.bytes) => {
                    registers * u32::from(if self.stores { costs.masked_store } else { costs.masked })
                }
                // Each cell is tested.
                true => cells as u32 * u32::from(costs.branch),
            }
    }

    /// Lanes picked out of so many sources.
    pub(crate) fn shuffles(&self, sources: usize, lanes: usize) -> u32 {
        (sources.max(2) - 1) as u32 * self.registers(lanes) * u32::from(self.target.costs.shuffle)
    }

    /// Returns the cost of some plain vector ops.
    pub(crate) fn each(&self, lanes: usize, operations: usize) -> u32 {
        operations as u32 * self.registers(lanes) * u32::from(self.target.costs.arithmetic)
    }
}
