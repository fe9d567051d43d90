//! The tokens, nodes and names of a stretch of a unit.
//!
//! [`Piece`] is a function cut out of its unit, with numbers of its own, so that it stays equal as long as its text does and the names in
//! it stand for the same. [`UnitSource`] reads the declarations outside of bodies from the unit itself.

use std::borrow::Cow;
use std::ops::Range;

use ispc::kinds::Kind;
use ispc::names::{Decl, DeclKind};
use ispc::tree::{NodeData, NodeKind};
use ispc::unit::Unit;
use rustc_hash::FxHashMap;

use crate::layer::Entity;

/// The number of a declaration that has none: one inside of a body, seen from outside.
const NO_ENTITY: u32 = u32::MAX;

/// Tokens, nodes and names, by their numbers.
pub trait Source {
    /// The kind of a token.
    fn kind(&self, token: u32) -> Kind;
    /// The text of a token.
    fn text(&self, token: u32) -> Cow<'_, str>;
    /// A node.
    fn node(&self, node: usize) -> NodeData;
    /// The declaration that a token's name stands for.
    fn target(&self, token: u32) -> Option<Entity>;
    /// The declaration whose name a token is.
    fn declared(&self, token: u32) -> Option<Entity>;

    /// The children of a node, in order.
    fn children(&self, node: usize) -> Vec<usize> {
        let mut children = Vec::new();
        let first = self.node(node).descendants as usize;
        let mut next = node;
        while next > first {
            let child = next - 1;
            children.push(child);
            next = self.node(child).descendants as usize;
        }
        children.reverse();
        children
    }

    /// The first child of a kind.
    fn child(&self, node: usize, kind: NodeKind) -> Option<usize> {
        self.children(node).into_iter().find(|child| self.node(*child).kind == kind)
    }

    /// The text of a node, with single spaces.
    fn written(&self, node: usize) -> String {
        let NodeData { first, end, .. } = self.node(node);
        let ends_operand = |token: u32| {
            use Kind::*;
            matches!(
                self.kind(token),
                Name | Number | Str | RParen | RBracket | True | False | Null | PlusPlus | MinusMinus
            )
        };
        let is_binary = |token: u32| {
            let is_sign = self.kind(token).binding().is_some() || is_setting(self.kind(token));
            is_sign && token > first && token + 1 < end && ends_operand(token - 1)
        };
        let is_word = |char: char| char.is_alphanumeric() || char == '_';
        let mut written = String::new();
        for token in first..end {
            let text = self.text(token);
            let are_words = written.ends_with(is_word) && text.starts_with(is_word);
            let is_behind = token > first && (is_binary(token - 1) || self.kind(token - 1) == Kind::Comma);
            if are_words || is_behind || is_binary(token) {
                written.push(' ');
            }
            written += &text;
        }
        match written.char_indices().nth(60) {
            Some((end, _)) => format!("{}…", &written[..end]),
            None => written,
        }
    }
}

/// Returns true for `=`, `+=` and their like, and the signs of `?:`.
fn is_setting(kind: Kind) -> bool {
    use Kind::*;
    matches!(
        kind,
        Eq | PlusEq
            | MinusEq
            | StarEq
            | SlashEq
            | PercentEq
            | LtLtEq
            | GtGtEq
            | AmpEq
            | PipeEq
            | CaretEq
            | Question
            | Colon
    )
}

/// A unit, with the numbers of its declarations outside of bodies.
pub(crate) struct UnitSource<'u> {
    pub(crate) unit: &'u Unit,
    /// The number of each declaration.
    pub(crate) entities: Vec<u32>,
    declared: FxHashMap<u32, u32>,
    /// The nodes and declarations in front of these are of another layer.
    first_decl: usize,
}

