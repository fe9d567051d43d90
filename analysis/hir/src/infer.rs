//! Types by unification, over one item.
//!
//! Every expression and local gets a type; one that no use decides stays a *variable* with the set of scalars it may
//! still be, and is given its default at the end. Operators narrow sets, and two types that must be the same are
//! *unified*. Arrays carry their sizes, and unifying two arrays unifies those: equal sizes and a size that is still
//! open are fine, sizes that differ for every value of the symbols are an error, and all others are remembered as
//! assumptions that are checked when the kernel runs.
//!
//! A name without a type is an array if its uses say so, which is decided beforehand (see [`ranks`]), so the order of
//! statements does not matter.
//!
//! A function is inferred once, by itself. Types that stay open in its parameters and result become generic, and each
//! call has its own copy; callers read the [`Signature`] and nothing else.

mod atomics;
mod averages;
mod calls;
mod constant_parts;
mod cycles;
mod elementwise;
mod endless;
mod ends;
mod enums;
mod exhaustive;
mod exprs;
mod field_defaults;
mod fold;
mod habits;
mod named;
mod needs;
mod ranges;
mod ranks;
mod silent;
mod stmts;
mod structs;
mod table;

use std::cell::RefCell;
use std::ops::ControlFlow;
use std::sync::Arc;

use ir::{Elem, Scalar};
use la_arena::ArenaMap;
use report::spelling::WordList;
use report::{ItemKey, ItemKind, TextRange};
use rustc_hash::{FxHashMap, FxHashSet};

use crate as hir;
use crate::enums::{TAG, field_name, width};
use crate::expand::GenericParam;
use crate::fields::Fields;
use crate::finding::Finding;
use crate::size::{Atom, Size};
use crate::ty::{Signature, Ty};
use crate::{BinOp, Body, BodyMap, Expr, ExprId, Literal, LocalId, LocalKind, Name, StmtId};

pub use cycles::{Cycle, Cycles, Node};
pub use fold::shown;
use table::Table;

/// What is meant where something like a field is named that is none: a value by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LikeField {
    /// Several fields of a struct at once, `v.zyx`, by their numbers among its scalars.
    Swizzle(Vec<usize>),
    /// A value of a tuple by its name, `t.at`, and how many the tuple has.
    OfTuple {
        /// The number of the value.
        number: u32,
        /// The number of all values.
        of: u32,
    },
}

/// The accesses that look like one to a field and are none.
pub type LikeFields = FxHashMap<ExprId, LikeField>;

/// The types of an item.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Inference {
    /// The type of each expression.
    pub exprs: ArenaMap<ExprId, Ty>,
    /// The type of each local.
    pub locals: ArenaMap<LocalId, Ty>,
    /// Locals whose type nothing decided: it is a default.
    pub defaulted: FxHashSet<LocalId>,
    /// Expressions whose value is known.
    pub values: FxHashMap<ExprId, Scalar>,
    /// Sizes that must be equal when the item runs, and where that is asked for.
    pub assumptions: Vec<(ExprId, Size, Size)>,
    /// The fields' types of a struct.
    pub fields: Arc<Fields>,
    /// The scalars of the default values of a struct's fields; `None` for a field without one, or of which it is not known.
    pub field_defaults: Vec<Option<Vec<Scalar>>>,
    /// The calls that make structs and leave out fields: the numbers of these, in order, with the scalars of their default values.
    pub defaults_of_fields: FxHashMap<ExprId, Vec<(usize, Vec<Scalar>)>>,
    /// The view that the item shows to others.
    pub signature: Arc<Signature>,
    /// The places of the constants that ask something of the types of calls (see [`crate::ty::Need`]).
    pub need_places: Vec<TextRange>,
    /// The calls whose arguments are not just the parameters in order: for each parameter the number of its argument, unless it has
    /// its default value.
    pub orders: FxHashMap<ExprId, Vec<Option<usize>>>,
    /// The calls of structs and of builtins whose arguments are not in the order of the fields or parameters: for each of these the
    /// number of its argument.
    pub reordered: FxHashMap<ExprId, Vec<usize>>,
    /// The accesses that look like one to a field and are none: `v.zyx`.
    pub like_fields: LikeFields,
    /// The names of the values of tuples that are asked for one, as far as they have some.
    pub labels: FxHashMap<ExprId, Vec<Option<Name>>>,
    /// The numbers of the variants that expressions make or ask for, by these; a test for a struct has none.
    pub numbers: FxHashMap<ExprId, Scalar>,
    /// The conversions of numbers to enums, with all numbers that are one.
    pub to_enums: FxHashMap<ExprId, Vec<i128>>,
    /// The products in which a side is a matrix, by their expressions, or by the target of a `*=`.
    pub products: FxHashMap<ExprId, crate::vectors::Product>,
    /// The comparisons of values that have enums with data in them.
    pub equalities: FxHashMap<ExprId, crate::equality::Equality>,
    /// The builtins, at the places where they are named, that see lanes elsewhere and are functions of arrays there.
    pub of_arrays: FxHashSet<ExprId>,
    /// The findings about the item.
    pub findings: Vec<Finding>,
}

