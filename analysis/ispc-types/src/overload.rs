//! Which of several functions of a name is called.
//!
//! As in ispc, each argument has a cost, from nothing for the very type over a wider number and a copy to all lanes to any other
//! conversion, and the least sum wins. Arguments that are known when the file is compiled cost little. Templates are candidates if all
//! that they take follows from the arguments.

use std::sync::Arc;

use ispc::names::DeclKind;
use rustc_hash::FxHashSet;

use crate::convert::{Known, Refusal};
use crate::layer::{Bound, Entity, EntityData, FunctionData, Layer};
use crate::ty::{Count, Lanes, Ty, TypeKind};

/// An argument of a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Argument {
    pub(crate) ty: Ty,
    pub(crate) known: Known,
}

/// The outcome for a candidate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fit {
    /// A call is possible, at this cost.
    Costs(u64),
    /// The number of arguments differs.
    Count,
    /// This argument cannot become what the parameter is.
    Argument(usize, Why),
    /// The arguments do not determine its template's parameters.
    Template,
}

/// Why an argument does not fit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Why {
    /// One value a lane where all lanes have one.
    VaryingToUniform,
    /// A reference that is not `const` to what is.
    LosesConst,
    /// A reference to a value of another type.
    ReferenceToOther,
    /// No conversion.
    OtherKind,
}

/// A function of the name, and what became of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Candidate {
    /// The function.
    pub entity: Entity,
    /// Its type, that of a template for these arguments.
    pub ty: Ty,
    /// The outcome.
    pub fit: Fit,
    /// The cost of each argument.
    pub cost: Vec<u64>,
    /// The arguments of a template.
    pub bound: Vec<(Entity, Bound)>,
}

/// The outcome of a call of a name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Outcome {
    /// This candidate is called.
    Chosen(usize),
    /// None fits.
    None,
    /// These are as good as each other.
    Ambiguous(Vec<usize>),
    /// Nobody can say here.
    Open,
}

/// Chooses among functions. `explicit` are the arguments of the template that are written.
pub(crate) fn resolve(
    layer: &mut Layer,
    functions: &[Entity],
    arguments: &[Argument],
    explicit: &[Option<Bound>],
) -> (Vec<Candidate>, Outcome) {
    let mut candidates: Vec<Candidate> = Vec::new();
    for entity in functions {
        let Some(data) = layer.entity(*entity).function.clone() else { continue };
        let ty = layer.entity(*entity).ty;
        if !matches!(layer.kind(ty), TypeKind::Function(..)) {
            return (candidates, Outcome::Open);
        }
        if data.is_instance || (data.template.is_empty() && !explicit.is_empty()) {
            continue;
        }
        candidates.push(candidate(layer, *entity, ty, &data, arguments, explicit));
    }
    if arguments.iter().any(|argument| layer.is_open(argument.ty)) {
        let outcome = match only(&candidates, |candidate| candidate.fit != Fit::Count) {
            Some(index) if candidates.len() == 1 => Outcome::Chosen(index),
            _ => Outcome::Open,
        };
        return (candidates, outcome);
    }
    let outcome = outcome(layer, &candidates, !explicit.is_empty());
    (candidates, outcome)
}

fn only(candidates: &[Candidate], accept: impl Fn(&Candidate) -> bool) -> Option<usize> {
    let mut fitting = candidates.iter().enumerate().filter(|(_, candidate)| accept(candidate));
    let first = fitting.next()?.0;
    fitting.next().is_none().then_some(first)
}

