//! Effects: what running an op does besides making its results, for one state of a kernel, and the arrays that it touches.
//!
//! [`Kernel::effect`] looks into the regions of a control op each time that it is asked. Who asks about each op of a nest builds
//! [`Effects`] once, from the inside out; dropping ops from the kernel afterwards makes what it says cautious, not wrong.

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::entities::{EntityVec, Op, Region, Value};
use super::ops::{Code, Effect, EffectRule};
use super::program::{Attr, Kernel, Values};
use super::scalar::Scalar;
use super::types::Elem;

/// Arrays, each with whether it is written, sorted; an array that is read and written is listed once, as written.
pub type Touched = SmallVec<[(Value, bool); 2]>;

/// The effects of all ops of a kernel.
#[derive(Debug)]
pub struct Effects {
    effects: EntityVec<Op, Effect>,
    /// The arrays that each control op touches in its regions.
    inside: FxHashMap<Op, Touched>,
}

impl Kernel {
    /// The effect of running an op besides making its results.
    pub fn effect(&self, op: Op) -> Effect {
        let data = &self.ops[op];
        let lanes = || data.operands.iter().any(|&value| self.ty(value).lanes().is_some());
        let elem = || data.operands.first().and_then(|&value| self.ty(value).data_elem());
        let fails = |may: bool| if may && !lanes() { Effect::Fails } else { Effect::Pure };
        if data.code.is_elementwise() && self.takes_views(op) {
            return Effect::Reads;
        }
        match data.code.row().effect {
            EffectRule::Pure => Effect::Pure,
            EffectRule::FailsSigned => fails(elem().is_some_and(Elem::is_signed)),
            EffectRule::FailsInteger => fails(elem().is_some_and(Elem::is_integer)),
            EffectRule::FailsToInteger => {
                let to_integer = matches!(data.attr, Attr::Elem(to) if to.is_integer());
                fails(to_integer && elem().is_some_and(Elem::is_float))
            }
            EffectRule::FailsScalar => fails(true),
            EffectRule::FailsInLanes if lanes() => Effect::Fails,
            EffectRule::FailsInLanes => Effect::Pure,
            EffectRule::Fails => Effect::Fails,
            EffectRule::Reads => Effect::Reads,
            EffectRule::Writes => Effect::Writes,
            EffectRule::Inside => self.effect_inside(op),
        }
    }

    /// Calls `visit` on all ops inside of an op, each with its effect, from the inside out; gives the effect of the op itself. Asking for
    /// each of them would look at what is inside once more at every depth.
    pub fn walk_effects(&self, op: Op, visit: &mut dyn FnMut(Op, Effect)) -> Effect {
        let data = &self.ops[op];
        if !matches!(data.code.row().effect, EffectRule::Inside) {
            return self.effect(op);
        }
        let mut effect = self.own_effect(op);
        for &inner in data.regions.iter().flat_map(|&region| &self.regions[region].ops) {
            let of_inner = self.walk_effects(inner, visit);
            visit(inner, of_inner);
            effect = effect.max(of_inner);
        }
        effect
    }

    /// The effect of each op.
    pub fn effects_of_ops(&self) -> EntityVec<Op, Effect> {
        let mut effects = EntityVec::filled(self.ops.len(), Effect::Pure);
        for &op in &self.regions[self.body].ops {
            let effect = self.walk_effects(op, &mut |inner, effect| effects[inner] = effect);
            effects[op] = effect;
        }
        effects
    }

    /// The effect of what a control op checks itself, whatever stands in its regions.
    fn own_effect(&self, op: Op) -> Effect {
        match self.ops[op].code {
            // Its test may hold for ever.
            Code::While => Effect::Fails,
            Code::If => Effect::Pure,
            // Such an op reads its arrays, whose sizes may differ.
            code if code.is_over_elements() => Effect::Reads,
            // A reduction of signed integers may overflow.
            _ if self.control(op).is_some_and(|control| !control.reductions.is_empty()) => Effect::Fails,
            _ => self.range_effect(op),
        }
    }

    /// The effect of a control op: that of its regions, and of what it checks itself.
    fn effect_inside(&self, op: Op) -> Effect {
        let (data, own) = (&self.ops[op], self.own_effect(op));
        let inside = data.regions.iter().flat_map(|&region| &self.regions[region].ops);
        inside.map(|&inner| self.effect(inner)).fold(own, Effect::max)
    }

