//! Words for shapes, strides, reasons and iterations, in reports to the author of a kernel.

use std::sync::Arc;

use facts::{Class, Fact, Facts, Form, Shape, VaryingReason};
use ir::{Code, Kernel, Op, ReasonCode, Value};
use rustc_hash::FxHashSet;

use super::Stride;

/// A shape in words, and how far it is from uniform.
pub(super) fn shape(kernel: &Kernel, shape: &Shape) -> (Arc<str>, u8) {
    match shape {
        Shape::Uniform => ("uniform".into(), 0),
        Shape::Linear(stride) => (format!("linear, stride {}", in_words(kernel, stride)).into(), 1),
        Shape::Repeated(repeat) => (format!("repeated, each {} lanes", repeat.times).into(), 2),
        Shape::Periodic(period) => (format!("periodic, {period}").into(), 3),
        Shape::Prefix => ("prefix".into(), 4),
        Shape::Suffix => ("suffix".into(), 5),
        Shape::Arbitrary => ("arbitrary".into(), 6),
    }
}

/// The rank of a class by the cost of its accesses, cheapest first.
pub(super) fn class_rank(class: Class) -> u8 {
    match class {
        Class::Broadcast | Class::UniformStore => 0,
        Class::Contiguous => 1,
        Class::Reversed => 2,
        Class::Repeated => 3,
        Class::Periodic => 4,
        Class::Interleaved => 5,
        Class::Strided => 6,
        Class::Gather | Class::Scatter => 7,
    }
}

/// The largest stride in cells for which an array of its own for each cell of the stride is suggested.
const MOST_PARTS: u64 = 8;

/// A stride as a formula over names; `None` for one that depends on values without a name.
fn formula(kernel: &Kernel, form: &Form) -> Option<String> {
    let is_named = |&value: &Value| kernel.values[value].name.is_some();
    (form.as_constant().is_some() || form.values().iter().all(is_named)).then(|| form.display(kernel))
}

fn in_words(kernel: &Kernel, form: &Form) -> String {
    formula(kernel, form).unwrap_or_else(|| Stride::UNNAMED.to_owned())
}

/// The distance in cells from lane to lane.
pub(super) fn stride(kernel: &Kernel, access: &facts::Access) -> Option<Stride> {
    if access.shape == Shape::Uniform {
        // Arrays of lanes lie cell by cell beside each other.
        return Some(Stride::Cells((access.class == Class::Contiguous).into()));
    }
    // A repeated shape steps from group to group of lanes, which is no distance from lane to lane.
    let Shape::Linear(_) = access.shape else { return None };
    let stride = access.stride()?;
    Some(match stride.as_constant().and_then(|cells| i64::try_from(cells).ok()) {
        Some(cells) => Stride::Cells(cells),
        None => formula(kernel, &stride).map_or(Stride::Unnamed, Stride::Formula),
    })
}

/// The reason for the class of an access, as a sentence.
pub(super) fn reason(kernel: &Kernel, facts: &Facts, access: &facts::Access) -> String {
    let cells = |n: &str| if n == "1" { "1 cell".to_owned() } else { format!("{n} cells") };
    let apart = || match stride(kernel, access) {
        Some(Stride::Cells(n)) => format!("{} apart", cells(&n.unsigned_abs().to_string())),
        Some(Stride::Unnamed) => "equally far apart".to_owned(),
        Some(Stride::Formula(formula)) => format!("{} apart", cells(formula.trim_start_matches('-'))),
        None => match &access.shape {
            Shape::Linear(bytes) => format!("{} bytes apart", in_words(kernel, bytes)),
            _ => "apart".to_owned(),
        },
    };
    match access.class {
        Class::Broadcast => "all lanes load the same cell".to_owned(),
        Class::UniformStore if facts.alike.contains(&access.root) => {
            "the arrays of all lanes hold the same, so one array and one store do for all of them".to_owned()
        }
        Class::UniformStore => "all lanes store to the same cell, one after the other".to_owned(),
        Class::Contiguous if access.shape == Shape::Uniform => {
            "each lane has an array of its own, and their cells lie beside each other".to_owned()
        }
        Class::Contiguous => "neighbouring lanes have neighbouring cells".to_owned(),
        Class::Reversed => "neighbouring lanes have neighbouring cells, in reverse".to_owned(),
        Class::Strided => format!("the cells of neighbouring lanes lie {}", apart()),
        Class::Repeated => match &access.shape {
            Shape::Repeated(repeat) => format!("each {} neighbouring lanes share a cell", repeat.times),
            _ => "neighbouring lanes share a cell".to_owned(),
        },
        Class::Periodic => match &access.shape {
            Shape::Periodic(period) => format!("the cells repeat every {period} lanes"),
            _ => "the cells repeat".to_owned(),
        },
        Class::Interleaved => {
            let (cell, of) = access.group.map_or((0, 0), |member| (member.cell + 1, member.cells));
            format!("cell {cell} of {of} that are {} together", if access.stores { "stored" } else { "loaded" })
        }
        Class::Gather | Class::Scatter if matches!(access.shape, Shape::Linear(_)) => {
            "each lane has an array of its own, and takes a cell of it that is no neighbour of the others".to_owned()
        }
        Class::Gather | Class::Scatter => {
            let what = match access.because.and_then(|value| first_reason(facts, value)) {
                Some(reason) => subscript(reason),
                None => "the subscript has no known pattern",
            };
            format!("each lane has a cell of its own; {what}")
        }
    }
}

