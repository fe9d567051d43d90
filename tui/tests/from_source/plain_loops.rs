//! The plain loops of the benchmarks, on arrays of every length from zero to a little more than three groups of lanes,
//! and of some longer ones: mistakes in vector code are most likely where groups begin and end.

use std::path::Path;
use std::sync::Arc;

use fastrand::Rng;
use hir::eval::{ArgValue, Array, Element};
use ir::{Elem, Kernel, Scalar, Type};
use native::protocol::Guard;
use queries::db::file_items;
use queries::db::{Database, File};
use queries::sequential;
use queries::stages::Options;
use queries::stages::target::Target;

use crate::{Configuration, client, differs, interpreted, targets};

#[test]
fn strict_loops_of_every_length() {
    check("strict.lane");
}

#[test]
fn loops_with_exits_of_every_length() {
    check("exits.lane");
}

#[test]
fn classic_loops_of_every_length() {
    check("classic.lane");
}

#[test]
fn numeric_loops_of_every_length() {
    check("numeric.lane");
}

#[test]
fn image_and_audio_loops_of_every_length() {
    check("media.lane");
}

#[test]
fn loops_over_texts_and_tables_of_every_length() {
    check("records.lane");
}

#[test]
fn statements_in_a_row_on_other_data() {
    check("packs.lane");
}

#[test]
fn reordered_loops_of_every_length() {
    check("reassoc.lane");
}

#[test]
fn slices_with_steps_of_every_length() {
    check_text(SLICES);
}

/// Slices with steps that are known and unknown, of rows and of slices, that are loaded from and stored to, forth and back.
const SLICES: &str = "\
kernel every(a: f32[n], b: f32[n], out: f32[n], n: i32):
    let s = n // 5 + 1
    let x = a[::s]
    let y = b[::-s]
    for i in range(length(x)):
        out[i] = x[i] * 2.0 - y[i]

kernel every_where(a: i64[n], at: i32[n], out: i64[n], n: i32):
    let s = n // 4 + 1
    let x = a[1::s]
    for i in range(length(x)):
        if at[i] % 3 == 0:
            out[i] = x[i] + 1

kernel into_every(a: f64[n], out: f64[n], n: i32):
    let s = 1 - n // 6 - 2
    let x = out[::s]
    for i in range(length(x)):
        x[i] = a[i] + 1.0

kernel bytes(a: u8[n], out: u8[n], n: i32):
    let s = n // 7 + 2
    out[::s] = a[::s] + a[::-s]

kernel of_slices(a: u32[n], out: u32[n], n: i32):
    let s = n // 9 + 1
    let x = a[1 : n - 1][::s][1::2]
    for i in range(length(x)):
        out[i] = x[i] * 3

kernel rows(m: i16[n, n], out: i16[n, n], n: i32):
    let s = n // 8 + 1
    for i in range(n):
        let x = m[i, ::s]
        let y = out[i][::-s]
        for j in range(length(x)):
            y[j] = x[j] ^ i16(j)

