//! A program as a module of LLVM IR.
//!
//! A function is written when it is first called: once for the lanes of a mask, and once for all lanes, whichever is asked for. Other
//! programs call exported functions, in which all lanes are on, as C calls functions.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write;
use std::rc::Rc;

use ir::{Family, Masks, Target};
use ispc_ir::module::{GangFunction, GangModule, TextPlace};
use ispc_ir::types::{GangType, NumberType};
use native::emit::EntrySignature;

use crate::NotCompiled;
use crate::calls::extension;
use crate::debug::{DebugLines, DebugText};
use crate::flow::n_ops;
use crate::function::FunctionEmitter;
use crate::globals;
use crate::linked;
use crate::parts::{FunctionForm, ModuleParts, has_task_numbers, register_type, result_type, symbol};

/// The most ops of a function that is put into each of its callers.
const MOST_COPIED: usize = 80;
/// The widest gangs.
const MOST_LANES: u32 = 64;

/// The functions of a module that others call.
#[derive(Clone, Copy, Debug)]
pub enum ModuleDoors<'d> {
    /// Functions for programs in C and C++: their names, and their numbers in the program.
    Exports(&'d [(String, usize)]),
    /// Functions for programs in C and C++, and those that other ISPC files call by their symbols: their numbers.
    Linked(&'d [(String, usize)], &'d [usize]),
    /// A function that is called with the lanes that are on: its number.
    Lanes(usize),
    /// A function for a run by the worker.
    Run(usize),
}

/// The name of the function that a run calls.
pub const RUN_ENTRY: &str = "ispc.run";

/// The text of a program as a module for a target, without the lines of its source.
pub fn module(program: &GangModule, target: &Target, doors: ModuleDoors<'_>) -> Result<String, NotCompiled> {
    module_with_lines(program, target, doors, None)
}

/// The text of a program as a module for a target. With the lines of its source each instruction says where it comes from.
pub fn module_with_lines(
    program: &GangModule,
    target: &Target,
    doors: ModuleDoors<'_>,
    source: Option<Rc<dyn DebugLines>>,
) -> Result<String, NotCompiled> {
    let refused = |message: String| NotCompiled { place: TextPlace::default(), function: String::new(), message };
    if target.family == Family::Wasm {
        return Err(refused(
            "ISPC functions have addresses of 64 bits, and WebAssembly's have 32: choose another target".to_owned(),
        ));
    }
    let lanes = program.lanes;
    if !lanes.is_power_of_two() || lanes > MOST_LANES {
        return Err(refused(format!(
            "machine code has 1, 2, 4, 8, 16, 32 or 64 lanes, and not {lanes}: choose one of these with `--lanes`"
        )));
    }
    let mut parts = ModuleParts::default();
    parts.debug = DebugText::new(source);
    parts.has_bit_masks = target.masks == Masks::Bits;
    parts.is_run = matches!(doors, ModuleDoors::Run(_));
    parts.target_name = target.name;
    parts.has_sections = ["darwin", "macos", "windows"].iter().all(|system| !target.triple.contains(system));
    let (globals, are_known) = globals::globals(program, parts.is_run);
    let mut outside = String::new();
    let start = program.start.filter(|_| !are_known);
    if let Some(start) = start {
        let name = parts.called(program, FunctionForm { index: start, all_on: true });
        outside += &format!("define internal void @ispc.start() {{\n  call void {name}()\n  ret void\n}}\n");
        if !parts.is_run {
            outside += "@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr @ispc.start, ptr null }]\n";
        }
    }
    match doors {
        ModuleDoors::Exports(exports) | ModuleDoors::Linked(exports, _) => {
            for (name, index) in exports {
                outside += &exported(program, &mut parts, name, *index)?;
            }
            if let ModuleDoors::Linked(_, shared) = doors {
                parts.shared = shared.iter().copied().collect();
                for index in shared {
                    outside += &linked::shared(program, &mut parts, target.family, *index).unwrap_or_default();
                }
            }
        }
        ModuleDoors::Lanes(index) => {
            parts.called(program, FunctionForm { index, all_on: false });
        }
        ModuleDoors::Run(index) => outside += &run_entry(program, &mut parts, index, start.is_some()),
    }
    let mut texts: BTreeMap<FunctionForm, (String, String)> = BTreeMap::new();
    while let Some(form) = parts.work.pop() {
        parts.writing = Some(form);
        let function = &program.functions[form.index];
        let scope = parts.debug.open_function(&function.name, first_place(function));
        let text = FunctionEmitter::emit(program, form.index, form, target, &mut parts)?;
        texts.insert(form, (text, scope));
    }
    parts.writing = None;
    let circles = circles(&parts.edges);
    let mut defined: BTreeSet<String> = exports_of(doors).into_iter().map(|name| name.to_owned()).collect();
    defined.extend(parts.helpers.keys().map(|name| name.replace('"', "")));
    let mut text = format!("target triple = \"{}\"\n", target.triple);
    text += &globals;
    parts.helpers.values().for_each(|helper| text.push_str(helper));
    text += &parts.declarations(&defined);
    text += &outside;
    for (form, (function, scope)) in &texts {
        let is_small = n_ops(&program.functions[form.index].body) <= MOST_COPIED;
        let is_called_once = is_called_once(&parts, doors, *form) && !parts.addressed.contains(&form.index);
        let is_door = matches!(doors, ModuleDoors::Lanes(index) if index == form.index && !form.all_on);
        let copied = (is_small || is_called_once) && !circles.contains(form) && !is_door;
        let (head, body) = function.split_once(" {\n").unwrap_or((function, ""));
        let head = if is_door { head.replacen("define internal", "define", 1) } else { head.to_owned() };
        let how = if copied { "alwaysinline nounwind" } else { "noinline nounwind" };
        let _ = write!(text, "\n{head} {how}{scope} {{\n{body}");
    }
    text += &parts.debug.finish();
    Ok(text)
}

