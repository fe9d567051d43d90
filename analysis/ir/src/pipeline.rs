//! The way of a kernel from stage to stage, as data: which stages there are, and which passes lead to each.
//!
//! The explorer, `--stage` and the docs are generated from [`STAGES`].

use std::time::{Duration, Instant};

use crate::lines;
use crate::passes::{self, Pass};
use crate::program::Kernel;
use crate::verify::{Violation, verify};

/// A point on the way, at which a kernel can be looked at.
#[derive(Debug, Clone, Copy)]
pub struct Stage {
    /// What options and reports call it.
    pub name: &'static str,
    /// What has become visible there.
    pub shows: &'static str,
    /// The passes that lead to it, in order.
    pub passes: &'static [Pass],
}

/// All stages, in order.
pub const STAGES: &[Stage] = &[
    Stage {
        name: "sequential",
        shows: "scalar code: calls inlined, variables as values, arrays built in place",
        passes: &[],
    },
    Stage {
        name: "final",
        shows: "folded, shared, hoisted, dead code gone: what native code is made from",
        passes: &[passes::FOLD, passes::COMMON, passes::HOIST, passes::COMMON, passes::DCE],
    },
];

/// A kernel at a stage, and how it came there.
#[derive(Debug, Clone)]
pub struct Reached {
    /// The stage.
    pub stage: &'static Stage,
    /// The kernel there.
    pub kernel: Kernel,
    /// What each pass of the stage did.
    pub passes: Vec<PassRun>,
}

/// What a pass did.
#[derive(Debug, Clone, Copy)]
pub struct PassRun {
    /// The pass.
    pub name: &'static str,
    /// Whether it changed anything.
    pub changed: bool,
    /// How long it took.
    pub time: Duration,
}

impl Reached {
    /// Whether the kernel differs from the stage before.
    pub fn changed(&self) -> bool {
        self.passes.iter().any(|pass| pass.changed)
    }
}

/// A pass that broke what holds for every kernel.
#[derive(Debug, Clone)]
pub struct Broken {
    /// The pass; `None` if the kernel was broken from the start.
    pub pass: Option<&'static str>,
    /// What does not hold any more.
    pub violations: Vec<Violation>,
}

/// Takes a kernel at `sequential` through the stages, up to and with the one of that name (all, if there is
/// none), and verifies it after every pass if asked to.
pub fn run(kernel: Kernel, until: &str, verified: bool) -> Result<Vec<Reached>, Broken> {
    let check = |kernel: &Kernel, pass| match verified.then(|| verify(kernel)) {
        Some(Err(violations)) => Err(Broken { pass, violations }),
        _ => Ok(()),
    };
    check(&kernel, None)?;
    let mut reached: Vec<Reached> = Vec::new();
    let mut kernel = kernel;
    for stage in STAGES {
        let mut runs = Vec::new();
        for pass in stage.passes {
            let start = Instant::now();
            let changed = (pass.run)(&mut kernel);
            runs.push(PassRun { name: pass.name, changed, time: start.elapsed() });
            check(&kernel, Some(pass.name))?;
        }
        kernel = lines::compact(&kernel);
        reached.push(Reached { stage, kernel: kernel.clone(), passes: runs });
        if stage.name == until {
            break;
        }
    }
    Ok(reached)
}
