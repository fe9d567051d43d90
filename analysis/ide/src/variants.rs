//! What if: a kernel for other targets, with other lanes, and under other attributes, without an edit of its text.
//!
//! A *variant* is a kernel made in one way. Its row has the estimated cost of each innermost loop. Targets and lanes are options of the
//! passes. An attribute is part of the program: it is written above the kernel in a copy of the text, as [fixes](crate::fixes) are tried, and the
//! same edit applies it.
//!
//! Estimates are from the table that the passes decide by, so rows can be held against each other; they foretell no time.

use hir::builtins::AttributeId;
use ir::target::{TARGETS, Target};
use passes::pipeline::Options;
use queries::check::start_of;
use queries::db::{Item, dense_map, made_for};
use queries::host::Host;
use queries::templates::kernel_named;
use queries::uses::Surroundings;
use report::lanes::Resource;
use report::{ItemKind, TextEdit, TextRange, TextSize, apply_edits};

use crate::explain::{Loop, LoopCost, costed};

/// A change of a kernel's text, as of the attributes above it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KernelChange {
    /// The change in a few words: `@fast`, `without @fast`.
    pub title: String,
    /// The effect on results, as a sentence; nothing where they keep their bits.
    pub results: &'static str,
    /// The edits that make it.
    pub edits: Vec<TextEdit>,
}

/// A way in which a kernel is made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KernelVariant {
    /// The target and the lanes.
    pub options: Options,
    /// The change of its attributes, if there is one.
    pub change: Option<KernelChange>,
}

/// An innermost loop of a variant.
#[derive(Debug, Clone, PartialEq)]
pub struct VariantLoop {
    /// Its header, in the text as it is.
    pub header: TextRange,
    /// The number of its lanes, or the reason why it has none, in words: `8 lanes`.
    pub headline: String,
    /// Its estimated cost.
    pub cost: LoopCost,
    /// The differences from the kernel as it is, in words; nothing for that itself.
    pub differs: String,
}

/// A variant with what becomes of the kernel's loops.
#[derive(Debug, Clone, PartialEq)]
pub struct VariantRow {
    /// The variant.
    pub variant: KernelVariant,
    /// True for the kernel as it is, for the target that questions are about.
    pub is_present: bool,
    /// Its innermost loops, by place.
    pub loops: Vec<VariantLoop>,
    /// The differences from the kernel as it is in all loops, in words.
    pub differs: String,
}

impl VariantRow {
    /// The estimated cycles of an element in all innermost loops together.
    pub fn cycles(&self) -> f64 {
        self.loops.iter().map(|it| it.cost.cycles()).sum()
    }

    /// The name of the variant: `avx2`, `avx2, 16 lanes`, `avx2, @fast`.
    pub fn name(&self) -> String {
        let KernelVariant { options, change } = &self.variant;
        let lanes = options.lanes.map(|lanes| format!(", {lanes} lane{}", if lanes == 1 { "" } else { "s" }));
        let change = change.as_ref().map(|change| format!(", {}", change.title));
        format!("{}{}{}", options.target.name, lanes.unwrap_or_default(), change.unwrap_or_default())
    }
}

/// Which variants of a kernel are asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WantedVariants {
    /// Targets, beside the one that questions are about.
    pub targets: Vec<&'static Target>,
    /// Numbers of lanes on that one.
    pub lanes: Vec<u16>,
    /// Attributes on that one: all that are tried.
    pub attributes: bool,
}

impl WantedVariants {
    /// All targets, twice and half as many lanes as a register holds, and the attributes that are tried.
    pub fn all() -> WantedVariants {
        WantedVariants { targets: TARGETS.iter().collect(), lanes: vec![4, 8, 16, 32], attributes: true }
    }
}

/// The share of its estimated cost that a variant must be below to be a gain.
const GAIN: f64 = 0.98;

/// The rows of a kernel that need no change of its text: the kernel as it is first, then the other targets, then the lanes.
pub fn rows(db: &dyn salsa::Database, kernel: Item<'_>, wanted: &WantedVariants) -> Vec<VariantRow> {
    let present = made_for(db);
    let own = row(db, kernel, present, true);
    let others = wanted.targets.iter().filter(|target| target.name != present.target.name);
    let others = others.map(|target| Options { lanes: present.lanes, target });
    let most = present.target.lanes_for(1).max(1) * 2;
    // Of the usual numbers, those are left out that all loops have.
    let is_usual = wanted.lanes == WantedVariants::all().lanes;
    let has_all = |lanes: u16| is_usual && own.loops.iter().all(|it| it.cost.lanes == lanes);
    let lanes: Vec<u16> = wanted.lanes.iter().copied().filter(|&lanes| lanes <= most && !has_all(lanes)).collect();
    let lanes = lanes.into_iter().filter(|&lanes| Some(lanes) != present.lanes);
    let lanes = lanes.map(|lanes| Options { lanes: Some(lanes), target: present.target });
    let mut found = vec![own];
    for options in others.chain(lanes) {
        db.unwind_if_revision_cancelled();
        let mut row = row(db, kernel, options, false);
        row.differs_from(&found[0]);
        found.push(row);
    }
    found
}

