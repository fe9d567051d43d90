//! Debug information: the source line of each instruction and the loop that it is in, in the form that survives
//! optimisation; and what loops say of themselves.
//!
//! A loop's number is the *base discriminator* of its instructions' scope. LLVM was told that the code is profiled, so it
//! notes beside that number how often it has copied an instruction when it unrolls a loop (see `asm::mark`).

use std::collections::HashMap;
use std::fmt::Write;

use crate::asm::Mark;
use report::SourcePosition;

use super::quoted;

/// Metadata of a module while it is being written.
#[derive(Debug, Default)]
pub(super) struct Debug {
    /// The entries, in order of their numbers.
    entries: Vec<String>,
    /// The scope of the function that is being written.
    scope: Option<usize>,
    locations: HashMap<(SourcePosition, usize), usize>,
    /// The scopes of the loops of the function that is being written, by their numbers.
    loops: HashMap<u32, usize>,
    files: Option<(usize, usize)>,
    /// The number 1, which marks stores past the cache.
    one: Option<usize>,
}

impl Debug {
    fn push(&mut self, entry: String) -> usize {
        self.entries.push(entry);
        self.entries.len() - 1
    }

    /// Starts a function; gives what its definition says of it.
    pub(super) fn open_function(&mut self, file: &str, name: &str, line: u32) -> String {
        let (file, unit) = match self.files {
            Some(both) => both,
            None => {
                let file = self.push(format!("!DIFile(filename: {}, directory: \"\")", quoted(file)));
                let unit = self.push(format!(
                    "distinct !DICompileUnit(language: DW_LANG_C, file: !{file}, producer: \"lanescope\", \
                     isOptimized: true, runtimeVersion: 0, emissionKind: LineTablesOnly, debugInfoForProfiling: true)"
                ));
                self.files = Some((file, unit));
                (file, unit)
            }
        };
        let kind = self.push("!DISubroutineType(types: !{})".to_owned());
        let scope = self.push(format!(
            "distinct !DISubprogram(name: {}, scope: !{file}, file: !{file}, line: {line}, type: !{kind}, \
             scopeLine: {line}, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !{unit})",
            quoted(name)
        ));
        self.scope = Some(scope);
        self.loops.clear();
        self.locations.clear();
        format!(" !dbg !{scope}")
    }

    /// The debug location that an instruction from a place carries, in the loop of a number, as text to append.
    pub(super) fn location(&mut self, at: SourcePosition, loop_number: Option<u32>) -> String {
        let Some(function) = self.scope else { return String::new() };
        let scope = loop_number.and_then(|number| self.loop_scope(function, number)).unwrap_or(function);
        let number = match self.locations.get(&(at, scope)) {
            Some(&number) => number,
            None => {
                let number =
                    self.push(format!("!DILocation(line: {}, column: {}, scope: !{scope})", at.line, at.column));
                self.locations.insert((at, scope), number);
                number
            }
        };
        format!(", !dbg !{number}")
    }

    /// The scope of a loop's instructions; `None` if its number is too large to be noted.
    fn loop_scope(&mut self, function: usize, number: u32) -> Option<usize> {
        if let Some(&scope) = self.loops.get(&number) {
            return Some(scope);
        }
        let (file, _) = self.files?;
        let discriminator = Mark { number, copies: 1 }.discriminator()?;
        let entry =
            format!("distinct !DILexicalBlockFile(scope: !{function}, file: !{file}, discriminator: {discriminator})");
        let scope = self.push(entry);
        self.loops.insert(number, scope);
        Some(scope)
    }

    /// The metadata on the back edge of a loop that is not to be unrolled, as text to append.
    pub(super) fn as_it_is(&mut self) -> String {
        let unroll = self.push("!{!\"llvm.loop.unroll.disable\"}".to_owned());
        let own = self.entries.len();
        let number = self.push(format!("distinct !{{!{own}, !{unroll}}}"));
        format!(", !llvm.loop !{number}")
    }

    /// The metadata on a store that goes past the cache, as text to append.
    pub(super) fn past_cache(&mut self) -> String {
        let one = match self.one {
            Some(one) => one,
            None => self.push("!{i32 1}".to_owned()),
        };
        self.one = Some(one);
        format!(", !nontemporal !{one}")
    }

    /// Returns the metadata of the module, as text.
    pub(super) fn finish(&self) -> String {
        let mut text = String::new();
        if let Some((_, unit)) = self.files {
            let _ = writeln!(text, "\n!llvm.dbg.cu = !{{!{unit}}}");
            let version = self.entries.len();
            let _ = writeln!(text, "!llvm.module.flags = !{{!{version}}}");
        }
        for (number, entry) in self.entries.iter().enumerate() {
            let _ = writeln!(text, "!{number} = {entry}");
        }
        if self.files.is_some() {
            let _ = writeln!(text, "!{} = !{{i32 2, !\"Debug Info Version\", i32 3}}", self.entries.len());
        }
        text
    }
}
