//! Renaming in ISPC documents, refused where it cannot be shown to keep the program's meaning.

use ide::ispc::rename::{RenameRefusal, prepare_rename, rename as edits};
use tower_lsp::gen_lsp_types::{
    PrepareRenameParams, PrepareRenamePlaceholder, PrepareRenameResult, RenameParams, WorkspaceEdit,
};
use tower_lsp::jsonrpc::Result;

use super::files;
use crate::features::rename::{refused, workspace_edits};
use crate::request_context::RequestContext;

/// `textDocument/prepareRename`.
pub(crate) fn prepare(ctx: &RequestContext<'_>, params: &PrepareRenameParams) -> Result<Option<PrepareRenameResult>> {
    let at = &params.text_document_position_params;
    let place = ctx.ispc_document(&at.text_document.uri)?;
    match prepare_rename(ctx.db(), place.file, place.offset(at.position)) {
        Ok((range, placeholder)) => {
            let found = PrepareRenamePlaceholder { range: place.range(range), placeholder };
            Ok(Some(PrepareRenameResult::PrepareRenamePlaceholder(found)))
        }
        Err(RenameRefusal::NothingHere) => Ok(None),
        Err(refusal) => Err(refused(&refusal)),
    }
}

/// `textDocument/rename`.
pub(crate) fn rename(ctx: &RequestContext<'_>, params: &RenameParams) -> Result<Option<WorkspaceEdit>> {
    let at = &params.text_document_position_params;
    let place = ctx.ispc_document(&at.text_document.uri)?;
    let may_change = |file| ctx.ispc_document_of(file).is_some_and(|document| ctx.may_change(&document));
    let offset = place.offset(at.position);
    let found = edits(ctx.db(), &files(ctx), place.file, offset, &params.new_name, &may_change);
    let found = found.map_err(|refusal| refused(&refusal))?;
    let found = found.iter().filter_map(|(file, edits)| Some((ctx.ispc_document_of(*file)?, &**edits)));
    Ok(Some(workspace_edits(ctx.profile(), found)))
}
