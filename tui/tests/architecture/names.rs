//! Names of types: each says enough to stand for one type, whichever package a file is of.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use proc_macro2::{TokenStream, TokenTree};

use super::{assert_none, is_punct, read, rooms_with_folders, rust_files};

/// The packages behind the surface, whose data meets in one file sooner or later.
const BEHIND_THE_SURFACE: &[&str] =
    &["report", "hir", "ir", "facts", "passes", "lowering", "execution", "insight", "queries", "ide", "native"];

/// The names that public types of several of those packages share, with the reason why each is right.
const SHARED_NAMES: &[(&[&str], &str)] = &[(
    &["Access", "Branch", "Decision", "Dependence", "Loop", "Verdict", "Witness"],
    "`facts`, `insight` and `passes` find it by ops and sites, `report::lanes` tells it with places and words of the source",
)];

/// Names that say so little that one type of the workspace may have each.
const VAGUE_NAMES: &[&str] = &["Item", "Place", "Choice"];

#[test]
fn types_have_names_of_their_own() {
    let mut public: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    let mut vague: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for (room, folder) in rooms_with_folders() {
        for path in rust_files(&folder.join("src")).iter().filter(|path| !is_of_tests(path)) {
            for found in types_of(&read(path)) {
                if VAGUE_NAMES.contains(&&*found.name) && !found.is_alias {
                    vague.entry(found.name.clone()).or_default().push(room.name);
                }
                if found.is_public && BEHIND_THE_SURFACE.contains(&room.name) {
                    public.entry(found.name).or_default().push(room.name);
                }
            }
        }
    }
    let shared = |(name, rooms): (&String, &Vec<&str>)| (rooms.len() > 1).then(|| (name.clone(), rooms.join(", ")));
    let exceptions: BTreeSet<&str> = SHARED_NAMES.iter().flat_map(|(names, _)| *names).copied().collect();
    let (right, wrong): (Vec<_>, Vec<_>) =
        public.iter().filter_map(shared).partition(|(name, _)| exceptions.contains(&**name));
    let twins = wrong.into_iter().chain(vague.iter().filter_map(shared));
    assert_none(twins.map(|(name, rooms)| format!("several types are called `{name}`: {rooms}")));
    let right: BTreeSet<&str> = right.iter().map(|(name, _)| &**name).collect();
    assert_eq!(right, exceptions, "each exception is one");
}

/// A type that a source file defines.
#[derive(Debug, PartialEq)]
struct Defined {
    name: String,
    is_public: bool,
    is_alias: bool,
}

/// Lists the types that a source file defines. An alias that keeps the name of its type is the same type.
fn types_of(source: &str) -> Vec<Defined> {
    fn collect(tokens: TokenStream, found: &mut Vec<Defined>) {
        let tokens: Vec<_> = tokens.into_iter().collect();
        let word = |at: usize| match tokens.get(at) {
            Some(TokenTree::Ident(ident)) => ident.to_string(),
            _ => String::new(),
        };
        for (at, token) in tokens.iter().enumerate() {
            if let TokenTree::Group(group) = token {
                collect(group.stream(), found);
            }
            let is_public = at > 0 && word(at - 1) == "pub";
            let is_alias = word(at) == "type" && is_public;
            let name = word(at + 1);
            if !is_alias && !["struct", "enum", "trait", "union"].contains(&&*word(at)) || name.is_empty() {
                continue;
            }
            let value = tokens[at..].iter().take_while(|token| !is_punct(Some(token), ';'));
            let names_itself = value.filter(|token| token.to_string() == name).count() > 1;
            if !(is_alias && names_itself) {
                found.push(Defined { name, is_public, is_alias });
            }
        }
    }
    let mut found = Vec::new();
    let code = source.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    collect(code.parse().expect("Rust tokens"), &mut found);
    found
}

/// Returns true for a file of tests that stands beside the code that it tests.
fn is_of_tests(path: &Path) -> bool {
    path.iter().any(|part| part.to_str().is_some_and(|part| part == "tests.rs" || part.ends_with("tests")))
}

#[test]
fn the_finder_finds_types() {
    let found = |source| types_of(source).into_iter().map(|it| (it.name, it.is_public)).collect::<Vec<_>>();
    let named = |name: &str, is_public| (name.to_owned(), is_public);
    assert_eq!(found("pub struct A<'a>(u8); pub(crate) enum B {}"), [named("A", true), named("B", false)]);
    assert_eq!(found("table! { pub enum A { X } }"), [named("A", true)]);
    assert_eq!(found("pub type A = lanes::A<u8>; pub type B = lanes::A<u8>;"), [named("B", true)]);
    assert_eq!(found("impl X for Y { type Item = u8; }\n#[cfg(test)]\nmod tests { struct A; }"), []);
}
