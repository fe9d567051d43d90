//! Prints Lane IR as LLVM IR: text that a person can read, with the meaning of the language and nothing more.
//!
//! - `values`: types and values as LLVM writes them
//! - [`abi`]: the arguments of a kernel
//! - `function`: a function while it is being written
//! - `checks`: sizes that are compared before anything else
//! - `elementwise`, `lanes`, `views`, `indices`, `access`, `atomics`, `control`: the ops, by kind
//! - `rows`: bytes that change places in the registers of processors without an instruction for it
//! - `picking`: elements of vectors by numbers that are only known at run time
//! - `packing`: active lanes that are stored side by side
//! - `differences`: sums of absolute differences
//! - `running`: what runs on from iteration to iteration, in the fixed order
//! - `halves`: floats of two bytes, whose arithmetic is that of `float`
//! - `software`: arithmetic that some targets have no instruction for
//! - `debug`: source lines as metadata
//! - [`entry`]: a way to call any kernel
//!
//! Nothing is decided here about what a kernel does, how often or in which order: passes do that, and their result is
//! printed op by op. The only choice is which instructions an op becomes, by the target's row of the table.
//!
//! An invariant of this module: a run of the kernel without an error gives the same bits here as in the interpreter.
//! Errors of the program are assumed not to happen in scalar ops; nothing is assumed of vector ops, because a lane that
//! fails may be one that is not demanded.

pub mod abi;
mod access;
mod atomics;
mod checks;
mod control;
mod debug;
mod differences;
mod elementwise;
pub mod entry;
mod function;
mod halves;
mod indices;
mod lane_by_lane;
mod lanes;
mod packing;
mod picking;
mod rows;
mod running;
mod software;
mod tables;
mod values;
mod views;

use std::collections::BTreeSet;
use std::fmt;
use std::fmt::Write;

use ir::{CellType, DimSize, Elem, Family, Kernel, Masks, Op, Target, Type};
use report::SourcePosition;

use abi::{Passed, What};
use debug::Debug;
use function::Function;
use software::Helper;
use tables::Tables;
use values::{Ty, Unit, Val};

/// The source that kernels came from, as far as it is shown beside what becomes of them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Source {
    /// The name of the file.
    pub file: String,
    /// The text of the file.
    pub text: String,
    /// The place in the text for each place that the origins of ops name.
    pub places: Vec<Option<SourcePosition>>,
    /// The step of each loop of the source, by its place (see [`crate::asm::hot::steps`]).
    pub steps: Vec<(u32, i64)>,
}

impl Source {
    /// Returns the place in the text for the number of one.
    pub fn place(&self, number: u32) -> Option<SourcePosition> {
        self.places.get(number as usize).copied().flatten()
    }

    /// Returns the text of a line.
    pub fn line(&self, number: u32) -> Option<&str> {
        self.text.lines().nth(number.checked_sub(1)? as usize)
    }
}

/// A text as metadata of LLVM IR has it: in quotes, with all bytes but plain letters and signs as numbers.
pub fn quoted(text: &str) -> String {
    let escaped: String = text
        .bytes()
        .map(|byte| match byte {
            b' '..=b'~' if byte != b'"' && byte != b'\\' => char::from(byte).to_string(),
            _ => format!("\\{byte:02X}"),
        })
        .collect();
    format!("\"{escaped}\"")
}

/// The reason why a kernel has no native code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotEmitted {
    /// The place of the op, as its origin names it.
    pub place: u32,
    /// The construct for which no code can be emitted.
    pub what: String,
}

impl NotEmitted {
    fn new(kernel: &Kernel, op: Op, what: &str) -> NotEmitted {
        NotEmitted { place: kernel.origins[kernel.ops[op].origin].place, what: what.to_owned() }
    }
}

impl fmt::Display for NotEmitted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is no native code for {}", self.what)
    }
}

/// The parts that a module is made from.
#[derive(Debug, Clone, Copy)]
pub struct Input<'k> {
    /// A kernel, as it is after all passes.
    pub kernel: &'k Kernel,
    /// The source that it came from.
    pub source: &'k Source,
}

