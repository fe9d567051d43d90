//! Kernels as text: Python-like lines that read back to an equal kernel.
//!
//! - One line for each op that is not written inside its user (see [`crate::lines`]), blocks 4 spaces deeper.
//! - A type stands where it would not come out by itself (see `infer.rs`), on numbers as `i64(1)`; on
//!   parameters as `n: i64` or `a: f32[n, (2 * m)]` (`?` is a size of which nothing is known), also where the
//!   type is neither `f32` nor `i32`, or sizes are known.
//! - A new array, and a view that a control op gives, shows its shape: `let t: f32[n, (2 * m)] = …`, as far as
//!   [`crate::shapes`] knows it.
//! - Numbers of lanes are written where they are not those of the block's `vector_for`, or else of the kernel. Inside
//!   of a `foreach` whose lanes run together all is scalar, and none are written.
//! - An op whose short form would read as another op is written as a call: `add(base, lane_id)`.

use std::collections::HashSet;
use std::fmt::Write;

use crate::entities::{Op, Region, Value};
use crate::infer::{self, Site};
use crate::lines::{self, Layout, Names};
use crate::ops::{Code, Key, OperandSlot, PrintForm};
use crate::program::{Attr, Control, DimSize, Kernel, LaneVerdict};
use crate::scalar::Scalar;
use crate::shapes::{self, Shapes};
use crate::types::{CellType, Elem, Type};

/// A kernel's text, and what stands on its lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Printed {
    /// The text; every line ends with a line break.
    pub text: String,
    /// For each line, the ops that are written on it, outermost first.
    pub lines: Vec<Vec<Op>>,
}

/// Prints a kernel as text, with the ops of each line.
pub fn print(kernel: &Kernel) -> Printed {
    print_with_comments(kernel, &|_| None)
}

/// Prints a kernel as text, and behind the line that an op starts on what somebody has to say about it. Reading skips that.
pub fn print_with_comments(kernel: &Kernel, comments: &dyn Fn(Op) -> Option<String>) -> Printed {
    let layout = lines::layout(kernel);
    let names = Names::new(kernel, &layout);
    let written = written_types(kernel);
    let arrays = seen_as_arrays(kernel);
    let mut printer = Printer {
        kernel,
        layout,
        names,
        written,
        arrays,
        shapes: kernel.has_whole_arrays().then(|| shapes::of(kernel)),
        comments,
        comment: None,
        out: Printed { text: String::new(), lines: vec![Vec::new()] },
        depth: 0,
        lanes: kernel.lanes,
    };
    printer.kernel();
    printer.out.lines.pop();
    printer.out
}

/// The places where a type has to be written: those where another would come out otherwise.
fn written_types(kernel: &Kernel) -> HashSet<Site> {
    let sites = sites(kernel);
    // A parameter of another type than `f32` and `i32` always shows it, even where it would be inferred.
    let is_plain = |site: &Site| matches!(actual(kernel, *site), None | Some(Elem::F32 | Elem::I32));
    let is_param = |site: &Site| matches!(site, Site::Param(_));
    let mut written: HashSet<Site> = sites.iter().filter(|site| is_param(site) && !is_plain(site)).copied().collect();
    // Parameters go first: what they say usually settles the numbers.
    for chosen in [is_param as fn(&Site) -> bool, |_| true] {
        loop {
            let types = |site| written.contains(&site).then(|| actual(kernel, site)).flatten();
            let inferred = infer::infer(kernel, &types);
            let wrong = |site: &&Site| actual(kernel, **site).is_some_and(|elem| elem != inferred.site(**site));
            let missing: Vec<Site> = sites.iter().filter(|site| chosen(site)).filter(wrong).copied().collect();
            let before = written.len();
            written.extend(missing);
            if written.len() == before {
                break;
            }
        }
    }
    written
}

