//! Text back to kernels: the inverse of [`crate::print`], for a given number of lanes.
//!
//! Reading goes line by line and builds as it goes. Types that the text leaves out are inferred at the end of
//! each kernel; until then their place is taken by `f32`. What is read is verified.

mod lex;

use std::collections::HashMap;

use crate::builder::Builder;
use crate::entities::{EntityVec, Op, Struct, Value};
use crate::infer::{self, Site};
use crate::lines;
use crate::ops::{Code, Form, Key, Slot};
use crate::program::{Attr, Control, Def, Kernel, Marks, Size, SizeOperator, StructDecl, Values};
use crate::scalar::{Fold, Scalar};
use crate::types::{Elem, Item, Type};
use crate::verify;
use lex::{Line, Token, TokenKind};

/// How deep blocks and expressions may be nested: a bound on the reader's own stack.
const MAX_NESTING: usize = 100;

/// Why a text is not one of kernels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub message: String,
}

impl std::fmt::Display for ReadError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for ReadError {}

type Read<T> = Result<T, ReadError>;

/// Reads kernels made for `lanes` lanes (`None`: scalar ones), and verifies them.
pub fn read(text: &str, lanes: Option<u16>) -> Read<Vec<Kernel>> {
    let kernels = read_unverified(text, lanes)?;
    for kernel in &kernels {
        verify::verify(kernel).map_err(|violations| {
            let first = &violations[0];
            let line = first.op.map_or(0, |op| kernel.origins[kernel.ops[op].origin].place);
            ReadError { line: line as usize, message: first.to_string() }
        })?;
    }
    Ok(kernels)
}

/// Reads kernels without verifying them.
pub fn read_unverified(text: &str, lanes: Option<u16>) -> Read<Vec<Kernel>> {
    let lines = lex::lines(text)?;
    let mut file = File { lines: &lines, next: 0, structs: EntityVec::new(), lanes };
    let mut kernels = Vec::new();
    while file.next < lines.len() {
        match file.lines[file.next].word() {
            "struct" => file.read_struct()?,
            _ => kernels.push(file.read_kernel()?),
        }
    }
    Ok(kernels)
}

/// The lines of a text, and what was read of them that outlives a kernel.
struct File<'t> {
    lines: &'t [Line<'t>],
    next: usize,
    structs: EntityVec<Struct, StructDecl>,
    lanes: Option<u16>,
}

impl<'t> File<'t> {
    fn read_struct(&mut self) -> Read<()> {
        let mut header = Cursor::new(&self.lines[self.next]);
        header.expect("struct")?;
        let name = header.name()?.into();
        header.expect(":")?;
        header.end()?;
        self.next += 1;
        let mut fields = Vec::new();
        while let Some(line) = self.lines.get(self.next).filter(|line| line.indent > 0) {
            let mut cursor = Cursor::new(line);
            let field = cursor.name()?;
            cursor.expect(":")?;
            let elem = cursor.elem()?;
            cursor.end()?;
            fields.push((field.into(), elem));
            self.next += 1;
        }
        self.structs.push(StructDecl { name, fields });
        Ok(())
    }

    fn read_kernel(&mut self) -> Read<Kernel> {
        let start = self.next;
        let mut attributes = Vec::new();
        while self.lines.get(self.next).is_some_and(|line| line.word() == "@") {
            attributes.push(Cursor::new(&self.lines[self.next]));
            self.next += 1;
        }
        let Some(line) = self.lines.get(self.next) else {
            return Err(self.lines[start].error("a kernel has to follow"));
        };
        let header = Cursor::new(line);
        self.next += 1;
        let first = self.next;
        while self.lines.get(self.next).is_some_and(|line| line.indent > 0) {
            self.next += 1;
        }
        let body = &self.lines[first..self.next];
        Reader::header(header, body, &self.structs, self.lanes)?.read(attributes)
    }
}

/// A place in a line.
#[derive(Clone)]
struct Cursor<'t> {
    line: &'t Line<'t>,
    at: usize,
}

impl<'t> Cursor<'t> {
    fn new(line: &'t Line<'t>) -> Self {
        Cursor { line, at: 0 }
    }

