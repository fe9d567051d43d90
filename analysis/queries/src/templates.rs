//! Templates and their instances: what is decided at compile time, by (item, arguments).
//!
//! An instance is an [`Item`] of its own, with the text of its template, so each query about items is one about instances. It stands
//! nowhere: its places are those of the template, whose key it has. Its name is the one by which calls mean it, `poly[4]`, or the one
//! that the file gives to it: `kernel blur3 = blur[3]`.
//!
//! The template itself is shown as one of its instances, its *view*: the default values of its parameters, else the first instance that
//! the file names, or the first that it calls. A template without a view is *open*: its names are known, and its types are not.

use report::{ItemKind, Severity};

use super::db::{Chosen, File, Item, file_items};
use super::names::{key, named};
use super::surface::{InDatabase, lowered, mentions, resolved};
use super::types::{cycle_of, infer};
use hir::errors::{self, CheckCode};
use hir::expand::{self, GenericParam, OPEN, split_name, with_arguments};
use hir::finding::Finding;
use hir::{Expr, ExprId, Lowered, Name};

/// The constant and type parameters of an item.
#[salsa::tracked]
pub fn generics<'db>(db: &'db dyn salsa::Database, item: Item<'db>) -> Vec<GenericParam> {
    // An instance has arguments for all of them.
    if item.template(db).is_some() || resolved(db, item).body.generics.is_empty() {
        return Vec::new();
    }
    expand::generics(&InDatabase { db, item }, resolved(db, item))
}

/// The instance of a template for arguments, all of which are given; `name` is its own.
#[salsa::tracked(returns(copy))]
fn instance<'db>(db: &'db dyn salsa::Database, template: Item<'db>, name: Name, args: Vec<Name>) -> Item<'db> {
    let text = template.text(db).clone();
    Item::new(db, template.file(db), template.kind(db), name, template.nth(db), Some(template), args, text)
}

/// The instance of a template, as a name means it; `None` if that gives other arguments than the template takes.
pub(super) fn instance_of<'db>(
    db: &'db dyn salsa::Database,
    template: Item<'db>,
    name: Name,
    args: Vec<Name>,
) -> Option<Item<'db>> {
    let generics = generics(db, template);
    let mut all = args;
    let defaults = generics.get(all.len()..)?.iter();
    for generic in defaults {
        let open = (template.kind(db) == ItemKind::Fn && generic.constant.is_none()).then(|| Name::from(OPEN));
        all.push(generic.default.clone().or(open)?);
    }
    let takes = |(generic, arg): (&GenericParam, &Name)| expand::is_argument(arg, generic.constant);
    let fits = !generics.is_empty() && generics.iter().zip(&all).all(takes);
    fits.then(|| instance(db, template, name, all))
}

/// The kernel that an item of the file is, which is an instance where the file names one.
pub fn kernel_of<'db>(db: &'db dyn salsa::Database, item: Item<'db>) -> Item<'db> {
    match named_instance(db, item) {
        Some((template, Ok(args))) => instance(db, template, item.name(db).clone(), args),
        _ => item,
    }
}

/// The kernels of a file that can be built: those without constant and type parameters, those with default values for all of
/// these, and the instances that the file names.
pub fn kernels<'db>(db: &'db dyn salsa::Database, file: File) -> Vec<Item<'db>> {
    let items = file_items(db, file).iter().copied();
    let kernels = items.filter(|item| item.kind(db) == ItemKind::Kernel && is_whole(db, *item));
    kernels.map(|item| kernel_of(db, item)).collect()
}

