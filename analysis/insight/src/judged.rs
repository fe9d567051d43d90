//! A kernel's verdicts and dependences at the places of its source.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use facts::counting::Counting;
use facts::dependence;
use facts::dependence::{Doubt, Numbers, WitnessSymbol};
use facts::loops;
use facts::loops::{Loops, MessagePart, Remedy};
use facts::{Facts, Flow};
use ir::ReasonCode;
use ir::{Code, Kernel, Op, Region, Value};
use passes::Outcomes;
use report::lanes::{Because, InLanes, Lift, Verdict, Witness, Words};
use rustc_hash::{FxHashMap, FxHashSet};

use super::words::{WHILE, iteration_in_words, list};
use super::{LANES_ELSEWHERE, Loop, Site};

type Dependence = report::lanes::Dependence<Site>;
type Reason = report::lanes::Reason<Site>;

/// Places and values of a kernel in terms of its source.
pub(super) trait Source {
    /// Ends work that may be long, if the question has been cancelled.
    fn check_cancelled(&self);
    /// The site that an op came from.
    fn site(&self, op: Op) -> Site;
    /// The site that stands for a loop: the name of its index, or the whole loop if the name has no site in it.
    fn site_of_loop(&self, op: Op, index: Option<Value>) -> Site;
    /// Tells if a value stands somewhere in the source.
    fn is_written(&self, value: Value) -> bool;
    /// The text of a value: its name, or the expression that computes it; `None` for a value that nobody wrote.
    fn text(&self, value: Value) -> Option<String>;
}

/// All loops of a kernel, outer ones before inner ones, with their verdicts and the dependences that are reasons.
pub(super) fn loops(
    kernel: &Kernel,
    facts: &Facts,
    known: &Loops,
    made: Option<&Outcomes>,
    source: &dyn Source,
) -> Vec<Loop> {
    let judge = Judge::new(kernel, facts, made, source, known);
    known.list.iter().map(|known| judge.of_loop(known)).collect()
}

/// All dependences in the iterations of each loop; those that the loop carries come first.
pub(super) fn dependences(kernel: &Kernel, facts: &Facts, known: &Loops, source: &dyn Source) -> Vec<Vec<Dependence>> {
    let judge = Judge::new(kernel, facts, None, source, known);
    let of_loop = |op| judge.meeting_in(op).zip(0..).map(|((_, it), n)| judge.dependence(op, n, it)).collect();
    known.list.iter().map(|known| of_loop(known.op)).collect()
}

/// One dependence that a loop carries, by its number in the kernel.
pub(super) fn dependence(
    kernel: &Kernel,
    facts: &Facts,
    known: &Loops,
    (op, number): (Op, usize),
    source: &dyn Source,
) -> Dependence {
    let judge = Judge::new(kernel, facts, None, source, known);
    judge.dependence(op, 0, &known.dependences.list[number])
}

/// The dependences of a loop that are reasons, by their numbers in the kernel.
type Met = FxHashMap<usize, Dependence>;

struct Judge<'k> {
    kernel: &'k Kernel,
    facts: &'k Facts,
    /// The outcomes of the passes; `None` for a kernel that is not understood, which no pass has seen.
    made: Option<&'k Outcomes>,
    source: &'k dyn Source,
    known: &'k Loops,
    /// The levels around what stands in a region, as far as they were asked for: thousands of accesses stand in one.
    levels: RefCell<FxHashMap<Region, Rc<[NamedLevel]>>>,
}

/// A level around an access: a `while` that does not count has no index, and is named by its word.
struct NamedLevel {
    name: Option<Arc<str>>,
    /// True if the index stands in the source, or if there is none: those over the elements of whole arrays nobody wrote.
    is_written: bool,
}

impl<'k> Judge<'k> {
    fn new(
        kernel: &'k Kernel,
        facts: &'k Facts,
        made: Option<&'k Outcomes>,
        source: &'k dyn Source,
        known: &'k Loops,
    ) -> Judge<'k> {
        Judge { kernel, facts, made, source, known, levels: RefCell::default() }
    }
}

