//! Random edits: a database that has lived through them says what a fresh one says, after every one.
//!
//! Texts start as examples and suites, and are edited as people do: typed key by key, cut, pasted, indented, commented out,
//! joined, renamed, moved. `LANESCOPE_CASES` sets how many edits are made of each text (more find more).

use crate::common;

use std::fmt::Write;

use fastrand::Rng;
use ide::semantic_tokens::{SemanticToken, semantic_tokens, tokens_of_item};
use queries::db::{Database, File};
use queries::host::Host;
use queries::item_cache::ItemCache;
use queries::{check, db};

#[test]
fn a_long_life_makes_no_difference() {
    for (seed, (path, original)) in texts().enumerate() {
        let mut rng = Rng::with_seed(seed as u64);
        let mut clipboard = String::from("    x = 1\n");
        let text = piece(&mut rng, &original);
        live(&path.display().to_string(), text, n_edits(100), |text| {
            let edited = edit(&mut rng, text, &mut clipboard);
            // What is pasted again and again grows without end, and finds nothing more.
            if edited.len() > 8_000 { piece(&mut rng, &original) } else { edited }
        });
    }
}

/// Items of a long file are known by the chunks that they are in, which grow, are divided, and lose their items to each other.
#[test]
fn a_long_life_makes_no_difference_to_many_items() {
    let texts: Vec<String> = texts().map(|(_, text)| text).collect();
    let items = texts.iter().flat_map(|text| syntax::cut(text)).map(|item| item.text);
    let items: Vec<&str> = items.filter(|text| text.len() < 120).collect();
    let mut rng = Rng::with_seed(26);
    let mut clipboard = String::from("    x = 1\n");
    let some = |rng: &mut Rng, n: usize| (0..n).filter_map(|_| rng.choice(&items).copied()).collect::<String>();
    live("many items", some(&mut rng, 80), n_edits(200), |text| {
        let mut cut: Vec<&str> = syntax::cut(text).iter().map(|item| item.text).collect();
        let (from, n_items) = (rng.usize(..=cut.len()), rng.usize(..20));
        let moved: Vec<&str> = cut.drain(from..(from + n_items).min(cut.len())).collect();
        let to = rng.usize(..=cut.len());
        match rng.u8(..8) {
            0 => [cut[..to].concat(), moved.concat(), cut[to..].concat()].concat(),
            1 if cut.len() > 60 => cut.concat(),
            2 if cut.len() < 100 => {
                let n_new = rng.usize(..40);
                [&*cut[..to].concat(), &some(&mut rng, n_new), &cut[to..].concat()].concat()
            }
            _ => edit(&mut rng, text, &mut clipboard),
        }
    });
}

