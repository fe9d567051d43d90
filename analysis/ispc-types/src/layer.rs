//! Declarations with their types, in layers.
//!
//! The library, the headers of a unit, the rest of a unit, and the body of a function stand on each other: each *layer* has what it
//! declares and the types that it made, and reads on in the one in front. Numbers go on from layer to layer, so they mean the same in all
//! that stand on one. Only declarations outside of bodies are in a unit's layer, so an edit inside of a body leaves that layer equal,
//! and with it the types of all other bodies.

use std::sync::Arc;

use ispc::names::DeclKind;
use rustc_hash::FxHashMap;

use crate::ty::{Atomic, Count, Lanes, Ty, Type, TypeKind};

/// The most types that may be made of each other: of more nothing is known.
const DEEPEST: u8 = 60;

/// A declaration's number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Entity(pub u32);

/// A declaration with its type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EntityData {
    /// Its kind.
    pub kind: DeclKind,
    /// The name.
    pub name: Arc<str>,
    /// The type; of a function that of its kind.
    pub ty: Ty,
    /// The value of an enumerator, or of a constant.
    pub value: Option<i128>,
    /// True if it is `const` and has a value that is known when it is compiled.
    pub is_constant: bool,
    /// The struct whose member, or the enumeration whose value it is.
    pub within: Option<Entity>,
    /// All about a function.
    pub function: Option<Arc<FunctionData>>,
}

/// A function, beside its type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FunctionData {
    /// The parameters: their names, and true for those that have a value of their own.
    pub params: Vec<(Arc<str>, bool)>,
    /// The parameters of its template.
    pub template: Vec<Entity>,
    /// True if it is `task`.
    pub is_task: bool,
    /// True for a specialization or instantiation of a template, which is found by that one.
    pub is_instance: bool,
}

/// A member of a struct.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Member {
    /// Its declaration.
    pub entity: Entity,
    /// The name.
    pub name: Arc<str>,
    /// The type, unbound where nothing is written.
    pub ty: Ty,
}

/// A layer.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Layer {
    front: Option<Arc<Layer>>,
    first_entity: u32,
    first_type: u32,
    entities: Vec<EntityData>,
    types: Vec<Type>,
    depths: Vec<u8>,
    numbers: FxHashMap<Type, Ty>,
    is_body: bool,
    names: FxHashMap<Arc<str>, Vec<Entity>>,
    members: FxHashMap<Entity, Arc<[Member]>>,
    /// In the body of a template's instance, what it was made with.
    bound: Vec<(Entity, Bound)>,
}

impl Layer {
    /// A layer with nothing in front.
    pub(crate) fn first() -> Layer {
        let mut layer = Layer::default();
        layer.make(TypeKind::Unknown);
        layer
    }

    /// A layer for the body of a function.
    pub(crate) fn of_body(front: Arc<Layer>) -> Layer {
        Layer { is_body: true, ..Layer::on(front) }
    }

    /// The argument that an instance of a template has for a parameter.
    pub(crate) fn argument_of(&self, param: Entity) -> Option<Bound> {
        self.bound.iter().find(|(of, _)| *of == param).map(|(_, bound)| *bound)
    }

    /// The value of a constant, or of a parameter of a template in one of its instances.
    pub fn value(&self, entity: Entity) -> Option<i128> {
        match self.argument_of(entity) {
            Some(Bound::Value(value)) => Some(value),
            _ => self.entity(entity).value,
        }
    }

    /// Makes it the layer of an instance of a template. The arguments' types are of another layer on the same front.
    pub(crate) fn bind_arguments(&mut self, from: &Layer, arguments: &[(Entity, Bound)]) {
        for (param, bound) in arguments {
            let bound = match *bound {
                Bound::Type(ty) => Bound::Type(self.import(from, ty)),
                value => value,
            };
            self.bound.push((*param, bound));
        }
    }

    /// Puts a template's arguments in the place of its parameters, in the layer of one of its instances.
    pub(crate) fn instance_of(&mut self, ty: Ty) -> Ty {
        if self.bound.is_empty() {
            return ty;
        }
        let bound = self.bound.clone();
        let ty = self.substitute(ty, &bound);
        self.bind(ty, Lanes::Varying)
    }

