//! Elements and members: of arrays, short vectors, structs, and of what pointers point to.

use ispc::kinds::Kind;
use ispc::names::DeclKind;
use report::spelling::closest;

use crate::body::Typing;
use crate::findings::{self, Related};
use crate::layer::Entity;
use crate::source::Source;
use crate::ty::{Count, Lanes, Ty, TypeKind};

impl Typing<'_> {
    pub(crate) fn index(&mut self, node: usize, base: usize, index: usize) -> Ty {
        let (base_ty, index_ty) = (self.types[base], self.types[index]);
        let whole = self.layer.target(base_ty);
        if self.layer.is_varying(index_ty) && self.layer.is_open(index_ty) || !index_ty.is_known() {
            // The element could be uniform or varying.
            return Ty::UNKNOWN;
        }
        let (of, base_varying) = match *self.layer.kind(whole) {
            TypeKind::Pointer(of, lanes) => {
                if self.layer.is_void(of) {
                    let shown = self.show(base_ty);
                    self.tell(findings::void_pointer(self.tokens(base), &shown));
                    return Ty::UNKNOWN;
                }
                (of, lanes == Lanes::Varying)
            }
            TypeKind::Array(of, _) | TypeKind::Vector(of, _) => {
                (of, self.facts[base].place.is_some_and(|(_, lanes)| lanes == Lanes::Varying))
            }
            TypeKind::Atomic(..) | TypeKind::Enum(..) | TypeKind::Struct(..) => {
                let shown = self.show(base_ty);
                self.tell(findings::not_a_pointer(self.tokens(base), "`[…]`", &shown));
                return Ty::UNKNOWN;
            }
            _ => return Ty::UNKNOWN,
        };
        let stored = match self.layer.lanes(of) {
            Some(Lanes::Soa(_)) => self.layer.with_lanes(of, Lanes::Uniform),
            _ => of,
        };
        let varies = base_varying || self.layer.is_varying(index_ty);
        let lanes = if varies { Lanes::Varying } else { Lanes::Uniform };
        // The address of an element of a group tells that it is in one.
        self.facts[node].place = Some((of, lanes));
        if varies { self.layer.with_lanes(stored, Lanes::Varying) } else { stored }
    }

    pub(crate) fn member(&mut self, node: usize, base: usize) -> Ty {
        let operator = self.piece.node(base).end;
        let token = self.piece.node(node).end - 1;
        if token <= operator || self.piece.kind(token) != Kind::Name {
            return Ty::UNKNOWN;
        }
        let arrow = self.piece.kind(operator) == Kind::Arrow;
        let whole = self.layer.target(self.types[base]);
        let base_place = self.facts[base].place;
        let (of, address) = match *self.layer.kind(whole) {
            TypeKind::Pointer(of, lanes) if arrow => (of, Some(lanes)),
            TypeKind::Array(of, _) if arrow => (of, Some(Lanes::Uniform)),
            TypeKind::Pointer(of, _) if matches!(self.layer.kind(of), TypeKind::Struct(..)) => {
                let shown = self.show(whole);
                self.tell(findings::not_a_struct(operator..operator + 1, &shown, arrow, Some(true)));
                return Ty::UNKNOWN;
            }
            _ if self.layer.is_open(whole) => return Ty::UNKNOWN,
            _ if arrow => {
                let is_struct = matches!(self.layer.kind(whole), TypeKind::Struct(..)).then_some(false);
                let shown = self.show(whole);
                self.tell(findings::not_a_struct(operator..operator + 1, &shown, arrow, is_struct));
                return Ty::UNKNOWN;
            }
            // The type in memory: one a lane behind a varying pointer is no varying struct.
            _ => (base_place.map_or(whole, |(stored, _)| stored), base_place.map(|(_, lanes)| lanes)),
        };
        match *self.layer.kind(of) {
            TypeKind::Struct(def, lanes) => self.struct_member(node, token, of, def, lanes, address),
            TypeKind::Vector(element, count) => self.vector_member(node, token, whole, element, count, address),
            _ if self.layer.is_open(of) => Ty::UNKNOWN,
            _ => {
                let shown = self.show(whole);
                self.tell(findings::not_a_struct(token..token + 1, &shown, arrow, None));
                Ty::UNKNOWN
            }
        }
    }

    fn struct_member(
        &mut self,
        node: usize,
        token: u32,
        of: Ty,
        def: Entity,
        lanes: Lanes,
        address: Option<Lanes>,
    ) -> Ty {
        let name = self.piece.text(token).into_owned();
        let Some(members) = self.layer.members(def).cloned() else {
            if !self.piece.is_partial {
                let shown = self.show(of);
                self.tell(findings::incomplete(token..token + 1, &shown));
            }
            return Ty::UNKNOWN;
        };
        let Some(member) = members.iter().find(|member| *member.name == *name) else {
            let words: Vec<&str> = members.iter().map(|member| &*member.name).collect();
            let near = closest(&name, &words);
            let shown = self.struct_name(def);
            let finding = findings::unknown_member(token..token + 1, &name, &shown, near);
            self.tell(finding.with(Related::Declaration(def), "its members"));
            return Ty::UNKNOWN;
        };
        self.names.push((token, member.entity));
        let is_unbound = lanes == Lanes::Unbound;
        let mut stored = self.layer.bind(member.ty, if is_unbound { Lanes::Uniform } else { lanes });
        if self.layer.is_const(of) {
            stored = self.layer.with_const(stored, true);
        }
        if let Some(Lanes::Soa(_)) = self.layer.lanes(stored) {
            stored = self.layer.with_lanes(stored, Lanes::Uniform);
        }
        self.facts[node].place = address.map(|address| (stored, address));
        if address == Some(Lanes::Varying) { self.layer.with_lanes(stored, Lanes::Varying) } else { stored }
    }

    fn struct_name(&self, def: Entity) -> String {
        match self.layer.entity(def) {
            data if data.kind == DeclKind::Field => "this struct".to_owned(),
            data => data.name.to_string(),
        }
    }

    fn vector_member(
        &mut self,
        node: usize,
        token: u32,
        whole: Ty,
        element: Ty,
        count: Count,
        address: Option<Lanes>,
    ) -> Ty {
        let name = self.piece.text(token).into_owned();
        let Count::Known(count) = count else { return Ty::UNKNOWN };
        let sets = ["xyzw", "rgba", "uv"];
        let is_of = |set: &&str| {
            let letters: String = set.chars().take(count as usize).collect();
            name.chars().all(|char| letters.contains(char))
        };
        if !sets.iter().any(is_of) && !name.chars().all(|char| sets.concat().contains(char)) {
            // A name that only headers of intrinsics give it.
            return Ty::UNKNOWN;
        }
        if !sets.iter().any(is_of) {
            let shown = self.show(whole);
            self.tell(findings::unknown_member(token..token + 1, &name, &shown, None));
            return Ty::UNKNOWN;
        }
        let stored = match name.len() as u64 {
            1 => element,
            n => self.layer.make(TypeKind::Vector(element, Count::Known(n))),
        };
        self.facts[node].place = address.map(|address| (stored, address));
        if address == Some(Lanes::Varying) { self.layer.with_lanes(stored, Lanes::Varying) } else { stored }
    }
}
