//! Reads a kernel: its header, its blocks and statements.

use std::collections::{HashMap, HashSet};

use super::cursor::{Cursor, RawSize, mark, raw_size};
use super::lex::{Line, TokenKind};
use super::settle::settle_types;
use super::{MAX_NESTING, Read};
use crate::builder::Builder;
use crate::compact::compact;
use crate::entities::{EntityVec, Op, Struct, Value};
use crate::lines;
use crate::ops::{Code, OperandSlot};
use crate::program::{Attr, DimSize, Kernel, Marks, StructDecl, Values};
use crate::types::{CellType, Elem, Type};

/// The reader of one kernel.
pub(super) struct Reader<'t> {
    pub(super) body: &'t [Line<'t>],
    pub(super) next: usize,
    pub(super) builder: Builder,
    /// Values in scope, by name, with the depth of the block they are of.
    pub(super) scope: Vec<(&'t str, Value)>,
    pub(super) by_name: HashMap<&'t str, Vec<Value>>,
    /// The text of each number, by the value that stands for it until its type is known.
    pub(super) numbers: HashMap<Value, String>,
    /// Types that are written down, of parameters and of numbers.
    pub(super) written: HashMap<Value, Elem>,
    /// The number of lanes that a vector has if its text does not say.
    pub(super) lanes: Option<u16>,
    /// The element types of arrays whose shape is written, and where.
    pub(super) shapes: Vec<(Value, Elem, &'t Line<'t>)>,
    pub(super) depth: usize,
}