/// Returns true for a function whose code may stand where it is called: in one place, and in what other files call. Of a function that C
/// calls, too, those two share the code.
fn is_called_once(parts: &ModuleParts, doors: ModuleDoors<'_>, form: FunctionForm) -> bool {
    let n_outside = parts.calls_from_outside.get(&form).copied().unwrap_or_default();
    let is_of_c = || match doors {
        ModuleDoors::Linked(exports, _) => form.all_on && exports.iter().any(|(_, index)| *index == form.index),
        _ => false,
    };
    match (parts.calls.get(&form).copied().unwrap_or_default(), n_outside) {
        (1, 0) | (0, 1) => true,
        (1, 1) => !is_of_c(),
        _ => false,
    }
}

/// The place of the first op of a function that has one.
pub(crate) fn first_place(function: &GangFunction) -> TextPlace {
    let places = function.body.iter().map(|inst| inst.place);
    places.into_iter().find(|place| *place != TextPlace::default()).unwrap_or_default()
}

fn exports_of<'d>(doors: ModuleDoors<'d>) -> Vec<&'d str> {
    match doors {
        ModuleDoors::Exports(exports) | ModuleDoors::Linked(exports, _) => {
            exports.iter().map(|(name, _)| name.as_str()).collect()
        }
        ModuleDoors::Lanes(_) => Vec::new(),
        ModuleDoors::Run(_) => vec![RUN_ENTRY, "ISPCAlloc", "ISPCLaunch", "ISPCSync"],
    }
}

/// Functions that may come to themselves by their calls.
fn circles(edges: &BTreeSet<(FunctionForm, FunctionForm)>) -> BTreeSet<FunctionForm> {
    let mut next: HashMap<FunctionForm, Vec<FunctionForm>> = HashMap::new();
    edges.iter().for_each(|(from, to)| next.entry(*from).or_default().push(*to));
    let comes_back = |start: &FunctionForm| {
        let (mut seen, mut work) = (BTreeSet::new(), next[start].clone());
        while let Some(at) = work.pop() {
            if at == *start {
                return true;
            }
            if seen.insert(at) {
                work.extend(next.get(&at).into_iter().flatten());
            }
        }
        false
    };
    next.keys().filter(|start| comes_back(start)).copied().collect()
}

