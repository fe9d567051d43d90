//! Structs as the scalars that they are made of.
//!
//! The *leaves* of a struct are its scalar fields in order, where a field that is a struct stands for its own leaves. A struct's
//! value is one scalar for each leaf, and so is a cell of an array of structs.

use std::cell::RefCell;
use std::ops::Range;
use std::sync::Arc;

use ir::Elem;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::fields::Fields;
use crate::infer::Swizzles;
use crate::ty::Ty;
use crate::{Body, Expr, ExprId, Name};

/// The limit on structs that are inside each other. A struct that leads back to itself has no leaves.
const MAX_DEPTH: usize = 64;

/// The limit on the fields of a struct, those of structs in it included: two fields that are structs of two such fields double at every
/// step.
pub(crate) const MAX_FIELDS: u32 = 1024;

/// The fields of a struct, by its name; `None` if there is no such struct.
pub type FieldsOf<'f> = &'f dyn Fn(&Name) -> Option<Arc<Fields>>;

/// The leaves that a field is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// The numbers of the leaves.
    pub leaves: Range<usize>,
    /// The type of the field.
    pub ty: Ty,
}

/// The scalars of a struct, and its fields among them.
#[derive(Debug)]
pub struct Layout {
    /// The leaves, each with a name that no other has.
    pub leaves: Vec<(Name, Elem)>,
    fields: Arc<Fields>,
    /// The number of the first leaf of each field.
    starts: Vec<usize>,
}

impl Layout {
    /// The layout of a struct; `None` for one that is not whole: one that is not there, leads back to itself, or has a field whose type
    /// had an error.
    fn of(fields_of: FieldsOf<'_>, name: &Name) -> Option<Layout> {
        let mut found = Collected { leaves: Vec::new(), starts: Vec::new(), n_fields: 0 };
        collect(fields_of, name, "", 0, &mut found)?;
        let mut names = FxHashSet::default();
        for (name, _) in &mut found.leaves {
            while !names.insert(name.clone()) {
                *name = format!("{name}_").into();
            }
        }
        Some(Layout { leaves: found.leaves, fields: fields_of(name)?, starts: found.starts })
    }

    fn part(&self, field: &Name) -> Option<Part> {
        let (number, ty) = self.fields.find(field)?;
        let end = self.starts.get(number + 1).copied().unwrap_or(self.leaves.len());
        Some(Part { leaves: self.starts[number]..end, ty: ty.clone() })
    }
}

/// The layouts of structs, each found when it is first asked for.
#[derive(Debug, Default)]
pub struct Layouts(RefCell<FxHashMap<Name, Option<Arc<Layout>>>>);

impl Layouts {
    /// The layout of a struct; `None` for one that is not whole.
    pub fn of(&self, fields_of: FieldsOf<'_>, name: &Name) -> Option<Arc<Layout>> {
        if let Some(known) = self.0.borrow().get(name) {
            return known.clone();
        }
        let found = Layout::of(fields_of, name).map(Arc::new);
        self.0.borrow_mut().insert(name.clone(), found.clone());
        found
    }

    /// The part of a struct that a path of fields leads to, outermost first: `origin.x`.
    pub fn part(&self, fields_of: FieldsOf<'_>, name: &Name, path: &[Name]) -> Option<Part> {
        let n_leaves = self.of(fields_of, name)?.leaves.len();
        let mut part = Part { leaves: 0..n_leaves, ty: Ty::Struct(name.clone()) };
        for wanted in path {
            let Ty::Struct(of) = &part.ty else { return None };
            let inner = self.of(fields_of, of)?.part(wanted)?;
            let start = part.leaves.start;
            part = Part { leaves: start + inner.leaves.start..start + inner.leaves.end, ty: inner.ty };
        }
        Some(part)
    }
}

/// The leaves of a struct, each with a name that no other has: `origin_x` for the field `x` of a field `origin`. `None` for a
/// struct that is not whole.
pub fn leaves(fields_of: FieldsOf<'_>, name: &Name) -> Option<Vec<(Name, Elem)>> {
    Some(Layout::of(fields_of, name)?.leaves)
}

/// The leaves that were found so far.
struct Collected {
    leaves: Vec<(Name, Elem)>,
    /// The number of the first leaf of each field of the outermost struct.
    starts: Vec<usize>,
    n_fields: u32,
}