// Floats in values are compared by their bits.
impl Eq for Inference {}

impl Inference {
    /// The arguments of a call of a struct or a builtin, or what was made of each, in the order of its fields or parameters.
    pub fn in_order<T: Clone>(&self, call: ExprId, args: Vec<T>) -> Vec<T> {
        match self.reordered.get(&call) {
            Some(order) => order.iter().filter_map(|&n| args.get(n).cloned()).collect(),
            None => args,
        }
    }

    /// The values of a call that makes a struct, in the order of its fields; `default` makes one of the scalars of a default value.
    pub fn with_defaults<T: Clone>(
        &self,
        call: ExprId,
        args: Vec<T>,
        mut default: impl FnMut(&[Scalar]) -> T,
    ) -> Vec<T> {
        let mut values = self.in_order(call, args);
        for (n, scalars) in self.defaults_of_fields.get(&call).into_iter().flatten() {
            values.insert((*n).min(values.len()), default(scalars));
        }
        values
    }
}

/// The items around the one whose types are inferred. An answer is remembered as one that the types depend on, so nothing
/// is asked for that is not needed.
pub trait Env {
    /// A check that long computations call now and then. It may unwind, when the answer is no longer wanted.
    fn poll(&self);
    /// Returns the key of the item itself.
    fn own(&self) -> ItemKey;
    /// The kind of the item that a name stands for.
    fn kind_of(&self, name: &Name) -> Option<ItemKind>;
    /// The item that a name stands for.
    fn key_of(&self, name: &Name) -> Option<ItemKey>;
    /// The view that an item shows to its users, by its name.
    fn shown(&self, name: &Name) -> Option<Shown>;
    /// The value of a constant that does not lead back to itself.
    fn const_value(&self, name: &Name) -> Option<Scalar>;
    /// The number of a constant that its text alone says, without a look at what else the program has (see [`plain_number`]).
    fn plain_number(&self, name: &Name) -> Option<i64>;
    /// The elements of a constant array that does not lead back to itself, if they are known.
    fn const_table(&self, name: &Name) -> Option<Arc<crate::eval::Array>>;
    /// The view that a function of the prelude shows to its users.
    fn shown_of_prelude(&self, name: &str) -> Option<Arc<Signature>>;
    /// The result of the first of these functions that the prelude has, for these arguments.
    fn call_prelude(&self, functions: &[String], args: &[Scalar]) -> Option<Scalar>;
    /// The fields of a struct.
    fn fields_of(&self, name: &Name) -> Arc<Fields>;
    /// The default values of the fields of a struct, by their scalars; `None` for a field without one.
    fn field_defaults(&self, name: &Name) -> Vec<Option<Vec<Scalar>>>;
    /// The numbers of the fields of a struct that have a default value.
    fn optional_fields(&self, name: &Name) -> Vec<usize>;
    /// The variants of an enum; none for what is no enum.
    fn variants_of(&self, name: &Name) -> Arc<[crate::enums::ShownVariant]>;
    /// The one enum of the file that has such a variant.
    fn enum_with(&self, variant: &Name) -> Option<Name>;
    /// Part of an item's header was not understood.
    fn is_header_in_doubt(&self, name: &Name) -> bool;
    /// The constant and type parameters of a kernel or function.
    fn generics_of(&self, name: &Name) -> Vec<GenericParam>;
    /// The name of a parameter of a function, by its number.
    fn param_name(&self, function: &Name, number: usize) -> Option<Name>;
    /// The value of a constant that has no name, where it takes more to find it than inference does.
    fn compute(&self, body: &Body, map: &BodyMap, types: &Inference) -> Option<Scalar>;
    /// Visits the structs of the file with their fields, until `visit` breaks off.
    fn for_each_struct(&self, visit: &mut VisitStruct<'_>);
}

/// Called with a struct's name and fields; breaks off when no more are wanted.
pub type VisitStruct<'v> = dyn FnMut(&Name, &[(Name, Ty)]) -> ControlFlow<()> + 'v;

/// The view that an item shows to its users.
pub enum Shown {
    /// The signature of an item without a cycle.
    Signature(Arc<Signature>),
    /// No signature, because the item leads back to itself.
    OnCycle(Arc<Cycle>),
}

/// Infers the types of an item of a kind from its body.
pub fn infer(env: &dyn Env, kind: ItemKind, body: &Body, map: &BodyMap) -> Inference {
    let mut infer = Infer {
        env,
        kind,
        ranks: ranks::ranks(env, body),
        body,
        map,
        table: Table::default(),
        out: Inference::default(),
        result: None,
        in_foreach: false,
        crosses_lanes: false,
        cycle_reported: false,
        unknown_fields: FxHashSet::default(),
        words_of_fields: FxHashMap::default(),
        known_sizes: FxHashMap::default(),
        indices_inside: FxHashSet::default(),
        calls: Vec::new(),
        literal_causes: FxHashMap::default(),
        ranges: ranges::Ranges::default(),
        calls_of_bits: Vec::new(),
        foreach: None,
        zipped: FxHashSet::default(),
        type_params: FxHashMap::default(),
        fields: RefCell::default(),
    };
    infer.item();
    infer.finish()
}

/// The number of a constant that its text alone says, by the constant's name.
type PlainNumber<'n> = &'n dyn Fn(&Name) -> Option<i64>;

/// The fields of a struct, or those that an enum is made of: scalars, structs and arrays of scalars, whatever else is written there. Nothing
/// is inferred for that, so that a constant may look at a struct in whose sizes it stands; so a name that is no scalar's may be no struct's
/// either.
pub fn struct_fields(body: &Body, plain_number: PlainNumber<'_>) -> Fields {
    let named = |name: Name| Elem::from_name(&name).map_or(Ty::Struct(name), Ty::Scalar);
    let ty = |field: &hir::Field| {
        let Some((written, name)) = field.ty.as_ref().and_then(|ty| Some((ty, ty.name.clone()?))) else {
            return Ty::Error;
        };
        match (written.sizes.is_empty(), named(name)) {
            (true, ty) => ty,
            (false, element @ Ty::Scalar(_)) => {
                let size = |&size: &ExprId| self::plain_number(body, size, plain_number).filter(|&size| size > 0);
                let sizes: Option<Vec<_>> = written.sizes.iter().map(|it| size(it).map(Size::constant)).collect();
                sizes.map_or(Ty::Error, |sizes| Ty::Array(Box::new(element), sizes))
            }
            _ => Ty::Error,
        }
    };
    let number = body.variants.first().map(|_| (TAG.into(), Ty::Scalar(width(body))));
    let data = body.variants.iter().flat_map(|variant| {
        let no_array = |ty| if matches!(ty, Ty::Array(..)) { Ty::Error } else { ty };
        variant.data.iter().map(move |data| (field_name(&variant.name, &data.name), no_array(ty(data))))
    });
    let fields = body.fields.iter().map(|field| (field.name.clone(), ty(field)));
    number.into_iter().chain(fields).chain(data).collect()
}

/// The number that an expression is by its text alone: arithmetic of numbers, and of constants that are such themselves.
pub fn plain_number(body: &Body, expr: ExprId, of_constant: PlainNumber<'_>) -> Option<i64> {
    let of = |expr: ExprId| plain_number(body, expr, of_constant);
    match &body.exprs[expr] {
        Expr::Literal(Literal::Int(value)) => i64::try_from(*value).ok(),
        Expr::Item(ItemKind::Const, name) => of_constant(name),
        Expr::Binary(op, a, b) => {
            let (a, b) = (of(*a)?, of(*b)?);
            match op {
                BinOp::Add => a.checked_add(b),
                BinOp::Sub => a.checked_sub(b),
                BinOp::Mul => a.checked_mul(b),
                // Both kinds of division agree on what is not negative.
                BinOp::Div | BinOp::FloorDiv if a >= 0 && b > 0 => Some(a / b),
                BinOp::Rem if a >= 0 && b > 0 => Some(a % b),
                _ => None,
            }
        }
        _ => None,
    }
}

/// The state of an inference.
struct Infer<'a, 'env> {
    env: &'env dyn Env,
    kind: ItemKind,
    /// The number of dimensions that each local has by its uses.
    ranks: ArenaMap<LocalId, u32>,
    body: &'a Body,
    map: &'a BodyMap,
    table: Table,
    out: Inference,
    /// The type of the result.
    result: Option<Ty>,
    in_foreach: bool,
    crosses_lanes: bool,
    /// The finding about the cycle that the item is on was made.
    cycle_reported: bool,
    /// Fields that a struct does not have, each of which was said once.
    unknown_fields: FxHashSet<(Name, Name)>,
    /// The fields of structs of which unknown ones were asked, for "did you mean".
    words_of_fields: FxHashMap<Name, WordList>,
    /// Variables that are defined by an expression over sizes, and never updated.
    known_sizes: FxHashMap<LocalId, Size>,
    /// Indices that need not be looked at again at the ends of loops.
    indices_inside: ends::IndicesInside,
    /// The calls of functions that have needs: the place, the types for the generic ones, and the signature.
    calls: Vec<(ExprId, Vec<Ty>, Arc<Signature>)>,
    /// The uses that decided the types of literals.
    literal_causes: FxHashMap<ExprId, ExprId>,
    /// The ranges of integers, once types are known.
    ranges: ranges::Ranges,
    /// The calls of `to_bits` and `from_bits` whose types are open: their arguments, with the types of these and of the results.
    calls_of_bits: Vec<(ExprId, Ty, Ty)>,
    /// Arguments whose elements may be those of several arrays.
    zipped: FxHashSet<ExprId>,
    /// The types that the type parameters stand for.
    type_params: FxHashMap<Name, Ty>,
    /// The fields of the structs that were looked at, see [`Infer::fields_of`].
    fields: RefCell<FxHashMap<Name, Arc<Fields>>>,
    /// The innermost `foreach` here, with its place.
    foreach: Option<(StmtId, TextRange)>,
}

impl Infer<'_, '_> {
    fn item(&mut self) {
        match self.kind {
            ItemKind::Kernel | ItemKind::Fn => self.function(),
            ItemKind::Const => self.constant(),
            ItemKind::Struct => self.structure(),
            ItemKind::Enum => self.enumeration(),
            ItemKind::Preamble | ItemKind::Stray | ItemKind::Use => {}
        }
    }