/// A function as C calls it: the types of LLVM's, each with the attribute by which C widens it.
pub fn signature(program: &GangModule, index: usize) -> EntrySignature {
    let function = &program.functions[index];
    let widened = |ty: &GangType| match ty.number {
        NumberType::F16 => "half".to_owned(),
        number => format!("{} {}", outer_type(program, *ty), extension(number)).trim_end().to_owned(),
    };
    let types: Vec<String> = function.params.iter().map(|reg| widened(&function.regs[reg.0 as usize])).collect();
    let params = types.iter().enumerate().map(|(nth, ty)| format!("{ty} %a{nth}")).collect();
    let result = match function.gives.first() {
        None => "void".to_owned(),
        Some(ty) if ty.number == NumberType::F16 => "half".to_owned(),
        Some(ty) => format!("{}{}", extension(ty.number), outer_type(program, *ty)),
    };
    EntrySignature { result, types, params }
}

fn outer_type(program: &GangModule, ty: GangType) -> String {
    match ty.number {
        NumberType::F16 => "half".to_owned(),
        _ => register_type(program.lanes, ty),
    }
}

/// The function that C calls.
fn exported(program: &GangModule, parts: &mut ModuleParts, name: &str, index: usize) -> Result<String, NotCompiled> {
    let function = &program.functions[index];
    let types: Vec<GangType> = function.params.iter().map(|reg| function.regs[reg.0 as usize]).collect();
    if types.iter().chain(&function.gives).any(|ty| ty.is_varying) || function.gives.len() > 1 {
        return Err(NotCompiled {
            place: TextPlace::default(),
            function: function.name.clone(),
            message:
                "an exported function takes and gives uniform numbers and addresses: pass structs by their address"
                    .to_owned(),
        });
    }
    let inner = parts.called(program, FunctionForm { index, all_on: true });
    let EntrySignature { result, params, .. } = signature(program, index);
    let place = first_place(function);
    let scope = parts.debug.open_function(name, place);
    let at = parts.debug.location(place);
    let mut text = format!("define {result} @{}({}) nounwind{scope} {{\n", symbol(name), params.join(", "));
    let mut given = Vec::new();
    for (nth, ty) in types.iter().enumerate() {
        match ty.number {
            NumberType::F16 => {
                let _ = writeln!(text, "  %b{nth} = bitcast half %a{nth} to i16");
                given.push(format!("i16 %b{nth}"));
            }
            _ => given.push(format!("{} %a{nth}", register_type(program.lanes, *ty))),
        }
    }
    if has_task_numbers(program, index) {
        parts.only_task();
        given.push("ptr @only.task".to_owned());
    }
    let given = given.join(", ");
    let _ = match function.gives.first() {
        None => writeln!(text, "  call void {inner}({given}){at}\n  ret void{at}\n}}"),
        Some(ty) if ty.number == NumberType::F16 => {
            writeln!(
                text,
                "  %r = call i16 {inner}({given}){at}\n  %h = bitcast i16 %r to half{at}\n  ret half %h{at}\n}}"
            )
        }
        Some(ty) => {
            let ty = register_type(program.lanes, *ty);
            writeln!(text, "  %r = call {ty} {inner}({given}){at}\n  ret {ty} %r{at}\n}}")
        }
    };
    Ok(text)
}

