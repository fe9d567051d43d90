//! Atomic ops: each active lane reads its cell and writes it, one lane after the other.

use super::access::Access;
use super::data::{Cell, Reg, load};
use super::machine::{Machine, Touching};
use super::{Event, Run};
use crate::atomics::AtomicRule;
use crate::entities::Op;
use crate::program::Attr;
use crate::scalar::Scalar;

impl Machine {
    /// An atomic op: of a vector, of lanes that run together, or of one cell.
    pub(super) fn atomic(&mut self, op: Op, rule: AtomicRule, access: &Access) -> Run<()> {
        let result = self.kernel().ops[op].results[0];
        let active = match (access.lanes, self.active()) {
            (Some(lanes), _) => self.active_lanes(op, access.mask, lanes)?,
            (None, Some(active)) => active.to_vec(),
            (None, None) => {
                let old = self.join(op, rule, access, None)?;
                self.set(result, old.into());
                return Ok(());
            }
        };
        let mut cells = vec![Cell::Data(Scalar::zero(access.elem)); active.len()];
        for (lane, cell) in cells.iter_mut().enumerate().filter(|(lane, _)| active[*lane]) {
            *cell = Cell::Data(self.join(op, rule, access, Some(lane as u16))?);
        }
        self.set(result, Reg::Lanes(cells.into()));
        Ok(())
    }

    /// Joins a lane's operand to its cell; gives what that held before.
    fn join(&mut self, op: Op, rule: AtomicRule, access: &Access, lane: Option<u16>) -> Run<Scalar> {
        let number = lane.map_or(0, usize::from);
        let spot = self.spot(op, lane, access, number, 0)?;
        let operand = self.in_lane(access.stored[0], number)?;
        let how = match self.kernel().ops[op].attr {
            Attr::FreeOrder => Touching::Joins(self.kernel().ops[op].code),
            _ => Touching::Writes,
        };
        let root = self.kernel().root(access.view);
        self.touch(op, lane, spot, root, how)?;
        let old = load(&self.state.memory[spot.0], spot.1, access.elem);
        let (memory, byte) = spot;
        self.note(|| Event::Touched { op, lane, memory, byte, value: old, write: false });
        self.put(op, lane, spot, rule.apply(old, operand));
        Ok(old)
    }
}
