//! Notes on operators: divisions, shifts, conversions, numbers of twice the width.

use ispc::kinds::Kind;
use ispc::tree::NodeKind;
use ispc_types::source::Source;
use ispc_types::ty::{Atomic, TypeKind};

use crate::edits;
use crate::notes::Notes;
use crate::variables::call_at;

impl Notes<'_> {
    pub(crate) fn of_start(&mut self, node: usize) {
        let [declarator, value] = self.piece.children(node)[..] else { return };
        let data = self.piece.node(declarator);
        let declared = (data.first..data.end).find_map(|token| self.piece.declared(token));
        let Some(ty) = declared.map(|entity| self.types.layer.entity(entity).ty) else { return };
        if let TypeKind::Atomic(to, _) = self.types.layer.kind(ty) {
            self.of_conversion(value, value, Some(*to));
        }
    }

    pub(crate) fn of_return(&mut self, node: usize) {
        let layer = &self.types.layer;
        let TypeKind::Function(gives, _) = layer.kind(layer.entity(self.piece.function()).ty) else { return };
        if let (TypeKind::Atomic(to, _), Some(value)) = (layer.kind(*gives), self.piece.children(node).first()) {
            self.of_conversion(*value, *value, Some(*to));
        }
    }

    pub(crate) fn of_operator(&mut self, node: usize) {
        if self.value(node).is_none() || call_at(self.types, node).is_some() {
            return;
        }
        let [left, right] = self.piece.children(node)[..] else { return };
        let operator = self.piece.node(left).end;
        let is_int = self.atomic(node).is_some_and(Atomic::is_int);
        match self.piece.kind(operator) {
            Kind::Slash | Kind::SlashEq if is_int && self.is_varying(node) => self.of_division(node, left, right, true),
            Kind::Percent | Kind::PercentEq if is_int && self.is_varying(node) => {
                self.of_division(node, left, right, false);
            }
            Kind::GtGt | Kind::GtGtEq => self.of_shift(node, right),
            Kind::Eq => self.of_conversion(right, right, self.atomic(left)),
            _ => {}
        }
        if self.piece.node(node).kind == NodeKind::Binary {
            let to = self.atomic(node);
            for side in [left, right] {
                if to.is_some_and(Atomic::is_float) && self.atomic(side).is_some_and(Atomic::is_int) {
                    self.of_conversion(side, side, to);
                }
            }
            self.of_double(node, left, right);
        }
    }

    fn of_division(&mut self, node: usize, left: usize, right: usize, is_division: bool) {
        let (code, what) = match is_division {
            true => ("ispc-perf-division", "a division"),
            false => ("ispc-perf-modulus", "a remainder"),
        };
        let (Some(dividend), Some(divisor)) = (self.value(left).copied(), self.value(right).copied()) else { return };
        let message = format!(
            "{} is {what} of whole numbers in each lane, which no vector unit has: it is done lane by lane",
            self.words.code(node as u32)
        );
        let power = divisor.value.filter(|value| *value > 0 && value & (value - 1) == 0).map(i128::trailing_zeros);
        let same = match (is_division, power) {
            (true, Some(power)) => format!("`>> {power}`"),
            (false, Some(power)) => format!("`& {}`", (1i128 << power) - 1),
            _ => String::new(),
        };
        let help = match power {
            _ if dividend.is_uniform() && divisor.is_uniform() => {
                "all lanes compute with the same numbers here: `uniform` variables make it one operation".to_owned()
            }
            Some(_) if dividend.is_nonneg => format!("no lane is below zero here, so {same} gives the same"),
            Some(_) => format!("{same} gives the same for numbers that are not below zero: make the dividend an unsigned one if none is"),
            None if divisor.is_uniform() => "divide by a power of two, or as `float` where the numbers are below 2^24; where the divisor is the same in all lanes, compute its reciprocal once and multiply".to_owned(),
            None => "divide as `float` where the numbers are below 2^24, or make one of them `uniform`".to_owned(),
        };
        let fix = power.filter(|_| dividend.is_nonneg).and_then(|power| {
            let edits = edits::shift_or_mask(self.piece, &self.parents, node, (left, right), is_division, power)?;
            Some((format!("write {same} for {what}"), edits))
        });
        self.note(code, node, message, help).fixes.extend(fix);
        self.with_story(dividend.cause.or(divisor.cause));
    }

    pub(crate) fn of_shift(&mut self, node: usize, amount: usize) {
        let Some(value) = self.value(amount).copied().filter(|_| self.is_varying(amount)) else { return };
        let written = self.words.code(node as u32);
        let message = match value.is_uniform() {
            true => format!(
                "{written} shifts each lane by an amount of its own, though all of them are one: units before AVX2 do that lane by lane"
            ),
            false => format!("{written} shifts each lane by another amount, which units before AVX2 do lane by lane"),
        };
        let help = match value.is_uniform() {
            true => "all lanes have one amount here: a `uniform` variable says so",
            false => {
                "shift by a constant or `uniform` amount where you can; a multiplication by a power of two shifts to the left"
            }
        };
        self.note("ispc-perf-shift", node, message, help);
        self.with_story(value.cause);
    }

    /// A conversion between unsigned and real numbers.
    pub(crate) fn of_conversion(&mut self, node: usize, from_node: usize, to: Option<Atomic>) {
        let (Some(from), Some(to)) = (self.atomic(from_node), to) else { return };
        if !self.is_varying(from_node) || self.value(from_node).is_none() {
            return;
        }
        let is_wide_unsigned = |atomic: Atomic| matches!(atomic, Atomic::Uint32 | Atomic::Uint64);
        let is_slow = (is_wide_unsigned(from) && to.is_float()) || (from.is_float() && is_wide_unsigned(to));
        if !is_slow {
            return;
        }
        let message = format!(
            "{} is converted from `{}` to `{}` in each lane, for which units before AVX-512 have no instruction: it takes several",
            self.words.code(from_node as u32),
            from.word(),
            to.word()
        );
        let unsigned = if to.is_float() { from } else { to };
        let signed = if unsigned == Atomic::Uint32 { "int" } else { "int64" };
        let help = format!("convert by way of `{signed}` if the numbers fit: `({signed})`");
        self.note("ispc-perf-conversion", node, message, help);
    }

    /// An operand of twice the width that widens the other one.
    fn of_double(&mut self, node: usize, left: usize, right: usize) {
        let atomics = (self.atomic(left), self.atomic(right));
        let (wide, narrow) = match atomics {
            (Some(Atomic::Double), Some(Atomic::Float)) => (left, right),
            (Some(Atomic::Float), Some(Atomic::Double)) => (right, left),
            _ => return,
        };
        if !self.is_varying(narrow) && !self.is_varying(wide) {
            return;
        }
        let (literal, other) = (self.words.code(wide as u32), self.words.code(narrow as u32));
        let is_literal = self.piece.node(wide).kind == NodeKind::Literal;
        let message = match is_literal {
            true => format!(
                "the number {literal} is a `double`, so {other} becomes one in each lane, and half as many lanes fit a register"
            ),
            false => format!(
                "{literal} is a `double`, so {other} becomes one in each lane, and half as many lanes fit a register"
            ),
        };
        let fix = is_literal.then(|| edits::as_float(self.piece, wide)).flatten();
        let help = if is_literal {
            "write the number without its `d`"
        } else {
            "compute with `float`, if that is exact enough"
        };
        self.note("ispc-perf-double", node, message, help).fixes.extend(fix);
    }
}
