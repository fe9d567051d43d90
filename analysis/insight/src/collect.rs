//! A kernel's facts at the places of its source.

use std::sync::Arc;

use facts::loops::Loops;
use facts::{Class, Facts, Flow, Shape};
use ir::{Attr, CancelToken, Code, Def, Elem, Family, Kernel, LoopForest, Marks, Masks, Op, Region, Target, Value};
use passes::{AccessForm, Outcomes};
use report::TextRange;
use report::lanes::Dependence;
use rustc_hash::{FxHashMap, FxHashSet};

use super::by_value::StepsByValue;
use super::judged;
use super::{
    Access, Branch, Cost, CostKind, KernelFacts, LANES_ELSEWHERE, PreludeCall, Site, Step, chain, parts, promises,
    words,
};
use hir::finding::ItemKey;
use lowering::{Lowering, Role, Written, flags};

/// Collects the facts of a lowered kernel. `made` are the outcomes of the passes, if the kernel was understood and they ran;
/// `text` gives the source text at a place.
pub fn collect(
    kernel: &Kernel,
    lowering: &Lowering,
    verdicts: &Loops,
    made: Option<&Outcomes>,
    text: &dyn Fn(&ItemKey, TextRange) -> Option<String>,
    target: &'static Target,
    cancel: CancelToken<'_>,
) -> KernelFacts {
    let facts = facts::facts(kernel, &passes::lane_loops(kernel, verdicts, made, target));
    let mut collector = Collector::new(kernel, lowering, &facts, verdicts, made, text, cancel);
    collector.found.loops = judged::loops(kernel, &facts, verdicts, made, &collector);
    collector.found.calls = verdicts.list.iter().map(|known| collector.call_from_outside(known.op)).collect();
    let known = verdicts.list.iter().map(|known| known.op).zip(&collector.found.loops).collect();
    let site = |op| collector.site(op).1;
    let collisions = promises::collisions(&known, site);
    let promised = promises::find(kernel, &verdicts.forest, &facts, &known, site);
    let step = |value: Value| collector.by_value.get(value).and_then(|steps| steps.first().copied());
    let unshared = promises::unshared(kernel, &facts, verdicts, &known, site, step);
    (collector.found.collisions, collector.found.promised) = (collisions, promised);
    collector.found.unshared = unshared;
    if kernel.marks.threads {
        collector.found.parts = Some(parts::find(kernel, &facts, verdicts, &collector));
    }
    let scratch = made.and_then(|made| made.scratch());
    collector.found.scratch = scratch.map(|scratch| scratch.placed(|&place| collector.sites[place as usize]));
    kernel.walk(kernel.body, &mut |region, op| collector.op(region, op, target));
    collector.found
}

/// All dependences in the iterations of each loop. They do not depend on outcomes, so those are not needed.
pub fn dependences(
    kernel: &Kernel,
    lowering: &Lowering,
    verdicts: &Loops,
    text: &dyn Fn(&ItemKey, TextRange) -> Option<String>,
    target: &'static Target,
    cancel: CancelToken<'_>,
) -> Vec<Vec<Dependence<Site>>> {
    let facts = facts::facts(kernel, &passes::lane_loops(kernel, verdicts, None, target));
    let collector = Collector::new(kernel, lowering, &facts, verdicts, None, text, cancel);
    judged::dependences(kernel, &facts, verdicts, &collector)
}

/// Returns true if a target divides integers of a type in vectors.
fn divides(target: &Target, elem: Elem) -> bool {
    match (target.family, target.masks) {
        (Family::RiscV, _) => true,
        (Family::Arm, Masks::Bits) => elem.bytes() >= 4,
        _ => false,
    }
}

/// Returns true if a target converts between floats and integers of 64 bits in vectors.
fn converts_wide(target: &Target) -> bool {
    target.family == Family::RiscV || target.masks == Masks::Bits
}

