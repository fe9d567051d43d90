//! The rules of the architecture: which packages may depend on which, where code may be, and that the documents are
//! true.
//!
//! Each rule is a checker, a function from plain data to a list of violations, and a test of the checker shows that it
//! can find some. Source is read as Rust tokens, so that comments and string literals never count as mentions.

#[path = "architecture/names.rs"]
mod names;
mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use cargo_metadata::MetadataCommand;
use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

use support::root;

/// The rules of a package: its allowed and its forbidden dependencies.
struct Room {
    name: &'static str,
    /// The project's own packages that it may depend on.
    knows: &'static [&'static str],
    /// Crates that it must not depend on or mention. A name stands for all names that start with it.
    never: &'static [&'static [&'static str]],
    /// Paths that its source must not mention.
    never_uses: &'static [&'static str],
}

const SALSA: &[&str] = &["salsa"];
const TREES: &[&str] = &["rowan"];
const PROTOCOLS: &[&str] = &["tower", "lsp", "ls_types", "tokio"];
const TERMINAL: &[&str] = &["ratatui", "crossterm"];
const COMMAND_LINE: &[&str] = &["clap"];
const DRAWING: &[&str] = &["anstyle", "anstream", "annotate-snippets", "terminal_size"];
const LLVM: &[&str] = &["llvm", "inkwell", "libloading"];
const SYSTEM: &[&str] = &["std::fs", "std::net", "std::process", "std::thread"];

/// Crates that no room of meaning knows: those are plain functions from data to data. Behind `lane`, nothing knows in which surface a
/// program was written, since no room there may depend on `syntax`.
const OUTSIDE: &[&[&str]] = &[SALSA, TREES, PROTOCOLS, TERMINAL, LLVM];

const ROOMS: &[Room] = &[
    Room { name: "report", knows: &[], never: OUTSIDE, never_uses: SYSTEM },
    Room { name: "syntax", knows: &["report"], never: &[SALSA, PROTOCOLS, TERMINAL, LLVM], never_uses: SYSTEM },
    Room { name: "ispc", knows: &[], never: &[SALSA, PROTOCOLS, TERMINAL, LLVM], never_uses: SYSTEM },
    Room { name: "ispc-types", knows: &["ispc", "report"], never: OUTSIDE, never_uses: SYSTEM },
    Room { name: "ispc-facts", knows: &["ispc", "ispc-types"], never: OUTSIDE, never_uses: SYSTEM },
    Room { name: "ispc-ir", knows: &[], never: OUTSIDE, never_uses: SYSTEM },
    Room {
        name: "ispc-native",
        knows: &["ir", "ispc", "ispc-ir", "ispc-lowering", "ispc-types", "native"],
        never: &[SALSA, TREES, PROTOCOLS, TERMINAL, LLVM],
        never_uses: SYSTEM,
    },
    Room { name: "ispc-lowering", knows: &["ispc", "ispc-ir", "ispc-types"], never: OUTSIDE, never_uses: SYSTEM },
    Room { name: "ir", knows: &["report"], never: OUTSIDE, never_uses: SYSTEM },
    Room { name: "facts", knows: &["ir", "report"], never: OUTSIDE, never_uses: SYSTEM },
    Room { name: "passes", knows: &["facts", "ir", "report"], never: OUTSIDE, never_uses: SYSTEM },
    Room { name: "hir", knows: &["ir", "report"], never: OUTSIDE, never_uses: SYSTEM },
    Room {
        name: "lane",
        knows: &["hir", "ir", "report", "syntax"],
        never: &[SALSA, TREES, PROTOCOLS, TERMINAL, LLVM],
        never_uses: SYSTEM,
    },
    Room { name: "lowering", knows: &["hir", "ir", "report"], never: OUTSIDE, never_uses: SYSTEM },
    Room { name: "execution", knows: &["hir", "ir", "lowering", "report"], never: OUTSIDE, never_uses: SYSTEM },
    Room {
        name: "insight",
        knows: &["facts", "hir", "ir", "lowering", "passes", "report"],
        never: OUTSIDE,
        never_uses: SYSTEM,
    },
    Room {
        name: "queries",
        knows: &[
            "execution",
            "facts",
            "hir",
            "insight",
            "ir",
            "ispc",
            "ispc-facts",
            "ispc-types",
            "lane",
            "lowering",
            "passes",
            "report",
        ],
        never: &[TREES, PROTOCOLS, TERMINAL, LLVM],
        never_uses: SYSTEM,
    },
    Room {
        name: "ide",
        // Its tests are those of all rooms together, and may write programs with the surface's own parser.
        knows: &["facts", "hir", "insight", "ir", "lane", "lowering", "passes", "queries", "report", "syntax"],
        never: &[TREES, PROTOCOLS, TERMINAL, LLVM],
        never_uses: SYSTEM,
    },
    // Of passes it knows the form of decisions, which its audit makes, too; its tests run them.
    Room {
        name: "native",
        knows: &["facts", "ir", "passes", "report"],
        never: &[SALSA, TREES, TERMINAL],
        never_uses: &[],
    },
    Room {
        name: "server",
        knows: &["hir", "ide", "ir", "lane", "passes", "queries", "report"],
        never: &[TERMINAL, LLVM],
        never_uses: &[],
    },
    Room {
        name: "driver",
        knows: &[
            "hir",
            "ide",
            "insight",
            "ispc",
            "ispc-facts",
            "ispc-ir",
            "ispc-lowering",
            "ispc-native",
            "ispc-types",
            "native",
            "queries",
            "report",
            "syntax",
        ],
        never: &[SALSA, TREES, PROTOCOLS, TERMINAL, COMMAND_LINE, DRAWING, LLVM],
        never_uses: &[],
    },
    Room {
        name: "explorer",
        knows: &["driver", "ide", "native", "queries", "report", "syntax"],
        never: &[SALSA, TREES, PROTOCOLS, COMMAND_LINE, DRAWING, LLVM],
        never_uses: &[],
    },
    // Of the server it takes the framing of messages, which both protocols share.
    Room {
        name: "dap",
        knows: &["driver", "queries", "report", "server"],
        never: &[SALSA, TREES, PROTOCOLS, TERMINAL, COMMAND_LINE, DRAWING, LLVM],
        never_uses: &[],
    },
    // Its tests are those of the explorer, too, which need the command: it is the worker that makes machine code.
    Room {
        name: "tui",
        knows: &[
            "dap", "driver", "explorer", "hir", "ide", "insight", "ir", "ispc", "native", "queries", "report",
            "server", "syntax",
        ],
        never: &[SALSA, TREES, LLVM],
        never_uses: &[],
    },
];

