//! What well-known editors say that they can do, as far as an answer depends on it.

use serde_json::{Value, json};

use super::text::Encoding;

/// What an editor says of itself.
pub(crate) type Profile = fn() -> Value;

/// An editor's name, and what it says of itself.
pub(crate) const ALL: &[(&str, Profile)] =
    &[("VS Code", vscode), ("Neovim", neovim), ("Helix", helix), ("Zed", zed), ("nothing", nothing)];

/// The same editor, with positions that count something else.
pub(crate) fn counting(mut profile: Value, encoding: Encoding) -> Value {
    profile["general"]["positionEncodings"] = json!([encoding.name()]);
    profile
}

/// Visual Studio Code with its own client library: all there is.
pub(crate) fn vscode() -> Value {
    json!({
        "general": {
            "positionEncodings": ["utf-16"],
            "markdown": { "parser": "marked", "version": "1.1.0" },
            "staleRequestSupport": { "cancel": true, "retryOnContentModified": ["textDocument/semanticTokens/full"] },
        },
        "workspace": {
            "applyEdit": true,
            "configuration": true,
            "workspaceFolders": true,
            "workspaceEdit": { "documentChanges": true, "failureHandling": "textOnlyTransactional" },
            "didChangeConfiguration": { "dynamicRegistration": true },
            "didChangeWatchedFiles": { "dynamicRegistration": true, "relativePatternSupport": true },
            "semanticTokens": { "refreshSupport": true },
            "codeLens": { "refreshSupport": true },
            "inlayHint": { "refreshSupport": true },
            "diagnostics": { "refreshSupport": true },
            "textDocumentContent": { "dynamicRegistration": true },
        },
        "textDocument": {
            "synchronization": { "dynamicRegistration": true, "didSave": true },
            "publishDiagnostics": {
                "relatedInformation": true, "versionSupport": false, "tagSupport": { "valueSet": [1, 2] },
            },
            "diagnostic": { "dynamicRegistration": true, "relatedDocumentSupport": false },
            "hover": { "contentFormat": ["markdown", "plaintext"] },
            "completion": {
                "completionItem": {
                    "snippetSupport": true,
                    "documentationFormat": ["markdown", "plaintext"],
                    "insertTextModeSupport": { "valueSet": [1, 2] },
                },
                "contextSupport": true,
            },
            "signatureHelp": {
                "signatureInformation": {
                    "documentationFormat": ["markdown", "plaintext"],
                    "parameterInformation": { "labelOffsetSupport": true },
                    "activeParameterSupport": true,
                    "noActiveParameterSupport": true,
                },
            },
            "definition": { "linkSupport": true },
            "declaration": { "linkSupport": true },
            "typeDefinition": { "linkSupport": true },
            "documentSymbol": { "hierarchicalDocumentSymbolSupport": true },
            "codeAction": { "codeActionLiteralSupport": { "codeActionKind": { "valueSet": ["", "quickfix"] } } },
            "foldingRange": { "lineFoldingOnly": true },
            "rename": { "prepareSupport": true },
            "semanticTokens": { "requests": { "range": true, "full": { "delta": true } },
                "tokenTypes": [], "tokenModifiers": [], "formats": ["relative"] },
            "inlayHint": { "resolveSupport": { "properties": ["tooltip"] } },
        },
        "window": { "workDoneProgress": true, "showDocument": { "support": true } },
    })
}

/// Neovim 0.10.
pub(crate) fn neovim() -> Value {
    json!({
        "general": { "positionEncodings": ["utf-8", "utf-16", "utf-32"] },
        "workspace": {
            "configuration": true,
            "workspaceEdit": { "resourceOperations": ["rename", "create", "delete"] },
            "workspaceFolders": true,
            "inlayHint": { "refreshSupport": true },
            "semanticTokens": { "refreshSupport": true },
        },
        "textDocument": {
            "publishDiagnostics": { "relatedInformation": true, "tagSupport": { "valueSet": [1, 2] } },
            "hover": { "contentFormat": ["markdown", "plaintext"] },
            "completion": { "completionItem": { "snippetSupport": true, "documentationFormat": ["markdown"] } },
            "signatureHelp": {
                "signatureInformation": {
                    "documentationFormat": ["markdown", "plaintext"],
                    "parameterInformation": { "labelOffsetSupport": true },
                },
            },
            "definition": { "linkSupport": true },
            "documentSymbol": { "hierarchicalDocumentSymbolSupport": true },
            "codeAction": { "codeActionLiteralSupport": { "codeActionKind": { "valueSet": ["", "quickfix"] } } },
            "rename": { "prepareSupport": true },
            "semanticTokens": { "requests": { "range": false, "full": { "delta": true } },
                "tokenTypes": [], "tokenModifiers": [], "formats": ["relative"] },
        },
        "window": { "workDoneProgress": true, "showDocument": { "support": true } },
    })
}

/// Helix 24: no code lenses, no semantic tokens.
pub(crate) fn helix() -> Value {
    json!({
        "general": { "positionEncodings": ["utf-8", "utf-32", "utf-16"] },
        "workspace": {
            "configuration": true,
            "workspaceEdit": { "documentChanges": true },
            "didChangeConfiguration": { "dynamicRegistration": false },
            "workspaceFolders": true,
        },
        "textDocument": {
            "publishDiagnostics": { "versionSupport": true, "tagSupport": { "valueSet": [1, 2] } },
            "hover": { "contentFormat": ["markdown"] },
            "completion": { "completionItem": { "snippetSupport": true } },
            "signatureHelp": {
                "signatureInformation": {
                    "documentationFormat": ["markdown"],
                    "parameterInformation": { "labelOffsetSupport": true },
                },
            },
            "codeAction": { "codeActionLiteralSupport": { "codeActionKind": { "valueSet": ["", "quickfix"] } } },
            "rename": { "prepareSupport": true },
        },
        "window": { "workDoneProgress": true },
    })
}

/// Zed.
pub(crate) fn zed() -> Value {
    json!({
        "general": { "positionEncodings": ["utf-16"] },
        "workspace": {
            "configuration": true,
            "didChangeWatchedFiles": { "dynamicRegistration": true },
            "didChangeConfiguration": { "dynamicRegistration": true },
            "workspaceFolders": true,
            "workspaceEdit": { "documentChanges": true },
            "inlayHint": { "refreshSupport": true },
            "diagnostics": { "refreshSupport": true },
        },
        "textDocument": {
            "diagnostic": { "dynamicRegistration": false },
            "publishDiagnostics": { "relatedInformation": true },
            "hover": { "contentFormat": ["markdown"] },
            "completion": { "completionItem": {
                "snippetSupport": true, "documentationFormat": ["markdown"], "insertTextModeSupport": { "valueSet": [1, 2] },
            } },
            "definition": { "linkSupport": true },
            "codeAction": { "codeActionLiteralSupport": { "codeActionKind": { "valueSet": ["quickfix"] } } },
            "rename": { "prepareSupport": true },
        },
        "window": { "workDoneProgress": true },
    })
}

/// A client that says nothing.
pub(crate) fn nothing() -> Value {
    json!({})
}

/// A client that asks for diagnostics, and is asked nothing.
pub(crate) fn pulling() -> Value {
    json!({ "textDocument": { "diagnostic": {}, "codeAction": { "codeActionLiteralSupport": {} } } })
}
