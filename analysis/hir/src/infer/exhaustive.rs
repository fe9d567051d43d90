//! Cases that are missing, and those that no value reaches.
//!
//! The cases of a `match` are rows of patterns, with one column at first. A value of a form takes the place of its data: to look at the
//! rows that a `Circle(r)` may reach, the first column gives way to one for `r`. A column whose patterns name all forms of its type is
//! looked at form by form; otherwise only the rows that take everything there matter, since some value has a form that none names.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::Infer;
use crate::enums::{Datum, Match, Pattern, ShownVariant, field_of_datum, fields_of_form};
use crate::errors;
use crate::ty::Ty;
use crate::{Expr, ExprId, Literal, Name};

/// The limit on the steps for one `match`, behind which nothing is said: patterns in patterns can multiply.
const MAX_STEPS: u32 = 20_000;

/// A form that values of a column may have.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
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

/// A pattern with its form, and a pattern for each part of that. It is made once: a `match` of many cases compares each of them with those
/// before it.
#[derive(Debug)]
enum Formed {
    /// Takes every value.
    Any,
    /// Takes some values, of which nothing is known.
    Some,
    /// Takes values of a form, by its number in [`Search::heads`].
    Of(usize, Vec<Formed>),
    /// Takes what one of several patterns takes.
    Either(Vec<Formed>),
}

/// A pattern for each column.
type Row<'p> = Vec<&'p Formed>;

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
        let mut search = Search::new(self);
        let patterns: Vec<_> = it.cases.iter().map(|case| search.formed(&case.pattern)).collect();
        let (mut rows, mut findings): (Rows<'_>, Vec<_>) = Default::default();
        let mut taker: Option<(Option<Name>, report::TextRange)> = None;
        for (case, pattern) in it.cases.iter().zip(&patterns) {
            if search.new_in(&rows, &[pattern]).is_none() && search.steps < MAX_STEPS {
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
                rows.push(vec![pattern]);
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

static ANY: Formed = Formed::Any;

/// Rows of patterns, by the form that the first of each asks for. Those that ask for one of several are several rows, and those
/// that take something unknown are none.
#[derive(Default)]
struct Rows<'p> {
    n_rows: usize,
    /// The form that the first row with one asks for.
    first: Option<usize>,
    /// The rows that ask for a form, each with its number.
    of_forms: FxHashMap<usize, Vec<(usize, Row<'p>)>>,
    /// The rows that take every value in the first column.
    of_all: Vec<(usize, Row<'p>)>,
}

impl<'p> Rows<'p> {
    fn push(&mut self, row: Row<'p>) {
        let number = self.n_rows;
        match row.first() {
            Some(Formed::Either(any)) => {
                return any.iter().for_each(|one| self.push([&[one], &row[1..]].concat()));
            }
            Some(Formed::Of(form, _)) => {
                self.first.get_or_insert(*form);
                self.of_forms.entry(*form).or_default().push((number, row));
            }
            Some(Formed::Any) => self.of_all.push((number, row)),
            Some(Formed::Some) | None => {}
        }
        self.n_rows += 1;
    }

    /// The rows as they are for values of a form with so many parts.
    fn of_form(&self, form: usize, n_parts: usize) -> Rows<'p> {
        let own = self.of_forms.get(&form).map_or(&[][..], Vec::as_slice);
        let mut rows: Vec<_> = own.iter().chain(&self.of_all).collect();
        rows.sort_by_key(|(number, _)| *number);
        let mut made = Rows::default();
        for (_, row) in rows {
            made.push(with_parts(row, n_parts));
        }
        made
    }

    /// The rows as they are for values of a form that none of them asks for.
    fn of_others(&self) -> Rows<'p> {
        let mut made = Rows::default();
        self.of_all.iter().for_each(|(_, row)| made.push(row[1..].to_vec()));
        made
    }
}

/// A row with the parts of its first pattern in place of that.
fn with_parts<'p>(row: &[&'p Formed], n_parts: usize) -> Row<'p> {
    match row[0] {
        Formed::Of(_, parts) => parts.iter().chain(row[1..].iter().copied()).collect(),
        _ => std::iter::repeat_n(&ANY, n_parts).chain(row[1..].iter().copied()).collect(),
    }
}

/// A look at the patterns of one `match`.
struct Search<'i, 'a, 'env> {
    infer: &'i Infer<'a, 'env>,
    steps: u32,
    /// The forms that are asked for, each once.
    heads: Vec<Head>,
    numbers: FxHashMap<Head, usize>,
    /// The forms that values of an enum have.
    of_enums: FxHashMap<Name, Rc<[usize]>>,
}

