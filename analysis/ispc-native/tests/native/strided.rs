//! Cells a fixed distance apart: what is loaded and stored is what the machine of `ispc-ir` has, and nothing beside it is touched.

use ispc_ir::machine::{GangMachine, MachineLimits};
use ispc_ir::types::NumberType;
use ispc_native::run::{GangRun, RunArgument, RunMemory, job, ran};
use native::client::Client;
use native::protocol::{Guard, Job};

use crate::{PATIENCE, here, lowered};

/// Runs `f` of a text on arrays of so many bytes, in which its pointers point to these bytes: with pages in front of them that may not be
/// touched, and with such pages behind.
fn check(client: &Client, text: &str, lanes: u32, sizes: &[u64], pointers: &[(usize, u64)]) {
    let lowered = lowered(text, lanes);
    let function = lowered.module.function("f").expect("a function `f`");
    let mut machine = GangMachine::new(&lowered.module, MachineLimits { fuel: 1_000_000 }).expect("a start");
    let first = |at: u64| (at * 7 + 3) % 120;
    let mut addresses = Vec::new();
    for n_bytes in sizes {
        let address = machine.memory.allocate("an array", *n_bytes).expect("memory");
        (0..*n_bytes).for_each(|at| machine.memory.write(address + at, NumberType::U8, first(at)).expect("a byte"));
        addresses.push(address);
    }
    let args: Vec<Vec<u64>> = pointers.iter().map(|(piece, byte)| vec![addresses[*piece] + byte]).collect();
    machine.run(function, &args).unwrap_or_else(|fault| panic!("{fault:?}\n{text}"));
    let read = |(address, n_bytes): (&u64, &u64)| -> Vec<u8> {
        (0..*n_bytes).map(|at| machine.memory.read(address + at, NumberType::U8).expect("a byte") as u8).collect()
    };
    let expected: Vec<Vec<u8>> = addresses.iter().zip(sizes).map(read).collect();
    let bytes = |n_bytes: &u64| (0..*n_bytes).map(|at| first(at) as u8).collect();
    let memory = sizes.iter().map(|n| RunMemory { name: "an array".to_owned(), bytes: bytes(n) }).collect();
    let args = pointers.iter().map(|(piece, byte)| RunArgument::Address { piece: *piece, byte: *byte as usize });
    let run = GangRun { function, args: args.collect(), memory, lanes: u64::MAX >> (64 - lanes) };
    for guard in [Guard::Start, Guard::End] {
        let (mut request, payload) =
            job(&lowered.module, &here(), &run).unwrap_or_else(|refused| panic!("{refused:?}"));
        request.guard = guard;
        let ir = request.ir.clone();
        let answer = client.ask(Job::Run(request), &payload).wait(PATIENCE);
        let ran = ran(&lowered.module, &run, answer).unwrap_or_else(|failure| panic!("{failure}\n{text}\n{ir}"));
        assert_eq!(ran.memory, expected, "{lanes} lanes, {guard:?}:\n{text}\n{ir}");
    }
}

/// Loads of an array with each distance of lanes, from its first cell to its last one.
pub(crate) fn loads(client: &Client) {
    const DISTANCES: [u32; 7] = [1, 2, 3, 4, 5, 7, 8];
    for lanes in [2, 4, 8, 16] {
        for (name, bytes) in [("int8", 1), ("int16", 2), ("float", 4), ("double", 8), ("bool", 1)] {
            for is_backwards in [false, true] {
                let (mut params, mut body, mut sizes) = (String::new(), String::new(), Vec::new());
                for (nth, apart) in DISTANCES.into_iter().enumerate() {
                    let last = apart * (lanes - 1);
                    params += &format!("uniform {name} a{nth}[], ");
                    let index = match is_backwards {
                        true => format!("{last} - {apart} * programIndex"),
                        false => format!("{apart} * programIndex"),
                    };
                    body += &format!("to[programIndex + {}] = a{nth}[{index}]; ", nth as u32 * lanes);
                    sizes.push(u64::from(last + 1) * bytes);
                }
                sizes.push(u64::from(lanes) * bytes * DISTANCES.len() as u64);
                let text = format!("void f({params}uniform {name} to[]) {{ unmasked {{ {body} }} }}");
                let pointers: Vec<(usize, u64)> = (0..sizes.len()).map(|piece| (piece, 0)).collect();
                check(client, &text, lanes, &sizes, &pointers);
            }
        }
    }
}