/// The function that a run calls: the slots have the lanes, where to print and how much, the address of each varying argument or else the
/// argument, and where results go to, 8 bytes for each number and lane.
fn run_entry(program: &GangModule, parts: &mut ModuleParts, index: usize, has_start: bool) -> String {
    let function = &program.functions[index];
    let lanes = program.lanes;
    let name = parts.called(program, FunctionForm { index, all_on: false });
    parts.helper("print.next", || "@print.next = internal global ptr null\n".to_owned());
    parts.helper("print.left", || "@print.left = internal global i64 0\n".to_owned());
    let mut text = format!("define void @{RUN_ENTRY}(ptr %slots) noinline nounwind {{\n");
    let mut slot = 0;
    let mut next = |text: &mut String, ty: &str| {
        let _ = writeln!(
            text,
            "  %p{slot} = getelementptr i64, ptr %slots, i64 {slot}\n  %s{slot} = load {ty}, ptr %p{slot}"
        );
        slot += 1;
        format!("%s{}", slot - 1)
    };
    let bits = next(&mut text, "i64");
    let printed = next(&mut text, "ptr");
    let room = next(&mut text, "i64");
    let _ = writeln!(text, "  store ptr {printed}, ptr @print.next\n  store i64 {room}, ptr @print.left");
    let few = if lanes == 64 { format!("add i64 {bits}, 0") } else { format!("trunc i64 {bits} to i{lanes}") };
    let _ = writeln!(text, "  %few = {few}\n  %mask = bitcast i{lanes} %few to <{lanes} x i1>");
    if has_start {
        text += "  call void @ispc.start()\n";
    }
    let mut given = Vec::new();
    for (nth, reg) in function.params.iter().enumerate() {
        let ty = function.regs[reg.0 as usize];
        let llvm = register_type(lanes, ty);
        let memory = memory_type(lanes, ty);
        let from = match ty.is_varying {
            true => next(&mut text, "ptr"),
            // A number lies in its slot.
            false => {
                let value = next(&mut text, "i64");
                value.replace("%s", "%p")
            }
        };
        let _ = writeln!(text, "  %m{nth} = load {memory}, ptr {from}, align 1");
        let value = match ty.number {
            NumberType::Bool => {
                let zero = if ty.is_varying { "zeroinitializer" } else { "0" };
                let _ = writeln!(text, "  %v{nth} = icmp ne {memory} %m{nth}, {zero}");
                format!("%v{nth}")
            }
            _ => format!("%m{nth}"),
        };
        given.push(format!("{llvm} {value}"));
    }
    let element = parts.mask_element();
    if element != "i1" {
        let _ = writeln!(text, "  %kept = sext <{lanes} x i1> %mask to <{lanes} x {element}>");
    }
    given.push(format!("<{lanes} x {element}> {}", if element == "i1" { "%mask" } else { "%kept" }));
    if has_task_numbers(program, index) {
        parts.only_task();
        given.push("ptr @only.task".to_owned());
    }
    let whole = result_type(lanes, &function.gives);
    let call = format!("call {whole} {name}({})", given.join(", "));
    if function.gives.is_empty() {
        let _ = writeln!(text, "  {call}");
    } else {
        let to = next(&mut text, "ptr");
        let _ = writeln!(text, "  %all = {call}");
        for (nth, ty) in function.gives.iter().enumerate() {
            let llvm = register_type(lanes, *ty);
            let memory = memory_type(lanes, *ty);
            let mut value = "%all".to_owned();
            if function.gives.len() > 1 {
                let _ = writeln!(text, "  %r{nth} = extractvalue {whole} %all, {nth}");
                value = format!("%r{nth}");
            }
            if ty.number == NumberType::Bool {
                let _ = writeln!(text, "  %z{nth} = zext {llvm} {value} to {memory}");
                value = format!("%z{nth}");
            }
            let at = nth as u64 * u64::from(lanes) * 8;
            let _ = writeln!(
                text,
                "  %o{nth} = getelementptr i8, ptr {to}, i64 {at}\n  store {memory} {value}, ptr %o{nth}, align 1"
            );
        }
    }
    text += "  ret void\n}\n";
    parts.declare("ptr", "malloc", "i64");
    text + RUN_TASKS
}

/// The type of a register's number in memory.
fn memory_type(lanes: u32, ty: GangType) -> String {
    let one = match ty.number {
        NumberType::Bool => "i8",
        NumberType::Pointer if !ty.is_varying => "ptr",
        number => crate::function::element(number),
    };
    if ty.is_varying { format!("<{lanes} x {one}>") } else { one.to_owned() }
}

/// Tasks of a run: each is run where it is launched, one behind the other.
const RUN_TASKS: &str = include_str!("module/tasks.ll");
