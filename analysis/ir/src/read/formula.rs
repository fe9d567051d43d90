//! Reads the formula of a kernel's scratch memory.

use super::cursor::Cursor;
use super::kernel::Reader;
use super::lex::TokenKind;
use super::{MAX_NESTING, Read};
use crate::program::Def;
use crate::scratch::{Formula, Join};

impl<'t> Reader<'t> {
    /// Reads a formula, as `Formula::written` writes it.
    pub(super) fn formula(&self, cursor: &mut Cursor<'t>) -> Read<Formula> {
        self.formula_in(cursor, 0)
    }

    fn formula_in(&self, cursor: &mut Cursor<'t>, depth: usize) -> Read<Formula> {
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
            return Ok(Formula::Join(join, Box::new(a), Box::new(b)));
        }
        if cursor.peek().kind != TokenKind::Word {
            return Ok(Formula::Constant(cursor.integer()?));
        }
        let word = cursor.name()?;
        if !cursor.eat("(") {
            return Ok(Formula::Param(self.param_number(cursor, word)?));
        }
        let formula = match word {
            "size" => {
                let array = cursor.name()?;
                cursor.expect(",")?;
                Formula::Size(self.param_number(cursor, array)?, cursor.integer()?)
            }
            "wrapped" => {
                let inner = inner(cursor)?;
                cursor.expect(",")?;
                Formula::Wrapped(cursor.elem()?, Box::new(inner))
            }
            "aligned" => Formula::Aligned(Box::new(inner(cursor)?)),
            "array" => {
                let bytes = cursor.integer()?;
                let mut sizes = Vec::new();
                while cursor.eat(",") {
                    sizes.push(inner(cursor)?);
                }
                Formula::Array(bytes, sizes)
            }
            _ => match Join::ALL.into_iter().find(|join| join.is_function() && join.symbol() == word) {
                Some(join) => {
                    let a = inner(cursor)?;
                    cursor.expect(",")?;
                    Formula::Join(join, Box::new(a), Box::new(inner(cursor)?))
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
