//! The stages a program goes through on its way to vector code, as a list: `lower --stage`, its help, an editor's views
//! and the explorer all read it from here.

use std::sync::Arc;

use syntax::text::{ColumnUnit, LineIndex};
use syntax::{SyntaxElement, SyntaxKind, SyntaxNode, TextRange, TextSize};

use crate::check::start_of;
use crate::db::{File, Item, dense_map, parse};
use crate::finding::{Finding, ItemKey};
use crate::{hir, lower};

/// A form that a program has on its way.
pub struct Stage {
    /// What `--stage` calls it.
    pub name: &'static str,
    /// What has become visible in it.
    pub description: &'static str,
    show: fn(&dyn salsa::Database, Item<'_>) -> Shown,
}

/// All stages, in order.
pub static STAGES: &[Stage] = &[
    Stage {
        name: "parsed",
        description: "the tree that the text was parsed to; white space and line breaks are left out",
        show: parsed,
    },
    Stage {
        name: "typed",
        description: "the program with every type written down, defaults and constants' values among them",
        show: typed,
    },
    Stage {
        name: "sequential",
        description: "scalar Lane IR: calls inlined, variables as values, early exits as flags",
        show: sequential,
    },
    Stage {
        name: "final",
        description: "constants folded, equal values shared, loop invariants hoisted, dead code gone",
        show: finished,
    },
];

/// The stage of a name.
pub fn stage(name: &str) -> Option<&'static Stage> {
    STAGES.iter().find(|stage| stage.name == name)
}

/// An item at a stage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StageText {
    /// Whether it differs from the stage before.
    pub changed: bool,
    /// The lines that show it.
    pub lines: Vec<StageLine>,
    /// What kept parts of it from getting there.
    pub findings: Vec<Finding>,
}

/// One line of a stage's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StageLine {
    /// The line, without a line break.
    pub text: String,
    /// The source that it shows, in the file.
    pub source: Option<TextRange>,
}

impl StageText {
    /// The whole text.
    pub fn text(&self) -> String {
        self.lines.iter().flat_map(|line| [line.text.as_str(), "\n"]).collect()
    }
}

/// What a stage shows of an item: lines, each with the place of some item's dense text that it came from.
struct Shown {
    changed: bool,
    lines: Vec<(String, Option<Source>)>,
    findings: Vec<Finding>,
}

enum Source {
    /// A range of the item's text as it is.
    Text(TextRange),
    /// A range of the item's dense text.
    Dense(TextRange),
    /// A range of another item's dense text.
    Elsewhere(ItemKey, TextRange),
}

impl Stage {
    /// An item in this form.
    pub fn of(&self, db: &dyn salsa::Database, item: Item<'_>) -> StageText {
        let shown = (self.show)(db, item);
        let own_start = start_of(db, item).unwrap_or_default();
        let place = |source| match source {
            Source::Text(range) => Some(range + own_start),
            Source::Dense(range) => Some(dense_map(db, item).to_text(range) + own_start),
            Source::Elsewhere(key, range) => {
                let other = hir::item_of(db, item.file(db), &key)?;
                Some(dense_map(db, other).to_text(range) + start_of(db, other)?)
            }
        };
        let lines = shown.lines.into_iter().map(|(text, source)| StageLine { text, source: source.and_then(place) });
        StageText { changed: shown.changed, lines: lines.collect(), findings: shown.findings }
    }
}

fn typed(db: &dyn salsa::Database, item: Item<'_>) -> Shown {
    let lines = hir::typed(db, item).iter().map(|line| (line.text.clone(), line.source.map(Source::Dense)));
    Shown { changed: true, lines: lines.collect(), findings: Vec::new() }
}

fn sequential(db: &dyn salsa::Database, item: Item<'_>) -> Shown {
    let lowering = lower::sequential(db, item);
    let Some(kernel) = &lowering.kernel else {
        return Shown { changed: true, lines: Vec::new(), findings: Vec::new() };
    };
    printed(db, item, kernel, true)
}

fn finished(db: &dyn salsa::Database, item: Item<'_>) -> Shown {
    match lower::finished(db, item) {
        Some((kernel, changed)) => printed(db, item, kernel, *changed),
        None => Shown { changed: false, lines: Vec::new(), findings: Vec::new() },
    }
}

