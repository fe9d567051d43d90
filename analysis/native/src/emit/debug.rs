//! Debug information: the source line of each instruction, in the form that survives optimisation; and what loops say of
//! themselves.

use std::collections::HashMap;
use std::fmt::Write;

use super::Place;

/// Metadata of a module while it is being written.
#[derive(Debug, Default)]
pub(super) struct Debug {
    /// The entries, in order of their numbers.
    entries: Vec<String>,
    /// The scope of the function that is being written.
    scope: Option<usize>,
    locations: HashMap<Place, usize>,
    files: Option<(usize, usize)>,
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
                     isOptimized: true, runtimeVersion: 0, emissionKind: LineTablesOnly)"
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
        self.locations.clear();
        format!(" !dbg !{scope}")
    }

    /// The debug location that an instruction from a place carries, as text to append.
    pub(super) fn location(&mut self, at: Place) -> String {
        let Some(scope) = self.scope else { return String::new() };
        let number = match self.locations.get(&at) {
            Some(&number) => number,
            None => {
                let number =
                    self.push(format!("!DILocation(line: {}, column: {}, scope: !{scope})", at.line, at.column));
                self.locations.insert(at, number);
                number
            }
        };
        format!(", !dbg !{number}")
    }

    /// The metadata on the back edge of a loop that is not to be unrolled, as text to append.
    pub(super) fn as_it_is(&mut self) -> String {
        let unroll = self.push("!{!\"llvm.loop.unroll.disable\"}".to_owned());
        let own = self.entries.len();
        let number = self.push(format!("distinct !{{!{own}, !{unroll}}}"));
        format!(", !llvm.loop !{number}")
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

/// A text as metadata has it.
fn quoted(text: &str) -> String {
    let escaped: String = text
        .bytes()
        .map(|byte| match byte {
            b' '..=b'~' if byte != b'"' && byte != b'\\' => char::from(byte).to_string(),
            _ => format!("\\{byte:02X}"),
        })
        .collect();
    format!("\"{escaped}\"")
}
