//! Facts of random kernels hold when they are run, whichever loop takes the lanes.

use crate::generator;
use crate::holds;

use facts::facts;
use holds::Held;

#[test]
fn what_is_said_of_lanes_holds_in_runs() {
    let cases = std::env::var("LANESCOPE_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(3_000);
    let held = holds::each_case(0..cases, check).unwrap_or_else(|(seed, how)| panic!("seed {seed}{how}"));
    assert!(held.rows as u64 > cases && held.together as u64 > cases / 10, "{held:?}");
}

/// What held in the runs of a seed's kernel, or a small kernel and what does not hold there.
fn check(seed: u64) -> Result<Held, String> {
    let (kernel, inputs) = generator::case(seed);
    let mut held = Held::default();
    if kernel.lanes.is_some() {
        return Ok(held);
    }
    for lane_loop in holds::loops(&kernel) {
        let check = |kernel: &ir::Kernel| holds::broken_promise(kernel, &facts(kernel, &[lane_loop]), &inputs);
        held += check(&kernel).map_err(|first| {
            let small = generator::shrink(kernel.clone(), |kernel| check(kernel).is_err());
            let how = check(&small).err().unwrap_or(first);
            format!(", lanes along {lane_loop}: {how}\n{}", ir::print(&small).text)
        })?;
    }
    Ok(held)
}
