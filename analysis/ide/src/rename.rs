//! Another name for something, unless that would change what the program means.
//!
//! The answer is not guessed: the edits are applied to a copy of the file, the copy is analysed, and every name
//! that could be touched must stand for the same thing as before. So a name that would be captured by another
//! definition, or would capture another's uses, is found whatever the scopes are.

use std::fmt;
use std::sync::Arc;

use ir::Elem;
use lane::tree::ast;
use lane::tree::ast::AstNode;
use lane::tree::text::LineIndex;
use lane::tree::{SyntaxKind, parse_item};
use report::{ItemKind, ReportCode, Severity, TextEdit, TextRange, TextSize, apply_edits};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Located;
use super::definition::struct_key;
use super::links::{LinkTarget, links};
use super::references::{files_of, may_be_given, references_to};
use super::symbol::{Symbol, SymbolNames, symbol_at};
use hir::LocalId;
use hir::enums::members;
use hir::finding::ItemKey;
use queries::check::{item_diagnostics, name_place};
use queries::db::{Database, File, cut_file, file_items};
use queries::uses::{all_used, is_library};

/// The reason why something cannot be renamed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RenameError {
    /// There is no name at the place, or none that stands for anything.
    NothingHere,
    /// The name is part of the language: a builtin, a scalar type or an attribute.
    PartOfLanguage(String),
    /// The name is one of a library, whose file comes with the program.
    OfLibrary(String),
    /// The new name is none.
    NotAName(String),
    /// The new name is a reserved word.
    Reserved(String),
    /// The new name is that of a scalar type.
    ScalarType(String),
    /// Some name would stand for something else than it does now.
    Conflict {
        /// The name, in the file as it is.
        range: TextRange,
        /// The name that would change its meaning, as it would then be written.
        name: String,
        /// The line of the name, from 1.
        line: u32,
    },
    /// The program would have a mistake that it does not have now.
    Mistake {
        /// The message of the finding that the renaming would cause.
        message: String,
        /// The line of the mistake, from 1.
        line: u32,
    },
}

impl fmt::Display for RenameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RenameError::NothingHere => write!(f, "there is no name here that could be changed"),
            RenameError::PartOfLanguage(name) => write!(f, "`{name}` is part of the language"),
            RenameError::OfLibrary(name) => {
                write!(f, "`{name}` is of a library, which comes with the program and stays as it is")
            }
            RenameError::NotAName(name) => {
                write!(f, "`{name}` is not a name: write letters, digits and `_`, with no digit first")
            }
            RenameError::Reserved(name) => write!(f, "`{name}` is a reserved word"),
            RenameError::ScalarType(name) => write!(f, "`{name}` is a type"),
            RenameError::Conflict { name, line, .. } => {
                write!(f, "`{name}` is taken: what line {line} says would then mean something else")
            }
            RenameError::Mistake { message, line } => write!(f, "line {line} would then be wrong: {message}"),
        }
    }
}

impl std::error::Error for RenameError {}

/// The name at a place, if it can be renamed, and how it is written now.
pub fn prepare_rename(
    db: &dyn salsa::Database,
    file: File,
    offset: TextSize,
) -> Result<(TextRange, String), RenameError> {
    let (range, _, name) = renamable(db, file, offset)?;
    Ok((range, name))
}

/// The edits that give what is named at a place another name, in the file and in those of `files` that can see it, each file's in order.
pub fn rename(
    db: &dyn salsa::Database,
    files: &[File],
    file: File,
    offset: TextSize,
    new_name: &str,
) -> Result<Vec<(File, Vec<TextEdit>)>, RenameError> {
    let (_, symbol, name) = renamable(db, file, offset)?;
    check_name(new_name)?;
    if name == new_name {
        return Ok(Vec::new());
    }
    let edits = files_of(db, files, file, &symbol).into_iter().map(|of| {
        let references = references_to(db, of, &symbol);
        let mut ranges: Vec<TextRange> = references.into_iter().map(|reference| reference.range).collect();
        ranges.extend(named_in_docs(db, of, &symbol));
        ranges.sort_by_key(|range| range.start());
        (of, ranges.into_iter().map(|range| TextEdit { range, text: new_name.to_owned() }).collect())
    });
    let edits: Vec<(File, Vec<TextEdit>)> = edits.collect();
    let change = Change { symbol: &symbol, old: &name, new: new_name, edits: &edits };
    change.check(db)?;
    Ok(edits.into_iter().filter(|(_, edits)| !edits.is_empty()).collect())
}

