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
        let slot = match raw.body.arg_names.get(&arg) {
            None => n,
            Some(name) => generics.iter().position(|it| it.name == *name).ok_or_else(|| {
                let known: Vec<_> = generics.iter().map(|it| &*it.name).collect();
                Box::new(errors::unknown_generic(raw.map.exprs[arg], name, &of, &known, env.key_of(&of)))
            })?,
        };
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

impl Expand<'_> {
    /// A function has constant parameters, so that a call has to mean an instance.
    pub(super) fn is_template(&self, name: &Name) -> bool {
        let (base, args) = split_name(name).map_or((&**name, Vec::new()), |(base, args)| (base, args));
        let generics = self.env.generics_of(&Name::from(base));
        args.len() < generics.len() && generics.iter().any(|it| it.constant.is_some())
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
        let mut args = Vec::new();
        for (subscript, generic) in subscripts.iter().zip(&generics) {
            let found = match subscript {
                Subscript::At(arg) => self.argument(*arg, generic.constant),
                Subscript::Slice { .. } => Err(Box::new(errors::generic_kind(at, generic.constant.is_some()))),
            };
            match found {
                Ok(arg) => args.push(arg),
                Err(finding) => {
                    self.find(errors::of_generic(*finding, &generic.name, name));
                    return Expr::Missing;
                }
            }
        }
        // Types that are left out are those of the call.
        let rest = &generics[args.len()..];
        if rest.iter().all(|it| it.constant.is_none()) {
            args.extend(rest.iter().map(|it| it.default.clone().unwrap_or_else(|| OPEN.into())));
        }
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
        for generic in &generics[args.len().min(generics.len())..] {
            let arg = match generic.constant {
                None => generic.default.clone().unwrap_or_else(|| OPEN.into()),
                Some(elem) => {
                    let by_size = generic.sizes.iter().find_map(|&at| self.size_given(base, given, at, types));
                    let by_size = by_size.filter(|size| super::constants::parsed(size, elem).is_some());
                    by_size.or_else(|| generic.default.clone()).ok_or_else(|| generic.name.clone())?
                }
            };
            args.push(arg);
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
