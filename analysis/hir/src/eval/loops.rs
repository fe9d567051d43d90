//! Loops, each for all active lanes.

use std::rc::Rc;

use ir::interp::ErrorKind;
use ir::{Elem, Scalar};
use report::TextRange;
use rustc_hash::FxHashSet;

use super::collections::Columns;
use super::machine::{Around, Flow, Lane, Machine, Run, Value};
use super::places::Tracker;
use super::rules::uses_lanes;
use crate::builtins::AttributeId;
use crate::rules::BrokenRule;
use crate::{AttributeUse, Block, Counted, ExprId, LocalId, LoopPlaces, Range, StmtId, counted, updated_outside};

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

/// The iterations of a `for`, in each lane.
pub(super) enum Iterations {
    Range(Vec<Steps>),
    Elements(Columns),
}

impl Iterations {
    /// The number of iterations of an active lane.
    fn count(&self, n: usize) -> i128 {
        match self {
            Iterations::Range(steps) => steps[n].count,
            Iterations::Elements(columns) => columns.counts[n].into(),
        }
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
fn advance(iterations: &mut [i128], counts: &[i128], by: i128) -> bool {
    let mut by = by;
    for (iteration, &count) in iterations.iter_mut().zip(counts).rev() {
        *iteration += by;
        if *iteration < count {
            return true;
        }
        *iteration = 0;
        by = 1;
    }
    false
}

impl Machine<'_> {
    pub(super) fn steps(&mut self, range: &Range, active: &[usize]) -> Run<Vec<Steps>> {
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
                return Err(machine.fault(ErrorKind::ZeroStep, at, lane));
            }
            let span = (stop.wide().unwrap_or(0) - start) * step.signum();
            let count = (span + step.abs() - 1).div_euclid(step.abs()).max(0);
            Ok(Steps { elem: stop.elem(), start, step, count })
        })
    }

    fn enter_loop(&mut self, index: LocalId) {
        let unit = self.frame().unit;
        let values = vec![0; self.frame().lanes.len()];
        self.around.push(Around { name: unit.body.index_name(index), values });
    }

    /// Gives a loop's index its value, where `depth` counts the loops from the innermost.
    fn set_index(&mut self, index: LocalId, lane: usize, steps: Steps, iteration: i128, depth: usize) {
        let value = steps.at(iteration);
        let last = self.around.len() - 1;
        self.around[last - depth].values[lane] = value;
        self.set(index, lane, Value::Scalar(Scalar::wrap(steps.elem, value)));
    }

    pub(super) fn for_(
        &mut self,
        id: StmtId,
        index: LocalId,
        (iterations, over): (&Iterations, ExprId),
        body: &Block,
        attrs: &[AttributeUse],
        active: &[usize],
    ) -> Run<()> {
        let at = self.frame().unit.map.stmts[id];
        let mut inside: Vec<usize> = (0..active.len()).collect();
        let mut joining = self.joining(id, attrs, body, active);
        let n_running = self.start_running(attrs, id, active);
        self.enter_loop(index);
        for iteration in 0.. {
            inside.retain(|&n| iteration < iterations.count(n) && self.frame().lanes[active[n]].flow == Flow::On);
            if inside.is_empty() {
                break;
            }
            let lanes: Vec<_> = inside.iter().map(|&n| active[n]).collect();
            match iterations {
                Iterations::Range(steps) => {
                    inside.iter().for_each(|&n| self.set_index(index, active[n], steps[n], iteration, 0));
                }
                Iterations::Elements(columns) => self.set_element(index, columns, over, &inside, iteration, &lanes)?,
            }
            self.burn(at, lanes[0])?;
            self.start_elements(&joining);
            self.block(body, &lanes)?;
            self.rejoin(&lanes, Flow::Continued);
            self.join_elements(&mut joining, iteration, over)?;
        }
        self.join_partials(joining, over)?;
        self.running.truncate(n_running);
        self.rejoin(active, Flow::Broke);
        self.around.pop();
        Ok(())
    }

    /// The elements, or rows, that a loop goes over, in each lane.
    pub(super) fn iterations_of(&mut self, array: ExprId, active: &[usize]) -> Run<Iterations> {
        let arrays = self.expr(array, active)?;
        self.columns(array, &[arrays], active).map(Iterations::Elements)
    }

    /// Gives a loop's element its value. The iteration is named by the number of the element.
    fn set_element(
        &mut self,
        local: LocalId,
        columns: &Columns,
        array: ExprId,
        inside: &[usize],
        iteration: i128,
        lanes: &[usize],
    ) -> Run<()> {
        if let Some(around) = self.around.last_mut() {
            lanes.iter().for_each(|&lane| around.values[lane] = iteration);
        }
        let elements = self.elements(array, columns, inside, iteration as i64, lanes)?;
        for (&lane, element) in lanes.iter().zip(&elements[0]) {
            self.set(local, lane, element.clone());
        }
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

    pub(super) fn while_(&mut self, id: StmtId, condition: ExprId, body: &Block, active: &[usize]) -> Run<()> {
        let unit = self.frame().unit;
        let at = unit.map.stmts[id];
        let alone = self.frames.len() == 1 && LoopPlaces::of(&unit.body).stands_alone(id);
        let counted = counted(&unit.body, condition, body, alone);
        let mut inside = active.to_vec();
        loop {
            self.burn(at, inside[0])?;
            let counts = counted.filter(|counted| self.counts(counted, inside[0]));
            let index = counts.map(|counted| counted.index);
            // A counted loop has begun an iteration when its count is in range; any further condition is a way out inside of that.
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

    pub(super) fn foreach(
        &mut self,
        id: StmtId,
        indices: &[(LocalId, Range)],
        body: &Block,
        attrs: &[AttributeUse],
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
        let names = indices.iter().map(|&(index, _)| unit.body.index_name(index)).collect();
        self.trackers.push(Tracker::new(self.n_arrays, names, steps.clone()));
        indices.iter().for_each(|&(index, _)| self.enter_loop(index));
        let loops = Loops { at, indices, steps: &steps[0], body };
        // Each lane keeps the order of its own sums, whatever the item says.
        let reassoc = std::mem::replace(&mut self.frame_mut().reassoc, false);
        match (self.width, uses_lanes(self.program, unit, body)) {
            (None, true) => {
                let lanes = self.lanes_of(attrs);
                self.in_groups(&loops, lanes)?;
            }
            (_, false) => self.in_each_lane(&loops, &steps, active)?,
            (Some(_), true) => {
                let rule = BrokenRule::LanesInLanes;
                return Err(self.error(rule.code(), at, active[0], rule.message()));
            }
        }
        self.frame_mut().reassoc = reassoc;
        self.around.truncate(self.around.len() - indices.len());
        self.trackers.pop();
        Ok(())
    }

    /// Returns the number of lanes that run together, by the attributes of a loop and its item.
    fn lanes_of(&self, attrs: &[AttributeUse]) -> u32 {
        let unit = self.frame().unit;
        let said = attrs.iter().chain(&unit.body.attrs).find(|attr| attr.id == AttributeId::Lanes);
        let value = said.and_then(|attr| unit.types.values.get(attr.args.first()?));
        value.and_then(|lanes| lanes.wide()).map_or(DEFAULT_LANES, |lanes| lanes.clamp(1, MAX_LANES) as u32)
    }

    /// The loops over the ranges, one inside of the other. Each lane goes through all of its iterations, in step with the others.
    fn in_each_lane(&mut self, loops: &Loops, steps: &[Vec<Steps>], active: &[usize]) -> Run<()> {
        self.tracker().current = vec![0; steps.len()];
        let mut iterations = vec![vec![0; loops.indices.len()]; steps.len()];
        self.along(loops, steps, 0, active, &mut iterations)
    }

    /// The loop over the range at a depth, with those inside of it.
    fn along(
        &mut self,
        loops: &Loops,
        steps: &[Vec<Steps>],
        depth: usize,
        active: &[usize],
        iterations: &mut [Vec<i128>],
    ) -> Run<()> {
        let at = loops.indices[depth].1.stop;
        // Sums in the prelude's own functions keep their order, so that these have the same bits everywhere.
        let joins = !self.frame().unit.key.in_prelude();
        let mut joining = if joins { self.joining_always(loops.body, active) } else { Vec::new() };
        let mut inside = active.to_vec();
        for iteration in 0.. {
            inside.retain(|&lane| iteration < steps[lane][depth].count);
            if inside.is_empty() {
                break;
            }
            inside.iter().for_each(|&lane| iterations[lane][depth] = iteration);
            self.start_elements(&joining);
            if depth + 1 < loops.indices.len() {
                self.along(loops, steps, depth + 1, &inside, iterations)?;
            } else {
                self.one_iteration(loops, steps, &inside, iterations)?;
            }
            self.join_elements(&mut joining, iteration, at)?;
        }
        self.join_partials(joining, at)
    }

    /// One iteration in each of some lanes.
    fn one_iteration(
        &mut self,
        loops: &Loops,
        steps: &[Vec<Steps>],
        inside: &[usize],
        iterations: &[Vec<i128>],
    ) -> Run<()> {
        for &lane in inside {
            self.begin(&Loops { steps: &steps[lane], ..*loops }, &iterations[lane], lane);
            let parts = steps[lane].iter().zip(&iterations[lane]);
            self.tracker().current[lane] = parts.fold(0, |number, (steps, iteration)| number * steps.count + iteration);
        }
        self.burn(loops.at, inside[0])?;
        self.block(loops.body, inside)?;
        self.rejoin(inside, Flow::Continued);
        Ok(())
    }

    /// Gives the indices their values for one iteration.
    fn begin(&mut self, loops: &Loops, iterations: &[i128], lane: usize) {
        for (n, ((&(index, _), &steps), &iteration)) in
            loops.indices.iter().zip(loops.steps).zip(iterations).enumerate()
        {
            self.set_index(index, lane, steps, iteration, iterations.len() - 1 - n);
        }
    }

    fn tracker(&mut self) -> &mut Tracker {
        self.trackers.last_mut().expect("a foreach is being run")
    }

    fn in_groups(&mut self, loops: &Loops, width: u32) -> Run<()> {
        let counts: Vec<_> = loops.steps.iter().map(|steps| steps.count).collect();
        let last = counts.len() - 1;
        let mut iterations = vec![0; counts.len()];
        let mut iteration = 0;
        let mut more = counts.iter().all(|&count| count > 0);
        let mut outside = self.frame().lanes[0].clone();
        let updated = updated_outside(&self.frame().unit.body, loops.body);
        let shared: Rc<FxHashSet<LocalId>> = Rc::new(updated.into_iter().map(|(local, _)| local).collect());
        let around = std::mem::replace(&mut self.frame_mut().shared, shared.clone());
        for _ in &counts {
            let around = self.around.len();
            let depth = counts.len();
            self.around[around - depth..].iter_mut().for_each(|around| around.values = vec![0; width as usize]);
        }
        self.width = Some(width);
        while more {
            let n_active = (counts[last] - iterations[last]).min(i128::from(width)) as usize;
            self.frame_mut().lanes = vec![Lane { flow: Flow::On, ..outside.clone() }; width as usize];
            for lane in 0..n_active {
                let mut own = iterations.clone();
                own[last] += lane as i128;
                self.begin(loops, &own, lane);
            }
            self.tracker().current = (0..width as i128).map(|lane| iteration + lane).collect();
            self.burn(loops.at, 0)?;
            let active: Vec<_> = (0..n_active).collect();
            self.block(loops.body, &active)?;
            for &local in &*shared {
                let value = self.frame().lanes[0].vars.get(&local).cloned();
                outside.vars.extend(value.map(|value| (local, value)));
            }
            iteration += n_active as i128;
            more = advance(&mut iterations, &counts, width.into());
        }
        self.width = None;
        self.frame_mut().shared = around;
        self.frame_mut().lanes = vec![outside];
        Ok(())
    }
}
