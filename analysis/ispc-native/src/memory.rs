//! Other ops of memory: packed cells, copies, `new` and `delete`, atomics.

use ispc_ir::module::{GangInst, GangReg};
use ispc_ir::op::{AtomicChange, GangOp};
use ispc_ir::types::{GangType, NumberType};

use crate::arithmetic::mangled;
use crate::function::{Compiles, FunctionEmitter, element};
use crate::value::{Address, Operand, RegValue};

impl FunctionEmitter<'_> {
    /// Writes an op of memory that is no load or store; false for any other.
    pub(crate) fn memory_call(&mut self, inst: &GangInst) -> Compiles<bool> {
        if matches!(inst.op, GangOp::Free(_)) {
            self.touched.clear();
        }
        match &inst.op {
            GangOp::PackedStore { address, value } => self.packed_store(inst.results[0], *address, *value),
            GangOp::PackedLoad { address, before } => self.packed_load(&inst.results, *address, *before),
            GangOp::CopyBytes { to, from, count } => {
                let regs = [*to, *from, *count];
                self.each_or_once(regs, |emitter, [to, from, count]| {
                    let args = [("ptr", to), ("ptr", from), ("i64", count), ("i1", "false")];
                    emitter.call("void", "llvm.memmove.p0.p0.i64", &args);
                })?;
            }
            GangOp::SetBytes { to, value, count } => {
                let wide = self.type_of(*value).number;
                let regs = [*to, *value, *count];
                self.each_or_once(regs, |emitter, [to, value, count]| {
                    let byte = match wide.bits() {
                        8 => value.into(),
                        _ => emitter.set(format!("trunc {} {value} to i8", element(wide))),
                    };
                    let args = [("ptr", to), ("i8", &*byte), ("i64", count), ("i1", "false")];
                    emitter.call("void", "llvm.memset.p0.i64", &args);
                })?;
            }
            GangOp::Free(address) => {
                self.each_or_once([*address], |emitter, [address]| {
                    emitter.call("void", "free", &[("ptr", address)]);
                })?;
            }
            GangOp::Allocate(count) => self.allocate_new(inst.results[0], *count)?,
            GangOp::AllocateLocal(count) => {
                let count = self.wide_number(*count);
                let found = self.set(format!("alloca i8, i64 {count}, align 64"));
                self.set_plain(inst.results[0], found);
            }
            GangOp::Atomic { change, address, value, compared } => {
                self.atomic(inst.results[0], *change, [*address, *value, compared.unwrap_or(*value)])?;
            }
            GangOp::Clock => {
                let now = self.call("i64", "llvm.readcyclecounter", &[]);
                self.set_plain(inst.results[0], now);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// A whole number without its sign, as one of 64 bits.
    fn wide_number(&mut self, reg: GangReg) -> Operand {
        let ty = self.type_of(reg);
        let value = self.numbers_of(reg);
        self.wide(&value, ty.number)
    }

    fn wide(&mut self, value: &str, number: NumberType) -> Operand {
        match number.bits() {
            64 => value.into(),
            _ => self.set(format!("zext {} {value} to i64", element(number))),
        }
    }

    /// Runs something once, or for each lane that is on if a register varies. Addresses are given as pointers, numbers of memory as 64
    /// bits.
    fn each_or_once<const N: usize>(&mut self, regs: [GangReg; N], run: impl FnOnce(&mut Self, [&str; N])) -> Compiles {
        let types = regs.map(|reg| self.type_of(reg));
        if !types[0].is_varying {
            let values = regs.map(|reg| self.plain(reg));
            run(self, std::array::from_fn(|nth| &*values[nth]));
            return Ok(());
        }
        let values = regs.map(|reg| self.plain(reg));
        self.each_on(|emitter, lane| {
            let mut nth = 0;
            let values = values.map(|value| {
                let ty = types[nth];
                nth += 1;
                emitter.of_lane(&value, ty, lane)
            });
            run(emitter, std::array::from_fn(|nth| &*values[nth]));
            Ok(())
        })
    }

    /// The number of a lane.
    pub(crate) fn of_lane(&mut self, value: &str, ty: GangType, lane: &str) -> Operand {
        if !ty.is_varying {
            return value.into();
        }
        let vector = self.shaped(element(ty.number), true);
        let one = self.set(format!("extractelement {vector} {value}, i64 {lane}"));
        match ty.number {
            NumberType::Pointer => self.set(format!("inttoptr i64 {one} to ptr")),
            _ => one,
        }
    }

    fn n_on(&mut self, to: GangReg) -> Operand {
        let mask = self.mask_vector();
        let (bits, lanes) = (self.lane_bits(&mask), self.lanes);
        let count = self.intrinsic("ctpop", &format!("i{lanes}"), &[&bits]);
        let width = self.type_of(to).number.bits();
        match width.cmp(&lanes) {
            std::cmp::Ordering::Equal => count,
            std::cmp::Ordering::Less => self.set(format!("trunc i{lanes} {count} to i{width}")),
            std::cmp::Ordering::Greater => self.set(format!("zext i{lanes} {count} to i{width}")),
        }
    }

    fn packed_store(&mut self, to: GangReg, address: GangReg, value: GangReg) {
        let number = self.type_of(value).number;
        let address = self.address(address);
        let place = self.pointer(&address);
        let (mut plain, masks, mask) = (self.plain(value), self.mask_type(), self.mask_vector());
        let mut ty = self.shaped(element(number), true);
        if number == NumberType::Bool {
            ty = self.shaped("i8", true);
            plain = self.set(format!("zext {masks} {plain} to {ty}"));
        }
        let name = format!("llvm.masked.compressstore.{}", mangled(&ty));
        let align = format!("ptr align {}", number.bytes());
        self.parts.declare("void", &name, &format!("{ty}, ptr, {masks}"));
        self.line(format!("call void @{name}({ty} {plain}, {align} {place}, {masks} {mask})"));
        let count = self.n_on(to);
        self.set_plain(to, count);
    }

    fn packed_load(&mut self, results: &[GangReg], address: GangReg, before: GangReg) {
        let number = self.type_of(results[0]).number;
        let address = self.address(address);
        let place = self.pointer(&address);
        let (mut before, masks, mask) = (self.plain(before), self.mask_type(), self.mask_vector());
        let mut ty = self.shaped(element(number), true);
        if number == NumberType::Bool {
            ty = self.shaped("i8", true);
            before = self.set(format!("zext {masks} {before} to {ty}"));
        }
        let name = format!("llvm.masked.expandload.{}", mangled(&ty));
        let align = format!("ptr align {}", number.bytes());
        self.parts.declare(&ty, &name, &format!("ptr, {masks}, {ty}"));
        let mut value = self.set(format!("call {ty} @{name}({align} {place}, {masks} {mask}, {ty} {before})"));
        if number == NumberType::Bool {
            value = self.set(format!("icmp ne {ty} {value}, zeroinitializer"));
        }
        self.set_plain(results[0], value);
        if let Some(second) = results.get(1) {
            let count = self.n_on(*second);
            self.set_plain(*second, count);
        }
    }

    fn allocate_new(&mut self, to: GangReg, count: GangReg) -> Compiles {
        let ty = self.type_of(count);
        if !self.type_of(to).is_varying {
            let count = self.wide_number(count);
            let found = self.call("ptr", "malloc", &[("i64", &count)]);
            self.set_value(to, RegValue::Address(Address::of(found)));
            return Ok(());
        }
        let vector = self.shaped("i64", true);
        let counts = self.plain(count);
        let memory = self.allocate(&vector);
        self.line(format!("store {vector} zeroinitializer, ptr {memory}"));
        self.each_on(|emitter, lane| {
            let one = emitter.of_lane(&counts, ty, lane);
            let one = match ty.number {
                NumberType::Pointer if ty.is_varying => emitter.set(format!("ptrtoint ptr {one} to i64")),
                number => emitter.wide(&one, number),
            };
            let found = emitter.call("ptr", "malloc", &[("i64", &one)]);
            let found = emitter.set(format!("ptrtoint ptr {found} to i64"));
            let place = emitter.set(format!("getelementptr i64, ptr {memory}, i64 {lane}"));
            emitter.line(format!("store i64 {found}, ptr {place}"));
            Ok(())
        })?;
        let found = self.set(format!("load {vector}, ptr {memory}"));
        self.set_plain(to, found);
        Ok(())
    }

    fn atomic(&mut self, to: GangReg, change: AtomicChange, regs: [GangReg; 3]) -> Compiles {
        let GangType { number, is_varying } = self.type_of(to);
        let types = regs.map(|reg| self.type_of(reg));
        let values = regs.map(|reg| self.plain(reg));
        if !is_varying {
            let [address, value, compared] = &values;
            let old = self.changed(change, number, address, value, compared);
            self.set_plain(to, old);
            return Ok(());
        }
        // Lanes change cells in their order.
        let stored = if number == NumberType::Bool { "i8" } else { element(number) };
        let vector = self.shaped(stored, true);
        let memory = self.allocate(&vector);
        self.line(format!("store {vector} zeroinitializer, ptr {memory}"));
        self.each_on(|emitter, lane| {
            let mut nth = 0;
            let [address, value, compared] = values.map(|value| {
                nth += 1;
                emitter.of_lane(&value, types[nth - 1], lane)
            });
            let mut old = emitter.changed(change, number, &address, &value, &compared);
            match number {
                NumberType::Pointer => old = emitter.set(format!("ptrtoint ptr {old} to i64")),
                NumberType::Bool => old = emitter.set(format!("zext i1 {old} to i8")),
                _ => {}
            }
            let place = emitter.set(format!("getelementptr {stored}, ptr {memory}, i64 {lane}"));
            emitter.line(format!("store {stored} {old}, ptr {place}"));
            Ok(())
        })?;
        let mut all = self.set(format!("load {vector}, ptr {memory}"));
        if number == NumberType::Bool {
            all = self.set(format!("icmp ne {vector} {all}, zeroinitializer"));
        }
        self.set_plain(to, all);
        Ok(())
    }

    /// Changes a cell; what was there.
    fn changed(
        &mut self,
        change: AtomicChange,
        number: NumberType,
        address: &str,
        value: &str,
        compared: &str,
    ) -> Operand {
        let (own, is_float) = (element(number), matches!(number, NumberType::F32 | NumberType::F64));
        let own = if number == NumberType::Pointer { "ptr" } else { own };
        let word = match change {
            AtomicChange::Add if is_float => "fadd",
            AtomicChange::Sub if is_float => "fsub",
            AtomicChange::Min if is_float => "fmin",
            AtomicChange::Max if is_float => "fmax",
            AtomicChange::Add => "add",
            AtomicChange::Sub => "sub",
            AtomicChange::Min if number.is_signed() => "min",
            AtomicChange::Max if number.is_signed() => "max",
            AtomicChange::Min => "umin",
            AtomicChange::Max => "umax",
            AtomicChange::And => "and",
            AtomicChange::Or => "or",
            AtomicChange::Xor => "xor",
            AtomicChange::Swap => "xchg",
            AtomicChange::CompareExchange => {
                let whole = match number {
                    NumberType::Pointer => "ptr".to_owned(),
                    _ => format!("i{}", number.bits().max(8)),
                };
                let [value, compared] = [value, compared].map(|bits| self.bits_as(bits, own, &whole));
                let pair =
                    self.set(format!("cmpxchg ptr {address}, {whole} {compared}, {whole} {value} seq_cst seq_cst"));
                let old = self.set(format!("extractvalue {{ {whole}, i1 }} {pair}, 0"));
                return self.bits_as(&old, &whole, own);
            }
        };
        match number {
            NumberType::Bool => {
                let value = self.set(format!("zext i1 {value} to i8"));
                let old = self.set(format!("atomicrmw {word} ptr {address}, i8 {value} seq_cst"));
                self.set(format!("icmp ne i8 {old}, 0"))
            }
            _ => self.set(format!("atomicrmw {word} ptr {address}, {own} {value} seq_cst")),
        }
    }

    fn bits_as(&mut self, value: &str, from: &str, to: &str) -> Operand {
        match (from, to) {
            _ if from == to => value.into(),
            ("i1", _) => self.set(format!("zext i1 {value} to {to}")),
            (_, "i1") => self.set(format!("icmp ne {from} {value}, 0")),
            _ => self.set(format!("bitcast {from} {value} to {to}")),
        }
    }
}
