//! The layout of the text form: the ops that get a line of their own, their order, and the names of values.
//!
//! A value is *inlined* into its only user when it has no name of its own, both stand in the same block, and
//! nothing with an effect would change places with it. Pure ops move freely; of all others the order is
//! kept exactly. A new array keeps a line of its own, which is where its shape stands. The depth of an expression is
//! bounded, so that a long chain reads as several lines.
//!
//! Every block is laid out from its end. The *root* of an expression is an op with a line of its own, or what
//! the block yields; from it operands are followed right to left. An op that is not pure can be inlined if it
//! is the last such op before the root that no expression has taken yet: then what stood behind it is already
//! written behind it.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::copy::Copier;
use crate::entities::{EntityVec, Op, Origin, Region, Value};
use crate::ops::{Code, Effect, PrintForm};
use crate::program::{Kernel, Name, Param};
use crate::types::Elem;
use crate::uses::{Use, Uses};

/// The limit on the depth of an expression.
const MAX_DEPTH: usize = 16;

/// The layout of a kernel's text.
#[derive(Debug)]
pub(crate) struct Layout {
    /// For each op, true if it is written inside its user.
    inline: EntityVec<Op, bool>,
}

/// A place that values are written at: the operands of an op, or the yields of a region.
#[derive(Clone, Copy, PartialEq)]
enum User {
    Op(Op),
    Yield(Region),
}

/// Computes the layout of a kernel's text.
pub(crate) fn layout(kernel: &Kernel) -> Layout {
    let mut planner = Planner {
        kernel,
        uses: Uses::of(kernel),
        position: EntityVec::filled(kernel.ops.len(), None),
        inline: EntityVec::filled(kernel.ops.len(), false),
        ordered: Vec::new(),
    };
    planner.region(kernel.body);
    Layout { inline: planner.inline }
}

struct Planner<'k> {
    kernel: &'k Kernel,
    uses: Uses,
    /// The region and place of each op that has been met.
    position: EntityVec<Op, Option<(Region, usize)>>,
    inline: EntityVec<Op, bool>,
    /// The places, ascending, of the open region's ops that are not pure and that no expression has taken.
    ordered: Vec<usize>,
}

impl Planner<'_> {
    fn region(&mut self, region: Region) {
        let data = &self.kernel.regions[region];
        for (place, &op) in data.ops.iter().enumerate() {
            self.position[op] = Some((region, place));
        }
        let is_ordered = |op: Op| self.kernel.ops[op].code.is_control() || self.kernel.effect(op) != Effect::Pure;
        let ordered = data.ops.iter().enumerate().filter(|(_, op)| is_ordered(**op)).map(|(place, _)| place);
        self.ordered = ordered.collect();
        self.take_operands(&data.yields, User::Yield(region), region, MAX_DEPTH);
        for (place, &op) in data.ops.iter().enumerate().rev() {
            if !self.inline[op] {
                self.ordered.pop_if(|last| *last == place);
                self.take_operands(&self.kernel.ops[op].operands, User::Op(op), region, MAX_DEPTH);
            }
        }
        for &op in &data.ops {
            for &inner in &self.kernel.ops[op].regions {
                self.region(inner);
            }
        }
    }

    /// Inlines what can be of the operands of one op or yield, right to left.
    fn take_operands(&mut self, operands: &[Value], user: User, region: Region, depth: usize) {
        for &value in operands.iter().rev() {
            let Some(op) = self.kernel.def_op(value) else { continue };
            if depth > 0 && self.can_inline(op, value, user, region) {
                self.inline[op] = true;
                self.take_operands(&self.kernel.ops[op].operands, User::Op(op), region, depth - 1);
            }
        }
    }

    /// Says whether a value is used once, and there.
    fn is_only_at(&self, value: Value, place: User) -> bool {
        match self.uses.only_user(value) {
            Some(Use::Operand(op, _)) => place == User::Op(op),
            Some(Use::Yield(region)) => place == User::Yield(region),
            None => false,
        }
    }

    /// Says whether an op can be written inside its user; takes it from the ordered ones if so.
    fn can_inline(&mut self, op: Op, value: Value, user: User, region: Region) -> bool {
        let data = &self.kernel.ops[op];
        let Some((home, place)) = self.position[op] else { return false };
        // Parts of what runs on in pairs have so many operands that several in a line could not be read.
        let is_long = data.code == Code::RunningPair;
        let stays = data.results.len() != 1 || data.code.is_control() || self.kernel.makes_arrays(op) || is_long;
        if stays || home != region || !self.is_only_at(value, user) || self.kernel.values[value].name.is_some() {
            return false;
        }
        self.kernel.effect(op) == Effect::Pure || self.ordered.pop_if(|last| *last == place).is_some()
    }
}

