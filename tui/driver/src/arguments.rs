//! The arguments of a run, with the numbers that are in files.

use std::fs;

use queries::run::{Argument, DataSource};

use crate::spec::Given;
use crate::{inputs, npy};

/// Converts an argument, and reads its numbers if they are in a file.
pub fn argument(given: &Given) -> Result<Argument, String> {
    match given {
        Given::Described(argument) => Ok(argument.clone()),
        Given::Npy(name, path) => {
            let content = fs::read(path).map_err(|error| format!("{path}: {}", inputs::reason(&error)))?;
            let npy = npy::read(&content).map_err(|why| format!("{path}: {why}"))?;
            Ok(Argument { name: name.clone(), source: DataSource::Bytes(npy.elem, npy.bytes) })
        }
    }
}