/// Returns the places where documentation links to an item.
fn named_in_docs(db: &dyn salsa::Database, file: File, symbol: &Symbol) -> Vec<TextRange> {
    let Symbol::Item(key) = symbol else { return Vec::new() };
    let Some(name) = queries::item_of(db, file, key).and_then(|item| name_place(db, item)) else { return Vec::new() };
    let to_it = links(db, file).into_iter().filter(|link| link.target == LinkTarget::Item(name));
    to_it.map(|link| link.range).collect()
}

fn renamable(
    db: &dyn salsa::Database,
    file: File,
    offset: TextSize,
) -> Result<(TextRange, Symbol, String), RenameError> {
    let found = symbol_at(db, file, offset).ok_or(RenameError::NothingHere)?;
    let name = found.symbol.name(db, file).ok_or(RenameError::NothingHere)?.to_string();
    match found.symbol {
        Symbol::Builtin(_) | Symbol::Scalar(_) | Symbol::Attribute(_) => Err(RenameError::PartOfLanguage(name)),
        symbol if files_of(db, &[], file, &symbol).first().is_some_and(|&home| is_library(db, home)) => {
            Err(RenameError::OfLibrary(name))
        }
        symbol => Ok((found.range, symbol, name)),
    }
}

fn check_name(name: &str) -> Result<(), RenameError> {
    if SyntaxKind::from_keyword(name).is_some() {
        return Err(RenameError::Reserved(name.to_owned()));
    }
    if Elem::from_name(name).is_some() {
        return Err(RenameError::ScalarType(name.to_owned()));
    }
    // The parser decides what a name is, so that no second rule can disagree with it.
    let parse = parse_item(ItemKind::Const, &format!("const {name} = 0\n"));
    let item = ast::Const::cast(lane::tree::SyntaxNode::new_root(parse.green));
    let read = item.and_then(|item| item.name()).and_then(|read| read.text());
    match read {
        Some(read) if read == name && parse.errors.is_empty() => Ok(()),
        _ => Err(RenameError::NotAName(name.to_owned())),
    }
}

/// A renaming to be judged.
struct Change<'a> {
    symbol: &'a Symbol,
    old: &'a str,
    new: &'a str,
    /// The edits of each file that can see the symbol.
    edits: &'a [(File, Vec<TextEdit>)],
}

impl Change<'_> {
    fn check(&self, db: &dyn salsa::Database) -> Result<(), RenameError> {
        let files: Vec<File> = self.edits.iter().map(|(file, _)| *file).collect();
        let touched: Vec<Vec<usize>> = files.iter().map(|&file| self.touched(db, file)).collect();
        let before = Meaning::of_files(db, &files, &touched);
        let mut scratch = Database::default();
        let changed: Vec<(Arc<str>, Arc<str>)> = self
            .edits
            .iter()
            .map(|(file, edits)| (file.name(db).clone(), Arc::from(apply_edits(file.text(db), edits))))
            .collect();
        let mut known: FxHashSet<File> = files.iter().copied().collect();
        let used = files.iter().flat_map(|&file| all_used(db, file).iter()).filter(|used| known.insert(**used));
        let used: Vec<_> = used.map(|file| (file.name(db).clone(), file.text(db).clone())).collect();
        // The copy has a database of its own. To ask that one in the midst of a question to the other has to be said.
        let scratch_files: Vec<File> = changed.into_iter().map(|(name, text)| scratch.add_file(&name, text)).collect();
        for (name, text) in used {
            let _ = scratch.add_file(&name, text);
        }
        let after = salsa::attach_allow_change(&scratch, || Meaning::of_files(&scratch, &scratch_files, &touched));
        let pairs = || before.iter().zip(&after);
        for (before, after) in pairs() {
            if let Some(range) = before.differs(after) {
                let name = self.new.to_owned();
                let line = LineIndex::new(files[before.file].text(db)).line(range.start()) + 1;
                return Err(RenameError::Conflict { range, name, line });
            }
        }
        for (before, after) in pairs() {
            if let Some((_, message, line)) = before.new_mistake(after) {
                return Err(RenameError::Mistake { message: message.clone(), line: *line });
            }
        }
        Ok(())
    }

    /// The numbers of the items in which a name could come to stand for something else: those that have the old name or
    /// the new one, and for a local its own.
    fn touched(&self, db: &dyn salsa::Database, file: File) -> Vec<usize> {
        let items = file_items(db, file).iter().enumerate();
        let may = |item: &queries::db::Item<'_>| match self.symbol {
            Symbol::Local(key, local) => {
                queries::key(db, *item) == *key || may_be_given(db, *item, key, *local, self.old)
            }
            _ => item.text(db).contains(self.old) || item.text(db).contains(self.new),
        };
        items.filter(|(_, item)| may(item)).map(|(n, _)| n).collect()
    }
}

