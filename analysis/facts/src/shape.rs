//! Shapes: the patterns in which values differ from lane to lane.
//!
//! A shape is a promise about any number of consecutive iterations of the lane loop, wherever they begin. If several
//! hold, the first in the order of [`Shape`] is the best one.

use std::sync::Arc;

use super::form::{Floor, Form, Steps, gcd};

/// Periods above this are as good as none.
const MAX_PERIOD: i128 = 1 << 16;

/// The pattern in which a value differs from lane to lane.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Shape {
    /// Uniform: one value in all lanes.
    Uniform,
    /// An integer that grows by the same amount from each lane to the next.
    Linear(Form),
    /// Neighbouring lanes share it: it depends on `floor((start + lane) / times)` alone. This is seldom so, and there is a shape for each
    /// value of a kernel, so the pattern has a place of its own.
    Repeated(Box<Repeat>),
    /// Lanes at this distance from each other share it.
    Periodic(u32),
    /// A bool that is true in the first lanes and false from one lane on.
    Prefix,
    /// A bool that is false in the first lanes and true from one lane on.
    Suffix,
    /// No pattern is known.
    Arbitrary,
}

/// The pattern in which runs of neighbouring lanes share a value.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Repeat {
    /// The number of neighbouring lanes that share a value.
    pub times: i128,
    /// The step from those lanes to the next ones, if it is constant.
    pub step: Option<Form>,
    /// The quotient that separates the runs: values with the same quotient change at the same lanes.
    pub grid: Arc<Floor>,
    /// The number of lanes after which the values repeat, if they do.
    pub period: Option<i128>,
    /// The step of the dividend from lane to lane.
    stride: i128,
}

impl Shape {
    /// The best shape of an integer of this form.
    pub fn of(form: &Form) -> Shape {
        if !form.varies() {
            return Shape::Uniform;
        }
        let Some(steps) = form.steps() else { return Shape::Arbitrary };
        if steps.floors.is_empty() {
            return Shape::Linear(steps.each);
        }
        let period = period(&steps);
        if !steps.each.is_zero() {
            return period.map_or(Shape::Arbitrary, Shape::periodic);
        }
        let one = steps.floors.len() == 1;
        let repeats = steps.floors.into_iter().map(|(grid, stride, times)| {
            // The quotient falls from lanes to the next where what is divided falls.
            let step = one.then(|| times.scale(stride.signum())).flatten();
            (grid.by % stride == 0).then(|| Repeat { times: grid.by / stride.abs(), step, grid, period, stride })
        });
        match Shape::join_repeats(repeats.collect::<Option<Vec<_>>>()) {
            Shape::Arbitrary => period.map_or(Shape::Arbitrary, Shape::periodic),
            shape => shape,
        }
    }

    /// The join of repeats, each of which is a part of one sum.
    fn join_repeats(repeats: Option<Vec<Repeat>>) -> Shape {
        let mut repeats = repeats.into_iter().flatten();
        let Some(first) = repeats.next() else { return Shape::Arbitrary };
        repeats.fold(Shape::repeated(first), |joined, next| joined.with(&Shape::repeated(next)))
    }

    /// The shape of the low `bits` of an integer of this form.
    pub fn of_low_bits(form: &Form, bits: u32) -> Shape {
        match form.steps() {
            _ if !form.varies() => Shape::Uniform,
            Some(steps) if steps.floors.is_empty() && bits < 64 => match steps.each.as_constant() {
                Some(stride) => Shape::periodic((1 << bits) / gcd(1 << bits, stride)),
                None => Shape::periodic(1 << bits),
            },
            _ => match Shape::of(form) {
                Shape::Repeated(repeat) => Shape::repeated(Repeat { step: None, ..*repeat }),
                // The integer may wrap, and then it does not grow from lane to lane.
                Shape::Linear(_) => Shape::Arbitrary,
                shape => shape,
            },
        }
    }

    fn periodic(period: i128) -> Shape {
        match u32::try_from(period) {
            Ok(1) => Shape::Uniform,
            Ok(few) if period <= MAX_PERIOD => Shape::Periodic(few),
            _ => Shape::Arbitrary,
        }
    }

    fn repeated(repeat: Repeat) -> Shape {
        Shape::Repeated(Box::new(repeat))
    }

    /// Says whether it is the same in all lanes.
    pub fn is_uniform(&self) -> bool {
        *self == Shape::Uniform
    }

