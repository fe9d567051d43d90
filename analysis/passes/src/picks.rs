//! Picks: lanes that are picked by numbers which are only known at run time come out of registers by the instruction that the
//! target has for it, or out of memory, where that costs less or no instruction does it.
//!
//! ```text
//! shuffle(x, k)      shuffle(x, k, through=memory)
//! ```

use super::Context;
use crate::decision::{Decision, Told};
use ir::codes::ReasonCode;
use ir::entities::Op;
use ir::program::{Attr, Kernel};
use ir::target::Target;
use ir::target::picks::Picked;

/// Marks the ops that pick lanes out of memory; says whether there are any.
pub fn picks(kernel: &mut Kernel, context: &mut Context) -> bool {
    let target = context.options.target;
    let mut found = Vec::new();
    kernel.walk(kernel.body, &mut |_, op| {
        let picked = Picked::of(kernel, target, op).filter(|_| kernel.ops[op].attr == Attr::None);
        if let Some(words) = picked.and_then(|picked| costs_less_in_memory(picked, target)) {
            found.push((op, words));
        }
    });
    let mut decisions = Told::default();
    for (op, words) in &found {
        // A peeled tail has the ops of the main loop once more.
        decisions.push(decision(kernel, *op, words));
        kernel.ops[*op].attr = Attr::InMemory;
    }
    decisions.into_list().into_iter().for_each(|decision| context.decide(decision));
    !found.is_empty()
}

/// The reason why lanes are better picked out of memory; `None` if they are not.
fn costs_less_in_memory(picked: Picked, target: &Target) -> Option<String> {
    let in_memory = picked.cost_in_memory(target);
    let Some(pick) = picked.by_instruction(target) else {
        return Some("the target has no instruction that picks these".to_owned());
    };
    let cost = pick.cost(target);
    (cost >= in_memory)
        .then(|| format!("to store all lanes and load each one costs {in_memory}, and shuffles would cost {cost}"))
}

fn decision(kernel: &Kernel, op: Op, words: &str) -> Decision {
    Decision::taken(kernel.ops[op].origin, ReasonCode::LanesThroughMemory, vec![words.into()])
}
