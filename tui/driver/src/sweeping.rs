//! A kernel measured many times: on more and more data, with more and more lanes, and for all targets that run here.
//!
//! A *sweep* goes through one of these and leaves the others as they are. Each row has the times of its runs and stands below two
//! ceilings, as in a roofline chart: the rate at which this machine copies data of the same size, and the float operations that it does
//! where no memory is in the way. The row's *verdict* is the ceiling that it is closest to, and how close; far below both, something else is in
//! the way, and the estimate says what.
//!
//! - `sizes`: data for a size in bytes
//! - [`table`]: sweeps as lines of text
//! - [`pins`]: rows that are kept, and compared with later ones

pub mod pins;
mod sizes;
pub mod table;

use ide::variants::{VariantRow, WantedVariants, rows};
use native::ceiling;
use native::host;
use queries::run::Argument;
use queries::stages::Options;
use queries::stages::target::{TARGETS, Target};
use report::lanes::costs::OpCounts;
use serde::Serialize;

use crate::document::Document;
use crate::machine_code::NoCode;
use crate::measuring::{Ask, Measured, Wanted, job, prepared, reached, times};
use crate::spec;

/// Maximum number of interpreter steps for counting the work of a row; what takes more is counted natively.
const STEPS: u64 = 1_000_000;

/// The time that a run may take for the sweep to go on to larger data, in nanoseconds.
const LONGEST_RUN: f64 = 1.5e9;

/// The part of a ceiling from which on a row is said to be bound by it.
const NEAR: f64 = 0.6;

/// The numbers of lanes that are tried, as far as the target has use for them.
const LANES: [u16; 6] = [1, 4, 8, 16, 32, 64];

/// The thing that a sweep goes through.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SweepOver {
    /// Data from those that fit the first cache to those that fit none.
    Sizes,
    /// Numbers of lanes.
    Lanes,
    /// Targets that this machine runs.
    Targets,
}

impl SweepOver {
    /// All of them, in the order in which they are measured.
    pub const ALL: [SweepOver; 3] = [SweepOver::Sizes, SweepOver::Lanes, SweepOver::Targets];

    /// Returns the name.
    pub fn name(self) -> &'static str {
        match self {
            SweepOver::Sizes => "sizes",
            SweepOver::Lanes => "lanes",
            SweepOver::Targets => "targets",
        }
    }
}

/// The sweeps of a kernel.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SweepReport {
    /// Name of the kernel.
    pub kernel: String,
    /// Name of the target of sizes and lanes.
    pub target: &'static str,
    /// The sweeps, in the order of their names.
    pub sweeps: Vec<Sweep>,
}

/// One sweep.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Sweep {
    /// The thing that it goes through.
    pub over: SweepOver,
    /// Its rows, smallest first.
    pub rows: Vec<SweepRow>,
    /// The rows that are missing and why, as sentences.
    pub left_out: Vec<String>,
}

/// The measurement of one way to make or to feed the kernel.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SweepRow {
    /// The size, the number of lanes or the target.
    pub name: String,
    /// The target, and the lanes that were asked for.
    #[serde(serialize_with = "target_name", rename = "target")]
    pub options: Options,
    /// The lanes of each innermost loop.
    pub lanes: Vec<u16>,
    /// The data, as `NAME=SPEC`.
    pub data: Vec<String>,
    /// Bytes of all arrays.
    pub array_bytes: usize,
    /// The level of memory that the arrays lie in, if the system tells its caches.
    pub level: Option<String>,
    /// Number of timed runs.
    pub runs: usize,
    /// Median time of a run, in nanoseconds.
    pub median: f64,
    /// Least time of a run, in nanoseconds.
    pub least: f64,
    /// Distance from the lower to the upper quartile, in nanoseconds.
    pub spread: f64,
    /// Median time of an element, in nanoseconds.
    pub per_element: Option<f64>,
    /// Bytes a second.
    pub bandwidth: f64,
    /// Float operations a second.
    pub operations: Option<f64>,
    /// The part of the rate at which this machine copies data of this size.
    pub of_bandwidth: Option<f64>,
    /// The part of the float operations that this machine does with the target's registers.
    pub of_operations: Option<f64>,
    /// What the row is bound by, in words.
    pub verdict: String,
    /// The ops of a turn of all innermost loops, by name.
    #[serde(serialize_with = "named_counts")]
    pub counts: OpCounts,
}

fn target_name<S: serde::Serializer>(options: &Options, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(options.target.name)
}