/// The kernel of a name: one that can be built, or an instance of a template with arguments in brackets, some of them by name:
/// `blur[R=3]`. Where there is none, a sentence says why, if there is more to say.
pub fn kernel_named<'db>(db: &'db dyn salsa::Database, file: File, name: &str) -> Result<Item<'db>, Option<String>> {
    if let Some(item) = named(db, file, name.into()).filter(|item| item.kind(db) == ItemKind::Kernel) {
        if is_whole(db, item) {
            return Ok(kernel_of(db, item));
        }
        let missing = generics(db, item).iter().find(|it| it.default.is_none()).map_or("?", |it| &*it.name);
        return Err(Some(format!(
            "the kernel `{name}` has no value for `{missing}`: name an instance, as in `{name}[{missing}=1]`, or one that the file names"
        )));
    }
    let Some((base, args)) = split_name(name) else { return Err(None) };
    let template = named(db, file, base.into()).filter(|item| item.kind(db) == ItemKind::Kernel).ok_or(None)?;
    let generics = generics(db, template);
    let shown = expand::shown_params(generics);
    let unfit = || Some(format!("`{name}` gives other arguments than `{base}[{shown}]` takes"));
    let mut given: Vec<Option<Name>> = generics.iter().map(|_| None).collect();
    for (n, arg) in args.iter().enumerate() {
        let (slot, value) = match arg.split_once('=') {
            Some((param, value)) => (generics.iter().position(|it| *it.name == *param.trim()), value.trim()),
            None => (Some(n), &**arg),
        };
        *slot.and_then(|slot| given.get_mut(slot)).ok_or_else(unfit)? = Some(value.into());
    }
    let all = given.into_iter().zip(generics).map(|(given, it)| given.or_else(|| it.default.clone()));
    let all = all.collect::<Option<Vec<_>>>().ok_or_else(unfit)?;
    instance_of(db, template, with_arguments(base, &all), all).ok_or_else(unfit)
}

/// A kernel is not a template whose parameters need arguments.
pub fn is_whole<'db>(db: &'db dyn salsa::Database, item: Item<'db>) -> bool {
    item.template(db).is_some() || generics(db, item).iter().all(|it| it.default.is_some())
}

/// The item is `kernel blur3 = blur[3]`.
pub fn is_named_instance<'db>(db: &'db dyn salsa::Database, item: Item<'db>) -> bool {
    item.template(db).is_none() && resolved(db, item).body.instance.is_some()
}

/// The arguments of an instance, or the finding about those that do not fit.
type Arguments = Result<Vec<Name>, Box<Finding>>;

/// The template of `kernel blur3 = blur[3]`, and its arguments.
fn named_instance<'db>(db: &'db dyn salsa::Database, item: Item<'db>) -> Option<(Item<'db>, Arguments)> {
    if !is_named_instance(db, item) {
        return None;
    }
    let raw = resolved(db, item);
    let of = raw.body.instance.as_ref()?.of;
    let Expr::Item(_, name) = &raw.body.exprs[of] else { return None };
    let template = named(db, item.file(db), name.clone())?;
    let is_kernel = template.kind(db) == ItemKind::Kernel && template != item;
    let known: &[GenericParam] = if is_kernel { generics(db, template) } else { &[] };
    Some((template, expand::instance_args(&InDatabase { db, item }, raw, known)))
}

/// An item that is a template has constant parameters, which a call by its plain name does not give.
pub(super) fn is_open_call<'db>(db: &'db dyn salsa::Database, item: Item<'db>) -> bool {
    item.kind(db) == ItemKind::Fn && generics(db, item).iter().any(|it| it.constant.is_some())
}

/// A template of which nothing is shown but its names.
pub fn is_open<'db>(db: &'db dyn salsa::Database, item: Item<'db>) -> bool {
    let needs = match item.kind(db) {
        ItemKind::Kernel => !generics(db, item).is_empty(),
        _ => is_open_call(db, item),
    };
    needs && view(db, item).is_none()
}

/// The arguments of the instance that a template is shown as.
#[salsa::tracked]
pub fn view<'db>(db: &'db dyn salsa::Database, template: Item<'db>) -> Option<Vec<Name>> {
    let generics = generics(db, template);
    if let Some(args) = chosen(db, template) {
        return Some(args);
    }
    let open = |it: &GenericParam| (template.kind(db) == ItemKind::Fn && it.constant.is_none()).then(|| OPEN.into());
    let defaults: Option<Vec<Name>> = generics.iter().map(|it| it.default.clone().or_else(|| open(it))).collect();
    if defaults.is_some() || cycle_of(db, template).is_some() {
        return defaults;
    }
    let name = template.name(db);
    let others = mentions(db, template.file(db)).filter(|(other, words)| *other != template && words.contains(name));
    others.map(|(other, _)| other).find_map(|other| match template.kind(db) {
        ItemKind::Kernel => match named_instance(db, other)? {
            (of, Ok(args)) if of == template => Some(args),
            _ => None,
        },
        _ if cycle_of(db, other).is_some() => None,
        _ => calls_of(db, other).find_map(|(_, of)| (of.template(db) == Some(template)).then(|| of.args(db).clone())),
    })
}

