//! The names, words and snippets that could be typed at a place.
//!
//! The statement under the cursor is half typed as a rule. So the word at the cursor is replaced by a placeholder name
//! in a scratch copy of the item, and the copy is parsed, lowered and inferred like any item: what the
//! parser makes of the placeholder says what may stand there, and the scratch copy's scopes and types are those of the
//! place. That costs one item's analysis, whatever the size of the file, and leaves nothing behind.
//!
//! The answer holds everything that fits the place; the word typed so far is left to the editor to filter by.

mod context;
mod names;
mod snippets;
mod uses;

use lane::tree::{SyntaxKind, SyntaxNode, SyntaxToken, TokenAtOffset, parse_item};
use report::{TextRange, TextSize};

use super::Located;
use super::visible::{Visible, visible};
use hir::Lowered;
use hir::infer::Inference;
use queries::db::{File, Item};

/// An entry of the completion list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompletionItem {
    /// The text that the list shows and that the word typed so far is compared with.
    pub label: String,
    /// The kind of thing that it stands for.
    pub kind: CompletionKind,
    /// The type or the signature of the thing, as Lane writes it.
    pub detail: Option<String>,
    /// A description for people, in Markdown.
    pub docs: Option<String>,
    /// The text that is inserted. Lines after the first are relative to the indentation of the place.
    pub insert: String,
    /// True if `insert` has `${1:…}` and `$0` in it: the places to fill in, and the one where the cursor ends.
    pub snippet: bool,
    /// The range that is replaced: the word at the cursor.
    pub replace: TextRange,
    /// Sorts the list, best first.
    pub sort: String,
}

/// The kind of thing that a completion stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum CompletionKind {
    Parameter,
    Variable,
    LoopIndex,
    Size,
    Function,
    Struct,
    Constant,
    Builtin,
    Type,
    Field,
    Attribute,
    Keyword,
    Snippet,
    /// A file that can be used.
    File,
}

/// Returns the completions that fit a place.
pub fn completion(db: &dyn salsa::Database, file: File, offset: TextSize) -> Vec<CompletionItem> {
    let Some(word) = Word::at(file.text(db), offset) else { return Vec::new() };
    let mut out = Completions { word: &word, items: Vec::new() };
    if word.starts_line {
        snippets::items(&mut out);
    } else if let Some(before) = uses::before_word(file.text(db), word.range.start()) {
        uses::complete(db, file, before, &mut out);
    } else if let Some(scratch) = Scratch::new(db, file, &word) {
        names::complete(db, &scratch, &mut out);
    }
    out.items.sort_by(|a, b| a.sort.cmp(&b.sort));
    out.items
}

/// The name that replaces the word at the cursor in the scratch copy, chosen so that no program contains it.
const PLACEHOLDER: &str = "lanescope_completes_this";

/// The word at the cursor; empty between words.
struct Word {
    range: TextRange,
    /// Nothing stands before it on its line.
    starts_line: bool,
    /// Nothing stands behind it on its line.
    ends_line: bool,
    /// True if an opening parenthesis follows, so that a call inserts no parentheses of its own.
    called: bool,
}

impl Word {
    /// The word around an offset; `None` when it is a number.
    fn at(text: &str, offset: TextSize) -> Option<Word> {
        let (before, behind) = text.split_at_checked(usize::from(offset))?;
        let part = |c: char| c.is_alphanumeric() || c == '_';
        let before = before.trim_end_matches(part);
        let rest = behind.trim_start_matches(part);
        let range = TextRange::new(TextSize::of(before), TextSize::of(text) - TextSize::of(rest));
        if text[range].starts_with(|c: char| c.is_ascii_digit()) {
            return None;
        }
        let line = before.rsplit(['\n', '\r']).next().unwrap_or_default();
        let rest_of_line = rest.split(['\n', '\r', '#']).next().unwrap_or_default();
        Some(Word {
            range,
            starts_line: line.trim_start_matches('\u{feff}').is_empty(),
            ends_line: rest_of_line.trim().is_empty(),
            called: rest.starts_with('('),
        })
    }
}

