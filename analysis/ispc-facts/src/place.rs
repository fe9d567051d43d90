//! The places of expressions, and what is loaded from them and stored there.

use ispc::kinds::Kind;
use ispc::tree::NodeKind;
use ispc_types::source::Source;
use ispc_types::ty::{Lanes, TypeKind};

use crate::access::{AccessKind, MemoryAccess, Record, StoredPlace, order_of};
use crate::flow::Flow;
use crate::shape::{LaneShape, LaneValue};
use crate::why::WhyVarying;

impl Flow<'_> {
    /// The place of an expression that has one. All that its address is computed from is walked.
    pub(crate) fn place(&mut self, node: usize) -> Option<StoredPlace> {
        self.depth += 1;
        self.gave_up |= self.depth > crate::flow::DEEPEST;
        let place = if self.gave_up { None } else { self.place_here(node) };
        self.depth -= 1;
        place
    }

    fn place_here(&mut self, node: usize) -> Option<StoredPlace> {
        let data = self.piece.node(node);
        let children = self.piece.children(node);
        match (data.kind, &children[..]) {
            (NodeKind::NameUse, _) => self.place_of_name(node),
            (NodeKind::Paren, [inner]) => self.place(*inner),
            (NodeKind::Index, [base, index]) => self.element(*base, *index),
            (NodeKind::Member, [base]) => self.member(node, *base),
            (NodeKind::Prefix, [operand]) if self.piece.kind(data.first) == Kind::Star => {
                let pointer = self.expression(*operand);
                let TypeKind::Pointer(of, _) = *self.layer.kind(self.ty(*operand)) else { return None };
                Some(self.pointed(*operand, pointer, of))
            }
            (NodeKind::Assign, [target, _]) => {
                self.expression(node);
                self.place(*target)
            }
            _ => None,
        }
    }

    fn pointed(&self, node: usize, pointer: LaneValue, of: ispc_types::ty::Ty) -> StoredPlace {
        StoredPlace {
            address: pointer,
            stored: of,
            unbound: Lanes::Uniform,
            variable: None,
            chosen_by: Some(node as u32),
            record: self.record(of, Lanes::Uniform),
        }
    }

    fn record(&self, of: ispc_types::ty::Ty, unbound: Lanes) -> Option<Record> {
        let TypeKind::Struct(entity, own) = *self.layer.kind(of) else { return None };
        let lanes = if own == Lanes::Unbound { unbound } else { own };
        if lanes != Lanes::Uniform {
            return None;
        }
        Some(Record { of: entity, size: self.layout.of(of, unbound)?.size })
    }

    fn place_of_name(&mut self, node: usize) -> Option<StoredPlace> {
        let entity = self.piece.target(self.piece.node(node).first)?;
        let data = self.layer.entity(entity);
        if data.kind.is_type() || matches!(self.layer.kind(data.ty), TypeKind::Function(..)) {
            return None;
        }
        if let Some(index) = self.variables.index(entity) {
            self.uses.insert(node as u32, (index, self.region));
        }
        let (stored, variable) = match *self.layer.kind(data.ty) {
            TypeKind::Reference(of) => (of, None),
            _ => (data.ty, Some(entity)),
        };
        let unbound = Lanes::Varying;
        Some(StoredPlace { address: LaneValue::UNIFORM, stored, unbound, variable, chosen_by: None, record: None })
    }

    fn element(&mut self, base: usize, index: usize) -> Option<StoredPlace> {
        let base_ty = self.ty(base);
        let (from, of, unbound) = match *self.layer.kind(base_ty) {
            TypeKind::Pointer(of, _) => (self.expression(base), of, Lanes::Uniform),
            TypeKind::Array(of, _) | TypeKind::Vector(of, _) => match self.place(base) {
                Some(place) => {
                    self.recorded(base, place.address);
                    // The variability in memory is that of the whole.
                    match *self.layer.kind(place.stored) {
                        TypeKind::Array(of, _) | TypeKind::Vector(of, _) => (place.address, of, place.unbound),
                        _ => (place.address, of, place.unbound),
                    }
                }
                None => {
                    self.expression(base);
                    self.expression(index);
                    return None;
                }
            },
            _ => {
                self.expression(base);
                self.expression(index);
                return None;
            }
        };
        let by = self.expression(index);
        let bytes = match self.layout.of(of, unbound) {
            Some(of) => by.scaled(of.size.into()),
            None => by.times(&LaneValue::UNIFORM),
        };
        let chosen_by = if by.is_uniform() && !from.is_uniform() { base } else { index };
        Some(StoredPlace {
            address: from.plus(&bytes),
            stored: of,
            unbound,
            variable: None,
            chosen_by: Some(chosen_by as u32),
            record: self.record(of, unbound),
        })
    }

    fn member(&mut self, node: usize, base: usize) -> Option<StoredPlace> {
        let arrow = self.piece.kind(self.piece.node(base).end) == Kind::Arrow;
        let whole = match *self.layer.kind(self.ty(base)) {
            TypeKind::Pointer(of, _) if arrow => {
                let pointer = self.expression(base);
                self.pointed(base, pointer, of)
            }
            _ => match self.place(base) {
                Some(place) if arrow => match *self.layer.kind(place.stored) {
                    TypeKind::Array(of, _) => StoredPlace { stored: of, ..place },
                    _ => return None,
                },
                Some(place) => place,
                None => {
                    self.expression(base);
                    return None;
                }
            },
        };
        let TypeKind::Struct(of, own) = *self.layer.kind(whole.stored) else {
            return self.letter(node, whole);
        };
        let unbound = if own == Lanes::Unbound { whole.unbound } else { own };
        let name = self.piece.text(self.piece.node(node).end - 1);
        let member = self.layer.members(of)?.iter().find(|member| *member.name == *name)?;
        let offset = self.layout.offset(of, member.entity, unbound);
        let address = match offset {
            Some(offset) => whole.address.plus(&LaneValue::number(offset.into())),
            None => whole.address.plus(&LaneValue::UNIFORM),
        };
        Some(StoredPlace { address, stored: member.ty, unbound, variable: None, ..whole })
    }

    /// `v.x` of a short vector: the cell of one element, or several.
    fn letter(&mut self, node: usize, whole: StoredPlace) -> Option<StoredPlace> {
        let TypeKind::Vector(of, _) = *self.layer.kind(whole.stored) else { return None };
        let letters = self.piece.text(self.piece.node(node).end - 1);
        let address = whole.address.plus(&LaneValue::UNIFORM);
        let stored = if letters.len() == 1 { of } else { whole.stored };
        Some(StoredPlace { address, stored, variable: None, ..whole })
    }

    /// The value of an expression that is loaded.
    pub(crate) fn load(&mut self, node: usize) -> LaneValue {
        match self.place(node) {
            Some(place) => self.loaded(node, place, AccessKind::Load),
            None => {
                // A part of a value that is stored nowhere.
                let base = self.piece.children(node).first().and_then(|base| self.values[*base]);
                let next = base.and_then(|base| base.cause);
                match base {
                    Some(base) if base.is_uniform() => LaneValue { value: None, is_nonneg: false, ..base },
                    _ => self.own(node, WhyVarying::OwnCell, next),
                }
            }
        }
    }

    /// The value of a variable or place that is going to be set, and the place, which is walked once.
    pub(crate) fn load_for_update(&mut self, node: usize) -> (LaneValue, Option<StoredPlace>) {
        let node = self.without_parentheses(node);
        if self.piece.node(node).kind == NodeKind::NameUse {
            return (self.expression(node), None);
        }
        match self.place(node) {
            Some(place) => {
                let found = self.loaded(node, place, AccessKind::Update);
                (self.recorded(node, found), Some(place))
            }
            None => (self.expression(node), None),
        }
    }

    fn without_parentheses(&self, mut node: usize) -> usize {
        while self.piece.node(node).kind == NodeKind::Paren {
            match self.piece.children(node).first() {
                Some(child) => node = *child,
                None => break,
            }
        }
        node
    }

    fn loaded(&mut self, node: usize, place: StoredPlace, kind: AccessKind) -> LaneValue {
        if let Some(entity) = place.variable.filter(|_| self.piece.node(node).kind == NodeKind::NameUse) {
            let _ = entity;
            return self.name(node);
        }
        self.access(node, &place, kind, None);
        let lanes = self.layout.lanes_of(place.stored, place.unbound);
        let is_array = matches!(self.layer.kind(place.stored), TypeKind::Array(..));
        match place.address.shape {
            // An array stands for the address of its first element.
            _ if is_array => place.address,
            LaneShape::Unknown => LaneValue::UNKNOWN,
            LaneShape::Uniform if lanes == Lanes::Varying => self.own(node, WhyVarying::OwnCell, None),
            LaneShape::Uniform => LaneValue { everywhere: false, ..LaneValue::UNIFORM },
            _ => self.own(node, WhyVarying::OtherCells, place.address.cause),
        }
    }

    /// Stores a value at the place of an expression; that of an update is known.
    pub(crate) fn store(
        &mut self,
        node: usize,
        target: usize,
        updated: Option<StoredPlace>,
        value_node: Option<usize>,
        value: LaneValue,
    ) {
        let inner = self.without_parentheses(target);
        if self.piece.node(inner).kind == NodeKind::NameUse {
            let entity = self.piece.target(self.piece.node(inner).first);
            if let Some(variable) = entity.and_then(|entity| self.variables.followed(entity)) {
                let kept = LaneValue { everywhere: false, ..value };
                self.set(variable, node, value_node, kept);
            }
            if self.values[inner].is_none() {
                self.values[inner] = Some(self.recorded_type(inner, value));
            }
            return;
        }
        match updated {
            Some(place) => self.access(inner, &place, AccessKind::Update, Some(value)),
            None => {
                if let Some(place) = self.place(inner) {
                    self.access(inner, &place, AccessKind::Store, Some(value));
                }
            }
        }
    }

    fn recorded_type(&self, node: usize, value: LaneValue) -> LaneValue {
        match self.is_uniform_type(self.ty(node)) {
            true => LaneValue { shape: LaneShape::Uniform, cause: None, ..value },
            false => value,
        }
    }

    /// The address of an expression, which nobody loads from here.
    pub(crate) fn address_only(&mut self, node: usize) -> LaneValue {
        match self.place(node) {
            Some(place) => LaneValue { value: None, ..place.address },
            None => self.expression(node),
        }
    }

    /// An argument that is taken by reference: one that each lane has elsewhere is copied for the call.
    pub(crate) fn referred(&mut self, node: usize) -> LaneValue {
        let Some(place) = self.place(node) else { return self.expression(node) };
        if !place.address.is_uniform() {
            self.access(node, &place, AccessKind::Load, None);
        }
        LaneValue { value: None, ..place.address }
    }

    fn access(&mut self, node: usize, place: &StoredPlace, kind: AccessKind, value: Option<LaneValue>) {
        let inner = self.without_parentheses(node);
        if place.chosen_by.is_none() || matches!(self.layer.kind(place.stored), TypeKind::Array(..)) {
            return;
        }
        let lanes = self.layout.lanes_of(place.stored, place.unbound);
        let bytes = self.layout.of(place.stored, place.unbound).map(|size| match lanes {
            Lanes::Varying => size.size / self.layout.lanes,
            _ => size.size,
        });
        let Some(order) = order_of(place.address.shape, lanes, bytes) else { return };
        let own = self.types.types[inner];
        let is_spread = lanes != Lanes::Varying && own.is_known() && self.layer.is_varying(own);
        let record = place.record.filter(|record| Some(record.size) != bytes);
        let found = MemoryAccess {
            node: inner as u32,
            kind,
            order,
            stored: place.stored,
            bytes,
            record,
            cause: place.address.cause,
            chosen_by: place.chosen_by,
            value,
            is_spread,
            region: self.region,
        };
        self.accesses.insert(inner as u32, found);
    }
}
