//! Ops that are no statements.

use super::frame::{CallFrame, fault_at};
use super::memory::function_address;
use super::number::{changed, compare, converted, fused, joining, neutral, one, two, wide};
use super::{GangFault, GangMachine, LaneCollision, MOST_COLLISIONS};
use crate::module::{GangInst, GangReg};
use crate::op::{AtomicChange, GangOp, LaneJoin, PrintedPart, TaskNumber, TwoOperands};
use crate::types::{GangType, NumberType};

impl<'m> GangMachine<'m> {
    pub(super) fn plain(&mut self, frame: &mut CallFrame<'m>, inst: &'m GangInst) -> Result<(), GangFault> {
        if let Some(result) = inst.results.first().copied()
            && self.computed(frame, inst, result)?
        {
            return Ok(());
        }
        match &inst.op {
            GangOp::Store { address, value } => self.store(frame, inst, *address, *value),
            GangOp::CopyBytes { to, from, count } => self.each_on(frame, inst, *to, |machine, frame, lane| {
                let count = frame.number(*count, lane);
                machine.memory.copy(frame.number(*to, lane), frame.number(*from, lane), count)
            }),
            GangOp::SetBytes { to, value, count } => self.each_on(frame, inst, *to, |machine, frame, lane| {
                let (value, count) = (frame.number(*value, lane) as u8, frame.number(*count, lane));
                machine.memory.fill(frame.number(*to, lane), value, count)
            }),
            GangOp::Free(address) => self.each_on(frame, inst, *address, |machine, frame, lane| {
                machine.memory.free(frame.number(*address, lane))
            }),
            GangOp::Print(parts) => {
                self.print(frame, parts);
                Ok(())
            }
            GangOp::Assert(holds, message) => match frame.mask & !frame.lanes_where(*holds) {
                0 => Ok(()),
                lanes => Err(fault_at(frame, inst, &format!("asserts `{message}`, which does not hold"), lanes)),
            },
            _ => Ok(()),
        }
    }

    /// Runs an op that sets a register; false for any other.
    fn computed(&mut self, frame: &mut CallFrame<'m>, inst: &'m GangInst, to: GangReg) -> Result<bool, GangFault> {
        Ok(self.named_value(frame, inst, to)
            || self.arithmetic(frame, inst, to)?
            || self.of_lanes(frame, inst, to)?
            || self.of_memory(frame, inst, to)?)
    }

    /// Constants, addresses, and what lanes know of themselves.
    fn named_value(&mut self, frame: &mut CallFrame<'m>, inst: &GangInst, to: GangReg) -> bool {
        match &inst.op {
            GangOp::Constant(bits) => frame.set_each(to, |_, _| *bits),
            GangOp::Global(global) => frame.set(to, 0, self.globals[global.0 as usize]),
            GangOp::Slot(slot) => frame.set(to, 0, frame.slots[slot.0 as usize]),
            GangOp::Function(index) => frame.set(to, 0, function_address(*index)),
            GangOp::LaneIndex => frame.set_each(to, |_, lane| lane as u64),
            GangOp::ActiveLanes => {
                let mask = frame.mask;
                frame.set_each(to, |_, lane| mask >> lane & 1);
            }
            GangOp::Task(number) => frame.set(to, 0, self.task_number(*number)),
            GangOp::Clock => frame.set(to, 0, self.ticks),
            _ => return false,
        }
        true
    }