/// An item, by the number of its file among those that a renaming is about, and its own in the file.
type ItemNumber = (usize, usize);

/// The thing that a name stands for, in terms that a renaming leaves alone.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Identity {
    /// A local of an item.
    Local(ItemNumber, LocalId),
    /// An item.
    Item(ItemNumber),
    /// A field, by its place in its struct.
    Field(ItemNumber, usize),
    /// A part of the language, which no renaming touches.
    Fixed(Symbol),
}

/// The meaning of one item, to compare before and after a renaming: what its names stand for, and its errors.
struct Meaning {
    /// The number of its file.
    file: usize,
    names: Vec<(TextRange, Option<Identity>)>,
    /// Code, message and line of each error.
    errors: Vec<(ReportCode, String, u32)>,
}

impl Meaning {
    /// The meanings of the items with these numbers in each file.
    fn of_files(db: &dyn salsa::Database, files: &[File], numbers: &[Vec<usize>]) -> Vec<Meaning> {
        let identities = Identities::new(db, files);
        let mut all = Vec::new();
        for (n_file, (&file, numbers)) in files.iter().zip(numbers).enumerate() {
            let cut = cut_file(db, file);
            let lines = LineIndex::new(file.text(db));
            all.extend(numbers.iter().map(|&n| {
                db.unwind_if_revision_cancelled();
                let (item, start) = (cut.items[n], cut.starts[n]);
                let located = Located::new(db, item, start);
                let names = SymbolNames::new(db, &located);
                let identity = |symbol: Option<Symbol>| symbol.and_then(|symbol| identities.get(db, file, symbol));
                let names =
                    names.iter().map(|(token, symbol)| (token.text_range() + start, identity(symbol))).collect();
                let errors = item_diagnostics(db, item, start).into_iter();
                let errors = errors.filter(|found| found.severity == Severity::Error);
                let errors = errors.map(|found| (found.code, found.message, lines.line(found.range.start()) + 1));
                Meaning { file: n_file, names, errors: errors.collect() }
            }));
        }
        all
    }

    /// The first name that stands for something else in `after`.
    fn differs(&self, after: &Meaning) -> Option<TextRange> {
        let mut names = self.names.iter().zip(&after.names);
        names.find(|((_, before), (_, after))| before != after).map(|((range, _), _)| *range)
    }

    /// The first error of a kind that there are more of in `after`.
    fn new_mistake<'m>(&self, after: &'m Meaning) -> Option<&'m (ReportCode, String, u32)> {
        let count =
            |errors: &[(ReportCode, String, u32)], code| errors.iter().filter(|(other, ..)| *other == code).count();
        after.errors.iter().find(|(code, ..)| count(&after.errors, *code) > count(&self.errors, *code))
    }
}

/// The numbers of the items of some files.
struct Identities {
    items: FxHashMap<ItemKey, ItemNumber>,
}

impl Identities {
    fn new(db: &dyn salsa::Database, files: &[File]) -> Identities {
        let of_file = |(n_file, &file): (usize, &File)| {
            let items = file_items(db, file).iter().enumerate();
            items.map(move |(n, item)| (queries::key(db, *item), (n_file, n))).collect::<Vec<_>>()
        };
        Identities { items: files.iter().enumerate().flat_map(of_file).collect() }
    }

