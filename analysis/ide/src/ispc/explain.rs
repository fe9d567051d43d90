//! The facts about an ISPC function's lanes, all of them: what `lanescope explain` prints, and a view shows.
//!
//! The data are those of Lane's explanations ([`report::lanes`]), as far as both languages have the same. Beside them stand the loops
//! and branches in words, which say what hovers and hints say, and the variables that could be `uniform`.

mod around;
mod classes;

use queries::ispc::facts::ControlFact;
use queries::ispc::facts::access::{AccessCounts, AccessKind, MemoryAccess};
use queries::ispc::facts::mask::RegionKind;
use queries::ispc::facts::notes::PerformanceNote;
use queries::ispc::facts::words::FactWords;
use queries::ispc::kinds::Kind;
use queries::ispc::tree::{NodeData, NodeKind};
use queries::ispc::typing::body::BodyTypes;
use queries::ispc::typing::pieces::Source;
use queries::ispc::units::{FileId, Unit};
use report::lanes::{Access, Because, Branch, Explained, Flow, InLanes, Loop, Quoted, Value, Verdict};
use report::{ItemKind, TextRange};

use super::range_of;
pub use around::{explain_at, ways_around};
use classes::{class_of, shape_word, stride_of};

/// A function of a unit, with all that is known about its lanes.
#[derive(Clone, Copy)]
pub struct FunctionFacts<'a> {
    /// Its unit.
    pub unit: &'a Unit,
    /// Its declaration, by its number in the unit.
    pub decl: u32,
    /// Its first token.
    pub first: u32,
    /// The types inside of it.
    pub types: &'a BodyTypes,
    /// Its facts, and their words.
    pub words: FactWords<'a>,
    /// The number of lanes.
    pub lanes: u32,
    /// The target.
    pub target: &'static str,
}

/// The facts about the lanes of a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExplainedFunction {
    /// All that Lane's explanations have, too.
    pub facts: Explained<TextRange>,
    /// For each access, how its cells lie in a word or two, and true if it costs more than neighbours do.
    pub orders: Vec<(String, bool)>,
    /// The loops and branches, by place.
    pub ways: Vec<ExplainedWay>,
    /// The variables that could be `uniform`, by place.
    pub uniforms: Vec<UniformAdvice>,
    /// The numbers of accesses, by how their cells lie.
    pub counts: AccessCounts,
    /// The number of lanes.
    pub lanes: u32,
    /// The word for it: `export`, `task` or `function`.
    pub word: &'static str,
}

/// A loop or branch, in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExplainedWay {
    /// Its header or condition.
    pub range: TextRange,
    /// True for a loop.
    pub is_loop: bool,
    /// The word that it starts with: `foreach`, `if`, `?:`.
    pub word: String,
    /// The way that the lanes go.
    pub what: String,
    /// True if it costs lanes.
    pub costs: bool,
    /// The accesses in it, but for those in loops inside of it; none for a branch.
    pub counts: AccessCounts,
    /// The places that made it so, step by step.
    pub because: Vec<Because<Quoted<TextRange>>>,
}

/// A variable that could be `uniform`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UniformAdvice {
    /// Its name where it is declared.
    pub range: TextRange,
    /// Its name.
    pub name: String,
    /// The reason, and what it costs.
    pub message: String,
    /// The change that is advised.
    pub lift: Option<String>,
}

