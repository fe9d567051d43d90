//! Enums: variants with their numbers and data.

use syntax::ast::{self, AstNode};
use syntax::text::Quoted;

use super::exprs::parse_int;
use super::{Lower, has_error};
use hir::builtins::Above;
use hir::enums::Variant;
use hir::errors;
use hir::{Field, Name};

impl Lower<'_> {
    pub(super) fn enum_(&mut self, it: &ast::Enum) {
        self.scopes.open(None);
        self.body.attrs = self.attrs(it.attrs(), Above::Item);
        self.header_in_doubt(it.body().is_none_or(|block| has_error(block.syntax())));
        self.body.value_type = it.width().map(|ty| self.type_ref(&ty));
        let mut next = 0;
        for variant in it.body().into_iter().flat_map(|block| block.variants()) {
            if let Some(variant) = self.variant(&variant, next) {
                next = variant.number + 1;
                self.body.variants.push(variant);
            }
        }
        for statement in it.body().into_iter().flat_map(|block| block.stmts()) {
            if !matches!(statement, ast::Stmt::PassStmt(_) | ast::Stmt::StrayStmt(_)) {
                self.find(errors::statement_in_struct(statement.syntax().text_range()));
            }
        }
        if self.body.variants.is_empty() {
            if !self.body.in_doubt
                && let Some(at) = self.map.name
            {
                self.find(errors::enum_without_variants(at, &self.item.name.clone()));
            }
            self.header_in_doubt(true);
        }
        self.scopes.close();
    }

    /// A variant; `next` is its number if none is written.
    fn variant(&mut self, it: &ast::VariantDef, next: i128) -> Option<Variant> {
        let name = it.name()?;
        let text: Name = name.text()?.into();
        let at = name.syntax().text_range();
        if let Some(first) = self.body.variants.iter().find(|other| other.name == text).map(|other| other.at) {
            self.find(errors::duplicate_local(at, &text, "variant", first));
            return None;
        }
        let written = it.number().map(|number| (written_number(&number), number.syntax().text_range()));
        let number = match written {
            Some((None, at)) => {
                self.find(errors::variant_number(at));
                self.header_in_doubt(true);
                next
            }
            Some((Some(number), _)) => number,
            None => next,
        };
        let same = self.body.variants.iter().find(|other| other.number == number);
        if let Some((first, first_at)) = same.map(|first| (first.name.clone(), first.at)) {
            self.find(errors::same_number(at, &text, &first, number, first_at));
        }
        let mut data: Vec<Field> = Vec::new();
        let several = it.data().is_some_and(|data| data.params().count() > 1);
        for param in it.data().into_iter().flat_map(|data| data.params()) {
            let Some(name) = param.name() else { continue };
            let field: Name = name.text().unwrap_or_default().into();
            let at = name.syntax().text_range();
            let ty = param.ty().map(|ty| self.type_ref(&ty));
            // Types without names may be the same.
            let same = data.iter().find(|other| other.name == field && (ty.is_some() || other.ty.is_some()));
            if let Some(first) = same.map(|other| other.at) {
                self.find(errors::duplicate_local(at, &field, "field", first));
            }
            if ty.is_none() {
                if !self.body.in_doubt {
                    self.find(errors::untyped_data(at, &text, &field, several.then_some(data.len())));
                }
                self.header_in_doubt(true);
            }
            data.push(Field { name: field, ty, default: None, at });
        }
        Some(Variant { name: text, number, data, at })
    }
}

/// The value of an integer as it is written, with its sign.
fn written_number(expr: &ast::Expr) -> Option<i128> {
    match expr {
        ast::Expr::Literal(it) => {
            let token = it.token()?;
            match syntax::text::quoted(token.text()) {
                Some(Quoted::Character(number)) => Some(number.into()),
                _ => Some(parse_int(token.text())? as i128),
            }
        }
        ast::Expr::PrefixExpr(it) if it.op()?.text() == "-" => Some(-written_number(&it.operand()?)?),
        ast::Expr::ParenExpr(it) => written_number(&it.expr()?),
        _ => None,
    }
}
