//! What a long session leaves in memory: no more than a short one.
//!
//! The test counts the bytes that are in use, not those that the allocator has from the system. It is alone in its process, and
//! on one thread, so that it always counts the same.

use std::sync::Mutex;

use ide::hints::{HintOptions, type_hints};
use ide::hover::{Beside, hover};
use ide::semantic_tokens::tokens_of_item;
use peak_alloc::PeakAlloc;
use queries::check;
use queries::check::Report;
use queries::db::{Database, File, cut_file};
use queries::host::Host;
use queries::item_cache::ItemCache;
use queries::stages;
use queries::stages::Options;
use report::{TextRange, TextSize};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

const N_KERNELS: usize = 100;

fn kernel(n: usize) -> String {
    format!(
        "kernel step_{n}(a: f32[n], b: f32[n], n: i32, scale: f32):
    for i in range(n):
        let x = a[i] * scale
        if x > 1.5:
            b[i] = scaled(x, {n}.0)
        else:
            b[i] = max(x, sqrt(a[n - 1 - i]))

"
    )
}

/// A host with one file, and what a server keeps of it beside.
struct Session {
    host: Host,
    text: String,
    random: fastrand::Rng,
    reports: ItemCache<Report>,
}

impl Session {
    fn new() -> Session {
        let kernels: String = (0..N_KERNELS).map(kernel).collect();
        let text = "fn scaled(x, by):\n    return x * by + 0.5\n\n".to_owned() + &kernels;
        Session { host: Host::default(), text, random: fastrand::Rng::with_seed(1), reports: ItemCache::default() }
    }

    /// Asks what editors do after a key, at a place.
    fn ask(&mut self, text: &str, at: usize) {
        let file = self.host.set_text("a.lane", text);
        let snapshot = self.host.snapshot();
        let db = snapshot.db();
        let options = Options { target: ir::target::find("sse4").expect("a row of the table"), ..Options::default() };
        check::diagnostics_cached(db, file, &mut self.reports);
        let at = TextSize::new(at as u32);
        hover(db, file, at, Beside::Notes);
        type_hints(db, file, TextRange::empty(at), &HintOptions::default());
        let cut = cut_file(db, file);
        let item = cut.items[cut.starts.partition_point(|start| *start <= at).saturating_sub(1)];
        tokens_of_item(db, item);
        for stage in stages::STAGES.iter() {
            stage.of(db, item, options);
        }
    }

    /// Types something somewhere, and takes it back.
    fn edit(&mut self) {
        let places: Vec<usize> = self.text.match_indices('\n').map(|(at, _)| at + 1).collect();
        // Also kernels change their names, and whole lines their depth.
        let names: Vec<usize> = self.text.match_indices("step_").map(|(at, _)| at + 4).collect();
        let of = if self.random.u8(..3) == 0 { names } else { places };
        let at = of[self.random.usize(..of.len())];
        let piece = ["x", "1", " ", "\n", "#", "n"][self.random.usize(..6)];
        let mut edited = self.text.clone();
        edited.insert_str(at, piece);
        let looked_at = self.text[..at.min(self.text.len() - 1)].rfind("for").unwrap_or(at);
        self.ask(&edited, looked_at);
        let text = std::mem::take(&mut self.text);
        self.ask(&text, looked_at);
        self.text = text;
    }
}

#[test]
fn memory_is_flat_while_a_file_is_edited() {
    let _alone = ALONE.lock();
    let mut session = Session::new();
    let mut used = Vec::new();
    for _ in 0..6 {
        for _ in 0..250 {
            session.edit();
        }
        // What was looked at last is kept, and is the same each time that this counts.
        let text = session.text.clone();
        text.match_indices("for").for_each(|(at, _)| session.ask(&text, at));
        used.push(MEMORY.current_usage());
    }
    let (first, last) = (used[0] as f64, used[5] as f64);
    assert!((last / first - 1.0).abs() < 0.01, "bytes in use after each 500 edits: {used:?}");
}

/// Two tests at the same time would count each other's bytes.
static ALONE: Mutex<()> = Mutex::new(());

#[test]
fn databases_that_are_dropped_leave_nothing() {
    let ask = |n: usize| {
        let db = Database::default();
        let text = "fn scaled(x, by):\n    return x * by + 0.5\n\n".to_owned() + &kernel(n);
        let file = File::new(&db, text.into());
        check::diagnostics(&db, file);
        for &item in &cut_file(&db, file).items {
            for stage in stages::STAGES.iter() {
                stage.of(&db, item, Options::default());
            }
        }
    };
    let _alone = ALONE.lock();
    let mut used = Vec::new();
    for round in 0..6 {
        (0..20).for_each(|n| ask(20 * round + n));
        used.push(MEMORY.current_usage());
    }
    // What the tests' own process notes down is some bytes.
    assert!(used[5] < used[1] + 1024, "bytes in use after each 20 databases: {used:?}");
}
