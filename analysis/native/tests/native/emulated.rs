//! Random kernels, and those that pick lanes, for machines that this one is not: their objects are linked with a small program in C and run by
//! QEMU, and have to give the interpreter's bits.
//!
//! It needs `qemu-user` and C compilers for the targets, and is skipped for a target without them; `.ci/emulated`
//! installs what there has to be.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use ir::interp::Inputs;
use ir::{Kernel, Target, print, target};
use native::client::Client;
use native::emit::{Input, ModuleOptions, Source, emit};
use native::protocol::{CompiledForm, Guard, Slot, Spec};
use native::run;

use crate::random::{first_difference_of, interpreted, placed, settled};
use crate::{PATIENCE, generator, picks};

/// A target, its C compiler, and the emulator with what it has to be told.
type Emulated = (&'static str, &'static str, &'static [&'static str]);

const ARM: &str = "aarch64-linux-gnu-gcc";
const RISCV: &str = "riscv64-linux-gnu-gcc";
const EMULATED: &[Emulated] = &[
    ("neon", ARM, &["qemu-aarch64"]),
    ("sve128", ARM, &["qemu-aarch64", "-cpu", "max,sve-default-vector-length=16"]),
    ("sve256", ARM, &["qemu-aarch64", "-cpu", "max,sve-default-vector-length=32"]),
    ("sve512", ARM, &["qemu-aarch64", "-cpu", "max,sve-default-vector-length=64"]),
    ("rvv128", RISCV, &["qemu-riscv64", "-cpu", "rv64,v=true,vlen=128,elen=64,vext_spec=v1.0"]),
    ("rvv256", RISCV, &["qemu-riscv64", "-cpu", "rv64,v=true,vlen=256,elen=64,vext_spec=v1.0"]),
    ("rvv512", RISCV, &["qemu-riscv64", "-cpu", "rv64,v=true,vlen=512,elen=64,vext_spec=v1.0"]),
];

/// A kernel, what it runs on, and what the interpreter makes of that.
pub(crate) struct Case {
    pub(crate) seed: u64,
    pub(crate) kernel: Kernel,
    pub(crate) inputs: Inputs,
    pub(crate) result: Option<u64>,
    pub(crate) memory: Vec<Vec<u8>>,
}

/// Every target gives the interpreter's bits.
pub(crate) fn agree(client: &Client) {
    let cases = cases();
    let folder = tempfile::tempdir().expect("a folder");
    for (name, compiler, emulator) in EMULATED {
        let found = |program: &str| Command::new(program).arg("--version").output().is_ok();
        if !found(compiler) || !found(emulator[0]) {
            assert!(std::env::var_os("LANESCOPE_EMULATED").is_none(), "{compiler} or {} is missing", emulator[0]);
            println!("skipped on {name}: {compiler} or {} is missing", emulator[0]);
            continue;
        }
        let target = target::find(name).expect("a row of the table");
        let program = link(client, &cases, target, compiler, folder.path());
        let ran = Command::new(emulator[0]).args(&emulator[1..]).arg(program).output().expect("an emulator");
        compare(&cases, target, &ran);
    }
}

pub(crate) fn cases() -> Vec<Case> {
    let random = (0..120).map(|seed| (seed, generator::case(seed)));
    // With numbers of their own, behind the random ones'.
    let picks = picks::cases().into_iter().zip(1000..).map(|(case, seed)| (seed, (case.kernel, case.inputs)));
    let all = random.chain(picks).filter_map(|(seed, (mut kernel, inputs))| {
        let (result, memory) = interpreted(&kernel, &inputs)?;
        kernel = placed(&kernel);
        kernel.name = format!("k{seed}").into();
        let own = settled(&kernel, &target::TARGETS[0]);
        let whole =
            emit(&[Input { kernel: &own, source: &Source::default() }], &target::TARGETS[0], ModuleOptions::default());
        let result = result.map(|result| result.bits());
        whole.ok().map(|_| Case { seed, kernel, inputs, result, memory })
    });
    all.collect()
}

