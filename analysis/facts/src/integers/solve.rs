//! Conjunctions: variables are eliminated one after the other, exactly.
//!
//! An *equation* is used up: a variable with coefficient 1 is replaced by what it equals; where there is none, a change
//! of variable makes the coefficients smaller, as in Euclid's algorithm, until there is.
//!
//! An *inequality* bounds a variable from below or above. Of a variable that has no bound on one side nothing can go
//! wrong. Otherwise each lower bound `b*x >= p` is joined with each upper one `a*x <= q` to `a*p <= b*q` (the *real
//! shadow*), which is exact if `a` or `b` is 1. If not, there are three steps: where `b*q - a*p >= (a-1)*(b-1)` for all
//! pairs (the *dark shadow*), some whole `x` lies between; where not even the real shadow has a solution, there is none;
//! and what lies between the two shadows has `x` close above a lower bound, so each of those places is tried as an
//! equation (the *splinters*). The idea is W. Pugh's Omega test.
//!
//! A solution is found on the way back: what was eliminated last gets its number first.

use super::linear::{Linear, Terms, Var, quotient};
use super::{Budget, TooHard};

/// The number of rounds in which the bounds of one variable are used to tighten those of others.
const MAX_ROUNDS: usize = 4;

/// The number of inequalities that an elimination may add before trying numbers of a variable is better.
const MAX_GROWTH: i64 = 4;

/// The limit on the numbers that are tried for a variable.
const MAX_SPLIT: i128 = 32;

/// Forms that are 0, and forms that are not negative.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub(super) struct Conjunction {
    pub(super) zero: Vec<Linear>,
    pub(super) not_negative: Vec<Linear>,
}

/// The rule by which an eliminated variable gets its number on the way back.
enum Step {
    /// The variable is this form.
    Is(Var, Linear),
    /// The variable satisfies these forms, which mention it and are not negative.
    Within(Var, Vec<Linear>),
}

/// Numbers for the first `n_vars` variables, for which all of it holds.
pub(super) fn solve(conjunction: &Conjunction, n_vars: u32, budget: &mut Budget) -> Result<Option<Vec<i128>>, TooHard> {
    let mut numbers = match (Solver { state: conjunction.clone(), n_vars, steps: Vec::new() }).run(budget)? {
        Some(numbers) => numbers,
        None => return Ok(None),
    };
    numbers.resize(n_vars as usize, 0);
    Ok(Some(numbers))
}

struct Solver {
    state: Conjunction,
    n_vars: u32,
    steps: Vec<Step>,
}

/// The constraints have no solution.
struct Contradiction;

impl Solver {
    fn run(mut self, budget: &mut Budget) -> Result<Option<Vec<i128>>, TooHard> {
        loop {
            budget.spend(1 + self.state.zero.len() + self.state.not_negative.len())?;
            let Ok(()) = self.normalise() else { return Ok(None) };
            if let Some(equation) = self.take_equation() {
                self.use_equation(&equation)?;
                continue;
            }
            let Ok(()) = self.join_parallel() else { return Ok(None) };
            if !self.state.zero.is_empty() {
                continue;
            }
            let Ok(boxed) = self.tighten(budget)? else { return Ok(None) };
            if !self.state.zero.is_empty() {
                continue;
            }
            let Some(choice) = self.choose() else { return self.resolve(Vec::new()).map(Some) };
            if (!choice.exact || choice.more > MAX_GROWTH)
                && let Some((var, low, high)) = boxed.narrowest()
            {
                return self.split(var, low, high, budget);
            }
            if !choice.exact {
                return self.inexact(choice.var, budget);
            }
            self.eliminate(choice.var, false, budget)?;
        }
    }

    /// Divides by common factors, and drops what holds anyway.
    fn normalise(&mut self) -> Result<(), Contradiction> {
        let mut holds = true;
        self.state.zero.retain_mut(|form| match form.divisor() {
            0 => {
                holds &= form.constant == 0;
                false
            }
            1 => true,
            divisor => {
                holds &= form.constant % divisor == 0;
                form.divide(divisor);
                true
            }
        });
        self.state.not_negative.retain_mut(|form| match form.divisor() {
            0 => {
                holds &= form.constant >= 0;
                false
            }
            divisor => {
                form.divide(divisor);
                true
            }
        });
        if holds { Ok(()) } else { Err(Contradiction) }
    }