/// Members of structures, in all orders of loads and stores; two pointers may be to one array.
pub(crate) fn structures(client: &Client) {
    let bodies = [
        // All members.
        "p[i].x = 1; p[i].y = 2; p[i].z = 3;",
        "float s = p[i].x + p[i].y + p[i].z; p[i].z = s; p[i].x = s + 1; p[i].y = s + 2;",
        "p[i] = q[i];",
        // Each is seen by the next.
        "p[i].x += p[i].y; p[i].y += p[i].z; p[i].z += p[i].x;",
        "p[i].x = p[i].z; p[i].y = p[i].x; p[i].z = p[i].y;",
        "p[i].z = p[i].x; p[i].x = p[i].y; p[i].y = p[i].z; p[i].z = 5;",
        // Through another pointer.
        "p[i].x = q[i].x; p[i].y = q[i].y; p[i].z = q[i].z;",
        "p[i].x = 4; q[i].y = 5; p[i].y = 6; q[i].x = 7; p[i].z = 8;",
        "p[i].x = 4; float s = q[i].x; p[i].y = s; p[i].z = s;",
        "p[i].x = 4; uniform float s = q[1].x; p[i].y = s; p[i].z = s + q[i + 1].z;",
        // Not all, and one twice.
        "p[i].x = 1; p[i].z = 3;",
        "p[i].x = 1; p[i].y = 2; p[i].x = 3; p[i].z = 4;",
        "p[i].x = 1; p[i].y = 2; if (q[0].x > 0) { p[i].z = 3; } p[i].z += p[i].x;",
        "p[i].x = 1; p[i].y = 2; if (i > 1) { p[i].x = 3; p[i].y = 3; p[i].z = 3; }",
        "p[i + 1].x = 1; p[i].y = 2; p[i].z = 4; p[i].x = 8;",
        // Backwards.
        "int k = programCount - 1 - i; p[k].y = p[k].x; p[k].x = p[k].z; p[k].z = q[k].x;",
        // Cells of another size.
        "uniform double * uniform d = (uniform double * uniform)p; d[3 * i] = 1; p[2 * i].x = 2; p[2 * i].y = 3; p[2 * i].z = p[2 * i].x;",
        "uniform int16 * uniform h = (uniform int16 * uniform)p; p[i].x = 1; h[6 * i] = 5; h[6 * i + 1] = 7; p[i].y = 2; p[i].z = h[6 * i];",
    ];
    for lanes in [4, 8, 16] {
        for (is_other, from) in [(true, 0), (false, 0), (false, 4), (false, 12)] {
            // Each has arrays of its own.
            let (mut text, mut params, mut calls) = (String::new(), Vec::new(), String::new());
            let (mut sizes, mut pointers) = (Vec::new(), Vec::new());
            let bytes = 12 * 2 * u64::from(lanes) + 12;
            for (nth, body) in bodies.iter().enumerate() {
                text += &format!(
                    "static void g{nth}(uniform P p[], uniform P q[]) {{ unmasked {{ int i = programIndex; {body} }} }}\n"
                );
                params.push(format!("uniform P p{nth}[], uniform P q{nth}[]"));
                calls += &format!("g{nth}(p{nth}, q{nth}); ");
                pointers.push((sizes.len(), 0));
                pointers.push((sizes.len() + usize::from(is_other), from));
                sizes.extend(vec![bytes; 1 + usize::from(is_other)]);
            }
            let text = format!(
                "struct P {{ float x; float y; float z; }};\n{text}void f({}) {{ {calls} }}",
                params.join(", ")
            );
            check(client, &text, lanes, &sizes, &pointers);
        }
        let text = "struct P { int64 a; int64 b; };\n\
                    void f(uniform P p[], uniform int8 rgba[]) {\n\
                        unmasked { int i = programIndex; int64 a = p[i].a; p[i].a = p[i].b + 1; p[i].b = a;\n\
                        int8 r = rgba[4 * i + 2]; rgba[4 * i + 2] = rgba[4 * i]; rgba[4 * i] = r; rgba[4 * i + 1] = 0; rgba[4 * i + 3] = 1;\n\
                        rgba[2 * i] += rgba[2 * i + 1]; } }";
        check(client, text, lanes, &[16 * u64::from(lanes), 4 * u64::from(lanes)], &[(0, 0), (1, 0)]);
    }
}
