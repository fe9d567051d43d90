//! Changes of a function's text, by its tokens.

use std::ops::Range;

use ispc::kinds::Kind;
use ispc::tree::NodeKind;
use ispc_types::layer::{Entity, Layer};
use ispc_types::source::{Piece, Source};
use ispc_types::ty::TypeKind;

/// A change: tokens, none for a place in front of one, and what takes their place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TokenEdit {
    /// The tokens.
    pub tokens: Range<u32>,
    /// The text.
    pub text: String,
}

fn edit(tokens: Range<u32>, text: impl Into<String>) -> TokenEdit {
    TokenEdit { tokens, text: text.into() }
}

/// A division as a shift, or a remainder as a mask. A shift binds less tightly than a division, so it is put in parentheses where something
/// stands beside it.
pub(crate) fn shift_or_mask(
    piece: &Piece,
    parents: &[u32],
    node: usize,
    (left, right): (usize, usize),
    is_division: bool,
    power: u32,
) -> Option<Vec<TokenEdit>> {
    let divisor = piece.node(right);
    if piece.node(right).kind != NodeKind::Literal || divisor.end != divisor.first + 1 {
        return None;
    }
    let operator = piece.node(left).end;
    let is_assignment = piece.node(node).kind == NodeKind::Assign;
    let sign = match (is_division, is_assignment) {
        (true, false) => ">>",
        (true, true) => ">>=",
        (false, false) => "&",
        (false, true) => "&=",
    };
    let amount = if is_division { power.to_string() } else { ((1i128 << power) - 1).to_string() };
    let mut edits = vec![edit(operator..operator + 1, sign), edit(divisor.first..divisor.end, amount)];
    use NodeKind::*;
    let stands_alone = matches!(
        piece.node(parents[node] as usize).kind,
        Paren | InitDeclarator | Args | Expression | Index | Return | InitializerList
    ) || (piece.node(parents[node] as usize).kind == Assign && !is_assignment);
    if !is_assignment && !stands_alone {
        let data = piece.node(node);
        edits.insert(0, edit(data.first..data.first, "("));
        edits[2].text += ")";
    }
    Some(edits)
}

/// A number of twice the width as a `float`.
pub(crate) fn as_float(piece: &Piece, node: usize) -> Option<(String, Vec<TokenEdit>)> {
    let data = piece.node(node);
    let text = piece.text(data.first).to_string();
    let plain = text.strip_suffix(['d', 'D'])?;
    if plain.starts_with("0x") || plain.contains(['d', 'D']) {
        return None;
    }
    Some((format!("write `{plain}f`"), vec![edit(data.first..data.end, format!("{plain}f"))]))
}

/// `uniform` in the declarations of variables; none if another variable is declared in the same breath and is not among them.
pub(crate) fn make_uniform(piece: &Piece, layer: &Layer, entities: &[Entity]) -> Option<Vec<TokenEdit>> {
    let mut edits: Vec<TokenEdit> = Vec::new();
    for node in 0..piece.n_nodes() {
        if piece.node(node).kind != NodeKind::Declaration {
            continue;
        }
        let declared: Vec<(Entity, usize)> = piece
            .children(node)
            .into_iter()
            .filter_map(|child| Some((crate::variables::declared_in(piece, child)?, child)))
            .collect();
        let among: Vec<&(Entity, usize)> = declared.iter().filter(|(entity, _)| entities.contains(entity)).collect();
        if among.is_empty() {
            continue;
        }
        let (pointers, plain): (Vec<&(Entity, usize)>, Vec<_>) = among
            .into_iter()
            .partition(|(entity, _)| matches!(layer.kind(layer.entity(*entity).ty), TypeKind::Pointer(..)));
        for (entity, declarator) in &pointers {
            edits.push(behind_star(piece, *entity, *declarator)?);
        }
        if !plain.is_empty() {
            if plain.len() != declared.len() {
                return None;
            }
            edits.push(in_front(piece, node)?);
        }
    }
    let covered = entities.len();
    let n_declared = (0..piece.n_nodes())
        .filter_map(|node| crate::variables::declared_in(piece, node))
        .collect::<rustc_hash::FxHashSet<Entity>>();
    (entities.iter().filter(|entity| n_declared.contains(entity)).count() == covered).then_some(edits)
}

/// `uniform` behind the last star in front of a pointer's name.
fn behind_star(piece: &Piece, entity: Entity, declarator: usize) -> Option<TokenEdit> {
    let data = piece.node(declarator);
    let name = (data.first..data.end).find(|token| piece.declared(*token) == Some(entity))?;
    let star = (data.first..name).rev().find(|token| piece.kind(*token) == Kind::Star)?;
    let varying = (star..name).find(|token| piece.kind(*token) == Kind::Varying);
    Some(match varying {
        Some(token) => edit(token..token + 1, "uniform"),
        None => edit(star + 1..star + 1, "uniform "),
    })
}

/// `uniform` in front of a declaration's type, or in the place of `varying`.
fn in_front(piece: &Piece, declaration: usize) -> Option<TokenEdit> {
    let specifiers = piece.child(declaration, NodeKind::Specifiers)?;
    let data = piece.node(specifiers);
    let varying = (data.first..data.end).find(|token| piece.kind(*token) == Kind::Varying);
    Some(match varying {
        Some(token) => edit(token..token + 1, "uniform"),
        None => edit(data.first..data.first, "uniform "),
    })
}
