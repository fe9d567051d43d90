//! Running sums, products and linear recurrences of floats in the language's fixed order.
//!
//! Each iteration makes of the variable `a * s + b`, where `a` is 1 for a sum, and there is no `b` for a product. Such steps
//! may be joined to longer ones: the step `(a, b)` behind the step `(f, t)` is `(a * f, a * t + b)`. The order joins them by
//! blocks of [`BLOCK`] iterations. In a block, an iteration's step is joined behind the one iteration, the two and the four in
//! front of it that together with its own ones make a pair, a group of four, and the block, as far as it lies in the
//! latter half of these; what comes out is applied to the value in front of the block:
//!
//! ```text
//! iteration    0    1        2        3                4          5                …
//! step         0    0 1      2        2 3              4          4 5
//!                            01 2     01 23            0123 4     0123 45
//! ```
//!
//! So lanes join in as many steps as the lanes of a block can be halved, and from block to block there is one.

use crate::ops::Code;
use crate::program::Attr;
use crate::scalar::{self, Scalar};

/// The number of iterations in a block.
pub const BLOCK: u16 = 1 << LEVELS;

/// The number of times that a block can be halved.
pub const LEVELS: usize = 3;

/// The kind of a value that runs on from iteration to iteration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RunningKind {
    /// A sum: each iteration adds a term.
    Sum,
    /// A product: each iteration multiplies by a factor.
    Product,
    /// A linear recurrence: each iteration multiplies by a factor and adds a term.
    Linear,
}

impl RunningKind {
    /// The op that computes its parts.
    pub fn code(self) -> Code {
        match self {
            RunningKind::Sum => Code::RunningSum,
            RunningKind::Product => Code::RunningProduct,
            RunningKind::Linear => Code::RunningLinear,
        }
    }

    /// The number of values that the loop carries from iteration to iteration for it, besides its number: the parts behind the first.
    pub fn n_carried(self) -> usize {
        match self {
            RunningKind::Sum | RunningKind::Product => 1 + LEVELS,
            RunningKind::Linear => 1 + 2 * LEVELS,
        }
    }
}

/// The operands of an op that computes a part of what runs on, besides the iteration's number.
#[derive(Debug, Clone)]
pub struct Running<V> {
    /// The value in front of the block.
    pub carry: V,
    /// The term that the iteration adds, or the factor of a product.
    pub term: V,
    /// The terms of the steps in front of it, of one iteration, two and four.
    pub totals: Vec<V>,
    /// For a linear recurrence: the factor of the iteration, and those of the steps in front of it.
    pub factors: Option<(V, Vec<V>)>,
}

impl<V: Copy> Running<V> {
    /// Takes the operands behind the iteration's number apart.
    pub fn of(operands: &[V]) -> Option<Running<V>> {
        let (&[carry, term], rest) = operands.split_first_chunk::<2>()?;
        let (totals, rest) = rest.split_at_checked(LEVELS)?;
        let factors = rest.split_first().map(|(&factor, factors)| (factor, factors.to_vec()));
        Some(Running { carry, term, totals: totals.to_vec(), factors })
    }

    /// The values that the loop carries for it, in the order of the parts that stand for them in the next iteration.
    pub fn carried(&self) -> impl Iterator<Item = V> {
        let factors = self.factors.iter().flat_map(|(_, factors)| factors);
        [self.carry].into_iter().chain(self.totals.iter().copied()).chain(factors.copied())
    }
}

/// The arithmetic by which parts are computed: on numbers, or of code that is being built.
pub trait RunningMath {
    /// A number.
    type Number: Copy;

    /// The sum of two numbers.
    fn add(&mut self, a: Self::Number, b: Self::Number) -> Self::Number;

    /// Their product.
    fn mul(&mut self, a: Self::Number, b: Self::Number) -> Self::Number;

    /// The first number where the iteration's number has all bits of the mask, else the second.
    fn where_bits(&mut self, mask: u16, a: Self::Number, b: Self::Number) -> Self::Number;
}

/// A step: the term that it adds, and the factor that it multiplies by, of a linear recurrence.
#[derive(Debug, Clone, Copy)]
pub struct RunningStep<V> {
    /// The term; the factor of a product.
    pub term: V,
    /// The factor of a linear recurrence.
    pub factor: Option<V>,
}

impl RunningKind {
    /// The step that does `first` and then `then`.
    pub fn join<M: RunningMath>(
        self,
        math: &mut M,
        first: RunningStep<M::Number>,
        then: RunningStep<M::Number>,
    ) -> RunningStep<M::Number> {
        let factor = first.factor.zip(then.factor).map(|(first, then)| math.mul(then, first));
        RunningStep { term: self.apply(math, first.term, then), factor }
    }

    /// Applies a step to a number.
    pub fn apply<M: RunningMath>(self, math: &mut M, to: M::Number, step: RunningStep<M::Number>) -> M::Number {
        match (self, step.factor) {
            (RunningKind::Product, _) => math.mul(to, step.term),
            (_, None) => math.add(to, step.term),
            (_, Some(factor)) => {
                let scaled = math.mul(factor, to);
                math.add(scaled, step.term)
            }
        }
    }

