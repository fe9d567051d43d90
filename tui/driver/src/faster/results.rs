//! The effect of a change on results: two kernels' runs on the same data, held against each other bit for bit.

use queries::run::{RunOutcome, Scalar};
use serde::Serialize;

use super::ChangeFate;

/// The effect of a change on the results of some runs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ResultsEffect {
    /// The number of runs, each on data of its own.
    pub runs: usize,
    /// The number of those with other bits.
    pub differ: usize,
    /// The largest difference of two numbers, as a share of the larger one; nothing where some are no numbers.
    pub largest: Option<f64>,
}

impl ResultsEffect {
    /// The effect in words: `same bits in 8 runs`.
    pub fn in_words(&self) -> String {
        let ResultsEffect { runs, differ, largest } = self;
        match (differ, largest) {
            (0, _) => format!("same bits in {runs} run{}", if *runs == 1 { "" } else { "s" }),
            (_, Some(largest)) => format!("other bits in {differ} of {runs} runs, by a share of up to {largest:.1e}"),
            (_, None) => format!("other results in {differ} of {runs} runs"),
        }
    }
}

/// The effect of a change on the results of all runs that came to an end before it. One that stops such a run is refused.
pub(super) fn effect(
    before: &[Result<RunOutcome, String>],
    after: &[Result<RunOutcome, String>],
) -> Result<ResultsEffect, ChangeFate> {
    let mut effect = ResultsEffect { runs: 0, differ: 0, largest: Some(0.0) };
    for (before, after) in before.iter().zip(after) {
        let Ok(before) = before else { continue };
        let after = after.as_ref().map_err(|why| ChangeFate::Refused { why: why.clone() })?;
        effect.runs += 1;
        if before == after {
            continue;
        }
        effect.differ += 1;
        effect.largest = effect.largest.zip(distance(before, after)).map(|(a, b)| a.max(b));
    }
    Ok(effect)
}

/// The largest difference of two runs' numbers, as a share of the larger one; nothing where integers, sizes or errors differ, or one of two
/// numbers is none.
fn distance(before: &RunOutcome, after: &RunOutcome) -> Option<f64> {
    if before.failure.is_some() || after.failure.is_some() {
        return None;
    }
    let numbers = |ran: &RunOutcome| -> Vec<Scalar> {
        let of_arrays = ran.arrays.iter().flat_map(|array| array.elements.iter().copied());
        ran.result.into_iter().chain(of_arrays).collect()
    };
    let (before, after) = (numbers(before), numbers(after));
    if before.len() != after.len() {
        return None;
    }
    let apart = |(a, b): (&Scalar, &Scalar)| {
        if a == b {
            return Some(0.0);
        }
        let (a, b) = a.float().zip(b.float())?;
        let share = (a - b).abs() / a.abs().max(b.abs()).max(f64::MIN_POSITIVE);
        share.is_finite().then_some(share)
    };
    before.iter().zip(&after).map(apart).try_fold(0.0, |largest: f64, apart| Some(largest.max(apart?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ran(numbers: &[f32]) -> Result<RunOutcome, String> {
        let elements = numbers.iter().map(|&number| Scalar::F32(number)).collect();
        let sizes = vec![numbers.len() as i64];
        let array = queries::run::ResultArray { name: "out".to_owned(), elements, sizes };
        Ok(RunOutcome { result: None, arrays: vec![array], failure: None })
    }

    #[test]
    fn results_are_held_against_each_other_bit_for_bit() {
        let nan = f32::NAN;
        let words = |before: &[f32], after: &[f32]| {
            effect(&[ran(before), Err("stopped".to_owned())], &[ran(after), ran(&[1.0])]).map(|it| it.in_words())
        };
        let expected = |words: &str| Ok::<_, ()>(words.to_owned());
        let told = |before: &[f32], after: &[f32]| words(before, after).map_err(|_| ());
        assert_eq!(told(&[1.0, nan], &[1.0, -nan]), expected("same bits in 1 run"));
        assert_eq!(told(&[1.0, 2.0], &[1.0, 2.5]), expected("other bits in 1 of 1 runs, by a share of up to 2.0e-1"));
        assert_eq!(told(&[0.0], &[-0.0]), expected("other bits in 1 of 1 runs, by a share of up to 0.0e0"));
        assert_eq!(told(&[nan], &[1.0]), expected("other results in 1 of 1 runs"));
        assert_eq!(told(&[1.0], &[1.0, 1.0]), expected("other results in 1 of 1 runs"));
    }

    #[test]
    fn a_change_that_stops_a_run_is_refused() {
        let refused = effect(&[ran(&[1.0])], &[Err("an index out of range".to_owned())]);
        assert!(matches!(refused, Err(ChangeFate::Refused { why }) if why == "an index out of range"));
    }
}
