//! ISPC files: their text and headers from the disk, and the arguments with which they are compiled.
//!
//! Arguments come from a `compile_commands.json` (see [`ispc::commands`]), then from the command line.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use ide::ispc::explain::{ExplainedFunction, FunctionFacts, explain_function};
use ispc::commands::list_paths;
use ispc::config::{Config, Target};
use ispc::declared::declared_names;
use ispc::file::{FileText, Files};
use ispc::format::{applied, edits};
use ispc::names::DeclKind;
use ispc::unit::{FileId, Unit};
use ispc_facts::whole::{is_own, notes_of};
use ispc_facts::words::FactWords;
use ispc_types::body::type_body;
use ispc_types::naming::{is_meant, telling_name};
use ispc_types::source::{BodyPlace, Piece};
use queries::ispc::Settings;
use queries::stages::Options;
use report::{TextRange, TextSize};

pub use ispc_facts::whole::PlacedNote;

use crate::inputs::reason;
use crate::used_files::place_of;

/// The arguments that a command gives for all its ISPC files.
pub struct Command<'a> {
    /// The folders of `-I`.
    pub include: &'a [String],
    /// The macros of `-D`.
    pub define: &'a [String],
    /// The target and the number of lanes.
    pub target: Options,
}

/// The arguments for ISPC files that a face gives for as long as it runs, whatever target it looks at.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HeaderArguments {
    /// The folders of `-I`.
    pub include: Vec<String>,
    /// The macros of `-D`.
    pub define: Vec<String>,
}

impl HeaderArguments {
    /// The arguments of a command for a target.
    pub fn command(&self, target: Options) -> Command<'_> {
        Command { include: &self.include, define: &self.define, target }
    }

    /// The same for a host's files. The target is in force even where a list of commands names another one.
    pub fn settings(&self, target: Options) -> Settings {
        Settings {
            usual_target: None,
            target: Some(closest(target)),
            include_folders: self.include.iter().map(|folder| place_of(folder)).collect(),
            defines: self.define.clone(),
        }
    }
}

/// The target of ispc's that is nearest to one of this program.
pub fn closest(target: Options) -> Target {
    let row = target.target;
    Target::closest(&row.triple, row.register_bytes, target.lanes.map(u32::from))
}

/// Returns true for a file of ISPC's, by its name.
pub fn is_ispc(path: &Path) -> bool {
    ispc::is_ispc(&path.to_string_lossy())
}

/// The sentence of a command that cannot do its work on ISPC files yet.
pub fn refusal(name: &str) -> String {
    format!(
        "{name}: this command takes no ISPC files yet: `lanescope check {name}` tells what is wrong in them and what costs lanes, `lanescope explain` tells why, `lanescope run` runs a function, `bench` measures it, `build` and `asm` make machine code, and `lanescope {name}` opens the explorer (docs/ispc.md says what is not there yet)"
    )
}

/// A file that was read: its unit with all problems, and notes on what costs lanes.
pub struct ReadFile {
    /// The unit.
    pub unit: Unit,
    /// The notes on the file's own functions.
    pub notes: Vec<PlacedNote>,
}

/// Explains the functions that a file has itself, or those of a name.
pub fn explained(unit: &Unit, lanes: u32, target: &'static str, name: Option<&str>) -> Vec<ExplainedFunction> {
    let types = ispc_types::unit::declarations(unit, None);
    let is_partial = ispc_types::whole::is_partial(unit, &[&types]);
    let is_named = |body: &&BodyPlace| name.is_none_or(|name| is_meant(&types.layer, body.entity, name));
    let wanted = types.bodies.iter().filter(|body| is_own(unit, body)).filter(is_named);
    let explained = wanted.filter_map(|body| {
        let piece = Piece::cut(unit, &types.entities, body, types.layer.n_entities(), is_partial);
        let typed = type_body(&types.layer, &piece);
        let facts = ispc_facts::facts(&types.layer, &piece, &typed)?;
        let words = FactWords { piece: &piece, layer: &typed.layer, facts: &facts };
        let first = unit.tree.nodes[body.node].first;
        explain_function(&FunctionFacts { unit, decl: body.decl, first, types: &typed, words, lanes, target })
    });
    explained.collect()
}