fn outcome(layer: &Layer, candidates: &[Candidate], has_explicit: bool) -> Outcome {
    let is_template = |candidate: &Candidate| {
        layer.entity(candidate.entity).function.as_ref().is_some_and(|it| !it.template.is_empty())
    };
    let best = |templates: bool| {
        let fitting = candidates.iter().enumerate().filter(|(_, candidate)| is_template(candidate) == templates);
        let costs: Vec<(usize, u64)> = fitting
            .filter_map(|(index, candidate)| match candidate.fit {
                Fit::Costs(cost) => Some((index, cost)),
                _ => None,
            })
            .collect();
        let least = costs.iter().map(|(_, cost)| *cost).min();
        let all: Vec<usize> = costs.iter().filter(|(_, cost)| Some(*cost) == least).map(|(index, _)| *index).collect();
        (all, least.unwrap_or(u64::MAX))
    };
    let ((functions, cost), (templates, template_cost)) = (best(false), best(true));
    match (&functions[..], &templates[..]) {
        ([], []) => Outcome::None,
        ([one], []) | ([], [one]) => Outcome::Chosen(*one),
        ([function], [template]) => {
            let takes_template = template_cost < cost || (template_cost == cost && has_explicit);
            Outcome::Chosen(if takes_template { *template } else { *function })
        }
        _ => Outcome::Ambiguous(functions.into_iter().chain(templates).collect()),
    }
}

fn candidate(
    layer: &mut Layer,
    entity: Entity,
    ty: Ty,
    data: &Arc<FunctionData>,
    arguments: &[Argument],
    explicit: &[Option<Bound>],
) -> Candidate {
    let rejected = |ty: Ty, fit: Fit| Candidate { entity, ty, fit, cost: Vec::new(), bound: Vec::new() };
    let n_params = data.params.len();
    let has_value = |index: usize| data.params.get(index).is_some_and(|(_, has_value)| *has_value);
    if arguments.len() > n_params || (arguments.len() < n_params && !has_value(arguments.len())) {
        return rejected(ty, Fit::Count);
    }
    let (mut ty, mut bound) = (ty, Vec::new());
    if !data.template.is_empty() {
        let Some(found) = deduce(layer, ty, data, arguments, explicit) else {
            return rejected(ty, Fit::Template);
        };
        bound = found;
        ty = layer.substitute(ty, &bound);
        ty = layer.bind(ty, Lanes::Varying);
    }
    let TypeKind::Function(_, takes) = layer.kind(ty).clone() else { return rejected(ty, Fit::Template) };
    let mut cost = Vec::with_capacity(arguments.len());
    for (index, (argument, param)) in arguments.iter().zip(takes.iter()).enumerate() {
        match cost_of(layer, *argument, *param, arguments.len() as u64 + 1) {
            Ok(found) => cost.push(found),
            Err(why) => return rejected(ty, Fit::Argument(index, why)),
        }
    }
    Candidate { entity, ty, fit: Fit::Costs(cost.iter().sum()), cost, bound }
}

/// The cost of an argument. The scale keeps all arguments at one cost cheaper than one at the next.
fn cost_of(layer: &mut Layer, argument: Argument, param: Ty, mut scale: u64) -> Result<u64, Why> {
    let ty = argument.ty;
    let is_pointer = matches!(layer.kind(layer.target(param)), TypeKind::Pointer(..));
    if ty == param || layer.is_open(ty) || layer.is_open(param) || (argument.known.is_zero && is_pointer) {
        return Ok(0);
    }
    if !argument.known.is_constant {
        scale *= 512;
    }
    if let TypeKind::Reference(to) = *layer.kind(param) {
        let from = layer.target(ty);
        let (from_const, to_const) = (layer.is_const(ty), layer.is_const(param));
        if layer.is_varying(from) && layer.is_uniform(to) {
            return Err(Why::VaryingToUniform);
        }
        if !layer.is_alike(from, to) {
            return Err(Why::ReferenceToOther);
        }
        if from_const && !to_const {
            return Err(Why::LosesConst);
        }
        return Ok(scale * if !from_const && to_const { 4 } else { 2 });
    }
    let mut cost = 0;
    let from = layer.target(ty);
    if from != ty {
        cost += 2 * scale;
    }
    if layer.is_alike(from, param) {
        return Ok(cost + scale);
    }
    let (from, to) = (layer.with_const(from, false), layer.with_const(param, false));
    if layer.widens(from, to) {
        return Ok(cost + 8 * scale);
    }
    if layer.is_varying(to) && layer.is_uniform(from) {
        let spread = layer.with_lanes(from, Lanes::Varying);
        if spread == to {
            return Ok(cost + 16 * scale);
        }
        cost += 128 * scale;
        if layer.widens(spread, to) {
            return Ok(cost);
        }
    }
    match layer.convert(from, to, Known::default()) {
        Ok(()) => Ok(cost + 64 * scale),
        Err(Refusal::VaryingToUniform) => Err(Why::VaryingToUniform),
        Err(Refusal::LosesConst) => Err(Why::LosesConst),
        Err(Refusal::OtherKind) => Err(Why::OtherKind),
    }
}

