//! Numbers and strings as they are written.

use ispc_ir::machine::narrowed;
use ispc_ir::types::NumberType;

/// The bits of a floating-point literal of a type.
pub(crate) fn real(text: &str, number: NumberType) -> Option<u64> {
    let lower = text.to_ascii_lowercase();
    let body = lower.strip_suffix("f16").unwrap_or(&lower);
    if let Some(digits) = body.strip_prefix("0x") {
        return Some(narrowed(hexadecimal(digits)?, number));
    }
    let body = body.strip_suffix(['f', 'd']).unwrap_or(body).replace('d', "e");
    match number {
        NumberType::F32 => Some(body.parse::<f32>().ok()?.to_bits().into()),
        _ => Some(narrowed(body.parse::<f64>().ok()?, number)),
    }
}

fn hexadecimal(digits: &str) -> Option<f64> {
    let (mantissa, exponent) = digits.split_once('p')?;
    let exponent: i32 = exponent.trim_end_matches(['f', 'd']).parse().ok()?;
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let mut value = 0.0;
    for digit in whole.chars().chain(fraction.chars()) {
        value = value * 16.0 + f64::from(digit.to_digit(16)?);
    }
    Some(value * 2f64.powi(exponent - 4 * fraction.len() as i32))
}

/// The characters of strings that stand side by side.
pub(crate) fn string(tokens: impl Iterator<Item = String>) -> String {
    let mut text = String::new();
    for token in tokens {
        let inner =
            token.trim_start_matches('L').trim_start_matches('"').strip_suffix('"').unwrap_or_default().to_owned();
        let mut chars = inner.chars();
        while let Some(char) = chars.next() {
            if char != '\\' {
                text.push(char);
                continue;
            }
            match chars.next() {
                Some('n') => text.push('\n'),
                Some('t') => text.push('\t'),
                Some('r') => text.push('\r'),
                Some('0') => text.push('\0'),
                Some(other) => text.push(other),
                None => {}
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read() {
        let single = |text: &str| f32::from_bits(real(text, NumberType::F32).unwrap_or_default() as u32);
        assert_eq!(single("1.5f"), 1.5);
        assert_eq!(single("1e3"), 1000.0);
        assert_eq!(single("0x1.8p2"), 6.0);
        assert_eq!(real("1.5d", NumberType::F64), Some(1.5f64.to_bits()));
        assert_eq!(real("2d3", NumberType::F64), Some(2000f64.to_bits()));
        assert_eq!(real("1.0f16", NumberType::F16), Some(0x3c00));
    }
}
