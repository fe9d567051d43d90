//! The tree of a unit's expanded tokens.
//!
//! Nodes stand in the order in which they end: children in front of their parent, the root last. Each knows its run of tokens and where
//! its descendants start, so a node's children are found by going backwards. A place in the text follows from the tokens.

use std::ops::Range;

use crate::shared::Shared;

/// The kinds of a unit's nodes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs, reason = "each is called as the grammar calls it")]
pub enum NodeKind {
    Unit,
    // Declarations.
    Function,
    Declaration,
    LinkageBlock,
    ExportTypes,
    Template,
    TemplateParam,
    Specialization,
    Instantiation,
    Specifiers,
    Struct,
    Field,
    Enum,
    Enumerator,
    ShortVector,
    Soa,
    Attribute,
    Declarator,
    Pointer,
    Reference,
    ArrayPart,
    Params,
    Param,
    InitDeclarator,
    InitializerList,
    TypeName,
    TemplateArgs,
    // Statements.
    Block,
    Expression,
    Empty,
    If,
    Cif,
    Switch,
    While,
    Cwhile,
    Do,
    Cdo,
    For,
    Cfor,
    Foreach,
    ForeachTiled,
    ForeachActive,
    ForeachUnique,
    Dimension,
    Case,
    Default,
    Label,
    Goto,
    Break,
    Continue,
    Return,
    Sync,
    Delete,
    Unmasked,
    Print,
    Assert,
    // Expressions.
    NameUse,
    Literal,
    Paren,
    Index,
    Member,
    Call,
    Args,
    Postfix,
    Prefix,
    Cast,
    Sizeof,
    AllocaCall,
    Launch,
    InvokeSycl,
    New,
    Binary,
    Conditional,
    Assign,
    Comma,
    /// Tokens that fit nowhere.
    Error,
}

/// A node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NodeData {
    /// Its kind.
    pub kind: NodeKind,
    /// The first token.
    pub first: u32,
    /// Behind the last token.
    pub end: u32,
    /// The index of its first descendant, its own if it has none.
    pub descendants: u32,
}

/// A tree.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Tree {
    /// The nodes, the root last.
    pub nodes: Shared<NodeData>,
}

impl Tree {
    /// The index of the root.
    pub fn root(&self) -> Option<usize> {
        self.nodes.len().checked_sub(1)
    }

    /// The children of a node, in order.
    pub fn children(&self, node: usize) -> Vec<usize> {
        let mut children = Vec::new();
        let first = self.nodes[node].descendants as usize;
        let mut next = node;
        while next > first {
            let child = next - 1;
            children.push(child);
            next = self.nodes[child].descendants as usize;
        }
        children.reverse();
        children
    }

    /// The run of tokens of a node.
    pub fn tokens(&self, node: usize) -> Range<u32> {
        self.nodes[node].first..self.nodes[node].end
    }

    /// The nodes around a token, innermost first.
    pub fn around(&self, token: u32) -> impl Iterator<Item = usize> {
        let mut found = Vec::new();
        let (mut next, mut first) = (self.root(), 0);
        // From a node that does not hold the token to its sibling in front, from one that does to its last child.
        while let Some(index) = next {
            let node = &self.nodes[index];
            let in_front = if (node.first..node.end).contains(&token) {
                found.push(index);
                first = node.descendants as usize;
                index
            } else {
                node.descendants as usize
            };
            next = in_front.checked_sub(1).filter(|index| *index >= first);
        }
        found.into_iter().rev()
    }
}
