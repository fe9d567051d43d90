//! The common ground of the command line and the explorer: the way from files and words to answers of the analysis, and to
//! machine code.
//!
//! Modules in reading order:
//!
//! - [`inputs`]: files, folders and standard input as documents
//! - [`ispc_files`]: ISPC files, their headers, and the arguments that they are compiled with; [`ispc_running`], [`ispc_building`]: their
//!   functions, run and compiled; `ispc_sharing`: those that other files call; [`ispc_lines`]: their lines in machine code; [`ispc_headers`]: the headers of a host's files;
//!   [`ispc_samples`]: data to run their functions on; [`ispc_measuring`]: their running times;
//!   [`ispc_linking`]: a file with those that have what it calls; [`ispc_stepping`]: a run of a function that is looked at op by op
//! - [`surface`]: the two languages of files, as faces know them; [`program`]: what machine code is made of, in either
//! - [`document`]: a text and its analysis
//! - [`stages`]: the stages of lowering, as a list
//! - [`targets`]: targets by name, and this machine
//! - [`machine_code`]: kernels as LLVM IR, assembly and objects, made by a worker
//! - [`spills`]: promises about registers, held against machine code
//! - [`llvm_ir`]: LLVM IR without debug information, for readers
//! - [`spec`], [`arguments`]: the data that a run receives, by description and from NumPy's files
//! - [`running`]: runs of machine code
//! - [`stepping`]: a run that is looked at op by op: places, steps, the lanes and the cells that they touch
//! - [`examples`]: examples in documentation, and their runs
//! - [`failure`]: the error of a run as a finding
//! - [`measuring`]: the running times of a kernel beside the peak rates of this machine
//! - [`sweeping`]: those times over sizes of data, lanes and targets, and rows that are kept
//! - [`health`]: the things on this machine that native code, terminals and editors need
//! - [`variants`]: a kernel on all targets, with other lanes and attributes, as a table
//! - [`faster`]: changes of a kernel, tried and measured
//! - [`catalogue`]: the codes of all findings, and their pages
//! - [`files`]: atomic writes of files
//! - [`used_files`]: reading the files that a document uses
//! - [`spelling`]: "did you mean"
//! - [`words`]: counted things, and text that cannot steer a terminal
//!
//! Two rules hold throughout. Nothing here draws or knows a terminal: answers are data, and sentences are plain text.
//! Nothing here decides about kernels: the analysis is asked, and LLVM runs in a worker only.

pub mod arguments;
pub mod catalogue;
pub mod document;
pub mod examples;
pub mod failure;
pub mod faster;
pub mod files;
pub mod health;
pub mod inputs;
pub mod ispc_building;
pub mod ispc_files;
pub mod ispc_headers;
pub mod ispc_lines;
pub mod ispc_linking;
pub mod ispc_measuring;
pub mod ispc_running;
pub mod ispc_samples;
mod ispc_sharing;
pub mod ispc_stepping;
pub mod llvm_ir;
pub mod machine_code;
pub mod measuring;
mod npy;
pub mod program;
pub mod running;
pub mod spec;
pub mod spelling;
pub mod spills;
pub mod stages;
pub mod stepping;
pub mod surface;
pub mod sweeping;
pub mod targets;
pub mod used_files;
pub mod variants;
pub mod words;
