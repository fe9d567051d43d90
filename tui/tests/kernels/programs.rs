//! The programs of `examples/programs`, and the Mandelbrot set beside them, held against the plain C that the benchmark `programs`
//! measures them with.

use queries::run::Argument;

use crate::cases::{Case, Numbers, list, number, zeros};
use crate::hold;

#[test]
fn mandelbrot() {
    let case = Case::exact("mandelbrot", |n, _| {
        let place = [number("left", -2), number("top", -1), number("scale", 0.07), number("max_steps", 40)];
        [vec![zeros("steps", 9 * n), number("h", 9), number("w", n)], place.to_vec()].concat()
    });
    hold("examples/mandelbrot.lane", "tui/benches/programs/mandelbrot.c", vec![case]);
}

#[test]
fn deferred() {
    held(
        "deferred",
        vec![
            Case::within(1e-6, "z_bounds", |n, d| {
                let tiles = ["nearest", "farthest"].map(|name| zeros(name, 2 * n));
                [vec![d.floats("depth", 512 * n, 0.9, 1.0)], tiles.to_vec(), eye(32, 16 * n)].concat()
            })
            .of(&[1, 3]),
            Case::exact("cull_lights", |n, d| {
                let lights = lights(&["light_x", "light_y", "light_z", "reach"], 37, d);
                let bounds = vec![d.floats("nearest", 2 * n, 0.5, 2.0), d.floats("farthest", 2 * n, 2.0, 6.0)];
                let lists = vec![zeros("counts", 2 * n), zeros("lists", 2048 * n)];
                [lights, bounds, lists, eye(32, 16 * n), vec![number("m", 37)]].concat()
            })
            .of(&[1, 17]),
            Case::within(0.008, "shade", |n, d| {
                let pixels = 256 * n;
                let halves =
                    [("normal_x", 0.3, 0.7), ("normal_y", 0.3, 0.7), ("gloss", 0.0, 1.0), ("power", 4.0, 40.0)];
                let halves = halves.map(|(name, least, most)| d.floats(name, pixels, least, most));
                let paint = ["red", "green", "blue"].map(|name| d.integers(name, pixels, 0, 255));
                let names =
                    ["light_x", "light_y", "light_z", "fades", "reach", "light_red", "light_green", "light_blue"];
                let lists = vec![d.integers("counts", n, 1, 5), d.integers("lists", 1024 * n, 0, 7)];
                let out = ["out_red", "out_green", "out_blue"].map(|name| zeros(name, pixels));
                let depth = vec![d.floats("depth", pixels, 0.96, 0.99)];
                let buffers = [depth, halves.to_vec(), paint.to_vec(), lights(&names, 8, d)].concat();
                [buffers, lists, out.to_vec(), eye(16, 16 * n), vec![number("m", 8)]].concat()
            })
            .of(&[1, 2]),
        ],
    );
}

/// How the scene of `deferred.lane` is projected, and the size of the picture.
fn eye(h: usize, w: usize) -> Vec<Argument> {
    vec![list("eye", [1.3, 1.6, 1.001, -0.1, 0.1, 90.0f32]), number("h", h), number("w", w)]
}

/// Lights around the view, whose light ends further away than it begins to fade.
fn lights(names: &[&str], m: usize, d: &mut Numbers) -> Vec<Argument> {
    let range = |name: &str| match name {
        "light_z" => (1.0, 5.0),
        "fades" => (0.5, 2.0),
        "reach" => (2.1, 5.0),
        "light_x" | "light_y" => (-3.0, 3.0),
        _ => (0.1, 0.5),
    };
    names.iter().map(|name| d.floats(name, m, range(name).0, range(name).1)).collect()
}

#[test]
fn volume() {
    let case = Case::within(1e-4, "volume", |n, d| {
        let view = [4.5, 2.4, 6.0, -0.8, -0.01, -0.69, 0.02, 0.0, -0.015, 0.0, -0.1, 0.02f32];
        let sizes = [("d", 4), ("h", 5), ("w", 6), ("rows", 2), ("columns", n)];
        let given = vec![d.floats("cloud", 120, 0.0, 0.6), zeros("image", 2 * n), list("view", view)];
        [given, sizes.map(|(name, size)| number(name, size)).to_vec()].concat()
    });
    held("volume", vec![case.of(&[0, 1, 17])]);
}