fn n_edits(usual: usize) -> usize {
    std::env::var("LANESCOPE_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(usual)
}

fn texts() -> impl Iterator<Item = (std::path::PathBuf, String)> {
    ["examples", "analysis/ide/tests/suites"].into_iter().flat_map(|folder| common::files(folder, "lane"))
}

/// Lives through some edits of a text, and compares what is known after each with what a fresh database says.
fn live(name: &str, mut text: String, n_edits: usize, mut edited: impl FnMut(&str) -> String) {
    let mut host = Host::default();
    let mut kept = KeptAnswers::default();
    for n in 0..n_edits {
        let file = host.set_text("a.lane", &text);
        let lived = dump(host.snapshot().db(), file);
        let fresh = Database::default();
        let fresh_file = File::new(&fresh, text.as_str().into());
        let expected = dump(&fresh, fresh_file);
        assert!(lived == expected, "{name} after {n} edits:\n{text}\n{}", difference(&expected, &lived));
        let snapshot = host.snapshot();
        kept.check(snapshot.db(), file, (&fresh, fresh_file), &text);
        drop(snapshot);
        text = edited(&text);
    }
}

/// Three files, the first of which uses the others.
const FILES: [(&str, &str); 3] = [
    (
        "w/main.lane",
        "use filters: step, State, halved\nuse shared.constants\nuse random\n\n\
         kernel smooth(a: f32[n], out: f32[n], n: i32):\n    s = State(0.0)\n    for i in range(n):\n        \
         s = step(s, a[i])\n        out[i] = s.y\n\n\
         kernel window(a: f32[n], n: i32):\n    for i in range(n):\n        \
         a[i] = halved(a[i] * WINDOW[i & 3]) + random(1, u32(i)) * SCALE\n",
    ),
    (
        "w/filters.lane",
        "use shared.constants: SCALE\n\nstruct State:\n    y: f32\n\nfn _mixed(x, y):\n    return y + SCALE * (x - y)\n\n\
         fn step(s: State, x: f32):\n    return State(_mixed(x, s.y))\n\nfn halved(x):\n    return x / 2\n",
    ),
    (
        "w/shared/constants.lane",
        "const SCALE = 0.25\nconst WINDOW: f32[4] = [0.25, 0.5, 0.75, 1.0]\n\nfn _own():\n    return 1\n",
    ),
];

#[test]
fn a_long_life_makes_no_difference_where_files_use_others() {
    let n_edits = n_edits(300);
    let mut rng = Rng::with_seed(24);
    let mut host = Host::default();
    let mut kept = KeptAnswers::default();
    let mut texts = FILES.map(|(_, text)| Some(text.to_owned()));
    let mut clipboard = String::from("use filters\n");
    for n in 0..n_edits {
        let mut fresh = Database::default();
        for ((name, _), text) in FILES.iter().zip(&texts) {
            match text {
                Some(text) => {
                    host.set_text(name, text);
                    let _ = fresh.add_file(name, text.as_str().into());
                }
                None => host.remove(name),
            }
        }
        let snapshot = host.snapshot();
        let file = |db: &Database, name: &str| db::Known::get(db).files(db).get(name).copied();
        for ((name, _), text) in FILES.iter().zip(&texts).filter_map(|(file, text)| Some((file, text.as_ref()?))) {
            let (lived, new) = (snapshot.file(name).expect("it is there"), file(&fresh, name).expect("it is there"));
            let (found, expected) = (without_ids(&dump(snapshot.db(), lived)), without_ids(&dump(&fresh, new)));
            assert!(found == expected, "{name} after {n} edits:\n{text}\n{}", difference(&expected, &found));
        }
        let (name, _) = FILES[0];
        let new = file(&fresh, name).expect("it is there");
        let text = texts[0].clone().unwrap_or_default();
        kept.check(snapshot.db(), snapshot.file(name).expect("it is there"), (&fresh, new), &text);
        drop(snapshot);
        let which = rng.usize(0..3);
        // Now and then a file is gone, and each is mended before long, so that the others have something to use.
        texts[which] = match (&texts[which], rng.u8(0..8)) {
            (Some(_), 0) if which > 0 => None,
            (None, _) | (_, 1) => Some(FILES[which].1.to_owned()),
            (Some(text), _) => Some(edit(&mut rng, text, &mut clipboard)),
        };
    }
}

/// A dump without the numbers of files, which are others in each database.
fn without_ids(dump: &str) -> String {
    let mut parts = dump.split("FileId(");
    let mut out = parts.next().unwrap_or_default().to_owned();
    parts.for_each(|part| out.push_str(part.trim_start_matches(|c: char| c.is_ascii_digit())));
    out
}

/// What somebody who asks after every edit keeps of all items.
#[derive(Default)]
struct KeptAnswers {
    reports: ItemCache<check::Report>,
    tokens: ItemCache<Vec<SemanticToken>>,
}

impl KeptAnswers {
    /// What is kept, and asked again where that is needed, is what a fresh database says.
    fn check(&mut self, db: &Database, file: File, fresh: (&Database, File), text: &str) {
        let found = check::diagnostics_cached(db, file, &mut self.reports);
        assert_eq!(found, check::diagnostics(fresh.0, fresh.1), "{text}");
        let plan = self.tokens.plan(db, file);
        let asked = plan.asked().map(|item| tokens_of_item(db, item)).collect();
        self.tokens.update(db, &plan, asked);
        let placed = self.tokens.values().zip(plan.starts).flat_map(|(tokens, &start)| {
            tokens.iter().map(move |token| SemanticToken { range: token.range + start, ..*token })
        });
        assert_eq!(placed.collect::<Vec<_>>(), semantic_tokens(fresh.0, fresh.1, None), "{text}");
    }
}

/// A part of a text, so that each edit is quick: some items that follow each other.
fn piece(rng: &mut Rng, text: &str) -> String {
    let items = syntax::cut(text);
    let n_items = items.len().min(12);
    let first = rng.usize(..=items.len() - n_items);
    items[first..first + n_items].iter().map(|item| item.text).collect()
}

/// Everything that is known of a file, as text: HIR, places, types, values, signatures, findings and diagnostics.
fn dump(db: &Database, file: File) -> String {
    let mut out = String::new();
    for &item in db::file_items(db, file) {
        let lowered = queries::lowered(db, item);
        let inference = queries::infer(db, item);
        let _ = writeln!(out, "{:?} {} {}", item.kind(db), item.name(db), item.nth(db));
        for (id, expr) in lowered.body.exprs.iter() {
            let (at, ty) = (lowered.map.exprs.get(id), inference.exprs.get(id));
            let _ = writeln!(out, "  {id:?} {expr:?} {at:?} {ty:?} {:?}", inference.values.get(&id));
        }
        for (id, stmt) in lowered.body.stmts.iter() {
            let _ = writeln!(out, "  {id:?} {stmt:?} {:?}", lowered.map.stmts.get(id));
        }
        for (id, local) in lowered.body.locals.iter() {
            let defaulted = inference.defaulted.contains(&id);
            let _ = writeln!(out, "  {id:?} {local:?} {:?} {defaulted}", inference.locals.get(id));
        }
        let _ = writeln!(out, "  {:?}\n  {:?}", inference.signature, inference.assumptions);
        let _ = writeln!(out, "  {:?}", check::findings(db, item));
    }
    for diagnostic in check::diagnostics(db, file) {
        let _ = writeln!(out, "{diagnostic:?}");
    }
    out
}

fn difference(expected: &str, found: &str) -> String {
    let lines = expected.lines().zip(found.lines()).find(|(a, b)| a != b);
    lines.map_or_else(String::new, |(expected, found)| format!("expected {expected}\nfound    {found}"))
}

/// One edit.
fn edit(rng: &mut Rng, text: &str, clipboard: &mut String) -> String {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    if lines.is_empty() {
        return clipboard.clone();
    }
    let n = rng.usize(..lines.len());
    let with_line = |line: &str| [&lines[..n].concat(), line, &lines[n + 1..].concat()].concat();
    match rng.u32(..13) {
        // Keys.
        0..3 => {
            let at = boundary(rng, text);
            let key = rng.choice(["x", "1", " ", "\n", "(", ")", ":", "[", "]", "=", ".", "#", "@", "n", "f32"]);
            [&text[..at], key.unwrap_or("x"), &text[at..]].concat()
        }
        3..5 => {
            let (a, b) = (boundary(rng, text), boundary(rng, text));
            let (a, b) = (a.min(b), a.max(b).min(a.min(b) + 8));
            let b = (b..=text.len()).find(|&b| text.is_char_boundary(b)).unwrap_or(text.len());
            [&text[..a], &text[b..]].concat()
        }
        // Lines.
        5 => {
            *clipboard = lines[n..(n + 1 + rng.usize(..4)).min(lines.len())].concat();
            text.replacen(clipboard.as_str(), "", 1)
        }
        6 => with_line(&[lines[n], clipboard.as_str()].concat()),
        7 => with_line(&["    ", lines[n]].concat()),
        8 => with_line(lines[n].strip_prefix("    ").unwrap_or(lines[n])),
        9 => with_line(&["# ", lines[n]].concat()),
        10 => with_line(lines[n].trim_end()),
        // Items.
        11 => {
            let items = syntax::cut(text);
            let names: Vec<_> = items.iter().map(|item| item.name).filter(|name| !name.is_empty()).collect();
            let (Some(old), Some(new)) = (rng.choice(&names), rng.choice(["k", "f", "renamed", "x", "max"])) else {
                return clipboard.clone();
            };
            if rng.bool() { text.replacen(*old, new, 1) } else { text.replace(*old, new) }
        }
        _ => {
            let mut items: Vec<_> = syntax::cut(text).iter().map(|item| item.text).collect();
            let (a, b) = (rng.usize(..items.len()), rng.usize(..items.len()));
            items.swap(a, b);
            items.concat()
        }
    }
}

/// A place between two characters.
fn boundary(rng: &mut Rng, text: &str) -> usize {
    let at = rng.usize(..=text.len());
    (at..=text.len()).find(|&at| text.is_char_boundary(at)).unwrap_or(text.len())
}
