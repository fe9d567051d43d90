//! Variables that are varying and could be `uniform`.
//!
//! Two things have to hold. At each use all lanes that run have one value. And the value that was set last, by whichever lanes, is the one
//! that those who use it have: each use stands in the region of each assignment, or inside of it, so nobody uses a value that others have
//! set while they waited. What is assigned must be uniform by its type, where other variables of the kind may be uniform, too.

use ispc::kinds::Kind;
use ispc::names::DeclKind;
use ispc::tree::NodeKind;
use ispc_types::layer::Entity;
use ispc_types::source::Source;
use ispc_types::ty::{Lanes, TypeKind};

use crate::access::{AccessKind, CellOrder};
use crate::flow::{Definition, Flow};
use crate::library::is_pure;
use crate::variables::{Following, call_at};

/// A variable that could be `uniform`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CouldBeUniform {
    /// Its declaration.
    pub entity: Entity,
    /// The token of its name.
    pub token: u32,
    /// True if `varying` is not written.
    pub by_default: bool,
    /// The bytes of a vector register that it takes.
    pub bytes: Option<u64>,
    /// The accesses that would touch one cell by one load.
    pub accesses: Vec<u32>,
    /// The conditions that would need no mask.
    pub conditions: Vec<u32>,
    /// The divisions of whole numbers that would be one division.
    pub divisions: Vec<u32>,
    /// The nodes of its uses.
    pub uses: Vec<u32>,
    /// The variables that have to become uniform with it, since its values come from them.
    pub needs: Vec<Entity>,
}

