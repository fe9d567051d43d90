//! Facts of generated programs hold when they are run, whichever loop takes the lanes.

use crate::generate;
use crate::holds;

use std::sync::Arc;

use facts::facts;
use generate::Generated;
use holds::Held;
use ir::LoopForest;
use queries::db::file_items;
use queries::db::{Database, File};
use queries::sequential;

#[test]
fn what_is_said_of_lanes_holds_in_runs() {
    let cases = generate::cases(1_000);
    let check = |seed| {
        let generated = generate::program(seed);
        broken_promise(&generated).map_err(|first| {
            let small = generate::shrink(generated, &mut |it| broken_promise(it).is_err());
            let how = broken_promise(&small).err().unwrap_or(first);
            format!("{how}\n{}\n{:?}", small.text, small.args)
        })
    };
    let held =
        holds::each_case(generate::seeds(cases), check).unwrap_or_else(|(seed, how)| panic!("seed {seed}: {how}"));
    let enough = [(held.rows, 1), (held.together, 10), (held.parted, 10), (held.leaving, 10)];
    assert!(enough.iter().all(|(looked_at, share)| *looked_at as u64 > cases / share), "{held:?}");
}

/// What is not as the facts say of a program's kernel, or what held.
fn broken_promise(generated: &Generated) -> Result<Held, String> {
    let db = Database::default();
    let file = File::new(&db, Arc::from(&*generated.text));
    let Some(&item) = file_items(&db, file).iter().find(|item| **item.name(&db) == *generated.kernel) else {
        return Ok(Held::default());
    };
    let lowering = sequential(&db, item);
    let kernel = lowering.kernel.as_deref().filter(|kernel| lowering.findings.is_empty() && ir::verify(kernel).is_ok());
    let Some(kernel) = kernel else { return Ok(Held::default()) };
    let inputs = generate::inputs::inputs(&generated.args);
    let loops = holds::loops(kernel);
    let mut usual = facts::lane_loops(kernel, &LoopForest::of(kernel), &[], None);
    usual.retain(|op| loops.contains(op));
    let mut held = holds::broken_promise(kernel, &facts(kernel, &usual), &inputs)?;
    for lane_loop in loops {
        held += holds::broken_promise(kernel, &facts(kernel, &[lane_loop]), &inputs)?;
    }
    Ok(held)
}