/// The reason in words for a subscript without a pattern.
fn subscript(reason: VaryingReason) -> &'static str {
    match reason {
        VaryingReason::Iteration | VaryingReason::LaneNumber | VaryingReason::Operand => {
            "the subscript grows by no fixed step"
        }
        VaryingReason::Address | VaryingReason::Written => "the subscript is data, or made of it",
        VaryingReason::Condition => "a condition that varies decides the subscript",
        VaryingReason::Leaves => "the subscript is from a loop that lanes leave at different times",
        VaryingReason::Carried => "the subscript is carried from iteration to iteration, and changes by no fixed step",
        VaryingReason::Lanes => "the subscript comes from other lanes",
        VaryingReason::Unknown => "nothing is known about the subscript",
    }
}

/// Another loop along which the cells of an access are neighbours.
pub(super) struct Along<'k> {
    /// The name of its index; `None` where it goes over the elements of an array and nobody wrote one.
    pub(super) index: Option<&'k str>,
    /// The code of the reason against lanes there.
    pub(super) code: Option<report::ReportCode>,
    /// The number of the loop.
    pub(super) number: u32,
    /// True if a `foreach` takes the lanes, so that nobody asks what they would cost elsewhere.
    pub(super) is_settled: bool,
}

impl Along<'_> {
    /// Returns true if all that keeps lanes from that loop is the order of a sum or product of floats.
    pub(super) fn is_ordered(&self) -> bool {
        self.code.is_some_and(|code| ORDERED.iter().any(|ordered| ordered.name() == code.name()))
    }
}

/// A change of the source that would make an access cheaper, if one is known. `updated` are the arrays whose cells each lane loop changes
/// where they lie.
pub(super) fn lift(
    kernel: &Kernel,
    facts: &Facts,
    access: &facts::Access,
    along_last: Option<&Along<'_>>,
    updated: &FxHashSet<ArrayInLoop>,
) -> Option<String> {
    let is_updated = || in_loop(access).is_some_and(|it| updated.contains(&it));
    match access.class {
        Class::Strided => Some(lift_stride(kernel, access, along_last)),
        Class::Gather => lift_lookup(kernel, facts, access)
            .or_else(|| lift_gather(kernel, facts, access, access.because?, is_updated())),
        Class::Scatter => lift_gather(kernel, facts, access, access.because?, is_updated()),
        _ => None,
    }
}

/// An array, and a loop whose iterations are lanes.
pub(super) type ArrayInLoop = (Value, Op);

fn in_loop(access: &facts::Access) -> Option<ArrayInLoop> {
    Some((access.root, access.lane_loop?))
}

/// The arrays from which a loop gathers and to which it scatters: it changes cells where they lie, as those of a histogram.
pub(super) fn updated(accesses: &[facts::Access]) -> FxHashSet<ArrayInLoop> {
    let of_class = |class: Class| accesses.iter().filter(move |access| access.class == class).filter_map(in_loop);
    let stored: FxHashSet<ArrayInLoop> = of_class(Class::Scatter).collect();
    of_class(Class::Gather).filter(|it| stored.contains(it)).collect()
}