/// The arguments of the instance that someone has chosen to look at.
fn chosen<'db>(db: &'db dyn salsa::Database, template: Item<'db>) -> Option<Vec<Name>> {
    if template.kind(db) != ItemKind::Kernel || generics(db, template).is_empty() {
        return None;
    }
    let chosen = Chosen::get(db).instances(db);
    let (_, instance) = chosen.iter().find(|(of, _)| **of == **template.name(db))?;
    let instance = kernel_of(db, named(db, template.file(db), instance.clone())?);
    (instance.template(db) == Some(template)).then(|| instance.args(db).clone())
}

/// An item as one of its instances: `blur[3]`; `None` for one without constant and type parameters, and for an open template.
pub fn shown_as<'db>(db: &'db dyn salsa::Database, item: Item<'db>) -> Option<Name> {
    match item.template(db) {
        Some(template) => Some(with_arguments(template.name(db), item.args(db))),
        None if generics(db, item).is_empty() => None,
        None => view(db, item).as_ref().map(|args| with_arguments(item.name(db), args)),
    }
}

/// The argument that stands for a constant or type parameter in what is shown of an item, by the parameter's number.
pub fn argument<'db>(db: &'db dyn salsa::Database, item: Item<'db>, number: usize) -> Option<Name> {
    match item.template(db) {
        Some(_) => item.args(db).get(number).cloned(),
        None => view(db, item).as_ref()?.get(number).cloned(),
    }
}

/// The instances of a template that its file names.
pub fn instances_of<'db>(db: &'db dyn salsa::Database, template: Item<'db>) -> Vec<Item<'db>> {
    let items = file_items(db, template.file(db)).iter().filter(|item| is_named_instance(db, **item));
    items.map(|&item| kernel_of(db, item)).filter(|item| item.template(db) == Some(template)).collect()
}

/// The template of `kernel blur3 = blur[3]`, if it is shown as another instance.
pub fn not_shown<'db>(db: &'db dyn salsa::Database, item: Item<'db>) -> Option<Item<'db>> {
    let (template, args) = named_instance(db, item)?;
    (view(db, template).as_ref() != Some(&args.ok()?)).then_some(template)
}

/// The instances that an item names, each with the place of an expression.
fn calls_of<'db>(db: &'db dyn salsa::Database, item: Item<'db>) -> impl Iterator<Item = (ExprId, Item<'db>)> {
    let body = &lowered(db, item).body;
    body.exprs.iter().filter_map(move |(expr, data)| match data {
        Expr::Item(ItemKind::Fn, name) if split_name(name).is_some() => {
            Some((expr, named(db, item.file(db), name.clone())?))
        }
        _ => None,
    })
}

/// The HIR of an item with everything decided that is decided at compile time.
pub(super) fn expanded<'db>(db: &'db dyn salsa::Database, item: Item<'db>, raw: &Lowered) -> Lowered {
    let env = InDatabase { db, item };
    if raw.body.instance.is_some() {
        let mut lowered = raw.clone();
        match named_instance(db, item) {
            Some((_, Err(finding))) => lowered.findings.push(*finding),
            Some((_, Ok(_))) => {}
            // A name that is none has its finding, unless it is one of something else.
            None => lowered.findings.extend(
                expand::instance_args(&env, raw, &[])
                    .err()
                    .filter(|found| lowered.findings.is_empty() && !found.message.contains("``"))
                    .map(|found| *found),
            ),
        }
        return lowered;
    }
    let is_template = |name: &Name| {
        let of = named(db, item.file(db), name.clone());
        of.is_some_and(|of| is_open_call(db, of))
    };
    let body = &raw.body;
    let is_plain = body.generics.is_empty()
        && body.statics.is_empty()
        && !body.exprs.iter().any(|(_, expr)| match expr {
            Expr::Index(base, _) => matches!(body.exprs[*base], Expr::Item(ItemKind::Fn, _)),
            Expr::Item(ItemKind::Fn, name) => is_template(name),
            _ => false,
        });
    if is_plain {
        return raw.clone();
    }
    let args = match item.template(db) {
        Some(_) => Some(item.args(db).clone()),
        None if body.generics.is_empty() => Some(Vec::new()),
        None => view(db, item).clone(),
    };
    let mut lowered = expand::expand(&env, item.kind(db), raw, args.as_deref());
    if item.template(db).is_none() {
        lowered.findings.extend(expand::default_findings(&env, raw));
    }
    lowered
}