impl Flow<'_> {
    /// The variables that could be `uniform`, in order.
    pub(crate) fn could_be_uniform(&self) -> Vec<CouldBeUniform> {
        if self.variables.jumps_about {
            return Vec::new();
        }
        let n = self.variables.all.len();
        let mut definitions: Vec<Vec<Definition>> = vec![Vec::new(); n];
        let mut all: Vec<Definition> = self.definitions.values().copied().collect();
        all.sort_unstable_by_key(|definition| definition.node);
        all.into_iter().for_each(|definition| definitions[definition.variable].push(definition));
        let mut uses: Vec<Vec<(u32, u32)>> = vec![Vec::new(); n];
        for (node, (variable, region)) in &self.uses {
            uses[*variable].push((*node, *region));
        }
        let mut could: Vec<bool> =
            (0..n).map(|index| self.has_one_value(index, &definitions[index], &uses[index])).collect();
        self.leave_out_targets(&mut could);
        loop {
            let wrong = |index: &usize| {
                let values = definitions[*index].iter().filter_map(|definition| definition.value);
                could[*index] && !values.into_iter().all(|value| self.would_be_uniform(value as usize, &could))
            };
            let Some(index) = (0..n).find(wrong) else { break };
            could[index] = false;
        }
        let told = (0..n).filter(|index| could[*index] && !uses[*index].is_empty());
        let needs = |index: usize| self.needs(index, &definitions, &could);
        let told = told.filter(|index| !self.is_number(&definitions[*index]));
        told.map(|index| self.told_variable(index, &mut uses[index].clone(), &could, needs(index))).collect()
    }

    fn has_one_value(&self, index: usize, definitions: &[Definition], uses: &[(u32, u32)]) -> bool {
        let variable = &self.variables.all[index];
        if variable.following != Following::Values || variable.kind != DeclKind::Local || definitions.is_empty() {
            return false;
        }
        // What no lane comes to has not been looked at.
        let is_assignment = |it: &&Definition| {
            !matches!(self.piece.node(it.node as usize).kind, NodeKind::InitDeclarator | NodeKind::Declarator)
        };
        let n_seen = definitions.iter().filter(is_assignment).count();
        if n_seen != variable.n_assigned as usize {
            return false;
        }
        let is_one = |node: u32| self.values[node as usize].is_none_or(|value| value.is_uniform());
        definitions.iter().all(|definition| definition.is_uniform)
            && uses.iter().all(|(node, region)| {
                is_one(*node) && definitions.iter().all(|it| self.regions.is_within(*region, it.region))
            })
            && definitions.iter().all(|one| {
                definitions.iter().all(|other| {
                    self.regions.is_within(one.region, other.region) || self.regions.is_within(other.region, one.region)
                })
            })
    }

    /// Returns true for a name of a number that is known when the file is compiled: in registers it is one in any case.
    fn is_number(&self, definitions: &[Definition]) -> bool {
        let [Definition { value: Some(value), .. }] = definitions else { return false };
        let first = self.piece.node(*value as usize).descendants;
        (first..=*value).all(|node| {
            let kind = self.piece.node(node as usize).kind;
            matches!(
                kind,
                NodeKind::Literal
                    | NodeKind::Paren
                    | NodeKind::Prefix
                    | NodeKind::Binary
                    | NodeKind::Cast
                    | NodeKind::TypeName
                    | NodeKind::Specifiers
            )
        })
    }

    /// Leaves out what chooses the one cell that all lanes store their values to: a uniform cell takes no varying value.
    fn leave_out_targets(&self, could: &mut [bool]) {
        let mut leave_out = |node: u32| {
            let first = self.piece.node(node as usize).descendants;
            (first..=node).filter_map(|at| self.uses.get(&at)).for_each(|(variable, _)| could[*variable] = false);
        };
        for access in self.accesses.values() {
            if access.kind != AccessKind::Load && access.is_spread {
                leave_out(access.node);
            }
        }
        // `foreach_unique` runs over what varies.
        for control in self.controls.values() {
            if self.piece.node(control.node as usize).kind == NodeKind::ForeachUnique {
                leave_out(control.condition);
            }
        }
    }

    /// Returns true if an expression is uniform by its type, once some variables are.
    fn would_be_uniform(&self, node: usize, could: &[bool]) -> bool {
        let ty = self.ty(node);
        if ty.is_known() && self.is_uniform_type(ty) {
            return true;
        }
        let children = self.piece.children(node);
        let all = |children: &[usize]| children.iter().all(|child| self.would_be_uniform(*child, could));
        match (self.piece.node(node).kind, &children[..]) {
            (NodeKind::NameUse, _) => self.uses.get(&(node as u32)).is_some_and(|(variable, _)| could[*variable]),
            (NodeKind::Paren | NodeKind::Conditional, _) => all(&children),
            (NodeKind::Binary | NodeKind::Prefix, _) => {
                call_at(self.types, node).is_none() && {
                    let operator = self.piece.kind(self.piece.node(node).first);
                    let takes_place =
                        self.piece.node(node).kind == NodeKind::Prefix && matches!(operator, Kind::Amp | Kind::Star);
                    !takes_place && all(&children)
                }
            }
            (NodeKind::Cast, [ty, operand]) => {
                let is_varying = matches!(self.layer.lanes(self.types.types[*ty]), Some(Lanes::Varying));
                !is_varying && self.would_be_uniform(*operand, could)
            }
            (NodeKind::Index, [base, index]) => {
                let one_cell = self.accesses.get(&(node as u32));
                one_cell.is_some_and(|access| access.order == CellOrder::Broadcast && access.is_spread)
                    && self.would_be_uniform(*base, could)
                    && self.would_be_uniform(*index, could)
            }
            (NodeKind::Call, [_, args]) => self.has_uniform_twin(node) && all(&self.piece.children(*args)),
            _ => false,
        }
    }

    /// Returns true if a function of the library that is called exists for uniform values as well.
    fn has_uniform_twin(&self, node: usize) -> bool {
        let Some(call) = call_at(self.types, node) else { return false };
        let Some(chosen) = call.chosen.map(|chosen| &call.candidates[chosen]) else { return false };
        let plain = |ty| match self.layer.kind(ty) {
            TypeKind::Atomic(atomic, _) => Some(*atomic),
            _ => None,
        };
        let TypeKind::Function(gives, takes) = self.layer.kind(chosen.ty) else { return false };
        is_pure(self.layer, chosen.entity)
            && call.candidates.iter().any(|other| match self.layer.kind(other.ty) {
                TypeKind::Function(others_gives, others_takes) => {
                    self.layer.is_uniform(*others_gives)
                        && plain(*gives).is_some()
                        && plain(*gives) == plain(*others_gives)
                        && takes.len() == others_takes.len()
                        && others_takes.iter().all(|ty| self.layer.is_uniform(*ty))
                        && takes.iter().zip(others_takes.iter()).all(|(one, other)| plain(*one) == plain(*other))
                }
                _ => false,
            })
    }

    /// The other variables from which the values of one come, and theirs.
    fn needs(&self, index: usize, definitions: &[Vec<Definition>], could: &[bool]) -> Vec<Entity> {
        let mut found = vec![index];
        let mut next = 0;
        while next < found.len() {
            for value in definitions[found[next]].iter().filter_map(|definition| definition.value) {
                let first = self.piece.node(value as usize).descendants;
                for (variable, _) in (first..=value).filter_map(|node| self.uses.get(&node)) {
                    if could[*variable] && !found.contains(variable) {
                        found.push(*variable);
                    }
                }
            }
            next += 1;
        }
        found[1..].iter().map(|index| self.variables.all[*index].entity).collect()
    }

    fn told_variable(
        &self,
        index: usize,
        uses: &mut [(u32, u32)],
        could: &[bool],
        needs: Vec<Entity>,
    ) -> CouldBeUniform {
        uses.sort_unstable();
        let variable = &self.variables.all[index];
        let holds_use = |node: u32| {
            let first = self.piece.node(node as usize).descendants;
            uses.iter().any(|(at, _)| (first..=node).contains(at))
        };
        let is_varying_type = |node: u32| self.layer.is_varying(self.ty(node as usize));
        let accesses = self
            .accesses
            .values()
            .filter(|access| access.is_spread && access.order == CellOrder::Broadcast && holds_use(access.node));
        let mut accesses: Vec<u32> = accesses.map(|access| access.node).collect();
        let conditions = self
            .controls
            .values()
            .filter(|control| !control.parts && is_varying_type(control.condition) && holds_use(control.condition));
        let mut conditions: Vec<u32> = conditions.map(|control| control.condition).collect();
        let is_division = |node: &u32| {
            let at = *node as usize;
            self.piece.node(at).kind == NodeKind::Binary
                && matches!(
                    self.piece.kind(self.piece.node(self.piece.children(at)[0]).end),
                    Kind::Slash | Kind::Percent
                )
                && is_varying_type(*node)
                && !self.is_real(self.ty(at))
                && holds_use(*node)
                && self.would_be_uniform(at, could)
        };
        let divisions: Vec<u32> = (0..self.values.len() as u32).filter(is_division).collect();
        accesses.sort_unstable();
        conditions.sort_unstable();
        CouldBeUniform {
            entity: variable.entity,
            token: variable.token,
            by_default: !self.says_varying(variable.token),
            bytes: self.layout.of(self.layer.entity(variable.entity).ty, Lanes::Varying).map(|it| it.size),
            accesses,
            conditions,
            divisions,
            uses: uses.iter().map(|(node, _)| *node).collect(),
            needs,
        }
    }

    /// Returns true if `varying` stands in front of a variable's name.
    fn says_varying(&self, token: u32) -> bool {
        let in_front = (0..token).rev().map(|token| self.piece.kind(token));
        let stops = [Kind::Semicolon, Kind::LBrace, Kind::RBrace, Kind::LParen];
        in_front.take_while(|kind| !stops.contains(kind)).any(|kind| kind == Kind::Varying)
    }
}
