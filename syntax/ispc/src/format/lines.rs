//! The lines of a unit's own file, and the text that is left alone.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::file::FileText;
use crate::kinds::Kind;
use crate::tree::NodeKind;
use crate::unit::{FileId, Token, Unit};

/// The columns from one tab stop to the next, where a file does not tell.
const TAB: u32 = 4;
/// Those of files that fill up with blanks what is less than a tab.
const WIDE_TAB: u32 = 8;

/// A line.
#[derive(Clone, Copy, Debug)]
pub(super) struct SourceLine {
    /// Where it starts.
    pub(super) start: u32,
    /// Where its first token starts; at its end if it has none.
    pub(super) code: u32,
    /// The column of that.
    pub(super) column: u32,
    /// False for a line that starts inside of a token, and one that is left alone.
    pub(super) may_move: bool,
}

/// The lines of a file.
pub(super) struct SourceLines<'u> {
    pub(super) unit: &'u Unit,
    pub(super) file: &'u FileText,
    pub(super) all: Vec<SourceLine>,
    /// Text that is left alone, sorted, without overlaps.
    alone: Vec<Range<u32>>,
    /// The lines of directives.
    directives: Vec<Range<u32>>,
    /// True if most lines that are indented start with a tab.
    has_tabs: bool,
    /// The columns from one tab stop to the next.
    tab: u32,
}

