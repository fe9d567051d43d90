//! Rules of the language that a program is seen to break once it is known what its kernels come to, with all that they call.

use report::TextRange;
use rustc_hash::FxHashSet;

use crate::builtins::TypeRule;
use crate::errors::RuleCode;
use crate::{Body, BodyMap, Expr, ExprId};

/// A rule that is broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BrokenRule {
    /// A loop gives its next iteration a function, or one that keeps other values than before.
    FunctionHandedOn,
    /// A lane operation is passed on instead of called.
    LaneOperationValue,
    /// A `foreach` with lane operations stands in another one with such.
    LanesInLanes,
    /// A size is only known once the array is computed.
    LateSize,
    /// A size has no value, since it stands in no type alone, nor in a sum with a number of times it.
    OpenSize,
    /// A loop hands a name an array that an iteration has made for another one, and what that may be is assigned to.
    HandedOnArray,
    /// A kernel comes to more calls than this, all of which are inlined.
    Calls(u32),
    /// The calls and blocks of a kernel are nested deeper than this.
    Levels(u32),
}

impl BrokenRule {
    /// The code of findings about it.
    pub fn code(self) -> RuleCode {
        match self {
            BrokenRule::FunctionHandedOn => RuleCode::FunctionHandedOn,
            BrokenRule::LaneOperationValue => RuleCode::LaneOperationValue,
            BrokenRule::LanesInLanes => RuleCode::LanesInLanes,
            BrokenRule::LateSize => RuleCode::LateSize,
            BrokenRule::OpenSize => RuleCode::OpenSize,
            BrokenRule::HandedOnArray => RuleCode::HandedOnArray,
            BrokenRule::Calls(_) => RuleCode::TooManyCalls,
            BrokenRule::Levels(_) => RuleCode::TooManyLevels,
        }
    }

    /// The cause and the consequence.
    pub fn message(self) -> String {
        match self {
            BrokenRule::FunctionHandedOn => {
                "no iteration hands a function on to the next: which one is called has to be known when the \
                                             kernel is built"
                    .to_owned()
            }
            BrokenRule::LaneOperationValue => {
                "a lane operation is called, and is no value that could be passed on".to_owned()
            }
            BrokenRule::LanesInLanes => {
                "this `foreach` has lane operations, and stands in another one that has such: lanes have one loop"
                    .to_owned()
            }
            BrokenRule::LateSize => {
                "the sizes of this array are only known once it is computed, so there is no memory to compute it in"
                    .to_owned()
            }
            BrokenRule::OpenSize => {
                "the sizes of the arguments do not say what this size is: it stands in larger expressions alone"
                    .to_owned()
            }
            BrokenRule::HandedOnArray => {
                "of the arrays that its iterations make, a loop keeps one for each name; here another name may be \
                 handed one, and what it may be instead is assigned to"
                    .to_owned()
            }
            BrokenRule::Calls(most) => {
                format!("a kernel comes to at most {most} calls, all of which are inlined, and this one to more")
            }
            BrokenRule::Levels(most) => {
                format!("the calls and blocks of a kernel are nested at most {most} deep, and those of this one deeper")
            }
        }
    }

    /// Advice on what to write in its place.
    pub fn help(self) -> &'static str {
        match self {
            BrokenRule::FunctionHandedOn => "call it where it is made, and hand on the result",
            BrokenRule::LaneOperationValue => "call it in a lambda: `\\x -> reduce_add(x)`",
            BrokenRule::LanesInLanes => "make the inner loop a `for`",
            BrokenRule::LateSize => "give it the largest size that it may have, and use a slice of it",
            BrokenRule::OpenSize => "give the size a parameter of its own: `a: f32[n * n], n: i32`",
            BrokenRule::HandedOnArray => {
                "give each variable an array of its own before the loop, and assign to its cells there: `x[:] = e`"
            }
            BrokenRule::Calls(_) => "call functions in a loop, or fewer of them",
            BrokenRule::Levels(_) => {
                "what follows an exit is one level deeper: nest fewer calls and blocks, and join the conditions of exits"
            }
        }
    }
}

/// Lists the rules that a function breaks by itself, whoever calls it, in the order of the text. One inside another that is listed
/// is not listed itself.
pub fn rules_broken_in(body: &Body, map: &BodyMap) -> Vec<(TextRange, BrokenRule)> {
    outermost(lane_operations(body, map))
}

/// The lane operations that are passed on.
pub(crate) fn lane_operations(body: &Body, map: &BodyMap) -> Vec<(TextRange, BrokenRule)> {
    let callees: FxHashSet<ExprId> = body
        .exprs
        .iter()
        .filter_map(|(_, expr)| match expr {
            Expr::Call(callee, _) => Some(*callee),
            _ => None,
        })
        .collect();
    let is_passed = |(id, expr): &(ExprId, &Expr)| match expr {
        Expr::Builtin(builtin) => {
            let row = builtin.get();
            row.crosses_lanes && row.shape != TypeRule::Value && !callees.contains(id)
        }
        _ => false,
    };
    body.exprs.iter().filter(is_passed).map(|(id, _)| (map.exprs[id], BrokenRule::LaneOperationValue)).collect()
}

/// Leaves out what stands inside of something else that is listed.
pub(crate) fn outermost(mut found: Vec<(TextRange, BrokenRule)>) -> Vec<(TextRange, BrokenRule)> {
    found.sort_by_key(|(range, _)| (range.start(), std::cmp::Reverse(range.end())));
    let mut kept: Vec<(TextRange, BrokenRule)> = Vec::new();
    for (range, rule) in found {
        if kept.last().is_none_or(|(last, _)| !last.contains_range(range)) {
            kept.push((range, rule));
        }
    }
    kept
}
