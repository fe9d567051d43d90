//! The floats of two bytes: [`F16`] has 11 bits of precision and ends at 65504, [`Bf16`] has 8 bits and the range of an `f32`.
//!
//! Neither has arithmetic of its own. An operation on them is that of `f32` on the same values, rounded to the nearest, the even of
//! two equally near. For `+ - * / sqrt` this is the correctly rounded result: `f32` has more than twice the bits, so that the two
//! roundings come out as one. Where a first rounding to `f32` could be seen (`a * b + c`, conversions from `f64` and from large
//! integers), what is rounded is the exact value, or one that was *rounded to odd*: what was lost shows in the last bit.

/// An `f16`, IEEE 754's binary16: its bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct F16(pub u16);

/// A `bf16`, the upper half of an `f32`: its bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bf16(pub u16);

/// How the bits are divided between exponent and fraction.
#[derive(Clone, Copy)]
struct Format {
    fraction: u32,
    /// The distance of an exponent from its number.
    bias: i32,
}

const HALF: Format = Format { fraction: 10, bias: 15 };
const BRAIN: Format = Format { fraction: 7, bias: 127 };

/// The bits of the sign.
const SIGN: u16 = 0x8000;

impl Format {
    /// The bits of infinity; more than these are those of NaNs.
    const fn infinity(self) -> u16 {
        (2 * self.bias as u16 + 1) << self.fraction
    }

    /// The value that is nearest, the even of two equally near.
    fn round(self, x: f64) -> u16 {
        let sign = (x.to_bits() >> 48) as u16 & SIGN;
        if x.is_nan() {
            return sign | self.infinity() | (1 << (self.fraction - 1));
        }
        let bits = x.to_bits();
        let exponent = (bits >> 52 & 0x7ff) as i32 - 1023 + self.bias;
        if exponent > 2 * self.bias {
            return sign | self.infinity();
        }
        // Subnormal numbers have the least exponent and fewer bits. What is subnormal as an `f64` is far below half of the least one.
        let drop = 52 - self.fraction + (1 - exponent).max(0) as u32;
        if drop >= 54 {
            return sign;
        }
        let significand = bits & ((1 << 52) - 1) | 1 << 52;
        let (kept, rest, half) = (significand >> drop, significand & ((1 << drop) - 1), 1 << (drop - 1));
        let up = u16::from(rest > half || rest == half && kept % 2 == 1);
        // The leading one of what is kept counts as one more of the exponent, and a carry as another.
        sign | ((((exponent.max(1) - 1) as u16) << self.fraction) + kept as u16 + up)
    }

    fn wide(self, bits: u16) -> f64 {
        let magnitude = bits & !SIGN;
        let (exponent, fraction) = (i32::from(magnitude >> self.fraction), magnitude & ((1 << self.fraction) - 1));
        let unit = |exponent: i32| 2f64.powi(exponent - self.bias - self.fraction as i32);
        let value = match exponent {
            0 => f64::from(fraction) * unit(1),
            _ if magnitude == self.infinity() => f64::INFINITY,
            _ if magnitude > self.infinity() => f64::NAN,
            _ => f64::from(fraction | 1 << self.fraction) * unit(exponent),
        };
        if bits & SIGN == 0 { value } else { -value }
    }

    /// An integer, rounded once.
    fn of_integer(self, wide: i128) -> u16 {
        let magnitude = wide.unsigned_abs();
        let excess = (u128::BITS - magnitude.leading_zeros()).saturating_sub(f64::MANTISSA_DIGITS);
        let lost = magnitude & ((1 << excess) - 1) != 0;
        let kept = magnitude >> excess | u128::from(lost);
        let value = kept as f64 * 2f64.powi(excess as i32);
        self.round(if wide < 0 { -value } else { value })
    }

    /// The decimal number with the fewest digits that is rounded to these bits.
    fn shortest(self, bits: u16) -> f64 {
        let value = self.wide(bits);
        let with = |digits: usize| format!("{value:.digits$e}").parse().unwrap_or(value);
        (0..8).map(with).find(|&short| self.round(short) == bits).unwrap_or(value)
    }
}

/// `a * b + c` as an `f64` that is rounded to odd: narrower types round it to what they round the exact value to. The product has to be
/// exact.
fn odd_sum(product: f64, c: f64) -> f64 {
    let sum = product + c;
    let part = sum - product;
    let lost = (product - (sum - part)) + (c - part);
    if lost == 0.0 || !lost.is_finite() || sum.to_bits() % 2 == 1 {
        return sum;
    }
    let grows = (lost > 0.0) == (sum > 0.0);
    f64::from_bits(if grows { sum.to_bits() + 1 } else { sum.to_bits() - 1 })
}

macro_rules! halves {
    ($($name:ident $format:ident)*) => {$(
        impl $name {
            /// The greatest finite value.
            pub const MAX: $name = $name($format.infinity() - 1);

            /// The value that is nearest, the even of two equally near.
            pub fn round(x: f64) -> $name {
                $name($format.round(x))
            }

            /// The value that is nearest to an integer.
            pub fn of_integer(wide: i128) -> $name {
                $name($format.of_integer(wide))
            }

            /// The value, which both wider types have.
            pub fn wide(self) -> f32 {
                $format.wide(self.0) as f32
            }

            /// Tells if it is not a number.
            pub fn is_nan(self) -> bool {
                self.0 & !SIGN > $format.infinity()
            }

            /// The bits; those of the quiet NaN for each NaN.
            pub fn bits(self) -> u16 {
                if self.is_nan() { $format.round(f64::NAN) & !SIGN } else { self.0 }
            }

            /// The decimal number with the fewest digits that is rounded to this value.
            pub fn shortest(self) -> f64 {
                $format.shortest(self.0)
            }

            /// `a * b + c`, rounded once.
            pub fn fma(self, b: $name, c: $name) -> $name {
                let [a, b, c] = [self, b, c].map(|x| f64::from(x.wide()));
                $name::round(odd_sum(a * b, c))
            }
        }
    )*};
}

halves! { F16 HALF Bf16 BRAIN }

#[cfg(test)]
mod tests;
