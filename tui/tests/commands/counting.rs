//! Counts of what machine code does, and of what is measured, held against counts by hand. Each loop's text and what each of
//! its instructions does stand in `analysis/native/src/asm/hand/`; here it is what any LLVM's code has to do.

use serde_json::{Value, json};

use super::*;

const KERNELS: &str = "\
kernel saxpy(x: f32[n], y: f32[n], n: i32, a: f32):
    for i in range(n):
        y[i] = a * x[i] + y[i]

kernel matvec(a: f32[rows, cols], x: f32[cols], y: f32[rows], rows: i32, cols: i32):
    for i in range(rows):
        s = 0.0
        @reassoc
        for j in range(cols):
            s += a[i, j] * x[j]
        y[i] = s

kernel blur(image: f32[h, w], out: f32[h, w], h: i32, w: i32):
    for y in range(1, h - 1):
        for x in range(1, w - 1):
            s = 0.0
            for dy in range(3):
                for dx in range(3):
                    s += image[y + dy - 1, x + dx - 1]
            out[y, x] = s / 9.0

kernel dot(a: f32[n], b: f32[n], n: i32) -> f32:
    s = 0.0
    @reassoc
    for i in range(n):
        s += a[i] * b[i]
    return s
";

fn folder() -> Folder {
    let mandelbrot = std::fs::read_to_string(root().join("examples/mandelbrot.lane")).expect("an example");
    Folder::new(&[("four.lane", KERNELS), ("mandelbrot.lane", &mandelbrot)])
}

fn json_of(folder: &Folder, args: &[&str]) -> Value {
    // On a machine that does other things, too, a run may take longer than anybody would wait for it.
    let patience: &[&str] = if args.first() == Some(&"bench") { &["--timeout", "300"] } else { &[] };
    let run = folder.run(&[args, &["--json"], patience].concat());
    serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{run}"))
}

/// The targets, each with its number of lanes of 32 bits.
const TARGETS: [(&str, u64); 12] = [
    ("scalar", 1),
    ("sse4", 4),
    ("avx2", 8),
    ("avx512", 16),
    ("neon", 4),
    ("sve128", 4),
    ("sve256", 8),
    ("sve512", 16),
    ("rvv128", 4),
    ("rvv256", 8),
    ("rvv512", 16),
    ("wasm", 4),
];

/// A hot loop: the source's line, its iterations a turn, and how often a turn does something of a kind.
struct Hot {
    line: u64,
    iterations: u64,
    counts: Vec<(String, u64)>,
}

impl Hot {
    fn of(&self, kind: &str) -> u64 {
        self.counts.iter().find(|(name, _)| name == kind).map_or(0, |(_, number)| *number)
    }
}

/// The one hot loop of a kernel.
fn hot(report: &Value, kernel: &str) -> Hot {
    let functions = report["functions"].as_array().expect("functions");
    let is_own = |function: &&Value| {
        function["name"].as_str().is_some_and(|name| name == kernel || name == format!("{kernel}.sized"))
            && function["hot_loops"].as_array().is_some_and(|loops| !loops.is_empty())
    };
    let loops = &functions.iter().find(is_own).unwrap_or_else(|| panic!("{kernel} has a hot loop"))["hot_loops"];
    assert_eq!(loops.as_array().map(Vec::len), Some(1), "{kernel}: {loops}");
    let iterations = loops[0]["iterations"].as_u64().expect("a number");
    let counts = loops[0]["counts"].as_array().expect("counts");
    for count in counts {
        let (turn, iteration) =
            (count["a_turn"].as_f64().expect("a number"), count["an_iteration"].as_f64().expect("a number"));
        assert!((turn / iterations as f64 - iteration).abs() < 1e-9);
    }
    let count =
        |count: &Value| (count["kind"].as_str().unwrap_or_default().to_owned(), count["a_turn"].as_u64().unwrap_or(0));
    Hot {
        line: loops[0]["source_line"].as_u64().expect("a line"),
        iterations,
        counts: counts.iter().map(count).collect(),
    }
}

