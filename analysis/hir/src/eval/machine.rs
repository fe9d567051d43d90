//! The state of a run, and its beginning and end.
//!
//! Everything is done for a list of *active lanes*; outside of a `foreach` whose lanes run together there is one, lane
//! 0. Each function that is being run has a frame, and each lane has its own variables in it.

use std::rc::Rc;

use ir::interp::ErrorKind;
use ir::scalar::Checked;
use ir::{Elem, Scalar};
use report::{ItemKind, ReportCode, TextRange};
use rustc_hash::{FxHashMap, FxHashSet};

use super::functions::Function;
use super::memory::{Cells, Memory, Room};
use super::places::{Cell, Tracker, View};
use super::program::{CheckedUnit, Program};
use super::running::Running;
use super::sizes::{n_cells, n_elements, sizes_of};
use super::{ArgValue, Array, Constant, Element, Error, EvalLimits, EvalOutcome, Iteration, StopCode};
use crate::finding::ItemKey;
use crate::layout;
use crate::size::Size;
use crate::ty::Ty;
use crate::{ExprId, FastParts, LocalId, Name};

/// The limit on the nesting of blocks and expressions, over all calls, that a thread's stack has room for.
const MAX_DEPTH: u32 = 1_200;

/// The value of an expression, in one lane.
#[derive(Debug, Clone)]
pub(super) enum Value {
    /// The value of a scalar.
    Scalar(Scalar),
    /// A struct, by the values of its leaves.
    Struct(Rc<[Scalar]>),
    /// Several values as one.
    Tuple(Rc<[Value]>),
    /// An array, or a part of one.
    View(Rc<View>),
    /// Arrays that are zipped, one for each part of the tuples.
    Columns(Rc<[Rc<View>]>),
    /// A function as a value.
    Function(Rc<Function>),
    /// The value of a call that gives none.
    Nothing,
}

/// The state of a lane between two statements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Flow {
    /// Takes part in the next statement.
    #[default]
    On,
    /// Has left the innermost loop.
    Broke,
    /// Has left the innermost loop's iteration.
    Continued,
    /// The lane has left the function.
    Returned,
}

/// The state of a lane in a frame.
#[derive(Debug, Clone, Default)]
pub(super) struct Lane {
    pub(super) vars: FxHashMap<LocalId, Value>,
    pub(super) flow: Flow,
    pub(super) result: Option<Value>,
}

/// A function that is being run: the kernel, or one that is called.
pub(super) struct Frame<'p> {
    pub(super) unit: &'p CheckedUnit,
    /// The types that its generic types stand for in this call.
    pub(super) generics: Vec<Ty>,
    pub(super) lanes: Vec<Lane>,
    /// The parts of it that `@fast` is about.
    pub(super) fast: Rc<FastParts>,
    /// Sums and products of floats have the fixed order: that is allowed above the item, or above one that calls it.
    pub(super) reassoc: bool,
    /// The variables that the lanes of a group share: those from outside of the `foreach` that is being run.
    pub(super) shared: Rc<FxHashSet<LocalId>>,
    /// The place of the call, in the frame before.
    pub(super) site: Option<TextRange>,
}

impl<'p> Frame<'p> {
    /// The frame that a program begins with.
    fn entry(unit: &'p CheckedUnit) -> Frame<'p> {
        let fast = Rc::new(FastParts::of(&unit.body, false));
        let reassoc = unit.body.frees_order();
        Frame {
            unit,
            generics: Vec::new(),
            lanes: vec![Lane::default()],
            fast,
            reassoc,
            shared: Rc::default(),
            site: None,
        }
    }
}

/// A loop that is being run, with its index in each lane (or in all).
pub(super) struct Around {
    pub(super) name: Name,
    pub(super) values: Vec<i128>,
}

pub(super) struct Machine<'p> {
    pub(super) program: &'p Program,
    /// The number of arrays that there have been.
    pub(super) n_arrays: usize,
    /// The memory that is left for arrays.
    pub(super) room: Room,
    pub(super) frames: Vec<Frame<'p>>,
    pub(super) around: Vec<Around>,
    /// The variables that run on through the loops that are being run, outermost first.
    pub(super) running: Vec<Running>,
    /// The cells that the iterations of each running `foreach` have touched, outermost first.
    pub(super) trackers: Vec<Tracker>,
    /// The number of lanes that run together, inside of a `foreach` that has some.
    pub(super) width: Option<u32>,
    constants: FxHashMap<ItemKey, Value>,
    /// The numbers of the arrays that are constants.
    pub(super) tables: FxHashSet<usize>,
    fuel: u64,
    depth: u32,
}

