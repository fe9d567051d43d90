//! Loops in which each lane takes its own elements, as a `foreach`.
//!
//! `foreach` turns all lanes on, and runs those that have an element. So it takes the place of a loop only where all lanes are on: in a
//! function that C or `launch` calls, in front of which no lane has gone another way. Two forms run the same lanes in the same rounds:
//!
//! - `for (int i = programIndex; i < n; i += programCount)`, whose lanes leave as they come to the end;
//! - `for (uniform int i = 0; i < n; i += programCount)`, if all that it does stands under `if (i + programIndex < n)`, or if the number of
//!   elements is one of which each gang has a whole part.
//!
//! The end is computed once by `foreach` and in each round by `for`, so it is made of numbers and of what is never set again. Who calls an
//! exported function from ISPC is not to be seen in its body, so whoever asks has to look for that.

use ispc::kinds::Kind;
use ispc::names::DeclKind;
use ispc::tree::NodeKind;
use ispc_types::body::BodyTypes;
use ispc_types::constant;
use ispc_types::layer::Entity;
use ispc_types::source::{Piece, Source};
use ispc_types::ty::{Atomic, Lanes, TypeKind};

use crate::body::BodyFacts;
use crate::edits::TokenEdit;
use crate::library::is_of_library;
use crate::mask::WHOLE;
use crate::variables::{Variables, call_at, declared_in};

/// Each number of lanes that ispc has is a part of this one.
const WIDEST_GANG: i128 = 64;

/// A loop with all its parts.
struct CountedLoop {
    node: usize,
    variable: Entity,
    /// What the variable starts with.
    start: usize,
    /// The end that it is compared with.
    end: usize,
    body: usize,
}

struct Reader<'a> {
    piece: &'a Piece,
    types: &'a BodyTypes,
    parents: Vec<u32>,
    variables: Variables,
}

/// The change that makes a loop a `foreach`; none if that would not mean the same.
pub fn as_foreach(piece: &Piece, types: &BodyTypes, facts: &BodyFacts, node: usize) -> Option<Vec<TokenEdit>> {
    let mut parents = vec![piece.n_nodes() as u32 - 1; piece.n_nodes()];
    for node in 0..piece.n_nodes() {
        for child in piece.children(node) {
            parents[child] = node as u32;
        }
    }
    let variables = Variables::of(piece, types, &parents);
    let reader = Reader { piece, types, parents, variables };
    let first = piece.node(node).first;
    if !facts.knows_mask || facts.region_at(first) != WHOLE || !reader.has_all_lanes(node) {
        return None;
    }
    let counted = reader.counted(node)?;
    if !reader.can_be_inside(counted.body) {
        return None;
    }
    match reader.lanes_of(counted.variable)? {
        Lanes::Varying => reader.by_lanes(&counted),
        Lanes::Uniform => reader.by_groups(&counted),
        _ => None,
    }
}