/// The folders that may contain code.
const CODE_FOLDERS: &[&str] = &["syntax", "analysis", "tui", "server", "editors", "examples"];

#[test]
fn dependencies_go_one_way() {
    let packages = MetadataCommand::new()
        .manifest_path(root().join("Cargo.toml"))
        .no_deps()
        .other_options(["--offline".to_owned()])
        .exec()
        .expect("cargo metadata")
        .packages;
    let dependencies: BTreeMap<String, Vec<String>> = packages
        .iter()
        .map(|package| {
            let names = package.dependencies.iter().map(|dependency| dependency.name.clone());
            (package.name.to_string(), names.collect())
        })
        .collect();
    let names: BTreeSet<_> = dependencies.keys().map(String::as_str).collect();
    assert_eq!(names, ROOMS.iter().map(|room| room.name).collect(), "every package is a room with rules");
    assert_none(ROOMS.iter().flat_map(|room| wrong_dependencies(room, &dependencies[room.name])));
}

#[test]
fn sources_mention_nothing_that_their_room_never_knows() {
    for (room, folder) in rooms_with_folders() {
        for path in rust_files(&folder.join("src")) {
            let mentions = Mentions::of(&read(&path));
            assert_none(wrong_mentions(room, &mentions).iter().map(|wrong| format!("{}: {wrong}", path.display())));
        }
    }
}

#[test]
fn one_file_of_the_queries_goes_through_the_door_of_a_surface() {
    let source = root().join("analysis/queries/src");
    for path in rust_files(&source) {
        let mentions = Mentions::of(&read(&path));
        let is_door = path == source.join("surface.rs") || path == source.join("prelude.rs");
        assert!(is_door || !mentions.knows_crate("lane"), "{}: only `surface.rs` knows a surface", path.display());
    }
}

/// The files behind `ide` that read Lane by themselves. A second surface touches them where they are to show it, too.
const READERS_OF_LANE: &[&str] = &[
    "tui/driver/src/document.rs",
    "tui/driver/src/surface.rs",
    "tui/explorer/src/why.rs",
    "tui/src/commands/explore.rs",
    "tui/src/commands/fmt.rs",
    "tui/src/highlight.rs",
];

