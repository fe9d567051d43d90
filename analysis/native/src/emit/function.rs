//! A function while it is being written: its text, the names in it, and what each value of the kernel has become.

use std::collections::{BTreeSet, HashMap};
use std::fmt::Write;

use ir::{Elem, Kernel, Op, Origin, Region, Target, Type, Value};
use report::SourcePosition;

use super::debug::Debug;
use super::software::Helper;
use super::tables::Tables;
use super::values::{Ty, Unit, Val};
use super::views::View;
use super::{NotEmitted, Shared, Source};

/// A function that is being written.
pub(super) struct Function<'k> {
    pub(super) kernel: &'k Kernel,
    pub(super) target: &'k Target,
    /// The functions it calls that the target has no instruction for.
    pub(super) helpers: &'k mut BTreeSet<Helper>,
    pub(super) tables: &'k mut Tables,
    source: &'k Source,
    debug: &'k mut Debug,
    /// The address of the kernel's scratch memory.
    pub(super) scratch: Option<Val>,
    /// The address of the kernel's result, where its function returns something else.
    pub(super) result: Option<Val>,
    /// The checks of sizes that are still to be written, the last one first.
    pub(super) checks: Vec<Op>,
    /// True if the sizes of one of the checks before differ.
    pub(super) differ: Option<Val>,
    /// The instructions at its entry: arrays that live as long as it does.
    entry: String,
    text: String,
    /// The number of times that each name has been given out.
    names: HashMap<String, u32>,
    /// The kernel's values as LLVM values.
    values: Values,
    /// The block that is being written.
    block: String,
    /// The name of the value that is being made.
    name: String,
    /// The debug location of what is being written.
    location: String,
    /// The source line that was last shown.
    shown: Option<u32>,
    /// The loop that is being written, by its number in the order of the text.
    loop_number: Option<u32>,
    n_loops: u32,
    /// True if a store before goes past the cache.
    streams: bool,
    /// The masks of so many lanes, all of them active, that LLVM does not know.
    pub(super) every_lane: HashMap<u16, Val>,
    /// The parts of what runs on that were computed last.
    pub(super) running: Option<RunningParts>,
}

/// The parts of what runs on, which several ops give.
pub(super) struct RunningParts {
    /// The operands of these ops.
    pub(super) operands: ir::Values,
    /// The block in which the parts are computed.
    pub(super) block: String,
    pub(super) parts: Vec<Val>,
}

/// Values of the kernel as LLVM values.
#[derive(Default)]
struct Values {
    data: HashMap<Value, Val>,
    views: HashMap<Value, View>,
    /// The 64-bit counters that indices of loops are cut out of.
    wide_indices: HashMap<Value, Val>,
}

impl<'k> Function<'k> {
    pub(super) fn new(kernel: &'k Kernel, target: &'k Target, shared: &'k mut Shared, source: &'k Source) -> Self {
        Function {
            kernel,
            target,
            source,
            debug: &mut shared.debug,
            helpers: &mut shared.helpers,
            tables: &mut shared.tables,
            scratch: None,
            result: None,
            checks: kernel.checks().into_iter().rev().collect(),
            differ: None,
            entry: String::new(),
            text: String::new(),
            names: HashMap::new(),
            values: Values::default(),
            block: "entry".to_owned(),
            name: "value".to_owned(),
            location: String::new(),
            shown: None,
            loop_number: None,
            n_loops: 0,
            streams: false,
            every_lane: HashMap::new(),
            running: None,
        }
    }

    /// The text: the instructions at the entry, then the rest.
    pub(super) fn finish(self) -> String {
        format!("{}{}", self.entry, self.text)
    }

    /// A name that is not taken, `%` with it.
    pub(super) fn fresh(&mut self, hint: &str) -> String {
        let count = self.names.entry(hint.to_owned()).or_insert(0);
        *count += 1;
        // Names from the source are identifiers without dots, so a number behind one is free.
        let name = if *count == 1 { hint.to_owned() } else { format!("{hint}.{count}") };
        if name.is_ascii() { format!("%{name}") } else { format!("%\"{name}\"") }
    }

    /// Writes an instruction that makes a value.
    pub(super) fn make(&mut self, hint: &str, ty: Ty, instruction: impl std::fmt::Display) -> Val {
        let name = self.fresh(hint);
        let _ = writeln!(self.text, "  {name} = {instruction}{}", self.location);
        Val::new(name, ty)
    }

    /// Writes the instruction that makes the value the op is for.
    pub(super) fn named(&mut self, ty: Ty, instruction: impl std::fmt::Display) -> Val {
        let name = self.name.clone();
        self.make(&name, ty, instruction)
    }

