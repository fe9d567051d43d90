//! The invariants of every kernel, at every stage. This comment is the list; each violation names its line of it.
//!
//! - `listed-once`: every op stands in one region, once; every region belongs to one op, or is the body.
//! - `linked`: a parameter, argument or result knows its place, and that place knows it.
//! - `in-scope`: a value is used only behind what makes it, in the same region or one inside of it. The body
//!   of a `while` also sees what its test makes. A constant may be used anywhere.
//! - `operands`: an op's operands are those that its row of the op table asks for: in number, kind, element
//!   type, and in a number of lanes that is the same for all vectors.
//! - `attribute`: an op says what its row asks for, within its bounds.
//! - `results`: an op's results have the types that its row gives.
//! - `blocks`: a control op has its regions; their arguments are the indices and the carried values.
//! - `carried`: the start values of a loop, its arguments, the yields of its block, and its results agree in number
//!   and type; so do the yields of the two blocks of an `if` and its results. The test of a `while` yields one
//!   scalar bool.
//! - `ranges`: indices, bounds and steps of a range are scalar integers of one type.
//! - `reductions`: what is joined is of a type that the operator joins; a scalar starts it, or as many lanes as its order has
//!   partial results, and the block yields it as a scalar, or in a `vector_for` in its lanes. Only `for`, `vector_for` and
//!   `reduce` do that.
//! - `one-range`: a `foreach` over several ranges carries and yields nothing, unless it is in lanes.
//! - `in-lanes`: inside of a `foreach` whose lanes run together all is scalar, and no other `foreach` and no
//!   `vector_for` stands there; nor does such a loop stand inside of a `vector_for`. Only inside of it does a scalar op
//!   ask lanes or their numbers.
//! - `counts`: only a `while` counts, and carries an integer first then.
//! - `rolled`: only a `for` or a `vector_for` is not to be unrolled.
//! - `together`: only of a `for` do iterations go together, and one at least.
//! - `in-turn`: only a `for` hands something on from lane to lane.
//! - `disjoint`: only an `if` is a runtime alias check, and its condition is that parts of two arrays overlap.
//! - `verdict`: only a `for`, `foreach` or `while` carries a verdict. One that is to have lanes, one lane or more, is in no other such
//!   loop; one inside of lanes is in such a loop, and one in order is in none, and in no `vector_for`. As soon as a kernel has a number
//!   of lanes only the verdicts about loops in order are left.
//! - `one-array`: no view is unknown, or carried or yielded in lanes. Only a whole array is taken flat.
//! - `elements`: a `map`, `reduce` or `scan` starts with arrays of elements, and its block with an element of each. The
//!   results of a `map` or `scan` are arrays of what the block yields; what `reduce` and `scan` carry agrees as in a loop.
//! - `no-whole-arrays`: behind the stage `arrays` no op works on whole arrays, and no view is carried or yielded, so that
//!   the array that a view is of is known without running. [`verify`] leaves this one out, [`verify_scalar`] does not.
//! - `parameters`: parameters are scalars, or single views with a size for each dimension that is arithmetic
//!   over constants and integer parameters; their names differ; what may overlap are arrays.
//! - `checked`: a kernel that compares sizes first has such checks before any loop, branch or store.
//! - `tables`: a constant array has the number of elements that its sizes say, which are constants, and nothing writes to it.
//! - `scratch`: an array lies in scratch memory only if the kernel says its bytes, a formula of integer parameters and of sizes of
//!   arrays.
//! - `result`: the body yields a scalar of the kernel's result type if it has one, else nothing.
//! - `lanes-known`: as long as a kernel has no number of lanes, all is scalar.
//! - `names`: names of values, kernels, structs and fields are identifiers.
//! - `origins`: every op's origin is in the kernel's table, and so is every call that one came through; a call
//!   stands in the table before what was inlined there, and what a main part leaves names that part, which is left by none.

use std::fmt;

use rustc_hash::FxHashSet;

