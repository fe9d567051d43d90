//! Kernels as tests look at them: at a stage, with what the passes decided on the way to it.

use crate::pipeline::{Options, run};
use ir::target;

/// A kernel at a stage for a target, and the decisions of the stage's passes; those against something start with `left`.
pub(crate) fn at_stage(stage: &str, target: &str, text: &str) -> String {
    let kernel = ir::read(text, None).expect("a kernel").remove(0);
    let options = Options { target: target::find(target).expect("a target"), ..Options::default() };
    let reached = run(kernel, &options, true).expect("stages that can be verified");
    let stage = reached.iter().find(|reached| reached.stage == stage).expect("the stage");
    let mut shown = ir::print(&stage.kernel).text;
    for decision in stage.passes.iter().flat_map(|pass| &pass.decisions) {
        let because: Vec<String> = decision.because.iter().map(ToString::to_string).collect();
        let word = if decision.taken { "" } else { "left " };
        shown += &format!("# {word}{}: {}\n", decision.code, because.join(" "));
    }
    shown
}