    fn peek(&self) -> Token<'t> {
        self.ahead(0)
    }

    fn ahead(&self, distance: usize) -> Token<'t> {
        self.line.tokens.get(self.at + distance).copied().unwrap_or(Token { kind: TokenKind::End, text: "" })
    }

    fn take(&mut self) -> Token<'t> {
        let token = self.peek();
        self.at += 1;
        token
    }

    /// Takes a token if it is this one.
    fn eat(&mut self, text: &str) -> bool {
        let is_it = self.peek().text == text;
        self.at += usize::from(is_it);
        is_it
    }

    fn error<T>(&self, message: impl Into<String>) -> Read<T> {
        Err(self.line.error(message))
    }

    fn expect(&mut self, text: &str) -> Read<()> {
        if self.eat(text) {
            return Ok(());
        }
        self.error(format!("`{text}` should stand where `{}` does", self.peek().text))
    }

    fn name(&mut self) -> Read<&'t str> {
        let token = self.take();
        if token.kind == TokenKind::Word { Ok(token.text) } else { self.error(format!("`{}` is no name", token.text)) }
    }

    fn elem(&mut self) -> Read<Elem> {
        let name = self.name()?;
        Elem::from_name(name).map_or_else(|| self.error(format!("`{name}` is no element type")), Ok)
    }

    fn integer<T: std::str::FromStr>(&mut self) -> Read<T> {
        let sign = if self.eat("-") { "-" } else { "" };
        let text = self.take().text;
        format!("{sign}{text}").parse().or_else(|_| self.error(format!("`{text}` is no number that fits here")))
    }

    fn end(&self) -> Read<()> {
        if self.peek().kind == TokenKind::End {
            Ok(())
        } else {
            self.error(format!("`{}` is too much", self.peek().text))
        }
    }

    /// Whether a token stands further on in the line, outside of brackets.
    fn has(&self, text: &str) -> bool {
        let mut depth = 0;
        self.line.tokens[self.at.min(self.line.tokens.len())..].iter().any(|token| {
            match token.text {
                "(" | "[" => depth += 1,
                ")" | "]" => depth -= 1,
                _ => {}
            }
            depth == 0 && token.text == text
        })
    }
}

/// A size before the parameters it mentions are known.
enum RawSize<'t> {
    Own,
    Constant(i64),
    Name(&'t str),
    Arithmetic(SizeOperator, Box<RawSize<'t>>, Box<RawSize<'t>>),
}

/// Reads one kernel.
struct Reader<'t> {
    body: &'t [Line<'t>],
    next: usize,
    builder: Builder,
    /// Values in scope, by name, with the depth of the block they are of.
    scope: Vec<(&'t str, Value)>,
    by_name: HashMap<&'t str, Vec<Value>>,
    /// The text of each number, by the value that stands for it until its type is known.
    numbers: HashMap<Value, String>,
    /// Types that are written down, of parameters and of numbers.
    written: HashMap<Value, Elem>,
    /// The lanes in force.
    lanes: Option<u16>,
    depth: usize,
}

