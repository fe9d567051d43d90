//! The audit of emitted code: a loop of which every face says that it has lanes has vector instructions, and a turn of its machine
//! code does as many iterations of the source's loop as it has lanes, or more.
//!
//! The instructions of a loop are those that LLVM kept the mark of that loop on, or of one inside of it. Code of single lanes uses
//! vector registers, too, so instructions that it may have (`movaps`, `xorps`, all that end in `ss`) show nothing.

use std::path::Path;
use std::sync::Arc;

use driver::machine_code;
use ide::explain::{Loop, explain_item};
use ir::{Family, Kernel, LoopForest, Op};
use native::asm::hot::hot_loops;
use native::asm::{Function, Kind, Line, listing};
use native::emit::{self, Input, Source};
use native::protocol::{CompiledForm, Outcome, Spec};
use queries::db::{Database, File, Item, file_items};
use queries::reached;
use queries::stages::Options;
use queries::stages::target::{self, Target};

use crate::{PATIENCE, client};

/// Loops that are left early, nests in which lanes run along an outer loop, loops whose lanes take steps, copies, sums.
const LOOPS: &str = "\
kernel last_above(a: f32[n], n: i32, c: f32) -> i32:
    @simd
    for i in range(n - 1, -1, -1):
        if a[i] > c:
            return i
    return -1

kernel first_of_three(a: f32[n], n: i32, c: f32) -> i32:
    for i in range(0, n, 3):
        if a[i] > c:
            return i
    return -1

kernel every_second_down(a: f32[n], b: f32[n], n: i32, c: f32):
    for i in range(n - 1, 0, -2):
        if a[i] > c:
            break
        b[i] = a[i] * 2.0

kernel copied_until(a: f32[n], b: f32[n], n: i32) -> i32:
    for i in range(n):
        if a[i] < 0:
            return i
        b[i] = a[i] * 2.0
    return n

kernel bytes_until(a: u8[n], b: f32[n], n: i32) -> i32:
    for i in range(n):
        if a[i] == 0:
            return i
        b[i] = f32(a[i])
    return n

kernel copy(a: f32[n], b: f32[n], n: i32):
    for i in range(n):
        b[i] = a[i]

kernel two_loops(a: f32[n], b: i16[n], n: i32):
    for i in range(n):
        a[i] = a[i] * 0.5
    for i in range(n):
        b[i] = b[i] + 1

kernel columns(a: f32[h, w], h: i32, w: i32):
    for x in range(w):
        for y in range(1, h):
            a[y, x] += a[y - 1, x]

kernel convolution(a: f32[n], b: f32[n], c: f32[n], n: i32, h: i32):
    for j in range(h):
        for i in range(h):
            a[i] += b[i + h - j - 1] * c[j]

kernel steps(a: f32[n], b: f32[n], n: i32):
    for i in range(0, n, 2):
        a[i] = b[i] * b[i]

@reassoc
kernel sum(a: f64[n], n: i32) -> f64:
    let s = 0.0
    for i in range(n):
        s += a[i]
    return s

kernel collatz(a: i32[n], out: i32[n], n: i32):
    for i in range(n):
        let x = a[i]
        let k = 0
        while x > 1:
            x = x / 2 if x % 2 == 0 else x + 7
            k += 1
        out[i] = k

kernel packed(a: f32[n], b: f32[n], n: i32) -> i32:
    let k = 0
    for i in range(n):
        if a[i] > 0:
            b[k] = a[i]
            k += 1
    return k
";

