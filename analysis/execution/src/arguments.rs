//! Conversion of described arguments to the inputs of a kernel: scalars, memory, and the sizes of arrays.

use ir::halves::{Bf16, F16};
use ir::{CellType, Elem, Type, interp};
use report::spelling;

use super::{Argument, DataSource, Inputs, NotRun, Scalar};

/// Builds the inputs of a kernel; an error is a sentence about the argument that does not fit, or names those that are missing.
pub(super) fn inputs(kernel: &ir::Kernel, arguments: &[Argument]) -> Result<Inputs, NotRun> {
    let name_of = |param: &ir::Param| kernel.values[param.value].name.as_deref().unwrap_or_default().to_owned();
    let names: Vec<_> = kernel.params.iter().map(name_of).collect();
    check_names(kernel, &names, arguments).map_err(NotRun::Unfit)?;
    let is_missing = |name: &str| arguments.iter().all(|argument| argument.name != name);
    let missing =
        kernel.params.iter().zip(&names).filter(|(param, name)| is_missing(name) && !is_result(kernel, param));
    let missing: Vec<String> = missing.map(|(_, name)| name.clone()).collect();
    if !missing.is_empty() {
        return Err(NotRun::Missing(missing));
    }
    inputs_of(kernel, &names, arguments).map_err(NotRun::Unfit)
}

/// An array of known sizes to which the kernel does nothing but store. It is zeros where it is not given.
fn is_result(kernel: &ir::Kernel, param: &ir::Param) -> bool {
    let mut is_read = count(param).is_none();
    // The array, its fields, and the cells of those that are arrays.
    let mut views = vec![param.value];
    kernel.walk(kernel.body, &mut |_, op| {
        let data = &kernel.ops[op];
        let uses = |operands: &[ir::Value]| operands.iter().any(|value| views.contains(value));
        match data.code {
            ir::Code::Field | ir::Code::Row if uses(&data.operands[..1]) => views.extend(data.results.iter().copied()),
            ir::Code::Store => is_read |= uses(&data.operands[1..]),
            _ => is_read |= uses(&data.operands),
        }
    });
    !is_read
}

/// The number of elements of an array whose sizes are all constant.
fn count(param: &ir::Param) -> Option<u64> {
    let constant = |size: &ir::DimSize| match size {
        ir::DimSize::Constant(size) => u64::try_from(*size).ok(),
        _ => None,
    };
    if param.sizes.is_empty() { None } else { param.sizes.iter().map(constant).product() }
}

/// Checks that each argument has the name of a parameter, and no other argument has it.
fn check_names(kernel: &ir::Kernel, names: &[String], arguments: &[Argument]) -> Result<(), String> {
    for (n, argument) in arguments.iter().enumerate() {
        if !names.contains(&argument.name) {
            let candidates: Vec<_> = names.iter().map(String::as_str).collect();
            let meant = spelling::closest(&argument.name, &candidates);
            let meant = meant.map_or_else(String::new, |meant| format!("; did you mean `{meant}`?"));
            return Err(format!("`{}` has no parameter `{}`{meant}", kernel.name, argument.name));
        }
        if arguments[..n].iter().any(|before| before.name == argument.name) {
            return Err(format!("`{}` is given more than once", argument.name));
        }
    }
    Ok(())
}