impl<'t> Reader<'t> {
    /// Reads the line that starts a kernel.
    fn header(
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
            depth: 0,
        };
        cursor.expect("(")?;
        let mut raw_sizes = Vec::new();
        while !cursor.eat(")") {
            raw_sizes.push(reader.param(&mut cursor)?);
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

    /// One parameter, with its sizes still unresolved.
    fn param(&mut self, cursor: &mut Cursor<'t>) -> Read<Vec<RawSize<'t>>> {
        let name = cursor.name()?;
        let (ty, sizes) = if cursor.eat(":") {
            let type_name = cursor.name()?;
            let item = match Elem::from_name(type_name) {
                Some(elem) => Item::Elem(elem),
                None => self.struct_named(cursor, type_name)?,
            };
            let mut sizes = Vec::new();
            if cursor.eat("[") {
                while !cursor.eat("]") {
                    sizes.push(raw_size(cursor)?);
                    if cursor.peek().text != "]" {
                        cursor.expect(",")?;
                    }
                }
            }
            match (item, sizes.len() as u8) {
                (Item::Elem(elem), 0) => (Type::scalar(elem), sizes),
                (item, rank) => (Type::View { item, rank, lanes: None }, sizes),
            }
        } else if is_used_as_array(self.body, name) {
            (Type::view(Elem::F32, 1), vec![RawSize::Own])
        } else {
            (Type::scalar(Elem::F32), Vec::new())
        };
        let written = cursor.line.tokens[cursor.at - 1].text != name;
        let value = match ty {
            Type::Data { elem, .. } => self.builder.scalar(name, elem),
            Type::View { item, rank, .. } => self.builder.array_of(name, item, &vec![Size::Own; rank.into()]),
        };
        if written {
            self.written.extend(ty.elem().map(|elem| (value, elem)));
        }
        self.define(name, value);
        Ok(sizes)
    }

    fn struct_named(&self, cursor: &Cursor, name: &str) -> Read<Item> {
        let structs = &self.builder.kernel().structs;
        let found = structs.iter().find(|(_, decl)| &*decl.name == name);
        found.map_or_else(|| cursor.error(format!("`{name}` is no type")), |(decl, _)| Ok(Item::Struct(decl)))
    }

    fn size(&self, cursor: &Cursor, raw: &RawSize) -> Read<Size> {
        Ok(match raw {
            RawSize::Own => Size::Own,
            RawSize::Constant(size) => Size::Constant(*size),
            RawSize::Name(name) => Size::Param(self.value_named(cursor, name)?),
            RawSize::Arithmetic(operator, a, b) => {
                Size::Arithmetic(*operator, Box::new(self.size(cursor, a)?), Box::new(self.size(cursor, b)?))
            }
        })
    }

    fn define(&mut self, name: &'t str, value: Value) {
        self.scope.push((name, value));
        self.by_name.entry(name).or_default().push(value);
    }

    /// Forgets the names of a block.
    fn leave_scope(&mut self, len: usize) {
        for (name, _) in self.scope.drain(len..) {
            self.by_name.get_mut(name).and_then(Vec::pop);
        }
    }

    fn value_named(&self, cursor: &Cursor, name: &str) -> Read<Value> {
        let value = self.by_name.get(name).and_then(|values| values.last());
        value.map_or_else(|| cursor.error(format!("`{name}` is not known here")), |&value| Ok(value))
    }

    /// Reads what follows the header.
    fn read(mut self, attributes: Vec<Cursor<'t>>) -> Read<Kernel> {
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
        Ok(lines::compact(&kernel))
    }

    fn attribute(&mut self, cursor: &mut Cursor<'t>) -> Read<()> {
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
            other => return cursor.error(format!("`@{other}` says nothing about a kernel")),
        }
        cursor.end()
    }

    /// Reads the lines of a block; gives what it yields.
    fn block(&mut self, indent: usize) -> Read<Values> {
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
    fn inner_block(&mut self, line: &Line) -> Read<Values> {
        match self.body.get(self.next) {
            Some(first) if first.indent > line.indent => self.block(first.indent),
            _ => Err(line.error("a block has to follow")),
        }
    }

    fn set_origin(&mut self, line: &Line) {
        let origin = self.builder.origin(line.number as u32, None);
        self.builder.set_origin(origin);
    }

    fn statement(&mut self, mut cursor: Cursor<'t>, marks: Marks) -> Read<()> {
        let line = cursor.line;
        self.next += 1;
        self.set_origin(line);
        let mut names = Vec::new();
        if cursor.eat("let") {
            names.push(cursor.name()?);
            while cursor.eat(",") {
                names.push(cursor.name()?);
            }
            cursor.expect("=")?;
        }
        let is_control =
            matches!(cursor.peek().text, "for" | "cfor" | "foreach" | "vector_for" | "if" | "cif" | "while" | "cwhile");
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
        for (name, value) in names.into_iter().zip(results) {
            self.define_named(name, value);
        }
        Ok(())
    }

    fn last_op(&self) -> Option<Op> {
        self.builder.kernel().ops.keys().next_back()
    }

    /// Brings a value into scope; a name that the printer made up is not its own.
    fn define_named(&mut self, name: &'t str, value: Value) {
        let own = if lines::is_made_up(name) { None } else { Some(name.into()) };
        self.builder.kernel_mut().values[value].name = own;
        self.define(name, value);
    }

    /// A statement without names: a store or a call.
    fn effect(&mut self, cursor: &mut Cursor<'t>) -> Read<Values> {
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
    fn target(&mut self, cursor: &mut Cursor<'t>) -> Read<Values> {
        let mut view = self.primary(cursor, 0)?;
        while cursor.peek().text == "." {
            view = self.postfix(cursor, view, 0)?;
        }
        cursor.expect("[")?;
        let mut operands: Values = [view].into_iter().collect();
        operands.extend(self.list(cursor, "]", 0)?);
        Ok(operands)
    }

    fn push(&mut self, cursor: &Cursor, code: Code, attr: Attr, operands: &[Value]) -> Read<Op> {
        self.builder.try_push(code, attr, operands).or_else(|message| cursor.error(message))
    }

    fn control(&mut self, mut cursor: Cursor<'t>, mut marks: Marks) -> Read<Values> {
        let word = cursor.name()?;
        let scope = self.scope.len();
        let plain = word.strip_prefix('c').unwrap_or(word);
        marks.coherent |= plain != word;
        let results = match plain {
            "for" | "vector_for" => self.range_loop(&mut cursor, plain, marks)?,
            "foreach" => self.foreach(&mut cursor, marks)?,
            "if" => self.branch(&mut cursor, marks)?,
            _ => self.while_loop(&mut cursor, marks)?,
        };
        self.leave_scope(scope);
        Ok(results)
    }

    fn range_loop(&mut self, cursor: &mut Cursor<'t>, word: &str, marks: Marks) -> Read<Values> {
        let index = cursor.name()?;
        let (range, width) = self.range(cursor, word == "vector_for")?;
        let carried = self.carried(cursor)?;
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

    /// `in range(lo, hi, step)`, and for a `vector_for` the lanes it is for.
    fn range(&mut self, cursor: &mut Cursor<'t>, in_lanes: bool) -> Read<([Value; 3], Option<u16>)> {
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
    fn width(&mut self, cursor: &mut Cursor<'t>) -> Read<u16> {
        match self.builder.kernel().lanes {
            Some(lanes) if cursor.eat("LANES") => Ok(lanes),
            None if cursor.peek().text == "LANES" => cursor.error("`LANES` of a kernel that has none"),
            _ => cursor.integer(),
        }
    }

    /// `with s = s0, t = t0`.
    fn carried(&mut self, cursor: &mut Cursor<'t>) -> Read<Vec<(&'t str, Value)>> {
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

    fn foreach(&mut self, cursor: &mut Cursor<'t>, marks: Marks) -> Read<Values> {
        let mut ranges = Vec::new();
        loop {
            let index = cursor.name()?;
            ranges.push((index, self.range(cursor, false)?.0));
            if !cursor.eat(",") {
                break;
            }
        }
        cursor.expect(":")?;
        cursor.end()?;
        let args = self.builder.open_foreach(&ranges);
        *self.builder.marks() = marks;
        for (&arg, (name, _)) in args.iter().zip(&ranges) {
            self.define_named(name, arg);
        }
        let yields = self.inner_block(cursor.line)?;
        Ok(self.builder.close(&yields))
    }

    fn branch(&mut self, cursor: &mut Cursor<'t>, marks: Marks) -> Read<Values> {
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

    fn while_loop(&mut self, cursor: &mut Cursor<'t>, marks: Marks) -> Read<Values> {
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

    fn values(&mut self, cursor: &mut Cursor<'t>) -> Read<Values> {
        let mut values: Values = [self.expression(cursor, 0)?].into_iter().collect();
        while cursor.eat(",") {
            values.push(self.expression(cursor, 0)?);
        }
        Ok(values)
    }

    /// Expressions up to a closing bracket.
    fn list(&mut self, cursor: &mut Cursor<'t>, close: &str, depth: usize) -> Read<Values> {
        let mut values = Values::new();
        while !cursor.eat(close) {
            values.push(self.expression(cursor, depth)?);
            if cursor.peek().text != close {
                cursor.expect(",")?;
            }
        }
        Ok(values)
    }

    fn expression(&mut self, cursor: &mut Cursor<'t>, depth: usize) -> Read<Value> {
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
    fn postfix(&mut self, cursor: &mut Cursor<'t>, view: Value, depth: usize) -> Read<Value> {
        if cursor.eat("[") {
            let mut operands: Values = [view].into_iter().collect();
            operands.extend(self.list(cursor, "]", depth)?);
            return self.one_result(cursor, Code::Load, Attr::None, &operands);
        }
        cursor.expect(".")?;
        let name = cursor.name()?;
        let kernel = self.builder.kernel();
        let field = match kernel.ty(view) {
            Type::View { item: Item::Struct(decl), .. } => {
                kernel.structs[decl].fields.iter().position(|(field, _)| &**field == name)
            }
            _ => None,
        };
        let Some(field) = field else { return cursor.error(format!("no field `{name}`")) };
        self.one_result(cursor, Code::Field, Attr::Field(field as u16), &[view])
    }

    fn one_result(&mut self, cursor: &Cursor, code: Code, attr: Attr, operands: &[Value]) -> Read<Value> {
        let op = self.push(cursor, code, attr, operands)?;
        let results = &self.builder.kernel().ops[op].results;
        results.first().map_or_else(|| cursor.error(format!("`{}` gives nothing", code.row().name)), |&value| Ok(value))
    }

    fn primary(&mut self, cursor: &mut Cursor<'t>, depth: usize) -> Read<Value> {
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
    fn convert(&mut self, cursor: &mut Cursor<'t>, elem: Elem, depth: usize) -> Read<Value> {
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

    /// What follows a `(`: an operator before its operand, or between two.
    fn parenthesised(&mut self, cursor: &mut Cursor<'t>, depth: usize) -> Read<Value> {
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
        if code == Code::Add && cursor.peek().text == "lane_id" && cursor.ahead(1).text == ")" {
            cursor.take();
            cursor.take();
            let (one, attr) = (self.number("1", None), self.in_force());
            return self.one_result(cursor, Code::LaneIndex, attr, &[left, one]);
        }
        let right = self.expression(cursor, depth)?;
        cursor.expect(")")?;
        self.one_result(cursor, code, Attr::None, &[left, right])
    }

    fn in_force(&self) -> Attr {
        self.lanes.map_or(Attr::None, Attr::Lanes)
    }

    /// `(operands, key=attribute)` behind the name of an op.
    fn call(&mut self, cursor: &mut Cursor<'t>, code: Code, depth: usize) -> Read<Op> {
        let row = code.row();
        if code.is_control() || matches!(row.form, Form::Dot | Form::Convert) {
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

    /// What an op says when it does not say it.
    fn default_attr(&self, code: Code, operands: &[Value]) -> Attr {
        let in_lanes = operands.iter().any(|&value| self.builder.kernel().ty(value).lanes().is_some());
        match code.row().key {
            Key::Lanes if code == Code::VectorLoad && in_lanes => Attr::None,
            Key::Lanes => self.in_force(),
            Key::Dim => Attr::Number(0),
            _ => Attr::None,
        }
    }

    /// A value that stands for a number until its type is known.
    fn number(&mut self, text: &str, typed: Option<Elem>) -> Value {
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

/// A number at the cursor, sign included, if one stands there.
fn literal(cursor: &mut Cursor) -> Option<String> {
    let is_number = |token: Token| {
        token.kind == TokenKind::Number || (token.kind == TokenKind::Word && matches!(token.text, "inf" | "nan"))
    };
    let token = cursor.peek();
    if token.text == "-" && is_number(cursor.ahead(1)) {
        cursor.take();
        return Some(format!("-{}", cursor.take().text));
    }
    let found = is_number(token) || matches!(token.text, "true" | "false");
    found.then(|| cursor.take().text.to_owned())
}

/// `key=attribute`.
fn keyword(cursor: &mut Cursor, key: Key) -> Read<Attr> {
    let word = cursor.name()?;
    cursor.expect("=")?;
    match key {
        Key::Elem if word == "type" => Ok(Attr::Elem(cursor.elem()?)),
        Key::Type if word == "type" => type_name(cursor),
        Key::Lanes if word == "lanes" => Ok(Attr::Lanes(cursor.integer()?)),
        Key::Dim if word == "dim" => Ok(Attr::Number(cursor.integer()?)),
        Key::Number(name, _) if word == name => Ok(Attr::Number(cursor.integer()?)),
        Key::Pattern if word == "pattern" => {
            cursor.expect("[")?;
            let mut pattern = Vec::new();
            while !cursor.eat("]") {
                pattern.push(cursor.integer()?);
                if cursor.peek().text != "]" {
                    cursor.expect(",")?;
                }
            }
            Ok(Attr::Pattern(pattern.into()))
        }
        _ => cursor.error(format!("`{word}` cannot be said here")),
    }
}

/// `f32` or `f32x8`.
fn type_name(cursor: &mut Cursor) -> Read<Attr> {
    let name = cursor.name()?;
    let (elem, lanes) = name.split_once('x').map_or((name, None), |(elem, lanes)| (elem, Some(lanes)));
    let lanes = match lanes.map(str::parse) {
        Some(Err(_)) => return cursor.error(format!("`{name}` is no type")),
        lanes => lanes.and_then(Result::ok),
    };
    match Elem::from_name(elem) {
        Some(elem) => Ok(Attr::Type(Type::Data { elem, lanes })),
        None => cursor.error(format!("`{name}` is no type")),
    }
}

fn raw_size<'t>(cursor: &mut Cursor<'t>) -> Read<RawSize<'t>> {
    if cursor.eat("?") {
        return Ok(RawSize::Own);
    }
    if cursor.eat("(") {
        let a = raw_size(cursor)?;
        let symbol = cursor.take().text;
        let operators = [SizeOperator::Add, SizeOperator::Sub, SizeOperator::Mul];
        let Some(operator) = operators.into_iter().find(|operator| operator.symbol() == symbol) else {
            return cursor.error(format!("`{symbol}` joins no sizes"));
        };
        let b = raw_size(cursor)?;
        cursor.expect(")")?;
        return Ok(RawSize::Arithmetic(operator, Box::new(a), Box::new(b)));
    }
    match cursor.peek().kind {
        TokenKind::Word => Ok(RawSize::Name(cursor.take().text)),
        _ => Ok(RawSize::Constant(cursor.integer()?)),
    }
}

/// One of the lines above a loop or branch that say something about it.
fn mark(cursor: &mut Cursor, marks: &mut Marks) -> Read<()> {
    cursor.expect("@")?;
    let word = cursor.name()?;
    let mut number = None;
    if cursor.eat("(") {
        number = Some(cursor.integer()?);
        cursor.expect(")")?;
    }
    match (word, number) {
        ("lanes", Some(_)) => marks.lanes = number,
        ("unroll", Some(_)) => marks.unroll = number,
        ("simd", None) => marks.simd = true,
        ("no_gather", None) => marks.no_gather = true,
        ("no_scatter", None) => marks.no_scatter = true,
        ("coherent", None) => marks.coherent = true,
        _ => return cursor.error(format!("`@{word}` says nothing about a loop")),
    }
    cursor.end()
}

/// Whether a name stands somewhere as an array does: before a subscript or a field, or as the first operand
/// of an op that takes a view.
fn is_used_as_array(body: &[Line], name: &str) -> bool {
    let takes_view = |word: &str| {
        let first = Code::from_name(word).and_then(|code| code.row().slots.first());
        matches!(first, Some(Slot::View | Slot::Structs | Slot::AnyView))
    };
    body.iter().any(|line| {
        line.tokens.iter().enumerate().filter(|(_, token)| token.text == name).any(|(at, _)| {
            let behind = line.tokens.get(at + 1).is_some_and(|token| matches!(token.text, "[" | "."));
            let before = at >= 2 && line.tokens[at - 1].text == "(" && takes_view(line.tokens[at - 2].text);
            behind || before
        })
    })
}

/// Gives every value the type that comes out, and every number its value.
fn settle_types(
    kernel: &mut Kernel,
    numbers: &HashMap<Value, String>,
    written: &HashMap<Value, Elem>,
) -> Result<(), String> {
    let value_at = |kernel: &Kernel, site: Site| match site {
        Site::Param(value) => value,
        Site::Operand(op, number) => kernel.ops[op].operands[number],
        Site::Yield(region, number) => kernel.regions[region].yields[number],
    };
    let inferred = infer::infer(kernel, &|site| written.get(&value_at(kernel, site)).copied());
    for value in kernel.values.keys() {
        let ty = kernel.ty(value);
        if kernel.as_const(value).is_none() && ty.elem().is_some() {
            kernel.values[value].ty = ty.with_elem(inferred.value(value));
        }
    }
    let settled = |kernel: &mut Kernel, value: Value, site: Site| match numbers.get(&value) {
        Some(text) => {
            let elem = inferred.site(site);
            let scalar = Scalar::parse(elem, text).ok_or_else(|| format!("`{text}` is not of type {elem}"))?;
            Ok::<Value, String>(kernel.constant(scalar))
        }
        None => Ok(value),
    };
    for op in kernel.ops.keys() {
        for number in 0..kernel.ops[op].operands.len() {
            let value = settled(kernel, kernel.ops[op].operands[number], Site::Operand(op, number))?;
            kernel.ops[op].operands[number] = value;
        }
    }
    for region in kernel.regions.keys() {
        for number in 0..kernel.regions[region].yields.len() {
            let value = settled(kernel, kernel.regions[region].yields[number], Site::Yield(region, number))?;
            kernel.regions[region].yields[number] = value;
        }
    }
    Ok(())
}
