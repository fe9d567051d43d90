//! Keys in an ISPC file of 500 lines behind 20 headers of 2,500 lines, beside the same file behind none; and in one of the headers.

use std::fmt::Write as _;
use std::fs;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::client::Client;
use crate::{Figures, Language, Spread, measure};

const N_HEADERS: usize = 20;
const N_LINES: usize = 2_500;
const N_KEYS: usize = 60;

/// Prints the figures.
pub(crate) fn measure_ispc() {
    let folder = tempfile::tempdir().expect("a folder");
    let n_lines: usize = (0..N_HEADERS)
        .map(|n| {
            let text = header(n);
            fs::write(folder.path().join(format!("h{n}.isph")), &text).expect("a file");
            text.lines().count()
        })
        .sum();
    let uri = |name: &str| format!("file://{}", folder.path().join(name).display());
    let alone = typed(uri("alone.ispc"), source(0), "no headers");
    let behind = typed(uri("behind.ispc"), source(N_HEADERS), &format!("{n_lines} lines of headers"));
    let ratio = |of: fn(&Figures) -> &Vec<Duration>| Spread::of(of(&behind)).p95 / Spread::of(of(&alone)).p95;
    println!(
        "  p95 behind headers: to diagnostics {:.1} times that without, of a hover {:.1} times, of tokens {:.1} times",
        ratio(|it| &it.diagnostics),
        ratio(|it| &it.hover),
        ratio(|it| &it.tokens)
    );
    header_edited(&uri("behind.ispc"), &uri("h7.isph"));
}

fn typed(uri: String, text: String, what: &str) -> Figures {
    let mut client = Client::start();
    println!("\nan ISPC file of {} lines, {what}", text.lines().count());
    let figures = measure(&mut client, &Language { id: "ispc", uri: uri.leak(), text, typed_behind: crate::NAME });
    figures.print(None);
    client.end_amid_news();
    figures
}

/// Keys in a header that is open: the unit is read whole each time.
fn header_edited(main: &str, header_uri: &str) {
    let mut client = Client::start();
    let capabilities = json!({ "textDocument": { "publishDiagnostics": {} } });
    client.initialize(json!({ "processId": null, "rootUri": null, "capabilities": capabilities }));
    client.open_as(main, "ispc", &source(N_HEADERS));
    client.diagnostics(1);
    let text = header(7);
    client.open_as(header_uri, "ispc", &text);
    let published =
        |client: &mut Client, uri: &str| while client.told("textDocument/publishDiagnostics")["uri"] != uri {};
    published(&mut client, header_uri);
    let mut times = Vec::new();
    for key in 0..N_KEYS {
        let start = Instant::now();
        client.replace(header_uri, key as i64 + 2, &format!("{text}// {}\n", "x".repeat(key)));
        published(&mut client, main);
        times.push(start.elapsed());
    }
    let times = Spread::of(&times);
    println!("  a key in a header, to the diagnostics of the file that includes it: {}", times.show());
    client.end_amid_news();
}

/// A header with structs, macros, overloads and functions.
fn header(n: usize) -> String {
    let mut text = "#pragma once\n".to_owned();
    let mut k = 0;
    while text.lines().count() + 14 < N_LINES {
        let _ = write!(
            text,
            "/// A vector, number {k}.\n\
             struct Vec{n}_{k} {{ float x, y, z; uniform int tag; }};\n\
             #define LENGTH{n}_{k}(v) ((v).x * (v).x + (v).y * (v).y + (v).z * (v).z)\n\
             static inline float dot{n}_{k}(const Vec{n}_{k} &a, const Vec{n}_{k} &b) {{\n\
             \x20   return a.x * b.x + a.y * b.y + a.z * b.z;\n\
             }}\n\
             static inline float scaled{n}_{k}(const Vec{n}_{k} &a, uniform float by) {{\n\
             \x20   float sum = 0;\n\
             \x20   for (uniform int i = 0; i < 4; ++i) {{\n\
             \x20       sum += by * LENGTH{n}_{k}(a) + i;\n\
             \x20   }}\n\
             \x20   return sum > 0 ? sum : dot{n}_{k}(a, a);\n\
             }}\n\n"
        );
        k += 1;
    }
    while text.lines().count() < N_LINES {
        text += "// The end.\n";
    }
    text
}

fn source(n_headers: usize) -> String {
    let mut text: String = (0..n_headers).map(|n| format!("#include \"h{n}.isph\"\n")).collect();
    for k in 0..50 {
        // A name that is used nowhere else: with a key more, the text is right as well.
        let _ = write!(
            text,
            "/// Function {k}.\n\
             export void f{k}(uniform float out[], uniform float data[], uniform int n) {{\n\
             \x20   foreach (i = 0 ... n) {{\n\
             \x20       float key = data[i] * {k}.5;\n\
             \x20       if (data[i] > 0) {{\n\
             \x20           out[i] = sqrt(data[i]) + {k};\n\
             \x20       }}\n\
             \x20   }}\n\
             }}\n\n"
        );
    }
    text
}
