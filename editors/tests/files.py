"""The lists of words that each editor needs in a form of its own are the lists of docs/language.md and docs/lane-ir.md."""

import json
import pathlib
import re
import sys
import xml.etree.ElementTree

ROOT = pathlib.Path(sys.argv[1])
EDITORS = ROOT / "editors"
LANGUAGE = (ROOT / "docs/language.md").read_text(encoding="utf-8")
LANE_IR = (ROOT / "docs/lane-ir.md").read_text(encoding="utf-8")

# The endings of ISPC's files are those of the package that reads them.
ISPC_ENDINGS = re.findall(r'"(\w+)"', re.search(r"ENDINGS: \[&str; 3\] = \[(.*?)\]", (ROOT / "syntax/ispc/src/lib.rs").read_text(encoding="utf-8")).group(1))

wrong = []


def section(text, start, end):
    return text[text.index(start) : text.index(end, text.index(start))]


def listed_words():
    """The reserved words, types and built-in functions."""
    keywords = re.search(r"reserved:\s*```text\n([^`]*)```", LANGUAGE).group(1).split()
    types = re.search(r"Scalars: `([^`]*)`", LANGUAGE).group(1).split()
    lists = re.findall(r"`([^`]*)`", section(LANGUAGE, "### Built in", "```lane"))
    builtins = " ".join(re.sub(r"\(.*?\)", "", part) for part in lists).split()
    assert len(keywords) > 25 and len(types) == 13 and len(builtins) > 40, (keywords, types, builtins)
    return {*keywords, *types, *builtins, "map", "reduce", "scan", "iota", "replicate", "zip", "range", "enumerate", "reversed"}


def listed_ops():
    """The ops of Lane IR that touch memory or other lanes."""
    tables = section(LANE_IR, "## Memory, in lanes", "\n## Control")
    ops = set(re.findall(r"^\| `([a-z_]+)\(", tables, re.MULTILINE))
    assert "gather" in ops and "splat" in ops, ops
    return ops


def check(condition, message):
    if not condition:
        wrong.append(message)


def knows_all(path, words):
    missing = words - set(re.findall(r"\w+", (EDITORS / path).read_text(encoding="utf-8")))
    check(not missing, f"{path} does not know {sorted(missing)}")


SYNTAX_FILES = ["vim/syntax/lane.vim", "kate/lane.xml", "emacs/lane-mode.el", "sublime/Lane.sublime-syntax", "kakoune/lane.kak"]
for path in SYNTAX_FILES:
    knows_all(path, listed_words())
knows_all("vim/syntax/laneir.vim", listed_ops())

# Each editor that can tells the server of ISPC's files, by all of their endings.
for path in ["neovim/lua/lanescope.lua", "vim/ftdetect/lane.vim", "emacs/lane-mode.el", "kakoune/lane.kak", "vscode/package.json"]:
    knows_all(path, set(ISPC_ENDINGS))

for folder in (path for path in EDITORS.iterdir() if path.is_dir() and path.name != "tests"):
    readme = folder / "README.md"
    check(readme.exists(), f"{folder.name} has no README.md")
    check(f"]({folder.name}/" in (EDITORS / "README.md").read_text(encoding="utf-8"), f"editors/README.md does not lead to {folder.name}")
    if readme.exists() and folder.name != "vscode":
        steps = re.findall(r"^\d\. ", readme.read_text(encoding="utf-8"), re.MULTILINE)
        check(steps == ["1. ", "2. ", "3. "], f"{folder.name}/README.md has other than three lines")

kate = json.loads((EDITORS / "kate/settings.json").read_text(encoding="utf-8"))
check(kate["servers"]["lane"]["command"] == ["lanescope", "lsp"], "kate/settings.json starts another server")
sublime = re.sub(r"^\s*//.*$", "", (EDITORS / "sublime/LSP-lanescope.sublime-settings").read_text(encoding="utf-8"), flags=re.MULTILINE)
client = json.loads(sublime)["clients"]["lanescope"]
check(client["command"] == ["lanescope", "lsp"], "Sublime's settings start another server")
scope = re.search(r"^scope: (\S+)$", (EDITORS / "sublime/Lane.sublime-syntax").read_text(encoding="utf-8"), re.MULTILINE).group(1)
check(client["selector"] == scope, "Sublime's client is for another scope than the syntax has")
keys = """enabled command selector priority_selector schemes tcp_port env initializationOptions settings
    experimental_capabilities disabled_capabilities file_watcher semantic_tokens diagnostics_mode""".split()
