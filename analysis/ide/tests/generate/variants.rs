//! What a program may say differently once it is made: types that come out by themselves are left out, arrays overlap.

use hir::eval::{ArgValue, Array};
use hir::ty::Ty;
use queries::run::program;

use super::expressions::Maker;
use super::host;
use super::shrink::is_well_typed;
use super::tree::{Function, Tree};

impl Maker {
    /// Leaves out the types of some of the kernel's parameters, where they come out as they were.
    pub(super) fn leave_out_types(&mut self, tree: &mut Tree) {
        let before = param_types(tree);
        for n in 0..tree.kernel.params.len() {
            if !self.one_in(4) {
                continue;
            }
            let ty = tree.kernel.params[n].ty.take();
            if !is_well_typed(&tree.to_string()) || param_types(tree) != before {
                tree.kernel.params[n].ty = ty;
            }
        }
    }

    /// Makes one array of the kernel a part of another one.
    pub(super) fn overlap(&mut self, kernel: &mut Function) {
        let arrays = kernel.params.iter().enumerate().filter_map(|(n, param)| {
            let Some(ArgValue::Array(array)) = &param.arg else { return None };
            // What holds subscripts keeps them.
            param.name.starts_with('a').then_some((n, array.clone()))
        });
        let arrays: Vec<(usize, Array)> = arrays.collect();
        let fits = |a: &Array, b: &Array| a.element == b.element && b.cells.len() <= a.cells.len();
        let pairs = arrays.iter().flat_map(|a| arrays.iter().map(move |b| (a, b)));
        let pairs: Vec<_> = pairs.filter(|((a, whole), (b, part))| a < b && fits(whole, part)).collect();
        if pairs.is_empty() {
            return;
        }
        let ((a, whole), (b, part)) = pairs[self.rng.usize(..pairs.len())];
        kernel.attrs.push(format!("@alias({}, {})", kernel.params[*a].name, kernel.params[*b].name));
        // Arrays that may overlap may be apart all the same.
        if self.rng.bool() {
            return;
        }
        let room = (whole.cells.len() - part.cells.len()) / whole.element.fields().len();
        let from = self.rng.usize(..=room);
        kernel.params[*b].arg = Some(ArgValue::Part { of: *a, from, sizes: part.sizes.clone() });
    }
}

/// The types of the kernel's parameters, as far as their arguments have to fit them.
fn param_types(tree: &Tree) -> Vec<Option<(Ty, usize)>> {
    let program = host::ask(&tree.to_string(), |db, file| program(db, file, &tree.kernel.name)).expect("the kernel");
    let unit = program.entry();
    let ty = |param| match unit.types.locals.get(param)? {
        Ty::Array(element, sizes) => Some(((**element).clone(), sizes.len())),
        ty => Some((ty.clone(), 0)),
    };
    unit.body.params.iter().map(|&param| ty(param)).collect()
}
