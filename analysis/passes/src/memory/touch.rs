//! Touches: vector accesses, with each lane's cell as a number of bytes behind an address that all lanes share.

use std::rc::Rc;

use smallvec::SmallVec;

use super::number::Forms;
use facts::{Form, access};
use ir::entities::{EntityVec, Op, Value};
use ir::ops::Code;
use ir::program::{Kernel, Values};
use ir::types::{CellType, Elem, Type};
use ir::typing;
use ir::typing::OperandRole;

/// A vector access whose cells are known relative to an address that all lanes share.
#[derive(Debug, Clone)]
pub(super) struct Touch {
    pub(super) op: Op,
    /// The array that is accessed.
    pub(super) root: Value,
    pub(super) stores: bool,
    /// True for a contiguous access or a broadcast, which alone is left as it is.
    pub(super) is_settled: bool,
    /// True if it may be done together with others.
    pub(super) joins: bool,
    pub(super) elem: Elem,
    pub(super) lanes: u16,
    /// The mask of the active lanes; `None` if all are.
    pub(super) mask: Option<Value>,
    /// The value that a store stores.
    pub(super) stored: Option<Value>,
    /// The byte in the array that lanes share, but for a constant; an index can be made of it. Equal ones are one.
    pub(super) shared: Rc<Form>,
    /// The byte at which each lane's cell starts, behind that.
    pub(super) each: Vec<i128>,
    /// The bytes at which the first and the last of the cells start.
    pub(super) bounds: (i128, i128),
    /// The bytes from each lane's cell to the next one's, if they are as many for all.
    pub(super) step: Option<i128>,
    /// The lanes' distances along the last dimension of a view, if lanes differ in nothing else.
    pub(super) along: Option<Along>,
}

/// The subscripts of the lanes along the last dimension of a view whose cells are contiguous.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Along {
    pub(super) view: Value,
    /// The subscripts before the last one, which are uniform.
    pub(super) leading: Values,
    /// The part of the last subscript that lanes share: it gives the cell of [`Touch::shared`], without the constant
    /// behind that.
    pub(super) start: Form,
}

impl Touch {
    /// The touch that an op is; `None` for what is no access, or one of whose cells too little is known.
    pub(super) fn of(kernel: &Kernel, forms: &Forms<'_>, visible: &EntityVec<Value, bool>, op: Op) -> Option<Touch> {
        let data = &kernel.ops[op];
        let (stores, is_settled) = match data.code {
            Code::Gather => (false, false),
            Code::Scatter => (true, false),
            Code::Load | Code::VectorLoad | Code::MaskedLoad => (false, true),
            Code::Store | Code::VectorStore | Code::MaskedStore => (true, true),
            _ => return None,
        };
        let view = data.operands[0];
        let types: SmallVec<[Type; 4]> = data.operands.iter().map(|&value| kernel.ty(value)).collect();
        let roles = typing::roles(data.code, &types).ok()?;
        let with_role =
            |wanted: fn(&OperandRole) -> bool| roles.iter().position(wanted).map(|position| data.operands[position]);
        let rank = usize::from(types[0].rank());
        let elem = types[0].elem()?;
        let results = data.results.iter().map(|&value| kernel.ty(value));
        let lanes = results.chain(types.iter().copied()).find_map(Type::lanes).unwrap_or(1);
        let spread = forms.spread(access::address(kernel, forms.facts, op)?, lanes)?;
        let one_cell = matches!(data.code, Code::Load | Code::Store);
        let from_lane_0 = is_settled && !one_cell && types[rank].lanes().is_none();
        let stride = match from_lane_0 {
            true if lies_side_by_side(kernel, view) => elem.bytes() as i128,
            true => return None,
            false => 0,
        };
        let (shared, constant) = spread.shared.split_constant();
        let shared = forms.shared(shared);
        let each: Vec<i128> = spread.each.iter().zip(0..).map(|(each, lane)| each + lane * stride + constant).collect();
        let bytes = elem.bytes() as i128;
        let usable = forms.can_be_made(kernel, visible, &shared)
            && shared.divide_exactly(bytes).is_some()
            && each.iter().all(|each| each % bytes == 0);
        let mut touch = Touch {
            op,
            root: kernel.root(view),
            stores,
            is_settled,
            joins: usable && !one_cell && !(is_settled && stores),
            elem,
            lanes,
            mask: with_role(|role| *role == OperandRole::Mask),
            stored: with_role(|role| matches!(role, OperandRole::Stored(_))),
            shared,
            step: step_of(&each),
            bounds: (each.iter().min().copied().unwrap_or(0), each.iter().max().copied().unwrap_or(0)),
            each,
            along: None,
        };
        if touch.joins {
            let along = touch.along(kernel, forms, from_lane_0);
            touch.along = along.filter(|along| forms.can_be_made(kernel, visible, &along.start));
        }
        (is_settled || usable).then_some(touch)
    }

