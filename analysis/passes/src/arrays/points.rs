//! The places at which the elements of an array are wanted, and how often each of them is.

use rustc_hash::{FxHashMap, FxHashSet};

use ir::entities::{Op, Value};
use ir::ops::Code;
use ir::program::{Def, Kernel};
use ir::types::{Elem, Type};
use ir::uses::Use;

use super::plan::{Fate, Plan, Why, makes_arrays, row_cost};

/// The work of a row, but for that of its elements, up to which it is done for each of these.
const PLAIN: u64 = 8;

/// The work of what stands in loops, or is taken for much.
pub(super) const MUCH: u64 = 1_000;

/// The uses of the elements of an array, with the number of times that each element is wanted there. An op that takes an element for
/// several of its operands computes it once.
#[derive(Default)]
pub(super) struct Points {
    pub(super) n_times: FxHashMap<Point, u64>,
}

/// A place at which elements are wanted.
#[derive(PartialEq, Eq, Hash)]
pub(super) struct Point {
    /// The op that wants them; `None` for the end of the block.
    pub(super) op: Option<Op>,
    /// The rows and slices that they are taken through.
    pub(super) parts: Vec<Op>,
}

impl Points {
    fn add(&mut self, op: Option<Op>, parts: &[Op], times: u64) {
        let most = self.n_times.entry(Point { op, parts: parts.to_vec() }).or_default();
        *most = times.max(*most);
    }
}

impl Plan {
    /// Collects the ops that compute elements of an array, and how often each element is wanted; `parts` are the rows and slices that the
    /// value is taken through.
    pub(super) fn points(
        &self,
        kernel: &Kernel,
        maker: Op,
        value: Value,
        parts: &mut Vec<Op>,
        found: &mut Points,
    ) -> Result<(), Why> {
        for &user in self.uses.users(value) {
            let op = match user {
                Use::Operand(op, _) => op,
                Use::Yield(region) => {
                    let Some(&owner) = self.owners.get(&region) else { continue };
                    match kernel.ops[owner].code {
                        // The array becomes a row of the array that the loop over elements makes.
                        Code::Map | Code::Scan if self.places[&maker].0 == region => found.add(None, parts, 1),
                        Code::Map | Code::Scan => {
                            found.add(Some(owner), parts, self.times(kernel, maker, owner));
                        }
                        // An iteration may compute it in the place of what the loop carried until then.
                        Code::For | Code::While | Code::Reduce
                            if self.places[&maker].0 == region && !self.not_in_place.contains(&owner) =>
                        {
                            found.add(None, parts, 1);
                        }
                        _ => return Err(Why::Chosen),
                    }
                    continue;
                }
            };
            let data = &kernel.ops[op];
            let times = || self.times(kernel, maker, op);
            if self.writes_elements(kernel, op, user) {
                return Err(Why::Written);
            }
            match data.code {
                Code::Size => {}
                Code::Row | Code::Slice => {
                    parts.push(op);
                    self.points(kernel, maker, data.results[0], parts, found)?;
                    parts.pop();
                }
                Code::Store | Code::CompressStore => return Err(Why::Written),
                Code::Assign if user == Use::Operand(op, 0) => return Err(Why::Written),
                Code::Assign => found.add(Some(self.groups.leader(op)), parts, times()),
                Code::Load => self.loads(kernel, maker, op, parts, found),
                Code::Reduce | Code::Scan => match user {
                    Use::Operand(_, n) if n >= kernel.n_arrays(op) => return Err(Why::Chosen),
                    _ => found.add(Some(op), parts, times()),
                },
                _ if makes_arrays(kernel, op) => match (self.fates.get(&op), self.wanted.get(&op)) {
                    // The array is computed where that one is.
                    (Some(Fate::Delayed), Some(wanted)) if !wanted.n_times.is_empty() => {
                        let times = times();
                        for (point, n_times) in &wanted.n_times {
                            let through = [&parts[..], &point.parts[..]].concat();
                            found.add(point.op, &through, times.saturating_mul(*n_times));
                        }
                    }
                    _ => found.add(Some(op), parts, times()),
                },
                _ => return Err(Why::Chosen),
            }
        }
        Ok(())
    }

    /// Says whether an op runs a block for the elements of an array that it uses, which stores to them, or takes views of them.
    fn writes_elements(&self, kernel: &Kernel, op: Op, user: Use) -> bool {
        let Use::Operand(_, number) = user else { return false };
        let elements = kernel.ops[op].regions.first().filter(|_| number < kernel.n_arrays(op));
        let element = elements.and_then(|&region| kernel.regions[region].args.get(number));
        element.is_some_and(|&element| kernel.ty(element).is_view() && self.is_seen_as_view(kernel, element))
    }

