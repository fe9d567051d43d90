//! Cases that are missing, and those that no value reaches.
//!
//! The cases of a `match` are rows of patterns, with one column at first. A value of a form takes the place of its data: to look at the
//! rows that a `Circle(r)` may reach, the first column gives way to one for `r`. A column whose patterns name all forms of its type is
//! looked at form by form; otherwise only the rows that take everything there matter, since some value has a form that none names.

use rustc_hash::FxHashMap;

use super::Infer;
use crate::enums::{Match, Pattern, ShownVariant, field_of_datum, fields_of_form};
use crate::errors;
use crate::ty::Ty;
use crate::{Expr, Literal, Name};

/// The limit on the steps for one `match`, behind which nothing is said: patterns in patterns can multiply.
const MAX_STEPS: u32 = 20_000;

/// A form that values of a column may have.
#[derive(Debug, Clone, PartialEq)]
enum Head {
    /// A variant or struct, with its type and the number of its parts.
    Form(Name, Name, usize),
    Bool(bool),
    /// A number, by its text.
    Number(String),
    Tuple(usize),
}

impl Head {
    fn n_parts(&self) -> usize {
        match self {
            Head::Form(.., n) | Head::Tuple(n) => *n,
            Head::Bool(_) | Head::Number(_) => 0,
        }
    }

    /// The pattern for the form, with patterns for its parts.
    fn show(&self, parts: &[String]) -> String {
        match self {
            Head::Form(_, name, 0) => name.to_string(),
            Head::Form(_, name, _) => format!("{name}({})", parts.join(", ")),
            Head::Bool(value) => value.to_string(),
            Head::Number(text) => text.clone(),
            Head::Tuple(_) => format!("({})", parts.join(", ")),
        }
    }
}

type Row = Vec<Pattern>;

impl Infer<'_, '_> {
    /// Finds what each `match` leaves out.
    pub(super) fn matches(&mut self) {
        let body = self.body;
        for it in body.matches.iter().filter(|it| !it.in_doubt) {
            self.cases(it);
        }
    }

    fn cases(&mut self, it: &Match) {
        if !it.cases.iter().all(|case| self.is_sound(&case.pattern)) {
            return;
        }
        let mut search = Search { infer: self, steps: 0, variants: FxHashMap::default() };
        let (mut rows, mut findings): (Vec<Row>, Vec<_>) = Default::default();
        let mut taker: Option<(Option<Name>, report::TextRange)> = None;
        for case in &it.cases {
            let row = vec![case.pattern.clone()];
            if search.new_in(&rows, &row).is_none() && search.steps < MAX_STEPS {
                findings.push(errors::unreachable_case(case.at, case.whole, taker.as_ref().map(|(_, at)| *at)));
            }
            if !case.is_guarded {
                let name = case.name.clone().filter(|name| search.is_variant_of(it, name));
                if let (Some(name), None) = (name, &taker) {
                    findings.push(errors::name_like_variant(case.at, &name));
                }
                if case.pattern == Pattern::Any {
                    taker.get_or_insert((case.name.clone(), case.at));
                }
                rows.push(row);
            }
        }
        let missing = search.missing(&rows);
        if search.steps < MAX_STEPS
            && !missing.is_empty()
            && let Some(last) = it.cases.last()
        {
            findings.push(errors::missing_cases(it.header, &missing, last.whole));
        }
        self.out.findings.extend(findings);
    }
}