/// The values that the text shows by some use to be arrays: a use by an op that takes only views there.
fn seen_as_arrays(kernel: &Kernel) -> HashSet<Value> {
    let mut seen = HashSet::new();
    kernel.walk(kernel.body, &mut |_, op| {
        let data = &kernel.ops[op];
        if let Some(OperandSlot::View | OperandSlot::Structs | OperandSlot::AnyView) = data.code.row().slots.first() {
            seen.extend(data.operands.first());
        }
    });
    seen
}

/// The element type that a place has.
fn actual(kernel: &Kernel, site: Site) -> Option<Elem> {
    let value = match site {
        Site::Param(value) => value,
        Site::Operand(op, number) => kernel.ops[op].operands[number],
        Site::Yield(region, number) => kernel.regions[region].yields[number],
    };
    kernel.ty(value).elem()
}

/// All places where a type may be written.
fn sites(kernel: &Kernel) -> Vec<Site> {
    let mut sites: Vec<Site> = kernel.params.iter().map(|param| Site::Param(param.value)).collect();
    let is_const = |value: &Value| kernel.as_const(*value).is_some();
    let yields = |region: Region| {
        let yields = kernel.regions[region].yields.iter().enumerate();
        yields.filter(|(_, value)| is_const(value)).map(move |(number, _)| Site::Yield(region, number))
    };
    sites.extend(yields(kernel.body));
    kernel.walk(kernel.body, &mut |_, op| {
        let operands = kernel.ops[op].operands.iter().enumerate().filter(|(_, value)| is_const(value));
        sites.extend(operands.map(|(number, _)| Site::Operand(op, number)));
        sites.extend(kernel.ops[op].regions.iter().flat_map(|&region| yields(region)));
    });
    sites
}

struct Printer<'k> {
    kernel: &'k Kernel,
    layout: Layout,
    names: Names,
    written: HashSet<Site>,
    arrays: HashSet<Value>,
    /// The shapes of arrays, of a kernel that still works on whole ones.
    shapes: Option<Shapes>,
    comments: &'k dyn Fn(Op) -> Option<String>,
    /// The comment on the op that the present line starts with.
    comment: Option<String>,
    out: Printed,
    depth: usize,
    /// The number of lanes that a vector has if its text does not say.
    lanes: Option<u16>,
}

