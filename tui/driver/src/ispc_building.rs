//! Machine code of ISPC files: the functions that other programs call, for a target.

use std::path::Path;
use std::rc::Rc;

use ispc::problems::Problem;
use ispc::unit::{FileId, Unit};
use ispc_lowering::LoweredUnit;
use ispc_lowering::entries::EntryFunction;
use ispc_native::debug::DebugLines;
use ispc_native::header::{HeaderFunction, header};
use ispc_native::module::{ModuleDoors, module_with_lines};
use ispc_native::{BUILD_UNSUPPORTED, NotCompiled};
use ispc_types::layer::Entity;
use ispc_types::ty::{Ty, TypeKind};
use ispc_types::unit::UnitTypes;
use native::emit::EntrySignature;
use queries::stages::target::Target;

use crate::{ispc_running, ispc_sharing};

/// The functions of a file as LLVM IR, and how others call them.
pub struct IspcModule {
    /// LLVM IR, before LLVM's optimisations.
    pub ir: String,
    /// A header for C and C++.
    pub header: String,
    /// The exported functions: their names, and how C calls them.
    pub signatures: Vec<(String, EntrySignature)>,
    /// Functions that other ISPC files cannot call, since they have no machine code.
    pub left_out: Vec<String>,
}

/// The functions that are compiled.
#[derive(Clone, Copy, Debug)]
pub enum CompiledPart<'n> {
    /// Those that C and C++ call.
    Exports,
    /// All that programs and other ISPC files may call, and the globals that they may use.
    Linked,
    /// The function of a name.
    Function(&'n str),
}

/// The reason why there is no machine code.
#[derive(Debug)]
pub enum NoIspcModule {
    /// Places that cannot be compiled.
    Problems(Vec<Problem>),
    /// Something else, as a sentence.
    Trouble(String),
}

/// Compiles functions of a unit to LLVM IR. Where several targets have them, the names that C calls have the target's behind. `lines` are those
/// that its code names.
pub fn compiled(
    unit: &Unit,
    lanes: u32,
    machine: &Target,
    part: CompiledPart<'_>,
    suffix: Option<&str>,
    lines: Rc<dyn DebugLines>,
) -> Result<IspcModule, NoIspcModule> {
    let types = ispc_types::unit::declarations(unit, None);
    let mut refused: Vec<String> = Vec::new();
    loop {
        let (lowered, left_out) = match part {
            CompiledPart::Linked => ispc_sharing::lowered(unit, &types, lanes, &refused),
            _ => (chosen(unit, &types, lanes, part)?, Vec::new()),
        };
        check(unit, &types, &lowered)?;
        match emitted(unit, &types, &lowered, machine, part, suffix, lines.clone()) {
            Ok(module) => return Ok(IspcModule { left_out, ..module }),
            // Other files do without the functions that call it.
            Err(found) if matches!(part, CompiledPart::Linked) && !refused.contains(&found.function) => {
                refused.push(found.function);
            }
            Err(found) => return Err(not_compiled(&lowered, found)),
        }
    }
}

/// Lowers the functions that C calls, or that of a name.
fn chosen(unit: &Unit, types: &UnitTypes, lanes: u32, part: CompiledPart<'_>) -> Result<LoweredUnit, NoIspcModule> {
    let names = match part {
        CompiledPart::Function(name) => {
            vec![ispc_running::choose(unit, Some(name)).map_err(NoIspcModule::Trouble)?]
        }
        _ => ispc_lowering::entries::exported(unit, types).iter().map(|(name, _)| name.to_string()).collect(),
    };
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    match names.is_empty() {
        true => Ok(LoweredUnit::default()),
        false => Ok(ispc_lowering::lower(unit, types, lanes, &names)),
    }
}

/// The reasons why functions have no machine code, if there are some.
fn check(unit: &Unit, types: &UnitTypes, lowered: &LoweredUnit) -> Result<(), NoIspcModule> {
    if lowered.entries.is_empty() {
        let message = format!(
            "{}: there is no function for other programs: write `export` in front of those that C or C++ calls",
            unit.path(FileId::MAIN)
        );
        return Err(NoIspcModule::Trouble(message));
    }
    let mut problems = ispc_running::problems(lowered);
    if problems.is_empty() {
        let exported = lowered.entries.iter().filter(|entry| entry.is_exported);
        problems.extend(exported.filter_map(|entry| passes_by_value(unit, types, entry.entity)));
    }
    if problems.is_empty() { Ok(()) } else { Err(NoIspcModule::Problems(problems)) }
}

fn emitted(
    unit: &Unit,
    types: &UnitTypes,
    lowered: &LoweredUnit,
    machine: &Target,
    part: CompiledPart<'_>,
    suffix: Option<&str>,
    lines: Rc<dyn DebugLines>,
) -> Result<IspcModule, NotCompiled> {
    let exported: Vec<&EntryFunction> = lowered.entries.iter().filter(|entry| entry.is_exported).collect();
    let signature = |entry: &&EntryFunction| {
        (entry.name.to_string(), ispc_native::module::signature(&lowered.module, entry.function))
    };
    let of_target = |name: &str| suffix.map_or(name.to_owned(), |suffix| format!("{name}.{suffix}"));
    let exports: Vec<(String, usize)> = exported.iter().map(|entry| (of_target(&entry.name), entry.function)).collect();
    let has_symbol = |index: &usize| lowered.module.functions[*index].symbol.is_some();
    let shared: Vec<usize> = lowered.entries.iter().map(|entry| entry.function).filter(has_symbol).collect();
    let doors = match (part, &exports[..], &lowered.entries[..]) {
        (CompiledPart::Linked, ..) => ModuleDoors::Linked(&exports, &shared),
        // A function of this file alone is called with the lanes that are on.
        (_, [], [entry, ..]) => ModuleDoors::Lanes(entry.function),
        _ => ModuleDoors::Exports(&exports),
    };
    let ir = module_with_lines(&lowered.module, machine, doors, Some(lines))?;
    let told: Vec<HeaderFunction> =
        exported.iter().map(|entry| HeaderFunction { name: entry.name.to_string(), entity: entry.entity }).collect();
    let path = Path::new(unit.path(FileId::MAIN));
    let file = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let signatures = exported.iter().map(signature).collect();
    Ok(IspcModule { ir, header: header(&file, &types.layer, &told), signatures, left_out: Vec::new() })
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
