//! Files that call each other's functions, compiled apart, linked with a caller in C, and run: they give what the machine of `ispc-ir` gives for
//! all of them as one file.

use std::process::Command;

use ispc_ir::machine::{GangMachine, MachineLimits};
use ispc_ir::types::NumberType;
use ispc_native::header::{HeaderFunction, header};
use ispc_native::module::{ModuleDoors, module};
use native::client::Client;
use native::protocol::{CompiledForm, Spec};

use crate::{PATIENCE, exports, lowered, shared_with_types};

const COMMON: &str = "\
struct Point { float x; float y; uniform int tag; };
struct Light { float power; int<2> at; };
typedef float (*Choice)(float);
extern uniform int calls;
extern uniform float table[4];
extern const uniform int limits[3];
extern varying float last;
float shade(float x);
float shade(float x, uniform float by);
uniform float shade(uniform float x);
Point moved(Point p, uniform Point * uniform by);
uniform Light brighter(uniform Light light, uniform int<2> by);
void mark(uniform int to[], int at);
void add_to(float &x, const uniform float from[]);
float twice(float x);
float by_address(Choice choice, float x);
bool is_odd(int n);
bool is_even(int n);
int8 counted(uniform bool all, uint8 by);
task void fill(uniform int to[], uniform int by);
";

/// The exported function, which stands in the first file.
const MAIN: &str = "\
uniform int calls = 3;
varying float last;
static float own(float x) { return x + 1; }
export void run(uniform float a[], uniform int marks[], uniform int filled[], uniform int n) {
    foreach (i = 0 ... n) {
        float x = a[i];
        if (x > 2) {
            mark(marks, i);
            x = shade(x);
        } else {
            x = shade(x, 0.5f) + shade(table[2]);
        }
        add_to(x, table);
        Point p = { x, i, 7 };
        uniform Point by = { 1, 2, 3 };
        Point q = moved(p, &by);
        x = own(q.x) + 10 * q.y + q.tag + limits[1];
        Choice choice = twice;
        if (i > 3) { choice = own; }
        x = by_address(choice, x);
        if (is_odd(i)) { x += counted(n > 3, (uint8)i); }
        a[i] = x;
    }
    uniform Light light = { 1.5f, { 2, 3 } };
    uniform int<2> by = { 10, 20 };
    light = brighter(light, by);
    launch[3] fill(filled, n);
    sync;
    filled[3] = calls;
    filled[4] = light.power * 2 + light.at.x + light.at.y;
    filled[5] = limits[0] + limits[2];
    float x_of_last = last;
    filled[6] = reduce_max(x_of_last) > 0 ? 1 : 0;
}
";

const SHADES: &str = "\
uniform float table[4] = { 1, 2, 4, 8 };
const uniform int limits[3] = { 4, 5, 6 };
static float near(float x) { return x * 2; }
float shade(float x) {
    calls++;
    if (x > 4) { return near(x); }
    return twice(x) - 1;
}
float shade(float x, uniform float by) { return x * by + table[1]; }
uniform float shade(uniform float x) { return x / 4; }
Point moved(Point p, uniform Point * uniform by) {
    p.x += by->x;
    p.y += by->y;
    by->tag++;
    last = p.x;
    return p;
}
uniform Light brighter(uniform Light light, uniform int<2> by) {
    light.power *= 2;
    light.at += by;
    return light;
}
void add_to(float &x, const uniform float from[]) { x += from[3]; }
bool is_odd(int n) { return n <= 0 ? false : is_even(n - 1); }
";

const MARKS: &str = "\
static float near(float x) { return x * 3; }
void mark(uniform int to[], int at) {
    // What lanes that are off would store shows.
    to[at] = at + 1;
    for (int k = 0; k < at; k += 3) { to[at] += 100; }
}
float twice(float x) { return near(x) - x; }
float by_address(Choice choice, float x) { return choice(x) + twice(0.5f); }
bool is_even(int n) { return n <= 0 ? true : is_odd(n - 1); }
int8 counted(uniform bool all, uint8 by) { return all ? -(int8)by : (int8)by; }
task void fill(uniform int to[], uniform int by) { to[taskIndex] = by * (taskIndex + 1) + taskCount; }
";

