//! What all benchmarks share: a file of realistic kernels, and the least time of several runs.

use std::time::{Duration, Instant};

/// A file of about `n_lines` lines: kernels such as people write, each with names of its own.
pub(crate) fn file(n_lines: usize) -> String {
    let templates = [
        include_str!("../../../examples/scale_audio.lane"),
        include_str!("../../../examples/color_by_number.lane"),
        include_str!("../../tests/kernels.lane"),
    ];
    let mut text = String::new();
    let mut lines = 0;
    for n in 0.. {
        for cut in templates.iter().flat_map(|template| syntax::cut(template)) {
            if lines >= n_lines {
                return text;
            }
            let numbered = cut.text.replacen(cut.name, &format!("{}_{n}", cut.name), usize::from(!cut.name.is_empty()));
            lines += numbered.matches('\n').count();
            text.push_str(&numbered);
        }
    }
    text
}

/// The least time that `work` took, of as many runs as fit in about half a second, and at least five.
pub(crate) fn least_time<T>(mut work: impl FnMut() -> T) -> Duration {
    let mut least = Duration::MAX;
    let begin = Instant::now();
    let mut runs = 0;
    while runs < 5 || begin.elapsed() < Duration::from_millis(500) {
        let start = Instant::now();
        let result = std::hint::black_box(work());
        least = least.min(start.elapsed());
        drop(result);
        runs += 1;
    }
    least
}

/// Prints one row: what, how long, how fast, and how it compares to `against`.
pub(crate) fn row(what: &str, time: Duration, bytes: usize, against: Duration) {
    let speed = bytes as f64 / time.as_secs_f64() / 1e6;
    let ratio = time.as_secs_f64() / against.as_secs_f64();
    println!("{what:<44} {:>10.3} ms {speed:>10.1} MB/s {ratio:>10.2} x", time.as_secs_f64() * 1e3);
}
