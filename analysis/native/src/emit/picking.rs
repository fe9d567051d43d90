//! Elements picked out of vectors by numbers that are only known at run time: by the instruction that a target has for
//! it, or through the stack, if that costs less.
//!
//! - The *table* is what is picked from. It may have more or fewer lanes than there are numbers.
//! - A *unit* is what the instruction moves: an element, or a piece of one. An element of four bytes is four units to an
//!   instruction that moves bytes, and its number `k` becomes `4k`, `4k + 1`, `4k + 2`, `4k + 3`.
//! - A *part* of the table is as much as one instruction sees. Where there are several, each is asked, and what a number
//!   is for is chosen by its higher bits.
//!
//! `shuffle(x, k)` with eight lanes of `f32` on AVX2 is one unit for each element, one part, and one `vpermps`. With 32
//! lanes of `u8` it has two parts, of 16 bytes each: two `vpshufb`, and a blend by the bit of `k` that is worth 16.
//!
//! LLVM has no operation for this. It does know extractions by extracted numbers for what they are, but only while all of
//! them stand in one block, which numbers that do not change in a loop do not.

use ir::target::Costs;
use ir::{Elem, Family, Masks, Target};

use super::function::Function;
use super::values::{Ty, Unit, Val};

/// An instruction that picks elements by number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Pick {
    kind: Kind,
    /// The bytes of a unit, and of each number.
    unit: u16,
    /// The bytes of a part: a power of two.
    sees: u16,
    /// The bytes that it gives.
    gives: u16,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// x86: each 16 bytes of the result from the 16 at the same place.
    Within16,
    /// x86: from a register as long as the result.
    Across,
    /// x86: from two of them.
    AcrossTwo,
    /// NEON: from up to four registers in a row.
    Row,
    /// SVE: from a register of any length.
    Sized,
    /// RISC-V: from a group of registers.
    Group,
}

impl Pick {
    /// The instruction for a table of so many bytes, to pick so many; nothing if the stack is better.
    fn best(target: &Target, bytes: u16, table: u16, result: u16) -> Option<Pick> {
        let pick = Pick::of(target, bytes, table, result)?;
        let units = table / pick.unit;
        // The numbers of units have to be numbers in as many bytes, and x86 takes the highest bit of a byte for something
        // else.
        let most = if pick.kind == Kind::Within16 { 128 } else { 256 };
        let fits = pick.unit > 1 || units <= most;
        let cost = pick.cost(target, bytes, table, result);
        (fits && cost < by_address(target, bytes, table, result)).then_some(pick)
    }

    /// The instruction that a target has.
    fn of(target: &Target, bytes: u16, table: u16, result: u16) -> Option<Pick> {
        let register = target.register_bytes;
        let wide = |least: u16, needed: u16| needed.next_power_of_two().clamp(least.min(register), register);
        let within_16 = Pick { kind: Kind::Within16, unit: 1, sees: 16, gives: wide(16, result) };
        let whole = |unit: u16, gives: u16| Pick { kind: Kind::Across, unit, sees: gives, gives };
        Some(match target.family {
            _ if !target.has_lanes() => return None,
            Family::X86 if register < 32 || bytes == 1 => within_16,
            Family::X86 if target.masks == Masks::Lanes && bytes == 2 => within_16,
            Family::X86 if target.masks == Masks::Lanes => whole(4, 32),
            Family::X86 if table > 64 => Pick { kind: Kind::AcrossTwo, unit: bytes, sees: 128, gives: 64 },
            Family::X86 => whole(bytes, wide(if bytes == 2 { 16 } else { 32 }, table.max(result))),
            Family::Arm if target.masks == Masks::Bits => Pick { kind: Kind::Sized, ..whole(bytes, register) },
            Family::Arm => {
                let sees = table.next_power_of_two().clamp(16, 64);
                Pick { kind: Kind::Row, unit: 1, sees, gives: 16 }
            }
            Family::RiscV => {
                let group = table.next_power_of_two().clamp(register, 8 * register);
                Pick { kind: Kind::Group, ..whole(bytes, group) }
            }
        })
    }

