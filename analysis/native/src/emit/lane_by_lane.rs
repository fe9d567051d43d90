//! Gathers and scatters without a mask, lane by lane, where no vector of addresses has to be made and taken apart again:
//!
//! - cells that are all equally far from each other: each lane's address is the first one's and so many times the distance;
//! - cells whose numbers were just loaded: LLVM loads each number by itself, then;
//! - cells of a row whose numbers are as wide as an address, or have no sign: a lane's number scales in its own load or store.
//!
//! That is done where no instruction does it, or where one takes longer than the loads and stores of single cells.

use ir::{Code, Elem, Op, Target, Value};

use super::access::Access;
use super::function::Function;
use super::values::{Ty, Unit, Val};

/// Processors on which an instruction that gathers takes longer than the loads that it does.
const SLOW_TO_GATHER: &[&str] = &["znver1", "znver2", "znver3"];

impl Function<'_> {
    /// Writes an access lane by lane, if that is as good as it can be done; says whether it has.
    pub(super) fn lane_by_lane(&mut self, op: Op, access: &Access) -> bool {
        let stores = !access.stored.is_empty();
        let is_plain = access.mask.is_none() && access.elem != Elem::Bool && access.view.is_single();
        if !is_plain || is_by_instruction(self.target, access.elem.bytes(), stores) {
            return false;
        }
        let addresses = self.distant_addresses(access).or_else(|| self.loaded_addresses(access));
        let Some(addresses) = addresses.or_else(|| self.scaled_addresses(access)) else { return false };
        match access.stored.first() {
            Some(&stored) => {
                let stored = self.get_in(stored, Some(access.lanes));
                for (lane, at) in (0..access.lanes).zip(&addresses) {
                    let element = self.lane(&stored, lane);
                    self.line(format!("store {element}, {at}, align {}", access.elem.bytes()));
                }
            }
            None => {
                // x86 loads a float into the upper half of a register in place, and an integer only by way of another register.
                let elem = if access.elem.bytes() == 8 { Elem::F64 } else { access.elem };
                let ty = Ty::lanes(Unit::in_memory(elem), access.lanes);
                let mut loaded = Val::new("poison", ty);
                for (lane, at) in addresses.iter().enumerate() {
                    let element = self.load(elem, None, at);
                    loaded = self.named(ty, format!("insertelement {loaded}, {element}, i64 {lane}"));
                }
                let wanted = Ty::lanes(Unit::in_memory(access.elem), access.lanes);
                if wanted != ty {
                    loaded = self.named(wanted, format!("bitcast {loaded} to {wanted}"));
                }
                self.set(self.kernel.ops[op].results[0], loaded);
            }
        }
        true
    }

    /// The addresses of cells that are all equally far from each other.
    fn distant_addresses(&mut self, access: &Access) -> Option<Vec<Val>> {
        let distance = self.lane_distance(access)?;
        let subscripts: Vec<Val> = access.subscripts.iter().map(|&subscript| self.lane_0(subscript, 0, None)).collect();
        let first = self.address(&access.view, &subscripts);
        let mut addresses = Vec::new();
        for lane in 0..access.lanes {
            let far = self.mul(&distance, &Val::i64(lane.into()));
            addresses.push(self.step(&first, 1, &far));
        }
        Some(addresses)
    }

    /// The addresses of cells whose numbers were loaded side by side.
    fn loaded_addresses(&mut self, access: &Access) -> Option<Vec<Val>> {
        let sources: Vec<Value> =
            access.subscripts.iter().map(|&subscript| self.loaded_number(subscript)).collect::<Option<_>>()?;
        let mut addresses = Vec::new();
        for lane in 0..access.lanes {
            let mut subscripts = Vec::new();
            for &source in &sources {
                subscripts.push(match self.kernel.ty(source).lanes() {
                    None => self.exact(source),
                    Some(_) => {
                        let (elem, all) = (self.elem(source), self.get(source));
                        let number = self.lane(&all, lane);
                        self.extended(elem, &number)
                    }
                });
            }
            addresses.push(self.address(&access.view, &subscripts));
        }
        Some(addresses)
    }

    /// The addresses of cells of one row by numbers that a register for addresses takes as they are.
    fn scaled_addresses(&mut self, access: &Access) -> Option<Vec<Val>> {
        let kernel = self.kernel;
        let (&last, leading) = access.subscripts.split_last()?;
        let elem = self.elem(last);
        let fits = elem.bytes() == 8 || !elem.is_signed();
        let stride = access.view.dims.last()?.stride.number().filter(|stride| matches!(stride, 1 | 2 | 4 | 8))?;
        if kernel.ty(last).lanes().is_none() || !fits || leading.iter().any(|&value| kernel.ty(value).lanes().is_some())
        {
            return None;
        }
        let leading: Vec<Val> = leading.iter().map(|&value| self.exact(value)).collect();
        let start = self.row_address(&access.view, &leading);
        let numbers = self.get(last);
        let mut addresses = Vec::new();
        for lane in 0..access.lanes {
            let number = self.lane(&numbers, lane);
            let number = self.extended(elem, &number);
            addresses.push(self.step(&start, stride, &number));
        }
        Some(addresses)
    }

    /// A scalar, or the loaded vector that a subscript is, or was widened from.
    fn loaded_number(&self, mut value: Value) -> Option<Value> {
        let kernel = self.kernel;
        while kernel.ty(value).lanes().is_some() {
            let data = &kernel.ops[kernel.def_op(value)?];
            match data.code {
                Code::VectorLoad => break,
                _ if self.widens(data) => value = data.operands[0],
                _ => return None,
            }
        }
        Some(value)
    }

    /// The bytes from each lane's cell to the next one's.
    fn lane_distance(&mut self, access: &Access) -> Option<Val> {
        let mut distance = Val::i64(0);
        for (&subscript, dim) in access.subscripts.iter().zip(&access.view.dims) {
            let step = self.lane_step(subscript)?;
            let bytes = self.mul(&step, &dim.stride);
            distance = self.add(&distance, &bytes);
        }
        Some(distance)
    }
}

/// Says whether an instruction of the target gathers or scatters elements as well as can be.
fn is_by_instruction(target: &Target, bytes: usize, stores: bool) -> bool {
    match stores {
        true => target.scatter.has(bytes),
        false => target.gather.has(bytes) && !SLOW_TO_GATHER.contains(&&*target.cpu),
    }
}
