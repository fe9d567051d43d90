//! Random kernels, and those that pick lanes, as WebAssembly: their object is linked to a module and run by an interpreter of that, and has
//! to give the bits of the interpreter of Lane IR. Each array ends where memory ends, in turn: what lies behind is a trap.
//!
//! The linker is that of the Rust toolchain, or a `wasm-ld` that is installed.

use std::path::{Path, PathBuf};
use std::process::Command;

use ir::interp::Inputs;
use ir::{Elem, Kernel, Scalar, Target, print, read, target};
use native::client::Client;
use native::emit::entry::entry_name;
use native::emit::{Input, ModuleOptions, Source, emit};
use native::protocol::{CompiledForm, Guard, Slot, Spec};
use native::run;
use wasmi::{Engine, Instance, Linker, Memory, Module, Store};

use crate::PATIENCE;
use crate::emulated::{Case, cases};
use crate::random::{first_difference_of, interpreted, settled};

/// Bytes of a page of memory.
const PAGE: usize = 1 << 16;

/// Every kernel gives the interpreter's bits.
pub(crate) fn agree(client: &Client) {
    let target = target::find("wasm").expect("a row of the table");
    let folder = tempfile::tempdir().expect("a folder");
    let Some(linker) = linker() else {
        assert!(std::env::var_os("CI").is_none(), "there is no linker of WebAssembly");
        return println!("skipped: there is no linker of WebAssembly");
    };
    let cases: Vec<Case> = cases().into_iter().chain([wide_products(), fused()]).collect();
    let module = link(client, &cases, target, &linker, folder.path());
    let mut ran = Running::new(&module);
    for case in &cases {
        let n_arrays = case.inputs.memory.len();
        for last in 0..n_arrays.max(1) {
            if let Some(difference) = ran.difference(case, target, last) {
                panic!("seed {}, array {last} last: {difference}\n{}", case.seed, print(&case.kernel).text);
            }
        }
    }
}

/// Upper halves of products of 64-bit integers, by themselves and in lanes, of numbers with all sorts of halves.
fn wide_products() -> Case {
    let text = "\
kernel k(a: i64[?], b: i64[?], c: u64[?], d: u64[?], signed: i64[?], unsigned: u64[?], n: i32):
    for i in range(0, n):
        signed[i] = mul_high(a[i], b[i])
        unsigned[i] = mul_high(c[i], d[i])
    vector_for base in range(0, n, LANES):
        vector_store(a, base, mul_high(vector_load(a, base), vector_load(b, base)))
        vector_store(c, base, mul_high(vector_load(c, base), vector_load(d, base)))
";
    let mut kernel = read(text, Some(2)).unwrap_or_else(|error| panic!("{error}\n{text}")).remove(0);
    let seed = 2_000;
    kernel.name = format!("k{seed}").into();
    let halves = [0u64, 1, 2, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff];
    let numbers: Vec<u64> = halves.iter().flat_map(|high| halves.map(|low| high << 32 | low)).collect();
    let pairs: Vec<[u64; 2]> = numbers.iter().flat_map(|a| numbers.iter().map(move |b| [*a, *b])).collect();
    let n = pairs.len() as i64;
    let column = |side: usize, elem: Elem| -> Vec<Scalar> {
        pairs.iter().map(|pair| Scalar::from_bits(elem, pair[side])).collect()
    };
    let operands = [(0, Elem::I64), (1, Elem::I64), (0, Elem::U64), (1, Elem::U64)];
    let inputs = operands.iter().fold(Inputs::new(), |inputs, &(side, elem)| inputs.array(&column(side, elem), &[n]));
    let results = [Elem::I64, Elem::U64].map(|elem| vec![Scalar::zero(elem); n as usize]);
    let inputs = results.iter().fold(inputs, |inputs, zeros| inputs.array(zeros, &[n])).scalar(n as i32);
    let (result, memory) = interpreted(&kernel, &inputs).expect("it comes to its end");
    Case { seed, kernel, inputs, result: result.map(|result| result.bits()), memory }
}

/// `a * b + c` rounded once, of floats whose sums and products are of all sizes: it is computed with whole numbers where it is in doubt.
fn fused() -> Case {
    let text = "\
kernel k(a: f64[?], b: f64[?], c: f64[?], out: f64[?], n: i32):
    for i in range(0, n):
        out[i] = fma(a[i], b[i], c[i])
";
    let mut kernel = read(text, None).unwrap_or_else(|error| panic!("{error}\n{text}")).remove(0);
    let seed = 2_001;
    kernel.name = format!("k{seed}").into();
    let mut rng = fastrand::Rng::with_seed(seed);
    let n = 2_000;
    // Exponents of products that lie near that of the sum, and near both ends.
    let mut column = |exponents: std::ops::Range<u64>| -> Vec<Scalar> {
        let mut bits =
            || rng.u64(..) >> 63 << 63 | rng.u64(exponents.clone()) << 52 | rng.u64(..) >> (12 + rng.u32(..50));
        (0..n).map(|_| Scalar::from_bits(Elem::F64, bits())).collect()
    };
    let columns = [column(480..560), column(480..560), column(0..130)];
    let inputs = columns.iter().fold(Inputs::new(), |inputs, column| inputs.array(column, &[n]));
    let inputs = inputs.array(&vec![Scalar::zero(Elem::F64); n as usize], &[n]).scalar(n as i32);
    let (result, memory) = interpreted(&kernel, &inputs).expect("it comes to its end");
    Case { seed, kernel, inputs, result: result.map(|result| result.bits()), memory }
}