/// The facts about a function; none if it is in no text of the file.
pub fn explain_function(function: &FunctionFacts<'_>) -> Option<ExplainedFunction> {
    let FunctionFacts { unit, words, .. } = *function;
    let (head, end) = unit.names.decls[function.decl as usize].head;
    let range = function.range(head - function.first..end - function.first)?;
    let mut accesses: Vec<(Access<TextRange>, (String, bool))> = Vec::new();
    for access in &words.facts.accesses {
        accesses.extend(function.accesses(access).into_iter().map(|told| (told, function.order(access))));
    }
    accesses.sort_by_key(|(access, _)| (access.range.start(), access.range.end()));
    let (accesses, orders) = accesses.into_iter().unzip();
    let mut values: Vec<_> = (0..words.facts.values.len()).flat_map(|node| function.values(node)).collect();
    values.sort_by_key(|value| (value.range.start(), std::cmp::Reverse(value.range.end())));
    let mut loops = function.loops();
    loops.sort_by_key(|it| it.range.start());
    let mut branches = function.branches();
    branches.sort_by_key(|it| it.range.start());
    let mut ways = function.ways();
    ways.sort_by_key(|way| (way.range.start(), way.range.end()));
    let facts = Explained {
        name: unit.interner.text(unit.names.decls[function.decl as usize].name).to_owned(),
        kind: if function.is_called_from_outside() { ItemKind::Kernel } else { ItemKind::Fn },
        target: function.target,
        range,
        values,
        accesses,
        branches,
        loops,
        scratch: None,
        decisions: Vec::new(),
    };
    let counts = AccessCounts::of(words.facts.accesses.iter());
    Some(ExplainedFunction {
        facts,
        orders,
        ways,
        uniforms: function.uniforms(),
        counts,
        lanes: function.lanes,
        word: function.word(),
    })
}