#[test]
fn few_files_behind_ide_read_lane_by_themselves() {
    let sources = ["server/src", "tui/src", "tui/driver/src", "tui/explorer/src"].map(|folder| root().join(folder));
    // Line indices and codes are plain data.
    let reads = |path: &str| {
        let rest = path.strip_prefix("syntax::").or_else(|| path.strip_prefix("lane::tree::"));
        rest.is_some_and(|rest| !["text", "errors"].contains(&rest.split("::").next().unwrap_or_default()))
    };
    let files = sources.iter().flat_map(|folder| rust_files(folder));
    let readers = files.filter(|path| Mentions::of(&read(path)).paths.iter().any(|path| reads(path)));
    let mut readers: Vec<_> = readers.map(|path| path.strip_prefix(root()).expect("in the root").to_owned()).collect();
    readers.sort();
    assert_eq!(readers, READERS_OF_LANE.iter().map(PathBuf::from).collect::<Vec<_>>());
}

#[test]
fn only_the_views_of_the_explorer_render() {
    let explorer = root().join("tui/explorer/src");
    let views = |path: &PathBuf| path.starts_with(explorer.join("views")) || *path == explorer.join("views.rs");
    assert!(rust_files(&explorer).iter().any(views), "the views are where they were");
    let sources = [&explorer, &root().join("tui/src")].map(|folder| rust_files(folder));
    for path in sources.into_iter().flatten() {
        let mentions = Mentions::of(&read(&path));
        let renders = mentions.knows_crate("ratatui");
        assert!(!renders || views(&path), "{}: ratatui outside the views", path.display());
        let is_terminal = path == explorer.join("terminal.rs") || path.starts_with(explorer.join("terminal"));
        let steers = mentions.knows_crate("crossterm");
        assert!(!steers || views(&path) || is_terminal, "{}: crossterm outside the terminal", path.display());
    }
}

#[test]
fn code_stands_in_its_rooms() {
    let entries = fs::read_dir(root()).expect("the root").map(|entry| entry.expect("an entry"));
    let others = entries.filter(|entry| {
        let name = entry.file_name();
        let name = name.to_str().expect("UTF-8");
        !name.starts_with('.') && name != "target" && !CODE_FOLDERS.contains(&name)
    });
    let files = others.flat_map(|entry| files_under(&entry.path()));
    assert_none(files.filter(|path| is_code(path)).map(|path| format!("{}: code outside the rooms", path.display())));
}

#[test]
fn modules_say_what_they_are_for_and_nothing_is_left_for_later() {
    for path in CODE_FOLDERS.iter().flat_map(|folder| rust_files(&root().join(folder))) {
        assert_none(unfinished(&read(&path)).iter().map(|wrong| format!("{}: {wrong}", path.display())));
    }
}

#[test]
fn the_architecture_is_a_short_read_and_names_every_room() {
    let text = read(&root().join("ARCHITECTURE.md"));
    let n_words = text.split_whitespace().count();
    assert!(n_words < 1500, "ARCHITECTURE.md has {n_words} words");
    for room in ROOMS {
        assert!(text.contains(&format!("`{}`", room.name)), "ARCHITECTURE.md does not name `{}`", room.name);
    }
}

#[test]
fn the_readme_starts_with_the_two_commands_and_the_check_runs_the_second() {
    let readme = read(&root().join("README.md"));
    let block = readme.split("```").nth(1).expect("a block of commands");
    let commands: Vec<_> = block.lines().skip(1).filter(|line| !line.is_empty()).collect();
    assert_eq!(commands, ["cargo run --release -- examples/scale_audio.lane", "cargo test"]);
    let script = read(&root().join(".ci/run"));
    assert!(script.lines().any(|line| line == commands[1]), ".ci/run does not run `{}`", commands[1]);
}

/// Lists a room's declared dependencies, of all kinds, that its rules forbid.
fn wrong_dependencies(room: &Room, dependencies: &[String]) -> Vec<String> {
    let is_room = |name: &str| ROOMS.iter().any(|room| room.name == name);
    let wrong = dependencies.iter().filter(|name| {
        let unknown_room = is_room(name) && !room.knows.contains(&name.as_str());
        unknown_room || room.never.iter().flat_map(|group| *group).any(|never| is_a(name, never))
    });
    wrong.map(|name| format!("`{}` depends on `{name}`", room.name)).collect()
}

fn wrong_mentions(room: &Room, mentions: &Mentions) -> Vec<String> {
    let rooms = ROOMS.iter().map(|room| room.name).filter(|name| *name != room.name && !room.knows.contains(name));
    let never = room.never.iter().flat_map(|group| *group).copied().filter(|name| mentions.knows_crate(name));
    // A module of a room may have a name that starts as that of another one.
    let crates = never.chain(rooms.filter(|name| mentions.knows_room(name)));
    let paths = room.never_uses.iter().copied().filter(|path| mentions.knows_path(path));
    crates.chain(paths).map(|name| format!("`{}` mentions `{name}`", room.name)).collect()
}

