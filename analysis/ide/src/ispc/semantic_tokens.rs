//! The kind of each word and mark of a file. Text that a condition leaves out is a comment, line by line, with the modifier `inactive`.

use queries::db::File;
use queries::ispc::file::FileText;
use queries::ispc::kinds::Kind;
use queries::ispc::names::DeclKind;
use queries::ispc::tree::NodeKind;
use queries::ispc::typing::own_functions;
use queries::ispc::typing::ty::Ty;
use queries::ispc::units::{FileId, Unit};
use queries::ispc::{text, unit};
use report::{TextRange, TextSize};
use rustc_hash::FxHashMap;

use super::typed;
use super::variability::variability;

/// A word or mark of one line, and what it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IspcToken {
    /// Where it is.
    pub range: TextRange,
    /// The kind of thing.
    pub kind: TokenKind,
    /// Further properties.
    pub modifiers: TokenModifiers,
}

/// The kind of a word or mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum TokenKind {
    Keyword,
    /// A type of the language itself.
    BuiltinType,
    /// A struct, an enumeration, or a name for a type.
    Type,
    TypeParameter,
    Function,
    Parameter,
    Variable,
    Member,
    Enumerator,
    Label,
    Macro,
    Number,
    Text,
    Operator,
    Comment,
    DocComment,
    /// Text that a condition leaves out.
    Inactive,
}

/// Further properties of the thing that a name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct TokenModifiers {
    /// This place declares it.
    pub definition: bool,
    /// All lanes have one value.
    pub uniform: bool,
    /// Each lane has a value of its own.
    pub varying: bool,
}

/// The tokens of a file, or those that touch a range: in order, without overlap, each on one line.
pub fn semantic_tokens(db: &dyn salsa::Database, file: File, range: Option<TextRange>) -> Vec<IspcToken> {
    let (text, unit) = (text(db, file), unit(db, file));
    let names = names(db, file, unit);
    let mut tokens = Vec::new();
    let mut inactive = unit.files[0].inactive.iter().peekable();
    let mut line = Line::default();
    let mut index = 0;
    while let Some(raw) = text.tokens.get(index) {
        while inactive.next_if(|it| it.end <= raw.start).is_some() {}
        if let Some(left_out) = inactive.peek().filter(|it| it.start <= raw.start) {
            let end = left_out.end as usize;
            push_lines(text, raw.start as usize..end, (TokenKind::Inactive, TokenModifiers::default()), &mut tokens);
            line = Line::default();
            index = text.tokens.partition_point(|token| (token.start as usize) < end);
            continue;
        }
        line.next(text, index);
        if let Some(meaning) = meaning(text, index, &line, &names) {
            push_lines(text, text.range(index), meaning, &mut tokens);
        }
        index += 1;
    }
    if let Some(range) = range {
        tokens.retain(|token| token.range.intersect(range).is_some_and(|both| !both.is_empty()));
    }
    tokens
}

type Meaning = (TokenKind, TokenModifiers);

/// The directive that a token stands in.
#[derive(Default)]
struct Line<'t> {
    has_token: bool,
    /// The number of the token in the directive: 0 is `#`.
    nth: Option<usize>,
    word: &'t str,
    /// A `<` was met behind `#include`: all up to the end of the line is a name.
    in_angles: bool,
}

impl<'t> Line<'t> {
    fn next(&mut self, text: &'t FileText, index: usize) {
        match text.tokens[index].kind {
            Kind::Newline => *self = Line::default(),
            kind if kind.is_trivia() => {}
            kind => {
                self.nth = match self.nth {
                    Some(nth) => Some(nth + 1),
                    None => (kind == Kind::Hash && !self.has_token).then_some(0),
                };
                self.has_token = true;
                if self.nth == Some(1) {
                    self.word = text.token_text(index);
                }
                self.in_angles |= self.nth == Some(2) && kind == Kind::Lt && self.word.starts_with("include");
            }
        }
    }
}

fn meaning(text: &FileText, index: usize, line: &Line<'_>, names: &FxHashMap<u32, Meaning>) -> Option<Meaning> {
    let plain = |kind| Some((kind, TokenModifiers::default()));
    let raw = text.tokens[index];
    match raw.kind {
        kind if kind.is_trivia() && !matches!(kind, Kind::LineComment | Kind::BlockComment) => None,
        Kind::LineComment | Kind::BlockComment => {
            let comment = text.token_text(index);
            let is_doc = ["///", "//!", "/**", "/*!"].iter().any(|mark| comment.starts_with(mark)) && comment != "/**/";
            plain(if is_doc { TokenKind::DocComment } else { TokenKind::Comment })
        }
        _ if line.nth.is_some_and(|nth| nth < 2) => plain(TokenKind::Keyword),
        _ if line.in_angles => plain(TokenKind::Text),
        Kind::Name => names.get(&raw.start).copied().or_else(|| keyword(text.token_text(index))),
        Kind::Number => plain(TokenKind::Number),
        Kind::Str | Kind::Char => plain(TokenKind::Text),
        Kind::Intrinsic => plain(TokenKind::Function),
        Kind::LParen | Kind::RParen | Kind::LBracket | Kind::RBracket | Kind::LBrace | Kind::RBrace => None,
        Kind::Comma | Kind::Semicolon | Kind::Stray => None,
        _ => plain(TokenKind::Operator),
    }
}

fn keyword(text: &str) -> Option<Meaning> {
    let kind = Kind::of_name(text);
    let modifiers =
        TokenModifiers { definition: false, uniform: kind == Kind::Uniform, varying: kind == Kind::Varying };
    match kind {
        Kind::Name => None,
        kind if kind.is_atomic_type() => Some((TokenKind::BuiltinType, modifiers)),
        _ => Some((TokenKind::Keyword, modifiers)),
    }
}

