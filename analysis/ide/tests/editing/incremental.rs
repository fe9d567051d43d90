//! What an edit makes run again, by the names of queries and the items they are of.
//!
//! The rules: white space and comments run nothing behind the parse of their item. A body runs its item. A signature runs its
//! callers. Where an item stands, and what others there are, runs nobody who does not name them.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use expect_test::{Expect, expect};
use queries::db::File;
use queries::host::Host;
use queries::item_cache::ItemCache;
use queries::stages::Options;
use queries::{check, db};

const PROGRAM: &str = r"const N = 4

struct P:
    x: f32

fn twice(x: f32) -> f32:
    return 2 * x

fn thrice(x: f32) -> f32:
    return x + twice(x)

kernel a(p: P[n], n: i32):
    for i in range(n):
        p[i].x = twice(p[i].x)

kernel b(out: f32[N], x):
    out[0] = thrice(out[1]) + sqrt(x)
";

/// A host that remembers what it runs.
struct Watched {
    host: Host,
    ran: Arc<Mutex<Vec<(String, salsa::Id)>>>,
}

impl Watched {
    fn new() -> Watched {
        let ran: Arc<Mutex<Vec<_>>> = Arc::default();
        let log = ran.clone();
        let listener = move |event: salsa::Event| {
            if let salsa::EventKind::WillExecute { database_key } = event.kind {
                let shown = format!("{database_key:?}");
                let query = shown.split('(').next().unwrap_or_default().to_owned();
                log.lock().expect("the log").push((query, database_key.key_index()));
            }
        };
        Watched { host: Host::with_listener(Box::new(listener)), ran }
    }

    /// Sets the text and asks everything about it; returns which queries of which items ran, and which of the file.
    fn run(&mut self, text: &str) -> String {
        let file = self.host.set_text("a.lane", text);
        self.ran.lock().expect("the log").clear();
        let snapshot = self.host.snapshot();
        let database = snapshot.db();
        ask(database, file);
        self.go_through_stages(database, file);
        let names: Vec<(salsa::Id, String)> = db::file_items(database, file)
            .iter()
            .map(|item| (salsa::plumbing::AsId::as_id(item), item.name(database).to_string()))
            .collect();
        let mut lines = BTreeSet::new();
        for (query, id) in self.ran.lock().expect("the log").iter() {
            let of_item = names.iter().find(|(item, _)| item == id && OF_ITEMS.contains(&query.as_str()));
            lines.insert(of_item.map_or_else(|| query.clone(), |(_, name)| format!("{name}: {query}")));
        }
        lines.into_iter().map(|line| line + "\n").collect()
    }
}

impl Watched {
    /// Asks for each kernel at each stage.
    fn go_through_stages(&self, database: &queries::db::Database, file: File) {
        for &item in db::file_items(database, file) {
            queries::reached(database, item, Options::default());
        }
    }
}

/// The queries whose key is an item.
const OF_ITEMS: &[&str] = &[
    "parse",
    "dense",
    "dense_map",
    "lowered",
    "resolved",
    "generics",
    "body",
    "infer",
    "signature",
    "const_value",
    "struct_fields",
    "findings",
    "cycle_of",
    "arrays",
    "without_arrays",
    "verdicts",
    "of_kernel",
    "of_item",
    "kernels_of",
    "broken",
    "notes",
    "stage_cache",
];

fn ask(database: &queries::db::Database, file: File) {
    check::diagnostics(database, file);
    for &item in db::file_items(database, file) {
        queries::infer(database, item);
        queries::lanes::of_item(database, item);
        queries::verdicts(database, item);
        db::dense_map(database, item);
    }
}

/// What runs when one part of the program is replaced by another.
fn check(from: &str, to: &str, expected: Expect) {
    assert_eq!(PROGRAM.matches(from).count(), 1, "{from}");
    let mut watched = Watched::new();
    watched.run(PROGRAM);
    expected.assert_eq(&watched.run(&PROGRAM.replace(from, to)));
}

#[test]
fn the_same_text_runs_nothing() {
    check("n: i32", "n: i32", expect![[""]]);
}

