//! Expressions, and the operands they become.

use super::cursor::{Cursor, keyword, literal};
use super::kernel::Reader;
use super::lex::TokenKind;
use super::{MAX_NESTING, Read};
use crate::entities::{Op, Value};
use crate::ops::{Code, Key, PrintForm};
use crate::program::{Attr, Def, Values};
use crate::scalar::Scalar;
use crate::types::{CellType, Elem, Type};

impl<'t> Reader<'t> {
    pub(super) fn values(&mut self, cursor: &mut Cursor<'t>) -> Read<Values> {
        let mut values: Values = [self.expression(cursor, 0)?].into_iter().collect();
        while cursor.eat(",") {
            values.push(self.expression(cursor, 0)?);
        }
        Ok(values)
    }

    /// Expressions up to a closing bracket.
    pub(super) fn list(&mut self, cursor: &mut Cursor<'t>, close: &str, depth: usize) -> Read<Values> {
        let mut values = Values::new();
        while !cursor.eat(close) {
            values.push(self.expression(cursor, depth)?);
            if cursor.peek().text != close {
                cursor.expect(",")?;
            }
        }
        Ok(values)
    }

    pub(super) fn expression(&mut self, cursor: &mut Cursor<'t>, depth: usize) -> Read<Value> {
        if depth > MAX_NESTING {
            return cursor.error("this is nested too deep");
        }
        let mut value = self.primary(cursor, depth + 1)?;
        while matches!(cursor.peek().text, "[" | ".") {
            value = self.postfix(cursor, value, depth + 1)?;
        }
        Ok(value)
    }

    /// `[i, j]` or `.x` behind a view.
    pub(super) fn postfix(&mut self, cursor: &mut Cursor<'t>, view: Value, depth: usize) -> Read<Value> {
        if cursor.eat("[") {
            let mut operands: Values = [view].into_iter().collect();
            operands.extend(self.list(cursor, "]", depth)?);
            return self.one_result(cursor, Code::Load, Attr::None, &operands);
        }
        cursor.expect(".")?;
        let name = cursor.name()?;
        let kernel = self.builder.kernel();
        let field = match kernel.ty(view) {
            Type::View { item: CellType::Struct(decl), .. } => {
                kernel.structs[decl].fields.iter().position(|field| &*field.name == name)
            }
            _ => None,
        };
        let Some(field) = field else { return cursor.error(format!("no field `{name}`")) };
        self.one_result(cursor, Code::Field, Attr::Field(field as u16), &[view])
    }

    pub(super) fn one_result(&mut self, cursor: &Cursor, code: Code, attr: Attr, operands: &[Value]) -> Read<Value> {
        let op = self.push(cursor, code, attr, operands)?;
        let results = &self.builder.kernel().ops[op].results;
        results.first().map_or_else(|| cursor.error(format!("`{}` gives nothing", code.row().name)), |&value| Ok(value))
    }

    pub(super) fn primary(&mut self, cursor: &mut Cursor<'t>, depth: usize) -> Read<Value> {
        if let Some(text) = literal(cursor) {
            return Ok(self.number(&text, None));
        }
        if cursor.eat("(") {
            return self.parenthesised(cursor, depth);
        }
        let name = cursor.name()?;
        if cursor.peek().text != "(" {
            return match name {
                "lane_id" => {
                    let attr = self.in_force();
                    self.one_result(cursor, Code::LaneId, attr, &[])
                }
                _ => self.value_named(cursor, name),
            };
        }
        if let Some(elem) = Elem::from_name(name) {
            return self.convert(cursor, elem, depth);
        }
        let Some(code) = Code::from_name(name) else { return cursor.error(format!("`{name}` is no op")) };
        let op = self.call(cursor, code, depth)?;
        let results = &self.builder.kernel().ops[op].results;
        results.first().map_or_else(|| cursor.error(format!("`{name}` gives nothing")), |&value| Ok(value))
    }

