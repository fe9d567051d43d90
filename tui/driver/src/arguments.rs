//! The arguments of a run, with the numbers that are in files.

use std::fs;
use std::path::Path;

use queries::run::{Argument, DataSource};

use crate::spec::Given;
use crate::{inputs, npy};

/// Converts all arguments of a run, and reads the numbers of those that are in files.
pub fn arguments(given: &[Given]) -> Result<Vec<Argument>, String> {
    given.iter().map(argument).collect()
}

/// Converts an argument, and reads its numbers if they are in a file.
pub fn argument(given: &Given) -> Result<Argument, String> {
    argument_in(Path::new(""), given)
}

/// Converts an argument; the path of a file starts in a folder.
pub fn argument_in(folder: &Path, given: &Given) -> Result<Argument, String> {
    match given {
        Given::Described(argument) => Ok(argument.clone()),
        Given::Npy(name, path) => {
            let content = fs::read(folder.join(path)).map_err(|error| format!("{path}: {}", inputs::reason(&error)))?;
            let npy = npy::read(&content).map_err(|why| format!("{path}: {why}"))?;
            Ok(Argument { name: name.clone(), source: DataSource::Bytes(npy.elem, npy.bytes) })
        }
    }
}