/// Builds the inputs from one argument for each parameter.
fn inputs_of(kernel: &ir::Kernel, names: &[String], arguments: &[Argument]) -> Result<Inputs, String> {
    let given = |name: &str| arguments.iter().find(|argument| argument.name == name);
    let mut inputs = Inputs::new();
    // Scalars come first, since declared sizes are made of them.
    let scalars: Vec<Option<Scalar>> = kernel
        .params
        .iter()
        .zip(names)
        .map(|(param, name)| match kernel.ty(param.value) {
            Type::Data { elem, .. } => scalar(name, elem, &given(name).expect("none is missing").source).map(Some),
            Type::View { .. } => Ok(None),
        })
        .collect::<Result<_, _>>()?;
    let value_of = |value: ir::Value| {
        let n = kernel.params.iter().position(|param| param.value == value)?;
        scalars[n]?.wide()
    };
    let mut places = vec![None; names.len()];
    for (n, (param, name)) in kernel.params.iter().zip(names).enumerate() {
        if let Some(scalar) = scalars[n] {
            inputs = inputs.scalar(scalar);
            continue;
        }
        let zeros = DataSource::Zeros(count(param).unwrap_or(0));
        let source = given(name).map_or(&zeros, |given| &given.source);
        let cell = kernel.item_bytes(cells_of(kernel, param));
        if let DataSource::PartOf(other, from) = source {
            let whole = names.iter().position(|name| name == other).and_then(|other| places[other]);
            let Some((memory, len)) = whole else {
                return Err(format!("`{name}` is to be a part of `{other}`, which is no array parameter before it"));
            };
            let len: u64 = len;
            let left = len.checked_sub(*from).ok_or_else(|| format!("`{other}` has only {len} elements"))?;
            let sizes = sizes(name, param, left, &value_of)?;
            inputs.args.push(interp::Arg::Array { memory, start: *from as usize * cell, sizes });
            continue;
        }
        let bytes = array(name, kernel, param, source)?;
        let len = (bytes.len() / cell) as u64;
        let sizes = sizes(name, param, len, &value_of)?;
        places[n] = Some((inputs.memory.len(), len));
        inputs = inputs.bytes(bytes, &sizes);
    }
    Ok(inputs)
}

pub(super) fn cells_of(kernel: &ir::Kernel, param: &ir::Param) -> CellType {
    match kernel.ty(param.value) {
        Type::View { item, .. } => item,
        Type::Data { elem, .. } => CellType::Elem(elem),
    }
}

