//! Loops that hand on names.

use rustc_hash::{FxHashMap, FxHashSet};

use ir::entities::{Op, Region, Value};
use ir::ops::Code;
use ir::program::{Attr, Control, Def, RegionData, Values};
use ir::types::{Elem, Type};

use super::forms::{Form, Named};
use super::{MOST_FORMS, Numbering};

/// The most parts of parts that a name may come to.
const MOST_PARTS: usize = 6;

/// The names that a loop carries.
#[derive(Clone)]
struct Slots {
    /// Their positions among what the loop carries.
    places: Vec<usize>,
    /// The forms that each may have.
    forms: Vec<Vec<Form>>,
    /// The memories of those that may be an array which an iteration has made, as the loop's arguments.
    memories: Vec<Option<Value>>,
}

/// The names that an iteration hands on.
struct HandedOn {
    names: Vec<Option<Named>>,
    /// For each name, the forms that are arrays which the iteration made.
    made: Vec<Vec<bool>>,
}

impl Numbering {
    /// A loop: it carries the numbers of its names' forms.
    pub(super) fn carrying(&mut self, op: Op) -> Option<()> {
        let data = self.kernel.ops[op].clone();
        let first = self.kernel.n_head_operands(op);
        let places: Vec<usize> =
            (0..data.results.len()).filter(|&slot| self.kernel.ty(data.results[slot]).is_view()).collect();
        let inits: Vec<Option<Named>> = places.iter().map(|&slot| self.named(data.operands[first + slot])).collect();
        let mut slots = Slots {
            forms: inits.iter().map(|init| init.as_ref().map(Named::known_forms).unwrap_or_default()).collect(),
            memories: vec![None; places.len()],
            places,
        };
        // What an iteration hands on may be more forms, with which it is done again.
        loop {
            let mut attempt = Numbering {
                kernel: self.kernel.clone(),
                wanted: self.wanted.clone(),
                names: self.names.clone(),
                out: self.out.clone(),
            };
            let handed_on = attempt.iteration(op, &slots)?;
            if !self.grows(op, &mut slots, &handed_on)? {
                attempt.finish(op, &slots, &inits, &handed_on)?;
                *self = attempt;
                return Some(());
            }
        }
    }

    /// Opens the blocks of a loop, the last of which stays open; gives the names that it hands on.
    fn iteration(&mut self, op: Op, slots: &Slots) -> Option<HandedOn> {
        let regions = self.kernel.ops[op].regions.clone();
        let n_head = self.kernel.n_head_args(op);
        let mut args = std::mem::take(&mut self.kernel.regions[regions[0]].args);
        let old: Vec<Value> = slots.places.iter().map(|&slot| args[n_head + slot]).collect();
        args.retain(|arg| !old.contains(arg));
        for ((&arg, forms), memory) in old.iter().zip(&slots.forms).zip(&slots.memories) {
            let named = self.new_name(forms.clone(), arg, &mut |kernel, ty, name| {
                let value = kernel.add_value(ty, Def::Arg(regions[0], 0), name);
                args.push(value);
                value
            });
            self.names.insert(arg, named);
            args.extend(memory.iter().copied());
        }
        for (number, &arg) in args.iter().enumerate() {
            self.kernel.values[arg].def = Def::Arg(regions[0], number as u32);
        }
        self.kernel.regions[regions[0]].args = args;
        let last = *regions.last()?;
        for &region in &regions[..regions.len() - 1] {
            self.block(region)?;
            let yields = self.arrays(region);
            self.kernel.regions[region].yields = yields;
        }
        self.block(last)?;
        let mut inside = self.values_in_open(last);
        regions.iter().for_each(|&region| self.values_in(region, &mut inside));
        let yields = self.kernel.regions[last].yields.clone();
        let names: Vec<Option<Named>> = slots.places.iter().map(|&slot| self.named(yields[slot])).collect();
        let is_made = |form: &Form| inside.contains(&form.root) && !slots.memories.contains(&Some(form.root));
        let made = names.iter().map(|named| named.iter().flat_map(|named| &named.forms).map(is_made).collect());
        Some(HandedOn { made: made.collect(), names })
    }

