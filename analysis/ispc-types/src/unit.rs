//! The declarations of a unit outside of bodies, and where its bodies are.

use std::sync::{Arc, LazyLock};

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
    let bodies = number(unit, &items, &mut source, &mut layer);
    let mut reader = Reader { declarer: Declarer { source: &source, layer: &mut layer } };
    for item in items {
        reader.item(item, &[], false);
    }
    UnitTypes { layer: Arc::new(layer), entities: Arc::new(source.entities), bodies }
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

/// Numbers the declarations outside of bodies, and finds the bodies.
fn number(unit: &Unit, items: &[usize], source: &mut UnitSource<'_>, layer: &mut Layer) -> Vec<BodyPlace> {
    let mut functions: Vec<(usize, bool)> = Vec::new();
    for item in items {
        find_functions(source, *item, false, &mut functions);
    }
    let mut functions = functions.into_iter().peekable();
    let mut bodies = Vec::new();
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
        while functions.next_if(|(node, _)| unit.tree.nodes[*node].end <= data.token).is_some() {}
        let is_function = data.kind == DeclKind::Function && data.is_definition;
        if let Some((node, is_template)) =
            functions.next_if(|(node, _)| is_function && unit.tree.tokens(*node).contains(&data.token))
        {
            inside = Some(BodyPlace { node, decl, entity, decls: decl + 1..decl + 1, is_template });
        }
    }
    bodies.extend(inside);
    bodies
}

fn find_functions(source: &dyn Source, item: usize, is_template: bool, found: &mut Vec<(usize, bool)>) {
    match source.node(item).kind {
        NodeKind::Function => found.push((item, is_template)),
        kind @ (NodeKind::LinkageBlock | NodeKind::Template | NodeKind::Specialization) => {
            let is_template = is_template || kind == NodeKind::Template;
            for child in source.children(item) {
                find_functions(source, child, is_template, found);
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
