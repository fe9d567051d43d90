//! Exported functions, called by programs in C and C++.

use std::process::Command;

use ispc_native::header::{HeaderFunction, header};
use ispc_native::module::{ModuleDoors, module, signature};
use native::client::Client;
use native::dispatch;
use native::protocol::{CompiledForm, Spec};

use crate::{PATIENCE, exports, lowered_with_types};

const KERNELS: &str = "\
struct Body { float x; int8 tag; float<3> v; uniform Body * uniform next; };\n\
enum Mode { PLAIN, FAST = 4 };\n\
extern \"C\" uniform int counted(uniform int by);\n\
extern uniform int total;\n\
uniform int total = 3;\n\
export void scale(uniform float a[], uniform int n, uniform float by) {\n\
    foreach (i = 0 ... n) { if (a[i] > 0) { a[i] *= by; } }\n\
}\n\
export uniform bool is_fast(uniform bool x, const uniform int8 * uniform p, uniform Mode mode, uniform Body &body, uniform int8 c) {\n\
    body.x += c;\n\
    body.v.y = p[1];\n\
    total += counted(2);\n\
    return x && mode == FAST;\n\
}\n\
task void mark(uniform int to[]) { to[taskIndex] = taskCount; }\n\
export void marked(uniform int to[], uniform int n) { launch[n] mark(to); }\n";

const MAIN: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include "kernels.h"
#ifdef __cplusplus
using namespace ispc;
#define REFERENCE(x) x
extern "C" {
#else
#define REFERENCE(x) &x
#endif
extern int32_t total;
int32_t counted(int32_t by);
int32_t counted(int32_t by) { static int32_t all = 0; return all += by; }
typedef void (*Task)(void *, int, int, int, int, int, int, int, int, int, int);
void *ISPCAlloc(void **handle, int64_t size, int32_t align);
void *ISPCAlloc(void **handle, int64_t size, int32_t align) { (void)align; *handle = malloc((size_t)size + 64); return (void *)(((uintptr_t)*handle + 63) & ~(uintptr_t)63); }
void ISPCLaunch(void **handle, void *task, void *data, int x, int y, int z);
void ISPCLaunch(void **handle, void *task, void *data, int x, int y, int z) {
    (void)handle;
    for (int i = 0; i < x * y * z; ++i) ((Task)task)(data, 0, 1, i, x * y * z, i % x, 0, 0, x, y, z);
}
void ISPCSync(void *handle);
void ISPCSync(void *handle) { free(handle); printf("synced "); }
#ifdef __cplusplus
}
#endif
int main(void) {
    float a[11];
    for (int i = 0; i < 11; ++i) a[i] = (float)(i - 2);
    scale(a, 11, 3.0f);
    for (int i = 0; i < 11; ++i) printf("%g ", (double)a[i]);
    struct Body body = { 1.5f, 0, { { 0, 0, 0 } }, NULL };
    int8_t p[2] = { 1, -7 };
    printf("%d ", is_fast(true, p, FAST, REFERENCE(body), -2));
    printf("%d ", is_fast(true, p, PLAIN, REFERENCE(body), -2));
    printf("%g %g %d ", (double)body.x, (double)body.v.v[1], total);
    int32_t to[3] = { 0, 0, 0 };
    marked(to, 3);
    printf("%d %d %d\n", to[0], to[1], to[2]);
    return 0;
}
"#;

const TOLD: &str = "-2 -1 0 3 6 9 12 15 18 21 24 1 0 -2.5 -7 9 synced 3 3 3\n";

/// Objects for one target and for several, linked with callers in C and C++.
pub(crate) fn in_c_and_cpp(client: &Client) {
    let has =
        |program: &str| Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success());
    if !cfg!(target_arch = "x86_64") || !has("gcc") || !has("g++") {
        return;
    }
    for names in [&["sse4"][..], &["sse4", "avx2", "avx512"]] {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, content: &[u8]| std::fs::write(folder.path().join(name), content).expect("a file");
        let (mut objects, mut signatures, mut rows) = (Vec::new(), Vec::new(), Vec::new());
        let mut object = |name: &str, text: String, target: &ir::Target| {
            let made = client.compile(text, Spec::of(target), CompiledForm::Object, PATIENCE);
            write(name, &made.unwrap_or_else(|failure| panic!("{failure}")).1);
            objects.push(name.to_owned());
        };
        for (nth, name) in names.iter().enumerate() {
            let target = ir::target::find(name).expect("a row");
            let lanes = [4, 8, 16][nth];
            let (lowered, types) = lowered_with_types(KERNELS, lanes);
            let own = exports(&lowered);
            signatures = own.iter().map(|(name, index)| (name.clone(), signature(&lowered.module, *index))).collect();
            let suffix = if names.len() > 1 { format!(".{name}") } else { String::new() };
            let doors: Vec<(String, usize)> =
                own.iter().map(|(own, index)| (format!("{own}{suffix}"), *index)).collect();
            let text = module(&lowered.module, target, ModuleDoors::Exports(&doors));
            object(&format!("{name}.o"), text.unwrap_or_else(|refused| panic!("{refused:?}")), target);
            rows.push(target.clone());
            let told = lowered.entries.iter().filter(|entry| entry.is_exported);
            let told = told.map(|entry| HeaderFunction { name: entry.name.to_string(), entity: entry.entity });
            write("kernels.h", header("kernels.ispc", &types.layer, &told.collect::<Vec<_>>()).as_bytes());
        }
        if names.len() > 1 {
            object("dispatch.o", dispatch::module_of(&signatures, &rows), &rows[0]);
        }
        for (compiler, main) in [("gcc", "main.c"), ("g++", "main.cpp")] {
            write(main, MAIN.as_bytes());
            let mut link = Command::new(compiler);
            link.current_dir(folder.path()).args(["-Wall", "-Wextra", "-Werror", main, "-o", "main"]).args(&objects);
            let linked = link.arg("-lm").output().expect("the compiler");
            assert!(linked.status.success(), "{names:?}: {}", String::from_utf8_lossy(&linked.stderr));
            let ran = Command::new(folder.path().join("main")).output().expect("the program");
            assert_eq!(String::from_utf8_lossy(&ran.stdout), TOLD, "{names:?}, {compiler}");
        }
    }
}