    /// Keeps the strictest of the inequalities that bound the same sum; two that leave one number become an equation.
    fn join_parallel(&mut self) -> Result<(), Contradiction> {
        let forms = &mut self.state.not_negative;
        forms.sort_unstable_by(|a, b| a.terms.cmp(&b.terms).then(a.constant.cmp(&b.constant)));
        forms.dedup_by(|later, first| later.terms == first.terms);
        let mut equal = Vec::new();
        for (position, form) in forms.iter().enumerate() {
            let opposite = |other: &Linear| {
                let negated = form.terms.iter().map(|&(var, factor)| (var, -factor));
                other.terms.iter().copied().cmp(negated)
            };
            let Ok(other) = forms.binary_search_by(opposite) else { continue };
            match forms[other].constant.saturating_add(form.constant) {
                width if width < 0 => return Err(Contradiction),
                0 if position < other => equal.push((position, other)),
                _ => {}
            }
        }
        let mut gone: Vec<usize> = equal.iter().flat_map(|&(a, b)| [a, b]).collect();
        self.state.zero.extend(equal.iter().map(|&(position, _)| forms[position].clone()));
        gone.sort_unstable();
        gone.into_iter().rev().for_each(|position| drop(forms.swap_remove(position)));
        Ok(())
    }

    /// Bounds single variables as far as the inequalities do, states that, and drops the inequalities that follow from
    /// it. A variable that only one number is left for becomes an equation.
    fn tighten(&mut self, budget: &mut Budget) -> Result<Result<Box, Contradiction>, TooHard> {
        let mut bounds = Box::default();
        for _ in 0..MAX_ROUNDS {
            budget.spend(self.state.not_negative.len())?;
            let mut changed = false;
            for form in &self.state.not_negative {
                changed |= bounds.learn(form);
            }
            if bounds.is_empty() {
                return Ok(Err(Contradiction));
            }
            if !changed {
                break;
            }
        }
        self.state.not_negative.retain(|form| form.terms.len() > 1 && !bounds.implies(form));
        for (var, &(low, high)) in (0..).map(Var).zip(&bounds.of) {
            match (low, high) {
                (Some(low), Some(high)) if low == high => self.state.zero.push(Linear::of(var, 1).add(-low)?),
                _ => {
                    self.state.not_negative.extend(low.map(|low| Linear::of(var, 1).add(-low)).transpose()?);
                    self.state.not_negative.extend(high.map(|high| Linear::of(var, -1).add(high)).transpose()?);
                }
            }
        }
        Ok(Ok(bounds))
    }

    /// Looks at both halves of what a variable may be.
    fn split(mut self, var: Var, low: i128, high: i128, budget: &mut Budget) -> Result<Option<Vec<i128>>, TooHard> {
        let middle = low + (high - low) / 2;
        for half in [Linear::of(var, -1).add(middle)?, Linear::of(var, 1).add(-middle - 1)?] {
            let mut part = self.copy();
            part.state.not_negative.push(half);
            if let Some(numbers) = part.run(budget)? {
                return self.resolve(numbers).map(Some);
            }
        }
        Ok(None)
    }

    /// The equation that is used up next: the one with the smallest coefficient.
    fn take_equation(&mut self) -> Option<Linear> {
        let smallest = |form: &Linear| form.terms.iter().map(|term| term.1.unsigned_abs()).min();
        let position = (0..self.state.zero.len()).min_by_key(|&n| smallest(&self.state.zero[n]))?;
        Some(self.state.zero.swap_remove(position))
    }

    /// Replaces the variable with the smallest coefficient. Where that is not 1, a new variable stands for the rounded
    /// quotient of the rest by it, and the equation comes back with smaller coefficients.
    fn use_equation(&mut self, equation: &Linear) -> Result<(), TooHard> {
        let Some(&(var, factor)) = equation.terms.iter().min_by_key(|term| term.1.unsigned_abs()) else {
            return Ok(());
        };
        let equation = if factor < 0 { equation.negative()? } else { equation.clone() };
        let factor = factor.abs();
        let mut by = Linear::default();
        let mut terms = Terms::new();
        for &(other, coefficient) in equation.terms.iter().filter(|term| term.0 != var) {
            terms.push((other, -coefficient.div_euclid(factor)));
        }
        terms.retain(|term| term.1 != 0);
        by.terms = terms;
        by.constant = -equation.constant.div_euclid(factor);
        if factor > 1 {
            by = by.plus(&Linear::of(Var(self.n_vars), 1))?;
            self.n_vars += 1;
            self.state.zero.push(equation);
        }
        for form in self.state.zero.iter_mut().chain(&mut self.state.not_negative) {
            form.substitute(var, &by)?;
        }
        self.steps.push(Step::Is(var, by));
        Ok(())
    }

