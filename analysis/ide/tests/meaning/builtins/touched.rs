//! The files that a new op, builtin, attribute, pass, target, finding, request, reported fact or surface touches, counted on ones
//! that have nothing special: the table in ARCHITECTURE.md.
//!
//! A new one touches the same files, so a file that comes to know their names has to say why here.

use std::path::Path;
use std::sync::LazyLock;

use hir::builtins::BUILTINS;

use crate::common;

/// The source files of the workspace, by their paths in it, with their texts; tests and comments left out.
static SOURCES: LazyLock<Vec<(String, String)>> = LazyLock::new(|| {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut sources = Vec::new();
    for folder in ["analysis", "server", "syntax", "tui"] {
        collect(&root, &root.join(folder), &mut sources);
    }
    // Modules of tests stand beside the code that they test.
    let of_tests: Vec<String> = sources.iter().flat_map(|(path, text)| modules_of_tests(path, text)).collect();
    let is_of =
        |path: &str, module: &String| path.strip_prefix(&**module).is_some_and(|rest| rest.starts_with(['.', '/']));
    sources.retain(|(path, _)| !of_tests.iter().any(|module| is_of(path, module)));
    // ISPC's library has functions of the same names, which are of another language.
    sources.retain(|(path, _)| !path.starts_with("analysis/ispc-"));
    sources.sort();
    sources
});

/// The paths, without their ends, of the modules that a file declares for tests alone. Lines are joined in `text`.
fn modules_of_tests(path: &str, text: &str) -> Vec<String> {
    let stem = path.strip_suffix(".rs").expect("a source file");
    let folder = ["/lib", "/main"].iter().find_map(|root| stem.strip_suffix(root)).unwrap_or(stem);
    let behind = text.split("#[cfg(test)]mod ").skip(1);
    behind.filter_map(|rest| rest.split_once(';')).map(|(name, _)| format!("{folder}/{name}")).collect()
}

fn collect(root: &Path, folder: &Path, sources: &mut Vec<(String, String)>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry of the folder").path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if path.is_dir() && !["target", "tests", "benches"].contains(&name) {
            collect(root, &path, sources);
        } else if name.ends_with(".rs") && name != "tests.rs" {
            let text = std::fs::read_to_string(&path).expect("a file's text");
            let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
            let text: String = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
            let path = path.strip_prefix(root).expect("a path in the workspace");
            sources.push((path.to_string_lossy().replace('\\', "/"), text));
        }
    }
}

/// The source files that say one of these things.
fn saying(wanted: &[&str]) -> Vec<&'static str> {
    let says = |(_, text): &&(String, String)| wanted.iter().any(|wanted| text.contains(wanted));
    SOURCES.iter().filter(says).map(|(path, _)| path.as_str()).collect()
}

/// Its row, its op's row, and LLVM, which has a function of that name.
#[test]
fn a_builtin_is_named_in_its_row() {
    assert_eq!(
        saying(&["\"ceil\""]),
        ["analysis/hir/src/builtins.rs", "analysis/ir/src/ops.rs", "analysis/native/src/emit/elementwise.rs"]
    );
    assert_eq!(saying(&["\"isnan\""]), ["analysis/hir/src/builtins.rs", "analysis/ir/src/ops.rs"]);
}

/// A builtin without an op is a row, and a function of the prelude.
#[test]
fn a_builtin_of_the_prelude_is_named_in_its_row() {
    // That others have it by another name is known to messages.
    assert_eq!(
        saying(&["\"clamp\"", "Clamp"]),
        ["analysis/hir/src/builtins.rs", "analysis/hir/src/errors/foreign.rs", "analysis/hir/src/errors/habits.rs"]
    );
}

/// Its rule is asked for by the row, and by the op.
#[test]
fn a_builtin_has_one_rule() {
    assert_eq!(saying(&["scalar::ceil"]), ["analysis/hir/src/builtins.rs", "analysis/ir/src/interp/elementwise.rs"]);
}

/// Its row, its rule in the interpreter, its printing to LLVM; and the builtin that it is the op of.
#[test]
fn an_op_is_named_where_it_is_defined() {
    assert_eq!(
        saying(&["Code::Ceil", "Ceil \"ceil\""]),
        [
            "analysis/hir/src/builtins.rs",
            "analysis/ir/src/interp/elementwise.rs",
            "analysis/ir/src/ops.rs",
            "analysis/native/src/emit/elementwise.rs"
        ]
    );
}