    fn along(&self, kernel: &Kernel, forms: &Forms<'_>, from_lane_0: bool) -> Option<Along> {
        let data = &kernel.ops[self.op];
        let view = data.operands[0];
        let rank = usize::from(kernel.ty(view).rank());
        let (last, leading) = data.operands[1..=rank].split_last()?;
        let in_lanes = |value: &Value| kernel.ty(*value).lanes().is_some();
        if in_lanes(&view) || leading.iter().any(in_lanes) || !lies_side_by_side(kernel, view) {
            return None;
        }
        let spread = forms.spread(forms.facts.values[*last].exact_form()?.clone(), self.lanes)?;
        let step = i128::from(from_lane_0);
        let cells: Vec<i128> = spread.each.iter().zip(0..).map(|(each, lane)| each + lane * step).collect();
        let bytes = self.elem.bytes() as i128;
        // The lanes' subscripts have to give the same distances as their bytes, up to a constant.
        let behind = self.each.first()? - cells.first()? * bytes;
        if behind % bytes != 0 || cells.iter().zip(&self.each).any(|(cells, each)| each - cells * bytes != behind) {
            return None;
        }
        let start = spread.shared.sub(&Form::constant(behind / bytes))?;
        Some(Along { view, leading: leading.into(), start })
    }

    /// Says whether a cell of one is a cell of the other, as far as is known.
    pub(super) fn meets(&self, kernel: &Kernel, other: &Touch) -> bool {
        if !kernel.may_overlap(self.root, other.root) {
            return false;
        }
        if self.root != other.root || self.shared != other.shared {
            return true;
        }
        let (own, others) = (self.elem.bytes() as i128, other.elem.bytes() as i128);
        // Lanes of both may be so far from each other that cells of the one lie between cells of the other.
        if let Some(step) = self.step.filter(|_| self.step == other.step) {
            let behind = (other.each[0] - self.each[0]).rem_euclid(step);
            if own <= behind && behind + others <= step {
                return false;
            }
        }
        let apart = |a: i128, b: i128| a + own <= b || b + others <= a;
        self.each.iter().any(|&a| other.each.iter().any(|&b| !apart(a, b)))
    }
}

/// The distance from each number to the next, if it is the same and not 0; the larger of two directions.
fn step_of(each: &[i128]) -> Option<i128> {
    let step = each.get(1)? - each[0];
    let is_even = step != 0 && each.windows(2).all(|two| two[1] - two[0] == step);
    is_even.then_some(step.abs())
}

/// Says whether the cells along a view's last dimension lie side by side in memory.
pub(crate) fn lies_side_by_side(kernel: &Kernel, view: Value) -> bool {
    let Some(op) = kernel.def_op(view) else { return is_of_elements(kernel, view) };
    let data = &kernel.ops[op];
    match data.code {
        Code::Temp | Code::Table => true,
        Code::Row | Code::Slice => {
            let last = i64::from(kernel.ty(data.operands[0]).rank()) - 1;
            let dim = access::dim_of(&data.attr) as i64;
            // A slice keeps neighbours as they are if its step is 1.
            let by_ones = || kernel.as_const(data.operands[3]).and_then(ir::Scalar::wide) == Some(1);
            let keeps_last = dim != last || (data.code == Code::Slice && by_ones());
            keeps_last && lies_side_by_side(kernel, data.operands[0])
        }
        _ => false,
    }
}

fn is_of_elements(kernel: &Kernel, view: Value) -> bool {
    matches!(kernel.ty(view), Type::View { item: CellType::Elem(_), .. })
}
