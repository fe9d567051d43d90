//! What is decided at compile time, decided: an item with constant and type parameters for given arguments, with its `static`
//! loops, branches and assertions done.
//!
//! A *template* is an item that has something to decide: constant parameters, `static` statements, calls that give a function
//! arguments in brackets. [`expand`] makes an ordinary body of it, once and in front of everything else: what is behind it knows
//! nothing of templates. An *instance* is a template with arguments. That of a function has the name by which a call means it,
//! `poly[4]`.
//!
//! ```text
//! kernel blur[R: const i32](a: f32[n], out: f32[n], n: i32):     for R = 1:
//!     for i in range(R, n - R):                                      for i in range(i32(1), n - i32(1)):
//!         let s = 0.0                                                    let s = 0.0
//!         static for k in range(-R, R + 1):                              s += a[i + -1]
//!             s += a[i + k]                                              s += a[i + 0]
//!         out[i] = s                                                     s += a[i + 1]
//!                                                                        out[i] = s
//! ```
//!
//! A constant becomes a literal, cast to its type; the index of a `static for` a plain literal, which takes the type that its place
//! asks for. The locals of the template keep their numbers, so that a name means the same local in each of its instances; a part
//! that is repeated has more of them, behind these.
//!
//! - [`constants`]: values that are known at compile time
//! - [`copy`]: expressions, types and locals
//! - [`stmts`]: statements, of which those that are `static` are done
//! - [`calls`]: the instances of functions that calls mean

mod calls;
mod constants;
mod copy;
mod stmts;

use std::sync::Arc;

use ir::{Elem, Scalar};
use report::ItemKind;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::enums;
use crate::errors;
use crate::finding::Finding;
use crate::infer::{Env, shown};
use crate::{Body, BodyMap, Expr, ExprId, LocalId, LocalKind, LoopHeader, Lowered, Name};

pub use calls::{instance_args, shown_params, split_name, with_arguments};

/// A constant or type parameter of an item, for who gives arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GenericParam {
    /// The name of the parameter.
    pub name: Name,
    /// The type of a constant; `None` for a type parameter.
    pub constant: Option<Elem>,
    /// The default value, as an argument.
    pub default: Option<Name>,
    /// Where the type of a parameter has it as a size: the number of the parameter, and the dimension.
    pub sizes: Vec<(usize, usize)>,
}

/// The argument for a type parameter that each call decides by its types.
pub const OPEN: &str = "_";

/// The constant and type parameters of an item.
pub fn generics(env: &dyn Env, raw: &Lowered) -> Vec<GenericParam> {
    let body = &raw.body;
    let params = body.generics.iter().map(|generic| {
        let local = &body.locals[generic.local];
        let is_constant = local.kind == LocalKind::Constant;
        let elem = local.ty.as_ref().and_then(|ty| Elem::from_name(ty.name.as_deref()?));
        let mut sizes = Vec::new();
        for (n, &param) in body.params.iter().enumerate() {
            for (dim, &size) in body.locals[param].ty.iter().flat_map(|ty| ty.sizes.iter().enumerate()) {
                if body.exprs[size] == Expr::Local(generic.local) {
                    sizes.push((n, dim));
                }
            }
        }
        let constant = is_constant.then(|| elem.unwrap_or(Elem::I32));
        let default = generic.default.and_then(|default| {
            let mut expand = Expand::new(env, ItemKind::Const, raw);
            expand.argument(default, constant).ok()
        });
        GenericParam { name: local.name.clone(), constant, default, sizes }
    });
    params.collect()
}

/// The findings about the default values of an item's constant and type parameters.
pub fn default_findings(env: &dyn Env, raw: &Lowered) -> Vec<Finding> {
    let known = generics(env, raw);
    let wrong = raw.body.generics.iter().zip(&known).filter(|(_, known)| known.default.is_none());
    let found = wrong.filter_map(|(generic, known)| {
        let mut expand = Expand::new(env, ItemKind::Const, raw);
        expand.argument(generic.default?, known.constant).err().map(|found| *found)
    });
    found.collect()
}

