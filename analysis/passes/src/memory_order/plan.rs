//! Plans: a vector as operations on others, each of as many lanes.

use std::cell::OnceCell;

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::{Group, shuffle_cost};
use crate::cse::commutes;
use crate::pack::operations::vector_cost;
use ir::entities::{Op, Value};
use ir::ops::Code;
use ir::program::{Attr, Def, Kernel};
use ir::target::Target;
use ir::types::{Elem, Type};

/// The most operations that a plan may have.
const MOST_NODES: usize = 200;

/// The most vectors that are looked at for a plan.
const MOST_TRIED: usize = 10 * MOST_NODES;

/// A vector that lanes are taken from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Source {
    /// A value.
    Value(Value),
    /// What one operand of a regrouping, with this number, gives by itself.
    Part(Value, u16),
}

/// The lanes of a vector: the source of each and its lane there; `None` for one that may hold anything.
type Lanes = Vec<Option<(Source, u16)>>;

/// An operand of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operand {
    Scalar(Value),
    Node(usize),
}

/// A vector in a plan.
#[derive(Debug)]
pub(super) enum Node {
    /// One that there is.
    Known(Value),
    /// A regrouping of one operand of another one.
    Part(Value, u16),
    /// Lanes picked out of others.
    Permute { sources: Vec<usize>, pattern: Vec<u16> },
    /// Scalars, one for each lane, which are there before the loop.
    Pack(Vec<Value>),
    /// An operation like that of an op.
    Like { op: Op, operands: Vec<Operand> },
}

impl Node {
    /// Says whether it takes another node.
    fn takes(&self, node: usize) -> bool {
        match self {
            Node::Permute { sources, .. } => sources.contains(&node),
            Node::Like { operands, .. } => operands.contains(&Operand::Node(node)),
            Node::Known(_) | Node::Part(..) | Node::Pack(_) => false,
        }
    }
}

/// How the shuffles of a group are computed in the order of their lanes.
#[derive(Debug)]
pub(super) struct Plan {
    /// The vectors, each behind those that it takes.
    pub(super) nodes: Vec<Node>,
    /// The node of each shuffle.
    pub(super) roots: Vec<usize>,
    /// The values of the kernel that it takes.
    pub(super) takes: FxHashSet<Value>,
    pub(super) cost: u32,
}

impl Plan {
    /// The plan of a group, `None` if nothing of it is computed alike; and whether something could be computed once and repeated as well
    /// as for each lane.
    pub(super) fn of(kernel: &Kernel, target: &Target, group: &Group, repeats_work: bool) -> (Option<Plan>, bool) {
        let around = group.around.map(|(_, op)| op);
        let (inside, known) = (OnceCell::new(), FxHashMap::default());
        let plan = Plan::empty();
        let mut planner =
            Planner { kernel, target, around, inside, repeats_work, shares: false, n_tried: 0, known, plan };
        let is_planned = planner.group(group).is_some();
        let (plan, shares) = (planner.plan, planner.shares);
        let computes = plan.nodes.iter().any(|node| matches!(node, Node::Like { .. }));
        let is_taken = |root: &usize| plan.nodes.iter().any(|node| node.takes(*root));
        let is_plan = is_planned && computes && !plan.roots.iter().any(is_taken);
        (is_plan.then_some(plan), shares)
    }

    fn empty() -> Plan {
        Plan { nodes: Vec::new(), roots: Vec::new(), takes: FxHashSet::default(), cost: 0 }
    }
}

/// The lanes that a pattern picks.
fn picked(kernel: &Kernel, operands: &[Value], pattern: &[u16]) -> Option<Lanes> {
    pattern
        .iter()
        .map(|&pick| place(kernel, operands, pick).map(|(value, lane)| Some((Source::Value(value), lane))))
        .collect()
}

/// The operand that a lane of vectors side by side is in, and its lane there.
fn place(kernel: &Kernel, operands: &[Value], mut pick: u16) -> Option<(Value, u16)> {
    for &operand in operands {
        let lanes = kernel.ty(operand).lanes()?;
        if pick < lanes {
            return Some((operand, pick));
        }
        pick -= lanes;
    }
    None
}