const CALLER: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include "main.h"
typedef void (*Task)(void *, int, int, int, int, int, int, int, int, int, int);
void *ISPCAlloc(void **handle, int64_t size, int32_t align) { (void)align; *handle = malloc((size_t)size + 64); return (void *)(((uintptr_t)*handle + 63) & ~(uintptr_t)63); }
void ISPCLaunch(void **handle, void *task, void *data, int x, int y, int z) {
    (void)handle;
    for (int i = 0; i < x * y * z; ++i) ((Task)task)(data, 0, 1, i, x * y * z, i % x, 0, 0, x, y, z);
}
void ISPCSync(void *handle) { free(handle); }
int main(void) {
    float a[11];
    int32_t marks[11] = { 0 }, filled[7] = { 0 };
    for (int i = 0; i < 11; ++i) a[i] = (float)i;
    run(a, marks, filled, 11);
    for (int i = 0; i < 11; ++i) printf("%s%.1f", i ? ", " : "a = [", (double)a[i]);
    for (int i = 0; i < 11; ++i) printf("%s%d", i ? ", " : "]\nmarks = [", marks[i]);
    for (int i = 0; i < 7; ++i) printf("%s%d", i ? ", " : "]\nfilled = [", filled[i]);
    printf("]\n");
    return 0;
}
"#;

/// What the program prints, by the machine of `ispc-ir`.
fn expected(lanes: u32) -> String {
    // In one file a name means one thing.
    let marks = MARKS.replace("near", "nearer");
    let lowered = lowered(&format!("{COMMON}{SHADES}{marks}{MAIN}"), lanes);
    let function = lowered.module.function("run").expect("a function");
    let mut machine = GangMachine::new(&lowered.module, MachineLimits { fuel: 1_000_000 }).expect("a start");
    let mut array = |n: u64| machine.memory.allocate("an array", 4 * n).expect("memory");
    let [a, marks, filled] = [array(11), array(11), array(7)];
    let mut set = |at: u64, ty: NumberType, bits: u32| machine.memory.write(at, ty, bits.into()).expect("memory");
    for nth in 0..11 {
        set(a + 4 * nth, NumberType::F32, (nth as f32).to_bits());
        set(marks + 4 * nth, NumberType::I32, 0);
    }
    (0..7).for_each(|nth| set(filled + 4 * nth, NumberType::I32, 0));
    machine.run(function, &[vec![a], vec![marks], vec![filled], vec![11]]).unwrap_or_else(|fault| panic!("{fault:?}"));
    let read = |at: u64, ty: NumberType| machine.memory.read(at, ty).expect("memory") as u32;
    let floats = (0..11).map(|nth| format!("{:.1}", f32::from_bits(read(a + 4 * nth, NumberType::F32))));
    let whole = |from: u64, n: u64| -> Vec<String> {
        (0..n).map(|nth| (read(from + 4 * nth, NumberType::I32) as i32).to_string()).collect()
    };
    let floats: Vec<String> = floats.collect();
    let (marks, filled) = (whole(marks, 11), whole(filled, 7));
    format!("a = [{}]\nmarks = [{}]\nfilled = [{}]\n", floats.join(", "), marks.join(", "), filled.join(", "))
}

