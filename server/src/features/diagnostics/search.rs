//! The search for the findings of a file, item by item, which are kept as JSON from one key to the next.
//!
//! Facts about lanes take a hundred times as long as mistakes in syntax, names and types. So where many items are to be asked,
//! as when a long file was opened, these come first; then lanes, those of the items that the client has asked about before the
//! others, on all cores. Meanwhile what is known is told now and then. Each item's answer is stored as soon as it is there, so a search
//! that an edit stops is continued by the next one.
//!
//! Facts about lanes in a function are those of the kernels that call it. So functions are asked about behind the kernels: else one
//! core would wait for the kernel that another one is at, item by item.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{TryRecvError, channel};
use std::time::{Duration, Instant};

use queries::CancellationToken;
use queries::check;
use queries::check::Report;
use queries::db::{Item, cut_file};
use queries::item_cache::ItemCache;
use report::{ItemKind, Severity, TextSize};

use super::diagnostic;
use crate::config;
use crate::heap;
use crate::placed_json::{JsonList, PlacedJson, line_in_text};
use crate::request_context::{ClientDocument, RequestContext};

/// From so many items on the search has several steps and threads.
const MANY: usize = 200;
/// Time until what was found is told for the first time, unless nothing was told before; it doubles with each time.
const SOON: Duration = Duration::from_secs(1);
/// Time after which results of helpers are looked for again.
const GLANCE: Duration = Duration::from_millis(2);
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
    Placed(Vec<PlacedJson>),
    /// Findings that name places in other items. They are shown anew when these come to stand elsewhere.
    Beside {
        report: Report,
        placed: Vec<PlacedJson>,
        /// The number of lines from this item to each of the others.
        distances: Vec<Option<i64>>,
    },
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
    mut tell: impl FnMut(Step, JsonList) -> bool,
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
        let n_items = cut_file(db, self.place.file).items.len();
        let mut found: Vec<Option<Shown>> = (0..n_items).map(|_| None).collect();
        let mut keep = |n: usize, shown| {
            found[n] = Some(shown);
            true
        };
        // Of a new file all will be asked; to plan that, one thread would parse them all.
        let asks_all = n_items >= MANY && kept.items.values().next().is_none();
        if asks_all {
            self.each(&(0..n_items).collect::<Vec<_>>(), Depth::WithoutLanes, &mut keep);
        }
        let plan = kept.items.plan(db, self.place.file);
        let asked = plan.numbers();
        if asked.len() >= MANY {
            let missing = if asks_all { &[] } else { asked };
            self.each(missing, Depth::WithoutLanes, &mut keep);
        } else {
            // From the top, so that what a function calls is mostly known before. What lanes do in a function is asked of its
            // callers, which would otherwise lead down all calls at once.
            plan.asked().for_each(|item| _ = check::findings(db, item));
            asked.iter().for_each(|&n| _ = keep(n, self.answer(n, Depth::Whole)));
        }
        let found = asked.iter().filter_map(|&n| found[n].take()).collect();
        kept.items.update(db, &plan, found);
    }

    /// The items whose lanes are not known, and how many of the first of them are those that the client has asked about.
    fn waiting(&self, kept: &FileFindings) -> (Vec<usize>, usize) {
        let unknown = kept.items.values().enumerate().filter(|(_, shown)| !shown.is_whole).map(|(n, _)| n);
        let mut waiting: Vec<usize> = unknown.collect();
        let cut = cut_file(self.ctx.db(), self.place.file);
        let number = |line: u32| cut.starts.partition_point(|&start| self.line(start) <= line).saturating_sub(1);
        let looked_at = self.ctx.state().memory.looked_at(&self.place.document.key);
        let near = looked_at.map(|lines| number(*lines.start())..=number(*lines.end()));
        let is_near = |n: &usize| near.as_ref().is_some_and(|near| near.contains(n));
        let is_function = |n: usize| cut.items[n].kind(self.ctx.db()) == ItemKind::Fn;
        waiting.sort_by_key(|n| (!is_near(n), is_function(*n)));
        let n_near = waiting.partition_point(is_near);
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
            true => List::Beside { placed: Vec::new(), distances: Vec::new(), report },
            false => List::Placed(self.placed(&report, item, start)),
        };
        Shown { is_whole: depth == Depth::Whole, list }
    }

    fn line(&self, start: TextSize) -> u32 {
        self.place.document.lines().line(start)
    }

    fn placed(&self, report: &Report, item: Item<'_>, start: TextSize) -> Vec<PlacedJson> {
        let config = self.ctx.config();
        let found = report.at(self.ctx.db(), item, start).into_iter();
        let found = found.filter(|found| found.severity != Severity::Note || config.notes != config::OFF);
        let found = found.map(|found| diagnostic(self.ctx.profile(), config, self.place, &found, line_in_text));
        let line = self.line(start);
        found.map(|found| PlacedJson::of(&found, line)).collect()
    }

    /// The list of all that is known.
    fn list(&self, kept: &mut FileFindings) -> JsonList {
        let cut = cut_file(self.ctx.db(), self.place.file);
        let mut list = JsonList::default();
        for ((&item, &start), shown) in cut.items.iter().zip(&cut.starts).zip(kept.items.values_mut()) {
            match &mut shown.list {
                List::Placed(found) => list.extend(found, || self.line(start)),
                List::Beside { report, placed, distances } => {
                    let own = i64::from(self.line(start));
                    let others = report.starts_of_others(self.ctx.db(), item);
                    let now: Vec<_> = others.map(|start| Some(i64::from(self.line(start?)) - own)).collect();
                    if *distances != now {
                        (*placed, *distances) = (self.placed(report, item, start), now);
                    }
                    list.extend(placed, || self.line(start));
                }
            }
        }
        list
    }

    /// Asks about items, on all cores if they are many. `found` gets each answer as it comes, until it returns false.
    fn each(&self, items: &[usize], depth: Depth, mut found: impl FnMut(usize, Shown) -> bool) {
        let n_helpers = if items.len() >= MANY { heap::n_analysing() } else { 1 };
        if n_helpers == 1 {
            _ = items.iter().all(|&n| found(n, self.answer(n, depth)));
            return;
        }
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
                    // An edit stops helpers and this thread alike.
                    _ = ctx.catch(|| {
                        while let Some(n) = shared.next(items) {
                            _ = sender.send((n, search.answer(n, depth)));
                        }
                    });
                };
                _ = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, help);
            }
            drop(sender);
            // This thread takes no core from the helpers: it takes in what they have found now and then.
            loop {
                self.ctx.unwind_if_cancelled();
                match answers.try_recv() {
                    Ok((n, shown)) => {
                        if !found(n, shown) {
                            return;
                        }
                    }
                    Err(TryRecvError::Empty) => std::thread::sleep(GLANCE),
                    Err(TryRecvError::Disconnected) => break,
                }
            }
            // Items are left where no thread could be started, or where an edit has stopped them all.
            self.ctx.unwind_if_cancelled();
            while let Some(n) = shared.next(items) {
                if !found(n, self.answer(n, depth)) {
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

#[cfg(test)]
mod tests {
    use queries::host::Host;
    use tower_lsp::gen_lsp_types::Uri;

    use super::*;
    use crate::documents::{Document, Language};
    use crate::request_context::ServerState;
    use crate::uris;

    /// Kernels of which each has one note and one warning, behind a function that they call.
    fn program(n_kernels: usize) -> String {
        let kernel = |n| {
            format!(
                "kernel k{n}(a: f32[n], b: i32[n], n: i32):\n    let unused = n\n    for i in range(n):\n        a[b[i]] = half(a[i])\n\n"
            )
        };
        "fn half(x):\n    return x / 2.0\n\n".to_owned() + &(0..n_kernels).map(kernel).collect::<String>()
    }

    /// Calls `ask` with a search in a text.
    fn search<R>(host: &mut Host, text: &str, ask: impl FnOnce(&Search<'_, '_>) -> R) -> R {
        let uri = Uri::from("file:///a.lane");
        let key = uris::key(&uri);
        let file = host.set_text(&key, text);
        let document = std::sync::Arc::new(Document::closed(key, uri, text.into(), Language::Lane));
        let state = ServerState::for_tests();
        let ctx = RequestContext::new(host.snapshot(), &state);
        let place = ClientDocument::new(file, &document, state.profile.unit);
        ask(&Search { ctx: &ctx, place: &place })
    }

    fn found(host: &mut Host, text: &str, kept: &mut FileFindings) -> JsonList {
        search(host, text, |search| {
            let mut last = JsonList::default();
            find(search.ctx, search.place, kept, |_, list| {
                last = list;
                true
            });
            last
        })
    }

    #[test]
    fn a_key_serialises_the_findings_of_one_item() {
        let (mut host, mut kept) = (Host::default(), FileFindings::default());
        let text = program(2 * MANY);
        let before = found(&mut host, &text, &mut kept);
        assert_eq!(before.n_shared_with(&before), (4 * MANY, 4 * MANY));
        let with_key = text.replacen(
            "kernel k9(a: f32[n], b: i32[n], n: i32):\n    let unused",
            "kernel k9(a: f32[n], b: i32[n], n: i32):\n    let key_unused",
            1,
        );
        let after = found(&mut host, &with_key, &mut kept);
        assert_eq!(after.n_shared_with(&before), (4 * MANY, 4 * MANY - 2));
        assert_ne!(after.id(), before.id());
        // What says nothing else has the same id again.
        assert_eq!(found(&mut host, &text, &mut kept).id(), before.id());
    }

    #[test]
    fn kernels_come_before_the_functions_that_they_call_and_what_is_in_sight_before_all() {
        let mut host = Host::default();
        let text = program(MANY) + "fn last(x):\n    return x\n";
        search(&mut host, &text, |search| {
            let mut kept = FileFindings::default();
            search.begin(&mut kept);
            let n_items = MANY + 2;
            let (waiting, n_near) = search.waiting(&kept);
            assert_eq!((n_near, waiting[0], waiting.len()), (0, 1, n_items));
            assert_eq!(waiting[MANY..], [0, MANY + 1]);
            // The first three lines are of the function, the next five of `k0`.
            search.ctx.state().memory.looks_at(&search.place.document.key, 0..=6);
            let (waiting, n_near) = search.waiting(&kept);
            assert_eq!((n_near, &waiting[..3]), (2, &[1, 0, 2][..]));
        });
    }
}
