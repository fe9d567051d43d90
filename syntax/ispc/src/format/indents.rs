//! The indentation of lines.
//!
//! A line that starts a statement, a declaration or a brace has an *anchor*: the line on which that starts which it belongs to. How far
//! lines of a kind stand behind their anchors is counted over the file, and the distance that most have all get. Any other line goes with the one that it continues, and a comment with the line below it, if both start in one column.

use std::collections::BTreeMap;

use super::FormatEdit;
use super::lines::SourceLines;
use crate::kinds::Kind;
use crate::tree::{NodeData, NodeKind};

/// The kinds of lines whose distance from their anchors is counted.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum LineKind {
    /// An item, in column 0.
    Item,
    /// An item in `extern "C" { … }`.
    LinkedItem,
    /// A statement in a block.
    Statement,
    /// A `case` or `default`.
    Case,
    /// A statement behind a `case`, on a line of its own.
    CaseStatement,
    /// A `{` on a line of its own.
    Open,
    /// A `}`.
    Close,
    /// A statement without braces under an `if` or loop.
    Body,
    /// An `else`.
    Else,
    /// A member of a struct.
    Member,
    /// A value of an enumeration.
    Enumerator,
}

/// A line with an anchor.
#[derive(Clone, Copy, Debug)]
struct Led {
    kind: LineKind,
    anchor: Option<usize>,
}

/// The lines of a file, by what they belong to.
struct Anchored<'l, 'u> {
    lines: &'l SourceLines<'u>,
    led: Vec<Option<Led>>,
    /// The line that each line goes on from.
    goes_on: Vec<Option<usize>>,
}

/// The distances from their anchors that are usual for the kinds of lines.
pub(super) struct UsualDistances {
    all: BTreeMap<LineKind, i64>,
}

impl UsualDistances {
    /// The distance of a kind. What stands in braces, or could, stands where statements do if the kind itself does not tell.
    pub(super) fn of(&self, kind: LineKind) -> Option<i64> {
        let statement = self.all.get(&LineKind::Statement).filter(|_| kind.follows_statements());
        self.all.get(&kind).or(statement).copied()
    }
}

impl LineKind {
    /// Returns true for lines that stand where statements do if they do not tell themselves.
    fn follows_statements(self) -> bool {
        use LineKind::*;
        matches!(self, CaseStatement | Body | Member | Enumerator)
    }
}

/// How far lines of each kind stand behind their anchors, if most do so.
pub(super) fn usual(lines: &SourceLines<'_>) -> UsualDistances {
    Anchored::of(lines).usual(&columns(lines))
}

/// The number of lines that stand as is usual in their file.
pub(super) fn n_usual(lines: &SourceLines<'_>) -> usize {
    let (anchored, columns) = (Anchored::of(lines), columns(lines));
    let usual = anchored.usual(&columns);
    (0..columns.len()).filter(|line| anchored.is_usual(*line, &columns, &usual) == Some(true)).count()
}

fn columns(lines: &SourceLines<'_>) -> Vec<i64> {
    lines.all.iter().map(|line| i64::from(line.column)).collect()
}

/// The most rounds in which lines move: where one stands may show where those behind it do.
const MOST_ROUNDS: usize = 8;

/// The changes of a file.
pub(super) fn edits(lines: &SourceLines<'_>) -> Vec<FormatEdit> {
    let anchored = Anchored::of(lines);
    let old = columns(lines);
    let mut new = old.clone();
    for _ in 0..MOST_ROUNDS {
        let next = anchored.moved(&new);
        if next == new {
            break;
        }
        new = next;
    }
    let moved = (0..new.len()).filter(|line| new[*line] != old[*line]);
    let edit = |line: usize| {
        let at = lines.all[line];
        FormatEdit { range: at.start..at.code, text: lines.indentation(new[line] as u32) }
    };
    moved.map(edit).collect()
}

impl<'l, 'u> Anchored<'l, 'u> {
    fn of(lines: &'l SourceLines<'u>) -> Anchored<'l, 'u> {
        let n = lines.all.len();
        let mut anchored = Anchored { lines, led: vec![None; n], goes_on: vec![None; n] };
        let root = lines.unit.tree.root();
        let items = root.map(|root| lines.unit.tree.children(root)).unwrap_or_default();
        let own = items.into_iter().filter(|item| anchored.is_own(*item));
        let own: Vec<usize> = own.collect();
        own.into_iter().for_each(|item| anchored.item(item, LineKind::Item, None));
        anchored
    }

    fn is_own(&self, node: usize) -> bool {
        let data = self.node(node);
        data.first < data.end && self.lines.offset(data.first).is_some()
    }

    fn node(&self, node: usize) -> NodeData {
        self.lines.unit.tree.nodes[node]
    }