#[test]
fn transpose() {
    let given = |n: usize, d: &mut Numbers| {
        vec![d.floats("a", 35 * n, -1.0, 1.0), zeros("out", 35 * n), number("h", 35), number("w", n)]
    };
    held("transpose", vec![Case::exact("transpose_plain", given), Case::exact("transpose_in_tiles", given)]);
}

#[test]
fn sort() {
    let case = Case::exact("radix_sort", |n, d| {
        let keys = vec![d.integers("keys", n, 0, u32::MAX.into()), list("order", 0..n)];
        [keys, vec![zeros("spare_keys", n), zeros("spare_order", n), number("n", n)]].concat()
    });
    held("sort", vec![case]);
}

#[test]
fn stencil() {
    let case = Case::exact("waves", |n, d| {
        let (sizes, cells) = ([("d", 10), ("h", 9), ("w", n + 8), ("rounds", 2)], 90 * (n + 8));
        let air = ["now", "before", "speed"].map(|name| d.floats(name, cells, 0.0, 0.1));
        let weights = list("weights", [-4.5, 1.0, -0.3, 0.05f32]);
        [air.to_vec(), vec![weights], sizes.map(|(name, size)| number(name, size)).to_vec()].concat()
    });
    held("stencil", vec![case]);
}

#[test]
fn noise() {
    let case = Case::within(1e-5, "clouds", |n, _| {
        let table: Vec<usize> = (0..256).map(|k| (k * 167 + 13) % 256).collect();
        let place = [("left", -3.3), ("top", 2.1), ("scale", 0.13), ("depth", 0.6)];
        let sizes = [("octaves", 3), ("h", 3), ("w", n)];
        let given = vec![zeros("out", 3 * n), list("table", table.iter().chain(&table))];
        let numbers = place.map(|(name, value)| number(name, value)).to_vec();
        [given, numbers, sizes.map(|(name, size)| number(name, size)).to_vec()].concat()
    });
    held("noise", vec![case]);
}

#[test]
fn aobench() {
    let case = Case::within(1e-5, "open_skies", |n, _| {
        let balls = list("balls", [-2.0, 0.0, -3.5, 0.5, -0.5, 0.0, -3.0, 0.5, 1.0, 0.0, -2.2, 0.5f32]);
        let sizes = [("samples", 1), ("rays", 2), ("h", 5), ("w", n)];
        [vec![zeros("image", 5 * n), balls], sizes.map(|(name, size)| number(name, size)).to_vec()].concat()
    });
    held("aobench", vec![case.of(&[1, 7, 37])]);
}

#[test]
fn rays() {
    let case = Case::within(1e-5, "trace_rays", |n, d| {
        let triangles: Vec<[f32; 9]> = (0..4).map(|k| triangle(k as f32 - 1.5, d)).collect();
        let leaf = |first: usize| node(&triangles[first..first + 2], first as f32, 2.0);
        let nodes = [node(&triangles, 2.0, 0.0), leaf(0), leaf(2)];
        let frame = [0.0, 0.0, -3.0, -0.8, 0.6, 1.0, 1.6 / n.max(1) as f32, 0.0, 0.0, 0.0, -0.2, 0.0];
        let trees = vec![list("nodes", nodes.concat()), list("triangles", triangles.concat())];
        let out = vec![zeros("depth", 6 * n), zeros("which", 6 * n), list("frame", frame)];
        let sizes = [("n", 3), ("m", 4), ("h", 6), ("w", n)];
        [trees, out, sizes.map(|(name, size)| number(name, size)).to_vec()].concat()
    });
    held("rays", vec![case]);
}

/// A triangle around a place on the first axis.
fn triangle(x: f32, d: &mut Numbers) -> [f32; 9] {
    std::array::from_fn(|c| d.float(-1.0, 1.0) + if c % 3 == 0 { x } else { 0.0 })
}

/// A node around triangles, whose parts lie beside each other along the first axis.
fn node(triangles: &[[f32; 9]], first: f32, count: f32) -> [f32; 9] {
    let on = |axis: usize| triangles.iter().flat_map(move |corners| corners.iter().skip(axis).step_by(3).copied());
    let least = [0, 1, 2].map(|axis| on(axis).fold(f32::INFINITY, f32::min));
    let most = [0, 1, 2].map(|axis| on(axis).fold(f32::NEG_INFINITY, f32::max));
    [least[0], least[1], least[2], most[0], most[1], most[2], first, count, 0.0]
}