impl<'u> UnitSource<'u> {
    /// A unit whose first declarations, up to `n_front`, have numbers already.
    pub(crate) fn new(unit: &'u Unit, front: &[u32], first_decl: usize) -> UnitSource<'u> {
        let mut entities = front.to_vec();
        entities.resize(unit.names.decls.len(), NO_ENTITY);
        let decls = unit.names.decls.from(first_decl).enumerate();
        let declared = decls.map(|(index, decl)| (decl.token, (first_decl + index) as u32)).collect();
        UnitSource { unit, entities, declared, first_decl }
    }

    /// The declarations of this layer, with their numbers in the unit.
    pub(crate) fn own(&self) -> impl Iterator<Item = (u32, &'u Decl)> {
        let first = self.first_decl;
        self.unit.names.decls.from(first).enumerate().map(move |(index, decl)| ((first + index) as u32, decl))
    }
}

impl Source for UnitSource<'_> {
    fn kind(&self, token: u32) -> Kind {
        self.unit.tokens.get(token as usize).map_or(Kind::End, |token| token.kind)
    }

    fn text(&self, token: u32) -> Cow<'_, str> {
        self.unit.tokens.get(token as usize).map_or("".into(), |token| self.unit.token_text(token))
    }

    fn node(&self, node: usize) -> NodeData {
        self.unit.tree.nodes[node]
    }

    fn target(&self, token: u32) -> Option<Entity> {
        let uses = &self.unit.names.uses;
        let at = uses.find_by_key(&token, |it| it.token)?;
        let entity = self.entities[uses[at].decl as usize];
        (entity != NO_ENTITY).then_some(Entity(entity))
    }

    fn declared(&self, token: u32) -> Option<Entity> {
        let decl = *self.declared.get(&token)?;
        let entity = self.entities[decl as usize];
        (entity != NO_ENTITY).then_some(Entity(entity))
    }
}

/// The place of a function in its unit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BodyPlace {
    /// Its node.
    pub node: usize,
    /// Its declaration.
    pub decl: u32,
    /// Its number.
    pub entity: Entity,
    /// The declarations inside of it.
    pub decls: Range<u32>,
    /// Those that it is itself, if it is no function with a body.
    pub outer: Range<u32>,
    /// True if it can be typed by itself: it is no template.
    pub is_template: bool,
    /// True if C has it, or calls it: it is `extern "C"`, by itself or with all in braces around it.
    pub is_of_c: bool,
}

/// The meaning of a name in a piece.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Meaning {
    Outside(Entity),
    Inside(u32),
}

/// A declaration inside of a body.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct InnerDecl {
    pub(crate) kind: DeclKind,
    pub(crate) token: u32,
    pub(crate) within: Option<u32>,
}

/// A function cut out of its unit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Piece {
    text: String,
    tokens: Vec<(Kind, u32)>,
    nodes: Vec<NodeData>,
    uses: Vec<(u32, Meaning)>,
    pub(crate) inner: Vec<InnerDecl>,
    inner_by_token: Vec<(u32, u32)>,
    /// The declarations that it is, by the tokens of their names, if it is no function with a body.
    outer: Vec<(u32, Entity)>,
    /// The function's number.
    pub(crate) function: Entity,
    /// The number of the first declaration of its layer.
    first_entity: u32,
    /// Its text was not read whole, so nothing is told about it.
    pub(crate) is_broken: bool,
    /// True if names that it uses may be declared where nobody looked: a header is missing, or it is itself read as a header.
    pub(crate) is_partial: bool,
    /// See [`BodyPlace::is_of_c`].
    pub(crate) is_of_c: bool,
}

