//! Reads loops and branches.

use super::Read;
use super::cursor::Cursor;
use super::kernel::Reader;
use crate::entities::Value;
use crate::ops::Code;
use crate::program::{Control, Marks, Values};
use crate::scalar::Fold;

impl<'t> Reader<'t> {
    pub(super) fn control(&mut self, mut cursor: Cursor<'t>, mut marks: Marks) -> Read<Values> {
        let word = cursor.name()?;
        let scope = self.scope.len();
        let plain = word.strip_prefix('c').unwrap_or(word);
        marks.coherent |= plain != word;
        let results = match plain {
            "for" | "vector_for" => self.range_loop(&mut cursor, plain, marks)?,
            "foreach" => self.foreach(&mut cursor, marks)?,
            "map" => self.over_elements(&mut cursor, Code::Map, marks)?,
            "reduce" => self.over_elements(&mut cursor, Code::Reduce, marks)?,
            "scan" => self.over_elements(&mut cursor, Code::Scan, marks)?,
            "if" => self.branch(&mut cursor, marks)?,
            _ => self.while_loop(&mut cursor, marks)?,
        };
        self.leave_scope(scope);
        Ok(results)
    }

    pub(super) fn range_loop(&mut self, cursor: &mut Cursor<'t>, word: &str, marks: Marks) -> Read<Values> {
        let index = cursor.name()?;
        let (range, width) = self.range(cursor, word == "vector_for")?;
        let (carried, reductions) = (self.carried(cursor)?, self.reductions(cursor)?);
        cursor.expect(":")?;
        cursor.end()?;
        let code = if word == "for" { Code::For } else { Code::VectorFor };
        let control = Control { width, ..Control::default() };
        let args = self.builder.open_loop(code, control, index, range, &carried, &reductions);
        *self.builder.marks() = marks;
        self.define_named(index, args[0]);
        for (&arg, (name, _)) in args[1..].iter().zip(&carried) {
            self.define_named(name, arg);
        }
        let outer = self.lanes;
        self.lanes = width.or(outer);
        let yields = self.inner_block(cursor.line)?;
        self.lanes = outer;
        Ok(self.builder.close(&yields))
    }

    /// `x in a, y in b`, what is carried, and the block.
    fn over_elements(&mut self, cursor: &mut Cursor<'t>, code: Code, marks: Marks) -> Read<Values> {
        let mut arrays = Vec::new();
        loop {
            let element = cursor.name()?;
            cursor.expect("in")?;
            arrays.push((element, self.expression(cursor, 0)?));
            if !cursor.eat(",") {
                break;
            }
        }
        let (carried, reductions) = (self.carried(cursor)?, self.reductions(cursor)?);
        cursor.expect(":")?;
        cursor.end()?;
        let args = self.builder.open_over_elements(code, &arrays, &carried, &reductions);
        *self.builder.marks() = marks;
        for (&arg, (name, _)) in args.iter().zip(arrays.iter().chain(&carried)) {
            self.define_named(name, arg);
        }
        let yields = self.inner_block(cursor.line)?;
        Ok(self.builder.close(&yields))
    }

    /// `in range(lo, hi, step)`, and for a `vector_for` the lanes it is for.
    pub(super) fn range(&mut self, cursor: &mut Cursor<'t>, in_lanes: bool) -> Read<([Value; 3], Option<u16>)> {
        cursor.expect("in")?;
        cursor.expect("range")?;
        cursor.expect("(")?;
        let lo = self.expression(cursor, 0)?;
        cursor.expect(",")?;
        let hi = self.expression(cursor, 0)?;
        let mut width = None;
        let step = if in_lanes {
            cursor.expect(",")?;
            let multiplied = cursor.eat("(");
            width = Some(self.width(cursor)?);
            if multiplied {
                cursor.expect("*")?;
                let step = self.expression(cursor, 0)?;
                cursor.expect(")")?;
                step
            } else {
                self.number("1", None)
            }
        } else if cursor.eat(",") {
            self.expression(cursor, 0)?
        } else {
            self.number("1", None)
        };
        cursor.expect(")")?;
        Ok(([lo, hi, step], width))
    }

    /// `LANES`, or a number of lanes.
    pub(super) fn width(&mut self, cursor: &mut Cursor<'t>) -> Read<u16> {
        match self.builder.kernel().lanes {
            Some(lanes) if cursor.eat("LANES") => Ok(lanes),
            None if cursor.peek().text == "LANES" => cursor.error("`LANES` of a kernel that has none"),
            _ => cursor.integer(),
        }
    }

