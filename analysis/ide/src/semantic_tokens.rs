//! Semantic tokens: the kind of each word and mark of a text, for colouring by meaning.
//!
//! The meanings of names are collected once per item, from the item's HIR, so the cost is linear in the items that are
//! asked about. A name that stands for nothing has no token, and neither have brackets and commas.

use ir::Elem;
use lane::tree::{SyntaxKind, SyntaxToken};
use report::{ItemKind, TextRange, TextSize};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Located, wording};
use hir::enums::Datum;
use hir::ty::Ty;
use hir::{Body, Expr, LocalId, LocalKind, Stmt};
use queries::db::{File, Item, cut_file};

/// A word or mark, and what it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SemanticToken {
    /// The range of the word or mark.
    pub range: TextRange,
    /// The kind of thing that it stands for.
    pub kind: SemanticKind,
    /// Further properties of the thing, drawn on top of its kind.
    pub modifiers: Modifiers,
}

/// The kind of thing that a word or mark stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum SemanticKind {
    Keyword,
    Parameter,
    Variable,
    LoopIndex,
    Size,
    Function,
    Kernel,
    Struct,
    Field,
    Constant,
    Builtin,
    Type,
    Number,
    /// What stands in quotes.
    Text,
    Operator,
    Comment,
    DocComment,
    Attribute,
}

/// Further properties of the thing that a name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Modifiers {
    /// This place is the definition.
    pub definition: bool,
    /// The variable is assigned to after its definition, or is an array that is stored to. Set at every place that
    /// names it.
    pub written: bool,
    /// The type is a default: no use of the variable decides it.
    pub defaulted: bool,
    /// The value is the same in all lanes. Set only where there are lanes.
    pub uniform: bool,
    /// The value differs between lanes. Set only where there are lanes.
    pub varying: bool,
}

/// The tokens of a file, or of those of its items that touch a range; in order, without overlap.
pub fn semantic_tokens(db: &dyn salsa::Database, file: File, range: Option<TextRange>) -> Vec<SemanticToken> {
    let cut = cut_file(db, file);
    let whole = TextRange::up_to(TextSize::of(&**file.text(db)));
    let range = range.unwrap_or(whole);
    let first = cut.starts.partition_point(|&start| start <= range.start()).saturating_sub(1);
    let mut tokens = Vec::new();
    for (&item, &start) in cut.items.iter().zip(&cut.starts).skip(first) {
        if start >= range.end() {
            break;
        }
        db.unwind_if_revision_cancelled();
        item_tokens(db, &Located::new(db, item, start), range, &mut tokens);
    }
    tokens
}

/// The tokens of one item, relative to its start.
pub fn tokens_of_item<'db>(db: &'db dyn salsa::Database, item: Item<'db>) -> Vec<SemanticToken> {
    let mut tokens = Vec::new();
    let whole = TextRange::up_to(TextSize::of(&**item.text(db)));
    item_tokens(db, &Located::new(db, item, TextSize::new(0)), whole, &mut tokens);
    tokens
}

fn item_tokens(db: &dyn salsa::Database, located: &Located<'_>, range: TextRange, out: &mut Vec<SemanticToken>) {
    let names = names(db, located.item);
    let mut dense = TextSize::new(0);
    for token in located.root.descendants_with_tokens().filter_map(|element| element.into_token()) {
        let at = dense;
        if !token.kind().is_between() {
            dense += token.text_range().len();
        }
        let place = token.text_range() + located.start;
        if range.intersect(place).is_none_or(TextRange::is_empty) {
            continue;
        }
        let meaning = match token.kind() {
            SyntaxKind::IDENT => names.get(&at).copied().or_else(|| by_place(db, located.item, &token)),
            kind => by_kind(kind, &token).map(Meaning::from),
        };
        let token = meaning.map(|Meaning { kind, modifiers }| SemanticToken { range: place, kind, modifiers });
        out.extend(token);
    }
}

#[derive(Clone, Copy)]
struct Meaning {
    kind: SemanticKind,
    modifiers: Modifiers,
}

impl From<SemanticKind> for Meaning {
    fn from(kind: SemanticKind) -> Self {
        Meaning { kind, modifiers: Modifiers::default() }
    }
}

impl Meaning {
    fn defined(mut self) -> Meaning {
        self.modifiers.definition = true;
        self
    }
}