    fn get(&self, db: &dyn salsa::Database, file: File, symbol: Symbol) -> Option<Identity> {
        Some(match symbol {
            Symbol::Local(key, local) => Identity::Local(*self.items.get(&key)?, local),
            Symbol::Item(key) => Identity::Item(*self.items.get(&key)?),
            Symbol::Field(name, field) => {
                let key = struct_key(db, file, &name)?;
                let members = members(queries::body(db, queries::item_of(db, file, &key)?));
                Identity::Field(*self.items.get(&key)?, members.iter().position(|(other, _)| *other == field)?)
            }
            fixed => Identity::Fixed(fixed),
        })
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::fixture::Fixture;
    use queries::host::Host;

    /// The text after the renaming, or why it was refused.
    fn check(marked: &str, new_name: &str, expected: Expect) {
        let fixture = Fixture::new(marked);
        let shown = match rename(&fixture.db, &[], fixture.file, fixture.offset(), new_name) {
            Ok(edits) => apply_edits(&fixture.text, edits.first().map_or(&[], |(_, edits)| edits)),
            Err(error) => format!("error: {error}"),
        };
        expected.assert_eq(&shown);
    }

    #[test]
    fn names_of_loops_over_arrays() {
        check(
            "kernel k(a: f32[n], b: f32[n], n: i32) -> f32:\n    let s = 0.0\n    for i, (x, y) in enumerate(zip(a, b)):\n        s += f32(i) * $0x * y\n    return s\n",
            "left",
            expect![[r#"
                kernel k(a: f32[n], b: f32[n], n: i32) -> f32:
                    let s = 0.0
                    for i, (left, y) in enumerate(zip(a, b)):
                        s += f32(i) * left * y
                    return s
            "#]],
        );
        check(
            "kernel k(a: f32[n], b: f32[n], n: i32) -> f32:\n    return sum(x * f32(i) for i, $0x in enumerate(b) if x > 0)\n",
            "value",
            expect![[r#"
                kernel k(a: f32[n], b: f32[n], n: i32) -> f32:
                    return sum(value * f32(i) for i, value in enumerate(b) if value > 0)
            "#]],
        );
        check(
            "kernel k(a: f32[n], b: f32[n], n: i32):\n    for x, y in zip(a, $0b):\n        a[0] = b[1] + x\n",
            "other",
            expect![[r#"
                kernel k(a: f32[n], other: f32[n], n: i32):
                    for x, y in zip(a, other):
                        a[0] = other[1] + x
            "#]],
        );
    }

    #[test]
    fn a_parameter_is_renamed_where_arguments_are_given_by_its_name() {
        let text = "fn f(x, s=1):\n    s += 1\n    return x * s\nkernel k(a, s):\n    a[0] = f(s, s=s)\n";
        let by = expect![[r#"
            fn f(x, by=1):
                by += 1
                return x * by
            kernel k(a, s):
                a[0] = f(s, by=s)
        "#]];
        check(&text.replacen("s=s", "$0s=s", 1), "by", by);
        check(
            &text.replacen("s=1", "$0s=1", 1),
            "by",
            expect![[r#"
            fn f(x, by=1):
                by += 1
                return x * by
            kernel k(a, s):
                a[0] = f(s, by=s)
        "#]],
        );
        check(
            &text.replacen("s=1", "$0s=1", 1),
            "x",
            expect!["error: `x` is taken: what line 3 says would then mean something else"],
        );
        check(
            &text.replacen("k(a, s)", "k(a, $0s)", 1),
            "n",
            expect![[r#"
            fn f(x, s=1):
                s += 1
                return x * s
            kernel k(a, n):
                a[0] = f(n, s=n)
        "#]],
        );
    }

    fn check_prepare(marked: &str, expected: Expect) {
        let fixture = Fixture::new(marked);
        let shown = match prepare_rename(&fixture.db, fixture.file, fixture.offset()) {
            Ok((range, name)) => format!("{} ({name})", fixture.marked([(range, "")])),
            Err(error) => format!("error: {error}"),
        };
        expected.assert_eq(&shown);
    }

    #[test]
    fn what_can_be_renamed_is_shown_as_it_is() {
        check_prepare(
            "kernel k(a):\n    a$0[0] = 1\n",
            expect![[r#"
            kernel k(a):
                «a»[0] = 1
             (a)"#]],
        );
        check_prepare("kernel k(a):\n    a[0] = $0min(1, 2)\n", expect!["error: `min` is part of the language"]);
        check_prepare("@$0simd\nkernel k(a):\n    a[0] = 1\n", expect!["error: `simd` is part of the language"]);
        check_prepare("kernel k(a: f$032[1]):\n    a[0] = 1\n", expect!["error: `f32` is part of the language"]);
        check_prepare(
            "kernel k(a):\n    a[0] = unhea$0rd\n",
            expect!["error: there is no name here that could be changed"],
        );
        check_prepare("$0kernel k(a):\n    a[0] = 1\n", expect!["error: there is no name here that could be changed"]);
    }

    #[test]
    fn a_parameter() {
        check(
            "kernel k(a: f32[n], $0n):\n    for i in range(n):\n        a[i] = f32(n)  # n\n",
            "count",
            expect![[r#"
                kernel k(a: f32[count], count):
                    for i in range(count):
                        a[i] = f32(count)  # n
            "#]],
        );
    }

    #[test]
    fn a_variable_and_not_its_namesake() {
        check(
            "kernel k(a, n):\n    if n > 1:\n        $0x = 1.0\n        a[0] = x\n    else:\n        x = 2.0\n        a[0] = x\n",
            "y",
            expect![[r#"
                kernel k(a, n):
                    if n > 1:
                        y = 1.0
                        a[0] = y
                    else:
                        x = 2.0
                        a[0] = x
            "#]],
        );
    }

    #[test]
    fn a_loop_index() {
        check(
            "kernel k(a, n):\n    foreach i in range(n):\n        a[i] = a[$0i] + 1\n",
            "lane",
            expect![[r#"
            kernel k(a, n):
                foreach lane in range(n):
                    a[lane] = a[lane] + 1
        "#]],
        );
    }

    #[test]
    fn a_lambda_parameter() {
        check(
            "kernel k(a, x):\n    a[0] = reduce(\\$0x y -> x + y, x, a)\n",
            "z",
            expect![[r#"
            kernel k(a, x):
                a[0] = reduce(\z y -> z + y, x, a)
        "#]],
        );
    }

    #[test]
    fn a_size() {
        check(
            "fn f(a: f32[k], b: f32[$0k]):\n    return a[k - 1] + b[0]\n",
            "len",
            expect![[r#"
            fn f(a: f32[len], b: f32[len]):
                return a[len - 1] + b[0]
        "#]],
        );
    }

    #[test]
    fn a_function_wherever_it_is_named() {
        check(
            "kernel k(a):\n    a[0] = twice(a[1])\nfn $0twice(x):\n    return 2 * x\nkernel l(a):\n    a[0:2] = map(twice, a[0:2])\n",
            "double",
            expect![[r#"
                kernel k(a):
                    a[0] = double(a[1])
                fn double(x):
                    return 2 * x
                kernel l(a):
                    a[0:2] = map(double, a[0:2])
            "#]],
        );
    }

    #[test]
    fn a_struct_and_a_field() {
        check(
            "struct P:\n    x: f32\nkernel k(p: $0P[n], n):\n    p[0].x = 1\n",
            "Point",
            expect![[r#"
            struct Point:
                x: f32
            kernel k(p: Point[n], n):
                p[0].x = 1
        "#]],
        );
        check(
            "struct P:\n    x: f32\nkernel k(p: P[n], n, x):\n    p[0].$0x = x\n",
            "left",
            expect![[r#"
            struct P:
                left: f32
            kernel k(p: P[n], n, x):
                p[0].left = x
        "#]],
        );
    }

    #[test]
    fn links_in_documentation_go_along() {
        check(
            "## As [`twice`], and not as `twice` or [thrice].\nfn half(x):\n    return x / 2  # [twice]\n## Undone by [half].\nfn \
             $0twice(x):\n    return 2 * half(x)\n",
            "double",
            expect![[r#"
                ## As [`double`], and not as `twice` or [thrice].
                fn half(x):
                    return x / 2  # [twice]
                ## Undone by [half].
                fn double(x):
                    return 2 * half(x)
            "#]],
        );
    }

    #[test]
    fn a_constant() {
        check(
            "const $0N = 4\n@lanes(N)\nkernel k(a: f32[N]):\n    a[N - 1] = 1\n",
            "COUNT",
            expect![[r#"
            const COUNT = 4
            @lanes(COUNT)
            kernel k(a: f32[COUNT]):
                a[COUNT - 1] = 1
        "#]],
        );
    }

    #[test]
    fn a_kernel() {
        check(
            "## Does k.\nkernel k$0(a):\n    a[0] = 1\n",
            "fill",
            expect![[r#"
            ## Does k.
            kernel fill(a):
                a[0] = 1
        "#]],
        );
    }

    #[test]
    fn names_that_are_none() {
        let text = "kernel k($0a):\n    a[0] = 1\n";
        check(text, "", expect!["error: `` is not a name: write letters, digits and `_`, with no digit first"]);
        check(text, "2a", expect!["error: `2a` is not a name: write letters, digits and `_`, with no digit first"]);
        check(text, "a b", expect!["error: `a b` is not a name: write letters, digits and `_`, with no digit first"]);
        check(
            text,
            "a: f32",
            expect!["error: `a: f32` is not a name: write letters, digits and `_`, with no digit first"],
        );
        check(
            text,
            "a = 1\nkernel",
            expect![[r#"
            error: `a = 1
            kernel` is not a name: write letters, digits and `_`, with no digit first"#]],
        );
        check(text, "for", expect!["error: `for` is a reserved word"]);
        check(text, "f32", expect!["error: `f32` is a type"]);
        check(
            text,
            "a",
            expect![[r#"
            kernel k(a):
                a[0] = 1
        "#]],
        );
    }

    #[test]
    fn a_name_that_would_be_captured() {
        // The use of `a` inside the loop would then stand for the loop's index.
        check(
            "kernel k($0a, n):\n    for i in range(n):\n        a[i] = 1\n",
            "i",
            expect!["error: `i` is taken: what line 3 says would then mean something else"],
        );
    }

    #[test]
    fn a_name_that_would_capture_another() {
        // `min` in the loop would then stand for the variable.
        check(
            "kernel k(a):\n    $0m = a[0]\n    a[1] = m\n    a[2] = min(a[3], 1)\n",
            "min",
            expect!["error: `min` is taken: what line 4 says would then mean something else"],
        );
        check(
            "fn f(x):\n    return x\nkernel k($0a):\n    a[0] = f(a[1])\n",
            "f",
            expect!["error: `f` is taken: what line 4 says would then mean something else"],
        );
    }

    #[test]
    fn a_definition_that_would_become_an_update() {
        check(
            "kernel k(a):\n    x = 1.0\n    $0y = 2.0\n    a[0] = x + y\n",
            "x",
            expect!["error: `x` is taken: what line 3 says would then mean something else"],
        );
    }

    #[test]
    fn an_update_that_would_become_a_definition_of_nothing() {
        check(
            "kernel k(a, n):\n    $0x = 1.0\n    if n > 1:\n        y = 2.0\n        x = y\n    a[0] = x\n",
            "y",
            expect!["error: `y` is taken: what line 4 says would then mean something else"],
        );
    }

    #[test]
    fn two_of_one_name_that_nobody_uses() {
        check(
            "fn $0f(x):\n    return x\nfn g(x):\n    return x\n",
            "g",
            expect!["error: line 3 would then be wrong: this file defines `g` already"],
        );
        check(
            "kernel k($0_a, _b):\n    pass\n",
            "_b",
            expect!["error: line 1 would then be wrong: there is a parameter `_b` already"],
        );
        check(
            "struct P:\n    x: f32\n    $0y: f32\n",
            "x",
            expect!["error: `x` is taken: what line 3 says would then mean something else"],
        );
    }

    #[test]
    fn a_field_that_told_the_structs_apart() {
        check(
            "struct P:\n    x: f32\nstruct Q:\n    $0y: f32\nfn get(p):\n    return p.x\n",
            "x",
            expect!["error: `x` is taken: what line 6 says would then mean something else"],
        );
    }

    #[test]
    fn an_unknown_name_that_would_become_known() {
        check(
            "kernel k($0a):\n    a[0] = b\n",
            "b",
            expect!["error: `b` is taken: what line 2 says would then mean something else"],
        );
    }

    #[test]
    fn a_name_of_another_scope_is_free() {
        check(
            "kernel k($0a):\n    a[0] = 1\nkernel l(b):\n    b[0] = 1\n",
            "b",
            expect![[r#"
            kernel k(b):
                b[0] = 1
            kernel l(b):
                b[0] = 1
        "#]],
        );
        check(
            "struct P:\n    x: f32\nkernel k($0p: P[n], n):\n    p[0].x = 1\n",
            "x",
            expect![[r#"
            struct P:
                x: f32
            kernel k(x: P[n], n):
                x[0].x = 1
        "#]],
        );
    }

    #[test]
    fn a_builtin_that_nobody_uses_may_be_shadowed() {
        check(
            "kernel k(a):\n    $0m = a[0]\n    a[1] = m\n",
            "min",
            expect![[r#"
            kernel k(a):
                min = a[0]
                a[1] = min
        "#]],
        );
    }

    #[test]
    fn with_mistakes_elsewhere() {
        check(
            "kernel k($0a):\n    a[0] = 1 +\n    a[1] = unheard\n",
            "b",
            expect![[r#"
            kernel k(b):
                b[0] = 1 +
                b[1] = unheard
        "#]],
        );
    }

    #[test]
    fn inside_a_question_to_a_snapshot() {
        let mut host = Host::default();
        let file = host.set_text("a.lane", "kernel k(a):\n    a[0] = 1\n");
        let snapshot = host.snapshot();
        let edits = snapshot.catch(|db| rename(db, &[], file, TextSize::new(9), "b")).expect("nothing cancels this");
        assert_eq!(edits.map(|edits| edits[0].1.len()), Ok(2));
    }

    #[test]
    fn structs_and_fields_through_constructors_and_several_targets() {
        let text = "struct V:\n    x: f32\n    y: f32\nstruct R:\n    at: V\nfn f(r: R):\n    let v, w = r.at, R(V(1, 2)).at\n    v.x, v.y = w.y, r.at.x\n    return v\n";
        check(
            &text.replacen("V(1", "$0V(1", 1),
            "Vec",
            expect![[r#"
            struct Vec:
                x: f32
                y: f32
            struct R:
                at: Vec
            fn f(r: R):
                let v, w = r.at, R(Vec(1, 2)).at
                v.x, v.y = w.y, r.at.x
                return v
        "#]],
        );
        check(
            &text.replacen("v.x,", "v.$0x,", 1),
            "left",
            expect![[r#"
            struct V:
                left: f32
                y: f32
            struct R:
                at: V
            fn f(r: R):
                let v, w = r.at, R(V(1, 2)).at
                v.left, v.y = w.y, r.at.left
                return v
        "#]],
        );
        check(
            &text.replacen("r.at.x", "r.$0at.x", 1),
            "origin",
            expect![[r#"
            struct V:
                x: f32
                y: f32
            struct R:
                origin: V
            fn f(r: R):
                let v, w = r.origin, R(V(1, 2)).origin
                v.x, v.y = w.y, r.origin.x
                return v
        "#]],
        );
        check(
            &text.replacen("v, w =", "$0v, w =", 1),
            "u",
            expect![[r#"
            struct V:
                x: f32
                y: f32
            struct R:
                at: V
            fn f(r: R):
                let u, w = r.at, R(V(1, 2)).at
                u.x, u.y = w.y, r.at.x
                return u
        "#]],
        );
    }

    #[test]
    fn variants_and_their_data_are_renamed() {
        let text = "enum Shape:\n    Circle(r: f32)\n    Nothing\nfn f(s: Shape):\n    match s:\n        case Shape.Circle(r=x) | Circle(x): return Shape.Circle(r=x)\n        case _: return Shape.Nothing\n";
        check(
            &text.replacen("| Circle", "| $0Circle", 1),
            "Disc",
            expect![[r#"
            enum Shape:
                Disc(r: f32)
                Nothing
            fn f(s: Shape):
                match s:
                    case Shape.Disc(r=x) | Disc(x): return Shape.Disc(r=x)
                    case _: return Shape.Nothing
        "#]],
        );
        check(
            &text.replacen("r: f32", "$0r: f32", 1),
            "radius",
            expect![[r#"
            enum Shape:
                Circle(radius: f32)
                Nothing
            fn f(s: Shape):
                match s:
                    case Shape.Circle(radius=x) | Circle(x): return Shape.Circle(radius=x)
                    case _: return Shape.Nothing
        "#]],
        );
        check(
            &text.replacen("r=x", "r=$0x", 1),
            "y",
            expect![[r#"
            enum Shape:
                Circle(r: f32)
                Nothing
            fn f(s: Shape):
                match s:
                    case Shape.Circle(r=y) | Circle(y): return Shape.Circle(r=y)
                    case _: return Shape.Nothing
        "#]],
        );
        check(
            &text.replacen("enum Shape", "enum $0Shape", 1),
            "Form",
            expect![[r#"
            enum Form:
                Circle(r: f32)
                Nothing
            fn f(s: Form):
                match s:
                    case Form.Circle(r=x) | Circle(x): return Form.Circle(r=x)
                    case _: return Form.Nothing
        "#]],
        );
    }
}