/// The reasons against lanes that `@reassoc` lifts.
const ORDERED: [ReasonCode; 2] = [ReasonCode::OrderedFloatSum, ReasonCode::OrderedFloatProduct];

fn lift_stride(kernel: &Kernel, access: &facts::Access, along_last: Option<&Along<'_>>) -> String {
    let is_field =
        kernel.def_op(kernel.ops[access.op].operands[0]).is_some_and(|op| kernel.ops[op].code == Code::Field);
    let rank = kernel.ty(access.root).rank();
    let apart = match stride(kernel, access) {
        Some(Stride::Cells(cells)) => Some(cells.unsigned_abs()).filter(|cells| *cells <= MOST_PARTS),
        _ => None,
    };
    let name = |along: &Along<'_>| match along.index {
        Some(index) => format!("`{index}`"),
        None => "the elements of its rows".to_owned(),
    };
    match (is_field, rank, along_last) {
        (true, ..) => "an array of its own for each field makes this contiguous".to_owned(),
        (_, 2.., Some(along)) => {
            let (name, exchanged) = (name(along), "with its subscripts exchanged this would be contiguous, too");
            match along.code {
                Some(_) if along.is_ordered() => format!(
                    "with lanes along {name} this is contiguous: `@reassoc` above that loop, or above the item, lets its float \
                     operations be reordered, so that it can have them"
                ),
                Some(code) => format!(
                    "with lanes along {name} this would be contiguous, but that loop cannot have them (`{code}`); with its subscripts \
                     exchanged this is contiguous"
                ),
                None if along.is_settled => format!(
                    "with lanes along {name} this would be contiguous, but the `foreach` has them; a `for` in its place leaves the \
                     choice to the target's costs; {exchanged}"
                ),
                None => format!(
                    "with lanes along {name} this would be contiguous, but another loop of the nest has them; {exchanged}"
                ),
            }
        }
        (_, 2.., None) => "lanes along the last subscript make this contiguous".to_owned(),
        _ => match apart {
            Some(apart) => {
                format!(
                    "split the array into {apart}, one for each remainder of the subscript by {apart}: then this is contiguous"
                )
            }
            None => "a subscript that grows by 1 from iteration to iteration makes this contiguous".to_owned(),
        },
    }
}

/// The change that allows a gather from an array of few cells to load all of them at once: the passes do so only if no subscript
/// can leave the array.
fn lift_lookup(kernel: &Kernel, facts: &Facts, access: &facts::Access) -> Option<String> {
    let param = kernel.params.iter().find(|param| param.value == access.root)?;
    let &[ir::DimSize::Constant(size)] = &param.sizes[..] else { return None };
    let range = facts.ranges[access.because?]?;
    let is_inside = range.lo >= 0 && range.hi < i128::from(size);
    if is_inside || !(2..=passes::MOST_LOOKED_UP as i64).contains(&size) {
        return None;
    }
    let name = kernel.values[access.root].name.as_deref()?;
    let inside = match size & (size - 1) {
        0 => format!("`& {}`", size - 1),
        _ => format!("`% {size}` of a number that is not negative"),
    };
    Some(format!("keep the subscript inside of `{name}`, as by {inside}: then all {size} cells are loaded at once"))
}

fn lift_gather(
    kernel: &Kernel,
    facts: &Facts,
    access: &facts::Access,
    because: Value,
    is_updated: bool,
) -> Option<String> {
    let fact = &facts.values[because];
    if may_wrap(fact) {
        return Some("the subscript is unsigned and may wrap around; with a signed type it is known not to".to_owned());
    }
    let change = match first_reason(facts, because) {
        Some(VaryingReason::Address | VaryingReason::Written) => return lift_data(facts, access, because, is_updated),
        Some(VaryingReason::Condition) => "use one subscript on both sides, and choose between the elements",
        Some(VaryingReason::Carried | VaryingReason::Leaves) => "compute the subscript from the loop's index",
        _ if divides(kernel, because) => {
            "`/` rounds towards 0, so its pattern breaks at 0; `//` by a constant rounds down, and has a pattern"
        }
        _ => {
            "a subscript that is a multiple of the loop's index, plus a value that no iteration changes, has a pattern"
        }
    };
    Some(change.to_owned())
}