/// A program that runs all cases and prints what became of their memory.
fn link(client: &Client, cases: &[Case], target: &Target, compiler: &str, folder: &Path) -> PathBuf {
    let source = Source::default();
    let kernels: Vec<Kernel> = cases.iter().map(|case| settled(&case.kernel, target)).collect();
    let inputs: Vec<Input<'_>> = kernels.iter().map(|kernel| Input { kernel, source: &source }).collect();
    let ir = emit(&inputs, target, ModuleOptions { entries: true, suffix: None }).expect("LLVM IR");
    let made = client.compile(ir, Spec::of(target), CompiledForm::Object, PATIENCE);
    let (_, object) = made.unwrap_or_else(|failure| panic!("on {}: {failure}", target.name));
    let at = |name: &str| folder.join(format!("{}{name}", target.name));
    std::fs::write(at(".o"), object).expect("a file");
    std::fs::write(at(".c"), harness(cases, target)).expect("a file");
    let mut command = Command::new(compiler);
    let linked = command.args(["-O1", "-static", "-w", "-o"]).args([at(""), at(".c"), at(".o")]).output();
    let linked = linked.expect("a compiler");
    assert!(linked.status.success(), "{}", String::from_utf8_lossy(&linked.stderr));
    at("")
}

/// The program: each case's memory and slots as data, a call each, and all of it printed.
fn harness(cases: &[Case], target: &Target) -> String {
    let mut text = String::from("#include <stdint.h>\n#include <stdio.h>\n");
    let mut main = String::new();
    for Case { seed, kernel, inputs, .. } in cases {
        let (job, _) =
            run::job(&settled(kernel, target), &Source::default(), target, inputs, Guard::End).expect("a request");
        for (piece, bytes) in inputs.memory.iter().enumerate() {
            let bytes: Vec<String> = bytes.iter().map(u8::to_string).collect();
            let _ = writeln!(text, "_Alignas(64) static uint8_t m{seed}_{piece}[] = {{{}}};", bytes.join(","));
        }
        let _ = writeln!(text, "_Alignas(64) static uint8_t t{seed}[{}];", job.scratch.max(1));
        let slot = |slot: &Slot| match slot {
            Slot::Bits(bits) => format!("{bits}ull"),
            Slot::Scratch => format!("(uint64_t)(uintptr_t)t{seed}"),
            Slot::Result | Slot::Status | Slot::Begin | Slot::End => "0".to_owned(),
            Slot::Address { piece, byte } => format!("(uint64_t)(uintptr_t)(m{seed}_{piece} + {byte})"),
        };
        let slots: Vec<String> = job.slots.iter().map(slot).collect();
        let _ = writeln!(text, "void k{seed}(uint64_t *) __asm__(\"k{seed}.entry\");");
        let _ = writeln!(main, "    uint64_t s{seed}[] = {{{}}};\n    k{seed}(s{seed});", slots.join(", "));
        let last = job.slots.len() - 1;
        let _ = writeln!(main, "    printf(\"%llx\\n\", (unsigned long long)s{seed}[{last}]);");
        for piece in 0..inputs.memory.len() {
            let _ = writeln!(main, "    show(m{seed}_{piece}, sizeof m{seed}_{piece});");
        }
    }
    text.push_str("static void show(const uint8_t *at, unsigned long n) {\n");
    text.push_str("    while (n--) printf(\"%02x\", *at++);\n    puts(\"\");\n}\n");
    let _ = write!(text, "int main(void) {{\n{main}    return 0;\n}}\n");
    text
}

fn compare(cases: &[Case], target: &Target, ran: &Output) {
    let printed = String::from_utf8_lossy(&ran.stdout);
    let mut lines = printed.lines();
    for case in cases {
        let what = || format!("seed {} on {}\n{}", case.seed, target.name, print(&case.kernel).text);
        let next = |lines: &mut std::str::Lines<'_>| match lines.next() {
            Some(line) => line.to_owned(),
            None => panic!("it ends with {} before {}\n{}", ran.status, what(), String::from_utf8_lossy(&ran.stderr)),
        };
        let result = u64::from_str_radix(&next(&mut lines), 16).expect("a number");
        if let (Some(expected), Some(elem)) = (case.result, case.kernel.result) {
            let native = ir::Scalar::from_bits(elem, result);
            assert_eq!(native, ir::Scalar::from_bits(elem, expected), "{}", what());
        }
        let memory: Vec<Vec<u8>> = case.inputs.memory.iter().map(|_| bytes(&next(&mut lines))).collect();
        assert_eq!(first_difference_of(&case.kernel, &memory, &case.memory), None, "{}", what());
    }
}

fn bytes(hex: &str) -> Vec<u8> {
    let byte = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).expect("two digits");
    (0..hex.len()).step_by(2).map(byte).collect()
}
