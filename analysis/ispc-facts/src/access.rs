//! Memory accesses: the cells that the lanes touch, and how these lie.
//!
//! A *place* is where an expression's value is stored: the address across the lanes, in bytes, and the type in memory. One value in memory
//! with an address that differs from lane to lane is a cell for each lane; a varying value in memory has a cell for each lane side by side.

use ispc_types::layer::Entity;
use ispc_types::ty::{Lanes, Ty};

use crate::shape::{LaneShape, LaneStep, LaneValue};

/// The place of a value in memory, or of a variable.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StoredPlace {
    /// The address, in bytes.
    pub(crate) address: LaneValue,
    /// The type there, and the variability of what it leaves unbound.
    pub(crate) stored: Ty,
    pub(crate) unbound: Lanes,
    /// The variable whose own place it is.
    pub(crate) variable: Option<Entity>,
    /// The node where one element of several was taken: the subscript, or the pointer.
    pub(crate) chosen_by: Option<u32>,
    /// The struct whose members the lanes take, one of each, if they stand in an array of these.
    pub(crate) record: Option<Record>,
}

/// An array of structs that lanes walk along.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Record {
    /// The struct.
    pub of: Entity,
    /// Its bytes.
    pub size: u64,
}

/// The order in which the cells of an access lie.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum CellOrder {
    /// One cell for all lanes.
    Broadcast,
    /// Neighbouring cells, in the order of the lanes.
    Vector,
    /// Neighbouring cells in groups of so many, by `soa`.
    Groups(u32),
    /// Cells that lie a fixed number of bytes apart; none if it is not known how many.
    Strided(Option<i64>),
    /// A cell of its own for each lane, anywhere.
    Gather,
}

/// The direction of an access.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum AccessKind {
    /// A load.
    Load,
    /// A store.
    Store,
    /// A load and a store of what came of it.
    Update,
}

/// An access of memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MemoryAccess {
    /// The expression whose place it is.
    pub node: u32,
    /// The direction.
    pub kind: AccessKind,
    /// The order of the cells.
    pub order: CellOrder,
    /// The type in memory.
    pub stored: Ty,
    /// The bytes of a lane's cell, if they are known.
    pub bytes: Option<u64>,
    /// The struct whose members are taken from an array of them.
    pub record: Option<Record>,
    /// The node whose story tells why the addresses differ.
    pub cause: Option<u32>,
    /// The subscript or pointer that chooses the cells.
    pub chosen_by: Option<u32>,
    /// The value that is stored.
    pub value: Option<LaneValue>,
    /// True if the text has one cell for each lane, though all of them are one.
    pub is_spread: bool,
    /// The region of the lanes that make it.
    pub region: u32,
}

impl MemoryAccess {
    /// Returns true if each lane's cell is fetched or stored by itself.
    pub fn is_apart(&self) -> bool {
        matches!(self.order, CellOrder::Strided(_) | CellOrder::Gather)
    }
}

/// The order of the cells of addresses, of cells of so many bytes with these lanes.
pub(crate) fn order_of(address: LaneShape, lanes: Lanes, bytes: Option<u64>) -> Option<CellOrder> {
    Some(match (lanes, address) {
        (_, LaneShape::Unknown) => return None,
        (Lanes::Varying, LaneShape::Uniform) => CellOrder::Vector,
        // Each lane has its own row of the array, and in that its own cell.
        (Lanes::Varying, _) => CellOrder::Gather,
        (_, LaneShape::Uniform) => CellOrder::Broadcast,
        (Lanes::Soa(width), LaneShape::Linear(_)) => CellOrder::Groups(width),
        (_, LaneShape::Varying) => CellOrder::Gather,
        (_, LaneShape::Linear(LaneStep::Some)) => CellOrder::Strided(None),
        (_, LaneShape::Linear(LaneStep::By(step))) => match bytes {
            Some(bytes) if i64::try_from(bytes) == Ok(step) => CellOrder::Vector,
            _ => CellOrder::Strided(Some(step)),
        },
    })
}

/// The numbers of accesses, by how their cells lie.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct AccessCounts {
    /// One cell for all lanes.
    pub one_cell: usize,
    /// Neighbouring cells, those in groups among them.
    pub neighbours: usize,
    /// Cells a fixed distance apart.
    pub strided: usize,
    /// Loads of a cell of its own in each lane.
    pub gathers: usize,
    /// Stores to a cell of its own in each lane.
    pub scatters: usize,
}

impl AccessCounts {
    /// Counts accesses. One that loads and stores is one of each lane's own cells once, as a store.
    pub fn of<'a>(accesses: impl Iterator<Item = &'a MemoryAccess>) -> AccessCounts {
        let mut counts = AccessCounts::default();
        for access in accesses {
            let count = match (access.order, access.kind) {
                (CellOrder::Broadcast, _) => &mut counts.one_cell,
                (CellOrder::Vector | CellOrder::Groups(_), _) => &mut counts.neighbours,
                (CellOrder::Strided(_), _) => &mut counts.strided,
                (CellOrder::Gather, AccessKind::Load) => &mut counts.gathers,
                (CellOrder::Gather, _) => &mut counts.scatters,
            };
            *count += 1;
        }
        counts
    }

    /// All kinds that occur, in words; empty if there is no access.
    pub fn in_words(&self) -> String {
        let kinds = [
            (self.one_cell, "of one cell"),
            (self.neighbours, "of neighbours"),
            (self.strided, "strided"),
            (self.gathers + self.scatters, "each its own"),
        ];
        let told: Vec<_> = kinds.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}")).collect();
        told.join(", ")
    }
}