/// Optional contents of a module.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ModuleOptions {
    /// An entry for each kernel, to run it by.
    pub entries: bool,
    /// The suffix of each kernel's symbol behind the kernel's name: the target's name, where there are several targets.
    pub suffix: Option<&'static str>,
}

/// The LLVM IR of kernels for a target.
pub fn emit(kernels: &[Input<'_>], target: &Target, options: ModuleOptions) -> Result<String, NotEmitted> {
    let mut text = format!("target triple = \"{}\"\n", target.triple);
    let mut shared = Shared::default();
    for input in kernels {
        text.push_str(&kernel(input, target, options, &mut shared)?);
        if options.entries {
            text.push_str(&entry::entry(&input.kernel.name, &abi::passed(input.kernel), returned(input.kernel)));
        }
    }
    shared.helpers.iter().for_each(|helper| text.push_str(&helper.text()));
    text.push_str(&shared.tables.text());
    text.push_str(&attributes(target));
    text.push_str(&shared.debug.finish());
    Ok(text)
}

/// State that the functions of a module share while they are written.
#[derive(Default)]
struct Shared {
    debug: Debug,
    helpers: BTreeSet<Helper>,
    tables: Tables,
}

fn kernel(
    input: &Input<'_>,
    target: &Target,
    options: ModuleOptions,
    shared: &mut Shared,
) -> Result<String, NotEmitted> {
    let Input { kernel, source } = *input;
    let passed = abi::passed(kernel);
    let first_line = source.place(0).map_or(1, |place| place.line);
    let scope = match source.places.is_empty() {
        true => String::new(),
        false => shared.debug.open_function(&source.file, &kernel.name, first_line),
    };
    let mut function = Function::new(kernel, target, shared, source);
    let mut params = Vec::new();
    for passed in &passed {
        let name = function.fresh(&passed.name);
        params.push((passed.clone(), name));
    }
    bind(&mut function, &params);
    function.body(kernel.body)?;
    let body = function.finish();
    let shown: Vec<String> = params.iter().map(|(passed, name)| param_text(kernel, passed, name)).collect();
    // A register of RISC-V holds 32 bits, signed or not, as the number of 64 bits that their top bit extends them to.
    let extension = match returned(kernel) {
        Returned::Status | Returned::Result(Elem::I32 | Elem::U32) if target.family == Family::RiscV => "signext ",
        _ => "",
    };
    let result = format!("{extension}{}", result_text(kernel));
    let name = match options.suffix {
        Some(suffix) => format!("{}.{suffix}", kernel.name),
        None => kernel.name.to_string(),
    };
    let mut text = String::new();
    let is_sized = target.family == Family::Arm && target.masks == Masks::Bits;
    let (own, linkage) = if is_sized { (format!("{name}.sized"), "internal ") } else { (name.clone(), "") };
    let params = shown.join(", ");
    // A kernel of a few instructions is fetched at once, unless it lies across the end of a line.
    let align = if target.family == Family::X86 { " align 64" } else { "" };
    let _ = writeln!(text, "\ndefine {linkage}{result} @{}({params}) #0{align}{scope} {{", symbol(&own));
    let _ = writeln!(text, "entry:\n{body}}}");
    if is_sized {
        text.push_str(&length_check(target, &name, &result, &shown));
    }
    Ok(text)
}

/// The return value of a kernel's function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Returned {
    Nothing,
    /// The result of the kernel.
    Result(Elem),
    /// The status: its sizes are equal, or some differ.
    Status,
}

fn returned(kernel: &Kernel) -> Returned {
    match kernel.result {
        _ if kernel.marks.checked => Returned::Status,
        Some(elem) => Returned::Result(elem),
        None => Returned::Nothing,
    }
}

/// The type that a kernel's function returns, as text for its definition.
fn result_text(kernel: &Kernel) -> String {
    match returned(kernel) {
        Returned::Nothing => "void".to_owned(),
        Returned::Result(elem) => format!("{}{}", entry::elem_extension(elem), Unit::of(elem)),
        Returned::Status => Unit::Int(32).to_string(),
    }
}