#[test]
fn hot_loops_are_counted_for_iterations_of_the_source() {
    if !has_llvm() {
        return;
    }
    let folder = folder();
    for (target, lanes) in TARGETS {
        let report = json_of(&folder, &["asm", "four.lane", "--target", target]);
        let saxpy = hot(&report, "saxpy");
        // Two loads, a multiplication, an addition and a store for each group of lanes.
        let groups = saxpy.iterations / lanes;
        let work = if lanes == 1 { "scalar" } else { "vector" };
        assert_eq!((saxpy.line, saxpy.iterations % lanes), (2, 0), "{target}");
        assert_eq!([saxpy.of("load"), saxpy.of("store")], [2 * groups, groups], "{target}");
        if lanes > 1 {
            assert_eq!((saxpy.of(work), groups), (2 * groups, 4), "{target}");
        }
        assert_eq!(["shuffle", "broadcast", "spill", "save"].map(|kind| saxpy.of(kind)), [0; 4], "{target}");

        // Nine loads, nine additions, a division and a store.
        let blur = hot(&report, "blur");
        let groups = blur.iterations / lanes;
        assert_eq!((blur.line, blur.iterations % lanes), (15, 0), "{target}");
        assert_eq!([blur.of("load"), blur.of("store")], [9 * groups, groups], "{target}");
        if lanes > 1 {
            assert_eq!(blur.of(work), 10 * groups, "{target}");
        }

        // Two loads, a multiplication and an addition; registers are moved or spilled where 16 sums need more of them. One
        // lane adds to the 64 partial results of the language's order, which lie in memory.
        let matvec = hot(&report, "matvec");
        let groups = matvec.iterations / lanes;
        let (of_partials, stores) = if lanes == 1 { (groups, groups) } else { (0, 0) };
        assert_eq!((matvec.line, matvec.iterations % lanes), (9, 0), "{target}");
        assert_eq!([matvec.of("load"), matvec.of("store")], [2 * groups + of_partials, stores], "{target}");
        assert!(matvec.of(work) >= 2 * groups, "{target}");
        assert_eq!(matvec.of("save"), 0, "{target}");

        // A step of as many points as there are lanes; nothing is loaded or stored.
        let report = json_of(&folder, &["asm", "mandelbrot.lane", "--target", target]);
        let mandelbrot = hot(&report, "mandelbrot");
        assert_eq!((mandelbrot.line, mandelbrot.iterations), (22, lanes), "{target}");
        assert_eq!(["load", "store", "gather", "save"].map(|kind| mandelbrot.of(kind)), [0; 4], "{target}");
    }
}

const LEFT_EARLY: &str = "\
kernel last_above(a: f32[n], n: i32, c: f32) -> i32:
    for i in range(n - 1, -1, -1):
        if a[i] > c:
            return i
    return -1

kernel first_of_three(a: f32[n], n: i32, c: f32) -> i32:
    for i in range(0, n, 3):
        if a[i] > c:
            return i
    return -1

kernel copied_until(a: f32[n], b: f32[n], n: i32):
    for i in range(n):
        if a[i] < 0:
            break
        b[i] = a[i] * 2.0

kernel bytes_until(a: u8[n], b: f32[n], n: i32):
    for i in range(n):
        if a[i] == 0:
            break
        b[i] = f32(a[i])
";

#[test]
fn loops_that_are_left_early_are_counted_for_the_iterations_of_a_block() {
    if !has_llvm() {
        return;
    }
    let folder = Folder::new(&[("early.lane", LEFT_EARLY)]);
    for (target, lanes) in TARGETS.into_iter().filter(|(_, lanes)| *lanes > 1) {
        let report = json_of(&folder, &["asm", "early.lane", "--target", target]);
        // A search asks about four groups at once, and what stores goes group by group.
        for (kernel, line, groups) in [("last_above", 2, 4), ("first_of_three", 8, 4), ("copied_until", 14, 1)] {
            let hot = hot(&report, kernel);
            assert_eq!((hot.line, hot.iterations), (line, groups * lanes), "{target}: {kernel}");
        }
        // A block of it fills a register with bytes, and goes round once or in several groups.
        let hot = hot(&report, "bytes_until");
        assert_eq!(hot.line, 20, "{target}");
        assert!(hot.iterations >= lanes && hot.iterations <= 4 * lanes, "{target}: {}", hot.iterations);
    }
}