    fn function(&mut self) {
        self.constants();
        // Parameters first get variables, since the size of one may name another.
        for (local, data) in self.body.locals.iter() {
            if data.kind == LocalKind::Size {
                let ty = self.table.integer();
                self.out.locals.insert(local, ty);
            }
        }
        for &param in &self.body.params {
            let ty = match &self.body.locals[param].ty {
                Some(written) => {
                    let scalar = written.name.as_deref().and_then(Elem::from_name);
                    match (scalar, written.sizes.is_empty()) {
                        (Some(scalar), true) => Ty::Scalar(scalar),
                        _ => continue,
                    }
                }
                None => self.open(param),
            };
            self.out.locals.insert(param, ty);
        }
        for &param in &self.body.params {
            if let (None, Some(written)) = (self.out.locals.get(param), &self.body.locals[param].ty) {
                let ty = self.type_ref(written);
                self.out.locals.insert(param, ty);
            }
        }
        self.defaults();
        let gives = self.body.stmts.iter().any(|(_, stmt)| matches!(stmt, hir::Stmt::Return(Some(_))));
        self.result = match &self.body.result {
            Some(written) => Some(self.type_ref(written)),
            None if gives => Some(self.table.any()),
            None if self.body.in_doubt || self.body.block.is_empty() => Some(Ty::Error),
            None => None,
        };
        // The written result type is checked first, so that the returned values are compared with a checked type.
        if self.body.result.is_some() {
            self.kernel_result();
        }
        self.block(&self.body.block);
        self.kernel_result();
    }

