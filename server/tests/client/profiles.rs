//! Capabilities of well-known editors, as far as answers depend on them.

use serde_json::{Value, json};

use super::text::Encoding;

/// Builds the capabilities of an editor.
pub(crate) type Profile = fn() -> Value;

/// All editors with their capabilities, by name.
pub(crate) const ALL: &[(&str, Profile)] =
    &[("VS Code", vscode), ("Neovim", neovim), ("Helix", helix), ("Zed", zed), ("nothing", nothing)];

/// An editor's capabilities, with another unit of positions.
pub(crate) fn counting(mut profile: Value, encoding: Encoding) -> Value {
    profile["general"]["positionEncodings"] = json!([encoding.name()]);
    profile
}

/// Visual Studio Code with its own client library: every capability.
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
        "window": {
            "workDoneProgress": true,
            "showDocument": { "support": true },
            "showMessage": { "messageActionItem": { "additionalPropertiesSupport": true } },
        },
    })
}

/// Capabilities of Neovim 0.10.
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

/// Capabilities of Helix 24: no code lenses, no semantic tokens.
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

/// Capabilities of Zed.
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

/// A client without capabilities.
pub(crate) fn nothing() -> Value {
    json!({})
}

/// A client that pulls diagnostics and accepts no requests.
pub(crate) fn pulling() -> Value {
    json!({ "textDocument": { "diagnostic": {}, "codeAction": { "codeActionLiteralSupport": {} } } })
}

/// An editor that shows related places, and has findings published to it.
pub(crate) fn pushing() -> Value {
    json!({ "textDocument": { "publishDiagnostics": { "relatedInformation": true } } })
}
