//! The arguments of each kernel, by its field: as many elements as a run says, or shapes made of that.

use queries::run::{Argument, DataSource};

/// A kernel with what it is given.
pub(crate) struct Case {
    /// The name of the kernel, and of its reference.
    pub(crate) kernel: &'static str,
    /// The arguments for a number of elements.
    pub(crate) given: fn(usize, &mut Numbers) -> Vec<Argument>,
    /// The distance that results may have from the reference, as a part of the largest one: none is 0, since C does the same operations.
    pub(crate) tolerance: Option<f64>,
    /// The numbers of elements, if not those of all cases.
    pub(crate) sizes: Option<&'static [usize]>,
}

impl Case {
    pub(crate) fn exact(kernel: &'static str, given: fn(usize, &mut Numbers) -> Vec<Argument>) -> Case {
        Case { kernel, given, tolerance: None, sizes: None }
    }

    pub(crate) fn within(
        tolerance: f64,
        kernel: &'static str,
        given: fn(usize, &mut Numbers) -> Vec<Argument>,
    ) -> Case {
        Case { kernel, given, tolerance: Some(tolerance), sizes: None }
    }

    pub(crate) fn of(self, sizes: &'static [usize]) -> Case {
        Case { sizes: Some(sizes), ..self }
    }
}

/// Numbers by chance, the same for the same seed.
pub(crate) struct Numbers(fastrand::Rng);

impl Numbers {
    pub(crate) fn new(seed: u64) -> Numbers {
        Numbers(fastrand::Rng::with_seed(seed))
    }

    /// Floats of `f32` between two numbers.
    pub(crate) fn floats(&mut self, name: &str, n: usize, lo: f32, hi: f32) -> Argument {
        list(name, (0..n).map(|_| lo + (hi - lo) * self.0.f32()))
    }

    /// A float between two numbers.
    pub(crate) fn float(&mut self, lo: f32, hi: f32) -> f32 {
        lo + (hi - lo) * self.0.f32()
    }

    /// Integers between two numbers, both included.
    pub(crate) fn integers(&mut self, name: &str, n: usize, lo: i64, hi: i64) -> Argument {
        list(name, (0..n).map(|_| self.0.i64(lo..=hi)))
    }

    /// Sums of floats, such as prices that go up and down around a level.
    fn walk(&mut self, name: &str, n: usize) -> Argument {
        list(name, (0..n).map(|_| 50.0 + 40.0 * self.0.f32()))
    }
}

pub(crate) fn list<T: std::fmt::Display>(name: &str, numbers: impl IntoIterator<Item = T>) -> Argument {
    let texts = numbers.into_iter().map(|number| number.to_string()).collect();
    Argument { name: name.to_owned(), source: DataSource::List(texts) }
}

pub(crate) fn zeros(name: &str, n: usize) -> Argument {
    Argument { name: name.to_owned(), source: DataSource::Zeros(n as u64) }
}

pub(crate) fn number(name: &str, value: impl std::fmt::Display) -> Argument {
    Argument { name: name.to_owned(), source: DataSource::Number(value.to_string()) }
}

/// A low-pass, a peak and a high-pass, by their coefficients.
const BANDS: [f32; 15] =
    [0.067, 0.135, 0.067, -1.143, 0.413, 1.05, -1.62, 0.71, -1.62, 0.76, 0.94, -1.88, 0.94, -1.87, 0.88];

