//! A function while it is written: its registers, the lanes that are on, and its text.

use std::collections::HashMap;
use std::fmt::{Display, Write};
use std::rc::Rc;

use ir::Target;
use ispc_ir::module::{GangBlock, GangFunction, GangInst, GangModule, GangReg, TextPlace};
use ispc_ir::op::{GangOp, TaskNumber};
use ispc_ir::types::{GangType, NumberType};

use crate::NotCompiled;
use crate::flow;
use crate::parts::{FunctionForm, ModuleParts, register_type, result_type};
use crate::slots::{Cell, SlotUses};
use crate::strided::{TouchedBytes, WaitingStores};
use crate::value::{Address, LaneBytes, Operand, RegValue, Row, literal};

/// The instructions of whole numbers and addresses by which it is seen that two addresses are one.
const PURE: [&str; 7] = ["add i", "sub i", "mul i", "shl i", "sext i", "zext i", "getelementptr i8"];

/// Why a function has no code.
pub(crate) type Compiles<T = ()> = Result<T, NotCompiled>;

/// The lanes that are on at a place.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Mask {
    /// All.
    All,
    /// Those of a vector of truth values.
    Some(Operand),
}

/// A statement around a place, as jumps see it that leave it.
#[derive(Clone, Debug)]
pub(crate) enum Around {
    /// Lanes are on by a condition of their own; where the block ends without any.
    Varying { end: Operand },
    /// A loop whose lanes stay together: where it ends, and its step.
    Together { id: u32, end: Operand, step: Operand },
    /// A loop that lanes leave one by one: where a round ends without any, and masks of those that have left.
    Parting { id: u32, end: Operand, broken: Operand, continued: Operand },
    /// A `switch` whose lanes stay together.
    SwitchTogether { id: u32, end: Operand },
    /// A `switch` whose cases lanes come to one by one.
    SwitchParting { id: u32, end: Operand, broken: Operand },
    /// Blocks with labels: each with where it starts, and the mask that is carried to them.
    Labelled { labels: Vec<(u32, Operand)>, mask: Operand },
}

/// A number that was stored in a cell that nothing else is stored to.
#[derive(Clone, Debug)]
struct StoredOnce {
    value: RegValue,
    /// True if all lanes were on.
    in_all: bool,
    /// The block in which all lanes are turned on around it.
    level: u32,
}

/// Facts about cells that one op stores to.
pub(crate) struct StoredCells(HashMap<Cell, StoredOnce>);

pub(crate) struct FunctionEmitter<'m> {
    pub(crate) program: &'m GangModule,
    pub(crate) function: &'m GangFunction,
    pub(crate) index: usize,
    pub(crate) target: &'m Target,
    pub(crate) parts: &'m mut ModuleParts,
    pub(crate) lanes: u32,
    /// The text behind the allocations.
    text: String,
    allocations: String,
    n_names: u32,
    regs: Vec<Option<RegValue>>,
    carried: HashMap<GangReg, Operand>,
    pub(crate) uses: SlotUses,
    stored: HashMap<Cell, StoredOnce>,
    /// Whole numbers and addresses that were computed since the last label, by their instructions.
    pub(crate) pure: HashMap<String, Operand>,
    /// The memory that was touched since then.
    pub(crate) touched: Vec<TouchedBytes>,
    /// Stores that wait for others.
    pub(crate) waiting: Option<WaitingStores>,
    pub(crate) mask: Mask,
    /// False behind a jump: nothing runs there.
    pub(crate) is_open: bool,
    /// True if it may be that no lane is on any more.
    pub(crate) may_be_none: bool,
    pub(crate) around: Vec<Around>,
    /// The number of the innermost block that turns all lanes on.
    pub(crate) level: u32,
    n_levels: u32,
    pub(crate) n_returns: usize,
    pub(crate) place: TextPlace,
    /// Where the tasks are remembered that are not waited for.
    pub(crate) tasks: Option<Operand>,
}