    /// Writes an instruction that makes nothing.
    pub(super) fn line(&mut self, instruction: impl std::fmt::Display) {
        let _ = writeln!(self.text, "  {instruction}{}", self.location);
    }

    /// Writes the jump at the end of a loop that is not to be unrolled.
    pub(super) fn last_line(&mut self, instruction: impl std::fmt::Display) {
        let as_it_is = self.debug.as_it_is();
        let _ = writeln!(self.text, "  {instruction}{}{as_it_is}", self.location);
    }

    /// Writes an instruction at the entry of the function.
    pub(super) fn at_entry(&mut self, hint: &str, ty: Ty, instruction: impl std::fmt::Display) -> Val {
        let name = self.fresh(hint);
        let _ = writeln!(self.entry, "  {name} = {instruction}");
        Val::new(name, ty)
    }

    /// A label that is not taken, without `%`.
    pub(super) fn label(&mut self, hint: &str) -> String {
        self.fresh(hint)[1..].to_owned()
    }

    /// Starts a block with a label.
    pub(super) fn open_block(&mut self, label: &str) {
        let _ = writeln!(self.text, "{label}:");
        label.clone_into(&mut self.block);
    }

    /// The label of the block that is being written.
    pub(super) fn block(&self) -> String {
        self.block.clone()
    }

    /// A value that is one of two, by the block that was left before this one.
    pub(super) fn phi(&mut self, hint: &str, a: (&Val, &str), b: (&Val, &str)) -> Val {
        let ty = a.0.ty;
        self.make(hint, ty, format!("phi {ty} [ {}, %{} ], [ {}, %{} ]", a.0.text, a.1, b.0.text, b.1))
    }

    /// A phi at the head of a loop, whose value from the loop's end is known once that is written: its name, and the
    /// text to replace then.
    pub(super) fn open_phi(&mut self, hint: &str, start: &Val, from: &str) -> (Val, String) {
        let ty = start.ty;
        let hole = format!("<{}>", self.fresh("hole"));
        let val = self.make(hint, ty, format!("phi {ty} [ {}, %{from} ], {hole}", start.text));
        (val, hole)
    }

    /// Fills the hole that an open phi has left.
    pub(super) fn close_phi(&mut self, hole: &str, val: &Val, from: &str) {
        if let Some(at) = self.text.rfind(hole) {
            self.text.replace_range(at..at + hole.len(), &format!("[ {}, %{from} ]", val.text));
        }
    }

    /// Makes what follows come from an op: its place in the source, and its result's name.
    pub(super) fn enter(&mut self, op: Op) {
        let data = &self.kernel.ops[op];
        let own = data.results.first().and_then(|&value| self.kernel.values[value].name.clone());
        self.name = own.map_or_else(|| data.code.row().name.to_owned(), |name| name.to_string());
        let Some(at) = self.place_of(data.origin) else { return };
        self.location = self.debug.location(at, self.loop_number);
        if self.shown != Some(at.line) {
            self.shown = Some(at.line);
            if let Some(line) = self.source.line(at.line) {
                let _ = writeln!(self.text, "  ; {}: {}", at.line, line.trim());
            }
        }
    }

    /// Enters a loop, the next in the order of the text; gives the loop around it, which to leave to.
    pub(super) fn enter_loop(&mut self, op: Op) -> Option<u32> {
        let outer = self.loop_number.replace(self.n_loops);
        self.n_loops += 1;
        self.enter(op);
        outer
    }

    /// Leaves a loop to the one around it.
    pub(super) fn leave_loop(&mut self, op: Op, outer: Option<u32>) {
        self.loop_number = outer;
        self.enter(op);
    }

    /// The place of an origin: the call that led to it, if it is in no text that is shown itself.
    fn place_of(&self, origin: Origin) -> Option<SourcePosition> {
        let origin = &self.kernel.origins[origin];
        self.source.place(origin.place).or_else(|| self.place_of(origin.call?))
    }

    /// Gives a value of the kernel what it has become.
    pub(super) fn set(&mut self, value: Value, val: Val) {
        self.values.data.insert(value, val);
    }

    /// Gives a view of the kernel what it has become.
    pub(super) fn set_view(&mut self, value: Value, view: View) {
        self.values.views.insert(value, view);
    }

    /// Notes the 64-bit counter that a loop's index is cut out of.
    pub(super) fn set_wide_index(&mut self, index: Value, wide: Val) {
        self.values.wide_indices.insert(index, wide);
    }