/// A result, or the error that stops the run.
pub(super) type Run<T> = Result<T, Box<Error>>;

/// Runs a kernel from its start to its end.
pub(super) fn run(program: &Program, args: Vec<ArgValue>, limits: EvalLimits) -> EvalOutcome {
    let mut machine = Machine::new(program, limits);
    let views = machine.take(args);
    let done = machine.refuse().and_then(|()| views.clone()).and_then(|_| machine.kernel());
    let arrays = views.unwrap_or_default().iter().map(|view| machine.content(view)).collect();
    let (result, error) = match done {
        Ok(result) => (result, None),
        Err(error) => (None, Some(*error)),
    };
    EvalOutcome { result, arrays, error, fuel_left: machine.fuel }
}

/// The result of a function of scalars; `None` if it stops.
pub(super) fn apply(program: &Program, args: &[Scalar], limits: EvalLimits) -> Option<Scalar> {
    let unit = program.entry();
    let types: Vec<_> = args.iter().map(|arg| Ty::Scalar(arg.elem())).collect();
    let params = &unit.types.signature.params;
    if params.len() != args.len() {
        return None;
    }
    let mut generics = vec![Ty::Error; unit.types.signature.generics.len()];
    for ((_, param), ty) in params.iter().zip(&types) {
        match param {
            Ty::Generic(n) => generics[*n as usize] = ty.clone(),
            param if param == ty => {}
            _ => return None,
        }
    }
    let frame = Frame { generics, ..Frame::entry(unit) };
    let mut machine = Machine { frames: vec![frame], ..Machine::new(program, limits) };
    machine.refuse().ok()?;
    for (&param, &arg) in unit.body.params.iter().zip(args) {
        machine.set(param, 0, Value::Scalar(arg));
    }
    machine.kernel().ok().flatten()
}

/// The value of the constant that a program begins with.
pub(super) fn constant(program: &Program, limits: EvalLimits) -> Run<Option<Constant>> {
    let mut machine = Machine::new(program, limits);
    machine.refuse()?;
    let unit = program.entry();
    let Some(value) = unit.body.value else { return Ok(None) };
    let given = machine.constant_of(unit, value)?;
    Ok(match given {
        Value::Scalar(scalar) => Some(Constant::Scalar(scalar)),
        Value::View(view) => Some(Constant::Array(machine.copied(&view))),
        _ => None,
    })
}

impl<'p> Machine<'p> {
    // Beginning and end.

