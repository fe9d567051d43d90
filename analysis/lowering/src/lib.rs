//! HIR to Lane IR: the `sequential` stage.
//!
//! - Functions are inlined where they are called, with their generic types bound to that call's; every op keeps the
//!   place it came from and the calls that led there.
//! - Variables become values. A branch yields the variables that it assigns to, and a loop carries them.
//! - `break`, `continue` and an early `return` become flags and guards, since a region has one way out (see
//!   [`shape`]).
//! - A `foreach` that uses lane operations runs its iterations together (see [`lanes`]).
//! - Structs and tuples become a value for each of their parts (see [`structs`]).
//! - Rows, slices and struct fields become views of the array they are part of.
//! - A part that was not understood becomes an `unknown` op, so all around it keeps its facts.
//!
//! - Functions as values are applied where they are called, like functions that have a name (see [`functions`]). Operations on
//!   whole arrays become ops of the stage `arrays` (see [`arrays`]).
//!
//! What breaks a rule that shows only here (see [`hir::BrokenRule`]) is an error at the place where it stands.

mod accesses;
mod arrays;
mod atomics;
mod calls;
mod carrying;
mod enums;
mod exprs;
pub mod flags;
mod foreach;
mod functions;
mod lanes;
mod loops;
mod parts;
mod running;
mod shape;
mod sizes;
mod stmts;
mod structs;
mod vars;

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use ir::{Attr, Builder, CellType as IrItem, Code, Elem, Origin, Scalar as Constant, Type, Value};
use report::{FileId, ItemKey, TextRange};
use rustc_hash::FxHashMap;

use self::functions::Closure;
use self::vars::Vars;
use hir::builtins::Sets;
use hir::errors;
use hir::fields::Fields;
use hir::finding::{Finding, Place};
use hir::infer::Inference;
use hir::layout::Layouts;
use hir::size::Size;
use hir::ty::{Signature, Ty};
use hir::{Body, BodyMap, BrokenRule, ExprId, FastParts, LocalId, LoopPlaces, Name, StmtId};

/// A kernel as Lane IR, and how that leads back to the source.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Lowering {
    /// The kernel; `None` for an item that is none.
    pub kernel: Option<Arc<ir::Kernel>>,
    /// The places that the numbers of [`ir::OriginData::place`] stand for: an item, and a range of its dense text.
    pub places: Vec<(ItemKey, TextRange)>,
    /// The values of what is written: of each expression that is not plainly a constant, and of each variable.
    pub values: Vec<Written>,
    /// The fields of variables that loops carry, `s.low`, by the names that their values have, `s_low`.
    pub fields: FxHashMap<String, String>,
    /// Findings about constructs that could not be lowered.
    pub findings: Vec<Finding>,
    /// True if there is a kernel for which everything holds that does for every kernel: one with errors may have come out in a form that
    /// has no meaning.
    pub is_sound: bool,
}

impl Lowering {
    /// The lowering with its entities numbered in order, so that what is found out about the kernel stands for its first stage, too. One
    /// that was not understood, or of whose values some are not part of the kernel, stays as it is.
    fn in_order(self) -> Lowering {
        let is_right = self.findings.is_empty() && self.is_sound;
        let Some(kernel) = self.kernel.as_deref().filter(|_| is_right) else { return self };
        let (mut kernel, numbers) = ir::numbered(kernel.clone());
        let constant = |old: Value| self.kernel.as_deref().and_then(|kernel| kernel.as_const(old));
        let mut renamed = |written: &Written| {
            let known = numbers.value(written.value);
            let value = known.or_else(|| constant(written.value).map(|scalar| kernel.constant(scalar)))?;
            Some(Written { value, block: numbers.region(written.block)?, ..*written })
        };
        match self.values.iter().map(&mut renamed).collect::<Option<Vec<_>>>() {
            Some(values) => Lowering { kernel: Some(Arc::new(kernel)), values, ..self },
            None => self,
        }
    }

    /// Returns the place in the kernel's file that an op of it came from: the call, for an op of the prelude or of a file that is used.
    pub fn place_of(&self, kernel: &ir::Kernel, origin: Origin) -> Option<&(ItemKey, TextRange)> {
        let calls = std::iter::successors(Some(origin), |&origin| kernel.origins[origin].call);
        let places = calls.map(|origin| self.places.get(kernel.origins[origin].place as usize));
        let places = places.collect::<Option<Vec<_>>>()?;
        let file = places.last()?.0.file;
        places.into_iter().find(|(key, _)| key.file == file)
    }
}

