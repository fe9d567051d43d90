//! Memory: gathers and scatters whose lanes are known to lie in some order become loads and stores of neighbouring
//! cells, and shuffles.
//!
//! `vector` emits contiguous accesses for neighbours, and a gather or scatter for everything else. Here the number of
//! lanes is known, and often the number of cells between each lane's cell and an address that all lanes share
//! (`touch`). Those numbers describe every pattern: backwards, every second cell, each cell for two lanes, one of four
//! in turn.
//!
//! - A *touch* is an access with those numbers.
//! - A *group* is touches that may be done together: `p[2 * i]` and `p[2 * i + 1]` (`access_group`).
//! - A *block* is neighbouring cells that are loaded or stored at once. A *plan* is the blocks that a group's cells lie
//!   in (`plan`). One that costs more than gathers, by the target's numbers (`cost`), is not carried out.
//! - Loads of neighbours may be in group, too: what is loaded twice is loaded once, and what overlaps where shuffles cost
//!   less than loads.
//! - Lanes are then taken out of the blocks, or put into them, by permutations (`write`).
//! - Of an access without such numbers it may be known that its cells are among a few: a *table* (`table`).
//!
//! Each choice is recorded with its reason (`explain`).
//!
//! No cell outside is touched: a block without a mask lies between cells that active lanes touch in the same array, and
//! a block under a mask touches those cells alone. Cells that no lane stores to are not written, but for those that the same lanes have
//! loaded in the same iterations (`kept`).

mod access_group;
mod cost;
mod explain;
mod kept;
pub(crate) mod number;
mod plan;
mod table;
pub(crate) mod touch;
mod write;

#[cfg(test)]
mod tests;

use access_group::{AccessGroup, AccessGroups};
use kept::BlockAccesses;
use number::Forms;
use plan::Plan;
pub use table::MOST_LOOKED_UP;
use table::Table;
pub(crate) use table::number_of_cells;
use write::Writer;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::Context;
use crate::decision::Told;
use crate::outcome::{self, AccessForm};
use facts::Facts;
use ir::builder::Builder;
use ir::cancel::CancelToken;
use ir::effects::Effects;
use ir::entities::{EntityVec, Op, Region, Value};
use ir::ops::Code;
use ir::program::Kernel;
use ir::target::Target;

/// Finds better forms for gathers and scatters; says whether there are any.
pub fn memory(kernel: &mut Kernel, context: &mut Context) -> bool {
    let forest = context.forest(kernel);
    let is_in_lanes = |op: &Op| kernel.ops[*op].code == Code::VectorFor;
    let loops: Vec<Op> = forest.loops().iter().copied().filter(is_in_lanes).collect();
    if loops.is_empty() {
        return false;
    }
    let facts = facts::facts_of_values(kernel, &loops);
    let forms_of = Forms::new(&facts);
    let mut finder = Finder {
        forms_of: &forms_of,
        visible: EntityVec::filled(kernel.values.len(), false),
        kernel,
        facts: &facts,
        target: context.options.target,
        cancel: context.limits.cancel,
        found: Vec::new(),
        decisions: Told::default(),
        forms: Vec::new(),
        effects: Effects::of(kernel),
    };
    finder.visible_from_the_start();
    finder.region(kernel.body);
    let (found, decisions, forms) = (finder.found, finder.decisions, finder.forms);
    forms.into_iter().for_each(|(op, form)| context.outcomes.took_form(kernel, op, form));
    decisions.into_list().into_iter().for_each(|decision| context.decide(decision));
    if found.is_empty() {
        return false;
    }
    for (group, _) in found.iter().flat_map(|(_, found)| &found.groups) {
        context.outcomes.go_together(kernel, group.place(), group.members.iter().map(|member| member.op));
    }
    let mut new = EntityVec::filled(kernel.values.len(), None);
    for (region, found) in found {
        rewrite(kernel, &forms_of, region, &found, &mut new);
    }
    kernel.replace_uses(&new);
    true
}

/// The changes to be made in a block.
#[derive(Default)]
struct Found {
    /// The groups of accesses, with their plans.
    groups: Vec<(AccessGroup, Plan)>,
    tables: Vec<Table>,
}

impl Found {
    /// The group of each op that is a member of one, by its number.
    fn groups_of_ops(&self) -> FxHashMap<Op, usize> {
        let members = |(number, (group, _)): (usize, &(AccessGroup, Plan))| -> Vec<(Op, usize)> {
            group.members.iter().map(|member| (member.op, number)).collect()
        };
        // An op is in one group alone.
        self.groups.iter().enumerate().flat_map(members).collect()
    }

    /// The number of the table that stands for each op that has one.
    fn tables_of_ops(&self) -> FxHashMap<Op, usize> {
        self.tables.iter().enumerate().map(|(number, table)| (table.op, number)).collect()
    }
}

/// Goes through a kernel and finds what pays.
struct Finder<'k> {
    kernel: &'k Kernel,
    facts: &'k Facts,
    forms_of: &'k Forms<'k>,
    target: &'static Target,
    cancel: CancelToken<'k>,
    /// The values that can be used where the walk is.
    visible: EntityVec<Value, bool>,
    found: Vec<(Region, Found)>,
    /// The decisions; once for a loop that `specialise` has doubled, where it is the same.
    decisions: Told,
    /// The form that each vector access took.
    forms: Vec<(Op, AccessForm)>,
    effects: Effects,
}