#[test]
fn a_saved_register_is_no_spill() {
    if !has_llvm() {
        return;
    }
    let folder = folder();
    let report = json_of(&folder, &["asm", "four.lane", "--kernel", "matvec", "--target", "neon"]);
    let lines = report["asm"].as_array().expect("lines");
    let of_kind = |kind: &str, text: &str| {
        lines
            .iter()
            .filter(|line| line["counts"][kind].is_u64())
            .any(|line| line["text"].as_str().is_some_and(|own| own.contains(text)))
    };
    for saved in ["d9, d8", "x29, x30"] {
        assert!(of_kind("save", saved) && !of_kind("spill", saved), "{saved}");
    }
}

#[test]
fn counts_stand_below_the_code() {
    if !has_llvm() {
        return;
    }
    let text = folder().run(&["asm", "four.lane", "--kernel", "saxpy", "--target", "avx512"]).stdout;
    for wanted in [
        "#   hot loop of line 2, a turn for 64 iterations: 8 vector, ",
        " 8 load, 4 store\n",
        "#     an iteration: 0.125 vector, ",
    ] {
        assert!(text.contains(wanted), "`{wanted}` is missing\n{text}");
    }
}

#[test]
fn a_benchmark_s_units_are_those_of_elements() {
    if !has_llvm() || !cfg!(target_arch = "x86_64") {
        return;
    }
    let folder = folder();
    let of = |file: &str, kernel: &str, args: &[&str]| {
        let args = args.iter().flat_map(|arg| ["--arg", arg]);
        let args: Vec<&str> = ["bench", file, "--kernel", kernel, "--time", "1"].into_iter().chain(args).collect();
        let report = json_of(&folder, &args);
        json!([report["elements"], report["per_element"], report["operations"]])
    };
    let elements = |are: &str, arrays: &[&str], number: u64| json!({ "are": are, "arrays": arrays, "number": number, "exact": true });
    let each = |operations: f64, bytes: f64| json!({ "operations": operations, "bytes": bytes });
    // `y[i] = a * x[i] + y[i]`: two operations; three cells of 4 bytes.
    let saxpy = |n: u64| json!([elements("written", &["y"], n), each(2.0, 12.0), 2 * n]);
    assert_eq!(of("four.lane", "saxpy", &["n=100"]), saxpy(100));
    // A long run counts natively, and is the same.
    assert_eq!(of("four.lane", "saxpy", &["n=3000001"]), saxpy(3_000_001));
    // 10 * 8 inner pixels: nine additions and a division; nine cells that are read and one that is written.
    let blur = json!([elements("written", &["out"], 80), each(10.0, 40.0), 800]);
    assert_eq!(of("four.lane", "blur", &["h=12", "w=10"]), blur);
    let blur = json!([elements("written", &["out"], 998 * 1998), each(10.0, 40.0), 998 * 1998 * 10]);
    assert_eq!(of("four.lane", "blur", &["h=1000", "w=2000"]), blur);
    // Each row: a multiplication and an addition for each of 5 columns; two cells for each, and one that is written.
    let matvec = json!([elements("written", &["y"], 3), each(10.0, 44.0), 30]);
    assert_eq!(of("four.lane", "matvec", &["rows=3", "cols=5"]), matvec);
    // It writes nothing: each of 20 cells that are read is half of a multiplication and an addition.
    assert_eq!(of("four.lane", "dot", &["n=10"]), json!([elements("read", &["a", "b"], 20), each(1.0, 4.0), 20]));
    // A point that never leaves: 4 operations for where it is, then 5 times 3 for the test and 7 for the step; comparisons are
    // none. Only its number of steps is written.
    let point = ["h=2", "w=4", "left=0", "top=0", "scale=0", "max_steps=5"];
    let mandelbrot = json!([elements("written", &["steps"], 8), each(54.0, 4.0), 432]);
    assert_eq!(of("mandelbrot.lane", "mandelbrot", &point), mandelbrot);
}

