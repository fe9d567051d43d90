//! Arguments of the evaluator as memory of the interpreter.

use hir::eval::{ArgValue, Array, Element};
use ir::Scalar;
use ir::interp::{self, Inputs};

/// The evaluator's arguments as the interpreter's.
pub(crate) fn inputs(args: &[ArgValue]) -> Inputs {
    let mut inputs = Inputs::new();
    for arg in args {
        inputs = match arg {
            ArgValue::Scalar(scalar) => inputs.scalar(*scalar),
            ArgValue::Array(array) => inputs.bytes(bytes(array), &array.sizes),
            ArgValue::Part { of, from, sizes } => {
                let stride = element_of(args, arg).map_or(1, stride);
                let interp::Arg::Array { memory, start, .. } = inputs.args[*of] else { panic!("part of a scalar") };
                inputs.args.push(interp::Arg::Array { memory, start: start + from * stride, sizes: sizes.clone() });
                inputs
            }
        };
    }
    inputs
}

/// What the cells of an argument's array are.
pub(crate) fn element_of<'a>(args: &'a [ArgValue], arg: &'a ArgValue) -> Option<&'a Element> {
    match arg {
        ArgValue::Scalar(_) => None,
        ArgValue::Array(array) => Some(&array.element),
        ArgValue::Part { of, .. } => element_of(args, &args[*of]),
    }
}

/// The bytes from one element to the next.
pub(crate) fn stride(element: &Element) -> usize {
    let fields = element.fields();
    let align = fields.iter().map(|elem| elem.bytes()).max().unwrap_or(1);
    let last = fields.len() - 1;
    (offset(fields, last) + fields[last].bytes()).next_multiple_of(align)
}

/// An array in memory: each field at the next multiple of its size, as in C.
fn bytes(array: &Array) -> Vec<u8> {
    let (fields, stride) = (array.element.fields(), stride(&array.element));
    let mut bytes = vec![0; array.cells.len() / fields.len() * stride];
    for (n, cell) in array.cells.iter().enumerate() {
        let start = n / fields.len() * stride + offset(fields, n % fields.len());
        let len = cell.elem().bytes();
        bytes[start..start + len].copy_from_slice(&cell.bits().to_le_bytes()[..len]);
    }
    bytes
}

pub(crate) fn cells(bytes: &[u8], element: &Element) -> Vec<Scalar> {
    let fields = element.fields();
    let of_struct = |chunk: &[u8]| -> Vec<Scalar> {
        let field = |n: usize| interp::scalars_of(&chunk[offset(fields, n)..][..fields[n].bytes()], fields[n])[0];
        (0..fields.len()).map(field).collect()
    };
    bytes.chunks_exact(stride(element)).flat_map(of_struct).collect()
}

fn offset(fields: &[ir::Elem], field: usize) -> usize {
    let end = |at: usize, elem: &ir::Elem| at.next_multiple_of(elem.bytes()) + elem.bytes();
    fields[..field].iter().fold(0, end).next_multiple_of(fields[field].bytes())
}
