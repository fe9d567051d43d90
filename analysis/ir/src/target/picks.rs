//! Elements picked out of vectors by numbers that are only known at run time: the instructions that targets have for it, and
//! the costs of these and of the way through memory.
//!
//! - The *table* is the vector that elements are picked from. It may have more or fewer lanes than there are numbers.
//! - A *unit* is the piece that the instruction moves: an element, or a part of one. An element of four bytes is four units
//!   to an instruction that moves bytes, and its number `k` becomes `4k`, `4k + 1`, `4k + 2`, `4k + 3`.
//! - A *part* of the table is as much as one instruction sees. Where there are several, each is asked, and the part that a
//!   number is for is chosen by its higher bits.
//!
//! `shuffle(x, k)` with eight lanes of `f32` on AVX2 is one unit for each element, one part, and one `vpermps`. With 32
//! lanes of `u8` it has two parts, of 16 bytes each: two `vpshufb`, and a blend by the bit of `k` that is worth 16.

use super::{Costs, Masks, Target};
use crate::entities::Op;
use crate::ops::Code;
use crate::program::Kernel;
use crate::types::Elem;

/// A kind of instruction that picks elements by number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// x86: each 16 bytes of the result from the 16 at the same place.
    Within16,
    /// x86: from a register as long as the result.
    Across,
    /// x86: from two of them.
    AcrossTwo,
    /// NEON: from up to four registers in a row.
    Row,
    /// WebAssembly: from one register.
    Swizzle,
    /// SVE: from a register of any length.
    Sized,
    /// RISC-V: from a group of registers.
    Group,
}

/// The instruction by which a target picks elements of one size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Instruction {
    /// The kind of instruction.
    pub kind: Kind,
    /// The bytes of a unit, and of each number.
    pub unit: u16,
    /// The fewest and the most bytes of a part, both powers of two.
    pub sees: (u16, u16),
    /// The fewest and the most bytes that it gives, both powers of two.
    pub gives: (u16, u16),
    /// True if an element's number becomes those of its units by a product and a sum; else it is shifted, and spread over them.
    pub multiplies: bool,
}

/// The instructions of a target that pick elements of 1, 2, 4 and 8 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Picks(pub [Instruction; 4]);

impl Picks {
    /// The bytes of x86 before AVX-512, within 16 bytes of registers of this length.
    pub(super) const fn within_16(register: u16) -> Picks {
        let bytes =
            Instruction { kind: Kind::Within16, unit: 1, sees: (16, 16), gives: (16, register), multiplies: false };
        // A multiplication of two bytes is as cheap as anything.
        Picks([bytes, Instruction { multiplies: true, ..bytes }, bytes, bytes])
    }

    /// AVX2: 4 bytes at a time go anywhere in a register.
    pub(super) const fn avx2() -> Picks {
        let Picks([one, two, ..]) = Picks::within_16(32);
        let four = across(4, (32, 32), 32);
        Picks([one, two, four, four])
    }

    /// AVX-512: all but single bytes go anywhere in one register, or in two.
    pub(super) const fn avx512() -> Picks {
        let Picks([one, ..]) = Picks::within_16(64);
        Picks([one, across(2, (16, 64), 128), across(4, (32, 64), 128), across(8, (32, 64), 128)])
    }

    /// NEON: bytes of up to four registers.
    pub(super) const fn neon() -> Picks {
        let bytes = Instruction { kind: Kind::Row, unit: 1, sees: (16, 64), gives: (16, 16), multiplies: false };
        // The sum comes with the product there.
        let multiplied = Instruction { multiplies: true, ..bytes };
        Picks([bytes, multiplied, multiplied, bytes])
    }

    /// WebAssembly: bytes of one register.
    pub(super) const fn wasm() -> Picks {
        let bytes = Instruction { kind: Kind::Swizzle, unit: 1, sees: (16, 16), gives: (16, 16), multiplies: false };
        let multiplied = Instruction { multiplies: true, ..bytes };
        Picks([bytes, multiplied, multiplied, multiplied])
    }

    /// SVE: whole elements of a register.
    pub(super) const fn sve(register: u16) -> Picks {
        Picks::whole(Kind::Sized, (register, register))
    }

    /// RISC-V: whole elements of a group of up to eight registers.
    pub(super) const fn rvv(register: u16) -> Picks {
        Picks::whole(Kind::Group, (register, 8 * register))
    }

    const fn whole(kind: Kind, bytes: (u16, u16)) -> Picks {
        let one = Instruction { kind, unit: 1, sees: bytes, gives: bytes, multiplies: false };
        Picks([one, Instruction { unit: 2, ..one }, Instruction { unit: 4, ..one }, Instruction { unit: 8, ..one }])
    }

