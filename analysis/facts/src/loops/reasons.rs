//! Verdicts: all that stands against a loop's iterations as lanes.

use std::cell::LazyCell;

use rustc_hash::FxHashSet;

use super::carried::{MAX_ALIKE, split_constant};
use super::order::Order;
use super::own::{self, is_own_of_lanes};
use super::reach::reach;
use super::{Carried, CarriedRole, MessagePart, Places, Remedy, Verdict, VerdictReason};
use crate::counting::Counting;
use crate::dependence::{Dependence, Dependences, Doubt, Kind, Nest};
use ir::codes::ReasonCode;
use ir::entities::{Op, Value};
use ir::ops::Code;
use ir::program::{Attr, Def, Kernel};
use ir::scalar::{Fold, Scalar};
use ir::types::Elem;
use ir::uses::{Use, Uses};

/// A reason by its code.
fn reason(code: ReasonCode, details: Vec<MessagePart>, places: impl IntoIterator<Item = Op>) -> VerdictReason {
    let places = places.into_iter().collect();
    VerdictReason { code, details, places, fix: None, dependence: None, blocks: code.blocks() }
}

/// The verdict about a loop.
pub(super) fn verdict(nest: &Nest<'_>, uses: &Uses, dependences: &Dependences, op: Op, carried: &[Carried]) -> Verdict {
    let mut judge = Judge {
        nest,
        uses,
        dependences,
        op,
        verdict: Verdict {
            is_vector: true,
            max_lanes: None,
            is_reordered: false,
            is_tested: false,
            reasons: Vec::new(),
        },
        known: FxHashSet::default(),
    };
    judge.control();
    judge.inside();
    // From group to group lanes carry values that are the same in all of them.
    if nest.kernel.lanes_of_foreach(op).is_none() {
        carried.iter().for_each(|value| judge.carried(carried, value));
    }
    judge.joined();
    if nest.kernel.ops[op].code == Code::Foreach {
        judge.collisions(carried)
    } else {
        judge.meetings()
    }
    judge.unseen();
    let mut verdict = judge.verdict;
    // A previous value that lanes cannot have is a consequence: the reason that blocks its computation comes before it.
    verdict.reasons.sort_by_key(|reason| (!reason.blocks, reason.code == ReasonCode::PreviousValue));
    verdict.is_vector = verdict.reasons.iter().all(|reason| !reason.blocks);
    verdict
}

struct Judge<'n, 'k> {
    nest: &'n Nest<'k>,
    uses: &'n Uses,
    dependences: &'n Dependences,
    op: Op,
    verdict: Verdict,
    /// The codes and places of its reasons.
    known: FxHashSet<(ReasonCode, Places)>,
}