fn row(db: &dyn salsa::Database, kernel: Item<'_>, options: Options, is_present: bool) -> VariantRow {
    let loops = innermost(costed(db, kernel, options));
    VariantRow { variant: KernelVariant { options, change: None }, is_present, loops, differs: String::new() }
}

fn innermost(loops: Vec<Loop>) -> Vec<VariantLoop> {
    let loop_ = |it: Loop| {
        let lanes = it.cost.as_ref()?.lanes;
        let headline = match lanes {
            1 if it.n_lanes().is_none() => it.headline(),
            1 => "1 lane".to_owned(),
            lanes => format!("{lanes} lanes"),
        };
        let cost = it.cost.filter(|cost| !cost.is_around)?;
        Some(VariantLoop { header: it.range, headline, cost, differs: String::new() })
    };
    loops.into_iter().filter_map(loop_).collect()
}

/// The attributes that allow a kernel other results, and what that is, as a sentence.
pub(crate) const FREEDOMS: [(AttributeId, &str); 2] = [
    (
        AttributeId::Reassoc,
        "the order of float sums and products changes, and with it their last bits, the same on all targets",
    ),
    (
        AttributeId::Fast,
        "sums are reordered, products and sums contracted, math functions approximate: bits may differ, between targets too",
    ),
];

/// The changes of attributes that are tried: each that is not above the kernel yet, and those that may be taken away.
pub fn changes(db: &dyn salsa::Database, kernel: Item<'_>) -> Vec<KernelChange> {
    let Some(start) = start_of(db, kernel).filter(|_| kernel.kind(db) == ItemKind::Kernel) else { return Vec::new() };
    let lowered = queries::lowered(db, kernel);
    let text = kernel.file(db).text(db);
    let header = dense_map(db, kernel).to_text(lowered.map.header) + start;
    let line = TextSize::new(text[..usize::from(header.start())].rfind('\n').map_or(0, |at| at as u32 + 1));
    let own = |id: AttributeId| lowered.body.attrs.iter().find(|attr| attr.id == id);
    let mut found = Vec::new();
    for (id, results) in FREEDOMS {
        let name = id.get().name;
        match own(id) {
            // What `@fast` allows, `@reassoc` allows no more of.
            None if id == AttributeId::Reassoc && own(AttributeId::Fast).is_some() => {}
            None => {
                let edits = vec![TextEdit { range: TextRange::empty(line), text: format!("@{name}\n") }];
                found.push(KernelChange { title: format!("@{name}"), results, edits });
            }
            Some(attr) => {
                let at = dense_map(db, kernel).to_text(attr.at) + start;
                let end =
                    text[usize::from(at.end())..].find('\n').map_or(text.len(), |n| usize::from(at.end()) + n + 1);
                let range = TextRange::new(at.start(), TextSize::new(end as u32));
                let edits = vec![TextEdit { range, text: String::new() }];
                found.push(KernelChange { title: format!("without @{name}"), results: "", edits });
            }
        }
    }
    found
}

/// A kernel and the changes of its attributes, to be tried when the database is free again.
#[derive(Debug, Clone)]
pub struct UntriedAttributes {
    name: String,
    text: String,
    around: Surroundings,
    options: Options,
    changes: Vec<KernelChange>,
}

/// Copies what it takes to try changes of a kernel's attributes.
pub fn untried_attributes(db: &dyn salsa::Database, kernel: Item<'_>) -> UntriedAttributes {
    UntriedAttributes {
        name: kernel.name(db).to_string(),
        text: kernel.file(db).text(db).to_string(),
        around: Surroundings::of(db, kernel.file(db)),
        options: made_for(db),
        changes: changes(db, kernel),
    }
}

