//! ISPC files: their text and headers from the disk, and the arguments with which they are compiled.
//!
//! Arguments come from a `compile_commands.json` (see [`ispc::commands`]), then from the command line.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use ispc::commands::list_paths;
use ispc::config::{Config, Target};
use ispc::file::{FileText, Files};
use ispc::unit::Unit;
use ispc_facts::whole::notes_of;
use queries::stages::Options;

pub use ispc_facts::whole::PlacedNote;

use crate::inputs::reason;

/// The arguments that a command gives for all its ISPC files.
pub struct Command<'a> {
    /// The folders of `-I`.
    pub include: &'a [String],
    /// The macros of `-D`.
    pub define: &'a [String],
    /// The target and the number of lanes.
    pub target: Options,
}

/// Returns true for a file of ISPC's, by its name.
pub fn is_ispc(path: &Path) -> bool {
    ispc::is_ispc(&path.to_string_lossy())
}

/// The sentence of a command that cannot do its work on ISPC files yet.
pub fn refusal(name: &str) -> String {
    format!(
        "{name}: this command takes no ISPC files yet: `lanescope check {name}` tells what is wrong in them and what costs lanes, `lanescope run` runs a function, and `build` and `asm` make machine code (docs/ispc.md says what is not there yet)"
    )
}

/// A file that was read: its unit with all problems, and notes on what costs lanes.
pub struct ReadFile {
    /// The unit.
    pub unit: Unit,
    /// The notes on the file's own functions.
    pub notes: Vec<PlacedNote>,
}

/// Reads a file and all that it includes, and finds what its types have of problems and its functions of notes.
pub fn read(path: &Path, command: &Command<'_>) -> Result<ReadFile, String> {
    let name = path.display().to_string();
    let text = fs::read(path).map_err(|error| format!("{name}: {}", reason(&error)))?;
    let text = String::from_utf8(text).map_err(|_| format!("{name}: not UTF-8 text"))?;
    let file = Arc::new(FileText::new(name, text));
    let mut unit = ispc::read(file, &config(path, command), &Disk);
    let found = ispc_types::whole::check(&unit);
    let types = ispc_types::unit::declarations(&unit, None);
    let notes = notes_of(&unit, &types, ispc_types::whole::is_partial(&unit, &[&types]));
    unit.problems.extend(found);
    Ok(ReadFile { unit, notes })
}

/// The number of lanes that a file is read for.
pub fn lanes(path: &Path, command: &Command<'_>) -> u32 {
    config(path, command).target.width
}

/// The files of the disk.
struct Disk;

impl Files for Disk {
    fn file(&self, path: &str) -> Option<Arc<FileText>> {
        let bytes = fs::read(path).ok()?;
        Some(Arc::new(FileText::new(path, String::from_utf8_lossy(&bytes).into_owned())))
    }
}

/// The way a file is compiled.
fn config(path: &Path, command: &Command<'_>) -> Config {
    let mut config = Config::default();
    let lanes = command.target.lanes.map(u32::from);
    let row = command.target.target;
    config.target = Target::closest(&row.triple, row.register_bytes, lanes);
    if let Ok(path) = fs::canonicalize(path).map(|path| path.display().to_string()) {
        let mut lists = list_paths(&path).into_iter();
        let nearest = lists.find_map(|list_path| Some((fs::read_to_string(&list_path).ok()?, list_path)));
        if let Some((list, list_path)) = nearest {
            config.take_commands(&list, &list_path, &path);
        }
    }
    config.include_folders.extend_from_slice(command.include);
    command.define.iter().for_each(|definition| config.define(definition));
    config
}
