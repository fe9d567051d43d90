//! `lanescope build`: object files, and what their callers need: a C header, modules in Rust, C++ and Python. For one target, or for
//! several behind one symbol.

mod ispc;

use std::collections::HashMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use driver::document::Document;
use driver::inputs::parted;
use driver::machine_code::{self, NoCode};
use driver::spills;
use driver::targets::{Chosen, parse_target};
use native::bindings;
use native::dispatch;
use native::emit;
use native::header::{Described, HeaderConstant, header_with};
use native::protocol::CompiledForm;
use queries::db::Item;
use queries::stages::target::{Family, Target};
use queries::stages::{Kernel, Options};
use queries::{JoinKernel, Parts};

use crate::commands::check::draw;
use crate::console::{Console, Outcome};
use crate::documents;

const EXAMPLES: &str = "\
Examples:
  lanescope build examples/scale_audio.lane -o out
  lanescope build blur.lane -o out --target sse4,avx2,avx512
  lanescope build blur.lane -o out --target neon --emit obj,asm,llvm,header
  lanescope build blur.lane -o out --emit obj,rust,python
  lanescope build blur.lane -o out --emit obj,cpp
  lanescope build blur.lane -o out --target neon --triple arm64-apple-macosx14.0
  lanescope build blur.lane -o out --target avx2 --triple x86_64-pc-windows-msvc
  lanescope build kernel.ispc -o out --target sse4-i32x4,avx2-i32x8 -I include

With several x86 targets, `NAME.o` holds one symbol for each kernel, which picks at its first
call, and `NAME.TARGET.o` the code for each: link all of them.";

/// The arguments of `build`.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Files, folders (all `.lane` and `.ispc` files in and under them), or `-` for standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The folder to write to; made if it is not there
    #[arg(short, long, value_name = "DIR")]
    out: PathBuf,
    /// The target, or several of x86 (sse4,avx2,avx512,scalar)
    #[arg(long, value_name = "TARGET", default_value = "native", value_delimiter = ',', value_parser = parse_target)]
    target: Vec<Chosen>,
    /// The system to make objects for, as LLVM names it, instead of Linux
    #[arg(long, value_name = "TRIPLE")]
    triple: Option<String>,
    /// The number of lanes of loops; left out, as many as fill the target's registers
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=64))]
    lanes: Option<u16>,
    /// What to write
    #[arg(long, value_name = "WHAT", value_enum, value_delimiter = ',', default_value = "obj,header")]
    emit: Vec<Emit>,
    /// A folder of headers for ISPC files; may be given several times
    #[arg(short = 'I', value_name = "DIR")]
    include: Vec<String>,
    /// A macro for ISPC files; may be given several times
    #[arg(short = 'D', value_name = "NAME[=VALUE]")]
    define: Vec<String>,
}

/// The kinds of output. (The variants have no doc comments, which would appear in `--help`; the names suffice there.)
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Emit {
    // An object file.
    Obj,
    // Assembly.
    Asm,
    // LLVM IR before LLVM's optimisations.
    Llvm,
    // A header for C and C++.
    Header,
    // A header for C++ alone, with functions of spans.
    Cpp,
    // A module in Rust.
    Rust,
    // A module in Python.
    Python,
}

/// A file to write.
struct Made {
    name: String,
    content: Vec<u8>,
}

/// Runs the command: writes the requested files, and draws the errors of kernels that are left out.
pub fn run(args: &Args, console: &mut Console) -> io::Result<Outcome> {
    let beside_others = (args.target.len() > 1)
        .then(|| Args { target: args.target.iter().map(|chosen| chosen.beside_others()).collect(), ..args.clone() });
    let args = beside_others.as_ref().unwrap_or(args);
    let alone = args.target.iter().find(|chosen| !dispatch::takes_part(chosen.row));
    if let Some(chosen) = alone.filter(|_| args.target.len() > 1) {
        let Target { name, set, .. } = chosen.row;
        let message = match name == set {
            true => format!("`{name}` cannot stand beside other targets: only x86 tells at run time what it can do"),
            false => format!(
                "`{name}` cannot stand beside other targets: that a processor is one is not asked at run time; `{set}` is what it can do"
            ),
        };
        return console.trouble(&message).map(|()| Outcome::Trouble);
    }
    if let Some(message) = args.target.iter().find_map(|chosen| unfit(args.triple.as_deref()?, chosen.row)) {
        return console.trouble(&message).map(|()| Outcome::Trouble);
    }
    let mut made_of: HashMap<PathBuf, String> = HashMap::new();
    let (of_ispc, files) = parted(&args.files);
    let mut outcome = Outcome::Done;
    for path in &of_ispc {
        let found = match ispc::build(path, args, console)? {
            Ok(files) => write_all(&files, &path.display().to_string(), args, &mut made_of, console)?,
            Err(found) => found,
        };
        outcome = outcome.max(found);
    }
    let of_lane = documents::each(&files, "building", console, |document, _, console| {
        // Promises that fail on the targets of the build are errors.
        let document = document.made_for(&args.options());
        match build(&document, args) {
            Ok((files, errors)) => {
                if let outcome @ Outcome::Trouble = write_all(&files, &document.name, args, &mut made_of, console)? {
                    return Ok(outcome);
                }
                // A kernel without an instance is left out as well, and that is no error.
                draw(&document, &document.without_instance(), console)?;
                draw(&document, &errors, console)?;
                Ok(if errors.is_empty() { Outcome::Done } else { Outcome::Refused })
            }
            Err(NoCode::Errors(errors)) => draw(&document, &errors, console).map(|()| Outcome::Refused),
            Err(NoCode::Trouble(message) | NoCode::Stopped(message)) => {
                console.trouble(&message).map(|()| Outcome::Trouble)
            }
        }
    })?;
    Ok(outcome.max(of_lane))
}

