//! Running sums, products and linear recurrences of floats in the language's fixed order.
//!
//! Each iteration makes of the variable `a * s + b`, where `a` is 1 for a sum, and there is no `b` for a product. Such steps
//! may be joined to longer ones: the step `(a, b)` behind the step `(f, t)` is `(a * f, a * t + b)`. Where two variables run on
//! together, `s` and `t` are the elements of a column, `a` is a square of four factors, and `b` a column too. The order joins steps by
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

/// The kind of what runs on from iteration to iteration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RunningKind {
    /// A sum: each iteration adds a term.
    Sum,
    /// A product: each iteration multiplies by a factor.
    Product,
    /// A linear recurrence: each iteration multiplies by a factor and adds a term.
    Linear,
    /// A linear recurrence of two values: each iteration makes of both the sum of their products with two factors, and a term.
    Pair,
}

impl RunningKind {
    /// The op that computes its parts.
    pub fn code(self) -> Code {
        match self {
            RunningKind::Sum => Code::RunningSum,
            RunningKind::Product => Code::RunningProduct,
            RunningKind::Linear => Code::RunningLinear,
            RunningKind::Pair => Code::RunningPair,
        }
    }

    /// The number of values that run on.
    pub fn n_values(self) -> usize {
        match self {
            RunningKind::Sum | RunningKind::Product | RunningKind::Linear => 1,
            RunningKind::Pair => 2,
        }
    }

    /// The number of factors of a step, besides its terms.
    pub fn n_factors(self) -> usize {
        match self {
            RunningKind::Sum | RunningKind::Product => 0,
            RunningKind::Linear | RunningKind::Pair => self.n_values() * self.n_values(),
        }
    }

    /// The number of values that the loop carries from iteration to iteration for it, besides the iteration's number: those in front of the
    /// block, and the steps of a part of it.
    pub fn n_carried(self) -> usize {
        self.n_values() + LEVELS * (self.n_values() + self.n_factors())
    }

    /// The number of its parts: the values that run on, and what the loop carries for them.
    pub fn n_parts(self) -> usize {
        self.n_values() + self.n_carried()
    }
}

/// A step: what some iterations in a row make of the values that run on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunningStep<V> {
    /// For each value: the term that is added; the factor of a product.
    pub terms: Vec<V>,
    /// For each value of a linear recurrence: the factors that the values, in order, are multiplied by.
    pub factors: Vec<V>,
}

impl<V: Copy> RunningStep<V> {
    /// The step that has no factors, of one value.
    pub fn of_term(term: V) -> RunningStep<V> {
        RunningStep { terms: vec![term], factors: Vec::new() }
    }

    /// The step with something else in the place of each number.
    pub fn map<W>(&self, mut make: impl FnMut(V) -> W) -> RunningStep<W> {
        let terms = self.terms.iter().map(|&term| make(term)).collect();
        RunningStep { terms, factors: self.factors.iter().map(|&factor| make(factor)).collect() }
    }

    /// The step with something made of each two numbers that stand in the same place.
    pub fn zip<W>(&self, other: &RunningStep<V>, mut make: impl FnMut(V, V) -> W) -> RunningStep<W> {
        let mut each = |a: &[V], b: &[V]| a.iter().zip(b).map(|(&a, &b)| make(a, b)).collect();
        RunningStep { terms: each(&self.terms, &other.terms), factors: each(&self.factors, &other.factors) }
    }
}

/// The operands of an op that computes a part of what runs on, besides the iteration's number.
#[derive(Debug, Clone)]
pub struct Running<V> {
    /// The values in front of the block.
    pub fronts: Vec<V>,
    /// The iteration's step.
    pub own: RunningStep<V>,
    /// The steps in front of it, of one iteration, two and four.
    pub before: [RunningStep<V>; LEVELS],
}

impl<V: Copy> Running<V> {
    /// Takes the operands behind the iteration's number apart.
    pub fn of(kind: RunningKind, operands: &[V]) -> Option<Running<V>> {
        let (n_values, n_factors) = (kind.n_values(), kind.n_factors());
        if operands.len() != n_values + (1 + LEVELS) * (n_values + n_factors) {
            return None;
        }
        let (fronts, rest) = operands.split_at(n_values);
        let (terms, factors) = rest.split_at((1 + LEVELS) * n_values);
        let step = |number: usize| RunningStep {
            terms: terms[number * n_values..][..n_values].to_vec(),
            factors: factors[number * n_factors..][..n_factors].to_vec(),
        };
        Some(Running { fronts: fronts.to_vec(), own: step(0), before: std::array::from_fn(|level| step(1 + level)) })
    }

