//! Functions of an ISPC file that other files call by their symbols.
//!
//! A function that has no machine code, or calls one that has none, has no symbol; a file without such calls is built all the same.

use std::collections::HashSet;

use ispc::unit::Unit;
use ispc_ir::module::{CallTarget, GangModule};
use ispc_ir::op::GangOp;
use ispc_ir::walk::each_inst;
use ispc_lowering::LoweredUnit;
use ispc_types::layer::Entity;
use ispc_types::unit::UnitTypes;

/// Lowers what C and other files call, and the names of those functions that have no code. `refused` are the names of functions that are found
/// to have none.
pub(crate) fn lowered(unit: &Unit, types: &UnitTypes, lanes: u32, refused: &[String]) -> (LoweredUnit, Vec<String>) {
    let (mut left_out, mut names): (Vec<Entity>, Vec<String>) = (Vec::new(), Vec::new());
    loop {
        let lowered = ispc_lowering::lower_shared(unit, types, lanes, &left_out);
        let n_before = left_out.len();
        for entry in lowered.entries.iter().filter(|entry| !entry.is_exported) {
            if calls_without_code(&lowered.module, entry.function, refused, &mut HashSet::new()) {
                left_out.push(entry.entity);
                names.push(entry.with_types.clone());
            }
        }
        if left_out.len() == n_before {
            return (lowered, names);
        }
    }
}

/// Returns true if a function, or one that it calls, has no code.
fn calls_without_code(module: &GangModule, index: usize, refused: &[String], seen: &mut HashSet<usize>) -> bool {
    if !seen.insert(index) {
        return false;
    }
    let function = &module.functions[index];
    if function.is_external {
        return !function.is_of_c && function.symbol.is_none();
    }
    let mut called = Vec::new();
    each_inst(&function.body, &mut |inst| match &inst.op {
        GangOp::Call(CallTarget::Known(index), _) | GangOp::Function(index) => called.push(*index),
        GangOp::Launch { target: CallTarget::Known(index), .. } => called.push(*index),
        _ => {}
    });
    refused.contains(&function.name) || called.into_iter().any(|index| calls_without_code(module, index, refused, seen))
}