    /// The types of constant parameters, and of the indices of `static for`.
    fn constants(&mut self) {
        for (local, data) in self.body.locals.iter() {
            let written = data.ty.as_ref().and_then(|ty| Elem::from_name(ty.name.as_deref()?));
            if data.kind == LocalKind::Constant {
                self.out.locals.insert(local, Ty::Scalar(written.unwrap_or(Elem::I32)));
            }
        }
    }

    /// The type of a type parameter, which each call chooses for itself.
    fn type_param(&mut self, name: &Name) -> Option<Ty> {
        let named = |it: &&hir::Generic| {
            let local = &self.body.locals[it.local];
            local.kind == LocalKind::TypeParam && local.name == *name
        };
        self.body.generics.iter().find(named)?;
        if let Some(known) = self.type_params.get(name) {
            return Some(known.clone());
        }
        let ty = self.table.any();
        self.type_params.insert(name.clone(), ty.clone());
        Some(ty)
    }

    /// The default values of parameters fit them.
    fn defaults(&mut self) {
        for (&param, default) in self.body.params.iter().zip(&self.body.defaults) {
            let Some(default) = *default else { continue };
            let (ty, wanted) = (self.expr(default), self.out.locals[param].clone());
            let name = self.body.locals[param].name.clone();
            self.fits(default, &ty, &wanted, &format!("the parameter `{name}`"));
        }
    }

