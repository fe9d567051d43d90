//! Inlay hints in ISPC documents: what lanes do, by the settings of Lane's.

use ide::ispc::hints::lane_hints;
use tower_lsp::gen_lsp_types::{InlayHint, InlayHintParams};
use tower_lsp::jsonrpc::Result;

use crate::features::inlay_hints::hint;
use crate::request_context::RequestContext;

/// `textDocument/inlayHint`.
pub(crate) fn inlay_hints(ctx: &RequestContext<'_>, params: &InlayHintParams) -> Result<Option<Vec<InlayHint>>> {
    let place = ctx.ispc_document(&params.text_document.uri)?;
    let range = place.text_range(params.range);
    let found = lane_hints(ctx.db(), place.file, range, &ctx.config().hints);
    Ok(Some(found.into_iter().map(|found| hint(ctx, &place, false, found)).collect()))
}
