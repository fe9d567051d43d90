//! The spelling and description of things that are shown by themselves: in a hover, or above a call.

use ir::{Elem, ElemSet, ReasonCode};
use lane::tree::ast;
use lane::tree::ast::AstNode;
use lane::tree::{SyntaxKind, SyntaxNode, SyntaxToken};
use report::{ItemKind, TextRange, TextSize};
use rustc_hash::FxHashSet;

use super::Located;
use super::hover::HoverLink;
use hir::{Expr, ExprId, LocalKind};
use queries::db::{File, Item};
use queries::stages::line_of;

/// The first line of an item as the analysis understood it, without its colon: `fn twice(x: T) -> T`.
pub(super) fn item_header(db: &dyn salsa::Database, item: Item<'_>) -> Option<String> {
    let header = queries::lowered(db, item).map.header;
    let line = queries::typed(db, item).iter().find(|line| line.source == Some(header))?;
    Some(line.text.trim_end_matches(':').to_owned())
}

/// Returns the call that makes a struct: `Vec(x: f32, y: f32) -> Vec`.
pub(super) fn constructor(db: &dyn salsa::Database, item: Item<'_>) -> Option<String> {
    let optional = queries::optional_fields(db, item);
    let shown = |(n, (field, ty)): (usize, &(hir::Name, hir::ty::Ty))| {
        let default = if optional.contains(&n) { " = ..." } else { "" };
        format!("{field}: {}{default}", ty.display(&|_| "_".to_owned()))
    };
    let fields: Vec<_> = queries::struct_fields(db, item).iter().enumerate().map(shown).collect();
    let name = item.name(db);
    (item.kind(db) == ItemKind::Struct).then(|| format!("{name}({}) -> {name}", fields.join(", ")))
}

/// Returns the text of the `##` lines above an item.
pub(super) fn item_docs(db: &dyn salsa::Database, item: Item<'_>) -> Option<String> {
    let located = Located::new(db, item, TextSize::new(0));
    ast::Item::cast(located.root)?.docs()
}

/// The line of a place of a file, as a link to it.
pub(super) fn line_link(db: &dyn salsa::Database, file: File, at: TextSize) -> String {
    link(&format!("line {}", line_of(db, file, at) + 1), at)
}

/// The marks before a link's target, between the target and the link's words, and behind the words, while sections are
/// put together. They are Unicode noncharacters, so no text that people write has them.
const MARKS: [char; 3] = ['\u{fdd0}', '\u{fdd1}', '\u{fdd2}'];

/// Words that lead to a place of the file.
pub(super) fn link(words: &str, target: TextSize) -> String {
    let [start, middle, end] = MARKS;
    format!("{start}{}{middle}{words}{end}", u32::from(target))
}

/// A text without the marks of its links, and the links.
pub(super) fn without_marks(marked: &str) -> (String, Vec<HoverLink>) {
    let [start, middle, end] = MARKS;
    let (mut text, mut links) = (String::new(), Vec::new());
    let mut rest = marked;
    while let Some((before, behind)) = rest.split_once(start) {
        text += before;
        rest = behind;
        let Some((target, behind)) = behind.split_once(middle) else { continue };
        let (Ok(target), Some((words, behind))) = (target.parse::<u32>(), behind.split_once(end)) else { continue };
        let part = TextRange::at(TextSize::of(&*text), TextSize::of(words));
        links.push(HoverLink { part, target: TextSize::new(target) });
        text += words;
        rest = behind;
    }
    (text + rest, links)
}

/// A reason of a verdict without the iterations that meet: those are told at the places of the accesses, and by the note.
pub(super) fn brief<Q>(reason: &report::lanes::Reason<Q>) -> &str {
    match ReasonCode::of(reason.code) {
        // The limit on the number of lanes stands in the details.
        Some(code) if reason.dependence.is_some() && code != ReasonCode::DistanceLimitsLanes => code.meaning(),
        _ => &reason.message,
    }
}

pub(super) fn cast_docs(to: Elem) -> String {
    let rule = match to {
        Elem::Bool => "True if `x` is not zero.",
        to if to.is_float() => "The value of this type that is nearest to `x`.",
        _ => {
            "An integer keeps its low bits. A float loses its fraction; one that does not fit the type is an error of the program."
        }
    };
    format!("`x` as `{to}`. {rule}")
}

/// The documentation of `range`, which is syntax of a loop's header and no builtin.
pub(super) const RANGE_DOCS: &str = "The numbers from `start` (0 when left out) up to but not including `stop`, `step` \
    apart (1 when left out). A negative step counts down.";

/// Returns the signature of `range` for the number of commas that are written.
pub(super) fn range_signature(n_commas: usize) -> &'static str {
    match n_commas {
        0 => "range(stop)",
        1 => "range(start, stop)",
        _ => "range(start, stop, step)",
    }
}

/// A word of a loop's header, or of a comprehension's, that says what it goes over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DomainWord {
    Range,
    Enumerate,
    Zip,
    Reversed,
}