    fn new(program: &'p Program, limits: EvalLimits) -> Machine<'p> {
        let entry = Frame::entry(program.entry());
        Machine {
            program,
            n_arrays: 0,
            room: Room::new(limits.memory),
            frames: vec![entry],
            around: Vec::new(),
            running: Vec::new(),
            trackers: Vec::new(),
            width: None,
            constants: FxHashMap::default(),
            tables: FxHashSet::default(),
            fuel: limits.fuel,
            depth: 0,
        }
    }

    /// A program that has errors, or breaks a rule, is not run at all.
    fn refuse(&self) -> Run<()> {
        let error = |unit: &CheckedUnit, range, code: ReportCode, message| {
            Err(Box::new(Error {
                code,
                item: unit.key.clone(),
                range,
                calls: Vec::new(),
                iteration: Vec::new(),
                other: None,
                lane: None,
                kind: None,
                message,
            }))
        };
        for unit in self.program.reached() {
            if let Some((range, message)) = &unit.error {
                return error(unit, *range, StopCode::HasErrors.into(), message.clone());
            }
        }
        match super::rules::broken(self.program) {
            Some((unit, range, rule)) => error(unit, range, rule.code().into(), rule.message()),
            None => Ok(()),
        }
    }

    /// Gives the parameters their values. The views of the arrays among them are returned.
    fn take(&mut self, args: Vec<ArgValue>) -> Run<Vec<View>> {
        let unit = self.frame().unit;
        let params = &unit.body.params;
        let mut views: Vec<Option<View>> = Vec::new();
        for (n, &param) in params.iter().enumerate() {
            let at = unit.map.locals[param];
            let wrong = |machine: &Self| {
                let message = format!("`{}` is given nothing that fits its type", unit.body.locals[param].name);
                machine.error(StopCode::WrongArgument, at, 0, message)
            };
            let ty = unit.types.locals.get(param).cloned().unwrap_or(Ty::Error);
            let (value, view) = match (args.get(n), &ty) {
                (Some(ArgValue::Scalar(scalar)), Ty::Scalar(wanted)) if scalar.elem() == *wanted => {
                    (Value::Scalar(*scalar), None)
                }
                (Some(ArgValue::Scalar(scalar)), Ty::Struct(_))
                    if self.element(&ty) == Some(Element::Struct([scalar.elem()].into())) =>
                {
                    (Value::Struct([*scalar].into()), None)
                }
                (Some(ArgValue::Array(array)), Ty::Struct(_))
                    if array.sizes == [1] && self.element(&ty).as_ref() == Some(&array.element) =>
                {
                    let memory = self.memory(array.element.clone(), Cells::given(array.cells.clone()));
                    (Value::Struct(array.cells.clone().into()), Some(View::new(memory, 0, &[1])))
                }
                (Some(ArgValue::Array(array)), Ty::Array(element, sizes)) => {
                    let wanted = self.element(element);
                    // An enum without data is given as its number.
                    let held = match &array.element {
                        Element::Scalar(elem) if wanted == Some(Element::Struct([*elem].into())) => wanted.clone(),
                        element => Some(element.clone()),
                    };
                    let fits = wanted == held
                        && array.sizes.len() == sizes.len()
                        && n_cells(&array.sizes, &array.element) == Some(array.cells.len());
                    if !fits {
                        return Err(wrong(self));
                    }
                    let memory =
                        self.memory(held.unwrap_or_else(|| array.element.clone()), Cells::given(array.cells.clone()));
                    let view = View::new(memory, 0, &array.sizes);
                    (Value::View(Rc::new(view.clone())), Some(view))
                }
                (Some(ArgValue::Part { of, from, sizes }), Ty::Array(element, dims)) if sizes.len() == dims.len() => {
                    let other = views.get(*of).and_then(Option::as_ref);
                    let view = other.and_then(|other| self.part(other, *from, sizes, element));
                    let view = view.ok_or_else(|| wrong(self))?;
                    (Value::View(Rc::new(view.clone())), Some(view))
                }
                _ => return Err(wrong(self)),
            };
            self.set(param, 0, value);
            views.push(view);
        }
        if args.len() != params.len() {
            let message = format!("{} arguments are given for {} parameters", args.len(), params.len());
            return Err(self.error(StopCode::WrongArgument, unit.map.header, 0, message));
        }
        Ok(views.into_iter().flatten().collect())
    }

    /// The part of an array that starts at a cell of another view of it.
    fn part(&self, of: &View, from: usize, sizes: &[i64], element: &Ty) -> Option<View> {
        let array = &of.array;
        let room = array.cells.borrow().scalars.len() / array.element.fields().len().max(1);
        let start = usize::try_from(of.start).ok()?.checked_add(from)?;
        let end = n_cells(sizes, &Element::Scalar(Elem::Bool))?.checked_add(start)?;
        let fits = self.element(element).as_ref() == Some(&array.element) && end <= room;
        fits.then(|| View::new(array.clone(), start as i64, sizes))
    }

    /// The type of the cells of an array.
    pub(super) fn element(&self, ty: &Ty) -> Option<Element> {
        match ty {
            Ty::Scalar(scalar) => Some(Element::Scalar(*scalar)),
            Ty::Struct(name) => {
                let leaves = layout::leaves(&self.program.fields_of(), name)?;
                Some(Element::Struct(leaves.into_iter().map(|(_, elem)| elem).collect()))
            }
            _ => None,
        }
    }

    fn kernel(&mut self) -> Run<Option<Scalar>> {
        let unit = self.frame().unit;
        if let Some(clash) = self.check_params(&[0]) {
            let param = unit.body.params[clash.param];
            let at = unit.body.locals[param].ty.as_ref().map_or(unit.map.locals[param], |ty| ty.at);
            return Err(self.fault(clash.kind, at, 0));
        }
        self.block(&unit.body.block, &[0])?;
        match self.frame_mut().lanes[0].result.take() {
            Some(Value::Scalar(scalar)) => Ok(Some(scalar)),
            _ => Ok(None),
        }
    }

    /// The memory of another array.
    pub(super) fn memory(&mut self, element: Element, cells: Cells) -> Rc<Memory> {
        self.n_arrays += 1;
        Rc::new(Memory { number: self.n_arrays, element, cells: cells.into() })
    }

    /// The elements of an array or of a part of one, row after row.
    fn copied(&self, view: &View) -> Array {
        let array = &view.array;
        let sizes = sizes_of(view);
        let scalars = &array.cells.borrow().scalars;
        let cells = (0..n_elements(&sizes)).flat_map(|number| &scalars[Cell::in_order(view, number).positions()]);
        Array { element: array.element.clone(), cells: cells.copied().collect(), sizes }
    }

    /// The elements of a parameter's array.
    fn content(&self, view: &View) -> Array {
        let array = &view.array;
        let sizes: Vec<_> = view.dims.iter().map(|dim| dim.size).collect();
        let width = array.element.fields().len();
        let start = view.start as usize * width;
        let len = n_cells(&sizes, &array.element).unwrap_or(0);
        Array {
            element: array.element.clone(),
            sizes,
            cells: array.cells.borrow().scalars[start..start + len].to_vec(),
        }
    }

    // Frames.

    pub(super) fn frame(&self) -> &Frame<'p> {
        self.frames.last().expect("the kernel's frame is always there")
    }

