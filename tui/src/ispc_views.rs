//! Views beside an ISPC source: functions as blocks of lanes, LLVM IR and assembly, and the facts about their lanes, each line with the
//! place that it comes from.
//!
//! A unit is data, so a view takes the one that the database has, and the work needs nothing else.

use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use driver::ispc_building::{CompiledPart, NoIspcModule, compiled};
use driver::ispc_files::explained;
use driver::ispc_lines::{ListedLine, ListedLines};
use driver::ispc_running;
use driver::machine_code::{self, MACHINE_STAGES, MachineForm, MachineStage};
use driver::targets::{Chosen, parse_target};
use ispc::problems::Problem;
use ispc::unit::{FileId, SourcePlace, Unit};
use native::protocol::{CompiledForm, Failure, Outcome, Spec};
use queries::db::{Database, File};
use queries::stages::{StageLine, StageText};
use report::{TextRange, TextSize};
use server::machine_views::{NativeStage, NativeWork};
use syntax::text::LineIndex;

use crate::console::Look;
use crate::explained::ispc::{IspcText, blocks};
use crate::native_views;

/// Time limit of LLVM for a function in a view.
const PATIENCE: Duration = Duration::from_secs(20);

/// The stage of blocks of lanes, as `lanescope lower` prints them.
const LOWERED: &str = "lowered";

/// The stage that tells what lanes do.
const EXPLANATION: &str = "explanation";

/// The stages of functions.
pub(crate) fn stages() -> Vec<NativeStage> {
    let own = [
        NativeStage {
            name: LOWERED,
            title: "View lowered",
            description: "the function as blocks of lanes: each line is an op that all lanes run",
            language_id: "plaintext",
            of_loops: false,
            extension: "txt",
        },
        NativeStage {
            name: EXPLANATION,
            title: "Explain this function",
            description: "what lanes do, line by line, and why",
            language_id: "plaintext",
            of_loops: true,
            extension: "txt",
        },
    ];
    let machine = |stage: &MachineStage| NativeStage {
        name: stage.name,
        title: stage.title,
        description: if stage.form == MachineForm::Llvm {
            "LLVM IR as it is made of the blocks"
        } else {
            stage.description
        },
        language_id: stage.language_id,
        of_loops: false,
        extension: stage.extension,
    };
    own.into_iter().chain(MACHINE_STAGES.iter().map(machine)).collect()
}

/// The work that makes a view of the function of a name.
pub(crate) fn prepare(db: &Database, file: File, name: &str, stage: &NativeStage, target: &str) -> NativeWork {
    let wanted = ViewedUnit {
        unit: queries::ispc::unit(db, file).clone(),
        lanes: queries::ispc::config(db, file).target.width,
        name: name.to_owned(),
    };
    let (stage, target) = (stage.name, parse_target(target));
    Box::new(move |stopped| {
        let lines = match (stage, MachineForm::of_stage(stage)) {
            (LOWERED, _) => wanted.lowered()?,
            (EXPLANATION, _) => wanted.explained(target?.row.name)?,
            (_, Some(form)) => wanted.machine_code(form, target?, stopped)?,
            (_, None) => return Err(format!("there is no stage `{stage}`")),
        };
        Ok(StageText { changed: true, passes: Vec::new(), lines, decisions: Vec::new(), findings: Vec::new() })
    })
}

/// A function of a unit.
struct ViewedUnit {
    unit: Arc<Unit>,
    lanes: u32,
    name: String,
}

impl ViewedUnit {
    fn lowered(&self) -> Result<Vec<StageLine>, String> {
        let lowered = ispc_running::lowered_for(&self.unit, self.lanes, Some(&self.name));
        if let Some(problem) = ispc_running::problems(&lowered).first() {
            return Err(problem.message.clone());
        }
        let lines = ispc_running::text_lines(&lowered).into_iter();
        Ok(lines.map(|(text, place)| StageLine { text, source: own_range(place) }).collect())
    }

    fn explained(&self, target: &'static str) -> Result<Vec<StageLine>, String> {
        let (text, index) = (self.unit.text(FileId::MAIN), LineIndex::new(self.unit.text(FileId::MAIN)));
        let shown = IspcText { name: "", text, lines: &index };
        let functions = explained(&self.unit, self.lanes, target, Some(&self.name));
        if functions.is_empty() {
            return Err(format!("nothing is known about the lanes of `{}`", self.name));
        }
        let blocks = functions.iter().flat_map(|function| blocks(shown, function, None, Look::PLAIN));
        let lines = blocks.flat_map(|(line, block)| {
            let source = line.and_then(|line| trimmed(text, &index, line + 1));
            block.lines().map(|text| StageLine { text: text.to_owned(), source }).collect::<Vec<_>>()
        });
        Ok(lines.collect())
    }

    fn machine_code(
        &self,
        form: MachineForm,
        chosen: Chosen,
        stopped: &dyn Fn() -> bool,
    ) -> Result<Vec<StageLine>, String> {
        let machine = chosen.machine();
        let lines = Rc::new(ListedLines::of(&self.unit));
        let module =
            compiled(&self.unit, self.lanes, &machine, CompiledPart::Function(&self.name), None, lines.clone());
        let module = module.map_err(|why| match why {
            NoIspcModule::Problems(problems) => first_message(&problems),
            NoIspcModule::Trouble(message) => message,
        })?;
        let compiled = |form| {
            let made =
                machine_code::client()?.compile_unless(module.ir.clone(), Spec::of(&machine), form, PATIENCE, stopped);
            match made.map_err(|failure: Failure| failure.to_string())? {
                (Outcome::Text(text), _) => Ok(text),
                _ => Err("the worker gives no text".to_owned()),
            }
        };
        let (text, index) = (self.unit.text(FileId::MAIN), LineIndex::new(self.unit.text(FileId::MAIN)));
        let listed = lines.listed();
        let source_of = |number: Option<u32>| {
            let line: &ListedLine = listed.get(number?.checked_sub(1)? as usize)?;
            if line.file == FileId::MAIN.0 { trimmed(text, &index, line.line) } else { None }
        };
        Ok(match form {
            MachineForm::Asm => {
                let text = compiled(CompiledForm::Assembly)?;
                let listing = native::asm::listing(&text, machine.family);
                let lines = listing.functions.iter().flat_map(|function| &function.lines).chain(&listing.constants);
                lines.map(|line| StageLine { text: line.text.clone(), source: source_of(line.source_line) }).collect()
            }
            _ => {
                let text =
                    if form == MachineForm::Llvm { module.ir.clone() } else { compiled(CompiledForm::Optimised)? };
                let lines = driver::llvm_ir::lines(&text).into_iter();
                let line = |line: driver::llvm_ir::Line| StageLine {
                    source: source_of(line.source.map(|(number, _)| number)),
                    text: line.text,
                };
                lines.map(line).collect()
            }
        })
    }
}

fn first_message(problems: &[Problem]) -> String {
    problems.first().map_or_else(String::new, |problem| problem.message.clone())
}

/// The range of a place in the file itself.
fn own_range(place: SourcePlace) -> Option<TextRange> {
    let is_own = place.file == FileId::MAIN && place.start < place.end;
    is_own.then(|| TextRange::new(TextSize::new(place.start), TextSize::new(place.end)))
}

/// The range of a line, counted from 1, without its indentation.
fn trimmed(text: &str, lines: &LineIndex, line: u32) -> Option<TextRange> {
    let line = line.checked_sub(1).filter(|line| *line < lines.n_lines())?;
    Some(native_views::trimmed(text, lines, line))
}