    /// The values that a finished block has.
    fn values_in(&self, region: Region, inside: &mut FxHashSet<Value>) {
        inside.extend(&self.kernel.regions[region].args);
        self.kernel.walk(region, &mut |_, op| {
            inside.extend(&self.kernel.ops[op].results);
            self.kernel.ops[op].regions.iter().for_each(|&inner| inside.extend(&self.kernel.regions[inner].args));
        });
    }

    /// Adds the forms that are handed on to those that are known; says whether there were others. `None` if a name is handed an array that
    /// another one's memory holds.
    fn grows(&mut self, op: Op, slots: &mut Slots, handed_on: &HandedOn) -> Option<bool> {
        let mut grows = false;
        let mut roots: FxHashMap<Value, usize> = FxHashMap::default();
        for (slot, named) in handed_on.names.iter().enumerate() {
            for (number, form) in named.iter().flat_map(|named| &named.forms).enumerate() {
                let is_made = handed_on.made[slot][number];
                let others = slots
                    .memories
                    .iter()
                    .enumerate()
                    .any(|(other, memory)| other != slot && *memory == Some(form.root));
                if others || form.parts.len() > MOST_PARTS || is_made && *roots.entry(form.root).or_insert(slot) != slot
                {
                    return None;
                }
                if is_made && slots.memories[slot].is_none() {
                    let result = self.kernel.ops[op].results[slots.places[slot]];
                    let region = self.kernel.ops[op].regions[0];
                    let name = self.kernel.values[result].name.clone();
                    slots.memories[slot] =
                        Some(self.kernel.add_value(self.kernel.ty(result), Def::Arg(region, 0), name));
                }
                let form = slots.form(slot, form, is_made);
                if !slots.forms[slot].contains(&form) {
                    slots.forms[slot].push(form);
                    grows = true;
                }
            }
            if slots.forms[slot].is_empty() || slots.forms[slot].len() > MOST_FORMS {
                return None;
            }
        }
        Some(grows)
    }

    /// Closes the last block, and gives the loop its numbers.
    fn finish(&mut self, op: Op, slots: &Slots, inits: &[Option<Named>], handed_on: &HandedOn) -> Option<()> {
        let data = self.kernel.ops[op].clone();
        let first = self.kernel.n_head_operands(op);
        let n_joined = self.kernel.control(op).map_or(0, |control| control.reductions.len());
        let last = *data.regions.last()?;
        let keeps = |slot: &usize| !slots.places.contains(slot);
        let n_carried = data.results.len() - n_joined;
        // What the next iteration begins with.
        let old = self.kernel.regions[last].yields.clone();
        let mut yields: Values = (0..n_carried).filter(keeps).map(|slot| old[slot]).collect();
        for (slot, named) in handed_on.names.iter().enumerate() {
            let made = &handed_on.made[slot];
            let as_kept = named.as_ref().map(|named| {
                let mut kept = named.clone();
                for (number, form) in named.forms.iter().enumerate() {
                    kept.forms[number] = slots.form(slot, form, made[number]);
                    if made[number] {
                        kept.subscripts[number].clear();
                    }
                }
                kept
            });
            yields.extend(self.numbers(as_kept.as_ref(), &slots.forms[slot], data.origin));
            if let Some(memory) = slots.memories[slot] {
                yields.push(self.next_memory(memory, named.as_ref(), made, data.origin));
            }
        }
        yields.extend(old[n_carried..].iter().copied());
        self.close(last, yields);
        // What the loop begins with, and gives.
        let mut operands: Values = data.operands[..first].iter().copied().collect();
        operands.extend((0..n_carried).filter(keeps).map(|slot| data.operands[first + slot]));
        let mut results: Values = (0..n_carried).filter(keeps).map(|slot| data.results[slot]).collect();
        for (slot, &place) in slots.places.iter().enumerate() {
            operands.extend(self.numbers(inits[slot].as_ref(), &slots.forms[slot], data.origin));
            let old = data.results[place];
            let mut named = self.new_name(slots.forms[slot].clone(), old, &mut |kernel, ty, name| {
                let value = kernel.add_value(ty, Def::Result(op, 0), name);
                results.push(value);
                value
            });
            if let Some(memory) = slots.memories[slot] {
                operands.push(self.like(inits[slot].as_ref()?, self.kernel.ty(memory), data.origin));
                let name = self.kernel.values[old].name.clone();
                let result = self.kernel.add_value(self.kernel.ty(memory), Def::Result(op, 0), name);
                results.push(result);
                named = named.with_roots(&[(memory, result)].into_iter().collect());
            }
            self.names.insert(old, named);
        }
        operands.extend(data.operands[first + n_carried..].iter().copied());
        results.extend(data.results[n_carried..].iter().copied());
        // The operands that are not names of this loop may be names of others.
        let operands: Values = operands.into_iter().map(|value| self.as_array(value, data.origin)).collect();
        self.kernel.ops[op].operands = operands;
        self.set_results(op, results);
        self.push(op);
        Some(())
    }