struct Collector<'k> {
    kernel: &'k Kernel,
    lowering: &'k Lowering,
    facts: &'k Facts,
    /// The outcomes of the passes, if the kernel was understood.
    made: Option<&'k Outcomes>,
    text: &'k dyn Fn(&ItemKey, TextRange) -> Option<String>,
    cancel: CancelToken<'k>,
    /// The site of each place, by its number.
    sites: Vec<Site>,
    /// The number of each loop in the facts.
    numbers: FxHashMap<Op, u32>,
    /// The loops as trees.
    forest: &'k LoopForest,
    /// The steps of each value at which it is computed, read or defined.
    by_value: StepsByValue,
    /// The arrays whose cells each lane loop changes where they lie.
    updated: FxHashSet<words::ArrayInLoop>,
    found: KernelFacts,
}

impl judged::Source for Collector<'_> {
    fn check_cancelled(&self) {
        self.cancel.check_cancelled();
    }

    fn site(&self, op: Op) -> Site {
        self.site(op).1
    }

    fn site_of_loop(&self, op: Op, index: Option<Value>) -> Site {
        let own = self.site(op).1;
        // The index of a `while` is defined before it, so its first step in the loop may be anywhere.
        let index = index.filter(|_| self.kernel.ops[op].code != Code::While);
        let first = index.and_then(|index| self.by_value.get(index)?.first());
        let header = first.map(|&step| self.found.steps[step as usize].site);
        header.filter(|header| header.item != own.item || own.at.contains_range(header.at)).unwrap_or(own)
    }

    fn is_written(&self, value: Value) -> bool {
        self.by_value.get(value).is_some()
    }

    fn text(&self, value: Value) -> Option<String> {
        // Flags that stand for early exits have names that nobody wrote.
        let is_written = |name: &&str| self.by_value.get(value).is_some() || !flags::is_flag(name);
        if let Some(name) = self.kernel.values[value].name.as_deref().filter(is_written) {
            return Some(self.lowering.fields.get(name).map_or(name, |field| field).to_owned());
        }
        let site = self.found.steps[*self.by_value.get(value)?.first()? as usize].site;
        (self.text)(&self.found.items[site.item as usize], site.at)
    }
}

