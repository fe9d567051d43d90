//! Numbers as those of other types.

use ispc_ir::module::GangReg;
use ispc_ir::types::{GangType, NumberType};

use crate::arithmetic::mangled;
use crate::function::{FunctionEmitter, element, is_row_number, wrapped};
use crate::value::{Address, LaneBytes, Operand, RegValue, Row, literal};

impl FunctionEmitter<'_> {
    pub(crate) fn converted(&mut self, from: GangReg, to: GangReg) -> RegValue {
        let (of, ty) = (self.type_of(from), self.type_of(to));
        if let Some(value) = self.converted_row(from, of.number, ty) {
            return value;
        }
        if ty.number == NumberType::Pointer && of.number.bits() == 64 && !of.number.is_float() {
            let value = self.plain(from);
            return RegValue::Address(match ty.is_varying {
                true => Address { lanes: LaneBytes::Each { index: value, scale: 1 }, ..Address::default() },
                false => Address { moved: Some(value), ..Address::default() },
            });
        }
        let value = self.numbers_of(from);
        RegValue::Plain(self.convert(&value, of.number, ty.number, ty.is_varying))
    }

    /// A register whose addresses are whole numbers.
    pub(crate) fn numbers_of(&mut self, reg: GangReg) -> Operand {
        let ty = self.type_of(reg);
        if ty.number != NumberType::Pointer || ty.is_varying {
            return self.plain(reg);
        }
        let address = self.address(reg);
        self.address_number(&address)
    }

    fn converted_row(&mut self, from: GangReg, of: NumberType, ty: GangType) -> Option<RegValue> {
        let row = self.row(from)?;
        let to = ty.number;
        if !is_row_number(to) && to != NumberType::Pointer {
            return None;
        }
        if let Some(constant) = literal(&row.start).filter(|_| !of.is_signed()) {
            // The number without its sign.
            let constant = if of.bits() < 64 { constant & ((1 << of.bits()) - 1) } else { constant };
            if row.step == 0 {
                return Some(self.whole_row(constant, 0, ty));
            }
        } else if let Some(constant) = literal(&row.start) {
            return Some(self.whole_row(constant, row.step, ty));
        }
        // An index is taken not to pass the end of its type; numbers without sign pass it at zero.
        let stays = row.step == 0 || of.is_signed() || to.bits() <= of.bits();
        if !stays {
            return None;
        }
        let start = self.convert(&row.start, of, if to == NumberType::Pointer { NumberType::U64 } else { to }, false);
        Some(match (to, ty.is_varying) {
            (NumberType::Pointer, _) => {
                let lanes = if row.step == 0 { LaneBytes::Same } else { LaneBytes::Row(row.step) };
                RegValue::Address(Address { moved: Some(start), lanes, ..Address::default() })
            }
            (_, true) => RegValue::Row(Row { start, step: row.step }),
            (_, false) => RegValue::Plain(start),
        })
    }

    fn whole_row(&mut self, start: i64, step: i64, ty: GangType) -> RegValue {
        if ty.number == NumberType::Pointer {
            let lanes = if step == 0 { LaneBytes::Same } else { LaneBytes::Row(step) };
            return RegValue::Address(Address { constant: start, lanes, ..Address::default() });
        }
        let start: Operand = wrapped(start, ty.number.bits()).to_string().into();
        match ty.is_varying {
            true => RegValue::Row(Row { start, step }),
            false => RegValue::Plain(start),
        }
    }

    /// A number as one of another type.
    pub(crate) fn convert(&mut self, value: &str, of: NumberType, to: NumberType, varies: bool) -> Operand {
        use NumberType::*;
        if of == to {
            return value.into();
        }
        let (from, into) = (self.shaped(element(of), varies), self.shaped(element(to), varies));
        match (of, to) {
            (F16, _) => {
                let wide = self.half_to_float(value, varies);
                self.convert(&wide, F32, to, varies)
            }
            (F32, F16) => self.float_to_half(value, varies),
            (F64, F16) => self.double_to_half(value, varies),
            (_, F16) => {
                let wide = self.convert(value, of, F64, varies);
                self.double_to_half(&wide, varies)
            }
            (F32, F64) => self.set(format!("fpext {from} {value} to {into}")),
            (F64, F32) => self.set(format!("fptrunc {from} {value} to {into}")),
            (F32 | F64, Bool) => {
                let zero = self.constant(element(of), "0.0", varies);
                self.set(format!("fcmp une {from} {value}, {zero}"))
            }
            (F32 | F64, _) => {
                let (name, through) = match to {
                    U64 | Pointer => ("fptoui", "i64"),
                    I64 | U32 => ("fptosi", "i64"),
                    _ => ("fptosi", "i32"),
                };
                let wide = self.shaped(through, varies);
                let name = format!("llvm.{name}.sat.{}.{}", mangled(&wide), mangled(&from));
                let whole = self.call(&wide, &name, &[(&from, value)]);
                let through = if through == "i64" { I64 } else { I32 };
                match through.bits() == to.bits() {
                    true => whole,
                    false => self.set(format!("trunc {wide} {whole} to {into}")),
                }
            }
            (_, F32 | F64) => {
                let op = if of.is_signed() { "sitofp" } else { "uitofp" };
                self.set(format!("{op} {from} {value} to {into}"))
            }
            (_, Bool) => {
                let zero = self.constant(element(of), "0", varies);
                self.set(format!("icmp ne {from} {value}, {zero}"))
            }
            _ if of.bits() == to.bits() => value.into(),
            _ if of.bits() > to.bits() => self.set(format!("trunc {from} {value} to {into}")),
            _ => {
                let op = if of.is_signed() { "sext" } else { "zext" };
                self.set(format!("{op} {from} {value} to {into}"))
            }
        }
    }

    pub(crate) fn reinterpreted(&mut self, from: GangReg, ty: GangType) -> RegValue {
        let of = self.type_of(from);
        if let Some(RegValue::Row(row)) = self.value(from)
            && is_row_number(ty.number)
        {
            return RegValue::Row(row.clone());
        }
        let value = self.numbers_of(from);
        let (old, new) =
            (self.shaped(element(of.number), ty.is_varying), self.shaped(element(ty.number), ty.is_varying));
        if ty.number == NumberType::Pointer && !ty.is_varying {
            return RegValue::Address(Address { moved: Some(value), ..Address::default() });
        }
        RegValue::Plain(if old == new { value } else { self.set(format!("bitcast {old} {value} to {new}")) })
    }

    pub(crate) fn spread(&mut self, from: GangReg) -> RegValue {
        let ty = self.type_of(from);
        if ty.number == NumberType::Pointer {
            return RegValue::Address(self.address(from));
        }
        match self.row(from) {
            Some(row) => RegValue::Row(row),
            None => {
                let value = self.plain(from);
                RegValue::Plain(self.splat(element(ty.number), &value))
            }
        }
    }
}
