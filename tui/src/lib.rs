//! The `lanescope` command: what a person or a script asks of Lanescope, and how the answer is shown.
//!
//! In reading order:
//!
//! - [`cli`]: the command line as a whole
//! - [`commands`]: one module per subcommand
//! - [`inputs`]: files, folders and standard input to documents
//! - [`document`]: a text, and what is known about it
//! - [`stages`]: the forms a program is lowered through, as a list
//! - [`machine_code`]: kernels to LLVM IR, assembly and objects, by a worker
//! - [`llvm_ir`]: LLVM IR as one reads it
//! - [`native_views`]: the same for an editor, line by line
//! - [`catalogue`]: the codes of all findings, and their pages
//! - [`render`]: findings drawn on their source
//! - [`explained`]: facts about lanes drawn on their source
//! - [`highlight`]: source in colours
//! - [`files`]: writing them whole or not at all
//! - [`explorer`]: a file on the whole screen
//! - [`json`]: the objects that `--json` prints
//! - [`spec`], [`npy`]: the data that `run` is given
//! - [`difference`]: two texts, line by line
//! - [`console`]: standard output and error, colour, progress, exit codes
//! - [`spelling`]: "did you mean" on the command line
//!
//! What holds throughout: findings go to standard output and trouble to standard error; a command decides
//! nothing about kernels, it asks and renders.

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
