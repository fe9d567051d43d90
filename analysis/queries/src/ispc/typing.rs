//! The types of ISPC's units: of declarations by unit, of what is inside of functions by function.
//!
//! | query | gives | runs again when |
//! |---|---|---|
//! | `front_types` | the declarations of a unit's front | a text in that changes |
//! | `unit_types` | all declarations, and where functions are | the unit is read anew |
//! | `declared_layer` | the declarations' types | one of these changes |
//! | `piece_of` | a function cut out of its unit | the unit is read anew; equal unless its text or what its names stand for changes |
//! | `body_types` | the types inside of a function | its piece or the layer changes |
//! | `own_of_front` | the front's functions that are the file's own | a text in the front changes |
//! | `checked_problems` | what is wrong in declarations outside of functions | the unit is read anew |
//!
//! An edit inside of a function leaves the layer and all other pieces equal, so that function alone is typed again.

use std::ops::Range;
use std::sync::Arc;

use ispc::problems::Problem;
use ispc::unit::{FileId, Unit};
use ispc_types::body::{BodyTypes, type_body};
use ispc_types::layer::{Entity, Layer};
use ispc_types::source::{BodyPlace, Piece};
use ispc_types::ty::Ty;
use ispc_types::unit::{UnitTypes, declarations};
use ispc_types::whole;

use super::{Reading, config, prefix, unit, unit_by};
use crate::db::File;

pub use ispc_types::{
    body, findings, layer as layers, library, naming, overload, source as pieces, ty, unit as declared, whole as wholes,
};

/// The declarations of the front of a unit.
#[salsa::tracked(no_eq, lru = 16)]
fn front_types<'db>(db: &'db dyn salsa::Database, file: File, reading: Reading<'db>) -> Option<Arc<UnitTypes>> {
    super::front(db, file).as_ref()?;
    let prefix = prefix(db, file, reading).as_ref()?;
    Some(Arc::new(declarations(prefix.unit(), None)))
}

/// What is wrong in the functions of the front.
#[salsa::tracked(no_eq, lru = 16)]
fn front_problems<'db>(db: &'db dyn salsa::Database, file: File, reading: Reading<'db>) -> Arc<Vec<Problem>> {
    let (Some(types), Some(prefix)) = (front_types(db, file, reading), prefix(db, file, reading)) else {
        return Arc::default();
    };
    let unit = prefix.unit();
    let is_partial = whole::is_partial(unit, &[types]);
    let mut problems = Vec::new();
    for place in types.bodies.iter().chain(&types.checked) {
        db.unwind_if_revision_cancelled();
        let found = whole::type_at(unit, types, place, is_partial);
        problems.extend(problems_of(unit, types, place, &found));
    }
    Arc::new(problems)
}

#[salsa::tracked(no_eq, lru = 64)]
fn unit_types<'db>(db: &'db dyn salsa::Database, file: File, reading: Reading<'db>) -> Arc<UnitTypes> {
    let front = front_types(db, file, reading).as_deref();
    Arc::new(declarations(unit_by(db, file, reading), front))
}

#[salsa::tracked]
fn declared_layer<'db>(db: &'db dyn salsa::Database, file: File, reading: Reading<'db>) -> Arc<Layer> {
    unit_types(db, file, reading).layer.clone()
}

/// Returns true if a unit may lack declarations.
#[salsa::tracked(returns(copy))]
fn is_partial<'db>(db: &'db dyn salsa::Database, file: File, reading: Reading<'db>) -> bool {
    whole::is_partial(unit_by(db, file, reading), &[unit_types(db, file, reading)])
}

/// What is wrong in declarations outside of functions, behind the front.
#[salsa::tracked(no_eq, lru = 64)]
fn checked_problems<'db>(db: &'db dyn salsa::Database, file: File, reading: Reading<'db>) -> Arc<Vec<Problem>> {
    let (unit, types) = (unit_by(db, file, reading), unit_types(db, file, reading));
    let is_partial = is_partial(db, file, reading);
    let mut problems = Vec::new();
    for place in &types.checked {
        let found = whole::type_at(unit, types, place, is_partial);
        problems.extend(problems_of(unit, types, place, &found));
    }
    Arc::new(problems)
}

/// The function of a number: of the front, or of what follows that.
#[salsa::tracked]
pub(super) fn piece_of<'db>(
    db: &'db dyn salsa::Database,
    file: File,
    reading: Reading<'db>,
    of_front: bool,
    nth: usize,
) -> Option<Arc<Piece>> {
    let is_partial = is_partial(db, file, reading);
    let (unit, types) = match of_front {
        true => (prefix(db, file, reading).as_ref()?.unit(), front_types(db, file, reading).as_ref()?),
        false => (&**unit_by(db, file, reading), unit_types(db, file, reading)),
    };
    let place = types.bodies.get(nth)?;
    Some(Arc::new(Piece::cut(unit, &types.entities, place, types.layer.n_entities(), is_partial)))
}