kernel columns(m: f32[n, n], out: f32[n], n: i32):
    let s = n // 8 + 1
    let x = m[::s, n // 2]
    for i in range(length(x)):
        out[i] = x[i]

kernel of_known_size(a: f32[64], out: f32[64], n: u8):
    let x = a[::i32(n) % 5 + 2]
    for i in range(length(x)):
        out[i] = x[i] + 0.5
";

fn check(name: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/loops").join(name);
    check_text(&std::fs::read_to_string(path).expect("the loops"));
}

fn check_text(text: &str) {
    let Some(client) = client() else { return };
    let db = Database::default();
    let file = File::new(&db, Arc::from(text));
    for &item in file_items(&db, file).iter().filter(|item| item.kind(&db) == syntax::ItemKind::Kernel) {
        let name: &str = item.name(&db);
        let Some(kernel) = &sequential(&db, item).kernel else { panic!("{name} is not lowered") };
        let mut n_compared = 0;
        for target in targets() {
            for n in lengths(kernel, target) {
                let args = arguments(kernel, n);
                let Some(expected) = interpreted(&db, item, &args) else { continue };
                n_compared += 1;
                let guard = if n % 2 == 0 { Guard::Start } else { Guard::End };
                let place = Configuration { options: Options { lanes: None, target }, guard, threads: 1 };
                let how = differs(client, &db, item, &args, &place, &expected);
                assert!(how.is_none(), "{name}, n = {n}\n{}\n{args:?}", how.unwrap_or_default());
            }
        }
        // How many targets there are is a matter of the machine.
        let least = 5 * targets().count();
        assert!(n_compared > least, "{name} ran {n_compared} times without an error");
    }
}

/// Returns the lengths to test: all short ones and some longer ones; for arrays of two dimensions, those around whole
/// groups.
fn lengths(kernel: &Kernel, target: &Target) -> Vec<i64> {
    let views: Vec<Type> = kernel.params.iter().map(|param| kernel.ty(param.value)).collect();
    let widest = views.iter().filter_map(|ty| ty.elem()).map(Elem::bytes).max().unwrap_or(4);
    let lanes = i64::from(target.lanes_for(widest));
    let has_planes = kernel.params.iter().any(|param| param.sizes.len() > 1);
    // Several groups are interleaved, and sums in a fixed order work on blocks of 64 elements.
    let further = [4 * lanes - 1, 4 * lanes, 4 * lanes + 1, 5 * lanes, 9 * lanes + 3, 64, 65, 130, 200];
    let mut lengths: Vec<i64> = match has_planes {
        true => vec![0, 1, 2, 3, lanes - 1, lanes, lanes + 1, 2 * lanes + 1],
        false => (0..=3 * lanes + 1).chain(further).collect(),
    };
    lengths.sort_unstable();
    lengths.dedup();
    lengths
}

/// Generates arguments of a length, deterministically. Every integer parameter is the length, but for a `step`, which is 1 and 2 in turns.
/// Arrays named `at` and `columns` hold subscripts; in one named `rows` they ascend.
fn arguments(kernel: &Kernel, n: i64) -> Vec<ArgValue> {
    let mut rng = Rng::with_seed(n as u64);
    let of_param = |param: &ir::Param| {
        let number = |value: ir::Value| match kernel.values[value].name.as_deref() {
            Some("step") => 1 + n % 2,
            _ => n,
        };
        let size = |size: &ir::DimSize| {
            size.evaluate(&|value| Some(number(value).into())).and_then(|size| i64::try_from(size).ok())
        };
        let sizes: Vec<i64> = param.sizes.iter().map(|own| size(own).unwrap_or(n)).collect();
        let n_cells: i64 = sizes.iter().product();
        let name = kernel.values[param.value].name.as_deref();
        let holds_subscripts = matches!(name, Some("at" | "columns" | "rows"));
        let mut array = |element: Element| {
            let elems = element.fields().to_vec();
            let cells = (0..n_cells).flat_map(|_| elems.clone()).map(|elem| match holds_subscripts {
                true => Scalar::wrap(elem, rng.i64(0..n.max(1)).into()),
                false => cell(&mut rng, elem),
            });
            let mut cells: Vec<Scalar> = cells.collect();
            if name == Some("rows") {
                cells.sort_by_key(|cell| cell.wide());
            }
            ArgValue::Array(Array { cells, element, sizes: sizes.clone() })
        };
        match kernel.ty(param.value) {
            Type::Data { elem, .. } if elem.is_float() => ArgValue::Scalar(float(elem, 0.375)),
            Type::Data { elem, .. } => ArgValue::Scalar(Scalar::wrap(elem, number(param.value).into())),
            Type::View { item: ir::CellType::Elem(elem), .. } => array(Element::Scalar(elem)),
            Type::View { item: ir::CellType::Struct(decl), .. } => {
                array(Element::Struct(kernel.structs[decl].leaves().map(|(_, elem)| elem).collect()))
            }
        }
    };
    kernel.params.iter().map(of_param).collect()
}

/// Generates a value, now and then one that is difficult for arithmetic.
fn cell(rng: &mut Rng, elem: Elem) -> Scalar {
    const WILD: [f64; 10] =
        [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0, 0.0, 1e-45, -1e-40, 5e-324, 3e38, f64::MAX];
    let wild = rng.u32(..6) == 0;
    match elem {
        Elem::F32 | Elem::F64 if wild => float(elem, WILD[rng.usize(..WILD.len())]),
        Elem::F32 | Elem::F64 => float(elem, rng.f64() * 4.0 - 2.0),
        _ => match elem.integer_range() {
            Some((least, greatest)) if wild && elem.bytes() < 4 => {
                Scalar::wrap(elem, if rng.bool() { least } else { greatest })
            }
            Some((least, _)) => Scalar::wrap(elem, rng.i128(if least < 0 { -50 } else { 0 }..=100)),
            None => Scalar::Bool(rng.bool()),
        },
    }
}

fn float(elem: Elem, number: f64) -> Scalar {
    if elem == Elem::F32 { Scalar::F32(number as f32) } else { Scalar::F64(number) }
}
