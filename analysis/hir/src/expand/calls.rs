//! The instances of functions that calls mean: by arguments in brackets, by the sizes of what a call gives, or by default.

use ir::Elem;
use report::{ItemKind, TextRange};

use super::{Expand, GenericParam, OPEN};
use crate::errors;
use crate::finding::Finding;
use crate::infer::{Env, Inference, infer};
use crate::ty::Ty;
use crate::{Expr, ExprId, Lowered, Name, Subscript};

/// The number of rounds in which calls are decided, each by what those before made known.
const MAX_ROUNDS: usize = 8;

/// The argument for a parameter that a call leaves out in front of others.
const UNDECIDED: &str = "?";

/// The name of an instance: `poly[4]`.
pub fn with_arguments(name: &str, args: &[Name]) -> Name {
    format!("{name}[{}]", args.join(", ")).into()
}

/// The item and the arguments of the name of an instance; `None` for a plain name.
pub fn split_name(name: &str) -> Option<(&str, Vec<Name>)> {
    let (base, args) = name.strip_suffix(']')?.split_once('[')?;
    Some((base, args.split(',').map(|arg| Name::from(arg.trim())).filter(|arg| !arg.is_empty()).collect()))
}

/// The arguments of a kernel that is an instance of another one with these parameters.
pub fn instance_args(env: &dyn Env, raw: &Lowered, generics: &[GenericParam]) -> Result<Vec<Name>, Box<Finding>> {
    let Some(instance) = &raw.body.instance else {
        return Err(Box::new(errors::instance_of_none(raw.map.header, "", None)));
    };
    let (at, of) = (
        raw.map.exprs[instance.of],
        match &raw.body.exprs[instance.of] {
            Expr::Item(_, name) => name.clone(),
            _ => Name::from(""),
        },
    );
    if generics.is_empty() {
        return Err(Box::new(errors::instance_of_none(at, &of, env.key_of(&of))));
    }
    if instance.args.len() > generics.len() {
        let params = shown_params(generics);
        return Err(Box::new(errors::generic_count(at, &of, &params, instance.args.len(), env.key_of(&of))));
    }
    let mut given: Vec<Option<Name>> = generics.iter().map(|_| None).collect();
    let mut expand = Expand::new(env, ItemKind::Const, raw);
    for (n, &arg) in instance.args.iter().enumerate() {
        let slot = slot(env, raw, arg, n, &of, generics)?;
        let value = expand.argument(arg, generics[slot].constant);
        given[slot] = Some(value.map_err(|found| Box::new(errors::of_generic(*found, &generics[slot].name, &of)))?);
    }
    let all = given.into_iter().zip(generics).map(|(given, generic)| {
        given
            .or_else(|| generic.default.clone())
            .ok_or_else(|| Box::new(errors::generic_missing(at, &generic.name, &of, env.key_of(&of))))
    });
    all.collect()
}

/// The number of the parameter that an argument in brackets is for: the argument's own, or that of its name.
fn slot(
    env: &dyn Env,
    raw: &Lowered,
    arg: ExprId,
    number: usize,
    of: &Name,
    generics: &[GenericParam],
) -> Result<usize, Box<Finding>> {
    let Some(name) = raw.body.arg_names.get(&arg) else { return Ok(number) };
    generics.iter().position(|it| it.name == *name).ok_or_else(|| {
        let known: Vec<_> = generics.iter().map(|it| &*it.name).collect();
        Box::new(errors::unknown_generic(raw.map.exprs[arg], name, of, &known, env.key_of(of)))
    })
}

