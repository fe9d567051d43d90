//! Running random programs, four lanes in lock step.

use fastrand::Rng;

use super::program::{Expr, N_PARAMS, Name, Stmt};

pub(crate) const LANES: usize = 4;
const ALL: u8 = (1 << LANES) - 1;

type Values = [i32; LANES];

/// A watched expression in a run: its number, the lanes that ran, and their values. Of a load the subscripts, too.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Observed {
    pub(crate) nth: usize,
    pub(crate) mask: u8,
    pub(crate) values: Values,
    pub(crate) index: Option<Values>,
}

#[derive(Default)]
struct Jumped {
    breaks: u8,
    continues: u8,
    returns: u8,
}

pub(crate) struct Machine {
    lanes: Vec<Values>,
    uniforms: [i32; N_PARAMS],
    /// A variable that is uniform in this run: whoever sets it sets it for all.
    uniform: Vec<usize>,
    fuel: u32,
    pub(crate) observed: Vec<Observed>,
}

/// Runs a program for some random data.
pub(crate) fn run(program: &[Stmt], n_variables: usize, uniform: &[usize], seed: u64) -> Machine {
    let mut rng = Rng::with_seed(seed);
    let lanes = (0..n_variables).map(|_| [(); LANES].map(|()| rng.i32(-3..8))).collect();
    let uniforms = [(); N_PARAMS].map(|()| rng.i32(-2..6));
    let mask = rng.u8(1..=ALL);
    let mut machine = Machine { lanes, uniforms, uniform: uniform.to_vec(), fuel: 3_000, observed: Vec::new() };
    machine.block(program, mask, &mut Jumped::default());
    machine
}

fn has(mask: u8, lane: usize) -> bool {
    mask & (1 << lane) != 0
}

fn chosen(values: Values, mask: u8) -> u8 {
    (0..LANES).filter(|lane| has(mask, *lane) && values[*lane] != 0).fold(0, |all, lane| all | 1 << lane)
}

impl Machine {
    fn block(&mut self, block: &[Stmt], mut mask: u8, jumped: &mut Jumped) -> u8 {
        for stmt in block {
            if mask == 0 || self.fuel == 0 {
                break;
            }
            self.fuel -= 1;
            mask = self.stmt(stmt, mask, jumped);
        }
        mask
    }

    fn stmt(&mut self, stmt: &Stmt, mask: u8, jumped: &mut Jumped) -> u8 {
        match stmt {
            Stmt::Declare(variable, value) => {
                if let Some(value) = value {
                    // A variable starts with its value in all lanes.
                    let values = self.eval(value, mask);
                    self.set(Name::Lanes(*variable), values, ALL, mask);
                }
                mask
            }
            Stmt::Assign(name, operator, value) => {
                let value = self.eval(value, mask);
                let old = self.values(*name);
                let new = match *operator {
                    "+=" => self.zip(old, value, mask, i32::checked_add, i32::wrapping_add),
                    "-=" => self.zip(old, value, mask, i32::checked_sub, i32::wrapping_sub),
                    _ => value,
                };
                self.set(*name, new, mask, mask);
                mask
            }
            Stmt::Step(name) => {
                let new = self.zip(self.values(*name), [1; LANES], mask, i32::checked_add, i32::wrapping_add);
                self.set(*name, new, mask, mask);
                mask
            }
            Stmt::Watch(nth, expr) => {
                let index = match expr {
                    Expr::Load(index) => Some(self.eval(index, mask)),
                    _ => None,
                };
                let values = self.eval(expr, mask);
                if self.fuel > 0 {
                    self.observed.push(Observed { nth: *nth, mask, values, index });
                }
                mask
            }
            Stmt::If(condition, yes, no) => {
                let yes_mask = chosen(self.eval(condition, mask), mask);
                self.block(yes, yes_mask, jumped) | self.block(no, mask & !yes_mask, jumped)
            }
            Stmt::While(condition, body) => self.rounds(Some(condition), body, None, None, mask, jumped),
            Stmt::Do(body, condition) => self.rounds(None, body, None, Some(condition), mask, jumped),
            Stmt::For(variable, from, to, body) => {
                let from = self.eval(from, mask);
                self.set(Name::Lanes(*variable), from, ALL, mask);
                let name = Name::Lanes(*variable);
                let condition = Expr::Binary("<", Box::new(Expr::Variable(name)), Box::new(to.clone()));
                self.rounds(Some(&condition), body, Some(name), None, mask, jumped)
            }
            Stmt::Foreach(variable, from, to, body) => {
                let (mut at, to) = (self.eval(from, mask)[0], self.eval(to, mask)[0]);
                while at < to && self.fuel > 0 {
                    self.fuel -= 1;
                    self.lanes[*variable] = std::array::from_fn(|lane| at.wrapping_add(lane as i32));
                    let group = (0..LANES).filter(|lane| at.saturating_add(*lane as i32) < to);
                    let group = group.fold(0, |all, lane| all | 1 << lane);
                    self.block(body, group, &mut Jumped::default());
                    at = at.saturating_add(LANES as i32);
                }
                mask
            }
            Stmt::Switch(over, cases) => self.switch(over, cases, mask, jumped),
            Stmt::Unmasked(body) => {
                self.block(body, ALL, &mut Jumped::default());
                mask
            }
            Stmt::Active(body) => {
                for lane in (0..LANES).filter(|lane| has(mask, *lane)) {
                    self.block(body, 1 << lane, &mut Jumped::default());
                }
                mask
            }
            Stmt::Block(body) => self.block(body, mask, jumped),
            Stmt::Break => {
                jumped.breaks |= mask;
                0
            }
            Stmt::Continue => {
                jumped.continues |= mask;
                0
            }
            Stmt::Return => {
                jumped.returns |= mask;
                0
            }
        }
    }

