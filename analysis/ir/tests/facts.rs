//! Facts of random kernels hold when they are run, whichever loop takes the lanes.

mod generator;
mod holds;

use ir::facts::facts;

#[test]
fn what_is_said_of_lanes_holds_in_runs() {
    let cases = std::env::var("LANESCOPE_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(3_000);
    let mut n_rows = 0;
    for seed in 0..cases {
        let (kernel, inputs) = generator::case(seed);
        if kernel.lanes.is_some() {
            continue;
        }
        for lane_loop in holds::loops(&kernel) {
            let check = |kernel: &ir::Kernel| holds::broken_promise(kernel, &facts(kernel, &[lane_loop]), &inputs);
            match check(&kernel) {
                Ok(rows) => n_rows += rows,
                Err(first) => {
                    let small = generator::shrink(kernel.clone(), |kernel| check(kernel).is_err());
                    let how = check(&small).err().unwrap_or(first);
                    panic!("seed {seed}, lanes along {lane_loop}: {how}\n{}", ir::print(&small).text);
                }
            }
        }
    }
    assert!(n_rows as u64 > cases, "only {n_rows} promises were looked at");
}