    /// A range fails when its step is 0.
    fn range_effect(&self, op: Op) -> Effect {
        let ranges = self.ops[op].operands.chunks(3).take(self.n_ranges(op));
        let never_zero = |step: Value| self.as_const(step).is_some_and(|step| step != Scalar::zero(step.elem()));
        if ranges.map(|range| range[2]).all(never_zero) { Effect::Pure } else { Effect::Fails }
    }
}

impl Effects {
    /// The effects of the ops of a kernel.
    pub fn of(kernel: &Kernel) -> Effects {
        let effects = EntityVec::filled(kernel.ops.len(), Effect::Pure);
        let mut known = Effects { effects, inside: FxHashMap::default() };
        known.region(kernel, kernel.body, &mut FxHashMap::default());
        known
    }

    /// The effect of running an op.
    pub fn effect(&self, op: Op) -> Effect {
        self.effects[op]
    }

    /// The arrays that something inside of a control op touches, each with whether something writes it.
    pub fn touched_inside(&self, op: Op) -> &[(Value, bool)] {
        self.inside.get(&op).map_or(&[], |touched| touched.as_slice())
    }

    /// The arrays that an op touches, or something inside of it.
    pub fn touched(&self, kernel: &Kernel, op: Op) -> Touched {
        if let Some(inside) = self.inside.get(&op) {
            return inside.clone();
        }
        let mut touched = Touched::new();
        // An op writes the array that it starts with, and reads all others.
        for (number, array) in arrays(kernel, &kernel.ops[op].operands).filter(|_| self.effects[op] >= Effect::Reads) {
            let writes = number == 0 && self.effects[op] == Effect::Writes;
            match touched.iter_mut().find(|(known, _)| *known == array) {
                Some(known) => known.1 |= writes,
                None => touched.push((array, writes)),
            }
        }
        touched.sort_unstable();
        touched
    }

    /// The arrays that something inside of a control op writes.
    pub fn written_inside(&self, op: Op) -> impl Iterator<Item = Value> {
        self.touched_inside(op).iter().filter(|(_, writes)| *writes).map(|&(array, _)| array)
    }

    /// Goes through a region, and adds the arrays that it touches.
    fn region(&mut self, kernel: &Kernel, region: Region, touched: &mut FxHashMap<Value, bool>) {
        for &op in &kernel.regions[region].ops {
            let data = &kernel.ops[op];
            if data.regions.is_empty() {
                self.effects[op] = kernel.effect(op);
                for (array, writes) in self.touched(kernel, op) {
                    *touched.entry(array).or_default() |= writes;
                }
                continue;
            }
            let mut inside = FxHashMap::default();
            data.regions.iter().for_each(|&inner| self.region(kernel, inner, &mut inside));
            for array in read_over_elements(kernel, op) {
                inside.entry(array).or_default();
            }
            let of_regions = data.regions.iter().flat_map(|&inner| &kernel.regions[inner].ops);
            let own = kernel.own_effect(op);
            self.effects[op] = of_regions.map(|&inner| self.effects[inner]).fold(own, Effect::max);
            let mut sorted: Touched = inside.into_iter().collect();
            sorted.sort_unstable();
            sorted.iter().for_each(|&(array, writes)| *touched.entry(array).or_default() |= writes);
            self.inside.insert(op, sorted);
        }
    }
}

/// The arrays among an op's operands, each with the number of the operand.
fn arrays(kernel: &Kernel, operands: &[Value]) -> impl Iterator<Item = (usize, Value)> {
    let views = operands.iter().enumerate().filter(|(_, value)| kernel.ty(**value).is_view());
    views.map(|(number, &view)| (number, kernel.root(view)))
}

/// The arrays that a `map`, `reduce` or `scan` reads in each iteration: those whose elements it goes over, and those that
/// its block yields for it to copy.
fn read_over_elements(kernel: &Kernel, op: Op) -> Vec<Value> {
    let data = &kernel.ops[op];
    let over = data.operands.iter().take(kernel.n_arrays(op));
    let copied = data.regions.iter().filter(|_| matches!(data.code, Code::Map | Code::Scan));
    let copied = copied.flat_map(|&region| &kernel.regions[region].yields);
    let read: Values = over.chain(copied).copied().collect();
    arrays(kernel, &read).map(|(_, array)| array).collect()
}

/// The arrays that something in a region writes, however deep inside.
pub fn written(kernel: &Kernel, region: Region) -> FxHashSet<Value> {
    let mut written = FxHashSet::default();
    kernel.walk(region, &mut |_, inner| written.extend(written_itself(kernel, inner)));
    written
}

/// The arrays that an op writes, or something inside of it.
pub fn written_by(kernel: &Kernel, op: Op) -> FxHashSet<Value> {
    let mut written = written_inside(kernel, op);
    written.extend(written_itself(kernel, op));
    written
}