/// An item without anything that is decided at compile time, for these arguments; of a template without arguments nothing
/// is known of its constants.
pub fn expand(env: &dyn Env, kind: ItemKind, raw: &Lowered, args: Option<&[Name]>) -> Lowered {
    let mut expand = Expand::new(env, kind, raw);
    let is_open =
        args.is_none() && raw.body.generics.iter().any(|it| raw.body.locals[it.local].kind == LocalKind::Constant);
    if let Some(args) = args {
        expand.bind(args);
    }
    if is_open || args.is_none() && kind == ItemKind::Kernel && !raw.body.generics.is_empty() {
        return Lowered { findings: raw.findings.clone(), ..raw.clone() };
    }
    expand.item();
    expand.calls();
    expand.finish()
}

/// The value of a constant as an argument.
pub fn argument_text(value: Scalar) -> Name {
    shown(value).into()
}

/// The value that stands for a constant or type parameter.
#[derive(Debug, Clone)]
enum Bound {
    /// A value, with its type unless its place decides that.
    Constant(Scalar, Option<Elem>),
    /// A type, by its name.
    Type(Name),
    /// A type that each call decides; a variable of that type stands for it where it is a value.
    Open(Option<LocalId>),
}

/// The state of an expansion.
struct Expand<'a> {
    env: &'a dyn Env,
    kind: ItemKind,
    raw: &'a Lowered,
    body: Body,
    map: BodyMap,
    findings: Vec<Finding>,
    /// The values of constant and type parameters, and of the indices of `static for`.
    bound: FxHashMap<LocalId, Bound>,
    /// The locals of parts that are repeated, by those of the template.
    renamed: FxHashMap<LocalId, LocalId>,
    /// The locals that were defined, by those of the template.
    defined: FxHashSet<LocalId>,
    /// The copy of each local of a branch of a `static if` that its name means now.
    current: FxHashMap<LocalId, LocalId>,
    /// The loops that were copied: those of the template by their number, and the statements that they became.
    loops: Vec<(usize, LoopHeader)>,
    /// The statements that were written.
    n_written: usize,
    /// The number of `static for` around.
    n_rounds: u32,
    /// The limit on these was exceeded, which was said.
    too_long: bool,
    /// The calls whose function is a template: they may be instances that types decide.
    templates: Vec<(ExprId, ExprId)>,
    /// The first copy of each expression, for the values that a `match` looks at.
    subjects: FxHashMap<ExprId, ExprId>,
}

