//! What accesses and branches become: one instruction where lanes are neighbours, none where nothing differs.

use ispc_native::module::{ModuleDoors, module};
use native::client::Client;
use native::protocol::{CompiledForm, Outcome, Spec};

use crate::{PATIENCE, exports, lowered};

/// The assembly of a text's exported functions for AVX2 and 8 lanes.
fn assembly(client: &Client, text: &str) -> String {
    let lowered = lowered(text, 8);
    let target = ir::target::find("avx2").expect("a row");
    let text = module(&lowered.module, target, ModuleDoors::Exports(&exports(&lowered)));
    let text = text.unwrap_or_else(|refused| panic!("{refused:?}"));
    match client.compile(text, Spec::of(target), CompiledForm::Assembly, PATIENCE) {
        Ok((Outcome::Text(text), _)) => text,
        other => panic!("{other:?}"),
    }
}

fn check(client: &Client, text: &str, wanted: &[&str], unwanted: &[&str]) {
    let assembly = assembly(client, text);
    for word in wanted {
        assert!(assembly.contains(word), "`{word}` is missing\n{text}\n{assembly}");
    }
    for word in unwanted {
        assert!(!assembly.contains(word), "`{word}` is there\n{text}\n{assembly}");
    }
}

pub(crate) fn of_accesses(client: &Client) {
    let one_by_one = &["vgather", "vpinsr", "vpextr", "vextractps"][..];
    // Whole groups without a mask, and a rest with one; an offset changes nothing.
    let copy = "export void f(uniform float a[], uniform float b[], uniform int n) {\n\
                foreach (i = 0 ... n) { int k = i + 3; b[i] = a[k] + a[i - 1]; } }";
    check(client, copy, &["vmaskmovps", "vmovups"], one_by_one);
    let rows = "export void f(uniform float a[], uniform int w, uniform int h) {\n\
                foreach (y = 0 ... h, x = 0 ... w) { int at = y * w + x; a[at] = 2 * a[at]; } }";
    check(client, rows, &["vmovups"], one_by_one);
    // One cell for all lanes is loaded once.
    let one = "export void f(uniform float a[], uniform float b[], uniform int n, uniform int k) {\n\
               foreach (i = 0 ... n) { b[i] = a[k]; } }";
    check(client, one, &["vbroadcastss"], one_by_one);
    let each = "export void f(uniform float a[], uniform int to[], uniform int n) {\n\
                foreach (i = 0 ... n) { a[i] = a[to[i]]; } }";
    check(client, each, &["vgather"], &[]);
    let index = "export void f(uniform float a[]) { a[programIndex] *= 2; }";
    check(client, index, &["vmovups"], &["vmaskmov", "vgather"]);
}

pub(crate) fn of_branches(client: &Client) {
    // A loop of all lanes has no mask, and a condition that all share is a branch.
    let together = "export void f(uniform float a[], uniform int n) {\n\
                    float x = a[programIndex];\n\
                    for (uniform int i = 0; i < n; ++i) { x = x * x; if (i == 7) { break; } }\n\
                    a[programIndex] = x; }";
    check(client, together, &["vmulps"], &["vmaskmov", "vtestps", "vblendv"]);
    // What is cheap is run by all, and chosen from.
    let choice = "export void f(uniform float a[], uniform float b[]) {\n\
                  float x = a[programIndex]; if (x < 3) { x = x * 5; } b[programIndex] = x; }";
    check(client, choice, &["vblendvps"], &["vmaskmov", "vtestps"]);
}

pub(crate) fn of_masks(client: &Client) {
    // From round to round a mask is what a comparison gives, and is packed nowhere.
    let rounds = "export void f(uniform float a[]) {\n\
                  float x = a[programIndex]; int k = 0;\n\
                  while (x < 4) { x = x * x + 1; ++k; }\n\
                  a[programIndex] = x + k; }";
    check(client, rounds, &["vtestps", "vblendvps"], &["vpack", "vpmovzx", "vpmovmskb"]);
}

pub(crate) fn of_strides(client: &Client) {
    let one_by_one = &["vgather", "vpinsr", "vpextr", "vextractps", "vinsertps"][..];
    let pairs = "export void f(uniform float a[], uniform float b[]) {\n\
                 b[programIndex] = a[2 * programIndex] + a[2 * programIndex + 1]; }";
    check(client, pairs, &["vshufps"], one_by_one);
    let back = "export void f(uniform float a[], uniform float b[]) { b[programIndex] = a[7 - programIndex]; }";
    check(client, back, &["vpermps"], one_by_one);
    // Of all members each vector is loaded once, and all are stored.
    let points = "struct Point { float x; float y; float z; };\n\
                  export void f(uniform Point p[], uniform Point q[]) {\n\
                  float x = p[programIndex].x, y = p[programIndex].y, z = p[programIndex].z;\n\
                  q[programIndex].x = y; q[programIndex].y = z; q[programIndex].z = x; }";
    check(client, points, &["vblendps"], one_by_one);
    // A lane that is off has no cell.
    let some = "export void f(uniform float a[], uniform float b[]) {\n\
                if (b[programIndex] > 3) { b[programIndex] = a[2 * programIndex]; } }";
    check(client, some, &["vgather"], &[]);
    // What is far apart is gathered.
    let far = "export void f(uniform float a[], uniform float b[]) { b[programIndex] = a[9 * programIndex]; }";
    check(client, far, &["vgather"], &[]);
}
