//! The features of the editor, one module each: the query to `analysis`, and its answer converted to the protocol's types.

pub(crate) mod call_hierarchy;
pub(crate) mod code_actions;
pub(crate) mod code_lenses;
pub(crate) mod commands;
pub(crate) mod completion;
pub(crate) mod definition;
pub(crate) mod diagnostics;
pub(crate) mod document_links;
pub(crate) mod faster;
pub(crate) mod folding;
pub(crate) mod formatting;
pub(crate) mod highlights;
pub(crate) mod hover;
pub(crate) mod inlay_hints;
pub(crate) mod ispc_files;
pub(crate) mod kept_hints;
pub(crate) mod kept_lists;
pub(crate) mod references;
pub(crate) mod rename;
pub(crate) mod saved_costs;
pub(crate) mod selection;
pub(crate) mod semantic_tokens;
pub(crate) mod signature_help;
pub(crate) mod symbols;
pub(crate) mod view;
pub(crate) mod view_files;
pub(crate) mod view_lines;
pub(crate) mod view_words;

use tower_lsp::gen_lsp_types::{Documentation, MarkupContent, MarkupKind};

use crate::client::Format;

/// Converts Markdown to the markup that the client supports.
fn markup(text: String, format: Format) -> MarkupContent {
    match format {
        Format::Markdown => MarkupContent { kind: MarkupKind::Markdown, value: text },
        Format::Plain | Format::Text => MarkupContent { kind: MarkupKind::PlainText, value: plain(&text) },
    }
}

/// Converts Markdown to documentation, which is a bare string for a client that names no format.
fn documentation(text: String, format: Format) -> Documentation {
    match format {
        Format::Text => Documentation::String(plain(&text)),
        format => Documentation::MarkupContent(markup(text, format)),
    }
}

/// Removes the marks of Markdown that have no meaning in plain text.
fn plain(markdown: &str) -> String {
    let lines = markdown.lines().filter(|line| !line.starts_with("```"));
    lines.collect::<Vec<_>>().join("\n").replace('`', "")
}

#[test]
fn markdown_becomes_plain() {
    assert_eq!(plain("```lane\nlet x: f32\n```\n\n`x` is it."), "let x: f32\n\nx is it.");
}
