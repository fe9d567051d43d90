//! A file as text and tokens, shared by all units that include it, and where files come from.

use std::ops::Range;
use std::sync::Arc;

use crate::kinds::Kind;
use crate::lexer::{self, RawToken};

/// A file's text, and all that follows from it alone.
#[derive(PartialEq, Eq, Debug)]
pub struct FileText {
    /// The path by which it was asked for.
    pub path: Arc<str>,
    /// The text.
    pub text: Arc<str>,
    /// The tokens, which tile the text.
    pub tokens: Vec<RawToken>,
    /// The indices of those `#` that start a directive.
    pub directives: Vec<u32>,
}

impl FileText {
    /// Reads a text.
    pub fn new(path: impl Into<Arc<str>>, text: impl Into<Arc<str>>) -> FileText {
        let text = text.into();
        let tokens = lexer::lex(&text);
        let mut directives = Vec::new();
        let mut at_line_start = true;
        for (index, token) in tokens.iter().enumerate() {
            match token.kind {
                Kind::Newline => at_line_start = true,
                kind if kind.is_trivia() => {}
                kind => {
                    if kind == Kind::Hash && at_line_start {
                        directives.push(index as u32);
                    }
                    at_line_start = false;
                }
            }
        }
        FileText { path: path.into(), text, tokens, directives }
    }

    /// Where the token of an index stands.
    pub fn range(&self, index: usize) -> Range<usize> {
        let start = self.tokens[index].start as usize;
        let end = self.tokens.get(index + 1).map_or(self.text.len(), |next| next.start as usize);
        start..end
    }

    /// The text of the token of an index, as written.
    pub fn token_text(&self, index: usize) -> &str {
        &self.text[self.range(index)]
    }

    /// The names that stand behind `#include`, in any branch, in quotes (true) or angle brackets (false). Files can be fetched by
    /// them before a unit is read.
    pub fn included_names(&self) -> Vec<(String, bool)> {
        let of_directive = |hash: &u32| {
            let mut rest = (*hash as usize + 1..self.tokens.len()).filter(|index| {
                let kind = self.tokens[*index].kind;
                !kind.is_trivia() || kind == Kind::Newline
            });
            let word = rest.next()?;
            if self.token_text(word) != "include" {
                return None;
            }
            let first = rest.next()?;
            let line = self.text[self.range(first).start..].lines().next().unwrap_or_default();
            included_name(line).map(|(name, quoted, _)| (name.to_owned(), quoted))
        };
        self.directives.iter().filter_map(of_directive).collect()
    }
}

/// Reads `"name"` or `<name>` at the start of a text: the name, true for quotes, and the length with its delimiters.
pub(crate) fn included_name(text: &str) -> Option<(&str, bool, usize)> {
    let (close, quoted) = match text.as_bytes().first()? {
        b'"' => ('"', true),
        b'<' => ('>', false),
        _ => return None,
    };
    let length = text[1..].find([close, '\n'])?;
    text[1 + length..].starts_with(close).then(|| (&text[1..1 + length], quoted, length + 2))
}

/// Where the preprocessor gets files. It asks for paths that it has joined itself; the answer may come from a disk, an editor, a map.
pub trait Files {
    /// The file of a path, or nothing if there is none.
    fn file(&self, path: &str) -> Option<Arc<FileText>>;
}

/// No files at all.
pub struct NoFiles;

impl Files for NoFiles {
    fn file(&self, _: &str) -> Option<Arc<FileText>> {
        None
    }
}

/// Joins a folder and a relative path, and takes `.` and `..` out.
pub fn join(folder: &str, path: &str) -> String {
    let is_absolute = path.starts_with(['/', '\\']) || path.as_bytes().get(1) == Some(&b':');
    let whole = if is_absolute || folder.is_empty() { path.to_owned() } else { format!("{folder}/{path}") };
    let root = if whole.starts_with('/') { "/" } else { "" };
    let mut parts: Vec<&str> = Vec::new();
    for part in whole.split(['/', '\\']) {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            ".." if !root.is_empty() => {}
            part => parts.push(part),
        }
    }
    format!("{root}{}", parts.join("/"))
}

/// The folder of a path, empty if it has none.
pub fn folder_of(path: &str) -> &str {
    path.rfind(['/', '\\']).map_or("", |at| if at == 0 { "/" } else { &path[..at] })
}