    /// The number here of a type of another layer on the same front.
    pub fn import(&mut self, from: &Layer, ty: Ty) -> Ty {
        if ty == Ty::NONE || ty.0 < self.first_type {
            return ty;
        }
        let Type { kind, is_const } = from.get(ty).clone();
        let kind = match kind {
            TypeKind::Pointer(of, lanes) => TypeKind::Pointer(self.import(from, of), lanes),
            TypeKind::Reference(of) => TypeKind::Reference(self.import(from, of)),
            TypeKind::Array(of, count) => TypeKind::Array(self.import(from, of), count),
            TypeKind::Vector(of, count) => TypeKind::Vector(self.import(from, of), count),
            TypeKind::Function(gives, takes) => {
                let takes = takes.iter().map(|ty| self.import(from, *ty)).collect();
                TypeKind::Function(self.import(from, gives), takes)
            }
            kind => kind,
        };
        self.intern(Type { kind, is_const })
    }

    /// An empty layer on another one.
    pub fn on(front: Arc<Layer>) -> Layer {
        let (first_entity, first_type) = (front.n_entities(), front.n_types());
        Layer { front: Some(front), first_entity, first_type, ..Layer::default() }
    }

    /// The number of declarations up to here.
    pub fn n_entities(&self) -> u32 {
        self.first_entity + self.entities.len() as u32
    }

    fn n_types(&self) -> u32 {
        self.first_type + self.types.len() as u32
    }

    /// The number of the first declaration of this layer itself.
    pub fn first_entity(&self) -> u32 {
        self.first_entity
    }

    /// A declaration.
    pub fn entity(&self, entity: Entity) -> &EntityData {
        match entity.0.checked_sub(self.first_entity) {
            Some(index) => &self.entities[index as usize],
            None => self.front.as_ref().expect("a layer in front has it").entity(entity),
        }
    }

    /// A declaration of this layer itself.
    pub(crate) fn entity_mut(&mut self, entity: Entity) -> &mut EntityData {
        &mut self.entities[(entity.0 - self.first_entity) as usize]
    }

    pub(crate) fn declare(&mut self, data: EntityData) -> Entity {
        let entity = Entity(self.n_entities());
        if !matches!(data.kind, DeclKind::Field | DeclKind::Param | DeclKind::TemplateParam | DeclKind::Label) {
            self.names.entry(data.name.clone()).or_default().push(entity);
        }
        self.entities.push(data);
        entity
    }

    /// The declarations of a name outside of bodies, in order.
    pub fn named(&self, name: &str) -> Vec<Entity> {
        let mut found = self.front.as_ref().map_or_else(Vec::new, |front| front.named(name));
        found.extend(self.names.get(name).into_iter().flatten());
        found
    }

    /// All names that are declared outside of bodies.
    pub fn all_names(&self) -> Vec<&Arc<str>> {
        let mut all = self.front.as_ref().map_or_else(Vec::new, |front| front.all_names());
        all.extend(self.names.keys());
        all
    }

    /// The first declaration of a struct's or enumeration's name: all others are the same one.
    pub(crate) fn canonical(&self, entity: Entity) -> Entity {
        if self.is_body && entity.0 >= self.first_entity {
            return entity;
        }
        let data = self.entity(entity);
        let same = self.named(&data.name);
        same.into_iter().find(|it| self.entity(*it).kind == data.kind).unwrap_or(entity)
    }

    /// The members of a struct, if it is defined.
    pub fn members(&self, of: Entity) -> Option<&Arc<[Member]>> {
        self.members.get(&of).or_else(|| self.front.as_ref()?.members(of))
    }

    pub(crate) fn set_members(&mut self, of: Entity, members: Vec<Member>) {
        self.members.insert(of, members.into());
    }

    /// A type.
    pub fn get(&self, ty: Ty) -> &Type {
        const UNKNOWN: &Type = &Type { kind: TypeKind::Unknown, is_const: false };
        match ty.0.checked_sub(self.first_type) {
            Some(index) => self.types.get(index as usize).unwrap_or(UNKNOWN),
            None => self.front.as_ref().map_or(UNKNOWN, |front| front.get(ty)),
        }
    }

    /// The parts of a type.
    pub fn kind(&self, ty: Ty) -> &TypeKind {
        &self.get(ty).kind
    }

    fn depth(&self, ty: Ty) -> u8 {
        match ty.0.checked_sub(self.first_type) {
            Some(index) => self.depths.get(index as usize).copied().unwrap_or_default(),
            None => self.front.as_ref().map_or(0, |front| front.depth(ty)),
        }
    }

    fn number(&self, of: &Type) -> Option<Ty> {
        self.numbers.get(of).copied().or_else(|| self.front.as_ref()?.number(of))
    }