    /// The variable whose elimination costs least.
    fn choose(&self) -> Option<Elimination> {
        let mut uses: Vec<Bounds> = Vec::new();
        for &(var, factor) in self.state.not_negative.iter().flat_map(|form| &form.terms) {
            if uses.len() <= var.index() {
                uses.resize_with(var.index() + 1, Bounds::default);
            }
            let bounds = &mut uses[var.index()];
            if factor > 0 {
                bounds.n_lower += 1;
                bounds.max_lower = bounds.max_lower.max(factor);
            } else {
                bounds.n_upper += 1;
                bounds.max_upper = bounds.max_upper.max(factor.saturating_neg());
            }
        }
        let used = (0..).map(Var).zip(&uses).filter(|(_, bounds)| bounds.n_lower + bounds.n_upper > 0);
        let choices = used.map(|(var, bounds)| {
            let one_sided = bounds.n_lower == 0 || bounds.n_upper == 0;
            let exact = one_sided || bounds.max_lower <= 1 || bounds.max_upper <= 1;
            let more = (bounds.n_lower * bounds.n_upper) as i64 - (bounds.n_lower + bounds.n_upper) as i64;
            Elimination { exact, more, size: bounds.max_lower.saturating_mul(bounds.max_upper), var }
        });
        choices
            .min_by_key(|choice| (!choice.exact, if choice.exact { 0 } else { choice.size }, choice.more, choice.var))
    }

    /// Takes a variable out by its shadow: the real one, or the dark one.
    fn eliminate(&mut self, var: Var, dark: bool, budget: &mut Budget) -> Result<(), TooHard> {
        // Forms are large: only those that leave are moved.
        let about: Vec<Linear> = self.state.not_negative.extract_if(.., |form| form.coefficient(var) != 0).collect();
        let (lower, upper): (Vec<&Linear>, Vec<&Linear>) = about.iter().partition(|form| form.coefficient(var) > 0);
        budget.spend(lower.len() * upper.len())?;
        for low in &lower {
            for up in &upper {
                let (b, a) = (low.coefficient(var), -up.coefficient(var));
                let mut shadow = low.combine(a, up, b)?;
                if dark {
                    shadow = shadow.add(-((a - 1).checked_mul(b - 1).ok_or(TooHard)?))?;
                }
                self.state.not_negative.push(shadow);
            }
        }
        self.steps.push(Step::Within(var, about));
        Ok(())
    }

    /// Eliminates a variable whose shadows differ.
    fn inexact(mut self, var: Var, budget: &mut Budget) -> Result<Option<Vec<i128>>, TooHard> {
        let mut dark = self.copy();
        dark.eliminate(var, true, budget)?;
        if let Some(numbers) = dark.run(budget)? {
            return self.resolve(numbers).map(Some);
        }
        // A solution of the real shadow need not leave room for a whole `var`; only that there is none counts.
        let mut real = self.copy();
        real.eliminate(var, false, budget)?;
        real.steps.clear();
        if real.run(budget)?.is_none() {
            return Ok(None);
        }
        let forms = &self.state.not_negative;
        let max_upper = forms.iter().map(|form| -form.coefficient(var)).max().unwrap_or(1);
        let lower: Vec<Linear> = forms.iter().filter(|form| form.coefficient(var) > 0).cloned().collect();
        for low in lower {
            let b = low.coefficient(var);
            let product = max_upper.checked_mul(b).ok_or(TooHard)?;
            let last = (product - max_upper - b).div_euclid(max_upper);
            for above in 0..=last {
                budget.spend(1)?;
                let mut splinter = self.copy();
                splinter.state.zero.push(low.add(-above)?);
                if let Some(numbers) = splinter.run(budget)? {
                    return self.resolve(numbers).map(Some);
                }
            }
        }
        Ok(None)
    }

    /// A copy of the problem, on the way to a solution of its own.
    fn copy(&self) -> Solver {
        Solver { state: self.state.clone(), n_vars: self.n_vars, steps: Vec::new() }
    }

    /// Completes the numbers of what was left with those of what was eliminated.
    fn resolve(&mut self, mut numbers: Vec<i128>) -> Result<Vec<i128>, TooHard> {
        let enough = numbers.len().max(self.n_vars as usize);
        numbers.resize(enough, 0);
        while let Some(step) = self.steps.pop() {
            let (var, number) = match step {
                Step::Is(var, form) => (var, form.evaluate(&|var| numbers[var.index()])?),
                Step::Within(var, forms) => (var, within(var, &forms, &numbers)?),
            };
            numbers[var.index()] = number;
        }
        Ok(numbers)
    }
}