impl Layout {
    /// Says whether an op is written inside its user.
    pub(crate) fn is_inline(&self, op: Op) -> bool {
        self.inline[op]
    }

    /// The ops of a region in the order they are written: operands before their users, left to right.
    pub(crate) fn order(&self, kernel: &Kernel, region: Region) -> Vec<Op> {
        let data = &kernel.regions[region];
        let mut order = Vec::with_capacity(data.ops.len());
        for &root in data.ops.iter().filter(|&&op| !self.inline[op]) {
            self.push_tree(kernel, root, &mut order);
        }
        for &value in &data.yields {
            self.push_value(kernel, value, &mut order);
        }
        order
    }

    fn push_tree(&self, kernel: &Kernel, op: Op, order: &mut Vec<Op>) {
        for &value in &kernel.ops[op].operands {
            self.push_value(kernel, value, order);
        }
        order.push(op);
    }

    fn push_value(&self, kernel: &Kernel, value: Value, order: &mut Vec<Op>) {
        if let Some(op) = kernel.def_op(value).filter(|&op| self.inline[op]) {
            self.push_tree(kernel, op, order);
        }
    }
}

/// Words that a value cannot be called.
const RESERVED: &[&str] = &[
    "kernel", "struct", "let", "in", "range", "with", "reducing", "from", "do", "else", "elif", "yield", "return",
    "pass", "true", "false", "inf", "nan", "cfor", "cif", "cwhile", "assert", "LANES",
];

/// Says whether a name is one that the printer makes up for a value without one: `_0`.
pub(crate) fn is_made_up(name: &str) -> bool {
    name.strip_prefix('_').is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The names of values in the text: their own names, made unique, and `_0`, `_1`, … for those that need
/// a line of their own and have none.
#[derive(Debug)]
pub(crate) struct Names {
    names: EntityVec<Value, Option<Name>>,
    /// The number of suffixes of each name that have been tried; a name that is listed here is taken.
    taken: FxHashMap<Name, u32>,
    made_up: u32,
}

impl Names {
    pub(crate) fn new(kernel: &Kernel, layout: &Layout) -> Names {
        // Names of ops that are written as calls are free: a name is not followed by a bracket.
        let codes = Code::all().map(Code::row).filter(|row| matches!(row.form, PrintForm::Control | PrintForm::LaneId));
        let words = RESERVED.iter().copied().chain(codes.map(|row| row.name));
        let types = Elem::ALL.iter().map(|elem| elem.name());
        let taken: FxHashSet<&str> = words.chain(types).collect();
        let mut names = Names {
            names: EntityVec::filled(kernel.values.len(), None),
            taken: taken.into_iter().map(|word| (word.into(), 0)).collect(),
            made_up: 0,
        };
        for param in &kernel.params {
            names.give(kernel, param.value);
        }
        names.region(kernel, layout, kernel.body);
        names
    }

    /// The name of a value; empty for a constant or an inlined value.
    pub(crate) fn of(&self, value: Value) -> &str {
        self.names[value].as_deref().unwrap_or_default()
    }

    fn region(&mut self, kernel: &Kernel, layout: &Layout, region: Region) {
        for &arg in &kernel.regions[region].args {
            self.give(kernel, arg);
        }
        for &op in kernel.regions[region].ops.iter().filter(|&&op| !layout.is_inline(op)) {
            for &result in &kernel.ops[op].results {
                self.give(kernel, result);
            }
            for &inner in &kernel.ops[op].regions {
                self.region(kernel, layout, inner);
            }
        }
    }

    fn give(&mut self, kernel: &Kernel, value: Value) {
        let name = match &kernel.values[value].name {
            Some(own) => self.unique(own),
            None => {
                self.made_up += 1;
                format!("_{}", self.made_up - 1).into()
            }
        };
        self.names[value] = Some(name);
    }

    fn unique(&mut self, own: &Name) -> Name {
        if !is_made_up(own) && !self.taken.contains_key(own) {
            self.taken.insert(own.clone(), 0);
            return own.clone();
        }
        loop {
            let tried = self.taken.entry(own.clone()).or_default();
            *tried += 1;
            let name: Name = format!("{own}_{tried}").into();
            if !self.taken.contains_key(&name) {
                self.taken.insert(name.clone(), 0);
                return name;
            }
        }
    }
}

/// The kernel as its text reads: ops in the order they are written, entities numbered in that order, names as
/// they are printed, nothing that no region lists, and no origins. Two kernels with the same text are the same
/// kernel exactly when their canonical forms are equal.
pub fn canonical(kernel: &Kernel) -> Kernel {
    let layout = layout(kernel);
    let names = Names::new(kernel, &layout);
    let mut new = Kernel::new(&kernel.name);
    (new.result, new.lanes, new.structs) = (kernel.result, kernel.lanes, kernel.structs.clone());
    let values = EntityVec::filled(kernel.values.len(), None);
    let mut copy = Rewriter { old: kernel, layout: &layout, names: &names, new, values };
    copy.whole();
    copy.new
}

/// Copies a kernel entity by entity.
struct Rewriter<'k> {
    old: &'k Kernel,
    layout: &'k Layout,
    names: &'k Names,
    new: Kernel,
    values: EntityVec<Value, Option<Value>>,
}