/// Returns true if a name belongs to a family of crates: `tower-lsp-server` is a `tower`.
fn is_a(name: &str, family: &str) -> bool {
    let rest = name.strip_prefix(family);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '_']) || rest.starts_with(char::is_numeric))
}

/// Lists the reasons why a source file is unfinished.
fn unfinished(source: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    if !source.trim_start().starts_with("//!") {
        wrong.push("does not open with what it is for (`//!`)".to_owned());
    }
    let mentions = Mentions::of(source);
    let macros = ["todo", "unimplemented", "dbg"].iter().filter(|name| mentions.macros.contains(**name));
    wrong.extend(macros.map(|name| format!("has a `{name}!`")));
    wrong.extend(mentions.ignored.iter().map(|line| format!("line {line}: a test is ignored")));
    wrong
}

/// The paths, macros and ignored tests of a source file.
#[derive(Default)]
struct Mentions {
    /// All paths, with groups expanded: `std::{fs, io}` is `std::fs` and `std::io`.
    paths: BTreeSet<String>,
    macros: BTreeSet<String>,
    /// The lines of `#[ignore]` attributes.
    ignored: Vec<usize>,
}

impl Mentions {
    fn of(source: &str) -> Mentions {
        let tokens: TokenStream = source.parse().expect("Rust tokens");
        let mut mentions = Mentions::default();
        mentions.collect(tokens, "");
        mentions
    }

    /// Returns true if a path starts with a crate of this family. A path of one word counts only if it is an import or
    /// a call, because otherwise it may be an unrelated name.
    fn knows_crate(&self, family: &str) -> bool {
        self.paths.iter().any(|path| match path.split_once("::") {
            Some((first, _)) => is_a(first, &family.replace('-', "_")),
            None => false,
        })
    }

    /// Returns true if a path starts with the crate of this very name.
    fn knows_room(&self, name: &str) -> bool {
        self.paths.iter().any(|path| path.split_once("::").is_some_and(|(first, _)| first == name))
    }

    fn knows_path(&self, wanted: &str) -> bool {
        self.paths
            .iter()
            .any(|path| path.strip_prefix(wanted).is_some_and(|rest| rest.is_empty() || rest.starts_with("::")))
    }

    /// Collects the paths of a token stream. `prefix` is the path in front of a group of imports.
    fn collect(&mut self, tokens: TokenStream, prefix: &str) {
        let tokens: Vec<_> = tokens.into_iter().collect();
        let mut path = prefix.to_owned();
        for (at, token) in tokens.iter().enumerate() {
            let next = tokens.get(at + 1);
            match token {
                TokenTree::Ident(ident) => {
                    path += &ident.to_string();
                    if is_punct(next, '!') {
                        self.macros.insert(ident.to_string());
                    }
                    if !is_punct(next, ':') {
                        self.paths.insert(std::mem::replace(&mut path, prefix.to_owned()));
                    }
                }
                TokenTree::Punct(punct) if punct.as_char() == ':' && is_punct(next, ':') => path += "::",
                // The second colon of a path separator.
                TokenTree::Punct(punct) if punct.as_char() == ':' && path.ends_with("::") => {}
                TokenTree::Group(group) => {
                    if at > 0 && is_punct(tokens.get(at - 1), '#') && is_ignore(group) {
                        self.ignored.push(group.span_open().start().line);
                    }
                    let imports = group.delimiter() == Delimiter::Brace && path.ends_with("::");
                    let inner = if imports { path.clone() } else { String::new() };
                    self.collect(group.stream(), &inner);
                    path = prefix.to_owned();
                }
                _ => path = prefix.to_owned(),
            }
        }
    }
}

fn is_punct(token: Option<&TokenTree>, wanted: char) -> bool {
    matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == wanted)
}

fn is_ignore(group: &Group) -> bool {
    let first = group.stream().into_iter().next();
    matches!(first, Some(TokenTree::Ident(ident)) if ident == "ignore")
}

fn rooms_with_folders() -> impl Iterator<Item = (&'static Room, PathBuf)> {
    ROOMS.iter().map(|room| {
        let places = ["analysis", "tui", "syntax", ""].map(|folder| root().join(folder).join(room.name));
        let folder = places.into_iter().find(|folder| folder.join("src").is_dir());
        (room, folder.unwrap_or_else(|| panic!("no folder of `{}`", room.name)))
    })
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    files_under(folder).into_iter().filter(|path| path.extension().is_some_and(|extension| extension == "rs")).collect()
}