#[test]
fn options() {
    let given = |n: usize, d: &mut Numbers| {
        let market = [("spot", 50.0, 150.0), ("strike", 50.0, 150.0), ("years", 0.2, 3.0), ("rate", 0.01, 0.05)];
        let market = market.map(|(name, least, most)| d.floats(name, n, least, most));
        let volatility = d.floats("volatility", n, 0.1, 0.5);
        [market.to_vec(), vec![volatility, zeros("call", n), number("n", n)]].concat()
    };
    let tree = Case::within(1e-4, "binomial_tree", given).of(&[0, 1, 17]);
    held("options", vec![Case::within(1e-5, "black_scholes", given), tree]);
}

#[test]
fn sgemm() {
    let forms = ["sgemm_cells", "sgemm_rows"].map(|name| Case::exact(name, |n, d| matrices(3, n, d)));
    let of_tiles = |name| Case::exact(name, |n, d| matrices(4 * n, 32 * n, d)).of(&[0, 1, 3]);
    let tiles = ["sgemm_tiles", "sgemm_library"].map(of_tiles);
    held("sgemm", forms.into_iter().chain(tiles).collect());
}

/// Two matrices, and room for their product of `n` rows and `m` columns.
fn matrices(n: usize, m: usize, d: &mut Numbers) -> Vec<Argument> {
    let matrices = vec![d.floats("a", n * 7, -1.0, 1.0), d.floats("b", 7 * m, -1.0, 1.0), zeros("c", n * m)];
    [matrices, vec![number("n", n), number("k", 7), number("m", m)]].concat()
}

#[test]
fn gmres() {
    let case = Case::within(1e-9, "gmres", |n, d| {
        let mut matrix: Vec<(usize, f32)> = Vec::new();
        let mut starts = vec![0];
        for row in 0..n {
            matrix.extend((row > 0).then(|| (row - 1, -1.3)));
            matrix.push((row, 3.0 + d.float(0.0, 1.0)));
            matrix.extend((row + 1 < n).then_some((row + 1, -0.7)));
            starts.push(matrix.len());
        }
        let columns = list("columns", matrix.iter().map(|(column, _)| column));
        let values = list("values", matrix.iter().map(|(_, value)| value));
        let vectors = vec![d.floats("b", n, -1.0, 1.0), zeros("x", n), zeros("basis", 9 * n), number("small", 1e-10)];
        let sizes = [("n", n), ("m", 8), ("k", matrix.len())].map(|(name, size)| number(name, size));
        [vec![list("starts", starts), columns, values], vectors, sizes.to_vec()].concat()
    });
    held("gmres", vec![case.of(&[12, 37])]);
}

#[test]
fn dct() {
    let forward = Case::within(0.02, "to_frequencies", |n, d| {
        let pixels = d.integers("pixels", 128 * n, 0, 255);
        [vec![pixels, quanta(), zeros("out", 128 * n)], blocks(n)].concat()
    });
    let back = Case::within(0.005, "to_pixels", |n, d| {
        let frequencies = d.integers("frequencies", 128 * n, -3, 3);
        [vec![frequencies, quanta(), zeros("out", 128 * n)], blocks(n)].concat()
    });
    held("dct", [forward, back].map(|case| case.of(&[1, 3, 17])).into());
}

/// The numbers that frequencies are divided by.
fn quanta() -> Argument {
    list("quanta", (0..64).map(|k| 8 + 3 * (k % 8 + k / 8)))
}

/// The size of a picture of two rows of blocks.
fn blocks(n: usize) -> Vec<Argument> {
    vec![number("h", 16), number("w", 8 * n)]
}

#[test]
fn points() {
    let separate = Case::within(1e-6, "transform_points", |n, d| {
        let places = vec![d.floats("x", n, -9.0, 9.0), d.floats("y", n, -9.0, 9.0)];
        [places, vec![zeros("out_x", n), zeros("out_y", n)], motion(n)].concat()
    });
    let pairs = Case::within(1e-6, "transform_pairs", |n, d| {
        [vec![d.floats("points", 2 * n, -9.0, 9.0), zeros("out", n)], motion(n)].concat()
    });
    held("points", vec![separate, pairs]);
}

/// How points move, and how many they are.
fn motion(n: usize) -> Vec<Argument> {
    vec![list("motion", [1.5, 0.5, 3.0, -2.0, 0.7f32]), number("strength", 0.5), number("n", n)]
}

/// Holds a program against its reference.
fn held(program: &str, cases: Vec<Case>) {
    let reference = format!("tui/benches/programs/{program}.c");
    hold(&format!("examples/programs/{program}.lane"), &reference, cases);
}