impl<'m> FunctionEmitter<'m> {
    /// The text of a function.
    pub(crate) fn emit(
        program: &'m GangModule,
        index: usize,
        form: FunctionForm,
        target: &'m Target,
        parts: &'m mut ModuleParts,
    ) -> Compiles<String> {
        let function = &program.functions[index];
        let mut n_returns = 0;
        let mut has_tasks = false;
        ispc_ir::walk::each_inst(&function.body, &mut |inst| match inst.op {
            GangOp::Return(_) => n_returns += 1,
            GangOp::Launch { .. } | GangOp::Sync => has_tasks = true,
            _ => {}
        });
        let mut emitter = FunctionEmitter {
            program,
            function,
            index,
            target,
            parts,
            lanes: program.lanes,
            text: String::new(),
            allocations: String::new(),
            n_names: 0,
            regs: vec![None; function.regs.len()],
            carried: HashMap::new(),
            uses: SlotUses::of(function, program.lanes),
            stored: HashMap::new(),
            pure: HashMap::new(),
            touched: Vec::new(),
            waiting: None,
            mask: Mask::All,
            is_open: true,
            may_be_none: false,
            around: Vec::new(),
            level: 0,
            n_levels: 0,
            n_returns,
            place: TextPlace::default(),
            tasks: None,
        };
        emitter.whole(form, has_tasks)
    }

    fn whole(&mut self, form: FunctionForm, has_tasks: bool) -> Compiles<String> {
        let function = self.function;
        for reg in flow::carried(function) {
            let ty = self.ty(self.type_of(reg));
            let cell = self.allocate(&ty);
            self.carried.insert(reg, cell);
        }
        for (nth, slot) in function.slots.iter().enumerate() {
            let ty = format!("[{} x i8]", slot.bytes.max(1));
            let align = slot.bytes.next_power_of_two().clamp(1, 64);
            let _ = writeln!(self.allocations, "  %slot{nth} = alloca {ty}, align {align}");
            if self.uses.is_whole(ispc_ir::module::SlotId(nth as u32)) {
                let _ = writeln!(self.allocations, "  store {ty} zeroinitializer, ptr %slot{nth}, align {align}");
            }
        }
        for (nth, ty) in function.gives.iter().enumerate() {
            let ty = self.ty(*ty);
            let _ = writeln!(self.allocations, "  %given{nth} = alloca {ty}");
            let _ = writeln!(self.allocations, "  store {ty} zeroinitializer, ptr %given{nth}");
        }
        if has_tasks {
            let tasks = self.allocate("ptr");
            let _ = writeln!(self.allocations, "  store ptr null, ptr {tasks}");
            self.tasks = Some(tasks);
        }
        if !form.all_on {
            let mask = self.unkept("%mask".into());
            self.mask = Mask::Some(mask);
        }
        for (nth, param) in function.params.iter().enumerate() {
            self.set_value(*param, RegValue::Plain(format!("%arg{nth}").into()));
        }
        self.block(&function.body)?;
        if self.is_open {
            self.jump_to("return");
        }
        self.label("return");
        self.end()?;
        let mut text = format!("{} {{\nentry:\n", self.parts.head(self.program, self.index, form));
        text.push_str(&self.allocations);
        text.push_str("  br label %start\nstart:\n");
        text.push_str(&self.text);
        text.push_str("}\n");
        Ok(text)
    }

    /// The end of the function: it waits for its tasks, and gives its results.
    fn end(&mut self) -> Compiles {
        if self.tasks.is_some() {
            self.wait_for_tasks();
        }
        let gives = &self.function.gives;
        let mut values = Vec::new();
        for (nth, ty) in gives.iter().enumerate() {
            let ty = self.ty(*ty);
            values.push((self.set(format!("load {ty}, ptr %given{nth}")), ty));
        }
        let returned = match &values[..] {
            [] => "void".to_owned(),
            [(value, ty)] => format!("{ty} {value}"),
            several => {
                let whole = result_type(self.lanes, gives);
                let mut joined: Operand = "poison".into();
                for (nth, (value, ty)) in several.iter().enumerate() {
                    joined = self.set(format!("insertvalue {whole} {joined}, {ty} {value}, {nth}"));
                }
                format!("{whole} {joined}")
            }
        };
        self.line(format!("ret {returned}"));
        Ok(())
    }