/// A kernel as text, each line with the source of the first op on it.
fn printed(db: &dyn salsa::Database, item: Item<'_>, kernel: &ir::Kernel, changed: bool) -> Shown {
    let lowering = lower::sequential(db, item);
    let own = hir::key(db, item);
    let printed = ir::print(kernel);
    let lines = printed.text.lines().enumerate().map(|(n, line)| {
        let op = printed.lines.get(n).and_then(|ops| ops.first());
        let place = op.map(|&op| kernel.origins[kernel.ops[op].origin].place as usize);
        let source = place.and_then(|place| lowering.places.get(place)).map(|(key, range)| {
            if *key == own { Source::Dense(*range) } else { Source::Elsewhere(key.clone(), *range) }
        });
        (line.to_owned(), source)
    });
    Shown { changed, lines: lines.collect(), findings: lowering.findings.clone() }
}

// The tree.

/// An item's tree, one node or token a line, with its place in the file at the left:
///
/// ```text
/// 1:1-2:9    KERNEL
/// 1:1-1:7      kernel
/// 1:8-1:9      NAME IDENT "a"
/// ```
///
/// A node around a single token shares its line, and a token whose text says its kind stands for itself.
fn parsed(db: &dyn salsa::Database, item: Item<'_>) -> Shown {
    let start = start_of(db, item).unwrap_or_default();
    let entries = entries(SyntaxNode::new_root(parse(db, item).green.clone()));
    let text = item.file(db).text(db);
    let index = line_index(db, item.file(db));
    let place = |offset: TextSize| {
        let at = index.line_column(text, offset + start, ColumnUnit::Utf32);
        format!("{}:{}", at.line + 1, at.column + 1)
    };
    let places: Vec<_> =
        entries.iter().map(|entry| format!("{}-{}", place(entry.range.start()), place(entry.range.end()))).collect();
    let width = places.iter().map(String::len).max().unwrap_or(0);
    let lines = entries.into_iter().zip(&places).map(|(entry, places)| {
        let text = format!("{places:width$}  {:indent$}{}", "", entry.label, indent = 2 * entry.depth);
        (text, Some(Source::Text(entry.range)))
    });
    Shown { changed: true, lines: lines.collect(), findings: Vec::new() }
}

/// Where the lines of a file are.
#[salsa::tracked]
fn line_index(db: &dyn salsa::Database, file: File) -> Arc<LineIndex> {
    Arc::new(LineIndex::new(file.text(db)))
}

/// The line that a place of a file is in, from 0.
pub(crate) fn line_of(db: &dyn salsa::Database, file: File, offset: TextSize) -> u32 {
    line_index(db, file).line(offset)
}

/// A line of the tree.
struct Entry {
    depth: usize,
    label: String,
    range: TextRange,
}

/// The entries of a tree, in order. A loop over the tree instead of recursion: trees are as deep as the parser allows,
/// which is no reason to need that much stack once more.
fn entries(root: SyntaxNode) -> Vec<Entry> {
    let mut entries = Vec::new();
    let mut waiting = vec![(0, SyntaxElement::from(root))];
    while let Some((depth, element)) = waiting.pop() {
        let range = element.text_range();
        let label = match &element {
            SyntaxElement::Token(token) => token_label(token.kind(), token.text()),
            SyntaxElement::Node(node) => {
                let mut shown: Vec<_> = node.children_with_tokens().filter(is_shown).collect();
                match shown.as_slice() {
                    [SyntaxElement::Token(only)] => {
                        format!("{:?} {}", node.kind(), token_label(only.kind(), only.text()))
                    }
                    _ => {
                        waiting.extend(shown.drain(..).rev().map(|child| (depth + 1, child)));
                        format!("{:?}", node.kind())
                    }
                }
            }
        };
        entries.push(Entry { depth, label, range });
    }
    entries
}

fn is_shown(element: &SyntaxElement) -> bool {
    !matches!(element.kind(), SyntaxKind::WHITESPACE | SyntaxKind::NEWLINE)
}

fn token_label(kind: SyntaxKind, text: &str) -> String {
    match kind.text() {
        Some(text) => text.to_owned(),
        None => format!("{kind:?} {text:?}"),
    }
}