pub(crate) fn sound() -> Vec<Case> {
    vec![
        Case::exact("equalize", |n, d| {
            vec![d.floats("x", n, -1.0, 1.0), zeros("out", n), list("bands", BANDS), number("n", n)]
        }),
        Case::exact("filter_channels", |n, d| {
            let x = d.floats("x", 9 * n, -1.0, 1.0);
            vec![x, list("c", &BANDS[..5]), number("n", 9), number("channels", n)]
        }),
        Case::exact("limit", |n, d| {
            let x = d.floats("x", n, -1.0, 1.0);
            let settings = [number("ahead", 7), number("threshold", 0.5), number("release", 0.02)];
            [vec![x, zeros("out", n), number("n", n)], settings.to_vec()].concat()
        }),
        Case::exact("fir", |n, d| {
            let (x, taps) = (d.floats("x", n, -1.0, 1.0), d.floats("taps", 5, -1.0, 1.0));
            vec![x, taps, zeros("out", n), number("n", n), number("m", 5)]
        }),
        Case::within(1e-6, "fft", |n, d| vec![d.floats("x", 2 * n, -1.0, 1.0), number("n", n)]).of(&[2, 4, 16, 64]),
        Case::exact("echo", |n, d| {
            let x = d.floats("x", n, -1.0, 1.0);
            vec![x, zeros("out", n), number("n", n), number("delay", 19), number("feedback", 0.4)]
        }),
        Case::exact("to_pcm16", |n, d| {
            vec![d.floats("x", n, -1.1, 1.1), zeros("out", n), number("n", n), number("seed", 7)]
        }),
        Case::within(1e-4, "goertzel", |n, d| {
            let blocks = d.floats("blocks", 40 * n, -1.0, 1.0);
            let sizes = [number("m", n), number("n", 40)];
            [vec![blocks, zeros("power", n), number("frequency", 0.0625)], sizes.to_vec()].concat()
        }),
    ]
}

/// A picture of `h` times `w` bytes, and one of zeros, with their sizes.
fn picture(name: &str, h: usize, w: usize, d: &mut Numbers, out: &str) -> Vec<Argument> {
    vec![d.integers(name, h * w, 0, 255), zeros(out, h * w), number("h", h), number("w", w)]
}

pub(crate) fn pictures() -> Vec<Case> {
    vec![
        Case::within(0.005, "resize_bilinear", |n, d| {
            let (h2, w2) = (5, 2 * n + 1);
            let sizes = [number("h", 3), number("w", n), number("h2", h2), number("w2", w2)];
            [vec![d.integers("src", 3 * n, 0, 255), zeros("dst", h2 * w2)], sizes.to_vec()].concat()
        })
        .of(&[1, 2, 5, 16, 37, 100]),
        Case::exact("median3x3", |n, d| picture("src", 5, n, d, "dst")),
        Case::exact("histogram", |n, d| {
            vec![d.integers("pixels", 5 * n, 0, 255), zeros("bins", 256), number("n", 5 * n)]
        }),
        Case::exact("equalize_histogram", |n, d| {
            vec![d.integers("pixels", 5 * n, 30, 90), zeros("out", 5 * n), number("n", 5 * n)]
        }),
        Case::exact("sobel", |n, d| picture("src", 4, n, d, "out")),
        Case::within(1e-6, "gauss3", |n, d| {
            let src = d.floats("src", 5 * n, 0.0, 1.0);
            vec![src, zeros("tmp", 5 * n), zeros("dst", 5 * n), number("h", 5), number("w", n)]
        }),
        Case::exact("rgb_to_yuv", |n, d| {
            let src = d.integers("src", 3 * n, 0, 255);
            vec![src, zeros("y", n), zeros("u", n), zeros("v", n), number("n", n)]
        }),
        Case::exact("integral", |n, d| picture("src", 6, n, d, "out")),
        Case::exact("blend_over", |n, d| {
            vec![d.integers("front", 4 * n, 0, 255), d.integers("back", 4 * n, 0, 255), number("n", n)]
        }),
        Case::exact("dither", |n, d| {
            let image = d.floats("image", 6 * n, 0.0, 1.0);
            vec![image, zeros("out", 6 * n), number("h", 6), number("w", n)]
        }),
    ]
}

/// Queries, keys and values.
fn heads(n: usize, m: usize, width: usize, d: &mut Numbers) -> Vec<Argument> {
    let (q, k) = (d.floats("q", n * width, -2.0, 2.0), d.floats("k", m * width, -2.0, 2.0));
    vec![q, k, d.floats("v", m * width, -1.0, 1.0), zeros("out", n * width), number("n", n), number("m", m)]
}