/// The value of something that is written. One place may have several: a function's body has those of each call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Written {
    /// The place, by its number in [`Lowering::places`].
    pub place: u32,
    /// The role of the value there.
    pub role: Role,
    /// The value. A struct is written once for each leaf, a tuple for each of its parts.
    pub value: Value,
    /// The block in which it stands.
    pub block: ir::Region,
}

/// The roles of values at places.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// An expression that is computed there.
    Expression,
    /// A variable that is read.
    Use,
    /// A variable that gets this value there.
    Definition,
    /// The definition of a variable that has this value at some time later, as a branch or loop leaves or carries it.
    Later,
    /// An element that this value is stored to.
    Target,
    /// The type of the result that this value is.
    Result,
}

/// The items that a kernel reaches. An answer is remembered as one that the kernel depends on, so nothing is asked for that is
/// not needed.
pub trait LoweringEnv {
    /// A check that long computations call now and then. It may unwind, when the answer is no longer wanted.
    fn poll(&self);
    /// A function, to be inlined.
    fn unit(&self, home: FileId, name: &Name) -> Option<Unit>;
    /// The view that a function shows to its callers.
    fn signature(&self, home: FileId, name: &Name) -> Option<Arc<Signature>>;
    /// The value of a constant.
    fn const_value(&self, home: FileId, name: &Name) -> Option<Constant>;
    /// The elements of a constant array.
    fn const_table(&self, home: FileId, name: &Name) -> Option<Arc<hir::eval::Array>>;
    /// The fields of a struct of the kernel's file; the prelude has none of its own.
    fn fields_of(&self, name: &Name) -> Option<Arc<Fields>>;
}

/// A kernel or function to be lowered: its HIR and its types.
#[derive(Debug, Clone)]
pub struct Unit {
    /// The key of the item.
    pub key: ItemKey,
    /// The meaning of the item.
    pub body: Arc<Body>,
    /// The places of its parts in the dense text.
    pub map: Arc<BodyMap>,
    /// The types of its expressions and locals.
    pub types: Arc<Inference>,
}

/// Lowers a kernel to scalar, sequential Lane IR.
pub fn lower(env: &dyn LoweringEnv, kernel: Unit) -> Lowering {
    Lower::kernel(env, kernel)
}

/// The value of a variable while it is lowered.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Lowered {
    /// The value of a scalar.
    Scalar(Value),
    /// An array, or a part of one.
    View(Value),
    /// A struct, by its name and the values of its leaves.
    Struct(Name, Vec<Value>),
    /// A new array of structs, by its name and an array for each leaf.
    Fields(Name, Vec<Value>),
    /// Several values as one.
    Tuple(Vec<Lowered>),
    /// The arrays that are zipped.
    Zip(Vec<Lowered>),
    /// A function as a value.
    Function(Arc<Closure>),
    /// One of two functions.
    Choice(Arc<functions::FunctionChoice>),
    /// No value, as of a call without a result.
    Nothing,
}

/// A target of assignments: a local of one inlined function, or one of the flags that stand for early exits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Var {
    /// A local of the function with this number.
    Local(u32, LocalId),
    /// At this level, what follows is still to be done.
    Live(u32, u32),
    /// The loop at this level goes on.
    Go(u32, u32),
    /// The number of iterations that a lane has begun of the loop at this level, where lanes may leave it one by one.
    Steps(u32, u32),
    /// The result of the function with this number.
    Result(u32),
    /// A part of what a loop carries for a float that runs on through it, by the statement that gives it its next value.
    Running(u32, StmtId, u8),
}

impl Var {
    /// The variable that stands for it in another call of its function.
    fn of_function(self, number: u32) -> Var {
        match self {
            Var::Local(_, local) => Var::Local(number, local),
            Var::Live(_, level) => Var::Live(number, level),
            Var::Go(_, level) => Var::Go(number, level),
            Var::Steps(_, level) => Var::Steps(number, level),
            Var::Result(_) => Var::Result(number),
            Var::Running(_, stmt, part) => Var::Running(number, stmt, part),
        }
    }
}

/// A function whose body is being lowered: the kernel, or one that is inlined.
#[derive(Clone)]
struct Frame {
    /// The number of the frame; each call has one of its own.
    number: u32,
    key: ItemKey,
    body: Arc<Body>,
    /// The places of its loops, once somebody has asked for them.
    loop_places: OnceLock<Arc<LoopPlaces>>,
    map: Arc<BodyMap>,
    inference: Arc<Inference>,
    /// The types that the generic ones stand for in this call.
    generics: Vec<Ty>,
    /// The sizes in these, each with the number of the frame that it is a size of.
    given: Vec<(u32, Size)>,
    /// The parts of it that `@fast` is about.
    fast: Arc<FastParts>,
    /// Sums and products of floats that `reduce` makes have the fixed order.
    reassoc: bool,
    /// The call that it is inlined for.
    call: Option<Origin>,
    /// The place of that call in the kernel itself.
    site: Option<TextRange>,
}

