//! A line and what it comes to, as text.

use rustc_hash::{FxHashMap, FxHashSet};

use super::TraceLine;
use super::line::{Condition, Does, Line, Parts};
use super::superwords::{Pair, Step, Superwords, Why};
use ir::entities::{Op, Origin, Value};
use ir::ops::{Code, PrintForm};
use ir::program::{Attr, Kernel};
use ir::scalar::Scalar;
use ir::target::Target;

/// The column behind which what a statement waits for stands at most, if the statement's text is not longer.
const WAITS_AT: usize = 44;

/// The words for a line.
pub(super) struct Words<'l> {
    line: &'l Line,
    found: &'l Superwords,
    names: FxHashMap<Value, String>,
    /// The pack and lane that a value is of, where the schedule has packs.
    lanes: FxHashMap<Value, (usize, usize)>,
    lines: Vec<TraceLine>,
    around: Origin,
}

/// Which text a value has: that of the line, or that of the schedule, in which packs are vectors and indices are written where they are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum In {
    Line,
    Schedule,
}

/// The text of a line, each part with the place in the source that it is about.
pub(super) fn lines(line: &Line, found: &Superwords, around: Origin, target: &Target) -> Vec<TraceLine> {
    let mut lanes = FxHashMap::default();
    for (number, pack) in found.packs.iter().enumerate() {
        for (lane, &member) in pack.iter().enumerate() {
            if let Does::Op(op) = line.statements[member].does {
                lanes.extend(line.kernel.ops[op].results.first().map(|&result| (result, (number, lane))));
            }
        }
    }
    let mut words = Words { line, found, names: names(line), lanes, lines: Vec::new(), around };
    words.statements();
    words.pairs();
    words.packs(target);
    words.guards();
    words.schedule(target);
    words.lines
}

/// A statement's number in the text.
fn numbered(statement: usize) -> String {
    format!("S_{}", statement + 1)
}

fn listed(statements: impl IntoIterator<Item = usize>) -> String {
    statements.into_iter().map(numbered).collect::<Vec<_>>().join(", ")
}

/// The names of what statements make. A name of the source has the iteration behind it, from the second one on; what has none is called by
/// the number of its statement.
fn names(line: &Line) -> FxHashMap<Value, String> {
    let kernel = &line.kernel;
    let mut names: FxHashMap<Value, String> = FxHashMap::default();
    let given = kernel.values.iter().filter_map(|(value, data)| Some((value, data.name.as_deref()?.to_owned())));
    let mut made: Vec<(Value, usize, usize)> = Vec::new();
    for (number, statement) in line.statements.iter().enumerate() {
        if let Does::Op(op) = statement.does {
            made.extend(kernel.ops[op].results.iter().map(|&result| (result, number, statement.iteration)));
        }
    }
    let in_line: FxHashSet<Value> = made.iter().map(|(value, ..)| *value).collect();
    names.extend(given.filter(|(value, _)| !in_line.contains(value)));
    let mut taken: FxHashSet<String> = names.values().cloned().collect();
    let index = line.index.and_then(|(index, _)| kernel.values[index].name.as_deref().map(str::to_owned));
    for (value, number, iteration) in made {
        let is_index = kernel.def_op(value).is_some_and(|op| kernel.ops[op].code == Code::Advance);
        let own =
            kernel.values[value].name.as_deref().map(str::to_owned).or_else(|| index.clone().filter(|_| is_index));
        let mut name = match own {
            Some(name) if iteration == 0 => name,
            Some(name) => format!("{name}_{iteration}"),
            None => format!("v{}", number + 1),
        };
        // What a variable becomes for the next iteration has that one's number.
        let mut further = iteration;
        while !taken.insert(name.clone()) {
            further += 1;
            name = match kernel.values[value].name.as_deref().or(index.as_deref().filter(|_| is_index)) {
                Some(own) => format!("{own}_{further}"),
                None => format!("{name}_"),
            };
        }
        names.insert(value, name);
    }
    names
}

