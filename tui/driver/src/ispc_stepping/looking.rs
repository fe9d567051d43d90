//! What is to be seen where a run stands: the op at hand, the variables and registers of the lanes, and the cells that it touches.

use ispc_ir::machine::{CallFrame, GangMemory};
use ispc_ir::module::{GangInst, GangReg, GangVariable, VariableNumber};
use ispc_ir::op::GangOp;
use ispc_ir::types::NumberType;
use queries::run::{Elem, Scalar};
use queries::stepping::CellTouch;
use report::TextRange;

use super::IspcStepper;
use super::history::RunState;
use super::places::own_range;
use crate::ispc_running::{self, GivenArray, failure, result_array};
use crate::stepping::expressions::VariableScope;
use crate::stepping::grid::{LaneCell, LaneGrid, RowOrigin};
use crate::stepping::looking::{LanesView, OpPlace, RunEnd};
use crate::stepping::strips::{Strip, StripCell, Touches, order};

/// Limit on the cells of a strip: more than fit a screen.
const MOST_CELLS: usize = 256;

impl<'l> IspcStepper<'l> {
    /// Looks at the run where it stands.
    pub(super) fn view(&self) -> LanesView {
        let now = &self.history.now;
        let op = now.next_op().or_else(|| now.fault.as_ref().and_then(|(_, op)| *op));
        let after = now.next_op().map(|_| {
            let mut after = now.machine.clone();
            let went = after.step();
            (after, went.err())
        });
        let warning = after.as_ref().and_then(|(_, fault)| fault.as_ref());
        LanesView {
            n_steps: now.n_steps,
            op: op.map(|op| self.op_place(now, op)),
            iteration: now.frame().map(CallFrame::rounds).unwrap_or_default().into_iter().map(i128::from).collect(),
            last_lane: None,
            printed: now.machine.printed.clone(),
            end: self.end(now),
            warning: warning.map(|fault| failure(fault).message),
            grid: self.grid(now, after.as_ref().filter(|(_, fault)| fault.is_none()).map(|(after, _)| after.calls())),
            strips: now.next_op().zip(now.frame()).map(|(op, frame)| self.strips(now, frame, op)).unwrap_or_default(),
            activity: self.counts.activity(self.was_over),
            branches: self.counts.flows(now.n_steps),
        }
    }

    fn end(&self, now: &RunState<'l>) -> Option<RunEnd> {
        if let Some((fault, _)) = &now.fault {
            return Some(RunEnd::Failed(failure(fault).message));
        }
        if !now.is_over() {
            return None;
        }
        let types = &now.machine.module().functions[self.begun.entry.function].gives;
        let result = now.machine.results().iter().zip(types).map(|(numbers, ty)| {
            let numbers: Vec<String> = numbers.iter().map(|bits| ispc_running::shown(*bits, ty.number)).collect();
            if let [one] = &numbers[..] { one.clone() } else { format!("[{}]", numbers.join(", ")) }
        });
        let result: Vec<String> = result.collect();
        let arrays = self.begun.arrays.iter();
        let arrays = arrays.map(|array| result_array(&(array.name.to_owned(), array.shown(&now.machine.memory))));
        Some(RunEnd::Done((!result.is_empty()).then(|| result.join(", ")), arrays.collect()))
    }

    fn op_place(&self, now: &RunState<'l>, op: &'l GangInst) -> OpPlace {
        let text_line = self.places.text_line(op);
        let text = text_line.and_then(|line| self.places.text.get(line)).map(|line| line.trim().to_owned());
        let text = text.unwrap_or_default();
        let behind = text.rsplit_once(" = ").map_or(&*text, |(_, op)| op);
        let end = behind.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(behind.len());
        let name = if matches!(op.op, GangOp::Constant(_)) { "constant" } else { &behind[..end] };
        let calls = now.machine.calls();
        // What came from a header is seen from the call in the file itself.
        let around = || calls.iter().rev().skip(1).find_map(|call| own_range(call.op_before()?.place));
        let range: Option<TextRange> = own_range(self.places.place(op)).or_else(around);
        OpPlace {
            op: name.to_owned().into(),
            text_line,
            range: range.map(|range| self.first_line(range)),
            function: calls.last().filter(|_| calls.len() > 1).map(|call| call.function().name.clone()),
            text,
        }
    }