impl Printer<'_> {
    fn text(&mut self, text: &str) {
        self.out.text.push_str(text);
    }

    /// Ends the present line.
    fn end(&mut self) {
        if let Some(comment) = self.comment.take() {
            self.text(&format!("  # {comment}"));
        }
        self.text("\n");
        self.out.lines.push(Vec::new());
    }

    fn indent(&mut self) {
        for _ in 0..self.depth {
            self.text("    ");
        }
    }

    /// Notes that an op is written on the line.
    fn note(&mut self, op: Op) {
        self.out.lines.last_mut().expect("a line is open").push(op);
    }

    fn name(&mut self, value: Value) {
        let name = self.names.of(value);
        self.out.text.push_str(name);
    }

    /// Writes a list with commas between its items.
    fn list<T>(&mut self, items: impl IntoIterator<Item = T>, mut each: impl FnMut(&mut Self, T)) {
        for (number, item) in items.into_iter().enumerate() {
            if number > 0 {
                self.text(", ");
            }
            each(self, item);
        }
    }

    fn kernel(&mut self) {
        let kernel = self.kernel;
        for (_, decl) in kernel.structs.iter() {
            self.text(&format!("struct {}:", decl.name));
            self.end();
            for field in &decl.fields {
                self.text(&format!("    {}: {}{}", field.name, field.elem, field.dims()));
                self.end();
            }
            self.end();
        }
        if kernel.marks.fast {
            self.text("@fast");
            self.end();
        }
        for &(a, b) in &kernel.marks.alias {
            self.text(&format!("@alias({}, {})", self.names.of(a), self.names.of(b)));
            self.end();
        }
        if kernel.marks.no_copy {
            self.text("@no_copy");
            self.end();
        }
        if kernel.marks.no_scratch {
            self.text("@no_scratch");
            self.end();
        }
        if kernel.marks.threads {
            self.text("@threads");
            self.end();
        }
        if kernel.marks.checked {
            self.text("@checked");
            self.end();
        }
        if let Some(bytes) = &kernel.marks.scratch {
            let name = |number: usize| self.names.of(kernel.params[number].value).to_owned();
            let bytes = bytes.written(&name);
            self.text(&format!("@scratch({bytes})"));
            self.end();
        }
        self.text(&format!("kernel {}(", kernel.name));
        self.list(&kernel.params, |p, param| p.param(param.value, &param.sizes));
        self.text(")");
        if let Some(elem) = kernel.result {
            self.text(&format!(" -> {elem}"));
        }
        self.text(":");
        self.end();
        self.block(kernel.body, "return");
    }

    fn param(&mut self, value: Value, sizes: &[DimSize]) {
        self.name(value);
        let ty = self.kernel.ty(value);
        let written = self.written.contains(&Site::Param(value));
        match ty {
            Type::Data { elem, .. } if written => self.text(&format!(": {elem}")),
            Type::Data { .. } => {}
            Type::View { item: CellType::Elem(_), rank: 1, .. }
                if !written && sizes == [DimSize::Own] && self.arrays.contains(&value) => {}
            Type::View { item, .. } => self.shape(item, sizes),
        }
    }

    /// The type of an array with its sizes.
    fn shape(&mut self, item: CellType, sizes: &[DimSize]) {
        self.text(": ");
        match item {
            CellType::Elem(elem) => self.text(elem.name()),
            CellType::Struct(decl) => self.text(&self.kernel.structs[decl].name),
        }
        self.text("[");
        self.list(sizes, |p, size| p.size(size));
        self.text("]");
    }

    /// The name of an op's result, with its shape where that is an array which no other op has.
    fn result(&mut self, op: Op, result: Value) {
        self.name(result);
        let shows = self.kernel.is_of_whole_arrays(op) || self.kernel.ops[op].code.is_control();
        let sizes = self.shapes.as_ref().filter(|_| shows).map(|shapes| shapes.sizes(result).to_vec());
        if let (Type::View { item, .. }, Some(sizes)) = (self.kernel.ty(result), sizes) {
            self.shape(item, &sizes);
        }
    }

    fn size(&mut self, size: &DimSize) {
        match size {
            DimSize::Own => self.text("?"),
            DimSize::Constant(size) => self.text(&size.to_string()),
            DimSize::Param(value) => self.name(*value),
            DimSize::Arithmetic(operator, a, b) => {
                self.text("(");
                self.size(a);
                self.text(&format!(" {} ", operator.symbol()));
                self.size(b);
                self.text(")");
            }
        }
    }

    /// A block, one step deeper; `ending` is the word before what it yields.
    fn block(&mut self, region: Region, ending: &str) {
        let kernel = self.kernel;
        self.depth += 1;
        let data = &kernel.regions[region];
        self.statements(region);
        if !data.yields.is_empty() {
            self.indent();
            self.text(ending);
            self.text(" ");
            self.list(0..data.yields.len(), |p, number| p.yielded(region, number));
            self.end();
        } else if data.ops.is_empty() {
            self.indent();
            self.text("pass");
            self.end();
        }
        self.depth -= 1;
    }

    fn statements(&mut self, region: Region) {
        for &op in &self.kernel.regions[region].ops {
            if !self.layout.is_inline(op) {
                self.statement(op);
            }
        }
    }

    fn yielded(&mut self, region: Region, number: usize) {
        let value = self.kernel.regions[region].yields[number];
        self.value(value, Site::Yield(region, number));
    }

    /// A line of its own, with the blocks that follow it.
    fn statement(&mut self, op: Op) {
        let data = &self.kernel.ops[op];
        if let Some(control) = self.kernel.control(op) {
            self.marks(op, control);
        }
        self.comment = (self.comments)(op);
        self.indent();
        self.note(op);
        if !data.results.is_empty() {
            self.text("let ");
            self.list(&data.results, |p, &result| p.result(op, result));
            self.text(" = ");
        }
        match self.kernel.control(op) {
            Some(control) => self.control(op, control),
            None => {
                self.expression(op);
                self.end();
            }
        }
    }

    /// The marks of a loop or branch, on lines above it.
    fn marks(&mut self, op: Op, control: &Control) {
        let marks = &control.marks;
        let has_word = matches!(self.kernel.ops[op].code, Code::For | Code::If | Code::While);
        let lines = [
            marks.lanes.map(|lanes| format!("@lanes({lanes})")),
            marks.unroll.map(|times| format!("@unroll({times})")),
            marks.simd.then(|| "@simd".to_owned()),
            marks.no_gather.then(|| "@no_gather".to_owned()),
            marks.no_scatter.then(|| "@no_scatter".to_owned()),
            marks.stream.then(|| "@stream".to_owned()),
            marks.tiled.then(|| "@tiled".to_owned()),
            (marks.coherent && !has_word).then(|| "@coherent".to_owned()),
            marks.counts.then(|| "@counts".to_owned()),
            marks.disjoint.then(|| "@disjoint".to_owned()),
            marks.rolled.then(|| "@rolled".to_owned()),
            marks.together.map(|times| format!("@together({times})")),
            marks.in_turn.then(|| "@in_turn".to_owned()),
            marks.any_order.then(|| "@any_order".to_owned()),
            marks.nested.then(|| "@nested".to_owned()),
            marks.verdict.map(LaneVerdict::mark),
        ];
        for line in lines.into_iter().flatten() {
            self.indent();
            self.note(op);
            self.text(&line);
            self.end();
        }
    }

    fn operand(&mut self, op: Op, number: usize) {
        let value = self.kernel.ops[op].operands[number];
        self.value(value, Site::Operand(op, number));
    }

    fn value(&mut self, value: Value, site: Site) {
        let inline = self.kernel.def_op(value).filter(|&op| self.layout.is_inline(op));
        match (inline, self.kernel.as_const(value)) {
            (Some(op), _) => {
                self.note(op);
                self.expression(op);
            }
            (None, Some(scalar)) => self.number(scalar, self.written.contains(&site)),
            (None, None) => self.name(value),
        }
    }

    fn number(&mut self, scalar: Scalar, typed: bool) {
        // A cell of a string cannot fail to be written to.
        let _ = if typed { write!(self.out.text, "{scalar:?}") } else { write!(self.out.text, "{scalar}") };
    }

    /// An op in its short form, or as a call where the short form would read as another op.
    fn expression(&mut self, op: Op) {
        let kernel = self.kernel;
        let data = &kernel.ops[op];
        match data.code.row().form {
            PrintForm::Infix(symbol) if !self.reads_as_lane_index(op) => {
                self.text("(");
                self.operand(op, 0);
                self.text(&format!(" {symbol} "));
                self.operand(op, 1);
                self.text(")");
            }
            // Before a number the sign would be part of it.
            PrintForm::Prefix(symbol) if kernel.as_const(data.operands[0]).is_none() => {
                self.text(&format!("({symbol}"));
                self.operand(op, 0);
                self.text(")");
            }
            PrintForm::Convert => self.convert(op),
            PrintForm::Cell => self.cell(op, data.operands.len()),
            PrintForm::SetCell => {
                self.cell(op, data.operands.len() - 1);
                self.text(" = ");
                self.operand(op, data.operands.len() - 1);
            }
            PrintForm::Dot => {
                self.operand(op, 0);
                self.text(".");
                self.field(op);
            }
            PrintForm::LaneId if data.attr == self.lanes_in_force() => self.text("lane_id"),
            PrintForm::LaneIndex if self.is_plain_lane_index(op) => {
                self.text("(");
                self.operand(op, 0);
                self.text(" + lane_id)");
            }
            _ => self.call(op),
        }
    }

    fn lanes_in_force(&self) -> Attr {
        self.lanes.map_or(Attr::None, Attr::Lanes)
    }

    /// Says whether `(x + lane_id)` says all of a lane index.
    fn is_plain_lane_index(&self, op: Op) -> bool {
        let data = &self.kernel.ops[op];
        let step = self.kernel.as_const(data.operands[1]);
        step.is_some_and(|step| step == Scalar::one(step.elem())) && data.attr == self.lanes_in_force()
    }

    /// Says whether a sum would be written just as a lane index is.
    fn reads_as_lane_index(&self, op: Op) -> bool {
        let data = &self.kernel.ops[op];
        let right = || self.kernel.def_op(data.operands[1]).filter(|&op| self.layout.is_inline(op));
        self.lanes.is_some()
            && data.code == Code::Add
            && right().is_some_and(|op| self.kernel.ops[op].code == Code::LaneId)
    }

    fn convert(&mut self, op: Op) {
        let data = &self.kernel.ops[op];
        let Attr::Elem(elem) = data.attr else { panic!("{op}: a cast to {:?}", data.attr) };
        self.text(&format!("{elem}("));
        match self.kernel.as_const(data.operands[0]) {
            // `i64(1)` is a number, so what is cast says its own type.
            Some(scalar) => self.number(scalar, true),
            None => self.operand(op, 0),
        }
        self.text(")");
    }

    /// `a[i, j]`: the operands before `end`.
    fn cell(&mut self, op: Op, end: usize) {
        self.operand(op, 0);
        self.text("[");
        self.list(1..end, |p, number| p.operand(op, number));
        self.text("]");
    }

    fn field(&mut self, op: Op) {
        let data = &self.kernel.ops[op];
        if let (Type::View { item: CellType::Struct(decl), .. }, Attr::Field(field)) =
            (self.kernel.ty(data.operands[0]), &data.attr)
        {
            let name = &self.kernel.structs[decl].fields[usize::from(*field)].name;
            self.text(name);
        }
    }

    fn call(&mut self, op: Op) {
        let data = &self.kernel.ops[op];
        let row = data.code.row();
        self.text(&format!("{}(", row.name));
        self.list(0..data.operands.len(), |p, number| p.operand(op, number));
        let said = match (row.key, &data.attr) {
            (Key::Elem | Key::NewElem, Attr::Elem(elem)) => Some(format!("type={elem}")),
            (Key::NewElem, Attr::Unset(elem)) => Some(format!("unset={elem}")),
            (Key::Cells, Attr::Cells(elem, cells)) => {
                let cells: Vec<_> = cells.iter().map(|cell| cell.to_string()).collect();
                Some(format!("{elem}=[{}]", cells.join(", ")))
            }
            (Key::Type, Attr::Type(ty)) => Some(format!("type={ty}")),
            (Key::Lanes, Attr::Lanes(lanes)) if data.attr != self.lanes_in_force() => Some(format!("lanes={lanes}")),
            (Key::Dim, Attr::Number(0)) => None,
            (Key::Dim, Attr::Number(dim)) => Some(format!("dim={dim}")),
            (Key::Number(key, _), Attr::Number(number)) => Some(format!("{key}={number}")),
            (Key::Pattern, Attr::Pattern(pattern)) => Some(format!("pattern={pattern:?}")),
            (Key::Through, Attr::InMemory) => Some("through=memory".to_owned()),
            (Key::Order, Attr::FreeOrder) => Some("order=free".to_owned()),
            (Key::Past, Attr::PastCache) => Some("past=cache".to_owned()),
            _ => None,
        };
        if let Some(said) = said {
            self.text(if data.operands.is_empty() { "" } else { ", " });
            self.text(&said);
        }
        self.text(")");
    }
}

mod control;

#[cfg(test)]
mod tests;