    /// `f32(x)`, or a number with its type.
    pub(super) fn convert(&mut self, cursor: &mut Cursor<'t>, elem: Elem, depth: usize) -> Read<Value> {
        cursor.expect("(")?;
        let mut ahead = cursor.clone();
        if let Some(text) = literal(&mut ahead).filter(|_| ahead.eat(")")) {
            *cursor = ahead;
            return Ok(self.number(&text, Some(elem)));
        }
        let value = self.expression(cursor, depth)?;
        cursor.expect(")")?;
        self.one_result(cursor, Code::Cast, Attr::Elem(elem), &[value])
    }

    /// The form after a `(`: an operator before its operand, or between two.
    pub(super) fn parenthesised(&mut self, cursor: &mut Cursor<'t>, depth: usize) -> Read<Value> {
        let negative_number = literal(&mut cursor.clone()).is_some();
        if let Some(code) = Code::from_prefix(cursor.peek().text).filter(|_| !negative_number) {
            cursor.take();
            let value = self.expression(cursor, depth)?;
            cursor.expect(")")?;
            return self.one_result(cursor, code, Attr::None, &[value]);
        }
        let left = self.expression(cursor, depth)?;
        if cursor.eat(")") {
            return Ok(left);
        }
        let symbol = cursor.take().text;
        let Some(code) = Code::from_infix(symbol) else { return cursor.error(format!("`{symbol}` is no operator")) };
        if code == Code::Add && self.lanes.is_some() && cursor.peek().text == "lane_id" && cursor.ahead(1).text == ")" {
            cursor.take();
            cursor.take();
            let (one, attr) = (self.number("1", None), self.in_force());
            return self.one_result(cursor, Code::LaneIndex, attr, &[left, one]);
        }
        let right = self.expression(cursor, depth)?;
        cursor.expect(")")?;
        self.one_result(cursor, code, Attr::None, &[left, right])
    }

    pub(super) fn in_force(&self) -> Attr {
        self.lanes.map_or(Attr::None, Attr::Lanes)
    }

    /// `(operands, key=attribute)` behind the name of an op.
    pub(super) fn call(&mut self, cursor: &mut Cursor<'t>, code: Code, depth: usize) -> Read<Op> {
        let row = code.row();
        if code.is_control() || matches!(row.form, PrintForm::Dot | PrintForm::Convert) {
            return cursor.error(format!("`{}` is not written as a call", row.name));
        }
        cursor.expect("(")?;
        let mut operands = Values::new();
        let mut attr = None;
        while !cursor.eat(")") {
            if cursor.peek().kind == TokenKind::Word && cursor.ahead(1).text == "=" {
                attr = Some(keyword(cursor, row.key)?);
            } else {
                operands.push(self.expression(cursor, depth)?);
            }
            if cursor.peek().text != ")" {
                cursor.expect(",")?;
            }
        }
        let attr = attr.unwrap_or_else(|| self.default_attr(code, &operands));
        self.push(cursor, code, attr, &operands)
    }

    /// The default of an attribute.
    pub(super) fn default_attr(&self, code: Code, operands: &[Value]) -> Attr {
        let in_lanes = operands.iter().any(|&value| self.builder.kernel().ty(value).lanes().is_some());
        match code.row().key {
            Key::Lanes if code == Code::VectorLoad && in_lanes => Attr::None,
            Key::Lanes => self.in_force(),
            Key::Dim => Attr::Number(0),
            _ => Attr::None,
        }
    }

    /// A value that stands for a number until its type is known.
    pub(super) fn number(&mut self, text: &str, typed: Option<Elem>) -> Value {
        let is_float = text.contains(['.', 'e', 'i', 'n']);
        let scalar = match text {
            "true" | "false" => Scalar::Bool(text == "true"),
            _ if is_float => Scalar::F32(0.0),
            _ => Scalar::I32(0),
        };
        let value = self.builder.kernel_mut().add_value(Type::scalar(scalar.elem()), Def::Const(scalar), None);
        self.numbers.insert(value, text.to_owned());
        self.written.extend(typed.map(|elem| (value, elem)));
        value
    }
}
