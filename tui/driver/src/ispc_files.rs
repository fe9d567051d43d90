//! ISPC files: their text and headers from the disk, and the arguments with which they are compiled.
//!
//! Arguments come from a `compile_commands.json` beside the file or in a folder above it, or in `build/` of one of these, then from the
//! command line. A file that is not in the list, a header above all, takes those of the first command in it that compiles ISPC.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ispc::config::{Config, Target};
use ispc::file::{FileText, Files, folder_of, join};
use ispc::unit::Unit;
use queries::stages::Options;

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
    path.extension().is_some_and(|extension| ["ispc", "isph", "ih"].iter().any(|known| extension == *known))
}

/// The sentence of a command that cannot do its work on ISPC files yet.
pub fn refusal(name: &str) -> String {
    format!(
        "{name}: ISPC files are read, but not yet analysed or compiled: `lanescope check {name}` tells what is wrong in them (docs/ispc.md says what is not there yet)"
    )
}

/// Reads a file and all that it includes.
pub fn read(path: &Path, command: &Command<'_>) -> Result<Unit, String> {
    let name = path.display().to_string();
    let text = fs::read(path).map_err(|error| format!("{name}: {}", reason(&error)))?;
    let text = String::from_utf8(text).map_err(|_| format!("{name}: not UTF-8 text"))?;
    let file = Arc::new(FileText::new(name, text));
    Ok(ispc::read(file, &config(path, command), &Disk))
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
    config.target = target(&row.triple, row.register_bytes, lanes);
    if let Some((list, folder)) = commands_for(path)
        && let Some((arguments, folder)) = arguments_for(&list, path, &folder)
    {
        config.take_arguments(&arguments, &folder);
    }
    config.include_folders.extend_from_slice(command.include);
    command.define.iter().for_each(|definition| config.define(definition));
    config
}

/// The target of ispc's that is closest to one of this program's, given its triple and the bytes of its registers.
fn target(triple: &str, register_bytes: u16, lanes: Option<u32>) -> Target {
    let (isa, usual) = match register_bytes {
        0 => ("generic", 1),
        _ if triple.starts_with("aarch64") => ("neon", 4),
        _ if triple.starts_with("riscv") => ("rv64gcv", 4),
        64 => ("avx512skx", 16),
        16 => ("sse4", 4),
        _ => ("avx2", 8),
    };
    Target::named(&format!("{isa}-i32x{}", lanes.unwrap_or(usual))).unwrap_or_else(|| Config::default().target)
}

/// The nearest `compile_commands.json`, and its folder.
fn commands_for(path: &Path) -> Option<(String, PathBuf)> {
    let path = fs::canonicalize(path).ok()?;
    let folders = path.ancestors().skip(1).flat_map(|folder| [folder.to_owned(), folder.join("build")]);
    folders.into_iter().find_map(|folder| {
        let text = fs::read_to_string(folder.join("compile_commands.json")).ok()?;
        Some((text, folder))
    })
}

/// The arguments for a file out of a list of commands, and the folder that they are relative to.
fn arguments_for(list: &str, path: &Path, folder: &Path) -> Option<(Vec<String>, String)> {
    let list: serde_json::Value = serde_json::from_str(list).ok()?;
    let path = fs::canonicalize(path).ok()?.display().to_string();
    let file_of = |entry: &serde_json::Value| -> Option<(String, String)> {
        let directory = join(&folder.display().to_string(), entry["directory"].as_str().unwrap_or_default());
        Some((join(&directory, entry["file"].as_str()?), directory))
    };
    let entries: Vec<_> = list.as_array()?.iter().filter_map(|entry| Some((file_of(entry)?, entry))).collect();
    let own = entries.iter().find(|((file, _), _)| *file == path);
    let near = |file: &str| file.ends_with(".ispc") && folder_of(file) == folder_of(&path);
    let other = entries.iter().find(|((file, _), _)| near(file));
    let any = entries.iter().find(|((file, _), _)| file.ends_with(".ispc"));
    let ((_, directory), entry) = own.or(other).or(any)?;
    let arguments = match entry["arguments"].as_array() {
        Some(arguments) => arguments.iter().filter_map(|it| it.as_str().map(str::to_owned)).collect(),
        None => words(entry["command"].as_str()?),
    };
    Some((arguments, directory.clone()))
}

/// Splits a command as a shell does: at spaces that no quotes hold.
fn words(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut chars = command.chars();
    while let Some(char) = chars.next() {
        match (char, quote) {
            ('\\', Some('"') | None) => word.get_or_insert_default().extend(chars.next()),
            (char, Some(open)) if char == open => quote = None,
            ('"' | '\'', None) => {
                quote = Some(char);
                word.get_or_insert_default();
            }
            (char, None) if char.is_whitespace() => words.extend(word.take()),
            (char, _) => word.get_or_insert_default().push(char),
        }
    }
    words.extend(word);
    words
}

#[test]
fn commands_are_split_as_by_a_shell() {
    assert_eq!(
        words(r#"ispc -DA="b c" -I 'x y'  -DS=\"q\" a.ispc"#),
        ["ispc", "-DA=b c", "-I", "x y", "-DS=\"q\"", "a.ispc"]
    );
}