pub(crate) fn learning() -> Vec<Case> {
    vec![
        Case::within(1e-6, "softmax", |n, d| {
            let scores = d.floats("scores", 3 * n, -9.0, 9.0);
            vec![scores, zeros("out", 3 * n), number("rows", 3), number("cols", n)]
        })
        .of(&[1, 2, 5, 16, 37, 100]),
        Case::within(2e-6, "attention", |n, d| [heads(4, n, 6, d), vec![number("d", 6)]].concat())
            .of(&[1, 2, 5, 16, 37]),
        Case::within(2e-6, "flash_attention", |n, d| heads(n, 11, 16, d)).of(&[0, 1, 2, 5, 16, 37]),
        Case::exact("quantize", |n, d| {
            let x = d.floats("x", 3 * n, -5.0, 5.0);
            vec![x, zeros("out", 3 * n), zeros("scales", 3), number("rows", 3), number("cols", n)]
        })
        .of(&[1, 2, 5, 16, 37, 100]),
        Case::exact("matmul_i8", |n, d| {
            let (a, b) = (d.integers("a", 3 * n, -128, 127), d.integers("b", 4 * n, -128, 127));
            let scales = vec![d.floats("a_scales", 3, 0.0, 1.0), d.floats("b_scales", 4, 0.0, 1.0)];
            let sizes = vec![zeros("out", 12), number("n", 3), number("m", 4), number("k", n)];
            [vec![a, b], scales, sizes].concat()
        }),
        Case::exact("conv3x3", |n, d| {
            let image = d.floats("image", 3 * 4 * n, -1.0, 1.0);
            let weights = vec![d.floats("weights", 2 * 3 * 9, -1.0, 1.0), d.floats("bias", 2, -1.0, 1.0)];
            let sizes = vec![number("channels", 3), number("filters", 2), number("h", 4), number("w", n)];
            [vec![image, zeros("out", 2 * 4 * n)], weights, sizes].concat()
        }),
        Case::within(1e-3, "rms_norm", |n, d| {
            let (x, gain) = (d.floats("x", 3 * n, 0.5, 4.0), d.floats("gain", n, 0.5, 2.0));
            vec![x, gain, number("rows", 3), number("cols", n), number("epsilon", 0.001)]
        })
        .of(&[0, 1, 5, 37]),
        Case::within(1e-6, "adam", |n, d| {
            let state = vec![d.floats("w", n, -1.0, 1.0), d.floats("grad", n, -1.0, 1.0)];
            let state = [state, vec![d.floats("m", n, -1.0, 1.0), d.floats("v", n, 0.0, 1.0)]].concat();
            let settings =
                [number("rate", 0.01), number("beta1", 0.9), number("beta2", 0.999), number("epsilon", 1e-8)];
            [state, vec![number("n", n), number("t", 3)], settings.to_vec()].concat()
        }),
        Case::exact("max_pool", |n, d| {
            vec![d.floats("x", 2 * 3 * 2 * n, -1.0, 1.0), zeros("out", 3 * n), number("h", 3), number("w", n)]
        }),
        Case::within(1e-6, "kmeans_step", |n, d| {
            let (points, centres) = (d.floats("points", 3 * n, -1.0, 1.0), d.floats("centres", 3 * 4, -1.0, 1.0));
            vec![points, centres, zeros("nearest", n), number("n", n), number("k", 4)]
        }),
    ]
}

pub(crate) fn physics() -> Vec<Case> {
    vec![
        Case::within(1e-5, "sph_density", |n, d| {
            let p = d.floats("p", 3 * n, 0.0, 2.0);
            vec![p, zeros("density", n), number("n", n), number("mass", 0.02), number("h", 0.8)]
        }),
        Case::within(1e-6, "lbm_step", |n, d| {
            let f = d.floats("f", 9 * 3 * n, 0.1, 0.9);
            vec![f, zeros("next", 9 * 3 * n), number("h", 3), number("w", n), number("omega", 1.2)]
        })
        .of(&[1, 2, 5, 16, 37]),
        Case::exact("heat", |n, d| {
            let (a, b) = (d.floats("a", 5 * n, 0.0, 1.0), d.floats("b", 5 * n, 0.0, 1.0));
            vec![a, b, number("h", 5), number("w", n), number("steps", 7), number("k", 0.2)]
        }),
        Case::within(1e-5, "nbody", |n, d| {
            vec![d.floats("bodies", 7 * n, 0.1, 1.0), zeros("pull", n), number("n", n), number("dt", 0.01)]
        })
        .of(&[0, 1, 2, 5, 16, 37]),
        Case::within(1e-12, "tridiagonal", |n, d| {
            let (lower, upper) = (d.floats("lower", 6 * n, -1.0, 1.0), d.floats("upper", 6 * n, -1.0, 1.0));
            let (diagonal, x) = (d.floats("diagonal", 6 * n, 3.0, 5.0), d.floats("x", 6 * n, -1.0, 1.0));
            vec![lower, diagonal, upper, x, number("n", 6), number("m", n)]
        }),
        Case::exact("spmv", |n, d| {
            let starts = list("starts", (0..=n).map(|row| row * row % 4 + 3 * row));
            let k = n * n % 4 + 3 * n;
            let entries = vec![d.integers("columns", k, 0, 9), d.floats("values", k, -1.0, 1.0)];
            let vectors = vec![d.floats("x", 10, -1.0, 1.0), zeros("y", n)];
            let sizes = vec![number("rows", n), number("cols", 10), number("k", k)];
            [vec![starts], entries, vectors, sizes].concat()
        }),
        Case::within(1e-9, "conjugate_gradient", |n, d| {
            let b = d.floats("b", n, -1.0, 1.0);
            vec![b, zeros("x", n), number("n", n), number("rounds", 2 * n), number("tolerance", 1e-30)]
        })
        .of(&[0, 1, 2, 5, 16, 37]),
    ]
}