impl Infer<'_, '_> {
    /// A pattern has no error in its forms.
    fn is_sound(&self, pattern: &Pattern) -> bool {
        match pattern {
            Pattern::Any | Pattern::Literal(..) | Pattern::Some => true,
            Pattern::Tuple(parts) | Pattern::Either(parts) => parts.iter().all(|part| self.is_sound(part)),
            Pattern::Form(test, data) => {
                let Expr::Is(of, form) = &self.body.exprs[*test] else { return false };
                let ty = self.out.exprs.get(*of).map(|ty| self.table.resolve(ty));
                let Some(Ty::Struct(name)) = ty else { return false };
                let is_there =
                    if self.is_enum(&name) { self.out.numbers.contains_key(test) } else { name == form.name };
                let fields = self.env.fields_of(&name);
                let n_own = fields_of_form(&name, &form.name, &fields).len();
                let is_field = |datum| field_of_datum(&name, &form.name, datum, &fields).is_some();
                is_there
                    && form.n_data.is_none_or(|n| n as usize == n_own)
                    && data.iter().all(|(datum, pattern)| is_field(datum) && self.is_sound(pattern))
            }
        }
    }
}

/// A look at the patterns of one `match`.
struct Search<'i, 'a, 'env> {
    infer: &'i Infer<'a, 'env>,
    steps: u32,
    variants: FxHashMap<Name, Vec<ShownVariant>>,
}

