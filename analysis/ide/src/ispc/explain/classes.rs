//! Shapes and orders of cells, as Lane's explanations call them.

use queries::ispc::facts::access::{CellOrder, MemoryAccess};
use queries::ispc::facts::shape::{LaneShape, LaneStep, LaneValue};
use report::lanes::{Class, Stride};

/// The order of a value's lanes, as Lane's explanations call it.
pub(super) fn shape_word(value: &LaneValue) -> Option<String> {
    Some(match value.shape {
        LaneShape::Uniform => "uniform".to_owned(),
        LaneShape::Linear(LaneStep::By(step)) => format!("linear, stride {step}"),
        LaneShape::Linear(LaneStep::Some) => "linear".to_owned(),
        LaneShape::Varying => "arbitrary".to_owned(),
        LaneShape::Unknown => return None,
    })
}

pub(super) fn class_of(access: &MemoryAccess, stores: bool) -> Class {
    let own = access.bytes.and_then(|bytes| i64::try_from(bytes).ok());
    match (access.order, stores) {
        (CellOrder::Broadcast, false) => Class::Broadcast,
        (CellOrder::Broadcast, true) => Class::UniformStore,
        (CellOrder::Vector | CellOrder::Groups(_), _) => Class::Contiguous,
        (CellOrder::Strided(Some(bytes)), _) if own == bytes.checked_neg() => Class::Reversed,
        (CellOrder::Strided(_), _) => Class::Strided,
        (CellOrder::Gather, false) => Class::Gather,
        (CellOrder::Gather, true) => Class::Scatter,
    }
}

/// The distance from lane to lane in cells, if it is a whole number of them.
pub(super) fn stride_of(access: &MemoryAccess) -> Option<Stride> {
    let own = access.bytes.and_then(|bytes| i64::try_from(bytes).ok()).filter(|own| *own > 0);
    Some(match (access.order, own) {
        (CellOrder::Broadcast, _) => Stride::Cells(0),
        (CellOrder::Vector, _) => Stride::Cells(1),
        (CellOrder::Strided(Some(bytes)), Some(own)) if bytes % own == 0 => Stride::Cells(bytes / own),
        (CellOrder::Strided(_), _) => Stride::Unnamed,
        (CellOrder::Groups(_) | CellOrder::Gather, _) => return None,
    })
}