/// The symbol of a kernel whose code is made for registers of one length: it stops where they have another.
fn length_check(target: &Target, name: &str, result: &str, params: &[String]) -> String {
    let scale = target.register_bytes / ARM_UNIT;
    let params = params.join(", ");
    let plain = result.rsplit(' ').next().unwrap_or(result);
    // Names of parameters have no dots.
    let call = match result {
        "void" => format!("  tail call void @{}({params})\n  ret void\n", symbol(&format!("{name}.sized"))),
        _ => format!(
            "  %check.result = tail call {result} @{}({params})\n  ret {plain} %check.result\n",
            symbol(&format!("{name}.sized"))
        ),
    };
    format!(
        "\ndefine {result} @{}({params}) nounwind {{\ncheck.entry:\n  %check.scale = call i64 @llvm.vscale.i64()\n  \
         %check.fits = icmp eq i64 %check.scale, {scale}\n  br i1 %check.fits, label %check.run, label %check.stop\ncheck.stop:\n  \
         call void @llvm.trap()\n  unreachable\ncheck.run:\n{call}}}\n",
        symbol(name)
    )
}

/// A kernel's signature, as LLVM writes it.
pub struct EntrySignature {
    /// The result, with the attribute by which C widens it.
    pub result: String,
    /// The types of parameters, with their attributes.
    pub types: Vec<String>,
    /// The types, each with the name of its parameter.
    pub params: Vec<String>,
}

pub(crate) fn signature(kernel: &Kernel) -> EntrySignature {
    let mut signature = EntrySignature { result: result_text(kernel), types: Vec::new(), params: Vec::new() };
    for (number, passed) in abi::passed(kernel).iter().enumerate() {
        let unit = match &passed.what {
            What::Scalar(elem) => Unit::of(*elem),
            What::Array { .. } | What::Result(_) | What::Scratch => Unit::Ptr,
            What::Size(_) => Unit::Int(64),
        };
        let ty = format!("{unit} {}", entry::extension(&passed.what));
        signature.types.push(ty.trim_end().to_owned());
        signature.params.push(format!("{ty}%arg{number}"));
    }
    signature
}

/// Gives parameters what is passed for them.
fn bind(function: &mut Function<'_>, params: &[(Passed, String)]) {
    let kernel = function.kernel;
    for (passed, name) in params {
        if let What::Scalar(elem) = passed.what {
            passed.param.into_iter().for_each(|param| function.set(param, Val::new(name, Ty::one(Unit::of(elem)))));
        }
        match passed.what {
            What::Scratch => function.scratch = Some(Val::new(name, Ty::PTR)),
            What::Result(_) => function.result = Some(Val::new(name, Ty::PTR)),
            _ => {}
        }
    }
    for param in &kernel.params {
        let Type::View { item, .. } = kernel.ty(param.value) else { continue };
        let find = |wanted: &What| {
            let is = |what: &What| match (what, wanted) {
                (What::Array { .. }, What::Array { .. }) => true,
                (what, wanted) => what == wanted,
            };
            params
                .iter()
                .find(|(passed, _)| passed.param == Some(param.value) && is(&passed.what))
                .map(|(_, name)| name)
        };
        let any = What::Array { item, written: false, alone: false };
        let Some(base) = find(&any) else { continue };
        let sizes = param.sizes.iter().enumerate().map(|(dim, size)| {
            let own = find(&What::Size(dim)).map(|name| Val::new(name, Ty::I64));
            own.or_else(|| function.declared_size(size))
        });
        let sizes: Vec<Option<Val>> = sizes.collect();
        let mut view = function.whole_view(Val::new(base, Ty::PTR), sizes, kernel.item_bytes(item));
        for (dim, size) in view.dims.iter_mut().zip(&param.sizes) {
            dim.is_short = match size {
                DimSize::Constant(size) => i32::try_from(*size).is_ok(),
                DimSize::Param(value) => {
                    let range = kernel.ty(*value).data_elem().and_then(Elem::integer_range);
                    range.is_some_and(|(_, most)| most <= i32::MAX.into())
                }
                _ => false,
            };
        }
        function.set_view(param.value, view);
    }
}