    /// The type of a local that has none written down: an array when its uses say so.
    fn open(&mut self, local: LocalId) -> Ty {
        let rank = self.ranks.get(local).copied().unwrap_or(0);
        let param = self.body.locals[local].kind == LocalKind::Param;
        let element = if param { self.table.param() } else { self.table.any() };
        if rank == 0 {
            return element;
        }
        let size = |dim| if param { Size::atom(Atom::Own(local, dim)) } else { self.table.size() };
        let sizes = (0..rank).map(size).collect();
        Ty::Array(Box::new(element), sizes)
    }

    fn constant(&mut self) {
        let Some(value) = self.body.value else { return };
        let ty = self.expr(value);
        let ty = match &self.body.value_type {
            Some(written) => {
                let wanted = self.type_ref(written);
                self.expect_cells(value, &ty, &wanted, written.at);
                if self.is_array(&wanted) { wanted } else { ty }
            }
            None => ty,
        };
        let ty = self.table.resolve(&ty);
        self.result = Some(self.constant_type(value, ty));
    }

    /// The type of a constant: a scalar, or an array of scalars whose size is known.
    fn constant_type(&mut self, value: ExprId, ty: Ty) -> Ty {
        let holds = |ty: &Ty| matches!(ty, Ty::Scalar(_) | Ty::Var(_) | Ty::Error);
        match &ty {
            Ty::Array(element, sizes) if holds(element) => {
                if sizes.iter().all(|size| size.as_constant().is_some()) {
                    return ty;
                }
                // A size that is written and wrong has its finding already.
                if self.body.value_type.is_none() {
                    self.find(crate::errors::constant_of_unknown_size(self.at(value)));
                }
                Ty::Error
            }
            _ if holds(&ty) => ty,
            _ => {
                let shown = self.show(&ty);
                self.find(crate::errors::constant_not_scalar(self.at(value), &shown));
                ty
            }
        }
    }

    fn structure(&mut self) {
        self.check_fields(&self.body.fields, false);
        self.out.fields = Arc::new(struct_fields(self.body, &|name| self.env.plain_number(name)));
        self.field_defaults();
    }

    /// The fields of a struct, or the data of a variant, are scalars, or structs that do not hold the type that is being defined. Fields may
    /// also be arrays of scalars.
    pub(super) fn check_fields(&mut self, fields: &[hir::Field], of_variant: bool) {
        for field in fields {
            let Some(written) = &field.ty else { continue };
            let is_scalar = written.name.as_deref().is_some_and(|name| Elem::from_name(name).is_some());
            if !written.sizes.is_empty() && is_scalar && !of_variant {
                self.check_array_in_struct(field, written);
                continue;
            }
            let ty = self.type_ref(written);
            match ty {
                Ty::Scalar(_) | Ty::Error => {}
                Ty::Struct(name) => self.field_of_struct(written.at, &name),
                ty => {
                    let shown = self.show(&ty);
                    self.find(crate::errors::field_not_scalar(written.at, &field.name, &shown, of_variant));
                }
            }
        }
    }

    /// The sizes of an array in a struct are known from their text. Nothing else is asked of them, since their constants may lead back to
    /// the struct.
    fn check_array_in_struct(&mut self, field: &hir::Field, written: &hir::TypeRef) {
        let mut n_cells = Some(1_u64);
        for &size in &written.sizes {
            self.out.exprs.insert(size, Ty::Error);
            let body = self.body;
            body.for_each_part(size, |part| self.without_type(part));
            if matches!(self.body.exprs[size], Expr::Missing) {
                return;
            }
            match plain_number(self.body, size, &|name| self.env.plain_number(name)) {
                Some(number) if number > 0 => {
                    n_cells = n_cells.and_then(|n_cells| n_cells.checked_mul(number as u64));
                }
                Some(number) => return self.find(crate::errors::no_cell_in_struct(self.at(size), &field.name, number)),
                None => return self.find(crate::errors::size_in_struct(self.at(size), &field.name)),
            }
        }
        if n_cells.is_none_or(|n_cells| n_cells > u64::from(crate::layout::MAX_FIELDS)) {
            self.find(crate::errors::struct_too_large(written.at, &field.name, crate::layout::MAX_FIELDS));
        }
    }

