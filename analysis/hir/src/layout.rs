//! Structs as the scalars that they are made of.
//!
//! The *leaves* of a struct are its scalar fields in order, where a field that is a struct stands for its own leaves, and one that is an
//! array for its cells, row after row. A struct's value is one scalar for each leaf, and so is a cell of an array of structs. In memory an
//! array in a struct is one *column* of several leaves, which can be subscripted; any other leaf is a column by itself.

use std::cell::RefCell;
use std::ops::Range;
use std::sync::Arc;

use ir::{Elem, FieldDecl};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::fields::Fields;
use crate::infer::LikeFields;
use crate::size::Size;
use crate::ty::Ty;
use crate::{Body, Expr, ExprId, LocalId, Name, Subscript};

/// The limit on structs that are inside each other. A struct that leads back to itself has no leaves.
const MAX_DEPTH: usize = 64;

/// The limit on the scalars of a struct, those of structs and arrays in it included: two fields that are structs of two such fields double at
/// every step.
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

impl Part {
    /// The cell of a field that is an array, or the part of it, at some subscripts, which may be fewer than it has dimensions. `None` if it
    /// has no such cell.
    pub fn at(&self, subscripts: &[i128]) -> Option<Part> {
        let Ty::Array(element, sizes) = &self.ty else { return None };
        let (own, rest) = sizes.split_at_checked(subscripts.len())?;
        let (own, rest_sizes) = (constants(own)?, constants(rest)?);
        let mut number = 0;
        for (&subscript, &size) in subscripts.iter().zip(&own) {
            let subscript = u32::try_from(subscript).ok().filter(|&subscript| subscript < size)?;
            number = number * size as usize + subscript as usize;
        }
        let n_leaves: usize = rest_sizes.iter().map(|&size| size as usize).product();
        let start = self.leaves.start + number * n_leaves;
        let ty = if rest.is_empty() { (**element).clone() } else { Ty::Array(element.clone(), rest.to_vec()) };
        Some(Part { leaves: start..start + n_leaves, ty })
    }

    /// The sizes of a field that is an array; none of any other.
    pub fn sizes(&self) -> Vec<u32> {
        match &self.ty {
            Ty::Array(_, sizes) => constants(sizes).unwrap_or_default(),
            _ => Vec::new(),
        }
    }
}

/// The scalars of a struct, and its fields among them.
#[derive(Debug)]
pub struct Layout {
    /// The leaves, each with a name that no other has.
    pub leaves: Vec<(Name, Elem)>,
    /// The columns, in the order of their leaves.
    pub columns: Vec<FieldDecl>,
    fields: Arc<Fields>,
    /// The number of the first leaf of each field.
    starts: Vec<usize>,
}

impl Layout {
    /// The layout of a struct; `None` for one that is not whole: one that is not there, leads back to itself, or has a field whose type
    /// had an error.
    fn of(fields_of: FieldsOf<'_>, name: &Name) -> Option<Layout> {
        let mut found = Collected { columns: Vec::new(), starts: Vec::new(), n_leaves: 0, n_fields: 0 };
        collect(fields_of, name, "", 0, &mut found)?;
        let mut columns = found.columns;
        apart(columns.iter_mut().map(|column| &mut column.name));
        let cells = columns.iter().flat_map(|column| {
            let of_array = !column.sizes.is_empty();
            let named = move |n| if of_array { format!("{}_{n}", column.name).into() } else { column.name.clone() };
            (0..column.n_cells()).map(move |n| (named(n), column.elem))
        });
        let mut leaves: Vec<_> = cells.collect();
        apart(leaves.iter_mut().map(|(name, _)| name));
        Some(Layout { leaves, columns, fields: fields_of(name)?, starts: found.starts })
    }

    /// The column that a leaf lies in, and the leaf's subscripts there: none of what is no array.
    pub fn column_of(&self, leaf: usize) -> Option<(usize, SmallVec<[u32; 2]>)> {
        let mut first = 0;
        for (number, column) in self.columns.iter().enumerate() {
            let behind = first + column.n_cells();
            if leaf < behind {
                return Some((number, column.cell(leaf - first)));
            }
            first = behind;
        }
        None
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
        let whole = Part { leaves: 0..n_leaves, ty: Ty::Struct(name.clone()) };
        path.iter().try_fold(whole, |part, field| self.field(fields_of, &part, field))
    }

    /// A field of a part that is a struct.
    pub fn field(&self, fields_of: FieldsOf<'_>, part: &Part, field: &Name) -> Option<Part> {
        let Ty::Struct(of) = &part.ty else { return None };
        let inner = self.of(fields_of, of)?.part(field)?;
        let start = part.leaves.start;
        Some(Part { leaves: start + inner.leaves.start..start + inner.leaves.end, ty: inner.ty })
    }
}

/// The leaves of a struct, each with a name that no other has: `origin_x` for the field `x` of a field `origin`. `None` for a
/// struct that is not whole.
pub fn leaves(fields_of: FieldsOf<'_>, name: &Name) -> Option<Vec<(Name, Elem)>> {
    Some(Layout::of(fields_of, name)?.leaves)
}

/// Gives names that stand twice a sign more, until each is one of its own.
fn apart<'n>(names: impl Iterator<Item = &'n mut Name>) {
    let mut taken = FxHashSet::default();
    for name in names {
        while !taken.insert(name.clone()) {
            *name = format!("{name}_").into();
        }
    }
}