    fn arithmetic(&mut self, frame: &mut CallFrame<'m>, inst: &GangInst, to: GangReg) -> Result<bool, GangFault> {
        let ty = frame.ty(to).number;
        match &inst.op {
            GangOp::One(op, value) => {
                let of = frame.ty(*value).number;
                frame.set_each(to, |frame, lane| one(*op, of, frame.number(*value, lane)));
            }
            GangOp::Two(op, left, right) => self.two_operands(frame, inst, to, (*op, *left, *right))?,
            GangOp::Compare(relation, left, right) => {
                let of = frame.ty(*left).number;
                frame.set_each(to, |frame, lane| {
                    compare(*relation, of, frame.number(*left, lane), frame.number(*right, lane)).into()
                });
            }
            GangOp::Select(test, yes, no) => frame.set_each(to, |frame, lane| {
                frame.number(if frame.number(*test, lane) != 0 { *yes } else { *no }, lane)
            }),
            GangOp::Fused(a, b, c) => frame.set_each(to, |frame, lane| {
                fused(ty, frame.number(*a, lane), frame.number(*b, lane), frame.number(*c, lane))
            }),
            GangOp::Convert(value) => {
                let from = frame.ty(*value).number;
                frame.set_each(to, |frame, lane| converted(frame.number(*value, lane), from, ty));
            }
            GangOp::Reinterpret(value) | GangOp::Spread(value) => {
                frame.set_each(to, |frame, lane| frame.number(*value, lane));
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn of_lanes(&mut self, frame: &mut CallFrame<'m>, inst: &GangInst, to: GangReg) -> Result<bool, GangFault> {
        let ty = frame.ty(to).number;
        match &inst.op {
            GangOp::Extract(value, lane) => {
                let at = self.lane_of(frame, inst, frame.uniform(*lane))?;
                frame.set(to, 0, frame.number(*value, at));
            }
            GangOp::Insert(value, lane, number) => {
                let at = self.lane_of(frame, inst, frame.uniform(*lane))?;
                frame.set_each(
                    to,
                    |frame, lane| if lane == at { frame.uniform(*number) } else { frame.number(*value, lane) },
                );
            }
            GangOp::Shuffle(values, by) => {
                let lanes = self.module.lanes as usize;
                let all: Vec<u64> = values.iter().flat_map(|value| frame.numbers(*value).to_vec()).collect();
                let n = lanes * values.len();
                frame.set_each(to, |frame, lane| all[frame.number(*by, lane) as usize % n]);
            }
            GangOp::Reduce(join, value) => {
                let found = self.reduced(frame, *join, *value, ty);
                frame.set(to, 0, found);
            }
            GangOp::Scan(join, value) => {
                let mut sum = neutral(*join, ty);
                for lane in 0..self.module.lanes as usize {
                    if frame.mask >> lane & 1 == 1 {
                        frame.set(to, lane, sum);
                        sum = two(joining(*join), ty, sum, frame.number(*value, lane)).unwrap_or(sum);
                    }
                }
            }
            GangOp::ReduceEqual(value) => {
                let numbers: Vec<u64> = self.on(frame).map(|lane| frame.number(*value, lane)).collect();
                let of = frame.ty(*value).number;
                let is_same = |number: &u64| compare(crate::op::GangComparison::Equal, of, *number, numbers[0]);
                frame.set(to, 0, numbers.iter().all(is_same).into());
                if let Some(second) = inst.results.get(1) {
                    frame.set(*second, 0, numbers[0]);
                }
            }
            GangOp::PackBits(value) => frame.set(to, 0, frame.lanes_where(*value)),
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn of_memory(&mut self, frame: &mut CallFrame<'m>, inst: &GangInst, to: GangReg) -> Result<bool, GangFault> {
        let ty = frame.ty(to).number;
        match &inst.op {
            GangOp::Load(address) => self.load(frame, inst, to, *address)?,
            GangOp::PackedStore { address, value } => {
                let of = frame.ty(*value).number;
                let mut next = frame.uniform(*address);
                let mut count = 0;
                for lane in self.on(frame).collect::<Vec<_>>() {
                    let number = frame.number(*value, lane);
                    self.memory.write(next, of, number).map_err(|why| fault_at(frame, inst, &why, 1 << lane))?;
                    next += of.bytes();
                    count += 1;
                }
                frame.set(to, 0, count);
            }
            GangOp::PackedLoad { address, before } => {
                let mut next = frame.uniform(*address);
                let mut count = 0;
                frame.set_each(to, |frame, lane| frame.number(*before, lane));
                for lane in self.on(frame).collect::<Vec<_>>() {
                    let number = self.memory.read(next, ty).map_err(|why| fault_at(frame, inst, &why, 1 << lane))?;
                    frame.set(to, lane, number);
                    next += ty.bytes();
                    count += 1;
                }
                if let Some(second) = inst.results.get(1) {
                    frame.set(*second, 0, count);
                }
            }
            GangOp::Allocate(count) => {
                let is_each = frame.ty(to).is_varying;
                for lane in 0..frame.numbers(to).len() {
                    if !is_each || frame.mask >> lane & 1 == 1 {
                        let count = frame.number(*count, lane);
                        let found = self.memory.allocate_new(count).map_err(|why| fault_at(frame, inst, &why, 0))?;
                        frame.set(to, lane, found);
                    }
                }
            }
            GangOp::AllocateLocal(count) => {
                let found = self.memory.allocate("memory of `alloca`", frame.uniform(*count));
                let found = found.map_err(|why| fault_at(frame, inst, &why, 0))?;
                frame.locals.push(found);
                frame.set(to, 0, found);
            }
            GangOp::Atomic { change, address, value, compared } => {
                self.atomic(frame, inst, to, *change, [*address, *value, compared.unwrap_or(*value)])?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn two_operands(
        &self,
        frame: &mut CallFrame<'m>,
        inst: &GangInst,
        to: GangReg,
        (op, left, right): (TwoOperands, GangReg, GangReg),
    ) -> Result<(), GangFault> {
        let ty = frame.ty(to).number;
        let n = frame.numbers(to).len();
        let mut failing = (0u64, "");
        for lane in 0..n {
            match two(op, ty, frame.number(left, lane), frame.number(right, lane)) {
                Ok(number) => frame.set(to, lane, number),
                Err(why) if n == 1 || frame.mask >> lane & 1 == 1 => failing = (failing.0 | 1 << lane, why),
                Err(_) => frame.set(to, lane, 0),
            }
        }
        if !failing.1.is_empty() {
            return Err(fault_at(frame, inst, failing.1, if n == 1 { 0 } else { failing.0 }));
        }
        Ok(())
    }

    /// The lanes that are on.
    fn on(&self, frame: &CallFrame<'m>) -> impl Iterator<Item = usize> + use<'m> {
        let (mask, lanes) = (frame.mask, self.module.lanes as usize);
        (0..lanes).filter(move |lane| mask >> lane & 1 == 1)
    }

    fn lane_of(&self, frame: &CallFrame<'m>, inst: &GangInst, number: u64) -> Result<usize, GangFault> {
        let lane = number as u32 as i32;
        match u32::try_from(lane).ok().filter(|lane| *lane < self.module.lanes) {
            Some(lane) => Ok(lane as usize),
            None => Err(fault_at(frame, inst, &format!("asks for lane {lane} of {}", self.module.lanes), 0)),
        }
    }

    /// Joined in a tree, as a vector unit does: halves are joined with each other.
    fn reduced(&self, frame: &CallFrame<'m>, join: LaneJoin, value: GangReg, ty: NumberType) -> u64 {
        let of = |lane: usize| match frame.mask >> lane & 1 {
            1 => frame.number(value, lane),
            _ => neutral(join, ty),
        };
        let lanes = self.module.lanes as usize;
        let mut parts: Vec<u64> = (0..lanes).map(of).collect();
        while parts.len() > 1 {
            let half = parts.len().div_ceil(2);
            for lane in half..parts.len() {
                parts[lane - half] = two(joining(join), ty, parts[lane - half], parts[lane]).unwrap_or_default();
            }
            parts.truncate(half);
        }
        parts[0]
    }

    fn task_number(&self, number: TaskNumber) -> u64 {
        let (index, count) = self.task;
        match number {
            TaskNumber::Index => index[0] + count[0] * (index[1] + count[1] * index[2]),
            TaskNumber::Count => count[0] * count[1] * count[2],
            TaskNumber::IndexIn(dimension) => index[usize::from(dimension)],
            TaskNumber::CountIn(dimension) => count[usize::from(dimension)],
            TaskNumber::Thread => 0,
            TaskNumber::Threads => 1,
        }
    }

    /// Runs something once, or for each lane that is on if an address varies.
    fn each_on(
        &mut self,
        frame: &mut CallFrame<'m>,
        inst: &GangInst,
        address: GangReg,
        run: impl Fn(&mut Self, &CallFrame<'m>, usize) -> Result<(), String>,
    ) -> Result<(), GangFault> {
        if !frame.ty(address).is_varying {
            return run(self, frame, 0).map_err(|why| fault_at(frame, inst, &why, 0));
        }
        for lane in self.on(frame) {
            run(self, frame, lane).map_err(|why| fault_at(frame, inst, &why, 1 << lane))?;
        }
        Ok(())
    }

    fn load(
        &mut self,
        frame: &mut CallFrame<'m>,
        inst: &GangInst,
        to: GangReg,
        address: GangReg,
    ) -> Result<(), GangFault> {
        let GangType { number, is_varying } = frame.ty(to);
        if !frame.ty(address).is_varying {
            let first = frame.uniform(address);
            let n = if is_varying { self.module.lanes } else { 1 };
            for lane in 0..n {
                let at = first.wrapping_add(u64::from(lane) * number.bytes());
                match self.memory.read(at, number) {
                    Ok(bits) => frame.set(to, lane as usize, bits),
                    Err(_) if is_varying && frame.mask >> lane & 1 == 0 => frame.set(to, lane as usize, 0),
                    Err(why) => return Err(fault_at(frame, inst, &why, if is_varying { 1 << lane } else { 0 })),
                }
            }
            return Ok(());
        }
        let (mut failing, mut why) = (0, String::new());
        for lane in self.on(frame) {
            match self.memory.read(frame.number(address, lane), number) {
                Ok(bits) => frame.set(to, lane, bits),
                Err(message) => (failing, why) = (failing | 1 << lane, if why.is_empty() { message } else { why }),
            }
        }
        if failing == 0 { Ok(()) } else { Err(fault_at(frame, inst, &why, failing)) }
    }

    fn store(
        &mut self,
        frame: &mut CallFrame<'m>,
        inst: &GangInst,
        address: GangReg,
        value: GangReg,
    ) -> Result<(), GangFault> {
        let GangType { number, is_varying } = frame.ty(value);
        let address_varies = frame.ty(address).is_varying;
        if !address_varies && !is_varying {
            let (at, bits) = (frame.uniform(address), frame.uniform(value));
            return self.memory.write(at, number, bits).map_err(|why| fault_at(frame, inst, &why, 0));
        }
        if address_varies {
            self.note_collision(frame, inst, address, value);
        }
        let (mut failing, mut why) = (0, String::new());
        for lane in self.on(frame) {
            let at = match address_varies {
                true => frame.number(address, lane),
                false => frame.uniform(address).wrapping_add(lane as u64 * number.bytes()),
            };
            if let Err(message) = self.memory.write(at, number, frame.number(value, lane)) {
                (failing, why) = (failing | 1 << lane, if why.is_empty() { message } else { why });
            }
        }
        if failing == 0 { Ok(()) } else { Err(fault_at(frame, inst, &why, failing)) }
    }

    /// Notes lanes that store different numbers to one cell.
    fn note_collision(&mut self, frame: &CallFrame<'m>, inst: &GangInst, address: GangReg, value: GangReg) {
        let lanes: Vec<usize> = self.on(frame).collect();
        let mut met = 0;
        for (nth, lane) in lanes.iter().enumerate() {
            let meets = |other: &&usize| {
                frame.number(address, **other) == frame.number(address, *lane)
                    && frame.number(value, **other) != frame.number(value, *lane)
            };
            if let Some(other) = lanes[nth + 1..].iter().find(meets) {
                met |= 1 << lane | 1 << other;
            }
        }
        let is_known = |it: &LaneCollision| it.place == inst.place && it.function == frame.function.name;
        if met != 0 && self.collisions.len() < MOST_COLLISIONS && !self.collisions.iter().any(is_known) {
            let (place, function) = (inst.place, frame.function.name.clone());
            self.collisions.push(LaneCollision { place, function, lanes: met });
        }
    }

    fn atomic(
        &mut self,
        frame: &mut CallFrame<'m>,
        inst: &GangInst,
        to: GangReg,
        change: AtomicChange,
        [address, value, compared]: [GangReg; 3],
    ) -> Result<(), GangFault> {
        let GangType { number, is_varying } = frame.ty(to);
        let lanes: Vec<usize> = if is_varying { self.on(frame).collect() } else { vec![0] };
        for lane in lanes {
            let at = frame.number(address, lane);
            let fault = |why: String| fault_at(frame, inst, &why, if is_varying { 1 << lane } else { 0 });
            let old = self.memory.read(at, number).map_err(fault)?;
            let new = changed(change, number, old, frame.number(value, lane), frame.number(compared, lane));
            self.memory.write(at, number, new).map_err(fault)?;
            frame.set(to, lane, old);
        }
        Ok(())
    }

    fn print(&mut self, frame: &CallFrame<'m>, parts: &[PrintedPart]) {
        for part in parts {
            match part {
                PrintedPart::Text(text) => self.printed += text,
                PrintedPart::Value(reg) => {
                    let GangType { number, is_varying } = frame.ty(*reg);
                    if !is_varying {
                        self.printed += &shown(frame.uniform(*reg), number);
                        continue;
                    }
                    let lane_text = |lane: usize| match (frame.mask >> lane & 1, number) {
                        (1, _) => shown(frame.number(*reg, lane), number),
                        (_, NumberType::Bool) => "_________".to_owned(),
                        _ => format!("(({}))", shown(frame.number(*reg, lane), number)),
                    };
                    let all: Vec<String> = (0..self.module.lanes as usize).map(lane_text).collect();
                    self.printed += &format!("[{}]", all.join(","));
                }
            }
        }
    }
}

/// A number as `print` shows it.
fn shown(bits: u64, ty: NumberType) -> String {
    match ty {
        NumberType::Bool => (if bits != 0 { "true" } else { "false" }).to_owned(),
        NumberType::Pointer => format!("{bits:#x}"),
        _ if ty.is_float() => {
            let value = wide(bits, ty);
            match value.is_nan() {
                true if value.is_sign_negative() => "-nan".to_owned(),
                true => "nan".to_owned(),
                false => format!("{value:.6}"),
            }
        }
        _ => super::number::whole(bits, ty).to_string(),
    }
}