    fn rounds(
        &mut self,
        before: Option<&Expr>,
        body: &[Stmt],
        step: Option<Name>,
        behind: Option<&Expr>,
        mask: u8,
        jumped: &mut Jumped,
    ) -> u8 {
        let (mut active, mut left) = (mask, 0);
        while active != 0 && self.fuel > 0 {
            self.fuel -= 1;
            if let Some(condition) = before {
                let stays = chosen(self.eval(condition, active), active);
                left |= active & !stays;
                active = stays;
            }
            let mut own = Jumped::default();
            active = self.block(body, active, &mut own) | own.continues;
            left |= own.breaks;
            jumped.returns |= own.returns;
            if let Some(name) = step.filter(|_| active != 0) {
                self.stmt(&Stmt::Step(name), active, jumped);
            }
            if let Some(condition) = behind.filter(|_| active != 0) {
                let stays = chosen(self.eval(condition, active), active);
                left |= active & !stays;
                active = stays;
            }
        }
        left
    }

    fn switch(&mut self, over: &Expr, cases: &[(Option<i32>, Vec<Stmt>)], mask: u8, jumped: &mut Jumped) -> u8 {
        let over = self.eval(over, mask);
        let labels: Vec<i32> = cases.iter().filter_map(|(label, _)| *label).collect();
        let (mut current, mut entered) = (0, 0);
        let mut own = Jumped::default();
        for (label, body) in cases {
            let is_here = |value: i32| label.map_or(!labels.contains(&value), |label| label == value);
            let here = (0..LANES).filter(|lane| has(mask, *lane) && is_here(over[*lane]));
            let here = here.fold(0, |all, lane| all | 1 << lane);
            entered |= here;
            current = self.block(body, current | here, &mut own);
        }
        jumped.continues |= own.continues;
        jumped.returns |= own.returns;
        current | own.breaks | (mask & !entered)
    }

    fn values(&self, name: Name) -> Values {
        match name {
            Name::Lanes(variable) => self.lanes[variable],
            Name::Uniform(nth) => [self.uniforms[nth]; LANES],
        }
    }

    /// Sets a variable in some lanes; what is uniform gets the value of a lane that runs.
    fn set(&mut self, name: Name, values: Values, lanes: u8, running: u8) {
        let first = values[running.trailing_zeros() as usize];
        match name {
            Name::Uniform(nth) => self.uniforms[nth] = first,
            Name::Lanes(variable) if self.uniform.contains(&variable) => self.lanes[variable] = [first; LANES],
            Name::Lanes(variable) => {
                for lane in (0..LANES).filter(|lane| has(lanes, *lane)) {
                    self.lanes[variable][lane] = values[lane];
                }
            }
        }
    }

    /// An operation in all lanes. What is not defined for a lane that runs ends the run.
    fn zip(
        &mut self,
        one: Values,
        other: Values,
        mask: u8,
        checked: fn(i32, i32) -> Option<i32>,
        wrapping: fn(i32, i32) -> i32,
    ) -> Values {
        let is_defined = |lane: usize| !has(mask, lane) || checked(one[lane], other[lane]).is_some();
        if !(0..LANES).all(is_defined) {
            self.fuel = 0;
        }
        std::array::from_fn(|lane| wrapping(one[lane], other[lane]))
    }

    fn eval(&mut self, expr: &Expr, mask: u8) -> Values {
        match expr {
            Expr::Number(number) => [*number; LANES],
            Expr::ProgramIndex => std::array::from_fn(|lane| lane as i32),
            Expr::Variable(name) => self.values(*name),
            Expr::Choose(condition, yes, no) => {
                let (condition, yes, no) = (self.eval(condition, mask), self.eval(yes, mask), self.eval(no, mask));
                std::array::from_fn(|lane| if condition[lane] != 0 { yes[lane] } else { no[lane] })
            }
            Expr::Load(index) => {
                let index = self.eval(index, mask);
                index.map(|index| (index.wrapping_mul(0x9E37_79B1_u32 as i32) >> 27).wrapping_add(4))
            }
            Expr::Binary(operator, left, right) => {
                let (left, right) = (self.eval(left, mask), self.eval(right, mask));
                let lanes = |of: &dyn Fn(i32, i32) -> i32| std::array::from_fn(|lane| of(left[lane], right[lane]));
                match *operator {
                    "+" => self.zip(left, right, mask, i32::checked_add, i32::wrapping_add),
                    "-" => self.zip(left, right, mask, i32::checked_sub, i32::wrapping_sub),
                    "*" => self.zip(left, right, mask, i32::checked_mul, i32::wrapping_mul),
                    "<<" => lanes(&|a, b| a.wrapping_shl(b as u32)),
                    "%" => lanes(&|a, b| a.wrapping_rem(b)),
                    "&" => lanes(&|a, b| a & b),
                    "<" => lanes(&|a, b| i32::from(a < b)),
                    "==" => lanes(&|a, b| i32::from(a == b)),
                    "&&" => lanes(&|a, b| i32::from(a != 0 && b != 0)),
                    "||" => lanes(&|a, b| i32::from(a != 0 || b != 0)),
                    other => unreachable!("no operator {other}"),
                }
            }
        }
    }
}
