//! Small programs give what the machine of `ispc-ir` gives, and have code for all targets.

use ispc_ir::machine::{GangMachine, MachineLimits};
use ispc_native::module::{ModuleDoors, module};
use ispc_native::run::GangRun;
use native::client::Client;
use native::protocol::{CompiledForm, Spec};

use crate::{PATIENCE, exports, lowered, natively, shown};

/// Runs `f` of a text at several numbers of lanes: it prints what it prints in the interpreter.
fn check(client: &Client, text: &str) {
    for lanes in [4, 8, 16] {
        let lowered = lowered(text, lanes);
        let function = lowered.module.function("f").expect("a function `f`");
        let mut machine = GangMachine::new(&lowered.module, MachineLimits { fuel: 10_000_000 }).expect("a start");
        machine.run(function, &[]).unwrap_or_else(|fault| panic!("{fault:?}\n{text}"));
        let all = u64::MAX >> (64 - lanes);
        let run = GangRun { function, args: Vec::new(), memory: Vec::new(), lanes: all };
        let ran = natively(client, &lowered, &run);
        assert!(!machine.printed.is_empty(), "{text}");
        assert_eq!(shown(&ran.printed), shown(&machine.printed), "{lanes} lanes:\n{text}");
    }
}

/// Numbers of a type that lie at its ends, and others.
const NUMBERS: &str = "T x = (T)(programIndex * 37 - 50); T y = (T)(3 - programIndex); if (programIndex == 1) { x = LEAST; y = -1; } if (programIndex == 2) { x = LEAST; y = LEAST; } if (programIndex == 3) { y = x; }";

pub(crate) fn whole_numbers(client: &Client) {
    let types = [
        ("int8", "(int8)128"),
        ("uint8", "0"),
        ("int16", "(int16)32768"),
        ("uint16", "0"),
        ("int", "(int)0x80000000"),
        ("uint", "0"),
        ("int64", "((int64)1 << 63)"),
        ("uint64", "0"),
    ];
    for (name, least) in types {
        let numbers = NUMBERS.replace("LEAST", least).replace('T', name);
        let text = format!(
            "void f() {{ {numbers} print(\"% % % %\\n\", x + y, x - y, x * y, -x);\n\
             if (y != 0) {{ print(\"% %\\n\", x / y, x % y); }}\n\
             print(\"% % % %\\n\", x & y, x | y, x ^ y, ~x);\n\
             print(\"% % % %\\n\", x << 3, x >> 2, x << y, x >> y);\n\
             print(\"% % %\\n\", x / 7, x % 7, min(x, y));\n\
             print(\"% % %\\n\", saturating_add(x, y), saturating_sub(x, y), saturating_mul(x, y));\n\
             if (y != 0) {{ print(\"%\\n\", saturating_div(x, y)); }}\n\
             print(\"% % % %\\n\", (float)x, (double)x, (int64)x, (int8)x);\n\
             print(\"% % %\\n\", x < y, x == y, x >= y); }}"
        );
        check(client, &text);
    }
}

pub(crate) fn floats(client: &Client) {
    for (name, bits) in [("float", "intbits"), ("double", "intbits"), ("float16", "intbits")] {
        let text = format!(
            "void f() {{ {name} x = ({name})(programIndex * 1.37d - 2); {name} y = ({name})(1 / (0.3d * programIndex));\n\
             if (programIndex == 3) {{ x = ({name})0.00001d; y = ({name})70000; }}\n\
             print(\"% % % %\\n\", {bits}(x + y), {bits}(x - y), {bits}(x * y), {bits}(x / y));\n\
             print(\"% % %\\n\", {bits}(sqrt(abs(x))), {bits}(rcp(x)), {bits}(rsqrt(abs(x))));\n\
             print(\"% % % %\\n\", {bits}(round(x)), {bits}(floor(x)), {bits}(ceil(x)), {bits}(trunc(x)));\n\
             print(\"% % % %\\n\", {bits}(min(x, y)), {bits}(max(x, y)), {bits}(-x), {bits}(abs(x)));\n\
             print(\"% % %\\n\", x < y, x != x, isnan(y - y));\n\
             print(\"% % % %\\n\", (int)x, (uint)x, (int64)x, (int8)y);\n\
             print(\"% % %\\n\", {bits}((float)x), {bits}((double)x), {bits}((float16)x)); }}"
        );
        check(client, &text);
    }
}

pub(crate) fn math(client: &Client) {
    check(
        client,
        "void f() { float x = 0.1f + programIndex * 0.37f;\n\
         print(\"% % %\\n\", intbits(sin(x)), intbits(cos(x)), intbits(tan(x)));\n\
         if (programIndex != 2) { print(\"% % %\\n\", intbits(exp(x)), intbits(log(x)), intbits(pow(x, 1.7f))); }\n\
         print(\"% %\\n\", intbits(atan2(x, 2.0f)), intbits(ldexp(x, 3)));\n\
         varying int e; float m = frexp(x, &e); print(\"% %\\n\", intbits(m), e); }",
    );
}

pub(crate) fn lanes(client: &Client) {
    check(
        client,
        "void f() { int x = programIndex * 5 + 1; float g = x * 0.1f;\n\
         print(\"% % %\\n\", reduce_add(x), reduce_min(g), reduce_max(x));\n\
         print(\"% % %\\n\", intbits(reduce_add(g)), any(x > 5), all(x > 5));\n\
         print(\"% %\\n\", rotate(x, 1), shuffle(x, programCount - 1 - programIndex));\n\
         print(\"% %\\n\", broadcast(g, 2), extract(x, 3));\n\
         if (programIndex % 2 == 1) { print(\"% % %\\n\", exclusive_scan_add(x), lanemask(), packmask(x > 7)); }\n\
         uniform int same; uniform bool are = reduce_equal(x, &same); print(\"%\\n\", are);\n\
         uniform int packed[64]; for (uniform int i = 0; i < 64; ++i) { packed[i] = 0; }\n\
         if (x > 6) { uniform int n = packed_store_active(packed, x); print(\"%\\n\", n); }\n\
         print(\"% %\\n\", packed[0], packed[1]); }",
    );
}