    /// A field that is a struct, which must not hold the struct that is being defined.
    pub(super) fn field_of_struct(&mut self, at: TextRange, name: &Name) {
        let own = self.env.own().name;
        let (mut left, mut seen, mut is_whole) = (vec![name.clone()], FxHashSet::default(), true);
        while let Some(inner) = left.pop() {
            if inner == own {
                self.find(crate::errors::struct_in_itself(at, &own, name));
                return;
            }
            is_whole &= self.env.kind_of(&inner).is_some_and(ItemKind::is_type);
            if seen.insert(inner.clone()) {
                for (_, ty) in self.env.fields_of(&inner).iter() {
                    match ty {
                        Ty::Struct(name) => left.push(name.clone()),
                        ty => is_whole &= matches!(ty, Ty::Scalar(_) | Ty::Array(..)),
                    }
                }
            }
        }
        let leads_back = seen.iter().any(|inner| self.leads_to(inner, inner));
        if is_whole && !leads_back && crate::layout::leaves(&|name| Some(self.env.fields_of(name)), name).is_none() {
            self.find(crate::errors::struct_too_large(at, name, crate::layout::MAX_FIELDS));
        }
    }

    /// A struct holds another one, or itself.
    fn leads_to(&self, from: &Name, to: &Name) -> bool {
        let (mut left, mut seen) = (vec![from.clone()], FxHashSet::default());
        while let Some(inner) = left.pop() {
            for (_, ty) in self.env.fields_of(&inner).iter() {
                match ty {
                    Ty::Struct(name) if *name == *to => return true,
                    Ty::Struct(name) if seen.insert(name.clone()) => left.push(name.clone()),
                    _ => {}
                }
            }
        }
        false
    }

    fn find(&mut self, finding: Finding) {
        self.out.findings.push(finding);
    }

    fn at(&self, expr: ExprId) -> TextRange {
        self.map.exprs[expr]
    }

    /// The elements of an array, as far as something is known of them.
    fn show_elements(&self, element: &Ty) -> String {
        match element {
            Ty::Var(var) => self
                .table
                .scalars(*var)
                .map_or_else(String::new, |set| format!(", each element {}", crate::ty::describe(set))),
            _ => String::new(),
        }
    }

    /// A type for a message; in words, as long as it is not known.
    fn show(&self, ty: &Ty) -> String {
        let ty = self.table.resolve(ty);
        match &ty {
            Ty::Var(var) => self.table.describe(*var),
            Ty::Fn(params, result) => {
                let part = |ty: &Ty| if matches!(ty, Ty::Fn(..)) { "a function".to_owned() } else { self.show(ty) };
                let params: Vec<_> = params.iter().map(part).collect();
                format!("a function from {} to {}", params.join(" and "), part(result))
            }
            Ty::Array(element, sizes) if matches!(**element, Ty::Var(_)) => match sizes.len() {
                1 => format!("an array{}", self.show_elements(element)),
                2 => format!("a matrix{}", self.show_elements(element)),
                n => format!("an array with {n} dimensions{}", self.show_elements(element)),
            },
            ty => format!("`{}`", ty.display(&|atom| atom_name(self.body, atom))),
        }
    }
}

/// The name of a size's atom in an item's own terms.
pub fn atom_name(body: &Body, atom: &Atom) -> String {
    match atom {
        Atom::Local(local) => body.locals[*local].name.to_string(),
        Atom::Param(n) => body.params.get(*n as usize).map_or("?".into(), |&param| body.locals[param].name.to_string()),
        Atom::Generic(n) => {
            let sizes = body.locals.iter().filter(|(_, local)| local.kind == LocalKind::Size);
            sizes.map(|(_, local)| local.name.to_string()).nth(*n as usize).unwrap_or_else(|| "_".to_owned())
        }
        Atom::Own(..) | Atom::Given(_) | Atom::Unknown(_) | Atom::Var(_) | Atom::Op(..) => "_".to_owned(),
    }
}
