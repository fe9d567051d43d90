//! The features for ISPC documents, in the order of [`methods`](crate::methods). A request that has no handler here is answered empty.

pub(crate) mod call_hierarchy;
pub(crate) mod code_actions;
pub(crate) mod completion;
pub(crate) mod diagnostics;
pub(crate) mod formatting;
pub(crate) mod hover;
pub(crate) mod inlay_hints;
pub(crate) mod lists;
pub(crate) mod navigation;
pub(crate) mod rename;
pub(crate) mod semantic_tokens;
pub(crate) mod signature_help;
pub(crate) mod view;

use ide::ispc::FileRange;
use queries::db::File;
use tower_lsp::gen_lsp_types::Location;

use crate::request_context::RequestContext;

/// The files among which other units are looked for.
fn files(ctx: &RequestContext<'_>) -> Vec<File> {
    ctx.ispc_documents().iter().map(|place| place.file).collect()
}

/// Converts a place; one in a file that is no document has none.
fn location(ctx: &RequestContext<'_>, site: FileRange) -> Option<Location> {
    Some(ctx.ispc_document_of(site.file)?.location(site.range))
}