impl Reader<'_> {
    // The lanes that come to the loop.

    /// Returns true if all lanes of the gang are on where a statement stands, whatever the data are.
    fn has_all_lanes(&self, node: usize) -> bool {
        let root = self.piece.n_nodes() - 1;
        let specifiers = self.piece.child(root, NodeKind::Specifiers).map(|node| self.piece.node(node));
        let says = |word: Kind| specifiers.is_some_and(|it| (it.first..it.end).any(|at| self.piece.kind(at) == word));
        if !(says(Kind::Export) || says(Kind::Task)) || says(Kind::Unmasked) {
            return false;
        }
        use NodeKind::*;
        let mut at = node;
        while self.parents[at] as usize != at {
            at = self.parents[at] as usize;
            let is_fine = match self.piece.node(at).kind {
                Block | Function | Case | Default => true,
                If | Cif | While | Cwhile | Do | Cdo | For | Cfor | Switch => self.is_for_all(at),
                _ => false,
            };
            if !is_fine {
                return false;
            }
        }
        // Lanes that have left do not come here, and of those that leave an outer loop's round some may be missing.
        let inside = self.inside(node);
        (0..root).filter(|at| !inside.contains(at)).all(|at| {
            let target = match self.piece.node(at).kind {
                Return => root,
                Break => self.jump_target(at, true),
                Continue => self.jump_target(at, false),
                _ => return true,
            };
            !self.inside(target).contains(&node) || self.is_reached_by_all(at)
        })
    }

    /// The loop or `switch` that a jump leaves, or goes on with.
    fn jump_target(&self, node: usize, with_switch: bool) -> usize {
        use NodeKind::*;
        let mut at = node;
        while self.parents[at] as usize != at {
            at = self.parents[at] as usize;
            match self.piece.node(at).kind {
                While | Cwhile | Do | Cdo | For | Cfor | Foreach | ForeachTiled | ForeachActive | ForeachUnique => {
                    break;
                }
                Switch if with_switch => break,
                _ => {}
            }
        }
        at
    }

    fn inside(&self, node: usize) -> std::ops::RangeInclusive<usize> {
        self.piece.node(node).descendants as usize..=node
    }

    /// Returns true if the condition of a statement is one for all lanes by its type.
    fn is_for_all(&self, node: usize) -> bool {
        use NodeKind::*;
        let children = self.piece.children(node);
        let condition = match (self.piece.node(node).kind, &children[..]) {
            (Do | Cdo, [_, condition]) => *condition,
            (For | Cfor, [_, condition, _, _]) => *condition,
            (If | Cif | While | Cwhile | Switch, [condition, ..]) => *condition,
            _ => return false,
        };
        let ty = self.types.types[condition];
        let layer = &self.types.layer;
        ty.is_known() && layer.is_uniform(layer.target(ty))
    }

    /// Returns true if no condition around a jump differs between lanes.
    fn is_reached_by_all(&self, node: usize) -> bool {
        use NodeKind::*;
        let mut at = node;
        while self.parents[at] as usize != at {
            at = self.parents[at] as usize;
            let is_statement = matches!(
                self.piece.node(at).kind,
                If | Cif | While | Cwhile | Do | Cdo | For | Cfor | Switch | ForeachActive | ForeachUnique
            );
            if is_statement && !self.is_for_all(at) {
                return false;
            }
        }
        true
    }

    /// Returns true if a `foreach` may have this body.
    fn can_be_inside(&self, body: usize) -> bool {
        use NodeKind::*;
        self.inside(body).all(|node| match self.piece.node(node).kind {
            Return | Goto | Label | Foreach | ForeachTiled | ForeachActive | ForeachUnique | Unmasked => false,
            Break => self.inside(body).contains(&self.jump_target(node, true)),
            _ => true,
        })
    }

    // The parts of the loop.

    fn counted(&self, node: usize) -> Option<CountedLoop> {
        let piece = self.piece;
        let data = piece.node(node);
        let is_pragma = data.first > 0 && piece.kind(data.first - 1) == Kind::Pragma;
        if data.kind != NodeKind::For || is_pragma {
            return None;
        }
        let [declaration, condition, step, body] = piece.children(node)[..] else { return None };
        let (variable, start) = self.declared(declaration)?;
        let [left, end] = self.binary(condition, Kind::Lt)?;
        let [target, by] = piece.children(step)[..] else { return None };
        let steps = piece.node(step).kind == NodeKind::Assign && piece.kind(piece.node(target).end) == Kind::PlusEq;
        let is_it = steps
            && self.is_use(left, variable)
            && self.is_use(target, variable)
            && self.is_builtin(by, "programCount")
            && self.n_assigned(variable) == Some(1)
            && self.is_steady(end);
        is_it.then_some(CountedLoop { node, variable, start, end, body })
    }

    /// The variable of a declaration of one `int`, and what it starts with.
    fn declared(&self, declaration: usize) -> Option<(Entity, usize)> {
        let piece = self.piece;
        let [_, declarator] = piece.children(declaration)[..] else { return None };
        let is_static = (piece.node(declaration).first..piece.node(declaration).end)
            .any(|token| matches!(piece.kind(token), Kind::Static | Kind::Extern));
        if piece.node(declaration).kind != NodeKind::Declaration || is_static {
            return None;
        }
        let variable = declared_in(piece, declarator)?;
        let start = piece.children(declarator).get(1).copied()?;
        let is_int =
            matches!(self.types.layer.kind(self.types.layer.entity(variable).ty), TypeKind::Atomic(Atomic::Int32, _));
        is_int.then_some((variable, start))
    }

    fn lanes_of(&self, variable: Entity) -> Option<Lanes> {
        self.types.layer.lanes(self.types.layer.entity(variable).ty)
    }

    fn n_assigned(&self, variable: Entity) -> Option<u32> {
        self.variables.index(variable).map(|index| self.variables.all[index].n_assigned)
    }

    fn plain(&self, mut node: usize) -> usize {
        while let (NodeKind::Paren, [inner]) = (self.piece.node(node).kind, &self.piece.children(node)[..]) {
            node = *inner;
        }
        node
    }

    fn binary(&self, node: usize, operator: Kind) -> Option<[usize; 2]> {
        let node = self.plain(node);
        let [left, right] = self.piece.children(node)[..] else { return None };
        let is_it =
            self.piece.node(node).kind == NodeKind::Binary && self.piece.kind(self.piece.node(left).end) == operator;
        is_it.then_some([left, right])
    }

    fn is_use(&self, node: usize, variable: Entity) -> bool {
        let data = self.piece.node(self.plain(node));
        data.kind == NodeKind::NameUse && self.piece.target(data.first) == Some(variable)
    }

    fn is_builtin(&self, node: usize, name: &str) -> bool {
        let data = self.piece.node(self.plain(node));
        let is_name = data.kind == NodeKind::NameUse && self.piece.text(data.first) == name;
        let is_global = |entity: Entity| self.types.layer.entity(entity).kind == DeclKind::Global;
        is_name && self.piece.target(data.first).is_some_and(is_global)
    }

    /// Returns true for `i + programIndex`, in either order.
    fn is_element(&self, node: usize, variable: Entity) -> bool {
        self.binary(node, Kind::Plus).is_some_and(|[left, right]| {
            self.is_use(left, variable) && self.is_builtin(right, "programIndex")
                || self.is_builtin(left, "programIndex") && self.is_use(right, variable)
        })
    }

    /// Returns true for a whole number, one for all lanes, that fits an `int` and is never another one.
    fn is_steady(&self, node: usize) -> bool {
        let layer = &self.types.layer;
        let ty = self.types.types[node];
        let is_small = |atomic: Atomic| {
            use Atomic::*;
            matches!(atomic, Int8 | Uint8 | Int16 | Uint16 | Int32)
        };
        let target = if ty.is_known() { layer.target(ty) } else { return false };
        let is_int = matches!(layer.kind(target), TypeKind::Atomic(atomic, Lanes::Uniform) if is_small(*atomic));
        is_int
            && self.inside(node).all(|at| match self.piece.node(at).kind {
                NodeKind::Literal | NodeKind::Binary | NodeKind::Paren => true,
                NodeKind::NameUse => self.piece.target(self.piece.node(at).first).is_some_and(|entity| {
                    let data = layer.entity(entity);
                    let is_own = matches!(data.kind, DeclKind::Local | DeclKind::Param);
                    let is_reference = matches!(layer.kind(data.ty), TypeKind::Reference(_));
                    data.value.is_some() || is_own && !is_reference && self.n_assigned(entity) == Some(0)
                }),
                _ => false,
            })
    }

    /// Returns true if two expressions are written with the same tokens.
    fn is_same(&self, one: usize, other: usize) -> bool {
        let texts = |node: usize| {
            let data = self.piece.node(node);
            (data.first..data.end).map(|token| self.piece.text(token).into_owned()).collect::<Vec<_>>()
        };
        texts(one) == texts(other)
    }

    /// The uses of a variable inside of a node.
    fn uses(&self, within: usize, variable: Entity) -> Vec<usize> {
        self.inside(within)
            .filter(|node| self.piece.node(*node).kind == NodeKind::NameUse)
            .filter(|node| self.is_use(*node, variable))
            .collect()
    }

    /// Returns true if a template takes a variable, whose type is `const` in a `foreach`.
    fn is_taken_by_a_template(&self, within: usize, variable: Entity) -> bool {
        self.uses(within, variable).into_iter().any(|node| {
            let args = self.parents[node] as usize;
            let call = call_at(self.types, self.parents[args] as usize);
            let chosen = call.and_then(|call| Some(call.candidates[call.chosen?].entity));
            self.piece.node(args).kind == NodeKind::Args
                && chosen.is_none_or(|chosen| {
                    let function = self.types.layer.entity(chosen).function.as_ref();
                    !is_of_library(chosen) && function.is_none_or(|function| !function.template.is_empty())
                })
        })
    }

    // The changes.

    /// `for (int i = programIndex; …)`.
    fn by_lanes(&self, of: &CountedLoop) -> Option<Vec<TokenEdit>> {
        if self.is_taken_by_a_template(of.body, of.variable) {
            return None;
        }
        let start = match self.is_builtin(of.start, "programIndex") {
            true => None,
            false => match self.binary(of.start, Kind::Plus)? {
                [left, right] if self.is_builtin(right, "programIndex") && self.is_steady(left) => Some(left),
                [left, right] if self.is_builtin(left, "programIndex") && self.is_steady(right) => Some(right),
                _ => return None,
            },
        };
        Some(self.head(of, self.name(of.variable), start))
    }

    /// `for (uniform int i = 0; …)`.
    fn by_groups(&self, of: &CountedLoop) -> Option<Vec<TokenEdit>> {
        if !self.is_steady(of.start) {
            return None;
        }
        let piece = self.piece;
        let statements = match piece.node(of.body).kind {
            NodeKind::Block => piece.children(of.body),
            _ => vec![of.body],
        };
        if let [declaration, branch] = statements[..]
            && let Some((element, value)) = self.declared(declaration)
            && self.is_element(value, of.variable)
            && self.lanes_of(element) == Some(Lanes::Varying)
            && self.n_assigned(element) == Some(0)
            && let Some(inner) = self.guarded(branch, of, |left| self.is_use(left, element))
        {
            // The element is what the loop runs over.
            if !self.uses(inner, of.variable).is_empty() || self.is_taken_by_a_template(inner, element) {
                return None;
            }
            let mut edits = self.head(of, self.name(element), Some(of.start));
            edits.extend(self.unwrapped(of.body, inner));
            return Some(edits);
        }
        let guarded = match statements[..] {
            [branch] => self.guarded(branch, of, |left| self.is_element(left, of.variable)),
            _ => None,
        };
        // Of another target the number of lanes is another one.
        let is_fixed = |node: usize| self.inside(node).all(|at| !self.is_builtin(at, "programCount"));
        let count = |node: usize| constant::value(piece, &self.types.layer, node).filter(|_| is_fixed(node));
        let is_whole = || {
            let n = count(of.end)? - count(of.start)?;
            (n >= 0 && n % WIDEST_GANG == 0).then_some(of.body)
        };
        let inner = guarded.or_else(is_whole)?;
        let mut edits = self.head(of, self.name(of.variable), Some(of.start));
        if guarded.is_some() {
            edits.extend(self.unwrapped(of.body, inner));
        }
        for node in self.uses(inner, of.variable) {
            let mut sum = self.parents[node] as usize;
            while piece.node(sum).kind == NodeKind::Paren {
                sum = self.parents[sum] as usize;
            }
            if !self.is_element(sum, of.variable) || piece.node(self.parents[sum] as usize).kind == NodeKind::Args {
                return None;
            }
            let data = piece.node(sum);
            edits.push(TokenEdit { tokens: data.first..data.end, text: self.name(of.variable) });
        }
        Some(edits)
    }

    fn name(&self, variable: Entity) -> String {
        self.types.layer.entity(variable).name.to_string()
    }

    /// The statement under `if (… < n)`, the end of the loop.
    fn guarded(&self, branch: usize, of: &CountedLoop, is_element: impl Fn(usize) -> bool) -> Option<usize> {
        let [condition, inner] = self.piece.children(branch)[..] else { return None };
        let [left, right] = self.binary(condition, Kind::Lt)?;
        let is_if = matches!(self.piece.node(branch).kind, NodeKind::If | NodeKind::Cif);
        (is_if && is_element(left) && self.is_same(right, of.end)).then_some(inner)
    }

    /// The head of a `foreach`, with the texts of start and end as they stand.
    fn head(&self, of: &CountedLoop, name: String, start: Option<usize>) -> Vec<TokenEdit> {
        let piece = self.piece;
        let (first, end) = (piece.node(of.node).first, piece.node(of.end));
        let behind = TokenEdit { tokens: end.end..piece.node(of.body).first, text: ")".to_owned() };
        // Blanks in front of start and end stay, and that in front of a `+`.
        let is_sum = start.is_some_and(|start| piece.kind(piece.node(start).end) == Kind::Plus);
        let dots = if is_sum { "..." } else { " ..." };
        match start.map(|start| piece.node(start)) {
            None => vec![TokenEdit { tokens: first..end.first, text: format!("foreach ({name} = 0 ...") }, behind],
            Some(start) => vec![
                TokenEdit { tokens: first..start.first, text: format!("foreach ({name} =") },
                TokenEdit { tokens: start.end..end.first, text: dots.to_owned() },
                behind,
            ],
        }
    }

    /// Takes out all of a body but for what stands under its `if`.
    fn unwrapped(&self, body: usize, inner: usize) -> Vec<TokenEdit> {
        let piece = self.piece;
        let (outer, own) = (piece.node(body), piece.node(inner));
        match (outer.kind, own.kind) {
            (NodeKind::Block, NodeKind::Block) => vec![
                TokenEdit { tokens: outer.first..own.first + 1, text: "{".to_owned() },
                TokenEdit { tokens: own.end - 1..outer.end, text: "}".to_owned() },
            ],
            (NodeKind::Block, _) => vec![TokenEdit { tokens: outer.first..own.first, text: "{".to_owned() }],
            _ => vec![TokenEdit { tokens: outer.first..own.first, text: String::new() }],
        }
    }
}
