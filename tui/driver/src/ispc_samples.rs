//! Data to run a function of an ISPC file on, where nobody has said any.

use ispc::unit::Unit;
use ispc_lowering::LoweredUnit;
use ispc_lowering::entries::{EntryForm, EntryFunction};
use queries::run::{Argument, DataSource, Sample};

use crate::ispc_running::{lowered_for, problems, run};

/// The fuel of a trial run: more than any function that ends takes on so little data.
const FUEL: u64 = 1_000_000;

/// The fewest elements of an array, and the value of most whole numbers.
const FEWEST: u64 = 8;

/// The value of whole numbers in measurements, and that where two of them are the sides of a plane.
const LARGE: u64 = 1 << 16;
const LARGE_SIDE: u64 = 1 << 9;

/// Data for each parameter of a function; nothing for one that cannot be run. Whole numbers are two groups of lanes, since they are mostly
/// sizes, and arrays are as long as the largest of `given` and those, times a factor that trial runs find. An array is of zeros if the
/// function only writes it, which trial runs tell, too.
pub fn samples(unit: &Unit, lanes: u32, name: &str, given: &[(String, i128)]) -> Vec<Sample> {
    let lowered = lowered_for(unit, lanes, Some(name));
    let Some(entry) = lowered.entries.iter().find(|entry| entry.is_meant(name)) else { return Vec::new() };
    if !problems(&lowered).is_empty() {
        return Vec::new();
    }
    let count = u64::from(2 * lanes).max(FEWEST);
    let trial = Trial { lowered: &lowered, entry, count };
    let times = trial.times();
    let written = trial.only_written(times * count);
    let length = given.iter().map(|(_, n)| *n).fold(i128::from(count), i128::max);
    let length = u64::try_from(length).ok().and_then(|length| length.checked_mul(times)).unwrap_or(count);
    let mut samples = trial.samples(length, given);
    samples.iter_mut().filter(|sample| written.contains(&sample.name)).for_each(make_zeros);
    samples
}

/// Data to measure a function on, for the parameters that are not given: those of [`samples`], but larger. Whole numbers are large where
/// arrays are as long as they are, and less so where they are as long as a product of two.
pub fn to_measure(lowered: &LoweredUnit, name: &str, given: &[Argument]) -> Vec<Argument> {
    let Some(entry) = lowered.entries.iter().find(|entry| entry.is_meant(name)) else { return Vec::new() };
    let trial = Trial { lowered, entry, count: u64::from(2 * lowered.module.lanes).max(FEWEST) };
    let times = trial.times();
    let written = trial.only_written(times * trial.count);
    let of_planes = times >= trial.count;
    let large = Trial { count: if of_planes { LARGE_SIDE } else { LARGE }, ..trial };
    let length = match of_planes {
        true => LARGE_SIDE.saturating_mul(LARGE_SIDE).saturating_mul(times / trial.count),
        false => LARGE * times,
    };
    let said = given.iter().filter_map(|argument| match &argument.source {
        DataSource::Number(number) => Some((argument.name.clone(), number.parse().ok()?)),
        _ => None,
    });
    let mut samples = large.samples(length, &said.collect::<Vec<(String, i128)>>());
    samples.iter_mut().filter(|sample| written.contains(&sample.name)).for_each(make_zeros);
    samples.retain(|sample| !given.iter().any(|argument| argument.name == sample.name));
    samples.into_iter().map(|sample| Argument { name: sample.name, source: sample.source }).collect()
}

fn make_zeros(sample: &mut Sample) {
    if let DataSource::Ramp(n) = sample.source {
        sample.source = DataSource::Zeros(n);
    }
}

/// Runs of a function on little data.
#[derive(Clone, Copy)]
struct Trial<'l> {
    lowered: &'l LoweredUnit,
    entry: &'l EntryFunction,
    count: u64,
}

impl Trial<'_> {
    /// How many times as long as whole numbers arrays have to be.
    fn times(&self) -> u64 {
        // A function of an image takes a size for each dimension.
        let factors = [1, 2, 3, 4, 8, self.count, 4 * self.count];
        let is_enough = |times: &u64| self.arrays_after(&self.samples(times * self.count, &[])).is_some();
        factors.into_iter().find(is_enough).unwrap_or(1)
    }

    fn samples(&self, length: u64, given: &[(String, i128)]) -> Vec<Sample> {
        let samples = self.entry.params.iter().map(|param| {
            let said = given.iter().find(|(name, _)| **name == *param.name).map(|(_, n)| n.to_string());
            let (ty, is_array, source) = match &param.form {
                EntryForm::Number(ty) => {
                    let word = ty.number.word();
                    let usual = match () {
                        () if word == "bool" => "true".to_owned(),
                        () if ty.number.is_float() => "0.5".to_owned(),
                        () => self.count.to_string(),
                    };
                    match ty.is_varying {
                        true => (format!("varying {word}"), true, DataSource::Ramp(self.lowered.module.lanes.into())),
                        false => (word.to_owned(), false, DataSource::Number(said.unwrap_or(usual))),
                    }
                }
                EntryForm::Elements(form) => {
                    let mut words: Vec<&str> = form.numbers.iter().map(|(_, number)| number.word()).collect();
                    let n = words.len() as u64;
                    words.dedup();
                    let word = if let [one] = words[..] { one } else { "struct" };
                    (format!("{word}[]"), true, DataSource::Ramp(length.saturating_mul(n)))
                }
                // A run says that it cannot be described.
                EntryForm::Other(ty) => (ty.clone(), false, DataSource::Number("0".to_owned())),
            };
            Sample { name: param.name.to_string(), ty, is_array, source }
        });
        samples.collect()
    }

    /// The arrays after a run; none if that was stopped.
    fn arrays_after(&self, samples: &[Sample]) -> Option<Vec<(String, Vec<String>)>> {
        let argument = |sample: &Sample| Argument { name: sample.name.clone(), source: sample.source.clone() };
        let given: Vec<_> = samples.iter().map(argument).collect();
        let ran = run(self.lowered, &self.entry.with_types, &given, FUEL).ok()?;
        ran.failure.is_none().then_some(ran.arrays)
    }

    /// The arrays that a run changes, and whose numbers before it change nothing.
    fn only_written(&self, length: u64) -> Vec<String> {
        let samples = self.samples(length, &[]);
        let Some(after) = self.arrays_after(&samples) else { return Vec::new() };
        let zeroed = |name: &str| {
            let mut samples = samples.clone();
            samples.iter_mut().filter(|sample| sample.name == name).for_each(make_zeros);
            samples
        };
        let is_only_written = |name: &&String| self.arrays_after(&zeroed(name)).as_ref() == Some(&after);
        after.iter().map(|(name, _)| name).filter(is_only_written).cloned().collect()
    }
}