/// More steps than are interpreted, in a `while` around all of them: nobody knows before how many iterations it has.
#[test]
fn a_long_while_counts_its_elements() {
    if !has_llvm() || !cfg!(target_arch = "x86_64") {
        return;
    }
    let text = "\
kernel relax(a: f32[n], out: f32[n], n: i32, times: i32):
    let t = 0
    while t < times:
        for i in range(1, n - 1):
            if a[i] > 0.5:
                out[i] = out[i] + a[i - 1] * 0.5
        t += 1

@alias(a, out)
kernel shifted(a: f32[n], out: f32[n], n: i32):
    for i in range(n):
        out[i] = a[i] + 1.0
";
    let folder = Folder::new(&[("long.lane", text)]);
    let of = |kernel: &str, args: &[&str]| {
        let args: Vec<&str> =
            ["bench", "long.lane", "--kernel", kernel, "--time", "1"].into_iter().chain(args.iter().copied()).collect();
        json_of(&folder, &args)
    };
    // 500 of 1,000 cells, 20,000 times: each time a product and a sum, and three accesses besides the load that is compared.
    let half: Vec<&str> = (0..1002).map(|k| if k % 2 == 1 { "1" } else { "0" }).collect();
    let a = format!("a=[{}]", half.join(", "));
    let report = of("relax", &["--arg", &a, "--arg", "out=zeros(1002)", "--arg", "n=1002", "--arg", "times=20000"]);
    let elements = json!({ "are": "written", "arrays": ["out"], "number": 500, "exact": true });
    assert_eq!((&report["elements"], &report["operations"]), (&elements, &json!(20_000_000)));
    let bytes = (4 * 1000 + 12 * 500) * 20_000 / 500;
    assert_eq!(report["per_element"], json!({ "operations": 40_000.0, "bytes": f64::from(bytes) }));
    // Cells of arrays that may overlap are marked in no array of their own.
    let report = of("shifted", &["--arg", "n=3000000"]);
    assert_eq!(report["elements"]["exact"], false);
}

#[test]
fn bandwidth_is_that_of_where_the_data_lie() {
    if !has_llvm() || !cfg!(target_arch = "x86_64") {
        return;
    }
    let report = json_of(&folder(), &["bench", "four.lane", "--kernel", "saxpy", "--arg", "n=1000", "--time", "1"]);
    assert_eq!(report["bandwidth_here"]["of_bytes"], 8000);
    assert!(report["bandwidth_here"]["rate"].is_f64() && report["bandwidth"].is_f64(), "{report}");
}

const BOUND: &str = "\
kernel saxpy(a: f32, x: f32[n], y: f32[n], n: i32):
    for i in range(n):
        y[i] = a * x[i] + y[i]

kernel dot(x: f32[n], y: f32[n], n: i32) -> f32:
    s = 0.0
    @reassoc
    for i in range(n):
        s += x[i] * y[i]
    return s

kernel running(a: i32[n], out: i32[n], n: i32):
    s = 0
    for i in range(n):
        s += a[i]
        out[i] = s

kernel filter(x: f32[n], y: f32[n], n: i32):
    s = 0.0
    for i in range(n):
        s = s * 0.5 + x[i]
        y[i] = s
";