    /// The number of a type.
    pub fn intern(&mut self, of: Type) -> Ty {
        if let Some(ty) = self.number(&of) {
            return ty;
        }
        let parts = |ty: Ty| self.depth(ty);
        let depth = 1 + match &of.kind {
            TypeKind::Pointer(of, _) | TypeKind::Reference(of) => parts(*of),
            TypeKind::Array(of, _) | TypeKind::Vector(of, _) => parts(*of),
            TypeKind::Function(gives, takes) => takes.iter().fold(parts(*gives), |depth, ty| depth.max(parts(*ty))),
            _ => 0,
        };
        if depth > DEEPEST {
            return Ty::UNKNOWN;
        }
        let ty = Ty(self.n_types());
        self.types.push(of.clone());
        self.depths.push(depth);
        self.numbers.insert(of, ty);
        ty
    }

    pub(crate) fn make(&mut self, kind: TypeKind) -> Ty {
        self.intern(Type { kind, is_const: false })
    }

    pub(crate) fn atomic(&mut self, atomic: Atomic, lanes: Lanes) -> Ty {
        self.make(TypeKind::Atomic(atomic, lanes))
    }

    pub(crate) fn pointer(&mut self, to: Ty, lanes: Lanes) -> Ty {
        if to.is_known() { self.make(TypeKind::Pointer(to, lanes)) } else { Ty::UNKNOWN }
    }

    // Parts and variants of types.

    /// The type without its reference.
    pub fn target(&self, ty: Ty) -> Ty {
        match self.kind(ty) {
            TypeKind::Reference(to) => *to,
            _ => ty,
        }
    }

    /// Returns true for a type of which nothing can be said: unknown, or with a part that is or that a template takes.
    pub fn is_open(&self, ty: Ty) -> bool {
        match self.kind(ty) {
            TypeKind::Unknown | TypeKind::Param(..) => true,
            TypeKind::Pointer(to, _) | TypeKind::Reference(to) => self.is_open(*to),
            TypeKind::Array(to, count) | TypeKind::Vector(to, count) => {
                matches!(count, Count::Unknown | Count::Of(_)) || self.is_open(*to)
            }
            TypeKind::Function(gives, takes) => self.is_open(*gives) || takes.iter().any(|ty| self.is_open(*ty)),
            _ => false,
        }
    }

    /// The variability of a type's outermost level that has one.
    pub fn lanes(&self, ty: Ty) -> Option<Lanes> {
        match self.kind(ty) {
            TypeKind::Atomic(Atomic::Void, _) | TypeKind::Unknown | TypeKind::Function(..) => None,
            TypeKind::Atomic(_, lanes)
            | TypeKind::Enum(_, lanes)
            | TypeKind::Pointer(_, lanes)
            | TypeKind::Struct(_, lanes)
            | TypeKind::Param(_, lanes) => Some(*lanes),
            TypeKind::Reference(of) | TypeKind::Array(of, _) | TypeKind::Vector(of, _) => self.lanes(*of),
        }
    }

    /// Returns true if each lane has a value of its own.
    pub fn is_varying(&self, ty: Ty) -> bool {
        self.lanes(ty) == Some(Lanes::Varying)
    }

    /// Returns true if all lanes have one value.
    pub fn is_uniform(&self, ty: Ty) -> bool {
        self.lanes(ty) == Some(Lanes::Uniform)
    }

    /// Returns true for what cannot be set.
    pub fn is_const(&self, ty: Ty) -> bool {
        match self.get(ty) {
            Type { is_const: true, .. } => true,
            Type { kind: TypeKind::Reference(of) | TypeKind::Array(of, _) | TypeKind::Vector(of, _), .. } => {
                self.is_const(*of)
            }
            _ => false,
        }
    }

    /// The type with another variability of its outermost level.
    pub(crate) fn with_lanes(&mut self, ty: Ty, lanes: Lanes) -> Ty {
        let Type { kind, is_const } = self.get(ty).clone();
        let kind = match kind {
            TypeKind::Atomic(Atomic::Void, _) | TypeKind::Unknown | TypeKind::Function(..) => return ty,
            TypeKind::Atomic(atomic, _) => TypeKind::Atomic(atomic, lanes),
            TypeKind::Enum(of, _) => TypeKind::Enum(of, lanes),
            TypeKind::Pointer(to, _) => TypeKind::Pointer(to, lanes),
            TypeKind::Struct(of, _) => TypeKind::Struct(of, lanes),
            TypeKind::Param(of, _) => TypeKind::Param(of, lanes),
            TypeKind::Reference(of) => TypeKind::Reference(self.with_lanes(of, lanes)),
            TypeKind::Array(of, count) => TypeKind::Array(self.with_lanes(of, lanes), count),
            TypeKind::Vector(of, count) => TypeKind::Vector(self.with_lanes(of, lanes), count),
        };
        self.intern(Type { kind, is_const })
    }

