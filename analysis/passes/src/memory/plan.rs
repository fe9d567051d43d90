//! Plans: the blocks of neighbouring cells that a group is loaded or stored by, and whether that is to be done.

use std::rc::Rc;

use super::access_group::AccessGroup;
use super::cost::{as_it_is, by_plan};
use super::touch::Touch;
use ir::target::Target;
use smallvec::SmallVec;

/// The number of blocks above which a plan is never worth it.
const MAX_BLOCKS: usize = 64;

/// A run of neighbouring cells.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Block {
    /// The first of them, from the group's first cell on; before that, where nothing is done to the first ones.
    pub(super) start: isize,
    /// The number of cells.
    pub(super) len: usize,
}

impl Block {
    fn new(start: usize, len: usize) -> Block {
        Block { start: start as isize, len }
    }

    fn reaches_behind(&self, end: usize) -> bool {
        self.start + self.len as isize > end as isize
    }

    fn cells(&self) -> std::ops::Range<isize> {
        self.start..self.start + self.len as isize
    }
}

/// The blocks by which a group is loaded or stored.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Plan {
    pub(super) blocks: Vec<Block>,
    users: Users,
}

/// The cells that a group touches, in order, by their numbers from its first cell on. Those between are not listed: the fields of a struct
/// may lie far apart.
#[derive(Debug, Clone, PartialEq)]
struct Users {
    cells: Vec<UsedCell>,
}

/// A cell that is touched.
#[derive(Debug, Clone, PartialEq)]
struct UsedCell {
    cell: usize,
    /// The members and lanes that touch it.
    users: SmallVec<[(usize, usize); 2]>,
    /// The lanes among these, each once.
    lanes: SmallVec<[usize; 2]>,
}

impl Users {
    fn of(group: &AccessGroup) -> Users {
        let member = |(number, member): (usize, &Rc<Touch>)| {
            let cells = group.cells(member).into_iter().enumerate();
            cells.map(move |(lane, cell)| (cell, (number, lane)))
        };
        let mut touched: Vec<(usize, (usize, usize))> = group.all().enumerate().flat_map(member).collect();
        touched.sort_by_key(|(cell, _)| *cell);
        let used = |run: &[(usize, (usize, usize))]| {
            let mut lanes: SmallVec<[usize; 2]> = run.iter().map(|(_, (_, lane))| *lane).collect();
            lanes.sort_unstable();
            lanes.dedup();
            UsedCell { cell: run[0].0, users: run.iter().map(|(_, user)| *user).collect(), lanes }
        };
        Users { cells: touched.chunk_by(|a, b| a.0 == b.0).map(used).collect() }
    }

    /// The number of cells from the first to the last.
    fn len(&self) -> usize {
        self.cells.last().map_or(0, |last| last.cell + 1)
    }

    fn get(&self, cell: usize) -> Option<&UsedCell> {
        let place = self.cells.binary_search_by_key(&cell, |used| used.cell);
        place.ok().map(|place| &self.cells[place])
    }

    /// The cells that are touched from a number on.
    fn from(&self, number: usize) -> &[UsedCell] {
        &self.cells[self.cells.partition_point(|used| used.cell < number)..]
    }

    /// The first cell that is touched from a number on.
    fn next(&self, from: usize) -> Option<usize> {
        self.from(from).first().map(|used| used.cell)
    }

    /// The last cell that is touched before a number.
    fn last_before(&self, end: isize) -> Option<isize> {
        let n_before = self.cells.partition_point(|used| (used.cell as isize) < end);
        self.cells[..n_before].last().map(|used| used.cell as isize)
    }

    /// The cells of a block, in order, as far as they are touched.
    fn within(&self, block: &Block) -> impl Iterator<Item = Option<&UsedCell>> {
        let mut touched = self.from(block.start.max(0) as usize).iter().peekable();
        block.cells().map(move |cell| touched.next_if(|used| used.cell as isize == cell))
    }
}