impl<'u> SourceLines<'u> {
    /// The lines of a unit's own file; those of items with a mistake are left alone.
    pub(super) fn of(unit: &'u Unit) -> Option<SourceLines<'u>> {
        let lines = SourceLines::beside(unit, broken(unit), TAB)?;
        if lines.has_tabs || !lines.file.text.contains("\n\t") {
            return Some(lines);
        }
        // Tabs between blanks are as wide as makes more of the file regular.
        let wide = SourceLines::beside(unit, broken(unit), WIDE_TAB)?;
        Some(if super::indents::n_usual(&wide) > super::indents::n_usual(&lines) { wide } else { lines })
    }

    /// The lines of a unit's own file, right or wrong.
    pub(super) fn as_typed(unit: &'u Unit) -> Option<SourceLines<'u>> {
        SourceLines::beside(unit, Vec::new(), TAB)
    }

    fn beside(unit: &'u Unit, broken: Vec<Range<u32>>, tab: u32) -> Option<SourceLines<'u>> {
        let own = unit.files.first()?;
        let file = &*own.file;
        let mut alone: Vec<Range<u32>> = own.inactive.clone();
        let directives: Vec<Range<u32>> = directives(file).collect();
        alone.extend(directives.iter().cloned());
        alone.extend(broken);
        alone.sort_by_key(|range| (range.start, range.end));
        let mut lines = SourceLines { unit, file, all: Vec::new(), alone, directives, has_tabs: false, tab };
        lines.join_alone();
        let starts = std::iter::once(0).chain(file.text.match_indices('\n').map(|(at, _)| at as u32 + 1));
        lines.all = starts.map(|start| lines.line(start)).collect();
        let (mut tabs, mut spaces) = (0, 0);
        for line in lines.all.iter().filter(|line| line.may_move) {
            match file.text.as_bytes().get(line.start as usize) {
                Some(b'\t') => tabs += 1,
                Some(b' ') => spaces += 1,
                _ => {}
            }
        }
        lines.has_tabs = tabs > spaces;
        Some(lines)
    }

    fn join_alone(&mut self) {
        let mut joined: Vec<Range<u32>> = Vec::new();
        for range in self.alone.drain(..) {
            match joined.last_mut() {
                Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
                _ => joined.push(range),
            }
        }
        self.alone = joined;
    }

    fn line(&self, start: u32) -> SourceLine {
        let text = &self.file.text[start as usize..];
        let blank = text.len() - text.trim_start_matches([' ', '\t']).len();
        let index = self.token_at(start);
        let in_front = index.checked_sub(1).map(|index| self.file.tokens[index].kind);
        let starts_token = self.file.tokens.get(index).is_none_or(|token| token.start == start);
        let is_line = in_front.is_none_or(|kind| kind == Kind::Newline);
        let code = start + blank as u32;
        let is_blank = matches!(text.as_bytes().get(blank), None | Some(b'\n' | b'\r'));
        SourceLine {
            start,
            code,
            column: columns(&text[..blank], self.tab),
            may_move: starts_token && is_line && !is_blank && !self.is_alone(code),
        }
    }

    /// The index of the token that starts at an offset, or of the first one behind it.
    pub(super) fn token_at(&self, offset: u32) -> usize {
        self.file.tokens.partition_point(|token| token.start < offset)
    }

    /// The kind of a token of the file.
    pub(super) fn kind(&self, index: usize) -> Option<Kind> {
        self.file.tokens.get(index).map(|token| token.kind)
    }

    /// Returns true for text that is left alone.
    pub(super) fn is_alone(&self, offset: u32) -> bool {
        let behind = self.alone.partition_point(|range| range.end <= offset);
        self.alone.get(behind).is_some_and(|range| range.contains(&offset))
    }

    /// Returns true for text of a directive.
    pub(super) fn is_directive(&self, offset: u32) -> bool {
        let behind = self.directives.partition_point(|range| range.end <= offset);
        self.directives.get(behind).is_some_and(|range| range.contains(&offset))
    }

    /// The index of the line of an offset.
    pub(super) fn line_of(&self, offset: u32) -> usize {
        self.all.partition_point(|line| line.start <= offset).saturating_sub(1)
    }

    /// The line that starts with what is at this place.
    pub(super) fn line_led_by(&self, offset: u32) -> Option<usize> {
        let index = self.line_of(offset);
        let line = self.all.get(index)?;
        (line.may_move && line.code == offset).then_some(index)
    }

    /// The distance by which most lines stand behind the line above them, where they do.
    pub(super) fn step(&self) -> Option<u32> {
        let code = self.all.iter().filter(|line| {
            let kind = self.kind(self.token_at(line.code));
            line.may_move && kind.is_some_and(|kind| !kind.is_trivia())
        });
        let columns: Vec<u32> = code.map(|line| line.column).collect();
        let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
        for pair in columns.windows(2).filter(|pair| pair[1] > pair[0]) {
            *counts.entry(pair[1] - pair[0]).or_default() += 1;
        }
        counts.into_iter().max_by_key(|(step, count)| (*count, std::cmp::Reverse(*step))).map(|(step, _)| step)
    }

    /// White space up to a column.
    pub(super) fn indentation(&self, column: u32) -> String {
        match self.has_tabs {
            true => "\t".repeat((column / self.tab) as usize) + &" ".repeat((column % self.tab) as usize),
            false => " ".repeat(column as usize),
        }
    }

    /// The offset at which a token of the unit stands in this file: that of the macro's call if one brought it.
    pub(super) fn offset(&self, token: u32) -> Option<u32> {
        let place = self.unit.place(self.unit.tokens.get(token as usize)?);
        (place.file == FileId::MAIN).then_some(place.start)
    }

    /// The index in the file of a token of the unit that is written there, outside of any macro's call.
    pub(super) fn own_token(&self, token: u32) -> Option<usize> {
        let token = self.unit.tokens.get(token as usize)?;
        let is_own = token.is(Token::WRITTEN) && token.expansion == 0 && token.place.file == FileId::MAIN;
        let index = self.token_at(token.place.start);
        let is_there = self.file.tokens.get(index).is_some_and(|it| it.start == token.place.start);
        (is_own && is_there && !self.is_alone(token.place.start)).then_some(index)
    }
}

/// The column that white space reaches.
fn columns(blank: &str, tab: u32) -> u32 {
    blank.bytes().fold(0, |column, byte| if byte == b'\t' { (column / tab + 1) * tab } else { column + 1 })
}

/// The lines of directives, up to their ends.
fn directives(file: &FileText) -> impl Iterator<Item = Range<u32>> {
    file.directives.iter().map(|hash| {
        let hash = *hash as usize;
        let start = file.range(hash).start;
        let start = file.text[..start].rfind('\n').map_or(0, |at| at + 1);
        let end = (hash..file.tokens.len()).find(|index| file.tokens[*index].kind == Kind::Newline);
        // The line break is left, too, so that blanks in front of it stay.
        start as u32..end.map_or(file.text.len(), |index| file.range(index).end) as u32
    })
}

/// The items in which something is wrong, and what stands between items if it is there.
fn broken(unit: &Unit) -> Vec<Range<u32>> {
    let length = unit.text(FileId::MAIN).len() as u32;
    let mut wrong: Vec<u32> = Vec::new();
    for problem in unit.problems.iter().filter(|problem| !problem.is_warning && problem.code != "ispc-include") {
        let places = std::iter::once(problem.place).chain(problem.related.iter().map(|(place, _)| *place));
        wrong.extend(places.filter(|place| place.file == FileId::MAIN).map(|place| place.start));
    }
    let nodes = unit.tree.nodes.from(unit.tree.nodes.n_shared());
    for node in nodes.filter(|node| node.kind == NodeKind::Error && node.first < node.end) {
        let place = unit.place(&unit.tokens[node.first as usize]);
        wrong.extend((place.file == FileId::MAIN).then_some(place.start));
    }
    if wrong.is_empty() {
        return Vec::new();
    }
    let items = items(unit);
    let around = |at: u32| {
        let behind = items.partition_point(|item| item.end < at);
        match items.get(behind) {
            Some(item) if item.start <= at => item.clone(),
            next => {
                let before = behind.checked_sub(1).map_or(0, |index| items[index].end);
                before..next.map_or(length, |next| next.start)
            }
        }
    };
    wrong.into_iter().map(around).map(|range| range.start..range.end.max(range.start + 1)).collect()
}

/// The places of the items of a unit's own file, in order.
fn items(unit: &Unit) -> Vec<Range<u32>> {
    let tree = &unit.tree;
    let mut items = Vec::new();
    let mut next: Vec<usize> = tree.root().map(|root| tree.children(root)).unwrap_or_default();
    next.reverse();
    while let Some(node) = next.pop() {
        if tree.nodes[node].kind == NodeKind::LinkageBlock {
            next.extend(tree.children(node).into_iter().rev());
            continue;
        }
        let place = unit.place_of(tree.tokens(node)).filter(|place| place.file == FileId::MAIN);
        items.extend(place.map(|place| place.start..place.end));
    }
    items.sort_by_key(|item| (item.start, item.end));
    items
}