/// Its row; and the text form of Lane IR, which has the marks that attributes set.
#[test]
fn an_attribute_is_named_in_its_row() {
    assert_eq!(
        saying(&["\"no_scatter\"", "\"@no_scatter\"", "AttributeId::NoScatter"]),
        ["analysis/hir/src/builtins.rs", "analysis/ir/src/print.rs", "analysis/ir/src/read/cursor.rs"]
    );
    // What would be without it, or with it, is tried.
    assert_eq!(
        saying(&["\"reassoc\"", "AttributeId::Reassoc"]),
        ["analysis/hir/src/builtins.rs", "analysis/ide/src/variants.rs"]
    );
}

/// Its row; the functions of the prelude, which are Lane, are named by it.
#[test]
fn a_math_function_is_named_in_its_row() {
    assert_eq!(saying(&["\"hypot\"", "hypot_f"]), ["analysis/hir/src/builtins.rs"]);
}

/// Its file, its row, its place in the pipeline; and the row of the code that its decisions have.
#[test]
fn a_pass_is_named_in_its_row_and_in_the_pipeline() {
    assert_eq!(
        saying(&["merge_stores", "\"merge-stores\"", "MERGE_STORES"]),
        ["analysis/passes/src/lib.rs", "analysis/passes/src/merge_stores.rs", "analysis/passes/src/pipeline.rs"]
    );
    assert_eq!(saying(&["KeptInRegisters"]), ["analysis/ir/src/codes.rs", "analysis/passes/src/jam.rs"]);
}

/// Its row; and what this machine is, and the choice between targets at run time, of which few have a part.
#[test]
fn a_target_is_named_in_its_row() {
    assert_eq!(saying(&["\"sve512\""]), ["analysis/ir/src/target.rs"]);
    assert_eq!(
        saying(&["\"avx512\""]),
        [
            "analysis/ir/src/target.rs",
            "analysis/native/src/dispatch.rs",
            "analysis/native/src/host.rs",
            // The instruction sets in ispc's names.
            "tui/driver/src/targets.rs"
        ]
    );
}

/// Its code, its constructor, the place that finds it.
#[test]
fn a_finding_is_named_where_it_is_made() {
    assert_eq!(
        saying(&["BrokenNoCopy", "broken_no_copy"]),
        [
            "analysis/hir/src/errors/codes.rs",
            "analysis/hir/src/errors/lanes.rs",
            "analysis/queries/src/lanes/contracts.rs"
        ]
    );
}

/// Its file, that of its answers about ISPC's files, the table of methods, what the server says it can.
#[test]
fn a_request_is_named_in_its_file_and_in_two_tables() {
    assert_eq!(
        saying(&["DocumentLinkRequest", "document_links", "document_link_provider"]),
        [
            "server/src/capabilities.rs",
            "server/src/features.rs",
            "server/src/features/document_links.rs",
            "server/src/features/ispc_files/lists.rs",
            "server/src/methods.rs"
        ]
    );
}

/// The report, and the place that fills it in for each surface; faces write its words.
#[test]
fn a_reported_fact_is_filled_in_once() {
    assert_eq!(
        saying(&["UntilTheLast", "\"until-the-last\""]),
        ["analysis/ide/src/ispc/explain.rs", "analysis/insight/src/judged.rs", "analysis/report/src/lanes/loops.rs"]
    );
}

/// The door of a surface.
#[test]
fn a_surface_is_entered_by_one_file() {
    assert_eq!(
        saying(&["lane::cut", "lane::parse_item", "lane::lower::lower", "lane::render::"]),
        ["analysis/queries/src/surface.rs"]
    );
}

/// No builtin is matched by its name where it is inferred, evaluated, lowered or shown.
#[test]
fn builtins_are_not_matched_by_name() {
    for row in BUILTINS {
        let arms = [format!("\"{}\" =>", row.name), format!(".name == \"{}\"", row.name)];
        let found = saying(&arms.each_ref().map(String::as_str));
        assert!(found.iter().all(|path| path.starts_with("analysis/ir/")), "{}: {found:?}", row.name);
    }
}

/// Editors colour builtins by their names.
#[test]
fn editors_know_every_builtin() {
    let grammars = [
        "editors/emacs/lane-mode.el",
        "editors/kakoune/lane.kak",
        "editors/kate/lane.xml",
        "editors/sublime/Lane.sublime-syntax",
        "editors/vim/syntax/lane.vim",
        "editors/vscode/syntaxes/lane.tmLanguage.json",
    ];
    for path in grammars {
        let grammar = common::read(path);
        let words: std::collections::HashSet<_> = grammar.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
        let missing: Vec<_> = BUILTINS.iter().map(|row| row.name).filter(|name| !words.contains(name)).collect();
        assert!(missing.is_empty(), "{path}: {missing:?}");
    }
}
