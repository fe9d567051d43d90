//! The stages that a program goes through on its way to vector code, as a list: `lower --stage`, its help and the
//! explorer all read it from here.

mod parsed;

use syntax::{FileItem, TextRange};

use crate::document::Document;
use crate::spelling::did_you_mean;

/// A form that a program has on its way.
pub struct Stage {
    /// What `--stage` calls it.
    pub name: &'static str,
    /// What has become visible in it.
    pub description: &'static str,
    /// Brings the chosen items of a document into this form.
    pub lower: fn(&Document, &[&FileItem]) -> StageText,
}

/// All stages, in order.
pub const STAGES: &[Stage] = &[Stage {
    name: "parsed",
    description: "the tree that the text was parsed to; white space and line breaks are left out",
    lower: parsed::lower,
}];

/// A program at a stage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StageText {
    /// Whether it differs from the stage before.
    pub changed: bool,
    /// The lines that show it.
    pub lines: Vec<StageLine>,
}

/// One line of a stage's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StageLine {
    /// The line, without a line break.
    pub text: String,
    /// The source that it shows.
    pub source: Option<TextRange>,
}

impl StageText {
    /// The whole text.
    pub fn text(&self) -> String {
        self.lines.iter().flat_map(|line| [line.text.as_str(), "\n"]).collect()
    }
}

/// The furthest stage there is.
pub fn last() -> &'static Stage {
    &STAGES[STAGES.len() - 1]
}

/// The stage that a word on the command line names.
pub fn parse_stage(word: &str) -> Result<&'static Stage, String> {
    let names: Vec<_> = STAGES.iter().map(|stage| stage.name).collect();
    STAGES
        .iter()
        .find(|stage| stage.name == word)
        .ok_or_else(|| format!("there is no such stage{} (`--stage list` names them)", did_you_mean(word, &names)))
}
