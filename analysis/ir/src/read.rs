//! Text back to kernels: the inverse of [`mod@crate::print`], for a given number of lanes.
//!
//! Reading goes line by line and builds as it goes. Types that the text leaves out are inferred at the end of each
//! kernel; until then their place is taken by `f32`. Every kernel that is read is verified.

mod control;
mod cursor;
mod expressions;
mod formula;
mod kernel;
mod lex;
mod settle;

use crate::entities::{EntityVec, Struct};
use crate::program::{FieldDecl, Kernel, StructDecl};
use crate::verify;
use cursor::Cursor;
use kernel::Reader;
use lex::Line;

/// The limit on the nesting of blocks and expressions, which bounds the reader's own stack.
const MAX_NESTING: usize = 100;

/// The error of a text that is no kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadError {
    /// The number of the line, from 1.
    pub line: usize,
    /// A description of the error.
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
            let line = first.op.map_or(1, |op| kernel.origins[kernel.ops[op].origin].place);
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
            let mut declared = FieldDecl::scalar(field.into(), elem);
            if cursor.eat("[") {
                loop {
                    let size: u32 = cursor.integer()?;
                    if size == 0 {
                        return cursor.error("an array in a struct has one cell or more");
                    }
                    declared.sizes.push(size);
                    if !cursor.eat(",") {
                        break;
                    }
                }
                cursor.expect("]")?;
            }
            cursor.end()?;
            fields.push(declared);
            self.next += 1;
        }
        self.structs.push(StructDecl::new(name, fields));
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
