//! Systems: a formula that grows, over variables of its own, and the search among its alternatives.

use super::formula::Formula;
use super::linear::{Linear, Var};
use super::solve::{Conjunction, solve};
use super::{Budget, TooHard};

/// A system of constraints on variables.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct System {
    n_vars: u32,
    certain: Conjunction,
    /// Alternatives that are still open: of each list, at least one formula holds.
    choices: Vec<Vec<Formula>>,
}

/// A number for each variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Model {
    numbers: Vec<i128>,
}

impl Model {
    /// Returns the number that a variable has in the model.
    pub fn number(&self, var: Var) -> i128 {
        self.numbers.get(var.index()).copied().unwrap_or(0)
    }

    /// Returns the value that a form has in the model.
    pub fn value(&self, form: &Linear) -> Result<i128, TooHard> {
        form.evaluate(&|var| self.number(var))
    }

    /// Says whether a formula holds.
    pub fn satisfies(&self, formula: &Formula) -> Result<bool, TooHard> {
        formula.holds(&|var| self.number(var))
    }
}

impl System {
    /// No variables, and nothing known.
    pub fn new() -> System {
        System::default()
    }

    /// A variable that nothing is known about.
    pub fn var(&mut self) -> Var {
        self.n_vars += 1;
        Var(self.n_vars - 1)
    }

    /// Adds a formula that has to hold.
    pub fn require(&mut self, formula: Formula) {
        match formula {
            Formula::Zero(form) => self.certain.zero.push(form),
            Formula::NotNegative(form) => self.certain.not_negative.push(form),
            Formula::All(parts) => parts.into_iter().for_each(|part| self.require(part)),
            Formula::Any(mut parts) if parts.len() == 1 => self.require(parts.remove(0)),
            Formula::Any(parts) => self.choices.push(parts),
        }
    }

    /// The system with one constraint more.
    pub fn with(&self, formula: Formula) -> System {
        let mut system = self.clone();
        system.require(formula);
        system
    }

    /// Numbers for which all holds; none if there are none.
    pub fn solve(&self, budget: &mut Budget) -> Result<Option<Model>, TooHard> {
        match budget.answers {
            Some(answers) => answers.get_or_find(self, budget, |budget| self.find(budget)),
            None => self.find(budget),
        }
    }

    fn find(&self, budget: &mut Budget) -> Result<Option<Model>, TooHard> {
        // An alternative that holds by chance needs no decision, so the rest is asked first.
        budget.spend(1 + self.choices.len())?;
        let Some(numbers) = solve(&self.certain, self.n_vars, budget)? else { return Ok(None) };
        let model = Model { numbers };
        let mut open = None;
        for (number, choice) in self.choices.iter().enumerate() {
            let mut held = false;
            for part in choice {
                held = held || model.satisfies(part)?;
            }
            if !held {
                open = Some(number);
                break;
            }
        }
        let Some(open) = open else { return Ok(Some(model)) };
        let mut rest = self.clone();
        for part in rest.choices.remove(open) {
            if let Some(model) = rest.with(part).find(budget)? {
                return Ok(Some(model));
            }
        }
        Ok(None)
    }

    /// The solution for which a form is least, if it is known to be at least `bound`.
    pub fn least(&self, form: &Linear, bound: i128, budget: &mut Budget) -> Result<Option<Model>, TooHard> {
        let at_most = |limit: i128| Formula::at_most(form, &Linear::constant(limit));
        // Most often the bound is reached.
        if let Some(model) = self.with(at_most(bound)?).solve(budget)? {
            return Ok(Some(model));
        }
        let Some(mut best) = self.solve(budget)? else { return Ok(None) };
        let mut below = bound;
        // Solutions exist at `best` and none at or under `below`.
        while best.value(form)? > below + 1 {
            let middle = below + (best.value(form)? - below) / 2;
            match self.with(at_most(middle)?).solve(budget)? {
                Some(model) => best = model,
                None => below = middle,
            }
        }
        Ok(Some(best))
    }
}
