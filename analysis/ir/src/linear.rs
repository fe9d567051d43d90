//! Expressions that are linear in a variable, or in several, taken apart as in school: `a * s + b`, `a * s + c * t + b`.
//!
//! The *factors* `a` and `c` and the *term* `b` are formulas of the parts that do not mention the variables. They are not simplified:
//! each operator of the expression appears in them as often as the rules of sums and products say, so that whoever computes them
//! rounds alike.

/// A formula of values that are known elsewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LinearFormula<L> {
    /// The number 0.
    Zero,
    /// The number 1.
    One,
    /// A value.
    Leaf(L),
    /// One of two numbers, by a condition: the first where it holds.
    Choice(L, Box<(LinearFormula<L>, LinearFormula<L>)>),
    /// The negative of a number.
    Neg(Box<LinearFormula<L>>),
    /// The sum, difference or product of two numbers.
    Binary(LinearOp, Box<(LinearFormula<L>, LinearFormula<L>)>),
}

/// An operator that keeps what is linear so, if one side of a product does not mention the variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinearOp {
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
}

/// The arithmetic by which a formula is computed.
pub trait FormulaMath<L> {
    /// A number.
    type Number;
    /// The reason why there is none.
    type Error;

    /// The number 0.
    fn zero(&mut self) -> Self::Number;

    /// The number 1.
    fn one(&mut self) -> Self::Number;

    /// The first number where a condition holds, else the second.
    fn choice(&mut self, condition: &L, a: Self::Number, b: Self::Number) -> Result<Self::Number, Self::Error>;

    /// A value.
    fn leaf(&mut self, leaf: &L) -> Result<Self::Number, Self::Error>;

    /// The negative of a number.
    fn neg(&mut self, a: Self::Number) -> Result<Self::Number, Self::Error>;

    /// The sum, difference or product of two numbers.
    fn binary(&mut self, op: LinearOp, a: Self::Number, b: Self::Number) -> Result<Self::Number, Self::Error>;
}

impl<L> LinearFormula<L> {
    /// Computes the number.
    pub fn compute<M: FormulaMath<L>>(&self, math: &mut M) -> Result<M::Number, M::Error> {
        match self {
            LinearFormula::Zero => Ok(math.zero()),
            LinearFormula::One => Ok(math.one()),
            LinearFormula::Choice(condition, sides) => {
                let (a, b) = (sides.0.compute(math)?, sides.1.compute(math)?);
                math.choice(condition, a, b)
            }
            LinearFormula::Leaf(leaf) => math.leaf(leaf),
            LinearFormula::Neg(a) => {
                let a = a.compute(math)?;
                math.neg(a)
            }
            LinearFormula::Binary(op, sides) => {
                let (a, b) = (sides.0.compute(math)?, sides.1.compute(math)?);
                math.binary(*op, a, b)
            }
        }
    }

    /// Says whether a condition chooses a part of it.
    pub fn has_choice(&self) -> bool {
        match self {
            LinearFormula::Zero | LinearFormula::One | LinearFormula::Leaf(_) => false,
            LinearFormula::Choice(..) => true,
            LinearFormula::Neg(a) => a.has_choice(),
            LinearFormula::Binary(_, sides) => sides.0.has_choice() || sides.1.has_choice(),
        }
    }

    /// The number of values and operators in it.
    pub fn size(&self) -> usize {
        match self {
            LinearFormula::Zero | LinearFormula::One | LinearFormula::Leaf(_) => 1,
            LinearFormula::Choice(_, sides) => 2 + sides.0.size() + sides.1.size(),
            LinearFormula::Neg(a) => 1 + a.size(),
            LinearFormula::Binary(_, sides) => 1 + sides.0.size() + sides.1.size(),
        }
    }

    /// Calls a function with each value in it, from left to right.
    pub fn for_each_leaf(&self, visit: &mut dyn FnMut(&L)) {
        match self {
            LinearFormula::Zero | LinearFormula::One => {}
            LinearFormula::Leaf(leaf) => visit(leaf),
            LinearFormula::Choice(condition, sides) => {
                visit(condition);
                sides.0.for_each_leaf(visit);
                sides.1.for_each_leaf(visit);
            }
            LinearFormula::Neg(a) => a.for_each_leaf(visit),
            LinearFormula::Binary(_, sides) => {
                sides.0.for_each_leaf(visit);
                sides.1.for_each_leaf(visit);
            }
        }
    }

    fn binary(op: LinearOp, a: LinearFormula<L>, b: LinearFormula<L>) -> LinearFormula<L> {
        LinearFormula::Binary(op, Box::new((a, b)))
    }

    /// The sum, or difference, of two numbers that may be left out.
    fn summed(op: LinearOp, a: Option<LinearFormula<L>>, b: Option<LinearFormula<L>>) -> Option<LinearFormula<L>> {
        match (a, b) {
            (Some(a), Some(b)) => Some(LinearFormula::binary(op, a, b)),
            (None, Some(b)) if op == LinearOp::Sub => Some(LinearFormula::Neg(Box::new(b))),
            (a, b) => a.or(b),
        }
    }
}