#[salsa::tracked(lru = 4096)]
pub(super) fn body_types<'db>(
    db: &'db dyn salsa::Database,
    file: File,
    reading: Reading<'db>,
    of_front: bool,
    nth: usize,
) -> Option<Arc<BodyTypes>> {
    db.unwind_if_revision_cancelled();
    let piece = piece_of(db, file, reading, of_front, nth).as_ref()?;
    Some(Arc::new(type_body(layer_of(db, file, reading, of_front)?, piece)))
}

/// The declarations that the functions of the front stand among, or those behind it.
pub(super) fn layer_of<'db>(
    db: &'db dyn salsa::Database,
    file: File,
    reading: Reading<'db>,
    of_front: bool,
) -> Option<&'db Arc<Layer>> {
    match of_front {
        true => Some(&front_types(db, file, reading).as_ref()?.layer),
        false => Some(declared_layer(db, file, reading)),
    }
}

fn problems_of<'a>(
    unit: &'a Unit,
    types: &'a UnitTypes,
    place: &'a BodyPlace,
    found: &'a BodyTypes,
) -> impl Iterator<Item = Problem> + 'a {
    let first = unit.tree.nodes[place.node].first;
    let name = |entity| whole::name_token(unit, types, place, entity);
    found.findings.iter().filter_map(move |finding| whole::problem(unit, finding, first, &found.layer, name))
}

pub(super) fn reading_of(db: &dyn salsa::Database, file: File) -> Reading<'_> {
    Reading::new(db, config(db, file).clone())
}

/// All that is wrong with the types of a unit.
pub fn problems(db: &dyn salsa::Database, file: File) -> Vec<Problem> {
    let reading = reading_of(db, file);
    let mut problems = (**front_problems(db, file, reading)).clone();
    let (unit, types) = (unit(db, file), unit_types(db, file, reading));
    for (nth, place) in types.bodies.iter().enumerate() {
        if let Some(found) = body_types(db, file, reading, false, nth) {
            problems.extend(problems_of(unit, types, place, found));
        }
    }
    problems.extend(checked_problems(db, file, reading).iter().cloned());
    problems
}

/// Returns true if another text of a file leaves all up to its last `#include` as it is.
pub fn has_same_front(db: &dyn salsa::Database, file: File, text: &str) -> bool {
    super::front(db, file).as_ref().is_some_and(|front| text.starts_with(&**front))
}

/// The codes and messages of all that would be wrong with a file's own functions, and its grammar, if it had another text. Where that has the same front
/// headers are not read again if this is wanted, and nothing is told of what stands in the front.
pub fn problems_with(
    db: &dyn salsa::Database,
    file: File,
    text: &str,
    behind_front: bool,
) -> Vec<(&'static str, String)> {
    let reading = reading_of(db, file);
    let is_same_front = behind_front && has_same_front(db, file, text);
    let text = Arc::new(ispc::file::FileText::new(file.name(db).clone(), text));
    let prefix = is_same_front.then(|| prefix(db, file, reading).as_ref()).flatten();
    let (config, files) = (reading.config(db), super::InDatabase { db });
    let unit = match prefix {
        Some(prefix) => ispc::prefix::read_behind(prefix, text, config, &files),
        None => ispc::read(text, config, &files),
    };
    let front = prefix.and_then(|_| front_types(db, file, reading).as_deref());
    let types = declarations(&unit, front);
    let is_partial = whole::is_partial(&unit, &[&types]);
    let mut found: Vec<_> = unit.problems.iter().map(|problem| (problem.code, problem.message.clone())).collect();
    for place in types.bodies.iter().chain(&types.checked) {
        let of_body = whole::type_at(&unit, &types, place, is_partial);
        found.extend(of_body.findings.into_iter().map(|finding| (finding.code, finding.message)));
    }
    found
}

/// The declarations of a unit, with their types.
pub fn types(db: &dyn salsa::Database, file: File) -> &Arc<UnitTypes> {
    unit_types(db, file, reading_of(db, file))
}

/// A function, typed, with its place in the unit.
#[derive(Clone, Copy)]
pub struct TypedFunction<'db> {
    /// Its unit.
    pub unit: &'db Unit,
    /// The declarations that it stands among: those of the front for a function of that.
    pub declared: &'db UnitTypes,
    /// Its place.
    pub place: &'db BodyPlace,
    /// The types.
    pub types: &'db Arc<BodyTypes>,
    /// Its number, among those of the front or of what follows that.
    pub(super) key: (bool, usize),
}

