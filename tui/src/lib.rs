//! The `lanescope` command: requests of people and scripts to Lanescope, and the presentation of the answers.
//!
//! Modules in reading order:
//!
//! - [`cli`]: the command line as a whole
//! - [`commands`]: one module per subcommand
//! - [`inputs`]: files, folders and standard input as documents
//! - [`document`]: a text and its analysis
//! - [`stages`]: the stages of lowering, as a list
//! - [`machine_code`]: kernels as LLVM IR, assembly and objects, made by a worker
//! - [`llvm_ir`]: LLVM IR without debug information, for readers
//! - [`native_views`]: machine code and LLVM IR for editors, line by line
//! - [`catalogue`]: the codes of all findings, and their pages
//! - [`render`]: findings drawn on their source
//! - [`explained`]: facts about lanes drawn on their source
//! - [`highlight`]: source in colours
//! - [`files`]: atomic writes of files
//! - [`explorer`]: the full-screen view of a file
//! - [`json`]: the objects that `--json` prints
//! - [`spec`], [`npy`]: the data that `run` receives
//! - [`difference`]: line-by-line differences
//! - [`console`]: standard output and error, colour, progress, exit codes
//! - [`spelling`]: "did you mean" on the command line
//!
//! Two rules hold throughout. Findings go to standard output, and trouble to standard error. A command decides nothing
//! about kernels: it asks the analysis and renders the answers.

pub mod catalogue;
pub mod cli;
pub mod commands;
pub mod console;
pub mod difference;
pub mod document;
pub mod explained;
pub mod explorer;
pub mod files;
pub mod highlight;
pub mod inputs;
pub mod json;
pub mod lanes;
pub mod llvm_ir;
pub mod machine_code;
pub mod native_views;
pub mod npy;
pub mod render;
pub mod spec;
pub mod spelling;
pub mod stages;