    /// `with s = s0, t = t0`.
    pub(super) fn carried(&mut self, cursor: &mut Cursor<'t>) -> Read<Vec<(&'t str, Value)>> {
        let mut carried = Vec::new();
        if cursor.eat("with") {
            loop {
                let name = cursor.name()?;
                cursor.expect("=")?;
                carried.push((name, self.expression(cursor, 0)?));
                if !cursor.eat(",") {
                    break;
                }
            }
        }
        Ok(carried)
    }

    /// `reducing + from x, * from y`.
    fn reductions(&mut self, cursor: &mut Cursor<'t>) -> Read<Vec<(Fold, Value)>> {
        let mut reductions = Vec::new();
        if cursor.eat("reducing") {
            loop {
                let symbol = cursor.take().text;
                let fold = Fold::ALL.into_iter().find(|fold| fold.symbol() == symbol);
                let Some(fold) = fold else { return cursor.error(format!("`{symbol}` joins nothing")) };
                cursor.expect("from")?;
                reductions.push((fold, self.expression(cursor, 0)?));
                if !cursor.eat(",") {
                    break;
                }
            }
        }
        Ok(reductions)
    }

    pub(super) fn foreach(&mut self, cursor: &mut Cursor<'t>, marks: Marks) -> Read<Values> {
        let mut ranges = Vec::new();
        loop {
            let index = cursor.name()?;
            ranges.push((index, self.range(cursor, false)?.0));
            if !cursor.eat(",") {
                break;
            }
        }
        let width = if cursor.eat("in") { Some(cursor.integer()?) } else { None };
        if width.is_some() {
            cursor.expect("lanes")?;
        }
        let (carried, reductions) = (self.carried(cursor)?, self.reductions(cursor)?);
        cursor.expect(":")?;
        cursor.end()?;
        let control = Control { width, ..Control::default() };
        let args = self.builder.open_foreach_with(&ranges, control, &carried, &reductions);
        *self.builder.marks() = marks;
        let names = ranges.iter().map(|(name, _)| name).chain(carried.iter().map(|(name, _)| name));
        for (&arg, name) in args.iter().zip(names) {
            self.define_named(name, arg);
        }
        let outer = self.lanes;
        self.lanes = outer.filter(|_| width.is_none());
        let yields = self.inner_block(cursor.line)?;
        self.lanes = outer;
        Ok(self.builder.close(&yields))
    }

    pub(super) fn branch(&mut self, cursor: &mut Cursor<'t>, marks: Marks) -> Read<Values> {
        let condition = self.expression(cursor, 0)?;
        cursor.expect(":")?;
        cursor.end()?;
        self.builder.open_if(condition);
        *self.builder.marks() = marks;
        let scope = self.scope.len();
        let then = self.inner_block(cursor.line)?;
        self.leave_scope(scope);
        let other = self.body.get(self.next).filter(|line| line.indent == cursor.line.indent && line.word() == "else");
        let Some(line) = other else { return Ok(self.builder.close(&then)) };
        self.next += 1;
        let mut cursor = Cursor::new(line);
        cursor.take();
        cursor.expect(":")?;
        cursor.end()?;
        self.builder.next_block(&then);
        let yields = self.inner_block(line)?;
        Ok(self.builder.close(&yields))
    }

    pub(super) fn while_loop(&mut self, cursor: &mut Cursor<'t>, marks: Marks) -> Read<Values> {
        let test = cursor.clone();
        let has_test = !matches!(cursor.peek().text, "with" | ":");
        while has_test && !(matches!(cursor.peek().text, "with" | ":" | "")) {
            cursor.take();
        }
        let carried = self.carried(cursor)?;
        cursor.expect(":")?;
        cursor.end()?;
        let args = self.builder.open_while(&carried);
        *self.builder.marks() = marks;
        for (&arg, (name, _)) in args.iter().zip(&carried) {
            self.define_named(name, arg);
        }
        let mut body_line = cursor.line;
        let mut test = test;
        if !has_test {
            self.inner_block(cursor.line)?;
            body_line = match self.body.get(self.next) {
                Some(line) if line.indent == cursor.line.indent && line.word() == "do" => line,
                _ => return cursor.error("a `do` with the test has to follow the block"),
            };
            self.next += 1;
            self.set_origin(body_line);
            test = Cursor::new(body_line);
            test.take();
        }
        let condition = self.expression(&mut test, 0)?;
        if !matches!(test.peek().text, "with" | ":") {
            return test.error("the test goes on");
        }
        self.builder.next_block(&[condition]);
        let yields = self.inner_block(body_line)?;
        Ok(self.builder.close(&yields))
    }
}