impl Plan {
    /// The plan for a group; `None` where it cannot be done so, whatever that costs. `reads_too` says that the array of stores is loaded
    /// from in the same iterations.
    fn of(group: &AccessGroup, reads_too: bool) -> Option<Plan> {
        let first = &group.members[0];
        let lanes = usize::from(first.lanes);
        let users = Users::of(group);
        let masked = first.mask.is_some();
        // If several lanes have one cell, the last active one stores, and which that is shows only at run time.
        if group.stores() && masked && users.cells.iter().any(|cell| cell.users.len() > 1) {
            return None;
        }
        let blocks = match group.stores() {
            true => {
                let blocks = stored_blocks(&users, lanes, masked);
                if reads_too && !masked { at_the_end(&users, blocks) } else { blocks }
            }
            false => loaded_blocks(&users, lanes, masked),
        };
        (!users.cells.is_empty() && blocks.len() <= MAX_BLOCKS).then_some(Plan { blocks, users })
    }

    /// The users of the cells of a block; nobody uses what lies behind the last cell.
    pub(super) fn users_in(&self, block: &Block) -> impl Iterator<Item = &[(usize, usize)]> {
        self.users.within(block).map(|used| used.map_or(&[][..], |used| &used.users))
    }

    /// The lanes that use each cell of a block, each once.
    pub(super) fn lanes_in(&self, block: &Block) -> impl Iterator<Item = &[usize]> {
        self.users.within(block).map(|used| used.map_or(&[][..], |used| &used.lanes))
    }

    /// Returns the largest number of lanes that use the same cell of a block.
    pub(super) fn lanes_at_once(&self, block: &Block) -> usize {
        self.lanes_in(block).map(<[_]>::len).max().unwrap_or(0)
    }

    /// Says whether several lanes use one of some cells.
    pub(super) fn is_shared(&self, cells: &[usize]) -> bool {
        cells.iter().any(|&cell| self.users.get(cell).is_some_and(|used| used.lanes.len() > 1))
    }

    /// Says whether several accesses are done together, and every cell that is touched belongs to one of them.
    pub(super) fn leaves_none_out(&self, group: &AccessGroup) -> bool {
        group.all().count() > 1 && self.blocks.iter().all(|block| self.is_full(block))
    }

    /// Says whether every cell of a block has a user.
    pub(super) fn is_full(&self, block: &Block) -> bool {
        self.users_in(block).all(|users| !users.is_empty())
    }

    /// Returns for each lane the number of the block that its cell is taken from, and the position there. It is one
    /// block for all lanes, if one holds the cells of all.
    pub(super) fn places(&self, cells: &[usize]) -> Vec<(usize, usize)> {
        let holds = |block: &Block, cell: usize| block.cells().contains(&(cell as isize));
        let of_all = self.blocks.iter().position(|block| cells.iter().all(|&cell| holds(block, cell)));
        let place = |&cell: &usize| {
            let own = || self.blocks.iter().position(|block| holds(block, cell));
            let block = of_all.or_else(own).expect("a block holds every cell that is used");
            (block, (cell as isize - self.blocks[block].start) as usize)
        };
        cells.iter().map(place).collect()
    }

    /// Says whether each lane's cell has the lane's number in a block.
    pub(super) fn is_in_lane_order(&self, block: &Block, lanes: usize) -> bool {
        block.len == lanes && self.lanes_in(block).enumerate().all(|(number, lanes)| *lanes == [number])
    }
}

/// Blocks that hold every cell that is loaded. Without a mask, none reaches behind the last one: it would start further in
/// front, and load some cells a second time.
fn loaded_blocks(users: &Users, lanes: usize, masked: bool) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut next = 0;
    while let Some(start) = users.next(next) {
        let len = lanes.min(users.len());
        let start = if masked { start } else { start.min(users.len() - len) };
        blocks.push(Block::new(start, len));
        next = start + len;
    }
    blocks
}