impl Words<'_> {
    fn say(&mut self, text: String, origin: Option<Origin>) {
        self.lines.push(TraceLine { text, origin });
    }

    fn title(&mut self, text: &str) {
        self.say(String::new(), None);
        self.say(format!("    # {text}"), Some(self.around));
    }

    fn origin(&self, statement: usize) -> Origin {
        let statement = &self.line.statements[statement];
        let of = match statement.does {
            Does::Op(op) => op,
            Does::Guard(_) => statement.source,
        };
        self.line.kernel.ops[of].origin
    }

    // The line.

    fn statements(&mut self) {
        let width = numbered(self.line.statements.len()).len();
        let line = |number: usize| format!("    {:width$}  {}", numbered(number), self.statement(number, In::Line));
        let lines: Vec<String> = (0..self.line.statements.len()).map(line).collect();
        let waits_at = lines.iter().map(|line| line.chars().count()).max().unwrap_or(0).min(WAITS_AT);
        for (number, statement) in lines.into_iter().enumerate() {
            let waits = self.found.nearest(number);
            let text = match waits.is_empty() {
                true => statement,
                false => format!("{statement:waits_at$}  # waits for {}", listed(waits)),
            };
            self.say(text, Some(self.origin(number)));
        }
    }

    fn statement(&self, number: usize, text: In) -> String {
        match &self.line.statements[number].does {
            Does::Op(op) => self.op(*op, text),
            Does::Guard(condition) => format!("guard({})", self.condition(condition, text)),
        }
    }

    fn condition(&self, condition: &Condition, text: In) -> String {
        match condition {
            Condition::Index { index, end, upwards } => {
                let sign = if *upwards { '<' } else { '>' };
                format!("{} {sign} {}", self.value(*index, text), self.value(*end, text))
            }
            Condition::Exists { subscript, array } => {
                format!("{} < size({})", self.value(*subscript, text), self.value(*array, text))
            }
            Condition::Is(value, true) => self.value(*value, text),
            Condition::Is(value, false) => format!("not {}", self.value(*value, text)),
        }
    }

    fn op(&self, op: Op, text: In) -> String {
        let data = &self.line.kernel.ops[op];
        match (data.code, data.results.first()) {
            (Code::Store, _) => {
                let (stored, place) = data.operands.split_last().expect("a store has a value");
                format!("{} = {}", self.cell(place, text), self.value(*stored, text))
            }
            (_, Some(result)) => format!("{} = {}", self.value(*result, text), self.expression(op, text)),
            (_, None) => self.expression(op, text),
        }
    }

    fn expression(&self, op: Op, text: In) -> String {
        let data = &self.line.kernel.ops[op];
        let operands: Vec<String> = data.operands.iter().map(|&value| self.value(value, text)).collect();
        // A sum that is written in place of an index stays apart from what is around it.
        let apart = |operand: &String| match operand.contains(' ') && text == In::Schedule {
            true => format!("({operand})"),
            false => operand.clone(),
        };
        match data.code.row().form {
            PrintForm::Infix(_) | PrintForm::Prefix(_) => {
                self.applied(op, &operands.iter().map(apart).collect::<Vec<_>>(), text)
            }
            _ => self.applied(op, &operands, text),
        }
    }

    /// An op's expression, applied to these operands.
    fn applied(&self, op: Op, operands: &[String], text: In) -> String {
        let data = &self.line.kernel.ops[op];
        match (data.code, data.code.row().form) {
            (Code::Load, _) => self.cell(&data.operands, text),
            (Code::Advance, _) => match operands[1].strip_prefix('-') {
                Some(step) => format!("{} - {step}", operands[0]),
                None => format!("{} + {}", operands[0], operands[1]),
            },
            (_, PrintForm::Infix(symbol)) => format!("{} {symbol} {}", operands[0], operands[1]),
            (_, PrintForm::Prefix(symbol)) => format!("{symbol}{}", operands[0]),
            (Code::Cast, _) => match data.attr {
                Attr::Elem(elem) => format!("{elem}({})", operands[0]),
                _ => format!("cast({})", operands[0]),
            },
            (code, _) => format!("{}({})", code.row().name, operands.join(", ")),
        }
    }

    /// A cell: the array, and all subscripts on the way to it.
    fn cell(&self, place: &[Value], text: In) -> String {
        let kernel = &self.line.kernel;
        let mut subscripts: Vec<String> = place[1..].iter().map(|&value| self.value(value, text)).collect();
        let mut view = place[0];
        while let Some(op) = kernel.def_op(view).filter(|&op| is_first_row(kernel, op)) {
            subscripts.insert(0, self.value(kernel.ops[op].operands[1], text));
            view = kernel.ops[op].operands[0];
        }
        let array = self.value(view, text);
        match subscripts.is_empty() {
            true => array,
            false => format!("{array}[{}]", subscripts.join(", ")),
        }
    }

    fn value(&self, value: Value, text: In) -> String {
        let kernel = &self.line.kernel;
        if let Some(scalar) = kernel.as_const(value) {
            return scalar.to_string();
        }
        if text == In::Schedule {
            if let Some(&(pack, lane)) = self.lanes.get(&value) {
                return format!("{}[{lane}]", self.vector(pack));
            }
            if let Some(ahead) = self.ahead(value) {
                return ahead;
            }
        }
        if let Some(name) = self.names.get(&value) {
            return name.clone();
        }
        let Some(op) = kernel.def_op(value) else { return "_".to_owned() };
        let data = &kernel.ops[op];
        match (data.code, &data.attr) {
            (Code::Index, _) => self.value(data.operands[0], text),
            (Code::Field, Attr::Field(field)) => {
                let name = match kernel.ty(data.operands[0]) {
                    ir::types::Type::View { item: ir::types::CellType::Struct(decl), .. } => {
                        kernel.structs[decl].fields[usize::from(*field)].name.to_string()
                    }
                    _ => "field".to_owned(),
                };
                format!("{}.{name}", self.value(data.operands[0], text))
            }
            _ => self.expression(op, text),
        }
    }

    /// The index of a later iteration, by that of the first.
    fn ahead(&self, value: Value) -> Option<String> {
        let kernel = &self.line.kernel;
        let (index, step) = self.line.index?;
        let (mut at, mut steps) = (value, 0_i128);
        while let Some(op) = kernel.def_op(at).filter(|&op| self.is_step(op, step)) {
            at = kernel.ops[op].operands[0];
            steps += 1;
        }
        let by = steps.checked_mul(step)?;
        if steps == 0 || at != index {
            return None;
        }
        let name = self.names.get(&index)?;
        Some(if by < 0 { format!("{name} - {}", -by) } else { format!("{name} + {by}") })
    }

    /// Says whether an op adds the step of the index.
    fn is_step(&self, op: Op, step: i128) -> bool {
        let kernel = &self.line.kernel;
        let data = &kernel.ops[op];
        matches!(data.code, Code::Advance | Code::Add)
            && kernel.as_const(data.operands[1]).and_then(Scalar::wide) == Some(step)
    }

    // What goes together.

    fn pairs(&mut self) {
        let of = |is_it: fn(&Why) -> bool| -> Vec<Pair> {
            self.found.pairs.iter().copied().filter(|pair| is_it(&pair.why)).collect()
        };
        let neighbours = of(|why| *why == Why::Neighbours);
        let further = of(|why| *why != Why::Neighbours);
        if !neighbours.is_empty() {
            self.title("pairs that load or store neighbouring cells");
        }
        for pair in neighbours {
            let cells = [pair.first, pair.second].map(|it| self.cell_of(it));
            self.pair(pair, &format!("{}, {}", cells[0], cells[1]));
        }
        if !further.is_empty() {
            self.title("pairs that follow: what makes the operands of a pair, or uses its results");
        }
        for pair in further {
            let words = match pair.why {
                Why::Makes(a, b) => format!("what {} and {} need", numbered(a), numbered(b)),
                Why::Uses(a, b) => format!("use what {} and {} make", numbered(a), numbered(b)),
                Why::Neighbours => String::new(),
            };
            self.pair(pair, &words);
        }
        if !self.found.refused.is_empty() {
            self.title("no pairs, though both do the same: the second one waits for the first");
        }
        let of_reduction = self.found.refused.clone();
        for refused in of_reduction {
            let text = format!("    ({}, {})", numbered(refused.first), numbered(refused.second));
            self.say(text, Some(self.origin(refused.second)));
        }
    }

    fn pair(&mut self, pair: Pair, words: &str) {
        let statements = format!("    ({}, {})", numbered(pair.first), numbered(pair.second));
        self.say(format!("{statements:18}  {words}"), Some(self.origin(pair.first)));
    }

    fn cell_of(&self, statement: usize) -> String {
        match self.line.statements[statement].does {
            Does::Op(op) => {
                let data = &self.line.kernel.ops[op];
                let n = data.operands.len() - usize::from(data.code == Code::Store);
                self.cell(&data.operands[..n], In::Line)
            }
            Does::Guard(_) => String::new(),
        }
    }

    fn packs(&mut self, target: &Target) {
        if !self.found.packs.is_empty() {
            self.title(&format!(
                "packs: pairs that share a statement, up to the {} bytes of a register",
                target.register_bytes
            ));
        }
        for pack in &self.found.packs {
            let origin = self.origin(pack[0]);
            self.lines
                .push(TraceLine { text: format!("    ({})", listed(pack.iter().copied())), origin: Some(origin) });
        }
        for pack in &self.found.apart {
            let text = format!("    # ({}) is taken apart: it would wait for itself", listed(pack.iter().copied()));
            let origin = self.origin(pack[0]);
            self.lines.push(TraceLine { text, origin: Some(origin) });
        }
    }

    fn guards(&mut self) {
        if !self.found.implied.is_empty() {
            self.title("guards that a stronger one implies");
        }
        for implied in &self.found.implied {
            let [weak, strong] = [implied.guard, implied.by].map(|guard| self.statement(guard, In::Line));
            let numbers = format!("    {} by {}", numbered(implied.guard), numbered(implied.by));
            let text = format!("{numbers:18}  {weak} by {strong}");
            self.lines.push(TraceLine { text, origin: Some(self.around) });
        }
        if let Some(range) = self.range_of_groups() {
            self.title(&format!("whole groups start in {range}, which tests that guard"));
        }
        if let Some((guard, store)) = self.found.late_guard {
            self.title("no iterations are done together");
            let [guard_number, store_number] = [guard, store].map(numbered);
            let text = format!(
                "    {guard_number} needs what {store_number} stores, so a store is done before it is known whether the next iteration is"
            );
            self.say(text, Some(self.origin(guard)));
        }
    }

    /// The range at whose indices all iterations of a group are there, for a loop that counts.
    fn range_of_groups(&self) -> Option<String> {
        let line = self.line;
        let (_, step) = line.index.filter(|_| line.iterations > 1 && self.found.late_guard.is_none())?;
        let start = self.value(line.start?, In::Line);
        let end = line.statements.iter().find_map(|statement| match &statement.does {
            Does::Guard(Condition::Index { end, .. }) => Some(*end),
            _ => None,
        })?;
        let ahead = step.checked_mul(line.iterations as i128 - 1)?;
        let stop = match line.kernel.as_const(end).and_then(Scalar::wide) {
            Some(end) => (end - ahead).to_string(),
            None if ahead < 0 => format!("{} + {}", self.value(end, In::Line), -ahead),
            None => format!("{} - {ahead}", self.value(end, In::Line)),
        };
        Some(format!("range({start}, {stop}, {})", ahead + step))
    }

    // The schedule.

    fn vector(&self, pack: usize) -> String {
        format!("V{}", self.found.packs[pack][0] + 1)
    }

    fn schedule(&mut self, target: &Target) {
        let (before, with) = self.found.costs;
        let n = self.line.statements.len();
        if self.found.packs.is_empty() {
            let words = match (target.has_lanes(), self.found.late_guard) {
                (false, _) => "nothing is packed: the target has no vector registers",
                (true, Some(_)) => return,
                (true, None) if self.found.refused.is_empty() => {
                    "nothing is packed: no two statements do the same to neighbouring cells"
                }
                (true, None) => "nothing is packed: of all statements that do the same, one waits for the other",
            };
            return self.title(words);
        }
        let verdict = match with < before {
            true => format!("the line costs {with} instead of {before}"),
            false => format!("it does not pay: the line would cost {with} instead of {before}"),
        };
        self.title(&format!("schedule: {} of {n} statements; {verdict}", self.found.schedule.len()));
        for parts in &self.line.parts {
            let text = format!(
                "    # each iteration has a part of `{}`, and `{}` joins them behind the loop",
                parts.name, parts.symbol
            );
            self.lines.push(TraceLine { text, origin: Some(self.around) });
        }
        for step in self.found.schedule.clone() {
            let (text, of) = match step {
                Step::One(number) => (self.statement(number, In::Schedule), number),
                Step::Pack(pack) => (self.packed(pack), self.found.packs[pack][0]),
            };
            self.say(format!("    {text}"), Some(self.origin(of)));
        }
    }

    /// A pack as one statement.
    fn packed(&self, pack: usize) -> String {
        let members = &self.found.packs[pack];
        let line = self.line;
        match &line.statements[members[0]].does {
            Does::Guard(Condition::Is(_, holds)) => {
                let word = if *holds { "all" } else { "none" };
                format!("guard({word}({}))", self.together(members, 0))
            }
            Does::Guard(_) => String::new(),
            Does::Op(op) => {
                let data = &line.kernel.ops[*op];
                let n_place = data.operands.len() - usize::from(data.code == Code::Store);
                match data.code {
                    Code::Load => {
                        let place = self.place(&data.operands);
                        format!("{} = vector_load({place}, lanes={})", self.vector(pack), members.len())
                    }
                    Code::Store => {
                        let place = self.place(&data.operands[..n_place]);
                        format!("vector_store({place}, {})", self.together(members, n_place))
                    }
                    _ => {
                        let operands: Vec<String> =
                            (0..data.operands.len()).map(|it| self.together(members, it)).collect();
                        format!("{} = {}", self.vector(pack), self.applied(*op, &operands, In::Schedule))
                    }
                }
            }
        }
    }

    /// The array and subscripts of a cell, as operands.
    fn place(&self, place: &[Value]) -> String {
        let cell = self.cell(place, In::Schedule);
        match cell.strip_suffix(']').and_then(|cell| cell.rsplit_once('[')) {
            Some((array, subscripts)) => format!("{array}, {subscripts}"),
            None => cell,
        }
    }

    /// The operands of a pack's statements at a position, as a vector.
    fn together(&self, members: &[usize], position: usize) -> String {
        let kernel = &self.line.kernel;
        let operand = |member: usize| match &self.line.statements[member].does {
            Does::Op(op) => kernel.ops[*op].operands[position],
            Does::Guard(Condition::Is(value, _)) => *value,
            Does::Guard(Condition::Index { index, .. }) => *index,
            Does::Guard(Condition::Exists { subscript, .. }) => *subscript,
        };
        let values: Vec<Value> = members.iter().map(|&member| operand(member)).collect();
        let of_parts = |parts: &&Parts| parts.starts.chunks(values.len()).any(|own| own == values);
        if let Some(parts) = self.line.parts.iter().find(of_parts) {
            let first = values[0];
            let from = parts.starts.iter().position(|start| *start == first).unwrap_or(0);
            let until = from + values.len();
            return match until - from == parts.starts.len() {
                true => format!("parts({})", parts.name),
                false => format!("parts({}, {from}..{until})", parts.name),
            };
        }
        let texts = || values.iter().map(|&value| self.value(value, In::Schedule)).collect::<Vec<_>>();
        let places: Option<Vec<(usize, usize)>> = values.iter().map(|value| self.lanes.get(value).copied()).collect();
        if let Some(places) = places.filter(|places| places.iter().all(|place| place.0 == places[0].0)) {
            let pattern: Vec<usize> = places.iter().map(|place| place.1).collect();
            let vector = self.vector(places[0].0);
            let is_whole = pattern.iter().copied().eq(0..self.found.packs[places[0].0].len());
            return if is_whole { vector } else { format!("permute({vector}, pattern={pattern:?})") };
        }
        match values.iter().all(|value| *value == values[0]) || texts().iter().all(|text| *text == texts()[0]) {
            true => texts().remove(0),
            false => format!("pack({})", texts().join(", ")),
        }
    }
}

/// Says whether an op fixes the first subscript of what it is a row of.
fn is_first_row(kernel: &Kernel, op: Op) -> bool {
    let data = &kernel.ops[op];
    data.code == Code::Row && facts::access::dim_of(&data.attr) == 0
}