/// The arguments of a template, from the written ones and from those of the call.
fn deduce(
    layer: &mut Layer,
    ty: Ty,
    data: &FunctionData,
    arguments: &[Argument],
    explicit: &[Option<Bound>],
) -> Option<Vec<(Entity, Bound)>> {
    let TypeKind::Function(_, takes) = layer.kind(ty).clone() else { return None };
    if explicit.len() > data.template.len() {
        return None;
    }
    let mut bound: Vec<(Entity, Bound)> = Vec::new();
    for (param, written) in data.template.iter().zip(explicit) {
        let takes_type = layer.entity(*param).kind == DeclKind::TemplateParam;
        match (*written)? {
            written @ Bound::Type(_) if takes_type => bound.push((*param, written)),
            written @ Bound::Value(_) if !takes_type => bound.push((*param, written)),
            _ => return None,
        }
    }
    let written: Vec<Entity> = bound.iter().map(|(param, _)| *param).collect();
    for (argument, param) in arguments.iter().zip(takes.iter()) {
        let from = if matches!(layer.kind(*param), TypeKind::Reference(_)) {
            layer.target(argument.ty)
        } else {
            let from = layer.target(argument.ty);
            let from = match *layer.kind(from) {
                TypeKind::Array(of, _) => layer.pointer(of, Lanes::Uniform),
                _ => from,
            };
            layer.with_const(from, false)
        };
        let param = layer.target(*param);
        if !deduce_from(layer, &written, param, from, &mut bound) {
            return None;
        }
    }
    let is_bound = |param: &Entity| bound.iter().any(|(other, _)| other == param);
    data.template.iter().all(is_bound).then_some(bound)
}

/// Deduces arguments of a template from a parameter and its argument. What is `written` is converted to, not found.
fn deduce_from(layer: &mut Layer, written: &[Entity], param: Ty, from: Ty, bound: &mut Vec<(Entity, Bound)>) -> bool {
    if layer.is_open(from) {
        return false;
    }
    match (layer.kind(param).clone(), layer.kind(from).clone()) {
        (TypeKind::Param(of, lanes), _) => {
            if written.contains(&of) {
                return true;
            }
            let from = if layer.is_const(param) { layer.with_const(from, false) } else { from };
            let from = if lanes == Lanes::Unbound { from } else { layer.with_lanes(from, Lanes::Unbound) };
            let Some((_, before)) = bound.iter_mut().find(|(other, _)| *other == of) else {
                bound.push((of, Bound::Type(from)));
                return true;
            };
            let Bound::Type(found) = *before else { return false };
            // One that is found twice must be one type: the varying one of two.
            let (one, other) = (layer.with_lanes(found, Lanes::Varying), layer.with_lanes(from, Lanes::Varying));
            if layer.is_varying(from) {
                *before = Bound::Type(from);
            }
            one == other
        }
        (TypeKind::Pointer(to, _), TypeKind::Pointer(of, _)) => {
            let of = layer.with_const(of, false);
            deduce_from(layer, written, to, of, bound)
        }
        (TypeKind::Array(to, _), TypeKind::Array(of, _)) => deduce_from(layer, written, to, of, bound),
        (TypeKind::Vector(to, to_count), TypeKind::Vector(of, count)) => {
            match (to_count, count) {
                (Count::Of(param), Count::Known(count)) => {
                    let count = Bound::Value(count.into());
                    match bound.iter().find(|(other, _)| *other == param) {
                        Some((_, found)) if *found != count && !written.contains(&param) => return false,
                        Some(_) => {}
                        None => bound.push((param, count)),
                    }
                }
                (to, from) if to != from => return false,
                _ => {}
            }
            deduce_from(layer, written, to, of, bound)
        }
        // Nothing of the template's is in it, so the cost decides.
        _ => !layer.is_open(param),
    }
}