/// Writes the files of a source, and prints their names.
fn write_all(
    files: &[Made],
    source: &str,
    args: &Args,
    made_of: &mut HashMap<PathBuf, String>,
    console: &mut Console,
) -> io::Result<Outcome> {
    if let Some(message) = files.iter().find_map(|file| in_the_way(&args.out.join(&file.name), file)) {
        return console.trouble(&format!("{source}: {message}")).map(|()| Outcome::Trouble);
    }
    for file in files {
        let path = args.out.join(&file.name);
        if let Some(other) = made_of.get(&path).filter(|other| **other != *source) {
            let message = format!("{} is made of {other} already: build them into two folders", path.display());
            return console.trouble(&format!("{source}: {message}")).map(|()| Outcome::Trouble);
        }
        made_of.insert(path.clone(), source.to_owned());
        if let Err(error) = write(&path, &file.content) {
            return console.trouble(&format!("{}: {error}", path.display())).map(|()| Outcome::Trouble);
        }
        writeln!(console, "{}", path.display())?;
    }
    Ok(Outcome::Done)
}

impl Args {
    /// Returns the options of the passes, for each target.
    fn options(&self) -> Vec<Options> {
        self.target.iter().map(|chosen| Options { lanes: self.lanes.or(chosen.lanes), target: chosen.row }).collect()
    }

    /// Returns the target description for LLVM, with the requested triple.
    fn machine(&self, chosen: Chosen) -> Target {
        let machine = chosen.machine();
        match &self.triple {
            Some(triple) => Target { triple: triple.clone().into(), ..machine },
            None => machine,
        }
    }
}

/// Returns an error message if a target does not fit the processor of a triple.
fn unfit(triple: &str, target: &Target) -> Option<String> {
    let name = triple.split('-').next().unwrap_or_default();
    let fits = match target.family {
        Family::X86 => name == "x86_64",
        Family::Arm => matches!(name, "aarch64" | "arm64"),
        Family::RiscV => name.starts_with("riscv64"),
        Family::Wasm => name == "wasm32",
    };
    (!fits).then(|| format!("`{}` is no code for `{name}`, which `{triple}` is about", target.name))
}

/// Returns the extension of object files on the target's system.
fn object_extension(target: &Target) -> &'static str {
    if target.triple.ends_with("-msvc") { "obj" } else { "o" }
}

/// The files of a build that people write by hand as well.
const BY_HAND: [&str; 6] = ["h", "hpp", "s", "ll", "rs", "py"];

/// Returns an error message if there is something at a path that is not a file of an earlier build.
fn in_the_way(path: &Path, made: &Made) -> Option<String> {
    if path.is_dir() {
        return Some(format!(
            "{} is a folder, and a file is to be written there: build into another folder",
            path.display()
        ));
    }
    // A build names itself in its header and in the debug information of its code.
    let old = std::fs::read(path).ok()?;
    let extension = Path::new(&made.name).extension()?.to_str()?;
    let by_lanescope = old.windows(9).any(|part| part == b"lanescope");
    (BY_HAND.contains(&extension) && !old.is_empty() && !by_lanescope).then(|| {
        format!(
            "{} was not made by lanescope, and is kept: build into another folder with `-o`, or remove it",
            path.display()
        )
    })
}

fn write(path: &Path, content: &[u8]) -> io::Result<()> {
    path.parent().map_or(Ok(()), std::fs::create_dir_all)?;
    std::fs::write(path, content)
}