/// Returns the kind of a token that is no name.
fn by_kind(kind: SyntaxKind, token: &SyntaxToken) -> Option<SemanticKind> {
    use SyntaxKind::*;
    Some(match kind {
        COMMENT => SemanticKind::Comment,
        DOC_COMMENT => SemanticKind::DocComment,
        INT | FLOAT => SemanticKind::Number,
        TEXT => SemanticKind::Text,
        AT if token.parent().is_some_and(|parent| parent.kind() == ATTR) => SemanticKind::Attribute,
        AT | COMMA | COLON | SEMICOLON | DOT => return None,
        kind if kind.is_opening() || kind.is_closing() => return None,
        kind if kind.is_keyword() => SemanticKind::Keyword,
        kind if kind.is_punctuation() => SemanticKind::Operator,
        _ => return None,
    })
}

/// Returns the meaning of a name that the HIR has no expression for, from its place in the tree.
fn by_place(db: &dyn salsa::Database, item: Item<'_>, token: &SyntaxToken) -> Option<Meaning> {
    let parent = token.parent()?;
    // Words that are names elsewhere.
    if matches!(parent.kind(), SyntaxKind::USE | SyntaxKind::ENUM | SyntaxKind::MATCH_STMT | SyntaxKind::MATCH_CASE) {
        return Some(SemanticKind::Keyword.into());
    }
    let above = parent.parent()?;
    let scalar = Elem::from_name(token.text()).is_some();
    let is_struct = || queries::key_of_name(db, item.file(db), token.text()).is_some_and(|key| key.kind.is_type());
    match (parent.kind(), above.kind()) {
        (SyntaxKind::NAME, SyntaxKind::ATTR) => Some(SemanticKind::Attribute.into()),
        (SyntaxKind::NAME, SyntaxKind::KERNEL) => Some(Meaning::from(SemanticKind::Kernel).defined()),
        (SyntaxKind::NAME, SyntaxKind::FN) => Some(Meaning::from(SemanticKind::Function).defined()),
        (SyntaxKind::NAME, SyntaxKind::STRUCT) => Some(Meaning::from(SemanticKind::Struct).defined()),
        (SyntaxKind::NAME, SyntaxKind::ENUM) => Some(Meaning::from(SemanticKind::Struct).defined()),
        (SyntaxKind::NAME_REF, SyntaxKind::FIELD_EXPR) if is_struct() => Some(SemanticKind::Struct.into()),
        (SyntaxKind::NAME, SyntaxKind::CONST) => Some(Meaning::from(SemanticKind::Constant).defined()),
        (SyntaxKind::NAME_REF, SyntaxKind::USE_NAMES) => {
            let key = queries::uses::key_of_taken(db, item, token.text())?;
            item_kind(key.kind).map(Meaning::from)
        }
        // No keyword: a variable may have that name elsewhere.
        (SyntaxKind::FOR_STMT | SyntaxKind::IF_STMT | SyntaxKind::ASSERT_STMT, _) if token.text() == "static" => {
            Some(SemanticKind::Keyword.into())
        }
        (SyntaxKind::NAME_REF, SyntaxKind::GENERIC_ARGS | SyntaxKind::INDEX_LIST) if scalar => {
            Some(SemanticKind::Type.into())
        }
        (SyntaxKind::NAME_REF, SyntaxKind::TYPE) if scalar => Some(SemanticKind::Type.into()),
        (SyntaxKind::NAME_REF, SyntaxKind::TYPE) if is_struct() => Some(SemanticKind::Struct.into()),
        (SyntaxKind::NAME_REF, SyntaxKind::CALL_EXPR) if scalar => Some(SemanticKind::Type.into()),
        (SyntaxKind::NAME_REF, SyntaxKind::CALL_EXPR) if wording::domain(token).is_some() => {
            Some(SemanticKind::Builtin.into())
        }
        _ => None,
    }
}

