//! Calls, tasks, and what is printed.
//!
//! A function of the program takes its arguments and the lanes that are on. One that other programs have is called as C calls it, once
//! if any lane is on. Tasks are started and waited for by three functions that the program which links this code has: `ISPCAlloc`,
//! `ISPCLaunch` and `ISPCSync`.

use ispc_ir::module::{CallTarget, GangFunction, GangInst, GangReg};
use ispc_ir::op::{GangOp, PrintedPart};
use ispc_ir::types::{GangType, NumberType};

use crate::function::{Compiles, FunctionEmitter, Mask, element};
use crate::parts::{FunctionForm, has_task_numbers, result_type, symbol};
use crate::value::Operand;

/// The argument for a function that asks which task it is, and is called.
const ONLY_TASK: &str = "ptr @only.task";

impl FunctionEmitter<'_> {
    /// Writes a call, or what is like one.
    pub(crate) fn calling(&mut self, inst: &GangInst) -> Compiles {
        match &inst.op {
            GangOp::Call(target, args) => self.call_op(inst, target, args),
            GangOp::Launch { target, counts, args } => self.launch(target, counts, args),
            GangOp::Sync => {
                self.wait_for_tasks();
                Ok(())
            }
            GangOp::Print(parts) => self.print(parts),
            GangOp::Assert(holds, text) => self.assert(*holds, text),
            _ => self.refuse("this op has no code"),
        }
    }

    fn call_op(&mut self, inst: &GangInst, target: &CallTarget, args: &[GangReg]) -> Compiles {
        match target {
            CallTarget::Known(index) => {
                let callee = &self.program.functions[*index];
                if callee.is_external {
                    return self.call_outside(inst, *index, args);
                }
                let gives = callee.gives.clone();
                let mut given: Vec<String> = args.iter().map(|arg| self.typed(*arg)).collect();
                let form = FunctionForm { index: *index, all_on: self.mask == Mask::All };
                if let Mask::Some(mask) = self.mask.clone() {
                    let kept = self.kept(&mask);
                    given.push(format!("{} {kept}", self.kept_type()));
                }
                if has_task_numbers(self.program, *index) {
                    self.parts.only_task();
                    given.push(ONLY_TASK.to_owned());
                }
                let name = self.parts.called(self.program, form);
                let results = self.called(&name, &gives, &given);
                for (reg, value) in inst.results.iter().zip(results) {
                    self.set_plain(*reg, value);
                }
                Ok(())
            }
            CallTarget::Address(address, gives) => {
                let given: Vec<String> = args.iter().map(|arg| self.typed(*arg)).collect();
                let mask = self.mask_vector();
                let (masks, mask) = (self.kept_type(), self.kept(&mask));
                self.parts.only_task();
                if !self.type_of(*address).is_varying {
                    let callee = self.plain(*address);
                    let last = [format!("{masks} {mask}"), ONLY_TASK.to_owned()];
                    let given: Vec<String> = given.into_iter().chain(last).collect();
                    let results = self.called(&callee, gives, &given);
                    for (reg, value) in inst.results.iter().zip(results) {
                        self.set_plain(*reg, value);
                    }
                    return Ok(());
                }
                self.call_each(inst, *address, gives, given)
            }
        }
    }

    /// The results of a call.
    pub(crate) fn called(&mut self, callee: &str, gives: &[GangType], args: &[String]) -> Vec<Operand> {
        let whole = result_type(self.lanes, gives);
        let text = format!("call {whole} {callee}({})", args.join(", "));
        match gives.len() {
            0 => {
                self.line(text);
                Vec::new()
            }
            1 => vec![self.set(text)],
            n => {
                let all = self.set(text);
                (0..n).map(|nth| self.set(format!("extractvalue {whole} {all}, {nth}"))).collect()
            }
        }
    }

    /// Calls the function at each lane's address: once for the lanes of each.
    fn call_each(&mut self, inst: &GangInst, address: GangReg, gives: &[GangType], given: Vec<String>) -> Compiles {
        let addresses = self.plain(address);
        let cells: Vec<(Operand, String)> = inst
            .results
            .iter()
            .map(|reg| {
                let ty = self.ty(self.type_of(*reg));
                let cell = self.allocate(&ty);
                self.line(format!("store {ty} zeroinitializer, ptr {cell}"));
                (cell, ty)
            })
            .collect();
        let masks = self.mask_type();
        self.each_distinct(&addresses, "i64", |emitter, one, mask| {
            let callee = emitter.set(format!("inttoptr i64 {one} to ptr"));
            let kept = emitter.kept(mask);
            let last = [format!("{} {kept}", emitter.kept_type()), ONLY_TASK.to_owned()];
            let given: Vec<String> = given.iter().cloned().chain(last).collect();
            let results = emitter.called(&callee, gives, &given);
            for (((cell, ty), value), of) in cells.iter().zip(results).zip(gives) {
                let value = match of.is_varying {
                    true => value,
                    false => {
                        let number = match of.number {
                            NumberType::Pointer => emitter.set(format!("ptrtoint ptr {value} to i64")),
                            _ => value,
                        };
                        emitter.splat(element(of.number), &number)
                    }
                };
                let before = emitter.set(format!("load {ty}, ptr {cell}"));
                let mask = emitter.truths(mask);
                let now = emitter.set(format!("select {masks} {mask}, {ty} {value}, {ty} {before}"));
                emitter.line(format!("store {ty} {now}, ptr {cell}"));
            }
            Ok(())
        })?;
        for (reg, (cell, ty)) in inst.results.iter().zip(&cells) {
            let value = self.set(format!("load {ty}, ptr {cell}"));
            self.set_plain(*reg, value);
        }
        Ok(())
    }

    /// Calls a function that another program has, as C does.
    fn call_outside(&mut self, inst: &GangInst, index: usize, args: &[GangReg]) -> Compiles {
        if self.call_linked(&inst.results, index, args)? {
            return Ok(());
        }
        let name = self.program.functions[index].name.clone();
        let varies = |reg: &GangReg| self.type_of(*reg).is_varying;
        if !self.program.functions[index].is_of_c || args.iter().chain(&inst.results).any(varies) {
            return self.refuse(no_way_to(&name, &self.program.functions[index], self.parts.is_run));
        }
        if inst.results.len() > 1 {
            return self.refuse(format!(
                "`{name}` is in another file and gives a struct: let it take the address of one instead"
            ));
        }
        let mut given = Vec::new();
        let mut types = Vec::new();
        for arg in args {
            let ty = self.type_of(*arg);
            let (llvm, extension) = (self.ty(ty), extension(ty.number));
            let value = self.plain(*arg);
            given.push(format!("{llvm} {extension}{value}"));
            types.push(llvm);
        }
        let gives = inst.results.first().map(|reg| self.type_of(*reg));
        let whole = gives.map_or("void".to_owned(), |ty| self.ty(ty));
        let name = symbol(&name);
        self.parts.declare(&whole, &name, &types.join(", "));
        let extension = gives.map_or("", |ty| extension(ty.number));
        let text = format!("call {extension}{whole} @{name}({})", given.join(", "));
        match inst.results.first() {
            Some(reg) => {
                let value = self.set(text);
                self.set_plain(*reg, value);
            }
            None => self.line(text),
        }
        Ok(())
    }

    // Tasks.

    fn launch(&mut self, target: &CallTarget, counts: &[GangReg; 3], args: &[GangReg]) -> Compiles {
        if let CallTarget::Known(index) = *target
            && self.program.functions[index].is_external
            && self.program.functions[index].symbol.as_ref().is_none_or(|_| self.parts.is_run)
        {
            let name = &self.program.functions[index].name;
            return self.refuse(no_way_to(name, &self.program.functions[index], self.parts.is_run));
        }
        let Some(tasks) = self.tasks.clone() else { return Ok(()) };
        // The data of a task are its arguments, and its address if that is known here alone.
        let by_address = match target {
            CallTarget::Known(_) => None,
            CallTarget::Address(address, _) => Some(*address),
        };
        let args: Vec<GangReg> = args.iter().copied().chain(by_address).collect();
        let types: Vec<String> = args.iter().map(|arg| self.ty(self.type_of(*arg))).collect();
        let data = format!("{{ {} }}", if types.is_empty() { "i8".to_owned() } else { types.join(", ") });
        let size = self.set(format!("getelementptr {data}, ptr null, i64 1"));
        let size = self.set(format!("ptrtoint ptr {size} to i64"));
        let memory = self.call("ptr", "ISPCAlloc", &[("ptr", &tasks), ("i64", &size), ("i32", "64")]);
        for (nth, (arg, ty)) in args.iter().zip(&types).enumerate() {
            let value = self.plain(*arg);
            let place = self.set(format!("getelementptr {data}, ptr {memory}, i32 0, i32 {nth}"));
            self.line(format!("store {ty} {value}, ptr {place}"));
        }
        let wrapper = match target {
            CallTarget::Known(index) => match self.program.functions[*index].is_external {
                true => self.task_outside(*index, &data, &types),
                false => self.task_wrapper(*index, &data, &types),
            },
            CallTarget::Address(..) => self.task_by_address(&data, &types),
        };
        let counts = counts.map(|count| self.plain(count));
        let [x, y, z] = &counts;
        let handed =
            [("ptr", &*tasks), ("ptr", &*wrapper), ("ptr", &*memory), ("i32", &**x), ("i32", &**y), ("i32", &**z)];
        self.call("void", "ISPCLaunch", &handed);
        Ok(())
    }

    /// The function that runs a task: its data, the thread, and the numbers of the task.
    fn task_wrapper(&mut self, index: usize, data: &str, types: &[String]) -> Operand {
        let callee = self.parts.called(self.program, FunctionForm { index, all_on: true });
        let name = format!("\"{}.task\"", callee.trim_start_matches('@').replace('"', ""));
        let mut given: Vec<String> = types.iter().enumerate().map(|(nth, ty)| format!("{ty} %a{nth}")).collect();
        if has_task_numbers(self.program, index) {
            given.push("ptr %task".to_owned());
        }
        let gives = result_type(self.lanes, &self.program.functions[index].gives);
        let call = format!("call {gives} {callee}({})", given.join(", "));
        self.parts.helper(&name, || task_text(&name, data, types, &call));
        format!("@{name}").into()
    }

    /// The function that runs a task of another file.
    fn task_outside(&mut self, index: usize, data: &str, types: &[String]) -> Operand {
        let callee = self.function_outside(index).unwrap_or_else(|| "null".into());
        let name = format!("\"{}.task\"", callee.trim_start_matches('@').replace('"', ""));
        self.task_by_pointer(name, &callee, data, types, types.len())
    }

    /// The function that runs a task whose address is the last of its data.
    fn task_by_address(&mut self, data: &str, types: &[String]) -> Operand {
        let own = &self.function.name;
        let name = format!("\"{own}.{}.{}.task\"", self.index, self.place.start);
        let n_args = types.len() - 1;
        self.task_by_pointer(name, &format!("%a{n_args}"), data, types, n_args)
    }

    /// The function that runs a task which is called as functions are by their address.
    fn task_by_pointer(&mut self, name: String, callee: &str, data: &str, types: &[String], n_args: usize) -> Operand {
        let mut given: Vec<String> =
            types[..n_args].iter().enumerate().map(|(nth, ty)| format!("{ty} %a{nth}")).collect();
        let all = self.constant("i1", "true", true);
        given.push(format!("{} {}", self.kept_type(), self.kept(&all)));
        given.push("ptr %task".to_owned());
        let call = format!("call void {callee}({})", given.join(", "));
        self.parts.helper(&name, || task_text(&name, data, types, &call));
        format!("@{name}").into()
    }

    /// Waits for the tasks that the function has launched, if there are any.
    pub(crate) fn wait_for_tasks(&mut self) {
        let Some(tasks) = self.tasks.clone() else { return };
        let all = self.set(format!("load ptr, ptr {tasks}"));
        let is_some = self.set(format!("icmp ne ptr {all}, null"));
        let [wait, end] = [self.new_label(), self.new_label()];
        self.branch_on(&is_some, &wait, &end);
        self.label(&wait);
        self.call("void", "ISPCSync", &[("ptr", &all)]);
        self.line(format!("store ptr null, ptr {tasks}"));
        self.jump_to(&end);
        self.label(&end);
    }

    // Texts.

    fn print(&mut self, parts: &[PrintedPart]) -> Compiles {
        for part in parts {
            match part {
                PrintedPart::Text(text) => {
                    let text = self.parts.text(text);
                    self.print_formatted("%s", &[("ptr", &text)]);
                }
                PrintedPart::Value(reg) => self.print_value(*reg),
            }
        }
        Ok(())
    }

    fn print_value(&mut self, reg: GangReg) {
        let GangType { number, is_varying } = self.type_of(reg);
        let plain = self.numbers_of(reg);
        if !is_varying {
            return self.print_number(number, &plain, "%s", None);
        }
        let ty = self.shaped(element(number), true);
        let (masks, mask) = (self.mask_type(), self.mask_vector());
        for lane in 0..self.lanes {
            let one = self.set(format!("extractelement {ty} {plain}, i64 {lane}"));
            let is_on = self.set(format!("extractelement {masks} {mask}, i64 {lane}"));
            let around = match (lane, lane + 1 == self.lanes) {
                (0, true) => "[%s]",
                (0, false) => "[%s,",
                (_, true) => "%s]",
                _ => "%s,",
            };
            self.print_number(number, &one, around, Some(&is_on));
        }
    }

    /// Prints a number in a text, in which `%s` stands for it; in brackets if its lane is off.
    fn print_number(&mut self, number: NumberType, value: &str, around: &str, is_on: Option<&str>) {
        if number == NumberType::Bool {
            let [yes, no] = ["true", "false"].map(|word| self.parts.text(word));
            let mut word = self.set(format!("select i1 {value}, ptr {yes}, ptr {no}"));
            if let Some(is_on) = is_on {
                let off = self.parts.text("_________");
                word = self.set(format!("select i1 {is_on}, ptr {word}, ptr {off}"));
            }
            return self.print_formatted(around, &[("ptr", &word)]);
        }
        let (format, ty, wide): (&str, &str, Operand) = match number {
            NumberType::Pointer => ("0x%llx", "i64", value.into()),
            NumberType::F64 => ("%f", "double", value.into()),
            _ if number.is_float() => ("%f", "double", self.convert(value, number, NumberType::F64, false)),
            _ if number.is_signed() => ("%lld", "i64", self.convert(value, number, NumberType::I64, false)),
            _ => ("%llu", "i64", self.convert(value, number, NumberType::U64, false)),
        };
        let on = around.replace("%s", format);
        let off = around.replace("%s", &format!("(({format}))"));
        let mut text = self.parts.text(&on);
        if let Some(is_on) = is_on {
            let off = self.parts.text(&off);
            text = self.set(format!("select i1 {is_on}, ptr {text}, ptr {off}"));
        }
        self.print_with(&text, &[(ty, &wide)]);
    }

    fn print_formatted(&mut self, format: &str, args: &[(&str, &str)]) {
        let format = self.parts.text(format);
        self.print_with(&format, args);
    }

    /// Prints by a format of C's; a run prints to where its caller looks.
    fn print_with(&mut self, format: &str, args: &[(&str, &str)]) {
        let given: Vec<String> = args.iter().map(|(ty, value)| format!("{ty} {value}")).collect();
        let given = given.join(", ");
        if !self.parts.is_run {
            self.parts.declare("i32", "printf", "ptr, ...");
            self.line(format!("call i32 (ptr, ...) @printf(ptr {format}, {given})"));
            return;
        }
        self.parts.declare("i32", "snprintf", "ptr, i64, ptr, ...");
        self.parts.helper("print.next", || "@print.next = internal global ptr null\n".to_owned());
        self.parts.helper("print.left", || "@print.left = internal global i64 0\n".to_owned());
        let next = self.set("load ptr, ptr @print.next");
        let left = self.set("load i64, ptr @print.left");
        let n =
            self.set(format!("call i32 (ptr, i64, ptr, ...) @snprintf(ptr {next}, i64 {left}, ptr {format}, {given})"));
        let n = self.set(format!("sext i32 {n} to i64"));
        let n = self.intrinsic("smin", "i64", &[&n, &left]);
        let next = self.set(format!("getelementptr i8, ptr {next}, i64 {n}"));
        let left = self.operation("sub", "i64", &left, &n);
        self.line(format!("store ptr {next}, ptr @print.next"));
        self.line(format!("store i64 {left}, ptr @print.left"));
    }

    /// Ends the program if something does not hold in a lane that is on.
    fn assert(&mut self, holds: GangReg, text: &str) -> Compiles {
        let fails = match self.type_of(holds).is_varying {
            false => {
                let holds = self.plain(holds);
                self.set(format!("xor i1 {holds}, true"))
            }
            true => {
                let (ty, all) = (self.mask_type(), self.constant("i1", "true", true));
                let (plain, mask) = (self.plain(holds), self.mask_vector());
                let off = self.operation("xor", &ty, &plain, &all);
                let off = self.operation("and", &ty, &off, &mask);
                self.any(&off)
            }
        };
        let [stop, on] = [self.new_label(), self.new_label()];
        self.branch_on(&fails, &stop, &on);
        self.label(&stop);
        let function = &self.function.name;
        let told = self.parts.text(&format!("`{function}` asserts `{text}`, which does not hold\n"));
        self.parts.declare("i64", "write", "i32, ptr, i64");
        let length = self.call("i64", "strlen", &[("ptr", &told)]);
        self.line(format!("call i64 @write(i32 2, ptr {told}, i64 {length})"));
        self.call("void", "abort", &[]);
        self.line("unreachable");
        self.label(&on);
        Ok(())
    }
}

