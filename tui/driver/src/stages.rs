//! The stages of a program on the command line; [`queries::stages`] has their list.

use queries::check;
use queries::db::Item;
use queries::stages::{Options, PassRun, STAGES, Stage, StageText};
use report::Diagnostic;

use crate::document::Document;
use crate::spelling::did_you_mean;

/// Parses the name of a stage.
pub fn parse_stage(word: &str) -> Result<&'static Stage, String> {
    let names: Vec<_> = STAGES.iter().map(|stage| stage.name).collect();
    queries::stages::stage(word).ok_or_else(|| {
        format!("there is no such stage{} (`lower --stage list` names them)", did_you_mean(word, &names))
    })
}

/// Parses the name of a stage that the interpreter can run.
pub fn parse_run_stage(word: &str) -> Result<&'static Stage, String> {
    let stage = parse_stage(word)?;
    let names = STAGES.iter().filter(|stage| stage.runs()).map(|stage| format!("`{}`", stage.name));
    let names: Vec<_> = names.collect();
    if stage.runs() { Ok(stage) } else { Err(format!("`{word}` cannot be run; what can is {}", names.join(", "))) }
}

/// Lowers items to a stage and joins their texts, with a blank line between two that are not empty.
pub fn lower(document: &Document, stage: &Stage, items: &[Item<'_>], options: Options) -> StageText {
    let mut all = StageText {
        changed: false,
        passes: Vec::new(),
        lines: Vec::new(),
        decisions: Vec::new(),
        findings: Vec::new(),
    };
    for &item in items {
        let text = stage.of(document.db(), item, options);
        if !text.lines.is_empty() && !all.lines.is_empty() {
            all.lines.push(queries::stages::StageLine { text: String::new(), source: None });
        }
        all.changed |= text.changed;
        add_passes(&mut all.passes, &text.passes);
        all.lines.extend(text.lines);
        all.decisions.extend(text.decisions);
    }
    all
}

/// Merges the pass results of one more kernel. All kernels run the same passes.
fn add_passes(all: &mut Vec<PassRun>, more: &[PassRun]) {
    if all.is_empty() {
        all.extend_from_slice(more);
        return;
    }
    for (all, more) in all.iter_mut().zip(more) {
        all.changed |= more.changed;
        all.time += more.time;
    }
}

/// Returns the findings that kept an item from reaching a stage.
pub fn findings(document: &Document, stage: &Stage, item: Item<'_>) -> Vec<Diagnostic> {
    let findings = stage.of(document.db(), item, Options::default()).findings;
    findings.iter().map(|finding| check::rendered(document.db(), item, finding)).collect()
}
