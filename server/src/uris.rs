//! Addresses of documents: conversion to paths, and the normalised form in which they are compared.

use std::path::{Path, PathBuf};

use tower_lsp::gen_lsp_types::Uri;

use crate::documents::{Key, Language};

/// The normalised form of an address: clients spell one address in several ways (`%3A` or `:`, a drive letter in either case).
pub(crate) fn key(uri: &Uri) -> Key {
    let Some(path) = file_path(&uri.0) else { return Key::from(&*uri.0) };
    let mut path = decode(path);
    if is_drive(path.as_bytes()) {
        path[1..2].make_ascii_lowercase();
    }
    Key::from(format!("file:{path}"))
}

/// Returns true if a file's name is that of a source, or of a list of commands.
pub(crate) fn is_source(uri: &Uri) -> bool {
    let path = to_path(uri).map(|path| path.to_string_lossy().into_owned()).unwrap_or_default();
    path.ends_with(".lane") || Language::of_path(&path) != Language::Lane
}

/// The path by which ISPC's files know a document: that in its address, or the address itself.
pub(crate) fn ispc_path(key: &str) -> &str {
    key.strip_prefix("file:").unwrap_or(key)
}

/// The document of a path of ISPC's.
pub(crate) fn key_of_ispc_path(path: &str) -> Key {
    if path.starts_with('/') { Key::from(format!("file:{path}")) } else { Key::from(path) }
}

/// Converts a file's address to its path.
pub(crate) fn to_path(uri: &Uri) -> Option<PathBuf> {
    let path = decode(file_path(&uri.0)?);
    let path = if is_drive(path.as_bytes()) { &path[1..] } else { &path };
    Some(PathBuf::from(path))
}

/// Converts a path to the address of the file.
pub(crate) fn from_path(path: &Path) -> Uri {
    let path = path.to_string_lossy().replace('\\', "/");
    let slash = if path.starts_with('/') { "" } else { "/" };
    Uri(format!("file://{slash}{}", encode(&path)))
}

/// The path in a file's address. The host part is skipped: it is taken to name this machine.
fn file_path(uri: &str) -> Option<&str> {
    let rest = uri.strip_prefix("file://")?;
    rest.find('/').map(|slash| &rest[slash..])
}

/// Returns true for `/C:/…`.
fn is_drive(path: &[u8]) -> bool {
    matches!(path, [b'/', letter, b':', ..] if letter.is_ascii_alphabetic())
}

/// Decodes percent escapes. A text that does not decode to UTF-8 is returned unchanged.
pub(crate) fn decode(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, behind @ ..] = rest {
        let hex = behind.get(..2).filter(|_| *first == b'%').and_then(|hex| std::str::from_utf8(hex).ok());
        match hex.filter(|hex| !hex.starts_with('+')).and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &behind[2..];
            }
            None => {
                bytes.push(*first);
                rest = behind;
            }
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

/// Percent-encodes the characters that are reserved or not allowed in addresses.
pub(crate) fn encode(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for &byte in text.as_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b'~' | b':' => out.push(byte as char),
            _ => out += &format!("%{byte:02X}"),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_file_has_one_key() {
        let key = |uri: &str| key(&Uri::from(uri)).to_string();
        assert_eq!(key("file:///c%3A/a%20b.lane"), key("file:///C:/a b.lane"));
        assert_eq!(key("file:///tmp/%C3%A9.lane"), key("file:///tmp/é.lane"));
        assert_eq!(key("file://localhost/tmp/a.lane"), "file:/tmp/a.lane");
        assert_eq!(key("untitled:Untitled-1"), "untitled:Untitled-1");
        assert_eq!(key("file:///tmp/100%.lane"), "file:/tmp/100%.lane");
    }

    #[test]
    fn paths_go_there_and_back() {
        for path in ["/tmp/a b/é#?%41.lane", "/a"] {
            assert_eq!(to_path(&from_path(Path::new(path))), Some(PathBuf::from(path)));
        }
        assert_eq!(to_path(&Uri::from("file:///c%3A/a.lane")), Some(PathBuf::from("c:/a.lane")));
        assert_eq!(to_path(&Uri::from("untitled:1")), None);
    }
}