    pub(super) fn frame_mut(&mut self) -> &mut Frame<'p> {
        self.frames.last_mut().expect("the kernel's frame is always there")
    }

    /// Gives a variable a value in a lane, or in all of them if they share it.
    pub(super) fn set(&mut self, local: LocalId, lane: usize, value: Value) {
        if self.frame().shared.contains(&local) {
            let lanes = self.frame_mut().lanes.iter_mut();
            return lanes.for_each(|lane| _ = lane.vars.insert(local, value.clone()));
        }
        self.frame_mut().lanes[lane].vars.insert(local, value);
    }

    /// Enters a function, does something, and leaves it. `fast` are its parts that `@fast` is about; `reassoc` says that floats are
    /// summed in the fixed order there.
    pub(super) fn call<T>(
        &mut self,
        unit: &'p CheckedUnit,
        generics: Vec<Ty>,
        (fast, reassoc): (Rc<FastParts>, bool),
        site: TextRange,
        inside: impl FnOnce(&mut Self) -> Run<T>,
    ) -> Run<T> {
        let lanes = vec![Lane::default(); self.frame().lanes.len()];
        self.frames.push(Frame { unit, generics, lanes, fast, reassoc, shared: Rc::default(), site: Some(site) });
        let done = inside(self);
        self.frames.pop();
        done
    }

    /// The value of a constant.
    pub(super) fn named_constant(&mut self, name: &Name, site: TextRange) -> Run<Value> {
        let unit = self.program.named(self.frame().unit, name);
        if let Some(known) = unit.and_then(|unit| self.constants.get(&unit.key)) {
            return Ok(known.clone());
        }
        let unit = unit.filter(|unit| unit.key.kind == ItemKind::Const);
        let Some((unit, value)) = unit.and_then(|unit| Some((unit, unit.body.value?))) else {
            return Err(self.error(StopCode::HasErrors, site, 0, format!("`{name}` has no value")));
        };
        let fast = Rc::new(FastParts::of(&unit.body, false));
        // A constant is the same wherever it is named.
        let value = self.call(unit, Vec::new(), (fast, unit.body.frees_order()), site, |machine| {
            machine.constant_of(unit, value)
        })?;
        if let Value::View(view) = &value {
            self.tables.insert(view.array.number);
        }
        self.constants.insert(unit.key.clone(), value.clone());
        Ok(value)
    }

    /// The value of a constant, whose frame is open: an array has the sizes that are written.
    fn constant_of(&mut self, unit: &'p CheckedUnit, value: ExprId) -> Run<Value> {
        let given = self.expr(value, &[0])?.into_iter().next().unwrap_or(Value::Nothing);
        let ty = unit.types.signature.result.clone().unwrap_or(Ty::Error);
        let Ty::Array(_, sizes) = &ty else { return Ok(given) };
        let given = match given {
            Value::Scalar(_) | Value::Struct(_) => self.filled(&ty, &given, value, 0)?,
            given => given,
        };
        if let Value::View(view) = &given
            && let Some(kind) = self.sizes_clash(sizes, view, 0)
        {
            return Err(self.fault(kind, self.at(value), 0));
        }
        self.check_assumed(&[value], &[0])?;
        Ok(given)
    }

    // Types.

    /// A type of the current function, with its generic types bound.
    pub(super) fn bound(&self, ty: &Ty) -> Ty {
        let generics = &self.frame().generics;
        ty.replace(
            &mut |ty| match ty {
                Ty::Generic(n) => Some(generics.get(*n as usize).cloned().unwrap_or(Ty::Error)),
                _ => None,
            },
            &mut Size::clone,
        )
    }

    /// The type of an expression in this call.
    pub(super) fn type_of(&self, expr: ExprId) -> Ty {
        match self.frame().unit.types.exprs.get(expr) {
            Some(Ty::Scalar(scalar)) => Ty::Scalar(*scalar),
            Some(ty) => self.bound(ty),
            None => Ty::Error,
        }
    }

    // Errors of the program.

    /// An error at a place of the current function.
    pub(super) fn error(
        &self,
        code: impl Into<ReportCode>,
        range: TextRange,
        lane: usize,
        message: impl Into<String>,
    ) -> Box<Error> {
        let calls = self.frames.windows(2).filter_map(|pair| Some((pair[0].unit.key.clone(), pair[1].site?)));
        Box::new(Error {
            code: code.into(),
            item: self.frame().unit.key.clone(),
            range,
            calls: calls.collect(),
            iteration: self.iteration(lane),
            other: None,
            lane: self.width.map(|_| lane as u32),
            kind: None,
            message: message.into(),
        })
    }

    /// An error that Lane IR has as well, in the same words.
    pub(super) fn fault(&self, kind: ErrorKind, range: TextRange, lane: usize) -> Box<Error> {
        let mut error = self.error(kind.code(), range, lane, kind.to_string());
        error.kind = Some(kind);
        error
    }

    fn iteration(&self, lane: usize) -> Iteration {
        let value = |around: &Around| *around.values.get(lane).unwrap_or(&around.values[0]);
        self.around.iter().map(|around| (around.name.clone(), value(around))).collect()
    }

    /// The result of an operation, or its fault as an error.
    pub(super) fn checked(&self, result: Checked, at: ExprId, lane: usize) -> Run<Scalar> {
        result.map_err(|fault| self.fault(ErrorKind::Arithmetic(fault), self.at(at), lane))
    }

    /// The place of an expression.
    pub(super) fn at(&self, expr: ExprId) -> TextRange {
        self.frame().unit.map.exprs[expr]
    }

    /// A value that the checker says is a scalar.
    pub(super) fn scalar(&self, value: &Value, at: ExprId) -> Run<Scalar> {
        match value {
            Value::Scalar(scalar) => Ok(*scalar),
            _ => Err(self.error(StopCode::HasErrors, self.at(at), 0, "there is no scalar here")),
        }
    }

    /// Does something inside of what is being done.
    pub(super) fn deeper<T>(&mut self, at: TextRange, inside: impl FnOnce(&mut Self) -> Run<T>) -> Run<T> {
        if self.depth == MAX_DEPTH {
            return Err(self.error(StopCode::CallsTooDeep, at, 0, "too many calls are inside each other here"));
        }
        self.depth += 1;
        let done = inside(self);
        self.depth -= 1;
        done
    }

    /// Uses up a bit of fuel.
    pub(super) fn burn(&mut self, at: TextRange, lane: usize) -> Run<()> {
        match self.fuel.checked_sub(1) {
            Some(left) => {
                self.fuel = left;
                Ok(())
            }
            None => Err(self.error(StopCode::OutOfFuel, at, lane, "the run has used up its fuel")),
        }
    }
}