/// A function that is called.
struct Callee {
    /// The file in which it is.
    home: FileId,
    name: Name,
    signature: Arc<Signature>,
}

struct Lower<'env> {
    env: &'env dyn LoweringEnv,
    b: Builder,
    frames: Vec<Frame>,
    n_frames: u32,
    /// The number of calls that stand in the file's own items. Those inside of the prelude's functions are few for each of them.
    n_calls: u32,
    /// The number of lanes that run together here, inside of such a `foreach`.
    lanes: Option<u16>,
    /// The variables from outside that those lanes share.
    shared: BTreeSet<Var>,
    /// The depth of nesting of expressions and blocks here, those of all functions together.
    depth: u32,
    /// No more calls are inlined, and that was said.
    is_full: bool,
    vars: Vars,
    /// The floats that run on through the loops around, those of inner loops last.
    running: Vec<running::Running>,
    structs: FxHashMap<Name, ir::Struct>,
    layouts: Layouts,
    /// The constant arrays that the kernel has, by where their names are looked up.
    tables: FxHashMap<(FileId, Name), Value>,
    places: Vec<(ItemKey, TextRange)>,
    values: Vec<Written>,
    fields: FxHashMap<String, String>,
    findings: Vec<Finding>,
}

impl<'env> Lower<'env> {
    fn kernel(env: &'env dyn LoweringEnv, unit: Unit) -> Lowering {
        let mut lower = Lower {
            env,
            b: Builder::new(ir_name(&unit.key.name)),
            frames: Vec::new(),
            n_frames: 0,
            n_calls: 0,
            lanes: None,
            shared: BTreeSet::new(),
            depth: 0,
            is_full: false,
            vars: Vars::default(),
            running: Vec::new(),
            structs: FxHashMap::default(),
            layouts: Layouts::default(),
            tables: FxHashMap::default(),
            places: Vec::new(),
            values: Vec::new(),
            fields: FxHashMap::default(),
            findings: Vec::new(),
        };
        // Origin 0 is the kernel as a whole.
        lower.places.push((unit.key.clone(), unit.map.header));
        lower.push_frame(unit, Default::default(), false, None);
        lower.params();
        lower.marks();
        let result = lower.frame().inference.signature.result.clone();
        lower.function_body(result.as_ref());
        let result = match lower.take_result() {
            Some(Lowered::Scalar(value)) => Some(value),
            _ => None,
        };
        // Loops over whole arrays get places of their own, behind all that there are.
        let last = lower.places.len() as u32 - 1;
        if lower.b.kernel().has_whole_arrays() {
            lower.b.origin(last, None);
        }
        let kernel = lower.b.finish(result);
        let lowering = Lowering {
            is_sound: ir::verify(&kernel).is_ok(),
            kernel: Some(Arc::new(kernel)),
            places: lower.places,
            values: lower.values,
            fields: lower.fields,
            findings: lower.findings,
        };
        lowering.in_order()
    }

    /// Enters a function. `in_fast` says that `@fast` is about the call, which comes with its place in the kernel itself.
    fn push_frame(
        &mut self,
        unit: Unit,
        (generics, given): (Vec<Ty>, Vec<(u32, Size)>),
        in_fast: bool,
        call: Option<(Origin, TextRange)>,
    ) {
        let (call, site) = call.unzip();
        // A function's sums are subject to the attributes at its call, as if they stood there.
        let around = self.frames.last().is_some_and(|frame| frame.reassoc);
        let reassoc = unit.body.frees_order() || around;
        self.frames.push(Frame {
            fast: Arc::new(FastParts::of(&unit.body, in_fast)),
            number: self.n_frames,
            reassoc,
            key: unit.key,
            body: unit.body,
            loop_places: OnceLock::new(),
            map: unit.map,
            inference: unit.types,
            generics,
            given,
            call,
            site,
        });
        self.n_frames += 1;
    }

    /// The function of a name.
    fn callee(&self, home: FileId, name: Name) -> Option<Callee> {
        let signature = self.env.signature(home, &name)?;
        Some(Callee { home, name, signature })
    }

    /// The file in which the names of the current function are looked up.
    fn home(&self) -> FileId {
        self.frame().key.file
    }