/// The reason why a function without a body here cannot be called.
fn no_way_to(name: &str, function: &GangFunction, is_run: bool) -> String {
    match (function.is_of_c, is_run && function.symbol.is_some()) {
        (true, _) => format!(
            "`{name}` is of C, which takes and gives uniform numbers and addresses alone: pass the address of an array"
        ),
        (_, true) => format!(
            "`{name}` has its body in another file, which this run has not: put it into this file or a header, or build the files and link them"
        ),
        _ => format!(
            "`{name}` has no body here, and no other file can have it, since it is `static`, `inline` or a template: write its body into this file or a header"
        ),
    }
}

/// The text of a function that runs a task, by a call of its code with what its data hold.
fn task_text(name: &str, data: &str, types: &[String], call: &str) -> String {
    let numbers: Vec<String> = (0..10).map(|nth| format!("i32 %n{nth}")).collect();
    let mut text = format!("define internal void @{name}(ptr %data, {}) nounwind {{\n", numbers.join(", "));
    for (nth, ty) in types.iter().enumerate() {
        text += &format!(
            "  %p{nth} = getelementptr {data}, ptr %data, i32 0, i32 {nth}\n  %a{nth} = load {ty}, ptr %p{nth}\n"
        );
    }
    text += "  %task = alloca [10 x i32]\n";
    for nth in 0..10 {
        text += &format!("  %t{nth} = getelementptr i32, ptr %task, i64 {nth}\n  store i32 %n{nth}, ptr %t{nth}\n");
    }
    text + &format!("  {call}\n  ret void\n}}\n")
}

/// The attribute by which C widens a number.
pub(crate) fn extension(number: NumberType) -> &'static str {
    match number {
        NumberType::Bool | NumberType::U8 | NumberType::U16 => "zeroext ",
        NumberType::I8 | NumberType::I16 => "signext ",
        _ => "",
    }
}