/// The array that an op without regions writes.
fn written_itself(kernel: &Kernel, op: Op) -> Option<Value> {
    let data = &kernel.ops[op];
    let writes = data.regions.is_empty() && kernel.effect(op) == Effect::Writes;
    writes.then(|| kernel.root(data.operands[0]))
}

/// The arrays that something inside of a control op writes.
pub fn written_inside(kernel: &Kernel, op: Op) -> FxHashSet<Value> {
    kernel.ops[op].regions.iter().flat_map(|&region| written(kernel, region)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_nest_does_what_is_inside_of_it() {
        let text = "\
kernel k(a: f32[n], b: f32[n], n: i32):
    for i in range(0, n):
        let x = a[i]
        if (x > 0.0):
            b[i] = x
        let y = (x + 1.0)
";
        let kernel = crate::read(text, None).expect("a kernel that can be read").remove(0);
        let effects = Effects::of(&kernel);
        let mut n_ops = 0;
        kernel.walk(kernel.body, &mut |_, op| {
            n_ops += 1;
            assert_eq!(effects.effect(op), kernel.effect(op), "{op}");
            let written: FxHashSet<Value> = effects.written_inside(op).collect();
            assert_eq!(written, written_inside(&kernel, op), "{op}");
        });
        assert!(n_ops >= 5);
        let [a, b] = [0, 1].map(|n| kernel.params[n].value);
        let outer = kernel.regions[kernel.body].ops.iter().copied().find(|&op| kernel.ops[op].code == Code::For);
        assert_eq!(effects.touched_inside(outer.expect("a loop")), [(a, false), (b, true)]);
    }

    #[test]
    fn whole_arrays_are_read_and_assigned() {
        let text = "\
kernel k(a: f32[n], b: f32[n], m: f32[n, n], out: f32[n], n):
    for i in range(0, n):
        let d = (2.0 * b)
        assign(slice(out, 0, n, 1), d)
        let e = replicate(2, 1.0)
    let rows = map r in m, x in a:
        let s = (r * x)
        yield row(m, 0)
    let t = iota(n)
";
        let kernel = crate::read(text, None).expect("a kernel that can be read").remove(0);
        let effects = Effects::of(&kernel);
        let touched = |op: Op| -> Vec<String> {
            let name = |value: Value| kernel.values[value].name.as_deref().unwrap_or_default().to_owned();
            let touched = effects.touched_inside(op).iter();
            let mut touched: Vec<String> =
                touched.map(|&(array, writes)| name(array) + if writes { " is written" } else { "" }).collect();
            touched.sort();
            touched
        };
        let [loops, map, iota] = kernel.regions[kernel.body].ops[..] else { panic!("three ops") };
        assert_eq!(touched(loops), ["b", "d", "out is written"]);
        assert_eq!(touched(map), ["a", "m", "r"]);
        assert_eq!([loops, map, iota].map(|op| effects.effect(op)), [Effect::Writes, Effect::Reads, Effect::Fails]);
        let of_ops = kernel.effects_of_ops();
        kernel.walk(kernel.body, &mut |_, op| {
            assert_eq!([effects.effect(op), of_ops[op]], [kernel.effect(op); 2], "{op}");
        });
        let r = kernel.regions[kernel.ops[map].regions[0]].args[0];
        let [a, b, rows] = [kernel.params[0].value, kernel.params[1].value, kernel.ops[map].results[0]];
        // A row may be of any array; a new array is none of those before it.
        assert!(kernel.may_overlap(r, a) && !kernel.may_overlap(a, b) && !kernel.may_overlap(a, rows));
        assert_eq!(written_inside(&kernel, loops), FxHashSet::from_iter([kernel.params[3].value]));
    }

    #[test]
    fn branches_inside_of_branches_are_gone_through_once() {
        let text = |n: usize| {
            let mut text = "kernel k(a: f32[n], out: f32[n], n):\n    for i in range(0, n):\n".to_owned();
            for k in 0..n {
                let indent = "    ".repeat(k + 2);
                text += &format!("{indent}if (a[i] > {k}.0):\n{indent}    out[i] = {k}.0\n");
            }
            text
        };
        let kernel = &crate::read(&text(60), None).expect("a kernel")[0];
        let mut n_visited = 0;
        for &op in &kernel.regions[kernel.body].ops {
            kernel.walk_effects(op, &mut |_, _| n_visited += 1);
        }
        assert!(n_visited <= kernel.count_ops(), "{n_visited} of {}", kernel.count_ops());
    }
}
