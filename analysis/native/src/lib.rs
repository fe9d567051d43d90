//! From Lane IR to machine code: LLVM IR, assembly, objects and code to run, made in a process of its own, so that
//! nothing that goes wrong there takes an editor down.
//!
//! In reading order:
//!
//! - [`emit`]: Lane IR as LLVM IR, in text; needs no LLVM
//! - [`llvm`]: finding an LLVM, and the few functions of it that are used
//! - [`host`]: a description of this machine
//! - [`protocol`]: the requests to the worker, and its answers
//! - [`worker`]: the process that holds LLVM and runs kernels
//! - [`client`]: requests to the worker, which is started again when it dies
//! - [`run`]: a kernel and its inputs as a request
//! - [`asm`]: assembly as people read it
//! - [`audit`]: a check that it keeps the promises of vector ops
//! - [`header`], [`dispatch`]: companions of objects: declarations for C, and one symbol for several targets
//! - [`bindings`]: modules in Rust and Python that call kernels
//! - [`ceiling`]: the upper limits of this machine's speed
//! - [`work`]: the amount of computation in a run
//!
//! This package knows nothing of trees or queries: source text and places come in as plain data.

pub mod asm;
pub mod audit;
pub mod bindings;
pub mod ceiling;
pub mod client;
pub mod dispatch;
pub mod emit;
pub mod header;
pub mod host;
pub mod llvm;
pub mod protocol;
pub mod run;
pub mod work;
pub mod worker;
