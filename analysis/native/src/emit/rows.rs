//! Bytes that change places, on x86 processors that have no instruction for it: in a register of 64, and every third of them in one of 32.
//!
//! LLVM 22 lowers such a shuffle by cutting it into one of pieces across the register and one of bytes within 16, and for some
//! patterns makes the first shuffle out of the two again, without end (LLVM issue 224266). Here the cut is written out, and
//! between the two steps stands something that LLVM does not look into.

use ir::Family;

use super::function::Function;
use super::values::{Ty, Unit, Val};

/// The bytes of a row: those between which one instruction moves bytes.
const ROW: u16 = 16;

/// The bytes of a register.
const REGISTER: u16 = 64;

const N_ROWS: usize = (REGISTER / ROW) as usize;

/// The bytes of a register of AVX2.
const HALF_REGISTER: u16 = REGISTER / 2;

/// The distance of bytes in an order for which LLVM takes more instructions than there are rows to take them from.
const THIRD: u16 = 3;

impl Function<'_> {
    /// Every third byte of several registers of 32: of both rows of the result, the rows of the source that their bytes stand in are put
    /// side by side, so that one instruction moves the bytes of each such pair.
    pub(super) fn every_third_byte(&mut self, all: &Val, pattern: &[u16]) -> Option<Val> {
        let is_meant = self.target.family == Family::X86 && self.target.register_bytes == HALF_REGISTER;
        let of_bytes = all.ty.unit == Unit::Int(8) && pattern.len() == usize::from(HALF_REGISTER);
        if !is_meant || !of_bytes || !pattern.windows(2).all(|pair| pair[1].wrapping_sub(pair[0]) == THIRD) {
            return None;
        }
        let rows: Vec<Vec<u16>> = pattern.chunks(ROW.into()).map(rows_of).collect();
        let n_turns = rows.iter().map(Vec::len).max().unwrap_or(0);
        let mut result: Option<Val> = None;
        for turn in 0..n_turns {
            let from: Vec<u16> = rows.iter().map(|rows| rows.get(turn).or(rows.last()).copied().unwrap_or(0)).collect();
            let picks = from.iter().flat_map(|&row| row * ROW..(row + 1) * ROW);
            let pair = self.units_at(all, picks);
            // No instruction: a value that nothing is known of, which is the same wherever the same rows are.
            let ty = pair.ty;
            let pair = self.make("rows", ty, format!("call {ty} asm \"\", \"=x,0\"({pair}) nounwind memory(none)"));
            let picks = (0..HALF_REGISTER).map(|at| {
                let (row, pick) = (usize::from(at / ROW), pattern[usize::from(at)]);
                let is_there = rows[row].get(turn) == Some(&(pick / ROW));
                // The first lane behind the register is a zero.
                if is_there { at / ROW * ROW + pick % ROW } else { HALF_REGISTER }
            });
            let picks = Val::numbers(Unit::Int(32), picks.map(i128::from));
            let bytes = self.make("bytes", ty, format!("shufflevector {pair}, {ty} zeroinitializer, {picks}"));
            result = Some(match result {
                Some(before) => self.make("bytes", ty, format!("or {before}, {}", bytes.text)),
                None => bytes,
            });
        }
        result
    }

    /// The elements of a vector in the order of a pattern, where LLVM's own shuffle cannot be trusted with it.
    pub(super) fn permuted_by_rows(&mut self, all: &Val, pattern: &[u16]) -> Option<Val> {
        let target = self.target;
        let moves_bytes = target.features.split(',').any(|feature| feature == "+avx512vbmi");
        let is_of_bytes = matches!(all.ty.unit, Unit::Int(1 | 8));
        if !is_of_bytes || target.family != Family::X86 || target.register_bytes != REGISTER || moves_bytes {
            return None;
        }
        let mut chunks = pattern.chunks(REGISTER.into());
        if !chunks.any(changes_rows) {
            return None;
        }
        let ty = all.ty.with(Unit::Int(8));
        let bytes = match all.ty == ty {
            true => all.clone(),
            false => self.make("bytes", ty, format!("sext {all} to {ty}")),
        };
        let parts: Vec<Val> = pattern
            .chunks(REGISTER.into())
            .map(|chunk| match changes_rows(chunk) {
                true => self.register_by_rows(&bytes, chunk),
                false => self.units_at(&bytes, chunk.iter().copied()),
            })
            .collect();
        let bytes = self.side_by_side(&parts);
        Some(match all.ty.unit {
            Unit::Int(1) => self.named(bytes.ty.with(Unit::Int(1)), format!("icmp slt {bytes}, zeroinitializer")),
            _ => bytes,
        })
    }

    /// As many bytes as a register has, or fewer, out of one register.
    fn register_by_rows(&mut self, all: &Val, pattern: &[u16]) -> Val {
        let first = pattern[0] / REGISTER * REGISTER;
        let register = self.cut(all, first, REGISTER);
        let pattern: Vec<u16> = pattern.iter().map(|&pick| pick - first).collect();
        // The rows that each row of the result has bytes of.
        let mut rows: [Vec<u16>; N_ROWS] = Default::default();
        rows.iter_mut().zip(pattern.chunks(ROW.into())).for_each(|(row, picks)| *row = rows_of(picks));
        let n_turns = rows.iter().map(Vec::len).max().unwrap_or(0);
        let mut result: Option<Val> = None;
        for turn in 0..n_turns {
            let moved = self.rows_at(&register, &rows, turn);
            let picks = (0..REGISTER).map(|at| {
                let row = at / ROW;
                let picked = pattern.get(usize::from(at)).copied();
                let picked = picked.filter(|pick| rows[usize::from(row)].get(turn) == Some(&(pick / ROW)));
                // The first lane behind the register is a zero.
                picked.map_or(REGISTER, |pick| row * ROW + pick % ROW)
            });
            let picks = Val::numbers(Unit::Int(32), picks.map(i128::from));
            let ty = moved.ty;
            let bytes = self.make("bytes", ty, format!("shufflevector {moved}, {ty} zeroinitializer, {picks}"));
            result = Some(match result {
                Some(before) => self.make("bytes", ty, format!("or {before}, {}", bytes.text)),
                None => bytes,
            });
        }
        let result = result.expect("a pattern has lanes");
        self.cut(&result, 0, pattern.len() as u16)
    }

    /// A register's rows, moved to where their bytes are wanted in a turn.
    fn rows_at(&mut self, register: &Val, rows: &[Vec<u16>; N_ROWS], turn: usize) -> Val {
        let moved: Vec<u16> =
            (0..).zip(rows).map(|(row, from): (u16, _)| from.get(turn).copied().unwrap_or(row)).collect();
        if moved.iter().copied().eq(0..) {
            return register.clone();
        }
        let ty = Ty::lanes(Unit::Int(64), REGISTER / 8);
        let words = self.make("rows", ty, format!("bitcast {register} to {ty}"));
        let picks = moved.iter().flat_map(|&row| [2 * row, 2 * row + 1]);
        let picks = Val::numbers(Unit::Int(32), picks.map(i128::from));
        let words = self.make("rows", ty, format!("shufflevector {words}, {ty} poison, {picks}"));
        // No instruction: a value that nothing is known of.
        let words = self.make("rows", ty, format!("call {ty} asm \"\", \"=v,0\"({words})"));
        self.make("rows", register.ty, format!("bitcast {words} to {}", register.ty))
    }
}

/// The rows that some bytes stand in.
fn rows_of(picks: &[u16]) -> Vec<u16> {
    let mut rows = Vec::new();
    for row in picks.iter().map(|pick| pick / ROW) {
        if !rows.contains(&row) {
            rows.push(row);
        }
    }
    rows
}

/// True if lanes that fill more than half a register come out of one register, and not all from their own row. Bytes that follow
/// on each other, and one byte for all lanes, have instructions of their own.
fn changes_rows(pattern: &[u16]) -> bool {
    let first = pattern[0];
    let follows = (first..).zip(pattern).all(|(at, &pick)| at == pick);
    let is_one = pattern.iter().all(|&pick| pick == first);
    let of_one = pattern.iter().all(|pick| pick / REGISTER == first / REGISTER);
    let stays = (0..).zip(pattern).all(|(at, &pick): (u16, _)| pick % REGISTER / ROW == at / ROW);
    pattern.len() > usize::from(REGISTER / 2) && of_one && !follows && !is_one && !stays
}
