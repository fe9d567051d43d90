//! The vectors that instructions of RISC-V work on, which `vsetvli` in front of them says: groups of registers, and their elements.
//!
//! A group (LMUL) is 1, 2, 4 or 8 registers, or a part of one: `m2`, `mf2`. An instruction whose operands have wider or narrower elements
//! than that works on larger or smaller groups of these.
//!
//! ```text
//! vsetvli zero, a0, e32, m2, ta, ma    4-byte elements, in groups of two registers
//! vle32.v v8, (a1)                     loads v8 and v9
//! vle16.v v10, (a2)                    loads v10
//! ```
//!
//! What is in force at an instruction is followed in the order of lines.

use super::Line;

/// The vectors that are in force.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct VectorType {
    /// The bits of an element.
    pub(super) bits: u32,
    /// The eighths of a register that a group is.
    pub(super) eighths: u32,
    /// True if the elements behind the last one keep their values.
    pub(super) keeps_tail: bool,
    /// True if the elements that a mask leaves out keep their values.
    pub(super) keeps_masked: bool,
}

impl Default for VectorType {
    fn default() -> VectorType {
        VectorType { bits: 32, eighths: 8, keeps_tail: false, keeps_masked: false }
    }
}

impl VectorType {
    /// What an instruction puts in force: `vsetvli zero, a0, e32, mf2, ta, mu`. One that takes it from a register says nothing.
    pub(super) fn set_by(line: &str) -> Option<VectorType> {
        let code = line.trim();
        let operands = code.strip_prefix("vsetvli").or_else(|| code.strip_prefix("vsetivli"))?;
        let mut vectors = VectorType::default();
        for word in operands.split(',').map(str::trim) {
            let number = |start: &str| word.strip_prefix(start).and_then(|rest| rest.parse::<u32>().ok());
            match word {
                "tu" => vectors.keeps_tail = true,
                "mu" => vectors.keeps_masked = true,
                _ => {}
            }
            if let Some(bits) = number("e") {
                vectors.bits = bits;
            } else if let Some(part) = number("mf") {
                vectors.eighths = 8 / part.max(1);
            } else if let Some(registers) = number("m") {
                vectors.eighths = 8 * registers;
            }
        }
        Some(vectors)
    }

    /// The eighths of a register that as many elements of so many bits are.
    pub(super) fn eighths_of(self, bits: u32) -> u32 {
        self.eighths * bits / self.bits.max(1)
    }
}

/// The registers that a group of so many eighths lies in.
pub(super) fn registers(eighths: u32) -> u32 {
    eighths.div_ceil(8).max(1)
}

/// The vectors in force at each of the lines of a loop, which are given by their numbers in the function. A loop that begins without saying
/// so goes on with those of its end, or with those from in front of it.
pub(super) fn vector_types(lines: &[Line], numbers: &[usize]) -> Vec<VectorType> {
    let set_at = |at: usize| VectorType::set_by(&lines[at].text);
    let in_front = (0..numbers.first().copied().unwrap_or(0)).rev();
    let mut current = numbers.iter().rev().copied().chain(in_front).find_map(set_at).unwrap_or_default();
    numbers
        .iter()
        .map(|&at| {
            current = set_at(at).unwrap_or(current);
            current
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use ir::Family;

    use super::super::listing;
    use super::*;

    #[test]
    fn groups_are_read_from_what_sets_them() {
        let set_by = |line| VectorType::set_by(line).map(|it| (it.bits, it.eighths, it.keeps_tail, it.keeps_masked));
        assert_eq!(set_by("\tvsetvli zero, a0, e64, m4, ta, ma"), Some((64, 32, false, false)));
        assert_eq!(set_by("\tvsetvli a1, zero, e8, mf4, tu, mu"), Some((8, 2, true, true)));
        assert_eq!(set_by("\tvsetivli zero, 4, e32, m1, ta, ma"), Some((32, 8, false, false)));
        assert_eq!(set_by("\tvsetvl zero, a0, a1"), None);
        let halves = VectorType { bits: 32, eighths: 16, ..VectorType::default() };
        assert_eq!([8, 16, 64].map(|bits| registers(halves.eighths_of(bits))), [1, 1, 4]);
    }

    /// What stands in front of a loop counts where the loop itself says nothing.
    #[test]
    fn a_loop_begins_with_the_groups_of_its_end() {
        let of = |text: &str| -> Vec<u32> {
            let listing = listing(&format!("k:\n\tvsetvli\ta5, zero, e32, m8, ta, ma\n{text}"), Family::RiscV);
            let function = &listing.functions[0];
            let numbers = &function.inner_loops.first().expect("a loop").lines;
            vector_types(&function.lines, numbers).iter().skip(1).map(|it| it.eighths / 8).collect()
        };
        assert_eq!(
            of(
                ".L:\n\tvadd.vv\tv8, v8, v8\n\tvsetvli\tzero, a0, e32, m2, ta, ma\n\tvadd.vv\tv8, v8, v8\n\tbnez\ta0, .L\n"
            ),
            [2, 2, 2, 2]
        );
        assert_eq!(
            of(
                ".L:\n\tvsetvli\tzero, a0, e32, m4, ta, ma\n\tvadd.vv\tv8, v8, v8\n\tvsetvli\tzero, zero, e64, m1, ta, ma\n\tbnez\ta0, .L\n"
            ),
            [4, 4, 1, 1]
        );
        assert_eq!(of(".L:\n\tvadd.vv\tv8, v8, v8\n\tbnez\ta0, .L\n"), [8, 8]);
    }
}
