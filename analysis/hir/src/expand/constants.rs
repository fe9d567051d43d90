//! Values that are known at compile time: arguments, conditions and ranges.
//!
//! They are what inference folds, of an item of its own that has the expression as its value; so a value means here what it means
//! as a `const`.

use ir::{Elem, Scalar, scalar};
use report::{ItemKind, Severity, TextRange};

use super::{Bound, Expand, argument_text};
use crate::errors;
use crate::finding::{Finding, Place};
use crate::infer::infer;
use crate::{Body, BodyMap, Expr, ExprId, Literal, Name, TypeRef};

/// The value of an argument in a name.
pub(super) fn parsed(text: &str, elem: Elem) -> Option<Scalar> {
    let value = match text {
        _ if elem == Elem::Bool => Scalar::Bool(text.parse().ok()?),
        _ if elem.is_float() => Scalar::F64(text.parse().ok()?),
        _ => match text.parse::<i128>().ok()? {
            wide if wide < 0 => Scalar::I64(i64::try_from(wide).ok()?),
            wide => Scalar::U64(u64::try_from(wide).ok()?),
        },
    };
    let in_range = |value: Scalar| match (elem.integer_range(), value.wide()) {
        (Some((min, max)), Some(wide)) => (min..=max).contains(&wide),
        _ => true,
    };
    Some(value).filter(|value| in_range(*value)).and_then(|value| scalar::cast(value, elem).ok())
}

impl Expand<'_> {
    /// The argument that an expression is, for a constant of a type, or for a type.
    pub(super) fn argument(&mut self, expr: ExprId, constant: Option<Elem>) -> Result<Name, Box<Finding>> {
        match constant {
            Some(elem) => self.constant(expr, Some(elem), "an argument in brackets").map(argument_text),
            None => self.type_argument(expr),
        }
    }

    /// The type that an argument is.
    fn type_argument(&mut self, expr: ExprId) -> Result<Name, Box<Finding>> {
        match &self.raw.body.exprs[expr] {
            Expr::Cast(elem, args) if args.is_empty() => Ok(elem.name().into()),
            Expr::Item(ItemKind::Struct, name) => Ok(name.clone()),
            Expr::Local(local) => match self.bound(*local) {
                Some(Bound::Type(name)) => Ok(name.clone()),
                Some(Bound::Open(_)) => Ok(super::OPEN.into()),
                _ => Err(Box::new(errors::generic_kind(self.raw.map.exprs[expr], false))),
            },
            _ => Err(Box::new(errors::generic_kind(self.raw.map.exprs[expr], false))),
        }
    }

    /// The value of an expression, as one of a type if that is asked for; or the finding about what is not known.
    pub(super) fn constant(&mut self, expr: ExprId, elem: Option<Elem>, what: &str) -> Result<Scalar, Box<Finding>> {
        let at = self.raw.map.exprs[expr];
        if let (Expr::Cast(_, args), Some(_)) = (&self.raw.body.exprs[expr], elem)
            && args.is_empty()
        {
            return Err(Box::new(errors::generic_kind(at, true)));
        }
        let (body, map) = self.alone(expr, elem, at);
        let types = infer(self.env, ItemKind::Const, &body, &map);
        if let Some(error) = types.findings.iter().find(|finding| finding.severity == Severity::Error) {
            let mut error = error.clone();
            // The type is written nowhere: it is that of the place.
            error.related.retain(|(place, _)| *place != Place::Here(at));
            return Err(Box::new(error));
        }
        let value = body.value.and_then(|value| types.values.get(&value).copied());
        let value = value.or_else(|| self.env.compute(&body, &map, &types));
        value.ok_or_else(|| Box::new(errors::static_not_constant(at, what)))
    }

    /// A constant that has an expression as its value.
    fn alone(&mut self, expr: ExprId, elem: Option<Elem>, at: TextRange) -> (Body, BodyMap) {
        let scratch = Body { locals: self.body.locals.clone(), ..Body::default() };
        let map = BodyMap { locals: self.map.locals.clone(), header: at, ..BodyMap::default() };
        let (body, map) = (std::mem::replace(&mut self.body, scratch), std::mem::replace(&mut self.map, map));
        let value = self.expr(expr);
        self.templates.retain(|(callee, _)| body.exprs.len() > callee.into_raw().into_u32() as usize);
        let mut alone = (std::mem::replace(&mut self.body, body), std::mem::replace(&mut self.map, map));
        alone.0.value = Some(value);
        alone.0.value_type = elem.map(|elem| TypeRef {
            label: None,
            promise: None,
            name: Some(elem.name().into()),
            parts: Vec::new(),
            sizes: Vec::new(),
            at,
            name_at: at,
        });
        alone
    }

    /// A value as an expression: a literal, cast to its type if that is not for its place to decide.
    pub(super) fn literal(&mut self, value: Scalar, cast: Option<Elem>, at: TextRange) -> Expr {
        let plain = match value {
            Scalar::Bool(value) => return Expr::Literal(Literal::Bool(value)),
            Scalar::F32(value) => self.float(f64::from(value), at),
            Scalar::F64(value) => self.float(value, at),
            value => {
                let wide = value.wide().unwrap_or(0);
                let magnitude = Expr::Literal(Literal::Int(wide.unsigned_abs()));
                self.signed(magnitude, wide < 0, at)
            }
        };
        match cast {
            Some(elem) => {
                let plain = self.alloc(plain, at);
                Expr::Cast(elem, vec![plain])
            }
            None => plain,
        }
    }

    fn float(&mut self, value: f64, at: TextRange) -> Expr {
        self.signed(Expr::Literal(Literal::Float(value.abs())), value.is_sign_negative(), at)
    }

    fn signed(&mut self, magnitude: Expr, negative: bool, at: TextRange) -> Expr {
        if !negative {
            return magnitude;
        }
        let magnitude = self.alloc(magnitude, at);
        Expr::Unary(crate::UnaryOp::Neg, magnitude)
    }
}
