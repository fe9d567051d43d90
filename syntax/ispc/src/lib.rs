//! ISPC's source text: tokens, preprocessor, lossless trees, units, names.
//!
//! - [`kinds`], [`lexer`]: tokens, which tile a text
//! - [`file`], [`file_tree`]: a file by itself, and its lossless tree as it is written
//! - [`config`], [`commands`]: folders of headers, macros from outside, the target; the `compile_commands.json` that tells them
//! - [`declared`]: the names that a file declares, by its tokens alone
//! - [`unit`]: a file with all that it includes; from each token the way back to the text
//! - [`prefix`]: the front of a unit, up to its last header, from which it is read on after an edit
//! - [`tree`], [`names`]: what the tokens of a unit are, and which name stands for which declaration
//! - [`format`](mod@format): white space in the file's own style
//! - [`problems`]: all that can be wrong; [`foreign`]: words of C and C++
//! - [`shared`]: vectors whose front units share
//!
//! Two trees, since a macro may be any run of tokens: the file's own one depends on its text alone and has every branch of every
//! condition; the unit's is of what the compiler reads, and its places lead back to the text. Nothing here knows disks or editors:
//! headers come through [`file::Files`].

pub mod commands;
pub mod config;
pub mod declared;
pub mod file;
pub mod file_tree;
pub mod foreign;
pub mod format;
pub mod kinds;
pub mod lexer;
pub mod names;
mod parser;
pub mod prefix;
mod preprocess;
pub mod problems;
pub mod shared;
pub mod tree;
pub mod unit;

use std::sync::Arc;

use config::Config;
use file::{FileText, Files};
use unit::Unit;

/// The endings of ISPC's files: those that are compiled, then headers.
pub const ENDINGS: [&str; 3] = ["ispc", "isph", "ih"];

/// Returns true for a file of ISPC's, by its name.
pub fn is_ispc(path: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, ending)| ENDINGS.contains(&ending))
}

/// Reads a file and all that it includes.
pub fn read(file: Arc<FileText>, config: &Config, files: &dyn Files) -> Unit {
    let is_header = !file.path.ends_with(".ispc");
    let mut unit = preprocess::preprocess(file, config, files);
    parser::parse(&mut unit, is_header);
    unit
}
