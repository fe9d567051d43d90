//! The target options of the command line: `--target` and `--lanes`.

use driver::targets::{Chosen, parse_target};
use queries::stages::{Options, target};

/// The arguments of every command whose answer depends on the target.
#[derive(Debug, Clone, Copy, clap::Args)]
pub(crate) struct LaneArgs {
    /// The target: native, sse4, avx2, avx512, neon, sve, rvv or scalar (`lanescope targets` tells more)
    #[arg(long, value_name = "TARGET", default_value = "native", value_parser = parse_target)]
    target: Chosen,
    /// The number of lanes of loops; left out, as many as fill the target's registers
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=64))]
    lanes: Option<u16>,
}

/// The arguments of commands that answer for several targets at once.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct TargetsArgs {
    /// The targets: native, sse4, avx2, avx512, neon, sve, rvv or scalar, joined by commas or given one by one; `all` of them
    /// (`lanescope targets` tells more). Left out, `explain` takes this machine, and `check` avx2, so that it finds the same
    /// on every machine
    #[arg(long, value_name = "TARGET", value_delimiter = ',', value_parser = parse_targets)]
    target: Vec<Several>,
    /// The number of lanes of loops; left out, as many as fill the target's registers
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=64))]
    lanes: Option<u16>,
}

impl TargetsArgs {
    /// Returns the options of the passes, once for each named target, or for the target `usual` if none is named.
    pub(crate) fn options(&self, usual: &'static target::Target) -> Vec<Options> {
        let named = self.target.iter().flat_map(|several| several.0.iter().copied());
        let mut options: Vec<Options> = Vec::new();
        for target in named {
            let own = Options { lanes: self.lanes, target };
            if !options.contains(&own) {
                options.push(own);
            }
        }
        if options.is_empty() { vec![Options { lanes: self.lanes, target: usual }] } else { options }
    }
}

/// The targets that one word names.
#[derive(Debug, Clone)]
pub(crate) struct Several(Vec<&'static target::Target>);

fn parse_targets(word: &str) -> Result<Several, String> {
    if word == "all" {
        return Ok(Several(target::TARGETS.iter().collect()));
    }
    parse_target(word).map(|chosen| Several(vec![chosen.row]))
}

impl LaneArgs {
    /// Those of who says nothing: this machine, and as many lanes as fill its registers.
    pub(crate) fn usual() -> Result<LaneArgs, String> {
        Ok(LaneArgs { target: parse_target("native")?, lanes: None })
    }

    /// Returns true if they are those of who says nothing.
    pub(crate) fn is_usual(self) -> bool {
        self.target.is_native && self.lanes.is_none()
    }

    /// Returns the options for the passes.
    pub(crate) fn options(self) -> Options {
        Options { lanes: self.lanes.or(self.target.lanes), target: self.target.row }
    }

    /// Returns the chosen target.
    pub(crate) fn target(self) -> Chosen {
        self.target
    }
}