    /// The first line of a range: what stands in the blocks of a statement has places of its own.
    fn first_line(&self, range: TextRange) -> TextRange {
        let line = self.places.index.line_range(self.places.index.line(range.start()));
        let end = range.end().min(line.end());
        let text = self.places.source[TextRange::new(range.start(), end)].trim_end();
        TextRange::at(range.start(), report::TextSize::of(text))
    }

    fn grid(&self, now: &RunState<'l>, after: Option<&[CallFrame<'l>]>) -> LaneGrid {
        let mut grid = LaneGrid::default();
        let Some(frame) = now.frame() else { return grid };
        let memory = &now.machine.memory;
        let on = frame.lanes_on();
        grid.n_lanes = now.machine.module().lanes as usize;
        grid.on = (0..grid.n_lanes).map(|lane| on >> lane & 1 == 1).collect();
        let op = now.next_op().or_else(|| now.fault.as_ref().and_then(|(_, op)| *op));
        for (variable, number) in known(frame, op) {
            let cells = cells_of(memory, frame, variable, number, grid.n_lanes);
            grid.add_row(&number.name, RowOrigin::Source, cells);
        }
        let Some(op) = op else { return grid };
        let registers = |of: &CallFrame<'_>, regs: &[GangReg], grid: &mut LaneGrid, origin: RowOrigin| {
            let mut told = Vec::new();
            for reg in regs {
                let ty = of.function().regs[reg.0 as usize];
                if ty.number != NumberType::Pointer && !told.contains(reg) {
                    let cells = of.numbers(*reg).iter().map(|bits| LaneCell::Value(scalar(*bits, ty.number)));
                    grid.add_row(&format!("%{}", reg.0), origin, cells.collect());
                    told.push(*reg);
                }
            }
        };
        registers(frame, &op.op.operands(), &mut grid, RowOrigin::Operand);
        let same_call = after.and_then(|calls| calls.get(now.machine.calls().len() - 1));
        if let Some(after) = same_call.filter(|_| after.is_some_and(|calls| calls.len() == now.machine.calls().len())) {
            registers(after, &op.results, &mut grid, RowOrigin::Result);
        }
        grid
    }

    /// The cells that an op touches, a strip for each stretch of memory. Variables of one number are in the rows of the lanes already.
    fn strips(&self, now: &RunState<'l>, frame: &CallFrame<'l>, op: &'l GangInst) -> Vec<Strip> {
        let Some((touched, number, does)) = touched(now, frame, op) else { return Vec::new() };
        let memory = &now.machine.memory;
        let (size, lanes) = (number.bytes(), u64::from(now.machine.module().lanes));
        let mut stretches: Vec<(u64, Vec<TouchedCell>)> = Vec::new();
        for (lane, address) in touched {
            let Some(seen) = memory.seen(address) else { continue };
            let is_variable =
                frame.function().slots.iter().any(|slot| *slot.name == *seen.name) && seen.bytes <= size * lanes;
            if is_variable {
                continue;
            }
            match stretches.iter_mut().find(|(number, _)| *number == seen.number) {
                Some((_, cells)) => cells.push((lane, seen.offset)),
                None => stretches.push((seen.number, vec![(lane, seen.offset)])),
            }
        }
        let strip = |(stretch, cells): &(u64, Vec<TouchedCell>)| self.strip(memory, *stretch, cells, number, does);
        stretches.iter().filter_map(strip).collect()
    }

    fn strip(
        &self,
        memory: &GangMemory,
        stretch: u64,
        touched: &[TouchedCell],
        number: NumberType,
        does: Touches,
    ) -> Option<Strip> {
        let seen = memory.seen(GangMemory::address(stretch, touched.first()?.1))?;
        let size = number.bytes();
        let given = self.begun.arrays.iter().find(|array| array.address >> 32 == stretch + 1);
        let n_numbers = given.map_or(1, |array| array.form.numbers.len() as u64);
        let stride = given.filter(|_| n_numbers > 1).map_or(size, |array| array.form.size);
        let mut offsets: Vec<u64> = touched.iter().map(|(_, offset)| *offset).collect();
        offsets.sort_unstable();
        offsets.dedup();
        let n_more = offsets.len().saturating_sub(MOST_CELLS);
        offsets.truncate(MOST_CELLS);
        let last = *offsets.last()?;
        let mut shown = offsets.clone();
        let beside = offsets.iter().flat_map(|at| [at.checked_sub(stride), Some(at + stride)]);
        shown.extend(beside.flatten().filter(|at| at + size <= seen.bytes));
        shown.sort_unstable();
        shown.dedup();
        let mut before: Option<u64> = None;
        let cells = shown.into_iter().map(|at| {
            let lanes: Vec<u16> = touched.iter().filter(|(_, it)| *it == at).filter_map(|(lane, _)| *lane).collect();
            let follows_gap = before.map_or(at >= stride, |before| at - before > stride);
            before = Some(at);
            let bits = memory.read(GangMemory::address(stretch, at), number);
            StripCell {
                subscripts: subscripts(given, at, size),
                value: bits.map_or_else(|_| "?".to_owned(), |bits| ispc_running::shown(bits, number)),
                lanes,
                is_touched: offsets.binary_search(&at).is_ok(),
                follows_gap,
            }
        });
        let touches: Vec<CellTouch> = touched
            .iter()
            .map(|(lane, at)| CellTouch { lane: *lane, at: (0, *at as usize), is_write: does != Touches::Reads })
            .collect();
        let name = seen.name.strip_prefix("array ").unwrap_or(seen.name).trim_matches('`').to_owned();
        Some(Strip {
            array: name,
            ty: format!("{}[{}]", number.word(), seen.bytes / stride * if n_numbers > 1 { n_numbers } else { 1 }),
            does,
            order: order(&touches, does, stride as i64, size as i64),
            cells: cells.collect(),
            goes_on: n_more == 0 && last + 2 * stride + size <= seen.bytes,
            n_more,
        })
    }
}