/// The names of the functions that a file has itself, overloads with the types that they take.
pub fn function_names(unit: &Unit) -> Vec<String> {
    let types = ispc_types::unit::declarations(unit, None);
    let own = types.bodies.iter().filter(|body| is_own(unit, body));
    own.map(|body| telling_name(&types.layer, body.entity)).collect()
}

/// Returns true if a name means a function that a file has itself.
pub fn means_a_function(unit: &Unit, name: &str) -> bool {
    let types = ispc_types::unit::declarations(unit, None);
    types.bodies.iter().any(|body| is_own(unit, body) && is_meant(&types.layer, body.entity, name))
}

/// Reads a file and all that it includes, and finds what its types have of problems and its functions of notes.
pub fn read(path: &Path, command: &Command<'_>) -> Result<ReadFile, String> {
    let mut unit = read_unit(path, command)?;
    let found = ispc_types::whole::check(&unit);
    let types = ispc_types::unit::declarations(&unit, None);
    let notes = notes_of(&unit, &types, ispc_types::whole::is_partial(&unit, &[&types]));
    unit.problems.extend(found);
    Ok(ReadFile { unit, notes })
}

/// Reads a file and all that it includes, with the problems of its text alone.
pub fn read_unit(path: &Path, command: &Command<'_>) -> Result<Unit, String> {
    let name = path.display().to_string();
    let text = fs::read(path).map_err(|error| format!("{name}: {}", reason(&error)))?;
    let text = String::from_utf8(text).map_err(|_| format!("{name}: not UTF-8 text"))?;
    let file = Arc::new(FileText::new(name, text));
    Ok(ispc::read(file, &config(path, command), &Disk))
}

/// Reads another text in the place of a file's, in the way in which the file is compiled; with all problems.
pub fn read_instead(path: &Path, text: &str, command: &Command<'_>) -> Unit {
    let file = Arc::new(FileText::new(path.display().to_string(), text));
    let mut unit = ispc::read(file, &config(path, command), &Disk);
    let found = ispc_types::whole::check(&unit);
    unit.problems.extend(found);
    unit
}

/// Reads a text that stands at a path, which need not be the disk's, and all that it includes; with all problems. The target is in force even
/// where a list of commands names another one.
pub fn read_text(name: &str, text: &str, command: &Command<'_>) -> Unit {
    let mut unit = unit_of_text(name, text, command);
    let found = ispc_types::whole::check(&unit);
    unit.problems.extend(found);
    unit
}

/// The numbers of errors, warnings and notes of a text that stands at a path.
pub fn counts(name: &str, text: &str, command: &Command<'_>) -> [usize; 3] {
    let unit = read_text(name, text, command);
    let n_warnings = unit.problems.iter().filter(|problem| problem.is_warning).count();
    let types = ispc_types::unit::declarations(&unit, None);
    let notes = notes_of(&unit, &types, ispc_types::whole::is_partial(&unit, &[&types]));
    [unit.problems.len() - n_warnings, n_warnings, notes.len()]
}

fn unit_of_text(name: &str, text: &str, command: &Command<'_>) -> Unit {
    let config = Config { target: closest(command.target), ..config(Path::new(name), command) };
    ispc::read(Arc::new(FileText::new(place_of(name), text)), &config, &Disk)
}

/// A text in the style of its larger part.
pub fn formatted_text(name: &str, text: &str, arguments: &HeaderArguments) -> String {
    applied(text, &edits(&unit_of_text(name, text, &arguments.command(Options::default()))))
}

/// The names of the functions that a text defines, found in its letters alone.
pub fn function_places(text: &str) -> Vec<TextRange> {
    let declared = declared_names(&FileText::new("", text)).into_iter();
    let functions = declared.filter(|name| name.is_definition && name.kind == Some(DeclKind::Function));
    functions.map(|name| TextRange::new(TextSize::new(name.start), TextSize::new(name.end))).collect()
}

/// The text of a file, and that text in the style of its larger part.
pub fn formatted(path: &Path, command: &Command<'_>) -> Result<(String, String), String> {
    let unit = read_unit(path, command)?;
    let text = unit.text(FileId::MAIN);
    Ok((text.to_owned(), applied(text, &edits(&unit))))
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
    let mut config = Config { target: closest(command.target), ..Config::default() };
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