/// Returns a file itself, or all files in and below a folder, without the output of builds and package managers.
fn files_under(path: &Path) -> Vec<PathBuf> {
    if !path.is_dir() {
        return vec![path.to_owned()];
    }
    let entries = fs::read_dir(path).expect("a folder").map(|entry| entry.expect("an entry").path());
    let own = entries.filter(|path| !["target", "node_modules"].iter().any(|name| path.ends_with(name)));
    own.flat_map(|path| files_under(&path)).collect()
}

fn is_code(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    ["rs", "c", "h", "cpp", "js", "ts", "py", "sh"].contains(&extension)
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn assert_none(wrong: impl IntoIterator<Item = String>) {
    let wrong: Vec<_> = wrong.into_iter().collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

mod the_checkers {
    use super::*;

    fn room(name: &str) -> &'static Room {
        ROOMS.iter().find(|room| room.name == name).expect("a room")
    }

    #[test]
    fn find_wrong_dependencies() {
        let wrong = |name, dependencies: &[&str]| {
            wrong_dependencies(room(name), &dependencies.iter().map(|name| name.to_string()).collect::<Vec<_>>())
        };
        assert_eq!(wrong("syntax", &["rowan", "salsa"]), ["`syntax` depends on `salsa`"]);
        assert_eq!(wrong("ir", &["syntax"]), ["`ir` depends on `syntax`"]);
        assert_eq!(
            wrong("queries", &["ir", "lane", "salsa", "tower-lsp-server"]),
            ["`queries` depends on `tower-lsp-server`"]
        );
        assert_eq!(wrong("native", &["ir", "libloading", "queries"]), ["`native` depends on `queries`"]);
        assert_eq!(
            wrong("server", &["ide", "llvm-sys", "native"]),
            ["`server` depends on `llvm-sys`", "`server` depends on `native`"]
        );
        assert_eq!(
            wrong("driver", &["clap", "crossterm", "explorer", "native"]),
            ["`driver` depends on `clap`", "`driver` depends on `crossterm`", "`driver` depends on `explorer`"]
        );
        assert_eq!(
            wrong("explorer", &["clap_complete", "driver", "ratatui", "tui"]),
            ["`explorer` depends on `clap_complete`", "`explorer` depends on `tui`"]
        );
    }

    #[test]
    fn find_wrong_mentions() {
        let wrong = |name, source| wrong_mentions(room(name), &Mentions::of(source));
        assert_eq!(wrong("syntax", "use std::{fmt, fs::{self, File}};"), ["`syntax` mentions `std::fs`"]);
        assert_eq!(wrong("ir", "fn f() { let x = std::thread::spawn(g); }"), ["`ir` mentions `std::thread`"]);
        assert_eq!(wrong("queries", "mod a { use tower_lsp::jsonrpc; }"), ["`queries` mentions `tower`"]);
        assert_eq!(wrong("native", "fn f(x: syntax::Kind) {}"), ["`native` mentions `syntax`"]);
        assert_eq!(wrong("native", "use {ir::Value, queries::{Db}};"), ["`native` mentions `queries`"]);
        assert_eq!(wrong("facts", "use lane_loop::{Walk};"), [""; 0]);
        for fine in [
            "//! Knows nothing of std::fs.\nuse std::fmt;",
            "const X: &str = \"std::fs\"; // std::thread",
            "fn f() { fs(); thread::<u8>(); let syntax = self.syntax(); }",
            "use std::{fmt, collections::BTreeMap};",
        ] {
            assert_eq!(wrong("ir", fine), [""; 0], "{fine}");
        }
    }

    #[test]
    fn find_what_is_unfinished() {
        assert_eq!(unfinished("//! For this.\nfn f() {}"), [""; 0]);
        assert_eq!(unfinished("// No.\nfn f() {}"), ["does not open with what it is for (`//!`)"]);
        assert_eq!(unfinished("//! T.\nfn f() { todo!() }\nfn g() { x(dbg!(1)) }"), ["has a `todo!`", "has a `dbg!`"]);
        assert_eq!(unfinished("//! T.\n#[test]\n#[ignore = \"slow\"]\nfn f() {}"), ["line 3: a test is ignored"]);
        assert_eq!(unfinished("//! T.\n// todo!() #[ignore]\nfn ignore(todo: u8) {}"), [""; 0]);
    }

    #[test]
    fn tell_code_from_papers() {
        assert!(is_code(Path::new("docs/tool.py")) && !is_code(Path::new("docs/language.md")));
        assert!(is_a("tower-lsp-server", "tower") && is_a("llvm", "llvm") && !is_a("towers", "tower"));
    }
}