pub(crate) fn memory(client: &Client) {
    check(
        client,
        "struct Point { float x; int8 tag; double w; };\n\
         uniform float table[8] = { 1, 2, 3 };\n\
         float * uniform where = 0;\n\
         typedef int (*Change)(int);\n\
         int twice(int x) { return 2 * x; }\n\
         int less(int x) { return x - 1; }\n\
         void f() { uniform Point points[32]; for (uniform int i = 0; i < 32; ++i) { points[i].x = i; points[i].w = 0.5d * i; }\n\
         points[programIndex].x += programIndex; points[31 - programIndex].tag = programIndex;\n\
         print(\"% % %\\n\", points[2 * programIndex & 31].x, points[31 - programIndex].tag, points[5].w);\n\
         uniform int * varying own = new uniform int[3]; own[1] = programIndex; print(\"%\\n\", own[1]); delete own;\n\
         uniform int sum = 0; atomic_add_global(&sum, programIndex); print(\"%\\n\", sum);\n\
         uniform int cell = 0; uniform int * varying to = &cell; *to = programIndex; print(\"% %\\n\", cell, table[2]);\n\
         Change change = programIndex % 3 == 0 ? twice : less; print(\"%\\n\", change(programIndex)); }",
    );
}

/// Structs that are passed and given by themselves.
pub(crate) fn structs(client: &Client) {
    check(client, include_str!("structs.ispc"));
}

pub(crate) fn tasks(client: &Client) {
    check(
        client,
        "task void one(uniform int to[], uniform int by) { if (programIndex == 0) { to[taskIndex] = by + taskCount + taskIndex1; } }\n\
         void f() { uniform int to[6]; launch[3, 2] one(to, 7); sync; print(\"% % %\\n\", to[0], to[3], to[5]); }",
    );
}

/// A program that asks each family of instructions for something hard.
const ALL: &str = "\
export void all(uniform float a[], uniform int n, uniform int b[], uniform float16 h[]) {\n\
    foreach (i = 0 ... n) {\n\
        float x = a[i];\n\
        int k = b[i];\n\
        while (x > 1 && k != 0) { x *= 0.5f; --k; if (x < 0) { break; } }\n\
        a[k & 7] = x;\n\
        b[i] = k / (b[i] | 1) + packmask(x > 0);\n\
        h[i] = (float16)x * h[i];\n\
        a[i] = exp(x) + reduce_add(x);\n\
    }\n\
}\n";

pub(crate) fn have_code_for_all_targets(client: &Client) {
    for target in ir::target::TARGETS.iter().filter(|target| target.name != "wasm") {
        for lanes in [1, 4, 8, 16] {
            let lowered = lowered(ALL, lanes);
            let text = module(&lowered.module, target, ModuleDoors::Exports(&exports(&lowered)));
            let text = text.unwrap_or_else(|refused| panic!("{refused:?}"));
            let made = client.compile(text, Spec::of(target), CompiledForm::Object, PATIENCE);
            let made = made.unwrap_or_else(|failure| panic!("{}, {lanes} lanes: {failure}", target.name));
            assert!(made.1.len() > 100, "{}", target.name);
        }
    }
}

pub(crate) fn what_cannot_be_is_told(_: &Client) {
    let refused = |text: &str, lanes: u32, target: &str| {
        let lowered = lowered(text, lanes);
        let target = ir::target::find(target).expect("a row");
        match module(&lowered.module, target, ModuleDoors::Exports(&exports(&lowered))) {
            Ok(_) => String::new(),
            Err(refused) => refused.message,
        }
    };
    let plain = "export void f() { }";
    assert!(refused(plain, 8, "wasm").contains("choose another target"));
    assert!(refused(plain, 6, "avx2").contains("`--lanes`"));
    assert_eq!(refused(plain, 8, "avx2"), "");
    let by_value =
        "struct S { float x, y; }; export uniform S f(uniform float x) { uniform S s = { x, x }; return s; }";
    assert!(refused(by_value, 8, "avx2").contains("pass structs by their address"));
    let call = |head: &str| {
        let text = format!("{head}; export void f(uniform float a[]) {{ a[programIndex] = g(a[programIndex]); }}");
        refused(&text, 8, "avx2")
    };
    assert_eq!(call("float g(float x)"), "");
    assert!(call("static float g(float x)").contains("`g` has no body here, and no other file can have it"));
    assert!(call("extern \"C\" float g(float x)").contains("`g` is of C"));
}

/// The page of each code has a source that has it, and one that has not.
pub(crate) fn every_code_has_a_page(_: &Client) {
    const PAGES: &str = include_str!("../../../../docs/ispc-reasons.md");
    for code in ispc_native::CODES {
        let page = PAGES.split("\n## ").find(|page| page.lines().next() == Some(code)).expect("a page");
        let sources: Vec<&str> = page.split("```ispc\n").skip(1).filter_map(|part| part.split("```").next()).collect();
        let [has, lifted] = sources[..] else { panic!("`{code}` has {} sources", sources.len()) };
        let target = ir::target::find("avx2").expect("a row");
        for (source, is_compiled) in [(has, false), (lifted, true)] {
            let lowered = lowered(source, 8);
            let made = module(&lowered.module, target, ModuleDoors::Exports(&exports(&lowered)));
            assert_eq!(made.is_ok(), is_compiled, "`{code}`: {source}");
        }
    }
}