/// The columns that were found so far.
struct Collected {
    columns: Vec<FieldDecl>,
    /// The number of the first leaf of each field of the outermost struct.
    starts: Vec<usize>,
    n_leaves: usize,
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
            found.starts.push(found.n_leaves);
        }
        // The data of a variant have its name before theirs.
        let field =
            if field.contains('.') { field.trim_end_matches('.').replace('.', "_").into() } else { field.clone() };
        let path = if prefix.is_empty() { field } else { format!("{prefix}_{field}").into() };
        let column = match ty {
            Ty::Scalar(elem) => FieldDecl::scalar(path, *elem),
            Ty::Array(element, sizes) => {
                FieldDecl { name: path, elem: element.scalar()?, sizes: constants(sizes)?.into() }
            }
            Ty::Struct(inner) => {
                collect(fields_of, inner, &path, depth + 1, found)?;
                continue;
            }
            _ => return None,
        };
        found.n_leaves = found.n_leaves.saturating_add(column.n_cells());
        if found.n_leaves > MAX_FIELDS as usize {
            return None;
        }
        found.columns.push(column);
    }
    Some(())
}

/// The sizes of an array in a struct, which has at least one cell; `None` if they are not known, or more than a struct has room for.
fn constants(sizes: &[Size]) -> Option<Vec<u32>> {
    let one = |size: &Size| u32::try_from(size.as_constant()?).ok().filter(|size| (1..=MAX_FIELDS).contains(size));
    sizes.iter().map(one).collect()
}

/// The part of a struct that a path of fields leads to, for who asks once.
pub fn part(fields_of: FieldsOf<'_>, name: &Name, path: &[Name]) -> Option<Part> {
    Layouts::default().part(fields_of, name, path)
}

/// A step from a struct to a part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PartStep<'b> {
    /// To a field.
    Field(&'b Name),
    /// To cells of a field that is an array, or of a part of one.
    Cells(&'b [Subscript]),
}

impl Body {
    /// A part of a struct, as the way to it: the expression that is the struct itself, and the steps from there. Of `p[i].hits[k]` that is
    /// `p[i]`, `hits` and `[k]`. Several fields at once are a value of their own. What is no part of a struct is reached without a step.
    pub fn part_of_struct<'b>(&'b self, expr: ExprId, like_fields: &LikeFields) -> (ExprId, Vec<PartStep<'b>>) {
        let (mut at, mut steps, mut whole, mut n_steps) = (expr, Vec::new(), expr, 0);
        loop {
            match &self.exprs[at] {
                Expr::Field(inner, name) if !like_fields.contains_key(&at) => {
                    steps.push(PartStep::Field(name));
                    at = *inner;
                    (whole, n_steps) = (at, steps.len());
                }
                // A slice of a field is an array of its own.
                Expr::Index(inner, subscripts) if subscripts.iter().all(|it| matches!(it, Subscript::At(_))) => {
                    steps.push(PartStep::Cells(subscripts));
                    at = *inner;
                }
                _ => break,
            }
        }
        // The subscripts at the beginning are those of an array, whose element the struct is.
        steps.truncate(n_steps);
        steps.reverse();
        (whole, steps)
    }

    /// The variable that an assignment changes: all of it, or, of a struct, a part.
    pub fn assigned_local(&self, target: ExprId) -> Option<LocalId> {
        match self.exprs[self.part_of_struct(target, &LikeFields::default()).0] {
            Expr::Local(local) => Some(local),
            _ => None,
        }
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
            "Grid" => {
                let sizes = vec![Size::constant(2), Size::constant(3)];
                let cells = Ty::Array(Box::new(Ty::Scalar(Elem::F64)), sizes);
                vec![
                    ("on".into(), Ty::Scalar(Elem::Bool)),
                    ("cells".into(), cells),
                    ("at".into(), Ty::Struct("Point".into())),
                ]
            }
            "Grids" => vec![("a".into(), Ty::Struct("Grid".into())), ("b".into(), Ty::Struct("Grid".into()))],
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
    fn an_array_is_one_column_of_a_leaf_for_each_cell() {
        let grid = Layout::of(&fields_of, &"Grid".into()).expect("a grid is whole");
        let names: Vec<_> = grid.leaves.iter().map(|(name, _)| &**name).collect();
        assert_eq!(names, ["on", "cells_0", "cells_1", "cells_2", "cells_3", "cells_4", "cells_5", "at_x", "at_y"]);
        let columns: Vec<_> = grid.columns.iter().map(|column| (&*column.name, column.sizes.to_vec())).collect();
        assert_eq!(columns, [("on", vec![]), ("cells", vec![2, 3]), ("at_x", vec![]), ("at_y", vec![])]);
        let column_of = |leaf| grid.column_of(leaf).map(|(number, at)| (number, at.to_vec()));
        assert_eq!(column_of(0), Some((0, vec![])));
        assert_eq!(column_of(5), Some((1, vec![1, 1])));
        assert_eq!(column_of(8), Some((3, vec![])));
        assert_eq!(column_of(9), None);
    }

    #[test]
    fn subscripts_lead_to_cells_of_a_field() {
        let cells = part(&fields_of, &"Grids".into(), &["b".into(), "cells".into()]).expect("a field");
        assert_eq!((cells.leaves.clone(), cells.sizes()), (10..16, vec![2, 3]));
        assert_eq!(cells.at(&[1, 2]).map(|cell| (cell.leaves, cell.ty)), Some((15..16, Ty::Scalar(Elem::F64))));
        assert_eq!(cells.at(&[1]).map(|row| (row.leaves.clone(), row.sizes())), Some((13..16, vec![3])));
        assert_eq!((cells.at(&[2, 0]), cells.at(&[0, -1]), cells.at(&[0, 0, 0])), (None, None, None));
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
