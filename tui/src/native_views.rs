//! Views beside a source, made by this program: the facts about a kernel's loops, as `lanescope explain` draws them,
//! and its LLVM IR and assembly, each line with the source range that it comes from.
//!
//! A view copies the data that it needs from the database at once: the kernel after all passes, and the ranges of its
//! places. The remaining work may take long and uses nothing else. LLVM runs in the worker only, so a crash of LLVM
//! never ends the process that shows the view.
//!
//! LLVM carries a line and a column through all its passes. Here the line is that of the source, and the column is the
//! *number of a place* (see [`queries::stages::places`]), so that an instruction leads back to exactly the expression
//! that it comes from. Where LLVM has merged two instructions, it leads to their line.

use std::sync::Arc;
use std::time::Duration;

use driver::document::Document;
use driver::machine_code::{self, MACHINE_STAGES, MachineForm, MachineStage};
use driver::targets::{Chosen, parse_target};
use driver::variants::{ComparedRow, LEGEND, TableLine, TableWidth, compare, table};
use ide::explain::explain_item;
use ide::fixes::TrialText;
use ide::variants::WantedVariants;
use native::asm::explain::explain;
use native::emit::{self, Input, Source};
use native::protocol::{CompiledForm, Failure, Job, Outcome, Spec};
use queries::check;
use queries::db::{Database, File, Item};
use queries::stages::target::Target;
use queries::stages::{Kernel, Options, StageLine, StageText, places};
use queries::uses::Surroundings;
use report::{ItemKind, Severity, SourcePosition, TextRange, TextSize};
use server::machine_views::{NativeStage, NativeViews, NativeWork, TrialWork};
use syntax::text::LineIndex;

use crate::console::Look;
use crate::{explained, ispc_views, trials};

/// Time limit of LLVM for a kernel in a view.
const PATIENCE: Duration = Duration::from_secs(20);

/// Name of the stage that shows facts instead of a form of the program.
const EXPLANATION: &str = "explanation";

/// Name of the stage that compares targets, lanes and attributes.
const VARIANTS: &str = "variants";

/// The views that this program provides.
pub(crate) struct MachineViews {
    stages: Vec<NativeStage>,
    ispc_stages: Vec<NativeStage>,
}

impl Default for MachineViews {
    fn default() -> Self {
        let stage = |stage: &MachineStage| NativeStage {
            name: stage.name,
            title: stage.title,
            description: stage.description,
            language_id: stage.language_id,
            of_loops: false,
            extension: stage.extension,
        };
        let explanation = NativeStage {
            name: EXPLANATION,
            title: "Explain this loop",
            description: "what lanes do, line by line, and why",
            language_id: "plaintext",
            of_loops: true,
            extension: "txt",
        };
        let variants = NativeStage {
            name: VARIANTS,
            title: "Try targets and attributes",
            description: "what the loops are estimated to cost on other targets, with other lanes and attributes",
            language_id: "plaintext",
            of_loops: false,
            extension: "txt",
        };
        MachineViews {
            stages: [explanation, variants].into_iter().chain(MACHINE_STAGES.iter().map(stage)).collect(),
            ispc_stages: ispc_views::stages(),
        }
    }
}

impl NativeViews for MachineViews {
    fn machine(&self) -> &'static Target {
        native::host::row()
    }

    fn stages(&self) -> &[NativeStage] {
        &self.stages
    }

    fn prepare(&self, db: &Database, item: Item<'_>, stage: &NativeStage, target: &str) -> NativeWork {
        if stage.name == EXPLANATION {
            return explanation(db, item, target);
        }
        if stage.name == VARIANTS {
            return compared(db, item, target);
        }
        let wanted = match (parse_target(target), MachineForm::of_stage(stage.name)) {
            (Ok(target), Some(form)) => Wanted::of(db, item, form, target),
            (Err(message), _) => Err(message),
            (_, None) => Err(format!("there is no stage `{}`", stage.name)),
        };
        Box::new(move |stopped| wanted.and_then(|wanted| wanted.make(stopped)))
    }

    fn ispc_stages(&self) -> &[NativeStage] {
        &self.ispc_stages
    }

    fn explain_instruction(&self, line: &str, target: &str) -> Option<String> {
        let found = explain(line, parse_target(target).ok()?.row.family)?;
        let takes = found.takes.map(|takes| format!("\n\n{takes}")).unwrap_or_default();
        Some(format!("`{}`: {}{takes}", found.name, found.does))
    }

    fn tries(&self) -> bool {
        true
    }

    fn prepare_trial(&self, db: &Database, item: Item<'_>, target: &str) -> TrialWork {
        trials::prepared(db, item, target)
    }

    fn prepare_ispc(&self, db: &Database, file: File, name: &str, stage: &NativeStage, target: &str) -> NativeWork {
        ispc_views::prepare(db, file, name, stage, target)
    }
}