impl<'k> Judge<'_, 'k> {
    fn kernel(&self) -> &'k Kernel {
        self.nest.kernel
    }

    fn add(&mut self, reason: VerdictReason) {
        if self.known.insert((reason.code, reason.places.clone())) {
            self.verdict.reasons.push(reason);
        } else if reason.blocks {
            // One op may compute two values, of which one has a form in lanes.
            let same = |known: &&mut VerdictReason| (known.code, &known.places) == (reason.code, &reason.places);
            self.verdict.reasons.iter_mut().filter(same).for_each(|known| known.blocks = true);
        }
    }

    /// Adds the reason of a loop whose number of iterations is not known before it.
    fn control(&mut self) {
        let kernel = self.kernel();
        let data = &kernel.ops[self.op];
        if data.code == Code::While {
            let test = kernel.regions[data.regions[0]].yields[0];
            let leaves = kernel.regions[data.regions[0]].args.contains(&test);
            let code = if leaves { ReasonCode::EarlyExit } else { ReasonCode::UnknownTripCount };
            self.add(reason(
                code,
                vec![MessagePart::Text("it goes on while"), MessagePart::Value(test)],
                vec![self.op],
            ));
        }
    }

    /// Adds the reasons of inner ops that lanes cannot run.
    fn inside(&mut self) {
        let kernel = self.kernel();
        let mut found = Vec::new();
        // Lanes that run together go through what is inside by themselves.
        let together = kernel.lanes_of_foreach(self.op).is_some();
        let is_unchanged = LazyCell::new(|| own::unchanged(kernel, self.op));
        for &region in &kernel.ops[self.op].regions {
            kernel.walk(region, &mut |_, inner| {
                let mut details = Vec::new();
                let code = match kernel.ops[inner].code {
                    Code::Unknown => ReasonCode::NotUnderstood,
                    Code::Temp | Code::Foreach if together => return,
                    Code::Temp if is_own_of_lanes(kernel, self.op, inner, &*is_unchanged) => return,
                    Code::Temp => {
                        details.extend(kernel.ops[inner].results.first().map(|&array| MessagePart::Value(array)));
                        ReasonCode::TemporaryArray
                    }
                    Code::Foreach => ReasonCode::NestedForeach,
                    _ => return,
                };
                found.push(reason(code, details, vec![inner]));
            });
        }
        found.into_iter().for_each(|reason| self.add(reason));
    }

    // Carried values.

    fn carried(&mut self, all: &[Carried], value: &Carried) {
        let elem = self.kernel().ty(value.arg).data_elem();
        let Some(code) = code_of(all, value.role, elem) else { return };
        // The index of a `for` with a `break` is carried only because the loop may be left.
        if Counting::of(self.kernel(), self.op).is_some_and(|counting| counting.index == value.arg) {
            return;
        }
        let named = match (self.named(value), value.form) {
            (Some(named), _) => named,
            (None, Some(_)) => return,
            // What has no form in lanes keeps the loop in order, by whatever name.
            (None, None) => value.arg,
        };
        let mut places = vec![self.op];
        places.extend(self.maker(value.arg));
        let mut reason = reason(code, vec![MessagePart::Value(named)], places);
        if matches!(value.role, CarriedRole::Reduction { conditional: true, .. }) {
            reason.details.push(MessagePart::Text("in those where a condition holds"));
        }
        // An induction can be had in lanes wherever iterations can.
        reason.blocks = value.form.is_none() && value.role != CarriedRole::Induction && code.blocks();
        reason.blocks &= !self.waits_for_another(all, value);
        let is_ordered = matches!(code, ReasonCode::OrderedFloatSum | ReasonCode::OrderedFloatProduct);
        if is_ordered || self.may_run_on(code, value) {
            reason.fix = Some(Remedy::Reassoc(self.op));
        }
        self.add(reason);
    }

    /// Says whether a value that an iteration has from the one before would have lanes if another one had, of which it is computed.
    fn waits_for_another(&self, all: &[Carried], value: &Carried) -> bool {
        let kernel = self.kernel();
        let from_before = |role: CarriedRole| matches!(role, CarriedRole::Previous | CarriedRole::LastSoFar);
        let waits_for = |other: &Carried| {
            let blocks = code_of(all, other.role, kernel.ty(other.arg).data_elem()).is_some_and(ReasonCode::blocks);
            let is_first =
                other.form.is_none() && blocks && other.role != CarriedRole::Induction && !from_before(other.role);
            let reached = || reach(kernel, &self.nest.forest, self.uses, self.op, other.arg);
            is_first && self.next(value.arg).is_some_and(|next| reached().contains(&next))
        };
        from_before(value.role) && all.iter().any(waits_for)
    }

    /// The value by whose name a carried value is told. What runs on by blocks is told once, by the program's own name for it: the loop
    /// carries that as well, and the number of the iteration.
    fn named(&self, value: &Carried) -> Option<Value> {
        let kernel = self.kernel();
        // The number of the value that an op gives, if it is none of the parts that the loop carries besides.
        let number = |op: Op| match (kernel.ops[op].code.as_running(), &kernel.ops[op].attr) {
            (Some(kind), Attr::Number(part)) => usize::try_from(*part).ok().filter(|&part| part < kind.n_values()),
            _ => None,
        };
        let user = |user: &Use| match *user {
            Use::Operand(op, _) => Some(op),
            Use::Yield(_) => None,
        };
        let users = || self.uses.users(value.arg).iter().filter_map(user);
        match value.role {
            CarriedRole::Blocks { .. } => {
                let own = |op: &Op| number(*op).is_some_and(|n| kernel.ops[*op].operands[1 + n] == value.arg);
                // The second of two that has no name is a cell before the first, which is told.
                let is_told =
                    |op: &Op| number(*op) == Some(0) || kernel.values[kernel.ops[*op].results[0]].name.is_some();
                users().find(own).filter(is_told).map(|op| kernel.ops[op].results[0])
            }
            CarriedRole::Previous if self.maker(value.arg).and_then(number).is_some() => None,
            CarriedRole::Induction if users().any(|op| kernel.ops[op].code.as_running().is_some()) => None,
            _ => Some(value.arg),
        }
    }

    /// Says whether a float that keeps its order may run on by blocks of iterations under `@reassoc`: each iteration multiplies it, or adds
    /// to it. Whether one statement does so is not known here.
    fn may_run_on(&self, code: ReasonCode, value: &Carried) -> bool {
        let kernel = self.kernel();
        let is_float = kernel.ty(value.arg).data_elem().is_some_and(Elem::is_float);
        let of_body = |op: &Op| self.nest.forest.region_of(*op) == kernel.ops[self.op].regions[0];
        let adds = |op: Op| matches!(kernel.ops[op].code, Code::Add | Code::Sub | Code::Mul);
        is_float
            && kernel.ops[self.op].code == Code::For
            && matches!(code, ReasonCode::PrefixSum | ReasonCode::LinearRecurrence)
            && self.maker(value.arg).filter(of_body).is_some_and(adds)
    }

    /// Reductions in the order that the language fixes, which lanes keep.
    fn joined(&mut self) {
        let kernel = self.kernel();
        let data = &kernel.ops[self.op];
        let folds = kernel.control(self.op).map_or(&[][..], |control| &control.reductions);
        let yields = &kernel.regions[data.regions[0]].yields;
        for (n, &fold) in folds.iter().rev().enumerate() {
            let (result, next) = (data.results[data.results.len() - 1 - n], yields[yields.len() - 1 - n]);
            let elem = kernel.ty(result).data_elem();
            let code = match code_of_fold(fold, elem) {
                ReasonCode::OrderedFloatSum => ReasonCode::SumInFixedOrder,
                ReasonCode::OrderedFloatProduct => ReasonCode::ProductInFixedOrder,
                code => code,
            };
            let mut reason = reason(code, vec![MessagePart::Value(result)], vec![self.op]);
            reason.places.extend(kernel.def_op(next));
            reason.blocks = false;
            self.add(reason);
        }
    }

    /// The value that the loop yields for an argument.
    fn next(&self, arg: Value) -> Option<Value> {
        let kernel = self.kernel();
        let data = &kernel.ops[self.op];
        let args = &kernel.regions[data.regions[0]].args;
        let number = args.iter().position(|&other| other == arg)? - kernel.n_ranges(self.op);
        Some(kernel.regions[*data.regions.last()?].yields[number])
    }

    /// The op that makes what the loop yields for an argument.
    fn maker(&self, arg: Value) -> Option<Op> {
        self.kernel().def_op(self.next(arg)?)
    }

    // Cells.

    fn meetings(&mut self) {
        let dependences = self.dependences;
        let wrong: Vec<(usize, &Dependence, i128)> = dependences
            .carried_by(self.op)
            .filter_map(|(number, dependence)| Some((number, dependence, self.limit(dependence)?)))
            .collect();
        if wrong.is_empty() {
            return;
        }
        let body = *self.kernel().ops[self.op].regions.last().expect("a loop has a body");
        // Dependences of overlapping arrays are left out: a runtime alias check before the loop excludes them.
        let order = Order::for_lanes(self.nest, self.uses, dependences, self.op, true);
        for (number, dependence, limit) in wrong {
            if dependence.is_overlap() {
                self.verdict.is_tested = true;
                let reason = self.met(ReasonCode::ArraysMayOverlap, number, dependence);
                self.add(reason);
            } else if !order.is_in_one_component(self.nest, body, dependence.source, dependence.sink) {
                self.verdict.is_reordered = true;
                let mut reason = self.met(ReasonCode::StatementsReordered, number, dependence);
                reason.blocks = false;
                self.add(reason);
            } else if limit > 1 {
                let most = self.verdict.max_lanes.map_or(limit, |most| most.min(limit));
                self.verdict.max_lanes = Some(most);
                let mut reason = self.met(ReasonCode::DistanceLimitsLanes, number, dependence);
                reason.details.extend([MessagePart::Text("so the lanes are limited to"), MessagePart::Number(limit)]);
                self.add(reason);
            } else {
                let code = self.code_of_meeting(dependence);
                let reason = self.met(code, number, dependence);
                self.add(reason);
            }
        }
    }

    /// Returns the number of lanes that keep a dependence, if more lanes would break it.
    fn limit(&self, dependence: &Dependence) -> Option<i128> {
        let meeting = &dependence.meeting;
        // The stores of one op are done in the order of the lanes.
        let is_kept = dependence.source == dependence.sink
            || self.nest.forest.order(dependence.source) < self.nest.forest.order(dependence.sink);
        let level = meeting.least_level.filter(|_| !is_kept);
        match (level, meeting.least_ahead) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        }
    }

    fn code_of_meeting(&self, dependence: &Dependence) -> ReasonCode {
        if self.is_update(dependence) {
            return ReasonCode::Histogram;
        }
        match dependence.meeting.doubts.first() {
            None | Some(Doubt::Guard(_)) => match dependence.kind {
                Kind::Flow => ReasonCode::LoopCarriedFlow,
                Kind::Anti => ReasonCode::LoopCarriedAnti,
                Kind::Output => ReasonCode::LoopCarriedOutput,
            },
            Some(Doubt::Data(_)) => ReasonCode::DataDependentCell,
            Some(Doubt::NotLinear(_) | Doubt::Product) => ReasonCode::NonLinearCell,
            Some(Doubt::TooHard) => ReasonCode::DependenceTooHard,
            Some(Doubt::Overlap) => ReasonCode::ArraysMayOverlap,
        }
    }

    /// Says whether source and sink are the load and the store of one cell that data chooses.
    fn is_update(&self, dependence: &Dependence) -> bool {
        let kernel = self.kernel();
        let (source, sink) = (&kernel.ops[dependence.source], &kernel.ops[dependence.sink]);
        let by_data = matches!(dependence.meeting.doubts.first(), Some(Doubt::Data(_)));
        let one_of_each = source.code != sink.code;
        let rank = usize::from(kernel.ty(source.operands[0]).rank());
        let same = |n: usize| same_cell(kernel, source.operands[n], sink.operands[n], MAX_ALIKE);
        by_data && one_of_each && source.operands[0] == sink.operands[0] && (1..=rank).all(same)
    }

    /// A reason that is a dependence.
    fn met(&self, code: ReasonCode, number: usize, dependence: &Dependence) -> VerdictReason {
        let mut reason = reason(code, Vec::new(), [dependence.source, dependence.sink]);
        reason.dependence = Some(number);
        reason.fix = match dependence.meeting.doubts.first() {
            Some(Doubt::Overlap) => {
                let root = |op: Op| self.kernel().root(self.kernel().ops[op].operands[0]);
                Some(Remedy::NoAlias(root(dependence.source), root(dependence.sink)))
            }
            // If only a condition is in doubt, iterations can touch one cell.
            Some(Doubt::Guard(_)) => None,
            Some(_) if code != ReasonCode::Histogram && self.kernel().ops[self.op].code == Code::For => {
                Some(Remedy::Foreach(self.op))
            }
            _ => None,
        };
        reason
    }

    /// Says whether a store's place grows whenever it is done, so that no two iterations store to one cell: a subscript is a count that
    /// the block around the store, or one around that, adds to, and nothing takes from the count.
    fn grows_with(&self, carried: &[Carried], store: Op) -> bool {
        let kernel = self.kernel();
        let data = &kernel.ops[store];
        let plain = |mut value: Value| {
            while let Some(op) =
                kernel.def_op(value).filter(|&op| matches!(kernel.ops[op].code, Code::Index | Code::Cast))
            {
                value = kernel.ops[op].operands[0];
            }
            // The cells of one store are as far from the count in all iterations.
            split_constant(kernel, value).0
        };
        let rank = usize::from(kernel.ty(data.operands[0]).rank());
        let mut subscripts = data.operands[1..=rank].iter().map(|&subscript| plain(subscript));
        let count = subscripts.find_map(|subscript| {
            let number =
                carried.iter().position(|value| value.arg == subscript && value.role == CarriedRole::Compress)?;
            Some((subscript, number))
        });
        let Some((arg, number)) = count else { return false };
        let next = kernel.regions[kernel.ops[self.op].regions[0]].yields[number];
        let Some(steps) = growing_steps(kernel, arg, next) else { return false };
        let region = |op: Op| self.nest.forest.region_of(op);
        let holds = |step: Op| {
            let mut at = region(store);
            loop {
                match self.nest.forest.owner(at) {
                    _ if at == region(step) => break true,
                    Some(owner) if owner != self.op => at = region(owner),
                    _ => break false,
                }
            }
        };
        steps.into_iter().any(holds)
    }

    /// Iterations of a `foreach` that touch one cell.
    fn collisions(&mut self, carried: &[Carried]) {
        let dependences = self.dependences;
        let kernel = self.nest.kernel;
        let packs = |op: Op| matches!(kernel.ops[op].code, Code::ExpandLoad | Code::CompressStore);
        for (number, dependence) in dependences.carried_by(self.op) {
            // Lanes go through these together, each at the cell that follows those of the lanes before it: the cell of one iteration
            // is not known. A run compares the cells that are touched.
            if packs(dependence.source) || packs(dependence.sink) {
                continue;
            }
            if dependence.source == dependence.sink && self.grows_with(carried, dependence.source) {
                continue;
            }
            let code = if dependence.meeting.is_universal {
                ReasonCode::IterationsCollide
            } else {
                ReasonCode::IterationsMayCollide
            };
            let reason = self.met(code, number, dependence);
            // They are two iterations that collide, whichever of them comes first: the pair is named once.
            let mut pair = reason.places.clone();
            pair.sort();
            if self.known.insert((code, pair)) {
                self.verdict.reasons.push(reason);
            }
        }
    }

    /// Arrays that the loop writes and that were not looked at.
    fn unseen(&mut self) {
        let levels = self.nest.levels_of(self.op);
        let outermost = levels.first().map_or(self.op, |level| level.op);
        for &(array, _) in self.dependences.unseen.iter().filter(|&&(_, within)| within == outermost) {
            let mut stores = self.nest.accesses.iter().filter(|access| access.is_store && access.root == array);
            let inside = |op: Op| self.nest.levels_of(op).iter().any(|level| level.op == self.op);
            if let Some(store) = stores.find(|access| inside(access.op)) {
                let place = store.op;
                self.add(reason(ReasonCode::TooManyAccesses, vec![MessagePart::Value(array)], vec![place]));
            }
        }
    }
}

