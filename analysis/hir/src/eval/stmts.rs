//! Statements, each for all active lanes.

use std::rc::Rc;

use ir::{Elem, RunCode, Scalar};
use report::TextRange;

use super::StopCode;
use super::machine::{Around, Flow, Lane, Machine, Run, Value};
use super::places::{Cell, Target, Tracker, View};
use super::unsupported::uses_lanes;
use crate::builtins::AttributeId;
use crate::errors::LoweringCode;
use crate::operators;
use crate::ty::Ty;
use crate::{Attr, BinOp, Block, Counted, Expr, ExprId, LocalId, Over, Range, Stmt, StmtId, counted, stands_alone};

/// The number of lanes of a `foreach` that uses lane operations, if `@lanes` does not say.
const DEFAULT_LANES: u32 = 16;

/// The largest number of lanes that `@lanes` can ask for.
const MAX_LANES: i128 = 64;

/// The indices of a range.
#[derive(Debug, Clone, Copy)]
pub(super) struct Steps {
    elem: Elem,
    start: i128,
    step: i128,
    pub(super) count: i128,
}

impl Steps {
    pub(super) fn at(self, n: i128) -> i128 {
        self.start + n * self.step
    }
}

impl Machine<'_> {
    pub(super) fn block(&mut self, block: &Block, active: &[usize]) -> Run<()> {
        for &stmt in block {
            let on = self.with_flow(active, Flow::On);
            if on.is_empty() {
                break;
            }
            let at = self.frame().unit.map.stmts[stmt];
            self.deeper(at, |machine| machine.statement(stmt, &on))?;
        }
        Ok(())
    }

    /// Selects, out of some lanes, those whose control flow state is `flow`.
    fn with_flow(&self, lanes: &[usize], flow: Flow) -> Vec<usize> {
        lanes.iter().copied().filter(|&lane| self.frame().lanes[lane].flow == flow).collect()
    }

    fn set_flow(&mut self, lanes: &[usize], flow: Flow) {
        lanes.iter().for_each(|&lane| self.frame_mut().lanes[lane].flow = flow);
    }

    /// Lets those of some lanes that have left in one way take part again.
    fn rejoin(&mut self, lanes: &[usize], from: Flow) {
        let back = self.with_flow(lanes, from);
        self.set_flow(&back, Flow::On);
    }

    fn statement(&mut self, id: StmtId, active: &[usize]) -> Run<()> {
        let unit = self.frame().unit;
        self.burn(unit.map.stmts[id], active[0])?;
        match &unit.body.stmts[id] {
            Stmt::Define(local, value) => self.define(*local, *value, active),
            Stmt::Assign { target, op, value } => self.assign(*target, *op, *value, active),
            Stmt::Expr(expr) => self.expr(*expr, active).map(drop),
            Stmt::For { index, over: Over::Range(range), body, attrs, .. } => {
                self.for_(id, *index, range, body, attrs, active)
            }
            Stmt::For { over: Over::Elements(array), .. } => Err(self.not_yet(*array, active[0])),
            Stmt::Foreach { indices, body, attrs } => self.foreach(id, indices, body, attrs, active),
            Stmt::While { condition, body, .. } => self.while_(id, *condition, body, active),
            Stmt::If { condition, then_block, else_block, .. } => {
                let (on, off) = self.split(*condition, active)?;
                self.block(then_block, &on)?;
                self.block(else_block, &off)
            }
            Stmt::Break => {
                self.set_flow(active, Flow::Broke);
                Ok(())
            }
            Stmt::Continue => {
                self.set_flow(active, Flow::Continued);
                Ok(())
            }
            Stmt::Return(value) => self.return_(*value, active),
            Stmt::Pass => Ok(()),
            Stmt::Assert(condition) => {
                let (_, off) = self.split(*condition, active)?;
                match off.first() {
                    Some(&lane) => {
                        Err(self.error(RunCode::AssertFailed, self.at(*condition), lane, "this does not hold"))
                    }
                    None => Ok(()),
                }
            }
            Stmt::Broken(..) => {
                Err(self.error(StopCode::HasErrors, unit.map.stmts[id], active[0], "this line was not understood"))
            }
        }
    }

    /// The lanes where a condition holds, and those where it does not.
    pub(super) fn split(&mut self, condition: ExprId, active: &[usize]) -> Run<(Vec<usize>, Vec<usize>)> {
        let values = self.expr(condition, active)?;
        let (mut on, mut off) = (Vec::new(), Vec::new());
        for (&lane, value) in active.iter().zip(&values) {
            if self.scalar(value, condition)?.is_true() { on.push(lane) } else { off.push(lane) }
        }
        Ok((on, off))
    }

    fn define(&mut self, local: LocalId, value: ExprId, active: &[usize]) -> Run<()> {
        let values = self.expr(value, active)?;
        for (&lane, given) in active.iter().zip(values) {
            if let Value::View(view) = &given
                && let Some(message) = self.size_clash(local, view, lane)
            {
                return Err(self.error(RunCode::SizeMismatch, self.at(value), lane, message));
            }
            self.set(local, lane, given);
        }
        self.check_assumed(&[value], active)
    }

    fn assign(&mut self, target: ExprId, op: Option<BinOp>, value: ExprId, active: &[usize]) -> Run<()> {
        let mut values = self.expr(value, active)?;
        let is_array = matches!(self.type_of(target), Ty::Array(..));
        if is_array {
            self.check_assumed(&[value, target], active)?;
        }
        let is_variable = matches!(self.frame().unit.body.exprs[target], Expr::Local(_));
        if op.is_none() && is_variable {
            // A variable names the array from then on.
            let targets = self.targets(target, active)?;
            self.check_rebound(&targets, &values, value, active)?;
            return self.give(&targets, values, target, active);
        }
        // An array that is stored is what it was before anything else happens.
        values = self.copies(values, value, active)?;
        let mut targets = self.targets(target, active)?;
        if let Some(op) = op {
            targets = self.each(active, |machine, n, lane| Ok(machine.named_array(&targets[n], lane)))?;
            let held = self.held(&targets, target, active)?;
            values = self.binary(target, op, Some(value), &[held, values], active)?;
        }
        self.give(&targets, values, target, active)
    }

    /// An array variable that is given another array: one of the size that is written for it.
    fn check_rebound(&self, targets: &[Target], values: &[Value], at: ExprId, active: &[usize]) -> Run<()> {
        for ((target, value), &lane) in targets.iter().zip(values).zip(active) {
            let Target::Local(local) = target else { continue };
            match (value, self.frame().lanes[lane].vars.get(local)) {
                (Value::View(view), _) => {
                    if let Some(message) = self.size_clash(*local, view, lane) {
                        return Err(self.error(RunCode::SizeMismatch, self.at(at), lane, message));
                    }
                }
                (_, Some(Value::View(_))) => {
                    return Err(self.error(StopCode::HasErrors, self.at(at), lane, "there is no array here"));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// The target of `x += e`: for a variable that names an array, the cells of that.
    fn named_array(&self, target: &Target, lane: usize) -> Target {
        match target {
            Target::Local(local) => match self.frame().lanes[lane].vars.get(local) {
                Some(Value::View(view)) => Target::View(view.clone()),
                _ => target.clone(),
            },
            other => other.clone(),
        }
    }

    /// Does something for each active lane.
    pub(super) fn each<T>(
        &mut self,
        active: &[usize],
        mut once: impl FnMut(&mut Self, usize, usize) -> Run<T>,
    ) -> Run<Vec<T>> {
        active.iter().enumerate().map(|(n, &lane)| once(self, n, lane)).collect()
    }

    /// `a op b`, with the place `at` if it fails.
    pub(super) fn operate(&self, op: BinOp, a: Scalar, b: Scalar, at: ExprId, lane: usize) -> Run<Scalar> {
        match operators::binary(op, a, b) {
            Some(result) => self.checked(result, at, lane),
            None => {
                let message = format!("`{}` cannot be run yet", op.text());
                Err(self.error(LoweringCode::NotLoweredYet, self.at(at), lane, message))
            }
        }
    }

    fn return_(&mut self, value: Option<ExprId>, active: &[usize]) -> Run<()> {
        if let Some(value) = value {
            let unit = self.frame().unit;
            let values = self.expr(value, active)?;
            let written = unit.body.result.as_ref().and(unit.types.signature.result.as_ref());
            for (&lane, given) in active.iter().zip(values) {
                if let (Value::View(view), Some(Ty::Array(_, sizes))) = (&given, written)
                    && let Some(message) = self.sizes_clash(sizes, view, lane, "the result")
                {
                    return Err(self.error(RunCode::SizeMismatch, self.at(value), lane, message));
                }
                self.frame_mut().lanes[lane].result = Some(given);
            }
            self.check_assumed(&[value], active)?;
        }
        self.set_flow(active, Flow::Returned);
        Ok(())
    }

    // Loops.

    fn steps(&mut self, range: &Range, active: &[usize]) -> Run<Vec<Steps>> {
        let start = range.start.map(|start| self.expr(start, active)).transpose()?;
        let stops = self.expr(range.stop, active)?;
        let steps = range.step.map(|step| self.expr(step, active)).transpose()?;
        self.each(active, |machine, n, lane| {
            let stop = machine.scalar(&stops[n], range.stop)?;
            let wide = |given: &Option<Vec<Value>>, default: i128| match given.as_ref().map(|values| &values[n]) {
                Some(Value::Scalar(scalar)) => scalar.wide().unwrap_or(default),
                _ => default,
            };
            let (start, step) = (wide(&start, 0), wide(&steps, 1));
            if step == 0 {
                let at = machine.at(range.step.unwrap_or(range.stop));
                return Err(machine.error(RunCode::ZeroStep, at, lane, "a step of 0 never gets anywhere"));
            }
            let span = (stop.wide().unwrap_or(0) - start) * step.signum();
            let count = (span + step.abs() - 1).div_euclid(step.abs()).max(0);
            Ok(Steps { elem: stop.elem(), start, step, count })
        })
    }

    fn enter_loop(&mut self, index: LocalId) {
        let unit = self.frame().unit;
        let values = vec![0; self.frame().lanes.len()];
        self.around.push(Around { name: unit.body.locals[index].name.clone(), values });
    }

    /// Gives a loop's index its value, where `depth` counts the loops from the innermost.
    fn set_index(&mut self, index: LocalId, lane: usize, steps: Steps, turn: i128, depth: usize) {
        let value = steps.at(turn);
        let last = self.around.len() - 1;
        self.around[last - depth].values[lane] = value;
        self.set(index, lane, Value::Scalar(Scalar::wrap(steps.elem, value)));
    }

    fn for_(
        &mut self,
        id: StmtId,
        index: LocalId,
        range: &Range,
        body: &Block,
        attrs: &[Attr],
        active: &[usize],
    ) -> Run<()> {
        let at = self.frame().unit.map.stmts[id];
        let steps = self.steps(range, active)?;
        let mut inside: Vec<_> = active.iter().copied().zip(steps).collect();
        let mut joining = self.joining(attrs, body, active);
        self.enter_loop(index);
        for turn in 0.. {
            inside.retain(|&(lane, steps)| turn < steps.count && self.frame().lanes[lane].flow == Flow::On);
            if inside.is_empty() {
                break;
            }
            inside.iter().for_each(|&(lane, steps)| self.set_index(index, lane, steps, turn, 0));
            self.burn(at, inside[0].0)?;
            let lanes: Vec<_> = inside.iter().map(|&(lane, _)| lane).collect();
            self.start_elements(&joining);
            self.block(body, &lanes)?;
            self.rejoin(&lanes, Flow::Continued);
            self.join_elements(&mut joining, turn, range.stop)?;
        }
        self.join_partials(joining, range.stop)?;
        self.rejoin(active, Flow::Broke);
        self.around.pop();
        Ok(())
    }

    /// Checks that the variable that a `while` counts with is an integer, and a signed one if it falls.
    fn counts(&self, counted: &Counted, lane: usize) -> bool {
        match self.frame().lanes[lane].vars.get(&counted.index) {
            Some(Value::Scalar(scalar)) => scalar.elem().is_integer() && (counted.rises || scalar.elem().is_signed()),
            _ => false,
        }
    }

    /// Says by a variable's value in which iteration of the innermost loop a lane is.
    fn name_iteration(&mut self, index: LocalId, lane: usize) {
        let value = match self.frame().lanes[lane].vars.get(&index) {
            Some(Value::Scalar(scalar)) => scalar.wide().unwrap_or_default(),
            _ => 0,
        };
        if let Some(around) = self.around.last_mut() {
            around.values[lane] = value;
        }
    }

    fn while_(&mut self, id: StmtId, condition: ExprId, body: &Block, active: &[usize]) -> Run<()> {
        let unit = self.frame().unit;
        let at = unit.map.stmts[id];
        let alone = self.frames.len() == 1 && stands_alone(&unit.body, id);
        let counted = counted(&unit.body, condition, body, alone);
        let mut inside = active.to_vec();
        loop {
            self.burn(at, inside[0])?;
            let counts = counted.filter(|counted| self.counts(counted, inside[0]));
            let index = counts.map(|counted| counted.index);
            // Of one that counts an iteration has begun when its count is in range; what else is asked is asked in there.
            let parts = counts.map_or_else(|| vec![condition], |counted| counted.parts(&unit.body, condition));
            inside = self.split(parts[0], &inside)?.0;
            if inside.is_empty() {
                break;
            }
            if let Some(index) = index {
                self.enter_loop(index);
                inside.iter().for_each(|&lane| self.name_iteration(index, lane));
            }
            for &part in &parts[1..] {
                if inside.is_empty() {
                    break;
                }
                inside = self.split(part, &inside)?.0;
            }
            self.block(body, &inside)?;
            if index.is_some() {
                self.around.pop();
            }
            self.rejoin(&inside, Flow::Continued);
            inside = self.with_flow(&inside, Flow::On);
            if inside.is_empty() {
                break;
            }
        }
        self.rejoin(active, Flow::Broke);
        Ok(())
    }

    fn foreach(
        &mut self,
        id: StmtId,
        indices: &[(LocalId, Range)],
        body: &Block,
        attrs: &[Attr],
        active: &[usize],
    ) -> Run<()> {
        let unit = self.frame().unit;
        let at = unit.map.stmts[id];
        // The steps of each lane: of the first one only, where no lanes run together.
        let mut steps = vec![Vec::new(); self.frame().lanes.len()];
        for (_, range) in indices {
            for (&lane, own) in active.iter().zip(self.steps(range, active)?) {
                steps[lane].push(own);
            }
        }
        let names = indices.iter().map(|&(index, _)| unit.body.locals[index].name.clone()).collect();
        self.trackers.push(Tracker::new(self.n_arrays, names, steps.clone()));
        indices.iter().for_each(|&(index, _)| self.enter_loop(index));
        let loops = Loops { at, indices, steps: &steps[0], body };
        match (self.width, uses_lanes(self.program, unit, body)) {
            (None, true) => {
                let lanes = self.lanes_of(attrs);
                self.in_groups(&loops, lanes)?;
            }
            (None, false) => self.in_order(&loops)?,
            (Some(_), false) => self.in_each_lane(&loops, &steps, active)?,
            (Some(_), true) => {
                let message = "a `foreach` with lane operations in another one with such cannot be run yet";
                return Err(self.error(LoweringCode::NotLoweredYet, at, active[0], message));
            }
        }
        self.around.truncate(self.around.len() - indices.len());
        self.trackers.pop();
        Ok(())
    }

    /// Returns the number of lanes that run together, by the attributes of a loop and its item.
    fn lanes_of(&self, attrs: &[Attr]) -> u32 {
        let unit = self.frame().unit;
        let said = attrs.iter().chain(&unit.body.attrs).find(|attr| attr.id == AttributeId::Lanes);
        let value = said.and_then(|attr| unit.types.values.get(attr.args.first()?));
        value.and_then(|lanes| lanes.wide()).map_or(DEFAULT_LANES, |lanes| lanes.clamp(1, MAX_LANES) as u32)
    }

    fn in_order(&mut self, loops: &Loops) -> Run<()> {
        let counts: Vec<_> = loops.steps.iter().map(|steps| steps.count).collect();
        let mut turns = vec![0; counts.len()];
        let mut iteration = 0;
        let mut more = counts.iter().all(|&count| count > 0);
        while more {
            self.begin(loops, &turns, 0);
            self.tracker().current = vec![iteration];
            self.burn(loops.at, 0)?;
            self.block(loops.body, &[0])?;
            self.rejoin(&[0], Flow::Continued);
            iteration += 1;
            more = advance(&mut turns, &counts, 1);
        }
        Ok(())
    }

    /// Each lane goes through all of its iterations, in step with the others.
    fn in_each_lane(&mut self, loops: &Loops, steps: &[Vec<Steps>], active: &[usize]) -> Run<()> {
        let counts = |lane: usize| steps[lane].iter().map(|steps| steps.count).collect::<Vec<_>>();
        let mut inside: Vec<(usize, Vec<i128>)> =
            active.iter().map(|&lane| (lane, vec![0; loops.indices.len()])).collect();
        inside.retain(|&(lane, _)| counts(lane).iter().all(|&count| count > 0));
        let mut iteration = 0;
        while let Some(&(first, _)) = inside.first() {
            for (lane, turns) in &inside {
                self.begin(&Loops { steps: &steps[*lane], ..*loops }, turns, *lane);
            }
            self.tracker().current = vec![iteration; steps.len()];
            self.burn(loops.at, first)?;
            let lanes: Vec<_> = inside.iter().map(|&(lane, _)| lane).collect();
            self.block(loops.body, &lanes)?;
            self.rejoin(&lanes, Flow::Continued);
            iteration += 1;
            inside.retain_mut(|(lane, turns)| advance(turns, &counts(*lane), 1));
        }
        Ok(())
    }

    /// Gives the indices their values for one iteration.
    fn begin(&mut self, loops: &Loops, turns: &[i128], lane: usize) {
        for (n, ((&(index, _), &steps), &turn)) in loops.indices.iter().zip(loops.steps).zip(turns).enumerate() {
            self.set_index(index, lane, steps, turn, turns.len() - 1 - n);
        }
    }

    fn tracker(&mut self) -> &mut Tracker {
        self.trackers.last_mut().expect("a foreach is being run")
    }

    fn in_groups(&mut self, loops: &Loops, width: u32) -> Run<()> {
        let counts: Vec<_> = loops.steps.iter().map(|steps| steps.count).collect();
        let last = counts.len() - 1;
        let mut turns = vec![0; counts.len()];
        let mut iteration = 0;
        let mut more = counts.iter().all(|&count| count > 0);
        let outside = self.frame().lanes[0].clone();
        for _ in &counts {
            let around = self.around.len();
            let depth = counts.len();
            self.around[around - depth..].iter_mut().for_each(|around| around.values = vec![0; width as usize]);
        }
        self.width = Some(width);
        while more {
            let n_active = (counts[last] - turns[last]).min(i128::from(width)) as usize;
            self.frame_mut().lanes = vec![Lane { flow: Flow::On, ..outside.clone() }; width as usize];
            for lane in 0..n_active {
                let mut own = turns.clone();
                own[last] += lane as i128;
                self.begin(loops, &own, lane);
            }
            self.tracker().current = (0..width as i128).map(|lane| iteration + lane).collect();
            self.burn(loops.at, 0)?;
            let active: Vec<_> = (0..n_active).collect();
            self.block(loops.body, &active)?;
            iteration += n_active as i128;
            more = advance(&mut turns, &counts, width.into());
        }
        self.width = None;
        self.frame_mut().lanes = vec![outside];
        Ok(())
    }
}

/// A `foreach` that is being run.
struct Loops<'a> {
    at: TextRange,
    indices: &'a [(LocalId, Range)],
    steps: &'a [Steps],
    body: &'a Block,
}

/// Goes on by some iterations along the last index, else to the next of the one before; says whether there was one.
fn advance(turns: &mut [i128], counts: &[i128], by: i128) -> bool {
    let mut by = by;
    for (turn, &count) in turns.iter_mut().zip(counts).rev() {
        *turn += by;
        if *turn < count {
            return true;
        }
        *turn = 0;
        by = 1;
    }
    false
}

/// The old and new values of targets: one for each active lane, all of one kind.
impl Machine<'_> {
    fn held(&mut self, targets: &[Target], at: ExprId, active: &[usize]) -> Run<Vec<Value>> {
        if let Some(cells) = cells(targets) {
            return self.load(&cells, at, active);
        }
        self.each(active, |machine, n, lane| match &targets[n] {
            Target::Local(local) => machine.local(*local, at, lane),
            Target::Field(local, field) => match machine.local(*local, at, lane)? {
                Value::Struct(fields) => Ok(Value::Scalar(fields[*field])),
                _ => Err(machine.no_struct(at, lane)),
            },
            Target::View(view) => Ok(Value::View(view.clone())),
            Target::Cell(_) => unreachable!("all targets are of one kind"),
        })
    }

    fn give(&mut self, targets: &[Target], values: Vec<Value>, at: ExprId, active: &[usize]) -> Run<()> {
        if let Some(cells) = cells(targets) {
            return self.store(&cells, &values, at, active);
        }
        if let Some(views) = views(targets) {
            return self.store_all(&views, &values, at, active);
        }
        for ((&lane, target), value) in active.iter().zip(targets).zip(values) {
            match *target {
                Target::Local(local) => self.set(local, lane, value),
                Target::Field(local, field) => {
                    let new = self.scalar(&value, at)?;
                    let Value::Struct(fields) = self.local(local, at, lane)? else {
                        return Err(self.no_struct(at, lane));
                    };
                    let fields = fields.iter().enumerate().map(|(n, &old)| if n == field { new } else { old });
                    let changed = fields.collect::<Rc<[_]>>();
                    self.set(local, lane, Value::Struct(changed));
                }
                Target::Cell(_) | Target::View(_) => unreachable!("all targets are of one kind"),
            }
        }
        Ok(())
    }

    fn no_struct(&self, at: ExprId, lane: usize) -> Box<super::Error> {
        self.error(StopCode::HasErrors, self.at(at), lane, "there is no struct here")
    }
}

/// The cells that targets are, if they are cells.
fn cells(targets: &[Target]) -> Option<Vec<Cell>> {
    let cell = |target: &Target| match target {
        Target::Cell(cell) => Some(cell.clone()),
        _ => None,
    };
    targets.iter().map(cell).collect()
}

/// The arrays, rows or slices that targets are, if they are such.
fn views(targets: &[Target]) -> Option<Vec<Rc<View>>> {
    let view = |target: &Target| match target {
        Target::View(view) => Some(view.clone()),
        _ => None,
    };
    targets.iter().map(view).collect()
}