    fn kind(&self, token: u32) -> Kind {
        self.lines.unit.tokens.get(token as usize).map_or(Kind::End, |token| token.kind)
    }

    fn line_of(&self, token: u32) -> Option<usize> {
        self.lines.offset(token).map(|offset| self.lines.line_of(offset))
    }

    /// Notes the line that a token starts.
    fn lead(&mut self, token: u32, kind: LineKind, anchor: Option<usize>) {
        let line = self.lines.offset(token).and_then(|offset| self.lines.line_led_by(offset));
        if let Some(line) = line.filter(|line| self.led[*line].is_none() && anchor.is_none_or(|anchor| anchor < *line))
        {
            self.led[line] = Some(Led { kind, anchor });
        }
    }

    /// Notes the line that a brace starts; one that a macro brings starts none.
    fn lead_brace(&mut self, token: u32, kind: LineKind, anchor: Option<usize>) {
        if self.lines.own_token(token).is_some() {
            self.lead(token, kind, anchor);
        }
    }

    /// Notes that the lines of a node go on from its first one. Those inside of it say more, and come later.
    fn spans(&mut self, node: usize) -> Option<usize> {
        let NodeData { first, end, .. } = self.node(node);
        let (first, last) = (self.line_of(first)?, self.line_of(end.checked_sub(1)?)?);
        for line in first + 1..(last + 1).min(self.goes_on.len()) {
            self.goes_on[line] = Some(first);
        }
        Some(first)
    }

    fn item(&mut self, node: usize, kind: LineKind, anchor: Option<usize>) {
        self.lead(self.node(node).first, kind, anchor);
        let own = self.spans(node);
        let children = self.lines.unit.tree.children(node);
        match self.node(node).kind {
            NodeKind::LinkageBlock => {
                self.braces(node, own);
                children.into_iter().for_each(|child| self.item(child, LineKind::LinkedItem, own));
            }
            _ => children.into_iter().for_each(|child| self.inside_of_item(child, own)),
        }
    }

    /// The parts of an item that are indented: the bodies of functions, members.
    fn inside_of_item(&mut self, node: usize, anchor: Option<usize>) {
        match self.node(node).kind {
            NodeKind::Block => self.block(node, anchor),
            NodeKind::Function => {
                let own = self.spans(node);
                let children = self.lines.unit.tree.children(node);
                children.into_iter().for_each(|child| self.inside_of_item(child, own));
            }
            NodeKind::Struct | NodeKind::Enum => {
                self.braces(node, anchor);
                for child in self.lines.unit.tree.children(node) {
                    let kind = match self.node(child).kind {
                        NodeKind::Field => LineKind::Member,
                        NodeKind::Enumerator => LineKind::Enumerator,
                        _ => continue,
                    };
                    self.lead(self.node(child).first, kind, anchor);
                    let own = self.spans(child);
                    let children = self.lines.unit.tree.children(child);
                    children.into_iter().for_each(|child| self.inside_of_item(child, own));
                }
            }
            NodeKind::Specifiers | NodeKind::Declaration | NodeKind::Template | NodeKind::TypeName => {
                let children = self.lines.unit.tree.children(node);
                children.into_iter().for_each(|child| self.inside_of_item(child, anchor));
            }
            _ => {}
        }
    }

    /// The braces of a node: the first and the last that stand directly in it.
    fn braces(&mut self, node: usize, anchor: Option<usize>) {
        let NodeData { first, end, .. } = self.node(node);
        let children = self.lines.unit.tree.children(node);
        let is_direct = |token: &u32| {
            !children.iter().any(|child| (self.node(*child).first..self.node(*child).end).contains(token))
        };
        let own: Vec<u32> = (first..end).filter(is_direct).collect();
        let open = own.iter().copied().find(|token| self.kind(*token) == Kind::LBrace);
        let close = own.iter().rev().copied().find(|token| self.kind(*token) == Kind::RBrace);
        open.into_iter().for_each(|token| self.lead_brace(token, LineKind::Open, anchor));
        close.into_iter().for_each(|token| self.lead_brace(token, LineKind::Close, anchor));
    }

    /// A block of what starts on the line `anchor`.
    fn block(&mut self, node: usize, anchor: Option<usize>) {
        let NodeData { first, end, .. } = self.node(node);
        self.lead_brace(first, LineKind::Open, anchor);
        if end > first + 1 && self.kind(end - 1) == Kind::RBrace {
            self.lead_brace(end - 1, LineKind::Close, anchor);
        }
        let mut case = None;
        for child in self.lines.unit.tree.children(node) {
            if matches!(self.node(child).kind, NodeKind::Case | NodeKind::Default) {
                case = self.last_case(child);
                self.statement(child, LineKind::Case, anchor);
            } else {
                self.statement(
                    child,
                    if case.is_some() { LineKind::CaseStatement } else { LineKind::Statement },
                    case.or(anchor),
                );
            }
        }
    }