/// Returns the sizes of an array's dimensions. The product of declared sizes must be the number of elements that are given.
fn sizes(
    name: &str,
    param: &ir::Param,
    len: u64,
    value_of: &impl Fn(ir::Value) -> Option<i128>,
) -> Result<Vec<i64>, String> {
    if let [ir::DimSize::Own] = param.sizes[..] {
        return Ok(vec![len as i64]);
    }
    let declared: Option<Vec<i128>> = param.sizes.iter().map(|size| size.evaluate(value_of)).collect();
    let declared = declared.ok_or_else(|| match param.sizes.contains(&ir::DimSize::Own) {
        true => format!("nothing says how long the rows of `{name}` are; write its type"),
        false => format!("no number stands for the size of `{name}`: it divides by 0, or is too large"),
    })?;
    let count: i128 = declared.iter().product();
    if count != i128::from(len) || declared.iter().any(|&size| size < 0) {
        let says = match &declared[..] {
            [size] => size.to_string(),
            sizes => {
                format!("[{}], which is {count}", sizes.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "))
            }
        };
        return Err(format!("`{name}` is given {len} elements, and its type says {says}"));
    }
    Ok(declared.into_iter().map(|size| size as i64).collect())
}

fn scalar(name: &str, elem: Elem, source: &DataSource) -> Result<Scalar, String> {
    match source {
        DataSource::Number(text) => number(name, elem, text),
        _ => Err(format!("`{name}` is a single `{elem}`; give it a number")),
    }
}

fn number(name: &str, elem: Elem, text: &str) -> Result<Scalar, String> {
    let text = text.trim();
    let word = text.trim_start_matches(['+', '-']).to_ascii_lowercase();
    let infinity = if text.starts_with('-') { f64::NEG_INFINITY } else { f64::INFINITY };
    let is_infinite = ["inf", "infinity"].contains(&&*word);
    let special = if word == "nan" { Some(f64::NAN) } else { is_infinite.then_some(infinity) };
    let parsed = match (elem, special) {
        (Elem::F32, Some(value)) => Some(Scalar::F32(value as f32)),
        (Elem::F64, Some(value)) => Some(Scalar::F64(value)),
        (Elem::F16 | Elem::Bf16, Some(value)) => ir::scalar::cast(Scalar::F64(value), elem).ok(),
        (Elem::F16 | Elem::Bf16, None) => Scalar::parse(elem, text),
        (Elem::F32, None) => text.parse().ok().map(Scalar::F32),
        (Elem::F64, None) => text.parse().ok().map(Scalar::F64),
        (Elem::Bool, None) => match text {
            "true" | "1" => Some(Scalar::Bool(true)),
            "false" | "0" => Some(Scalar::Bool(false)),
            _ => None,
        },
        (elem, None) => text.parse().ok().and_then(|value| Scalar::from_wide(elem, value)),
        (_, Some(_)) => None,
    };
    parsed.ok_or_else(|| format!("`{text}` is no `{elem}`, which `{name}` takes"))
}

/// Builds the memory of an array.
fn array(name: &str, kernel: &ir::Kernel, param: &ir::Param, source: &DataSource) -> Result<Vec<u8>, String> {
    let (fields, cell): (Vec<(usize, Elem)>, usize) = match cells_of(kernel, param) {
        CellType::Elem(elem) => (vec![(0, elem)], elem.bytes()),
        CellType::Struct(decl) => {
            let decl = &kernel.structs[decl];
            (decl.leaves().collect(), decl.bytes())
        }
    };
    if let DataSource::Bytes(held, bytes) = source {
        let fits = matches!(&fields[..], [(0, elem)] if elem == held);
        return if fits {
            Ok(bytes.clone())
        } else {
            Err(format!("the numbers for `{name}` are `{held}`, which it does not take"))
        };
    }
    let n_cells = match source {
        DataSource::Number(_) => {
            return Err(format!("`{name}` is an array; give it a list such as `[1, 2, 3]`, or `ramp(8)`"));
        }
        DataSource::List(items) if items.len() % fields.len() != 0 => {
            return Err(format!(
                "`{name}` takes {} numbers for each struct, and {} are given",
                fields.len(),
                items.len()
            ));
        }
        DataSource::List(items) => (items.len() / fields.len()) as u64,
        DataSource::Ramp(n) | DataSource::Random(n, _) | DataSource::Zeros(n) | DataSource::Fill(n, _) => *n,
        DataSource::PartOf(..) | DataSource::Bytes(..) => 0,
    };
    const MOST: u64 = 1 << 30;
    if n_cells.saturating_mul(cell as u64) > MOST {
        return Err(format!("`{name}` would take more than 1 GiB"));
    }
    let mut bytes = vec![0; n_cells as usize * cell];
    let mut random = Random(match source {
        DataSource::Random(_, seed) => *seed,
        _ => 0,
    });
    for (n, cell) in bytes.chunks_exact_mut(cell).enumerate() {
        for (field, &(at, elem)) in fields.iter().enumerate() {
            let scalar = match source {
                DataSource::List(items) => number(name, elem, &items[n * fields.len() + field])?,
                DataSource::Fill(_, text) => number(name, elem, text)?,
                DataSource::Ramp(_) => from_count(elem, n as u64),
                DataSource::Random(..) => random.scalar(elem),
                _ => Scalar::zero(elem),
            };
            cell[at..at + elem.bytes()].copy_from_slice(&scalar.bits().to_le_bytes()[..elem.bytes()]);
        }
    }
    Ok(bytes)
}

/// Converts a count to a number of any type; one that does not fit an integer type keeps its low bits.
fn from_count(elem: Elem, n: u64) -> Scalar {
    match elem {
        Elem::F32 => Scalar::F32(n as f32),
        Elem::F64 => Scalar::F64(n as f64),
        Elem::F16 | Elem::Bf16 => ir::scalar::cast(Scalar::U64(n), elem).unwrap_or(Scalar::zero(elem)),
        Elem::Bool => Scalar::Bool(n != 0),
        elem => Scalar::wrap(elem, i128::from(n)),
    }
}

/// The SplitMix64 generator, which gives the same numbers for a seed on every machine.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn scalar(&mut self, elem: Elem) -> Scalar {
        let bits = self.next();
        match elem {
            Elem::F32 => Scalar::F32((bits >> 40) as f32 / (1u64 << 24) as f32),
            Elem::F64 => Scalar::F64((bits >> 11) as f64 / (1u64 << 53) as f64),
            Elem::F16 => Scalar::F16(F16::round((bits >> 53) as f64 / f64::from(1 << 11))),
            Elem::Bf16 => Scalar::Bf16(Bf16::round((bits >> 56) as f64 / f64::from(1 << 8))),
            Elem::Bool => Scalar::Bool(bits >> 63 == 1),
            elem => Scalar::wrap(elem, i128::from(bits % 100)),
        }
    }
}