    /// True if the instruction gives zeros for numbers beyond the part. RISC-V does so only beyond the registers, which may
    /// be longer.
    fn gives_zeros(self) -> bool {
        matches!(self.kind, Kind::Row | Kind::Sized)
    }

    /// The cost of the whole pick, in the unit of [`Costs`]: numbers of units, then for each register of the result an
    /// instruction for each part and a choice between each two of them.
    fn cost(self, target: &Target, bytes: u16, table: u16, result: u16) -> u32 {
        let Costs { arithmetic, shuffle, .. } = target.costs;
        let (arithmetic, shuffle) = (u32::from(arithmetic), u32::from(shuffle));
        let (parts, registers) = (table.div_ceil(self.sees), result.div_ceil(self.gives));
        let (parts, registers) = (u32::from(parts), u32::from(registers));
        let spread = if self.unit == bytes { 0 } else { 2 * arithmetic + shuffle };
        let instruction = shuffle
            * match self.kind {
                Kind::Row => u32::from(self.sees / 16),
                // Each register of the group may get elements of each other.
                Kind::Group => u32::from(self.gives / target.register_bytes).pow(2),
                _ => 1,
            };
        let repeated = if self.kind == Kind::Within16 && self.gives > 16 { parts * shuffle } else { 0 };
        // A test or a difference, and a choice of twice what else is done to a register.
        let choice = 3 * arithmetic;
        repeated + registers * (spread + parts * instruction + (parts - 1) * choice)
    }
}

/// The cost of storing the table to the stack and loading each lane from there. Where no instruction gathers, a lane takes
/// an extraction of its number, a load and an insertion.
fn by_address(target: &Target, bytes: u16, table: u16, result: u16) -> u32 {
    let Costs { store, load, shuffle, gather_lane, .. } = target.costs;
    let lane = if target.gather.has(bytes.into()) { gather_lane } else { 2 * shuffle + load };
    u32::from(table.div_ceil(target.register_bytes)) * u32::from(store) + u32::from(result / bytes) * u32::from(lane)
}