    /// The type with what is unbound bound; what a pointer points to is uniform then.
    pub(crate) fn bind(&mut self, ty: Ty, lanes: Lanes) -> Ty {
        let Type { kind, is_const } = self.get(ty).clone();
        let bound = |own: Lanes| if own == Lanes::Unbound { lanes } else { own };
        let kind = match kind {
            TypeKind::Unknown | TypeKind::Atomic(Atomic::Void, _) => return ty,
            TypeKind::Atomic(atomic, own) => TypeKind::Atomic(atomic, bound(own)),
            TypeKind::Enum(of, own) => TypeKind::Enum(of, bound(own)),
            TypeKind::Struct(of, own) => TypeKind::Struct(of, bound(own)),
            TypeKind::Param(of, own) => TypeKind::Param(of, own),
            TypeKind::Pointer(to, own) => TypeKind::Pointer(self.bind(to, Lanes::Uniform), bound(own)),
            TypeKind::Reference(of) => TypeKind::Reference(self.bind(of, lanes)),
            TypeKind::Array(of, count) => TypeKind::Array(self.bind(of, lanes), count),
            TypeKind::Vector(of, count) => TypeKind::Vector(self.bind(of, lanes), count),
            TypeKind::Function(gives, takes) => {
                let takes = takes.iter().map(|ty| self.bind(*ty, lanes)).collect();
                TypeKind::Function(self.bind(gives, lanes), takes)
            }
        };
        self.intern(Type { kind, is_const })
    }

    /// The type, constant or not.
    pub(crate) fn with_const(&mut self, ty: Ty, is_const: bool) -> Ty {
        let Type { kind, is_const: own } = self.get(ty).clone();
        match kind {
            TypeKind::Unknown => ty,
            TypeKind::Array(of, count) => {
                let of = self.with_const(of, is_const);
                self.make(TypeKind::Array(of, count))
            }
            TypeKind::Vector(of, count) => {
                let of = self.with_const(of, is_const);
                self.make(TypeKind::Vector(of, count))
            }
            TypeKind::Reference(of) => {
                let of = self.with_const(of, is_const);
                self.make(TypeKind::Reference(of))
            }
            _ if own == is_const => ty,
            kind => self.intern(Type { kind, is_const }),
        }
    }

    /// The type without `const` on any level that counts for [`Layer::is_alike`].
    fn plain(&mut self, ty: Ty) -> Ty {
        let kind = match self.kind(ty).clone() {
            TypeKind::Pointer(to, lanes) => TypeKind::Pointer(self.plain(to), lanes),
            TypeKind::Reference(of) => TypeKind::Reference(self.plain(of)),
            TypeKind::Array(of, count) => TypeKind::Array(self.plain(of), count),
            TypeKind::Vector(of, count) => TypeKind::Vector(self.plain(of), count),
            kind => kind,
        };
        self.make(kind)
    }

    /// Returns true if two types differ in `const` alone, if at all.
    pub(crate) fn is_alike(&mut self, one: Ty, other: Ty) -> bool {
        if one == other {
            return true;
        }
        match (self.kind(one), self.kind(other)) {
            (TypeKind::Pointer(..), TypeKind::Pointer(..))
            | (TypeKind::Reference(_), TypeKind::Reference(_))
            | (TypeKind::Array(..), TypeKind::Array(..))
            | (TypeKind::Vector(..), TypeKind::Vector(..)) => self.plain(one) == self.plain(other),
            (kind, other) => kind == other,
        }
    }

