//! Expressions that are linear in a variable, taken apart as in school: `a * s + b`.
//!
//! The *factor* `a` and the *term* `b` are formulas of the parts that do not mention the variable. They are not simplified: each
//! operator of the expression appears in them as often as the rules of sums and products say, so that whoever computes them rounds
//! alike.

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

/// An expression that is linear in a variable, taken apart. Without a factor and a term it is the variable itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinearForm<L> {
    /// The number that the variable is multiplied by; `None` for 1.
    pub factor: Option<LinearFormula<L>>,
    /// The number that is added; `None` for nothing.
    pub term: Option<LinearFormula<L>>,
}

impl<L> Default for LinearForm<L> {
    fn default() -> LinearForm<L> {
        LinearForm { factor: None, term: None }
    }
}

/// An operand: linear in the variable, or a value that does not depend on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LinearSide<L> {
    /// Linear in the variable.
    Of(LinearForm<L>),
    /// A value that does not depend on it.
    Other(L),
}

impl<L: Clone + PartialEq> LinearForm<L> {
    /// The negative.
    #[must_use]
    pub fn negated(self) -> LinearForm<L> {
        let neg = |formula| LinearFormula::Neg(Box::new(formula));
        LinearForm { factor: Some(neg(self.factor.unwrap_or(LinearFormula::One))), term: self.term.map(neg) }
    }

    /// Joins two operands by an operator, one of which at least is linear in the variable; `None` if the result is not linear.
    pub fn combined(op: LinearOp, a: LinearSide<L>, b: LinearSide<L>) -> Option<LinearForm<L>> {
        use LinearOp::{Add, Mul, Sub};
        match (op, a, b) {
            (Add | Sub, LinearSide::Of(a), LinearSide::Of(b)) => Some(LinearForm::summed(op, Some(a), b)),
            (Add | Sub, LinearSide::Of(a), LinearSide::Other(b)) => {
                let term = LinearFormula::summed(op, a.term, Some(LinearFormula::Leaf(b)));
                Some(LinearForm { factor: a.factor, term })
            }
            (Add | Sub, LinearSide::Other(a), LinearSide::Of(b)) => {
                let term = match b.term.clone() {
                    Some(term) => LinearFormula::binary(op, LinearFormula::Leaf(a), term),
                    None => LinearFormula::Leaf(a),
                };
                Some(LinearForm { factor: LinearForm::summed(op, None, b).factor, term: Some(term) })
            }
            (Mul, LinearSide::Of(a), LinearSide::Other(b)) => Some(a.scaled(&b, |own, by| (own, by))),
            (Mul, LinearSide::Other(a), LinearSide::Of(b)) => Some(b.scaled(&a, |own, by| (by, own))),
            _ => None,
        }
    }

    /// One of two operands, by a condition that does not depend on the variable, where one at least is linear in it. That is linear in integers alone: the
    /// factor of a side that leaves the variable out is 0, and 0 times a number that is not finite is none.
    pub fn chosen(condition: L, a: LinearSide<L>, b: LinearSide<L>) -> LinearForm<L> {
        let parts = |side: LinearSide<L>| match side {
            LinearSide::Of(LinearForm { factor, term }) => {
                (factor.unwrap_or(LinearFormula::One), term.unwrap_or(LinearFormula::Zero))
            }
            LinearSide::Other(value) => (LinearFormula::Zero, LinearFormula::Leaf(value)),
        };
        let ((factor_a, term_a), (factor_b, term_b)) = (parts(a), parts(b));
        let choice = |a: LinearFormula<L>, b: LinearFormula<L>| match a == b {
            true => a,
            false => LinearFormula::Choice(condition.clone(), Box::new((a, b))),
        };
        let (factor, term) = (choice(factor_a, factor_b), choice(term_a, term_b));
        LinearForm {
            factor: Some(factor).filter(|it| *it != LinearFormula::One),
            term: Some(term).filter(|it| *it != LinearFormula::Zero),
        }
    }