impl Search<'_, '_, '_> {
    /// The type of the value that a form is asked of.
    fn type_of_form(&self, test: crate::ExprId) -> Option<Name> {
        let Expr::Is(of, _) = &self.infer.body.exprs[test] else { return None };
        match self.infer.table.resolve(self.infer.out.exprs.get(*of)?) {
            Ty::Struct(name) => Some(name),
            _ => None,
        }
    }

    /// A name is that of a variant of the enum that a `match` is about.
    fn is_variant_of(&mut self, it: &Match, name: &Name) -> bool {
        let ty = self.infer.out.exprs.get(it.subject).map(|ty| self.infer.table.resolve(ty));
        let Some(Ty::Struct(of)) = ty else { return false };
        self.variants_of(&of).iter().any(|variant| variant.name == *name)
    }

    fn variants_of(&mut self, name: &Name) -> Vec<ShownVariant> {
        self.variants.entry(name.clone()).or_insert_with(|| self.infer.env.variants_of(name)).clone()
    }

    /// The form that a pattern asks for first; `None` for one that takes all, or some of which nothing is known.
    fn head(&self, pattern: &Pattern) -> Option<Head> {
        match pattern {
            Pattern::Any | Pattern::Some | Pattern::Either(_) => None,
            Pattern::Literal(Literal::Bool(value), _) => Some(Head::Bool(*value)),
            Pattern::Literal(Literal::Int(value), negated) => {
                Some(Head::Number(format!("{}{value}", if *negated && *value != 0 { "-" } else { "" })))
            }
            Pattern::Literal(Literal::Float(value), negated) => {
                Some(Head::Number(format!("{:?}", if *negated { -value } else { *value })))
            }
            Pattern::Tuple(parts) => Some(Head::Tuple(parts.len())),
            Pattern::Form(test, _) => {
                let of = self.type_of_form(*test)?;
                let Expr::Is(_, form) = &self.infer.body.exprs[*test] else { return None };
                let n = fields_of_form(&of, &form.name, &self.infer.env.fields_of(&of)).len();
                Some(Head::Form(of, form.name.clone(), n))
            }
        }
    }

    /// The patterns for the parts of a form, if a pattern takes values of that form.
    fn parts(&self, pattern: &Pattern, head: &Head) -> Option<Vec<Pattern>> {
        match (pattern, head) {
            (Pattern::Any, head) => Some(vec![Pattern::Any; head.n_parts()]),
            (Pattern::Tuple(parts), Head::Tuple(n)) if parts.len() == *n => Some(parts.clone()),
            (Pattern::Form(_, data), Head::Form(of, name, n)) if self.head(pattern).as_ref() == Some(head) => {
                let fields = self.infer.env.fields_of(of);
                let own = fields_of_form(of, name, &fields);
                let mut parts = vec![Pattern::Any; *n];
                for (datum, pattern) in data {
                    let field = field_of_datum(of, name, datum, &fields)?;
                    let slot = own.iter().position(|own| *own == field).and_then(|n| parts.get_mut(n))?;
                    *slot = pattern.clone();
                }
                Some(parts)
            }
            (Pattern::Literal(..), head) if self.head(pattern).as_ref() == Some(head) => Some(Vec::new()),
            _ => None,
        }
    }

    /// The rows without patterns that are one of several: each of those is a row.
    fn spread(rows: &[Row]) -> Vec<Row> {
        let mut out = Vec::new();
        for row in rows {
            match &row[..] {
                [Pattern::Either(any), rest @ ..] => {
                    let each: Vec<_> = any.iter().map(|one| [std::slice::from_ref(one), rest].concat()).collect();
                    out.extend(Self::spread(&each));
                }
                _ => out.push(row.clone()),
            }
        }
        out
    }

    /// All forms that values of a column have, if the forms that its patterns ask for tell, and there are finitely many.
    fn all_heads(&mut self, rows: &[Row]) -> Option<Vec<Head>> {
        let first = rows.iter().find_map(|row| self.head(&row[0]))?;
        Some(match &first {
            Head::Number(_) => return None,
            Head::Bool(_) => vec![Head::Bool(true), Head::Bool(false)],
            Head::Tuple(_) => vec![first],
            Head::Form(of, ..) if !self.infer.is_enum(of) => vec![first],
            Head::Form(of, ..) => {
                let of = of.clone();
                let variants = self.variants_of(&of);
                variants.into_iter().map(|it| Head::Form(of.clone(), it.name, it.data.len())).collect()
            }
        })
    }

    /// The rows as they are for values of a form.
    fn of_form(&self, rows: &[Row], head: &Head) -> Vec<Row> {
        let row = |row: &Row| Some([&self.parts(&row[0], head)?[..], &row[1..]].concat());
        rows.iter().filter_map(row).collect()
    }

    fn of_others(rows: &[Row]) -> Vec<Row> {
        rows.iter().filter(|row| row[0] == Pattern::Any).map(|row| row[1..].to_vec()).collect()
    }

    /// A value that a row takes and none of the others does, as a pattern for each column.
    fn new_in(&mut self, rows: &[Row], wanted: &Row) -> Option<Vec<String>> {
        self.steps += 1;
        if self.steps >= MAX_STEPS {
            return None;
        }
        let Some(first) = wanted.first() else { return rows.is_empty().then(Vec::new) };
        let rows = Self::spread(rows);
        if let Pattern::Either(any) = first {
            return any.iter().find_map(|one| self.new_in(&rows, &[std::slice::from_ref(one), &wanted[1..]].concat()));
        }
        if let Some(head) = self.head(first) {
            return self.new_of_form(&rows, wanted, &head);
        }
        match self.all_heads(&rows) {
            Some(heads) if *first == Pattern::Any => {
                heads.iter().find_map(|head| self.new_of_form(&rows, wanted, head))
            }
            _ => {
                let rest = self.new_in(&Self::of_others(&rows), &wanted[1..].to_vec())?;
                Some([vec!["_".to_owned()], rest].concat())
            }
        }
    }

    fn new_of_form(&mut self, rows: &[Row], wanted: &Row, head: &Head) -> Option<Vec<String>> {
        let wanted = [&self.parts(&wanted[0], head)?[..], &wanted[1..]].concat();
        let found = self.new_in(&self.of_form(rows, head), &wanted)?;
        let (parts, rest) = found.split_at(head.n_parts());
        Some([vec![head.show(parts)], rest.to_vec()].concat())
    }

    /// Patterns for the values that no row takes: one for each form at least.
    fn missing(&mut self, rows: &[Row]) -> Vec<String> {
        let rows = Self::spread(rows);
        let any = vec![Pattern::Any];
        let found: Vec<_> = match self.all_heads(&rows) {
            Some(heads) => heads.iter().filter_map(|head| self.new_of_form(&rows, &any, head)).collect(),
            None => self.new_in(&rows, &any).into_iter().collect(),
        };
        found.into_iter().flatten().collect()
    }
}
