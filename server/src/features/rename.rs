//! Renaming of a symbol, refused if it would change the meaning of the program.

use std::collections::HashMap;

use ide::rename;
use ide::rename::RenameError;
use report::TextEdit;
use tower_lsp::gen_lsp_types::{
    DocumentChange, Edit, OptionalVersionedTextDocumentIdentifier, PrepareRenameParams, PrepareRenamePlaceholder,
    PrepareRenameResult, RenameParams, TextDocumentEdit, TextDocumentIdentifier, WorkspaceEdit,
};
use tower_lsp::jsonrpc::{Error, ErrorCode, Result};

use crate::client::Profile;
use crate::request_context::{ClientDocument, RequestContext};

/// `textDocument/prepareRename`.
pub(crate) fn prepare(ctx: &RequestContext<'_>, params: &PrepareRenameParams) -> Result<Option<PrepareRenameResult>> {
    let at = &params.text_document_position_params;
    let place = ctx.document(&at.text_document.uri)?;
    match rename::prepare_rename(ctx.db(), place.file, place.offset(at.position)) {
        Ok((range, placeholder)) => {
            let found = PrepareRenamePlaceholder { range: place.range(range), placeholder };
            Ok(Some(PrepareRenameResult::PrepareRenamePlaceholder(found)))
        }
        Err(RenameError::NothingHere) => Ok(None),
        Err(error) => Err(refused(&error)),
    }
}

/// `textDocument/rename`.
pub(crate) fn rename(ctx: &RequestContext<'_>, params: &RenameParams) -> Result<Option<WorkspaceEdit>> {
    let at = &params.text_document_position_params;
    let place = ctx.document(&at.text_document.uri)?;
    if place.file == queries::prelude::file(ctx.db()) {
        return Err(refused(&"this file comes with the program and stays as it is"));
    }
    let edits = rename::rename(ctx.db(), &ctx.files(), place.file, place.offset(at.position), &params.new_name);
    let edits = edits.map_err(|error| refused(&error))?;
    let edits = edits.iter().filter_map(|(file, edits)| Some((ctx.document_of(*file)?, &**edits)));
    Ok(Some(workspace_edits(ctx.profile(), edits)))
}

/// Builds a *request failed* error, whose message editors show unchanged.
pub(super) fn refused(error: &impl ToString) -> Error {
    Error { code: ErrorCode::ServerError(-32803), message: error.to_string().into(), data: None }
}

/// Converts the edits of one document, bound to the version they refer to if the client supports versioned edits.
pub(crate) fn workspace_edit(profile: &Profile, place: &ClientDocument<'_>, edits: &[TextEdit]) -> WorkspaceEdit {
    workspace_edits(profile, [(place, edits)].into_iter())
}

/// Converts the edits of some documents.
pub(super) fn workspace_edits<'e, 'p, P: std::borrow::Borrow<ClientDocument<'p>>>(
    profile: &Profile,
    all: impl Iterator<Item = (P, &'e [TextEdit])>,
) -> WorkspaceEdit {
    let all = all.map(|(place, edits)| {
        let place = place.borrow();
        (place.uri(), place.document.version, place.edits(edits))
    });
    if !profile.document_changes {
        let changes: HashMap<_, _> = all.map(|(uri, _, edits)| (uri, edits)).collect();
        return WorkspaceEdit { changes: Some(changes), ..Default::default() };
    }
    let changes = all.map(|(uri, version, edits)| {
        let text_document = OptionalVersionedTextDocumentIdentifier {
            version,
            text_document_identifier: TextDocumentIdentifier { uri },
        };
        let edits = edits.into_iter().map(Edit::TextEdit).collect();
        DocumentChange::TextDocumentEdit(TextDocumentEdit { text_document, edits })
    });
    WorkspaceEdit { document_changes: Some(changes.collect()), ..Default::default() }
}
