//! The declarations of a unit outside of bodies, and where its bodies are.

use std::sync::{Arc, LazyLock};

use ispc::kinds::Kind;
use ispc::names::DeclKind;
use ispc::tree::NodeKind;
use ispc::unit::Unit;

use crate::declare::{Declarer, Specified};
use crate::layer::{Entity, EntityData, Layer};
use crate::library::library;
use crate::source::{BodyPlace, Source, UnitSource};
use crate::ty::{Lanes, Ty};

/// All declarations of a unit outside of bodies.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnitTypes {
    /// Their types.
    pub layer: Arc<Layer>,
    /// For each declaration of the unit its number, `u32::MAX` for those inside of bodies.
    pub entities: Arc<Vec<u32>>,
    /// The functions with a body that this layer itself has, in order.
    pub bodies: Vec<BodyPlace>,
    /// Its declarations outside of functions in which something can be wrong, in order: of variables with values or lengths, and of functions
    /// that C has. They are typed as functions are.
    pub checked: Vec<BodyPlace>,
}

impl UnitTypes {
    /// The number of a declaration outside of bodies.
    pub fn entity(&self, decl: u32) -> Option<Entity> {
        self.entities.get(decl as usize).filter(|entity| **entity != u32::MAX).map(|entity| Entity(*entity))
    }

    /// The declaration of a number; none for those of the library.
    pub fn decl(&self, entity: Entity) -> Option<u32> {
        self.entities.iter().position(|it| *it == entity.0).map(|decl| decl as u32)
    }
}

/// The declarations of the library.
pub fn library_types() -> &'static UnitTypes {
    static TYPES: LazyLock<UnitTypes> = LazyLock::new(|| read(&library().unit, Layer::first(), &[], 0, 0));
    &TYPES
}

/// The declarations of a unit. Those of its front, if there is one, are in a layer already: of so many declarations and nodes.
pub fn declarations(unit: &Unit, front: Option<&UnitTypes>) -> UnitTypes {
    match front {
        Some(front) => {
            let layer = Layer::on(front.layer.clone());
            read(unit, layer, &front.entities, front.entities.len(), unit.tree.nodes.n_shared())
        }
        None => read(unit, Layer::on(library_types().layer.clone()), &[], 0, 0),
    }
}

fn read(unit: &Unit, mut layer: Layer, front: &[u32], first_decl: usize, first_node: usize) -> UnitTypes {
    let mut source = UnitSource::new(unit, front, first_decl);
    let items = items(unit, first_node);
    let (bodies, checked) = number(unit, &items, &mut source, &mut layer);
    let mut reader = Reader { declarer: Declarer { source: &source, layer: &mut layer } };
    for item in items {
        reader.item(item, &[], false);
    }
    UnitTypes { layer: Arc::new(layer), entities: Arc::new(source.entities), bodies, checked }
}

/// The items of a unit from a node on.
fn items(unit: &Unit, first_node: usize) -> Vec<usize> {
    let nodes = &unit.tree.nodes;
    let mut end = nodes.len();
    if end > 0 && nodes[end - 1].kind == NodeKind::Unit {
        end -= 1;
    }
    let mut items = Vec::new();
    while end > first_node {
        items.push(end - 1);
        end = nodes[end - 1].descendants as usize;
    }
    items.reverse();
    items
}

/// An item that is a function or a declaration of others.
struct FoundItem {
    node: usize,
    is_template: bool,
    is_of_c: bool,
}

/// Numbers the declarations outside of bodies, and finds the bodies and the declarations that are looked at.
fn number(
    unit: &Unit,
    items: &[usize],
    source: &mut UnitSource<'_>,
    layer: &mut Layer,
) -> (Vec<BodyPlace>, Vec<BodyPlace>) {
    let mut found: Vec<FoundItem> = Vec::new();
    for item in items {
        find_items(source, *item, false, false, &mut found);
    }
    let mut found = found.into_iter().peekable();
    let (mut bodies, mut checked): (Vec<BodyPlace>, Vec<BodyPlace>) = (Vec::new(), Vec::new());
    let mut inside: Option<BodyPlace> = None;
    let own: Vec<_> = source.own().collect();
    for (decl, data) in own {
        if let Some(body) = &mut inside {
            // A function's own declarations follow it up to its end.
            if data.token < unit.tree.nodes[body.node].end {
                body.decls.end = decl + 1;
                continue;
            }
            bodies.extend(inside.take());
        }
        let entity = layer.declare(EntityData {
            kind: data.kind,
            name: unit.interner.text(data.name).into(),
            ty: Ty::UNKNOWN,
            value: None,
            is_constant: false,
            within: None,
            function: None,
        });
        source.entities[decl as usize] = entity.0;
        while found.next_if(|item| unit.tree.nodes[item.node].end <= data.token).is_some() {}
        let Some(item) = found.peek() else { continue };
        if !unit.tree.tokens(item.node).contains(&data.token) {
            continue;
        }
        let is_function = data.kind == DeclKind::Function;
        let FoundItem { node, is_template, is_of_c } = *item;
        let place =
            BodyPlace { node, decl, entity, decls: decl + 1..decl + 1, is_template, is_of_c, outer: decl..decl + 1 };
        match unit.tree.nodes[node].kind {
            NodeKind::Function if is_function && data.is_definition => {
                found.next();
                inside = Some(BodyPlace { outer: decl..decl, ..place });
            }
            NodeKind::Declaration => match checked.last_mut().filter(|last| last.node == node) {
                // What is declared last sees all in front of it.
                Some(last) => {
                    last.outer.end = decl + 1;
                    if matches!(data.kind, DeclKind::Function | DeclKind::Global) {
                        (last.decl, last.entity, last.decls) = (decl, entity, decl + 1..decl + 1);
                    }
                }
                None if is_worth_a_look(source, node, is_of_c) => checked.push(place),
                None => {}
            },
            _ => {}
        }
    }
    bodies.extend(inside);
    (bodies, checked)
}