    /// The operands for an iteration's step, with what the loop carries.
    pub fn with(kind: RunningKind, carried: &[V], own: RunningStep<V>) -> Running<V> {
        let (n_values, n_factors) = (kind.n_values(), kind.n_factors());
        let (fronts, rest) = carried.split_at(n_values);
        let (terms, factors) = rest.split_at(LEVELS * n_values);
        let step = |level: usize| RunningStep {
            terms: terms[level * n_values..][..n_values].to_vec(),
            factors: factors[level * n_factors..][..n_factors].to_vec(),
        };
        Running { fronts: fronts.to_vec(), own, before: std::array::from_fn(step) }
    }

    /// The operands, in order.
    pub fn operands(&self) -> Vec<V> {
        let steps = || [&self.own].into_iter().chain(&self.before);
        let terms = steps().flat_map(|step| step.terms.iter().copied());
        let factors = steps().flat_map(|step| step.factors.iter().copied());
        self.fronts.iter().copied().chain(terms).chain(factors).collect()
    }

    /// The values that the loop carries for it, in the order of the parts that stand for them in the next iteration.
    pub fn carried(&self) -> Vec<V> {
        in_order(&self.fronts, &self.before)
    }
}

/// The values in front of a block, and the numbers of steps: all terms, then all factors.
pub fn in_order<V: Copy>(fronts: &[V], steps: &[RunningStep<V>]) -> Vec<V> {
    let terms = steps.iter().flat_map(|step| step.terms.iter().copied());
    let factors = steps.iter().flat_map(|step| step.factors.iter().copied());
    fronts.iter().copied().chain(terms).chain(factors).collect()
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

impl RunningKind {
    /// The step that does `first` and then `then`.
    pub fn join<M: RunningMath>(
        self,
        math: &mut M,
        first: &RunningStep<M::Number>,
        then: &RunningStep<M::Number>,
    ) -> RunningStep<M::Number> {
        let n_values = self.n_values();
        let factors = (0..self.n_factors()).map(|place| {
            let (row, column) = (place / n_values, place % n_values);
            let products = (0..n_values).map(|k| {
                let (then, first) = (then.factors[row * n_values + k], first.factors[k * n_values + column]);
                math.mul(then, first)
            });
            let products: Vec<_> = products.collect();
            products.into_iter().reduce(|sum, product| math.add(sum, product)).expect("a step has a value")
        });
        let factors = factors.collect();
        RunningStep { terms: self.apply(math, &first.terms, then), factors }
    }

    /// Applies a step to numbers: `f0 * s + b`, and for two `f0 * s + (f1 * t + b)`.
    pub fn apply<M: RunningMath>(
        self,
        math: &mut M,
        to: &[M::Number],
        step: &RunningStep<M::Number>,
    ) -> Vec<M::Number> {
        let terms = step.terms.iter().enumerate();
        let applied = terms.map(|(row, &term)| match self {
            RunningKind::Product => math.mul(to[row], term),
            // A linear recurrence of integers may have no factor.
            _ if step.factors.is_empty() => math.add(to[row], term),
            _ => {
                let factors = &step.factors[row * to.len()..][..to.len()];
                factors.iter().zip(to).rev().fold(term, |sum, (&factor, &to)| {
                    let product = math.mul(factor, to);
                    math.add(product, sum)
                })
            }
        });
        applied.collect()
    }

    /// All parts: the values, and what the loop carries for them to the next iteration.
    pub fn parts<M: RunningMath>(self, math: &mut M, running: &Running<M::Number>) -> Vec<M::Number> {
        let mut step = running.own.clone();
        let mut next = Vec::new();
        for (level, before) in running.before.iter().enumerate() {
            let bit = 1 << level;
            next.push(step.zip(before, |own, before| math.where_bits(bit - 1, own, before)));
            let joined = self.join(math, before, &step);
            step = joined.zip(&step, |joined, own| math.where_bits(bit, joined, own));
        }
        let values = self.apply(math, &running.fronts, &step);
        let fronts = values.iter().zip(&running.fronts);
        let fronts: Vec<_> = fronts.map(|(&value, &front)| math.where_bits(BLOCK - 1, value, front)).collect();
        values.into_iter().chain(in_order(&fronts, &next)).collect()
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
    let all = parts(kind, iteration.wide()? as u64, &Running::of(kind, rest)?);
    all.get(usize::try_from(*part).ok()?).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    const KINDS: [RunningKind; 4] = [RunningKind::Sum, RunningKind::Product, RunningKind::Linear, RunningKind::Pair];

    /// A step of the kind that has these numbers, as far as it has numbers.
    fn step(kind: RunningKind, numbers: [f32; 6]) -> RunningStep<Scalar> {
        let scalars: Vec<Scalar> = numbers.map(Scalar::F32).to_vec();
        RunningStep { terms: scalars[..kind.n_values()].to_vec(), factors: scalars[2..][..kind.n_factors()].to_vec() }
    }

    /// The values that run on over some steps, in order, computed from parts.
    fn run(kind: RunningKind, from: &[Scalar], steps: &[RunningStep<Scalar>]) -> Vec<Vec<Scalar>> {
        let nothing = step(kind, [0.0; 6]);
        let before = [nothing.clone(), nothing.clone(), nothing];
        let mut running = Running { fronts: from.to_vec(), own: steps[0].clone(), before };
        let mut values = Vec::new();
        for (iteration, own) in steps.iter().enumerate() {
            running.own = own.clone();
            let all = parts(kind, iteration as u64, &running);
            assert_eq!(all.len(), kind.n_parts());
            let (own_values, carried) = all.split_at(kind.n_values());
            values.push(own_values.to_vec());
            running = Running::with(kind, carried, own.clone());
            let operands = running.operands();
            running = Running::of(kind, &operands).expect("as many operands as there are");
            assert_eq!(running.carried(), carried);
        }
        values
    }

    /// The order, as the language's reference has it: the former half of a block, then what the latter half makes of its own.
    fn prefix(steps: &[RunningStep<Scalar>], at: usize, kind: RunningKind) -> RunningStep<Scalar> {
        let half = steps.len() / 2;
        match () {
            () if steps.len() == 1 => steps[0].clone(),
            () if at < half => prefix(&steps[..half], at, kind),
            () => {
                let first = prefix(&steps[..half], half - 1, kind);
                kind.join(&mut Numbers(0), &first, &prefix(&steps[half..], at - half, kind))
            }
        }
    }

    #[test]
    fn parts_follow_the_order_of_blocks() {
        for kind in KINDS {
            let numbers = |n: usize| {
                let n = n as f32;
                [0.7 - 0.3 * n, 0.2 + 0.1 * n, 0.3 + 0.1 * n, 0.4 - 0.05 * n, -0.3 + 0.02 * n, 0.9 - 0.03 * n]
            };
            let mut steps: Vec<RunningStep<Scalar>> = (0..29).map(|n| step(kind, numbers(n))).collect();
            let from = [Scalar::F32(2.5), Scalar::F32(-1.25)];
            let from = &from[..kind.n_values()];
            let found = run(kind, from, &steps);
            // Iterations that never come: nothing depends on them.
            steps.resize(32, step(kind, [f32::NAN; 6]));
            let mut front = from.to_vec();
            let mut expected = Vec::new();
            for block in steps.chunks(BLOCK.into()) {
                let values: Vec<_> =
                    (0..BLOCK.into()).map(|at| kind.apply(&mut Numbers(0), &front, &prefix(block, at, kind))).collect();
                front = values[usize::from(BLOCK) - 1].clone();
                expected.extend(values);
            }
            expected.truncate(29);
            assert_eq!(found, expected, "{kind:?}");
        }
    }

    #[test]
    fn whole_numbers_run_on_as_in_order() {
        let numbers = |n: usize| {
            let of = |modulus: usize, less: f32| (n % modulus) as f32 - less;
            [of(5, 0.0), of(4, 2.0), of(3, 1.0), of(2, 0.0), of(2, 1.0), of(3, 2.0)]
        };
        for kind in [RunningKind::Sum, RunningKind::Linear, RunningKind::Pair] {
            let steps: Vec<RunningStep<Scalar>> = (0..21).map(|n| step(kind, numbers(n))).collect();
            let mut values = [3.0, -2.0];
            let expected: Vec<Vec<Scalar>> = (0..21)
                .map(|n| {
                    let [b, e, a, c, d, f] = numbers(n);
                    values = match kind {
                        RunningKind::Sum => [values[0] + b, 0.0],
                        RunningKind::Linear => [a * values[0] + b, 0.0],
                        _ => [a * values[0] + c * values[1] + b, d * values[0] + f * values[1] + e],
                    };
                    values[..kind.n_values()].iter().map(|&value| Scalar::F32(value)).collect()
                })
                .collect();
            let from = [Scalar::F32(3.0), Scalar::F32(-2.0)];
            assert_eq!(run(kind, &from[..kind.n_values()], &steps), expected, "{kind:?}");
        }
    }
}
