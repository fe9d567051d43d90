//! Costs: what a group takes, by the target's numbers, as it is and by a plan.

use std::rc::Rc;

use super::access_group::AccessGroup;
use super::plan::{Block, Plan};
use super::table::Table;
use super::touch::Touch;
use crate::cost::AccessCosts;
use ir::target::Target;
use ir::target::picks;
use ir::target::picks::Picked;

/// The cost of a group as it is: each member a gather or scatter, or a load of neighbours.
pub(super) fn as_it_is(group: &AccessGroup, target: &Target) -> u32 {
    let cost = of(group, target);
    let of_one = |member: &Rc<Touch>| match member.is_settled {
        true => cost.access(usize::from(member.lanes), member.mask.is_some()),
        false => cost.scattered(usize::from(member.lanes), member.mask.is_some()),
    };
    group.members.iter().map(of_one).sum()
}

/// The cost of a group by a plan.
pub(super) fn by_plan(group: &AccessGroup, plan: &Plan, target: &Target) -> u32 {
    let cost = of(group, target);
    let blocks: u32 = plan.blocks.iter().map(|it| block(&cost, group, plan, it)).sum();
    match group.stores() {
        true => blocks,
        false => blocks + group.members.iter().map(|member| taken_out(&cost, group, plan, member)).sum::<u32>(),
    }
}

/// The cost of a gather out of a table as it is.
pub(super) fn as_gather(table: &Table, target: &Target) -> u32 {
    let gather = picks::cost_of_gather(target, table.elem.bytes(), table.lanes);
    // A target without the instruction tests the mask lane by lane.
    let is_tested = table.is_masked() && !target.gather.has(table.elem.bytes());
    let test = if is_tested { target.costs.branch } else { 0 };
    gather + u32::from(table.lanes) * u32::from(test)
}

/// The cost of loading the table and picking each lane's cell out of it, if an instruction does that best.
pub(super) fn by_table(table: &Table, target: &Target) -> Option<u32> {
    let cost = AccessCosts { target, bytes: table.elem.bytes(), stores: false };
    let load = cost.access(table.cells, table.is_loaded_under_mask());
    let nothing = if table.is_masked() { cost.each(usize::from(table.lanes), 1) } else { 0 };
    let padding = if table.cells.is_power_of_two() { 0 } else { cost.shuffles(1, table.cells) };
    let picked = Picked::new(target, table.elem, table.padded() as u16, table.lanes);
    // Cells that are loaded only to be stored again are better left where they are.
    let pick = picked.by_instruction(target).map(|pick| pick.cost(target));
    let pick = pick.filter(|cost| *cost < picked.cost_in_memory(target))?;
    Some(load + padding + pick + nothing)
}

fn of<'t>(group: &AccessGroup, target: &'t Target) -> AccessCosts<'t> {
    AccessCosts { target, bytes: group.bytes() as usize, stores: group.stores() }
}

/// A block, with its mask; a stored one with what puts lanes into it.
fn block(costs: &AccessCosts<'_>, group: &AccessGroup, plan: &Plan, block: &Block) -> u32 {
    let masked = group.members[0].mask.is_some();
    let in_order = plan.is_in_lane_order(block, usize::from(group.members[0].lanes));
    let access = costs.access(block.len, masked || (costs.stores && !plan.is_full(block)));
    let mask = if masked && !in_order { plan.lanes_at_once(block) as u32 * costs.shuffles(1, block.len) } else { 0 };
    let mut members: Vec<usize> = plan.users_in(block).flatten().map(|(member, _)| *member).collect();
    members.sort_unstable();
    members.dedup();
    let is_put_in = costs.stores && !(in_order && members.len() == 1);
    access + mask + if is_put_in { costs.shuffles(members.len(), block.len) } else { 0 }
}

/// A member's lanes, taken out of the blocks.
fn taken_out(costs: &AccessCosts<'_>, group: &AccessGroup, plan: &Plan, member: &Touch) -> u32 {
    let places = plan.places(&group.cells(member));
    let lanes = usize::from(member.lanes);
    let mut blocks: Vec<usize> = places.iter().map(|(block, _)| *block).collect();
    blocks.sort_unstable();
    blocks.dedup();
    let as_they_are = |block: usize| {
        plan.blocks[block].len == lanes && places.iter().enumerate().all(|(lane, (_, place))| *place == lane)
    };
    if matches!(blocks[..], [block] if as_they_are(block)) { 0 } else { costs.shuffles(blocks.len(), lanes) }
}
