//! From Lane IR to machine code: LLVM IR, assembly, objects and code to run, made in a process of its own, so that
//! nothing that goes wrong there takes an editor down.
//!
//! In reading order:
//!
//! - [`emit`]: Lane IR as LLVM IR, in text; needs no LLVM
//! - [`llvm`]: finding an LLVM, and the few functions of it that are used
//! - [`host`]: what this machine is
//! - [`protocol`]: what the worker is asked for and answers
//! - [`worker`]: the process that holds LLVM and runs kernels
//! - [`client`]: asking it, and starting it again
//! - [`run`]: a kernel and its inputs as a request
//! - [`asm`]: assembly as people read it
//! - [`audit`]: whether it is what lanes promise
//! - [`header`], [`dispatch`]: what goes with objects: how C calls them, and one symbol for several targets
//! - [`ceiling`]: what this machine can give at most
//! - [`work`]: how much a run does
//!
//! This room knows nothing of salsa, rowan, `syntax` or `analysis`: source text and places come in as plain data.

pub mod asm;
pub mod audit;
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