impl Function<'_> {
    /// The elements of a table by their numbers, one for each lane of those. No number is beyond the table.
    pub(super) fn picked(&mut self, table: &Val, from: &Val) -> Val {
        let bits = self.number_bits(table.ty, from.ty);
        if table.ty.unit == Unit::Int(1) {
            let ty = table.ty.with(Unit::Int(bits));
            let table = self.make("whole", ty, format!("sext {table} to {ty}"));
            let picked = self.picked(&table, from);
            return self.named(picked.ty.with(Unit::Int(1)), format!("icmp slt {picked}, zeroinitializer"));
        }
        let [of, lanes] = [table, from].map(|val| val.ty.lanes.unwrap_or(1));
        let bytes = table.ty.unit.bytes() as u16;
        let Some(pick) = Pick::best(self.target, bytes, bytes * of, bytes * lanes) else {
            return self.picked_by_address(table, from);
        };
        let ty = Ty { lanes: Some(lanes), ..table.ty };
        let per_element = bytes / pick.unit;
        let table = self.as_units(table, pick, of * per_element);
        let seen = pick.sees / pick.unit;
        let firsts = (0..of * per_element).step_by(seen.into());
        let parts: Vec<Vec<Val>> = firsts.map(|first| self.part(pick, &table, first)).collect();
        let from = self.resized(from, bits);
        let numbers = self.numbers_of_units(pick, &from, lanes * per_element);
        let given = pick.gives / pick.unit;
        let firsts = (0..lanes * per_element).step_by(given.into());
        let picked: Vec<Val> = firsts
            .map(|first| {
                let numbers = self.cut(&numbers, first, given);
                self.of_parts(pick, &parts, numbers)
            })
            .collect();
        let all = self.side_by_side(&picked);
        let all = self.cut(&all, 0, lanes * per_element);
        self.named(ty, format!("bitcast {all} to {ty}"))
    }

    /// The bits that numbers are best made in, to pick from lanes of a type: those of its elements. Bools become as wide as
    /// a register has room for, which is what masks mostly are as it is, but no wider than what all targets pick best.
    pub(super) fn number_bits(&self, table: Ty, from: Ty) -> u16 {
        match table.unit {
            Unit::Int(1) => {
                let lanes = table.lanes.max(from.lanes).unwrap_or(1).next_power_of_two();
                8 * (self.target.register_bytes / lanes).clamp(1, 4)
            }
            unit => 8 * unit.bytes() as u16,
        }
    }

    /// Picks through memory: the table is stored on the stack and gathered from there.
    fn picked_by_address(&mut self, table: &Val, from: &Val) -> Val {
        let elem = match table.ty.unit {
            Unit::Int(8) => Elem::U8,
            Unit::Int(16) => Elem::U16,
            Unit::Int(32) => Elem::U32,
            Unit::Int(_) | Unit::Ptr => Elem::U64,
            Unit::Float => Elem::F32,
            Unit::Double => Elem::F64,
        };
        let (bytes, align) = (elem.bytes(), ir::scratch::ALIGN);
        let slot = format!("alloca [{} x i{}], align {align}", table.ty.lanes.unwrap_or(1), 8 * bytes);
        let slot = self.at_entry("slot", Ty::PTR, slot);
        self.line(format!("store {table}, {slot}, align {align}"));
        let at = self.step(&slot, bytes as i128, from);
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
        // In two bytes, and in four on Arm, a multiplication is as cheap as anything, and an addition comes with it there.
        let multiplies = ty.unit == Unit::Int(16) || ty.unit == Unit::Int(32) && self.target.family == Family::Arm;
        if multiplies {
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
            Kind::Row => (0..pick.sees / 16).map(|row| self.cut(table, first + 16 * row, 16)).collect(),
            Kind::Across | Kind::Sized | Kind::Group => vec![self.cut(table, first, given)],
        }
    }

    /// Takes some units from one on; those beyond the end may be anything.
    fn cut(&mut self, val: &Val, first: u16, count: u16) -> Val {
        if first == 0 && val.ty.lanes == Some(count) {
            return val.clone();
        }
        self.units_at(val, first..first + count)
    }

    fn units_at(&mut self, val: &Val, picks: impl Iterator<Item = u16>) -> Val {
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
        for (number, part) in parts.iter().enumerate() {
            let start = Val::int(ty.unit, i128::from(seen) * number as i128).splat(lanes);
            // If numbers outside of a part give zeros, each part gets numbers relative to its own first unit.
            let numbers = match number > 0 && pick.gives_zeros() {
                true => self.make("numbers", ty, format!("sub {numbers}, {}", start.text)),
                false => numbers.clone(),
            };
            picked.push(self.picked_at_once(pick, part, &numbers));
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

#[cfg(test)]
mod tests {
    use ir::target::TARGETS;

    use super::*;

    #[test]
    fn instructions_are_those_that_costs_are_counted_for() {
        for target in TARGETS.iter().filter(|target| target.has_lanes()) {
            for bytes in [1, 2, 4, 8] {
                let pick =
                    Pick::of(target, bytes, target.register_bytes, target.register_bytes).expect("an instruction");
                let counted = target.picks.table_for(bytes.into());
                // NEON's instruction sees as many registers as it is told to, up to four.
                let sees = if pick.kind == Kind::Row { 64 } else { pick.sees };
                assert_eq!(counted, Some(sees), "{} {bytes}", target.name);
                assert_eq!(target.picks.whole.has(bytes.into()), pick.unit == bytes, "{} {bytes}", target.name);
            }
        }
    }
}
