//! Atomic writes of files: either the whole new text or none of it.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

/// Replaces the text of a file and keeps its permissions; a missing file is created. If `path` is a symbolic link, its
/// target is replaced.
pub fn write_whole(path: &Path, text: &str) -> io::Result<()> {
    let path = match fs::canonicalize(path) {
        Ok(path) => path,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return fs::write(path, text),
        Err(error) => return Err(error),
    };
    let permissions = fs::metadata(&path)?.permissions();
    if permissions.readonly() {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "the file is read-only"));
    }
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut new = tempfile::Builder::new().prefix(".lanescope-").tempfile_in(folder)?;
    new.write_all(text.as_bytes())?;
    new.as_file().set_permissions(permissions)?;
    new.as_file().sync_all()?;
    new.persist(&path).map(|_| ()).map_err(|error| error.error)
}
