//! The `lanescope` command: requests of people and scripts to Lanescope, and the presentation of the answers.
//!
//! Modules in reading order:
//!
//! - [`cli`]: the command line as a whole
//! - [`commands`]: one module per subcommand
//! - `lanes`: the options that choose targets and lanes
//! - `documents`: the documents of a command, read from its inputs
//! - `native_views`: machine code and LLVM IR for editors, line by line; `ispc_views`: those of ISPC's functions
//! - `trials`: the trials of a kernel's changes, drawn, and run for editors
//! - `render`: findings drawn on their source
//! - `ispc_findings`: what is wrong with ISPC files, drawn or as JSON; `ispc_runs`: their functions, run and printed; `ispc_explained`:
//!   the facts about their lanes; `ispc_assembly`: their machine code
//! - `explained`: facts about lanes drawn on their source
//! - `highlight`: source in colours
//! - `difference`: line-by-line differences
//! - `json`: the objects that `--json` prints
//! - [`console`]: standard output and error, colour, progress, exit codes
//!
//! Two rules hold throughout. Findings go to standard output, and trouble to standard error. A command decides nothing
//! about kernels: it asks the analysis and renders the answers.

pub mod cli;
pub mod commands;
pub mod console;
mod difference;
mod documents;
mod explained;
mod highlight;
mod ispc_assembly;
mod ispc_explained;
mod ispc_findings;
mod ispc_pages;
mod ispc_runs;
mod ispc_views;
mod json;
mod lanes;
mod native_views;
mod render;
mod trials;