impl<'t> Reader<'t> {
    /// Reads the line that starts a kernel.
    pub(super) fn header(
        mut cursor: Cursor<'t>,
        body: &'t [Line<'t>],
        structs: &EntityVec<Struct, StructDecl>,
        lanes: Option<u16>,
    ) -> Read<Reader<'t>> {
        cursor.expect("kernel")?;
        let mut kernel = Kernel::new(cursor.name()?);
        kernel.lanes = lanes;
        kernel.structs = structs.clone();
        let mut reader = Reader {
            body,
            next: 0,
            builder: Builder::on(kernel),
            scope: Vec::new(),
            by_name: HashMap::new(),
            numbers: HashMap::new(),
            written: HashMap::new(),
            lanes,
            shapes: Vec::new(),
            depth: 0,
        };
        cursor.expect("(")?;
        let arrays = names_of_arrays(body);
        let mut raw_sizes = Vec::new();
        while !cursor.eat(")") {
            raw_sizes.push(reader.param(&mut cursor, &arrays)?);
            if cursor.peek().text != ")" {
                cursor.expect(",")?;
            }
        }
        for (number, sizes) in raw_sizes.into_iter().enumerate() {
            let sizes = sizes.iter().map(|size| reader.size(&cursor, size)).collect::<Read<_>>()?;
            reader.builder.kernel_mut().params[number].sizes = sizes;
        }
        if cursor.eat("->") {
            reader.builder.kernel_mut().result = Some(cursor.elem()?);
        }
        cursor.expect(":")?;
        cursor.end()?;
        Ok(reader)
    }

    /// Reads a parameter, with its sizes still unresolved.
    pub(super) fn param(&mut self, cursor: &mut Cursor<'t>, arrays: &HashSet<&str>) -> Read<Vec<RawSize<'t>>> {
        let name = cursor.name()?;
        let (ty, sizes) = if cursor.eat(":") {
            let (item, sizes) = (self.item(cursor)?, sizes(cursor)?);
            match (item, sizes.len() as u8) {
                (CellType::Elem(elem), 0) => (Type::scalar(elem), sizes),
                (item, rank) => (Type::View { item, rank, lanes: None }, sizes),
            }
        } else if arrays.contains(name) {
            (Type::view(Elem::F32, 1), vec![RawSize::Own])
        } else {
            (Type::scalar(Elem::F32), Vec::new())
        };
        let written = cursor.line.tokens[cursor.at - 1].text != name;
        let value = match ty {
            Type::Data { elem, .. } => self.builder.scalar(name, elem),
            Type::View { item, rank, .. } => self.builder.array_of(name, item, &vec![DimSize::Own; rank.into()]),
        };
        if written {
            self.written.extend(ty.elem().map(|elem| (value, elem)));
        }
        self.define(name, value);
        Ok(sizes)
    }

    /// The type of a scalar, or of the cells of an array.
    fn item(&self, cursor: &mut Cursor<'t>) -> Read<CellType> {
        let name = cursor.name()?;
        Elem::from_name(name).map_or_else(|| self.struct_named(cursor, name), |elem| Ok(CellType::Elem(elem)))
    }

    pub(super) fn struct_named(&self, cursor: &Cursor, name: &str) -> Read<CellType> {
        let structs = &self.builder.kernel().structs;
        let found = structs.iter().find(|(_, decl)| &*decl.name == name);
        found.map_or_else(|| cursor.error(format!("`{name}` is no type")), |(decl, _)| Ok(CellType::Struct(decl)))
    }

    pub(super) fn size(&self, cursor: &Cursor, raw: &RawSize) -> Read<DimSize> {
        Ok(match raw {
            RawSize::Own => DimSize::Own,
            RawSize::Constant(size) => DimSize::Constant(*size),
            RawSize::Name(name) => DimSize::Param(self.value_named(cursor, name)?),
            RawSize::Arithmetic(operator, a, b) => {
                DimSize::Arithmetic(*operator, Box::new(self.size(cursor, a)?), Box::new(self.size(cursor, b)?))
            }
        })
    }

    pub(super) fn define(&mut self, name: &'t str, value: Value) {
        self.scope.push((name, value));
        self.by_name.entry(name).or_default().push(value);
    }

    /// Forgets the names of a block.
    pub(super) fn leave_scope(&mut self, len: usize) {
        for (name, _) in self.scope.drain(len..) {
            self.by_name.get_mut(name).and_then(Vec::pop);
        }
    }

    pub(super) fn value_named(&self, cursor: &Cursor, name: &str) -> Read<Value> {
        let value = self.by_name.get(name).and_then(|values| values.last());
        value.map_or_else(|| cursor.error(format!("`{name}` is not known here")), |&value| Ok(value))
    }

    /// Reads what follows the header.
    pub(super) fn read(mut self, attributes: Vec<Cursor<'t>>) -> Read<Kernel> {
        for mut cursor in attributes {
            self.attribute(&mut cursor)?;
        }
        let result = self.builder.kernel().result;
        let indent = self.body.first().map_or(4, |line| line.indent);
        let yields = self.block(indent)?;
        let Some(line) = self.body.last() else { return Ok(self.builder.finish(None)) };
        if self.next < self.body.len() {
            return Err(self.body[self.next].error("this line is indented like no block that is open"));
        }
        let mut kernel = self.builder.finish(None);
        let body = kernel.body;
        kernel.result = result;
        kernel.regions[body].yields = yields;
        settle_types(&mut kernel, &self.numbers, &self.written).map_err(|message| line.error(message))?;
        for &(value, elem, line) in &self.shapes {
            if kernel.ty(value).elem() != Some(elem) {
                return Err(line.error(format!("this is {}, not of {elem}", kernel.ty(value))));
            }
        }
        Ok(compact(kernel))
    }

    pub(super) fn attribute(&mut self, cursor: &mut Cursor<'t>) -> Read<()> {
        cursor.expect("@")?;
        match cursor.name()? {
            "fast" => self.builder.kernel_mut().marks.fast = true,
            "alias" => {
                cursor.expect("(")?;
                let a = self.value_named(cursor, cursor.peek().text)?;
                cursor.take();
                cursor.expect(",")?;
                let b = self.value_named(cursor, cursor.peek().text)?;
                cursor.take();
                cursor.expect(")")?;
                self.builder.kernel_mut().marks.alias.push((a, b));
            }
            "no_copy" => self.builder.kernel_mut().marks.no_copy = true,
            "no_scratch" => self.builder.kernel_mut().marks.no_scratch = true,
            "threads" => self.builder.kernel_mut().marks.threads = true,
            "checked" => self.builder.kernel_mut().marks.checked = true,
            "scratch" => {
                cursor.expect("(")?;
                let bytes = self.formula(cursor)?;
                cursor.expect(")")?;
                self.builder.kernel_mut().marks.scratch = Some(bytes);
            }
            other => return cursor.error(format!("`@{other}` says nothing about a kernel")),
        }
        cursor.end()
    }

    /// Reads the lines of a block; gives what it yields.
    pub(super) fn block(&mut self, indent: usize) -> Read<Values> {
        self.depth += 1;
        if let Some(line) = self.body.get(self.next).filter(|_| self.depth > MAX_NESTING) {
            return Err(line.error("blocks are nested too deep"));
        }
        let mut marks = Marks::default();
        let mut yields = Values::new();
        while let Some(line) = self.body.get(self.next).filter(|line| line.indent == indent) {
            let mut cursor = Cursor::new(line);
            match cursor.peek().text {
                "do" | "else" => break,
                "@" => {
                    self.next += 1;
                    mark(&mut cursor, &mut marks)?;
                    continue;
                }
                "pass" => self.next += 1,
                "yield" | "return" => {
                    self.next += 1;
                    self.set_origin(line);
                    cursor.take();
                    yields = self.values(&mut cursor)?;
                    cursor.end()?;
                    break;
                }
                _ => self.statement(cursor, std::mem::take(&mut marks))?,
            }
        }
        self.depth -= 1;
        Ok(yields)
    }

    /// Reads the block under a line.
    pub(super) fn inner_block(&mut self, line: &Line) -> Read<Values> {
        match self.body.get(self.next) {
            Some(first) if first.indent > line.indent => self.block(first.indent),
            _ => Err(line.error("a block has to follow")),
        }
    }

    pub(super) fn set_origin(&mut self, line: &Line) {
        let origin = self.builder.origin(line.number as u32, None);
        self.builder.set_origin(origin);
    }

    pub(super) fn statement(&mut self, mut cursor: Cursor<'t>, marks: Marks) -> Read<()> {
        let line = cursor.line;
        self.next += 1;
        self.set_origin(line);
        let mut names = Vec::new();
        if cursor.eat("let") {
            names.push(self.result(&mut cursor)?);
            while cursor.eat(",") {
                names.push(self.result(&mut cursor)?);
            }
            cursor.expect("=")?;
        }
        let is_control = matches!(
            cursor.peek().text,
            "for" | "cfor" | "foreach" | "vector_for" | "if" | "cif" | "while" | "cwhile" | "map" | "reduce" | "scan"
        );
        let results: Values = if is_control {
            self.control(cursor.clone(), marks)?
        } else if names.is_empty() {
            self.effect(&mut cursor)?
        } else {
            let value = self.expression(&mut cursor, 0)?;
            cursor.end()?;
            let made = self.builder.kernel().def_op(value).filter(|&op| Some(op) == self.last_op());
            let Some(op) = made else { return cursor.error("a number or a name needs no line of its own") };
            self.builder.kernel().ops[op].results.iter().copied().collect()
        };
        if results.len() != names.len() {
            return Err(line.error(format!("{} values, but {} names", results.len(), names.len())));
        }
        for ((name, shape), value) in names.into_iter().zip(results) {
            self.define_named(name, value);
            if let Some(shape) = shape {
                self.check_shape(line, name, value, shape)?;
            }
        }
        Ok(())
    }

    /// The name of a result, and the shape behind it.
    fn result(&mut self, cursor: &mut Cursor<'t>) -> Read<(&'t str, Option<Type>)> {
        let name = cursor.name()?;
        if !cursor.eat(":") {
            return Ok((name, None));
        }
        let item = self.item(cursor)?;
        let rank = sizes(cursor)?.len() as u8;
        Ok((name, Some(Type::View { item, rank, lanes: None })))
    }

    /// Checks that an array has the shape that is written. Its sizes are not read: they follow from its op.
    fn check_shape(&mut self, line: &'t Line<'t>, name: &str, value: Value, shape: Type) -> Read<()> {
        let ty = self.builder.kernel().ty(value);
        if ty.is_view() && ty.elem().is_some() && shape.elem().is_some() {
            // The element type comes out at the end of the kernel.
            self.shapes.extend(shape.elem().map(|elem| (value, elem, line)));
        }
        let same = shape.elem().map_or(shape, |elem| ty.with_elem(elem));
        match same == shape && ty.is_view() {
            true => Ok(()),
            false => Err(line.error(format!("`{name}` is {ty}, not {shape}"))),
        }
    }

    pub(super) fn last_op(&self) -> Option<Op> {
        self.builder.kernel().ops.keys().next_back()
    }

    /// Brings a value into scope; a name that the printer made up is not its own.
    pub(super) fn define_named(&mut self, name: &'t str, value: Value) {
        let own = if lines::is_made_up(name) { None } else { Some(name.into()) };
        self.builder.kernel_mut().values[value].name = own;
        self.define(name, value);
    }

    /// A statement without names: a store or a call.
    pub(super) fn effect(&mut self, cursor: &mut Cursor<'t>) -> Read<Values> {
        if cursor.has("=") {
            let mut operands = self.target(cursor)?;
            cursor.expect("=")?;
            operands.push(self.expression(cursor, 0)?);
            cursor.end()?;
            self.push(cursor, Code::Store, Attr::None, &operands)?;
            return Ok(Values::new());
        }
        let name = cursor.name()?;
        let Some(code) = Code::from_name(name) else { return cursor.error(format!("`{name}` is no statement")) };
        let op = self.call(cursor, code, 0)?;
        cursor.end()?;
        Ok(self.builder.kernel().ops[op].results.iter().copied().collect())
    }

    /// The view and the subscripts of a cell that is stored to.
    pub(super) fn target(&mut self, cursor: &mut Cursor<'t>) -> Read<Values> {
        let mut view = self.primary(cursor, 0)?;
        while cursor.peek().text == "." {
            view = self.postfix(cursor, view, 0)?;
        }
        cursor.expect("[")?;
        let mut operands: Values = [view].into_iter().collect();
        operands.extend(self.list(cursor, "]", 0)?);
        Ok(operands)
    }

    pub(super) fn push(&mut self, cursor: &Cursor, code: Code, attr: Attr, operands: &[Value]) -> Read<Op> {
        self.builder.try_push(code, attr, operands).or_else(|message| cursor.error(message))
    }
}