use crate::entities::{EntityVec, Op, Origin, Region, Value};
use crate::ops::{Code, EffectRule};
use crate::program::{Attr, Control, Def, DimSize, Kernel, LaneVerdict};
use crate::scratch::ParamAtom;
use crate::types::{Elem, ElemSet, Type};
use crate::typing;

/// A violated invariant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// The name of what should hold, from the list above.
    pub invariant: &'static str,
    /// The op where it does not.
    pub op: Option<Op>,
    /// A description of the violation.
    pub message: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.invariant, self.message)?;
        self.op.map_or(Ok(()), |op| write!(f, " ({op})"))
    }
}

/// Checks everything that holds for every kernel; one may still work on whole arrays.
pub fn verify(kernel: &Kernel) -> Result<(), Vec<Violation>> {
    check(kernel, true)
}

/// Checks everything that holds for a kernel behind the stage `arrays`: every op works on elements.
pub fn verify_scalar(kernel: &Kernel) -> Result<(), Vec<Violation>> {
    check(kernel, false)
}

fn check(kernel: &Kernel, whole_arrays: bool) -> Result<(), Vec<Violation>> {
    let mut verifier = Verifier {
        kernel,
        whole_arrays,
        found: Vec::new(),
        visible: EntityVec::filled(kernel.values.len(), false),
        op_listed: EntityVec::filled(kernel.ops.len(), false),
        region_listed: EntityVec::filled(kernel.regions.len(), false),
        at: None,
        around: Around::Scalar,
        will_have_lanes: false,
    };
    verifier.kernel();
    if verifier.found.is_empty() { Ok(()) } else { Err(verifier.found) }
}

struct Verifier<'k> {
    kernel: &'k Kernel,
    /// True if ops may work on whole arrays.
    whole_arrays: bool,
    found: Vec<Violation>,
    /// For each value, true if it is in scope at the present op.
    visible: EntityVec<Value, bool>,
    op_listed: EntityVec<Op, bool>,
    region_listed: EntityVec<Region, bool>,
    /// The op that is being looked at.
    at: Option<Op>,
    /// The loop around that op.
    around: Around,
    /// True if a loop around that op has the verdict that it is to have lanes.
    will_have_lanes: bool,
}

/// The loops around an op, as far as lanes go.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Around {
    /// No loop is vectorised.
    Scalar,
    /// The op is in a `vector_for`.
    Vector,
    /// The op is in a `foreach` whose lanes run together.
    Together,
}

