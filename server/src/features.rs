//! What an editor shows, one module each: the question to `analysis`, and its answer in the protocol's words.

pub(crate) mod call_hierarchy;
pub(crate) mod code_actions;
pub(crate) mod code_lenses;
pub(crate) mod commands;
pub(crate) mod completion;
pub(crate) mod definition;
pub(crate) mod diagnostics;
pub(crate) mod document_links;
pub(crate) mod folding;
pub(crate) mod formatting;
pub(crate) mod highlights;
pub(crate) mod hover;
pub(crate) mod inlay_hints;
pub(crate) mod references;
pub(crate) mod rename;
pub(crate) mod selection;
pub(crate) mod semantic_tokens;
pub(crate) mod signature_help;
pub(crate) mod symbols;
pub(crate) mod view;
pub(crate) mod view_files;

use tower_lsp::gen_lsp_types::{Documentation, MarkupContent, MarkupKind};

use crate::client::Format;

/// A text in Markdown, for a client that understands it or one that does not.
fn markup(text: String, format: Format) -> MarkupContent {
    match format {
        Format::Markdown => MarkupContent { kind: MarkupKind::Markdown, value: text },
        Format::Plain | Format::Text => MarkupContent { kind: MarkupKind::PlainText, value: plain(&text) },
    }
}

/// The same, where a client that names no format at all expects nothing but a text.
fn documentation(text: String, format: Format) -> Documentation {
    match format {
        Format::Text => Documentation::String(plain(&text)),
        format => Documentation::MarkupContent(markup(text, format)),
    }
}

/// A text without the marks of Markdown that mean nothing to the eye.
fn plain(markdown: &str) -> String {
    let lines = markdown.lines().filter(|line| !line.starts_with("```"));
    lines.collect::<Vec<_>>().join("\n").replace('`', "")
}

#[test]
fn markdown_becomes_plain() {
    assert_eq!(plain("```lane\nlet x: f32\n```\n\n`x` is it."), "let x: f32\n\nx is it.");
}