/// Sizes in brackets, if there are any, before the parameters they mention are known.
fn sizes<'t>(cursor: &mut Cursor<'t>) -> Read<Vec<RawSize<'t>>> {
    let mut sizes = Vec::new();
    if cursor.eat("[") {
        while !cursor.eat("]") {
            sizes.push(raw_size(cursor)?);
            if cursor.peek().text != "]" {
                cursor.expect(",")?;
            }
        }
    }
    Ok(sizes)
}

/// The names that stand somewhere as an array does: before a subscript or a field, or as the first operand of
/// an op that takes a view.
fn names_of_arrays<'t>(body: &[Line<'t>]) -> HashSet<&'t str> {
    let takes_view = |word: &str| {
        let first = Code::from_name(word).and_then(|code| code.row().slots.first());
        matches!(first, Some(OperandSlot::View | OperandSlot::Structs | OperandSlot::AnyView))
    };
    let mut names = HashSet::new();
    for line in body {
        for (at, token) in line.tokens.iter().enumerate().filter(|(_, token)| token.kind == TokenKind::Word) {
            let behind = line.tokens.get(at + 1).is_some_and(|next| matches!(next.text, "[" | "."));
            let before = at >= 2 && line.tokens[at - 1].text == "(" && takes_view(line.tokens[at - 2].text);
            if behind || before {
                names.insert(token.text);
            }
        }
    }
    names
}