    /// The 64-bit counter that a value is cut out of, if it is a loop's index.
    pub(super) fn wide_index(&self, value: Value) -> Option<Val> {
        self.values.wide_indices.get(&value).cloned()
    }

    /// The LLVM value of a value of the kernel.
    pub(super) fn get(&self, value: Value) -> Val {
        match self.kernel.as_const(value) {
            Some(scalar) => Val::scalar(scalar),
            None => {
                self.values.data.get(&value).cloned().unwrap_or_else(|| panic!("{value} is used before it is made"))
            }
        }
    }

    /// The addresses of a view of the kernel.
    pub(super) fn view(&self, value: Value) -> View {
        self.values.views.get(&value).cloned().unwrap_or_else(|| panic!("{value} is used before it is made"))
    }

    /// Returns the LLVM value of a value, as a vector if lanes are asked for.
    pub(super) fn get_in(&mut self, value: Value, lanes: Option<u16>) -> Val {
        let val = self.get(value);
        self.in_lanes(val, lanes)
    }

    /// Returns a value as a vector, if lanes are asked for and it is a scalar.
    pub(super) fn in_lanes(&mut self, val: Val, lanes: Option<u16>) -> Val {
        match (lanes, val.ty.lanes) {
            (Some(lanes), None) if val.is_const() && val.ty.unit != Unit::Ptr => val.splat(lanes),
            (Some(lanes), None) => {
                let ty = Ty::lanes(val.ty.unit, lanes);
                let first = self.make("first", ty, format!("insertelement {ty} poison, {val}, i64 0"));
                let all = format!("shufflevector {first}, {ty} poison, <{lanes} x i32> zeroinitializer");
                self.make("all", ty, all)
            }
            _ => val,
        }
    }

    /// The element type of data.
    pub(super) fn elem(&self, value: Value) -> Elem {
        self.kernel.ty(value).data_elem().unwrap_or_else(|| panic!("{value} is no data"))
    }

    /// Returns the LLVM type of data.
    pub(super) fn ty(&self, value: Value) -> Ty {
        match self.kernel.ty(value) {
            Type::Data { elem, lanes } => Ty { unit: Unit::of(elem), lanes },
            Type::View { .. } => Ty::PTR,
        }
    }

    /// The metadata of a store that goes past the cache, as text to append.
    pub(super) fn past_cache(&mut self) -> String {
        self.streams = true;
        self.debug.past_cache()
    }

    /// Has all that was stored past the cache seen before what comes later, where that is not so by itself.
    pub(super) fn fence(&mut self) {
        if self.streams && self.target.streams == Some(ir::Streams::Fenced) {
            self.line("call void @llvm.x86.sse.sfence()");
        }
    }

    /// Writes the ops of a region; gives what it yields.
    pub(super) fn region(&mut self, region: Region) -> Result<Vec<Val>, NotEmitted> {
        let data = &self.kernel.regions[region];
        for &op in &data.ops {
            self.op(op)?;
        }
        Ok(data.yields.iter().map(|&value| self.get(value)).collect())
    }

    /// Writes an op, with its results.
    pub(super) fn op(&mut self, op: Op) -> Result<(), NotEmitted> {
        use ir::Code;
        use ir::ops::EffectRule;
        self.enter(op);
        let data = &self.kernel.ops[op];
        match (data.code, data.code.row().effect) {
            (code, _) if code.is_control() => return self.control(op),
            (Code::Temp | Code::Scratch, _) => self.new_array(op)?,
            (Code::Table, _) => self.table(op),
            (Code::Row | Code::Slice | Code::Field | Code::Flat | Code::Size, _) => self.view_op(op),
            (Code::Overlap, _) => self.overlap(op)?,
            (Code::Assert, _) => {
                let holds = self.get(data.operands[0]);
                self.line(format!("call void @llvm.assume({holds})"));
            }
            (Code::AssertSize | Code::AssertSome, _) if self.checks.last() == Some(&op) => self.check(op),
            // All other sizes are taken for those that are asked for, as is the absence of every other error of the program.
            (Code::AssertSize | Code::AssertSome, _) => {}
            (Code::Unknown, _) => return Err(NotEmitted::new(self.kernel, op, "what was not understood")),
            (code, _) if code.is_prefetch() => self.prefetch(op),
            (_, EffectRule::Reads | EffectRule::Writes) => self.access(op),
            (code, _) if code.is_elementwise() => self.elementwise(op),
            _ => return self.lane_op(op),
        }
        Ok(())
    }
}