/// Returns true for a declaration in which something can be wrong beside its types.
fn is_worth_a_look(source: &dyn Source, item: usize, is_of_c: bool) -> bool {
    let is_of_c = is_of_c || source.kind(source.node(item).first) == Kind::Export;
    source.children(item).into_iter().any(|node| {
        let parts = source.children(node);
        let has_parts = |declarator: &usize| {
            let kinds = source.children(*declarator).into_iter().map(|part| source.node(part).kind);
            kinds.into_iter().any(|kind| kind == NodeKind::ArrayPart || is_of_c && kind == NodeKind::Params)
        };
        source.node(node).kind == NodeKind::InitDeclarator && (parts.len() > 1 || parts.iter().any(has_parts))
    })
}

fn find_items(source: &dyn Source, item: usize, is_template: bool, is_of_c: bool, found: &mut Vec<FoundItem>) {
    let data = source.node(item);
    let says_c = |token: u32| source.kind(token) == Kind::Extern && source.kind(token + 1) == Kind::Str;
    match data.kind {
        NodeKind::Function | NodeKind::Declaration => {
            let specifiers = source.child(item, NodeKind::Specifiers).map(|node| source.node(node));
            let is_of_c = is_of_c || specifiers.is_some_and(|it| (data.first..it.end).any(says_c));
            found.push(FoundItem { node: item, is_template, is_of_c });
        }
        kind @ (NodeKind::LinkageBlock | NodeKind::Template | NodeKind::Specialization) => {
            let is_template = is_template || kind == NodeKind::Template;
            let is_of_c = is_of_c || kind == NodeKind::LinkageBlock && says_c(data.first);
            for child in source.children(item) {
                find_items(source, child, is_template, is_of_c, found);
            }
        }
        _ => {}
    }
}

struct Reader<'a> {
    declarer: Declarer<'a>,
}

impl Reader<'_> {
    fn item(&mut self, item: usize, template: &[Entity], is_instance: bool) {
        let source = self.declarer.source;
        match source.node(item).kind {
            NodeKind::LinkageBlock => {
                for child in source.children(item) {
                    self.item(child, template, is_instance);
                }
            }
            NodeKind::Template => {
                let mut params = Vec::new();
                for child in source.children(item) {
                    match source.node(child).kind {
                        NodeKind::TemplateParam => params.extend(self.template_param(child)),
                        _ => self.item(child, &params, is_instance),
                    }
                }
            }
            NodeKind::Specialization | NodeKind::Instantiation => {
                for child in source.children(item) {
                    self.item(child, template, true);
                }
            }
            NodeKind::Function | NodeKind::Declaration => self.declaration(item, template, is_instance),
            _ => {}
        }
    }

    fn template_param(&mut self, node: usize) -> Option<Entity> {
        let source = self.declarer.source;
        let data = source.node(node);
        let token = (data.first..data.end).rev().find(|token| source.declared(*token).is_some())?;
        let entity = source.declared(token)?;
        if let Some(specifiers) = source.child(node, NodeKind::Specifiers) {
            let ty = self.declarer.specifiers(specifiers).ty;
            let ty = self.declarer.layer.with_lanes(ty, Lanes::Uniform);
            let ty = self.declarer.layer.with_const(ty, true);
            self.declarer.set(entity, ty);
        }
        Some(entity)
    }

    fn declaration(&mut self, item: usize, template: &[Entity], is_instance: bool) {
        let source = self.declarer.source;
        let mut specified = Specified { ty: Ty::UNKNOWN, is_typedef: false, is_task: false };
        for child in source.children(item) {
            match source.node(child).kind {
                NodeKind::Specifiers => specified = self.declarer.specifiers(child),
                NodeKind::Declarator => {
                    self.declarer.declaration(specified, Some(child), template, is_instance);
                }
                NodeKind::InitDeclarator => {
                    let parts = source.children(child);
                    let declarator = parts.first().copied();
                    let declared = self.declarer.declaration(specified, declarator, template, is_instance);
                    if let (Some((entity, ty)), Some(value)) = (declared, parts.get(1)) {
                        self.declarer.constant(entity, ty, *value);
                    }
                }
                _ => {}
            }
        }
    }
}