check(set(client) <= set(keys), "Sublime's LSP knows no such key of a client")
for path in ["kate/lane.xml", "kate/lane-ir.xml", "sublime/Lane.tmPreferences"]:
    xml.etree.ElementTree.parse(EDITORS / path)

if sys.version_info >= (3, 11):
    import tomllib

    helix = tomllib.loads((EDITORS / "helix/languages.toml").read_text(encoding="utf-8"))
    server = helix["language-server"][helix["language"][0]["language-servers"][0]]
    check([server["command"], *server["args"]] == ["lanescope", "lsp"], "helix/languages.toml starts another server")
    check(helix["language"][0]["file-types"] == ["lane"], "helix/languages.toml is for other files")
    check(helix["language"][1]["file-types"] == ISPC_ENDINGS, "helix/languages.toml is for other files of ISPC's")
    # Helix refuses a table that has a key beside these.
    keys = """name language-id scope file-types shebangs roots comment-token comment-tokens block-comment-tokens text-width
        soft-wrap auto-format formatter path-completion word-completion diagnostic-severity grammar injection-regex
        language-servers indent debugger auto-pairs rulers workspace-lsp-roots persistent-diagnostic-sources""".split()
    for language in helix["language"]:
        check(set(language) <= set(keys), "Helix knows no such key of a language")
        check({"name", "scope", "file-types"} <= set(language), "Helix wants more of a language")
        check(set(language["indent"]) == {"tab-width", "unit"}, "Helix wants both of an indentation")
        check(language["language-servers"] == ["lanescope"], "Helix starts another server")
    keys = {"command", "args", "environment", "config", "timeout", "required-root-patterns"}
    check(set(server) <= keys, "Helix knows no such key of a server")
    zed = tomllib.loads((EDITORS / "zed/extension.toml").read_text(encoding="utf-8"))
    lane = tomllib.loads((EDITORS / "zed/languages/lane/config.toml").read_text(encoding="utf-8"))
    ispc = tomllib.loads((EDITORS / "zed/languages/ispc/config.toml").read_text(encoding="utf-8"))
    both = [lane["name"], ispc["name"]]
    check(zed["language_servers"]["lanescope"]["languages"] == both, "Zed's server is for another language")
    check(list(zed["language_servers"]["lanescope"]["language_ids"]) == both, "Zed's server is told of another language")
    keys = """id name description version schema_version authors repository themes languages grammars language_servers
        context_servers slash_commands snippets lib""".split()
    check(set(zed) <= set(keys) and zed["schema_version"] == 1, "Zed knows no such key of an extension")
    keys = """name grammar path_suffixes line_comments block_comment autoclose_before brackets tab_size hard_tabs
        word_characters prettier_parser_name opt_into_language_servers first_line_pattern code_fence_block_name
        scope_opt_in_language_servers increase_indent_pattern decrease_indent_pattern collapsed_placeholder""".split()
    for language in [lane, ispc]:
        check(set(language) <= set(keys), "Zed knows no such key of a language")
        for pair in language["brackets"]:
            check(set(pair) <= {"start", "end", "close", "newline", "not_in"}, "Zed knows no such key of brackets")
    for pattern in ["increase_indent_pattern", "decrease_indent_pattern"]:
        re.compile(lane[pattern])
    check(ispc["path_suffixes"] == ISPC_ENDINGS, "zed/languages/ispc/config.toml is for other files")
    check(lane["path_suffixes"] == ["lane"], "zed/languages/lane/config.toml is for other files")

print("\n".join(wrong) or "every file knows every word")
sys.exit(bool(wrong))
