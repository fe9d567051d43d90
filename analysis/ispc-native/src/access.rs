//! Addresses, and what is loaded and stored at them.
//!
//! Lanes whose cells are neighbours load and store one vector, masked unless all are on; lanes of one cell load it once, and of those that
//! store to it the highest one does; all others gather and scatter. Code runs only where some lane is on.

use ispc_ir::module::{GangInst, GangReg};
use ispc_ir::op::{GangOp, TwoOperands};
use ispc_ir::types::{GangType, NumberType};

use crate::arithmetic::mangled;
use crate::function::{Compiles, FunctionEmitter, Mask, element, vector};
use crate::value::{Address, LaneBytes, Operand, RegValue};

impl FunctionEmitter<'_> {
    // Addresses.

    /// The part of an address that all lanes share, as a pointer.
    pub(crate) fn pointer(&mut self, address: &Address) -> Operand {
        let base = match (&address.base, &address.moved) {
            (Some(base), Some(moved)) => self.set(format!("getelementptr i8, ptr {base}, i64 {moved}")),
            (Some(base), None) => base.clone(),
            (None, Some(moved)) => self.set(format!("inttoptr i64 {moved} to ptr")),
            (None, None) if address.constant == 0 => return "null".into(),
            (None, None) => return self.set(format!("inttoptr i64 {} to ptr", address.constant)),
        };
        match address.constant {
            0 => base,
            bytes => self.set(format!("getelementptr i8, ptr {base}, i64 {bytes}")),
        }
    }

    /// The part of an address that all lanes share, as a number.
    pub(crate) fn address_number(&mut self, address: &Address) -> Operand {
        let base = address.base.clone().map(|base| self.set(format!("ptrtoint ptr {base} to i64")));
        let shared = match (base, address.moved.clone()) {
            (Some(base), Some(moved)) => self.operation("add", "i64", &base, &moved),
            (Some(one), None) | (None, Some(one)) => one,
            (None, None) => return address.constant.to_string().into(),
        };
        match address.constant {
            0 => shared,
            bytes => self.operation("add", "i64", &shared, &bytes.to_string()),
        }
    }

    /// The address of each lane, as a vector of numbers.
    pub(crate) fn lane_addresses(&mut self, address: &Address) -> Operand {
        let ty = self.shaped("i64", true);
        let lanes = self.lane_bytes(&address.lanes);
        let is_moved = address.base.is_some() || address.moved.is_some() || address.constant != 0;
        let shared = if is_moved || lanes.is_none() {
            let number = self.address_number(address);
            Some(self.splat("i64", &number))
        } else {
            None
        };
        match (shared, lanes) {
            (Some(shared), Some(lanes)) => self.operation("add", &ty, &shared, &lanes),
            (Some(one), None) | (None, Some(one)) => one,
            (None, None) => "zeroinitializer".into(),
        }
    }

    /// The bytes of each lane; none if there are no more than those of all.
    fn lane_bytes(&mut self, lanes: &LaneBytes) -> Option<Operand> {
        match lanes {
            LaneBytes::Same => None,
            LaneBytes::Row(step) => {
                Some(vector((0..self.lanes).map(|lane| format!("i64 {}", step * i64::from(lane)))).into())
            }
            LaneBytes::Each { index, scale: 1 } => Some(index.clone()),
            LaneBytes::Each { index, scale } => {
                let (ty, scale) = (self.shaped("i64", true), self.constant("i64", scale, true));
                Some(self.operation("mul", &ty, index, &scale))
            }
        }
    }

    /// The pointers of lanes.
    pub(crate) fn lane_pointers(&mut self, address: &Address) -> Operand {
        let (pointers, numbers) = (self.shaped("ptr", true), self.shaped("i64", true));
        if address.base.is_none() {
            let all = self.lane_addresses(address);
            return self.set(format!("inttoptr {numbers} {all} to {pointers}"));
        }
        let base = self.pointer(address);
        match &address.lanes {
            LaneBytes::Same => self.splat("ptr", &base),
            LaneBytes::Each { index, scale } if *scale > 1 => {
                let element = match scale {
                    2 | 4 | 8 => format!("i{}", scale * 8),
                    bytes => format!("[{bytes} x i8]"),
                };
                self.set(format!("getelementptr {element}, ptr {base}, {numbers} {index}"))
            }
            lanes => {
                let bytes = self.lane_bytes(lanes).unwrap_or_else(|| "zeroinitializer".into());
                self.set(format!("getelementptr i8, ptr {base}, {numbers} {bytes}"))
            }
        }
    }

    /// The result of an op on two addresses, or on an address and bytes, if it is an address that keeps its parts.
    pub(crate) fn address_arithmetic(
        &mut self,
        op: TwoOperands,
        left: GangReg,
        right: GangReg,
        varies: bool,
    ) -> Option<Address> {
        let (one, other) = (self.address(left), self.address(right));
        match op {
            TwoOperands::Add => Some(self.address_sum(one, other)),
            TwoOperands::Sub if other.base.is_none() && !matches!(other.lanes, LaneBytes::Each { .. }) => {
                let other = self.address_times(&other, -1);
                Some(self.address_sum(one, other))
            }
            TwoOperands::Mul if one.base.is_none() && other.base.is_none() => {
                match (one.as_constant(), other.as_constant()) {
                    (_, Some(by)) => Some(self.address_times(&one, by)),
                    (Some(by), _) => Some(self.address_times(&other, by)),
                    _ => None,
                }
            }
            _ if varies => None,
            _ => None,
        }
    }

    fn address_times(&mut self, bytes: &Address, by: i64) -> Address {
        let moved = bytes.moved.clone().map(|moved| match by {
            1 => moved,
            _ => self.operation("mul", "i64", &moved, &by.to_string()),
        });
        let lanes = match &bytes.lanes {
            LaneBytes::Same => LaneBytes::Same,
            LaneBytes::Row(step) => LaneBytes::Row(step.wrapping_mul(by)),
            LaneBytes::Each { index, scale } => LaneBytes::Each { index: index.clone(), scale: scale.wrapping_mul(by) },
        };
        Address { base: None, moved, constant: bytes.constant.wrapping_mul(by), lanes, is_local: false }
    }

    fn address_sum(&mut self, one: Address, other: Address) -> Address {
        // Of two pointers one is a number of bytes.
        let (one, mut other) = if one.base.is_some() { (one, other) } else { (other, one) };
        if let (Some(_), Some(base)) = (&one.base, &other.base.take()) {
            let number = self.set(format!("ptrtoint ptr {base} to i64"));
            other.moved = Some(match &other.moved {
                Some(moved) => self.operation("add", "i64", &number, &moved.clone()),
                None => number,
            });
        }
        let moved = match (one.moved.clone(), other.moved.clone()) {
            (Some(one), Some(other)) => Some(self.operation("add", "i64", &one, &other)),
            (one, other) => one.or(other),
        };
        let lanes = self.lane_sum(&one.lanes, &other.lanes);
        let constant = one.constant.wrapping_add(other.constant);
        Address { base: one.base, moved, constant, lanes, is_local: one.is_local }
    }

    fn lane_sum(&mut self, one: &LaneBytes, other: &LaneBytes) -> LaneBytes {
        match (one, other) {
            (LaneBytes::Same, lanes) | (lanes, LaneBytes::Same) => lanes.clone(),
            (LaneBytes::Row(one), LaneBytes::Row(other)) => match one.wrapping_add(*other) {
                0 => LaneBytes::Same,
                step => LaneBytes::Row(step),
            },
            _ => {
                let zero: Operand = "zeroinitializer".into();
                let one = self.lane_bytes(one).unwrap_or_else(|| zero.clone());
                let other = self.lane_bytes(other).unwrap_or(zero);
                let ty = self.shaped("i64", true);
                LaneBytes::Each { index: self.operation("add", &ty, &one, &other), scale: 1 }
            }
        }
    }

    // Numbers in memory.

    /// Writes a load or store; false for any other op.
    pub(crate) fn memory_op(&mut self, inst: &GangInst) -> Compiles<bool> {
        match &inst.op {
            GangOp::Load(address) => self.load(inst.results[0], *address),
            GangOp::Store { address, value } => self.store(*address, *value),
            _ => return self.memory_call(inst),
        }
        Ok(true)
    }

    fn load(&mut self, to: GangReg, from: GangReg) {
        let ty = self.type_of(to);
        if let Some(value) = self.uses.cell(from).and_then(|cell| self.remembered(cell, ty)) {
            return self.set_value(to, value);
        }
        let (address, each) = (self.address(from), self.type_of(from).is_varying);
        let value = match (each, ty.is_varying) {
            (false, false) => self.load_one(&address, ty.number),
            // All lanes of a variable have cells.
            (false, true) => self.load_vector(&address, ty.number, &Mask::All),
            (true, _) => self.load_each(&address, ty.number),
        };
        self.set_value(to, value);
    }

    /// The type in memory, and the alignment.
    pub(crate) fn in_memory(&self, number: NumberType) -> (&'static str, u64) {
        let ty = if number == NumberType::Bool { "i8" } else { element(number) };
        (ty, number.bytes())
    }

    fn load_one(&mut self, address: &Address, number: NumberType) -> RegValue {
        let place = self.pointer(address);
        let (ty, align) = self.in_memory(number);
        let ty = if number == NumberType::Pointer { "ptr" } else { ty };
        let value = self.set(format!("load {ty}, ptr {place}, align {align}"));
        RegValue::Plain(match number {
            NumberType::Bool => self.set(format!("icmp ne i8 {value}, 0")),
            _ => value,
        })
    }

    fn load_vector(&mut self, address: &Address, number: NumberType, mask: &Mask) -> RegValue {
        let place = self.pointer(address);
        let (one, align) = self.in_memory(number);
        let ty = self.shaped(one, true);
        let value = match mask {
            Mask::All => self.set(format!("load {ty}, ptr {place}, align {align}")),
            Mask::Some(mask) => {
                let (masks, mask) = (self.mask_type(), self.truths(mask));
                let name = format!("llvm.masked.load.{}.p0", mangled(&ty));
                let align = align.to_string();
                let args = [("ptr", &*place), ("i32", &*align), (&*masks, &*mask), (&*ty, "zeroinitializer")];
                self.call(&ty, &name, &args)
            }
        };
        self.loaded(value, number)
    }

    /// A vector of memory as one of registers.
    fn loaded(&mut self, value: Operand, number: NumberType) -> RegValue {
        let bytes = self.shaped("i8", true);
        RegValue::Plain(match number {
            NumberType::Bool => self.set(format!("icmp ne {bytes} {value}, zeroinitializer")),
            _ => value,
        })
    }

    fn load_each(&mut self, address: &Address, number: NumberType) -> RegValue {
        let mask = self.mask.clone();
        match address.lanes {
            LaneBytes::Same => {
                let RegValue::Plain(one) = self.load_one(address, number) else {
                    return RegValue::Plain("zeroinitializer".into());
                };
                let one = match number {
                    NumberType::Pointer => self.set(format!("ptrtoint ptr {one} to i64")),
                    _ => one,
                };
                RegValue::Plain(self.splat(element(number), &one))
            }
            LaneBytes::Row(step) if step == number.bytes() as i64 => self.load_vector(address, number, &mask),
            _ => {
                if let LaneBytes::Row(step) = address.lanes
                    && let Some(value) = self.load_strided(address, number, step)
                {
                    return self.loaded(value, number);
                }
                let places = self.lane_pointers(address);
                let (one, align) = self.in_memory(number);
                let (ty, pointers, masks) = (self.shaped(one, true), self.shaped("ptr", true), self.mask_type());
                let mask = self.mask_vector();
                let name = format!("llvm.masked.gather.{}.v{}p0", mangled(&ty), self.lanes);
                let align = align.to_string();
                let args = [(&*pointers, &*places), ("i32", &*align), (&*masks, &*mask), (&*ty, "zeroinitializer")];
                let value = self.call(&ty, &name, &args);
                self.loaded(value, number)
            }
        }
    }

    fn store(&mut self, to: GangReg, value: GangReg) {
        let GangType { number, is_varying } = self.type_of(value);
        let (address, each) = (self.address(to), self.type_of(to).is_varying);
        if let Some(cell) = self.uses.cell(to) {
            self.remember(cell, value);
        }
        if !is_varying {
            let plain = self.plain(value);
            return self.store_one(&address, number, &plain);
        }
        let mask = self.mask.clone();
        let plain = self.plain(value);
        let (one, _) = self.in_memory(number);
        let ty = self.shaped(one, true);
        let stored = match number {
            NumberType::Bool => {
                let truths = self.mask_type();
                self.set(format!("zext {truths} {plain} to {ty}"))
            }
            _ => plain,
        };
        match (each, &address.lanes) {
            (false, _) => self.store_vector(&address, number, &stored, &mask),
            (true, LaneBytes::Row(step)) if *step == number.bytes() as i64 => {
                self.store_vector(&address, number, &stored, &mask);
            }
            (true, LaneBytes::Same) => {
                let lane: Operand = match mask {
                    Mask::All => (self.lanes - 1).to_string().into(),
                    Mask::Some(mask) => {
                        let bits = self.wide_bits(&mask);
                        let zeros = self.call("i64", "llvm.ctlz.i64", &[("i64", &bits), ("i1", "true")]);
                        self.operation("sub", "i64", "63", &zeros)
                    }
                };
                let last = self.set(format!("extractelement {ty} {stored}, i64 {lane}"));
                let place = self.pointer(&address);
                let align = number.bytes();
                self.line(format!("store {one} {last}, ptr {place}, align {align}"));
            }
            (true, LaneBytes::Row(step)) if self.store_strided(&address, number, one, &stored, *step) => {}
            (true, _) => self.scatter(&address, one, number.bytes() as i64, &stored),
        }
    }

    /// Puts a uniform number to an address.
    pub(crate) fn store_one(&mut self, address: &Address, number: NumberType, value: &str) {
        let place = self.pointer(address);
        let (ty, align) = self.in_memory(number);
        let (ty, value): (&str, Operand) = match number {
            NumberType::Bool => (ty, self.set(format!("zext i1 {value} to i8"))),
            NumberType::Pointer => ("ptr", value.into()),
            _ => (ty, value.into()),
        };
        self.line(format!("store {ty} {value}, ptr {place}, align {align}"));
    }

    fn store_vector(&mut self, address: &Address, number: NumberType, value: &str, mask: &Mask) {
        let place = self.pointer(address);
        let (one, align) = self.in_memory(number);
        let ty = self.shaped(one, true);
        let Mask::Some(mask) = mask else {
            return self.line(format!("store {ty} {value}, ptr {place}, align {align}"));
        };
        let (masks, mask) = (self.mask_type(), self.truths(mask));
        if address.is_local && matches!(address.lanes, LaneBytes::Same) {
            // Nobody else sees the other lanes' cells meanwhile.
            let before = self.set(format!("load {ty}, ptr {place}, align {align}"));
            let value = self.set(format!("select {masks} {mask}, {ty} {value}, {ty} {before}"));
            return self.line(format!("store {ty} {value}, ptr {place}, align {align}"));
        }
        let name = format!("llvm.masked.store.{}.p0", mangled(&ty));
        let align = align.to_string();
        self.call("void", &name, &[(&ty, value), ("ptr", &place), ("i32", &align), (&masks, &mask)]);
    }
}