    pub(crate) fn refuse<T>(&self, message: impl Into<String>) -> Compiles<T> {
        Err(NotCompiled { place: self.place, function: self.function.name.clone(), message: message.into() })
    }

    // Text.

    pub(crate) fn line(&mut self, text: impl Display) {
        let location = self.parts.debug.location(self.place);
        let _ = writeln!(self.text, "  {text}{location}");
    }

    /// A name that nothing else has.
    pub(crate) fn name(&mut self) -> Operand {
        self.n_names += 1;
        format!("%t{}", self.n_names).into()
    }

    /// The value of an instruction.
    pub(crate) fn set(&mut self, instruction: impl Display) -> Operand {
        let text = instruction.to_string();
        let is_pure = PURE.iter().any(|start| text.starts_with(start));
        if is_pure && let Some(name) = self.pure.get(&text) {
            return name.clone();
        }
        let name = self.name();
        self.line(format!("{name} = {text}"));
        if is_pure {
            self.pure.insert(text, name.clone());
        }
        name
    }

    /// A label that nothing else has.
    pub(crate) fn new_label(&mut self) -> Operand {
        self.n_names += 1;
        format!("b{}", self.n_names).into()
    }

    /// The code that follows stands behind a label.
    pub(crate) fn label(&mut self, label: &str) {
        let _ = writeln!(self.text, "{label}:");
        self.forget_straight_line();
        self.is_open = true;
    }

    pub(crate) fn jump_to(&mut self, label: &str) {
        self.line(format!("br label %{label}"));
        self.is_open = false;
    }

    pub(crate) fn branch_on(&mut self, test: &str, yes: &str, no: &str) {
        self.line(format!("br i1 {test}, label %{yes}, label %{no}"));
        self.is_open = false;
    }

    /// Memory of the function for a value of a type.
    pub(crate) fn allocate(&mut self, ty: &str) -> Operand {
        let name = self.name();
        let _ = writeln!(self.allocations, "  {name} = alloca {ty}, align 64");
        name
    }

    /// Calls a function that is declared by its name: the types and values of arguments.
    pub(crate) fn call(&mut self, gives: &str, name: &str, args: &[(&str, &str)]) -> Operand {
        let types: Vec<&str> = args.iter().map(|(ty, _)| *ty).collect();
        self.parts.declare(gives, name, &types.join(", "));
        let args: Vec<String> = args.iter().map(|(ty, value)| format!("{ty} {value}")).collect();
        let text = format!("call {gives} @{name}({})", args.join(", "));
        match gives {
            "void" => {
                self.line(text);
                "".into()
            }
            _ => self.set(text),
        }
    }

    // Types and constants.

    pub(crate) fn type_of(&self, reg: GangReg) -> GangType {
        self.function.regs[reg.0 as usize]
    }

    /// The type of a register.
    pub(crate) fn ty(&self, ty: GangType) -> String {
        register_type(self.lanes, ty)
    }

    /// A type of one number, or of one a lane.
    pub(crate) fn shaped(&self, element: &str, is_varying: bool) -> String {
        if is_varying { format!("<{} x {element}>", self.lanes) } else { element.to_owned() }
    }

    /// A constant in each lane, or once.
    pub(crate) fn constant(&self, element: &str, value: impl Display, is_varying: bool) -> String {
        match is_varying {
            true => vector((0..self.lanes).map(|_| format!("{element} {value}"))),
            false => value.to_string(),
        }
    }

