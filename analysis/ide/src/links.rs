//! The links in comments: addresses on the web, and in documentation the names of items, written `[name]`, with or
//! without backquotes.

use lane::tree::SyntaxKind;
use report::{TextRange, TextSize};

use super::Located;
use super::wording::link;
use hir::finding::ItemKey;
use queries::check::name_place;
use queries::db::{File, cut_file};

/// A part of a comment that points at something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// The range of the link's text.
    pub range: TextRange,
    /// The address or the item that it leads to.
    pub target: LinkTarget,
}

/// The destination of a link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LinkTarget {
    /// An address on the web.
    Web(String),
    /// The name of an item of the file.
    Item(TextRange),
}

/// All links of a file, in order.
pub fn links(db: &dyn salsa::Database, file: File) -> Vec<Link> {
    let cut = cut_file(db, file);
    let mut found = Vec::new();
    for (&item, &start) in cut.items.iter().zip(&cut.starts) {
        db.unwind_if_revision_cancelled();
        // Most items have no link in them, and the text says so sooner than the tree.
        let text = item.text(db);
        let comments = text.split('#').skip(1).filter_map(|behind| behind.lines().next());
        if !comments.into_iter().any(|comment| comment.contains("://") || comment.contains('[')) {
            continue;
        }
        let located = Located::new(db, item, start);
        for token in located.root.descendants_with_tokens().filter_map(|element| element.into_token()) {
            let docs = token.kind() == SyntaxKind::DOC_COMMENT;
            if docs || token.kind() == SyntaxKind::COMMENT {
                let at = token.text_range().start() + start;
                found.extend(web_links(token.text(), at));
                found.extend(item_links(db, file, token.text(), at).into_iter().filter(|_| docs));
            }
        }
    }
    found.sort_by_key(|link| link.range.start());
    found
}

/// Documentation in which the names of items are marked as links to them.
pub(super) fn marked(db: &dyn salsa::Database, file: File, docs: &str) -> String {
    let mut marked = docs.to_owned();
    for Link { range, target } in item_links(db, file, docs, TextSize::new(0)).into_iter().rev() {
        let LinkTarget::Item(name) = target else { continue };
        let words = format!("`{}`", &docs[range]);
        // The brackets, and the backquotes that may stand in them, go.
        let (start, end) = (usize::from(range.start()), usize::from(range.end()));
        let start = docs[..start].rfind('[').unwrap_or(start);
        let end = docs[end..].find(']').map_or(end, |close| end + close + 1);
        marked.replace_range(start..end, &link(&words, name.start()));
    }
    marked
}

fn web_links(text: &str, at: TextSize) -> Vec<Link> {
    let starts = text.match_indices("http").map(|(start, _)| start);
    let link = |start: usize| {
        let rest = &text[start..];
        if !rest.starts_with("http://") && !rest.starts_with("https://") {
            return None;
        }
        let end = rest.find(|c: char| c.is_whitespace() || "<>\"`".contains(c)).unwrap_or(rest.len());
        // Punctuation that ends the sentence around an address is not part of the address.
        let address = rest[..end].trim_end_matches(['.', ',', ';', ':', '!', '?', ')', ']', '\'']);
        let start = at + TextSize::new(start as u32);
        let range = TextRange::at(start, TextSize::of(address));
        (address.len() > "https://".len()).then(|| Link { range, target: LinkTarget::Web(address.to_owned()) })
    };
    starts.filter_map(link).collect()
}

fn item_links(db: &dyn salsa::Database, file: File, text: &str, at: TextSize) -> Vec<Link> {
    let to_link = |(range, key): (TextRange, ItemKey)| {
        let target = name_place(db, queries::item_of(db, file, &key).filter(|item| item.file(db) == file)?)?;
        Some(Link { range, target: LinkTarget::Item(target) })
    };
    named_items(db, file, text, at).into_iter().filter_map(to_link).collect()
}

/// The items that documentation names as links, and where; the text starts at `at`.
pub(super) fn named_items(db: &dyn salsa::Database, file: File, text: &str, at: TextSize) -> Vec<(TextRange, ItemKey)> {
    let names = queries::file_names(db, file);
    let named = |(open, _): (usize, &str)| {
        let inside = &text[open + 1..];
        let inside = &inside[..inside.find(']')?];
        let name = inside.trim_matches('`');
        let start = at + TextSize::new((open + 1 + (inside.len() - inside.trim_start_matches('`').len())) as u32);
        Some((TextRange::at(start, TextSize::of(name)), names.get(name)?.clone()))
    };
    text.match_indices('[').filter_map(named).collect()
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::fixture::Fixture;

    fn check(text: &str, expected: Expect) {
        let fixture = Fixture::new(text);
        let show = |link: Link| match link.target {
            LinkTarget::Web(address) => format!("{:?} -> {address}\n", &fixture.text[link.range]),
            LinkTarget::Item(name) => {
                format!("{:?} -> {:?} at {}\n", &fixture.text[link.range], &fixture.text[name], u32::from(name.start()))
            }
        };
        expected.assert_eq(&links(&fixture.db, fixture.file).into_iter().map(show).collect::<String>());
    }

    #[test]
    fn addresses_and_names() {
        check(
            "\
## Half, as in [`twice`] and [half], not [none]; see (https://a.b/c_d?e=f#g).
fn half(x):
    # http://é.org, and http:// alone, and [twice]
    return x / 2  # https://x.y/z

fn twice(x):
    return 2 * x
",
            expect![[r#"
                "twice" -> "twice" at 180
                "half" -> "half" at 81
                "https://a.b/c_d?e=f#g" -> https://a.b/c_d?e=f#g
                "http://é.org" -> http://é.org
                "https://x.y/z" -> https://x.y/z
            "#]],
        );
        check("## Unclosed [half\nfn half(x):\n    return x\n", expect![[""]]);
    }
}