    /// Puts types in the place of a template's parameters.
    pub(crate) fn substitute(&mut self, ty: Ty, with: &[(Entity, Bound)]) -> Ty {
        let Type { kind, is_const } = self.get(ty).clone();
        let kind = match kind {
            TypeKind::Param(of, lanes) => {
                let found = with.iter().find(|(param, _)| *param == of).map(|(_, bound)| *bound);
                let Some(Bound::Type(found)) = found else { return Ty::UNKNOWN };
                let found = if lanes == Lanes::Unbound { found } else { self.with_lanes(found, lanes) };
                return if is_const { self.with_const(found, true) } else { found };
            }
            TypeKind::Pointer(to, lanes) => match self.substitute(to, with) {
                Ty::UNKNOWN => return Ty::UNKNOWN,
                to => TypeKind::Pointer(self.bind(to, Lanes::Uniform), lanes),
            },
            TypeKind::Reference(of) => match self.substitute(of, with) {
                Ty::UNKNOWN => return Ty::UNKNOWN,
                of => TypeKind::Reference(of),
            },
            TypeKind::Array(of, count) => TypeKind::Array(self.substitute(of, with), count),
            TypeKind::Vector(of, Count::Of(param)) => {
                let count = with.iter().find_map(|(of, bound)| match bound {
                    Bound::Value(value) if *of == param => u64::try_from(*value).ok(),
                    _ => None,
                });
                TypeKind::Vector(self.substitute(of, with), count.map_or(Count::Unknown, Count::Known))
            }
            TypeKind::Vector(of, count) => TypeKind::Vector(self.substitute(of, with), count),
            TypeKind::Function(gives, takes) => {
                let takes = takes.iter().map(|ty| self.substitute(*ty, with)).collect();
                TypeKind::Function(self.substitute(gives, with), takes)
            }
            _ => return ty,
        };
        self.intern(Type { kind, is_const })
    }

    /// A type, as ispc's users write it.
    pub fn show(&self, ty: Ty) -> String {
        let Type { kind, is_const } = self.get(ty);
        let mut text = String::new();
        let lanes_word = |lanes: &Lanes| match lanes {
            Lanes::Uniform => "uniform ".to_owned(),
            Lanes::Varying => "varying ".to_owned(),
            Lanes::Unbound => String::new(),
            Lanes::Soa(width) => format!("soa<{width}> "),
        };
        if *is_const && !matches!(kind, TypeKind::Pointer(..)) {
            text += "const ";
        }
        match kind {
            TypeKind::Unknown => text += "{unknown}",
            TypeKind::Atomic(Atomic::Void, _) => text += "void",
            TypeKind::Atomic(atomic, lanes) => text += &(lanes_word(lanes) + atomic.word()),
            TypeKind::Enum(of, lanes) | TypeKind::Struct(of, lanes) | TypeKind::Param(of, lanes) => {
                let name = match self.entity(*of) {
                    EntityData { kind: DeclKind::Field, .. } => "struct { … }",
                    data if data.name.is_empty() => "enum { … }",
                    data => &data.name,
                };
                text += &(lanes_word(lanes) + name);
            }
            TypeKind::Pointer(to, lanes) => {
                text += &self.show(*to);
                text += if matches!(self.kind(*to), TypeKind::Function(..)) { " (*)" } else { " *" };
                if *is_const {
                    text += " const";
                }
                if *lanes != Lanes::Unbound {
                    text = format!("{text} {}", lanes_word(lanes).trim_end());
                }
            }
            TypeKind::Reference(of) => text += &format!("{} &", self.show(*of)),
            TypeKind::Array(of, _) => {
                // The outermost dimension is written first.
                let (mut element, mut counts) = (*of, String::new());
                let mut count_of = |count: &Count| match count {
                    Count::Known(count) => counts += &format!("[{count}]"),
                    Count::Unsized => counts += "[]",
                    Count::Of(_) | Count::Unknown => counts += "[…]",
                };
                if let TypeKind::Array(_, count) = kind {
                    count_of(count);
                }
                while let TypeKind::Array(of, count) = self.kind(element) {
                    count_of(count);
                    element = *of;
                }
                text += &(self.show(element) + &counts);
            }
            TypeKind::Vector(of, count) => {
                text += &self.show(*of);
                text += &match count {
                    Count::Known(count) => format!("<{count}>"),
                    Count::Of(param) => format!("<{}>", self.entity(*param).name),
                    _ => "<…>".to_owned(),
                };
            }
            TypeKind::Function(gives, takes) => {
                let takes: Vec<_> = takes.iter().map(|ty| self.show(*ty)).collect();
                text += &format!("{}({})", self.show(*gives), takes.join(", "));
            }
        }
        text
    }
}

/// The argument of a template.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Bound {
    /// A type.
    Type(Ty),
    /// A number.
    Value(i128),
}

impl Layer {
    /// The layer without what only serves to make more types.
    pub(crate) fn sealed(mut self) -> Layer {
        self.numbers = FxHashMap::default();
        self.names = FxHashMap::default();
        self.types.shrink_to_fit();
        self.entities.shrink_to_fit();
        self
    }
}