    /// A value of all lanes as a vector.
    pub(crate) fn splat(&mut self, element: &str, value: &str) -> Operand {
        let is_literal = !value.starts_with('%') && !value.starts_with('@');
        if is_literal {
            return self.constant(element, value, true).into();
        }
        let ty = self.shaped(element, true);
        let first = self.set(format!("insertelement {ty} poison, {element} {value}, i64 0"));
        let lanes = self.lanes;
        self.set(format!("shufflevector {ty} {first}, {ty} poison, <{lanes} x i32> zeroinitializer"))
    }

    // Registers.

    pub(crate) fn set_value(&mut self, reg: GangReg, value: RegValue) {
        let ty = self.type_of(reg);
        match self.carried.get(&reg).cloned() {
            Some(cell) => {
                let value = self.plain_of(&value, ty);
                let ty = self.ty(ty);
                self.line(format!("store {ty} {value}, ptr {cell}"));
            }
            None => self.regs[reg.0 as usize] = Some(value),
        }
    }

    pub(crate) fn set_plain(&mut self, reg: GangReg, value: Operand) {
        self.set_value(reg, RegValue::Plain(value));
    }

    pub(crate) fn value(&self, reg: GangReg) -> Option<&RegValue> {
        self.regs[reg.0 as usize].as_ref()
    }

    /// A register as a value of its type.
    pub(crate) fn plain(&mut self, reg: GangReg) -> Operand {
        let ty = self.type_of(reg);
        match (self.value(reg).cloned(), self.carried.get(&reg).cloned()) {
            (Some(value), _) => self.plain_of(&value, ty),
            (None, Some(cell)) => {
                let ty = self.ty(ty);
                self.set(format!("load {ty}, ptr {cell}"))
            }
            (None, None) => "zeroinitializer".into(),
        }
    }

    fn plain_of(&mut self, value: &RegValue, ty: GangType) -> Operand {
        match value {
            RegValue::Plain(value) | RegValue::Below { plain: value, .. } => value.clone(),
            RegValue::Row(row) => self.row_vector(row, ty.number),
            RegValue::Address(address) if ty.is_varying => self.lane_addresses(address),
            RegValue::Address(address) => self.pointer(address),
        }
    }

    /// A register's type and value.
    pub(crate) fn typed(&mut self, reg: GangReg) -> String {
        let ty = self.ty(self.type_of(reg));
        format!("{ty} {}", self.plain(reg))
    }

    /// A register as a row: of one number for all lanes, one of step zero.
    pub(crate) fn row(&self, reg: GangReg) -> Option<Row> {
        let ty = self.type_of(reg);
        match self.value(reg)? {
            RegValue::Row(row) => Some(row.clone()),
            RegValue::Plain(value) if !ty.is_varying && is_row_number(ty.number) => {
                Some(Row { start: value.clone(), step: 0 })
            }
            _ => None,
        }
    }

    fn row_vector(&mut self, row: &Row, number: NumberType) -> Operand {
        let element = element(number);
        let at = |start: i64, lane: u32| wrapped(start.wrapping_add(row.step.wrapping_mul(lane.into())), number.bits());
        let constant = |start: i64, lanes: u32| vector((0..lanes).map(|lane| format!("{element} {}", at(start, lane))));
        if let Some(start) = literal(&row.start) {
            return constant(start, self.lanes).into();
        }
        let start = self.splat(element, &row.start);
        if row.step == 0 {
            return start;
        }
        let ty = self.shaped(element, true);
        let steps = constant(0, self.lanes);
        self.set(format!("add {ty} {start}, {steps}"))
    }

    /// A register as an address.
    pub(crate) fn address(&mut self, reg: GangReg) -> Address {
        match self.value(reg) {
            Some(RegValue::Address(address)) => address.clone(),
            _ => {
                let value = self.plain(reg);
                match self.type_of(reg).is_varying {
                    true => Address { lanes: LaneBytes::Each { index: value, scale: 1 }, ..Address::default() },
                    false => Address::of(value),
                }
            }
        }
    }

