//! Elements picked out of vectors by numbers that are only known at run time: by the instruction that a target has for it, or
//! through the stack, as the op says. The words are those of [`ir::target::picks`].
//!
//! LLVM has no operation for this. It does know extractions by extracted numbers for what they are, but only while all of
//! them stand in one block, which numbers that do not change in a loop do not.

use ir::target::picks::{Kind, Pick, Picked};
use ir::{Attr, Elem, Op};

use super::NotEmitted;
use super::function::Function;
use super::values::{Ty, Unit, Val};

impl Function<'_> {
    /// The elements that an op picks out of a table, one for each number. No number is beyond the table.
    pub(super) fn picked(&mut self, op: Op, table: &Val, from: &Val) -> Result<Val, NotEmitted> {
        let picked = self.picked_by(op);
        let bits = 8 * picked.bytes;
        if table.ty.unit != Unit::Int(1) {
            return self.picked_out_of(op, picked, table, from);
        }
        let ty = table.ty.with(Unit::Int(bits));
        let table = self.make("whole", ty, format!("sext {table} to {ty}"));
        let all = self.picked_out_of(op, picked, &table, from)?;
        Ok(self.named(all.ty.with(Unit::Int(1)), format!("icmp slt {all}, zeroinitializer")))
    }

    /// The elements that an op picks by number.
    pub(super) fn picked_by(&self, op: Op) -> Picked {
        Picked::of(self.kernel, self.target, op).unwrap_or_else(|| panic!("{op} picks nothing"))
    }

    fn picked_out_of(&mut self, op: Op, picked: Picked, table: &Val, from: &Val) -> Result<Val, NotEmitted> {
        if self.kernel.ops[op].attr == Attr::InMemory {
            return Ok(self.picked_by_address(table, from));
        }
        let Some(pick) = picked.by_instruction(self.target) else {
            let what = format!("lanes that are picked by number, for which {} has no instruction", self.target.name);
            return Err(NotEmitted::new(self.kernel, op, &what));
        };
        let Picked { bytes, table: of, lanes } = picked;
        let ty = Ty { lanes: Some(lanes), ..table.ty };
        let per_element = bytes / pick.unit;
        let table = self.as_units(table, pick, of * per_element);
        let seen = pick.sees / pick.unit;
        let firsts = (0..of * per_element).step_by(seen.into());
        let parts: Vec<Vec<Val>> = firsts.map(|first| self.part(pick, &table, first)).collect();
        let from = self.resized(from, 8 * bytes);
        let numbers = self.numbers_of_units(pick, &from, lanes * per_element);
        let given = pick.gives / pick.unit;
        let firsts = (0..lanes * per_element).step_by(given.into());
        let all: Vec<Val> = firsts
            .map(|first| {
                let numbers = self.cut(&numbers, first, given);
                self.of_parts(pick, &parts, numbers)
            })
            .collect();
        let all = self.side_by_side(&all);
        let all = self.cut(&all, 0, lanes * per_element);
        Ok(self.named(ty, format!("bitcast {all} to {ty}")))
    }

    /// Picks through memory: the table is stored on the stack and gathered from there.
    fn picked_by_address(&mut self, table: &Val, from: &Val) -> Val {
        let elem = match table.ty.unit {
            Unit::Int(8) => Elem::U8,
            Unit::Int(16) | Unit::Half => Elem::U16,
            Unit::Int(32) => Elem::U32,
            Unit::Int(_) | Unit::Ptr => Elem::U64,
            Unit::Float => Elem::F32,
            Unit::Double => Elem::F64,
        };
        let (bytes, align) = (elem.bytes(), ir::scratch::ALIGN);
        let slot = format!("alloca [{} x i{}], align {align}", table.ty.lanes.unwrap_or(1), 8 * bytes);
        let slot = self.at_entry("slot", Ty::PTR, slot);
        self.line(format!("store {table}, {slot}, align {align}"));
        // An address takes a number for signed, and a byte numbers as many as 256 elements.
        let from = self.resized(from, 32);
        let at = self.step(&slot, bytes as i128, &from);
        self.gather(elem, &at, None)
    }

    /// Reinterprets the bits of a value as so many units.
    fn as_units(&mut self, val: &Val, pick: Pick, units: u16) -> Val {
        let ty = Ty::lanes(Unit::Int(8 * pick.unit), units);
        if val.ty == ty { val.clone() } else { self.make("units", ty, format!("bitcast {val} to {ty}")) }
    }

    /// Returns the numbers of the units that elements with some numbers consist of.
    fn numbers_of_units(&mut self, pick: Pick, from: &Val, units: u16) -> Val {
        let (lanes, ty) = (from.ty.lanes.unwrap_or(1), from.ty);
        let per_element = units / lanes;
        if per_element == 1 {
            return from.clone();
        }
        // The constants that are added to the number of an element's first unit, one for each unit, the first in the
        // lowest bits.
        let bits = 8 * u32::from(pick.unit);
        let joined = |number: &dyn Fn(u32) -> i128| {
            (0..u32::from(per_element)).fold(0, |all, unit| all | (number(unit) << (unit * bits)))
        };
        let order = Val::int(ty.unit, joined(&|unit| unit.into())).splat(lanes);
        if pick.multiplies {
            let by = Val::int(ty.unit, joined(&|_| per_element.into())).splat(lanes);
            let firsts = self.make("firsts", ty, format!("mul {from}, {}", by.text));
            let all = self.make("numbers", ty, format!("add {firsts}, {}", order.text));
            return self.as_units(&all, pick, units);
        }
        let by = Val::int(ty.unit, per_element.trailing_zeros().into()).splat(lanes);
        let firsts = self.make("firsts", ty, format!("shl {from}, {}", by.text));
        let firsts = self.as_units(&firsts, pick, units);
        let picks = (0..units).map(|unit| i128::from(unit - unit % per_element));
        let picks = Val::numbers(Unit::Int(32), picks);
        let firsts = self.make("firsts", firsts.ty, format!("shufflevector {firsts}, {} poison, {picks}", firsts.ty));
        let order = (0..units).map(|unit| i128::from(unit % per_element));
        let order = Val::numbers(firsts.ty.unit, order);
        self.make("numbers", firsts.ty, format!("or {firsts}, {}", order.text))
    }

    /// A part of a table from a unit on, as the registers that the instruction wants.
    fn part(&mut self, pick: Pick, table: &Val, first: u16) -> Vec<Val> {
        let given = pick.gives / pick.unit;
        match pick.kind {
            Kind::Within16 => {
                let picks = (0..given).map(|unit| first + unit % 16);
                vec![self.units_at(table, picks)]
            }
            Kind::AcrossTwo => vec![self.cut(table, first, given), self.cut(table, first + given, given)],
            Kind::Row | Kind::Swizzle => (0..pick.sees / 16).map(|row| self.cut(table, first + 16 * row, 16)).collect(),
            Kind::Across | Kind::Sized | Kind::Group => vec![self.cut(table, first, given)],
        }
    }

    /// Takes some units from one on; those beyond the end may be anything.
    pub(super) fn cut(&mut self, val: &Val, first: u16, count: u16) -> Val {
        if first == 0 && val.ty.lanes == Some(count) {
            return val.clone();
        }
        self.units_at(val, first..first + count)
    }

    pub(super) fn units_at(&mut self, val: &Val, picks: impl Iterator<Item = u16>) -> Val {
        let own = val.ty.lanes.unwrap_or(1);
        let shown = |pick: u16| if pick < own { format!("i32 {pick}") } else { "i32 poison".to_owned() };
        let picks: Vec<String> = picks.map(shown).collect();
        let ty = Ty::lanes(val.ty.unit, picks.len() as u16);
        let ordered = format!("shufflevector {val}, {} poison, <{} x i32> <{}>", val.ty, picks.len(), picks.join(", "));
        self.make("part", ty, ordered)
    }

    /// The units of all parts of a table, for as many numbers as the instruction gives.
    fn of_parts(&mut self, pick: Pick, parts: &[Vec<Val>], numbers: Val) -> Val {
        let seen = pick.sees / pick.unit;
        let ty = numbers.ty;
        let lanes = ty.lanes.unwrap_or(1);
        let mut picked = Vec::new();
        let within = match pick.leaves_out_high_bit() {
            true => {
                let bits = Val::int(ty.unit, 127).splat(lanes);
                self.make("numbers", ty, format!("and {numbers}, {}", bits.text))
            }
            false => numbers.clone(),
        };
        let by_differences = pick.by_differences(self.target);
        for (number, part) in parts.iter().enumerate() {
            let start = Val::int(ty.unit, i128::from(seen) * number as i128).splat(lanes);
            // If numbers outside of a part give zeros, each part gets numbers relative to its own first unit.
            let numbers = match number > 0 && (pick.gives_zeros() || by_differences) {
                true => self.make("numbers", ty, format!("sub {within}, {}", start.text)),
                false => within.clone(),
            };
            let differs = match number > 0 && by_differences {
                true => {
                    vec![self.make("differs", part[0].ty, format!("xor {}, {}", part[0], parts[number - 1][0].text))]
                }
                false => part.clone(),
            };
            picked.push(self.picked_at_once(pick, &differs, &numbers));
        }
        if by_differences {
            // A number gets its own part's difference from the one before it, that one's from its own, and so on, and zeros of later parts.
            let first = picked.remove(0);
            return picked.iter().fold(first, |all, one| self.make("picked", ty, format!("xor {all}, {}", one.text)));
        }
        let mut bit = seen;
        while picked.len() > 1 {
            let is_later = (!pick.gives_zeros()).then(|| self.has_bit(&numbers, bit));
            let pairs: Vec<Vec<Val>> = picked.chunks(2).map(<[Val]>::to_vec).collect();
            picked = pairs
                .iter()
                .map(|pair| match (&pair[..], &is_later) {
                    ([a, b], Some(later)) => self.make("picked", ty, format!("select {later}, {b}, {a}")),
                    ([a, b], None) => self.make("picked", ty, format!("or {a}, {}", b.text)),
                    (alone, _) => alone[0].clone(),
                })
                .collect();
            bit *= 2;
        }
        picked.remove(0)
    }

    fn has_bit(&mut self, numbers: &Val, bit: u16) -> Val {
        let bit = Val::int(numbers.ty.unit, bit.into()).splat(numbers.ty.lanes.unwrap_or(1));
        let high = self.make("high", numbers.ty, format!("and {numbers}, {}", bit.text));
        self.make("later", numbers.ty.with(Unit::Int(1)), format!("icmp ne {high}, zeroinitializer"))
    }

    /// Writes the picking instruction for one part of a table.
    fn picked_at_once(&mut self, pick: Pick, part: &[Val], numbers: &Val) -> Val {
        let ty = numbers.ty;
        let bits = 8 * pick.gives;
        let call = match (pick.kind, pick.unit) {
            (Kind::Within16, _) => {
                let name = match bits {
                    128 => "ssse3.pshuf.b.128",
                    256 => "avx2.pshuf.b",
                    _ => "avx512.pshuf.b.512",
                };
                format!("x86.{name}({}, {numbers})", part[0])
            }
            (Kind::Across, 4) if bits == 256 => format!("x86.avx2.permd({}, {numbers})", part[0]),
            (Kind::Across, unit) => {
                let name = match unit {
                    2 => "hi",
                    4 => "si",
                    _ => "di",
                };
                format!("x86.avx512.permvar.{name}.{bits}({}, {numbers})", part[0])
            }
            (Kind::AcrossTwo, unit) => {
                let name = match unit {
                    2 => "hi",
                    4 => "d",
                    _ => "q",
                };
                format!("x86.avx512.vpermi2var.{name}.{bits}({}, {numbers}, {})", part[0], part[1])
            }
            (Kind::Row, _) => {
                let rows: Vec<String> = part.iter().map(Val::to_string).collect();
                format!("aarch64.neon.tbl{}.v16i8({}, {numbers})", rows.len(), rows.join(", "))
            }
            (Kind::Swizzle, _) => format!("wasm.swizzle({}, {numbers})", part[0]),
            (Kind::Sized | Kind::Group, _) => return self.picked_in_scaled(pick, &part[0], numbers),
        };
        let picked = self.make("picked", ty, format!("call {ty} @llvm.{call}"));
        // LLVM 22 makes one of two of these that are put together, and takes their numbers for constants.
        match part.len() == 2 && pick.kind == Kind::Row {
            true => self.make("picked", ty, format!("freeze {picked}")),
            false => picked,
        }
    }

    /// The instruction where registers have no length that LLVM knows.
    fn picked_in_scaled(&mut self, pick: Pick, part: &Val, numbers: &Val) -> Val {
        let ty = numbers.ty;
        let unit = ty.unit;
        let is_group = pick.kind == Kind::Group;
        // Lengths are counted in 16 bytes on Arm, and in 8 on RISC-V.
        let step = if is_group { 8 * (pick.gives / self.target.register_bytes) } else { 16 };
        let least = step / pick.unit;
        let scaled = format!("<vscale x {least} x {unit}>");
        let suffix = format!("nxv{least}{unit}");
        let [table, at] = [part, numbers].map(|val| {
            let call =
                format!("call {scaled} @llvm.vector.insert.{suffix}.{}({scaled} poison, {val}, i64 0)", ty.suffix());
            self.make("scaled", ty, call).text
        });
        let call = match is_group {
            true => {
                let lanes = ty.lanes.unwrap_or(1);
                format!("riscv.vrgather.vv.{suffix}.i64({scaled} poison, {scaled} {table}, {scaled} {at}, i64 {lanes})")
            }
            false => format!("aarch64.sve.tbl.{suffix}({scaled} {table}, {scaled} {at})"),
        };
        let picked = self.make("picked", ty, format!("call {scaled} @llvm.{call}")).text;
        self.make(
            "picked",
            ty,
            format!("call {ty} @llvm.vector.extract.{}.{suffix}({scaled} {picked}, i64 0)", ty.suffix()),
        )
    }
}
