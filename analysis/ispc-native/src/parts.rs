//! The parts of a module: functions that are asked for, declarations, globals, texts, and types.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write;

use ispc_ir::module::{GangModule, GlobalId, MemorySharing};
use ispc_ir::op::GangOp;
use ispc_ir::types::{GangType, NumberType};
use ispc_ir::walk::each_inst;

use crate::debug::DebugText;
use crate::function::element;
use crate::linked::linked_name;
use crate::value::Operand;

/// A function in one of its two forms: for the lanes of a mask, or for all lanes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct FunctionForm {
    /// Its number in the program.
    pub(crate) index: usize,
    /// True if all lanes are on.
    pub(crate) all_on: bool,
}

/// The parts of a module as they are asked for.
#[derive(Default)]
pub(crate) struct ModuleParts {
    /// Functions that are asked for and have no text yet.
    pub(crate) work: Vec<FunctionForm>,
    /// All that were asked for, and how many places call each.
    pub(crate) calls: HashMap<FunctionForm, usize>,
    /// Calls from one to another.
    pub(crate) edges: BTreeSet<(FunctionForm, FunctionForm)>,
    /// The function that is being written.
    pub(crate) writing: Option<FunctionForm>,
    /// Functions whose address is taken: for their lanes, they are called by it.
    pub(crate) addressed: BTreeSet<usize>,
    declared: BTreeMap<String, String>,
    /// Functions and constants that the module defines for itself, by their names.
    pub(crate) helpers: BTreeMap<String, String>,
    n_texts: usize,
    /// True on targets with masks of one bit a lane.
    pub(crate) has_bit_masks: bool,
    /// The target, as symbols name it.
    pub(crate) target_name: &'static str,
    /// True where each function that other files call stands in a section of its own, so that a linker may leave it out.
    pub(crate) has_sections: bool,
    /// The functions that other ISPC files call.
    pub(crate) shared: BTreeSet<usize>,
    /// All that are called for other files, and how many places do so.
    pub(crate) calls_from_outside: HashMap<FunctionForm, usize>,
    /// True for a run by the worker, which prints into memory and has no tasks beside it.
    pub(crate) is_run: bool,
    /// The lines that instructions come from.
    pub(crate) debug: DebugText,
}

