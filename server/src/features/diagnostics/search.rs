//! The search for the findings of a file, item by item, which are kept as JSON from one key to the next.
//!
//! Facts about lanes take a hundred times as long as mistakes in syntax, names and types. So where many items are to be asked,
//! as when a long file was opened, these come first; then lanes, those of the items that the client has asked about before the
//! others, on all cores. Meanwhile what is known is told now and then. Each item's answer is stored as soon as it is there, so a search
//! that an edit stops is continued by the next one.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use queries::CancellationToken;
use queries::check;
use queries::check::Report;
use queries::db::{Item, cut_file};
use queries::item_cache::ItemCache;
use report::{Severity, TextSize};
use serde_json::value::RawValue;

use super::diagnostic;
use crate::config;
use crate::placed_json::{JsonList, PlacedJson, line_in_text};
use crate::request_context::{ClientDocument, RequestContext};

/// From so many items on the search has several steps and threads.
const MANY: usize = 200;
/// Limit on the cores that a search takes.
const MOST_CORES: usize = 8;
/// Time until what was found is told for the first time, unless nothing was told before; it doubles with each time.
const SOON: Duration = Duration::from_secs(1);
/// Time after which a helper's results are looked for again.
const GLANCE: Duration = Duration::from_millis(5);
/// Stack size in bytes of a helper, which walks trees by recursion as readers do.
const STACK: usize = 16 << 20;

/// The findings of a file, by item.
#[derive(Default)]
pub(crate) struct FileFindings {
    items: ItemCache<Shown>,
    /// The setting that they are shown by.
    notes: String,
}

/// The findings of an item, as they are shown.
struct Shown {
    /// False while those about lanes are missing.
    is_whole: bool,
    list: List,
}

enum List {
    Placed(PlacedJson),
    /// Findings that change with the places of other items.
    Anew(Report),
}

/// The extent of a report: all there is to say of a version, or the part that is known so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    Part,
    Whole,
}

/// Finds the diagnostics of a document. `tell` gets the list of them, and before it lists with fewer; it returns false when these
/// suffice.
pub(super) fn find(
    ctx: &RequestContext<'_>,
    place: &ClientDocument<'_>,
    kept: &mut FileFindings,
    mut tell: impl FnMut(Step, Box<RawValue>) -> bool,
) {
    if kept.notes != ctx.config().notes {
        *kept = FileFindings { items: ItemCache::default(), notes: ctx.config().notes.clone() };
    }
    let search = Search { ctx, place };
    let started = Instant::now();
    let is_first = kept.items.values().next().is_none();
    search.begin(kept);
    let (waiting, n_near) = search.waiting(kept);
    let has_many = waiting.len() >= MANY;
    let mut due = SOON;
    if has_many && is_first && !tell(Step::Part, search.list(kept)) {
        return;
    }
    let mut n_found = 0;
    let mut goes_on = true;
    search.each(&waiting, Depth::Whole, |n, shown| {
        kept.items.set_value(n, shown);
        n_found += 1;
        let is_due = n_found == n_near || started.elapsed() >= due;
        if has_many && is_due && n_found < waiting.len() {
            goes_on = tell(Step::Part, search.list(kept));
            due = 2 * started.elapsed().max(SOON);
        }
        goes_on
    });
    if goes_on {
        tell(Step::Whole, search.list(kept));
    }
}

/// The findings that are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Depth {
    /// Mistakes in syntax, names and types.
    WithoutLanes,
    Whole,
}

struct Search<'s, 'c> {
    ctx: &'s RequestContext<'c>,
    place: &'s ClientDocument<'s>,
}

impl Search<'_, '_> {
    /// Asks about the items to which an edit makes a difference; about lanes only if they are few.
    fn begin(&self, kept: &mut FileFindings) {
        let db = self.ctx.db();
        let plan = kept.items.plan(db, self.place.file);
        let asked = plan.numbers();
        let mut found: Vec<Option<Shown>> = asked.iter().map(|_| None).collect();
        let mut keep = |n: usize, shown| {
            if let Ok(at) = asked.binary_search(&n) {
                found[at] = Some(shown);
            }
            true
        };
        if asked.len() >= MANY {
            self.each(asked, Depth::WithoutLanes, &mut keep);
        } else {
            // From the top, so that what a function calls is mostly known before. What lanes do in a function is asked of its
            // callers, which would otherwise lead down all calls at once.
            plan.asked().for_each(|item| _ = check::findings(db, item));
            asked.iter().for_each(|&n| _ = keep(n, self.answer(n, Depth::Whole)));
        }
        kept.items.update(db, &plan, found.into_iter().flatten().collect());
    }