/// The change that helps where data chooses the cells. None is known for cells that are changed where they lie: their order is that of
/// the data.
fn lift_data(facts: &Facts, access: &facts::Access, because: Value, is_updated: bool) -> Option<String> {
    let n_values = facts.ranges[because].map(|range| range.hi.saturating_sub(range.lo).saturating_add(1));
    match n_values {
        _ if is_updated => None,
        Some(n) if n <= OF_A_TABLE => (!access.stores).then(|| {
            format!("the subscript has only {n} values: a formula that gives the same elements needs no gather")
        }),
        _ => Some("store the elements in the order in which iterations use them: then they are contiguous".to_owned()),
    }
}

/// The greatest number of values of a subscript that makes its array a table.
const OF_A_TABLE: i128 = 1 << 12;

/// True for a class whose cells lie in a pattern, for which there may be a form that is cheaper than a gather or scatter.
pub(super) fn has_pattern(class: Class) -> bool {
    !matches!(class, Class::Gather | Class::Scatter | Class::Strided | Class::UniformStore)
}

/// The reason why an access is a gather or scatter though its cells have the pattern that `reason` tells.
pub(super) fn scattered(stores: bool, class: Class, reason: &str) -> String {
    // That they are loaded or stored together is what they are not.
    let pattern = match class {
        Class::Interleaved => "its cells are interleaved with those of other accesses",
        _ => reason,
    };
    let form = if stores { "scatter" } else { "gather" };
    format!("{pattern}, but no other form than a {form} is sure to stay inside the array and to cost less")
}

/// Returns true if the subscript would have a pattern, but may wrap around.
fn may_wrap(fact: &Fact) -> bool {
    !fact.exact && fact.form.as_ref().is_some_and(|form| Shape::of(form) != Shape::Arbitrary)
}

/// The first reason in the chain of a varying value that is not just arithmetic.
fn first_reason(facts: &Facts, value: Value) -> Option<VaryingReason> {
    let mut at = value;
    for _ in 0..64 {
        let cause = facts.values[at].cause?;
        match (cause.reason, cause.value) {
            (VaryingReason::Operand, Some(next)) => at = next,
            (reason, _) => return Some(reason),
        }
    }
    None
}

fn divides(kernel: &Kernel, value: Value) -> bool {
    kernel.def_op(value).is_some_and(|op| match kernel.ops[op].code {
        Code::Div | Code::Rem => kernel.ops[op].operands.get(1).is_some_and(|&by| kernel.as_const(by).is_some()),
        _ => false,
    })
}

/// The name of a `while` that does not count, in place of an index: no variable has it.
pub(super) const WHILE: &str = "while";

/// An iteration in words: `iteration 1` of one loop, `iteration i = 1, j = 16` of a nest. The levels without a name are over the
/// elements of whole arrays: `iteration i = 1, element 2`.
pub(super) fn iteration_in_words(levels: &[(Option<Arc<str>>, i128)], with_elements: bool) -> String {
    if let [(_, only)] = levels {
        return format!("iteration {only}");
    }
    let elements: Vec<i128> = levels.iter().filter(|(name, _)| name.is_none()).map(|(_, n)| *n).collect();
    let written: Vec<_> = levels.iter().filter_map(|(name, n)| Some((name.as_deref()?, *n))).collect();
    let iteration = match written[..] {
        [] => String::new(),
        // One loop alone needs no name.
        [(_, only)] => format!("iteration {only}"),
        _ => {
            let first = written.iter().position(|(name, _)| *name != WHILE);
            let named = written.iter().enumerate().map(|(at, (name, n))| match *name {
                WHILE => format!("turn {n} of the `while`"),
                name if first == Some(at) => format!("iteration {name} = {n}"),
                name => format!("{name} = {n}"),
            });
            named.collect::<Vec<_>>().join(", ")
        }
    };
    let element = match elements[..] {
        [] => String::new(),
        _ if !with_elements && !written.is_empty() => String::new(),
        [only] => format!("element {only}"),
        _ => format!("element [{}]", list(&elements)),
    };
    let joint = if iteration.is_empty() || element.is_empty() { "" } else { ", " };
    format!("{iteration}{joint}{element}")
}

/// Numbers with commas between them.
pub(super) fn list(numbers: &[i128]) -> String {
    numbers.iter().map(i128::to_string).collect::<Vec<_>>().join(", ")
}