impl Piece {
    /// Cuts a function out, for a layer whose numbers start at `first_entity`.
    pub fn cut(unit: &Unit, entities: &[u32], place: &BodyPlace, first_entity: u32, is_partial: bool) -> Piece {
        let whole = unit.tree.nodes[place.node];
        let base = whole.first;
        let mut text = String::new();
        let mut tokens = Vec::with_capacity((whole.end - base) as usize + 1);
        for token in unit.tokens.from(base as usize).take((whole.end - base) as usize) {
            tokens.push((token.kind, text.len() as u32));
            text += &unit.token_text(token);
        }
        tokens.push((Kind::End, text.len() as u32));
        let first_node = whole.descendants;
        let rebased = |node: &NodeData| NodeData {
            kind: node.kind,
            first: node.first - base,
            end: node.end - base,
            descendants: node.descendants - first_node,
        };
        let nodes: Vec<NodeData> =
            unit.tree.nodes.from(first_node as usize).take(place.node + 1 - first_node as usize).map(rebased).collect();
        let names = &unit.names;
        let is_inside = |decl: u32| place.decls.contains(&decl);
        let meaning = |decl: u32| match entities.get(decl as usize) {
            _ if is_inside(decl) => Some(Meaning::Inside(decl - place.decls.start)),
            Some(entity) if *entity != NO_ENTITY => Some(Meaning::Outside(Entity(*entity))),
            _ => None,
        };
        let first_use = names.uses.first_behind(|it| it.token < base);
        let uses = names.uses.from(first_use).take_while(|it| it.token < whole.end);
        let uses = uses.filter_map(|it| Some((it.token - base, meaning(it.decl)?))).collect();
        let decls = names.decls.from(place.decls.start as usize).take(place.decls.len());
        let inner: Vec<InnerDecl> = decls
            .map(|decl| InnerDecl {
                kind: decl.kind,
                token: decl.token.saturating_sub(base),
                within: decl.within.filter(|within| is_inside(*within)).map(|within| within - place.decls.start),
            })
            .collect();
        let mut inner_by_token: Vec<_> =
            inner.iter().enumerate().map(|(index, decl)| (decl.token, index as u32)).collect();
        inner_by_token.sort_unstable();
        let own = names.decls.from(place.outer.start as usize).take(place.outer.len());
        let mut outer: Vec<_> = own
            .zip(place.outer.clone())
            .filter_map(|(decl, nth)| {
                let entity = *entities.get(nth as usize)?;
                (entity != NO_ENTITY).then(|| (decl.token.saturating_sub(base), Entity(entity)))
            })
            .collect();
        outer.sort_unstable();
        let is_broken = nodes.iter().any(|node| node.kind == NodeKind::Error) || has_syntax_problem(unit, &whole);
        Piece {
            text,
            tokens,
            nodes,
            uses,
            inner,
            inner_by_token,
            outer,
            function: place.entity,
            first_entity,
            is_broken,
            is_partial,
            is_of_c: place.is_of_c,
        }
    }

    /// The number of its nodes.
    pub fn n_nodes(&self) -> usize {
        self.nodes.len()
    }

    /// The function's declaration.
    pub fn function(&self) -> Entity {
        self.function
    }

    /// Returns true if its text was not read whole, so that nothing is told about it.
    pub fn is_broken(&self) -> bool {
        self.is_broken
    }

    /// The declarations inside of it: their kinds, and the tokens of their names.
    pub fn declarations(&self) -> impl Iterator<Item = (Entity, DeclKind, u32)> {
        let numbered = self.inner.iter().enumerate();
        numbered.map(|(index, decl)| (Entity(self.first_entity + index as u32), decl.kind, decl.token))
    }
}

/// Returns true if a mistake in the grammar was told inside of a node.
fn has_syntax_problem(unit: &Unit, node: &NodeData) -> bool {
    let Some(place) = unit.place_of(node.first..node.end) else { return true };
    let is_here = |problem: &ispc::problems::Problem| {
        let at = problem.place;
        problem.code == "ispc-syntax" && at.file == place.file && place.start <= at.start && at.start <= place.end
    };
    unit.problems.iter().any(is_here)
}

impl Source for Piece {
    fn kind(&self, token: u32) -> Kind {
        self.tokens.get(token as usize).map_or(Kind::End, |(kind, _)| *kind)
    }

    fn text(&self, token: u32) -> Cow<'_, str> {
        let start = |token: u32| self.tokens.get(token as usize).map_or(self.text.len(), |(_, start)| *start as usize);
        Cow::Borrowed(&self.text[start(token)..start(token + 1)])
    }

    fn node(&self, node: usize) -> NodeData {
        self.nodes[node]
    }

    fn target(&self, token: u32) -> Option<Entity> {
        let at = self.uses.binary_search_by_key(&token, |(token, _)| *token).ok()?;
        Some(match self.uses[at].1 {
            Meaning::Outside(entity) => entity,
            Meaning::Inside(index) => Entity(self.first_entity + index),
        })
    }

    fn declared(&self, token: u32) -> Option<Entity> {
        if let Ok(at) = self.inner_by_token.binary_search_by_key(&token, |(token, _)| *token) {
            return Some(Entity(self.first_entity + self.inner_by_token[at].1));
        }
        let at = self.outer.binary_search_by_key(&token, |(token, _)| *token).ok()?;
        Some(self.outer[at].1)
    }
}