/// An expression that is linear in some variables, taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinearForm<L, const N: usize = 1> {
    /// The numbers that the variables are multiplied by; `None` for a variable that is not in it.
    pub factors: [Option<LinearFormula<L>>; N],
    /// The number that is added; `None` for nothing.
    pub term: Option<LinearFormula<L>>,
}

/// An operand: linear in the variables, or a value that does not depend on them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LinearSide<L, const N: usize = 1> {
    /// Linear in the variables.
    Of(LinearForm<L, N>),
    /// A value that does not depend on them.
    Other(L),
}

impl<L> LinearForm<L> {
    /// The number that the only variable is multiplied by; `None` for 1.
    pub fn factor(&self) -> Option<&LinearFormula<L>> {
        self.factors[0].as_ref().filter(|factor| !matches!(factor, LinearFormula::One))
    }
}

impl<L: Clone + PartialEq, const N: usize> LinearForm<L, N> {
    /// One of the variables itself, by its number.
    pub fn variable(number: usize) -> LinearForm<L, N> {
        let factor = |other: usize| (other == number).then_some(LinearFormula::One);
        LinearForm { factors: std::array::from_fn(factor), term: None }
    }

    /// The negative.
    #[must_use]
    pub fn negated(self) -> LinearForm<L, N> {
        let neg = |formula| LinearFormula::Neg(Box::new(formula));
        LinearForm { factors: self.factors.map(|factor| factor.map(neg)), term: self.term.map(neg) }
    }

    /// Joins two operands by an operator, one of which at least is linear in the variables; `None` if the result is not linear.
    pub fn combined(op: LinearOp, a: LinearSide<L, N>, b: LinearSide<L, N>) -> Option<LinearForm<L, N>> {
        use LinearOp::{Add, Mul, Sub};
        match (op, a, b) {
            (Add | Sub, LinearSide::Of(a), LinearSide::Of(b)) => {
                let mut others = b.factors.into_iter();
                let factors = a.factors.map(|factor| LinearFormula::summed(op, factor, others.next().flatten()));
                Some(LinearForm { factors, term: LinearFormula::summed(op, a.term, b.term) })
            }
            (Add | Sub, LinearSide::Of(a), LinearSide::Other(b)) => {
                let term = LinearFormula::summed(op, a.term, Some(LinearFormula::Leaf(b)));
                Some(LinearForm { factors: a.factors, term })
            }
            (Add | Sub, LinearSide::Other(a), LinearSide::Of(b)) => {
                let term = LinearFormula::summed(op, Some(LinearFormula::Leaf(a)), b.term);
                Some(LinearForm { factors: b.factors.map(|factor| LinearFormula::summed(op, None, factor)), term })
            }
            (Mul, LinearSide::Of(a), LinearSide::Other(b)) => Some(a.scaled(&b, |own, by| (own, by))),
            (Mul, LinearSide::Other(a), LinearSide::Of(b)) => Some(b.scaled(&a, |own, by| (by, own))),
            _ => None,
        }
    }

    /// One of two operands, by a condition that does not depend on the variables, where one at least is linear in them. That is linear
    /// in integers alone: the factor of a side that leaves a variable out is 0, and 0 times a number that is not finite is none.
    pub fn chosen(condition: L, a: LinearSide<L, N>, b: LinearSide<L, N>) -> LinearForm<L, N> {
        let parts = |side: LinearSide<L, N>| match side {
            LinearSide::Of(LinearForm { factors, term }) => {
                (factors.map(|factor| factor.unwrap_or(LinearFormula::Zero)), term.unwrap_or(LinearFormula::Zero))
            }
            LinearSide::Other(value) => ([const { LinearFormula::Zero }; N], LinearFormula::Leaf(value)),
        };
        let ((factors_a, term_a), (factors_b, term_b)) = (parts(a), parts(b));
        let choice = |a: LinearFormula<L>, b: LinearFormula<L>| match a == b {
            true => a,
            false => LinearFormula::Choice(condition.clone(), Box::new((a, b))),
        };
        let there = |formula: LinearFormula<L>| Some(formula).filter(|it| *it != LinearFormula::Zero);
        let mut others = factors_b.into_iter();
        let factors = factors_a.map(|a| there(choice(a, others.next().unwrap_or(LinearFormula::Zero))));
        LinearForm { factors, term: there(choice(term_a, term_b)) }
    }