/// The subscript of a cell; of an element of several numbers with the number in it.
fn subscripts(given: Option<&GivenArray<'_>>, at: u64, size: u64) -> String {
    match given.filter(|array| array.form.numbers.len() > 1) {
        None => (at / size).to_string(),
        Some(array) => {
            let (element, offset) = (at / array.form.size, at % array.form.size);
            let nth = array.form.numbers.iter().position(|(start, _)| *start == offset).unwrap_or(0);
            format!("{element}.{nth}")
        }
    }
}

/// A cell that an op touches: its lane, where several run together, and its address, or its distance from the first byte of its memory.
type TouchedCell = (Option<u16>, u64);

/// The cells that an op touches, in the order of lanes; their type, and how it uses them.
type Touched = (Vec<TouchedCell>, NumberType, Touches);

fn touched(now: &RunState<'_>, frame: &CallFrame<'_>, op: &GangInst) -> Option<Touched> {
    let ty = |reg: GangReg| frame.function().regs[reg.0 as usize];
    let result = op.results.first().map(|reg| ty(*reg));
    let (address, of, does, is_packed) = match &op.op {
        GangOp::Load(address) => (*address, result?, Touches::Reads, false),
        GangOp::Store { address, value } => (*address, ty(*value), Touches::Writes, false),
        GangOp::PackedLoad { address, .. } => (*address, result?, Touches::Reads, true),
        GangOp::PackedStore { address, value } => (*address, ty(*value), Touches::Writes, true),
        GangOp::Atomic { address, .. } => (*address, result?, Touches::Updates, false),
        _ => return None,
    };
    let addresses = frame.numbers(address);
    let is_one = !of.is_varying && addresses.len() == 1;
    let lanes = now.machine.module().lanes as usize;
    let on = (0..lanes).filter(|lane| frame.lanes_on() >> lane & 1 == 1);
    let cell = |(nth, lane): (usize, usize)| match addresses {
        [first] => (Some(lane as u16), first + of.number.bytes() * if is_packed { nth } else { lane } as u64),
        each => (Some(lane as u16), each[lane]),
    };
    let cells = if is_one { vec![(None, addresses[0])] } else { on.enumerate().map(cell).collect() };
    Some((cells, of.number, does))
}

/// The numbers of the variables that are known at an op; of one name, those of the innermost.
fn known<'l>(frame: &CallFrame<'l>, op: Option<&'l GangInst>) -> Vec<(&'l GangVariable, &'l VariableNumber)> {
    let Some(at) = op.map(|op| op.place) else { return Vec::new() };
    let variables = frame.function().variables.iter();
    let known = variables.filter(|variable| {
        let GangVariable { scope, declared, .. } = variable;
        let is_within = scope.file == at.file && (scope.start..scope.end).contains(&at.start);
        is_within && declared.start <= at.start
    });
    let mut found: Vec<(&GangVariable, &VariableNumber)> = Vec::new();
    for variable in known {
        found.retain(|(_, other)| !variable.numbers.iter().any(|number| number.name == other.name));
        found.extend(variable.numbers.iter().map(|number| (variable, number)));
    }
    found
}

