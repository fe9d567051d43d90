//! Values across the lanes: one for all, in a row with a constant step, or each lane its own.
//!
//! A shape is about the lanes that run at a place, and about no others: under `if (c)` only those for which `c` holds. A step is that of
//! the program's arithmetic: where a sum passes the end of its type, so does the row.

/// The order of a value's lanes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum LaneShape {
    /// One value for all lanes that run.
    Uniform,
    /// Each lane has what the lane in front of it has, and a step more.
    Linear(LaneStep),
    /// Each lane may have any value.
    Varying,
    /// Nothing is known, and nothing is told.
    Unknown,
}

/// The step from one lane to the next: of numbers in ones, of pointers in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum LaneStep {
    /// This step.
    By(i64),
    /// A step that is one and the same between all lanes, and not known here.
    Some,
}

/// A value across the lanes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LaneValue {
    /// The order of its lanes.
    pub shape: LaneShape,
    /// The number, if all lanes have this very one.
    pub value: Option<i128>,
    /// True if no lane has a number below zero.
    pub is_nonneg: bool,
    /// True if the shape holds for the lanes that do not run, too.
    pub everywhere: bool,
    /// The node whose story tells why it is not uniform.
    pub cause: Option<u32>,
}

impl LaneStep {
    fn plus(self, other: LaneStep) -> LaneStep {
        match (self, other) {
            (LaneStep::By(one), LaneStep::By(other)) => one.checked_add(other).map_or(LaneStep::Some, LaneStep::By),
            _ => LaneStep::Some,
        }
    }

    fn times(self, factor: Option<i128>) -> LaneStep {
        match (self, factor.and_then(|factor| i64::try_from(factor).ok())) {
            (LaneStep::By(step), Some(factor)) => step.checked_mul(factor).map_or(LaneStep::Some, LaneStep::By),
            _ => LaneStep::Some,
        }
    }
}

impl LaneShape {
    /// Returns true if all lanes that run have one value.
    pub fn is_uniform(self) -> bool {
        self == LaneShape::Uniform
    }

    fn linear(step: LaneStep) -> LaneShape {
        if step == LaneStep::By(0) { LaneShape::Uniform } else { LaneShape::Linear(step) }
    }

    fn step(self) -> Option<LaneStep> {
        match self {
            LaneShape::Uniform => Some(LaneStep::By(0)),
            LaneShape::Linear(step) => Some(step),
            LaneShape::Varying | LaneShape::Unknown => None,
        }
    }

    /// The shape of what has one of two shapes, the same one in all lanes.
    fn either(self, other: LaneShape) -> LaneShape {
        match (self, other) {
            (LaneShape::Unknown, _) | (_, LaneShape::Unknown) => LaneShape::Unknown,
            (one, other) if one == other => one,
            (LaneShape::Varying, _) | (_, LaneShape::Varying) => LaneShape::Varying,
            _ => LaneShape::Linear(LaneStep::Some),
        }
    }

    /// The shape of a value to which all shapes of operands lead that are not of one value for all lanes.
    fn mixed(self, other: LaneShape) -> LaneShape {
        match (self, other) {
            (LaneShape::Unknown, _) | (_, LaneShape::Unknown) => LaneShape::Unknown,
            (LaneShape::Uniform, LaneShape::Uniform) => LaneShape::Uniform,
            _ => LaneShape::Varying,
        }
    }
}

impl LaneValue {
    /// One value for all lanes, of which nothing is known.
    pub(crate) const UNIFORM: LaneValue =
        LaneValue { shape: LaneShape::Uniform, value: None, is_nonneg: false, everywhere: true, cause: None };
    /// A value of which nothing is told.
    pub(crate) const UNKNOWN: LaneValue =
        LaneValue { shape: LaneShape::Unknown, value: None, is_nonneg: false, everywhere: false, cause: None };

    /// A number that all lanes have.
    pub(crate) fn number(value: i128) -> LaneValue {
        LaneValue { value: Some(value), is_nonneg: value >= 0, ..LaneValue::UNIFORM }
    }

    /// A value that each lane has its own of, for a reason.
    pub(crate) fn varying(cause: u32) -> LaneValue {
        LaneValue { shape: LaneShape::Varying, cause: Some(cause), everywhere: true, ..LaneValue::UNKNOWN }
    }

    /// A row.
    pub(crate) fn linear(step: i64, is_nonneg: bool, cause: u32) -> LaneValue {
        let shape = LaneShape::linear(LaneStep::By(step));
        LaneValue { shape, value: None, is_nonneg, everywhere: true, cause: Some(cause) }
    }

    /// Returns true if all lanes that run have one value.
    pub fn is_uniform(&self) -> bool {
        self.shape.is_uniform()
    }

    /// Returns true if the lanes may have several values, and something is known about it.
    pub fn is_varying(&self) -> bool {
        matches!(self.shape, LaneShape::Linear(_) | LaneShape::Varying)
    }

    /// The cause of what two operands lead to: that of the one whose lanes are in the lesser order.
    fn cause_with(&self, other: &LaneValue) -> Option<u32> {
        let rank = |value: &LaneValue| match value.shape {
            LaneShape::Uniform => 0,
            LaneShape::Linear(_) => 1,
            LaneShape::Varying => 2,
            LaneShape::Unknown => 3,
        };
        if rank(other) > rank(self) { other.cause } else { self.cause.or(other.cause) }
    }

    fn with_shape(&self, other: &LaneValue, shape: LaneShape) -> LaneValue {
        LaneValue {
            shape,
            value: None,
            is_nonneg: false,
            everywhere: self.everywhere && other.everywhere,
            cause: if shape.is_uniform() { None } else { self.cause_with(other) },
        }
    }

    /// A sum.
    pub(crate) fn plus(&self, other: &LaneValue) -> LaneValue {
        let steps = self.shape.step().zip(other.shape.step());
        let shape = steps.map_or_else(|| self.shape.mixed(other.shape), |(a, b)| LaneShape::linear(a.plus(b)));
        self.with_shape(other, shape)
    }

    /// The value with its sign turned.
    pub(crate) fn negated(&self) -> LaneValue {
        self.scaled(-1)
    }

    /// The value times a constant.
    pub(crate) fn scaled(&self, factor: i128) -> LaneValue {
        self.times(&LaneValue::number(factor))
    }

    /// A product.
    pub(crate) fn times(&self, other: &LaneValue) -> LaneValue {
        let shape = match (self.shape, other.shape) {
            (LaneShape::Linear(step), LaneShape::Uniform) => LaneShape::linear(step.times(other.value)),
            (LaneShape::Uniform, LaneShape::Linear(step)) => LaneShape::linear(step.times(self.value)),
            (one, other) => one.mixed(other),
        };
        self.with_shape(other, shape)
    }

    /// The result of an operation that keeps no row.
    pub(crate) fn with(&self, other: &LaneValue) -> LaneValue {
        self.with_shape(other, self.shape.mixed(other.shape))
    }

    /// One of two values, the same one in all lanes.
    pub(crate) fn or(&self, other: &LaneValue) -> LaneValue {
        LaneValue {
            value: self.value.filter(|_| self.value == other.value),
            is_nonneg: self.is_nonneg && other.is_nonneg,
            ..self.with_shape(other, self.shape.either(other.shape))
        }
    }

    /// Returns true if two values have equal facts, whatever their stories.
    pub(crate) fn is_like(&self, other: &LaneValue) -> bool {
        (self.shape, self.value, self.is_nonneg, self.everywhere)
            == (other.shape, other.value, other.is_nonneg, other.everywhere)
    }
}