fn named_counts<S: serde::Serializer>(counts: &OpCounts, to: S) -> Result<S::Ok, S::Error> {
    to.collect_map(counts.named())
}

/// The most that a ceiling is measured.
const MOST_TRIES: usize = 3;

/// The rates that this machine reaches. One that a row goes over was measured in a bad moment: it is measured again, and the better one
/// counts.
struct Ceilings<'a> {
    ask: &'a Ask<'a>,
    milliseconds: u64,
    known: Vec<(CeilingKind, Option<f64>, usize)>,
}

/// What a ceiling is of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CeilingKind {
    /// Copying arrays of so many bytes together.
    Bandwidth(usize),
    /// Float operations with the registers of the target with this name.
    Operations(&'static str),
}

impl Ceilings<'_> {
    /// Returns the part of a ceiling that a rate comes up to.
    fn part(&mut self, kind: CeilingKind, machine: &Target, rate: f64) -> Result<Option<f64>, NoCode> {
        let at = self.known.iter().position(|(of, ..)| *of == kind).unwrap_or_else(|| {
            self.known.push((kind, None, 0));
            self.known.len() - 1
        });
        loop {
            let (_, best, n_tries) = self.known[at];
            match best {
                Some(best) if rate <= best || n_tries == MOST_TRIES => return Ok(Some(rate / best)),
                None if n_tries > 0 => return Ok(None),
                _ => {}
            }
            let ceiling = match kind {
                CeilingKind::Bandwidth(0) => None,
                CeilingKind::Bandwidth(bytes) => ceiling::bandwidth_of(machine, bytes),
                CeilingKind::Operations(_) => ceiling::operations(machine),
            };
            let measured = reached(ceiling, machine, self.milliseconds, self.ask)?;
            let better = best.into_iter().chain(measured).reduce(f64::max);
            self.known[at] = (kind, better, n_tries + 1);
        }
    }
}

/// Measures the sweeps of a kernel. The arguments of `wanted` are those that the user gave; the others are chosen for each row. `told`
/// receives the results so far and the name of the next row.
pub fn sweep(
    document: &Document,
    wanted: &Wanted<'_>,
    over: &[SweepOver],
    ask: &Ask<'_>,
    told: &mut dyn FnMut(&SweepReport, &str),
) -> Result<SweepReport, NoCode> {
    let db = document.db();
    let errors = crate::machine_code::errors(document, &[wanted.item]);
    if !errors.is_empty() {
        return Err(NoCode::Errors(errors));
    }
    if !host::runs(wanted.row) {
        return Err(NoCode::Trouble(format!("this machine does not run code for `{}`", wanted.row.name)));
    }
    let ceilings = Ceilings { ask, milliseconds: wanted.milliseconds, known: Vec::new() };
    let mut sweeper = Sweeper { document, wanted, ceilings, estimated: estimated(document, wanted) };
    let mut report =
        SweepReport { kernel: wanted.item.name(db).to_string(), target: wanted.row.name, sweeps: Vec::new() };
    for &over in over {
        report.sweeps.push(Sweep { over, rows: Vec::new(), left_out: Vec::new() });
        match over {
            SweepOver::Sizes => sweeper.sizes(&mut report, told)?,
            SweepOver::Lanes => sweeper.lanes(&mut report, told)?,
            SweepOver::Targets => sweeper.targets(&mut report, told)?,
        }
    }
    Ok(report)
}

/// The estimated rows of all ways to make the kernel that are swept through.
fn estimated(document: &Document, wanted: &Wanted<'_>) -> Vec<VariantRow> {
    let targets = targets_here().collect();
    rows(document.db(), wanted.item, &WantedVariants { targets, lanes: LANES.to_vec(), attributes: false })
}

/// The targets that this machine runs, those with the smallest registers first.
fn targets_here() -> impl Iterator<Item = &'static Target> {
    let mut here: Vec<_> = TARGETS.iter().filter(|target| host::runs(target)).collect();
    here.sort_by_key(|target| target.register_bytes);
    here.into_iter()
}

/// What the rows of one kernel are measured with.
struct Sweeper<'a> {
    document: &'a Document,
    wanted: &'a Wanted<'a>,
    ceilings: Ceilings<'a>,
    estimated: Vec<VariantRow>,
}

/// One way to make the kernel.
struct SweepVariant {
    name: String,
    row: &'static Target,
    machine: Target,
    options: Options,
}