fn collect(fields_of: FieldsOf<'_>, name: &Name, prefix: &str, depth: usize, found: &mut Collected) -> Option<()> {
    if depth == MAX_DEPTH {
        return None;
    }
    for (field, ty) in fields_of(name)?.iter() {
        found.n_fields += 1;
        if found.n_fields > MAX_FIELDS {
            return None;
        }
        if depth == 0 {
            found.starts.push(found.leaves.len());
        }
        // The data of a variant have its name before theirs.
        let field =
            if field.contains('.') { field.trim_end_matches('.').replace('.', "_").into() } else { field.clone() };
        let path = if prefix.is_empty() { field } else { format!("{prefix}_{field}").into() };
        match ty {
            Ty::Scalar(elem) => found.leaves.push((path, *elem)),
            Ty::Struct(inner) => collect(fields_of, inner, &path, depth + 1, found)?,
            _ => return None,
        }
    }
    Some(())
}

/// The part of a struct that a path of fields leads to, for who asks once.
pub fn part(fields_of: FieldsOf<'_>, name: &Name, path: &[Name]) -> Option<Part> {
    Layouts::default().part(fields_of, name, path)
}

impl Body {
    /// An expression without the accesses to fields at its end, and the names of these: `p[i]`, `origin` and `x` of `p[i].origin.x`.
    /// Several fields at once are a value of their own.
    pub fn without_fields(&self, expr: ExprId, swizzles: &Swizzles) -> (ExprId, Vec<Name>) {
        let (mut base, mut path) = (expr, Vec::new());
        while let Expr::Field(inner, name) = &self.exprs[base] {
            if swizzles.contains_key(&base) {
                break;
            }
            path.push(name.clone());
            base = *inner;
        }
        path.reverse();
        (base, path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields_of(name: &Name) -> Option<Arc<Fields>> {
        let fields = match &**name {
            "Point" => vec![("x".into(), Ty::Scalar(Elem::F32)), ("y".into(), Ty::Scalar(Elem::F32))],
            "Line" => {
                let point = || Ty::Struct("Point".into());
                vec![
                    ("n".into(), Ty::Scalar(Elem::I8)),
                    ("a".into(), point()),
                    ("a_x".into(), point()),
                    ("b".into(), point()),
                ]
            }
            // Each is two of the next, and the last has no fields.
            name if name.starts_with('T') => match name[1..].parse::<u32>().ok()?.checked_sub(1) {
                None => Vec::new(),
                Some(less) => {
                    let next = || Ty::Struct(format!("T{less}").as_str().into());
                    vec![("a".into(), next()), ("b".into(), next())]
                }
            },
            "Loop" => vec![("next".into(), Ty::Struct("Loop".into()))],
            _ => return None,
        };
        Some(Arc::new(fields.into_iter().collect()))
    }

    #[test]
    fn leaves_have_names_of_their_own() {
        let leaves = leaves(&fields_of, &"Line".into()).expect("a line is whole");
        let names: Vec<_> = leaves.iter().map(|(name, _)| &**name).collect();
        assert_eq!(names, ["n", "a_x", "a_y", "a_x_x", "a_x_y", "b_x", "b_y"]);
    }

    #[test]
    fn paths_lead_to_leaves() {
        let part = |path: &[&str]| {
            let path: Vec<Name> = path.iter().map(|&name| name.into()).collect();
            part(&fields_of, &"Line".into(), &path).map(|part| part.leaves)
        };
        assert_eq!(part(&[]), Some(0..7));
        assert_eq!(part(&["n"]), Some(0..1));
        assert_eq!(part(&["b"]), Some(5..7));
        assert_eq!(part(&["b", "y"]), Some(6..7));
        assert_eq!(part(&["b", "z"]), None);
        assert_eq!(part(&["n", "x"]), None);
    }

    #[test]
    fn what_is_inside_of_itself_has_no_leaves() {
        assert_eq!(leaves(&fields_of, &"Loop".into()), None);
        assert_eq!(leaves(&fields_of, &"Missing".into()), None);
        assert_eq!(leaves(&fields_of, &"T3".into()), Some(Vec::new()));
        assert_eq!(leaves(&fields_of, &"T60".into()), None);
    }
}
