//! From Lane IR to machine code: LLVM IR, assembly, objects and code to run, made in a process of its own, so that
//! nothing that goes wrong there takes an editor down. It is empty so far.
//!
//! This room knows nothing of salsa, rowan, `syntax` or `analysis`.
