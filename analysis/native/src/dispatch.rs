//! Dispatch: one symbol for several x86 targets. It finds out at its first call what the processor can do, and from
//! then on jumps straight to the best of them.

use std::fmt::Write;

use ir::scratch::SizeFormula;
use ir::{Attr, Code, Elem, Kernel, Target, Type};

use crate::emit;
use crate::emit::EntrySignature;
use crate::emit::abi::{What, passed};

/// The levels that can be told apart, best first, each with the number that the test of the processor returns.
const LEVELS: &[(&str, u32)] = &[("avx512", 3), ("avx2", 2), ("sse4", 1), ("scalar", 0)];

/// True if code for a target can stand beside that for others behind one symbol.
pub fn takes_part(target: &Target) -> bool {
    LEVELS.iter().any(|(name, _)| *name == target.name)
}

/// Makes a kernel's code for several targets take the same arguments and return the same: if any of it needs scratch memory, all of it
/// gets as much as the one that needs most; if any of it compares sizes first, all of it returns a status; and a size that any of it asks
/// for is passed to all of it.
pub fn agree(kernels: &mut [Kernel]) {
    let needed: Vec<SizeFormula> = kernels.iter().filter_map(|kernel| kernel.marks.scratch.clone()).collect();
    if !needed.is_empty() {
        let most = ir::scratch::most(needed);
        kernels.iter_mut().for_each(|kernel| kernel.marks.scratch = Some(most.clone()));
    }
    let is_checked = kernels.iter().any(|kernel| kernel.marks.checked);
    kernels.iter_mut().for_each(|kernel| kernel.marks.checked = is_checked);
    let sizes: Vec<Vec<(usize, usize)>> = kernels.iter().map(sizes_passed).collect();
    for (number, kernel) in kernels.iter_mut().enumerate() {
        let mut missing: Vec<_> = sizes.iter().flatten().filter(|size| !sizes[number].contains(size)).collect();
        missing.sort();
        missing.dedup();
        for &&(param, dim) in missing.iter().rev() {
            // A kernel is passed the sizes that it asks for.
            let array = kernel.params[param].value;
            let (origin, index) = (kernel.whole(), [Type::scalar(Elem::I64)]);
            let size =
                kernel.add_op(Code::Size, Attr::Number(dim as i64), [array].into_iter().collect(), &index, origin);
            let body = kernel.body;
            kernel.regions[body].ops.insert(0, size);
        }
    }
}

/// The sizes that a kernel is passed: numbers of parameters, each with a dimension.
fn sizes_passed(kernel: &Kernel) -> Vec<(usize, usize)> {
    let passed = passed(kernel);
    let sizes = passed.iter().filter_map(|passed| match passed.what {
        What::Size(dim) => Some((kernel.params.iter().position(|param| Some(param.value) == passed.param)?, dim)),
        _ => None,
    });
    sizes.collect()
}

/// The module that picks among targets, for kernels whose code for each is in objects of their own.
pub fn module(kernels: &[&Kernel], targets: &[Target]) -> String {
    let signatures = kernels.iter().map(|kernel| (kernel.name.to_string(), emit::signature(kernel)));
    module_of(&signatures.collect::<Vec<_>>(), targets)
}

/// The module that picks among targets, for functions of these names: each object has them with `.` and the target's name behind.
pub fn module_of(functions: &[(String, EntrySignature)], targets: &[Target]) -> String {
    let mut levels: Vec<(&str, u32)> =
        LEVELS.iter().copied().filter(|(name, _)| targets.iter().any(|target| target.name == *name)).collect();
    levels.sort_by_key(|(_, level)| *level);
    let mut text = String::from("target triple = \"x86_64-unknown-linux-gnu\"\n");
    functions.iter().for_each(|(name, signature)| text.push_str(&picker(name, signature, &levels)));
    text.push_str(LEVEL);
    text
}

/// A function's symbol, and what it does at its first call.
fn picker(name: &str, signature: &EntrySignature, levels: &[(&str, u32)]) -> String {
    let symbol = |suffix: &str| emit::symbol(&format!("{name}{suffix}"));
    let (result, types) = (&signature.result, signature.types.join(", "));
    let params = signature.params.join(", ");
    let mut text = String::new();
    for (name, _) in levels {
        let _ = writeln!(text, "declare {result} @{}({types})", symbol(&format!(".{name}")));
    }
    let (best, pick) = (symbol(".best"), symbol(".pick"));
    let call = |callee: &str| match result.as_str() {
        "void" => format!("  tail call void {callee}({params})\n  ret void\n"),
        result => {
            let plain = result.rsplit(' ').next().unwrap_or(result);
            format!("  %result = tail call {result} {callee}({params})\n  ret {plain} %result\n")
        }
    };
    let _ = writeln!(text, "@{best} = internal global ptr @{pick}");
    let _ = writeln!(text, "\ndefine {result} @{}({params}) nounwind {{", symbol(""));
    let _ = writeln!(text, "  %best = load atomic ptr, ptr @{best} monotonic, align 8\n{}}}", call("%best"));
    let _ = writeln!(text, "\ndefine internal {result} @{pick}({params}) nounwind {{");
    let _ = writeln!(text, "  %level = call i32 @lanescope.level()");
    let mut chosen = format!("@{}", symbol(&format!(".{}", levels.first().map_or("scalar", |(name, _)| name))));
    for (name, level) in levels.iter().skip(1) {
        let _ = writeln!(text, "  %has.{name} = icmp uge i32 %level, {level}");
        let own = symbol(&format!(".{name}"));
        let _ = writeln!(text, "  %upto.{name} = select i1 %has.{name}, ptr @{own}, ptr {chosen}");
        chosen = format!("%upto.{name}");
    }
    let _ = writeln!(text, "  store atomic ptr {chosen}, ptr @{best} monotonic, align 8");
    let _ = writeln!(text, "{}}}", call(&chosen));
    text
}

/// LLVM IR of the function that detects the level of the processor and its system: 0 for no more than every x86 of 64 bits,
/// 1 for SSE4.2, 2 for AVX2, 3 for AVX-512.
const LEVEL: &str = include_str!("dispatch/level.ll");
