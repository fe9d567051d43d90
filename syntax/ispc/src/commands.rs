//! The arguments with which a file is compiled, out of a `compile_commands.json`.
//!
//! The list stands beside the file, in a folder above it, or in `build/` of one of these. A file that is not in the list, a header above
//! all, takes the arguments of another file in its folder, else of the first that is one of ISPC's.

use serde_json::Value;

use crate::config::Config;
use crate::file::{folder_of, join};

/// Paths at which the list of commands for a file may be, the nearest first.
pub fn list_paths(path: &str) -> Vec<String> {
    let mut paths = Vec::new();
    let mut folder = folder_of(path);
    while !folder.is_empty() {
        let folder_slash = folder.trim_end_matches('/');
        paths.push(format!("{folder_slash}/compile_commands.json"));
        paths.push(format!("{folder_slash}/build/compile_commands.json"));
        let around = folder_of(folder);
        if around == folder {
            break;
        }
        folder = around;
    }
    paths
}

impl Config {
    /// Takes the arguments for a file out of the list of commands at a path. A list that cannot be read has none.
    pub fn take_commands(&mut self, list: &str, list_path: &str, path: &str) {
        if let Some((arguments, folder)) = arguments_for(list, path, folder_of(list_path)) {
            self.take_arguments(&arguments, &folder);
        }
    }
}

/// The arguments for a file, and the folder that they are relative to.
fn arguments_for(list: &str, path: &str, folder: &str) -> Option<(Vec<String>, String)> {
    let list: Value = serde_json::from_str(list).ok()?;
    let file_of = |entry: &Value| -> Option<(String, String)> {
        let directory = join(folder, entry["directory"].as_str().unwrap_or_default());
        Some((join(&directory, entry["file"].as_str()?), directory))
    };
    let entries: Vec<_> = list.as_array()?.iter().filter_map(|entry| Some((file_of(entry)?, entry))).collect();
    let own = entries.iter().find(|((file, _), _)| file == path);
    let near = |file: &str| file.ends_with(".ispc") && folder_of(file) == folder_of(path);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_split_as_by_a_shell() {
        assert_eq!(
            words(r#"ispc -DA="b c" -I 'x y'  -DS=\"q\" a.ispc"#),
            ["ispc", "-DA=b c", "-I", "x y", "-DS=\"q\"", "a.ispc"]
        );
    }

    #[test]
    fn lists_are_looked_for_in_all_folders_above() {
        assert_eq!(
            list_paths("/w/a.ispc"),
            [
                "/w/compile_commands.json",
                "/w/build/compile_commands.json",
                "/compile_commands.json",
                "/build/compile_commands.json"
            ]
        );
        assert!(list_paths("untitled:1").is_empty());
    }
}