/// Builds the files of a document, and collects the errors of kernels that are left out.
fn build(document: &Document, args: &Args) -> Result<(Vec<Made>, Vec<report::Diagnostic>), NoCode> {
    let items = machine_code::choose(document, None)?;
    let (mut items, mut errors) = machine_code::sound(document, &items);
    for (&chosen, options) in args.target.iter().zip(args.options()) {
        for (item, broken) in spills::compiled(document, &items, options, &args.machine(chosen))? {
            items.retain(|other| *other != item);
            errors.extend(broken);
        }
    }
    spills::told_once(&mut errors);
    if items.is_empty() {
        return Err(NoCode::Errors(errors));
    }
    let stem =
        Path::new(&document.name).file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    let stem = stem.trim_matches(['<', '>']);
    let several = args.target.len() > 1;
    let mut files = Vec::new();
    let finished = finished(document, &items, args);
    for (number, &chosen) in args.target.iter().enumerate() {
        let machine = args.machine(chosen);
        let suffix = several.then_some(chosen.row.name);
        let name = suffix.map_or_else(|| stem.to_owned(), |suffix| format!("{stem}.{suffix}"));
        let emission = emit::ModuleOptions { entries: false, suffix };
        let kernels: Vec<_> = finished.iter().map(|one| (one.kernels[number].clone(), one.source.clone())).collect();
        let ir = machine_code::llvm_ir_of(document, &kernels, &machine, emission)?;
        files.extend(forms(args, &name, ir, &machine)?);
    }
    if several {
        let machines: Vec<_> = args.target.iter().map(|chosen| chosen.row.clone()).collect();
        let kernels: Vec<_> = finished.iter().map(|one| &*one.kernels[0]).collect();
        let row = queries::stages::target::find("scalar").unwrap_or(args.target[0].row);
        let plain = args.machine(Chosen { row, is_native: false, lanes: None });
        files.extend(forms(args, stem, dispatch::module(&kernels, &machines), &plain)?);
    }
    let described: Vec<_> = finished.iter().map(|one| Described { kernel: &one.kernels[0], docs: &one.docs }).collect();
    let constants = constants(document, &items);
    for wanted in &args.emit {
        let (extension, text) = match wanted {
            Emit::Header => ("h", header_with(&document.name, &described, &constants)),
            Emit::Cpp => ("hpp", bindings::cpp::module(&document.name, stem, &described, &constants)),
            Emit::Rust => ("rs", bindings::rust::module(&document.name, stem, &described, &constants)),
            Emit::Python => ("py", bindings::python::module(&document.name, stem, &described, &constants)),
            Emit::Obj | Emit::Asm | Emit::Llvm => continue,
        };
        files.push(Made { name: format!("{stem}.{extension}"), content: text.into_bytes() });
    }
    Ok((files, errors))
}