impl Verifier<'_> {
    fn require(&mut self, holds: bool, invariant: &'static str, message: impl FnOnce() -> String) {
        if !holds {
            self.found.push(Violation { invariant, op: self.at, message: message() });
        }
    }

    fn kernel(&mut self) {
        let kernel = self.kernel;
        self.parameters();
        self.names();
        for (origin, data) in kernel.origins.iter() {
            let known = data.call.is_none_or(|call| call < origin);
            self.require(known, "origins", || format!("{origin} was inlined at {:?}", data.call));
            let is_main = |of: Origin| of < origin && kernel.origins[of].rest_of.is_none();
            self.require(data.rest_of.is_none_or(is_main), "origins", || {
                format!("{origin} is left by {:?}", data.rest_of)
            });
        }
        self.region(kernel.body);
        self.at = None;
        let Some(body) = kernel.regions.get(kernel.body) else { return };
        let yields: Vec<Type> = body.yields.iter().filter_map(|&value| self.ty(value)).collect();
        let expected: Vec<Type> = kernel.result.map(Type::scalar).into_iter().collect();
        self.require(yields == expected, "result", || {
            format!("the body yields {}, not {}", list(&yields), list(&expected))
        });
        self.require(body.args.is_empty(), "blocks", || "the body has arguments".to_owned());
    }

    fn parameters(&mut self) {
        let kernel = self.kernel;
        let mut names = FxHashSet::default();
        for (number, param) in kernel.params.iter().enumerate() {
            let Some(data) = kernel.values.get(param.value) else {
                self.require(false, "linked", || format!("parameter {number} is {}, which is nothing", param.value));
                continue;
            };
            let linked = data.def == Def::Param(number as u32);
            self.require(linked, "linked", || {
                format!("parameter {number} is {}, which is {:?}", param.value, data.def)
            });
            self.visible[param.value] = true;
            let fits = data.ty.lanes().is_none() && usize::from(data.ty.rank()) == param.sizes.len();
            let fits = fits && (!data.ty.is_view() || data.ty.rank() > 0);
            self.require(fits, "parameters", || format!("{} with {} sizes", data.ty, param.sizes.len()));
            for size in &param.sizes {
                self.size(size);
            }
            let named = data.name.as_ref().is_some_and(|name| names.insert(name));
            self.require(named, "parameters", || format!("parameter {number} has no name of its own"));
        }
        for &(a, b) in &kernel.marks.alias {
            let arrays = [a, b].iter().all(|&value| {
                kernel.params.iter().any(|param| param.value == value) && self.ty(value).is_some_and(Type::is_view)
            });
            self.require(arrays, "parameters", || format!("{a} and {b} may overlap, but are not both arrays"));
        }
        let checks_none = kernel.marks.checked && kernel.checks().is_empty();
        self.require(!checks_none, "checked", || "no sizes are compared first".to_owned());
        self.scratch();
    }

    fn scratch(&mut self) {
        let kernel = self.kernel;
        let Some(bytes) = &kernel.marks.scratch else {
            let mut placed = None;
            kernel.walk(kernel.body, &mut |_, op| {
                placed = placed.or((kernel.ops[op].code == Code::Scratch).then_some(op))
            });
            return self
                .require(placed.is_none(), "scratch", || "nothing says how much scratch memory there is".to_owned());
        };
        let mut known = true;
        bytes.atoms(&mut |atom| {
            let (ParamAtom::Param(number) | ParamAtom::Size(number, _)) = atom;
            let ty = kernel.params.get(number).map(|param| kernel.ty(param.value));
            known &= match atom {
                ParamAtom::Param(_) => ty.is_some_and(|ty| ty.data_elem().is_some_and(Elem::is_integer)),
                ParamAtom::Size(_, dim) => ty.is_some_and(|ty| dim < usize::from(ty.rank())),
            };
        });
        self.require(known, "scratch", || "the bytes of scratch memory are no formula of the parameters".to_owned());
    }

    fn size(&mut self, size: &DimSize) {
        match size {
            DimSize::Own | DimSize::Constant(_) => {}
            DimSize::Param(value) => {
                let param = self.kernel.values.get(*value).and_then(|data| match data.def {
                    Def::Param(number) => self.kernel.params.get(number as usize),
                    _ => None,
                });
                let is_param = param.is_some_and(|param| param.value == *value);
                let integer = self.ty(*value).is_some_and(|ty| ty.data_elem().is_some_and(Elem::is_integer));
                self.require(is_param && integer, "parameters", || format!("a size is {value}"));
            }
            DimSize::Arithmetic(_, a, b) => {
                let known = !matches!(**a, DimSize::Own) && !matches!(**b, DimSize::Own);
                self.require(known, "parameters", || "a size is computed from one that is not known".to_owned());
                self.size(a);
                self.size(b);
            }
        }
    }

    fn names(&mut self) {
        let kernel = self.kernel;
        let fields = kernel
            .structs
            .iter()
            .flat_map(|(_, decl)| std::iter::once(&decl.name).chain(decl.fields.iter().map(|field| &field.name)));
        let values = kernel.values.iter().filter_map(|(_, data)| data.name.as_ref());
        for name in std::iter::once(&kernel.name).chain(fields).chain(values) {
            let starts = name.chars().next().is_some_and(|first| first.is_alphabetic() || first == '_');
            let goes_on = name.chars().all(|c| c.is_alphanumeric() || c == '_');
            self.require(starts && goes_on, "names", || format!("`{name}` is no identifier"));
        }
    }

    fn ty(&self, value: Value) -> Option<Type> {
        self.kernel.values.get(value).map(|data| data.ty)
    }

    /// A region and all in it; gives the values that it makes, which stay visible.
    fn open_region(&mut self, region: Region) -> Vec<Value> {
        let kernel = self.kernel;
        let Some(data) = kernel.regions.get(region) else {
            self.require(false, "listed-once", || format!("{region} is nothing"));
            return Vec::new();
        };
        let twice = std::mem::replace(&mut self.region_listed[region], true);
        self.require(!twice, "listed-once", || format!("{region} belongs to two ops"));
        if twice {
            return Vec::new();
        }
        let mut made = Vec::new();
        for (number, &arg) in data.args.iter().enumerate() {
            self.make(arg, Def::Arg(region, number as u32), &mut made);
        }
        for &op in &data.ops {
            self.at = Some(op);
            let twice = self.op_listed.get(op).is_none_or(|listed| *listed);
            self.require(!twice, "listed-once", || format!("{op} stands in {region}, and in another place"));
            if twice {
                continue;
            }
            self.op_listed[op] = true;
            self.op(op);
            for (number, &result) in kernel.ops[op].results.iter().enumerate() {
                self.at = Some(op);
                self.make(result, Def::Result(op, number as u32), &mut made);
            }
        }
        self.use_all(&data.yields);
        made
    }

    fn region(&mut self, region: Region) {
        let made = self.open_region(region);
        self.hide(&made);
    }

    fn hide(&mut self, made: &[Value]) {
        made.iter().for_each(|&value| self.visible[value] = false);
    }

    /// A value that is made here.
    fn make(&mut self, value: Value, def: Def, made: &mut Vec<Value>) {
        let linked = self.kernel.values.get(value).is_some_and(|data| data.def == def);
        self.require(linked, "linked", || format!("{value} is not {def:?}"));
        if linked {
            self.visible[value] = true;
            made.push(value);
            let ty = self.kernel.ty(value);
            let known = ty.lanes().is_none() || self.kernel.lanes.is_some();
            self.require(known, "lanes-known", || format!("{value} is {ty}"));
        }
    }

    fn use_all(&mut self, values: &[Value]) {
        for &value in values {
            let data = self.kernel.values.get(value);
            let visible = data.is_some_and(|data| matches!(data.def, Def::Const(_)) || self.visible[value]);
            self.require(visible, "in-scope", || format!("{value} is not made before it is used"));
            if let Some(Def::Const(scalar)) = data.map(|data| data.def) {
                let fits = self.kernel.ty(value) == Type::scalar(scalar.elem());
                self.require(fits, "linked", || format!("{value} is the constant {scalar:?}"));
            }
        }
    }

    fn op(&mut self, op: Op) {
        let data = &self.kernel.ops[op];
        self.use_all(&data.operands);
        let known = self.kernel.origins.get(data.origin).is_some();
        self.require(known, "origins", || format!("{} is in no table", data.origin));
        if data.operands.iter().any(|&value| self.ty(value).is_none()) {
            return;
        }
        let lowered = self.whole_arrays || !self.kernel.is_of_whole_arrays(op);
        self.require(lowered, "no-whole-arrays", || format!("`{}` of whole arrays", data.code.row().name));
        if data.code.is_control() { self.control_op(op) } else { self.plain_op(op) }
    }

    /// A constant array has as many elements as its sizes say, which are constants, and nothing writes to it.
    fn tables(&mut self, op: Op) {
        let kernel = self.kernel;
        let data = &kernel.ops[op];
        if let (Code::Table, Attr::Cells(_, cells)) = (data.code, &data.attr) {
            let sizes = data.operands.iter().map(|&size| usize::try_from(kernel.as_const(size)?.wide()?).ok());
            let count = sizes.into_iter().try_fold(1usize, |count, size| count.checked_mul(size?));
            self.require(count == Some(cells.len()), "tables", || format!("{} elements", cells.len()));
        }
        if data.code.row().effect == EffectRule::Writes
            && let Some(&array) = data.operands.first()
            && self.ty(array).is_some_and(Type::is_view)
        {
            let is_table = kernel.def_op(kernel.root(array)).is_some_and(|op| kernel.ops[op].code == Code::Table);
            self.require(!is_table, "tables", || format!("`{}` writes to a constant array", data.code.row().name));
        }
    }

    /// An op without regions: the op table says all.
    fn plain_op(&mut self, op: Op) {
        let kernel = self.kernel;
        let data = &kernel.ops[op];
        self.require(data.regions.is_empty(), "blocks", || format!("`{}` has blocks", data.code.row().name));
        let types: Vec<Type> = data.operands.iter().map(|&value| kernel.ty(value)).collect();
        if let Err(problem) = typing::check(data.code, &types) {
            return self.require(false, "operands", || problem);
        }
        if let Err(problem) = typing::check_attr(data.code, &data.attr, &types) {
            return self.require(false, "attribute", || problem);
        }
        self.tables(op);
        let made: Vec<Type> = data.results.iter().filter_map(|&value| self.ty(value)).collect();
        match typing::results(&kernel.structs, data.code, &data.attr, &types) {
            Ok(given) => {
                self.require(given[..] == made[..], "results", || format!("{}, not {}", list(&made), list(&given)))
            }
            Err(problem) => self.require(false, "attribute", || problem),
        }
        let scalar = types.iter().chain(&made).all(|ty| ty.lanes().is_none());
        let asks = data.code.asks_lanes() || data.code == Code::LaneId;
        let fits = if self.around == Around::Together { scalar } else { !(scalar && asks) };
        self.require(fits, "in-lanes", || match scalar {
            true => format!("`{}` of scalars, outside of a `foreach` in lanes", data.code.row().name),
            false => format!("`{}` in lanes, inside of a `foreach` in lanes", data.code.row().name),
        });
        // Nothing is followed further than one op here: a broken kernel may go in circles.
        let is_part = |code: Code| matches!(code, Code::Row | Code::Slice | Code::Field | Code::Flat);
        let part = data.operands.first().and_then(|&view| kernel.def_op(view));
        let whole = data.code != Code::Flat || part.is_none_or(|op| !is_part(kernel.ops[op].code));
        self.require(whole, "one-array", || "a part of an array is taken flat".to_owned());
        let data_only = data.code != Code::Unknown || made.iter().all(|ty| !ty.is_view());
        self.require(data_only, "one-array", || "an unknown view".to_owned());
    }

    fn control_op(&mut self, op: Op) {
        let kernel = self.kernel;
        let data = &kernel.ops[op];
        let Some(control) = kernel.control(op) else {
            return self.require(false, "attribute", || format!("`{}` says nothing", data.code.row().name));
        };
        let n_blocks = if matches!(data.code, Code::If | Code::While) { 2 } else { 1 };
        if data.regions.len() != n_blocks {
            return self.require(false, "blocks", || format!("{} blocks, not {n_blocks}", data.regions.len()));
        }
        self.verdict(op, control);
        let outer = self.enter(op);
        let outside_lanes = self.will_have_lanes;
        self.will_have_lanes |= matches!(control.marks.verdict, Some(LaneVerdict::InLanes(_)));
        let test_makes = self.open_region(data.regions[0]);
        if data.code != Code::While {
            self.hide(&test_makes);
        }
        if n_blocks == 2 {
            self.region(data.regions[1]);
        }
        self.hide(&test_makes);
        self.around = outer;
        self.will_have_lanes = outside_lanes;
        self.at = Some(op);
        if data.regions.iter().any(|&region| kernel.regions.get(region).is_none()) {
            return;
        }
        let wide = match data.code {
            Code::VectorFor => control.width.is_some_and(|width| width > 0),
            Code::Foreach => control.width != Some(0),
            _ => control.width.is_none(),
        };
        self.require(wide, "attribute", || format!("`{}` for {:?} lanes", data.code.row().name, control.width));
        let counts = data.operands.first().and_then(|&first| self.ty(first)?.data_elem());
        let counts = data.code == Code::While && counts.is_some_and(|elem| ElemSet::INTEGERS.contains(elem));
        self.require(counts || !control.marks.counts, "counts", || format!("`{}` counts", data.code.row().name));
        let rolls = matches!(data.code, Code::For | Code::VectorFor);
        self.require(rolls || !control.marks.rolled, "rolled", || {
            format!("`{}` is not unrolled", data.code.row().name)
        });
        let goes_together = data.code == Code::For && control.marks.together != Some(0);
        self.require(goes_together || control.marks.together.is_none(), "together", || {
            format!("no iterations of `{}` go together", data.code.row().name)
        });
        let takes_turns = data.code == Code::For || !control.marks.in_turn;
        self.require(takes_turns, "in-turn", || {
            format!("`{}` hands nothing on from lane to lane", data.code.row().name)
        });
        let joins = data.code == Code::For || !control.marks.any_order;
        self.require(joins, "any-order", || format!("`{}` joins nothing in any order", data.code.row().name));
        let has_tiles = matches!(data.code, Code::Foreach) || !control.marks.tiled;
        self.require(has_tiles, "tiled", || format!("`{}` has no tiles", data.code.row().name));
        let asks = || data.operands.first().is_some_and(|&condition| !kernel.compared(condition).is_empty());
        self.require(!control.marks.disjoint || data.code == Code::If && asks(), "disjoint", || {
            "what it tests is not whether arrays overlap".to_owned()
        });
        self.control_types(op, control);
    }

    /// Checks the verdict about a loop's lanes.
    fn verdict(&mut self, op: Op, control: &Control) {
        let Some(verdict) = control.marks.verdict else { return };
        let code = self.kernel.ops[op].code;
        let is_loop = matches!(code, Code::For | Code::Foreach | Code::While);
        self.require(is_loop, "verdict", || format!("`{}` has a verdict", code.row().name));
        let is_done = self.kernel.lanes.is_some() && !matches!(verdict, LaneVerdict::InOrder(_));
        self.require(!is_done, "verdict", || format!("`{}` in a kernel that has lanes", verdict.mark()));
        let fits = match verdict {
            LaneVerdict::InLanes(lanes) => lanes > 0 && !self.will_have_lanes,
            LaneVerdict::InsideLanes => self.will_have_lanes,
            LaneVerdict::InOrder(_) => !self.will_have_lanes && self.around != Around::Vector,
        };
        let is_inside = self.will_have_lanes || self.around == Around::Vector;
        let side = if is_inside { "inside" } else { "outside" };
        self.require(fits, "verdict", || format!("`{}` {side} of lanes", verdict.mark()));
    }

    /// Steps into a control op; gives what was around before.
    fn enter(&mut self, op: Op) -> Around {
        let code = self.kernel.ops[op].code;
        let inside = match code {
            Code::VectorFor => Around::Vector,
            Code::Foreach if self.is_together(op) => Around::Together,
            _ => self.around,
        };
        let fits = match self.around {
            Around::Scalar => true,
            Around::Vector => inside == Around::Vector,
            // Each lane may run a `foreach` of its own in order, but has no lanes to vectorise it with.
            Around::Together => code != Code::VectorFor && inside == Around::Together && !self.is_together(op),
        };
        self.require(fits, "in-lanes", || format!("`{}` inside of a loop in lanes", code.row().name));
        std::mem::replace(&mut self.around, inside)
    }

    /// Says whether the iterations of a loop run together.
    fn is_together(&self, op: Op) -> bool {
        self.kernel.lanes_of_foreach(op).is_some()
    }
}

/// Types, as messages show them.
fn list(types: &[Type]) -> String {
    match types {
        [] => "nothing".to_owned(),
        _ => types.iter().map(Type::to_string).collect::<Vec<_>>().join(", "),
    }
}

mod control;

#[cfg(test)]
mod tests;
