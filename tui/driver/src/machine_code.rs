//! The path from kernels to machine code, shared by the commands that show, run or build it.
//!
//! LLVM IR is printed in this process. Everything that needs LLVM is delegated to a worker process, which runs this
//! program as well.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use native::client::{Answer, Client};
use native::emit::{self, Input, Source};
use native::protocol::{CompiledForm, Failure, Job, Outcome, Spec};
use queries::check;
use queries::db::Database;
use queries::db::Item;
use queries::run::{self, Inputs};
use queries::stages;
use queries::stages::Options;
use queries::stages::target::Target;
use report::{Diagnostic, Severity, SourcePosition, TextRange, TextSize};
use syntax::text::{ColumnUnit, LineIndex};

use crate::document::Document;

/// Time limit of LLVM for the kernels of a file.
const PATIENCE: Duration = Duration::from_secs(60);

/// A form of a program after Lane IR.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MachineForm {
    /// LLVM IR.
    Llvm,
    /// LLVM IR after LLVM's optimisations.
    LlvmOpt,
    /// Assembly.
    Asm,
}

/// A stage that shows the program in a form after Lane IR. Commands, the explorer and the views of editors share this
/// description.
#[derive(Debug)]
pub struct MachineStage {
    /// Form of the program.
    pub form: MachineForm,
    /// Name of the stage, as `--stage` takes it.
    pub name: &'static str,
    /// Description for lists of stages.
    pub description: &'static str,
    /// Title of the editor action that opens it.
    pub title: &'static str,
    /// Language identifier for the colours of an editor.
    pub language_id: &'static str,
    /// Extension of files that contain it.
    pub extension: &'static str,
}

/// The stages after those of Lane IR, in order.
pub const MACHINE_STAGES: &[MachineStage] = &[
    MachineStage {
        form: MachineForm::Llvm,
        name: "llvm",
        description: "LLVM IR as it is made of the `final` stage",
        title: "View LLVM IR",
        language_id: "llvm",
        extension: "ll",
    },
    MachineStage {
        form: MachineForm::LlvmOpt,
        name: "llvm-opt",
        description: "LLVM IR as LLVM has optimised it; its own vectorisers are off",
        title: "View optimised LLVM IR",
        language_id: "llvm",
        extension: "ll",
    },
    MachineStage {
        form: MachineForm::Asm,
        name: "asm",
        description: "assembly for the target (`lanescope asm` shows more)",
        title: "View assembly",
        language_id: "asm",
        extension: "s",
    },
];

impl MachineForm {
    /// Returns the stage that shows this form.
    pub fn stage(self) -> &'static MachineStage {
        let stage = MACHINE_STAGES.iter().find(|stage| stage.form == self);
        stage.expect("each form has a stage")
    }

    /// Returns the form that a stage shows, by the name of the stage.
    pub fn of_stage(name: &str) -> Option<MachineForm> {
        MACHINE_STAGES.iter().find(|stage| stage.name == name).map(|stage| stage.form)
    }
}

/// Returns the client of this process's worker.
pub fn client() -> Result<&'static Client, String> {
    static CLIENT: OnceLock<Result<Client, String>> = OnceLock::new();
    let start = || match std::env::current_exe() {
        Ok(program) => Ok(Client::new(program, &["worker"])),
        Err(error) => Err(format!("this program does not know where it is: {error}")),
    };
    CLIENT.get_or_init(start).as_ref().map_err(String::clone)
}

/// Asks the worker for the version of LLVM and its description of this machine; an error says what to do.
pub fn hello() -> Result<Outcome, String> {
    client()?.ask(Job::Hello, &[]).wait(PATIENCE).map(|(outcome, _)| outcome).map_err(|failure| failure.to_string())
}

/// The reasons why there is no machine code.
pub enum NoCode {
    /// The kernels have errors.
    Errors(Vec<Diagnostic>),
    /// Another problem, as a sentence.
    Trouble(String),
    /// A run that was stopped or crashed, as a sentence.
    Stopped(String),
}

