//! Functions that can be run from outside: their parameters in words of memory.

use std::sync::Arc;

use ispc::kinds::Kind;
use ispc::unit::{FileId, Unit};
use ispc_ir::types::{GangType, NumberType};
use ispc_types::layer::Entity;
use ispc_types::source::BodyPlace;
use ispc_types::ty::{Lanes, TypeKind};
use ispc_types::unit::UnitTypes;
use ispc_types::{naming, symbols};

use crate::data::{DataForm, DataReader, NumberCells};
use crate::program::{is_of_c, specifiers};

/// A function that can be run.
#[derive(Clone, Debug)]
pub struct EntryFunction {
    /// The name.
    pub name: Arc<str>,
    /// The name with the types that it takes, which no overload shares.
    pub with_types: String,
    /// Its declaration.
    pub entity: Entity,
    /// Its number in the program.
    pub function: usize,
    /// True for one that other programs call, too.
    pub is_exported: bool,
    /// The parameters.
    pub params: Vec<EntryParam>,
}

impl EntryFunction {
    /// Returns true if a name means it: its own, or that with the types which it takes.
    pub fn is_meant(&self, name: &str) -> bool {
        *self.name == *name || naming::is_same(&self.with_types, name)
    }
}

/// A parameter.
#[derive(Clone, Debug)]
pub struct EntryParam {
    /// The name.
    pub name: Arc<str>,
    /// What it takes.
    pub form: EntryForm,
}

/// What a parameter takes.
#[derive(Clone, Debug)]
pub enum EntryForm {
    /// A number, or one a lane.
    Number(GangType),
    /// The address of elements.
    Elements(ElementForm),
    /// What cannot be described from outside: its type.
    Other(String),
}

/// The numbers of an element in memory.
#[derive(Clone, Debug)]
pub struct ElementForm {
    /// The size, in bytes.
    pub size: u64,
    /// Where each number stands, and its type; of a varying one each lane's.
    pub numbers: Vec<(u64, NumberType)>,
}

/// The function of a body.
pub(crate) fn entry(unit: &Unit, types: &UnitTypes, lanes: u32, body: &BodyPlace, function: usize) -> EntryFunction {
    let reader = DataReader { layer: &types.layer, lanes: lanes.into() };
    let data = types.layer.entity(body.entity);
    let mut params = Vec::new();
    if let (TypeKind::Function(_, takes), Some(function)) = (types.layer.kind(data.ty), &data.function) {
        for (ty, (name, _)) in takes.iter().zip(&function.params) {
            let form = form(&reader, *ty).unwrap_or_else(|| EntryForm::Other(types.layer.show(*ty)));
            params.push(EntryParam { name: name.clone(), form });
        }
    }
    let is_exported = is_exported(unit, body);
    let with_types = naming::with_types(&types.layer, body.entity);
    EntryFunction { name: data.name.clone(), with_types, entity: body.entity, function, is_exported, params }
}

/// The functions of a unit that other programs call: those with `export`, and those of C that have a body here.
pub fn exported(unit: &Unit, types: &UnitTypes) -> Vec<(Arc<str>, Entity)> {
    let bodies = types.bodies.iter().filter(|body| !body.is_template && is_exported(unit, body));
    bodies.map(|body| (types.layer.entity(body.entity).name.clone(), body.entity)).collect()
}

/// The symbol by which functions of other files know a function; none if it is `static`, `inline`, of C, or a template.
pub fn symbol(unit: &Unit, types: &UnitTypes, function: Entity) -> Option<String> {
    let layer = &types.layer;
    let symbol = symbols::symbol(layer, function)?;
    let same = layer.named(&layer.entity(function).name).into_iter();
    let mut same = same.filter(|other| symbols::symbol(layer, *other).as_ref() == Some(&symbol));
    let is_private = same.any(|other| {
        let token = types.decl(other).map(|decl| unit.names.decls[decl as usize].token);
        let is_own = |kind: Kind| matches!(kind, Kind::Static | Kind::Inline);
        token.is_some_and(|token| {
            is_of_c(unit, token) || specifiers(unit, token).any(|token| is_own(unit.tokens[token as usize].kind))
        })
    });
    (!is_private).then_some(symbol)
}

/// Returns true for a function that stands in a source, and not in a header: that of a header belongs to each file that includes it.
pub fn is_of_sources(unit: &Unit, body: &BodyPlace) -> bool {
    is_of_source(unit, unit.names.decls[body.decl as usize].token)
}

pub(crate) fn is_of_source(unit: &Unit, token: u32) -> bool {
    let file = unit.place(&unit.tokens[token as usize]).file;
    file == FileId::MAIN || unit.path(file).ends_with(".ispc")
}

pub(crate) fn is_exported(unit: &Unit, body: &BodyPlace) -> bool {
    let token = unit.names.decls[body.decl as usize].token;
    is_of_c(unit, token) || specifiers(unit, token).any(|token| unit.tokens[token as usize].kind == Kind::Export)
}

fn form(reader: &DataReader<'_>, ty: ispc_types::ty::Ty) -> Option<EntryForm> {
    match &*reader.of(ty, Lanes::Varying).ok()? {
        DataForm::Number(number, cells) => {
            Some(EntryForm::Number(GangType { number: *number, is_varying: *cells == NumberCells::EachLane }))
        }
        DataForm::Pointer(to, NumberCells::One, None) => {
            let of = reader.of(*to, Lanes::Uniform).ok()?;
            let mut numbers = Vec::new();
            for at in reader.numbers(&of).ok()? {
                let n = match at.cells {
                    NumberCells::One => 1,
                    NumberCells::EachLane => reader.lanes,
                    NumberCells::Group(width) => width.into(),
                };
                if at.number == NumberType::Pointer {
                    return None;
                }
                numbers.extend((0..n).map(|nth| (at.offset + nth * at.number.bytes(), at.number)));
            }
            let size = reader.size(&of);
            (!numbers.is_empty()).then_some(EntryForm::Elements(ElementForm { size, numbers }))
        }
        _ => None,
    }
}
