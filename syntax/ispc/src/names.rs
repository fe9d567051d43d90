//! Declarations and scopes: which name stands for which declaration.
//!
//! The parser needs them while it reads, since in `(a) - b` it must know if `a` is a type. What it found stays as the unit's
//! [`Names`]. Members are found by their name in all structs: types tell whose they are, and those are not known here.

use std::ops::Range;

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::shared::Shared;
use crate::unit::Name;

/// The kinds of declarations.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum DeclKind {
    /// A function, with or without its body.
    Function,
    /// A struct.
    Struct,
    /// A member of a struct.
    Field,
    /// An enumeration.
    Enum,
    /// One of its values.
    Enumerator,
    /// A name for a type.
    Typedef,
    /// A type or number that a template takes.
    TemplateParam,
    /// A variable outside of functions.
    Global,
    /// A parameter.
    Param,
    /// A variable of a function.
    Local,
    /// A label.
    Label,
}

impl DeclKind {
    /// Returns true if the declared name is a type.
    pub fn is_type(self) -> bool {
        matches!(self, DeclKind::Struct | DeclKind::Enum | DeclKind::Typedef | DeclKind::TemplateParam)
    }

    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            DeclKind::Function => "function",
            DeclKind::Struct => "struct",
            DeclKind::Field => "member",
            DeclKind::Enum => "enumeration",
            DeclKind::Enumerator => "value of an enumeration",
            DeclKind::Typedef => "type",
            DeclKind::TemplateParam => "parameter of a template",
            DeclKind::Global => "global variable",
            DeclKind::Param => "parameter",
            DeclKind::Local => "variable",
            DeclKind::Label => "label",
        }
    }
}

/// A declaration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Decl {
    /// Its kind.
    pub kind: DeclKind,
    /// The name.
    pub name: Name,
    /// The token of its name; of an operator, `operator`.
    pub token: u32,
    /// The tokens that tell what it is: a function's up to its body.
    pub head: (u32, u32),
    /// Behind its last token.
    pub end: u32,
    /// The function, struct or enumeration around it.
    pub within: Option<u32>,
    /// The number of parameters of a function.
    pub n_params: u16,
    /// It has a body, a value, or is its only declaration.
    pub is_definition: bool,
    /// A function or type with parameters of a template.
    pub is_template: bool,
    /// The tokens in which its name can be used: all that follow if the second is `u32::MAX`.
    pub scope: (u32, u32),
}

/// A name that stands for declarations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Use {
    /// The token.
    pub token: u32,
    /// The declaration found first; overloads have its name and kind.
    pub decl: u32,
}

/// All declarations of a unit, and the uses of their names.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Names {
    /// The declarations, in order.
    pub decls: Shared<Decl>,
    /// The uses, in the order of their tokens. The name in a declaration is no use.
    pub uses: Shared<Use>,
    /// Tokens whose name stands for nothing that is declared: functions of the library, and mistakes.
    pub unresolved: Shared<u32>,
    /// Tokens that name members, behind `.` and `->`.
    pub members: Shared<u32>,
}

/// The names that can be used at a place, while a unit is parsed.
#[derive(Clone, Default)]
pub(crate) struct Scopes {
    /// The declarations of a prefix: it hides nothing of what follows.
    in_front: Option<Arc<FxHashMap<Name, Vec<u32>>>>,
    visible: FxHashMap<Name, Vec<u32>>,
    /// For each open scope the names that it declares.
    open: Vec<Vec<Name>>,
}

impl Scopes {
    pub(crate) fn push(&mut self) {
        self.open.push(Vec::new());
    }

    /// Ends the innermost scope at a token.
    pub(crate) fn pop(&mut self, names: &mut Names, at: u32) {
        for name in self.open.pop().unwrap_or_default() {
            if let Some(decl) = self.visible.get_mut(&name).and_then(Vec::pop) {
                names.decls[decl as usize].scope.1 = at;
            }
        }
    }

    pub(crate) fn declare(&mut self, name: Name, decl: u32) {
        self.visible.entry(name).or_default().push(decl);
        if let Some(scope) = self.open.last_mut() {
            scope.push(name);
        }
    }

    /// All that is declared, for units that go on from here, where no scope is open.
    pub(crate) fn shared(self) -> Scopes {
        Scopes { in_front: Some(Arc::new(self.visible)), ..Scopes::default() }
    }

    /// The declarations of a name, innermost first.
    fn all(&self, name: Name) -> impl Iterator<Item = u32> {
        let in_front = self.in_front.as_ref().and_then(|in_front| in_front.get(&name));
        [self.visible.get(&name), in_front].into_iter().flatten().flat_map(|decls| decls.iter().rev().copied())
    }

    /// The innermost declaration of a name.
    pub(crate) fn find(&self, name: Name) -> Option<u32> {
        self.all(name).next()
    }

    /// The innermost declaration of a name that `wanted` accepts.
    pub(crate) fn find_if(&self, name: Name, mut wanted: impl FnMut(u32) -> bool) -> Option<u32> {
        self.all(name).find(|decl| wanted(*decl))
    }
}

impl Names {
    /// The declarations with the name and kind of one: for a function all overloads and prototypes.
    pub fn same(&self, decl: u32) -> Vec<u32> {
        let it = &self.decls[decl as usize];
        match it.kind {
            DeclKind::Function | DeclKind::Struct | DeclKind::Enum | DeclKind::Global => {
                let is_same = |other: &Decl| other.name == it.name && other.kind == it.kind;
                (0..self.decls.len() as u32).filter(|index| is_same(&self.decls[*index as usize])).collect()
            }
            _ => vec![decl],
        }
    }

    /// The declaration whose name is a token.
    pub fn declared_at(&self, token: u32) -> Option<u32> {
        self.decls.iter().position(|decl| decl.token == token).map(|index| index as u32)
    }

    /// The members of all structs that have a name.
    pub fn fields(&self, name: Name) -> impl Iterator<Item = u32> {
        let is_field = move |decl: &Decl| decl.kind == DeclKind::Field && decl.name == name;
        (0..self.decls.len() as u32).filter(move |index| is_field(&self.decls[*index as usize]))
    }

    /// The tokens of a declaration's head.
    pub fn head(&self, decl: u32) -> Range<u32> {
        let (first, end) = self.decls[decl as usize].head;
        first..end
    }
}

impl Scopes {
    /// Declares a name that outlives the innermost scope: a template's function, a struct.
    pub(crate) fn declare_outside(&mut self, name: Name, decl: u32) {
        self.visible.entry(name).or_default().push(decl);
    }
}
