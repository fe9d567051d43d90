//! Costs: what a company takes, by the target's numbers, as it is and by a plan.

use super::company::Company;
use super::plan::{Block, Plan};
use super::touch::Touch;
use crate::target::Target;

/// What a company costs as it is: each member a gather or scatter, or a load of neighbours.
pub(super) fn as_it_is(company: &Company, target: &Target) -> u32 {
    let cost = Cost::of(company, target);
    let of_one = |member: &Touch| match member.is_settled {
        true => cost.access(usize::from(member.lanes), member.mask.is_some()),
        false => cost.scattered(member),
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

    fn registers(&self, cells: usize) -> u32 {
        (cells * self.bytes).div_ceil(usize::from(self.target.register_bytes).max(self.bytes)) as u32
    }

    /// One gather or scatter.
    fn scattered(&self, member: &Touch) -> u32 {
        let costs = &self.target.costs;
        let (each, is_instruction) = match self.stores {
            true => (costs.scatter_lane, self.target.scatter.has(self.bytes)),
            false => (costs.gather_lane, self.target.gather.has(self.bytes)),
        };
        // Where it is no instruction, each lane is tested.
        let test = if member.mask.is_some() && !is_instruction { costs.branch } else { 0 };
        u32::from(member.lanes) * u32::from(each + test)
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