/// The ops that add to a count, which lead from what an iteration begins with to what it ends with; `None` if one of them may not make it
/// greater.
fn growing_steps(kernel: &Kernel, arg: Value, next: Value) -> Option<Vec<Op>> {
    let (mut open, mut steps) = (vec![next], Vec::new());
    while let Some(value) = open.pop() {
        if value == arg {
            continue;
        }
        let Def::Result(op, number) = kernel.values[value].def else { return None };
        let data = &kernel.ops[op];
        match data.code {
            Code::Add => {
                let [a, b] = data.operands[..] else { return None };
                let is_positive = |value: Value| kernel.as_const(value).and_then(Scalar::wide).is_some_and(|by| by > 0);
                open.push(if is_positive(b) { a } else { Some(b).filter(|_| is_positive(a))? });
                steps.push(op);
            }
            Code::If => open.extend(data.regions.iter().map(|&region| kernel.regions[region].yields[number as usize])),
            Code::Select => open.extend(&data.operands[1..]),
            _ => return None,
        }
    }
    Some(steps)
}

/// Says whether two subscripts are computed alike, loads included: those of one statement are.
fn same_cell(kernel: &Kernel, a: Value, b: Value, depth: usize) -> bool {
    if a == b || depth == 0 {
        return a == b;
    }
    let (Some(x), Some(y)) = (kernel.def_op(a), kernel.def_op(b)) else { return false };
    let (x, y) = (&kernel.ops[x], &kernel.ops[y]);
    let alike = x.code == y.code && x.attr == y.attr && x.operands.len() == y.operands.len();
    let repeats = x.code.is_elementwise() || x.code == Code::Load;
    alike && repeats && x.operands.iter().zip(&y.operands).all(|(&a, &b)| same_cell(kernel, a, b, depth - 1))
}

