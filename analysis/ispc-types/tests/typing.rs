//! What programs of a few lines have of types, overloads and mistakes; what random text becomes.

#[path = "typing/calls.rs"]
mod calls;
#[path = "typing/findings.rs"]
mod findings;
#[path = "typing/foreign.rs"]
mod foreign;
#[path = "typing/pages.rs"]
mod pages;
#[path = "typing/robust.rs"]
mod robust;
#[path = "typing/symbols.rs"]
mod symbols;
#[path = "typing/types.rs"]
mod types;

use std::sync::Arc;

use ispc::config::Config;
use ispc::file::{FileText, NoFiles};
use ispc::problems::Problem;
use ispc::tree::NodeKind;
use ispc::unit::Unit;
use ispc_types::body::BodyTypes;
use ispc_types::{unit, whole};

fn read(text: &str) -> Unit {
    ispc::read(Arc::new(FileText::new("main.ispc", text)), &Config::default(), &NoFiles)
}

/// All that is wrong with a unit.
fn problems(unit: &Unit) -> Vec<Problem> {
    let mut problems = unit.problems.clone();
    problems.extend(whole::check(unit));
    problems
}

/// The problems of a text, one a line, with the text of their places.
fn told(text: &str) -> String {
    let unit = read(text);
    let mut told = String::new();
    for problem in problems(&unit) {
        told += &format!(
            "`{}`: {} [{}]\n",
            &unit.text(problem.place.file)[problem.place.range()],
            problem.message,
            problem.code
        );
        for (place, note) in &problem.related {
            told += &format!("    `{}`: {note}\n", &unit.text(place.file)[place.range()]);
        }
    }
    told
}

/// The functions of a text, typed, each with the number of its first token.
fn typed(unit: &Unit) -> Vec<(BodyTypes, u32)> {
    let types = unit::declarations(unit, None);
    let bodies = types.bodies.iter();
    bodies.map(|body| (whole::type_at(unit, &types, body, false), unit.tree.nodes[body.node].first)).collect()
}

/// The types of the statements of a text that are an expression alone, one a line.
fn types(text: &str) -> String {
    let unit = read(text);
    assert!(unit.problems.is_empty(), "{:?}", unit.problems);
    let mut shown = String::new();
    let declarations = unit::declarations(&unit, None);
    for (body, place) in typed(&unit).iter().map(|(body, _)| body).zip(&declarations.bodies) {
        let first = unit.tree.nodes[place.node].descendants as usize;
        for node in first..place.node {
            if unit.tree.nodes[node].kind == NodeKind::Expression {
                let expression = unit.tree.children(node)[0];
                let written = unit.text_of(unit.tree.tokens(expression));
                shown += &format!("{written}: {}\n", body.layer.show(body.types[expression - first]));
            }
        }
    }
    shown
}