/// The number of reasons of one code that are put into words; of the others, those that are the first of an access.
const MOST_ALIKE: usize = 20;

/// With more dependences than this against a loop's lanes no way out is tried.
const MOST_TRIED: usize = 8;

/// The codes of values that a loop carries only to be left early.
const OF_EXIT: [ReasonCode; 4] = [ReasonCode::AllOf, ReasonCode::AnyOf, ReasonCode::FindFirst, ReasonCode::Induction];

/// The reasons of a verdict that are put into words, and the number of the others by code.
fn told(reasons: &[loops::VerdictReason]) -> (Vec<&loops::VerdictReason>, Vec<(report::ReportCode, usize)>) {
    let mut n_told: FxHashMap<ReasonCode, usize> = FxHashMap::default();
    let mut places: FxHashSet<(ReasonCode, Op)> = FxHashSet::default();
    let mut more: BTreeMap<ReasonCode, usize> = BTreeMap::new();
    let told = reasons.iter().filter(|reason| {
        let is_first = reason.places.iter().filter(|&&place| places.insert((reason.code, place))).count() > 0;
        let n_told = n_told.entry(reason.code).or_default();
        let is_told = is_first || *n_told < MOST_ALIKE;
        *if is_told { n_told } else { more.entry(reason.code).or_default() } += 1;
        is_told
    });
    (told.collect(), more.into_iter().map(|(code, n)| (code.into(), n)).collect())
}