/// The finding about a kernel of which there is no instance.
pub(super) fn without_instance<'db>(db: &'db dyn salsa::Database, item: Item<'db>) -> Option<Finding> {
    if item.kind(db) != ItemKind::Kernel {
        return None;
    }
    let generics = generics(db, item);
    let missing: Vec<_> = generics.iter().filter(|it| it.default.is_none()).map(|it| &*it.name).collect();
    // A default value that is none has a finding of its own.
    let written = resolved(db, item).body.generics.iter().filter(|it| it.default.is_none()).count();
    if written < missing.len() {
        return None;
    }
    let example = |it: &GenericParam| match it.constant {
        Some(ir::Elem::Bool) => "true",
        Some(elem) if elem.is_float() => "1.0",
        Some(_) => "1",
        None => "f32",
    };
    let example: Vec<_> = generics.iter().map(example).collect();
    let at = lowered(db, item).map.name?;
    Some(errors::no_instance(at, item.name(db), &missing, &example.join(", ")))
}

/// The errors of the instances that an item asks for which the view of their template has not: where they are asked for.
pub(super) fn of_instances<'db>(db: &'db dyn salsa::Database, item: Item<'db>) -> Vec<Finding> {
    let mut found = Vec::new();
    if let Some((template, Ok(args))) = named_instance(db, item) {
        let at = lowered(db, item).map.name.unwrap_or_default();
        errors_of(db, at, template, kernel_of(db, item), &args, &mut found);
        return found;
    }
    if item.kind(db) == ItemKind::Struct || cycle_of(db, item).is_some() {
        return found;
    }
    for (call, of) in calls_of(db, item) {
        let Some(template) = of.template(db).filter(|_| cycle_of(db, of).is_none()) else { continue };
        errors_of(db, lowered(db, item).map.exprs[call], template, of, of.args(db), &mut found);
    }
    found
}

/// The arguments of what is shown of an item are among those that it is meant for. Of others nothing more is said.
pub(super) fn is_meant<'db>(db: &'db dyn salsa::Database, item: Item<'db>) -> bool {
    let fails = |finding: &Finding| finding.code == report::ReportCode::from(CheckCode::StaticAssertFails);
    !lowered(db, item).findings.iter().any(fails)
}

fn errors_of<'db>(
    db: &'db dyn salsa::Database,
    at: report::TextRange,
    template: Item<'db>,
    of: Item<'db>,
    args: &[Name],
    found: &mut Vec<Finding>,
) {
    if view(db, template).as_deref() == Some(args) {
        return;
    }
    let of_view: Vec<&Finding> = match is_open(db, template) {
        true => lowered(db, template).findings.iter().collect(),
        false => lowered(db, template).findings.iter().chain(&infer(db, template).findings).collect(),
    };
    let shown = with_arguments(template.name(db), args);
    let of_types: &[Finding] = if is_meant(db, of) { &infer(db, of).findings } else { &[] };
    for inner in lowered(db, of).findings.iter().chain(of_types) {
        let is_same = |known: &&&Finding| known.code == inner.code && known.at == inner.at;
        if inner.severity == Severity::Error && !of_view.iter().any(|known| is_same(&known)) {
            let finding = errors::in_instance(at, &shown, &key(db, template), inner);
            if !found.contains(&finding) {
                found.push(finding);
            }
        }
    }
}

/// The name of an instance for C and for Lane IR, where a name is a word: `blur_3` for `blur[3]`.
pub(super) fn symbol(name: &str) -> Name {
    let word = |c: char| if c.is_ascii_alphanumeric() || c == '_' { Some(c) } else { None };
    let mut out = String::new();
    for c in name.trim_end_matches(']').chars() {
        match (word(c), c) {
            (Some(c), _) => out.push(c),
            (None, '-') => out.push('m'),
            (None, ' ') => {}
            (None, _) => out.push('_'),
        }
    }
    out.into()
}