/// Draws the explanation of an item like `lanescope explain`. The text is analysed in a database of its own, so that no
/// edit has to wait for it.
fn explanation(db: &Database, item: Item<'_>, target: &str) -> NativeWork {
    let options = parse_target(target).map(|chosen| Options { lanes: None, target: chosen.row });
    let (kind, name, nth) = (item.kind(db), item.name(db).clone(), item.nth(db));
    let text = item.file(db).text(db).to_string();
    let around = Surroundings::of(db, item.file(db));
    Box::new(move |_| {
        let document = Document::among("", text, &around).made_for(&[options?]);
        let is_it = |item: &&Item<'_>| {
            let db = document.db();
            (item.kind(db), item.name(db), item.nth(db)) == (kind, &name, nth)
        };
        let item = document.items().iter().find(is_it);
        let known = item.and_then(|&item| {
            let item = queries::kernel_of(document.db(), item);
            let tried = TrialText::new(&document.text)
                .among(document.around())
                .made_for(&document.promised_for())
                .tried(document.diagnostics_of(&[item]));
            Some(explain_item(document.db(), item)?.with_lifts(&tried))
        });
        let known = known.ok_or_else(|| format!("no kernel comes to `{name}`, so it has no lanes"))?;
        let blocks = explained::blocks(&document, &known, false, Look::PLAIN);
        let lines = blocks.iter().flat_map(|(line, block)| {
            let source = line.map(|line| trimmed(&document.text, document.lines(), line));
            block.lines().map(move |text| StageLine { text: text.to_owned(), source })
        });
        let lines = lines.collect();
        Ok(StageText { changed: true, passes: Vec::new(), lines, decisions: Vec::new(), findings: Vec::new() })
    })
}

/// Draws the table of an item's variants like `lanescope compare`, in a database of its own.
fn compared(db: &Database, item: Item<'_>, target: &str) -> NativeWork {
    let options = parse_target(target).map(|chosen| Options { lanes: None, target: chosen.row });
    let (name, text) = (item.name(db).to_string(), item.file(db).text(db).to_string());
    let around = Surroundings::of(db, item.file(db));
    Box::new(move |_| {
        let document = Document::among("", text, &around).made_for(&[options?]);
        let kernel = document.kernel_named(&name)?;
        let compared = compare(&document, kernel, &WantedVariants::all(), false);
        let header = |row: &ComparedRow| row.row.loops.first().map(|it| it.header);
        let line = |line: TableLine| {
            let source = line.row.and_then(|row| header(&compared.rows[row]));
            StageLine { text: line.text, source }
        };
        let told = compared.rows.iter().filter_map(|row| row.row.variant.change.as_ref());
        let told = told.filter(|change| !change.results.is_empty());
        let told = told.map(|change| format!("{}: {}", change.title, change.results));
        let foot = std::iter::once(String::new()).chain(told).chain(LEGEND.map(str::to_owned));
        let foot = foot.map(|text| StageLine { text, source: None });
        let lines = table(&compared, TableWidth::Wide).into_iter().map(line).chain(foot).collect();
        Ok(StageText { changed: true, passes: Vec::new(), lines, decisions: Vec::new(), findings: Vec::new() })
    })
}

/// Returns the range of a line without its indentation.
pub(crate) fn trimmed(text: &str, lines: &LineIndex, line: u32) -> TextRange {
    let range = lines.line_range(line);
    let text = &text[range];
    let indent = TextSize::of(text) - TextSize::of(text.trim_start());
    TextRange::at(range.start() + indent, TextSize::of(text.trim()))
}

/// A requested view, independent of the database.
struct Wanted {
    kernel: Arc<Kernel>,
    source: Source,
    /// The source ranges of the places that the kernel's ops refer to, by number.
    places: Vec<Option<TextRange>>,
    lines: LineIndex,
    form: MachineForm,
    target: Chosen,
}