    fn frame(&self) -> &Frame {
        self.frames.last().expect("a function is being lowered")
    }

    fn local_var(&self, local: LocalId) -> Var {
        Var::Local(self.frame().number, local)
    }

    // Parameters and marks of the kernel.

    fn params(&mut self) {
        let body = self.frame().body.clone();
        // Scalars first get their values, because sizes name them; but parameters keep their order.
        let types: Vec<_> = body.params.iter().map(|&param| self.local_type(param)).collect();
        let values: Vec<_> = body
            .params
            .iter()
            .zip(&types)
            .map(|(&param, ty)| (ir_name(&body.locals[param].name), ty))
            .map(|(name, ty)| match ty {
                Ty::Array(element, sizes) if let Some((of, elem)) = self.plain_enum(element) => {
                    let own = vec![ir::DimSize::Own; sizes.len()];
                    Lowered::Fields(of, vec![self.b.array_of(name, IrItem::Elem(elem), &own)])
                }
                Ty::Array(element, sizes) => {
                    let own = vec![ir::DimSize::Own; sizes.len()];
                    match self.ir_item(element) {
                        Some(item) => Lowered::View(self.b.array_of(name, item, &own)),
                        None => Lowered::View(self.b.array(name, Elem::F32, &own)),
                    }
                }
                ty if let Some((of, elem)) = self.plain_enum(ty) => {
                    Lowered::Struct(of, vec![self.b.scalar(name, elem)])
                }
                Ty::Struct(of) if let Some(decl) = self.struct_decl(of) => {
                    Lowered::View(self.b.array_of(name, IrItem::Struct(decl), &[ir::DimSize::Constant(1)]))
                }
                ty => {
                    let elem = ty.scalar().unwrap_or(Elem::F32);
                    Lowered::Scalar(self.b.scalar(name, elem))
                }
            })
            .collect();
        for ((&param, value), ty) in body.params.iter().zip(values).zip(&types) {
            let value = self.content_of_param(param, ty, value);
            self.start_local(param, value);
        }
        for (n, ty) in types.iter().enumerate() {
            let Ty::Array(_, sizes) = ty else { continue };
            let sizes = sizes.iter().map(|size| self.param_size(size)).collect();
            self.b.kernel_mut().params[n].sizes = sizes;
        }
    }

    /// The cells of an array.
    fn ir_item(&mut self, element: &Ty) -> Option<IrItem> {
        match element {
            Ty::Scalar(scalar) => Some(IrItem::Elem(*scalar)),
            Ty::Struct(name) => Some(IrItem::Struct(self.struct_decl(name)?)),
            _ => None,
        }
    }

    fn struct_decl(&mut self, name: &Name) -> Option<ir::Struct> {
        if let Some(&decl) = self.structs.get(name) {
            return Some(decl);
        }
        let layout = self.layouts.of(&|name| self.env.fields_of(name), name)?;
        if layout.columns.is_empty() {
            return None;
        }
        let decl = ir::StructDecl::new(name.clone(), layout.columns.clone());
        let decl = self.b.kernel_mut().structs.push(decl);
        self.structs.insert(name.clone(), decl);
        Some(decl)
    }

    fn marks(&mut self) {
        let body = self.frame().body.clone();
        for attr in &body.attrs {
            // Attributes that are about loops are asked for by the loops.
            match attr.id.get().sets {
                Sets::Kernel(set) => {
                    let arrays: Vec<_> = attr.args.iter().filter_map(|&arg| self.param_of(arg)).collect();
                    set(&mut self.b.kernel_mut().marks, &arrays);
                }
                Sets::FixedOrder(set) => set(&mut self.b.kernel_mut().marks),
                Sets::Loop(_) => {}
            }
        }
    }

    /// The parameter that an attribute's argument names.
    fn param_of(&self, arg: ExprId) -> Option<Value> {
        let hir::Expr::Local(local) = self.frame().body.exprs[arg] else { return None };
        match self.vars.get(&self.local_var(local)) {
            Some(Lowered::View(value)) => Some(*value),
            Some(Lowered::Fields(_, columns)) => columns.first().copied(),
            _ => None,
        }
    }

    // Types.

    /// A type of the current function, with its generic types bound.
    fn bound(&self, ty: &Ty) -> Ty {
        let generics = &self.frame().generics;
        ty.replace(
            &mut |ty| match ty {
                Ty::Generic(n) => Some(generics.get(*n as usize).cloned().unwrap_or(Ty::Error)),
                _ => None,
            },
            &mut |size| size.clone(),
        )
    }