/// The value of a number of a variable, or that of each lane; nothing if its place is not known yet.
fn cells_of(
    memory: &GangMemory,
    frame: &CallFrame<'_>,
    variable: &GangVariable,
    number: &VariableNumber,
    n_lanes: usize,
) -> Vec<LaneCell> {
    let addresses = frame.numbers(variable.address);
    let read = |lane: usize| {
        let own = if number.ty.is_varying { lane as u64 * number.ty.number.bytes() } else { 0 };
        let address = addresses[lane.min(addresses.len() - 1)];
        let bits = memory.read(address.wrapping_add(number.offset + own), number.ty.number).ok()?;
        Some(LaneCell::Value(scalar(bits, number.ty.number)))
    };
    let n = if number.ty.is_varying || addresses.len() > 1 { n_lanes } else { 1 };
    let cells: Vec<Option<LaneCell>> = (0..n).map(read).collect();
    match cells.iter().all(Option::is_none) {
        true => Vec::new(),
        false => cells.into_iter().map(|cell| cell.unwrap_or(LaneCell::Off)).collect(),
    }
}

/// A number as the interpreter of kernels has it.
fn scalar(bits: u64, ty: NumberType) -> Scalar {
    let elem = match ty {
        NumberType::Bool => Elem::Bool,
        NumberType::I8 => Elem::I8,
        NumberType::U8 => Elem::U8,
        NumberType::I16 => Elem::I16,
        NumberType::U16 => Elem::U16,
        NumberType::I32 => Elem::I32,
        NumberType::U32 => Elem::U32,
        NumberType::I64 => Elem::I64,
        NumberType::U64 | NumberType::Pointer => Elem::U64,
        NumberType::F16 => Elem::F16,
        NumberType::F32 => Elem::F32,
        NumberType::F64 => Elem::F64,
    };
    Scalar::from_bits(elem, bits)
}

/// The variables of the place where a run stands.
pub(super) struct RunVariables<'r, 'l, 'a> {
    pub(super) now: &'r RunState<'l>,
    pub(super) arrays: &'r [GivenArray<'a>],
}

impl RunVariables<'_, '_, '_> {
    fn cells(&self, name: &str) -> Option<Vec<LaneCell>> {
        let frame = self.now.frame()?;
        let (variable, number) =
            known(frame, self.now.next_op()).into_iter().find(|(_, number)| *number.name == *name)?;
        let n_lanes = self.now.machine.module().lanes as usize;
        let cells = cells_of(&self.now.machine.memory, frame, variable, number, n_lanes);
        (!cells.is_empty()).then_some(cells)
    }
}

impl VariableScope for RunVariables<'_, '_, '_> {
    fn lanes_of(&self, name: &str) -> Option<usize> {
        self.cells(name).map(|cells| cells.len()).filter(|n| *n > 1)
    }

    fn is_array(&self, name: &str) -> bool {
        self.arrays.iter().any(|array| array.name == name) || self.cells(&format!("{name}[0]")).is_some()
    }

    fn in_lane(&self, name: &str, lane: usize) -> Result<Scalar, String> {
        if self.is_array(name) {
            return Err(format!("`{name}` is an array; write which element"));
        }
        let cells = self.cells(name).ok_or_else(|| format!("there is no `{name}` here, or it has no value yet"))?;
        match cells.get(lane).or(cells.first().filter(|_| cells.len() == 1)) {
            Some(LaneCell::Value(scalar)) => Ok(*scalar),
            _ => Err(format!("`{name}` has no value in lane {lane}")),
        }
    }

    fn element(&self, name: &str, indices: &[i128], lane: usize) -> Result<Scalar, String> {
        let [index] = indices[..] else { return Err(format!("`{name}` takes 1 subscript")) };
        match self.arrays.iter().find(|array| array.name == name) {
            Some(array) => {
                let nth = u64::try_from(index).ok().filter(|nth| *nth < array.count);
                let nth = nth.ok_or_else(|| {
                    format!("the index {index} is outside of `{name}`, which has {} numbers", array.count)
                })?;
                let (at, ty) = array.cell(nth);
                self.now.machine.memory.read(at, ty).map(|bits| scalar(bits, ty))
            }
            None => self.in_lane(&format!("{name}[{index}]"), lane),
        }
    }

    fn lanes_on(&self) -> Vec<bool> {
        let Some(frame) = self.now.frame() else { return Vec::new() };
        (0..self.now.machine.module().lanes).map(|lane| frame.lanes_on() >> lane & 1 == 1).collect()
    }
}