impl<'a> Expand<'a> {
    fn new(env: &'a dyn Env, kind: ItemKind, raw: &'a Lowered) -> Expand<'a> {
        let body = Body {
            locals: raw.body.locals.clone(),
            params: raw.body.params.clone(),
            results: raw.body.results.clone(),
            fields: raw.body.fields.clone(),
            in_doubt: raw.body.in_doubt,
            header_in_doubt: raw.body.header_in_doubt,
            ..Body::default()
        };
        let map = BodyMap {
            locals: raw.map.locals.clone(),
            name: raw.map.name,
            header: raw.map.header,
            uses: raw.map.uses.clone(),
            among: raw.map.among.clone(),
            ..BodyMap::default()
        };
        Expand {
            env,
            kind,
            raw,
            body,
            map,
            findings: raw.findings.clone(),
            bound: FxHashMap::default(),
            renamed: FxHashMap::default(),
            defined: FxHashSet::default(),
            current: FxHashMap::default(),
            loops: Vec::new(),
            n_written: 0,
            n_rounds: 0,
            too_long: false,
            templates: Vec::new(),
            subjects: FxHashMap::default(),
        }
    }

    fn find(&mut self, finding: Finding) {
        if !self.findings.contains(&finding) {
            self.findings.push(finding);
        }
    }

    /// Binds the constant and type parameters to arguments.
    fn bind(&mut self, args: &[Name]) {
        for (generic, arg) in self.raw.body.generics.iter().zip(args) {
            let local = &self.raw.body.locals[generic.local];
            let bound = match local.kind {
                LocalKind::Constant => {
                    let elem = local.ty.as_ref().and_then(|ty| Elem::from_name(ty.name.as_deref()?));
                    let elem = elem.unwrap_or(Elem::I32);
                    constants::parsed(arg, elem).map(|value| Bound::Constant(value, Some(elem)))
                }
                _ if **arg == *OPEN => Some(Bound::Open(None)),
                _ => Some(Bound::Type(arg.clone())),
            };
            if let Some(bound) = bound {
                self.bound.insert(generic.local, bound);
            }
        }
    }

    fn item(&mut self) {
        let raw = &self.raw.body;
        for generic in &raw.generics {
            if raw.locals[generic.local].kind == LocalKind::TypeParam && !self.bound.contains_key(&generic.local) {
                self.bound.insert(generic.local, Bound::Open(None));
            }
        }
        self.body.generics = raw.generics.iter().map(|it| crate::Generic { local: it.local, default: None }).collect();
        let fixed: Vec<_> = raw.params.iter().copied().chain(raw.generics.iter().map(|it| it.local)).collect();
        for local in fixed {
            self.local(local);
        }
        for (local, data) in raw.locals.iter() {
            if data.kind == LocalKind::Size {
                self.local(local);
            }
        }
        self.body.defaults = raw.defaults.iter().map(|default| default.map(|default| self.expr(default))).collect();
        self.body.result = raw.result.as_ref().map(|ty| self.type_ref(ty));
        self.body.value_type = raw.value_type.as_ref().map(|ty| self.type_ref(ty));
        self.body.value = raw.value.map(|value| self.expr(value));
        self.body.attrs = self.attrs(&raw.attrs);
        let block = self.inner(&raw.block);
        let types = self.open_types();
        self.body.block = types.into_iter().chain(block).collect();
    }

    fn finish(mut self) -> Lowered {
        let matches = self.raw.body.matches.iter();
        let copied = |it: &enums::Match| Some(enums::Match { subject: *self.subjects.get(&it.subject)?, ..it.clone() });
        self.body.matches = matches.filter_map(copied).collect();
        self.map.loops = self.loop_headers();
        self.map.if_words.sort_by_key(|(stmt, at)| (at.start(), *stmt));
        self.body.exprs.shrink_to_fit();
        self.body.stmts.shrink_to_fit();
        self.body.locals.shrink_to_fit();
        self.findings.sort_by_key(|finding| (finding.at.start(), finding.at.end()));
        Lowered {
            body: Arc::new(self.body),
            map: Arc::new(self.map),
            findings: self.findings,
            saw_all_names: self.raw.saw_all_names,
        }
    }

    /// The headers of the loops by their places, each of which may be there several times.
    fn loop_headers(&mut self) -> Vec<LoopHeader> {
        let mut loops = std::mem::take(&mut self.loops);
        loops.sort_by_key(|(number, header)| (*number, header.stmt));
        let first = |number: u32| loops.iter().position(|(other, _)| *other == number as usize);
        let headers = loops.iter().map(|(_, header)| LoopHeader {
            parent: header.parent.and_then(first).map(|number| number as u32),
            ..*header
        });
        headers.collect()
    }

    /// The value that stands for a local, if it is decided at compile time.
    fn bound(&self, local: LocalId) -> Option<&Bound> {
        self.bound.get(&local)
    }

    fn not_constant(&mut self, expr: ExprId, what: &str) {
        let at = self.raw.map.exprs[expr];
        self.find(errors::static_not_constant(at, what));
    }
}

/// A text is an argument for a constant of a type, or for a type.
pub fn is_argument(text: &str, constant: Option<Elem>) -> bool {
    match constant {
        Some(elem) => constants::parsed(text, elem).is_some(),
        None => !text.starts_with(|c: char| c.is_ascii_digit() || c == '-'),
    }
}