impl ModuleParts {
    /// A lane of a mask that is passed or kept: a bit, or a whole number that is below zero if the lane is on.
    pub(crate) fn mask_element(&self) -> &'static str {
        if self.has_bit_masks { "i1" } else { "i32" }
    }

    /// Declares a function of other modules.
    pub(crate) fn declare(&mut self, gives: &str, name: &str, types: &str) {
        if !self.helpers.contains_key(name) {
            let declaration = || format!("declare {gives} @{name}({types})\n");
            self.declared.entry(name.to_owned()).or_insert_with(declaration);
        }
    }

    /// The declarations of all functions that the module does not define.
    pub(crate) fn declarations(&self, defined: &BTreeSet<String>) -> String {
        let others = self.declared.iter().filter(|(name, _)| !defined.contains(&name.replace('"', "")));
        others.filter(|(name, _)| !self.helpers.contains_key(*name)).map(|(_, text)| text.as_str()).collect()
    }

    /// A function or constant of the module itself, which is written when it is first wanted.
    pub(crate) fn helper(&mut self, name: &str, text: impl FnOnce() -> String) {
        if !self.helpers.contains_key(name) {
            let text = text();
            self.helpers.insert(name.to_owned(), text);
        }
    }

    /// A text that ends in a zero.
    pub(crate) fn text(&mut self, text: &str) -> Operand {
        let escaped: String = text
            .bytes()
            .map(|byte| match byte {
                b'"' | b'\\' => format!("\\{byte:02X}"),
                0x20..0x7f => char::from(byte).to_string(),
                _ => format!("\\{byte:02X}"),
            })
            .collect();
        let found = self.helpers.iter().find(|(_, known)| known.ends_with(&format!(" c\"{escaped}\\00\"\n")));
        if let Some((name, _)) = found {
            return format!("@{name}").into();
        }
        self.n_texts += 1;
        let name = format!("text.{}", self.n_texts);
        let n_bytes = text.len() + 1;
        let constant = format!("@{name} = private unnamed_addr constant [{n_bytes} x i8] c\"{escaped}\\00\"\n");
        self.helpers.insert(name.clone(), constant);
        format!("@{name}").into()
    }

    /// The name of a global, which is defined by [`crate::globals`].
    pub(crate) fn global(&self, program: &GangModule, id: GlobalId) -> Operand {
        global_symbol(program, id.0 as usize).into()
    }

    /// Asks for a function; its name.
    pub(crate) fn called(&mut self, program: &GangModule, form: FunctionForm) -> String {
        if let Some(from) = self.writing {
            self.edges.insert((from, form));
        }
        let n_calls = self.calls.entry(form).or_insert_with(|| {
            self.work.push(form);
            0
        });
        *n_calls += 1;
        function_symbol(program, form)
    }

    /// Asks for a function that is called for other files; its name.
    pub(crate) fn called_from_outside(&mut self, program: &GangModule, form: FunctionForm) -> String {
        self.calls.entry(form).or_insert_with(|| {
            self.work.push(form);
            0
        });
        *self.calls_from_outside.entry(form).or_default() += 1;
        function_symbol(program, form)
    }

    /// The address of a function: called by it, it takes its arguments, a mask, and the numbers of the task.
    pub(crate) fn address_of(&mut self, program: &GangModule, index: usize) -> Operand {
        // All files have one address of it.
        if self.shared.contains(&index)
            && let Some(name) = linked_name(program, self, index)
        {
            return name.into();
        }
        let form = FunctionForm { index, all_on: false };
        let function = &program.functions[index];
        self.addressed.insert(index);
        let own = self.called(program, form);
        let name = format!("\"{}.called\"", own.trim_start_matches('@').replace('"', ""));
        let types = function.params.iter().map(|reg| register_type(program.lanes, function.regs[reg.0 as usize]));
        let mut params: Vec<String> = types.enumerate().map(|(nth, ty)| format!("{ty} %a{nth}")).collect();
        params.push(format!("<{} x {}> %mask", program.lanes, self.mask_element()));
        let gives = result_type(program.lanes, &function.gives);
        let task = "ptr %task".to_owned();
        let taken = params.iter().chain([&task]).cloned().collect::<Vec<_>>().join(", ");
        if has_task_numbers(program, index) {
            params.push(task);
        }
        let (set, end) = match gives.as_str() {
            "void" => ("", "ret void".to_owned()),
            gives => ("%r = ", format!("ret {gives} %r")),
        };
        let given = params.join(", ");
        let text = format!(
            "define internal {gives} @{name}({taken}) nounwind {{\n  {set}call {gives} {own}({given})\n  {end}\n}}\n"
        );
        self.helper(&name, || text);
        format!("@{name}").into()
    }

    /// The numbers of a task that is the only one.
    pub(crate) fn only_task(&mut self) {
        let numbers = [0, 1, 0, 1, 0, 0, 0, 1, 1, 1].map(|number| format!("i32 {number}")).join(", ");
        self.helper("only.task", || format!("@only.task = private constant [10 x i32] [{numbers}]\n"));
    }

    /// The first line of a function, without what says how it is put into its callers.
    pub(crate) fn head(&self, program: &GangModule, index: usize, form: FunctionForm) -> String {
        let function = &program.functions[index];
        let mut params = Vec::new();
        for (nth, reg) in function.params.iter().enumerate() {
            params.push(format!("{} %arg{nth}", register_type(program.lanes, function.regs[reg.0 as usize])));
        }
        if !form.all_on {
            params.push(format!("<{} x {}> %mask", program.lanes, self.mask_element()));
        }
        if has_task_numbers(program, index) {
            params.push("ptr %task".to_owned());
        }
        let gives = result_type(program.lanes, &function.gives);
        let mut text = String::new();
        let _ = write!(text, "define internal {gives} {}({})", function_symbol(program, form), params.join(", "));
        text
    }
}

/// The type of a register.
pub(crate) fn register_type(lanes: u32, ty: GangType) -> String {
    match ty.number {
        NumberType::Pointer if !ty.is_varying => "ptr".to_owned(),
        number if ty.is_varying => format!("<{lanes} x {}>", element(number)),
        number => element(number).to_owned(),
    }
}

/// The type of all that a function gives.
pub(crate) fn result_type(lanes: u32, gives: &[GangType]) -> String {
    let types: Vec<String> = gives.iter().map(|ty| register_type(lanes, *ty)).collect();
    match &types[..] {
        [] => "void".to_owned(),
        [one] => one.clone(),
        several => format!("{{ {} }}", several.join(", ")),
    }
}

/// Returns true for a function that asks which task it is: it is passed the numbers.
pub(crate) fn has_task_numbers(program: &GangModule, index: usize) -> bool {
    let mut found = false;
    each_inst(&program.functions[index].body, &mut |inst| found |= matches!(inst.op, GangOp::Task(_)));
    found
}

/// A name as LLVM IR writes it.
pub(crate) fn symbol(name: &str) -> String {
    let is_plain = |char: char| char.is_ascii_alphanumeric() || "_.$".contains(char);
    if !name.is_empty() && name.chars().all(is_plain) {
        return name.to_owned();
    }
    let escaped: String = name.chars().map(|char| if "\"\\".contains(char) { '_' } else { char }).collect();
    format!("\"{escaped}\"")
}

/// The name of a function in one of its forms.
pub(crate) fn function_symbol(program: &GangModule, form: FunctionForm) -> String {
    let name = &program.functions[form.index].name;
    let name: String = name.chars().filter(|char| !"\"\\".contains(*char)).collect();
    format!("@\"{name}.{}{}\"", form.index, if form.all_on { ".all" } else { "" })
}

/// The name of a global: its own, if other programs know it.
pub(crate) fn global_symbol(program: &GangModule, index: usize) -> String {
    if program.globals[index].sharing != MemorySharing::Own {
        return format!("@{}", symbol(&program.globals[index].name));
    }
    let name: String = program.globals[index].name.chars().filter(|char| !"\"\\".contains(*char)).collect();
    format!("@\"global.{index}.{name}\"")
}
