//! The words of views, explained: what an op of Lane IR or an instruction does, and what it takes on the target.
//!
//! A line is all that is needed, so editors that have views as buffers of their own ask about a line ([`WordRequest`]), and a view that is a
//! document of the server's has hovers.

use ide::stage_hover::explain_word;
use lane::tree::text::LineIndex;
use report::{TextRange, TextSize};
use serde::{Deserialize, Serialize};
use tower_lsp::gen_lsp_types::{
    Contents, Hover, LspRequestMethod, MarkupContent, MessageDirection, Position, Range, Request,
    TextDocumentPositionParams,
};
use tower_lsp::jsonrpc::Result;

use super::{markup, view_lines};
use crate::documents;
use crate::request_context::RequestContext;

/// The request `lanescope/explainWord`.
pub(crate) enum WordRequest {}

impl Request for WordRequest {
    type Params = WordParams;
    type Result = Option<WordResult>;
    const METHOD: LspRequestMethod<'static> = LspRequestMethod::Custom("lanescope/explainWord");
    const MESSAGE_DIRECTION: MessageDirection = MessageDirection::ClientToServer;
}

/// Parameters of `lanescope/explainWord`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WordParams {
    /// The language of the view.
    pub(crate) language_id: String,
    /// The target of the view; the one in the user's settings when left out.
    #[serde(default)]
    pub(crate) target: Option<String>,
    /// A line of the view.
    pub(crate) line: String,
    /// The column of the word.
    pub(crate) character: u32,
}

/// The result of `lanescope/explainWord`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct WordResult {
    /// The first column of the word, and the one behind it.
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) contents: MarkupContent,
}

/// `lanescope/explainWord`.
pub(crate) fn word(ctx: &RequestContext<'_>, params: &WordParams) -> Result<Option<WordResult>> {
    let WordParams { language_id, target, line, character } = params;
    explained(ctx, language_id, target.as_deref(), line, *character)
}

/// The hover of a view that is a document of the server's; nothing if the document is none.
pub(crate) fn hover(ctx: &RequestContext<'_>, at: &TextDocumentPositionParams) -> Result<Option<Option<Hover>>> {
    let Some((language_id, target, line)) = view_lines::line_of_view(ctx, at)? else { return Ok(None) };
    let found = explained(ctx, &language_id, target.as_deref(), &line, at.position.character)?;
    let place = |character| Position { line: at.position.line, character };
    Ok(Some(found.map(|found| Hover {
        range: Some(Range { start: place(found.start), end: place(found.end) }),
        contents: Contents::MarkupContent(found.contents),
    })))
}

fn explained(
    ctx: &RequestContext<'_>,
    language_id: &str,
    target: Option<&str>,
    line: &str,
    character: u32,
) -> Result<Option<WordResult>> {
    let (lines, unit) = (LineIndex::new(line), ctx.profile().unit);
    let offset = documents::offset(line, &lines, Position { line: 0, character }, unit);
    let found = match language_id {
        "lane-ir" => {
            let target = ctx.made_for(target)?.target;
            explain_word(line, offset, target).map(|found| (found.range, found.text))
        }
        "asm" => {
            let target = target.unwrap_or(&ctx.config().target);
            // An instruction is told wherever the cursor is in its line.
            let code = line.trim_start();
            let start = TextSize::of(line) - TextSize::of(code);
            let name = code.split([' ', '\t']).next().unwrap_or_default();
            let text = ctx.state().native.explain_instruction(line, target);
            text.map(|text| (TextRange::at(start, TextSize::of(name)), text))
        }
        _ => None,
    };
    let column = |at: TextSize| lines.line_column(line, at, unit).column;
    Ok(found.map(|(range, text)| WordResult {
        start: column(range.start()),
        end: column(range.end()),
        contents: markup(text, ctx.profile().hover),
    }))
}