    /// The line of the last of cases that stand in each other: `case 1: case 2: …`.
    fn last_case(&self, mut node: usize) -> Option<usize> {
        loop {
            let last = self.lines.unit.tree.children(node).last().copied();
            match last.filter(|last| matches!(self.node(*last).kind, NodeKind::Case | NodeKind::Default)) {
                Some(last) => node = last,
                None => return self.line_of(self.node(node).first),
            }
        }
    }

    fn statement(&mut self, node: usize, kind: LineKind, anchor: Option<usize>) {
        use NodeKind::*;
        let data = self.node(node);
        // A label stands where somebody put it.
        match (data.kind, kind) {
            (Label, _) => {}
            (Block, LineKind::CaseStatement) => self.lead(data.first, LineKind::Open, anchor),
            _ => self.lead(data.first, kind, anchor),
        }
        let own = self.spans(node);
        let children = self.lines.unit.tree.children(node);
        match data.kind {
            Block => self.block(node, own),
            Switch | If | Cif | While | Cwhile | Do | Cdo | For | Cfor | Foreach | ForeachTiled | ForeachActive
            | ForeachUnique | Unmasked => {
                let n_bodies = if matches!(data.kind, If | Cif) { children.len().saturating_sub(1) } else { 1 };
                let bodies: Vec<usize> = match data.kind {
                    Do | Cdo => children.iter().take(1).copied().collect(),
                    _ => children[children.len().saturating_sub(n_bodies)..].to_vec(),
                };
                for body in bodies {
                    self.body(body, own);
                }
            }
            Case | Default | Label => {
                let last = children.last().copied().filter(|last| is_statement(self.node(*last).kind));
                let Some(last) = last else { return };
                match self.node(last).kind {
                    Case | Default => self.statement(last, LineKind::Case, anchor),
                    _ if data.kind == Label => self.statement(last, kind, anchor),
                    _ => self.statement(last, LineKind::CaseStatement, own),
                }
            }
            _ => children.into_iter().for_each(|child| self.inside_of_item(child, own)),
        }
    }

    /// The body of a statement, and the `else` in front of it.
    fn body(&mut self, node: usize, anchor: Option<usize>) {
        let first = self.node(node).first;
        let in_front = first.checked_sub(1).filter(|token| self.kind(*token) == Kind::Else);
        in_front.into_iter().for_each(|token| self.lead(token, LineKind::Else, anchor));
        match self.node(node).kind {
            NodeKind::Block => {
                self.spans_from(node, anchor);
                self.block(node, anchor);
            }
            // `else if` is a chain: what follows belongs to the line with the `else`.
            NodeKind::If | NodeKind::Cif if in_front.is_some() => {
                let is_led = self.lines.offset(first).and_then(|offset| self.lines.line_led_by(offset));
                match is_led {
                    Some(_) => self.statement(node, LineKind::Body, anchor),
                    None => self.chained(node, anchor),
                }
            }
            _ => self.statement(node, LineKind::Body, anchor),
        }
    }

    /// An `if` behind an `else` on its line: its parts belong to where the chain starts.
    fn chained(&mut self, node: usize, anchor: Option<usize>) {
        self.spans_from(node, anchor);
        let children = self.lines.unit.tree.children(node);
        for body in children.into_iter().skip(1) {
            self.body(body, anchor);
        }
    }

    fn spans_from(&mut self, node: usize, anchor: Option<usize>) {
        let NodeData { first, end, .. } = self.node(node);
        let last = end.checked_sub(1).and_then(|last| self.line_of(last));
        let (Some(anchor), Some(first), Some(last)) = (anchor, self.line_of(first), last) else { return };
        for line in first + 1..(last + 1).min(self.goes_on.len()) {
            self.goes_on[line] = Some(anchor);
        }
    }

    /// All columns, where lines stand as is usual.
    fn moved(&self, old: &[i64]) -> Vec<i64> {
        let usual = self.usual(old);
        let mut new = old.to_vec();
        for line in (0..old.len()).filter(|line| self.lines.all[*line].may_move) {
            let shift = |of: Option<usize>| of.map_or(0, |of| new[of] - old[of]);
            let column = match self.led[line] {
                Some(led) => match usual.of(led.kind) {
                    Some(usual) => led.anchor.map_or(0, |anchor| new[anchor]) + usual,
                    None => old[line] + shift(led.anchor),
                },
                None => old[line] + shift(self.goes_on[line]),
            };
            new[line] = column.max(0);
        }
        self.move_comments(old, &mut new);
        new
    }