impl From<Failure> for NoCode {
    fn from(failure: Failure) -> NoCode {
        NoCode::Trouble(failure.to_string())
    }
}

/// Returns the kernels with a name, or all kernels.
pub fn choose<'d>(document: &'d Document, name: Option<&str>) -> Result<Vec<Item<'d>>, NoCode> {
    let db = document.db();
    let kernels = document.kernels();
    let name_of = |item: &Item<'d>| -> &'d str { item.name(db) };
    match name {
        None if kernels.is_empty() => Err(NoCode::Trouble(document.no_kernel())),
        None => Ok(kernels),
        Some(name) => {
            let chosen: Vec<_> = kernels.iter().copied().filter(|item| name_of(item) == name).collect();
            match chosen.is_empty() {
                true => document.kernel_named(name).map(|kernel| vec![kernel]).map_err(NoCode::Trouble),
                false => Ok(chosen),
            }
        }
    }
}

/// Returns the findings that keep kernels from becoming machine code: errors in items that they reach, and those that are seen when
/// they are lowered.
pub fn errors(document: &Document, items: &[Item<'_>]) -> Vec<Diagnostic> {
    let db = document.db();
    let mut errors = document.diagnostics_of(&check::reachable(db, items));
    errors.retain(|diagnostic| diagnostic.severity == Severity::Error);
    for &item in items {
        let findings = queries::sequential(db, item).findings.iter();
        let rendered: Vec<_> = findings.map(|finding| check::rendered(db, item, finding)).collect();
        errors.retain(|known| !rendered.contains(known));
        errors.extend(rendered);
    }
    errors
}

/// Returns the source of a kernel, for comments and debug locations.
pub fn source(document: &Document, item: Item<'_>) -> Source {
    source_in(document.db(), &document.name, &document.text, item)
}

/// Returns the source of a kernel in a text that is no document.
pub fn source_in(db: &Database, name: &str, text: &str, item: Item<'_>) -> Source {
    let index = LineIndex::new(text);
    let place = |range: TextRange| {
        let at = index.line_column(text, behind_attributes(text, range), ColumnUnit::Utf32);
        SourcePosition { line: at.line + 1, column: at.column + 1 }
    };
    let places = stages::places(db, item).into_iter().map(|range| range.map(place)).collect();
    let steps = queries::sequential(db, item).kernel.as_ref().map(|kernel| native::asm::hot::steps(kernel));
    Source { file: name.to_owned(), text: text.to_owned(), places, steps: steps.unwrap_or_default() }
}

/// Returns the start of a statement behind its attributes, since debug locations should not point at a `@reassoc` above
/// the code.
fn behind_attributes(text: &str, range: TextRange) -> TextSize {
    let mut start = range.start();
    for line in text[range].split_inclusive('\n') {
        let words = line.trim_start();
        let is_code = !words.is_empty() && !words.starts_with(['@', '#']);
        if is_code {
            return start + TextSize::of(line) - TextSize::of(words);
        }
        start += TextSize::of(line);
    }
    range.start()
}

/// Splits off the kernels that can become machine code, and returns the errors of the others.
pub fn sound<'d>(document: &'d Document, items: &[Item<'d>]) -> (Vec<Item<'d>>, Vec<Diagnostic>) {
    let mut all: Vec<Diagnostic> = Vec::new();
    let sound = items.iter().copied().filter(|&item| {
        let own = errors(document, &[item]);
        let is_sound = own.is_empty();
        all.extend(own);
        is_sound
    });
    let sound = sound.collect();
    all.sort_by_key(|error| (error.range.start(), error.range.end()));
    // Kernels that reach the same item report the same error.
    all.dedup();
    (sound, all)
}

/// A kernel of Lane IR.
pub type Kernel = Arc<queries::stages::Kernel>;

/// Returns a kernel after all passes.
pub fn finished(document: &Document, item: Item<'_>, options: Options) -> Option<Kernel> {
    Some(queries::reached(document.db(), item, options).last()?.kernel.clone())
}

/// Reads the outcome of a run of a kernel's machine code from the worker's answer. A check of sizes ends it as it ends the interpreter:
/// machine code does not say which sizes differ. `last` is the kernel that the code was made of, and `kernel` the one in order.
pub fn outcome(
    document: &Document,
    item: Item<'_>,
    (kernel, last): (&Kernel, &Kernel),
    inputs: &Inputs,
    answer: Answer,
) -> Result<run::RunOutcome, Failure> {
    let arrays = |memory: &[Vec<u8>]| run::arrays_of(kernel, inputs, memory);
    match native::run::ran(last, inputs, answer) {
        Ok(ran) => Ok(run::RunOutcome { result: ran.result, arrays: arrays(&ran.memory), failure: None }),
        Err(Failure::SizesDiffer) => {
            let failure = run::failed_check(document.db(), item, last, inputs).ok_or(Failure::SizesDiffer)?;
            Ok(run::RunOutcome { result: None, arrays: arrays(&inputs.memory), failure: Some(failure) })
        }
        Err(failure) => Err(failure),
    }
}

/// Prints kernels as one module of LLVM IR.
pub fn llvm_ir(
    document: &Document,
    items: &[Item<'_>],
    options: Options,
    machine: &Target,
    emission: emit::ModuleOptions,
) -> Result<String, NoCode> {
    let kernels = items.iter().filter_map(|&item| Some((finished(document, item, options)?, source(document, item))));
    llvm_ir_of(document, &kernels.collect::<Vec<_>>(), machine, emission)
}

/// Prints kernels that are behind all passes as one module of LLVM IR.
pub fn llvm_ir_of(
    document: &Document,
    kernels: &[(Kernel, Source)],
    machine: &Target,
    emission: emit::ModuleOptions,
) -> Result<String, NoCode> {
    let inputs: Vec<Input<'_>> = kernels.iter().map(|(kernel, source)| Input { kernel, source }).collect();
    emit::emit(&inputs, machine, emission).map_err(|refused| {
        // A place is one of the kernel that was refused.
        let is_refused = |input: &&Input<'_>| emit::emit(&[**input], machine, emission).as_ref() == Err(&refused);
        let place = inputs.iter().find(is_refused).and_then(|input| input.source.place(refused.place));
        let line = place.map_or_else(String::new, |place| format!(":{}", place.line));
        NoCode::Trouble(format!("{}{line}: {refused}", document.name))
    })
}

/// Compiles LLVM IR to one of LLVM's text forms.
pub fn text(ir: String, machine: &Target, form: CompiledForm) -> Result<String, NoCode> {
    match client().map_err(NoCode::Trouble)?.compile(ir, Spec::of(machine), form, PATIENCE)? {
        (Outcome::Text(text), _) => Ok(text),
        _ => Err(NoCode::Trouble("the worker gives no text".to_owned())),
    }
}

/// Compiles LLVM IR to an object file.
pub fn object(ir: String, machine: &Target) -> Result<Vec<u8>, NoCode> {
    Ok(client().map_err(NoCode::Trouble)?.compile(ir, Spec::of(machine), CompiledForm::Object, PATIENCE)?.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_code_of_a_loop_is_from_its_header_and_not_from_what_stands_above_it() {
        let text = "\
kernel sum(a, n) -> f32:
    s = 0.0
    @reassoc
    # One after the other is slow.
    @simd
    for i in range(n):
        s += a[i]
    return s
";
        let document = Document::new("a.lane", text);
        let source = source(&document, document.items()[0]);
        let mut lines: Vec<_> = source.places.iter().flatten().map(|place| place.line).collect();
        lines.sort_unstable();
        lines.dedup();
        assert_eq!(lines, [1, 2, 6, 7, 8]);
        assert!(source.places.iter().flatten().any(|place| (place.line, place.column) == (6, 5)));
    }
}