/// A linker's program, with the words before all others.
fn linker() -> Option<(PathBuf, Vec<&'static str>)> {
    let of_rust = || {
        let output = Command::new("rustc").args(["--print", "sysroot"]).output().ok()?;
        let sysroot = PathBuf::from(String::from_utf8(output.stdout).ok()?.trim());
        let hosts = std::fs::read_dir(sysroot.join("lib/rustlib")).ok()?.flatten();
        hosts.map(|host| host.path().join("bin/rust-lld")).find(|program| program.is_file())
    };
    let plain = || Command::new("wasm-ld").arg("--version").output().is_ok().then(|| PathBuf::from("wasm-ld"));
    of_rust().map(|program| (program, vec!["-flavor", "wasm"])).or_else(|| Some((plain()?, Vec::new())))
}

/// A module with all cases. What they call, they have: an undefined symbol would be an error.
fn link(
    client: &Client,
    cases: &[Case],
    target: &Target,
    (linker, words): &(PathBuf, Vec<&str>),
    folder: &Path,
) -> Vec<u8> {
    let source = Source::default();
    let kernels: Vec<Kernel> = cases.iter().map(|case| settled(&case.kernel, target)).collect();
    let inputs: Vec<Input<'_>> = kernels.iter().map(|kernel| Input { kernel, source: &source }).collect();
    let ir = emit(&inputs, target, ModuleOptions { entries: true, suffix: None }).expect("LLVM IR");
    let made = client.compile(ir, Spec::of(target), CompiledForm::Object, PATIENCE);
    let (_, object) = made.unwrap_or_else(|failure| panic!("{failure}"));
    let [object_file, module] = ["kernels.o", "kernels.wasm"].map(|name| folder.join(name));
    std::fs::write(&object_file, object).expect("a file");
    let mut linking = Command::new(linker);
    linking.args(words).args(["--no-entry", "--export-all", "-o"]).args([&module, &object_file]);
    let linked = linking.output().expect("a linker");
    assert!(linked.status.success(), "{}", String::from_utf8_lossy(&linked.stderr));
    std::fs::read(module).expect("a file")
}

/// A module that is loaded.
struct Running {
    store: Store<()>,
    instance: Instance,
    memory: Memory,
    /// The first byte that neither data nor the stack of calls is in.
    free: usize,
}

impl Running {
    fn new(module: &[u8]) -> Running {
        let engine = Engine::default();
        let module = Module::new(&engine, module).expect("a module");
        let mut store = Store::new(&engine, ());
        let instance = Linker::new(&engine).instantiate_and_start(&mut store, &module).expect("nothing is imported");
        let memory = instance.get_memory(&store, "memory").expect("the memory");
        let base = instance.get_global(&store, "__heap_base").expect("the end of the data").get(&store);
        let free = base.i32().expect("an address") as usize;
        // Room for the arrays of any case.
        memory.grow(&mut store, 8).expect("memory");
        Running { store, instance, memory, free }
    }

    /// Runs a kernel with one of its arrays at the end of memory, and says what differs.
    fn difference(&mut self, case: &Case, target: &Target, last: usize) -> Option<String> {
        let kernel = settled(&case.kernel, target);
        let (job, _) = run::job(&kernel, &Source::default(), target, &case.inputs, Guard::End).expect("a request");
        let size = self.memory.data_size(&self.store);
        let mut end = self.free;
        let mut place = |bytes: usize| {
            let start = end.next_multiple_of(64);
            end = start + bytes;
            start
        };
        let slots = place(8 * job.slots.len());
        let scratch = place(job.scratch);
        let pieces: Vec<usize> = case
            .inputs
            .memory
            .iter()
            .enumerate()
            .map(|(piece, bytes)| if piece == last { size - bytes.len() } else { place(bytes.len()) })
            .collect();
        assert!(end + PAGE < size, "the arrays have no room");
        for (&at, bytes) in pieces.iter().zip(&case.inputs.memory) {
            self.memory.write(&mut self.store, at, bytes).expect("it fits");
        }
        for (number, slot) in job.slots.iter().enumerate() {
            let bits = match slot {
                Slot::Bits(bits) => *bits,
                Slot::Scratch => scratch as u64,
                Slot::Result | Slot::Status | Slot::Begin | Slot::End => 0,
                Slot::Address { piece, byte } => (pieces[*piece] + byte) as u64,
            };
            self.memory.write(&mut self.store, slots + 8 * number, &bits.to_le_bytes()).expect("it fits");
        }
        let name = entry_name(&case.kernel.name);
        let entry = self.instance.get_typed_func::<i32, ()>(&self.store, &name).expect("an entry");
        if let Err(error) = entry.call(&mut self.store, slots as i32) {
            return Some(error.to_string());
        }
        let mut bits = [0; 8];
        let result = slots + 8 * (job.slots.len() - 1);
        self.memory.read(&self.store, result, &mut bits).expect("it is there");
        if let (Some(expected), Some(elem)) = (case.result, case.kernel.result) {
            let [given, expected] = [u64::from_le_bytes(bits), expected].map(|bits| Scalar::from_bits(elem, bits));
            if given != expected {
                return Some(format!("gives {given:?}, not {expected:?}"));
            }
        }
        let read = |(&at, bytes): (&usize, &Vec<u8>)| self.memory.data(&self.store)[at..at + bytes.len()].to_vec();
        let memory: Vec<Vec<u8>> = pieces.iter().zip(&case.inputs.memory).map(read).collect();
        first_difference_of(&case.kernel, &memory, &case.memory)
    }
}