impl FunctionFacts<'_> {
    /// The place in the file of some of the function's tokens.
    fn range(&self, tokens: std::ops::Range<u32>) -> Option<TextRange> {
        let place = self.unit.place_of(self.first + tokens.start..self.first + tokens.end)?;
        (place.file == FileId::MAIN).then(|| range_of(place))
    }

    fn range_of_node(&self, node: u32) -> Option<TextRange> {
        let NodeData { first, end, .. } = self.words.piece_node(node);
        self.range(first..end)
    }

    fn written(&self, node: u32) -> String {
        self.words.piece.written(node as usize)
    }

    /// The word for it: `export` if other programs call it, `task`, or `function`.
    fn word(&self) -> &'static str {
        let (head, end) = self.unit.names.decls[self.decl as usize].head;
        let kinds = (head..end).map(|token| self.unit.tokens[token as usize].kind);
        let mut words = kinds.take_while(|kind| *kind != Kind::LParen).filter_map(|kind| match kind {
            Kind::Export | Kind::Extern => Some("export"),
            Kind::Task => Some("task"),
            _ => None,
        });
        words.next().unwrap_or("function")
    }

    /// Returns true for a function that other programs call, and for a task.
    fn is_called_from_outside(&self) -> bool {
        self.word() != "function"
    }

    /// The story of a value, each step at its place.
    fn because(&self, cause: Option<u32>) -> Vec<Because<Quoted<TextRange>>> {
        let steps = self.words.steps(cause).into_iter();
        let quoted = steps.filter_map(|(tokens, message)| {
            let text = self.unit.text_of(self.first + tokens.start..self.first + tokens.end);
            Some(Because { place: Quoted { range: self.range(tokens)?, text }, message })
        });
        quoted.collect()
    }

    /// The lanes that come to a region, and the header of the `foreach` whose groups they are.
    fn lanes_at(&self, region: u32) -> (Flow, Option<TextRange>) {
        let facts = self.words.facts;
        let around: Vec<_> = facts.regions.around(region).collect();
        let is_whole = |kind: RegionKind| matches!(kind, RegionKind::Foreach | RegionKind::Unmasked);
        let is_on =
            |kind: RegionKind| is_whole(kind) || (kind == RegionKind::Function && self.is_called_from_outside());
        let flow = match around.first() {
            Some(innermost) if is_on(innermost.kind) && facts.knows_mask => Flow::AllOn,
            _ => Flow::Divergent,
        };
        let foreach = around.iter().find(|region| is_whole(region.kind));
        let foreach = foreach.filter(|region| region.kind == RegionKind::Foreach);
        (flow, foreach.and_then(|region| self.header(region.node)))
    }

    // Values.

    /// The value of a node, and that of the variable which gets it.
    fn values(&self, node: usize) -> Vec<Value<TextRange>> {
        let (layer, at) = (&self.types.layer, node as u32);
        let data = self.words.piece_node(at);
        let (value_node, range) = match (data.kind, &self.words.piece.children(node)[..]) {
            (NodeKind::InitDeclarator, [declarator, value, ..]) => (*value, self.range_of_node(*declarator as u32)),
            _ => (node, self.range_of_node(at)),
        };
        let ty = self.types.types[value_node];
        let Some(value) = self.words.facts.value(value_node) else { return Vec::new() };
        let (Some(range), Some(shape)) = (range, shape_word(value)) else { return Vec::new() };
        if !ty.is_known() || !layer.is_varying(ty) {
            return Vec::new();
        }
        let (flow, lane_loop) = self.lanes_at(self.words.facts.region_at(data.first));
        vec![Value {
            range,
            text: if value_node == node { self.written(at) } else { self.unit_text(range) },
            ty: layer.show(ty),
            is_definition: value_node != node,
            varies: value.is_varying(),
            shape,
            in_some_calls: false,
            lane_loop,
            flow,
            because: if value.is_varying() { self.because(value.cause) } else { Vec::new() },
        }]
    }

    fn unit_text(&self, range: TextRange) -> String {
        self.unit.text(FileId::MAIN).get(std::ops::Range::<usize>::from(range)).unwrap_or_default().to_owned()
    }

    // Accesses.

    fn order(&self, access: &MemoryAccess) -> (String, bool) {
        (self.words.order(access), access.is_apart())
    }

    /// An access as loads and stores.
    fn accesses(&self, access: &MemoryAccess) -> Vec<Access<TextRange>> {
        let Some(range) = self.range_of_node(access.node) else { return Vec::new() };
        let (flow, lane_loop) = self.lanes_at(access.region);
        let stores: &[bool] = match access.kind {
            AccessKind::Load => &[false],
            AccessKind::Store => &[true],
            AccessKind::Update => &[false, true],
        };
        let told = |stores: &bool| Access {
            range,
            text: self.written(access.node),
            array: self.array_of(access.node),
            stores: *stores,
            class: class_of(access, *stores),
            stride: stride_of(access),
            in_some_calls: false,
            lane_loop,
            flow,
            reason: self.words.cells(access),
            lift: self.note_on(access.node, MEMORY_CODES).and_then(|note| note.help.clone()),
            because: if access.is_apart() { self.because(access.cause) } else { Vec::new() },
            is_in_lanes: true,
        };
        stores.iter().map(told).collect()
    }

    /// The variable whose cells they are, or the pointer to them.
    fn array_of(&self, node: u32) -> String {
        let piece = self.words.piece;
        let mut at = node as usize;
        while let Some(first) = piece.children(at).first() {
            at = *first;
        }
        let data = piece.node(at);
        if data.kind == NodeKind::NameUse { piece.text(data.first).into_owned() } else { String::new() }
    }

    /// The note on a node.
    fn note_on(&self, node: u32, codes: &[&str]) -> Option<&PerformanceNote> {
        let NodeData { first, end, .. } = self.words.piece_node(node);
        self.words.facts.notes.iter().find(|note| note.tokens == (first..end) && codes.contains(&note.code))
    }

    // Loops and branches.

    /// The tokens of a statement up to its body.
    fn header(&self, node: u32) -> Option<TextRange> {
        let data = self.words.piece_node(node);
        let body = self.words.piece.children(node as usize).last().map(|body| self.words.piece.node(*body).first);
        let end = match data.kind {
            NodeKind::Do | NodeKind::Cdo => data.first + 1,
            _ => body.filter(|body| *body > data.first).unwrap_or(data.end),
        };
        self.range(data.first..end)
    }

    /// The nodes of loops that lanes come to.
    fn loop_nodes(&self) -> impl Iterator<Item = (u32, NodeKind)> {
        let n_nodes = self.words.facts.values.len() as u32;
        let nodes = (0..n_nodes).map(|node| (node, self.words.piece_node(node).kind));
        nodes.filter(|(_, kind)| is_loop(*kind))
    }

    /// Returns true if lanes leave a loop one by one.
    fn parts(&self, node: u32) -> bool {
        match self.words.facts.control(node) {
            Some(control) => control.parts,
            None => self.words.facts.regions.all().any(|region| region.kind == RegionKind::Loop && region.node == node),
        }
    }

    fn loops(&self) -> Vec<Loop<TextRange>> {
        let told = |(node, kind): (u32, NodeKind)| {
            let is_lane_loop = matches!(kind, NodeKind::Foreach | NodeKind::ForeachTiled);
            let in_lanes = if self.parts(node) { InLanes::UntilTheLast } else { InLanes::Together };
            Some(Loop {
                range: self.header(node)?,
                function: None,
                index: self.dimensions(node).pop().filter(|_| is_lane_loop).unwrap_or_default(),
                is_lane_loop,
                in_lanes: (!is_lane_loop).then_some(in_lanes),
                lanes: is_lane_loop.then_some(self.lanes as u16),
                verdict: Verdict {
                    is_vector: is_lane_loop,
                    in_part: false,
                    collides: false,
                    reasons: Vec::new(),
                    more: Vec::new(),
                },
                lifts: Vec::new(),
                dependences: Vec::new(),
                cost: None,
            })
        };
        self.loop_nodes().filter_map(told).collect()
    }

    fn dimensions(&self, node: u32) -> Vec<String> {
        let piece = self.words.piece;
        let children = piece.children(node as usize).into_iter().map(|child| piece.node(child));
        let dimensions = children.filter(|data| data.kind == NodeKind::Dimension);
        dimensions.map(|data| piece.text(data.first).into_owned()).collect()
    }

    /// The conditions that decide which statements lanes come to.
    fn branch_controls(&self) -> impl Iterator<Item = (&ControlFact, NodeKind)> {
        let controls =
            self.words.facts.controls.iter().map(|control| (control, self.words.piece_node(control.node).kind));
        controls
            .filter(|(_, kind)| matches!(kind, NodeKind::If | NodeKind::Cif | NodeKind::Switch | NodeKind::Conditional))
    }

    fn branches(&self) -> Vec<Branch<TextRange>> {
        let told = |(control, kind): (&ControlFact, NodeKind)| {
            let region = self.words.facts.region_at(self.words.piece_node(control.node).first);
            Some(Branch {
                range: self.range_of_node(control.condition)?,
                text: self.written(control.condition),
                diverges: control.parts,
                coherent: kind == NodeKind::Cif,
                lane_loop: self.lanes_at(region).1,
                because: if control.parts { self.because(control.value.cause) } else { Vec::new() },
            })
        };
        self.branch_controls().filter_map(told).collect()
    }

    fn ways(&self) -> Vec<ExplainedWay> {
        let loops = self.loop_nodes().filter_map(|(node, kind)| self.loop_way(node, kind));
        let branches = self.branch_controls().filter_map(|(control, kind)| self.branch_way(control, kind));
        loops.chain(branches).collect()
    }

    fn branch_way(&self, control: &ControlFact, kind: NodeKind) -> Option<ExplainedWay> {
        let word = match kind {
            NodeKind::Conditional => "?:".to_owned(),
            _ => self.words.piece.text(self.words.piece_node(control.node).first).into_owned(),
        };
        Some(ExplainedWay {
            range: self.range_of_node(control.condition)?,
            is_loop: false,
            word,
            what: format!("{}{}", self.words.ways(control), self.by_type(control)),
            costs: control.parts,
            counts: AccessCounts::default(),
            because: if control.parts { self.because(control.value.cause) } else { Vec::new() },
        })
    }

    /// A condition that is uniform is told apart from one that varies by its type alone, which is run under a mask.
    fn by_type(&self, control: &ControlFact) -> &'static str {
        let ty = self.types.types[control.condition as usize];
        match (control.parts, ty.is_known() && self.types.layer.is_varying(ty)) {
            (true, _) => "",
            (false, false) => ", since the condition is uniform",
            (false, true) => ", though the condition is varying",
        }
    }

    fn loop_way(&self, node: u32, kind: NodeKind) -> Option<ExplainedWay> {
        let word = self.words.piece.text(self.words.piece_node(node).first).into_owned();
        let control = self.words.facts.control(node);
        let dimensions = self.dimensions(node);
        let along = dimensions.last().map(|index| format!("the {} lanes run along `{index}`", self.lanes));
        let over = || control.map_or_else(String::new, |control| self.words.code(control.condition));
        let is_each = matches!(kind, NodeKind::ForeachActive | NodeKind::ForeachUnique);
        let costs = self.parts(node) && !is_each;
        let what = match (kind, along) {
            (NodeKind::Foreach, Some(along)) => match dimensions.split_last() {
                Some((_, outer)) if !outer.is_empty() => {
                    format!("{along}, and together through `{}`", outer.join("`, `"))
                }
                _ => along,
            },
            (NodeKind::ForeachTiled, Some(_)) if dimensions.len() > 1 => {
                format!("the {} lanes lie in a tile of `{}`", self.lanes, dimensions.join("`, `"))
            }
            (NodeKind::ForeachTiled, Some(along)) => along,
            (NodeKind::ForeachActive, _) => "one lane after the other".to_owned(),
            (NodeKind::ForeachUnique, _) => format!("the lanes that have one value of {} at a time", over()),
            _ => match control {
                Some(control) => format!("{}{}", self.words.ways(control), self.by_type(control)),
                None if costs => "lanes leave one by one".to_owned(),
                None => "all lanes leave together".to_owned(),
            },
        };
        let cause = control.and_then(|control| control.value.cause);
        Some(ExplainedWay {
            range: self.header(node)?,
            is_loop: true,
            word,
            what,
            costs,
            counts: self.counts_in(node),
            because: if costs { self.because(cause) } else { Vec::new() },
        })
    }

    /// The accesses in a loop, but for those in loops inside of it.
    fn counts_in(&self, node: u32) -> AccessCounts {
        let first = |node: u32| self.words.piece_node(node).descendants;
        let inner: Vec<u32> =
            self.loop_nodes().map(|(it, _)| it).filter(|it| (first(node)..node).contains(it)).collect();
        let is_own = |access: &&MemoryAccess| {
            let is_in = |of: u32| (first(of)..of).contains(&access.node);
            is_in(node) && !inner.iter().any(|inner| is_in(*inner))
        };
        AccessCounts::of(self.words.facts.accesses.iter().filter(is_own))
    }

    // Variables.

    fn uniforms(&self) -> Vec<UniformAdvice> {
        let told = self.words.facts.uniforms.iter().filter_map(|variable| {
            let is_it =
                |note: &&PerformanceNote| note.code == "ispc-perf-uniform" && note.tokens.start == variable.token;
            let note = self.words.facts.notes.iter().find(is_it)?;
            Some(UniformAdvice {
                range: self.range(variable.token..variable.token + 1)?,
                name: self.types.layer.entity(variable.entity).name.to_string(),
                message: note.message.clone(),
                lift: note.help.clone(),
            })
        });
        told.collect()
    }
}

/// The codes of notes on accesses.
const MEMORY_CODES: &[&str] = &["ispc-perf-gather", "ispc-perf-scatter", "ispc-perf-strided", "ispc-same-cell"];

fn is_loop(kind: NodeKind) -> bool {
    use NodeKind::*;
    matches!(kind, For | Cfor | While | Cwhile | Do | Cdo | Foreach | ForeachTiled | ForeachActive | ForeachUnique)
}
