//! What benchmarks of the whole command share: running programs, and figures of many runs.

// Each benchmark uses its part of this.
#![allow(dead_code)]

use std::process::Command;

/// What a program prints; ends the benchmark with what it says if it fails.
pub(crate) fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}\n{}{said}", String::from_utf8_lossy(&output.stdout));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Many measurements of one thing.
#[derive(Default)]
pub(crate) struct Figures(Vec<f64>);

impl Figures {
    pub(crate) fn add(&mut self, figure: f64) {
        self.0.push(figure);
    }

    pub(crate) fn all(&self) -> &[f64] {
        &self.0
    }

    /// The figure that this part of all is below.
    pub(crate) fn part(&self, part: f64) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        sorted.get((part * sorted.len().saturating_sub(1) as f64).round() as usize).copied().unwrap_or(f64::NAN)
    }

    pub(crate) fn geometric_mean(&self) -> f64 {
        (self.0.iter().map(|figure| figure.ln()).sum::<f64>() / self.0.len() as f64).exp()
    }
}
