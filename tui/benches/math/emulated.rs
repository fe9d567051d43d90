//! Strict functions on machines that this one is not: their objects are linked with a program in C and run by QEMU, and have to give
//! the bits that this machine's targets give for the same inputs.
//!
//! QEMU before 8 ends at RISC-V's `vfcvt.rtz.x.f.v` with a failed assertion (`ctx->insn_start != NULL`), so `pow`, which
//! truncates, does not run there on RVV.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::functions::{Function, Mode};
use crate::programs::{Programs, run, source};
use crate::results::{Emulated, Results, Row};
use crate::{Words, results_file};

/// A target, its C compiler, and the emulator with what it has to be told; none for targets that run here.
#[derive(Clone, Copy)]
struct Machine {
    target: &'static str,
    compiler: &'static str,
    emulator: &'static [&'static str],
}

const ARM: &str = "aarch64-linux-gnu-gcc";
const RISCV: &str = "riscv64-linux-gnu-gcc";

const fn arm(target: &'static str, emulator: &'static [&'static str]) -> Machine {
    Machine { target, compiler: ARM, emulator }
}

const fn riscv(target: &'static str, emulator: &'static [&'static str]) -> Machine {
    Machine { target, compiler: RISCV, emulator }
}

/// The machines that are emulated.
const EMULATED: &[Machine] = &[
    arm("neon", &["qemu-aarch64"]),
    arm("sve128", &["qemu-aarch64", "-cpu", "max,sve-default-vector-length=16"]),
    arm("sve256", &["qemu-aarch64", "-cpu", "max,sve-default-vector-length=32"]),
    arm("sve512", &["qemu-aarch64", "-cpu", "max,sve-default-vector-length=64"]),
    riscv("rvv128", &["qemu-riscv64", "-cpu", "rv64,v=true,vlen=128,elen=64,vext_spec=v1.0"]),
    riscv("rvv256", &["qemu-riscv64", "-cpu", "rv64,v=true,vlen=256,elen=64,vext_spec=v1.0"]),
];

/// A program that applies a kernel to the inputs of a file, and a hash of its results for each block of them.
struct Ran<'m> {
    machine: &'m Machine,
    program: PathBuf,
    hashes: Vec<String>,
}

/// Holds all wanted functions on all wanted emulated targets against this machine's targets.
pub(crate) fn measure(words: &Words, count: u64) -> Result<(), String> {
    let programs = Programs::new(&[])?;
    let here = programs.targets().map(|target| Machine { target, compiler: "gcc", emulator: &[] });
    let is_wanted =
        |machine: &&Machine| words.targets.is_empty() || words.targets.iter().any(|name| name == machine.target);
    let machines: Vec<Machine> = here.chain(EMULATED.iter().filter(is_wanted).copied()).collect();
    if machines.iter().all(Machine::is_here) {
        let names: Vec<&str> = EMULATED.iter().map(|machine| machine.target).collect();
        return Err(format!("none of the wanted targets is emulated: there are {}", names.join(", ")));
    }
    machines.iter().try_for_each(Machine::is_installed)?;
    let inputs = programs.c("inputs", &["-O2", "-ffp-contract=off"])?;

    let of_types = words.functions().flat_map(|function| ["f32", "f64"].map(|elem| (function, elem)));
    let wanted: Vec<_> = of_types.filter(|(function, elem)| function.is_written(elem)).collect();
    let texts: Result<Vec<_>, _> =
        wanted.iter().map(|(function, elem)| programs.text(function, elem, &[Mode::Strict])).collect();
    let texts = texts?;
    let mut failed = Vec::new();
    for machine in &machines {
        if let Err(message) = programs.objects(machine.target, &texts) {
            failed.push(message);
        }
    }
    for (function, elem) in wanted {
        let file = programs.folder().join("inputs.bin");
        run(Command::new(&inputs).args([function.name(), elem, &count.to_string()]).arg(&file))?;
        let mut all = Vec::new();
        for machine in &machines {
            match machine.ran(&programs, &function, elem, &file) {
                Ok(ran) => all.push(ran),
                Err(message) => {
                    failed.push(format!(
                        "`{}` of {elem} does not run on {}: {message}",
                        function.name(),
                        machine.target
                    ));
                }
            }
        }
        let mut results = Results::read(&results_file())?;
        for row in rows(&all, &function, elem, count) {
            println!("{row}");
            results.merge(row);
        }
        results.write(&results_file())?;
        failed.extend(differences(&all, &function, elem, &file));
    }
    if failed.is_empty() { Ok(()) } else { Err(failed.join("\n")) }
}

/// A row for each emulated target, which says whose results are the same.
fn rows(all: &[Ran<'_>], function: &Function, elem: &str, count: u64) -> Vec<Row> {
    let (here, emulated): (Vec<_>, Vec<_>) = all.iter().partition(|ran| ran.machine.is_here());
    let row = |ran: &&Ran<'_>| {
        let (same, others): (Vec<_>, Vec<_>) = here.iter().partition(|other| other.hashes == ran.hashes);
        let [same, others] =
            [same, others].map(|all: Vec<&&Ran<'_>>| all.iter().map(|ran| ran.machine.target.to_owned()).collect());
        let emulated = Emulated { inputs: count, hash: joined(&ran.hashes), same, others };
        Row { emulated: Some(emulated), ..crate::ours(function, elem, Mode::Strict.name(), ran.machine.target) }
    };
    emulated.iter().map(row).collect()
}

/// One hash of those of all blocks, in their order.
fn joined(hashes: &[String]) -> String {
    let join = |all: u64, hash: &String| {
        let bits = u64::from_str_radix(hash, 16).unwrap_or_default();
        (all ^ bits).wrapping_mul(0xbf58_476d_1ce4_e5b9).rotate_left(31)
    };
    format!("{:016x}", hashes.iter().fold(0, join))
}

/// Tells of each machine whose results differ from those of the first one, for which input first.
fn differences(all: &[Ran<'_>], function: &Function, elem: &str, file: &Path) -> Vec<String> {
    let Some((first, others)) = all.split_first() else { return Vec::new() };
    let differ = others.iter().filter(|other| other.hashes != first.hashes);
    let told = differ.map(|other| {
        let (name, target) = (function.name(), other.machine.target);
        let place = first_difference(first, other, file).unwrap_or_else(|message| message);
        format!("`{name}` of {elem} is not the same on {target} as on {}: {place}", first.machine.target)
    });
    told.collect()
}

/// The first input with different results, as bits.
fn first_difference(a: &Ran<'_>, b: &Ran<'_>, file: &Path) -> Result<String, String> {
    let block = a.hashes.iter().zip(&b.hashes).position(|(a, b)| a != b).ok_or("one of them ended early")?;
    let [of_a, of_b] = [a, b].map(|ran| ran.machine.run(&ran.program, file, Some(block)));
    let (of_a, of_b) = (of_a?, of_b?);
    let mut differ = of_a.iter().zip(&of_b).filter(|(a, b)| a != b);
    let (line_a, line_b) = differ.next().ok_or("blocks differ, but not when they are run alone")?;
    let words = |line: &'_ str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let (input, result) = (words(line_a), words(line_b));
    let [x, y, here] = &input[..] else { return Err(format!("not understood: {line_a}")) };
    let there = result.last().ok_or_else(|| format!("not understood: {line_b}"))?;
    let (a, b) = (a.machine.target, b.machine.target);
    let further = differ.count();
    Ok(format!(
        "for 0x{x}, 0x{y} {a} gives 0x{here} and {b} 0x{there} (in its block of inputs {further} further ones differ)"
    ))
}

impl Machine {
    fn is_here(&self) -> bool {
        self.emulator.is_empty()
    }

    fn is_installed(&self) -> Result<(), String> {
        let is_there = |program: &&&str| Command::new(program).arg("--version").output().is_ok();
        let programs = [Some(&self.compiler), self.emulator.first()];
        match programs.iter().flatten().find(|program| !is_there(program)) {
            Some(program) => Err(format!("{program} is missing, so {} does not run: see `.ci/math`", self.target)),
            None => Ok(()),
        }
    }

    /// Links the function's object with the program in C, and runs that on all inputs of a file.
    fn ran(&self, programs: &Programs, function: &Function, elem: &str, file: &Path) -> Result<Ran<'_>, String> {
        let program = programs.folder().join(format!("{}.{}_{elem}", self.target, function.name()));
        let object = programs.folder().join(self.target).join(format!("{}_{elem}.o", function.name()));
        let mut command = Command::new(self.compiler);
        command.args(["-O2", "-static", "-std=gnu17"]);
        command.arg(format!("-DKERNEL={}", function.kernel_name(elem, Mode::Strict)));
        command.arg(format!("-DFIRST={}", in_c(elem))).arg(format!("-DRESULT={}", in_c(function.result(elem))));
        command.args(function.second(elem).map(|second| format!("-DSECOND={}", in_c(second))));
        run(command.arg(source("emulated")).arg(object).arg("-o").arg(&program).arg("-lm"))?;
        let hashes = self.run(&program, file, None)?;
        Ok(Ran { machine: self, program, hashes })
    }

    /// Runs a program on the inputs of a file, or on one block of them. Returns the lines that it prints.
    fn run(&self, program: &Path, file: &Path, block: Option<usize>) -> Result<Vec<String>, String> {
        let mut words = self.emulator.iter().map(PathBuf::from).chain([program.to_owned(), file.to_owned()]);
        let mut command = Command::new(words.next().unwrap_or_default());
        command.args(words).args(block.map(|block| block.to_string()));
        let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
        if !output.status.success() {
            return Err(format!("{command:?}: {}\n{}", output.status, String::from_utf8_lossy(&output.stderr)));
        }
        Ok(String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect())
    }
}

impl Drop for Ran<'_> {
    /// Static programs are large, and there are many.
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.program);
    }
}

/// A type as C names it.
fn in_c(elem: &str) -> &'static str {
    match elem {
        "f32" => "float",
        "f64" => "double",
        _ => "int32_t",
    }
}