    /// The sum, or difference, of two that are linear in the variable; the first may be left out.
    fn summed(op: LinearOp, a: Option<LinearForm<L>>, b: LinearForm<L>) -> LinearForm<L> {
        let (factor_of_a, term_of_a) = match a {
            Some(a) => (Some(a.factor.unwrap_or(LinearFormula::One)), a.term),
            None => (None, None),
        };
        let factor = match (factor_of_a, b.factor) {
            // 1 stays unwritten where it is all there is.
            (None, None) if op == LinearOp::Add => None,
            (a, b) => LinearFormula::summed(op, a, Some(b.unwrap_or(LinearFormula::One))),
        };
        LinearForm { factor, term: LinearFormula::summed(op, term_of_a, b.term) }
    }

    /// The product with a value, with the operands in the order that they have.
    fn scaled(
        self,
        by: &L,
        order: impl Fn(LinearFormula<L>, LinearFormula<L>) -> (LinearFormula<L>, LinearFormula<L>),
    ) -> LinearForm<L> {
        let product = |formula: LinearFormula<L>| {
            let (a, b) = order(formula, LinearFormula::Leaf(by.clone()));
            LinearFormula::binary(LinearOp::Mul, a, b)
        };
        let factor = self.factor.map_or_else(|| LinearFormula::Leaf(by.clone()), &product);
        LinearForm { factor: Some(factor), term: self.term.map(product) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An expression in a variable.
    enum Expr {
        Variable,
        Number(i64),
        Neg(Box<Expr>),
        Binary(LinearOp, Box<Expr>, Box<Expr>),
        Chosen(i64, Box<Expr>, Box<Expr>),
    }

    fn random(rng: &mut fastrand::Rng, depth: u32) -> Expr {
        let inner = |rng: &mut fastrand::Rng| Box::new(random(rng, depth - 1));
        match rng.u32(..7) {
            0 => Expr::Variable,
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
        fn value(&self, variable: i64) -> i64 {
            match self {
                Expr::Variable => variable,
                Expr::Number(number) => *number,
                Expr::Neg(inner) => inner.value(variable).wrapping_neg(),
                Expr::Binary(op, a, b) => operate(*op, a.value(variable), b.value(variable)),
                Expr::Chosen(1, a, _) => a.value(variable),
                Expr::Chosen(_, _, b) => b.value(variable),
            }
        }

        fn side(&self) -> Option<LinearSide<i64>> {
            let other = |side: &LinearSide<i64>| matches!(side, LinearSide::Other(_));
            Some(match self {
                Expr::Variable => LinearSide::Of(LinearForm::default()),
                Expr::Number(number) => LinearSide::Other(*number),
                Expr::Neg(inner) => match inner.side()? {
                    LinearSide::Of(linear) => LinearSide::Of(linear.negated()),
                    LinearSide::Other(_) => LinearSide::Other(self.value(0)),
                },
                Expr::Binary(op, a, b) => match (a.side()?, b.side()?) {
                    (a, b) if other(&a) && other(&b) => LinearSide::Other(self.value(0)),
                    (a, b) => LinearSide::Of(LinearForm::combined(*op, a, b)?),
                },
                Expr::Chosen(condition, a, b) => match (a.side()?, b.side()?) {
                    (a, b) if other(&a) && other(&b) => LinearSide::Other(self.value(0)),
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
    fn factor_and_term_make_of_a_number_what_the_expression_makes_of_it() {
        let mut rng = fastrand::Rng::with_seed(3);
        let mut n_linear = 0;
        for _ in 0..20_000 {
            let expr = random(&mut rng, 4);
            let Some(LinearSide::Of(linear)) = expr.side() else { continue };
            n_linear += 1;
            let computed =
                |formula: &Option<LinearFormula<i64>>| formula.as_ref().map(|it| it.compute(&mut Wrapping).unwrap());
            let (factor, term) = (computed(&linear.factor).unwrap_or(1), computed(&linear.term).unwrap_or(0));
            for variable in [0, 1, -1, 12_345, i64::MIN] {
                let made = factor.wrapping_mul(variable).wrapping_add(term);
                assert_eq!(made, expr.value(variable), "{linear:?}");
            }
        }
        assert!(n_linear > 5_000, "{n_linear}");
    }
}