/// Returns the meanings of the names in an item's body, by the offsets in its dense text at which they start.
fn names(db: &dyn salsa::Database, item: Item<'_>) -> FxHashMap<TextSize, Meaning> {
    let lowered = queries::resolved(db, item);
    let (body, map) = (&lowered.body, &lowered.map);
    let defaulted = &queries::infer(db, item).defaulted;
    let written = written(body);
    let local = |id: LocalId| Meaning {
        kind: local_kind(body.locals[id].kind),
        modifiers: Modifiers {
            written: written.contains(&id),
            defaulted: defaulted.contains(&id),
            ..Modifiers::default()
        },
    };
    let known = queries::lanes::of_item(db, item);
    let in_lanes = |mut meaning: Meaning, at: TextRange| {
        if let Some((_, step)) = known.value_at(at).map(|joined| known.step(joined)) {
            meaning.modifiers.varying = !step.is_uniform();
            meaning.modifiers.uniform = step.is_uniform() && step.lane_loop.is_some();
        }
        meaning
    };
    let mut names = FxHashMap::default();
    for (id, data) in body.locals.iter() {
        if !data.name.is_empty() {
            names.insert(map.locals[id].start(), in_lanes(local(id).defined(), map.locals[id]));
        }
    }
    let taken = wording::taken_by_loops(lowered);
    names.extend(map.uses.iter().map(|&(range, id)| {
        let meaning = if taken.contains(&range) { local(id) } else { in_lanes(local(id), range) };
        (range.start(), meaning)
    }));
    names.extend(map.arg_names.values().map(|(range, _)| (range.start(), SemanticKind::Parameter.into())));
    for field in &body.fields {
        names.insert(field.at.start(), Meaning::from(SemanticKind::Field).defined());
    }
    for variant in &body.variants {
        names.insert(variant.at.start(), Meaning::from(SemanticKind::Constant).defined());
        names.extend(variant.data.iter().map(|it| (it.at.start(), Meaning::from(SemanticKind::Field).defined())));
    }
    for (id, expr) in body.exprs.iter() {
        let range = map.exprs[id];
        match expr {
            Expr::Item(kind, _) => {
                names.extend(item_kind(*kind).map(|kind| (range.start(), kind.into())));
            }
            Expr::Builtin(_) => {
                names.insert(range.start(), SemanticKind::Builtin.into());
            }
            Expr::Field(of, name) if matches!(body.exprs[*of], Expr::Item(ItemKind::Enum, _)) => {
                names.insert(range.end() - TextSize::of(&**name), SemanticKind::Constant.into());
            }
            Expr::Is(of, form) => {
                let is_struct = queries::infer(db, item).exprs.get(*of) == Some(&Ty::Struct(form.name.clone()));
                let kind = if is_struct { SemanticKind::Struct } else { SemanticKind::Constant };
                names.insert(form.at.start(), kind.into());
            }
            Expr::Data { datum: Datum::Named(_, at), .. } => {
                names.insert(at.start(), SemanticKind::Field.into());
            }
            Expr::Field(_, name) => {
                names.insert(range.end() - TextSize::of(&**name), SemanticKind::Field.into());
            }
            _ => {}
        }
    }
    names
}

fn local_kind(kind: LocalKind) -> SemanticKind {
    match kind {
        LocalKind::Param | LocalKind::LambdaParam => SemanticKind::Parameter,
        LocalKind::Let | LocalKind::Assigned | LocalKind::Element | LocalKind::Held => SemanticKind::Variable,
        LocalKind::ForIndex | LocalKind::ForeachIndex => SemanticKind::LoopIndex,
        LocalKind::Size | LocalKind::Constant => SemanticKind::Size,
        LocalKind::TypeParam => SemanticKind::Type,
    }
}

fn item_kind(kind: ItemKind) -> Option<SemanticKind> {
    Some(match kind {
        ItemKind::Kernel => SemanticKind::Kernel,
        ItemKind::Fn => SemanticKind::Function,
        ItemKind::Struct | ItemKind::Enum => SemanticKind::Struct,
        ItemKind::Const => SemanticKind::Constant,
        ItemKind::Preamble | ItemKind::Stray | ItemKind::Use => return None,
    })
}