impl<'i, 'a, 'env> Search<'i, 'a, 'env> {
    fn new(infer: &'i Infer<'a, 'env>) -> Search<'i, 'a, 'env> {
        Search { infer, steps: 0, heads: Vec::new(), numbers: FxHashMap::default(), of_enums: FxHashMap::default() }
    }

    fn number(&mut self, head: Head) -> usize {
        *self.numbers.entry(head).or_insert_with_key(|head| {
            self.heads.push(head.clone());
            self.heads.len() - 1
        })
    }

    /// A name is that of a variant of the enum that a `match` is about.
    fn is_variant_of(&self, it: &Match, name: &Name) -> bool {
        let ty = self.infer.out.exprs.get(it.subject).map(|ty| self.infer.table.resolve(ty));
        let Some(Ty::Struct(of)) = ty else { return false };
        self.infer.env.variants_of(&of).iter().any(|variant| variant.name == *name)
    }

    fn formed(&mut self, pattern: &Pattern) -> Formed {
        match pattern {
            Pattern::Any => Formed::Any,
            Pattern::Some => Formed::Some,
            Pattern::Either(any) => Formed::Either(any.iter().map(|one| self.formed(one)).collect()),
            Pattern::Literal(Literal::Bool(value), _) => Formed::Of(self.number(Head::Bool(*value)), Vec::new()),
            Pattern::Literal(Literal::Int(value), negated) => {
                let text = format!("{}{value}", if *negated && *value != 0 { "-" } else { "" });
                Formed::Of(self.number(Head::Number(text)), Vec::new())
            }
            Pattern::Literal(Literal::Float(value), negated) => {
                let text = format!("{:?}", if *negated { -value } else { *value });
                Formed::Of(self.number(Head::Number(text)), Vec::new())
            }
            Pattern::Tuple(parts) => {
                let head = self.number(Head::Tuple(parts.len()));
                Formed::Of(head, parts.iter().map(|part| self.formed(part)).collect())
            }
            Pattern::Form(test, data) => self.form(*test, data).unwrap_or(Formed::Some),
        }
    }

    fn form(&mut self, test: ExprId, data: &[(Datum, Pattern)]) -> Option<Formed> {
        let Expr::Is(of, form) = &self.infer.body.exprs[test] else { return None };
        let Ty::Struct(of) = self.infer.table.resolve(self.infer.out.exprs.get(*of)?) else { return None };
        let fields = self.infer.env.fields_of(&of);
        let own = fields_of_form(&of, &form.name, &fields);
        let mut parts: Vec<_> = own.iter().map(|_| Formed::Any).collect();
        for (datum, pattern) in data {
            let field = field_of_datum(&of, &form.name, datum, &fields)?;
            let slot = own.iter().position(|own| *own == field)?;
            parts[slot] = self.formed(pattern);
        }
        Some(Formed::Of(self.number(Head::Form(of, form.name.clone(), own.len())), parts))
    }

    /// All forms that values of a column have, if the forms that its patterns ask for tell, and there are finitely many.
    fn all_forms(&mut self, rows: &Rows<'_>) -> Option<Rc<[usize]>> {
        let first = rows.first?;
        let of = match &self.heads[first] {
            Head::Number(_) => return None,
            Head::Bool(_) => return Some([true, false].map(|value| self.number(Head::Bool(value))).into()),
            Head::Form(of, ..) if self.infer.is_enum(of) => of.clone(),
            Head::Form(..) | Head::Tuple(_) => return Some([first].into()),
        };
        if let Some(known) = self.of_enums.get(&of) {
            return Some(known.clone());
        }
        let variants = self.infer.env.variants_of(&of);
        let form = |it: &ShownVariant| self.number(Head::Form(of.clone(), it.name.clone(), it.data.len()));
        let forms: Rc<[usize]> = variants.iter().map(form).collect();
        self.of_enums.insert(of, forms.clone());
        Some(forms)
    }

    /// A value that a row takes and none of the others does, as a pattern for each column.
    fn new_in(&mut self, rows: &Rows<'_>, wanted: &[&Formed]) -> Option<Vec<String>> {
        self.steps += 1;
        if self.steps >= MAX_STEPS {
            return None;
        }
        match wanted.first() {
            None => (rows.n_rows == 0).then(Vec::new),
            Some(Formed::Either(any)) => any.iter().find_map(|one| self.new_in(rows, &[&[one], &wanted[1..]].concat())),
            Some(Formed::Of(form, _)) => self.new_of_form(rows, wanted, *form),
            Some(Formed::Any) if let Some(forms) = self.all_forms(rows) => {
                forms.iter().find_map(|&form| self.new_of_form(rows, wanted, form))
            }
            Some(Formed::Any | Formed::Some) => {
                let rest = self.new_in(&rows.of_others(), &wanted[1..])?;
                Some([vec!["_".to_owned()], rest].concat())
            }
        }
    }

    fn new_of_form(&mut self, rows: &Rows<'_>, wanted: &[&Formed], form: usize) -> Option<Vec<String>> {
        let n_parts = self.heads[form].n_parts();
        let found = self.new_in(&rows.of_form(form, n_parts), &with_parts(wanted, n_parts))?;
        let (parts, rest) = found.split_at(n_parts);
        Some([vec![self.heads[form].show(parts)], rest.to_vec()].concat())
    }

    /// Patterns for the values that no row takes: one for each form at least.
    fn missing(&mut self, rows: &Rows<'_>) -> Vec<String> {
        let any = [&ANY];
        let found: Vec<_> = match self.all_forms(rows) {
            Some(forms) => forms.iter().filter_map(|&form| self.new_of_form(rows, &any, form)).collect(),
            None => self.new_in(rows, &any).into_iter().collect(),
        };
        found.into_iter().flatten().collect()
    }
}