    /// All parts: the value, and what the loop carries for it to the next iteration.
    pub fn parts<M: RunningMath>(self, math: &mut M, running: &Running<M::Number>) -> Vec<M::Number> {
        let mut step = RunningStep { term: running.term, factor: running.factors.as_ref().map(|(factor, _)| *factor) };
        let (mut totals, mut factors) = (Vec::new(), Vec::new());
        for level in 0..LEVELS {
            let bit = 1 << level;
            let before = RunningStep {
                term: running.totals[level],
                factor: running.factors.as_ref().map(|(_, factors)| factors[level]),
            };
            totals.push(math.where_bits(bit - 1, step.term, before.term));
            if let Some((own, before)) = step.factor.zip(before.factor) {
                factors.push(math.where_bits(bit - 1, own, before));
            }
            let joined = self.join(math, before, step);
            step = RunningStep {
                term: math.where_bits(bit, joined.term, step.term),
                factor: joined.factor.zip(step.factor).map(|(joined, own)| math.where_bits(bit, joined, own)),
            };
        }
        let value = self.apply(math, running.carry, step);
        let carry = math.where_bits(BLOCK - 1, value, running.carry);
        [value, carry].into_iter().chain(totals).chain(factors).collect()
    }
}

/// The arithmetic on numbers, in an iteration with this number.
struct Numbers(u16);

impl RunningMath for Numbers {
    type Number = Scalar;

    fn add(&mut self, a: Scalar, b: Scalar) -> Scalar {
        scalar::add(a, b).unwrap_or(a)
    }

    fn mul(&mut self, a: Scalar, b: Scalar) -> Scalar {
        scalar::mul(a, b).unwrap_or(a)
    }

    fn where_bits(&mut self, mask: u16, a: Scalar, b: Scalar) -> Scalar {
        if self.0 & mask == mask { a } else { b }
    }
}

/// The parts of what runs on, in the iteration with this number.
pub fn parts(kind: RunningKind, iteration: u64, running: &Running<Scalar>) -> Vec<Scalar> {
    kind.parts(&mut Numbers((iteration % u64::from(BLOCK)) as u16), running)
}

/// The result of an op for these elements, if it computes a part of what runs on.
pub(crate) fn evaluate(code: Code, attr: &Attr, x: &[Scalar]) -> Option<Scalar> {
    let kind = code.as_running()?;
    let Attr::Number(part) = attr else { return None };
    let (iteration, rest) = x.split_first()?;
    let all = parts(kind, iteration.wide()? as u64, &Running::of(rest)?);
    all.get(usize::try_from(*part).ok()?).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The state of what runs on from a number.
    fn start(kind: RunningKind, from: f32) -> Running<Scalar> {
        let nothing = vec![Scalar::F32(0.0); LEVELS];
        let factors = (kind == RunningKind::Linear).then(|| (Scalar::F32(0.0), nothing.clone()));
        Running { carry: Scalar::F32(from), term: Scalar::F32(0.0), totals: nothing, factors }
    }

    /// The values that run on over some steps, in order, computed from parts.
    fn run(kind: RunningKind, from: f32, steps: &[(f32, f32)]) -> Vec<Scalar> {
        let mut running = start(kind, from);
        let mut values = Vec::new();
        for (iteration, &(factor, term)) in steps.iter().enumerate() {
            running.term = Scalar::F32(term);
            running.factors.iter_mut().for_each(|(own, _)| *own = Scalar::F32(factor));
            let all = parts(kind, iteration as u64, &running);
            values.push(all[0]);
            running.carry = all[1];
            running.totals = all[2..2 + LEVELS].to_vec();
            running.factors.iter_mut().for_each(|(_, before)| *before = all[2 + LEVELS..].to_vec());
        }
        values
    }

    /// The order, as the language's reference has it: the former half of a block, then what the latter half makes of its own.
    fn prefix(steps: &[RunningStep<Scalar>], at: usize, kind: RunningKind) -> RunningStep<Scalar> {
        let half = steps.len() / 2;
        match () {
            () if steps.len() == 1 => steps[0],
            () if at < half => prefix(&steps[..half], at, kind),
            () => {
                let first = prefix(&steps[..half], half - 1, kind);
                kind.join(&mut Numbers(0), first, prefix(&steps[half..], at - half, kind))
            }
        }
    }

    #[test]
    fn parts_follow_the_order_of_blocks() {
        let steps: Vec<(f32, f32)> = (0..29).map(|n| (0.3 + 0.1 * n as f32, 0.7 - 0.3 * n as f32)).collect();
        for kind in [RunningKind::Sum, RunningKind::Product, RunningKind::Linear] {
            let mut whole: Vec<RunningStep<Scalar>> = steps
                .iter()
                .map(|&(factor, term)| RunningStep {
                    term: Scalar::F32(term),
                    factor: (kind == RunningKind::Linear).then_some(Scalar::F32(factor)),
                })
                .collect();
            // Iterations that never come: nothing depends on them.
            whole.resize(32, RunningStep { term: Scalar::F32(f32::NAN), ..whole[0] });
            let mut carry = Scalar::F32(2.5);
            let mut expected = Vec::new();
            for block in whole.chunks(BLOCK.into()) {
                let values: Vec<_> =
                    (0..BLOCK.into()).map(|at| kind.apply(&mut Numbers(0), carry, prefix(block, at, kind))).collect();
                carry = values[usize::from(BLOCK) - 1];
                expected.extend(values);
            }
            expected.truncate(steps.len());
            assert_eq!(run(kind, 2.5, &steps), expected, "{kind:?}");
        }
    }

    #[test]
    fn whole_numbers_run_on_as_in_order() {
        let steps: Vec<(f32, f32)> = (0..21).map(|n| ((n % 3) as f32 - 1.0, (n % 5) as f32)).collect();
        let mut in_order = 3.0;
        let expected: Vec<Scalar> = steps
            .iter()
            .map(|&(factor, term)| {
                in_order = factor * in_order + term;
                Scalar::F32(in_order)
            })
            .collect();
        assert_eq!(run(RunningKind::Linear, 3.0, &steps), expected);
    }
}