    fn type_of(&self, expr: ExprId) -> Ty {
        let ty = self.frame().inference.exprs.get(expr).cloned().unwrap_or(Ty::Error);
        self.bound(&ty)
    }

    fn local_type(&self, local: LocalId) -> Ty {
        let ty = self.frame().inference.locals.get(local).cloned().unwrap_or(Ty::Error);
        self.bound(&ty)
    }

    // Places, and what goes wrong.

    /// From here on, ops come from this place of the current function.
    fn set_place(&mut self, range: TextRange) {
        let origin = self.origin_of(range);
        self.b.set_origin(origin);
    }

    /// The origin of what stands at a place of the current function.
    fn origin_of(&mut self, range: TextRange) -> Origin {
        let key = self.frame().key.clone();
        let call = self.frame().call;
        let place = self.places.len() as u32;
        self.places.push((key, range));
        self.b.origin(place, call)
    }

    /// Writes down the value of what stands at a place of the current function.
    fn write(&mut self, range: TextRange, role: Role, lowered: &Lowered) {
        let mut values = Vec::new();
        structs::flatten(lowered, &mut values);
        if values.is_empty() {
            return;
        }
        let place = self.places.len() as u32;
        self.places.push((self.frame().key.clone(), range));
        let block = self.b.block();
        self.values.extend(values.into_iter().map(|value| Written { place, role, value, block }));
    }

    /// The result of the current function, at its end.
    fn take_result(&mut self) -> Option<Lowered> {
        let result = self.vars.remove(&Var::Result(self.frame().number))?;
        if let Some(ty) = self.frame().body.clone().result.as_ref() {
            self.write(ty.at, Role::Result, &result);
        }
        Some(result)
    }

    /// Gives a parameter or a loop's index its value.
    fn start_local(&mut self, local: LocalId, value: Lowered) {
        let at = self.frame().map.locals[local];
        self.write(at, Role::Definition, &value);
        let var = self.local_var(local);
        self.vars.insert(var, value);
    }

    fn at(&self, expr: ExprId) -> TextRange {
        self.frame().map.exprs[expr]
    }

    /// Says that something breaks a rule.
    fn breaks(&mut self, at: TextRange, rule: BrokenRule) {
        self.refuse(at, &|at| errors::broken_rule(at, rule));
    }

    /// A finding about the current function is one at its call, if it is called.
    fn refuse(&mut self, at: TextRange, finding: &dyn Fn(TextRange) -> Finding) {
        let finding = match self.frame().site {
            None => finding(at),
            Some(site) if self.frame().key.in_prelude() => finding(site),
            Some(site) => {
                let place = Place::NameOf(self.frame().key.clone());
                finding(site).with_related(place, "in this function, which is inlined here")
            }
        };
        if !self.findings.contains(&finding) {
            self.findings.push(finding);
        }
    }

    /// Says that something that is done, and not computed, breaks a rule. An unknown op stands for it, so that nothing
    /// is said about the loops around it that only holds without it.
    fn breaks_undone(&mut self, at: TextRange, rule: BrokenRule) {
        self.breaks(at, rule);
        self.set_place(at);
        self.unknown(Type::scalar(Elem::F32));
    }

    /// A value of which nothing is known. An array is none that could be unknown, so it is a scalar instead.
    fn unknown(&mut self, ty: Type) -> Value {
        let ty = if ty.is_view() { Type::scalar(Elem::F32) } else { ty };
        self.b.op_with(Code::Unknown, Attr::Type(ty), &[])
    }

    /// Returns a value of a type of which nothing is known.
    fn unknown_of(&mut self, ty: &Ty) -> Lowered {
        match ty {
            Ty::Nothing => Lowered::Nothing,
            Ty::Struct(name) => self.unknown_struct(name),
            Ty::Tuple(parts) => Lowered::Tuple(parts.iter().map(|part| self.unknown_of(part)).collect()),
            ty => Lowered::Scalar(self.unknown(Type::scalar(ty.scalar().unwrap_or(Elem::F32)))),
        }
    }

    /// An op with one result; of operands that do not fit (because something before was not understood) nothing is known.
    fn op(&mut self, code: Code, attr: Attr, operands: &[Value], ty: Type) -> Value {
        match self.b.try_fitting(code, attr, operands) {
            Ok(op) => self.b.kernel().ops[op].results[0],
            Err(_) => self.unknown(ty),
        }
    }

    fn constant(&mut self, constant: Constant) -> Value {
        self.b.constant(constant)
    }
}

/// The name in Lane IR of something whose name is still to be typed: there a name is an identifier.
fn ir_name(name: &str) -> &str {
    if name.is_empty() { "_" } else { name }
}