impl Wanted {
    fn of(db: &Database, item: Item<'_>, form: MachineForm, target: Chosen) -> Result<Wanted, String> {
        let name = item.name(db);
        if item.kind(db) != ItemKind::Kernel {
            return Err(format!("`{name}` is no kernel, so it has no machine code of its own"));
        }
        let errors =
            check::reachable(db, &[item]).into_iter().flat_map(|item| check::item_diagnostics(db, item, 0.into()));
        match errors.filter(|found| found.severity == Severity::Error).count() {
            0 => {}
            1 => return Err(format!("`{name}` has an error")),
            n => return Err(format!("`{name}` has {n} errors")),
        }
        if let Some(finding) = queries::sequential(db, item).findings.first() {
            return Err(finding.message.clone());
        }
        let options = Options { target: target.row, ..Options::default() };
        let kernel = queries::reached(db, item, options).last().map(|reached| reached.kernel.clone());
        let kernel = kernel.ok_or_else(|| format!("nothing becomes of `{name}`"))?;
        let text = item.file(db).text(db).to_string();
        let (places, lines) = (places(db, item), LineIndex::new(&text));
        let place = |(number, range): (usize, &Option<TextRange>)| {
            let line = lines.line((*range)?.start()) + 1;
            // LLVM stores a column in 16 bits; places with larger numbers are located by their line only.
            Some(SourcePosition { line, column: u16::try_from(number + 1).unwrap_or(0).into() })
        };
        let places_of_lines = places.iter().enumerate().map(place).collect();
        let source = Source { file: format!("{name}.lane"), places: places_of_lines, text, ..Source::default() };
        Ok(Wanted { kernel, source, places, lines, form, target })
    }

    fn make(self, stopped: &dyn Fn() -> bool) -> Result<StageText, String> {
        let machine = self.machine(stopped)?;
        let input = Input { kernel: &self.kernel, source: &self.source };
        let ir =
            emit::emit(&[input], &machine, emit::ModuleOptions::default()).map_err(|refused| refused.to_string())?;
        let compiled = |ir, form| {
            let made = machine_code::client()?.compile_unless(ir, Spec::of(&machine), form, PATIENCE, stopped);
            match made.map_err(|failure: Failure| failure.to_string())? {
                (Outcome::Text(text), _) => Ok(text),
                _ => Err("the worker gives no text".to_owned()),
            }
        };
        let lines = match self.form {
            MachineForm::Llvm => self.llvm_lines(&ir),
            MachineForm::LlvmOpt => self.llvm_lines(&compiled(ir, CompiledForm::Optimised)?),
            MachineForm::Asm => self.asm_lines(&compiled(ir, CompiledForm::Assembly)?, &machine),
        };
        Ok(StageText { changed: true, passes: Vec::new(), lines, decisions: Vec::new(), findings: Vec::new() })
    }

    /// Returns the target of the machine code. LLVM knows the processor of this machine; without LLVM, the row of the
    /// table is used.
    fn machine(&self, stopped: &dyn Fn() -> bool) -> Result<Target, String> {
        let row = self.target.row.clone();
        if !self.target.is_native {
            return Ok(row);
        }
        match machine_code::client()?.ask(Job::Hello, &[]).wait_unless(PATIENCE, stopped) {
            Ok((Outcome::Hello { host: Spec { triple, cpu, features, .. }, .. }, _)) => {
                Ok(Target { triple: triple.into(), cpu: cpu.into(), features: features.into(), ..row })
            }
            Err(failure) if self.form != MachineForm::Llvm => Err(failure.to_string()),
            _ => Ok(row),
        }
    }

    /// Parses LLVM IR, and uses its debug information as the sources of the lines.
    fn llvm_lines(&self, text: &str) -> Vec<StageLine> {
        let lines = driver::llvm_ir::lines(text).into_iter().map(|line| StageLine {
            text: line.text,
            source: line.source.and_then(|(line, column)| self.source_of(line, column)),
        });
        lines.collect()
    }

    fn asm_lines(&self, text: &str, machine: &Target) -> Vec<StageLine> {
        let listing = native::asm::listing(text, machine.family);
        let lines = listing.functions.iter().flat_map(|function| &function.lines).chain(&listing.constants);
        let shown = lines.map(|line| StageLine {
            text: line.text.clone(),
            source: line.source_line.and_then(|line| self.source_of(line, 0)),
        });
        shown.collect()
    }

    /// Maps a debug line and column back to the source.
    fn source_of(&self, line: u32, column: u32) -> Option<TextRange> {
        let place = column.checked_sub(1).and_then(|number| self.places.get(number as usize).copied().flatten());
        let known = || line.checked_sub(1).filter(|&line| line < self.lines.n_lines());
        place.or_else(|| Some(trimmed(&self.source.text, &self.lines, known()?)))
    }
}
