//! The types of what goes into loops and branches, around in them and out of them.

use super::{Around, Verifier, list};
use crate::entities::{Op, Value};
use crate::ops::Code;
use crate::program::Control;
use crate::types::{CellType, Elem, ElemSet, Type};

impl Verifier<'_> {
    /// Checks that the types agree of the values that go into a control op, around in it and out of it.
    pub(super) fn control_types(&mut self, op: Op, control: &Control) {
        let kernel = self.kernel;
        let data = &kernel.ops[op];
        let types = |values: &[Value]| -> Vec<Type> { values.iter().filter_map(|&value| self.ty(value)).collect() };
        let operands = types(&data.operands);
        let results = types(&data.results);
        let args: Vec<Vec<Type>> = data.regions.iter().map(|&region| types(&kernel.regions[region].args)).collect();
        let yields: Vec<Vec<Type>> = data.regions.iter().map(|&region| types(&kernel.regions[region].yields)).collect();
        let carried = operands.iter().skip(kernel.n_head_operands(op)).chain(yields.iter().flatten());
        let views: Vec<Type> = carried.copied().filter(|ty| ty.is_view()).collect();
        self.require(self.whole_arrays || views.is_empty(), "no-whole-arrays", || {
            "a view is carried or yielded".to_owned()
        });
        self.require(views.iter().all(|ty| ty.lanes().is_none()), "one-array", || {
            format!("{} is carried or yielded", list(&views))
        });
        let scalar = operands.iter().chain(yields.iter().flatten()).all(|ty| ty.lanes().is_none());
        self.require(scalar || self.around != Around::Together, "in-lanes", || {
            "lanes are carried or yielded, inside of a `foreach` in lanes".to_owned()
        });
        let reduces = matches!(data.code, Code::For | Code::Foreach | Code::VectorFor | Code::Reduce);
        let reduces = reduces && !self.is_together(op) || control.reductions.is_empty();
        self.require(reduces, "reductions", || format!("`{}` reduces", data.code.row().name));
        let bool = Type::scalar(Elem::Bool);
        match data.code {
            Code::If => {
                self.require(operands == [bool], "operands", || format!("the condition is {}", list(&operands)));
                let no_args = args.iter().all(Vec::is_empty);
                self.require(no_args, "blocks", || "a block of an `if` has arguments".to_owned());
                let agree = yields[0] == results && yields[1] == results;
                self.require(agree, "carried", || {
                    format!(
                        "blocks yield {} and {}, results are {}",
                        list(&yields[0]),
                        list(&yields[1]),
                        list(&results)
                    )
                });
            }
            Code::While => {
                self.require(args[1].is_empty(), "blocks", || "the body of a `while` has arguments".to_owned());
                self.require(yields[0] == [bool], "carried", || format!("the test yields {}", list(&yields[0])));
                let agree = [&args[0], &yields[1], &results].into_iter().all(|types| *types == operands);
                self.require(agree, "carried", || disagree(&operands, &args[0], &yields[1], &results));
            }
            Code::Map | Code::Reduce | Code::Scan => {
                self.over_elements(op, control, &operands, &args[0], &yields[0], &results);
            }
            _ => self.range_loop(op, control, &operands, &args[0], &yields[0], &results),
        }
    }

    /// A `map`, `reduce` or `scan`.
    fn over_elements(
        &mut self,
        op: Op,
        control: &Control,
        operands: &[Type],
        args: &[Type],
        yields: &[Type],
        results: &[Type],
    ) {
        let code = self.kernel.ops[op].code;
        let (arrays, inits) = operands.split_at(self.kernel.n_arrays(op));
        let are_arrays = !arrays.is_empty() && arrays.iter().all(is_array);
        self.require(are_arrays, "elements", || format!("`{}` of {}", code.row().name, list(arrays)));
        let n_carried = inits.len().saturating_sub(control.reductions.len());
        if args.len() != arrays.len() + n_carried {
            let expected = arrays.len() + n_carried;
            return self.require(false, "blocks", || format!("{} arguments, not {expected}", args.len()));
        }
        let (elements, carried) = args.split_at(arrays.len());
        let fit = arrays.iter().zip(elements).all(|(array, element)| array.of_element() == *element);
        self.require(fit, "elements", || format!("elements {} of {}", list(elements), list(arrays)));
        if code != Code::Reduce {
            let made: Vec<Type> = yields.iter().map(|ty| ty.array_of()).collect();
            let scalars = yields.iter().all(|ty| ty.lanes().is_none() && ty.elem().is_some());
            self.require(scalars && made == results && !results.is_empty(), "elements", || {
                format!("it yields {}, its results are {}", list(yields), list(results))
            });
        }
        let n_yields = if code == Code::Map { yields.len() } else { inits.len() };
        let next = yields.get(..n_carried).unwrap_or_default();
        let agree = carried == &inits[..n_carried] && (code == Code::Map || next == carried);
        let last = code != Code::Reduce || results.get(..n_carried) == Some(carried) && results.len() == inits.len();
        self.require(agree && last && yields.len() == n_yields, "carried", || {
            disagree(inits, carried, yields, results)
        });
        self.reductions(control, n_carried, inits, yields, results);
    }

    fn range_loop(
        &mut self,
        op: Op,
        control: &Control,
        operands: &[Type],
        args: &[Type],
        yields: &[Type],
        results: &[Type],
    ) {
        let n_ranges = self.kernel.n_ranges(op);
        let n_operands = 3 * n_ranges + results.len();
        let n_carried = results.len().checked_sub(control.reductions.len());
        let Some(n_carried) = n_carried.filter(|_| operands.len() == n_operands && n_ranges > 0) else {
            return self
                .require(false, "carried", || format!("{} operands, {} results", operands.len(), results.len()));
        };
        if args.len() != n_ranges + n_carried {
            return self.require(false, "blocks", || format!("{} arguments, not {}", args.len(), n_ranges + n_carried));
        }
        let (ranges, inits) = operands.split_at(3 * n_ranges);
        for (range, index) in ranges.chunks(3).zip(args) {
            let whole =
                index.lanes().is_none() && index.data_elem().is_some_and(|elem| ElemSet::INTEGERS.contains(elem));
            let same = range.iter().all(|ty| ty == index);
            self.require(whole && same, "ranges", || format!("an index {index} in a range of {}", list(range)));
        }
        let is_nest = self.kernel.ops[op].code == Code::Foreach && !self.is_together(op) && n_ranges > 1;
        self.require(!is_nest || results.is_empty(), "one-range", || format!("it yields {}", list(yields)));
        let carried = [&args[n_ranges..], yields.get(..n_carried).unwrap_or_default(), &results[..n_carried]];
        let agree = carried.into_iter().all(|types| *types == inits[..n_carried]) && yields.len() == results.len();
        self.require(agree, "carried", || disagree(inits, &args[n_ranges..], yields, results));
        self.reductions(control, n_carried, inits, yields, results);
    }

    /// The last values of a loop, which are joined.
    fn reductions(&mut self, control: &Control, n_carried: usize, inits: &[Type], yields: &[Type], results: &[Type]) {
        for (number, fold) in control.reductions.iter().enumerate() {
            let at = n_carried + number;
            let joined = inits.get(at).and_then(|ty| ty.data_elem()).filter(|&elem| fold.class().contains(elem));
            let fits = joined.is_some_and(|elem| {
                let contributed = Type::Data { elem, lanes: control.width };
                let partials = fold.partials(elem).map(|count| Type::Data { elem, lanes: Some(count as u16) });
                let starts = inits[at] == Type::scalar(elem) || Some(inits[at]) == partials;
                starts && results.get(at) == inits.get(at) && yields.get(at) == Some(&contributed)
            });
            self.require(fits, "reductions", || {
                format!("`{}` joins {}", fold.symbol(), list(yields.get(at..=at).unwrap_or_default()))
            });
        }
    }
}

/// Says whether a type is that of an array of elements.
fn is_array(ty: &Type) -> bool {
    matches!(ty, Type::View { item: CellType::Elem(_), rank: 1.., lanes: None })
}

/// The mismatch of the values that a loop carries.
fn disagree(inits: &[Type], args: &[Type], yields: &[Type], results: &[Type]) -> String {
    let [inits, args, yields, results] = [inits, args, yields, results].map(list);
    format!("it starts from {inits}; its arguments are {args}; it yields {yields}; its results are {results}")
}