    /// The instruction for elements of a size.
    fn of_bytes(&self, bytes: u16) -> Option<Instruction> {
        let size = [1, 2, 4, 8].iter().position(|&known| known == bytes)?;
        Some(self.0[size])
    }
}

/// Units of a register as long as the result; or of two of them, if so many bytes are seen.
const fn across(unit: u16, gives: (u16, u16), sees_most: u16) -> Instruction {
    Instruction { kind: Kind::Across, unit, sees: (gives.0, sees_most), gives, multiplies: false }
}

/// Elements that are picked by number: their bytes, and how many there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Picked {
    /// The bytes of an element, and of each number.
    pub bytes: u16,
    /// The elements of the table.
    pub table: u16,
    /// The elements that are picked out of it, one for each number.
    pub lanes: u16,
}

impl Picked {
    /// So many elements of a type, out of so many. Bools become integers, as wide as a register has room for, which is what masks
    /// mostly are as it is, but no wider than what all targets pick best.
    pub fn new(target: &Target, elem: Elem, table: u16, lanes: u16) -> Picked {
        let bytes = match elem {
            Elem::Bool => (target.register_bytes / table.max(lanes).next_power_of_two()).clamp(1, 4),
            elem => elem.bytes() as u16,
        };
        Picked { bytes, table, lanes }
    }

    /// The elements that a vector op picks by number; `None` for an op that picks none, as one does that moves all lanes by a
    /// constant.
    pub fn of(kernel: &Kernel, target: &Target, op: Op) -> Option<Picked> {
        let data = &kernel.ops[op];
        let lanes = kernel.ty(*data.results.first()?).lanes()?;
        let table = match data.code {
            Code::Lookup => kernel.ty(data.operands[0]).lanes()?,
            Code::Shuffle => lanes,
            Code::Rotate if kernel.as_const(data.operands[1]).is_none() => lanes,
            _ => return None,
        };
        Some(Picked::new(target, kernel.ty(data.operands[0]).data_elem()?, table, lanes))
    }

    /// The way by the target's instruction; `None` if it has none for these.
    pub fn by_instruction(self, target: &Target) -> Option<Pick> {
        let Instruction { kind, unit, sees, gives, multiplies } =
            target.picks.of_bytes(self.bytes).filter(|_| target.has_lanes())?;
        let (table, result) = (self.bytes * self.table, self.bytes * self.lanes);
        let fit = |(least, most): (u16, u16), bytes: u16| bytes.next_power_of_two().clamp(least, most);
        let (kind, sees, gives) = match kind {
            Kind::Across if table > gives.1 && sees.1 > gives.1 => (Kind::AcrossTwo, sees.1, gives.1),
            Kind::Across => (kind, fit(gives, table.max(result)), fit(gives, table.max(result))),
            Kind::Group => (kind, fit(sees, table), fit(sees, table)),
            _ => (kind, fit(sees, table), fit(gives, result)),
        };
        // The numbers of units have to be numbers in as many bytes.
        (unit > 1 || table / unit <= 256).then_some(Pick { picked: self, kind, unit, sees, gives, multiplies })
    }

    /// The cost of storing the table to the stack and loading each lane from there.
    pub fn cost_in_memory(self, target: &Target) -> u32 {
        let stores = (self.bytes * self.table).div_ceil(target.register_bytes.max(self.bytes));
        u32::from(stores) * u32::from(target.costs.store) + cost_of_gather(target, self.bytes.into(), self.lanes)
    }
}

/// The cost of loading elements of some bytes from an address of its own for each lane. Where no instruction gathers, a lane takes
/// an extraction of its number, a load and an insertion.
pub fn cost_of_gather(target: &Target, bytes: usize, lanes: u16) -> u32 {
    let Costs { load, shuffle, gather_lane, .. } = target.costs;
    let lane = if target.gather.has(bytes) { gather_lane } else { 2 * shuffle + load };
    u32::from(lanes) * u32::from(lane)
}

/// The way in which a target's instruction picks some elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pick {
    picked: Picked,
    /// The kind of instruction.
    pub kind: Kind,
    /// The bytes of a unit, and of each number.
    pub unit: u16,
    /// The bytes of a part: a power of two.
    pub sees: u16,
    /// The bytes that it gives.
    pub gives: u16,
    /// True if an element's number becomes those of its units by a product and a sum.
    pub multiplies: bool,
}

impl Pick {
    /// True if the instruction gives zeros for numbers beyond the part. RISC-V does so only beyond the registers, which may
    /// be longer.
    pub fn gives_zeros(self) -> bool {
        matches!(self.kind, Kind::Row | Kind::Swizzle | Kind::Sized)
    }

    /// True if numbers have to be made smaller for the instruction, which on x86 takes the highest bit of a byte for something else.
    pub fn leaves_out_high_bit(self) -> bool {
        let Picked { bytes, table, .. } = self.picked;
        self.kind == Kind::Within16 && bytes * table / self.unit > 128
    }