/// The numbers of the variants of all enums that kernels are given, each once.
fn constants(document: &Document, items: &[Item<'_>]) -> Vec<HeaderConstant> {
    let mut found: Vec<HeaderConstant> = Vec::new();
    for (name, elem, variants) in items.iter().flat_map(|&item| queries::enums_of_params(document.db(), item)) {
        for variant in variants.iter() {
            let constant = HeaderConstant { name: format!("{name}_{}", variant.name), value: variant.number, elem };
            if !found.contains(&constant) {
                found.push(constant);
            }
        }
    }
    found
}

/// Compiles a module to the requested kinds of output.
fn forms(args: &Args, name: &str, ir: String, machine: &Target) -> Result<Vec<Made>, NoCode> {
    let mut files = Vec::new();
    let mut add = |extension: &str, content: Vec<u8>| files.push(Made { name: format!("{name}.{extension}"), content });
    if args.emit.contains(&Emit::Obj) {
        add(object_extension(machine), machine_code::object(ir.clone(), machine)?);
    }
    if args.emit.contains(&Emit::Asm) {
        add("s", machine_code::text(ir.clone(), machine, CompiledForm::Assembly)?.into_bytes());
    }
    if args.emit.contains(&Emit::Llvm) {
        add("ll", ir.into_bytes());
    }
    Ok(files)
}

/// A kernel behind all passes.
struct Finished {
    /// Its code for each target, all with the same arguments.
    kernels: Vec<machine_code::Kernel>,
    source: emit::Source,
    /// The lines of its documentation.
    docs: Vec<String>,
}

/// Runs the passes for each target.
fn finished(document: &Document, items: &[Item<'_>], args: &Args) -> Vec<Finished> {
    let options = args.options();
    let finished = |&item: &Item<'_>| {
        let kernels = options.iter().map(|&options| machine_code::finished(document, item, options));
        let mut kernels: Vec<_> = kernels.map(|kernel| kernel.map(Arc::unwrap_or_clone)).collect::<Option<_>>()?;
        dispatch::agree(&mut kernels);
        let kernels = kernels.into_iter().map(Arc::new).collect();
        Some(Finished { kernels, source: machine_code::source(document, item), docs: docs(document, item) })
    };
    items.iter().flat_map(|item| finished(item).into_iter().chain(parts(document, *item, &options))).collect()
}

/// The kernels by which threads divide a kernel under `@threads`, for each target.
fn parts(document: &Document, item: Item<'_>, options: &[Options]) -> Vec<Finished> {
    let of_targets = options.iter().map(|&options| queries::parts(document.db(), item, options));
    let Some(of_targets) = of_targets.collect::<Option<Vec<_>>>() else { return Vec::new() };
    let name: &str = item.name(document.db());
    let kernels = |kernel: &dyn Fn(&Parts) -> Kernel| of_targets.iter().map(kernel).collect::<Vec<_>>();
    let join =
        of_targets.iter().filter_map(|parts| Some(Kernel::clone(&parts.join.as_ref()?.kernel))).collect::<Vec<_>>();
    let joined = of_targets.iter().find_map(|parts| parts.join.as_ref());
    let [of_part, of_iterations, of_join] = docs_of_parts(name, joined);
    let mut told = vec![
        (kernels(&|parts| Kernel::clone(&parts.part)), of_part),
        (kernels(&|parts| Kernel::clone(&parts.iterations)), of_iterations),
    ];
    told.extend(joined.map(|_| (join, of_join)));
    let finished = told.into_iter().map(|(mut kernels, docs)| {
        dispatch::agree(&mut kernels);
        let kernels = kernels.into_iter().map(Arc::new).collect();
        Finished { kernels, source: machine_code::source(document, item), docs }
    });
    finished.collect()
}

/// The documentation of the functions by which threads divide a kernel: of its parts, of their number, and of the join of what they have
/// come to.
fn docs_of_parts(name: &str, join: Option<&JoinKernel>) -> [Vec<String>; 3] {
    let Some(join) = join else {
        let part = [
            format!(
                "Runs the iterations from `begin` to `end - 1` of those that `{name}_iterations` counts, the first of which is 0."
            ),
            format!(
                "Threads may run parts at the same time and in any order: when all have run, `{name}` is done, with the same bits."
            ),
        ];
        let iterations = format!("Counts the iterations of `{name}` that threads may divide by `{name}_part`.");
        return [part.into(), vec![iterations], Vec::new()];
    };
    let arrays: Vec<String> = join.kernel.params[..join.partials.len()]
        .iter()
        .filter_map(|param| Some(format!("`{}`", join.kernel.values[param.value].name.as_ref()?)))
        .collect();
    let arrays = arrays.join(", ");
    let mut part = vec![
        format!(
            "Runs the blocks from `begin` to `end - 1` of those that `{name}_iterations` counts, the first of which is 0."
        ),
        format!(
            "Threads may run parts at the same time and in any order: when all have run, `{name}_join` gives the result."
        ),
    ];
    let mut joins = vec![format!(
        "Joins what all parts of `{name}` have come to, in the order of the blocks, and gives the result."
    )];
    if !arrays.is_empty() {
        part.push(format!(
            "A block's partial results are stored at its number, to {arrays}: one element for each block."
        ));
        joins.push(format!("The partial results of all blocks are in {arrays}."));
    }
    joins.extend(match join.is_exact {
        true => vec![format!("The result has the bits of that of `{name}`, however the blocks are divided.")],
        false => vec![
            "The result has the same bits, however the blocks are divided.".to_owned(),
            format!("Sums and products of floats are rounded block by block, so that they may differ from those of `{name}`."),
        ],
    });
    let iterations = format!(
        "Counts the blocks of iterations of `{name}` that threads may divide by `{name}_part`; `{name}_join` joins them."
    );
    [part, vec![iterations], joins]
}

/// Returns the lines of a kernel's `##` documentation.
fn docs(document: &Document, item: Item<'_>) -> Vec<String> {
    let source = machine_code::source(document, item);
    let Some(header) = source.place(0) else { return Vec::new() };
    let before: Vec<&str> = document.text.lines().take(header.line as usize - 1).collect();
    let belongs = |line: &&&str| line.starts_with("##") || line.starts_with('@');
    let mut docs: Vec<String> = before
        .iter()
        .rev()
        .take_while(belongs)
        .filter_map(|line| line.strip_prefix("##"))
        .map(|line| line.trim().to_owned())
        .collect();
    docs.reverse();
    docs
}
