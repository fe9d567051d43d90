//! A kernel without what no region lists any more, entities numbered anew in order.
//!
//! Entities get their numbers in the order in which they are met: the parameters, then region by region arguments, ops with what is inside
//! of them, and results. What stays is moved to the new kernel and not copied, since this is done after each stage.

use smallvec::SmallVec;
use thin_vec::ThinVec;

use crate::entities::{EntityVec, Op, Region, Value};
use crate::program::{Attr, Def, Kernel, OpData, Param, RegionData, ValueData, Values};

/// The kernel without what no region lists any more, entities numbered anew in order.
pub fn compact(old: Kernel) -> Kernel {
    numbered(old).0
}

/// The numbers that the entities of a kernel have got.
#[derive(Debug, Clone)]
pub struct NewNumbers {
    values: EntityVec<Value, Option<Value>>,
    regions: EntityVec<Region, Option<Region>>,
    /// True if all that is left has the numbers that it had.
    pub are_the_same: bool,
}

impl NewNumbers {
    /// The number of a value; `None` for one that is gone.
    pub fn value(&self, old: Value) -> Option<Value> {
        self.values[old]
    }

    /// The number of a region; `None` for one that is gone.
    pub fn region(&self, old: Region) -> Option<Region> {
        self.regions[old]
    }
}

/// A kernel as [`compact`] makes it, with the numbers that its entities have got.
pub fn numbered(mut old: Kernel) -> (Kernel, NewNumbers) {
    let mut new = Kernel::new(&old.name);
    (new.result, new.lanes) = (old.result, old.lanes);
    new.structs = std::mem::take(&mut old.structs);
    new.origins = std::mem::take(&mut old.origins);
    new.values.reserve(old.values.len());
    new.ops.reserve(old.ops.len());
    new.regions.reserve(old.regions.len());
    let values = EntityVec::filled(old.values.len(), None);
    let regions = EntityVec::filled(old.regions.len(), None);
    let mut mover = Mover { old, new, numbers: NewNumbers { values, regions, are_the_same: true } };
    mover.header();
    mover.region(mover.old.body, mover.new.body);
    (mover.new, mover.numbers)
}

struct Mover {
    old: Kernel,
    new: Kernel,
    numbers: NewNumbers,
}

impl Mover {
    /// Moves parameters and marks.
    fn header(&mut self) {
        let params = std::mem::take(&mut self.old.params);
        for param in &params {
            self.value_as(param.value, self.old.values[param.value].def);
        }
        for Param { value, sizes } in params {
            let sizes =
                sizes.iter().map(|size| size.renamed(&|value| self.numbers.values[value].unwrap_or(value))).collect();
            let value = self.known(value);
            self.new.params.push(Param { value, sizes });
        }
        let mut marks = std::mem::take(&mut self.old.marks);
        marks.alias.iter_mut().for_each(|(a, b)| (*a, *b) = (self.known(*a), self.known(*b)));
        self.new.marks = marks;
    }

    fn region(&mut self, old: Region, new: Region) {
        self.numbers.regions[old] = Some(new);
        self.numbers.are_the_same &= old == new;
        let RegionData { args, ops, yields } = std::mem::take(&mut self.old.regions[old]);
        for (number, arg) in args.into_iter().enumerate() {
            let arg = self.value_as(arg, Def::Arg(new, number as u32));
            self.new.regions[new].args.push(arg);
        }
        let ops = ops.into_iter().map(|op| self.op(op)).collect();
        let yields = self.all_known(yields);
        let data = &mut self.new.regions[new];
        (data.ops, data.yields) = (ops, yields);
    }

    fn op(&mut self, old: Op) -> Op {
        let data = &mut self.old.ops[old];
        let origin = data.origin;
        let (code, attr) = (data.code, std::mem::replace(&mut data.attr, Attr::None));
        let (operands, results) = (std::mem::take(&mut data.operands), std::mem::take(&mut data.results));
        let regions = std::mem::take(&mut data.regions);
        let operands = self.all_known(operands);
        let op = self.new.ops.push(OpData {
            code,
            attr,
            operands,
            results: SmallVec::new(),
            regions: ThinVec::new(),
            origin,
        });
        self.numbers.are_the_same &= old == op;
        for inner in regions {
            let new = self.new.regions.push(RegionData::default());
            self.new.ops[op].regions.push(new);
            self.region(inner, new);
        }
        for (number, result) in results.into_iter().enumerate() {
            let value = self.value_as(result, Def::Result(op, number as u32));
            self.new.ops[op].results.push(value);
        }
        op
    }

    /// Gives a value its number.
    fn value_as(&mut self, old: Value, def: Def) -> Value {
        let ValueData { ty, name, .. } = &mut self.old.values[old];
        let value = self.new.add_value(*ty, def, name.take());
        self.numbers.values[old] = Some(value);
        self.numbers.are_the_same &= old == value;
        value
    }

    fn all_known(&mut self, mut values: Values) -> Values {
        values.iter_mut().for_each(|value| *value = self.known(*value));
        values
    }

    fn known(&mut self, old: Value) -> Value {
        match (self.numbers.values[old], self.old.as_const(old)) {
            (Some(new), _) => new,
            (None, Some(scalar)) => {
                let new = self.new.constant(scalar);
                self.numbers.values[old] = Some(new);
                self.numbers.are_the_same &= old == new;
                new
            }
            (None, None) => panic!("{old} is used where it has not been made"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{print, read, verify};

    #[test]
    fn what_no_region_lists_goes_and_the_text_stays() {
        let text = "\
kernel k(a: f32[n], b: f32[n], n: i32) -> f32:
    let m = (n + 7)
    for i in range(0, n):
        let x = a[i]
        if (x > 2.0):
            b[i] = (x * 2.0)
    return b[m]
";
        let kernel = read(text, None).expect("a kernel").remove(0);
        let mut cut = kernel.clone();
        cut.regions[cut.body].ops.retain(|&op| cut.ops[op].regions.is_empty());
        let cut = compact(cut);
        assert!(cut.ops.len() < kernel.ops.len() && cut.regions.len() < kernel.regions.len());
        assert_eq!(verify(&cut), Ok(()));
        assert_eq!(print(&compact(kernel.clone())).text, print(&kernel).text);
        assert_eq!(compact(kernel.clone()), kernel, "what was read has numbers in order");
    }
}