#[test]
fn loops_that_are_said_to_have_lanes_have_vector_instructions() {
    let Some(client) = client() else { return };
    let mut texts = files("../examples");
    texts.extend(files("../examples/kernels"));
    texts.extend(files("benches/loops"));
    texts.push(("loops.lane".to_owned(), LOOPS.to_owned()));
    let (mut n_loops, mut wrong) = (0, Vec::new());
    for target in ["sse4", "avx2", "avx512", "neon", "sve256", "rvv256"].into_iter().filter_map(target::find) {
        for (name, text) in &texts {
            let mut db = Database::default();
            db.set_made_for(&[Options { lanes: None, target }]);
            let file = File::new(&db, Arc::from(&**text));
            for &item in file_items(&db, file) {
                let Some(explained) = explain_item(&db, item) else { continue };
                let in_lanes = |it: &&Loop| it.verdict.is_vector && it.n_lanes().is_some_and(|lanes| lanes > 1);
                let own = |it: &&Loop| it.function.is_none();
                let loops: Vec<&Loop> = explained.loops.iter().filter(in_lanes).filter(own).collect();
                if item.kind(&db) != syntax::ItemKind::Kernel || loops.is_empty() {
                    continue;
                }
                let Some(code) = Code::of(client, &db, (name, text), item, target) else { continue };
                for it in loops {
                    n_loops += 1;
                    let said = |what: String| format!("{}, {name}: {}: {what}", target.name, it.headline());
                    wrong.extend(code.wrong(it, text).map(said));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {n_loops} loops\n{}", wrong.len(), wrong.join("\n"));
    assert!(n_loops > 1000, "{n_loops} loops were looked at");
}

/// The programs of a folder of this package.
fn files(folder: &str) -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let paths = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let mut paths: Vec<_> = paths.filter(|path| path.extension().is_some_and(|ending| ending == "lane")).collect();
    paths.sort();
    let name = |path: &Path| path.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
    paths.iter().map(|path| (name(path), std::fs::read_to_string(path).expect("a program"))).collect()
}

/// The machine code of a kernel, and the kernel that it was made of.
struct Code {
    kernel: Arc<Kernel>,
    source: Source,
    function: Function,
    family: Family,
}

impl Code {
    /// `None` for a kernel that is refused.
    fn of(
        client: &native::client::Client,
        db: &Database,
        (name, text): (&str, &str),
        item: Item<'_>,
        target: &'static Target,
    ) -> Option<Code> {
        let kernel = reached(db, item, Options { lanes: None, target }).last()?.kernel.clone();
        let source = machine_code::source_in(db, name, text, item);
        let inputs = [Input { kernel: &kernel, source: &source }];
        let ir = emit::emit(&inputs, target, emit::ModuleOptions::default()).ok()?;
        let answer = client.compile(ir, Spec::of(target), CompiledForm::Assembly, PATIENCE).expect("assembly");
        let (Outcome::Text(assembly), _) = answer else { panic!("no text") };
        let functions = listing(&assembly, target.family).functions;
        let function = functions.into_iter().find(|function| function.is_of(&kernel.name))?;
        Some(Code { kernel, source, function, family: target.family })
    }

    fn line_of(&self, op: Op) -> Option<u32> {
        let place = self.kernel.origins[self.kernel.ops[op].origin].place;
        self.source.place(place).map(|place| place.line)
    }

    /// The reason why the code of a loop is not that of its lanes.
    fn wrong(&self, it: &Loop, text: &str) -> Option<String> {
        let line = text[..it.range.start().into()].matches('\n').count() as u32 + 1;
        let forest = LoopForest::of(&self.kernel);
        let is_of_it = |op: Op| self.line_of(op) == Some(line);
        let own = |it: &Line| {
            let op = it.mark.and_then(|mark| forest.loops().get(mark.number as usize));
            op.is_some_and(|&op| is_of_it(op) || forest.around(op).any(is_of_it))
        };
        // A loop of a few iterations may have become statements.
        let is_there = forest.loops().iter().any(|&op| is_of_it(op));
        let mut lines = self.function.lines.iter().filter(|line| own(line) || !is_there);
        if !lines.any(|line| shows_lanes(line, self.family)) {
            return Some(format!("line {line} has no vector instruction"));
        }
        let lanes = it.n_lanes().unwrap_or(1);
        let hot = hot_loops(&self.function, &self.kernel, &self.source);
        let hot = hot.iter().find(|hot| hot.source_line == Some(line))?;
        // The few blocks of a loop that is left early may all be written out: then the loop that is there is the search in one of them.
        let has_lanes = |it: &&Line| own(it) && shows_lanes(it, self.family);
        let (in_loops, outside): (Vec<&Line>, Vec<&Line>) =
            self.function.lines.iter().filter(has_lanes).partition(|line| line.in_inner_loop);
        if in_loops.is_empty() && outside.len() >= usize::from(lanes) {
            return None;
        }
        (hot.iterations < u64::from(lanes)).then(|| format!("line {line} does {} in a turn", hot.iterations))
    }
}

/// True for an instruction that code of single lanes does not have.
fn shows_lanes(line: &Line, family: Family) -> bool {
    let mut words = line.text.split_whitespace();
    let name = words.next().unwrap_or_default();
    let operands: Vec<&str> =
        words.flat_map(|word| word.split(|c: char| !c.is_alphanumeric() && c != '%' && c != '.')).collect();
    let has = |kind: Kind| line.counts.of(kind) > 0;
    if [Kind::Gather, Kind::Scatter].into_iter().any(has) {
        return true;
    }
    let numbered = |word: &str, letters: &[&str]| {
        let behind = letters.iter().find_map(|letter| word.strip_prefix(letter));
        behind.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    };
    match family {
        Family::X86 if operands.iter().any(|word| numbered(word, &["%ymm", "%zmm"])) => true,
        Family::X86 => {
            let of_single =
                ["mov", "vmov", "xor", "vxor", "pxor", "vpxor", "and", "vand", "or", "vor", "unpck", "vunpck"];
            let moves_all = has(Kind::Load) || has(Kind::Store);
            let is_bitwise = of_single.iter().any(|start| name.starts_with(start));
            let is_packed = ["ps", "pd", "dqu", "dqa"].iter().any(|end| name.ends_with(end))
                || name.trim_start_matches('v').starts_with('p');
            let in_vectors = operands.iter().any(|word| numbered(word, &["%xmm"]));
            in_vectors && is_packed && (!is_bitwise || (moves_all && name.contains("mov")))
        }
        Family::Arm => {
            let arranged = operands.iter().any(|word| {
                let parts = word.split_once('.');
                parts.is_some_and(|(register, _)| numbered(register, &["v", "z"])) || numbered(word, &["q", "z"])
            });
            arranged && !name.starts_with("mov")
        }
        Family::RiscV => {
            let of_single = ["vset", "vmv.s", "vmv.x", "vfmv.s", "vfmv.f"];
            name.starts_with('v') && !of_single.iter().any(|start| name.starts_with(start))
        }
        Family::Wasm => has(Kind::Vector),
    }
}