/// The numbers that each variable may be, as far as that is known one by one.
#[derive(Default)]
struct Box {
    of: Vec<(Option<i128>, Option<i128>)>,
}

impl Box {
    /// The least (or greatest, for a negative factor) that a term may be.
    fn extreme(&self, (var, factor): (Var, i128), greatest: bool) -> Option<i128> {
        let &(low, high) = self.of.get(var.index())?;
        if (factor > 0) == greatest { high?.checked_mul(factor) } else { low?.checked_mul(factor) }
    }

    /// Takes from an inequality what it says of each variable; whether that is news.
    fn learn(&mut self, form: &Linear) -> bool {
        // The sum of the greatest values of all terms, without those that have none.
        let mut greatest = form.constant;
        let mut open = None;
        for &(var, factor) in &form.terms {
            match self.extreme((var, factor), true).and_then(|most| greatest.checked_add(most)) {
                Some(sum) => greatest = sum,
                None if open.is_some() => return false,
                None => open = Some(var),
            }
        }
        let mut changed = false;
        for &(var, factor) in form.terms.iter().filter(|term| open.is_none_or(|open| open == term.0)) {
            let own = if open.is_some() { Some(0) } else { self.extreme((var, factor), true) };
            let Some(rest) = own.and_then(|own| greatest.checked_sub(own)) else { continue };
            // factor * var >= -rest
            if self.of.len() <= var.index() {
                self.of.resize(var.index() + 1, (None, None));
            }
            let (low, high) = &mut self.of[var.index()];
            if factor > 0 {
                let bound = -quotient(rest, factor);
                if low.is_none_or(|low| low < bound) {
                    (*low, changed) = (Some(bound), true);
                }
            } else {
                let bound = quotient(rest, -factor);
                if high.is_none_or(|high| high > bound) {
                    (*high, changed) = (Some(bound), true);
                }
            }
        }
        changed
    }

    fn is_empty(&self) -> bool {
        self.of.iter().any(|&(low, high)| low.zip(high).is_some_and(|(low, high)| low > high))
    }

    /// Says whether an inequality holds for all of it.
    fn implies(&self, form: &Linear) -> bool {
        let least = form.terms.iter().try_fold(form.constant, |sum, &term| sum.checked_add(self.extreme(term, false)?));
        least.is_some_and(|least| least >= 0)
    }

    /// The variable with the fewest numbers, if those can be tried.
    fn narrowest(&self) -> Option<(Var, i128, i128)> {
        let widths = (0..).map(Var).zip(&self.of).filter_map(|(var, &(low, high))| Some((var, low?, high?)));
        let narrow = widths.filter(|(_, low, high)| high > low && high - low < MAX_SPLIT);
        narrow.min_by_key(|(_, low, high)| high - low)
    }
}

/// The bounds of a variable, counted, with their largest coefficients.
#[derive(Default)]
struct Bounds {
    n_lower: usize,
    n_upper: usize,
    max_lower: i128,
    max_upper: i128,
}

/// A candidate for elimination, with the measures by which candidates are compared.
struct Elimination {
    var: Var,
    /// True if its shadow is exact.
    exact: bool,
    /// The number of constraints that the elimination adds.
    more: i64,
    /// The size that coefficients reach by it.
    size: i128,
}

/// The number closest to 0 for which the forms are not negative.
fn within(var: Var, forms: &[Linear], numbers: &[i128]) -> Result<i128, TooHard> {
    let (mut low, mut high) = (None, None);
    for form in forms {
        let factor = form.coefficient(var);
        let rest = form.evaluate(&|other| if other == var { 0 } else { numbers[other.index()] })?;
        if factor > 0 {
            // factor * x >= -rest
            let bound = -quotient(rest, factor);
            low = Some(low.map_or(bound, |low: i128| low.max(bound)));
        } else {
            let bound = quotient(rest, -factor);
            high = Some(high.map_or(bound, |high: i128| high.min(bound)));
        }
    }
    debug_assert!(low.is_none_or(|low| high.is_none_or(|high| low <= high)), "{var:?} has no number: {forms:?}");
    Ok(low.unwrap_or(0).max(0).min(high.unwrap_or(i128::MAX)).max(low.unwrap_or(i128::MIN)))
}