pub(crate) fn in_several_files(client: &Client) {
    let has_gcc = Command::new("gcc").arg("--version").output().is_ok_and(|output| output.status.success());
    if !cfg!(target_arch = "x86_64") || !has_gcc {
        return;
    }
    for (name, lanes) in [("sse4", 4), ("avx2", 8), ("sse4", 8)] {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, content: &[u8]| std::fs::write(folder.path().join(name), content).expect("a file");
        let target = ir::target::find(name).expect("a row");
        let mut objects = Vec::new();
        for (file, text) in [("main", MAIN), ("shades", SHADES), ("marks", MARKS)] {
            let (lowered, types) = shared_with_types(&format!("{COMMON}{text}"), lanes);
            let doors = exports(&lowered);
            let shared: Vec<usize> = lowered.entries.iter().map(|entry| entry.function).collect();
            let text = module(&lowered.module, target, ModuleDoors::Linked(&doors, &shared));
            let text = text.unwrap_or_else(|refused| panic!("{refused:?}"));
            let made = client.compile(text.clone(), Spec::of(target), CompiledForm::Object, PATIENCE);
            write(&format!("{file}.o"), &made.unwrap_or_else(|failure| panic!("{failure}\n{text}")).1);
            objects.push(format!("{file}.o"));
            let told = lowered.entries.iter().filter(|entry| entry.is_exported);
            let told = told.map(|entry| HeaderFunction { name: entry.name.to_string(), entity: entry.entity });
            write(&format!("{file}.h"), header("main.ispc", &types.layer, &told.collect::<Vec<_>>()).as_bytes());
        }
        write("caller.c", CALLER.as_bytes());
        let mut link = Command::new("gcc");
        link.current_dir(folder.path()).args(["-Wall", "-Wl,--gc-sections", "caller.c", "-o", "caller"]).args(&objects);
        let linked = link.arg("-lm").output().expect("the compiler");
        assert!(linked.status.success(), "{name}: {}", String::from_utf8_lossy(&linked.stderr));
        let ran = Command::new(folder.path().join("caller")).output().expect("the program");
        assert_eq!(String::from_utf8_lossy(&ran.stdout), expected(lanes), "{name}, {lanes} lanes");
    }
}

/// What a file shares has symbols, what is its own has none, and a function that is not there is called by its symbol.
pub(crate) fn by_symbols(_: &Client) {
    let text = "static float own(float x) { return x; }\n\
        inline float small(float x) { return own(x); }\n\
        float other(float x, uniform int n);\n\
        float shade(float x) { return small(x) * other(x, 3); }\n\
        template <typename T> T any_of(T x) { return x; }\n\
        extern \"C\" uniform int of_c(uniform int x) { return x; }\n\
        uniform int given = 2;\n\
        static uniform int hidden;\n\
        const uniform int known = 3;\n\
        export void f(uniform float a[]) { a[programIndex] = shade(any_of(2.0f)) + known + hidden; }\n";
    let (lowered, _) = shared_with_types(text, 8);
    let shared: Vec<usize> = lowered.entries.iter().map(|entry| entry.function).collect();
    let target = ir::target::find("avx2").expect("a row");
    let text = module(&lowered.module, target, ModuleDoors::Linked(&exports(&lowered), &shared));
    let text = text.unwrap_or_else(|refused| panic!("{refused:?}"));
    let outer = text.lines().filter(|line| line.starts_with("define ") && !line.starts_with("define internal"));
    let names = outer.filter_map(|line| line.split_once('@')?.1.split_once('('));
    let mut names: Vec<&str> = names.map(|(name, _)| name).collect();
    names.sort_unstable();
    assert_eq!(names, ["f", "f.u_p_u_float.avx2x8", "of_c", "shade.v_float.avx2x8"], "{text}");
    assert!(text.contains("@given = weak global") && !text.contains("@hidden") && !text.contains("@known"), "{text}");
    assert!(
        text.contains("declare <8 x float> @other.v_float.u_int.avx2x8(<8 x float>, i32, <8 x i32>, ptr)"),
        "{text}"
    );
    // A linker may leave out what nobody calls.
    assert!(text.contains("section \".text.shade.v_float.avx2x8\""), "{text}");
}
