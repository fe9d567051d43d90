//! Reads the formula of a kernel's scratch memory.

use super::cursor::Cursor;
use super::kernel::Reader;
use super::lex::TokenKind;
use super::{MAX_NESTING, Read};
use crate::program::Def;
use crate::scratch::{Join, SizeFormula};

impl<'t> Reader<'t> {
    /// Reads a formula, as `SizeFormula::written` writes it.
    pub(super) fn formula(&self, cursor: &mut Cursor<'t>) -> Read<SizeFormula> {
        self.formula_in(cursor, 0)
    }

    fn formula_in(&self, cursor: &mut Cursor<'t>, depth: usize) -> Read<SizeFormula> {
        if depth > MAX_NESTING {
            return cursor.error("the formula is nested too deep");
        }
        let inner = |cursor: &mut Cursor<'t>| self.formula_in(cursor, depth + 1);
        if cursor.eat("(") {
            let a = inner(cursor)?;
            let symbol = cursor.take().text;
            let Some(join) = Join::ALL.into_iter().find(|join| !join.is_function() && join.symbol() == symbol) else {
                return cursor.error(format!("`{symbol}` joins no numbers of bytes"));
            };
            let b = inner(cursor)?;
            cursor.expect(")")?;
            return Ok(SizeFormula::Join(join, Box::new(a), Box::new(b)));
        }
        if cursor.peek().kind != TokenKind::Word {
            return Ok(SizeFormula::Constant(cursor.integer()?));
        }
        let word = cursor.name()?;
        if !cursor.eat("(") {
            return Ok(SizeFormula::Param(self.param_number(cursor, word)?));
        }
        let formula = match word {
            "size" => {
                let array = cursor.name()?;
                cursor.expect(",")?;
                SizeFormula::Size(self.param_number(cursor, array)?, cursor.integer()?)
            }
            "wrapped" => {
                let inner = inner(cursor)?;
                cursor.expect(",")?;
                SizeFormula::Wrapped(cursor.elem()?, Box::new(inner))
            }
            "aligned" => SizeFormula::Aligned(Box::new(inner(cursor)?)),
            "array" => {
                let bytes = cursor.integer()?;
                let mut sizes = Vec::new();
                while cursor.eat(",") {
                    sizes.push(inner(cursor)?);
                }
                SizeFormula::Array(bytes, sizes)
            }
            _ => match Join::ALL.into_iter().find(|join| join.is_function() && join.symbol() == word) {
                Some(join) => {
                    let a = inner(cursor)?;
                    cursor.expect(",")?;
                    SizeFormula::Join(join, Box::new(a), Box::new(inner(cursor)?))
                }
                None => return cursor.error(format!("`{word}` is no part of a number of bytes")),
            },
        };
        cursor.expect(")")?;
        Ok(formula)
    }

    fn param_number(&self, cursor: &Cursor, name: &str) -> Read<usize> {
        let value = self.value_named(cursor, name)?;
        match self.builder.kernel().values[value].def {
            Def::Param(number) => Ok(number as usize),
            _ => cursor.error(format!("`{name}` is no parameter")),
        }
    }
}
