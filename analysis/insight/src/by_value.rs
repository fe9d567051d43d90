//! The steps of each value.

use ir::Value;

/// Numbers of steps by the value that they are of, in one list, since a kernel has ten thousands of values with a step or two.
#[derive(Debug)]
pub(super) struct StepsByValue {
    values: Vec<Value>,
    steps: Vec<u32>,
}

impl StepsByValue {
    /// The steps by their values.
    pub(super) fn of(steps: impl Iterator<Item = (Value, u32)>) -> StepsByValue {
        let mut sorted: Vec<(Value, u32)> = steps.collect();
        sorted.sort_unstable();
        let (values, steps) = sorted.into_iter().unzip();
        StepsByValue { values, steps }
    }

    /// The steps of a value, in order; `None` for a value without any.
    pub(super) fn get(&self, value: Value) -> Option<&[u32]> {
        let start = self.values.partition_point(|&known| known < value);
        // The index of a loop may have thousands.
        let end = start + self.values[start..].partition_point(|&known| known == value);
        (start < end).then(|| &self.steps[start..end])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ir::Entity;

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