impl Sweeper<'_> {
    fn sizes(&mut self, report: &mut SweepReport, told: &mut dyn FnMut(&SweepReport, &str)) -> Result<(), NoCode> {
        let steps = match sizes::steps(self.document, self.wanted) {
            Ok(steps) => steps,
            Err(why) => {
                report.current().left_out.push(why);
                return Ok(());
            }
        };
        let mut last: Option<(usize, f64)> = None;
        for sizes::SizedData { bytes, arguments } in steps {
            let longest = last.map(|(before, time)| time * bytes as f64 / before.max(1) as f64);
            if let Some(time) = longest.filter(|time| *time > LONGEST_RUN) {
                let seconds = time / 1e9;
                report.current().left_out.push(format!(
                    "data of {} and more are left out: a run would take {seconds:.1} seconds or longer",
                    table::bytes(bytes)
                ));
                break;
            }
            let name = table::bytes(bytes);
            told(report, &name);
            let row = self.row(self.as_wanted(name), &arguments)?;
            last = Some((row.array_bytes, row.median));
            report.current().rows.push(row);
        }
        Ok(())
    }

    fn lanes(&mut self, report: &mut SweepReport, told: &mut dyn FnMut(&SweepReport, &str)) -> Result<(), NoCode> {
        let given = self.usual_data();
        let target = self.wanted.row;
        let most = (target.lanes_for(1) * 2).max(1);
        for lanes in LANES.into_iter().filter(|lanes| *lanes <= most) {
            let name = crate::words::count(lanes.into(), "lane");
            told(report, &name);
            let variant = SweepVariant { options: Options { lanes: Some(lanes), target }, ..self.as_wanted(name) };
            self.add(variant, &given, report)?;
        }
        Ok(())
    }

    fn targets(&mut self, report: &mut SweepReport, told: &mut dyn FnMut(&SweepReport, &str)) -> Result<(), NoCode> {
        let given = self.usual_data();
        for target in targets_here() {
            told(report, target.name);
            let options = Options { lanes: self.wanted.options.lanes, target };
            let machine =
                if target.name == self.wanted.row.name { self.wanted.machine.clone() } else { target.clone() };
            self.add(SweepVariant { name: target.name.to_owned(), row: target, machine, options }, &given, report)?;
        }
        let n_others = TARGETS.iter().filter(|target| !host::runs(target)).count();
        if n_others > 0 {
            let others = crate::words::count(n_others, "target");
            report
                .current()
                .left_out
                .push(format!("{others} of the table {} not run here", if n_others == 1 { "does" } else { "do" }));
        }
        Ok(())
    }

    /// Adds a row. Where a way to make the kernel cannot be had, the sweep goes on without it.
    fn add(&mut self, variant: SweepVariant, given: &[Argument], report: &mut SweepReport) -> Result<(), NoCode> {
        let name = variant.name.clone();
        match self.row(variant, given) {
            Ok(row) => report.current().rows.push(row),
            Err(NoCode::Trouble(why)) => report.current().left_out.push(format!("{name} is left out: {why}")),
            Err(other) => return Err(other),
        }
        Ok(())
    }

    fn as_wanted(&self, name: String) -> SweepVariant {
        let Wanted { row, machine, options, .. } = self.wanted;
        SweepVariant { name, row, machine: machine.clone(), options: *options }
    }

    /// The arguments that were given, and those that are chosen to measure on where none were.
    fn usual_data(&self) -> Vec<Argument> {
        let Wanted { item, given, .. } = self.wanted;
        let filled = queries::run::to_measure(self.document.db(), *item, given).unwrap_or_default();
        given.iter().cloned().chain(filled).collect()
    }

    fn row(&mut self, variant: SweepVariant, given: &[Argument]) -> Result<SweepRow, NoCode> {
        let Wanted { item, milliseconds, threads, .. } = *self.wanted;
        let SweepVariant { name, row, machine, options } = variant;
        let wanted = Wanted { item, row, machine, options, given, threads, milliseconds };
        let ask = self.ceilings.ask;
        let run = prepared(self.document, &wanted, STEPS, ask)?;
        let (request, memory) = job(self.document, item, options, &wanted.machine, &run.inputs)?;
        let Measured { runs, median, least, spread, .. } =
            Measured::of(&name, times(request, &memory, milliseconds, ask)?);
        let array_bytes = run.inputs.memory.iter().map(Vec::len).sum();
        let operations = run.work.as_ref().map(|work| work.operations).filter(|operations| *operations > 0.0);
        // A copy counts each cell that it loads or stores once. So do rows, but for cells that stay in the cache between two uses.
        let moved = run.work.as_ref().map_or(run.bytes, |work| work.bytes.min(run.bytes));
        let best = |amount: f64| amount / least * 1e9;
        let kind = CeilingKind::Bandwidth(array_bytes);
        let of_bandwidth = self.ceilings.part(kind, &wanted.machine, best(moved))?;
        let kind = CeilingKind::Operations(row.name);
        let of_operations = match operations {
            Some(operations) => self.ceilings.part(kind, &wanted.machine, best(operations))?,
            None => None,
        };
        let level = host::level_of(array_bytes);
        let estimate = self.estimated.iter().find(|other| other.variant.options == options);
        let loops = || estimate.into_iter().flat_map(|row| &row.loops);
        let bound = loops().map(|it| it.cost.bound.in_words()).next();
        let elements = run.work.as_ref().map(|work| work.elements).filter(|elements| *elements > 0.0);
        Ok(SweepRow {
            verdict: verdict(of_bandwidth, of_operations, level.as_deref(), bound),
            name,
            options,
            lanes: loops().map(|it| it.cost.lanes).collect(),
            data: spec::all_spelled(given),
            array_bytes,
            level,
            runs,
            median,
            least,
            spread,
            per_element: elements.map(|elements| median / elements),
            bandwidth: moved / median * 1e9,
            operations: operations.map(|operations| operations / median * 1e9),
            of_bandwidth,
            of_operations,
            counts: loops().fold(OpCounts::default(), |all, it| sum(all, it.cost.counts)),
        })
    }
}

