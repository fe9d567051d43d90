//! A program as text.
//!
//! Each register is written with its type where it is set. A place in memory is an address in brackets.

use std::collections::HashMap;
use std::fmt::Write;
use std::marker::PhantomData;

use crate::module::{CallTarget, GangBlock, GangFunction, GangInst, GangModule, GangReg, TextPlace};
use crate::op::{GangOp, PrintedPart, TaskNumber};
use crate::types::NumberType;

/// A program as text: its globals, then its functions.
pub fn print(module: &GangModule) -> String {
    let mut text = format!("lanes {}\n", module.lanes);
    for (nth, global) in module.globals.iter().enumerate() {
        let _ = writeln!(text, "global @{nth} `{}`: {}", global.name, bytes(global.bytes));
    }
    for function in &module.functions {
        text.push('\n');
        text += &print_function(module, function);
    }
    text
}

fn bytes(n: u64) -> String {
    if n == 1 { "1 byte".to_owned() } else { format!("{n} bytes") }
}

/// A program as lines, each with the place in the source of the op that it shows.
pub fn print_lines(module: &GangModule) -> Vec<(String, TextPlace)> {
    let mut lines = Vec::new();
    for (nth, function) in module.functions.iter().enumerate() {
        if nth > 0 {
            lines.push((String::new(), TextPlace::default()));
        }
        let GangPrinter { text, places, .. } = printed(module, function);
        let places = places.into_iter().chain(std::iter::repeat(TextPlace::default()));
        lines.extend(text.lines().map(str::to_owned).zip(places));
    }
    lines
}

/// The line of the program's text that each op begins on, from 0.
pub struct OpLines<'m> {
    of: HashMap<*const GangInst, usize>,
    module: PhantomData<&'m GangModule>,
}

impl<'m> OpLines<'m> {
    /// The lines of a program, as [`print_lines`] writes it.
    pub fn of(module: &'m GangModule) -> OpLines<'m> {
        let (mut of, mut first) = (HashMap::new(), 0);
        for function in &module.functions {
            let printer = printed(module, function);
            of.extend(printer.ops.iter().map(|(op, line)| (*op, first + line)));
            // An empty line stands between functions.
            first += printer.text.lines().count() + 1;
        }
        OpLines { of, module: PhantomData }
    }

    /// The line of an op of that program.
    pub fn line(&self, op: &'m GangInst) -> Option<usize> {
        self.of.get(&std::ptr::from_ref(op)).copied()
    }
}

/// A function as text.
pub fn print_function(module: &GangModule, function: &GangFunction) -> String {
    printed(module, function).text
}

/// Writes a function.
fn printed<'m>(module: &'m GangModule, function: &'m GangFunction) -> GangPrinter<'m> {
    let (places, at) = (vec![TextPlace::default(); 1 + function.slots.len()], TextPlace::default());
    let mut printer = GangPrinter { module, function, text: String::new(), depth: 1, places, ops: Vec::new(), at };
    let params = function.params.iter().map(|reg| format!("%{}: {}", reg.0, function.regs[reg.0 as usize]));
    let params: Vec<String> = params.collect();
    let gives: Vec<String> = function.gives.iter().map(ToString::to_string).collect();
    let gives = if gives.is_empty() { String::new() } else { format!(" -> {}", gives.join(", ")) };
    let head = format!("function {}({}){gives}", function.name, params.join(", "));
    if function.is_external {
        printer.text = format!("external {head}\n");
        return printer;
    }
    let _ = writeln!(printer.text, "{head} {{");
    for (nth, slot) in function.slots.iter().enumerate() {
        let _ = writeln!(printer.text, "  local ${nth} {}: {}", slot.name, bytes(slot.bytes));
    }
    printer.block(&function.body);
    printer.text.push_str("}\n");
    printer
}

struct GangPrinter<'m> {
    module: &'m GangModule,
    function: &'m GangFunction,
    text: String,
    depth: usize,
    /// The place of each line.
    places: Vec<TextPlace>,
    /// The ops, each with the line that it begins on.
    ops: Vec<(*const GangInst, usize)>,
    /// The place of the op that is written.
    at: TextPlace,
}

fn regs(all: &[GangReg]) -> String {
    let all: Vec<String> = all.iter().map(|reg| format!("%{}", reg.0)).collect();
    all.join(", ")
}