/// The function around a token.
pub fn function_at(db: &dyn salsa::Database, file: File, token: u32) -> Option<TypedFunction<'_>> {
    let reading = reading_of(db, file);
    let unit = unit(db, file);
    let own = unit_types(db, file, reading);
    let front = front_types(db, file, reading).as_ref();
    let found = |types: &UnitTypes| {
        let behind = types.bodies.partition_point(|body| unit.tree.nodes[body.node].end <= token);
        types.bodies.get(behind).is_some_and(|body| unit.tree.tokens(body.node).contains(&token)).then_some(behind)
    };
    let of = |declared: &'_ Arc<UnitTypes>, of_front: bool| Some((found(declared)?, of_front));
    let (nth, of_front) = of(own, false).or_else(|| of(front?, true))?;
    let declared = if of_front { front? } else { own };
    let types = body_types(db, file, reading, of_front, nth).as_ref()?;
    Some(TypedFunction { unit, declared, place: &declared.bodies[nth], types, key: (of_front, nth) })
}

/// A function of the file itself.
#[derive(Clone, Copy)]
pub struct OwnBody<'db> {
    /// Its place.
    pub place: &'db BodyPlace,
    key: (bool, usize),
}

/// The numbers of the front's functions that stand in the file itself.
#[salsa::tracked(lru = 16)]
fn own_of_front<'db>(db: &'db dyn salsa::Database, file: File, reading: Reading<'db>) -> Arc<Vec<usize>> {
    let (Some(types), Some(prefix)) = (front_types(db, file, reading), prefix(db, file, reading)) else {
        return Arc::default();
    };
    let unit = prefix.unit();
    let is_own =
        |body: &BodyPlace| unit.place_of(unit.tree.tokens(body.node)).is_some_and(|at| at.file == FileId::MAIN);
    Arc::new((0..types.bodies.len()).filter(|nth| is_own(&types.bodies[*nth])).collect())
}

/// The functions that the file itself has, those in front of its last `#include` first. Of those behind it some may be of other files, by
/// macros.
pub fn own_bodies(db: &dyn salsa::Database, file: File) -> Vec<OwnBody<'_>> {
    let reading = reading_of(db, file);
    let front = front_types(db, file, reading).as_ref();
    let in_front = own_of_front(db, file, reading).iter();
    let in_front = in_front.filter_map(|nth| Some(OwnBody { place: front?.bodies.get(*nth)?, key: (true, *nth) }));
    let behind = unit_types(db, file, reading).bodies.iter().enumerate();
    in_front.chain(behind.map(|(nth, place)| OwnBody { place, key: (false, nth) })).collect()
}

/// The first tokens of all functions of a unit, those of its headers among them.
pub fn all_places(db: &dyn salsa::Database, file: File) -> Vec<u32> {
    let reading = reading_of(db, file);
    let unit = unit(db, file);
    let front = front_types(db, file, reading).iter().flat_map(|types| &types.bodies);
    let all = front.chain(&unit_types(db, file, reading).bodies);
    all.map(|body| unit.tree.nodes[body.node].first).collect()
}

/// A function of the file itself, typed.
pub fn own_function<'db>(db: &'db dyn salsa::Database, file: File, body: &OwnBody<'db>) -> Option<TypedFunction<'db>> {
    let reading = reading_of(db, file);
    let declared = match body.key.0 {
        true => front_types(db, file, reading).as_ref()?,
        false => unit_types(db, file, reading),
    };
    let types = body_types(db, file, reading, body.key.0, body.key.1).as_ref()?;
    Some(TypedFunction { unit: unit(db, file), declared, place: body.place, types, key: body.key })
}

/// The functions that the file itself has, typed.
pub fn own_functions(db: &dyn salsa::Database, file: File) -> Vec<TypedFunction<'_>> {
    own_bodies(db, file).iter().filter_map(|body| own_function(db, file, body)).collect()
}

impl TypedFunction<'_> {
    /// The first token and the first node.
    pub fn first(&self) -> (u32, usize) {
        let node = &self.unit.tree.nodes[self.place.node];
        (node.first, node.descendants as usize)
    }

    /// The type of a node of the unit, if it is an expression of the function.
    pub fn ty(&self, node: usize) -> Option<Ty> {
        let index = node.checked_sub(self.first().1)?;
        self.types.types.get(index).copied().filter(|ty| *ty != Ty::NONE)
    }

    /// The declaration for which a token stands by its type: a member, an overload.
    pub fn meaning(&self, token: u32) -> Option<Entity> {
        let token = token.checked_sub(self.first().0)?;
        let at = self.types.names.binary_search_by_key(&token, |(token, _)| *token).ok()?;
        Some(self.types.names[at].1)
    }

    /// The number in the unit of a declaration; none for one of the library.
    pub fn decl(&self, entity: Entity) -> Option<u32> {
        match entity.0.checked_sub(self.declared.layer.n_entities()) {
            Some(index) => Some(self.place.decls.start + index),
            None => self.declared.decl(entity),
        }
    }

    /// The number of a declaration of the unit.
    pub fn entity(&self, decl: u32) -> Option<Entity> {
        let Range { start, end } = self.place.decls;
        match (start..end).contains(&decl) {
            true => Some(Entity(self.declared.layer.n_entities() + decl - start)),
            false => self.declared.entity(decl),
        }
    }
}