    // Local variables.

    /// Remembers what a cell has that nothing else is stored to.
    pub(crate) fn remember(&mut self, cell: Cell, reg: GangReg) {
        if self.uses.is_set_once(cell)
            && let Some(value) = self.value(reg).cloned()
        {
            let stored = StoredOnce { value, in_all: self.mask == Mask::All, level: self.level };
            self.stored.insert(cell, stored);
        }
    }

    /// The value of a cell that nothing else is stored to, if the op that does has run for the lanes that are on.
    pub(crate) fn remembered(&self, cell: Cell, ty: GangType) -> Option<RegValue> {
        let stored = self.stored.get(&cell)?;
        (!ty.is_varying || stored.in_all || stored.level == self.level).then(|| stored.value.clone())
    }

    /// The facts about cells.
    pub(crate) fn known(&self) -> StoredCells {
        StoredCells(self.stored.clone())
    }

    /// Goes back to what was remembered.
    pub(crate) fn forget(&mut self, known: StoredCells) {
        self.stored = known.0;
    }

    // Blocks.

    /// Writes the ops of a block, up to where no lane is on.
    pub(crate) fn block(&mut self, block: &'m GangBlock) -> Compiles {
        let known = self.stored.clone();
        self.insts(block)?;
        self.stored = known;
        Ok(())
    }

    /// Writes ops; what they store is known behind them.
    pub(crate) fn insts(&mut self, block: &'m GangBlock) -> Compiles {
        for inst in block {
            if !self.is_open {
                break;
            }
            self.store_before(inst);
            if self.may_be_none {
                self.leave_without_lanes();
            }
            self.place = inst.place;
            self.inst(inst)?;
        }
        self.store_waiting();
        Ok(())
    }

    /// Runs a block with all lanes on: they are those from before behind it.
    pub(crate) fn all_lanes(&mut self, block: &'m GangBlock) -> Compiles {
        self.n_levels += 1;
        let level = std::mem::replace(&mut self.level, self.n_levels);
        let mask = std::mem::replace(&mut self.mask, Mask::All);
        let end = self.new_label();
        self.around.push(Around::Varying { end: end.clone() });
        let known = self.known();
        self.insts(block)?;
        self.around.pop();
        if self.is_open {
            self.jump_to(&end);
        }
        self.label(&end);
        if !flow::leaving(block).is_empty() {
            self.forget(known);
        }
        (self.level, self.mask, self.may_be_none) = (level, mask, false);
        Ok(())
    }

    fn inst(&mut self, inst: &'m GangInst) -> Compiles {
        match &inst.op {
            GangOp::Constant(bits) => self.constant_op(inst.results[0], *bits),
            GangOp::Global(global) => {
                let name = self.parts.global(self.program, *global);
                self.set_value(inst.results[0], RegValue::Address(Address::of(name)));
            }
            GangOp::Slot(slot) => {
                let address = Address { is_local: true, ..Address::of(format!("%slot{}", slot.0).into()) };
                self.set_value(inst.results[0], RegValue::Address(address));
            }
            GangOp::Function(index) => {
                if self.program.functions[*index].is_external {
                    if let Some(name) = self.function_outside(*index) {
                        self.set_value(inst.results[0], RegValue::Address(Address::of(name)));
                        return Ok(());
                    }
                    let name = &self.program.functions[*index].name;
                    return self.refuse(format!(
                        "the address of `{name}` is taken, which is in another file: take that of a function here that calls it"
                    ));
                }
                let name = self.parts.address_of(self.program, *index);
                self.set_value(inst.results[0], RegValue::Address(Address::of(name)));
            }
            GangOp::LaneIndex => self.set_value(inst.results[0], RegValue::Row(Row { start: "0".into(), step: 1 })),
            GangOp::ActiveLanes => {
                let mask = self.mask_vector();
                self.set_plain(inst.results[0], mask);
            }
            GangOp::Task(number) => self.task_number(inst.results[0], *number),
            op if !op.blocks().is_empty() || is_jump(op) => return self.statement(inst),
            _ => {
                let done = self.arithmetic(inst)? || self.lanes_op(inst)? || self.memory_op(inst)?;
                if !done {
                    // Memory that was there may be given back.
                    self.touched.clear();
                    return self.calling(inst);
                }
            }
        }
        Ok(())
    }