    /// The product with a value, with the operands in the order that they have.
    fn scaled(
        self,
        by: &L,
        order: impl Fn(LinearFormula<L>, LinearFormula<L>) -> (LinearFormula<L>, LinearFormula<L>),
    ) -> LinearForm<L, N> {
        let product = |formula: LinearFormula<L>| {
            if formula == LinearFormula::One {
                return LinearFormula::Leaf(by.clone());
            }
            let (a, b) = order(formula, LinearFormula::Leaf(by.clone()));
            LinearFormula::binary(LinearOp::Mul, a, b)
        };
        LinearForm { factors: self.factors.map(|factor| factor.map(&product)), term: self.term.map(product) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An expression in two variables.
    enum Expr {
        Variable(usize),
        Number(i64),
        Neg(Box<Expr>),
        Binary(LinearOp, Box<Expr>, Box<Expr>),
        Chosen(i64, Box<Expr>, Box<Expr>),
    }

    fn random(rng: &mut fastrand::Rng, depth: u32) -> Expr {
        let inner = |rng: &mut fastrand::Rng| Box::new(random(rng, depth - 1));
        match rng.u32(..7) {
            0 => Expr::Variable(rng.usize(..2)),
            _ if depth == 0 => Expr::Number(rng.i64(-9..10)),
            1 => Expr::Neg(inner(rng)),
            2 => Expr::Chosen(rng.i64(0..2), inner(rng), inner(rng)),
            3 => Expr::Binary(LinearOp::Mul, inner(rng), inner(rng)),
            4 => Expr::Binary(LinearOp::Sub, inner(rng), inner(rng)),
            _ => Expr::Binary(LinearOp::Add, inner(rng), inner(rng)),
        }
    }

    fn operate(op: LinearOp, a: i64, b: i64) -> i64 {
        match op {
            LinearOp::Add => a.wrapping_add(b),
            LinearOp::Sub => a.wrapping_sub(b),
            LinearOp::Mul => a.wrapping_mul(b),
        }
    }

    impl Expr {
        fn value(&self, variables: [i64; 2]) -> i64 {
            match self {
                Expr::Variable(number) => variables[*number],
                Expr::Number(number) => *number,
                Expr::Neg(inner) => inner.value(variables).wrapping_neg(),
                Expr::Binary(op, a, b) => operate(*op, a.value(variables), b.value(variables)),
                Expr::Chosen(1, a, _) => a.value(variables),
                Expr::Chosen(_, _, b) => b.value(variables),
            }
        }

        fn side(&self) -> Option<LinearSide<i64, 2>> {
            let other = |side: &LinearSide<i64, 2>| matches!(side, LinearSide::Other(_));
            Some(match self {
                Expr::Variable(number) => LinearSide::Of(LinearForm::variable(*number)),
                Expr::Number(number) => LinearSide::Other(*number),
                Expr::Neg(inner) => match inner.side()? {
                    LinearSide::Of(linear) => LinearSide::Of(linear.negated()),
                    LinearSide::Other(_) => LinearSide::Other(self.value([0, 0])),
                },
                Expr::Binary(op, a, b) => match (a.side()?, b.side()?) {
                    (a, b) if other(&a) && other(&b) => LinearSide::Other(self.value([0, 0])),
                    (a, b) => LinearSide::Of(LinearForm::combined(*op, a, b)?),
                },
                Expr::Chosen(condition, a, b) => match (a.side()?, b.side()?) {
                    (a, b) if other(&a) && other(&b) => LinearSide::Other(self.value([0, 0])),
                    (a, b) => LinearSide::Of(LinearForm::chosen(*condition, a, b)),
                },
            })
        }
    }

    /// The arithmetic of integers, which wrap.
    struct Wrapping;

    impl FormulaMath<i64> for Wrapping {
        type Number = i64;
        type Error = std::convert::Infallible;

        fn zero(&mut self) -> i64 {
            0
        }

        fn one(&mut self) -> i64 {
            1
        }

        fn choice(&mut self, condition: &i64, a: i64, b: i64) -> Result<i64, Self::Error> {
            Ok(if *condition == 1 { a } else { b })
        }

        fn leaf(&mut self, leaf: &i64) -> Result<i64, Self::Error> {
            Ok(*leaf)
        }

        fn neg(&mut self, a: i64) -> Result<i64, Self::Error> {
            Ok(a.wrapping_neg())
        }

        fn binary(&mut self, op: LinearOp, a: i64, b: i64) -> Result<i64, Self::Error> {
            Ok(operate(op, a, b))
        }
    }

    #[test]
    fn factors_and_term_make_of_numbers_what_the_expression_makes_of_them() {
        let mut rng = fastrand::Rng::with_seed(3);
        let mut n_linear = 0;
        for _ in 0..20_000 {
            let expr = random(&mut rng, 4);
            let Some(LinearSide::Of(linear)) = expr.side() else { continue };
            n_linear += 1;
            let computed =
                |formula: &Option<LinearFormula<i64>>| formula.as_ref().map(|it| it.compute(&mut Wrapping).unwrap());
            let [a, b, term] =
                [&linear.factors[0], &linear.factors[1], &linear.term].map(|formula| computed(formula).unwrap_or(0));
            for variables in [[0, 0], [1, -1], [-1, 7], [12_345, 3], [i64::MIN, 1]] {
                let made = a.wrapping_mul(variables[0]).wrapping_add(b.wrapping_mul(variables[1])).wrapping_add(term);
                assert_eq!(made, expr.value(variables), "{linear:?}");
            }
        }
        assert!(n_linear > 5_000, "{n_linear}");
    }
}
