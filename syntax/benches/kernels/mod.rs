//! Shared parts of the benchmarks: a file of realistic kernels, and the minimum time of several runs.

use std::time::{Duration, Instant};

/// Builds a file of about `n_lines` lines: kernels of the usual kind, each with names of its own.
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

/// Measures the minimum time of `work`, over as many runs as fit in about half a second, and at least five.
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

/// Prints one row: the name, the time, the throughput, and the ratio to `against`.
pub(crate) fn row(what: &str, time: Duration, bytes: usize, against: Duration) {
    let speed = bytes as f64 / time.as_secs_f64() / 1e6;
    let ratio = time.as_secs_f64() / against.as_secs_f64();
    println!("{what:<44} {:>10.3} ms {speed:>10.1} MB/s {ratio:>10.2} x", time.as_secs_f64() * 1e3);
}
