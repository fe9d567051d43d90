//! Pieces: a row as a flat list of its tokens, its possible line breaks, and the groups that decide which breaks are taken
//! together.
//!
//! A *group* either stands on one line, or is broken at each of its own breaks. Groups nest; one inside a group that stands on
//! one line does so too. There are two sorts:
//!
//! ```text
//! f(a, b)          a bracket:  break behind `(` and `,` and before `)`, indented between
//! a + b - c        a chain:    break before the operators of one level, inside brackets only
//! ```
//!
//! A conditional is a chain of its `else` parts, each of which is a chain of its `if`; a comprehension one of its `for` and `if`.

use rowan::{GreenNodeData, Language, NodeOrToken};

use super::rows::{Content, Row};
use crate::kinds::Lane;
use crate::kinds::SyntaxKind::{self, *};
use crate::layout::{Layout, NO_PARTNER};
use crate::lexer::Lexed;
use crate::parser::operator_level;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Piece {
    /// A token; `spaced` adds a space before it where no line break is taken.
    Token { token: usize, spaced: bool },
    /// A comment, which a line break must follow.
    Comment { token: usize, own_line: bool },
    /// A possible line break of the innermost group.
    Break,
    /// Start of a group.
    Open,
    /// End of the innermost group.
    Close,
    /// Lines that start from here on are indented one step deeper.
    Indent,
    /// Lines that start from here on are indented one step less.
    Outdent,
}

/// Position of an expression, which decides how it may be broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ElementPosition {
    /// Outside of all brackets, where a line break would end the statement.
    Outside,
    /// An entire element between brackets or commas.
    Element,
    /// Part of an element; its lines after the first are indented, to set them off from the next element.
    Part,
}

impl ElementPosition {
    fn part(self) -> ElementPosition {
        if self == ElementPosition::Outside { ElementPosition::Outside } else { ElementPosition::Part }
    }
}

/// Splits the rows of an item into pieces. A statement on its header's line becomes a row of its own.
pub(super) fn pieces(green: &GreenNodeData, lexed: &Lexed, layout: &Layout, rows: Vec<Row>) -> (Vec<Row>, Vec<Piece>) {
    let mut walk = Walk {
        lexed,
        layout,
        given: rows.into_iter().peekable(),
        rows: Vec::new(),
        pieces: Vec::with_capacity(2 * lexed.len()),
        token: 0,
        last: (NEWLINE, false),
    };
    walk.children(green, ElementPosition::Outside);
    walk.end_row();
    (walk.rows, walk.pieces)
}

struct Walk<'t> {
    lexed: &'t Lexed,
    layout: &'t Layout,
    /// Rows that have not started yet.
    given: std::iter::Peekable<std::vec::IntoIter<Row>>,
    rows: Vec<Row>,
    pieces: Vec<Piece>,
    /// Index of the next token of the tree, whose leaves are the tokens in order.
    token: usize,
    /// Kind of the last token; true if no space may follow it.
    last: (SyntaxKind, bool),
}

type Child<'g> = NodeOrToken<&'g GreenNodeData, &'g rowan::GreenTokenData>;

fn kind_of(child: &Child<'_>) -> SyntaxKind {
    Lane::kind_from_raw(match child {
        NodeOrToken::Node(node) => node.kind(),
        NodeOrToken::Token(token) => token.kind(),
    })
}