/// The word of an op: its name with lower-case letters, words parted.
fn word(name: impl std::fmt::Debug) -> String {
    let mut word = String::new();
    for char in format!("{name:?}").chars() {
        if char.is_uppercase() && !word.is_empty() {
            word.push('_');
        }
        word.extend(char.to_lowercase());
    }
    word
}

impl GangPrinter<'_> {
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.text, "{}{text}", "  ".repeat(self.depth));
        self.places.push(self.at);
    }

    fn block(&mut self, block: &GangBlock) {
        block.iter().for_each(|inst| self.inst(inst));
    }

    fn inner(&mut self, head: &str, block: &GangBlock) {
        self.line(head);
        self.depth += 1;
        self.block(block);
        self.depth -= 1;
    }

    fn inst(&mut self, inst: &GangInst) {
        let around = std::mem::replace(&mut self.at, inst.place);
        self.ops.push((inst, self.places.len()));
        self.op_lines(inst);
        self.at = around;
    }

    fn op_lines(&mut self, inst: &GangInst) {
        match &inst.op {
            GangOp::If(test, yes, no) => {
                self.inner(&format!("if %{} {{", test.0), yes);
                if !no.is_empty() {
                    self.inner("} else {", no);
                }
                self.line("}");
            }
            GangOp::Loop { id, test, body, step, again } => {
                self.line(&format!("loop #{} {{", id.0));
                self.depth += 1;
                if let Some((block, holds)) = test {
                    self.block(block);
                    self.line(&format!("while %{}", holds.0));
                }
                self.block(body);
                if !step.is_empty() {
                    self.inner("step {", step);
                    self.line("}");
                }
                if let Some(again) = again {
                    self.line(&format!("while %{}", again.0));
                }
                self.depth -= 1;
                self.line("}");
            }
            GangOp::Switch { id, value, cases } => {
                self.line(&format!("switch #{} %{} {{", id.0, value.0));
                for case in cases {
                    let values =
                        case.values.iter().map(|value| value.map_or("default".to_owned(), |it| it.to_string()));
                    let values: Vec<String> = values.collect();
                    self.inner(&format!("{}:", values.join(", ")), &case.block);
                }
                self.line("}");
            }
            GangOp::AllLanes(body) => {
                self.inner("all lanes {", body);
                self.line("}");
            }
            GangOp::EachLane { id, lane, body } => {
                self.inner(&format!("each lane #{} %{}: uniform int64 {{", id.0, lane.0), body);
                self.line("}");
            }
            GangOp::EachValue { id, over, value, body } => {
                let ty = self.function.regs[value.0 as usize];
                self.inner(&format!("each value #{} %{}: {ty} of %{} {{", id.0, value.0, over.0), body);
                self.line("}");
            }
            GangOp::Labelled(blocks) => {
                for (id, block) in blocks {
                    self.inner(&format!("block #{} {{", id.0), block);
                    self.line("}");
                }
            }
            op => {
                let set = inst.results.iter().map(|reg| format!("%{}: {}", reg.0, self.function.regs[reg.0 as usize]));
                let set: Vec<String> = set.collect();
                let text = self.op(inst, op);
                self.line(&if set.is_empty() { text } else { format!("{} = {text}", set.join(", ")) });
            }
        }
    }

    fn target(&self, target: &CallTarget) -> String {
        match target {
            CallTarget::Known(index) => self.module.functions.get(*index).map_or("?", |it| &it.name).to_owned(),
            CallTarget::Address(reg, _) => format!("[%{}]", reg.0),
        }
    }

    fn op(&self, inst: &GangInst, op: &GangOp) -> String {
        match op {
            GangOp::Constant(bits) => {
                let ty = inst.results.first().map_or(NumberType::U64, |reg| self.function.regs[reg.0 as usize].number);
                constant(*bits, ty)
            }
            GangOp::Global(id) => format!("address of @{}", id.0),
            GangOp::Slot(id) => format!("address of ${}", id.0),
            GangOp::Function(index) => format!("address of {}", self.target(&CallTarget::Known(*index))),
            GangOp::LaneIndex => "lane index".to_owned(),
            GangOp::Task(number) => match number {
                TaskNumber::IndexIn(nth) => format!("task index {nth}"),
                TaskNumber::CountIn(nth) => format!("task count {nth}"),
                other => format!("task {}", word(other)),
            },
            GangOp::ActiveLanes => "active lanes".to_owned(),
            GangOp::One(op, value) => format!("{} %{}", word(op), value.0),
            GangOp::Two(op, left, right) => format!("{} %{}, %{}", word(op), left.0, right.0),
            GangOp::Compare(relation, left, right) => format!("{} %{}, %{}", word(relation), left.0, right.0),
            GangOp::Select(test, yes, no) => format!("select {}", regs(&[*test, *yes, *no])),
            GangOp::Fused(a, b, c) => format!("fused {}", regs(&[*a, *b, *c])),
            GangOp::Convert(value) => format!("convert %{}", value.0),
            GangOp::Reinterpret(value) => format!("bits of %{}", value.0),
            GangOp::Spread(value) => format!("spread %{}", value.0),
            GangOp::Extract(value, lane) => format!("extract {}", regs(&[*value, *lane])),
            GangOp::Insert(value, lane, number) => format!("insert {}", regs(&[*value, *lane, *number])),
            GangOp::Shuffle(values, by) => format!("shuffle {} by %{}", regs(values), by.0),
            GangOp::Reduce(join, value) => format!("reduce {} %{}", word(join), value.0),
            GangOp::Scan(join, value) => format!("scan {} %{}", word(join), value.0),
            GangOp::ReduceEqual(value) => format!("reduce equal %{}", value.0),
            GangOp::PackBits(value) => format!("pack bits %{}", value.0),
            GangOp::Load(address) => format!("load [%{}]", address.0),
            GangOp::Store { address, value } => format!("store [%{}], %{}", address.0, value.0),
            GangOp::PackedStore { address, value } => format!("packed store [%{}], %{}", address.0, value.0),
            GangOp::PackedLoad { address, before } => format!("packed load [%{}] over %{}", address.0, before.0),
            GangOp::CopyBytes { to, from, count } => format!("copy [%{}] from [%{}], %{} bytes", to.0, from.0, count.0),
            GangOp::SetBytes { to, value, count } => format!("set [%{}] to %{}, %{} bytes", to.0, value.0, count.0),
            GangOp::Allocate(count) => format!("new %{} bytes", count.0),
            GangOp::AllocateLocal(count) => format!("alloca %{} bytes", count.0),
            GangOp::Free(address) => format!("delete [%{}]", address.0),
            GangOp::Atomic { change, address, value, compared } => {
                let compared = compared.map_or(String::new(), |reg| format!(" if %{}", reg.0));
                format!("atomic {} [%{}], %{}{compared}", word(change), address.0, value.0)
            }
            GangOp::Call(target, args) => format!("call {}({})", self.target(target), regs(args)),
            GangOp::Launch { target, counts, args } => {
                format!("launch {} of {}({})", regs(counts), self.target(target), regs(args))
            }
            GangOp::Sync => "sync".to_owned(),
            GangOp::Print(parts) => {
                let parts = parts.iter().map(|part| match part {
                    PrintedPart::Text(text) => format!("{text:?}"),
                    PrintedPart::Value(reg) => format!("%{}", reg.0),
                });
                format!("print {}", parts.collect::<Vec<_>>().join(", "))
            }
            GangOp::Assert(holds, text) => format!("assert %{} {text:?}", holds.0),
            GangOp::Clock => "clock".to_owned(),
            GangOp::Break(id) => format!("break #{}", id.0),
            GangOp::Continue(id) => format!("continue #{}", id.0),
            GangOp::Goto(id) => format!("goto #{}", id.0),
            GangOp::Return(values) => format!("return {}", regs(values)).trim_end().to_owned(),
            // Statements with blocks have been written already.
            _ => String::new(),
        }
    }
}

fn constant(bits: u64, ty: NumberType) -> String {
    match ty {
        NumberType::Bool => (bits != 0).to_string(),
        NumberType::Pointer if bits == 0 => "null".to_owned(),
        _ if ty.is_float() => format!("{:?}", crate::machine::wide(bits, ty)),
        _ if ty.is_signed() => {
            let unused = 64 - ty.bits();
            (((bits << unused) as i64) >> unused).to_string()
        }
        _ => bits.to_string(),
    }
}
