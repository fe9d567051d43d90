//! Machine code of ISPC files: the functions that other programs call, for a target.

use std::path::Path;
use std::rc::Rc;

use ispc::problems::Problem;
use ispc::unit::{FileId, Unit};
use ispc_lowering::LoweredUnit;
use ispc_native::debug::DebugLines;
use ispc_native::header::{HeaderFunction, header};
use ispc_native::module::{ModuleDoors, module_with_lines};
use ispc_native::{BUILD_UNSUPPORTED, NotCompiled};
use ispc_types::layer::Entity;
use ispc_types::ty::{Ty, TypeKind};
use ispc_types::unit::UnitTypes;
use native::emit::EntrySignature;
use queries::stages::target::Target;

use crate::ispc_running;

/// The functions of a file as LLVM IR, and how others call them.
pub struct IspcModule {
    /// LLVM IR, before LLVM's optimisations.
    pub ir: String,
    /// A header for C and C++.
    pub header: String,
    /// The exported functions: their names, and how C calls them.
    pub signatures: Vec<(String, EntrySignature)>,
}

/// The reason why there is no machine code.
#[derive(Debug)]
pub enum NoIspcModule {
    /// Places that cannot be compiled.
    Problems(Vec<Problem>),
    /// Something else, as a sentence.
    Trouble(String),
}

/// Compiles the exported functions of a unit to LLVM IR, or the function of a name. Where several targets have them, their names have the
/// target's behind. `lines` are those that its code names.
pub fn compiled(
    unit: &Unit,
    lanes: u32,
    machine: &Target,
    name: Option<&str>,
    suffix: Option<&str>,
    lines: Rc<dyn DebugLines>,
) -> Result<IspcModule, NoIspcModule> {
    let types = ispc_types::unit::declarations(unit, None);
    let exported = ispc_lowering::entries::exported(unit, &types);
    let path = Path::new(unit.path(FileId::MAIN));
    let file = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    if exported.is_empty() && name.is_none() {
        let message = format!(
            "{}: there is no function for other programs: write `export` in front of those that C or C++ calls",
            path.display()
        );
        return Err(NoIspcModule::Trouble(message));
    }
    let chosen = match name {
        Some(name) => vec![ispc_running::choose(unit, Some(name)).map_err(NoIspcModule::Trouble)?],
        None => exported.iter().map(|(name, _)| name.to_string()).collect(),
    };
    let names: Vec<&str> = chosen.iter().map(String::as_str).collect();
    let lowered = ispc_lowering::lower(unit, &types, lanes, &names);
    let problems = ispc_running::problems(&lowered);
    if !problems.is_empty() {
        return Err(NoIspcModule::Problems(problems));
    }
    let by_value: Vec<Problem> = lowered
        .entries
        .iter()
        .filter(|entry| entry.is_exported)
        .filter_map(|entry| passes_by_value(unit, &types, entry.entity))
        .collect();
    if !by_value.is_empty() {
        return Err(NoIspcModule::Problems(by_value));
    }
    let exports: Vec<(String, usize)> = lowered
        .entries
        .iter()
        .filter(|entry| entry.is_exported)
        .map(|entry| (entry.name.to_string(), entry.function))
        .collect();
    let of_target = |name: &str| suffix.map_or(name.to_owned(), |suffix| format!("{name}.{suffix}"));
    let signature =
        |(name, index): &(String, usize)| (name.clone(), ispc_native::module::signature(&lowered.module, *index));
    let signatures = exports.iter().map(signature).collect();
    let exports: Vec<(String, usize)> = exports.iter().map(|(name, index)| (of_target(name), *index)).collect();
    let doors = match (&exports[..], &lowered.entries[..]) {
        // A function of this file alone is called with the lanes that are on.
        ([], [entry, ..]) => ModuleDoors::Lanes(entry.function),
        _ => ModuleDoors::Exports(&exports),
    };
    let ir = module_with_lines(&lowered.module, machine, doors, Some(lines))
        .map_err(|refused| not_compiled(&lowered, refused))?;
    let told: Vec<HeaderFunction> = lowered
        .entries
        .iter()
        .filter(|entry| entry.is_exported)
        .map(|entry| HeaderFunction { name: entry.name.to_string(), entity: entry.entity })
        .collect();
    Ok(IspcModule { ir, header: header(&file, &types.layer, &told), signatures })
}

/// An exported function that takes or gives a struct or short vector as it is, as a problem: C passes these in ways that differ from
/// system to system.
fn passes_by_value(unit: &Unit, types: &UnitTypes, function: Entity) -> Option<Problem> {
    let TypeKind::Function(gives, takes) = types.layer.kind(types.layer.entity(function).ty).clone() else {
        return None;
    };
    let is_whole = |ty: &Ty| matches!(types.layer.kind(*ty), TypeKind::Struct(..) | TypeKind::Vector(..));
    let how = match (takes.iter().any(is_whole), is_whole(&gives)) {
        (true, _) => "takes",
        (_, true) => "gives",
        _ => return None,
    };
    let body = types.bodies.iter().find(|body| body.entity == function)?;
    let token = unit.names.decls[body.decl as usize].token;
    Some(Problem {
        code: BUILD_UNSUPPORTED,
        is_warning: false,
        message: format!(
            "`{}` {how} a struct or short vector by value, which other programs would pass in another way: let it take a pointer or reference",
            types.layer.entity(function).name
        ),
        place: unit.place(&unit.tokens[token as usize]),
        related: Vec::new(),
    })
}

/// A construct that cannot be compiled, as a problem of the unit.
pub(crate) fn not_compiled(lowered: &LoweredUnit, refused: NotCompiled) -> NoIspcModule {
    let NotCompiled { mut place, function, message } = refused;
    let index = lowered.module.functions.iter().position(|it| it.name == function);
    if function.is_empty() {
        return NoIspcModule::Trouble(message);
    }
    if place == ispc_ir::module::TextPlace::default() {
        // The first op of the function stands for it.
        let first = index.and_then(|index| lowered.module.functions[index].body.last());
        place = first.map(|inst| inst.place).unwrap_or_default();
    }
    NoIspcModule::Problems(vec![Problem {
        code: BUILD_UNSUPPORTED,
        is_warning: false,
        message: format!("`{function}`: {message}"),
        place: ispc_running::place(place),
        related: Vec::new(),
    }])
}