/// The functions of a name without those that are another declaration of one: a prototype and its definition are one function. The first
/// of each stays.
pub(crate) fn distinct(layer: &mut Layer, functions: impl Iterator<Item = Entity>) -> Vec<Entity> {
    let mut seen: FxHashSet<(Vec<Ty>, String)> = FxHashSet::default();
    let mut found = Vec::new();
    for entity in functions {
        let EntityData { kind: DeclKind::Function, ty, function: Some(function), .. } = layer.entity(entity).clone()
        else {
            continue;
        };
        let TypeKind::Function(_, takes) = layer.kind(ty).clone() else { continue };
        let key = if function.template.is_empty() {
            let plain = |layer: &mut Layer, ty: Ty| match layer.kind(ty) {
                TypeKind::Reference(_) => ty,
                _ => layer.with_const(ty, false),
            };
            (takes.iter().map(|ty| plain(layer, *ty)).collect(), String::new())
        } else {
            (Vec::new(), format!("{} {}", function.template.len(), layer.show(ty)))
        };
        if seen.insert(key) {
            found.push(entity);
        }
    }
    found
}

/// How many arguments a function takes, in words.
pub(crate) fn counted(least: usize, most: usize) -> String {
    match (least, most) {
        (0, 0) => "no argument".to_owned(),
        (1, 1) => "1 argument".to_owned(),
        (least, most) if least == most => format!("{most} arguments"),
        (least, most) => format!("{least} to {most} arguments"),
    }
}

/// Why a candidate is not called, in words.
pub fn why(layer: &Layer, candidate: &Candidate, argument: impl Fn(usize) -> String) -> String {
    let data = layer.entity(candidate.entity).function.clone();
    let param = |index: usize| match layer.kind(candidate.ty) {
        TypeKind::Function(_, takes) => takes.get(index).map_or(String::new(), |ty| layer.show(*ty)),
        _ => String::new(),
    };
    let name = |index: usize| {
        let name = data.as_ref().and_then(|data| data.params.get(index)).map(|(name, _)| name.to_string());
        match name.filter(|name| !name.is_empty()) {
            Some(name) => format!("`{name}`"),
            None => format!("parameter {}", index + 1),
        }
    };
    match candidate.fit {
        Fit::Costs(_) => "fits".to_owned(),
        Fit::Count => {
            let n_params = data.as_ref().map_or(0, |data| data.params.len());
            format!("takes {}", counted(n_params, n_params))
        }
        Fit::Template => "what its template takes does not follow from the arguments".to_owned(),
        Fit::Argument(index, why) => {
            let (given, wanted, name) = (argument(index), param(index), name(index));
            match why {
                Why::VaryingToUniform => {
                    format!("{name} has one value for all lanes (`{wanted}`), and each lane gives its own (`{given}`)")
                }
                Why::LosesConst => {
                    format!("{name} could change what is `const`: it is a `{wanted}`, given a `{given}`")
                }
                Why::ReferenceToOther => format!("{name} refers to a `{wanted}`, and a `{given}` is none"),
                Why::OtherKind => format!("{name} is a `{wanted}`, and a `{given}` cannot become one"),
            }
        }
    }
}
