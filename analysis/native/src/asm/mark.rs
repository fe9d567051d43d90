//! The mark that says which loop of a kernel, or of another source, an instruction is in, through all of LLVM.
//!
//! LLVM keeps a number beside each source line, the *discriminator*, for profiles of running code. It has three parts:
//! a base, which is the number of the loop here; the number of copies that a loop's unrolling has made of the
//! instruction; and one that is not used. A part is 7 bits, or 14 if it is larger than 31; one that is 0 is a single set
//! bit, and those at the end are left out.

/// The loop that an instruction is in, and how many times that was unrolled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Mark {
    /// The number of the loop, in the order of the text of the kernel that code was made of.
    pub number: u32,
    /// The number of iterations that LLVM has put into a turn of it.
    pub copies: u32,
}

/// The largest number that fits in a part.
const LARGEST: u32 = 0xfff;

impl Mark {
    /// The discriminator that stands for a loop that is not unrolled; `None` if its number is too large for one.
    pub fn discriminator(self) -> Option<u32> {
        // A base of 0 is none at all.
        let base = self.number.checked_add(1).filter(|&base| base <= LARGEST)?;
        let part = if base > 0x1f { ((base & 0xfe0) << 1) | (base & 0x1f) | 0x20 } else { base };
        Some(part << 1)
    }

    /// The mark that a discriminator stands for.
    fn of_discriminator(discriminator: u32) -> Option<Mark> {
        let (base, rest) = first_part(discriminator);
        let (copies, _) = first_part(rest);
        Some(Mark { number: base.checked_sub(1)?, copies: copies.max(1) })
    }

    /// The mark that stands in a directive: `.loc 1 3 9 is_stmt 0 discriminator 4`.
    pub(super) fn of_location(directive: &str) -> Option<Mark> {
        let mut words = directive.split_whitespace().skip_while(|&word| word != "discriminator");
        Mark::of_discriminator(words.nth(1)?.parse().ok()?)
    }
}

/// Splits off the first part of a discriminator.
fn first_part(discriminator: u32) -> (u32, u32) {
    if discriminator & 1 == 1 {
        return (0, discriminator >> 1);
    }
    let part = discriminator >> 1;
    match part & 0x20 {
        0 => (part & 0x1f, discriminator >> 7),
        _ => (((part >> 1) & 0xfe0) | (part & 0x1f), discriminator >> 14),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_read_back() {
        for number in [0, 1, 30, 31, 32, 100, LARGEST - 1] {
            let mark = Mark { number, copies: 1 };
            assert_eq!(mark.discriminator().and_then(Mark::of_discriminator), Some(mark));
        }
        assert_eq!(Mark { number: LARGEST, copies: 1 }.discriminator(), None);
    }

    #[test]
    fn copies_stand_behind_the_number() {
        // The base 2 in 7 bits, then 4 copies.
        assert_eq!(Mark::of_location(".loc 1 3 9 discriminator 1028"), Some(Mark { number: 1, copies: 4 }));
        assert_eq!(Mark::of_location(".loc 1 3 9 is_stmt 0"), None);
    }
}