impl Rewriter<'_> {
    fn whole(&mut self) {
        for param in &self.old.params {
            let data = &self.old.values[param.value];
            let value = self.new.add_value(data.ty, data.def, self.name(param.value));
            self.values[param.value] = Some(value);
        }
        for param in &self.old.params {
            let sizes = param.sizes.iter().map(|size| size.renamed(&|value| self.values[value].unwrap_or(value)));
            let sizes = sizes.collect();
            let value = self.known(param.value);
            self.new.params.push(Param { value, sizes });
        }
        let alias = &self.old.marks.alias;
        self.new.marks.alias = alias.iter().map(|&(a, b)| (self.known(a), self.known(b))).collect();
        self.new.marks.fast = self.old.marks.fast;
        self.new.marks.no_copy = self.old.marks.no_copy;
        self.new.marks.no_scratch = self.old.marks.no_scratch;
        self.new.marks.threads = self.old.marks.threads;
        self.new.marks.checked = self.old.marks.checked;
        self.new.marks.scratch = self.old.marks.scratch.clone();
        let body = self.new.body;
        self.copy_region(self.old.body, body);
    }

    fn known(&mut self, old: Value) -> Value {
        match (self.values[old], self.old.as_const(old)) {
            (Some(new), _) => new,
            (None, Some(scalar)) => self.new.constant(scalar),
            (None, None) => panic!("{old} is used where it has not been made"),
        }
    }
}

impl Copier for Rewriter<'_> {
    fn source(&self) -> &Kernel {
        self.old
    }

    fn target(&mut self) -> &mut Kernel {
        &mut self.new
    }

    fn value(&mut self, old: Value, _: Region) -> Value {
        self.known(old)
    }

    fn note(&mut self, old: Value, new: Value) {
        self.values[old] = Some(new);
    }

    fn name(&self, old: Value) -> Option<Name> {
        self.old.values[old].name.as_ref().map(|_| self.names.of(old).into())
    }

    fn origin(&self, _: Op) -> Origin {
        self.new.whole()
    }

    fn ops(&self, region: Region) -> Vec<Op> {
        self.layout.order(self.old, region)
    }
}

#[cfg(test)]
mod tests {
    use super::is_made_up;

    #[test]
    fn names_that_the_printer_makes_up() {
        assert!(is_made_up("_0") && is_made_up("_12"));
        assert!(!is_made_up("_") && !is_made_up("_x") && !is_made_up("x_1") && !is_made_up("_1_1"));
    }
}