/// The locals that change: variables that are updated, and arrays that are stored to.
fn written(body: &Body) -> FxHashSet<LocalId> {
    let updated = body.locals.iter().filter(|(_, local)| local.updated).map(|(id, _)| id);
    let stores = body.stmts.iter().filter_map(|(_, stmt)| match stmt {
        Stmt::Assign { target, .. } => Some(*target),
        _ => None,
    });
    let compressed = body.exprs.iter().filter_map(|(_, expr)| match expr {
        Expr::Call(callee, args) => match &body.exprs[*callee] {
            Expr::Builtin(builtin) if builtin.get().shape.stores() => args.first().copied(),
            _ => None,
        },
        _ => None,
    });
    let stored = stores.chain(compressed).filter_map(|mut place| {
        loop {
            match &body.exprs[place] {
                Expr::Index(base, _) | Expr::Field(base, _) => place = *base,
                // A parameter that is itself assigned to is an error, and unchanged.
                Expr::Local(local) => return Some(*local),
                _ => return None,
            }
        }
    });
    updated.chain(stored).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::Fixture;
    use expect_test::{Expect, expect};

    fn check(text: &str, expected: Expect) {
        let fixture = Fixture::new(text);
        let range = fixture.ranges.first().copied();
        let tokens = semantic_tokens(&fixture.db, fixture.file, range);
        let mut out = String::new();
        let mut end = TextSize::new(0);
        for token in tokens {
            assert!(token.range.start() >= end, "tokens overlap");
            let between = &fixture.text[TextRange::new(end, token.range.start())];
            if between.contains('\n') && !out.is_empty() {
                out.push('\n');
            } else if !out.is_empty() {
                out.push(' ');
            }
            end = token.range.end();
            let Modifiers { definition, written, defaulted, uniform, varying } = token.modifiers;
            let marks = [(definition, "!"), (written, "*"), (defaulted, "?"), (uniform, "="), (varying, "~")];
            let marks: String = marks.into_iter().filter(|(is, _)| *is).map(|(_, mark)| mark).collect();
            out.push_str(&format!("{}:{:?}{marks}", &fixture.text[token.range], token.kind));
        }
        expected.assert_eq(&out);
    }

    // `!` is a definition, `*` is written to, `?` has a default type, `=` is uniform and `~` varies where there are lanes.

    #[test]
    fn a_kernel() {
        check(
            "## Scales.\n@simd\nkernel scale(samples, out, n, volume: f32):\n    # each\n    for i in range(n):\n        out[i] = samples[i] * volume\n",
            expect![[r#"
                ## Scales.:DocComment
                @:Attribute simd:Attribute
                kernel:Keyword scale:Kernel! samples:Parameter! out:Parameter!* n:Parameter!? volume:Parameter! f32:Type
                # each:Comment
                for:Keyword i:LoopIndex!?~ in:Keyword range:Builtin n:Parameter?
                out:Parameter* i:LoopIndex?~ =:Operator samples:Parameter i:LoopIndex?~ *:Operator volume:Parameter="#]],
        );
    }

    #[test]
    fn variables_and_updates() {
        check(
            "kernel k(a: f32[n], n: i32) -> f32:\n    total = 0.0\n    let x: f32 = a[0]\n    for i in range(n):\n        total += a[i] + x\n    return total\n",
            expect![[r#"
                kernel:Keyword k:Kernel! a:Parameter! f32:Type n:Parameter n:Parameter! i32:Type ->:Operator f32:Type
                total:Variable!* =:Operator 0.0:Number
                let:Keyword x:Variable! f32:Type =:Operator a:Parameter 0:Number
                for:Keyword i:LoopIndex!~ in:Keyword range:Builtin n:Parameter
                total:Variable*~ +=:Operator a:Parameter i:LoopIndex~ +:Operator x:Variable=
                return:Keyword total:Variable*"#]],
        );
    }

    #[test]
    fn loops_over_arrays() {
        check(
            "kernel k(a: f32[n], b: f32[n], n: i32) -> f32:\n    let s = 0.0\n    for i, (x, y) in enumerate(zip(a, reversed(b))):\n        s += f32(i) * x * y\n    return s + sum(x * f32(i) for i, x in enumerate(a) if x > 0)\n",
            expect![[r#"
                kernel:Keyword k:Kernel! a:Parameter! f32:Type n:Parameter b:Parameter! f32:Type n:Parameter n:Parameter! i32:Type ->:Operator f32:Type
                let:Keyword s:Variable!* =:Operator 0.0:Number
                for:Keyword i:LoopIndex!?~ x:Variable!~ y:Variable!~ in:Keyword enumerate:Builtin zip:Builtin a:Parameter reversed:Builtin b:Parameter
                s:Variable*~ +=:Operator f32:Type i:LoopIndex?~ *:Operator x:Variable~ *:Operator y:Variable~
                return:Keyword s:Variable* +:Operator sum:Builtin x:Variable~ *:Operator f32:Type i:LoopIndex?~ for:Keyword i:LoopIndex!?~ x:Variable!~ in:Keyword enumerate:Builtin a:Parameter if:Keyword x:Variable~ >:Operator 0:Number"#]],
        );
    }

    #[test]
    fn items_and_fields() {
        check(
            "struct P:\n    x: f32\nconst N = 4\nfn twice(v): return v + v\nkernel k(p: P[N], out: f32[N]):\n    p[0].x = twice(p[1].x)\n    out[N - 1] = f32(N)\n",
            expect![[r#"
                struct:Keyword P:Struct!
                x:Field! f32:Type
                const:Keyword N:Constant! =:Operator 4:Number
                fn:Keyword twice:Function! v:Parameter! return:Keyword v:Parameter +:Operator v:Parameter
                kernel:Keyword k:Kernel! p:Parameter!* P:Struct N:Constant out:Parameter!* f32:Type N:Constant
                p:Parameter* 0:Number x:Field =:Operator twice:Function p:Parameter* 1:Number x:Field
                out:Parameter* N:Constant -:Operator 1:Number =:Operator f32:Type N:Constant"#]],
        );
    }

    #[test]
    fn sizes_lambdas_and_operators_as_values() {
        check(
            "fn f(a: f32[k]):\n    return reduce(+, 0.0, map(\\x -> max(x, f32(k)), a))\n",
            expect![[r#"
            fn:Keyword f:Function! a:Parameter! f32:Type k:Size?
            return:Keyword reduce:Builtin +:Operator 0.0:Number map:Builtin \:Operator x:Parameter! ->:Operator max:Builtin x:Parameter f32:Type k:Size? a:Parameter"#]],
        );
    }

    #[test]
    fn lane_operations_and_stores_by_them() {
        check(
            "kernel k(a, out, n):\n    foreach i in range(n):\n        if any(a[i] > 0.0):\n            m = compress_store(out, lane_id, a[i])\n            a[i] = f32(m)\n",
            expect![[r#"
                kernel:Keyword k:Kernel! a:Parameter!* out:Parameter!* n:Parameter!?
                foreach:Keyword i:LoopIndex!?~ in:Keyword range:Builtin n:Parameter?
                if:Keyword any:Builtin a:Parameter* i:LoopIndex?~ >:Operator 0.0:Number
                m:Variable!= =:Operator compress_store:Builtin out:Parameter* lane_id:Builtin a:Parameter* i:LoopIndex?~
                a:Parameter* i:LoopIndex?~ =:Operator f32:Type m:Variable="#]],
        );
    }

    #[test]
    fn a_range_takes_what_it_touches() {
        check(
            "const A = 1\nkernel k(n):\n    x = «n + 1\n    y» = x\nconst B = 2\n",
            expect![[r#"
            n:Parameter? +:Operator 1:Number
            y:Variable!?"#]],
        );
    }

    #[test]
    fn what_is_not_understood_has_no_token() {
        check(
            "kernel k(n):\n    x = nope(n, \"text\") $\n    @unknown\nstray words\n",
            expect![[r#"
                kernel:Keyword k:Kernel! n:Parameter!?
                x:Variable! =:Operator n:Parameter? "text":Text
                @:Attribute unknown:Attribute"#]],
        );
    }

    #[test]
    fn enums_and_matches() {
        check(
            "enum Shape(u8):\n    Circle(r: f32)\n    Nothing\nfn f(s: Shape):\n    match s:\n        case Circle(r): return r\n        case Shape.Nothing: return 0.0\n",
            expect![[r#"
                enum:Keyword Shape:Struct! u8:Type
                Circle:Constant! r:Field! f32:Type
                Nothing:Constant!
                fn:Keyword f:Function! s:Parameter! Shape:Struct
                match:Keyword s:Parameter
                case:Keyword Circle:Constant r:Variable! return:Keyword r:Variable
                case:Keyword Shape:Struct Nothing:Constant return:Keyword 0.0:Number"#]],
        );
    }
}