impl Finder<'_> {
    fn visible_from_the_start(&mut self) {
        self.kernel.params.iter().for_each(|param| self.visible[param.value] = true);
    }

    fn region(&mut self, region: Region) {
        let made = self.open_region(region);
        made.into_iter().for_each(|value| self.visible[value] = false);
    }

    /// A region; gives the values that it makes, which stay visible.
    fn open_region(&mut self, region: Region) -> Vec<Value> {
        let kernel = self.kernel;
        let in_lanes = self.facts.lane_loops[region].is_some();
        let mut groups = AccessGroups::default();
        let mut found = Found::default();
        let mut made: Vec<Value> = kernel.regions[region].args.to_vec();
        made.iter().for_each(|&arg| self.visible[arg] = true);
        for &op in &kernel.regions[region].ops {
            self.cancel.check_cancelled();
            if in_lanes {
                let touch = touch::Touch::of(kernel, self.forms_of, &self.visible, op);
                if touch.is_none() {
                    found.tables.extend(self.table(op));
                }
                groups.meet(kernel, &self.effects, op, touch);
            }
            self.inner_regions(op);
            for &result in &kernel.ops[op].results {
                self.visible[result] = true;
                made.push(result);
            }
        }
        found.groups = self.choose(region, groups);
        if in_lanes {
            self.note_forms(region, &found);
        }
        if !found.groups.is_empty() || !found.tables.is_empty() {
            self.found.push((region, found));
        }
        made
    }

    /// The table of an op whose lanes lie in no order that is known, if it has one that pays.
    fn table(&mut self, op: Op) -> Option<Table> {
        let table = Table::of(self.kernel, self.facts, op);
        let costs = table.as_ref().and_then(|table| table.costs(self.target));
        let (Some(table), Some((by_table, as_gather))) = (table, costs) else {
            explain::unknown(self.kernel, op).into_iter().for_each(|decision| self.decisions.push(decision));
            return None;
        };
        self.decisions.push(explain::of_table(self.kernel, &table, by_table, as_gather));
        (by_table <= as_gather).then_some(table)
    }

    fn choose(&mut self, region: Region, groups: AccessGroups) -> Vec<(AccessGroup, Plan)> {
        let mut found = Vec::new();
        let groups = groups.finish();
        let accesses = BlockAccesses::of(self.kernel, &self.effects, &self.kernel.regions[region].ops, &groups);
        let loaded: FxHashSet<Value> =
            groups.iter().filter(|group| !group.stores()).map(|it| it.members[0].root).collect();
        for group in groups {
            self.cancel.check_cancelled();
            let reads_too = group.stores() && loaded.contains(&group.members[0].root);
            let kept = if reads_too { accesses.kept_by(&group) } else { Vec::new() };
            for choice in plan::choose(group, kept, reads_too, self.target) {
                explain::decisions(self.kernel, &choice).into_iter().for_each(|decision| self.decisions.push(decision));
                if let Some((plan, _)) = choice.taken() {
                    found.push((choice.group.clone(), plan.clone()));
                }
            }
        }
        found
    }

    /// Notes in which form each access of a block is done.
    fn note_forms(&mut self, region: Region, found: &Found) {
        let (groups, tables) = (found.groups_of_ops(), found.tables_of_ops());
        let form = |&op: &Op| {
            if let Some((group, plan)) = groups.get(&op).map(|&number| &found.groups[number]) {
                let form = if plan.leaves_none_out(group) { AccessForm::Grouped } else { AccessForm::Shuffled };
                return Some((op, form));
            }
            let form = match tables.contains_key(&op) {
                true => Some(AccessForm::LookedUp),
                false => outcome::plain_form(self.kernel.ops[op].code),
            };
            form.map(|form| (op, form))
        };
        self.forms.extend(self.kernel.regions[region].ops.iter().filter_map(form));
    }

    fn inner_regions(&mut self, op: Op) {
        match (self.kernel.ops[op].code, self.kernel.ops[op].regions.as_slice()) {
            // The body of a `while` sees what its test made.
            (Code::While, &[test, body]) => {
                let made = self.open_region(test);
                self.region(body);
                made.into_iter().for_each(|value| self.visible[value] = false);
            }
            (_, regions) => regions.iter().for_each(|&region| self.region(region)),
        }
    }
}

/// Puts what stands for each group in its place.
fn rewrite(
    kernel: &mut Kernel,
    forms: &Forms<'_>,
    region: Region,
    found: &Found,
    new: &mut EntityVec<Value, Option<Value>>,
) {
    let ops = std::mem::take(&mut kernel.regions[region].ops);
    let mut kept = Vec::with_capacity(ops.len());
    let (groups, tables) = (found.groups_of_ops(), found.tables_of_ops());
    let mut b = Builder::detached(std::mem::replace(kernel, Kernel::new("")));
    let block = b.block();
    for op in ops {
        let group = groups.get(&op).map(|&number| &found.groups[number]);
        let table = tables.get(&op).map(|&number| &found.tables[number]);
        if group.is_some_and(|(group, _)| group.place() != op) {
            continue;
        }
        if group.is_none() && table.is_none() {
            kept.push(op);
            continue;
        }
        let mut made = Vec::new();
        if let Some((group, plan)) = group {
            made = Writer { b: &mut b, forms, group, plan }.write();
        }
        if let Some(table) = table {
            let result = b.kernel().ops[op].results[0];
            made.push((result, table.write(&mut b)));
        }
        for (old, by) in made {
            new[old] = Some(by);
            let name = b.kernel().values[old].name.clone();
            let nameless = b.kernel().values[by].name.is_none();
            if let Some(name) = name.filter(|_| nameless) {
                b.name(by, &name);
            }
        }
        kept.append(&mut b.kernel_mut().regions[block].ops);
    }
    *kernel = b.detach().0;
    kernel.regions[region].ops = kept;
}
