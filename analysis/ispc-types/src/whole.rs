//! A unit at once: all bodies typed, and what is wrong with them as problems of the unit.

use std::sync::Arc;

use ispc::problems::Problem;
use ispc::unit::Unit;

use crate::body::{BodyTypes, type_body};
use crate::findings::{Finding, Related};
use crate::layer::{Entity, Layer};
use crate::source::{BodyPlace, Piece};
use crate::ty::{Ty, TypeKind};
use crate::unit::UnitTypes;

/// The problems whose cause may be that declarations are missing.
const LOSES_DECLARATIONS: &[&str] = &["ispc-include", "ispc-told", "ispc-condition", "ispc-directive", "ispc-macro"];

/// Returns true if a unit may lack declarations: it is a header by itself, lacks one, or has a mistake outside of bodies.
pub fn is_partial(unit: &Unit, fronts: &[&UnitTypes]) -> bool {
    let is_header = unit.files.first().is_none_or(|file| !file.file.path.ends_with(".ispc"));
    let places = fronts.iter().flat_map(|types| &types.bodies);
    let bodies: Vec<_> = places.filter_map(|body| unit.place_of(unit.tree.tokens(body.node))).collect();
    let is_outside = |problem: &Problem| {
        let at = problem.place;
        !bodies.iter().any(|body| body.file == at.file && (body.start..=body.end).contains(&at.start))
    };
    let loses = |problem: &&Problem| match problem.code {
        "ispc-syntax" => is_outside(problem),
        "ispc-include" if is_foreign(unit, problem) => false,
        code => !problem.is_warning && LOSES_DECLARATIONS.contains(&code),
    };
    is_header || unit.problems.iter().any(|problem| loses(&problem))
}

/// Returns true for a header of the libraries of C and C++ that is not there: what it declares is nothing that ISPC has.
fn is_foreign(unit: &Unit, problem: &Problem) -> bool {
    let written = unit.text(problem.place.file).get(problem.place.range()).unwrap_or_default();
    ispc::foreign::is_header(written.trim_matches(['<', '>', '"']))
}

/// A finding as a problem of the unit. `declarations` gives the token of a declaration's name.
pub fn problem(
    unit: &Unit,
    finding: &Finding,
    first_token: u32,
    layer: &Layer,
    declaration: impl Fn(Entity) -> Option<u32>,
) -> Option<Problem> {
    let place_of = |tokens: &std::ops::Range<u32>| unit.place_of(first_token + tokens.start..first_token + tokens.end);
    let place = place_of(&finding.tokens)?;
    let mut related = Vec::new();
    for (at, note) in &finding.related {
        let declared = |entity: Entity| declaration(entity).map(|token| unit.place(&unit.tokens[token as usize]));
        match at {
            Related::Tokens(tokens) => related.extend(place_of(tokens).map(|at| (at, note.clone()))),
            Related::Declaration(entity) => match declared(*entity) {
                Some(at) => related.push((at, note.clone())),
                // The library has no file.
                None => related.push((place, format!("`{}` of the library: {note}", signature(layer, *entity)))),
            },
        }
    }
    Some(Problem { code: finding.code, is_warning: false, message: finding.message.clone(), place, related })
}

/// A function as one declares it, or a variable.
pub fn signature(layer: &Layer, entity: Entity) -> String {
    let data = layer.entity(entity);
    let (Some(function), TypeKind::Function(gives, takes)) = (&data.function, layer.kind(data.ty)) else {
        return format!("{} {}", layer.show(data.ty), data.name);
    };
    let param = |(ty, (name, _)): (&Ty, &(Arc<str>, bool))| format!("{} {name}", layer.show(*ty)).trim_end().to_owned();
    let params: Vec<String> = takes.iter().zip(&function.params).map(param).collect();
    format!("{} {}({})", layer.show(*gives), data.name, params.join(", "))
}

/// The types of a function, by its place in a unit.
pub fn type_at(unit: &Unit, types: &UnitTypes, body: &BodyPlace, is_partial: bool) -> BodyTypes {
    let first_entity = types.layer.n_entities();
    type_body(&types.layer, &Piece::cut(unit, &types.entities, body, first_entity, is_partial))
}

/// The token of the name of a declaration, by its number: inside of a body, or outside.
pub fn name_token(unit: &Unit, types: &UnitTypes, body: &BodyPlace, entity: Entity) -> Option<u32> {
    let first_inner = types.layer.n_entities();
    let decl = match entity.0.checked_sub(first_inner) {
        Some(index) => body.decls.start + index,
        None => types.decl(entity)?,
    };
    unit.names.decls.get(decl as usize).map(|decl| decl.token)
}

/// All that typing finds in a unit, read as one layer.
pub fn check(unit: &Unit) -> Vec<Problem> {
    let types = crate::unit::declarations(unit, None);
    let is_partial = is_partial(unit, &[&types]);
    let mut problems = Vec::new();
    for body in types.bodies.iter().chain(&types.checked) {
        let found = type_at(unit, &types, body, is_partial);
        let first = unit.tree.nodes[body.node].first;
        for finding in &found.findings {
            problems
                .extend(problem(unit, finding, first, &found.layer, |entity| name_token(unit, &types, body, entity)));
        }
    }
    problems
}
