//! Instructions as what they do: the work on registers, and each register's worth that goes to memory or comes from it.
//!
//! Each family has a file of its own, with its mnemonics in tables: [`x86`], [`arm`], [`riscv`], [`wasm`].

mod arm;
mod riscv;
mod wasm;
mod x86;

use ir::Family;

use super::counts::Kind;

/// An instruction as what it does.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Decoded<'t> {
    /// The work on registers; `None` where there is none but to move a register's worth.
    pub(super) work: Option<Kind>,
    /// The number of registers' worth that are loaded, as an operand of the work or by themselves.
    pub(super) loads: u32,
    /// The number of registers' worth that are stored.
    pub(super) stores: u32,
    /// The memory at a fixed distance from a register.
    pub(super) slot: Option<Slot<'t>>,
    /// The registers that are loaded or stored by themselves.
    pub(super) moved: Vec<&'t str>,
    /// The place at which it goes on, if not only with the next instruction.
    pub(super) flow: Flow<'t>,
    /// The bytes that the stack grows by.
    pub(super) grows: i64,
    /// True if it makes the frame pointer what it is.
    pub(super) sets_frame_pointer: bool,
}

/// Memory at a fixed distance from a register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Slot<'t> {
    pub(super) base: &'t str,
    pub(super) offset: i64,
}

/// The place to which an instruction leads.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Flow<'t> {
    /// To the next instruction.
    #[default]
    Next,
    /// To a label, or to the next instruction.
    Branch(&'t str),
    /// To a label.
    Jump(&'t str),
    /// Out of the function, or nowhere that can be told.
    Out,
}

/// The bytes that the stack grows by if they are in a register: more than any distance that an instruction has.
const LARGE: i64 = 1 << 40;

/// The registers of a family that the frame is found by.
pub(super) struct Frame {
    pub(super) stack_pointer: &'static str,
    pub(super) frame_pointer: &'static str,
    /// The distance from the frame pointer from which on memory is the caller's.
    pub(super) callers_from: i64,
    /// True for a register that a function leaves as it was.
    pub(super) is_saved: fn(&str) -> bool,
}

/// The frame's registers of a family.
pub(super) fn frame(family: Family) -> &'static Frame {
    match family {
        Family::X86 => &x86::FRAME,
        Family::Arm => &arm::FRAME,
        Family::RiscV => &riscv::FRAME,
        Family::Wasm => &wasm::FRAME,
    }
}

/// Decodes an instruction.
pub(super) fn decode(line: &str, family: Family) -> Decoded<'_> {
    let line = line.trim();
    let (name, operands) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let operands = split(operands);
    match family {
        Family::X86 => x86::decode(name, &operands),
        Family::Arm => arm::decode(name, &operands),
        Family::RiscV => riscv::decode(name, &operands),
        Family::Wasm => wasm::decode(name),
    }
}

/// Finds where branches lead that do not say so by themselves. Each line that one leads to gets a label out of `names`, which has one for
/// each line.
pub(super) fn find_flow<'t>(
    family: Family,
    lines: &[&str],
    names: &'t [String],
    labels: &mut [Option<&'t str>],
    code: &mut [Option<Decoded<'t>>],
) {
    if family == Family::Wasm {
        wasm::find_flow(lines, names, labels, code);
    }
}

/// Operands, which commas divide that are in no brackets.
pub(super) fn split(operands: &str) -> Vec<&str> {
    let (mut depth, mut start, mut parts) = (0, 0, Vec::new());
    for (at, c) in operands.char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(operands[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    let last = operands[start..].trim();
    parts.extend((!last.is_empty()).then_some(last));
    parts
}

/// A number as assembly has it: `-8`, `#16`, `$-64`, `#0x40`.
fn number(text: &str) -> Option<i64> {
    let text = text.trim().trim_start_matches(['#', '$']);
    let (negative, digits) = text.strip_prefix('-').map_or((false, text), |digits| (true, digits));
    let number = match digits.strip_prefix("0x") {
        Some(hex) => i64::from_str_radix(hex, 16).ok()?,
        None => digits.parse().ok()?,
    };
    Some(if negative { -number } else { number })
}

/// True for a register's name: one of these letters, and a number.
fn is_numbered(register: &str, letters: &str) -> bool {
    let mut chars = register.chars();
    let letter = chars.next();
    let digits = chars.as_str();
    letter.is_some_and(|letter| letters.contains(letter))
        && !digits.is_empty()
        && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// The words of operands: names of registers, numbers.
fn words<'t>(operands: &'t [&'t str]) -> impl Iterator<Item = &'t str> {
    operands.iter().flat_map(|operand| operand.split(|c: char| !c.is_alphanumeric())).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests;