/// The code of a role; `None` for what stands against nothing.
fn code_of(all: &[Carried], role: CarriedRole, elem: Option<Elem>) -> Option<ReasonCode> {
    Some(match role {
        CarriedRole::Unchanged | CarriedRole::Exit => return None,
        // The other value of the same loop has the code that matters, too.
        CarriedRole::Position { of, .. } if of >= all.len() => return None,
        CarriedRole::Induction => ReasonCode::Induction,
        CarriedRole::Reduction { fold, .. } => code_of_fold(fold, elem),
        CarriedRole::Scan(_) => ReasonCode::PrefixSum,
        CarriedRole::Position { fold: Fold::Min, .. } => ReasonCode::PositionOfMinimum,
        CarriedRole::Position { .. } => ReasonCode::PositionOfMaximum,
        CarriedRole::First => ReasonCode::FindFirst,
        CarriedRole::Last => ReasonCode::FindLast,
        CarriedRole::Compress => ReasonCode::Compress,
        CarriedRole::Expand => ReasonCode::Expand,
        CarriedRole::Previous | CarriedRole::LastSoFar => ReasonCode::PreviousValue,
        CarriedRole::LinearRecurrence => ReasonCode::LinearRecurrence,
        CarriedRole::Blocks { leads: true, .. } => ReasonCode::RunningInFixedOrder,
        CarriedRole::Blocks { leads: false, .. } => return None,
        CarriedRole::Recurrence => ReasonCode::Recurrence,
    })
}

/// The code of what an operator joins.
fn code_of_fold(fold: Fold, elem: Option<Elem>) -> ReasonCode {
    let is_float = elem.is_some_and(Elem::is_float);
    let is_bool = elem == Some(Elem::Bool);
    match fold {
        Fold::Add if is_float => ReasonCode::OrderedFloatSum,
        Fold::Mul if is_float => ReasonCode::OrderedFloatProduct,
        Fold::Add => ReasonCode::Sum,
        Fold::Mul => ReasonCode::Product,
        Fold::Min => ReasonCode::Minimum,
        Fold::Max => ReasonCode::Maximum,
        Fold::And if is_bool => ReasonCode::AllOf,
        Fold::Or if is_bool => ReasonCode::AnyOf,
        Fold::And => ReasonCode::BitwiseAnd,
        Fold::Or => ReasonCode::BitwiseOr,
        Fold::Xor => ReasonCode::BitwiseXor,
    }
}