impl Expand<'_> {
    /// A function has constant parameters, so that a call has to mean an instance.
    pub(super) fn is_template(&self, name: &Name) -> bool {
        let (base, args) = split_name(name).map_or((&**name, Vec::new()), |(base, args)| (base, args));
        let generics = self.env.generics_of(&Name::from(base));
        let is_decided = args.len() >= generics.len() && args.iter().all(|arg| **arg != *UNDECIDED);
        !is_decided && generics.iter().any(|it| it.constant.is_some())
    }

    /// A function with arguments in brackets.
    pub(super) fn instance(&mut self, base: ExprId, name: &Name, subscripts: &[Subscript], at: TextRange) -> Expr {
        let generics = self.env.generics_of(name);
        if generics.is_empty() {
            self.find(errors::no_generics(at, name, self.env.key_of(name)));
            return Expr::Missing;
        }
        if subscripts.len() > generics.len() {
            self.find(errors::generic_count(
                at,
                name,
                &shown_params(&generics),
                subscripts.len(),
                self.env.key_of(name),
            ));
            return Expr::Missing;
        }
        let mut given: Vec<Option<Name>> = generics.iter().map(|_| None).collect();
        for (n, subscript) in subscripts.iter().enumerate() {
            let (slot, found) = match subscript {
                Subscript::At(arg) => match slot(self.env, self.raw, *arg, n, name, &generics) {
                    Ok(slot) if given.get(slot).is_some_and(Option::is_some) => {
                        let finding = errors::generic_twice(self.raw.map.exprs[*arg], &generics[slot].name, name);
                        self.find(finding);
                        return Expr::Missing;
                    }
                    Ok(slot) => (slot, self.argument(*arg, generics[slot].constant)),
                    Err(finding) => {
                        self.find(*finding);
                        return Expr::Missing;
                    }
                },
                Subscript::Slice { .. } => (n, Err(Box::new(errors::generic_kind(at, generics[n].constant.is_some())))),
            };
            match found {
                Ok(arg) => given[slot] = Some(arg),
                Err(finding) => {
                    self.find(errors::of_generic(*finding, &generics[slot].name, name));
                    return Expr::Missing;
                }
            }
        }
        // Types that are left out are those of the call, and constants in front of others are decided with those behind them.
        let last = given.iter().zip(&generics).rposition(|(arg, it)| arg.is_none() && it.constant.is_some());
        let behind = |n: usize| last.is_none_or(|last| last < n) || given[n + 1..].iter().any(Option::is_some);
        let args: Vec<Name> = (0..generics.len())
            .take_while(|&n| given[n].is_some() || behind(n))
            .map(|n| match (&given[n], generics[n].constant) {
                (Some(arg), _) => arg.clone(),
                (None, None) => generics[n].default.clone().unwrap_or_else(|| OPEN.into()),
                (None, Some(_)) => UNDECIDED.into(),
            })
            .collect();
        let _ = base;
        Expr::Item(ItemKind::Fn, with_arguments(name, &args))
    }

    /// Decides which instances the calls of templates mean.
    pub(super) fn calls(&mut self) {
        for _ in 0..MAX_ROUNDS {
            if self.templates.is_empty() {
                return;
            }
            let types = infer(self.env, self.kind, &self.body, &self.map);
            let (mut left, mut decided) = (Vec::new(), false);
            for (callee, call) in std::mem::take(&mut self.templates) {
                match self.decided(callee, call, &types) {
                    Ok(name) => {
                        self.body.exprs[callee] = Expr::Item(ItemKind::Fn, name);
                        decided = true;
                    }
                    Err(_) => left.push((callee, call)),
                }
            }
            self.templates = left;
            if !decided {
                break;
            }
        }
        for (callee, _) in std::mem::take(&mut self.templates) {
            let Expr::Item(_, name) = self.body.exprs[callee].clone() else { continue };
            let at = self.map.exprs[callee];
            let base = split_name(&name).map_or(name.clone(), |(base, _)| base.into());
            let generics = self.env.generics_of(&base);
            let unknown = generics.iter().find(|it| it.constant.is_some() && it.default.is_none());
            let unknown = unknown.or(generics.first());
            if let Some(unknown) = unknown {
                let has_size = !unknown.sizes.is_empty();
                let found = errors::generic_unknown(at, &unknown.name, &base, has_size, self.env.key_of(&base));
                self.find(found);
            }
            self.body.exprs[callee] = Expr::Missing;
        }
    }

    /// The instance that a call means, as far as types are known; else the parameter that is not.
    fn decided(&self, callee: ExprId, call: ExprId, types: &Inference) -> Result<Name, Name> {
        let (Expr::Item(_, name), Expr::Call(_, given)) = (&self.body.exprs[callee], &self.body.exprs[call]) else {
            return Err("".into());
        };
        let (base, mut args) = split_name(name).unwrap_or((name, Vec::new()));
        let generics = self.env.generics_of(&Name::from(base));
        args.resize(generics.len(), UNDECIDED.into());
        for (arg, generic) in args.iter_mut().zip(&generics).filter(|(arg, _)| ***arg == *UNDECIDED) {
            *arg = match generic.constant {
                None => generic.default.clone().unwrap_or_else(|| OPEN.into()),
                Some(elem) => {
                    let by_size = generic.sizes.iter().find_map(|&at| self.size_given(base, given, at, types));
                    let by_size = by_size.filter(|size| super::constants::parsed(size, elem).is_some());
                    by_size.or_else(|| generic.default.clone()).ok_or_else(|| generic.name.clone())?
                }
            };
        }
        Ok(with_arguments(base, &args))
    }

    /// The size that an argument of a call has in a dimension.
    fn size_given(
        &self,
        base: &str,
        given: &[ExprId],
        (param, dim): (usize, usize),
        types: &Inference,
    ) -> Option<Name> {
        let is_named = |arg: &&ExprId| self.body.arg_names.contains_key(*arg);
        let by_name = given
            .iter()
            .filter(is_named)
            .find(|arg| self.env.param_name(&Name::from(base), param).as_ref() == self.body.arg_names.get(*arg));
        let by_place = given.get(param).filter(|arg| !is_named(arg));
        match types.exprs.get(*by_place.or(by_name)?)? {
            Ty::Array(_, sizes) => Some(sizes.get(dim)?.as_constant()?.to_string().into()),
            _ => None,
        }
    }
}

/// The parameters as they are written: `N: const i32, T`.
pub fn shown_params(generics: &[GenericParam]) -> String {
    let shown = generics.iter().map(|it| match it.constant {
        Some(elem) => format!("{}: const {}", it.name, Elem::name(elem)),
        None => it.name.to_string(),
    });
    shown.collect::<Vec<_>>().join(", ")
}