impl Judge<'_> {
    fn of_loop(&self, known: &loops::Loop) -> Loop {
        let op = known.op;
        let index = self.index(op);
        let is_lane_loop = self.is_lane_loop(op);
        let (told, more) = told(&known.verdict.reasons);
        let met = self.met(op, &told);
        let leaves = told.iter().any(|reason| reason.code == ReasonCode::EarlyExit);
        let told = told.into_iter().filter(|reason| !leaves || !self.is_of_a_flag(reason));
        let told = told.filter(|reason| !self.is_of_a_value(reason));
        let mut reasons: Vec<Reason> = told
            .map(|reason| {
                let is_divided = reason.dependence.is_some_and(|number| self.is_divided(number));
                let worded = self.reason(op, reason, &met);
                Reason { blocks: worded.blocks && !is_divided, ..worded }
            })
            .collect();
        // That a loop is left where a condition holds says what it carries for that.
        let of_exit = |reason: &&mut Reason| leaves && OF_EXIT.iter().any(|code| reason.code == *code);
        reasons.iter_mut().filter(of_exit).for_each(|reason| reason.blocks = false);
        // A `while` has lanes only where it goes in blocks, whatever it hands on and wherever it is left. A `foreach` has all of it in lanes
        // unless its iterations collide: what else stood against that was gone by then.
        let collide = |reason: &Reason| reason.blocks && reason.code == ReasonCode::IterationsCollide;
        let is_foreach = self.kernel.ops[op].code == Code::Foreach;
        let is_whole = match self.kernel.ops[op].code {
            Code::While => true,
            Code::Foreach => !reasons.iter().any(collide),
            _ => false,
        };
        if is_whole && self.lanes(op).is_some() {
            reasons.iter_mut().for_each(|reason| reason.blocks = false);
        }
        // What stood against a loop all of which is in lanes was lifted on the way.
        let is_lifted = self.lanes(op).is_some() && self.made.is_some_and(|made| made.has_no_order(self.place(op)));
        if is_lifted && !is_foreach {
            reasons.iter_mut().for_each(|reason| reason.blocks = false);
        }
        let blocked = reasons.iter().any(|reason| reason.blocks);
        let has_lanes = match self.made {
            Some(_) => self.lanes(op).is_some(),
            None => {
                is_lane_loop
                    && passes::refusal(self.kernel, self.facts, self.known, op).is_none_or(|refusal| refusal.is_lifted)
            }
        };
        if !has_lanes && !blocked {
            reasons.splice(0..0, self.refused(op));
        }
        let mut met: Vec<_> = met.into_values().collect();
        met.sort_unstable_by_key(|it| it.number);
        let first = reasons.iter().find(|reason| reason.blocks);
        let verdict = Verdict {
            is_vector: has_lanes && !blocked,
            // A `foreach` whose iterations collide is wrong in all its parts.
            in_part: has_lanes && blocked && !is_foreach,
            collides: first.is_some_and(|reason| reason.code == ReasonCode::IterationsCollide),
            reasons,
            more,
        };
        Loop {
            range: self.source.site_of_loop(op, index),
            function: None,
            index: index.map_or_else(String::new, |index| self.index_name(index)),
            is_lane_loop,
            in_lanes: self.in_lanes(op).filter(|_| !has_lanes),
            lanes: self.lanes(op),
            verdict,
            lifts: Vec::new(),
            dependences: met,
            cost: None,
        }
    }

    /// True for a reason that is a carried value which nobody wrote: a flag that tells if the loop is left.
    fn is_of_a_flag(&self, reason: &loops::VerdictReason) -> bool {
        let is_unwritten =
            |part: &MessagePart| matches!(part, MessagePart::Value(value) if self.source.text(*value).is_none());
        reason.dependence.is_none() && reason.code != ReasonCode::EarlyExit && reason.details.iter().any(is_unwritten)
    }

    /// True for a reason that is a dependence through a cell which the loop carries as a value by now.
    fn is_of_a_value(&self, reason: &loops::VerdictReason) -> bool {
        let Some((made, number)) = self.made.zip(reason.dependence) else { return false };
        let met = &self.known.dependences.list[number];
        [met.source, met.sink].iter().all(|&end| made.is_promoted(self.place(end)))
    }

    /// True for a dependence between iterations that are in different ones of the loops that theirs was divided into.
    fn is_divided(&self, number: usize) -> bool {
        let met = &self.known.dependences.list[number];
        self.made.is_some_and(|made| made.are_divided(self.place(met.source), self.place(met.sink)))
    }

    fn place(&self, op: Op) -> u32 {
        self.kernel.origins[self.kernel.ops[op].origin].place
    }

    fn lanes(&self, op: Op) -> Option<u16> {
        self.made?.lanes(self.place(op))
    }

    /// The index that lanes run along: the last one of a range loop, and the first value that a counting `while` carries.
    fn index(&self, op: Op) -> Option<Value> {
        let args = &self.kernel.regions[self.kernel.ops[op].regions[0]].args;
        match self.kernel.n_ranges(op) {
            0 => {
                let counts = self.kernel.control(op).is_some_and(|control| control.marks.counts);
                let body = self.kernel.ops[op].regions.last()?;
                counts.then(|| self.kernel.regions[*body].args.first().or(args.first()).copied())?
            }
            n => args.get(n - 1).copied(),
        }
    }

    fn index_name(&self, index: Value) -> String {
        self.kernel.values[index].name.as_deref().unwrap_or_default().to_owned()
    }

    /// The way in which lanes of a loop around this one go through it.
    fn in_lanes(&self, op: Op) -> Option<InLanes> {
        let around = self.facts.lane_loops[self.known.forest.region_of(op)]?;
        self.lanes(around)?;
        let flow = |region: Region| self.facts.flows[region];
        let outside = flow(self.known.forest.region_of(op));
        let inside = self.kernel.ops[op].regions.iter().map(|&region| flow(region)).max()?;
        Some(if inside > outside.max(Flow::Uniform) { InLanes::UntilTheLast } else { InLanes::Together })
    }

    fn is_lane_loop(&self, op: Op) -> bool {
        let forest = &self.known.forest;
        match self.kernel.ops[op].code {
            // If no loop of its nest takes lanes, the innermost `while` stands for the nest.
            Code::While => {
                let is_innermost =
                    !forest.loops_inside(op).iter().any(|&inner| self.kernel.ops[inner].code == Code::While);
                is_innermost && !self.facts.loops.iter().any(|&other| forest.are_nested(other, op))
            }
            _ => self.facts.loops.contains(&op),
        }
    }

    // Reasons.

    fn reason(&self, op: Op, reason: &loops::VerdictReason, met: &Met) -> Reason {
        let met = reason.dependence.and_then(|number| met.get(&number));
        let meaning = reason.code.meaning();
        let details = match met {
            // The meaning says already what is in doubt.
            Some(_) if reason.code == ReasonCode::DependenceTooHard => String::new(),
            Some(met) => met.sentence(),
            None => self.words(&reason.details),
        };
        let limit = match (reason.code, reason.details.last()) {
            (ReasonCode::DistanceLimitsLanes, Some(MessagePart::Number(most))) => format!("; at most {most} lanes"),
            _ => String::new(),
        };
        let message = if details.is_empty() { meaning.to_owned() } else { format!("{meaning}: {details}{limit}") };
        let related = match met {
            Some(met) => vec![
                Because { place: met.source, message: met.words_at_source() },
                Because { place: met.sink, message: met.words_at_sink() },
            ],
            None => self.related(op, reason),
        };
        let lifts = reason.fix.iter().map(|fix| match fix {
            Remedy::Reassoc(_) => Lift::Reassoc,
            Remedy::Foreach(_) => Lift::Foreach,
            Remedy::NoAlias(..) => Lift::NoAlias,
        });
        Reason {
            code: reason.code.into(),
            blocks: reason.blocks,
            message,
            related,
            dependence: met.map(|met| met.number),
            not_positive: reason.dependence.and_then(|number| self.not_positive(op, number)),
            is_elsewhere: false,
            lifts: lifts.collect(),
        }
    }

    fn related(&self, op: Op, reason: &loops::VerdictReason) -> Vec<Because<Site>> {
        let places = reason.places.iter().filter(|&&place| place != op);
        let carried = reason.details.iter().find_map(|part| match part {
            MessagePart::Value(value) => self.source.text(*value),
            _ => None,
        });
        let message = match carried {
            Some(name) if reason.places.len() > 1 => format!("here `{name}` gets its next value"),
            _ => "because of this".to_owned(),
        };
        places.map(|&op| Because { place: self.source.site(op), message: message.clone() }).collect()
    }

    fn words(&self, parts: &[MessagePart]) -> String {
        let words = parts.iter().map(|part| match part {
            MessagePart::Text(text) => Some((*text).to_owned()),
            MessagePart::Number(number) => Some(number.to_string()),
            MessagePart::Value(value) => self.source.text(*value).map(|text| format!("`{text}`")),
            MessagePart::Iteration(at) => Some(format!("iteration {}", list(at))),
            MessagePart::Cell(array, at) => Some(format!("`{}[{}]`", self.name(*array), list(at))),
        });
        // A sentence with a gap for a value that has no text would be worse than none.
        words.collect::<Option<Vec<_>>>().map(|words| words.join(" ")).unwrap_or_default()
    }

    /// The reason that keeps a loop in order although its verdict does not: the lanes of its nest are elsewhere, or the passes
    /// refuse an op in it.
    fn refused(&self, op: Op) -> Option<Reason> {
        let reason = |code: ReasonCode, message: String, related| Reason {
            code: code.into(),
            blocks: true,
            message,
            related,
            dependence: None,
            not_positive: None,
            is_elsewhere: code == LANES_ELSEWHERE,
            lifts: Vec::new(),
        };
        let forest = &self.known.forest;
        if let Some(percent) = self.made.and_then(|made| made.percent_with_lanes(self.place(op))) {
            let meaning = ReasonCode::LanesCostMore.meaning();
            let message = format!("{meaning}: {percent} % of what these cost, by the target's table");
            return Some(reason(ReasonCode::LanesCostMore, message, Vec::new()));
        }
        let elsewhere = self.facts.loops.iter().copied().find(|&other| forest.are_nested(other, op));
        if let Some(other) = elsewhere {
            let index = self.index(other);
            let name = index.map_or_else(String::new, |index| self.index_name(index));
            let is_inside = forest.encloses(op, other);
            let would = if self.lanes(other).is_some() { "has" } else { "would have" };
            let where_ = if is_inside { "inside of" } else { "around" };
            let message = format!("the loop over `{name}`, {where_} this one, {would} the lanes");
            let place = self.source.site_of_loop(other, index);
            return Some(reason(LANES_ELSEWHERE, message, vec![Because { place, message: String::new() }]));
        }
        let refusal = passes::refusal(self.kernel, self.facts, self.known, op)?;
        let related = if refusal.op == op {
            Vec::new()
        } else {
            vec![Because { place: self.source.site(refusal.op), message: "because of this".to_owned() }]
        };
        Some(reason(refusal.code, refusal.code.meaning().to_owned(), related))
    }

    // Dependences.

    /// The dependences in the iterations of a loop, with their numbers in the kernel: those that the loop carries, then those
    /// within one iteration of it and of no loop inside.
    fn meeting_in(&self, op: Op) -> impl Iterator<Item = (usize, &dependence::Dependence)> {
        let within = move |it: &dependence::Dependence| {
            it.meeting.carried.is_none() && it.levels.last().is_some_and(|level| level.op == op)
        };
        let all = &self.known.dependences;
        all.carried_by(op).chain(all.inside(op).filter(move |(_, it)| within(it)))
    }

    /// The dependences of a loop that are reasons. In a long kernel they are few among all dependences, whose words would be
    /// most of the memory that the facts take.
    fn met(&self, op: Op, reasons: &[&loops::VerdictReason]) -> Met {
        let wanted: FxHashSet<usize> = reasons.iter().filter_map(|reason| reason.dependence).collect();
        let met = self.meeting_in(op).zip(0..).filter(|((number, _), _)| wanted.contains(number));
        met.map(|((number, it), n)| (number, self.dependence(op, n, it))).collect()
    }

    fn dependence(&self, op: Op, number: u32, it: &dependence::Dependence) -> Dependence {
        self.source.check_cancelled();
        let meeting = &it.meeting;
        let own = it.levels.iter().rposition(|level| level.op == op);
        let position = meeting.carried.or(own).unwrap_or(0);
        let small = |n: i128| i64::try_from(n).ok();
        let doubts = self.doubts(&meeting.doubts);
        Dependence {
            number,
            kind: it.kind,
            source: self.source.site(it.source),
            sink: self.source.site(it.sink),
            array: self.name(it.array),
            is_carried: meeting.carried.is_some(),
            direction: meeting.directions.get(position).map_or("*", |direction| direction.sign()),
            distance: meeting.distances.get(position).copied().flatten().and_then(small),
            directions: meeting.directions.iter().map(|direction| direction.sign()).collect(),
            distances: meeting.distances.iter().map(|distance| distance.and_then(small)).collect(),
            witness: meeting.witness.as_ref().map(|witness| self.witness(it, position, witness)),
            test: meeting.test.name(),
            doubts,
            words: self.words_of(it),
        }
    }

    fn witness(&self, it: &dependence::Dependence, position: usize, witness: &dependence::Witness) -> Witness {
        let at = |all: &[i128]| all.get(position).copied().map_or(0, clamped);
        let levels = self.levels(it.source);
        let name = |level: &NamedLevel| level.name.clone().unwrap_or_else(|| "_".into());
        let outer = levels.iter().map(name).zip(&witness.source).take(position);
        let symbol = |symbol: &WitnessSymbol| match symbol {
            WitnessSymbol::Value(value) => self.source.text(*value),
            WitnessSymbol::Size(array, dim) => Some(format!("size {dim} of {}", self.name(*array))),
        };
        let known = witness.symbols.iter().filter(|(of, _)| !self.follows(of, &witness.symbols));
        let symbols = known.filter_map(|(of, n)| Some((symbol(of)?, clamped(*n))));
        Witness {
            iterations: [at(&witness.source), at(&witness.sink)],
            outer: outer.map(|(name, n)| (name, clamped(*n))).collect(),
            all: [&witness.source, &witness.sink].map(|all| all.iter().copied().map(clamped).collect()),
            symbols: symbols.collect(),
            cell: witness.cell.iter().copied().map(clamped).collect(),
        }
    }

    fn words_of(&self, it: &dependence::Dependence) -> Words {
        let Some(witness) = &it.meeting.witness else { return Words::default() };
        let cell = format!("`{}[{}]`", self.name(it.array), list(&witness.cell));
        let ends = [(it.source, &witness.source), (it.sink, &witness.sink)];
        let [source, sink] = ends.map(|(op, iteration)| -> Vec<(Option<Arc<str>>, i128)> {
            let written = |level: &NamedLevel| level.name.clone().filter(|_| level.is_written);
            self.levels(op).iter().map(written).zip(iteration.iter().copied()).collect()
        });
        // Which elements of whole arrays meet the cell tells, unless that is all in which the two differ.
        let written = |levels: &[(Option<Arc<str>>, i128)]| -> Numbers {
            levels.iter().filter_map(|(name, n)| name.as_ref().map(|_| *n)).collect()
        };
        let (first, last) = (written(&source), written(&sink));
        let n_common = first.len().min(last.len());
        let with_elements = first[..n_common] == last[..n_common];
        // That both are in one turn of the `while`s around need not be said.
        let both = source.iter().zip(&sink);
        let n_turns = both.take_while(|(a, b)| a == b && a.0.as_deref() == Some(WHILE)).count();
        let at = |op: Op, levels: &[(Option<Arc<str>>, i128)]| {
            let verb = if self.kernel.effect(op) == ir::Effect::Writes { "writes" } else { "reads" };
            let levels = &levels[n_turns.min(levels.len().saturating_sub(1))..];
            format!("{} {verb} {cell}", iteration_in_words(levels, with_elements))
        };
        let assumed = self.assumed(it).into_iter();
        let assumed = assumed.filter_map(|(value, number)| Some(format!("`{}` = {number}", self.source.text(value)?)));
        let mut assumed = assumed.collect::<Vec<_>>().join(", ");
        if witness.leaves && !assumed.is_empty() {
            assumed.push_str(&format!(", for which another iteration is outside of `{}`", self.name(it.array)));
        }
        Words { source: at(it.source, &source), sink: at(it.sink, &sink), assumed }
    }

    /// The values that the cells of both accesses are computed from, with those that the witness has for them.
    fn assumed(&self, it: &dependence::Dependence) -> Vec<(Value, i128)> {
        let Some(witness) = &it.meeting.witness else { return Vec::new() };
        let chosen = witness.symbols.iter().filter_map(|(symbol, number)| match symbol {
            WitnessSymbol::Value(value) if [it.source, it.sink].iter().any(|&op| self.chooses(*value, op)) => {
                Some((symbol, *value, *number))
            }
            _ => None,
        });
        let own = chosen.filter(|(symbol, ..)| !self.follows(symbol, &witness.symbols));
        own.map(|(_, value, number)| (value, number)).collect()
    }

    /// True for a value that is computed from others of the witness: of `clz(n)` beside `n` the analysis knows nothing, so the number that
    /// it has there says nothing either.
    fn follows(&self, symbol: &WitnessSymbol, all: &[(WitnessSymbol, i128)]) -> bool {
        let &WitnessSymbol::Value(of) = symbol else { return false };
        // Nearly all are parameters.
        if self.kernel.def_op(of).is_none() {
            return false;
        }
        let from = |value: Value| match self.kernel.def_op(value) {
            Some(op) => self.kernel.ops[op].operands.to_vec(),
            None => Vec::new(),
        };
        let (mut open, mut seen) = (from(of), FxHashSet::default());
        while let Some(at) = open.pop() {
            if all.iter().any(|(other, _)| *other == WitnessSymbol::Value(at)) {
                return true;
            }
            if seen.insert(at) {
                open.extend(from(at));
            }
        }
        false
    }

    /// The name of the value in the subscripts that has to be 0 or less, if there is only one, for two iterations to meet. That it
    /// is greater is tried on all dependences that keep the loop in order: one alone is no way to lanes.
    fn not_positive(&self, op: Op, number: usize) -> Option<String> {
        let list = &self.known.dependences.list;
        let mut symbols = list[number].meeting.witness.iter().flat_map(|witness| &witness.symbols);
        if !symbols.any(|(_, number)| *number <= 0) {
            return None;
        }
        let [(value, ..=0)] = self.assumed(&list[number])[..] else { return None };
        let name = self.kernel.values[value].name.as_ref()?;
        let known = self.known.list.iter().find(|known| known.op == op)?;
        let blocking = known.verdict.reasons.iter().filter(|reason| reason.blocks);
        let against: Vec<_> = blocking.filter_map(|reason| reason.dependence).take(MOST_TRIED + 1).collect();
        let stays = |&n: &usize| {
            self.source.check_cancelled();
            dependence::stays_if_positive(self.kernel, &self.known.forest, &list[n], value)
        };
        (against.len() <= MOST_TRIED && !against.iter().any(stays)).then(|| name.to_string())
    }

    /// Returns true if the cell of an access is computed from a value.
    fn chooses(&self, value: Value, access: Op) -> bool {
        let data = &self.kernel.ops[access];
        let rank = usize::from(self.kernel.ty(data.operands[0]).rank());
        let mut open = data.operands[1..=rank].to_vec();
        let mut seen = FxHashSet::default();
        while let Some(at) = open.pop() {
            if at == value {
                return true;
            }
            if let Some(op) = self.kernel.def_op(at).filter(|_| seen.insert(at)) {
                open.extend(&self.kernel.ops[op].operands);
            }
        }
        false
    }

    /// The levels around an access, outermost first.
    fn levels(&self, op: Op) -> Rc<[NamedLevel]> {
        let region = self.known.forest.region_of(op);
        if let Some(known) = self.levels.borrow().get(&region) {
            return known.clone();
        }
        let mut around: Vec<Op> = self.known.forest.around(op).collect();
        around.reverse();
        let mut levels = Vec::new();
        let named =
            |index: Value| NamedLevel { name: Some(self.name(index)), is_written: self.source.is_written(index) };
        for around in around {
            let args = &self.kernel.regions[self.kernel.ops[around].regions[0]].args;
            match self.kernel.n_ranges(around) {
                0 => levels.push(match Counting::of(self.kernel, around) {
                    Some(counting) => named(counting.index),
                    None => NamedLevel { name: Some(WHILE.into()), is_written: true },
                }),
                n => levels.extend(args[..n].iter().map(|&arg| named(arg))),
            }
        }
        self.levels.borrow_mut().entry(region).or_insert(levels.into()).clone()
    }

    /// The doubts in words, each once, with all data in one sentence.
    fn doubts(&self, doubts: &[Doubt]) -> Vec<String> {
        let mut data: Vec<String> = Vec::new();
        for doubt in doubts {
            if let Doubt::Data(value) = doubt {
                data.extend(self.source.text(*value).filter(|text| !data.contains(text)));
            }
        }
        let of_data = match &data[..] {
            [] | [_] => None,
            [first @ .., last] => {
                Some(format!("that depends on `{}` and `{last}`, which are data", first.join("`, `")))
            }
        };
        let mut told: Vec<String> = of_data.into_iter().collect();
        let merged = told.len() == 1;
        for doubt in doubts.iter().filter(|doubt| !merged || !matches!(doubt, Doubt::Data(_))) {
            told.extend(self.doubt(*doubt).filter(|words| !told.contains(words)));
        }
        told
    }

    fn doubt(&self, doubt: Doubt) -> Option<String> {
        Some(match doubt {
            Doubt::Data(value) => format!("that depends on `{}`, which is data", self.source.text(value)?),
            Doubt::NotLinear(value) => format!("`{}` is not linear in the iterations", self.source.text(value)?),
            Doubt::Guard(value) => {
                let text = self.source.text(value)?;
                format!("whether they do depends on the condition `{text}`, which data decides")
            }
            Doubt::Product => "a subscript has a product of two values, of which nothing more is known".to_owned(),
            Doubt::TooHard => "finding out would take too long".to_owned(),
            Doubt::Overlap => "`@alias` says that the arrays may overlap".to_owned(),
        })
    }

    fn name(&self, value: Value) -> Arc<str> {
        self.kernel.values[value].name.clone().unwrap_or_else(|| "_".into())
    }
}

fn clamped(n: i128) -> i64 {
    i64::try_from(n).unwrap_or(if n < 0 { i64::MIN } else { i64::MAX })
}
