//! The arguments of requests, as far as they are read.

use std::path::PathBuf;

use serde::Deserialize;

use crate::breakpoints::Asked;
use crate::launch::Launch;

/// `restart`: the launch to use in place of the one before.
#[derive(Deserialize)]
pub(super) struct Restart {
    pub(super) arguments: Option<Launch>,
}

/// `setExceptionBreakpoints`.
#[derive(Deserialize)]
pub(super) struct Filters {
    #[serde(default)]
    pub(super) filters: Vec<String>,
}

/// A source, by its path or by the number that it was given.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SourceName {
    pub(super) path: Option<PathBuf>,
    pub(super) source_reference: Option<u64>,
}

/// `setBreakpoints`.
#[derive(Deserialize)]
pub(super) struct AskedBreakpoints {
    pub(super) source: SourceName,
    #[serde(default)]
    pub(super) breakpoints: Vec<Asked>,
}

/// `setInstructionBreakpoints`.
#[derive(Deserialize)]
pub(super) struct AskedInstructions {
    #[serde(default)]
    pub(super) breakpoints: Vec<AskedInstruction>,
}

/// A breakpoint on a line of the stage, by an address and instructions behind it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct AskedInstruction {
    pub(super) instruction_reference: String,
    pub(super) offset: Option<i64>,
    pub(super) condition: Option<String>,
    pub(super) hit_condition: Option<String>,
}

/// `breakpointLocations`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Range {
    pub(super) line: u32,
    pub(super) end_line: Option<u32>,
}

/// `stackTrace`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Levels {
    pub(super) start_frame: Option<usize>,
    pub(super) levels: Option<usize>,
}

/// `variables`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct AskedVariables {
    pub(super) variables_reference: usize,
    pub(super) start: Option<usize>,
    pub(super) count: Option<usize>,
}

/// `evaluate`.
#[derive(Deserialize)]
pub(super) struct AskedExpression {
    pub(super) expression: String,
}

/// `disassemble`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct AskedText {
    pub(super) memory_reference: String,
    pub(super) offset: Option<i64>,
    pub(super) instruction_offset: Option<i64>,
    #[serde(default)]
    pub(super) instruction_count: u64,
}

/// `readMemory`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct AskedMemory {
    pub(super) memory_reference: String,
    pub(super) offset: Option<i64>,
    #[serde(default)]
    pub(super) count: usize,
}
