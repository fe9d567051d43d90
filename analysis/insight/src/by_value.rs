//! The steps of each value.

use ir::{Entity, Value};

/// Numbers of steps by the value that they are of, in one list, since a kernel has ten thousands of values with a step or two.
#[derive(Debug)]
pub(super) struct StepsByValue {
    /// The end of each value's steps in the list; those of the next value start there.
    ends: Vec<u32>,
    steps: Vec<u32>,
}

impl StepsByValue {
    /// The steps by their values.
    pub(super) fn of(steps: impl Iterator<Item = (Value, u32)>) -> StepsByValue {
        let found: Vec<(Value, u32)> = steps.collect();
        let n_values = found.iter().map(|(value, _)| value.index() + 1).max().unwrap_or(0);
        let mut ends = vec![0; n_values];
        found.iter().for_each(|(value, _)| ends[value.index()] += 1);
        // Counted first, then put into their places.
        let mut next = 0;
        for count in &mut ends {
            (*count, next) = (next, next + *count);
        }
        let mut steps = vec![0; found.len()];
        for (value, step) in found {
            let end = &mut ends[value.index()];
            steps[*end as usize] = step;
            *end += 1;
        }
        StepsByValue { ends, steps }
    }

    /// The steps of a value, in order; `None` for a value without any.
    pub(super) fn get(&self, value: Value) -> Option<&[u32]> {
        let at = value.index();
        let end = *self.ends.get(at)? as usize;
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before]) as usize;
        (start < end).then(|| &self.steps[start..end])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_found_by_their_value_in_order() {
        let [a, b, c] = [3, 0, 7].map(Value::new);
        let steps = StepsByValue::of([(a, 0), (b, 1), (a, 2), (c, 5)].into_iter());
        assert_eq!(
            [a, b, c, Value::new(5)].map(|value| steps.get(value)),
            [Some(&[0, 2][..]), Some(&[1]), Some(&[5]), None]
        );
    }
}