    /// The array that a name's memory holds in the next iteration: the one that this iteration made, if the name is that.
    fn next_memory(&mut self, memory: Value, named: Option<&Named>, made: &[bool], origin: ir::Origin) -> Value {
        let Some(named) = named.filter(|_| made.contains(&true)) else { return memory };
        let own: Vec<usize> = (0..made.len()).filter(|&number| made[number]).collect();
        self.one_of(named, &own, memory, origin)
    }

    /// A copy of a name's array, if it has one of these forms, and else the memory.
    fn one_of(&mut self, named: &Named, own: &[usize], memory: Value, origin: ir::Origin) -> Value {
        let Some((&number, others)) = own.split_first() else { return memory };
        let Some(turn) = named.turn else { return self.copy(named, number, origin) };
        let place = self.number(number);
        let is_it = self.make(Code::Eq, Attr::None, &[turn, place], &[Type::scalar(Elem::Bool)], origin)[0];
        let (ty, attr) = (self.kernel.ty(memory), Attr::Control(Box::<Control>::default()));
        let branch = self.kernel.add_op(Code::If, attr, [is_it].into_iter().collect(), &[ty], origin);
        for side in 0..2 {
            let region = self.kernel.regions.push(RegionData::default());
            self.kernel.ops[branch].regions.push(region);
            self.out.push(Vec::new());
            let array = match side {
                0 => self.copy(named, number, origin),
                _ => self.one_of(named, others, memory, origin),
            };
            self.close(region, [array].into_iter().collect());
        }
        self.push(branch);
        self.kernel.ops[branch].results[0]
    }

    /// Memory for an array of a name's sizes.
    fn like(&mut self, named: &Named, ty: Type, origin: ir::Origin) -> Value {
        let index = Type::scalar(Elem::I64);
        let dims = i64::from(ty.rank());
        let types = vec![index; ty.rank().into()];
        let sizes = self.by_turn(named.turn, named.forms.len(), &types, origin, &mut |numbering, number| {
            let view = numbering.view(named, number, origin);
            (0..dims).map(|dim| numbering.make(Code::Size, Attr::Number(dim), &[view], &[index], origin)[0]).collect()
        });
        let elem = ty.elem().unwrap_or(Elem::F32);
        self.make(Code::Temp, Attr::Elem(elem), &sizes, &[ty], origin)[0]
    }
}

impl Slots {
    /// The form that a form of the next iteration's name has there.
    fn form(&self, slot: usize, form: &Form, is_made: bool) -> Form {
        match self.memories[slot].filter(|_| is_made) {
            Some(root) => Form { root, parts: Vec::new() },
            None => form.clone(),
        }
    }
}