impl DomainWord {
    /// All of them but `range`, with what they are for.
    pub(super) const OF_ARRAYS: [(DomainWord, &'static str); 3] = [
        (DomainWord::Enumerate, "the elements of an array, each with its index"),
        (DomainWord::Zip, "the elements of several arrays at once"),
        (DomainWord::Reversed, "a range or an array from its end"),
    ];

    fn of(word: &str) -> Option<DomainWord> {
        let words = [
            ("range", DomainWord::Range),
            ("enumerate", DomainWord::Enumerate),
            ("zip", DomainWord::Zip),
            ("reversed", DomainWord::Reversed),
        ];
        words.into_iter().find(|(text, _)| *text == word).map(|(_, word)| word)
    }

    /// The signature for the number of commas that are written.
    pub(super) fn signature(self, n_commas: usize) -> &'static str {
        match self {
            DomainWord::Range => range_signature(n_commas),
            DomainWord::Enumerate => "enumerate(a)",
            DomainWord::Zip => "zip(a, b, ...)",
            DomainWord::Reversed => "reversed(a)",
        }
    }

    pub(super) fn docs(self) -> &'static str {
        match self {
            DomainWord::Range => RANGE_DOCS,
            DomainWord::Enumerate => {
                "The elements of an array, each with its index, from 0 on: `for i, x in enumerate(a):`. What it counts may be a `zip` or a \
                 `reversed`."
            }
            DomainWord::Zip => {
                "The elements of several arrays at once: `for x, y in zip(a, b):`. The arrays have to be of one \
                 length."
            }
            DomainWord::Reversed => "The numbers of a range, or the elements of an array, from the last to the first.",
        }
    }
}

/// Returns the word that a name is, in what a loop or a comprehension goes over.
pub(super) fn domain(name: &SyntaxToken) -> Option<DomainWord> {
    let word = DomainWord::of(name.text())?;
    let mut call = name.parent()?.parent().filter(|call| call.kind() == SyntaxKind::CALL_EXPR)?;
    if call.first_child().as_ref() != name.parent().as_ref() {
        return None;
    }
    loop {
        let around = call.parent()?;
        match around.kind() {
            SyntaxKind::LOOP_INDEX => return Some(word),
            SyntaxKind::PAREN_EXPR | SyntaxKind::ARG_LIST => call = around,
            SyntaxKind::CALL_EXPR => {
                let callee = around.first_child()?;
                DomainWord::of(&callee.text().to_string()).filter(|outer| *outer != DomainWord::Range)?;
                call = around;
            }
            _ => return None,
        }
    }
}

/// The places of the arrays whose elements a loop over indices takes, in the dense text. What is said of such a place is said of
/// the element.
pub(super) fn taken_by_loops(lowered: &hir::Lowered) -> FxHashSet<TextRange> {
    let (body, map) = (&lowered.body, &lowered.map);
    let is_held =
        |base: ExprId| matches!(body.exprs[base], Expr::Local(local) if body.locals[local].kind == LocalKind::Held);
    let taken = body.exprs.iter().filter_map(|(id, expr)| match expr {
        Expr::Index(base, _) if is_held(*base) => Some(map.exprs[id]),
        _ => None,
    });
    taken.collect()
}

/// The rule of arithmetic on floats of two bytes.
/// A shape, with what its word says of the lanes.
pub fn shape_in_words(shape: &str) -> &str {
    match shape {
        "prefix" => "prefix: true in the first lanes, false in the others",
        "suffix" => "suffix: false in the first lanes, true in the others",
        shape => shape,
    }
}

const HALVES: &str = "Arithmetic is that of `f32`, each result rounded to this type.";

/// Describes the values of a scalar type.
pub(super) fn scalar_docs(scalar: Elem) -> String {
    match scalar.integer_range() {
        Some((min, max)) => {
            let sign = if ElemSet::SIGNED.contains(scalar) { "A signed" } else { "An unsigned" };
            format!("{sign} integer of {} bits: from {min} to {max}.", scalar.bits())
        }
        None if scalar == Elem::F16 => {
            format!("A float of 16 bits (IEEE 754's half precision): 11 bits count, up to 65504. {HALVES}")
        }
        None if scalar == Elem::Bf16 => {
            format!("A float of 16 bits, the upper half of an `f32`: 8 bits count, over the range of `f32`. {HALVES}")
        }
        None if scalar.is_float() => format!("A float of {} bits (IEEE 754).", scalar.bits()),
        None => "`true` or `false`.".to_owned(),
    }
}

/// The source of a node on one line: comments left out, and any white space a single space.
pub(super) fn source(node: &SyntaxNode) -> String {
    let mut out = String::new();
    let mut apart = false;
    for token in node.descendants_with_tokens().filter_map(|element| element.into_token()) {
        if token.kind().is_between() {
            apart = true;
            continue;
        }
        if apart && !out.is_empty() {
            out.push(' ');
        }
        apart = false;
        out.push_str(token.text());
    }
    shortened(out)
}

/// A text of which no more is kept than one takes in at a glance.
fn shortened(text: String) -> String {
    const MOST: usize = 60;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