impl<'k> Collector<'k> {
    fn new(
        kernel: &'k Kernel,
        lowering: &'k Lowering,
        facts: &'k Facts,
        verdicts: &'k Loops,
        made: Option<&'k Outcomes>,
        text: &'k dyn Fn(&ItemKey, TextRange) -> Option<String>,
        cancel: CancelToken<'k>,
    ) -> Collector<'k> {
        let is_step = |(it, _): &(&Written, u32)| !matches!(it.role, Role::Later | Role::Target | Role::Result);
        let mut collector = Collector {
            kernel,
            lowering,
            facts,
            made,
            text,
            cancel,
            sites: Vec::with_capacity(lowering.places.len()),
            numbers: verdicts.list.iter().enumerate().map(|(n, known)| (known.op, n as u32)).collect(),
            forest: &verdicts.forest,
            by_value: StepsByValue::of(lowering.values.iter().zip(0..).filter(is_step).map(|(it, n)| (it.value, n))),
            updated: words::updated(&facts.accesses),
            found: KernelFacts::default(),
        };
        collector.sites();
        collector.steps();
        collector
    }

    fn sites(&mut self) {
        let mut numbers: FxHashMap<&ItemKey, u32> = FxHashMap::default();
        let mut last: Option<(&ItemKey, u32)> = None;
        for (key, at) in &self.lowering.places {
            // Most places are in the same item as the one before.
            let item = last.filter(|(known, _)| *known == key).map_or_else(
                || {
                    let next = numbers.len() as u32;
                    *numbers.entry(key).or_insert(next)
                },
                |(_, item)| item,
            );
            if item as usize == self.found.items.len() {
                self.found.items.push(key.clone());
            }
            last = Some((key, item));
            self.sites.push(Site { item, at: *at });
        }
    }

    fn loop_of(&self, block: Region) -> Option<u32> {
        self.facts.lane_loops[block].map(|op| self.numbers[&op])
    }

    fn steps(&mut self) {
        // Few shapes are those of nearly all values.
        let mut shapes: FxHashMap<&Shape, (Arc<str>, u8)> = FxHashMap::default();
        self.found.steps.reserve(self.lowering.values.len());
        for written in &self.lowering.values {
            let shape = self.facts.shape(written.value);
            let (shape, rank) = shapes.entry(shape).or_insert_with(|| words::shape(self.kernel, shape)).clone();
            self.found.steps.push(Step {
                site: self.sites[written.place as usize],
                role: written.role,
                shape,
                rank,
                is_view: self.kernel.ty(written.value).is_view(),
                lane_loop: self.loop_of(written.block),
                flow: self.facts.flows[written.block],
                cause: None,
                ends: None,
                is_unknown: false,
                is_arithmetic: false,
                name: None,
            });
        }
        chain::fill(self.kernel, self.facts, &self.lowering.values, &mut self.found.steps);
    }

    fn op(&mut self, region: Region, op: Op, target: &Target) {
        let data = &self.kernel.ops[op];
        let lane_loop = self.loop_of(region);
        if let Some(access) = self.facts.access(op) {
            return self.access(access, region);
        }
        let Some(lane_loop) = lane_loop else { return };
        match data.code {
            Code::If => self.branch(op, lane_loop),
            Code::Div | Code::FloorDiv | Code::Rem => {
                let elem = self.kernel.ty(data.results[0]).data_elem();
                let divisor = self.facts.values[data.operands[1]].exact_form();
                let by_constant = divisor.is_some_and(|divisor| divisor.as_constant().is_some());
                let is_slow = |elem: Elem| elem.is_integer() && !divides(target, elem);
                if elem.is_some_and(is_slow) && !by_constant {
                    self.cost(op, CostKind::Division, lane_loop);
                }
            }
            Code::Cast => {
                let from = self.kernel.ty(data.operands[0]).data_elem();
                let Attr::Elem(to) = data.attr else { return };
                let wide = |elem: Elem| elem.is_integer() && elem.bytes() == 8;
                let is_wide = |from: Elem| wide(from) && to.is_float() || from.is_float() && wide(to);
                if from.is_some_and(is_wide) && !converts_wide(target) {
                    self.cost(op, CostKind::Conversion, lane_loop);
                }
            }
            _ => {}
        }
    }

    fn site(&self, op: Op) -> (usize, Site) {
        let place = self.kernel.origins[self.kernel.ops[op].origin].place as usize;
        (place, self.sites[place])
    }

    /// The call of another file that an op came from; `None` for one that stands in the kernel's own file.
    fn call_from_outside(&self, op: Op) -> Option<PreludeCall> {
        let mut origin = self.kernel.ops[op].origin;
        let mut inside = None;
        loop {
            let data = &self.kernel.origins[origin];
            let site = self.sites[data.place as usize];
            if !self.found.is_elsewhere(site) {
                return inside.map(|function| PreludeCall { site, function });
            }
            (inside, origin) = (Some(site.item), data.call?);
        }
    }

    /// The name of an array: for an array in a struct, the way to it from the variable.
    fn array_name(&self, array: Value) -> hir::Name {
        let Some(name) = &self.kernel.values[array].name else { return "_".into() };
        self.lowering.fields.get(&**name).map_or_else(|| name.clone(), |path| path.as_str().into())
    }

    fn access(&mut self, access: &facts::Access, region: Region) {
        let (place, site) = self.site(access.op);
        let because = access.because.and_then(|value| self.part(value, place, site.at));
        let promises = |marks: &Marks| if access.stores { marks.no_scatter } else { marks.no_gather };
        let is_promised = promises::is_in_marked(self.kernel, self.forest, access.op, promises);
        let form = match self.made {
            Some(made) if is_promised => made.dearest_form(place as u32, access.stores),
            Some(made) => made.form(place as u32, access.stores),
            None => matches!(access.class, Class::Gather | Class::Scatter).then_some(AccessForm::Scattered),
        };
        let is_promoted = self.made.is_some_and(|made| made.is_promoted(place as u32));
        // A cell of an array that the kernel makes, and that the passes took out of memory, is touched by nothing.
        let is_own = self.kernel.def_op(access.root).is_some_and(|op| self.kernel.ops[op].code == Code::Temp);
        let is_in_lanes = self.made.is_some_and(|made| made.is_in_lanes(place as u32));
        if is_own && is_in_lanes && form.is_none() && !is_promoted {
            return;
        }
        // These forms do without what the class asks for.
        let (along, class) = (self.along_last(access), access.class);
        let is_known_later = form == Some(AccessForm::Neighbours) && matches!(class, Class::Gather | Class::Scatter);
        let is_lifted = |_: &String| {
            !is_known_later && !matches!(form, Some(AccessForm::Packed | AccessForm::Grouped | AccessForm::LookedUp))
        };
        let streams = |marks: &Marks| access.stores && marks.stream;
        self.found.accesses.push(Access {
            site,
            array: self.array_name(access.root),
            stores: access.stores,
            class: access.class,
            stride: words::stride(self.kernel, access),
            lane_loop: self.loop_of(region),
            flow: self.facts.flows[region],
            is_in_lanes: is_promoted || self.made.is_none_or(|made| made.is_in_lanes(place as u32)),
            form,
            because,
            reason: match form {
                _ if is_promoted => {
                    "all iterations work on this cell, so the loop carries its value: it is loaded before the loop and stored behind it"
                        .to_owned()
                }
                Some(AccessForm::Packed) => {
                    "the subscript counts the active lanes, so their cells lie side by side".to_owned()
                }
                // The class is that of the loop as it is written.
                _ if is_known_later => {
                    "in the iterations that lanes run the subscript goes with the index, so their cells lie side by side"
                        .to_owned()
                }
                Some(AccessForm::LookedUp) => {
                    let own = words::reason(self.kernel, self.facts, access);
                    format!(
                        "{own}; the array is so small that all of it is loaded at once, and each lane picks its cell"
                    )
                }
                Some(AccessForm::Scattered) if words::has_pattern(class) => {
                    words::scattered(access.stores, class, &words::reason(self.kernel, self.facts, access))
                }
                _ => words::reason(self.kernel, self.facts, access),
            },
            lift: words::lift(self.kernel, self.facts, access, along.as_ref(), &self.updated).filter(is_lifted),
            reordered: along.filter(|along| along.is_ordered() && class == Class::Strided).map(|along| along.number),
            is_promised,
            kept_in_cache: self
                .made
                .filter(|_| form != Some(AccessForm::Streamed))
                .filter(|_| promises::is_in_marked(self.kernel, self.forest, access.op, streams))
                .map(|made| made.kept_in_cache(place as u32).to_owned()),
        });
    }

    /// For an array of several dimensions, the loop without the lanes along which the cells are neighbours.
    fn along_last(&self, access: &facts::Access) -> Option<words::Along<'_>> {
        let kernel = self.kernel;
        let rank = usize::from(kernel.ty(access.root).rank());
        let mut at = *kernel.ops[access.op].operands.get(rank).filter(|_| rank > 1)?;
        loop {
            let op = match kernel.values[at].def {
                Def::Result(op, _) => &kernel.ops[op],
                Def::Arg(region, 0) => {
                    let counts = |op: &Op| kernel.n_ranges(*op) > 0 && access.lane_loop != Some(*op);
                    let op = self.forest.owner(region).filter(counts)?;
                    let number = *self.numbers.get(&op)?;
                    let it = &self.found.loops[number as usize];
                    let blocking = it.verdict.reasons.iter().find(|reason| reason.blocks);
                    let code = blocking.map(|reason| reason.code).filter(|code| *code != LANES_ELSEWHERE);
                    let is_foreach = |op: Op| kernel.ops[op].code == Code::Foreach;
                    return (!it.index.is_empty()).then(|| words::Along {
                        index: self.by_value.get(at).is_some().then_some(&*it.index),
                        code,
                        number,
                        is_settled: access.lane_loop.is_some_and(is_foreach),
                    });
                }
                _ => return None,
            };
            // A constant offset moves the cells of all lanes alike.
            let is_constant = |value: Value| kernel.as_const(value).is_some();
            at = match (op.code, &op.operands[..]) {
                (Code::Add | Code::Sub, &[a, b]) if is_constant(b) => a,
                (Code::Add, &[a, b]) if is_constant(a) => b,
                (Code::Cast | Code::Index, &[a]) => a,
                _ => return None,
            };
        }
    }

    /// Finds the last step of a value before a place, preferably one within a range.
    fn part(&self, value: Value, place: usize, at: TextRange) -> Option<u32> {
        let steps = self.by_value.get(value)?;
        let written = |step: u32| self.lowering.values[step as usize].place as usize;
        let before = &steps[..steps.partition_point(|&step| written(step) <= place)];
        let last = *before.last()?;
        let inside = |step: u32| at.contains_range(self.found.steps[step as usize].site.at);
        // The value may have been used elsewhere since, so more than the last step is looked at.
        Some(before.iter().rev().take(8).copied().find(|&step| inside(step)).unwrap_or(last))
    }

    fn branch(&mut self, op: Op, lane_loop: u32) {
        let data = &self.kernel.ops[op];
        let condition = data.operands[0];
        // At a branch that leaves the loop early, no lane goes on after the one that leaves: only one side is divergent then.
        let parts = |&side: &Region| self.facts.flows[side] == Flow::Divergent;
        let (place, site) = self.site(op);
        let is_decided = self.made.is_some_and(|made| made.is_decided(place as u32));
        let diverges = !is_decided && !self.facts.shape(condition).is_uniform() && data.regions.iter().all(parts);
        // A branch without a condition in the source is one that lowering made for an early exit.
        let Some(because) = self.part(condition, place, site.at) else { return };
        let coherent = self.kernel.control(op).is_some_and(|control| control.marks.coherent);
        let cost = data.regions.iter().map(|&side| self.cost_of(side)).max().unwrap_or(0);
        self.found.branches.push(Branch { site, diverges, coherent, cost, because, lane_loop });
    }

    /// A rough cost of a block, in simple ops.
    fn cost_of(&self, region: Region) -> u32 {
        let cost = |&op: &Op| {
            let data = &self.kernel.ops[op];
            let inside: u32 = data.regions.iter().map(|&inner| self.cost_of(inner)).fold(0, u32::saturating_add);
            let own = match data.code {
                Code::For | Code::While => return inside.saturating_mul(16),
                // A divergent branch inside is reported on its own.
                Code::If if !self.facts.shape(data.operands[0]).is_uniform() => return 1,
                Code::Div | Code::FloorDiv | Code::Rem | Code::Sqrt | Code::Rsqrt | Code::Rcp => 6,
                Code::Load | Code::Store => match self.facts.access(op).map(|access| access.class) {
                    Some(Class::Gather | Class::Scatter | Class::Strided) => 6,
                    _ => 1,
                },
                _ => 1,
            };
            inside.saturating_add(own)
        };
        self.kernel.regions[region].ops.iter().map(cost).fold(0, u32::saturating_add)
    }

    fn cost(&mut self, op: Op, kind: CostKind, lane_loop: u32) {
        let data = &self.kernel.ops[op];
        if self.facts.shape(data.results[0]).is_uniform() {
            return;
        }
        let (place, site) = self.site(op);
        if self.made.is_some_and(|made| !made.is_in_lanes(place as u32)) {
            return;
        }
        let varying = data.operands.iter().copied().find(|&operand| !self.facts.shape(operand).is_uniform());
        let because = varying.and_then(|value| self.part(value, place, site.at));
        self.found.costs.push(Cost { site, kind, because, lane_loop });
    }
}