/// The loops of three kernels as a person reckons them on the processor of the table.
#[test]
fn an_estimate_says_what_bounds_a_hot_loop_and_along_which_instructions() {
    if !has_llvm() {
        return;
    }
    let folder = Folder::new(&[("bound.lane", BOUND)]);
    let hot_loop = |report: &Value, kernel: &str| {
        let functions = report["functions"].as_array().expect("functions").iter();
        let own = functions.filter(|it| it["name"].as_str().is_some_and(|name| name.split('.').next() == Some(kernel)));
        own.flat_map(|it| it["hot_loops"].as_array().expect("loops")).next().expect("a hot loop").clone()
    };
    let report = json_of(&folder, &["asm", "bound.lane", "--target", "avx2"]);
    let of = |kernel: &str| hot_loop(&report, kernel)["estimate"].clone();
    let number = |value: &Value| value.as_f64().expect("a number");

    // Two loads on two ports, two operations on two ports and a store on one port for each group of 8: a cycle each.
    let saxpy = of("saxpy");
    assert_eq!(saxpy["bound_by"], "units", "{saxpy}");
    assert_eq!((number(&saxpy["an_iteration"]), number(&saxpy["carried"]["cycles"])), (1.0 / 8.0, 1.0), "{saxpy}");
    // A load, a product whose other operand is loaded, and a sum.
    assert_eq!(number(&saxpy["through"]["cycles"]), 14.0, "{saxpy}");

    // Each sum waits 4 cycles for itself; the loads are two for each group of 8.
    let dot = of("dot");
    assert_eq!(number(&dot["carried"]["cycles"]), 4.0, "{dot}");
    let groups = number(&hot_loop(&report, "dot")["iterations"]) / 8.0;
    assert_eq!(number(&dot["a_turn"]), f64::max(4.0, groups), "{dot}");

    // What a turn hands on is the last lane: put in all lanes, and added.
    let running = of("running");
    assert_eq!(running["carried"]["turns"], 1, "{running}");
    assert!(number(&running["carried"]["cycles"]) >= 2.0, "{running}");

    // A product and a sum of an iteration wait for the one before.
    let filter = of("filter");
    let iterations = number(&hot_loop(&report, "filter")["iterations"]);
    assert_eq!((&filter["bound_by"], number(&filter["an_iteration"])), (&Value::from("latency"), 8.0), "{filter}");
    let steps = filter["carried"]["steps"].as_array().expect("steps");
    assert_eq!(steps.len() as f64, 2.0 * iterations, "{filter}");
    let lines = report["asm"].as_array().expect("lines");
    for step in steps {
        let line = &lines[step["line"].as_u64().expect("a line") as usize - 1]["text"];
        let text = line.as_str().expect("a text");
        assert!(text.contains("vmulss") || text.contains("vaddss"), "{text}");
    }

    // The text has the same marks.
    let text = folder.run(&["asm", "bound.lane", "--target", "avx2", "--kernel", "filter"]).stdout;
    let marked = text.lines().filter(|line| line.contains(" * v"));
    assert_eq!(marked.count() as f64, 2.0 * iterations, "{text}");
    assert!(text.contains("bound by latency: each turn waits for the one before along the"), "{text}");
    assert!(text.contains("estimated for Intel Skylake-SP: "), "{text}");

    let neon = json_of(&folder, &["asm", "bound.lane", "--target", "neon", "--kernel", "saxpy"]);
    assert_eq!(hot_loop(&neon, "saxpy")["estimate"]["processor"], "Arm Neoverse N1");
    let scalable = json_of(&folder, &["asm", "bound.lane", "--target", "sve256", "--kernel", "saxpy"]);
    assert_eq!(hot_loop(&scalable, "saxpy")["estimate"]["processor"], "Arm Neoverse V1");
    let riscv = json_of(&folder, &["asm", "bound.lane", "--target", "rvv128", "--kernel", "saxpy"]);
    assert_eq!(hot_loop(&riscv, "saxpy")["estimate"]["processor"], "SiFive P670");
    let wasm = json_of(&folder, &["asm", "bound.lane", "--target", "wasm", "--kernel", "saxpy"]);
    let hot = hot_loop(&wasm, "saxpy");
    assert!(hot["estimate"].is_null(), "{hot}");
    assert_eq!(hot["trouble"], "what runs WebAssembly compiles it once more, for a processor that is not known here");
}
