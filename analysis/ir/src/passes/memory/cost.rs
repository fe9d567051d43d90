//! Costs: what a company takes, by the target's numbers, as it is and by a plan.

use super::company::Company;
use super::plan::{Block, Plan};
use super::table::Table;
use super::touch::Touch;
use crate::target::Target;
use crate::types::Elem;

/// What a company costs as it is: each member a gather or scatter, or a load of neighbours.
pub(super) fn as_it_is(company: &Company, target: &Target) -> u32 {
    let cost = Cost::of(company, target);
    let of_one = |member: &Touch| match member.is_settled {
        true => cost.access(usize::from(member.lanes), member.mask.is_some()),
        false => cost.scattered(usize::from(member.lanes), member.mask.is_some()),
    };
    company.members.iter().map(of_one).sum()
}

/// What a company costs by a plan.
pub(super) fn by_plan(company: &Company, plan: &Plan, target: &Target) -> u32 {
    let cost = Cost::of(company, target);
    let blocks: u32 = plan.blocks.iter().map(|block| cost.block(company, plan, block)).sum();
    match company.stores() {
        true => blocks,
        false => blocks + company.members.iter().map(|member| cost.taken_out(company, plan, member)).sum::<u32>(),
    }
}

/// What a gather out of a table costs as it is.
pub(super) fn as_gather(table: &Table, target: &Target) -> u32 {
    Cost::of_loads(table.elem, target).scattered(usize::from(table.lanes), table.is_masked())
}

/// What it costs to load the table and to pick each lane's cell out of it, if there is an instruction for that.
pub(super) fn by_table(table: &Table, target: &Target) -> Option<u32> {
    let cost = Cost::of_loads(table.elem, target);
    let load = cost.access(table.cells, table.is_loaded_under_mask());
    let nothing = if table.is_masked() { cost.each(usize::from(table.lanes), 1) } else { 0 };
    let padding = if table.cells.is_power_of_two() { 0 } else { cost.shuffles(1, table.cells) };
    Some(load + padding + cost.picked(table.cells, usize::from(table.lanes))? + nothing)
}

/// The numbers that matter for cells of one size.
struct Cost<'t> {
    target: &'t Target,
    bytes: usize,
    stores: bool,
}

impl Cost<'_> {
    fn of<'t>(company: &Company, target: &'t Target) -> Cost<'t> {
        Cost { target, bytes: company.bytes() as usize, stores: company.stores() }
    }

    fn of_loads(elem: Elem, target: &Target) -> Cost<'_> {
        Cost { target, bytes: elem.bytes(), stores: false }
    }

    fn registers(&self, cells: usize) -> u32 {
        (cells * self.bytes).div_ceil(usize::from(self.target.register_bytes).max(self.bytes)) as u32
    }

    /// One gather or scatter.
    fn scattered(&self, lanes: usize, masked: bool) -> u32 {
        let costs = &self.target.costs;
        let (each, is_instruction) = match self.stores {
            true => (costs.scatter_lane, self.target.scatter.has(self.bytes)),
            false => (costs.gather_lane, self.target.gather.has(self.bytes)),
        };
        // Where it is no instruction, each lane is tested.
        let test = if masked && !is_instruction { costs.branch } else { 0 };
        lanes as u32 * u32::from(each + test)
    }

    /// A load of neighbours, or a store to them.
    fn access(&self, cells: usize, masked: bool) -> u32 {
        let costs = &self.target.costs;
        let registers = self.registers(cells);
        let plain = registers * u32::from(if self.stores { costs.store } else { costs.load });
        plain
            + match masked {
                false => 0,
                true if self.target.masked_memory.has(self.bytes) => registers * u32::from(costs.masked),
                // Each cell is tested.
                true => cells as u32 * u32::from(costs.branch),
            }
    }

    /// Lanes picked out of so many sources.
    fn shuffles(&self, sources: usize, lanes: usize) -> u32 {
        (sources.max(2) - 1) as u32 * self.registers(lanes) * u32::from(self.target.costs.shuffle)
    }

    /// So many plain operations on lanes.
    fn each(&self, lanes: usize, operations: usize) -> u32 {
        operations as u32 * self.registers(lanes) * u32::from(self.target.costs.arithmetic)
    }

    /// Lanes picked by number out of so many cells: a part of them at a time, of which one is chosen.
    fn picked(&self, cells: usize, lanes: usize) -> Option<u32> {
        let picks = &self.target.picks;
        let parts = (cells * self.bytes).div_ceil(picks.table_for(self.bytes)?.into());
        // Each byte's number is made of its element's: a product and a sum, once that is in all bytes.
        let (spread, numbers) = if picks.whole.has(self.bytes) { (0, 0) } else { (1, 2) };
        // One that looks at several registers takes as long as one for each.
        let looked_at = (parts as u32).max(self.registers(cells));
        let instructions = looked_at * self.registers(lanes) * u32::from(self.target.costs.shuffle);
        let spread = spread * self.registers(lanes) * u32::from(self.target.costs.shuffle);
        // Which part it is takes a difference, a comparison and a choice.
        Some(instructions + spread + self.each(lanes, numbers + 3 * (parts - 1)))
    }

    /// A block, with its mask; a stored one with what puts lanes into it.
    fn block(&self, company: &Company, plan: &Plan, block: &Block) -> u32 {
        let masked = company.members[0].mask.is_some();
        let in_order = plan.is_in_lane_order(block, usize::from(company.members[0].lanes));
        let access = self.access(block.len, masked || (self.stores && !plan.is_full(block)));
        let mask = if masked && !in_order { plan.lanes_at_once(block) as u32 * self.shuffles(1, block.len) } else { 0 };
        let mut members: Vec<usize> = plan.users_in(block).flatten().map(|(member, _)| *member).collect();
        members.sort_unstable();
        members.dedup();
        let is_put_in = self.stores && !(in_order && members.len() == 1);
        access + mask + if is_put_in { self.shuffles(members.len(), block.len) } else { 0 }
    }

    /// A member's lanes, taken out of the blocks.
    fn taken_out(&self, company: &Company, plan: &Plan, member: &Touch) -> u32 {
        let places = plan.places(&company.cells(member));
        let lanes = usize::from(member.lanes);
        let mut blocks: Vec<usize> = places.iter().map(|(block, _)| *block).collect();
        blocks.sort_unstable();
        blocks.dedup();
        let as_they_are = |block: usize| {
            plan.blocks[block].len == lanes && places.iter().enumerate().all(|(lane, (_, place))| *place == lane)
        };
        if matches!(blocks[..], [block] if as_they_are(block)) { 0 } else { self.shuffles(blocks.len(), lanes) }
    }
}
