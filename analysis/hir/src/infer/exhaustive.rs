//! Cases that are missing, and those that no value reaches.
//!
//! The cases of a `match` are rows of patterns, with one column at first. A value of a form takes the place of its data: to look at the
//! rows that a `Circle(r)` may reach, the first column gives way to one for `r`. A column whose patterns name all forms of its type is
//! looked at form by form; otherwise only the rows that take everything there matter, since some value has a form that none names.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::Infer;
use crate::enums::{Datum, Match, Pattern, field_of_datum, fields_of_form};
use crate::errors;
use crate::ty::Ty;
use crate::{Expr, ExprId, Literal, Name};

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

/// A pattern for each column.
type Row<'p> = Vec<&'p Pattern>;

/// A form with patterns for all of its parts.
type Parts<'p> = (Rc<Head>, Row<'p>);

impl Infer<'_, '_> {
    /// Finds what each `match` leaves out.
    pub(super) fn matches(&mut self) {
        let body = self.body;
        for it in body.matches.iter().filter(|it| !it.in_doubt) {
            self.cases(it);
        }
    }

    fn cases(&mut self, it: &Match) {
        let mut search = Search {
            infer: self,
            steps: 0,
            variants: FxHashMap::default(),
            fields: FxHashMap::default(),
            forms: FxHashMap::default(),
        };
        if !it.cases.iter().all(|case| search.is_sound(&case.pattern)) {
            return;
        }
        let (mut rows, mut findings): (Vec<Row<'_>>, Vec<_>) = Default::default();
        let mut taker: Option<(Option<Name>, report::TextRange)> = None;
        for case in &it.cases {
            let row = vec![&case.pattern];
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

/// A look at the patterns of one `match`.
struct Search<'i, 'a, 'env> {
    infer: &'i Infer<'a, 'env>,
    steps: u32,
    variants: FxHashMap<Name, Rc<[Rc<Head>]>>,
    fields: FxHashMap<Name, Rc<[(Name, Ty)]>>,
    /// What the patterns with forms ask for, by their tests.
    forms: FxHashMap<ExprId, Option<Parts<'a>>>,
}

impl<'a> Search<'_, 'a, '_> {
    /// A pattern has no error in its forms.
    fn is_sound(&mut self, pattern: &Pattern) -> bool {
        match pattern {
            Pattern::Any | Pattern::Literal(..) | Pattern::Some => true,
            Pattern::Tuple(parts) | Pattern::Either(parts) => parts.iter().all(|part| self.is_sound(part)),
            Pattern::Form(test, data) => {
                let infer = self.infer;
                let Expr::Is(_, form) = &infer.body.exprs[*test] else { return false };
                let Some(name) = self.type_of_form(*test) else { return false };
                let is_there =
                    if infer.is_enum(&name) { infer.out.numbers.contains_key(test) } else { name == form.name };
                let fields = self.fields_of(&name);
                let n_own = fields_of_form(&name, &form.name, &fields).len();
                let is_field = |datum| field_of_datum(&name, &form.name, datum, &fields).is_some();
                is_there
                    && form.n_data.is_none_or(|n| n as usize == n_own)
                    && data.iter().all(|(datum, pattern)| is_field(datum) && self.is_sound(pattern))
            }
        }
    }

    fn fields_of(&mut self, name: &Name) -> Rc<[(Name, Ty)]> {
        let infer = self.infer;
        self.fields.entry(name.clone()).or_insert_with(|| infer.env.fields_of(name).into()).clone()
    }

    /// The type of the value that a form is asked of.
    fn type_of_form(&self, test: ExprId) -> Option<Name> {
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
        self.variants_of(&of).iter().any(|variant| matches!(&**variant, Head::Form(_, variant, _) if variant == name))
    }

    /// The forms of an enum's values.
    fn variants_of(&mut self, name: &Name) -> Rc<[Rc<Head>]> {
        let infer = self.infer;
        let find = || {
            let variants = infer.env.variants_of(name).into_iter();
            variants.map(|it| Rc::new(Head::Form(name.clone(), it.name, it.data.len()))).collect()
        };
        self.variants.entry(name.clone()).or_insert_with(find).clone()
    }

    /// The form that a pattern asks for first; `None` for one that takes all, or some of which nothing is known.
    fn head(&mut self, pattern: &'a Pattern) -> Option<Rc<Head>> {
        let head = match pattern {
            Pattern::Any | Pattern::Some | Pattern::Either(_) => return None,
            Pattern::Literal(Literal::Bool(value), _) => Head::Bool(*value),
            Pattern::Literal(Literal::Int(value), negated) => {
                Head::Number(format!("{}{value}", if *negated && *value != 0 { "-" } else { "" }))
            }
            Pattern::Literal(Literal::Float(value), negated) => {
                Head::Number(format!("{:?}", if *negated { -value } else { *value }))
            }
            Pattern::Tuple(parts) => Head::Tuple(parts.len()),
            Pattern::Form(test, data) => return self.form(*test, data).as_ref().map(|(head, _)| head.clone()),
        };
        Some(Rc::new(head))
    }

    /// What a pattern with a form asks for.
    fn form(&mut self, test: ExprId, data: &'a [(Datum, Pattern)]) -> &Option<Parts<'a>> {
        if !self.forms.contains_key(&test) {
            let form = self.form_anew(test, data);
            self.forms.insert(test, form);
        }
        &self.forms[&test]
    }

    fn form_anew(&mut self, test: ExprId, data: &'a [(Datum, Pattern)]) -> Option<Parts<'a>> {
        let of = self.type_of_form(test)?;
        let infer = self.infer;
        let Expr::Is(_, form) = &infer.body.exprs[test] else { return None };
        let fields = self.fields_of(&of);
        let own = fields_of_form(&of, &form.name, &fields);
        let mut parts = vec![&Pattern::Any; own.len()];
        for (datum, pattern) in data {
            let field = field_of_datum(&of, &form.name, datum, &fields)?;
            let slot = own.iter().position(|own| *own == field).and_then(|n| parts.get_mut(n))?;
            *slot = pattern;
        }
        Some((Rc::new(Head::Form(of, form.name.clone(), own.len())), parts))
    }

    /// The patterns for the parts of a form, if a pattern takes values of that form.
    fn parts(&mut self, pattern: &'a Pattern, head: &Head) -> Option<Row<'a>> {
        match (pattern, head) {
            (Pattern::Any, head) => Some(vec![&Pattern::Any; head.n_parts()]),
            (Pattern::Tuple(parts), Head::Tuple(n)) if parts.len() == *n => Some(parts.iter().collect()),
            (Pattern::Form(test, data), head) => {
                let (own, parts) = self.form(*test, data).as_ref()?;
                (**own == *head).then(|| parts.clone())
            }
            (Pattern::Literal(..), head) => (*self.head(pattern)? == *head).then(Vec::new),
            _ => None,
        }
    }

    /// The rows without patterns that are one of several: each of those is a row.
    fn spread(rows: &[Row<'a>]) -> Vec<Row<'a>> {
        let mut out = Vec::new();
        for row in rows {
            match &row[..] {
                [Pattern::Either(any), rest @ ..] => {
                    let each: Vec<_> = any.iter().map(|one| [&[one], rest].concat()).collect();
                    out.extend(Self::spread(&each));
                }
                _ => out.push(row.clone()),
            }
        }
        out
    }

    /// All forms that values of a column have, if the forms that its patterns ask for tell, and there are finitely many.
    fn all_heads(&mut self, rows: &[Row<'a>]) -> Option<Rc<[Rc<Head>]>> {
        let first = rows.iter().find_map(|row| self.head(row[0]))?;
        Some(match &*first {
            Head::Number(_) => return None,
            Head::Bool(_) => [true, false].map(|value| Rc::new(Head::Bool(value))).into(),
            Head::Tuple(_) => [first].into(),
            Head::Form(of, ..) if !self.infer.is_enum(of) => [first].into(),
            Head::Form(of, ..) => self.variants_of(of),
        })
    }

    /// The rows as they are for values of a form.
    fn of_form(&mut self, rows: &[Row<'a>], head: &Head) -> Vec<Row<'a>> {
        rows.iter().filter_map(|row| Some([&self.parts(row[0], head)?[..], &row[1..]].concat())).collect()
    }

    fn of_others(rows: &[Row<'a>]) -> Vec<Row<'a>> {
        rows.iter().filter(|row| *row[0] == Pattern::Any).map(|row| row[1..].to_vec()).collect()
    }

    /// A value that a row takes and none of the others does, as a pattern for each column.
    fn new_in(&mut self, rows: &[Row<'a>], wanted: &[&'a Pattern]) -> Option<Vec<String>> {
        self.steps += 1;
        if self.steps >= MAX_STEPS {
            return None;
        }
        let Some(&first) = wanted.first() else { return rows.is_empty().then(Vec::new) };
        let is_one_of_several = |row: &Row<'a>| matches!(row[0], Pattern::Either(_));
        let spread = rows.iter().any(is_one_of_several).then(|| Self::spread(rows));
        let rows = spread.as_deref().unwrap_or(rows);
        if let Pattern::Either(any) = first {
            return any.iter().find_map(|one| self.new_in(rows, &[&[one], &wanted[1..]].concat()));
        }
        if let Some(head) = self.head(first) {
            return self.new_of_form(rows, wanted, &head);
        }
        match self.all_heads(rows) {
            Some(heads) if *first == Pattern::Any => heads.iter().find_map(|head| self.new_of_form(rows, wanted, head)),
            _ => {
                let rest = self.new_in(&Self::of_others(rows), &wanted[1..])?;
                Some([vec!["_".to_owned()], rest].concat())
            }
        }
    }

    fn new_of_form(&mut self, rows: &[Row<'a>], wanted: &[&'a Pattern], head: &Head) -> Option<Vec<String>> {
        let wanted = [&self.parts(wanted[0], head)?[..], &wanted[1..]].concat();
        let rows = self.of_form(rows, head);
        let found = self.new_in(&rows, &wanted)?;
        let (parts, rest) = found.split_at(head.n_parts());
        Some([vec![head.show(parts)], rest.to_vec()].concat())
    }

    /// Patterns for the values that no row takes: one for each form at least.
    fn missing(&mut self, rows: &[Row<'a>]) -> Vec<String> {
        let rows = Self::spread(rows);
        let any = [&Pattern::Any];
        let found: Vec<_> = match self.all_heads(&rows) {
            Some(heads) => heads.iter().filter_map(|head| self.new_of_form(&rows, &any, head)).collect(),
            None => self.new_in(&rows, &any).into_iter().collect(),
        };
        found.into_iter().flatten().collect()
    }
}
