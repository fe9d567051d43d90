//! The decision about each gather and scatter: how its lanes lie, what it becomes, and what that costs.

use std::rc::Rc;

use super::plan::GroupPlan;
use super::table::Table;
use super::touch::Touch;
use crate::decision::Decision;
use ir::codes::ReasonCode;
use ir::entities::Op;
use ir::ops::Code;
use ir::program::Kernel;

/// The decision for each access of a group.
pub(super) fn decisions(kernel: &Kernel, choice: &GroupPlan) -> Vec<Decision> {
    let members = &choice.group.members;
    let kind = if choice.group.stores() { "store" } else { "load" };
    let decide = |touch: &Rc<Touch>| {
        let origin = kernel.ops[touch.op].origin;
        let order = || order(touch);
        match (choice.taken(), choice.possible()) {
            (Some((plan, cost)), _) => {
                let words = format!(
                    "{}{}{}: {} of neighbouring cells and the shuffles cost {cost}, and it would cost {} otherwise",
                    order(),
                    others(members.len() - 1, kind),
                    kept(choice.group.kept.len()),
                    counted(plan.blocks.len(), kind),
                    choice.before
                );
                let code = if plan.leaves_none_out(&choice.group) {
                    ReasonCode::CellsTogether
                } else {
                    ReasonCode::KnownOrder
                };
                Some(Decision::taken(origin, code, vec![words.as_str().into()]))
            }
            (None, Some(cost)) => {
                let words =
                    format!("{}; neighbours and shuffles would cost {cost}, and this costs {}", order(), choice.before);
                Some(Decision::left(origin, ReasonCode::ScatteredCostsLess, vec![words.as_str().into()]))
            }
            (None, None) if touch.is_settled => None,
            (None, None) => {
                let order = order();
                let words =
                    format!("{order}, but which of the lanes that share a cell stores last is only known when it runs");
                Some(Decision::left(origin, ReasonCode::UnknownOrder, vec![words.as_str().into()]))
            }
        }
    };
    members.iter().filter_map(decide).collect()
}

/// The decision for a gather out of a few cells.
pub(super) fn of_table(kernel: &Kernel, table: &Table, by_table: u32, as_gather: u32) -> Decision {
    let origin = kernel.ops[table.op].origin;
    let cells = format!("all lanes' cells lie among {}", table.cells);
    if by_table <= as_gather {
        let words =
            format!("{cells}: to load those and to pick lanes costs {by_table}, and a gather would cost {as_gather}");
        return Decision::taken(origin, ReasonCode::FewCells, vec![words.as_str().into()]);
    }
    let words = format!("{cells}; to load those and to pick lanes would cost {by_table}, and this costs {as_gather}");
    Decision::left(origin, ReasonCode::ScatteredCostsLess, vec![words.as_str().into()])
}

/// The decision for a gather or scatter of which too little is known.
pub(super) fn unknown(kernel: &Kernel, op: Op) -> Option<Decision> {
    let data = &kernel.ops[op];
    let words = "the distance between the cells of neighbouring lanes is not a known constant";
    matches!(data.code, Code::Gather | Code::Scatter)
        .then(|| Decision::left(data.origin, ReasonCode::UnknownOrder, vec![words.into()]))
}

fn counted(n: usize, kind: &str) -> String {
    format!("{n} {kind}{}", if n == 1 { "" } else { "s" })
}

fn others(n: usize, kind: &str) -> String {
    if n == 0 { String::new() } else { format!(", with {} beside it", counted(n, &format!("other {kind}"))) }
}

fn kept(n: usize) -> String {
    match n {
        0 => String::new(),
        1 => ", with the cell between that keeps what the lanes have loaded".to_owned(),
        n => format!(", with {n} cells between that keep what the lanes have loaded"),
    }
}

/// Describes the order of the lanes' cells, in words.
fn order(touch: &Touch) -> String {
    let bytes = touch.elem.bytes() as i128;
    let cells: Vec<i128> = touch.each.iter().map(|each| (each - touch.each[0]) / bytes).collect();
    let steps: Vec<i128> = cells.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let same = steps.windows(2).all(|pair| pair[0] == pair[1]);
    match steps.first() {
        Some(0) if same => "all lanes share a cell".to_owned(),
        Some(1) if same => "lanes' cells are neighbours".to_owned(),
        Some(-1) if same => "lanes lie backwards".to_owned(),
        Some(step) if same => format!("lanes lie {} cells apart", step.abs()),
        Some(_) if steps.iter().all(|step| matches!(step, 0 | 1)) => "neighbouring lanes share cells".to_owned(),
        Some(_) => "the order in which lanes lie is known".to_owned(),
        None => "there is one lane".to_owned(),
    }
}