    /// The shape computed from a value of this shape, and from nothing else that varies.
    pub fn computed(&self) -> Shape {
        match self {
            Shape::Uniform => Shape::Uniform,
            Shape::Repeated(repeat) => Shape::repeated(Repeat { step: None, ..Repeat::clone(repeat) }),
            Shape::Periodic(period) => Shape::Periodic(*period),
            // Among two values, a bool decides: some lanes come first, but which value they have is not known.
            Shape::Linear(_) | Shape::Prefix | Shape::Suffix | Shape::Arbitrary => Shape::Arbitrary,
        }
    }

    /// The shape computed from values of both shapes.
    pub fn with(&self, other: &Shape) -> Shape {
        match (self.computed(), other.computed()) {
            (Shape::Uniform, shape) | (shape, Shape::Uniform) => shape,
            (Shape::Periodic(a), Shape::Periodic(b)) => Shape::periodic(lcm(a.into(), b.into())),
            (Shape::Repeated(a), Shape::Repeated(b)) => a.with(&b),
            (Shape::Periodic(a), Shape::Repeated(repeat)) | (Shape::Repeated(repeat), Shape::Periodic(a)) => {
                repeat.period.map_or(Shape::Arbitrary, |b| Shape::periodic(lcm(a.into(), b)))
            }
            _ => Shape::Arbitrary,
        }
    }

    /// The negation of a bool.
    pub fn not(&self) -> Shape {
        match self {
            Shape::Prefix => Shape::Suffix,
            Shape::Suffix => Shape::Prefix,
            shape => shape.computed(),
        }
    }

    /// Two bools joined by `and` or by `or`.
    pub fn joined(&self, other: &Shape) -> Shape {
        match (self, other) {
            (Shape::Prefix, Shape::Prefix | Shape::Uniform) | (Shape::Uniform, Shape::Prefix) => Shape::Prefix,
            (Shape::Suffix, Shape::Suffix | Shape::Uniform) | (Shape::Uniform, Shape::Suffix) => Shape::Suffix,
            _ => self.with(other),
        }
    }

    /// The bool `x < 0` or `x <= 0`, of an integer of this shape.
    pub fn is_negative(&self) -> Shape {
        let grows = |by: &Form| by.as_constant().map(|by| by > 0);
        let direction = match self {
            Shape::Linear(stride) => grows(stride),
            Shape::Repeated(repeat) => repeat.step.as_ref().and_then(grows),
            _ => None,
        };
        match direction {
            Some(true) => Shape::Prefix,
            Some(false) => Shape::Suffix,
            None => self.computed(),
        }
    }
}

impl Repeat {
    /// The shape computed from two such values: where they do not change at the same lanes, they may still come again.
    fn with(&self, other: &Repeat) -> Shape {
        let period = self.period.zip(other.period).map(|(a, b)| lcm(a, b)).filter(|period| *period <= MAX_PERIOD);
        match self.common_grid(other) {
            Some(grid) => {
                let times = grid.by / self.stride.abs();
                Shape::repeated(Repeat { times, step: None, grid, period, stride: self.stride })
            }
            None => period.map_or(Shape::Arbitrary, Shape::periodic),
        }
    }

    /// Returns the quotient that separates the runs of both.
    fn common_grid(&self, other: &Repeat) -> Option<Arc<Floor>> {
        if self.grid == other.grid {
            return Some(self.grid.clone());
        }
        let by = gcd(self.grid.by, other.grid.by);
        let same_lanes = self.grid.of == other.grid.of && self.stride == other.stride;
        let has_times = by % self.stride == 0 && by / self.stride.abs() >= 2;
        (same_lanes && has_times).then(|| Arc::new(Floor { of: self.grid.of.clone(), by }))
    }
}

/// Returns the number of lanes after which a value repeats: the quotients have to take back what the iterations add.
fn period(steps: &Steps) -> Option<i128> {
    let mut period = 1;
    let mut balance = (0, 1);
    for (grid, stride, times) in &steps.floors {
        period = lcm(period, grid.by / gcd(grid.by, *stride));
        balance = (balance.0 * grid.by + times.as_constant()? * stride * balance.1, balance.1 * grid.by);
        if period > MAX_PERIOD || balance.1.abs() > i64::MAX as i128 || balance.0.abs() > i64::MAX as i128 {
            return None;
        }
    }
    let each = steps.each.as_constant()?;
    (each.checked_mul(balance.1)? + balance.0 == 0).then_some(period)
}

fn lcm(a: i128, b: i128) -> i128 {
    a / gcd(a, b) * b
}