/// The meanings of the names in a unit's file, by where they start.
fn names(db: &dyn salsa::Database, file: File, unit: &Unit) -> FxHashMap<u32, Meaning> {
    let mut names: FxHashMap<u32, Meaning> = FxHashMap::default();
    let is_here = |token: u32| token >= unit.first_own && unit.tokens[token as usize].place.file == FileId::MAIN;
    let start = |token: u32| unit.tokens[token as usize].place.start;
    // Most declarations are used over and over.
    let (mut lanes, members) = of_types(db, file, unit);
    let mut of_decl = |decl: u32, definition: bool| {
        let kind = kind_of(unit.names.decls[decl as usize].kind);
        let lanes = lanes.entry(decl).or_insert_with(|| modifiers(unit, decl));
        (kind, TokenModifiers { definition, ..*lanes })
    };
    for (number, decl) in unit.names.decls.iter().enumerate().filter(|(_, decl)| is_here(decl.token)) {
        names.entry(start(decl.token)).or_insert_with(|| of_decl(number as u32, true));
    }
    let first = unit.names.uses.first_behind(|it| it.token < unit.first_own);
    for it in unit.names.uses.from(first).filter(|it| is_here(it.token)) {
        names.entry(start(it.token)).or_insert_with(|| of_decl(it.decl, false));
    }
    let member = (TokenKind::Member, TokenModifiers::default());
    let first = unit.names.members.first_behind(|token| *token < unit.first_own);
    let of_library = (TokenKind::Function, TokenModifiers::default());
    let unresolved = unit.names.unresolved.first_behind(|token| *token < unit.first_own);
    for token in unit.names.unresolved.from(unresolved).copied().filter(|token| is_here(*token)) {
        if !typed::of_library(&unit.token_text(&unit.tokens[token as usize])).is_empty() {
            names.entry(start(token)).or_insert(of_library);
        }
    }
    for token in unit.names.members.from(first).copied().filter(|token| is_here(*token)) {
        let modifiers = members.get(&token).copied().unwrap_or(member.1);
        names.entry(start(token)).or_insert((member.0, modifiers));
    }
    let of_macro = |definition| (TokenKind::Macro, TokenModifiers { definition, ..TokenModifiers::default() });
    for it in unit.macros.iter().filter(|it| it.name_place.file == FileId::MAIN) {
        names.insert(it.name_place.start, of_macro(true));
    }
    for it in unit.macro_uses.iter().filter(|it| it.place.file == FileId::MAIN) {
        names.insert(it.place.start, of_macro(false));
    }
    names
}

fn kind_of(kind: DeclKind) -> TokenKind {
    match kind {
        DeclKind::Function => TokenKind::Function,
        DeclKind::Struct | DeclKind::Enum | DeclKind::Typedef => TokenKind::Type,
        DeclKind::TemplateParam => TokenKind::TypeParameter,
        DeclKind::Field => TokenKind::Member,
        DeclKind::Enumerator => TokenKind::Enumerator,
        DeclKind::Global | DeclKind::Local => TokenKind::Variable,
        DeclKind::Param => TokenKind::Parameter,
        DeclKind::Label => TokenKind::Label,
    }
}

/// What types tell of the lanes: of the file's own functions, by declarations, and by the tokens of members. A function of the library is one
/// as any other.
fn of_types(
    db: &dyn salsa::Database,
    file: File,
    unit: &Unit,
) -> (FxHashMap<u32, TokenModifiers>, FxHashMap<u32, TokenModifiers>) {
    let (mut decls, mut members) = (FxHashMap::default(), FxHashMap::default());
    for function in own_functions(db, file) {
        let layer = &function.types.layer;
        let of =
            |ty: Ty| TokenModifiers { definition: false, uniform: layer.is_uniform(ty), varying: layer.is_varying(ty) };
        for decl in function.place.decls.clone() {
            let Some(entity) = function.entity(decl) else { continue };
            let data = layer.entity(entity);
            if matches!(data.kind, DeclKind::Param | DeclKind::Local) && data.ty.is_known() {
                decls.insert(decl, of(data.ty));
            }
        }
        let (_, first) = function.first();
        for node in first..function.place.node {
            if unit.tree.nodes[node].kind == NodeKind::Member
                && let Some(ty) = function.ty(node).filter(|ty| ty.is_known())
            {
                members.insert(unit.tree.nodes[node].end - 1, of(ty));
            }
        }
    }
    (decls, members)
}

/// Uniform or varying, for what has a value of its own.
fn modifiers(unit: &Unit, decl: u32) -> TokenModifiers {
    let kind = unit.names.decls[decl as usize].kind;
    if !matches!(kind, DeclKind::Global | DeclKind::Param | DeclKind::Local) {
        return TokenModifiers::default();
    }
    let lanes = variability(unit, decl);
    TokenModifiers { definition: false, uniform: lanes.is_uniform(), varying: lanes.is_varying() }
}

/// Adds a range, cut into its lines, without white space at their ends.
fn push_lines(text: &FileText, range: std::ops::Range<usize>, meaning: Meaning, out: &mut Vec<IspcToken>) {
    let mut start = range.start;
    for line in text.text[range].split_inclusive('\n') {
        let trimmed = line.trim();
        if !trimmed.is_empty() {
            let first = start + line.find(trimmed).unwrap_or_default();
            let range = TextRange::new(TextSize::new(first as u32), TextSize::new((first + trimmed.len()) as u32));
            out.push(IspcToken { range, kind: meaning.0, modifiers: meaning.1 });
        }
        start += line.len();
    }
}