impl UntriedAttributes {
    /// Tries each change on a copy of the text; `present` is the row of the kernel as it is. A change after which the kernel has
    /// errors has no row.
    pub fn rows(self, present: &VariantRow) -> Vec<VariantRow> {
        let mut host = Host::default();
        host.set_made_for(&[self.options]);
        for (name, text) in &self.around.used {
            host.share_text(name, text.clone());
        }
        let mut found = Vec::new();
        for change in self.changes {
            let file = host.set_text(&self.around.beside("variant"), &apply_edits(&self.text, &change.edits));
            let loops = host.snapshot().catch(|db| {
                let kernel = kernel_named(db, file, &self.name).ok()?;
                Some(innermost(costed(db, kernel, self.options)))
            });
            // Nobody else has this host, so nothing writes to it meanwhile.
            let Some(mut loops) = loops.ok().flatten().filter(|loops| loops.len() == present.loops.len()) else {
                continue;
            };
            // A change above a kernel leaves the order of its loops.
            loops.iter_mut().zip(&present.loops).for_each(|(own, known)| own.header = known.header);
            let variant = KernelVariant { options: self.options, change: Some(change) };
            let mut row = VariantRow { variant, is_present: false, loops, differs: String::new() };
            row.differs_from(present);
            found.push(row);
        }
        found
    }
}

/// The row is estimated to cost less than the kernel as it is.
pub fn gains(present: &VariantRow, row: &VariantRow) -> bool {
    row.cycles() < present.cycles() * GAIN
}

impl VariantRow {
    /// Says what differs from the kernel as it is, loop by loop.
    fn differs_from(&mut self, present: &VariantRow) {
        let several = present.loops.len() > 1;
        let mut told: Vec<String> = Vec::new();
        for own in &mut self.loops {
            let before = present.loops.iter().enumerate().find(|(_, it)| it.header == own.header);
            let Some((number, before)) = before else { continue };
            own.differs = of_loop(before, own).join("; ");
            if own.differs != SAME {
                let which = if several { format!("loop {}: ", number + 1) } else { String::new() };
                told.push(format!("{which}{}", own.differs));
            }
        }
        self.differs = if told.is_empty() { SAME.to_owned() } else { told.join(". ") };
    }
}

/// The words for a loop that is as it was.
const SAME: &str = "nothing changes";

fn of_loop(from: &VariantLoop, to: &VariantLoop) -> Vec<String> {
    let mut words = Vec::new();
    match (from.cost.lanes, to.cost.lanes) {
        (a, b) if a == b => {}
        (1, b) => words.push(format!("{b} lanes instead of one")),
        (_, 1) => words.push("no lanes".to_owned()),
        (a, b) => words.push(format!("{a} to {b} lanes")),
    }
    let each = |it: &VariantLoop, count: u32| f64::from(count) / it.cost.groups().max(1) as f64;
    let names = from.cost.counts.named().into_iter().zip(to.cost.counts.named());
    let mut more: Vec<String> = Vec::new();
    let mut less: Vec<String> = Vec::new();
    for ((name, a), (_, b)) in names.filter(|((name, _), _)| !matches!(*name, "ops" | "masked")) {
        let (a, b) = (each(from, a), each(to, b));
        match b - a {
            by if by > 0.01 => more.push(counted(by, name)),
            by if by < -0.01 => less.push(counted(-by, name)),
            _ => {}
        }
    }
    match (&more[..], &less[..]) {
        ([], []) => {}
        ([], less) => words.push(format!("{} less", listed(less))),
        (more, []) => words.push(format!("{} more", listed(more))),
        (more, less) => words.push(format!("{} instead of {}", listed(more), listed(less))),
    }
    if from.cost.bound != to.cost.bound {
        words.push(match to.cost.bound {
            Resource::Chain => "each iteration waits for the one before".to_owned(),
            bound => format!("bound by {}", bound.in_words()),
        });
    }
    if words.is_empty() {
        let is_equal = (from.cost.cycles() - to.cost.cycles()).abs() < 0.005 * from.cost.cycles();
        words.push(if is_equal { SAME.to_owned() } else { "the same ops at other costs".to_owned() });
    }
    words
}

/// A count for a group of lanes, in words: `a gather`, `2 loads`, `0.5 loads`.
fn counted(count: f64, plural: &str) -> String {
    let number = report::lanes::costs::shown(count);
    match (&*number, plural.strip_suffix('s')) {
        ("1", Some(single)) => format!("a {single}"),
        _ => format!("{number} {plural}"),
    }
}

fn listed(parts: &[String]) -> String {
    match parts {
        [most @ .., last] if !most.is_empty() => format!("{} and {last}", most.join(", ")),
        parts => parts.concat(),
    }
}
