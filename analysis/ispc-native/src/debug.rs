//! Debug information: the line of the source that each instruction comes from.
//!
//! Lines alone are told, as of Lane's kernels: which variable is where is not. A function that its callers have copies of keeps its own
//! lines in them.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::rc::Rc;

use ispc_ir::module::TextPlace;
use native::asm::Mark;
use native::emit::quoted;

/// The lines of a program's source.
pub trait DebugLines {
    /// The file and line of a place, and its column, which may be any number that LLVM is to carry along; none for a place in no file.
    fn line(&self, place: TextPlace) -> Option<DebugLine>;

    /// True if lines have numbers of loops, which LLVM is to carry along, too.
    fn marks_loops(&self) -> bool {
        false
    }
}

/// A line of a source.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct DebugLine {
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1; 0 for none.
    pub column: u16,
    /// The number of the loop that the place is in, if loops are marked.
    pub loop_number: Option<u32>,
}

/// The metadata of a module while it is written.
#[derive(Default)]
pub(crate) struct DebugText {
    source: Option<Rc<dyn DebugLines>>,
    entries: Vec<String>,
    files: BTreeMap<String, usize>,
    unit: Option<usize>,
    scope: Option<DebugScope>,
    locations: BTreeMap<DebugLine, usize>,
    /// The scopes of the function that is being written, by file and number of a loop.
    scopes: BTreeMap<(String, Option<u32>), usize>,
}

/// The function that is being written.
struct DebugScope {
    number: usize,
    own: DebugLine,
}

impl DebugText {
    pub(crate) fn new(source: Option<Rc<dyn DebugLines>>) -> DebugText {
        DebugText { source, ..DebugText::default() }
    }

    fn push(&mut self, entry: String) -> usize {
        self.entries.push(entry);
        self.entries.len() - 1
    }

    fn file(&mut self, name: &str) -> usize {
        if let Some(number) = self.files.get(name) {
            return *number;
        }
        let number = self.push(format!("!DIFile(filename: {}, directory: \"\")", quoted(name)));
        self.files.insert(name.to_owned(), number);
        number
    }

    fn unit(&mut self, file: usize) -> usize {
        if let Some(unit) = self.unit {
            return unit;
        }
        let marks = self.source.as_ref().is_some_and(|source| source.marks_loops());
        // For code that is profiled LLVM notes how often it has unrolled a loop.
        let marks = if marks { ", debugInfoForProfiling: true" } else { "" };
        let unit = self.push(format!(
            "distinct !DICompileUnit(language: DW_LANG_C, file: !{file}, producer: \"lanescope\", isOptimized: true, \
             runtimeVersion: 0, emissionKind: LineTablesOnly{marks})"
        ));
        self.unit = Some(unit);
        unit
    }

    /// Starts a function that stands at a place; gives what its definition says of it.
    pub(crate) fn open_function(&mut self, name: &str, place: TextPlace) -> String {
        let Some(own) = self.source.as_ref().and_then(|source| source.line(place)) else {
            self.scope = None;
            return String::new();
        };
        let file = self.file(&own.file);
        let unit = self.unit(file);
        let kind = self.push("!DISubroutineType(types: !{})".to_owned());
        let line = own.line;
        let number = self.push(format!(
            "distinct !DISubprogram(name: {}, scope: !{file}, file: !{file}, line: {line}, type: !{kind}, \
             scopeLine: {line}, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !{unit})",
            quoted(name)
        ));
        self.scope = Some(DebugScope { number, own });
        self.locations.clear();
        self.scopes.clear();
        format!(" !dbg !{number}")
    }

    /// The metadata of an instruction from a place; one from nowhere is on its function's first line.
    pub(crate) fn location(&mut self, place: TextPlace) -> String {
        let Some(DebugScope { number: function, own }) = &self.scope else { return String::new() };
        let (function, own) = (*function, own.clone());
        let is_known = place != TextPlace::default();
        let found = self.source.as_ref().filter(|_| is_known).and_then(|source| source.line(place));
        let at = found.unwrap_or_else(|| own.clone());
        if let Some(number) = self.locations.get(&at) {
            return format!(", !dbg !{number}");
        }
        let scope = match (at.file == own.file, at.loop_number) {
            (true, None) => function,
            _ => self.inner_scope(function, &at.file, at.loop_number),
        };
        let number = self.push(format!("!DILocation(line: {}, column: {}, scope: !{scope})", at.line, at.column));
        self.locations.insert(at, number);
        format!(", !dbg !{number}")
    }

    /// The scope of the lines of a loop, or of another file, where that was included.
    fn inner_scope(&mut self, function: usize, name: &str, loop_number: Option<u32>) -> usize {
        let key = (name.to_owned(), loop_number);
        if let Some(scope) = self.scopes.get(&key) {
            return *scope;
        }
        let file = self.file(name);
        let mark = loop_number.and_then(|number| Mark { number, copies: 1 }.discriminator()).unwrap_or(0);
        let scope = self
            .push(format!("distinct !DILexicalBlockFile(scope: !{function}, file: !{file}, discriminator: {mark})"));
        self.scopes.insert(key, scope);
        scope
    }

    /// The metadata of the module, as text.
    pub(crate) fn finish(&self) -> String {
        let Some(unit) = self.unit else { return String::new() };
        let version = self.entries.len();
        let mut text = format!("\n!llvm.dbg.cu = !{{!{unit}}}\n!llvm.module.flags = !{{!{version}}}\n");
        for (number, entry) in self.entries.iter().enumerate() {
            let _ = writeln!(text, "!{number} = {entry}");
        }
        let _ = writeln!(text, "!{version} = !{{i32 2, !\"Debug Info Version\", i32 3}}");
        text
    }
}
