//! Declarations to types: specifiers, declarators, structs, enumerations.
//!
//! What is declared without `uniform` or `varying` is varying, but what a pointer points to, which is uniform then. In a typedef and in a
//! struct it stays unbound, since its use says it.

use std::sync::Arc;

use ispc::kinds::Kind;
use ispc::names::DeclKind;
use ispc::tree::NodeKind;

use crate::constant;
use crate::layer::{Bound, Entity, FunctionData, Layer, Member};
use crate::source::Source;
use crate::ty::{Atomic, Count, Lanes, Ty, TypeKind};

/// The meaning of a declaration's specifiers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Specified {
    pub(crate) ty: Ty,
    pub(crate) is_typedef: bool,
    pub(crate) is_task: bool,
}

/// A declarator with its type.
pub(crate) struct Declared {
    pub(crate) ty: Ty,
    pub(crate) name: Option<u32>,
    /// The parameters of a function, if it is one.
    pub(crate) params: Option<usize>,
}

/// Reads the declarations of a source, and puts their types into a layer.
pub(crate) struct Declarer<'a> {
    pub(crate) source: &'a dyn Source,
    pub(crate) layer: &'a mut Layer,
}

impl Declarer<'_> {
    /// The type that specifiers give, unbound where they do not say.
    pub(crate) fn specifiers(&mut self, node: usize) -> Specified {
        let data = self.source.node(node);
        let mut children = self.source.children(node).into_iter().peekable();
        let (mut ty, mut lanes, mut is_const, mut sign) = (None, None, false, None);
        let (mut is_typedef, mut is_task) = (false, false);
        let mut token = data.first;
        while token < data.end {
            if let Some(child) = children.next_if(|child| self.source.node(*child).first == token) {
                match self.source.node(child).kind {
                    NodeKind::Struct => ty = Some(self.struct_specifier(child)),
                    NodeKind::Enum => ty = Some(self.enum_specifier(child)),
                    NodeKind::ShortVector => ty = ty.map(|of| self.short_vector(child, of)),
                    NodeKind::Soa => lanes = self.soa(child).or(lanes),
                    _ => {}
                }
                token = self.source.node(child).end.max(token + 1);
                continue;
            }
            match self.source.kind(token) {
                Kind::Typedef => is_typedef = true,
                Kind::Task => is_task = true,
                Kind::Const => is_const = true,
                Kind::Uniform => lanes = Some(Lanes::Uniform),
                Kind::Varying => lanes = Some(Lanes::Varying),
                kind @ (Kind::Signed | Kind::Unsigned) => sign = Some(kind),
                // C++ has this word for it, which is told where the text is read.
                Kind::Name if self.source.text(token) == "constexpr" => is_const = true,
                Kind::Name => ty = Some(self.named_type(token)),
                kind => {
                    if let Some(atomic) = atomic(kind) {
                        ty = Some(self.layer.atomic(atomic, Lanes::Unbound));
                    }
                }
            }
            token += 1;
        }
        let mut ty = ty.unwrap_or_else(|| self.layer.atomic(Atomic::Int32, Lanes::Unbound));
        if sign == Some(Kind::Unsigned) {
            ty = self.unsigned(ty);
        }
        if let Some(lanes) = lanes {
            ty = self.layer.with_lanes(ty, lanes);
        }
        if is_const {
            ty = self.layer.with_const(ty, true);
        }
        Specified { ty, is_typedef, is_task }
    }

    fn unsigned(&mut self, ty: Ty) -> Ty {
        match *self.layer.kind(ty) {
            TypeKind::Atomic(atomic, lanes) => self.layer.atomic(atomic.unsigned(), lanes),
            TypeKind::Vector(of, count) => {
                let of = self.unsigned(of);
                self.layer.make(TypeKind::Vector(of, count))
            }
            _ => ty,
        }
    }

    fn named_type(&mut self, token: u32) -> Ty {
        if let Some(entity) = self.source.target(token) {
            let data = self.layer.entity(entity);
            return match data.kind {
                DeclKind::TemplateParam => match self.layer.argument_of(entity) {
                    Some(Bound::Type(ty)) => ty,
                    _ => self.layer.make(TypeKind::Param(entity, Lanes::Unbound)),
                },
                DeclKind::Struct => {
                    let of = self.layer.canonical(entity);
                    self.layer.make(TypeKind::Struct(of, Lanes::Unbound))
                }
                DeclKind::Enum => {
                    let of = self.layer.canonical(entity);
                    self.layer.make(TypeKind::Enum(of, Lanes::Unbound))
                }
                kind if kind.is_type() => data.ty,
                _ => Ty::UNKNOWN,
            };
        }
        let atomic = match &*self.source.text(token) {
            "size_t" | "uintptr_t" => Atomic::Uint64,
            "ptrdiff_t" | "intptr_t" => Atomic::Int64,
            _ => return Ty::UNKNOWN,
        };
        self.layer.atomic(atomic, Lanes::Unbound)
    }

    fn count_at(&self, token: u32) -> Count {
        let value = match self.source.kind(token) {
            Kind::Name => {
                let Some(entity) = self.source.target(token) else { return Count::Unknown };
                let value = self.layer.value(entity);
                if self.layer.entity(entity).kind == DeclKind::Param && value.is_none() {
                    return Count::Of(entity);
                }
                value
            }
            kind => constant::literal(kind, &self.source.text(token)).and_then(|literal| literal.value),
        };
        value.and_then(|value| u64::try_from(value).ok()).map_or(Count::Unknown, Count::Known)
    }

    fn short_vector(&mut self, node: usize, of: Ty) -> Ty {
        let count = self.count_at(self.source.node(node).first + 1);
        if of == Ty::UNKNOWN { of } else { self.layer.make(TypeKind::Vector(of, count)) }
    }

    fn soa(&self, node: usize) -> Option<Lanes> {
        match self.count_at(self.source.node(node).first + 2) {
            Count::Known(width) => Some(Lanes::Soa(width as u32)),
            _ => None,
        }
    }

    fn struct_specifier(&mut self, node: usize) -> Ty {
        let first = self.source.node(node).first;
        let name = first + 1;
        let has_name = self.source.kind(name) == Kind::Name;
        let entity = has_name.then(|| self.source.declared(name).or_else(|| self.source.target(name))).flatten();
        let entity = entity.map(|entity| self.layer.canonical(entity));
        let fields: Vec<usize> = self
            .source
            .children(node)
            .into_iter()
            .filter(|child| self.source.node(*child).kind == NodeKind::Field)
            .collect();
        let first_field = fields.first().and_then(|field| self.field_names(*field).first().copied());
        let first_field = first_field.and_then(|token| self.source.declared(token));
        let Some(of) = entity.or(if has_name { None } else { first_field }) else { return Ty::UNKNOWN };
        let is_body = self.source.kind(first + 1 + u32::from(has_name)) == Kind::LBrace;
        if is_body {
            let mut members = Vec::new();
            for field in fields {
                self.field(field, of, &mut members);
            }
            self.layer.set_members(of, members);
        }
        self.layer.make(TypeKind::Struct(of, Lanes::Unbound))
    }

    fn field_names(&self, field: usize) -> Vec<u32> {
        let declarators = self.source.children(field).into_iter();
        let declarators = declarators.filter(|child| self.source.node(*child).kind == NodeKind::Declarator);
        declarators.filter_map(|declarator| name_of(self.source, declarator)).collect()
    }

    fn field(&mut self, field: usize, of: Entity, members: &mut Vec<Member>) {
        let mut base = Ty::UNKNOWN;
        for child in self.source.children(field) {
            match self.source.node(child).kind {
                NodeKind::Specifiers => base = self.specifiers(child).ty,
                NodeKind::Declarator => {
                    let declared = self.declarator(Some(child), base);
                    let Some(entity) = declared.name.and_then(|token| self.source.declared(token)) else { continue };
                    self.set(entity, declared.ty);
                    if entity.0 >= self.layer.first_entity() {
                        self.layer.entity_mut(entity).within = Some(of);
                    }
                    let name = self.layer.entity(entity).name.clone();
                    members.push(Member { entity, name, ty: declared.ty });
                }
                _ => {}
            }
        }
    }

    fn enum_specifier(&mut self, node: usize) -> Ty {
        let first = self.source.node(node).first;
        let name = first + 1;
        let has_name = self.source.kind(name) == Kind::Name;
        let entity = has_name.then(|| self.source.declared(name).or_else(|| self.source.target(name))).flatten();
        let enumerators: Vec<usize> = self
            .source
            .children(node)
            .into_iter()
            .filter(|child| self.source.node(*child).kind == NodeKind::Enumerator)
            .collect();
        let of_first = || self.source.declared(self.source.node(*enumerators.first()?).first);
        let entity = entity.map(|entity| self.layer.canonical(entity));
        let Some(of) = entity.or_else(|| if has_name { None } else { of_first() }) else { return Ty::UNKNOWN };
        let ty = self.layer.make(TypeKind::Enum(of, Lanes::Unbound));
        let constant = self.layer.with_lanes(ty, Lanes::Uniform);
        let constant = self.layer.with_const(constant, true);
        let mut next = Some(0);
        for enumerator in enumerators {
            let children = self.source.children(enumerator);
            if let Some(value) = children.first() {
                next = constant::value(self.source, self.layer, *value);
            }
            if let Some(entity) = self.source.declared(self.source.node(enumerator).first)
                && entity.0 >= self.layer.first_entity()
            {
                let data = self.layer.entity_mut(entity);
                (data.ty, data.value, data.is_constant, data.within) = (constant, next, true, Some(of));
            }
            next = next.map(|value| value + 1);
        }
        ty
    }

    /// The type of a declarator on what its specifiers give.
    pub(crate) fn declarator(&mut self, node: Option<usize>, base: Ty) -> Declared {
        let Some(node) = node else { return Declared { ty: base, name: None, params: None } };
        let mut ty = base;
        let (mut parts_behind, mut inner) = (Vec::new(), None);
        for child in self.source.children(node) {
            match self.source.node(child).kind {
                NodeKind::Pointer => ty = self.pointer(child, ty),
                NodeKind::Reference if ty != Ty::UNKNOWN => ty = self.layer.make(TypeKind::Reference(ty)),
                NodeKind::Declarator => inner = Some(child),
                NodeKind::ArrayPart | NodeKind::Params => parts_behind.push(child),
                _ => {}
            }
        }
        let is_plain = inner.is_none();
        let mut params = None;
        for (nth, suffix) in parts_behind.iter().enumerate().rev() {
            ty = match self.source.node(*suffix).kind {
                NodeKind::ArrayPart => self.array(*suffix, ty),
                _ => {
                    if nth == 0 && is_plain {
                        params = Some(*suffix);
                    }
                    self.function(*suffix, ty)
                }
            };
        }
        match inner {
            Some(inner) => {
                let found = self.declarator(Some(inner), ty);
                Declared { params: None, ..found }
            }
            None => Declared { ty, name: name_of(self.source, node), params },
        }
    }

    fn pointer(&mut self, node: usize, to: Ty) -> Ty {
        let data = self.source.node(node);
        let kinds = |kind: Kind| (data.first..data.end).any(|token| self.source.kind(token) == kind);
        let lanes = match () {
            _ if kinds(Kind::Uniform) => Lanes::Uniform,
            _ if kinds(Kind::Varying) => Lanes::Varying,
            _ => Lanes::Unbound,
        };
        let is_const = kinds(Kind::Const);
        let ty = self.layer.pointer(to, lanes);
        if is_const { self.layer.with_const(ty, true) } else { ty }
    }

    fn array(&mut self, node: usize, of: Ty) -> Ty {
        let count = match self.source.children(node).first() {
            None => Count::Unsized,
            Some(length) => constant::value(self.source, self.layer, *length)
                .and_then(|value| u64::try_from(value).ok())
                .map_or(Count::Unknown, Count::Known),
        };
        if of == Ty::UNKNOWN { of } else { self.layer.make(TypeKind::Array(of, count)) }
    }

    fn function(&mut self, params: usize, gives: Ty) -> Ty {
        let takes: Vec<Ty> = self.params(params).into_iter().map(|(_, ty, _)| ty).collect();
        let gives = self.layer.bind(gives, Lanes::Varying);
        self.layer.make(TypeKind::Function(gives, takes.into()))
    }

    /// The parameters of a function: the token of the name, the type, and the value that stands behind it.
    pub(crate) fn params(&mut self, node: usize) -> Vec<(Option<u32>, Ty, Option<usize>)> {
        let mut found = Vec::new();
        for param in self.source.children(node) {
            if self.source.node(param).kind == NodeKind::Param {
                found.push(self.param(param));
            }
        }
        let is_void = |ty: Ty| matches!(self.layer.kind(ty), TypeKind::Atomic(Atomic::Void, _));
        if let [(None, ty, None)] = found[..]
            && is_void(ty)
        {
            found.clear();
        }
        found
    }

    /// A parameter: an array is a pointer to its first element.
    pub(crate) fn param(&mut self, node: usize) -> (Option<u32>, Ty, Option<usize>) {
        let (mut base, mut declarator, mut value) = (None, None, None);
        for child in self.source.children(node) {
            match self.source.node(child).kind {
                NodeKind::Specifiers => base = Some(self.specifiers(child).ty),
                NodeKind::Declarator => declarator = Some(child),
                _ => value = Some(child),
            }
        }
        let declared = self.declarator(declarator, base.unwrap_or(Ty::UNKNOWN));
        let mut ty = self.layer.bind(declared.ty, Lanes::Varying);
        if let TypeKind::Array(of, _) = *self.layer.kind(ty) {
            ty = self.layer.pointer(of, Lanes::Uniform);
        }
        if let TypeKind::Function(..) = self.layer.kind(ty) {
            ty = self.layer.pointer(ty, Lanes::Uniform);
        }
        (declared.name, ty, value)
    }

    /// The type of a `TypeName`, unbound where it does not say.
    pub(crate) fn type_name(&mut self, node: usize) -> Ty {
        let (mut base, mut declarator) = (Ty::UNKNOWN, None);
        for child in self.source.children(node) {
            match self.source.node(child).kind {
                NodeKind::Specifiers => base = self.specifiers(child).ty,
                NodeKind::Declarator => declarator = Some(child),
                _ => {}
            }
        }
        // Behind `new` pointers stand without a declarator.
        let end = self.source.node(node).end;
        let mut ty = self.declarator(declarator, base).ty;
        if declarator.is_none() {
            let behind = self.source.children(node).last().map_or(end, |last| self.source.node(*last).end);
            for token in behind..end {
                match self.source.kind(token) {
                    Kind::Star => ty = self.layer.pointer(ty, Lanes::Unbound),
                    Kind::Uniform => ty = self.layer.with_lanes(ty, Lanes::Uniform),
                    Kind::Varying => ty = self.layer.with_lanes(ty, Lanes::Varying),
                    _ => {}
                }
            }
        }
        ty
    }

    /// Sets the type of a declaration of this layer.
    pub(crate) fn set(&mut self, entity: Entity, ty: Ty) {
        if entity.0 >= self.layer.first_entity() {
            self.layer.entity_mut(entity).ty = ty;
        }
    }

    /// One declarator of a declaration: sets the type of what it declares, and gives both.
    pub(crate) fn declaration(
        &mut self,
        specified: Specified,
        declarator: Option<usize>,
        template: &[Entity],
        is_instance: bool,
    ) -> Option<(Entity, Ty)> {
        let declared = self.declarator(declarator, specified.ty);
        let entity = self.source.declared(declared.name?)?;
        let ty = if specified.is_typedef { declared.ty } else { self.layer.bind(declared.ty, Lanes::Varying) };
        self.set(entity, ty);
        if let Some(params) = declared.params
            && entity.0 >= self.layer.first_entity()
            && self.layer.entity(entity).kind == DeclKind::Function
        {
            let params = self.params(params);
            let name = |token: Option<u32>| token.map_or(Arc::from(""), |token| Arc::from(&*self.source.text(token)));
            let params = params.into_iter().map(|(token, _, value)| (name(token), value.is_some())).collect();
            let function =
                FunctionData { params, template: template.to_vec(), is_task: specified.is_task, is_instance };
            self.layer.entity_mut(entity).function = Some(Arc::new(function));
        }
        Some((entity, ty))
    }

    /// Notes the value of a constant.
    pub(crate) fn constant(&mut self, entity: Entity, ty: Ty, value: usize) {
        if !self.layer.is_const(ty) || entity.0 < self.layer.first_entity() {
            return;
        }
        let is_int = match self.layer.kind(ty) {
            TypeKind::Atomic(atomic, _) => atomic.is_int() || *atomic == Atomic::Bool,
            TypeKind::Enum(..) => true,
            _ => false,
        };
        let found = if is_int { constant::value(self.source, self.layer, value) } else { None };
        let data = self.layer.entity_mut(entity);
        (data.value, data.is_constant) = (found, true);
    }
}