    /// The items whose lanes are not known, and how many of the first of them are those that the client has asked about.
    fn waiting(&self, kept: &FileFindings) -> (Vec<usize>, usize) {
        let unknown = kept.items.values().enumerate().filter(|(_, shown)| !shown.is_whole).map(|(n, _)| n);
        let Some(lines) = self.ctx.state().memory.looked_at(&self.place.document.key) else {
            return (unknown.collect(), 0);
        };
        let starts = &cut_file(self.ctx.db(), self.place.file).starts;
        let number = |line: u32| starts.partition_point(|&start| self.line(start) <= line).saturating_sub(1);
        let near = number(*lines.start())..=number(*lines.end());
        let (mut waiting, others): (Vec<_>, Vec<_>) = unknown.partition(|n| near.contains(n));
        let n_near = waiting.len();
        waiting.extend(others);
        (waiting, n_near)
    }

    fn answer(&self, n: usize, depth: Depth) -> Shown {
        let db = self.ctx.db();
        let cut = cut_file(db, self.place.file);
        let (item, start) = (cut.items[n], cut.starts[n]);
        let report = match depth {
            Depth::WithoutLanes => check::report_without_lanes(db, item),
            Depth::Whole => check::report(db, item),
        };
        let list = match report.names_others() {
            true => List::Anew(report),
            false => List::Placed(self.placed(&report, item, start)),
        };
        Shown { is_whole: depth == Depth::Whole, list }
    }

    fn line(&self, start: TextSize) -> u32 {
        self.place.document.lines().line(start)
    }

    fn placed(&self, report: &Report, item: Item<'_>, start: TextSize) -> PlacedJson {
        let config = self.ctx.config();
        let found = report.at(self.ctx.db(), item, start).into_iter();
        let found = found.filter(|found| found.severity != Severity::Note || config.notes != config::OFF);
        let found = found.map(|found| diagnostic(self.ctx.profile(), config, self.place, &found, line_in_text));
        PlacedJson::of_list(&found.collect::<Vec<_>>(), self.line(start))
    }

    /// The list of all that is known.
    fn list(&self, kept: &FileFindings) -> Box<RawValue> {
        let cut = cut_file(self.ctx.db(), self.place.file);
        let mut list = JsonList::new();
        for ((&item, &start), shown) in cut.items.iter().zip(&cut.starts).zip(kept.items.values()) {
            match &shown.list {
                List::Placed(elements) => list.push(elements, || self.line(start)),
                List::Anew(report) => list.push(&self.placed(report, item, start), || self.line(start)),
            }
        }
        list.finish()
    }

    /// Asks about items, on all cores if they are many. `found` gets each answer as it comes, until it returns false.
    fn each(&self, items: &[usize], depth: Depth, mut found: impl FnMut(usize, Shown) -> bool) {
        let cores = std::thread::available_parallelism().map_or(1, |n| n.get().min(MOST_CORES));
        let n_helpers = if items.len() >= MANY { cores - 1 } else { 0 };
        let shared = Shared { next: AtomicUsize::new(0), is_over: AtomicBool::new(false) };
        let (sender, answers) = channel();
        std::thread::scope(|scope| {
            let mut over = Over { shared: &shared, tokens: Vec::new() };
            for _ in 0..n_helpers {
                let (sender, shared, ctx) = (sender.clone(), &shared, self.ctx.another());
                let (file, document, unit) = (self.place.file, self.place.document, self.ctx.profile().unit);
                over.tokens.push(ctx.cancellation_token());
                let help = move || {
                    let place = ClientDocument::new(file, document, unit);
                    let search = Search { ctx: &ctx, place: &place };
                    // Who is stopped leaves its item to the one that began the search, unless that is stopped as well.
                    _ = ctx.catch(|| {
                        while let Some(n) = shared.next(items) {
                            _ = sender.send((n, search.answer(n, depth)));
                        }
                    });
                };
                _ = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, help);
            }
            drop(sender);
            while let Some(n) = shared.next(items) {
                let shown = self.answer(n, depth);
                if !found(n, shown) || !answers.try_iter().all(|(n, shown)| found(n, shown)) {
                    return;
                }
            }
            loop {
                self.ctx.unwind_if_cancelled();
                let goes_on = match answers.recv_timeout(GLANCE) {
                    Ok((n, shown)) => found(n, shown),
                    Err(error) => error == RecvTimeoutError::Timeout,
                };
                if !goes_on {
                    return;
                }
            }
        });
    }
}

/// The state that the threads of a search share.
struct Shared {
    next: AtomicUsize,
    is_over: AtomicBool,
}

impl Shared {
    /// The next item to ask about.
    fn next(&self, items: &[usize]) -> Option<usize> {
        let n = self.next.fetch_add(1, Ordering::Relaxed);
        items.get(n).copied().filter(|_| !self.is_over.load(Ordering::Relaxed))
    }
}

/// Stops the helpers of a search when the thread that began it leaves it, also when an edit cancels it.
struct Over<'s> {
    shared: &'s Shared,
    tokens: Vec<CancellationToken>,
}

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.shared.is_over.store(true, Ordering::Relaxed);
        self.tokens.iter().for_each(CancellationToken::cancel);
    }
}
