//! What a builtin, an op and an attribute touch, counted on ones that have nothing special.
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
    sources.sort();
    sources
});

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
    // That NumPy has it by another name is known to a message.
    assert_eq!(saying(&["\"clamp\"", "Clamp"]), ["analysis/hir/src/builtins.rs", "analysis/hir/src/errors/habits.rs"]);
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
    assert_eq!(saying(&["\"reassoc\"", "AttributeId::Reassoc"]), ["analysis/hir/src/builtins.rs"]);
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