struct Planner<'k> {
    kernel: &'k Kernel,
    target: &'k Target,
    /// The op, a loop mostly, that the shuffles are inside of.
    around: Option<Op>,
    /// The ops inside of that.
    inside: OnceCell<FxHashSet<Op>>,
    /// What several lanes take of one is computed for each of them.
    repeats_work: bool,
    /// Several lanes take what one operation computes.
    shares: bool,
    /// The number of vectors that were looked at, those included that are not part of the plan.
    n_tried: usize,
    known: FxHashMap<Lanes, usize>,
    plan: Plan,
}

impl Planner<'_> {
    /// Plans the shuffles of a group; `None` if they cannot be planned.
    fn group(&mut self, group: &Group) -> Option<()> {
        for &op in &group.shuffles {
            let data = &self.kernel.ops[op];
            let Attr::Pattern(pattern) = &data.attr else { return None };
            let root = self.node(picked(self.kernel, &data.operands, pattern)?)?;
            // A root takes the place of a shuffle, so that it has to be an op as well.
            if matches!(self.plan.nodes[root], Node::Known(_) | Node::Part(..) | Node::Pack(_)) {
                return None;
            }
            self.plan.roots.push(root);
        }
        Some(())
    }

    /// The node of a vector; `None` if there are too many.
    fn node(&mut self, lanes: Lanes) -> Option<usize> {
        self.n_tried += 1;
        if self.n_tried > MOST_TRIED {
            return None;
        }
        let lanes: Lanes = lanes.into_iter().map(|lane| Some(self.origin(lane?))).collect();
        if let Some(&known) = self.known.get(&lanes) {
            return Some(known);
        }
        let node = match self.whole(&lanes) {
            Some(whole) => whole,
            None => match self.alike(&lanes)? {
                Some(alike) => alike,
                None => self.mixed(&lanes)?,
            },
        };
        let number = self.plan.nodes.len();
        self.plan.nodes.push(node);
        self.known.insert(lanes, number);
        (number < MOST_NODES).then_some(number)
    }

    /// Where a lane comes from, through shuffles.
    fn origin(&self, (mut source, mut lane): (Source, u16)) -> (Source, u16) {
        while let Source::Value(value) = source
            && let Some(data) = self.kernel.def_op(value).map(|op| &self.kernel.ops[op])
        {
            match (data.code, &data.attr) {
                (Code::Permute, Attr::Pattern(pattern)) => {
                    let Some((inner, at)) = place(self.kernel, &data.operands, pattern[usize::from(lane)]) else {
                        break;
                    };
                    (source, lane) = (Source::Value(inner), at);
                }
                (Code::Regroup, Attr::Type(_)) if data.operands.len() > 1 && self.has_whole_parts(value) => {
                    let mut number = 0;
                    while let Some(own) = self.lanes_of(Source::Part(value, number)).filter(|own| lane >= *own) {
                        (number, lane) = (number + 1, lane - own);
                    }
                    source = Source::Part(value, number);
                }
                _ => break,
            }
        }
        (source, lane)
    }

    /// Says whether each operand of a regrouping gives whole elements: three lanes of 4 bytes are one and a half of 8.
    fn has_whole_parts(&self, regrouped: Value) -> bool {
        let elem = self.kernel.ty(regrouped).data_elem().map_or(1, ir::Elem::bytes);
        let is_whole = |part: &Value| {
            let ty = self.kernel.ty(*part);
            let bytes = ty.lanes().zip(ty.data_elem()).map(|(lanes, elem)| usize::from(lanes) * elem.bytes());
            bytes.is_some_and(|bytes| bytes % elem == 0)
        };
        self.kernel.def_op(regrouped).is_some_and(|op| self.kernel.ops[op].operands.iter().all(is_whole))
    }

    /// The number of lanes of a source.
    fn lanes_of(&self, source: Source) -> Option<u16> {
        match source {
            Source::Value(value) => self.kernel.ty(value).lanes(),
            Source::Part(value, number) => {
                let data = &self.kernel.ops[self.kernel.def_op(value)?];
                let bytes = |ty: Type| Some(ty.lanes()? * ty.data_elem()?.bytes() as u16);
                let own = bytes(self.kernel.ty(*data.operands.get(usize::from(number))?))?;
                Some(own / self.kernel.ty(value).data_elem()?.bytes() as u16)
            }
        }
    }

    /// The vector that these are the lanes of, in their order.
    fn whole(&mut self, lanes: &Lanes) -> Option<Node> {
        let (source, _) = (*lanes.iter().flatten().next()?).to_owned();
        let is_own = |(at, lane): (usize, &Option<(Source, u16)>)| lane.is_none_or(|it| it == (source, at as u16));
        let is_whole = self.lanes_of(source) == Some(lanes.len() as u16) && lanes.iter().enumerate().all(is_own);
        is_whole.then(|| self.known_source(source))
    }

    fn known_source(&mut self, source: Source) -> Node {
        match source {
            Source::Value(value) => {
                self.plan.takes.insert(value);
                Node::Known(value)
            }
            Source::Part(value, number) => {
                let op = self.kernel.def_op(value).expect("a regrouping");
                self.plan.takes.insert(self.kernel.ops[op].operands[usize::from(number)]);
                Node::Part(value, number)
            }
        }
    }

    /// The values that lanes are of, each once; `None` if one is a part of a regrouping.
    fn values(lanes: &Lanes) -> Option<SmallVec<[Value; 4]>> {
        let mut values: SmallVec<[Value; 4]> = SmallVec::new();
        for (source, _) in lanes.iter().flatten() {
            let Source::Value(value) = *source else { return None };
            if !values.contains(&value) {
                values.push(value);
            }
        }
        Some(values)
    }

    /// One operation for all lanes, if theirs are alike. The outer `None` says that the plan fails.
    fn alike(&mut self, lanes: &Lanes) -> Option<Option<Node>> {
        let (n_nodes, cost) = (self.plan.nodes.len(), self.plan.cost);
        let alike = self.like_first(lanes)?;
        if alike.is_none() {
            // What was planned for its operands is not needed.
            self.plan.nodes.truncate(n_nodes);
            self.plan.cost = cost;
            self.known.retain(|_, node| *node < n_nodes);
        }
        Some(alike)
    }

    /// The operation of the first lane for all lanes.
    fn like_first(&mut self, lanes: &Lanes) -> Option<Option<Node>> {
        let Some(values) = Self::values(lanes) else { return Some(None) };
        let Some(first) = self.kernel.def_op(values[0]).filter(|&op| self.is_operation(op)) else { return Some(None) };
        self.shares |= values.len() == 1;
        if values.len() == 1 && !self.repeats_work {
            return Some(None);
        }
        // For each value the order of its operands.
        let mut is_turned: FxHashMap<Value, bool> = FxHashMap::default();
        for &value in &values {
            let Some(op) = self.kernel.def_op(value).filter(|&op| self.are_alike(first, op)) else { return Some(None) };
            is_turned.insert(value, self.is_turned(first, op));
        }
        let mut operands = Vec::new();
        for number in 0..self.kernel.ops[first].operands.len() {
            let taken = |(source, lane): (Source, u16)| {
                let Source::Value(value) = source else { return None };
                let own = &self.kernel.ops[self.kernel.def_op(value)?].operands;
                let number = if is_turned[&value] { own.len() - 1 - number } else { number };
                Some((own[number], lane))
            };
            let taken: Vec<Option<(Value, u16)>> = lanes.iter().map(|lane| taken((*lane)?)).collect();
            match self.operand(&taken)? {
                Some(operand) => operands.push(operand),
                None => return Some(None),
            }
        }
        // Not all targets shift each lane by another number.
        let code = self.kernel.ops[first].code;
        let shifts_apart = matches!(code, Code::Shl | Code::Shr) && matches!(operands[1], Operand::Node(_));
        if shifts_apart || operands.iter().all(|operand| matches!(operand, Operand::Scalar(_))) {
            return Some(None);
        }
        self.plan.cost += vector_cost(self.kernel, first, lanes.len(), self.target);
        Some(Some(Node::Like { op: first, operands }))
    }

    /// Lanes of operands as an operand; the inner `None` if they cannot be one.
    fn operand(&mut self, taken: &[Option<(Value, u16)>]) -> Option<Option<Operand>> {
        let scalar = |value: Value| match self.kernel.def_op(value).map(|op| &self.kernel.ops[op]) {
            _ if self.kernel.ty(value).lanes().is_none() => Some(value),
            Some(splat) if splat.code == Code::Splat => Some(splat.operands[0]),
            _ => None,
        };
        let scalars: Vec<Option<Value>> = taken.iter().flatten().map(|(value, _)| scalar(*value)).collect();
        if scalars.iter().any(Option::is_none) {
            // A scalar among vectors has no lanes of its own.
            if taken.iter().flatten().any(|(value, _)| self.kernel.ty(*value).lanes().is_none()) {
                return Some(None);
            }
            let lanes = taken.iter().map(|lane| lane.map(|(value, at)| (Source::Value(value), at))).collect();
            return self.node(lanes).map(|node| Some(Operand::Node(node)));
        }
        let first = scalars.first().copied().flatten()?;
        if scalars.iter().all(|scalar| *scalar == Some(first)) {
            return Some(Some(Operand::Scalar(first)));
        }
        let is_before = |value: &Value| match self.kernel.values[*value].def {
            Def::Param(_) | Def::Const(_) => true,
            Def::Result(op, _) => !self.inside().contains(&op),
            Def::Arg(..) => false,
        };
        let each = taken.iter().map(|lane| lane.and_then(|(value, _)| scalar(value)).unwrap_or(first));
        let each: Vec<Value> = each.collect();
        if !each.iter().all(is_before) {
            return Some(None);
        }
        let is_same = |node: &Node| matches!(node, Node::Pack(known) if *known == each);
        let known = self.plan.nodes.iter().position(is_same);
        let number = known.unwrap_or(self.plan.nodes.len());
        if known.is_none() {
            self.plan.nodes.push(Node::Pack(each));
        }
        Some(Some(Operand::Node(number)))
    }

    fn inside(&self) -> &FxHashSet<Op> {
        self.inside.get_or_init(|| {
            let mut inside = FxHashSet::default();
            self.around.into_iter().for_each(|op| self.kernel.walk_inside(op, &mut |inner| _ = inside.insert(inner)));
            inside
        })
    }

    /// Lanes of which some are computed alike and the others otherwise, or a shuffle of what there is.
    fn mixed(&mut self, lanes: &Lanes) -> Option<Node> {
        let kind = |source: Source| match source {
            Source::Value(value) => self.kernel.def_op(value).filter(|&op| self.is_operation(op)),
            Source::Part(..) => None,
        };
        let first = lanes.iter().flatten().find_map(|(source, _)| kind(*source));
        let is_like = |(source, _): &(Source, u16)| match (first, kind(*source)) {
            (Some(first), Some(op)) => self.are_alike(first, op),
            (None, None) => true,
            _ => false,
        };
        let are_like: Vec<bool> = lanes.iter().map(|lane| lane.as_ref().is_none_or(is_like)).collect();
        let n_values = Self::values(lanes).map_or(0, |values| values.len());
        if first.is_some() && n_values > 1 && are_like.contains(&false) {
            let of = |like: bool| {
                let lane = |(lane, own): (&Option<(Source, u16)>, &bool)| lane.filter(|_| *own == like);
                lanes.iter().zip(&are_like).map(lane).collect::<Lanes>()
            };
            let sources = vec![self.node(of(true))?, self.node(of(false))?];
            let n = lanes.len() as u16;
            let pattern: Vec<u16> = (0..n).zip(&are_like).map(|(at, like)| if *like { at } else { n + at }).collect();
            self.plan.cost += self.shuffle(lanes, &[n, n], &pattern);
            return Some(Node::Permute { sources, pattern });
        }
        self.permuted(lanes)
    }

    /// A shuffle of vectors that there are.
    fn permuted(&mut self, lanes: &Lanes) -> Option<Node> {
        let mut found: Vec<Source> = Vec::new();
        lanes.iter().flatten().for_each(|(source, _)| {
            if !found.contains(source) {
                found.push(*source);
            }
        });
        let each: Vec<u16> = found.iter().map(|&source| self.lanes_of(source)).collect::<Option<_>>()?;
        let all: u16 = each.iter().sum();
        let start = |number: usize| each[..number].iter().sum::<u16>();
        let pick = |(at, lane): (usize, &Option<(Source, u16)>)| match lane {
            Some((source, lane)) => start(found.iter().position(|own| own == source).expect("a source")) + lane,
            None => (at as u16).min(all - 1),
        };
        let pattern: Vec<u16> = lanes.iter().enumerate().map(pick).collect();
        self.plan.cost += self.shuffle(lanes, &each, &pattern);
        let whole = |source: &Source| {
            let own = self.lanes_of(*source)?;
            Some((0..own).map(|lane| Some((*source, lane))).collect::<Lanes>())
        };
        let wholes: Vec<Lanes> = found.iter().map(whole).collect::<Option<_>>()?;
        let sources = wholes.into_iter().map(|whole| self.node(whole)).collect::<Option<_>>()?;
        Some(Node::Permute { sources, pattern })
    }

    /// The cost of lanes that are picked out of vectors of so many lanes each.
    fn shuffle(&self, lanes: &Lanes, sources: &[u16], pattern: &[u16]) -> u32 {
        let value = |(source, _): &(Source, u16)| match source {
            Source::Value(value) | Source::Part(value, _) => *value,
        };
        let elem = lanes.iter().flatten().next().and_then(|lane| self.kernel.ty(value(lane)).data_elem());
        shuffle_cost(self.target, elem.map_or(1, Elem::bytes), sources, pattern)
    }

    /// Says whether an op works on each lane alone, and can do so on other lanes.
    fn is_operation(&self, op: Op) -> bool {
        let data = &self.kernel.ops[op];
        // A mask is as wide as what it was computed from, which its type does not tell.
        let is_data = |&value: &Value| matches!(self.kernel.ty(value), Type::Data { elem, .. } if elem != Elem::Bool);
        data.code.is_elementwise()
            && data.results.len() == 1
            && self.kernel.ty(data.results[0]).lanes().is_some()
            && data.operands.iter().chain(&data.results).all(is_data)
            && vector_cost(self.kernel, op, 1, self.target) < u32::from(u16::MAX)
    }

    fn are_alike(&self, first: Op, other: Op) -> bool {
        let (a, b) = (&self.kernel.ops[first], &self.kernel.ops[other]);
        let elem = |value: &Value| self.kernel.ty(*value).data_elem();
        self.is_operation(other)
            && (a.code, &a.attr) == (b.code, &b.attr)
            && elem(&a.results[0]) == elem(&b.results[0])
            && a.operands.iter().map(elem).eq(b.operands.iter().map(elem))
    }

    /// Says whether the second operand of an op stands for the first one of another.
    fn is_turned(&self, first: Op, other: Op) -> bool {
        let (a, b) = (&self.kernel.ops[first], &self.kernel.ops[other]);
        let likeness = |a: Value, b: Value| {
            let code = |value: Value| self.kernel.def_op(value).map(|op| self.kernel.ops[op].code);
            let is_vector = |value: Value| self.kernel.ty(value).lanes().is_some();
            match () {
                () if a == b => 3,
                () if is_vector(a) != is_vector(b) => 0,
                () if code(a) == code(b) => 2,
                () => 1,
            }
        };
        match (&a.operands[..], &b.operands[..]) {
            (&[a, b], &[c, d]) if commutes(self.kernel.ops[first].code) => {
                likeness(a, d) + likeness(b, c) > likeness(a, c) + likeness(b, d)
            }
            _ => false,
        }
    }
}