#[test]
fn white_space_and_comments_run_the_parse_of_their_item() {
    check(
        "for i in range(n):",
        "for  i  in range( n ):  # all of them",
        expect![[r#"
            a: dense
            a: dense_map
            a: parse
            chunk_items
            chunk_words
            chunked_text
            cut_file
            file_chunks
        "#]],
    );
}

#[test]
fn a_move_runs_nothing_of_any_item() {
    check(
        "const N = 4\n",
        "const N = 4\n\n\n\n\n\n\n\n\n\n\n",
        expect![[r#"
            N: dense
            N: dense_map
            N: parse
            chunk_items
            chunk_words
            chunked_text
            cut_file
            file_chunks
        "#]],
    );
}

#[test]
fn a_body_runs_its_item_alone() {
    check(
        "sqrt(x)",
        "sqrt(x) + 1",
        expect![[r#"
            b: arrays
            b: broken
            b: dense
            b: dense_map
            b: findings
            b: generics
            b: infer
            b: lowered
            b: notes
            b: of_item
            b: of_kernel
            b: parse
            b: resolved
            b: stage_cache
            b: verdicts
            b: without_arrays
            chunk_items
            chunk_words
            chunked_text
            cut_file
            outcomes_here
            thrice: broken
            thrice: notes
            thrice: of_item
            twice: broken
            twice: notes
            twice: of_item
        "#]],
    );
}

#[test]
fn a_function_whose_type_stays_runs_no_caller() {
    check(
        "return 2 * x",
        "return 3 * x",
        expect![[r#"
            a: arrays
            a: of_kernel
            a: stage_cache
            a: verdicts
            a: without_arrays
            b: arrays
            b: of_kernel
            b: stage_cache
            b: verdicts
            b: without_arrays
            chunk_items
            chunk_words
            chunked_text
            cut_file
            outcomes_here
            twice: broken
            twice: dense
            twice: dense_map
            twice: findings
            twice: generics
            twice: infer
            twice: lowered
            twice: parse
            twice: resolved
            twice: signature
        "#]],
    );
}

#[test]
fn a_function_whose_type_changes_runs_its_callers() {
    check(
        "fn thrice(x: f32) -> f32:",
        "fn thrice(y: f32) -> f32:",
        expect![[r#"
            b: arrays
            b: broken
            b: infer
            b: notes
            b: of_item
            b: of_kernel
            b: stage_cache
            b: verdicts
            b: without_arrays
            chunk_items
            chunk_mentions
            chunk_words
            chunked_text
            cut_before
            cut_file
            file_chunks
            file_items
            file_names
            named
            outcomes_here
            structs
            thrice: dense
            thrice: dense_map
            thrice: findings
            thrice: generics
            thrice: infer
            thrice: lowered
            thrice: of_item
            thrice: parse
            thrice: resolved
            thrice: signature
            twice: broken
            twice: notes
            twice: of_item
        "#]],
    );
}

#[test]
fn a_constant_runs_those_that_name_it() {
    check(
        "const N = 4",
        "const N = 5",
        expect![[r#"
            N: body
            N: broken
            N: const_value
            N: dense
            N: dense_map
            N: findings
            N: infer
            N: lowered
            N: parse
            N: resolved
            N: signature
            b: arrays
            b: findings
            b: infer
            b: of_kernel
            b: stage_cache
            b: verdicts
            b: without_arrays
            chunk_items
            chunk_words
            chunked_text
            const_content
            cut_file
            outcomes_here
        "#]],
    );
}

#[test]
fn a_field_runs_those_that_use_its_struct() {
    check(
        "    x: f32\n\n",
        "    x: f32\n    y: f32\n\n",
        expect![[r#"
            P: body
            P: broken
            P: dense
            P: dense_map
            P: findings
            P: infer
            P: lowered
            P: parse
            P: resolved
            P: struct_fields
            a: arrays
            a: broken
            a: infer
            a: notes
            a: of_item
            a: of_kernel
            a: stage_cache
            a: verdicts
            a: without_arrays
            chunk_items
            chunk_mentions
            chunk_words
            chunked_text
            cut_file
            file_chunks
            outcomes_here
            twice: broken
            twice: notes
            twice: of_item
        "#]],
    );
}

#[test]
fn a_new_item_runs_itself() {
    check(
        "kernel b(",
        "fn added(x):\n    return x\n\nkernel b(",
        expect![[r#"
            added: arrays
            added: broken
            added: cycle_of
            added: dense
            added: dense_map
            added: findings
            added: generics
            added: infer
            added: kernels_of
            added: lowered
            added: notes
            added: of_item
            added: parse
            added: resolved
            added: stage_cache
            added: verdicts
            added: without_arrays
            callers_of_file
            chunk_items
            chunk_mentions
            chunk_words
            chunked_text
            cut_file
            cycles_of_file
            file_chunks
            file_items
            file_names
            item_table
            named
            struct_named
            use_lines
            visible_names
        "#]],
    );
}

#[test]
fn a_name_that_goes_runs_those_that_name_it() {
    check(
        "fn thrice(",
        "fn triple(",
        expect![[r#"
            b: arrays
            b: findings
            b: generics
            b: infer
            b: lowered
            b: of_item
            b: of_kernel
            b: resolved
            b: stage_cache
            b: verdicts
            b: without_arrays
            callers_of_file
            chunk_items
            chunk_mentions
            chunk_words
            chunked_text
            cut_before
            cut_file
            cycles_of_file
            file_chunks
            file_items
            file_names
            item_table
            named
            outcomes_here
            struct_named
            structs
            triple: arrays
            triple: broken
            triple: cycle_of
            triple: dense
            triple: dense_map
            triple: findings
            triple: generics
            triple: infer
            triple: kernels_of
            triple: lowered
            triple: notes
            triple: of_item
            triple: parse
            triple: resolved
            triple: stage_cache
            triple: verdicts
            triple: without_arrays
            twice: broken
            twice: kernels_of
            twice: notes
            twice: of_item
            use_lines
            visible_names
        "#]],
    );
}

#[test]
fn items_that_change_places_run_nothing() {
    let mut watched = Watched::new();
    watched.run(PROGRAM);
    let mut items: Vec<_> = syntax::cut(PROGRAM).iter().map(|item| item.text).collect();
    items.reverse();
    expect![[r#"
        callers_of_file
        chunk_items
        chunk_mentions
        chunk_words
        chunked_text
        cut_file
        cycles_of_file
        file_chunks
        file_items
        file_names
        item_table
        named
        struct_named
        use_lines
        visible_names
    "#]]
    .assert_eq(&watched.run(&items.concat()));
}

/// The numbers of queries that run and of results that are confirmed when a digit is typed into one of many kernels, each with a function
/// and a constant of its own.
fn cost_of_a_key(n_kernels: usize) -> (usize, usize) {
    let group = |n: usize| {
        format!(
            "const C{n} = {n}\n\nfn f{n}(x: f32) -> f32:\n    return x * f32(C{n})\n\n\
             kernel k{n}(a: f32[n], n: i32):\n    for i in range(n):\n        a[i] = f{n}(a[i]) + {n}.5\n\n"
        )
    };
    let text: String = (0..n_kernels).map(group).collect();
    let counts: Arc<Mutex<(usize, usize)>> = Arc::default();
    let log = counts.clone();
    let listener = move |event: salsa::Event| match event.kind {
        salsa::EventKind::WillExecute { .. } => log.lock().expect("the log").0 += 1,
        salsa::EventKind::DidValidateMemoizedValue { .. } => log.lock().expect("the log").1 += 1,
        _ => {}
    };
    let (mut host, mut cache) = (Host::with_listener(Box::new(listener)), ItemCache::default());
    let middle = format!("{}.5", n_kernels / 2);
    let mut ask = |text: &str| {
        let file = host.set_text("a.lane", text);
        *counts.lock().expect("the log") = (0, 0);
        check::diagnostics_cached(host.snapshot().db(), file, &mut cache);
        *counts.lock().expect("the log")
    };
    ask(&text);
    ask(&text.replace(&middle, &format!("{middle}1")));
    ask(&text)
}

#[test]
fn a_key_runs_as_much_in_a_long_file_and_confirms_chunks() {
    let [short, long] = [100, 900].map(cost_of_a_key);
    assert_eq!(short.0, long.0);
    // Of each chunk a few results are confirmed, of each item of other chunks none.
    let n_items = 3 * (900 - 100);
    assert!(long.1 - short.1 < n_items / 2, "{short:?} {long:?}");
}
