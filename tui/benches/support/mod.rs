//! Helpers shared by the benchmarks of the whole command: running programs, and statistics over measurements.

// Each benchmark uses only some of the helpers.
#![allow(dead_code)]

pub(crate) mod compilers;

use std::process::Command;

/// Returns the output of a program; if the program fails, ends the benchmark with its messages.
pub(crate) fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}\n{}{said}", String::from_utf8_lossy(&output.stdout));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Repeated measurements of one quantity.
#[derive(Default)]
pub(crate) struct Figures(Vec<f64>);

impl Figures {
    pub(crate) fn add(&mut self, figure: f64) {
        self.0.push(figure);
    }

    pub(crate) fn all(&self) -> &[f64] {
        &self.0
    }

    /// Returns the quantile `part` of the measurements.
    pub(crate) fn part(&self, part: f64) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        sorted.get((part * sorted.len().saturating_sub(1) as f64).round() as usize).copied().unwrap_or(f64::NAN)
    }

    pub(crate) fn geometric_mean(&self) -> f64 {
        (self.0.iter().map(|figure| figure.ln()).sum::<f64>() / self.0.len() as f64).exp()
    }
}