    /// The distance that most blocks have their lines of a kind at. Those behind a line that stands wrong itself do not count.
    fn usual(&self, columns: &[i64]) -> UsualDistances {
        let first = self.counted(columns, |_| true);
        let sound = self.counted(columns, |anchor| self.is_usual(anchor, columns, &first) != Some(false));
        // What stands behind such lines alone shows nothing, so braces and cases stand where nearly everybody has them.
        let statement = first.all.get(&LineKind::Statement).copied();
        let mut all = first.all;
        all.retain(|kind, _| !kind.follows_statements());
        for (kind, distance) in &mut all {
            let is_usual = *distance == 0 || (*kind == LineKind::Case && Some(*distance) == statement);
            let is_behind = matches!(kind, LineKind::Open | LineKind::Close | LineKind::Else | LineKind::Case);
            *distance = if is_behind && !is_usual { 0 } else { *distance };
        }
        all.extend(sound.all);
        UsualDistances { all }
    }

    fn counted(&self, columns: &[i64], is_sound: impl Fn(usize) -> bool) -> UsualDistances {
        // All lines behind one anchor are wrong if that is, so each anchor has one vote: what most of its lines do.
        let mut votes: BTreeMap<(LineKind, Option<usize>), BTreeMap<i64, usize>> = BTreeMap::new();
        for (line, led) in self.led.iter().enumerate() {
            let counts_here = |anchor: usize| self.lines.all[anchor].may_move && is_sound(anchor);
            let Some(led) = led.filter(|led| led.anchor.is_none_or(counts_here)) else { continue };
            let distance = columns[line] - led.anchor.map_or(0, |anchor| columns[anchor]);
            *votes.entry((led.kind, led.anchor)).or_default().entry(distance).or_default() += 1;
        }
        // For each distance the votes, and the lines, which decide where votes do not.
        let mut counts: BTreeMap<LineKind, BTreeMap<i64, (usize, usize)>> = BTreeMap::new();
        for ((kind, _), distances) in votes {
            let most = distances.values().max().copied();
            for (distance, n_lines) in distances {
                let count = counts.entry(kind).or_default().entry(distance).or_default();
                *count = (count.0 + usize::from(Some(n_lines) == most), count.1 + n_lines);
            }
        }
        let all = counts.into_iter().filter_map(|(kind, counts)| Some((kind, most_of(kind, counts)?))).collect();
        UsualDistances { all }
    }

    /// Returns true if a line with an anchor stands as is usual.
    fn is_usual(&self, line: usize, columns: &[i64], usual: &UsualDistances) -> Option<bool> {
        let led = self.led[line]?;
        let distance = columns[line] - led.anchor.map_or(0, |anchor| columns[anchor]);
        usual.of(led.kind).map(|usual| usual == distance)
    }

    /// Lines that are a comment go with the line of code below them, if both start in one column.
    fn move_comments(&self, old: &[i64], new: &mut [i64]) {
        let mut below: Option<usize> = None;
        for line in (0..self.lines.all.len()).rev() {
            let at = self.lines.all[line];
            let index = self.lines.token_at(at.code);
            let kind = self.lines.kind(index);
            if kind.is_none_or(|kind| kind == Kind::Newline) {
                continue;
            }
            let is_comment = matches!(kind, Some(Kind::LineComment | Kind::BlockComment))
                && self.lines.kind(index + 1).is_none_or(|kind| kind == Kind::Newline)
                && !self.lines.file.token_text(index).contains('\n');
            if !is_comment {
                below = Some(line);
                continue;
            }
            new[line] = old[line];
            if let Some(below) = below.filter(|below| at.may_move && old[*below] == old[line]) {
                new[line] = new[below];
            }
        }
    }
}

/// The distance that at least half of the votes are for, and no other one as many.
fn most_of(kind: LineKind, counts: BTreeMap<i64, (usize, usize)>) -> Option<i64> {
    use LineKind::*;
    let n_votes: usize = counts.values().map(|(votes, _)| votes).sum();
    // Where as many do it as do not, braces stand where nearly everybody has them.
    let rank = |(distance, count): (&i64, &(usize, usize))| {
        (count.0, count.1, *distance == 0 && matches!(kind, Item | Open | Close | Else))
    };
    let best = counts.iter().map(rank).max()?;
    let mut found = counts.iter().filter(|entry| rank(*entry) == best);
    let (distance, (votes, _)) = found.next()?;
    // One line alone is no habit where statements have one.
    let is_habit = !kind.follows_statements() || counts.values().map(|(_, lines)| lines).sum::<usize>() > 1;
    (found.next().is_none() && 2 * votes >= n_votes && is_habit).then_some(*distance)
}

fn is_statement(kind: NodeKind) -> bool {
    kind >= NodeKind::Block && kind <= NodeKind::Assert || kind == NodeKind::Declaration
}