impl SweepReport {
    /// The sweep that is being measured.
    fn current(&mut self) -> &mut Sweep {
        self.sweeps.last_mut().expect("a sweep is begun before its rows")
    }
}

fn sum(a: OpCounts, b: OpCounts) -> OpCounts {
    OpCounts {
        ops: a.ops + b.ops,
        loads: a.loads + b.loads,
        stores: a.stores + b.stores,
        gathers: a.gathers + b.gathers,
        scatters: a.scatters + b.scatters,
        masked: a.masked + b.masked,
        shuffles: a.shuffles + b.shuffles,
        packs: a.packs + b.packs,
    }
}

/// The ceiling that a row is close to, in words; else what the estimate says.
fn verdict(
    of_bandwidth: Option<f64>,
    of_operations: Option<f64>,
    level: Option<&str>,
    estimated: Option<&'static str>,
) -> String {
    let percent = |part: f64| format!("{:.0} %", part * 100.0);
    let (memory, arithmetic) = (of_bandwidth.unwrap_or(0.0), of_operations.unwrap_or(0.0));
    if memory >= NEAR && memory >= arithmetic {
        let level = level.unwrap_or("memory");
        return format!("bound by {level}: {} of what this machine copies there", percent(memory));
    }
    if arithmetic >= NEAR {
        return format!("bound by arithmetic: {} of this machine's float operations", percent(arithmetic));
    }
    let far: Vec<String> = [(of_bandwidth, "of what it copies there"), (of_operations, "of its float operations")]
        .into_iter()
        .filter_map(|(part, of)| Some(format!("{} {of}", percent(part?))))
        .collect();
    let far = if far.is_empty() { String::new() } else { format!(": {}", far.join(", ")) };
    let estimated = estimated.map_or_else(String::new, |bound| format!("; the estimate says {bound}"));
    format!("far from both ceilings{far}{estimated}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_bound_by_the_ceiling_that_it_is_close_to() {
        let said = |memory, arithmetic, level| verdict(memory, arithmetic, level, Some("loads"));
        let level = Some("the level 2 cache");
        assert_eq!(said(Some(0.92), Some(0.1), None), "bound by memory: 92 % of what this machine copies there");
        assert_eq!(
            said(Some(0.7), Some(0.65), level),
            "bound by the level 2 cache: 70 % of what this machine copies there"
        );
        assert_eq!(said(Some(0.7), Some(0.8), level), "bound by arithmetic: 80 % of this machine's float operations");
        assert_eq!(
            said(Some(0.3), Some(0.2), level),
            "far from both ceilings: 30 % of what it copies there, 20 % of its float operations; the estimate says loads"
        );
        assert_eq!(
            said(Some(0.3), None, level),
            "far from both ceilings: 30 % of what it copies there; the estimate says loads"
        );
        assert_eq!(verdict(None, None, None, None), "far from both ceilings");
    }
}
