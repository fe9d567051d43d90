//! Whatever is written, lowering ends, and what it makes keeps its invariants and runs to an end. `LANESCOPE_CASES` says how many texts.

use std::sync::Arc;

use fastrand::Rng;
use ispc::config::Config;
use ispc::file::{FileText, NoFiles};
use ispc_ir::machine::{GangMachine, MachineLimits};
use ispc_types::unit::declarations;

/// The programs of the other tests.
const SOURCES: [&str; 4] =
    [include_str!("control.rs"), include_str!("memory.rs"), include_str!("library.rs"), include_str!("faults.rs")];

fn programs() -> Vec<String> {
    let parts = SOURCES.iter().flat_map(|source| source.split("r#\"").skip(1));
    let programs = parts.filter_map(|part| part.split("\"#").next());
    programs.filter(|text| text.contains("void f()")).map(str::to_owned).collect()
}

/// The words and signs of a text.
fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for char in text.chars() {
        let is_word = |char: char| char.is_alphanumeric() || char == '_';
        match words.last_mut() {
            Some(last) if is_word(char) && last.ends_with(is_word) => last.push(char),
            _ => words.push(char.to_string()),
        }
    }
    words
}

/// Lowers a text, with or without mistakes; true if it has none and was run.
fn tried(text: &str) -> bool {
    let unit = ispc::read(Arc::new(FileText::new("main.ispc", text)), &Config::default(), &NoFiles);
    let lowered = ispc_lowering::lower(&unit, &declarations(&unit, None), 8, &[]);
    let is_right = unit.problems.iter().all(|problem| problem.is_warning) && ispc_types::whole::check(&unit).is_empty();
    if !is_right {
        return false;
    }
    let errors = ispc_ir::verify::verify(&lowered.module);
    assert!(errors.is_empty(), "{errors:?}\n{text}");
    let Some(function) = lowered.module.function("f") else { return false };
    if lowered.module.functions[function].params.is_empty()
        && let Ok(mut machine) = GangMachine::new(&lowered.module, MachineLimits { fuel: 5_000 })
    {
        let _ = machine.run(function, &[]);
    }
    true
}

#[test]
fn random_edits_are_lowered() {
    let n_texts = std::env::var("LANESCOPE_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(400);
    let programs = programs();
    assert!(programs.len() > 20, "{} programs", programs.len());
    let all: Vec<String> =
        programs.iter().flat_map(|text| words(text)).filter(|word| !word.trim().is_empty()).collect();
    let mut rng = Rng::with_seed(7);
    let mut n_run = 0;
    for _ in 0..n_texts {
        let mut text = words(&programs[rng.usize(..programs.len())]);
        for _ in 0..rng.usize(1..3) {
            let at = rng.usize(..text.len());
            match rng.u32(..4) {
                0 => _ = text.remove(at),
                1 => text.insert(at, format!(" {} ", all[rng.usize(..all.len())])),
                _ => text[at] = format!(" {} ", all[rng.usize(..all.len())]),
            }
        }
        n_run += usize::from(tried(&text.concat()));
    }
    assert!(n_run * 20 > n_texts, "{n_run} of {n_texts} texts have no mistake");
}