impl Walk<'_> {
    fn node(&mut self, node: &GreenNodeData, place: ElementPosition) {
        match Lane::kind_from_raw(node.kind()) {
            ERROR => self.error(node),
            BLOCK => self.block(node),
            PARAM_LIST | ARG_LIST | ATTR_ARGS | INDEX_LIST | SIZE_LIST | PAREN_EXPR | ARRAY_EXPR | GENERIC_LIST
            | GENERIC_ARGS => self.brackets(node),
            BIN_EXPR if place != ElementPosition::Outside => {
                self.chain(place, |walk, indent| walk.operands(node, indent))
            }
            COND_EXPR if place != ElementPosition::Outside => {
                self.chain(place, |walk, indent| walk.conditional(node, indent))
            }
            COMPREHENSION if place != ElementPosition::Outside => {
                self.chain(place, |walk, indent| walk.comprehension(node, indent))
            }
            LOOP_PART if node.children().next().is_some_and(|first| kind_of(&first) == L_PAREN) => self.brackets(node),
            SLICE => self.slice(node, place),
            USE_PATH => self.path(node),
            TUPLE_EXPR if place == ElementPosition::Element => self.values(node),
            PARAM | GENERIC if !has_type(node) => self.tight_children(node, place.part()),
            NAMED_ARG => self.tight_children(node, place.part()),
            _ => self.children(node, place.part()),
        }
    }

    /// Takes a parameter without a type, or an argument with a name: no spaces stand around its `=`, as in Python.
    fn tight_children(&mut self, node: &GreenNodeData, place: ElementPosition) {
        let parent = Lane::kind_from_raw(node.kind());
        for child in node.children() {
            match child {
                NodeOrToken::Node(child) => self.node(child, place),
                NodeOrToken::Token(_) if kind_of(&child) == EQ => self.take_as(EQ, (true, true)),
                NodeOrToken::Token(_) => self.take(kind_of(&child), parent),
            }
        }
    }

    /// Takes the path of a `use`, which has no spaces inside, but one in front.
    fn path(&mut self, node: &GreenNodeData) {
        let mut is_first = true;
        for child in node.children() {
            match child {
                NodeOrToken::Node(child) => {
                    self.node(child, ElementPosition::Outside);
                }
                NodeOrToken::Token(_) => {
                    let kind = kind_of(&child);
                    self.take_as(kind, (!is_first, true));
                }
            }
            is_first = false;
        }
    }

    fn children(&mut self, node: &GreenNodeData, place: ElementPosition) {
        let parent = Lane::kind_from_raw(node.kind());
        for child in node.children() {
            match child {
                NodeOrToken::Node(child) => self.node(child, place),
                NodeOrToken::Token(_) => self.take(kind_of(&child), parent),
            }
        }
    }

    /// Takes the next token of the tree, with the spacing of its kind.
    fn take(&mut self, kind: SyntaxKind, parent: SyntaxKind) {
        self.take_as(kind, tight(kind, parent));
    }

    /// Takes the next token, suppressing the space `before` it or `behind` it.
    fn take_as(&mut self, kind: SyntaxKind, (before, behind): (bool, bool)) {
        let token = self.token;
        if !matches!(kind, WHITESPACE | NEWLINE) {
            self.begin_rows();
            let in_row = self.rows.last().is_some_and(|row| row.content != Content::Comment);
            if matches!(kind, COMMENT | DOC_COMMENT) {
                if in_row {
                    self.pieces.push(Piece::Comment { token, own_line: self.starts_line(token) });
                }
            } else {
                // A dot directly behind a number would be lexed as part of the number.
                let number = matches!(self.last.0, INT | FLOAT) && kind == DOT;
                // Without its space, `- -x` would be parsed as C's `--`.
                let doubled = matches!(kind, PLUS | MINUS) && self.last.0 == kind;
                let spaced = number || doubled || !(before || self.last.1);
                self.pieces.push(Piece::Token { token, spaced });
                self.last = (kind, behind);
            }
        }
        self.token += 1;
    }

    fn starts_line(&self, token: usize) -> bool {
        let before = self.lexed.kinds[..token].iter().rev().find(|&&kind| kind != WHITESPACE);
        before.is_none_or(|&kind| kind == NEWLINE)
    }

    // Rows.

    /// Starts the row that begins with the next token, if there is one. This must come before a group that starts with the same
    /// token, since the group belongs to the row.
    fn begin_rows(&mut self) {
        while let Some(row) = self.given.next_if(|row| row.tokens.start <= self.token) {
            self.begin(row);
        }
    }

    fn begin(&mut self, mut row: Row) {
        self.end_row();
        row.pieces = self.pieces.len()..self.pieces.len();
        self.rows.push(row);
    }

    fn end_row(&mut self) {
        if let Some(row) = self.rows.last_mut() {
            row.pieces.end = self.pieces.len();
        }
    }

    /// Takes a block; one that starts on its header's line gets a row of its own, unless it lists the variants of an enum.
    fn block(&mut self, node: &GreenNodeData) {
        let is_list = node.children().any(|child| kind_of(&child) == VARIANT_DEF);
        let split = self.rows.last_mut().filter(|row| !is_list && self.token < row.tokens.end && !row.verbatim);
        if let Some(header) = split {
            let n_spaces = self.lexed.kinds[self.token..].iter().take_while(|&&kind| kind == WHITESPACE).count();
            let tokens = self.token + n_spaces..header.tokens.end;
            let depth = header.depth + 1;
            header.tokens.end = self.token;
            self.begin(Row::new(tokens, depth, Content::Code));
        }
        self.children(node, ElementPosition::Outside);
    }

    /// Takes an ERROR node: rows that overlap it are printed verbatim.
    fn error(&mut self, node: &GreenNodeData) {
        for child in node.children() {
            let kind = kind_of(&child);
            match child {
                NodeOrToken::Node(child) => self.error(child),
                NodeOrToken::Token(_) => {
                    self.take(kind, ERROR);
                    if let Some(row) = self.rows.last_mut().filter(|_| !kind.is_between()) {
                        row.verbatim = true;
                    }
                }
            }
        }
    }

    // Groups.

    fn open(&mut self) {
        self.begin_rows();
        self.pieces.push(Piece::Open);
    }

    fn brackets(&mut self, node: &GreenNodeData) {
        let parent = Lane::kind_from_raw(node.kind());
        self.open();
        let breaks = self.is_worth_breaking();
        let place = if breaks { ElementPosition::Element } else { ElementPosition::Outside };
        let mut opened = false;
        let mut element_starts = true;
        for child in node.children() {
            let kind = kind_of(&child);
            match child {
                NodeOrToken::Node(child) => {
                    if breaks && element_starts {
                        self.pieces.push(Piece::Break);
                        element_starts = false;
                    }
                    self.node(child, place);
                    continue;
                }
                NodeOrToken::Token(_) if kind.is_closing() && opened && breaks => {
                    self.pieces.extend([Piece::Outdent, Piece::Break]);
                    opened = false;
                }
                NodeOrToken::Token(_) => element_starts |= kind == COMMA,
            }
            self.take(kind, parent);
            if kind.is_opening() && !opened && breaks {
                self.pieces.push(Piece::Indent);
                opened = true;
            }
        }
        if opened {
            // An unclosed bracket: its row is printed verbatim, but the pieces must balance all the same.
            self.pieces.push(Piece::Outdent);
        }
        self.pieces.push(Piece::Close);
    }

    /// Takes the values of a tuple in parentheses, each of which is an element of these.
    fn values(&mut self, node: &GreenNodeData) {
        for (n, child) in node.children().enumerate() {
            match child {
                NodeOrToken::Node(child) => {
                    if n > 0 {
                        self.pieces.push(Piece::Break);
                    }
                    self.node(child, ElementPosition::Element);
                }
                NodeOrToken::Token(_) => self.take(kind_of(&child), TUPLE_EXPR),
            }
        }
    }

    /// Returns true if breaking behind the next bracket can help. A single name, a number or nothing on a line of its own is
    /// worse than a long line.
    fn is_worth_breaking(&self) -> bool {
        let close = self.layout.partners.get(self.token).copied().unwrap_or(NO_PARTNER);
        if close == NO_PARTNER {
            return false;
        }
        let inside = &self.lexed.kinds[self.token + 1..close as usize];
        let mut solid = inside.iter().filter(|kind| !matches!(kind, WHITESPACE | NEWLINE)).peekable();
        solid.next_if_eq(&&MINUS);
        match (solid.next(), solid.next()) {
            (None, _) => false,
            (Some(COMMENT | DOC_COMMENT), _) => true,
            (Some(_), None) => false,
            // A trailing comma does not count as a second element.
            (Some(_), Some(second)) => *second != COMMA || solid.next().is_some(),
        }
    }

    fn chain(&mut self, place: ElementPosition, links: impl FnOnce(&mut Self, &mut bool)) {
        let indents = place == ElementPosition::Part;
        let mut indent = indents;
        self.open();
        links(self, &mut indent);
        if indents && !indent {
            self.pieces.push(Piece::Outdent);
        }
        self.pieces.push(Piece::Close);
    }

    /// Takes an operand of a chain: the first one stands in the chain's column, the lines of the others may be indented.
    fn operand(&mut self, node: &GreenNodeData, indent: &mut bool) {
        self.node(node, ElementPosition::Part);
        if std::mem::take(indent) {
            self.pieces.push(Piece::Indent);
        }
    }

    /// Takes the operands of a chain: operations of one level, on the side they group to, form one chain.
    fn operands(&mut self, node: &GreenNodeData, indent: &mut bool) {
        let level = level_of(node);
        for child in node.children() {
            let kind = kind_of(&child);
            match child {
                NodeOrToken::Node(child) if kind == BIN_EXPR && level_of(child) == level => {
                    self.operands(child, indent);
                }
                NodeOrToken::Node(child) => self.operand(child, indent),
                NodeOrToken::Token(_) => {
                    if operator_level(kind).is_some() {
                        self.pieces.push(Piece::Break);
                    }
                    self.take(kind, BIN_EXPR);
                }
            }
        }
    }

    /// Takes a conditional: `a if c` and each `else b if d` is a chain of its own, so that lines read "value if condition".
    fn conditional(&mut self, node: &GreenNodeData, indent: &mut bool) {
        let mut n_operands = 0;
        for child in node.children() {
            let kind = kind_of(&child);
            match child {
                NodeOrToken::Node(child) => {
                    match n_operands {
                        0 => {
                            self.open();
                            self.node(child, ElementPosition::Part);
                            self.pieces.push(Piece::Indent);
                        }
                        1 => {
                            self.node(child, ElementPosition::Part);
                            self.pieces.extend([Piece::Outdent, Piece::Close]);
                        }
                        _ if kind == COND_EXPR => self.conditional(child, indent),
                        _ => self.node(child, ElementPosition::Part),
                    }
                    n_operands += 1;
                }
                NodeOrToken::Token(_) => {
                    if kind == ELSE_KW && std::mem::take(indent) {
                        self.pieces.push(Piece::Indent);
                    }
                    if matches!(kind, IF_KW | ELSE_KW) {
                        self.pieces.push(Piece::Break);
                    }
                    self.take(kind, COND_EXPR);
                }
            }
        }
        if n_operands == 1 {
            // An incomplete conditional: its row is printed verbatim, but the pieces must balance all the same.
            self.pieces.extend([Piece::Outdent, Piece::Close]);
        }
    }

    /// Takes a comprehension: a chain of its value, its `for` and its `if`.
    fn comprehension(&mut self, node: &GreenNodeData, indent: &mut bool) {
        for child in node.children() {
            let kind = kind_of(&child);
            match child {
                NodeOrToken::Node(child) if kind == FOR_CLAUSE => {
                    self.pieces.push(Piece::Break);
                    self.clause(child);
                }
                NodeOrToken::Node(child) => self.operand(child, indent),
                NodeOrToken::Token(_) => self.take(kind, COMPREHENSION),
            }
        }
    }

    fn clause(&mut self, node: &GreenNodeData) {
        for child in node.children() {
            let kind = kind_of(&child);
            match child {
                NodeOrToken::Node(child) => self.node(child, ElementPosition::Part),
                NodeOrToken::Token(_) => {
                    if kind == IF_KW {
                        self.pieces.push(Piece::Break);
                    }
                    self.take(kind, FOR_CLAUSE);
                }
            }
        }
    }

    /// Takes a slice. Its colons are tight, unless one of its parts has operators outside of brackets: `a[lo:hi]`, `a[i + 1 :
    /// n]`.
    fn slice(&mut self, node: &GreenNodeData, place: ElementPosition) {
        let airy = node.children().any(|child| match kind_of(&child) {
            BIN_EXPR | COND_EXPR | LAMBDA_EXPR => true,
            PREFIX_EXPR => {
                child.into_node().is_some_and(|prefix| prefix.children().any(|sign| kind_of(&sign) == NOT_KW))
            }
            _ => false,
        });
        for child in node.children() {
            match child {
                NodeOrToken::Node(child) => self.node(child, place.part()),
                NodeOrToken::Token(_) => {
                    let kind = kind_of(&child);
                    let tight = !airy || self.last.0 == COLON;
                    self.take_as(kind, (tight, !airy));
                }
            }
        }
    }
}

fn level_of(node: &GreenNodeData) -> Option<u8> {
    node.children().find_map(|child| operator_level(kind_of(&child)))
}

/// Says whether a parameter has a type.
fn has_type(param: &GreenNodeData) -> bool {
    param.children().any(|child| kind_of(&child) == TYPE)
}

/// Returns whether the space before a token is suppressed, and the space behind it: two tokens are written without a space when
/// either of them suppresses it.
fn tight(kind: SyntaxKind, parent: SyntaxKind) -> (bool, bool) {
    match kind {
        L_PAREN | L_BRACKET => (!matches!(parent, PAREN_EXPR | ARRAY_EXPR | LET_STMT | LOOP_PART | TYPE), true),
        R_PAREN | R_BRACKET | COMMA | COLON => (true, false),
        DOT => (true, true),
        AT | BACKSLASH => (false, true),
        MINUS | PLUS | TILDE if parent == PREFIX_EXPR => (false, true),
        _ => (false, false),
    }
}