fn param_text(kernel: &Kernel, passed: &Passed, name: &str) -> String {
    match &passed.what {
        What::Scalar(elem) => format!("{} {}{name}", Unit::of(*elem), entry::extension(&passed.what)),
        What::Size(_) => format!("i64 {name}"),
        What::Result(elem) => format!("ptr align {} {name}", elem.bytes()),
        What::Scratch => format!("ptr noalias align {} {name}", ir::scratch::ALIGN),
        What::Array { item, written, alone } => {
            let alone = if *alone { " noalias" } else { "" };
            let written = if *written { "" } else { " readonly" };
            format!("ptr{alone}{written} align {} {name}", align(kernel, *item))
        }
    }
}

/// The alignment of an array's cells, in bytes.
fn align(kernel: &Kernel, item: CellType) -> usize {
    match item {
        CellType::Elem(elem) => elem.bytes(),
        CellType::Struct(decl) => kernel.structs[decl].fields.iter().map(|field| field.elem.bytes()).max().unwrap_or(1),
    }
}

/// A name as a symbol.
pub(crate) fn symbol(name: &str) -> String {
    let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$'));
    if plain { name.to_owned() } else { format!("\"{name}\"") }
}

/// The bytes that lengths of registers are counted in on Arm.
const ARM_UNIT: u16 = 16;
/// The bytes that lengths of registers are counted in on RISC-V.
const RISCV_UNIT: u16 = 8;

/// The attributes of all kernels of a module: nothing unwinds, no calls to a C library are made up, and registers are as
/// long as the target says.
fn attributes(target: &Target) -> String {
    let mut text = String::from("\nattributes #0 = { nounwind \"no-builtins\"");
    match target.family {
        Family::Arm if target.masks == Masks::Bits => {
            let scale = target.register_bytes / ARM_UNIT;
            let _ = write!(text, " vscale_range({scale},{scale})");
        }
        // Longer registers do no harm here: every instruction says how many elements it is about.
        Family::RiscV => {
            let _ = write!(text, " vscale_range({},1024)", target.register_bytes / RISCV_UNIT);
        }
        _ => {}
    }
    if target.family == Family::X86 && target.has_lanes() {
        let bits = 8 * target.register_bytes;
        let _ = write!(text, " \"prefer-vector-width\"=\"{bits}\" \"min-legal-vector-width\"=\"{bits}\"");
    }
    text.push_str(" }\n");
    text
}

/// The element types that C has no name for of its own; `bool` is C's since 1999.
pub fn c_type(elem: Elem) -> &'static str {
    match elem {
        Elem::Bool => "bool",
        Elem::I8 => "int8_t",
        Elem::I16 => "int16_t",
        Elem::I32 => "int32_t",
        Elem::I64 => "int64_t",
        Elem::U8 => "uint8_t",
        Elem::U16 => "uint16_t",
        Elem::U32 => "uint32_t",
        Elem::U64 => "uint64_t",
        Elem::F32 => "float",
        Elem::F64 => "double",
        // Few compilers have types for these, and they do not agree how they are passed.
        Elem::F16 => "uint16_t /* f16 */",
        Elem::Bf16 => "uint16_t /* bf16 */",
    }
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    fn files(folder: &Path) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
        entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
    }

    #[test]
    fn what_is_printed_was_decided_before() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/emit");
        let files: Vec<PathBuf> =
            files(&folder).into_iter().filter(|path| path.extension().is_some_and(|end| end == "rs")).collect();
        assert!(files.len() > 10, "{files:?}");
        for path in files {
            let text = std::fs::read_to_string(&path).expect("a source file");
            for room in
                ["passes::", "facts::", "use_counts", "builder::", "marks.alias", "pipeline::", "Costs", ".cost"]
            {
                let may = room == "marks.alias" && path.ends_with("abi.rs");
                assert!(may || !text.contains(room), "{} asks `{room}`", path.display());
            }
        }
    }
}
