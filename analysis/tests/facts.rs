//! Facts of generated programs hold when they are run, whichever loop takes the lanes.

mod generate;
#[path = "../ir/tests/holds/mod.rs"]
mod holds;

use std::sync::Arc;

use analysis::db::file_items;
use analysis::lower::sequential;
use analysis::{Database, File};
use generate::Generated;
use ir::facts::facts;

/// What is not as the facts say of a program's kernel, or how many promises were looked at.
fn broken_promise(generated: &Generated) -> Result<usize, String> {
    let db = Database::default();
    let file = File::new(&db, Arc::from(&*generated.text));
    let Some(&item) = file_items(&db, file).iter().find(|item| **item.name(&db) == *generated.kernel) else {
        return Ok(0);
    };
    let lowering = sequential(&db, item);
    let Some(kernel) = lowering.kernel.as_deref().filter(|_| lowering.findings.is_empty()) else { return Ok(0) };
    if ir::verify(kernel).is_err() {
        return Ok(0);
    }
    let inputs = generate::inputs::inputs(&generated.args);
    let loops = holds::loops(kernel);
    let mut usual = ir::facts::lane_loops(kernel);
    usual.retain(|op| loops.contains(op));
    let mut n_rows = holds::broken_promise(kernel, &facts(kernel, &usual), &inputs)?;
    for lane_loop in loops {
        n_rows += holds::broken_promise(kernel, &facts(kernel, &[lane_loop]), &inputs)?;
    }
    Ok(n_rows)
}

#[test]
fn what_is_said_of_lanes_holds_in_runs() {
    let cases = generate::cases(1_000);
    let mut n_rows = 0;
    for seed in 0..cases {
        let generated = generate::program(seed);
        match broken_promise(&generated) {
            Ok(rows) => n_rows += rows,
            Err(first) => {
                let small = generate::shrink(generated, &mut |it| broken_promise(it).is_err());
                let how = broken_promise(&small).err().unwrap_or(first);
                panic!("seed {seed}: {how}\n{}\n{:?}", small.text, small.args);
            }
        }
    }
    assert!(n_rows as u64 > cases, "only {n_rows} promises were looked at");
}