    fn is_seen_as_view(&self, kernel: &Kernel, array: Value) -> bool {
        self.uses.users(array).iter().any(|&user| {
            let Use::Operand(op, number) = user else { return false };
            let data = &kernel.ops[op];
            match data.code {
                Code::Row | Code::Slice | Code::Field => self.is_seen_as_view(kernel, data.results[0]),
                Code::Assign => number == 0,
                Code::Size | Code::Load => false,
                code if code.is_control() || makes_arrays(kernel, op) => self.writes_elements(kernel, op, user),
                _ => true,
            }
        })
    }

    /// The points at which a load wants an element: itself, or those of the array of which it computes the elements.
    fn loads(&self, kernel: &Kernel, maker: Op, load: Op, parts: &[Op], found: &mut Points) {
        let (home, times) = (self.places[&maker].0, self.times(kernel, maker, load));
        let mut around = load;
        while let Some(&owner) = self.owners.get(&self.places[&around].0).filter(|_| self.places[&around].0 != home) {
            around = owner;
        }
        match (self.fates.get(&around), self.wanted.get(&around)) {
            (Some(Fate::Delayed), Some(wanted)) => {
                for (point, n_times) in &wanted.n_times {
                    let through = [parts, &[load], &point.parts[..]].concat();
                    found.add(point.op, &through, times.saturating_mul(*n_times));
                }
            }
            _ => found.add(Some(load), parts, times),
        }
    }

    /// The number of times that a user wants an element for one run of the maker: many, if a loop lies between them in which it does not
    /// take another element each time.
    fn times(&self, kernel: &Kernel, maker: Op, user: Op) -> u64 {
        let home = self.places[&maker].0;
        let mut indices: FxHashSet<Value> = FxHashSet::default();
        let mut at = self.places[&user].0;
        while at != home {
            let Some(&owner) = self.owners.get(&at) else { break };
            let n_ranges = kernel.n_ranges(owner);
            match kernel.ops[owner].code {
                Code::If => {}
                Code::For | Code::Foreach => indices.extend(&kernel.regions[at].args[..n_ranges]),
                Code::Map if kernel.n_arrays(owner) == 1 && is_iota(kernel, kernel.ops[owner].operands[0]) => {
                    indices.insert(kernel.regions[at].args[0]);
                }
                _ => return MUCH,
            }
            at = self.places[&owner].0;
        }
        if indices.is_empty() {
            return 1;
        }
        let data = &kernel.ops[user];
        let subscripts: FxHashSet<Value> = data.operands.iter().skip(1).copied().collect();
        // An element of a row would be computed with all that the row takes.
        let is_plain = data.code == Code::Load && row_cost(kernel, maker) <= PLAIN;
        let is_moved = match (&data.operands[1..], indices.iter().next()) {
            (&[subscript], Some(&index)) if indices.len() == 1 => self.moves(kernel, subscript, index, 0) == Some(true),
            _ => false,
        };
        if is_plain && (subscripts == indices || is_moved) { 1 } else { MUCH }
    }

    /// Says whether a subscript goes on by one, or back, where an index does; `false` if it stays, `None` if it is neither.
    fn moves(&self, kernel: &Kernel, value: Value, index: Value, depth: usize) -> Option<bool> {
        if value == index {
            return Some(true);
        }
        let Def::Arg(region, _) = kernel.values[index].def else { return None };
        let stays = match kernel.values[value].def {
            Def::Result(op, _) => !self.is_inside(op, region),
            Def::Arg(own, _) => {
                own != region && !self.owners.get(&own).is_some_and(|&owner| self.is_inside(owner, region))
            }
            _ => true,
        };
        if stays {
            return Some(false);
        }
        let data = &kernel.ops[kernel.def_op(value).filter(|_| depth < 8)?];
        let mut operands = data.operands.iter().map(|&operand| self.moves(kernel, operand, index, depth + 1));
        match data.code {
            Code::Add | Code::Sub => match (operands.next()??, operands.next()??) {
                (true, true) => None,
                (a, b) => Some(a || b),
            },
            Code::Index => operands.next()?,
            Code::Size => Some(false),
            Code::Cast if kernel.ty(data.operands[0]) == Type::scalar(Elem::I64) => {
                operands.next()?.filter(|moves| !moves)
            }
            _ => None,
        }
    }
}

fn is_iota(kernel: &Kernel, array: Value) -> bool {
    kernel.def_op(array).is_some_and(|maker| kernel.ops[maker].code == Code::Iota)
}
