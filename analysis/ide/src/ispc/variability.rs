//! Uniform or varying, as a declaration says or leaves it to the default.
//!
//! Types are not known here: this is read off the words of the declaration, and of a name for a type off those of its `typedef`.

use queries::ispc::kinds::Kind;
use queries::ispc::names::DeclKind;
use queries::ispc::tree::NodeKind;
use queries::ispc::units::Unit;

/// The variability of what is declared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Variability {
    /// One value for all lanes, as is written.
    Uniform,
    /// One value a lane, as is written.
    Varying,
    /// One value a lane, since nothing is written.
    VaryingByDefault,
    /// That of the struct that it is a member of.
    OfStruct,
    /// The words do not tell: a type without values, a parameter of a template.
    Unknown,
}

impl Variability {
    /// Returns true if all lanes have one value.
    pub fn is_uniform(self) -> bool {
        self == Variability::Uniform
    }

    /// Returns true if each lane has a value.
    pub fn is_varying(self) -> bool {
        matches!(self, Variability::Varying | Variability::VaryingByDefault)
    }
}

/// The variability of a variable, parameter or member, and of what a function gives.
pub fn variability(unit: &Unit, decl: u32) -> Variability {
    of_decl(unit, decl, 0)
}

fn of_decl(unit: &Unit, decl: u32, depth: u32) -> Variability {
    let it = &unit.names.decls[decl as usize];
    let has_value = matches!(
        it.kind,
        DeclKind::Function | DeclKind::Field | DeclKind::Global | DeclKind::Param | DeclKind::Local | DeclKind::Typedef
    );
    if !has_value || depth > 8 {
        return Variability::Unknown;
    }
    let (first, end) = it.head;
    if first == it.token {
        return of_loop(unit, it.token);
    }
    // Behind the last `*` stands what the pointer itself is.
    let mut pointer = None;
    let in_front = (first..it.token).rev().map(|token| unit.tokens[token as usize].kind);
    let declarator = in_front.take_while(|kind| {
        matches!(kind, Kind::Star | Kind::Amp | Kind::Uniform | Kind::Varying | Kind::Const | Kind::LParen)
    });
    for kind in declarator {
        match kind {
            Kind::Uniform => pointer = pointer.or(Some(Variability::Uniform)),
            Kind::Varying => pointer = pointer.or(Some(Variability::Varying)),
            Kind::Star => return pointer.unwrap_or(Variability::VaryingByDefault),
            _ => {}
        }
    }
    of_specifiers(unit, it.kind, first..it.token.min(end), depth)
}

/// The token at which the declarator of a declaration's name starts: its first `*`, `&` or bracket, else the name.
fn declarator_start(unit: &Unit, name: u32, first: u32) -> u32 {
    let mut start = name;
    for token in (first..name).rev() {
        match unit.tokens[token as usize].kind {
            Kind::Star | Kind::Amp | Kind::LParen => start = token,
            Kind::Uniform | Kind::Varying | Kind::Const => {}
            _ => break,
        }
    }
    start
}

/// Returns true if a variable, parameter or member is a pointer.
pub fn is_pointer(unit: &Unit, decl: u32) -> bool {
    let it = &unit.names.decls[decl as usize];
    let start = declarator_start(unit, it.token, it.head.0);
    it.kind != DeclKind::Function && (start..it.token).any(|token| unit.tokens[token as usize].kind == Kind::Star)
}

/// A declaration as it is written, without its body, its value, and what else is declared in the same breath.
pub fn written(unit: &Unit, decl: u32) -> String {
    let names = &unit.names;
    let it = &names.decls[decl as usize];
    let with_same_head = |other: &&queries::ispc::names::Decl| other.head.0 == it.head.0 && other.kind == it.kind;
    // Declarations of one statement stand one behind the other.
    let before = (0..decl as usize).rev().map(|index| &names.decls[index]).take_while(with_same_head);
    let before: Vec<_> = before.map(|other| other.token).collect();
    let (Some(first), Some(last)) = (before.last(), before.first()) else {
        return unit.text_of(names.head(decl));
    };
    let specifiers = unit.text_of(it.head.0..declarator_start(unit, *first, it.head.0));
    let own = declarator_start(unit, it.token, last + 1);
    format!("{specifiers} {}", unit.text_of(own..it.head.1))
}

/// The variability that the words in front of all declarators give.
fn of_specifiers(unit: &Unit, kind: DeclKind, tokens: std::ops::Range<u32>, depth: u32) -> Variability {
    let mut nesting = 0;
    for token in tokens {
        match unit.tokens[token as usize].kind {
            Kind::LBrace | Kind::LParen => nesting += 1,
            Kind::RBrace | Kind::RParen => nesting -= 1,
            _ if nesting > 0 => {}
            Kind::Uniform => return Variability::Uniform,
            Kind::Varying => return Variability::Varying,
            Kind::Void => return Variability::Unknown,
            Kind::Comma | Kind::Eq | Kind::Star => break,
            Kind::Name => {
                let uses = &unit.names.uses;
                let Some(at) = uses.find_by_key(&token, |it| it.token) else { continue };
                let decl = uses[at].decl;
                match unit.names.decls[decl as usize].kind {
                    DeclKind::TemplateParam => return Variability::Unknown,
                    DeclKind::Typedef => {
                        // One that says nothing leaves it to who uses it.
                        let of_type = of_decl(unit, decl, depth + 1);
                        if matches!(of_type, Variability::Uniform | Variability::Varying) {
                            return of_type;
                        }
                    }
                    _ => {}
                }
            }
            _ => {}
        }
    }
    if kind == DeclKind::Field { Variability::OfStruct } else { Variability::VaryingByDefault }
}

/// A variable that a statement brings: the lanes run along those of `foreach`, and the other loops run for one value at a time.
fn of_loop(unit: &Unit, token: u32) -> Variability {
    for node in unit.tree.around(token) {
        match unit.tree.nodes[node].kind {
            NodeKind::Foreach | NodeKind::ForeachTiled => return Variability::Varying,
            NodeKind::ForeachActive | NodeKind::ForeachUnique => return Variability::Uniform,
            NodeKind::Block => break,
            _ => {}
        }
    }
    Variability::Unknown
}