/// The list in the making.
struct Completions<'a> {
    word: &'a Word,
    items: Vec<CompletionItem>,
}

impl Completions<'_> {
    /// Adds what is written as it is called. A smaller rank comes earlier; of one rank, the first added does.
    fn add(&mut self, rank: u8, kind: CompletionKind, label: impl Into<String>) -> &mut CompletionItem {
        let label = label.into();
        self.items.push(CompletionItem {
            insert: label.clone(),
            label,
            kind,
            detail: None,
            docs: None,
            snippet: false,
            replace: self.word.range,
            sort: format!("{rank}{:05}", self.items.len()),
        });
        self.items.last_mut().expect("just added")
    }

    /// Adds a call, with places for its arguments unless they are there already.
    fn add_call(&mut self, rank: u8, kind: CompletionKind, name: &str, args: &[&str]) -> &mut CompletionItem {
        let insert = match (self.word.called, args) {
            (true, _) => None,
            (false, []) => Some(format!("{name}()")),
            (false, args) => {
                let args: Vec<_> = args.iter().enumerate().map(|(n, arg)| format!("${{{}:{arg}}}", n + 1)).collect();
                Some(format!("{name}({})", args.join(", ")))
            }
        };
        let item = self.add(rank, kind, name);
        if let Some(insert) = insert {
            item.snippet = !args.is_empty();
            item.insert = insert;
        }
        item
    }
}

/// The item with the placeholder at the cursor, analysed.
struct Scratch<'db> {
    item: Item<'db>,
    /// The placeholder, in the tree of the scratch copy.
    token: SyntaxToken,
    lowered: Lowered,
    inference: Inference,
    /// The placeholder's range in the dense text of the scratch copy.
    at: TextRange,
}

impl<'db> Scratch<'db> {
    fn new(db: &'db dyn salsa::Database, file: File, word: &Word) -> Option<Scratch<'db>> {
        let located = Located::at(db, file, word.range.start())?;
        let range = word.range - located.start;
        if !may_be_name(&located.root, range) {
            return None;
        }
        let mut text = located.item.text(db).to_string();
        text.replace_range(std::ops::Range::<usize>::from(range), PLACEHOLDER);
        let green = parse_item(located.item.kind(db), &text).green;
        let root = SyntaxNode::new_root(green.clone());
        let token = root.token_at_offset(range.start()).right_biased()?;
        if token.kind() != SyntaxKind::IDENT || token.text() != PLACEHOLDER {
            return None;
        }
        let start = lane::Dense::new(&green).from_text(range.start())?;
        let lowered = queries::lowered_as(db, located.item, &green);
        let inference = queries::infer_body(db, located.item, &lowered.body, &lowered.map);
        let at = TextRange::at(start, TextSize::of(PLACEHOLDER));
        Some(Scratch { item: located.item, token, lowered, inference, at })
    }

    fn visible(&self) -> Visible {
        visible(&self.lowered.body, &self.lowered.map, self.at.start())
    }
}

/// Tells if a name may stand at a place: not inside a comment, a number or an operator.
fn may_be_name(root: &SyntaxNode, word: TextRange) -> bool {
    let names = |token: &SyntaxToken| token.kind() == SyntaxKind::IDENT || token.kind().is_keyword();
    let around = root.token_at_offset(word.start());
    if !word.is_empty() {
        return around.right_biased().is_some_and(|token| names(&token));
    }
    let (left, inside) = match around {
        TokenAtOffset::None => return true,
        TokenAtOffset::Single(token) => {
            let inside = token.text_range().contains(word.start()) && token.text_range().start() < word.start();
            (token, inside)
        }
        TokenAtOffset::Between(left, _) => (left, false),
    };
    let follows = left.text_range().end() == word.start();
    match left.kind() {
        SyntaxKind::WHITESPACE => true,
        SyntaxKind::COMMENT | SyntaxKind::DOC_COMMENT | SyntaxKind::INT | SyntaxKind::FLOAT | SyntaxKind::TEXT => {
            !inside && !follows
        }
        _ => !inside,
    }
}

#[cfg(test)]
mod tests;