/// Blocks that hold every cell that is stored, once. Without a mask a block that has no gap ends with the last cell.
fn stored_blocks(users: &Users, lanes: usize, masked: bool) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut next = 0;
    while let Some(start) = users.next(next) {
        let n_within = lanes.min(users.len() - start);
        let has_gap = users.within(&Block::new(start, n_within)).any(|used| used.is_none());
        let len = if masked || has_gap { lanes } else { n_within };
        blocks.push(Block::new(start, len));
        next = start + len;
    }
    blocks
}

/// The blocks of stores, moved so that the last one ends with the last cell if it reached behind that, where as many then hold all cells.
/// The loads of the next group of lanes begin behind them then: a load that a block under a mask reaches into would wait until the block
/// is stored.
fn at_the_end(users: &Users, blocks: Vec<Block>) -> Vec<Block> {
    let len = blocks.first().map_or(0, |block| block.len);
    if blocks.iter().any(|block| block.len != len) || blocks.last().is_none_or(|last| !last.reaches_behind(users.len()))
    {
        return blocks;
    }
    let mut moved = Vec::new();
    let mut end = users.len() as isize;
    while let Some(last) = users.last_before(end) {
        end = last + 1 - len as isize;
        moved.push(Block { start: end, len });
    }
    moved.reverse();
    if moved.len() == blocks.len() { moved } else { blocks }
}

/// The choice for a group.
#[derive(Debug)]
pub(super) struct GroupPlan {
    pub(super) group: AccessGroup,
    /// The plan by blocks, and its cost.
    plan: Option<(Plan, u32)>,
    /// The cost without a change.
    pub(super) before: u32,
}

impl GroupPlan {
    fn of(group: AccessGroup, reads_too: bool, target: &Target) -> GroupPlan {
        // A contiguous access or a broadcast gains nothing alone.
        let is_settled = group.members.len() == 1 && group.members[0].is_settled;
        let plan = if is_settled { None } else { Plan::of(&group, reads_too) };
        let plan = plan.map(|plan| {
            let cost = by_plan(&group, &plan, target);
            (plan, cost)
        });
        GroupPlan { before: as_it_is(&group, target), plan, group }
    }

    /// The plan, if it is carried out, and what it costs.
    pub(super) fn taken(&self) -> Option<(&Plan, u32)> {
        self.plan.as_ref().filter(|(_, cost)| *cost <= self.before).map(|(plan, cost)| (plan, *cost))
    }

    /// The plan by blocks with its cost, if there is one.
    pub(super) fn possible(&self) -> Option<u32> {
        self.plan.as_ref().map(|(_, cost)| *cost)
    }

    fn cost(&self) -> u32 {
        self.taken().map_or(self.before, |(_, cost)| cost)
    }
}

/// The choices for a group: all together, perhaps with what lies between and keeps what was loaded, or each member alone, whichever costs
/// less. `reads_too` says that the array of stores is loaded from in the same iterations.
pub(super) fn choose(group: AccessGroup, kept: Vec<Rc<Touch>>, reads_too: bool, target: &Target) -> Vec<GroupPlan> {
    if kept.is_empty() {
        return choose_among_members(group, reads_too, target);
    }
    let whole = GroupPlan::of(group.clone().keeping(kept), reads_too, target);
    let parts = choose_among_members(group, reads_too, target);
    let is_whole = |(plan, _): (&Plan, u32)| plan.leaves_none_out(&whole.group);
    let is_better = whole.taken().is_some_and(is_whole) && whole.cost() < parts.iter().map(GroupPlan::cost).sum();
    if is_better { vec![whole] } else { parts }
}

fn choose_among_members(group: AccessGroup, reads_too: bool, target: &Target) -> Vec<GroupPlan> {
    if group.members.len() == 1 {
        return vec![GroupPlan::of(group, reads_too, target)];
    }
    let lone = |member: &Rc<Touch>| GroupPlan::of(AccessGroup::of(member.clone()), reads_too, target);
    let alone: Vec<GroupPlan> = group.members.iter().map(lone).collect();
    let together = GroupPlan::of(group, reads_too, target);
    let is_better = together.taken().is_some() && together.cost() < alone.iter().map(GroupPlan::cost).sum();
    if is_better { vec![together] } else { alone }
}