    fn constant_op(&mut self, reg: GangReg, bits: u64) {
        let GangType { number, is_varying } = self.type_of(reg);
        let text = constant_text(bits, number);
        let value = match number {
            NumberType::Pointer => RegValue::Address(Address { constant: bits as i64, ..Address::default() }),
            _ if is_varying && is_row_number(number) => RegValue::Row(Row { start: text, step: 0 }),
            _ => RegValue::Plain(self.constant(element(number), text, is_varying).into()),
        };
        self.set_value(reg, value);
    }

    fn task_number(&mut self, reg: GangReg, number: TaskNumber) {
        let nth = match number {
            TaskNumber::Thread => 0,
            TaskNumber::Threads => 1,
            TaskNumber::Index => 2,
            TaskNumber::Count => 3,
            TaskNumber::IndexIn(nth) => 4 + nth,
            TaskNumber::CountIn(nth) => 7 + nth,
        };
        let from = self.set(format!("getelementptr i32, ptr %task, i64 {nth}"));
        let value = self.set(format!("load i32, ptr {from}"));
        let ty = self.type_of(reg);
        let value = match ty.number.bits() {
            32 => value,
            _ => self.set(format!("zext i32 {value} to {}", element(ty.number))),
        };
        self.set_plain(reg, value);
    }
}

fn is_jump(op: &GangOp) -> bool {
    matches!(op, GangOp::Break(_) | GangOp::Continue(_) | GangOp::Goto(_) | GangOp::Return(_))
        || matches!(op, GangOp::If(..) | GangOp::Switch { .. } | GangOp::Labelled(_))
}

/// A constant vector of these elements.
pub(crate) fn vector(elements: impl Iterator<Item = String>) -> String {
    format!("<{}>", elements.collect::<Vec<_>>().join(", "))
}

/// Returns true for numbers that can be rows.
pub(crate) fn is_row_number(number: NumberType) -> bool {
    number.is_whole() && !matches!(number, NumberType::Bool | NumberType::Pointer)
}

/// A number as LLVM has it in the lanes of vectors.
pub(crate) fn element(number: NumberType) -> &'static str {
    use NumberType::*;
    match number {
        Bool => "i1",
        I8 | U8 => "i8",
        I16 | U16 | F16 => "i16",
        I32 | U32 => "i32",
        I64 | U64 | Pointer => "i64",
        F32 => "float",
        F64 => "double",
    }
}

/// A whole number of so many bits, with its sign.
pub(crate) fn wrapped(value: i64, bits: u32) -> i64 {
    let unused = 64 - bits;
    (value << unused) >> unused
}

/// A number by its bits.
pub(crate) fn constant_text(bits: u64, number: NumberType) -> Rc<str> {
    match number {
        NumberType::Bool => (bits != 0).to_string().into(),
        NumberType::F32 => {
            let float = f32::from_bits(bits as u32);
            let wide = match float.is_nan() {
                // The bits of no number, moved to where they stand in 64 bits.
                true => (bits >> 31 & 1) << 63 | 0x7ff << 52 | (bits & 0x7f_ffff) << 29,
                false => f64::from(float).to_bits(),
            };
            format!("0x{wide:016X}").into()
        }
        NumberType::F64 => format!("0x{bits:016X}").into(),
        _ => wrapped(bits as i64, number.bits()).to_string().into(),
    }
}