/// The token of the name of a declarator.
pub(crate) fn name_of(source: &dyn Source, declarator: usize) -> Option<u32> {
    let data = source.node(declarator);
    let children = source.children(declarator);
    if let Some(inner) = children.iter().find(|child| source.node(**child).kind == NodeKind::Declarator) {
        return name_of(source, *inner);
    }
    let prefixes = children
        .iter()
        .take_while(|child| matches!(source.node(**child).kind, NodeKind::Pointer | NodeKind::Reference));
    let at = prefixes.last().map_or(data.first, |last| source.node(*last).end);
    (at < data.end && source.kind(at) == Kind::Name).then_some(at)
}

fn atomic(kind: Kind) -> Option<Atomic> {
    Some(match kind {
        Kind::Void => Atomic::Void,
        Kind::Bool => Atomic::Bool,
        Kind::Int8 => Atomic::Int8,
        Kind::Uint8 => Atomic::Uint8,
        Kind::Int16 => Atomic::Int16,
        Kind::Uint16 => Atomic::Uint16,
        Kind::Int => Atomic::Int32,
        Kind::Uint => Atomic::Uint32,
        Kind::Float16 => Atomic::Float16,
        Kind::Float => Atomic::Float,
        Kind::Int64 => Atomic::Int64,
        Kind::Uint64 => Atomic::Uint64,
        Kind::Double => Atomic::Double,
        _ => return None,
    })
}