pub(crate) fn finance() -> Vec<Case> {
    vec![
        Case::within(2e-6, "black_scholes", |n, d| {
            let out = vec![zeros("call", n), zeros("put", n), number("n", n)];
            [options_of(n, d), out, vec![number("rate", 0.03), number("volatility", 0.25)]].concat()
        }),
        Case::within(1e-5, "american_put", |n, d| {
            let out = vec![zeros("value", n), number("n", n)];
            [options_of(n, d), out, vec![number("rate", 0.03), number("volatility", 0.25)]].concat()
        })
        .of(&[0, 1, 5, 19]),
        Case::within(1e-5, "asian_call", |n, _| {
            let paths = vec![zeros("result", 2), number("seed", 5), number("paths", n), number("steps", 12)];
            let market = [number("spot", 100), number("strike", 101), number("rate", 0.02), number("volatility", 0.3)];
            [paths, market.to_vec(), vec![number("years", 1.5)]].concat()
        })
        .of(&[2, 5, 16, 37, 100]),
        Case::exact("max_drawdown", |n, d| {
            vec![d.walk("prices", 20 * n), zeros("out", n), number("days", 20), number("series", n)]
        }),
        Case::within(1e-13, "averages", |n, d| {
            let out = vec![zeros("simple", n), zeros("exponential", n), number("n", n)];
            [vec![d.walk("prices", n)], out, vec![number("window", 10), number("alpha", 0.1)]].concat()
        }),
    ]
}

fn options_of(n: usize, d: &mut Numbers) -> Vec<Argument> {
    vec![d.floats("spot", n, 80.0, 120.0), d.floats("strike", n, 80.0, 120.0), d.floats("years", n, 0.1, 2.0)]
}

pub(crate) fn graphics() -> Vec<Case> {
    vec![
        Case::within(2e-5, "trace", |n, d| {
            let (origin, direction) = (d.floats("origin", 3 * n, -0.2, 0.2), d.floats("direction", 3 * n, -1.0, 1.0));
            let spheres = list("spheres", [0.0, 0.0, 5.0, 2.0, 4.0, 0.5, 0.0, 2.5, -3.0, -3.0, 1.0, 2.0f32]);
            let out = vec![zeros("hits", n), zeros("shade", n), list("light", [0.3, 1.0, -0.5f32])];
            [vec![origin, direction, spheres], out, vec![number("n", n), number("m", 3)]].concat()
        }),
        Case::within(1e-5, "perlin", |n, d| {
            let places = ["x", "y", "z"].map(|name| d.floats(name, n, -40.0, 300.0));
            let table: Vec<usize> = (0..256).map(|k| (k * 167 + 13) % 256).collect();
            let p = list("p", table.iter().chain(&table));
            [places.to_vec(), vec![p, zeros("out", n), number("n", n)]].concat()
        }),
        Case::within(1e-6, "draw_triangle", |n, d| {
            let (h, w) = (9, n);
            let corners = list("corners", [-3.0, -2.0, 0.1, n as f32 * 0.9, 4.3, 0.5, 2.2, 12.0, 0.9]);
            let sizes = vec![number("paint", 77), number("h", h), number("w", w)];
            [vec![d.floats("depth", h * w, 0.0, 1.0), zeros("colour", h * w), corners], sizes].concat()
        }),
        Case::exact("hit_boxes", |n, d| {
            let boxes = list(
                "boxes",
                (0..n).flat_map(|_| {
                    let at = [0; 3].map(|_| d.0.f32() * 4.0 - 2.0);
                    at.into_iter().chain(at.map(|x| x + 1.5))
                }),
            );
            let ray = list("ray", [-3.0, 0.1, 0.2, 1.1, 7.3, -9.1f32]);
            vec![boxes, zeros("hits", n), ray, number("n", n)]
        }),
        Case::within(1e-5, "project", |n, d| {
            let camera = [1.2, 0.1, 0.0, 0.3, -0.1, 1.1, 0.2, 0.0, 0.0, 0.1, 1.0, 2.0, 0.0, 0.0, 1.0, 4.0f32];
            let points = d.floats("points", 3 * n, -1.0, 1.0);
            vec![points, zeros("out", n), list("camera", camera), number("n", n)]
        }),
        Case::exact("julia", |n, _| {
            let place = vec![list("c", [-0.7, 0.27f32]), number("rounds", 50)];
            [vec![zeros("out", 8 * n), number("h", 8), number("w", n)], place].concat()
        }),
    ]
}

