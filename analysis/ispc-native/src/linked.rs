//! Functions that ISPC files share when they are linked.
//!
//! Other files know a function by its symbol, with the target and the number of lanes behind it, since what is passed in registers, and how,
//! follows from these: `shade.v_float.avx2x8`. It takes its arguments, the lanes that are on, and the numbers of the task, which functions
//! that ask for none leave alone; that is the form in which functions are called by their address, too. Where all lanes are on, the code for
//! all lanes runs.

use std::fmt::Write;

use ir::Family;
use ispc_ir::module::{GangModule, GangReg};
use ispc_ir::types::GangType;

use crate::flow::n_ops;
use crate::function::{Compiles, FunctionEmitter};
use crate::module::first_place;
use crate::parts::{FunctionForm, ModuleParts, has_task_numbers, register_type, result_type, symbol};
use crate::value::Operand;

/// The most ops of a function that has no code of its own for other files that call it with all lanes on.
const FEW_OPS: usize = 12;

/// The name by which other files call a function, as LLVM IR writes it; none if it has no symbol, and in runs, which have one file alone.
pub(crate) fn linked_name(program: &GangModule, parts: &ModuleParts, index: usize) -> Option<String> {
    let own = program.functions[index].symbol.as_ref().filter(|_| !parts.is_run)?;
    Some(format!("@{}", symbol(&format!("{own}.{}x{}", parts.target_name, program.lanes))))
}

/// The types of what such a call passes.
fn passed(program: &GangModule, parts: &ModuleParts, index: usize) -> Vec<String> {
    let function = &program.functions[index];
    let types = function.params.iter().map(|reg| register_type(program.lanes, function.regs[reg.0 as usize]));
    let last = [format!("<{} x {}>", program.lanes, parts.mask_element()), "ptr".to_owned()];
    types.chain(last).collect()
}

/// The function that other files call, if this one has a symbol.
pub(crate) fn shared(program: &GangModule, parts: &mut ModuleParts, family: Family, index: usize) -> Option<String> {
    let name = linked_name(program, parts, index)?;
    let function = &program.functions[index];
    let gives = result_type(program.lanes, &function.gives);
    let place = first_place(function);
    let scope = parts.debug.open_function(name.trim_start_matches('@'), place);
    let at = parts.debug.location(place);
    let params: Vec<String> =
        passed(program, parts, index).iter().enumerate().map(|(nth, ty)| format!("{ty} %a{nth}")).collect();
    let (args, last) = params.split_at(params.len() - 2);
    let call = |parts: &mut ModuleParts, all_on: bool| {
        let form = FunctionForm { index, all_on };
        let callee = parts.called_from_outside(program, form);
        let mut given = args.to_vec();
        given.extend((!all_on).then(|| last[0].clone()));
        given.extend(has_task_numbers(program, index).then(|| last[1].clone()));
        let given = given.join(", ");
        let result = format!("%r{}", u8::from(all_on));
        match &*gives {
            "void" => format!("  call void {callee}({given}){at}\n  ret void{at}\n"),
            gives => format!("  {result} = call {gives} {callee}({given}){at}\n  ret {gives} {result}{at}\n"),
        }
    };
    let body = if n_ops(&function.body) <= FEW_OPS {
        call(parts, false)
    } else {
        let test = all_on_test(parts, program.lanes, family, &last[0]);
        let (on, some) = (call(parts, true), call(parts, false));
        format!("{test}  br i1 %all, label %on, label %some\non:\n{on}some:\n{some}")
    };
    let section =
        if parts.has_sections { format!(" section \".text.{}\"", name.trim_start_matches('@')) } else { String::new() };
    let mut text = String::new();
    let _ = write!(text, "\ndefine {gives} {name}({}) nounwind{section}{scope} {{\n{body}}}\n", params.join(", "));
    Some(text)
}

/// Sets `%all` to true if all lanes of a mask are on.
fn all_on_test(parts: &mut ModuleParts, lanes: u32, family: Family, mask: &str) -> String {
    let (mut text, mut truths) = (String::new(), mask.to_owned());
    if parts.mask_element() != "i1" {
        let _ = writeln!(text, "  %on.lanes = icmp slt {mask}, zeroinitializer");
        truths = format!("<{lanes} x i1> %on.lanes");
    }
    match family {
        Family::X86 => {
            let _ = writeln!(text, "  %bits = bitcast {truths} to i{lanes}\n  %all = icmp eq i{lanes} %bits, -1");
        }
        _ => {
            let name = format!("llvm.vector.reduce.and.v{lanes}i1");
            parts.declare("i1", &name, &format!("<{lanes} x i1>"));
            let _ = writeln!(text, "  %all = call i1 @{name}({truths})");
        }
    }
    text
}

impl FunctionEmitter<'_> {
    /// Declares a function that another file has; its name.
    pub(crate) fn function_outside(&mut self, index: usize) -> Option<Operand> {
        let name = linked_name(self.program, self.parts, index)?;
        let gives = result_type(self.lanes, &self.program.functions[index].gives);
        let types = passed(self.program, self.parts, index).join(", ");
        self.parts.declare(&gives, name.trim_start_matches('@'), &types);
        Some(name.into())
    }

    /// Calls a function that another ISPC file has; false if there is no way to.
    pub(crate) fn call_linked(&mut self, results: &[GangReg], index: usize, args: &[GangReg]) -> Compiles<bool> {
        let Some(callee) = self.function_outside(index) else { return Ok(false) };
        let gives: Vec<GangType> = self.program.functions[index].gives.clone();
        let mask = self.mask_vector();
        let (masks, mask) = (self.kept_type(), self.kept(&mask));
        self.parts.only_task();
        let mut given: Vec<String> = args.iter().map(|arg| self.typed(*arg)).collect();
        given.extend([format!("{masks} {mask}"), "ptr @only.task".to_owned()]);
        let values = self.called(&callee, &gives, &given);
        for (reg, value) in results.iter().zip(values) {
            self.set_plain(*reg, value);
        }
        Ok(true)
    }
}
