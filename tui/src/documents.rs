//! The documents of a command, read from its inputs.
//!
//! Inputs that cannot be read are reported on standard error, and all others are still processed.

use std::io;
use std::path::{Path, PathBuf};

use driver::document::Document;
use driver::inputs::{Found, Input, find};

use crate::console::{Console, Outcome};

/// Reads the single file of a path. Folders are rejected when they are read.
pub(crate) fn one(path: &Path, console: &mut Console) -> io::Result<Option<Document>> {
    match Input::of(path).read() {
        Ok(document) => Ok(Some(document)),
        Err(message) => console.trouble(&message).map(|()| None),
    }
}

/// Runs `work` on every document of the paths, in the order of their names, with progress on a terminal. Returns the
/// worst outcome.
pub(crate) fn each(
    paths: &[PathBuf],
    verb: &str,
    console: &mut Console,
    mut work: impl FnMut(Document, &Input, &mut Console) -> io::Result<Outcome>,
) -> io::Result<Outcome> {
    let Found { inputs, troubles } = find(paths);
    let mut outcome = Outcome::Done;
    for message in troubles {
        console.trouble(&message)?;
        outcome = Outcome::Trouble;
    }
    for (n, input) in inputs.iter().enumerate() {
        console.progress(verb, n, inputs.len(), &input.name())?;
        outcome = outcome.max(match input.read() {
            Ok(document) => work(document, input, console)?,
            Err(message) => console.trouble(&message).map(|()| Outcome::Trouble)?,
        });
    }
    Ok(outcome)
}