pub(crate) fn data() -> Vec<Case> {
    vec![
        Case::exact("filter_rows", |n, d| {
            let rows = vec![d.floats("price", n, 0.0, 10.0), d.integers("amount", n, 1, 99)];
            let out = vec![zeros("out_price", n), zeros("out_amount", n)];
            [rows, out, vec![number("least", 2.5), number("most", 7.5), number("n", n)]].concat()
        }),
        Case::exact("group_by", |n, d| {
            let rows = vec![d.integers("keys", n, 0, 12), d.floats("values", n, -1.0, 1.0)];
            let out = vec![zeros("sums", 256), zeros("counts", 256), zeros("largest_of", 256)];
            [rows, out, vec![number("n", n)]].concat()
        }),
        Case::exact("base64", |n, d| {
            vec![d.integers("bytes", 3 * n, 0, 255), zeros("text", 4 * n), number("n", 3 * n)]
        }),
        Case::exact("utf8_count", |n, d| vec![d.integers("text", 3 * n, 0, 255), number("n", 3 * n)]),
        Case::exact("crc32", |n, d| vec![d.integers("bytes", n, 0, 255), number("n", n)]),
        Case::exact("bitonic_sort", |n, d| vec![d.integers("a", n, -99, 99), number("n", n)]).of(&[1, 2, 8, 32, 128]),
        Case::exact("transpose_tiles", |n, d| {
            vec![d.floats("a", 11 * n, 0.0, 1.0), zeros("out", 11 * n), number("h", 11), number("w", n)]
        }),
        Case::exact("lower_bound", |n, d| {
            let sorted = list("sorted", (0..n).map(|k| k / 2 * 3));
            let wanted = d.integers("wanted", 50, -5, 3 * n as i64 / 2 + 5);
            vec![sorted, wanted, zeros("out", 50), number("n", n), number("m", 50)]
        }),
        Case::exact("run_lengths", |n, d| {
            vec![d.integers("a", n, 0, 1), zeros("values", n), zeros("lengths", n), number("n", n)]
        }),
        Case::exact("count_words", |n, d| vec![d.integers("text", 3 * n, 8, 34), number("n", 3 * n)]),
        Case::exact("hamming", |n, d| {
            let most = 1 << 40;
            vec![d.integers("codes", 4 * n, 0, most), d.integers("query", 4, 0, most), zeros("out", n), number("n", n)]
        }),
        Case::exact("edit_distance", |n, d| {
            let (a, b) = (d.integers("a", n, 97, 100), d.integers("b", 23, 97, 100));
            vec![a, b, number("n", n), number("m", 23)]
        }),
        Case::exact("varints", |n, d| {
            let bytes = (0..n).map(|k| if k + 1 == n || k % 6 == 5 { 9 } else { d.0.i64(0..=255) });
            let bytes = list("bytes", bytes.collect::<Vec<_>>());
            vec![bytes, zeros("out", n), number("n", n)]
        }),
        Case::exact("count_colours", |n, d| {
            let rows = vec![d.integers("colours", n, 0, 2), d.floats("prices", n, 0.0, 9.0)];
            [rows, vec![zeros("reds", n), zeros("others", 1), number("n", n)]].concat()
        }),
    ]
}