    /// True if what a part has is best told by its difference from the part before it. On x86 the instruction gives zeros for the numbers
    /// of earlier parts, made relative to the part, as these are negative; but for those of later parts it gives something. Where masks
    /// are vectors, a choice takes longer than a difference.
    pub fn by_differences(self, target: &Target) -> bool {
        self.kind == Kind::Within16 && !self.leaves_out_high_bit() && target.masks == Masks::Lanes
    }

    /// The cost in the unit of [`Costs`]: numbers of units, then for each register of the result an instruction for each part
    /// and a choice between each two of them.
    pub fn cost(self, target: &Target) -> u32 {
        let Costs { arithmetic, shuffle, .. } = target.costs;
        let (arithmetic, shuffle) = (u32::from(arithmetic), u32::from(shuffle));
        let Picked { bytes, table, lanes } = self.picked;
        let (parts, registers) = ((bytes * table).div_ceil(self.sees), (bytes * lanes).div_ceil(self.gives));
        let (parts, registers) = (u32::from(parts), u32::from(registers));
        let spread = match self.unit == bytes {
            true => 0,
            false => 2 * arithmetic + if self.multiplies { 0 } else { shuffle },
        };
        let instruction = shuffle
            * match self.kind {
                Kind::Row => u32::from(self.sees / 16),
                // Each register of the group may get elements of each other.
                Kind::Group => u32::from(self.gives / target.register_bytes).pow(2),
                _ => 1,
            };
        let repeated = if self.kind == Kind::Within16 && self.gives > 16 { parts * shuffle } else { 0 };
        // A difference and what joins the zeros of one to the other; or a test, and a choice of twice what else is done to a
        // register.
        let choice = arithmetic * if self.gives_zeros() || self.by_differences(target) { 2 } else { 3 };
        let made_smaller = if self.leaves_out_high_bit() { arithmetic } else { 0 };
        repeated + registers * (spread + made_smaller + parts * instruction + (parts - 1) * choice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::target::TARGETS;

    #[test]
    fn registers_full_of_elements_are_picked_by_instructions() {
        for target in TARGETS {
            for elem in [Elem::U8, Elem::I16, Elem::F32, Elem::F64] {
                let lanes = target.lanes_for(elem.bytes());
                let picked = Picked::new(target, elem, lanes, lanes);
                let pick = picked.by_instruction(target);
                assert_eq!(pick.is_some(), target.has_lanes(), "{} {elem}", target.name);
                if let Some(pick) = pick {
                    assert!(
                        pick.sees.is_power_of_two() && pick.gives <= target.register_bytes,
                        "{} {pick:?}",
                        target.name
                    );
                    assert!(pick.cost(target) < picked.cost_in_memory(target), "{} {elem}", target.name);
                }
            }
        }
    }

    #[test]
    fn numbers_of_units_fit_into_a_unit() {
        let picks = |name: &str, elem, table| {
            let target = crate::target::find(name).expect("a row of the table");
            Picked::new(target, elem, table, 4).by_instruction(target).is_some()
        };
        assert!(picks("sse4", Elem::F32, 64) && !picks("sse4", Elem::F64, 64));
        assert!(picks("sse4", Elem::U8, 256) && !picks("avx2", Elem::U16, 256));
        assert!(picks("neon", Elem::F32, 64) && !picks("neon", Elem::F64, 64));
        assert!(picks("avx2", Elem::F64, 64) && picks("rvv128", Elem::F64, 64));
    }

    #[test]
    fn longer_tables_are_seen_in_two_registers_or_in_parts() {
        let of = |name: &str, table| {
            let target = crate::target::find(name).expect("a row of the table");
            let pick = Picked::new(target, Elem::F32, table, 8).by_instruction(target).expect("an instruction");
            (pick.kind, pick.sees, pick.gives)
        };
        assert_eq!(of("avx2", 32), (Kind::Across, 32, 32));
        assert_eq!(of("avx512", 8), (Kind::Across, 32, 32));
        assert_eq!(of("avx512", 32), (Kind::AcrossTwo, 128, 64));
        assert_eq!(of("neon", 64), (Kind::Row, 64, 16));
        assert_eq!(of("rvv256", 32), (Kind::Group, 128, 128));
    }

    #[test]
    fn bools_are_picked_in_integers_that_fill_a_register() {
        let bytes = |name: &str, lanes| {
            let target = crate::target::find(name).expect("a row of the table");
            Picked::new(target, Elem::Bool, lanes, lanes).bytes
        };
        assert_eq!([bytes("avx2", 8), bytes("avx2", 32), bytes("sse4", 3), bytes("scalar", 4)], [4, 1, 4, 1]);
    }
}
