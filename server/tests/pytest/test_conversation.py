"""What an editor does in a sitting, by way of pytest-lsp, under the capabilities that its authors recorded of editors."""

import os
import pathlib

import pytest
import pytest_lsp
from lsprotocol import types as lsp
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities

KERNEL = """\
## Größe 😀.
kernel scale(samples: f32[n], out: f32[n], n: i32, volume):
    for i in range(n):
        out[i] = samples[i] * volume
"""


@pytest_lsp.fixture(
    params=["visual_studio_code", "neovim", "emacs"],
    config=ClientServerConfig(server_command=[os.environ["LANESCOPE"], "lsp"]),
)
async def client(lsp_client: LanguageClient, request, tmp_path):
    folder = lsp.WorkspaceFolder(uri=tmp_path.as_uri(), name="work")
    (tmp_path / "other.lane").write_text("kernel other():\n    pass\n", encoding="utf-8")
    params = lsp.InitializeParams(
        capabilities=client_capabilities(request.param),
        workspace_folders=[folder],
        root_uri=tmp_path.as_uri(),
        initialization_options={"target": "avx2"},
    )

    @lsp_client.feature(lsp.CLIENT_REGISTER_CAPABILITY)
    def register(_: lsp.RegistrationParams):
        """What is registered is not used here."""

    await lsp_client.initialize_session(params)
    yield
    await lsp_client.shutdown_session()


@pytest.fixture
def uri(client, tmp_path: pathlib.Path):
    path = tmp_path / "scale.lane"
    path.write_text(KERNEL, encoding="utf-8")
    document = lsp.TextDocumentItem(uri=path.as_uri(), language_id="lane", version=1, text=KERNEL)
    client.text_document_did_open(lsp.DidOpenTextDocumentParams(text_document=document))
    return path.as_uri()


def place(word):
    line = next(n for n, text in enumerate(KERNEL.splitlines()) if word in text)
    return lsp.Position(line=line, character=KERNEL.splitlines()[line].index(word))


def at(kind, uri, word, **more):
    return kind(text_document=lsp.TextDocumentIdentifier(uri=uri), position=place(word), **more)


async def findings(client, uri):
    """Those that the server tells, or those that it is asked for."""
    if client.capabilities.text_document and client.capabilities.text_document.diagnostic:
        params = lsp.DocumentDiagnosticParams(text_document=lsp.TextDocumentIdentifier(uri=uri))
        return (await client.text_document_diagnostic_async(params)).items
    if uri not in client.diagnostics:
        await client.wait_for_notification(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    return client.diagnostics[uri]


async def test_hover(client, uri):
    found = await client.text_document_hover_async(at(lsp.HoverParams, uri, "volume"))
    assert "volume: f32" in found.contents.value


async def test_definition(client, uri):
    found = await client.text_document_definition_async(at(lsp.DefinitionParams, uri, "samples[i]"))
    target = found[0]
    start = target.target_selection_range.start if isinstance(target, lsp.LocationLink) else target.range.start
    assert start == place("samples: f32")


async def test_rename(client, uri):
    params = at(lsp.RenameParams, uri, "volume", new_name="gain")
    edit = await client.text_document_rename_async(params)
    edits = edit.document_changes[0].edits if edit.document_changes else edit.changes[uri]
    assert [found.new_text for found in edits] == ["gain", "gain"]


async def test_findings_and_their_fix(client, uri):
    assert list(await findings(client, uri)) == []
    broken = KERNEL.replace("range(n):", "range(n)")
    client.text_document_did_change(
        lsp.DidChangeTextDocumentParams(
            text_document=lsp.VersionedTextDocumentIdentifier(uri=uri, version=2),
            content_changes=[lsp.TextDocumentContentChangeWholeDocument(text=broken)],
        )
    )
    client.diagnostics.pop(uri, None)
    found = (await findings(client, uri))[0]
    assert found.code == "expected-colon"
    actions = await client.text_document_code_action_async(
        lsp.CodeActionParams(
            text_document=lsp.TextDocumentIdentifier(uri=uri),
            range=found.range,
            context=lsp.CodeActionContext(diagnostics=[found]),
        )
    )
    assert "Write `:`" in [action.title for action in actions]


async def test_hints_tokens_symbols_folds_lenses(client, uri):
    document = lsp.TextDocumentIdentifier(uri=uri)
    whole = lsp.Range(start=lsp.Position(line=0, character=0), end=lsp.Position(line=9, character=0))
    hints = await client.text_document_inlay_hint_async(lsp.InlayHintParams(text_document=document, range=whole))
    assert [hint.label for hint in hints] == [": f32", " 8 lanes"]
    tokens = await client.text_document_semantic_tokens_full_async(lsp.SemanticTokensParams(text_document=document))
    assert len(tokens.data) % 5 == 0 and tokens.data
    symbols = await client.text_document_document_symbol_async(lsp.DocumentSymbolParams(text_document=document))
    assert [symbol.name for symbol in symbols] == ["scale"]
    folds = await client.text_document_folding_range_async(lsp.FoldingRangeParams(text_document=document))
    assert (folds[0].start_line, folds[0].end_line) == (1, 3)
    lenses = await client.text_document_code_lens_async(lsp.CodeLensParams(text_document=document))
    assert [lens.command.title for lens in lenses] == ["View lowered IR", "View assembly"]


async def test_completion_and_signature(client, uri):
    found = await client.text_document_completion_async(at(lsp.CompletionParams, uri, "volume"))
    items = found.items if isinstance(found, lsp.CompletionList) else found
    assert items is not None
    found = await client.text_document_completion_async(at(lsp.CompletionParams, uri, "samples[i]"))
    assert "volume" in [item.label for item in found.items]


async def test_formatting(client, uri):
    options = lsp.FormattingOptions(tab_size=4, insert_spaces=True)
    params = lsp.DocumentFormattingParams(text_document=lsp.TextDocumentIdentifier(uri=uri), options=options)
    assert not await client.text_document_formatting_async(params)


async def test_a_view(client, uri):
    argument = {"textDocument": {"uri": uri}, "position": {"line": 2, "character": 4}, "stage": "sequential"}
    text = await client.workspace_execute_command_async(
        lsp.ExecuteCommandParams(command="lanescope.view", arguments=[argument])
    )
    assert text.startswith("kernel scale(")
